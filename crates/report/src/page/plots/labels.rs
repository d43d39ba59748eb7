//! Names of lines on a sheet: next to one of their points, or further away with a connecting line.
//! A name without room is left out and counted.

use super::canvas::{SMALL, text_width};

/// A rectangle of the sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelPart {
    pub(super) from: (i32, i32),
    pub(super) to: (i32, i32),
}

impl LabelPart {
    fn overlaps(&self, other: &LabelPart) -> bool {
        self.from.0 < other.to.0
            && other.from.0 < self.to.0
            && self.from.1 < other.to.1
            && other.from.1 < self.to.1
    }

    fn contains(&self, other: &LabelPart) -> bool {
        other.from.0 >= self.from.0
            && other.to.0 <= self.to.0
            && other.from.1 >= self.from.1
            && other.to.1 <= self.to.1
    }
}

/// A text and its position.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) at: LabelPart,
    spot: (i32, i32),
}

impl Label {
    /// Returns the line from the text to its point, if the text is so far away that it could be
    /// taken for a neighbour's.
    pub(super) fn connecting_line(&self) -> Option<((i32, i32), (i32, i32))> {
        let (LabelPart { from, to }, spot) = (self.at, self.spot);
        let (x, y) = (spot.0.clamp(from.0, to.0), spot.1.clamp(from.1 + 3, to.1 - 3));
        let is_far = (spot.0 - x).abs().max((spot.1 - y).abs()) > 9 || (from.1 + to.1) / 2 != spot.1;
        is_far.then_some(((x, y), spot))
    }

    /// Returns the area of the connecting line, in small rectangles.
    fn connecting_line_parts(&self) -> impl Iterator<Item = LabelPart> {
        const PARTS: i32 = 24;
        let between = |(from, to): (i32, i32), i: i32| from + (to - from) * i / PARTS;
        self.connecting_line().into_iter().flat_map(move |(from, to)| {
            (0..=PARTS).map(move |i| {
                let (x, y) = (between((from.0, to.0), i), between((from.1, to.1), i));
                LabelPart { from: (x - 1, y - 1), to: (x + 1, y + 1) }
            })
        })
    }
}

/// Labels being placed.
pub(super) struct Labels {
    inside: LabelPart,
    taken: Vec<LabelPart>,
    /// The points, and the areas of their marks.
    points: Vec<((i32, i32), LabelPart)>,
    pub(super) placed: Vec<Label>,
    /// Number of names that have no room.
    pub(super) left_out: usize,
}

/// Half of the height of a label.
const HALF: i32 = 8;

impl Labels {
    pub(super) fn new(inside: LabelPart) -> Labels {
        Labels { inside, taken: Vec::new(), points: Vec::new(), placed: Vec::new(), left_out: 0 }
    }

    /// Reserves an area that labels must avoid.
    pub(super) fn reserve(&mut self, part: LabelPart) {
        self.taken.push(part);
    }

    /// Reserves the area of a point and its interval, and keeps connecting lines away from its
    /// mark.
    pub(super) fn reserve_point(&mut self, (x, y): (i32, i32), (above, below): (i32, i32)) {
        self.reserve(LabelPart { from: (x - 7, above.min(y - 7)), to: (x + 7, below.max(y + 7)) });
        self.points.push(((x, y), LabelPart { from: (x - 8, y - 8), to: (x + 8, y + 8) }));
    }

