//! Tables compared with plain recursions on whole boards, and their files.

use std::collections::BTreeMap;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use gauntlet_core::disk::system_disk;
use gauntlet_core::player::Preparation;
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::{Board, Cells, Direction};
use rayon::ThreadPoolBuilder;

use crate::answers::{Answer, ORDER, Source, TableFolder, parse_sources};
use crate::build::{BuildEnd, Builder, SETS};
use crate::exact_rule::{ExactRule, Shape};
use crate::format::{DIGEST_LENGTH, ENTRY_LENGTH, Entry};
use crate::image::Image;
use crate::kind::{Coverage, Kind};
use crate::macroxue::{MacroxueRule, MacroxueShape};
use crate::rule::{Rule, Values};
use crate::table::{AnyRule, Table};
use crate::values::{compute_means, compute_values, legal_slides};

/// New folder of a test, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gauntlet-endgame-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn builder(&self, kind: Kind, coverage: Coverage) -> Builder {
        let (disk, folder, memory) = (system_disk(), self.0.clone(), u64::MAX);
        Builder { disk, folder, kind, coverage, memory }
    }

    fn build(&self, kind: Kind, coverage: Coverage) -> anyhow::Result<BuildEnd> {
        self.builder(kind, coverage).build(&mut |_| ())
    }

    /// Returns the path of a table, built if it is not there.
    fn build_if_missing(&self, kind: Kind) -> PathBuf {
        self.build(kind, Coverage::All).expect("a table");
        self.0.join(kind.file_name())
    }

    fn build_new(&self, kind: Kind, coverage: Coverage) -> PathBuf {
        let end = self.build(kind, coverage).expect("a table");
        assert_eq!(end, BuildEnd::Built(self.0.join(kind.file_name())));
        self.0.join(kind.file_name())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exact recursion on whole boards: the best probability that a free cell gets the target.
struct BoardRecursion {
    shape: Shape,
    /// Largest sum of the free tiles; a larger one is lost.
    max_sum: u64,
    locked_cells: &'static [usize],
    target: u8,
    cache: BTreeMap<Cells, f64>,
}

impl BoardRecursion {
    fn probability(&mut self, cells: Cells) -> f64 {
        let free_cells: Vec<usize> = (0..16).filter(|cell| !self.locked_cells.contains(cell)).collect();
        let sum: u64 = free_cells.iter().map(|&cell| u64::from(cells.values()[cell])).sum();
        if sum > self.max_sum {
            return 0.0;
        }
        if let Some(&probability) = self.cache.get(&cells) {
            return probability;
        }
        let moves = Direction::ALL.map(|direction| self.probability_after(cells, direction).unwrap_or(0.0));
        let best = moves.into_iter().fold(0.0, f64::max);
        self.cache.insert(cells, best);
        best
    }

    /// Returns the probability after a move; `None` if it changes nothing or moves a large tile.
    fn probability_after(&mut self, cells: Cells, direction: Direction) -> Option<f64> {
        let after = Board::new(cells).slide(direction)?;
        // Marks show whether another tile of the same rank took the cell of a large one.
        let mut marked_ranks = cells.ranks();
        for (&cell, mark) in self.locked_cells.iter().zip(20..) {
            marked_ranks[cell] = mark;
        }
        let marked_cells = Cells::from_ranks(marked_ranks);
        let marked_after = Board::new(marked_cells).slide(direction)?;
        let is_kept = |&cell: &usize| marked_after.cells().rank(cell) == marked_cells.rank(cell);
        if !self.locked_cells.iter().all(is_kept) {
            return None;
        }
        let free_cells: Vec<usize> = (0..16).filter(|cell| !self.locked_cells.contains(cell)).collect();
        let mut target_cells =
            free_cells.iter().filter(|&&cell| after.cells().rank(cell) == self.target).peekable();
        if target_cells.peek().is_some() {
            let is_goal = |&cell: &usize| self.shape != Shape::Row || [5, 10].contains(&cell);
            return Some(f64::from(u8::from(target_cells.any(is_goal))));
        }
        let empty: Vec<usize> =
            free_cells.into_iter().filter(|&cell| after.cells().rank(cell) == 0).collect();
        let place = |cell, rank| after.place(cell, rank).cells();
        let means = empty
            .iter()
            .map(|&cell| 0.9 * self.probability(place(cell, 1)) + 0.1 * self.probability(place(cell, 2)));
        Some(means.sum::<f64>() / empty.len() as f64)
    }
}

/// Returns a board with random free tiles below the target, and these locked tiles.
fn random_board(shape: Shape, target: u8, large: &[u8], rng: &mut Rng) -> Cells {
    let mut ranks: [u8; 16] = std::array::from_fn(|_| rng.below(u64::from(target)) as u8);
    for (&cell, &rank) in shape.cells().iter().zip(large) {
        ranks[cell] = rank;
    }
    Cells::from_ranks(ranks)
}

/// Large tiles are interchangeable. A table built with fixed locked tiles answers for any different
/// ones, in any place of the shape and in every image of the board.
#[test]
fn answers_are_those_of_full_enumeration() {
    let folder = Folder::new("enumeration");
    for (shape, target, large) in [
        (Shape::Block, 3, &[3, 4, 5, 6, 7, 8][..]),
        (Shape::Block, 3, &[9, 6, 17, 12, 3, 4]),
        (Shape::Block, 4, &[14, 9, 13, 4, 15, 10]),
        (Shape::BlockOfFive, 3, &[3, 4, 5, 6, 7]),
        (Shape::BlockOfFive, 3, &[9, 17, 12, 3, 4]),
        (Shape::Hook, 3, &[3, 4, 5, 6, 7]),
        (Shape::Hook, 3, &[9, 17, 12, 3, 4]),
        (Shape::Row, 3, &[4, 3, 5, 6, 7, 8]),
        (Shape::Row, 3, &[9, 3, 17, 12, 8, 4]),
        (Shape::Row, 4, &[7, 4, 5, 16, 10, 13]),
    ] {
        let table = Table::open(&folder.build_if_missing(Kind::Exact(shape, target))).expect("a table");
        table.check().expect("undamaged");
        let mut rng = Seed::root(7).rng();
        let mut recursion = BoardRecursion {
            shape,
            max_sum: (1 << target) + 96,
            locked_cells: shape.cells(),
            target,
            cache: BTreeMap::new(),
        };
        let mut answer_count = 0;
        for number in 0..200 {
            let cells = random_board(shape, target, large, &mut rng);
            let expected = recursion.probability(cells);
            let image = Image::all().nth(number % 8).expect("eight images");
            let image_cells = Cells::from_ranks(std::array::from_fn(|cell| cells.rank(image.cell(cell))));
            let advice =
                table.ask(image_cells, &Preparation::default()).expect("an undamaged table").advice();
            let probability = advice.map_or(0.0, |advice| advice.probability);
            assert!((probability - expected).abs() < 4e-4, "{cells:?}: {probability} {expected}");
            let Some(advice) = advice else { continue };
            answer_count += 1;
            for direction in Direction::ALL {
                let recursion_value = recursion.probability_after(cells, image.direction(direction));
                let probability = advice.moves[direction as usize];
                let is_close = |(one, other): (f64, f64)| (one - other).abs() < 4e-4;
                assert!(
                    recursion_value.is_some() == probability.is_some()
                        && recursion_value.zip(probability).is_none_or(is_close),
                    "{shape:?} {cells:?} {image:?} {direction}: {recursion_value:?} {probability:?} {advice:?}"
                );
            }
        }
        assert!(answer_count > 100, "{answer_count}");
    }
}

/// The fifth tile of a hook falls while a new 1024 takes its cell.
#[test]
fn a_target_on_a_locked_cell_is_no_win() {
    let rule = ExactRule::new(Shape::Hook, 10);
    let word = rule.locked_tiles() | 9 << 4 | 9 << 20;
    let moves: Vec<u16> = legal_slides(rule.index(), word).map(|(mv, _)| mv).collect();
    assert_eq!(moves, [2], "only a slide to the right moves no locked tile");
}

/// Boards whose tiles sum to more than the limit are lost.
#[test]
fn a_sum_over_the_limit_is_lost() {
    for max_sum in [12, 20] {
        let rule = ExactRule::with_sum(Shape::Block, 3, max_sum as usize / 2);
        let (shape, target, cache) = (Shape::Block, 3, BTreeMap::new());
        let mut recursion = BoardRecursion { shape, max_sum, locked_cells: shape.cells(), target, cache };
        let (mut twos, mut fours) = (Values::default(), Values::default());
        for layer in (0..rule.index().layers()).rev() {
            let means = compute_means(&rule, layer, [&twos, &fours], None);
            let values = compute_values(&rule, layer, &means, None);
            let rows = rule.index().rows(layer);
            let words =
                rows.flat_map(|(first, _, others)| others.iter().map(|other| first.word | other.word));
            for (word, &value) in words.zip(&values.0) {
                let word = word | rule.locked_tiles();
                let cells = Cells::from_ranks(std::array::from_fn(|cell| (word >> (4 * cell)) as u8 & 15));
                let expected = recursion.probability(cells);
                assert!((f64::from(value) / 65535.0 - expected).abs() < 4e-4, "{cells:?}");
            }
            fours = std::mem::replace(&mut twos, values);
        }
    }
}

/// Probability from an empty block with one new tile, as an independent program computed it.
#[test]
fn the_mean_over_first_tiles_is_known() {
    for (target, expected) in [(3, 0.58441), (4, 0.54031), (5, 0.53878)] {
        let folder = Folder::new(&format!("first-{target}"));
        let table = Table::open(&folder.build_new(Kind::Exact(Shape::Block, target), Coverage::All))
            .expect("a table");
        let codes = table.index().codes(0).expect("an empty block");
        let mean = f64::from(table.number(0, codes).expect("a number")) / 65535.0;
        assert!((mean - expected).abs() < 4e-5, "{target}: {mean}");
    }
}

/// The definition of macroxue's tables on whole boards.
struct MacroxueRecursion {
    shape: MacroxueShape,
    cache: BTreeMap<Cells, (f32, u16)>,
}

impl MacroxueRecursion {
    /// Returns the probability and the number of the best move.
    fn moves(&mut self, cells: Cells) -> (f32, u16) {
        if let Some(&result) = self.cache.get(&cells) {
            return result;
        }
        let mut best = (0.0, 0);
        let directions = [Direction::Up, Direction::Left, Direction::Right, Direction::Down];
        for (number, direction) in (0..).zip(directions) {
            let Some(after) = Board::new(cells).slide(direction) else { continue };
            let rank = |cell: usize| after.cells().rank(cell);
            let is_kept =
                (0..16).filter(|&cell| cells.rank(cell) > 9).all(|cell| rank(cell) == cells.rank(cell));
            let value = match self.shape.is_covered(rank) && is_kept {
                false => 0.0,
                true if self.shape.is_goal(rank) => 1.0,
                true => self.tiles(after.cells()),
            };
            if value > best.0 {
                best = (value, number);
            }
        }
        let rounded = ((best.0 * 16000.0).floor() * (1.0 / 16000.0), best.1);
        self.cache.insert(cells, rounded);
        rounded
    }

    fn tiles(&mut self, cells: Cells) -> f32 {
        let order = [8, 9, 10, 12, 13, 14, 3, 7, 11, 15];
        let empty: Vec<usize> = order.into_iter().filter(|&cell| cells.rank(cell) == 0).collect();
        let mut sums = [0.0_f32; 2];
        for &cell in &empty {
            for (sum, rank) in sums.iter_mut().zip([1, 2]) {
                let mut ranks = cells.ranks();
                ranks[cell] = rank;
                *sum += self.moves(Cells::from_ranks(ranks)).0;
            }
        }
        ((f64::from(sums[0]) * 0.9 + f64::from(sums[1]) * 0.1) / empty.len() as f64) as f32
    }
}

/// The layers of the largest sums equal the definition.
#[test]
fn macroxues_tables_follow_their_definition() {
    for (shape, layers) in [(MacroxueShape::Ten, 330), (MacroxueShape::Eleven, 75)] {
        let rule = MacroxueRule::new(shape);
        let index = rule.index();
        let mut recursion = MacroxueRecursion { shape, cache: BTreeMap::new() };
        let (mut twos, mut fours) = (Values::default(), Values::default());
        let (mut count, mut positive) = (0, 0);
        for layer in (index.layers() - layers..index.layers()).rev() {
            let means = compute_means(&rule, layer, [&twos, &fours], None);
            let values = compute_values(&rule, layer, &means, None);
            let words = index
                .rows(layer)
                .flat_map(|(first, _, others)| others.iter().map(|other| first.word | other.word));
            for (word, value) in words.zip(&values.0) {
                let word = word | rule.locked_tiles();
                let cells = Cells::from_ranks(std::array::from_fn(|cell| (word >> (4 * cell)) as u8 & 15));
                let (probability, mv) = recursion.moves(cells);
                let probability = (probability * 16000.0).round() as u16;
                let expected = if probability > 0 { probability << 2 | mv } else { 0 };
                assert_eq!(*value, expected, "{shape:?} {cells:?}");
                count += 1;
                positive += u32::from(probability > 0);
            }
            fours = std::mem::replace(&mut twos, values);
        }
        assert!(positive > 1000, "{shape:?}: {positive} of {count}");
    }
}

/// A small table of macroxue's shape answers with the stored number. Each board is asked on one of
/// its eight images.
#[test]
fn small_tables_of_macroxue_answer_on_any_image() {
    let kind = Kind::Macroxue(MacroxueShape::Ten);
    let limits = [0, 0, 0, 5, 0, 0, 0, 4, 5, 4, 3, 3, 3, 3, 3, 3];
    let new_rule = || MacroxueRule::with_ranks(MacroxueShape::Ten, limits, 10);
    let builds = [("macroxue-all", Coverage::All), ("macroxue-reachable", Coverage::ReachableFrom(8))];
    let tables = builds.map(|(name, coverage)| {
        let folder = Folder::new(name);
        folder.builder(kind, coverage).build_with_rule(&new_rule(), &mut |_| ()).expect("a table");
        let path = folder.0.join(kind.file_name());
        (Table::open_with(&path, |_| AnyRule::Macroxue(new_rule())).expect("a table"), folder)
    });
    let directions = [Direction::Up, Direction::Left, Direction::Right, Direction::Down];
    let mut rng = Seed::root(11).rng();
    let [mut goals, mut unknown, mut positive] = [0; 3];
    for number in 0..6000 {
        let mut ranks = limits.map(|limit| rng.below(u64::from(limit.max(1))) as u8);
        for (cell, rank) in [0, 1, 2, 4, 5, 6].into_iter().zip((5..=10).rev()) {
            ranks[cell] = rank;
        }
        let free_tiles = (0..16).filter(|&cell| limits[cell] > 0);
        let word = free_tiles.map(|cell| u64::from(ranks[cell]) << (4 * cell)).sum();
        let image = Image::all().nth(number % 8).expect("eight images");
        let cells = Cells::from_ranks(std::array::from_fn(|cell| ranks[image.cell(cell)]));
        for (table, _) in &tables {
            let answer = table.ask(cells, &Preparation::default()).expect("an undamaged table");
            let codes = table.index().codes(word).expect("a board of the table");
            if MacroxueShape::Ten.is_goal(|cell| ranks[cell]) {
                assert_eq!(answer, Answer::NotCovered, "{cells:?}");
                goals += 1;
                continue;
            }
            let Some(stored_number) = table.number(table.index().layer(codes), codes) else {
                assert_eq!(answer, Answer::Unknown, "{cells:?}");
                unknown += 1;
                continue;
            };
            let advice = answer.advice().expect("an answer");
            assert!((advice.probability * 16000.0 - f64::from(stored_number >> 2)).abs() < 1e-6);
            if stored_number > 0 {
                let expected = directions[usize::from(stored_number & 3)];
                assert_eq!(image.direction(advice.direction), expected, "{cells:?} {image:?}");
                positive += 1;
            }
        }
    }
    assert!(goals > 30 && unknown > 100 && positive > 1000, "{goals} {unknown} {positive}");
}

#[test]
fn files_do_not_depend_on_threads_or_kills() {
    let kind = Kind::Exact(Shape::Block, 4);
    for coverage in [Coverage::All, Coverage::ReachableFrom(20)] {
        let files = [1, 2].map(|threads| {
            let folder = Folder::new(&format!("threads-{threads}"));
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            fs::read(pool.install(|| folder.build_new(kind, coverage))).expect("a file")
        });
        assert_eq!(files[0], files[1]);
        // A kill leaves whole layers and a part of one.
        let folder = Folder::new("kills");
        let path = folder.build_new(kind, coverage);
        let part_path = folder.0.join(format!("{}.part", kind.file_name()));
        let mut rng = Seed::root(5).rng();
        let random_lengths = (0..30).map(|_| rng.below(files[0].len() as u64) as usize);
        for length in [0, 1, 63, files[0].len()].into_iter().chain(random_lengths) {
            fs::write(&part_path, &files[0][..length]).expect("an unfinished file");
            fs::remove_file(&path).expect("a table");
            assert!(fs::read(folder.build_new(kind, coverage)).expect("a file") == files[0], "{length}");
        }
        assert_eq!(folder.build(kind, coverage).expect("no failure"), BuildEnd::Present(path));
    }
}

/// A table of reachable boards answers as one of all boards, or says that a board is unknown.
#[test]
fn kept_boards_have_the_answers_of_a_whole_table() {
    for shape in [Shape::Block, Shape::BlockOfFive, Shape::Hook, Shape::Row] {
        let (kind, whole_folder, folder) =
            (Kind::Exact(shape, 3), Folder::new("whole"), Folder::new("reachable"));
        let whole_table = Table::open(&whole_folder.build_new(kind, Coverage::All)).expect("a table");
        let table = Table::open(&folder.build_new(kind, Coverage::ReachableFrom(4))).expect("a table");
        table.check().expect("undamaged");
        assert!(table.coverage() == Coverage::ReachableFrom(4) && table.length() < whole_table.length());
        let free_cells: Vec<usize> = (0..16).filter(|cell| !shape.cells().contains(cell)).collect();
        let (mut known_count, mut unknown_count) = (0, 0);
        for number in 0..3_u32.pow(free_cells.len() as u32) {
            let mut ranks = [0; 16];
            for (place, &cell) in (0..).zip(&free_cells) {
                ranks[cell] = (number / 3_u32.pow(place) % 3) as u8;
            }
            for (&cell, rank) in shape.cells().iter().zip([4, 3, 5, 6, 7, 8]) {
                ranks[cell] = rank;
            }
            let [answer, whole_answer] = [&table, &whole_table].map(|table| {
                table.ask(Cells::from_ranks(ranks), &Preparation::default()).expect("an undamaged table")
            });
            assert_ne!(whole_answer, Answer::Unknown, "{ranks:?}");
            match answer {
                Answer::Unknown => unknown_count += 1,
                answer => {
                    assert_eq!(answer, whole_answer, "{ranks:?}");
                    known_count += u32::from(answer != Answer::NotCovered);
                }
            }
        }
        assert!(known_count > 1000 && unknown_count > 1000, "{known_count} {unknown_count}");
    }
}

/// A table is not replaced by one with other boards. A table with more boards will do.
#[test]
fn a_table_with_fewer_boards_is_not_the_same() {
    let folder = Folder::new("coverage");
    let kind = Kind::Exact(Shape::Block, 3);
    let path = folder.build_new(kind, Coverage::ReachableFrom(8));
    for coverage in [Coverage::All, Coverage::ReachableFrom(10)] {
        let message = format!("{:#}", folder.build(kind, coverage).expect_err("too few boards"));
        assert!(message.ends_with("; move it away, or use another --folder"));
    }
    fs::remove_file(&path).expect("a table");
    folder.build_new(kind, Coverage::All);
    for coverage in [Coverage::All, Coverage::ReachableFrom(10)] {
        assert_eq!(folder.build(kind, coverage).expect("a table"), BuildEnd::Present(path.clone()));
    }
}

/// Returns what opening and checking these bytes reports.
fn check_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).expect("a file");
    let result = Table::open(path).and_then(|table| table.check());
    result.map_err(|error| format!("{error:#}"))
}

