//! One game of one player.

use std::sync::Arc;

use anyhow::anyhow;
use serde_json::{Value, json};

use super::guard::guarded;
use super::stopwatch::Stopwatch;
use super::{AnySeated, Seated, Step, Worker};
use crate::game::{Game, MAX_FACTS, Outcome};
use crate::player::{Kit, NoMove, Player, Recipe, Thought};
use crate::record::{Ending, GameRecord, Slice};
use crate::rng::Seed;

/// Of so many games of pure chance one is played move by move, so that thinking can be timed: it costs 1 % of all.
const TIMED_ONE_IN: usize = 1024;

/// The tiles of a block: the same for whoever plays it.
fn world_of(block: u64) -> Seed {
    Seed::root(block).child("world", 0)
}

/// The private stream of the only player: leg 0, seat 0.
fn seat_of(block: u64) -> Seed {
    Seed::root(block).child("seat", 0)
}

impl<G: Game> AnySeated for Seated<G> {
    fn is_reproducible(&self) -> bool {
        self.recipe.is_reproducible()
    }

    fn worker(&self, max_moves: Option<u32>) -> anyhow::Result<Worker> {
        let mut solo = Solo {
            recipe: self.recipe.clone(),
            rules: self.rules.clone(),
            max_moves: max_moves.unwrap_or(u32::MAX),
            player: Some(build(&*self.recipe)?),
            watch: Stopwatch::new(),
        };
        Ok(Box::new(move |blocks| solo.play_all(blocks)))
    }

    fn replay(
        &self,
        max_moves: Option<u32>,
        block: u64,
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<(GameRecord, Option<String>)> {
        let mut player = build(&*self.recipe)?;
        let show = |position: &G, thought: Option<Thought<G::Move>>| {
            show(&Step {
                moves: position.moves_played(),
                mv: thought.map(|thought| thought.mv.to_string()).as_deref(),
                depth: thought.and_then(|thought| thought.depth),
                score: score_of(position),
                position: &position.to_string(),
            });
        };
        let max_moves = max_moves.unwrap_or(u32::MAX);
        let mut watch = Stopwatch::new();
        let played = guarded(|| play(&mut *player, &self.rules, max_moves, block, &mut watch, show));
        Ok(played.unwrap_or_else(|said| (BROKEN, Some(said))))
    }

    fn ponder(&self, board: &str, score: Option<u64>, seed: u64) -> anyhow::Result<Value> {
        let position = G::set_up(&self.rules, board, score).map_err(anyhow::Error::msg)?;
        let mut player = build(&*self.recipe)?;
        let none = |why: &str, said: &str| json!({ "move": null, "value": null, "nodes": 0, "depth": null, why: said });
        let answer = guarded(|| {
            player.begin(seat_of(seed));
            let mut answer = match player.choose(&position) {
                Ok(Thought { mv, value, nodes, depth }) => {
                    json!({ "move": mv.to_string(), "value": value, "nodes": nodes, "depth": depth })
                }
                Err(NoMove::Forfeit(why)) => none("gave_up", &why),
                Err(NoMove::Interrupted) => none("gave_up", "interrupted"),
            };
            for (name, count) in player.counters() {
                answer[name] = count.into();
            }
            answer
        });
        Ok(answer.unwrap_or_else(|said| none("panic", &said)))
    }
}

/// Builds a player. That its program breaks already here is a failure of the whole run: it has no game yet.
fn build<G: Game>(recipe: &dyn Recipe<G>) -> anyhow::Result<Box<dyn Player<G>>> {
    guarded(|| recipe.build(&Kit::default()))
        .map_err(|said| anyhow!("its program broke while it was built: {said}"))?
}

/// The record of a game that broke its player's program.
const BROKEN: GameRecord =
    GameRecord { score: 0, facts: [0; MAX_FACTS], moves: 0, won: false, ending: Ending::Panic };

/// A player alone with its game, and the watch beside them.
struct Solo<G: Game> {
    recipe: Arc<dyn Recipe<G>>,
    rules: Arc<G::Rules>,
    max_moves: u32,
    /// Gone after it broke, until the next game.
    player: Option<Box<dyn Player<G>>>,
    watch: Stopwatch,
}

impl<G: Game> Solo<G> {
    fn play_all(&mut self, blocks: &[u64]) -> Slice {
        self.watch.start_slice();
        let mut slice = Slice { records: Vec::with_capacity(blocks.len()), ..Slice::default() };
        let mut one_by_one = blocks.len();
        let mut at_once = None;
        if self.recipe.is_pure_chance() && self.max_moves == u32::MAX {
            let timed = blocks.len().div_ceil(TIMED_ONE_IN);
            let seeds: Vec<_> =
                blocks[timed..].iter().map(|&block| (world_of(block), seat_of(block))).collect();
            // Should this break, the games are played one by one, and the ones to blame are found.
            at_once = guarded(|| G::random_games(&self.rules, &seeds)).unwrap_or(None);
            if at_once.is_some() {
                one_by_one = timed;
            }
        }
        for &block in &blocks[..one_by_one] {
            let (record, complaint) = self.play_one(block);
            slice.complaints.extend(complaint.map(|complaint| (slice.records.len(), complaint)));
            slice.records.push(record);
        }
        let at_once = at_once.into_iter().flatten();
        slice.records.extend(at_once.map(|position| record_of(&position, ending_of(&position))));
        let moves = slice.records.iter().map(|record| u64::from(record.moves)).sum();
        slice.times = self.watch.finish_slice(moves);
        slice
    }

