//! One folder of results as a section of the page: words, figures, provenance.

use std::slice;

use anyhow::Context;
use gauntlet_analysis::answer::VerdictSentence;
use gauntlet_analysis::answer::headline::Headline;
use gauntlet_analysis::answer::precision;
use gauntlet_analysis::compare::precision::PRECISION;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::analysis::front::missing_tests;
use gauntlet_analysis::results::analysis::leader;
use gauntlet_analysis::results::analysis::standing::{
    Standing, StrengthMeasure, rank_standings, read_standings, set_front_status,
};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::tables::doubts::table_overload_warning;
use gauntlet_analysis::results::tables::times::{MoveTimeRow, ProcessorTimeRow};
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{self, capitalize, format_count, group_digits};

use super::explored::ExploratoryComparisons;
use super::figures::{self, Figure};
use super::provenance::Provenance;
use super::view::TableView;
use super::{funnel, learned, spread, swept};
use gauntlet_analysis::answer::counts::{Announced, Verdicts};

/// A section as the page shows it.
pub(super) struct Section {
    /// Name of the experiment.
    pub(super) name: String,
    /// Warnings, shown first.
    pub(super) warnings: Vec<String>,
    pub(super) facts: Vec<String>,
    /// Verdicts on published numbers and on claims, counted.
    pub(super) verdicts: Vec<Verdicts>,
    pub(super) lead: Headline,
    /// Answers to the claims.
    pub(super) claims: Option<SectionWords>,
    /// Result of an early stopping rule. If the rule stops when all rates are precise enough, the
    /// rates are included.
    pub(super) stop: Option<SectionWords>,
    /// Note on announcements without an answer.
    pub(super) unanswered: Option<String>,
    /// Verdicts on published numbers.
    pub(super) published: Option<SectionWords>,
    pub(super) figures: Vec<Figure>,
    pub(super) provenance: Provenance,
    /// All its players, for the overview.
    pub(super) standings: Vec<Standing>,
}

/// Answers, at least one, with their table.
pub(super) struct SectionWords {
    pub(super) answers: Vec<VerdictSentence>,
    pub(super) table: Option<TableView>,
}

impl SectionWords {
    fn new(answers: Vec<VerdictSentence>, table: Option<&Table>) -> Option<SectionWords> {
        (!answers.is_empty()).then(|| SectionWords { answers, table: table.map(TableView::new) })
    }
}

