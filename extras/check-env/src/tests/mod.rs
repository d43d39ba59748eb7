//! Verdicts on a test environment with each fault, and without one.
//!
//! - `test_environment`: the test environment

mod test_environment;

use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::Direction;

use crate::replay::replay;
use crate::{ActionMap, CellKind, CheckOptions, Fault, Outcome, Report, Rule, Verdict, check};
use test_environment::{Switch, TestEnvironment};

/// Checks an environment in this number of games.
#[track_caller]
fn check_environment(environment: &mut TestEnvironment, games: u64) -> Report {
    check(environment, &CheckOptions { games, ..CheckOptions::default() }).expect("the check ends")
}

fn failed_rules(report: &Report) -> Vec<Rule> {
    let failed = report.rules.iter().filter(|rule| rule.verdict == Verdict::Failed);
    failed.map(|rule| rule.rule).collect()
}

#[test]
fn each_fault_gets_its_verdict_and_its_diagnosis() {
    let cases = [
        (Switch::NeverFour, Rule::NewValue, Some(Fault::NeverFour)),
        (Switch::ManyFours, Rule::NewValue, None),
        (Switch::MaskAllowsAll, Rule::Mask, Some(Fault::MaskAllowsAll)),
        (Switch::MaskIgnoresMerges, Rule::Mask, Some(Fault::MaskIgnoresMerges)),
        (Switch::MaskInOtherOrder, Rule::Mask, Some(Fault::MaskInOtherOrder)),
        (Switch::MaskOfBoardBefore, Rule::Mask, Some(Fault::MaskOfBoardBefore)),
        (Switch::CapAt15, Rule::Above32768, Some(Fault::TilesEndAt(15))),
        (Switch::CapRaises, Rule::Above32768, Some(Fault::Raises)),
        (Switch::StaleCount, Rule::NewCell, Some(Fault::StaleCount)),
        (Switch::StaleCountByColumn, Rule::NewCell, Some(Fault::StaleCount)),
        (Switch::LastCellNeverFilled, Rule::NewCell, Some(Fault::LastCellNeverFilled)),
        (Switch::CornerNeverFilled, Rule::NewCell, Some(Fault::CellNeverFilled(15))),
        (Switch::CornerRarelyFilled, Rule::NewCell, None),
        (Switch::NoNewTile, Rule::NewCell, Some(Fault::NoNewTile)),
        (Switch::TwoNewTiles, Rule::NewCell, Some(Fault::SeveralNewTiles)),
        (Switch::TileAfterIdle, Rule::IllegalMove, Some(Fault::TileAfterIllegalMove)),
        (Switch::RewardTileSum, Rule::Reward, Some(Fault::RewardIsTileSum)),
        (Switch::RewardHalved, Rule::Reward, Some(Fault::RewardHalved)),
        (Switch::RewardScore, Rule::Reward, Some(Fault::RewardIsScore)),
        (Switch::MergedTwice, Rule::Slide, Some(Fault::MergedTwice)),
        (Switch::MergedAgain, Rule::Slide, Some(Fault::MergedTwice)),
        (Switch::MergedAtWrongEnd, Rule::Slide, Some(Fault::MergedAtWrongEnd)),
        (Switch::OneMergePerLine, Rule::Slide, Some(Fault::OneMergePerLine)),
        (Switch::OneStartTile, Rule::Start, Some(Fault::OneStartTile)),
        (Switch::OneStartTileAtTimes, Rule::Start, Some(Fault::OneStartTile)),
        (Switch::BiasedStart, Rule::Start, None),
        (Switch::SecondCellFromFirst, Rule::Start, Some(Fault::StartCellsDependent)),
        (Switch::EqualStartValues, Rule::Start, Some(Fault::StartValuesDependent)),
        (Switch::ValueFromCell, Rule::NewValue, Some(Fault::ValueDependsOnCell)),
        (Switch::EveryTenthFour, Rule::NewValue, Some(Fault::ValuesDependent)),
        (Switch::EndsAt2048, Rule::GameEnd, Some(Fault::EndsAt2048)),
        (Switch::TruncatedAt2048, Rule::GameEnd, Some(Fault::EndsAt2048)),
        (Switch::EndsTooLate, Rule::GameEnd, Some(Fault::EndsTooLate)),
        (Switch::EndsWhenFull, Rule::GameEnd, Some(Fault::EndsWhenFull)),
        (Switch::SharedObservation, Rule::Unchanged, Some(Fault::ObservationShared)),
        (Switch::ResetInsideStep, Rule::NoReset, Some(Fault::ResetInsideStep)),
        (Switch::SeedIgnored, Rule::Seeding, Some(Fault::SeedIgnored)),
        (Switch::SeedsAlike, Rule::Seeding, Some(Fault::SeedsAlike)),
        (Switch::Raises, Rule::Slide, Some(Fault::Raises)),
        (Switch::StepsRaise, Rule::Slide, Some(Fault::Raises)),
        (Switch::ResetsRaise, Rule::Start, None),
        (Switch::LeftRaises, Rule::Slide, Some(Fault::Raises)),
        (Switch::LeftIgnored, Rule::Slide, Some(Fault::MoveIgnored)),
        (Switch::AllIgnored, Rule::Slide, Some(Fault::MoveIgnored)),
        (Switch::NoRewardAtTimes, Rule::Reward, None),
        (Switch::EndsBeforeTileAt2048, Rule::GameEnd, Some(Fault::EndsAt2048)),
        (Switch::TruncatedBeforeTileAt2048, Rule::GameEnd, Some(Fault::EndsAt2048)),
    ];
    for (switch, rule, fault) in cases {
        let mut environment = TestEnvironment::new(switch, 7);
        environment.can_set = matches!(switch, Switch::CapAt15 | Switch::CapRaises);
        let report = check_environment(&mut environment, 20);
        let text = report.to_text();
        assert_eq!(report.rule(rule).verdict, Verdict::Failed, "{switch:?}\n{text}");
        assert_eq!(report.rule(rule).fault, fault, "{switch:?}\n{text}");
        // Start tiles are 2s, too.
        let other_rules = if switch == Switch::NeverFour { &[Rule::Start][..] } else { &[] };
        assert_eq!(failed_rules(&report), [other_rules, &[rule]].concat(), "{switch:?}\n{text}");
        assert_eq!((report.outcome(), report.reason()), (Outcome::Failed, None), "{switch:?}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

/// The check ends after ten errors, and a game has at most one.
#[test]
fn games_that_were_not_played_are_not_counted() {
    let report = check_environment(&mut TestEnvironment::new(Switch::Raises, 7), 1000);
    assert!((10..1000).contains(&report.games), "{}", report.games);
}

#[test]
fn encodings_and_directions_are_found() {
    let orders = [
        vec![Direction::Up, Direction::Down, Direction::Left, Direction::Right],
        vec![Direction::Down, Direction::Right, Direction::Up, Direction::Left],
        vec![Direction::Left, Direction::Right, Direction::Up],
    ];
    for (number, order) in orders.iter().enumerate() {
        for kind in [CellKind::Values, CellKind::Ranks, CellKind::Planes] {
            let mut environment = TestEnvironment::new(Switch::Sound, number as u64);
            (environment.order, environment.kind) = (order.clone(), kind);
            let options = CheckOptions { games: 5, starts: 10, ..CheckOptions::default() };
            let report = check(&mut environment, &options).expect("the check ends");
            assert_eq!(report.actions.as_ref(), Ok(&ActionMap::new(order)), "{kind:?}");
            let fault = (order.len() == 3).then_some(Fault::NoAction(Direction::Down));
            assert_eq!(report.rule(Rule::Slide).fault, fault, "{}", report.to_text());
            assert_eq!(report.has_passed(), fault.is_none(), "{}", report.to_text());
        }
    }
}

#[test]
fn large_tiles_are_tested_if_the_board_can_be_set() {
    let mut environment = TestEnvironment::new(Switch::Sound, 1);
    let options = CheckOptions { games: 5, ..CheckOptions::default() };
    let verdict = |environment: &mut TestEnvironment| {
        let report = check(environment, &options).expect("the check ends");
        assert!(report.has_passed(), "{}", report.to_text());
        report.rule(Rule::Above32768).verdict
    };
    assert_eq!(verdict(&mut environment), Verdict::NotTested);
    environment.can_set = true;
    assert_eq!(verdict(&mut environment), Verdict::Passed);
}

#[test]
fn what_is_not_forbidden_is_a_note() {
    for (switch, note) in [
        (Switch::IllegalRaises, "An illegal move raises an error."),
        (Switch::IllegalEnds, "An illegal move ends the game."),
        (Switch::IllegalEndsWithTile, "An illegal move ends the game and changes the last board."),
        (Switch::TruncatedAt200, "21 games were truncated."),
    ] {
        let report = check_environment(&mut TestEnvironment::new(switch, 3), 50);
        assert!(report.has_passed(), "{}", report.to_text());
        assert_eq!(report.notes, [note]);
    }
}

#[test]
fn without_a_mask_the_mask_is_not_tested() {
    let mut environment = TestEnvironment::new(Switch::Sound, 3);
    environment.has_mask = false;
    let report = check_environment(&mut environment, 5);
    assert_eq!(report.rule(Rule::Mask).verdict, Verdict::NotTested);
    assert!(report.has_passed());
}

#[test]
fn what_is_no_board_is_not_judged() {
    let mut environment = TestEnvironment::new(Switch::Sound, 3);
    environment.kind = CellKind::Ranks;
    let options = CheckOptions { cells: Some(CellKind::Values), games: 5, ..CheckOptions::default() };
    let report = check(&mut environment, &options).expect("the check ends");
    assert!(report.cells.is_err());
    assert_eq!(report.rule(Rule::Slide).verdict, Verdict::CannotTell);
    assert_eq!((report.outcome(), report.reason()), (Outcome::Undecided, report.cells.clone().err()));
    let (text, reason) = (report.to_text(), report.reason().expect("undecided"));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("undecided: {reason}")), "{text}");
    for output in [text, report.to_json().to_string()] {
        assert_eq!(output.matches(&reason).count(), 1, "{output}");
    }
}

/// A check is undecided if a required rule has no verdict. One test without a violation is enough.
#[test]
fn a_check_without_a_verdict_on_a_required_rule_is_undecided() {
    let end_reason = "end of the game: no game reached a board without a legal move";
    let tiles_reason = "cell of a new tile, value of a new tile: fewer than 500 new tiles; play more games";
    for (switch, games, reason) in [(Switch::TruncatedAt30, 50, end_reason), (Switch::Sound, 1, tiles_reason)]
    {
        let report = check_environment(&mut TestEnvironment::new(switch, 3), games);
        let text = report.to_text();
        assert_eq!((report.outcome(), report.reason().as_deref()), (Outcome::Undecided, Some(reason)));
        assert_eq!(text.matches("undecided: ").count(), 1, "{text}");
        assert!(!text.contains("cannot tell: "), "{text}");
    }
}

#[test]
fn an_environment_without_reward_passes_and_the_report_says_so() {
    let without_reward = CheckOptions { has_reward: false, games: 20, ..CheckOptions::default() };
    for (switch, options) in [
        (Switch::NoReward, CheckOptions { games: 20, ..CheckOptions::default() }),
        (Switch::RewardHalved, without_reward),
    ] {
        let report = check(&mut TestEnvironment::new(switch, 3), &options).expect("the check ends");
        let text = report.to_text();
        assert_eq!(report.rule(Rule::Reward).verdict, Verdict::NotTested, "{text}");
        assert!(report.has_passed() && text.contains("not tested: reward: no reward\n"), "{text}");
    }
}

#[test]
fn starts_that_agree_by_chance_do_not_hide_an_ignored_seed() {
    for seed in 0..200 {
        let mut environment = TestEnvironment::new(Switch::SeedIgnored, seed);
        let tally = replay(&mut environment, &mut Seed::root(seed).rng()).expect("the games are played");
        assert_eq!(tally.diagnosis(), Some(Fault::SeedIgnored), "seed {seed}");
    }
}

#[test]
fn a_wrong_order_of_actions_is_a_wrong_slide() {
    let options =
        CheckOptions { actions: Some(Direction::ALL.to_vec()), games: 5, ..CheckOptions::default() };
    let report = check(&mut TestEnvironment::new(Switch::Sound, 3), &options).expect("the check ends");
    assert_eq!(report.rule(Rule::Slide).fault, Some(Fault::OtherDirection));
    let report = check_environment(&mut TestEnvironment::new(Switch::LeftSlidesUp, 7), 20);
    assert_eq!(report.rule(Rule::Slide).fault, Some(Fault::OtherDirection), "{}", report.to_text());
    let single_action = CheckOptions { actions: Some(vec![Direction::Up]), ..CheckOptions::default() };
    assert!(check(&mut TestEnvironment::new(Switch::Sound, 3), &single_action).is_err());
}

/// Returns the number of checks of sound environments that fail any rule.
fn count_alarms(checks: u64, games: u64, starts: u64) -> usize {
    let is_alarm = |number: &u64| {
        let seed = Seed::root(99).child("check", *number).number();
        let mut environment = TestEnvironment::new(Switch::Sound, seed);
        let options = CheckOptions { games, starts, seed, ..CheckOptions::default() };
        let report = check(&mut environment, &options).expect("the check ends");
        if !report.has_passed() {
            println!("check {number}:\n{}", report.to_text());
        }
        !report.has_passed()
    };
    (0..checks).filter(is_alarm).count()
}

#[test]
fn a_sound_environment_raises_no_alarm() {
    assert_eq!(count_alarms(200, 6, 120), 0);
}

/// 1,000 checks with usual settings take minutes.
#[test]
#[ignore = "takes minutes"]
fn alarms_are_rarer_than_one_in_a_hundred() {
    let count = count_alarms(1000, 100, 400);
    println!("{count} of 1,000 checks raised an alarm");
    assert!(count <= 10);
}
