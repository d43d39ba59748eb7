//! What is heard of a run, and the part of a picture that it makes.
//!
//! The threads of the run tell of each errand; of that only sums are kept, on as many sheets as there are cores, so that no thread waits
//! for another. What takes longer, as ratings, is made when the run tells its state, which it does only while someone looks on, and in
//! a small part of a core's time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::picture::{Finished, InPlay, Picture, Player, Progress, State, Stop, which};
use super::words;
use crate::game::Shape;
use crate::player::Sight;
use crate::record::{GameRecord, Slice, Times};
use crate::results::tables::{doubts, duels};
use crate::run::coverage::{Coverage, by_line};
use crate::run::keyed::Keyed;
use crate::run::machine;
use crate::run::screen::{LineUpState, Moment, clock, pace};
use crate::stats::Estimate;
use crate::tally::meeting::Meetings;
use crate::text::{duration, games, grouped};

/// The most games in play that are shown, those seen last.
const MOST_GAMES: usize = 32;

/// The number of games finished last that are shown.
pub(super) const FINISHED: usize = 8;

/// What is heard of a run.
pub(super) struct Heard {
    twins: Vec<usize>,
    sheets: Vec<Mutex<Sheet>>,
    /// Of a game of two. Threads add to it what stands on their sheets, unless another one is at it.
    meetings: Mutex<Meetings>,
    /// Number of errands heard of.
    heard: AtomicU64,
    looked: Mutex<Looked>,
}

/// What was heard of the games by some of the threads.
struct Sheet {
    /// Games of two that are not among the meetings yet: line-up, first block, games.
    waiting: Vec<(usize, u64, Vec<GameRecord>)>,
    /// Times of each player.
    times: Vec<Times>,
    /// Players whose time is not that of our processor.
    is_elsewhere: Vec<bool>,
    /// Games of each player that ended by its own fault, and how the first of them ended.
    faults: BTreeMap<usize, (u64, String)>,
    /// Games that broke their player's program.
    broken: u64,
    /// The last of them, each with the number of its errand.
    finished: VecDeque<(u64, Over)>,
}

/// What was seen at looks.
#[derive(Default)]
struct Looked {
    /// The last position that was seen of each line-up, and the number of the look.
    sights: BTreeMap<usize, (u64, Sight)>,
    looks: u64,
    /// A reason why games that were there are not counted.
    failure: Option<String>,
    /// The ratings of the last look, and how long they took.
    ratings: (Vec<Option<Estimate>>, Duration),
}

/// At the end of a run everything waits for the last look. Ratings that took longer than this at the look before are not made again.
const LAST_LOOK: Duration = Duration::from_millis(500);

/// The sheet of the thread that asks, among this number of sheets.
fn own_place(sheets: usize) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.with(|own| own % sheets)
}

impl Sheet {
    fn of(players: usize) -> Sheet {
        Sheet {
            waiting: Vec::new(),
            times: vec![Times::default(); players],
            is_elsewhere: vec![false; players],
            faults: BTreeMap::new(),
            broken: 0,
            finished: VecDeque::new(),
        }
    }

    /// Adds what stands on another one.
    fn add(&mut self, other: &Sheet) {
        self.times.iter_mut().zip(&other.times).for_each(|(own, more)| own.add_sums(more));
        self.is_elsewhere.iter_mut().zip(&other.is_elsewhere).for_each(|(own, more)| *own |= more);
        for (player, (number, why)) in &other.faults {
            self.faults.entry(*player).or_insert_with(|| (0, why.clone())).0 += number;
        }
        self.broken += other.broken;
        self.finished.extend(&other.finished);
    }
}

/// A game that is over.
#[derive(Clone, Copy)]
struct Over {
    lineup: usize,
    block: u64,
    leg: usize,
    record: GameRecord,
}

impl Heard {
    /// Nothing was heard yet of the run of a plan.
    pub(super) fn of(plan: &Keyed) -> Heard {
        Heard {
            twins: plan.twins(),
            sheets: (0..machine::cores()).map(|_| Mutex::new(Sheet::of(plan.players.len()))).collect(),
            meetings: Mutex::new(Meetings::of(plan)),
            heard: AtomicU64::new(0),
            looked: Mutex::default(),
        }
    }