#[test]
fn every_damaged_byte_is_reported_in_a_line() {
    let folder = Folder::new("damage");
    let path = folder.build_new(Kind::Exact(Shape::Block, 3), Coverage::ReachableFrom(8));
    let bytes = fs::read(&path).expect("a file");
    assert_eq!(check_bytes(&path, &bytes), Ok(()));
    let header_length = bytes.iter().position(|&byte| byte == 0).expect("a layer");
    let directory = bytes.len() - Table::open(&path).expect("a table").layers() * 56 - 32;
    let mut rng = Seed::root(1).rng();
    let random_positions: Vec<usize> = (0..1000).map(|_| rng.below(bytes.len() as u64) as usize).collect();
    for position in (0..header_length).chain(directory..bytes.len()).chain(random_positions) {
        let mut damaged_bytes = bytes.clone();
        damaged_bytes[position] ^= 1 << rng.below(8);
        let message = check_bytes(&path, &damaged_bytes).expect_err("damage");
        assert!(!message.contains('\n') && message.contains("block-10-8.endgame"), "{position}: {message}");
    }
    for length in [0, 1, header_length, bytes.len() / 2, bytes.len() - 1] {
        let message = check_bytes(&path, &bytes[..length]).expect_err("a part");
        assert!(!message.contains('\n'), "{message}");
    }
    assert!(check_bytes(&path, &[&bytes[..], &[0]].concat()).is_err(), "a byte too many");
}

