//! Report of a check: a verdict for each rule, from the evidence.

use gauntlet_core::text::{format_count, format_probability, group_digits};
use gauntlet_stats::holm;
use serde_json::{Value, json};

use crate::actions::ActionMap;
use crate::evidence::{Example, Tally};
use crate::fault::Fault;
use crate::law::{Chance, LawTest};
use crate::referee::Evidence;
use crate::rule::Rule;

/// Error rate of all tests of chance together: a sound environment fails one with at most this
/// probability.
pub const LEVEL: f64 = 0.001;

/// Smallest number of new tiles for which a law of chance is judged.
const LEAST_CHANCES: u64 = 500;

/// Smallest number of truncated games for which the cause of truncation is judged.
const LEAST_TRUNCATED: u64 = 3;

/// Verdict on a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No violation.
    Passed,
    /// A violation, or counts that contradict the law.
    Failed,
    /// Too little evidence, or evidence that another fault spoils.
    CannotTell,
    /// No evidence.
    NotTested,
}

impl Verdict {
    /// Returns the verdict in words.
    pub const fn words(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::CannotTell => "cannot tell",
            Verdict::NotTested => "not tested",
        }
    }
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Directions and cells were found, and the rules of each game were tested without violation.
    /// These rules are start, slide and merge, reward, new tiles, and end of the game.
    Passed,
    /// A rule failed.
    Failed,
    /// No rule failed, but a rule of each game was not tested.
    Undecided,
}

impl Outcome {
    /// Returns the result in words.
    pub const fn words(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Undecided => "undecided",
        }
    }
}

/// Evidence of a whole check.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    pub(crate) cells: Result<String, String>,
    pub(crate) actions: Result<ActionMap, String>,
    pub(crate) evidence: Evidence,
    pub(crate) seeding: Tally,
    pub(crate) sets_boards: bool,
    /// False if the user says that there is no reward.
    pub(crate) has_reward: bool,
}

/// Verdict on one rule with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleReport {
    /// Rule.
    pub rule: Rule,
    /// Verdict.
    pub verdict: Verdict,
    /// Number of checks.
    pub checked: u64,
    /// Number of violations.
    pub wrong: u64,
    /// Smallest p of the rule's tests, corrected for all tests of the check.
    pub p: Option<f64>,
    /// Known fault that explains the violations.
    pub fault: Option<Fault>,
    /// Diagnosis of a failed rule, or why there is no verdict. `None` if cells or actions are
    /// unknown; [`Report`] says why.
    pub reason: Option<String>,
    /// First violation.
    pub example: Option<Example>,
}

/// Report of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Directions of the actions, or why they are unknown.
    pub actions: Result<ActionMap, String>,
    /// Encoding, or why it is unknown.
    pub cells: Result<String, String>,
    /// Games played.
    pub games: u64,
    /// Moves judged.
    pub moves: u64,
    /// Verdict on each rule.
    pub rules: Vec<RuleReport>,
    /// Facts that no rule forbids.
    pub notes: Vec<String>,
    /// Rules without which the check is undecided, and which have no verdict.
    pub(crate) lacking: Vec<Rule>,
}

impl Report {
    /// Returns the result.
    pub fn outcome(&self) -> Outcome {
        if self.rules.iter().any(|rule| rule.verdict == Verdict::Failed) {
            Outcome::Failed
        } else if self.unknown_reason().is_some() || !self.lacking.is_empty() {
            Outcome::Undecided
        } else {
            Outcome::Passed
        }
    }

    /// Returns true if the environment passed.
    pub fn has_passed(&self) -> bool {
        self.outcome() == Outcome::Passed
    }

    /// Returns why the check is undecided.
    pub fn reason(&self) -> Option<String> {
        if self.outcome() != Outcome::Undecided {
            return None;
        }
        let lacking = self.rules.iter().filter(|rule| self.lacking.contains(&rule.rule));
        let reasons = group_reasons(lacking).into_iter().map(|(rules, why)| format!("{rules}: {why}"));
        self.unknown_reason().cloned().or_else(|| Some(reasons.collect::<Vec<_>>().join("; ")))
    }