    /// The run begins, with these games in its journal.
    pub(super) fn begins(&self, plan: &Keyed, coverage: &Coverage) {
        if is_duel(plan)
            && let Err(error) = self.read(plan, coverage, &mut lock(&self.meetings))
        {
            lock(&self.looked).failure = Some(format!("games of before are not counted here: {error:#}"));
        }
    }

    /// Some games of a line-up were played, of blocks that follow each other.
    pub(super) fn played(&self, plan: &Keyed, lineup: usize, first: u64, slice: &Slice) {
        let mut sheet = lock(&self.sheets[own_place(self.sheets.len())]);
        self.note(plan, &mut sheet, lineup, first, slice);
        if let Ok(mut meetings) = self.meetings.try_lock() {
            self.meet(plan, &mut sheet, &mut meetings);
        }
    }

    /// Positions of games in play, each with its line-up.
    pub(super) fn saw(&self, sights: &[(usize, Sight)]) {
        let mut looked = lock(&self.looked);
        looked.looks += 1;
        let look = looked.looks;
        looked.sights.extend(sights.iter().map(|(lineup, sight)| (*lineup, (look, sight.clone()))));
    }

    /// Takes games of two from a sheet.
    fn meet(&self, plan: &Keyed, sheet: &mut Sheet, meetings: &mut Meetings) {
        let legs = plan.legs() as usize;
        for (lineup, first, records) in sheet.waiting.drain(..) {
            for (block, pair) in (first..).zip(records.chunks(legs)) {
                if pair.len() == legs && pair.iter().all(|record| !record.ending.is_panic()) {
                    for same in self.same(lineup) {
                        meetings.add(plan, same, block, pair);
                    }
                }
            }
        }
    }

    /// Line-ups that have the same games as this one.
    fn same(&self, lineup: usize) -> impl Iterator<Item = usize> {
        self.twins.iter().enumerate().filter(move |(_, twin)| **twin == lineup).map(|(same, _)| same)
    }

    /// Reads the games of two that were there before.
    fn read(&self, plan: &Keyed, coverage: &Coverage, meetings: &mut Meetings) -> anyhow::Result<()> {
        for lineup in 0..plan.lineups.len() {
            for window in coverage.windows(lineup) {
                for (line, stretches) in by_line(window) {
                    let records = coverage.journal.read(line)?.records();
                    let records = records.ok_or_else(|| anyhow::anyhow!("a line contradicts itself"))?;
                    for stretch in stretches {
                        meetings.add(plan, lineup, stretch.first, stretch.of(&records, plan.legs())?);
                    }
                }
            }
        }
        Ok(())
    }

    fn note(&self, plan: &Keyed, seen: &mut Sheet, lineup: usize, first: u64, slice: &Slice) {
        let legs = plan.legs() as usize;
        if is_duel(plan) {
            seen.waiting.push((lineup, first, slice.records.clone()));
        }
        let members = plan.lineups[lineup].members();
        for (&player, times) in members.iter().zip(&slice.times) {
            seen.times[player].add_sums(times);
            seen.is_elsewhere[player] |= times.timed.is_elsewhere();
        }
        for (place, why) in &slice.complaints {
            let record = &slice.records[*place];
            if record.ending.is_panic() {
                seen.broken += 1;
            } else if let Some(seat) = record.ending.at_fault() {
                let player = members[plan.arena.shape.member_at(place % legs, seat)];
                seen.faults.entry(player).or_insert_with(|| (0, why.clone())).0 += 1;
            }
        }
        if let Some(&record) = slice.records.last() {
            let last = slice.records.len() - 1;
            let over = Over { lineup, block: first + (last / legs) as u64, leg: last % legs, record };
            if seen.finished.len() == FINISHED {
                seen.finished.pop_back();
            }
            seen.finished.push_front((self.heard.fetch_add(1, Ordering::Relaxed), over));
        }
    }

    /// All sheets together.
    fn seen(&self, plan: &Keyed) -> Sheet {
        let mut all = Sheet::of(plan.players.len());
        self.sheets.iter().for_each(|sheet| all.add(&lock(sheet)));
        all.finished.make_contiguous().sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        all.finished.truncate(FINISHED);
        all
    }

