//! Rules of 2048 that are checked, in the order of the report.

/// Rule with its own verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A game starts with two tiles on random cells.
    Start,
    /// The mask marks the legal actions.
    Mask,
    /// Tiles slide and merge.
    Slide,
    /// The reward is the sum of the merged tiles.
    Reward,
    /// A new tile appears on a random empty cell.
    NewCell,
    /// A new tile is a 2 with probability 0.9, else a 4.
    NewValue,
    /// An illegal move changes nothing.
    IllegalMove,
    /// The game ends when no move is legal.
    GameEnd,
    /// Slides and merges of tiles above 2048.
    Above2048,
    /// Slides and merges of tiles above 32768.
    Above32768,
    /// The seed determines the game.
    Seeding,
    /// An observation keeps its content.
    Unchanged,
    /// A step returns the board after the move, not the next game.
    NoReset,
}

impl Rule {
    /// All rules, in order.
    pub const ALL: [Rule; 13] = [
        Rule::Start,
        Rule::Mask,
        Rule::Slide,
        Rule::Reward,
        Rule::NewCell,
        Rule::NewValue,
        Rule::IllegalMove,
        Rule::GameEnd,
        Rule::Above2048,
        Rule::Above32768,
        Rule::Seeding,
        Rule::Unchanged,
        Rule::NoReset,
    ];

    /// Rules without which a check is undecided. The others may stay untested.
    pub(crate) const REQUIRED: [Rule; 6] =
        [Rule::Start, Rule::Slide, Rule::Reward, Rule::NewCell, Rule::NewValue, Rule::GameEnd];

    /// Returns the name in the report.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Start => "start: two random tiles",
            Rule::Mask => "mask of legal actions",
            Rule::Slide => "slide and merge",
            Rule::Reward => "reward",
            Rule::NewCell => "cell of a new tile",
            Rule::NewValue => "value of a new tile",
            Rule::IllegalMove => "illegal move: no change",
            Rule::GameEnd => "end of the game",
            Rule::Above2048 => "tiles above 2048",
            Rule::Above32768 => "tiles above 32768",
            Rule::Seeding => "same seed, same game",
            Rule::Unchanged => "observations are kept",
            Rule::NoReset => "no reset inside step",
        }
    }

    /// Returns the diagnosis of a violation that no known fault explains.
    pub(crate) const fn default_diagnosis(self) -> &'static str {
        match self {
            Rule::Start => "Starts do not have two random tiles.",
            Rule::Mask => "The mask differs from the legal actions.",
            Rule::Slide => "Tiles slide or merge wrongly.",
            Rule::Reward => "The reward is not the sum of the merged tiles.",
            Rule::NewCell => "The cell of a new tile is not uniformly random.",
            Rule::NewValue => "New tiles are not 2s and 4s in the ratio 9 : 1.",
            Rule::IllegalMove => "An illegal move changes the board.",
            Rule::GameEnd => "The game ends too early or too late.",
            Rule::Above2048 => "Tiles above 2048 slide or merge wrongly.",
            Rule::Above32768 => "Tiles above 32768 slide or merge wrongly.",
            Rule::Seeding => "The seed does not determine the game.",
            Rule::Unchanged => "A returned observation changes.",
            Rule::NoReset => "`step` returns a board of another game.",
        }
    }

    /// Returns what was counted.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Rule::Start => "start",
            Rule::Mask => "mask",
            Rule::NewCell | Rule::NewValue => "new tile",
            Rule::Seeding => "replay",
            Rule::Unchanged => "observation",
            Rule::NoReset => "game",
            Rule::GameEnd => "board",
            _ => "move",
        }
    }
}
