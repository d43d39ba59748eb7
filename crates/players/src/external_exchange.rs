//! Exchange of requests and answers with the program of an external player, by the protocol in
//! `docs/PROTOCOL.md`.

use std::time::{Duration, Instant};

use gauntlet_core::game::Game;
use gauntlet_core::player::{Choice, NoMove, Stop};
use gauntlet_core::process::{Program, decode_line};
use gauntlet_core::protocol::{
    MoveAnswer, first_word, shorten_output, split_short_answer, unknown_move_message,
};
use gauntlet_core::record::Fault;
use gauntlet_core::text::{format_duration, push_number};

/// Message for unrequested lines.
pub(super) const UNEXPECTED_OUTPUT: &str = "unexpected output: more than one line for a move";

/// Last line of an answer about several games.
const DONE_LINE: &[u8] = b"done";

/// Answer about a game: a move, or why there is none.
type Answer<M> = Result<Choice<M>, NoMove>;

/// Running program that is ready for games.
pub(super) struct RunningProgram {
    pub(super) program: Program,
    pub(super) name: String,
    /// Maximum number of games that it is asked about at once; `None` for one game at a time.
    pub(super) batch: Option<usize>,
    /// Time at which it was sent the request about several games whose answer is due, if one is.
    sent_at: Option<Instant>,
    /// True if another request waits for that answer.
    has_next_request: bool,
    /// Time of the last request about several games that was answered or failed.
    last_time: Duration,
}

impl RunningProgram {
    pub(super) fn new(program: Program, name: String, batch: Option<usize>) -> RunningProgram {
        RunningProgram {
            program,
            name,
            batch,
            sent_at: None,
            has_next_request: false,
            last_time: Duration::ZERO,
        }
    }

    /// Returns true if an answer about several games is due.
    pub(super) fn is_asked(&self) -> bool {
        self.sent_at.is_some()
    }

    /// Returns the time of the last request about several games that was answered or failed.
    pub(super) fn thinking_time(&self) -> Duration {
        self.last_time
    }

    /// Asks for a move in one game.
    pub(super) fn choose<G: Game>(
        &mut self,
        position: &G,
        stop: &Stop,
        timeout: Duration,
    ) -> Result<Choice<G::Move>, NoMove> {
        if self.batch.is_some() {
            let mut answers = Vec::with_capacity(1);
            self.ask_all(&[(0, position)])?;
            self.answer_all(&[(0, position)], stop, timeout, &mut answers)?;
            return answers.remove(0);
        }
        if self.program.has_input() {
            return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
        }
        let line = self.program.output_buffer();
        line.extend_from_slice(b"move 0 ");
        position.write_position(line);
        line.push(b'\n');
        let choice = parse_answer(position, "0", self.program.read_line(stop, timeout)?)?;
        if self.program.has_buffered_input() {
            return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
        }
        Ok(choice)
    }

    /// Asks for a move in several games, with one line for each and `go`. The request is sent when
    /// no answer is due.
    pub(super) fn ask_all<G: Game>(&mut self, positions: &[(usize, &G)]) -> Result<(), NoMove> {
        let is_idle = self.sent_at.is_none();
        if is_idle && self.program.has_input() {
            return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
        }
        let lines = self.program.output_buffer();
        for (number, position) in positions {
            lines.extend_from_slice(b"move ");
            push_number(*number as u64, lines);
            lines.push(b' ');
            position.write_position(lines);
            lines.push(b'\n');
        }
        lines.extend_from_slice(b"go\n");
        if is_idle {
            self.send_request();
        } else {
            self.has_next_request = true;
        }
        Ok(())
    }

    fn send_request(&mut self) {
        self.sent_at = Some(Instant::now());
        self.program.send();
    }

    /// Ends the time of the request that was answered, and sends the next one.
    fn end_request(&mut self) {
        let Some(sent_at) = self.sent_at.take() else { return };
        self.last_time = sent_at.elapsed();
        if std::mem::take(&mut self.has_next_request) {
            self.send_request();
        }
    }

    /// Reads the answers about these games in any order, up to `done`. The time limit begins with
    /// this call: before it, this thread was busy with other games.
    pub(super) fn answer_all<G: Game>(
        &mut self,
        positions: &[(usize, &G)],
        stop: &Stop,
        timeout: Duration,
        answers: &mut Vec<Answer<G::Move>>,
    ) -> Result<(), NoMove> {
        let result = self.read_replies(positions, stop, timeout, answers);
        if let (Err(_), Some(sent_at)) = (&result, self.sent_at) {
            self.last_time = sent_at.elapsed();
        }
        result
    }

