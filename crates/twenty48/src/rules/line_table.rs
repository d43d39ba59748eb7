//! Tables over all lines of four nibbles, computed by the build script.

/// Table of lines: some bytes for each of the 65,536 lines, little-endian on every machine.
///
/// `build.rs` computes the tables that depend on no setting, from the definitions in plain code.
/// The compiler's own evaluation of a `const fn` would do so too, but it takes seconds at every
/// compile (`docs/ARCHITECTURE.md`).
///
/// An entry is one load without a bounds check, and no entry spans two cache lines.
#[repr(align(64))]
pub struct LineTable<const WIDTH: usize>([[u8; WIDTH]; 1 << 16]);

impl<const WIDTH: usize> LineTable<WIDTH> {
    /// Creates a table from its bytes.
    ///
    /// # Panics
    /// If there are not `WIDTH` bytes per line.
    pub const fn new(bytes: &[u8]) -> LineTable<WIDTH> {
        let (entries, rest) = bytes.as_chunks();
        match entries.first_chunk() {
            Some(table) if entries.len() == table.len() && rest.is_empty() => LineTable(*table),
            _ => panic!("a table has an entry for each line"),
        }
    }

    /// Returns the bytes of a line.
    #[inline(always)]
    pub const fn get(&self, line: u16) -> [u8; WIDTH] {
        self.0[line as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_the_bytes_in_their_order() {
        let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let table = LineTable::<2>::new(&bytes);
        for line in 0..=u16::MAX {
            assert_eq!(u16::from_le_bytes(table.get(line)), line);
        }
    }

    #[test]
    #[should_panic(expected = "an entry for each line")]
    fn a_table_is_complete() {
        LineTable::<2>::new(&[0; (1 << 17) + 1]);
    }
}
