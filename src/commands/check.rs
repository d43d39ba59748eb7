//! `gauntlet check`: everything but playing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf, is_separator};
use std::process::ExitCode;

use gauntlet_analysis::answer::precision::rate_name;
use gauntlet_analysis::config::changes::CliOverrides;
use gauntlet_analysis::config::published::Statistic;
use gauntlet_analysis::config::search_path::is_on_path;
use gauntlet_analysis::config::{Catalog, Experiment, ExperimentPlayer};
use gauntlet_analysis::results::store::tuning::FOLDER;
use gauntlet_core::player::RulesMismatch;
use gauntlet_core::text::{display_path, format_count, format_games, group_digits, list_names};
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::cost::measure_from_journals;
use gauntlet_run::coverage::Coverage;
use gauntlet_run::early_stop::{EarlyStop, PrecisionStop};
use gauntlet_run::journal::Journal;
use gauntlet_run::judge;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::{Plan, PlannedPlayer};
use gauntlet_train::section::TrainSection;
use gauntlet_tune::section::{CandidateSpace, TuneSection, ValidationPlan};
use serde_json::Value;

use super::cost;
use super::earlier_games;
use super::given_experiments::{self, GivenExperiment, Verification};
use super::player_toml::short_settings;
use gauntlet_cli::output::{print_error, print_message, prose};
use gauntlet_cli::permission::external_commands;
use gauntlet_cli::target::{Results, Target, refuse_folder};

/// Validate an experiment and show what it would play
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet check quick --cost")]
pub(super) struct Args {
    /// Experiments to check; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Play games for about a second per player and estimate the time of the run and of the tuning
    #[arg(long)]
    cost: bool,

    #[command(flatten)]
    changes: CliOverrides,

    #[command(flatten)]
    verification: Verification,

    #[command(flatten)]
    results: Results,
}

/// Describes the algorithm of a player and its settings; of a later player of an algorithm, only
/// those that differ from the first.
fn describe_algorithm(plan: &Plan, player: PlannedPlayer) -> String {
    let name = player.entry.algorithm;
    let first_of_algorithm = plan.players.iter().find(|first| first.entry.algorithm == name);
    let first = first_of_algorithm.filter(|first| first.name != player.name);
    let difference = first
        .and_then(|first| Some((first, settings_difference(&player.entry.settings, &first.entry.settings)?)));
    match (&*short_settings(&player.entry.settings), difference) {
        ("", _) => name.to_owned(),
        (_, Some((first, changed_settings))) => match &*short_settings(&changed_settings) {
            "" => format!("{name} (as {})", first.name),
            settings => format!("{name} ({settings}; otherwise as {})", first.name),
        },
        (settings, None) => format!("{name} ({settings})"),
    }
}

/// Returns the settings that differ from those of another player; `None` if it has other keys.
fn settings_difference(own: &Value, other: &Value) -> Option<Value> {
    let (own, other) = (own.as_object()?, other.as_object()?);
    let is_different = |(key, value): &(&String, &Value)| other.get(*key) != Some(value);
    let has_same_keys = own.keys().eq(other.keys());
    has_same_keys
        .then(|| own.iter().filter(is_different).map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// An external player whose program or script does not exist.
pub(super) struct AbsentProgram<'a> {
    player: &'a str,
    /// True if only the script is absent.
    pub(super) is_script: bool,
    path: String,
}

impl fmt::Display for AbsentProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let kind = if self.is_script { "file" } else { "program" };
        write!(f, "{} cannot start: no such {kind}: {}", self.player, self.path)
    }
}

/// Returns external players whose program or script does not exist.
pub(super) fn find_absent_programs(experiment: &Experiment) -> Vec<AbsentProgram<'_>> {
    experiment.players().iter().filter_map(|player| find_absent_program(experiment, player)).collect()
}

fn find_absent_program<'a>(
    experiment: &Experiment,
    player: &'a ExperimentPlayer,
) -> Option<AbsentProgram<'a>> {
    let (command, settings) = (player.entry.facts().command.clone()?, &player.entry.settings);
    let directory = settings.get("directory").and_then(Value::as_str).unwrap_or("");
    let folder = experiment.assets().folder().join(directory);
    let program = &*command[0];
    let program_exists = if program.contains(is_separator) {
        folder.join(program).is_file()
    } else {
        uses_another_path(settings) || is_on_path(program).unwrap_or(true)
    };
    // A word with an extension right after the program is a script.
    let is_script = |word: &&String| {
        let extension = Path::new(word.as_str()).extension().and_then(OsStr::to_str).unwrap_or("");
        !word.starts_with('-') && extension.starts_with(char::is_alphabetic) && !word.contains([' ', '='])
    };
    let script = command.get(1).filter(is_script).filter(|word| !folder.join(word).exists());
    let path = if program_exists { script?.clone() } else { program.to_owned() };
    Some(AbsentProgram { player: &player.name, is_script: program_exists, path })
}

