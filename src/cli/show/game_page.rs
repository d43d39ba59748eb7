//! A game as a page for a browser.

use std::io::Write;
use std::path::Path;

use super::super::page::{refuse_to_lose, write_to};
use super::{Args, Audience, standing};
use crate::arena::Step;
use crate::page::game::{self, Game, Moment};
use crate::plan::Plan;
use crate::text::{quoted, quoted_path, shown};

/// Collects the moments of a game, and writes them as a page.
pub(super) struct GamePage<'a> {
    path: &'a Path,
    game: Game,
}

impl<'a> GamePage<'a> {
    /// The page of a game that is about to be replayed. Fails where something lies that is no page of ours.
    pub(super) fn of(
        path: &'a Path,
        folder: &Path,
        plan: &Plan,
        lineup: usize,
        block: Option<u64>,
        args: &Args,
    ) -> anyhow::Result<GamePage<'a>> {
        if path != Path::new("-") {
            refuse_to_lose(path)?;
        }
        let names: Vec<&str> = plan.members(lineup).map(|player| player.name).collect();
        let (which, facts) = match (block, args.seed) {
            (Some(block), _) => {
                let seed = plan.blocks.seed(block);
                (format!("--block {block}"), vec![("block", block.to_string()), ("seed", seed.to_string())])
            }
            (None, seed) => {
                let seed = seed.unwrap_or_default().to_string();
                (format!("--seed {seed}"), vec![("seed", seed)])
            }
        };
        let players: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let leg = if args.leg > 0 { format!(" --leg {}", args.leg) } else { String::new() };
        let of = quoted_path(&args.of);
        let command =
            format!("gauntlet show {of} --player {} {which}{leg} --values", players.join(" --against "));
        let title = format!("{} in {}", plan.title(lineup), shown(folder));
        Ok(GamePage { path, game: Game { title, facts, command, ..Game::default() } })
    }
}

impl Audience for GamePage<'_> {
    fn asks(&self) -> bool {
        true
    }

    fn see(&mut self, step: &Step, _out: &mut dyn Write) -> anyhow::Result<()> {
        self.game.moments.push(Moment {
            mv: step.mv.map(str::to_owned),
            depth: step.depth,
            weighed: step.weighed.to_vec(),
            standing: standing(step.outcome),
            rows: Moment::rows(step.position),
        });
        Ok(())
    }

    fn end(&mut self, end: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
        let end = end.unwrap_or("the program of a player broke here");
        self.game.end = end.to_owned();
        let html = game::page(&self.game);
        if self.path == Path::new("-") {
            return Ok(out.write_all(html.as_bytes())?);
        }
        write_to(self.path, &html)?;
        Ok(writeln!(out, "{} is written: {end}", shown(self.path))?)
    }
}
