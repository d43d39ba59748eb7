//! Players of a series of articles on 2048 in SwiftUI, and of the program that grew from them.
//!
//! Source: BestKora/Game2048ChatGPT `109bfd1` (5 November 2024; first version `1947611`), the
//! experiments with it in BestKora/Game2048ChatGPTStatistics `4f8b6cb`, and the articles, which are
//! a chat with successive versions of the program. The program differs from the articles, hence two
//! families. The vectors do not come from a Swift compiler: two transliterations generated them,
//! which agree and pass the author's unit tests.

pub mod expectimax;
pub mod greedy;
pub mod monte_carlo;

mod evaluation;
mod evaluation_settings;
mod family;
mod line_evaluation;
mod playout;
mod reference;
mod search;
mod table_evaluation;
#[cfg(test)]
mod vectors;

pub use evaluation::SwiftEvaluation;
pub use family::SwiftSource;
