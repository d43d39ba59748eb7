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
const MIN_NEW_TILES: u64 = 500;

/// Smallest number of truncated games for which the cause of truncation is judged.
const MIN_TRUNCATED_GAMES: u64 = 3;

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
    pub checks: u64,
    /// Number of violations.
    pub violations: u64,
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
    pub(crate) missing_rules: Vec<Rule>,
}

impl Report {
    /// Returns the result.
    pub fn outcome(&self) -> Outcome {
        if self.rules.iter().any(|rule| rule.verdict == Verdict::Failed) {
            Outcome::Failed
        } else if self.unknown_reason().is_some() || !self.missing_rules.is_empty() {
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
        let missing = self.rules.iter().filter(|rule| self.missing_rules.contains(&rule.rule));
        let reasons = group_reasons(missing).into_iter().map(|(rules, reason)| format!("{rules}: {reason}"));
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
        self.rules.iter().find(|report| report.rule == rule).expect("a report contains all rules")
    }

    /// Makes the report from the evidence.
    pub(crate) fn new(findings: Findings) -> Report {
        let evidence = &findings.evidence;
        let tests = [evidence.tiles.tests(), evidence.starts.tests()].concat();
        let corrected_p = holm(&tests.iter().map(|test| test.p).collect::<Vec<_>>());
        let tests: Vec<LawTest> =
            tests.iter().zip(corrected_p).map(|(test, p)| LawTest { p, ..*test }).collect();
        let rules: Vec<RuleReport> = Rule::ALL.iter().map(|&rule| findings.rule(rule, &tests)).collect();
        let is_missing = |rule: &&RuleReport| {
            rule.verdict != Verdict::Passed && !(rule.rule == Rule::Reward && findings.is_without_reward())
        };
        let required = rules.iter().filter(|rule| Rule::REQUIRED.contains(&rule.rule));
        Report {
            missing_rules: required.filter(is_missing).map(|rule| rule.rule).collect(),
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
                .map(|action| json!(actions.direction(action).map(|direction| direction.name())))
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
                "direction": example.action.and_then(|(_, direction)| direction).map(|direction| direction.name()),
                "expected": board(example.expected),
                "seen": board(example.actual),
                "wrong": example.message,
            })
        });
        json!({
            "rule": self.rule.name(),
            "verdict": self.verdict.words(),
            "checked": self.checks,
            "wrong": self.violations,
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
            Rule::Slide if small.violations > 0 => {
                let mut total = small.clone();
                total.add(large);
                total.add(largest);
                total
            }
            Rule::Slide => small.clone(),
            Rule::Above2048 => large.clone(),
            Rule::Above32768 => largest.clone(),
            Rule::Seeding => self.seeding.clone(),
            Rule::GameEnd => self.end_tally(),
            Rule::Reward if self.evidence.tally(rule).checks > 0 => {
                let mut total = self.evidence.tally(rule).clone();
                total.add(&self.evidence.missing_rewards);
                total
            }
            _ => self.evidence.tally(rule).clone(),
        }
    }

    /// Returns the evidence about the end of the game. Truncation is no end, unless it happens
    /// exactly when the first 2048 appears.
    fn end_tally(&self) -> Tally {
        let mut tally = self.evidence.tally(Rule::GameEnd).clone();
        let notes = self.evidence.notes;
        if notes.truncated >= MIN_TRUNCATED_GAMES && notes.truncated == notes.truncated_at_2048 {
            for _ in 0..notes.truncated {
                tally.add_violation(&[Fault::EndsAt2048], || Example {
                    message: "the game is truncated when a 2048 tile appears".to_owned(),
                    ..Example::default()
                });
            }
        }
        tally
    }

    fn rule(&self, rule: Rule, tests: &[LawTest]) -> RuleReport {
        let tally = self.tally(rule);
        let rule_tests = || tests.iter().filter(|test| test.rule == rule);
        let p = rule_tests().map(|test| test.p).reduce(f64::min);
        // A wrong rate makes tests of independence fail, too, so tests of rates come first.
        let failed_chance = rule_tests().find(|test| test.p <= LEVEL).map(|test| test.chance);
        let mut report = RuleReport {
            rule,
            verdict: Verdict::Passed,
            checks: tally.checks,
            violations: tally.violations,
            p,
            fault: None,
            reason: None,
            example: tally.example().cloned(),
        };
        let blocking_reason = self.blocking_fault(rule).filter(|_| tally.checks > 0);
        let missing_fault = self.missing_action().filter(|_| rule == Rule::Slide);
        if self.is_unknown(rule) && tally.violations == 0 {
            report.verdict = Verdict::CannotTell;
        } else if let Some(reason) = blocking_reason {
            report.verdict = Verdict::CannotTell;
            report.reason = Some(reason.to_owned());
        } else if tally.violations > 0 || failed_chance.is_some() || missing_fault.is_some() {
            report.verdict = Verdict::Failed;
            report.fault = missing_fault.or_else(|| self.fault(rule, failed_chance, &tally));
            report.reason = Some(self.diagnosis(rule, failed_chance, report.fault, &tally));
        } else if tally.checks == 0 {
            report.verdict = Verdict::NotTested;
            report.reason = self.untested_reason(rule);
        } else if matches!(rule, Rule::NewCell | Rule::NewValue) && tally.checks < MIN_NEW_TILES {
            report.verdict = Verdict::CannotTell;
            report.reason = Some(format!("fewer than {MIN_NEW_TILES} new tiles; play more games"));
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
        !self.has_reward || evidence.missing_rewards.checks > 0 && evidence.tally(Rule::Reward).checks == 0
    }

    /// Returns why another fault prevents a verdict.
    fn blocking_fault(&self, rule: Rule) -> Option<&'static str> {
        let is_wrong = |tally: &Tally| tally.violations > 0;
        let [small, large, _] = &self.evidence.slides;
        match rule {
            Rule::Above2048 if is_wrong(small) => Some("smaller tiles slide wrongly too"),
            Rule::Above32768 if is_wrong(small) || is_wrong(large) => Some("smaller tiles slide wrongly too"),
            _ => None,
        }
    }

    fn untested_reason(&self, rule: Rule) -> Option<String> {
        let reason = match rule {
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
        Some(reason.to_owned())
    }

    /// Returns the known fault of a failed rule.
    fn fault(&self, rule: Rule, failed_chance: Option<Chance>, tally: &Tally) -> Option<Fault> {
        let count_fault = match (rule, failed_chance) {
            (Rule::NewCell, Some(_)) => self.evidence.tiles.fault_of_cell(),
            (Rule::NewValue, Some(chance)) => self.evidence.tiles.fault_of_value(chance),
            (Rule::Start, Some(chance)) => self.evidence.starts.fault(chance),
            _ => None,
        };
        count_fault.or_else(|| tally.diagnosis())
    }

    /// Returns the diagnosis of a failed rule, with its counts.
    fn diagnosis(
        &self,
        rule: Rule,
        failed_chance: Option<Chance>,
        fault: Option<Fault>,
        tally: &Tally,
    ) -> String {
        let (tiles, starts) = (&self.evidence.tiles, &self.evidence.starts);
        let mut sentences = Vec::new();
        sentences.push(fault.map_or_else(|| rule.default_diagnosis().to_owned(), Fault::sentence));
        if tally.violations > 0 {
            sentences.push(format!(
                "Wrong in {} of {}.",
                group_digits(tally.violations),
                format_count(tally.checks, rule.unit())
            ));
        }
        sentences.extend(match (rule, failed_chance) {
            (Rule::NewCell, Some(_)) => Some(format!("Counts: {}.", tiles.describe_cells())),
            (Rule::NewValue, Some(chance)) => Some(tiles.describe_values(chance)),
            (Rule::Start, Some(chance)) => starts.describe(chance),
            _ => None,
        });
        sentences.join(" ")
    }

    fn notes(&self) -> Vec<String> {
        let notes = self.evidence.notes;
        let illegal_moves = self.evidence.tally(Rule::IllegalMove).checks;
        let mut sentences = Vec::new();
        if notes.illegal_ends > 0 {
            let suffix = if notes.illegal_ends_changed > 0 { " and changes the last board" } else { "" };
            sentences.push(format!("An illegal move ends the game{suffix}."));
        }
        if notes.illegal_errors > 0 {
            sentences.push("An illegal move raises an error.".to_owned());
        }
        if notes.illegal_rewards > 0 {
            sentences.push(format!(
                "{} of {illegal_moves} illegal moves have a reward other than 0.",
                notes.illegal_rewards
            ));
        }
        if notes.truncated > 0 {
            sentences.push(format!("{} were truncated.", format_count(notes.truncated, "game")));
        }
        sentences
    }
}

/// Writes a corrected p for a table.
pub(crate) fn format_p(p: f64) -> String {
    let words = format_probability(p);
    words.strip_prefix("= ").map_or_else(|| words.clone(), str::to_owned)
}
