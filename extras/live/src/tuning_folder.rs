//! The picture of a tuning: its search, repeated from its journal, and the validation in progress.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::kept_experiment;
use gauntlet_analysis::results::store::manifest::Manifest;
use gauntlet_analysis::results::store::origin::with_files;
use gauntlet_analysis::results::store::set::{EXPERIMENT, MANIFEST, told};
use gauntlet_analysis::results::store::tuning::{EXPLAINED, gone_on, is_asked, manifest, validations};
use gauntlet_core::disk::system;
use gauntlet_core::text::games;
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_tune::results::tuned::{TuningSummary, answered};
use gauntlet_tune::results::unfinished::FAVOURED;
use gauntlet_tune::unfinished::unfinished;

use crate::file_stamps::FileStamps;
use crate::of_folder::RunWatch;
use crate::picture::{LiveCandidates, LiveProgress, LiveSnapshot, TuningPartProgress, WorkState};
use crate::searched::{self, MOST_STEPS};
use crate::words;
use gauntlet_report::page::drawn;

/// Watches the folder of a tuning.
pub(crate) struct TuningWatch {
    catalog: Catalog,
    folder: PathBuf,
    /// Stamps of the files at the last look; `None` before the first look.
    traces: Option<FileStamps>,
    /// The search as read from files with these stamps.
    search: Option<(FileStamps, Searched)>,
    /// The runs that belong to the tuning, by folder, each with its last picture.
    runs: BTreeMap<PathBuf, (RunWatch, LiveSnapshot)>,
}

/// The picture of a search.
struct Searched {
    picture: LiveSnapshot,
    /// True if the search has ended.
    has_ended: bool,
}

