//! The commands of the core: one file for each, with its arguments and a function that runs it.

mod check;
mod compare;
mod cost;
mod destination;
mod earlier_games;
mod export;
mod final_output;
mod given_experiments;
mod init;
mod judge;
mod manual;
mod merge;
mod play_options;
mod player_toml;
mod players;
mod power;
pub mod probe;
mod rank;
mod report;
mod run;
mod run_status;
mod shards_status;
mod show;
mod status;
mod train;
mod training_status;
mod trial;
mod tune;
mod tuning_status;
mod versus;
mod within;

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::output::accept_closed_pipe;

/// These commands, in the order of the help.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "init",
        synonyms: &["new", "create", "template"],
        define: define::<init::Args>,
        run: |_, matches| accept_closed_pipe(init::run(&parse_arguments(matches))),
    },
    Command {
        name: "check",
        synonyms: &["validate", "lint", "verify", "dry-run"],
        define: define::<check::Args>,
        run: |program, matches| accept_closed_pipe(check::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "run",
        synonyms: &[
            "play",
            "start",
            "exec",
            "bench",
            "benchmark",
            "tournament",
            "simulate",
            "resume",
            "continue",
            "restart",
        ],
        define: |command, games| play_options::add_table_names(games, define::<run::Args>(command, games)),
        run: |program, matches| run::run(program.catalog, &parse_arguments(matches)),
    },
    Command {
        name: "versus",
        synonyms: &["vs", "match", "duel"],
        define: |command, games| {
            versus::add_game_names(
                games,
                play_options::add_table_names(games, define::<versus::Args>(command, games)),
            )
        },
        run: |program, matches| versus::run(program.catalog, parse_arguments(matches)),
    },
    Command {
        name: "status",
        synonyms: &["ls", "ps", "progress", "jobs"],
        define: define::<status::Args>,
        run: |program, matches| accept_closed_pipe(status::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "report",
        synonyms: &["plot", "plots", "graph", "chart", "html", "page", "results", "table", "tables"],
        define: |command, games| report::add_table_names(games, define::<report::Args>(command, games)),
        run: |program, matches| accept_closed_pipe(report::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "compare",
        synonyms: &["diff"],
        define: |command, games| compare::add_measure_parser(games, define::<compare::Args>(command, games)),
        run: |program, matches| accept_closed_pipe(compare::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "rank",
        synonyms: &["leaderboard", "ranking", "ratings", "elo", "standings"],
        define: |command, games| compare::add_measure_parser(games, define::<rank::Args>(command, games)),
        run: |program, matches| accept_closed_pipe(rank::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "judge",
        synonyms: &[],
        define: define::<judge::Args>,
        run: |program, matches| judge::run(program.catalog, &parse_arguments(matches)),
    },
    Command {
        name: "power",
        synonyms: &[],
        define: define::<power::Args>,
        run: |_, matches| accept_closed_pipe(power::run(&parse_arguments(matches))),
    },
    Command {
        name: "show",
        synonyms: &["replay", "watch", "view", "game"],
        define: define::<show::Args>,
        run: |program, matches| accept_closed_pipe(show::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "probe",
        synonyms: &[],
        define: define::<probe::Args>,
        run: |program, matches| accept_closed_pipe(probe::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "players",
        synonyms: &["list", "algorithms", "bots", "engines", "ais"],
        define: define::<players::Args>,
        run: |program, matches| accept_closed_pipe(players::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "features",
        synonyms: &[],
        define: define::<manual::Features>,
        run: |program, matches| {
            accept_closed_pipe(manual::run_features(program.catalog, &parse_arguments(matches)))
        },
    },
    Command {
        name: "format",
        synonyms: &["doc", "docs", "manual", "keys"],
        define: define::<manual::Args>,
        run: |program, matches| accept_closed_pipe(manual::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "tune",
        synonyms: &["resume", "continue", "restart", "optimize", "optimise", "search"],
        define: define::<tune::Args>,
        run: |program, matches| tune::run(program.catalog, &parse_arguments(matches)),
    },
    Command {
        name: "train",
        synonyms: &["resume", "continue", "restart", "learn"],
        define: define::<train::Args>,
        run: |program, matches| train::run(program.catalog, &parse_arguments(matches)),
    },
    Command {
        name: "merge",
        synonyms: &["join", "combine", "collect"],
        define: define::<merge::Args>,
        run: |program, matches| merge::run(program.catalog, &parse_arguments(matches)),
    },
];

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use gauntlet_cli::exit::FAILED;
    use gauntlet_games::GAMES;

    use super::*;
    use crate::program;

    #[test]
    fn the_command_line_is_consistent() {
        program(&GAMES, &[]).definition().debug_assert();
    }

    #[test]
    fn short_help_fits_a_screen_and_long_help_ends_with_an_example() {
        for command in program(&GAMES, &[]).definition().get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let short_help = command.render_help().to_string();
            assert!(short_help.lines().count() <= 24, "{name} -h has {} lines", short_help.lines().count());
            let long_help = command.render_long_help().to_string();
            let (_, example) =
                long_help.rsplit_once("\nExample:\n").expect("an example at the end of the help");
            assert!(
                example.starts_with("  ") && example.contains("gauntlet "),
                "{name} --help ends with {example:?}"
            );
        }
    }

    /// Packages outside add commands as extras do.
    #[test]
    fn a_command_of_another_package_is_listed_and_runs() {
        /// Greet someone
        #[derive(clap::Args)]
        struct Args {
            name: String,
        }
        const HELLO: &[Command] = &[Command {
            name: "hello",
            synonyms: &["greet"],
            define: define::<Args>,
            run: |_, matches| match &*parse_arguments::<Args>(matches).name {
                "you" => Ok(ExitCode::from(9)),
                name => anyhow::bail!("no {name}"),
            },
        }];
        let program = program(&GAMES, HELLO);
        let help = program.definition().render_help().to_string();
        let extras = help.split("Extras:\n").nth(1).expect("a list of extras");
        assert!(extras.contains("  hello        Greet someone\n"), "{help}");
        assert_eq!(program.run(["gauntlet", "hello", "you"]), ExitCode::from(9));
        assert_eq!(program.run(["gauntlet", "hello", "nobody"]), ExitCode::from(FAILED));
    }

    /// A suggestion for a synonym must not hide a command.
    #[test]
    fn a_synonym_is_not_a_command() {
        let program = program(&GAMES, &[]);
        let synonyms = program.commands().flat_map(|command| command.synonyms);
        let hidden_commands =
            synonyms.filter(|word| program.commands().any(|command| command.name == **word));
        assert_eq!(hidden_commands.count(), 0);
    }
}
