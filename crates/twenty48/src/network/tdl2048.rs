//! Networks of TDL2048+, files that are called `.w` there: read and written as its program does.
//!
//! A file is a version, 0, and the number of tables; a letter `w` may stand before that. A table is a version, 4; eight bytes of a name;
//! the bytes of a weight, their number, and the weights; and further blocks of the same form, with what learning needs, up to a block
//! of length 0. A pattern is named by its cells in hexadecimal digits, the first of which is lowest in an index: as a number with the
//! number of its digits, or as text. Files of older versions have no number of digits; the number of weights tells it. A board looks at
//! each table in all of its eight images.

use super::pattern::{Pattern, Patterns};
use super::stages::Stages;
use super::{MOST_WEIGHT, Network};
use crate::text::grouped;

/// The most tables of a file.
const MOST_TABLES: u32 = 4096;

/// The most cells of a pattern, whose names have eight bytes.
const MOST_CELLS: usize = 8;

/// A file that is read from its beginning on.
struct Reader<'a>(&'a [u8]);

/// A table as it stands in a file.
struct Table<'a> {
    /// The cells, the first of which is lowest in an index.
    cells: Vec<u32>,
    weights: &'a [u8],
    /// Bytes of a weight: 4 or 8.
    width: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], String> {
        let cut = || "is cut off".to_owned();
        let (taken, rest) =
            self.0.split_at_checked(usize::try_from(length).map_err(|_| cut())?).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: u64) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// The content of a block of as many items as it says.
    fn block(&mut self, width: u64) -> Result<&'a [u8], String> {
        let items = self.number(8)?;
        self.take(items.checked_mul(width).ok_or("is damaged: a table has no end")?)
    }

    fn table(&mut self) -> Result<Table<'a>, String> {
        let version = self.number(1)?;
        if version != 4 {
            return Err(format!("has a table of version {version}, not 4: no network of TDL2048+"));
        }
        let name = self.take(8)?;
        let width = self.number(2)?;
        if width != 4 && width != 8 {
            return Err(format!("has weights of {width} bytes, not 4 or 8"));
        }
        let weights = self.block(width)?;
        let cells = cells(name, weights.len() as u64 / width)?;
        loop {
            match self.number(2)? {
                0 => break,
                width => _ = self.block(width)?,
            }
        }
        Ok(Table { cells, weights, width: width as usize })
    }
}

/// The cells that the name of a table of so many weights stands for.
fn cells(name: &[u8], weights: u64) -> Result<Vec<u32>, String> {
    let (number, digits) = (&name[..4], usize::from(u16::from_le_bytes([name[4], name[5]])));
    let text = if name[6..] == [0, 0] {
        let number = u32::from_le_bytes(number.try_into().expect("four bytes"));
        let digits = match digits {
            0 => weights.checked_ilog2().unwrap_or(0) as usize / 4,
            _ => digits.min(MOST_CELLS + 1),
        };
        format!("{number:0digits$x}")
    } else {
        String::from_utf8_lossy(name).trim_end().to_owned()
    };
    let cells: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    cells
        .filter(|cells| (1..=MOST_CELLS).contains(&cells.len()))
        .ok_or_else(|| format!("has a table {text:?}, which is no pattern of cells"))
}

impl Table<'_> {
    /// Bits of an index into a table of ours for each rank of each cell, as [`super::places`] orders them.
    fn spread(&self) -> Vec<[u32; 16]> {
        let mut sorted = self.cells.clone();
        sorted.sort_unstable();
        let place = |cell: &u32| sorted.iter().position(|other| other == cell).expect("one of the cells");
        let of_cell = |cell: &u32| {
            let of_rank = |rank: usize| {
                (0..4).map(|bit| ((rank >> bit & 1) as u32) << (bit * sorted.len() + place(cell))).sum()
            };
            std::array::from_fn(of_rank)
        };
        self.cells.iter().map(of_cell).collect()
    }

    fn weight(&self, index: usize) -> f32 {
        let bytes = &self.weights[index * self.width..][..self.width];
        match self.width {
            4 => f32::from_le_bytes(bytes.try_into().expect("four bytes")),
            _ => f64::from_le_bytes(bytes.try_into().expect("eight bytes")) as f32,
        }
    }
}