    /// Returns why cells or actions are unknown.
    pub(crate) fn unknown_reason(&self) -> Option<&String> {
        self.cells.as_ref().err().or(self.actions.as_ref().err())
    }

    /// Returns the report on a rule.
    ///
    /// # Panics
    /// Never: each report contains all rules.
    pub fn rule(&self, rule: Rule) -> &RuleReport {
        self.rules.iter().find(|own| own.rule == rule).expect("a report contains all rules")
    }

    /// Makes the report from the evidence.
    pub(crate) fn new(findings: Findings) -> Report {
        let evidence = &findings.evidence;
        let tests = [evidence.tiles.tests(), evidence.starts.tests()].concat();
        let corrected = holm(&tests.iter().map(|test| test.p).collect::<Vec<_>>());
        let tests: Vec<LawTest> =
            tests.iter().zip(corrected).map(|(test, p)| LawTest { p, ..*test }).collect();
        let rules: Vec<RuleReport> = Rule::ALL.iter().map(|&rule| findings.rule(rule, &tests)).collect();
        let is_lacking = |rule: &&RuleReport| {
            rule.verdict != Verdict::Passed && !(rule.rule == Rule::Reward && findings.is_without_reward())
        };
        let required = rules.iter().filter(|rule| Rule::REQUIRED.contains(&rule.rule));
        Report {
            lacking: required.filter(is_lacking).map(|rule| rule.rule).collect(),
            games: evidence.notes.games,
            moves: evidence.notes.moves,
            rules,
            notes: findings.notes(),
            actions: findings.actions,
            cells: findings.cells,
        }
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> Value {
        let rules: Vec<Value> = self.rules.iter().map(RuleReport::to_json).collect();
        let actions = self.actions.as_ref().ok().map(|actions| {
            (0..actions.len())
                .map(|action| json!(actions.direction(action).map(|it| it.name())))
                .collect::<Vec<_>>()
        });
        json!({
            "passed": self.has_passed(),
            "result": self.outcome().words(),
            "reason": self.reason(),
            "actions": actions,
            "cells": self.cells.as_ref().ok(),
            "games": self.games,
            "moves": self.moves,
            "level": LEVEL,
            "rules": rules,
            "notes": self.notes,
        })
    }
}

/// Returns reasons, each after the rules that have it. Rules without a reason are left out.
pub(crate) fn group_reasons<'a>(rules: impl Iterator<Item = &'a RuleReport>) -> Vec<(String, &'a str)> {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for (rule, reason) in rules.filter_map(|rule| Some((rule.rule.name(), rule.reason.as_deref()?))) {
        match reasons.iter_mut().find(|(_, other)| *other == reason) {
            Some((names, _)) => *names += &format!(", {rule}"),
            None => reasons.push((rule.to_owned(), reason)),
        }
    }
    reasons
}

impl RuleReport {
    fn to_json(&self) -> Value {
        let board = |cells: Option<gauntlet_twenty48::rules::Cells>| cells.map(|cells| cells.values());
        let example = self.example.as_ref().map(|example| {
            json!({
                "before": board(example.before),
                "action": example.action.map(|(action, _)| action),
                "direction": example.action.and_then(|(_, direction)| direction).map(|it| it.name()),
                "expected": board(example.expected),
                "seen": board(example.seen),
                "wrong": example.wrong,
            })
        });
        json!({
            "rule": self.rule.name(),
            "verdict": self.verdict.words(),
            "checked": self.checked,
            "wrong": self.wrong,
            "p": self.p,
            "reason": self.reason,
            "example": example,
        })
    }
}

