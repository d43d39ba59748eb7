//! A player of a line-up on one thread: built, timed, and given up after too many failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::anyhow;

use super::batch::FinishedGame;
use super::panic_guard::catch_panic;
use super::stopwatch::Stopwatch;
use crate::game::Game;
use crate::player::{BuildContext, Player, Recipe, RecipeFacts, RemotePlayer};
use crate::record::{BatchResult, ClockReadings};

/// Number of consecutive failed games after which a program is given up.
pub const MAX_FAILURES: u32 = 10;

/// Counter of a player's consecutive failed games, across all threads and opponents.
pub(super) type Failures = Arc<AtomicU32>;

/// Player and rules, before the player is built.
pub(super) struct TypedPlayer<G: Game> {
    pub(super) recipe: Arc<dyn Recipe<G>>,
    pub(super) rules: Arc<G::Rules>,
    pub(super) failures: Failures,
}

/// Player of the line-up, with its stopwatch.
pub(super) struct Member<G: Game> {
    pub(super) recipe: Arc<dyn Recipe<G>>,
    pub(super) facts: RecipeFacts,
    /// `None` after the player panicked, until the next game.
    pub(super) player: Option<Box<dyn Player<G>>>,
    pub(super) stopwatch: Stopwatch,
    failures: Failures,
    /// Number of moves made in the slice.
    pub(super) slice_moves: u64,
    /// Positions searched in the current game.
    pub(super) nodes: u64,
    /// True if the player failed in too many consecutive games.
    pub(super) is_given_up: bool,
}

impl<G: Game> Member<G> {
    /// Builds a player for these rules.
    pub(super) fn new(
        player: &TypedPlayer<G>,
        rules: &G::Rules,
        context: &BuildContext,
    ) -> anyhow::Result<Member<G>> {
        let (recipe, failures) = (Arc::clone(&player.recipe), Arc::clone(&player.failures));
        let facts = recipe.facts(rules);
        let stopwatch = Stopwatch::new(facts.time_source, context.is_untimed, context.preparation.clone());
        let player = Some(build(&*recipe, context)?);
        Ok(Member {
            recipe,
            facts,
            player,
            stopwatch,
            failures,
            slice_moves: 0,
            nodes: 0,
            is_given_up: false,
        })
    }

    /// Records the time that the player used in other processes.
    fn record_process_time(&mut self) {
        if let Some(remote) = self.remote() {
            let process_time = remote.cpu_time();
            self.stopwatch.record_process_time(process_time);
        }
    }

    /// Returns the player, if it computes in another process.
    pub(super) fn remote(&mut self) -> Option<&mut dyn RemotePlayer<G>> {
        self.player.as_mut()?.abilities().remote()
    }

    /// Records whether a game ended by the player's fault. Returns true if the player has failed
    /// too many consecutive games and will not be asked again. Built-in players are always asked
    /// again.
    pub(super) fn note_failure(&mut self, is_at_fault: bool) -> bool {
        if self.facts.command.is_none() {
            return false;
        }
        if !is_at_fault {
            self.failures.store(0, Ordering::Relaxed);
        }
        is_at_fault && self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES
    }

    /// Returns the times since the slice began.
    pub(super) fn take_times(&mut self) -> ClockReadings {
        self.record_process_time();
        let moves = std::mem::take(&mut self.slice_moves);
        self.stopwatch.finish_slice(moves, false)
    }

    /// Makes a slice of finished games, with the times since the last slice.
    pub(super) fn make_batch_result(&mut self, games: Vec<FinishedGame>, batch_size: usize) -> BatchResult {
        let mut batch_result = BatchResult { batch: batch_size as u64, ..BatchResult::default() };
        for (index, game) in games.into_iter().enumerate() {
            self.is_given_up |= self.note_failure(game.complaint.is_some());
            batch_result.complaints.extend(game.complaint.map(|complaint| (index, complaint)));
            batch_result.moves.extend(game.moves);
            batch_result.nodes.push(game.nodes);
            batch_result.records.push(game.record);
        }
        if batch_result.nodes.iter().all(|&nodes| nodes == 0) {
            batch_result.nodes.clear();
        }
        batch_result.given_up_member = self.is_given_up.then_some(0);
        batch_result.times = vec![self.take_times()];
        self.stopwatch.start_slice();
        batch_result
    }

    /// Discards the player, so that it is rebuilt for the next game.
    pub(super) fn discard_player(&mut self) {
        self.record_process_time();
        self.player = None;
    }
}

/// Builds a player. A panic here is returned as an error, because there is no game yet.
pub(super) fn build<G: Game>(
    recipe: &dyn Recipe<G>,
    context: &BuildContext,
) -> anyhow::Result<Box<dyn Player<G>>> {
    catch_panic(|| recipe.build(context))
        .map_err(|message| anyhow!("the player failed to start: {message}"))?
}
