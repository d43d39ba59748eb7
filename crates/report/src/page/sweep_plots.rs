//! Measures against the settings in which players of one algorithm differ, taken from the table of
//! settings, not from names. A line joins players that differ only in this setting, so further
//! settings make further lines.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_analysis::results::analysis::standing::{Standing, StrengthMeasure};
use gauntlet_analysis::results::tables::settings::{add_settings_columns, keep_differing};
use gauntlet_core::table::{Cell, Table};
use gauntlet_core::text::shorten_number;

use super::figures::Figure;
use super::plots::Plot;
use super::plots::curves::{Curve, Curves, MAX_CURVES, PlotPoint};
use super::plots::heat_map::{self, SettingAxis, Square};
use super::plots::intervals::Unit;

/// The most settings that a page plots.
const MAX_SETTINGS: usize = 8;

/// If a setting has more values than this, it is not plotted, because points would overlap.
const MAX_VALUES: usize = 200;

/// The most values of a setting in a heat map, whose squares are as wide as their numbers.
const MAX_SQUARES: usize = 40;

/// The axis is logarithmic if the largest number is more than this many times the smallest.
const LOG_AXIS_RATIO: f64 = 50.0;

/// A player with its settings, in the order of their columns.
#[derive(Clone)]
struct Player<'a> {
    standing: &'a Standing,
    algorithm: &'a str,
    values: Vec<String>,
}

/// A setting with its lines.
struct SweptSetting<'a> {
    key: usize,
    name: &'a str,
    lines: Vec<(String, Vec<&'a Player<'a>>)>,
}

impl SweptSetting<'_> {
    /// Returns by how much the measure differs along a line, on average.
    fn mean_effect(&self, measure: StrengthMeasure) -> f64 {
        let line_effect = |players: &[&Player]| {
            let values = players.iter().filter_map(|player| Some(measure.value(player.standing)?.value));
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            (high - low).max(0.0)
        };
        self.lines.iter().map(|(_, players)| line_effect(players)).sum::<f64>() / self.lines.len() as f64
    }
}

/// Plots win rates (if they differ) and scores, or Elo, against each setting, sorted by how much
/// the measure differs. Adds heat maps for pairs of settings.
pub(super) fn plot_sweeps(
    standings: &[Standing],
    measure: StrengthMeasure,
    rates: &Table,
    settings: &Table,
) -> Vec<Figure> {
    let (all_settings, settings) = (settings, &keep_differing(settings));
    let keys: Vec<&str> = settings.columns.iter().map(|column| column.name).collect();
    let all_players: Vec<Player> =
        standings.iter().filter_map(|one| find_player(one, all_settings, settings)).collect();
    let mut figures = Vec::new();
    let mut used_names = Vec::new();
    let setting_keys = keys.iter().enumerate().filter(|(_, name)| !["player", "algorithm"].contains(name));
    let swept_settings = setting_keys.map(|(key, name)| SweptSetting {
        key,
        name,
        lines: group_lines(&all_players, key, &keys),
    });
    let swept_settings = swept_settings.filter(|setting| !setting.lines.is_empty());
    let value_count = |key: usize| {
        let values =
            all_players.iter().map(|player| player.values[key].as_str()).filter(|value| !value.is_empty());
        values.collect::<BTreeSet<_>>().len()
    };
    let (crowded, mut plotted): (Vec<SweptSetting>, Vec<SweptSetting>) =
        swept_settings.partition(|setting| value_count(setting.key) > MAX_VALUES);
    plotted.sort_by(|one, other| other.mean_effect(measure).total_cmp(&one.mean_effect(measure)));
    let omitted = plotted.split_off(plotted.len().min(MAX_SETTINGS));
    for SweptSetting { key, name, lines } in plotted {
        let file_part = unique_file_part(name, &mut used_names);
        let table = numbers_table(&lines[..lines.len().min(MAX_CURVES)], rates, settings);
        // Other values would stretch the axis to places without a point.
        let drawn_players: Vec<Player> =
            lines.iter().take(MAX_CURVES).flat_map(|(_, players)| players.iter().copied().cloned()).collect();
        let (values, is_log) = place_values(&drawn_players, settings, key);
        let values = (&*values, is_log);
        let file_name = |prefix: &str| format!("{prefix}-by-{file_part}");
        if measure == StrengthMeasure::WinRate {
            figures.extend(plot_against_setting(
                &file_name("win-rate"),
                (key, name),
                StrengthMeasure::WinRate,
                values,
                &lines,
                &table,
            ));
        }
        let last_plot = if measure == StrengthMeasure::Elo {
            ("elo", StrengthMeasure::Elo)
        } else {
            ("score", StrengthMeasure::Score)
        };
        figures.extend(plot_against_setting(
            &file_name(last_plot.0),
            (key, name),
            last_plot.1,
            values,
            &lines,
            &table,
        ));
    }
    figures.extend(explain_missing_plots(&crowded, &omitted));
    figures.extend(plot_heat_maps(&all_players, measure, &keys, settings, rates));
    figures
}

