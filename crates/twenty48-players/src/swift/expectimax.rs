//! Expectimax to a fixed depth, from the author of 2048 in SwiftUI: the mean over all possible
//! tiles on all cells and the best of all slides, without pruning.
//!
//! Source: BestKora/Game2048ChatGPT `109bfd1` and the articles around it (see the module above).
//! The depth counts half-turns after the first slide: at 4 a leaf is after the third slide, at 5
//! after the tile that follows. A lost board has its ordinary evaluation: losing as such is not
//! penalized. Among equal values the first direction in the family's order wins. The article
//! searches 4 deep. The program searches nominally 4 deep ("sync") or 5 ("async"), but one less if
//! the current board has four empty cells or more.
//!
//! Deviations: the asynchronous original adds in an order that depends on which task ends first,
//! which affects only the last bits of a value; ours follows the synchronous one. Boards that are
//! reached in two ways are searched once, which changes no bit.
//!
//! CPU time, median of 21 passes over 381 boards of games that the program played at nominal depth
//! 2: nominal depth 5 takes 0.033 ms per move, 4 takes 0.008 ms, the article's 4 takes 0.028 ms.
//! The plain recursion takes 0.40, 0.09 and 0.47 ms. Over 300 of its own games, on a busy machine:
//! nominal depth 5 takes 0.044 ms, the article 0.041 ms.

use gauntlet_core::num::{BoundedInt, DepthLimit, Weight};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_twenty48::eval::Weights;
use gauntlet_twenty48::rules::{Board, Direction, Twenty48};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use super::evaluation::SwiftEvaluation;
use super::evaluation_settings::{self, EvaluationSettings};
use super::family::SwiftSource;
use super::line_evaluation::LineEvaluation;
use super::search::Search;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Expectimax of a SwiftUI program, with a fixed depth and without pruning.
algorithm = "swift-expectimax"
family = "repository"    # source of the defaults, or "article"
# half-turns after the first slide, 1 to 12; default 5, article 4
depth = 4
# one half-turn less if at least 4 cells are empty; article: false
adaptive = true
# or "repo-57"; article: "corner-27", "snake-linear-57", "article-final",
# "mc-simple"
evaluation = "repo-117"
# weight of an empty cell; default: as in `evaluation`
empty_weight = 11.7
# instead of an evaluation: weights of `gauntlet features`
# weights = { empty = 11.7, snake-power-bottom = 1 }
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "swift-expectimax"
family = "article"
depth = 2
"#,
    r#"algorithm = "swift-expectimax"
family = "article"
depth = 2
evaluation = "corner-27"
"#,
    r#"algorithm = "swift-expectimax"
depth = 1
evaluation = "snake-linear-57"
"#,
    r#"algorithm = "swift-expectimax"
depth = 1
evaluation = "mc-simple"
"#,
    r#"algorithm = "swift-expectimax"
depth = 1
weights = { empty = 270, merges = 700, monotonicity-power = -47, rank-power = -11, islands = -1 }
"#,
];

/// Settings of `swift-expectimax`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Source of the defaults of all other settings.
    pub family: SwiftSource,
    /// Number of half-turns after the first slide.
    pub depth: Option<DepthLimit<1, 12>>,
    /// True to search one half-turn less if four cells or more are empty.
    pub adaptive: Option<bool>,
    /// Named evaluation of a board.
    pub evaluation: Option<SwiftEvaluation>,
    /// Weight of the empty cells that replaces the evaluation's.
    pub empty_weight: Option<Weight>,
    /// Weighted features that replace a named evaluation.
    pub weights: Option<Weights>,
}

/// Effective settings, including all defaults. They are recorded in this form, so that an explicit
/// default makes the same player as an omitted one.
#[derive(Debug, Serialize)]
struct EffectiveSettings {
    #[serde(flatten)]
    settings: SearchSettings,
    #[serde(flatten)]
    evaluation: EvaluationSettings,
}

/// Settings of the search, apart from the evaluation.
#[derive(Debug, Serialize)]
struct SearchSettings {
    family: SwiftSource,
    depth: u32,
    adaptive: bool,
}

impl Config {
    fn effective_settings(&self) -> EffectiveSettings {
        let (depth, adaptive, default_evaluation) = match self.family {
            SwiftSource::Article => (4, false, SwiftEvaluation::ArticleFinal),
            SwiftSource::Repository => (5, true, SwiftEvaluation::Repo117),
        };
        let evaluation = match &self.weights {
            Some(weights) => EvaluationSettings::Features { weights: weights.clone() },
            None => {
                let evaluation = self.evaluation.unwrap_or(default_evaluation);
                let empty_weight = Some(self.empty_weight.unwrap_or(evaluation.empty_weight()));
                EvaluationSettings::Formula { evaluation, empty_weight }
            }
        };
        let settings = SearchSettings {
            family: self.family,
            depth: self.depth.map_or(depth, BoundedInt::get),
            adaptive: self.adaptive.unwrap_or(adaptive),
        };
        EffectiveSettings { settings, evaluation }
    }
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.effective_settings().serialize(serializer)
    }
}

impl Recipe<Twenty48> for Config {
    fn contradiction(&self) -> Option<(&'static str, String)> {
        evaluation_settings::contradiction(self.evaluation, self.empty_weight, self.weights.as_ref())
    }

    fn facts(&self, _: &gauntlet_twenty48::rules::Rules) -> RecipeFacts {
        let weights = self.weights.as_ref().map(Weights::proportions);
        let normal_form = weights.map(|weights| json!(Config { weights: Some(weights), ..self.clone() }));
        RecipeFacts { normal_form, ..RecipeFacts::default() }
    }

    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let EffectiveSettings { settings, evaluation } = self.effective_settings();
        Ok(evaluation_settings::build(&evaluation, (settings, context.stop.clone())))
    }
}

impl evaluation_settings::PlayerBuilder for (SearchSettings, Stop) {
    fn build_with(self, evaluation: impl LineEvaluation + 'static) -> Box<dyn Player<Twenty48>> {
        let (settings, stop) = self;
        Box::new(Expectimax { settings, search: Search::new(evaluation, stop) })
    }
}

struct Expectimax<E> {
    settings: SearchSettings,
    search: Search<E>,
}

impl<E: LineEvaluation> Player<Twenty48> for Expectimax<E> {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let board = position.board();
        let depth = self.depth_on(board);
        self.search.begin();
        let mut best: Option<(f64, Direction)> = None;
        for (direction, after) in board.slides(self.settings.family.order()) {
            let value = self.search.value(after, depth);
            if best.is_none_or(|(best_value, _)| value > best_value) {
                best = Some((value, direction));
            }
        }
        self.search.stop.check()?;
        let (value, mv) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        // `empty-log` is minus infinity on a full board, which no other term can outweigh.
        let value = Some(value).filter(|value| value.is_finite());
        Ok(Choice { value, nodes: self.search.nodes, depth: Some(depth), ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl<E: LineEvaluation> Inspect<Twenty48> for Expectimax<E> {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let board = position.board();
        let depth = self.depth_on(board);
        self.search.begin();
        let slides = board.slides(Direction::ALL);
        slides.map(|(direction, after)| (direction, self.search.value(after, depth))).collect()
    }
}

impl<E> Expectimax<E> {
    fn depth_on(&self, board: Board) -> u32 {
        self.settings.depth - u32::from(self.settings.adaptive && board.cells().count_empty() >= 4)
    }
}

#[cfg(test)]
mod tests;
