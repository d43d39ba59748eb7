//! The picture of a tuning: its search, repeated from its journal, and the validation in progress.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::experiment_copy::parse_copy;
use gauntlet_analysis::results::store::folder::read_experiment_copy;
use gauntlet_analysis::results::store::manifest::Manifest;
use gauntlet_analysis::results::store::snapshot::{EXPERIMENT, MANIFEST, explain_load_error};
use gauntlet_analysis::results::store::tuning::{
    EXPLAIN_FOLDER, continued_journal, is_external, read_tuning_manifest, validation_folders,
};
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::format_games;
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_tune::results::tuning_results::{TuningSummary, read_summary};
use gauntlet_tune::results::unfinished_tuning::BIAS_WARNING;
use gauntlet_tune::unfinished_tuning::read_unfinished;

use crate::file_stamps::FileStamps;
use crate::phrases;
use crate::picture::{LiveCandidates, LiveProgress, LiveSnapshot, TuningPartProgress, WorkState};
use crate::run_watch::RunWatch;
use crate::search_picture::{self, MAX_STEPS};
use gauntlet_report::page::drawn_plot;

/// Watches the folder of a tuning.
pub(crate) struct TuningWatch {
    catalog: Catalog,
    folder: PathBuf,
    /// Stamps of the files at the last look; `None` before the first look.
    last_stamps: Option<FileStamps>,
    /// The search as read from files with these stamps.
    search: Option<(FileStamps, SearchPicture)>,
    /// The runs that belong to the tuning, by folder, each with its last picture.
    runs: BTreeMap<PathBuf, (RunWatch, LiveSnapshot)>,
}

/// The picture of a search.
struct SearchPicture {
    picture: LiveSnapshot,
    /// True if the search has ended.
    has_ended: bool,
}

