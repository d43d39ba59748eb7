//! Players of one or several results, compared from files alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use gauntlet_core::diagnostic::nearest;
use gauntlet_core::game::Shape;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::Table;
use gauntlet_core::text::display_path;
use gauntlet_run::sample::matched_games::MatchedGames;
use gauntlet_run::sample::{self, Sample};
use gauntlet_run::tally::meeting::{Meeting, Meetings};
use gauntlet_run::tally::player_times::PlayerTimes;
use gauntlet_stats::{Estimate, wilson};

use crate::compare::comparison::ComparedPlayer;
use crate::compare::earlier_looks::EarlierLooks;
use crate::compare::stop::StopTest;
use crate::compare::time::ms_per_move;
use crate::results::store::read::Results;
use crate::results::tables::duels;
use crate::results::tables::settings;

/// A player of some results.
#[derive(Debug)]
pub struct Contestant {
    /// Name; if several results have a player of this name, with the name of the results.
    pub label: String,
    /// Name in the experiment.
    pub name: String,
    /// Index of its results.
    pub results_index: usize,
    /// Number of games.
    pub(super) games: u64,
    /// Games, reduced to the measures needed.
    pub(super) sample: Sample,
    /// True if a `[stop]` may have ended its run.
    pub(super) may_stop: bool,
    /// Answer of the `[stop]`, if it compares two players.
    pub(super) stop: Option<Arc<StopTest>>,
    /// Games against others, if players of a duel are compared by points.
    pub(super) duels: Option<Duels>,
    /// Thinking time, if known.
    pub(super) times: Option<PlayerTimes>,
    /// Earlier answers about its results.
    pub(super) earlier_looks: Arc<EarlierLooks>,
    /// Mean score, if the game has scores; it orders players with equal numbers of wins.
    pub(super) mean_score: Option<f64>,
}

/// A player's games against others.
#[derive(Clone, Debug)]
pub(super) struct Duels {
    /// Index of the player in its experiment.
    player_index: usize,
    /// Rating in the experiment.
    elo: Option<Estimate>,
    /// All pairings of the experiment.
    meetings: Arc<Meetings>,
}

impl Contestant {
    /// Makes the player a side of a comparison.
    pub(super) fn as_compared_player(&self) -> ComparedPlayer<'_> {
        let Contestant { label, games, sample, times: clock, results_index: results, .. } = self;
        ComparedPlayer { name: label, games: *games, sample, clock: clock.as_ref(), run: *results }
    }

    /// Returns the games against another player; `None` if they did not meet.
    pub(super) fn meeting(&self, other: &Contestant) -> Option<Meeting> {
        let (own, others) = (self.duels.as_ref()?, other.duels.as_ref()?);
        if self.results_index != other.results_index {
            return None;
        }
        own.meetings.meeting(own.player_index, others.player_index)
    }

    /// Returns true if this player is that of earlier results, with the same games.
    fn repeats(&self, earlier: &Contestant) -> bool {
        let is_candidate = self.results_index != earlier.results_index
            && self.name == earlier.name
            // The test of a run that may stop is about players of that run.
            && !(self.may_stop || earlier.may_stop)
            && self.games > 0
            && self.games == earlier.games;
        is_candidate && {
            let games = MatchedGames::new(&earlier.sample, &self.sample);
            games.count() == self.games && games.has_equal_scores()
        }
    }

    /// Returns the number of earlier answers about this and another player. If their results
    /// differ, each may have had some.
    pub(super) fn earlier_answers(&self, other: &Contestant) -> usize {
        match self.results_index == other.results_index {
            true => self.earlier_looks.count_about(&[&self.name, &other.name]),
            false => {
                self.earlier_looks.count_about(&[&self.name])
                    + other.earlier_looks.count_about(&[&other.name])
            }
        }
    }
}

/// Reads all players of some results, in order, with the parts of their games that these measures
/// need.
pub fn read_contestants(results: &[Results], measures: &[Measure]) -> anyhow::Result<Vec<Contestant>> {
    let mut contestants = read_all_players(results, measures)?;
    label_namesakes(&mut contestants, results);
    Ok(contestants)
}

/// Reads the players of some results, each once: a player is left out if an earlier folder has it
/// with the same games. The measures include scores.
pub fn read_distinct_contestants(
    results: &[Results],
    measures: &[Measure],
) -> anyhow::Result<Vec<Contestant>> {
    let mut contestants: Vec<Contestant> = Vec::new();
    for one in read_all_players(results, measures)? {
        if !contestants.iter().any(|earlier| one.repeats(earlier)) {
            contestants.push(one);
        }
    }
    label_namesakes(&mut contestants, results);
    Ok(contestants)
}

