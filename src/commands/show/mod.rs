//! `gauntlet show`: one game of a result, move by move: as text, or as a page to step through.
//!
//! - `observers`: the observers of a replayed game
//! - `board`: the picture of a position
//! - `text`: prints a game; `game_page`: writes it as a page for a browser
//! - `sgf`: games in an exchange format; `pairing`: all games of a pairing
//! - `journal_games`: games in a journal

mod board;
mod game_page;
mod journal_games;
mod observers;
mod pairing;
mod sgf;
mod text;

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::pick::{GamePick, PickedGame, pick};
use gauntlet_analysis::results::store::folder::has_tables;
use gauntlet_analysis::results::store::read;
use gauntlet_analysis::results::store::snapshot::{GAMES_CSV, ResultsSnapshot};
use gauntlet_core::arena::{ReplayRequest, ReplayStep, replay};
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::disk::system_disk;
use gauntlet_core::game::{Block, Outcome, Shape};
use gauntlet_core::player::Stop;
use gauntlet_core::record::GameRecord;
use gauntlet_core::rng::SEED_LIMIT;
use gauntlet_core::text::{display_path, escape, format_games, group_digits, quote, quote_path};
use gauntlet_report::page::game::GameReplay;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::rows::RowWriter;

use board::View;
use game_page::GamePage;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{print_message, screen};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::target::{Results, Target};
use gauntlet_cli::terminal::has_colours;
use observers::{GameObserver, describe_state};
use pairing::{Pairing, Source};
use text::TextPrinter;

/// Replay a game from results
///
/// Games are replayed from their seeds, and the final position is compared with games.csv.
#[derive(clap::Args)]
#[command(after_long_help = "\
The HTML page is one file and needs no network. It also shows the value of each move, for players that compute values.

On a Gomoku board, brackets mark the last stone. With --values, empty cells are shaded in three steps: the best move, the ten \
best moves, the better half. NO_COLOR=1 disables colours.

Example:
  gauntlet show results/quick --player greedy --block 7 --last
  gauntlet show results/quick --player greedy --worst --values
  gauntlet show results/quick --player greedy --best --html game.html")]
pub(super) struct Args {
    /// Results folder, experiment or .sgf file
    #[arg(value_name = "RESULTS")]
    of: PathBuf,

    /// Player of the game; optional if there is only one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    player: Option<String>,

    /// Opponent, in a two-player game
    #[arg(long, value_name = "NAME", requires = "player", allow_hyphen_values = true)]
    against: Option<String>,

    /// Game of the block in a two-player game: 0 or 1
    ///
    /// In game 1, the player listed first in the experiment moves second.
    #[arg(long, value_name = "LEG", default_value_t = 0, hide_short_help = true)]
    leg: u64,

    /// Block of the game [default: 0]
    #[arg(long, value_name = "N", group = "which")]
    block: Option<u64>,

    /// Seed of the game; can be any seed
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..SEED_LIMIT), group = "which")]
    seed: Option<u64>,

    /// Show the game with the lowest score
    #[arg(long, group = "which")]
    worst: bool,

    /// Show the game with the highest score
    #[arg(long, group = "which")]
    best: bool,

    /// Show the game with the median score
    #[arg(long, group = "which")]
    median: bool,

    /// With --sgf: all games of the two players
    #[arg(long, group = "which", requires = "sgf", conflicts_with = "leg")]
    all: bool,

    /// Number of the game in an .sgf file with several games
    #[arg(
        long,
        value_name = "N",
        group = "which",
        hide_short_help = true,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    game: Option<u32>,

    /// Show only the final position
    #[arg(long)]
    last: bool,

    /// Show the value of each move for the player
    #[arg(long)]
    values: bool,

    /// Write an HTML page that steps through the game; `-` for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["last", "values"])]
    html: Option<PathBuf>,

    /// Write the game as SGF (Gomoku only); `-` for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["last", "values", "html"])]
    sgf: Option<PathBuf>,

    #[command(flatten)]
    allow: Allow,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let is_sgf = args.of.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
    if is_sgf && !args.of.is_dir() {
        let number = args.game.unwrap_or(1) as usize;
        let options = sgf::ShowOptions { html: args.html.as_deref(), last: args.last, number };
        return sgf::show_file(catalog.games, &args.of, options);
    }
    if args.game.is_some() {
        return Err(Usage("--game is for .sgf files; for results, use --block".to_owned()).into());
    }
    let Target { experiment, folder } = Target::find(catalog, &args.of, &args.results)?;
    let plan = experiment.plan();
    let lineup = find_lineup(&plan, args)?;
    if args.leg >= plan.legs() {
        return Err(Usage(format!("--leg must be from 0 to {} for this game", plan.legs() - 1)).into());
    }
    let pairing = Pairing::new(&experiment, &plan, lineup, &folder);
    let _temporary_folder = match pairing.source {
        Source::ExternalReplay => Some(args.allow.permit_with_temporary_folder(&experiment, &args.of)?),
        Source::Journal | Source::BuiltInReplay => None,
    };
    let show = Show { args, catalog, pairing };
    match &args.sgf {
        Some(path) if args.all => show.write_all_games(path),
        _ => show.show_game(),
    }
}

