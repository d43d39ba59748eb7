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
const LEAST: Duration = Duration::from_millis(1);

/// Smallest number of batches of a line-up, however short: comparisons of times pair the batches of
/// two players, and need ten of about equal size.
const LEAST_BATCHES: f64 = 20.0;

/// Smallest number of batches of a line-up, unless they would be too short: their differences show
/// how well its time is known.
const BATCHES: f64 = 40.0;

/// Largest number of blocks in a batch: a line of the journal stays below 300 kB.
const MOST: u64 = 16_384;

/// Blocks left to play.
#[derive(Debug)]
pub(super) struct Queue {
    lineups: Vec<LineUpQueue>,
    /// Number of batches dealt so far.
    dealt: u64,
    threads: u64,
}

#[derive(Debug)]
struct LineUpQueue {
    missing: VecDeque<Range<u64>>,
    left: u64,
    all: u64,
    /// Measured seconds per block; `None` before the first result.
    pace: Option<f64>,
    /// Time to build its players, if a thread cannot keep them between batches.
    build: Duration,
    /// Number of games that its player evaluates together; 0 if games are played one after the
    /// other.
    batch: u64,
    /// True if one worker plays all blocks in one batch.
    is_whole: bool,
    /// Number of its last batch, counted from 1.
    last: u64,
}

/// Blocks of one line-up, which a worker plays next: one range, unless the line-up is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockBatch {
    pub(super) lineup: usize,
    pub(super) blocks: Vec<Range<u64>>,
}

impl Queue {
    pub(super) fn new(missing: Vec<Vec<Range<u64>>>, threads: usize) -> Queue {
        let left_of = |missing: Vec<Range<u64>>| {
            let left = missing.iter().map(|range| range.end - range.start).sum();
            LineUpQueue {
                missing: missing.into(),
                left,
                all: left,
                pace: None,
                build: Duration::ZERO,
                batch: 0,
                is_whole: false,
                last: 0,
            }
        };
        Queue { lineups: missing.into_iter().map(left_of).collect(), dealt: 0, threads: threads as u64 }
    }

    /// Deals all blocks of these line-ups in one batch each.
    #[must_use]
    pub(super) fn with_whole(mut self, is_whole: impl Fn(usize) -> bool) -> Queue {
        for (lineup, left_of) in self.lineups.iter_mut().enumerate() {
            left_of.is_whole = is_whole(lineup);
        }
        self
    }

    /// Returns the number of blocks left of each line-up.
    pub(super) fn remaining(&self) -> impl Iterator<Item = u64> {
        self.lineups.iter().map(|left_of| left_of.left)
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
        let waiting = self.lineups.iter().enumerate().filter_map(|(lineup, left_of)| {
            let next = left_of.missing.front()?.start;
            Some((left_of.left < left_of.all, next, Reverse(left_of.last), lineup))
        });
        let (_, next, _, lineup) = waiting.min()?;
        if self.lineups[lineup].is_whole {
            let left_of = &mut self.lineups[lineup];
            left_of.left = 0;
            return Some(BlockBatch { lineup, blocks: std::mem::take(&mut left_of.missing).into() });
        }
        let end = next + self.batch_size(lineup);
        let end = self.common_end(next, end).unwrap_or(end);
        self.dealt += 1;
        let left_of = &mut self.lineups[lineup];
        left_of.last = self.dealt;
        let range = left_of.missing.front_mut().expect("blocks are left");
        let blocks = range.start..range.end.min(end);
        range.start = blocks.end;
        if range.is_empty() {
            left_of.missing.pop_front();
        }
        left_of.left -= blocks.end - blocks.start;
        Some(BlockBatch { lineup, blocks: vec![blocks] })
    }

    /// Stops dealing blocks from this one on, and returns how many blocks of each line-up are
    /// skipped.
    pub(super) fn end_before(&mut self, block: u64) -> Vec<u64> {
        let spare = |left_of: &mut LineUpQueue| {
            let before = left_of.left;
            left_of.missing.retain_mut(|range| {
                range.end = range.end.min(block);
                !range.is_empty()
            });
            left_of.left = left_of.missing.iter().map(|range| range.end - range.start).sum();
            left_of.all -= before - left_of.left;
            before - left_of.left
        };
        self.lineups.iter_mut().map(spare).collect()
    }

