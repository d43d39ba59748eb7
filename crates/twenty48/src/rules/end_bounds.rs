//! Bounds on how a game can end, which detect records that contradict the rules.
//!
//! Let N be the number of spawned tiles in a game, two at the start and one per move, each worth 2
//! or 4. (With a stale law, fewer tiles may spawn, so N is only an upper bound.) Let V be the value
//! of the start board, 0 if it is empty. All tiles together then have a value S with
//! V + 2N <= S <= V + 4N. The potential P is the sum of (r - 1) 2^r over the tiles 2^r. The score
//! is P minus 4 for each spawned 4, minus the potential of the start board
//! (see [`Board::potential`]).
//!
//! [`Board::potential`]: super::Board::potential

use super::cells::{MAX_RANK, max_rank_of};
use super::start_board::StartBoard;

/// Returns the maximum value of the tiles of a board whose largest is 2^rank, and their maximum
/// potential.
const fn max_value_and_potential(rank: u32) -> (u64, u64) {
    let (mut value, mut potential) = (0, 0);
    let mut i = 0;
    while i < 16 {
        let highest = max_rank_of(i) as u32;
        let r = if rank < highest { rank } else { highest };
        value += 1 << r;
        potential += (r as u64 - 1) << r;
        i += 1;
    }
    (value, potential)
}

/// [`max_value_and_potential`] by rank.
const MAX_VALUE_AND_POTENTIAL: [(u64, u64); MAX_RANK as usize + 1] = {
    let mut table = [(0, 0); MAX_RANK as usize + 1];
    let mut rank = 1;
    while rank < table.len() {
        table[rank] = max_value_and_potential(rank as u32);
        rank += 1;
    }
    table
};

/// Returns the minimum potential of at most sixteen tiles with this total value: that of sixteen
/// tiles as equal as possible.
const fn min_potential(value: u64) -> u64 {
    if value < 32 {
        return 0;
    }
    let r = (value / 16).ilog2() as u64;
    // Each of the sixteen that is 2^(r+1) instead of 2^r adds 2^r to the value and (r + 1) 2^r to
    // the potential.
    16 * ((r - 1) << r) + (value - (16 << r)) * (r + 1)
}

/// Returns why no game can end with these numbers, if so. At least `min_tiles` tiles spawned since
/// the start board. `is_stuck`: nothing can move.
pub(super) fn invalid_reason(
    start: StartBoard,
    max_tile: i64,
    score: u64,
    moves: u32,
    min_tiles: u64,
    is_stuck: bool,
) -> Option<String> {
    let Some(rank) = tile_rank(max_tile) else {
        return Some(format!("{max_tile} is not a tile of 2048"));
    };
    let tile_count = u64::from(moves) + 2;
    let start_value = 2 * start.count_twos();
    let min_value = start_value + 2 * min_tiles;
    let all_points = score.saturating_add(start.potential());
    let (max_value, max_potential) = MAX_VALUE_AND_POTENTIAL[rank as usize];
    // With two tiles on the board there is one besides the largest. If nothing can move there are
    // fifteen, and no two neighbours are equal, so at least half of the sixteen are more than 2.
    let (other_value, board_tiles) = if is_stuck { (8 * 2 + 7 * 4, 16) } else { (2, 2) };
    let rank = u64::from(rank);
    let is_possible = rank >= start.max_rank().into()
        && min_value <= max_value
        && start_value + 4 * tile_count >= (1 << rank) + other_value
        && start.count_tiles() + tile_count >= board_tiles;
    if !is_possible {
        return Some(format!("no game of {moves} moves ends with a largest tile of {max_tile}"));
    }
    // Minimum: as many 4s as possible were spawned and merged into the largest tile.
    let min_score = ((rank - 1) << rank).saturating_sub((4 * tile_count).min(1 << rank));
    if all_points < min_score || all_points > max_potential || !score.is_multiple_of(4) {
        return Some(format!("no game ends with {score} points and a largest tile of {max_tile}"));
    }
    // A 4 instead of a 2 adds 2 to the value of the tiles, and so up to 2 (rank - 1) to P, of which
    // 4 are no points.
    let max_spawned = (2 * tile_count * (rank - 1)).max(4 * tile_count * rank.saturating_sub(2));
    let max_score = start_value * (rank - 1) + max_spawned;
    if all_points < min_potential(min_value) || all_points > max_score {
        return Some(format!("no game of {moves} moves ends with {score} points"));
    }
    None
}

