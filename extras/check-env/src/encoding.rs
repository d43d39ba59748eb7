//! Encodings of boards as numbers, found from observations.

use std::fmt;

use gauntlet_twenty48::rules::Cells;
use gauntlet_twenty48::rules::cells::value_of;

use crate::environment::Observation;

/// Cells of a board.
const CELLS: usize = 16;

/// Largest rank that is decoded; no game reaches it.
const MAX_DECODED_RANK: usize = 20;

/// Meaning of the numbers of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Tiles: 0, 2, 4, 8, …
    Values,
    /// Exponents of tiles: 0, 1, 2, 3, …
    Ranks,
    /// A plane for each tile, with a 1 in the cells that contain it.
    Planes,
}

/// Encoding of boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    kind: CellKind,
    /// For planes: true if the last axis counts them, false if the first does.
    is_planes_last: bool,
    /// For planes: rank of the first plane, 0 for empty cells or 1 for 2s.
    first_rank: usize,
    planes: usize,
    shape: Vec<usize>,
}

impl Encoding {
    /// Finds the encoding in which the most observations are boards, and at least half of them.
    pub(crate) fn find(
        observations: &[Observation],
        required_kind: Option<CellKind>,
    ) -> Result<Encoding, String> {
        let Some(start) = observations.first() else { return Err("there is no observation".to_owned()) };
        let length = start.numbers.len();
        if length == 0 || length % CELLS != 0 {
            let shape = shape_text(&start.shape);
            return Err(format!("an observation of shape {shape} is not a board of 16 cells"));
        }
        let candidates = Encoding::candidates(start);
        let candidates =
            candidates.into_iter().filter(|encoding| required_kind.is_none_or(|kind| kind == encoding.kind));
        let count_plausible = |encoding: &Encoding| {
            observations.iter().filter(|observation| encoding.is_plausible(observation)).count()
        };
        let mut best: Option<(usize, Encoding)> = None;
        for encoding in candidates {
            let count = count_plausible(&encoding);
            if best.as_ref().is_none_or(|(best_count, _)| count > *best_count) {
                best = Some((count, encoding));
            }
        }
        let best = best.filter(|(count, _)| 2 * count > observations.len());
        best.map(|(_, encoding)| encoding).ok_or_else(|| {
            let cells: Vec<String> = start.numbers.iter().take(CELLS).map(f64::to_string).collect();
            format!(
                "the numbers of an observation are neither values, ranks nor one-hot planes: {}",
                cells.join(" ")
            )
        })
    }

    fn candidates(start: &Observation) -> Vec<Encoding> {
        let shape = &start.shape;
        let new_encoding = |kind, is_planes_last, first_rank, planes| Encoding {
            kind,
            is_planes_last,
            first_rank,
            planes,
            shape: shape.clone(),
        };
        let planes = start.numbers.len() / CELLS;
        if planes == 1 {
            return vec![
                new_encoding(CellKind::Values, true, 0, 1),
                new_encoding(CellKind::Ranks, true, 0, 1),
            ];
        }
        let axes: Vec<usize> = shape.iter().copied().filter(|&size| size != 1).collect();
        let has_planes_last = axes.last() == Some(&planes);
        let plane_orders = if has_planes_last { [true, false] } else { [false, true] };
        let with_first_ranks = |is_planes_last| {
            [0, 1].map(|first_rank| new_encoding(CellKind::Planes, is_planes_last, first_rank, planes))
        };
        plane_orders.into_iter().flat_map(with_first_ranks).collect()
    }

    /// Returns true for a board with tiles, which as values contains no 1.
    fn is_plausible(&self, observation: &Observation) -> bool {
        self.decode(observation).is_ok_and(|cells| cells.count_empty() < 16)
    }

    /// Decodes a board, or returns why the observation is none.
    pub(crate) fn decode(&self, observation: &Observation) -> Result<Cells, String> {
        let numbers = &observation.numbers;
        if numbers.len() != CELLS * self.planes {
            return Err(format!("an observation of shape {}", shape_text(&observation.shape)));
        }
        let mut ranks = [0; CELLS];
        for (cell, rank) in ranks.iter_mut().enumerate() {
            let decoded_rank = match self.kind {
                CellKind::Values => rank_of_value(numbers[cell]),
                CellKind::Ranks => to_whole_number(numbers[cell]),
                CellKind::Planes => self.rank_of_planes(numbers, cell),
            };
            let decoded_rank = decoded_rank.filter(|&rank| rank <= MAX_DECODED_RANK);
            *rank = decoded_rank.ok_or_else(|| self.explain_refusal(numbers, cell))? as u8;
        }
        Ok(Cells::from_ranks(ranks))
    }

