//! External programs of players. Only this module starts processes.
//!
//! A program is started by a supervisor, which is this program under another name. The supervisor
//! survives any crash here, and then ends the program with everything that it has started.

mod clock;
mod ending;
mod errors;
mod pipes;
pub mod program;
pub mod script;
mod supervised;
pub mod supervisor;
mod table;

pub use program::{LaunchSpec, Program};
pub use script::call_script;
