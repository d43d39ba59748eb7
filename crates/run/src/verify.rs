//! Plays a random sample of a journal's games again, and compares them with their records.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, anyhow};
use gauntlet_core::arena;
use gauntlet_core::game::{Block, Shape};
use gauntlet_core::player::Stop;
use gauntlet_core::record::{Complaint, GameRecord};
use gauntlet_core::rng::{Rng, Seed};
use rayon::prelude::*;

use super::block_span::BlockSpan;
use super::coverage::{Coverage, LocatedRecord, lineups_with_distinct_keys, read_records};
use super::keyed_plan::KeyedPlan;
use super::memory::thread_budget;
use super::{machine, threads};

/// How many blocks of each line-up are played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationSize {
    /// Share of the blocks in the journal, in millionths, rounded up.
    Share(u32),
    /// Number of blocks; all if there are fewer.
    Blocks(u64),
}

const MILLION: u32 = 1_000_000;

impl VerificationSize {
    fn block_count(self, blocks: u64) -> u64 {
        match self {
            VerificationSize::Share(share) => {
                (u128::from(share) * u128::from(blocks)).div_ceil(MILLION.into()) as u64
            }
            VerificationSize::Blocks(number) => number.min(blocks),
        }
    }
}

impl FromStr for VerificationSize {
    type Err = String;

    fn from_str(text: &str) -> Result<VerificationSize, String> {
        let size = match text.strip_suffix('%') {
            Some(percent) => parse_millionths(percent).map(VerificationSize::Share),
            None => text.parse().ok().filter(|&number| number > 0).map(VerificationSize::Blocks),
        };
        size.ok_or_else(|| {
            "expected a share above 0 and up to 100 %, such as 1% or 0.25%, or a number of blocks".to_owned()
        })
    }
}

/// Parses a percentage above 0 and up to 100, with at most four decimals, as millionths.
fn parse_millionths(percent: &str) -> Option<u32> {
    let (whole, decimals) = percent.split_once('.').unwrap_or((percent, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) || decimals.len() > 4 {
        return None;
    }
    let whole: u32 = whole.parse().ok().filter(|&whole| whole <= 100)?;
    let share = whole * (MILLION / 100) + format!("{decimals:0<4}").parse::<u32>().ok()?;
    (1..=MILLION).contains(&share).then_some(share)
}

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerificationResult {
    /// Number of games played again.
    pub games: u64,
    /// First block with a different game, in the first line-up that has one.
    pub difference: Option<Difference>,
    /// True if it was stopped before all were played.
    pub is_interrupted: bool,
}

/// A block that differs from the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line-up of the game.
    pub lineup: usize,
    pub block: u64,
    /// Position in the journal.
    pub location: String,
    /// Record in the journal, and record when played again.
    pub records: [GameRecord; 2],
}

impl Difference {
    /// Describes the difference, in words that continue a sentence.
    pub fn describe<'a>(&'a self, plan: &'a KeyedPlan) -> impl fmt::Display {
        let Difference { lineup, block, location, records: [recorded, replayed] } = self;
        let points = match plan.arena.shape {
            Shape::Solo => {
                format!(": {} points in {} moves there, ", recorded.score(), recorded.moves)
                    + &format!("{} points in {} moves when replayed", replayed.score(), replayed.moves)
            }
            Shape::Duel => String::new(),
        };
        format!(
            "{location}: the game of {} on block {block} differs from its replay{points}",
            plan.title(*lineup)
        )
    }
}

/// Plays a part of the blocks of each reproducible line-up again. `seed` selects them.
pub fn verify(
    plan: &KeyedPlan,
    coverage: &Coverage,
    (size, seed): (VerificationSize, Seed),
    memory: u64,
    stop: &Stop,
) -> anyhow::Result<VerificationResult> {
    let threads = thread_budget(plan, machine::cores(), memory)?.threads;
    let pool = threads::build_pool(threads)?;
    let mut result = VerificationResult::default();
    // Programs of players start only in runs, so their line-ups are skipped.
    let is_inside = |lineup: usize| plan.members(lineup).all(|player| !player.entry.facts().is_external());
    let is_sure = |&lineup: &usize| plan.is_lineup_reproducible(lineup) && is_inside(lineup);
    for lineup in lineups_with_distinct_keys(plan).filter(is_sure) {
        let spans = &coverage.spans[lineup];
        let block_count = spans.iter().map(|span| span.blocks).sum::<u64>();
        let rng = seed.child("line-up", lineup as u64).rng();
        let mut draws = draw_sorted(block_count, size.block_count(block_count), rng).peekable();
        // Number of blocks before the window.
        let mut offset = 0;
        for window in coverage.windows(lineup) {
            let mut sampled_spans: Vec<BlockSpan> = Vec::new();
            for span in window {
                while let Some(position) = draws.next_if(|&position| position < offset + span.blocks) {
                    let block = span.first + (position - offset);
                    sampled_spans.push(span.clip(&(block..block + 1)));
                }
                offset += span.blocks;
            }
            let legs = plan.legs() as usize;
            let recorded = read_records(plan.legs(), coverage.journal, &sampled_spans)?;
            let chunk_size = legs * (recorded.len() / legs).div_ceil(4 * threads).max(1);
            let results = pool.install(|| {
                let chunks = recorded.par_chunks(chunk_size).map(|chunk| play(plan, lineup, chunk, stop));
                chunks.collect::<anyhow::Result<Vec<_>>>()
            })?;
            for (games, difference) in results {
                result.games += games;
                if let Some((game, records)) = difference.filter(|_| result.difference.is_none()) {
                    let location = coverage.journal.describe_place(game.line);
                    result.difference = Some(Difference { lineup, block: game.block, location, records });
                }
            }
            if stop.is_requested() {
                return Ok(VerificationResult { is_interrupted: true, ..result });
            }
        }
    }
    Ok(result)
}

