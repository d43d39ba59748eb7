//! Progress of a search: some lines at the bottom of a terminal, or occasional lines in a log.

use std::time::Instant;

use gauntlet_core::measure::Measure;
use gauntlet_core::text::games;
use gauntlet_run::bar::{ProgressDisplay, ProgressMode};
use gauntlet_run::progress::Progress;
use gauntlet_run::screen::cut;
use gauntlet_tune::TuningEvent;
use gauntlet_tune::results::ends::gain;
use gauntlet_tune::section::{Param, TuneSection};

use gauntlet_cli::say::complain;

/// Display of a search.
pub(super) struct TuningScreen {
    foot: ProgressDisplay,
    objective: Measure,
    started: Instant,
}

/// State of a search at one moment.
#[derive(Clone, Debug, Default)]
struct Moment {
    progress: Progress,
    /// Result of the last check, in words; empty before the first.
    check: String,
    /// The settings at the current point, each with its value.
    settings: Vec<String>,
}

impl TuningScreen {
    pub(super) fn new(style: ProgressMode, tune: &TuneSection) -> TuningScreen {
        let foot = ProgressDisplay::of(style, |line| complain(format_args!("{line}")));
        TuningScreen { foot, objective: tune.objective, started: Instant::now() }
    }

    pub(super) fn show(&mut self, news: &TuningEvent) {
        match news {
            TuningEvent::Searched(_) if !self.foot.is_due() => {}
            TuningEvent::Searched(seen) => {
                let found = seen.last_check().and_then(|check| check.gain);
                let setting = |(param, value): &(&Param, f64)| {
                    let value = if param.choices.is_empty() { rounded(*value) } else { param.shown(*value) };
                    format!("{} {value}", param.key)
                };
                let moment = Moment {
                    progress: seen.progress(self.started),
                    check: found.map_or_else(String::new, |found| gain(found, self.objective)),
                    settings: seen.settings().iter().map(setting).collect(),
                };
                let below = |width, height| moment.below(width, height);
                self.foot.show(&moment.progress, below, || moment.behind());
            }
            // Printed even if little else is.
            TuningEvent::Unread(why) => self.foot.print(&format!("gauntlet: {why}")),
            // The validation is an ordinary run and shows its own progress.
            TuningEvent::Validates(number, each) => {
                self.foot.finish();
                let each = games(*each);
                self.foot.line(&format!("validation {number}: at most {each} per player, on fresh seeds"));
            }
            TuningEvent::Explains(all) => {
                self.foot.finish();
                self.foot.line(&format!("slices through the best point: {}", games(*all)));
            }
        }
    }

    pub(super) fn finish(&self) {
        self.foot.finish();
    }
}

impl Moment {
    /// Describes the gain at the last check, if there was one.
    fn gain(&self) -> Option<String> {
        (!self.check.is_empty())
            .then(|| format!("gain over the initial settings at the last check: {}", self.check))
    }

    /// Returns the lines below the first: the last check, and as many complete settings as fit.
    fn below(&self, width: usize, height: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.gain().map(|gain| format!("  {gain}")).into_iter().collect();
        // Without the first line, and the line of the cursor.
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

    /// Returns these lines for a log.
    fn behind(&self) -> Vec<String> {
        self.gain().into_iter().chain(self.settings.iter().cloned()).collect()
    }
}

/// Packs texts into lines of a width, and returns each line with its number of texts. A wider text
/// has its own line.
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

/// Rounds a setting to four decimals, enough to see it move.
fn rounded(value: f64) -> String {
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use gauntlet_run::progress::RunState;
    use gauntlet_run::screen::head;

    use super::*;

    fn moment(settings: usize) -> Moment {
        Moment {
            progress: Progress::of_games(184_500, 1_000_000, RunState::Plays)
                .at_pace(Some(815_500.0 / 5025.0)),
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
                let (bar, said) = head(&moment.progress, width);
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
        assert_eq!(lines[0], "  gain over the initial settings at the last check: 32.8 % (29.6 to 36.1)");
        assert!(lines[1..lines.len() - 1].iter().all(|line| line.ends_with("-12.3456")), "{lines:#?}");
        let shown = lines.iter().map(|line| line.matches("-12.3456").count()).sum::<usize>();
        assert_eq!(lines.last().unwrap(), &format!("  … and {} more settings", 50 - shown));
        assert_eq!(
            head(&moment(0).progress, 80).1,
            " 18 %  184,500 of 1,000,000 games  162 games/s  1:23:45 left"
        );
        assert_eq!(
            moment(1).behind(),
            [
                "gain over the initial settings at the last check: 32.8 % (29.6 to 36.1)",
                "weights.smoothness-nearest-0 -12.3456"
            ]
        );
    }
}
