//! A comparison of two players by one measure: the part that all measures have in common. The file of each measure has its
//! numbers and its words, and `table` shows several comparisons.

use std::cmp::Ordering;

use super::finding::{Detail, Finding};
use super::growth::corrected_for;
use super::question::{Question, Relevant, Shown};
use super::sample::{Pairing, Sample};
use super::words::Said;
use super::{points, rate, score, time};
use crate::measure::Measure;
use crate::stats::{growth_level, growth_p, holm};
use crate::tally::clock::Clock;
use crate::tally::meeting::Meeting;
use crate::text::{games, level, probability};

/// A player, as a side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its name in the answer.
    pub name: &'a str,
    /// The number of its games.
    pub games: u64,
    /// Its games, where it is not compared by time.
    pub sample: &'a Sample,
    /// Its time of thinking, where it is compared by time.
    pub clock: Option<&'a Clock>,
    /// The run of its games: players of one run are timed side by side.
    pub run: usize,
}

/// Two players compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The first.
    pub player: String,
    /// The other.
    pub than: String,
    /// The question.
    pub question: Question,
    /// The games that were compared.
    pub pairing: Pairing,
    /// Games of both that have no counterpart and were left out.
    pub left_out: u64,
    /// The p of the test: how often equals would differ as much; with a margin, how often players just that far apart would
    /// look as good.
    pub p: Option<f64>,
    /// Holm-adjusted p, where several comparisons are made.
    pub adjusted: Option<f64>,
    /// With a margin, the p of the other side: how often players just that far apart would look as bad; times the number of
    /// comparisons.
    pub opposite: Option<f64>,
    /// The answer of the test that could end the run, where that asked the same.
    pub decided: Option<Decided>,
    /// A reservation about the games.
    pub note: Option<String>,
    /// The difference of the two.
    pub finding: Finding,
}

/// A decision of a sequential stop, which replaces this test's.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The result.
    pub shown: Shown,
    /// The answer of the bounds beside that, at a risk of its own.
    pub besides: Shown,
    /// The answer in words.
    pub words: String,
}

impl Comparison {
    /// Compares two players. `meeting` gives their games against each other, which points are counted in.
    pub fn of(
        first: &Side,
        second: &Side,
        meeting: impl FnOnce() -> Option<Meeting>,
        question: Question,
    ) -> Comparison {
        let earlier = question.corrected_for();
        let asked = question;
        let question = Question { level: growth_level(asked.level, earlier), ..asked };
        let played = [first.games, second.games];
        let (finding, pairing, p) = match question.by {
            Measure::Win | Measure::Reach(_) => rate::compare(first.sample, second.sample, question),
            Measure::Score => score::compare(first.sample, second.sample, question),
            Measure::Points => {
                let meeting = meeting();
                let (finding, p) = points::compare(meeting.as_ref(), question);
                let pairs = meeting.map_or(0, |meeting| meeting.count());
                (finding, Pairing::Paired(pairs), p)
            }
            Measure::MsPerMove => {
                let clocks = [first.clock, second.clock];
                let is_one_run = first.run == second.run;
                let (finding, p) = time::compare(clocks, played, is_one_run, question);
                (finding, Pairing::Independent(first.games, second.games), p)
            }
        };
        let left_out = match (question.by, pairing) {
            // Most games of a duel are against others.
            (Measure::Points, _) | (_, Pairing::Independent(..)) => 0,
            (_, Pairing::Paired(games)) => first.games + second.games - 2 * games,
        };
        let corrected = |p| growth_p(p, earlier);
        let note = || time::note([first.name, second.name], played, [first.clock, second.clock]);
        Comparison {
            player: first.name.to_owned(),
            than: second.name.to_owned(),
            question: asked,
            pairing,
            left_out,
            p: p.map(corrected),
            adjusted: None,
            opposite: p.filter(|_| question.margin.is_some()).map(|p| corrected(1.0 - p)),
            decided: None,
            note: question.by.is_time().then(note).flatten(),
            finding: finding.at_level(asked.level, corrected),
        }
    }

