//! Stages of games of 2048, found from the ends of games, agree with the boards of the games.

use std::ops::RangeInclusive;

use gauntlet::game::{Game, Rules as _};
use gauntlet::players::random;
use gauntlet::twenty48::players::{expectimax, greedy};
use gauntlet::twenty48::rules::{Rules, Twenty48};

use crate::bench::Folder;
use crate::self_play;

fn rules(settings: &str) -> Rules {
    toml::from_str(settings).expect("rules")
}

/// Returns the tiles of a stage, as ranks.
fn tiles(name: &str) -> RangeInclusive<u8> {
    let rank = |tile: &str| tile.parse::<u32>().expect("a tile").ilog2() as u8;
    let (largest, smallest) = name.split_once('-').unwrap_or((name, name));
    rank(smallest)..=rank(largest)
}

/// Returns the number of stages up to the last one whose tiles are all on the board.
fn stages_on_board(position: &Twenty48, stages: &[RangeInclusive<u8>]) -> usize {
    let cells = position.board().cells();
    let is_on_board = |tiles: &RangeInclusive<u8>| tiles.clone().all(|rank| cells.has_rank(rank));
    stages.iter().rposition(is_on_board).map_or(0, |index| index + 1)
}

/// Plays games, and returns the largest tile of those that are assigned to a stage after the last
/// one that their boards show. No game may be assigned to an earlier stage.
fn find_overestimates(player: &mut dyn gauntlet::player::Player<Twenty48>, games: u64) -> Vec<u32> {
    let stages: Vec<RangeInclusive<u8>> = Rules::default().stages().iter().map(|name| tiles(name)).collect();
    let overestimates = (0..games).filter_map(|block| {
        let mut shown_stages = 0;
        let final_position = self_play::play(&mut [&mut *player], block, |_, _, position| {
            shown_stages = shown_stages.max(stages_on_board(position, &stages))
        });
        shown_stages = shown_stages.max(stages_on_board(&final_position, &stages));
        let end = final_position.state();
        let counted_stages = Rules::default().count_stages_reached(end.outcome, &end.facts, end.moves);
        assert!(counted_stages >= shown_stages, "{counted_stages} of {shown_stages} stages in game {block}");
        // The largest tile of the stage is exact.
        let cells = final_position.board().cells();
        assert_eq!(*stages[counted_stages - 1].end(), cells.max_rank());
        (counted_stages > shown_stages).then(|| cells.max_tile())
    });
    overestimates.collect()
}

#[test]
fn no_game_that_reached_a_stage_is_missed() {
    find_overestimates(&mut *self_play::build_player::<random::Config>("{}"), 1500);
    find_overestimates(&mut *self_play::build_player::<greedy::Config>("{}"), 1500);
}

