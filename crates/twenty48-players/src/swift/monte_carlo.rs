//! Random playouts for each direction, from the author of 2048 in SwiftUI: two players of one name.
//!
//! Source: BestKora/Game2048ChatGPT `109bfd1`, the constants of BestKora/Game2048ChatGPTStatistics
//! `4f8b6cb`, and the articles around them (see the module above).
//!
//! *The program.* Each legal direction has an equal number of playouts, which begin with its slide.
//! On a crowded board, with four empty cells or fewer, they continue to the end of the game, and a
//! playout is worth its points. On other boards they end after a fixed number of draws of a
//! direction, legal or not, and a playout is worth its points and a bonus for each empty cell. The
//! bonus far outweighs the points: the player seeks empty cells. The value is the mean, truncated
//! to a whole number.
//!
//! *The article.* All four directions have playouts of a fixed number of draws, and a playout is
//! worth the evaluation of its last board. No tile follows the first slide. A direction that moves
//! nothing is worth 0, so it is chosen if legal ones are worth less, as often with `mc-simple`.
//! Illegal draws count, so boards on which tiles do not merge look good, and the listing plays
//! worse than random moves. This is not an error of the port. Variants: `biased` draws legal
//! directions only; `early-stopping` ends a playout at the third illegal draw; `dynamic` takes two
//! playouts less for each empty cell, but at least one.
//!
//! Deviations: if the article chooses a direction that moves nothing, which in its game would
//! repeat for ever, the first legal one of its order is played, and the counter `illegal_choices`
//! of `gauntlet probe` counts it. Among equal values the program takes one by the order of a
//! dictionary, which differs from run to run: ours is the first legal one in its order. In that
//! dictionary directions that move nothing are worth 0. On a crowded board a legal one whose mean
//! is truncated to 0 is also worth 0. Among these the program might choose one that moves nothing;
//! ours never does. The asynchronous program has 150 playouts on crowded boards whatever their
//! number elsewhere; ours never has more there than elsewhere unless `crowded_simulations` sets it.
//! The article gives no numbers: 100 playouts of 10 draws are our choice. A mean is the sum in the
//! order of playouts, however the original divides them among its tasks.
//!
//! CPU time, over all moves of 300 games on a busy machine: the program's "async" takes 0.23 ms per
//! move, "sync" 0.17 ms; the article with 100 playouts of 10 draws takes 0.09 ms.

use std::ops::ControlFlow;

use gauntlet_core::num::{BoundedInt, CountLimit};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::eval::Weights;
use gauntlet_twenty48::rules::{Afterstate, Board, Direction, Twenty48, batch};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::evaluation::SwiftEvaluation;
use super::evaluation_settings::{self, EvaluationSettings};
use super::family::SwiftSource;
use super::line_evaluation::LineEvaluation;
use super::playout::{self, Draws};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Monte Carlo player of a SwiftUI program, with random playouts for each direction.
algorithm = "swift-monte-carlo"
family = "repository"         # two versions: "repository" or "article"
# "async": 180 playouts of 20 draws, 150 on crowded boards; "sync": 150 of 15
mode = "async"
# playouts per direction; default: as in `mode`; article: 100
simulations = 20
# playouts if at most 4 cells are empty; default: 150, at most `simulations`
crowded_simulations = 20
# draws of a direction per playout; article: 10; no limit on crowded boards
depth = 10
empty_weight = 16184          # points per empty cell after a playout
# article only: "plain", "biased", "early-stopping" or "dynamic"
# variant = "plain"
# article only: an evaluation of swift-expectimax; default "article-final"
# evaluation = "mc-simple"
# article only, instead of an evaluation: weights of `gauntlet features`
# weights = { empty = 2.7 }
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "swift-monte-carlo"
mode = "sync"
simulations = 5
"#,
    r#"algorithm = "swift-monte-carlo"
family = "article"
simulations = 5
evaluation = "corner-27"
"#,
    r#"algorithm = "swift-monte-carlo"
family = "article"
simulations = 5
variant = "biased"
"#,
    r#"algorithm = "swift-monte-carlo"
