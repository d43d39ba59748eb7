//! `gauntlet train`: from a file with a `[train]` to a network that players are built from.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::exit::{STOPPED, Usage};
use super::means::Memory;
use super::say::{complain, progress, say};
use super::signals::Signals;
use super::target::{Results, load_without_files};
use super::terminal::width;
use crate::arena::Arenas;
use crate::config::time::Time;
use crate::learning::Lesson;
use crate::results::store::folder::EXPERIMENT;
use crate::results::store::manifest::command;
use crate::run::progress::Style;
use crate::stats::Estimate;
use crate::text::{Bytes, games, grouped, grouped_real, quoted_path, shown, time_span, wrapped};
use crate::train::curve::Tested;
use crate::train::{End, FOLDER, NETWORK, News, Task, train};

/// Train a player that learns from games against itself
///
/// The `[train]` of the file says what learns, how, and from how many games. One file makes one network, on any machine. A
/// training that was stopped or killed goes on from its last checkpoint with the same command; more games go on from the end.
#[derive(clap::Args)]
#[command(after_long_help = "\
Files go to results/NAME/train: network, what was learned, for `network = \"…\"` of a player; curve.csv, the learning curve: games \
without learning, on the same seeds after each number of games; and checkpoint, from which a training goes on.

Example:
  gauntlet train configs/train/quick.toml --games 1000")]
pub(super) struct Args {
    /// An experiment with a `[train]`
    file: PathBuf,

    /// Learn from N games in place of what the file says; more go on from those that were learned from
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    games: Option<u64>,

    /// Keep the state this often, as in 30s or 5m
    #[arg(long, value_name = "TIME", default_value = "2m")]
    every: Time,

    #[command(flatten)]
    memory: Memory,

    #[command(flatten)]
    results: Results,

    /// Begin anew in place of a training that lies there
    #[arg(long)]
    replace: bool,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    let path = if args.file.is_dir() { args.file.join(EXPERIMENT) } else { args.file.clone() };
    // Players of the file may be built from what is trained now.
    let experiment = load_without_files(arenas, &path)?;
    let Some(asked) = &experiment.sections().train else {
        let why =
            format!("{} has no [train]: it says what learns, how, and from how many games", shown(&path));
        return Err(Usage(why).into());
    };
    let (needed, most) = (asked.course.memory(), args.memory.bytes());
    if needed > most {
        let why = format!(
            "the training needs {} of memory, and may take {}: --memory sets another limit",
            Bytes(needed),
            Bytes(most)
        );
        return Err(Usage(why).into());
    }
    let mut command = command("train", &path);
    if let Some(games) = args.games {
        command += &format!(" --games {games}");
    }
    let folder = args.results.folder(&experiment).join(FOLDER);
    let task = Task {
        experiment: &experiment,
        train: asked,
        games: args.games.unwrap_or(asked.games),
        folder: &folder,
        command: &command,
        every: args.every.get(),
        replace: args.replace,
    };
    let signals = Signals::listen()?;
    let mut screen = Screen::new(progress(args.quiet), task.games);
    let end = signals.let_stop(|stop| train(&task, stop, &mut |news| screen.show(news)));
    screen.bar.finish_and_clear();
    match end? {
        End::Stopped => {
            complain(format_args!("stopped; what was learned is kept; to go on:\n  {command}"));
            Ok(ExitCode::from(STOPPED))
        }
        End::Trained { tested, digest } => {
            let file = quoted_path(&folder.join(NETWORK));
            let text = format!(
                "{}\nlearned from {}; network {}: {file}\n",
                told(&tested),
                games(tested.games),
                &digest[..16]
            );
            say(&text.lines().map(|line| wrapped(line, width()) + "\n").collect::<String>())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A test in words.
fn told(tested: &Tested) -> String {
    let mean = tested.mean().unwrap_or(Estimate::unbounded(f64::NAN, 0.95));
    format!(
        "after {}: mean score {} ({} to {}) in {} without learning",
        games(tested.games),
        grouped_real(mean.value, 0),
        grouped_real(mean.low, 0),
        grouped_real(mean.high, 0),
        games(tested.scores.len() as u64)
    )
}

/// View of a training for a person.
struct Screen {
    style: Style,
    bar: ProgressBar,
    games: u64,
    started: Instant,
    /// Games learned from before, and since; moves since.
    before: u64,
    moves: u64,
    /// Scores of the last games, and their sum.
    last: VecDeque<u64>,
    sum: u64,
    /// Time of the last line.
    told: Instant,
}

/// The most games of a mean.
const LAST: usize = 1000;

/// Time between lines where no person looks on, and between changes where one does.
const LINES: Duration = Duration::from_secs(10);
const REDRAW: Duration = Duration::from_millis(200);

impl Screen {
    fn new(style: Style, games: u64) -> Screen {
        let bar = match style {
            Style::Bar => ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr()),
            _ => ProgressBar::hidden(),
        };
        let form =
            ProgressStyle::with_template("{elapsed} {bar:20} {human_pos} of {human_len} games {wide_msg}");
        bar.set_style(form.expect("a form that is known to be sound"));
        let (last, now) = (VecDeque::with_capacity(LAST), Instant::now());
        Screen { style, bar, games, started: now, before: 0, moves: 0, last, sum: 0, told: now }
    }

    fn show(&mut self, news: &News) {
        match *news {
            News::GoesOn(games) => {
                self.before = games;
                if games > 0 {
                    self.line(&format!("goes on after {}", crate::text::games(games)));
                }
            }
            News::Learned(games, lesson) => self.learned(games, lesson),
            News::Tested(tested) => self.line(&told(tested)),
        }
    }

    fn learned(&mut self, games: u64, lesson: Lesson) {
        self.moves += lesson.moves;
        if self.last.len() == LAST {
            self.sum -= self.last.pop_front().unwrap_or(0);
        }
        self.last.push_back(lesson.score);
        self.sum += lesson.score;
        // A game may take less time than to read the clock is worth.
        if !games.is_multiple_of(16) {
            return;
        }
        let is_bar = matches!(self.style, Style::Bar);
        if self.told.elapsed() < if is_bar { REDRAW } else { LINES } {
            return;
        }
        self.told = Instant::now();
        let seconds = self.started.elapsed().as_secs_f64();
        let left = seconds / (games - self.before) as f64 * (self.games - games) as f64;
        let text = format!(
            "{} M moves/s, mean of the last {} training games {}, {} left",
            grouped_real(self.moves as f64 / seconds / 1e6, 2),
            grouped(self.last.len() as u64),
            grouped(self.sum / self.last.len() as u64),
            time_span(left)
        );
        if is_bar {
            self.bar.set_position(games);
            self.bar.set_message(text);
        } else {
            self.line(&format!("{} of {}: {text}", grouped(games), crate::text::games(self.games)));
        }
    }

    fn line(&self, line: &str) {
        match self.style {
            Style::Quiet => {}
            Style::Bar if !self.bar.is_finished() => self.bar.println(line),
            _ => complain(format_args!("{line}")),
        }
    }
}
