//! The picture of a tuning, made of what it tells those who look on.
//!
//! It tells of each step of its search, of which there may be thousands a second. So its figures are drawn now and then, in a small
//! part of a core's time, and a step leaves a few numbers only. The games of a step, and those of a validation, are runs, which tell
//! as all runs do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::hub::Hub;
use super::of_run::lock;
use super::picture::{InPlay, Part, Picture, Player, Progress, State, Stop};
use super::searched::{self, MOST_STEPS};
use super::words;
use crate::config::Experiment;
use crate::config::tune::Tune;
use crate::game::Shape;
use crate::page::drawn::{self, Drawn};
use crate::player::Sight;
use crate::results::tunings::path::keys;
use crate::run::news;
use crate::run::screen::{LineUpState, Moment, clock, pace};
use crate::text::{escape, games, grouped};
use crate::tune::{News, Seen, Standing};

/// The most players of a validation or of slices that are shown.
const MOST_PLAYERS: usize = 100;

/// Figures are drawn at least this long after the last time,
const LOOK: Duration = Duration::from_secs(1);

/// Pictures of the games of a step come no more often than this.
const PICTURES: Duration = Duration::from_millis(250);

/// and that takes no more than such a part of the time: where someone looks on, and where no one does.
const REST: u32 = 100;
const UNWATCHED: u32 = 1000;

/// Looks at a tuning.
pub struct Watch<'a> {
    experiment: &'a Experiment,
    tune: &'a Tune,
    hub: &'a Hub,
    now: Mutex<Now>,
}

/// What is known of it.
struct Now {
    begun: Instant,
    /// What it does, and the parts that are over.
    doing: Doing,
    parts: Vec<Part>,
    standing: Option<Standing>,
    drawings: Arc<Vec<Drawn>>,
    /// When they are drawn again.
    due: Instant,
    /// When the last picture of a run was made.
    shown_at: Instant,
    /// The run of now: the games of a step, or of a validation.
    moment: Option<Moment>,
    sights: BTreeMap<usize, Sight>,
    /// Games that ended by the fault of a player, and how the first of them did.
    forfeits: Option<(u64, String)>,
}

/// What a tuning does.
#[derive(Clone, Copy, PartialEq)]
enum Doing {
    Searches,
    Validates(u64, u64),
    Explains(u64),
}

