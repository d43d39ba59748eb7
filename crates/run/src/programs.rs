//! Checks external programs of players before a run: what they report about themselves, and whether
//! they play equal games twice if their authors promise it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use gauntlet_core::arena::{Entry, ReplayRequest, build_worker, replay};
use gauntlet_core::player::BuildContext;
use gauntlet_core::text::{escape, quote};

use super::journal::{Journal, SessionEntry};
use super::keyed::KeyedPlan;
use crate::plan::PlannedPlayer;

/// Names and versions that programs reported, by the identity of the player.
pub type ProgramGreetings = BTreeMap<String, String>;

/// Time for playing games twice. The first block is always played twice, further blocks only within
/// this time.
const SAME: Duration = Duration::from_secs(1);

/// Largest number of blocks that are played twice.
const TWICE: u64 = 5;

/// The most players that a suggested command names.
const NAMED: usize = 6;

/// Largest number of letters of a program's name in a manifest and on a page.
const MOST_LETTERS: usize = 200;

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
    kit: &BuildContext,
) -> anyhow::Result<Option<ProgramGreetings>> {
    let prepared = request_greetings(players, others, journal, kit)
        .and_then(|greetings| check_promises(plan, lineups, kit).map(|()| greetings));
    if kit.stop.is_asked() { Ok(None) } else { prepared.map(Some) }
}

/// Asks external players what they are. Fails if some cannot start, or if one reports something
/// else than when it played into this journal.
fn request_greetings<'a>(
    players: impl Iterator<Item = (&'a str, &'a Entry)>,
    others: &[PlannedPlayer],
    journal: &Journal,
    kit: &BuildContext,
) -> anyhow::Result<ProgramGreetings> {
    let mut greetings = ProgramGreetings::new();
    let mut absent: BTreeMap<String, String> = BTreeMap::new();
    for (name, entrant) in players {
        let known_as = player_identity(entrant);
        let is_known = greetings.contains_key(&known_as) || absent.contains_key(&known_as);
        if entrant.facts().command.is_none() || is_known {
            continue;
        }
        let said = match entrant.greeting(kit) {
            Ok(Some(said)) => said,
            Ok(None) => continue,
            Err(error) => {
                absent.insert(known_as, format!("{name}: {error:#}"));
                continue;
            }
        };
        let earlier = reports(entrant, journal.sessions()).last();
        if let Some(earlier) = earlier.filter(|earlier| **earlier != said) {
            bail!(
                "{name}: the program is {:?}, but games in the journal were played by {:?}: change a setting such as `options`, or use another --results folder",
                escape::line(&said),
                escape::line(earlier)
            );
        }
        greetings.insert(known_as, said);
    }
    if absent.is_empty() {
        return Ok(greetings);
    }
    let can_start = |player: &&PlannedPlayer| !absent.contains_key(&player_identity(player.entrant));
    let others: Vec<String> = others.iter().filter(can_start).map(|it| quote(it.name)).collect();
    let others = match others.len() {
        0 => String::new(),
        1..=NAMED => format!("; to play the others: --only {}", others.join(" --only ")),
        count => format!("; to play the {count} others, name each with --only"),
    };
    bail!("{}{others}", absent.into_values().collect::<Vec<_>>().join("\n"))
}

/// Plays the first blocks of these line-ups twice, if their programs promise equal games. Fails if
/// two games differ.
fn check_promises(plan: &KeyedPlan, lineups: &[usize], kit: &BuildContext) -> anyhow::Result<()> {
    for &lineup in lineups {
        let has_program = plan.members(lineup).any(|player| player.entrant.facts().command.is_some());
        if has_program && plan.is_lineup_reproducible(lineup) {
            check_repeatable(plan, lineup, kit).with_context(|| plan.title(lineup))?;
        }
    }
    Ok(())
}

