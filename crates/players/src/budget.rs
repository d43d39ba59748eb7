//! The limit of a search, once for all searches. Each kind of limit is a setting of its own, and
//! exactly one of them is set.

use std::time::Duration;

use gauntlet_core::num::Whole;

/// The limit of the search for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Plies.
    Depth(u32),
    /// Positions.
    Nodes(u64),
    /// Time. What is found in it depends on the machine.
    Time(Duration),
}

/// A setting by its name, and the limit that it sets if it is written.
pub type Setting = (&'static str, Option<Budget>);

impl Budget {
    /// The setting `depth`.
    pub fn depth<const LEAST: u32, const MOST: u32>(plies: Option<Whole<LEAST, MOST>>) -> Setting {
        ("depth", plies.map(|plies| Budget::Depth(plies.get())))
    }

    /// The setting `nodes`.
    pub fn nodes<const LEAST: u32, const MOST: u32>(positions: Option<Whole<LEAST, MOST>>) -> Setting {
        ("nodes", positions.map(|positions| Budget::Nodes(positions.get().into())))
    }

    /// The setting `millis`.
    pub fn millis<const LEAST: u32, const MOST: u32>(millis: Option<Whole<LEAST, MOST>>) -> Setting {
        ("millis", millis.map(|millis| Budget::Time(Duration::from_millis(millis.get().into()))))
    }

    /// The one that is set. Otherwise the setting to blame, and what is wrong.
    pub fn only<const N: usize>(settings: [Setting; N]) -> Result<Budget, (&'static str, String)> {
        let mut set = settings.iter().filter_map(|&(name, budget)| Some((name, budget?)));
        match (set.next(), set.next()) {
            (Some((_, budget)), None) => Ok(budget),
            (Some((first, _)), Some((second, _))) => {
                Err((second, format!("either `{first}` or `{second}`, not both")))
            }
            (None, _) => {
                let names = settings.map(|(name, _)| format!("`{name}`"));
                let (last, others) = names.split_last().expect("a search has a limit");
                let message = match others {
                    [other] => format!("either {other} or {last} is missing"),
                    _ => format!("one of {} and {last} is missing", others.join(", ")),
                };
                Err((settings[0].0, message))
            }
        }
    }

    /// True if a search is at its end that has looked this deep, at this many positions, for this
    /// time.
    pub fn is_spent(self, depth: u32, nodes: u64, elapsed: impl FnOnce() -> Duration) -> bool {
        match self {
            Budget::Depth(most) => depth >= most,
            Budget::Nodes(most) => nodes >= most,
            Budget::Time(most) => elapsed() >= most,
        }
    }
}
