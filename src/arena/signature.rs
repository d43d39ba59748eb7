//! What a build plays, as one number: a change of it is a change of play, and no change of play goes unseen.

use toml::de::DeTable;

use super::{Arena, Entrant, GAMES};
use crate::settings::Written;

/// So many games of each example and sample, on seeds 1, 2, ….
const GAMES_EACH: u64 = 2;

/// So many moves of each game: every run plays what its algorithms need of them.
const MOVES_EACH: u32 = 150;

impl Arena {
    /// A player with the settings of a snippet: its manual's example, or a sample.
    ///
    /// # Panics
    /// If there is no such algorithm, or the snippet is mistaken: a test sees to that.
    pub fn sample(&self, algorithm: &str, snippet: &str) -> Entrant {
        let mut table = DeTable::parse(snippet).expect("samples are valid TOML").into_inner();
        table.remove("algorithm");
        let (rules, _) = self.rules(&Written { table: DeTable::new(), header: 0..0 });
        let entered = self.enter(&rules, algorithm, &Written { table, header: 0..0 });
        entered.unwrap_or_else(|mistakes| panic!("a sample of {algorithm}: {mistakes:?}"))
    }

    /// The digest of what the example and the samples of one algorithm play; none for an example that chance or time
    /// may sway.
    ///
    /// # Panics
    /// If there is no such algorithm.
    pub fn signature_of(&self, algorithm: &str) -> Option<String> {
        let manual = self.manual();
        let known = manual.iter().find(|known| known.name == algorithm).expect("an algorithm of this game");
        let mut hasher = blake3::Hasher::new();
        for snippet in std::iter::once(&known.example).chain(known.samples) {
            let entrant = self.sample(algorithm, snippet);
            if !entrant.is_reproducible() {
                return None;
            }
            for seed in 1..=GAMES_EACH {
                let played = entrant.replay(Some(MOVES_EACH), seed, &mut |step| {
                    hasher.update(format!("{:?} {} {}\n", step.mv, step.score, step.position).as_bytes());
                });
                let (record, _) = played.expect("a sample builds its player");
                hasher.update(format!("{record:?}\n").as_bytes());
            }
        }
        Some(hasher.finalize().to_hex()[..16].to_owned())
    }
}

/// The digest of what every example of every game plays.
pub fn signature() -> String {
    let mut hasher = blake3::Hasher::new();
    for arena in GAMES {
        for known in arena.manual() {
            let played = arena.signature_of(known.name);
            hasher.update(format!("{} {} {played:?}\n", arena.name, known.name).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
