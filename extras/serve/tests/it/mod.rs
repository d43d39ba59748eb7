//! Players and losses for other programs.

mod ask;
mod moves;

use crate::bench::Folder;

#[test]
fn an_absent_file_is_reported() {
    for line in ["ask absent.toml", "serve absent.toml"] {
        Folder::new().run(line).assert_status(2).assert_says("no such ").assert_says("absent");
    }
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("serve", ::serve::COMMANDS);
}
