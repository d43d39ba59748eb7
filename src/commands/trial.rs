//! `gauntlet players --try`: plays some games with an external program and reports which of its
//! answers are right or wrong.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gauntlet_core::arena::{Arena, Arenas, CheckedRules, InitialPosition, PositionInWords};
use gauntlet_core::assets::{AssetFiles, ProgramPermission};
use gauntlet_core::game::{Block, Diagram, Outcome, Seat, Shape, WinDrawLoss};
use gauntlet_core::player::{NoMove, Stop};
use gauntlet_core::process::{LaunchSpec, Program};
use gauntlet_core::protocol::{self, MoveAnswer, Ready, first_word, shorten_output};
use gauntlet_core::record::Fault;
use gauntlet_core::rng::Seed;
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::text::{escape, format_count, format_duration};

use gauntlet_cli::exit::{FAILED, Usage};
use gauntlet_cli::output::{prose, screen};
use gauntlet_cli::permission::TemporaryFolder;

/// Time for a program to exit after `quit`.
const GRACE: Duration = Duration::from_millis(450);

/// Number of timeouts after which the trial ends.
const MAX_TIMEOUTS: u32 = 2;

/// The most moves of a trial game.
const MAX_MOVES: usize = 5_000;

/// Games requested together from a player that plays many games at once.
const SIMULTANEOUS_GAMES: usize = 4;

/// Boards of 2048 on which programs often fail: a single legal move, nearly full, or tiles that few
/// programs reach.
const BOARDS: &[(&str, &str)] = &[
    ("only `up` is possible", "0 0 0 0 2 4 8 16 4 8 16 32 8 16 32 64"),
    ("only `down` is possible", "2 4 8 16 4 8 16 32 8 16 32 64 0 0 0 0"),
    ("only `left` is possible", "0 2 4 8 0 4 8 16 0 8 16 32 0 16 32 64"),
    ("only `right` is possible", "2 4 8 0 4 8 16 0 8 16 32 0 16 32 64 0"),
    ("a full board", "2 4 2 4 4 2 4 2 2 4 2 4 4 2 4 4"),
    ("large tiles", "131072 65536 32768 16384 1024 2048 4096 8192 512 256 128 64 2 4 8 0"),
];

/// What to try.
pub(super) struct TrialOptions<'a> {
    pub(super) game: &'a str,
    pub(super) command: &'a [String],
    /// Settings of the program, as `NAME=VALUE`.
    pub(super) options: &'a [String],
    /// Time limit for each answer.
    pub(super) timeout: Duration,
    /// True if all lines are shown.
    pub(super) is_verbose: bool,
}

/// A conversation with a program, and its faults so far.
struct Trial<'a> {
    trial_options: &'a TrialOptions<'a>,
    arena: &'a Arena,
    rules: CheckedRules,
    assets: Arc<AssetFiles>,
    program: Option<Program>,
    /// The most games that it accepts at once, if it plays several: then it answers after `go`, up
    /// to `done`.
    batch: Option<usize>,
    /// Number of tests so far, and how many failed.
    tests: u64,
    failures: u64,
    timeouts: u32,
    /// The faults so far, each with the tests in which it occurred.
    faults: Vec<(String, Vec<String>)>,
}

/// A fault as shown, and its kind, by which repeated faults are recognised.
struct TrialFault {
    message: String,
    kind: String,
    /// Position of the mistake, as lines of text.
    position: String,
}

impl TrialFault {
    /// Creates a mistake of this kind, shown with more words.
    fn new(kind: String, details: &str) -> TrialFault {
        TrialFault { message: format!("{kind}{details}"), kind, position: String::new() }
    }
}

impl From<String> for TrialFault {
    fn from(kind: String) -> TrialFault {
        TrialFault::new(kind, "")
    }
}

/// A game of a trial.
struct Game {
    number: usize,
    seat: Seat,
    setup: InitialPosition,
    position: PositionInWords,
    /// All moves, including the opponent's.
    moves: Vec<String>,
}

