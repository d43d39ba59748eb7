//! Plays the games of one line-up on one thread: each block once, or in a duel twice, with each
//! player moving first.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::anyhow;

use super::audience::{MoveRecorder, Observer, ReplayStep, StepObserver};
use super::batch::{Batch, FinishedGame};
use super::entrant::{EarlyGames, Entry, ReplayRequest};
use super::guard::catch_panic;
use super::stopwatch::Stopwatch;
use crate::game::{Block, Game, Outcome, Seat, Shape};
use crate::player::{BuildContext, NoMove, Player, Recipe, RecipeFacts, RemotePlayer, Start};
use crate::record::{BatchResult, ClockReadings, Complaint, Ending, Fault, GameRecord};

/// Player and rules, before the player is built.
pub(super) struct TypedPlayer<G: Game> {
    pub(super) recipe: Arc<dyn Recipe<G>>,
    pub(super) rules: Arc<G::Rules>,
    pub(super) failures: Failures,
}

/// Built players of a line-up, and what their games need.
pub(super) struct Contest<G: Game> {
    members: Vec<Member<G>>,
    rules: Arc<G::Rules>,
    max_moves: u32,
    kit: BuildContext,
}

/// Interval at which finished games are passed on before their batch ends.
const PART: Duration = Duration::from_secs(1);

/// Largest number of games in such a part. The moves of a game may take a kilobyte.
const PART_GAMES: usize = 256;

/// Number of consecutive failed games after which a program is given up.
pub const MOST_FAILURES: u32 = 10;

/// Counter of a player's consecutive failed games, across all threads and opponents.
pub(super) type Failures = Arc<AtomicU32>;

/// Player of the line-up, with its stopwatch.
struct Member<G: Game> {
    recipe: Arc<dyn Recipe<G>>,
    facts: RecipeFacts,
    /// `None` after the player panicked, until the next game.
    player: Option<Box<dyn Player<G>>>,
    watch: Stopwatch,
    failures: Failures,
    /// Number of moves made in the slice.
    moves: u64,
    /// Positions searched in the current game.
    nodes: u64,
    /// True if the player failed in too many consecutive games.
    is_given_up: bool,
}

impl<G: Game> Member<G> {
    /// Records the time that the player used in other processes.
    fn note_elsewhere(&mut self) {
        if let Some(remote) = self.remote() {
            let taken = remote.cpu_time();
            self.watch.note_elsewhere(taken);
        }
    }

    /// Returns the player, if it computes in another process.
    fn remote(&mut self) -> Option<&mut dyn RemotePlayer<G>> {
        self.player.as_mut()?.abilities().remote()
    }

    /// Records whether a game ended by the player's fault. Returns true if the player has failed
    /// too many consecutive games and will not be asked again. Built-in players are always asked
    /// again.
    fn note_failure(&mut self, is_at_fault: bool) -> bool {
        if self.facts.command.is_none() {
            return false;
        }
        if !is_at_fault {
            self.failures.store(0, Ordering::Relaxed);
        }
        is_at_fault && self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_FAILURES
    }

    /// Returns the times since the slice began.
    fn times(&mut self) -> ClockReadings {
        self.note_elsewhere();
        let moves = std::mem::take(&mut self.moves);
        self.watch.finish_slice(moves, false)
    }

    /// Makes a slice of finished games, with the times since the last slice.
    fn make_slice(&mut self, games: Vec<FinishedGame>, most: usize) -> BatchResult {
        let mut slice = BatchResult { batch: most as u64, ..BatchResult::default() };
        for (place, over) in games.into_iter().enumerate() {
            self.is_given_up |= self.note_failure(over.complaint.is_some());
            slice.complaints.extend(over.complaint.map(|complaint| (place, complaint)));
            slice.moves.extend(over.kept);
            slice.nodes.push(over.nodes);
            slice.records.push(over.record);
        }
        if slice.nodes.iter().all(|&nodes| nodes == 0) {
            slice.nodes.clear();
        }
        slice.given_up = self.is_given_up.then_some(0);
        slice.times = vec![self.times()];
        self.watch.start_slice();
        slice
    }

