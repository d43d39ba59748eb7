//! One folder of results as a section of the page: words, figures, provenance.

use std::slice;

use anyhow::Context;
use gauntlet_analysis::answer::VerdictSentence;
use gauntlet_analysis::answer::leader::{self, Headline};
use gauntlet_analysis::answer::precision;
use gauntlet_analysis::compare::precision::PRECISION;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::analysis::front::missing_tests;
use gauntlet_analysis::results::analysis::standing::{Standing, StrengthMeasure, place, ranked, standings};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::tables::doubts::overload_in;
use gauntlet_analysis::results::tables::times::{MoveTimeRow, ProcessorTimeRow};
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{self, capital, counted, grouped};

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
    fn of(answers: Vec<VerdictSentence>, table: Option<&Table>) -> Option<SectionWords> {
        (!answers.is_empty()).then(|| SectionWords { answers, table: table.map(TableView::of) })
    }
}

impl Section {
    pub(super) fn of(results: &Results, explored: &ExploratoryComparisons) -> anyhow::Result<Section> {
        let is_duel = results.experiment.arena().shape == Shape::Duel;
        let sums = if is_duel { "elo" } else { "win-rate" };
        let rates = results.table(sums)?.with_context(|| format!("the table `{sums}` is missing"))?;
        let times = results.table(MoveTimeRow::NAME)?;
        let mut all = standings(&rates, times.as_ref());
        let by = StrengthMeasure::of(&all);
        explored.fronts.iter().take(1).for_each(|front| place(&mut all, front));
        let ranked = ranked(all.clone(), by);

        let published = results.table("published")?;
        let mut figures: Vec<Figure> = published.as_ref().and_then(figures::published).into_iter().collect();
        figures.push(figures::win_rates(&ranked, by, &rates));
        figures.extend(swept::figures(&ranked, by, &rates, &results.settings()?));
        for fact in results.experiment.arena().facts {
            if let Some(table) = results.table(fact.table)? {
                figures.extend(figures::fact(&ranked, fact, &table));
            }
        }
        figures.extend(results.table("duels")?.map(|table| figures::duels(&table, &rates)));
        figures.extend(funnel::figure(results, &ranked)?);
        // Duels have no scores.
        if !is_duel {
            figures.push(spread_of(results, &ranked)?);
        }
        figures.extend(learned::figure(results));
        if let Some(times) = &times {
            figures.extend(figures::strength(
                &ranked,
                by,
                &published.as_ref().map(|table| figures::published_strengths(table, by)).unwrap_or_default(),
                &missing_tests(slice::from_ref(results), by.measure()),
            ));
            figures.push(figures::times(&ranked, times));
        }
        let by_processor = results.table(ProcessorTimeRow::NAME)?;
        figures.extend(by_processor.as_ref().map(figures::times_by_processor));

        let overload = times.as_ref().and_then(|times| overload_in(times, results.experiment.arena().shape));
        let claims = results.table("claims")?;
        let stop = results.table("stop")?;
        let precision = results.table(PRECISION)?;
        let known = precision.as_ref().and_then(precision::told).map(|told| VerdictSentence {
            answer: format!("{}.", capital(&told)),
            verdict: None,
            explanation: String::new(),
        });
        let ended = stop.iter().flat_map(VerdictSentence::all).chain(known).collect();
        let told =
            |table: &Option<Table>| SectionWords::of(VerdictSentence::all(table.as_ref()?), table.as_ref());
        let announced = results.experiment.sections().claims.len();
        let unanswered = (claims.is_none() && announced > 0).then(|| match announced {
            1 => "A claim was announced before the run; these results have no verdict on it.".to_owned(),
            _ => format!(
                "{announced} claims were announced before the run; these results have no verdicts on them."
            ),
        });
        let verdicts = [(Announced::Published, &published), (Announced::Claims, &claims)];
        let verdicts = verdicts.into_iter().filter_map(|(of, table)| Verdicts::of(of, table.as_ref()?));
        Ok(Section {
            name: results.name().to_owned(),
            warnings: results.set.warnings().iter().cloned().chain(overload).collect(),
            facts: facts(&results.experiment, &all),
            verdicts: verdicts.collect(),
            lead: leader::of_results(results, &ranked, by),
            claims: told(&claims),
            stop: SectionWords::of(ended, precision.as_ref()),
            unanswered,
            published: told(&published),
            figures,
            provenance: Provenance::of(&results.set, &results.experiment),
            standings: all,
        })
    }
}

/// Plots the spread of scores. The page works without the games: the million rows of a large run
/// are seldom published.
fn spread_of(results: &Results, ranked: &[Standing]) -> anyhow::Result<Figure> {
    match results.scores() {
        Ok(scores) => Ok(spread::figure(ranked, &scores)),
        Err(error) if !results.has_games() => {
            let why = format!("No plot: scores of single games are missing: {error:#}.");
            Ok(Figure::missing("scores", spread::TITLE, why))
        }
        Err(error) => Err(error),
    }
}

/// Returns facts about an experiment, in a few words each.
fn facts(experiment: &Experiment, all: &[Standing]) -> Vec<String> {
    let players = experiment.entries().len();
    // A run may have ended before its last block.
    let most = experiment.blocks().len();
    let games = all.iter().map(|one| one.games).max().unwrap_or(most);
    let is_duel = experiment.arena().shape == Shape::Duel;
    let of = match &experiment.sections().stop {
        Some(_) if games < most => format!(" of at most {}", grouped(most)),
        _ => String::new(),
    };
    let mut facts = vec![
        experiment.arena().name.to_owned(),
        if players == 1 { "1 player".to_owned() } else { format!("{players} players") },
        match (games, players) {
            _ if is_duel => format!(
                "{}, {} for each pair of players",
                counted(experiment.pairs().len() as u64, "pairing"),
                text::games(experiment.arena().shape.legs() as u64 * most)
            ),
            (1, _) => "1 game each".to_owned(),
            (_, 1) => format!("{} games", grouped(games)),
            _ => format!("{} games each{of}, all on the same seeds", grouped(games)),
        },
    ];
    facts.extend(experiment.rules().win.iter().map(|win| format!("a win is {win}")));
    facts
}
