//! Comparisons as a person reads them: one row a pair, the best first; or all pairs as a matrix.

use super::contestants::{self, Asked, Choice, Contestant, strongest_first, value};
use crate::compare::brief::Digits;
use crate::compare::comparison::Comparison;
use crate::compare::question::Shown;
use crate::measure::Measure;
use crate::results::store::read::Results;
use crate::table::{Holds, Sheet, Table};
use crate::text::level;

/// Comparisons of some pairs of players by some measures, as [`super::contestants::compare`] gives them.
#[derive(Clone, Copy, Debug)]
pub struct Versus<'a> {
    /// The players.
    pub players: &'a [Contestant],
    /// The pairs, as places of players.
    pub pairs: &'a [(usize, usize)],
    /// True if these are all pairs: then the better player of each stands first, and otherwise the one that was
    /// asked about.
    pub are_all: bool,
    /// Question to them.
    pub asked: &'a Asked,
    /// For each measure the comparisons of all pairs, in their order.
    pub comparisons: &'a [(Comparison, String)],
    /// Number of comparisons that they are corrected for; none if it is theirs.
    pub family: Option<usize>,
}

/// All pairs of players by what the leader leads by, for a page.
#[derive(Clone, Debug)]
pub struct AllPairs {
    /// By what they are compared.
    pub by: Measure,
    /// The players, the best first.
    pub players: Vec<String>,
    /// For each player what it does against each player; nothing against itself.
    pub cells: Vec<Vec<Option<Told>>>,
    /// The comparisons with all their numbers.
    pub table: Table,
}

/// A comparison in a cell of a matrix.
#[derive(Clone, Debug)]
pub struct Told {
    /// By how much the player of the row is better, as in every matrix.
    pub text: String,
    /// Verdict on the player of the row.
    pub shown: Shown,
    /// The answer in a sentence.
    pub answer: String,
}

impl AllPairs {
    /// Those of these players; none where there is no other player. The contestants are those for
    /// [`leading`](contestants::leading).
    pub fn of(results: &[Results], players: &[Contestant]) -> Option<AllPairs> {
        let comparisons = contestants::compare_all(results, players);
        let by = comparisons.first()?.0.question.by;
        let pairs = contestants::pairs(players, &Choice::AllPairs).ok()?;
        let asked = Asked { by: vec![by], ..Asked::default() };
        let versus = Versus {
            players,
            pairs: &pairs,
            are_all: true,
            asked: &asked,
            comparisons: &comparisons,
            family: None,
        };
        let ranks = versus.ranks(by);
        let mut names = vec![String::new(); players.len()];
        players.iter().zip(&ranks).for_each(|(one, &rank)| names[rank].clone_from(&one.label));
        let mut cells = vec![vec![None; players.len()]; players.len()];
        for ((comparison, answer), &(one, other)) in comparisons.iter().zip(&pairs) {
            let told = |is_turned| Told {
                text: comparison.cell(is_turned, Digits::Whole),
                shown: comparison.shown().turned(is_turned),
                answer: answer.clone(),
            };
            cells[ranks[one]][ranks[other]] = Some(told(false));
            cells[ranks[other]][ranks[one]] = Some(told(true));
        }
        Some(AllPairs { by, players: names, cells, table: contestants::table(&comparisons) })
    }
}

/// A comparison beside the places of its players.
type Compared<'a> = (&'a Comparison, (usize, usize));

impl<'a> Versus<'a> {
    /// The comparisons by each measure, beside their pairs.
    fn by_measure(self) -> impl Iterator<Item = (Measure, Vec<Compared<'a>>)> {
        let chunks = self.comparisons.chunks(self.pairs.len().max(1));
        self.asked.by.iter().copied().zip(chunks).map(move |(by, chunk)| {
            (by, chunk.iter().map(|(comparison, _)| comparison).zip(self.pairs.iter().copied()).collect())
        })
    }

    /// One row a pair: the best first or, of all pairs, by the better player.
    pub fn sheet(self) -> Sheet {
        let heads = [
            ("player", Holds::Names),
            ("answer", Holds::Words),
            ("than", Holds::Names),
            ("by", Holds::Words),
            (&*format!("difference [{}]", level(self.asked.level)), Holds::Numbers),
            ("p", Holds::Numbers),
            ("games", Holds::Numbers),
        ];
        let mut rows = Vec::new();
        for (by, comparisons) in self.by_measure() {
            let rank = self.ranks(by);
            let mut ordered: Vec<_> = comparisons
                .into_iter()
                .map(|(comparison, (one, other))| {
                    let lead = comparison.lead();
                    let is_turned = self.are_all && lead.map_or(rank[one] > rank[other], |lead| lead < 0.0);
                    let (one, other) = if is_turned { (other, one) } else { (one, other) };
                    (comparison, is_turned, rank[one], rank[other])
                })
                .collect();
            if self.are_all {
                ordered.sort_by_key(|&(_, _, one, other)| (one, other));
            } else {
                let key = |comparison: &Comparison| comparison.lead().unwrap_or(f64::NEG_INFINITY);
                ordered.sort_by(|one, other| key(other.0).total_cmp(&key(one.0)));
            }
            rows.extend(ordered.into_iter().map(|(comparison, is_turned, ..)| {
                let [player, than] = comparison.sides(is_turned);
                vec![
                    player.to_owned(),
                    comparison.verdict(is_turned).to_owned(),
                    than.to_owned(),
                    by.to_string(),
                    comparison.difference(is_turned),
                    comparison.deciding_p(),
                    comparison.games(),
                ]
            }));
        }
        // An answer without its difference says little.
        let difference = heads[4].0.to_owned();
        Sheet::new(heads.map(|(head, holds)| (head.to_owned(), holds)).to_vec(), rows).needing(&difference)
    }

