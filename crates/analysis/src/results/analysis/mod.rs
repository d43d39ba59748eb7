//! Analysis of results that were read back. Nothing is played.
//!
//! - [`contestants`]: players of several results; [`pairwise`]: comparisons of pairs of them;
//!   [`versus`]: comparisons as people read them; [`rank`]: a leaderboard; [`mod@front`]: the
//!   Pareto front; [`doubts`]: warnings about comparisons, and refused comparisons
//! - `standing`: players sorted by strength; `lead`: the headline about them; `summary`: headline,
//!   tests and cost, the few sentences that end a run
//! - [`order`]: players sorted by their values
//! - [`mod@requested`]: tables that are made on request
//! - [`mod@judge`]: re-evaluates verdicts without a journal
//! - [`mod@pick`]: selects a game to look at

pub mod contestants;
pub mod doubts;
pub mod front;
pub mod judge;
pub mod lead;
pub mod order;
pub mod pairwise;
pub mod pick;
pub mod rank;
pub mod requested;
pub mod standing;
pub mod summary;
pub mod versus;
