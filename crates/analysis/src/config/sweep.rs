//! `[player.sweep]`: one `[[player]]` for many players. Each key lists values for a setting, and
//! each combination of values is a player.

use std::collections::BTreeSet;
use std::ops::{Bound, Range};

use gauntlet_core::diagnostic::{self, Diagnostic};
use gauntlet_core::settings;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::tree::{self, Leaf, MAX_DEPTH, PlacedValue, TomlTable, TomlValue};

use super::name::{self, MAX_NAME_BYTES};

/// Values to try for one setting.
pub(super) struct SweepAxis {
    /// Keys of the setting: more than one if it is in a table.
    path: Vec<String>,
    /// Position of the key in the file.
    place: Range<usize>,
    /// Values, at least one; their labels are unique.
    values: Vec<PlacedValue>,
}

/// Lists of values of one `[[player]]`.
#[derive(Default)]
pub(super) struct Sweep {
    /// One axis for each list, in the order of the file.
    axes: Vec<SweepAxis>,
    /// Path of each axis.
    paths: BTreeSet<Vec<String>>,
    /// Position in the file.
    pub(super) place: Range<usize>,
    /// Settings whose lists have mistakes. They are not reported as missing.
    pub(super) invalid_settings: Vec<String>,
}

/// Index of one value on each axis.
pub(super) type SweepChoice = Vec<usize>;

