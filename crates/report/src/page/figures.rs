//! The figures of a section: each is a plot made from a table, with the table.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gauntlet_analysis::compare::front::{FrontStatus, MARGIN};
use gauntlet_analysis::compare::published::PublishedRow;
use gauntlet_analysis::compare::time::MIN_GAMES;
use gauntlet_analysis::results::analysis::front::MAX_NAMED;
use gauntlet_analysis::results::analysis::order::value_column;
use gauntlet_analysis::results::analysis::standing::{Standing, StrengthMeasure, sort_rows};
use gauntlet_analysis::results::tables::crosstable::Crosstable;
use gauntlet_analysis::results::tables::fact_table::rows_by_player;
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_core::game::Fact;
use gauntlet_core::measure::is_rate_name;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_core::text::{capitalize, format_level, format_percent, group_digits, list_names};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::matrix::Matrix;
use super::plots::curves::{self, Curve, Curves, MAX_CURVES};
use super::plots::end_values::{self, ValueBar};
use super::plots::intervals::{self, IntervalLine, Unit};
use super::plots::strength::{self, MAX_POINTS, StrengthPoint};
use super::plots::times::{self, MoveTimes};
use super::plots::{Drawing, MAX_ROWS, Plot, ScreenSize};
use super::table_view::{Download, TableView};

/// A figure as the page shows it.
pub(super) struct Figure {
    /// Name, used in its anchor and its file name.
    pub(super) name: String,
    pub(super) title: Cow<'static, str>,
    pub(super) caption: String,
    /// Note under the plot: omitted players, or the reason why it is empty.
    pub(super) note: Option<String>,
    /// The wide drawing and the narrow one.
    pub(super) drawings: Option<(Drawing, Drawing)>,
    pub(super) table: Option<TableView>,
    /// The drawing for its file.
    pub(super) file: Option<String>,
    /// Lines that can be shown or hidden; empty if there are none.
    pub(super) choices: Vec<FigureChoice>,
    /// The matrix, if the figure shows all pairs.
    pub(super) matrix: Option<Matrix>,
}

/// A line of a drawing that can be hidden.
pub(super) struct FigureChoice {
    /// Its mark.
    pub(super) swatch: Drawing,
    pub(super) name: String,
    /// True if it is shown at first.
    pub(super) is_shown: bool,
}

impl Figure {
    /// Makes a figure from a plot and its numbers.
    pub(super) fn new(
        name: &str,
        title: impl Into<Cow<'static, str>>,
        caption: &str,
        plot: Plot,
        numbers: &Table,
    ) -> Figure {
        Figure {
            caption: caption.to_owned(),
            note: None,
            drawings: Some(plot.drawings()),
            table: Some(TableView::new(numbers)),
            file: Some(plot.file()),
            ..Figure::without_plot(name, title, String::new())
        }
    }

    /// Makes a figure that explains why there is no plot.
    pub(super) fn without_plot(name: &str, title: impl Into<Cow<'static, str>>, reason: String) -> Figure {
        Figure {
            name: name.to_owned(),
            title: title.into(),
            caption: String::new(),
            note: Some(reason),
            drawings: None,
            table: None,
            file: None,
            choices: Vec::new(),
            matrix: None,
        }
    }

    /// Sets the note below the plot.
    pub(super) fn with_note(mut self, note: Option<String>) -> Figure {
        self.note = note;
        self
    }

    /// Lets readers hide and show these curves, which are in layers.
    pub(super) fn with_choices(mut self, curves: &[Curve]) -> Figure {
        let choice = |(i, one): (usize, &Curve)| FigureChoice {
            swatch: curves::draw_swatch(i),
            name: one.name.clone(),
            is_shown: i < MAX_CURVES,
        };
        self.choices = curves.iter().enumerate().map(choice).collect();
        self
    }

    /// Replaces its table.
    pub(super) fn with_table(mut self, numbers: &Table) -> Figure {
        self.table = Some(TableView::new(numbers));
        self
    }

    /// Replaces the table to download; the table on the page stays.
    pub(super) fn with_download(mut self, full_table: &Table) -> Figure {
        self.table.iter_mut().for_each(|table| table.download = Some(Download::new(full_table)));
        self
    }
}

/// If there are too many players, returns the note that only the strongest are drawn, for a figure
/// whose table has all players.
pub(super) fn describe_omission(player_count: usize, max_players: usize) -> Option<String> {
    describe_selection(player_count, max_players).map(|note| note + " The table shows all players.")
}

/// If there are too many players, returns the note that only the strongest are shown.
pub(super) fn describe_selection(player_count: usize, max_players: usize) -> Option<String> {
    (player_count > max_players).then(|| {
        let player_count = group_digits(player_count as u64);
        format!(
            "Shows the {max_players} strongest of {player_count} players, because more would be hard to read."
        )
    })
}

