//! The page: one document without a word from outside, whose own script fills in what it is sent.
//! What it is sent is text, and never markup.

use std::sync::LazyLock;

use crate::page::SCRIPT_DIGEST;

/// The style of all pages, and what this one has besides.
const STYLE: &str = concat!(include_str!("../page/style.css"), include_str!("style.css"));

/// What draws the page.
const SCRIPT: &str = include_str!("script.js");

/// By this digest the browser knows it, and refuses every other. A test says what it has to be.
const DIGEST: &str = "sha256-YeHE3JUFpMSo/uJG4tdoF7mvczwq3paJ8hm9XxRsC/k=";

/// What the browser may do: run this script, and that of a report that the page may be sent; and
/// fetch from this very address.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{DIGEST}' '{SCRIPT_DIGEST}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// The page.
pub(super) fn page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let body = include_str!("body.html");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>live – gauntlet</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n{body}<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    });
    &PAGE
}