/// A request to show games of a pairing.
struct Show<'a> {
    args: &'a Args,
    catalog: Catalog,
    pairing: Pairing<'a>,
}

impl Show<'_> {
    /// Shows one game, and checks that it agrees with `games.csv`.
    fn show_game(&self) -> anyhow::Result<ExitCode> {
        let Show { args, pairing, .. } = self;
        let Pairing { plan, lineup, folder, source, .. } = *pairing;
        let (number, block) = self.find_block()?;
        let leg = self.leg();
        if source == Source::Journal && number.is_none() {
            let message =
                "is not reproducible, so only games in the journal can be shown: choose one with --block";
            return Err(Usage(format!("{} {message}", pairing.title())).into());
        }
        if source != Source::Journal
            && number.is_some()
            && journal_games::has_changed_player(folder, plan, lineup)?
        {
            print_message(format_args!(
                "gauntlet: {} has changed since the games in {}; this is another game",
                pairing.title(),
                display_path(folder)
            ));
        }
        let mut observer = self.make_observer(number)?;
        let mut out = screen();
        let mut moves = Vec::new();
        let mut failure = None;
        let mut on_step = |step: &ReplayStep| {
            moves.extend(step.mv.map(str::to_owned));
            if let (Some(observer), None) = (&mut observer, &failure) {
                failure = observer.on_step(step, &mut out).err();
            }
        };
        let (record, reason) = match (source, number) {
            (Source::Journal, Some(number)) => {
                let mut games = journal_games::find_games(folder, plan, lineup, &[(number, leg)])?;
                let game = games.pop().expect("the requested game");
                pairing.entries()[0].replay_moves(block, &game.moves(), &mut on_step)?;
                (game.record, None)
            }
            _ => {
                let with_values = args.values || args.html.is_some();
                let game = ReplayRequest { block, leg, asks_values: with_values };
                replay(
                    &pairing.entries(),
                    plan.max_moves,
                    game,
                    &plan.build_context(&Stop::default()),
                    &mut on_step,
                )?
            }
        };
        if let Some(error) = failure {
            return Err(error);
        }
        if record.ending.is_panic() {
            if let Some(observer) = &mut observer {
                observer.on_end(None, &mut out)?;
            }
            out.flush()?;
            bail!("{} failed here: {}", pairing.title(), escape::line(&reason.unwrap_or_default()));
        }
        if let Some(observer) = &mut observer {
            observer.on_end(Some(&describe_ending(&record, reason, pairing.names(leg))), &mut out)?;
        }
        if let Some(path) = &args.sgf {
            let title = number.map_or_else(String::new, |number| pairing::game_title(number, leg));
            sgf::write_games(path, &pairing.export(block, leg, &title, &record, &moves)?, &mut out)?;
            print_written(path, "", &mut out)?;
        }
        self.warn_if_not_reproducible();
        match number {
            Some(number) if pairing.is_reproducible() => self.compare_with_row(number, &record)?,
            _ => {}
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes all games into one file.
    fn write_all_games(&self, path: &Path) -> anyhow::Result<ExitCode> {
        let context = self.pairing.plan.build_context(&Stop::default());
        let texts = self.pairing.export_all(self.catalog, &context)?;
        self.warn_if_not_reproducible();
        let mut out = screen();
        sgf::write_games(path, &texts.concat(), &mut out)?;
        print_written(path, &format!(": {}", format_games(texts.len() as u64)), &mut out)?;
        Ok(ExitCode::SUCCESS)
    }

    fn leg(&self) -> usize {
        self.args.leg as usize
    }

    fn warn_if_not_reproducible(&self) {
        if self.pairing.source != Source::Journal && !self.pairing.is_reproducible() {
            print_message(format_args!("gauntlet: {} may not be reproducible", self.pairing.title()));
        }
    }

    /// Returns the requested block, with its number if it is one of the experiment's blocks.
    fn find_block(&self) -> anyhow::Result<(Option<u64>, Block)> {
        let Show { args, pairing: Pairing { plan, lineup, folder, .. }, .. } = self;
        let choices = [
            (args.worst, GamePick::Worst, "lowest"),
            (args.best, GamePick::Best, "highest"),
            (args.median, GamePick::Median, "middle"),
        ];
        if let Some((_, game_pick, word)) = choices.into_iter().find(|(is_requested, ..)| *is_requested) {
            if plan.arena.shape == Shape::Duel {
                return Err(
                    Usage("two-player games have no score: choose a game with --block".to_owned()).into()
                );
            }
            let results = read::Results::read(self.catalog, folder)?;
            let player = plan.members(*lineup).next().expect("a line-up has a player").name;
            let PickedGame { block, score, candidate_count: game_count } = pick(&results, player, game_pick)?;
            print_message(format_args!(
                "gauntlet: the {word} score of {} of {player}: {} on block {block}",
                format_games(game_count),
                group_digits(score)
            ));
            return Ok((Some(block), plan.blocks.block(block)));
        }
        let blocks = &plan.blocks;
        match (args.seed, args.block.unwrap_or(0)) {
            (Some(seed), _) => {
                // In a duel, the opening depends on the place of the seed in the series.
                let listed_block =
                    (0..blocks.len()).map(|block| blocks.block(block)).find(|block| block.seed == seed);
                Ok((None, listed_block.unwrap_or(Block::from_seed(seed))))
            }
            (None, block) if block < blocks.len() => Ok((Some(block), blocks.block(block))),
            _ => Err(Usage(format!("--block must be from 0 to {}", blocks.len() - 1)).into()),
        }
    }

    /// Returns the observer of a replayed game; `None` if the game is only exported.
    fn make_observer(&self, block: Option<u64>) -> anyhow::Result<Option<Box<dyn GameObserver + '_>>> {
        let args = self.args;
        let view = View { stones: self.stone_players(), is_coloured: has_colours() };
        Ok(match &args.html {
            Some(path) => Some(Box::new(GamePage::new(path, self.make_page_header(block))?)),
            None if args.sgf.is_some() => None,
            None => Some(Box::new(TextPrinter { is_last_only: args.last, view, last_picture: None })),
        })
    }

    /// Returns the player of each colour, if the game has stones.
    fn stone_players(&self) -> Option<[String; 2]> {
        let has_stones = self.pairing.plan.arena.has_stones;
        has_stones.then(|| self.pairing.names(self.leg()).map(str::to_owned))
    }

    /// Returns the head of a game's page, before the game is replayed.
    fn make_page_header(&self, block: Option<u64>) -> GameReplay {
        let Show { args, pairing: Pairing { plan, lineup, folder, .. }, .. } = self;
        let seed = block.map_or(args.seed.unwrap_or_default(), |block| plan.blocks.seed(block)).to_string();
        let (game_option, facts) = match block {
            Some(block) => (format!("--block {block}"), vec![("block", block.to_string()), ("seed", seed)]),
            None => (format!("--seed {seed}"), vec![("seed", seed)]),
        };
        let players: Vec<String> = plan.members(*lineup).map(|player| quote(player.name)).collect();
        let leg_option = if args.leg > 0 { format!(" --leg {}", args.leg) } else { String::new() };
        let command = format!(
            "gauntlet show {} --player {} {game_option}{leg_option} --values{}",
            quote_path(&args.of),
            players.join(" --against "),
            args.allow.to_options()
        );
        let title = format!("{} in {}", self.pairing.title(), display_path(folder));
        GameReplay { title, facts, command, stones: self.stone_players(), ..GameReplay::default() }
    }

    /// Compares the replayed game with its row in `games.csv`, if there is one.
    fn compare_with_row(&self, block: u64, record: &GameRecord) -> anyhow::Result<()> {
        let Pairing { plan, lineup, folder, .. } = self.pairing;
        let disk = system_disk();
        if !has_tables(&*disk, folder) {
            return Ok(());
        }
        let snapshot = ResultsSnapshot::read(self.catalog, &disk, folder)?;
        if !snapshot.has_file(GAMES_CSV) {
            return Ok(());
        }
        let path = folder.join(GAMES_CSV);
        let row_writer = RowWriter::new(plan, lineup);
        let replayed_row = row_writer.format_row(block, self.leg(), record);
        let row_prefix = row_writer.row_start(block, self.leg());
        let row = snapshot.stream(GAMES_CSV, |csv| {
            for row in BufReader::new(csv).lines() {
                let row = row.with_context(|| format!("cannot read {}", display_path(&path)))?;
                if row.starts_with(&row_prefix) {
                    return Ok(Some(row));
                }
            }
            Ok(None)
        })?;
        // A game of a broken block has no score in the table. If it does not break here, its player
        // was fixed, or the other game of the block broke.
        if let Some(row) = row.filter(|row| *row != replayed_row && !row_writer.is_broken(row)) {
            bail!(
                "{} has a different game here ({row}), from another version of gauntlet or other settings",
                display_path(&path),
            );
        }
        Ok(())
    }
}

