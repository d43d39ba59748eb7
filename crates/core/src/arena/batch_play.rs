//! Plays the games of one player that answers about many games at once.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use super::batch::Batch;
use super::entry::EarlyGames;
use super::member::{MAX_FAILURES, Member, build};
use super::pace::Pace;
use crate::game::Game;
use crate::player::{BuildContext, Choice, NoMove};
use crate::record::BatchResult;

/// Interval at which finished games are passed on before their batch ends.
const PART_INTERVAL: Duration = Duration::from_secs(1);

/// Largest number of games in such a part. The moves of a game may take a kilobyte.
const MAX_PART_GAMES: usize = 256;

/// Batch in play: its games, its player and the open requests.
pub(super) struct BatchPlay<'a, G: Game> {
    member: &'a mut Member<G>,
    batch: Batch<'a, G>,
    batch_size: usize,
    context: &'a BuildContext,
    pace: Pace,
    /// Numbers of the games in each request that is not answered, oldest first.
    requests: VecDeque<Range<usize>>,
    /// Answers to the last request.
    answers: Vec<Result<Choice<G::Move>, NoMove>>,
    /// Why the player's program could not be started.
    failure: Option<String>,
}

impl<'a, G: Game> BatchPlay<'a, G> {
    pub(super) fn new(
        member: &'a mut Member<G>,
        batch: Batch<'a, G>,
        batch_size: usize,
        context: &'a BuildContext,
    ) -> BatchPlay<'a, G> {
        // A function of the host program expects whole batches.
        let pace = Pace::new(batch.max_games(), member.facts.host_batch.is_none());
        BatchPlay {
            member,
            batch,
            batch_size,
            context,
            pace,
            requests: VecDeque::with_capacity(2),
            answers: Vec::with_capacity(batch_size),
            failure: None,
        }
    }

    /// Plays all games. `on_early_games` receives finished games in parts, and the result contains
    /// the remaining ones.
    pub(super) fn play(mut self, mut on_early_games: Option<EarlyGames>) -> BatchResult {
        while self.play_request().is_continue() {
            if let Some(on_early_games) = &mut on_early_games
                && self.member.stopwatch.has_run_for(PART_INTERVAL)
            {
                while let Some((first, games)) = self.batch.take_leading(MAX_PART_GAMES) {
                    on_early_games(first, self.member.make_batch_result(games, self.batch_size));
                }
            }
        }
        if !self.requests.is_empty() {
            // Its program may still think about them.
            self.member.discard_player();
        }
        let BatchPlay { member, mut batch, batch_size, failure, .. } = self;
        let Some(on_early_games) = on_early_games else {
            // Finished games after an unfinished game are dropped with it.
            let games = batch.take_leading(usize::MAX).map_or_else(Vec::new, |(_, over)| over);
            return BatchResult { failure, ..member.make_batch_result(games, batch_size) };
        };
        while let Some((first, games)) = batch.take_any(MAX_PART_GAMES) {
            on_early_games(first, member.make_batch_result(games, batch_size));
        }
        BatchResult { failure, ..member.make_batch_result(Vec::new(), batch_size) }
    }

    /// Waits for the answer to a request, plays its moves and makes the next request. Meanwhile the
    /// program may think about another request. Breaks if there is nothing more to play.
    fn play_request(&mut self) -> ControlFlow<()> {
        self.rebuild_player()?;
        if self.context.stop.is_requested() {
            return ControlFlow::Break(());
        }
        if self.requests.is_empty() {
            for numbers in self.pace.divide() {
                self.ask(numbers);
            }
        }
        let Some(numbers) = self.requests.pop_front() else { return ControlFlow::Break(()) };
        let positions = self.batch.open_positions(numbers.clone());
        let game_numbers: Vec<usize> = positions.iter().map(|(number, _)| *number).collect();
        let Some(player) = self.member.player.as_mut().and_then(|player| player.abilities().remote()) else {
            return ControlFlow::Break(());
        };
        self.answers.clear();
        let result = player.answer_all(&positions, &mut self.answers);
        if !matches!(result, Err(NoMove::Interrupted)) {
            self.member.stopwatch.note_request(positions.len(), player.thinking_time());
        }
        let has_failed = match result {
            Ok(()) => self.play_answers(&game_numbers),
            Err(error) => {
                self.requests.clear();
                self.member.discard_player();
                match error {
                    NoMove::Forfeit(forfeit) => {
                        self.batch.forfeit_first(forfeit.fault, forfeit.reason.into());
                    }
                    NoMove::Interrupted => return ControlFlow::Break(()),
                    NoMove::CannotPlay(reason) => {
                        self.failure = Some(reason.into());
                        return ControlFlow::Break(());
                    }
                }
                true
            }
        };
        self.context.moves.set(self.member.slice_moves);
        let has_too_many_failures = has_failed && self.batch.count_failures() >= MAX_FAILURES;
        if self.member.is_given_up || has_too_many_failures && self.member.facts.command.is_some() {
            return ControlFlow::Break(());
        }
        self.pace.note_request(game_numbers.len());
        if self.pace.keeps_halves() && self.member.player.is_some() {
            self.ask(numbers);
        }
        ControlFlow::Continue(())
    }

    /// Rebuilds the player after a failure; then its open games restart.
    fn rebuild_player(&mut self) -> ControlFlow<()> {
        if self.member.player.is_some() {
            return ControlFlow::Continue(());
        }
        let Ok(mut player) = build(&*self.member.recipe, self.context) else {
            return ControlFlow::Break(());
        };
        let Some(remote) = player.abilities().remote() else { return ControlFlow::Break(()) };
        remote.batch_size(self.batch.rules());
        self.batch.restart_all(remote);
        self.member.player = Some(player);
        self.member.stopwatch.start_player();
        ControlFlow::Continue(())
    }

    /// Begins games with these numbers, and asks about all that are open.
    fn ask(&mut self, numbers: Range<usize>) {
        let Some(player) = self.member.remote() else { return };
        self.batch.fill(numbers.clone(), player);
        let positions = self.batch.open_positions(numbers.clone());
        if !positions.is_empty() {
            player.ask_all(&positions);
            self.requests.push_back(numbers);
        }
    }

    /// Plays the answers in these games. Returns true if a game ended by the player's fault.
    fn play_answers(&mut self, game_numbers: &[usize]) -> bool {
        let Some(player) = self.member.player.as_mut().and_then(|player| player.abilities().remote()) else {
            return false;
        };
        let mut has_failed = false;
        for (&number, answer) in game_numbers.iter().zip(self.answers.drain(..)) {
            if let Ok(choice) = &answer {
                self.member.stopwatch.note_choice(choice);
            }
            let is_made = self.batch.play(number, answer, player);
            self.member.slice_moves += u64::from(is_made);
            has_failed |= !is_made;
        }
        has_failed
    }
}
