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
