//! Words about the verdict of a tuning.

use gauntlet_core::text::capitalize;

use super::VerdictSentence;
use super::headline::Headline;
use crate::compare::verdict::Verdict;

/// Answer of a search that kept its start.
const UNCHANGED: &str = "the search found nothing better than the initial settings";

/// Describes the verdict and its reason in a sentence. `validation` is the answer of the validation
/// games, `None` if the search kept its start.
pub fn describe_verdict(
    verdict: Verdict,
    validation: Option<&VerdictSentence>,
    at_most_nodes: Option<f64>,
) -> String {
    let limit = exceeded_limit(at_most_nodes, verdict, validation).map_or_else(String::new, |max_nodes| {
        format!(
            ", because the player with the best settings searches more positions per move than `at_most_nodes = {max_nodes}` allows"
        )
    });
    format!("{}{limit}: {}", verdict.word(), validation.map_or(UNCHANGED, |validation| &validation.answer))
}

/// Makes the headline of a page from the verdict and its reason.
pub fn tuning_headline(
    verdict: Verdict,
    validation: Option<&VerdictSentence>,
    at_most_nodes: Option<f64>,
) -> Headline {
    let Some(VerdictSentence { answer, .. }) = validation else {
        let (subject, predicate) = ("Nothing better was found:".to_owned(), UNCHANGED.to_owned());
        return Headline { subject, predicate, ..Headline::default() };
    };
    let certainty = match exceeded_limit(at_most_nodes, verdict, validation) {
        Some(max_nodes) => format!(
            "But with the best settings, the player searches more positions per move than `at_most_nodes = {max_nodes}` allows."
        ),
        None => "Based on validation only, not on the games of the search.".to_owned(),
    };
    let subject = format!("{}:", capitalize(verdict.word()));
    Headline { subject, predicate: answer.clone(), certainty, ..Headline::default() }
}

/// Returns the limit of nodes per move if only this limit keeps the result from being better. By
/// its games, the result is better then.
fn exceeded_limit(
    at_most_nodes: Option<f64>,
    verdict: Verdict,
    validation: Option<&VerdictSentence>,
) -> Option<f64> {
    let is_better = validation.and_then(|validation| validation.verdict) == Some(Verdict::Better);
    at_most_nodes.filter(|_| verdict != Verdict::Better && is_better)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_that_changes_the_verdict_is_told() {
        let validation = |verdict| VerdictSentence {
            verdict: Some(verdict),
            answer: "a vs b".to_owned(),
            explanation: String::new(),
        };
        let (open, better, worse) = (Verdict::Inconclusive, Verdict::Better, Verdict::Worse);
        assert_eq!(exceeded_limit(Some(5.0), open, Some(&validation(better))), Some(5.0));
        assert_eq!(exceeded_limit(None, open, Some(&validation(better))), None);
        for verdict in [worse, open] {
            assert_eq!(exceeded_limit(Some(5.0), open, Some(&validation(verdict))), None);
        }
        assert_eq!(exceeded_limit(Some(5.0), open, None), None);
        assert_eq!(exceeded_limit(Some(5.0), better, Some(&validation(better))), None);
        assert_eq!(describe_verdict(better, Some(&validation(better)), None), "better: a vs b");
        assert!(describe_verdict(open, Some(&validation(better)), Some(5.0)).contains("at_most_nodes = 5"));
        assert_eq!(tuning_headline(better, Some(&validation(better)), None).predicate, "a vs b");
    }
}
