//! A search as it goes, for a person: some lines at the foot of a terminal, or a line now and then for a log.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::say::complain;
use crate::config::tune::{Param, Tune};
use crate::measure::Measure;
use crate::results::tunings::ends::gain;
use crate::run::bar::{Style, size};
use crate::run::progress::clock;
use crate::run::screen::{cut, head};
use crate::text::{games, grouped};
use crate::tune::News;

/// View of a search for a person.
pub(super) struct Screen {
    style: Style,
    bar: ProgressBar,
    objective: Measure,
    budget: u64,
    started: Instant,
    /// When it was last told how the search stands.
    told: Option<Instant>,
}

/// Time between plain lines where no person looks on.
const LINES: Duration = Duration::from_secs(10);

/// Time between two states of the bar.
const DRAWN: Duration = Duration::from_millis(50);

/// A search at one moment.
#[derive(Clone, Debug, Default)]
struct Moment {
    budget: u64,
    spent: u64,
    /// Time left; none before games are played.
    left: Option<Duration>,
    /// What the last check found, in words; empty before the first.
    check: String,
    /// The settings where the search stands, each with its value.
    settings: Vec<String>,
}

impl Screen {
    pub(super) fn new(style: Style, tune: &Tune) -> Screen {
        let bar = match style {
            Style::Bar => ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr()),
            _ => ProgressBar::hidden(),
        };
        let form = ProgressStyle::with_template("{prefix:.green}{msg}");
        bar.set_style(form.expect("a form that is known to be sound"));
        let (objective, budget) = (tune.objective, tune.budget);
        let screen = Screen { style, bar, objective, budget, started: Instant::now(), told: None };
        // The first step may take a while.
        screen.draw(&Moment { budget, ..Moment::default() });
        screen
    }

    pub(super) fn show(&mut self, news: &News) {
        match news {
            News::Searched(seen) if seen.spent() == 0 => {}
            News::Searched(seen) => {
                let between = match self.style {
                    Style::Quiet => return,
                    Style::Bar => DRAWN,
                    Style::Lines => LINES,
                };
                // A search that goes on takes thousands of steps in a second, and to tell of one takes longer than the step.
                if self.told.is_some_and(|told| told.elapsed() < between) {
                    return;
                }
                let (spent, played) = (seen.spent(), seen.played());
                let left = self.budget.saturating_sub(spent);
                let seconds = self.started.elapsed().as_secs_f64() / played as f64 * left as f64;
                let found = seen.last_check().and_then(|check| check.gain);
                let setting = |(param, value): &(&Param, f64)| {
                    let value = if param.choices.is_empty() { rounded(*value) } else { param.shown(*value) };
                    format!("{} {value}", param.key)
                };
                let moment = Moment {
                    budget: self.budget,
                    spent,
                    left: (played > 0).then(|| Duration::from_secs_f64(seconds.min(1e9))),
                    check: found.map_or_else(String::new, |found| gain(found, self.objective)),
                    settings: seen.settings().iter().map(setting).collect(),
                };
                if matches!(self.style, Style::Bar) {
                    self.draw(&moment);
                    self.told = Some(Instant::now());
                } else {
                    self.line(&moment.in_a_line());
                }
            }
            // This is told however little else is.
            News::Unread(why) => self.above(&format!("gauntlet: {why}")),
            // The validation is a run like any other, and shows its own progress.
            News::Validates(number, each) => {
                self.bar.finish_and_clear();
                self.line(&format!(
                    "validation {number}: at most {} of each player, on fresh seeds",
                    games(*each)
                ));
            }
            News::Explains(all) => {
                self.bar.finish_and_clear();
                self.line(&format!("slices through the answer: {}", games(*all)));
            }
        }
    }

    fn draw(&self, moment: &Moment) {
        let (width, height) = size();
        let (bar, said) = moment.head(width);
        let below = moment.below(width, height);
        self.bar.set_prefix(bar);
        self.bar.set_message(std::iter::once(said).chain(below).collect::<Vec<_>>().join("\n"));
    }

    fn line(&mut self, line: &str) {
        match self.style {
            Style::Quiet => {}
            Style::Lines => {
                self.above(line);
                self.told = Some(Instant::now());
            }
            Style::Bar => self.above(line),
        }
    }

    /// Prints a line, above the bar where one is drawn.
    fn above(&self, line: &str) {
        match self.style {
            Style::Bar if !self.bar.is_finished() => self.bar.println(line),
            _ => complain(format_args!("{line}")),
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Moment {
    /// The first line: a bar, which has its own colour, and what stands behind it.
    fn head(&self, width: usize) -> (String, String) {
        let part = self.spent as f64 / self.budget.max(1) as f64;
        let percent = format!("{:3} %", (100.0 * part) as u64);
        let of_all = format!("{} of {} games", grouped(self.spent), grouped(self.budget));
        let left = self.left.map_or_else(String::new, |left| format!("  {} left", clock(left)));
        head(part, &[format!("{percent}  {of_all}{left}"), format!("{percent}{left}")], width)
    }

    /// The lines below: what the last check found, and as many settings as there is room for, none of them broken.
    fn below(&self, width: usize, height: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.check.is_empty() {
            lines.push(format!("  above the start at the last check: {}", self.check));
        }
        // Beside the first line, and one that the cursor stands on.
        let room = height.saturating_sub(2);
        let packed = packed(&self.settings, width.saturating_sub(2));
        let fitting = room.saturating_sub(lines.len());
        let shown = if packed.len() <= fitting { packed.len() } else { fitting.saturating_sub(1) };
        lines.extend(packed[..shown].iter().map(|(line, _)| format!("  {line}")));
        let left: usize = packed[shown..].iter().map(|(_, settings)| settings).sum();
        if left > 0 {
            lines.push(format!("  … and {left} more settings"));
        }
        lines.truncate(room);
        lines.iter().map(|line| cut(line, width)).collect()
    }

    /// All of that for a log.
    fn in_a_line(&self) -> String {
        let mut said = vec![format!("{} of {} games", grouped(self.spent), grouped(self.budget))];
        said.extend(self.left.map(|left| format!("{} left", clock(left))));
        if !self.check.is_empty() {
            said.push(format!("above the start at the last check: {}", self.check));
        }
        said.extend(self.settings.iter().cloned());
        said.join(", ")
    }
}

/// Texts beside each other on lines of a width, each line with their number. What is wider has a line of its own.
fn packed(texts: &[String], width: usize) -> Vec<(String, usize)> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for text in texts {
        let longer = lines.last().map(|(line, _)| format!("{line}, {text}"));
        match (lines.last_mut(), longer) {
            (Some((line, count)), Some(longer)) if longer.chars().count() <= width => {
                (*line, *count) = (longer, *count + 1);
            }
            _ => lines.push((text.clone(), 1)),
        }
    }
    lines
}

/// A setting to four digits, which is enough to see it move.
fn rounded(value: f64) -> String {
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(settings: usize) -> Moment {
        Moment {
            budget: 1_000_000,
            spent: 184_500,
            left: Some(Duration::from_secs(5025)),
            check: "32.8 % (29.6 to 36.1)".to_owned(),
            settings: (0..settings)
                .map(|place| format!("weights.smoothness-nearest-{place} -12.3456"))
                .collect(),
        }
    }

    #[test]
    fn everything_fits_a_small_terminal() {
        for settings in [0, 1, 6, 50] {
            for (width, height) in [(80, 24), (60, 24), (80, 10), (40, 6), (20, 3), (5, 1)] {
                let moment = moment(settings);
                let (bar, said) = moment.head(width);
                assert!((bar + &said).chars().count() <= width, "{width}: {said}");
                let lines = moment.below(width, height);
                assert!(lines.len() <= height.saturating_sub(2), "{width} by {height}: {lines:#?}");
                assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:#?}");
            }
        }
    }

    #[test]
    fn no_number_is_cut_on_eighty_columns() {
        let lines = moment(50).below(80, 24);
        assert_eq!(lines[0], "  above the start at the last check: 32.8 % (29.6 to 36.1)");
        assert!(lines[1..lines.len() - 1].iter().all(|line| line.ends_with("-12.3456")), "{lines:#?}");
        let shown = lines.iter().map(|line| line.matches("-12.3456").count()).sum::<usize>();
        assert_eq!(lines.last().unwrap(), &format!("  … and {} more settings", 50 - shown));
        assert_eq!(moment(0).head(80).1, " 18 %  184,500 of 1,000,000 games  1:23:45 left");
        assert_eq!(
            moment(1).in_a_line(),
            "184,500 of 1,000,000 games, 1:23:45 left, above the start at the last check: 32.8 % (29.6 to 36.1), \
             weights.smoothness-nearest-0 -12.3456"
        );
    }
}
