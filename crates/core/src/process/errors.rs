//! File with the standard error of a program: its beginning and its end, at most 1 MiB.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Maximum size of a file at the start of a program; longer files are truncated first.
const MOST_BEFORE: u64 = 512 << 10;

/// Maximum number of bytes kept from the beginning and from the end of a program's output.
const BEGINNING: u64 = 448 << 10;
const END: usize = 32 << 10;

/// Bytes at the end of a file that are searched for its last line.
const LAST: u64 = 4 << 10;

/// File for the standard error of programs that are started one after another.
pub(super) struct Errors {
    file: Option<File>,
    written: u64,
    left_out: u64,
    end: VecDeque<u8>,
}

impl Errors {
    /// Opens the file at a path for appending; without a path, output is discarded.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Errors> {
        let open = |path: &Path| {
            let file = File::options().create(true).append(true).open(path)?;
            if file.metadata()?.len() > MOST_BEFORE {
                file.set_len(0)?;
            }
            Ok::<_, io::Error>(file)
        };
        let file = path.map(open).transpose()?;
        Ok(Errors { file, written: 0, left_out: 0, end: VecDeque::new() })
    }

    /// Adds a part of a program's output. If it cannot be written, for example on a full disk, it
    /// is lost.
    pub(super) fn add(&mut self, mut part: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = BEGINNING.saturating_sub(self.written).min(part.len() as u64) as usize;
        let _ = file.write_all(&part[..room]);
        self.written += room as u64;
        part = &part[room..];
        self.end.extend(part);
        let too_many = self.end.len().saturating_sub(END);
        self.end.drain(..too_many);
        self.left_out += too_many as u64;
    }

    /// Writes the end of the output, after the program has ended.
    pub(super) fn finish(mut self) {
        let Some(file) = &mut self.file else { return };
        if self.left_out > 0 {
            let _ = write!(file, "\n... {} bytes omitted ...\n", self.left_out);
        }
        let _ = file.write_all(self.end.make_contiguous());
    }
}

/// Returns the length of a file; 0 if it is missing.
pub(super) fn file_length(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

/// Returns the last line that was added to a file after it had this length, without blank lines.
pub(super) fn last_line(path: &Path, length: u64) -> Option<String> {
    let read = || {
        let mut file = File::open(path)?;
        let end = file.metadata()?.len();
        // A truncated file is shorter than before.
        let start = if end < length { 0 } else { length };
        file.seek(SeekFrom::Start(start.max(end.saturating_sub(LAST))))?;
        let mut text = Vec::new();
        file.take(LAST).read_to_end(&mut text)?;
        Ok::<_, io::Error>(String::from_utf8_lossy(&text).into_owned())
    };
    let text = read().unwrap_or_default();
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let path = std::env::temp_dir().join(format!("gauntlet-errors-{}", std::process::id()));
        for _ in 0..3 {
            let mut errors = Errors::open(Some(&path)).unwrap();
            errors.add(b"the first line\n");
            (0..3000).for_each(|_| errors.add(&[b'x'; 1000]));
            errors.add(b"\nthe last line but one\n\nthe last line\n");
            errors.finish();
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
