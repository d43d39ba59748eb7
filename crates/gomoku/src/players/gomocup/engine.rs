//! Conversation with a Gomocup engine.
//!
//! Engines send other lines between their moves, and some at the wrong time. Therefore a move is a
//! line of exactly two numbers, every answer has a time limit, and a command that an engine does
//! not understand is sent again in another form.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use gauntlet_core::player::{NoMove, Stop};
use gauntlet_core::process::Program;
use gauntlet_core::record::{Fault, ProcessTime};
use gauntlet_core::text::format_duration;

use crate::rules::{Board, Cell, Gomoku, Rule, Rules, Stone};

/// Pause after an engine's move, before any command other than the opponent's move. Some engines
/// send their move before they stop thinking, and ignore commands that arrive in between. A
/// suspended engine does not do that either, so the pause begins when it is resumed.
const PAUSE: Duration = Duration::from_millis(20);

/// Pause after the engine is resumed, before it gets the opponent's move.
const RESUME_PAUSE: Duration = Duration::from_millis(2);

/// Remaining time without a limit, as the protocol defines it.
const UNLIMITED: u64 = 2_147_483_647;

/// Maximum length of an engine's remark in messages.
const MAX_REMARK: usize = 120;

/// Limits of an engine.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Time limit per move.
    pub(super) turn: Duration,
    /// Time limit for all moves of a game.
    pub(super) game: Option<Duration>,
    /// Tolerance beyond the time limit, in which a move still counts.
    pub(super) tolerance: Duration,
    /// Time limit for startup.
    pub(super) start_timeout: Duration,
    /// Limit on positions per move.
    pub(super) nodes: Option<u32>,
    /// Limit on plies per move.
    pub(super) depth: Option<u32>,
    /// Number of threads that the engine may use.
    pub(super) threads: u32,
    /// Memory limit in bytes.
    pub(super) memory: u64,
}

pub(super) struct Engine {
    program: Program,
    limits: Limits,
    /// Thinking time used in this game.
    used_time: Duration,
    /// Board after its last move; `None` at the start of a game.
    board: Option<Board>,
    /// Last line other than a move.
    remark: String,
}

/// Answer that ends a wait.
enum Answer {
    Move(Cell),
    Ok,
    /// The engine does not know the command, or cannot execute it.
    Refused,
}

impl Engine {
    /// Sends the size and the limits of the games to a started engine.
    pub(super) fn begin(
        program: Program,
        limits: Limits,
        rules: &Rules,
        stop: &Stop,
    ) -> Result<Engine, NoMove> {
        let mut engine =
            Engine { program, limits, used_time: Duration::ZERO, board: None, remark: String::new() };
        engine.wait_until_ready(&format!("START {}", rules.size), stop)?;
        engine.send_limits(rules);
        engine.program.start_clock();
        Ok(engine)
    }