/// The place in a table of ours of a place in one of theirs.
fn place(index: usize, spread: &[[u32; 16]]) -> usize {
    let bits = spread.iter().enumerate().map(|(cell, of_rank)| of_rank[index >> (4 * cell) & 15]);
    bits.sum::<u32>() as usize
}

/// Reads a file of TDL2048+, or says in a line what is wrong with it.
pub fn read(bytes: &[u8]) -> Result<(Patterns, Network), String> {
    let mut reader = Reader(bytes.strip_prefix(b"w").unwrap_or(bytes));
    let (version, number) = (reader.number(1)?, reader.number(4)? as u32);
    if version != 0 || number == 0 || number > MOST_TABLES {
        return Err("is no network of TDL2048+".to_owned());
    }
    let mut tables = Vec::new();
    for _ in 0..number {
        let table = reader.table()?;
        let digits = table.cells.iter().map(|cell| format!("{cell:x}")).collect::<String>();
        let contents = table.weights.len() / table.width;
        let expected = 16_u64.checked_pow(table.cells.len() as u32);
        if expected != Some(contents as u64) {
            let contents = grouped(contents as u64);
            return Err(format!("has a table {digits} of {contents} weights, which is no pattern of cells"));
        }
        tables.push((digits, table));
    }
    if !reader.0.is_empty() {
        return Err(format!("is damaged: {} bytes are left over", grouped(reader.0.len() as u64)));
    }
    let names: Vec<&str> = tables.iter().map(|(digits, _)| &**digits).collect();
    let patterns = Patterns::try_from(names.join(" ")).map_err(|why| format!("has patterns that {why}"))?;
    if let Some([one, other]) = patterns.images() {
        return Err(format!("has tables of their own for {one} and {other}, which are images of each other"));
    }
    let mut network = Network::new(&patterns, true, &Stages::default(), 0.0)?;
    let mut rest = network.weights_mut();
    for (_, table) in &tables {
        let spread = table.spread();
        let (weights, others) = rest.split_at_mut(1 << (4 * table.cells.len()));
        for index in 0..weights.len() {
            let weight = table.weight(index);
            if weight.is_nan() || weight.abs() > MOST_WEIGHT {
                return Err(format!("has a weight of {weight}, which is beyond all sense"));
            }
            weights[place(index, &spread)] = weight;
        }
        rest = others;
    }
    Ok((patterns, network))
}