    /// Rates the players by all games so far; where all would wait too long for it at the end, they keep their ratings.
    fn rate(&self, plan: &Keyed, looked: &mut Looked, is_last: bool) {
        let (of_before, took) = &looked.ratings;
        if is_last && *took > LAST_LOOK && !of_before.is_empty() {
            return;
        }
        let meetings = {
            let mut meetings = lock(&self.meetings);
            self.sheets.iter().for_each(|sheet| self.meet(plan, &mut lock(sheet), &mut meetings));
            // Ratings take a while, and threads shall find what they add to.
            meetings.clone()
        };
        let begun = Instant::now();
        let ratings = duels::ratings(plan.players.len(), &meetings, plan.anchor);
        looked.ratings = (ratings, begun.elapsed());
    }

    /// The part of a picture that the run fills: its state, its players, its games. `is_last`: all wait for it, at the end of the run.
    pub(super) fn picture(&self, plan: &Keyed, moment: &Moment, is_last: bool, is_watched: bool) -> Picture {
        let mut looked = lock(&self.looked);
        let seen = self.seen(plan);
        let players = if is_duel(plan) {
            if is_watched {
                self.rate(plan, &mut looked, is_last);
            }
            of_pairs(plan, moment, &seen, &looked.ratings.0)
        } else {
            alone(plan, moment, &seen)
        };
        let (done, all) = (moment.before() + moment.played(), moment.all());
        let mut progress = Progress::of(done, all);
        if moment.before() > 0 {
            progress.words.push(format!("{} were there before", grouped(moment.before())));
        }
        progress.pace = vec![moment.pace(), moment.time_left()];
        let picture = Picture {
            state: if moment.is_stopping { State::Stops } else { State::Plays },
            warnings: warnings(plan, &seen, &looked),
            progress,
            stop: moment.between.map(|between| Stop::of(moment.standing.clone(), between)),
            finished: seen.finished.iter().map(|(_, over)| finished(plan, over)).collect(),
            in_play: in_play(plan, moment, &looked),
            ..Picture::default()
        };
        picture.with_players(players)
    }
}

/// Players that play alone, the leaders first.
fn alone(plan: &Keyed, moment: &Moment, seen: &Sheet) -> Vec<Player> {
    let player = |place: usize| {
        let line = &moment.lines[place];
        let player = plan.lineups[line.lineup].members()[0];
        let strength = line.win_rate().map(Into::into);
        let score = line.mean().map(|mean| format!("mean score {}", grouped(mean as u64)));
        let score = score.unwrap_or_default();
        Player { so_far: line.so_far(), strength, score, ..player_of(plan, moment, seen, player, &[line]) }
    };
    moment.leaders().into_iter().map(player).collect()
}

/// Players that play against each other, in the order of the plan.
fn of_pairs(plan: &Keyed, moment: &Moment, seen: &Sheet, ratings: &[Option<Estimate>]) -> Vec<Player> {
    let player = |place: usize| {
        let is_own = |line: &&LineUpState| plan.lineups[line.lineup].members().contains(&place);
        let lines: Vec<&LineUpState> = moment.lines.iter().filter(is_own).collect();
        let rating = ratings.get(place).copied().flatten();
        let so_far = if rating.is_some() { String::new() } else { "not rated yet".to_owned() };
        let player = player_of(plan, moment, seen, place, &lines);
        Player { so_far, strength: rating.map(Into::into), ..player }
    };
    (0..plan.players.len()).map(player).collect()
}

