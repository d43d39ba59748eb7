//! Comparisons for people: one row per pair, the best first; or all pairs as a matrix.

use std::collections::BTreeMap;

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{ColumnContent, TextTable};
use gauntlet_core::text::format_level;

use super::contestants::{Contestant, sort_by_strength};
use super::pairwise::PairwiseQuestion;
use crate::answer::comparison::DifferenceFormat;
use crate::answer::other_level_suffix;
use crate::compare::comparison::Comparison;

/// Comparisons of some pairs of players by some measures, from [`super::pairwise::compare`].
#[derive(Clone, Copy, Debug)]
pub struct PairwiseComparisons<'a> {
    pub players: &'a [Contestant],
    /// Pairs, as indices of players.
    pub pairs: &'a [(usize, usize)],
    /// True if these are all pairs: then each row begins with the better player, otherwise with the
    /// player asked about.
    pub are_all: bool,
    /// The question.
    pub question: &'a PairwiseQuestion,
    /// Comparisons of all pairs by each measure, in order.
    pub comparisons: &'a [Comparison],
}

/// A comparison and the indices of its players.
type ComparedPair<'a> = (&'a Comparison, (usize, usize));

impl<'a> PairwiseComparisons<'a> {
    /// Groups comparisons by measure, each with its pair.
    fn group_by_measure(self) -> impl Iterator<Item = (Measure, Vec<ComparedPair<'a>>)> {
        let chunks = self.comparisons.chunks(self.pairs.len().max(1));
        self.question
            .measures
            .iter()
            .copied()
            .zip(chunks)
            .map(move |(measure, chunk)| (measure, chunk.iter().zip(self.pairs.iter().copied()).collect()))
    }

    /// Makes a table with one row per pair, the best first; for all pairs, sorted by the better
    /// player.
    pub fn to_sheet(self) -> TextTable {
        let columns = [
            ("player", ColumnContent::Names),
            ("answer", ColumnContent::Words),
            ("than", ColumnContent::Names),
            ("by", ColumnContent::Words),
            (&*format!("difference [{}]", format_level(self.question.level)), ColumnContent::Numbers),
            ("p", ColumnContent::Numbers),
            ("games", ColumnContent::Numbers),
        ];
        let mut rows = Vec::new();
        for (measure, comparisons) in self.group_by_measure() {
            let mut rank = vec![0; self.players.len()];
            let (order, _) = sort_by_strength(self.players, measure, self.question.level);
            order.into_iter().enumerate().for_each(|(position, player)| rank[player] = position);
            let mut ordered: Vec<_> = comparisons
                .into_iter()
                .map(|(comparison, (one, other))| {
                    let lead = comparison.lead();
                    let is_swapped = self.are_all && lead.map_or(rank[one] > rank[other], |lead| lead < 0.0);
                    let (one, other) = if is_swapped { (other, one) } else { (one, other) };
                    (comparison, is_swapped, rank[one], rank[other])
                })
                .collect();
            if self.are_all {
                ordered.sort_by_key(|&(_, _, one, other)| (one, other));
            } else {
                let key = |comparison: &Comparison| comparison.lead().unwrap_or(f64::NEG_INFINITY);
                ordered.sort_by(|one, other| key(other.0).total_cmp(&key(one.0)));
            }
            rows.extend(ordered.into_iter().map(|(comparison, is_swapped, ..)| {
                let [player, rival] = comparison.names(is_swapped);
                // Bounds of a run that ended itself have their own level.
                let level = other_level_suffix(comparison.question.level, self.question.level);
                vec![
                    player.to_owned(),
                    comparison.verdict(is_swapped).to_owned(),
                    rival.to_owned(),
                    measure.to_string(),
                    comparison.format_difference(is_swapped) + &level,
                    comparison.deciding_p().map_or_else(String::new, |(sign, p)| match sign {
                        '=' => p,
                        less_than => format!("{less_than}{p}"),
                    }),
                    comparison.format_games(),
                ]
            }));
        }
        // An answer without its difference says little.
        let difference = columns[4].0.to_owned();
        TextTable::new(columns.map(|(title, content)| (title.to_owned(), content)).to_vec(), rows)
            .with_needed(&difference)
    }

    /// Makes the table without columns that are equal in every row; a line above the table has
    /// their values, if any.
    pub fn to_sheet_with_line(self) -> (Option<String>, TextTable) {
        let mut sheet = self.to_sheet();
        let rival_text = sheet.take_constant_column("than").map(|than| format!("against {than}"));
        let measure_text = sheet.take_constant_column("by").map(|by| format!("by {by}"));
        let parts: Vec<String> = rival_text.into_iter().chain(measure_text).collect();
        ((!parts.is_empty()).then(|| parts.join(", ") + ":"), sheet)
    }

