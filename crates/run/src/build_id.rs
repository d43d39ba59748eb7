//! Build ID of a program: a digest that linkers compute from everything they link and store in a
//! note of the file. Reading it is faster than hashing a program of 40 MB.
//!
//! Only files in ELF format with 64 bits and little-endian numbers are read, as on Linux.

/// Number of bytes at the beginning of a file that contain its notes.
pub(crate) const HEAD_LENGTH: u64 = 1 << 16;

/// Identifies a file in ELF format with 64 bits and little-endian numbers.
const MAGIC: &[u8] = b"\x7fELF\x02\x01";

/// Type of segments that contain notes.
const NOTE_SEGMENT: u64 = 4;

/// Owner and type of the note that contains the build ID.
const OWNER: &[u8] = b"GNU\0";
const BUILD_ID_NOTE: u64 = 3;

/// Minimum length of a build ID in bytes. Linkers write 8, 16 or 20.
const MIN_LENGTH: usize = 8;

/// Returns the build ID in a file that begins with these bytes, in hexadecimal, if it has one.
pub(crate) fn find_build_id(head: &[u8]) -> Option<String> {
    if !head.starts_with(MAGIC) {
        return None;
    }
    let (table_offset, entry_length, entries) =
        (number(head, 0x20, 8)?, number(head, 0x36, 2)?, number(head, 0x38, 2)?);
    (0..entries).find_map(|index| {
        let segment = usize::try_from(table_offset.checked_add(index * entry_length)?).ok()?;
        if number(head, segment, 4)? != NOTE_SEGMENT {
            return None;
        }
        let (offset, length) = (number(head, segment + 8, 8)?, number(head, segment + 32, 8)?);
        let start = usize::try_from(offset).ok()?;
        let notes = head.get(start..start.checked_add(usize::try_from(length).ok()?)?)?;
        find_in_notes(notes)
    })
}

/// Returns the build ID in a list of notes.
fn find_in_notes(mut notes: &[u8]) -> Option<String> {
    while !notes.is_empty() {
        let [owner_length, content_length, kind] = [0, 4, 8].map(|offset| number(notes, offset, 4));
        let owner = notes.get(12..)?.get(..usize::try_from(owner_length?).ok()?)?;
        let rest = notes.get(12 + owner.len().next_multiple_of(4)..)?;
        let content = rest.get(..usize::try_from(content_length?).ok()?)?;
        if owner == OWNER && kind? == BUILD_ID_NOTE && content.len() >= MIN_LENGTH {
            return Some(content.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = rest.get(content.len().next_multiple_of(4)..)?;
    }
    None
}

/// Returns the number with this length in bytes at this offset.
fn number(bytes: &[u8], offset: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(offset..)?.get(..length)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a note.
    fn note(owner: &[u8], kind: u32, content: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for number in [owner.len() as u32, content.len() as u32, kind] {
            note.extend(number.to_le_bytes());
        }
        for part in [owner, content] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    /// Returns a file with a loaded segment and a segment of these notes.
    fn file(notes: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.resize(0x200, 0);
        file[0x20..0x28].copy_from_slice(&0x40_u64.to_le_bytes());
        file[0x36..0x38].copy_from_slice(&56_u16.to_le_bytes());
        file[0x38..0x3A].copy_from_slice(&2_u16.to_le_bytes());
        file[0x40] = 1;
        let segment = 0x40 + 56;
        file[segment] = 4;
        file[segment + 8..segment + 16].copy_from_slice(&0x200_u64.to_le_bytes());
        file[segment + 32..segment + 40].copy_from_slice(&(notes.len() as u64).to_le_bytes());
        file.extend(notes);
        file
    }

    #[test]
    fn the_note_of_the_linker_is_found() {
        let other_notes = [note(b"GNU\0", 1, &[7; 16]), note(b"Go\0", 3, &[9; 10])].concat();
        let notes = [other_notes.clone(), note(b"GNU\0", 3, &[0x0A; 20])].concat();
        let bytes = file(&notes);
        assert_eq!(find_build_id(&bytes), Some("0a".repeat(20)));
        for length in 0..bytes.len() {
            assert_eq!(find_build_id(&bytes[..length]), None, "{length}");
        }
        for notes in [other_notes, note(b"GNU\0", 3, b"short"), vec![0xFF; 64]] {
            assert_eq!(find_build_id(&file(&notes)), None);
        }
        assert_eq!(find_build_id(b"#!/bin/sh\n"), None);
    }
}