    /// The result, by the adjusted p, on the side on which the estimate lies.
    pub fn shown(&self) -> Shown {
        if let Some(decided) = &self.decided {
            return decided.shown;
        }
        let side = self.side();
        let is_enough = self.p_of(side).is_some_and(|p| is_enough(p, self.question.level));
        if is_enough { side } else { Shown::Nothing }
    }

    /// True if the first is worse, to a question that asks for nothing else. The bounds of a test that decided something else
    /// answer that at the risk of one of its two errors.
    pub fn is_worse(&self) -> bool {
        let besides = self.decided.as_ref().map(|decided| decided.besides);
        self.shown() == Shown::Opposite || besides == Some(Shown::Opposite)
    }

    /// The result if p is small enough: the side of the margin on which the estimate lies.
    fn side(&self) -> Shown {
        let margin = self.question.margin.unwrap_or(0.0);
        match self.finding.effect.and_then(|effect| effect.side(margin)) {
            Some(Ordering::Greater) => Shown::Yes,
            Some(Ordering::Less) => Shown::Opposite,
            _ => Shown::Nothing,
        }
    }

    /// The p that decides whether this is shown, corrected for the number of comparisons.
    pub(super) fn p_of(&self, shown: Shown) -> Option<f64> {
        let of_opposite = self.opposite.filter(|_| shown == Shown::Opposite);
        of_opposite.or(self.adjusted).or(self.p)
    }

    /// The answer in words, of a family of this many comparisons.
    pub fn answer(&self, family: usize, relevant: Relevant) -> String {
        if let Some(decided) = &self.decided {
            return decided.words.clone();
        }
        self.caveats().iter().fold(self.in_words(family, relevant), |words, caveat| words + "; " + caveat)
    }

    /// That it is corrected for earlier answers, in words that can go on; none without any.
    pub fn corrected(&self) -> Option<String> {
        corrected_for(self.question.corrected_for())
    }

    /// Reservations about the games.
    pub fn caveats(&self) -> Vec<String> {
        let mut caveats = Vec::new();
        if matches!(self.finding.detail, Detail::Score { is_shifted: true, .. }) {
            caveats.push("one point was added to every score, for some are 0".to_owned());
        }
        if self.left_out > 0 {
            caveats.push(format!("{} on seeds of their own are left out", games(self.left_out)));
        }
        caveats.extend(self.corrected());
        caveats.extend(self.note.clone());
        caveats
    }

    fn in_words(&self, family: usize, relevant: Relevant) -> String {
        let Comparison { player, than, question, .. } = self;
        let shown = self.shown();
        // The better player is the subject, except where the question is whether the first is as good.
        let is_turned = shown == Shown::Opposite && question.margin.is_none();
        let Some(said) = self.said(is_turned) else {
            return format!("too little is known to compare {player} and {than} by {}", question.by);
        };
        let detail = self.detail(&said, self.p_of(shown), family);
        let Said { verb, amount, tolerance, .. } = said;
        match (shown, tolerance) {
            (Shown::Yes, None) => format!("{player} {verb} {than}: it {amount} {detail}"),
            (Shown::Opposite, None) => format!("{than} {verb} {player}: it {amount} {detail}"),
            (Shown::Nothing, None) if self.is_same() => format!(
                "no difference shown between {player} and {than}: by {}, they did the same on every seed {detail}",
                question.by
            ),
            (Shown::Nothing, None) => {
                let more = self.more_games(family, relevant);
                let more = more.map_or_else(String::new, |more| format!("; {more}"));
                format!("no difference shown between {player} and {than}: {player} {amount} {detail}{more}")
            }
            (Shown::Yes, Some(tolerance)) => {
                format!(
                    "{player} is at least as good as {than}, give or take {tolerance}: it {amount} {detail}"
                )
            }
            (Shown::Opposite, Some(tolerance)) => {
                format!("{player} is worse than {than}, by more than {tolerance}: it {amount} {detail}")
            }
            (Shown::Nothing, Some(tolerance)) => format!(
                "not shown that {player} is at least as good as {than}, give or take {tolerance}: it {amount} {detail}"
            ),
        }
    }

