//! Files in memory, shared by all processes that use them.
//!
//! A table has gigabytes, so it is mapped and not read. The system loads the pages that are used
//! and drops them when it needs memory. While a program uses a table, no other program may change
//! the file. If the file were overwritten, players would change; if it were cut short, the program
//! would end. Builds rename finished files, so they do neither.
//!
//! Reading was measured against mapping: blocks of 4 KiB, read into a cache of 64 MiB for all
//! threads, with a lock for each block. With `block-10` for 64, 128 and 256 and with `macroxue-11`
//! (3.7 GB, in the system's cache), a move by reading took this many times as long:
//!
//! - `n-tuple` at depth 1 with the built-in network: 1.41 (1.30 to 1.48)
//! - `expectimax` with the evaluation `macroxue` and 300 nodes: 1.16 (1.13 to 1.23)
//! - the same with 1,000 nodes: 1.16 (1.11 to 1.17)
//! - with 3,000 or 10,000 nodes, and `macroxue` at depth 3: not distinguished from 1 in two rounds
//!
//! These are medians of `cpu_ms_per_move` in four alternating rounds of `gauntlet run --threads 1`
//! with 40 games for each player, divided by the time of the same search without tables in the same
//! run. In 500,000 moves, 129,033 blocks were read. Blocks of 1 KiB needed 14 % fewer reads.
//! Larger sets than the memory were not measured.

use std::fs::File;
use std::io;
use std::path::Path;

/// Content of a file.
#[derive(Debug)]
pub(crate) struct Mapping(system::MappedFile);

impl Mapping {
    /// Maps a file of this path and length. If the file is cut short later, reading the bytes cut
    /// off prints a line and ends the program.
    pub(crate) fn new(file: &File, path: &Path, length: usize) -> io::Result<Mapping> {
        system::MappedFile::new(file, path, length).map(Mapping)
    }

    /// Returns the content.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod system {
    use std::fs::File;
    use std::io;
    use std::path::Path;
    use std::ptr::{NonNull, null_mut};

    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

    use super::fault;

    #[derive(Debug)]
    pub(super) struct MappedFile {
        start: NonNull<u8>,
        length: usize,
        region: &'static fault::Region,
    }

    // SAFETY: the pages are only read.
    unsafe impl Send for MappedFile {}
    // SAFETY: as above.
    unsafe impl Sync for MappedFile {}

    impl MappedFile {
        pub(super) fn new(file: &File, path: &Path, length: usize) -> io::Result<MappedFile> {
            let length = length.max(1);
            // SAFETY: the system chooses an address that nothing uses.
            let start = unsafe { mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0) }?;
            let start = NonNull::new(start.cast::<u8>()).ok_or_else(|| io::Error::other("no address"))?;
            match fault::watch(start.as_ptr().addr(), length, path) {
                Ok(region) => Ok(MappedFile { start, length, region }),
                Err(error) => {
                    // SAFETY: nothing refers to the pages yet.
                    let _ = unsafe { munmap(start.as_ptr().cast(), length) };
                    Err(error)
                }
            }
        }