/// Flips a bit of a layer. Size and modification time of the file stay as they were.
#[cfg(unix)]
fn damage_layer(path: &Path, layer: usize) {
    let mut bytes = fs::read(path).expect("a table");
    let layers = Table::open(path).expect("a table").layers();
    let directory = bytes.len() - layers * ENTRY_LENGTH - DIGEST_LENGTH;
    let entry = Entry::from_bytes(&bytes[directory + layer * ENTRY_LENGTH..]);
    bytes[entry.content() as usize + 1] ^= 4;
    let file = fs::File::options().write(true).open(path).expect("a table");
    let time = file.metadata().and_then(|file| file.modified()).expect("a time");
    file.write_all_at(&bytes, 0).expect("a table");
    file.set_modified(time).expect("a time");
}

/// A layer is checked before its first answer, and no other layer is.
#[cfg(unix)]
#[test]
fn damage_is_found_before_an_answer_from_it() {
    let folder = Folder::new("layers");
    let kind = Kind::Exact(Shape::Block, 4);
    let path = folder.build_new(kind, Coverage::All);
    let mut rng = Seed::root(3).rng();
    let boards: Vec<Cells> =
        (0..300).map(|_| random_board(Shape::Block, 4, &[4, 6, 5, 8, 7, 9], &mut rng)).collect();
    let layer_of = |table: &Table, cells: Cells| {
        let free_cells = (0..16).filter(|cell| table.index().free_cells() >> (4 * cell) & 15 != 0);
        free_cells.map(|cell| u64::from(cells.values()[cell]) / 2).sum::<u64>() as usize
    };
    let preparation = Preparation::default();
    let undamaged_table = Table::open(&path).expect("a table");
    let answers: Vec<_> =
        boards.iter().map(|&cells| undamaged_table.ask(cells, &preparation).expect("no damage")).collect();
    let layer = layer_of(&undamaged_table, boards[0]);
    drop(undamaged_table);
    damage_layer(&path, layer);
    let table = Table::open(&path).expect("head and directory are undamaged");
    let mut damaged_count = 0;
    for (&cells, answer) in boards.iter().zip(&answers) {
        match table.ask(cells, &preparation) {
            Ok(advice) => {
                assert!(layer_of(&table, cells) != layer);
                assert_eq!(advice, *answer);
            }
            Err(error) => {
                assert_eq!(layer_of(&table, cells), layer);
                let message = format!("the boards of sum {} in ", 2 * layer);
                assert!(error.to_string().starts_with(&message), "{error}");
                damaged_count += 1;
            }
        }
    }
    assert!((1..boards.len()).contains(&damaged_count), "{damaged_count}");
    assert!(table.check().is_err(), "every layer is checked");
}

