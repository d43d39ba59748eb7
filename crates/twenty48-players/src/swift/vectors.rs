//! Reads the vectors that the tests of these players share.

use gauntlet_twenty48::rules::Cells;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Unit tests of the original's author.
pub(super) const XCTEST: &str = include_str!("../../../../tests/it/vectors/swift_xctest.jsonl");

/// Board of `swift_static.jsonl`, with the fields that these players use.
pub(super) struct StaticCase {
    pub(super) board: Cells,
    pub(super) evals: [f64; 6],
    pub(super) greedy_article: String,
    pub(super) greedy_repo: String,
}

pub(super) fn static_cases() -> Vec<StaticCase> {
    #[derive(Deserialize)]
    struct Case {
        board: [u64; 16],
        evals: [Box<RawValue>; 6],
        #[serde(rename = "greedyArticle")]
        greedy_article: String,
        #[serde(rename = "greedyRepo")]
        greedy_repo: String,
    }

    let lines = lines::<Case>(include_str!("../../../../tests/it/vectors/swift_static.jsonl"));
    let parse = |Case { board, evals, greedy_article, greedy_repo }| {
        let board = Cells::from_values(board).expect("tiles");
        // serde_json may be off by one unit in the last place; the standard library is exact.
        let evals = evals.map(|text| text.get().parse().expect("a number"));
        StaticCase { board, evals, greedy_article, greedy_repo }
    };
    lines.into_iter().map(parse).collect()
}

pub(super) fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}
