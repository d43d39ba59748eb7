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
use gauntlet_core::protocol::{self, MoveAnswer, Ready, first_word, shortened};
use gauntlet_core::record::Fault;
use gauntlet_core::rng::Seed;
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::text::{counted, duration, escape};

use gauntlet_cli::exit::{FAILED, Usage};
use gauntlet_cli::permission::TemporaryFolder;
use gauntlet_cli::say::{prose, screen};

/// Time for a program to exit after `quit`.
const GRACE: Duration = Duration::from_millis(450);

/// Number of timeouts after which the trial ends.
const MOST_SILENCES: u32 = 2;

/// The most moves of a trial game.
const MOST_MOVES: usize = 5_000;

/// Games requested together from a player that plays many games at once.
const TOGETHER: usize = 4;

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
pub(super) struct Tried<'a> {
    pub(super) game: &'a str,
    pub(super) command: &'a [String],
    /// Settings of the program, as `NAME=VALUE`.
    pub(super) options: &'a [String],
    /// Time limit for each answer.
    pub(super) patience: Duration,
    /// True if all lines are shown.
    pub(super) is_verbose: bool,
}

/// A conversation with a program, and its faults so far.
struct Trial<'a> {
    of: &'a Tried<'a>,
    arena: &'a Arena,
    rules: CheckedRules,
    assets: Arc<AssetFiles>,
    program: Option<Program>,
    /// The most games that it accepts at once, if it plays several: then it answers after `go`, up
    /// to `done`.
    batch: Option<usize>,
    /// Number of tests so far, and how many failed.
    tests: u64,
    wrong: u64,
    silences: u32,
    /// The faults so far, each with the tests in which it occurred.
    faults: Vec<(String, Vec<String>)>,
}

/// A fault as shown, and its kind, by which repeated faults are recognised.
struct Wrong {
    shown: String,
    kind: String,
    /// Position of the mistake, as lines of text.
    position: String,
}

impl Wrong {
    /// Creates a mistake of this kind, shown with more words.
    fn of(kind: String, more: &str) -> Wrong {
        Wrong { shown: format!("{kind}{more}"), kind, position: String::new() }
    }
}

