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
    pub earlier_games: u64,
    /// Total number of games.
    pub total_games: u64,
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
    pub in_play: Vec<GamesInPlay>,
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
    pub lineups: Vec<LineUpState>,
    /// Number of threads that play.
    pub threads: usize,
    /// Seconds since the first game of this session.
    pub seconds: f64,
    /// State of the comparison that may end the run; empty if there is none.
    pub comparison_state: String,
    /// Time left until the time limit, if there is one.
    pub max_time_left: Option<Duration>,
    /// True if the run was asked to stop.
    pub is_stopping: bool,
}

/// A game is overdue if it takes this many times as long as earlier ones.
const OVERDUE_FACTOR: f64 = 10.0;

impl LineUpState {
    /// Returns the number of games left.
    fn games_left(&self) -> u64 {
        self.total_games.saturating_sub(self.earlier_games + self.games)
    }

    /// Returns the seconds of thread time per game, and whether they were measured. Before the
    /// first game ends, or if a game takes much longer than earlier ones, they are a lower bound.
    fn cost(&self) -> (f64, bool) {
        // A thread may play several games, of which the first ones are over.
        let longest = self.in_play.iter().map(|batch| batch.seconds / batch.games.max(1) as f64);
        let (longest, games) = (longest.fold(0.0, f64::max), self.games as f64);
        match self.games > 0 && longest <= OVERDUE_FACTOR * self.seconds / games {
            true => (self.seconds / games, true),
            false => ((self.seconds + longest) / (games + 1.0), false),
        }
    }

    /// Returns the number of games played in all sessions.
    fn games_played(&self) -> u64 {
        self.earlier_games + self.games
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
        match self.in_play.iter().map(|batch| batch.moves).max() {
            Some(moves) if moves > 0 => format!("first game: {} moves", group_digits(moves)),
            Some(_) => "first game".to_owned(),
            None => String::new(),
        }
    }
}

impl RunMoment {
    /// Returns the number of games played in this session.
    fn games_played(&self) -> u64 {
        self.lineups.iter().map(|lineup| lineup.games).sum()
    }

    /// Returns the number of games already in the journal.
    fn earlier_games(&self) -> u64 {
        self.lineups.iter().map(|lineup| lineup.earlier_games).sum()
    }

    /// Returns the total number of games.
    fn total_games(&self) -> u64 {
        self.lineups.iter().map(|lineup| lineup.total_games).sum()
    }

    /// Returns the time left, and whether it is known or a lower bound. Remaining games of a
    /// line-up cost as much as its earlier games. Threads share them, but a single game is played
    /// by one thread.
    fn time_left(&self) -> (Duration, bool) {
        let (mut work, mut longest, mut is_known) = (0.0, 0.0_f64, true);
        for lineup in self.lineups.iter().filter(|line| line.games_left() > 0) {
            let (cost, is_measured) = lineup.cost();
            is_known &= is_measured;
            let games_in_play: u64 = lineup.in_play.iter().map(|batch| batch.games).sum();
            let work_done =
                lineup.in_play.iter().map(|batch| batch.seconds.min(cost * batch.games as f64)).sum::<f64>();
            work += (cost * lineup.games_left() as f64 - work_done).max(0.0);
            let waiting_cost = if lineup.games_left() > games_in_play { cost } else { 0.0 };
            let remaining = lineup.in_play.iter().map(|batch| (cost - batch.seconds).max(0.0));
            longest = remaining.fold(longest.max(waiting_cost), f64::max);
        }
        let seconds = (work / self.threads.max(1) as f64).max(longest);
        (Duration::from_secs_f64(seconds.min(1e9)), is_known)
    }

    /// Returns the progress of the run.
    pub(super) fn progress(&self) -> Progress {
        let (left, is_known) = self.time_left();
        let (bound, left) = match self.max_time_left.filter(|&limit| limit < left || !is_known) {
            // Unfinished games may end sooner.
            Some(limit) => ("≤ ", limit),
            None if is_known => ("", left),
            None => ("≥ ", left),
        };
        let games_done = self.earlier_games() + self.games_played();
        let state = if self.is_stopping { RunState::Stopped } else { RunState::Plays };
        Progress {
            pace: Some(self.games_played() as f64 / self.seconds.max(1e-9)),
            bound_prefix: bound,
            time_left: Some(left.as_secs_f64()),
            ..Progress::from_games(games_done, self.total_games(), state)
        }
    }

