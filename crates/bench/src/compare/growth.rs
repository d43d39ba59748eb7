//! Earlier answers about results, of other numbers of their games. A later answer is corrected for them, because whoever adds games
//! until a test shows something errs more often than its level.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// An answer: tables were written or shown of this number of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// Games of each player, in each pairing of a game of two; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Players that had no games by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// The answers before the present one, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierAnswers(Vec<GivenAnswer>);

impl EarlierAnswers {
    /// Those of all these that come before the first answer of this number of games. Answers of the same number of games are one.
    /// `extended_from` is a number of games that the experiment says had been seen.
    pub fn of(all: Vec<GivenAnswer>, games: u64, extended_from: Option<u64>) -> EarlierAnswers {
        let mut seen = BTreeSet::new();
        let mut earlier: Vec<GivenAnswer> = all
            .into_iter()
            .take_while(|answer| answer.games != Some(games))
            .filter(|answer| answer.games.is_none_or(|games| seen.insert(games)))
            .collect();
        let extended_from = extended_from.filter(|from| *from < games && !seen.contains(from));
        // One of which the number of games is not known may be the one that is said.
        if extended_from.is_some() && earlier.iter().all(|answer| answer.games.is_some()) {
            earlier.insert(0, GivenAnswer { games: extended_from, without: Vec::new() });
        }
        EarlierAnswers(earlier)
    }

    /// The number of those about all these players.
    pub fn about(&self, players: &[&str]) -> usize {
        let is_about = |answer: &&GivenAnswer| {
            !players.iter().any(|player| answer.without.iter().any(|without| without == player))
        };
        self.0.iter().filter(is_about).count()
    }

    /// What a reader must know of them, in a sentence; none if there are none.
    pub fn warning(&self) -> Option<String> {
        let count = self.0.len();
        let known: Vec<String> = self.0.iter().filter_map(|it| it.games).map(crate::text::grouped).collect();
        let after = match &known[..] {
            [] => String::new(),
            known if known.len() < count => format!(", some of them after {} games", known.join(", ")),
            known => format!(" after {} games", known.join(", ")),
        };
        let answers = crate::text::counted(count as u64, "earlier answer");
        (count > 0).then(|| {
            format!(
                "{answers}{after} of each player: claims, comparisons and published numbers are corrected for that, \
                 intervals of single players are not"
            )
        })
    }
}

/// That an answer is corrected for this number of earlier ones, in words that can go on; none without any.
pub fn corrected_for(earlier: usize) -> Option<String> {
    let answers = crate::text::counted(earlier as u64, "earlier answer");
    (earlier > 0).then(|| format!("interval and p are corrected for {answers} with other numbers of games"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(games: impl IntoIterator<Item = u64>) -> Vec<GivenAnswer> {
        games.into_iter().map(|games| GivenAnswer { games: Some(games), without: Vec::new() }).collect()
    }

    fn count(all: Vec<GivenAnswer>, games: u64, extended_from: Option<u64>) -> usize {
        EarlierAnswers::of(all, games, extended_from).about(&["a", "b"])
    }

    #[test]
    fn an_answer_comes_after_those_of_other_numbers_of_games() {
        for (all, games, expected) in [
            (vec![], 100, 0),
            (vec![100], 100, 0),
            (vec![100], 200, 1),
            (vec![100, 200], 300, 2),
            (vec![100, 200, 100, 200], 300, 2),
            // The same answer as before, and one of fewer games than were seen.
            (vec![100, 200], 100, 0),
            (vec![200, 100], 100, 1),
        ] {
            assert_eq!(count(given(all.clone()), games, None), expected, "{all:?}, {games}");
        }
    }

    #[test]
    fn what_the_file_says_counts_once() {
        assert_eq!(count(vec![], 200, Some(100)), 1);
        assert_eq!(count(given([100]), 200, Some(100)), 1);
        assert_eq!(count(given([50]), 200, Some(100)), 2);
        assert_eq!(count(vec![], 100, Some(100)), 0);
        let unknown = || vec![GivenAnswer { games: None, without: Vec::new() }];
        assert_eq!([count(unknown(), 200, None), count(unknown(), 200, Some(100))], [1, 1]);
    }

    #[test]
    fn a_player_that_came_later_was_in_no_earlier_answer() {
        let all = vec![GivenAnswer { games: Some(100), without: vec!["b".to_owned()] }];
        let earlier = EarlierAnswers::of(all, 200, None);
        assert_eq!([earlier.about(&["a", "c"]), earlier.about(&["a", "b"])], [1, 0]);
    }
}
