//! Several whole searches by one method, each with chance of its own. They take turns, so all have about as many games. From time to time
//! their answers play the same blocks, and the one that loses least leads until the next time: it is the answer. How far the ends of the
//! others are from it says how much of an answer is luck.

use super::method::{Kind, Losses, Method, Point, Step};
use super::paired::mean;

/// Games before the answers meet for the first time. Each further meeting comes after half as many games more than there were before it.
const FIRST_MEETING: u64 = 2_000;

/// A meeting takes this part of the games since the last one, and the one at the end this part of all.
const MEETING: u64 = 10;

/// The searches.
pub struct Several {
    searches: Vec<Turn>,
    /// The search whose answer lost least when they last met.
    leader: usize,
    spent: u64,
    /// At which number of games they last met, and meet next.
    due: (u64, u64),
    asked: Asked,
    has_ended: bool,
}

/// One of the searches.
struct Turn {
    method: Box<dyn Method>,
    games: u64,
}

/// Whose step was asked for.
enum Asked {
    Search(usize),
    Meeting { is_last: bool },
}

/// Games that the meeting at the end takes of a search with so many.
pub(super) const fn last_meeting(games: u64) -> u64 {
    games / MEETING
}

impl Several {
    /// Of these searches.
    pub(super) fn new(searches: impl Iterator<Item = Box<dyn Method>>) -> Several {
        Several {
            searches: searches.map(|method| Turn { method, games: 0 }).collect(),
            leader: 0,
            spent: 0,
            due: (0, FIRST_MEETING),
            asked: Asked::Search(0),
            has_ended: false,
        }
    }

    /// Their answers, each once.
    fn answers(&self) -> Vec<Point> {
        let mut answers = Vec::new();
        for search in &self.searches {
            let answer = search.method.answer();
            if !answers.contains(&answer) {
                answers.push(answer);
            }
        }
        answers
    }

    /// A meeting of this number of games; none where there is nothing to compare.
    fn meeting(&self, games: u64) -> Option<Step> {
        let candidates = self.answers();
        let blocks = games / candidates.len() as u64;
        (candidates.len() > 1 && blocks > 1).then_some(Step { kind: Kind::Step, candidates, blocks })
    }

    /// The step of the search that has had the fewest games, of those that go on.
    fn turn(&mut self, games_left: u64) -> Option<Step> {
        let mut order: Vec<usize> = (0..self.searches.len()).collect();
        order.sort_by_key(|&place| self.searches[place].games);
        order.into_iter().find_map(|place| {
            let step = self.searches[place].method.ask(games_left)?;
            self.asked = Asked::Search(place);
            Some(step)
        })
    }
}

impl Method for Several {
    fn ask(&mut self, games_left: u64) -> Option<Step> {
        if self.has_ended {
            return None;
        }
        let reserve = last_meeting(self.spent + games_left);
        let before_the_end = games_left.saturating_sub(reserve);
        let (last, due) = self.due;
        let meeting = if due <= self.spent { self.meeting((due - last) / MEETING) } else { None };
        if let Some(step) = meeting.filter(|step| step.games() <= before_the_end) {
            self.asked = Asked::Meeting { is_last: false };
            return Some(step);
        }
        self.turn(before_the_end).or_else(|| {
            self.asked = Asked::Meeting { is_last: true };
            self.meeting(reserve.min(games_left))
        })
    }

    fn tell(&mut self, step: &Step, losses: &[Losses]) {
        self.spent += step.games();
        match self.asked {
            Asked::Search(place) => {
                let search = &mut self.searches[place];
                search.games += step.games();
                search.method.tell(step, losses);
            }
            Asked::Meeting { is_last } => {
                self.has_ended = is_last;
                while self.due.1 <= self.spent {
                    self.due = (self.due.1, self.due.1 + self.due.1 / 2);
                }
                let lost = |place: &usize| {
                    let answer = self.searches[*place].method.answer();
                    let candidate = step.candidates.iter().position(|point| *point == answer);
                    let losses = candidate.and_then(|candidate| losses[candidate].as_deref());
                    losses.map_or(f64::INFINITY, mean)
                };
                let least = (0..self.searches.len()).min_by(|one, other| lost(one).total_cmp(&lost(other)));
                self.leader = least.unwrap_or(self.leader);
            }
        }
    }

    fn answer(&self) -> Point {
        self.searches[self.leader].method.answer()
    }

    fn go_back(&mut self, to: &Point) {
        self.searches[self.leader].method.go_back(to);
    }

    /// Ends of a search that begins again are ends here, too.
    fn ends(&self) -> Vec<Point> {
        let answer = self.answer();
        let within = self.searches.iter().flat_map(|search| search.method.ends());
        let mut ends: Vec<Point> = Vec::new();
        for end in self.answers().into_iter().chain(within) {
            if end != answer && !ends.contains(&end) {
                ends.push(end);
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Beginnings, Listed, METHODS, begin};
    use super::*;
    use crate::methods::method::Space;
    use crate::rng::Seed;

    /// Plays a search with this number of games to its end. The loss has two basins, and the one around the start is wider and not as deep.
    fn searched(beginnings: Beginnings, number: u64, games: u64) -> (Box<dyn Method>, Vec<Step>) {
        let loss = |point: &Point| {
            let near = |centre: f64| point.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>();
            (2.0 * near(0.25)).min(16.0 * near(0.8) - 0.3)
        };
        let space = Space { start: vec![0.3; 2], grain: vec![0.0; 2] };
        let Some(Listed::Settings(method)) = METHODS.iter().find(|it| it.name() == "cma-es").copied() else {
            unreachable!()
        };
        let mut noise = Seed::root(number).child("noise", 0).rng();
        let mut all = begin(method, &space, beginnings, Seed::root(number));
        let (mut left, mut steps) = (games, Vec::new());
        while let Some(step) = all.ask(left) {
            left = left.checked_sub(step.games()).expect("within the budget");
            let mut of = |point: &Point| -> Losses {
                Some((0..step.blocks).map(|_| loss(point) + noise.unit() - 0.5).collect())
            };
            let losses: Vec<Losses> = step.candidates.iter().map(&mut of).collect();
            all.tell(&step, &losses);
            steps.push(step);
        }
        (all, steps)
    }

    /// The better basin is found more often, and the answer is at none of the other ends.
    #[test]
    fn the_best_of_several_ends_is_the_answer() {
        let is_best = |point: &Point| point.iter().all(|x| *x > 0.6);
        let found = |searches: u32| {
            let one = |number: u64| {
                let (method, _) = searched(Beginnings { starts: 3, searches }, number, 6_000);
                let (answer, ends) = (method.answer(), method.ends());
                assert!(!ends.contains(&answer) && ends.len() == searches as usize - 1, "{ends:?}");
                // Where any search ended in the better basin, the answer is there.
                assert!(is_best(&answer) || !ends.iter().any(is_best), "{number}: {answer:?}, {ends:?}");
                is_best(&answer)
            };
            (1..=30).filter(|number| one(*number)).count()
        };
        let (alone, four) = (found(1), found(4));
        assert!(four > alone + 3, "{four} and {alone} of 30");
    }

    #[test]
    fn a_longer_search_begins_as_a_shorter_one() {
        let three = Beginnings { starts: 1, searches: 3 };
        let (short, long) = (searched(three, 1, 3_000).1, searched(three, 1, 9_000).1);
        // The last step of the short one is its last meeting.
        assert!(short.len() > 10 && long[..short.len() - 1] == short[..short.len() - 1]);
        assert_eq!(short.last().map(|step| step.candidates.len()), Some(3));
    }
}
