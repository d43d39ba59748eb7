//! Analysis: answers from results that were read back. Nothing is played for them.
//!
//! - [`contestants`]: the players of several results beside each other; [`pairwise`]: comparisons
//!   of pairs of them; [`versus`]: these as a person reads them; [`rank`]: a leaderboard;
//!   [`mod@front`]: the Pareto front; [`doubts`]: what gives reason to doubt comparisons, and what
//!   forbids them
//! - `standing`: players in the order of their strength; `lead`: the headline on them; `summary`:
//!   that with its tests and its price, in the few sentences that end a run
//! - [`order`]: players in the order of their own numbers
//! - [`mod@judge`]: the tables of verdicts made anew, without a journal
//! - [`mod@pick`]: one game of many to be looked at

pub mod contestants;
pub mod doubts;
pub mod front;
pub mod judge;
pub mod lead;
pub mod order;
pub mod pairwise;
pub mod pick;
pub mod rank;
pub mod standing;
pub mod summary;
pub mod versus;
