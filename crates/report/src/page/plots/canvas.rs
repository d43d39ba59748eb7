//! A sheet to draw on, in pixels. The colours are those of Okabe and Ito, which colour-blind
//! readers can distinguish. No plot relies on colours alone.

use std::cell::RefCell;
use std::fmt::{self, Display, Write};

use gauntlet_core::text::escape;
use unicode_width::UnicodeWidthStr;

use super::axis::IntervalEnd;

/// Target screen of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::page) enum ScreenSize {
    /// A desktop, paper, and the file.
    Wide,
    /// A phone held upright.
    Narrow,
}

impl ScreenSize {
    pub(super) fn width(self) -> i32 {
        match self {
            ScreenSize::Wide => 760,
            ScreenSize::Narrow => 340,
        }
    }

    /// Returns the number of ticks that fit on an axis over most of the sheet.
    pub(super) fn max_ticks(self) -> usize {
        match self {
            ScreenSize::Wide => 8,
            ScreenSize::Narrow => 4,
        }
    }
}

/// A colour, formatted as in SVG.
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

/// The colours that follow the theme, with their style names in a page and their dark values, which
/// are those of style.css. Colours of tiles do not follow it.
const THEME: [(Colour, &str, Colour); 10] = [
    (INK, "--ink", Colour(0xe8, 0xea, 0xed)),
    (MUTED, "--muted", Colour(0xa3, 0xad, 0xb8)),
    (GRID, "--grid", Colour(0x30, 0x36, 0x3d)),
    (PAPER, "--paper", Colour(0x14, 0x17, 0x1b)),
    (BLUE, "--blue", Colour(0x4a, 0xa3, 0xdf)),
    (VERMILION, "--vermilion", Colour(0xf0, 0x8a, 0x3e)),
    (GREEN, "--green", Colour(0x27, 0xc4, 0x97)),
    (PURPLE, "--purple", Colour(0xdc, 0x9b, 0xc0)),
    (ORANGE, "--orange", Colour(0xf0, 0xb4, 0x29)),
    (SKY, "--sky", Colour(0x8f, 0xd0, 0xf7)),
];

/// Colours of the lines in one plot. Together with [`SERIES_MARKS`] seven lines can be
/// distinguished.
pub(super) const SERIES_COLOURS: [Colour; 7] = [BLUE, VERMILION, GREEN, PURPLE, INK, ORANGE, SKY];

/// The mark for each of [`SERIES_COLOURS`].
pub(super) const SERIES_MARKS: [Mark; 7] =
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

/// Alignment of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Font size of all text except small print.
pub(super) const TEXT_SIZE: f64 = 13.0;
/// Font size of small print: ticks and legends.
pub(super) const SMALL_TEXT_SIZE: f64 = 12.0;

/// Width of a letter in a font of size 1, at most.
const LETTER_WIDTH: f64 = 0.6;

/// Estimates the maximum width of a text in pixels. The real width depends on the browser.
pub(super) fn text_width(text: &str, size: f64) -> i32 {
    (text.width() as f64 * size * LETTER_WIDTH).ceil() as i32
}

/// Returns how many letters of a font size fit into a width.
pub(super) fn max_letters(width: i32, size: f64) -> usize {
    (f64::from(width.max(0)) / (size * LETTER_WIDTH)) as usize
}

/// Shortens a text to a width, by omitting its middle.
pub(super) fn fit_text(text: &str, size: f64, width: i32) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let candidates = (2..letters.len()).rev().map(|length| {
        let (head_length, tail_length) = (length.div_ceil(2), length / 2);
        let tail: String = letters[letters.len() - tail_length..].iter().collect();
        letters[..head_length].iter().collect::<String>() + "…" + &tail
    });
    candidates.into_iter().find(|text| text_width(text, size) <= width).unwrap_or_else(|| "…".to_owned())
}

/// A sheet being drawn on, as SVG: lines, rectangles, polygons, circles and texts.
#[derive(Default)]
pub(super) struct Canvas {
    shapes: RefCell<String>,
    /// Tooltips of parts of the sheet.
    hints: RefCell<Vec<Hint>>,
}

/// A part of the sheet with its tooltip.
struct Hint {
    top_left: (i32, i32),
    bottom_right: (i32, i32),
    text: String,
}

/// A part of a drawing that can be hidden by its class.
pub(super) struct Layer<'a> {
    pub(super) class: String,
    pub(super) draw: Box<dyn Fn(&Canvas) + 'a>,
}

/// Marks an SVG as generated by this program.
const PLOT_ATTRIBUTE: &str = "class=\"gauntlet-plot\"";

/// Returns true if a file is a plot of this program, which may be replaced.
pub(in crate::page) fn is_plot(svg: &[u8]) -> bool {
    String::from_utf8_lossy(&svg[..svg.len().min(200)]).contains(PLOT_ATTRIBUTE)
}

