//! Network files of TDL2048+ (`.w`), read and written like its program does.
//!
//! A file consists of a version, 0, and the number of tables, optionally after a letter `w`. Then
//! follow the tables. A table consists of:
//!
//! - a version, 4
//! - eight bytes of a name
//! - the size of a weight, the number of weights, and the weights
//! - further blocks of the previous form, with training state, up to a block of length 0
//!
//! A pattern is named by its cells in hexadecimal digits, the first of which is lowest in an index.
//! The name is a number with its number of digits, or text. Files of older versions lack the number
//! of digits; it follows from the number of weights. Each table is used for all eight images of a
//! board.

use std::io::{self, BufReader, Read, Write};

use anyhow::{anyhow, bail};
use gauntlet_core::text::{format_count, group_digits};

use super::pages::reserve;
use super::pattern::{Pattern, Patterns};
use super::stages::Stages;
use super::weight_indices::Layout;
use super::{MAX_WEIGHT, Network};

/// Maximum number of tables in a file.
const MAX_TABLES: u32 = 4096;

/// Maximum bytes of a table's further blocks per weight: some numbers of eight bytes.
const MAX_EXTRA_BYTES: u64 = 32;

/// Number of weights read or written at once.
const CHUNK_LENGTH: usize = 1 << 14;

/// Maximum number of cells of a pattern, whose name has eight bytes.
const MAX_CELLS: usize = 8;

/// Reader of a file from its beginning.
struct Reader<'a> {
    file: &'a mut dyn Read,
    /// Remaining bytes.
    remaining_bytes: u64,
}

/// Table, as its header in a file describes it.
struct Table {
    /// Cells, the first of which is lowest in an index.
    cells: Vec<u32>,
    /// Bytes per weight: 4 or 8.
    width: usize,
}

