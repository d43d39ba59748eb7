//! One line of a journal: a checksum, a blank, and an entry as JSON. The kinds of entries are
//! listed in `journal`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::game::{Facts, Outcome, Seat};
use gauntlet_core::record::{CalibrationRuns, ClockReadings, Ending, GameRecord};
use serde::{Deserialize, Serialize};

/// Some blocks of one line-up, in columns: one entry per game, with the legs of a block next to
/// each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GamesEntry {
    /// Key of the line-up in the plan.
    pub key: String,
    /// First block, if seeds are derived from the block's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Number of games.
    pub games: u32,
    /// Index of the session in which the games were played. `None` means the last session before
    /// this line, as in all journals that were not merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<usize>,
    /// Seeds of the blocks, if seeds are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
    /// Points; empty in a duel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) score: Vec<u64>,
    pub(super) facts: Vec<Vec<i64>>,
    pub(super) moves: Vec<u32>,
    /// Indices of the games that were won, in a duel by the first seat.
    pub(super) won: Vec<u32>,
    /// In a duel, indices of the games that the second seat won.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lost: Option<Vec<u32>>,
    /// Indices and codes of endings other than the first of [`Ending::ALL`].
    pub(super) endings: Vec<(u32, u8)>,
    /// Positions visited in each game, if there is one player and it counts them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<u64>,
    /// Moves of each game, separated by blanks, if a player is a program that is not deterministic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub played: Vec<String>,
    /// Number of threads that played.
    pub threads: usize,
    /// Clock readings of the only player, or of the first of two; empty in the journal of a tuning.
    #[serde(default, skip_serializing_if = "is_untimed")]
    pub times: ClockReadings,
    /// Clock readings of the second of two players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rival_times: Option<ClockReadings>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanicEntry {
    /// Key of the line-up in the plan.
    pub key: String,
    /// Seed of the block.
    pub seed: u64,
    /// Leg of the block, in a duel.
    #[serde(default, skip_serializing_if = "is_first")]
    pub leg: usize,
    /// Message of the program.
    pub message: String,
}

/// Returns true for the first leg or member, which is not written.
fn is_first(index: &usize) -> bool {
    *index == 0
}

/// A player whose program failed in game after game, so that the run skipped its other games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureEntry {
    /// Key of the line-up in which it failed last.
    pub key: String,
    /// Index of the player in the line-up.
    #[serde(default, skip_serializing_if = "is_first")]
    pub member: usize,
    /// Reason of the last failure.
    pub message: String,
}

/// A run that wrote to the journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// Time of its start.
    pub started: String,
    /// Version of gauntlet.
    pub gauntlet: String,
    /// Revision of the source.
    pub revision: String,
    /// Packages of its game and players, except built-in ones: `own 0.1.0`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// Processor of the machine.
    pub cpu: String,
    /// Number of threads.
    pub threads: usize,
    /// Shard, if the run was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Digest of the experiment's file.
    pub experiment: String,
    /// Claims of the experiment; `None` in a tuning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<String>>,
    /// Folder of the players' files, relative to the folder of the journal. `None` if no player is
    /// built from files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_from: Option<String>,
    /// Identity of the program that played ([`crate::machine::program_identity`]).
    pub binary: String,
    /// Name of the game.
    pub game: String,
    /// Signature of each algorithm of this game that the experiment names
    /// ([`gauntlet_core::arena::Arena::signature_of`]), so that the next command need not compute
    /// it.
    pub signatures: BTreeMap<String, Option<String>>,
    /// Names and versions that external players reported, by the identity of the player.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// Version of the calibration loop that was timed
    /// ([`gauntlet_core::arena::calibration::VERSION`]), if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick: Option<u32>,
    /// Version of the rules of verdicts ([`gauntlet_stats::RULES`]).
    pub rules: u32,
    /// Sums of the session's lines of games.
    #[serde(skip)]
    pub sums: SessionSums,
    /// Duration in seconds; `None` while it runs, or if it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// An answer about some of the games before it: tables were made from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookEntry {
    /// Number of blocks of each line-up.
    pub blocks: u64,
    /// Keys of the line-ups. If there are none, it counts for all line-ups.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub keys: BTreeSet<String>,
    /// True if `[stop]` chose the number of blocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Claims that it answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<AnsweredClaim>,
}

/// A claim that had an answer, and the players that it was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredClaim {
    /// The claim in words, as in [`SessionEntry::claims`].
    pub claim: String,
    /// Digest of the game, its rules and limits, and the seed.
    pub ground: String,
    /// Keys of the line-ups of both players.
    pub keys: BTreeSet<String>,
}

