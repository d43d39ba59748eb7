//! Words about the verdict of a tuning.

use gauntlet_core::text::capitalize;

use super::VerdictSentence;
use super::headline::Headline;
use crate::compare::verdict::Verdict;

/// Answer of a search that kept its start.
const UNCHANGED: &str = "the search found nothing better than the initial settings";

/// Describes the verdict and its reason in a sentence. `by_games` is the answer of the validation
/// games, `None` if the search kept its start.
pub fn describe_verdict(
    verdict: Verdict,
    by_games: Option<&VerdictSentence>,
    at_most_nodes: Option<f64>,
) -> String {
    let limit = exceeded(at_most_nodes, verdict, by_games).map_or_else(String::new, |most| {
        format!(
            ", because the player with the best settings searches more positions per move than `at_most_nodes = {most}` allows"
        )
    });
    format!("{}{limit}: {}", verdict.word(), by_games.map_or(UNCHANGED, |by_games| &by_games.answer))
}

/// Makes the headline of a page from the verdict and its reason.
pub fn tuning_headline(
    verdict: Verdict,
    by_games: Option<&VerdictSentence>,
    at_most_nodes: Option<f64>,
) -> Headline {
    let Some(VerdictSentence { answer, .. }) = by_games else {
        let (who, says) = ("Nothing better was found:".to_owned(), UNCHANGED.to_owned());
        return Headline { who, says, ..Headline::default() };
    };
    let sure = match exceeded(at_most_nodes, verdict, by_games) {
        Some(most) => format!(
            "But with the best settings, the player searches more positions per move than `at_most_nodes = {most}` allows."
        ),
        None => "Based on validation only, not on the games of the search.".to_owned(),
    };
    let who = format!("{}:", capitalize(verdict.word()));
    Headline { who, says: answer.clone(), sure, ..Headline::default() }
}

/// Returns the limit of nodes per move if only this limit keeps the result from being better. By
/// its games, the result is better then.
fn exceeded(at_most_nodes: Option<f64>, verdict: Verdict, by_games: Option<&VerdictSentence>) -> Option<f64> {
    let is_better = by_games.and_then(|by_games| by_games.verdict) == Some(Verdict::Better);
    at_most_nodes.filter(|_| verdict != Verdict::Better && is_better)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_that_changes_the_verdict_is_told() {
        let by_games = |verdict| VerdictSentence {
            verdict: Some(verdict),
            answer: "a vs b".to_owned(),
            explanation: String::new(),
        };
        let (open, better, worse) = (Verdict::Inconclusive, Verdict::Better, Verdict::Worse);
        assert_eq!(exceeded(Some(5.0), open, Some(&by_games(better))), Some(5.0));
        assert_eq!(exceeded(None, open, Some(&by_games(better))), None);
        for verdict in [worse, open] {
            assert_eq!(exceeded(Some(5.0), open, Some(&by_games(verdict))), None);
        }
        assert_eq!(exceeded(Some(5.0), open, None), None);
        assert_eq!(exceeded(Some(5.0), better, Some(&by_games(better))), None);
        assert_eq!(describe_verdict(better, Some(&by_games(better)), None), "better: a vs b");
        assert!(describe_verdict(open, Some(&by_games(better)), Some(5.0)).contains("at_most_nodes = 5"));
        assert_eq!(tuning_headline(better, Some(&by_games(better)), None).says, "a vs b");
    }
}
