//! Numbering of a table's boards: by the sum of their free tiles, then without gaps.
//!
//! A slide keeps the sum of the tiles and a new tile adds 2 or 4. So the values of one *layer*, the
//! boards of one sum, depend on the next two layers only. The free cells form two halves. Within a
//! layer, boards are ordered by the sum of the first half, then by its tiles, then by those of the
//! second half. So boards that differ in one half are close, and nothing needs to be searched.

/// Number of cells of a board.
pub(crate) const CELLS: usize = 16;

/// Code of a half with a tile that its cell cannot hold in this table.
const INVALID: u64 = u64::MAX;

/// Numbering of the boards of a table.
#[derive(Debug)]
pub(crate) struct BoardIndex {
    /// A nibble of 15 for each free cell.
    free_cells: u64,
    /// Codes of both halves for each content of each row: the first in the low 32 bits.
    rows: [Box<[u64]>; 4],
    halves: [Half; 2],
    /// Weight of each cell in the code of its half.
    weights: [u32; CELLS],
    is_first: [bool; CELLS],
    layers: Vec<Layer>,
}

/// Boards of one sum.
#[derive(Debug)]
struct Layer {
    /// Number of boards before those whose first half has this sum.
    boards_before: Vec<u32>,
    boards: usize,
}

/// Half of the free cells.
#[derive(Debug)]
struct Half {
    /// All contents, by sum and then by code.
    contents: Vec<Content>,
    /// Position in `contents` of the first of each sum; one more entry at the end.
    sum_starts: Vec<u32>,
    /// Position among the contents of equal sum, by code.
    positions: Vec<u32>,
    /// Sum, by code.
    sums: Vec<u16>,
}

/// Content of a half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// Tiles on the board.
    pub(crate) word: u64,
    /// Number of the content in mixed radix.
    pub(crate) code: u32,
    /// Sum of the tiles, in units of the tile 2.
    sum: u16,
}

/// Codes of the two halves of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Codes(pub(crate) [u32; 2]);

/// Returns the value of a tile of this rank in units of the tile 2.
pub(crate) const fn units(rank: usize) -> usize {
    (1 << rank) / 2
}

impl BoardIndex {
    /// Creates the numbering of boards whose free cells hold ranks below these `limits`. The sum is
    /// at most `max_sum`, in units of the tile 2. A limit of 0 marks a locked cell.
    pub(crate) fn new(limits: [u8; CELLS], max_sum: usize) -> BoardIndex {
        let cells: Vec<usize> = (0..CELLS).filter(|&cell| limits[cell] > 0).collect();
        let mut weights = [0; CELLS];
        let (first, second) = split(&cells, &limits);
        let halves = [&first, &second].map(|cells| Half::new(cells, &limits, &mut weights));
        let is_second = |cell: usize| second.contains(&cell);
        let rows = std::array::from_fn(|row| {
            (0..1_u32 << 16)
                .map(|line| {
                    let codes = (0..4).try_fold(0_u64, |codes, column| {
                        let (cell, rank) = (4 * row + column, line >> (4 * column) & 15);
                        let code = u64::from(weights[cell]) * u64::from(rank);
                        let is_valid = rank == 0 || rank < u32::from(limits[cell]);
                        is_valid.then_some(codes + (code << if is_second(cell) { 32 } else { 0 }))
                    });
                    codes.unwrap_or(INVALID)
                })
                .collect()
        });
        let free_cells = cells.iter().map(|cell| 15 << (4 * cell)).sum();
        let layers = (0..=max_sum).map(|sum| Layer::new(sum, &halves)).collect();
        let is_first = std::array::from_fn(|cell| first.contains(&cell));
        BoardIndex { free_cells, rows, halves, weights, is_first, layers }
    }

    /// Returns the number of layers.
    pub(crate) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Returns the number of boards in a layer.
    pub(crate) fn boards(&self, layer: usize) -> usize {
        self.layers[layer].boards
    }

    /// Returns the number of boards of all layers.
    pub(crate) fn count_boards(&self) -> u64 {
        self.layers.iter().map(|layer| layer.boards as u64).sum()
    }

    /// Returns a nibble of 15 for each free cell.
    pub(crate) fn free_cells(&self) -> u64 {
        self.free_cells
    }

