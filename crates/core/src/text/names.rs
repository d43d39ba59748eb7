//! Cuts names of players to a width, by removing what they have in common: "swift-expectimax
//! depth=3", next to "swift-expectimax depth=4", becomes "swift-e… depth=3".

use std::collections::{BTreeMap, BTreeSet};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Sign for omitted words or letters.
const LEFT_OUT: &str = "…";

/// Width in which names are never cut for the sake of other columns.
const WHOLE: usize = 32;

/// Letters of a first word that are kept if possible.
const FIRST_WORD: usize = 3;

/// Returns the width of names on a screen of this width: values make room for them. It is wider if
/// names would otherwise need numbers.
pub fn name_width(names: &[&str], width: usize) -> usize {
    WHOLE.max(width * 2 / 5).max(least_width(names))
}

/// Cuts names to at most `width` columns, so that different names stay different, unless the width
/// is too small for their numbers. Names with the same first word are all cut if one of them must
/// be.
pub fn fit_names(names: &[&str], width: usize) -> Vec<String> {
    let mut fitted = cut(names, width);
    number_equal_names(names, &mut fitted, width);
    fitted
}

/// Names that are cut the same way in all tables and sentences of a screen.
#[derive(Debug, Default)]
pub struct ShortNames(Vec<(String, String)>);

impl ShortNames {
    /// Cuts the names that are too wide for a screen of this width; none without a width.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, width: Option<usize>) -> ShortNames {
        let Some(width) = width else { return ShortNames::default() };
        let mut known = BTreeSet::new();
        let names: Vec<&str> = names.into_iter().filter(|name| known.insert(*name)).collect();
        let mut cut: Vec<(String, String)> = names
            .iter()
            .zip(fit_names(&names, name_width(&names, width)))
            .filter(|(name, cut)| **name != cut)
            .map(|(name, cut)| ((*name).to_owned(), cut))
            .collect();
        // A name may begin with another.
        cut.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        ShortNames(cut)
    }

    /// Replaces the names in a text.
    pub fn cut(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, cut)| text.replace(name, cut))
    }
}

/// Returns the smallest width at which `fitted` only removes common parts, keys, and ends of first
/// words, so that no name needs a number. A name of one word must only stay distinct.
pub fn least_width(names: &[&str]) -> usize {
    let least = families(names).into_values().flat_map(|places| {
        let family: Vec<&str> = places.iter().map(|&place| names[place]).collect();
        let common = common_words(&family);
        let forms: [fn(&str) -> &str; 2] = [strip_key, |word| word];
        let short = forms.map(|shorter| shorten_family(&family, &common, shorter));
        let short = short.into_iter().find(|short| are_distinct(&family, short)).unwrap_or_default();
        let least = |name: &String| {
            name.split_once(' ')
                .map_or(0, |(first, rest)| first.width().min(FIRST_WORD + 1) + 1 + rest.width())
        };
        short.iter().map(least).max()
    });
    let least = least.max().unwrap_or(0);
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    (least..widest).find(|&width| are_distinct(names, &cut(names, width))).unwrap_or(widest)
}

/// Cuts each family of names to a width; some results may be equal.
fn cut(names: &[&str], width: usize) -> Vec<String> {
    let mut cut = vec![String::new(); names.len()];
    for places in families(names).into_values() {
        let family: Vec<&str> = places.iter().map(|&place| names[place]).collect();
        for (&place, short) in places.iter().zip(fit_family(&family, width)) {
            cut[place] = short;
        }
    }
    cut
}

/// Groups names by their first word.
fn families<'a>(names: &[&'a str]) -> BTreeMap<&'a str, Vec<usize>> {
    let mut families: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        families.entry(name.split(' ').next().unwrap_or("")).or_default().push(place);
    }
    families
}

/// Returns true if different names have different short forms.
fn are_distinct(names: &[&str], short: &[String]) -> bool {
    let distinct: BTreeSet<&String> = short.iter().collect();
    distinct.len() == names.iter().collect::<BTreeSet<_>>().len()
}