/// A player with what its line-ups add up to.
fn player_of(plan: &Keyed, moment: &Moment, seen: &Sheet, place: usize, lines: &[&LineUpState]) -> Player {
    let sum = |of: &dyn Fn(&LineUpState) -> u64| lines.iter().map(|line| of(line)).sum::<u64>();
    let played = sum(&|line| line.games);
    // Of two players both are at the table, so the time of their games is that of both.
    let work: f64 = lines.iter().map(|line| line.cost().0 * line.left() as f64).sum();
    let is_known = lines.iter().all(|line| line.left() == 0 || line.cost().1);
    let left = Duration::from_secs_f64((work / moment.threads.max(1) as f64).min(1e9));
    let seconds: f64 = lines.iter().map(|line| line.seconds).sum();
    Player {
        name: plan.players[place].name.to_owned(),
        done: sum(&|line| line.before + line.games),
        all: sum(&|line| line.all),
        rate: format!("{} games/s", pace(played as f64 / moment.seconds.max(1e-9))),
        left: format!("{}{}", if is_known { "" } else { "≥ " }, clock(left)),
        cost: cost(&seen.times[place], played, seconds),
        ..Player::default()
    }
}

fn warnings(plan: &Keyed, seen: &Sheet, looked: &Looked) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(looked.failure.clone());
    // A player that thinks elsewhere waits, and that is no overload; in a duel its rivals wait with it.
    let all_wait = is_duel(plan) && seen.is_elsewhere.contains(&true);
    let times = seen.times.iter().zip(&seen.is_elsewhere).filter(|(_, waits)| !all_wait && !**waits);
    let sums = times.map(|(times, _)| (times.wall_ns as f64 / 1e6, times.cpu_ns as f64 / 1e6));
    let (wall, cpu) = sums.fold((0.0, 0.0), |sums, times| (sums.0 + times.0, sums.1 + times.1));
    warnings.extend(doubts::overload(wall, cpu));
    warnings.extend(seen.faults.iter().map(|(player, (number, why))| {
        let name = plan.players[*player].name;
        words::forfeits(name, *number, why)
    }));
    if seen.broken > 0 {
        warnings.push(format!("{} broke their player's program", games(seen.broken)));
    }
    warnings
}

fn finished(plan: &Keyed, over: &Over) -> Finished {
    let Over { lineup, block, leg, record } = over;
    Finished {
        who: plan.title(*lineup),
        which: which(*block, *leg),
        how: words::how(plan, *lineup, *leg, record),
    }
}

/// The games in play, those seen last first. Of line-ups of which none was seen it is said how far they are.
fn in_play(plan: &Keyed, moment: &Moment, looked: &Looked) -> Vec<InPlay> {
    // What was seen of a line-up stays until its games are over.
    let goes_on = |lineup: usize| moment.lines.iter().any(|line| line.lineup == lineup && line.left() > 0);
    let mut sights: Vec<(&usize, &(u64, Sight))> =
        looked.sights.iter().filter(|(lineup, _)| goes_on(**lineup)).collect();
    sights.sort_by_key(|(_, (look, _))| std::cmp::Reverse(*look));
    let of = |(lineup, (_, sight)): (&usize, &(u64, Sight))| {
        InPlay::of(plan.title(*lineup), sight, words::standing(sight.outcome), plan.arena.has_stones)
    };
    let mut shown: Vec<InPlay> = sights.into_iter().take(MOST_GAMES).map(of).collect();
    // By their names, so that a reader's choice does not jump about.
    shown.sort_by(|one, other| one.who.cmp(&other.who));
    let unseen = moment.lines.iter().filter(|line| !line.in_hand.is_empty());
    let unseen = unseen.filter(|line| !looked.sights.contains_key(&line.lineup));
    let none = |line: &LineUpState| InPlay {
        who: line.name.clone(),
        which: "no position: it plays many games at once, or its first move is not made yet".to_owned(),
        moves: 0,
        mv: String::new(),
        standing: String::new(),
        rows: Vec::new(),
        has_stones: plan.arena.has_stones,
    };
    shown.extend(unseen.take(MOST_GAMES).map(none));
    shown
}

/// What was seen is shown, whatever happened while it was locked.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a move and a game cost.
fn cost(times: &Times, games: u64, seconds: f64) -> String {
    if games == 0 {
        return String::new();
    }
    let of_game = format!("{} a game", duration(1e3 * seconds / games as f64));
    let Times { thinking_ns, thoughts, .. } = *times;
    if thoughts == 0 {
        return of_game;
    }
    format!("{} a move, {of_game}", duration(thinking_ns as f64 / thoughts as f64 / 1e6))
}

fn is_duel(plan: &Keyed) -> bool {
    plan.arena.shape == Shape::Duel
}