    /// Returns the line-ups sorted by win rate, and by score if win rates are equal.
    pub(super) fn leaders(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.lineups.len()).collect();
        let key =
            |index: usize| (self.lineups[index].rate(), self.lineups[index].mean_score().unwrap_or(-1.0));
        order.sort_by(|&one, &other| {
            let ((rate, mean), (other_rate, other_mean)) = (key(one), key(other));
            other_rate.total_cmp(&rate).then(other_mean.total_cmp(&mean))
        });
        order
    }

    /// Returns the snapshot of the run, with its line-ups in this order.
    pub(super) fn snapshot(&self, order: &[usize]) -> Snapshot {
        let progress = self.progress();
        let describe_earlier = || {
            format!(
                "{} played before, {} remaining",
                format_games(self.earlier_games()),
                group_digits(progress.remaining())
            )
        };
        let earlier_line = (self.earlier_games() > 0).then(describe_earlier);
        let comparison_state = (!self.comparison_state.is_empty()).then(|| self.comparison_state.clone());
        let row = |&index: &usize| {
            let lineup = &self.lineups[index];
            [lineup.name.clone(), group_digits(lineup.games_played()), lineup.format_results()]
        };
        let is_in_first = |lineup: &&LineUpState| lineup.games_played() == 0 && !lineup.in_play.is_empty();
        let first_games = self.lineups.iter().filter(is_in_first).take(3);
        Snapshot {
            remarks: earlier_line.into_iter().chain(comparison_state).collect(),
            table: order.iter().map(row).collect(),
            log_remarks: first_games
                .map(|lineup| format!("{}: {}", lineup.name, lineup.format_results()))
                .collect(),
            ..Snapshot::from_progress("run", progress)
        }
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::screen::{STOPPING, format_body, format_head};

    fn lineup_state(name: &str, total_games: u64, games: u64, wins: u64, seconds: f64) -> LineUpState {
        LineUpState { name: name.to_owned(), total_games, games, wins, seconds, ..LineUpState::default() }
    }

    fn moment(lineups: Vec<LineUpState>) -> RunMoment {
        RunMoment { lineups, threads: 2, seconds: 10.0, ..RunMoment::default() }
    }

    fn lines_below(moment: &RunMoment, width: usize, height: usize) -> Vec<String> {
        format_body(&moment.snapshot(&moment.leaders()), width, height)
    }

    fn first_line(moment: &RunMoment, width: usize) -> (String, String) {
        format_head(&moment.snapshot(&[]), width)
    }

    fn games_in_play(games: u64, seconds: f64, moves: u64) -> Vec<GamesInPlay> {
        vec![GamesInPlay { games, seconds, moves }]
    }

    /// Makes 16 players whose names differ at the end; later players are better.
    fn sixteen_players() -> RunMoment {
        let name = |i: u64| format!("swift-expectimax weights.empty=270 rollouts=1000 depth={i}");
        moment((1..=16).map(|i| lineup_state(&name(i), 1000, 500, 30 * i, 1.0)).collect())
    }

    #[test]
    fn everything_fits_a_small_terminal() {
        let mut run = sixteen_players();
        run.comparison_state =
            "of 500 blocks: nothing is decided between two players with long names, and a wide ratio".into();
        for (width, height) in [(80, 24), (60, 24), (80, 10), (40, 6), (20, 3), (5, 1)] {
            for earlier_games in [0, 400] {
                run.lineups.iter_mut().for_each(|lineup| lineup.earlier_games = earlier_games);
                let (bar, text) = first_line(&run, width);
                assert!((bar + &text).width() <= width, "{width}: {text}");
                let lines = lines_below(&run, width, height);
                let max_lines = height.saturating_sub(2).max(1 + usize::from(earlier_games > 0));
                assert!(lines.len() <= max_lines, "{width} by {height}: {lines:#?}");
                assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
            }
        }
    }

    #[test]
    fn leaders_come_first_and_names_keep_what_differs() {
        let run = sixteen_players();
        let lines = lines_below(&run, 80, 12);
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "  swift-expectimax … depth=16  500  wins  96.0 % [93.9, 97.4]");
        assert!(lines[8].contains("depth=8 "), "{lines:#?}");
        assert_eq!(lines[9], "  … and 7 more");
        let mut forfeits = moment(vec![LineUpState { forfeits: 1, ..lineup_state("a", 10, 5, 0, 1.0) }]);
        assert!(lines_below(&forfeits, 80, 24)[0].ends_with("]  1 forfeit"));
        forfeits.lineups[0].forfeits = 3;
        assert!(lines_below(&forfeits, 80, 24)[0].ends_with("]  3 forfeits"));
        // Among players without wins, the one with better scores leads.
        let mut tied = moment(vec![
            lineup_state("a", 10, 5, 0, 1.0),
            lineup_state("b", 10, 5, 0, 1.0),
            lineup_state("c", 10, 0, 0, 0.0),
        ]);
        (tied.lineups[0].points, tied.lineups[1].points) = (500, 700);
        assert_eq!(tied.leaders(), [1, 0, 2]);
    }

    /// One player takes a thousand times as long as the other.
    #[test]
    fn time_left_is_that_of_the_games_that_are_left() {
        let slow = lineup_state("slow", 100, 10, 0, 100.0);
        let fast = lineup_state("fast", 100, 90, 0, 0.9);
        let run = moment(vec![fast.clone(), slow.clone()]);
        // 90 games of 10 s, and 10 of 0.01 s, on two threads.
        assert_eq!(run.time_left(), (Duration::from_secs_f64(450.05), true));
        assert_eq!(run.progress().pace_words()[1], "7:30 left");
        // Time spent on games in play is subtracted.
        let mut playing = run.clone();
        playing.lineups[1].in_play = games_in_play(1, 4.0, 100);
        assert_eq!(playing.time_left(), (Duration::from_secs_f64(448.05), true));
        // A single last game is played by one thread.
        let mut last = moment(vec![lineup_state("slow", 11, 10, 0, 100.0)]);
        last.lineups[0].in_play = games_in_play(1, 4.0, 100);
        assert_eq!(last.time_left(), (Duration::from_secs(6), true));
        // A game that takes much longer than earlier ones makes it a lower bound.
        let mut overdue = moment(vec![lineup_state("hangs", 100, 10, 0, 1.0)]);
        overdue.lineups[0].in_play = games_in_play(1, 21.0, 5);
        assert_eq!(overdue.progress().pace_words()[1], "≥ 1:29 left");
        // Before the first game ends, its time so far is a lower bound.
        let mut first = moment(vec![fast, lineup_state("slow", 100, 0, 0, 0.0)]);
        first.lineups[1].in_play = games_in_play(1, 20.0, 321);
        assert_eq!(first.progress().pace_words()[1], "≥ 16:30 left");
        assert!(lines_below(&first, 80, 24)[1].ends_with("first game: 321 moves"));
    }

    #[test]
    fn the_bar_gives_way_to_numbers() {
        let mut run = sixteen_players();
        run.lineups[0].seconds = 1000.0;
        let (bar, text) = first_line(&run, 80);
        assert_eq!((bar.width(), &*text), (28, " 50 %  8,000 of 16,000 games  800 games/s  8:27 left"));
        let (bar, text) = first_line(&run, 60);
        assert_eq!((bar.width(), &*text), (21, " 50 %  8,000 of 16,000 games  8:27 left"));
        assert_eq!(first_line(&run, 20), (String::new(), " 50 %  8:27 left".to_owned()));
        run.is_stopping = true;
        assert_eq!(first_line(&run, 80).1, format!(" 50 %  {STOPPING}"));
    }

    #[test]
    fn what_was_there_counts_and_speed_is_of_this_session() {
        let mut run = moment(vec![lineup_state("a", 1000, 50, 90, 20.0), lineup_state("b", 1000, 0, 0, 0.0)]);
        run.lineups[0].earlier_games = 400;
        let lines = lines_below(&run, 80, 24);
        assert_eq!(lines[0], "  400 games played before, 1,550 remaining");
        assert_eq!(lines[1], "  a  450  wins  20.0 % [16.6, 23.9]");
        // A player with only earlier games is ranked by them.
        run.lineups[1] = LineUpState { earlier_games: 400, wins: 300, ..lineup_state("b", 1000, 0, 0, 0.0) };
        assert_eq!(run.leaders(), [1, 0]);
        run.lineups.truncate(1);
        assert_eq!(first_line(&run, 80).1, " 45 %  450 of 1,000 games  5.0 games/s  1:50 left");
        assert_eq!(
            run.snapshot(&[]).log_line(),
            "450 of 1,000 games, 5.0 games/s, 1:50 left; 400 games played before, 550 remaining"
        );
    }

    #[test]
    fn a_log_tells_of_first_games() {
        let mut run = moment(vec![lineup_state("a", 10, 0, 0, 0.0), lineup_state("b", 10, 5, 0, 5.0)]);
        run.lineups[0].in_play = games_in_play(1, 30.0, 12_345);
        run.comparison_state = "nothing is decided".to_owned();
        assert_eq!(
            run.snapshot(&[]).log_line(),
            "5 of 20 games, 0.5 games/s, ≥ 2:17 left; nothing is decided; a: first game: 12,345 moves"
        );
    }
}
