//! The page of an unfinished tuning: its progress, the best point so far, the games being played,
//! and the search path so far. It has no answer and no verdict, and says so.

use gauntlet_analysis::answer::headline::Headline;
use gauntlet_core::text::{format_games, group_digits};
use gauntlet_tune::results::unfinished_tuning::{BIAS_WARNING, CurrentStep, UnfinishedTuning};
use gauntlet_tune::section::{CandidateSpace, TuneSection};

use super::figures::Figure;
use super::html::Html;
use super::markup::{PageWriter, write_headline_sentence, write_table};
use super::provenance::Provenance;
use super::tuning::settings_view;
use super::{document, search_plots};

/// The page of an unfinished tuning.
pub(super) struct UnfinishedPage<'a> {
    tuning: &'a UnfinishedTuning,
    search_figures: Vec<Figure>,
    /// Addresses of the pages of the validations that have results.
    links: Vec<String>,
}

impl<'a> UnfinishedPage<'a> {
    /// Returns the page, with links to the pages of the validations.
    pub(super) fn new(tuning: &'a UnfinishedTuning, links: Vec<String>) -> UnfinishedPage<'a> {
        UnfinishedPage { tuning, search_figures: search_plots::make_figures(&tuning.history), links }
    }

    /// Returns all its figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.search_figures.iter()
    }

    pub(super) fn html(&self) -> String {
        let tuning = self.tuning;
        let name = tuning.experiment.name();
        let mut page = PageWriter::begin(&format!("{name} (tuning)"), false, None);
        let kind = "gauntlet report: unfinished tuning";
        page.write_title(kind, name, &tuning.warnings(), &list_facts(tuning));
        write_headline_sentence(&mut page.header, &headline(tuning), false);
        page.write_section("best-so-far", "The best point so far", |html| {
            html.put(
                "<p class=\"note\">The best point is from the last check. The current point of the search has not been compared with the start.</p>\n",
                &[],
            );
            write_table(html, &settings_view(&tuning.best_table()));
        });
        if let Some(step) = &tuning.current_step {
            page.write_section("candidates", "Current candidates", |html| self.write_candidates(html, step));
        }
        page.write_figures(self.figures());
        page.write_section("validations", "Validation", |html| self.write_validations(html));
        document::write_provenance(&mut page, &Provenance::new(&tuning.snapshot, &tuning.experiment));
        page.finish()
    }

    /// Writes the candidates that are being played.
    fn write_candidates(&self, html: &mut Html, step: &CurrentStep) {
        html.put(
            "<p>Of a {} of {}, {} are played.</p>\n",
            &[&step.kind, &format_games(step.games), &group_digits(step.played)],
        );
        if let Some(candidates) = self.tuning.candidates_table() {
            write_table(html, &settings_view(&candidates));
        }
    }

    /// Writes the validations that have begun.
    fn write_validations(&self, html: &mut Html) {
        if self.tuning.validations.is_empty() {
            html.put("<p>The best point will be validated after the search.</p>\n", &[]);
            return;
        }
        html.put("<p>No validation has finished yet.</p>\n<ul class=\"answers\">\n", &[]);
        let mut links = self.links.iter();
        for (number, results) in &self.tuning.validations {
            let number = number.to_string();
            match results.as_ref().and_then(|_| links.next()) {
                Some(address) => {
                    html.put("<li><a href=\"{}\">Validation {}</a>, unfinished</li>\n", &[address, &number])
                }
                None => html.put("<li>Validation {}</li>\n", &[&number]),
            }
        }
        html.put("</ul>\n", &[]);
    }
}

/// Returns facts about the tuning, in a few words each.
fn list_facts(tuning: &UnfinishedTuning) -> Vec<String> {
    let TuneSection { field, objective, .. } = &tuning.history.tune;
    let mut facts = vec![
        tuning.experiment.arena().name.to_owned(),
        field.method().to_owned(),
        format!("objective {objective}"),
        format!(
            "{} of a budget of {}",
            format_games(tuning.progress.done),
            group_digits(tuning.tuning_keys.budget)
        ),
    ];
    facts.extend(tuning.describe_steps());
    facts
}

/// Returns the headline: the progress.
fn headline(tuning: &UnfinishedTuning) -> Headline {
    let leader_note = match (&tuning.history.tune.field, tuning.history.settings.first()) {
        (CandidateSpace::Players { .. }, Some(player)) => format!(", and {} leads so far", player.tuned),
        _ => String::new(),
    };
    Headline {
        subject: "Not finished:".to_owned(),
        predicate: tuning.describe_progress() + &leader_note,
        certainty: BIAS_WARNING.to_owned(),
        ..Headline::default()
    }
}
