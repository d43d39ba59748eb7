//! Laws for any bytes (`fuzz/`), tested on nearly valid bytes: random changes of the fuzzer's
//! seeds. `cargo fuzz` tests more, for longer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gauntlet::rng::{Rng, Seed};

// In `fuzz/` this module is a library.
#[expect(unreachable_pub)]
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

/// Numbers at the limits of arithmetic, and texts that are not numbers.
const EXTREMES: [&str; 14] = [
    "0",
    "-1",
    "1",
    "255",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0.9999999999999999",
    "1e308",
    "nan",
    "",
];

/// Runs a target on its seeds, and on this number of changed ones. `GAUNTLET_FUZZ=50` multiplies
/// the number by fifty.
fn check(name: &str, target: fn(&[u8]), cases: u64) {
    let factor = std::env::var("GAUNTLET_FUZZ").map_or(1, |value| value.parse().expect("a whole number"));
    let cases = factor * cases;
    let seeds = fs::read_dir(targets::package().join("seeds").join(name)).unwrap();
    let mut seeds: Vec<_> = seeds.map(|seed| seed.unwrap().path()).collect();
    seeds.sort();
    let seeds: Vec<Vec<u8>> = seeds.iter().map(|path| fs::read(path).unwrap()).collect();
    let words = fs::read_to_string(targets::package().join("dictionaries").join(name)).unwrap();
    let words: Vec<Vec<u8>> = words.lines().map(parse_word).collect();
    seeds.iter().for_each(|seed| target(seed));
    for case in 0..cases {
        let mut rng = Seed::root(2048).child(name, case).rng();
        let mut bytes = pick(&seeds, &mut rng).clone();
        for _ in 0..=rng.below(5) {
            change(&mut bytes, &seeds, &words, &mut rng);
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| target(&bytes))) {
            eprintln!("{name}, case {case}:\n{}", bytes.escape_ascii().to_string().replace("\\n", "\n"));
            resume_unwind(payload);
        }
    }
}

/// Parses a word of a dictionary in libFuzzer's format: in quotes, with `\"`, `\\` and `\xAB`.
fn parse_word(line: &str) -> Vec<u8> {
    let mut text =
        line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).expect("a word in quotes").as_bytes();
    let mut word = Vec::new();
    while let [first, rest @ ..] = text {
        text = rest;
        match (first, rest) {
            (b'\\', [b'x', high, low, rest @ ..]) => {
                let digits = [*high, *low];
                word.push(u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap());
                text = rest;
            }
            (b'\\', [literal, rest @ ..]) => {
                word.push(*literal);
                text = rest;
            }
            _ => word.push(*first),
        }
    }
    word
}

fn pick<'a, T>(items: &'a [T], rng: &mut Rng) -> &'a T {
    &items[rng.below(items.len() as u64) as usize]
}

/// Returns a random position in some bytes, or their end.
fn random_position(bytes: &[u8], rng: &mut Rng) -> usize {
    rng.below(bytes.len() as u64 + 1) as usize
}

/// Makes one random change.
fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[Vec<u8>], rng: &mut Rng) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let line = rng.below(lines.len().max(1) as u64) as usize;
    let new_bytes = match rng.below(13) {
        0 => {
            let position = random_position(bytes, rng);
            let mut bytes = bytes.clone();
            if let Some(byte) = bytes.get_mut(position) {
                *byte ^= 1 << rng.below(8);
            }
            bytes
        }
        1 => {
            let position = random_position(bytes, rng);
            [&bytes[..position], &[rng.below(256) as u8], &bytes[position..]].concat()
        }
        2 => bytes[..random_position(bytes, rng)].to_vec(),
        3 => {
            let mut ends = [random_position(bytes, rng), random_position(bytes, rng)];
            ends.sort();
            [&bytes[..ends[0]], &bytes[ends[1]..]].concat()
        }
        // Lines repeated, removed, moved, or repeated very often.
        4 | 5 if !lines.is_empty() => {
            match rng.below(4) {
                0 => lines.insert(line, lines[line]),
                1 => _ = lines.remove(line),
                2 => {
                    let other = rng.below(lines.len() as u64) as usize;
                    lines.swap(line, other);
                }
                _ => (0..rng.below(40)).for_each(|_| lines.insert(line, lines[line])),
            }
            lines.concat()
        }
        // The beginning of these lines, and the end of others.
        6 => {
            let others: Vec<&[u8]> = pick(seeds, rng).split_inclusive(|&byte| byte == b'\n').collect();
            let start = rng.below(others.len() as u64 + 1) as usize;
            [&lines[..line], &others[start..]].concat().concat()
        }
        7..=9 => {
            let numbers = find_numbers(bytes);
            if numbers.is_empty() {
                return;
            }
            let (start, end) = *pick(&numbers, rng);
            [&bytes[..start], pick(&EXTREMES, rng).as_bytes(), &bytes[end..]].concat()
        }
        // Bytes overwritten, for example in numbers.
        10 => {
            let start = random_position(bytes, rng);
            let end = bytes.len().min(start + 1 + rng.below(8) as usize);
            let byte = *pick(&[0, 1, 0x7F, 0x80, 0xFF], rng);
            [&bytes[..start], &vec![byte; end - start], &bytes[end..]].concat()
        }
        // A word inserted, or in place of a field.
        11 => {
            let position = random_position(bytes, rng);
            [&bytes[..position], pick(words, rng).as_slice(), &bytes[position..]].concat()
        }
        _ => {
            let is_border = |&byte: &u8| b",=\n:[]{}\"".contains(&byte);
            let start = random_position(bytes, rng);
            let start = start + bytes[start..].iter().position(is_border).map_or(0, |offset| offset + 1);
            let end = start + bytes[start..].iter().position(is_border).unwrap_or(0);
            [&bytes[..start], pick(words, rng).as_slice(), &bytes[end..]].concat()
        }
    };
    *bytes = new_bytes;
}

/// Returns the positions of numbers.
fn find_numbers(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        let length = bytes[position..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length > 0 {
            ranges.push((position, position + length));
        }
        position += length.max(1);
    }
    ranges
}

#[test]
fn any_configuration_is_read_or_refused() {
    check("config", targets::config, 20_000);
}

#[test]
fn any_journal_is_read_as_far_as_it_is_right() {
    check("journal", targets::journal, 4000);
}

#[test]
fn any_games_add_up_or_are_refused() {
    check("games", targets::games, 10_000);
}

#[test]
fn any_network_is_read_or_refused() {
    check("network", targets::network, 20_000);
}

#[test]
fn any_table_is_shown_as_a_table() {
    check("tables", targets::tables, 3000);
}

#[test]
fn any_question_has_one_answer() {
    check("probe", targets::probe, 3000);
}
