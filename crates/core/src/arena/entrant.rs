//! A player as an experiment enters it, and the seam at which the type of a game disappears.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use serde_json::{Value, json};

use super::audience::{Step, retell};
use super::contest::{Again, Contest, Failures, Worker, build};
use super::flaw::flaw_of;
use super::guard::guarded;
use super::serve::Server;
use crate::assets::Assets;
use crate::game::{Block, Diagram, Game, Seat, Shape};
use crate::player::{Kit, Misfit, NoMove, Recipe, Served, Start, Thought};
use crate::record::GameRecord;

/// A player as an experiment enters it: settings checked, rules known.
#[derive(Clone)]
pub struct Entrant {
    /// Its algorithm.
    pub algorithm: &'static str,
    /// All its settings, defaults included: what identifies the player, with its files.
    pub settings: Value,
    /// The large constant files that it is built from; empty until they are opened.
    pub files: Vec<FileUsed>,
    /// Further identity ([`Recipe::identity`]); none until its files are opened.
    pub identity: Option<String>,
    seated: Arc<dyn AnySeated>,
}

/// A large constant file that a player is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUsed {
    /// The setting that names it.
    pub setting: &'static str,
    /// Its path, as the experiment writes it.
    pub path: PathBuf,
    /// Its digest ([`Assets::identity`]).
    pub digest: String,
}

impl Entrant {
    /// Enters a player that need not be in any table. Its settings must differ from those of every other player of its
    /// algorithm.
    pub fn of<G: Game>(
        algorithm: &'static str,
        settings: Value,
        recipe: Arc<dyn Recipe<G>>,
        rules: G::Rules,
    ) -> Entrant {
        let seated = Arc::new(Seated::<G> { recipe, rules: Arc::new(rules), failures: Failures::default() });
        Entrant { algorithm, settings, files: Vec::new(), identity: None, seated }
    }

    /// Shape of its game.
    pub fn shape(&self) -> Shape {
        self.seated.shape()
    }

    /// True if equal seeds make equal games.
    pub fn is_reproducible(&self) -> bool {
        self.seated.is_reproducible()
    }

    /// The settings without what cannot change a move ([`Recipe::normal_form`]), if some of them cannot.
    pub fn normal_form(&self) -> Option<Value> {
        self.seated.normal_form()
    }

    /// True if the player needs anything that lies outside the program: files, or an identity besides its
    /// settings.
    pub fn needs_files(&self) -> bool {
        let is_plain = || matches!(self.seated.identity(&Assets::default()), Ok(None));
        self.identity.is_some() || self.command().is_some() || !self.seated.files().is_empty() || !is_plain()
    }

    /// The words by which it is started, where it is another program ([`Recipe::command`]).
    pub fn command(&self) -> Option<Vec<String>> {
        self.seated.command()
    }

    /// Words of its program about itself when it is started ([`Recipe::greeting`]).
    pub fn greeting(&self, kit: &Kit) -> anyhow::Result<Option<String>> {
        self.seated.greeting(kit)
    }

    /// Bytes that one such player needs ([`Recipe::memory`]).
    pub fn memory(&self) -> u64 {
        self.seated.memory()
    }

    /// Threads that one such player thinks with ([`Recipe::threads`]).
    pub fn threads(&self) -> usize {
        self.seated.threads()
    }

    /// What of the player does not fit its rules ([`Recipe::misfit`]).
    pub fn misfit(&self) -> Option<Misfit> {
        self.seated.misfit()
    }

    /// Paths of the files that the player is built from.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.seated.files().into_iter().map(|(_, path)| path)
    }

    /// Opens the files that the player is built from, and keeps their digests. Each mistake comes with the setting that
    /// names the file, or with none where it is of the player as a whole.
    pub fn open_files(&mut self, assets: &Assets) -> Result<(), Vec<(Option<&'static str>, String)>> {
        let mut mistakes = Vec::new();
        let mut files = Vec::new();
        for (setting, path) in self.seated.files() {
            let digest = self.seated.decode_file(setting, assets).and_then(|()| assets.identity(&path));
            match digest {
                Ok(digest) => files.push(FileUsed { setting, path, digest }),
                Err(mistake) => mistakes.push((Some(setting), format!("{mistake:#}"))),
            }
        }
        match self.seated.identity(assets) {
            Ok(identity) => self.identity = identity,
            Err(mistake) => mistakes.push((None, format!("{mistake:#}"))),
        }
        self.files = files;
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    /// Reason why no game of this player's can have this record; none if one can.
    pub fn flaw(&self, record: &GameRecord, max_moves: Option<u32>) -> Option<String> {
        self.seated.flaw(record, max_moves)
    }

    /// Shows every step of a game of which the moves are known. The player is not asked.
    pub fn retell(&self, block: Block, moves: &[&str], show: &mut dyn FnMut(&Step)) -> anyhow::Result<()> {
        self.seated.retell(block, moves, show)
    }

    /// The player as other programs ask it, under this name.
    pub fn served(&self, name: &str, kit: &Kit) -> Box<dyn Served> {
        self.seated.served(name, kit)
    }

    /// Asks the player, freshly begun, for its move.
    pub fn ponder(&self, diagram: &Diagram, seed: u64, kit: &Kit) -> anyhow::Result<Value> {
        self.seated.ponder(diagram, seed, kit)
    }
}

