//! Man pages, and release archives with man pages and completions.

mod archive;

use crate::bench::Folder;

#[test]
fn every_command_has_a_man_page() {
    let folder = Folder::new();
    folder.run("man").assert_status(0).assert_says(".TH gauntlet 1");
    folder.run("man pages").assert_status(0);
    for command in ["gauntlet", "gauntlet-run", "gauntlet-init", "gauntlet-man"] {
        assert!(folder.read(&format!("pages/{command}.1")).contains(".SH NAME"), "{command}");
    }
    let commands = gauntlet::program(&gauntlet::GAMES, &[]).commands().map(|command| command.name);
    let pages: Vec<String> = commands.map(|command| format!("gauntlet-{command}")).collect();
    // Some commands have subcommands.
    for name in folder.files("pages").keys() {
        let page = name.trim_end_matches(".1");
        let belongs_to = |command: &&String| page == **command || page.starts_with(&format!("{command}-"));
        assert!(page == "gauntlet" || pages.iter().any(|command| belongs_to(&command)), "{name}");
    }
    assert!(pages.iter().all(|page| folder.path(&format!("pages/{page}.1")).exists()), "{pages:?}");
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("packaging", ::packaging::COMMANDS);
}
