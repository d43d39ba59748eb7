//! Names of points on a sheet: next to their points, or further away with a connecting line. A
//! point without room gets a number, and a key has its name.

use super::canvas::{SMALL, text_width};

/// A rectangle of the sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelPart {
    pub(super) from: (i32, i32),
    pub(super) to: (i32, i32),
}

impl LabelPart {
    fn meets(&self, other: &LabelPart) -> bool {
        self.from.0 < other.to.0
            && other.from.0 < self.to.0
            && self.from.1 < other.to.1
            && other.from.1 < self.to.1
    }

    fn holds(&self, other: &LabelPart) -> bool {
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
    pub(super) fn tie(&self) -> Option<((i32, i32), (i32, i32))> {
        let (LabelPart { from, to }, spot) = (self.at, self.spot);
        let (x, y) = (spot.0.clamp(from.0, to.0), spot.1.clamp(from.1 + 3, to.1 - 3));
        let is_far = (spot.0 - x).abs().max((spot.1 - y).abs()) > 9 || (from.1 + to.1) / 2 != spot.1;
        is_far.then_some(((x, y), spot))
    }

    /// Returns the area of the connecting line, in small rectangles.
    fn tied(&self) -> impl Iterator<Item = LabelPart> {
        const PARTS: i32 = 24;
        let between = |(from, to): (i32, i32), i: i32| from + (to - from) * i / PARTS;
        self.tie().into_iter().flat_map(move |(from, to)| {
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
    /// Names of the points that have a number; numbers count from 1.
    pub(super) key: Vec<String>,
}

/// Half of the height of a label.
const HALF: i32 = 8;

impl Labels {
    pub(super) fn inside(inside: LabelPart) -> Labels {
        Labels { inside, taken: Vec::new(), points: Vec::new(), placed: Vec::new(), key: Vec::new() }
    }

    /// Reserves an area that labels must avoid.
    pub(super) fn take(&mut self, part: LabelPart) {
        self.taken.push(part);
    }

    /// Reserves the area of a point and its interval, and keeps connecting lines away from its
    /// mark.
    pub(super) fn point(&mut self, (x, y): (i32, i32), (above, below): (i32, i32)) {
        self.take(LabelPart { from: (x - 7, above.min(y - 7)), to: (x + 7, below.max(y + 7)) });
        self.points.push(((x, y), LabelPart { from: (x - 8, y - 8), to: (x + 8, y + 8) }));
    }

    /// Labels a point with its name, or with a number.
    pub(super) fn name(&mut self, name: &str, spot: (i32, i32)) {
        let label = self.place(name, spot).unwrap_or_else(|| {
            self.key.push(name.to_owned());
            let number = self.key.len().to_string();
            // If nothing is free, the number overlaps others; the key still lists the point.
            self.place(&number, spot).unwrap_or_else(|| self.at(&number, spot, (spot.0 + 9, spot.1)))
        });
        self.taken.push(label.at);
        self.taken.extend(label.tied());
        self.placed.push(label);
    }

    /// Returns a label that begins at a position, moved inside the field.
    fn at(&self, text: &str, spot: (i32, i32), (x, y): (i32, i32)) -> Label {
        let x =
            x.clamp(self.inside.from.0, (self.inside.to.0 - text_width(text, SMALL)).max(self.inside.from.0));
        let at = LabelPart { from: (x, y - HALF), to: (x + text_width(text, SMALL), y + HALF) };
        Label { text: text.to_owned(), at, spot }
    }

    /// Returns the nearest free position for a text.
    fn place(&self, text: &str, spot: (i32, i32)) -> Option<Label> {
        let width = text_width(text, SMALL);
        let (x, y) = spot;
        let (right, left) = (x + 9, x - 9 - width);
        let beside = [0, -14, 14, -26, 26].into_iter().flat_map(|dy| [(right, y + dy), (left, y + dy)]);
        let above = [-18, 18, -32, 32].map(|dy| (x - width / 2, y + dy));
        // Further away: the text begins, ends or is centred on a ring around the point.
        let rings = (1..=4).flat_map(|ring| {
            let (wide, high) = (9 + 12 * ring, 12 + 12 * ring);
            let heights = (-4..=4).map(move |part| part * high / 4);
            heights
                .flat_map(move |dy| [(x + wide, y + dy), (x - wide - width, y + dy), (x - width / 2, y + dy)])
        });
        let label = |at| {
            let label = Label { text: text.to_owned(), at, spot };
            (self.inside.holds(&at) && self.is_free(&label)).then_some(label)
        };
        let all = beside.chain(above).chain(rings);
        all.map(|(x, y)| LabelPart { from: (x, y - HALF), to: (x + width, y + HALF) }).find_map(label)
    }

    /// The text must not overlap reserved areas. A connecting line must not cross another text or
    /// pass another point, because it would seem to lead there.
    fn is_free(&self, label: &Label) -> bool {
        let passes =
            |tie: &LabelPart| self.points.iter().any(|(spot, mark)| *spot != label.spot && mark.meets(tie));
        let crosses = |tie: &LabelPart| self.placed.iter().any(|other| other.at.meets(tie)) || passes(tie);
        !self.taken.iter().any(|taken| taken.meets(&label.at)) && !label.tied().any(|tie| crosses(&tie))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seventeen points with long names: few need a number, and no labels overlap.
    #[test]
    fn a_crowd_of_points_has_names_that_do_not_meet() {
        let mut labels = Labels::inside(LabelPart { from: (54, 28), to: (744, 366) });
        let spots: Vec<(i32, i32)> = (0..17).map(|i| (90 + 38 * i, 60 + 37 * i % 200)).collect();
        for &(x, y) in &spots {
            labels.point((x, y), (y - 14, y + 14));
        }
        for (i, &spot) in spots.iter().enumerate() {
            labels.name(&format!("swift-expectimax depth={i}"), spot);
        }
        assert!(labels.key.len() < 6, "{:?}", labels.key);
        for (i, one) in labels.placed.iter().enumerate() {
            assert!(labels.inside.holds(&one.at));
            assert!(labels.placed[..i].iter().all(|other| !other.at.meets(&one.at)), "{one:?}");
        }
    }

    /// Points close together, so that connecting lines would have to pass them.
    #[test]
    fn no_tie_passes_a_point_that_is_not_its_own() {
        let mut labels = Labels::inside(LabelPart { from: (54, 28), to: (324, 366) });
        let spots: Vec<(i32, i32)> = (0..24).map(|i| (120 + 20 * (i % 6), 150 + 20 * (i / 6))).collect();
        spots.iter().for_each(|&spot| labels.point(spot, (spot.1, spot.1)));
        spots.iter().for_each(|&spot| labels.name("swift-expectimax", spot));
        assert!((6..24).contains(&labels.key.len()), "{}", labels.key.len());
        for label in labels.placed {
            let passed = spots.iter().find(|&&(x, y)| {
                let mark = LabelPart { from: (x - 7, y - 7), to: (x + 7, y + 7) };
                (x, y) != label.spot && label.tied().any(|part| part.meets(&mark))
            });
            assert_eq!(passed, None, "{label:?}");
        }
    }

    /// Any number of points at one position has a label each.
    #[test]
    fn no_point_is_without_a_label() {
        let mut labels = Labels::inside(LabelPart { from: (54, 28), to: (324, 366) });
        (0..60)
            .for_each(|i| labels.name(&format!("a player with a rather long name, number {i}"), (300, 50)));
        assert_eq!(labels.placed.len(), 60);
        assert!(labels.key.len() > 30);
        assert!(labels.placed.iter().all(|label| labels.inside.from.0 <= label.at.from.0));
    }
}