    /// Begins another game. Returns false if the engine cannot.
    pub(super) fn begin_again(&mut self, rules: &Rules, stop: &Stop) -> Result<bool, NoMove> {
        self.program.resume(PAUSE);
        self.send_line("RESTART");
        match self.read_answer(stop, self.limits.start_timeout) {
            Ok(Answer::Ok) => {
                (self.board, self.used_time) = (None, Duration::ZERO);
                self.send_limits(rules);
                Ok(true)
            }
            Ok(Answer::Refused | Answer::Move(_)) | Err(NoMove::Forfeit(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Asks the engine to be ready and waits for its confirmation. A rejected command is repeated
    /// once, in case the engine was not listening.
    fn wait_until_ready(&mut self, command: &str, stop: &Stop) -> Result<(), NoMove> {
        for _ in 0..2 {
            self.send_line(command);
            match self.read_answer(stop, self.limits.start_timeout)? {
                Answer::Ok => return Ok(()),
                Answer::Refused => thread::sleep(PAUSE),
                Answer::Move(_) => break,
            }
        }
        let message = format!("it rejected {command}: {:?}", self.remark);
        Err(NoMove::fault(Fault::GaveUp, message))
    }

    fn send_limits(&mut self, rules: &Rules) {
        let rule = match rules.rule {
            Rule::Free => 0,
            Rule::Standard => 1,
        };
        let Limits { turn, game, nodes, depth, threads, memory, .. } = self.limits;
        let millis = |time: Duration| time.as_millis() as u64;
        let settings = [
            ("timeout_turn", Some(millis(turn))),
            ("timeout_match", Some(game.map_or(0, millis))),
            ("max_memory", Some(memory)),
            // The opponent is an engine, too.
            ("game_type", Some(1)),
            ("rule", Some(rule)),
            ("thread_num", Some(threads.into())),
            ("max_node", nodes.map(u64::from)),
            ("max_depth", depth.map(u64::from)),
        ];
        for (key, value) in settings {
            if let Some(value) = value {
                self.send_line(&format!("INFO {key} {value}"));
            }
        }
    }

    /// Asks for its move.
    pub(super) fn choose(&mut self, position: &Gomoku, stop: &Stop) -> Result<Cell, NoMove> {
        let board = position.board();
        let own = position.turn().ok_or_else(|| NoMove::forfeit("the game is over"))?;
        let command = match self.last_opponent_move(board, own) {
            Some(cell) => format!("TURN {},{}", cell.x, cell.y),
            None if board.stones() == 0 => "BEGIN".to_owned(),
            None => format_board(board, own),
        };
        self.program.resume(RESUME_PAUSE);
        self.discard_pending(stop)?;
        let start = Instant::now();
        let Limits { turn, game, tolerance, .. } = self.limits;
        let remaining_time = game.map(|game| game.saturating_sub(self.used_time));
        let limit = remaining_time.map_or(turn, |remaining_time| turn.min(remaining_time));
        let remaining_millis =
            remaining_time.map_or(UNLIMITED, |remaining_time| remaining_time.as_millis() as u64);
        self.send_line(&format!("INFO time_left {remaining_millis}"));
        self.send_line(&command);
        let mut is_refused = false;
        let cell = loop {
            // An engine that has refused something may be thinking nevertheless. If it is not, it
            // receives the whole board.
            let wait_limit = if is_refused { limit } else { limit + tolerance };
            match self.read_answer(stop, wait_limit.saturating_sub(start.elapsed())) {
                Ok(Answer::Move(cell)) => break cell,
                Ok(Answer::Ok) => {}
                Ok(Answer::Refused) => is_refused = true,
                Err(NoMove::Forfeit(forfeit)) if forfeit.fault == Fault::TimedOut && is_refused => {
                    break self.resend_board(board, own, stop, limit)?;
                }
                Err(error) => return Err(error),
            }
        };
        self.used_time += start.elapsed().min(limit);
        let mut board = board.clone();
        if board.has(cell) && board.stone_at(cell).is_none() {
            board.put(cell, own);
        }
        self.board = Some(board);
        // It must not think while its opponent does.
        self.program.suspend();
        Ok(cell)
    }

    /// Sends the whole board after a move was not understood, with a new time limit.
    fn resend_board(
        &mut self,
        board: &Board,
        own: Stone,
        stop: &Stop,
        limit: Duration,
    ) -> Result<Cell, NoMove> {
        let start = Instant::now();
        self.send_line(&format_board(board, own));
        loop {
            let wait_limit = limit + self.limits.tolerance;
            match self.read_answer(stop, wait_limit.saturating_sub(start.elapsed()))? {
                Answer::Move(cell) => return Ok(cell),
                Answer::Ok => {}
                Answer::Refused => {
                    let message = format!("it rejected the board: {:?}", self.remark);
                    return Err(NoMove::fault(Fault::Nonsense, message));
                }
            }
        }
    }

    /// Returns the opponent's move since the engine's last one; `None` if the board is not the next
    /// one of the same game.
    fn last_opponent_move(&self, board: &Board, own: Stone) -> Option<Cell> {
        let last_board =
            self.board.as_ref().filter(|last_board| last_board.stones() + 1 == board.stones())?;
        let mut changed_cells =
            board.cells().filter(|&cell| last_board.stone_at(cell) != board.stone_at(cell));
        let cell = changed_cells.next().filter(|&cell| board.stone_at(cell) == Some(own.other()))?;
        changed_cells.next().is_none().then_some(cell)
    }

    /// Returns the name and version that the engine reports, if any.
    pub(super) fn query_version(&mut self, stop: &Stop) -> Result<Option<String>, NoMove> {
        self.send_line("ABOUT");
        let deadline = Instant::now() + self.limits.start_timeout;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return Ok(None);
            }
            let text = match self.program.read_line_lossy(stop, remaining) {
                Err(NoMove::Forfeit(_)) => return Ok(None),
                line => line?,
            };
            let line = text.trim();
            match EngineLine::parse(line) {
                EngineLine::Refused => return Ok(None),
                EngineLine::Remark if !line.is_empty() && !is_log(line) => {
                    return Ok(Some(shorten(line).to_owned()));
                }
                _ => {}
            }
        }
    }

    /// Waits for an answer. Other lines are kept as its last remark.
    fn read_answer(&mut self, stop: &Stop, timeout: Duration) -> Result<Answer, NoMove> {
        let deadline = Instant::now() + timeout;
        let timeout_message = || format!("no answer within {}", format_duration(1e3 * timeout.as_secs_f64()));
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            // An engine that always sends remarks nevertheless has its time limit.
            let line_result = if remaining.is_zero() {
                Err(NoMove::fault(Fault::TimedOut, timeout_message()))
            } else {
                // Remarks may be in any encoding.
                self.program.read_line_lossy(stop, remaining)
            };
            let text = match line_result {
                Ok(line) => line,
                Err(NoMove::Forfeit(mut forfeit)) => {
                    if forfeit.fault == Fault::TimedOut {
                        forfeit.reason = timeout_message().into();
                    }
                    if !self.remark.is_empty() {
                        forfeit.reason =
                            format!("{}; its last output: {:?}", forfeit.reason, self.remark).into();
                    }
                    return Err(NoMove::Forfeit(forfeit));
                }
                Err(error) => return Err(error),
            };
            let line = text.trim();
            if line.is_empty() {
                continue;
            }
            let engine_line = EngineLine::parse(line);
            if !matches!(engine_line, EngineLine::Move(_) | EngineLine::Ok) {
                self.remark.clear();
                self.remark.push_str(shorten(line));
            }
            drop(text);
            match engine_line {
                EngineLine::Move(cell) => return Ok(Answer::Move(cell)),
                EngineLine::Ok => return Ok(Answer::Ok),
                EngineLine::Refused => return Ok(Answer::Refused),
                EngineLine::Suggest(cell) => self.send_line(&format!("PLAY {},{}", cell.x, cell.y)),
                EngineLine::Remark => {}
            }
        }
    }

    /// Discards unrequested lines. For example, a late move must not be taken for the next one.
    fn discard_pending(&mut self, stop: &Stop) -> Result<(), NoMove> {
        let deadline = Instant::now() + PAUSE;
        while Instant::now() < deadline && self.program.has_input() {
            match self.program.read_line_lossy(stop, PAUSE) {
                Ok(_) => {}
                // The end of the output is noticed when an answer is expected.
                Err(NoMove::Forfeit(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends a line, with the protocol's line end.
    fn send_line(&mut self, line: &str) {
        let _ = write!(self.program.output_buffer(), "{line}\r\n");
    }

    /// Returns the CPU time used since the engine was ready.
    pub(super) fn cpu_time(&self) -> ProcessTime {
        self.program.cpu_time()
    }

    /// Ends the engine.
    pub(super) fn end(self) {
        self.program.dismiss("END\r\n");
    }
}

/// Line of an engine.
enum EngineLine {
    Move(Cell),
    Ok,
    Refused,
    /// Suggested move, which the manager must confirm.
    Suggest(Cell),
    /// Any other line.
    Remark,
}

impl EngineLine {
    fn parse(line: &str) -> EngineLine {
        if let Some(cell) = parse_cell(line) {
            return EngineLine::Move(cell);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match &*word.to_ascii_uppercase() {
            "ERROR" | "UNKNOWN" => EngineLine::Refused,
            "SUGGEST" => parse_cell(rest.trim()).map_or(EngineLine::Remark, EngineLine::Suggest),
            ok if ok.starts_with("OK") => EngineLine::Ok,
            _ => EngineLine::Remark,
        }
    }
}

/// Parses a cell from exactly two numbers.
pub(super) fn parse_cell(line: &str) -> Option<Cell> {
    let (x, y) = line.split_once(',')?;
    Some(Cell::new(x.trim().parse().ok()?, y.trim().parse().ok()?))
}

fn is_log(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or("");
    ["MESSAGE", "DEBUG"].iter().any(|log| word.eq_ignore_ascii_case(log))
}

/// Returns the beginning of a line, for messages.
fn shorten(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_REMARK)]
}

/// Lists all stones in a possible order of play: its own are 1, the opponent's 2, and the last is
/// the opponent's.
fn format_board(board: &Board, own: Stone) -> String {
    let stones_of = |stone: Stone| board.cells().filter(move |&cell| board.stone_at(cell) == Some(stone));
    let (mut own_cells, mut opponent_cells) = (stones_of(own), stones_of(own.other()));
    let mut text = "BOARD\r\n".to_owned();
    let mut is_own_turn = stones_of(own).count() >= stones_of(own.other()).count();
    for _ in 0..board.stones() {
        let next = if is_own_turn {
            own_cells.next().map(|cell| (cell, 1))
        } else {
            opponent_cells.next().map(|cell| (cell, 2))
        };
        let next = next.or_else(|| own_cells.next().map(|cell| (cell, 1)));
        if let Some((cell, player_number)) = next.or_else(|| opponent_cells.next().map(|cell| (cell, 2))) {
            text += &format!("{},{},{player_number}\r\n", cell.x, cell.y);
        }
        is_own_turn = !is_own_turn;
    }
    text + "DONE"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_a_line_of_two_numbers() {
        assert!(matches!(EngineLine::parse("7,8"), EngineLine::Move(Cell { x: 7, y: 8 })));
        assert!(matches!(EngineLine::parse(" 7 , 8 ".trim()), EngineLine::Move(Cell { x: 7, y: 8 })));
        for remark in ["MESSAGE 7,8", "DEBUG x", "7 8", "7,8,1", "-1,3", "name=\"x\"", "7,", "300,1"] {
            assert!(matches!(EngineLine::parse(remark), EngineLine::Remark), "{remark}");
        }
        for refusal in ["ERROR Unknown command: 7,8", "error", "UNKNOWN command", "unknown"] {
            assert!(matches!(EngineLine::parse(refusal), EngineLine::Refused), "{refusal}");
        }
        assert!(
            matches!(EngineLine::parse("OK"), EngineLine::Ok)
                && matches!(EngineLine::parse("ok - ready"), EngineLine::Ok)
        );
        assert!(matches!(EngineLine::parse("SUGGEST 3,4"), EngineLine::Suggest(Cell { x: 3, y: 4 })));
    }

    #[test]
    fn a_board_is_told_in_turn() {
        let mut board = Board::new(15);
        for (x, stone) in [(0, Stone::Black), (1, Stone::White), (2, Stone::Black)] {
            board.put(Cell::new(x, 5), stone);
        }
        let lines = |own| format_board(&board, own).replace("\r\n", " ");
        assert_eq!(lines(Stone::White), "BOARD 0,5,2 1,5,1 2,5,2 DONE");
        board.put(Cell::new(3, 5), Stone::White);
        assert_eq!(
            format_board(&board, Stone::Black).replace("\r\n", " "),
            "BOARD 0,5,1 1,5,2 2,5,1 3,5,2 DONE"
        );
    }
}
