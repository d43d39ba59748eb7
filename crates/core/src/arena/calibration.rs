//! Calibration loop: a fixed workload, run alongside every player, that measures the machine's
//! current speed.
//!
//! CPU time depends on what else a machine does: a busy sibling core thread, a full cache, heat.
//! Player and calibration loop slow down together, so times of different runs are compared in units
//! of this loop (`docs/METHOD.md`).
//!
//! The workload resembles a player. It slides a small 2048 board in four directions with a table of
//! rows, values each result with a second table, and takes the best. It shares no code with the
//! engine, which becomes faster from version to version. **This work never changes**: other work
//! would make all earlier times incomparable and need another [`VERSION`].

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::record::CalibrationRuns;

/// Version of the workload.
pub const VERSION: u32 = 1;

/// Reciprocal of the loop's share of a thread's CPU time, which is 1.6 %.
const SHARE_DIVISOR: u32 = 64;

/// Maximum duration of one uninterrupted calibration, so that an interrupted run ends quickly,
/// however long a move took.
const MAX_DURATION: Duration = Duration::from_millis(20);

/// Number of uncounted warm-up runs.
const WARM_UP_RUNS: u32 = 4;

/// Interval after which calibration is due, at the end of the current move.
const INTERVAL: Duration = Duration::from_millis(20);

/// Calibration loop of one thread.
pub(super) struct CalibrationLoop {
    work: Work,
    /// Time of the last calibration.
    last_calibration: (Instant, ThreadTime),
    runs: CalibrationRuns,
    slice_time: CalibrationTime,
}

/// Calibration time in a slice, which is not time of the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CalibrationTime {
    pub(super) cpu: Duration,
    pub(super) wall: Duration,
}

impl CalibrationLoop {
    pub(super) fn new() -> CalibrationLoop {
        CalibrationLoop {
            work: Work::new(),
            last_calibration: (Instant::now(), ThreadTime::now()),
            runs: CalibrationRuns::default(),
            slice_time: CalibrationTime::default(),
        }
    }

    /// Starts a batch.
    pub(super) fn start_slice(&mut self) {
        self.last_calibration = (Instant::now(), ThreadTime::now());
        self.slice_time = CalibrationTime::default();
    }

    /// Calibrates if it is due.
    #[inline]
    pub(super) fn play_if_due(&mut self, now: Instant) {
        if now - self.last_calibration.0 >= INTERVAL {
            self.play();
        }
    }

    /// Returns the calibration time so far in this slice.
    pub(super) fn time_in_slice(&self) -> CalibrationTime {
        self.slice_time
    }

    /// Returns the measurements since the batch began.
    pub(super) fn finish_slice(&mut self) -> CalibrationRuns {
        self.play();
        std::mem::take(&mut self.runs)
    }

    /// Runs the loop for its share of the thread's time since the last calibration.
    fn play(&mut self) {
        let budget = (self.last_calibration.1.elapsed() / SHARE_DIVISOR).min(MAX_DURATION);
        let (wall, cpu) = (Instant::now(), ThreadTime::now());
        // The first runs only load the tables into the cache again, and are not counted.
        (0..WARM_UP_RUNS).for_each(|_| self.work.play());
        let warm = ThreadTime::now();
        let mut run_count = 0;
        loop {
            self.work.play();
            run_count += 1;
            if cpu.elapsed() >= budget {
                break;
            }
        }
        self.runs += CalibrationRuns { count: run_count, ns: warm.elapsed().as_nanos() as u64 };
        self.slice_time.cpu += cpu.elapsed();
        self.slice_time.wall += wall.elapsed();
        self.last_calibration = (Instant::now(), ThreadTime::now());
    }
}

/// Workload: a game that continues from its last position.
struct Work {
    board: u64,
    rng_state: u64,
    tables: &'static Tables,
}

/// Turns per run: some 15 µs.
const TURNS: u32 = 128;

/// Board with a 2 in the first cell and one in the sixth.
const START: u64 = 0x10_0001;

impl Work {
    fn new() -> Work {
        Work { board: START, rng_state: 1, tables: &TABLES }
    }

    fn play(&mut self) {
        for _ in 0..TURNS {
            self.turn();
        }
    }

    fn turn(&mut self) {
        let rows = self.board;
        let columns = transpose(rows);
        let boards = [
            self.slide(rows),
            reverse_rows(self.slide(reverse_rows(rows))),
            transpose(self.slide(columns)),
            transpose(reverse_rows(self.slide(reverse_rows(columns)))),
        ];
        let mut best = (i32::MIN, START);
        for board in boards {
            if board != rows {
                let value = self.value(board) + self.value(transpose(board));
                if value > best.0 {
                    best = (value, board);
                }
            }
        }
        // A finished game restarts.
        self.board = if best.0 == i32::MIN { START } else { self.add_tile(best.1) };
    }

    fn slide(&self, board: u64) -> u64 {
        lines(board)
            .iter()
            .rev()
            .fold(0, |result, &line| result << 16 | u64::from(self.tables.moved_rows[usize::from(line)]))
    }

