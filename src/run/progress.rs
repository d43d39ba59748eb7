//! What a person sees while games are played. The crew only counts; one thread of its own draws.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::bell::{Bell, lock};
use crate::player::Stop;
use crate::stats::wilson;
use crate::text::{decimals, games, grouped};

/// What to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A bar that moves, for a terminal.
    Bar,
    /// A line now and then, for a file or a pipe.
    Lines,
    /// Nothing.
    Quiet,
}

/// A terminal is redrawn about as often as an eye can follow.
const REDRAW: Duration = Duration::from_millis(125);

/// The time between two lines of a log.
const LINE: Duration = Duration::from_secs(10);

/// More line-ups than this do not fit below each other on a small terminal.
const SHOWN: usize = 12;

/// Names are cut here: beside them there must be room for the numbers.
const NAME: usize = 48;

/// Counts of games, one set for each line-up.
#[derive(Debug)]
pub struct Counters {
    lineups: Vec<Counter>,
    /// How a comparison stands that may end the run.
    standing: Mutex<String>,
}

#[derive(Debug)]
struct Counter {
    name: String,
    /// In the journal before.
    before: u64,
    all: AtomicU64,
    games: AtomicU64,
    wins: AtomicU64,
}

impl Counters {
    /// Starts counting, with each line-up's name, games played before, and games in all.
    pub(super) fn new(lineups: impl Iterator<Item = (String, u64, u64)>) -> Counters {
        let counter = |(name, before, all)| Counter {
            name,
            before,
            all: AtomicU64::new(all),
            games: AtomicU64::new(0),
            wins: AtomicU64::new(0),
        };
        Counters { lineups: lineups.map(counter).collect(), standing: Mutex::default() }
    }

    pub(super) fn add(&self, lineup: usize, games: u64, wins: u64) {
        self.lineups[lineup].games.fetch_add(games, Ordering::Relaxed);
        self.lineups[lineup].wins.fetch_add(wins, Ordering::Relaxed);
    }

    /// These games need not be played any more.
    pub(super) fn spare(&self, lineup: usize, games: u64) {
        self.lineups[lineup].all.fetch_sub(games, Ordering::Relaxed);
    }

    /// Says how a comparison stands that may end the run.
    pub(super) fn stands(&self, standing: String) {
        *lock(&self.standing) = standing;
    }

    /// Games played since counting began.
    pub(super) fn played_now(&self) -> u64 {
        self.lineups.iter().map(|counter| counter.games.load(Ordering::Relaxed)).sum()
    }

    fn before(&self) -> u64 {
        self.lineups.iter().map(|counter| counter.before).sum()
    }

    fn all(&self) -> u64 {
        self.lineups.iter().map(|counter| counter.all.load(Ordering::Relaxed)).sum()
    }

    /// Speed and remaining time, from the games played since `started`.
    fn pace(&self, started: Instant) -> (f64, Option<Duration>) {
        let seconds = started.elapsed().as_secs_f64();
        let played = self.played_now() as f64;
        let left = (self.all() as f64 - self.before() as f64 - played).max(0.0);
        // Line-ups progress together, so the part of games that is left is the part of time that is left.
        let time = (played > 0.0).then(|| Duration::from_secs_f64((seconds * left / played).min(1e9)));
        (played / seconds.max(1e-9), time)
    }
}

/// Shows the counters until the bell rings.
pub(super) fn show(counters: &Counters, style: Style, started: Instant, stop: &Stop, over: &Bell) {
    match style {
        Style::Quiet => {}
        Style::Lines => tell(counters, started, stop, over),
        Style::Bar => draw(counters, started, stop, over),
    }
}

/// What is said between the request to stop and the end.
const STOPPING: &str = "stopping; once more stops at once";

