//! File with the standard error of a program: its beginning and its end, at most 1 MiB.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::assets::{AssetFiles, ProgramPermission};

/// Maximum size of a file at the start of a program; longer files are truncated first.
const MAX_INITIAL_LENGTH: u64 = 512 << 10;

/// Maximum number of bytes kept from the beginning and from the end of a program's output.
const MAX_BEGINNING: u64 = 448 << 10;
const MAX_END: usize = 32 << 10;

/// Bytes at the end of a file that are searched for its last line.
const MAX_TAIL: u64 = 4 << 10;

/// File with a program's standard error.
#[derive(Debug)]
pub(super) struct StderrFile {
    assets: Arc<AssetFiles>,
    name: String,
    pub(super) path: PathBuf,
    /// Length before the program was started.
    pub(super) length: u64,
}

impl Drop for StderrFile {
    fn drop(&mut self) {
        if let Some(programs) = self.assets.programs() {
            programs.give_back(&self.name);
        }
    }
}

impl StderrFile {
    /// Creates the file of a program, with a title if it is new. `None` if no file is wanted.
    pub(super) fn open(
        assets: &Arc<AssetFiles>,
        programs: &ProgramPermission,
        command: &[String],
        title: &str,
    ) -> io::Result<Option<StderrFile>> {
        let Some(folder) = &programs.errors else { return Ok(None) };
        std::fs::create_dir_all(folder)?;
        let name = programs.take(&program_name(command));
        let path = std::path::absolute(folder)?.join(&name);
        let mut stderr_file =
            StderrFile { assets: Arc::clone(assets), name, length: file_length(&path), path };
        if stderr_file.length == 0 {
            std::fs::write(&stderr_file.path, format!("{title}\n"))?;
        }
        stderr_file.length = file_length(&stderr_file.path);
        Ok(Some(stderr_file))
    }
}

/// Returns the name of a program for use in a file name: the file stem of the last argument that is
/// not an option, without special characters.
fn program_name(command: &[String]) -> String {
    let word = command.iter().rev().find(|word| !word.starts_with('-')).map_or("program", String::as_str);
    let stem =
        Path::new(word).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let to_plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(to_plain).take(40).collect();
    if name.is_empty() { "program".to_owned() } else { name }
}

/// File for the standard error of programs that are started one after another.
pub(super) struct StderrWriter {
    file: Option<File>,
    written_bytes: u64,
    omitted_bytes: u64,
    end: VecDeque<u8>,
}

impl StderrWriter {
    /// Opens the file at a path for appending; without a path, output is discarded.
    pub(super) fn open(path: Option<&Path>) -> io::Result<StderrWriter> {
        let open_file = |path: &Path| {
            let file = File::options().create(true).append(true).open(path)?;
            if file.metadata()?.len() > MAX_INITIAL_LENGTH {
                file.set_len(0)?;
            }
            Ok::<_, io::Error>(file)
        };
        let file = path.map(open_file).transpose()?;
        Ok(StderrWriter { file, written_bytes: 0, omitted_bytes: 0, end: VecDeque::new() })
    }

    /// Adds a part of a program's output. If it cannot be written, for example on a full disk, it
    /// is lost.
    pub(super) fn add(&mut self, mut part: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let length = MAX_BEGINNING.saturating_sub(self.written_bytes).min(part.len() as u64) as usize;
        let _ = file.write_all(&part[..length]);
        self.written_bytes += length as u64;
        part = &part[length..];
        self.end.extend(part);
        let excess = self.end.len().saturating_sub(MAX_END);
        self.end.drain(..excess);
        self.omitted_bytes += excess as u64;
    }

    /// Writes the end of the output, after the program has ended.
    pub(super) fn finish(mut self) {
        let Some(file) = &mut self.file else { return };
        if self.omitted_bytes > 0 {
            let _ = write!(file, "\n... {} bytes omitted ...\n", self.omitted_bytes);
        }
        let _ = file.write_all(self.end.make_contiguous());
    }
}

/// Returns the length of a file; 0 if it is missing.
fn file_length(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

/// Returns the last line that was added to a file after it had this length, without blank lines.
pub(super) fn last_line(path: &Path, length: u64) -> Option<String> {
    let read_tail = || {
        let mut file = File::open(path)?;
        let end = file.metadata()?.len();
        // A truncated file is shorter than before.
        let start = if end < length { 0 } else { length };
        file.seek(SeekFrom::Start(start.max(end.saturating_sub(MAX_TAIL))))?;
        let mut text = Vec::new();
        file.take(MAX_TAIL).read_to_end(&mut text)?;
        Ok::<_, io::Error>(String::from_utf8_lossy(&text).into_owned())
    };
    let text = read_tail().unwrap_or_default();
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let path = std::env::temp_dir().join(format!("gauntlet-errors-{}", std::process::id()));
        for _ in 0..3 {
            let mut writer = StderrWriter::open(Some(&path)).unwrap();
            writer.add(b"the first line\n");
            (0..3000).for_each(|_| writer.add(&[b'x'; 1000]));
            writer.add(b"\nthe last line but one\n\nthe last line\n");
            writer.finish();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.len() <= 1 << 20, "{} bytes", text.len());
            assert!(text.starts_with("the first line\n") && text.ends_with("\nthe last line\n"));
            assert!(text.contains("bytes omitted"));
            assert_eq!(last_line(&path, 0).as_deref(), Some("the last line"));
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(last_line(&path, 0), None);
    }
}
