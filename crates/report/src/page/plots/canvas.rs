//! A sheet to draw on, in pixels. Colours are those of Okabe and Ito, which people tell apart
//! whatever their eyes; no plot relies on them alone.

use std::cell::RefCell;
use std::fmt::{self, Display, Write};

use gauntlet_core::text::escape;
use unicode_width::UnicodeWidthStr;

use super::axis::End;

/// For which screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::page) enum Sheet {
    /// A desk, paper, and the file.
    Wide,
    /// A phone held upright.
    Narrow,
}

impl Sheet {
    pub(super) fn width(self) -> i32 {
        match self {
            Sheet::Wide => 760,
            Sheet::Narrow => 340,
        }
    }

    /// Ticks that an axis over most of the sheet has room for.
    pub(super) fn ticks(self) -> usize {
        match self {
            Sheet::Wide => 8,
            Sheet::Narrow => 4,
        }
    }
}

/// A colour, written as SVG writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Colour(red, green, blue) = self;
        write!(f, "#{red:02X}{green:02X}{blue:02X}")
    }
}

pub(super) const INK: Colour = Colour(0x1f, 0x23, 0x28);
pub(super) const MUTED: Colour = Colour(0x59, 0x63, 0x6e);
pub(super) const GRID: Colour = Colour(0xe1, 0xe4, 0xe8);
pub(super) const PAPER: Colour = Colour(0xfe, 0xfe, 0xfe);
pub(super) const BLUE: Colour = Colour(0x00, 0x72, 0xb2);
pub(super) const VERMILION: Colour = Colour(0xd5, 0x5e, 0x00);
const GREEN: Colour = Colour(0x00, 0x9e, 0x73);
const PURPLE: Colour = Colour(0xcc, 0x79, 0xa7);
const ORANGE: Colour = Colour(0xe6, 0x9f, 0x00);
const SKY: Colour = Colour(0x56, 0xb4, 0xe9);

/// Names in the page of the colours that follow its theme. Those of tiles are not among them.
const THEME: [(Colour, &str); 10] = [
    (INK, "--ink"),
    (MUTED, "--muted"),
    (GRID, "--grid"),
    (PAPER, "--paper"),
    (BLUE, "--blue"),
    (VERMILION, "--vermilion"),
    (GREEN, "--green"),
    (PURPLE, "--purple"),
    (ORANGE, "--orange"),
    (SKY, "--sky"),
];

/// The colours of the lines in one plot. With [`MARKS`] seven lines can be told apart, more cannot.
pub(super) const SERIES: [Colour; 7] = [BLUE, VERMILION, GREEN, PURPLE, INK, ORANGE, SKY];

/// The mark of each of [`SERIES`].
pub(super) const MARKS: [Mark; 7] =
    [Mark::Dot, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Ring, Mark::Cross, Mark::Box];

/// A mark at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Dot,
    Ring,
    Square,
    Box,
    Triangle,
    Diamond,
    Cross,
}

/// Side of its point on which a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The size of all letters but small print.
pub(super) const TEXT: f64 = 13.0;
/// The size of small print: ticks and legends.
pub(super) const SMALL: f64 = 12.0;

/// Pixels that a text takes at most; what it really takes is the browser's affair.
pub(super) fn text_width(text: &str, size: f64) -> i32 {
    (text.width() as f64 * size * 0.6).ceil() as i32
}

/// Letters of a size that a width has room for.
pub(super) fn columns(width: i32, size: f64) -> usize {
    (f64::from(width.max(0)) / (size * 0.6)) as usize
}

/// A text that fits, its middle left out if need be.
pub(super) fn fitted(text: &str, size: f64, width: i32) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = (2..letters.len()).rev().map(|kept| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let tail: String = letters[letters.len() - tail..].iter().collect();
        letters[..head].iter().collect::<String>() + "…" + &tail
    });
    shortened.into_iter().find(|text| text_width(text, size) <= width).unwrap_or_else(|| "…".to_owned())
}