    fn play_one(&mut self, block: u64) -> (GameRecord, Option<String>) {
        // A player that panics may be left in any state: it is thrown away and built anew.
        let mut player = match self.player.take().map_or_else(|| build(&*self.recipe), Ok) {
            Ok(player) => player,
            Err(error) => return (BROKEN, Some(format!("{error:#}"))),
        };
        let played = guarded(|| {
            let played =
                play(&mut *player, &self.rules, self.max_moves, block, &mut self.watch, |_: &G, _| {});
            (player, played)
        });
        match played {
            Ok((player, played)) => {
                self.player = Some(player);
                played
            }
            Err(said) => (BROKEN, Some(said)),
        }
    }
}

/// Plays one game and says what the player gave as its reason, if it was the one to end it.
fn play<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    max_moves: u32,
    block: u64,
    watch: &mut Stopwatch,
    mut show: impl FnMut(&G, Option<Thought<G::Move>>),
) -> (GameRecord, Option<String>) {
    let mut world = world_of(block).rng();
    let mut position = G::start(rules, &mut world);
    player.begin(seat_of(block));
    watch.start_game();
    show(&position, None);
    while position.to_move().is_some() {
        if position.moves_played() >= max_moves {
            return (record_of(&position, Ending::MaxMoves), None);
        }
        let thought = match watch.time(|| player.choose(&position)) {
            Ok(thought) => thought,
            Err(NoMove::Forfeit(why)) => return (record_of(&position, Ending::GaveUp), Some(why.into())),
            Err(NoMove::Interrupted) => unreachable!("nothing asks to stop yet"),
        };
        watch.note_depth(thought.depth);
        if position.play(thought.mv, &mut world).is_err() {
            return (record_of(&position, Ending::IllegalMove), Some(format!("chose {}", thought.mv)));
        }
        show(&position, Some(thought));
    }
    (record_of(&position, ending_of(&position)), None)
}

fn ending_of<G: Game>(over: &G) -> Ending {
    if over.is_cut_short() { Ending::Until } else { Ending::GameOver }
}

fn record_of<G: Game>(position: &G, ending: Ending) -> GameRecord {
    let Outcome::Points { score, won } = position.outcome();
    GameRecord { score, facts: position.facts(), moves: position.moves_played(), won, ending }
}

fn score_of<G: Game>(position: &G) -> u64 {
    let Outcome::Points { score, .. } = position.outcome();
    score
}