    /// Stops dealing blocks of these line-ups, and returns how many blocks of each are skipped.
    pub(super) fn leave_out(&mut self, is_out: impl Fn(usize) -> bool) -> Vec<(usize, u64)> {
        let out = self.lineups.iter_mut().enumerate().filter(|(lineup, _)| is_out(*lineup));
        let spare = |(lineup, left_of): (usize, &mut LineUpQueue)| {
            let spared = std::mem::take(&mut left_of.left);
            left_of.missing.clear();
            left_of.all -= spared;
            (lineup, spared)
        };
        out.map(spare).collect()
    }

    /// Records how long some blocks took.
    pub(super) fn note_time(&mut self, lineup: usize, blocks: u64, took: Duration) {
        let left_of = &mut self.lineups[lineup];
        let pace = took.as_secs_f64() / blocks as f64;
        left_of.pace = Some(left_of.pace.map_or(pace, |known| 0.5 * (known + pace)));
    }

    /// Records how many games a player evaluates together. Batches then have several times as many
    /// games, so that nearly all evaluations are full.
    pub(super) fn note_batch(&mut self, lineup: usize, batch: u64) {
        self.lineups[lineup].batch = batch;
    }

    /// Records the build time of players that no thread keeps: a batch of theirs takes at least as
    /// long.
    pub(super) fn note_build(&mut self, lineup: usize, took: Duration) {
        self.lineups[lineup].build = took;
    }

    /// Returns a block at which other line-ups have stopped and a batch from `next` on may end
    /// instead of `end`. The batch then has at least half and at most twice as many blocks. If
    /// there are several, returns the last.
    fn common_end(&self, next: u64, end: u64) -> Option<u64> {
        let count = end - next;
        let near = next + count.div_ceil(2)..=next + (2 * count).min(MOST);
        let others = self.lineups.iter().filter_map(|left_of| Some(left_of.missing.front()?.start));
        others.filter(|place| near.contains(place)).max()
    }

