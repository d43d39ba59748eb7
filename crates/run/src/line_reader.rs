//! The lines of a file, read without holding more of it than one line of a journal can have.

use std::io::{self, BufRead, Read};

/// The most bytes of a line of a journal. The most that is played at a time makes some 300 kB of
/// one player's games, and at most 2 MB of any; the message of a panic is cut.
pub(super) const LONGEST: usize = 16 << 20;

/// The lines of a file.
pub(super) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

/// A line that has an end.
pub(super) struct Found<'a> {
    /// Length in the file, in bytes.
    pub(super) length: u64,
    /// The line; none if it is longer than any that a journal can have.
    pub(super) line: Option<&'a [u8]>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn of(reader: R) -> Lines<R> {
        Lines { reader, line: Vec::new() }
    }

    /// The next line; none where no line ends any more.
    pub(super) fn next(&mut self) -> io::Result<Option<Found<'_>>> {
        self.line.clear();
        let length = (&mut self.reader).take(LONGEST as u64).read_until(b'\n', &mut self.line)?;
        if self.line.last() == Some(&b'\n') {
            return Ok(Some(Found { length: length as u64, line: Some(&self.line) }));
        }
        if length < LONGEST {
            return Ok(None);
        }
        let rest = self.skip()?;
        Ok(rest.map(|rest| Found { length: length as u64 + rest, line: None }))
    }

    /// Passes over the rest of a line and says how long it is; none if it has no end.
    fn skip(&mut self) -> io::Result<Option<u64>> {
        let mut skipped = 0;
        loop {
            let bytes = self.reader.fill_buf()?;
            // `contains` is many times as fast as a search for the place, which few parts of a long
            // line have.
            let end =
                if bytes.contains(&b'\n') { bytes.iter().position(|&byte| byte == b'\n') } else { None };
            let used = end.map_or(bytes.len(), |end| end + 1);
            if used == 0 {
                return Ok(None);
            }
            self.reader.consume(used);
            skipped += used as u64;
            if end.is_some() {
                return Ok(Some(skipped));
            }
        }
    }
}
