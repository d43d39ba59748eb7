//! Players and losses for other programs.

mod ask;
mod serve;

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("serve", ::serve::COMMANDS);
}
