//! CPU time of external programs, compared with the programs' own clocks.

#![cfg(target_os = "linux")]

use crate::bench::{Folder, read_rows};
use crate::tools::is_installed;

/// A player of 2048 that works for a known time, which its first argument selects. It records its
/// CPU time and that of its children: before `ready`, at the first game, before each answer, and at
/// the end. Its work is measured only by its clock.
const WORKER: &str = r#"
import os, resource, signal, sys, threading, time
how, millis = sys.argv[1], float(sys.argv[2])
def burn(clock, ms):
    end = clock() + ms * 1e6
    while clock() < end: pass
own = lambda: time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)
to_child, from_child = None, None
if how == "living-child":
    (down, to_child), (from_child, up) = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.setsid(); os.close(to_child); os.close(from_child)
        while word := os.read(down, 1):
            if word == b"w": burn(time.process_time_ns, millis)
            os.write(up, b"%020d" % own())
        os._exit(0)
    os.close(down); os.close(up)
def tell_child(word):
    if not to_child: return 0
    os.write(to_child, word)
    return int(os.read(from_child, 20))
def all_time():
    child = tell_child(b"?")
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own() + child + int(1e9 * (ended.ru_utime + ended.ru_stime))
def note(what):
    with open(how, "a") as file: file.write(f"{what} {all_time()}\n")
def move():
    if how == "one-thread": burn(time.process_time_ns, millis)
    if how == "two-threads":
        threads = [threading.Thread(target=burn, args=(time.thread_time_ns, millis)) for _ in range(2)]
        [thread.start() for thread in threads]; [thread.join() for thread in threads]
    tell_child(b"w")
    if how == "ended-child":
        pid = os.fork()
        if pid == 0: burn(time.process_time_ns, millis); os._exit(0)
        os.waitpid(pid, 0)
    if how == "ignored-child":
        (ended, held) = os.pipe()
        if os.fork() == 0: burn(time.process_time_ns, millis); os._exit(0)
        os.close(held); os.read(ended, 1); os.close(ended)
if how == "ignored-child": signal.signal(signal.SIGCHLD, signal.SIG_IGN)
sys.stdin.readline()
note("ready"); print("ready 1 worker", flush=True)
turn = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "new" and turn == 0: note("new")
    if words[0] == "move":
        move(); note("move"); turn += 1
        cells = [int(cell) for cell in words[2:18]]
        rows = [cells[i:i + 4] for i in (0, 4, 8, 12)]
        slides = lambda lines: any(b and (a == 0 or a == b) for line in lines for a, b in zip(line, line[1:]))
        cols = list(zip(*rows))
        print(words[1], "left" if slides(rows) else "up" if slides(cols) else "right"
              if slides([row[::-1] for row in rows]) else "down", flush=True)
    if words[0] == "quit": note("quit"); break
"#;

/// An experiment with such players, of one game each with this number of moves.
fn experiment(moves: u32, players: &[(&str, f64)]) -> Folder {
    let folder = Folder::with_file("worker.py", WORKER);
    let mut text = format!("name = \"e\"\ngame = \"2048\"\nseed = 7\ngames = 1\nmax_moves = {moves}\n");
    for (behaviour, millis) in players {
        text += &format!(
            "\n[[player]]\nname = \"{behaviour}\"\nalgorithm = \"external\"\nmove_millis = 600000\n\
             start_millis = 600000\ncommand = [\"python3\", \"worker.py\", \"{behaviour}\", \"{millis}\"]\n"
        );
    }
    folder.write("e.toml", text);
    folder
}

/// Returns the milliseconds that a player recorded on the last line with this prefix.
fn read_note(folder: &Folder, player: &str, prefix: &str) -> f64 {
    let notes = folder.read(player);
    let last = notes.lines().filter_map(|line| line.strip_prefix(prefix)).next_back().expect(prefix);
    last.trim().parse::<f64>().unwrap() / 1e6
}