fn read_all_players(results: &[Results], measures: &[Measure]) -> anyhow::Result<Vec<Contestant>> {
    let mut contestants = Vec::new();
    for (results_index, results) in results.iter().enumerate() {
        contestants.extend(read_players(results, results_index, measures)?);
    }
    Ok(contestants)
}

/// Reads the players of the results with this index.
fn read_players(
    results: &Results,
    results_index: usize,
    measures: &[Measure],
) -> anyhow::Result<Vec<Contestant>> {
    let mut clocks = results.read_times()?;
    let earlier_looks = Arc::new(results.earlier_answers());
    let mean_scores = results.mean_scores()?;
    let (meetings, samples) = match results.experiment.arena().shape {
        Shape::Duel => {
            (Some(Arc::new(results.meetings()?)), sample::empty_samples(&results.plan(), measures))
        }
        Shape::Solo => (None, results.samples(measures)?),
    };
    let mut games: Vec<u64> = samples.iter().map(|(_, sample)| sample.games()).collect();
    let mut ratings = vec![None; samples.len()];
    if let Some(meetings) = &meetings {
        games.fill(0);
        for (members, meeting) in meetings.iter() {
            members.iter().for_each(|&member| games[member] += meeting.games());
        }
        if measures.contains(&Measure::Points) {
            ratings = duels::ratings(samples.len(), meetings, results.experiment.anchor());
        }
    }
    let player = |(player_index, (name, sample)): (usize, (String, Sample))| Contestant {
        label: name.clone(),
        results_index,
        games: games[player_index],
        sample,
        may_stop: results.experiment.sections().stop.is_some(),
        stop: results.stop.clone(),
        duels: meetings.clone().map(|meetings| Duels { player_index, elo: ratings[player_index], meetings }),
        times: clocks.remove(&name),
        earlier_looks: Arc::clone(&earlier_looks),
        mean_score: mean_scores.get(&name).copied(),
        name,
    };
    let is_played = |(_, (name, _)): &(usize, (String, Sample))| !results.run.skipped.contains_key(name);
    Ok(samples.into_iter().enumerate().filter(is_played).map(player).collect())
}

/// Adds the name of the results to labels of players with equal names.
fn label_namesakes(contestants: &mut [Contestant], results: &[Results]) {
    // Number of players with each name, and number of these in results with equal names.
    let (mut name_counts, mut label_counts) = (BTreeMap::new(), BTreeMap::new());
    for contestant in &*contestants {
        *name_counts.entry(contestant.name.clone()).or_insert(0) += 1;
        *label_counts
            .entry((contestant.name.clone(), results[contestant.results_index].name()))
            .or_insert(0) += 1;
    }
    for one in contestants {
        let own_results = &results[one.results_index];
        one.label = match (name_counts[&one.name], label_counts[&(one.name.clone(), own_results.name())]) {
            (1, _) => continue,
            (_, 1) => format!("{} ({})", one.name, own_results.name()),
            _ => format!("{} ({})", one.name, display_path(&own_results.folder)),
        };
    }
}

/// Makes the table of all players' settings, by label.
pub fn settings(results: &[Results], contestants: &[Contestant]) -> anyhow::Result<Table> {
    let tables = results.iter().map(Results::settings).collect::<anyhow::Result<Vec<_>>>()?;
    let players = contestants.iter().map(|one| (&*one.label, &tables[one.results_index], &*one.name));
    Ok(settings::label_players(players))
}

/// Which pairs of players are compared.
#[derive(Clone, Debug)]
pub enum PairChoice {
    /// Every pair of players.
    AllPairs,
    /// All players with this one.
    Baseline(String),
    /// All players with the first one.
    First,
}

/// Returns the indices of the players to compare, each with its baseline. An unknown name is an
/// error.
pub fn pairs(contestants: &[Contestant], choice: &PairChoice) -> Result<Vec<(usize, usize)>, String> {
    let indices = || 0..contestants.len();
    let pairs_with = |baseline: usize| {
        indices().filter(move |&other| other != baseline).map(move |other| (other, baseline))
    };
    Ok(match choice {
        PairChoice::AllPairs => all_pairs(contestants.len()).collect(),
        PairChoice::Baseline(name) => pairs_with(find_player(contestants, name)?).collect(),
        PairChoice::First => pairs_with(0).collect(),
    })
}