    /// Discards the player, so that it is rebuilt for the next game.
    fn throw_away(&mut self) {
        self.note_elsewhere();
        self.player = None;
    }
}

/// Result of a game.
enum PlayResult {
    /// The game has a record, and if a player was at fault, a complaint.
    Over(GameRecord, Option<Complaint>),
    /// The run was asked to stop before the game ended.
    Dropped,
    /// A program could not be started, for this reason.
    Failed(String),
}

/// Builds a player. A panic here is returned as an error, because there is no game yet.
pub(super) fn build<G: Game>(
    recipe: &dyn Recipe<G>,
    kit: &BuildContext,
) -> anyhow::Result<Box<dyn Player<G>>> {
    catch_panic(|| recipe.build(kit)).map_err(|said| anyhow!("the player failed to start: {said}"))?
}

impl<G: Game> Contest<G> {
    /// Builds the players of a line-up for these rules. `max_moves` ends a game early.
    pub(super) fn new(
        rules: Arc<G::Rules>,
        lineup: &[&Entry],
        max_moves: Option<u32>,
        kit: &BuildContext,
    ) -> anyhow::Result<Contest<G>> {
        assert_eq!(lineup.len(), G::INFO.shape.players(), "a line-up has a player for each seat");
        let mut kit = kit.clone();
        if let Some(seconds) = kit.max_seconds {
            kit.stop = kit.stop.with_time_limit(seconds);
        }
        let member = |entrant: &&Entry| {
            let player: &dyn Any = &*entrant.player;
            let player = player.downcast_ref::<TypedPlayer<G>>().expect("players of one game");
            let (recipe, failures) = (player.recipe.clone(), player.failures.clone());
            let facts = recipe.facts(&rules);
            let watch = Stopwatch::new(facts.timed, kit.is_untimed);
            let player = Some(build(&*recipe, &kit)?);
            Ok(Member { recipe, facts, player, watch, failures, moves: 0, nodes: 0, is_given_up: false })
        };
        let members = lineup.iter().map(member).collect::<anyhow::Result<_>>()?;
        Ok(Contest { members, rules, max_moves: max_moves.unwrap_or(u32::MAX), kit })
    }

