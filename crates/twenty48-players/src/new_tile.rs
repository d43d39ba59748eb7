//! Tiles that may appear, as searches enumerate them.

/// Tile that may appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NewTile {
    /// Index of its cell, row by row.
    pub(super) cell: usize,
    /// 1 for a 2, 2 for a 4.
    pub(super) rank: u8,
}

impl NewTile {
    /// Returns a 2 and then a 4 on each of these cells in turn, which are marked by a one in their
    /// nibbles.
    #[inline]
    pub(super) fn all(mut empty_mask: u64) -> impl Iterator<Item = NewTile> {
        let mut rank = 2;
        std::iter::from_fn(move || {
            if empty_mask == 0 {
                return None;
            }
            let cell = empty_mask.trailing_zeros() as usize / 4;
            rank = 3 - rank;
            if rank == 2 {
                empty_mask &= empty_mask - 1;
            }
            Some(NewTile { cell, rank })
        })
    }

    /// Returns all these tiles, starting with this one if there is room for it.
    #[inline]
    pub(super) fn all_starting_with(
        first: Option<NewTile>,
        empty_mask: u64,
    ) -> impl Iterator<Item = NewTile> {
        let first = first.filter(|tile| empty_mask >> (4 * tile.cell) & 1 == 1);
        first.into_iter().chain(NewTile::all(empty_mask).filter(move |&tile| Some(tile) != first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_come_in_order() {
        let pairs = |tiles: &mut dyn Iterator<Item = NewTile>| -> Vec<(usize, u8)> {
            tiles.map(|tile| (tile.cell, tile.rank)).collect()
        };
        let empty_mask = 0x1000_0000_0000_0101;
        assert_eq!(pairs(&mut NewTile::all(empty_mask)), [(0, 1), (0, 2), (2, 1), (2, 2), (15, 1), (15, 2)]);
        let first = |cell, rank| Some(NewTile { cell, rank });
        let reordered = [(2, 2), (0, 1), (0, 2), (2, 1), (15, 1), (15, 2)];
        assert_eq!(pairs(&mut NewTile::all_starting_with(first(2, 2), empty_mask)), reordered);
        for unavailable in [first(1, 1), None] {
            let tiles = pairs(&mut NewTile::all_starting_with(unavailable, empty_mask));
            assert_eq!(tiles, pairs(&mut NewTile::all(empty_mask)));
        }
        assert_eq!(NewTile::all(0).next(), None);
    }
}