/// Iterates over all pairs of this many players, by index.
pub fn all_pairs(players: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..players).flat_map(move |one| (one + 1..players).map(move |other| (one, other)))
}

/// Pairs players of later results with players of equal names in the first results that have them.
pub fn namesake_pairs(contestants: &[Contestant]) -> Vec<(usize, usize)> {
    let mut firsts = BTreeMap::new();
    let namesake_pairs =
        (0..contestants.len()).map(|one| (one, *firsts.entry(&contestants[one].name).or_insert(one)));
    namesake_pairs
        .filter(|&(one, first)| contestants[first].results_index != contestants[one].results_index)
        .collect()
}

/// Finds a player by its label, or by its name if that is unique.
fn find_player(contestants: &[Contestant], name: &str) -> Result<usize, String> {
    let by_label = contestants.iter().position(|one| one.label == name);
    if let Some(index) = by_label {
        return Ok(index);
    }
    let labels: Vec<_> = contestants.iter().filter(|one| one.name == name).map(|one| &*one.label).collect();
    if let [one, other, ..] = labels[..] {
        return Err(format!("several players are named {name:?}: use {one:?} or {other:?}"));
    }
    let suggestion = nearest(name, contestants.iter().map(|one| &*one.label));
    let hint = suggestion.map_or_else(String::new, |suggestion| format!("; did you mean {suggestion:?}?"));
    Err(format!("no such player: {name:?}{hint}"))
}

/// Returns the players that are in no pair.
pub fn unpaired_players<'a>(contestants: &'a [Contestant], pairs: &[(usize, usize)]) -> Vec<&'a str> {
    let players = contestants.iter().enumerate();
    let unpaired =
        players.filter(|(index, _)| !pairs.iter().any(|&(one, other)| one == *index || other == *index));
    unpaired.map(|(_, one)| &*one.label).collect()
}

/// Sorts players by their values and returns their indices and values, with bounds of this level.
/// The best is first: the smallest time, or the largest value of another measure. A player without
/// a value is last. Players with equal values are ordered by mean score, then as in the list.
pub fn sort_by_strength(
    contestants: &[Contestant],
    measure: Measure,
    level: f64,
) -> (Vec<usize>, Vec<Option<Estimate>>) {
    let values: Vec<_> = contestants.iter().map(|one| measured_value(one, measure, level)).collect();
    let sign = if measure.is_time() { 1.0 } else { -1.0 };
    let key = |index: usize| values[index].map_or(f64::INFINITY, |estimate| sign * estimate.value);
    let score = |index: usize| contestants[index].mean_score.unwrap_or(f64::NEG_INFINITY);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| {
        key(one).total_cmp(&key(other)).then_with(|| score(other).total_cmp(&score(one)))
    });
    (order, values)
}

/// Returns a player's value, with bounds of this level.
pub(super) fn measured_value(one: &Contestant, measure: Measure, level: f64) -> Option<Estimate> {
    match measure {
        Measure::Win | Measure::Reach(_) => wilson(one.sample.successes(measure), one.sample.games(), level),
        Measure::MsPerMove => ms_per_move(one.times.as_ref()?, level),
        Measure::Points => one.duels.as_ref()?.elo,
        Measure::Score => one.sample.distribution().mean(level),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use gauntlet_core::game::Outcome;
    use gauntlet_core::record::{Ending, GameRecord};
    use gauntlet_run::blocks::BlockSeeds;
    use gauntlet_run::sample::ExperimentBlocks;

    use super::*;

    /// Makes a player from the scores of its games, each with whether it was won.
    pub(crate) fn contestant_of_games(
        name: String,
        outcomes: &[(u64, bool)],
        clock: Option<PlayerTimes>,
    ) -> Contestant {
        let record = |&(score, won): &(u64, bool)| GameRecord {
            outcome: Outcome::Points { score, won },
            facts: Default::default(),
            moves: 1,
            ending: Ending::GameOver,
        };
        let games = outcomes.len() as u64;
        let mut sample = Sample::new(
            ExperimentBlocks::new(BlockSeeds::Derived { seed: 1, games }),
            &[Measure::Win, Measure::Score],
        );
        sample.add(0, &outcomes.iter().map(record).collect::<Vec<_>>());
        let sum: u64 = outcomes.iter().map(|(score, _)| score).sum();
        Contestant {
            label: name.clone(),
            name,
            results_index: 0,
            games,
            sample,
            may_stop: false,
            stop: None,
            duels: None,
            times: clock,
            earlier_looks: Arc::default(),
            mean_score: Some(sum as f64 / games as f64),
        }
    }
}
