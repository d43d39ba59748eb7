//! Reads and writes Gomoku games in the Smart Game Format (`FF[4]`, `GM[4]`), which other programs
//! use. The first letter of a point is its column and the second its row, and `aa` is the first
//! cell of the first row, as in Go. A file may contain several games in sequence.

use gauntlet_core::game::{Outcome, Seat};

use super::board::{Rule, SIZE};
use super::cell::{Cell, MAX_SIZE};
use super::stone::Stone;

/// Game to write, or one that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sgf {
    /// Board size, in cells on a side.
    pub size: u8,
    /// Rule for winning rows.
    pub rule: Rule,
    /// Title among other games in the file; empty if the file has none.
    pub title: String,
    /// Names of black and white.
    pub names: [String; 2],
    /// Outcome, if the file has one.
    pub outcome: Option<Outcome>,
    /// All stones in order, starting with the opening.
    pub stones: Vec<(Stone, Cell)>,
    /// Number of stones in the opening.
    pub opening: usize,
}

/// Writes a game.
pub fn write(game: &Sgf) -> String {
    let result = match game.outcome {
        Some(Outcome::Won(Seat::First)) => "B+",
        Some(Outcome::Won(Seat::Second)) => "W+",
        Some(_) => "0",
        None => "?",
    };
    let rule = match game.rule {
        Rule::Free => "free",
        Rule::Standard => "standard",
    };
    let [black, white] = game.names.each_ref().map(|name| escape(name));
    let title = if game.title.is_empty() { String::new() } else { format!("GN[{}]", escape(&game.title)) };
    let mut text = format!(
        "(;FF[4]GM[4]CA[UTF-8]AP[gauntlet:{}]SZ[{}]RU[{rule}]{title}PB[{black}]PW[{white}]RE[{result}]C[The first stones are the opening: {}]",
        env!("CARGO_PKG_VERSION"),
        game.size,
        game.opening
    );
    for (index, (stone, cell)) in game.stones.iter().enumerate() {
        if index.is_multiple_of(15) {
            text.push('\n');
        }
        let colour = if *stone == Stone::Black { 'B' } else { 'W' };
        text += &format!(";{colour}[{}{}]", letter(cell.x), letter(cell.y));
    }
    text + ")\n"
}

fn letter(coordinate: u8) -> char {
    char::from(b'a' + coordinate)
}

