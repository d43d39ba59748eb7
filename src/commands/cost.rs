//! Estimates the cost of an experiment and its tuning from a few games, which are not kept.

use std::io::Write;
use std::path::Path;

use gauntlet_analysis::config::{Experiment, MOST_BYTES};
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
use gauntlet_tune::{unfinished::read_unfinished, untuned_plan};

/// Prints the cost of the blocks left of each line-up, based on its games in journals, or else on
/// trial games.
pub(super) fn print_cost(
    plan: &Plan,
    left_of: &[(usize, u64)],
    held: impl Fn(usize) -> anyhow::Result<Option<BlockCost>>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    thread_budget(plan, 1, machine_memory())?;
    let (mut seconds, mut longest, mut journal) = (0.0, 0.0_f64, 0.0);
    let mut is_at_least = false;
    for &(lineup, left) in left_of.iter().filter(|(_, left)| *left > 0) {
        if plan.members(lineup).any(|player| player.entrant.facts().is_external()) {
            writeln!(
                out,
                "  cost of {}: unknown, because `check` starts no external programs",
                plan.title(lineup)
            )?;
            continue;
        }
        let (cost, how) = match held(lineup)? {
            Some(cost) => (cost, "from the journal"),
            None => (cost::measure_lineup(plan, lineup, cost::PATIENCE)?, "played"),
        };
        let (title, games_of) = (plan.title(lineup), plan.legs() as f64);
        let each = format_duration(1000.0 * cost.seconds / games_of);
        let more = if cost.is_at_least { "more than " } else { "" };
        let of = format_games(plan.legs() * cost.blocks);
        let all = format_time_span(cost.seconds * left as f64);
        writeln!(
            out,
            "  cost of {title}: {more}{each} per game ({of} {how}), {more}{all} of CPU time in total"
        )?;
        out.flush()?;
        seconds += cost.seconds * left as f64;
        longest = longest.max(cost.seconds);
        journal += cost.bytes * left as f64;
        is_at_least |= cost.is_at_least;
    }
    let blocks: u64 = left_of.iter().map(|(_, left)| left).sum();
    let cores = (machine::cores() as u64).min(blocks).max(1);
    // A block is never played by two threads.
    let here = (seconds / cores as f64).max(longest);
    let more = if is_at_least { "more than " } else { "about " };
    let cores = if cores == 1 { "one core".to_owned() } else { format!("{cores} cores") };
    writeln!(
        out,
        "  total cost: {more}{} of CPU time, {more}{} here on {cores}; journal of about {}",
        format_time_span(seconds),
        format_time_span(here),
        format_bytes(journal)
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
    let (played, is_answered) = games_played(experiment, folder)?;
    if is_answered && played >= tune.budget {
        let held = format_games(played);
        writeln!(out, "  cost of tuning: none; {} already has the result for {held}", display_path(folder))?;
        return Ok(());
    }
    let Some(price) = GameCost::measure(experiment, tune)? else {
        writeln!(out, "  cost of tuning: unknown, because `check` starts no external programs")?;
        return Ok(());
    };
    let whose = match &tune.field {
        CandidateSpace::Params { .. } => "the untuned player".to_owned(),
        CandidateSpace::Players { players, .. } => format!("the {} players", players.len()),
    };
    let (more, each) = (price.accuracy_words(), format_duration(1000.0 * price.seconds));
    writeln!(
        out,
        "  cost of tuning: {more}{each} per game of {whose} ({} played)",
        format_games(price.sampled)
    )?;
    let (cores, left) = (machine::cores(), tune.budget.saturating_sub(played));
    let held = match played {
        0 => String::new(),
        played => format!(", {} already played", format_games(played)),
    };
    let here = match cores {
        0 | 1 => String::new(),
        _ => {
            format!(
                " and at least {} here on {cores}",
                format_time_span(price.seconds * left as f64 / cores as f64)
            )
        }
    };
    let journal = format_bytes(price.size * left as f64);
    writeln!(
        out,
        "    search: {}{here}; journal grows by about {journal}{held}",
        price.describe_games(left)
    )?;
    let both = match experiment.arena().shape {
        Shape::Solo => 2 * tune.validate.games,
        Shape::Duel => tune.validate.games,
    };
    let at_most = if tune.validate.sprt.is_some() { "at most " } else { "" };
    writeln!(out, "    validation: {at_most}{}", price.describe_games(both))?;
    if tune.explain > 0 {
        writeln!(out, "    slices: {}", price.describe_games(tune.explain))?;
    }
    writeln!(out, "    unknown: {}", unknown_costs(tune).join("; "))?;
    Ok(())
}

/// The cost of a game of a tuning.
struct GameCost {
    seconds: f64,
    /// Bytes in the journal.
    size: f64,
    /// Number of sampled games.
    sampled: u64,
    is_at_least: bool,
}

impl GameCost {
    /// Measures games of the untuned player; in a race, of each player. `None` for external
    /// programs.
    fn measure(experiment: &Experiment, tune: &TuneSection) -> anyhow::Result<Option<GameCost>> {
        let plan = untuned_plan(experiment, tune);
        thread_budget(&plan, 1, machine_memory())?;
        let all = (plan.legs() as usize * plan.lineups.len()) as f64;
        let mut price = GameCost { seconds: 0.0, size: 0.0, sampled: 0, is_at_least: false };
        for lineup in 0..plan.lineups.len() {
            if plan.members(lineup).any(|player| player.entrant.facts().is_external()) {
                return Ok(None);
            }
            let cost = cost::measure_lineup(&plan, lineup, cost::PATIENCE)?;
            price.seconds += cost.seconds / all;
            price.size += cost.bytes / all;
            price.sampled += plan.legs() * cost.blocks;
            price.is_at_least |= cost.is_at_least;
        }
        Ok(Some(price))
    }

    fn accuracy_words(&self) -> &'static str {
        if self.is_at_least { "more than " } else { "about " }
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
    if !read_regular(&folder.join(EXPERIMENT), MOST_BYTES)
        .is_ok_and(|kept| kept == experiment.text().as_bytes())
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
    use gauntlet_run::cost::{BlockCost, PATIENCE, measure_lineup};

    fn measure_cost(algorithm: &str, patience: f64) -> BlockCost {
        let text =
            format!("name = 'x'\ngame = '2048'\nseed = 1\ngames = 300\n[[player]]\nname = 'p'\n{algorithm}");
        let experiment = config::parse(crate::catalog(&GAMES), "x", &text).unwrap();
        measure_lineup(&experiment.plan(), 0, patience).unwrap()
    }

    #[test]
    fn fast_players_are_sampled_by_many_games() {
        let cost = measure_cost("algorithm = 'random'", PATIENCE);
        assert!((2..=300).contains(&cost.blocks), "{cost:?}");
        assert!(!cost.is_at_least && cost.seconds > 0.0 && cost.bytes > 5.0, "{cost:?}");
    }

    #[test]
    fn a_first_game_without_end_is_cut_and_said_to_be() {
        let cost = measure_cost("algorithm = 'ovolve'\ndepth = 14", 0.2);
        assert!(cost.is_at_least && cost.blocks == 1 && cost.seconds > 0.0, "{cost:?}");
    }
}
