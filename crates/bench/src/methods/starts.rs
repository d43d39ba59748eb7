//! Several starting points. The given one and others, drawn from the box, race each other first; the method begins at the best
//! of them. Which is best of points that are equally good does not matter, so the race ends after a fixed number of blocks.

use crate::rng::Seed;

use super::method::{Losses, Method, Point, Space, Step};
use super::race::Race;

/// Blocks that each point plays at most.
const RACED: u64 = 100;

/// A method that begins at the best of several points.
pub struct Starts {
    race: Race,
    given: Point,
    /// Blocks that the points still in the race have played.
    blocks: u64,
    begin: Begin,
    method: Option<Box<dyn Method>>,
}

/// Begins the method at a point.
type Begin = Box<dyn Fn(Point) -> Box<dyn Method> + Send>;

impl Starts {
    /// The start of the box and others, up to this number in all.
    pub fn new(space: &Space, count: u32, seed: Seed, begin: Begin) -> Starts {
        let mut dice = seed.rng();
        let mut points = vec![space.start.clone()];
        points.extend((1..count).map(|_| space.start.iter().map(|_| dice.unit()).collect::<Point>()));
        Starts { race: Race::new(&points), given: space.start.clone(), blocks: 0, begin, method: None }
    }
}

impl Method for Starts {
    fn ask(&mut self, games_left: u64) -> Option<Step> {
        if self.method.is_none() && self.blocks < RACED && self.race.running().count() > 1 {
            return self.race.ask(games_left);
        }
        let method = self.method.get_or_insert_with(|| (self.begin)(self.race.answer()));
        method.ask(games_left)
    }

    fn tell(&mut self, step: &Step, losses: &[Losses]) {
        match &mut self.method {
            Some(method) => method.tell(step, losses),
            None => {
                self.blocks += step.blocks;
                self.race.tell(step, losses);
            }
        }
    }

    fn answer(&self) -> Point {
        self.method.as_ref().map_or_else(|| self.given.clone(), |method| method.answer())
    }

    fn go_back(&mut self, to: &Point) {
        match &mut self.method {
            Some(method) => method.go_back(to),
            None => self.race.go_back(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spsa::Spsa;
    use super::*;

    /// The first of many points is the worst one, and what the method begins with is one of the best.
    #[test]
    fn the_method_begins_at_the_best_point() {
        let loss = |point: &Point| point.iter().map(|place| (place - 0.7) * (place - 0.7)).sum::<f64>();
        for number in 1..=10 {
            let space = Space { start: vec![0.0; 3], grain: vec![0.0; 3] };
            let (inner, seed) = (space.clone(), Seed::root(number));
            let begin = move |start| -> Box<dyn Method> {
                Box::new(Spsa::new(&Space { start, ..inner.clone() }, seed.child("method", 0)))
            };
            let mut starts = Starts::new(&space, 12, seed.child("starts", 0), Box::new(begin));
            let mut noise = seed.child("noise", 0).rng();
            let mut played = 0;
            while starts.method.is_none() {
                assert_eq!(starts.answer(), space.start);
                let Some(step) = starts.ask(100_000) else { break };
                if starts.method.is_some() {
                    break;
                }
                played += step.games();
                let mut of = |point: &Point| -> Losses {
                    let noise = (0..step.blocks).map(|_| noise.unit());
                    Some(noise.map(|noise| loss(point) + noise - 0.5).collect())
                };
                let losses: Vec<Losses> = step.candidates.iter().map(&mut of).collect();
                starts.tell(&step, &losses);
            }
            assert!(played <= 12 * 130, "{played} games");
            assert!(loss(&starts.answer()) < 0.5 * loss(&space.start), "{:?}", starts.answer());
        }
    }
}
