//! Cuts names of players to a width, by removing what they have in common: "swift-expectimax
//! depth=3", next to "swift-expectimax depth=4", becomes "swift-e… depth=3".

use std::collections::{BTreeMap, BTreeSet};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Sign for omitted words or letters.
const ELLIPSIS: &str = "…";

/// Width in which names are never cut for the sake of other columns.
const FULL_NAME_WIDTH: usize = 32;

/// Letters of a first word that are kept if possible.
const FIRST_WORD_WIDTH: usize = 3;

/// Returns the width of names on a screen of this width: values make room for them. It is wider if
/// names would otherwise need numbers.
pub fn name_width(names: &[&str], width: usize) -> usize {
    FULL_NAME_WIDTH.max(width * 2 / 5).max(min_distinct_width(names))
}

/// Cuts names to at most `width` columns, so that different names stay different, unless the width
/// is too small for their numbers. Names with the same first word are all cut if one of them must
/// be.
pub fn fit_names(names: &[&str], width: usize) -> Vec<String> {
    let mut short_names = cut(names, width);
    number_equal_names(names, &mut short_names, width);
    short_names
}

/// Names that are cut the same way in all tables and sentences of a screen.
#[derive(Debug, Default)]
pub struct ShortNames(Vec<(String, String)>);

impl ShortNames {
    /// Cuts the names that are too wide for a screen of this width; none without a width.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, width: Option<usize>) -> ShortNames {
        let Some(width) = width else { return ShortNames::default() };
        let mut seen_names = BTreeSet::new();
        let names: Vec<&str> = names.into_iter().filter(|name| seen_names.insert(*name)).collect();
        let mut replacements: Vec<(String, String)> = names
            .iter()
            .zip(fit_names(&names, name_width(&names, width)))
            .filter(|(name, short_name)| **name != short_name)
            .map(|(name, short_name)| ((*name).to_owned(), short_name))
            .collect();
        // A name may begin with another.
        replacements.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        ShortNames(replacements)
    }

    /// Replaces the names in a text.
    pub fn cut(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, short_name)| text.replace(name, short_name))
    }
}

/// Returns the smallest width at which `fit_names` only removes common parts, keys, and ends of
/// first words, so that no name needs a number. A name of one word must only stay distinct.
pub fn min_distinct_width(names: &[&str]) -> usize {
    let family_widths = families(names).into_values().flat_map(|indices| {
        let family: Vec<&str> = indices.iter().map(|&index| names[index]).collect();
        let common = common_words(&family);
        let shorteners: [fn(&str) -> &str; 2] = [strip_key, |word| word];
        let candidates = shorteners.map(|shorten| shorten_family(&family, &common, shorten));
        let short_names =
            candidates.into_iter().find(|short_names| are_distinct(&family, short_names)).unwrap_or_default();
        let width_of = |name: &String| {
            name.split_once(' ')
                .map_or(0, |(first, rest)| first.width().min(FIRST_WORD_WIDTH + 1) + 1 + rest.width())
        };
        short_names.iter().map(width_of).max()
    });
    let min_width = family_widths.max().unwrap_or(0);
    let max_width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    (min_width..max_width).find(|&width| are_distinct(names, &cut(names, width))).unwrap_or(max_width)
}

/// Cuts each family of names to a width; some results may be equal.
fn cut(names: &[&str], width: usize) -> Vec<String> {
    let mut short_names = vec![String::new(); names.len()];
    for indices in families(names).into_values() {
        let family: Vec<&str> = indices.iter().map(|&index| names[index]).collect();
        for (&index, short_name) in indices.iter().zip(fit_family(&family, width)) {
            short_names[index] = short_name;
        }
    }
    short_names
}

/// Groups names by their first word.
fn families<'a>(names: &[&'a str]) -> BTreeMap<&'a str, Vec<usize>> {
    let mut families: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        families.entry(name.split(' ').next().unwrap_or("")).or_default().push(index);
    }
    families
}

/// Returns true if different names have different short forms.
fn are_distinct(names: &[&str], short_names: &[String]) -> bool {
    let distinct: BTreeSet<&String> = short_names.iter().collect();
    distinct.len() == names.iter().collect::<BTreeSet<_>>().len()
}

