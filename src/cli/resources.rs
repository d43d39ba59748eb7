//! Threads and memory that a command may use.

use gauntlet_core::assets::memory;
use gauntlet_core::text::Bytes;
use gauntlet_run::machine;

/// Threads, and memory of players.
#[derive(clap::Args)]
pub(super) struct Resources {
    /// Threads to play on [default: one for each core]
    ///
    /// At most one is used for each game. Where players think with several threads of their own
    /// (`threads` of `gomocup`), the default is so many fewer.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    #[command(flatten)]
    memory: Memory,
}

/// Memory of players.
#[derive(clap::Args)]
pub(super) struct Memory {
    /// Memory for large players [default: half of the machine's]
    ///
    /// A size such as 2GiB or 500MiB. Networks that players read from files count, each once.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
}

impl Resources {
    /// Returns the number of threads to play on, if each player uses this number of threads.
    pub(super) fn threads(&self, of_a_player: usize) -> usize {
        self.threads.map_or_else(|| (machine::cores() / of_a_player).max(1), usize::from)
    }

    pub(super) fn memory(&self) -> u64 {
        self.memory.bytes()
    }
}

impl Memory {
    pub(super) fn bytes(&self) -> u64 {
        or_half(self.memory)
    }
}

/// Returns this size, or half of the machine's memory.
pub(super) fn or_half(size: Option<Bytes>) -> u64 {
    size.map_or_else(|| memory() / 2, |Bytes(bytes)| bytes)
}