/// Fails if the program of a player reported another name in one of these journals than in another.
pub(super) fn check_same_programs<'a>(
    plan: &KeyedPlan,
    journals: impl Iterator<Item = &'a Journal> + Clone,
) -> anyhow::Result<()> {
    for player in plan.players.iter().filter(|player| player.entrant.facts().command.is_some()) {
        let said: BTreeSet<&String> =
            reports(player.entrant, journals.clone().flat_map(Journal::sessions)).collect();
        if let (Some(one), Some(other)) = (said.first(), said.last().filter(|_| said.len() > 1)) {
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
/// players' names, formatted by [`format_program_name`]. Programs that reported nothing are omitted.
pub fn reported_names(plan: &KeyedPlan, journal: &Journal) -> BTreeMap<String, String> {
    let programs = plan.players.iter().filter(|player| player.entrant.facts().command.is_some());
    let told = programs.filter_map(|player| {
        let words = reports(player.entrant, journal.sessions()).last()?;
        (!words.is_empty()).then(|| (player.name.to_owned(), format_program_name(words)))
    });
    told.collect()
}

/// Formats the name of a program for people, on one line, and shortened if it is long. Formatting
/// it again changes nothing.
pub fn format_program_name(words: &str) -> String {
    let words = escape::line(words);
    match words.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.into_owned(),
    }
}

/// Returns what the program of a player reported in these sessions, in order.
fn reports<'a>(
    entrant: &Entry,
    sessions: impl IntoIterator<Item = &'a SessionEntry>,
) -> impl Iterator<Item = &'a String> {
    let known_as = player_identity(entrant);
    sessions.into_iter().filter_map(move |session| session.programs.get(&known_as))
}

/// Returns the identity of a player.
fn player_identity(entrant: &Entry) -> String {
    let own = format!("{} {} {:?}", entrant.algorithm, entrant.settings, entrant.identity);
    blake3::hash(own.as_bytes()).to_hex()[..16].to_owned()
}

/// Plays the first blocks twice with newly built players, and once with players that continue from
/// game to game.
fn check_repeatable(plan: &KeyedPlan, lineup: usize, kit: &BuildContext) -> anyhow::Result<()> {
    let entrants: Vec<_> = plan.members(lineup).map(|player| player.entrant).collect();
    let started = Instant::now();
    let mut alone = Vec::new();
    for block in 0..TWICE.min(plan.blocks.len()) {
        for leg in 0..plan.legs() as usize {
            let play = || {
                let mut moves = Vec::new();
                let game = ReplayRequest { block: plan.blocks.block(block), leg, weighed: false };
                let mut show =
                    |step: &gauntlet_core::arena::ReplayStep| moves.extend(step.mv.map(str::to_owned));
                let (record, _) = replay(&entrants, plan.max_moves, game, kit, &mut show)?;
                anyhow::Ok((moves, record))
            };
            let (one, other) = (play()?, play()?);
            alone.push((block, one.1));
            if one != other {
                let same = one.0.iter().zip(&other.0).take_while(|(one, other)| one == other).count();
                let shown = |moves: &[String]| {
                    moves.get(same).map_or_else(|| "none".to_owned(), |mv| escape::line(mv).into_owned())
                };
                bail!(
                    "not reproducible despite `reproducible = true`: in two games of block {block}, move {} was {} and then {}",
                    same + 1,
                    shown(&one.0),
                    shown(&other.0)
                );
            }
        }
        if started.elapsed() > SAME {
            break;
        }
    }
    // A game must not depend on the game before it. In reverse order each game but one follows
    // other games than it does in the run; a single game follows itself.
    let mut backwards: Vec<_> = alone.chunks(plan.legs() as usize).rev().collect();
    backwards.extend(backwards.first().copied().filter(|_| backwards.len() == 1));
    let blocks: Vec<_> = backwards.iter().map(|legs| plan.blocks.block(legs[0].0)).collect();
    let after_others = build_worker(&entrants, plan.max_moves, kit)?(&blocks).records;
    for ((block, alone), after) in backwards.iter().copied().flatten().zip(&after_others) {
        if alone != after {
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
        fn check(words: &str, expected: &str) {
            assert_eq!(format_program_name(words), expected);
            assert_eq!(format_program_name(expected), expected, "it stays");
        }

        check("name=\"Rapfi\", version=\"0.43\"", "name=\"Rapfi\", version=\"0.43\"");
        check("a\u{1b}[2J\n\u{202e}b", "a\\u{1b}[2J\\n\\u{202e}b");
        check(&"数".repeat(200), &"数".repeat(200));
        check(&"数".repeat(201), &format!("{}…", "数".repeat(200)));
        check(&"\u{1b}".repeat(1 << 16), &format!("{}…", "\\u{1b}".repeat(34)[..200].to_owned()));
    }
}