    fn batch_size(&self, lineup: usize) -> u64 {
        // Unknown pace: one block.
        let Some(pace) = self.lineups[lineup].pace else { return 1 };
        let pace = pace.max(1e-9);
        let all = self.lineups[lineup].all as f64;
        let build = self.lineups[lineup].build.as_secs_f64() / pace;
        let least = (LEAST.as_secs_f64() / pace).min(all / LEAST_BATCHES).max(build);
        // Near the end batches shrink to single blocks, so that no thread is left with a long one.
        let known = self.lineups.iter().map(|left_of| left_of.left as f64 * left_of.pace.unwrap_or(0.0));
        let fair = known.sum::<f64>() / (2 * self.threads) as f64;
        // Computed in blocks: converting through times would round down by a block.
        let count = (BATCH_TIME.as_secs_f64().min(fair) / pace).min(all / BATCHES).max(least);
        let batch = 4 * self.lineups[lineup].batch.min(self.lineups[lineup].left.div_ceil(4 * self.threads));
        (count as u64).max(batch).clamp(1, MOST)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::tally::clock::{LONGEST_BATCH, PARTS};

    fn count(batch: &BlockBatch) -> u64 {
        batch.blocks.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns a batch of the first line-up.
    fn first_deals(blocks: Range<u64>) -> Option<BlockBatch> {
        Some(BlockBatch { lineup: 0, blocks: vec![blocks] })
    }

    #[test]
    fn a_whole_lineup_is_one_batch() {
        let missing = vec![vec![0..10], vec![0..3, 5..9]];
        let mut queue = Queue::new(missing, 2).with_whole(|lineup| lineup == 1);
        assert_eq!(queue.next(), first_deals(0..1));
        assert_eq!(queue.next(), Some(BlockBatch { lineup: 1, blocks: vec![0..3, 5..9] }));
        let others: Vec<usize> = std::iter::from_fn(|| queue.next()).map(|batch| batch.lineup).collect();
        assert_eq!(others, [0; 9]);
    }

    #[test]
    fn every_block_is_dealt_once_and_the_end_is_dealt_singly() {
        let missing = vec![vec![0..1000, 2000..90_000], vec![], vec![7..8, 9..90_000]];
        let mut queue = Queue::new(missing.clone(), 2);
        let mut dealt = vec![Vec::new(); 3];
        let mut last = Vec::new();
        while let Some(batch) = queue.next() {
            let count = count(&batch);
            let pace = if batch.lineup == 0 { 10_000 } else { 30 };
            queue.note_time(batch.lineup, count, Duration::from_micros(pace * count));
            last.push(count);
            dealt[batch.lineup].extend(batch.blocks.into_iter().flatten());
        }
        for (dealt, missing) in dealt.iter().zip(missing) {
            let wanted: Vec<u64> = missing.into_iter().flatten().collect();
            assert_eq!(*dealt, wanted);
        }
        assert_eq!(last[last.len() - 2..], [1, 1]);
        assert!(last.iter().any(|&count| count > 100));
    }

    #[test]
    fn what_comes_after_the_end_is_not_dealt() {
        let mut queue = Queue::new(vec![vec![0..10, 20..30], vec![25..40], vec![]], 1);
        assert_eq!(queue.next(), first_deals(0..1));
        assert_eq!(queue.end_before(22), [8, 15, 0]);
        let dealt: Vec<u64> =
            std::iter::from_fn(|| queue.next()).flat_map(|batch| batch.blocks).flatten().collect();
        assert_eq!(dealt, [1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21]);
    }

    #[test]
    fn players_that_are_built_again_and_again_play_as_long_as_that_takes() {
        let mut queue = Queue::new(vec![vec![0..10_000]], 1);
        queue.note_time(0, 100, Duration::from_millis(100));
        assert_eq!(queue.next(), first_deals(0..40));
        queue.note_build(0, Duration::from_secs(2));
        assert_eq!(queue.next(), first_deals(40..2040));
    }

    #[test]
    fn none_is_always_the_first_on_its_seeds() {
        let mut queue = Queue::new(vec![vec![0..1000]; 3], 1);
        let dealt = std::iter::from_fn(|| {
            let batch = queue.next()?;
            let count = count(&batch);
            queue.note_time(batch.lineup, count, Duration::from_millis(10 * count));
            Some(batch.lineup)
        });
        assert_eq!(dealt.take(12).collect::<Vec<_>>(), [0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0]);
    }

    /// Like the test above, with noise in all measured times, for batches of 40 ms and of the
    /// minimum time.
    #[test]
    fn each_is_as_often_the_first_on_its_seeds_however_paces_vary() {
        for (blocks, micros, batch) in [(4000, 1000.0, 40), (400, 50.0, 20)] {
            for (slower, seed) in
                [1.0, 1.1, 1.25].into_iter().flat_map(|by| (0..20).map(move |seed| (by, seed)))
            {
                let mut rng = Seed::root(seed).rng();
                let mut queue = Queue::new(vec![vec![0..blocks]; 2], 1);
                let (mut reached, mut first) = ([0, 0], [0, 0]);
                while let Some(BlockBatch { lineup, blocks }) = queue.next() {
                    let [blocks] = &blocks[..] else { panic!("one range") };
                    let pace =
                        [micros, micros * slower][lineup] * (0.8 + 0.4 * rng.below(1001) as f64 / 1000.0);
                    let count = blocks.end - blocks.start;
                    queue.note_time(lineup, count, Duration::from_secs_f64(pace * count as f64 / 1e6));
                    reached[lineup] = blocks.end;
                    first[lineup] += blocks.end.saturating_sub(reached[1 - lineup].max(blocks.start));
                }
                assert_eq!(first[0] + first[1], blocks);
                // If players differ in speed, the faster one's batches have more blocks.
                let unlike = (blocks as f64 * (slower - 1.0) / 2.0) as u64;
                assert!(
                    first[0].abs_diff(first[1]) <= 3 * batch + unlike,
                    "{micros} {slower} {seed}: {first:?}"
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
                let least = (1000 / micros).min(blocks / 20);
                let most = 40_000 / micros;
                assert_eq!(count(&batch), (blocks / 40).min(most).max(least), "{blocks} of {micros}");
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
                let pace = [micros, 5000.0][batch.lineup] * (0.8 + 0.4 * rng.below(1001) as f64 / 1000.0);
                queue.note_time(batch.lineup, count, Duration::from_secs_f64(pace * count as f64 / 1e6));
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
        let mut begun = Vec::new();
        while let Some(batch) = queue.next() {
            let count = count(&batch);
            let pace = if batch.lineup == 2 { 100 } else { 10_000 };
            queue.note_time(batch.lineup, count, Duration::from_micros(pace * count));
            begun.push(batch.lineup);
            next[batch.lineup] = batch.blocks[0].end;
            let least = next[0].min(next[2]);
            assert!(next[1] <= 601 || next[1].abs_diff(least) < 100, "{next:?}");
            assert!(next[0].abs_diff(next[2]) < 100, "{next:?}");
        }
        assert_eq!((&begun[..3], next), (&[0, 2, 1][..], [1_000; 3]));
    }
}