impl Reader<'_> {
    /// Subtracts bytes from the remaining ones before they are read.
    fn take(&mut self, length: u64) -> anyhow::Result<()> {
        self.remaining_bytes =
            self.remaining_bytes.checked_sub(length).ok_or_else(|| anyhow!("is truncated"))?;
        Ok(())
    }

    fn read_bytes<const LENGTH: usize>(&mut self) -> anyhow::Result<[u8; LENGTH]> {
        self.take(LENGTH as u64)?;
        let mut bytes = [0; LENGTH];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Subtracts the bytes of a block of items, and returns their number.
    fn read_block_header(&mut self, width: u64) -> anyhow::Result<u64> {
        let items = u64::from_le_bytes(self.read_bytes()?);
        let length = items.checked_mul(width).ok_or_else(|| anyhow!("is damaged: a table has no end"))?;
        self.take(length)?;
        Ok(items)
    }

    /// Reads the header of a table, before its weights.
    fn read_table(&mut self) -> anyhow::Result<Table> {
        let [version] = self.read_bytes()?;
        if version != 4 {
            bail!("has a table of version {version}, not 4: not a network of TDL2048+");
        }
        let name = self.read_bytes()?;
        let width = u16::from_le_bytes(self.read_bytes()?);
        if width != 4 && width != 8 {
            bail!("has weights of {width} bytes, not 4 or 8");
        }
        let weights = self.read_block_header(width.into())?;
        let table = Table { cells: parse_cells(name, weights)?, width: width.into() };
        if table.contents() != weights {
            let (digits, weights) = (table.digits(), group_digits(weights));
            bail!("has a table {digits} of {weights} weights, which is not a pattern of cells");
        }
        Ok(table)
    }

    /// Appends the weights of a table, in our order.
    fn read_weights(&mut self, table: &Table, weights: &mut Vec<f32>) -> anyhow::Result<()> {
        let (start, contents) = (weights.len(), table.contents() as usize);
        reserve(weights, contents).map_err(|message| anyhow!("cannot be held: {message}"))?;
        weights.resize(start + contents, 0.0);
        let (weights, bit_table) = (&mut weights[start..], index_bits(&table.cells));
        let mut bytes = vec![0; CHUNK_LENGTH * table.width];
        for first in (0..contents).step_by(CHUNK_LENGTH) {
            let bytes = &mut bytes[..CHUNK_LENGTH.min(contents - first) * table.width];
            self.file.read_exact(bytes)?;
            for (index, bytes) in bytes.chunks_exact(table.width).enumerate() {
                let weight = match *bytes {
                    [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
                    _ => f64::from_le_bytes(bytes.try_into().expect("eight bytes")) as f32,
                };
                if weight.is_nan() || weight.abs() > MAX_WEIGHT {
                    bail!("has a weight of {weight}: not finite or too large");
                }
                weights[convert_index(first + index, &bit_table)] = weight;
            }
        }
        Ok(())
    }

    /// Skips the further blocks of a table.
    fn skip_blocks(&mut self, table: &Table) -> anyhow::Result<()> {
        let mut max_bytes = MAX_EXTRA_BYTES * table.contents();
        loop {
            let width = u16::from_le_bytes(self.read_bytes()?).into();
            if width == 0 {
                return Ok(());
            }
            let length = width * self.read_block_header(width)?;
            max_bytes = max_bytes.checked_sub(length).ok_or_else(|| {
                anyhow!(
                    "has more than {MAX_EXTRA_BYTES} additional bytes per weight: not a network of TDL2048+"
                )
            })?;
            io::copy(&mut self.file.take(length), &mut io::sink())?;
        }
    }
}

/// Parses the name of a table with this number of weights as cells.
fn parse_cells(name: [u8; 8], weights: u64) -> anyhow::Result<Vec<u32>> {
    let [a, b, c, d, e, f, text @ ..] = name;
    let text = if text == [0, 0] {
        let (number, digits) = (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]).into());
        let digits = match digits {
            0 => weights.checked_ilog2().unwrap_or(0) as usize / 4,
            _ => MAX_CELLS.saturating_add(1).min(digits),
        };
        format!("{number:0digits$x}")
    } else {
        String::from_utf8_lossy(&name).trim_end().to_owned()
    };
    let cells: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    cells
        .filter(|cells| (1..=MAX_CELLS).contains(&cells.len()))
        .ok_or_else(|| anyhow!("has a table {text:?}, which is not a pattern of cells"))
}

impl Table {
    /// Returns the cells as hexadecimal digits.
    fn digits(&self) -> String {
        self.cells.iter().map(|cell| format!("{cell:x}")).collect()
    }

    /// Returns the number of weights: sixteen per cell, for at most eight cells.
    fn contents(&self) -> u64 {
        1 << (4 * self.cells.len())
    }
}

/// Returns the index bits in our tables for each rank of each cell, in the order of
/// [`super::weight_indices`].
fn index_bits(cells: &[u32]) -> Vec<[u32; 16]> {
    let mut sorted_cells = cells.to_owned();
    sorted_cells.sort_unstable();
    let position =
        |cell: &u32| sorted_cells.iter().position(|other| other == cell).expect("one of the cells");
    let cell_bits = |cell: &u32| {
        let rank_bits = |rank: usize| {
            (0..4).map(|bit| ((rank >> bit & 1) as u32) << (bit * sorted_cells.len() + position(cell))).sum()
        };
        std::array::from_fn(rank_bits)
    };
    cells.iter().map(cell_bits).collect()
}

/// Converts an index in their table to an index in ours.
fn convert_index(index: usize, bit_table: &[[u32; 16]]) -> usize {
    let bits = bit_table.iter().enumerate().map(|(cell, rank_bits)| rank_bits[index >> (4 * cell) & 15]);
    bits.sum::<u32>() as usize
}