impl Sweep {
    /// Reads the lists; empty if there is no sweep. `known_settings` are the settings of the
    /// algorithm, if it is known; `table` has the settings with one value.
    pub(super) fn read(
        content: &KeyContent<TomlValue>,
        known_settings: Option<&[&str]>,
        table: &TomlTable,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Sweep {
        let Some(lists) = content.value() else { return Sweep::default() };
        let place = content.span().unwrap_or_default();
        let mut sweep = Sweep { place: place.clone(), ..Sweep::default() };
        let mistakes_before = mistakes.len();
        match lists {
            TomlValue::Table(lists) => {
                for leaf in tree::leaves(lists, TomlTable::is_empty) {
                    match sweep.read_axis(&leaf, known_settings, table) {
                        Ok(axis) => {
                            sweep.paths.insert(leaf.path);
                            sweep.axes.push(axis);
                        }
                        Err(axis_mistakes) => {
                            mistakes.extend(axis_mistakes);
                            sweep.invalid_settings.extend(leaf.path.into_iter().next());
                        }
                    }
                }
            }
            _ => mistakes.push(Diagnostic::new(place.clone(), "must be a table `[player.sweep]` of lists")),
        }
        if sweep.axes.is_empty() && mistakes.len() == mistakes_before {
            mistakes.push(Diagnostic::new(place, "has no values"));
        }
        if sweep.axes.is_empty() {
            sweep
                .invalid_settings
                .extend(known_settings.unwrap_or_default().iter().map(|&key| key.to_owned()));
        }
        sweep
    }

    /// Returns true if one of the lists belongs to this setting, to a part of it, or to a table
    /// that contains it.
    pub(super) fn overlaps(&self, path: &[String]) -> bool {
        self.paths.iter().any(|axis_path| axis_path.starts_with(path) || path.starts_with(axis_path))
    }

    fn read_axis(
        &self,
        Leaf { path, span: place, value }: &Leaf,
        known_settings: Option<&[&str]>,
        table: &TomlTable,
    ) -> Result<SweepAxis, Vec<Diagnostic>> {
        let refuse = |message: &str| Err(vec![Diagnostic::new(place.clone(), message)]);
        if let Some(names) = known_settings.filter(|names| !names.contains(&path[0].as_str())) {
            let mut mistake = Diagnostic::new(place.clone(), "unknown setting");
            mistake.help = diagnostic::nearest(&path[0], names.iter().copied())
                .map(|suggestion| format!("did you mean `{suggestion}`?"));
            return Err(vec![mistake]);
        }
        if path.len() > MAX_DEPTH {
            return refuse("unknown setting");
        }
        if is_set(table, path) {
            return refuse("is also set above: set one value there, or list several values here");
        }
        // Paths do not overlap, so in sorted order one that overlaps this path is directly before
        // or after it.
        let previous =
            self.paths.range::<[String], _>((Bound::Unbounded, Bound::Included(&path[..]))).next_back();
        let next = self.paths.range::<[String], _>((Bound::Included(&path[..]), Bound::Unbounded)).next();
        if previous.is_some_and(|previous| path.starts_with(previous))
            || next.is_some_and(|next| next.starts_with(path))
        {
            return refuse("is listed twice");
        }
        let values = match value.get_ref() {
            TomlValue::List(values) => values,
            _ => return refuse("must be a list of values to try"),
        };
        if values.is_empty() {
            return refuse("has no values");
        }
        let mut labels = BTreeSet::new();
        let duplicates = values.iter().filter(|value| !labels.insert(format_value(value.get_ref())));
        let mistakes = duplicates.map(|value| {
            let label = format_value(value.get_ref());
            Diagnostic::new(value.span(), format!("several values of this list have the name {label:?}"))
        });
        let mistakes = mistakes.collect::<Vec<_>>();
        if mistakes.is_empty() {
            Ok(SweepAxis { path: path.clone(), place: place.clone(), values: values.clone() })
        } else {
            Err(mistakes)
        }
    }

    /// Returns the number of combinations, or `usize::MAX` if there are more.
    pub(super) fn count(&self) -> usize {
        self.axes.iter().fold(1, |count: usize, axis| count.saturating_mul(axis.values.len()))
    }

    /// Iterates over all combinations; the first key varies slowest.
    pub(super) fn combinations(&self) -> impl Iterator<Item = SweepChoice> {
        (0..self.count()).map(|mut number| {
            let mut choice = vec![0; self.axes.len()];
            for (value_index, axis) in choice.iter_mut().zip(&self.axes).rev() {
                *value_index = number % axis.values.len();
                number /= axis.values.len();
            }
            choice
        })
    }

    /// Iterates over combinations that contain every value, but not every pair of values.
    pub(super) fn probes(&self) -> impl Iterator<Item = SweepChoice> {
        let first = vec![0; self.axes.len()];
        let others = self.axes.iter().enumerate().flat_map(move |(i, axis)| {
            (1..axis.values.len()).map(move |value| {
                let mut choice = vec![0; self.axes.len()];
                choice[i] = value;
                choice
            })
        });
        std::iter::once(first).chain(others)
    }

    /// Makes the names of all players: the name of their `[[player]]`, and ` key=value` for each
    /// key, as written. If one of them is too long, all are shortened: only differing values,
    /// unique ends of keys, numbers in shortest form. If that is still too long, each name is cut
    /// and ends with a digest.
    pub(super) fn names(&self, name: &str) -> Vec<String> {
        let full_parts: Vec<Vec<String>> = self.axes.iter().map(SweepAxis::parts).collect();
        let max_length = MAX_NAME_BYTES.saturating_sub(name.len());
        if longest_suffix(&full_parts) <= max_length {
            return self.append_parts(name, &full_parts, |_| String::new());
        }
        let varying_axes = self.axes.iter().enumerate().filter(|(_, axis)| axis.values.len() > 1);
        let mut short_parts: Vec<Vec<String>> = vec![Vec::new(); self.axes.len()];
        for (index, axis) in varying_axes {
            short_parts[index] = axis.short_parts(&self.axes);
        }
        if longest_suffix(&short_parts) <= max_length {
            return self.append_parts(name, &short_parts, |_| String::new());
        }
        let digest = |choice: &SweepChoice| {
            let whole = blake3::hash(join_parts(&full_parts, choice).as_bytes()).to_hex();
            format!(" #{}", &whole[..DIGEST_DIGITS])
        };
        // A name that is too long itself cannot be shortened.
        let Some(max_length) = max_length.checked_sub(DIGEST_DIGITS + 2) else {
            return self.append_parts(name, &full_parts, |_| String::new());
        };
        while longest_suffix(&short_parts) > max_length {
            match short_parts.iter_mut().rev().find(|parts| !parts.is_empty()) {
                Some(last) => last.clear(),
                None => break,
            }
        }
        self.append_parts(name, &short_parts, digest)
    }

    fn append_parts(
        &self,
        name: &str,
        parts: &[Vec<String>],
        suffix: impl Fn(&SweepChoice) -> String,
    ) -> Vec<String> {
        self.combinations()
            .map(|choice| format!("{name}{}{}", join_parts(parts, &choice), suffix(&choice)))
            .collect()
    }

    /// Returns what a name needs for the swept settings in the table of one player: ` key=value`
    /// for each, as written. Fails with the key that the table lacks.
    pub(super) fn suffix(&self, table: &TomlTable) -> Result<String, String> {
        let part = |axis: &SweepAxis| match value_at(table, &axis.path) {
            Some(value) => Ok(axis.part(value)),
            None => Err(axis.path.join(".")),
        };
        self.axes.iter().map(part).collect()
    }

    /// Returns the settings of one player.
    pub(super) fn apply(&self, choice: &SweepChoice, table: &TomlTable) -> TomlTable {
        let mut table = table.clone();
        for (axis, &value) in self.axes.iter().zip(choice) {
            // Settings that are both swept and set were reported already.
            let _ = tree::put(&mut table, &axis.path, &axis.place, axis.values[value].clone());
        }
        table
    }
}

/// Digits of the digest in a name: among ten thousand names, two are equal once in five million
/// sweeps.
const DIGEST_DIGITS: usize = 12;

impl SweepAxis {
    /// Returns ` key=value` for each value, as written.
    fn parts(&self) -> Vec<String> {
        self.values.iter().map(|value| self.part(value.get_ref())).collect()
    }

