//! Preference among the four directions, used by several players.

use std::fmt;

use gauntlet_twenty48::rules::{Direction, Directions};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// All four directions, each once, the preferred one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DirectionOrder([Direction; 4]);

impl DirectionOrder {
    /// Creates an order of all four directions.
    pub(super) const fn new(order: [Direction; 4]) -> DirectionOrder {
        DirectionOrder(order)
    }

    /// Returns the directions, the preferred one first.
    pub fn directions(self) -> [Direction; 4] {
        self.0
    }

    /// Returns the reversed order.
    #[must_use]
    pub fn reverse(self) -> DirectionOrder {
        let [a, b, c, d] = self.0;
        DirectionOrder([d, c, b, a])
    }
}

/// Preferred direction for each set of directions, found without a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preference {
    /// Two bits for each set. The empty set has an arbitrary direction.
    codes: u32,
}

impl Preference {
    /// Creates the preference of this order.
    pub(super) fn new(order: DirectionOrder) -> Preference {
        let codes = (0..Directions::COUNT).map(|number| {
            let set = Directions::from_number(number);
            let first = order.0.into_iter().find(|&direction| set.contains(direction));
            (first.unwrap_or(Direction::Up) as u32) << (2 * number)
        });
        Preference { codes: codes.sum() }
    }

    /// Returns the preferred direction of a set that is not empty.
    #[inline(always)]
    pub(super) fn choose(self, set: Directions) -> Direction {
        Direction::from_bits(u64::from(self.codes >> (2 * set.number())))
    }
}

impl Default for DirectionOrder {
    fn default() -> DirectionOrder {
        DirectionOrder(Direction::ALL)
    }
}

impl fmt::Display for DirectionOrder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0.map(Direction::name).join(", "))
    }
}

impl<'de> Deserialize<'de> for DirectionOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DirectionOrder, D::Error> {
        let list = Vec::<Direction>::deserialize(deserializer)?;
        let order = <[Direction; 4]>::try_from(list)
            .ok()
            .filter(|order| Direction::ALL.iter().all(|direction| order.contains(direction)));
        order.map(DirectionOrder).ok_or_else(|| D::Error::custom("must name all four directions, each once"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_preferred_is_the_first_in_the_order() {
        let mut orders = 0;
        for number in 0..256 {
            let order = [0, 2, 4, 6].map(|shift| Direction::from_bits(number >> shift));
            if order.into_iter().collect::<Directions>() != Directions::ALL {
                continue;
            }
            let preference = Preference::new(DirectionOrder(order));
            for set in (1..Directions::COUNT).map(Directions::from_number) {
                let first = order.into_iter().find(|&direction| set.contains(direction));
                assert_eq!(Some(preference.choose(set)), first, "{order:?}, {set:?}");
            }
            orders += 1;
        }
        assert_eq!(orders, 24);
    }
}