/// Reads a file of TDL2048+ of this length in parts, or returns a one-line error. It stops at the
/// first mistake and holds nothing in addition to the network.
pub fn read(file: &mut dyn Read, length: u64) -> anyhow::Result<(Patterns, Network)> {
    let mut file = BufReader::with_capacity(4 * CHUNK_LENGTH, file);
    let mut reader = Reader { file: &mut file, remaining_bytes: length };
    let mut version = reader.read_bytes()?;
    if version == *b"w" {
        version = reader.read_bytes()?;
    }
    let number = u32::from_le_bytes(reader.read_bytes()?);
    if version != [0] || number == 0 || number > MAX_TABLES {
        bail!("is no network of TDL2048+");
    }
    let (mut names, mut weights) = (Vec::new(), Vec::new());
    let mut latest = None;
    for _ in 0..number {
        let table = reader.read_table()?;
        names.push(table.digits());
        let patterns =
            Patterns::try_from(names.join(" ")).map_err(|message| anyhow!("has patterns that {message}"))?;
        if let Some([one, other]) = patterns.images() {
            bail!("has separate tables for {one} and {other}, which are images of each other");
        }
        let layout = Layout::new(patterns.list(), true, &Stages::default())
            .ok_or_else(|| anyhow!("has patterns with more weights than a network may have"))?;
        reader.read_weights(&table, &mut weights)?;
        reader.skip_blocks(&table)?;
        latest = Some((patterns, layout));
    }
    if reader.remaining_bytes > 0 {
        bail!("is damaged: {} at the end", format_count(reader.remaining_bytes, "extra byte"));
    }
    let (patterns, layout) = latest.expect("a table or more");
    Ok((patterns, Network { layout, weights }))
}

/// Returns a one-line error if a network cannot be written as a file of TDL2048+.
pub fn check(network: &Network) -> anyhow::Result<()> {
    let layout = network.layout();
    if !layout.is_symmetric() {
        bail!("is not symmetric; TDL2048+ supports only symmetric networks");
    }
    if !layout.stages().has_one_stage() {
        bail!("has stages, which TDL2048+ files cannot store");
    }
    Ok(())
}

