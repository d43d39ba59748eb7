//! The page of a tuning: the result of validation, the settings found, the search path, and the
//! importance of each setting.

use gauntlet_analysis::answer::VerdictSentence;
use gauntlet_analysis::answer::tuning::tuning_headline;
use gauntlet_analysis::results::analysis::standing::{StrengthMeasure, rank_standings, read_standings};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::Table;
use gauntlet_core::text::{capitalize, format_games, format_time_span, group_digits, shorten_number};
use gauntlet_tune::results::ends::describe_ends;
use gauntlet_tune::results::history::SettingChange;
use gauntlet_tune::results::tuning_results::TuningResults;
use gauntlet_tune::results::{ANSWER, TUNED};
use gauntlet_tune::section::{CandidateSpace, TuneSection};

use super::figures::Figure;
use super::html::{Html, Prose};
use super::markup::{
    PageWriter, write_answer, write_answers, write_download, write_headline_sentence, write_table,
    write_unfoldable_table,
};
use super::provenance::Provenance;
use super::sweep_plots;
use super::table_view::{Download, TableView};
use super::{document, search_plots};

pub(super) struct TuningPage<'a> {
    tuning: &'a TuningResults,
    /// Figures of the search.
    search_figures: Vec<Figure>,
    /// Importance of each setting, by slices through the answer and by resetting single settings.
    pub(super) importance_figures: Vec<Figure>,
    /// Addresses of the pages of its validations.
    links: Vec<String>,
    /// The result of each validation's announced claim.
    claim_answers: Vec<Option<VerdictSentence>>,
}

impl<'a> TuningPage<'a> {
    /// Returns the page, with links to the pages of the validations.
    pub(super) fn new(tuning: &'a TuningResults, links: Vec<String>) -> anyhow::Result<TuningPage<'a>> {
        let mut importance_figures: Vec<Figure> = search_plots::plot_importance(tuning).into_iter().collect();
        if let Some(results) = &tuning.slices {
            importance_figures.extend(plot_slices(results, &tuning.history.tune)?);
        }
        let claim_answers = tuning.validations.iter().map(|(_, results)| claim_answer(results));
        let claim_answers = claim_answers.collect::<anyhow::Result<_>>()?;
        Ok(TuningPage {
            tuning,
            search_figures: search_plots::make_figures(&tuning.history),
            importance_figures,
            links,
            claim_answers,
        })
    }

    /// Returns all its figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.search_figures.iter().chain(&self.importance_figures)
    }

    pub(super) fn html(&self) -> String {
        let tuning = self.tuning;
        let name = tuning.experiment.name();
        let mut page = PageWriter::begin(&format!("{name}, tuned"), false, None);
        let edge_warnings = tuning.history.settings.iter().filter_map(SettingChange::edge_warning);
        let warnings: Vec<String> = tuning.snapshot.warnings().iter().cloned().chain(edge_warnings).collect();
        page.write_title("gauntlet report: a tuning", name, &warnings, &list_facts(tuning));
        let answers = self.validation_answers();
        let at_most_nodes = tuning.history.tune.at_most_nodes;
        write_headline_sentence(
            &mut page.header,
            &tuning_headline(tuning.tuning_keys.verdict, answers.first(), at_most_nodes),
            false,
        );
        if let [_, others @ ..] = &answers[..]
            && !others.is_empty()
        {
            page.header.put("<p class=\"note\">By other measures:</p>\n", &[]);
            write_answers(&mut page.header, others, others.len());
        }
        page.write_section("settings", "Settings", |html| self.write_settings(html));
        if let CandidateSpace::Params { .. } = tuning.history.tune.field {
            page.write_section("ends", "Results of the other searches", |html| self.write_ends(html));
        }
        page.write_figures(self.figures());
        page.write_section("validations", "Validation", |html| self.write_validations(html));
        document::write_provenance(&mut page, &Provenance::new(&tuning.snapshot, &tuning.experiment));
        page.finish()
    }

    /// Returns the answers of the validation, the objective first.
    fn validation_answers(&self) -> Vec<VerdictSentence> {
        self.tuning.validation.as_ref().map(VerdictSentence::read_all).unwrap_or_default()
    }

    /// Writes the settings that were found next to the start, and as TOML to copy.
    fn write_settings(&self, html: &mut Html) {
        let tuning = self.tuning;
        if let CandidateSpace::Players { players, .. } = &tuning.history.tune.field {
            let [start, winner] = &tuning.players;
            html.put("<p>Race of {} players. Start: {}. Winner: {}.</p>\n", &[&players.len(), start, winner]);
        }
        if !tuning.history.settings.is_empty() {
            write_table(html, &settings_view(&tuning.settings_table()));
        }
        html.put("<p>For use in an experiment:</p>\n<pre><code>{}</code></pre>\n", &[&self.snippet()]);
        let text = tuning.tuned_experiment.text().as_bytes();
        write_download(html, Some(&Download::from_bytes(TUNED, text)));
    }