/// Cuts a family of names with the first method whose results fit and are distinct.
fn fit_family(family: &[&str], width: usize) -> Vec<String> {
    let fits =
        |names: &[String]| names.iter().all(|name| name.width() <= width) && are_distinct(family, names);
    let full_names: Vec<String> = family.iter().map(|&name| name.to_owned()).collect();
    if fits(&full_names) {
        return full_names;
    }
    let common = common_words(family);
    let shorteners: [fn(&str) -> &str; 3] = [|word| word, strip_tables, strip_key];
    for shorten in shorteners {
        let names = shorten_family(family, &common, shorten);
        if fits(&names) {
            return names;
        }
        let names: Vec<String> = names.iter().map(|name| cut_first_word(name, width)).collect();
        if fits(&names) {
            return names;
        }
    }
    family.iter().map(|name| cut_middle(name, width)).collect()
}

/// Returns the words that all names of a family contain; none for a single name, whose words all
/// count.
fn common_words<'a>(family: &[&'a str]) -> BTreeSet<&'a str> {
    let words = |name: &&'a str| name.split(' ').collect::<BTreeSet<_>>();
    match family {
        [] | [_] => BTreeSet::new(),
        [first, others @ ..] => {
            let mut common = words(first);
            for other in others {
                let other = words(other);
                common.retain(|word| other.contains(word));
            }
            common
        }
    }
}

fn shorten_family(family: &[&str], common: &BTreeSet<&str>, shorten: fn(&str) -> &str) -> Vec<String> {
    family.iter().map(|name| remove_common(name, common, shorten)).collect()
}

/// Removes common words from a name, except for the first word.
fn remove_common(name: &str, common: &BTreeSet<&str>, shorten: fn(&str) -> &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (index, word) in name.split(' ').enumerate() {
        if index == 0 {
            parts.push(word);
        } else if !common.contains(word) {
            parts.push(shorten(word));
        } else if parts.last() != Some(&ELLIPSIS) {
            parts.push(ELLIPSIS);
        }
    }
    // At the end it would only show that something is missing, and take two columns.
    if parts.last() == Some(&ELLIPSIS) {
        parts.pop();
    }
    parts.join(" ")
}

/// Removes the tables before a setting: `empty=20` for `weights.empty=20`.
fn strip_tables(word: &str) -> &str {
    let key = word.split_once('=').map_or("", |(key, _)| key);
    key.rfind('.').map_or(word, |dot| &word[dot + 1..])
}

/// Returns the value of `key=value`.
fn strip_key(word: &str) -> &str {
    word.split_once('=').map_or(word, |(_, value)| value)
}

/// Cuts the first word of a name until the name fits, but keeps one letter.
fn cut_first_word(name: &str, width: usize) -> String {
    let Some((first, rest)) = name.split_once(' ').filter(|_| name.width() > width) else {
        return name.to_owned();
    };
    let Some(first_width) = width.checked_sub(rest.width() + 2).filter(|&first_width| first_width > 0) else {
        return name.to_owned();
    };
    let rest = rest.strip_prefix(ELLIPSIS).map_or(rest, str::trim_start);
    format!("{}{ELLIPSIS} {rest}", take_front(first, first_width))
}

/// Cuts the middle of a name. More of the end than of the front is kept, because names differ there
/// more often.
fn cut_middle(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    match width {
        0 => String::new(),
        1 => ELLIPSIS.to_owned(),
        _ => {
            let kept_width = width - 1;
            format!(
                "{}{ELLIPSIS}{}",
                take_front(name, kept_width / 3),
                take_back(name, kept_width - kept_width / 3)
            )
        }
    }
}

/// Returns as much of the front as fits.
fn take_front(text: &str, width: usize) -> String {
    take_width(text.chars(), width).collect()
}

/// Returns as much of the end as fits.
fn take_back(text: &str, width: usize) -> String {
    let reversed: Vec<char> = take_width(text.chars().rev(), width).collect();
    reversed.into_iter().rev().collect()
}

fn take_width(letters: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used_width = 0;
    letters.take_while(move |letter| {
        used_width += letter.width().unwrap_or(0);
        used_width <= width
    })
}

