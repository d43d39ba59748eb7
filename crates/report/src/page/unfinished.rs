//! The page of an unfinished tuning: its progress, the best point so far, the games being played,
//! and the search path so far. It has no answer and no verdict, and says so.

use gauntlet_analysis::answer::leader::Headline;
use gauntlet_core::text::{games, grouped};
use gauntlet_tune::results::unfinished::{CurrentStep, FAVOURED, UnfinishedTuning};
use gauntlet_tune::section::{CandidateSpace, TuneSection};

use super::figures::Figure;
use super::html::Html;
use super::parts::{Writer, lead, table};
use super::provenance::Provenance;
use super::tuning::settings_view;
use super::{document, searched};

/// The page of an unfinished tuning.
pub(super) struct UnfinishedPage<'a> {
    tuning: &'a UnfinishedTuning,
    searched: Vec<Figure>,
    /// Addresses of the pages of the validations that have results.
    links: Vec<String>,
}

impl<'a> UnfinishedPage<'a> {
    /// Returns the page, with links to the pages of the validations.
    pub(super) fn of(tuning: &'a UnfinishedTuning, links: Vec<String>) -> UnfinishedPage<'a> {
        UnfinishedPage { tuning, searched: searched::figures(&tuning.course), links }
    }

    /// Returns all its figures.
    pub(super) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.searched.iter()
    }

    pub(super) fn html(&self) -> String {
        let tuning = self.tuning;
        let name = tuning.experiment.name();
        let mut page = Writer::begin(&format!("{name} (tuning)"), false, None);
        let kind = "gauntlet report: unfinished tuning";
        page.title(kind, name, &tuning.warnings(), &facts(tuning));
        lead(&mut page.header, &headline(tuning), false);
        page.section("best-so-far", "The best point so far", |html| {
            html.put(
                "<p class=\"note\">The best point is from the last check. The current point of the search has not been compared with the start.</p>\n",
                &[],
            );
            table(html, &settings_view(&tuning.best_table()));
        });
        if let Some(step) = &tuning.in_hand {
            page.section("candidates", "Current candidates", |html| self.candidates(html, step));
        }
        page.figures(self.figures());
        page.section("validations", "Validation", |html| self.validations(html));
        document::provenance(&mut page, &Provenance::of(&tuning.set, &tuning.experiment));
        page.end()
    }

    /// Writes the candidates that are being played.
    fn candidates(&self, html: &mut Html, step: &CurrentStep) {
        html.put(
            "<p>Of a {} of {}, {} are played.</p>\n",
            &[&step.kind, &games(step.games), &grouped(step.played)],
        );
        if let Some(candidates) = self.tuning.candidates_table() {
            table(html, &settings_view(&candidates));
        }
    }

    /// Writes the validations that have begun.
    fn validations(&self, html: &mut Html) {
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
fn facts(tuning: &UnfinishedTuning) -> Vec<String> {
    let TuneSection { field, objective, .. } = &tuning.course.tune;
    let mut facts = vec![
        tuning.experiment.arena().name.to_owned(),
        field.method().to_owned(),
        format!("objective {objective}"),
        format!("{} of a budget of {}", games(tuning.progress.done), grouped(tuning.told.budget)),
    ];
    facts.extend(tuning.done());
    facts
}

/// Returns the headline: the progress.
fn headline(tuning: &UnfinishedTuning) -> Headline {
    let best = match (&tuning.course.tune.field, tuning.course.settings.first()) {
        (CandidateSpace::Players { .. }, Some(player)) => format!(", and {} leads so far", player.tuned),
        _ => String::new(),
    };
    Headline {
        who: "Not finished:".to_owned(),
        says: tuning.stands() + &best,
        sure: FAVOURED.to_owned(),
        ..Headline::default()
    }
}
