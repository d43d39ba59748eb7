//! Stages of games of 2048, found from the ends of games, agree with the boards of the games.

use gauntlet::game::{Game, Rules as _};
use gauntlet::players::random;
use gauntlet::twenty48::players::{expectimax, greedy};
use gauntlet::twenty48::rules::{Rules, Twenty48};

use crate::bench::Folder;
use crate::table;

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
fn on_board(position: &Twenty48, tiles: &[u32]) -> usize {
    let cells = position.board().cells();
    let (goal, before) = tiles.split_last().expect("a goal");
    if cells.max_tile() >= *goal {
        return tiles.len();
    }
    before.iter().take_while(|&&tile| cells.has_rank(tile.ilog2() as u8)).count()
}

/// Plays games, and returns how many are assigned to a stage after the one that their boards show.
/// No game may be assigned to an earlier stage.
fn counted_too_far(player: &mut dyn gauntlet::player::Player<Twenty48>, goal: i64, games: u64) -> u64 {
    let (rules, tiles) = (rules("win = 131072"), tiles(goal));
    let too_far = (0..games).filter(|&block| {
        let mut seen = 0;
        let over =
            table::play(&mut [&mut *player], block, |_, _, now| seen = seen.max(on_board(now, &tiles)));
        let end = over.standing();
        let found = rules.count_stages_reached(goal, end.outcome, &end.facts, end.moves);
        assert!(found >= seen, "{found} of {seen} stages in game {block} to {goal}");
        // The largest tile determines whether the first stage and the last stage were reached.
        assert!((found > 0) == (seen > 0) && (found == tiles.len()) == (seen == tiles.len()));
        found > seen
    });
    too_far.count() as u64
}

#[test]
fn no_game_that_reached_a_stage_is_missed() {
    for goal in [32, 128, 256, 512, 1024] {
        counted_too_far(&mut *table::player::<random::Config>("{}"), goal, 300);
        counted_too_far(&mut *table::player::<greedy::Config>("{}"), goal, 300);
    }
}

#[test]
fn few_games_of_a_good_player_are_counted_too_far() {
    let mut player = table::player::<expectimax::Config>(r#"{"depth":2}"#);
    for goal in [1024, 2048] {
        let too_far = counted_too_far(&mut *player, goal, 300);
        assert!(too_far <= 6, "{too_far} of 300 games to {goal}");
    }
}

#[test]
fn stages_lead_to_the_goal_but_not_beyond_the_winning_tile() {
    let names = |goal, settings: &str| rules(settings).stages(goal).join(" ");
    let long = "16384 16384-8192 16384-4096 16384-2048 16384-1024 16384-512 32768";
    assert_eq!(names(32768, "win = 131072"), long);
    assert_eq!(names(32768, ""), "1024 1024-512 1024-256 1024-128 1024-64 1024-32 2048");
    assert_eq!(names(128, ""), "64 64-32 128");
    assert_eq!(names(8, ""), "4 8");
    assert_eq!([names(4, ""), names(32768, "spawn = 'stale'")], ["", ""]);
}

/// The first stage and the last agree with the other tables.
#[test]
fn stages_are_a_table_of_a_run() {
    let folder = Folder::new();
    let head = "seed = 1\ngames = 40\n";
    let players =
        "[[player]]\nname = 'g'\nalgorithm = 'greedy'\n[[player]]\nname = 'r'\nalgorithm = 'random'\n";
    folder.play("x.toml", format!("name = 'x'\ngame = '2048'\nwin = 256\n{head}{players}"));
    let table = |name: &str| -> Vec<Vec<String>> {
        let csv = folder.run(&format!("report results/x --table {name} --format csv")).assert_status(0).out;
        csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let (stages, tiles, rates) = (table("stages"), table("max-tile"), table("win-rate"));
    assert_eq!(
        stages.iter().map(|row| &*row[1]).collect::<Vec<_>>()[..4],
        ["128", "128-64", "128-32", "256"]
    );
    assert_eq!(stages.len(), 8);
    for (player, of_player) in ["g", "r"].iter().zip(stages.chunks(4)) {
        assert!(of_player.iter().all(|row| row[0] == *player));
        let tile = tiles.iter().find(|row| row[0] == *player && row[1] == "128").expect("a row of 128");
        let wins = rates.iter().find(|row| row[0] == *player).expect("a player");
        assert_eq!([&of_player[0][2], &of_player[3][2]], [&tile[4], &wins[2]]);
        let number = |text: &String| text.parse::<f64>().expect("a number");
        for pair in of_player.windows(2) {
            let [reached, next] = [0, 1].map(|stage| number(&pair[stage][2]));
            assert!(reached >= next && (number(&pair[0][6]) - next / reached).abs() < 1e-6);
        }
        assert_eq!(of_player[3][6], "");
    }
    folder.run("report results/x --out x.html").assert_status(0);
    assert!(folder.read("x.html").contains("Stages reached"));
    folder.write("d.md", "<!-- gauntlet results/x stages:1-4 -->\n<!-- /gauntlet -->\n");
    folder.run("report --splice d.md").assert_status(0);
    assert!(folder.read("d.md").contains("| g | 128-64 |"));

    let duel = players.replace("greedy", "gomoku-greedy");
    folder.play(
        "duel.toml",
        format!("name = 'duel'\ngame = 'gomoku'\nsize = 7\n{}{duel}", head.replace("40", "2")),
    );
    folder.run("report results/duel --table stages").assert_status(1).assert_says("have no stages");
}