/// Plots slices through a player. Each plot shows the players that differ from it only in one
/// setting. A heat map shows the players that differ from it in two settings.
pub(super) fn plot_slices(
    player_name: &str,
    standings: &[Standing],
    measure: StrengthMeasure,
    rates: &Table,
    settings: &Table,
) -> Vec<Figure> {
    let (all_settings, settings) = (settings, &keep_differing(settings));
    let keys: Vec<&str> = settings.columns.iter().map(|column| column.name).collect();
    let all_players: Vec<Player> =
        standings.iter().filter_map(|one| find_player(one, all_settings, settings)).collect();
    let Some(center_player) = all_players.iter().find(|player| player.standing.name == player_name) else {
        return Vec::new();
    };
    let differs_in = |one: &Player, key: usize| one.values[key] != center_player.values[key];
    let players_varying = |free_keys: &[usize]| -> Vec<Player> {
        let is_in_slice = |player: &&Player| {
            (1..keys.len()).all(|key| free_keys.contains(&key) || !differs_in(player, key))
        };
        all_players.iter().filter(is_in_slice).cloned().collect()
    };
    let (mut figures, mut used_names) = (Vec::new(), Vec::new());
    for (key, name) in keys.iter().enumerate().filter(|(_, name)| !["player", "algorithm"].contains(name)) {
        let slice_players = players_varying(&[key]);
        let lines = group_lines(&slice_players, key, &keys);
        if lines.is_empty() || lines[0].1.len() < 3 {
            continue;
        }
        let (values, is_log) = place_values(&slice_players, settings, key);
        let table = numbers_table(&lines, rates, settings);
        let file = format!("slice-{}", unique_file_part(name, &mut used_names));
        let figure = plot_against_setting(&file, (key, name), measure, (&values, is_log), &lines, &table);
        let scale = if is_log { " The x axis is logarithmic." } else { "" };
        figures.extend(figure.map(|figure| Figure {
            caption: format!("Best point with other values of this setting. Bars are 95 % intervals.{scale}"),
            ..figure
        }));
    }
    let differing_keys =
        |one: &Player| (1..keys.len()).filter(|&key| differs_in(one, key)).collect::<Vec<_>>();
    if let Some(pair) = all_players.iter().map(differing_keys).find(|differing| differing.len() == 2) {
        let mut grid_players = players_varying(&pair);
        // Slices along one of the two settings have other values, which would leave gaps in the
        // map.
        let grid_values = |key: usize| -> BTreeSet<String> {
            let players =
                grid_players.iter().filter(|player| differing_keys(player).len() == 2).chain([center_player]);
            players.map(|player| player.values[key].clone()).collect()
        };
        let grid = [pair[0], pair[1]].map(|key| (key, grid_values(key)));
        grid_players.retain(|player| grid.iter().all(|(key, values)| values.contains(&player.values[*key])));
        figures.extend(plot_heat_maps(&grid_players, measure, &keys, settings, rates));
    }
    figures
}