    /// Makes a matrix of all players for each measure, the best first, with a line that explains
    /// it. Cells have as many digits as fit in the width.
    pub fn matrices(self, width: Option<usize>) -> Vec<(String, TextTable)> {
        let matrix = |(measure, comparisons): (Measure, Vec<_>)| {
            let formats = [DifferenceFormat::All, DifferenceFormat::Whole, DifferenceFormat::Sign];
            let mut candidates =
                formats.map(|format| (format, self.matrix(measure, &comparisons, format))).into_iter();
            let fitting = candidates.find(|(_, sheet)| width.is_none_or(|width| sheet.fits(width)));
            let (format, sheet) = fitting.unwrap_or_else(|| {
                (DifferenceFormat::Sign, self.matrix(measure, &comparisons, DifferenceFormat::Sign))
            });
            let unit = match measure {
                _ if format == DifferenceFormat::Sign => "",
                _ if measure.is_rate() || measure == Measure::Points => ", in points",
                _ if measure.is_time() => ", in speed",
                _ => ", in scores",
            };
            let title =
                format!("by {measure}: rows against columns{unit}; + better, - worse, ? inconclusive");
            (title, sheet)
        };
        self.group_by_measure().map(matrix).collect()
    }

    fn matrix(self, measure: Measure, comparisons: &[ComparedPair], format: DifferenceFormat) -> TextTable {
        let (order, _) = sort_by_strength(self.players, measure, self.question.level);
        let mut cells = BTreeMap::new();
        for &(comparison, (one, other)) in comparisons {
            cells.insert((one, other), comparison.format_cell(false, format));
            cells.insert((other, one), comparison.format_cell(true, format));
        }
        let mut columns =
            vec![("no".to_owned(), ColumnContent::Numbers), ("player".to_owned(), ColumnContent::Names)];
        columns.extend((1..=order.len()).map(|number| (number.to_string(), ColumnContent::Numbers)));
        let rows = order.iter().enumerate().map(|(index, player)| {
            let cell = |other: &usize| cells.get(&(*player, *other)).cloned().unwrap_or_default();
            let first_cells = [(index + 1).to_string(), self.players[*player].label.clone()];
            first_cells.into_iter().chain(order.iter().map(cell)).collect()
        });
        TextTable::new(columns, rows.collect())
    }

    /// Returns notes about the table, each in a sentence.
    pub fn notes(self) -> Vec<String> {
        let tested_count = self.comparisons.iter().filter(|comparison| comparison.p.is_some()).count();
        let mut notes = Vec::new();
        match self.comparisons.first().map_or(0, |comparison| comparison.family_size) {
            family_size if family_size > tested_count => notes.push(format!(
                "p is corrected for {family_size} comparisons, because the pairs were chosen after the games were played; intervals are not corrected"
            )),
            0 | 1 => {}
            family_size => notes.push(format!("p is corrected for {family_size} comparisons; intervals are not corrected")),
        }
        // Each caveat, with its first comparison and the number of comparisons that have it.
        let mut caveats: Vec<(String, &Comparison, usize)> = Vec::new();
        for comparison in self.comparisons {
            // The decision that ended the run is the answer; the columns are not.
            let stop_answer = comparison.stop_conclusion.as_ref().map(|conclusion| conclusion.answer.clone());
            for caveat in stop_answer.into_iter().chain(comparison.caveats()) {
                match caveats.iter_mut().find(|(text, ..)| *text == caveat) {
                    Some((_, _, count)) => *count += 1,
                    None => caveats.push((caveat, comparison, 1)),
                }
            }
        }
        let total = self.comparisons.len();
        // If all comparisons are corrected for equally many earlier answers, the sentence about the
        // family says so.
        let correction = self.comparisons.first().and_then(Comparison::describe_earlier_answers);
        let shared_index = caveats
            .iter()
            .position(|(caveat, _, count)| Some(caveat) == correction.as_ref() && *count == total);
        if let (Some(index), Some(note)) = (shared_index, notes.last_mut()) {
            *note += &format!(". Both are {}.", caveats.remove(index).0);
        }
        notes.extend(caveats.into_iter().map(|(caveat, first, count)| match count {
            count if count == total => caveat,
            1 => format!("{} vs {} by {}: {caveat}", first.player, first.rival, first.question.measure),
            count => format!("{count} of {total} comparisons: {caveat}"),
        }));
        notes
    }
}