/// A sheet being drawn on: lines, rectangles, polygons, circles and texts, as SVG.
#[derive(Default)]
pub(super) struct Canvas {
    shapes: RefCell<String>,
    /// Hints on parts of the sheet, shown when a pointer rests there.
    hints: RefCell<Vec<Hint>>,
}

/// A part of the sheet, and its numbers in words.
struct Hint {
    from: (i32, i32),
    to: (i32, i32),
    text: String,
}

/// A part of a drawing that can be hidden by its class.
pub(super) struct Layer<'a> {
    pub(super) class: String,
    pub(super) draw: Box<dyn Fn(&Canvas) + 'a>,
}

/// By which an SVG of ours is known again.
const OURS: &str = "class=\"gauntlet-plot\"";

/// True if a file is a plot of ours, which may be replaced.
pub(in crate::page) fn is_plot(svg: &[u8]) -> bool {
    String::from_utf8_lossy(&svg[..svg.len().min(200)]).contains(OURS)
}

/// Draws an SVG. Its title is for screen readers.
pub(super) fn draw(title: &str, width: i32, height: i32, draw: impl FnOnce(&Canvas)) -> String {
    draw_in_layers(title, width, height, draw, &[])
}

/// The same with layers on top.
pub(super) fn draw_in_layers(
    title: &str,
    width: i32,
    height: i32,
    draw: impl FnOnce(&Canvas),
    layers: &[Layer],
) -> String {
    let base = drawn(|canvas| {
        canvas.rect((0, 0), (width, height), PAPER);
        draw(canvas);
    });
    let layer = |Layer { class, draw }: &Layer| format!("<g class=\"{class}\">\n{}</g>\n", drawn(draw));
    let layers: String = layers.iter().map(layer).collect();
    let title = escape::html(title);
    format!(
        "<svg {OURS} role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         {NAMESPACE}>\n<title>{title}</title>\n{base}{layers}</svg>\n"
    )
}

/// Needed in a file of its own, and not in a page.
const NAMESPACE: &str = "xmlns=\"http://www.w3.org/2000/svg\"";

/// The shapes of a drawing, with its hints on top, so that no shape lies between them and a
/// pointer.
fn drawn(draw: impl FnOnce(&Canvas)) -> String {
    let canvas = Canvas::default();
    draw(&canvas);
    let (mut svg, hints) = (canvas.shapes.into_inner(), canvas.hints.into_inner());
    if hints.is_empty() {
        return svg;
    }
    svg += "<g class=\"hints\" fill=\"none\" pointer-events=\"all\">\n";
    for Hint { from: (left, top), to: (right, bottom), text } in hints {
        let (width, height) = (right - left, bottom - top);
        let text = escape::html(&escape::line(&text));
        svg += &format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"><title>{text}</title></rect>\n"
        );
    }
    svg + "</g>\n"
}

/// A drawing for the page. Only plots make one, of what they have drawn, so what is in it is ours.
pub(in crate::page) struct Drawing(String);

impl Drawing {
    /// As an element of HTML.
    pub(in crate::page) fn svg(&self) -> &str {
        &self.0
    }
}

/// The same drawing for the page: its colours follow the page's theme, its size the page's width.
pub(super) fn themed(svg: &str) -> Drawing {
    let mut svg = svg.replacen(&format!(" {NAMESPACE}"), "", 1);
    for (colour, name) in THEME {
        svg = svg.replace(&format!("\"{colour}\""), &format!("\"var({name})\""));
    }
    Drawing(svg)
}

impl Canvas {
    fn shape(&self, shape: fmt::Arguments) {
        writeln!(self.shapes.borrow_mut(), "{shape}").expect("a string takes all");
    }

    pub(super) fn line(&self, from: (i32, i32), to: (i32, i32), colour: Colour, width: u32) {
        self.path(&[from, to], colour, width);
    }

