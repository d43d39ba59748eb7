//! Serves a player as a Gomocup engine: translates a manager's lines to the protocol of
//! docs/PROTOCOL.md and back.

use gauntlet_core::player::{PlayerServer, Reply};
use serde_json::Value;

use super::engine::parse_cell;
use crate::rules::{Board, Cell, Rule, Stone};

/// Wraps a player for Gomocup managers, under this name. `player` answers the protocol of
/// docs/PROTOCOL.md.
pub fn wrap_player(name: &str, rules: &Value, player: Box<dyn PlayerServer>) -> Box<dyn PlayerServer> {
    let size = rules["size"].as_u64().and_then(|size| size.try_into().ok()).expect("rules have a size");
    let rule = serde_json::from_value(rules["rule"].clone()).expect("rules have a rule");
    let name = name.to_owned();
    let board = Board::new(size);
    Box::new(GomocupServer {
        name,
        size,
        rule,
        player,
        board,
        board_input: None,
        games: 0,
        stones_before: None,
        refusal: None,
    })
}

struct GomocupServer {
    name: String,
    size: u8,
    rule: Rule,
    player: Box<dyn PlayerServer>,
    board: Board,
    /// Stones of a `BOARD` until `DONE`, or what is wrong with one.
    board_input: Option<Result<Board, String>>,
    /// Number of games begun.
    games: u64,
    /// Number of stones on the board at its first move; `None` before that.
    stones_before: Option<u32>,
    /// Demand of an `INFO` that it cannot meet, kept because `INFO` has no answer.
    refusal: Option<String>,
}

impl PlayerServer for GomocupServer {
    fn handle_line(&mut self, line: &str) -> Result<Reply, String> {
        let line = line.trim();
        let reply = match self.board_input.take() {
            Some(input) => self.handle_stone(input, line),
            None => self.handle_command(line),
        };
        Ok(reply.unwrap_or_else(|message| Reply::Line(format!("ERROR {message}"))))
    }
}

impl GomocupServer {
    fn handle_command(&mut self, line: &str) -> Result<Reply, String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match &*word.to_ascii_uppercase() {
            "" => Ok(Reply::None),
            "START" => self.start(rest, rest),
            "RECTSTART" => rest.split_once(',').map_or_else(
                || Err(size_error(rest)),
                |(width, height)| self.start(width.trim(), height.trim()),
            ),
            "RESTART" => Ok(self.begin_again()),
            "INFO" => {
                self.note_rule(rest);
                Ok(Reply::None)
            }
            "BEGIN" if self.board.stones() > 0 => Err("BEGIN requires an empty board".to_owned()),
            "BEGIN" => self.choose(),
            "TURN" => {
                let stone = Stone::next_after(self.board.stones());
                put_stone(&mut self.board, rest, stone)?;
                self.choose()
            }
            "BOARD" => {
                self.board_input = Some(Ok(Board::new(self.size)));
                Ok(Reply::None)
            }
            "TAKEBACK" => {
                let cell = parse_cell(rest)
                    .filter(|&cell| self.board.has(cell) && self.board.stone_at(cell).is_some());
                self.board.take(cell.ok_or_else(|| format!("no stone is on {rest:?}"))?);
                Ok(Reply::Line("OK".to_owned()))
            }
            "ABOUT" => {
                let version = env!("CARGO_PKG_VERSION");
                let about = format!("name=\"{}\", version=\"{version}\", author=\"gauntlet\"", self.name);
                Ok(Reply::Line(about))
            }
            "END" => Ok(Reply::Quit),
            _ => Ok(Reply::Line(format!("UNKNOWN {word}"))),
        }
    }

    fn start(&mut self, width: &str, height: &str) -> Result<Reply, String> {
        for side in [width, height] {
            let cells: u32 = side.parse().map_err(|_| size_error(side))?;
            if cells != u32::from(self.size) {
                return Err(format!("the player supports only boards of size {}", self.size));
            }
        }
        Ok(self.begin_again())
    }

    fn begin_again(&mut self) -> Reply {
        (self.board, self.stones_before) = (Board::new(self.size), None);
        Reply::Line("OK".to_owned())
    }

    /// Records the rule. The player's limits come from the experiment.
    fn note_rule(&mut self, info: &str) {
        let Some(("rule", number)) = info.split_once(char::is_whitespace) else { return };
        let (rule_number, name) = match self.rule {
            Rule::Free => ("0", "free"),
            Rule::Standard => ("1", "standard"),
        };
        let is_other = number.trim() != rule_number;
        self.refusal = is_other.then(|| {
            format!("the player supports only rule {rule_number} ({name}), not {:?}", number.trim())
        });
    }

    fn handle_stone(&mut self, input: Result<Board, String>, line: &str) -> Result<Reply, String> {
        if !line.eq_ignore_ascii_case("DONE") {
            self.board_input = Some(input.and_then(|mut board| {
                let (cell_text, player_number) =
                    line.rsplit_once(',').ok_or_else(|| format!("{line:?} is not a stone"))?;
                // Colours follow from the number of stones, once all are known.
                let stone = match player_number.trim() {
                    "1" => Stone::Black,
                    "2" => Stone::White,
                    _ => return Err(format!("{line:?} is not a stone of either player")),
                };
                put_stone(&mut board, cell_text, stone).map(|()| board)
            }));
            return Ok(Reply::None);
        }
        let board = input?;
        if board.stones() < self.board.stones() {
            self.stones_before = None;
        }
        let is_black = board.stones().is_multiple_of(2);
        self.board = Board::new(self.size);
        for cell in board.cells() {
            if let Some(stone) = board.stone_at(cell) {
                self.board.put(cell, if is_black { stone } else { stone.other() });
            }
        }
        self.choose()
    }

    /// Asks the player for its move.
    fn choose(&mut self) -> Result<Reply, String> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let stones = self.board.stones();
        let stone = Stone::next_after(stones);
        if self.stones_before.is_none() {
            let seat = ["first", "second"][stone.number()];
            self.player.handle_line(&format!("new 0 {} seat={seat}", self.games))?;
            self.games += 1;
        }
        let moves = stones.saturating_sub(*self.stones_before.get_or_insert(stones));
        let letters: String = self.board.cells().map(|cell| self.board.letter(cell)).collect();
        let turn = stone.letter();
        let Reply::Line(answer) =
            self.player.handle_line(&format!("move 0 {letters} turn={turn} moves={moves}"))?
        else {
            return Err("the player has no answer".to_owned());
        };
        let mut words = answer.splitn(3, ' ').skip(1);
        let cell: Cell = words.next().unwrap_or("").parse()?;
        self.board.put(cell, stone);
        let remark = words.next().map_or_else(String::new, |remark| format!("MESSAGE {remark}\n"));
        Ok(Reply::Line(format!("{remark}{},{}", cell.x, cell.y)))
    }
}

fn size_error(text: &str) -> String {
    format!("{text:?} is not a board size")
}

/// Puts a stone on the cell of two numbers.
fn put_stone(board: &mut Board, cell_text: &str, stone: Stone) -> Result<(), String> {
    let cell = parse_cell(cell_text)
        .filter(|&cell| board.has(cell))
        .ok_or_else(|| format!("{cell_text:?} is not a cell"))?;
    if board.stone_at(cell).is_some() {
        return Err(format!("cell {cell_text} is already occupied"));
    }
    board.put(cell, stone);
    Ok(())
}
