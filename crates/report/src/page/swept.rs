//! Measures against the settings in which players of one algorithm differ, taken from the table of
//! settings, not from names. A line joins players that differ only in this setting, so further
//! settings make further lines.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_analysis::results::analysis::standing::{Standing, StrengthMeasure};
use gauntlet_analysis::results::tables::settings::{join, keep_differing};
use gauntlet_core::table::{Cell, Table};
use gauntlet_core::text::shorten_number;

use super::figures::Figure;
use super::plots::Plot;
use super::plots::curves::{Curve, Curves, MOST_CURVES, PlotPoint};
use super::plots::heat::{self, Side, Square};
use super::plots::intervals::Unit;

/// The most settings that a page plots.
const MOST_SETTINGS: usize = 8;

/// If a setting has more values than this, it is not plotted, because points would overlap.
const MOST_VALUES: usize = 200;

/// The most values of a setting in a heat map, whose squares are as wide as their numbers.
const MOST_SQUARES: usize = 40;

/// The axis is logarithmic if the largest number is more than this many times the smallest.
const FAR: f64 = 50.0;

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
    fn spread(&self, by: StrengthMeasure) -> f64 {
        let of_line = |players: &[&Player]| {
            let values = players.iter().filter_map(|one| Some(by.value(one.standing)?.value));
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            (high - low).max(0.0)
        };
        self.lines.iter().map(|(_, players)| of_line(players)).sum::<f64>() / self.lines.len() as f64
    }
}

/// Plots win rates (if they differ) and scores, or Elo, against each setting, sorted by how much
/// the measure differs. Adds heat maps for pairs of settings.
pub(super) fn plot_sweeps(
    ranked: &[Standing],
    by: StrengthMeasure,
    rates: &Table,
    settings: &Table,
) -> Vec<Figure> {
    let (full, settings) = (settings, &keep_differing(settings));
    let keys: Vec<&str> = settings.columns.iter().map(|column| column.name).collect();
    let all: Vec<Player> = ranked.iter().filter_map(|one| find_player(one, full, settings)).collect();
    let mut figures = Vec::new();
    let mut taken = Vec::new();
    let own = keys.iter().enumerate().filter(|(_, name)| !["player", "algorithm"].contains(name));
    let swept = own.map(|(key, name)| SweptSetting { key, name, lines: group_lines(&all, key, &keys) });
    let swept = swept.filter(|one| !one.lines.is_empty());
    let of_setting = |key: usize| {
        let values = all.iter().map(|one| one.values[key].as_str()).filter(|value| !value.is_empty());
        values.collect::<BTreeSet<_>>().len()
    };
    let (many, mut few): (Vec<SweptSetting>, Vec<SweptSetting>) =
        swept.partition(|one| of_setting(one.key) > MOST_VALUES);
    few.sort_by(|one, other| other.spread(by).total_cmp(&one.spread(by)));
    let rest = few.split_off(few.len().min(MOST_SETTINGS));
    for SweptSetting { key, name, lines } in few {
        let part = unique_file_part(name, &mut taken);
        let table = numbers_table(&lines[..lines.len().min(MOST_CURVES)], rates, settings);
        // Other values would stretch the axis to places without a point.
        let drawn: Vec<Player> = lines
            .iter()
            .take(MOST_CURVES)
            .flat_map(|(_, players)| players.iter().copied().cloned())
            .collect();
        let (values, is_far) = place_values(&drawn, settings, key);
        let values = (&*values, is_far);
        let file = |measure: &str| format!("{measure}-by-{part}");
        if by == StrengthMeasure::WinRate {
            figures.extend(plot_against_setting(
                &file("win-rate"),
                (key, name),
                StrengthMeasure::WinRate,
                values,
                &lines,
                &table,
            ));
        }
        let last = if by == StrengthMeasure::Elo {
            ("elo", StrengthMeasure::Elo)
        } else {
            ("score", StrengthMeasure::Score)
        };
        figures.extend(plot_against_setting(&file(last.0), (key, name), last.1, values, &lines, &table));
    }
    figures.extend(explain_missing_plots(&many, &rest));
    figures.extend(plot_heat_maps(&all, by, &keys, settings, rates));
    figures
}