family = "article"
simulations = 5
variant = "early-stopping"
"#,
    r#"algorithm = "swift-monte-carlo"
family = "article"
variant = "dynamic"
simulations = 15
"#,
];

/// Settings of `swift-monte-carlo`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Source that the player follows.
    pub family: SwiftSource,
    /// Version of the program; only for the program.
    pub mode: Option<SwiftProgram>,
    /// Playouts per direction.
    pub simulations: Option<CountLimit<1, 1_000_000>>,
    /// Playouts per direction if four cells or fewer are empty; only for the program.
    pub crowded_simulations: Option<CountLimit<1, 1_000_000>>,
    /// Draws of a direction per playout.
    pub depth: Option<BoundedInt<1, 10_000>>,
    /// Points per empty cell; only for the program.
    pub empty_weight: Option<BoundedInt<0, 1_000_000_000>>,
    /// Version of the article; only for the article.
    pub variant: Option<PlayoutVariant>,
    /// Named evaluation of a board; only for the article.
    pub evaluation: Option<SwiftEvaluation>,
    /// Weighted features that replace a named evaluation; only for the article.
    pub weights: Option<Weights>,
}

/// Version of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwiftProgram {
    /// 150 playouts of 15 draws.
    Sync,
    /// 180 playouts of 20 draws, and 150 on crowded boards.
    #[default]
    Async,
}

/// Version of the article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayoutVariant {
    /// Draws any direction.
    #[default]
    Plain,
    /// Draws legal directions.
    Biased,
    /// Ends a playout at the third illegal draw.
    EarlyStopping,
    /// Plays fewer playouts the more cells are empty.
    Dynamic,
}

impl Recipe<Twenty48> for Config {
    fn contradiction(&self) -> Option<(&'static str, String)> {
        let foreign_keys = match self.family {
            SwiftSource::Article => [
                ("mode", self.mode.is_some()),
                ("crowded_simulations", self.crowded_simulations.is_some()),
                ("empty_weight", self.empty_weight.is_some()),
            ],
            SwiftSource::Repository => [
                ("variant", self.variant.is_some()),
                ("evaluation", self.evaluation.is_some()),
                ("weights", self.weights.is_some()),
            ],
        };
        if let Some((key, _)) = foreign_keys.into_iter().find(|(_, is_set)| *is_set) {
            return Some((key, format!("is not a setting of the {} family", self.family.name())));
        }
        evaluation_settings::contradiction(self.evaluation, None, self.weights.as_ref())
    }

    fn facts(&self, _: &gauntlet_twenty48::rules::Rules) -> RecipeFacts {
        let weights = self.weights.as_ref().map(Weights::proportions);
        let normal_form = weights.map(|weights| json!(Config { weights: Some(weights), ..self.clone() }));
        RecipeFacts { normal_form, ..RecipeFacts::default() }
    }

    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let stop = context.stop.clone();
        Ok(match self.effective_settings() {
            EffectiveSettings::Repository(program) => {
                Box::new(MonteCarlo::new(SwiftSource::Repository, program, stop))
            }
            EffectiveSettings::Article { article, evaluation } => {
                evaluation_settings::build(&evaluation, (article, stop))
            }
        })
    }
}

/// Effective settings, including all defaults. They are recorded in this form, so that an explicit
/// default makes the same player as an omitted one.
#[derive(Debug, Serialize)]
#[serde(tag = "family", rename_all = "kebab-case")]
enum EffectiveSettings {
    Repository(Program),
    Article {
        #[serde(flatten)]
        article: Article,
        #[serde(flatten)]
        evaluation: EvaluationSettings,
    },
}

