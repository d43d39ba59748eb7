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

/// Signatures by identity of the program and processor, and by game and algorithm.
type ProgramSignatures = BTreeMap<String, BTreeMap<String, Option<String>>>;

/// Returns the signature of an algorithm of this plan's game
/// ([`gauntlet_core::arena::Arena::signature_of`]). It depends on the program and, if vector code
/// has an error, on the processor. It is computed only if the cache lacks it.
pub(super) fn signature_of(plan: &Plan, algorithm: &str) -> Option<String> {
    let identity = machine::program_identity();
    let Some(cache) = UserCache::open("signatures").filter(|_| !identity.is_empty()) else {
        return plan.arena.signature_of(algorithm);
    };
    let program = format!("{identity} {}", machine::cpu_name());
    let name = format!("{} {algorithm}", plan.arena.name);
    let programs: ProgramSignatures = cache.read();
    if let Some(signature) = programs.get(&program).and_then(|signatures| signatures.get(&name)) {
        return signature.clone();
    }
    let signature = plan.arena.signature_of(algorithm);
    cache.update(|programs: &mut ProgramSignatures| {
        if programs.len() >= MAX_PROGRAMS && !programs.contains_key(&program) {
            programs.clear();
        }
        programs.entry(program).or_default().insert(name, signature.clone());
    });
    signature
}
