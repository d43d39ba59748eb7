//! The live page: what it shows, who may read it, and that no reader can disturb a run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::bench::{ENDLESS, Folder, GAMES, ProgramOutput, classics_with_games, read_rows, short_experiment};
use crate::browser::digest;

mod browser;
mod tune;

/// A program with a live page, and the page's link.
pub(crate) struct LivePageProcess {
    child: Child,
    /// The first part of its standard error.
    link: String,
    errors: BufReader<std::process::ChildStderr>,
}

impl LivePageProcess {
    /// Starts `gauntlet` with these arguments, and waits for its link.
    pub(crate) fn start(folder: &Folder, arguments: &str) -> LivePageProcess {
        let mut child = folder.start(arguments);
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut link = String::new();
        while !link.starts_with("live: ") {
            link.clear();
            assert!(errors.read_line(&mut link).unwrap() > 0, "{arguments} tells no link");
        }
        LivePageProcess { child, link: link["live: ".len()..].trim().to_owned(), errors }
    }

    /// Returns its address, and the path of the page.
    pub(crate) fn address_and_path(&self) -> (SocketAddr, String) {
        let rest = self.link.strip_prefix("http://").expect("a link");
        let (host, path) = rest.split_once('/').expect("a path");
        let port = host.rsplit_once(':').expect("a port").1;
        (format!("127.0.0.1:{port}").parse().unwrap(), format!("/{path}"))
    }

    /// Requests a path below the page's.
    pub(crate) fn request(&self, path: &str) -> TcpStream {
        let (address, page_path) = self.address_and_path();
        send_request(
            address,
            &format!("GET {page_path}{path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", address.port()),
        )
    }

    pub(crate) fn pictures(&self) -> Pictures {
        Pictures { stream: BufReader::new(self.request("events")), drawings: Value::Null, as_of: Value::Null }
    }

    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    pub(crate) fn end(mut self) -> ProgramOutput {
        let mut rest = String::new();
        self.errors.read_to_string(&mut rest).unwrap();
        let mut output = ProgramOutput::new("live", &self.child.wait_with_output().unwrap());
        output.stderr = rest;
        output
    }
}

/// Opens a connection and sends a request.
fn send_request(address: SocketAddr, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads the whole answer to a request.
pub(crate) fn read_answer(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    // A closed connection has no answer.
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// The events sent to a page: name and data. Drawings and the time precede the picture that they
/// belong to, and are inserted into it.
pub(crate) struct Pictures {
    stream: BufReader<TcpStream>,
    drawings: Value,
    as_of: Value,
}

impl Iterator for Pictures {
    type Item = (String, Value);

    fn next(&mut self) -> Option<(String, Value)> {
        let mut name = "message".to_owned();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let mut data: Value = serde_json::from_str(data).expect("JSON");
                if name == "drawings" {
                    self.drawings = data;
                    name = "message".to_owned();
                    continue;
                }
                if name == "as-of" {
                    self.as_of = data;
                    name = "message".to_owned();
                    continue;
                }
                if name == "message" {
                    assert!(data["drawings"].is_null(), "drawings are sent apart");
                    data["drawings"] = self.drawings.clone();
                    data["as-of"] = self.as_of.clone();
                }
                return Some((name, data));
            }
        }
    }
}

/// Returns the last picture of a run, with all events after it.
pub(crate) fn last_picture(
    pictures: impl IntoIterator<Item = (String, Value)>,
) -> (Value, Vec<(String, Value)>) {
    let events: Vec<_> = pictures.into_iter().collect();
    let index = events.iter().rposition(|(name, _)| name == "message").expect("a picture");
    (events[index].1.clone(), events[index + 1..].to_vec())
}