#[test]
fn sources_are_read_and_written() {
    for text in
        ["macroxue-11 0.9", "block-11-512 0.9", "block-10", "hook-11-512", "block-10-512 0.2", "row-10 0.05"]
    {
        assert_eq!(text.parse::<Source>().expect("a source").to_string(), text);
    }
    for (text, expected) in [
        ("block-12", "no table is named block-12; did you mean block-10?"),
        ("chain", "no table is named chain; expected block-10, block-11, hook-11, row-10"),
        ("block-10 2", "expected a probability from 0 to 1 after block-10, not 2"),
        ("block-10 often", "expected a probability"),
    ] {
        let message = text.parse::<Source>().expect_err("a mistake");
        assert!(message.contains(expected), "{message}");
    }
}

/// Answers of the original program. The tables have gigabytes, so this needs a folder with both:
/// `GAUNTLET_ENDGAMES=FOLDER cargo test --release -p gauntlet-twenty48-endgame -- --ignored`.
#[test]
#[ignore = "needs two tables of gigabytes"]
fn macroxues_tables_answer_as_his_program_does() {
    let folder = PathBuf::from(std::env::var("GAUNTLET_ENDGAMES").expect("a folder of tables"));
    let vectors = include_str!("../../../tests/it/vectors/macroxue.jsonl");
    for (kind, key) in [
        (Kind::Macroxue(MacroxueShape::Ten), "lookup10"),
        (Kind::Macroxue(MacroxueShape::Eleven), "lookup11"),
    ] {
        let table = Table::open(&folder.join(kind.file_name())).expect("a table");
        let (mut answer_count, mut equal_moves) = (0, 0);
        for line in vectors.lines() {
            let vector: serde_json::Value = serde_json::from_str(line).expect("a vector");
            let board = vector["board"].as_str().expect("a board").chars();
            let ranks: Vec<u8> = board.map(|rank| rank.to_digit(16).expect("a rank") as u8).collect();
            let cells = Cells::from_ranks(ranks.try_into().expect("16 cells"));
            let advice = table.ask(cells, &Preparation::default()).expect("an undamaged table").advice();
            let Some(expected) = vector[key].as_array() else {
                assert_eq!(advice, None, "{line}");
                continue;
            };
            let advice = advice.expect("an answer");
            let probability = expected[0].as_f64().expect("a number");
            assert!((advice.probability * 16000.0 - probability).abs() < 1.5, "{line}: {advice:?}");
            answer_count += 1;
            equal_moves += u32::from(expected[1] == advice.direction.name());
        }
        let expected = if kind == Kind::Macroxue(MacroxueShape::Ten) { 108 } else { 58 };
        assert!(
            answer_count == expected && equal_moves == answer_count,
            "{kind}: {equal_moves} of {answer_count}"
        );
    }
}