/// Draws sorted indices below `total`, one from each of `count` intervals of equal length.
fn draw_sorted(total: u64, count: u64, mut rng: Rng) -> impl Iterator<Item = u64> {
    let boundary = move |i: u64| (u128::from(total) * u128::from(i) / u128::from(count)) as u64;
    (0..count).map(move |i| boundary(i) + rng.below(boundary(i + 1) - boundary(i)))
}

/// The first different game in the journal, and its records there and when played again.
type FirstDifference<'a> = Option<(&'a LocatedRecord, [GameRecord; 2])>;

/// Plays the blocks of some games again; returns the number of games and the first difference.
fn play<'a>(
    plan: &KeyedPlan,
    lineup: usize,
    recorded: &'a [LocatedRecord],
    stop: &Stop,
) -> anyhow::Result<(u64, FirstDifference<'a>)> {
    let entries: Vec<_> = plan.members(lineup).map(|player| player.entry).collect();
    let worker = arena::build_worker(&entries, plan.max_moves, &plan.build_context(stop));
    let mut worker = worker.with_context(|| format!("cannot build {:?}", plan.title(lineup)))?;
    let games = recorded.chunks(plan.legs() as usize);
    let blocks: Vec<Block> = games.map(|games| plan.blocks.block(games[0].block)).collect();
    let result = worker(&blocks);
    if let Some((index, Complaint { reason, .. })) =
        result.complaints.iter().find(|(index, _)| result.records[*index].ending.is_panic())
    {
        let block = recorded[*index].block;
        return Err(anyhow!("{} failed in block {block}: {reason}", plan.title(lineup)));
    }
    let mut differences =
        recorded.iter().zip(&result.records).filter(|(recorded, replayed)| recorded.record != **replayed);
    let difference = differences.next().map(|(recorded, replayed)| (recorded, [recorded.record, *replayed]));
    Ok((result.records.len() as u64, difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_shares_or_numbers() {
        assert_eq!("1%".parse(), Ok(VerificationSize::Share(10_000)));
        assert_eq!("0.25%".parse(), Ok(VerificationSize::Share(2_500)));
        assert_eq!("100.0000%".parse(), Ok(VerificationSize::Share(MILLION)));
        assert_eq!("12".parse(), Ok(VerificationSize::Blocks(12)));
        for invalid in [
            "",
            "%",
            "0",
            "0%",
            "0.0%",
            "101%",
            "100.0001%",
            "0.00001%",
            "-1",
            "-1%",
            "1e1%",
            "NaN%",
            "inf%",
            "1.5",
            "one",
            "4294967297%",
            ".5%",
            "5.%",
            "+5%",
        ] {
            assert!(invalid.parse::<VerificationSize>().is_err(), "{invalid}");
        }
    }

    #[test]
    fn percents_of_a_hundred_are_as_many() {
        for percent in 1..=100 {
            let size: VerificationSize = format!("{percent}%").parse().unwrap();
            assert_eq!(size.block_count(100), percent);
            assert_eq!(size.block_count(101), if percent == 100 { 101 } else { percent + 1 });
        }
    }

    #[test]
    fn as_many_places_are_drawn_as_asked_for() {
        for (total, size, expected) in [
            (0, VerificationSize::Share(500_000), 0),
            (1, VerificationSize::Share(10_000), 1),
            (1000, VerificationSize::Share(10_000), 10),
            (1001, VerificationSize::Share(10_000), 11),
            (7, VerificationSize::Blocks(100), 7),
            (7, VerificationSize::Share(MILLION), 7),
            (1000, VerificationSize::Blocks(3), 3),
        ] {
            assert_eq!(size.block_count(total), expected);
            let indices: Vec<u64> = draw_sorted(total, expected, Seed::root(1).rng()).collect();
            assert_eq!(indices.len() as u64, expected);
            assert!(
                indices.windows(2).all(|pair| pair[0] < pair[1])
                    && indices.iter().all(|&index| index < total)
            );
        }
        let draw = |seed| draw_sorted(1000, 10, Seed::root(seed).rng()).collect::<Vec<_>>();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
