//! All players of several results together.

use gauntlet_analysis::answer::headline::Headline;
use gauntlet_analysis::results::analysis::front::missing_tests;
use gauntlet_analysis::results::analysis::leader::leader_headline;
use gauntlet_analysis::results::analysis::standing::{
    Standing, StrengthMeasure, rank_standings, set_front_status,
};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::table::{TypedRow, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::exploratory::ExploratoryComparisons;
use super::figures::{self, Figure, PublishedStrengths};
use super::section::Section;

/// An overview as the page shows it.
pub(super) struct Overview {
    pub(super) headline: Option<Headline>,
    /// Reasons why the players may not be compared.
    pub(super) warnings: Vec<String>,
    pub(super) figures: Vec<Figure>,
}

impl Overview {
    /// Collects all players of these results under unique names.
    pub(super) fn new(
        results: &[Results],
        sections: &[Section],
        overall_comparisons: &ExploratoryComparisons,
    ) -> anyhow::Result<Option<Overview>> {
        let players = || sections.iter().flat_map(|section| &section.standings);
        // Equal numbers for an equal name are the same games, played in several experiments.
        let is_same = |one: &Standing, other: &Standing| {
            let numbers = |one: &Standing| {
                StrengthMeasure::ALL
                    .map(|measure| measure.value(one).map(|estimate| (estimate.value, estimate.span())))
            };
            one.games > 0
                && one.name == other.name
                && one.games == other.games
                && numbers(one) == numbers(other)
        };
        let label = |section: &Section, one: &Standing| {
            let is_shared = players().any(|other| other.name == one.name && !is_same(one, other));
            if is_shared { format!("{}: {}", section.name, one.name) } else { one.name.clone() }
        };
        let mut section_standings: Vec<Vec<Standing>> =
            sections.iter().map(|section| section.standings.clone()).collect();
        let measure = StrengthMeasure::choose(&section_standings.concat());
        let Some((first, rest)) = results.split_first() else { return Ok(None) };
        let differs =
            |property: fn(&Results) -> String| rest.iter().any(|other| property(other) != property(first));
        let mut warnings = Vec::new();
        let rules = find_differing_rules(first, rest);
        // Results under different rules are not put on one scale, nor are Elo ratings against
        // different opponents.
        let is_one_scale = rules.is_empty() && (rest.is_empty() || measure != StrengthMeasure::Elo);
        if !rules.is_empty() {
            warnings.push(format!(
                "The rules of these experiments differ ({}), so wins and scores may not be comparable.",
                rules.join(", ")
            ));
        }
        if differs(|results| results.manifest().cpu.clone()) {
            warnings
                .push("The experiments ran on different processors, so times are not comparable.".to_owned());
        }
        // For a single result the front is in its section already.
        if rules.is_empty() && !rest.is_empty() {
            section_standings
                .iter_mut()
                .zip(&overall_comparisons.fronts)
                .for_each(|(standings, fronts)| set_front_status(standings, fronts));
        }
        let mut unique_standings: Vec<(&Section, Standing)> = Vec::new();
        for (section, standings) in sections.iter().zip(section_standings) {
            for one in standings {
                if !unique_standings.iter().any(|(_, other)| is_same(&one, other)) {
                    unique_standings.push((section, one));
                }
            }
        }
        let renamed_standings = unique_standings
            .into_iter()
            .map(|(section, one)| Standing { name: label(section, &one), ..one })
            .collect();
        let standings = rank_standings(renamed_standings, measure);
        let table = OverviewRow::table(standings.iter().map(OverviewRow::new));
        let mut figures = Vec::new();
        if is_one_scale {
            figures.push(figures::plot_win_rates(&standings, measure, &table));
            let mut published = PublishedStrengths::new();
            for results in results {
                let own = results.table("published")?;
                published.extend(own.iter().flat_map(|table| figures::published_strengths(table, measure)));
            }
            let missing_reasons = missing_tests(results, measure.measure());
            figures.extend(figures::plot_strength(&standings, measure, &published, &missing_reasons));
        }
        Ok(Some(Overview {
            headline: is_one_scale.then(|| leader_headline(&standings, measure)),
            warnings,
            figures,
        }))
    }
}

/// Returns the keys of rules that differ between the results.
fn find_differing_rules(first: &Results, rest: &[Results]) -> Vec<String> {
    if rest.iter().any(|other| other.experiment.arena().name != first.experiment.arena().name) {
        return vec!["the game itself".to_owned()];
    }
    let rule_keys = |results: &Results| {
        let settings = results.experiment.rules().settings.as_object();
        settings.into_iter().flatten().map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    let mut differing_keys: Vec<String> = std::iter::once(first).chain(rest).flat_map(rule_keys).collect();
    differing_keys.sort();
    differing_keys.dedup();
    let value = |results: &Results, key: &str| results.experiment.rules().settings.get(key).cloned();
    differing_keys.retain(|key| rest.iter().any(|other| value(other, key) != value(first, key)));
    if rest.iter().any(|other| other.experiment.max_moves() != first.experiment.max_moves()) {
        differing_keys.push("max_moves".to_owned());
    }
    if rest.iter().any(|other| other.experiment.max_seconds() != first.experiment.max_seconds()) {
        differing_keys.push("max_seconds".to_owned());
    }
    differing_keys
}

table! {
    /// A player in the table of all.
    struct OverviewRow("overview", Some(LEVEL)) of it: &Standing {
        player: String, words() = &*it.name;
        games: u64, count() = it.games;
        win_rate: Option<Estimate>, share().with_decimals(6) = StrengthMeasure::WinRate.value(it);
        mean_score: Option<Estimate>, number().with_decimals(2) = StrengthMeasure::Score.value(it);
        cpu_ms_per_move: Option<f64>, number().with_decimals(6) = it.ms;
    }
}