/// Plots win rates, the strongest player first.
pub(super) fn plot_win_rates(standings: &[Standing], measure: StrengthMeasure, table: &Table) -> Figure {
    let mut sorted_table = table.clone();
    sort_rows(&mut sorted_table, standings.iter().map(|one| &*one.name));
    let line = |one: &Standing| {
        let (text, estimate) = (measure.text(one), measure.value(one)?);
        let (value, short_value) = (text.with_bounds(), text.value());
        Some(IntervalLine { name: one.name.clone(), value, short_value, estimate, published: None })
    };
    let lines: Vec<IntervalLine> = standings.iter().filter_map(line).take(MAX_ROWS).collect();
    let (title, caption) = match measure {
        StrengthMeasure::WinRate => {
            ("Win rates", "Share of games won, strongest player first. Bars are 95 % intervals.")
        }
        StrengthMeasure::Score => (
            "Mean scores",
            "Mean scores, because all win rates are equal. Strongest player first. Bars are 95 % intervals.",
        ),
        StrengthMeasure::Elo => (
            "Ratings",
            "Elo ratings from all games. Strongest player first. Bars are 95 % intervals. A lead of 100 Elo means 64 % of the points.",
        ),
    };
    let plot = Plot::new(|sheet| {
        intervals::draw(sheet, title, measure.label(), Unit::from_measure(measure), &lines)
    });
    let name = if measure == StrengthMeasure::Elo { "elo" } else { "win-rate" };
    let figure = Figure::new(name, title, caption, plot, &sorted_table).with_download(table);
    figure.with_note(describe_omission(standings.len(), MAX_ROWS))
}

/// Shows the results of each pair of players; as a matrix, if there are more than two.
pub(super) fn show_duels(table: &Table, elo: &Table) -> Figure {
    let note = "The table shows the results of each pair of players, moving first and second, and the points of their game pairs.";
    let figure = Figure::without_plot("duels", "Results of each pair", note.to_owned()).with_table(table);
    Figure { matrix: Crosstable::new(table, elo).as_ref().map(Matrix::from_crosstable), ..figure }
}

/// Plots published numbers that are rates together with the measured ones.
pub(super) fn plot_published(table: &Table) -> Option<Figure> {
    let line = |row: PublishedRow| {
        let published = row.published_from.zip(row.published_to)?;
        let estimate = row.measured.estimate.filter(|_| is_rate_name(&row.what))?;
        let name = format!("{}, {}", row.player, row.what);
        let (value, short_value) = (row.verdict.clone(), row.verdict);
        Some(IntervalLine { name, value, short_value, estimate, published: Some(published) })
    };
    let all_lines: Vec<IntervalLine> = table.read_rows().filter_map(line).collect();
    let count = all_lines.len();
    let lines: Vec<IntervalLine> = all_lines.into_iter().take(MAX_ROWS).collect();
    let title = "Published and measured rates";
    if lines.is_empty() {
        let reason = "No plot: none of the published numbers is a share of games.".to_owned();
        return (!table.rows.is_empty())
            .then(|| Figure::without_plot("published", title, reason).with_table(table));
    }
    let label = "share of games";
    let plot = Plot::new(|sheet| intervals::draw(sheet, title, label, Unit::Share, &lines));
    let caption =
        "Measured rates with published rates below them. The table also has scores, times and sources.";
    let note = (count > MAX_ROWS).then(|| {
        format!("Shows the first {MAX_ROWS} of {} numbers. The table shows all.", group_digits(count as u64))
    });
    Some(Figure::new("published", title, caption, plot, table).with_note(note))
}