#[test]
fn a_source_answers_from_its_least_probability() {
    let folder = Folder::new("order");
    folder.build_new(Kind::Exact(Shape::Block, 3), Coverage::All);
    folder.build_new(Kind::Exact(Shape::Block, 4), Coverage::All);
    let tables = TableFolder::open(&folder.0).expect("tables");
    let cells: Cells = "2 0 0 0  0 0 0 0  2 2048 1024 16  4 64 128 128".parse().expect("a board");
    let ask = |order: &[Source], cells| {
        tables.ask(order, cells, &Preparation::default()).expect("undamaged tables")
    };
    assert_eq!(ask(&parse_sources(&["block-10"]), cells), None, "two large tiles are equal");
    let mut rng = Seed::root(3).rng();
    let boards = (0..1000).map(|_| random_board(Shape::Block, 4, &[4, 6, 5, 8, 7, 9], &mut rng));
    let answers = boards.filter_map(|cells| Some((cells, ask(&parse_sources(&["block-10"]), cells)?)));
    let (cells, advice) = answers.into_iter().find(|(_, advice)| advice.probability < 0.9).expect("a risk");
    assert_eq!(advice.kind, Kind::Exact(Shape::Block, 4));
    assert_eq!(ask(&parse_sources(ORDER), cells), None, "small targets are not in the default order");
    let ask_source = |source: &str| ask(&[source.parse().expect("a source")], cells);
    assert_eq!(ask_source("block-10"), Some(advice));
    assert_eq!(ask_source("block-10-16"), Some(advice));
    assert_eq!(ask_source("block-10-8"), None, "another target");
    assert_eq!(ask_source("row-10"), None);
    assert_eq!(ask_source("block-10 0.9"), None, "the probability is lower");
}

