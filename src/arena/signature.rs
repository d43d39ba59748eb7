//! What a build plays, as one number: a change of it is a change of play, and no change of play goes unseen.

use toml::de::DeTable;

use super::{Arena, Entrant, GAMES};
use crate::settings::Written;

/// So many games of each example, on seeds 1, 2, ….
const GAMES_EACH: u64 = 3;

/// So many moves of each game.
const MOVES_EACH: u32 = 300;

impl Arena {
    /// A player with the settings of its manual's example.
    ///
    /// # Panics
    /// If there is no such algorithm, or its example is mistaken: a test sees to that.
    pub fn example(&self, algorithm: &str) -> Entrant {
        let manual = self.manual();
        let known = manual.iter().find(|known| known.name == algorithm).expect("an algorithm of this game");
        let mut table = DeTable::parse(known.example).expect("examples are valid TOML").into_inner();
        table.remove("algorithm");
        let (rules, _) = self.rules(&Written { table: DeTable::new(), header: 0..0 });
        let entered = self.enter(&rules, algorithm, &Written { table, header: 0..0 });
        entered.unwrap_or_else(|mistakes| panic!("the example of {algorithm}: {mistakes:?}"))
    }

    /// The digest of what the example of one algorithm plays; none for a player that chance or time may sway.
    pub fn signature_of(&self, algorithm: &str) -> Option<String> {
        let entrant = self.example(algorithm);
        if !entrant.is_reproducible() {
            return None;
        }
        let mut hasher = blake3::Hasher::new();
        for seed in 1..=GAMES_EACH {
            let played = entrant.replay(Some(MOVES_EACH), seed, &mut |step| {
                hasher.update(format!("{:?} {} {}\n", step.mv, step.score, step.position).as_bytes());
            });
            let (record, _) = played.expect("an example builds its player");
            hasher.update(format!("{record:?}\n").as_bytes());
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
