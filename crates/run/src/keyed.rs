//! A plan whose line-ups have keys, by which a journal knows their games.
//!
//! The key of a line-up holds what the program plays with each of its algorithms, so that a changed
//! program plays anew what the change touches. To find that out takes a quarter of a second of
//! playing. So it is done only where a journal is read, only for the algorithms that the experiment
//! names, and once for each build: a journal remembers it under the digest of the program.

use std::collections::BTreeMap;
use std::ops::Deref;

use gauntlet_core::arena::Entrant;
use gauntlet_core::player::{BuildContext, Stop};

use super::journal::{Journal, Session};
use super::machine;
use crate::plan::Plan;

/// Signatures of algorithms, by their names.
pub type Signatures = BTreeMap<String, Option<String>>;

/// A plan whose line-ups have keys.
#[derive(Clone, Debug)]
pub struct KeyedPlan<'a> {
    plan: Plan<'a>,
    keys: Vec<String>,
    signatures: Signatures,
}

impl<'a> KeyedPlan<'a> {
    /// Finds the keys of a plan, with the help of what these journals remember.
    pub fn of(plan: Plan<'a>, journals: &[&Journal]) -> anyhow::Result<KeyedPlan<'a>> {
        KeyedPlan::knowing(&Signatures::new(), plan, journals)
    }

    /// The same where the caller knows some signatures, as those of an earlier plan.
    pub fn knowing(
        earlier: &Signatures,
        plan: Plan<'a>,
        journals: &[&Journal],
    ) -> anyhow::Result<KeyedPlan<'a>> {
        let binary = machine::binary();
        let sessions = journals.iter().flat_map(|journal| journal.sessions());
        let is_own = |session: &&Session| session.binary == binary && session.game == plan.arena.name;
        let own = sessions.filter(|session| !binary.is_empty() && is_own(session));
        let known: Signatures = own.flat_map(|session| session.signatures.clone()).collect();
        let mut signatures = Signatures::new();
        let mut play = Vec::new();
        for player in &plan.players {
            let name = name_of(&plan, player.entrant);
            if !signatures.contains_key(&name) {
                let signature = match earlier.get(&name).or_else(|| known.get(&name)) {
                    Some(known) => known.clone(),
                    None => signature_of(&plan, player.entrant)?,
                };
                signatures.insert(name.clone(), signature);
            }
            play.push(signatures[&name].clone());
        }
        let keys = (0..plan.lineups.len()).map(|lineup| plan.key(lineup, &play)).collect();
        Ok(KeyedPlan { plan, keys, signatures })
    }

    /// A plan with keys of the caller's own, one for each line-up: for players that are in no
    /// table.
    pub fn with_keys(plan: Plan<'a>, keys: Vec<String>) -> KeyedPlan<'a> {
        assert_eq!(keys.len(), plan.lineups.len(), "a key for each line-up");
        KeyedPlan { plan, keys, signatures: Signatures::new() }
    }

    /// The same plan with keys that no plan of another name has: its games are found without a look
    /// at theirs.
    #[must_use]
    pub fn apart(mut self, name: u64) -> KeyedPlan<'a> {
        self.keys.iter_mut().for_each(|key| *key += &format!("-{name}"));
        self
    }

    /// The key of a line-up. Line-ups with the same key share their games.
    pub fn key(&self, lineup: usize) -> &str {
        &self.keys[lineup]
    }

    /// Signatures of the algorithms of the plan.
    pub fn signatures(&self) -> &Signatures {
        &self.signatures
    }

    /// The same plan with at most this number of blocks, the first ones.
    #[must_use]
    pub fn first(&self, blocks: u64) -> KeyedPlan<'a> {
        KeyedPlan { plan: self.plan.first(blocks), ..self.clone() }
    }
}

impl<'a> Deref for KeyedPlan<'a> {
    type Target = Plan<'a>;

    fn deref(&self) -> &Plan<'a> {
        &self.plan
    }
}

/// Name under which a signature is remembered: the algorithm, of which the examples are played; or,
/// for a player that is built from files, the player itself and the rules that it plays by.
fn name_of(plan: &Plan, entrant: &Entrant) -> String {
    if !entrant.needs_files() {
        return entrant.algorithm.to_owned();
    }
    let Entrant { settings, files, identity, .. } = entrant;
    let own = format!("{} {settings} {files:?} {identity:?}", plan.rules_as_data());
    format!("{} {}", entrant.algorithm, &blake3::hash(own.as_bytes()).to_hex()[..16])
}

fn signature_of(plan: &Plan, entrant: &Entrant) -> anyhow::Result<Option<String>> {
    if entrant.needs_files() {
        // A player's moves do not depend on how long it may play.
        let kit = BuildContext { max_seconds: None, ..plan.kit(&Stop::default()) };
        entrant.signature(plan.arena.shape, &kit)
    } else {
        Ok(plan.arena.signature_of(entrant.algorithm))
    }
}
