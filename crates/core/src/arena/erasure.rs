//! Type erasure of games. Lower layers are compiled for one game; higher layers refer to games by
//! name.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::contest::Contest;
use super::descriptions::{
    AlgorithmManual, CheckedRules, ExportedGame, FeatureEntry, ImportedGame, ImportedPosition,
    PositionDetails,
};
use super::entry::{AnyGame, AnyPlayer, Entry, Replayer, StreamWorker};
use super::member::{Failures, TypedPlayer, build};
use super::observer::{ReplayStep, replay_moves};
use super::panic_guard::catch_panic;
use super::position::{InitialPosition, PositionInWords, describe_position};
use super::registry::GameDefinition;
use super::server::Server;
use super::stand_in::SharedMoves;
use super::validity::invalid_reason;
use crate::assets::AssetFiles;
use crate::diagnostic::Diagnostic;
use crate::game::{Block, Diagram, Game, GameTranscript, Opening, Rules, Seat};
use crate::player::{
    Algorithm, BuildContext, Choice, FileMistake, NoMove, PlayerServer, Recipe, RecipeIdentity, Start,
    TableMove,
};
use crate::record::GameRecord;
use crate::settings::section::KeyDeclaration;
use crate::settings::{self, SettingsTable};

impl Entry {
    /// Creates an entry for a player. A player that is in no table must have settings different
    /// from those of every other player of its algorithm.
    pub fn new<G: Game>(
        algorithm: &'static str,
        settings: Value,
        recipe: Arc<dyn Recipe<G>>,
        rules: G::Rules,
    ) -> Entry {
        let facts = recipe.facts(&rules);
        let player = TypedPlayer::<G> { recipe, rules: Arc::new(rules), failures: Failures::default() };
        let (files, player) = (Vec::new(), Arc::new(player));
        Entry { algorithm, settings, files, identity: None, facts, shape: G::INFO.shape, player }
    }
}

fn downcast_rules<G: Game>(rules: &CheckedRules) -> &G::Rules {
    rules.typed_rules.downcast_ref().expect("the rules of this game")
}

