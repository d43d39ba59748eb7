//! External programs of players. Only this module starts processes.
//!
//! A program is started by a supervisor, which is this program under another name. The supervisor
//! survives any crash here, and then ends the program with everything that it has started.

mod clock;
mod pipes;
mod process_table;
pub mod program;
pub mod script;
mod stderr_file;
pub mod supervisor;
mod supervisor_set;
mod termination;

pub use program::{LaunchSpec, Program};
pub use script::call_script;
