//! The files that a tuning leaves in its folder: the experiment, the path of the search, the settings that were found as an
//! experiment that `run` takes, what validation says, and a manifest.

use std::io;
use std::path::Path;

use anyhow::Context;

use super::answer::Answer;
use super::candidates::{Candidates, Side, root};
use super::method::Point;
use super::search::{LEVEL, Row, Search};
use super::task::Task;
use super::validation::Validation;
use crate::compare::comparison::Comparison;
use crate::compare::question::Shown;
use crate::compare::table;
use crate::config::Blocks;
use crate::config::derived::{NewHead, derived};
use crate::config::tune::Field;
use crate::disk::system;
use crate::game::Shape;
use crate::results::folder::{EXPERIMENT, MANIFEST};
use crate::results::manifest::digest;
use crate::results::tuning::{
    FORMAT, IMPORTANCE, TRAJECTORY, TUNED, VALIDATION, trajectory_columns, validation_columns,
};
use crate::run::journal::Journal;
use crate::run::machine;
use crate::settings::shortest;
use crate::table::{Cell, Column, Kind, Table};
use crate::text::shown;

/// What is known of the settings that were found.
#[derive(Clone, Copy)]
pub(super) enum Known<'a> {
    /// They are those of the start.
    AtItsStart,
    /// Validation has not ended.
    NotYet,
    /// What validation says.
    Validated(&'a Validation),
}

impl<'a> Known<'a> {
    /// What is known at the end; without a validation the answer is the start.
    pub(super) fn at_the_end(validation: Option<&'a Validation>) -> Known<'a> {
        validation.map_or(Known::AtItsStart, Known::Validated)
    }
}

/// What the player as the file had it is called beside the tuned one, in a game of two.
const START: &str = "start";
const OTHER_START: &str = "the start";

/// The files of a tuning, as they are written.
pub(super) struct Leaves<'a> {
    task: &'a Task<'a>,
    digests: toml::Table,
}

