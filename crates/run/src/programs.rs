//! Checks external programs of players before a run: what they report about themselves, and whether
//! they play equal games twice if their authors promise it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use gauntlet_core::arena::{Entry, ReplayRequest, build_worker, replay};
use gauntlet_core::player::BuildContext;
use gauntlet_core::text::{escape, quote};

use super::journal::{Journal, SessionEntry};
use super::keyed_plan::KeyedPlan;
use crate::plan::PlannedPlayer;

/// Names and versions that programs reported, by the identity of the player.
pub type ProgramGreetings = BTreeMap<String, String>;

/// Time for playing games twice. The first block is always played twice, further blocks only within
/// this time.
const REPEAT_TIME: Duration = Duration::from_secs(1);

/// Largest number of blocks that are played twice.
const MAX_REPEATED_BLOCKS: u64 = 5;

/// The most players that a suggested command names.
const MAX_NAMES: usize = 6;

/// Largest number of letters of a program's name in a manifest and on a page.
const MAX_NAME_LENGTH: usize = 200;

/// Prepares a session: asks external players what they are, and checks the promises of these
/// line-ups' players. If a program cannot start, the message suggests those of `others` that can.
/// Returns `None` if the run was stopped meanwhile; then the programs did not finish, and nothing
/// is known about them.
pub fn prepare<'a>(
    players: impl Iterator<Item = (&'a str, &'a Entry)>,
    others: &[PlannedPlayer],
    plan: &KeyedPlan,
    lineups: &[usize],
    journal: &Journal,
    context: &BuildContext,
) -> anyhow::Result<Option<ProgramGreetings>> {
    let result = request_greetings(players, others, journal, context)
        .and_then(|greetings| check_promises(plan, lineups, context).map(|()| greetings));
    if context.stop.is_requested() { Ok(None) } else { result.map(Some) }
}

/// Asks external players what they are. Fails if some cannot start, or if one reports something
/// else than when it played into this journal.
fn request_greetings<'a>(
    players: impl Iterator<Item = (&'a str, &'a Entry)>,
    others: &[PlannedPlayer],
    journal: &Journal,
    context: &BuildContext,
) -> anyhow::Result<ProgramGreetings> {
    let mut greetings = ProgramGreetings::new();
    let mut start_errors: BTreeMap<String, String> = BTreeMap::new();
    for (name, entry) in players {
        let identity = player_identity(entry);
        let is_known = greetings.contains_key(&identity) || start_errors.contains_key(&identity);
        if entry.facts().command.is_none() || is_known {
            continue;
        }
        let greeting = match entry.greeting(context) {
            Ok(Some(greeting)) => greeting,
            Ok(None) => continue,
            Err(error) => {
                start_errors.insert(identity, format!("{name}: {error:#}"));
                continue;
            }
        };
        let earlier = reported_greetings(entry, journal.sessions()).last();
        if let Some(earlier) = earlier.filter(|earlier| **earlier != greeting) {
            bail!(
                "{name}: the program is {:?}, but games in the journal were played by {:?}: change a setting such as `options`, or use another --results folder",
                escape::line(&greeting),
                escape::line(earlier)
            );
        }
        greetings.insert(identity, greeting);
    }
    if start_errors.is_empty() {
        return Ok(greetings);
    }
    let can_start = |player: &&PlannedPlayer| !start_errors.contains_key(&player_identity(player.entry));
    let others: Vec<String> = others.iter().filter(can_start).map(|player| quote(player.name)).collect();
    let others = match others.len() {
        0 => String::new(),
        1..=MAX_NAMES => format!("; to play the others: --only {}", others.join(" --only ")),
        count => format!("; to play the {count} others, name each with --only"),
    };
    bail!("{}{others}", start_errors.into_values().collect::<Vec<_>>().join("\n"))
}

/// Plays the first blocks of these line-ups twice, if their programs promise equal games. Fails if
/// two games differ.
fn check_promises(plan: &KeyedPlan, lineups: &[usize], context: &BuildContext) -> anyhow::Result<()> {
    for &lineup in lineups {
        let has_program = plan.members(lineup).any(|player| player.entry.facts().command.is_some());
        if has_program && plan.is_lineup_reproducible(lineup) {
            check_repeatable(plan, lineup, context).with_context(|| plan.title(lineup))?;
        }
    }
    Ok(())
}

/// Fails if the program of a player reported another name in one of these journals than in another.
pub(super) fn check_same_programs<'a>(
    plan: &KeyedPlan,
    journals: impl Iterator<Item = &'a Journal> + Clone,
) -> anyhow::Result<()> {
    for player in plan.players.iter().filter(|player| player.entry.facts().command.is_some()) {
        let greetings: BTreeSet<&String> =
            reported_greetings(player.entry, journals.clone().flat_map(Journal::sessions)).collect();
        if let (Some(one), Some(other)) =
            (greetings.first(), greetings.last().filter(|_| greetings.len() > 1))
        {
            bail!(
                "{}: games were played by two different programs, {:?} and {:?}",
                player.name,
                escape::line(one),
                escape::line(other)
            );
        }
    }
    Ok(())
}

