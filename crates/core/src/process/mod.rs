//! Programs in which players think: the one room where processes are started.
//!
//! A program is not started by this one, but by a supervisor, which is this very program called by
//! another name. It outlives whatever happens here, and then ends the program with all that it has
//! started.
//!
//! - [`script`]: a script of ours, called once
//! - [`program`]: a program that runs: what is said to it and heard from it
//! - [`supervisor`]: a process that ends a program with all of its descendants
//! - `supervised`: supervisors that run, and the end of what has lost its supervisor
//! - `ending`: the end of processes
//! - `errors`: the file that keeps what a program writes to standard error
//! - `pipes`: pipes to a program
//! - `table`: the system's table of processes
//! - `clock`: the CPU time of a program, by the clocks of its processes

mod clock;
mod ending;
mod errors;
mod pipes;
pub mod program;
pub mod script;
mod supervised;
pub mod supervisor;
mod table;

pub use program::{Launch, Program};
pub use script::call_script;
