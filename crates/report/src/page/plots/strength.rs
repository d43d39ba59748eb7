//! Strength against time, with the Pareto front as far as tests show it.

use gauntlet_analysis::compare::front::Front;
use gauntlet_core::text::{duration, names};
use gauntlet_stats::Estimate;

use super::axis::Axis;
use super::canvas::{self, Anchor, BLUE, Colour, INK, Legend, MUTED, Mark, SMALL, Sheet, VERMILION, columns};
use super::field::Field;
use super::intervals::Unit;
use super::labels::{Label, LabelPart, Labels};

/// A player.
#[derive(Clone)]
pub(in crate::page) struct StrengthPoint {
    pub(in crate::page) name: String,
    /// Time per move in milliseconds, above 0.
    pub(in crate::page) ms: f64,
    pub(in crate::page) strength: Estimate,
    /// Whether it is on the Pareto front.
    pub(in crate::page) front: Front,
}

/// Returns the indices of the points on the Pareto front, the fastest first.
fn front(points: &[StrengthPoint]) -> Vec<usize> {
    let mut front: Vec<usize> = (0..points.len()).filter(|&i| points[i].front == Front::On).collect();
    front.sort_by(|&a, &b| points[a].ms.total_cmp(&points[b].ms));
    front
}

/// Returns mark and colour of a point.
fn mark(front: Front) -> (Mark, Colour) {
    match front {
        Front::On => (Mark::Diamond, VERMILION),
        Front::Open => (Mark::Ring, VERMILION),
        Front::Off => (Mark::Ring, BLUE),
    }
}

/// Draws the plot.
pub(in crate::page) fn draw(
    sheet: Sheet,
    title: &str,
    label: &str,
    unit: Unit,
    points: &[StrengthPoint],
) -> String {
    let field = Field {
        left: if unit == Unit::Share { 54 } else { 66 },
        right: sheet.width() - 16,
        top: if sheet == Sheet::Wide { 44 } else { 62 },
        bottom: 360,
    };
    let Field { left, right, top, bottom } = field;
    let ends = points.iter().flat_map(|point| <[f64; 2]>::from(point.strength.span()));
    let up = unit.axis(ends, (bottom, top), 7);
    let along = Axis::time(points.iter().map(|point| point.ms), (left + 8, right - 8), sheet.ticks());
    let front = front(points);
    let spots: Vec<(i32, i32)> =
        points.iter().map(|point| (along.at(point.ms), up.at(point.strength.value))).collect();

    // From each point of the front horizontally to the next: more time without more strength.
    let steps: Vec<[(i32, i32); 3]> = front
        .windows(2)
        .map(|pair| {
            let (from, to) = (spots[pair[0]], spots[pair[1]]);
            [from, (to.0, from.1), to]
        })
        .collect();
    let Labels { placed, key, .. } = labels(&field, &up, points, &spots, &front, &steps);

    let foot = bottom + 46;
    let height = foot + 18 * key.len() as i32 + if key.is_empty() { 0 } else { 8 };
    canvas::draw(title, sheet.width(), height, |canvas| {
        field.across(canvas, &up);
        field.down(canvas, &along, top);
        field.name_along(canvas, "CPU time per move (logarithmic)");
        canvas.text(label, (2, 10), SMALL, MUTED, Anchor::Start);
        let legend = [(Front::On, "on the Pareto front"), (Front::Open, "open"), (Front::Off, "off")];
        let legend = legend.map(|(front, words)| {
            let (mark, colour) = mark(front);
            (mark, colour, words)
        });
        let (legend_at, legend_top) = if sheet == Sheet::Wide { (right - 250, 2) } else { (2, 18) };
        canvas.legend(&Legend::new(legend, (legend_at, right + 16)), legend_top);
        for step in &steps {
            canvas.path(step, VERMILION, 1);
        }
        for label in &placed {
            // A name far from its point has a connecting line, or it could be taken for a
            // neighbour's.
            if let Some((from, to)) = label.tie() {
                canvas.line(from, to, MUTED, 1);
            }
        }
        // The front is on top, because it is the subject of the plot.
        let rest = (0..points.len()).filter(|i| !front.contains(i));
        for i in rest.chain(front.iter().copied()) {
            let (x, y) = spots[i];
            let (mark, colour) = mark(points[i].front);
            if let Some(ends) = up.interval(&points[i].strength) {
                canvas.interval(ends, |along, aside| (x + aside, along), colour, 1);
            }
            canvas.mark(mark, (x, y), colour);
            canvas.hint_at((x, y), hint(&points[i], unit));
        }
        for Label { text, at, .. } in &placed {
            let middle = (at.from.1 + at.to.1) / 2;
            canvas.text(text, ((at.from.0 + at.to.0) / 2, middle), SMALL, INK, Anchor::Middle);
        }
        let key: Vec<&str> = key.iter().map(|name| &**name).collect();
        for (i, name) in names::fitted(&key, columns(sheet.width() - 32, SMALL)).iter().enumerate() {
            let text = format!("{}  {name}", i + 1);
            canvas.text(&text, (4, foot + 10 + 18 * i as i32), SMALL, MUTED, Anchor::Start);
        }
    })
}

/// Places names next to the points, or numbers of a key if there is no room.
fn labels(
    field: &Field,
    up: &Axis,
    points: &[StrengthPoint],
    spots: &[(i32, i32)],
    front: &[usize],
    steps: &[[(i32, i32); 3]],
) -> Labels {
    // Names of the lowest points may be a little below the axis, above its ticks.
    let inside = LabelPart { from: (field.left, field.top - 16), to: (field.right, field.bottom + 6) };
    let mut labels = Labels::inside(inside);
    for (&spot, point) in spots.iter().zip(points) {
        let (low, high) = point.strength.span();
        labels.point(spot, (up.at(high), up.at(low)));
    }
    for [from, corner, to] in steps {
        labels.take(LabelPart { from: (from.0, from.1 - 2), to: (corner.0, from.1 + 2) });
        labels.take(LabelPart { from: (to.0 - 2, to.1), to: (to.0 + 2, corner.1) });
    }
    // Points of the front are named first, because they are the subject of the plot.
    let rest = (0..points.len()).filter(|i| !front.contains(i));
    for i in front.iter().copied().chain(rest) {
        labels.name(&points[i].name, spots[i]);
    }
    labels
}

/// Describes the numbers of a point, as its tooltip.
fn hint(StrengthPoint { name, ms, strength, .. }: &StrengthPoint, unit: Unit) -> String {
    format!("{name}: {} with {} of CPU time per move", unit.estimate(strength), duration(*ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(all: &[(f64, f64)]) -> Vec<StrengthPoint> {
        let point = |&(ms, value): &(f64, f64)| StrengthPoint {
            name: format!("{ms}"),
            ms,
            strength: Estimate::unbounded(value, 0.95),
            front: Front::Open,
        };
        all.iter().map(point).collect()
    }

    #[test]
    fn a_crowd_gets_numbers_and_a_key() {
        let mut crowd = points(&[(1.0, 0.5); 12]);
        for (i, point) in crowd.iter_mut().enumerate() {
            point.name = format!("a player with a rather long name, number {i}");
        }
        let svg = draw(Sheet::Narrow, "t", "l", Unit::Share, &crowd);
        for i in 0..12 {
            assert!(svg.contains(&format!(" {i}\n")), "{i} is nowhere");
        }
    }
}
