//! Cache files that all commands of a user share. Each result in them can be computed again.
//!
//! A cached result depends on its key alone, so that it never changes an answer. A file that cannot
//! be read or written, or that does not match its digest, counts as missing.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::disk::{folder_of, read_regular, system_disk};

/// True if this process uses the caches.
static IS_ENABLED: AtomicBool = AtomicBool::new(false);

/// Maximum number of bytes of a file.
const MAX_LENGTH: usize = 1 << 20;

/// Length of the digest that begins a file, in hexadecimal digits.
const DIGEST_LENGTH: usize = 2 * blake3::OUT_LEN;

/// Sets whether this process uses the caches of the user. By default, as in tests, it does not.
pub fn set_enabled(is_enabled: bool) {
    IS_ENABLED.store(is_enabled, Ordering::Relaxed);
}

/// Returns the folder of the caches, given the paths in environment variables.
fn find_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute_path = |name: &str| variable(name).filter(|path| path.is_absolute());
    let caches = absolute_path("XDG_CACHE_HOME").or_else(|| Some(absolute_path("HOME")?.join(".cache")))?;
    Some(caches.join("gauntlet"))
}

/// One file of the caches.
#[derive(Debug)]
pub struct UserCache(PathBuf);

impl UserCache {
    /// Returns the file with this name, if the process uses the caches.
    pub fn open(name: &str) -> Option<UserCache> {
        if !IS_ENABLED.load(Ordering::Relaxed) {
            return None;
        }
        let folder = find_folder(|name| env::var_os(name).map(PathBuf::from))?;
        Some(UserCache(folder.join(name)))
    }

    /// Reads the file. Returns the default value if there is no intact file.
    pub fn read<T: DeserializeOwned + Default>(&self) -> T {
        let bytes = read_regular(&self.0, MAX_LENGTH).unwrap_or_default();
        let Some((digest, json)) = bytes.split_at_checked(DIGEST_LENGTH) else { return T::default() };
        let is_intact = digest == blake3::hash(json).to_hex().as_bytes();
        let value = is_intact.then(|| serde_json::from_slice(json).ok()).flatten();
        value.unwrap_or_default()
    }

    /// Reads the file, changes its value and replaces it. If two processes do so at once, one
    /// change is lost, and its result is computed again later.
    pub fn update<T: DeserializeOwned + Default + Serialize>(&self, change: impl FnOnce(&mut T)) {
        let mut value = self.read();
        change(&mut value);
        self.write(&value);
    }

    /// Replaces the file, if the system permits. After a power cut it may be incomplete; its digest
    /// then does not match.
    fn write(&self, value: &impl Serialize) {
        let json = serde_json::to_vec(value).expect("cached values are plain data");
        let bytes = [blake3::hash(&json).to_hex().as_bytes(), &json].concat();
        // The home folder itself is not created.
        let folder = folder_of(&self.0);
        let _ = fs::create_dir(folder_of(folder));
        let _ = fs::create_dir(folder);
        let (disk, partial_path) = (system_disk(), self.0.with_extension(std::process::id().to_string()));
        let result = disk.create(&partial_path).and_then(|file| file.append(&bytes));
        if result.and_then(|()| disk.rename(&partial_path, &self.0)).is_err() {
            let _ = fs::remove_file(&partial_path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A folder of a test, removed after it.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = env::temp_dir().join(format!("gauntlet-user-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir(&path).expect("a folder");
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    type Values = BTreeMap<String, Option<u32>>;

    #[test]
    fn the_folder_is_that_of_the_standard() {
        #[track_caller]
        fn check(xdg: Option<&str>, home: Option<&str>, expected: Option<&str>) {
            let variable = |name: &str| if name == "HOME" { home } else { xdg }.map(PathBuf::from);
            assert_eq!(find_folder(variable), expected.map(PathBuf::from));
        }

        check(Some("/c"), Some("/h"), Some("/c/gauntlet"));
        check(None, Some("/h"), Some("/h/.cache/gauntlet"));
        // A relative path is invalid.
        check(Some("c"), Some("/h"), Some("/h/.cache/gauntlet"));
        check(Some(""), Some("/h"), Some("/h/.cache/gauntlet"));
        check(Some(""), Some("h"), None);
        check(None, None, None);
    }

    #[test]
    fn only_what_was_written_is_read() {
        let scratch = Scratch::new("damage");
        let cache = UserCache(scratch.0.join("caches/gauntlet/values"));
        assert_eq!(cache.read::<Values>(), Values::new());
        let values = Values::from([("a".to_owned(), Some(1)), ("b".to_owned(), None)]);
        cache.write(&Values::new());
        cache.write(&values);
        assert_eq!(cache.read::<Values>(), values);
        let bytes = fs::read(&cache.0).expect("a file");
        for index in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged_bytes = bytes.clone();
                damaged_bytes[index] ^= 1 << bit;
                fs::write(&cache.0, damaged_bytes).expect("a file");
                assert_eq!(cache.read::<Values>(), Values::new(), "{index} {bit}");
            }
            fs::write(&cache.0, &bytes[..index]).expect("a file");
            assert_eq!(cache.read::<Values>(), Values::new(), "{index}");
        }
        cache.write(&values);
        assert_eq!(cache.read::<Values>(), values);
        // An intact file of something else.
        cache.write(&"a text");
        assert_eq!(cache.read::<Values>(), Values::new());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_ignored() {
        let scratch = Scratch::new("places");
        fs::write(scratch.0.join("file"), "").expect("a file");
        fs::create_dir_all(scratch.0.join("gauntlet/values/folder")).expect("folders");
        for path in ["missing/home/.cache/gauntlet/values", "file/gauntlet/values", "gauntlet/values"] {
            let cache = UserCache(scratch.0.join(path));
            cache.write(&Values::from([("a".to_owned(), None)]));
            assert_eq!(cache.read::<Values>(), Values::new(), "{path}");
        }
        assert!(!scratch.0.join("missing").exists());
    }
}
