//! The picture of a tuning that another process plays: its search, walked again on its journal, and the validation that it plays.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::of_folder::{self, Trace, is_in_use, trace};
use super::picture::{Part, Picture, State};
use super::rate::Rate;
use super::searched::{self, MOST_STEPS};
use crate::arena::Arenas;
use crate::config::Experiment;
use crate::disk::system;
use crate::page::drawn;
use crate::results::store::folder::kept_experiment;
use crate::results::store::manifest::Manifest;
use crate::results::store::origin::with_files;
use crate::results::store::set::{MANIFEST, told};
use crate::results::store::tuning::{EXPLAINED, gone_on, is_asked, manifest, validation_folder, validations};
use crate::results::tunings::unfinished::FAVOURED;
use crate::run::journal::Journal;
use crate::run::places;
use crate::text::games;
use crate::tune::unfinished::unfinished;

/// Looks at the folder of a tuning.
pub struct Watch<'a> {
    arenas: Arenas,
    folder: &'a Path,
    /// The command that reports.
    report: String,
    traces: Vec<Trace>,
    rate: Rate,
}

impl<'a> Watch<'a> {
    /// Looks at a folder.
    pub fn of(arenas: Arenas, folder: &'a Path, report: String) -> Watch<'a> {
        Watch { arenas, folder, report, traces: Vec::new(), rate: Rate::default() }
    }

    /// Looks again; none if nothing has changed.
    pub fn look(&mut self) -> anyhow::Result<Option<Picture>> {
        let journal = places::path_in(self.folder, None);
        let last = validations(self.folder)?.pop();
        let runs = last.iter().map(|(_, folder)| folder.clone()).chain([self.folder.join(EXPLAINED)]);
        let runs: Vec<PathBuf> = runs.map(|folder| places::path_in(&folder, None)).collect();
        let paths = [self.folder.join(MANIFEST), journal.clone()].into_iter().chain(runs);
        let traces: Vec<Trace> = paths.filter_map(|path| trace(&path)).collect();
        let is_playing = is_in_use(&journal);
        if traces == self.traces && is_playing && !self.rate.is_empty() {
            return Ok(None);
        }
        let Some(manifest) = manifest(self.folder)? else {
            anyhow::bail!("its manifest is gone");
        };
        let mut picture = if !manifest.finished.is_empty() {
            self.of_ended(&manifest, is_playing)?
        } else if is_asked(&manifest) {
            self.of_asked(&manifest, &journal)?
        } else {
            self.of_search(last.map(|(number, _)| number))?
        };
        if !is_playing && picture.state != State::Finished {
            picture.warnings.push("no process of this machine plays into this folder now".to_owned());
        }
        self.traces = traces;
        Ok(Some(picture))
    }

    /// One that has come to its end, and may have been taken up again.
    fn of_ended(&mut self, manifest: &Manifest, is_playing: bool) -> anyhow::Result<Picture> {
        let title = manifest.experiment.clone();
        let journal = gone_on(manifest, self.folder)?.filter(|_| is_playing);
        let mut picture =
            Picture { title, report: self.report.clone(), ..bare("has ended, and its answer is written") };
        let Some(journal) = journal else { return Ok(Picture { state: State::Finished, ..picture }) };
        let held = journal.games();
        picture.progress = self.rate.progress(held, 0);
        picture.progress.words = vec![format!("{} in the journal", games(held))];
        Ok(Picture {
            state: State::Plays,
            doing: "goes on since its answer",
            said: "Its path comes with its next answer; that of before stays until then.".to_owned(),
            ..picture
        })
    }

    /// One whose search is another program's, which alone knows its path.
    fn of_asked(&mut self, manifest: &Manifest, journal: &Path) -> anyhow::Result<Picture> {
        let held = if journal.exists() { Journal::peek(journal)?.games() } else { 0 };
        let mut progress = self.rate.progress(held, 0);
        progress.words = vec![format!("{} asked for so far", games(held))];
        Ok(Picture {
            title: manifest.experiment.clone(),
            state: if held > 0 { State::Plays } else { State::Begins },
            progress,
            ..bare("is asked by another program")
        })
    }

    fn of_search(&mut self, validation: Option<u64>) -> anyhow::Result<Picture> {
        let tuning = unfinished(self.arenas, self.folder)?;
        let budget = tuning.told.budget;
        let search = Part::of("search".to_owned(), tuning.played(), budget, "");
        let course = tuning.course.thinned(MOST_STEPS);
        let mut picture = Picture {
            state: if tuning.played() > 0 { State::Plays } else { State::Begins },
            warnings: tuning.doubts.clone(),
            settings: searched::settings(&course.settings, &tuning.now),
            candidates: searched::candidates(tuning.in_hand.as_ref(), course.keys.clone()),
            drawings: Arc::new(drawn::of_search(&course)),
            ..searched::frame(&tuning.experiment)
        };
        match validation.filter(|_| tuning.in_hand.is_none()) {
            None => {
                picture.progress = self.rate.progress(search.done, search.all);
                picture.progress.words.push(tuning.done().join(", "));
                picture.parts.push(search);
            }
            Some(number) => {
                picture.parts.push(search);
                self.add_validation(&mut picture, number)?;
            }
        }
        Ok(picture)
    }

    /// A validation is a run, and is shown as one.
    fn add_validation(&mut self, picture: &mut Picture, number: u64) -> anyhow::Result<()> {
        let folder = self.folder.join(validation_folder(number));
        let copy = kept_experiment(self.arenas, &system(), &folder)?;
        let experiment: Experiment = with_files(self.arenas, &folder, copy).map_err(told)?;
        let run = of_folder::Watch::of(&experiment, &folder, String::new(), String::new()).look()?;
        let Some(run) = run else { return Ok(()) };
        let has_ended = run.state == State::Finished;
        picture.progress = self.rate.progress(run.progress.done, run.progress.all);
        picture.doing = if has_ended { "has validated its answer" } else { "validates its answer" };
        let (done, all) = (run.progress.done, run.progress.all);
        picture.parts.push(Part::of(format!("validation {number}"), done, all, " at most, on fresh seeds"));
        picture.said = format!("{} {FAVOURED}", run.said);
        (picture.players, picture.others, picture.scale) = (run.players, run.others, run.scale);
        (picture.stop, picture.finished) = (run.stop, run.finished);
        Ok(())
    }
}

fn bare(doing: &'static str) -> Picture {
    Picture { kind: "tuning", version: crate::run::machine::VERSION.to_owned(), doing, ..Picture::default() }
}
