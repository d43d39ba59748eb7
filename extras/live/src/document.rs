//! The live page: a constant document whose script fills in the data that it receives. The data is
//! inserted as text, never as markup.

use std::sync::LazyLock;

use gauntlet_report::page::{SCRIPT_DIGEST, STYLE};

/// Additions to the style of all pages.
const OWN_STYLE: &str = include_str!("style.css");

/// The script that draws the page.
const SCRIPT: &str = include_str!("script.js");

/// Digest by which the browser accepts this script and refuses every other. A test compares it.
const DIGEST: &str = "sha256-i31Yr170nqIvIVqjM2Mq0oZStSi3VZg5MTLxPwU9xcM=";

/// Returns the content security policy: the browser may run this script and the script of a report,
/// and fetch from this address.
pub(super) fn content_security_policy() -> String {
    format!(
        "default-src 'none'; script-src '{DIGEST}' '{SCRIPT_DIGEST}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the page.
pub(super) fn page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let body = include_str!("body.html");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>live – gauntlet</title>\n<style>\n{STYLE}{OWN_STYLE}</style>\n\
             </head>\n<body>\n{body}<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    });
    &PAGE
}
