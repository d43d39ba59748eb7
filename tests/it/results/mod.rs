//! Results: tables, reports, pages, and games shown move by move.

mod browser;
mod depth;
mod ending;
mod front;
pub(crate) mod page;
mod partial;
pub(crate) mod processors;
mod published;
mod report;
mod sets;
mod show;
mod stages;
mod tables;
