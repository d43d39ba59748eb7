//! The division of a run: into how many shards, decided once, before the first of them is played. It is kept in the folder of the
//! results, where tasks only read it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

use super::note;
use crate::plan::Shard;
use crate::text::{counted, shown};

/// The file, in the folder of scripts for batch systems.
const DIVISION: &str = "cluster/division.jsonl";

/// The line of that file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    Division {
        /// Number of shards.
        shards: u64,
    },
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join(DIVISION)
}

/// Into how many shards the run in a folder is divided; none where that was not decided. Fails with what is wrong with the file.
fn decided(folder: &Path) -> Result<Option<u64>, String> {
    let path = path_in(folder);
    match note::read(&path) {
        Ok(decided) => Ok(decided.map(|Note::Division { shards }| shards)),
        Err(why) => Err(format!("{} {why}: remove it, and call `gauntlet cluster` again", shown(&path))),
    }
}

/// Decides it: for all tasks that begin from now on.
pub fn decide(folder: &Path, shards: u64) -> anyhow::Result<()> {
    let path = path_in(folder);
    let around = path.parent().unwrap_or(folder);
    fs::create_dir_all(around).with_context(|| format!("cannot make the folder {}", shown(around)))?;
    if decided(folder).map_err(|why| anyhow!(why))? == Some(shards) {
        return Ok(());
    }
    note::write(&path, &Note::Division { shards }).with_context(|| format!("cannot write {}", shown(&path)))
}

/// Refuses a shard of another division than the one that was decided.
pub fn check(folder: &Path, shard: Shard) -> Result<(), String> {
    match decided(folder)? {
        Some(shards) if shards != shard.of() => Err(format!(
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
    let of = decided(folder)?.unwrap_or(first.of());
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