/// Plots slices through a player. Each plot shows the players that differ from it only in one
/// setting. A heat map shows the players that differ from it in two settings.
pub(super) fn plot_slices(
    through: &str,
    ranked: &[Standing],
    by: StrengthMeasure,
    rates: &Table,
    settings: &Table,
) -> Vec<Figure> {
    let (full, settings) = (settings, &keep_differing(settings));
    let keys: Vec<&str> = settings.columns.iter().map(|column| column.name).collect();
    let all: Vec<Player> = ranked.iter().filter_map(|one| find_player(one, full, settings)).collect();
    let Some(middle) = all.iter().find(|one| one.standing.name == through) else { return Vec::new() };
    let differs = |one: &Player, key: usize| one.values[key] != middle.values[key];
    let among = |free: &[usize]| -> Vec<Player> {
        let is_on = |one: &&Player| (1..keys.len()).all(|key| free.contains(&key) || !differs(one, key));
        all.iter().filter(is_on).cloned().collect()
    };
    let (mut figures, mut taken) = (Vec::new(), Vec::new());
    for (key, name) in keys.iter().enumerate().filter(|(_, name)| !["player", "algorithm"].contains(name)) {
        let along = among(&[key]);
        let lines = group_lines(&along, key, &keys);
        if lines.is_empty() || lines[0].1.len() < 3 {
            continue;
        }
        let (values, is_far) = place_values(&along, settings, key);
        let table = numbers_table(&lines, rates, settings);
        let file = format!("slice-{}", unique_file_part(name, &mut taken));
        let figure = plot_against_setting(&file, (key, name), by, (&values, is_far), &lines, &table);
        let scale = if is_far { " The x axis is logarithmic." } else { "" };
        figures.extend(figure.map(|figure| Figure {
            caption: format!("Best point with other values of this setting. Bars are 95 % intervals.{scale}"),
            ..figure
        }));
    }
    let free = |one: &Player| (1..keys.len()).filter(|&key| differs(one, key)).collect::<Vec<_>>();
    if let Some(pair) = all.iter().map(free).find(|free| free.len() == 2) {
        let mut field = among(&pair);
        // Slices along one of the two settings have other values, which would leave gaps in the
        // map.
        let of_both = |key: usize| -> BTreeSet<String> {
            let both = field.iter().filter(|one| free(one).len() == 2).chain([middle]);
            both.map(|one| one.values[key].clone()).collect()
        };
        let grid = [pair[0], pair[1]].map(|key| (key, of_both(key)));
        field.retain(|one| grid.iter().all(|(key, values)| values.contains(&one.values[*key])));
        figures.extend(plot_heat_maps(&field, by, &keys, settings, rates));
    }
    figures
}

/// Returns a note on settings without a plot.
fn explain_missing_plots(many: &[SweptSetting], rest: &[SweptSetting]) -> Option<Figure> {
    let names =
        |all: &[SweptSetting]| all.iter().map(|one| format!("`{}`", one.name)).collect::<Vec<_>>().join(", ");
    let mut why = Vec::new();
    if !rest.is_empty() {
        why.push(format!("Not shown: {}. Other settings have a larger effect.", names(rest)));
    }
    if !many.is_empty() {
        why.push(format!("Not shown: {}, with more than {MOST_VALUES} values.", names(many)));
    }
    (!why.is_empty()).then(|| Figure::without_plot("not-drawn", "Settings without a plot", why.join(" ")))
}

fn find_player<'a>(standing: &'a Standing, full: &'a Table, settings: &Table) -> Option<Player<'a>> {
    let (place, row) = full.rows().enumerate().find(|(_, row)| row.words("player") == standing.name)?;
    let values = settings.rows[place].iter().map(Cell::text).collect();
    Some(Player { standing, algorithm: row.words("algorithm"), values })
}

