//! Command lines with a word that is missing or mistyped: each is answered with what was probably meant.

use crate::bench::{Folder, short};

/// A file or folder that the command line names and that does not exist is the user's mistake: exit status 2.
#[test]
fn a_missing_file_ends_with_status_2() {
    let folder = Folder::new();
    folder.write("short.toml", short(10));
    folder.run("run short.toml --quiet").ends(0);
    for line in [
        "run absent.toml",
        "run short.toml absent.toml",
        "run absent.toml --games 10",
        "check absent.toml",
        "tune absent.toml",
        "train absent.toml",
        "ask absent.toml",
        "show absent.toml",
        "show absent.sgf",
        "serve absent.toml",
        "probe absent.jsonl",
        "probe --experiment absent.toml",
        "report absent",
        "report absent --out page.html",
        "report --splice absent.md",
        "compare absent",
        "compare results/short results/absent",
        "rank absent",
        "cluster slurm absent.toml --shards 2",
        "merge absent.toml",
        "merge short.toml absent.jsonl",
        "judge absent.toml",
        "status absent",
        "live absent.toml",
        "network show absent",
        "network import absent --out x",
        "network export absent --out x",
    ] {
        folder.run(line).ends(2).saying("there is no ").saying("absent");
    }
    assert!(!folder.path("x").exists() && !folder.path("page.html").exists());
    // Something that exists and is not what was asked for is no such mistake, nor is a run that was not played.
    folder.run("report .").ends(1);
    folder.run("network show short.toml").ends(1);
}

/// Each section has the brackets that it needs in the help: one pair for a single table, two for a list of tables.
#[test]
fn brackets_and_names_of_sections_are_suggested() {
    let folder = Folder::new();
    let head = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 10\n";
    let player = "[[player]]\nname = 'a'\nalgorithm = 'random'\n";
    let told = |text: &str| {
        folder.write("x.toml", text);
        folder.run("check x.toml").ends(2).err
    };
    let lists = [
        ("player", "name = 'a'\nalgorithm = 'random'\n"),
        ("claim", "better = 'a'\nthan = 'b'\n"),
        ("published", "player = 'a'\nsource = 's'\nvalue = 1\nwhat = 'score'\n"),
    ];
    for (list, keys) in lists {
        let before = if list == "player" { head.to_owned() } else { format!("{head}{player}") };
        let wanted = format!("must be a table headed `[[{list}]]`");
        for times in 1..4 {
            let said = told(&format!("{before}{}", format!("[{list}] # of mine\n{keys}").repeat(times)));
            assert_eq!(said.matches(&wanted).count(), 1, "{list}, {times} times: {said}");
            assert!(!said.contains("duplicate key"), "{said}");
        }
        for written in [format!("[{list}s]"), format!("[[{list}s]]")] {
            let said = told(&format!("{before}{written}\n{keys}"));
            assert!(said.contains(&format!("did you mean `[[{list}]]`?")), "{written}: {said}");
        }
    }
    for (written, meant) in [
        ("[sweep]\ndepth = [1, 2]", "did you mean `[player.sweep]`?"),
        ("[[sweep]]\ndepth = [1, 2]", "did you mean `[player.sweep]`?"),
        ("[[player.sweep]]\ndepth = [1, 2]", "headed `[player.sweep]`"),
        ("[params.depth]\nbounds = [1, 2]", "did you mean `[tune.params]`?"),
        ("[validate]\ngames = 100", "did you mean `[tune.validate]`?"),
        ("[stopp]\nbetter = 'a'\nthan = 'a'", "did you mean `[stop]`?"),
        ("[[stop]]\nbetter = 'a'\nthan = 'a'", "must be one table headed `[stop]`"),
    ] {
        let said = told(&format!("{head}{player}{written}\n"));
        assert!(said.contains(meant), "{written}: {said}");
    }
    let said = told(&format!("{head}budget = 5\n{player}"));
    assert!(said.contains("it is a key of `[tune]`"), "{said}");
    let said = told(&format!("{head}algorithm = 'random'\n{player}"));
    assert!(said.contains("it is a key of `[[player]]`"), "{said}");
    // A key that is there twice is still that.
    let said = told(&format!("{head}seed = 2\n{player}"));
    assert!(said.contains("duplicate key"), "{said}");
}
