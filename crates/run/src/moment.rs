//! A run in the process that plays it: its games at one moment, and the snapshot of them.

use std::time::Duration;

use gauntlet_core::text::{decimals, format_count, format_games, group_digits};
use gauntlet_stats::{Estimate, wilson};

use super::progress::{Progress, RunState};
use super::snapshot::Snapshot;

/// State of a line-up. Games and time count this session; wins, forfeits and points count all of
/// its games.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LineUpState {
    /// Names of its players.
    pub name: String,
    /// Games already in the journal.
    pub before: u64,
    /// Total number of games.
    pub all: u64,
    /// Games played.
    pub games: u64,
    /// Games won; in a duel, by the first player.
    pub wins: u64,
    /// Games that a player forfeited.
    pub forfeits: u64,
    /// Sum of its scores.
    pub points: u64,
    /// Seconds that threads played these games.
    pub seconds: f64,
    /// Games in play.
    pub in_hand: Vec<GamesInPlay>,
}

/// Games that a thread is playing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GamesInPlay {
    pub games: u64,
    /// Seconds since their start.
    pub seconds: f64,
    /// Moves played in the current game.
    pub moves: u64,
}

/// State of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunMoment {
    /// Line-ups that do not share another's games.
    pub lines: Vec<LineUpState>,
    /// Number of threads that play.
    pub threads: usize,
    /// Seconds since the first game of this session.
    pub seconds: f64,
    /// State of the comparison that may end the run; empty if there is none.
    pub standing: String,
    /// Time left until the time limit, if there is one.
    pub most_left: Option<Duration>,
    /// True if the run was asked to stop.
    pub is_stopping: bool,
}

/// A game is overdue if it takes this many times as long as earlier ones.
const OVERDUE: f64 = 10.0;

impl LineUpState {
    /// Returns the number of games left.
    fn games_left(&self) -> u64 {
        self.all.saturating_sub(self.before + self.games)
    }

    /// Returns the seconds of thread time per game, and whether they were measured. Before the
    /// first game ends, or if a game takes much longer than earlier ones, they are a lower bound.
    fn cost(&self) -> (f64, bool) {
        // A thread may play several games, of which the first ones are over.
        let longest = self.in_hand.iter().map(|hand| hand.seconds / hand.games.max(1) as f64);
        let (longest, games) = (longest.fold(0.0, f64::max), self.games as f64);
        match self.games > 0 && longest <= OVERDUE * self.seconds / games {
            true => (self.seconds / games, true),
            false => ((self.seconds + longest) / (games + 1.0), false),
        }
    }

    /// Returns the number of games played in all sessions.
    fn games_played(&self) -> u64 {
        self.before + self.games
    }

    fn rate(&self) -> f64 {
        if self.games_played() == 0 { -1.0 } else { self.wins as f64 / self.games_played() as f64 }
    }

    /// Returns the mean score; `None` before the first game ends.
    fn mean_score(&self) -> Option<f64> {
        (self.games_played() > 0).then(|| self.points as f64 / self.games_played() as f64)
    }

    /// Returns the win rate with its 95 % interval; `None` before the first game ends.
    fn win_rate(&self) -> Option<Estimate> {
        wilson(self.wins.min(self.games_played()), self.games_played(), 0.95)
    }

    /// Formats the win rate with its 95 % interval and the forfeits, or before the first game ends,
    /// the number of moves of the longest game.
    fn format_results(&self) -> String {
        if let Some(rate) = self.win_rate() {
            let [low, rate, high] = [rate.low, rate.value, rate.high].map(|part| 100.0 * part);
            let decimals = decimals((high - low) / 2.0);
            let forfeits = match self.forfeits {
                0 => String::new(),
                forfeits => format!("  {}", format_count(forfeits, "forfeit")),
            };
            return format!("wins {rate:5.decimals$} % [{low:.decimals$}, {high:.decimals$}]{forfeits}");
        }
        match self.in_hand.iter().map(|hand| hand.moves).max() {
            Some(moves) if moves > 0 => format!("first game: {} moves", group_digits(moves)),
            Some(_) => "first game".to_owned(),
            None => String::new(),
        }
    }
}

impl RunMoment {
    /// Returns the number of games played in this session.
    fn games_played(&self) -> u64 {
        self.lines.iter().map(|line| line.games).sum()
    }

    /// Returns the number of games already in the journal.
    fn games_before(&self) -> u64 {
        self.lines.iter().map(|line| line.before).sum()
    }

    /// Returns the total number of games.
    fn total_games(&self) -> u64 {
        self.lines.iter().map(|line| line.all).sum()
    }

