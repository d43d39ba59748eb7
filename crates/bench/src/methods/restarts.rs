//! `cma-es` with restarts. Where a search ends depends on where it begins, so it begins at the best of many
//! points, and later again somewhere else; the better of two ends goes on.
//!
//! A start is sifted out of points drawn from the box, by a few games of each and more of the better ones.
//! The first time the given start is among them. Rounds take turns: a new start, then the leader goes on,
//! then a new start, and so on; every second round is twice as long, as in the IPOP-CMA-ES of Auger and
//! Hansen (2005). So whatever the budget is, the last start has had enough games to come as far as the
//! leader. After a new start the leader and the new end play the same games, and the better one leads.

use crate::rng::Seed;

use super::cma_es::CmaEs;
use super::method::{Kind, Losses, Method, Point, Space, Step};
use super::paired::mean;

/// Its line in the manual.
pub(super) const ABOUT: &str =
    "`cma-es` from the best of many points, and with more games again from others; the best end goes on";

/// Begins it in a space.
pub(super) fn begin(space: &Space, seed: Seed) -> Box<dyn Method> {
    Box::new(Restarts::new(space, seed))
}

/// The sifting: how many points are left, and how many blocks each of them plays.
const SIEVES: [(usize, u64); 3] = [(16, 4), (4, 8), (2, 16)];

/// Blocks of the first two rounds.
const FIRST_ROUND: u64 = 2_000;

/// A new end and the leader play this part of the blocks of the round, both together.
const DUEL: u64 = 10;

/// After this number of siftings in a row in which every point was refused, there is nothing left to try.
const MOST_REFUSALS: u32 = 30;

/// The method.
#[derive(Debug)]
pub struct Restarts {
    space: Space,
    seed: Seed,
    round: u32,
    phase: Phase,
    /// The best search that is not under way; none in the first round.
    leader: Option<CmaEs>,
    /// Ends of the other starts.
    beaten: Vec<Point>,
    refusals: u32,
}

#[derive(Debug)]
enum Phase {
    /// Points of a new start, each with its losses so far, the best first; and by which sieve they go next.
    Sifts(Vec<(Point, Vec<f64>)>, usize),
    /// A search goes on for this number of blocks. The leader itself, or from a new start.
    Climbs(CmaEs, u64),
    /// A search that ended plays the leader.
    Duels(CmaEs),
}

impl Restarts {
    /// A search of a space.
    pub fn new(space: &Space, seed: Seed) -> Restarts {
        let phase = Phase::Sifts(drawn(space, seed, 0, true), 0);
        Restarts {
            space: space.clone(),
            seed,
            round: 0,
            phase,
            leader: None,
            beaten: Vec::new(),
            refusals: 0,
        }
    }

    /// Blocks of a round.
    fn length(&self) -> u64 {
        FIRST_ROUND << (self.round / 2).min(40)
    }

    /// Begins the next round: the leader's, or that of a new start.
    fn next_round(&mut self) {
        self.round += 1;
        let leads_on = self.round.is_multiple_of(2);
        self.phase = match self.leader.take_if(|_| leads_on) {
            Some(leader) => Phase::Climbs(leader, self.length()),
            None => Phase::Sifts(drawn(&self.space, self.seed, self.round, false), 0),
        };
    }

    fn sifted(&mut self, step: &Step, losses: &[Losses]) {
        let Phase::Sifts(points, sieve) = &mut self.phase else { return };
        let mut losses = losses.iter();
        points.retain_mut(|(_, all)| {
            let played = losses.next().and_then(Option::as_ref);
            all.extend(played.into_iter().flatten());
            played.is_some()
        });
        points.sort_by(|(_, one), (_, other)| mean(one).total_cmp(&mean(other)));
        *sieve += 1;
        if points.is_empty() {
            self.refusals += 1;
            let round = self.round + (self.refusals << 16);
            self.phase = Phase::Sifts(drawn(&self.space, self.seed, round, false), 0);
            return;
        }
        self.refusals = 0;
        if let Some((left, _)) = SIEVES.get(*sieve).filter(|_| points.len() > 1) {
            points.truncate(*left);
            return;
        }
        let space = Space { start: points[0].0.clone(), ..self.space.clone() };
        let sieves = SIEVES.iter().map(|(points, blocks)| *points as u64 * blocks).sum::<u64>();
        let search = CmaEs::new(&space, self.seed.child("climb", self.round.into()));
        let left = self.length().saturating_sub(sieves).max(step.blocks);
        self.phase = Phase::Climbs(search, left);
    }
}

