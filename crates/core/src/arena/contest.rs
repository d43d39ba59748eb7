//! Plays the games of one line-up on one thread: each block once, or in a duel twice, with each
//! player moving first.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use super::batch::Batch;
use super::entry::{EarlyGames, Entry, ReplayRequest};
use super::member::{MAX_FAILURES, Member, TypedPlayer, build};
use super::observer::{MoveRecorder, Observer, ReplayStep, StepObserver};
use super::panic_guard::catch_panic;
use crate::game::{Block, Game, Outcome, Seat, Shape};
use crate::player::{BuildContext, NoMove, Preparation, Start};
use crate::record::{BatchResult, Complaint, Ending, Fault, GameRecord};

/// Built players of a line-up, and what their games need.
pub(super) struct Contest<G: Game> {
    members: Vec<Member<G>>,
    rules: Arc<G::Rules>,
    max_moves: u32,
    context: BuildContext,
}

/// Interval at which finished games are passed on before their batch ends.
const PART_INTERVAL: Duration = Duration::from_secs(1);

/// Largest number of games in such a part. The moves of a game may take a kilobyte.
const MAX_PART_GAMES: usize = 256;

/// Result of a game.
enum PlayResult {
    /// The game has a record, and if a player was at fault, a complaint.
    Over(GameRecord, Option<Complaint>),
    /// The run was asked to stop before the game ended.
    Dropped,
    /// A player cannot play, for this reason ([`NoMove::CannotPlay`]).
    Failed(String),
}

impl<G: Game> Contest<G> {
    /// Builds the players of a line-up for these rules. `max_moves` ends a game early.
    pub(super) fn new(
        rules: Arc<G::Rules>,
        lineup: &[&Entry],
        max_moves: Option<u32>,
        context: &BuildContext,
    ) -> anyhow::Result<Contest<G>> {
        assert_eq!(lineup.len(), G::INFO.shape.players(), "a line-up has a player for each seat");
        let mut context = context.clone();
        if let Some(seconds) = context.max_seconds {
            context.stop = context.stop.with_time_limit(seconds);
        }
        context.preparation = Preparation::new(context.stop.clone());
        let member = |entry: &&Entry| {
            let player: &dyn Any = &*entry.player;
            let player = player.downcast_ref::<TypedPlayer<G>>().expect("players of one game");
            Member::new(player, &rules, &context)
        };
        let members = lineup.iter().map(member).collect::<anyhow::Result<_>>()?;
        Ok(Contest { members, rules, max_moves: max_moves.unwrap_or(u32::MAX), context })
    }