/// Returns the rank of a tile that a game can end with.
fn tile_rank(tile: i64) -> Option<u32> {
    let is_tile = (2..=1 << MAX_RANK).contains(&tile) && tile.count_ones() == 1;
    is_tile.then(|| tile.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{self, EndedBy, Game as _, GameResult, Outcome, RandomPlay};
    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::rules::Twenty48;
    use crate::rules::settings::{EndCondition, IdleMoves, Rules, SpawnLaw, WinCriterion};

    fn build_result(max_tile: i64, score: u64, moves: u32) -> GameResult {
        let outcome = Outcome::Points { score, won: max_tile >= 2048 };
        GameResult { ended_by: EndedBy::Rules, outcome, facts: [max_tile, 0], moves }
    }

    #[track_caller]
    fn check(rules: &Rules, result: GameResult, expected: Option<&str>) {
        let actual = Twenty48::invalid_reason(rules, &result);
        match expected {
            None => assert_eq!(actual, None, "{result:?}"),
            Some(part) => {
                assert!(actual.as_ref().is_some_and(|reason| reason.contains(part)), "{result:?}: {actual:?}")
            }
        }
    }

    #[test]
    fn what_no_game_can_come_to_is_found() {
        let rules = Rules::default();
        check(&rules, build_result(128, 1380, 130), None);
        for tile in [i64::MIN, -2, 0, 1, 3, 96, 262_144, 1 << 62, i64::MAX] {
            check(&rules, build_result(tile, 1380, 130), Some("is not a tile of 2048"));
        }
        check(&rules, build_result(128, 1380, 33), Some("no game of 33 moves"));
        check(&rules, build_result(128, 1380, 1023), Some("no game of 1023 moves"));
        check(&rules, build_result(128, 636, 130), Some("no game ends with 636 points"));
        check(&rules, build_result(128, 1381, 130), Some("no game ends with 1381 points"));
        check(&rules, build_result(128, u64::MAX - 3, 130), Some("points and a largest tile"));
        check(&rules, build_result(131_072, 3_932_168, 65_600), Some("points and a largest tile"));
        check(&rules, build_result(128, 4000, 130), Some("no game of 130 moves ends with 4000 points"));
        check(&rules, build_result(128, 644, 300), Some("no game of 300 moves ends with 644 points"));
        check(&rules, build_result(131_072, 2_000_000, u32::MAX), Some("no game of 4294967295 moves"));
        let lost_outcome = Outcome::Points { score: 20_000, won: false };
        check(
            &rules,
            GameResult { outcome: lost_outcome, ..build_result(2048, 0, 950) },
            Some("must be won"),
        );
        let won_outcome = Outcome::Points { score: 1380, won: true };
        check(
            &rules,
            GameResult { outcome: won_outcome, ..build_result(128, 0, 130) },
            Some("cannot be won"),
        );
        check(
            &rules,
            GameResult { outcome: Outcome::Drawn, ..build_result(128, 0, 130) },
            Some("end with points"),
        );
        check(
            &rules,
            GameResult { ended_by: EndedBy::Until, ..build_result(128, 1380, 130) },
            Some("`until`"),
        );
        let until_win = Rules { until: EndCondition::Win, win: 256.try_into().expect("a tile"), ..rules };
        check(&until_win, build_result(512, 4400, 280), Some("must be won"));
        let won_outcome = Outcome::Points { score: 2300, won: true };
        check(&until_win, GameResult { outcome: won_outcome, ..build_result(256, 0, 150) }, Some("`until`"));
        check(
            &until_win,
            GameResult { outcome: won_outcome, ended_by: EndedBy::Until, ..build_result(256, 0, 150) },
            None,
        );
    }

    #[test]
    fn games_from_a_start_board_have_its_tiles() {
        let start: StartBoard = "1024 512 256 128  0 0 0 0  0 0 0 0  0 0 0 0".parse().expect("a board");
        let rules = Rules { start, ..Rules::default() };
        check(&rules, build_result(1024, 640, 70), None);
        for rules in [&rules, &Rules::default()] {
            check(rules, build_result(512, 640, 70), Some("no game"));
            check(rules, build_result(2048, 640, 30), Some("no game of 30 moves ends with a largest tile"));
        }
        check(&Rules::default(), build_result(1024, 640, 70), Some("no game of 70 moves"));
        // The tiles of the start board were not spawned, so they earn no points.
        check(&rules, build_result(1024, 2800, 32), Some("no game of 32 moves ends with 2800 points"));
        check(&rules, build_result(1024, 16, 9), Some("no game of 9 moves ends with a largest tile"));
    }

    /// Games with the largest possible numbers.
    #[test]
    fn the_longest_game_is_possible() {
        let rules = Rules::default();
        check(&rules, build_result(131_072, 3_932_100, 131_038), None);
        check(&rules, build_result(131_072, 3_866_624, 65_534), None);
    }

    /// The board with the minimum potential is found by search: among all boards of sixteen tiles
    /// with this total value.
    #[test]
    fn the_least_potential_is_that_of_equal_tiles() {
        let potential =
            |ranks: &[u32]| ranks.iter().map(|&r| u64::from(r.saturating_sub(1)) << r).sum::<u64>();
        let mut ranks = vec![1u32; 16];
        // Double one tile after another, smallest first: no other way gives less.
        for _ in 0..200 {
            let value = ranks.iter().map(|&r| 1u64 << r).sum();
            assert_eq!(min_potential(value), potential(&ranks), "{ranks:?}");
            let smallest = ranks.iter_mut().min().expect("sixteen");
            *smallest += 1;
        }
    }

    /// Start boards: small, full of pairs, and with large tiles.
    const STARTS: [&str; 4] = [
        "4 4 4 4  2 . . .  . . . .  . . . .",
        "2 2 2 2  2 2 2 2  2 2 2 2  2 2 . .",
        "4 4 4 4  4 4 4 4  2 2 2 2  2 2 . .",
        "65536 32768 16384 8192  . 2 4 .  . . . .  . . . .",
    ];

    /// Every position of games by all rules is possible, since a player may give up anywhere.
    #[test]
    fn games_that_are_played_have_no_flaw() {
        let tile = |value: i64| value.try_into().expect("a tile");
        let board = |text: &str| text.parse().expect("a board");
        let mut rules_list = Vec::new();
        for win_by in [WinCriterion::Tile, WinCriterion::Gain] {
            for until in [
                EndCondition::GameOver,
                EndCondition::Win,
                EndCondition::Tile(tile(64)),
                EndCondition::Tile(tile(128)),
            ] {
                for idle_moves in [IdleMoves::Illegal, IdleMoves::Spawn] {
                    for win in [8, 32, 64] {
                        let rules = Rules { win: tile(win), win_by, until, idle_moves, ..Rules::default() };
                        rules_list.push(rules);
                        rules_list.push(Rules { spawn: SpawnLaw::Stale, ..rules });
                        rules_list.push(Rules { start: board(STARTS[0]), ..rules });
                    }
                }
            }
            for start in STARTS {
                let rules = Rules { win: tile(131_072), win_by, start: board(start), ..Rules::default() };
                rules_list.extend([SpawnLaw::Uniform, SpawnLaw::Stale].map(|spawn| Rules { spawn, ..rules }));
                let four = serde_json::from_str("1").expect("a probability");
                rules_list.push(Rules { four, idle_moves: IdleMoves::Spawn, ..rules });
            }
        }
        let mut stopped_count = 0;
        for (i, rules) in
            (0..).zip(&rules_list).filter(|(_, rules)| game::Rules::contradiction(*rules).is_none())
        {
            for game in 0..30 {
                let seed = Seed::root(i).child("game", game);
                let (mut game_rng, mut player_rng) =
                    (seed.child("world", 0).rng(), seed.child("dice", 0).rng());
                let mut position = Twenty48::start(rules, &mut game_rng);
                loop {
                    let is_over = position.to_move().is_none();
                    let ended_by = match (is_over, position.state().is_cut_short) {
                        (false, _) => EndedBy::Other,
                        (true, true) => EndedBy::Until,
                        (true, false) => EndedBy::Rules,
                    };
                    let (outcome, facts) = (position.state().outcome, position.state().facts);
                    let result = GameResult { ended_by, outcome, facts, moves: position.state().moves };
                    assert_eq!(
                        Twenty48::invalid_reason(rules, &result),
                        None,
                        "{rules:?} {result:?}\n{position}"
                    );
                    stopped_count += u32::from(ended_by == EndedBy::Until);
                    if is_over {
                        break;
                    }
                    let mv = position.random_move(&mut player_rng).expect("it is not over");
                    position.play(mv, &mut game_rng).expect("a random move is legal");
                }
            }
        }
        assert!(stopped_count > 100, "{stopped_count}");
    }
}
