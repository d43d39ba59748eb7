//! Checkpoint file of a training. It contains a line that names the format, a line of JSON, the
//! state of the learner, and a digest of everything before.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use gauntlet_analysis::results::store::files::write_document_by;
use gauntlet_core::arena::Arena;
use gauntlet_core::disk::{Disk, open_regular, read_all, read_line};
use gauntlet_core::learning::Learner;
use gauntlet_core::text::display_path;
use serde_json::json;

use super::state::State;
use crate::section::TrainSection;

/// The first line. The version changes when training on the same games gives another result, or
/// when a learner stores its state in another form.
const MAGIC: &[u8] = b"gauntlet training, version 4\n";

/// Length of the digest at the end.
const DIGEST_LENGTH: usize = blake3::OUT_LEN;

/// Number of bytes that are read and digested at once.
const READ_LENGTH: usize = 1 << 16;

/// Returns the digest of all settings that determine what is learned from a number of games, and
/// how the result is tested.
pub(super) fn key(arena: &Arena, train: &TrainSection) -> String {
    let identity = json!({ "game": arena.name, "training": train.identity() });
    blake3::hash(identity.to_string().as_bytes()).to_hex().to_string()
}

/// Writes a checkpoint atomically.
pub(super) fn write(
    disk: &Arc<dyn Disk>,
    path: &Path,
    state: &State,
    learner: &dyn Learner,
) -> anyhow::Result<()> {
    write_document_by(disk, path, |file| {
        let mut stream = DigestStream { inner: file, hasher: blake3::Hasher::new() };
        stream.write_all(MAGIC)?;
        stream.write_all(serde_json::to_string(state)?.as_bytes())?;
        stream.write_all(b"\n")?;
        learner.write_state(&mut stream)?;
        let digest = *stream.hasher.finalize().as_bytes();
        Ok(file.write_all(&digest)?)
    })
}

/// Reads the progress of a training without what was learned.
pub(super) fn read_progress(path: &Path) -> anyhow::Result<State> {
    let (lines, _) = read_head(path)?;
    parse_state(path, &lines)
}

/// Fails if a file does not match its digest. Reads the whole file.
pub(super) fn check(path: &Path) -> anyhow::Result<()> {
    let read_error = || format!("cannot read the training run in {}", display_path(path));
    let mut file = open_regular(path, File::options().read(true)).with_context(read_error)?;
    let length = file.metadata().with_context(read_error)?.len().saturating_sub(DIGEST_LENGTH as u64);
    let mut content = (&mut file).take(length);
    let mut stream = DigestStream { inner: &mut content, hasher: blake3::Hasher::new() };
    io::copy(&mut BufReader::with_capacity(READ_LENGTH, &mut stream), &mut io::sink())
        .with_context(read_error)?;
    let expected = stream.hasher.finalize();
    let digest = read_all(file, DIGEST_LENGTH).with_context(read_error)?;
    if digest != expected.as_bytes() {
        return Err(damage_error(path, &WRONG_DIGEST));
    }
    Ok(())
}

/// Reads the first two lines of a file, and returns a reader for the rest.
fn read_head(path: &Path) -> anyhow::Result<([Vec<u8>; 2], BufReader<File>)> {
    let read_error = || format!("cannot read the training run in {}", display_path(path));
    let file = open_regular(path, File::options().read(true)).with_context(read_error)?;
    let mut file = BufReader::with_capacity(READ_LENGTH, file);
    let mut lines = [Vec::new(), Vec::new()];
    for line in &mut lines {
        read_line(&mut file, line).with_context(read_error)?;
    }
    Ok((lines, file))
}

fn parse_state(path: &Path, lines: &[Vec<u8>; 2]) -> anyhow::Result<State> {
    if lines[0] != MAGIC {
        bail!(
            "{} is not a checkpoint of this version; start again with `gauntlet train FILE --replace`",
            display_path(path)
        );
    }
    serde_json::from_slice(&lines[1]).map_err(|error| damage_error(path, &error))
}

fn damage_error(path: &Path, reason: &dyn Display) -> anyhow::Error {
    anyhow!("{} is damaged ({reason}); start again with `gauntlet train FILE --replace`", display_path(path))
}

/// Error for a file whose digest is wrong.
const WRONG_DIGEST: &str = "truncated, or wrong digest";

/// Reads a checkpoint whose settings have this key, and restores the learner from it.
pub(super) fn read(path: &Path, key: &str, learner: &mut dyn Learner) -> anyhow::Result<State> {
    let (lines, mut file) = read_head(path)?;
    let state = parse_state(path, &lines)?;
    if state.key != key {
        bail!(
            "{} belongs to a training run with other settings: use another --results folder, or restart with --replace",
            display_path(path)
        );
    }
    let read_error = || format!("cannot read the training run in {}", display_path(path));
    let head_length: usize = lines.iter().map(Vec::len).sum();
    let length = file.get_ref().metadata().with_context(read_error)?.len();
    let state_length = length.saturating_sub((head_length + DIGEST_LENGTH) as u64);
    let mut hasher = blake3::Hasher::new();
    lines.iter().for_each(|line| _ = hasher.update(line));
    let mut content = (&mut file).take(state_length);
    let mut stream = DigestStream { inner: &mut content, hasher };
    let mut buffered = BufReader::with_capacity(READ_LENGTH, &mut stream);
    learner.read_state(state.games, &mut buffered).map_err(|error| damage_error(path, &error))?;
    let is_longer = !buffered.fill_buf().with_context(read_error)?.is_empty();
    let expected = stream.hasher.finalize();
    let digest = read_all(file, DIGEST_LENGTH).with_context(read_error)?;
    if is_longer || digest != expected.as_bytes() {
        return Err(damage_error(path, &WRONG_DIGEST));
    }
    Ok(state)
}

/// Reader or writer that also computes the digest of its bytes.
struct DigestStream<'a, T: ?Sized> {
    inner: &'a mut T,
    hasher: blake3::Hasher,
}

impl<T: Write + ?Sized> Write for DigestStream<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write_all(bytes)?;
        self.hasher.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read + ?Sized> Read for DigestStream<'_, T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(bytes)?;
        self.hasher.update(&bytes[..length]);
        Ok(length)
    }
}