/// Sums of a session's lines of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSums {
    /// Number of games.
    pub games: u64,
    /// CPU time of the threads that played, in nanoseconds.
    pub cpu_ns: u64,
    /// Calibration loops that were timed.
    pub calibration_runs: CalibrationRuns,
}

impl SessionEntry {
    /// Describes the program that played, equally for two sessions of one build.
    pub fn describe_build(&self) -> String {
        let own = format!("gauntlet {} ({})", self.gauntlet, self.revision);
        std::iter::once(own).chain(self.packages.iter().cloned()).collect::<Vec<_>>().join(", ")
    }
}

/// A [`GamesEntry`] as a line of a journal, ready to be appended.
#[derive(Debug)]
pub struct FramedLine {
    pub(super) head: Head<'static>,
    pub(super) bytes: Vec<u8>,
}

/// One line of a journal, as it is read and written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum JournalEntry<G> {
    Journal {
        format: u32,
    },
    Session(Box<SessionEntry>),
    Games(G),
    Panic(PanicEntry),
    Failure(FailureEntry),
    /// Checksums of earlier lines that no longer count.
    Dropped {
        lines: Vec<String>,
    },
    End {
        seconds: f64,
    },
    Answer(LookEntry),
    Losses(StepLosses),
}

/// Losses of an earlier step of a tuning, so that a tuning that resumes need not compute them from
/// its games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StepLosses {
    /// Identity of the step.
    pub(super) step: String,
    /// Loss of each block of each candidate, as the bits of an [`f64`]; `None` for a candidate that
    /// the player refused.
    pub(super) losses: Vec<Option<Vec<u64>>>,
}

/// Head of a line of games, without its columns: enough to open a journal.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) key: Cow<'a, str>,
    #[serde(default)]
    pub(super) first: Option<u64>,
    pub(super) games: u32,
    #[serde(default)]
    pub(super) session: Option<usize>,
    #[serde(default)]
    pub(super) times: HeadTimes,
    #[serde(default)]
    pub(super) rival_times: Option<HeadTimes>,
}

/// Clock readings in the head of a line.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct HeadTimes {
    #[serde(default)]
    pub(super) cpu_ns: u64,
    #[serde(default)]
    pub(super) yardsticks: CalibrationRuns,
}

impl From<&ClockReadings> for HeadTimes {
    fn from(times: &ClockReadings) -> HeadTimes {
        HeadTimes { cpu_ns: times.cpu_ns, yardsticks: times.yardsticks }
    }
}

fn is_untimed(times: &ClockReadings) -> bool {
    *times == ClockReadings::default()
}

impl GamesEntry {
    /// Puts the records of whole blocks into columns.
    pub fn new(key: &str, records: &[GameRecord], fact_count: usize) -> GamesEntry {
        let is_solo = |record: &GameRecord| matches!(record.outcome, Outcome::Points { .. });
        let solo = records.iter().all(is_solo);
        let indices = |predicate: fn(&GameRecord) -> bool| {
            records
                .iter()
                .enumerate()
                .filter(move |(_, record)| predicate(record))
                .map(|(index, _)| index as u32)
        };
        let code = |index: u32| {
            let ending = records[index as usize].ending;
            Ending::ALL.iter().position(|&other| other == ending).expect("the list is complete") as u8
        };
        GamesEntry {
            key: key.to_owned(),
            games: records.len() as u32,
            score: if solo { records.iter().map(GameRecord::score).collect() } else { Vec::new() },
            facts: (0..fact_count).map(|i| records.iter().map(|record| record.facts[i]).collect()).collect(),
            moves: records.iter().map(|record| record.moves).collect(),
            won: indices(|record| record.is_won_by(Seat::First)).collect(),
            lost: (!solo).then(|| indices(|record| record.is_won_by(Seat::Second)).collect()),
            endings: indices(|record| record.ending != Ending::ALL[0])
                .map(|index| (index, code(index)))
                .collect(),
            ..GamesEntry::default()
        }
    }

    /// Returns the number of columns of facts.
    pub(super) fn facts(&self) -> usize {
        self.facts.len()
    }

    /// Iterates over the clock readings of each player of the line-up.
    pub fn times_of_members(&self) -> impl Iterator<Item = &ClockReadings> {
        std::iter::once(&self.times).chain(&self.rival_times)
    }

    /// Sets the clock readings, one for each player of the line-up.
    pub fn set_times(&mut self, times: Vec<ClockReadings>) {
        let mut times = times.into_iter();
        self.times = times.next().unwrap_or_default();
        self.rival_times = times.next().filter(|times| !is_untimed(times));
    }

