//! Player whose moves come from a function of the host program: the program that runs the bench,
//! such as Python (`gauntlet.evaluate`).
//!
//! The host lends [`HostPolicies`] to the experiment's files. Each request has the boards of all
//! open games, and the player waits for its answer. So functions are called by the host's own
//! thread, one at a time.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::time::Duration;

use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, NoMove, Player, Recipe, RecipeFacts, RemotePlayer, Start,
};
use gauntlet_core::record::{Fault, TimeSource};
use gauntlet_twenty48::rules::{Direction, Rules, Twenty48};
use serde::{Deserialize, Serialize};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Asks a Python function for its moves; plays only in `gauntlet.evaluate`.
algorithm = "python"
policy = "mine"            # name of the function
# Text that identifies the function and its data: games with it are resumed.
identity = "network 3"
# Without an identity, a name of the call, whose games are never resumed.
# call = "2026-11-26 12:00:00"
batch = 1024               # largest number of games that are open at once
"#;

/// Settings of `python`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the function.
    pub policy: String,
    /// Text that identifies the function and its data.
    #[serde(default)]
    pub identity: Option<String>,
    /// Name of the call, if there is no identity.
    #[serde(default)]
    pub call: Option<String>,
    /// Largest number of games that it is asked about at once.
    #[serde(default = "thousand")]
    pub batch: BoundedInt<1, 65_536>,
}

fn thousand() -> BoundedInt<1, 65_536> {
    BoundedInt::new(1024)
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let host = context.assets.host::<HostPolicies>();
        let policy_index =
            host.as_ref().and_then(|host| host.names.iter().position(|name| *name == self.policy));
        Ok(Box::new(Policy { host, policy_index, config: self.clone(), duration: Duration::ZERO }))
    }

    fn facts(&self, _rules: &Rules) -> RecipeFacts {
        RecipeFacts {
            host_batch: Some(self.batch.get() as usize),
            time_source: TimeSource::Wall,
            is_reproducible: false,
            ..RecipeFacts::default()
        }
    }
}

/// Functions of the host program that can play.
#[derive(Debug)]
pub struct HostPolicies {
    /// Names of the functions.
    pub names: Vec<String>,
    /// Where players send their requests.
    pub requests: Sender<PolicyRequest>,
}

/// Boards for which a player needs moves.
#[derive(Debug)]
pub struct PolicyRequest {
    /// Index of the function.
    pub policy: usize,
    /// Ranks of the cells, row by row, 16 for each board: 0 for an empty cell, else the binary
    /// logarithm of the tile.
    pub boards: Vec<u8>,
    /// For each board four bytes, 1 if the move is legal: up, right, down, left.
    pub legal: Vec<u8>,
    /// Receives the answer. If it is dropped, the game ends without a result.
    pub answer: SyncSender<PolicyAnswer>,
}

/// Answer to a request.
#[derive(Debug)]
pub struct PolicyAnswer {
    /// Number of the direction for each board; any other number forfeits the game.
    pub moves: Vec<i64>,
    /// Time that the function took.
    pub duration: Duration,
}

struct Policy {
    config: Config,
    host: Option<Arc<HostPolicies>>,
    /// Index of the function.
    policy_index: Option<usize>,
    /// Time that the last call took.
    duration: Duration,
}

impl Policy {
    fn request_moves<'a>(
        &mut self,
        positions: impl ExactSizeIterator<Item = &'a Twenty48>,
    ) -> Result<Vec<i64>, NoMove> {
        let (Some(host), Some(policy)) = (&self.host, self.policy_index) else {
            let name = &self.config.policy;
            return Err(NoMove::cannot_play(format!(
                "the function `{name}` plays only in Python: gauntlet.evaluate"
            )));
        };
        let mut boards = Vec::with_capacity(16 * positions.len());
        let mut legal = Vec::with_capacity(4 * positions.len());
        for position in positions {
            boards.extend_from_slice(&position.board().cells().ranks());
            legal.extend_from_slice(&position.legal_directions().to_bytes());
        }
        let (answer, receiver) = sync_channel(1);
        let request = PolicyRequest { policy, boards, legal, answer };
        host.requests.send(request).map_err(|_| NoMove::Interrupted)?;
        let PolicyAnswer { moves, duration } = receiver.recv().map_err(|_| NoMove::Interrupted)?;
        self.duration = duration;
        Ok(moves)
    }
}

/// Returns the move with this number.
fn choice_from_number(number: i64) -> Result<Choice<Direction>, NoMove> {
    let direction = usize::try_from(number).ok().and_then(|number| Direction::ALL.get(number));
    direction.copied().map(Choice::new).ok_or_else(|| {
        NoMove::fault(Fault::Nonsense, format!("the function returned {number}, but directions are 0 to 3"))
    })
}

impl Player<Twenty48> for Policy {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.request_moves([position].into_iter()).and_then(|moves| choice_from_number(moves[0]))
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Remote(self)
    }
}

impl RemotePlayer<Twenty48> for Policy {
    fn batch_size(&mut self, _rules: &Rules) -> usize {
        self.config.batch.get() as usize
    }

    fn choose_all(
        &mut self,
        positions: &[(usize, &Twenty48)],
        answers: &mut Vec<Result<Choice<Direction>, NoMove>>,
    ) -> Result<(), NoMove> {
        let moves = self.request_moves(positions.iter().map(|(_, position)| *position))?;
        answers.extend(moves.into_iter().map(choice_from_number));
        Ok(())
    }

    fn thinking_time(&self) -> Option<Duration> {
        Some(self.duration)
    }
}