/// Plots the values of a fact, such as the largest tile in 2048: the values on which games ended,
/// and the values that they reached.
pub(super) fn plot_fact(standings: &[Standing], fact: &Fact, table: &Table) -> [Figure; 2] {
    let Fact { noun, value_name: value, .. } = *fact;
    let (_, players) = rows_by_player(table);
    let rows_of = |name: &str| players.get(name).into_iter().flatten();
    let drawn_players = || standings.iter().take(MAX_ROWS);
    let end_values: BTreeSet<u64> =
        drawn_players().flat_map(|one| rows_of(&one.name)).map(|(&value, _)| value).collect();
    let bar = |one: &Standing| {
        let index_of = |value: &u64| end_values.range(..value).count();
        let shares = rows_of(&one.name).filter_map(|(value, row)| Some((index_of(value), row.share?)));
        ValueBar { name: one.name.clone(), shares: shares.collect() }
    };
    let bars: Vec<ValueBar> = drawn_players().map(bar).collect();
    let end_labels: Vec<String> = end_values.iter().map(u64::to_string).collect();
    let values: BTreeSet<u64> = players.values().flat_map(|rows| rows.keys().copied()).collect();
    let position = |value: u64| values.iter().position(|&other| other == value).unwrap_or(0) as f64;
    let curve = |one: &Standing| {
        let rates: Vec<(u64, Estimate)> =
            rows_of(&one.name).filter_map(|(&value, row)| Some((value, row.reach_rate.estimate?))).collect();
        // A value that no game ended on has no row; the line falls to 0 at this value.
        let next_value = rates.last().and_then(|(last, _)| values.iter().find(|value| *value > last));
        let point = |&(value, estimate): &(u64, Estimate)| {
            let hint =
                format!("{}: {} of games reached {value}", one.name, Unit::Share.format_estimate(&estimate));
            curves::PlotPoint { position: position(value), estimate, hint }
        };
        Curve {
            name: one.name.clone(),
            points: rates.iter().map(point).collect(),
            zero_position: next_value.map(|&value| position(value)),
        }
    };
    let all_curves: Vec<Curve> = drawn_players().map(curve).collect();
    let ticks: Vec<(f64, String)> =
        values.iter().map(|&value| (position(value), value.to_string())).collect();
    let nouns = capitalize(noun) + "s";
    let titles = [format!("{nouns} at the end of games"), format!("{nouns} reached")];
    let end_plot = Plot::new(|sheet| end_values::draw(sheet, &titles[0], &end_labels, &bars));
    let x_label = format!("{noun} reached");
    let make_curves = |curves| Curves {
        title: &titles[1],
        axes: [&x_label, "share of games"],
        unit: Unit::Share,
        required_values: &[0.0, 1.0],
        ticks: &ticks,
        curves,
    };
    let file = make_curves(&all_curves[..all_curves.len().min(MAX_CURVES)]).draw(ScreenSize::Wide, true);
    let reached_plot = Plot::new(|sheet| make_curves(&all_curves).draw(sheet, false)).with_file(file);
    let captions = [
        format!(
            "Share of games by {noun} at the end, largest on the left. The right edge of the part for a {value} is the share of games that reached this value."
        ),
        format!("Share of games that reached a {value}. Bars are 95 % intervals."),
    ];
    let names = [noun.replace(' ', "-"), format!("{value}-reached")];
    let [ended_title, reached_title] = titles;
    [
        Figure::new(&names[0], ended_title, &captions[0], end_plot, table)
            .with_note(describe_omission(standings.len(), MAX_ROWS)),
        Figure::new(&names[1], reached_title, &captions[1], reached_plot, table)
            .with_choices(&all_curves)
            .with_note(describe_omission(standings.len(), MAX_ROWS)),
    ]
}

/// Published values of a measure of strength, by player.
pub(super) type PublishedStrengths = BTreeMap<String, Vec<f64>>;

/// Returns the published values of this measure.
pub(super) fn published_strengths(table: &Table, measure: StrengthMeasure) -> PublishedStrengths {
    let mut strengths = PublishedStrengths::new();
    let is_mean = |row: &PublishedRow| row.statistic.as_ref().is_none_or(|statistic| statistic == "mean");
    for row in table.read_rows::<PublishedRow>().filter(is_mean) {
        if let (Some(from), Some(to)) = (row.published_from, row.published_to)
            && row.what == measure.measure().to_string()
        {
            strengths.entry(row.player).or_default().push(0.5 * (from + to));
        }
    }
    strengths
}

