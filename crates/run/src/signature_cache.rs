//! Signatures of algorithms that earlier commands of this user computed with the same program.
//!
//! Journals contain signatures too, but a new run has no journal, and computing signatures takes
//! longer than a short run.

use std::collections::BTreeMap;

use gauntlet_core::user_cache::UserCache;

use super::machine;
use crate::plan::Plan;

/// Maximum number of programs in the cache. With more programs, the cache begins again.
const MAX_PROGRAMS: usize = 32;

/// Signatures by identity of the program, and by game and algorithm.
type ProgramSignatures = BTreeMap<String, BTreeMap<String, Option<String>>>;

/// Returns the signature of an algorithm of this plan's game
/// ([`gauntlet_core::arena::Arena::signature_of`]). It depends on the program alone, so it is
/// computed only if the cache lacks it.
pub(super) fn signature_of(plan: &Plan, algorithm: &str) -> Option<String> {
    let program = machine::program_identity();
    let Some(cache) = UserCache::open("signatures").filter(|_| !program.is_empty()) else {
        return plan.arena.signature_of(algorithm);
    };
    let name = format!("{} {algorithm}", plan.arena.name);
    let mut programs: ProgramSignatures = cache.read();
    if let Some(signature) = programs.get(&program).and_then(|signatures| signatures.get(&name)) {
        return signature.clone();
    }
    let signature = plan.arena.signature_of(algorithm);
    // Other processes may have added signatures meanwhile.
    programs = cache.read();
    if programs.len() >= MAX_PROGRAMS && !programs.contains_key(&program) {
        programs.clear();
    }
    programs.entry(program).or_default().insert(name, signature.clone());
    cache.write(&programs);
    signature
}
