//! The page of a tuning: the result of validation, the settings found, the search path, and the
//! importance of each setting.

use gauntlet_analysis::compare::answer::VerdictSentence;
use gauntlet_analysis::compare::pairing::PAIRED;
use gauntlet_analysis::compare::table::ComparisonRow;
use gauntlet_analysis::compare::verdict::Verdict;
use gauntlet_analysis::results::analysis::lead::Headline;
use gauntlet_analysis::results::analysis::standing::{StrengthMeasure, ranked, standings};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::Table;
use gauntlet_core::text::{
    at_a_glance, capital, counted, decimals, games, grouped, level, rounded, significant, time_span,
};
use gauntlet_stats::Estimate;
use gauntlet_tune::results::course::SettingChange;
use gauntlet_tune::results::ends::words;
use gauntlet_tune::results::tuned::TuningResults;
use gauntlet_tune::results::verdict::exceeds;
use gauntlet_tune::results::{ANSWER, TUNED};
use gauntlet_tune::section::{CandidateSpace, TuneSection};

use super::figures::Figure;
use super::html::{Html, Prose};
use super::parts::{Writer, answer, answers, lead, numbers, table, take_along};
use super::provenance::Provenance;
use super::swept::slices;
use super::view::{Download, TableView};
use super::{document, searched};

pub(super) struct TuningPage<'a> {
    tuning: &'a TuningResults,
    /// Figures of the search.
    searched: Vec<Figure>,
    /// Importance of each setting, by slices through the answer and by resetting single settings.
    pub(super) matters: Vec<Figure>,
    /// Addresses of the pages of its validations.
    links: Vec<String>,
    /// The result of each validation's announced claim.
    announced: Vec<Option<VerdictSentence>>,
}

impl<'a> TuningPage<'a> {
    /// Returns the page, with links to the pages of the validations.
    pub(super) fn of(tuning: &'a TuningResults, links: Vec<String>) -> anyhow::Result<TuningPage<'a>> {
        let mut matters: Vec<Figure> = searched::importance(tuning).into_iter().collect();
        if let Some(explained) = &tuning.explained {
            matters.extend(slices_of(explained, &tuning.course.tune)?);
        }
        let announced = tuning.validations.iter().map(|(_, results)| announced(results));
        let announced = announced.collect::<anyhow::Result<_>>()?;
        Ok(TuningPage { tuning, searched: searched::figures(&tuning.course), matters, links, announced })
    }

    /// Returns all its figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.searched.iter().chain(&self.matters)
    }

    pub(super) fn html(&self) -> String {
        let tuning = self.tuning;
        let name = tuning.experiment.name();
        let mut page = Writer::begin(&format!("{name}, tuned"), false, None);
        let edges = tuning.course.settings.iter().filter_map(SettingChange::edge_warning);
        let warnings: Vec<String> = tuning.set.warnings().iter().cloned().chain(edges).collect();
        page.title("gauntlet report: a tuning", name, &warnings, &facts(tuning));
        lead(&mut page.header, &headline(tuning), false);
        if let [_, others @ ..] = &self.validated()[..]
            && !others.is_empty()
        {
            page.header.put("<p class=\"note\">By other measures:</p>\n", &[]);
            answers(&mut page.header, others, others.len());
        }
        page.section("settings", "Settings", |html| self.settings(html));
        if let CandidateSpace::Params { .. } = tuning.course.tune.field {
            page.section("ends", "Results of the other searches", |html| self.ends(html));
        }
        page.figures(self.figures());
        page.section("validations", "Validation", |html| self.validations(html));
        document::provenance(&mut page, &Provenance::of(&tuning.set, &tuning.experiment));
        page.end()
    }

    /// Returns the answers of the validation, the objective first.
    fn validated(&self) -> Vec<VerdictSentence> {
        self.tuning.validation.as_ref().map(VerdictSentence::all).unwrap_or_default()
    }