impl From<String> for Wrong {
    fn from(kind: String) -> Wrong {
        Wrong::of(kind, "")
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

pub(super) fn run(arenas: Arenas, of: &Tried) -> anyhow::Result<ExitCode> {
    let known = || arenas.iter().map(|arena| arena.name).collect::<Vec<_>>().join(", ");
    let arena = Arena::find(arenas, of.game)
        .ok_or_else(|| Usage(format!("--game: unknown game `{}`; expected one of {}", of.game, known())))?;
    if let Some(option) = of.options.iter().find(|option| !option.contains('=')) {
        return Err(Usage(format!("--option: expected NAME=VALUE, found {option:?}")).into());
    }
    let (rules, _) = arena.rules(&SettingsTable::default());
    // Typing the command permits it.
    let assets = Arc::new(AssetFiles::default());
    let errors = TemporaryFolder::create();
    assets.permit(ProgramPermission::with_errors(errors.0.clone()));
    let mut trial = Trial {
        of,
        arena,
        rules,
        assets,
        program: None,
        batch: None,
        tests: 0,
        wrong: 0,
        silences: 0,
        faults: Vec::new(),
    };
    trial.all()?;
    Ok(if trial.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

impl Trial<'_> {
    fn all(&mut self) -> anyhow::Result<()> {
        if self.try_this("starts", Trial::greet)?.is_none() {
            self.tell("give up", "no reply `ready`; other tests skipped")?;
            return Ok(());
        }
        if self.arena.shape == Shape::Solo {
            for (what, cells) in BOARDS {
                self.try_this(what, |trial| trial.one_board(cells))?;
            }
        }
        self.try_this("unknown word", Trial::first_move)?;
        let seat = if self.arena.shape == Shape::Duel { Seat::Second } else { Seat::First };
        let first = self.try_this("complete game", |trial| trial.game(1, Seat::First))?;
        self.try_this("second game", |trial| trial.game(2, seat))?;
        let again = self.try_this("repeat of the first game", |trial| trial.game(1, Seat::First))?;
        let same = first.is_some() && first == again;
        if let (Some(_), Some(_)) = (&first, &again) {
            let told = if same {
                "same game from the same seed: `reproducible = true` is possible"
            } else {
                "different games from the same seed: keep `reproducible = false`"
            };
            self.tell("note", told)?;
        }
        if let Some(batch) = self.batch.filter(|&batch| batch > 1 && self.arena.shape == Shape::Solo) {
            let expected = first.filter(|_| same);
            let what = format!("batch of {} games", batch.min(TOGETHER));
            self.try_this(&what, |trial| trial.together(batch.min(TOGETHER), expected.as_deref()))?;
        }
        self.try_this("exits at `quit`", Trial::quit)?;
        for (kind, failed) in self.faults.iter().filter(|(_, tests)| tests.len() > 1) {
            let (times, tests) = (failed.len(), counted(self.tests, "test"));
            self.tell("", &format!("error {kind:?} occurred in {times} of {tests}: {}", failed.join(", ")))?;
        }
        let tests = counted(self.tests, "test");
        if self.wrong == 0 {
            return self.tell("passed", "all tests");
        }
        let kinds = counted(self.faults.len() as u64, "kind");
        self.tell("failed", &format!("{} of {tests}, {kinds} of error", self.wrong))
    }

    fn tell(&self, mark: &str, text: &str) -> anyhow::Result<()> {
        Ok(writeln!(prose(), "{mark:8}{}", escape::line(text))?)
    }

    /// Runs a test and prints its result. Returns `None` if the test failed.
    fn try_this(
        &mut self,
        what: &str,
        attempt: impl FnOnce(&mut Self) -> Result<String, Wrong>,
    ) -> anyhow::Result<Option<String>> {
        if self.silences >= MOST_SILENCES {
            self.tell("skipped", &format!("{what}: too many timeouts"))?;
            return Ok(None);
        }
        self.tests += 1;
        match attempt(self) {
            Ok(how) => {
                let (shown, _) = how.split_once('\n').unwrap_or((&how, ""));
                self.tell("ok", &format!("{what}: {shown}"))?;
                Ok(Some(how.split_once('\n').map_or_else(|| how.clone(), |(_, all)| all.to_owned())))
            }
            Err(Wrong { shown, kind, position }) => {
                self.wrong += 1;
                self.program = None;
                // A repeated fault is only listed at the end.
                if let Some((_, more)) = self.faults.iter_mut().find(|(known, _)| *known == kind) {
                    more.push(what.to_owned());
                } else {
                    self.tell("WRONG", &format!("{what}: {shown}"))?;
                    position.lines().try_for_each(|row| self.tell("", row))?;
                    self.faults.push((kind, vec![what.to_owned()]));
                }
                Ok(None)
            }
        }
    }

    /// Prints a line of the conversation in verbose mode.
    fn show(&self, mark: &str, line: &str) {
        if self.of.is_verbose {
            let _ = writeln!(screen(), "{mark} {}", escape::line(line));
        }
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        self.show(">", line);
        writeln!(self.program()?.to_say(), "{line}").map_err(|error| error.to_string())
    }

    /// Reads the next line of the program.
    fn hear(&mut self) -> Result<String, String> {
        let patience = self.of.patience;
        match self.program()?.hear(&Stop::default(), patience).map(str::to_owned) {
            Ok(line) => {
                self.show("<", &line);
                Ok(line)
            }
            Err(NoMove::Forfeit(forfeit)) => {
                let is_silent = forfeit.fault == Fault::TimedOut;
                self.silences += u32::from(is_silent);
                let hint = if !is_silent || forfeit.has_partial_line {
                    ""
                } else {
                    "; check that it flushes its output after each line and reads its input line by line"
                };
                Err(format!("{}{hint}", forfeit.why))
            }
            Err(NoMove::Interrupted) => Err("stopped".to_owned()),
            Err(NoMove::CannotStart(why)) => Err(why.into()),
        }
    }

    fn greet(&mut self) -> Result<String, Wrong> {
        let launch = LaunchSpec {
            command: self.of.command,
            directory: Path::new("."),
            variables: &[],
            memory: None,
            title: "tried",
        };
        let program = Program::start(&launch, &self.assets).map_err(|error| error.to_string())?;
        self.program = Some(program);
        let options = self.of.options.iter().filter_map(|option| option.split_once('='));
        let options = options.map(|(name, value)| (name.to_owned(), value.into())).collect();
        let millis = self.of.patience.as_millis();
        self.say(&protocol::greeting(self.arena.name, &self.rules.settings, millis, &options))?;
        let start = Instant::now();
        let Ready { name, batch } = Ready::read(&self.hear()?)?;
        let took = duration(1e3 * start.elapsed().as_secs_f64());
        self.batch = batch;
        let at_once = match batch {
            Some(batch) => format!(", batch of {}", counted(batch as u64, "game")),
            None => String::new(),
        };
        Ok(format!("name {name:?}{at_once}, ready after {took}"))
    }

    /// Returns the program, restarted after a fault.
    fn program(&mut self) -> Result<&mut Program, String> {
        if self.program.is_none() {
            self.greet().map_err(|wrong| wrong.shown)?;
        }
        self.program.as_mut().ok_or_else(|| "it does not restart".to_owned())
    }

    fn begin(
        &mut self,
        number: usize,
        seed: u64,
        seat: Option<Seat>,
        setup: InitialPosition,
    ) -> Result<Game, Wrong> {
        let position = self.arena.position(&self.rules, &setup, &[])?;
        let seat = seat.or(position.to_move).unwrap_or(Seat::First);
        let own = match (self.arena.shape, seat) {
            (Shape::Solo, _) => "",
            (Shape::Duel, Seat::First) => " seat=first",
            (Shape::Duel, Seat::Second) => " seat=second",
        };
        if self.program()?.has_more() {
            let line = self.hear()?;
            return Err(Wrong {
                shown: format!("unexpected line {:?}: expected a reply to `move` only", shortened(&line)),
                ..Wrong::of("unexpected line".to_owned(), "")
            });
        }
        self.say(&format!("new {number} {}{own}", 1_000_003 * seed))?;
        Ok(Game { number, seat, setup, position, moves: Vec::new() })
    }

    /// Requests a move in each of these games, and plays the moves.
    fn ask(&mut self, games: &mut [&mut Game], more: &str) -> Result<(), Wrong> {
        let mut asked = String::new();
        for game in &*games {
            asked = format!("move {} {}{more}", game.number, game.position.told);
            self.say(&asked)?;
        }
        if self.batch.is_some() {
            self.say("go")?;
        }
        let asked = if games.len() == 1 { format!(" (request: {asked})") } else { String::new() };
        let mut open: Vec<usize> = games.iter().map(|game| game.number).collect();
        while !open.is_empty() {
            let answer = self.hear().map_err(|kind| Wrong::of(kind, &asked))?;
            let wrong = |kind: String| Wrong {
                shown: format!("reply {:?}: {kind}{asked}", shortened(&answer)),
                ..Wrong::of(kind, "")
            };
            let (number, _) = first_word(&answer);
            let game = games.iter_mut().find(|game| game.number.to_string() == number);
            let Some(game) = game else {
                if let [only] = open[..] {
                    MoveAnswer::read(&answer, &only.to_string()).map_err(wrong)?;
                }
                return Err(wrong(
                    "expected the number of a requested game at the start of the line".to_owned(),
                ));
            };
            let Some(place) = open.iter().position(|&open| open == game.number) else {
                return Err(wrong("second reply for the same game".to_owned()));
            };
            open.remove(place);
            let mv = MoveAnswer::read(&answer, number).map_err(wrong)?.word;
            let position = game.position.shown.clone();
            self.play(game, mv).map_err(|kind| Wrong { position, ..wrong(kind) })?;
        }
        if self.batch.is_some() {
            let done = self.hear().map_err(|why| format!("expected `done` after the replies: {why}"))?;
            if done.trim_ascii() != "done" {
                return Err(format!("expected `done` after the replies, found {:?}", shortened(&done)).into());
            }
        }
        if self.program()?.has_heard_more() {
            let kind = "more than one line in the reply".to_owned();
            return Err(Wrong::of(kind, &asked));
        }
        Ok(())
    }

    fn play(&self, game: &mut Game, mv: &str) -> Result<(), String> {
        game.moves.push(mv.to_owned());
        game.position = self.arena.position(&self.rules, &game.setup, &game.moves)?;
        Ok(())
    }

    fn one_board(&mut self, cells: &str) -> Result<String, Wrong> {
        let mut game = self.begin(0, 7, Some(Seat::First), InitialPosition::Diagram(Diagram::of(cells)))?;
        self.ask(&mut [&mut game], "")?;
        Ok(game.moves.concat())
    }

    fn first_move(&mut self) -> Result<String, Wrong> {
        let mut game = self.begin(0, 7, None, InitialPosition::Block(Block::of_seed(7)))?;
        self.ask(&mut [&mut game], " later=1")?;
        Ok(game.moves.concat())
    }

    /// Plays a game to its end; in a duel against random moves. Returns the result and, on the next
    /// line, all moves.
    fn game(&mut self, seed: u64, seat: Seat) -> Result<String, Wrong> {
        let mut game = self.begin(0, seed, Some(seat), InitialPosition::Block(Block::of_seed(seed)))?;
        let mut dice = Seed::root(seed).rng();
        let (mut spent, mut asked) = (Duration::ZERO, 0_u32);
        while let Some(turn) = game.position.to_move {
            if turn == seat {
                let start = Instant::now();
                self.ask(&mut [&mut game], "")?;
                spent += start.elapsed();
                asked += 1;
            } else {
                let moves = &game.position.moves;
                let mv = moves[dice.below(moves.len() as u64) as usize].clone();
                self.play(&mut game, &mv)?;
            }
            if game.moves.len() >= MOST_MOVES {
                break;
            }
        }
        let standing = self.end(&game)?;
        let each = duration(1e3 * spent.as_secs_f64() / f64::from(asked.max(1)));
        Ok(format!("{asked} moves, {standing}, {each} per move\n{}", game.moves.join(" ")))
    }

    /// Plays several games at once until all have ended. `first` has the moves of the first
    /// game played alone, if known.
    fn together(&mut self, number: usize, first: Option<&str>) -> Result<String, Wrong> {
        let mut games = Vec::new();
        for game in 0..number {
            let seed = game as u64 + 1;
            let setup = InitialPosition::Block(Block::of_seed(seed));
            games.push(self.begin(game, seed, Some(Seat::First), setup)?);
        }
        for _ in 0..MOST_MOVES {
            let mut open: Vec<&mut Game> =
                games.iter_mut().filter(|game| game.position.to_move.is_some()).collect();
            if open.is_empty() {
                break;
            }
            self.ask(&mut open, "")?;
        }
        for game in &games {
            self.end(game)?;
        }
        if first.is_some_and(|first| first != games[0].moves.join(" ")) {
            return Err("game 1 differs in a batch: a move must not depend on other games".to_owned().into());
        }
        let moves: usize = games.iter().map(|game| game.moves.len()).sum();
        Ok(format!("{moves} moves"))
    }

    /// Sends the end of a game to the program, and returns it in words.
    fn end(&mut self, game: &Game) -> Result<String, String> {
        let (told, standing) = match game.position.outcome {
            Outcome::Points { score, .. } => (format!("score={score}"), format!("{score} points")),
            outcome => match outcome.seen_by(game.seat) {
                WinDrawLoss::Win => ("result=win".to_owned(), "won".to_owned()),
                WinDrawLoss::Draw => ("result=draw".to_owned(), "drawn".to_owned()),
                WinDrawLoss::Loss => ("result=loss".to_owned(), "lost".to_owned()),
            },
        };
        self.say(&format!("end {} {told}", game.number))?;
        Ok(standing)
    }

    fn quit(&mut self) -> Result<String, Wrong> {
        self.program()?;
        self.show(">", "quit");
        let Some(program) = self.program.take() else { return Ok(String::new()) };
        let start = Instant::now();
        program.quit("quit\n");
        let took = start.elapsed();
        if took > GRACE {
            return Err("did not exit within 0.5 s of `quit`".to_owned().into());
        }
        Ok(format!("within {}", duration(1e3 * took.as_secs_f64())))
    }
}
