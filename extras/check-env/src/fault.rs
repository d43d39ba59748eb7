//! Known faults of environments, each with its diagnosis in one sentence.

use gauntlet_twenty48::rules::Direction;
use gauntlet_twenty48::rules::cells::value_of;

/// Known fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Some starts have one tile.
    OneStartTile,
    /// Starts have more than two tiles.
    ManyStartTiles,
    /// The cells of a start depend on each other.
    StartCellsDependent,
    /// The values of a start depend on each other.
    StartValuesDependent,
    /// A mask that allows everything.
    MaskAllowsAll,
    /// A mask that ignores merges.
    MaskIgnoresMerges,
    /// A mask in another order of the actions.
    MaskInOtherOrder,
    /// A mask of the board before the step.
    MaskOfBoardBefore,
    /// A mask that marks the illegal actions.
    MaskInverted,
    /// A mask of another length.
    MaskOfOtherLength,
    /// Tiles end at this rank.
    TilesEndAt(u8),
    /// A tile merges twice.
    MergedTwice,
    /// Merges begin at the wrong end.
    MergedAtWrongEnd,
    /// One merge in each line.
    OneMergePerLine,
    /// Tiles never merge.
    NeverMerged,
    /// A gap prevents a merge.
    GapPreventsMerge,
    /// A legal move is ignored.
    MoveIgnored,
    /// An action slides in the direction of another one.
    OtherDirection,
    /// No action slides in this direction.
    NoAction(Direction),
    /// Half of the points.
    RewardHalved,
    /// Sum of all tiles.
    RewardIsTileSum,
    /// Points since the start.
    RewardIsScore,
    /// Value of the new tile.
    RewardIsNewTile,
    /// Number of merges.
    RewardIsMerges,
    /// No reward.
    RewardIsZero,
    /// The same reward for each move.
    RewardIsOne,
    /// Largest tile.
    RewardIsLargestTile,
    /// Sum of the logarithms of the merged tiles.
    RewardIsRanks,
    /// The cell is chosen by the number of empty cells before the move.
    StaleCount,
    /// The last empty cell is never chosen.
    LastCellNeverFilled,
    /// A cell is never chosen.
    CellNeverFilled(u8),
    /// A move adds no tile.
    NoNewTile,
    /// A move adds several tiles.
    SeveralNewTiles,
    /// No 4 ever appears.
    NeverFour,
    /// No 2 ever appears.
    AlwaysFour,
    /// The value of a new tile depends on its cell.
    ValueDependsOnCell,
    /// The value of a new tile depends on the values before.
    ValuesDependent,
    /// An illegal move adds a tile.
    TileAfterIllegalMove,
    /// The game ends at 2048.
    EndsAt2048,
    /// The game ends when the board is full.
    EndsWhenFull,
    /// The game goes on without a legal move.
    EndsTooLate,
    /// A seed is ignored.
    SeedIgnored,
    /// All seeds give the same game.
    SeedsAlike,
    /// Only the start depends on the seed.
    SeedOfStartOnly,
    /// A returned observation changes later.
    ObservationShared,
    /// The last step returns the first board of the next game.
    ResetInsideStep,
    /// An error was raised.
    Raises,
}

impl Fault {
    /// Returns the diagnosis.
    pub fn sentence(self) -> String {
        let fixed = match self {
            Fault::OneStartTile => "A game can start with one tile.",
            Fault::ManyStartTiles => "A game can start with more than two tiles.",
            Fault::StartCellsDependent => "The cell of one start tile depends on the other's cell.",
            Fault::StartValuesDependent => "The value of one start tile depends on the other's value.",
            Fault::MaskAllowsAll => "The mask allows every action, also those that move nothing.",
            Fault::MaskIgnoresMerges => "The mask ignores merges.",
            Fault::MaskInOtherOrder => "The mask has another order of directions than the actions.",
            Fault::MaskOfBoardBefore => "The mask belongs to the board before the step.",
            Fault::MaskInverted => "The mask marks the illegal actions.",
            Fault::MaskOfOtherLength => "The mask does not have one entry for each action.",
            Fault::TilesEndAt(rank) => {
                let tile = value_of(rank);
                return format!("Tiles end at {tile}: two of them do not become {}.", 2 * u64::from(tile));
            }
            Fault::MergedTwice => "A merged tile merges again in the same move.",
            Fault::MergedAtWrongEnd => "2 2 2 merges at the wrong end: pairs begin at the far end of a line.",
            Fault::OneMergePerLine => "Only one pair of each line merges.",
            Fault::NeverMerged => "Equal tiles do not merge.",
            Fault::GapPreventsMerge => "Tiles merge before they move, so a gap prevents a merge.",
            Fault::MoveIgnored => "A legal move is ignored.",
            Fault::OtherDirection => "An action slides in the direction of another action.",
            Fault::NoAction(direction) => return format!("No action slides {direction}."),
            Fault::RewardHalved => "The reward is half of the merged tiles' sum.",
            Fault::RewardIsTileSum => "The reward is the sum of all tiles on the board.",
            Fault::RewardIsScore => "The reward is the score of the game so far, not the points of the move.",
            Fault::RewardIsNewTile => "The reward is the value of the new tile.",
            Fault::RewardIsMerges => "The reward is the number of merges.",
            Fault::RewardIsZero => "The reward is always 0.",
            Fault::RewardIsOne => "The reward is 1 for each move.",
            Fault::RewardIsLargestTile => "The reward is the largest tile.",
            Fault::RewardIsRanks => "The reward is the sum of the merged tiles' base-2 logarithms.",
            Fault::StaleCount => {
                "The cell of a new tile is chosen by the number of empty cells before the move, not after it."
            }
            Fault::LastCellNeverFilled => "The last empty cell never gets the new tile.",
            Fault::CellNeverFilled(cell) => {
                return format!("No tile appears in row {}, column {}.", cell / 4, cell % 4);
            }
            Fault::NoNewTile => "Some moves add no tile.",
            Fault::SeveralNewTiles => "Some moves add several tiles.",
            Fault::NeverFour => "No new tile is a 4.",
            Fault::AlwaysFour => "Every new tile is a 4.",
            Fault::ValueDependsOnCell => "The value of a new tile depends on its cell.",
            Fault::ValuesDependent => "The value of a new tile depends on the values of the tiles before it.",
            Fault::TileAfterIllegalMove => "A tile appears after an illegal move.",
            Fault::EndsAt2048 => "The game ends when a 2048 tile appears.",
            Fault::EndsWhenFull => "The game ends when the board is full, although tiles can merge.",
            Fault::EndsTooLate => "The game continues when no move is legal.",
            Fault::SeedIgnored => "The seed is ignored: the same seed gives another start.",
            Fault::SeedsAlike => "The seed is ignored: all seeds give the same game.",
            Fault::SeedOfStartOnly => "The seed determines the start, but not the later tiles.",
            Fault::ObservationShared => "A returned observation changes at the next step: return a copy.",
            Fault::ResetInsideStep => {
                "`step` resets the game when it ends, and returns the first board of the next game."
            }
            Fault::Raises => "A legal move raises an error.",
        };
        fixed.to_owned()
    }
}
