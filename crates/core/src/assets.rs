//! Large constant files that players are built from, such as networks and endgame tables: each is read once, shared by
//! all workers and known by its digest.
//!
//! A file is read, not memory-mapped: a map of a file that another program shortens kills the process, and one that is
//! written to would change players in the middle of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::text::shown;
use anyhow::Context;

/// The files of one experiment, by their paths as the experiment writes them.
#[derive(Debug, Default)]
pub struct Assets {
    /// The folder that relative paths begin at: that of the experiment's file.
    folder: PathBuf,
    opened: Mutex<BTreeMap<PathBuf, Arc<Asset>>>,
}

/// One file.
#[derive(Debug)]
pub struct Asset {
    /// Its content.
    pub bytes: Vec<u8>,
    /// The BLAKE3 digest of its content, in hexadecimal digits.
    pub digest: String,
}

impl Assets {
    /// The files of an experiment whose own file lies in this folder.
    pub fn beside(folder: &Path) -> Assets {
        Assets { folder: folder.to_owned(), opened: Mutex::default() }
    }

    /// The content of a file. It is read when it is asked for the first time, and never again.
    pub fn open(&self, path: &Path) -> anyhow::Result<Arc<Asset>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asset) = opened.get(path) {
            return Ok(asset.clone());
        }
        let bytes =
            std::fs::read(self.folder.join(path)).with_context(|| format!("cannot read {}", shown(path)))?;
        let digest = blake3::hash(&bytes).to_hex().to_string();
        let asset = Arc::new(Asset { bytes, digest });
        opened.insert(path.to_owned(), asset.clone());
        Ok(asset)
    }
}
