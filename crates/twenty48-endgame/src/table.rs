//! Tables that can be asked.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, bail, ensure};
use gauntlet_core::disk::open_regular;
use gauntlet_core::player::Preparation;
use gauntlet_core::text::{display_path, quote_path};

use crate::exact_rule::ExactRule;
use crate::format::{self, DIGEST_LENGTH, ENTRY_LENGTH, Entry, MAGIC};
use crate::index::{BoardIndex, Codes};
use crate::kind::{Coverage, Description, Kind};
use crate::macroxue::MacroxueRule;
use crate::mapping::Mapping;
use crate::rule::Rule;

/// Table of a file.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    pub(crate) rule: AnyRule,
    coverage: Coverage,
    file: Mapping,
    /// Layers, by sum.
    entries: Vec<Entry>,
    /// Result of the check of each layer that was checked: what is wrong, if it is damaged.
    checked_layers: Vec<OnceLock<Result<(), String>>>,
    /// Digest of head and directory, which covers the whole file.
    digest: String,
}

/// Rule of any kind of table.
#[derive(Debug)]
pub(crate) enum AnyRule {
    Exact(ExactRule),
    Macroxue(MacroxueRule),
}

impl AnyRule {
    pub(crate) fn new(kind: Kind) -> AnyRule {
        match kind {
            Kind::Exact(shape, target) => AnyRule::Exact(ExactRule::new(shape, target)),
            Kind::Macroxue(shape) => AnyRule::Macroxue(MacroxueRule::new(shape)),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            AnyRule::Exact(rule) => Kind::Exact(rule.shape, rule.target),
            AnyRule::Macroxue(rule) => Kind::Macroxue(rule.shape),
        }
    }

    #[inline(always)]
    pub(crate) fn index(&self) -> &BoardIndex {
        match self {
            AnyRule::Exact(rule) => rule.index(),
            AnyRule::Macroxue(rule) => rule.index(),
        }
    }
}

impl Table {
    /// Opens a table. Its head, directory and length are checked, but not yet its layers: each is
    /// checked before the first answer from it.
    pub fn open(path: &Path) -> anyhow::Result<Table> {
        Table::open_with(path, AnyRule::new)
    }

    /// Opens a table of this rule.
    pub(crate) fn open_with(path: &Path, new_rule: impl Fn(Kind) -> AnyRule) -> anyhow::Result<Table> {
        let name = display_path(path).to_string();
        let file =
            open_regular(path, File::options().read(true)).with_context(|| format!("cannot read {name}"))?;
        let length = file.metadata()?.len();
        let length = usize::try_from(length).with_context(|| format!("{name} is too large"))?;
        let file = Mapping::new(&file, path, length).with_context(|| format!("cannot map {name}"))?;
        let bytes = &file.bytes()[..length];
        let (kind, coverage) =
            parse_description(bytes).with_context(|| format!("{name} is no endgame table"))?;
        let rule = new_rule(kind);
        let index = rule.index();
        let header = format::encode_header(kind, coverage, index);
        let damage_message = || {
            format!("the head or the directory of {name} is damaged; {}", rebuild_hint(kind, coverage, path))
        };
        let start = bytes
            .len()
            .checked_sub(index.layers() * ENTRY_LENGTH + DIGEST_LENGTH)
            .with_context(damage_message)?;
        let (directory, digest) = bytes[start..].split_at(index.layers() * ENTRY_LENGTH);
        let hash =
            blake3::Hasher::new().update(&bytes[..header.len().min(start)]).update(directory).finalize();
        if hash.as_bytes() != digest {
            // A file that ends early has no directory.
            bail!(
                "{name} is cut off, or its head or directory is damaged; {}",
                rebuild_hint(kind, coverage, path)
            );
        }
        let entries: Vec<Entry> = directory.chunks_exact(ENTRY_LENGTH).map(Entry::from_bytes).collect();
        let mut offset = header.len() as u64;
        for (layer, entry) in entries.iter().enumerate().rev() {
            ensure!(entry.layer == layer as u64 && entry.offset == offset, damage_message());
            offset = entry.end_offset(index.boards(layer));
        }
        ensure!(bytes.starts_with(&header) && offset == start as u64, damage_message());
        let checked_layers = entries.iter().map(|_| OnceLock::new()).collect();
        let digest = hash.to_hex().to_string();
        Ok(Table { path: path.to_owned(), rule, coverage, file, entries, checked_layers, digest })
    }