/// Returns a note on settings without a plot.
fn explain_missing_plots(crowded: &[SweptSetting], omitted: &[SweptSetting]) -> Option<Figure> {
    let names = |settings: &[SweptSetting]| {
        settings.iter().map(|setting| format!("`{}`", setting.name)).collect::<Vec<_>>().join(", ")
    };
    let mut notes = Vec::new();
    if !omitted.is_empty() {
        notes.push(format!("Not shown: {}. Other settings have a larger effect.", names(omitted)));
    }
    if !crowded.is_empty() {
        notes.push(format!("Not shown: {}, with more than {MAX_VALUES} values.", names(crowded)));
    }
    (!notes.is_empty()).then(|| Figure::without_plot("not-drawn", "Settings without a plot", notes.join(" ")))
}

fn find_player<'a>(standing: &'a Standing, all_settings: &'a Table, settings: &Table) -> Option<Player<'a>> {
    let (index, row) =
        all_settings.rows().enumerate().find(|(_, row)| row.words("player") == standing.name)?;
    let values = settings.rows[index].iter().map(Cell::text).collect();
    Some(Player { standing, algorithm: row.words("algorithm"), values })
}

/// Returns groups of players that differ only in this setting, the group with the strongest player
/// first. Single players make no line.
fn group_lines<'a>(
    all_players: &'a [Player<'a>],
    key: usize,
    keys: &[&str],
) -> Vec<(String, Vec<&'a Player<'a>>)> {
    let other_values_of = |player: &Player| {
        let mut values = player.values.clone();
        (values[0], values[key]) = (String::new(), String::new());
        values
    };
    let mut lines: Vec<(Vec<String>, Vec<&Player>)> = Vec::new();
    // There may be thousands of groups of one player each.
    let mut line_indices: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for player in all_players.iter().filter(|one| !one.values[key].is_empty()) {
        let other_values = other_values_of(player);
        match line_indices.get(&other_values) {
            Some(&index) => lines[index].1.push(player),
            None => {
                line_indices.insert(other_values.clone(), lines.len());
                lines.push((other_values, vec![player]));
            }
        }
    }
    let distinct = |players: &[&Player]| {
        players.iter().map(|player| player.values[key].as_str()).collect::<BTreeSet<_>>().len()
    };
    lines.retain(|(_, players)| distinct(players) >= 2);
    // The name of a line consists of the words that the names of its players share.
    let shared_names: Vec<String> = lines.iter().map(|(_, players)| shared_words(players)).collect();
    let is_own = |words: &String| {
        !words.is_empty() && shared_names.iter().filter(|other| *other == words).count() == 1
    };
    let named_lines = lines.iter().zip(&shared_names).map(|((other_values, players), shared_name)| {
        if is_own(shared_name) {
            return (shared_name.clone(), players.clone());
        }
        let namesakes = || lines.iter().filter(|(_, other)| other[0].algorithm == players[0].algorithm);
        let differs_at = |index: usize| namesakes().any(|(other, _)| other[index] != other_values[index]);
        let extra_keys = (1..keys.len()).filter(|&index| keys[index] != "algorithm" && differs_at(index));
        let suffixes = extra_keys.map(|index| format!(" {}={}", keys[index], other_values[index]));
        (players[0].algorithm.to_owned() + &suffixes.collect::<String>(), players.clone())
    });
    named_lines.collect()
}

/// Returns the words that the names of all these players have in common, in the order of the first.
fn shared_words(players: &[&Player]) -> String {
    let names: Vec<Vec<&str>> =
        players.iter().map(|one| one.standing.name.split_whitespace().collect()).collect();
    let is_shared = |word: &&str| names.iter().all(|name| name.contains(word));
    names.first().into_iter().flatten().copied().filter(is_shared).collect::<Vec<_>>().join(" ")
}