/// Draws an SVG. Its title is for screen readers.
pub(super) fn draw(title: &str, width: i32, height: i32, draw: impl FnOnce(&Canvas)) -> String {
    draw_in_layers(title, width, height, draw, &[])
}

/// Draws an SVG with layers on top.
pub(super) fn draw_in_layers(
    title: &str,
    width: i32,
    height: i32,
    draw: impl FnOnce(&Canvas),
    layers: &[Layer],
) -> String {
    let base = draw_shapes(|canvas| {
        canvas.rect((0, 0), (width, height), PAPER);
        draw(canvas);
    });
    let layer = |Layer { class, draw }: &Layer| format!("<g class=\"{class}\">\n{}</g>\n", draw_shapes(draw));
    let layers: String = layers.iter().map(layer).collect();
    let title = escape::html(title);
    format!(
        "<svg {PLOT_ATTRIBUTE} role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         {NAMESPACE}>\n<title>{title}</title>\n{base}{layers}</svg>\n"
    )
}

/// Required in an SVG file, but not inside HTML.
const NAMESPACE: &str = "xmlns=\"http://www.w3.org/2000/svg\"";

/// Returns the shapes of a drawing, with its tooltips on top, so that no shape covers them.
fn draw_shapes(draw: impl FnOnce(&Canvas)) -> String {
    let canvas = Canvas::default();
    draw(&canvas);
    let (mut svg, hints) = (canvas.shapes.into_inner(), canvas.hints.into_inner());
    if hints.is_empty() {
        return svg;
    }
    svg += "<g class=\"hints\" fill=\"none\" pointer-events=\"all\">\n";
    for Hint { top_left: (left, top), bottom_right: (right, bottom), text } in hints {
        let (width, height) = (right - left, bottom - top);
        let text = escape::html(&escape::line(&text));
        svg += &format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"><title>{text}</title></rect>\n"
        );
    }
    svg + "</g>\n"
}

/// A drawing for the page. Only plots make drawings, so the content is safe markup.
pub(in crate::page) struct Drawing(String);

impl Drawing {
    /// Returns the drawing as an HTML element.
    pub(in crate::page) fn svg(&self) -> &str {
        &self.0
    }
}

/// Adapts a drawing to the page: its colours follow the page's theme, its size the page's width.
pub(super) fn apply_theme(svg: &str) -> Drawing {
    let mut svg = svg.replacen(&format!(" {NAMESPACE}"), "", 1);
    for (colour, name, _) in THEME {
        svg = svg.replace(&format!("\"{colour}\""), &format!("\"var({name})\""));
    }
    Drawing(svg)
}

/// Adapts a drawing to a file: its colours follow the theme of the reader's screen.
pub(super) fn add_dark_colours(svg: &str) -> String {
    let rule = |(colour, _, dark): (Colour, &str, Colour)| {
        format!("[fill=\"{colour}\"] {{ fill: {dark} }} [stroke=\"{colour}\"] {{ stroke: {dark} }}\n")
    };
    let rules: String = THEME.map(rule).concat();
    let style = format!("<style>\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n</style>\n");
    svg.replacen("</title>\n", &format!("</title>\n{style}"), 1)
}

impl Canvas {
    fn shape(&self, shape: fmt::Arguments) {
        writeln!(self.shapes.borrow_mut(), "{shape}").expect("a string takes all");
    }

    pub(super) fn line(&self, from: (i32, i32), to: (i32, i32), colour: Colour, width: u32) {
        self.path(&[from, to], colour, width);
    }

    pub(super) fn path(&self, points: &[(i32, i32)], colour: Colour, width: u32) {
        let points = format_points(points);
        self.shape(format_args!(
            "<polyline fill=\"none\" opacity=\"1\" stroke=\"{colour}\" stroke-width=\"{width}\" points=\"{points}\"/>"
        ));
    }

    /// Draws an interval: an open end as an arrow, a bound of a thick interval as a bar. `to_point`
    /// maps a position along the interval and one across to a point.
    pub(super) fn interval(
        &self,
        [low, high]: [IntervalEnd; 2],
        to_point: impl Fn(i32, i32) -> (i32, i32),
        colour: Colour,
        width: u32,
    ) {
        self.line(to_point(low.position, 0), to_point(high.position, 0), colour, width);
        let direction = (high.position - low.position).signum();
        for (IntervalEnd { position, is_open }, arrow_offset) in
            [(low, 5 * direction), (high, -5 * direction)]
        {
            if is_open {
                self.path(
                    &[
                        to_point(position + arrow_offset, -4),
                        to_point(position, 0),
                        to_point(position + arrow_offset, 4),
                    ],
                    colour,
                    width,
                );
            } else if width > 1 {
                self.line(to_point(position, -4), to_point(position, 4), colour, width);
            }
        }
    }

