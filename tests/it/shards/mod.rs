//! Processes that share the games of a run, and the merge of their journals.

mod merge;
mod neighbours;
mod seen;