    fn read_replies<G: Game>(
        &mut self,
        positions: &[(usize, &G)],
        stop: &Stop,
        timeout: Duration,
        answers: &mut Vec<Answer<G::Move>>,
    ) -> Result<(), NoMove> {
        // Until a game has a reply, its answer is an error that no reply causes.
        let first = answers.len();
        answers.resize_with(first + positions.len(), || Err(NoMove::Interrupted));
        let answers = &mut answers[first..];
        let is_due = |answer: &Answer<G::Move>| matches!(answer, Err(NoMove::Interrupted));
        let mut next_index = 0;
        let start = Instant::now();
        let mut is_answered = false;
        loop {
            let Some(line) = self.program.take_buffered_line() else {
                let left = timeout.saturating_sub(start.elapsed());
                if left.is_zero() {
                    let limit = format_duration(1e3 * timeout.as_secs_f64());
                    return Err(NoMove::fault(
                        Fault::TimedOut,
                        format!("the program was not done within {limit}"),
                    ));
                }
                self.program.buffer_line(stop, left)?;
                // The program thinks about the next request while these lines are parsed.
                if self.program.ends_with_line(DONE_LINE) {
                    self.end_request();
                    is_answered = true;
                }
                continue;
            };
            if line.trim_ascii() == DONE_LINE {
                break;
            }
            let (index, reply) = parse_reply(positions, next_index, line)?;
            if !is_due(&answers[index]) {
                let line = decode_line(line)?;
                let reason = format!("reply {:?}: second reply for the same game", shorten_output(line));
                return Err(NoMove::fault(Fault::Nonsense, reason));
            }
            next_index = index + 1;
            answers[index] = reply;
        }
        if self.program.has_buffered_input() {
            return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
        }
        if !is_answered {
            self.end_request();
        }
        for answer in answers.iter_mut().filter(|answer| is_due(answer)) {
            *answer = Err(NoMove::fault(Fault::Nonsense, "`done` without a move of this game"));
        }
        Ok(())
    }
}

/// Parses one of the replies to a request. Returns the index of its game among the positions.
/// Programs usually answer in the order of the request; then the index is `expected_index`.
fn parse_reply<G: Game>(
    positions: &[(usize, &G)],
    expected_index: usize,
    line: &[u8],
) -> Result<(usize, Answer<G::Move>), NoMove> {
    if let Some((game, word)) = split_short_answer(line)
        && let Some(index) = find_game(positions, expected_index, game)
        && let Some(mv) = positions[index].1.read_move(word)
    {
        return Ok((index, Ok(Choice::new(mv))));
    }
    let line = decode_line(line)?;
    let (number, _) = first_word(line);
    let index = number.parse().ok().and_then(|game| find_game(positions, expected_index, game));
    let Some(index) = index else {
        let reason = format!("reply {:?}: expected the number of a requested game", shorten_output(line));
        return Err(NoMove::fault(Fault::Nonsense, reason));
    };
    Ok((index, parse_answer(positions[index].1, number, line)))
}

/// Returns the index of the game with this number, which is probably `expected_index`.
fn find_game<G>(positions: &[(usize, &G)], expected_index: usize, game: usize) -> Option<usize> {
    if positions.get(expected_index).is_some_and(|(number, _)| *number == game) {
        return Some(expected_index);
    }
    positions.binary_search_by_key(&game, |(number, _)| *number).ok()
}

/// Parses the move and its details from an answer.
fn parse_answer<G: Game>(position: &G, number: &str, line: &str) -> Result<Choice<G::Move>, NoMove> {
    let nonsense = |reason: String| {
        NoMove::fault(Fault::Nonsense, format!("reply {:?}: {reason}", shorten_output(line)))
    };
    let MoveAnswer { word, value, nodes, depth } = MoveAnswer::read(line, number).map_err(nonsense)?;
    let mv = position.read_move(word).ok_or_else(|| nonsense(unknown_move_message(word, G::INFO.moves)))?;
    Ok(Choice { value, nodes, depth, ..Choice::new(mv) })
}