    /// Returns the kind of the table.
    pub fn kind(&self) -> Kind {
        self.rule.kind()
    }

    /// Returns the boards that the table has numbers for.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the digest of the whole table.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        let last = &self.entries[0];
        last.end_offset(self.index().boards(0)) + (self.entries.len() * ENTRY_LENGTH + DIGEST_LENGTH) as u64
    }

    /// Returns the number of boards, and of those that the file has a number for: the boards of the
    /// coverage, or if these are all, the boards with a probability over 0.
    pub fn boards(&self) -> (u64, u64) {
        (self.index().count_boards(), self.entries.iter().map(|entry| entry.number_count).sum())
    }

    /// Returns the number of layers.
    pub fn layers(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn index(&self) -> &BoardIndex {
        self.rule.index()
    }

    /// Checks all layers, also those that no board of a game may need.
    pub fn check(&self) -> anyhow::Result<()> {
        use rayon::prelude::*;
        (0..self.entries.len()).into_par_iter().try_for_each(|layer| self.check_layer(layer))
    }

    /// Checks a layer if that was not done before, so that no answer comes from damaged bytes.
    pub(crate) fn check_layer(&self, layer: usize) -> anyhow::Result<()> {
        // Other threads that need the layer wait for its check.
        let result = self.checked_layers[layer].get_or_init(|| self.find_damage(layer));
        result.clone().map_err(anyhow::Error::msg)
    }

    /// Checks a layer before an answer from it. The time of the check is not thinking time.
    #[inline]
    pub(crate) fn prepare_layer(&self, layer: usize, preparation: &Preparation) -> anyhow::Result<()> {
        match self.checked_layers.get(layer).map(OnceLock::get) {
            // No table has boards of this sum, or the layer was checked.
            None | Some(Some(Ok(()))) => Ok(()),
            Some(_) => preparation.run(|| self.check_layer(layer)),
        }
    }

    /// Returns an error if a layer is damaged.
    #[cold]
    fn find_damage(&self, layer: usize) -> Result<(), String> {
        let entry = &self.entries[layer];
        let content_end = entry.content() as usize + self.content(layer).len();
        let padding = &self.file.bytes()[content_end..entry.end_offset(self.index().boards(layer)) as usize];
        let stored_entry = &self.file.bytes()[entry.offset as usize..entry.content() as usize];
        let is_framed = stored_entry == entry.to_bytes() && padding.iter().all(|&byte| byte == 0);
        if is_framed && entry.is_digest_of(self.content(layer)) {
            return Ok(());
        }
        let (sum, path) = (2 * layer, display_path(&self.path));
        let hint = rebuild_hint(self.kind(), self.coverage, &self.path);
        Err(format!("the boards of sum {sum} in {path} are damaged; {hint}"))
    }

    fn content(&self, layer: usize) -> &[u8] {
        let entry = &self.entries[layer];
        let start = entry.content() as usize;
        &self.file.bytes()[start..start + entry.content_length(self.index().boards(layer)) as usize]
    }

    /// Returns the number of a board of this layer, or `None` if it is unknown.
    #[inline]
    pub(crate) fn number(&self, layer: usize, codes: Codes) -> Option<u16> {
        let index = self.index();
        // A larger sum than that of the last layer is lost.
        let Some(entry) = self.entries.get(layer) else { return Some(0) };
        let content = &self.file.bytes()[entry.content() as usize..];
        let number = format::number_at(content, index.boards(layer), index.position(layer, codes));
        number.or((self.coverage == Coverage::All).then_some(0))
    }
}

/// Returns the kind and the coverage of a table that a file's first lines describe.
fn parse_description(bytes: &[u8]) -> Option<(Kind, Coverage)> {
    let json = bytes.strip_prefix(MAGIC.as_bytes())?.split(|&byte| byte == b'\n').next()?;
    let description: Description = serde_json::from_slice(json).ok()?;
    Some((description.table.parse().ok()?, description.coverage()))
}

/// Returns how to build a table again, as the end of a sentence.
fn rebuild_hint(kind: Kind, coverage: Coverage, path: &Path) -> String {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let folder = quote_path(folder);
    let arguments = kind.arguments(coverage);
    format!("delete it and build it again: gauntlet endgame build {arguments} --folder {folder}")
}