    pub(super) fn path(&self, points: &[(i32, i32)], colour: Colour, width: u32) {
        let points = listed(points);
        self.shape(format_args!(
            "<polyline fill=\"none\" opacity=\"1\" stroke=\"{colour}\" stroke-width=\"{width}\" points=\"{points}\"/>"
        ));
    }

    /// Draws an interval: an arrow where it is open, and a bar at a bound of a thick one. `place`
    /// makes a point of a place along it and one aside.
    pub(super) fn interval(
        &self,
        [low, high]: [End; 2],
        place: impl Fn(i32, i32) -> (i32, i32),
        colour: Colour,
        width: u32,
    ) {
        self.line(place(low.at, 0), place(high.at, 0), colour, width);
        let way = (high.at - low.at).signum();
        for (End { at, is_open }, back) in [(low, 5 * way), (high, -5 * way)] {
            if is_open {
                self.path(&[place(at + back, -4), place(at, 0), place(at + back, 4)], colour, width);
            } else if width > 1 {
                self.line(place(at, -4), place(at, 4), colour, width);
            }
        }
    }

    pub(super) fn rect(&self, from: (i32, i32), to: (i32, i32), colour: Colour) {
        let ((x, y), (width, height)) = (from, (to.0 - from.0, to.1 - from.1));
        self.shape(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" opacity=\"1\" fill=\"{colour}\" stroke=\"none\"/>"
        ));
    }

    pub(super) fn polygon(&self, points: &[(i32, i32)], colour: Colour, opacity: f64) {
        let points = listed(points);
        self.shape(format_args!("<polygon opacity=\"{opacity}\" fill=\"{colour}\" points=\"{points}\"/>"));
    }

    /// Writes a text whose middle is as high as its point.
    pub(super) fn text(&self, text: &str, at: (i32, i32), size: f64, colour: Colour, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = at;
        let text = escape::html(&escape::line(text));
        self.shape(format_args!(
            "<text x=\"{x}\" y=\"{y}\" dy=\"0.5ex\" text-anchor=\"{anchor}\" font-family=\"sans-serif\" \
             font-size=\"{size}\" opacity=\"1\" fill=\"{colour}\">\n{text}\n</text>"
        ));
    }

    fn circle(&self, (x, y): (i32, i32), colour: Colour) {
        self.shape(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" opacity=\"1\" fill=\"{colour}\" stroke=\"none\" stroke-width=\"1\"/>"
        ));
    }

    fn ring(&self, (x, y): (i32, i32), colour: Colour) {
        self.circle((x, y), PAPER);
        self.shape(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" opacity=\"1\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        ));
    }

    /// Tells the numbers of a part of the sheet when a pointer rests on it.
    pub(super) fn hint(&self, from: (i32, i32), to: (i32, i32), text: String) {
        self.hints.borrow_mut().push(Hint { from, to, text });
    }

    /// The same around a point, wide enough to be hit.
    pub(super) fn hint_at(&self, (x, y): (i32, i32), text: String) {
        self.hint((x - 11, y - 11), (x + 11, y + 11), text);
    }

    pub(super) fn mark(&self, mark: Mark, (x, y): (i32, i32), colour: Colour) {
        match mark {
            Mark::Dot => self.circle((x, y), colour),
            Mark::Ring => self.ring((x, y), colour),
            Mark::Square => self.rect((x - 4, y - 4), (x + 5, y + 5), colour),
            Mark::Box => {
                self.rect((x - 5, y - 5), (x + 5, y + 5), colour);
                self.rect((x - 3, y - 3), (x + 3, y + 3), PAPER);
            }
            Mark::Triangle => self.polygon(&[(x - 6, y + 5), (x + 6, y + 5), (x, y - 6)], colour, 1.0),
            Mark::Diamond => self.polygon(&[(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)], colour, 1.0),
            Mark::Cross => {
                self.line((x - 4, y - 4), (x + 4, y + 4), colour, 2);
                self.line((x - 4, y + 4), (x + 4, y - 4), colour, 2);
            }
        }
    }

    pub(super) fn legend(&self, Legend { entries, .. }: &Legend, top: i32) {
        for (mark, colour, text, (x, y)) in entries {
            self.mark(*mark, (x + 6, top + y), *colour);
            self.text(text, (x + 18, top + y), SMALL, MUTED, Anchor::Start);
        }
    }
}