/// Returns what external players of a plan reported when they played into a journal, by the
/// players' names, formatted by [`format_program_name`]. Programs that reported nothing are
/// omitted.
pub fn reported_names(plan: &KeyedPlan, journal: &Journal) -> BTreeMap<String, String> {
    let programs = plan.players.iter().filter(|player| player.entry.facts().command.is_some());
    let names = programs.filter_map(|player| {
        let greeting = reported_greetings(player.entry, journal.sessions()).last()?;
        (!greeting.is_empty()).then(|| (player.name.to_owned(), format_program_name(greeting)))
    });
    names.collect()
}

/// Formats the name of a program for people, on one line, and shortened if it is long. Formatting
/// it again changes nothing.
pub fn format_program_name(name: &str) -> String {
    let name = escape::line(name);
    match name.char_indices().nth(MAX_NAME_LENGTH) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into_owned(),
    }
}

/// Returns what the program of a player reported in these sessions, in order.
fn reported_greetings<'a>(
    entry: &Entry,
    sessions: impl IntoIterator<Item = &'a SessionEntry>,
) -> impl Iterator<Item = &'a String> {
    let identity = player_identity(entry);
    sessions.into_iter().filter_map(move |session| session.programs.get(&identity))
}

/// Returns the identity of a player.
fn player_identity(entry: &Entry) -> String {
    let data = format!("{} {} {:?}", entry.algorithm, entry.settings, entry.identity);
    blake3::hash(data.as_bytes()).to_hex()[..16].to_owned()
}

/// Plays the first blocks twice with newly built players, and once with players that continue from
/// game to game.
fn check_repeatable(plan: &KeyedPlan, lineup: usize, context: &BuildContext) -> anyhow::Result<()> {
    let entries: Vec<_> = plan.members(lineup).map(|player| player.entry).collect();
    let started = Instant::now();
    let mut single_games = Vec::new();
    for block in 0..MAX_REPEATED_BLOCKS.min(plan.blocks.len()) {
        for leg in 0..plan.legs() as usize {
            let play = || {
                let mut moves = Vec::new();
                let game = ReplayRequest { block: plan.blocks.block(block), leg, asks_values: false };
                let mut add_move =
                    |step: &gauntlet_core::arena::ReplayStep| moves.extend(step.mv.map(str::to_owned));
                let (record, _) = replay(&entries, plan.max_moves, game, context, &mut add_move)?;
                anyhow::Ok((moves, record))
            };
            let (one, other) = (play()?, play()?);
            single_games.push((block, one.1));
            if one != other {
                let equal_moves = one.0.iter().zip(&other.0).take_while(|(one, other)| one == other).count();
                let describe_move = |moves: &[String]| {
                    moves
                        .get(equal_moves)
                        .map_or_else(|| "none".to_owned(), |mv| escape::line(mv).into_owned())
                };
                bail!(
                    "not reproducible despite `reproducible = true`: in two games of block {block}, move {} was {} and then {}",
                    equal_moves + 1,
                    describe_move(&one.0),
                    describe_move(&other.0)
                );
            }
        }
        if started.elapsed() > REPEAT_TIME {
            break;
        }
    }
    // A game must not depend on the game before it. In reverse order each game but one follows
    // other games than it does in the run; a single game follows itself.
    let mut reversed: Vec<_> = single_games.chunks(plan.legs() as usize).rev().collect();
    reversed.extend(reversed.first().copied().filter(|_| reversed.len() == 1));
    let blocks: Vec<_> = reversed.iter().map(|legs| plan.blocks.block(legs[0].0)).collect();
    let sequence_records = build_worker(&entries, plan.max_moves, context)?(&blocks).records;
    for ((block, single), sequential) in reversed.iter().copied().flatten().zip(&sequence_records) {
        if single != sequential {
            bail!(
                "not reproducible despite `reproducible = true`: the game of block {block} depends on earlier games; reset all state at `new`"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_programs_are_bounded_and_visible() {
        #[track_caller]
        fn check(name: &str, expected: &str) {
            assert_eq!(format_program_name(name), expected);
            assert_eq!(format_program_name(expected), expected, "it stays");
        }

        check("name=\"Rapfi\", version=\"0.43\"", "name=\"Rapfi\", version=\"0.43\"");
        check("a\u{1b}[2J\n\u{202e}b", "a\\u{1b}[2J\\n\\u{202e}b");
        check(&"数".repeat(200), &"数".repeat(200));
        check(&"数".repeat(201), &format!("{}…", "数".repeat(200)));
        check(&"\u{1b}".repeat(1 << 16), &format!("{}…", "\\u{1b}".repeat(34)[..200].to_owned()));
    }
}
