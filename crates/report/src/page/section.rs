//! One folder of results as a section of the page: words, figures, provenance.

use std::slice;

use anyhow::Context;
use gauntlet_analysis::answer::VerdictSentence;
use gauntlet_analysis::answer::headline::Headline;
use gauntlet_analysis::answer::precision;
use gauntlet_analysis::compare::precision::PRECISION;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::analysis::distributions::GameDistributions;
use gauntlet_analysis::results::analysis::front::missing_tests;
use gauntlet_analysis::results::analysis::leader;
use gauntlet_analysis::results::analysis::standing::{
    Standing, StrengthMeasure, rank_standings, read_standings, set_front_status,
};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::tables::duels::DuelRow;
use gauntlet_analysis::results::tables::times::{MoveTimeRow, ProcessorTimeRow};
use gauntlet_analysis::results::tables::warnings::table_overload_warning;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{self, capitalize, format_count, group_digits};

use super::exploratory::ExploratoryComparisons;
use super::figures::{self, Figure};
use super::provenance::Provenance;
use super::table_view::TableView;
use super::{learning_curve, profiles, score_distributions, stages, sweep_plots};
use gauntlet_analysis::answer::counts::{AnnouncementKind, Verdicts};

/// A section as the page shows it.
pub(super) struct Section {
    /// Name of the experiment.
    pub(super) name: String,
    /// Warnings, shown first.
    pub(super) warnings: Vec<String>,
    pub(super) facts: Vec<String>,
    /// Verdicts on published numbers and on claims, counted.
    pub(super) verdicts: Vec<Verdicts>,
    pub(super) headline: Headline,
    /// Answers to the claims.
    pub(super) claims: Option<SectionAnswers>,
    /// Result of an early stopping rule. If the rule stops when all rates are precise enough, the
    /// rates are included.
    pub(super) stop: Option<SectionAnswers>,
    /// Note on announcements without an answer.
    pub(super) unanswered: Option<String>,
    /// The table of published numbers.
    pub(super) published: Option<Table>,
    pub(super) figures: Vec<Figure>,
    pub(super) provenance: Provenance,
    /// All its players, for the overview.
    pub(super) standings: Vec<Standing>,
}

/// Answers, at least one, with their table.
pub(super) struct SectionAnswers {
    pub(super) answers: Vec<VerdictSentence>,
    pub(super) table: Option<TableView>,
}

impl SectionAnswers {
    fn new(answers: Vec<VerdictSentence>, table: Option<&Table>) -> Option<SectionAnswers> {
        (!answers.is_empty()).then(|| SectionAnswers { answers, table: table.map(TableView::new) })
    }
}

