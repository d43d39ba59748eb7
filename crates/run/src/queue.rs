//! Deals batches to threads: a few consecutive blocks of one line-up at a time.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

/// Time of a batch. A killed process loses this much play of each thread, and blocks of other
/// line-ups wait this long for their turn. Dealing a batch and writing its slice costs some
/// microseconds.
const BATCH_TIME: Duration = Duration::from_millis(40);

/// Smallest time of a batch: games of microseconds are too short for one batch each.
const MIN_BATCH_TIME: Duration = Duration::from_millis(1);

/// Smallest number of batches of a line-up, however short: comparisons of times pair the batches of
/// two players, and need ten of about equal size.
const MIN_BATCHES: f64 = 20.0;

/// Smallest number of batches of a line-up, unless they would be too short: their differences show
/// how well its time is known.
const TARGET_BATCHES: f64 = 40.0;

/// Largest number of blocks in a batch: a line of the journal stays below 300 kB.
const MAX_BATCH: u64 = 16_384;

/// Blocks left to play.
#[derive(Debug)]
pub(super) struct Queue {
    lineups: Vec<LineUpQueue>,
    /// Number of batches dealt so far.
    dealt_batches: u64,
    threads: u64,
}

#[derive(Debug)]
struct LineUpQueue {
    missing: VecDeque<Range<u64>>,
    blocks_left: u64,
    total_blocks: u64,
    /// Measured seconds per block; `None` before the first result.
    seconds_per_block: Option<f64>,
    /// Time to build its players, if a thread cannot keep them between batches.
    build_time: Duration,
    /// Number of games that its player evaluates together; 0 if games are played one after the
    /// other.
    joint_games: u64,
    /// True if one worker plays all blocks in one batch.
    is_whole: bool,
    /// Number of its last batch, counted from 1.
    last_batch: u64,
}

/// Blocks of one line-up, which a worker plays next: one range, unless the line-up is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockBatch {
    pub(super) lineup: usize,
    pub(super) blocks: Vec<Range<u64>>,
}

impl Queue {
    pub(super) fn new(missing: Vec<Vec<Range<u64>>>, threads: usize) -> Queue {
        let lineup_queue = |missing: Vec<Range<u64>>| {
            let blocks_left = missing.iter().map(|range| range.end - range.start).sum();
            LineUpQueue {
                missing: missing.into(),
                blocks_left,
                total_blocks: blocks_left,
                seconds_per_block: None,
                build_time: Duration::ZERO,
                joint_games: 0,
                is_whole: false,
                last_batch: 0,
            }
        };
        Queue {
            lineups: missing.into_iter().map(lineup_queue).collect(),
            dealt_batches: 0,
            threads: threads as u64,
        }
    }

    /// Deals all blocks of these line-ups in one batch each.
    #[must_use]
    pub(super) fn with_whole(mut self, is_whole: impl Fn(usize) -> bool) -> Queue {
        for (lineup, queue) in self.lineups.iter_mut().enumerate() {
            queue.is_whole = is_whole(lineup);
        }
        self
    }

    /// Returns the number of blocks left of each line-up.
    pub(super) fn remaining(&self) -> impl Iterator<Item = u64> {
        self.lineups.iter().map(|queue| queue.blocks_left)
    }

    /// Returns the next batch, of the line-up whose next block is lowest. So all line-ups progress
    /// together. The number of blocks that are complete for all grows, times are measured side by
    /// side, and near the end only single blocks are left. But each line-up first gets one batch
    /// immediately, so that its pace is known.
    ///
    /// Among line-ups at the same block, the one dealt last comes first. The line-up played second
    /// finds in the caches what the first used on the same seeds. If it were always the same
    /// player, it would seem 2 % faster in short runs. Measured paces vary, so batches of different
    /// line-ups would hardly ever end at the same block. So a batch ends where the preceding one
    /// did.
    pub(super) fn next(&mut self) -> Option<BlockBatch> {
        let waiting = self.lineups.iter().enumerate().filter_map(|(lineup, queue)| {
            let next = queue.missing.front()?.start;
            Some((queue.blocks_left < queue.total_blocks, next, Reverse(queue.last_batch), lineup))
        });
        let (_, next, _, lineup) = waiting.min()?;
        if self.lineups[lineup].is_whole {
            let queue = &mut self.lineups[lineup];
            queue.blocks_left = 0;
            return Some(BlockBatch { lineup, blocks: std::mem::take(&mut queue.missing).into() });
        }
        let end = next + self.batch_size(lineup);
        let end = self.common_end(next, end).unwrap_or(end);
        self.dealt_batches += 1;
        let queue = &mut self.lineups[lineup];
        queue.last_batch = self.dealt_batches;
        let range = queue.missing.front_mut().expect("blocks are left");
        let blocks = range.start..range.end.min(end);
        range.start = blocks.end;
        if range.is_empty() {
            queue.missing.pop_front();
        }
        queue.blocks_left -= blocks.end - blocks.start;
        Some(BlockBatch { lineup, blocks: vec![blocks] })
    }

