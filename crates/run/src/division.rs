//! The division of a run: into how many shards, decided once, before the first of them is played.
//! It is kept in the folder of the results, where tasks only read it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use gauntlet_core::text::{counted, shown};
use serde::{Deserialize, Serialize};

use super::note;
use crate::plan::Shard;

/// The file, in the folder of scripts for batch systems.
const DIVISION: &str = "cluster/division.jsonl";

/// The line of that file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    Division {
        /// Number of shards.
        shards: u64,
        /// Seconds that a task was to take, where the number was found by that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<f64>,
    },
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join(DIVISION)
}

/// Into how many shards a run is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// Number of shards.
    pub shards: u64,
    /// Seconds that a task was to take, where the number was found by that.
    pub seconds: Option<f64>,
}

/// How the run in a folder is divided; none where that was not decided. Fails with what is wrong
/// with the file.
pub fn decided(folder: &Path) -> Result<Option<Decided>, String> {
    let path = path_in(folder);
    match note::read(&path) {
        Ok(decided) => Ok(decided.map(|Note::Division { shards, seconds }| Decided { shards, seconds })),
        Err(why) => Err(format!("{} {why}: remove it, and call `gauntlet cluster` again", shown(&path))),
    }
}

/// Decides it, for all tasks that begin from now on. Returns the number of shards that was decided
/// before, where that was another one.
pub fn decide(folder: &Path, Decided { shards, seconds }: Decided) -> anyhow::Result<Option<u64>> {
    let path = path_in(folder);
    let around = path.parent().unwrap_or(folder);
    fs::create_dir_all(around).with_context(|| format!("cannot make the folder {}", shown(around)))?;
    let before = decided(folder).map_err(|why| anyhow!(why))?;
    if before == Some(Decided { shards, seconds }) {
        return Ok(None);
    }
    note::write(&path, &Note::Division { shards, seconds })
        .with_context(|| format!("cannot write {}", shown(&path)))?;
    Ok(before.map(|before| before.shards).filter(|&before| before != shards))
}

/// Refuses a shard of another division than the one that was decided.
pub fn check(folder: &Path, shard: Shard) -> Result<(), String> {
    match decided(folder)? {
        Some(Decided { shards, .. }) if shards != shard.of() => Err(format!(
            "{} is divided into {}, as {} tells, and {shard} is one of {}: while no shard is begun, `gauntlet cluster` divides it anew",
            shown(folder),
            counted(shards, "shard"),
            shown(&path_in(folder)),
            shard.of()
        )),
        _ => Ok(()),
    }
}

/// Refuses shards of several divisions, and those of another one than was decided.
pub fn check_all(folder: &Path, shards: &[(Shard, PathBuf)]) -> Result<(), String> {
    let Some((first, one)) = shards.first() else { return Ok(()) };
    let of = decided(folder)?.map_or(first.of(), |decided| decided.shards);
    let Some((other, path)) = shards.iter().find(|(shard, _)| shard.of() != of) else { return Ok(()) };
    let known = if first.of() == of { one.clone() } else { path_in(folder) };
    Err(format!(
        "{} is of a division into {}, and {} of one into {}: a run is divided once. Move the journals of one division away; named \
         behind the experiment, their games are taken all the same",
        shown(path),
        counted(other.of(), "shard"),
        shown(&known),
        of
    ))
}
