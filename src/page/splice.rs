//! Puts tables into documents, between two comments, together with the command that made them. So no number in a
//! document is typed, and a test can see whether document and results agree.
//!
//! ```text
//! <!-- gauntlet results/quick win-rate -->
//! …
//! <!-- /gauntlet -->
//! ```

use std::path::Path;

use anyhow::{Context, bail, ensure};

use crate::disk::system;
use crate::results::read;
use crate::results::set::Set;

const OPEN: &str = "<!-- gauntlet ";
const CLOSE: &str = "<!-- /gauntlet -->";

/// The document with every marked place filled anew. Folders in it are relative to `base`.
pub fn splice(document: &str, base: &Path) -> anyhow::Result<String> {
    let mut text = String::with_capacity(document.len());
    let mut rest = document;
    let mut filled = 0;
    while let Some(start) = rest.find(OPEN) {
        let line_end = rest[start..].find('\n').map_or(rest.len(), |length| start + length + 1);
        let marker = &rest[start..line_end];
        let words = marker.trim().strip_prefix(OPEN).and_then(|marker| marker.strip_suffix("-->"));
        let Some((folder, table)) = words.and_then(|words| words.trim().rsplit_once(' ')) else {
            bail!("expected `{OPEN}FOLDER TABLE -->`, found `{}`", marker.trim());
        };
        // The close of a later place would swallow all that lies between.
        let place = &rest[line_end..];
        let length = place.find(CLOSE).filter(|&length| !place[..length].contains(OPEN));
        let close =
            line_end + length.with_context(|| format!("`{}` is not closed by `{CLOSE}`", marker.trim()))?;
        text.push_str(&rest[..line_end]);
        let filling = filling(&base.join(folder), table)?;
        // Lines end as those around them do.
        text.push_str(&if marker.ends_with("\r\n") { filling.replace('\n', "\r\n") } else { filling });
        rest = &rest[close..];
        filled += 1;
    }
    if filled == 0 {
        bail!("found no `{OPEN}FOLDER TABLE -->` to fill");
    }
    text.push_str(rest);
    Ok(text)
}

fn filling(folder: &Path, name: &str) -> anyhow::Result<String> {
    let set = Set::read(&system(), folder)?;
    let table = read::table(&set, name)?;
    ensure!(!set.command().is_empty(), "the manifest of {} names no command", folder.display());
    Ok(format!("\n{}\nMade by `{}`.\n\n", table.to_markdown(), set.command()))
}
