//! Options of commands that play experiments.

use gauntlet_analysis::config::changes::CliOverrides;
use gauntlet_core::arena::Arenas;
use gauntlet_core::table::Table;
use gauntlet_run::plan::Shard;

use super::destination::Replace;
use super::export::Export;
use super::given_experiments::Verification;
use gauntlet_cli::permission::Allow;
use gauntlet_cli::resources::Resources;
use gauntlet_cli::target;

/// Options of commands that play experiments.
#[derive(clap::Args)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    pub(super) means: Resources,

    #[command(flatten)]
    pub(super) changes: CliOverrides,

    #[command(flatten)]
    pub(super) results: target::Results,

    /// Play only shard K of N; `gauntlet merge` combines the shards
    #[arg(long, value_name = "K/N", conflicts_with = "time")]
    pub(super) shard: Option<Shard>,

    /// Also write a table to FILE; `-` for standard output
    #[arg(long, value_parser = clap::builder::ValueParser::string(), value_name = "TABLE=FILE")]
    pub(super) export: Vec<Export>,

    #[command(flatten)]
    pub(super) verification: Verification,

    #[command(flatten)]
    pub(super) replace: Replace,

    #[command(flatten)]
    pub(super) allow: Allow,

    #[cfg(feature = "live")]
    #[command(flatten)]
    pub(super) live: live::Live,

    /// Show no progress and no tables
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Explain the test behind each verdict
    #[arg(long, hide_short_help = true)]
    pub(super) explain: bool,
}

impl PlayOptions {
    /// Appends explanations to answers, if asked for.
    pub(super) fn append_explanations(&self, tables: &mut [Table]) {
        if self.explain {
            tables.iter_mut().for_each(Table::append_explanations);
        }
    }

    /// Returns true if tables are printed on standard output. If a table is exported there, nothing
    /// else may be printed.
    pub(super) fn prints_tables(&self) -> bool {
        !self.export.iter().any(Export::is_to_stdout)
    }
}

/// Adds the tables of these games to the option `--export`.
pub(super) fn add_table_names(arenas: Arenas, command: clap::Command) -> clap::Command {
    command.mut_arg("export", |arg| arg.value_parser(move |text: &str| Export::parse(arenas, text)))
}