/// Returns groups of players that differ only in this setting, the group with the strongest player
/// first. Single players make no line.
fn group_lines<'a>(all: &'a [Player<'a>], key: usize, keys: &[&str]) -> Vec<(String, Vec<&'a Player<'a>>)> {
    let rest = |one: &Player| {
        let mut rest = one.values.clone();
        (rest[0], rest[key]) = (String::new(), String::new());
        rest
    };
    let mut lines: Vec<(Vec<String>, Vec<&Player>)> = Vec::new();
    // There may be thousands of groups of one player each.
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for one in all.iter().filter(|one| !one.values[key].is_empty()) {
        let rest = rest(one);
        match places.get(&rest) {
            Some(&place) => lines[place].1.push(one),
            None => {
                places.insert(rest.clone(), lines.len());
                lines.push((rest, vec![one]));
            }
        }
    }
    let distinct = |players: &[&Player]| {
        players.iter().map(|one| one.values[key].as_str()).collect::<BTreeSet<_>>().len()
    };
    lines.retain(|(_, players)| distinct(players) >= 2);
    // The name of a line consists of the words that the names of its players share.
    let shared: Vec<String> = lines.iter().map(|(_, players)| shared_words(players)).collect();
    let is_own = |words: &String| !words.is_empty() && shared.iter().filter(|it| *it == words).count() == 1;
    let named = lines.iter().zip(&shared).map(|((rest, players), shared)| {
        if is_own(shared) {
            return (shared.clone(), players.clone());
        }
        let namesakes = || lines.iter().filter(|(_, other)| other[0].algorithm == players[0].algorithm);
        let differs = |place: usize| namesakes().any(|(other, _)| other[place] != rest[place]);
        let further = (1..keys.len()).filter(|&place| keys[place] != "algorithm" && differs(place));
        let further = further.map(|place| format!(" {}={}", keys[place], rest[place]));
        (players[0].algorithm.to_owned() + &further.collect::<String>(), players.clone())
    });
    named.collect()
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
fn place_values(all: &[Player], settings: &Table, key: usize) -> (Vec<(f64, String)>, bool) {
    let mut values: Vec<String> = Vec::new();
    // Words are in the order of the experiment.
    for text in settings.rows.iter().map(|row| row[key].text()) {
        let is_there = all.iter().any(|one| one.values[key] == text);
        if !text.is_empty() && is_there && !values.contains(&text) {
            values.push(text);
        }
    }
    let numbers: Option<Vec<f64>> = values.iter().map(|text| parse_number(text)).collect();
    let Some(numbers) = numbers else {
        let placed = values.into_iter().enumerate().map(|(place, text)| (place as f64, text));
        return (placed.collect(), false);
    };
    let (low, high) = numbers
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), &number| (low.min(number), high.max(number)));
    let is_far = low > 0.0 && high / low >= FAR;
    let place = |number: f64| if is_far { libm::log10(number) } else { number };
    let mut placed: Vec<(f64, String)> = numbers.into_iter().map(place).zip(values).collect();
    placed.sort_by(|one, other| one.0.total_cmp(&other.0));
    (placed, is_far)
}

/// Plots one measure against one setting.
fn plot_against_setting(
    file: &str,
    (key, setting): (usize, &str),
    by: StrengthMeasure,
    (values, is_far): (&[(f64, String)], bool),
    lines: &[(String, Vec<&Player>)],
    table: &Table,
) -> Option<Figure> {
    let line = |(name, players): &(String, Vec<&Player>)| {
        let point = |one: &&Player| {
            let place = values.iter().find(|(_, value)| *value == one.values[key])?.0;
            let estimate = by.value(one.standing)?;
            let hint =
                format!("{}: {}", one.standing.name, Unit::from_measure(by).format_estimate(&estimate));
            Some(PlotPoint { place, estimate, hint })
        };
        let mut points: Vec<PlotPoint> = players.iter().filter_map(point).collect();
        points.sort_by(|one, other| one.place.total_cmp(&other.place));
        Curve { name: name.clone(), points, ends_at: None }
    };
    let drawn: Vec<Curve> = lines.iter().take(MOST_CURVES).map(line).collect();
    if drawn.iter().all(|line| line.points.is_empty()) {
        return None;
    }
    let measure = by.label();
    let title = format!("{}{} by {setting}", measure[..1].to_uppercase(), &measure[1..]);
    let values: Vec<(f64, String)> =
        values.iter().map(|(place, text)| (*place, shorten_number(text))).collect();
    let curves = Curves {
        title: &title,
        axes: [setting, measure],
        unit: Unit::from_measure(by),
        has: &[],
        values: &values,
        all: &drawn,
    };
    let plot = Plot::new(|sheet| curves.draw(sheet, true));
    let scale = if is_far { " The x axis is logarithmic." } else { "" };
    let caption =
        format!("Lines connect players that differ only in this setting. Bars are 95 % intervals.{scale}");
    let note = (lines.len() > MOST_CURVES)
        .then(|| format!("Shows the first {MOST_CURVES} of {} lines.", lines.len()));
    Some(Figure::new(file, title, &caption, plot, table).with_note(note))
}