/// Builds the players of a line-up, for one thread. `max_moves` ends a game early.
///
/// # Panics
/// If the line-up has not one player for each seat of one game.
pub fn worker(lineup: &[&Entrant], max_moves: Option<u32>, kit: &Kit) -> anyhow::Result<Worker> {
    let (first, rivals) = split(lineup);
    first.worker(&rivals, max_moves, kit)
}

/// Plays a game again and shows every step of it.
///
/// # Panics
/// If the line-up has not one player for each seat of one game.
pub fn replay(
    lineup: &[&Entrant],
    max_moves: Option<u32>,
    game: Again,
    kit: &Kit,
    show: &mut dyn FnMut(&Step),
) -> anyhow::Result<(GameRecord, Option<String>)> {
    let (first, rivals) = split(lineup);
    first.replay(&rivals, max_moves, game, kit, show)
}

fn split<'a>(lineup: &[&'a Entrant]) -> (&'a dyn AnySeated, Vec<&'a dyn AnySeated>) {
    let (first, rivals) = lineup.split_first().expect("a line-up has a player");
    (&*first.seated, rivals.iter().map(|rival| &*rival.seated).collect())
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.settings)
    }
}

/// The seam at which the type of a game disappears. The rivals of a player are of the same game.
trait AnySeated: Any + Send + Sync {
    fn shape(&self) -> Shape;
    fn is_reproducible(&self) -> bool;
    fn normal_form(&self) -> Option<Value>;
    fn files(&self) -> Vec<(&'static str, PathBuf)>;
    fn decode_file(&self, setting: &str, assets: &Assets) -> anyhow::Result<()>;
    fn identity(&self, assets: &Assets) -> anyhow::Result<Option<String>>;
    fn command(&self) -> Option<Vec<String>>;
    fn greeting(&self, kit: &Kit) -> anyhow::Result<Option<String>>;
    fn memory(&self) -> u64;
    fn threads(&self) -> usize;
    fn misfit(&self) -> Option<Misfit>;
    fn worker(&self, rivals: &[&dyn AnySeated], max_moves: Option<u32>, kit: &Kit) -> anyhow::Result<Worker>;
    fn replay(
        &self,
        rivals: &[&dyn AnySeated],
        max_moves: Option<u32>,
        game: Again,
        kit: &Kit,
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<(GameRecord, Option<String>)>;
    fn retell(&self, block: Block, moves: &[&str], show: &mut dyn FnMut(&Step)) -> anyhow::Result<()>;
    fn served(&self, name: &str, kit: &Kit) -> Box<dyn Served>;
    fn flaw(&self, record: &GameRecord, max_moves: Option<u32>) -> Option<String>;
    fn ponder(&self, diagram: &Diagram, seed: u64, kit: &Kit) -> anyhow::Result<Value>;
}

struct Seated<G: Game> {
    recipe: Arc<dyn Recipe<G>>,
    rules: Arc<G::Rules>,
    failures: Failures,
}

impl<G: Game> Seated<G> {
    fn contest(
        &self,
        rivals: &[&dyn AnySeated],
        max_moves: Option<u32>,
        kit: &Kit,
    ) -> anyhow::Result<Contest<G>> {
        let member_of = |seated: &Seated<G>| (seated.recipe.clone(), seated.failures.clone());
        let rivals = rivals.iter().map(|&rival| {
            let rival: &dyn Any = rival;
            member_of(rival.downcast_ref().expect("players of one game"))
        });
        let recipes = std::iter::once(member_of(self)).chain(rivals).collect();
        Contest::new(recipes, self.rules.clone(), max_moves, kit)
    }
}

impl<G: Game> AnySeated for Seated<G> {
    fn shape(&self) -> Shape {
        G::SHAPE
    }

    fn is_reproducible(&self) -> bool {
        self.recipe.is_reproducible()
    }

    fn normal_form(&self) -> Option<Value> {
        self.recipe.normal_form()
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let files = self.recipe.files().into_iter();
        files.map(|(setting, path)| (setting, path.to_owned())).collect()
    }

    fn decode_file(&self, setting: &str, assets: &Assets) -> anyhow::Result<()> {
        self.recipe.decode_file(setting, assets)
    }

    fn identity(&self, assets: &Assets) -> anyhow::Result<Option<String>> {
        self.recipe.identity(assets)
    }

    fn command(&self) -> Option<Vec<String>> {
        self.recipe.command().map(<[String]>::to_vec)
    }

    fn greeting(&self, kit: &Kit) -> anyhow::Result<Option<String>> {
        guarded(|| self.recipe.greeting(&self.rules, kit)).map_err(anyhow::Error::msg)?
    }

    fn memory(&self) -> u64 {
        self.recipe.memory()
    }

    fn threads(&self) -> usize {
        self.recipe.threads()
    }

    fn misfit(&self) -> Option<Misfit> {
        self.recipe.misfit(&self.rules)
    }

    fn worker(&self, rivals: &[&dyn AnySeated], max_moves: Option<u32>, kit: &Kit) -> anyhow::Result<Worker> {
        let mut contest = self.contest(rivals, max_moves, kit)?;
        Ok(Box::new(move |blocks| contest.play_all(blocks)))
    }

    fn replay(
        &self,
        rivals: &[&dyn AnySeated],
        max_moves: Option<u32>,
        game: Again,
        kit: &Kit,
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<(GameRecord, Option<String>)> {
        self.contest(rivals, max_moves, kit)?.replay(game, show)
    }

    fn retell(&self, block: Block, moves: &[&str], show: &mut dyn FnMut(&Step)) -> anyhow::Result<()> {
        retell::<G>(&self.rules, block, moves, show)
    }

    fn served(&self, name: &str, kit: &Kit) -> Box<dyn Served> {
        let (recipe, rules) = (self.recipe.clone(), self.rules.clone());
        let players = BTreeMap::new();
        Box::new(Server { name: name.to_owned(), recipe, rules, kit: kit.clone(), players })
    }

    fn flaw(&self, record: &GameRecord, max_moves: Option<u32>) -> Option<String> {
        flaw_of::<G>(&self.rules, record, max_moves)
    }

    fn ponder(&self, diagram: &Diagram, seed: u64, kit: &Kit) -> anyhow::Result<Value> {
        let position = G::set_up(&self.rules, diagram).map_err(anyhow::Error::msg)?;
        let mut player = build(&*self.recipe, kit)?;
        let none = |why: &str, said: &str| json!({ "move": null, "value": null, "nodes": 0, "depth": null, why: said });
        let answer = guarded(|| {
            let seat = position.to_move().unwrap_or(Seat::First);
            player.begin(&Start { seed: Block::of_seed(seed).seat(0, seat), seat, rules: &self.rules });
            let thought = player.choose(&position);
            // They are of this choice: to weigh its moves may be another search.
            let remarks = player.remarks();
            let mut answer = match thought {
                Ok(Thought { mv, value, nodes, depth }) => {
                    let mut answer =
                        json!({ "move": mv.to_string(), "value": value, "nodes": nodes, "depth": depth });
                    if let Some(number) = position.number_of(mv) {
                        answer["cell"] = number.into();
                    }
                    let weighed = player.weigh(&position);
                    if kit.stop.is_asked() {
                        return None;
                    }
                    if !weighed.is_empty() {
                        let values = weighed.into_iter().map(|(mv, worth)| (mv.to_string(), worth.into()));
                        answer["values"] = Value::Object(values.collect());
                    }
                    answer
                }
                Err(NoMove::Forfeit(forfeit)) => none(&forfeit.fault.name().replace('-', "_"), &forfeit.why),
                Err(NoMove::Interrupted) => return None,
                Err(NoMove::CannotStart(why)) => none("cannot_start", &why),
            };
            for (name, remark) in remarks {
                answer[name] = remark;
            }
            Some(answer)
        });
        answer.unwrap_or_else(|said| Some(none("panic", &said))).context("stopped before the player answered")
    }
}
