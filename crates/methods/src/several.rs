//! Several independent searches by one method, each with its own random numbers. They take turns,
//! so all have about the same number of games. Intermediate checks use the first search's answer.
//! At the end all answers play the same games, and the best one is the answer.

use super::method::{CandidateLosses, MethodStep, Optimizer, Point};

/// State of several searches.
pub struct SeveralSearches {
    /// Searches, each with the number of games that it has played.
    searches: Vec<(Box<dyn Optimizer>, u64)>,
    /// Search whose step was asked for.
    asked: usize,
}

impl SeveralSearches {
    /// Combines these searches, at least one.
    pub(super) fn new(searches: impl Iterator<Item = Box<dyn Optimizer>>) -> SeveralSearches {
        SeveralSearches { searches: searches.map(|method| (method, 0)).collect(), asked: 0 }
    }

    fn first_search(&self) -> &dyn Optimizer {
        &*self.searches[0].0
    }
}

impl Optimizer for SeveralSearches {
    /// Returns the step of the unfinished search with the fewest games.
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let mut order: Vec<usize> = (0..self.searches.len()).collect();
        order.sort_by_key(|&place| self.searches[place].1);
        order.into_iter().find_map(|place| {
            let step = self.searches[place].0.ask(games_left)?;
            self.asked = place;
            Some(step)
        })
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        let (method, games) = &mut self.searches[self.asked];
        *games += step.games();
        method.record_losses(step, losses);
    }

    fn best_point(&self) -> Point {
        self.first_search().best_point()
    }

    /// Intermediate checks concern the first search's answer.
    fn restart_at(&mut self, to: &Point) {
        self.searches[0].0.restart_at(to);
    }

    fn rivals(&self) -> Vec<Point> {
        self.searches[1..].iter().map(|(method, _)| method.best_point()).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::super::{USUAL, begin};
    use super::*;
    use crate::method::Space;

    /// Plays searches with this number of games, and returns the search of each step.
    fn play_searches(searches: u32, games: u64) -> (Box<dyn Optimizer>, Vec<MethodStep>) {
        let space = Space { start: vec![0.3; 2], grain: vec![0.0; 2] };
        let mut noise = Seed::root(1).child("noise", 0).rng();
        let mut all = begin(USUAL, &space, searches, Seed::root(7));
        let (mut left, mut steps) = (games, Vec::new());
        while let Some(step) = all.ask(left) {
            left -= step.games();
            let loss = |point: &Point| point.iter().map(|x| (x - 0.7) * (x - 0.7)).sum::<f64>();
            let mut of = |point: &Point| -> CandidateLosses {
                Some((0..step.blocks).map(|_| loss(point) + noise.unit() - 0.5).collect())
            };
            let losses: Vec<CandidateLosses> = step.candidates.iter().map(&mut of).collect();
            all.record_losses(&step, &losses);
            steps.push(step);
        }
        (all, steps)
    }

    /// Each search begins with its own points and has an answer.
    #[test]
    fn searches_take_turns() {
        let (all, steps) = play_searches(3, 6_000);
        let firsts: Vec<&MethodStep> = steps.iter().filter(|step| step.candidates.len() > 30).collect();
        assert_eq!(firsts.len(), 3);
        assert!(firsts[0].candidates[1..] != firsts[1].candidates[1..]);
        let ends: Vec<Point> = [all.best_point()].into_iter().chain(all.rivals()).collect();
        assert_eq!(ends.len(), 3);
        for end in &ends {
            assert!(
                end.iter().all(|x| (x - 0.7).abs() < 0.2) && ends.iter().filter(|it| *it == end).count() == 1,
                "{ends:?}"
            );
        }
    }

    #[test]
    fn longer_searches_begin_as_shorter_ones() {
        let (short, long) = (play_searches(3, 3_000).1, play_searches(3, 9_000).1);
        assert!(short.len() > 10 && long[..short.len()] == short);
    }
}
