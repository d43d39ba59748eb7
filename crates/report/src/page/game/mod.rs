//! The page of one game: it steps through the moves and shows the value of every move to the
//! player. It is one file that fetches nothing. Without its script it shows the end of the game.

use serde::Serialize;

use super::html::{Data, Html, Ours};
use super::{board, parts};

/// A game to step through.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// Title: the players and the results.
    pub title: String,
    /// Its end, in a sentence.
    pub end: String,
    /// Further facts, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// The command that shows it again.
    pub command: String,
    /// Its positions, from the start.
    pub moments: Vec<Moment>,
    /// The names of black and white, if its positions have stones.
    pub stones: Option<[String; 2]>,
}

/// A position of a game, and the move that led to it.
#[derive(Clone, Debug, Serialize)]
pub struct Moment {
    /// The move; `None` at the start.
    #[serde(rename = "m", skip_serializing_if = "Option::is_none")]
    pub mv: Option<String>,
    /// Depth of the player's search for the move.
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Value of each move to the player when it chose this one.
    #[serde(rename = "w", skip_serializing_if = "Vec::is_empty")]
    pub weighed: Vec<(String, f64)>,
    /// State of the game, in words.
    #[serde(rename = "s")]
    pub standing: String,
    /// Its cells, row by row.
    #[serde(rename = "p")]
    pub rows: Vec<Vec<String>>,
}

impl Moment {
    /// Splits the text of a position into cells.
    pub fn rows(position: &str) -> Vec<Vec<String>> {
        let rows = position.lines().map(|row| row.split_whitespace().map(str::to_owned).collect());
        rows.filter(|row: &Vec<String>| !row.is_empty()).collect()
    }
}

const OWN_STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Returns the page of a game.
pub fn page(game: &Game) -> String {
    let mut html = Html::default();
    let last = game.moments.last();
    let rows = last.map_or(&[][..], |moment| &moment.rows);
    let columns = last.and_then(|moment| moment.rows.first()).map_or(1, Vec::len);
    // No other script can run, wherever it is in the page: the nonce is a digest of this script.
    let word = blake3::hash([board::SCRIPT, SCRIPT].concat().as_bytes()).to_hex().to_string();
    parts::head(&mut html, &game.title, &format!("nonce-{word}"));
    html.put(
        r#"{}
{}
</style>
</head>
<body>
<main>
<header>
<p class="kind">gauntlet game</p>
<h1>{}</h1>
<p class="facts">"#,
        &[&Ours(board::STYLE), &Ours(OWN_STYLE), &game.title],
    );
    if let Some([black, white]) = &game.stones {
        html.put(r#"<span><i class="stone black"></i> black: {}</span><span><i class="stone white"></i> white: {}</span>"#, &[black, white]);
    }
    for (name, value) in &game.facts {
        html.put("<span>{} {}</span>", &[name, value]);
    }
    html.put(
        r#"</p>
<p class="lead">{}</p>
</header>
<noscript><p class="note">To step through the moves this page needs its script. Here is the end of the game; the command below prints every move.</p></noscript>
<section id="game" aria-label="The game, move by move">
<p id="controls" hidden>
<button type="button" data-to="first" title="to the start (Home)">|◀</button>
<button type="button" data-by="-10" title="10 moves back (Page up)">−10</button>
<button type="button" data-by="-1" title="a move back (←)">◀</button>
<button type="button" id="play" title="play on, or stop (space)">▶ play</button>
<button type="button" data-by="1" title="a move on (→)">▶</button>
<button type="button" data-by="10" title="10 moves on (Page down)">+10</button>
<button type="button" data-to="last" title="to the end (End)">▶|</button>
<input type="range" id="slider" min="0" value="0" aria-label="move">
</p>
<p id="standing" aria-live="polite">{}</p>
<div class="moment">
<table id="board" class="{}" style="--columns: {}">"#,
        &[
            &game.end,
            &last.map_or("", |moment| &moment.standing),
            &if game.stones.is_some() { "board stones" } else { "board" },
            &columns,
        ],
    );
    board::rows(&mut html, rows, last.and_then(|moment| moment.mv.as_deref()), game.stones.is_some());
    html.put(
        r#"</table>
<div id="why" hidden><h2>What each move is worth to the player</h2><table id="weighed"></table><p id="few" class="note" hidden></p><p id="bars" class="note" hidden>Bars compare the moves that are listed: the shortest is the worst of them.</p><p id="silent" class="note">The player does not weigh moves here.</p></div>
</div>
</section>
<section class="provenance">
<p>Shown by</p>
<pre><code>{}</code></pre>
</section>
</main>
<footer>
<p>Made by gauntlet {}. Values are on the player's own scale: compare those of one position only.</p>
</footer>
<script type="application/json" id="moments">{}</script>
<script nonce="{}">
{}{}
</script>
</body>
</html>
"#,
        &[&game.command, &env!("CARGO_PKG_VERSION"), &Data::of(&game.moments), &word, &Ours(board::SCRIPT), &Ours(SCRIPT)],
    );
    html.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_game_is_markup() {
        let hostile = "</script><script>alert(1)</script><!--";
        let moment = Moment {
            mv: Some(hostile.to_owned()),
            depth: None,
            weighed: vec![(hostile.to_owned(), 0.5)],
            standing: hostile.to_owned(),
            rows: vec![vec![hostile.to_owned()]],
        };
        let game = Game {
            title: hostile.to_owned(),
            end: hostile.to_owned(),
            facts: vec![("block", hostile.to_owned())],
            command: hostile.to_owned(),
            moments: vec![moment],
            stones: Some([hostile.to_owned(), hostile.to_owned()]),
        };
        let html = page(&game);
        assert!(html.contains("the shortest is the worst of them"));
        assert_eq!(html.matches("<script").count(), 2);
        assert_eq!(html.matches("</script").count(), 2);
        assert!(!html.contains("<!--"));
        // The script parses this text again.
        let data = html.split("id=\"moments\">").nth(1).and_then(|rest| rest.split("</script").next());
        let read: serde_json::Value = serde_json::from_str(data.expect("data")).expect("JSON");
        assert_eq!(read[0]["m"], hostile);
        assert_eq!(read[0]["w"][0][1], 0.5);
    }

    #[test]
    fn rows_are_those_of_the_text() {
        assert_eq!(Moment::rows("2  .\n.  16\n\n"), [["2", "."], [".", "16"]]);
    }
}
