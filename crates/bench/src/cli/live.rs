//! `gauntlet live`: a page that shows a run as it goes, of a folder that others write into; and `--live`, the same of a run of ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use super::page;
use super::say::complain;
use super::target::{Results, Target};
use crate::arena::Arenas;
use crate::live::address::Address;
use crate::live::hub::Hub;
use crate::live::of_folder::Watch;
use crate::live::picture::{Picture, State};
use crate::live::server::Server;
use crate::results::store::set::GAMES_CSV;
use crate::text::{quoted_path, shown};

/// A page that shows the work as it goes.
#[derive(clap::Args)]
pub(super) struct Live {
    /// Show it in a browser as it goes, on a page of this machine
    ///
    /// The page is read-only, and there as long as the command runs. With an ADDRESS, as 8000 or 0.0.0.0:8000, it is there; where
    /// that is not this machine's own loopback, the link has a secret in it.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1")]
    live: Option<Address>,
}

impl Live {
    /// Begins to listen, if that is asked for, and tells where.
    pub(super) fn begin(&self) -> anyhow::Result<Option<Server>> {
        self.live.as_ref().map(begin).transpose()
    }
}

fn begin(address: &Address) -> anyhow::Result<Server> {
    let server = Server::start(address)?;
    complain(format_args!("live: {}", server.link()));
    Ok(server)
}

/// Show a run that others play on a page in a browser
///
/// Made of the journals in the folder, also those of shards: of the blocks that are complete for all players. When the run ends the
/// page says so, and the command ends. `gauntlet run --live` shows a run of its own, with more: every finished game, and games in play.
#[derive(clap::Args)]
#[command(after_long_help = "\
The page is read-only: nothing that is asked of it can start, stop or write anything. On loopback, which is where it is without \
--address, it is read by a name of this machine only; anywhere else the link has a secret in it.

Example:
  gauntlet live results/quick")]
pub(super) struct Args {
    /// The folder of a run's results, or its experiment
    #[arg(value_name = "RESULTS")]
    of: PathBuf,

    /// Listen on this address, as in 8000 or 0.0.0.0:8000
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: Address,

    #[command(flatten)]
    results: Results,
}

/// Time between two looks, and a part of it that looks may take at most: the run that is looked at has the machine.
const PAUSE: Duration = Duration::from_secs(1);
const REST: u32 = 50;

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    let Target { experiment, folder } = Target::find(arenas, &args.of, &args.results)?;
    let merge = format!("gauntlet merge {}", args.results.said_again(&args.of));
    let mut watch = Watch::of(&experiment, &folder, report_of(&folder), merge);
    let ended = || complain(format_args!("the run in {} has ended: {}", shown(&folder), report_of(&folder)));
    let first = watch.look()?;
    if first.as_ref().is_some_and(|picture| picture.state == State::Finished) {
        ended();
        return Ok(ExitCode::SUCCESS);
    }
    let server = begin(&args.address)?;
    first.into_iter().for_each(|picture| server.hub().show(picture));
    loop {
        thread::sleep(PAUSE);
        let begun = Instant::now();
        if let Some(picture) = watch.look()? {
            if picture.state == State::Finished {
                let report = page_for(arenas, server.hub(), &folder)?;
                server.hub().show_with(picture, report.as_deref());
                server.hub().end();
                ended();
                return Ok(ExitCode::SUCCESS);
            }
            server.hub().show(picture);
        }
        thread::sleep(REST * begun.elapsed());
    }
}

fn report_of(folder: &Path) -> String {
    format!("gauntlet report {}", quoted_path(folder))
}

/// To make the page of a report, the games are read again: of more than these bytes that takes seconds, and the command that makes
/// it is told instead.
const MOST_GAMES: u64 = 20 << 20;

/// The page of a report, for those who look on.
fn page_for(arenas: Arenas, hub: &Hub, folder: &Path) -> anyhow::Result<Option<String>> {
    let is_small = fs::metadata(folder.join(GAMES_CSV)).is_ok_and(|games| games.len() <= MOST_GAMES);
    (is_small && hub.is_watched()).then(|| page::of_folder(arenas, folder)).transpose()
}

/// Shows that a run has come to its end, with tables in a folder.
pub(super) fn show_tables(arenas: Arenas, hub: &Hub, folder: &Path) {
    let report = page_for(arenas, hub, folder).unwrap_or_else(|error| {
        complain(format_args!("gauntlet: the live page has no report: {error:#}"));
        None
    });
    let said = format!("All games are played; tables and manifest are in {}.", shown(folder));
    let picture = Picture { state: State::Finished, said, report: report_of(folder), ..over(hub) };
    hub.show_with(picture, report.as_deref());
}

/// Shows that a run ended otherwise.
pub(super) fn show_end(hub: &Hub, state: State, said: String) {
    let over = over(hub);
    // What the numbers of a run that has not ended are stays true.
    let said = if state == State::Stopped { format!("{said} {}", over.said) } else { said };
    hub.show(Picture { state, said, ..over });
}

/// The picture that is shown, without what is of a run that plays: games, its pace, the time left.
fn over(hub: &Hub) -> Picture {
    let mut picture = hub.picture();
    picture.in_play.clear();
    picture.progress.pace.clear();
    for player in &mut picture.players {
        (player.left, player.rate) = (String::new(), String::new());
    }
    picture
}
