//! The contract of a player, and of the settings that build one.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::assets::Assets;
use crate::diagnostic::Diagnostic;
use crate::game::{Game, Outcome, Seat};
use crate::num::Seconds;
use crate::record::{CpuTime, Fault, Timed};
use crate::rng::Seed;
use crate::settings::{self, Written};
pub use crate::sight::{Moves, Sight};
use crate::text::duration;

/// Something that chooses moves, built for one seat.
pub trait Player<G: Game>: Send {
    /// Forgets everything: the next game must not depend on the last one.
    fn begin(&mut self, start: &Start<G>);

    /// Chooses a move. Only asked where there is one.
    fn choose(&mut self, position: &G) -> Result<Thought<G::Move>, NoMove>;

    /// The most games that it wants to have open at once, to be asked about all of them together; 1 for a player of one game after
    /// the other, and for every player of a game of two. A program may be started to find out.
    fn batch(&mut self, rules: &G::Rules) -> usize {
        let _ = rules;
        1
    }

    /// Begins a game beside others that are open, under a number below [`Player::batch`]. A number whose game is over is used again.
    fn begin_beside(&mut self, number: usize, start: &Start<G>) {
        let _ = number;
        self.begin(start);
    }

    /// Chooses a move in each of these open games, in their order. What goes wrong in one of them is its answer; an error means that
    /// none has an answer, and that all open games must begin anew. The moves must not depend on which games are asked about together.
    fn choose_all(
        &mut self,
        asked: &[(usize, &G)],
        answers: &mut Vec<Result<Thought<G::Move>, NoMove>>,
    ) -> Result<(), NoMove> {
        for (_, position) in asked {
            answers.push(self.choose(position));
        }
        Ok(())
    }

    /// The open game of this number is over.
    fn end_beside(&mut self, number: usize, outcome: Outcome) {
        let _ = number;
        self.end(outcome);
    }

    /// The game that began last is over. A game that was broken off has no end.
    fn end(&mut self, outcome: Outcome) {
        let _ = outcome;
    }

    /// CPU time that it has taken in other processes since it was built, where that is its time ([`Recipe::timed`]).
    fn elsewhere(&self) -> CpuTime {
        CpuTime::default()
    }

    /// Remarks on the last choice, as counters of its own: `gauntlet probe` shows them.
    fn remarks(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Value of each legal move at the last choice, on the scale of [`Thought::value`]; none where the player
    /// does not weigh moves against each other. It is asked for right after `choose`, with the same position, may
    /// take as long again, and changes no later choice. `gauntlet show` and `gauntlet probe` tell it.
    fn weigh(&mut self, position: &G) -> Vec<(G::Move, f64)> {
        let _ = position;
        Vec::new()
    }
}

/// The beginning of a game, as one of its players is told it.
#[derive(Debug)]
pub struct Start<'a, G: Game> {
    /// Source of the player's chance, if it uses any: no other game, leg or seat has the same.
    pub seed: Seed,
    /// The seat that it plays in.
    pub seat: Seat,
    /// The rules of the experiment. They are data, so a player can write them down for another program.
    pub rules: &'a G::Rules,
}

/// A chosen move, and what the player says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thought<M> {
    /// The move.
    pub mv: M,
    /// Value that the player gives it, on a scale of its own.
    pub value: Option<f64>,
    /// Positions visited beyond the one on the board, 0 where the player does not search.
    pub nodes: u64,
    /// Depth of the search that the move rests on, in the player's own plies; none where nothing was searched, or
    /// where the depth says nothing. It may depend on the clock, so it stands in a table of times and in no
    /// record.
    pub depth: Option<u32>,
}

impl<M> Thought<M> {
    /// A move that was chosen without a search.
    pub const fn of(mv: M) -> Thought<M> {
        Thought { mv, value: None, nodes: 0, depth: None }
    }
}