pub(super) fn run(arenas: Arenas, trial_options: &TrialOptions) -> anyhow::Result<ExitCode> {
    let game_names = || arenas.iter().map(|arena| arena.name).collect::<Vec<_>>().join(", ");
    let arena = Arena::find(arenas, trial_options.game).ok_or_else(|| {
        Usage(format!("--game: unknown game `{}`; expected one of {}", trial_options.game, game_names()))
    })?;
    if let Some(option) = trial_options.options.iter().find(|option| !option.contains('=')) {
        return Err(Usage(format!("--option: expected NAME=VALUE, found {option:?}")).into());
    }
    let (rules, _) = arena.read_rules(&SettingsTable::default());
    // Typing the command permits it.
    let assets = Arc::new(AssetFiles::default());
    let errors = TemporaryFolder::create();
    assets.permit(ProgramPermission::with_errors(errors.0.clone()));
    let mut trial = Trial {
        trial_options,
        arena,
        rules,
        assets,
        program: None,
        batch: None,
        tests: 0,
        failures: 0,
        timeouts: 0,
        faults: Vec::new(),
    };
    trial.run_all()?;
    Ok(if trial.failures == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

impl Trial<'_> {
    fn run_all(&mut self) -> anyhow::Result<()> {
        if self.run_test("starts", Trial::greet)?.is_none() {
            self.print_result("give up", "no reply `ready`; other tests skipped")?;
            return Ok(());
        }
        if self.arena.shape == Shape::Solo {
            for (label, cells) in BOARDS {
                self.run_test(label, |trial| trial.test_board(cells))?;
            }
        }
        self.run_test("unknown word", Trial::test_first_move)?;
        let seat = if self.arena.shape == Shape::Duel { Seat::Second } else { Seat::First };
        let first = self.run_test("complete game", |trial| trial.play_game(1, Seat::First))?;
        self.run_test("second game", |trial| trial.play_game(2, seat))?;
        let repeat = self.run_test("repeat of the first game", |trial| trial.play_game(1, Seat::First))?;
        let is_same = first.is_some() && first == repeat;
        if let (Some(_), Some(_)) = (&first, &repeat) {
            let note = if is_same {
                "same game from the same seed: `reproducible = true` is possible"
            } else {
                "different games from the same seed: keep `reproducible = false`"
            };
            self.print_result("note", note)?;
        }
        if let Some(batch) = self.batch.filter(|&batch| batch > 1 && self.arena.shape == Shape::Solo) {
            let expected = first.filter(|_| is_same);
            let label = format!("batch of {} games", batch.min(SIMULTANEOUS_GAMES));
            self.run_test(&label, |trial| {
                trial.play_together(batch.min(SIMULTANEOUS_GAMES), expected.as_deref())
            })?;
        }
        self.run_test("exits at `quit`", Trial::quit)?;
        for (kind, failed_tests) in self.faults.iter().filter(|(_, tests)| tests.len() > 1) {
            let (times, tests) = (failed_tests.len(), format_count(self.tests, "test"));
            self.print_result(
                "",
                &format!("error {kind:?} occurred in {times} of {tests}: {}", failed_tests.join(", ")),
            )?;
        }
        let tests = format_count(self.tests, "test");
        if self.failures == 0 {
            return self.print_result("passed", "all tests");
        }
        let kinds = format_count(self.faults.len() as u64, "kind");
        self.print_result("failed", &format!("{} of {tests}, {kinds} of error", self.failures))
    }

    fn print_result(&self, status: &str, text: &str) -> anyhow::Result<()> {
        Ok(writeln!(prose(), "{status:8}{}", escape::line(text))?)
    }

    /// Runs a test and prints its result. Returns `None` if the test failed.
    fn run_test(
        &mut self,
        label: &str,
        test: impl FnOnce(&mut Self) -> Result<String, TrialFault>,
    ) -> anyhow::Result<Option<String>> {
        if self.timeouts >= MAX_TIMEOUTS {
            self.print_result("skipped", &format!("{label}: too many timeouts"))?;
            return Ok(None);
        }
        self.tests += 1;
        match test(self) {
            Ok(result) => {
                let (summary, _) = result.split_once('\n').unwrap_or((&result, ""));
                self.print_result("ok", &format!("{label}: {summary}"))?;
                Ok(Some(
                    result.split_once('\n').map_or_else(|| result.clone(), |(_, moves)| moves.to_owned()),
                ))
            }
            Err(TrialFault { message, kind, position }) => {
                self.failures += 1;
                self.program = None;
                // A repeated fault is only listed at the end.
                if let Some((_, failed_tests)) =
                    self.faults.iter_mut().find(|(known_kind, _)| *known_kind == kind)
                {
                    failed_tests.push(label.to_owned());
                } else {
                    self.print_result("WRONG", &format!("{label}: {message}"))?;
                    position.lines().try_for_each(|row| self.print_result("", row))?;
                    self.faults.push((kind, vec![label.to_owned()]));
                }
                Ok(None)
            }
        }
    }

    /// Prints a line of the conversation in verbose mode.
    fn show(&self, prefix: &str, line: &str) {
        if self.trial_options.is_verbose {
            let _ = writeln!(screen(), "{prefix} {}", escape::line(line));
        }
    }

    fn send_line(&mut self, line: &str) -> Result<(), String> {
        self.show(">", line);
        writeln!(self.program()?.output_buffer(), "{line}").map_err(|error| error.to_string())
    }

    /// Reads the next line of the program.
    fn read_line(&mut self) -> Result<String, String> {
        let timeout = self.trial_options.timeout;
        match self.program()?.read_line(&Stop::default(), timeout).map(str::to_owned) {
            Ok(line) => {
                self.show("<", &line);
                Ok(line)
            }
            Err(NoMove::Forfeit(forfeit)) => {
                let is_silent = forfeit.fault == Fault::TimedOut;
                self.timeouts += u32::from(is_silent);
                let hint = if !is_silent || forfeit.has_partial_line {
                    ""
                } else {
                    "; check that it flushes its output after each line and reads its input line by line"
                };
                Err(format!("{}{hint}", forfeit.reason))
            }
            Err(NoMove::Interrupted) => Err("stopped".to_owned()),
            Err(NoMove::CannotPlay(reason)) => Err(reason.into()),
        }
    }

    fn greet(&mut self) -> Result<String, TrialFault> {
        let launch = LaunchSpec {
            command: self.trial_options.command,
            directory: Path::new("."),
            variables: &[],
            memory: None,
            title: "tried",
        };
        let program = Program::start(&launch, &self.assets).map_err(|error| error.to_string())?;
        self.program = Some(program);
        let options = self.trial_options.options.iter().filter_map(|option| option.split_once('='));
        let options = options.map(|(name, value)| (name.to_owned(), value.into())).collect();
        let millis = self.trial_options.timeout.as_millis();
        self.send_line(&protocol::greeting(self.arena.name, &self.rules.settings, millis, &options))?;
        let start = Instant::now();
        let Ready { name, batch } = Ready::read(&self.read_line()?)?;
        let elapsed = format_duration(1e3 * start.elapsed().as_secs_f64());
        self.batch = batch;
        let batch_note = match batch {
            Some(batch) => format!(", batch of {}", format_count(batch as u64, "game")),
            None => String::new(),
        };
        Ok(format!("name {name:?}{batch_note}, ready after {elapsed}"))
    }

    /// Returns the program, restarted after a fault.
    fn program(&mut self) -> Result<&mut Program, String> {
        if self.program.is_none() {
            self.greet().map_err(|fault| fault.message)?;
        }
        self.program.as_mut().ok_or_else(|| "it does not restart".to_owned())
    }

    fn begin_game(
        &mut self,
        number: usize,
        seed: u64,
        seat: Option<Seat>,
        setup: InitialPosition,
    ) -> Result<Game, TrialFault> {
        let position = self.arena.position(&self.rules, &setup, &[])?;
        let seat = seat.or(position.to_move).unwrap_or(Seat::First);
        let seat_argument = match (self.arena.shape, seat) {
            (Shape::Solo, _) => "",
            (Shape::Duel, Seat::First) => " seat=first",
            (Shape::Duel, Seat::Second) => " seat=second",
        };
        if self.program()?.has_input() {
            let line = self.read_line()?;
            return Err(TrialFault {
                message: format!(
                    "unexpected line {:?}: expected a reply to `move` only",
                    shorten_output(&line)
                ),
                ..TrialFault::new("unexpected line".to_owned(), "")
            });
        }
        self.send_line(&format!("new {number} {}{seat_argument}", 1_000_003 * seed))?;
        Ok(Game { number, seat, setup, position, moves: Vec::new() })
    }

    /// Requests a move in each of these games, and plays the moves.
    fn request_moves(&mut self, games: &mut [&mut Game], extra_words: &str) -> Result<(), TrialFault> {
        let mut request = String::new();
        for game in &*games {
            request = format!("move {} {}{extra_words}", game.number, game.position.protocol_text);
            self.send_line(&request)?;
        }
        if self.batch.is_some() {
            self.send_line("go")?;
        }
        let request_note = if games.len() == 1 { format!(" (request: {request})") } else { String::new() };
        let mut open_numbers: Vec<usize> = games.iter().map(|game| game.number).collect();
        while !open_numbers.is_empty() {
            let answer = self.read_line().map_err(|kind| TrialFault::new(kind, &request_note))?;
            let to_fault = |kind: String| TrialFault {
                message: format!("reply {:?}: {kind}{request_note}", shorten_output(&answer)),
                ..TrialFault::new(kind, "")
            };
            let (number, _) = first_word(&answer);
            let game = games.iter_mut().find(|game| game.number.to_string() == number);
            let Some(game) = game else {
                if let [expected_number] = open_numbers[..] {
                    MoveAnswer::read(&answer, &expected_number.to_string()).map_err(to_fault)?;
                }
                return Err(to_fault(
                    "expected the number of a requested game at the start of the line".to_owned(),
                ));
            };
            let Some(index) = open_numbers.iter().position(|&open_number| open_number == game.number) else {
                return Err(to_fault("second reply for the same game".to_owned()));
            };
            open_numbers.remove(index);
            let mv = MoveAnswer::read(&answer, number).map_err(to_fault)?.word;
            let position = game.position.text.clone();
            self.play_move(game, mv).map_err(|kind| TrialFault { position, ..to_fault(kind) })?;
        }
        if self.batch.is_some() {
            let line =
                self.read_line().map_err(|reason| format!("expected `done` after the replies: {reason}"))?;
            if line.trim_ascii() != "done" {
                return Err(
                    format!("expected `done` after the replies, found {:?}", shorten_output(&line)).into()
                );
            }
        }
        if self.program()?.has_buffered_input() {
            let kind = "more than one line in the reply".to_owned();
            return Err(TrialFault::new(kind, &request_note));
        }
        Ok(())
    }

    fn play_move(&self, game: &mut Game, mv: &str) -> Result<(), String> {
        game.moves.push(mv.to_owned());
        game.position = self.arena.position(&self.rules, &game.setup, &game.moves)?;
        Ok(())
    }

    fn test_board(&mut self, cells: &str) -> Result<String, TrialFault> {
        let mut game =
            self.begin_game(0, 7, Some(Seat::First), InitialPosition::Diagram(Diagram::from_cells(cells)))?;
        self.request_moves(&mut [&mut game], "")?;
        Ok(game.moves.concat())
    }

    fn test_first_move(&mut self) -> Result<String, TrialFault> {
        let mut game = self.begin_game(0, 7, None, InitialPosition::Block(Block::from_seed(7)))?;
        self.request_moves(&mut [&mut game], " later=1")?;
        Ok(game.moves.concat())
    }

    /// Plays a game to its end; in a duel against random moves. Returns the result and, on the next
    /// line, all moves.
    fn play_game(&mut self, seed: u64, seat: Seat) -> Result<String, TrialFault> {
        let mut game =
            self.begin_game(0, seed, Some(seat), InitialPosition::Block(Block::from_seed(seed)))?;
        let mut opponent_rng = Seed::root(seed).rng();
        let (mut total_time, mut move_count) = (Duration::ZERO, 0_u32);
        while let Some(seat_to_move) = game.position.to_move {
            if seat_to_move == seat {
                let start = Instant::now();
                self.request_moves(&mut [&mut game], "")?;
                total_time += start.elapsed();
                move_count += 1;
            } else {
                let moves = &game.position.moves;
                let mv = moves[opponent_rng.below(moves.len() as u64) as usize].clone();
                self.play_move(&mut game, &mv)?;
            }
            if game.moves.len() >= MAX_MOVES {
                break;
            }
        }
        let result = self.end_game(&game)?;
        let time_per_move = format_duration(1e3 * total_time.as_secs_f64() / f64::from(move_count.max(1)));
        Ok(format!("{move_count} moves, {result}, {time_per_move} per move\n{}", game.moves.join(" ")))
    }

    /// Plays several games at once until all have ended. `first` has the moves of the first
    /// game played alone, if known.
    fn play_together(&mut self, game_count: usize, first: Option<&str>) -> Result<String, TrialFault> {
        let mut games = Vec::new();
        for index in 0..game_count {
            let seed = index as u64 + 1;
            let setup = InitialPosition::Block(Block::from_seed(seed));
            games.push(self.begin_game(index, seed, Some(Seat::First), setup)?);
        }
        for _ in 0..MAX_MOVES {
            let mut open_games: Vec<&mut Game> =
                games.iter_mut().filter(|game| game.position.to_move.is_some()).collect();
            if open_games.is_empty() {
                break;
            }
            self.request_moves(&mut open_games, "")?;
        }
        for game in &games {
            self.end_game(game)?;
        }
        if first.is_some_and(|first| first != games[0].moves.join(" ")) {
            return Err("game 1 differs in a batch: a move must not depend on other games".to_owned().into());
        }
        let moves: usize = games.iter().map(|game| game.moves.len()).sum();
        Ok(format!("{moves} moves"))
    }

    /// Sends the end of a game to the program, and returns it in words.
    fn end_game(&mut self, game: &Game) -> Result<String, String> {
        let (argument, description) = match game.position.outcome {
            Outcome::Points { score, .. } => (format!("score={score}"), format!("{score} points")),
            outcome => match outcome.result_for(game.seat) {
                WinDrawLoss::Win => ("result=win".to_owned(), "won".to_owned()),
                WinDrawLoss::Draw => ("result=draw".to_owned(), "drawn".to_owned()),
                WinDrawLoss::Loss => ("result=loss".to_owned(), "lost".to_owned()),
            },
        };
        self.send_line(&format!("end {} {argument}", game.number))?;
        Ok(description)
    }

    fn quit(&mut self) -> Result<String, TrialFault> {
        self.program()?;
        self.show(">", "quit");
        let Some(program) = self.program.take() else { return Ok(String::new()) };
        let start = Instant::now();
        program.quit("quit\n");
        let elapsed = start.elapsed();
        if elapsed > GRACE {
            return Err("did not exit within 0.5 s of `quit`".to_owned().into());
        }
        Ok(format!("within {}", format_duration(1e3 * elapsed.as_secs_f64())))
    }
}