    /// Reserves a line between two points, in small rectangles.
    pub(super) fn reserve_line(&mut self, from: (i32, i32), to: (i32, i32)) {
        let parts = ((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 4).max(1);
        let between = |from: i32, to: i32, i: i32| from + (to - from) * i / parts;
        for i in 0..=parts {
            let (x, y) = (between(from.0, to.0, i), between(from.1, to.1, i));
            self.reserve(LabelPart { from: (x - 2, y - 2), to: (x + 2, y + 2) });
        }
    }

    /// Writes a name next to one of these points, the first if possible.
    pub(super) fn place_name(&mut self, name: &str, spots: &[(i32, i32)]) {
        let near =
            || spots.iter().find_map(|&spot| self.find_free_label(name, spot, &positions_beside(name, spot)));
        let on_ring = |ring| {
            spots
                .iter()
                .find_map(|&spot| self.find_free_label(name, spot, &positions_around(name, spot, ring)))
        };
        match near().or_else(|| (1..=8).find_map(on_ring)) {
            Some(label) => {
                self.taken.push(label.at);
                self.taken.extend(label.connecting_line_parts());
                self.placed.push(label);
            }
            None => self.left_out += 1,
        }
    }

    /// Returns the label at the first of these positions that is free.
    fn find_free_label(&self, text: &str, spot: (i32, i32), places: &[(i32, i32)]) -> Option<Label> {
        let width = text_width(text, SMALL);
        places.iter().find_map(|&(x, y)| {
            let at = LabelPart { from: (x, y - HALF), to: (x + width, y + HALF) };
            let label = Label { text: text.to_owned(), at, spot };
            (self.inside.contains(&at) && self.is_free(&label)).then_some(label)
        })
    }

    /// The text must not overlap reserved areas. A connecting line must not cross another text or
    /// pass another point, because it would seem to lead there.
    fn is_free(&self, label: &Label) -> bool {
        // A line may pass marks that overlap the mark at its end, because it cannot distinguish
        // them.
        let is_at_end = |tie: &LabelPart| {
            (tie.from.0 + 1 - label.spot.0).abs().max((tie.from.1 + 1 - label.spot.1).abs()) < 10
        };
        let passes = |tie: &LabelPart| {
            !is_at_end(tie)
                && self.points.iter().any(|(spot, mark)| *spot != label.spot && mark.overlaps(tie))
        };
        let crosses = |tie: &LabelPart| self.placed.iter().any(|other| other.at.overlaps(tie)) || passes(tie);
        !self.taken.iter().any(|taken| taken.overlaps(&label.at))
            && !label.connecting_line_parts().any(|tie| crosses(&tie))
    }
}

/// Returns positions of a text next to a point, the best first.
fn positions_beside(text: &str, (x, y): (i32, i32)) -> Vec<(i32, i32)> {
    let width = text_width(text, SMALL);
    let (right, left) = (x + 9, x - 9 - width);
    let sides = [0, -14, 14, -26, 26].into_iter().flat_map(|dy| [(right, y + dy), (left, y + dy)]);
    let above = [-18, 18, -32, 32].map(|dy| (x - width / 2, y + dy));
    sides.chain(above).collect()
}

/// Returns positions of a text further away: it begins, ends or is centred on a ring around the
/// point.
fn positions_around(text: &str, (x, y): (i32, i32), ring: i32) -> Vec<(i32, i32)> {
    let width = text_width(text, SMALL);
    let (wide, high) = (9 + 12 * ring, 12 + 12 * ring);
    let heights = (-4..=4).map(move |part| part * high / 4);
    let three = |dy| [(x + wide, y + dy), (x - wide - width, y + dy), (x - width / 2, y + dy)];
    heights.flat_map(three).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seventeen points with long names: few have no room, and no labels overlap.
    #[test]
    fn a_crowd_of_points_has_names_that_do_not_meet() {
        let mut labels = Labels::new(LabelPart { from: (54, 28), to: (744, 366) });
        let spots: Vec<(i32, i32)> = (0..17).map(|i| (90 + 38 * i, 60 + 37 * i % 200)).collect();
        for &(x, y) in &spots {
            labels.reserve_point((x, y), (y - 14, y + 14));
        }
        for (i, &spot) in spots.iter().enumerate() {
            labels.place_name(&format!("swift-expectimax depth={i}"), &[spot]);
        }
        assert!(labels.left_out < 6, "{}", labels.left_out);
        assert_eq!(labels.placed.len() + labels.left_out, 17);
        for (i, one) in labels.placed.iter().enumerate() {
            assert!(labels.inside.contains(&one.at));
            assert!(labels.placed[..i].iter().all(|other| !other.at.overlaps(&one.at)), "{one:?}");
        }
    }

    /// Points close together, so that connecting lines would have to pass them.
    #[test]
    fn no_tie_passes_a_point_that_is_not_its_own() {
        let mut labels = Labels::new(LabelPart { from: (54, 28), to: (324, 366) });
        let spots: Vec<(i32, i32)> = (0..24).map(|i| (120 + 20 * (i % 6), 150 + 20 * (i / 6))).collect();
        spots.iter().for_each(|&spot| labels.reserve_point(spot, (spot.1, spot.1)));
        spots.iter().for_each(|&spot| labels.place_name("swift-expectimax", &[spot]));
        assert!((6..24).contains(&labels.left_out), "{}", labels.left_out);
        for label in labels.placed {
            let passed = spots.iter().find(|&&(x, y)| {
                let mark = LabelPart { from: (x - 7, y - 7), to: (x + 7, y + 7) };
                (x, y) != label.spot && label.connecting_line_parts().any(|part| part.overlaps(&mark))
            });
            assert_eq!(passed, None, "{label:?}");
        }
    }

    /// The last point of a line has no room, so the name is next to another of its points.
    #[test]
    fn a_name_is_beside_any_point_of_its_line_and_off_the_line() {
        let mut labels = Labels::new(LabelPart { from: (0, 0), to: (400, 200) });
        let spots = [(380, 20), (200, 150)];
        spots.iter().for_each(|&spot| labels.reserve_point(spot, (spot.1, spot.1)));
        labels.reserve_line(spots[0], spots[1]);
        labels.reserve(LabelPart { from: (240, 0), to: (400, 120) });
        labels.place_name("expectimax", &spots);
        // The line leaves its first point to the right.
        assert_eq!(labels.placed[0].at.from, (119, 142));
    }
}
