//! Files of a folder of results that are replaced together.

use std::path::Path;

use super::files::{Fresh, remove_file};
use super::folder::{EXPERIMENT, GAMES, MANIFEST};
use crate::config::Experiment;
use crate::table::{Schema, Table};

/// Tables that will replace those of a folder, all of them or none.
pub(super) struct Replacement<'a> {
    folder: &'a Path,
    files: Vec<Fresh>,
    digests: Vec<(String, String)>,
    /// Files of tables that an earlier version of the experiment may have had, and this one has not.
    stale: Vec<String>,
}

impl<'a> Replacement<'a> {
    pub(super) fn of(folder: &'a Path) -> Replacement<'a> {
        Replacement { folder, files: Vec::new(), digests: Vec::new(), stale: Vec::new() }
    }

    /// Adds the file of single games.
    pub(super) fn add_games(&mut self, games: Fresh, digest: blake3::Hash) {
        self.files.push(games);
        self.digests.push((GAMES.to_owned(), digest.to_hex().to_string()));
    }

    /// Adds the tables that there are of those that there can be.
    pub(super) fn add_tables(
        &mut self,
        tables: &[Table],
        all: impl IntoIterator<Item = Schema>,
    ) -> anyhow::Result<()> {
        let file = |name: &str| format!("{name}.csv");
        for table in tables {
            let (name, csv) = (file(table.name), table.to_csv());
            self.files.push(Fresh::with(self.folder, &name, &csv)?);
            self.digests.push((name, blake3::hash(&csv).to_hex().to_string()));
        }
        let stale = all.into_iter().filter(|schema| tables.iter().all(|table| table.name != schema.name));
        self.stale.extend(stale.map(|schema| file(schema.name)));
        Ok(())
    }

    /// The digests of the folder's tables when these have been replaced; of those that stay, what it was before.
    pub(super) fn digests(&self, before: Option<&toml::Table>) -> toml::Table {
        let is_replaced = |name: &str| {
            self.stale.iter().any(|stale| stale == name) || self.digests.iter().any(|(new, _)| new == name)
        };
        let mut digests = before.cloned().unwrap_or_default();
        digests.retain(|name, _| !is_replaced(name));
        digests.extend(self.digests.iter().map(|(name, digest)| (name.clone(), digest.as_str().into())));
        digests
    }

    /// Replaces them, with the experiment and the manifest beside them.
    pub(super) fn replace(mut self, experiment: &Experiment, manifest: &str) -> anyhow::Result<()> {
        self.files.push(Fresh::with(self.folder, EXPERIMENT, experiment.text().as_bytes())?);
        // Last: a process that is killed in between leaves tables that are known to be of another version.
        self.files.push(Fresh::with(self.folder, MANIFEST, manifest.as_bytes())?);
        // Nothing has replaced anything until here.
        self.files.into_iter().try_for_each(Fresh::replace)?;
        self.stale.iter().try_for_each(|stale| remove_file(self.folder, stale))
    }
}
