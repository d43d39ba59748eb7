//! Names of lines on a sheet: next to one of their points, or further away with a connecting line.
//! A name without room is left out and counted.

use super::canvas::{SMALL_TEXT_SIZE, text_width};

/// A rectangle of the sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    pub(super) top_left: (i32, i32),
    pub(super) bottom_right: (i32, i32),
}

impl Rectangle {
    fn overlaps(&self, other: &Rectangle) -> bool {
        self.top_left.0 < other.bottom_right.0
            && other.top_left.0 < self.bottom_right.0
            && self.top_left.1 < other.bottom_right.1
            && other.top_left.1 < self.bottom_right.1
    }

    fn contains(&self, other: &Rectangle) -> bool {
        other.top_left.0 >= self.top_left.0
            && other.bottom_right.0 <= self.bottom_right.0
            && other.top_left.1 >= self.top_left.1
            && other.bottom_right.1 <= self.bottom_right.1
    }
}

/// A text and its position.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) area: Rectangle,
    pub(super) point: (i32, i32),
}

impl Label {
    /// Returns the line from the text to its point, if the text is so far away that it could be
    /// taken for a neighbour's.
    pub(super) fn connecting_line(&self) -> Option<((i32, i32), (i32, i32))> {
        let (Rectangle { top_left, bottom_right }, point) = (self.area, self.point);
        let (x, y) =
            (point.0.clamp(top_left.0, bottom_right.0), point.1.clamp(top_left.1 + 3, bottom_right.1 - 3));
        let is_far =
            (point.0 - x).abs().max((point.1 - y).abs()) > 9 || (top_left.1 + bottom_right.1) / 2 != point.1;
        is_far.then_some(((x, y), point))
    }

    /// Returns the area of the connecting line, in small rectangles.
    fn connecting_line_parts(&self) -> impl Iterator<Item = Rectangle> {
        const PARTS: i32 = 24;
        let interpolate = |(from, to): (i32, i32), i: i32| from + (to - from) * i / PARTS;
        self.connecting_line().into_iter().flat_map(move |(from, to)| {
            (0..=PARTS).map(move |i| {
                let (x, y) = (interpolate((from.0, to.0), i), interpolate((from.1, to.1), i));
                Rectangle { top_left: (x - 1, y - 1), bottom_right: (x + 1, y + 1) }
            })
        })
    }
}

/// Labels being placed.
pub(super) struct Labels {
    bounds: Rectangle,
    reserved: Vec<Rectangle>,
    /// The points, and the areas of their marks.
    points: Vec<((i32, i32), Rectangle)>,
    pub(super) placed_labels: Vec<Label>,
    /// Number of names that have no room.
    pub(super) omitted_count: usize,
}

/// Half of the height of a label.
const HALF_HEIGHT: i32 = 8;

impl Labels {
    pub(super) fn new(bounds: Rectangle) -> Labels {
        Labels {
            bounds,
            reserved: Vec::new(),
            points: Vec::new(),
            placed_labels: Vec::new(),
            omitted_count: 0,
        }
    }

    /// Reserves an area that labels must avoid.
    pub(super) fn reserve(&mut self, area: Rectangle) {
        self.reserved.push(area);
    }

    /// Reserves the area of a point and its interval, and keeps connecting lines away from its
    /// mark.
    pub(super) fn reserve_point(&mut self, (x, y): (i32, i32), (above, below): (i32, i32)) {
        self.reserve(Rectangle {
            top_left: (x - 7, above.min(y - 7)),
            bottom_right: (x + 7, below.max(y + 7)),
        });
        self.points.push(((x, y), Rectangle { top_left: (x - 8, y - 8), bottom_right: (x + 8, y + 8) }));
    }

