//! Reads the lines of a file, with at most one line of a journal in memory.

use std::io::{self, BufRead, Read};

/// Largest length of a line of a journal, in bytes. The largest batch takes some 300 kB for solo
/// games, and at most 2 MB for any game; messages of panics are cut.
pub(super) const MAX_LINE_LENGTH: usize = 16 << 20;

pub(super) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

/// A complete line.
pub(super) struct CompleteLine<'a> {
    /// Length in the file, in bytes.
    pub(super) length: u64,
    /// The line; `None` if it is longer than [`MAX_LINE_LENGTH`].
    pub(super) line: Option<&'a [u8]>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Lines<R> {
        Lines { reader, line: Vec::new() }
    }

    /// Returns the next line; `None` if no further line is complete.
    pub(super) fn next(&mut self) -> io::Result<Option<CompleteLine<'_>>> {
        self.line.clear();
        let length = (&mut self.reader).take(MAX_LINE_LENGTH as u64).read_until(b'\n', &mut self.line)?;
        if self.line.last() == Some(&b'\n') {
            return Ok(Some(CompleteLine { length: length as u64, line: Some(&self.line) }));
        }
        if length < MAX_LINE_LENGTH {
            return Ok(None);
        }
        let rest = self.skip()?;
        Ok(rest.map(|rest| CompleteLine { length: length as u64 + rest, line: None }))
    }

    /// Skips the rest of a line and returns its length; `None` if it has no end.
    fn skip(&mut self) -> io::Result<Option<u64>> {
        let mut skipped = 0;
        loop {
            let bytes = self.reader.fill_buf()?;
            // `contains` is many times faster than a search for the position, and few parts of a
            // long line have an end.
            let end =
                if bytes.contains(&b'\n') { bytes.iter().position(|&byte| byte == b'\n') } else { None };
            let used_length = end.map_or(bytes.len(), |end| end + 1);
            if used_length == 0 {
                return Ok(None);
            }
            self.reader.consume(used_length);
            skipped += used_length as u64;
            if end.is_some() {
                return Ok(Some(skipped));
            }
        }
    }
}
