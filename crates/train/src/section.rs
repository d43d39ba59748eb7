//! `[train]`: the training of a player that learns, which `gauntlet train` reads.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::driver::{Context, DriverSection, RegisteredSection, SeedNumber};
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::learning::TrainingSettings;
use gauntlet_core::num::{BoundedInt, BoundedLong};
use gauntlet_core::settings::content::{KeyContent, ValueList};
use gauntlet_core::settings::section::{HeaderPosition, KeyDeclaration, declare, key_names};
use gauntlet_core::settings::tree::TomlTable;
use gauntlet_core::settings::{SettingsTable, UnknownKey, find_unknown_keys};
use gauntlet_core::text::format_count;
use serde_json::{Value as Json, json};

/// A training.
#[derive(Clone, Debug)]
pub struct TrainSection {
    /// Checked settings of the game.
    pub game_settings: Arc<dyn TrainingSettings>,
    /// Settings of the game with their defaults, as data.
    pub settings: Json,
    /// Length of the training.
    pub length: TrainingLength,
    /// Seed of the training games.
    pub seed: u64,
    /// Numbers of games after which it is tested, in ascending order, without the last test.
    pub test_at: Vec<u64>,
    /// Games of each test.
    pub test_games: u64,
}

/// The length of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingLength {
    /// Number of training games.
    Games(u64),
    /// Number of training moves. The game with the last move is played to its end.
    Moves(u64),
}

impl TrainingLength {
    /// Returns true if a training with this number of games and moves is finished.
    pub fn is_reached(self, games: u64, moves: u64) -> bool {
        let (done, total) = self.progress(games, moves);
        done >= total
    }

    /// Returns the amount done and the total, in the unit of the length.
    pub fn progress(self, games: u64, moves: u64) -> (u64, u64) {
        match self {
            TrainingLength::Games(total) => (games, total),
            TrainingLength::Moves(total) => (moves, total),
        }
    }

    /// Returns the total, in the unit of the length.
    pub fn total(self) -> u64 {
        match self {
            TrainingLength::Games(total) | TrainingLength::Moves(total) => total,
        }
    }

    /// Returns the unit of the length.
    pub fn unit(self) -> &'static str {
        match self {
            TrainingLength::Games(_) => "game",
            TrainingLength::Moves(_) => "move",
        }
    }
}

impl fmt::Display for TrainingLength {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&format_count(self.total(), self.unit()))
    }
}

/// The registered section.
pub const SECTION: RegisteredSection = RegisteredSection::new::<TrainAsWritten>();

impl TrainSection {
    /// Returns the `[train]` of an experiment, if it has one.
    pub fn from_experiment(experiment: &Experiment) -> Option<&TrainSection> {
        experiment.sections().driver_section()
    }

    /// Returns everything that determines what is learned after a number of games, and how it is
    /// tested.
    pub fn identity(&self) -> Json {
        let TrainSection { settings, seed, test_at, test_games, .. } = self;
        json!({ "settings": settings, "seed": seed, "test_at": test_at, "test_games": test_games })
    }
}

impl PartialEq for TrainSection {
    fn eq(&self, other: &TrainSection) -> bool {
        (self.length, self.identity()) == (other.length, other.identity())
    }
}

/// Largest number of training games.
const MAX_GAMES: u64 = 4_000_000_000;

/// Default number of games of a test.
const TEST_GAMES: u64 = 1000;

/// Number of training games.
type Games = BoundedInt<1, { MAX_GAMES as u32 }>;

/// Number of training moves.
type Moves = BoundedLong<1, MAX_MOVES>;

/// Largest number of training moves: years on one core.
const MAX_MOVES: u64 = 1_000_000_000_000_000;