impl Findings {
    /// Returns the evidence about a rule. Wrong slides of large tiles are charged to slides in
    /// general if smaller tiles slide wrongly too.
    fn tally(&self, rule: Rule) -> Tally {
        let [small, large, largest] = &self.evidence.slides;
        match rule {
            Rule::Slide if small.wrong > 0 => {
                let mut all = small.clone();
                all.add(large);
                all.add(largest);
                all
            }
            Rule::Slide => small.clone(),
            Rule::Above2048 => large.clone(),
            Rule::Above32768 => largest.clone(),
            Rule::Seeding => self.seeding.clone(),
            Rule::GameEnd => self.end_tally(),
            Rule::Reward if self.evidence.tally(rule).checked > 0 => {
                let mut all = self.evidence.tally(rule).clone();
                all.add(&self.evidence.missing_rewards);
                all
            }
            _ => self.evidence.tally(rule).clone(),
        }
    }

    /// Returns the evidence about the end of the game. Truncation is no end, unless it happens
    /// exactly when the first 2048 appears.
    fn end_tally(&self) -> Tally {
        let mut tally = self.evidence.tally(Rule::GameEnd).clone();
        let notes = self.evidence.notes;
        if notes.truncated >= LEAST_TRUNCATED && notes.truncated == notes.truncated_at_2048 {
            for _ in 0..notes.truncated {
                tally.add_violation(&[Fault::EndsAt2048], || Example {
                    wrong: "the game is truncated when a 2048 tile appears".to_owned(),
                    ..Example::default()
                });
            }
        }
        tally
    }

    fn rule(&self, rule: Rule, tests: &[LawTest]) -> RuleReport {
        let tally = self.tally(rule);
        let own = || tests.iter().filter(|test| test.rule == rule);
        let p = own().map(|test| test.p).reduce(f64::min);
        // A wrong rate makes tests of independence fail, too, so tests of rates come first.
        let unlikely = own().find(|test| test.p <= LEVEL).map(|test| test.what);
        let mut report = RuleReport {
            rule,
            verdict: Verdict::Passed,
            checked: tally.checked,
            wrong: tally.wrong,
            p,
            fault: None,
            reason: None,
            example: tally.example().cloned(),
        };
        let spoiled = self.blocking_fault(rule).filter(|_| tally.checked > 0);
        let missing = self.missing_action().filter(|_| rule == Rule::Slide);
        if self.is_unknown(rule) && tally.wrong == 0 {
            report.verdict = Verdict::CannotTell;
        } else if let Some(why) = spoiled {
            report.verdict = Verdict::CannotTell;
            report.reason = Some(why.to_owned());
        } else if tally.wrong > 0 || unlikely.is_some() || missing.is_some() {
            report.verdict = Verdict::Failed;
            report.fault = missing.or_else(|| self.fault(rule, unlikely, &tally));
            report.reason = Some(self.diagnosis(rule, unlikely, report.fault, &tally));
        } else if tally.checked == 0 {
            report.verdict = Verdict::NotTested;
            report.reason = self.untested_reason(rule);
        } else if matches!(rule, Rule::NewCell | Rule::NewValue) && tally.checked < LEAST_CHANCES {
            report.verdict = Verdict::CannotTell;
            report.reason = Some(format!("fewer than {LEAST_CHANCES} new tiles; play more games"));
        } else if rule == Rule::GameEnd && self.evidence.notes.final_boards == 0 {
            report.verdict = Verdict::CannotTell;
            report.reason = Some("no game reached a board without a legal move".to_owned());
        }
        report
    }

    /// Returns true if a rule cannot be judged, because the encoding or the directions are unknown.
    fn is_unknown(&self, rule: Rule) -> bool {
        self.cells.is_err() || self.actions.is_err() && !matches!(rule, Rule::Start | Rule::Seeding)
    }

    /// Returns the fault that no action slides in some direction.
    fn missing_action(&self) -> Option<Fault> {
        self.actions.as_ref().ok()?.missing_directions().next().map(Fault::NoAction)
    }

