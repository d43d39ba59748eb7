//! Files of tables: a line that identifies the format; a line of JSON that describes the table; the
//! layers, from the largest sum down; a directory of the layers; and a digest of the two lines and
//! the directory, which contains the digest of each layer. So each part can be checked alone.
//!
//! A layer begins with its directory entry, so an unfinished file can be continued. Then come a bit
//! for each board that has a number over 0; the count of such boards before each 512; and these
//! numbers. All numbers are little-endian.

use crate::index::BoardIndex;
use crate::kind::{Description, Kind};

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
    /// Number of boards with a number over 0.
    pub(crate) nonzero_count: u64,
    /// Digest of the layer's content.
    pub(crate) digest: [u8; DIGEST_LENGTH],
}

impl Entry {
    pub(crate) fn to_bytes(self) -> [u8; ENTRY_LENGTH] {
        let mut bytes = [0; ENTRY_LENGTH];
        for (chunk, number) in bytes.chunks_exact_mut(8).zip([self.layer, self.offset, self.nonzero_count]) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        bytes[24..].copy_from_slice(&self.digest);
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Entry {
        let number =
            |index: usize| u64::from_le_bytes(bytes[8 * index..8 * index + 8].try_into().expect("8 bytes"));
        let digest = bytes[24..ENTRY_LENGTH].try_into().expect("a digest");
        Entry { layer: number(0), offset: number(1), nonzero_count: number(2), digest }
    }

    /// Returns the length of the layer's content, if it has this many boards.
    pub(crate) fn content_length(&self, boards: usize) -> u64 {
        let parts = 8 * boards.div_ceil(64) + 4 * boards.div_ceil(GROUP_SIZE);
        self.nonzero_count.saturating_mul(2).saturating_add(parts as u64)
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
pub(crate) fn encode_header(kind: Kind, index: &BoardIndex) -> Vec<u8> {
    let layers = index.layers();
    let boards = (0..layers).map(|layer| index.boards(layer) as u64).sum();
    let description = Description { table: kind.to_string(), four: FOUR_PROBABILITY, layers, boards };
    let json = serde_json::to_string(&description).expect("plain data");
    let mut header = [MAGIC, &json].concat().into_bytes();
    // The line of JSON ends with blanks, so that the first layer is aligned.
    header.resize((header.len() + 1).next_multiple_of(ALIGNMENT) - 1, b' ');
    header.push(b'\n');
    header
}

/// Returns the bytes of a layer from its numbers, and its directory entry.
pub(crate) fn encode_layer(layer: usize, offset: u64, numbers: &[u16]) -> (Entry, Vec<u8>) {
    let mut bits = Vec::with_capacity(numbers.len() / 8 + 8);
    let (mut counts, mut number_bytes) = (Vec::new(), Vec::new());
    for (index, group) in numbers.chunks(64).enumerate() {
        if index % (GROUP_SIZE / 64) == 0 {
            counts.extend((number_bytes.len() as u32 / 2).to_le_bytes());
        }
        let word = group.iter().zip(0..).fold(0, |word, (&number, bit)| word | u64::from(number > 0) << bit);
        bits.extend(u64::to_le_bytes(word));
        number_bytes
            .extend(group.iter().filter(|&&number| number > 0).flat_map(|number| number.to_le_bytes()));
    }
    let content = [bits, counts, number_bytes].concat();
    let nonzero_count = numbers.iter().filter(|&&number| number > 0).count() as u64;
    let digest = *blake3::hash(&content).as_bytes();
    let entry = Entry { layer: layer as u64, offset, nonzero_count, digest };
    let mut bytes = [&entry.to_bytes(), &content[..]].concat();
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    (entry, bytes)
}

/// Returns the number of the board at a position of a layer, from the layer's content.
#[inline]
pub(crate) fn number_at(content: &[u8], boards: usize, position: usize) -> u16 {
    let word =
        |index: usize| u64::from_le_bytes(content[8 * index..8 * index + 8].try_into().expect("8 bytes"));
    let (word_index, bit) = (position / 64, position % 64);
    let bits = word(word_index);
    if bits >> bit & 1 == 0 {
        return 0;
    }
    let counts = &content[8 * boards.div_ceil(64)..];
    let group = position / GROUP_SIZE;
    let count_before = u32::from_le_bytes(counts[4 * group..4 * group + 4].try_into().expect("4 bytes"));
    let words = group * (GROUP_SIZE / 64)..word_index;
    let count_within: u32 =
        words.map(|index| word(index).count_ones()).sum::<u32>() + (bits & ((1 << bit) - 1)).count_ones();
    let offset = 2 * (count_before + count_within) as usize;
    let numbers = &counts[4 * boards.div_ceil(GROUP_SIZE)..];
    u16::from_le_bytes([numbers[offset], numbers[offset + 1]])
}

/// Returns all numbers of a layer from its content.
pub(crate) fn decode_numbers(content: &[u8], boards: usize) -> Vec<u16> {
    let number_bytes = &content[8 * boards.div_ceil(64) + 4 * boards.div_ceil(GROUP_SIZE)..];
    let mut numbers = number_bytes.chunks_exact(2).map(|number| u16::from_le_bytes([number[0], number[1]]));
    (0..boards)
        .map(|position| {
            let is_nonzero = content[position / 8] >> (position % 8) & 1 == 1;
            if is_nonzero { numbers.next().unwrap_or(0) } else { 0 }
        })
        .collect()
}