    /// Plays some blocks. If the player plays in batches, `on_early_games` receives finished games
    /// in parts, and the result contains the remaining ones.
    pub(super) fn play_all(&mut self, blocks: &[Block], on_early_games: Option<EarlyGames>) -> BatchResult {
        self.members.iter_mut().for_each(|member| member.stopwatch.start_slice());
        let legs = G::INFO.shape.legs();
        let mut slice =
            BatchResult { records: Vec::with_capacity(legs * blocks.len()), ..BatchResult::default() };
        if let Some(games) = self.play_at_once(blocks) {
            slice.records.extend(games.iter().map(|position| GameRecord::without_fault(position.state())));
            let moves = slice.records.iter().map(|record| u64::from(record.moves)).sum();
            slice.times =
                self.members.iter_mut().map(|member| member.stopwatch.finish_slice(moves, true)).collect();
            return slice;
        }
        if let Some(batch_size) = self.batch_size() {
            return self.play_batch(blocks, batch_size, on_early_games);
        }
        let keeps_moves = self.members.iter().any(|member| member.facts.keeps_moves());
        'blocks: for &block in blocks {
            let records_before = slice.records.len();
            for leg in 0..legs {
                let result = if keeps_moves {
                    let mut recorder = MoveRecorder::default();
                    let result = self.play(block, leg, &mut recorder);
                    slice.moves.push(recorder.0);
                    result
                } else {
                    self.play(block, leg, &mut ())
                };
                match result {
                    PlayResult::Over(record, complaint) => {
                        self.end_game(leg, &record, &mut slice);
                        slice.complaints.extend(complaint.map(|complaint| (slice.records.len(), complaint)));
                        slice.records.push(record);
                        if let [member] = &self.members[..] {
                            slice.nodes.push(member.nodes);
                        }
                    }
                    other => {
                        if let PlayResult::Failed(reason) = other {
                            slice.failure = Some(reason);
                        }
                        // Drop a block with missing legs.
                        slice.records.truncate(records_before);
                        slice.moves.truncate(records_before);
                        slice.complaints.retain(|(index, _)| *index < records_before);
                        break 'blocks;
                    }
                }
            }
            if slice.given_up_member.is_some() {
                break;
            }
        }
        slice.times = self.members.iter_mut().map(Member::take_times).collect();
        slice.nodes.truncate(slice.records.len());
        if slice.nodes.iter().all(|&nodes| nodes == 0) {
            slice.nodes.clear();
        }
        slice
    }

    /// Returns the maximum number of games that the only player wants to be asked about at once, if
    /// it plays in batches. A time limit applies to each game separately, so it rules this out.
    fn batch_size(&mut self) -> Option<usize> {
        let [member] = &mut self.members[..] else { return None };
        if self.context.max_seconds.is_some() {
            return None;
        }
        let rules = &*self.rules;
        let asks_host = member.facts.host_batch.is_some();
        let batch_size =
            catch_panic(|| member.remote().map(|remote| remote.batch_size(rules))).ok().flatten();
        batch_size.filter(|&batch_size| batch_size > 1 || asks_host)
    }

    /// Plays some blocks, with up to `batch_size` games at once.
    fn play_batch(
        &mut self,
        blocks: &[Block],
        batch_size: usize,
        mut on_early_games: Option<EarlyGames>,
    ) -> BatchResult {
        let [member] = &mut self.members[..] else { unreachable!("a batch is of one player") };
        let rules = self.rules.clone();
        let mut batch = Batch::new(blocks, &*rules, batch_size, self.max_moves, member.facts.keeps_moves());
        let mut failure = None;
        let mut answers = Vec::with_capacity(batch_size);
        loop {
            if member.player.is_none() {
                match build(&*member.recipe, &self.context) {
                    Ok(mut player) => {
                        let Some(remote) = player.abilities().remote() else { break };
                        remote.batch_size(&rules);
                        batch.restart_all(remote);
                        member.player = Some(player);
                        member.stopwatch.start_player();
                    }
                    Err(_) => break,
                }
            }
            let player = member.player.as_mut().expect("just built");
            let Some(player) = player.abilities().remote() else { break };
            batch.fill(player);
            let open_positions = batch.open_positions();
            if open_positions.is_empty() || self.context.stop.is_requested() {
                break;
            }
            answers.clear();
            let result = member.stopwatch.time_all(open_positions.len(), || {
                let result = player.choose_all(&open_positions, &mut answers);
                (result, player.thinking_time())
            });
            let game_numbers: Vec<usize> = open_positions.iter().map(|(number, _)| *number).collect();
            let mut has_failed = result.is_err();
            if let Err(error) = result {
                member.discard_player();
                match error {
                    NoMove::Forfeit(forfeit) => batch.forfeit_first(forfeit.fault, forfeit.reason.into()),
                    NoMove::Interrupted => break,
                    NoMove::CannotPlay(reason) => {
                        failure = Some(reason.into());
                        break;
                    }
                }
            } else {
                for (number, answer) in game_numbers.into_iter().zip(answers.drain(..)) {
                    if let Ok(choice) = &answer {
                        member.stopwatch.note_choice(choice);
                    }
                    let is_made = batch.play(number, answer, player);
                    member.slice_moves += u64::from(is_made);
                    has_failed |= !is_made;
                }
            }
            self.context.moves.set(member.slice_moves);
            let has_too_many_failures = has_failed && batch.count_failures() >= MAX_FAILURES;
            if member.is_given_up || has_too_many_failures && member.facts.command.is_some() {
                break;
            }
            if let Some(on_early_games) = &mut on_early_games
                && member.stopwatch.has_run_for(PART_INTERVAL)
            {
                while let Some((first, games)) = batch.take_leading(MAX_PART_GAMES) {
                    on_early_games(first, member.make_batch_result(games, batch_size));
                }
            }
        }
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

    /// Ends a game for the players, and records those that failed too many consecutive games.
    fn end_game(&mut self, leg: usize, record: &GameRecord, slice: &mut BatchResult) {
        for &seat in G::INFO.shape.seats() {
            let member_index = G::INFO.shape.member_at(leg, seat);
            let member = &mut self.members[member_index];
            if let Some(remote) = member.remote() {
                remote.end(0, record.outcome);
            }
            let is_at_fault = matches!(record.ending, Ending::Fault(at_fault, _) if at_fault == seat);
            if member.note_failure(is_at_fault) {
                slice.given_up_member = Some(member_index);
            }
        }
    }

    /// Plays all games at once, if the player has a way.
    fn play_at_once(&mut self, blocks: &[Block]) -> Option<Vec<G>> {
        let [member] = &mut self.members[..] else { return None };
        let is_limited = self.max_moves != u32::MAX || self.context.max_seconds.is_some();
        if is_limited || self.context.stop.is_requested() {
            return None;
        }
        if member.player.is_none() {
            // If it fails, the game that needs the player reports it.
            member.player = Some(build(&*member.recipe, &self.context).ok()?);
            member.stopwatch.start_player();
        }
        let player = member.player.as_mut()?;
        let mut seeds = blocks.iter().map(|&block| (block.game_seed(), block.seat_seed(0, Seat::First)));
        // If this panics, the games are played one by one to find the game that panics.
        catch_panic(|| player.play_games(&self.rules, &mut seeds)).unwrap_or_else(|_| {
            member.player = None;
            None
        })
    }

    /// Plays one leg of a block for an observer.
    fn play(&mut self, block: Block, leg: usize, observer: &mut impl Observer<G>) -> PlayResult {
        for &seat in G::INFO.shape.seats() {
            let member = &mut self.members[G::INFO.shape.member_at(leg, seat)];
            if member.player.is_none() {
                match build(&*member.recipe, &self.context) {
                    Ok(player) => {
                        member.player = Some(player);
                        member.stopwatch.start_player();
                    }
                    Err(error) => {
                        let complaint = Complaint { reason: format!("{error:#}"), position: None };
                        return PlayResult::Over(GameRecord::from_panic(seat), Some(complaint));
                    }
                }
            }
        }
        let mut acting = Seat::First;
        let game = catch_panic(|| self.play_out(block, leg, &mut acting, observer));
        game.unwrap_or_else(|message| {
            // A player that panics may be in any state, so it is discarded and rebuilt.
            self.members[G::INFO.shape.member_at(leg, acting)].player = None;
            PlayResult::Over(
                GameRecord::from_panic(acting),
                Some(Complaint { reason: message, position: None }),
            )
        })
    }

    fn play_out(
        &mut self,
        block: Block,
        leg: usize,
        acting: &mut Seat,
        observer: &mut impl Observer<G>,
    ) -> PlayResult {
        let mut game_rng = block.game_seed().rng();
        let mut position = G::open(&self.rules, block, &mut game_rng);
        for &seat in G::INFO.shape.seats() {
            *acting = seat;
            let member = &mut self.members[G::INFO.shape.member_at(leg, seat)];
            let start = Start { seed: block.seat_seed(leg, seat), seat, rules: &*self.rules };
            member.player.as_mut().expect("just built").begin(&start);
            member.stopwatch.start_game();
            member.nodes = 0;
        }
        // While a player computes in another process, this thread waits. The wait does not count as
        // time of its opponent.
        let has_waits =
            G::INFO.shape == Shape::Duel && self.members.iter().any(|member| member.stopwatch.is_waiting());
        let mut waiting_time = Duration::ZERO;
        self.context.stop.start_game();
        observer.on_position(&position, None);
        let mut move_count = position.state().moves;
        while let Some(seat) = position.to_move() {
            if move_count >= self.max_moves {
                return PlayResult::Over(GameRecord::new(position.state(), Ending::MaxMoves), None);
            }
            if self.context.stop.is_time_over() || self.context.stop.is_requested() {
                return self.end_by_stop(&position);
            }
            *acting = seat;
            let Member { player, stopwatch: watch, slice_moves: moves, nodes, .. } =
                &mut self.members[G::INFO.shape.member_at(leg, seat)];
            let player = player.as_mut().expect("just built");
            if has_waits && !watch.is_waiting() {
                watch.exclude_time(std::mem::take(&mut waiting_time));
            }
            // Matched in place: moving the answer costs a fast player 15 % of its time.
            let answer = if has_waits && watch.is_waiting() {
                watch.time_waiting(&mut waiting_time, || player.choose(&position))
            } else {
                watch.time(|| player.choose(&position))
            };
            let choice = match &answer {
                Ok(choice) => choice,
                Err(no_move) => return self.end_without_move(&position, (leg, seat), no_move),
            };
            watch.note_choice(choice);
            *nodes = nodes.saturating_add(choice.nodes);
            observer.on_choice(&mut **player, &position);
            if position.play(choice.mv, &mut game_rng).is_err() {
                let reason = format!("illegal move {}", choice.mv);
                // The answer may belong to an earlier game, so the program is restarted.
                if self.members[G::INFO.shape.member_at(leg, seat)].facts.command.is_some() {
                    self.members[G::INFO.shape.member_at(leg, seat)].discard_player();
                }
                return end_by_fault(&position, seat, Fault::IllegalMove, reason);
            }
            *moves += 1;
            move_count += 1;
            self.context.moves.set(u64::from(move_count));
            observer.on_position(&position, Some(*choice));
        }
        PlayResult::Over(GameRecord::without_fault(position.state()), None)
    }

    /// Returns the result of a game in which the player in this seat made no move.
    #[cold]
    fn end_without_move(&mut self, position: &G, (leg, seat): (usize, Seat), no_move: &NoMove) -> PlayResult {
        let member = &mut self.members[G::INFO.shape.member_at(leg, seat)];
        match no_move {
            NoMove::Forfeit(forfeit) => {
                if forfeit.fault.is_fatal() {
                    member.discard_player();
                }
                end_by_fault(position, seat, forfeit.fault, forfeit.reason.to_string())
            }
            NoMove::Interrupted => {
                // A player interrupted during a search may be in any state.
                member.discard_player();
                self.end_by_stop(position)
            }
            NoMove::CannotPlay(reason) => {
                member.discard_player();
                PlayResult::Failed(reason.to_string())
            }
        }
    }

    /// Returns the result of a game that was stopped, by its time limit or with the run.
    fn end_by_stop(&self, position: &G) -> PlayResult {
        if self.context.stop.is_time_over() {
            PlayResult::Over(GameRecord::new(position.state(), Ending::MaxSeconds), None)
        } else {
            PlayResult::Dropped
        }
    }

    /// Replays a game and shows every step. Returns the record, and the reason of a player at
    /// fault.
    pub(super) fn replay(
        &mut self,
        ReplayRequest { block, leg, asks_values }: ReplayRequest,
        show: &mut dyn FnMut(&ReplayStep),
    ) -> anyhow::Result<(GameRecord, Option<String>)> {
        let mut observer = StepObserver::new(show, asks_values);
        match self.play(block, leg, &mut observer) {
            PlayResult::Over(record, complaint) => Ok((record, complaint.map(|complaint| complaint.reason))),
            PlayResult::Dropped => Err(anyhow!("stopped before the end of the game")),
            PlayResult::Failed(reason) => Err(anyhow!(reason)),
        }
    }
}

/// Ends the game by the fault of the player in this seat. A duel is won by the other player.
fn end_by_fault<G: Game>(position: &G, seat: Seat, fault: Fault, reason: String) -> PlayResult {
    let record = GameRecord::new(position.state(), Ending::Fault(seat, fault));
    let outcome = match G::INFO.shape {
        Shape::Solo => record.outcome,
        Shape::Duel => Outcome::Won(seat.other()),
    };
    PlayResult::Over(GameRecord { outcome, ..record }, Some(Complaint::new(fault, reason, position)))
}