/// Returns true if the player gets another `PATH`.
fn uses_another_path(settings: &Value) -> bool {
    let variables = settings.get("env").and_then(Value::as_array).into_iter().flatten();
    variables.filter_map(Value::as_str).any(|variable| variable.starts_with("PATH="))
}

/// Returns pairs of players whose settings differ but have the same normal form: each player with
/// the first player of this form.
fn find_equivalent_players<'a>(plan: &Plan<'a>) -> Vec<(&'a str, &'a str)> {
    let mut first_by_form: BTreeMap<(&str, String), PlannedPlayer> = BTreeMap::new();
    let mut pairs = Vec::new();
    for &player in &plan.players {
        let Some(form) = &player.entry.facts().normal_form else { continue };
        let first = *first_by_form.entry((player.entry.algorithm, form.to_string())).or_insert(player);
        if first.entry.settings != player.entry.settings {
            pairs.push((first.name, player.name));
        }
    }
    pairs
}

/// Returns warnings about players that end games by other rules, one for each difference.
pub(super) fn rule_warnings(plan: &Plan) -> Vec<String> {
    let mut names_by_mismatch: BTreeMap<RulesMismatch, Vec<&str>> = BTreeMap::new();
    for player in &plan.players {
        if let Some(mismatch) = &player.entry.facts().rules_mismatch {
            names_by_mismatch.entry(mismatch.clone()).or_default().push(player.name);
        }
    }
    let to_warning = |(RulesMismatch { difference, fitting_setting }, names): (_, Vec<&str>)| {
        let names = if let [first, second] = names[..] {
            format!("{first} and {second}")
        } else {
            list_names(&names, MAX_NAMES)
        };
        format!("the search of {names} {difference}; set {fitting_setting}")
    };
    names_by_mismatch.into_iter().map(to_warning).collect()
}

/// The most players that a warning names.
const MAX_NAMES: usize = 5;

/// Describes the plan of a tuning, one line for each part.
fn describe_tuning(tune: &TuneSection, plan: &Plan) -> String {
    let (player_rows, method) = match &tune.field {
        CandidateSpace::Params { player, params, method } => {
            let keys: Vec<&str> = params.iter().map(|param| &*param.key).collect();
            let settings = ("settings", list_names(&keys, MAX_NAMES));
            (vec![("player", plan.players[*player].name.to_owned()), settings], method.name)
        }
        CandidateSpace::Players { players, method } => {
            let names: Vec<&str> = players.iter().map(|player| plan.players[*player].name).collect();
            (vec![("players", list_names(&names, MAX_NAMES))], method.name)
        }
    };
    let nodes = tune.at_most_nodes.map_or(String::new(), |nodes| format!(", at most {nodes} nodes per move"));
    let searches = match tune.searches {
        1 => String::new(),
        several => format!(", {several} interleaved searches"),
    };
    let ValidationPlan { games, level, sprt } = &tune.validate;
    let validation = match sprt {
        Some(sprt) => format!("{sprt}, at most {} per player", format_games(*games)),
        None => format!("{} per player, level {level}", format_games(*games)),
    };
    let other_rows = [
        ("method", format!("{method}{searches}")),
        ("objective", format!("{}{nodes}", tune.objective)),
        ("games", group_digits(tune.budget)),
        ("validation", validation),
    ];
    let lines =
        player_rows.into_iter().chain(other_rows).map(|(label, value)| format!("\n    {label:<10}  {value}"));
    "  `gauntlet tune` would search:".to_owned() + &lines.collect::<String>()
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    args.files.iter().try_for_each(|path| refuse_folder(catalog, path))?;
    args.verification.disable_caches();
    let mut out = prose();
    let (experiments, failure) =
        given_experiments::load_all(catalog, &args.files, &args.results, &args.changes, false);
    experiments
        .iter()
        .try_for_each(|given_experiment| print_report(given_experiment, args.cost, &mut out))?;
    let verification = args.verification.verify(&experiments);
    match (failure, verification) {
        (Some(failure), Err(damage)) => {
            print_error(&damage);
            Err(failure)
        }
        (Some(failure), Ok(())) => Err(failure),
        (None, verification) => verification.map(|()| ExitCode::SUCCESS),
    }
}

