//! Files of tables: a line that identifies the format; a line of JSON that describes the table; the
//! layers, from the largest sum down; a directory of the layers; and a digest of the two lines and
//! the directory, which contains the digest of each layer. So each part can be checked alone.
//!
//! A layer begins with its directory entry, so an unfinished file can be continued. Then come a bit
//! for each board that has a number; the count of such boards before each 512; and these numbers.
//! All numbers are little-endian. If the table has all boards, those without a number have the
//! number 0. Otherwise, the number of a board may be 0, and boards without a number are unknown.

use crate::board_set::BoardSet;
use crate::index::BoardIndex;
use crate::kind::{Coverage, Description, Kind};

/// First line of a file.
pub(crate) const MAGIC: &str = "gauntlet endgame table, version 1\n";

/// Alignment of layers in bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// Probability that a new tile is a 4.
const FOUR_PROBABILITY: f64 = 0.1;

/// Boards for each count.
const GROUP_SIZE: usize = 512;

/// Length of a digest in bytes.
pub(crate) const DIGEST_LENGTH: usize = blake3::OUT_LEN;

/// Length of a directory entry in bytes.
pub(crate) const ENTRY_LENGTH: usize = 24 + DIGEST_LENGTH;

/// Directory entry of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Sum of its boards, in units of the tile 2.
    pub(crate) layer: u64,
    /// Offset of the layer in the file.
    pub(crate) offset: u64,
    /// Number of boards that have a number.
    pub(crate) number_count: u64,
    /// Digest of the layer's content.
    pub(crate) digest: [u8; DIGEST_LENGTH],
}

impl Entry {
    pub(crate) fn to_bytes(self) -> [u8; ENTRY_LENGTH] {
        let mut bytes = [0; ENTRY_LENGTH];
        for (chunk, number) in bytes.chunks_exact_mut(8).zip([self.layer, self.offset, self.number_count]) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        bytes[24..].copy_from_slice(&self.digest);
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Entry {
        let number =
            |index: usize| u64::from_le_bytes(bytes[8 * index..8 * index + 8].try_into().expect("8 bytes"));
        let digest = bytes[24..ENTRY_LENGTH].try_into().expect("a digest");
        Entry { layer: number(0), offset: number(1), number_count: number(2), digest }
    }

    /// Returns the length of the layer's content, if it has this many boards.
    pub(crate) fn content_length(&self, boards: usize) -> u64 {
        let parts = 8 * boards.div_ceil(64) + 4 * boards.div_ceil(GROUP_SIZE);
        self.number_count.saturating_mul(2).saturating_add(parts as u64)
    }

    /// Returns the offset of the layer's content.
    pub(crate) fn content(&self) -> u64 {
        self.offset.saturating_add(ENTRY_LENGTH as u64)
    }

    /// Returns the offset after the layer and its padding.
    pub(crate) fn end_offset(&self, boards: usize) -> u64 {
        let end = self.content().saturating_add(self.content_length(boards));
        end.checked_next_multiple_of(ALIGNMENT as u64).unwrap_or(u64::MAX)
    }

    /// Returns true if this is the layer's content.
    pub(crate) fn is_digest_of(&self, content: &[u8]) -> bool {
        blake3::hash(content).as_bytes() == &self.digest
    }
}

/// Returns the two lines of a table's file, padded to where the first layer begins.
pub(crate) fn encode_header(kind: Kind, coverage: Coverage, index: &BoardIndex) -> Vec<u8> {
    let layers = index.layers();
    let boards = index.count_boards();
    let reachable_from_sum = match coverage {
        Coverage::All => None,
        Coverage::ReachableFrom(sum) => Some(sum),
    };
    let (table, four) = (kind.to_string(), FOUR_PROBABILITY);
    let description = Description { table, four, layers, boards, reachable_from_sum };
    let json = serde_json::to_string(&description).expect("plain data");
    let mut header = [MAGIC, &json].concat().into_bytes();
    // The line of JSON ends with blanks, so that the first layer is aligned.
    header.resize((header.len() + 1).next_multiple_of(ALIGNMENT) - 1, b' ');
    header.push(b'\n');
    header
}

/// Returns the bytes of a layer from its numbers, and its directory entry. Without `kept_boards`,
/// the boards with a number over 0 are kept.
pub(crate) fn encode_layer(
    layer: usize,
    offset: u64,
    numbers: &[u16],
    kept_boards: Option<&BoardSet>,
) -> (Entry, Vec<u8>) {
    let is_kept = |position: usize| match kept_boards {
        Some(boards) => boards.contains(position),
        None => numbers[position] > 0,
    };
    let mut bits = Vec::with_capacity(numbers.len() / 8 + 8);
    let (mut counts, mut number_bytes) = (Vec::new(), Vec::new());
    for start in (0..numbers.len()).step_by(64) {
        if start % GROUP_SIZE == 0 {
            counts.extend((number_bytes.len() as u32 / 2).to_le_bytes());
        }
        let mut word = 0_u64;
        for position in (start..numbers.len().min(start + 64)).filter(|&position| is_kept(position)) {
            word |= 1 << (position - start);
            number_bytes.extend(numbers[position].to_le_bytes());
        }
        bits.extend(u64::to_le_bytes(word));
    }
    let number_count = number_bytes.len() as u64 / 2;
    let content = [bits, counts, number_bytes].concat();
    let digest = *blake3::hash(&content).as_bytes();
    let entry = Entry { layer: layer as u64, offset, number_count, digest };
    let mut bytes = [&entry.to_bytes(), &content[..]].concat();
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    (entry, bytes)
}

/// Returns the number of the board at a position of a layer, from the layer's content, if it has
/// one.
#[inline]
pub(crate) fn number_at(content: &[u8], boards: usize, position: usize) -> Option<u16> {
    let word =
        |index: usize| u64::from_le_bytes(content[8 * index..8 * index + 8].try_into().expect("8 bytes"));
    let (word_index, bit) = (position / 64, position % 64);
    let bits = word(word_index);
    if bits >> bit & 1 == 0 {
        return None;
    }
    let counts = &content[8 * boards.div_ceil(64)..];
    let group = position / GROUP_SIZE;
    let count_before = u32::from_le_bytes(counts[4 * group..4 * group + 4].try_into().expect("4 bytes"));
    let words = group * (GROUP_SIZE / 64)..word_index;
    let count_within: u32 =
        words.map(|index| word(index).count_ones()).sum::<u32>() + (bits & ((1 << bit) - 1)).count_ones();
    let offset = 2 * (count_before + count_within) as usize;
    let numbers = &counts[4 * boards.div_ceil(GROUP_SIZE)..];
    Some(u16::from_le_bytes([numbers[offset], numbers[offset + 1]]))
}

/// Returns all numbers of a layer from its content, 0 for boards without a number.
pub(crate) fn decode_numbers(content: &[u8], boards: usize) -> Vec<u16> {
    let number_bytes = &content[8 * boards.div_ceil(64) + 4 * boards.div_ceil(GROUP_SIZE)..];
    let mut numbers = number_bytes.chunks_exact(2).map(|number| u16::from_le_bytes([number[0], number[1]]));
    (0..boards)
        .map(|position| {
            let has_number = content[position / 8] >> (position % 8) & 1 == 1;
            if has_number { numbers.next().unwrap_or(0) } else { 0 }
        })
        .collect()
}
