//! The integration tests, in one program so that there is only one link step.
//!
//! - `games`: laws for every game
//! - `gomoku_run`: experiments of Gomoku with the program
//! - `rules`: the rules of 2048, and moves as public programs make them
//! - `gomoku`: the rules of Gomoku
//! - `gomoku_vcf`: continuous fours in Gomoku, compared with an exhaustive solver
//! - `growth`: games that are added after an answer
//! - `chance`: random streams are pinned, and tiles have the right distribution
//! - `truths`: known numbers are reproduced
//! - `features`: features of boards equal those of public programs
//! - `stats`: statistics against values computed elsewhere
//! - `coverage`: coverage of intervals and error rates of tests
//! - `players`: laws for every algorithm
//! - `any_players`: players for any game, at 2048 and tic-tac-toe
//! - `evaluate`: evaluations from other packages
//! - `duel`: a duel, from a file to results
//! - `playthrough`: one game, state by state
//! - `signature`: pinned play of this build
//! - `extremes`: the smallest and largest accepted numbers
//! - `configs`: experiments load, and mistakes have the right messages
//! - `journal`: games are not lost, and never changed
//! - `faults`: accidents at every file operation
//! - `tables`: tables add up the games
//! - `processors`: times of games played on several processors
//! - `sets`: tables that do not belong together are refused
//! - `network`: network files of users
//! - `neighbours`: several processes in one folder of results
//! - `new_player`: starter players in Rust; `init`: in other languages
//! - `settings`: settings as data
//! - `archive`: release archives
//! - `changed`: runs changed on the command line
//! - `first_hour`: the first hour of a new user
//! - `continued`: results never overwrite tables that they do not continue
//! - `depth`: search depth of players
//! - `contracts`: needs of external or large players
//! - `external`: external programs as players
//! - `skipped`: players whose program fails in game after game
//! - `cpu_time`: CPU time of external programs
//! - `gomocup`: engines of Gomocup
//! - `claims`: announced claims are answered
//! - `stop`: runs that end early
//! - `seen`: what tasks know of each other's journals
//! - `duel_stop`: duels that end early
//! - `precision`: runs that end when all players are precise enough
//! - `endgames`: endgame tables, built and used
//! - `ending`: the last lines of a run, and of a stopped run
//! - `timed`: runs with a time limit
//! - `compare`: comparisons of players from results
//! - `published`: published numbers compared with measured ones
//! - `judge`: re-evaluated verdicts
//! - `report`: tables for people and for documents
//! - `front`: the Pareto front in tables, documents and pages
//! - `stages`: stages on the way to a goal, and the boards of games
//! - `page`: the report for a browser
//! - `browser`: the report in a browser
//! - `live`: the live page of a run; `live_tune`: tunings and trainings;
//!   `live_browser`: the page in a browser
//! - `show`: one game, move by move
//! - `train`: trainings with the program
//! - `tune`: tunings with the program
//! - `tuned`: the folder of a tuning, and its page
//! - `tutorial`: README and TUTORIAL, whose commands print what is shown
//! - `untuned`: tunings that have not ended
//! - `walk`: from a blank file to a verdict, with typed commands
//! - `partial`: results of an unfinished run
//! - `format`: every column and key is described
//! - `help`: the help of the program
//! - `cli`: the program as a whole
//! - `mistyped`: command lines with a missing or mistyped word
//! - `ask`: tuning with external optimizers
//! - `check_env`: environments of 2048 are checked from outside
//! - `interrupt`: one Ctrl-C ends a search
//! - `max_seconds`: a time limit for one game
//! - `merge`: shards
//! - `cluster`: shards as tasks of batch systems; `workers`: tunings that several processes play
//! - `last_job`: the job that merges the shards of a Slurm run
//! - `breakage`: players that break
//! - `hostile`: hostile text from outside
//! - `limits`: special files, and limits of the system; `threads`: failures to start threads
//! - `memory`: memory for millions of games
//! - `fuzz`: nearly valid input
//! - `reliability`: each promise about accidents has its test
//! - `layers`: rules for the source
//! - `circles`: no cycles among the files of a folder
//! - `lists`: lists of modules are complete
//! - `links`: links of documents have targets; `indexes`: tables of results and of experiments
//! - `support`: tools that several tests share
//!
//! Meant for `cargo test --release`: some play millions of games.

mod support;

use support::{bench, cases, disk, golden, inside, naive, source, table, talker, tictactoe};

mod any_players;
mod archive;
mod breakage;
mod browser;
mod chance;
mod changed;
mod circles;
mod claims;
mod cli;
mod compare;
mod configs;
mod continued;
mod contracts;
mod coverage;
mod cpu_time;
mod depth;
mod duel;
mod duel_stop;
mod ending;
mod evaluate;

mod external;
mod extremes;
mod faults;
mod features;
mod first_hour;
mod format;
mod front;
mod fuzz;
mod games;
mod gomocup;
mod gomoku;
mod gomoku_run;
mod gomoku_vcf;
mod growth;
mod help;
mod hostile;
mod indexes;
mod init;
mod interrupt;
mod journal;
mod judge;
mod layers;
mod limits;
mod links;
mod lists;
mod max_seconds;
#[cfg(target_os = "linux")]
mod memory;
mod merge;
mod mistyped;
mod neighbours;
mod page;
mod partial;
mod players;
mod playthrough;
mod precision;
mod processors;
mod published;
mod reliability;
mod report;
mod rules;
mod seen;
mod sets;
mod settings;
mod show;
mod signature;
mod skipped;
mod stages;
mod stats;
mod stop;
mod tables;
mod threads;
mod timed;
mod train;
mod truths;
mod tune;
mod tuned;
mod tutorial;
mod untuned;
mod walk;
mod workers;

/// The tests of the extras, which `build.rs` finds in their folders.
mod extras {
    include!(concat!(env!("OUT_DIR"), "/extras.rs"));
}
