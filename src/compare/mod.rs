//! Who is better, and how sure that is.
//!
//! - [`comparison`]: two players by one measure; [`answer`](mod@answer): that in words
//! - [`claims`]: what the experiment announced; [`published`]: what others say
//! - [`power`]: how many games it takes

pub mod answer;
pub mod claims;
pub mod comparison;
pub mod power;
pub mod published;