fn parse_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the values of a setting with their positions, and whether the axis is logarithmic.
/// Numbers are on a scale, words are side by side.
fn place_values(players: &[Player], settings: &Table, key: usize) -> (Vec<(f64, String)>, bool) {
    let mut values: Vec<String> = Vec::new();
    // Words are in the order of the experiment.
    for text in settings.rows.iter().map(|row| row[key].text()) {
        let is_used = players.iter().any(|player| player.values[key] == text);
        if !text.is_empty() && is_used && !values.contains(&text) {
            values.push(text);
        }
    }
    let numbers: Option<Vec<f64>> = values.iter().map(|text| parse_number(text)).collect();
    let Some(numbers) = numbers else {
        let ticks = values.into_iter().enumerate().map(|(index, text)| (index as f64, text));
        return (ticks.collect(), false);
    };
    let (low, high) = numbers
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), &number| (low.min(number), high.max(number)));
    let is_log = low > 0.0 && high / low >= LOG_AXIS_RATIO;
    let position = |number: f64| if is_log { libm::log10(number) } else { number };
    let mut ticks: Vec<(f64, String)> = numbers.into_iter().map(position).zip(values).collect();
    ticks.sort_by(|one, other| one.0.total_cmp(&other.0));
    (ticks, is_log)
}

/// Plots one measure against one setting.
fn plot_against_setting(
    file: &str,
    (key, setting): (usize, &str),
    measure: StrengthMeasure,
    (values, is_log): (&[(f64, String)], bool),
    lines: &[(String, Vec<&Player>)],
    table: &Table,
) -> Option<Figure> {
    let line = |(name, players): &(String, Vec<&Player>)| {
        let point = |player: &&Player| {
            let position = values.iter().find(|(_, value)| *value == player.values[key])?.0;
            let estimate = measure.value(player.standing)?;
            let hint = format!(
                "{}: {}",
                player.standing.name,
                Unit::from_measure(measure).format_estimate(&estimate)
            );
            Some(PlotPoint { position, estimate, hint })
        };
        let mut points: Vec<PlotPoint> = players.iter().filter_map(point).collect();
        points.sort_by(|one, other| one.position.total_cmp(&other.position));
        Curve { name: name.clone(), points, zero_position: None }
    };
    let drawn_curves: Vec<Curve> = lines.iter().take(MAX_CURVES).map(line).collect();
    if drawn_curves.iter().all(|line| line.points.is_empty()) {
        return None;
    }
    let label = measure.label();
    let title = format!("{}{} by {setting}", label[..1].to_uppercase(), &label[1..]);
    let ticks: Vec<(f64, String)> =
        values.iter().map(|(position, text)| (*position, shorten_number(text))).collect();
    let curves = Curves {
        title: &title,
        axes: [setting, label],
        unit: Unit::from_measure(measure),
        required_values: &[],
        ticks: &ticks,
        curves: &drawn_curves,
    };
    let plot = Plot::new(|sheet| curves.draw(sheet, true));
    let scale = if is_log { " The x axis is logarithmic." } else { "" };
    let caption =
        format!("Lines connect players that differ only in this setting. Bars are 95 % intervals.{scale}");
    let note =
        (lines.len() > MAX_CURVES).then(|| format!("Shows the first {MAX_CURVES} of {} lines.", lines.len()));
    Some(Figure::new(file, title, &caption, plot, table).with_note(note))
}

/// Returns a table of win rates and scores of the players on these lines, with their settings.
fn numbers_table(lines: &[(String, Vec<&Player>)], rates: &Table, settings: &Table) -> Table {
    let drawn_names: BTreeSet<&str> =
        lines.iter().flat_map(|(_, players)| players).map(|one| one.standing.name.as_str()).collect();
    let kept = rates.rows().map(|row| drawn_names.contains(row.words("player")));
    let rows = rates.rows.iter().zip(kept).filter(|(_, kept)| *kept).map(|(row, _)| row.clone());
    let mut table =
        Table { name: "swept", columns: rates.columns.clone(), level: rates.level, rows: rows.collect() };
    add_settings_columns(&mut table, settings);
    table
}