/// Writes a network that passes [`check`] as a file of TDL2048+.
pub fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let patterns: Vec<Pattern> = network.layout().patterns().collect();
    out.write_all(&[0])?;
    out.write_all(&(patterns.len() as u32).to_le_bytes())?;
    let mut remaining_weights = network.weights();
    for pattern in patterns {
        let cells: Vec<u32> = pattern.cells().collect();
        let name = cells.iter().fold(0, |name, cell| name << 4 | cell);
        out.write_all(&[4])?;
        out.write_all(&name.to_le_bytes())?;
        out.write_all(&(cells.len() as u16).to_le_bytes())?;
        out.write_all(&[0, 0])?;
        out.write_all(&4_u16.to_le_bytes())?;
        out.write_all(&pattern.contents().to_le_bytes())?;
        let (weights, later_weights) = remaining_weights.split_at(1 << (4 * cells.len()));
        let bit_table = index_bits(&cells);
        let mut bytes = Vec::with_capacity(4 * CHUNK_LENGTH);
        for first in (0..weights.len()).step_by(CHUNK_LENGTH) {
            let indices = first..weights.len().min(first + CHUNK_LENGTH);
            bytes.clear();
            bytes.extend(indices.flat_map(|index| weights[convert_index(index, &bit_table)].to_le_bytes()));
            out.write_all(&bytes)?;
        }
        out.write_all(&[0, 0])?;
        remaining_weights = later_weights;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::rules::Cells;

    use super::*;

    /// Output of its program after 400 games: `2048 -n "021 56" -t 1x400 -e 0 -s 1 -o 021-56.w`.
    const FILE: &[u8] = include_bytes!("../../../../tests/it/vectors/021-56.w");

    /// Boards with the values of that network in its program.
    const VALUES: &str = include_str!("../../../../tests/it/vectors/021-56.txt");

    fn read_all(bytes: &[u8]) -> anyhow::Result<(Patterns, Network)> {
        read(&mut &*bytes, bytes.len() as u64)
    }

    fn write_network(network: &Network) -> Vec<u8> {
        check(network).expect("a network of eight images");
        let mut bytes = Vec::new();
        write(network, &mut bytes).expect("a list takes all");
        bytes
    }

    #[test]
    fn boards_are_worth_what_they_are_there() {
        let (patterns, network) = read_all(FILE).expect("a network");
        assert_eq!(patterns.to_string(), "012 56");
        let mut count = 0;
        for line in VALUES.lines() {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            let cells = Cells::from_ranks(std::array::from_fn(|cell| numbers[cell] as u8));
            let (actual, expected) = (f64::from(network.value(cells)), numbers[16]);
            // Single-precision sums, added in another order.
            assert!(
                (actual - expected).abs() <= 1e-5 * expected.abs() + 1e-3,
                "{actual}, not {expected}: {line}"
            );
            count += 1;
        }
        assert_eq!(count, 40);
    }

    #[test]
    fn what_was_written_is_read() {
        let (patterns, network) = read_all(FILE).expect("a network");
        let bytes = write_network(&network);
        let (copied_patterns, copied_network) = read_all(&bytes).expect("a network");
        assert_eq!((copied_patterns, copied_network.weights()), (patterns, network.weights()));
        // The first pattern has another order of cells there.
        assert_eq!((bytes.len(), bytes == FILE), (FILE.len(), false));
        assert_eq!(write_network(&copied_network), bytes);
        let pattern = Patterns::try_from("012".to_owned()).expect("a pattern");
        let asymmetric = Network::new(&pattern, false, &Stages::default(), 0.0).expect("a small network");
        assert!(check(&asymmetric).is_err());
    }

    /// Older versions wrote 0 as the number of digits.
    #[test]
    fn older_files_are_read() {
        let mut older_file = FILE.to_owned();
        assert_eq!(older_file[10..12], [3, 0]);
        older_file[10] = 0;
        let ((patterns, network), (older_patterns, older_network)) =
            (read_all(FILE).expect("ours"), read_all(&older_file).expect("older"));
        assert_eq!((older_patterns, older_network.weights()), (patterns, network.weights()));
    }

    #[test]
    fn what_is_damaged_is_told_in_a_line() {
        #[track_caller]
        fn check(bytes: &[u8], expected: &str) {
            let message = read_all(bytes).expect_err("a damaged network").to_string();
            assert!(message.contains(expected) && !message.contains('\n'), "{message:?}");
        }

        for length in 0..FILE.len() {
            read_all(&FILE[..length]).expect_err("a network that was cut off");
        }
        check(&FILE[..1000], "is truncated");
        check(&[FILE, b"x"].concat(), "is damaged: 1 extra byte at the end");
        check(b"name,score\n", "is no network of TDL2048+");
        let change_byte = |index: usize, byte: u8| {
            let mut bytes = FILE.to_owned();
            bytes[index] = byte;
            bytes
        };
        check(&change_byte(1, 0), "is no network of TDL2048+");
        check(&change_byte(1, 9), "is truncated");
        check(&change_byte(5, 3), "a table of version 3");
        check(&change_byte(10, 5), "which is not a pattern of cells");
        check(&change_byte(6, 0x22), "names the cell 2 twice");
        check(&change_byte(12, 9), "which is not a pattern of cells");
        check(&change_byte(14, 2), "weights of 2 bytes");
        check(&change_byte(23, 0xFF), "a table has no end");
        check(&change_byte(11, 0xFF), "which is not a pattern of cells");
        let nameless = [b"\0\x01\0\0\0\x04        \x04\0\x01\0\0\0\0\0\0\0".as_slice(), &[0; 6]].concat();
        check(&nameless, "a table \"\", which is not a pattern of cells");
        let mut huge = FILE.to_owned();
        huge[24..28].copy_from_slice(&f32::INFINITY.to_le_bytes());
        check(&huge, "has a weight of inf");
    }
}