    /// Returns true if there is no reward to test.
    fn is_without_reward(&self) -> bool {
        let evidence = &self.evidence;
        !self.has_reward || evidence.missing_rewards.checked > 0 && evidence.tally(Rule::Reward).checked == 0
    }

    /// Returns why another fault prevents a verdict.
    fn blocking_fault(&self, rule: Rule) -> Option<&'static str> {
        let is_wrong = |tally: &Tally| tally.wrong > 0;
        let [small, large, _] = &self.evidence.slides;
        match rule {
            Rule::Above2048 if is_wrong(small) => Some("smaller tiles slide wrongly too"),
            Rule::Above32768 if is_wrong(small) || is_wrong(large) => Some("smaller tiles slide wrongly too"),
            _ => None,
        }
    }

    fn untested_reason(&self, rule: Rule) -> Option<String> {
        let why = match rule {
            Rule::Mask => "the environment reports no mask",
            Rule::Reward if self.is_without_reward() => "no reward",
            Rule::Above2048 | Rule::Above32768 if !self.sets_boards => {
                "no game reached such tiles, and the board cannot be set"
            }
            Rule::Above2048 | Rule::Above32768 => "such boards cannot be set",
            Rule::Seeding => "reset takes no seed, or no step succeeds",
            Rule::Unchanged => "observations are copies",
            Rule::NoReset => "no game ended",
            _ => "no game reached such a board",
        };
        Some(why.to_owned())
    }

    /// Returns the known fault of a failed rule.
    fn fault(&self, rule: Rule, unlikely: Option<Chance>, tally: &Tally) -> Option<Fault> {
        let by_counts = match (rule, unlikely) {
            (Rule::NewCell, Some(_)) => self.evidence.tiles.fault_of_cell(),
            (Rule::NewValue, Some(what)) => self.evidence.tiles.fault_of_value(what),
            (Rule::Start, Some(what)) => self.evidence.starts.fault(what),
            _ => None,
        };
        by_counts.or_else(|| tally.diagnosis())
    }

    /// Returns the diagnosis of a failed rule, with its counts.
    fn diagnosis(&self, rule: Rule, unlikely: Option<Chance>, fault: Option<Fault>, tally: &Tally) -> String {
        let (tiles, starts) = (&self.evidence.tiles, &self.evidence.starts);
        let mut parts = Vec::new();
        parts.push(fault.map_or_else(|| rule.breach().to_owned(), Fault::sentence));
        if tally.wrong > 0 {
            parts.push(format!(
                "Wrong in {} of {}.",
                group_digits(tally.wrong),
                format_count(tally.checked, rule.unit())
            ));
        }
        parts.extend(match (rule, unlikely) {
            (Rule::NewCell, Some(_)) => Some(format!("Counts: {}.", tiles.describe_cells())),
            (Rule::NewValue, Some(what)) => Some(tiles.describe_values(what)),
            (Rule::Start, Some(what)) => starts.describe(what),
            _ => None,
        });
        parts.join(" ")
    }

    fn notes(&self) -> Vec<String> {
        let notes = self.evidence.notes;
        let illegal = self.evidence.tally(Rule::IllegalMove).checked;
        let mut told = Vec::new();
        if notes.illegal_ends > 0 {
            let changed = if notes.illegal_ends_changed > 0 { " and changes the last board" } else { "" };
            told.push(format!("An illegal move ends the game{changed}."));
        }
        if notes.illegal_raises > 0 {
            told.push("An illegal move raises an error.".to_owned());
        }
        if notes.illegal_rewards > 0 {
            told.push(format!(
                "{} of {illegal} illegal moves have a reward other than 0.",
                notes.illegal_rewards
            ));
        }
        if notes.truncated > 0 {
            told.push(format!("{} were truncated.", format_count(notes.truncated, "game")));
        }
        told
    }
}

/// Writes a corrected p for a table.
pub(crate) fn format_p(p: f64) -> String {
    let words = format_probability(p);
    words.strip_prefix("= ").map_or_else(|| words.clone(), str::to_owned)
}