/// Returns a table of win rates and scores of the players on these lines, with their settings.
fn numbers_table(lines: &[(String, Vec<&Player>)], rates: &Table, settings: &Table) -> Table {
    let drawn: BTreeSet<&str> =
        lines.iter().flat_map(|(_, players)| players).map(|one| one.standing.name.as_str()).collect();
    let kept = rates.rows().map(|row| drawn.contains(row.words("player")));
    let rows = rates.rows.iter().zip(kept).filter(|(_, kept)| *kept).map(|(row, _)| row.clone());
    let mut table =
        Table { name: "swept", columns: rates.columns.clone(), level: rates.level, rows: rows.collect() };
    join(&mut table, settings);
    table
}

/// Returns a heat map for each algorithm whose players differ in exactly two settings, with at
/// least two values each.
fn plot_heat_maps(
    all: &[Player],
    by: StrengthMeasure,
    keys: &[&str],
    settings: &Table,
    rates: &Table,
) -> Vec<Figure> {
    let mut algorithms: Vec<&str> = Vec::new();
    for one in all {
        if !algorithms.contains(&one.algorithm) {
            algorithms.push(one.algorithm);
        }
    }
    let (mut maps, mut taken) = (Vec::new(), Vec::new());
    for algorithm in algorithms {
        let own: Vec<&Player> = all.iter().filter(|one| one.algorithm == algorithm).collect();
        let of = |key: usize| own.iter().map(|one| one.values[key].as_str()).collect::<BTreeSet<_>>();
        let swept: Vec<usize> = (1..keys.len()).filter(|&key| of(key).len() > 1).collect();
        let [one, other] = swept[..] else { continue };
        let side = |key: usize| {
            let of_own = of(key);
            let all = place_values(all, settings, key).0.into_iter().map(|(_, text)| text);
            Side {
                setting: keys[key].to_owned(),
                values: all.filter(|text| of_own.contains(&**text)).collect(),
            }
        };
        // The setting with more values is horizontal.
        let [down, along] = if of(one).len() > of(other).len() { [other, one] } else { [one, other] };
        let sides = [side(along), side(down)];
        if sides.iter().any(|side| side.values.len() < 2 || side.values.len() > MOST_SQUARES) {
            continue;
        }
        let field = |x: &String, y: &String| -> Square {
            let player = own.iter().find(|one| one.values[along] == *x && one.values[down] == *y)?;
            Some((player.standing.name.clone(), by.value(player.standing)?))
        };
        let row = |y: &String| sides[0].values.iter().map(|x| field(x, y)).collect::<Vec<Square>>();
        let fields: Vec<Vec<Square>> = sides[1].values.iter().map(row).collect();
        if fields.iter().flatten().flatten().count() < 4 {
            continue;
        }
        let sides = sides.map(|side| Side {
            values: side.values.iter().map(|text| shorten_number(text)).collect(),
            ..side
        });
        let title = format!("{algorithm}: {} by {} and {}", by.label(), keys[along], keys[down]);
        let plot = Plot::new(|sheet| {
            heat::draw(sheet, &title, Unit::from_measure(by), [&sides[0], &sides[1]], &fields)
        });
        let caption = "One cell per pair of values; brighter is higher.";
        let lines = [(String::new(), own)];
        let name = format!("map-{}", unique_file_part(algorithm, &mut taken));
        maps.push(Figure::new(&name, title, caption, plot, &numbers_table(&lines, rates, settings)));
    }
    maps
}

