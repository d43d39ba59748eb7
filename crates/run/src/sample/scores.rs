//! Scores of one player's games, in memory or in a file.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use gauntlet_core::disk::{DiskFile, Reader};

/// A list of scores.
#[derive(Debug)]
pub(super) enum Scores {
    /// Nearly all scores are below 2^32 and take 4 bytes.
    Short(Vec<u32>),
    Long(Vec<u64>),
    Stored(StoredScores),
}

impl Default for Scores {
    fn default() -> Scores {
        Scores::Short(Vec::new())
    }
}

impl Scores {
    /// Creates an empty list that is kept in a file, which may contain other lists.
    pub(super) fn stored(file: Arc<dyn DiskFile>) -> Scores {
        Scores::Stored(StoredScores {
            file,
            parts: Vec::new(),
            unwritten: Vec::new(),
            error: OnceLock::new(),
        })
    }

    pub(super) fn push(&mut self, score: u64) {
        if let Scores::Short(short) = self {
            match u32::try_from(score) {
                Ok(score) => return short.push(score),
                Err(_) => *self = Scores::Long(short.iter().copied().map(u64::from).collect()),
            }
        }
        match self {
            Scores::Short(_) => {}
            Scores::Long(long) => long.push(score),
            Scores::Stored(stored) => stored.push(score),
        }
    }

    pub(super) fn cursor(&self) -> ScoreCursor<'_> {
        match self {
            Scores::Short(short) => ScoreCursor::Short(short),
            Scores::Long(long) => ScoreCursor::Long(long),
            Scores::Stored(stored) => ScoreCursor::Stored(StoredCursor::new(stored)),
        }
    }

    /// Returns the first error of writing or reading the file.
    pub(super) fn storage_error(&self) -> Option<&io::Error> {
        match self {
            Scores::Short(_) | Scores::Long(_) => None,
            Scores::Stored(stored) => stored.error.get(),
        }
    }
}

/// Minimum number of bytes that are written at once.
const MIN_PART_BYTES: usize = 1 << 16;

/// Scores in a file, in LEB128: seven bits per byte, the lowest first. The highest bit of a byte is
/// set if more bytes follow. Most scores of 2048 take two or three bytes.
#[derive(Debug)]
pub(super) struct StoredScores {
    file: Arc<dyn DiskFile>,
    /// Parts of the file that contain these scores.
    parts: Vec<Range<u64>>,
    /// Bytes that follow those in the file.
    unwritten: Vec<u8>,
    /// First error of the file.
    error: OnceLock<io::Error>,
}

impl StoredScores {
    fn push(&mut self, score: u64) {
        let mut rest = score;
        while rest >= 0x80 {
            self.unwritten.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.unwritten.push(rest as u8);
        if self.unwritten.len() >= MIN_PART_BYTES {
            match self.append_part() {
                Ok(part) => self.parts.push(part),
                Err(error) => _ = self.error.set(error),
            }
            self.unwritten.clear();
        }
    }

    /// Writes a part and returns its place in the file.
    fn append_part(&self) -> io::Result<Range<u64>> {
        let start = self.file.length()?;
        self.file.append(&self.unwritten)?;
        Ok(start..start + self.unwritten.len() as u64)
    }

    /// Reads the part with this index into a buffer; nothing after the last part or after an error.
    fn read_part(&self, index: usize, buffer: &mut Vec<u8>) {
        buffer.clear();
        if self.error.get().is_some() {
            return;
        }
        match self.parts.get(index) {
            Some(part) => {
                buffer.resize((part.end - part.start) as usize, 0);
                if let Err(error) = Reader::new(&*self.file, part.start).read_exact(buffer) {
                    _ = self.error.set(error);
                    buffer.clear();
                }
            }
            None if index == self.parts.len() => buffer.extend_from_slice(&self.unwritten),
            None => {}
        }
    }
}

/// Position in a list of scores.
#[derive(Clone, Debug)]
pub(super) enum ScoreCursor<'a> {
    Short(&'a [u32]),
    Long(&'a [u64]),
    Stored(StoredCursor<'a>),
}

impl ScoreCursor<'_> {
    /// Returns the score at a place and moves there. Moving back in a file is slow.
    pub(super) fn score_at(&mut self, place: usize) -> u64 {
        match self {
            ScoreCursor::Short(short) => short[place].into(),
            ScoreCursor::Long(long) => long[place],
            ScoreCursor::Stored(stored) => stored.score_at(place),
        }
    }
}

/// Position in stored scores.
#[derive(Clone, Debug)]
pub(super) struct StoredCursor<'a> {
    scores: &'a StoredScores,
    /// Place of the next score.
    next_place: usize,
    /// Index of the next part.
    next_part: usize,
    /// Part of the scores.
    buffer: Vec<u8>,
    /// Index of the next byte in the buffer.
    next_byte: usize,
}

impl<'a> StoredCursor<'a> {
    fn new(scores: &'a StoredScores) -> StoredCursor<'a> {
        StoredCursor { scores, next_place: 0, next_part: 0, buffer: Vec::new(), next_byte: 0 }
    }

    fn score_at(&mut self, place: usize) -> u64 {
        if place < self.next_place {
            *self = StoredCursor::new(self.scores);
        }
        // Every score has a logarithm, even after an error.
        let mut score = 1;
        while self.next_place <= place {
            score = self.read_score().unwrap_or(1);
            self.next_place += 1;
        }
        score
    }

    /// Reads the next score; `None` after an error.
    fn read_score(&mut self) -> Option<u64> {
        let (mut score, mut shift) = (0, 0);
        loop {
            let byte = self.read_byte()?;
            score |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(score);
            }
            shift += 7;
        }
    }

