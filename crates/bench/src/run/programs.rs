//! Players that are other programs, before a game is played: what they say of themselves, and whether they play the same game twice
//! where their authors promise it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::journal::{Journal, Session};
use super::keyed::Keyed;
use crate::arena::{Again, Entrant, replay};
use crate::player::Kit;
use crate::text::escape;

/// What programs say of themselves, by what identifies the player.
pub type Greetings = BTreeMap<String, String>;

/// Time for playing games twice: the first block is played twice however long it takes, and the next ones as long as this is left.
const SAME: Duration = Duration::from_secs(1);

/// The most blocks that are played twice.
const TWICE: u64 = 5;

/// Asks the programs among the players of these line-ups what they are. Fails where one says something else than when it played
/// into this journal, or plays two games where it should play one.
pub(super) fn met(
    plan: &Keyed,
    lineups: &[usize],
    journal: &Journal,
    kit: &Kit,
) -> anyhow::Result<Greetings> {
    let mut greetings = Greetings::new();
    for player in lineups.iter().flat_map(|&lineup| plan.members(lineup)) {
        let known_as = name_of(player.entrant);
        if player.entrant.command().is_none() || greetings.contains_key(&known_as) {
            continue;
        }
        let greeting = player.entrant.greeting(kit).with_context(|| player.name.to_owned())?;
        let Some(said) = greeting else { continue };
        let earlier = |session: &Session| session.programs.get(&known_as).cloned();
        if let Some(earlier) =
            journal.sessions().iter().rev().find_map(earlier).filter(|earlier| *earlier != said)
        {
            bail!(
                "{}: its program says that it is {:?}, and games in the journal were played by {:?}: give it another setting, such \
                 as `options`, or play into another folder with --results",
                player.name,
                escape::line(&said),
                escape::line(&earlier)
            );
        }
        greetings.insert(known_as, said);
    }
    for &lineup in lineups {
        let has_program = plan.members(lineup).any(|player| player.entrant.command().is_some());
        if has_program && plan.is_lineup_reproducible(lineup) {
            check_twice(plan, lineup, kit).with_context(|| plan.title(lineup))?;
        }
    }
    Ok(greetings)
}

/// What identifies a player.
fn name_of(entrant: &Entrant) -> String {
    let own = format!("{} {} {:?}", entrant.algorithm, entrant.settings, entrant.identity);
    blake3::hash(own.as_bytes()).to_hex()[..16].to_owned()
}

/// Plays the first blocks twice, with players that are built anew.
fn check_twice(plan: &Keyed, lineup: usize, kit: &Kit) -> anyhow::Result<()> {
    let entrants: Vec<_> = plan.members(lineup).map(|player| player.entrant).collect();
    let started = Instant::now();
    for block in 0..TWICE.min(plan.blocks.len()) {
        for leg in 0..plan.legs() as usize {
            let play = || {
                let mut moves = Vec::new();
                let game = Again { block: plan.blocks.block(block), leg, weighed: false };
                let mut show = |step: &crate::arena::Step| moves.extend(step.mv.map(str::to_owned));
                let (record, _) = replay(&entrants, plan.max_moves, game, kit, &mut show)?;
                anyhow::Ok((moves, record))
            };
            let (one, other) = (play()?, play()?);
            if one != other {
                let same = one.0.iter().zip(&other.0).take_while(|(one, other)| one == other).count();
                let shown = |moves: &[String]| {
                    moves.get(same).map_or_else(|| "none".to_owned(), |mv| escape::line(mv).into_owned())
                };
                bail!(
                    "`reproducible = true`, and yet block {block} was played twice in two ways: move {} was {} and then {}",
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
    Ok(())
}