/// Replaces the end of equal cut names by their number in the list.
fn number_equal_names(names: &[&str], short_names: &mut [String], width: usize) {
    let mut indices_by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, short_name) in short_names.iter().enumerate() {
        indices_by_name.entry(short_name.clone()).or_default().push(index);
    }
    for same_indices in indices_by_name
        .into_values()
        .filter(|same_indices| same_indices.iter().any(|&one| names[one] != names[same_indices[0]]))
    {
        for index in same_indices {
            let number = format!("{ELLIPSIS}#{}", index + 1);
            let available_width = width.saturating_sub(number.width());
            let numbered_name = take_front(&short_names[index], available_width) + &number;
            short_names[index] = take_back(&numbered_name, width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], width: usize, expected: &[&str]) {
        assert_eq!(fit_names(names, width), expected, "{width}");
    }

    #[test]
    fn what_fits_is_left_alone() {
        check(&["ovolve depth=4", "random"], 14, &["ovolve depth=4", "random"]);
        check(&[], 5, &[]);
    }

    #[test]
    fn the_part_that_differs_is_kept() {
        let names = ["swift-expectimax depth=3", "swift-expectimax depth=4", "random"];
        check(&names, 16, &["swift-e… depth=3", "swift-e… depth=4", "random"]);
        check(&names, 8, &["swift… 3", "swift… 4", "random"]);
        check(&names, 4, &["s… 3", "s… 4", "r…om"]);
    }

    #[test]
    fn words_in_common_give_way_first() {
        let names = ["e weights.empty=20 runs=100 depth=3", "e weights.empty=5 runs=100 depth=3"];
        check(&names, 30, &["e weights.empty=20", "e weights.empty=5"]);
        check(&names, 10, &["e empty=20", "e empty=5"]);
        check(&names, 6, &["e 20", "e 5"]);
        let names = ["e runs=100 depth=3", "e runs=100 depth=4"];
        check(&names, 12, &["e … depth=3", "e … depth=4"]);
    }

    #[test]
    fn a_name_alone_keeps_both_ends() {
        check(&["a-very-long-name-of-one-word-v2"], 10, &["a-v…ord-v2"]);
        check(&["a very long name of many words"], 10, &["a v… words"]);
    }

    #[test]
    fn names_have_a_least_width_without_numbers() {
        let sweep = |power: &str| format!("e empty=500 depth=2 merges=3.5 monotony=700 power={power}");
        let sweep = ["-0.5", "1.25"].map(sweep);
        let names = ["swift-expectimax depth=3", "swift-expectimax depth=4", "random"];
        for (names, expected) in [
            (vec![&*sweep[0], &*sweep[1]], "e … -0.5".width()),
            (names.to_vec(), "swi… 3".width()),
            // Without their keys, these names would be equal.
            (vec!["e a=1", "e b=1"], "e a=1".width()),
            // With shorter first words, these names would be equal.
            (vec!["swift-a x=1", "swift-b x=1"], "swift-a x=1".width()),
            (vec!["random"], 0),
            (vec![], 0),
        ] {
            assert_eq!(min_distinct_width(&names), expected, "{names:?}");
            let short_names = fit_names(&names, expected.max(8));
            assert!(!short_names.iter().any(|name| name.contains('#')), "{short_names:?}");
        }
        check(&["e a=1", "e b=1"], 5, &["e a=1", "e b=1"]);
    }

    #[test]
    fn a_screen_has_one_form_of_a_long_name() {
        let name = |last: &str| format!("expectimax weights.empty=270 weights.smoothness={last}");
        let names = [name("1"), name("10"), "random".to_owned()];
        let short_names = |width| ShortNames::new(names.iter().map(String::as_str), width);
        let text = format!("{} vs {}, random", names[0], names[1]);
        assert_eq!(
            short_names(Some(80)).cut(&text),
            "expectim… weights.smoothness=1 vs expecti… weights.smoothness=10, random"
        );
        assert_eq!(
            short_names(Some(100)).cut(&text),
            "expectimax … weights.smoothness=1 vs expectimax … weights.smoothness=10, random"
        );
        for whole in [None, Some(150)] {
            assert_eq!(short_names(whole).cut(&text), text);
        }
    }

    #[test]
    fn letters_that_are_two_columns_wide_are_counted_so() {
        check(&["日本語日本語 1"], 7, &["日本… 1"]);
    }
}
