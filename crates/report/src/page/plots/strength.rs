//! Strength against time: a line through the budgets of each algorithm, and the Pareto front as far
//! as tests show it.

use std::collections::BTreeMap;

use gauntlet_analysis::compare::front::FrontStatus;
use gauntlet_core::text::{format_count, format_duration, group_decimal};
use gauntlet_stats::Estimate;
use serde_json::Value;

use super::axis::Axis;
use super::canvas::{
    self, Anchor, Canvas, Colour, GRID, INK, Legend, MUTED, Mark, SERIES_COLOURS, SERIES_MARKS,
    SMALL_TEXT_SIZE, ScreenSize, fit_text,
};
use super::intervals::Unit;
use super::labels::{Label, Labels, Rectangle};
use super::plot_area::{self, NO_EDGES, PlotArea};

/// Point of the plot: the strength of a player and its time per move.
#[derive(Clone)]
pub(in crate::page) struct StrengthPoint {
    pub(in crate::page) name: String,
    /// Time per move in milliseconds, above 0.
    pub(in crate::page) ms: f64,
    pub(in crate::page) strength: Estimate,
    /// Whether it is on the Pareto front; `None` for the only player.
    pub(in crate::page) front: Option<FrontStatus>,
    /// Published values of its strength.
    pub(in crate::page) published: Vec<f64>,
    /// What the player needs, if the plot distinguishes players by it. Then each point has its
    /// name and its element, so that a script can name and hide it.
    pub(in crate::page) preparation: Option<Preparation>,
}

/// What a player needs before its first game, besides this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::page) enum Preparation {
    Nothing,
    /// A network to train.
    Training,
    /// Endgame tables to build.
    Tables,
    TrainingAndTables,
}

impl Preparation {
    const ALL: [Preparation; 4] =
        [Preparation::Nothing, Preparation::Training, Preparation::Tables, Preparation::TrainingAndTables];

    /// Returns what a player with these settings needs.
    pub(in crate::page) fn from_settings(settings: &Value) -> Preparation {
        let has_file = |setting: &str| settings.get(setting).is_some_and(Value::is_string);
        match (has_file("network"), has_file("endgames")) {
            (false, false) => Preparation::Nothing,
            (true, false) => Preparation::Training,
            (false, true) => Preparation::Tables,
            (true, true) => Preparation::TrainingAndTables,
        }
    }

    /// Returns the words of the legend.
    fn words(self) -> &'static str {
        match self {
            Preparation::Nothing => "nothing to prepare",
            Preparation::Training => "trained network",
            Preparation::Tables => "endgame tables",
            Preparation::TrainingAndTables => "both",
        }
    }

    /// Returns the value of the attribute `data-needs`.
    fn attribute(self) -> &'static str {
        match self {
            Preparation::Nothing => "nothing",
            Preparation::Training => "training",
            Preparation::Tables => "tables",
            Preparation::TrainingAndTables => "training-tables",
        }
    }

    fn mark(self) -> (Mark, Colour) {
        (SERIES_MARKS[self as usize], SERIES_COLOURS[self as usize])
    }
}

/// Players that differ in one number of their names, such as `depth=3`: budgets of one algorithm.
struct BudgetLine {
    label: String,
    /// Indices of its points, the smallest budget first.
    points: Vec<usize>,
}

/// The most players of the plot.
pub(in crate::page) const MAX_POINTS: usize = 120;

/// A setting is a budget if the slowest player takes at least this many times as long as the
/// fastest.
const BUDGET_RATIO: f64 = 1.5;

/// The axis of scores is logarithmic if the largest score is more than this many times the
/// smallest.
const LOG_AXIS_RATIO: f64 = 10.0;