impl<G: Game> AnyGame for GameDefinition<G> {
    fn rule_keys(&self) -> &'static [&'static str] {
        settings::fields::<G::Rules>()
    }

    fn rules_manual(&self) -> &'static [KeyDeclaration] {
        <G::Rules as Rules>::MANUAL
    }

    fn features(&self) -> Vec<FeatureEntry> {
        (self.describe_features)()
    }

    fn read_rules(&self, table: &SettingsTable) -> (CheckedRules, Vec<Diagnostic>) {
        let (rules, mut mistakes) = match settings::read::<G::Rules>(table, "") {
            Ok(rules) => (rules, Vec::new()),
            Err(mistakes) => (G::Rules::default(), mistakes),
        };
        if let Some((key, message)) = rules.contradiction() {
            mistakes.push(table.blame(key, message));
        }
        let settings = serde_json::to_value(&rules).expect("rules are plain data");
        let limits = (0..G::INFO.facts.len()).map(|fact| rules.limit(fact)).collect();
        let (win, openings, typed_rules) = (rules.win(), rules.openings(), Arc::new(rules));
        (CheckedRules { settings, win, openings, limits, typed_rules }, mistakes)
    }

    fn manual(&self) -> Vec<AlgorithmManual> {
        let entry = |(package, algorithm): (_, &Algorithm<G>)| AlgorithmManual {
            name: algorithm.name,
            summary: algorithm.summary(),
            example: algorithm.example,
            more_examples: algorithm.more_examples,
            settings: (algorithm.settings)(),
            limits: algorithm.limits,
            package,
        };
        self.algorithms().map(entry).collect()
    }

    fn read_entry(
        &self,
        rules: &CheckedRules,
        algorithm: &str,
        table: &SettingsTable,
    ) -> Result<Entry, Vec<Diagnostic>> {
        let candidate = self.algorithms().find(|(_, candidate)| candidate.name == algorithm);
        let (_, algorithm) = candidate.ok_or_else(Vec::new)?;
        let configuration = (algorithm.read_settings)(algorithm, table)?;
        let (recipe, rules) = (configuration.recipe.into(), downcast_rules::<G>(rules).clone());
        Ok(Entry::new(algorithm.name, configuration.settings, recipe, rules))
    }

    fn opening(&self, rules: &CheckedRules, block: Block) -> Option<Opening> {
        downcast_rules::<G>(rules).opening(block)
    }

    fn stages(&self, rules: &CheckedRules) -> Vec<String> {
        downcast_rules::<G>(rules).stages()
    }

    fn count_stages_reached(&self, rules: &CheckedRules, record: &GameRecord) -> usize {
        downcast_rules::<G>(rules).count_stages_reached(record.outcome, &record.facts, record.moves)
    }

    fn position(
        &self,
        rules: &CheckedRules,
        setup: &InitialPosition,
        moves: &[String],
    ) -> Result<PositionInWords, String> {
        describe_position::<G>(downcast_rules::<G>(rules), setup, moves)
    }

    fn inspect_position(&self, rules: &CheckedRules, diagram: &Diagram) -> Result<PositionDetails, String> {
        let position = G::set_up(downcast_rules::<G>(rules), diagram)?;
        let mut moves = Vec::new();
        position.moves(&mut moves);
        Ok(PositionDetails {
            is_over: position.to_move().is_none() && moves.is_empty(),
            has_moves: !moves.is_empty(),
            moves: position.effects(),
            features: (self.compute_features)(&position),
        })
    }

    fn export_game(&self, rules: &CheckedRules, game: &ExportedGame) -> Option<String> {
        let &ExportedGame { block, title, moves, names, outcome } = game;
        let rules = downcast_rules::<G>(rules);
        let start = G::open(rules, block, &mut block.game_seed().rng());
        let moves: Option<Vec<G::Move>> = moves.iter().map(|mv| start.read_move(mv)).collect();
        G::export_game(rules, block, title, &moves?, names, outcome)
    }

    fn import_game(&self, text: &str, number: usize) -> Option<Result<ImportedGame, String>> {
        let import_position = |(mv, position): (Option<G::Move>, G)| ImportedPosition {
            mv: mv.map(|mv| mv.to_string()),
            outcome: position.state().outcome,
            position: position.to_string(),
        };
        let transcript = G::import_game(text, number)?;
        Some(transcript.map(|GameTranscript { names, positions }| ImportedGame {
            names,
            positions: positions.into_iter().map(import_position).collect(),
        }))
    }
}