    /// Formats it as a line.
    pub fn to_line(&self) -> FramedLine {
        let head = Head {
            key: Cow::Owned(self.key.clone()),
            first: self.first,
            games: self.games,
            session: self.session,
            times: HeadTimes::from(&self.times),
            rival_times: self.rival_times.as_ref().map(HeadTimes::from),
        };
        FramedLine { head, bytes: format_line(&JournalEntry::Games(self)) }
    }

    /// Converts the columns to records, or returns `None` if they contradict each other.
    pub fn records(&self) -> Option<Vec<GameRecord>> {
        let n = self.games as usize;
        let is_solo = self.lost.is_none();
        let legs = if is_solo { 1 } else { 2 };
        let is_consistent = n.is_multiple_of(legs)
            && self.score.len() == if is_solo { n } else { 0 }
            && self.moves.len() == n
            && (self.nodes.is_empty() || self.nodes.len() == n)
            && (self.played.is_empty() || self.played.len() == n)
            && self.facts.iter().all(|column| column.len() == n)
            && (self.seeds.len() * legs == n || (self.seeds.is_empty() && self.first.is_some()));
        if !is_consistent {
            return None;
        }
        let mut records = Vec::with_capacity(n);
        for index in 0..n {
            let mut facts = Facts::default();
            for (fact, column) in facts.iter_mut().zip(&self.facts) {
                *fact = column[index];
            }
            let outcome = match self.score.get(index) {
                Some(&score) => Outcome::Points { score, won: false },
                None => Outcome::Drawn,
            };
            records.push(GameRecord { outcome, facts, moves: self.moves[index], ending: Ending::ALL[0] });
        }
        for &index in &self.won {
            let outcome = &mut records.get_mut(index as usize)?.outcome;
            *outcome = match *outcome {
                Outcome::Points { score, .. } => Outcome::Points { score, won: true },
                _ => Outcome::Won(Seat::First),
            };
        }
        for &index in self.lost.iter().flatten() {
            let outcome = &mut records.get_mut(index as usize)?.outcome;
            if *outcome != Outcome::Drawn {
                return None;
            }
            *outcome = Outcome::Won(Seat::Second);
        }
        for &(index, code) in &self.endings {
            let ending = *Ending::ALL.get(usize::from(code))?;
            if is_solo && ending.seat_at_fault() == Some(Seat::Second) {
                return None;
            }
            records.get_mut(index as usize)?.ending = ending;
        }
        Some(records)
    }
}

/// Returns the checksum and the JSON of a line, if the checksum is right.
pub(super) fn verify_line(line: &[u8]) -> Option<(u64, &[u8])> {
    let (prefix, json) = line.strip_suffix(b"\n")?.split_at_checked(CHECKSUM + 1)?;
    let sum = parse_hex(&prefix[..CHECKSUM]).filter(|_| prefix[CHECKSUM] == b' ')?;
    (sum == checksum(json)).then_some((sum, json))
}

/// Parses hexadecimal digits as this program writes them, in lower case.
fn parse_hex(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, &digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u64::from(value))
    })
}

pub(super) fn format_line(entry: &impl Serialize) -> Vec<u8> {
    let mut line = vec![b' '; CHECKSUM + 1];
    serde_json::to_writer(&mut line, entry).expect("entries are plain data");
    let sum = checksum(&line[CHECKSUM + 1..]);
    line[..CHECKSUM].copy_from_slice(format!("{sum:0CHECKSUM$x}").as_bytes());
    line.push(b'\n');
    line
}

/// Number of hexadecimal digits of a checksum.
pub(super) const CHECKSUM: usize = 16;

/// Returns the first eight bytes of the digest, which begin a line as hexadecimal digits.
fn checksum(json: &[u8]) -> u64 {
    u64::from_be_bytes(*blake3::hash(json).as_bytes().first_chunk().expect("a digest has 32 bytes"))
}

/// Returns true if these sessions were timed on several machines or with several calibration loops.
pub fn are_of_several_machines(sessions: &[SessionEntry]) -> bool {
    sessions.windows(2).any(|pair| (&pair[0].cpu, pair[0].yardstick) != (&pair[1].cpu, pair[1].yardstick))
}

/// Returns the checksum at the beginning of a line.
pub(super) fn line_checksum(line: &[u8]) -> u64 {
    line.get(..CHECKSUM).and_then(parse_hex).unwrap_or_default()
}

/// Shortens a text and frees the memory.
pub(super) fn shorten(text: &mut String, max_length: usize) {
    if text.len() > max_length {
        text.truncate(text.floor_char_boundary(max_length));
        text.shrink_to_fit();
    }
}