    /// Reserves a line between two points, in small rectangles.
    pub(super) fn reserve_line(&mut self, from: (i32, i32), to: (i32, i32)) {
        let segments = ((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 4).max(1);
        let interpolate = |from: i32, to: i32, i: i32| from + (to - from) * i / segments;
        for i in 0..=segments {
            let (x, y) = (interpolate(from.0, to.0, i), interpolate(from.1, to.1, i));
            self.reserve(Rectangle { top_left: (x - 2, y - 2), bottom_right: (x + 2, y + 2) });
        }
    }

    /// Writes a name next to one of these points, the first if possible.
    pub(super) fn place_name(&mut self, name: &str, points: &[(i32, i32)]) {
        let label_beside = || {
            points.iter().find_map(|&point| self.find_free_label(name, point, &positions_beside(name, point)))
        };
        let label_on_ring = |ring| {
            points
                .iter()
                .find_map(|&point| self.find_free_label(name, point, &positions_around(name, point, ring)))
        };
        match label_beside().or_else(|| (1..=8).find_map(label_on_ring)) {
            Some(label) => {
                self.reserved.push(label.area);
                self.reserved.extend(label.connecting_line_parts());
                self.placed_labels.push(label);
            }
            None => self.omitted_count += 1,
        }
    }

    /// Returns the label at the first of these positions that is free.
    fn find_free_label(&self, text: &str, point: (i32, i32), positions: &[(i32, i32)]) -> Option<Label> {
        let width = text_width(text, SMALL_TEXT_SIZE);
        positions.iter().find_map(|&(x, y)| {
            let area =
                Rectangle { top_left: (x, y - HALF_HEIGHT), bottom_right: (x + width, y + HALF_HEIGHT) };
            let label = Label { text: text.to_owned(), area, point };
            (self.bounds.contains(&area) && self.is_free(&label)).then_some(label)
        })
    }

    /// The text must not overlap reserved areas. A connecting line must not cross another text or
    /// pass another point, because it would seem to lead there.
    fn is_free(&self, label: &Label) -> bool {
        // A line may pass marks that overlap the mark at its end, because it cannot distinguish
        // them.
        let is_at_end = |segment: &Rectangle| {
            (segment.top_left.0 + 1 - label.point.0).abs().max((segment.top_left.1 + 1 - label.point.1).abs())
                < 10
        };
        let passes = |segment: &Rectangle| {
            !is_at_end(segment)
                && self.points.iter().any(|(point, mark)| *point != label.point && mark.overlaps(segment))
        };
        let crosses = |segment: &Rectangle| {
            self.placed_labels.iter().any(|other| other.area.overlaps(segment)) || passes(segment)
        };
        !self.reserved.iter().any(|area| area.overlaps(&label.area))
            && !label.connecting_line_parts().any(|segment| crosses(&segment))
    }
}

/// Returns positions of a text next to a point, the best first.
fn positions_beside(text: &str, (x, y): (i32, i32)) -> Vec<(i32, i32)> {
    let width = text_width(text, SMALL_TEXT_SIZE);
    let (right, left) = (x + 9, x - 9 - width);
    let sides = [0, -14, 14, -26, 26].into_iter().flat_map(|dy| [(right, y + dy), (left, y + dy)]);
    let above = [-18, 18, -32, 32].map(|dy| (x - width / 2, y + dy));
    sides.chain(above).collect()
}

/// Returns positions of a text further away: it begins, ends or is centred on a ring around the
/// point.
fn positions_around(text: &str, (x, y): (i32, i32), ring: i32) -> Vec<(i32, i32)> {
    let width = text_width(text, SMALL_TEXT_SIZE);
    let (ring_width, ring_height) = (9 + 12 * ring, 12 + 12 * ring);
    let y_offsets = (-4..=4).map(move |step| step * ring_height / 4);
    let row_positions =
        |dy| [(x + ring_width, y + dy), (x - ring_width - width, y + dy), (x - width / 2, y + dy)];
    y_offsets.flat_map(row_positions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seventeen points with long names: few have no room, and no labels overlap.
    #[test]
    fn a_crowd_of_points_has_names_that_do_not_meet() {
        let mut labels = Labels::new(Rectangle { top_left: (54, 28), bottom_right: (744, 366) });
        let points: Vec<(i32, i32)> = (0..17).map(|i| (90 + 38 * i, 60 + 37 * i % 200)).collect();
        for &(x, y) in &points {
            labels.reserve_point((x, y), (y - 14, y + 14));
        }
        for (i, &point) in points.iter().enumerate() {
            labels.place_name(&format!("swift-expectimax depth={i}"), &[point]);
        }
        assert!(labels.omitted_count < 6, "{}", labels.omitted_count);
        assert_eq!(labels.placed_labels.len() + labels.omitted_count, 17);
        for (i, label) in labels.placed_labels.iter().enumerate() {
            assert!(labels.bounds.contains(&label.area));
            assert!(
                labels.placed_labels[..i].iter().all(|other| !other.area.overlaps(&label.area)),
                "{label:?}"
            );
        }
    }

    /// Points close together, so that connecting lines would have to pass them.
    #[test]
    fn no_tie_passes_a_point_that_is_not_its_own() {
        let mut labels = Labels::new(Rectangle { top_left: (54, 28), bottom_right: (324, 366) });
        let points: Vec<(i32, i32)> = (0..24).map(|i| (120 + 20 * (i % 6), 150 + 20 * (i / 6))).collect();
        points.iter().for_each(|&point| labels.reserve_point(point, (point.1, point.1)));
        points.iter().for_each(|&point| labels.place_name("swift-expectimax", &[point]));
        assert!((6..24).contains(&labels.omitted_count), "{}", labels.omitted_count);
        for label in labels.placed_labels {
            let passed_point = points.iter().find(|&&(x, y)| {
                let mark = Rectangle { top_left: (x - 7, y - 7), bottom_right: (x + 7, y + 7) };
                (x, y) != label.point && label.connecting_line_parts().any(|part| part.overlaps(&mark))
            });
            assert_eq!(passed_point, None, "{label:?}");
        }
    }

    /// The last point of a line has no room, so the name is next to another of its points.
    #[test]
    fn a_name_is_beside_any_point_of_its_line_and_off_the_line() {
        let mut labels = Labels::new(Rectangle { top_left: (0, 0), bottom_right: (400, 200) });
        let points = [(380, 20), (200, 150)];
        points.iter().for_each(|&point| labels.reserve_point(point, (point.1, point.1)));
        labels.reserve_line(points[0], points[1]);
        labels.reserve(Rectangle { top_left: (240, 0), bottom_right: (400, 120) });
        labels.place_name("expectimax", &points);
        // The line leaves its first point to the right.
        assert_eq!(labels.placed_labels[0].area.top_left, (119, 142));
    }
}
