//! Progress for people: a bar on a terminal, or lines in a log. The threads that play only count; a
//! separate thread draws.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gauntlet_core::player::{MoveCounter, Stop};
use gauntlet_core::text::wrap_lines;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::game_sums::GameSums;
use super::progress::Progress;
use super::run_moment::{GamesInPlay, LineUpState, RunMoment};
use super::screen::{STOPPING, cut_line, format_body, format_head};
use super::shutdown::{ShutdownSignal, lock};
use super::snapshot::Snapshot;

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressMode {
    /// A moving bar, for a terminal.
    Bar,
    /// A line from time to time, for a file or a pipe.
    Lines,
    /// No progress.
    #[default]
    Quiet,
}

/// Time between two drawings of a terminal: about as often as an eye can follow.
const REDRAW_INTERVAL: Duration = Duration::from_millis(125);

/// Time between two sortings of the players.
const REORDER_INTERVAL: Duration = Duration::from_secs(2);

/// The time between two lines of a log.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Display of some work: lines at the bottom of a terminal, or a line from time to time in a log.
pub struct ProgressDisplay {
    mode: ProgressMode,
    bar: ProgressBar,
    /// Prints a line if there is no bar.
    print: fn(&str),
    /// Time when a state was last shown; in a log, at first the start.
    last_shown: Option<Instant>,
}

impl ProgressDisplay {
    /// Creates an empty footer of this style.
    pub fn new(mode: ProgressMode, print: fn(&str)) -> ProgressDisplay {
        let bar = match mode {
            ProgressMode::Bar => {
                ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(20))
            }
            ProgressMode::Lines | ProgressMode::Quiet => ProgressBar::hidden(),
        };
        let bar_style =
            ProgressStyle::with_template("{prefix:.green}{msg}").expect("a fixed, valid template");
        let last_shown = (mode == ProgressMode::Lines).then(Instant::now);
        ProgressDisplay { mode, bar: bar.with_style(bar_style), print, last_shown }
    }

    /// Returns true if it is time to show a state. There may be thousands of states per second, and
    /// showing one takes longer than playing.
    pub fn is_due(&self) -> bool {
        let interval = match self.mode {
            ProgressMode::Bar => REDRAW_INTERVAL,
            ProgressMode::Lines => LINE_INTERVAL,
            ProgressMode::Quiet => return false,
        };
        self.last_shown.is_none_or(|time| time.elapsed() >= interval)
    }

    /// Shows a state.
    pub fn show(&mut self, snapshot: &Snapshot) {
        self.last_shown = Some(Instant::now());
        if self.mode != ProgressMode::Bar {
            return self.print_unless_quiet(&snapshot.log_line());
        }
        let (width, height) = terminal_size();
        let (bar, text) = format_head(snapshot, width);
        self.bar.set_prefix(bar);
        let lines = std::iter::once(text).chain(format_body(snapshot, width, height));
        self.bar.set_message(lines.collect::<Vec<_>>().join("\n"));
    }

    /// Prints a line, above the bar if there is one.
    pub fn print_unless_quiet(&self, line: &str) {
        if self.mode != ProgressMode::Quiet {
            self.print(line);
        }
    }

    /// Prints a line above the bar, even if nothing else is shown.
    pub fn print(&self, line: &str) {
        if self.mode == ProgressMode::Bar && !self.bar.is_finished() {
            self.bar.println(wrap_lines(line, Some(terminal_size().0)));
        } else {
            (self.print)(line);
        }
    }

    /// Removes the footer before a run that shows its own progress, and prints what the run is.
    pub fn replace_with_line(&self, line: &str) {
        self.finish();
        self.print_unless_quiet(line);
    }

    /// Removes the footer from the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Replaces the footer by the last state of work that was stopped, which stays.
    fn print_last_state(&self, snapshot: &Snapshot) {
        self.finish();
        if self.mode != ProgressMode::Bar {
            return self.print_unless_quiet(&snapshot.log_line());
        }
        let (width, height) = terminal_size();
        let clauses = snapshot.progress.as_ref().map(Progress::clauses).unwrap_or_default();
        self.print_unless_quiet(&cut_line(
            &clauses.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(", "),
            width,
        ));
        format_body(snapshot, width, height).iter().for_each(|line| self.print_unless_quiet(line));
    }
}

/// Counters of games for each line-up, and what each thread plays.
#[derive(Debug)]
pub(super) struct Counters {
    /// Line-ups, without the games in play.
    lineups: Vec<Mutex<LineUpState>>,
    threads: Vec<ThreadState>,
    /// End of the run, if its time is limited.
    end: Option<Instant>,
    /// State of the comparison that may end the run, in words.
    comparison_state: Mutex<String>,
    notices: Mutex<Notices>,
}

/// Messages about the first forfeit of each player.
#[derive(Debug, Default)]
struct Notices {
    players: BTreeSet<usize>,
    /// Messages that are not shown yet.
    lines: Vec<String>,
}

#[derive(Debug, Default)]
struct ThreadState {
    /// Line-up, number of games, and start of the games in play.
    in_play: Mutex<Option<(usize, u64, Instant)>>,
    moves: MoveCounter,
}