    /// Stops dealing blocks from this one on, and returns how many blocks of each line-up are
    /// skipped.
    pub(super) fn end_before(&mut self, block: u64) -> Vec<u64> {
        let skip = |queue: &mut LineUpQueue| {
            let blocks_before = queue.blocks_left;
            queue.missing.retain_mut(|range| {
                range.end = range.end.min(block);
                !range.is_empty()
            });
            queue.blocks_left = queue.missing.iter().map(|range| range.end - range.start).sum();
            queue.total_blocks -= blocks_before - queue.blocks_left;
            blocks_before - queue.blocks_left
        };
        self.lineups.iter_mut().map(skip).collect()
    }

    /// Stops dealing blocks of these line-ups, and returns how many blocks of each are skipped.
    pub(super) fn leave_out(&mut self, is_skipped: impl Fn(usize) -> bool) -> Vec<(usize, u64)> {
        let skipped = self.lineups.iter_mut().enumerate().filter(|(lineup, _)| is_skipped(*lineup));
        let skip = |(lineup, queue): (usize, &mut LineUpQueue)| {
            let skipped_blocks = std::mem::take(&mut queue.blocks_left);
            queue.missing.clear();
            queue.total_blocks -= skipped_blocks;
            (lineup, skipped_blocks)
        };
        skipped.map(skip).collect()
    }

    /// Records how long some blocks took.
    pub(super) fn note_time(&mut self, lineup: usize, blocks: u64, duration: Duration) {
        let queue = &mut self.lineups[lineup];
        let seconds_per_block = duration.as_secs_f64() / blocks as f64;
        queue.seconds_per_block = Some(
            queue.seconds_per_block.map_or(seconds_per_block, |earlier| 0.5 * (earlier + seconds_per_block)),
        );
    }

    /// Records how many games a player evaluates together. Batches then have several times as many
    /// games, so that nearly all evaluations are full.
    pub(super) fn note_batch(&mut self, lineup: usize, joint_games: u64) {
        self.lineups[lineup].joint_games = joint_games;
    }

    /// Records the build time of players that no thread keeps: a batch of theirs takes at least as
    /// long.
    pub(super) fn note_build(&mut self, lineup: usize, build_time: Duration) {
        self.lineups[lineup].build_time = build_time;
    }

    /// Returns a block at which other line-ups have stopped and a batch from `next` on may end
    /// instead of `end`. The batch then has at least half and at most twice as many blocks. If
    /// there are several, returns the last.
    fn common_end(&self, next: u64, end: u64) -> Option<u64> {
        let count = end - next;
        let allowed_ends = next + count.div_ceil(2)..=next + (2 * count).min(MAX_BATCH);
        let others = self.lineups.iter().filter_map(|queue| Some(queue.missing.front()?.start));
        others.filter(|block| allowed_ends.contains(block)).max()
    }

