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
const FOUR: f64 = 0.1;

/// Boards for each count.
const GROUP: usize = 512;

/// Length of a digest in bytes.
pub(crate) const DIGEST: usize = blake3::OUT_LEN;

/// Length of a directory entry in bytes.
pub(crate) const ENTRY: usize = 24 + DIGEST;

/// Directory entry of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Sum of its boards, in units of the tile 2.
    pub(crate) layer: u64,
    /// Offset of the layer in the file.
    pub(crate) offset: u64,
    /// Number of boards with a number over 0.
    pub(crate) stored: u64,
    /// Digest of the layer's content.
    pub(crate) digest: [u8; DIGEST],
}

impl Entry {
    pub(crate) fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        for (part, number) in bytes.chunks_exact_mut(8).zip([self.layer, self.offset, self.stored]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        bytes[24..].copy_from_slice(&self.digest);
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Entry {
        let number = |at: usize| u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8 bytes"));
        let digest = bytes[24..ENTRY].try_into().expect("a digest");
        Entry { layer: number(0), offset: number(1), stored: number(2), digest }
    }

    /// Returns the length of the layer's content, if it has this many boards.
    pub(crate) fn length(&self, boards: usize) -> u64 {
        let parts = 8 * boards.div_ceil(64) + 4 * boards.div_ceil(GROUP);
        self.stored.saturating_mul(2).saturating_add(parts as u64)
    }

    /// Returns the offset of the layer's content.
    pub(crate) fn content(&self) -> u64 {
        self.offset.saturating_add(ENTRY as u64)
    }

    /// Returns the offset after the layer and its padding.
    pub(crate) fn end(&self, boards: usize) -> u64 {
        let end = self.content().saturating_add(self.length(boards));
        end.checked_next_multiple_of(ALIGNMENT as u64).unwrap_or(u64::MAX)
    }

    /// Returns true if this is the layer's content.
    pub(crate) fn is_digest_of(&self, content: &[u8]) -> bool {
        blake3::hash(content).as_bytes() == &self.digest
    }
}

/// Returns the two lines of a table's file, padded to where the first layer begins.
pub(crate) fn encode_head(kind: Kind, index: &BoardIndex) -> Vec<u8> {
    let layers = index.layers();
    let boards = (0..layers).map(|layer| index.boards(layer) as u64).sum();
    let description = Description { table: kind.to_string(), four: FOUR, layers, boards };
    let json = serde_json::to_string(&description).expect("plain data");
    let mut head = [MAGIC, &json].concat().into_bytes();
    // The line of JSON ends with blanks, so that the first layer is aligned.
    head.resize((head.len() + 1).next_multiple_of(ALIGNMENT) - 1, b' ');
    head.push(b'\n');
    head
}

/// Returns the bytes of a layer from its numbers, and its directory entry.
pub(crate) fn encode_layer(layer: usize, offset: u64, numbers: &[u16]) -> (Entry, Vec<u8>) {
    let mut bits = Vec::with_capacity(numbers.len() / 8 + 8);
    let (mut counts, mut kept) = (Vec::new(), Vec::new());
    for (at, group) in numbers.chunks(64).enumerate() {
        if at % (GROUP / 64) == 0 {
            counts.extend((kept.len() as u32 / 2).to_le_bytes());
        }
        let word = group.iter().zip(0..).fold(0, |word, (&number, bit)| word | u64::from(number > 0) << bit);
        bits.extend(u64::to_le_bytes(word));
        kept.extend(group.iter().filter(|&&number| number > 0).flat_map(|number| number.to_le_bytes()));
    }
    let content = [bits, counts, kept].concat();
    let stored = numbers.iter().filter(|&&number| number > 0).count() as u64;
    let digest = *blake3::hash(&content).as_bytes();
    let entry = Entry { layer: layer as u64, offset, stored, digest };
    let mut bytes = [&entry.to_bytes(), &content[..]].concat();
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    (entry, bytes)
}

/// Returns the number of the board at a position of a layer, from the layer's content.
#[inline]
pub(crate) fn decode_number(content: &[u8], boards: usize, position: usize) -> u16 {
    let word = |at: usize| u64::from_le_bytes(content[8 * at..8 * at + 8].try_into().expect("8 bytes"));
    let (at, bit) = (position / 64, position % 64);
    let own = word(at);
    if own >> bit & 1 == 0 {
        return 0;
    }
    let counts = &content[8 * boards.div_ceil(64)..];
    let group = position / GROUP;
    let before = u32::from_le_bytes(counts[4 * group..4 * group + 4].try_into().expect("4 bytes"));
    let words = group * (GROUP / 64)..at;
    let within: u32 =
        words.map(|at| word(at).count_ones()).sum::<u32>() + (own & ((1 << bit) - 1)).count_ones();
    let place = 2 * (before + within) as usize;
    let numbers = &counts[4 * boards.div_ceil(GROUP)..];
    u16::from_le_bytes([numbers[place], numbers[place + 1]])
}

/// Returns all numbers of a layer from its content.
pub(crate) fn decode_numbers(content: &[u8], boards: usize) -> Vec<u16> {
    let kept = &content[8 * boards.div_ceil(64) + 4 * boards.div_ceil(GROUP)..];
    let mut kept = kept.chunks_exact(2).map(|number| u16::from_le_bytes([number[0], number[1]]));
    (0..boards)
        .map(|position| {
            let is_kept = content[position / 8] >> (position % 8) & 1 == 1;
            if is_kept { kept.next().unwrap_or(0) } else { 0 }
        })
        .collect()
}
