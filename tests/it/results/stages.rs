//! Stages of games of 2048, found from the ends of games, agree with the boards of the games.

use gauntlet::game::{Game, Rules as _};
use gauntlet::players::random;
use gauntlet::twenty48::players::{expectimax, greedy};
use gauntlet::twenty48::rules::{Rules, Twenty48};

use crate::bench::Folder;
use crate::self_play;

fn rules(settings: &str) -> Rules {
    toml::from_str(settings).expect("rules")
}

/// Returns the smallest tile of each stage.
fn tiles(goal: i64) -> Vec<u32> {
    rules("win = 131072")
        .stages(goal)
        .iter()
        .filter_map(|name| name.rsplit('-').next()?.parse().ok())
        .collect()
}

/// Returns the number of stages whose tiles are all on the board.
fn stages_on_board(position: &Twenty48, tiles: &[u32]) -> usize {
    let cells = position.board().cells();
    let (goal, stage_tiles) = tiles.split_last().expect("a goal");
    if cells.max_tile() >= *goal {
        return tiles.len();
    }
    stage_tiles.iter().take_while(|&&tile| cells.has_rank(tile.ilog2() as u8)).count()
}

/// Plays games, and returns how many are assigned to a stage after the one that their boards show.
/// No game may be assigned to an earlier stage.
fn count_overestimates(player: &mut dyn gauntlet::player::Player<Twenty48>, goal: i64, games: u64) -> u64 {
    let (rules, tiles) = (rules("win = 131072"), tiles(goal));
    let overestimates = (0..games).filter(|&block| {
        let mut shown_stages = 0;
        let final_position = self_play::play(&mut [&mut *player], block, |_, _, position| {
            shown_stages = shown_stages.max(stages_on_board(position, &tiles))
        });
        let end = final_position.state();
        let counted_stages = rules.count_stages_reached(goal, end.outcome, &end.facts, end.moves);
        assert!(
            counted_stages >= shown_stages,
            "{counted_stages} of {shown_stages} stages in game {block} to {goal}"
        );
        // The largest tile determines whether the first stage and the last stage were reached.
        assert!(
            (counted_stages > 0) == (shown_stages > 0)
                && (counted_stages == tiles.len()) == (shown_stages == tiles.len())
        );
        counted_stages > shown_stages
    });
    overestimates.count() as u64
}

#[test]
fn no_game_that_reached_a_stage_is_missed() {
    for goal in [32, 128, 256, 512, 1024] {
        count_overestimates(&mut *self_play::build_player::<random::Config>("{}"), goal, 300);
        count_overestimates(&mut *self_play::build_player::<greedy::Config>("{}"), goal, 300);
    }
}

#[test]
fn few_games_of_a_good_player_are_counted_too_far() {
    let mut player = self_play::build_player::<expectimax::Config>(r#"{"depth":2}"#);
    for goal in [1024, 2048] {
        let overestimates = count_overestimates(&mut *player, goal, 300);
        assert!(overestimates <= 6, "{overestimates} of 300 games to {goal}");
    }
}

#[test]
fn stages_lead_to_the_goal_but_not_beyond_the_winning_tile() {
    let names = |goal, settings: &str| rules(settings).stages(goal).join(" ");
    let expected = "16384 16384-8192 16384-4096 16384-2048 16384-1024 16384-512 32768";
    assert_eq!(names(32768, "win = 131072"), expected);
    assert_eq!(names(32768, ""), "1024 1024-512 1024-256 1024-128 1024-64 1024-32 2048");
    assert_eq!(names(128, ""), "64 64-32 128");
    assert_eq!(names(8, ""), "4 8");
    assert_eq!([names(4, ""), names(32768, "spawn = 'stale'")], ["", ""]);
}

/// The first stage and the last agree with the other tables.
#[test]
fn stages_are_a_table_of_a_run() {
    let folder = Folder::new();
    let header = "seed = 1\ngames = 40\n";
    let players =
        "[[player]]\nname = 'g'\nalgorithm = 'greedy'\n[[player]]\nname = 'r'\nalgorithm = 'random'\n";
    folder.play("x.toml", format!("name = 'x'\ngame = '2048'\nwin = 256\n{header}{players}"));
    let table = |name: &str| -> Vec<Vec<String>> {
        let csv =
            folder.run(&format!("report results/x --table {name} --format csv")).assert_status(0).stdout;
        csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let (stages, tiles, rates) = (table("stages"), table("max-tile"), table("win-rate"));
    assert_eq!(
        stages.iter().map(|row| &*row[1]).collect::<Vec<_>>()[..4],
        ["128", "128-64", "128-32", "256"]
    );
    assert_eq!(stages.len(), 8);
    for (player, player_stages) in ["g", "r"].iter().zip(stages.chunks(4)) {
        assert!(player_stages.iter().all(|row| row[0] == *player));
        let tile = tiles.iter().find(|row| row[0] == *player && row[1] == "128").expect("a row of 128");
        let wins = rates.iter().find(|row| row[0] == *player).expect("a player");
        assert_eq!([&player_stages[0][2], &player_stages[3][2]], [&tile[4], &wins[2]]);
        let number = |text: &String| text.parse::<f64>().expect("a number");
        for pair in player_stages.windows(2) {
            let [reached, next] = [0, 1].map(|stage| number(&pair[stage][2]));
            assert!(reached >= next && (number(&pair[0][6]) - next / reached).abs() < 1e-6);
        }
        assert_eq!(player_stages[3][6], "");
    }
    folder.run("report results/x --out x.html").assert_status(0);
    assert!(folder.read("x.html").contains("Stages reached"));
    folder.write("d.md", "<!-- gauntlet results/x stages:1-4 -->\n<!-- /gauntlet -->\n");
    folder.run("report --splice d.md").assert_status(0);
    assert!(folder.read("d.md").contains("| g | 128-64 |"));

    let duel = players.replace("greedy", "gomoku-greedy");
    folder.play(
        "duel.toml",
        format!("name = 'duel'\ngame = 'gomoku'\nsize = 7\n{}{duel}", header.replace("40", "2")),
    );
    folder.run("report results/duel --table stages").assert_status(1).assert_says("have no stages");
}