/// Converts a text to a part of a file name, with a number if the name is taken.
fn unique_file_part(text: &str, taken: &mut Vec<String>) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let part: String = text.chars().take(40).map(letter).collect::<String>().to_lowercase();
    let numbered = (2..).map(|number| format!("{part}-{number}"));
    let free = std::iter::once(part.clone()).chain(numbered).find(|part| !taken.contains(part));
    let part = free.unwrap_or(part);
    taken.push(part.clone());
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
    fn plot_checked(rows: &[&str], expected: &[&str]) -> Vec<Figure> {
        let rates = rates_table(rows);
        let all = read_standings(&rates, None);
        let by = StrengthMeasure::choose(&all);
        let figures = plot_sweeps(&rank_standings(all, by), by, &rates, &settings_table(rows));
        assert_eq!(figures.iter().map(|figure| &*figure.name).collect::<Vec<_>>(), expected);
        figures
    }

    /// Players of several algorithms, one without the setting; two settings make lines in both
    /// directions, and a map.
    #[test]
    fn swept_settings_are_drawn() {
        let swept = ["a,x,1,5,", "b,x,2,5,", "c,x,1,500,", "d,x,2,500,", "e,y,1,,", "f,y,3,,", "g,z,,,"];
        let figures = plot_checked(
            &swept,
            &["win-rate-by-weight", "score-by-weight", "win-rate-by-depth", "score-by-depth", "map-x"],
        );
        let svg = |place: usize| figures[place].file.clone().unwrap_or_default();
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
        let more = ["deep depth=2,x,2,7,", "swift depth=20,y,20,,"];
        let figures = plot_checked(
            &[&players[..], &more].concat(),
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
        plot_checked(&["a,x,1,5,", "b,x,2,7,"], &[]);
        plot_checked(&["a,x,,,first", "b,x,,,last"], &["win-rate-by-ties", "score-by-ties"]);
        plot_checked(&["a,x,,,true", "b,x,,,false"], &["win-rate-by-ties", "score-by-ties"]);
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
        let all = read_standings(&rates, None);
        let by = StrengthMeasure::choose(&all);
        let figures =
            plot_slices("mid", &rank_standings(all.clone(), by), by, &rates, &settings_table(&rows));
        let names: Vec<&str> = figures.iter().map(|figure| &*figure.name).collect();
        assert_eq!(names, ["slice-depth", "slice-weight", "map-x"]);
        let svg = |place: usize| figures[place].file.clone().unwrap_or_default();
        assert!(svg(0).contains("<title>e: ") && !svg(0).contains("<title>f: "), "{}", svg(0));
        assert!(svg(2).contains("<title>f: ") && !svg(2).contains("<title>e: "), "{}", svg(2));
        assert!(plot_slices("none", &rank_standings(all, by), by, &rates, &settings_table(&rows)).is_empty());
    }

    #[test]
    fn long_numbers_are_drawn_with_four_digits() {
        let drawn = ["0.774874081695296", "4.238762200723989", "-0.00123456789", "12", "first-last-word"]
            .map(shorten_number);
        assert_eq!(drawn, ["0.7749", "4.239", "-0.001235", "12", "first-last-word"]);
    }

    /// The caption mentions a logarithmic axis only if the axis is logarithmic.
    #[test]
    fn the_axis_is_told() {
        let near = plot_checked(&["a,x,1,,", "b,x,2,,"], &["win-rate-by-depth", "score-by-depth"]);
        let far = plot_checked(&["a,x,1,,", "b,x,100,,"], &["win-rate-by-depth", "score-by-depth"]);
        assert!(!near[0].caption.contains("logarithmic") && far[0].caption.contains("logarithmic"));
    }

    /// If there are more settings than fit, those with the largest differences are plotted, and the
    /// others are named. A setting with too many values is named too.
    #[test]
    fn what_is_not_drawn_is_named() {
        let standings = read_standings(&rates_table(&["a", "b", "c"]), None);
        let player = |standing| Player { standing, algorithm: "x", values: Vec::new() };
        let players: Vec<Player> = standings.iter().map(player).collect();
        let swept = |name, places: &[usize]| SweptSetting {
            key: 1,
            name,
            lines: vec![(String::new(), places.iter().map(|&place| &players[place]).collect())],
        };
        assert!((swept("a", &[0, 1, 2]).spread(StrengthMeasure::WinRate) - 0.2).abs() < 1e-9);
        let (many, rest) = ([swept("many", &[0, 1])], [swept("little", &[0, 1]), swept("less", &[0, 0])]);
        let note = |many, rest| explain_missing_plots(many, rest).and_then(|figure| figure.note);
        let told = note(&many, &rest).unwrap();
        assert!(
            told.starts_with("Not shown: `little`, `less`.") && told.contains("`many`, with more than 200")
        );
        assert_eq!(note(&[], &[]), None);
    }

    #[test]
    fn a_setting_of_hundreds_of_values_is_not_drawn() {
        let rows: Vec<String> = (0..=MOST_VALUES).map(|i| format!("p{i},x,{i},,")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        plot_checked(&rows, &["not-drawn"]);
        plot_checked(&rows[1..], &["win-rate-by-depth", "score-by-depth"]);
    }
}
