//! Recognizes journals, so that no other file is overwritten.

use std::io::Read;

use gauntlet_core::disk::{DiskFile, Reader};

use super::entry::CHECKSUM;

/// Returns true if a file begins like a journal, with a checksum and a blank. A journal after a
/// power cut may also have zeros from some offset up to its end.
pub(super) fn begins_like_a_journal(file: &dyn DiskFile) -> bool {
    let mut start = [0; CHECKSUM + 1];
    let length = file.length().map_or(0, |length| length as usize).min(start.len());
    let start = &mut start[..length];
    if Reader::new(file, 0).read_exact(start).is_err() {
        return false;
    }
    let is_expected =
        |(i, &byte): (usize, &u8)| if i < CHECKSUM { byte.is_ascii_hexdigit() } else { byte == b' ' };
    let matching_bytes = start.iter().enumerate().take_while(|&one| is_expected(one)).count();
    matching_bytes == start.len() || is_zero_from(file, matching_bytes as u64)
}

/// Returns true if a file has only zeros from an offset on.
fn is_zero_from(file: &dyn DiskFile, offset: u64) -> bool {
    let mut rest = Reader::new(file, offset);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match rest.read(&mut buffer) {
            Ok(0) => return true,
            Ok(length) if buffer[..length].iter().all(|&byte| byte == 0) => {}
            _ => return false,
        }
    }
}
