//! Engines of Gomocup receive the right commands. A faulty engine harms only its own game.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;

use crate::bench::{Folder, read_rows};

/// An engine in sh that plays the first free cell and records its input. Its first argument says
/// how it fails.
const ENGINE: &str = r#"behaviour=$1
size=0
taken=
turns=0
pondering=
now() { date +%s%N; }
moved=$(now)
move() {
  turns=$((turns + 1))
  case $behaviour in
    refuses-once) [ $turns = 2 ] && { echo "ERROR Unknown command: $line"; return; } ;;
    refuses-always) echo "ERROR Unknown command: $line"; return ;;
    late) sleep 0.35 ;;
    too-late) [ $turns = 2 ] && sleep 600 ;;
    breaks-off) [ $turns -ge 2 ] && { [ $turns = 2 ] && echo "ERROR Unknown command: $line"; return; } ;;
    floods) yes "MESSAGE thinking" ;;
    talks) printf 'MESSAGE pr\351t\n'; echo "MESSAGE depth 3"; echo "DEBUG 1,1 is bad"; echo; echo "thinking of 2,2" ;;
    crashes) [ $turns = 2 ] && { echo "MESSAGE out of cheese"; exit 3; } ;;
  esac
  x=0; y=0
  while :; do
    case $taken in
      *" $x,$y "*) x=$((x + 1)); [ $x = $size ] && { x=0; y=$((y + 1)); } ;;
      *) break ;;
    esac
  done
  [ $behaviour = ponders ] && { { while :; do :; done; } & pondering=$!; }
  case $behaviour in
    suggests) echo "SUGGEST $x,$y" ;;
    capitals) taken="$taken $x,$y "; printf ' %s , %s \r\n' $x $y ;;
    *) taken="$taken $x,$y "; echo "$x,$y" ;;
  esac
  [ $behaviour = quick ] && moved=$(now)
}
echo $$ > pid
[ $behaviour = needs-its-folder ] && { read -r weights < weights.txt || exit 4; }
while IFS= read -r line; do
  [ -n "$pondering" ] && kill $pondering && pondering=
  line=${line%"$(printf '\r')"}
  echo "$line" >> "told-$behaviour"
  case $line in
    "START "*)
      size=${line#START }
      case $behaviour in
        no-size) echo "ERROR only 20 is supported" ;;
        *) echo "OK - everything is good" ;;
      esac ;;
    RESTART)
      taken=; turns=0
      # An engine that still thinks passes over what it is told.
      [ $behaviour = quick ] && [ $(($(now) - moved)) -lt 15000000 ] && continue
      case $behaviour in
        no-restart) echo "UNKNOWN command" ;;
        *) echo OK ;;
      esac ;;
    "PLAY "*) taken="$taken ${line#PLAY } "; echo "${line#PLAY }" ;;
    "TURN "*) taken="$taken ${line#TURN } "; move ;;
    BEGIN) move ;;
    BOARD)
      taken=
      while IFS= read -r stone; do
        stone=${stone%"$(printf '\r')"}
        echo "$stone" >> "told-$behaviour"
        [ "$stone" = DONE ] && break
        taken="$taken ${stone%,*} "
      done
      [ $turns -ge 2 ] && turns=9
      move ;;
    ABOUT) echo 'name="scripted", version="1.0", author="nobody"' ;;
    END) exit ;;
  esac
done
"#;

/// An experiment in which each of these plays two games against an opponent.
fn experiment(behaviours: &[&str], opponent: &str, settings: &str) -> String {
    let mut text = format!(
        "name = \"cup\"\ngame = \"gomoku\"\nseed = 3\ngames = 4\npairings = \"gauntlet\"\n\n\
         [[player]]\nname = \"ours\"\n{opponent}\n"
    );
    for behaviour in behaviours {
        text += &format!(
            "\n[[player]]\nname = \"{behaviour}\"\nalgorithm = \"gomocup\"\ndirectory = \"engine\"\n\
             command = [\"sh\", \"engine.sh\", \"{behaviour}\"]\n{settings}\n"
        );
    }
    text
}

fn engine_folder(experiment: &str) -> Folder {
    let folder = Folder::new();
    folder.write("cup.toml", experiment);
    folder.write("engine/engine.sh", ENGINE);
    folder.write("engine/weights.txt", "1\n");
    folder
}

const RUN: &str = "run cup.toml --quiet --allow-commands --threads 2";

/// Counts the endings of an engine's games.
fn endings(folder: &Folder) -> BTreeMap<(String, String), u32> {
    let mut endings = BTreeMap::new();
    for row in read_rows(folder, "results/cup/games.csv") {
        let engine =
            [&row["first"], &row["second"]].into_iter().find(|name| *name != "ours").expect("an engine");
        *endings.entry((engine.clone(), row["ending"].clone())).or_default() += 1;
    }
    endings
}

