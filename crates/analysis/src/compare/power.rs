//! The table `power`: the number of games that a difference needs, or the difference that a number
//! of games can show.

use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_stats::exact_power::{
    detectable_ratio, pairs_are_enough, pairs_needed, pairs_needed_for_ratio, trials_are_enough,
    trials_needed,
};
use gauntlet_stats::power::{discordant_rates, pairs_for_share, variance_of_pair};
use gauntlet_stats::{bisect, elo_of_share, share_of_elo};

/// A measure, with the parameter that its number of games depends on besides the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerMeasure {
    /// A rate, with the rate of the weaker player.
    Rate(f64),
    /// Scores, with the standard deviation of their logarithms between seeds.
    Score(f64),
    /// Points of a duel, with the share of drawn games. The difference is in Elo.
    Points(f64),
}

/// The given quantity; the table computes the other one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerInput {
    /// A difference to be shown.
    Difference(f64),
    /// Number of games per player.
    Games(u64),
}

table! {
    /// A way to play. Of a game of two it has pairs and a difference in Elo.
    pub(crate) struct PowerRow("power", None) {
        /// Pairing of the games.
        design: String, words();
        /// Number of pairs of games; only with `--draws`.
        pairs: Option<u64>, count();
        /// Number of games per player.
        games_of_each: Option<u64>, count();
        /// Elo difference; only with `--draws`.
        elo: Option<f64>, number().with_decimals(2);
        /// Difference of the rates, or relative difference of the scores.
        difference: Option<f64>, number().with_decimals(6);
        /// Confidence level of the test.
        level: f64, number();
        /// Probability that the test detects the difference.
        power: f64, number();
    }
}

/// Makes the table, with a row for each correlation.
pub fn table(
    measure: PowerMeasure,
    input: PowerInput,
    correlations: &[f64],
    level: f64,
    power: f64,
) -> Table {
    let is_duel = matches!(measure, PowerMeasure::Points(_));
    let mut rows = Vec::new();
    match (measure, input) {
        (PowerMeasure::Rate(rate), PowerInput::Difference(difference)) => {
            let games = trials_needed(rate, rate + difference, level, power);
            rows.push(("separate seeds".to_owned(), Some(games), Some(difference)));
            for &correlation in correlations {
                // Two rates that differ cannot correlate fully: no such number of games exists.
                let games = discordant_rates(rate + difference, rate, correlation)
                    .map(|(first, second)| pairs_needed(first, second, level, power));
                rows.push((describe_design(correlation), games, Some(difference)));
            }
        }
        (PowerMeasure::Rate(rate), PowerInput::Games(games)) => {
            let are_enough = |rates| trials_are_enough(games, rates, level, power);
            let detectable =
                find_smallest_difference(rate, 1.0, |better_rate| Some([rate, better_rate]), are_enough);
            rows.push(("separate seeds".to_owned(), Some(games as f64), detectable));
            for &correlation in correlations {
                let rates =
                    |better_rate| discordant_rates(better_rate, rate, correlation).map(<[f64; 2]>::from);
                let are_enough = |rates| pairs_are_enough(games, rates, level, power);
                let detectable = find_smallest_difference(rate, 1.0, rates, are_enough);
                rows.push((describe_design(correlation), Some(games as f64), detectable));
            }
        }
        (PowerMeasure::Score(spread), PowerInput::Difference(difference)) => {
            let games = pairs_needed_for_ratio(1.0 + difference, spread, level, power);
            rows.push(("the same seeds".to_owned(), Some(games), Some(difference)));
        }
        (PowerMeasure::Score(spread), PowerInput::Games(games)) => {
            let detectable = detectable_ratio(games, spread, level, power) - 1.0;
            rows.push(("the same seeds".to_owned(), Some(games as f64), Some(detectable)));
        }
        (PowerMeasure::Points(drawn_share), input) => {
            for &correlation in correlations {
                let pairs = |share: f64| {
                    let variance = variance_of_pair(share, drawn_share, correlation)?;
                    Some(pairs_for_share(share, variance, level, power))
                };
                let (games, elo) = match input {
                    PowerInput::Difference(elo) => {
                        (pairs(share_of_elo(elo)).map(|pairs| 2.0 * pairs.ceil()), Some(elo))
                    }
                    PowerInput::Games(games) => {
                        let are_enough = |pairs: f64| pairs <= games.div_ceil(2) as f64;
                        let detectable =
                            find_smallest_difference(0.5, 1.0 - drawn_share / 2.0, pairs, are_enough);
                        (Some(games as f64), detectable.map(|lead| elo_of_share(0.5 + lead)))
                    }
                };
                rows.push((format!("pairs of games, correlation {correlation}"), games, elo));
            }
        }
    }
    let row = |(design, games, difference): (String, Option<f64>, Option<f64>)| {
        let pairs = games.map(|games| (games / 2.0).ceil() as u64);
        let games_of_each =
            if is_duel { pairs.map(|pairs| 2 * pairs) } else { games.map(|count| count.ceil() as u64) };
        PowerRow { design, pairs, games_of_each, elo: difference, difference, level, power }
    };
    let mut table = PowerRow::table(rows.into_iter().map(row));
    let unused_columns = if is_duel { &["difference"][..] } else { &["pairs", "elo"] };
    unused_columns.iter().for_each(|column| table.drop_column(column));
    table
}