impl TuningWatch {
    /// Watches a folder.
    pub(crate) fn new(catalog: Catalog, folder: PathBuf) -> TuningWatch {
        TuningWatch { catalog, folder, last_stamps: None, search: None, runs: BTreeMap::new() }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub(crate) fn poll(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let journal = paths::journal_path(&self.folder, None);
        let manifest_of = |folder: &PathBuf| folder.join(MANIFEST);
        let search_stamps = FileStamps::new([manifest_of(&self.folder)], [journal.clone()]);
        let is_playing = search_stamps.are_in_use();
        let last_validation = validation_folders(&self.folder)?.pop();
        let validation = last_validation.map(|(number, folder)| (format!("validation {number}"), folder));
        let runs =
            validation.iter().map(|(_, folder)| folder.clone()).chain([self.folder.join(EXPLAIN_FOLDER)]);
        let runs: Vec<PathBuf> = runs.collect();
        let files = runs.iter().flat_map(|folder| [folder.join(EXPERIMENT), manifest_of(folder)]);
        let journals = runs.iter().map(|folder| paths::journal_path(folder, None)).chain([journal.clone()]);
        let stamps = FileStamps::new(files.chain([manifest_of(&self.folder)]), journals);
        if self.last_stamps.as_ref() == Some(&stamps) {
            return Ok(None);
        }
        self.last_stamps = None;
        if !self.folder.join(MANIFEST).exists() {
            // The tuning is just starting.
            return Ok(None);
        }
        let Some(manifest) = read_tuning_manifest(&self.folder)? else {
            anyhow::bail!("its manifest is half there");
        };
        let mut picture = if !manifest.finished.is_empty() {
            self.snapshot_of_finished(&manifest, is_playing)?
        } else if is_external(&manifest) {
            self.snapshot_of_external(&manifest, &journal)?
        } else {
            self.snapshot_of_search(search_stamps, validation)?
        };
        if !is_playing && picture.state != WorkState::Finished {
            picture.warnings.push(phrases::NO_PROCESS.to_owned());
        }
        self.last_stamps = Some(stamps);
        Ok(Some(picture))
    }

    /// Returns the picture of a finished tuning, which may have been continued.
    fn snapshot_of_finished(
        &mut self,
        manifest: &Manifest,
        is_playing: bool,
    ) -> anyhow::Result<LiveSnapshot> {
        let journal = continued_journal(manifest, &self.folder)?.filter(|_| is_playing);
        let TuningSummary { verdict, settings } = read_summary(self.catalog, &self.folder)?;
        let picture = LiveSnapshot {
            doing: "continues after its verdict",
            said: verdict,
            answer: settings,
            ..LiveSnapshot::new("tuning", &manifest.experiment, "")
        };
        let Some(journal) = journal else {
            return Ok(LiveSnapshot { state: WorkState::Finished, ..picture });
        };
        let progress = journal_progress(&journal, "in the journal");
        let description = format!("Verdict of the last validation: {}", picture.said);
        Ok(LiveSnapshot { state: WorkState::Plays, progress, said: description, ..picture })
    }

    /// Returns the picture of a tuning with an external optimizer. Only the optimizer knows the
    /// path.
    fn snapshot_of_external(&mut self, manifest: &Manifest, journal: &Path) -> anyhow::Result<LiveSnapshot> {
        let journal = journal.exists().then(|| Journal::peek(journal)).transpose()?;
        let progress =
            journal.map(|journal| journal_progress(&journal, "asked for so far")).unwrap_or_default();
        Ok(LiveSnapshot {
            doing: "is run by an external optimizer",
            state: if progress.done > 0 { WorkState::Plays } else { WorkState::Begins },
            progress,
            ..LiveSnapshot::new("tuning", &manifest.experiment, "")
        })
    }

    fn snapshot_of_search(
        &mut self,
        stamps: FileStamps,
        run: Option<(String, PathBuf)>,
    ) -> anyhow::Result<LiveSnapshot> {
        if self.search.as_ref().is_none_or(|(last_stamps, _)| *last_stamps != stamps) {
            self.search = Some((stamps, self.replay_search()?));
        }
        let (_, search) = self.search.as_ref().expect("it was read");
        let picture = search.picture.clone();
        match run.filter(|_| search.has_ended) {
            None => Ok(picture),
            Some((name, folder)) => self.add_run(picture, name, &folder),
        }
    }

    /// Returns the picture of the search, repeated from its journal.
    fn replay_search(&self) -> anyhow::Result<SearchPicture> {
        let tuning = read_unfinished(self.catalog, &self.folder)?;
        let history = tuning.history.thin(MAX_STEPS);
        let mut progress = LiveProgress::new(&tuning.progress);
        let parts = vec![TuningPartProgress::new("search".to_owned(), &progress, "")];
        progress.words.push(tuning.describe_steps().join(", "));
        let (experiment, arena) = (&tuning.experiment, tuning.experiment.arena());
        let picture = LiveSnapshot {
            doing: "searches",
            said: BIAS_WARNING.to_owned(),
            scale: phrases::strength_scale(arena.shape),
            state: if progress.done > 0 { WorkState::Plays } else { WorkState::Begins },
            warnings: tuning.journal_warnings.clone(),
            settings: search_picture::make_settings(&history.settings, &tuning.current_point),
            candidates: search_picture::make_candidates(tuning.current_step.as_ref(), history.keys.clone()),
            drawings: Arc::new(drawn_plot::draw_search(&history)),
            progress,
            parts,
            ..LiveSnapshot::new("tuning", experiment.name(), arena.name)
        };
        Ok(SearchPicture { picture, has_ended: tuning.current_step.is_none() })
    }

    /// Adds the validation and, after its end, the slices through the best point. Both are shown as
    /// runs.
    fn add_run(&mut self, search: LiveSnapshot, name: String, folder: &Path) -> anyhow::Result<LiveSnapshot> {
        let slices_folder = self.folder.join(EXPLAIN_FOLDER);
        let mut run = self.snapshot_of_run(folder)?;
        let mut parts = search.parts.clone();
        let mut activity = "validates its best point";
        parts.push(TuningPartProgress::new(name, &run.progress, " at most, on fresh seeds"));
        if run.state == WorkState::Finished {
            activity = "has validated its best point";
            if Journal::is_in_use(&paths::journal_path(&slices_folder, None)) {
                run = self.snapshot_of_run(&slices_folder)?;
                activity = "plays slices through its best point";
                parts.push(TuningPartProgress::new(
                    "slices through the best point".to_owned(),
                    &run.progress,
                    "",
                ));
            }
        }
        // The warning about inactive processes is shown for the tuning as a whole.
        run.warnings.retain(|warning| warning != phrases::NO_PROCESS);
        let description = format!("{} {BIAS_WARNING}", run.said);
        let tuning_picture = LiveSnapshot {
            doing: activity,
            said: description,
            parts,
            candidates: LiveCandidates::default(),
            ..search
        };
        Ok(tuning_picture.embed(LiveSnapshot { state: WorkState::Plays, ..run }))
    }

    /// Returns the picture of a run that belongs to the tuning.
    fn snapshot_of_run(&mut self, folder: &Path) -> anyhow::Result<LiveSnapshot> {
        if !self.runs.contains_key(folder) {
            let copy = read_experiment_copy(self.catalog, &system_disk(), folder)?;
            let experiment: Experiment =
                parse_copy(self.catalog, folder, copy).map_err(explain_load_error)?;
            let watch = RunWatch::new(experiment, folder.to_owned(), folder.to_owned(), None);
            self.runs.insert(folder.to_owned(), (watch, LiveSnapshot::default()));
        }
        let (watch, last) = self.runs.get_mut(folder).expect("it was added");
        if let Some(picture) = watch.poll()? {
            *last = picture;
        }
        Ok(last.clone())
    }
}

/// Returns a bar for the games of a journal, if their total is unknown.
fn journal_progress(journal: &Journal, description: &str) -> LiveProgress {
    let games = journal.games();
    LiveProgress {
        done: games,
        words: vec![format!("{} {description}", format_games(games))],
        ..LiveProgress::default()
    }
}