/// Several tables can have a board. Tables in which it is lost do not answer.
#[test]
fn the_first_source_with_a_chance_answers() {
    let folder = Folder::new("sources");
    let [six, five, row] = [(Shape::Block, 3), (Shape::BlockOfFive, 4), (Shape::Row, 3)]
        .map(|(shape, target)| Kind::Exact(shape, target));
    for kind in [six, five, row] {
        folder.build_new(kind, Coverage::All);
    }
    let tables = TableFolder::open(&folder.0).expect("tables");
    let ask = |order: &[&str], board: &str| {
        let cells = board.parse().expect("a board");
        let advice = tables.ask(&parse_sources(order), cells, &Preparation::default());
        advice.expect("undamaged tables").map(|advice| advice.kind)
    };
    // 8 is the sixth locked tile of one table and a free tile of the other.
    let both = "2 0 0 0  0 0 0 0  2 8 16 32  4 64 128 256";
    assert_eq!(ask(&["block-10", "block-11"], both), Some(six));
    assert_eq!(ask(&["block-11", "block-10"], both), Some(five));
    // Each move merges to the target in the top row, so the board is lost.
    assert_eq!(ask(&["row-10"], "4 4 2 4  2 2 4 2  16 8 2 4  32 64 128 256"), None);
    assert_eq!(ask(&["row-10"], "2 2 4 2  4 2 4 2  16 8 4 2  32 64 128 256"), Some(row));
    let target_elsewhere = "2 2 4 2  4 2 4 2  8 16 4 2  32 64 128 256";
    assert_eq!(ask(&["row-10"], target_elsewhere), None);
}