/// Returns a heat map for each algorithm whose players differ in exactly two settings, with at
/// least two values each.
fn plot_heat_maps(
    players: &[Player],
    measure: StrengthMeasure,
    keys: &[&str],
    settings: &Table,
    rates: &Table,
) -> Vec<Figure> {
    let mut algorithms: Vec<&str> = Vec::new();
    for player in players {
        if !algorithms.contains(&player.algorithm) {
            algorithms.push(player.algorithm);
        }
    }
    let (mut maps, mut used_names) = (Vec::new(), Vec::new());
    for algorithm in algorithms {
        let own_players: Vec<&Player> = players.iter().filter(|one| one.algorithm == algorithm).collect();
        let values_of =
            |key: usize| own_players.iter().map(|one| one.values[key].as_str()).collect::<BTreeSet<_>>();
        let varying_keys: Vec<usize> = (1..keys.len()).filter(|&key| values_of(key).len() > 1).collect();
        let [first_key, second_key] = varying_keys[..] else { continue };
        let make_axis = |key: usize| {
            let own_values = values_of(key);
            let all_values = place_values(players, settings, key).0.into_iter().map(|(_, text)| text);
            SettingAxis {
                setting: keys[key].to_owned(),
                values: all_values.filter(|text| own_values.contains(&**text)).collect(),
            }
        };
        // The setting with more values is horizontal.
        let [y_key, x_key] = if values_of(first_key).len() > values_of(second_key).len() {
            [second_key, first_key]
        } else {
            [first_key, second_key]
        };
        let axes = [make_axis(x_key), make_axis(y_key)];
        if axes.iter().any(|axis| axis.values.len() < 2 || axis.values.len() > MAX_SQUARES) {
            continue;
        }
        let square_at = |x: &String, y: &String| -> Square {
            let player = own_players.iter().find(|one| one.values[x_key] == *x && one.values[y_key] == *y)?;
            Some((player.standing.name.clone(), measure.value(player.standing)?))
        };
        let row = |y: &String| axes[0].values.iter().map(|x| square_at(x, y)).collect::<Vec<Square>>();
        let squares: Vec<Vec<Square>> = axes[1].values.iter().map(row).collect();
        if squares.iter().flatten().flatten().count() < 4 {
            continue;
        }
        let axes = axes.map(|axis| SettingAxis {
            values: axis.values.iter().map(|text| shorten_number(text)).collect(),
            ..axis
        });
        let title = format!("{algorithm}: {} by {} and {}", measure.label(), keys[x_key], keys[y_key]);
        let plot = Plot::new(|sheet| {
            heat_map::draw(sheet, &title, Unit::from_measure(measure), [&axes[0], &axes[1]], &squares)
        });
        let caption = "One cell per pair of values; brighter is higher.";
        let lines = [(String::new(), own_players)];
        let name = format!("map-{}", unique_file_part(algorithm, &mut used_names));
        maps.push(Figure::new(&name, title, caption, plot, &numbers_table(&lines, rates, settings)));
    }
    maps
}

/// Converts a text to a part of a file name, with a number if the name is taken.
fn unique_file_part(text: &str, used_names: &mut Vec<String>) -> String {
    let safe_letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let part: String = text.chars().take(40).map(safe_letter).collect::<String>().to_lowercase();
    let numbered_names = (2..).map(|number| format!("{part}-{number}"));
    let free_name =
        std::iter::once(part.clone()).chain(numbered_names).find(|part| !used_names.contains(part));
    let part = free_name.unwrap_or(part);
    used_names.push(part.clone());
    part
}

#[cfg(test)]
mod tests {
    use gauntlet_analysis::results::analysis::standing::{rank_standings, read_standings};
    use gauntlet_analysis::results::tables::schemas;
    use gauntlet_core::table::{CellKind, Column};
    use gauntlet_games::GAMES;

