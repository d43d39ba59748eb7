//! A preference among the four directions, as several players have it.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::games::twenty48::Direction;

/// All four directions, each once, the preferred one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Order([Direction; 4]);

impl Order {
    /// The directions, the preferred one first.
    pub fn directions(self) -> [Direction; 4] {
        self.0
    }
}

impl Default for Order {
    fn default() -> Order {
        Order(Direction::ALL)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0.map(Direction::name).join(", "))
    }
}

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Order, D::Error> {
        let list = Vec::<Direction>::deserialize(deserializer)?;
        let order = <[Direction; 4]>::try_from(list)
            .ok()
            .filter(|order| Direction::ALL.iter().all(|direction| order.contains(direction)));
        order.map(Order).ok_or_else(|| D::Error::custom("must name all four directions, each once"))
    }
}