declare! {
    /// A `[train]` as written.
    struct TrainAsWritten {
        /// Number of training games.
        key games: KeyContent<Games>, _, "required unless `moves` is set";
        /// Number of training moves, instead of `games`; the last game is completed.
        key moves: KeyContent<Moves>, _, "none";
        /// Seed of the training games.
        must seed: KeyContent<SeedNumber>, _;
        /// Numbers of training games after which the network is tested, in addition to the end.
        key test_at: KeyContent<ValueList<Games>>, "increasing list of whole numbers", "none";
        /// Number of games per test; all tests have the same seeds.
        key test_games: KeyContent<BoundedInt<2, 1_000_000>>, _, "`1000`";
    } rest { settings }
}

impl DriverSection for TrainAsWritten {
    const KEY: KeyDeclaration = KeyDeclaration {
        name: "train",
        kind: Cow::Borrowed("table, `[train]`"),
        default: "none",
        meaning: &["[Training](#training) of a network."],
    };

    type Checked = TrainSection;

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<TrainSection> {
        let TrainAsWritten { header, games, moves, seed, test_at, test_games, settings } = self;
        let Some(training) = context.arena.training else {
            let message = format!("{} has no trainable player", context.arena.name);
            mistakes.push(Diagnostic::new(header.0.clone(), message));
            return None;
        };
        let earlier_count = mistakes.len();
        if !games.is_written() && !moves.is_written() {
            mistakes.push(games.missing("games", "`games` or `moves` is required"));
        }
        if games.is_written() && moves.is_written() {
            mistakes.push(moves.mistake("conflicts with `games`: set only one of them"));
        }
        let game_settings =
            training.read(&SettingsTable { table: settings.clone(), header: header.0.clone() });
        let game_settings = game_settings
            .map_err(|game_mistakes| report_mistakes(game_mistakes, settings, header, mistakes))
            .ok();
        let entries = test_at.value().map_or(&[][..], |ValueList(all)| all);
        let numbers: Vec<u64> =
            entries.iter().filter_map(|entry| Some(entry.value()?.get().into())).collect();
        if !numbers.is_sorted_by(|one, next| one < next) {
            mistakes.push(test_at.mistake("must be in ascending order"));
        }
        if let Some((game_settings, _)) = &game_settings {
            for entry in entries.iter().chain([games]) {
                let result = entry.value().map(|games| game_settings.check_pause(games.get().into()));
                if let Some(Err(reason)) = result {
                    mistakes.push(entry.mistake(&reason));
                }
            }
        }
        let is_valid =
            mistakes.len() == earlier_count && entries.len() == numbers.len() && !test_games.is_mistaken();
        let (game_settings, settings) = game_settings.filter(|_| is_valid)?;
        Some(TrainSection {
            game_settings: game_settings.into(),
            settings,
            length: match games.value() {
                Some(games) => TrainingLength::Games(games.get().into()),
                None => TrainingLength::Moves(moves.value()?.get()),
            },
            seed: seed.value()?.get(),
            test_at: numbers,
            test_games: test_games.value().map_or(TEST_GAMES, |games| games.get().into()),
        })
    }
}

/// Reports mistakes in the game's keys. Also suggests keys of every training, which the game does
/// not know.
fn report_mistakes(
    game_mistakes: Vec<Diagnostic>,
    settings: &TomlTable,
    header: &HeaderPosition,
    mistakes: &mut Vec<Diagnostic>,
) {
    let unknown_keys = find_unknown_keys(settings, &key_names::<TrainAsWritten>());
    for mut mistake in game_mistakes {
        let unknown_key = unknown_keys.iter().find(|stray| stray.mistake.span == mistake.span);
        if let (None, Some(UnknownKey { suggestion: Some(suggestion), mistake: with_help, .. })) =
            (&mistake.help, unknown_key)
        {
            mistake.help.clone_from(&with_help.help);
            // `games` is missing only if `moves` is.
            let suggestion = if suggestion == "moves" { "games" } else { suggestion };
            mistakes
                .retain(|other| other.span.as_ref() != Some(&header.0) || !other.is_missing_key(suggestion));
        }
        mistakes.push(mistake);
    }
}
