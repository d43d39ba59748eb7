//! Division of a run into shards, fixed before the first shard is played. It is stored in the
//! folder of results, where tasks only read it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use gauntlet_core::text::{display_path, format_count};
use serde::{Deserialize, Serialize};

use super::note;
use crate::plan::Shard;

/// Name of the file, in the folder of scripts for batch systems.
const DIVISION: &str = "cluster/division.jsonl";

/// The line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    Division {
        shards: u64,
        /// Intended seconds per task, if the number of shards was computed from them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<f64>,
    },
}

fn division_path(folder: &Path) -> PathBuf {
    folder.join(DIVISION)
}

/// Division of a run into shards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardDivision {
    pub shards: u64,
    /// Intended seconds per task, if the number of shards was computed from them.
    pub seconds: Option<f64>,
}

/// Reads how the run in a folder is divided, or returns `None` if that is not fixed. Fails with the
/// reason if the file is invalid.
pub fn read_division(folder: &Path) -> Result<Option<ShardDivision>, String> {
    let path = division_path(folder);
    match note::read(&path) {
        Ok(division) => {
            Ok(division.map(|Note::Division { shards, seconds }| ShardDivision { shards, seconds }))
        }
        Err(reason) => {
            Err(format!("{} {reason}: remove it, and run `gauntlet cluster` again", display_path(&path)))
        }
    }
}

/// Fixes the division for all tasks that start from now on. Returns the earlier number of shards if
/// it was different.
pub fn fix_division(
    folder: &Path,
    ShardDivision { shards, seconds }: ShardDivision,
) -> anyhow::Result<Option<u64>> {
    let path = division_path(folder);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent)
        .with_context(|| format!("cannot create the folder {}", display_path(parent)))?;
    let earlier = read_division(folder).map_err(|reason| anyhow!(reason))?;
    if earlier == Some(ShardDivision { shards, seconds }) {
        return Ok(None);
    }
    note::write(&path, &Note::Division { shards, seconds })
        .with_context(|| format!("cannot write {}", display_path(&path)))?;
    Ok(earlier.map(|before| before.shards).filter(|&before| before != shards))
}

/// Fails if a shard belongs to another division than the fixed one.
pub fn check(folder: &Path, shard: Shard) -> Result<(), String> {
    match read_division(folder)? {
        Some(ShardDivision { shards, .. }) if shards != shard.count() => Err(format!(
            "{} is divided into {} (see {}), but {shard} belongs to a division into {}: to change the division before a shard has started, use `gauntlet cluster`",
            display_path(folder),
            format_count(shards, "shard"),
            display_path(&division_path(folder)),
            shard.count()
        )),
        _ => Ok(()),
    }
}

/// Fails if shards belong to several divisions, or to another one than the fixed one.
pub fn check_all(folder: &Path, shards: &[(Shard, PathBuf)]) -> Result<(), String> {
    let Some((first, first_path)) = shards.first() else { return Ok(()) };
    let shard_count = read_division(folder)?.map_or(first.count(), |division| division.shards);
    let Some((other, path)) = shards.iter().find(|(shard, _)| shard.count() != shard_count) else {
        return Ok(());
    };
    let conflicting_path =
        if first.count() == shard_count { first_path.clone() } else { division_path(folder) };
    Err(format!(
        "{} belongs to a division into {}, but {} belongs to a division into {}: a run can have only one division. Move the journals of one division away, and pass them to `gauntlet merge` as JOURNAL",
        display_path(path),
        format_count(other.count(), "shard"),
        display_path(&conflicting_path),
        shard_count
    ))
}
