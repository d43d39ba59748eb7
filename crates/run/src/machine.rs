//! The machine and the build that made a result.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::build_id;

/// Version of gauntlet.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Source, compiler and target of the program.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// Revision of the source, with `+` if the tree was changed; `unknown` outside a repository.
    pub revision: &'static str,
    /// Name and version of the compiler.
    pub compiler: &'static str,
    pub target: &'static str,
}

static BUILD: OnceLock<Build> = OnceLock::new();

/// File of the program, if it is not the running one.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the build of this program, once, at its start. The program's package provides it. As a
/// constant in this package, it would change with every commit and every changed player, and the
/// package would be compiled again each time.
pub fn set_build(build: Build) {
    let _ = BUILD.set(build);
}

/// Returns the build of this program; all `unknown` if it was not set, as in tests.
pub fn build() -> Build {
    const UNKNOWN: Build = Build { revision: "unknown", compiler: "unknown", target: "unknown" };
    BUILD.get().copied().unwrap_or(UNKNOWN)
}

/// Sets the file of this program, if the running one only loads it as a library.
pub fn set_program(path: PathBuf) {
    let _ = PROGRAM.set(path);
}

/// Returns what identifies the code of the running program: the build ID of its linker, or without
/// one a digest of the file. Empty if the system does not provide the file.
pub fn program_identity() -> String {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| identify_program().unwrap_or_default()).clone()
}

fn identify_program() -> io::Result<String> {
    let mut program = open_program()?;
    let mut head = Vec::new();
    program.by_ref().take(build_id::HEAD_LENGTH).read_to_end(&mut head)?;
    if let Some(build_id) = build_id::find_build_id(&head) {
        return Ok(build_id);
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match program.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().to_hex()[..32].to_owned()),
            length => hasher.update(&buffer[..length]),
        };
    }
}

/// Opens the file of this program. On Linux, this is the file that runs, even if another build has
/// replaced it.
fn open_program() -> io::Result<fs::File> {
    match PROGRAM.get() {
        Some(path) => fs::File::open(path),
        None => fs::File::open("/proc/self/exe").or_else(|_| fs::File::open(std::env::current_exe()?)),
    }
}

/// Returns the current time in RFC 3339 format.
pub fn now() -> String {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    since_epoch.map_or_else(|_| String::new(), |duration| format_rfc3339(duration.as_secs()))
}

/// Returns a number that differs at each call.
pub fn unique_number() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let text = format!("{} {}", since_epoch.as_nanos(), std::process::id());
    let digest = blake3::hash(text.as_bytes());
    // Short, because a person may type it.
    u64::from(u32::from_le_bytes(digest.as_bytes()[..4].try_into().expect("four bytes")))
}

/// Formats seconds since the beginning of 1970 in RFC 3339 format, in UTC.
fn format_rfc3339(seconds: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut day, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", day + 1)
}

/// Parses a time formatted by [`now`], as seconds since the beginning of 1970.
pub fn parse_time(time: &str) -> Option<u64> {
    let number = |start: usize, end: usize| time.get(start..end)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if time.len() != 20 || year < 1970 || !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    // A year that begins in March has its leap day at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((days.checked_sub(719_468)? * 24 + hour) * 3600 + minute * 60 + second)
}

/// Returns the name of the processor, if the system provides it.
pub fn cpu_name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    model.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |name| name.trim_matches([' ', '\t', ':']).to_owned(),
    )
}

/// Number of files that a process has open besides journals.
#[cfg(unix)]
const OTHER_FILES: u64 = 64;

/// Raises the limit of open files for this process if it is too low for this number and may be
/// raised. A sufficient limit is not changed, because programs of players inherit it.
#[cfg(unix)]
pub fn allow_open_files(files: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < files + OTHER_FILES) {
        // If this fails, the error at opening names the file. Raise no more than needed: programs
        // of players inherit the limit, and some close every file number up to it at their start.
        let needed = files + OTHER_FILES;
        let current = Some(maximum.map_or(needed, |maximum| needed.min(maximum)));
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum });
    }
}

/// Does nothing: other systems have no such limit.
#[cfg(not(unix))]
pub fn allow_open_files(_files: u64) {}

/// Returns the number of threads that can run at once.
pub fn cores() -> usize {
    available_parallelism().map_or(1, Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dates as printed by `date -u -d @SECONDS`.
    #[test]
    fn times_are_those_of_the_calendar() {
        #[track_caller]
        fn check(seconds: u64, expected: &str) {
            assert_eq!(format_rfc3339(seconds), expected);
            assert_eq!(parse_time(expected), Some(seconds));
        }

        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_234_567_890, "2009-02-13T23:31:30Z");
        check(1_735_689_599, "2024-12-31T23:59:59Z");
        check(2_147_483_648, "2038-01-19T03:14:08Z");
        check(4_107_542_399, "2100-02-28T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