/// Writes a network as a file of TDL2048+, or says in a line why it cannot be one.
pub fn write(network: &Network) -> Result<Vec<u8>, String> {
    let layout = network.layout();
    if !layout.is_symmetric() {
        return Err(
            "has weights for the board as it lies; those of TDL2048+ are for all eight images".to_owned()
        );
    }
    if !layout.stages().is_one() {
        return Err("has stages, which a file of TDL2048+ does not tell".to_owned());
    }
    let patterns: Vec<Pattern> = layout.patterns().collect();
    let mut bytes = Vec::with_capacity(4 * network.weights().len() + 32 * patterns.len());
    bytes.push(0);
    bytes.extend((patterns.len() as u32).to_le_bytes());
    let mut rest = network.weights();
    for pattern in patterns {
        let cells: Vec<u32> = pattern.cells().collect();
        let name = cells.iter().fold(0, |name, cell| name << 4 | cell);
        bytes.push(4);
        bytes.extend(name.to_le_bytes());
        bytes.extend((cells.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(4_u16.to_le_bytes());
        bytes.extend(pattern.contents().to_le_bytes());
        let (weights, others) = rest.split_at(1 << (4 * cells.len()));
        let spread = Table { cells, weights: &[], width: 4 }.spread();
        for index in 0..weights.len() {
            bytes.extend(weights[place(index, &spread)].to_le_bytes());
        }
        bytes.extend([0, 0]);
        rest = others;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Cells;

    /// What its program wrote after 400 games: `2048 -n "021 56" -t 1x400 -e 0 -s 1 -o 021-56.w`.
    const FILE: &[u8] = include_bytes!("../../../../tests/it/vectors/021-56.w");

    /// Boards, and what its program takes them for by that network.
    const VALUES: &str = include_str!("../../../../tests/it/vectors/021-56.txt");

    #[test]
    fn boards_are_worth_what_they_are_there() {
        let (patterns, network) = read(FILE).expect("a network");
        assert_eq!(patterns.to_string(), "012 56");
        let mut compared = 0;
        for line in VALUES.lines() {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            let cells = Cells::from_ranks(std::array::from_fn(|cell| numbers[cell] as u8));
            let (found, expected) = (f64::from(network.value(cells)), numbers[16]);
            // Sums of single precision, added up in another order.
            assert!(
                (found - expected).abs() <= 1e-5 * expected.abs() + 1e-3,
                "{found}, not {expected}: {line}"
            );
            compared += 1;
        }
        assert_eq!(compared, 40);
    }

    #[test]
    fn what_was_written_is_read() {
        let (patterns, network) = read(FILE).expect("a network");
        let written = write(&network).expect("a network of eight images");
        let (others, again) = read(&written).expect("a network");
        assert_eq!((others, again.weights()), (patterns, network.weights()));
        // The first pattern has another order of cells there.
        assert_eq!((written.len(), written == FILE), (FILE.len(), false));
        assert_eq!(write(&again).expect("the same"), written);
        let pattern = Patterns::try_from("012".to_owned()).expect("a pattern");
        let as_it_lies = Network::new(&pattern, false, &Stages::default(), 0.0).expect("a small network");
        assert!(write(&as_it_lies).is_err());
    }

    /// Older versions wrote 0 for the number of digits.
    #[test]
    fn older_files_are_read() {
        let mut older = FILE.to_owned();
        assert_eq!(older[10..12], [3, 0]);
        older[10] = 0;
        let ((patterns, network), (others, again)) =
            (read(FILE).expect("ours"), read(&older).expect("older"));
        assert_eq!((others, again.weights()), (patterns, network.weights()));
    }

    #[test]
    fn what_is_damaged_is_told_in_a_line() {
        #[track_caller]
        fn check(bytes: &[u8], expected: &str) {
            let told = read(bytes).expect_err("a damaged network");
            assert!(told.contains(expected) && !told.contains('\n'), "{told:?}");
        }

        for length in 0..FILE.len() {
            read(&FILE[..length]).expect_err("a network that was cut off");
        }
        check(&FILE[..1000], "is cut off");
        check(&[FILE, b"x"].concat(), "1 bytes are left over");
        check(b"name,score\n", "is no network of TDL2048+");
        let changed = |at: usize, byte: u8| {
            let mut bytes = FILE.to_owned();
            bytes[at] = byte;
            bytes
        };
        check(&changed(1, 0), "is no network of TDL2048+");
        check(&changed(1, 9), "is cut off");
        check(&changed(5, 3), "a table of version 3");
        check(&changed(10, 5), "which is no pattern of cells");
        check(&changed(6, 0x22), "names the cell 2 twice");
        check(&changed(12, 9), "which is no pattern of cells");
        check(&changed(14, 2), "weights of 2 bytes");
        check(&changed(23, 0xFF), "a table has no end");
        check(&changed(11, 0xFF), "which is no pattern of cells");
        let nameless = [b"\0\x01\0\0\0\x04        \x04\0\x01\0\0\0\0\0\0\0".as_slice(), &[0; 6]].concat();
        check(&nameless, "a table \"\", which is no pattern of cells");
        let mut huge = FILE.to_owned();
        huge[24..28].copy_from_slice(&f32::INFINITY.to_le_bytes());
        check(&huge, "has a weight of inf");
    }
}