impl Counters {
    /// Creates counters, given each line-up's name, sums of earlier games, and total number of
    /// games.
    pub(super) fn new(
        lineups: impl Iterator<Item = (String, GameSums, u64)>,
        threads: usize,
        end: Option<Instant>,
    ) -> Counters {
        let new_state = |(name, earlier, total_games): (String, GameSums, u64)| LineUpState {
            name,
            earlier_games: earlier.games,
            total_games,
            wins: earlier.wins,
            forfeits: earlier.forfeits,
            points: earlier.points,
            ..LineUpState::default()
        };
        let threads = (0..threads).map(|_| ThreadState::default()).collect();
        Counters {
            lineups: lineups.map(|counts| Mutex::new(new_state(counts))).collect(),
            threads,
            end,
            comparison_state: Mutex::default(),
            notices: Mutex::default(),
        }
    }

    pub(super) fn add(&self, lineup: usize, sums: GameSums) {
        let mut state = lock(&self.lineups[lineup]);
        state.games += sums.games;
        state.wins += sums.wins;
        state.forfeits += sums.forfeits;
        state.points = state.points.saturating_add(sums.points);
    }

    /// Records that a thread starts some games.
    pub(super) fn begin(&self, thread: usize, lineup: usize, games: u64) {
        self.threads[thread].moves.set(0);
        *lock(&self.threads[thread].in_play) = Some((lineup, games, Instant::now()));
    }

    /// Records that a thread finished its games.
    pub(super) fn end(&self, thread: usize) {
        if let Some((lineup, _, start)) = lock(&self.threads[thread].in_play).take() {
            lock(&self.lineups[lineup]).seconds += start.elapsed().as_secs_f64();
        }
    }

    /// Returns the counter of moves in a thread's game.
    pub(super) fn move_counter(&self, thread: usize) -> &MoveCounter {
        &self.threads[thread].moves
    }

    /// Subtracts games that need not be played any more.
    pub(super) fn subtract_games(&self, lineup: usize, games: u64) {
        lock(&self.lineups[lineup]).total_games -= games;
    }

    /// Sets the state of the comparison that may end the run.
    pub(super) fn set_comparison_state(&self, comparison_state: String) {
        *lock(&self.comparison_state) = comparison_state;
    }

    /// Records a forfeit of a player; the message about its first one is shown at once.
    pub(super) fn note_forfeit(&self, player: usize, message: impl FnOnce() -> String) {
        let mut notices = lock(&self.notices);
        if notices.players.insert(player) {
            notices.lines.push(message());
        }
    }

    /// Returns the messages that were not shown yet.
    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notices).lines)
    }

    /// Returns the number of games played since counting began.
    pub(super) fn games_played(&self) -> u64 {
        self.lineups.iter().map(|lineup| lock(lineup).games).sum()
    }

    /// Returns the current state of the run.
    pub(super) fn snapshot(&self, started: Instant, stop: &Stop) -> RunMoment {
        let mut lineups: Vec<LineUpState> = self.lineups.iter().map(|lineup| lock(lineup).clone()).collect();
        for thread in &self.threads {
            if let Some((lineup, games, start)) = *lock(&thread.in_play) {
                let (seconds, moves) = (start.elapsed().as_secs_f64(), thread.moves.get());
                lineups[lineup].in_play.push(GamesInPlay { games, seconds, moves });
            }
        }
        // Line-ups that share another's games have none to play.
        lineups.retain(|lineup| lineup.total_games > 0);
        RunMoment {
            lineups,
            threads: self.threads.len(),
            seconds: started.elapsed().as_secs_f64(),
            comparison_state: lock(&self.comparison_state).clone(),
            max_time_left: self.end.map(|end| end.saturating_duration_since(Instant::now())),
            is_stopping: stop.is_requested(),
        }
    }
}

/// Shows the counters until the shutdown signal.
pub(super) fn show(
    counters: &Counters,
    mode: ProgressMode,
    started: Instant,
    stop: &Stop,
    shutdown: &ShutdownSignal,
) {
    if mode == ProgressMode::Quiet {
        return;
    }
    // A closed output is no reason to stop.
    let mut display = ProgressDisplay::new(mode, |line| _ = writeln!(io::stderr(), "{line}"));
    let mut order = (Instant::now(), Vec::new());
    let mut is_stopping = false;
    while !shutdown.wait(REDRAW_INTERVAL) {
        counters.take_notices().iter().for_each(|line| display.print(line));
        if stop.is_requested() && !is_stopping && mode == ProgressMode::Lines {
            is_stopping = true;
            display.print(STOPPING);
        }
        if display.is_due() {
            let moment = counters.snapshot(started, stop);
            if order.0.elapsed() >= REORDER_INTERVAL || order.1.len() != moment.lineups.len() {
                order = (Instant::now(), moment.leaders());
            }
            display.show(&moment.snapshot(&order.1));
        }
    }
    counters.take_notices().iter().for_each(|line| display.print(line));
    // The tables, which come next, say more. A run that was stopped has none.
    if stop.is_requested() {
        let moment = counters.snapshot(started, stop);
        display.print_last_state(&moment.snapshot(&moment.leaders()));
    }
    display.finish();
}

/// Puts the present line of progress where others read it, until the shutdown signal.
pub(super) fn publish(
    counters: &Counters,
    line: &Mutex<String>,
    started: Instant,
    stop: &Stop,
    shutdown: &ShutdownSignal,
) {
    let mut is_over = false;
    while !is_over {
        is_over = shutdown.wait(REDRAW_INTERVAL);
        *lock(line) = counters.snapshot(started, stop).snapshot(&[]).log_line();
    }
}

/// Returns the columns and lines of the terminal.
fn terminal_size() -> (usize, usize) {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or((80, 24), |(width, height)| (usize::from(width.0.max(1)), usize::from(height.0.max(1))))
}