    fn read_byte(&mut self) -> Option<u8> {
        if self.next_byte == self.buffer.len() {
            self.scores.read_part(self.next_part, &mut self.buffer);
            self.next_part += 1;
            self.next_byte = 0;
        }
        let byte = *self.buffer.get(self.next_byte)?;
        self.next_byte += 1;
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::TryLockError;
    use std::path::Path;

    use gauntlet_core::disk::scratch_file;

    use super::*;

    fn push_all(scores: &mut Scores, added: impl Iterator<Item = u64>) {
        for score in added {
            scores.push(score);
        }
    }

    fn check(mut scores: Scores, expected: &[u64]) -> Scores {
        push_all(&mut scores, expected.iter().copied());
        let mut cursor = scores.cursor();
        let read_scores: Vec<u64> = (0..expected.len()).map(|place| cursor.score_at(place)).collect();
        assert!(read_scores == expected);
        // Places are skipped, and the cursor moves back.
        for place in [0, 1, 77, 1000, 999, 3, 200_000, 200_000].into_iter().filter(|&at| at < expected.len())
        {
            assert_eq!(cursor.score_at(place), expected[place], "{place}");
        }
        assert!(scores.storage_error().is_none());
        scores
    }

    #[test]
    fn scores_of_any_size_are_kept() {
        let u32_max = u64::from(u32::MAX);
        let scores = [0, 7, 127, 128, u32_max, u32_max + 1, 3, u64::MAX];
        for length in 0..=scores.len() {
            let in_memory = check(Scores::default(), &scores[..length]);
            assert_eq!(matches!(in_memory, Scores::Short(_)), length <= 5);
            check(Scores::stored(scratch_file()), &scores[..length]);
        }
    }

    #[test]
    fn many_scores_share_a_file() {
        let scores: Vec<u64> = (0..300_000).map(|place| place * place * 7919 % 40_009).collect();
        let file = scratch_file();
        let mut other = Scores::stored(Arc::clone(&file));
        push_all(&mut other, scores.iter().rev().take(100_000).copied());
        check(Scores::stored(Arc::clone(&file)), &scores);
        push_all(&mut other, scores.iter().rev().skip(100_000).copied());
        let mut cursor = other.cursor();
        assert!((0..scores.len()).map(|place| cursor.score_at(place)).eq(scores.iter().rev().copied()));
        assert!(file.length().unwrap() > 1_000_000);
    }

    /// A file that cannot be written, or not be read.
    #[derive(Debug)]
    struct BrokenFile {
        is_writable: bool,
    }

    impl DiskFile for BrokenFile {
        fn length(&self) -> io::Result<u64> {
            Ok(0)
        }

        fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("unreadable"))
        }

        fn append(&self, _: &[u8]) -> io::Result<()> {
            if self.is_writable { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
        }

        fn truncate(&self, _: u64) -> io::Result<()> {
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        fn lock(&self) -> Result<(), TryLockError> {
            Ok(())
        }

        fn count_links(&self, _: &Path) -> io::Result<u64> {
            Ok(0)
        }
    }

    #[test]
    fn the_first_error_is_kept() {
        for (is_writable, kind) in [(false, io::ErrorKind::StorageFull), (true, io::ErrorKind::Other)] {
            let mut scores = Scores::stored(Arc::new(BrokenFile { is_writable }));
            push_all(&mut scores, 0..100_000);
            assert_eq!(scores.storage_error().is_none(), is_writable);
            let _ = scores.cursor().score_at(5);
            assert_eq!(scores.storage_error().map(io::Error::kind), Some(kind));
        }
    }
}
