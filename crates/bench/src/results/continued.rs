//! Results never overwrite what they do not continue: what becomes of the tables in a folder when others are to be written.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::folder::{has_tables, is_of};
use super::set::{self, GAMES, MANIFEST, Set};
use crate::arena::Arenas;
use crate::config::Experiment;
use crate::disk::Disk;
use crate::run::journal::Session;
use crate::text::shown;

/// Where the tables of games lie that were played again: in a folder of results of its own, inside the one that they are
/// compared with.
const REPLAYED: &str = "replayed";

/// The folder for the tables of games that were played again.
pub fn replayed(folder: &Path) -> PathBuf {
    folder.join(REPLAYED)
}

/// What the tables in a folder are to the journals at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// There are none, or none that can be read.
    None,
    /// These journals made them, of this many games: new tables continue them.
    Continued {
        /// How many games.
        games: u64,
    },
    /// Tables of the same experiment, made from another journal: they stay.
    Replayed,
    /// Tables of another experiment, made from another journal.
    Foreign,
}

/// Finds out what the tables in a folder are to an experiment and to the sessions of the journals at hand.
pub fn earlier<'a>(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    folder: &Path,
    sessions: impl Iterator<Item = &'a Session>,
) -> anyhow::Result<Earlier> {
    if !has_tables(&**disk, folder) {
        return Ok(Earlier::None);
    }
    let path = folder.join(MANIFEST);
    let bytes = disk.open(&path).and_then(|file| set::whole(&*file));
    // Beside a damaged manifest nothing is known of the tables, and no command reads them.
    if set::parse(&bytes.with_context(|| format!("cannot read {}", shown(&path)))?).is_none() {
        return Ok(Earlier::None);
    }
    let set = Set::read(experiment.arenas(), disk, folder)?;
    Ok(if is_made_by(set.manifest(), sessions) {
        let games = set.manifest().get("games").and_then(toml::Value::as_integer).unwrap_or(0);
        Earlier::Continued { games: games.max(0) as u64 }
    } else if is_of(&set, experiment) {
        Earlier::Replayed
    } else {
        Earlier::Foreign
    })
}

/// Whether each session that a manifest tells of is among these, and there is one. Two runs may begin in one second, but they
/// hardly take the same time to a microsecond; of what is smaller the last digit is not read alike from a journal and from a
/// manifest.
pub(super) fn is_made_by<'a>(manifest: &toml::Table, sessions: impl Iterator<Item = &'a Session>) -> bool {
    let known: Vec<([&str; 4], Option<f64>)> = sessions
        .map(|session| {
            let Session { started, cpu, experiment, shard, seconds, .. } = session;
            ([started, cpu, experiment, shard.as_deref().unwrap_or_default()], *seconds)
        })
        .collect();
    let told = manifest.get("session").and_then(toml::Value::as_array).map_or(&[][..], Vec::as_slice);
    !told.is_empty()
        && told.iter().all(|told| {
            let word = |key| told.get(key).and_then(toml::Value::as_str).unwrap_or_default();
            let words = ["started", "cpu", "experiment", "shard"].map(word);
            let seconds = told.get("seconds").and_then(toml::Value::as_float);
            // A run that was killed told no time.
            let took_as_long =
                |own: &Option<f64>| own.zip(seconds).is_none_or(|(own, told)| (own - told).abs() < 1e-6);
            known.iter().any(|(own, took)| *own == words && took_as_long(took))
        })
}

/// What came of playing the games of some tables again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Every game is the same.
    Identical,
    /// Games differ, as they may where time limits a player or a game.
    NotReproducible,
    /// Games differ.
    Different {
        /// Where the earlier games are kept: how many rows differ, and in words which is the first.
        rows: Option<(u64, String)>,
    },
}

/// Compares the games of the tables in a folder with those that were played again.
pub fn replay(arenas: Arenas, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Replay> {
    let (kept, again) = (Set::read(arenas, disk, folder)?, Set::read(arenas, disk, &replayed(folder))?);
    if kept.digest(GAMES) == again.digest(GAMES) {
        return Ok(Replay::Identical);
    }
    let is_reproducible =
        |set: &Set| set.manifest().get("reproducible").and_then(toml::Value::as_bool) != Some(false);
    if !is_reproducible(&kept) || !is_reproducible(&again) {
        return Ok(Replay::NotReproducible);
    }
    let rows = if kept.holds(GAMES) { Some(different_rows(&kept, &again)?) } else { None };
    Ok(Replay::Different { rows })
}

/// How many rows of games differ, and which is the first.
fn different_rows(kept: &Set, again: &Set) -> anyhow::Result<(u64, String)> {
    kept.stream(GAMES, |kept| {
        again.stream(GAMES, |again| {
            let (mut kept, mut again) = (BufReader::new(kept).lines(), BufReader::new(again).lines());
            let (mut count, mut first) = (0, String::new());
            loop {
                let (kept, again) = (kept.next().transpose()?, again.next().transpose()?);
                if kept.is_none() && again.is_none() {
                    return Ok((count, first));
                }
                if kept != again {
                    if count == 0 {
                        let row = |row: Option<String>| row.unwrap_or_else(|| "nothing".to_owned());
                        first = format!("{} there, {} here", row(kept), row(again));
                    }
                    count += 1;
                }
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_sessions() {
        let session = |seconds| Session {
            started: "2026-11-22T07:00:00Z".to_owned(),
            cpu: "a processor".to_owned(),
            experiment: "0a".to_owned(),
            seconds,
            ..Session::default()
        };
        let told = |seconds: &str| -> toml::Table {
            let head =
                "[[session]]\nstarted = '2026-11-22T07:00:00Z'\ncpu = 'a processor'\nexperiment = '0a'\n";
            format!("{head}{seconds}").parse().unwrap()
        };
        let is_made = |manifest: &toml::Table, seconds| is_made_by(manifest, [session(seconds)].iter());
        // JSON is read to the last digit but one.
        let read: f64 = serde_json::from_str("1.5311191100000001").unwrap();
        for seconds in [read, 1.5311191100000001, 1.53111911] {
            assert!(is_made(&told("seconds = 1.5311191100000001"), Some(seconds)), "{seconds}");
        }
        assert!(!is_made(&told("seconds = 1.5312"), Some(1.5311)));
        // A run that was killed told no time.
        assert!(is_made(&told(""), Some(1.0)) && is_made(&told("seconds = 1.0"), None));
        // No session made nothing.
        assert!(!is_made(&toml::Table::new(), Some(1.0)));
        assert!(!is_made_by(&told(""), [].iter()));
    }
}