impl Config {
    fn effective_settings(&self) -> EffectiveSettings {
        let simulations = self.simulations.map(BoundedInt::get);
        let depth = self.depth.map(BoundedInt::get);
        if self.family == SwiftSource::Repository {
            let mode = self.mode.unwrap_or_default();
            let (mode_simulations, default_crowded, draws) = match mode {
                SwiftProgram::Sync => (150, 150, 15),
                SwiftProgram::Async => (180, 150, 20),
            };
            let simulations = simulations.unwrap_or(mode_simulations);
            return EffectiveSettings::Repository(Program {
                mode,
                simulations,
                crowded_simulations: self
                    .crowded_simulations
                    .map_or(default_crowded.min(simulations), BoundedInt::get),
                depth: depth.unwrap_or(draws),
                empty_weight: self.empty_weight.map_or(16_184, BoundedInt::get),
            });
        }
        let article = Article {
            simulations: simulations.unwrap_or(100),
            depth: depth.unwrap_or(10),
            variant: self.variant.unwrap_or_default(),
        };
        let evaluation = match &self.weights {
            Some(weights) => EvaluationSettings::Features { weights: weights.clone() },
            None => {
                let evaluation = self.evaluation.unwrap_or(SwiftEvaluation::ArticleFinal);
                EvaluationSettings::Formula { evaluation, empty_weight: None }
            }
        };
        EffectiveSettings::Article { article, evaluation }
    }
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.effective_settings().serialize(serializer)
    }
}

impl evaluation_settings::PlayerBuilder for (Article, Stop) {
    fn build_with(self, evaluation: impl LineEvaluation + 'static) -> Box<dyn Player<Twenty48>> {
        let (article, stop) = self;
        Box::new(MonteCarlo::new(SwiftSource::Article, ArticleRater { article, evaluation }, stop))
    }
}

struct MonteCarlo<R> {
    order: [Direction; 4],
    rater: R,
    seed: Seed,
    /// Number of choices since the game began.
    choices: u64,
    /// True if the last choice was a direction that moves nothing.
    was_illegal: bool,
    /// Ratings of the last choice.
    ratings: [Option<Rating>; 4],
    stop: Stop,
}

impl<R> MonteCarlo<R> {
    fn new(family: SwiftSource, rater: R, stop: Stop) -> MonteCarlo<R> {
        MonteCarlo {
            order: family.order(),
            rater,
            seed: Seed::root(0),
            choices: 0,
            was_illegal: false,
            ratings: [None; 4],
            stop,
        }
    }
}

/// Method of rating directions.
trait Rater: Send {
    /// Rates each direction, in this order; those that cannot be chosen are left out. Playout n of
    /// all draws its tiles from the n-th child of the seed named "world", and its directions from
    /// that named "player". After a stop request the remaining playouts are skipped.
    fn rate(&self, board: Board, order: [Direction; 4], seed: Seed, stop: &Stop) -> [Option<Rating>; 4];
}

#[derive(Clone, Copy)]
struct Rating {
    direction: Direction,
    value: f64,
    is_legal: bool,
    /// Number of slides in all its playouts.
    slides: u64,
}