impl<'a> Watch<'a> {
    /// Looks at a tuning, and shows it in the hub.
    pub fn of(experiment: &'a Experiment, tune: &'a Tune, hub: &'a Hub) -> Watch<'a> {
        let now = Now {
            begun: Instant::now(),
            doing: Doing::Searches,
            parts: Vec::new(),
            standing: None,
            drawings: Arc::default(),
            due: Instant::now(),
            shown_at: Instant::now(),
            moment: None,
            sights: BTreeMap::new(),
            forfeits: None,
        };
        hub.show(searched::frame(experiment));
        Watch { experiment, tune, hub, now: Mutex::new(now) }
    }

    /// Hears what the tuning tells.
    pub fn hear(&self, news: &News) {
        match *news {
            News::Searched(seen) => self.searched(seen),
            // The terminal tells it.
            News::Unread(_) => {}
            News::Validates(number, each) => self.begins(Doing::Validates(number, each)),
            News::Explains(all) => self.begins(Doing::Explains(all)),
        }
    }

    /// Hears what its runs tell.
    pub fn hear_run(&self, news: &news::News) {
        match news {
            news::News::Begins(_) => {}
            // Nearly all slices are without a complaint, and their threads do not wait for a picture.
            news::News::Played { slice, .. } if slice.complaints.is_empty() => {}
            news::News::Played { slice, .. } => {
                let mut now = lock(&self.now);
                for (place, why) in &slice.complaints {
                    if !slice.records[*place].ending.is_panic() {
                        now.forfeits.get_or_insert_with(|| (0, why.clone())).0 += 1;
                    }
                }
            }
            news::News::Now { moment, sights, is_last } => {
                let mut now = lock(&self.now);
                now.moment = Some((*moment).clone());
                now.sights.extend(sights.iter().cloned());
                // Each step of a search ends a run, thousands of them in a second.
                let is_end = *is_last && now.doing != Doing::Searches;
                let is_due = is_end || now.shown_at.elapsed() >= PICTURES;
                if is_due && self.hub.is_watched() {
                    now.shown_at = Instant::now();
                    self.show(&now);
                }
            }
        }
    }

    fn searched(&self, seen: Seen) {
        let is_due = {
            let mut now = lock(&self.now);
            let is_due = seen.is_at_its_end() || now.due <= Instant::now();
            // A search that goes on takes its first steps in microseconds.
            if !is_due && seen.played() == 0 {
                return;
            }
            now.standing = Some(seen.standing());
            (now.moment, now.sights) = (None, BTreeMap::new());
            is_due
        };
        if is_due {
            let begun = Instant::now();
            // The threads of a run must not wait for this.
            let drawings = Arc::new(drawn::of_search(&seen.course(MOST_STEPS)));
            let mut now = lock(&self.now);
            now.drawings = drawings;
            self.show(&now);
            let rest = if self.hub.is_watched() { REST } else { UNWATCHED };
            now.due = Instant::now() + LOOK.max(rest * begun.elapsed());
        }
    }

    fn begins(&self, doing: Doing) {
        let mut now = lock(&self.now);
        let part = self.part(&now);
        now.parts.push(part);
        (now.doing, now.moment, now.sights) = (doing, None, BTreeMap::new());
        self.show(&now);
    }

    /// What it does now, as far as it is.
    fn part(&self, now: &Now) -> Part {
        let games = now.moment.as_ref().map_or(0, |moment| moment.before() + moment.played());
        match now.doing {
            Doing::Searches => {
                let spent = now.standing.as_ref().map_or(0, |standing| standing.spent);
                Part::of("search".to_owned(), (spent + games).min(self.tune.budget), self.tune.budget, "")
            }
            Doing::Validates(number, each) => {
                let both = match self.experiment.arena().shape {
                    Shape::Solo => 2,
                    Shape::Duel => 1,
                };
                let all = now.moment.as_ref().map_or(both * each, Moment::all);
                Part::of(format!("validation {number}"), games, all, " at most, on fresh seeds")
            }
            Doing::Explains(all) => Part::of("slices through the answer".to_owned(), games, all, ""),
        }
    }

    fn show(&self, now: &Now) {
        let Watch { experiment, tune, .. } = *self;
        let part = self.part(now);
        let mut words = vec![part.words.clone()];
        if let Some(standing) = now.standing.as_ref().filter(|standing| standing.refused > 0) {
            words.push(format!("the player refused {} candidates", grouped(standing.refused)));
        }
        let progress = Progress { done: part.done, all: part.all, words, pace: self.pace(now) };
        let is_search = now.doing == Doing::Searches;
        let standing = now.standing.as_ref();
        let settings = standing.map(|standing| {
            searched::settings(&standing.settings(experiment, tune), &standing.now(experiment, tune))
        });
        let moment = now.moment.as_ref();
        let played = moment.map_or(0, |moment| moment.before() + moment.played());
        let step = standing.filter(|_| is_search).and_then(|it| it.in_hand(experiment, tune, played));
        let forfeits = now.forfeits.iter().map(|(number, why)| {
            format!("players have forfeited {}; the first: {}", games(*number), escape::line(why))
        });
        let (players, others) = moment.filter(|_| !is_search).map(players).unwrap_or_default();
        let picture = Picture {
            state: if moment.is_some_and(|moment| moment.is_stopping) { State::Stops } else { State::Plays },
            doing: match now.doing {
                Doing::Searches => "searches",
                Doing::Validates(..) => "validates its answer",
                Doing::Explains(_) => "plays slices through its answer",
            },
            warnings: forfeits.collect(),
            progress,
            scale: "win rate",
            players,
            others,
            stop: moment.and_then(|it| it.between.map(|between| Stop::of(it.standing.clone(), between))),
            in_play: in_play(moment, &now.sights),
            parts: now.parts.iter().cloned().chain([part]).collect(),
            settings: settings.unwrap_or_default(),
            candidates: searched::candidates(step.as_ref(), keys(tune)),
            drawings: Arc::clone(&now.drawings),
            ..searched::frame(experiment)
        };
        self.hub.show(picture);
    }

    /// How fast it goes, in words.
    fn pace(&self, now: &Now) -> Vec<String> {
        let moment = now.moment.as_ref();
        if now.doing != Doing::Searches {
            return moment.map(|moment| vec![moment.pace(), moment.time_left()]).unwrap_or_default();
        }
        let Some(standing) = &now.standing else { return Vec::new() };
        let (before, in_step) = (standing.played, moment.map_or(0, Moment::played));
        let seconds = now.begun.elapsed().as_secs_f64();
        let rate = (before + in_step) as f64 / seconds.max(1e-9);
        if rate == 0.0 {
            return Vec::new();
        }
        let left = self.tune.budget.saturating_sub(standing.spent + in_step) as f64 / rate;
        let left = Duration::from_secs_f64(left.min(1e9));
        vec![format!("{} games/s", pace(rate)), format!("{} left", clock(left))]
    }
}

/// The players of a run, the leaders first.
fn players(moment: &Moment) -> (Vec<Player>, usize) {
    let player = |line: &LineUpState| Player {
        name: line.name.clone(),
        done: line.before + line.games,
        all: line.all,
        strength: line.win_rate().map(Into::into),
        so_far: line.so_far(),
        ..Player::default()
    };
    let leaders = moment.leaders();
    let shown = leaders.iter().take(MOST_PLAYERS).map(|&place| player(&moment.lines[place])).collect();
    (shown, leaders.len().saturating_sub(MOST_PLAYERS))
}

/// Games in play. What was seen of a line-up that has ended is not shown.
fn in_play(moment: Option<&Moment>, sights: &BTreeMap<usize, Sight>) -> Vec<InPlay> {
    let Some(moment) = moment else { return Vec::new() };
    let lines = moment.lines.iter().filter(|line| !line.in_hand.is_empty());
    let of = |line: &LineUpState| {
        let sight = sights.get(&line.lineup)?;
        Some(InPlay::of(line.name.clone(), sight, words::standing(sight.outcome)))
    };
    lines.filter_map(of).take(MOST_PLAYERS).collect()
}
