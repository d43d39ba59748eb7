//! What a result must say about where and by what it was made.

use std::fs;
use std::io::Read;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The version of gauntlet.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The revision it was built from, with `+` where the tree was changed; `unknown` outside a repository.
pub const REVISION: &str = env!("GAUNTLET_REVISION");

/// The compiler that built it.
pub const COMPILER: &str = env!("GAUNTLET_COMPILER");

/// What it was built for.
pub const TARGET: &str = env!("GAUNTLET_TARGET");

/// The digest of the running program; empty if the system does not show it.
pub fn binary() -> String {
    static DIGEST: OnceLock<String> = OnceLock::new();
    let digest = || {
        let mut program = fs::File::open(std::env::current_exe().ok()?).ok()?;
        let mut hasher = blake3::Hasher::new();
        let mut part = vec![0; 1 << 16];
        loop {
            match program.read(&mut part).ok()? {
                0 => break,
                length => hasher.update(&part[..length]),
            };
        }
        Some(hasher.finalize().to_hex()[..32].to_owned())
    };
    DIGEST.get_or_init(|| digest().unwrap_or_default()).clone()
}

/// The time, as RFC 3339.
pub fn now() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).map_or_else(|_| String::new(), |now| now.to_string())
}

/// Name of the processor, as far as the system tells.
pub fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    model.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |name| name.trim_matches([' ', '\t', ':']).to_owned(),
    )
}

/// How many threads can run at once.
pub fn cores() -> usize {
    available_parallelism().map_or(1, Into::into)
}