    /// Writes the settings that were found next to the start, and as TOML to copy.
    fn settings(&self, html: &mut Html) {
        let tuning = self.tuning;
        if let CandidateSpace::Players { players, .. } = &tuning.course.tune.field {
            let [before, now] = &tuning.players;
            html.put("<p>Race of {} players. Start: {}. Winner: {}.</p>\n", &[&players.len(), before, now]);
        }
        if !tuning.course.settings.is_empty() {
            table(html, &settings_view(&tuning.settings_table()));
        }
        html.put("<p>For use in an experiment:</p>\n<pre><code>{}</code></pre>\n", &[&self.snippet()]);
        let text = tuning.tuned.text().as_bytes();
        take_along(html, Some(&Download::plain(TUNED, text)));
    }

    /// Writes the distances of the other searches' final points from the answer.
    fn ends(&self, html: &mut Html) {
        let tuning = self.tuning;
        let TuneSection { searches, objective, .. } = tuning.course.tune;
        html.put("<p>{}.</p>\n", &[&Prose(&capital(&words(&tuning.ends, searches, objective)))]);
        if !tuning.ends.is_empty() {
            let all = tuning.ends_table();
            numbers(html, &TableView::of(&all));
        }
    }

    /// Returns the player that was found, as TOML.
    fn snippet(&self) -> &str {
        let text = self.tuning.tuned.text();
        text.find("\n[[player]]").map_or(text, |place| text[place..].trim())
    }

    /// Writes every validation, with its result and its page.
    fn validations(&self, html: &mut Html) {
        let tuning = self.tuning;
        if tuning.validations.is_empty() && tuning.validation.is_none() {
            html.put(
                "<p>Nothing to validate: the search found nothing better than the initial settings.</p>\n",
                &[],
            );
        } else {
            html.put("<p class=\"note\">Each validation uses fresh seeds. The k-th validation is tested at a risk divided by 2<sup>k</sup>, so repeated validation does not inflate errors.</p>\n<ul class=\"answers\">\n", &[]);
            for (place, (number, _)) in tuning.validations.iter().enumerate() {
                html.put("<li>", &[]);
                match self.links.get(place) {
                    Some(address) => {
                        html.put("<a href=\"{}\">Validation {}</a>", &[address, &number.to_string()])
                    }
                    None => html.put("Validation {}", &[&number.to_string()]),
                }
                if let Some(announced) = &self.announced[place] {
                    html.put(": ", &[]);
                    answer(html, announced);
                }
                html.put("</li>\n", &[]);
            }
            html.put("</ul>\n", &[]);
        }
        if let Some(validation) = &tuning.validation {
            numbers(html, &TableView::of(validation));
        }
    }
}

/// Returns the result of a validation's announced claim.
pub(super) fn announced(results: &Results) -> anyhow::Result<Option<VerdictSentence>> {
    let tables = [results.table("claims")?, results.table("stop")?];
    Ok(tables.iter().flatten().find_map(|table| VerdictSentence::all(table).into_iter().next()))
}

/// Plots slices through the answer.
fn slices_of(explained: &Results, tune: &TuneSection) -> anyhow::Result<Vec<Figure>> {
    let (sums, by) = match tune.objective {
        Measure::Points => ("elo", StrengthMeasure::Elo),
        Measure::Score => ("win-rate", StrengthMeasure::Score),
        _ => ("win-rate", StrengthMeasure::WinRate),
    };
    let Some(rates) = explained.table(sums)? else { return Ok(Vec::new()) };
    let ranked = ranked(standings(&rates, None), by);
    Ok(slices(ANSWER, &ranked, by, &rates, &explained.settings()?))
}

/// Returns the settings as a table in which numbers are right-aligned and rounded for reading.
pub(super) fn settings_view(all: &Table) -> TableView {
    let mut view = TableView::of(all);
    let is_number = |column: &str| !["setting", "scale", "choices"].contains(&column);
    view.heads.iter_mut().for_each(|head| head.words = !is_number(head.column));
    for row in &mut view.rows {
        for (head, cell) in view.heads.iter().zip(row) {
            cell.words = head.words;
            if is_number(head.column) {
                cell.text = at_a_glance(&cell.text);
            }
        }
    }
    view
}

