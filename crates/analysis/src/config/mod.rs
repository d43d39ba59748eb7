//! Reads a configuration file: [`load`] checks it as a whole and returns an [`Experiment`].
//!
//! The format is described in `docs/EXPERIMENT.md`.

mod as_written;
mod blocks;
pub mod catalog;
pub mod changes;
mod check;
mod context;
pub mod derivation;
mod experiment;
mod name;
mod pairings;
pub mod pattern;
mod player;
mod player_tables;
mod reference;
mod roster;
pub mod search_path;
pub mod sections;
mod selection;
mod sweep;
pub mod time;
pub mod typed_players;

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, Mistakes};
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::section::{self, KeyDeclaration};
use gauntlet_core::settings::tree::{self, TomlTable};
use gauntlet_core::text::display_path;
use toml::Spanned;
use toml::de::DeTable;

use as_written::ExperimentAsWritten;
pub use as_written::{MAX_FILE_BYTES, section_keys};
pub use catalog::{BuiltInExperiment, Catalog};
use changes::{CliOverrides, OptionPositions};
pub use experiment::Experiment;
pub use name::experiment_name;
pub use player::ExperimentPlayer;
pub use sections::*;

/// Reason why an experiment cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file could not be read.
    Unreadable(anyhow::Error),
    /// The file has mistakes.
    Mistaken(Mistakes),
    /// The requested changes are not possible.
    Refused(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            LoadError::Unreadable(error) => write!(f, "{error:#}"),
            LoadError::Mistaken(mistakes) => mistakes.fmt(f),
            LoadError::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for LoadError {}

/// Reads an experiment of this catalog from a file, and opens the files from which its players are
/// built.
pub fn load(catalog: Catalog, path: &Path) -> Result<Experiment, LoadError> {
    from_bytes(catalog, path, read_bytes(catalog, path)?, Some(parent_folder(path)))
}

/// Returns the bytes of an experiment: of its file, or of a built-in one.
pub fn read_bytes(catalog: Catalog, path: &Path) -> Result<Vec<u8>, LoadError> {
    if let Some(experiment) = catalog.built_in_experiment(path) {
        return Ok(experiment.text.into());
    }
    read(path).with_context(|| format!("cannot read {}", display_path(path))).map_err(LoadError::Unreadable)
}

/// Returns the folder of a file.
fn parent_folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Parses an experiment, and opens the files from which its players are built, in the folder
/// `files`. Without a folder, only results can be read: nothing can be played, and these files may
/// be missing.
pub fn from_bytes(
    catalog: Catalog,
    path: &Path,
    bytes: Vec<u8>,
    files: Option<&Path>,
) -> Result<Experiment, LoadError> {
    let text = decode_text(path, bytes)?;
    let assets = files.map(|folder| Arc::new(AssetFiles::new(folder)));
    parse_with_assets(catalog, &display_path(path).to_string(), &text, assets).map_err(LoadError::Mistaken)
}

/// An experiment with possible changes from the command line.
#[derive(Debug)]
pub struct ChangedExperiment {
    pub experiment: Experiment,
    /// Parts that were dropped because of the changes.
    pub dropped_parts: Vec<String>,
    /// Name in the file.
    pub original_name: String,
}

/// Parses an experiment and changes it. Checks the file as written, and the result if there are
/// changes.
pub fn load_with_changes(
    catalog: Catalog,
    path: &Path,
    bytes: Vec<u8>,
    changes: &CliOverrides,
) -> Result<ChangedExperiment, LoadError> {
    let assets = Arc::new(AssetFiles::new(parent_folder(path)));
    // Files of excluded players are not opened.
    let opened_assets = changes.only.is_empty().then(|| Arc::clone(&assets));
    let (file, text) = (display_path(path).to_string(), decode_text(path, bytes)?);
    let experiment = parse_with_assets(catalog, &file, &text, opened_assets).map_err(LoadError::Mistaken)?;
    change(experiment, path, changes, assets)
}

/// Changes an experiment, and checks the result if there are changes. Files of players are opened
/// with `assets`.
pub fn change(
    mut experiment: Experiment,
    path: &Path,
    changes: &CliOverrides,
    assets: Arc<AssetFiles>,
) -> Result<ChangedExperiment, LoadError> {
    let (original_name, mut dropped_parts) = (experiment.name().to_owned(), Vec::new());
    if !changes.is_empty() {
        let text = experiment.text().to_owned();
        let (mut table, mut options) = (experiment.table(), OptionPositions::after(&text));
        dropped_parts = changes.apply(&experiment, &mut table, &mut options).map_err(LoadError::Refused)?;
        let new_text = changes.comment(&original_name) + &tree::write_document(&table);
        let result = read_table(experiment.catalog(), &LineIndex::new(&text), table, new_text, Some(assets));
        experiment = result.map_err(|mistakes| {
            let file = display_path(path).to_string();
            LoadError::Mistaken(Mistakes::new(&file, &text, options.name_options(mistakes)))
        })?;
    }
    Ok(ChangedExperiment { experiment, dropped_parts, original_name })
}

/// Converts a file to text.
fn decode_text(path: &Path, bytes: Vec<u8>) -> Result<String, LoadError> {
    let file_mistake = |message: String| {
        let mistakes = vec![Diagnostic::for_file(message)];
        LoadError::Mistaken(Mistakes::new(&display_path(path).to_string(), "", mistakes))
    };
    if bytes.len() > MAX_FILE_BYTES {
        return Err(file_mistake(format!(
            "is larger than {} MiB, the limit for experiments",
            MAX_FILE_BYTES >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_text = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let (line, column) = LineIndex::new(&valid_text).line_and_column(valid_text.len());
        file_mistake(format!("is not UTF-8, from line {line}, column {column}"))
    })
}

/// Reads a file, at most up to the point where it is too long.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses an experiment of this catalog. Mistakes name the file `file`; files of players are opened
/// in the current folder.
pub fn parse(catalog: Catalog, file: &str, text: &str) -> Result<Experiment, Mistakes> {
    parse_with_assets(catalog, file, text, Some(Arc::default()))
}

fn parse_with_assets(
    catalog: Catalog,
    file: &str,
    text: &str,
    assets: Option<Arc<AssetFiles>>,
) -> Result<Experiment, Mistakes> {
    let (tree, errors) = DeTable::parse_recoverable(text);
    let outcome = if errors.is_empty() {
        let table = tree::convert_table(tree.into_inner());
        read_table(catalog, &LineIndex::new(text), table, text.to_owned(), assets)
    } else {
        Err(find_syntax_mistakes(catalog, &LineIndex::new(text), &tree, &errors))
    };
    outcome.map_err(|mistakes| Mistakes::new(file, text, mistakes))
}

/// Reads and checks the keys of an experiment, whose positions are in `source`. Its file has the
/// text `text`.
fn read_table(
    catalog: Catalog,
    source: &LineIndex,
    table: TomlTable,
    text: String,
    assets: Option<Arc<AssetFiles>>,
) -> Result<Experiment, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    // What is missing in the head of the file is reported at its first key.
    let places = table.keys().map(Spanned::span).filter(|span| !span.is_empty());
    let header = places.min_by_key(|span| span.start).unwrap_or_default();
    let settings_table = SettingsTable { table, header };
    let raw_experiment =
        section::read("", ExperimentAsWritten::empty(catalog), &settings_table, &mut mistakes);
    check::check_experiment(catalog, source, raw_experiment, text, assets, mistakes)
}

/// Returns the mistakes in a text that is not TOML. Nothing else is checked, because the meaning is
/// unclear.
fn find_syntax_mistakes(
    catalog: Catalog,
    source: &LineIndex,
    tree: &Spanned<DeTable>,
    errors: &[toml::de::Error],
) -> Vec<Diagnostic> {
    // One mistake can cause many errors of the parser, so each line is reported once. Everything
    // after a bracket that is never closed was parsed inside it, so nothing after it is reported.
    let is_open = errors.iter().any(|error| {
        let message = error.message();
        message.starts_with("unclosed inline table") || message.starts_with("unclosed array,")
    });
    let sections = section_keys(catalog);
    if let Some(foreign) = foreign_file_mistake(&sections[0].keys, source, tree.get_ref(), errors) {
        return vec![foreign];
    }
    let is_list = |header: &str| sections.iter().any(|section| section.header == format!("[{header}]"));
    let mut lines = BTreeSet::new();
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    // Repeated header of a table that should be in a list; its keys are duplicates, too.
    let mut repeated_header: Option<&str> = None;
    for error in errors {
        let span = error.span().unwrap_or(tree.span());
        if error.message() == "duplicate key" {
            let header = find_header_before(source.text(), span.end);
            if is_list(header) {
                if repeated_header != Some(header) {
                    mistakes.push(Diagnostic::new(span, format!("must be a table `[{header}]`")));
                }
                repeated_header = Some(header);
                continue;
            }
        }
        if lines.insert(source.line_and_column(span.start).0) {
            mistakes.push(Diagnostic::new(span, error.message()));
        }
        if is_open && ["array", "inline table"].iter().any(|container| error.message().contains(container)) {
            if let Some(last) = mistakes.last_mut() {
                last.help = Some("a bracket above may be unclosed".to_owned());
            }
            break;
        }
    }
    mistakes
}

/// Returns the last header of a table up to a position in a text, without comment; empty if there
/// is none.
fn find_header_before(text: &str, place: usize) -> &str {
    let end = text[place..].find('\n').map_or(text.len(), |end| place + end);
    let mut lines = text[..end].lines().rev().map(str::trim_start);
    let header = lines.find(|line| line.starts_with('[')).unwrap_or_default();
    header.split('#').next().unwrap_or_default().trim_end()
}

/// Returns the message for a file that is not TOML and has no key of an experiment, such as a CSV
/// table. A mistake in each line would not help.
fn foreign_file_mistake(
    known_keys: &[KeyDeclaration],
    source: &LineIndex,
    tree: &DeTable,
    errors: &[toml::de::Error],
) -> Option<Diagnostic> {
    let is_known = |name: &str| known_keys.iter().any(|key| key.name == name);
    let first = errors.first().filter(|_| !tree.keys().any(|key| is_known(key.get_ref())))?;
    let (line, column) = source.line_and_column(first.span().map_or(0, |span| span.start));
    let message = format!("is not TOML: line {line}, column {column}: {}", first.message());
    let help = "`run` and `check` read experiments; `report`, `compare` and `rank` read results folders";
    Some(Diagnostic::for_file(message).with_help(help))
}

#[cfg(test)]
mod tests;