/// Points of a new start.
fn drawn(space: &Space, seed: Seed, round: u32, has_start: bool) -> Vec<(Point, Vec<f64>)> {
    let mut dice = seed.child("starts", round.into()).rng();
    let mut points: Vec<Point> =
        (0..SIEVES[0].0).map(|_| space.start.iter().map(|_| dice.unit()).collect()).collect();
    if has_start {
        points[0].clone_from(&space.start);
    }
    points.into_iter().map(|point| (point, Vec::new())).collect()
}

impl Method for Restarts {
    fn ask(&mut self, games_left: u64) -> Option<Step> {
        let step = match &mut self.phase {
            Phase::Sifts(points, sieve) => {
                let candidates = points.iter().map(|(point, _)| point.clone()).collect();
                Step { kind: Kind::Step, candidates, blocks: SIEVES[*sieve].1 }
            }
            Phase::Climbs(search, _) => search.ask(games_left)?,
            Phase::Duels(search) => {
                let leader = self.leader.as_ref().expect("a leader").answer();
                let candidates = vec![leader, search.answer()];
                Step { kind: Kind::Step, candidates, blocks: self.length() / DUEL / 2 }
            }
        };
        (step.games() <= games_left && self.refusals < MOST_REFUSALS).then_some(step)
    }

    fn tell(&mut self, step: &Step, losses: &[Losses]) {
        let ends = match &mut self.phase {
            Phase::Sifts(..) => return self.sifted(step, losses),
            Phase::Climbs(search, left) => {
                search.tell(step, losses);
                *left = left.saturating_sub(step.games());
                *left == 0
            }
            Phase::Duels(_) => true,
        };
        if !ends {
            return;
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Sifts(Vec::new(), 0));
        match (phase, self.leader.take()) {
            (Phase::Climbs(search, _), Some(leader)) => {
                self.leader = Some(leader);
                self.phase = Phase::Duels(search);
                return;
            }
            (Phase::Duels(search), Some(leader)) => {
                let is_better = match (&losses[0], &losses[1]) {
                    (Some(leader), Some(new)) => mean(new) < mean(leader),
                    (leader, _) => leader.is_none(),
                };
                let (leader, beaten) = if is_better { (search, leader) } else { (leader, search) };
                self.beaten.push(beaten.answer());
                self.leader = Some(leader);
            }
            (Phase::Climbs(search, _) | Phase::Duels(search), None) => self.leader = Some(search),
            (Phase::Sifts(..), leader) => self.leader = leader,
        }
        self.next_round();
    }

    fn answer(&self) -> Point {
        match (&self.leader, &self.phase) {
            (Some(leader), _) => leader.answer(),
            (None, Phase::Climbs(search, _) | Phase::Duels(search)) => search.answer(),
            (None, Phase::Sifts(points, sieve)) if *sieve > 0 => points[0].0.clone(),
            (None, Phase::Sifts(..)) => self.space.start.clone(),
        }
    }

    fn go_back(&mut self, to: &Point) {
        match (&mut self.leader, &mut self.phase) {
            (Some(leader), _) => leader.go_back(to),
            (None, Phase::Climbs(search, _)) => search.go_back(to),
            (None, _) => {}
        }
    }

    fn ends(&self) -> Vec<Point> {
        self.beaten.clone()
    }
}