    /// Plays some blocks. If the player plays in batches, `early` receives finished games in parts,
    /// and the result contains the remaining ones.
    pub(super) fn play_all(&mut self, blocks: &[Block], early: Option<EarlyGames>) -> BatchResult {
        self.members.iter_mut().for_each(|member| member.watch.start_slice());
        let legs = G::INFO.shape.legs();
        let mut slice =
            BatchResult { records: Vec::with_capacity(legs * blocks.len()), ..BatchResult::default() };
        if let Some(games) = self.play_at_once(blocks) {
            slice.records.extend(games.iter().map(|position| GameRecord::without_fault(position.standing())));
            let moves = slice.records.iter().map(|record| u64::from(record.moves)).sum();
            slice.times =
                self.members.iter_mut().map(|member| member.watch.finish_slice(moves, true)).collect();
            return slice;
        }
        if let Some(batch) = self.batch_size() {
            return self.play_batch(blocks, batch, early);
        }
        let keeps_moves = self.members.iter().any(|member| member.facts.keeps_moves());
        'blocks: for &block in blocks {
            let before = slice.records.len();
            for leg in 0..legs {
                let played = if keeps_moves {
                    let mut kept = MoveRecorder::default();
                    let played = self.play(block, leg, &mut kept);
                    slice.moves.push(kept.0);
                    played
                } else {
                    self.play(block, leg, &mut ())
                };
                match played {
                    PlayResult::Over(record, complaint) => {
                        self.end_game(leg, &record, &mut slice);
                        slice.complaints.extend(complaint.map(|complaint| (slice.records.len(), complaint)));
                        slice.records.push(record);
                        slice.nodes.extend(self.members.iter().map(|member| member.nodes));
                    }
                    dropped => {
                        if let PlayResult::Failed(why) = dropped {
                            slice.failure = Some(why);
                        }
                        // Drop a block with missing legs.
                        slice.records.truncate(before);
                        slice.moves.truncate(before);
                        slice.complaints.retain(|(place, _)| *place < before);
                        break 'blocks;
                    }
                }
            }
            if slice.given_up.is_some() {
                break;
            }
        }
        slice.times = self.members.iter_mut().map(Member::times).collect();
        // With two players, these counts would be the sum of both, game by game.
        slice.nodes.truncate(slice.records.len());
        if self.members.len() > 1 || slice.nodes.iter().all(|&nodes| nodes == 0) {
            slice.nodes.clear();
        }
        slice
    }

    /// Returns the maximum number of games that the only player wants to be asked about at once, if
    /// it plays in batches. A time limit applies to each game separately, so it rules this out.
    fn batch_size(&mut self) -> Option<usize> {
        let [member] = &mut self.members[..] else { return None };
        if self.kit.max_seconds.is_some() {
            return None;
        }
        let rules = &*self.rules;
        let asks_host = member.facts.host_batch.is_some();
        let batch = catch_panic(|| member.remote().map(|remote| remote.batch_size(rules))).ok().flatten();
        batch.filter(|&batch| batch > 1 || asks_host)
    }

    /// Plays some blocks, with up to `most` games at once.
    fn play_batch(&mut self, blocks: &[Block], most: usize, mut early: Option<EarlyGames>) -> BatchResult {
        let [member] = &mut self.members[..] else { unreachable!("a batch is of one player") };
        let rules = self.rules.clone();
        let mut batch = Batch::new(blocks, &*rules, most, self.max_moves, member.facts.keeps_moves());
        let mut failure = None;
        let mut answers = Vec::with_capacity(most);
        loop {
            if member.player.is_none() {
                match build(&*member.recipe, &self.kit) {
                    Ok(mut player) => {
                        let Some(remote) = player.abilities().remote() else { break };
                        remote.batch_size(&rules);
                        batch.restart_all(remote);
                        member.player = Some(player);
                        member.watch.start_player();
                    }
                    Err(_) => break,
                }
            }
            let player = member.player.as_mut().expect("just built");
            let Some(player) = player.abilities().remote() else { break };
            batch.fill(player);
            let asked = batch.open_positions();
            if asked.is_empty() || self.kit.stop.is_asked() {
                break;
            }
            answers.clear();
            let heard = member.watch.time_all(asked.len(), || {
                let heard = player.choose_all(&asked, &mut answers);
                (heard, player.thinking_time())
            });
            let numbers: Vec<usize> = asked.iter().map(|(number, _)| *number).collect();
            let mut has_failed = heard.is_err();
            if let Err(error) = heard {
                member.throw_away();
                match error {
                    NoMove::Forfeit(forfeit) => batch.forfeit_first(forfeit.fault, forfeit.why.into()),
                    NoMove::Interrupted => break,
                    NoMove::CannotStart(why) => {
                        failure = Some(why.into());
                        break;
                    }
                }
            } else {
                for (number, answer) in numbers.into_iter().zip(answers.drain(..)) {
                    if let Ok(thought) = &answer {
                        member.watch.note_choice(thought);
                    }
                    let is_made = batch.play(number, answer, player);
                    member.moves += u64::from(is_made);
                    has_failed |= !is_made;
                }
            }
            self.kit.moves.set(member.moves);
            let fails = has_failed && batch.count_failures() >= MOST_FAILURES;
            if member.is_given_up || fails && member.facts.command.is_some() {
                break;
            }
            if let Some(early) = &mut early
                && member.watch.has_run_for(PART)
            {
                while let Some((first, over)) = batch.take_leading(PART_GAMES) {
                    early(first, member.make_slice(over, most));
                }
            }
        }
        let Some(early) = early else {
            // Finished games after an unfinished game are dropped with it.
            let over = batch.take_leading(usize::MAX).map_or_else(Vec::new, |(_, over)| over);
            return BatchResult { failure, ..member.make_slice(over, most) };
        };
        while let Some((first, over)) = batch.take_any(PART_GAMES) {
            early(first, member.make_slice(over, most));
        }
        BatchResult { failure, ..member.make_slice(Vec::new(), most) }
    }

    /// Ends a game for the players, and records those that failed too many consecutive games.
    fn end_game(&mut self, leg: usize, record: &GameRecord, slice: &mut BatchResult) {
        for &seat in G::INFO.shape.seats() {
            let place = G::INFO.shape.member_at(leg, seat);
            let member = &mut self.members[place];
            if let Some(remote) = member.remote() {
                remote.end(0, record.outcome);
            }
            let is_at_fault = matches!(record.ending, Ending::Fault(at_fault, _) if at_fault == seat);
            if member.note_failure(is_at_fault) {
                slice.given_up = Some(place);
            }
        }
    }

    /// Plays all games at once, if the player has a way.
    fn play_at_once(&mut self, blocks: &[Block]) -> Option<Vec<G>> {
        let [member] = &mut self.members[..] else { return None };
        let is_limited = self.max_moves != u32::MAX || self.kit.max_seconds.is_some();
        if is_limited || self.kit.stop.is_asked() {
            return None;
        }
        if member.player.is_none() {
            // If it fails, the game that needs the player reports it.
            member.player = Some(build(&*member.recipe, &self.kit).ok()?);
            member.watch.start_player();
        }
        let player = member.player.as_mut()?;
        let mut seeds = blocks.iter().map(|&block| (block.world_seed(), block.seat_seed(0, Seat::First)));
        // If this panics, the games are played one by one to find the game that panics.
        catch_panic(|| player.play_games(&self.rules, &mut seeds)).unwrap_or_else(|_| {
            member.player = None;
            None
        })
    }

    /// Plays one leg of a block for an observer.
    fn play(&mut self, block: Block, leg: usize, audience: &mut impl Observer<G>) -> PlayResult {
        for &seat in G::INFO.shape.seats() {
            let member = &mut self.members[G::INFO.shape.member_at(leg, seat)];
            if member.player.is_none() {
                match build(&*member.recipe, &self.kit) {
                    Ok(player) => {
                        member.player = Some(player);
                        member.watch.start_player();
                    }
                    Err(error) => {
                        let complaint = Complaint { why: format!("{error:#}"), position: None };
                        return PlayResult::Over(GameRecord::from_panic(seat), Some(complaint));
                    }
                }
            }
        }
        let mut acting = Seat::First;
        let game = catch_panic(|| self.play_out(block, leg, &mut acting, audience));
        game.unwrap_or_else(|said| {
            // A player that panics may be in any state, so it is discarded and rebuilt.
            self.members[G::INFO.shape.member_at(leg, acting)].player = None;
            PlayResult::Over(GameRecord::from_panic(acting), Some(Complaint { why: said, position: None }))
        })
    }

    fn play_out(
        &mut self,
        block: Block,
        leg: usize,
        acting: &mut Seat,
        audience: &mut impl Observer<G>,
    ) -> PlayResult {
        let mut world = block.world_seed().rng();
        let mut position = G::open(&self.rules, block, &mut world);
        for &seat in G::INFO.shape.seats() {
            *acting = seat;
            let member = &mut self.members[G::INFO.shape.member_at(leg, seat)];
            let start = Start { seed: block.seat_seed(leg, seat), seat, rules: &*self.rules };
            member.player.as_mut().expect("just built").begin(&start);
            member.watch.start_game();
            member.nodes = 0;
        }
        // While a player computes in another process, this thread waits. The wait does not count as
        // time of its opponent.
        let has_waits =
            G::INFO.shape == Shape::Duel && self.members.iter().any(|member| member.watch.is_waiting());
        let mut waited = Duration::ZERO;
        self.kit.stop.start_game();
        audience.on_position(&position, None);
        let mut played = position.standing().moves;
        while let Some(seat) = position.to_move() {
            if played >= self.max_moves {
                return PlayResult::Over(GameRecord::new(position.standing(), Ending::MaxMoves), None);
            }
            if self.kit.stop.is_time_over() || self.kit.stop.is_asked() {
                return self.end_by_stop(&position);
            }
            *acting = seat;
            let Member { player, watch, moves, nodes, .. } =
                &mut self.members[G::INFO.shape.member_at(leg, seat)];
            let player = player.as_mut().expect("just built");
            if has_waits && !watch.is_waiting() {
                watch.leave_out(std::mem::take(&mut waited));
            }
            // Matched in place: moving the answer costs a fast player 15 % of its time.
            let answer = if has_waits && watch.is_waiting() {
                watch.time_waiting(&mut waited, || player.choose(&position))
            } else {
                watch.time(|| player.choose(&position))
            };
            let thought = match &answer {
                Ok(thought) => thought,
                Err(why) => return self.end_without_move(&position, (leg, seat), why),
            };
            watch.note_choice(thought);
            *nodes = nodes.saturating_add(thought.nodes);
            audience.on_choice(&mut **player, &position);
            if position.play(thought.mv, &mut world).is_err() {
                let why = format!("illegal move {}", thought.mv);
                // The answer may belong to an earlier game, so the program is restarted.
                if self.members[G::INFO.shape.member_at(leg, seat)].facts.command.is_some() {
                    self.members[G::INFO.shape.member_at(leg, seat)].throw_away();
                }
                return end_by_fault(&position, seat, Fault::IllegalMove, why);
            }
            *moves += 1;
            played += 1;
            self.kit.moves.set(u64::from(played));
            audience.on_position(&position, Some(*thought));
        }
        PlayResult::Over(GameRecord::without_fault(position.standing()), None)
    }

    /// Returns the result of a game in which the player in this seat made no move.
    #[cold]
    fn end_without_move(&mut self, position: &G, (leg, seat): (usize, Seat), why: &NoMove) -> PlayResult {
        let member = &mut self.members[G::INFO.shape.member_at(leg, seat)];
        match why {
            NoMove::Forfeit(forfeit) => {
                if forfeit.fault.is_fatal() {
                    member.throw_away();
                }
                end_by_fault(position, seat, forfeit.fault, forfeit.why.to_string())
            }
            NoMove::Interrupted => {
                // A player interrupted during a search may be in any state.
                member.throw_away();
                self.end_by_stop(position)
            }
            NoMove::CannotStart(why) => {
                member.throw_away();
                PlayResult::Failed(why.to_string())
            }
        }
    }

    /// Returns the result of a game that was stopped, by its time limit or with the run.
    fn end_by_stop(&self, position: &G) -> PlayResult {
        if self.kit.stop.is_time_over() {
            PlayResult::Over(GameRecord::new(position.standing(), Ending::MaxSeconds), None)
        } else {
            PlayResult::Dropped
        }
    }

    /// Replays a game and shows every step. Returns the record, and the reason of a player at
    /// fault.
    pub(super) fn replay(
        &mut self,
        ReplayRequest { block, leg, weighed }: ReplayRequest,
        show: &mut dyn FnMut(&ReplayStep),
    ) -> anyhow::Result<(GameRecord, Option<String>)> {
        let mut audience = StepObserver::new(show, weighed);
        match self.play(block, leg, &mut audience) {
            PlayResult::Over(record, complaint) => Ok((record, complaint.map(|complaint| complaint.why))),
            PlayResult::Dropped => Err(anyhow!("stopped before the end of the game")),
            PlayResult::Failed(why) => Err(anyhow!(why)),
        }
    }
}

/// Ends the game by the fault of the player in this seat. A duel is won by the other player.
fn end_by_fault<G: Game>(position: &G, seat: Seat, fault: Fault, why: String) -> PlayResult {
    let record = GameRecord::new(position.standing(), Ending::Fault(seat, fault));
    let outcome = match G::INFO.shape {
        Shape::Solo => record.outcome,
        Shape::Duel => Outcome::Won(seat.other()),
    };
    PlayResult::Over(GameRecord { outcome, ..record }, Some(Complaint::new(fault, why, position)))
}