/// Expected ending of the games with each behaviour, and words of the complaint.
const BEHAVIOURS: &[(&str, &str, &str)] = &[
    ("good", "game-over", ""),
    ("quick", "game-over", ""),
    ("no-restart", "game-over", ""),
    ("talks", "game-over", ""),
    ("suggests", "game-over", ""),
    ("capitals", "game-over", ""),
    ("needs-its-folder", "game-over", ""),
    ("refuses-once", "game-over", ""),
    ("late", "game-over", ""),
    ("too-late", "timed-out", "no answer within"),
    ("floods", "timed-out", r#"no answer within 1.7 s; its last output: "MESSAGE thinking""#),
    ("breaks-off", "timed-out", r#"its last output: "ERROR Unknown command"#),
    ("refuses-always", "nonsense", r#"it rejected the board: "ERROR Unknown command"#),
    ("crashes", "crashed", r#"exit status 3; its last output: "MESSAGE out of cheese""#),
    ("no-size", "gave-up", r#"after START 15 it said "ERROR only 20 is supported""#),
];

/// Each kind of failure has its ending, is reported with the last line of input, and costs no other
/// game.
#[test]
fn each_engine_has_its_ending() {
    let names: Vec<&str> = BEHAVIOURS.iter().map(|(name, ..)| *name).collect();
    let settings = "turn_millis = 250\nlate_millis = 1500\nstart_millis = 3000";
    let folder = engine_folder(&experiment(&names, "algorithm = \"gomoku-greedy\"", settings));
    let output = folder.run(RUN).assert_status(0);
    let ending_counts = endings(&folder);
    for (name, ending, reason) in BEHAVIOURS {
        let count = ending_counts.get(&((*name).to_owned(), (*ending).to_owned())).copied().unwrap_or(0);
        assert!(count == 4, "{name}: {ending_counts:#?}\n{}", output.stderr);
        let line = output.stderr.lines().find(|line| line.contains(&format!("{name} forfeited")));
        if let Some(line) = line {
            assert!(line.contains(reason), "{line} does not say {reason:?}");
        }
    }
    // One process for all games of a worker, except games that end the process.
    let engine_input = |name: &str| folder.read(&format!("engine/told-{name}"));
    let count =
        |name: &str, line: &str| engine_input(name).lines().filter(|input_line| *input_line == line).count();
    assert!(count("good", "START 15") <= 3 && count("good", "RESTART") >= 2, "{}", engine_input("good"));
    // Once for its name, and once for each game.
    assert_eq!(count("no-restart", "START 15"), 5);
    assert!(
        engine_input("refuses-once").matches("BOARD").count() > engine_input("good").matches("BOARD").count()
    );
    assert!(count("good", "END") >= 1, "it is told to end");
}

/// An engine receives its limits, the rule and the board, and the opening as a board whose last
/// stone is the opponent's.
#[test]
fn an_engine_is_told_its_limits() {
    let folder = engine_folder(
        &experiment(
            &["good"],
            "algorithm = \"random\"",
            "turn_millis = 40\ngame_millis = 60000\nmax_nodes = 500\nthreads = 2\nmemory_mib = 100",
        )
        .replace("games = 4", "games = 2\nsize = 17\nrule = \"standard\""),
    );
    folder.run(RUN).assert_status(0);
    let manifest: toml::Table = folder.read("results/cup/manifest.toml").parse().expect("TOML");
    let reported_name = manifest["programs"]["good"].as_str();
    assert_eq!(reported_name, Some("name=\"scripted\", version=\"1.0\", author=\"nobody\""));
    let input = folder.read("engine/told-good");
    // The first start only asks for its name.
    let first_commands: Vec<&str> =
        input[input.rfind("START 17").expect("a start")..].lines().take(9).collect();
    assert_eq!(
        first_commands,
        [
            "START 17",
            "INFO timeout_turn 40",
            "INFO timeout_match 60000",
            "INFO max_memory 104857600",
            "INFO game_type 1",
            "INFO rule 1",
            "INFO thread_num 2",
            "INFO max_node 500",
            "INFO time_left 60000"
        ]
    );
    let board: Vec<&str> = input
        .lines()
        .skip_while(|line| *line != "BOARD")
        .skip(1)
        .take_while(|line| *line != "DONE")
        .collect();
    assert!(
        (4..=6).contains(&board.len()) && board.last().is_some_and(|last| last.ends_with(",2")),
        "{board:?}"
    );
    assert!(input.lines().filter(|line| line.starts_with("TURN ")).count() > 3);
    let times = read_rows(&folder, "results/cup/ms-per-move.csv");
    let row = times.iter().find(|row| row["player"] == "good").expect("times");
    assert_eq!(row["timed"], "thoughts in other processes");
    assert!(folder.read("results/cup/manifest.toml").contains("reproducible = false"));
}

/// An opponent in sh that plays the last free cell. At each of its moves, it records whether the
/// engine is stopped: first the engine itself, then all processes that it has started. It retries,
/// because a state may take time to appear.
const WATCHER: &str = r#"letters=abcdefghijklmno
state_of() {
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    state=$(cut -d' ' -f3 "/proc/$1/stat" 2> /dev/null) || state=gone
    case $state in T | Z | "" | gone) break ;; esac
    sleep 0.1
  done
  printf '%s ' "${state:-gone}"
}
stands_still() {
  pid=$(cat engine/pid)
  for process in $pid $(cat /proc/$pid/task/$pid/children); do state_of $process; done
  echo
}
while read -r word game board rest; do
  case $word in
    gauntlet) echo "ready watcher" ;;
    move)
      [ -e engine/pid ] && stands_still >> states
      before=${board%.*}
      place=${#before}
      x=$((place % 15))
      letter=$letters
      while [ "$x" -gt 0 ]; do letter=${letter#?}; x=$((x - 1)); done
      echo "0 ${letter%"${letter#?}"}$((place / 15 + 1))" ;;
  esac
done
"#;

/// An engine does not ponder while its opponent thinks.
#[test]
fn an_engine_does_not_ponder() {
    // No game here ends by a time limit, however busy the machine is.
    let start_limit = "start_millis = 100000\n";
    let opponent = format!(
        "algorithm = \"external\"\ncommand = [\"sh\", \"watcher.sh\"]\nmove_millis = 100000\n{start_limit}"
    );
    let engine = format!("turn_millis = 100000\n{start_limit}");
    let folder =
        engine_folder(&experiment(&["ponders"], &opponent, &engine).replace("games = 4", "games = 2"));
    folder.write("watcher.sh", WATCHER);
    folder.run(RUN).assert_status(0);
    let states = folder.read("states");
    // The watcher moves four or five times in each of both games.
    assert!(states.lines().count() >= 8, "{states}");
    // Before its first move of a game, the engine may compute.
    let (stopped, running): (Vec<&str>, Vec<&str>) = states.lines().partition(|line| line.starts_with('T'));
    assert!(running.len() <= 2, "{states}");
    // Processes that the engine has ended are gone. The last process that it has started would
    // ponder, so it is stopped.
    for line in stopped {
        let mut children: Vec<&str> = line.split_whitespace().skip(1).collect();
        assert_eq!(children.pop(), Some("T"), "{states}");
        assert!(children.iter().all(|state| ["T", "Z", "gone"].contains(state)), "{states}");
    }
}

/// An engine in another folder is started there, and needs no `directory`.
#[test]
fn an_engine_starts_in_its_own_folder() {
    use std::os::unix::fs::PermissionsExt;
    let text = experiment(&["needs-its-folder"], "algorithm = \"random\"", "")
        .replace("directory = \"engine\"\n", "")
        .replace("[\"sh\", \"engine.sh\", ", "[\"engine/engine.sh\", ");
    let folder = engine_folder(&text);
    folder.write("engine/engine.sh", format!("#!/bin/sh\n{ENGINE}"));
    let path = folder.path("engine/engine.sh");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    folder.run(RUN).assert_status(0);
    assert_eq!(endings(&folder).into_keys().map(|(_, ending)| ending).collect::<Vec<_>>(), ["game-over"]);
    // A changed engine plays all games again; so does one with other settings.
    folder.write("engine/engine.sh", format!("#!/bin/sh\n# changed\n{ENGINE}"));
    folder.run("check cup.toml").assert_status(0).assert_says("4 games to play");
}

/// Games count for the engine, whatever its colour. If it wins all of them, a sequential test ends.
#[test]
fn a_sweep_is_counted_for_the_winner_and_ends_a_test() {
    let text = experiment(&["good"], "algorithm = \"gomoku-greedy\"", "").replace("games = 4", "games = 400")
        + "\n[stop]\nbetter = \"ours\"\nthan = \"good\"\nelo = [0, 200]\n";
    let folder = engine_folder(&text);
    folder.run(RUN);
    let games = read_rows(&folder, "results/cup/games.csv");
    assert!(!games.is_empty() && games.len() < 200, "{} games", games.len());
    for row in games {
        assert_eq!(row[&row["winner"]], "ours", "{row:?}");
    }
}

/// Engines with several threads are played on fewer threads; if this still overloads the machine,
/// it is reported.
#[test]
fn threads_of_engines_are_counted() {
    let settings = "threads = 1000\nturn_millis = 100000\nstart_millis = 100000";
    let text = experiment(&["good"], "algorithm = \"random\"", settings);
    let folder = engine_folder(&text);
    let cores = std::thread::available_parallelism().expect("cores");
    let note = format!("1 threads, with 1000 threads per player, on {cores} cores: external programs");
    let warning = format!("machine possibly overloaded: 1000 threads on {cores} cores");
    folder.run("run cup.toml --allow-commands").assert_status(0).assert_says(&note).assert_says(&warning);
    let threads =
        |name: &str| folder.read(&format!("results/{name}/manifest.toml")).contains("\nthreads = 1\n");
    assert!(threads("cup"), "one thread plays by default");
    folder.write("cup.toml", text.replace("threads = 1000", "threads = 1"));
    let output = folder.run("run cup.toml --allow-commands").assert_status(0);
    assert!(
        !output.stderr.contains("overloaded") && !output.stdout.contains("overloaded"),
        "{}",
        output.stderr
    );
}