    /// Returns the free cells of a board that hold no tile.
    #[inline(always)]
    pub(crate) fn empty_cells(&self, word: u64) -> impl Iterator<Item = usize> {
        let filled_bits = word | word >> 1 | word >> 2 | word >> 3;
        let mut rest = self.free_cells & !filled_bits & 0x1111_1111_1111_1111;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(bit / 4)
        })
    }

    /// Returns the codes of a board's free tiles, or `None` if a tile is too large for its cell.
    #[inline(always)]
    pub(crate) fn codes(&self, word: u64) -> Option<Codes> {
        let free_tiles = word & self.free_cells;
        let row = |row: usize| self.rows[row][usize::from((free_tiles >> (16 * row)) as u16)];
        let row_codes = [row(0), row(1), row(2), row(3)];
        if row_codes.contains(&INVALID) {
            return None;
        }
        let sum: u64 = row_codes.into_iter().sum();
        Some(Codes([sum as u32, (sum >> 32) as u32]))
    }

    /// Returns the layer of a board.
    #[inline(always)]
    pub(crate) fn layer(&self, Codes([first, second]): Codes) -> usize {
        usize::from(self.halves[0].sums[first as usize]) + usize::from(self.halves[1].sums[second as usize])
    }

    /// Returns the position of a board in its layer.
    #[inline(always)]
    pub(crate) fn position(&self, layer: usize, Codes([first, second]): Codes) -> usize {
        let sum = usize::from(self.halves[0].sums[first as usize]);
        let row = self.row(layer, sum, first);
        row + self.halves[1].positions[second as usize] as usize
    }

    /// Returns the position in a layer of the first board with this first half.
    #[inline(always)]
    pub(crate) fn row(&self, layer: usize, sum: usize, first: u32) -> usize {
        let width = self.halves[1].count(layer - sum);
        self.layers[layer].boards_before[sum] as usize
            + self.halves[0].positions[first as usize] as usize * width
    }

    /// Returns the position in a layer of the first board with this first half. If the layer is
    /// beyond the last, returns a position beyond all boards.
    pub(crate) fn row_or_end(&self, layer: usize, sum: usize, first: u32) -> usize {
        if layer < self.layers.len() { self.row(layer, sum, first) } else { usize::MAX / 2 }
    }

    /// Returns true if a cell is in the first half.
    pub(crate) fn is_first(&self, cell: usize) -> bool {
        self.is_first[cell]
    }

    /// Returns the position of a content among those of equal sum in the second half.
    #[inline(always)]
    pub(crate) fn column(&self, second: u32) -> usize {
        self.halves[1].positions[second as usize] as usize
    }

    /// Returns the weight of a cell in the code of its half.
    pub(crate) fn weight(&self, cell: usize) -> u32 {
        self.weights[cell]
    }

    /// Returns the rows of a layer in order. A row is a content of the first half, with all
    /// contents of the second half that complete the layer's sum.
    pub(crate) fn rows(&self, layer: usize) -> impl Iterator<Item = (&Content, usize, &[Content])> {
        let [first, second] = &self.halves;
        first.contents.iter().filter_map(move |content| {
            let sum = usize::from(content.sum);
            let second_contents = second.contents_of_sum(layer.checked_sub(sum)?);
            (!second_contents.is_empty()).then_some((content, sum, second_contents))
        })
    }
}

/// Splits the free cells into two halves with about as many contents.
fn split(cells: &[usize], limits: &[u8; CELLS]) -> (Vec<usize>, Vec<usize>) {
    let product = |cells: &[usize]| cells.iter().map(|&cell| u64::from(limits[cell])).product::<u64>();
    let total = product(cells);
    let end = (0..=cells.len()).find(|&end| product(&cells[..end]).pow(2) >= total).unwrap_or(cells.len());
    (cells[..end].to_vec(), cells[end..].to_vec())
}

impl Half {
    fn new(cells: &[usize], limits: &[u8; CELLS], weights: &mut [u32; CELLS]) -> Half {
        let mut count = 1;
        for &cell in cells.iter().rev() {
            weights[cell] = count;
            count *= u32::from(limits[cell]);
        }
        let mut contents: Vec<Content> = (0..count)
            .map(|code| {
                let ranks = cells.iter().map(|&cell| (cell, code / weights[cell] % u32::from(limits[cell])));
                let (word, sum) = ranks.fold((0, 0), |(word, sum), (cell, rank)| {
                    (word | u64::from(rank) << (4 * cell), sum + units(rank as usize))
                });
                Content { word, code, sum: sum as u16 }
            })
            .collect();
        let sums: Vec<u16> = contents.iter().map(|content| content.sum).collect();
        contents.sort_by_key(|content| (content.sum, content.code));
        let max_sum = usize::from(sums.iter().copied().max().unwrap_or(0));
        let count_below =
            |sum: usize| contents.partition_point(|content| usize::from(content.sum) < sum) as u32;
        let sum_starts: Vec<u32> = (0..=max_sum + 1).map(count_below).collect();
        let mut positions = vec![0; count as usize];
        for (position, content) in contents.iter().enumerate() {
            positions[content.code as usize] = position as u32 - sum_starts[usize::from(content.sum)];
        }
        Half { contents, sum_starts, positions, sums }
    }

    /// Returns the number of contents of this sum.
    #[inline(always)]
    fn count(&self, sum: usize) -> usize {
        match self.sum_starts.get(sum..sum + 2) {
            Some(ends) => (ends[1] - ends[0]) as usize,
            None => 0,
        }
    }

    fn contents_of_sum(&self, sum: usize) -> &[Content] {
        match self.sum_starts.get(sum..sum + 2) {
            Some(ends) => &self.contents[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }
}

impl Layer {
    fn new(sum: usize, [first, second]: &[Half; 2]) -> Layer {
        let mut boards = 0;
        let boards_before = (0..=sum)
            .map(|first_sum| {
                let start = boards;
                boards += first.count(first_sum) * second.count(sum - first_sum);
                u32::try_from(start).expect("a layer has fewer than 2^32 boards")
            })
            .collect();
        Layer { boards_before, boards }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every board gets its own position, in the order of the rows.
    #[test]
    fn positions_count_all_boards() {
        let limits = [3, 3, 0, 0, 2, 2, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0];
        let index = BoardIndex::new(limits, 16);
        let mut total = 0;
        for layer in 0..index.layers() {
            let mut position = 0;
            for (content, sum, second_contents) in index.rows(layer) {
                assert_eq!(index.row(layer, sum, content.code), position);
                for other in second_contents {
                    let codes = index.codes(content.word | other.word | 0xFF00).expect("valid ranks");
                    assert_eq!(codes, Codes([content.code, other.code]));
                    assert_eq!((index.layer(codes), index.position(layer, codes)), (layer, position));
                    position += 1;
                }
            }
            assert_eq!(position, index.boards(layer));
            total += position;
        }
        assert_eq!(total, 3 * 3 * 2 * 2 * 4 * 3);
        assert_eq!(index.codes(0x3), None, "a rank beyond the limit of its cell");
    }
}
