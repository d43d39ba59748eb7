//! All players of several results together.

use serde::Serialize;

use super::figures::{self, Figure};
use super::section::Section;
use super::standing::{Lead, Measure, Standing, lead, ranked};
use crate::report::results::Results;
use crate::report::table::{Cell, Table};

/// As the template shows it.
#[derive(Serialize)]
pub(super) struct Overview {
    lead: Option<Lead>,
    /// Why the players may not be compared, if so.
    warnings: Vec<String>,
    pub(super) figures: Vec<Figure>,
}

impl Overview {
    /// Everybody of these results, by names that no two of them have.
    pub(super) fn of(results: &[Results], sections: &[Section]) -> Option<Overview> {
        let everybody = || sections.iter().flat_map(|section| &section.standings);
        let label = |section: &Section, one: &Standing| {
            let is_shared = everybody().filter(|other| other.name == one.name).count() > 1;
            if is_shared { format!("{}: {}", section.name(), one.name) } else { one.name.clone() }
        };
        let all = sections.iter().flat_map(|section| {
            section.standings.iter().map(move |one| Standing { name: label(section, one), ..one.clone() })
        });
        let all: Vec<Standing> = all.collect();
        let (first, rest) = results.split_first()?;
        let differ = |same: fn(&Results) -> String| rest.iter().any(|other| same(other) != same(first));
        let mut warnings = Vec::new();
        let rules = differ(|results| {
            format!("{} {}", results.experiment.arena().name, results.experiment.rules().settings)
        });
        if rules {
            warnings.push(
                "The rules of these experiments differ, so a win is not the same in all of them: rates of one may not \
                 be compared with those of another."
                    .to_owned(),
            );
        }
        if differ(|results| results.manifest.get("cpu").map(ToString::to_string).unwrap_or_default()) {
            warnings.push(
                "They were played on different processors, so their times may not be compared.".to_owned(),
            );
        }
        let by = Measure::of(&all);
        let ranked = ranked(all, by);
        let table = table(&ranked);
        let mut figures = vec![figures::win_rates(&ranked, by, &table)];
        figures.extend(figures::strength(&ranked, by, &table));
        Some(Overview { lead: (!rules).then(|| lead(&ranked, by)), warnings, figures })
    }
}

fn table(ranked: &[Standing]) -> Table {
    let columns = [
        "player",
        "games",
        "win_rate",
        "win_rate_low",
        "win_rate_high",
        "mean_score",
        "mean_score_low",
        "mean_score_high",
        "cpu_ms_per_move",
    ];
    let row = |one: &Standing| {
        let low = |bounds: Option<(f64, f64)>| bounds.map(|(low, _)| low);
        let high = |bounds: Option<(f64, f64)>| bounds.map(|(_, high)| high);
        let (rate, score) = (one.rate.and_then(|rate| rate.bounds), one.score.and_then(|score| score.bounds));
        vec![
            Cell::Text(one.name.clone()),
            Cell::Whole(one.games),
            Cell::real(one.rate.map(|rate| rate.value), 6),
            Cell::real(low(rate), 6),
            Cell::real(high(rate), 6),
            Cell::real(one.score.map(|score| score.value), 2),
            Cell::real(low(score), 2),
            Cell::real(high(score), 2),
            Cell::real(one.ms, 6),
        ]
    };
    Table::new("overview", &columns, ranked.iter().map(row).collect())
}