        #[inline(always)]
        pub(super) fn bytes(&self) -> &[u8] {
            // SAFETY: the pages exist until the value is dropped, and the module's rule for files
            // in use excludes writers.
            unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
        }
    }

    impl Drop for MappedFile {
        fn drop(&mut self) {
            self.region.unwatch();
            // SAFETY: no slice of the pages outlives the value.
            let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}

/// Reading a page that a mapped file no longer has raises SIGBUS, which ends a program without a
/// message. Here, the signal prints which file it was.
#[cfg(unix)]
#[allow(unsafe_code)]
mod fault {
    use std::ffi::{c_int, c_void};
    use std::io;
    use std::mem::MaybeUninit;
    use std::ops::Range;
    use std::path::Path;
    use std::ptr::{null, null_mut};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    use gauntlet_core::text::display_path;
    use libc::{SA_ONSTACK, SA_SIGINFO, SIGBUS, siginfo_t};

    /// Addresses of a mapped file. An entry is never freed, because the handler may read it.
    #[derive(Debug)]
    pub(super) struct Region {
        addresses: Range<usize>,
        is_mapped: AtomicBool,
        message: String,
        next: OnceLock<Box<Region>>,
    }

    /// List of regions, which a signal handler can read.
    static REGIONS: OnceLock<Box<Region>> = OnceLock::new();

    /// Action of SIGBUS before.
    static PREVIOUS_ACTION: OnceLock<libc::sigaction> = OnceLock::new();

    /// True if a thread has begun to print the message.
    static IS_PRINTED: AtomicBool = AtomicBool::new(false);

    impl Region {
        /// Ends the watch: something else may get these addresses.
        pub(super) fn unwatch(&self) {
            self.is_mapped.store(false, Ordering::Relaxed);
        }

        fn contains(&self, address: usize) -> bool {
            self.is_mapped.load(Ordering::Relaxed) && self.addresses.contains(&address)
        }
    }

    /// Makes a fault at these addresses print a line about the file.
    pub(super) fn watch(start: usize, length: usize, path: &Path) -> io::Result<&'static Region> {
        install_handler()?;
        // On a terminal, the cursor is after the progress line.
        // SAFETY: the call only asks what the descriptor is.
        let is_terminal = unsafe { libc::isatty(libc::STDERR_FILENO) } == 1;
        let prefix = if is_terminal { "\n" } else { "" };
        let message = format!(
            "{prefix}gauntlet: {} was cut short during its use, or its disk failed; restore it, and repeat the \
             command to resume\n",
            display_path(path)
        );
        let addresses = start..start + length;
        let is_mapped = AtomicBool::new(true);
        let mut region = Box::new(Region { addresses, is_mapped, message, next: OnceLock::new() });
        let mut slot = &REGIONS;
        while let Err(own_region) = slot.set(region) {
            region = own_region;
            slot = &slot.wait().next;
        }
        Ok(slot.wait())
    }

    fn install_handler() -> io::Result<()> {
        if PREVIOUS_ACTION.get().is_some() {
            return Ok(());
        }
        // SAFETY: an action is plain data.
        let mut action = unsafe { MaybeUninit::<libc::sigaction>::zeroed().assume_init() };
        let mut previous = action;
        // SAFETY: the previous action is only read.
        if unsafe { libc::sigaction(SIGBUS, null(), &mut previous) } != 0 {
            return Err(io::Error::last_os_error());
        }
        if PREVIOUS_ACTION.set(previous).is_err() {
            return Ok(());
        }
        action.sa_sigaction = handle as *const () as usize;
        // The system may raise the signal for a full stack.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        // SAFETY: the handler calls only functions that are safe in handlers.
        if unsafe { libc::sigaction(SIGBUS, &action, null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    extern "C" fn handle(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: the system describes the signal.
        let address = unsafe { (*info).si_addr() }.addr();
        let regions = std::iter::successors(REGIONS.get(), |region| region.next.get());
        match regions.filter(|region| region.contains(address)).last() {
            Some(region) if !IS_PRINTED.swap(true, Ordering::Relaxed) => {
                // SAFETY: both calls are safe in handlers, and the message is never freed.
                unsafe {
                    libc::write(2, region.message.as_ptr().cast(), region.message.len());
                    libc::_exit(1)
                }
            }
            // Another thread prints the message and ends the program.
            Some(_) => loop {
                // SAFETY: the call is safe in handlers.
                unsafe { libc::pause() };
            },
            None => {
                // After the return, the previous action receives the signal again.
                // SAFETY: this is the action that the system had returned.
                unsafe {
                    libc::sigaction(
                        signal,
                        PREVIOUS_ACTION.get().map_or(null(), |previous| previous),
                        null_mut(),
                    )
                };
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;
    use std::io::{self, Read};
    use std::path::Path;

    #[derive(Debug)]
    pub(super) struct MappedFile(Vec<u8>);

    impl MappedFile {
        pub(super) fn new(mut file: &File, _: &Path, length: usize) -> io::Result<MappedFile> {
            let mut bytes = Vec::with_capacity(length);
            file.read_to_end(&mut bytes)?;
            Ok(MappedFile(bytes))
        }

        pub(super) fn bytes(&self) -> &[u8] {
            &self.0
        }
    }
}
