//! Results: tables, reports, pages, and games shown move by move.

mod browser;
mod depth;
pub(crate) mod page;
mod pareto_front;
mod partial;
pub(crate) mod processors;
mod published_numbers;
mod report;
mod run_summary;
mod scores;
mod sets;
mod show;
mod stages;
mod tables;