/// Players ask the tables of all sets, and `row-10`, if their order is not set.
#[test]
fn the_default_order_has_the_tables_of_the_largest_set() {
    let (_, largest_set) = SETS[SETS.len() - 1];
    let sources = parse_sources(ORDER).into_iter().map(|source| source.name());
    let mut ordered_names: Vec<String> = sources.filter(|name| name != "row-10").collect();
    let mut set_names: Vec<String> = largest_set.iter().map(Kind::to_string).collect();
    ordered_names.sort();
    set_names.sort();
    assert_eq!(ordered_names, set_names);
}

/// The smallest of the five largest tiles is the target of one shape, that of the six largest the
/// target of another.
#[test]
fn the_locked_tiles_decide_which_table_is_asked() {
    let folder = Folder::new("locked");
    folder.build_new(Kind::Exact(Shape::Block, 3), Coverage::All);
    folder.build_new(Kind::Exact(Shape::BlockOfFive, 3), Coverage::All);
    folder.build_new(Kind::Exact(Shape::Hook, 3), Coverage::All);
    let tables = TableFolder::open(&folder.0).expect("tables");
    let kind_of_answer = |board: &str| {
        let (order, cells) =
            (parse_sources(&["hook-11", "block-11", "block-10"]), board.parse().expect("a board"));
        let advice = tables.ask(&order, cells, &Preparation::default()).expect("undamaged tables");
        advice.map(|advice| advice.kind)
    };
    let five = "2 2 4 2  4 2 4 2  2 4 16 8  4 32 64 128";
    assert_eq!(kind_of_answer(five), Some(Kind::Exact(Shape::BlockOfFive, 3)));
    let hook = "2 2 4 2  4 2 4 2  2 16 8 32  2 4 64 128";
    assert_eq!(kind_of_answer(hook), Some(Kind::Exact(Shape::Hook, 3)));
    let six = "2 2 4 2  4 2 4 2  2 16 32 8  4 64 128 256";
    assert_eq!(kind_of_answer(six), Some(Kind::Exact(Shape::Block, 3)));
    let elsewhere = "2 2 4 2  4 2 4 2  2 8 16 4  4 32 64 128";
    assert_eq!(kind_of_answer(elsewhere), None, "the farthest cell is not locked");
    let equal = "2 2 4 2  4 2 4 8  2 4 16 8  4 32 64 128";
    assert_eq!(kind_of_answer(equal), None, "the sixth tile equals the fifth");
}
