//! Final points of the other searches, and their distance from the answer.

use gauntlet_analysis::answer::format_hundredths;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::table;
use gauntlet_core::text::{format_count, format_games, group_digits};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::ENDS;

table! {
    /// End of another search, or of one from another start.
    pub struct EndPointRow(ENDS, Some(LEVEL)) {
        /// Games of this end point and of the result in the last check, on the same blocks.
        games: u64, count();
        /// Mean loss of this end point minus mean loss of the result, with an interval.
        less: Option<Estimate>, number().with_decimals(6);
        /// Number of pairs of points in the last check; the level 95 % applies to all pairs
        /// together.
        pairs: u64, count();
        /// End point of the search: one column per setting.
        at: Vec<String>, settings();
    }
}

/// Describes the difference in mean loss between two points. Scores have logarithmic losses and are
/// shown in per cent; other measures are shown in points.
pub fn describe_gain(difference: Estimate, objective: Measure) -> String {
    match objective {
        Measure::Score => format_hundredths(difference.map(libm::expm1), " % "),
        _ => format_hundredths(difference, " points "),
    }
}

/// The most distances that a sentence lists one by one.
const MAX_NAMED: usize = 4;

/// Describes how much of the answer is luck: the distances of the other final points from it.
pub fn describe_ends(ends: &[EndPointRow], searches: u32, objective: Measure) -> String {
    let distances: Vec<Estimate> = ends.iter().filter_map(|end| end.less).collect();
    let Some(end) = ends.first() else {
        return match searches {
            1 => "one search only; `searches = 3` in [tune] shows how far results vary".to_owned(),
            _ => format!("all {searches} searches stayed at the start"),
        };
    };
    let equal_count = distances.iter().filter(|distance| distance.low == 0.0 && distance.high == 0.0).count();
    let mut others: Vec<&Estimate> =
        distances.iter().filter(|distance| distance.low != 0.0 || distance.high != 0.0).collect();
    others.sort_by(|one, other| one.value.total_cmp(&other.value));
    let mut parts = Vec::new();
    if equal_count > 0 {
        parts.push(format!(
            "{equal_count} of {} equals the best point",
            format_count(ends.len() as u64, "other end")
        ));
    }
    if ends.len() > distances.len() {
        let rejected = (ends.len() - distances.len()) as u64;
        parts.push(format!("the player rejects {}", format_count(rejected, "other end")));
    }
    if let [nearest, .., farthest] = others[..]
        && others.len() > MAX_NAMED
    {
        let [nearest, farthest] = [nearest, farthest].map(|distance| describe_gain(*distance, objective));
        parts.push(format!("the best point leads {} others by {nearest} to {farthest}", others.len()));
    } else if !others.is_empty() {
        let differences: Vec<String> =
            others.iter().map(|distance| describe_gain(**distance, objective)).collect();
        parts.push(format!(
            "the best point leads {} by {}",
            format_count(others.len() as u64, "other end"),
            differences.join(", ")
        ));
    }
    let worse_count = others.iter().filter(|distance| distance.low > 0.0).count();
    let better_count = others.iter().filter(|distance| distance.high < 0.0).count();
    let interpretation = match (better_count, worse_count) {
        (0, 0) if others.is_empty() => "no influence of chance",
        (0, 0) => "not distinguishable from the best point",
        (0, _) if worse_count == others.len() => {
            "all other ends are significantly worse; results depend strongly on chance"
        }
        (0, _) => "some other ends are significantly worse; results depend on chance",
        _ => "another end is significantly better than the best point: see `ends.csv` for its settings",
    };
    let level_note = match end.pairs {
        0 | 1 => String::new(),
        pairs => format!(" for all {} pairs together", group_digits(pairs)),
    };
    format!(
        "on the same {}, {} (95 % intervals{level_note}): {interpretation}. Another search would find the best point with \
         probability 1/{}",
        format_games(end.games),
        parts.join(", "),
        ends.len() + 2
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_say_how_much_is_chance() {
        let end = |value: f64, low: f64, high: f64| EndPointRow {
            games: 200,
            less: Some(Estimate { value, low, high, level: 0.95 }),
            pairs: 1,
            at: Vec::new(),
        };
        let describe = |ends: &[EndPointRow]| describe_ends(ends, 3, Measure::Score);
        let (far, near, same) = (end(0.2, 0.1, 0.3), end(0.01, -0.1, 0.12), end(0.0, 0.0, 0.0));
        assert!(describe_ends(&[], 1, Measure::Score).starts_with("one search only"));
        assert_eq!(describe(&[]), "all 3 searches stayed at the start");
        let text = describe(std::slice::from_ref(&far));
        assert!(
            text.contains("on the same 200 games, the best point leads 1 other end by 22.1 % [10.5, 35.0] (95 % intervals): all other ends are"),
            "{text}"
        );
        assert!(text.ends_with("with probability 1/3"), "{text}");
        assert!(describe(std::slice::from_ref(&near)).contains("not distinguishable from the best point"));
        assert!(describe(&[near.clone(), far.clone()]).contains("some other ends are significantly worse"));
        assert!(
            describe(&[far.clone(), end(-0.2, -0.3, -0.1)]).contains("another end is significantly better")
        );
        let text = describe(&[same.clone(), far.clone()]);
        assert!(
            text.contains("1 of 2 other ends equals the best point, the best point leads 1 other end by"),
            "{text}"
        );
        assert!(describe(&[same.clone(), same]).contains("no influence of chance"));
        let with_many_pairs = EndPointRow { pairs: 15, ..far.clone() };
        assert!(
            describe(std::slice::from_ref(&with_many_pairs))
                .contains("(95 % intervals for all 15 pairs together)")
        );
        let refused_end = EndPointRow { less: None, ..near.clone() };
        assert!(
            describe(&[refused_end, near]).contains("the player rejects 1 other end, the best point leads")
        );
        let text = describe(&vec![far; 5]);
        assert!(text.contains("leads 5 others by 22.1 % [10.5, 35.0] to 22.1 %"), "{text}");
    }
}