/// Cuts a family of names with the first method whose results fit and are distinct.
fn fit_family(family: &[&str], width: usize) -> Vec<String> {
    let fits =
        |names: &[String]| names.iter().all(|name| name.width() <= width) && are_distinct(family, names);
    let whole: Vec<String> = family.iter().map(|&name| name.to_owned()).collect();
    if fits(&whole) {
        return whole;
    }
    let common = common_words(family);
    let forms: [fn(&str) -> &str; 3] = [|word| word, strip_tables, strip_key];
    for shorter in forms {
        let names = shorten_family(family, &common, shorter);
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

fn shorten_family(family: &[&str], common: &BTreeSet<&str>, shorter: fn(&str) -> &str) -> Vec<String> {
    family.iter().map(|name| remove_common(name, common, shorter)).collect()
}

/// Removes common words from a name, except for the first word.
fn remove_common(name: &str, common: &BTreeSet<&str>, shorter: fn(&str) -> &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (place, word) in name.split(' ').enumerate() {
        if place == 0 {
            parts.push(word);
        } else if !common.contains(word) {
            parts.push(shorter(word));
        } else if parts.last() != Some(&LEFT_OUT) {
            parts.push(LEFT_OUT);
        }
    }
    // At the end it would only show that something is missing, and take two columns.
    if parts.last() == Some(&LEFT_OUT) {
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
    let Some(room) = width.checked_sub(rest.width() + 2).filter(|&room| room > 0) else {
        return name.to_owned();
    };
    let rest = rest.strip_prefix(LEFT_OUT).map_or(rest, str::trim_start);
    format!("{}{LEFT_OUT} {rest}", take_front(first, room))
}

/// Cuts the middle of a name. More of the end than of the front is kept, because names differ there
/// more often.
fn cut_middle(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    match width {
        0 => String::new(),
        1 => LEFT_OUT.to_owned(),
        _ => {
            let kept = width - 1;
            format!("{}{LEFT_OUT}{}", take_front(name, kept / 3), take_back(name, kept - kept / 3))
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
    let mut used = 0;
    letters.take_while(move |letter| {
        used += letter.width().unwrap_or(0);
        used <= width
    })
}

/// Replaces the end of equal cut names by their number in the list.
fn number_equal_names(names: &[&str], fitted: &mut [String], width: usize) {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, short) in fitted.iter().enumerate() {
        places.entry(short.clone()).or_default().push(place);
    }
    for alike in places.into_values().filter(|alike| alike.iter().any(|&one| names[one] != names[alike[0]])) {
        for place in alike {
            let number = format!("{LEFT_OUT}#{}", place + 1);
            let room = width.saturating_sub(number.width());
            let whole = take_front(&fitted[place], room) + &number;
            fitted[place] = take_back(&whole, width);
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
        for (names, least) in [
            (vec![&*sweep[0], &*sweep[1]], "e … -0.5".width()),
            (names.to_vec(), "swi… 3".width()),
            // Without their keys, these names would be equal.
            (vec!["e a=1", "e b=1"], "e a=1".width()),
            // With shorter first words, these names would be equal.
            (vec!["swift-a x=1", "swift-b x=1"], "swift-a x=1".width()),
            (vec!["random"], 0),
            (vec![], 0),
        ] {
            assert_eq!(least_width(&names), least, "{names:?}");
            let short = fit_names(&names, least.max(8));
            assert!(!short.iter().any(|name| name.contains('#')), "{short:?}");
        }
        check(&["e a=1", "e b=1"], 5, &["e a=1", "e b=1"]);
    }

    #[test]
    fn a_screen_has_one_form_of_a_long_name() {
        let name = |last: &str| format!("expectimax weights.empty=270 weights.smoothness={last}");
        let names = [name("1"), name("10"), "random".to_owned()];
        let short = |width| ShortNames::new(names.iter().map(String::as_str), width);
        let text = format!("{} vs {}, random", names[0], names[1]);
        assert_eq!(
            short(Some(80)).cut(&text),
            "expectim… weights.smoothness=1 vs expecti… weights.smoothness=10, random"
        );
        assert_eq!(
            short(Some(100)).cut(&text),
            "expectimax … weights.smoothness=1 vs expectimax … weights.smoothness=10, random"
        );
        for whole in [None, Some(150)] {
            assert_eq!(short(whole).cut(&text), text);
        }
    }

    #[test]
    fn letters_that_are_two_columns_wide_are_counted_so() {
        check(&["日本語日本語 1"], 7, &["日本… 1"]);
    }
}
