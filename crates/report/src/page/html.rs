//! Writes HTML in which all markup comes from this crate: templates are constants, and their values
//! are escaped by type.

use std::borrow::Cow;
use std::fmt::Write;

use gauntlet_core::text::escape;
use serde::Serialize;

use super::plots::Drawing;

/// HTML being written.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    /// Writes a template with a value in each place `{}`, in order. A template is a constant, so no
    /// text from outside can be one.
    ///
    /// # Panics
    /// If the number of values differs from the number of places.
    pub(super) fn put(&mut self, template: &'static str, values: &[&dyn Value]) {
        let mut parts = template.split("{}");
        self.0.push_str(parts.next().unwrap_or_default());
        let mut values = values.iter();
        for part in parts {
            values.next().expect("a value for each place").write(&mut self.0);
            self.0.push_str(part);
        }
        assert!(values.next().is_none(), "a place for each value");
    }

    pub(super) fn append(&mut self, other: Html) {
        self.0.push_str(&other.0);
    }

    /// Returns the document.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// A value for a place of a template: between tags, or in the quotes of an attribute.
pub(super) trait Value {
    /// Writes the value as HTML.
    fn write(&self, html: &mut String);
}

/// Any text; it is escaped.
impl Value for str {
    fn write(&self, html: &mut String) {
        html.push_str(&escape::html(self));
    }
}

impl Value for String {
    fn write(&self, html: &mut String) {
        self.as_str().write(html);
    }
}

impl Value for Cow<'_, str> {
    fn write(&self, html: &mut String) {
        str::write(self, html);
    }
}

impl<V: Value + ?Sized> Value for &V {
    fn write(&self, html: &mut String) {
        (**self).write(html);
    }
}

impl Value for usize {
    fn write(&self, html: &mut String) {
        write!(html, "{self}").expect("writing to memory does not fail");
    }
}

/// A text in which words between backticks are code. A backtick without a partner stays.
pub(super) struct Prose<'a>(pub(super) &'a str);

impl Value for Prose<'_> {
    fn write(&self, html: &mut String) {
        let mut rest = self.0;
        while let Some((before, code, after)) = split_at_backticks(rest) {
            write_unbroken_options(before, html);
            html.push_str("<code>");
            code.write(html);
            html.push_str("</code>");
            rest = after;
        }
        write_unbroken_options(rest, html);
    }
}

/// Writes a text in which options such as `--threads` are not broken after a hyphen.
fn write_unbroken_options(text: &str, html: &mut String) {
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            html.push(' ');
        }
        if word.starts_with("--") {
            html.push_str("<span class=\"option\">");
            word.write(html);
            html.push_str("</span>");
        } else {
            word.write(html);
        }
    }
}

/// Returns the texts before, between and after the first two backticks.
fn split_at_backticks(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

/// A plot, written as it is: its texts are escaped when it is drawn.
impl Value for Drawing {
    fn write(&self, html: &mut String) {
        html.push_str(self.svg());
    }
}

/// Constant markup or style, written as it is.
pub(super) struct ConstantMarkup(pub(super) &'static str);

impl Value for ConstantMarkup {
    fn write(&self, html: &mut String) {
        html.push_str(self.0);
    }
}

/// Data for a script: JSON that cannot end the element around it.
pub(super) struct Data(String);

impl Data {
    /// Converts plain data to JSON.
    pub(super) fn new(data: &impl Serialize) -> Data {
        let json = serde_json::to_string(data).expect("plain data");
        Data(escape::json(&json).replace('<', "\\u003c"))
    }
}

impl Value for Data {
    fn write(&self, html: &mut String) {
        html.push_str(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_html(template: &'static str, values: &[&dyn Value], expected: &str) {
        let mut html = Html::default();
        html.put(template, values);
        assert_eq!(html.finish(), expected);
    }

    #[test]
    fn options_are_not_broken() {
        assert_html(
            "{}",
            &[&Prose("use `run` or fewer --threads, or -- <x>")],
            "use <code>run</code> or fewer <span class=\"option\">--threads,</span> or \
             <span class=\"option\">--</span> &lt;x&gt;",
        );
    }

    #[test]
    fn texts_are_escaped_wherever_they_stand() {
        let text = "<script>alert('1 & 2')</script> {} \"ä\"";
        let escaped = "&lt;script&gt;alert(&#x27;1 &amp; 2&#x27;)&lt;&#x2f;script&gt; {} &quot;ä&quot;";
        let link = format!("<a title=\"{escaped}\">{escaped}</a>");
        assert_html("<a title=\"{}\">{}</a>", &[&text, &text.to_owned()], &link);
        assert_html("{}", &[&Cow::Borrowed(text)], escaped);
        assert_html("<p>{} of {}</p>", &[&1234, &ConstantMarkup("<b>{}</b>")], "<p>1234 of <b>{}</b></p>");
    }

    #[test]
    fn commands_in_a_text_are_code() {
        assert_html("{}", &[&Prose("see `a <b>`, `c`.")], "see <code>a &lt;b&gt;</code>, <code>c</code>.");
        assert_html("{}", &[&Prose("`a` and an odd ` <")], "<code>a</code> and an odd ` &lt;");
    }

    #[test]
    #[should_panic(expected = "a value for each place")]
    fn no_place_stays_empty() {
        assert_html("{}{}", &[&1], "");
    }

    #[test]
    #[should_panic(expected = "a place for each value")]
    fn no_value_is_lost() {
        assert_html("{}", &[&1, &2], "");
    }
}