    pub(super) fn rect(&self, top_left: (i32, i32), bottom_right: (i32, i32), colour: Colour) {
        let ((x, y), (width, height)) =
            (top_left, (bottom_right.0 - top_left.0, bottom_right.1 - top_left.1));
        self.shape(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" opacity=\"1\" fill=\"{colour}\" stroke=\"none\"/>"
        ));
    }

    pub(super) fn polygon(&self, points: &[(i32, i32)], colour: Colour, opacity: f64) {
        let points = format_points(points);
        self.shape(format_args!("<polygon opacity=\"{opacity}\" fill=\"{colour}\" points=\"{points}\"/>"));
    }

    /// Writes a text that is vertically centred at its point.
    pub(super) fn text(&self, text: &str, point: (i32, i32), size: f64, colour: Colour, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = point;
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

    /// Draws a group with these attributes and a tooltip for all of it.
    pub(super) fn group(&self, attributes: &str, tooltip: &str, draw: impl FnOnce()) {
        let tooltip = escape::html(&escape::line(tooltip));
        self.shape(format_args!("<g {attributes}>\n<title>{tooltip}</title>"));
        draw();
        self.shape(format_args!("</g>"));
    }

    /// Adds a tooltip to a part of the sheet.
    pub(super) fn add_tooltip(&self, top_left: (i32, i32), bottom_right: (i32, i32), text: String) {
        self.hints.borrow_mut().push(Hint { top_left, bottom_right, text });
    }

    /// Adds a tooltip around a point, large enough to hit.
    pub(super) fn hint_at(&self, (x, y): (i32, i32), text: String) {
        self.add_tooltip((x - 11, y - 11), (x + 11, y + 11), text);
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
            self.text(text, (x + 18, top + y), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        }
    }
}

/// Formats points as an attribute of SVG.
fn format_points(points: &[(i32, i32)]) -> String {
    points.iter().map(|(x, y)| format!("{x},{y} ")).collect()
}

/// A legend: marks with their meanings, on as many lines as they need.
pub(super) struct Legend {
    entries: Vec<(Mark, Colour, String, (i32, i32))>,
    pub(super) height: i32,
}

impl Legend {
    pub(super) fn new<'t>(
        items: impl IntoIterator<Item = (Mark, Colour, &'t str)>,
        (left, right): (i32, i32),
    ) -> Legend {
        let (mut entries, mut x, mut y) = (Vec::new(), left, 8);
        for (mark, colour, text) in items {
            let text = fit_text(text, SMALL_TEXT_SIZE, right - left - 18);
            let width = 18 + text_width(&text, SMALL_TEXT_SIZE) + 12;
            if x > left && x + width - 12 > right {
                (x, y) = (left, y + 20);
            }
            entries.push((mark, colour, text, (x, y)));
            x += width;
        }
        Legend { entries, height: y + 12 }
    }

    /// Returns a legend over the whole width of a sheet.
    pub(super) fn full_width<'t>(
        sheet: ScreenSize,
        items: impl IntoIterator<Item = (Mark, Colour, &'t str)>,
    ) -> Legend {
        Legend::new(items, (2, sheet.width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit() {
        assert_eq!(fit_text("short", SMALL_TEXT_SIZE, 100), "short");
        let name = "a".repeat(60) + "=7";
        let shortened = fit_text(&name, SMALL_TEXT_SIZE, 100);
        assert!(
            shortened.contains('…')
                && shortened.ends_with("=7")
                && text_width(&shortened, SMALL_TEXT_SIZE) <= 100,
            "{shortened}"
        );
        assert_eq!(fit_text("無無無無無無", SMALL_TEXT_SIZE, 20), "…");
    }

    #[test]
    fn what_a_pointer_rests_on_tells_its_numbers() {
        let layer = Layer {
            class: "s0".to_owned(),
            draw: Box::new(|canvas| canvas.hint_at((20, 20), "b: 2 > 1".to_owned())),
        };
        let base = |canvas: &Canvas| canvas.add_tooltip((1, 2), (11, 22), "a < b".to_owned());
        let svg = draw_in_layers("t", 100, 50, base, &[layer]);
        let (base_part, layer) = svg.split_once("<g class=\"s0\">").expect("a layer");
        assert!(
            base_part
                .contains("<rect x=\"1\" y=\"2\" width=\"10\" height=\"20\"><title>a &lt; b</title></rect>")
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
            canvas.text("<script>\"&'", (1, 10), SMALL_TEXT_SIZE, INK, Anchor::Start);
        });
        assert!(svg.contains("<title>a &lt; b &amp; c</title>"), "{svg}");
        assert!(svg.contains("&lt;script&gt;&quot;&amp;&#x27;"), "{svg}");
        assert!(is_plot(svg.as_bytes()) && !is_plot(b"<svg>"));
        let dark = add_dark_colours(&svg);
        assert!(dark.contains("<style>") && dark.contains("[fill=\"#1F2328\"] { fill: #E8EAED }"), "{dark}");
        let Drawing(themed) = apply_theme(&svg);
        assert!(themed.contains("fill=\"var(--ink)\"") && !themed.contains("http"), "{themed}");
    }
}
