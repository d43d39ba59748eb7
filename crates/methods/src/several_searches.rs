//! Several independent searches by one method, each with its own random numbers. They take turns,
//! so all have about the same number of games. Intermediate checks use the first search's answer.
//! At the end all answers play the same games, and the best one is the answer.

use super::method::{CandidateLosses, MethodStep, Optimizer, Point};

/// State of several searches.
pub struct SeveralSearches {
    /// Searches, each with the number of games that it has played.
    searches: Vec<(Box<dyn Optimizer>, u64)>,
    /// Search whose step was asked for.
    asked_index: usize,
}

impl SeveralSearches {
    /// Combines these searches, at least one.
    pub(super) fn new(searches: impl Iterator<Item = Box<dyn Optimizer>>) -> SeveralSearches {
        SeveralSearches { searches: searches.map(|search| (search, 0)).collect(), asked_index: 0 }
    }

    fn first_search(&self) -> &dyn Optimizer {
        &*self.searches[0].0
    }
}

impl Optimizer for SeveralSearches {
    /// Returns the step of the unfinished search with the fewest games.
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let mut order: Vec<usize> = (0..self.searches.len()).collect();
        order.sort_by_key(|&index| self.searches[index].1);
        order.into_iter().find_map(|index| {
            let step = self.searches[index].0.ask(games_left)?;
            self.asked_index = index;
            Some(step)
        })
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        let (search, games) = &mut self.searches[self.asked_index];
        *games += step.games();
        search.record_losses(step, losses);
    }

    fn best_point(&self) -> Point {
        self.first_search().best_point()
    }

    /// Intermediate checks concern the first search's answer.
    fn restart_at(&mut self, point: &Point) {
        self.searches[0].0.restart_at(point);
    }

    fn rivals(&self) -> Vec<Point> {
        self.searches[1..].iter().map(|(method, _)| method.best_point()).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::super::{DEFAULT_METHOD, create_search};
    use super::*;
    use crate::method::Space;

    /// Plays searches with this number of games, and returns the search of each step.
    fn play_searches(searches: u32, games: u64) -> (Box<dyn Optimizer>, Vec<MethodStep>) {
        let space = Space { start: vec![0.3; 2], resolution: vec![0.0; 2] };
        let mut noise = Seed::root(1).child("noise", 0).rng();
        let mut search = create_search(DEFAULT_METHOD, &space, searches, Seed::root(7));
        let (mut games_left, mut steps) = (games, Vec::new());
        while let Some(step) = search.ask(games_left) {
            games_left -= step.games();
            let loss = |point: &Point| point.iter().map(|x| (x - 0.7) * (x - 0.7)).sum::<f64>();
            let mut play = |point: &Point| -> CandidateLosses {
                Some((0..step.blocks).map(|_| loss(point) + noise.unit() - 0.5).collect())
            };
            let losses: Vec<CandidateLosses> = step.candidates.iter().map(&mut play).collect();
            search.record_losses(&step, &losses);
            steps.push(step);
        }
        (search, steps)
    }

    /// Each search begins with its own points and has an answer.
    #[test]
    fn searches_take_turns() {
        let (search, steps) = play_searches(3, 6_000);
        let first_steps: Vec<&MethodStep> = steps.iter().filter(|step| step.candidates.len() > 30).collect();
        assert_eq!(first_steps.len(), 3);
        assert!(first_steps[0].candidates[1..] != first_steps[1].candidates[1..]);
        let answers: Vec<Point> = [search.best_point()].into_iter().chain(search.rivals()).collect();
        assert_eq!(answers.len(), 3);
        for answer in &answers {
            assert!(
                answer.iter().all(|x| (x - 0.7).abs() < 0.2)
                    && answers.iter().filter(|other| *other == answer).count() == 1,
                "{answers:?}"
            );
        }
    }

    #[test]
    fn longer_searches_begin_as_shorter_ones() {
        let (short_steps, long_steps) = (play_searches(3, 3_000).1, play_searches(3, 9_000).1);
        assert!(short_steps.len() > 10 && long_steps[..short_steps.len()] == short_steps);
    }
}