    /// The words of the measure for the difference; turned, for the second player.
    fn said(&self, is_turned: bool) -> Option<Said> {
        let Comparison { question, pairing, finding, .. } = *self;
        let estimate = finding.seen(is_turned)?.estimate();
        Some(match finding.detail {
            Detail::Rate { .. } => rate::said(question, pairing, estimate),
            Detail::Score { differing, .. } => score::said(question, pairing, differing, estimate),
            Detail::Points { share, openings, .. } => {
                let share = share.map(|share| if is_turned { share.turned(|it| 1.0 - it) } else { share });
                points::said(question, pairing.fewer(), openings, share?)
            }
            Detail::Time { is_across_runs, timed } => time::said(question, is_across_runs, timed, estimate),
        })
    }

    /// Interval, p and games, in words.
    fn detail(&self, said: &Said, p: Option<f64>, family: usize) -> String {
        let Said { within, test, games, .. } = said;
        let p = p.map(probability).map_or_else(String::new, |p| match family {
            1 => format!(", {test} {p}"),
            _ => {
                let alone = if self.question.corrected_for() > 0 {
                    "of this comparison alone"
                } else {
                    "uncorrected"
                };
                format!(" {alone}, {test} {p} corrected for {family} comparisons")
            }
        });
        format!("({} interval {within}{p}{games})", level(self.question.level))
    }

    /// True if both did the same wherever both played.
    pub(super) fn is_same(&self) -> bool {
        self.finding.is_same(self.pairing)
    }

    /// The number of further games that would show a relevant difference, or the difference that these would have shown.
    fn more_games(&self, family: usize, relevant: Relevant) -> Option<String> {
        // A run that ended itself is not to be gone on with.
        if self.question.sequential {
            return None;
        }
        // Of several comparisons each must be the surer, and so must the answer after more games; but the formulas have no answer
        // for certainty.
        let earlier = self.question.corrected_for();
        let levels = [earlier, earlier + 1].map(|earlier| {
            let level = growth_level(self.question.level, earlier);
            (1.0 - (1.0 - level) / family as f64).min(1.0 - 1e-15)
        });
        let Finding { values, detail, .. } = self.finding;
        match detail {
            Detail::Rate { pairs } => rate::more_games(pairs, values[1], self.pairing, levels, relevant),
            Detail::Score { spread, .. } => score::more_games(spread, self.pairing, levels, relevant),
            Detail::Points { .. } | Detail::Time { .. } => None,
        }
    }
}

fn is_enough(p: f64, level: f64) -> bool {
    p <= 1.0 - level
}

/// Corrects the p of comparisons for the number of those that have one, and returns that number. `others` are the p of
/// further comparisons of the same family.
pub fn correct(comparisons: &mut [Comparison], others: &[f64]) -> usize {
    let own = comparisons.iter().filter_map(|comparison| comparison.p);
    let p: Vec<f64> = own.chain(others.iter().copied()).collect();
    let tested = comparisons.iter_mut().filter(|comparison| comparison.p.is_some());
    for (comparison, adjusted) in tested.zip(holm(&p)) {
        comparison.adjusted = Some(adjusted);
        comparison.opposite = comparison.opposite.map(|opposite| (p.len() as f64 * opposite).min(1.0));
    }
    p.len()
}

/// A comparison of which nothing but its test is kept: there may be millions, of all pairs of some thousand players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// The p of the test.
    pub p: Option<f64>,
    /// The result if p is small enough; without p, the result.
    side: Shown,
}

impl From<&Comparison> for Tested {
    fn from(comparison: &Comparison) -> Tested {
        let side = if comparison.p.is_some() { comparison.side() } else { comparison.shown() };
        Tested { p: comparison.p, side }
    }
}

impl Tested {
    /// Compares two players by scores, or by rates without a margin, as [`Comparison::of`] does in
    /// a run that could not end early. Otherwise none.
    pub fn of(first: &Sample, second: &Sample, question: Question) -> Option<Tested> {
        let Question { by, margin, earlier, .. } = question;
        let tested = match (by, margin) {
            (Measure::Win | Measure::Reach(_), None) => rate::test(first, second, by),
            (Measure::Score, _) => score::test(first, second, margin),
            _ => return None,
        };
        let side = match tested {
            Some((Ordering::Greater, _)) => Shown::Yes,
            Some((Ordering::Less, _)) => Shown::Opposite,
            _ => Shown::Nothing,
        };
        Some(Tested { p: tested.map(|(_, p)| growth_p(p, earlier)), side })
    }