    /// The same, without columns that say the same in every row: a line above it says that, if there are some.
    pub fn sheet_below_line(self) -> (Option<String>, Sheet) {
        let mut sheet = self.sheet();
        let than = sheet.take_same("than").map(|than| format!("against {than}"));
        let by = sheet.take_same("by").map(|by| format!("by {by}"));
        let said: Vec<String> = than.into_iter().chain(by).collect();
        ((!said.is_empty()).then(|| said.join(", ") + ":"), sheet)
    }

    /// All players beside all players by each measure, the best first, with a line that says how to read it. The cells have as
    /// many digits as the width has room for.
    pub fn matrices(self, width: Option<usize>) -> Vec<(String, Sheet)> {
        let matrix = |(by, comparisons): (Measure, Vec<_>)| {
            let forms = [Digits::All, Digits::Whole, Digits::Sign];
            let mut forms = forms.map(|digits| (digits, self.matrix(by, &comparisons, digits))).into_iter();
            let fitting = forms.find(|(_, sheet)| width.is_none_or(|width| sheet.fits(width)));
            let (digits, sheet) =
                fitting.unwrap_or_else(|| (Digits::Sign, self.matrix(by, &comparisons, Digits::Sign)));
            let unit = match by {
                _ if digits == Digits::Sign => "",
                _ if by.is_rate() || by == Measure::Points => ", in points",
                _ if by.is_time() => ", in speed",
                _ => ", in scores",
            };
            let said = format!("by {by}: rows beside columns{unit}; + better, - worse, ? not shown");
            (said, sheet)
        };
        self.by_measure().map(matrix).collect()
    }

    fn matrix(self, by: Measure, comparisons: &[Compared], digits: Digits) -> Sheet {
        let ranks = self.ranks(by);
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        order.sort_by_key(|&player| ranks[player]);
        let count = order.len();
        let mut cells = vec![vec![String::new(); count]; count];
        for (comparison, (one, other)) in comparisons {
            let (one, other) = (ranks[*one], ranks[*other]);
            cells[one][other] = comparison.cell(false, digits);
            cells[other][one] = comparison.cell(true, digits);
        }
        let mut heads = vec![("no".to_owned(), Holds::Numbers), ("player".to_owned(), Holds::Names)];
        heads.extend((1..=count).map(|number| (number.to_string(), Holds::Numbers)));
        let rows = cells.into_iter().zip(&order).enumerate().map(|(rank, (cells, &player))| {
            [(rank + 1).to_string(), self.players[player].label.clone()].into_iter().chain(cells).collect()
        });
        Sheet::new(heads, rows.collect())
    }

    /// Notes beside the table, each in a sentence.
    pub fn notes(self) -> Vec<String> {
        let family = self.comparisons.iter().filter(|(comparison, _)| comparison.p.is_some()).count();
        let mut notes = Vec::new();
        match self.family {
            Some(all) if all > family => notes.push(format!(
                "p is corrected for all {all} comparisons of two players, for these were chosen by their games; intervals are \
                 not"
            )),
            _ if family > 1 => {
                notes.push(format!("p is corrected for {family} comparisons; intervals are not"));
            }
            _ => {}
        }
        // Each caveat with the first comparison that has it, and how many have it.
        let mut caveats: Vec<(String, &Comparison, usize)> = Vec::new();
        for (comparison, _) in self.comparisons {
            // The decision that ended the run is the answer, and not the columns.
            let decided = comparison.decided.as_ref().map(|decided| decided.words.clone());
            for caveat in decided.into_iter().chain(comparison.caveats()) {
                match caveats.iter_mut().find(|(known, ..)| *known == caveat) {
                    Some((_, _, count)) => *count += 1,
                    None => caveats.push((caveat, comparison, 1)),
                }
            }
        }
        let all = self.comparisons.len();
        // If earlier answers came before all comparisons alike, that belongs to the sentence on the family.
        let corrected = self.comparisons.first().and_then(|(comparison, _)| comparison.corrected());
        let of_all =
            caveats.iter().position(|(caveat, _, count)| Some(caveat) == corrected.as_ref() && *count == all);
        if let (Some(place), Some(note)) = (of_all, notes.last_mut()) {
            *note += &format!(". Both are {}.", caveats.remove(place).0);
        }
        notes.extend(caveats.into_iter().map(|(caveat, first, count)| match count {
            count if count == all => caveat,
            1 => format!("{} and {} by {}: {caveat}", first.player, first.than, first.question.by),
            count => format!("in {count} of {all} comparisons {caveat}"),
        }));
        notes
    }

    /// The rank of each player by its own number, from 0 on; equals in their order.
    fn ranks(self, by: Measure) -> Vec<usize> {
        let values: Vec<_> = self.players.iter().map(|player| value(player, by, self.asked.level)).collect();
        let mut ranks = vec![0; values.len()];
        strongest_first(self.players, &values, by)
            .into_iter()
            .enumerate()
            .for_each(|(rank, player)| ranks[player] = rank);
        ranks
    }
}