    use super::*;

    fn settings_table(rows: &[&str]) -> Table {
        let columns = ["player", "algorithm", "depth", "weight", "ties"];
        let columns = columns.map(|name| Column::new(name, CellKind::Words)).to_vec();
        let row = |row: &&str| row.split(',').map(|cell| Cell::Text(cell.to_owned())).collect();
        Table { name: "settings", columns, level: None, rows: rows.iter().map(row).collect() }
    }

    fn rates_table(rows: &[&str]) -> Table {
        let mut csv =
            "player,games,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n"
                .to_owned();
        for (i, row) in rows.iter().enumerate() {
            let name = row.split(',').next().unwrap_or_default();
            csv += &format!("{name},10,0.{i}5,0.{i}2,0.{i}7,1{i}0,1{i}0,1{i}1\n");
        }
        Table::from_csv(&schemas(&GAMES)[0], csv.as_bytes()).expect("a table")
    }

    #[track_caller]
    fn assert_plots(rows: &[&str], expected: &[&str]) -> Vec<Figure> {
        let rates = rates_table(rows);
        let standings = read_standings(&rates, None);
        let measure = StrengthMeasure::choose(&standings);
        let figures =
            plot_sweeps(&rank_standings(standings, measure), measure, &rates, &settings_table(rows));
        assert_eq!(figures.iter().map(|figure| &*figure.name).collect::<Vec<_>>(), expected);
        figures
    }

    /// Players of several algorithms, one without the setting; two settings make lines in both
    /// directions, and a map.
    #[test]
    fn swept_settings_are_drawn() {
        let rows = ["a,x,1,5,", "b,x,2,5,", "c,x,1,500,", "d,x,2,500,", "e,y,1,,", "f,y,3,,", "g,z,,,"];
        let figures = assert_plots(
            &rows,
            &["win-rate-by-weight", "score-by-weight", "win-rate-by-depth", "score-by-depth", "map-x"],
        );
        let svg = |index: usize| figures[index].file.clone().unwrap_or_default();
        for line in ["x weight=5\n", "x weight=500\n", "\ny\n"] {
            assert!(svg(2).contains(line), "{line}: {}", svg(2));
        }
        assert!(svg(2).contains("<title>f: 55.00 % [52.00, 57.00]</title>"));
        assert!(!svg(2).contains("<title>g: "));
        assert!(svg(4).contains("<title>d: 35.00 % [32.00, 37.00]</title>"));
        assert_eq!(figures[2].table.as_ref().map(|table| table.rows.len()), Some(6));
    }

    /// A line has the name that its players share, and the axis ends at its last point: `swift` has
    /// a depth of 20 but no line.
    #[test]
    fn lines_have_the_names_of_the_experiment() {
        let players = ["deep wise depth=1,x,1,5,", "deep wise depth=2,x,2,5,", "deep depth=1,x,1,7,"];
        let more_players = ["deep depth=2,x,2,7,", "swift depth=20,y,20,,"];
        let figures = assert_plots(
            &[&players[..], &more_players].concat(),
            &["win-rate-by-weight", "score-by-weight", "win-rate-by-depth", "score-by-depth", "map-x"],
        );
        let svg = figures[3].file.clone().unwrap_or_default();
        assert!(svg.contains("\ndeep wise\n") && svg.contains("\ndeep\n"), "{svg}");
        assert!(!svg.contains("weight") && !svg.contains("\n20\n"), "{svg}");
    }

    /// Players that differ in two settings make no line. Players that differ in one setting make a
    /// line even if its values are words.
    #[test]
    fn a_line_is_one_setting_alone() {
        assert_plots(&["a,x,1,5,", "b,x,2,7,"], &[]);
        assert_plots(&["a,x,,,first", "b,x,,,last"], &["win-rate-by-ties", "score-by-ties"]);
        assert_plots(&["a,x,,,true", "b,x,,,false"], &["win-rate-by-ties", "score-by-ties"]);
    }

