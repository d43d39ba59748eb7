//! Deals jobs to workers: a few consecutive games of one player at a time.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

/// A worker should come back about this often: so much is lost at most when the process dies, and so long a
/// game of another player waits for its turn. Dealing, journal line and all cost some microseconds.
const ERRAND: Duration = Duration::from_millis(40);

/// Nor should it come back oftener than this: games of microseconds are not worth a way each.
const LEAST: Duration = Duration::from_millis(1);

/// More games than this are never dealt at once: a line of the journal stays below 300 kB.
const MOST: u64 = 16_384;

/// The games that are left to play.
#[derive(Debug)]
pub(super) struct Queue {
    players: Vec<Share>,
    workers: u64,
}

#[derive(Debug)]
struct Share {
    missing: VecDeque<Range<u64>>,
    left: u64,
    all: u64,
    /// Seconds a game, as measured; none before the first came back.
    pace: Option<f64>,
}

/// What a worker is to play next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) player: usize,
    pub(super) blocks: Range<u64>,
}

impl Queue {
    pub(super) fn new(missing: Vec<Vec<Range<u64>>>, workers: usize) -> Queue {
        let share = |missing: Vec<Range<u64>>| {
            let left = missing.iter().map(|range| range.end - range.start).sum();
            Share { missing: missing.into(), left, all: left, pace: None }
        };
        Queue { players: missing.into_iter().map(share).collect(), workers: workers as u64 }
    }

    /// How many games are left of each player.
    pub(super) fn left(&self) -> impl Iterator<Item = u64> {
        self.players.iter().map(|share| share.left)
    }

    /// The next errand: of the player of whom the smallest part has been dealt. So all players progress together:
    /// their times are measured side by side, and near the end only single games of each are left.
    pub(super) fn next(&mut self) -> Option<Errand> {
        let waiting = self.players.iter().enumerate().filter(|(_, share)| share.left > 0);
        let part_left = |share: &Share| share.left as f64 / share.all as f64;
        let (player, _) = waiting.reduce(|a, b| if part_left(b.1) > part_left(a.1) { b } else { a })?;
        let games = self.games_for(player);
        let share = &mut self.players[player];
        let range = share.missing.front_mut().expect("games are left");
        let blocks = range.start..range.end.min(range.start + games);
        range.start = blocks.end;
        if range.is_empty() {
            share.missing.pop_front();
        }
        share.left -= blocks.end - blocks.start;
        Some(Errand { player, blocks })
    }

    /// Deals no block from this one on any more, and returns how many games each player is spared.
    pub(super) fn end_before(&mut self, block: u64) -> Vec<u64> {
        let spare = |share: &mut Share| {
            let before = share.left;
            share.missing.retain_mut(|range| {
                range.end = range.end.min(block);
                !range.is_empty()
            });
            share.left = share.missing.iter().map(|range| range.end - range.start).sum();
            share.all -= before - share.left;
            before - share.left
        };
        self.players.iter_mut().map(spare).collect()
    }

    /// So many games were played in so long.
    pub(super) fn learn(&mut self, player: usize, games: u64, took: Duration) {
        let share = &mut self.players[player];
        let pace = took.as_secs_f64() / games as f64;
        share.pace = Some(share.pace.map_or(pace, |known| 0.5 * (known + pace)));
    }

    fn games_for(&self, player: usize) -> u64 {
        // Nothing is known of this player: one game.
        let Some(pace) = self.players[player].pace else { return 1 };
        // Towards the end errands shrink to single games, so that no worker is left with a long one.
        let known = self.players.iter().map(|share| share.left as f64 * share.pace.unwrap_or(0.0));
        let fair = known.sum::<f64>() / (2 * self.workers) as f64;
        let games = ERRAND.as_secs_f64().min(fair).max(LEAST.as_secs_f64()) / pace.max(1e-9);
        (games as u64).clamp(1, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_dealt_once_and_the_end_is_dealt_singly() {
        let missing = vec![vec![0..1000, 2000..2500], vec![], vec![7..8, 9..90_000]];
        let mut queue = Queue::new(missing.clone(), 2);
        let mut dealt = vec![Vec::new(); 3];
        let mut last = Vec::new();
        while let Some(errand) = queue.next() {
            let games = errand.blocks.end - errand.blocks.start;
            let pace = if errand.player == 0 { 10_000 } else { 30 };
            queue.learn(errand.player, games, Duration::from_micros(pace * games));
            last.push(games);
            dealt[errand.player].extend(errand.blocks);
        }
        for (dealt, missing) in dealt.iter().zip(missing) {
            let wanted: Vec<u64> = missing.into_iter().flatten().collect();
            assert_eq!(*dealt, wanted);
        }
        assert_eq!(last[last.len() - 2..], [1, 1]);
        assert!(last.iter().any(|&games| games > 100));
    }

    #[test]
    fn what_comes_after_the_end_is_not_dealt() {
        let mut queue = Queue::new(vec![vec![0..10, 20..30], vec![25..40], vec![]], 1);
        assert_eq!(queue.next(), Some(Errand { player: 0, blocks: 0..1 }));
        assert_eq!(queue.end_before(22), [8, 15, 0]);
        let dealt: Vec<u64> = std::iter::from_fn(|| queue.next()).flat_map(|errand| errand.blocks).collect();
        assert_eq!(dealt, [1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21]);
    }

    #[test]
    fn players_progress_together() {
        let mut queue = Queue::new(vec![vec![0..100], vec![0..10_000]], 2);
        let mut left = Vec::new();
        while let Some(errand) = queue.next() {
            let games = errand.blocks.end - errand.blocks.start;
            queue.learn(errand.player, games, Duration::from_millis(20 * games));
            left.push(queue.left().collect::<Vec<_>>());
        }
        assert!(left.iter().all(|left| (left[0] as f64 / 100.0 - left[1] as f64 / 10_000.0).abs() < 0.025));
    }
}