    fn batch_size(&self, lineup: usize) -> u64 {
        // Unknown pace: one block.
        let Some(seconds_per_block) = self.lineups[lineup].seconds_per_block else { return 1 };
        let seconds_per_block = seconds_per_block.max(1e-9);
        let total_blocks = self.lineups[lineup].total_blocks as f64;
        let build_blocks = self.lineups[lineup].build_time.as_secs_f64() / seconds_per_block;
        let min_blocks = (MIN_BATCH_TIME.as_secs_f64() / seconds_per_block)
            .min(total_blocks / MIN_BATCHES)
            .max(build_blocks);
        // Near the end batches shrink to single blocks, so that no thread is left with a long one.
        let times_left = self
            .lineups
            .iter()
            .map(|queue| queue.blocks_left as f64 * queue.seconds_per_block.unwrap_or(0.0));
        let fair_time = times_left.sum::<f64>() / (2 * self.threads) as f64;
        // Computed in blocks: converting through times would round down by a block.
        let count = (BATCH_TIME.as_secs_f64().min(fair_time) / seconds_per_block)
            .min(total_blocks / TARGET_BATCHES)
            .max(min_blocks);
        let joint_blocks = 4 * self.lineups[lineup]
            .joint_games
            .min(self.lineups[lineup].blocks_left.div_ceil(4 * self.threads));
        (count as u64).max(joint_blocks).clamp(1, MAX_BATCH)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::tally::player_times::{LONGEST_BATCH, PARTS};

    fn count(batch: &BlockBatch) -> u64 {
        batch.blocks.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns a batch of the first line-up.
    fn first_lineup_batch(blocks: Range<u64>) -> Option<BlockBatch> {
        Some(BlockBatch { lineup: 0, blocks: vec![blocks] })
    }

    #[test]
    fn a_whole_lineup_is_one_batch() {
        let missing = vec![vec![0..10], vec![0..3, 5..9]];
        let mut queue = Queue::new(missing, 2).with_whole(|lineup| lineup == 1);
        assert_eq!(queue.next(), first_lineup_batch(0..1));
        assert_eq!(queue.next(), Some(BlockBatch { lineup: 1, blocks: vec![0..3, 5..9] }));
        let others: Vec<usize> = std::iter::from_fn(|| queue.next()).map(|batch| batch.lineup).collect();
        assert_eq!(others, [0; 9]);
    }

    #[test]
    fn every_block_is_dealt_once_and_the_end_is_dealt_singly() {
        let missing = vec![vec![0..1000, 2000..90_000], vec![], vec![7..8, 9..90_000]];
        let mut queue = Queue::new(missing.clone(), 2);
        let mut dealt_blocks = vec![Vec::new(); 3];
        let mut counts = Vec::new();
        while let Some(batch) = queue.next() {
            let count = count(&batch);
            let micros_per_block = if batch.lineup == 0 { 10_000 } else { 30 };
            queue.note_time(batch.lineup, count, Duration::from_micros(micros_per_block * count));
            counts.push(count);
            dealt_blocks[batch.lineup].extend(batch.blocks.into_iter().flatten());
        }
        for (lineup_blocks, missing) in dealt_blocks.iter().zip(missing) {
            let expected: Vec<u64> = missing.into_iter().flatten().collect();
            assert_eq!(*lineup_blocks, expected);
        }
        assert_eq!(counts[counts.len() - 2..], [1, 1]);
        assert!(counts.iter().any(|&count| count > 100));
    }

    #[test]
    fn what_comes_after_the_end_is_not_dealt() {
        let mut queue = Queue::new(vec![vec![0..10, 20..30], vec![25..40], vec![]], 1);
        assert_eq!(queue.next(), first_lineup_batch(0..1));
        assert_eq!(queue.end_before(22), [8, 15, 0]);
        let dealt_blocks: Vec<u64> =
            std::iter::from_fn(|| queue.next()).flat_map(|batch| batch.blocks).flatten().collect();
        assert_eq!(dealt_blocks, [1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21]);
    }

    #[test]
    fn players_that_are_built_again_and_again_play_as_long_as_that_takes() {
        let mut queue = Queue::new(vec![vec![0..10_000]], 1);
        queue.note_time(0, 100, Duration::from_millis(100));
        assert_eq!(queue.next(), first_lineup_batch(0..40));
        queue.note_build(0, Duration::from_secs(2));
        assert_eq!(queue.next(), first_lineup_batch(40..2040));
    }

    #[test]
    fn none_is_always_the_first_on_its_seeds() {
        let mut queue = Queue::new(vec![vec![0..1000]; 3], 1);
        let lineups = std::iter::from_fn(|| {
            let batch = queue.next()?;
            let count = count(&batch);
            queue.note_time(batch.lineup, count, Duration::from_millis(10 * count));
            Some(batch.lineup)
        });
        assert_eq!(lineups.take(12).collect::<Vec<_>>(), [0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0]);
    }

    /// Like the test above, with noise in all measured times, for batches of 40 ms and of the
    /// minimum time.
    #[test]
    fn each_is_as_often_the_first_on_its_seeds_however_paces_vary() {
        for (blocks, micros, batch) in [(4000, 1000.0, 40), (400, 50.0, 20)] {
            for (slowdown, seed) in
                [1.0, 1.1, 1.25].into_iter().flat_map(|slowdown| (0..20).map(move |seed| (slowdown, seed)))
            {
                let mut rng = Seed::root(seed).rng();
                let mut queue = Queue::new(vec![vec![0..blocks]; 2], 1);
                let (mut ends, mut first_counts) = ([0, 0], [0, 0]);
                while let Some(BlockBatch { lineup, blocks }) = queue.next() {
                    let [blocks] = &blocks[..] else { panic!("one range") };
                    let micros_per_block =
                        [micros, micros * slowdown][lineup] * (0.8 + 0.4 * rng.below(1001) as f64 / 1000.0);
                    let count = blocks.end - blocks.start;
                    queue.note_time(
                        lineup,
                        count,
                        Duration::from_secs_f64(micros_per_block * count as f64 / 1e6),
                    );
                    ends[lineup] = blocks.end;
                    first_counts[lineup] += blocks.end.saturating_sub(ends[1 - lineup].max(blocks.start));
                }
                assert_eq!(first_counts[0] + first_counts[1], blocks);
                // If players differ in speed, the faster one's batches have more blocks.
                let speed_difference = (blocks as f64 * (slowdown - 1.0) / 2.0) as u64;
                assert!(
                    first_counts[0].abs_diff(first_counts[1]) <= 3 * batch + speed_difference,
                    "{micros} {slowdown} {seed}: {first_counts:?}"
                );
            }
        }
    }

    #[test]
    fn a_part_of_the_blocks_is_not_rounded_to_one_less() {
        for blocks in [400, 1000, 12_000] {
            for micros in [37, 41, 333] {
                let mut queue = Queue::new(vec![vec![0..blocks]], 1);
                queue.note_time(0, 1, Duration::from_micros(micros));
                let batch = queue.next().expect("blocks are left");
                let min_blocks = (1000 / micros).min(blocks / 20);
                let max_blocks = 40_000 / micros;
                assert_eq!(
                    count(&batch),
                    (blocks / 40).min(max_blocks).max(min_blocks),
                    "{blocks} of {micros}"
                );
            }
        }
    }

    /// A fast player has enough batches to be paired with a slow one, even with few games.
    #[test]
    fn a_fast_player_takes_turns_with_a_slow_one() {
        for (blocks, micros) in [(240, 10.0), (240, 40.0), (1000, 3.0)] {
            let mut queue = Queue::new(vec![vec![0..blocks]; 2], 2);
            let mut starts = [BTreeSet::new(), BTreeSet::new()];
            let (mut rng, mut largest) = (Seed::root(5).rng(), 0);
            while let Some(batch) = queue.next() {
                let count = count(&batch);
                largest = largest.max(count);
                starts[batch.lineup].insert(batch.blocks[0].start * PARTS / blocks);
                let micros_per_block =
                    [micros, 5000.0][batch.lineup] * (0.8 + 0.4 * rng.below(1001) as f64 / 1000.0);
                queue.note_time(
                    batch.lineup,
                    count,
                    Duration::from_secs_f64(micros_per_block * count as f64 / 1e6),
                );
            }
            assert!(largest * PARTS <= blocks * LONGEST_BATCH, "{largest} of {blocks}");
            let [fast, slow] = starts;
            assert!(fast.intersection(&slow).count() >= 15, "{fast:?} {slow:?}");
        }
    }

    #[test]
    fn lineups_progress_together() {
        // One line-up is partly played already; another is a hundred times as fast.
        let mut queue = Queue::new(vec![vec![0..1_000], vec![600..1_000], vec![0..1_000]], 2);
        let mut next = [0, 600, 0];
        let mut lineups = Vec::new();
        while let Some(batch) = queue.next() {
            let count = count(&batch);
            let micros_per_block = if batch.lineup == 2 { 100 } else { 10_000 };
            queue.note_time(batch.lineup, count, Duration::from_micros(micros_per_block * count));
            lineups.push(batch.lineup);
            next[batch.lineup] = batch.blocks[0].end;
            let lowest = next[0].min(next[2]);
            assert!(next[1] <= 601 || next[1].abs_diff(lowest) < 100, "{next:?}");
            assert!(next[0].abs_diff(next[2]) < 100, "{next:?}");
        }
        assert_eq!((&lineups[..3], next), (&[0, 2, 1][..], [1_000; 3]));
    }
}