    /// Returns ` key=value` for one value, as written.
    fn part(&self, value: &TomlValue) -> String {
        format!(" {}={}", name::sanitize(&self.path.join(".")), format_value(value))
    }

    /// Returns ` key=value` for each value in shortest form, unique among these axes.
    fn short_parts(&self, axes: &[SweepAxis]) -> Vec<String> {
        let is_taken =
            |end: &&[String]| axes.iter().any(|other| other.path != self.path && other.path.ends_with(end));
        // Keys below a setting in a table are fields of the setting, such as the power of a weight.
        // They mean nothing without the key of the setting.
        let min_keys = if self.path.len() > 2 { 2 } else { 1 };
        let mut ends = (min_keys..=self.path.len()).map(|keys| &self.path[self.path.len() - keys..]);
        let end = ends.find(|end| !is_taken(end)).unwrap_or(&self.path);
        let key = name::sanitize(&end.join("."));
        let mut labels: Vec<String> = self.values.iter().map(|value| format_short(value.get_ref())).collect();
        let distinct_labels: BTreeSet<&String> = labels.iter().collect();
        if distinct_labels.len() < labels.len() {
            labels = self.values.iter().map(|value| format_value(value.get_ref())).collect();
        }
        labels.iter().map(|label| format!(" {key}={label}")).collect()
    }
}

/// Returns the length in bytes of the longest suffix from these parts.
fn longest_suffix(parts: &[Vec<String>]) -> usize {
    parts.iter().map(|parts| parts.iter().map(String::len).max().unwrap_or(0)).sum()
}

/// Joins the parts of a suffix; keys without parts are omitted.
fn join_parts(parts: &[Vec<String>], choice: &SweepChoice) -> String {
    parts.iter().zip(choice).filter_map(|(parts, &value)| parts.get(value).map(String::as_str)).collect()
}

/// Returns the value at a path of a table.
fn value_at<'t>(table: &'t TomlTable, path: &[String]) -> Option<&'t TomlValue> {
    let (key, rest) = path.split_first()?;
    match table.get(key.as_str()).map(PlacedValue::get_ref)? {
        value if rest.is_empty() => Some(value),
        TomlValue::Table(inner) => value_at(inner, rest),
        _ => None,
    }
}

/// Returns true if the table has a value at this path, or on the way to it.
fn is_set(table: &TomlTable, path: &[String]) -> bool {
    let Some((key, rest)) = path.split_first() else { return true };
    match table.get(key.as_str()).map(PlacedValue::get_ref) {
        None => false,
        Some(TomlValue::Table(inner)) => is_set(inner, rest),
        Some(_) => true,
    }
}

/// Formats a value as part of a name: a number as written, without plus sign.
fn format_value(value: &TomlValue) -> String {
    name::sanitize(&settings::label(value, &|number| number.trim_start_matches('+').to_owned()))
}

/// Formats a value as part of a name, with numbers in shortest form.
fn format_short(value: &TomlValue) -> String {
    name::sanitize(&settings::short_label(value))
}