    /// Returns the time left, and whether it is known or a lower bound. Remaining games of a
    /// line-up cost as much as its earlier games. Threads share them, but a single game is played
    /// by one thread.
    fn time_left(&self) -> (Duration, bool) {
        let (mut work, mut longest, mut is_known) = (0.0, 0.0_f64, true);
        for line in self.lines.iter().filter(|line| line.games_left() > 0) {
            let (cost, is_measured) = line.cost();
            is_known &= is_measured;
            let in_hand: u64 = line.in_hand.iter().map(|hand| hand.games).sum();
            let done =
                line.in_hand.iter().map(|hand| hand.seconds.min(cost * hand.games as f64)).sum::<f64>();
            work += (cost * line.games_left() as f64 - done).max(0.0);
            let waits = if line.games_left() > in_hand { cost } else { 0.0 };
            let rest = line.in_hand.iter().map(|hand| (cost - hand.seconds).max(0.0));
            longest = rest.fold(longest.max(waits), f64::max);
        }
        let seconds = (work / self.threads.max(1) as f64).max(longest);
        (Duration::from_secs_f64(seconds.min(1e9)), is_known)
    }

    /// Returns the progress of the run.
    pub(super) fn progress(&self) -> Progress {
        let (left, is_known) = self.time_left();
        let (bound, left) = match self.most_left.filter(|&most| most < left || !is_known) {
            // Unfinished games may end sooner.
            Some(most) => ("≤ ", most),
            None if is_known => ("", left),
            None => ("≥ ", left),
        };
        let done = self.games_before() + self.games_played();
        let state = if self.is_stopping { RunState::Stopped } else { RunState::Plays };
        Progress {
            pace: Some(self.games_played() as f64 / self.seconds.max(1e-9)),
            bound,
            time_left: Some(left.as_secs_f64()),
            ..Progress::from_games(done, self.total_games(), state)
        }
    }

    /// Returns the line-ups sorted by win rate, and by score if win rates are equal.
    pub(super) fn leaders(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        let key = |place: usize| (self.lines[place].rate(), self.lines[place].mean_score().unwrap_or(-1.0));
        order.sort_by(|&one, &other| {
            let ((rate, mean), (other_rate, other_mean)) = (key(one), key(other));
            other_rate.total_cmp(&rate).then(other_mean.total_cmp(&mean))
        });
        order
    }

    /// Returns the snapshot of the run, with its line-ups in this order.
    pub(super) fn snapshot(&self, order: &[usize]) -> Snapshot {
        let progress = self.progress();
        let before = || {
            format!(
                "{} played before, {} remaining",
                format_games(self.games_before()),
                group_digits(progress.remaining())
            )
        };
        let before = (self.games_before() > 0).then(before);
        let standing = (!self.standing.is_empty()).then(|| self.standing.clone());
        let row = |&place: &usize| {
            let line = &self.lines[place];
            [line.name.clone(), group_digits(line.games_played()), line.format_results()]
        };
        let is_in_first = |line: &&LineUpState| line.games_played() == 0 && !line.in_hand.is_empty();
        let first_games = self.lines.iter().filter(is_in_first).take(3);
        Snapshot {
            lines: before.into_iter().chain(standing).collect(),
            table: order.iter().map(row).collect(),
            log: first_games.map(|line| format!("{}: {}", line.name, line.format_results())).collect(),
            ..Snapshot::from_progress("run", progress)
        }
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::screen::{STOPPING, below, format_head};

    fn line(name: &str, all: u64, games: u64, wins: u64, seconds: f64) -> LineUpState {
        LineUpState { name: name.to_owned(), all, games, wins, seconds, ..LineUpState::default() }
    }

    fn moment(lines: Vec<LineUpState>) -> RunMoment {
        RunMoment { lines, threads: 2, seconds: 10.0, ..RunMoment::default() }
    }

    fn lines_below(moment: &RunMoment, width: usize, height: usize) -> Vec<String> {
        below(&moment.snapshot(&moment.leaders()), width, height)
    }

    fn head_of(moment: &RunMoment, width: usize) -> (String, String) {
        format_head(&moment.snapshot(&[]), width)
    }

    fn hand(games: u64, seconds: f64, moves: u64) -> Vec<GamesInPlay> {
        vec![GamesInPlay { games, seconds, moves }]
    }

    /// Makes 16 players whose names differ at the end; later players are better.
    fn sixteen_players() -> RunMoment {
        let name = |i: u64| format!("swift-expectimax weights.empty=270 rollouts=1000 depth={i}");
        moment((1..=16).map(|i| line(&name(i), 1000, 500, 30 * i, 1.0)).collect())
    }

    #[test]
    fn everything_fits_a_small_terminal() {
        let mut of_all = sixteen_players();
        of_all.standing =
            "of 500 blocks: nothing is decided between two players with long names, and a wide ratio".into();
        for (width, height) in [(80, 24), (60, 24), (80, 10), (40, 6), (20, 3), (5, 1)] {
            for before in [0, 400] {
                of_all.lines.iter_mut().for_each(|line| line.before = before);
                let (bar, said) = head_of(&of_all, width);
                assert!((bar + &said).width() <= width, "{width}: {said}");
                let lines = lines_below(&of_all, width, height);
                let room = height.saturating_sub(2).max(1 + usize::from(before > 0));
                assert!(lines.len() <= room, "{width} by {height}: {lines:#?}");
                assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
            }
        }
    }

    #[test]
    fn leaders_come_first_and_names_keep_what_differs() {
        let of_all = sixteen_players();
        let lines = lines_below(&of_all, 80, 12);
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "  swift-expectimax … depth=16  500  wins  96.0 % [93.9, 97.4]");
        assert!(lines[8].contains("depth=8 "), "{lines:#?}");
        assert_eq!(lines[9], "  … and 7 more");
        let mut forfeits = moment(vec![LineUpState { forfeits: 1, ..line("a", 10, 5, 0, 1.0) }]);
        assert!(lines_below(&forfeits, 80, 24)[0].ends_with("]  1 forfeit"));
        forfeits.lines[0].forfeits = 3;
        assert!(lines_below(&forfeits, 80, 24)[0].ends_with("]  3 forfeits"));
        // Among players without wins, the one with better scores leads.
        let mut even =
            moment(vec![line("a", 10, 5, 0, 1.0), line("b", 10, 5, 0, 1.0), line("c", 10, 0, 0, 0.0)]);
        (even.lines[0].points, even.lines[1].points) = (500, 700);
        assert_eq!(even.leaders(), [1, 0, 2]);
    }

