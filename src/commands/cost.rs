//! Estimates the cost of an experiment and its tuning from a few games, which are not kept.

use std::io::Write;
use std::path::Path;

use gauntlet_analysis::config::{Experiment, MAX_FILE_BYTES};
use gauntlet_analysis::results::store::folder::EXPERIMENT;
use gauntlet_analysis::results::store::tuning::{is_unfinished, read_tuning_manifest};
use gauntlet_core::assets::machine_memory;
use gauntlet_core::disk::read_regular;
use gauntlet_core::game::Shape;
use gauntlet_core::text::{display_path, format_bytes, format_duration, format_games, format_time_span};
use gauntlet_run::cost::BlockCost;
use gauntlet_run::memory::thread_budget;
use gauntlet_run::plan::Plan;
use gauntlet_run::{cost, machine};
use gauntlet_tune::section::{CandidateSpace, TuneSection};
use gauntlet_tune::{unfinished_tuning::read_unfinished, untuned_plan};

/// Prints the cost of the blocks left of each line-up, based on its games in journals, or else on
/// trial games.
pub(super) fn print_cost(
    plan: &Plan,
    blocks_left: &[(usize, u64)],
    journal_cost: impl Fn(usize) -> anyhow::Result<Option<BlockCost>>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    thread_budget(plan, 1, machine_memory())?;
    let (mut seconds, mut longest_block, mut journal_bytes) = (0.0, 0.0_f64, 0.0);
    let mut is_lower_bound = false;
    for &(lineup, left) in blocks_left.iter().filter(|(_, left)| *left > 0) {
        if plan.members(lineup).any(|player| player.entry.facts().is_external()) {
            writeln!(
                out,
                "  cost of {}: unknown, because `check` starts no external programs",
                plan.title(lineup)
            )?;
            continue;
        }
        let (cost, source) = match journal_cost(lineup)? {
            Some(cost) => (cost, "from the journal"),
            None => (cost::measure_lineup(plan, lineup, cost::FIRST_GAME_TIMEOUT)?, "played"),
        };
        let (title, games_per_block) = (plan.title(lineup), plan.legs() as f64);
        let time_per_game = format_duration(1000.0 * cost.seconds / games_per_block);
        let qualifier = if cost.is_lower_bound { "more than " } else { "" };
        let games = format_games(plan.legs() * cost.blocks);
        let total_time = format_time_span(cost.seconds * left as f64);
        writeln!(
            out,
            "  cost of {title}: {qualifier}{time_per_game} per game ({games} {source}), {qualifier}{total_time} of CPU time in total"
        )?;
        out.flush()?;
        seconds += cost.seconds * left as f64;
        longest_block = longest_block.max(cost.seconds);
        journal_bytes += cost.bytes * left as f64;
        is_lower_bound |= cost.is_lower_bound;
    }
    let blocks: u64 = blocks_left.iter().map(|(_, left)| left).sum();
    let cores = (machine::cores() as u64).min(blocks).max(1);
    // A block is never played by two threads.
    let wall_seconds = (seconds / cores as f64).max(longest_block);
    let qualifier = if is_lower_bound { "more than " } else { "about " };
    let core_words = if cores == 1 { "one core".to_owned() } else { format!("{cores} cores") };
    writeln!(
        out,
        "  total cost: {qualifier}{} of CPU time, {qualifier}{} here on {core_words}; journal of about {}",
        format_time_span(seconds),
        format_time_span(wall_seconds),
        format_bytes(journal_bytes)
    )?;
    Ok(())
}

/// Prints the cost of a tuning: the search and the validation separately, and what games of the
/// untuned player cannot show.
pub(super) fn print_tuning_cost(
    experiment: &Experiment,
    tune: &TuneSection,
    folder: &Path,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let (played, has_result) = games_played(experiment, folder)?;
    if has_result && played >= tune.budget {
        let games = format_games(played);
        writeln!(out, "  cost of tuning: none; {} already has the result for {games}", display_path(folder))?;
        return Ok(());
    }
    let Some(game_cost) = GameCost::measure(experiment, tune)? else {
        writeln!(out, "  cost of tuning: unknown, because `check` starts no external programs")?;
        return Ok(());
    };
    let player_words = match &tune.field {
        CandidateSpace::Params { .. } => "the untuned player".to_owned(),
        CandidateSpace::Players { players, .. } => format!("the {} players", players.len()),
    };
    let (qualifier, time_per_game) =
        (game_cost.accuracy_words(), format_duration(1000.0 * game_cost.seconds));
    writeln!(
        out,
        "  cost of tuning: {qualifier}{time_per_game} per game of {player_words} ({} played)",
        format_games(game_cost.sampled_games)
    )?;
    let (cores, left) = (machine::cores(), tune.budget.saturating_sub(played));
    let played_note = match played {
        0 => String::new(),
        played => format!(", {} already played", format_games(played)),
    };
    let wall_time_note = match cores {
        0 | 1 => String::new(),
        _ => {
            format!(
                " and at least {} here on {cores}",
                format_time_span(game_cost.seconds * left as f64 / cores as f64)
            )
        }
    };
    let journal_growth = format_bytes(game_cost.journal_bytes * left as f64);
    writeln!(
        out,
        "    search: {}{wall_time_note}; journal grows by about {journal_growth}{played_note}",
        game_cost.describe_games(left)
    )?;
    let validation_games = match experiment.arena().shape {
        Shape::Solo => 2 * tune.validate.games,
        Shape::Duel => tune.validate.games,
    };
    let limit_note = if tune.validate.sprt.is_some() { "at most " } else { "" };
    writeln!(out, "    validation: {limit_note}{}", game_cost.describe_games(validation_games))?;
    if tune.explain > 0 {
        writeln!(out, "    slices: {}", game_cost.describe_games(tune.explain))?;
    }
    writeln!(out, "    unknown: {}", unknown_costs(tune).join("; "))?;
    Ok(())
}

