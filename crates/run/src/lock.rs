//! The lock of a journal: one process at a time writes to it.

use std::error::Error;
use std::fmt;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use gauntlet_core::disk::{DiskFile, open_regular};
use gauntlet_core::text::display_path;

/// Error: another process, or another thread of this one, has locked a journal.
#[derive(Debug)]
pub struct JournalInUse(PathBuf);

impl fmt::Display for JournalInUse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "another gauntlet process is using {}; wait for it, or use another --results folder",
            display_path(&self.0)
        )
    }
}

impl Error for JournalInUse {}

/// Number of attempts to lock. Another command may hold the lock for an instant, to check whether
/// the file is locked.
const MAX_ATTEMPTS: u32 = 10;

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Returns true if another process has locked a journal.
pub(super) fn is_locked(path: &Path) -> bool {
    open_regular(path, File::options().read(true))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Locks a journal for this process, until it is closed.
pub(super) fn lock(path: &Path, file: &dyn DiskFile) -> anyhow::Result<()> {
    match try_lock(file) {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => bail!(JournalInUse(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| {
            format!(
                "cannot lock the journal {}: if the file system has no locks, use a --results folder on another file system",
                display_path(path)
            )
        }),
    }
}

/// Locks a file, and retries while another process holds the lock for an instant.
pub fn try_lock(file: &dyn DiskFile) -> Result<(), TryLockError> {
    let mut attempts_left = MAX_ATTEMPTS;
    loop {
        attempts_left -= 1;
        match file.lock() {
            Err(TryLockError::WouldBlock) if attempts_left > 0 => std::thread::sleep(PAUSE),
            result => return result,
        }
    }
}

/// Locks a journal whose name only one task uses. On a file system without locks it is used
/// unlocked, and the reason is returned.
pub(super) fn lock_if_possible(path: &Path, file: &dyn DiskFile) -> anyhow::Result<Option<String>> {
    match file.lock() {
        Err(TryLockError::Error(error)) => Ok(Some(error.to_string())),
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => lock(path, file).map(|()| None),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A file that another process has locked at the first few attempts.
    #[derive(Debug)]
    struct BusyFile(AtomicU32);

    impl DiskFile for BusyFile {
        fn length(&self) -> io::Result<u64> {
            Ok(0)
        }

        fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
            Ok(0)
        }

        fn append(&self, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn truncate(&self, _: u64) -> io::Result<()> {
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        fn lock(&self) -> Result<(), TryLockError> {
            let attempts_left = self.0.load(Ordering::Relaxed);
            self.0.store(attempts_left.saturating_sub(1), Ordering::Relaxed);
            if attempts_left == 0 { Ok(()) } else { Err(TryLockError::WouldBlock) }
        }

        fn count_links(&self, _: &Path) -> io::Result<u64> {
            Ok(1)
        }
    }

    #[test]
    fn a_lock_for_an_instant_is_waited_for() {
        let lock_busy_file = |tries: u32| lock(Path::new("x"), &BusyFile(tries.into()));
        assert!(lock_busy_file(3).is_ok());
        let message = lock_busy_file(1_000).expect_err("it stays locked").to_string();
        assert!(message.starts_with("another gauntlet process is using x"), "{message}");
    }
}