#[test]
fn few_games_of_a_good_player_are_counted_too_far() {
    let mut player = self_play::build_player::<expectimax::Config>(r#"{"depth":2}"#);
    let overestimates = find_overestimates(&mut *player, 300);
    assert!(overestimates.len() <= 26, "{overestimates:?} of 300 games");
    for tile in [512, 1024] {
        assert!(overestimates.iter().filter(|&&other| other == tile).count() <= 6, "{overestimates:?}");
    }
}

/// The stages go on after the winning tile, up to the tile at which games end.
#[test]
fn all_games_have_the_same_stages() {
    let names = |settings: &str| rules(settings).stages().join(" ");
    let all = names("");
    assert!(all.starts_with("4 8 16 32 64 64-32 128 128-64 128-32 256 "), "{all}");
    assert!(all.contains(" 1024 1024-512 1024-256 1024-128 1024-64 1024-32 2048 "), "{all}");
    assert!(all.contains(" 32768 32768-16384 32768-8192 32768-4096 32768-2048 32768-1024 65536 "), "{all}");
    assert!(all.ends_with(" 131072 131072-65536 131072-32768 131072-16384 131072-8192 131072-4096"), "{all}");
    for settings in ["win = 8", "win = 131072", "win = 2048\nwin_by = 'gain'", "idle_moves = 'spawn'"] {
        assert_eq!(names(settings), all, "{settings}");
    }
    assert_eq!(names("win = 64\nuntil = 'win'"), "4 8 16 32 64");
    assert_eq!(names("win = 64\nuntil = 128"), "4 8 16 32 64 64-32 128");
    assert_eq!(names("spawn = 'stale'"), "");
}

/// A game that stops at a tile has reached its stage, and no other stage follows.
#[test]
fn a_game_that_stops_has_reached_the_last_stage() {
    let stopping = rules("win = 64\nuntil = 'win'");
    let names = stopping.stages();
    let board = "64 32 4 2 2 0 0 0 0 0 0 0 0 0 0 0";
    let position = Twenty48::set_up(&stopping, board, None).expect("a position");
    let end = position.state();
    assert_eq!(stopping.count_stages_reached(end.outcome, &end.facts, 50), names.len());
}

/// Returns the rows of a table of results, without the header.
fn read_rows(folder: &Folder, results: &str, table: &str) -> Vec<Vec<String>> {
    let command = format!("report results/{results} --table {table} --format csv");
    let csv = folder.run(&command).assert_status(0).stdout;
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The stages of one tile agree with the table of tiles.
#[test]
fn stages_are_a_table_of_a_run() {
    let folder = Folder::new();
    let header = "seed = 1\ngames = 40\n";
    let players =
        "[[player]]\nname = 'g'\nalgorithm = 'greedy'\n[[player]]\nname = 'r'\nalgorithm = 'random'\n";
    for win in [256, 2048] {
        let game = format!("name = 'x{win}'\ngame = '2048'\nwin = {win}\n");
        folder.play("x.toml", format!("{game}{header}{players}"));
    }
    let (stages, tiles) = (read_rows(&folder, "x256", "stages"), read_rows(&folder, "x256", "max-tile"));
    assert_eq!(stages, read_rows(&folder, "x2048", "stages"));
    let all_names = Rules::default().stages();
    let number = |text: &String| text.parse::<f64>().expect("a number");
    for player in ["g", "r"] {
        let rows: Vec<&Vec<String>> = stages.iter().filter(|row| row[0] == player).collect();
        let names: Vec<&str> = rows.iter().map(|row| &*row[1]).collect();
        let start = all_names.iter().position(|name| name == names[0]).expect("a stage");
        assert_eq!(names, all_names[start..start + names.len()]);
        // All games of 40 reached the first stage, but not the second; no game reached more.
        assert_eq!(rows[0][2], "40");
        assert!(rows.len() > 2 && rows[1..].iter().all(|row| (1.0..40.0).contains(&number(&row[2]))));
        assert_eq!(number(&rows[rows.len() - 1][6]), 0.0);
        for pair in rows.windows(2) {
            let [reached, next] = [0, 1].map(|stage| number(&pair[stage][2]));
            assert!(reached >= next && (number(&pair[0][6]) - next / reached).abs() < 1e-6);
        }
        for row in rows.iter().filter(|row| !row[1].contains('-')) {
            if let Some(tile) = tiles.iter().find(|tile| tile[0] == player && tile[1] == row[1]) {
                assert_eq!(row[2..6], tile[4..8]);
            }
        }
    }
    folder.run("report results/x256 --out x.html --plots plots").assert_status(0);
    let page = folder.read("x.html");
    let svg = folder.read("plots/x-stages.svg");
    assert!(page.contains("Stages reached"));
    for row in &stages {
        let [player, stage, reached_rate] = [0, 1, 3].map(|column| &row[column]);
        let reached = format!("{player}: {:.2} % [", 100.0 * number(reached_rate));
        let is_hint =
            |hint: &str| hint.starts_with(&reached) && hint.contains(&format!("of games reached {stage}"));
        for drawing in [&page, &svg] {
            assert!(drawing.contains(&format!(">\n{stage}\n</text>")), "{stage} has no row");
            assert!(drawing.split("<title>").any(is_hint), "{row:?}");
        }
    }
    folder.write("d.md", "<!-- gauntlet results/x256 stages:1-4 -->\n<!-- /gauntlet -->\n");
    folder.run("report --splice d.md").assert_status(0);
    assert!(folder.read("d.md").contains(&format!("| g | {} |", stages[1][1])));

    let duel = players.replace("greedy", "gomoku-greedy");
    folder.play(
        "duel.toml",
        format!("name = 'duel'\ngame = 'gomoku'\nsize = 7\n{}{duel}", header.replace("40", "2")),
    );
    folder.run("report results/duel --table stages").assert_status(1).assert_says("have no stages");
}
