//! Signature of a build: a digest of what its examples play, which changes if any of their moves
//! does.

use super::entry::{Entry, ReplayRequest, build_replayer};
use super::registry::Arena;
use crate::game::{Block, Outcome, Seat, Shape};
use crate::player::BuildContext;
use crate::record::{Ending, GameRecord};
use crate::settings::{SettingsTable, tree};

/// Number of games per example, on seeds 1, 2, ….
const GAMES_PER_EXAMPLE: u64 = 2;

/// Number of moves per game. It is small, because the first run of each build plays these games for
/// its algorithms.
const MOVES_PER_GAME: u32 = 150;

impl Arena {
    /// Reads the player of a TOML snippet, such as an algorithm's example.
    ///
    /// # Panics
    /// If the algorithm does not exist or the snippet has a mistake; a test reads all snippets.
    pub fn read_snippet(&self, algorithm: &str, snippet: &str) -> Entry {
        let mut table = tree::parse_table(snippet);
        table.remove("algorithm");
        let (rules, _) = self.read_rules(&SettingsTable::default());
        let entry = self.read_entry(&rules, algorithm, &SettingsTable { table, header: 0..0 });
        entry.unwrap_or_else(|mistakes| panic!("a snippet of {algorithm}: {mistakes:?}"))
    }

    /// Returns the digest of what an algorithm's examples play; `None` if one of them depends on
    /// time. Examples that need a file are left out, because the file may be missing;
    /// [`Entry::signature`] covers them.
    ///
    /// # Panics
    /// If the algorithm does not exist.
    pub fn signature_of(&self, algorithm: &str) -> Option<String> {
        let manual = self.manual();
        let algorithm_manual = manual
            .iter()
            .find(|algorithm_manual| algorithm_manual.name == algorithm)
            .expect("an algorithm of this game");
        let mut hasher = blake3::Hasher::new();
        for snippet in std::iter::once(&algorithm_manual.example).chain(algorithm_manual.more_examples) {
            let entry = self.read_snippet(algorithm, snippet);
            if !entry.facts().is_reproducible {
                return None;
            }
            if !entry.needs_files() {
                let result = entry.play_into(&mut hasher, self.shape, &BuildContext::default());
                result.expect("an example builds its player");
            }
        }
        Some(hasher.finalize().to_hex()[..16].to_owned())
    }
}

impl Entry {
    /// Returns the digest of what this player plays; `None` if it depends on time.
    pub fn signature(&self, shape: Shape, context: &BuildContext) -> anyhow::Result<Option<String>> {
        // An external program is identified by its files, and is started only for games.
        if !self.facts().is_reproducible || self.facts().is_external() {
            return Ok(None);
        }
        let mut hasher = blake3::Hasher::new();
        self.play_into(&mut hasher, shape, context)?;
        Ok(Some(hasher.finalize().to_hex()[..16].to_owned()))
    }

    /// Plays a few games, against itself in a duel, and digests every step.
    fn play_into(
        &self,
        hasher: &mut blake3::Hasher,
        shape: Shape,
        context: &BuildContext,
    ) -> anyhow::Result<()> {
        let lineup = vec![self; shape.players()];
        // Building a player may take longer than these games. No game depends on an earlier one.
        let mut replayer = build_replayer(&lineup, Some(MOVES_PER_GAME), context)?;
        for seed in 1..=GAMES_PER_EXAMPLE {
            let (record, _) = replayer(
                ReplayRequest { block: Block::from_seed(seed), leg: 0, asks_values: false },
                &mut |step| {
                    let outcome = format_outcome(step.outcome);
                    hasher.update(format!("{:?} {outcome} {}\n", step.mv, step.position).as_bytes());
                },
            )?;
            hasher.update(format_record(&record).as_bytes());
        }
        Ok(())
    }
}

/// Writes an outcome for the digest. A win by the rules is left out, so that signatures stay as
/// they were.
fn format_outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Points { score, .. } => score.to_string(),
        Outcome::Won(_) | Outcome::Drawn => format!("{outcome:?}"),
    }
}

/// Writes a record for the digest. The text is fixed, because any change would alter every
/// signature and every key.
fn format_record(record: &GameRecord) -> String {
    let GameRecord { facts, moves, .. } = record;
    let ending = match record.ending {
        Ending::Fault(Seat::First, fault) => format!("{fault:?}"),
        other => format!("{other:?}"),
    };
    match record.outcome {
        Outcome::Points { score, won } => format!(
            "GameRecord {{ score: {score}, facts: {facts:?}, moves: {moves}, won: {won}, ending: {ending} }}\n"
        ),
        outcome => format!("{outcome:?} {facts:?} {moves} {ending}\n"),
    }
}

/// Returns the digest of what every example of these games plays.
pub fn signature(games: &[Arena]) -> String {
    let mut hasher = blake3::Hasher::new();
    for arena in games {
        for algorithm_manual in arena.manual() {
            // A function of the host program cannot play here.
            if arena
                .read_snippet(algorithm_manual.name, algorithm_manual.example)
                .facts()
                .host_batch
                .is_some()
            {
                continue;
            }
            let digest = arena.signature_of(algorithm_manual.name);
            hasher.update(format!("{} {} {digest:?}\n", arena.name, algorithm_manual.name).as_bytes());
            if algorithm_manual.package.is_foreign() {
                hasher.update(format!("{}\n", algorithm_manual.package).as_bytes());
            }
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
