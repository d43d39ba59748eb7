// Plays 2048: makes the first legal move of down, left, right and up.
// The protocol is docs/PROTOCOL.md of gauntlet. To compile:
// rustc -O -o first first.rs
use std::io::{BufRead, stdin};

fn choose(board: &[u32]) -> &'static str {
    // Returns true if a tile can move one step. `place` returns the cell at a step of a line.
    let slides = |place: fn(usize, usize) -> usize| {
        (0..4).any(|line| {
            (0..3).any(|step| {
                let (tile, next) = (board[place(line, step)], board[place(line, step + 1)]);
                tile != 0 && (next == 0 || tile == next)
            })
        })
    };
    if slides(|line, step| 4 * step + line) {
        "down"
    } else if slides(|line, step| 4 * line + 3 - step) {
        "left"
    } else if slides(|line, step| 4 * line + step) {
        "right"
    } else {
        "up"
    }
}

fn main() {
    for line in stdin().lock().lines() {
        let line = line.expect("a line of text");
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["gauntlet", ..] => println!("ready first.rs 1"),
            ["move", game, ref words @ ..] => {
                let board: Vec<u32> = words[..16].iter().map(|cell| cell.parse().expect("a tile")).collect();
                println!("{game} {}", choose(&board)); // println! flushes
            }
            _ => {}
        }
    }
}