/// Escapes text for a property value, on one line.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | ']' => escaped.extend(['\\', letter]),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Splits a text into games. The last one may lack its end.
fn split_games(text: &str) -> Vec<&str> {
    let (mut games, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    let (mut is_value, mut is_escaped) = (false, false);
    for (position, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_value => is_escaped = true,
            ']' if is_value => is_value = false,
            _ if is_value => {}
            '[' if depth > 0 => is_value = true,
            // Text between games is a note of another program.
            '(' if depth == 0 && text[position..].starts_with("(;") => (start, depth) = (position, 1),
            '(' if depth > 0 => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    games.push(&text[start..=position]);
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        games.push(&text[start..]);
    }
    games
}

/// Reads one game of a text, counted from 1, along its first branch. Unrelated properties are
/// ignored.
pub fn read(text: &str, number: usize) -> Result<Sgf, String> {
    let games = split_games(text);
    let text = number.checked_sub(1).and_then(|index| games.get(index)).ok_or_else(|| match games.len() {
        0 => "no game found: an SGF game begins with \"(;\"".to_owned(),
        1 => "the file has one game".to_owned(),
        count => format!("the file has {count} games, counted from 1"),
    })?;
    let mut rest = text[1..].chars().peekable();
    let mut game = Sgf {
        size: SIZE,
        rule: Rule::Free,
        title: String::new(),
        names: [String::new(), String::new()],
        outcome: None,
        stones: Vec::new(),
        opening: 0,
    };
    let (mut property, mut size) = (String::new(), None);
    while let Some(letter) = rest.next() {
        match letter {
            // The end of the first branch is the end of the game.
            ')' => {
                game.size = size.unwrap_or(SIZE);
                return match game.stones.iter().find(|(_, cell)| cell.x.max(cell.y) >= game.size) {
                    Some((_, cell)) => Err(format!("{cell} is outside a board of size {}", game.size)),
                    None => Ok(game),
                };
            }
            '[' => {
                let mut value = String::new();
                loop {
                    match rest.next().ok_or("a value does not end")? {
                        ']' => break,
                        '\\' => value.extend(rest.next()),
                        letter => value.push(letter),
                    }
                }
                if property == "SZ" && size.replace(parse_size(&value)?).is_some() {
                    return Err("the board size is given twice".to_owned());
                }
                set_property(&mut game, &property, &value)?;
                // Several values belong to one property.
                while rest.peek().is_some_and(|next| next.is_whitespace()) {
                    rest.next();
                }
                if rest.peek() != Some(&'[') {
                    property.clear();
                }
            }
            letter if letter.is_ascii_uppercase() => property.push(letter),
            ';' | '(' => property.clear(),
            _ => {}
        }
    }
    Err("missing \")\" at the end of the game".to_owned())
}

fn parse_size(value: &str) -> Result<u8, String> {
    let size = value.parse().ok().filter(|size| (5..=MAX_SIZE).contains(size));
    size.ok_or_else(|| format!("invalid board size {value}"))
}

fn set_property(game: &mut Sgf, property: &str, value: &str) -> Result<(), String> {
    match property {
        "GM" if value != "4" => {
            return Err(format!("the game is GM[{value}], not Gomoku (GM[4])"));
        }
        "RU" if value == "standard" => game.rule = Rule::Standard,
        "GN" => value.clone_into(&mut game.title),
        "PB" => value.clone_into(&mut game.names[0]),
        "PW" => value.clone_into(&mut game.names[1]),
        "RE" => {
            game.outcome = match value.get(..1) {
                Some("B") => Some(Outcome::Won(Seat::First)),
                Some("W") => Some(Outcome::Won(Seat::Second)),
                Some("0" | "D") => Some(Outcome::Drawn),
                _ => None,
            }
        }
        "C" => {
            let opening = value.rsplit_once("the opening: ").and_then(|(_, count)| count.parse().ok());
            game.opening = opening.unwrap_or(game.opening);
        }
        "B" | "W" | "AB" | "AW" => {
            let stone = if property.ends_with('B') { Stone::Black } else { Stone::White };
            let coordinate = |letter: u8| letter.checked_sub(b'a').filter(|&index| index < MAX_SIZE);
            let cell = match *value.as_bytes() {
                [x, y] => coordinate(x).zip(coordinate(y)).map(|(x, y)| Cell::new(x, y)),
                _ => None,
            };
            let cell = cell.ok_or_else(|| format!("[{value}] is not a point of a board"))?;
            game.stones.push((stone, cell));
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Sgf {
        let stones = "h8i9g7 a1 o15 a2"
            .split(' ')
            .flat_map(|text| super::super::cell::parse_cells(text).expect("cells"));
        Sgf {
            size: 15,
            rule: Rule::Standard,
            title: "block 1 (of 2], game 0".to_owned(),
            names: ["a [1] \\".to_owned(), "b".to_owned()],
            outcome: Some(Outcome::Won(Seat::Second)),
            stones: (0..).map(Stone::next_after).zip(stones).collect(),
            opening: 3,
        }
    }

    #[test]
    fn a_game_is_read_as_it_is_written() {
        let game = game();
        let text = write(&game);
        assert!(text.contains(";B[hh];W[ii];B[gg];W[aa];B[oo];W[ab])"), "{text}");
        assert_eq!(read(&text, 1), Ok(game.clone()));
        let drawn_game = Sgf { outcome: Some(Outcome::Drawn), ..game.clone() };
        assert_eq!(read(&write(&drawn_game), 1), Ok(drawn_game.clone()));
        let two_games = write(&game) + "a note (of whom?)\n" + &write(&drawn_game);
        assert_eq!([1, 2].map(|number| read(&two_games, number)), [Ok(game), Ok(drawn_game)]);
        for number in [0, 3] {
            assert_eq!(read(&two_games, number), Err("the file has 2 games, counted from 1".to_owned()));
        }
    }

    #[test]
    fn games_of_other_programs_are_read() {
        let text = "note\n(;FF[4]GM[4]SZ[20]PB[x]\n;B[aa]C[a ] \\] ]\n(;W[tt];B[ab])(;W[bb]))";
        let game = read(text, 1).expect("a game");
        assert_eq!((game.size, game.stones.len()), (20, 3));
        assert_eq!(game.stones[1], (Stone::White, Cell::new(19, 19)));
        let set_up_game = read("(;GM[4]SZ[15]AB[aa][bb]AW[cc];W[dd])", 1).expect("a game");
        assert_eq!(set_up_game.stones.len(), 4);
        let late_size_game = read("(;GM[4]AB[ee]SZ[9];W[ii])", 1).expect("a game");
        assert_eq!(late_size_game.size, 9);
        let error = read("(;GM[4]SZ[15]SZ[5];B[hh])", 1).expect_err("a size too many");
        assert_eq!(error, "the board size is given twice");
        for invalid in ["", "(;B[aa]", "(;B[aa", "(;GM[1];B[aa])", "(;SZ[4])", "(;SZ[15];B[pp])", "(;B[])"] {
            assert!(read(invalid, 1).is_err(), "{invalid:?}");
        }
    }
}