/// A player that other programs ask by lines of text.
pub trait Served {
    /// Answers a line, or breaks off at the last. A mistake in the line is told in words.
    fn hear(&mut self, line: &str) -> Result<Reply, String>;
}

/// Reply to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The line asks for nothing.
    None,
    /// The answer, without its end.
    Line(String),
    /// The conversation is over.
    Quit,
}

/// Another protocol, by which managers of one game alone talk with players: from the name of a player, the rules, and the player as
/// it is served by the lines of docs/PROTOCOL.md.
pub type Translated = fn(&str, &Value, Box<dyn Served>) -> Box<dyn Served>;

/// Reason why a player answers without a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The player cannot answer: the game is over by its fault. That is data about the player, not an error of the run.
    Forfeit(Box<Forfeit>),
    /// The player was asked to stop thinking ([`Stop`]). The game is dropped, and played anew by the next run.
    Interrupted,
    /// The program of the player could not be started, for this reason. That is an error of the run: the game is dropped.
    CannotStart(Box<str>),
}

/// End of a game by the fault of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// The fault, as the record of the game has it.
    pub fault: Fault,
    /// The reason, to be told to a person.
    pub why: Box<str>,
}

impl NoMove {
    /// The player gives up, for this reason.
    pub fn forfeit(why: impl Into<Box<str>>) -> NoMove {
        NoMove::fault(Fault::GaveUp, why)
    }

    /// The program could not be started, for this reason.
    pub fn cannot_start(why: impl Into<Box<str>>) -> NoMove {
        NoMove::CannotStart(why.into())
    }

    /// The player cannot answer by this fault, for this reason.
    pub fn fault(fault: Fault, why: impl Into<Box<str>>) -> NoMove {
        NoMove::Forfeit(Box::new(Forfeit { fault, why: why.into() }))
    }
}

/// The request to stop, shared by everything that plays in one run; and the limit of time for one game, if it has one. The
/// request is never taken back while a game lasts: a search that sees it may return any value, because the player checks it
/// again before it answers.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    limit: Option<Arc<Limit>>,
}

impl Stop {
    /// The request that this flag stands for: a signal handler can set the flag.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Stop {
        Stop { asked: flag, limit: None }
    }

    /// Makes the request.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// The same request, and one that is made when a game takes longer than this. It is for the games of one thread.
    #[must_use]
    pub fn limited_to(&self, seconds: Seconds) -> Stop {
        Stop { asked: self.asked.clone(), limit: Some(Arc::new(Limit::of(seconds))) }
    }

    /// A game begins, and has all of its time before it.
    pub fn start_game(&self) {
        if let Some(limit) = &self.limit {
            limit.start();
        }
    }

    /// True if the request was made. This costs as little as reading a field; where there is a limit of time, the
    /// clock is read at one look in some.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
            || self.limit.as_ref().is_some_and(|limit| limit.is_over_about_now())
    }

    /// True if the time of the game is over.
    pub fn is_time_over(&self) -> bool {
        self.limit.as_ref().is_some_and(|limit| limit.is_over())
    }

    /// Waits for something from outside the thread, as the answer of another program, for at most this long; then the player
    /// is at fault. `wait` is given a moment to wait and comes back when it is over, as `recv_timeout` does: the request to
    /// stop may come from a signal handler, which can wake nothing, so it is looked at between moments.
    pub fn wait<T>(&self, most: Duration, mut wait: impl FnMut(Duration) -> Option<T>) -> Result<T, NoMove> {
        let start = Instant::now();
        loop {
            // What always has something to say must not keep a thread from the end.
            if self.is_asked() || self.is_time_over() {
                return Err(NoMove::Interrupted);
            }
            let left = most.saturating_sub(start.elapsed());
            if let Some(come) = wait(left.min(MOMENT)) {
                return Ok(come);
            }
            if left.is_zero() {
                return Err(NoMove::fault(
                    Fault::TimedOut,
                    format!("no answer within {}", duration(1e3 * most.as_secs_f64())),
                ));
            }
        }
    }

    /// The same as a result, which a player passes on with `?` after its search has returned.
    #[inline]
    pub fn check(&self) -> Result<(), NoMove> {
        if self.is_asked() { Err(NoMove::Interrupted) } else { Ok(()) }
    }
}