/// Prints the report on one experiment.
fn print_report(
    given_experiment: &GivenExperiment,
    with_cost: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let Target { experiment, folder } = &given_experiment.target;
    let plan = experiment.plan();
    print_header(given_experiment, out)?;
    let journals = open_journals(given_experiment, &plan)?;
    // Keys are only needed for comparing with a journal. Without a journal they are not computed,
    // because that plays games.
    let keyed_plan = match &journals[..] {
        [] => None,
        journals => Some(KeyedPlan::new(plan.clone(), &journals.iter().collect::<Vec<_>>())?),
    };
    let coverages = keyed_plan.iter().flat_map(|keyed_plan| {
        journals.iter().map(move |journal| Coverage::from_journal(keyed_plan, journal))
    });
    let coverages: Vec<Coverage> = coverages.collect::<anyhow::Result<_>>()?;
    let judge = match (&keyed_plan, &coverages[..]) {
        (None, _) | (_, []) => None,
        (Some(keyed_plan), [coverage]) => judge::judge_journal(keyed_plan, coverage)?,
        (Some(keyed_plan), coverages) => judge::judge_folder(keyed_plan, None, coverages)?,
    };
    let end = judge.and_then(|judge| judge.end());
    let block_count = end.unwrap_or(experiment.blocks().len());
    let blocks_left = print_lineups(&plan, &coverages, block_count, out)?;
    print_notes(experiment, &plan, out)?;
    print_verdicts(experiment, &plan, out)?;
    if let Some(end) = end {
        let max_blocks = group_digits(plan.blocks.len());
        writeln!(out, "  stopped after {} of at most {max_blocks} blocks", group_digits(end))?;
    }
    print_other_sections(experiment, &plan, out)?;
    let games_to_play = plan.legs() * blocks_left.iter().map(|(_, left)| left).sum::<u64>();
    let total_games = plan.legs() * block_count * blocks_left.len() as u64;
    let at_most = if experiment.sections().stop.is_some() && games_to_play > 0 { "at most " } else { "" };
    writeln!(
        out,
        "  {at_most}{} of {} games to play",
        group_digits(games_to_play),
        group_digits(total_games)
    )?;
    if !with_cost {
        return Ok(());
    }
    out.flush()?;
    if games_to_play > 0 {
        let journal_cost = |lineup: usize| match &keyed_plan {
            Some(keyed_plan) => measure_from_journals(keyed_plan, lineup, &coverages),
            None => Ok(None),
        };
        cost::print_cost(&plan, &blocks_left, journal_cost, out)?;
    }
    match TuneSection::from_experiment(experiment) {
        Some(tune) => cost::print_tuning_cost(experiment, tune, &folder.join(FOLDER), out),
        None => Ok(()),
    }
}

/// Prints the name, blocks and rules of an experiment.
fn print_header(given_experiment: &GivenExperiment, out: &mut impl Write) -> io::Result<()> {
    let experiment = &given_experiment.target.experiment;
    writeln!(
        out,
        "{}: {} ({})",
        display_path(given_experiment.file()),
        experiment.name(),
        experiment.arena().name
    )?;
    let seeds = match experiment.blocks() {
        BlockSeeds::Derived { seed, .. } => format!("derived from seed {seed}"),
        BlockSeeds::Listed(_) => "listed".to_owned(),
    };
    writeln!(out, "  {}, seeds {seeds}", format_count(experiment.blocks().len(), "block"))?;
    writeln!(out, "  rules: {}", short_settings(&experiment.rules().settings))?;
    if let Some(max_moves) = experiment.max_moves() {
        writeln!(out, "  at most {max_moves} moves per game")?;
    }
    if let Some(max_seconds) = experiment.max_seconds() {
        writeln!(out, "  at most {max_seconds} per game; games can differ between machines")?;
    }
    Ok(())
}

/// Opens the journals with games of an experiment: its own, and the journal of the unchanged file.
fn open_journals(given_experiment: &GivenExperiment, plan: &Plan) -> anyhow::Result<Vec<Journal>> {
    let path = paths::journal_path(&given_experiment.target.folder, None);
    let original_journal = given_experiment
        .original_folder
        .as_ref()
        .and_then(|folder| earlier_games::find_journal(folder, plan))
        .filter(|journal| *journal != path);
    let mut journals = Vec::new();
    if path.exists() {
        journals.push(Journal::peek(&path)?);
    }
    // A run takes games from the folder of the unchanged file, if it can be read.
    match original_journal.map(|other_path| Journal::peek(&other_path)) {
        Some(Ok(journal)) => journals.push(journal),
        Some(Err(error)) => {
            print_message(format_args!("gauntlet: cannot reuse games of the unchanged experiment: {error:#}"))
        }
        None => {}
    }
    Ok(journals)
}