impl Section {
    pub(super) fn new(results: &Results, comparisons: &ExploratoryComparisons) -> anyhow::Result<Section> {
        let is_duel = results.experiment.arena().shape == Shape::Duel;
        let rates_name = if is_duel { "elo" } else { "win-rate" };
        let rates =
            results.table(rates_name)?.with_context(|| format!("the table `{rates_name}` is missing"))?;
        let times = results.table(MoveTimeRow::NAME)?;
        let mut standings = read_standings(&rates, times.as_ref());
        let measure = StrengthMeasure::choose(&standings);
        comparisons.fronts.iter().take(1).for_each(|front| set_front_status(&mut standings, front));
        let ranked_standings = rank_standings(standings.clone(), measure);

        let published = results.table("published")?;
        let mut figures: Vec<Figure> =
            published.as_ref().and_then(figures::plot_published).into_iter().collect();
        figures.push(figures::plot_win_rates(&ranked_standings, measure, &rates));
        figures.extend(sweep_plots::plot_sweeps(&ranked_standings, measure, &rates, &results.settings()?));
        for fact in results.experiment.arena().facts {
            if let Some(table) = results.table(fact.table)? {
                figures.extend(figures::plot_fact(&ranked_standings, fact, &table));
            }
        }
        let duels = results.table("duels")?;
        figures.extend(duels.as_ref().map(|table| figures::show_duels(table, &rates)));
        // Duels have neither scores nor stages.
        if !is_duel {
            figures.extend(plot_distributions(results, &ranked_standings)?);
        }
        figures.extend(learning_curve::plot_training(results));
        if let Some(times) = &times {
            figures.extend(figures::plot_strength(
                &ranked_standings,
                measure,
                &published
                    .as_ref()
                    .map(|table| figures::published_strengths(table, measure))
                    .unwrap_or_default(),
                &missing_tests(slice::from_ref(results), measure.measure()),
            ));
            figures.push(figures::plot_times(&ranked_standings, times));
        }
        let processor_times = results.table(ProcessorTimeRow::NAME)?;
        figures.extend(processor_times.as_ref().map(figures::show_times_by_processor));

        let overload =
            times.as_ref().and_then(|times| table_overload_warning(times, results.experiment.arena().shape));
        let claims = results.table("claims")?;
        let stop = results.table("stop")?;
        let precision = results.table(PRECISION)?;
        let precision_answer =
            precision.as_ref().and_then(precision::describe_end).map(|text| VerdictSentence {
                answer: format!("{}.", capitalize(&text)),
                verdict: None,
                explanation: String::new(),
            });
        let stop_answers = stop.iter().flat_map(VerdictSentence::read_all).chain(precision_answer).collect();
        let make_answers = |table: &Option<Table>| {
            SectionAnswers::new(VerdictSentence::read_all(table.as_ref()?), table.as_ref())
        };
        let claim_count = results.experiment.sections().claims.len();
        let unanswered = (claims.is_none() && claim_count > 0).then(|| match claim_count {
            1 => "These results have no verdict on the claim.".to_owned(),
            _ => format!("These results have no verdicts on the {claim_count} claims."),
        });
        let verdicts = [(AnnouncementKind::Published, &published), (AnnouncementKind::Claims, &claims)];
        let verdicts =
            verdicts.into_iter().filter_map(|(kind, table)| Verdicts::from_table(kind, table.as_ref()?));
        Ok(Section {
            name: results.name().to_owned(),
            warnings: results.snapshot.warnings().iter().cloned().chain(overload).collect(),
            facts: list_facts(&results.experiment, &standings, duels.as_ref()),
            verdicts: verdicts.collect(),
            headline: leader::headline_of_results(results, &ranked_standings, measure),
            claims: make_answers(&claims),
            stop: SectionAnswers::new(stop_answers, precision.as_ref()),
            unanswered,
            published,
            figures,
            provenance: Provenance::new(&results.snapshot, &results.experiment),
            standings,
        })
    }
}

/// Plots the stages that games reached, and the distributions of scores. The page works without the
/// games: the million rows of a large run are seldom published.
fn plot_distributions(results: &Results, standings: &[Standing]) -> anyhow::Result<Vec<Figure>> {
    match GameDistributions::read(results) {
        Ok(distributions) => {
            let names = results.experiment.arena().stages(results.experiment.rules());
            let stages = distributions.stages.as_ref();
            let stages = stages.and_then(|table| stages::plot_stages(table, &names, standings));
            let profiles = profiles::plot_profiles(&distributions, standings);
            let spread = score_distributions::plot_scores(standings, &distributions);
            Ok(stages.into_iter().chain([spread]).chain(profiles).collect())
        }
        Err(error) if !results.has_games() => {
            let reason = format!("No plot: scores of single games are missing: {error:#}.");
            Ok(vec![Figure::without_plot("scores", score_distributions::TITLE, reason)])
        }
        Err(error) => Err(error),
    }
}

/// Returns facts about an experiment, in a few words each. `duels` is its table of pairs of
/// players.
fn list_facts(experiment: &Experiment, standings: &[Standing], duels: Option<&Table>) -> Vec<String> {
    let players = experiment.players().len();
    let is_duel = experiment.arena().shape == Shape::Duel;
    let max_games = experiment.arena().shape.legs() as u64 * experiment.blocks().len();
    // A run may have ended before its last block.
    let games = match duels {
        Some(duels) => duels.read_rows::<DuelRow>().map(|row| row.games).max(),
        None => standings.iter().map(|one| one.games).max(),
    };
    let games = games.unwrap_or(max_games);
    let limit = match &experiment.sections().stop {
        Some(_) if games < max_games => format!(" of at most {}", group_digits(max_games)),
        _ => String::new(),
    };
    let mut facts = vec![
        experiment.arena().name.to_owned(),
        if players == 1 { "1 player".to_owned() } else { format!("{players} players") },
        match (games, players) {
            _ if is_duel => format!(
                "{}, {}{limit} for each pair of players",
                format_count(experiment.pairs().len() as u64, "pairing"),
                text::format_games(games)
            ),
            (1, _) => "1 game each".to_owned(),
            (_, 1) => format!("{} games", group_digits(games)),
            _ => format!("{} games each{limit}, all on the same seeds", group_digits(games)),
        },
    ];
    facts.extend(experiment.rules().win.iter().map(|win| format!("a win is {win}")));
    facts
}
