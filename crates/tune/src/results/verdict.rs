//! The verdict of a tuning in a sentence: that which the terminal prints, and every page has.

use gauntlet_analysis::compare::verdict::Verdict;

/// The verdict and its reason: what the games of the validation say; none where the search stayed
/// at its start. `exceeds`: the most positions that the answer may look at for a move, if only they
/// keep it from being better.
pub fn words(verdict: Verdict, answer: Option<&str>, exceeds: Option<f64>) -> String {
    let answer = answer.unwrap_or("nothing better was found, and the search stayed at its start");
    let limit = exceeds.map_or_else(String::new, |most| {
        format!(", for it looks at more positions for a move than `at_most_nodes = {most}` allows")
    });
    format!("{}{limit}: {answer}", verdict.word())
}

/// The limit of positions for a move, if only that keeps an answer from being better, which by its
/// games it is.
pub fn exceeds(at_most_nodes: Option<f64>, verdict: Verdict, by_games: Option<Verdict>) -> Option<f64> {
    at_most_nodes.filter(|_| verdict != Verdict::Better && by_games == Some(Verdict::Better))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_that_changes_the_verdict_is_told() {
        let (not_shown, better, worse) = (Verdict::NotShown, Verdict::Better, Verdict::Worse);
        assert_eq!(exceeds(Some(5.0), not_shown, Some(better)), Some(5.0));
        assert_eq!(exceeds(None, not_shown, Some(better)), None);
        for by_games in [Some(worse), Some(not_shown), None] {
            assert_eq!(exceeds(Some(5.0), not_shown, by_games), None);
        }
        assert_eq!(exceeds(Some(5.0), better, Some(better)), None);
    }
}