/// Plots strength against time; `None` if no time is known. The caption ends with reasons for
/// missing tests.
pub(super) fn plot_strength(
    standings: &[Standing],
    measure: StrengthMeasure,
    published: &PublishedStrengths,
    missing_tests: &[&str],
) -> Option<Figure> {
    let has_rivals = standings.iter().filter(|one| one.games > 0).count() > 1;
    let point = |one: &Standing| {
        let (ms, strength) = (one.ms?, measure.value(one)?);
        let front = one.front_status.or(has_rivals.then_some(FrontStatus::Open));
        let published = published.get(&one.name).cloned().unwrap_or_default();
        Some(StrengthPoint { name: one.name.clone(), ms, strength, front, published, preparation: None })
    };
    let points: Vec<StrengthPoint> = standings.iter().filter_map(point).collect();
    if points.is_empty() {
        return None;
    }
    // Players of the front first, so that the drawn front is the front of all players.
    let mut shown_points = points.clone();
    shown_points.sort_by_key(|point| point.front);
    shown_points.truncate(MAX_POINTS);
    let title = "Strength and time";
    let label = measure.label();
    let plot =
        Plot::new(|sheet| strength::draw(sheet, title, label, Unit::from_measure(measure), &shown_points));
    let front_caption = if !has_rivals {
        String::new()
    } else if standings.iter().any(|one| one.front_status.is_some()) {
        let is_few = |one: &Standing| (1..MIN_GAMES).contains(&one.games);
        let is_open = |point: &StrengthPoint| point.front == Some(FrontStatus::Open);
        let few_games_caption = if points.iter().any(is_open) && standings.iter().any(is_few) {
            format!(" Times of fewer than {MIN_GAMES} games are not compared, so these players are open.")
        } else {
            String::new()
        };
        let missing_reasons: String = missing_tests.iter().map(|reason| format!(" {reason}")).collect();
        format!(
            "A player is on the Pareto front if every other player is significantly weaker or slower. It is off if another player is significantly better in one measure and at most {} worse in the other, with {} confidence for all.{few_games_caption}{missing_reasons}",
            format_percent(MARGIN),
            format_level(LEVEL)
        )
    } else {
        "The Pareto front is unknown, because games.csv is missing. All players are marked open.".to_owned()
    };
    let published_caption = if points.iter().any(|point| !point.published.is_empty()) {
        " Hollow marks are published values, drawn at the time per move that we measured."
    } else {
        ""
    };
    let caption = format!(
        "A line joins the budgets of one algorithm; vertical lines are intervals.{published_caption} {front_caption}"
    );
    let caption = caption.trim_end();
    let cut_note = (shown_points.len() < points.len()).then(|| {
        format!("Shows {} of {} players. The table shows all players.", shown_points.len(), points.len())
    });
    let note =
        cut_note.into_iter().chain(describe_rule_times(standings)).reduce(|cut, rules| cut + " " + &rules);
    let numbers = strength_table(&points, measure);
    Some(Figure::new("strength", title, caption, plot, &numbers).with_note(note))
}

table! {
    /// A player in the plot of strength against time.
    struct StrengthRow("strength", Some(LEVEL)) of it: &StrengthPoint {
        player: String, words() = &*it.name;
        cpu_ms_per_move: Option<f64>, number().with_decimals(6) = it.ms;
        front: String, words() = it.front.map_or("", FrontStatus::word);
    }
}

fn strength_table(points: &[StrengthPoint], measure: StrengthMeasure) -> Table {
    let mut table = StrengthRow::table(points.iter().map(StrengthRow::new));
    table.insert(2, value_column(measure.measure()), points.iter().map(|point| Some(point.strength)));
    table
}

/// Returns a note about players whose time includes the rules, if there are any.
fn describe_rule_times(standings: &[Standing]) -> Option<String> {
    let names: Vec<&str> =
        standings.iter().filter(|one| one.time_source.includes_rules()).map(|one| &*one.name).collect();
    (!names.is_empty())
        .then(|| format!("These times include the rules of the game: {}.", list_names(&names, MAX_NAMED)))
}

/// Plots times per move; `None` if there are no rows.
pub(super) fn plot_times(standings: &[Standing], table: &Table) -> Figure {
    let mut rows: BTreeMap<String, MoveTimeRow> =
        table.read_rows::<MoveTimeRow>().map(|row| (row.player.clone(), row)).collect();
    let player_times = |standing: &Standing| {
        let MoveTimeRow { player: name, p50_ms, p90_ms, p99_ms, max_ms, mean_ms: mean, .. } =
            rows.remove(&standing.name)?;
        Some(MoveTimes { name, quantiles: [p50_ms, p90_ms, p99_ms, max_ms], mean })
    };
    let all_times: Vec<MoveTimes> = standings.iter().filter_map(player_times).take(MAX_ROWS).collect();
    let title = "Time per move";
    if all_times.is_empty() {
        return Figure::without_plot("time", title, "No player was timed.".to_owned()).with_table(table);
    }
    let plot = Plot::new(|sheet| times::draw(sheet, title, &all_times));
    let caption = "Wall time per move on this machine. The thick part of a line contains 49 % of the moves, from the median to the 99th percentile. On a busy machine, means and maxima grow, but medians hardly change.";
    let note = describe_omission(standings.len(), MAX_ROWS).into_iter().chain(describe_rule_times(standings));
    Figure::new("time", title, caption, plot, table).with_note(note.reduce(|cut, rules| cut + " " + &rules))
}

/// Shows the times per move by processor.
pub(super) fn show_times_by_processor(table: &Table) -> Figure {
    let note = "Games were played on several processors. The table shows times per move on each processor.";
    Figure::without_plot("times-by-processor", "Time per move by processor", note.to_owned())
        .with_table(table)
}