/// The cost of a game of a tuning.
struct GameCost {
    seconds: f64,
    /// Bytes in the journal.
    journal_bytes: f64,
    /// Number of sampled games.
    sampled_games: u64,
    is_lower_bound: bool,
}

impl GameCost {
    /// Measures games of the untuned player; in a race, of each player. `None` for external
    /// programs.
    fn measure(experiment: &Experiment, tune: &TuneSection) -> anyhow::Result<Option<GameCost>> {
        let plan = untuned_plan(experiment, tune);
        thread_budget(&plan, 1, machine_memory())?;
        let games_per_block = (plan.legs() as usize * plan.lineups.len()) as f64;
        let mut game_cost =
            GameCost { seconds: 0.0, journal_bytes: 0.0, sampled_games: 0, is_lower_bound: false };
        for lineup in 0..plan.lineups.len() {
            if plan.members(lineup).any(|player| player.entry.facts().is_external()) {
                return Ok(None);
            }
            let cost = cost::measure_lineup(&plan, lineup, cost::FIRST_GAME_TIMEOUT)?;
            game_cost.seconds += cost.seconds / games_per_block;
            game_cost.journal_bytes += cost.bytes / games_per_block;
            game_cost.sampled_games += plan.legs() * cost.blocks;
            game_cost.is_lower_bound |= cost.is_lower_bound;
        }
        Ok(Some(game_cost))
    }

    fn accuracy_words(&self) -> &'static str {
        if self.is_lower_bound { "more than " } else { "about " }
    }

    /// Describes this number of games with their time.
    fn describe_games(&self, count: u64) -> String {
        let time = format_time_span(self.seconds * count as f64);
        format!("{}, {}{time} of CPU time", format_games(count), self.accuracy_words())
    }
}

/// Lists what games of the untuned player cannot show.
fn unknown_costs(tune: &TuneSection) -> Vec<&'static str> {
    let mut unknown = vec![match &tune.field {
        CandidateSpace::Params { .. } => "time of the candidates (estimates are for the untuned player)",
        CandidateSpace::Players { .. } => {
            "share of games of each player (estimates are means of all players)"
        }
    }];
    if tune.validate.sprt.is_some() {
        unknown.push("when validation ends early");
    }
    unknown.extend(["how well small steps use all cores", "whether a validation is needed"]);
    unknown
}

/// Returns the number of games of the search in a tuning folder, and true if the tuning has an
/// answer. If the folder is unreadable or of another experiment, returns 0 and false, so the cost
/// includes all games.
fn games_played(experiment: &Experiment, folder: &Path) -> anyhow::Result<(u64, bool)> {
    if !read_regular(&folder.join(EXPERIMENT), MAX_FILE_BYTES)
        .is_ok_and(|text| text == experiment.text().as_bytes())
    {
        return Ok((0, false));
    }
    if is_unfinished(folder) {
        let unfinished = read_unfinished(experiment.catalog(), folder);
        return Ok((unfinished.map_or(0, |unfinished| unfinished.progress.done), false));
    }
    let budget = read_tuning_manifest(folder)?.and_then(|manifest| Some(manifest.tuning()?.budget));
    Ok((budget.unwrap_or(0), budget.is_some()))
}

#[cfg(test)]
mod tests {
    use gauntlet_analysis::config;
    use gauntlet_games::GAMES;
    use gauntlet_run::cost::{BlockCost, FIRST_GAME_TIMEOUT, measure_lineup};

    fn measure_cost(algorithm: &str, timeout: f64) -> BlockCost {
        let text =
            format!("name = 'x'\ngame = '2048'\nseed = 1\ngames = 300\n[[player]]\nname = 'p'\n{algorithm}");
        let experiment = config::parse(crate::catalog(&GAMES), "x", &text).unwrap();
        measure_lineup(&experiment.plan(), 0, timeout).unwrap()
    }

    #[test]
    fn fast_players_are_sampled_by_many_games() {
        let cost = measure_cost("algorithm = 'random'", FIRST_GAME_TIMEOUT);
        assert!((2..=300).contains(&cost.blocks), "{cost:?}");
        assert!(!cost.is_lower_bound && cost.seconds > 0.0 && cost.bytes > 5.0, "{cost:?}");
    }

    #[test]
    fn a_first_game_without_end_is_cut_and_said_to_be() {
        let cost = measure_cost("algorithm = 'ovolve'\ndepth = 14", 0.2);
        assert!(cost.is_lower_bound && cost.blocks == 1 && cost.seconds > 0.0, "{cost:?}");
    }
}