impl TuningWatch {
    /// Watches a folder.
    pub(crate) fn of(catalog: Catalog, folder: PathBuf) -> TuningWatch {
        TuningWatch { catalog, folder, traces: None, search: None, runs: BTreeMap::new() }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub(crate) fn look(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let journal = paths::path_in(&self.folder, None);
        let manifest_of = |folder: &PathBuf| folder.join(MANIFEST);
        let of_search = FileStamps::of([manifest_of(&self.folder)], [journal.clone()]);
        let is_playing = of_search.are_in_use();
        let last = validations(&self.folder)?.pop();
        let run = last.map(|(number, folder)| (format!("validation {number}"), folder));
        let runs = run.iter().map(|(_, folder)| folder.clone()).chain([self.folder.join(EXPLAINED)]);
        let runs: Vec<PathBuf> = runs.collect();
        let files = runs.iter().flat_map(|folder| [folder.join(EXPERIMENT), manifest_of(folder)]);
        let journals = runs.iter().map(|folder| paths::path_in(folder, None)).chain([journal.clone()]);
        let traces = FileStamps::of(files.chain([manifest_of(&self.folder)]), journals);
        if self.traces.as_ref() == Some(&traces) {
            return Ok(None);
        }
        self.traces = None;
        if !self.folder.join(MANIFEST).exists() {
            // The tuning is just starting.
            return Ok(None);
        }
        let Some(manifest) = manifest(&self.folder)? else {
            anyhow::bail!("its manifest is half there");
        };
        let mut picture = if !manifest.finished.is_empty() {
            self.of_ended(&manifest, is_playing)?
        } else if is_asked(&manifest) {
            self.of_asked(&manifest, &journal)?
        } else {
            self.of_search(of_search, run)?
        };
        if !is_playing && picture.state != WorkState::Finished {
            picture.warnings.push(words::NO_PROCESS.to_owned());
        }
        self.traces = Some(traces);
        Ok(Some(picture))
    }

    /// Returns the picture of a finished tuning, which may have been continued.
    fn of_ended(&mut self, manifest: &Manifest, is_playing: bool) -> anyhow::Result<LiveSnapshot> {
        let journal = gone_on(manifest, &self.folder)?.filter(|_| is_playing);
        let TuningSummary { verdict, settings } = answered(self.catalog, &self.folder)?;
        let picture = LiveSnapshot {
            doing: "continues after its verdict",
            said: verdict,
            answer: settings,
            ..LiveSnapshot::of("tuning", &manifest.experiment, "")
        };
        let Some(journal) = journal else {
            return Ok(LiveSnapshot { state: WorkState::Finished, ..picture });
        };
        let progress = held(&journal, "in the journal");
        let said = format!("Verdict of the last validation: {}", picture.said);
        Ok(LiveSnapshot { state: WorkState::Plays, progress, said, ..picture })
    }

    /// Returns the picture of a tuning with an external optimizer. Only the optimizer knows the
    /// path.
    fn of_asked(&mut self, manifest: &Manifest, journal: &Path) -> anyhow::Result<LiveSnapshot> {
        let journal = journal.exists().then(|| Journal::peek(journal)).transpose()?;
        let progress = journal.map(|journal| held(&journal, "asked for so far")).unwrap_or_default();
        Ok(LiveSnapshot {
            doing: "is run by an external optimizer",
            state: if progress.done > 0 { WorkState::Plays } else { WorkState::Begins },
            progress,
            ..LiveSnapshot::of("tuning", &manifest.experiment, "")
        })
    }

    fn of_search(
        &mut self,
        traces: FileStamps,
        run: Option<(String, PathBuf)>,
    ) -> anyhow::Result<LiveSnapshot> {
        if self.search.as_ref().is_none_or(|(before, _)| *before != traces) {
            self.search = Some((traces, self.searched()?));
        }
        let (_, search) = self.search.as_ref().expect("it was read");
        let picture = search.picture.clone();
        match run.filter(|_| search.has_ended) {
            None => Ok(picture),
            Some((name, folder)) => self.with_run(picture, name, &folder),
        }
    }

    /// Returns the picture of the search, repeated from its journal.
    fn searched(&self) -> anyhow::Result<Searched> {
        let tuning = unfinished(self.catalog, &self.folder)?;
        let course = tuning.course.thinned(MOST_STEPS);
        let mut progress = LiveProgress::of(&tuning.progress);
        let parts = vec![TuningPartProgress::of("search".to_owned(), &progress, "")];
        progress.words.push(tuning.done().join(", "));
        let (experiment, arena) = (&tuning.experiment, tuning.experiment.arena());
        let picture = LiveSnapshot {
            doing: "searches",
            said: FAVOURED.to_owned(),
            scale: words::scale(arena.shape),
            state: if progress.done > 0 { WorkState::Plays } else { WorkState::Begins },
            warnings: tuning.doubts.clone(),
            settings: searched::settings(&course.settings, &tuning.now),
            candidates: searched::candidates(tuning.in_hand.as_ref(), course.keys.clone()),
            drawings: Arc::new(drawn::of_search(&course)),
            progress,
            parts,
            ..LiveSnapshot::of("tuning", experiment.name(), arena.name)
        };
        Ok(Searched { picture, has_ended: tuning.in_hand.is_none() })
    }

    /// Adds the validation and, after its end, the slices through the best point. Both are shown as
    /// runs.
    fn with_run(
        &mut self,
        search: LiveSnapshot,
        name: String,
        folder: &Path,
    ) -> anyhow::Result<LiveSnapshot> {
        let explained = self.folder.join(EXPLAINED);
        let mut run = self.run_in(folder)?;
        let mut parts = search.parts.clone();
        let mut doing = "validates its best point";
        parts.push(TuningPartProgress::of(name, &run.progress, " at most, on fresh seeds"));
        if run.state == WorkState::Finished {
            doing = "has validated its best point";
            if Journal::is_in_use(&paths::path_in(&explained, None)) {
                run = self.run_in(&explained)?;
                doing = "plays slices through its best point";
                parts.push(TuningPartProgress::of(
                    "slices through the best point".to_owned(),
                    &run.progress,
                    "",
                ));
            }
        }
        // The warning about inactive processes is shown for the tuning as a whole.
        run.warnings.retain(|warning| warning != words::NO_PROCESS);
        let said = format!("{} {FAVOURED}", run.said);
        let frame = LiveSnapshot { doing, said, parts, candidates: LiveCandidates::default(), ..search };
        Ok(frame.around(LiveSnapshot { state: WorkState::Plays, ..run }))
    }

    /// Returns the picture of a run that belongs to the tuning.
    fn run_in(&mut self, folder: &Path) -> anyhow::Result<LiveSnapshot> {
        if !self.runs.contains_key(folder) {
            let copy = kept_experiment(self.catalog, &system(), folder)?;
            let experiment: Experiment = with_files(self.catalog, folder, copy).map_err(told)?;
            let watch = RunWatch::of(experiment, folder.to_owned(), folder.to_owned(), None);
            self.runs.insert(folder.to_owned(), (watch, LiveSnapshot::default()));
        }
        let (watch, last) = self.runs.get_mut(folder).expect("it was added");
        if let Some(picture) = watch.look()? {
            *last = picture;
        }
        Ok(last.clone())
    }
}

/// Returns a bar for the games of a journal, if their total is unknown.
fn held(journal: &Journal, how: &str) -> LiveProgress {
    let done = journal.games();
    LiveProgress { done, words: vec![format!("{} {how}", games(done))], ..LiveProgress::default() }
}