    /// One player takes a thousand times as long as the other.
    #[test]
    fn time_left_is_that_of_the_games_that_are_left() {
        let slow = line("slow", 100, 10, 0, 100.0);
        let fast = line("fast", 100, 90, 0, 0.9);
        let both = moment(vec![fast.clone(), slow.clone()]);
        // 90 games of 10 s, and 10 of 0.01 s, on two threads.
        assert_eq!(both.time_left(), (Duration::from_secs_f64(450.05), true));
        assert_eq!(both.progress().pace_words()[1], "7:30 left");
        // Time spent on games in play is subtracted.
        let mut playing = both.clone();
        playing.lines[1].in_hand = hand(1, 4.0, 100);
        assert_eq!(playing.time_left(), (Duration::from_secs_f64(448.05), true));
        // A single last game is played by one thread.
        let mut last = moment(vec![line("slow", 11, 10, 0, 100.0)]);
        last.lines[0].in_hand = hand(1, 4.0, 100);
        assert_eq!(last.time_left(), (Duration::from_secs(6), true));
        // A game that takes much longer than earlier ones makes it a lower bound.
        let mut overdue = moment(vec![line("hangs", 100, 10, 0, 1.0)]);
        overdue.lines[0].in_hand = hand(1, 21.0, 5);
        assert_eq!(overdue.progress().pace_words()[1], "≥ 1:29 left");
        // Before the first game ends, its time so far is a lower bound.
        let mut first = moment(vec![fast, line("slow", 100, 0, 0, 0.0)]);
        first.lines[1].in_hand = hand(1, 20.0, 321);
        assert_eq!(first.progress().pace_words()[1], "≥ 16:30 left");
        assert!(lines_below(&first, 80, 24)[1].ends_with("first game: 321 moves"));
    }

    #[test]
    fn the_bar_gives_way_to_numbers() {
        let mut of_all = sixteen_players();
        of_all.lines[0].seconds = 1000.0;
        let (bar, said) = head_of(&of_all, 80);
        assert_eq!((bar.width(), &*said), (28, " 50 %  8,000 of 16,000 games  800 games/s  8:27 left"));
        let (bar, said) = head_of(&of_all, 60);
        assert_eq!((bar.width(), &*said), (21, " 50 %  8,000 of 16,000 games  8:27 left"));
        assert_eq!(head_of(&of_all, 20), (String::new(), " 50 %  8:27 left".to_owned()));
        of_all.is_stopping = true;
        assert_eq!(head_of(&of_all, 80).1, format!(" 50 %  {STOPPING}"));
    }

    #[test]
    fn what_was_there_counts_and_speed_is_of_this_session() {
        let mut of_all = moment(vec![line("a", 1000, 50, 90, 20.0), line("b", 1000, 0, 0, 0.0)]);
        of_all.lines[0].before = 400;
        let lines = lines_below(&of_all, 80, 24);
        assert_eq!(lines[0], "  400 games played before, 1,550 remaining");
        assert_eq!(lines[1], "  a  450  wins  20.0 % [16.6, 23.9]");
        // A player with only earlier games is ranked by them.
        of_all.lines[1] = LineUpState { before: 400, wins: 300, ..line("b", 1000, 0, 0, 0.0) };
        assert_eq!(of_all.leaders(), [1, 0]);
        of_all.lines.truncate(1);
        assert_eq!(head_of(&of_all, 80).1, " 45 %  450 of 1,000 games  5.0 games/s  1:50 left");
        assert_eq!(
            of_all.snapshot(&[]).log_line(),
            "450 of 1,000 games, 5.0 games/s, 1:50 left; 400 games played before, 550 remaining"
        );
    }

    #[test]
    fn a_log_tells_of_first_games() {
        let mut of_all = moment(vec![line("a", 10, 0, 0, 0.0), line("b", 10, 5, 0, 5.0)]);
        of_all.lines[0].in_hand = hand(1, 30.0, 12_345);
        of_all.standing = "nothing is decided".to_owned();
        assert_eq!(
            of_all.snapshot(&[]).log_line(),
            "5 of 20 games, 0.5 games/s, ≥ 2:17 left; nothing is decided; a: first game: 12,345 moves"
        );
    }
}