#[test]
fn a_run_is_shown_as_it_goes_and_plays_the_same_games() {
    let (folder, undisturbed) = crate::bench::play_classics();
    let live_page = LivePageProcess::start(&folder, "run classics.toml --live=0 --threads 2");
    assert!(read_answer(live_page.request("")).contains("<title>live – gauntlet</title>"));
    let events: Vec<_> = live_page.pictures().collect();
    let output = live_page.end().assert_status(0);
    assert!(output.stdout.contains("win-rate"), "the tables are printed as ever");
    assert_eq!(folder.read(GAMES), undisturbed);

    // The number of looks depends on time; another test, of an endless run, requires one.
    let games_done: Vec<u64> =
        events.iter().filter_map(|(_, picture)| picture["progress"]["done"].as_u64()).collect();
    assert!(games_done.is_sorted(), "{games_done:?}");
    let (picture, later_events) = last_picture(events);
    assert_eq!((&picture["state"], &picture["progress"]["done"]), (&"finished".into(), &180_000.into()));
    assert_eq!(picture["report"], "gauntlet report results/classics");
    // At the end the numbers equal those of the table.
    for row in read_rows(&folder, "results/classics/win-rate.csv") {
        let player =
            picture["players"].as_array().unwrap().iter().find(|player| player["name"] == *row["player"]);
        let strength = &player.unwrap()["strength"];
        for (key, column) in [("value", "win_rate"), ("low", "win_rate_low"), ("high", "win_rate_high")] {
            let (page_value, table_value) =
                (strength[key].as_f64().unwrap(), row[column].parse::<f64>().unwrap());
            assert!((page_value - table_value).abs() < 1e-6, "{column}: {page_value} and {table_value}");
        }
    }
    let names: Vec<&str> = later_events.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["report", "end"]);
    let report = later_events[0].1.as_str().unwrap();
    assert!(report.starts_with("<!doctype html>") && report.contains("gauntlet report"), "no report is sent");
}

/// A page that reconnects may still show drawings of another run.
#[test]
fn a_run_says_first_that_it_has_no_drawings() {
    let folder = Folder::new();
    // No game ends, so there is nothing to draw, however late the request is.
    folder.write(
        "endless.toml",
        "name = 'endless'\ngame = '2048'\nseed = 1\ngames = 2\n\
        [[player]]\nalgorithm = 'expectimax'\nnodes = 4_000_000_000\n",
    );
    let live_page = LivePageProcess::start(&folder, "run endless.toml --live=0");
    let lines = BufReader::new(live_page.request("events")).lines().map(Result::unwrap);
    let data = lines.filter(|line| line.starts_with("event: ") || line.starts_with("data: ")).take(3);
    let data: Vec<String> = data.collect();
    assert_eq!(data[..2], ["event: drawings", "data: []"]);
    let first: Value = serde_json::from_str(&data[2]["data: ".len()..]).unwrap();
    assert_eq!((&first["kind"], &first["title"]), (&"run".into(), &"endless".into()));
    live_page.signal("-KILL");
    live_page.end();
}

/// A page on which nothing changes still says that it is of now: the look found nothing new.
#[test]
fn a_page_says_when_its_files_were_read() {
    let folder = Folder::new();
    folder.write("short.toml", short_experiment(200));
    folder.run("run short.toml --shard 1/2 --quiet").assert_status(0);
    let start = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64();
    let live_page = LivePageProcess::start(&folder, "live short.toml --address 0");
    let lines = BufReader::new(live_page.request("events")).lines().map(Result::unwrap);
    let mut times =
        lines.skip_while(|line| line != "event: as-of").filter(|line| line.starts_with("data: ["));
    let [first, second] = [(); 2].map(|()| {
        let data: [f64; 2] = serde_json::from_str(&times.next().expect("a time")["data: ".len()..]).unwrap();
        data
    });
    live_page.signal("-KILL");
    live_page.end();
    assert!(first[0] >= start - 1.0 && second[0] > first[0], "{first:?} and {second:?}");
    assert!(first[1] >= 0.0 && second[1] >= 0.0, "{first:?} and {second:?}");
}

