//! What a journal holds of a plan, and so what is left to play.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Context;

use super::journal::{Journal, Line};
use super::keyed::Keyed;
use crate::config::Blocks;
use crate::record::GameRecord;

/// The most blocks of a window: their records take some 6 MB, and their rows 8.
const WINDOW: u64 = 1 << 17;

/// For each line-up of a plan, where the records of its blocks are.
#[derive(Debug)]
pub struct Coverage<'a> {
    /// For each line-up, in the order of the plan, its stretches in the order of blocks; none overlaps another.
    pub stretches: Vec<Vec<Stretch<'a>>>,
    /// Games in the journal that the plan does not ask for: of another version of the experiment.
    pub others: u64,
}

/// Consecutive blocks whose records stand one after the other in one line.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    /// The first block.
    pub first: u64,
    /// How many blocks.
    pub blocks: u64,
    /// The line.
    pub line: &'a Line,
    /// How many blocks of the line come before.
    pub skip: u64,
    /// Whether this is the first stretch of its line, which stands for the line where that counts once.
    pub leads: bool,
}

impl Stretch<'_> {
    /// The records of the stretch among all records of its line, if the line has them.
    pub fn of<'r>(&self, records: &'r [GameRecord], legs: u64) -> anyhow::Result<&'r [GameRecord]> {
        let asked = (legs * self.skip) as usize..(legs * (self.skip + self.blocks)) as usize;
        records.get(asked).context("a line of the journal has fewer games than it says")
    }

    /// The blocks.
    pub fn range(&self) -> Range<u64> {
        self.first..self.first + self.blocks
    }

    /// The part of it that lies within these blocks, which touch it.
    #[must_use]
    pub fn within(self, blocks: &Range<u64>) -> Self {
        let first = self.first.max(blocks.start);
        let end = self.range().end.min(blocks.end);
        Stretch { first, blocks: end - first, skip: self.skip + (first - self.first), ..self }
    }
}

impl<'a> Coverage<'a> {
    /// Finds the games of a plan in a journal. Games that the plan does not ask for are passed over.
    pub fn of(plan: &Keyed, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        let mut stretches = vec![Vec::new(); plan.lineups.len()];
        let by_seed: BTreeMap<u64, u64> = match &*plan.blocks {
            Blocks::Derived { .. } => BTreeMap::new(),
            Blocks::Listed(seeds) => seeds.iter().copied().zip(0..).collect(),
        };
        let mut lineups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for lineup in 0..plan.lineups.len() {
            lineups.entry(plan.key(lineup)).or_default().push(lineup);
        }
        let legs = plan.legs();
        let mut others = 0;
        for line in journal.lines() {
            // Line-ups with the same key share their games.
            let Some(lineups) = lineups.get(&*line.key) else {
                others += u64::from(line.games);
                continue;
            };
            let of_line = |first, blocks, skip| Stretch { first, blocks, line, skip, leads: false };
            let found = match line.first {
                Some(first) => {
                    let blocks = plan.blocks.len().saturating_sub(first).min(u64::from(line.games) / legs);
                    vec![of_line(first, blocks, 0)]
                }
                None => {
                    let seeds = (0..).zip(journal.read(line)?.seeds);
                    let found = seeds.filter_map(|(skip, seed)| Some(of_line(*by_seed.get(&seed)?, 1, skip)));
                    found.collect()
                }
            };
            let asked = legs * found.iter().map(|stretch| stretch.blocks).sum::<u64>();
            others += u64::from(line.games).saturating_sub(asked);
            for &lineup in lineups {
                stretches[lineup].extend(&found);
            }
        }
        for found in &mut stretches {
            tidy(found);
        }
        Ok(Coverage { stretches, others })
    }

    /// How many of these blocks one line-up has played.
    pub fn blocks(&self, lineup: usize, among: &Range<u64>) -> u64 {
        let missing: u64 = self.missing(lineup, among).iter().map(|range| range.end - range.start).sum();
        among.end - among.start - missing
    }

    /// The blocks of one line-up that are missing among these.
    pub fn missing(&self, lineup: usize, among: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut next = among.start;
        for stretch in self.touching(lineup, among) {
            if stretch.first > next {
                missing.push(next..stretch.first);
            }
            next = next.max(stretch.first + stretch.blocks);
        }
        if next < among.end {
            missing.push(next..among.end);
        }
        missing
    }

    /// The stretches of one line-up that touch these blocks.
    pub fn touching(&self, lineup: usize, among: &Range<u64>) -> &[Stretch<'a>] {
        let stretches = &self.stretches[lineup];
        let from = stretches.partition_point(|stretch| stretch.first + stretch.blocks <= among.start);
        let to = stretches.partition_point(|stretch| stretch.first < among.end);
        &stretches[from..to.max(from)]
    }

    /// The stretches of one line-up in order, in windows that fit in memory.
    pub fn windows(&self, lineup: usize) -> impl Iterator<Item = &[Stretch<'a>]> {
        let mut rest = &self.stretches[lineup][..];
        std::iter::from_fn(move || {
            let mut games = 0;
            let fits = rest.iter().take_while(|stretch| {
                games += stretch.blocks;
                games <= WINDOW || games == stretch.blocks
            });
            let (window, left) = rest.split_at(fits.count());
            rest = left;
            (!window.is_empty()).then_some(window)
        })
    }

    /// Whether all games of the plan are there.
    pub fn is_complete(&self, plan: &Keyed) -> bool {
        (0..plan.lineups.len()).all(|lineup| self.missing(lineup, &(0..plan.blocks.len())).is_empty())
    }
}

/// Stretches sorted by the lines they lie in, in the order of the journal: seeds that are listed in another order than
/// before leave every game a stretch by itself, and a line must not be read once for each.
pub fn by_line<'a>(stretches: &[Stretch<'a>]) -> Vec<(&'a Line, Vec<Stretch<'a>>)> {
    let mut lines: BTreeMap<*const Line, (&Line, Vec<Stretch>)> = BTreeMap::new();
    for &stretch in stretches {
        let line = lines.entry(stretch.line).or_insert_with(|| (stretch.line, Vec::new()));
        line.1.push(stretch);
    }
    lines.into_values().collect()
}

/// Sorts stretches by block, cuts off what an earlier one holds too, and joins neighbours.
fn tidy(stretches: &mut Vec<Stretch>) {
    // Stable: of two that begin with the same block, the one that was written first stays.
    stretches.sort_by_key(|stretch| stretch.first);
    let mut tidied: Vec<Stretch> = Vec::with_capacity(stretches.len());
    for mut stretch in stretches.drain(..) {
        if let Some(last) = tidied.last_mut() {
            let end = last.first + last.blocks;
            let known = end.saturating_sub(stretch.first).min(stretch.blocks);
            stretch.first += known;
            stretch.skip += known;
            stretch.blocks -= known;
            let follows = stretch.first == end && stretch.skip == last.skip + last.blocks;
            if follows && std::ptr::eq(stretch.line, last.line) {
                last.blocks += stretch.blocks;
                continue;
            }
        }
        if stretch.blocks > 0 {
            tidied.push(stretch);
        }
    }
    lead(&mut tidied);
    *stretches = tidied;
}

/// Marks the first stretch of each line.
pub fn lead(stretches: &mut [Stretch]) {
    let mut lines = BTreeSet::new();
    for stretch in stretches {
        stretch.leads = lines.insert(std::ptr::from_ref(stretch.line));
    }
}
