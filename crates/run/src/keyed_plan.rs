//! Plans with a key for each line-up, under which a journal stores its games.
//!
//! The key of a line-up includes a signature of each of its algorithms, so that a changed program
//! replays only what the change affects. Computing the signatures takes about a second of play. So
//! they are computed only if a journal is read, and only for algorithms that the experiment names.
//! Journals store them under the program's identity, and a cache of the user those of algorithms,
//! so that they are seldom computed again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, Range};

use gauntlet_core::arena::Entry;
use gauntlet_core::player::{BuildContext, Stop};

use super::journal::{Journal, SessionEntry};
use super::machine;
use super::signature_cache::signature_of;
use crate::plan::Plan;

/// End of the keys of games that no later plan can use.
const SINGLE_USE_SUFFIX: &str = "-once";

/// Returns true if no later plan can use the games of this key, because a function of the host
/// program without an identity played them.
pub fn is_single_use(key: &str) -> bool {
    key.ends_with(SINGLE_USE_SUFFIX)
}

/// Signatures of algorithms, by name.
pub type AlgorithmSignatures = BTreeMap<String, Option<String>>;

/// A plan with a key for each line-up.
#[derive(Clone, Debug)]
pub struct KeyedPlan<'a> {
    plan: Plan<'a>,
    keys: Vec<String>,
    signatures: AlgorithmSignatures,
}

impl<'a> KeyedPlan<'a> {
    /// Computes the keys of a plan, using signatures stored in these journals.
    pub fn new(plan: Plan<'a>, journals: &[&Journal]) -> anyhow::Result<KeyedPlan<'a>> {
        KeyedPlan::with_signatures(&AlgorithmSignatures::new(), plan, journals)
    }

    /// Computes the keys of a plan, using known signatures as well, such as those of an earlier
    /// plan.
    pub fn with_signatures(
        earlier_signatures: &AlgorithmSignatures,
        plan: Plan<'a>,
        journals: &[&Journal],
    ) -> anyhow::Result<KeyedPlan<'a>> {
        let binary = machine::program_identity();
        let sessions = journals.iter().flat_map(|journal| journal.sessions());
        let is_own = |session: &&SessionEntry| session.binary == binary && session.game == plan.arena.name;
        let own_sessions = sessions.filter(|session| !binary.is_empty() && is_own(session));
        let stored_signatures: AlgorithmSignatures =
            own_sessions.flat_map(|session| session.signatures.clone()).collect();
        let mut signatures = AlgorithmSignatures::new();
        let mut find_signature = |name: String, compute: &dyn Fn() -> anyhow::Result<Option<String>>| {
            if !signatures.contains_key(&name) {
                let signature = match earlier_signatures.get(&name).or_else(|| stored_signatures.get(&name)) {
                    Some(signature) => signature.clone(),
                    None => compute()?,
                };
                signatures.insert(name.clone(), signature);
            }
            anyhow::Ok(signatures[&name].clone())
        };
        let mut player_signatures = Vec::new();
        for player in &plan.players {
            let entry = player.entry;
            let mut signature =
                find_signature(signature_name(&plan, entry), &|| compute_signature(&plan, entry))?;
            // The games of a signature are short, so they may not show all moves of the player.
            for &algorithm in &entry.facts().algorithms {
                let algorithm_signature =
                    find_signature(algorithm.to_owned(), &|| Ok(signature_of(&plan, algorithm)))?;
                signature = signature
                    .map(|signature| format!("{signature} {}", algorithm_signature.unwrap_or_default()));
            }
            player_signatures.push(signature);
        }
        let unidentified: BTreeSet<&str> = plan.unidentified_players().collect();
        let key = |lineup: usize| {
            let is_single_use = plan.members(lineup).any(|player| unidentified.contains(player.name));
            plan.key(lineup, &player_signatures) + if is_single_use { SINGLE_USE_SUFFIX } else { "" }
        };
        let keys = (0..plan.lineups.len()).map(key).collect();
        Ok(KeyedPlan { plan, keys, signatures })
    }

    /// Makes a plan with the caller's keys, one for each line-up, for players that are in no table.
    pub fn with_keys(plan: Plan<'a>, keys: Vec<String>) -> KeyedPlan<'a> {
        assert_eq!(keys.len(), plan.lineups.len(), "a key for each line-up");
        KeyedPlan { plan, keys, signatures: AlgorithmSignatures::new() }
    }

    /// Changes the keys of the plan so that no plan with another `suffix` shares them: its games
    /// are found without reading those of other plans.
    #[must_use]
    pub fn with_key_suffix(mut self, suffix: u64) -> KeyedPlan<'a> {
        self.keys.iter_mut().for_each(|key| *key += &format!("-{suffix}"));
        self
    }

    /// Returns the key of a line-up. Line-ups with equal keys share their games.
    pub fn key(&self, lineup: usize) -> &str {
        &self.keys[lineup]
    }

    /// Returns the signatures of the plan's algorithms.
    pub fn signatures(&self) -> &AlgorithmSignatures {
        &self.signatures
    }

    /// Leaves out the line-ups of these players, given by index with the reason.
    #[must_use]
    pub fn without_players(&self, skipped: BTreeMap<usize, String>) -> KeyedPlan<'a> {
        let plan = self.plan.without_players(skipped);
        let is_kept = |lineup: &&usize| {
            let members = self.plan.lineups[**lineup].members();
            !members.iter().any(|member| plan.skipped.contains_key(member))
        };
        let lineups: Vec<usize> = (0..self.keys.len()).collect();
        let keys = lineups.iter().filter(is_kept).map(|&lineup| self.keys[lineup].clone()).collect();
        KeyedPlan { keys, plan, signatures: self.signatures.clone() }
    }

    /// Limits the plan to these blocks, which get new numbers.
    #[must_use]
    pub fn limit_to_blocks(&self, parts: &[Range<u64>]) -> KeyedPlan<'a> {
        KeyedPlan { plan: self.plan.limit_to_blocks(parts), ..self.clone() }
    }

    /// Limits the plan to at most this number of blocks, the first ones.
    #[must_use]
    pub fn limit_to_first(&self, blocks: u64) -> KeyedPlan<'a> {
        KeyedPlan { plan: self.plan.limit_to_first(blocks), ..self.clone() }
    }
}

impl<'a> Deref for KeyedPlan<'a> {
    type Target = Plan<'a>;

    fn deref(&self) -> &Plan<'a> {
        &self.plan
    }
}

/// Returns the name under which a signature is stored. It is the algorithm, whose examples are
/// played. For a player built from files, it is the player and its rules.
fn signature_name(plan: &Plan, entry: &Entry) -> String {
    if !entry.needs_files() {
        return entry.algorithm.to_owned();
    }
    let Entry { settings, files, identity, .. } = entry;
    let data = format!("{} {settings} {files:?} {identity:?}", plan.rules_json());
    format!("{} {}", entry.algorithm, &blake3::hash(data.as_bytes()).to_hex()[..16])
}

fn compute_signature(plan: &Plan, entry: &Entry) -> anyhow::Result<Option<String>> {
    if entry.needs_files() {
        // A player's moves do not depend on the time limit.
        let context = BuildContext { max_seconds: None, ..plan.build_context(&Stop::default()) };
        entry.signature(plan.arena.shape, &context)
    } else {
        Ok(signature_of(plan, entry.algorithm))
    }
}