/// Two players of Gomoku until their test is decided, from the start and from the middle.
#[test]
fn ratings_and_a_stop_are_those_of_the_tables() {
    let folder = Folder::new();
    let duel = "name = 'duel'\ngame = 'gomoku'\nseed = 5\ngames = 4000\n\
        [[player]]\nname = 'best'\nalgorithm = 'gomoku-greedy'\n[[player]]\nname = 'any'\nalgorithm = 'random'\n\
        [[player]]\nname = 'other'\nalgorithm = 'gomoku-greedy'\n\
        [stop]\nbetter = 'best'\nthan = 'other'\nelo = [-0.02, 0.02]\n";
    folder.write("duel.toml", duel);
    let said = folder.run("check duel.toml");
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let shown = LivePageProcess::start(&folder, "run duel.toml --live=0 --threads 1");
    let mut pictures = shown.pictures();
    let first = pictures.find(|(_, picture)| picture["progress"]["done"].as_u64() > Some(50));
    drop(pictures);
    let stop = &first.expect("games are played").1["stop"];
    let (lower, upper) = (stop["lower"].as_f64().unwrap(), stop["upper"].as_f64().unwrap());
    assert!(lower < 0.0 && upper > 0.0 && stop["value"].is_number(), "{stop}");
    shown.signal("-KILL");
    shown.end();

    let shown = LivePageProcess::start(&folder, "run duel.toml --live=0 --threads 1");
    let all: Vec<_> = shown.pictures().collect();
    shown.end().assert_status(0);
    let (picture, _) = last_picture(all);
    assert_eq!(picture["state"], "finished");
    for row in read_rows(&folder, "results/duel/elo.csv") {
        let player =
            picture["players"].as_array().unwrap().iter().find(|player| player["name"] == *row["player"]);
        let page_elo = player.unwrap()["strength"]["value"].as_f64();
        assert!(
            (page_elo.unwrap() - row["elo"].parse::<f64>().unwrap()).abs() < 0.06,
            "{page_elo:?} and {row:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_as_ever_and_the_page_says_so() {
    let folder = Folder::new();
    folder.write("classics.toml", classics_with_games(ENDLESS));
    let live_page = LivePageProcess::start(&folder, "run classics.toml --live=0");
    let mut pictures = live_page.pictures();
    assert!(pictures.any(|(_, picture)| picture["progress"]["done"].as_u64() > Some(0)));
    let interrupted_at = Instant::now();
    live_page.signal("-INT");
    let (picture, later_events) = last_picture(pictures);
    assert_eq!(picture["state"], "stopped");
    assert!(
        picture["said"].as_str().unwrap().contains("See the terminal for the reason and how to resume"),
        "{picture}"
    );
    assert_eq!(later_events.len(), 1, "nothing is reported of a run that has not ended");
    live_page.end().assert_status(130).assert_says("to resume");
    assert!(interrupted_at.elapsed() < Duration::from_secs(10), "{:?}", interrupted_at.elapsed());
}

/// Requests to a page on loopback, or at another address: another user of the machine has no token.
fn assert_token_required(folder: &Folder, arguments: &str) {
    let live_page = LivePageProcess::start(folder, arguments);
    let (address, page_path) = live_page.address_and_path();
    assert_eq!(page_path.len(), 34, "a token of 32 digits: {page_path}");
    let status_line = |arguments: &str, host: &str| {
        let text =
            read_answer(send_request(address, &format!("{arguments} HTTP/1.1\r\nHost: {host}\r\n\r\n")));
        text.lines().next().unwrap_or_default().to_owned()
    };
    let own_host = format!("127.0.0.1:{}", address.port());
    assert_eq!(status_line(&format!("GET {page_path}"), &own_host), "HTTP/1.1 200 OK", "{arguments}");
    let is_loopback = !arguments.contains("0.0.0.0");
    let (rebound_host, refusal) = (format!("evil.example:{}", address.port()), "HTTP/1.1 421 Refused");
    for path in ["", "events"] {
        let rebound_host = status_line(&format!("GET {page_path}{path}x"), &rebound_host);
        assert_eq!(rebound_host == refusal, is_loopback, "{arguments}: {rebound_host}");
        assert_eq!(status_line(&format!("POST {page_path}{path}"), &own_host), "HTTP/1.1 405 Refused");
    }
    let guessed_path = "/0123456789abcdef0123456789abcdef/";
    for path in ["/", "/events", guessed_path, &page_path[..33], "/../", "/results/classics/journal.jsonl"] {
        for method in ["GET", "POST"] {
            let refusal = status_line(&format!("{method} {path}"), &own_host);
            assert_eq!(refusal, "HTTP/1.1 403 Refused", "{arguments}: {method} {path}");
        }
    }
    assert_eq!(status_line(&format!("GET {page_path}journal.jsonl"), &own_host), "HTTP/1.1 404 Refused");
    assert_eq!(status_line("nonsense", &own_host), "HTTP/1.1 400 Refused");
    // No page of another origin is permitted to read this one.
    let page = read_answer(live_page.request(""));
    assert!(!page.to_lowercase().contains("access-control-allow"), "{page}");
    // The token is only in the printed link.
    let token = page_path.trim_matches('/');
    let (_, picture) = live_page.pictures().next().expect("a picture");
    assert!(!page.contains(token) && !picture.to_string().contains(token), "{page}{picture}");
    for part in
        ["Content-Security-Policy: default-src 'none'", "X-Frame-Options: DENY", "no-referrer", "nosniff"]
    {
        assert!(page.contains(part), "{part}");
    }
    live_page.signal("-INT");
    let output = live_page.end().assert_status(130);
    assert!(
        !output.stderr.contains(token) && !output.stdout.contains(token),
        "{}{}",
        output.stdout,
        output.stderr
    );
}

#[test]
fn only_the_token_opens_the_page_and_nothing_can_be_done() {
    let folder = Folder::new();
    folder.write("classics.toml", classics_with_games(ENDLESS));
    assert_token_required(&folder, "run classics.toml --live=0");
    assert_token_required(&folder, "run classics.toml --live=localhost:0");
    assert_token_required(&folder, "run classics.toml --live=0.0.0.0:0");
    // The token is not in the folder, either: `gauntlet live` has another token each time.
    let [one, other] = [0, 1].map(|_| {
        let live_page = LivePageProcess::start(&folder, "live classics.toml --address 0");
        let (_, page_path) = live_page.address_and_path();
        assert!(read_answer(live_page.request("")).starts_with("HTTP/1.1 200 OK"));
        live_page.signal("-KILL");
        live_page.end();
        page_path
    });
    assert!(one.len() == 34 && one != other, "{one} {other}");
}

/// Older tables are not the end of active shards, even if no lock shows their activity.
#[test]
fn shards_have_not_ended_while_games_are_missing() {
    let folder = Folder::new();
    folder.write("short.toml", short_experiment(200));
    folder.run("run short.toml --quiet").assert_status(0);
    folder.run("run short.toml --shard 1/2 --quiet").assert_status(0);
    let live_page = LivePageProcess::start(&folder, "live short.toml --address 0");
    let (_, picture) = live_page.pictures().next().expect("a picture");
    assert_eq!((&picture["state"], &picture["progress"]["done"]), (&"plays".into(), &300.into()));
    live_page.signal("-KILL");
    live_page.end();
}

/// Readers that send nothing, send too much, read nothing, or are too many.
#[test]
fn no_reader_disturbs_a_run() {
    let folder = Folder::new();
    // One player is a program that waits for a file, so the run ends after the last reader was
    // served, on any machine; meanwhile the other players play.
    let gate = "[[player]]\nname = \"waits\"\nalgorithm = \"external\"\ncommand = [\"sh\", \"gate.sh\"]\n\
                start_millis = 600000\n";
    folder.write("classics.toml", format!("{}{gate}", classics_with_games(30)));
    folder.copy_from_repository("examples/players");
    folder.write("gate.sh", "until [ -e open ]; do sleep 0.05; done\nexec sh examples/players/first.sh\n");
    folder.write("open", "");
    folder.run("run classics.toml --allow-commands --quiet --results undisturbed").assert_status(0);
    std::fs::remove_file(folder.path("open")).expect("a file");
    let live_page =
        LivePageProcess::start(&folder, "run classics.toml --allow-commands --live=0 --threads 2");
    let (address, page_path) = live_page.address_and_path();
    let host = format!("Host: {address}\r\n");
    let ask = |path: &str| send_request(address, &format!("GET {page_path}{path} HTTP/1.1\r\n{host}\r\n"));
    let long = send_request(address, &format!("GET /{} HTTP/1.1\r\n", "x".repeat(7900)));
    (&long).write_all("y".repeat(400).as_bytes()).unwrap();
    assert!(read_answer(long).starts_with("HTTP/1.1 431 "));
    // They never read an answer, or never complete a request.
    let deaf: Vec<TcpStream> = (0..10).map(|_| ask("events")).collect();
    let slow: Vec<TcpStream> = (0..40).map(|_| send_request(address, "GET /")).collect();
    // One more is served, even if readers that read nothing have all places.
    let assert_page_served = |situation: &str| {
        let page = read_answer(ask(""));
        assert!(page.starts_with("HTTP/1.1 200 OK"), "{situation}: {page}");
    };
    assert_page_served("beside silent ones");
    let deafer: Vec<TcpStream> = (0..40).map(|_| ask("events")).collect();
    assert_page_served("beside readers that take nothing");
    // The run continues to its end, although nobody reads.
    folder.write("open", "");
    live_page.end().assert_status(0);
    drop((deaf, slow, deafer));
    assert_eq!(folder.read(GAMES), folder.read("undisturbed/classics/games.csv"));
}

/// A program that exits in each of its games.
const FAILS: &str = "name = 'fails'\ngame = '2048'\nseed = 1\ngames = 4\n[[player]]\nname = 'any'\nalgorithm = 'random'\n\
    [[player]]\nname = 'broken'\nalgorithm = 'external'\ncommand = ['sh', 'fails.sh']\n";

/// Writes an experiment whose program waits for the file `open`, so that a reader can connect
/// before the end.
fn write_gated(folder: &Folder, name: &str) {
    let players = "[[player]]\nname = 'any'\nalgorithm = 'random'\n\
        [[player]]\nname = 'waits'\nalgorithm = 'external'\ncommand = ['sh', 'gate.sh']\nstart_millis = 600000\n";
    folder.write(
        &format!("{name}.toml"),
        format!("name = '{name}'\ngame = '2048'\nseed = 1\ngames = 20\n{players}"),
    );
    folder.copy_from_repository("examples/players");
    folder.write("gate.sh", "until [ -e open ]; do sleep 0.05; done\nexec sh examples/players/first.sh\n");
}

/// Returns the last picture of a command whose first picture was read before the gate opened.
fn last_behind_gate(folder: &Folder, arguments: &str) -> (Value, ProgramOutput) {
    let _ = std::fs::remove_file(folder.path("open"));
    let live_page = LivePageProcess::start(folder, arguments);
    let mut pictures = live_page.pictures();
    pictures.next().expect("a picture");
    folder.write("open", "");
    let (picture, _) = last_picture(pictures);
    (picture, live_page.end())
}

#[test]
fn a_shard_that_is_complete_has_ended() {
    let folder = Folder::new();
    write_gated(&folder, "gated");
    let (picture, output) =
        last_behind_gate(&folder, "run gated.toml --shard 1/2 --live=0 --allow-commands --threads 2");
    output.assert_status(0);
    assert_eq!(picture["state"], "finished", "{picture}");
    assert!(picture["said"].as_str().unwrap().starts_with("Shard 1/2 is complete. "), "{picture}");
    assert_eq!(picture["progress"]["done"], 20);
}

#[test]
fn a_run_that_skips_a_player_says_so() {
    let folder = Folder::new();
    write_gated(&folder, "gated");
    folder.write("gate.sh", "until [ -e open ]; do sleep 0.05; done\nexit 3\n");
    let (picture, output) = last_behind_gate(&folder, "run gated.toml --live=0 --allow-commands --threads 2");
    output.assert_status(1).assert_says(" failed in ");
    assert_eq!((&picture["state"], &picture["progress"]["done"]), (&"finished".into(), &20.into()));
    let words = picture["said"].as_str().unwrap();
    assert!(words.starts_with("All games of the other players are played"), "{picture}");
    assert!(words.contains("skipped waits, which failed in 10 games in a row"), "{picture}");
}

/// While there are no tables, the page shows the sums of all players but a broken one.
#[test]
fn a_skipped_player_hides_no_other_player() {
    let folder = Folder::new();
    folder.write("broken.sh", "exit 3\n");
    folder.write(
        "e.toml",
        "name = 'e'\ngame = '2048'\nseed = 1\ngames = 60\n\
         [[player]]\nname = 'any'\nalgorithm = 'random'\n\
         [[player]]\nname = 'broken'\nalgorithm = 'external'\ncommand = ['sh', 'broken.sh']\n",
    );
    folder.run("run e.toml --quiet --allow-commands").assert_status(1);
    std::fs::remove_file(folder.path("results/e/manifest.toml")).unwrap();
    let live_page = LivePageProcess::start(&folder, "live e.toml --address 0");
    let (_, picture) = live_page.pictures().next().expect("a picture");
    let players = picture["players"].as_array().expect("players");
    let any = players.iter().find(|player| player["name"] == "any").expect("a player");
    assert!(any["strength"]["value"].is_number(), "{picture}");
    assert!(picture["said"].as_str().unwrap().contains("without skipped players"), "{picture}");
    live_page.signal("-TERM");
    live_page.end();
}

/// Tables that came without a journal stay. New tables go into a folder next to them.
#[test]
fn a_run_whose_tables_go_elsewhere_names_that_folder() {
    let folder = Folder::new();
    write_gated(&folder, "gated");
    folder.write("open", "");
    folder.run("run gated.toml --allow-commands --quiet").assert_status(0);
    std::fs::remove_file(folder.path("results/gated/journal.jsonl")).expect("a journal");
    let (picture, output) = last_behind_gate(&folder, "run gated.toml --live=0 --allow-commands --threads 2");
    output.assert_status(0);
    assert_eq!(picture["state"], "finished", "{picture}");
    let output = picture["said"].as_str().unwrap();
    assert!(output.ends_with("results in results/gated/replayed."), "{output}");
    assert_eq!(picture["report"], "gauntlet report results/gated/replayed");
}

#[test]
fn a_run_that_cannot_begin_is_not_shown_as_the_one_before() {
    let folder = Folder::new();
    write_gated(&folder, "one");
    folder.write("two.toml", short_experiment(20).replace("short", "two"));
    // No file can be written below a file.
    folder.write("results/two", "");
    let (picture, output) =
        last_behind_gate(&folder, "run one.toml two.toml --live=0 --allow-commands --threads 2");
    output.assert_status(1);
    assert_eq!((&picture["title"], &picture["state"]), (&"two".into(), &"failed".into()), "{picture}");
    assert_eq!((&picture["progress"]["done"], &picture["report"]), (&0.into(), &"".into()), "{picture}");
}

#[test]
fn forfeits_are_warned_of() {
    let folder = Folder::new();
    folder.write("fails.toml", FAILS);
    folder.write("fails.sh", "read -r all\necho ready fails\nread -r new\nread -r move\nexit 3\n");
    let live_page = LivePageProcess::start(&folder, "run fails.toml --live=0 --allow-commands");
    let (picture, _) = last_picture(live_page.pictures());
    live_page.end().assert_status(0);
    let warnings = |picture: &Value| picture["warnings"].to_string();
    assert!(warnings(&picture).contains("broken has forfeited 4 games"), "{picture}");
    folder.run("run fails.toml --shard 1/2 --allow-commands --quiet --results divided").assert_status(0);
    let live_page = LivePageProcess::start(&folder, "live fails.toml --results divided --address 0");
    let (_, picture) = live_page.pictures().next().expect("a picture");
    assert!(warnings(&picture).contains("broken has forfeited 2 games"), "{picture}");
    live_page.signal("-KILL");
    live_page.end();
}

/// A killed task leaves a shard that makes no progress.
#[test]
fn silent_shards_are_warned_of() {
    let folder = Folder::new();
    folder.write("short.toml", short_experiment(200));
    folder.run("run short.toml --shard 1/2 --quiet").assert_status(0);
    let journal = folder.read("results/short/journal-1-of-2.jsonl");
    let lines: Vec<&str> = journal.lines().collect();
    // Without its last games, and without the record of its end.
    folder.write("results/short/journal-1-of-2.jsonl", lines[..lines.len() - 2].join("\n") + "\n");
    folder.run("run short.toml --shard 2/2 --quiet").assert_status(0);
    let live_page = LivePageProcess::start(&folder, "live short.toml --address 0");
    let (_, picture) = live_page.pictures().next().expect("a picture");
    let warning = picture["warnings"][0].as_str().expect("a warning");
    assert!(warning.starts_with("silent unfinished shards: 1/2 for "), "{picture}");
    assert!(!warning.contains("2/2"), "{picture}");
    live_page.signal("-KILL");
    live_page.end();
}

#[test]
fn an_address_that_cannot_be_had_is_told_before_the_first_game() {
    let folder = Folder::new();
    folder.write("short.toml", short_experiment(10));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    folder
        .run(&format!("run short.toml --live={address}"))
        .assert_status(1)
        .assert_says("cannot listen on 127.0.0.1:");
    assert!(!folder.path("results").exists());
    folder.run("run short.toml --live=no:such:thing").assert_status(2).assert_says("is not an address");
}

#[test]
fn a_folder_that_shards_fill_is_shown_until_its_tables_are_there() {
    let folder = Folder::new();
    folder.write("short.toml", short_experiment(2000));
    folder.run("run short.toml --shard 1/2 --quiet").assert_status(0);
    let live_page = LivePageProcess::start(&folder, "live short.toml --address 0");
    let mut pictures = live_page.pictures();
    let (_, picture) = pictures.next().expect("a picture");
    assert_eq!(picture["progress"]["done"], 3000);
    assert!(
        picture["said"].as_str().unwrap().contains("2 shards: 1 complete, 1 not started here"),
        "{picture}"
    );
    // The first half of the blocks is there, so players have numbers.
    assert!(picture["players"][0]["strength"]["value"].is_number(), "{picture}");
    assert!(picture["said"].as_str().unwrap().contains("is unfinished"), "{picture}");
    folder.run("run short.toml --shard 2/2 --quiet").assert_status(0);
    folder.run("merge short.toml").assert_status(0);
    let (picture, later_events) = last_picture(pictures);
    assert_eq!((&picture["state"], &picture["progress"]["done"]), (&"finished".into(), &6000.into()));
    assert_eq!(later_events.len(), 2, "a report and the end");
    live_page.end().assert_status(0).assert_says("has ended: gauntlet report results/short");
    // A finished run has nothing to follow.
    folder.run("live results/short").assert_status(0).assert_says("has ended");
}

/// The browser runs only the script of the page: the policy contains its digest.
#[test]
fn the_page_allows_no_script_but_its_own() {
    let folder = Folder::new();
    folder.write("classics.toml", classics_with_games(ENDLESS));
    let live_page = LivePageProcess::start(&folder, "run classics.toml --live=0");
    let page = read_answer(live_page.request(""));
    live_page.signal("-KILL");
    live_page.end();
    let script = page.split_once("<script>").expect("a script").1.split_once("</script>").unwrap().0;
    let policy = format!("script-src '{}' ", digest(script.as_bytes()));
    assert!(page.contains(&policy), "the digest in extras/live/src/document.rs has to be of {policy}");
}

#[test]
fn an_absent_file_is_told() {
    Folder::new().run("live absent.toml").assert_status(2).assert_says("no such ").assert_says("absent");
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("live", ::live::COMMANDS);
}