fn describe_design(correlation: f64) -> String {
    format!("the same seeds, correlation {correlation}")
}

/// Returns the smallest difference from `rate` that a test shows, or `None` if it does not even
/// show the largest one. `rates_for` describes a better rate, and is `None` for an impossible rate.
/// A test shows larger differences more surely, so bisection finds the border.
fn find_smallest_difference<T>(
    rate: f64,
    max_rate: f64,
    rates_for: impl Fn(f64) -> Option<T>,
    is_shown: impl Fn(T) -> bool,
) -> Option<f64> {
    let is_shown = |difference: f64| rates_for(rate + difference).is_some_and(&is_shown);
    // Rates that differ by much cannot correlate, so the largest possible difference is found
    // first.
    let is_possible = |difference: f64| rates_for(rate + difference).is_some();
    let (largest, _) = bisect(0.0, max_rate - rate, HALVINGS, |difference| !is_possible(difference));
    is_shown(largest).then(|| bisect(0.0, largest, HALVINGS, is_shown).1)
}

/// Number of bisections that determines all printed digits of a border.
const HALVINGS: u32 = 45;

#[cfg(test)]
mod tests {
    use super::*;

    fn table_numbers(
        measure: PowerMeasure,
        input: PowerInput,
        correlations: &[f64],
    ) -> Vec<(String, String)> {
        let table = table(measure, input, correlations, 0.95, 0.8);
        let column = if let PowerMeasure::Points(_) = measure { "elo" } else { "difference" };
        let (games, difference) = (table.column_index("games_of_each"), table.column_index(column));
        table.rows.iter().map(|row| (row[games].text(), row[difference].text())).collect()
    }

    #[test]
    fn games_show_what_needs_them() {
        // Independent games: the formula, with SciPy's normal quantiles. Pairs: the smallest number
        // from which on McNemar's exact test has the power, summed over all tables by SciPy's
        // binomial distribution.
        let games = table_numbers(PowerMeasure::Rate(0.9), PowerInput::Difference(0.01), &[0.0, 0.2, 0.5]);
        let games: Vec<u64> = games.iter().map(|(games, _)| games.parse().expect("a number")).collect();
        assert_eq!(games, [13_495, 13_690, 10_991, 6_940]);
        for (index, games) in games.into_iter().enumerate() {
            let correlation = [0.0, 0.0, 0.2, 0.5][index];
            let numbers = table_numbers(PowerMeasure::Rate(0.9), PowerInput::Games(games), &[correlation]);
            let detectable: f64 = numbers[usize::from(index > 0)].1.parse().expect("a number");
            assert!((detectable - 0.01).abs() < 1e-5, "{games} games show {detectable}");
        }
        // For so few games the formula gives 97.
        let games = table_numbers(PowerMeasure::Rate(0.4), PowerInput::Difference(0.2), &[0.0, 0.2, 0.5]);
        let games: Vec<_> = games[1..].iter().map(|(games, _)| &**games).collect();
        assert_eq!(games, ["107", "88", "57"]);
        // By SciPy's noncentral t; the formulas give 7,206 and 18.
        for (difference, expected) in [(0.02, 7208), (0.5, 20)] {
            let scores = table_numbers(PowerMeasure::Score(0.6), PowerInput::Difference(difference), &[]);
            assert_eq!(scores[0].0, expected.to_string());
            let text = table_numbers(PowerMeasure::Score(0.6), PowerInput::Games(expected), &[]).remove(0).1;
            let detectable: f64 = text.parse().expect("a number");
            assert!((0.97 * difference..=difference + 1e-6).contains(&detectable), "{detectable}");
        }
    }

    /// 20 Elo are a share of 0.52876. With a third of the games drawn and independent games, a pair
    /// has a variance of 0.08292, and (1.96 √0.08375 + 0.8416 √0.08292)² / 0.02875² is 793.
    #[test]
    fn pairs_are_counted_for_a_duel() {
        let third = PowerMeasure::Points(1.0 / 3.0);
        let games = table_numbers(third, PowerInput::Difference(20.0), &[0.0, -0.5, 0.5]);
        let games: Vec<u64> = games.iter().map(|(games, _)| games.parse().expect("a number")).collect();
        assert_eq!(games, [1586, 800, 2374]);
        for (games, correlation) in games.into_iter().zip([0.0, -0.5, 0.5]) {
            let detectable: f64 = table_numbers(third, PowerInput::Games(games), &[correlation])[0]
                .1
                .parse()
                .expect("a number");
            assert!((detectable - 20.0).abs() < 0.1, "{games} games show {detectable}");
        }
        // The last pair is played as a whole.
        let [odd, even] = [101, 102].map(|games| table_numbers(third, PowerInput::Games(games), &[0.0]));
        assert_eq!(odd[0].1, even[0].1);
        // A player with 97 % of the points has not drawn a third of its games.
        assert_eq!(table_numbers(third, PowerInput::Difference(600.0), &[0.0])[0].0, "");
    }

    #[test]
    fn too_few_games_show_nothing() {
        assert_eq!(
            table_numbers(PowerMeasure::Rate(0.9), PowerInput::Games(2), &[0.5]),
            [("2".into(), "".into()), ("2".into(), "".into())]
        );
    }
}