/// Describes how a game ended.
fn describe_ending(record: &GameRecord, reason: Option<String>, names_by_seat: [&str; 2]) -> String {
    let reason = reason.map(|reason| format!(" ({})", escape::line(&reason))).unwrap_or_default();
    let (name, moves) = (record.ending.name(), record.moves);
    let winner = match record.outcome {
        Outcome::Points { won: true, .. } => ", won".to_owned(),
        Outcome::Points { won: false, .. } => ", not won".to_owned(),
        Outcome::Won(seat) => format!(", {}", names_by_seat[seat.number()]),
        Outcome::Drawn => String::new(),
    };
    format!("{name}{reason} after {moves} moves, {}{winner}", describe_state(record.outcome))
}

/// Prints that a file is written; nothing if it went to standard output.
fn print_written(path: &Path, suffix: &str, out: &mut dyn Write) -> io::Result<()> {
    if path == Path::new("-") { Ok(()) } else { writeln!(out, "created {}{suffix}", display_path(path)) }
}

/// Returns the line-up of the requested game.
fn find_lineup(plan: &Plan, args: &Args) -> Result<usize, Usage> {
    let names: Vec<&str> = plan.players.iter().map(|player| player.name).collect();
    let mut player_indices = Vec::new();
    for name in args.player.iter().chain(&args.against) {
        let index = names.iter().position(|player| player == name).ok_or_else(|| {
            let suggestion = nearest(name, names.iter().copied())
                .map(|suggestion| format!("; did you mean `{suggestion}`?"))
                .unwrap_or_default();
            Usage(format!("the experiment has no player `{name}`{suggestion}"))
        })?;
        player_indices.push(index);
    }
    let has_all =
        |lineup: &usize| player_indices.iter().all(|index| plan.lineups[*lineup].members().contains(index));
    let lineups: Vec<usize> = (0..plan.lineups.len()).filter(has_all).collect();
    match (&lineups[..], plan.arena.shape) {
        (&[lineup], _) => Ok(lineup),
        ([], _) => Err(Usage("these players do not play against each other".to_owned())),
        (_, Shape::Solo) => Err(Usage(format!("--player is required: choose one of {}", names.join(", ")))),
        (_, Shape::Duel) => {
            Err(Usage(format!("--player and --against are required: choose two of {}", names.join(", "))))
        }
    }
}
