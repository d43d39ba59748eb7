//! Search limits, shared by all searches. Each kind of limit is a separate setting, and exactly one
//! of them must be set.

use std::time::{Duration, Instant};

use gauntlet_core::num::{CountLimit, DepthLimit, Millis};

/// Limit of the search for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Depth in plies.
    Depth(u32),
    /// Number of positions, or of random games.
    Nodes(u64),
    /// Time. The result depends on the machine.
    Time(Duration),
}

/// Name of a setting, and the limit that it sets, if it is written.
pub type BudgetSetting = (&'static str, Option<Budget>);

impl Budget {
    /// Reads the setting `depth`.
    pub fn depth<const MIN: u32, const MAX: u32>(plies: Option<DepthLimit<MIN, MAX>>) -> BudgetSetting {
        ("depth", plies.map(|plies| Budget::Depth(plies.get())))
    }

    /// Reads the setting `nodes`.
    pub fn nodes<const MIN: u32, const MAX: u32>(positions: Option<CountLimit<MIN, MAX>>) -> BudgetSetting {
        ("nodes", positions.map(|positions| Budget::Nodes(positions.get().into())))
    }

    /// Reads the setting `millis`.
    pub fn millis(millis: Option<Millis>) -> BudgetSetting {
        ("millis", millis.map(|millis| Budget::Time(millis.get())))
    }

    /// Returns the only limit that is set, or `default` if none is.
    pub fn from_settings_or<const N: usize>(
        default: Budget,
        settings: [BudgetSetting; N],
    ) -> Result<Budget, (&'static str, String)> {
        if settings.iter().all(|(_, budget)| budget.is_none()) {
            return Ok(default);
        }
        Budget::from_settings(settings)
    }

    /// Returns the only limit that is set; otherwise the setting to blame, and what is wrong.
    pub fn from_settings<const N: usize>(
        settings: [BudgetSetting; N],
    ) -> Result<Budget, (&'static str, String)> {
        let mut budgets = settings.iter().filter_map(|&(name, budget)| Some((name, budget?)));
        match (budgets.next(), budgets.next()) {
            (Some((_, budget)), None) => Ok(budget),
            (Some((first, _)), Some((second, _))) => {
                Err((second, format!("conflicts with `{first}`: set only one of them")))
            }
            (None, _) => {
                let names = settings.map(|(name, _)| format!("`{name}`"));
                let (last, others) = names.split_last().expect("a search has a limit");
                let message = match others {
                    [other] => format!("{other} or {last} is required"),
                    _ => format!("{} or {last} is required", others.join(", ")),
                };
                Err((settings[0].0, message))
            }
        }
    }

    /// Starts the time of a search.
    pub fn start(self) -> RunningBudget {
        RunningBudget { budget: self, start: Instant::now() }
    }

    fn next_round(self, done: u64, elapsed: impl FnOnce() -> Duration) -> u64 {
        match self {
            Budget::Depth(limit) => u64::from(limit).saturating_sub(done),
            Budget::Nodes(limit) => limit.saturating_sub(done),
            Budget::Time(_) if done == 0 => 1,
            Budget::Time(limit) => {
                let elapsed = elapsed();
                let time_left = limit.saturating_sub(elapsed).as_nanos() as u64;
                let time_per_unit = (elapsed.as_nanos() as u64 / done).max(1);
                done.min(time_left / time_per_unit)
            }
        }
    }
}

/// Limit of a search that has begun.
#[derive(Clone, Copy, Debug)]
pub struct RunningBudget {
    budget: Budget,
    start: Instant,
}

impl RunningBudget {
    /// Returns true if a search of this depth and number of positions has reached its limit.
    pub fn is_exhausted(&self, depth: u32, nodes: u64) -> bool {
        match self.budget {
            Budget::Depth(limit) => depth >= limit,
            Budget::Nodes(limit) => nodes >= limit,
            Budget::Time(limit) => self.start.elapsed() >= limit,
        }
    }

    /// Returns the size of the next round of a search that compares moves only after whole rounds,
    /// such as random games per move; `done` is the sum of the rounds before. With a time limit,
    /// the first round has size 1, and each other one doubles the sum, unless only less is expected
    /// to fit into the time. Returns 0 if no round is left.
    pub fn next_round(&self, done: u64) -> u64 {
        self.budget.next_round(done, || self.start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays all rounds on a clock that each unit advances by 10 ms.
    fn rounds(budget: Budget) -> Vec<u64> {
        let mut rounds = Vec::new();
        loop {
            let done: u64 = rounds.iter().sum();
            match budget.next_round(done, || Duration::from_millis(10 * done)) {
                0 => return rounds,
                round => rounds.push(round),
            }
        }
    }

    #[test]
    fn rounds_fill_the_limit() {
        assert_eq!(rounds(Budget::Nodes(100)), [100]);
        assert_eq!(rounds(Budget::Depth(3)), [3]);
        assert_eq!(rounds(Budget::Time(Duration::from_millis(205))), [1, 1, 2, 4, 8, 4]);
        // The first round is played even if it exceeds the limit.
        assert_eq!(rounds(Budget::Time(Duration::from_millis(5))), [1]);
    }
}