/// The longest part of a wait in which nothing looks at the request to stop.
const MOMENT: Duration = Duration::from_millis(20);

/// Limit of a game's time, by the clock on the wall: what players compute in other processes counts, too.
#[derive(Debug)]
struct Limit {
    most: Duration,
    made: Instant,
    /// End of the game's time, in nanoseconds since the limit was made.
    end_ns: AtomicU64,
    /// Looks since the clock was last read.
    looks: AtomicU32,
    is_over: AtomicBool,
}

/// A look costs a nanosecond, a reading of the clock some 25.
const LOOKS_A_READING: u32 = 16;

impl Limit {
    fn of(seconds: Seconds) -> Limit {
        Limit {
            most: seconds.get(),
            made: Instant::now(),
            end_ns: AtomicU64::new(u64::MAX),
            looks: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn start(&self) {
        let end = self.made.elapsed() + self.most;
        self.end_ns.store(u64::try_from(end.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.is_over.store(false, Ordering::Relaxed);
    }

    fn is_over_about_now(&self) -> bool {
        let looks = self.looks.load(Ordering::Relaxed) + 1;
        self.looks.store(looks % LOOKS_A_READING, Ordering::Relaxed);
        if looks < LOOKS_A_READING { self.is_over.load(Ordering::Relaxed) } else { self.is_over() }
    }

    /// Once it is over, it stays so until the next game.
    fn is_over(&self) -> bool {
        if self.made.elapsed().as_nanos() as u64 >= self.end_ns.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Kit that a player is built with, besides its settings.
#[derive(Clone, Debug, Default)]
pub struct Kit {
    /// Large constant files.
    pub assets: Arc<Assets>,
    /// The request to stop, at which every search looks.
    pub stop: Stop,
    /// Time that each game may take.
    pub max_seconds: Option<Seconds>,
    /// Counter of the moves of the game in play.
    pub moves: Moves,
    /// True if no one will ask how long the player thought: then the yardstick is not played beside it.
    pub is_untimed: bool,
}

/// A difference between the game that a player was made for and the rules that it plays by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Misfit {
    /// What differs, as the end of a sentence about the player.
    pub what: String,
    /// The setting that fits, as in TOML.
    pub fitting: String,
}

/// Checked settings of a player.
pub trait Recipe<G: Game>: Debug + Send + Sync {
    /// Builds a player.
    fn build(&self, kit: &Kit) -> anyhow::Result<Box<dyn Player<G>>>;

    /// The large constant files that the player is built from: the setting that names each, and the path as written.
    fn files(&self) -> Vec<(&'static str, &Path)> {
        Vec::new()
    }

    /// Decodes the file that this setting names, and so finds what is wrong with it, before anything is played. The players
    /// share the value ([`Assets::get`]).
    fn decode_file(&self, setting: &str, assets: &Assets) -> anyhow::Result<()> {
        let _ = (setting, assets);
        Ok(())
    }

    /// Identity of the player besides its settings and files, as the digest of a program that it starts; none
    /// where there is nothing else.
    fn identity(&self, assets: &Assets) -> anyhow::Result<Option<String>> {
        let _ = assets;
        Ok(None)
    }

    /// The words by which the player is started, where it is another program. It starts only where that is permitted
    /// ([`Assets::programs`]); and it is given up when it fails in game after game.
    fn command(&self) -> Option<&[String]> {
        None
    }

    /// Words of the player's program about itself when it is started, as its name and version; none where there is no
    /// program, or it does not start.
    fn greeting(&self, rules: &G::Rules, kit: &Kit) -> anyhow::Result<Option<String>> {
        let _ = (rules, kit);
        Ok(None)
    }

    /// Bytes that one player needs, besides what it shares with others; where they are few, it need not say so.
    fn memory(&self) -> u64 {
        0
    }

    /// Threads that it thinks with at once.
    fn threads(&self) -> usize {
        1
    }

    /// The time that counts as its thinking. A player that waits for another program takes next to none on its own thread.
    fn timed(&self) -> Timed {
        Timed::Thoughts
    }

    /// True if equal seeds make equal games. Not so for a player whose thinking is limited by time.
    fn is_reproducible(&self) -> bool {
        true
    }

    /// A contradiction between settings each of which is valid alone: the key to blame and what is wrong. It is
    /// shown at the key, or at the head of the player where that key is not written.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }

    /// What of the player does not fit these rules, as an end of the game that only its search knows.
    fn misfit(&self, rules: &G::Rules) -> Option<Misfit> {
        let _ = rules;
        None
    }

    /// The settings in a form that is the same for all that choose alike by arithmetic: where only the proportions of
    /// weights count, their common factor is gone. None where equal settings alone choose alike.
    fn normal_form(&self) -> Option<Value> {
        None
    }

    /// True if all it ever does is `Game::random_move` with its own stream, so that a game that can play many
    /// such games at once may do so ([`Game::random_games`]).
    fn is_pure_chance(&self) -> bool {
        false
    }
}

/// A family of players, as an experiment names it: one entry in a table of `players/mod.rs`. Parsing, help, the
/// nearest name to a misspelling, conformance tests and the signature follow from the entry alone.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm<G: Game> {
    /// As written in `algorithm = "…"`.
    pub name: &'static str,
    /// The manual: a TOML snippet with every setting explained, headed by a comment of one sentence that says
    /// what the player does. Tests and the signature play it.
    pub example: &'static str,
    /// Other settings, as complete as the example, of parts of the program that the example leaves out: tests and the
    /// signature play these as well.
    pub more_examples: &'static [&'static str],
    fields: fn() -> &'static [&'static str],
    read: Read<G>,
}

/// Reads settings, given an example of them.
type Read<G> = fn(&Written, &str) -> Result<Settled<G>, Vec<Diagnostic>>;

/// An algorithm with its settings.
#[derive(Debug)]
pub struct Settled<G: Game> {
    /// Builds players.
    pub recipe: Box<dyn Recipe<G>>,
    /// All settings, defaults included, in the order of their declaration: what identifies the player.
    pub settings: serde_json::Value,
}

impl<G: Game> Algorithm<G> {
    /// The algorithm whose settings are a `C`.
    pub const fn of<C>(name: &'static str, example: &'static str) -> Algorithm<G>
    where
        C: Recipe<G> + Serialize + DeserializeOwned + 'static,
    {
        Algorithm {
            name,
            example,
            more_examples: &[],
            fields: settings::fields::<C>,
            read: |written, example| {
                let config: C = settings::read(written, example)?;
                if let Some((key, message)) = config.contradiction() {
                    return Err(vec![written.blame(key, message)]);
                }
                let settings = serde_json::to_value(&config).expect("settings are plain data");
                Ok(Settled { recipe: Box::new(config), settings })
            },
        }
    }

    /// The same algorithm with more examples, of other settings.
    #[must_use]
    pub const fn with(self, more_examples: &'static [&'static str]) -> Algorithm<G> {
        Algorithm { more_examples, ..self }
    }

    /// Play of the algorithm, in a sentence: the comment at the head of its example.
    pub fn summary(&self) -> &'static str {
        self.example.lines().next().unwrap_or("").trim_start_matches('#').trim()
    }

    /// The names of its settings.
    pub fn settings(&self) -> &'static [&'static str] {
        (self.fields)()
    }

    /// Reads settings, and reports every mistake in them.
    pub fn read(&self, written: &Written) -> Result<Settled<G>, Vec<Diagnostic>> {
        (self.read)(written, self.example)
    }
}
