//! Players that ask endgame tables before they search.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::game::Seat;
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, FileMistake, FileUsed, Inspect, NoMove, Player, Preparation,
    RecipeIdentity, RulesMismatch, Start, TableMove,
};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::{Direction, Rules, Twenty48};
use serde_json::Value;

use crate::answers::{Advice, Source, TableFolder, parse_sources};

/// Version of the answers that players take from tables. A change of answers must increase it:
/// then games with tables are played again. The short games of a signature ask no table.
const ANSWER_VERSION: u32 = 1;

/// Tables of a player, from its settings `endgames` and `endgame_order`.
#[derive(Clone, Debug)]
pub struct Endgames {
    /// Folder of the tables.
    folder: PathBuf,
    /// Order in which they are asked.
    order: Vec<Source>,
    /// True if the order is a setting. Then each of its tables must be in the folder.
    is_set: bool,
}

impl Endgames {
    /// Returns the tables of these settings, if a folder is set. `default_order` is the order if
    /// none is set.
    pub fn from_settings(
        folder: Option<&PathBuf>,
        order: Option<&Vec<Source>>,
        default_order: &[&str],
    ) -> Option<Endgames> {
        let (folder, is_set) = (folder?.clone(), order.is_some());
        Some(Endgames {
            folder,
            order: order.cloned().unwrap_or_else(|| parse_sources(default_order)),
            is_set,
        })
    }

    /// Returns the folder of the tables, with the setting that names it.
    pub fn folder(&self) -> (&'static str, PathBuf) {
        ("endgames", self.folder.clone())
    }

    /// Returns the order in which tables are asked.
    pub fn order(&self) -> &[Source] {
        &self.order
    }

    /// Opens the tables, and returns those of the order. Their bytes are checked when they are
    /// asked, or now if the command verifies all files.
    pub fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        let tables = self.tables(assets).map_err(|error| FileMistake::new("endgames", &error))?;
        let is_present = |source: &Source| tables.tables_of_source(source).next().is_some();
        if self.is_set {
            if let Some(source) = self.order.iter().find(|source| !is_present(source)) {
                let error = anyhow!("the table {} is not in the folder of `endgames`", source.name());
                return Err(FileMistake::new("endgame_order", &error));
            }
        } else if !self.order.iter().any(is_present) {
            let names: Vec<String> = self.order.iter().map(Source::name).collect();
            let error = anyhow!("no table of the default order is in this folder: {}", names.join(", "));
            return Err(FileMistake::new("endgames", &error));
        }
        let files = tables.tables_of_sources(&self.order).map(|table| FileUsed {
            setting: "endgames",
            path: self.folder.join(table.path().file_name().unwrap_or_default()),
            digest: table.digest().to_owned(),
        });
        let files = files.collect();
        Ok(RecipeIdentity { files, version: Some(format!("endgames {ANSWER_VERSION}")) })
    }

    /// Opens the tables.
    fn tables(&self, assets: &AssetFiles) -> anyhow::Result<Arc<TableFolder>> {
        let tables = assets.open(&self.folder, TableFolder::open)?;
        for table in tables.tables_of_sources(&self.order) {
            if assets.verifies_all() {
                table.check()?;
            }
            assets.watch(table.path())?;
        }
        Ok(tables)
    }

    /// Returns what is wrong with an order that has no folder or no table.
    pub fn contradiction(
        folder: Option<&PathBuf>,
        order: Option<&Vec<Source>>,
    ) -> Option<(&'static str, String)> {
        let message = match order?[..] {
            _ if folder.is_none() => "has no effect without `endgames`",
            [] => "is empty: name a table, or leave it out",
            [..] => return None,
        };
        Some(("endgame_order", message.to_owned()))
    }

    /// Returns how tables do not fit rules under which new tiles appear otherwise.
    pub fn find_mismatch(rules: &Rules) -> Option<RulesMismatch> {
        (!rules.have_original_spawns()).then(|| RulesMismatch {
            difference: "has endgame tables for the usual new tiles, but the rules have others".to_owned(),
            fitting_setting: "no `endgames`".to_owned(),
        })
    }

    /// Creates a player that asks the tables first. `build` makes the player that is asked if no
    /// table has an answer.
    pub fn build_player(
        &self,
        context: &BuildContext,
        build: impl Fn() -> anyhow::Result<Box<dyn Player<Twenty48>>> + Send + 'static,
    ) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let (tables, order) = (self.tables(&context.assets)?, self.order.clone());
        let player = build()?;
        Ok(Box::new(EndgamePlayer {
            tables,
            order,
            preparation: context.preparation.clone(),
            player,
            build: Box::new(build),
            search_player: None,
            start: None,
            last_answer: None,
        }))
    }
}

/// Player that asks tables first.
struct EndgamePlayer {
    tables: Arc<TableFolder>,
    order: Vec<Source>,
    /// Account of the checks of tables, which are no thinking.
    preparation: Preparation,
    player: Box<dyn Player<Twenty48>>,
    build: Box<dyn Fn() -> anyhow::Result<Box<dyn Player<Twenty48>>> + Send>,
    /// Second player, which shows what a search would choose where a table answered.
    search_player: Option<Box<dyn Player<Twenty48>>>,
    /// Seed, seat and rules of the game.
    start: Option<(Seed, Seat, Rules)>,
    /// Answer of the tables to the last position, if they had one.
    last_answer: Option<(Twenty48, Advice)>,
}

impl Player<Twenty48> for EndgamePlayer {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.start = Some((start.seed, start.seat, *start.rules));
        self.last_answer = None;
        self.player.begin(start);
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let advice = self
            .tables
            .ask(&self.order, position.board().cells(), &self.preparation)
            .map_err(|error| NoMove::cannot_play(format!("{error:#}")))?;
        self.last_answer = advice.map(|advice| (position.clone(), advice));
        match advice {
            Some(Advice { direction, probability, .. }) => {
                Ok(Choice { value: Some(probability), is_from_table: true, ..Choice::new(direction) })
            }
            None => self.player.choose(position),
        }
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for EndgamePlayer {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        match self.last_answer {
            Some(_) => Vec::new(),
            None => self.player.abilities().counters(),
        }
    }

    fn table_move(&mut self) -> Option<TableMove<Direction>> {
        let (position, advice) = self.last_answer.as_ref()?;
        // Another player searches, because a search may change later choices of this one.
        if self.search_player.is_none() {
            self.search_player = (self.build)().ok();
        }
        let (seed, seat, rules) = self.start.as_ref()?;
        let search = self.search_player.as_mut().and_then(|search_player| {
            search_player.begin(&Start { seed: *seed, seat: *seat, rules });
            Some(search_player.choose(position).ok()?.mv)
        });
        Some(TableMove { name: advice.kind.to_string(), probability: advice.probability, search })
    }

    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        match &self.last_answer {
            Some((_, advice)) => Direction::ALL
                .into_iter()
                .filter_map(|direction| Some((direction, advice.moves[direction as usize]?)))
                .collect(),
            None => self.player.abilities().move_values(position),
        }
    }
}
