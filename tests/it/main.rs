//! The tests of the whole house, in one program so that there is one link.
//!
//! - `games`: laws for every game
//! - `gomoku_run`: experiments of Gomoku from outside
//! - `rules`: the rules of 2048, and moves as public programs make them
//! - `gomoku`: the rules of Gomoku
//! - `gomoku_vcf`: forcing fours of Gomoku, as an exhaustive solver knows them
//! - `growth`: games that are added after an answer
//! - `chance`: streams are what they were, and tiles fall as they should
//! - `truths`: known numbers come out
//! - `features`: boards measured as public programs measure them
//! - `stats`: statistics against values computed elsewhere
//! - `coverage`: intervals hold what they should as often as they say
//! - `players`: laws for every algorithm
//! - `any_players`: players for any game, at 2048 and tic-tac-toe
//! - `evaluate`: evaluations of another package
//! - `duel`: a game of two, from a file to results
//! - `playthrough`: one game, state by state
//! - `signature`: play is what it was
//! - `extremes`: the least and the largest numbers that are taken
//! - `configs`: experiments load, and mistakes are told as they should be
//! - `journal`: what was played is not lost, and never becomes something else
//! - `faults`: accidents at every operation on a file
//! - `tables`: tables are what the games add up to
//! - `processors`: times where games were played on several processors
//! - `sets`: tables that do not belong together are refused
//! - `network`: networks as a user has them
//! - `neighbours`: several processes in one folder of results
//! - `new_player`: the player that a person begins with
//! - `settings`: settings as data
//! - `changed`: runs that the command line changes
//! - `first_hour`: what a person meets who has just begun
//! - `continued`: results never overwrite what they do not continue
//! - `depth`: how deep players searched
//! - `contracts`: what players need that think elsewhere, or are large
//! - `external`: players that are other programs
//! - `cpu_time`: the times of players that are other programs
//! - `gomocup`: engines of Gomocup
//! - `claims`: what was announced is answered
//! - `stop`: runs that end when enough is known
//! - `seen`: what tasks know of each other's journals
//! - `duel_stop`: those of a game of two
//! - `precision`: those that end when every player is known
//! - `ending`: the last lines of a run, and what a stopped one leaves
//! - `timed`: runs that last a time only
//! - `compare`: players of results beside each other
//! - `published`: what others say beside what was measured
//! - `judge`: verdicts made anew
//! - `report`: tables for people and for documents
//! - `front`: the Pareto front in tables, documents and pages
//! - `page`: the report for a browser
//! - `browser`: the same, in a browser
//! - `live`: the page that shows a run as it goes; `live_tune`: tunings and trainings;
//!   `live_browser`: the page in a browser
//! - `show`: one game, move by move
//! - `train`: trainings from outside
//! - `tune`: tunings from outside
//! - `tuned`: the folder of a tuning, and its page
//! - `untuned`: tunings that have not ended
//! - `walk`: from a blank file to a verdict, as a person types it
//! - `partial`: results of a run that has not ended
//! - `format`: every column and key is described
//! - `help`: the program tells how it is used
//! - `cli`: the program from outside
//! - `mistyped`: command lines with a missing or mistyped word
//! - `ask`: other people's optimizers drive it
//! - `interrupt`: one Ctrl-C ends a search
//! - `max_seconds`: a limit of time for one game
//! - `merge`: shards
//! - `cluster`: shards as tasks of batch systems; `workers`: tunings that several processes play
//! - `last_job`: the job that joins the shards of a Slurm run
//! - `breakage`: players that break
//! - `hostile`: text from outside, where it may do harm
//! - `limits`: files that are none, and limits of the system; `threads`: where threads cannot be
//!   started
//! - `memory`: millions of games fit
//! - `fuzz`: what is read from outside, nearly right
//! - `reliability`: each promise about accidents has its test
//! - `layers`: the house's own rules
//! - `circles`: the one about the files of a folder
//! - `lists`: the one about lists of modules
//! - `links`: links of documents lead to something
//! - `support`: what several of them need
//!
//! Meant for `cargo test --release`: some play millions of games.

mod support;

use support::{bench, cases, disk, golden, inside, naive, source, table, talker, tictactoe};

mod any_players;
mod ask;
mod breakage;
mod browser;
mod chance;
mod changed;
mod circles;
mod claims;
mod cli;
mod cluster;
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
mod interrupt;
mod journal;
mod judge;
mod last_job;
mod layers;
mod limits;
mod links;
mod lists;
mod live;
mod live_browser;
mod live_tune;
mod max_seconds;
#[cfg(target_os = "linux")]
mod memory;
mod merge;
mod mistyped;
mod neighbours;
mod network;
mod new_player;
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
mod stats;
mod stop;
mod tables;
mod threads;
mod timed;
mod train;
mod truths;
mod tune;
mod tuned;
mod untuned;
mod walk;
mod workers;