    fn explain_refusal(&self, numbers: &[f64], cell: usize) -> String {
        let position = format!("row {}, column {}", cell / 4, cell % 4);
        match self.kind {
            CellKind::Planes => {
                let set_count =
                    (0..self.planes).filter(|&plane| numbers[self.index(plane, cell)] != 0.0).count();
                format!("{set_count} planes are set for {position}")
            }
            CellKind::Values | CellKind::Ranks => format!("{position} contains {}", numbers[cell]),
        }
    }

    fn index(&self, plane: usize, cell: usize) -> usize {
        if self.is_planes_last { cell * self.planes + plane } else { plane * CELLS + cell }
    }

    fn rank_of_planes(&self, numbers: &[f64], cell: usize) -> Option<usize> {
        let mut set_planes = (0..self.planes).filter(|&plane| numbers[self.index(plane, cell)] != 0.0);
        match (set_planes.next(), set_planes.next()) {
            (Some(plane), None) => Some(plane + self.first_rank),
            (None, _) if self.first_rank == 1 => Some(0),
            _ => None,
        }
    }

    /// Encodes a board; `None` if it has a tile without a plane.
    pub(crate) fn encode(&self, cells: Cells) -> Option<Observation> {
        let mut numbers = vec![0.0; CELLS * self.planes];
        for (cell, rank) in cells.ranks().into_iter().enumerate() {
            match self.kind {
                CellKind::Values => numbers[cell] = value_of(rank).into(),
                CellKind::Ranks => numbers[cell] = rank.into(),
                CellKind::Planes if rank == 0 && self.first_rank == 1 => {}
                CellKind::Planes => {
                    let plane = usize::from(rank) - self.first_rank;
                    if plane >= self.planes {
                        return None;
                    }
                    numbers[self.index(plane, cell)] = 1.0;
                }
            }
        }
        Some(Observation { numbers, shape: self.shape.clone() })
    }
}

fn to_whole_number(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number < 1e9).then_some(number as usize)
}

fn rank_of_value(number: f64) -> Option<usize> {
    match to_whole_number(number)? {
        0 => Some(0),
        value if value > 1 && value.is_power_of_two() => Some(value.ilog2() as usize),
        _ => None,
    }
}

fn shape_text(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shape = shape_text(&self.shape);
        match (self.kind, self.first_rank) {
            (CellKind::Values, _) => write!(f, "values, shape {shape}"),
            (CellKind::Ranks, _) => write!(f, "ranks, shape {shape}"),
            (CellKind::Planes, 0) => write!(f, "one-hot planes, shape {shape}, the first for empty cells"),
            (CellKind::Planes, _) => write!(f, "one-hot planes, shape {shape}, the first for 2s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARDS: [&str; 3] = [
        "2 0 0 0  0 0 0 0  0 2 0 0  0 0 0 0",
        "2 4 0 0  0 8 0 0  0 2 0 0  0 0 0 0",
        "2 4 0 0  0 8 0 0  0 2 16 0  0 0 0 2",
    ];

    #[test]
    fn each_encoding_is_found() {
        let boards = BOARDS.map(|text| text.parse::<Cells>().expect("a board"));
        let shapes: [(CellKind, usize, Vec<usize>); 4] = [
            (CellKind::Values, 1, vec![4, 4]),
            (CellKind::Ranks, 1, vec![16]),
            (CellKind::Planes, 16, vec![4, 4, 16]),
            (CellKind::Planes, 31, vec![31, 4, 4]),
        ];
        for (kind, planes, shape) in shapes {
            for first_rank in 0..if planes > 1 { 2 } else { 1 } {
                let is_planes_last = shape.last() != Some(&4) || planes == 1;
                let encoding = Encoding { kind, is_planes_last, first_rank, planes, shape: shape.clone() };
                let observations = boards.map(|board| encoding.encode(board).expect("small tiles"));
                let result = Encoding::find(&observations, None).expect("an encoding");
                assert_eq!(result, encoding);
                for (board, observation) in boards.iter().zip(&observations) {
                    assert_eq!(result.decode(observation), Ok(*board), "{result}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_board_is_refused() {
        let observe = |numbers: Vec<f64>| Observation { shape: vec![numbers.len()], numbers };
        let find = |numbers| Encoding::find(&[observe(numbers)], None).expect_err("no board");
        assert!(find(vec![1.0; 15]).contains("shape 15"));
        assert!(find(vec![0.125; 16]).contains("0.125"));
        assert!(find(vec![0.0; 16]).contains("neither"));
        let encoding = Encoding::find(&[observe(vec![2.0; 16])], Some(CellKind::Ranks)).expect("ranks");
        assert_eq!(encoding.decode(&observe(vec![2.0; 16])).map(|cells| cells.max_tile()), Ok(4));
        let message = encoding.decode(&observe(vec![-1.0; 16])).expect_err("no rank");
        assert_eq!(message, "row 0, column 0 contains -1");
    }
}