    fn value(&self, board: u64) -> i32 {
        lines(board).iter().map(|&line| self.tables.row_values[usize::from(line)]).sum()
    }

    /// Adds a 2 in one of the empty cells, chosen by xorshift.
    fn add_tile(&mut self, board: u64) -> u64 {
        self.rng_state ^= self.rng_state << 13;
        self.rng_state ^= self.rng_state >> 7;
        self.rng_state ^= self.rng_state << 17;
        let empty = (0..16).filter(|cell| board >> (4 * cell) & 15 == 0);
        let count = empty.clone().count() as u64;
        let cell = empty.clone().nth((self.rng_state % count.max(1)) as usize).unwrap_or(0);
        board | 1 << (4 * cell)
    }
}

/// Slid rows for all rows of four ranks, and their values.
struct Tables {
    moved_rows: Box<[u16; 1 << 16]>,
    row_values: Box<[i32; 1 << 16]>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables { moved_rows: Box::new([0; 1 << 16]), row_values: Box::new([0; 1 << 16]) };
    for line in 0..=u16::MAX {
        let ranks = [0, 4, 8, 12].map(|bit| line >> bit & 15);
        tables.moved_rows[usize::from(line)] = slide_line(ranks);
        tables.row_values[usize::from(line)] = value_of_line(ranks);
    }
    tables
});

/// Slides tiles towards the lowest rank and merges equal neighbours, each tile once.
fn slide_line(ranks: [u16; 4]) -> u16 {
    let mut moved_row = [0_u16; 4];
    let mut end = 0;
    let mut may_merge = false;
    for rank in ranks.into_iter().filter(|&rank| rank > 0) {
        if may_merge && moved_row[end - 1] == rank && rank < 15 {
            moved_row[end - 1] += 1;
            may_merge = false;
        } else {
            moved_row[end] = rank;
            end += 1;
            may_merge = true;
        }
    }
    moved_row.iter().rev().fold(0, |line, &rank| line << 4 | rank)
}

/// Values a row: empty cells are good, and neighbours that differ much are bad.
fn value_of_line(ranks: [u16; 4]) -> i32 {
    let empty = ranks.iter().filter(|&&rank| rank == 0).count() as i32;
    let steps: u16 = ranks.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
    8 * empty - i32::from(steps)
}

fn lines(board: u64) -> [u16; 4] {
    [0, 16, 32, 48].map(|bit| (board >> bit) as u16)
}

/// Reverses each row.
fn reverse_rows(board: u64) -> u64 {
    let pairs = (board & 0x0f0f_0f0f_0f0f_0f0f) << 4 | board >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    (pairs & 0x00ff_00ff_00ff_00ff) << 8 | pairs >> 8 & 0x00ff_00ff_00ff_00ff
}

/// Transposes the board.
fn transpose(board: u64) -> u64 {
    let pairs = board & 0xf0f0_0f0f_f0f0_0f0f
        | (board & 0x0000_f0f0_0000_f0f0) << 12
        | (board & 0x0f0f_0000_0f0f_0000) >> 12;
    pairs & 0xff00_ff00_00ff_00ff
        | (pairs & 0x00ff_00ff_0000_0000) >> 24
        | (pairs & 0x0000_0000_ff00_ff00) << 24
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_turn_and_rows_slide() {
        let board = 0xfedc_ba98_7654_3210;
        assert_eq!(reverse_rows(board), 0xcdef_89ab_4567_0123);
        assert_eq!(transpose(board), 0xfb73_ea62_d951_c840);
        for (line, expected) in [
            ([0, 1, 0, 1], 0x0002),
            ([1, 1, 1, 1], 0x0022),
            ([1, 1, 2, 0], 0x0022),
            ([3, 2, 1, 1], 0x0223),
            ([15, 15, 0, 2], 0x02ff),
        ] {
            assert_eq!(slide_line(line), expected, "{line:?}");
        }
    }

    /// The workload never changes: these numbers come from the first version.
    #[test]
    fn the_work_is_the_same_for_ever() {
        let mut work = Work::new();
        let boards: Vec<u64> = (0..80)
            .map(|_| {
                work.play();
                work.board
            })
            .collect();
        assert_eq!((boards[1], boards[79]), (0x0134_1245_0456_0268, 0x0015_0246_0467_137a));
    }

    #[test]
    fn it_takes_its_part() {
        let mut calibration = CalibrationLoop::new();
        calibration.start_slice();
        let start = ThreadTime::now();
        while start.elapsed() < Duration::from_millis(30) {}
        calibration.play_if_due(Instant::now());
        let first = calibration.time_in_slice();
        assert!(first.cpu >= Duration::from_micros(450), "{first:?}");
        calibration.play_if_due(calibration.last_calibration.0); // Not due.
        assert_eq!(calibration.time_in_slice(), first);
        let runs = calibration.finish_slice();
        assert!(runs.count >= 2 && runs.ns > 0, "{runs:?}");
        calibration.start_slice();
        assert_eq!(calibration.time_in_slice(), CalibrationTime::default());
        // At least one run is counted, however short the slice.
        assert_eq!(calibration.finish_slice().count, 1);
    }
}
