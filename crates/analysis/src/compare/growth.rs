//! Earlier answers about results, of other numbers of their games. A later answer is corrected for
//! them, because whoever adds games until a test shows something errs more often than its level.

use std::collections::BTreeSet;

use gauntlet_core::text::{counted, grouped};
use serde::{Deserialize, Serialize};

/// An answer: tables were written or shown of this number of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// Games of each player, in each pairing of a game of two; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Players that it is not about: they were added or changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// True if `[stop]` chose the number of games.
    #[serde(default, rename = "stopped", skip_serializing_if = "std::ops::Not::not")]
    pub is_stopped: bool,
}

/// The answer that others come before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Games of each player, in each pairing of a game of two.
    pub games: u64,
    /// True if the experiment has `[stop]`.
    pub is_sequential: bool,
    /// The number of games that had been seen, by the experiment.
    pub extended_from: Option<u64>,
}

/// The answers before the present one, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierAnswers {
    all: Vec<AnswerRecord>,
    players: Vec<String>,
    present: Present,
}

impl EarlierAnswers {
    /// Those of all these answers that come before the present one about these players.
    pub fn of(all: Vec<AnswerRecord>, players: Vec<String>, present: Present) -> EarlierAnswers {
        EarlierAnswers { all, players, present }
    }

    /// The number of answers about all these players, up to the first one about as many games as
    /// the present one. Answers about the same number of games are one.
    pub fn about(&self, players: &[&str]) -> usize {
        self.with_seen(self.places(players).into_iter().map(|place| &self.all[place])).len()
    }

    /// True if `[stop]` chose the number of games, although the experiment now gives it as fixed.
    pub fn is_of_a_stopped_run(&self) -> bool {
        let Present { games, is_sequential, .. } = self.present;
        !is_sequential && self.all.iter().any(|answer| answer.is_stopped && answer.games == Some(games))
    }

    /// Warning about the correction; none if there are no earlier answers.
    pub fn warning(&self) -> Option<String> {
        let places: BTreeSet<usize> = self.players.iter().flat_map(|player| self.places(&[player])).collect();
        let earlier = self.with_seen(places.into_iter().map(|place| &self.all[place]));
        let known: Vec<String> = earlier.iter().filter_map(|(games, _)| games.map(grouped)).collect();
        let after = match &known[..] {
            [] => String::new(),
            known if known.len() < earlier.len() => format!(" (some after {} games)", known.join(", ")),
            known => format!(" (after {} games)", known.join(", ")),
        };
        let corrected = corrected_for(earlier.len())?;
        Some(format!(
            "results, the Pareto front included, are {corrected}{after}; intervals of single players are not; all answers \
             of the series together hold at 92.5 % if each is at 95 %"
        ))
    }

    /// Places of the answers about all these players, up to the first one that is like the present
    /// one.
    fn places(&self, players: &[&str]) -> Vec<usize> {
        let Present { games, is_sequential, .. } = self.present;
        let is_about = |answer: &AnswerRecord| {
            !players.iter().any(|player| answer.without.iter().any(|it| it == player))
        };
        let is_present =
            |answer: &AnswerRecord| answer.games == Some(games) && (is_sequential || !answer.is_stopped);
        let about = self.all.iter().enumerate().filter(|(_, answer)| is_about(answer));
        about.take_while(|(_, answer)| !is_present(answer)).map(|(place, _)| place).collect()
    }

    /// The numbers of games of these answers, each once, and whether `[stop]` chose it; with
    /// `extended_from`.
    fn with_seen<'a>(&self, answers: impl Iterator<Item = &'a AnswerRecord>) -> Vec<(Option<u64>, bool)> {
        let mut earlier = Vec::new();
        for &AnswerRecord { games, is_stopped, .. } in answers {
            if games.is_none() || !earlier.contains(&(games, is_stopped)) {
                earlier.push((games, is_stopped));
            }
        }
        let seen = self.present.extended_from.filter(|from| *from < self.present.games);
        // An answer about an unknown number of games may be the same one.
        if seen.is_some() && earlier.iter().all(|(games, _)| games.is_some() && *games != seen) {
            earlier.insert(0, (seen, false));
        }
        earlier
    }
}

/// That an answer is corrected for this number of earlier ones, in words that can go on; none
/// without any.
pub fn corrected_for(earlier: usize) -> Option<String> {
    (earlier > 0).then(|| format!("corrected for {}", counted(earlier as u64, "earlier answer")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(games: impl IntoIterator<Item = u64>) -> Vec<AnswerRecord> {
        games
            .into_iter()
            .map(|games| AnswerRecord { games: Some(games), ..AnswerRecord::default() })
            .collect()
    }

    fn after(all: Vec<AnswerRecord>, present: Present) -> EarlierAnswers {
        EarlierAnswers::of(all, vec!["a".to_owned(), "b".to_owned()], present)
    }

    fn count(all: Vec<AnswerRecord>, games: u64, extended_from: Option<u64>) -> usize {
        after(all, Present { games, extended_from, is_sequential: false }).about(&["a", "b"])
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
        let unknown = || vec![AnswerRecord::default()];
        assert_eq!([count(unknown(), 200, None), count(unknown(), 200, Some(100))], [1, 1]);
    }

    /// Answers about the same number of games are one only for players that both are about.
    #[test]
    fn each_pair_has_answers_of_its_own() {
        let without = |player: &str, games| AnswerRecord {
            games: Some(games),
            without: vec![player.to_owned()],
            ..AnswerRecord::default()
        };
        let all = [vec![without("b", 100), without("b", 200)], given([100, 200])].concat();
        let about = |games, players: &[&str]| {
            after(all.clone(), Present { games, ..Present::default() }).about(players)
        };
        assert_eq!([100, 200, 300].map(|games| about(games, &["a", "b"])), [0, 1, 2]);
        assert_eq!([100, 200, 300].map(|games| about(games, &["a"])), [0, 1, 2]);
        let earlier = after(vec![without("b", 100)], Present { games: 200, ..Present::default() });
        assert_eq!([earlier.about(&["a"]), earlier.about(&["a", "b"])], [1, 0]);
    }

    /// A number of games that `[stop]` chose was not fixed beforehand.
    #[test]
    fn the_end_of_a_stop_is_an_earlier_answer() {
        let stop = AnswerRecord { games: Some(100), is_stopped: true, ..AnswerRecord::default() };
        let of = |games, is_sequential| {
            let present = Present { games, is_sequential, extended_from: None };
            let earlier = after(vec![stop.clone()], present);
            (earlier.about(&["a", "b"]), earlier.is_of_a_stopped_run())
        };
        assert_eq!(of(100, false), (1, true));
        assert_eq!(of(200, false), (1, false));
        assert_eq!(of(100, true), (0, false));
    }
}
