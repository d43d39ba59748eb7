//! Earlier answers about results, from other numbers of games. A later answer is corrected for
//! them: adding games until a test is significant raises the error rate above the level.

use std::collections::BTreeSet;

use gauntlet_core::text::{format_count, group_digits};
use serde::{Deserialize, Serialize};

/// An answer that was given: tables with this number of games were written or shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterimLook {
    /// Games of each player, or of each pairing in duels.
    pub games: u64,
    /// Players not covered, because they were added or changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// True if `[stop]` chose the number of games.
    #[serde(default, rename = "stopped", skip_serializing_if = "std::ops::Not::not")]
    pub is_stopped: bool,
}

/// The present answer, which earlier answers precede.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurrentLook {
    /// Games of each player, or of each pairing in duels.
    pub games: u64,
    /// True if the experiment has `[stop]`.
    pub is_sequential: bool,
    /// Number of games seen before the experiment was extended, as the experiment states it.
    pub extended_from: Option<u64>,
}

/// Answers before the present one, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierLooks {
    looks: Vec<InterimLook>,
    players: Vec<String>,
    current: CurrentLook,
}

impl EarlierLooks {
    /// Selects the answers about these players that precede the present one.
    pub fn new(looks: Vec<InterimLook>, players: Vec<String>, current: CurrentLook) -> EarlierLooks {
        EarlierLooks { looks, players, current }
    }

    /// Counts the answers about all these players, up to the first one with as many games as the
    /// present one. Answers with the same number of games count once.
    pub fn count_about(&self, players: &[&str]) -> usize {
        self.distinct_game_counts(self.indices_about(players).into_iter().map(|index| &self.looks[index]))
            .len()
    }

    /// Returns true if `[stop]` chose the number of games, although the experiment now fixes it.
    pub fn is_from_stopped_run(&self) -> bool {
        let CurrentLook { games, is_sequential, .. } = self.current;
        !is_sequential && self.looks.iter().any(|answer| answer.is_stopped && answer.games == games)
    }

    /// Returns a warning about the correction, or `None` without earlier answers.
    pub fn warning(&self) -> Option<String> {
        let indices: BTreeSet<usize> =
            self.players.iter().flat_map(|player| self.indices_about(&[player])).collect();
        let earlier_counts = self.distinct_game_counts(indices.into_iter().map(|index| &self.looks[index]));
        let game_counts: Vec<String> = earlier_counts.iter().map(|&(games, _)| group_digits(games)).collect();
        let (correction, game_list) = (describe_correction(earlier_counts.len())?, game_counts.join(", "));
        Some(format!(
            "comparisons and the Pareto front are {correction} (after {game_list} games); intervals of single \
             players are not. At a level of 95 % for each answer, the level of all answers together is 92.5 %."
        ))
    }

    /// Returns the indices of the answers about all these players, up to the first one like the
    /// present one.
    fn indices_about(&self, players: &[&str]) -> Vec<usize> {
        let CurrentLook { games, is_sequential, .. } = self.current;
        let is_about = |answer: &InterimLook| {
            !players.iter().any(|player| answer.without.iter().any(|name| name == player))
        };
        let is_present =
            |answer: &InterimLook| answer.games == games && (is_sequential || !answer.is_stopped);
        let matching_looks = self.looks.iter().enumerate().filter(|(_, answer)| is_about(answer));
        matching_looks.take_while(|(_, answer)| !is_present(answer)).map(|(index, _)| index).collect()
    }

    /// Returns the distinct numbers of games of these answers and of `extended_from`, each with
    /// whether `[stop]` chose it.
    fn distinct_game_counts<'a>(&self, answers: impl Iterator<Item = &'a InterimLook>) -> Vec<(u64, bool)> {
        let mut game_counts = Vec::new();
        for &InterimLook { games, is_stopped, .. } in answers {
            if !game_counts.contains(&(games, is_stopped)) {
                game_counts.push((games, is_stopped));
            }
        }
        let games_before = self.current.extended_from.filter(|games| *games < self.current.games);
        if let Some(games_before) =
            games_before.filter(|seen| game_counts.iter().all(|(games, _)| games != seen))
        {
            game_counts.insert(0, (games_before, false));
        }
        game_counts
    }
}