/// The time of a program is at least what its own clock shows between its first game and its last
/// answer. It is at most what the clock shows between `ready` and `quit`. This holds for small
/// amounts of work, and in any of its processes. Times of other states are known to two ticks, as
/// in the table.
#[test]
fn the_time_of_a_program_is_that_of_its_own_clocks() {
    if !is_installed("python3") {
        return;
    }
    let players = [("one-thread", 0.2), ("two-threads", 0.2), ("living-child", 0.5), ("ended-child", 9.0)];
    let folder = experiment(20, &players);
    folder.run("run e.toml --allow-commands --quiet --threads 1").assert_status(0);
    let times = read_rows(&folder, "results/e/times.csv");
    for (player, _) in players {
        let rows: Vec<_> = times.iter().filter(|row| row["player"] == player).collect();
        let sum = |column: &str| rows.iter().map(|row| row[column].parse::<f64>().unwrap()).sum::<f64>();
        let (reported, unseen) = (sum("cpu_ms"), sum("unseen_ms"));
        assert_eq!(unseen, if player == "ended-child" { 20.0 } else { 0.0 }, "{player}");
        // Other processes of the program were started before, for the trial and its name.
        let note = |label| read_note(&folder, player, label);
        let (minimum, maximum) = (note("move") - note("new"), note("quit") - note("ready"));
        assert!(minimum > 0.0);
        // The last records are in microseconds, if children have ended.
        assert!(reported >= minimum - unseen - 0.01, "{player}: {reported} is less than {minimum}");
        assert!(reported <= maximum + unseen + 0.01, "{player}: {reported} is more than {maximum}");
        let table = read_rows(&folder, "results/e/ms-per-move.csv");
        let row = table.iter().find(|row| row["player"] == player).unwrap();
        let per_move: f64 = row["cpu_ms_per_move"].parse().unwrap();
        assert!((per_move * 20.0 - reported).abs() < 0.001, "{player}: {per_move} a move, {reported} in all");
    }
}

/// If a parent ignores the end of its children, the system forgets their time. The table then has a
/// bound.
#[test]
fn a_lost_time_is_told_as_a_bound() {
    if !is_installed("python3") {
        return;
    }
    let folder = experiment(5, &[("ignored-child", 30.0)]);
    folder.run("run e.toml --allow-commands --quiet --threads 1").assert_status(0);
    let times = read_rows(&folder, "results/e/times.csv");
    let sum = |column: &str| times.iter().map(|row| row[column].parse::<f64>().unwrap()).sum::<f64>();
    assert!(sum("cpu_ms") + sum("unseen_ms") >= 5.0 * 30.0, "{times:?}");
    let table = read_rows(&folder, "results/e/ms-per-move.csv");
    let bound: f64 = table[0]["cpu_ms_per_move"].strip_prefix('<').expect("a bound").parse().unwrap();
    assert!(bound >= 30.0, "{bound}");
}

/// A time below the clock's resolution is not 0. Tables and the page show a bound, and comparisons
/// exclude this time.
#[test]
fn a_time_below_the_clock_is_told_as_such() {
    if !is_installed("python3") {
        return;
    }
    let folder = experiment(1, &[("ended-child", 0.0), ("one-thread", 0.2)]);
    let output = folder.run("run e.toml --allow-commands --threads 1").assert_status(0);
    let line = output.stdout.lines().find(|line| line.starts_with("ended-child") && line.contains(" < "));
    // Two ticks and what was seen: less than 40 ms on any machine.
    let is_bound = |line: &str| line.contains(" < 2") || line.contains(" < 3");
    assert!(line.is_some_and(|line| is_bound(line) && !line.contains("0 ns")), "{}", output.stdout);
    let table = read_rows(&folder, "results/e/ms-per-move.csv");
    let cell = |player: &str| &table.iter().find(|row| row["player"] == player).unwrap()["cpu_ms_per_move"];
    let bound: f64 = cell("ended-child").strip_prefix('<').expect("a bound").parse().unwrap();
    // Two ticks, and what was seen.
    assert!((20.0..40.0).contains(&bound), "{bound}");
    assert!(cell("one-thread").parse::<f64>().unwrap() >= 0.2);
    // The table is read back unchanged.
    let report = folder.run("report results/e --table ms-per-move --format csv").assert_status(0);
    assert_eq!(report.stdout, folder.read("results/e/ms-per-move.csv"));
    let comparison = folder.run("compare results/e --by ms-per-move").assert_status(0);
    assert!(comparison.stdout.contains("below its clock's resolution"), "{}", comparison.stdout);
    folder.run("report results/e --out page.html").assert_status(0);
    let page = folder.read("page.html");
    assert!(
        page.contains(&format!("&lt;{bound:.6}")) || page.contains(&format!("&lt; {bound:.0} ms")),
        "the page shows the bound"
    );
}
