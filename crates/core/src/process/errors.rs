//! The file that keeps what a program writes to standard error: its beginning and its end, 1 MiB at
//! most.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The most bytes of a file when a program starts to write to it: a longer one begins anew.
const MOST_BEFORE: u64 = 512 << 10;

/// The most bytes from the beginning of what one program writes, and from its end.
const BEGINNING: u64 = 448 << 10;
const END: usize = 32 << 10;

/// Bytes of the end of a file that are looked at for its last lines.
const LAST: u64 = 4 << 10;

/// A file for the standard error of programs that are started one after the other.
pub(super) struct Errors {
    file: Option<File>,
    written: u64,
    left_out: u64,
    end: VecDeque<u8>,
}

impl Errors {
    /// The file at a path, to which more is added; without a path nothing is kept.
    pub(super) fn at(path: Option<&Path>) -> io::Result<Errors> {
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

    /// Keeps a part of what a program writes. What cannot be written, on a full disk say, is lost.
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

    /// Writes the end of it, after the program has ended.
    pub(super) fn finish(mut self) {
        let Some(file) = &mut self.file else { return };
        if self.left_out > 0 {
            let _ = write!(file, "\n... {} bytes are left out here ...\n", self.left_out);
        }
        let _ = file.write_all(self.end.make_contiguous());
    }
}

/// The last lines that were added to a file after it had this length.
pub(super) fn last_lines(path: &Path, length: u64, most: usize) -> Vec<String> {
    let read = || {
        let mut file = File::open(path)?;
        let end = file.metadata()?.len();
        // A file that began anew is shorter than it was.
        let start = if end < length { 0 } else { length };
        file.seek(SeekFrom::Start(start.max(end.saturating_sub(LAST))))?;
        let mut text = Vec::new();
        file.take(LAST).read_to_end(&mut text)?;
        Ok::<_, io::Error>(String::from_utf8_lossy(&text).into_owned())
    };
    let text = read().unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].iter().map(|&line| line.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let path = std::env::temp_dir().join(format!("gauntlet-errors-{}", std::process::id()));
        for _ in 0..3 {
            let mut errors = Errors::at(Some(&path)).unwrap();
            errors.add(b"the first line\n");
            (0..3000).for_each(|_| errors.add(&[b'x'; 1000]));
            errors.add(b"\nthe last line but one\n\nthe last line\n");
            errors.finish();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.len() <= 1 << 20, "{} bytes", text.len());
            assert!(text.starts_with("the first line\n") && text.ends_with("\nthe last line\n"));
            assert!(text.contains("bytes are left out here"));
            assert_eq!(last_lines(&path, 0, 2), ["the last line but one", "the last line"]);
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(last_lines(&path, 0, 2), [""; 0]);
    }
}
