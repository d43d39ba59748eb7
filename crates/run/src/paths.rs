//! Paths of journals in a folder of results, and of players' files relative to it.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use gauntlet_core::text::display_path;

use super::machine;
use crate::plan::Shard;

/// Returns the path of the journal of a run, or of one of its shards, in a folder of results.
pub fn journal_path(folder: &Path, shard: Option<Shard>) -> PathBuf {
    folder.join(match shard {
        Some(shard) => format!("journal-{}.jsonl", shard.file_part()),
        None => "journal.jsonl".to_owned(),
    })
}

/// Returns the path of a folder relative to another one, so that both can be moved together; `None`
/// if one does not exist.
pub fn relative_path(base: &Path, target: &Path) -> Option<PathBuf> {
    let absolute_path =
        |path: &Path| fs::canonicalize(if path == Path::new("") { Path::new(".") } else { path }).ok();
    let (base, target) = (absolute_path(base)?, absolute_path(target)?);
    let common = base.components().zip(target.components()).take_while(|(one, other)| one == other).count();
    let parents = base.components().skip(common).map(|_| Component::ParentDir);
    Some(parents.chain(target.components().skip(common)).collect())
}

/// Lists the journals of shards in a folder of results, in the order of shards; none if there is no
/// such folder. Also raises the limit of open files so that this process can open all, if the
/// system permits.
pub fn find_shards(folder: &Path) -> anyhow::Result<Vec<(Shard, PathBuf)>> {
    let context = || format!("cannot read the folder {}", display_path(folder));
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(context)?,
    };
    let mut journals = Vec::new();
    for entry in entries {
        let name = entry.with_context(context)?.file_name();
        let shard = name.to_str().and_then(|name| name.strip_prefix("journal-")?.strip_suffix(".jsonl"));
        if let Some(Ok(shard)) = shard.map(str::parse::<Shard>) {
            journals.push((shard, folder.join(name)));
        }
    }
    journals.sort();
    machine::allow_open_files(journals.len() as u64);
    Ok(journals)
}
