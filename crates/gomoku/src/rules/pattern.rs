//! Patterns of empty cells: the strength of a stone there on one line, looked up by the surrounding
//! cells.

use std::sync::LazyLock;

use super::board::Rule;

/// Pattern that a stone on an empty cell makes on one axis, together with the stones of its colour
/// there. Each is defined by the next stronger one: a three becomes a four by one more stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Pattern {
    /// No five is possible.
    None,
    /// One stone short of a two.
    One,
    /// One stone short of an open two.
    OpenOne,
    /// One stone short of a three.
    Two,
    /// One stone short of an open three.
    OpenTwo,
    /// One stone short of a four.
    Three,
    /// One stone short of an open four.
    OpenThree,
    /// Four: one cell then completes a five.
    Four,
    /// Open four: two cells or more then complete a five.
    OpenFour,
    /// The stone completes a five.
    Five,
}

/// Number of patterns.
pub const PATTERNS: usize = 10;

impl Pattern {
    /// All patterns, weakest first.
    pub const ALL: [Pattern; PATTERNS] = [
        Pattern::None,
        Pattern::One,
        Pattern::OpenOne,
        Pattern::Two,
        Pattern::OpenTwo,
        Pattern::Three,
        Pattern::OpenThree,
        Pattern::Four,
        Pattern::OpenFour,
        Pattern::Five,
    ];
}

/// Maximum number of cells on either side that affect a pattern.
pub const MAX_RADIUS: usize = 5;

impl Rule {
    /// Returns the number of cells on either side that affect a pattern. Four are needed for a row
    /// of five, and a fifth to see whether it is exactly five.
    pub const fn radius(self) -> usize {
        match self {
            Rule::Free => 4,
            Rule::Standard => MAX_RADIUS,
        }
    }

    /// Returns the pattern of each surrounding, by its key.
    ///
    /// A key has one base-3 digit per surrounding cell, from first to last. The digit is 0 for an
    /// empty cell, 1 for an own stone, and 2 for an opponent's stone or a cell off the board.
    pub fn patterns(self) -> &'static [Pattern; 1 << 16] {
        static FREE: LazyLock<Box<[Pattern; 1 << 16]>> = LazyLock::new(|| build_table(Rule::Free));
        static STANDARD: LazyLock<Box<[Pattern; 1 << 16]>> = LazyLock::new(|| build_table(Rule::Standard));
        match self {
            Rule::Free => &FREE,
            Rule::Standard => &STANDARD,
        }
    }
}

/// One more own stone makes a larger key, so the patterns that it leads to are already known.
fn build_table(rule: Rule) -> Box<[Pattern; 1 << 16]> {
    let mut table = vec![Pattern::None; 1 << 16].into_boxed_slice();
    let digit_count = 2 * rule.radius();
    for key in (0..3_usize.pow(digit_count as u32)).rev() {
        let digit = |index: usize| key / 3_usize.pow(index as u32) % 3;
        if rule.is_five(run_through_centre(rule, digit)) {
            table[key] = Pattern::Five;
            continue;
        }
        let empty_digits = (0..digit_count).filter(|&index| digit(index) == 0);
        let extensions = empty_digits.map(|index| table[key + 3_usize.pow(index as u32)]);
        let count = |pattern| extensions.clone().filter(|&next| next == pattern).count();
        let best = extensions.clone().filter(|&next| next < Pattern::Five).max().unwrap_or(Pattern::None);
        table[key] = match (count(Pattern::Five), best) {
            (2.., _) => Pattern::OpenFour,
            (1, _) => Pattern::Four,
            (0, Pattern::OpenFour) => Pattern::OpenThree,
            _ if count(Pattern::Four) > 0 => Pattern::Three,
            (0, Pattern::OpenThree) => Pattern::OpenTwo,
            (0, Pattern::Three) => Pattern::Two,
            (0, Pattern::OpenTwo) => Pattern::OpenOne,
            (0, Pattern::Two) => Pattern::One,
            _ => Pattern::None,
        };
    }
    table.try_into().expect("it has this length")
}

/// Returns the length of the own run through the centre, including the centre.
fn run_through_centre(rule: Rule, digit: impl Fn(usize) -> usize) -> u32 {
    let radius = rule.radius();
    let length_before = (0..radius).rev().take_while(|&index| digit(index) == 1).count();
    let length_after = (radius..2 * radius).take_while(|&index| digit(index) == 1).count();
    1 + length_before as u32 + length_after as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pattern of the cell `*` in a line of own stones `X`, empty cells `.` and
    /// opponent's stones `O`, with nothing outside.
    fn find_pattern(rule: Rule, line: &str) -> Pattern {
        let centre = line.find('*').unwrap() as isize;
        let radius = rule.radius() as isize;
        let digit = |position: isize| match usize::try_from(position)
            .ok()
            .and_then(|index| line.as_bytes().get(index))
        {
            Some(b'.') => 0,
            Some(b'X') => 1,
            _ => 2,
        };
        let positions = (centre - radius..centre).chain(centre + 1..=centre + radius);
        let key =
            (0..).zip(positions).map(|(power, position)| digit(position) * 3_usize.pow(power)).sum::<usize>();
        rule.patterns()[key]
    }

    #[test]
    fn lines_are_what_players_call_them() {
        for (line, free, standard) in [
            ("XXXX*", Pattern::Five, Pattern::Five),
            ("XXX*XX", Pattern::Five, Pattern::None),
            ("XXXX*X", Pattern::Five, Pattern::None),
            (".XXX*.", Pattern::OpenFour, Pattern::OpenFour),
            ("OXXX*.", Pattern::Four, Pattern::Four),
            ("X.XX*.X", Pattern::OpenFour, Pattern::OpenFour),
            ("X.XXX.*", Pattern::Four, Pattern::Four),
            ("OXX.X*.", Pattern::Four, Pattern::Four),
            ("XX.XX*", Pattern::Four, Pattern::None),
            ("..XX*..", Pattern::OpenThree, Pattern::OpenThree),
            ("O.XX*..", Pattern::OpenThree, Pattern::OpenThree),
            ("O.XX*.O", Pattern::Three, Pattern::Three),
            ("OXX*..", Pattern::Three, Pattern::Three),
            ("..X.X*..", Pattern::OpenThree, Pattern::OpenThree),
            ("O.XX*..X", Pattern::OpenThree, Pattern::Three),
            ("...X*...", Pattern::OpenTwo, Pattern::OpenTwo),
            ("OX*...", Pattern::Two, Pattern::Two),
            (".....*.....", Pattern::OpenOne, Pattern::OpenOne),
            ("O*....O", Pattern::One, Pattern::One),
            ("O*...O", Pattern::None, Pattern::None),
        ] {
            assert_eq!(find_pattern(Rule::Free, line), free, "{line}, five or more");
            assert_eq!(find_pattern(Rule::Standard, line), standard, "{line}, exactly five");
        }
    }

    #[test]
    fn a_line_read_backwards_is_the_same() {
        for rule in [Rule::Free, Rule::Standard] {
            let digit_count = 2 * rule.radius() as u32;
            for key in 0..3_usize.pow(digit_count) {
                let mirrored_key: usize = (0..digit_count)
                    .map(|index| key / 3_usize.pow(index) % 3 * 3_usize.pow(digit_count - 1 - index))
                    .sum();
                assert_eq!(rule.patterns()[key], rule.patterns()[mirrored_key]);
            }
        }
    }
}