    /// The p that what was asked of the first player is shown, before any correction: 1 if the
    /// estimate says otherwise, or too little is known.
    pub fn p_of_yes(&self) -> f64 {
        self.p.filter(|_| self.side == Shown::Yes).unwrap_or(1.0)
    }
}

/// The results of these tests at this level, corrected for the number of those that have a p.
pub fn shown(tests: impl Iterator<Item = Tested>, level: f64) -> Vec<Shown> {
    let mut p = Vec::new();
    let untested: Vec<(Shown, bool)> = tests
        .map(|tested| {
            p.extend(tested.p);
            (tested.side, tested.p.is_some())
        })
        .collect();
    let mut adjusted = holm(&p).into_iter();
    let tested = untested.into_iter().map(|(side, has_p)| {
        let is_shown = !has_p || adjusted.next().is_some_and(|p| is_enough(p, level));
        if is_shown { side } else { Shown::Nothing }
    });
    tested.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Arena;
    use crate::compare::finding::Effect;
    use crate::compare::sample::Seeds;
    use crate::compare::sample::tests::{derived, sample};
    use crate::config::Blocks;
    use crate::game::Outcome;
    use crate::record::{Ending, GameRecord, Timed};
    use crate::stats::{Estimate, Pairs};
    use gauntlet_games::GAMES;

    fn within(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, level: 0.95 }
    }

    fn comparison(by: Measure, finding: Finding, p: f64, margin: Option<f64>) -> Comparison {
        Comparison {
            player: "A".to_owned(),
            than: "B".to_owned(),
            question: Question { by, level: 0.95, margin, sequential: false, earlier: 0 },
            pairing: Pairing::Paired(1000),
            left_out: 0,
            p: Some(p),
            adjusted: None,
            opposite: margin.map(|_| 1.0 - p),
            decided: None,
            note: None,
            finding,
        }
    }

    fn rates(difference: Estimate) -> Finding {
        let pairs = Some(Pairs { both: 400, only_first: 150, only_second: 100, neither: 350 });
        let effect = Some(Effect::Difference(difference));
        Finding { values: [Some(0.5), Some(0.4)], effect, detail: Detail::Rate { pairs } }
    }

    fn scores(estimate: Estimate) -> Finding {
        let detail =
            Detail::Score { spread: Some(0.6), is_shifted: false, differing: Some(900), ranks: None };
        Finding { values: [Some(500.0), Some(400.0)], effect: Some(Effect::Ratio(estimate)), detail }
    }

    fn times(ratio: Option<Estimate>) -> Finding {
        let detail = Detail::Time { is_across_runs: false, timed: Timed::Thoughts };
        Finding { values: [Some(0.5), Some(0.4)], effect: ratio.map(Effect::Times), detail }
    }

    #[track_caller]
    fn check(comparison: &Comparison, family: usize, expected: &str) {
        assert_eq!(comparison.answer(family, Relevant::default()), expected);
    }

    #[test]
    fn rates_in_words() {
        let more = rates(within(0.029, 0.041, 0.053));
        let reach = Arena::find(&GAMES, "2048").and_then(|arena| arena.measures().find("reach 2048"));
        let reach = reach.expect("a measure of 2048");
        check(
            &comparison(reach, more, 2e-9, None),
            1,
            "A beats B: it reaches 2048 in 4.1 points more of the games (95 % interval 2.9 to 5.3, McNemar p = 2e-9, \
             1,000 paired seeds)",
        );
        check(
            &comparison(Measure::Win, rates(within(-0.053, -0.041, -0.029)), 0.0123, None),
            6,
            "B beats A: it wins 4.1 points more of the games (95 % interval 2.9 to 5.3 uncorrected, McNemar p = 0.012 \
             corrected for 6 comparisons, 1,000 paired seeds)",
        );
        // Connor's formula with a quarter of the games discordant: 4,902 pairs for 2 points.
        check(
            &comparison(Measure::Win, rates(within(-0.012, -0.002, 0.008)), 0.7, None),
            1,
            "no difference shown between A and B: A wins 0.2 points fewer of the games (95 % interval -1.2 to 0.8, \
             McNemar p = 0.70, 1,000 paired seeds); 6,700 more games of each would show a difference of 2 points with a \
             power of 80 %",
        );
        check(
            &comparison(Measure::Win, rates(within(-0.004, 0.001, 0.006)), 0.01, Some(0.0125)),
            1,
            "A is at least as good as B, give or take 1.25 points: it wins 0.1 points more of the games (95 % interval \
             -0.4 to 0.6, one-sided p = 0.01, 1,000 paired seeds)",
        );
        check(
            &comparison(Measure::Win, rates(within(-0.094, -0.09, -0.086)), 0.999, Some(0.01)),
            1,
            "A is worse than B, by more than 1 point: it wins 9.0 points fewer of the games (95 % interval -9.4 to -8.6, \
             one-sided p = 0.001, 1,000 paired seeds)",
        );
    }

    #[test]
    fn no_difference_is_not_one_of_nothing_point_nothing() {
        let mut even = comparison(Measure::Win, rates(within(-0.088, 0.0004, 0.019)), 0.9, None);
        even.question.sequential = true;
        check(
            &even,
            1,
            "no difference shown between A and B: A wins about as many of the games (95 % interval -8.8 to 1.9 points, \
             anytime p = 0.90, 1,000 paired seeds)",
        );
        even.finding = scores(within(0.9, 1.0001, 1.1));
        check(
            &even,
            1,
            "no difference shown between A and B: A has scores typically about as high (95 % interval -10.0 to 10.0 %, \
             t-test p = 0.90, 1,000 paired seeds)",
        );
        even.finding = times(Some(within(0.9, 0.9999, 1.1)));
        check(
            &even,
            1,
            "no difference shown between A and B: A takes about the same CPU time for a move (95 % interval -10.0 to \
             10.0 %, p = 0.90)",
        );
    }

    /// 200 of 1,000 seeds differ, half of them each way: a standard error of 1.4 points, so 2.5 of them are 1.77 errors, of
    /// which a normal tail holds 3.9 %.
    #[test]
    fn with_a_margin_p_is_one_tail() {
        let record = |won| GameRecord {
            outcome: Outcome::Points { score: 1, won },
            facts: Default::default(),
            moves: 1,
            ending: Ending::GameOver,
        };
        let sample = |won: fn(u32) -> bool| {
            let blocks = Seeds::of(Blocks::Derived { seed: 1, games: 1000 });
            let mut sample = Sample::of(blocks, &[Measure::Win]);
            sample.add(0, &(0..1000).map(|game| record(won(game))).collect::<Vec<_>>());
            sample
        };
        let [one, other] = [sample(|game| game < 500), sample(|game| (100..600).contains(&game))];
        let side = |name, sample| Side { name, games: 1000, sample, clock: None, run: 0 };
        let compared = |first, second, margin| {
            let question = Question {
                by: Measure::Win,
                level: 0.95,
                margin: Some(margin),
                sequential: false,
                earlier: 0,
            };
            Comparison::of(&side("A", first), &side("B", second), || None, question)
        };
        let mut all = vec![compared(&one, &other, 0.025)];
        let p = all[0].p.expect("there are games");
        assert!((p - 0.039).abs() < 0.002, "{p}");
        assert_eq!(all[0].shown(), Shown::Yes);

        // Worse by more than the margin is the other tail, and is corrected as well.
        let worse = sample(|game| (100..556).contains(&game));
        all = vec![compared(&worse, &one, 0.02)];
        let tail = all[0].opposite.expect("there is a margin");
        assert!(all[0].p.is_some_and(|p| p > 0.9) && (0.025..0.05).contains(&tail), "{tail}");
        assert_eq!(all[0].shown(), Shown::Opposite);
        all.push(compared(&one, &other, 0.5));
        assert_eq!(correct(&mut all, &[]), 2);
        assert_eq!((all[0].shown(), all[1].shown()), (Shown::Nothing, Shown::Yes));
    }

    #[test]
    fn what_many_show_is_what_each_shows() {
        let mut all: Vec<Comparison> = [0.001, 0.02, 0.024, 0.9, 0.012]
            .map(|p| comparison(Measure::Win, rates(within(-0.05, -0.04, -0.03)), p, None))
            .into();
        all[1].finding = rates(within(0.03, 0.04, 0.05));
        all[2].p = None;
        all[2].decided = Some(Decided { shown: Shown::Yes, besides: Shown::Nothing, words: String::new() });
        all.push(Comparison { p: None, ..all[3].clone() });
        let shown = shown(all.iter().map(Tested::from), 0.95);
        assert_eq!(correct(&mut all, &[]), 4);
        assert_eq!(shown, all.iter().map(Comparison::shown).collect::<Vec<_>>());
        use Shown::{Nothing, Opposite, Yes};
        assert_eq!(shown, [Opposite, Yes, Yes, Nothing, Opposite, Nothing]);
        // With a fifth p the second is not small enough any more: 0.012 by 4, then 0.02 by 3.
        all.iter_mut().for_each(|one| one.adjusted = None);
        assert_eq!(correct(&mut all, &[0.5]), 5);
        assert_eq!(all[1].shown(), Nothing);
    }

    /// Pairs on all seeds, on some of them, and on none; with gaps, scores of 0, of any size, and with equal players.
    #[test]
    fn a_test_alone_is_that_of_the_comparison() {
        let on = |from: u64, scores: [u64; 11]| sample(&(from..).zip(scores.map(Some)).collect::<Vec<_>>());
        let scores = [40, 9, 8, 77, 20, 10, 11, 12, 3, 5, 900];
        let mut broken: Vec<_> = (0..).zip(scores.map(|score| Some(score + 1))).collect();
        broken[3].1 = None;
        let long: Vec<u64> = (0..200).map(|game| (game * 37) % 23).collect();
        let samples = [
            on(0, scores),
            on(0, scores.map(|score| score / 2)),
            on(0, scores.map(|score| score % 9)),
            on(1, scores),
            on(50, scores.map(|score| 3 * score)),
            sample(&broken),
            sample(&[(0, Some(1))]),
            sample(&[]),
            derived(7, &long),
            derived(7, &long.iter().rev().map(|score| score + 2).take(130).collect::<Vec<_>>()),
            derived(8, &long[..64]),
        ];
        let side = |games| Side { name: "A", games, sample: &samples[0], clock: None, run: 0 };
        for [one, other] in samples.iter().flat_map(|one| samples.iter().map(move |other| [one, other])) {
            for (by, margin) in [(Measure::Win, None), (Measure::Score, None), (Measure::Score, Some(0.05))] {
                for earlier in [0, 2] {
                    let [first, second] = [one, other].map(|sample| Side { sample, ..side(sample.games()) });
                    let question = Question { by, level: 0.95, margin, sequential: false, earlier };
                    let whole = Tested::from(&Comparison::of(&first, &second, || None, question));
                    assert_eq!(Tested::of(one, other, question), Some(whole), "{question:?}");
                }
            }
        }
    }

    /// After earlier answers p is larger and bounds are wider, so that both say the same; what
    /// holds at every look stays as it is.
    #[test]
    fn an_answer_is_corrected_for_earlier_ones() {
        let scores: Vec<u64> = (0..200).map(|game| (game * 37) % 23).collect();
        let more = |plus: u64| scores.iter().map(|score| score + plus).collect::<Vec<_>>();
        let samples =
            [derived(7, &more(3)), derived(7, &more(1)[..].iter().rev().copied().collect::<Vec<_>>())];
        let [first, second] = [0, 1].map(|of: usize| Side {
            name: ["A", "B"][of],
            games: 200,
            sample: &samples[of],
            clock: None,
            run: 0,
        });
        let asked = |by, margin, sequential, earlier, level| {
            let question = Question { by, level, margin, sequential, earlier };
            Comparison::of(&first, &second, || None, question)
        };
        for by in [Measure::Win, Measure::Score] {
            for margin in [None, Some(0.01)] {
                let once = asked(by, margin, false, 0, 0.95);
                let grown = asked(by, margin, false, 2, 0.95);
                let (one, p) = (once.p.expect("a p"), grown.p.expect("a p"));
                assert!((p - (12.0 * one).min(1.0)).abs() < 1e-12, "{by}: {one}, {p}");
                let opposite = |of: &Comparison| of.opposite.unwrap_or(1.0);
                assert!((opposite(&grown) - (12.0 * opposite(&once)).min(1.0)).abs() < 1e-12, "{by}");
                let estimate = |of: &Comparison| of.finding.effect.expect("games").estimate();
                let strict = asked(by, margin, false, 0, 1.0 - 0.05 / 12.0);
                let (it, strict) = (estimate(&grown), estimate(&strict));
                assert_eq!((it.low, it.high, it.level), (strict.low, strict.high, 0.95), "{by}");
                let [once, grown] = [once, grown].map(|of| of.answer(2, Relevant::default()));
                assert!(grown.ends_with("; corrected for 2 earlier answers"), "{grown}");
                assert!(
                    grown.contains(" of this comparison alone, ") && !grown.contains("uncorrected"),
                    "{grown}"
                );
                assert!(once.contains(" uncorrected, ") && !once.contains("earlier answer"), "{once}");
            }
        }
        assert_eq!(asked(Measure::Win, None, true, 2, 0.95).p, asked(Measure::Win, None, true, 0, 0.95).p);
        assert_ne!(
            asked(Measure::Score, None, true, 2, 0.95).p,
            asked(Measure::Score, None, true, 0, 0.95).p
        );
    }

    #[test]
    fn scores_and_times_in_words() {
        check(
            &comparison(Measure::Score, scores(within(1.1, 1.12, 1.14)), 1e-20, None),
            1,
            "A beats B: it has scores typically 12.0 % higher (95 % interval 10.0 to 14.0 %, t-test p < 1e-11, 1,000 \
             paired seeds)",
        );
        // Most of the seeds say nothing.
        let mut few = comparison(Measure::Score, scores(within(1.1, 1.12, 1.14)), 1e-20, None);
        few.finding.detail =
            Detail::Score { spread: Some(0.6), is_shifted: false, differing: Some(72), ranks: None };
        check(
            &few,
            1,
            "A beats B: it has scores typically 12.0 % higher (95 % interval 10.0 to 14.0 %, t-test p < 1e-11, 1,000 \
             paired seeds, of which 72 differ)",
        );
        check(
            &comparison(Measure::Score, scores(within(0.3, 0.4, 0.5)), 0.01, None),
            1,
            "B beats A: it has scores typically 2.50 times as high (95 % interval 2.00 to 3.33, t-test p = 0.01, 1,000 \
             paired seeds)",
        );
        // Less time is better.
        let mut time = comparison(Measure::MsPerMove, times(Some(within(0.6, 0.65, 0.7))), 0.001, None);
        time.pairing = Pairing::Independent(1000, 500);
        check(
            &time,
            1,
            "A is faster than B: it takes 35.0 % less CPU time for a move (95 % interval 30.0 to 40.0 %, p = 0.001)",
        );
        time.finding = times(None);
        check(&time, 1, "too little is known to compare A and B by ms-per-move");
    }

    #[test]
    fn what_must_be_known_is_said() {
        let mut scores = comparison(Measure::Score, scores(within(1e-9, 1.0, 1e9)), 1.0, None);
        scores.finding.detail =
            Detail::Score { spread: Some(0.6), is_shifted: true, differing: Some(1), ranks: None };
        scores.left_out = 7;
        scores.pairing = Pairing::Paired(1);
        scores.question.level = 0.999_999;
        check(
            &scores,
            1,
            "no difference shown between A and B: A has scores typically about as high (99.9999 % interval of any size, \
             t-test p = 1, 1 paired seed); 5,600 more games of each would show a difference of 5 % with a power of 80 %; \
             one point was added to every score, for some are 0; 7 games on seeds of their own are left out",
        );
    }
}