/// Returns facts about the tuning, in a few words each.
fn facts(tuning: &TuningResults) -> Vec<String> {
    let TuneSection { field, objective, .. } = &tuning.course.tune;
    let told = &tuning.told;
    let mut facts = vec![
        tuning.experiment.arena().name.to_owned(),
        field.method().to_owned(),
        format!("objective {objective}"),
        format!("{} of a budget of {}", games(tuning.set.manifest().games), grouped(told.budget)),
        format!("{} of search", time_span(told.search_seconds)),
    ];
    match told.refused {
        0 => {}
        1 => facts.push("1 candidate rejected".to_owned()),
        refused => facts.push(format!("{} candidates rejected", grouped(refused))),
    }
    facts
}

/// Returns the headline: the verdict, and the gain that validation measured.
fn headline(tuning: &TuningResults) -> Headline {
    let Some(row) = tuning.validation.as_ref().and_then(|table| table.typed().next()) else {
        return Headline {
            who: "Nothing better was found:".to_owned(),
            says: "the search found nothing better than the initial settings".to_owned(),
            ..Headline::default()
        };
    };
    let who = match tuning.told.verdict {
        Verdict::Better => "Better:",
        Verdict::Worse => "Worse:",
        _ => "Inconclusive:",
    };
    let says = gain(tuning, &row).unwrap_or_else(|| row.answer.clone());
    let at_most_nodes = tuning.course.tune.at_most_nodes;
    let sure = match exceeds(at_most_nodes, tuning.told.verdict, row.verdict) {
        Some(most) => {
            format!(
                "But with the best settings, the player searches more positions per move than `at_most_nodes = {most}` allows."
            )
        }
        None => "Based on validation only, not on the games of the search.".to_owned(),
    };
    Headline { who: who.to_owned(), says, sure, ..Headline::default() }
}

/// Describes the gain; `None` if too little is known, or there is none.
fn gain(tuning: &TuningResults, row: &ComparisonRow) -> Option<String> {
    let (subject, than) = match &tuning.course.tune.field {
        CandidateSpace::Params { .. } => ("the tuned player".to_owned(), String::new()),
        CandidateSpace::Players { .. } => (tuning.players[1].clone(), format!(" than {}", tuning.players[0])),
    };
    let seeds = row.games.filter(|_| row.pairing == PAIRED)?;
    let on = counted(seeds, "fresh seed");
    let within = |estimate: Estimate, hundredths: fn(f64) -> f64, unit: &str| {
        let decimals = decimals(100.0 * estimate.half_width());
        let [value, low, high] =
            [estimate.value, estimate.low, estimate.high].map(|part| 100.0 * hundredths(part));
        let is_less = value < 0.0;
        let (low, high) = if is_less { (-high, -low) } else { (low, high) };
        let interval =
            format!("({} interval {low:.decimals$} to {high:.decimals$}{unit}, {on})", level(estimate.level));
        let amount = format!("{:.decimals$}{unit}", rounded(value.abs(), decimals));
        (rounded(value, decimals) != 0.0).then_some((amount, is_less, interval))
    };
    let objective = tuning.course.tune.objective;
    let is_ratio = objective == Measure::Score;
    let estimate = if is_ratio { row.ratio } else { row.difference };
    let estimate = estimate.filter(|it| it.bounds().is_some())?;
    if is_ratio && !(0.5..2.0).contains(&estimate.value) {
        let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(significant);
        let level = level(estimate.level);
        return Some(format!(
            "{subject}’s scores are typically {value} times as high ({level} interval {low} to {high}, {on})"
        ));
    }
    let (amount, is_less, interval) = match is_ratio {
        true => within(estimate, |ratio| ratio - 1.0, " %")?,
        false => within(estimate, |part| part, " points")?,
    };
    let more = if is_less { "fewer" } else { "more" };
    let higher = if is_less { "lower" } else { "higher" };
    Some(match objective {
        Measure::Score => {
            format!("{subject}’s scores are typically {amount} {higher}{than} {interval}")
        }
        Measure::Points => {
            let above = if is_less { "below" } else { "above" };
            format!("{subject}’s share of points is {amount} {above} one half{than} {interval}")
        }
        Measure::Reach(reach) => {
            format!("{subject}’s rate of reaching {} is {amount} {higher}{than} {interval}", reach.value())
        }
        _ => format!("{subject} wins {amount} {more} of its games{than} {interval}"),
    })
}
