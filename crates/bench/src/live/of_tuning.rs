//! The picture of a tuning, made of what it tells those who look on.
//!
//! It tells of each step of its search, of which there may be thousands a second. So its figures are drawn now and then, in a small
//! part of a core's time, and a step leaves a few numbers only. The games of a step, and those of a validation, are runs, which tell
//! as all runs do.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::heard::{Heard, lock};
use super::hub::Hub;
use super::picture::{Part, Picture, Progress, State};
use super::searched::{self, MOST_STEPS};
use super::words;
use crate::config::Experiment;
use crate::config::tune::Tune;
use crate::game::Shape;
use crate::page::drawn::{self, Drawn};
use crate::record::Slice;
use crate::results::tunings::path::keys;
use crate::run::keyed::Keyed;
use crate::run::news;
use crate::run::screen::Moment;
use crate::text::grouped;
use crate::tune::{News, Seen, Standing};

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
    /// What is heard of a validation, or of slices.
    run: RwLock<Option<Heard>>,
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
    /// The games of the step that is played.
    moment: Option<Moment>,
    /// The run of now: a validation, or slices.
    run: Picture,
    /// Games of the search that ended by the fault of a player, and how the first of them did.
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
            run: Picture::default(),
            forfeits: None,
        };
        hub.show(searched::frame(experiment));
        Watch { experiment, tune, hub, now: Mutex::new(now), run: RwLock::new(None) }
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

    /// Hears what its runs tell: the many of a search, or that of a validation.
    pub fn hear_run(&self, plan: &Keyed, news: &news::News) {
        if matches!(news, news::News::Begins(_)) && lock(&self.now).doing != Doing::Searches {
            *self.run.write().unwrap_or_else(PoisonError::into_inner) = Some(Heard::of(plan));
        }
        let run = self.run.read().unwrap_or_else(PoisonError::into_inner);
        match (news, &*run) {
            (news::News::Begins(coverage), Some(run)) => run.begins(plan, coverage),
            (news::News::Played { lineup, first, slice }, Some(run)) => {
                run.played(plan, *lineup, *first, slice);
            }
            (news::News::Now { moment, sights, is_last }, Some(run)) => {
                run.saw(sights);
                let picture = run.picture(plan, moment, *is_last, self.hub.is_watched());
                let mut now = lock(&self.now);
                now.run = picture;
                self.show(&now);
            }
            (news::News::Begins(_), None) => {}
            (news::News::Played { slice, .. }, None) => self.note_forfeits(slice),
            // Each step of a search ends a run, thousands of them in a second.
            (news::News::Now { moment, .. }, None) => {
                let mut now = lock(&self.now);
                now.moment = Some((*moment).clone());
                if now.shown_at.elapsed() >= PICTURES && self.hub.is_watched() {
                    now.shown_at = Instant::now();
                    self.show(&now);
                }
            }
        }
    }

    /// Nearly all slices are without a complaint, and their threads do not wait for a picture.
    fn note_forfeits(&self, slice: &Slice) {
        let forfeits = slice.complaints.iter().filter(|(place, _)| !slice.records[*place].ending.is_panic());
        for (_, why) in forfeits {
            lock(&self.now).forfeits.get_or_insert_with(|| (0, why.clone())).0 += 1;
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
            now.moment = None;
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
        *self.run.write().unwrap_or_else(PoisonError::into_inner) = None;
        let mut now = lock(&self.now);
        let part = self.part(&now);
        now.parts.push(part);
        (now.doing, now.moment, now.run) = (doing, None, Picture::default());
        self.show(&now);
    }

    /// What it does now, as far as it is.
    fn part(&self, now: &Now) -> Part {
        let Progress { done, all, .. } = now.run.progress;
        let all_or = |known: u64| if all == 0 { known } else { all };
        match now.doing {
            Doing::Searches => {
                let spent = now.standing.as_ref().map_or(0, |standing| standing.spent);
                let done = (spent + now.of_step()).min(self.tune.budget);
                Part::of("search".to_owned(), done, self.tune.budget, "")
            }
            Doing::Validates(number, each) => {
                let both = match self.experiment.arena().shape {
                    Shape::Solo => 2,
                    Shape::Duel => 1,
                };
                Part::of(searched::validation(number), done, all_or(both * each), searched::AT_MOST)
            }
            Doing::Explains(known) => Part::of(searched::SLICES.to_owned(), done, all_or(known), ""),
        }
    }

    fn show(&self, now: &Now) {
        let Watch { experiment, tune, .. } = *self;
        let part = self.part(now);
        let is_search = now.doing == Doing::Searches;
        let standing = now.standing.as_ref();
        let run = now.run.clone();
        let mut progress =
            Progress { done: part.done, all: part.all, ..run.progress.clone().in_words(part.words.clone()) };
        if let Some(standing) = standing.filter(|standing| standing.refused > 0) {
            progress.words.push(format!("the player refused {} candidates", grouped(standing.refused)));
        }
        if is_search {
            progress.pace = self.pace(now);
        }
        let settings = standing.map(|standing| {
            searched::settings(&standing.settings(experiment, tune), &standing.now(experiment, tune))
        });
        let step = standing.filter(|_| is_search);
        let step = step.and_then(|standing| standing.in_hand(experiment, tune, now.of_step()));
        let forfeits = now.forfeits.iter().map(|(number, why)| words::forfeits("players", *number, why));
        let is_stopping = now.moment.as_ref().is_some_and(|moment| moment.is_stopping);
        let frame = Picture {
            doing: match now.doing {
                Doing::Searches => searched::SEARCHES,
                Doing::Validates(..) => searched::VALIDATES,
                Doing::Explains(_) => searched::EXPLAINS,
            },
            warnings: forfeits.collect(),
            parts: now.parts.iter().cloned().chain([part]).collect(),
            settings: settings.unwrap_or_default(),
            candidates: searched::candidates(step.as_ref(), keys(tune)),
            drawings: Arc::clone(&now.drawings),
            ..searched::frame(experiment)
        };
        let state = if is_stopping || run.state == State::Stops { State::Stops } else { State::Plays };
        self.hub.show(frame.around(Picture { state, progress, ..run }));
    }

    /// How fast the search goes, in words.
    fn pace(&self, now: &Now) -> Vec<String> {
        let Some(standing) = &now.standing else { return Vec::new() };
        // Games that were in the journal are done, and tell nothing of the pace.
        let played = standing.played + now.moment.as_ref().map_or(0, Moment::played);
        let left = self.tune.budget.saturating_sub(standing.spent + now.of_step());
        words::pace(played, now.begun.elapsed(), left)
    }
}

impl Now {
    /// Games of the step that are there, played now or before.
    fn of_step(&self) -> u64 {
        self.moment.as_ref().map_or(0, |moment| moment.before() + moment.played())
    }
}