    /// Writes the distances of the other searches' final points from the answer.
    fn write_ends(&self, html: &mut Html) {
        let tuning = self.tuning;
        let TuneSection { searches, objective, .. } = tuning.history.tune;
        html.put("<p>{}.</p>\n", &[&Prose(&capitalize(&describe_ends(&tuning.ends, searches, objective)))]);
        if !tuning.ends.is_empty() {
            let table = tuning.ends_table();
            write_unfoldable_table(html, &TableView::new(&table));
        }
    }

    /// Returns the player that was found, as TOML.
    fn snippet(&self) -> &str {
        let text = self.tuning.tuned_experiment.text();
        text.find("\n[[player]]").map_or(text, |index| text[index..].trim())
    }

    /// Writes every validation, with its result and its page.
    fn write_validations(&self, html: &mut Html) {
        let tuning = self.tuning;
        if tuning.validations.is_empty() && tuning.validation.is_none() {
            html.put(
                "<p>Nothing to validate: the search found nothing better than the initial settings.</p>\n",
                &[],
            );
        } else {
            html.put("<p class=\"note\">Each validation uses fresh seeds. The k-th validation is tested at a risk divided by 2<sup>k</sup>, so repeated validation does not inflate errors.</p>\n<ul class=\"answers\">\n", &[]);
            for (index, (number, _)) in tuning.validations.iter().enumerate() {
                html.put("<li>", &[]);
                match self.links.get(index) {
                    Some(address) => {
                        html.put("<a href=\"{}\">Validation {}</a>", &[address, &number.to_string()])
                    }
                    None => html.put("Validation {}", &[&number.to_string()]),
                }
                if let Some(answer) = &self.claim_answers[index] {
                    html.put(": ", &[]);
                    write_answer(html, answer);
                }
                html.put("</li>\n", &[]);
            }
            html.put("</ul>\n", &[]);
        }
        if let Some(validation) = &tuning.validation {
            write_unfoldable_table(html, &TableView::new(validation));
        }
    }
}

/// Returns the result of a validation's announced claim.
pub(super) fn claim_answer(results: &Results) -> anyhow::Result<Option<VerdictSentence>> {
    let tables = [results.table("claims")?, results.table("stop")?];
    Ok(tables.iter().flatten().find_map(|table| VerdictSentence::read_all(table).into_iter().next()))
}

/// Plots slices through the answer.
fn plot_slices(results: &Results, tune: &TuneSection) -> anyhow::Result<Vec<Figure>> {
    let (table_name, measure) = match tune.objective {
        Measure::Points => ("elo", StrengthMeasure::Elo),
        Measure::Score => ("win-rate", StrengthMeasure::Score),
        _ => ("win-rate", StrengthMeasure::WinRate),
    };
    let Some(rates) = results.table(table_name)? else { return Ok(Vec::new()) };
    let standings = rank_standings(read_standings(&rates, None), measure);
    Ok(sweep_plots::plot_slices(ANSWER, &standings, measure, &rates, &results.settings()?))
}

/// Returns the settings as a table in which numbers are right-aligned and rounded for reading.
pub(super) fn settings_view(table: &Table) -> TableView {
    let mut view = TableView::new(table);
    let is_number = |column: &str| !["setting", "scale", "choices"].contains(&column);
    view.headers.iter_mut().for_each(|header| header.is_words = !is_number(header.column));
    for row in &mut view.rows {
        for (header, cell) in view.headers.iter().zip(row) {
            cell.is_words = header.is_words;
            if is_number(header.column) {
                cell.text = shorten_number(&cell.text);
            }
        }
    }
    view
}

/// Returns facts about the tuning, in a few words each.
fn list_facts(tuning: &TuningResults) -> Vec<String> {
    let TuneSection { field, objective, .. } = &tuning.history.tune;
    let keys = &tuning.tuning_keys;
    let mut facts = vec![
        tuning.experiment.arena().name.to_owned(),
        field.method().to_owned(),
        format!("objective {objective}"),
        format!(
            "{} of a budget of {}",
            format_games(tuning.snapshot.manifest().games),
            group_digits(keys.budget)
        ),
        format!("{} of search", format_time_span(keys.search_seconds)),
    ];
    match keys.refused {
        0 => {}
        1 => facts.push("1 candidate rejected".to_owned()),
        count => facts.push(format!("{} candidates rejected", group_digits(count))),
    }
    facts
}