impl<R: Rater> Player<Twenty48> for MonteCarlo<R> {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.seed = start.seed;
        self.choices = 0;
        self.was_illegal = false;
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let seed = self.seed.child("choice", self.choices);
        self.choices += 1;
        let ratings = self.rater.rate(position.board(), self.order, seed, &self.stop);
        self.stop.check()?;
        self.ratings = ratings;
        let mut best: Option<Rating> = None;
        for rating in ratings.into_iter().flatten() {
            if best.is_none_or(|best| rating.value > best.value) {
                best = Some(rating);
            }
        }
        let mut legal = ratings.into_iter().flatten().filter(|rating| rating.is_legal);
        let first_legal = legal.next().ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let chosen = best.filter(|best| best.is_legal).unwrap_or(first_legal);
        self.was_illegal = best.is_some_and(|best| !best.is_legal);
        // `empty-log` is minus infinity on a full board, and then so is the mean, or NaN with
        // different signs.
        let value = Some(chosen.value).filter(|value| value.is_finite());
        let nodes = ratings.into_iter().flatten().map(|rating| rating.slides).sum();
        Ok(Choice { value, nodes, ..Choice::new(chosen.direction) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl<R: Rater> Inspect<Twenty48> for MonteCarlo<R> {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        vec![("illegal_choices", u64::from(self.was_illegal).into())]
    }

    fn move_values(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        let legal = self.ratings.into_iter().flatten().filter(|rating| rating.is_legal);
        legal.map(|rating| (rating.direction, rating.value)).collect()
    }
}

/// Player of the program.
#[derive(Debug, Serialize)]
struct Program {
    /// Source of unspecified numbers.
    mode: SwiftProgram,
    simulations: u32,
    crowded_simulations: u32,
    /// Draws of a direction per playout.
    depth: u32,
    empty_weight: u32,
}

impl Rater for Program {
    fn rate(&self, board: Board, order: [Direction; 4], seed: Seed, stop: &Stop) -> [Option<Rating>; 4] {
        // Step 1: the legal directions, and the gain of the first slide in each.
        let is_crowded = board.cells().count_empty() <= 4;
        let runs = u64::from(if is_crowded { self.crowded_simulations } else { self.simulations });
        let mut directions = [Direction::Up; 4];
        let mut starts = [Afterstate::default(); 4];
        let mut totals = [0; 4];
        let mut count = 0;
        for (direction, after) in board.slides(order) {
            (directions[count], starts[count], totals[count]) =
                (direction, after, runs * board.gain(direction));
            count += 1;
        }
        // Step 2: the playouts. Those without a limit are played in parallel, which makes the whole
        // player 1.6 times as fast in both modes.
        let mut slides = [0; 4];
        if is_crowded {
            batch::run_playouts(&starts[..count], runs as usize, seed, |n, playout| {
                totals[n / runs as usize] += playout.score;
                slides[n / runs as usize] += u64::from(playout.moves);
                if stop.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        } else {
            for (i, after) in starts.into_iter().enumerate().take(count) {
                for k in (0..runs).take_while(|_| !stop.is_requested()) {
                    let playout = playout::play_program_playout(after, self.depth, seed, runs * i as u64 + k);
                    totals[i] += playout.points + u64::from(self.empty_weight) * u64::from(playout.empty);
                    slides[i] += playout.slides;
                }
            }
        }
        // Step 3: the means, truncated to whole numbers.
        std::array::from_fn(|i| {
            let value = (totals[i] / runs) as f64;
            (i < count).then(|| Rating { direction: directions[i], value, is_legal: true, slides: slides[i] })
        })
    }
}

/// Player of the article, except for its evaluation.
#[derive(Debug, Serialize)]
struct Article {
    simulations: u32,
    depth: u32,
    variant: PlayoutVariant,
}

struct ArticleRater<E> {
    article: Article,
    evaluation: E,
}

impl<E: LineEvaluation> Rater for ArticleRater<E> {
    fn rate(&self, board: Board, order: [Direction; 4], seed: Seed, stop: &Stop) -> [Option<Rating>; 4] {
        let Article { simulations, depth, variant } = self.article;
        let (simulations, draws) = match variant {
            PlayoutVariant::Plain => (simulations, Draws::All),
            PlayoutVariant::Biased => (simulations, Draws::Legal),
            PlayoutVariant::EarlyStopping => (simulations, Draws::UntilThirdIllegal),
            PlayoutVariant::Dynamic => {
                (simulations.saturating_sub(2 * board.cells().count_empty()).max(1), Draws::All)
            }
        };
        std::array::from_fn(|i| {
            let direction = order[i];
            let Some(after) = board.slide(direction) else {
                // Playouts whose first slide moves nothing are worth 0, and here all are.
                return Some(Rating { direction, value: 0.0, is_legal: false, slides: 0 });
            };
            let (mut total, mut slides) = (0.0, 0);
            for k in (0..simulations).take_while(|_| !stop.is_requested()) {
                let n = u64::from(simulations) * i as u64 + u64::from(k);
                let (value, slide_count) =
                    playout::play_article_playout(&self.evaluation, after, depth, draws, seed, n);
                total += value;
                slides += slide_count;
            }
            Some(Rating { direction, value: total / f64::from(simulations), is_legal: true, slides })
        })
    }
}

#[cfg(test)]
mod tests;
