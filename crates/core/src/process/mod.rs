//! External programs of players. Only this module starts processes.
//!
//! A program is started by a supervisor, which is this program under another name. The supervisor
//! survives any crash here, and then ends the program with everything that it has started.
//!
//! - [`script`]: calls a script written by this program
//! - [`program`]: a running program and the lines exchanged with it
//! - [`supervisor`]: the process that ends a program with all of its descendants
//! - `supervised`: running supervisors, and killing of orphaned programs
//! - `ending`: ends processes
//! - `errors`: file with a program's standard error
//! - `pipes`: pipes to a program
//! - `table`: process table of the system
//! - `clock`: CPU time of a program

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
