//! The verdict of a tuning in a sentence, for the terminal and every page.

use gauntlet_analysis::compare::verdict::Verdict;

/// Describes the verdict and its reason. `answer` is the result of the validation games, `None` if
/// the search kept its start. `exceeds` is the node limit, if only this limit keeps the answer from
/// being better.
pub fn words(verdict: Verdict, answer: Option<&str>, exceeds: Option<f64>) -> String {
    let answer = answer.unwrap_or("the search found nothing better than the initial settings");
    let limit = exceeds.map_or_else(String::new, |most| {
        format!(
            ", because the player with the best settings searches more positions per move than `at_most_nodes = {most}` allows"
        )
    });
    format!("{}{limit}: {answer}", verdict.word())
}

/// Returns the limit of nodes per move if only this limit keeps the answer from being better. By
/// its games, the answer is better then.
pub fn exceeds(at_most_nodes: Option<f64>, verdict: Verdict, by_games: Option<Verdict>) -> Option<f64> {
    at_most_nodes.filter(|_| verdict != Verdict::Better && by_games == Some(Verdict::Better))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_that_changes_the_verdict_is_told() {
        let (open, better, worse) = (Verdict::Inconclusive, Verdict::Better, Verdict::Worse);
        assert_eq!(exceeds(Some(5.0), open, Some(better)), Some(5.0));
        assert_eq!(exceeds(None, open, Some(better)), None);
        for by_games in [Some(worse), Some(open), None] {
            assert_eq!(exceeds(Some(5.0), open, by_games), None);
        }
        assert_eq!(exceeds(Some(5.0), better, Some(better)), None);
    }
}