impl<G: Game> AnyPlayer for TypedPlayer<G> {
    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        self.recipe.open(assets)
    }

    fn greeting(&self, context: &BuildContext) -> anyhow::Result<Option<String>> {
        let TypedPlayer { recipe, rules, .. } = self;
        let mut player = build(&**recipe, context)?;
        let greeting = catch_panic(|| player.abilities().remote().map(|remote| remote.greeting(rules)));
        match greeting.map_err(anyhow::Error::msg)? {
            None => Ok(None),
            Some(Ok(greeting)) => Ok(greeting),
            // A program that cannot start is data about the player; its games will show it.
            Some(Err(NoMove::Forfeit(_))) => Ok(None),
            Some(Err(NoMove::Interrupted)) => bail!("stopped before it was ready"),
            Some(Err(NoMove::CannotPlay(reason))) => bail!("{reason}"),
        }
    }

    fn share_moves(&self, stand_in: &Entry, stride: u32, own_moves: Arc<AtomicU64>) -> Arc<dyn AnyPlayer> {
        let player: &dyn Any = &*stand_in.player;
        let stand_in = player.downcast_ref::<TypedPlayer<G>>().expect("players of one game");
        let (player, stand_in) = (Arc::clone(&self.recipe), Arc::clone(&stand_in.recipe));
        Arc::new(TypedPlayer::<G> {
            recipe: Arc::new(SharedMoves { player, stand_in, stride, own_moves }),
            rules: Arc::clone(&self.rules),
            failures: Failures::default(),
        })
    }

    fn build_stream_worker(
        &self,
        lineup: &[&Entry],
        max_moves: Option<u32>,
        context: &BuildContext,
    ) -> anyhow::Result<StreamWorker> {
        let mut contest = Contest::<G>::new(self.rules.clone(), lineup, max_moves, context)?;
        Ok(Box::new(move |blocks, on_early_games| contest.play_all(blocks, on_early_games)))
    }

    fn build_replayer(
        &self,
        lineup: &[&Entry],
        max_moves: Option<u32>,
        context: &BuildContext,
    ) -> anyhow::Result<Replayer> {
        // Nobody asks for the times of these moves.
        let context = BuildContext { is_untimed: true, ..context.clone() };
        let mut contest = Contest::<G>::new(self.rules.clone(), lineup, max_moves, &context)?;
        Ok(Box::new(move |game, show| contest.replay(game, show)))
    }

    fn replay_moves(
        &self,
        block: Block,
        moves: &[&str],
        show: &mut dyn FnMut(&ReplayStep),
    ) -> anyhow::Result<()> {
        replay_moves::<G>(&self.rules, block, moves, show)
    }

    fn build_server(&self, name: &str, context: &BuildContext) -> Box<dyn PlayerServer> {
        let TypedPlayer { recipe, rules, .. } = self;
        let (recipe, rules, context) = (recipe.clone(), rules.clone(), context.clone());
        Box::new(Server { name: name.to_owned(), recipe, rules, context, players: BTreeMap::new() })
    }

    fn invalid_reason(&self, record: &GameRecord, max_moves: Option<u32>) -> Option<String> {
        invalid_reason::<G>(&self.rules, record, max_moves)
    }

    fn probe_position(&self, diagram: &Diagram, seed: u64, context: &BuildContext) -> anyhow::Result<Value> {
        let TypedPlayer { recipe, rules, .. } = self;
        probe_position(&**recipe, rules, diagram, seed, context)
    }
}

/// Asks a player, at the start of a game, for its move in a position.
fn probe_position<G: Game>(
    recipe: &dyn Recipe<G>,
    rules: &G::Rules,
    diagram: &Diagram,
    seed: u64,
    context: &BuildContext,
) -> anyhow::Result<Value> {
    let position = G::set_up(rules, diagram).map_err(anyhow::Error::msg)?;
    let mut player = build(recipe, context)?;
    let no_move_answer = |fault_name: &str, message: &str| json!({ "move": null, "value": null, "nodes": 0, "depth": null, fault_name: message });
    let answer = catch_panic(|| {
        let seat = position.to_move().unwrap_or(Seat::First);
        player.begin(&Start { seed: Block::from_seed(seed).seat_seed(0, seat), seat, rules });
        let choice = player.choose(&position);
        // Read the counters of this choice before its moves are valued, which may search again.
        let counters = player.abilities().counters();
        let mut answer = match choice {
            Ok(Choice { mv, value, nodes, depth, .. }) => {
                let mut answer =
                    json!({ "move": mv.to_string(), "value": value, "nodes": nodes, "depth": depth });
                if let Some(number) = position.move_number(mv) {
                    answer["cell"] = number.into();
                }
                if let Some(table) = player.abilities().table_move().map(TableMove::into_text) {
                    answer["table"] = table.name.into();
                    answer["probability"] = table.probability.into();
                    answer["search"] = table.search.into();
                }
                let values = player.abilities().move_values(&position);
                if context.stop.is_requested() {
                    return None;
                }
                if !values.is_empty() {
                    let values = values.into_iter().map(|(mv, value)| (mv.to_string(), value.into()));
                    answer["values"] = Value::Object(values.collect());
                }
                answer
            }
            Err(NoMove::Forfeit(forfeit)) => {
                no_move_answer(&forfeit.fault.name().replace('-', "_"), &forfeit.reason)
            }
            Err(NoMove::Interrupted) => return None,
            Err(NoMove::CannotPlay(reason)) => no_move_answer("cannot_play", &reason),
        };
        for (name, count) in counters {
            answer[name] = count;
        }
        Some(answer)
    });
    answer
        .unwrap_or_else(|message| Some(no_move_answer("panic", &message)))
        .context("stopped before the player answered")
}