/// Says that an answer is corrected for this number of earlier answers, in words that continue a
/// sentence. `None` for 0.
pub(crate) fn describe_correction(earlier_answers: usize) -> Option<String> {
    (earlier_answers > 0)
        .then(|| format!("corrected for {}", format_count(earlier_answers as u64, "earlier answer")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(games: impl IntoIterator<Item = u64>) -> Vec<InterimLook> {
        games.into_iter().map(|games| InterimLook { games, ..InterimLook::default() }).collect()
    }

    fn earlier_looks(all: Vec<InterimLook>, current: CurrentLook) -> EarlierLooks {
        EarlierLooks::new(all, vec!["a".to_owned(), "b".to_owned()], current)
    }

    fn count_looks(all: Vec<InterimLook>, games: u64, extended_from: Option<u64>) -> usize {
        earlier_looks(all, CurrentLook { games, extended_from, is_sequential: false })
            .count_about(&["a", "b"])
    }

    #[test]
    fn an_answer_comes_after_those_of_other_numbers_of_games() {
        for (all, games, expected) in [
            (vec![], 100, 0),
            (vec![100], 100, 0),
            (vec![100], 200, 1),
            (vec![100, 200], 300, 2),
            (vec![100, 200, 100, 200], 300, 2),
            // The present answer repeats an earlier one, which had fewer games than were seen.
            (vec![100, 200], 100, 0),
            (vec![200, 100], 100, 1),
        ] {
            assert_eq!(count_looks(looks(all.clone()), games, None), expected, "{all:?}, {games}");
        }
    }

    #[test]
    fn what_the_file_says_counts_once() {
        assert_eq!(count_looks(vec![], 200, Some(100)), 1);
        assert_eq!(count_looks(looks([100]), 200, Some(100)), 1);
        assert_eq!(count_looks(looks([50]), 200, Some(100)), 2);
        assert_eq!(count_looks(vec![], 100, Some(100)), 0);
    }

    /// Answers with the same number of games count once only for players that both cover.
    #[test]
    fn each_pair_has_answers_of_its_own() {
        let look_without = |player: &str, games| InterimLook {
            games,
            without: vec![player.to_owned()],
            ..InterimLook::default()
        };
        let all_looks = [vec![look_without("b", 100), look_without("b", 200)], looks([100, 200])].concat();
        let count_about = |games, players: &[&str]| {
            earlier_looks(all_looks.clone(), CurrentLook { games, ..CurrentLook::default() })
                .count_about(players)
        };
        assert_eq!([100, 200, 300].map(|games| count_about(games, &["a", "b"])), [0, 1, 2]);
        assert_eq!([100, 200, 300].map(|games| count_about(games, &["a"])), [0, 1, 2]);
        let earlier =
            earlier_looks(vec![look_without("b", 100)], CurrentLook { games: 200, ..CurrentLook::default() });
        assert_eq!([earlier.count_about(&["a"]), earlier.count_about(&["a", "b"])], [1, 0]);
    }

    /// A number of games that `[stop]` chose was not fixed beforehand.
    #[test]
    fn the_end_of_a_stop_is_an_earlier_answer() {
        let stop = InterimLook { games: 100, is_stopped: true, ..InterimLook::default() };
        let summarize = |games, is_sequential| {
            let current = CurrentLook { games, is_sequential, extended_from: None };
            let earlier = earlier_looks(vec![stop.clone()], current);
            (earlier.count_about(&["a", "b"]), earlier.is_from_stopped_run())
        };
        assert_eq!(summarize(100, false), (1, true));
        assert_eq!(summarize(200, false), (1, false));
        assert_eq!(summarize(100, true), (0, false));
    }
}
