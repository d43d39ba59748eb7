//! Threads and memory that a command may use.

use gauntlet_core::assets::machine_memory;
use gauntlet_core::text::Bytes;
use gauntlet_run::machine;

/// Threads, and memory of players.
#[derive(clap::Args)]
pub struct Resources {
    /// Number of threads [default: number of cores]
    ///
    /// Each game uses at most one of them. If a player uses several threads itself (`threads` of
    /// `gomocup`), the default is the number of cores divided by the threads of that player.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    #[command(flatten)]
    memory: Memory,
}

/// Memory of players.
#[derive(clap::Args)]
pub struct Memory {
    /// Memory limit for large players [default: half of RAM]
    ///
    /// A size such as 2GiB or 500MiB. A network file counts once, even if several players read it.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
}

impl Resources {
    /// Returns the number of threads to play on, if each player uses this number of threads.
    pub fn threads(&self, threads_per_player: usize) -> usize {
        self.threads.map_or_else(|| (machine::cores() / threads_per_player).max(1), usize::from)
    }

    pub fn memory(&self) -> u64 {
        self.memory.bytes()
    }
}

impl Memory {
    pub fn bytes(&self) -> u64 {
        bytes_or_half(self.memory)
    }
}

/// Returns this size, or half of the machine's memory.
pub fn bytes_or_half(size: Option<Bytes>) -> u64 {
    size.map_or_else(|| machine_memory() / 2, |Bytes(bytes)| bytes)
}