/// Points as an attribute of SVG.
fn listed(points: &[(i32, i32)]) -> String {
    points.iter().map(|(x, y)| format!("{x},{y} ")).collect()
}

/// Marks with their meanings, one after another, in as many lines as they need.
pub(super) struct Legend {
    entries: Vec<(Mark, Colour, String, (i32, i32))>,
    pub(super) height: i32,
}

impl Legend {
    pub(super) fn new<'t>(
        all: impl IntoIterator<Item = (Mark, Colour, &'t str)>,
        (left, right): (i32, i32),
    ) -> Legend {
        let (mut entries, mut x, mut y) = (Vec::new(), left, 8);
        for (mark, colour, text) in all {
            let text = fitted(text, SMALL, right - left - 18);
            let width = 18 + text_width(&text, SMALL) + 12;
            if x > left && x + width - 12 > right {
                (x, y) = (left, y + 20);
            }
            entries.push((mark, colour, text, (x, y)));
            x += width;
        }
        Legend { entries, height: y + 12 }
    }

    /// Over the whole width of a sheet.
    pub(super) fn across<'t>(sheet: Sheet, all: impl IntoIterator<Item = (Mark, Colour, &'t str)>) -> Legend {
        Legend::new(all, (2, sheet.width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit() {
        assert_eq!(fitted("short", SMALL, 100), "short");
        let long = "a".repeat(60) + "=7";
        let shown = fitted(&long, SMALL, 100);
        assert!(shown.contains('…') && shown.ends_with("=7") && text_width(&shown, SMALL) <= 100, "{shown}");
        assert_eq!(fitted("無無無無無無", SMALL, 20), "…");
    }

    #[test]
    fn what_a_pointer_rests_on_tells_its_numbers() {
        let layer = Layer {
            class: "s0".to_owned(),
            draw: Box::new(|canvas| canvas.hint_at((20, 20), "b: 2 > 1".to_owned())),
        };
        let base = |canvas: &Canvas| canvas.hint((1, 2), (11, 22), "a < b".to_owned());
        let svg = draw_in_layers("t", 100, 50, base, &[layer]);
        let (own, layer) = svg.split_once("<g class=\"s0\">").expect("a layer");
        assert!(
            own.contains("<rect x=\"1\" y=\"2\" width=\"10\" height=\"20\"><title>a &lt; b</title></rect>")
        );
        assert!(
            layer.contains("<title>b: 2 &gt; 1</title>") && layer.ends_with("</g>\n</g>\n</svg>\n"),
            "{svg}"
        );
        assert_eq!(svg.matches("</svg>").count(), 1);
    }

    #[test]
    fn texts_are_escaped_and_colours_follow_the_theme() {
        let svg = draw("a < b & c", 100, 20, |canvas| {
            canvas.text("<script>\"&'", (1, 10), SMALL, INK, Anchor::Start);
        });
        assert!(svg.contains("<title>a &lt; b &amp; c</title>"), "{svg}");
        assert!(svg.contains("&lt;script&gt;&quot;&amp;&#x27;"), "{svg}");
        assert!(is_plot(svg.as_bytes()) && !is_plot(b"<svg>"));
        let Drawing(themed) = themed(&svg);
        assert!(themed.contains("fill=\"var(--ink)\"") && !themed.contains("http"), "{themed}");
    }
}