/// Returns the lines of all points, the strongest first. A point that shares no line is a line by
/// itself; so is each point with a preparation.
fn group_lines(points: &[StrengthPoint]) -> Vec<BudgetLine> {
    let mut groups: BTreeMap<(String, String), Vec<(f64, usize)>> = BTreeMap::new();
    for (i, point) in points.iter().enumerate().filter(|(_, point)| point.preparation.is_none()) {
        let words: Vec<&str> = point.name.split(' ').collect();
        for (index, word) in words.iter().enumerate() {
            let Some((key, value)) = word.split_once('=') else { continue };
            if let Ok(value) = value.parse() {
                let other_words = [&words[..index], &words[index + 1..]].concat().join(" ");
                groups.entry((other_words, key.to_owned())).or_default().push((value, i));
            }
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let mut is_free = vec![true; points.len()];
    let mut lines: Vec<((String, String), Vec<usize>)> = Vec::new();
    for (name, mut members) in groups {
        members.retain(|&(_, i)| is_free[i]);
        members.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let ms = || members.iter().map(|&(_, i)| points[i].ms);
        if ms().fold(0.0, f64::max) >= BUDGET_RATIO * ms().fold(f64::INFINITY, f64::min) {
            members.iter().for_each(|&(_, i)| is_free[i] = false);
            lines.push((name, members.into_iter().map(|(_, i)| i).collect()));
        }
    }
    let single = |i: usize| ((points[i].name.clone(), String::new()), vec![i]);
    lines.extend((0..points.len()).filter(|&i| is_free[i]).map(single));
    let best_strength = |members: &[usize]| {
        members.iter().map(|&i| points[i].strength.value).fold(f64::NEG_INFINITY, f64::max)
    };
    lines.sort_by(|(_, one), (_, other)| best_strength(other).total_cmp(&best_strength(one)));
    let is_shared = |rest: &str| lines.iter().filter(|((other, _), _)| other == rest).count() > 1;
    let label = |(rest, key): &(String, String)| match key.is_empty() {
        false if rest.is_empty() => key.clone(),
        false if is_shared(rest) => format!("{rest} by {key}"),
        _ => rest.clone(),
    };
    let line = |(name, points): &((String, String), Vec<usize>)| BudgetLine {
        label: label(name),
        points: points.clone(),
    };
    lines.iter().map(line).collect()
}

/// Returns the mark of a point, and its meaning. Hollow marks, which mean published values, are not
/// included.
fn mark(front: Option<FrontStatus>) -> (Mark, &'static str) {
    match front {
        Some(FrontStatus::On) => (Mark::Diamond, "on the Pareto front"),
        Some(FrontStatus::Open) => (Mark::Triangle, "open"),
        Some(FrontStatus::Off) => (Mark::Dot, "off"),
        None => (Mark::Dot, ""),
    }
}

/// Returns the axis of strength: logarithmic if numbers span more than a decade.
fn strength_axis(unit: Unit, points: &[StrengthPoint], ends: (i32, i32)) -> Axis {
    let bounds = || {
        let span = |point: &StrengthPoint| <[f64; 2]>::from(point.strength.span());
        points.iter().flat_map(move |point| span(point).into_iter().chain(point.published.clone()))
    };
    let values = || points.iter().map(|point| point.strength.value);
    let min_value = values().fold(f64::INFINITY, f64::min);
    let is_log = min_value > 0.0 && values().fold(0.0, f64::max) > LOG_AXIS_RATIO * min_value;
    if unit == Unit::Plain && is_log {
        return Axis::log(bounds(), ends, 12, |number| group_decimal(number, 0));
    }
    unit.axis(bounds(), ends, 7)
}

/// A plot being drawn: its points at their positions.
struct StrengthPlot<'a> {
    points: &'a [StrengthPoint],
    unit: Unit,
    area: PlotArea,
    y_axis: Axis,
    x_axis: Axis,
    positions: Vec<(i32, i32)>,
    lines: Vec<BudgetLine>,
}

/// Draws the plot.
pub(in crate::page) fn draw(
    sheet: ScreenSize,
    title: &str,
    label: &str,
    unit: Unit,
    points: &[StrengthPoint],
) -> String {
    let statuses = [FrontStatus::On, FrontStatus::Open, FrontStatus::Off].map(Some).into_iter();
    let statuses = statuses.filter(|status| points.iter().any(|point| point.front == *status));
    let published = points.iter().any(|point| !point.published.is_empty());
    let front_legend = statuses.map(mark).chain(published.then_some((Mark::Ring, "published")));
    let front_legend = front_legend.map(|(mark, words)| (mark, MUTED, words));
    let preparations = Preparation::ALL.into_iter();
    let preparations =
        preparations.filter(|preparation| points.iter().any(|point| point.preparation == Some(*preparation)));
    let preparation_legend = preparations.map(|one| (one.mark().0, one.mark().1, one.words()));
    let legend = Legend::full_width(sheet, front_legend.chain(preparation_legend));
    let top = legend.height + 30;
    let area = PlotArea {
        left: if unit == Unit::Share { 54 } else { 66 },
        right: sheet.width() - 16,
        top,
        bottom: top + if sheet == ScreenSize::Wide { 430 } else { 440 },
    };
    let PlotArea { left, right, top, bottom } = area;
    let y_axis = strength_axis(unit, points, (bottom, top));
    let label = if y_axis.is_log() { format!("{label} (logarithmic)") } else { label.to_owned() };
    // Labels at the ends of lines have room on the right of a wide sheet.
    let margin = if sheet == ScreenSize::Wide { 118 } else { 8 };
    let (ms, ends) = (|| points.iter().map(|point| point.ms), (left + 8, right - margin));
    let x_axis = plot_area::horizontal_axis(sheet.max_ticks(), NO_EDGES, |max_ticks| {
        Axis::time(ms(), ends, max_ticks)
    });
    let positions = points
        .iter()
        .map(|point| (x_axis.position(point.ms), y_axis.position(point.strength.value)))
        .collect();
    let plot = StrengthPlot { points, unit, area, y_axis, x_axis, positions, lines: group_lines(points) };
    let labels = plot.place_labels(&plot.front_lines());
    let note = (labels.omitted_count > 0)
        .then(|| format!("{} omitted for lack of space", format_count(labels.omitted_count as u64, "label")));
    canvas::draw(title, sheet.width(), bottom + 46 + if note.is_some() { 18 } else { 0 }, |canvas| {
        canvas.legend(&legend, 0);
        canvas.text(&label, (2, legend.height + 10), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        plot.draw(canvas, &labels);
        if let Some(note) = &note {
            canvas.text(note, (4, bottom + 54), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        }
    })
}

impl StrengthPlot<'_> {
    /// Returns the line of the front: from each of its points to the next, the fastest first. More
    /// time without more strength is horizontal.
    fn front_lines(&self) -> Vec<[(i32, i32); 3]> {
        let mut front_points: Vec<usize> =
            (0..self.points.len()).filter(|&i| self.points[i].front == Some(FrontStatus::On)).collect();
        front_points.sort_by(|&a, &b| self.points[a].ms.total_cmp(&self.points[b].ms));
        let step = |pair: &[usize]| {
            let (from, to) = (self.positions[pair[0]], self.positions[pair[1]]);
            [from, (to.0, from.1), to]
        };
        front_points.windows(2).map(step).collect()
    }

    fn draw(&self, canvas: &Canvas, labels: &Labels) {
        self.area.draw_horizontal_lines(canvas, &self.y_axis);
        self.area.draw_vertical_lines(canvas, &self.x_axis, self.area.top);
        self.area.write_axis_name(canvas, "CPU time per move (logarithmic)");
        for step in self.front_lines() {
            canvas.path(&step, GRID, 6);
        }
        let is_grouped = |label: &&Label| self.preparation_at(label.point).is_some();
        let own_labels = || labels.placed_labels.iter().filter(|label| !is_grouped(label));
        for (from, to) in own_labels().filter_map(Label::connecting_line) {
            canvas.line(from, to, MUTED, 1);
        }
        // The strongest line is on top.
        for (index, line) in self.lines.iter().enumerate().rev() {
            let colour = SERIES_COLOURS[index % SERIES_COLOURS.len()];
            let path: Vec<(i32, i32)> = line.points.iter().map(|&i| self.positions[i]).collect();
            if path.len() > 1 {
                canvas.path(&path, colour, 2);
            }
            for &i in &line.points {
                match self.points[i].preparation {
                    Some(preparation) => self.draw_group(canvas, i, preparation, labels),
                    None => self.draw_point(canvas, i, (mark(self.points[i].front).0, colour)),
                }
            }
        }
        own_labels().for_each(|label| draw_name(canvas, label));
    }

    /// Draws a point and its name as one element.
    fn draw_group(&self, canvas: &Canvas, i: usize, preparation: Preparation, labels: &Labels) {
        let (point, position) = (&self.points[i], self.positions[i]);
        let attributes = format!(
            "class=\"player\" data-needs=\"{}\" data-ms=\"{:.6}\"",
            preparation.attribute(),
            point.ms
        );
        let tooltip = format!("{}; {}", describe_point(point, self.unit), preparation.words());
        canvas.group(&attributes, &tooltip, || {
            let name = label_text(&point.name, &self.area);
            let label = labels.placed_labels.iter().find(|one| one.point == position && one.text == name);
            if let Some((from, to)) = label.and_then(Label::connecting_line) {
                canvas.line(from, to, MUTED, 1);
            }
            self.draw_point(canvas, i, preparation.mark());
            label.into_iter().for_each(|label| draw_name(canvas, label));
        });
    }

    /// Draws a point with its interval and its published values.
    fn draw_point(&self, canvas: &Canvas, i: usize, (mark, colour): (Mark, Colour)) {
        let (point, (x, y)) = (&self.points[i], self.positions[i]);
        if let Some(ends) = self.y_axis.interval_ends(&point.strength) {
            canvas.interval(ends, |bound, offset| (x + offset, bound), colour, 1);
        }
        for &published in &point.published {
            canvas.mark(Mark::Ring, (x, self.y_axis.position(published)), colour);
        }
        canvas.mark(mark, (x, y), colour);
        if point.preparation.is_none() {
            canvas.hint_at((x, y), describe_point(point, self.unit));
        }
    }

    /// Returns what the player at this position needs.
    fn preparation_at(&self, position: (i32, i32)) -> Option<Preparation> {
        let index = self.positions.iter().position(|other| *other == position)?;
        self.points[index].preparation
    }

    /// Places the names of lines, the strongest first.
    fn place_labels(&self, steps: &[[(i32, i32); 3]]) -> Labels {
        let PlotArea { left, right, top, bottom } = self.area;
        // Names of the lowest points may be a little below the axis, above its ticks.
        let mut labels =
            Labels::new(Rectangle { top_left: (left, top - 16), bottom_right: (right + 14, bottom + 6) });
        for (&position, point) in self.positions.iter().zip(self.points) {
            let (low, high) = point.strength.span();
            labels.reserve_point(position, (self.y_axis.position(high), self.y_axis.position(low)));
            for published in point.published.iter().map(|&value| (position.0, self.y_axis.position(value))) {
                labels.reserve_point(published, (published.1, published.1));
            }
        }
        for [from, corner, to] in steps {
            labels.reserve_line(*from, *corner);
            labels.reserve_line(*corner, *to);
        }
        for line in &self.lines {
            line.points
                .windows(2)
                .for_each(|pair| labels.reserve_line(self.positions[pair[0]], self.positions[pair[1]]));
        }
        for line in &self.lines {
            let positions: Vec<(i32, i32)> = line.points.iter().rev().map(|&i| self.positions[i]).collect();
            labels.place_name(&label_text(&line.label, &self.area), &positions);
        }
        labels
    }
}

/// Shortens a name to half of the area.
fn label_text(name: &str, area: &PlotArea) -> String {
    fit_text(name, SMALL_TEXT_SIZE, (area.right - area.left) / 2)
}

fn draw_name(canvas: &Canvas, Label { text, area, .. }: &Label) {
    let Rectangle { top_left, bottom_right } = area;
    let middle = ((top_left.0 + bottom_right.0) / 2, (top_left.1 + bottom_right.1) / 2);
    canvas.text(text, middle, SMALL_TEXT_SIZE, INK, Anchor::Middle);
}

/// Describes the numbers of a point, as its tooltip.
fn describe_point(StrengthPoint { name, ms, strength, .. }: &StrengthPoint, unit: Unit) -> String {
    format!("{name}: {} with {} of CPU time per move", unit.format_estimate(strength), format_duration(*ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_points(values: &[(f64, f64)]) -> Vec<StrengthPoint> {
        let point = |&(ms, value): &(f64, f64)| StrengthPoint {
            name: format!("{ms}"),
            ms,
            strength: Estimate::unbounded(value, 0.95),
            front: Some(FrontStatus::Open),
            published: Vec::new(),
            preparation: None,
        };
        values.iter().map(point).collect()
    }

    #[test]
    fn budgets_of_an_algorithm_are_a_line() {
        let mut points =
            make_points(&[(1.0, 5.0), (1.0, 6.0), (9.0, 7.0), (3.0, 4.0), (1.0, 3.0), (1.1, 2.0)]);
        let names =
            ["a nodes=10 x=1", "greedy", "a nodes=100 x=1", "a nodes=20 x=1", "w weight=1", "w weight=2"];
        points.iter_mut().zip(names).for_each(|(point, name)| point.name = name.to_owned());
        let lines: Vec<_> = group_lines(&points).into_iter().map(|line| (line.label, line.points)).collect();
        // A weight that does not change the time is no budget.
        let expected =
            [("a x=1", vec![0, 3, 2]), ("greedy", vec![1]), ("w weight=1", vec![4]), ("w weight=2", vec![5])];
        assert_eq!(lines, expected.map(|(label, points)| (label.to_owned(), points)));
    }

    #[test]
    fn scores_over_more_than_a_decade_have_a_logarithmic_axis() {
        let middle_position = |max_score: f64| {
            let points = make_points(&[(1.0, 1000.0), (1.0, max_score)]);
            let is_named =
                draw(ScreenSize::Wide, "t", "score", Unit::Plain, &points).contains("score (logarithmic)");
            let axis = strength_axis(Unit::Plain, &points, (0, 1000));
            assert_eq!(is_named, axis.is_log());
            axis.position((1000.0 * max_score).sqrt())
        };
        assert!(middle_position(5000.0) < 420, "{}", middle_position(5000.0));
        assert_eq!(middle_position(1e6), 500);
    }

    #[test]
    fn a_crowd_has_names_or_says_how_many_are_missing() {
        let mut points = make_points(&[(1.0, 0.5); 40]);
        for (i, point) in points.iter_mut().enumerate() {
            point.name = format!("a player with a rather long name, number {i}");
        }
        let svg = draw(ScreenSize::Narrow, "t", "l", Unit::Share, &points);
        let label_count = svg.matches("<text").count() - svg.matches("%\n").count();
        assert!(label_count > 5, "{svg}");
        assert!(svg.contains(" labels omitted"), "{svg}");
    }
}