    /// Slices go through one player: along each setting, and a map of the players that differ in
    /// both.
    #[test]
    fn slices_go_through_one_player() {
        let rows = [
            "mid,x,2,5,",
            "a,x,1,5,",
            "b,x,3,5,",
            "c,x,2,4,",
            "d,x,2,6,",
            "e,x,9,5,",
            "f,x,1,4,",
            "g,x,3,6,",
        ];
        let rates = rates_table(&rows);
        let standings = read_standings(&rates, None);
        let measure = StrengthMeasure::choose(&standings);
        let figures = plot_slices(
            "mid",
            &rank_standings(standings.clone(), measure),
            measure,
            &rates,
            &settings_table(&rows),
        );
        let names: Vec<&str> = figures.iter().map(|figure| &*figure.name).collect();
        assert_eq!(names, ["slice-depth", "slice-weight", "map-x"]);
        let svg = |index: usize| figures[index].file.clone().unwrap_or_default();
        assert!(svg(0).contains("<title>e: ") && !svg(0).contains("<title>f: "), "{}", svg(0));
        assert!(svg(2).contains("<title>f: ") && !svg(2).contains("<title>e: "), "{}", svg(2));
        assert!(
            plot_slices("none", &rank_standings(standings, measure), measure, &rates, &settings_table(&rows))
                .is_empty()
        );
    }

    #[test]
    fn long_numbers_are_drawn_with_four_digits() {
        let shortened = ["0.774874081695296", "4.238762200723989", "-0.00123456789", "12", "first-last-word"]
            .map(shorten_number);
        assert_eq!(shortened, ["0.7749", "4.239", "-0.001235", "12", "first-last-word"]);
    }

    /// The caption mentions a logarithmic axis only if the axis is logarithmic.
    #[test]
    fn the_axis_is_told() {
        let linear_plots = assert_plots(&["a,x,1,,", "b,x,2,,"], &["win-rate-by-depth", "score-by-depth"]);
        let log_plots = assert_plots(&["a,x,1,,", "b,x,100,,"], &["win-rate-by-depth", "score-by-depth"]);
        assert!(
            !linear_plots[0].caption.contains("logarithmic") && log_plots[0].caption.contains("logarithmic")
        );
    }

    /// If there are more settings than fit, those with the largest differences are plotted, and the
    /// others are named. A setting with too many values is named too.
    #[test]
    fn what_is_not_drawn_is_named() {
        let standings = read_standings(&rates_table(&["a", "b", "c"]), None);
        let player = |standing| Player { standing, algorithm: "x", values: Vec::new() };
        let players: Vec<Player> = standings.iter().map(player).collect();
        let make_setting = |name, indices: &[usize]| SweptSetting {
            key: 1,
            name,
            lines: vec![(String::new(), indices.iter().map(|&index| &players[index]).collect())],
        };
        assert!((make_setting("a", &[0, 1, 2]).mean_effect(StrengthMeasure::WinRate) - 0.2).abs() < 1e-9);
        let (crowded, omitted) = (
            [make_setting("many", &[0, 1])],
            [make_setting("little", &[0, 1]), make_setting("less", &[0, 0])],
        );
        let note = |many, rest| explain_missing_plots(many, rest).and_then(|figure| figure.note);
        let message = note(&crowded, &omitted).unwrap();
        assert!(
            message.starts_with("Not shown: `little`, `less`.")
                && message.contains("`many`, with more than 200")
        );
        assert_eq!(note(&[], &[]), None);
    }

    #[test]
    fn a_setting_of_hundreds_of_values_is_not_drawn() {
        let rows: Vec<String> = (0..=MAX_VALUES).map(|i| format!("p{i},x,{i},,")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        assert_plots(&rows, &["not-drawn"]);
        assert_plots(&rows[1..], &["win-rate-by-depth", "score-by-depth"]);
    }
}
