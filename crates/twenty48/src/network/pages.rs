//! Memory for tables that are read at random places: on Linux in huge pages, if the system gives
//! any.
//!
//! A table is larger than the TLB covers with pages of 4 KiB, so each look-up of a weight would
//! look up its page first. Training of 4x6 is 1.13 (TD) and 1.26 times (TC) as fast with huge
//! pages, play by it 1.2 times: the same program in turns, with and without leave for them, in CPU
//! seconds.

use gauntlet_core::memory;

/// A list of equal items, where there is memory for it.
pub fn filled<T: Copy>(length: usize, item: T) -> Result<Vec<T>, String> {
    let mut list = Vec::new();
    reserve(&mut list, length)?;
    huge::ask(list.spare_capacity_mut());
    list.resize(length, item);
    Ok(list)
}

/// Reserves memory for more items of a list, without huge pages: a list in them is copied when it
/// grows.
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), String> {
    memory::reserve(list, more).map_err(|_| {
        format!(
            "there is no memory for {} MiB of weights",
            more.saturating_mul(size_of::<T>()).div_ceil(1 << 20)
        )
    })
}

/// A list of zeros, which takes no memory before it is used.
pub fn zeros(length: usize) -> Vec<u64> {
    let mut list = vec![0; length];
    huge::ask(&mut list);
    list
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod huge {
    use rustix::mm::{Advice, madvise};

    /// Bytes of a page: `madvise` takes addresses that are multiples of it. Where pages are larger
    /// it may fail, which changes nothing.
    const PAGE: usize = 4096;

    /// Asks for huge pages for the room of a list, before it is used. Small lists are left as they
    /// are.
    pub(super) fn ask<T>(room: &mut [T]) {
        let (start, length) = (room.as_mut_ptr().cast::<u8>(), size_of_val(room));
        let skipped = start.align_offset(PAGE);
        if length < 1 << 22 || skipped > length {
            return;
        }
        // SAFETY: the bytes belong to the list. The advice changes nothing but the pages that they
        // lie in.
        let _ = unsafe {
            madvise(start.add(skipped).cast(), (length - skipped) & !(PAGE - 1), Advice::LinuxHugepage)
        };
    }
}

#[cfg(not(target_os = "linux"))]
mod huge {
    pub(super) fn ask<T>(_room: &mut [T]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as a list that asks for nothing: below and above the size from which huge pages are
    /// asked for.
    #[test]
    fn a_list_is_filled() {
        for length in [0, 1, 1000, (1 << 21) + 3] {
            let list = filled(length, 1.5_f32).expect("memory");
            assert!(list.len() == length && list.iter().all(|&item| item == 1.5), "{length}");
        }
        let told = filled(usize::MAX / 2, 0.0_f32).expect_err("more than there is");
        assert!(told.contains("no memory"), "{told}");
    }
}