fn tell(counters: &Counters, started: Instant, stop: &Stop, over: &Bell) {
    let mut last = Instant::now();
    let mut told = false;
    while !over.wait(REDRAW) {
        // That the output is closed is no reason to stop.
        if stop.is_asked() && !told {
            told = true;
            let _ = writeln!(std::io::stderr(), "{STOPPING}");
        }
        if last.elapsed() < LINE {
            continue;
        }
        last = Instant::now();
        let (pace, time) = counters.pace(started);
        let (done, all) = (counters.before() + counters.played_now(), counters.all());
        let time = time.map_or_else(String::new, |time| format!(", {} left", clock(time)));
        let pace = grouped(pace as u64);
        let standing = match &**lock(&counters.standing) {
            "" => String::new(),
            standing => format!("; {standing}"),
        };
        let (done, all) = (grouped(done), grouped(all));
        let _ = writeln!(std::io::stderr(), "{done} of {all} games, {pace} games/s{time}{standing}");
    }
}

fn draw(counters: &Counters, started: Instant, stop: &Stop, over: &Bell) {
    let screen = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(20));
    let bar = screen.add(ProgressBar::new(counters.all()));
    let is_comparison = !lock(&counters.standing).is_empty();
    let style = ProgressStyle::with_template("{bar:30.green} {percent:>3} %  {msg}");
    bar.set_style(style.expect("a fixed, valid template").progress_chars("█▉▊▋▌▍▎▏░"));
    let plain = ProgressStyle::with_template("{msg}").expect("a fixed, valid template");
    let width =
        counters.lineups.iter().map(|counter| counter.name.chars().count()).max().unwrap_or(0).min(NAME);
    let rows = counters.lineups.len().min(SHOWN) + usize::from(counters.lineups.len() > SHOWN);
    let rows: Vec<_> = (0..rows).map(|_| screen.add(ProgressBar::new(1).with_style(plain.clone()))).collect();
    let standing_row = is_comparison.then(|| screen.add(ProgressBar::new(1).with_style(plain)));
    loop {
        let rung = over.wait(REDRAW);
        let (pace, time) = counters.pace(started);
        let done = counters.before() + counters.played_now();
        bar.set_length(counters.all());
        bar.set_position(done);
        let time = time.map_or_else(|| "?".to_owned(), clock);
        let (all, pace) = (grouped(counters.all()), grouped(pace as u64));
        bar.set_message(if stop.is_asked() {
            STOPPING.to_owned()
        } else {
            format!("{} of {all} games  {pace} games/s  {time} left", grouped(done))
        });
        for (row, counter) in rows.iter().zip(&counters.lineups) {
            row.set_message(standing(counter, width));
        }
        if counters.lineups.len() > SHOWN {
            rows[SHOWN].set_message(format!("  … and {} more", counters.lineups.len() - SHOWN));
        }
        if let Some(row) = &standing_row {
            row.set_message(format!("  {}", lock(&counters.standing)));
        }
        if rung {
            // The tables come next, and say more.
            let _ = screen.clear();
            screen.set_draw_target(ProgressDrawTarget::hidden());
            return;
        }
    }
}

/// One line-up's games and running win rate with its 95 % interval, of the games played now; of two players that of the
/// first.
fn standing(counter: &Counter, width: usize) -> String {
    let (games, wins) = (counter.games.load(Ordering::Relaxed), counter.wins.load(Ordering::Relaxed));
    let rate = wilson(wins.min(games), games, 0.95).map_or_else(String::new, |rate| {
        let [low, rate, high] = [rate.low, rate.value, rate.high].map(|part| 100.0 * part);
        let decimals = decimals((high - low) / 2.0);
        format!("wins {rate:5.decimals$} % [{low:.decimals$}, {high:.decimals$}]")
    });
    let mut name = counter.name.clone();
    if name.chars().count() > width {
        name = name.chars().take(width - 1).chain(['…']).collect();
    }
    let of_all = format!("  {name:width$}  {:>11}  {rate}", grouped(counter.before + games));
    // What was played earlier is in the journal and not counted again, so it is told of how many games this rate is.
    if counter.before > 0 { format!("{of_all} of {} now", self::games(games)) } else { of_all }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{:02}", seconds % 60),
        (0, _) => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => format!("{days} d {hours} h"),
    }
}