/// Prints the line-ups. Returns those with their own games, each with the number of its blocks that
/// are left.
fn print_lineups(
    plan: &Plan,
    coverages: &[Coverage],
    blocks: u64,
    out: &mut impl Write,
) -> anyhow::Result<Vec<(usize, u64)>> {
    let mut blocks_left = Vec::new();
    let is_duel = plan.legs() > 1;
    for player in plan.players.iter().filter(|_| is_duel) {
        writeln!(out, "  {}: {}", player.name, describe_algorithm(plan, *player))?;
    }
    for (lineup, twin) in plan.twin_lineups().into_iter().enumerate() {
        write!(out, "  {}", plan.title(lineup))?;
        if let (false, Some(player)) = (is_duel, plan.members(lineup).next()) {
            write!(out, ": {}", describe_algorithm(plan, player))?;
        }
        if twin != lineup {
            writeln!(out, ", shares the games of {}", plan.title(twin))?;
            continue;
        }
        let all_blocks = std::iter::once(0..blocks).collect();
        let missing = coverages
            .iter()
            .fold(all_blocks, |missing: Vec<_>, coverage| coverage.missing_blocks_in(lineup, &missing));
        let left_count = missing.iter().map(|blocks| blocks.end - blocks.start).sum::<u64>();
        writeln!(out, ", {} to play", format_games(plan.legs() * left_count))?;
        blocks_left.push((lineup, left_count));
    }
    Ok(blocks_left)
}

/// Prints notes on the players of an experiment.
fn print_notes(experiment: &Experiment, plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    for (name, command) in external_commands(experiment) {
        writeln!(out, "  command: {name} starts {command}; needs --allow-commands")?;
    }
    for warning in rule_warnings(plan)
        .into_iter()
        .chain(find_absent_programs(experiment).iter().map(ToString::to_string))
    {
        writeln!(out, "  warning: {warning}")?;
    }
    for (first, second) in find_equivalent_players(plan) {
        writeln!(
            out,
            "  note: weights of {first} and {second} differ by a common factor only; apart from rounding, their games are identical"
        )?;
    }
    Ok(())
}

/// Prints the claims and the early stopping rule of an experiment.
fn print_verdicts(experiment: &Experiment, plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    for claim in experiment.describe_claims() {
        writeln!(out, "  claim: {claim}")?;
    }
    match &experiment.sections().stop {
        Some(EarlyStop::Comparison(stop)) => {
            let [player, opponent] =
                [stop.better_player, stop.other_player].map(|player| plan.players[player].name);
            writeln!(out, "  stop: {}, {player} against {opponent} by {}", stop.test, stop.measure)
        }
        Some(EarlyStop::Precision(PrecisionStop { measure, points, level })) => {
            let rate = rate_name(&measure.to_string());
            writeln!(
                out,
                "  stop: when the {rate} of every player is known to within {points} points, at level {level}"
            )
        }
        None => Ok(()),
    }
}

/// Prints an experiment's other sections, its published numbers, and what its games depend on.
fn print_other_sections(experiment: &Experiment, plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    let sections = experiment.sections();
    if let Some(train) = TrainSection::from_experiment(experiment) {
        writeln!(out, "  train: {}; run with `gauntlet train`", train.length)?;
    }
    if let Some(tune) = TuneSection::from_experiment(experiment) {
        writeln!(out, "{}", describe_tuning(tune, plan))?;
    }
    for published_value in &sections.published {
        let player = plan.players[published_value.player].name;
        let games_note =
            published_value.games.map_or(String::new(), |count| format!(" in {}", format_games(count.get())));
        let kind = match published_value.statistic {
            Statistic::Mean => String::new(),
            statistic => format!("{statistic} "),
        };
        writeln!(
            out,
            "  published: {player}, {}: {kind}{}{games_note} ({})",
            published_value.quantity, published_value.value, published_value.source
        )?;
    }
    if let Some(games_seen) = plan.extended_from {
        writeln!(out, "  extended: games were added after the first {} were seen", group_digits(games_seen))?;
    }
    if let Some(reason) = plan.irreproducibility() {
        writeln!(out, "  not reproducible: {reason}")?;
    }
    Ok(())
}