impl Section {
    pub(super) fn new(results: &Results, explored: &ExploratoryComparisons) -> anyhow::Result<Section> {
        let is_duel = results.experiment.arena().shape == Shape::Duel;
        let sums = if is_duel { "elo" } else { "win-rate" };
        let rates = results.table(sums)?.with_context(|| format!("the table `{sums}` is missing"))?;
        let times = results.table(MoveTimeRow::NAME)?;
        let mut all = read_standings(&rates, times.as_ref());
        let by = StrengthMeasure::choose(&all);
        explored.fronts.iter().take(1).for_each(|front| set_front_status(&mut all, front));
        let ranked = rank_standings(all.clone(), by);

        let published = results.table("published")?;
        let mut figures: Vec<Figure> =
            published.as_ref().and_then(figures::plot_published).into_iter().collect();
        figures.push(figures::plot_win_rates(&ranked, by, &rates));
        figures.extend(swept::plot_sweeps(&ranked, by, &rates, &results.settings()?));
        for fact in results.experiment.arena().facts {
            if let Some(table) = results.table(fact.table)? {
                figures.extend(figures::plot_fact(&ranked, fact, &table));
            }
        }
        figures.extend(results.table("duels")?.map(|table| figures::show_duels(&table, &rates)));
        figures.extend(funnel::plot_stages(results, &ranked)?);
        // Duels have no scores.
        if !is_duel {
            figures.push(plot_spread(results, &ranked)?);
        }
        figures.extend(learned::plot_training(results));
        if let Some(times) = &times {
            figures.extend(figures::plot_strength(
                &ranked,
                by,
                &published.as_ref().map(|table| figures::published_strengths(table, by)).unwrap_or_default(),
                &missing_tests(slice::from_ref(results), by.measure()),
            ));
            figures.push(figures::plot_times(&ranked, times));
        }
        let by_processor = results.table(ProcessorTimeRow::NAME)?;
        figures.extend(by_processor.as_ref().map(figures::show_times_by_processor));

        let overload =
            times.as_ref().and_then(|times| table_overload_warning(times, results.experiment.arena().shape));
        let claims = results.table("claims")?;
        let stop = results.table("stop")?;
        let precision = results.table(PRECISION)?;
        let known = precision.as_ref().and_then(precision::describe_end).map(|told| VerdictSentence {
            answer: format!("{}.", capitalize(&told)),
            verdict: None,
            explanation: String::new(),
        });
        let ended = stop.iter().flat_map(VerdictSentence::read_all).chain(known).collect();
        let told = |table: &Option<Table>| {
            SectionWords::new(VerdictSentence::read_all(table.as_ref()?), table.as_ref())
        };
        let announced = results.experiment.sections().claims.len();
        let unanswered = (claims.is_none() && announced > 0).then(|| match announced {
            1 => "A claim was announced before the run; these results have no verdict on it.".to_owned(),
            _ => format!(
                "{announced} claims were announced before the run; these results have no verdicts on them."
            ),
        });
        let verdicts = [(Announced::Published, &published), (Announced::Claims, &claims)];
        let verdicts =
            verdicts.into_iter().filter_map(|(of, table)| Verdicts::from_table(of, table.as_ref()?));
        Ok(Section {
            name: results.name().to_owned(),
            warnings: results.set.warnings().iter().cloned().chain(overload).collect(),
            facts: list_facts(&results.experiment, &all),
            verdicts: verdicts.collect(),
            lead: leader::headline_of_results(results, &ranked, by),
            claims: told(&claims),
            stop: SectionWords::new(ended, precision.as_ref()),
            unanswered,
            published: told(&published),
            figures,
            provenance: Provenance::new(&results.set, &results.experiment),
            standings: all,
        })
    }
}

/// Plots the spread of scores. The page works without the games: the million rows of a large run
/// are seldom published.
fn plot_spread(results: &Results, ranked: &[Standing]) -> anyhow::Result<Figure> {
    match results.scores() {
        Ok(scores) => Ok(spread::plot_scores(ranked, &scores)),
        Err(error) if !results.has_games() => {
            let why = format!("No plot: scores of single games are missing: {error:#}.");
            Ok(Figure::without_plot("scores", spread::TITLE, why))
        }
        Err(error) => Err(error),
    }
}

/// Returns facts about an experiment, in a few words each.
fn list_facts(experiment: &Experiment, all: &[Standing]) -> Vec<String> {
    let players = experiment.entries().len();
    // A run may have ended before its last block.
    let most = experiment.blocks().len();
    let games = all.iter().map(|one| one.games).max().unwrap_or(most);
    let is_duel = experiment.arena().shape == Shape::Duel;
    let of = match &experiment.sections().stop {
        Some(_) if games < most => format!(" of at most {}", group_digits(most)),
        _ => String::new(),
    };
    let mut facts = vec![
        experiment.arena().name.to_owned(),
        if players == 1 { "1 player".to_owned() } else { format!("{players} players") },
        match (games, players) {
            _ if is_duel => format!(
                "{}, {} for each pair of players",
                format_count(experiment.pairs().len() as u64, "pairing"),
                text::format_games(experiment.arena().shape.legs() as u64 * most)
            ),
            (1, _) => "1 game each".to_owned(),
            (_, 1) => format!("{} games", group_digits(games)),
            _ => format!("{} games each{of}, all on the same seeds", group_digits(games)),
        },
    ];
    facts.extend(experiment.rules().win.iter().map(|win| format!("a win is {win}")));
    facts
}
