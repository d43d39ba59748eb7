//! Files in memory, shared by all processes that use them.
//!
//! A table has gigabytes, so it is mapped and not read. The system loads the pages that are used
//! and drops them when it needs memory. While a program uses a table, nobody may cut or write its
//! file: the program would be killed, or its players would change. Builds rename finished files, so
//! they never do.

use std::fs::File;
use std::io;

/// Content of a file.
#[derive(Debug)]
pub(crate) struct Mapping(system::Mapped);

impl Mapping {
    /// Maps a file of this length.
    pub(crate) fn of(file: &File, length: usize) -> io::Result<Mapping> {
        system::Mapped::of(file, length).map(Mapping)
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
    use std::ptr::{NonNull, null_mut};

    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

    #[derive(Debug)]
    pub(super) struct Mapped {
        start: NonNull<u8>,
        length: usize,
    }

    // SAFETY: the pages are only read.
    unsafe impl Send for Mapped {}
    // SAFETY: as above.
    unsafe impl Sync for Mapped {}

    impl Mapped {
        pub(super) fn of(file: &File, length: usize) -> io::Result<Mapped> {
            let length = length.max(1);
            // SAFETY: the system chooses an address that nothing uses.
            let start = unsafe { mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0) }?;
            let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("no address"))?;
            Ok(Mapped { start, length })
        }

        #[inline(always)]
        pub(super) fn bytes(&self) -> &[u8] {
            // SAFETY: the pages exist until the value is dropped, and the module's rule for files
            // in use excludes writers.
            unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
        }
    }

    impl Drop for Mapped {
        fn drop(&mut self) {
            // SAFETY: no slice of the pages outlives the value.
            let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;
    use std::io::{self, Read};

    #[derive(Debug)]
    pub(super) struct Mapped(Vec<u8>);

    impl Mapped {
        pub(super) fn of(mut file: &File, length: usize) -> io::Result<Mapped> {
            let mut bytes = Vec::with_capacity(length);
            file.read_to_end(&mut bytes)?;
            Ok(Mapped(bytes))
        }

        pub(super) fn bytes(&self) -> &[u8] {
            &self.0
        }
    }
}
