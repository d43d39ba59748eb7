//! Search limits, shared by all searches. Each kind of limit is a separate setting, and exactly one
//! of them must be set.

use std::time::Duration;

use gauntlet_core::num::BoundedInt;

/// Limit of the search for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Depth in plies.
    Depth(u32),
    /// Number of positions.
    Nodes(u64),
    /// Time. The result depends on the machine.
    Time(Duration),
}

/// Name of a setting, and the limit that it sets, if it is written.
pub type BudgetSetting = (&'static str, Option<Budget>);

impl Budget {
    /// Reads the setting `depth`.
    pub fn depth<const MIN: u32, const MAX: u32>(plies: Option<BoundedInt<MIN, MAX>>) -> BudgetSetting {
        ("depth", plies.map(|plies| Budget::Depth(plies.get())))
    }

    /// Reads the setting `nodes`.
    pub fn nodes<const MIN: u32, const MAX: u32>(positions: Option<BoundedInt<MIN, MAX>>) -> BudgetSetting {
        ("nodes", positions.map(|positions| Budget::Nodes(positions.get().into())))
    }

    /// Reads the setting `millis`.
    pub fn millis<const MIN: u32, const MAX: u32>(millis: Option<BoundedInt<MIN, MAX>>) -> BudgetSetting {
        ("millis", millis.map(|millis| Budget::Time(Duration::from_millis(millis.get().into()))))
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

    /// Returns true if a search of this depth, number of positions and time has reached its limit.
    pub fn is_exhausted(self, depth: u32, nodes: u64, elapsed: impl FnOnce() -> Duration) -> bool {
        match self {
            Budget::Depth(limit) => depth >= limit,
            Budget::Nodes(limit) => nodes >= limit,
            Budget::Time(limit) => elapsed() >= limit,
        }
    }
}
