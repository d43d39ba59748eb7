//! The figures of a section: each is a plot made from a table, with the table.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gauntlet_analysis::compare::front::{FrontStatus, MARGIN};
use gauntlet_analysis::compare::published::PublishedRow;
use gauntlet_analysis::compare::time::LEAST_GAMES;
use gauntlet_analysis::results::analysis::front::MOST_NAMED;
use gauntlet_analysis::results::analysis::order::value_column;
use gauntlet_analysis::results::analysis::standing::{Standing, StrengthMeasure, sort_rows};
use gauntlet_analysis::results::tables::crossed::Crosstable;
use gauntlet_analysis::results::tables::reached::rows_by_player;
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_core::game::Fact;
use gauntlet_core::measure::is_rate_name;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_core::text::{capitalize, format_level, format_percent, group_digits, list_names};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::matrix::Matrix;
use super::plots::curves::{self, Curve, Curves, MOST_CURVES};
use super::plots::intervals::{self, IntervalLine, Unit};
use super::plots::strength::{self, MOST_POINTS, StrengthPoint};
use super::plots::times::{self, Times};
use super::plots::values_ended::{self, ValueBar};
use super::plots::{Drawing, MOST_ROWS, Plot, Sheet};
use super::view::{Download, TableView};

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
    pub(super) fn without_plot(name: &str, title: impl Into<Cow<'static, str>>, why: String) -> Figure {
        Figure {
            name: name.to_owned(),
            title: title.into(),
            caption: String::new(),
            note: Some(why),
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

    /// Replaces its table.
    pub(super) fn with_table(mut self, numbers: &Table) -> Figure {
        self.table = Some(TableView::new(numbers));
        self
    }

    /// Replaces the table to download; the table on the page stays.
    pub(super) fn with_download(mut self, whole: &Table) -> Figure {
        self.table.iter_mut().for_each(|table| table.download = Some(Download::new(whole)));
        self
    }
}

/// If there are too many players, returns the note that only the strongest are drawn.
pub(super) fn describe_cut(all: usize, most: usize) -> Option<String> {
    (all > most).then(|| {
        let all = group_digits(all as u64);
        format!("Shows the {most} strongest of {all} players, because more would be hard to read. The table shows all players.")
    })
}

/// Plots win rates, the strongest player first.
pub(super) fn plot_win_rates(ranked: &[Standing], by: StrengthMeasure, table: &Table) -> Figure {
    let mut sorted = table.clone();
    sort_rows(&mut sorted, ranked.iter().map(|one| &*one.name));
    let line = |one: &Standing| {
        let (written, estimate) = (by.text(one), by.value(one)?);
        let (value, short) = (written.with_bounds(), written.value());
        Some(IntervalLine { name: one.name.clone(), value, short, estimate, published: None })
    };
    let lines: Vec<IntervalLine> = ranked.iter().filter_map(line).take(MOST_ROWS).collect();
    let (title, caption) = match by {
        StrengthMeasure::WinRate => {
            ("Win rates", "Share of games won, strongest player first. Bars are 95 % intervals.")
        }
        StrengthMeasure::Score => (
            "Mean scores",
            "Mean scores, because all win rates are equal. Strongest player first. Bars are 95 % intervals.",
        ),
        StrengthMeasure::Elo => (
            "Ratings",
            "Elo ratings from all games, with mean 0. Strongest player first. Bars are 95 % intervals. A lead of 100 Elo means 64 % of the points.",
        ),
    };
    let plot = Plot::new(|sheet| intervals::draw(sheet, title, by.label(), Unit::from_measure(by), &lines));
    let name = if by == StrengthMeasure::Elo { "elo" } else { "win-rate" };
    let figure = Figure::new(name, title, caption, plot, &sorted).with_download(table);
    figure.with_note(describe_cut(ranked.len(), MOST_ROWS))
}

/// Shows the results of each pair of players; as a matrix, if there are more than two.
pub(super) fn show_duels(table: &Table, elo: &Table) -> Figure {
    let said = "The table shows the results of each pair of players, moving first and second, and the points of their game pairs.";
    let figure = Figure::without_plot("duels", "Results of each pair", said.to_owned()).with_table(table);
    Figure { matrix: Crosstable::new(table, elo).as_ref().map(Matrix::from_crosstable), ..figure }
}

/// Plots published numbers that are rates together with the measured ones.
pub(super) fn plot_published(table: &Table) -> Option<Figure> {
    let line = |row: PublishedRow| {
        let published = row.published_from.zip(row.published_to)?;
        let estimate = row.measured.estimate.filter(|_| is_rate_name(&row.what))?;
        let name = format!("{}, {}", row.player, row.what);
        let (value, short) = (row.verdict.clone(), row.verdict);
        Some(IntervalLine { name, value, short, estimate, published: Some(published) })
    };
    let all: Vec<IntervalLine> = table.read_rows().filter_map(line).collect();
    let count = all.len();
    let lines: Vec<IntervalLine> = all.into_iter().take(MOST_ROWS).collect();
    let title = "Published and measured rates";
    if lines.is_empty() {
        let why = "No plot: none of the published numbers is a rate.".to_owned();
        return (!table.rows.is_empty())
            .then(|| Figure::without_plot("published", title, why).with_table(table));
    }
    let label = "share of games";
    let plot = Plot::new(|sheet| intervals::draw(sheet, title, label, Unit::Share, &lines));
    let caption =
        "Measured rates with published rates below them. The table also has scores, times and sources.";
    let note = (count > MOST_ROWS).then(|| {
        format!("Shows the first {MOST_ROWS} of {} numbers. The table shows all.", group_digits(count as u64))
    });
    Some(Figure::new("published", title, caption, plot, table).with_note(note))
}

/// Plots the values of a fact, such as the largest tile in 2048: the values on which games ended,
/// and the values that they reached.
pub(super) fn plot_fact(ranked: &[Standing], fact: &Fact, table: &Table) -> [Figure; 2] {
    let Fact { noun, value, .. } = *fact;
    let (_, players) = rows_by_player(table);
    let rows_of = |name: &str| players.get(name).into_iter().flatten();
    let drawn = || ranked.iter().take(MOST_ROWS);
    let ended: BTreeSet<u64> = drawn().flat_map(|one| rows_of(&one.name)).map(|(&value, _)| value).collect();
    let bar = |one: &Standing| {
        let place = |value: &u64| ended.range(..value).count();
        let shares = rows_of(&one.name).filter_map(|(value, row)| Some((place(value), row.share?)));
        ValueBar { name: one.name.clone(), shares: shares.collect() }
    };
    let bars: Vec<ValueBar> = drawn().map(bar).collect();
    let ended: Vec<String> = ended.iter().map(u64::to_string).collect();
    let values: BTreeSet<u64> = players.values().flat_map(|rows| rows.keys().copied()).collect();
    let place = |value: u64| values.iter().position(|&other| other == value).unwrap_or(0) as f64;
    let curve = |one: &Standing| {
        let rates: Vec<(u64, Estimate)> =
            rows_of(&one.name).filter_map(|(&value, row)| Some((value, row.reach_rate.estimate?))).collect();
        // A value that no game ended on has no row; the line falls to 0 at this value.
        let next = rates.last().and_then(|(last, _)| values.iter().find(|value| *value > last));
        let point = |&(value, estimate): &(u64, Estimate)| {
            let hint =
                format!("{}: {} of games reached {value}", one.name, Unit::Share.format_estimate(&estimate));
            curves::PlotPoint { place: place(value), estimate, hint }
        };
        Curve {
            name: one.name.clone(),
            points: rates.iter().map(point).collect(),
            ends_at: next.map(|&value| place(value)),
        }
    };
    let all: Vec<Curve> = drawn().map(curve).collect();
    let placed: Vec<(f64, String)> = values.iter().map(|&value| (place(value), value.to_string())).collect();
    let nouns = capitalize(noun) + "s";
    let titles = [format!("{nouns} at the end of games"), format!("{nouns} reached")];
    let exact = Plot::new(|sheet| values_ended::draw(sheet, &titles[0], &ended, &bars));
    let along = format!("{noun} reached");
    let reached = |all| Curves {
        title: &titles[1],
        axes: [&along, "share of games"],
        unit: Unit::Share,
        has: &[0.0, 1.0],
        values: &placed,
        all,
    };
    let file = reached(&all[..all.len().min(MOST_CURVES)]).draw(Sheet::Wide, true);
    let reached = Plot::new(|sheet| reached(&all).draw(sheet, false)).with_file(file);
    let choice = |(i, one): (usize, &Curve)| FigureChoice {
        swatch: curves::draw_swatch(i),
        name: one.name.clone(),
        is_shown: i < MOST_CURVES,
    };
    let captions = [
        format!(
            "Share of games by {noun} at the end, largest on the left. The right edge of the part for a {value} is the share of games that reached this value."
        ),
        format!("Share of games that reached a {value}. Bars are 95 % intervals."),
    ];
    let names = [noun.replace(' ', "-"), format!("{value}-reached")];
    let [ended_title, reached_title] = titles;
    [
        Figure::new(&names[0], ended_title, &captions[0], exact, table)
            .with_note(describe_cut(ranked.len(), MOST_ROWS)),
        Figure {
            choices: all.iter().enumerate().map(choice).collect(),
            ..Figure::new(&names[1], reached_title, &captions[1], reached, table)
                .with_note(describe_cut(ranked.len(), MOST_ROWS))
        },
    ]
}

/// Published values of a measure of strength, by player.
pub(super) type PublishedStrengths = BTreeMap<String, Vec<f64>>;

/// Returns the published values of this measure.
pub(super) fn published_strengths(table: &Table, by: StrengthMeasure) -> PublishedStrengths {
    let mut all = PublishedStrengths::new();
    let is_mean = |row: &PublishedRow| row.statistic.as_ref().is_none_or(|of| of == "mean");
    for row in table.read_rows::<PublishedRow>().filter(is_mean) {
        if let (Some(from), Some(to)) = (row.published_from, row.published_to)
            && row.what == by.measure().to_string()
        {
            all.entry(row.player).or_default().push(0.5 * (from + to));
        }
    }
    all
}

/// Plots strength against time; `None` if no time is known. The caption ends with reasons for
/// missing tests.
pub(super) fn plot_strength(
    ranked: &[Standing],
    by: StrengthMeasure,
    published: &PublishedStrengths,
    missing_tests: &[&str],
) -> Option<Figure> {
    let point = |one: &Standing| {
        let (ms, strength) = (one.ms?, by.value(one)?);
        let front = one.front.or((ranked.len() > 1).then_some(FrontStatus::Open));
        let published = published.get(&one.name).cloned().unwrap_or_default();
        Some(StrengthPoint { name: one.name.clone(), ms, strength, front, published })
    };
    let points: Vec<StrengthPoint> = ranked.iter().filter_map(point).collect();
    if points.is_empty() {
        return None;
    }
    // Players of the front first, so that the drawn front is the front of all players.
    let mut shown = points.clone();
    shown.sort_by_key(|point| point.front);
    shown.truncate(MOST_POINTS);
    let title = "Strength and time";
    let label = by.label();
    let plot = Plot::new(|sheet| strength::draw(sheet, title, label, Unit::from_measure(by), &shown));
    let front = if ranked.len() < 2 {
        String::new()
    } else if ranked.iter().any(|one| one.front.is_some()) {
        let is_few = |one: &Standing| (1..LEAST_GAMES).contains(&one.games);
        let is_open = |point: &StrengthPoint| point.front == Some(FrontStatus::Open);
        let few = if points.iter().any(is_open) && ranked.iter().any(is_few) {
            format!(" Times of fewer than {LEAST_GAMES} games are not compared, so these players are open.")
        } else {
            String::new()
        };
        let missing: String = missing_tests.iter().map(|reason| format!(" {reason}")).collect();
        format!(
            "A player is on the Pareto front if every other player is significantly weaker or slower. It is off if another player is significantly better in one measure and at most {} worse in the other, with {} confidence for all.{few}{missing}",
            format_percent(MARGIN),
            format_level(LEVEL)
        )
    } else {
        "The Pareto front is unknown, because games.csv is missing. All players are marked open.".to_owned()
    };
    let hollow = if points.iter().any(|point| !point.published.is_empty()) {
        " Hollow marks are published scores, drawn at the time per move that we measured."
    } else {
        ""
    };
    let caption =
        format!("A line joins the budgets of one algorithm; vertical lines are intervals.{hollow} {front}");
    let caption = caption.trim_end();
    let some = (shown.len() < points.len())
        .then(|| format!("Shows {} of {} players. The table shows all players.", shown.len(), points.len()));
    let note = some.into_iter().chain(describe_rule_times(ranked)).reduce(|cut, rules| cut + " " + &rules);
    let numbers = strength_table(&points, by);
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

fn strength_table(points: &[StrengthPoint], by: StrengthMeasure) -> Table {
    let mut table = StrengthRow::table(points.iter().map(StrengthRow::new));
    table.insert(2, value_column(by.measure()), points.iter().map(|point| Some(point.strength)));
    table
}

/// Returns a note about players whose time includes the rules, if there are any.
fn describe_rule_times(ranked: &[Standing]) -> Option<String> {
    let names: Vec<&str> =
        ranked.iter().filter(|one| one.timed.includes_rules()).map(|one| &*one.name).collect();
    (!names.is_empty())
        .then(|| format!("These times include the rules of the game: {}.", list_names(&names, MOST_NAMED)))
}

/// Plots times per move; `None` if there are no rows.
pub(super) fn plot_times(ranked: &[Standing], table: &Table) -> Figure {
    let mut rows: BTreeMap<String, MoveTimeRow> =
        table.read_rows::<MoveTimeRow>().map(|row| (row.player.clone(), row)).collect();
    let one = |standing: &Standing| {
        let MoveTimeRow { player: name, p50_ms, p90_ms, p99_ms, max_ms, mean_ms: mean, .. } =
            rows.remove(&standing.name)?;
        Some(Times { name, quantiles: [p50_ms, p90_ms, p99_ms, max_ms], mean })
    };
    let all: Vec<Times> = ranked.iter().filter_map(one).take(MOST_ROWS).collect();
    let title = "Time per move";
    if all.is_empty() {
        return Figure::without_plot("time", title, "No player was timed.".to_owned()).with_table(table);
    }
    let plot = Plot::new(|sheet| times::draw(sheet, title, &all));
    let caption = "Wall time per move on this machine. The thick part of a line contains 49 % of the moves, from the median to the 99th percentile. On a busy machine, means and maxima grow, but medians hardly change.";
    let note = describe_cut(ranked.len(), MOST_ROWS).into_iter().chain(describe_rule_times(ranked));
    Figure::new("time", title, caption, plot, table).with_note(note.reduce(|cut, rules| cut + " " + &rules))
}

/// Shows the times per move by processor.
pub(super) fn show_times_by_processor(table: &Table) -> Figure {
    let said = "Games were played on several processors. The table shows times per move on each processor.";
    Figure::without_plot("times-by-processor", "Time per move by processor", said.to_owned())
        .with_table(table)
}