impl<'a> Leaves<'a> {
    /// Begins them, while the journal of the folder is locked. The manifest goes first and comes back last: a folder without
    /// one is that of a tuning that has not ended.
    pub(super) fn begin(task: &'a Task<'a>) -> anyhow::Result<Leaves<'a>> {
        let manifest = task.folder.join(MANIFEST);
        match system().remove(&manifest) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", shown(&manifest)));
            }
            _ => {}
        }
        let leaves = Leaves { task, digests: toml::Table::new() };
        replace(task.folder, EXPERIMENT, task.experiment.text().as_bytes())?;
        Ok(leaves)
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        replace(self.task.folder, name, bytes)?;
        self.digests.insert(name.to_owned(), blake3::hash(bytes).to_hex().to_string().into());
        Ok(())
    }

    fn table(&mut self, table: &Table) -> anyhow::Result<()> {
        self.write(&format!("{}.csv", table.name), &table.to_csv())
    }

    /// The path of the search: a row for each step.
    pub(super) fn trajectory(&mut self, search: &Search, candidates: Candidates) -> anyhow::Result<()> {
        let tune = self.task.tune;
        let mut columns = trajectory_columns();
        let path = |point: &Point| match &tune.field {
            Field::Params { .. } => {
                candidates.settings(point).into_iter().map(|(_, value)| Cell::Text(shortest(value))).collect()
            }
            Field::Players(_) => vec![Cell::Text(candidates.name(point).to_owned())],
        };
        match &tune.field {
            Field::Params { params, .. } => {
                columns.extend(params.iter().map(|param| Column::of_setting(param.key.clone(), Kind::Words)));
            }
            Field::Players(_) => columns.push(Column::words("player")),
        }
        let legs = self.task.experiment.arena().shape.legs() as u64;
        let row = |row: &Row| {
            let gain = row.check.and_then(|check| check.gain);
            let mut cells = vec![
                Cell::Whole(legs * row.games),
                Cell::Text(row.kind.name().to_owned()),
                row.check.map_or(Cell::Nothing, |check| Cell::Truth(check.is_kept)),
                Cell::real(gain.map(|gain| gain.value), 6),
                Cell::real(gain.map(|gain| gain.low).filter(|low| low.is_finite()), 6),
                Cell::real(gain.map(|gain| gain.high).filter(|high| high.is_finite()), 6),
            ];
            cells.extend(path(&row.point));
            cells
        };
        let rows = search.rows().iter().map(row).collect();
        self.table(&Table { name: TRAJECTORY, columns, level: Some(LEVEL), rows })
    }

    /// The settings that were found, as an experiment that `run` takes; and what is known of them.
    pub(super) fn tuned(&mut self, side: &Side, name: &str, known: Known) -> anyhow::Result<()> {
        let Task { experiment, command, .. } = self.task;
        let known = match known {
            Known::Validated(validation) => {
                format!("Validation {}: {}.", validation.number, validation.words())
            }
            Known::AtItsStart => "They are those of the start: the search found nothing better.".to_owned(),
            Known::NotYet => "Validation has not ended.".to_owned(),
        };
        let comment = format!(
            "Settings that `{command}` found.\n{known}\nThe seed is that of the file that was tuned; take another one for games of \
             your own."
        );
        let arena = experiment.arena();
        let (seed, blocks) = match experiment.blocks() {
            Blocks::Derived { seed, games } => (*seed, *games),
            Blocks::Listed(seeds) => (root(experiment).number(), seeds.len() as u64),
        };
        let games = blocks * arena.shape.legs() as u64;
        let title = format!("{}-tuned", experiment.name());
        let head = NewHead { comment: &comment, name: &title, seed, games };
        let mut players = vec![(name, &side.entrant)];
        if arena.shape == Shape::Duel {
            // It takes two to play.
            let start = if name == START { OTHER_START } else { START };
            let candidates = Candidates { experiment, tune: self.task.tune };
            players.push((start, candidates.written()));
        }
        let tuned = derived(experiment, head, players, "")?;
        self.write(TUNED, tuned.text().as_bytes())
    }

    /// What validation says, a row for each measure.
    pub(super) fn validation(&mut self, validation: Option<&Validation>) -> anyhow::Result<()> {
        let Some(validation) = validation else { return Ok(()) };
        let mut table = table::table(&VALIDATION, &validation.comparisons, verdict);
        table.columns.splice(0..0, validation_columns());
        let cells = [Cell::Whole(validation.number), Cell::Whole(self.task.tune.budget)];
        table.rows.iter_mut().for_each(|row| _ = row.splice(0..0, cells.clone()));
        self.table(&table)
    }

    /// What is lost when one setting goes back to its start.
    pub(super) fn importance(&mut self, comparisons: &[(Comparison, String)]) -> anyhow::Result<()> {
        self.table(&table::table(&IMPORTANCE, comparisons, verdict))
    }

    /// The manifest, which is the last file: with it the folder is complete. It says which method searched.
    pub(super) fn finish(self, method: &str, answer: &Answer, journal: &Journal) -> anyhow::Result<()> {
        let Task { experiment, tune, command, folder, .. } = self.task;
        let sessions = journal.sessions();
        let seconds: f64 = sessions.iter().filter_map(|session| session.seconds).sum();
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let mut manifest = toml::Table::new();
        manifest.insert("format".to_owned(), i64::from(FORMAT).into());
        let verdict = answer.validation.as_ref().map_or("not shown", |known| known.verdict.words());
        manifest.insert("experiment".to_owned(), experiment.name().into());
        manifest.insert("command".to_owned(), (*command).into());
        manifest.insert("method".to_owned(), method.into());
        manifest.insert("objective".to_owned(), tune.objective.to_string().into());
        manifest.insert("budget".to_owned(), number(tune.budget).into());
        manifest.insert("games".to_owned(), number(answer.games).into());
        manifest.insert("refused".to_owned(), number(answer.refused).into());
        manifest.insert("verdict".to_owned(), verdict.into());
        if let Some(validation) = &answer.validation {
            let name = validation.folder.file_name().map(|name| name.to_string_lossy().into_owned());
            manifest.insert("validation".to_owned(), name.unwrap_or_default().into());
        }
        manifest.insert("gauntlet".to_owned(), machine::VERSION.into());
        manifest.insert("revision".to_owned(), machine::build().revision.into());
        manifest.insert("compiler".to_owned(), machine::build().compiler.into());
        manifest.insert("cpu".to_owned(), machine::cpu().into());
        manifest.insert("cores".to_owned(), number(machine::cores() as u64).into());
        let threads = sessions.iter().map(|session| session.threads).max().unwrap_or(0);
        manifest.insert("threads".to_owned(), number(threads as u64).into());
        manifest.insert("finished".to_owned(), machine::now().into());
        manifest.insert("search_seconds".to_owned(), ((seconds * 1000.0).round() / 1000.0).into());
        manifest.insert("experiment_digest".to_owned(), digest(experiment).into());
        manifest.insert("digests".to_owned(), self.digests.into());
        let text = toml::to_string(&manifest).expect("a manifest is plain data");
        replace(folder, MANIFEST, text.as_bytes())
    }
}

fn verdict(shown: Shown) -> &'static str {
    match shown {
        Shown::Yes => "better",
        Shown::Opposite => "worse",
        Shown::Nothing => "not shown",
    }
}

/// Writes a file beside the one that it replaces, and gives it its name.
fn replace(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let disk = system();
    let (new, own) = (folder.join(format!(".new-{name}")), folder.join(name));
    let written = disk.check_replaceable(&own).and_then(|()| {
        let file = disk.create(&new)?;
        file.append(bytes)?;
        file.sync()?;
        disk.rename(&new, &own)?;
        disk.sync_folder(folder)
    });
    if written.is_err() {
        let _ = disk.remove(&new);
    }
    written.with_context(|| format!("cannot write {}", shown(&own)))
}
