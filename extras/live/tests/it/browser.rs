//! The live page in a browser, if one is installed. The page is tested on a phone, in dark mode,
//! under its own policy, and while a program is stopped and restarted.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{LivePageProcess, last_picture, read_answer};
use crate::bench::{Folder, short_experiment};
use crate::browser::{find_browser, open_page};

/// Writes the received page to a file, in a frame that can be as narrow as a phone, with `picture`
/// as its data. The page's policy applies to everything except the script that replaces the
/// connection.
pub(crate) fn write_framed_page(folder: &Folder, page: &str, picture: &Value) {
    let (head, html) = page.split_once("\r\n\r\n").expect("a head");
    let policy =
        head.lines().find_map(|line| line.strip_prefix("Content-Security-Policy: ")).expect("a policy");
    // This directive is only valid in an HTTP header.
    let policy = policy.replace("; frame-ancestors 'none'", "");
    let script_literal =
        |value: &Value| serde_json::to_string(&value.to_string()).unwrap().replace('<', "\\u003c");
    let injected_head = format!(
        "<head><script>window.EventSource = class {{
            addEventListener(name, hear) {{
                if (name === 'message') hear({{ data: {} }});
                if (name === 'drawings') hear({{ data: {} }});
                if (name === 'as-of') hear({{ data: {} }});
            }}
            close() {{}}
        }};</script><meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">",
        script_literal(picture),
        script_literal(if picture["drawings"].is_array() {
            &picture["drawings"]
        } else {
            const { &Value::Array(Vec::new()) }
        }),
        script_literal(&picture["as-of"])
    );
    folder.write("inner.html", html.replacen("<head>", &injected_head, 1));
}

/// Returns a picture with everything that a page can show, and with markup as names.
fn full_picture(folder: &Folder) -> (String, Value) {
    folder.write(
        "slow.toml",
        "name = 'slow'\ngame = 'gomoku'\nseed = 1\ngames = 40000\n[[player]]\nname = 'a'\nalgorithm = 'gomoku-greedy'\n\
         [[player]]\nname = 'deep and a name that is long enough to be broken on a phone'\n\
         algorithm = 'gomoku-alphabeta'\ndepth = 4\n[stop]\nbetter = 'a'\n\
         than = 'deep and a name that is long enough to be broken on a phone'\nelo = [-0.02, 0.02]\n",
    );
    let shown = LivePageProcess::start(folder, "run slow.toml --live=0 --threads 1");
    let page = read_answer(shown.request(""));
    let is_full = |picture: &Value| picture["progress"]["done"].as_u64() > Some(3);
    let (_, mut picture) = shown.pictures().find(|(_, picture)| is_full(picture)).expect("a picture");
    shown.signal("-KILL");
    shown.end();
    picture["players"][0]["name"] = "<b>bold</b>".into();
    picture["finished"][0]["how"] = "</script><script>alert(2)</script>".into();
    picture["warnings"] = serde_json::json!(["<img src=x onerror=alert(1)>", "machine overloaded"]);
    (page, picture)
}

#[test]
fn a_browser_shows_it_within_a_phone_and_runs_no_word_from_outside() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    let (page, picture) = full_picture(&folder);
    write_framed_page(&folder, &page, &picture);
    let html = "<!doctype html><body style='margin:0'><iframe src='inner.html' style='border:0;width:380px;height:1800px' onload='
        const page = this.contentDocument.documentElement;
        const text = (id) => this.contentDocument.getElementById(id).textContent;
        document.title = [page.clientWidth, page.scrollWidth, page.querySelectorAll(`b, img`).length,
            page.querySelectorAll(`.rows li`).length, text(`lead`),
            page.querySelector(`header`).contains(page.querySelector(`#warnings`)),
            page.querySelectorAll(`#warnings ~ #lead`).length,
            page.querySelectorAll(`#warnings .warning`)[1].textContent].join(`|`)'>";
    folder.write("page.html", html);
    let (dom, urls) = open_page(&browser, &folder, &["--dump-dom", "--allow-file-access-from-files"]);
    let title = title_of(&dom);
    let parts: Vec<&str> = title.split('|').collect();
    assert_eq!(parts.len(), 8, "{title:?}");
    assert_eq!((parts[0], parts[1]), ("380", "380"), "wider than a phone");
    assert_eq!((parts[2], parts[3]), ("0", "2"), "{title}");
    assert!(parts[4].starts_with("Running: "), "{title}");
    // Warnings are above everything else.
    assert_eq!(parts[5..], ["true", "1", "machine overloaded"], "{title}");
    assert!(urls.is_empty(), "{urls:?}");
    open_in_light_and_dark(&browser, &folder, "live", 0, 1800);
}

/// Evaluates an expression in the page, in a frame as wide as a phone.
fn ask_phone(browser: &str, folder: &Folder, expression: &str) -> String {
    let page = format!(
        "<!doctype html><body style='margin:0'><iframe src='inner.html' style='border:0;width:380px;height:1800px' onload='
        const all = (words) => [...this.contentDocument.querySelectorAll(words)];
        const one = (words) => all(words)[0];
        document.title = [{expression}].join(`|`)'>"
    );
    folder.write("page.html", page);
    let (dom, _) = open_page(browser, folder, &["--dump-dom", "--allow-file-access-from-files"]);
    title_of(&dom).to_owned()
}

/// A page without news for long says so, and shows no time left.
#[test]
fn a_browser_shows_no_time_left_of_an_old_page() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    let (page, mut picture) = full_picture(&folder);
    picture["progress"]["pace"] = serde_json::json!(["9 games/s", "1:23 left"]);
    // A picture from an hour in the future is not out of date, however slow the browser is.
    for (age, expected) in [(-3600, "note|true|As of "), (3600, "warning|false|Out of date: as of ")] {
        picture["as-of"] = serde_json::json!([1_700_000_000, age]);
        write_framed_page(&folder, &page, &picture);
        let expression = "one(`#as-of`).className, one(`#progress`).textContent.includes(`left`), one(`#as-of`).textContent";
        let answer = ask_phone(&browser, &folder, expression);
        assert!(answer.starts_with(expected), "{age}: {answer}");
        assert_eq!(answer.ends_with(", 1 h ago."), age > 0, "{age}: {answer}");
    }
}

/// The last picture of a stopped run: the bound that was reached, and the decision.
#[test]
fn a_browser_shows_how_a_stop_was_decided() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    folder.write(
        "duel.toml",
        "name = 'duel'\ngame = 'gomoku'\nseed = 5\ngames = 40000\n[[player]]\nname = 'best'\nalgorithm = 'gomoku-greedy'\n\
         [[player]]\nname = 'any'\nalgorithm = 'random'\n[stop]\nbetter = 'best'\nthan = 'any'\nelo = [0, 1]\n",
    );
    let shown = LivePageProcess::start(&folder, "run duel.toml --live=0 --threads 1");
    let page = read_answer(shown.request(""));
    let (picture, _) = last_picture(shown.pictures());
    shown.end().assert_status(0);
    assert_eq!(picture["state"], "finished", "{picture}");
    write_framed_page(&folder, &page, &picture);
    let answer = ask_phone(
        &browser,
        &folder,
        "one(`#stop`).hidden, one(`#stop .mark-now`).style.left, one(`#stop .ends`).textContent, one(`#stop .note`).textContent,
        one(`#lead`).textContent, one(`#said`).textContent",
    );
    let words: Vec<&str> = answer.split('|').collect();
    assert_eq!(words[..3], ["false", "100%", "-2.942.94"], "{answer}");
    assert!(words[3].starts_with("log ratio ") && words[4].starts_with("The run has ended: 100"), "{answer}");
    assert!(words[5].starts_with("best vs any: Elo +"), "{answer}");
    assert!(
        words[5].contains("SPRT [0, 1] Elo, ") && words[5].contains(" of at most 20,000 pairs"),
        "{answer}"
    );
    let [blocks, games] = [&picture["stop"]["words"], &picture["progress"]["done"]];
    assert!(games.as_u64().is_some_and(|games| games < 40_000), "it was not stopped: {blocks}");
}

/// Checks light and dark mode by the computed colours of the page and of its drawings.
/// GAUNTLET_SHOTS is a folder for screenshots.
pub(crate) fn open_in_light_and_dark(
    browser: &str,
    folder: &Folder,
    name: &str,
    drawings: usize,
    height: u32,
) {
    let page = folder.read("page.html");
    for (is_dark, paper, ink) in
        [(false, "rgb(254, 254, 254)", "#59636e"), (true, "rgb(20, 23, 27)", "#a3adb8")]
    {
        let colours = page.replace("document.title =", "const unused =").replace(
            "onload='",
            "onload='
            const style = this.contentWindow.getComputedStyle(this.contentDocument.body);
            const drawn = [...this.contentDocument.querySelectorAll(`.drawing img`)].map((one) => decodeURIComponent(one.src));
            document.title = [style.backgroundColor, drawn.length, drawn.filter((one) => one.includes(`INK`)
                && !one.includes(`var(`)).length].join(`|`);",
        );
        folder.write("page.html", colours.replace("INK", ink));
        let mut options = vec!["--allow-file-access-from-files", "--virtual-time-budget=5000"];
        if is_dark {
            options.push("--blink-settings=preferredColorScheme=0");
        }
        let (dom, _) = open_page(browser, folder, &[&["--dump-dom"], &options[..]].concat());
        let title = title_of(&dom);
        assert_eq!(title, format!("{paper}|{drawings}|{drawings}"), "{name}: with {ink}");
        if let Ok(shots_folder) = std::env::var("GAUNTLET_SHOTS") {
            let suffix = if is_dark { "-dark" } else { "" };
            let shot = format!("--screenshot={shots_folder}/{name}{suffix}.png");
            let size = format!("--window-size=520,{height}");
            open_page(browser, folder, &[&[&*shot, &*size], &options[..]].concat());
        }
    }
    folder.write("page.html", page);
}

/// Returns the title of a page in the browser.
pub(crate) fn title_of(dom: &str) -> &str {
    dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default()
}

/// Starts a browser that shows a program's page until the program ends, and returns the final page.
/// The program pauses until the browser has connected, so it cannot end before.
pub(crate) fn open_in_browser(browser: &str, folder: &Folder, live_page: &LivePageProcess) -> Child {
    let (address, page_path) = live_page.address_and_path();
    live_page.signal("-STOP");
    let browser_process = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .args(["--virtual-time-budget=100000000", "--dump-dom", &format!("http://{address}{page_path}")])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (port, start) = (format!(":{:04X}", address.port()), Instant::now());
    // Columns of /proc/net/tcp: number, local address, remote address and state; 01 is a
    // connection.
    let is_connected = |line: &str| {
        let columns: Vec<&str> = line.split_whitespace().take(4).collect();
        columns.len() == 4 && columns[1].ends_with(&port) && columns[3] == "01"
    };
    while !std::fs::read_to_string("/proc/net/tcp").unwrap().lines().any(is_connected) {
        assert!(start.elapsed() < Duration::from_secs(120), "the browser does not connect");
        std::thread::sleep(Duration::from_millis(20));
    }
    live_page.signal("-CONT");
    browser_process
}

/// A browser follows a run that was killed and restarted, to its end.
#[test]
fn a_browser_sees_a_run_that_was_killed_go_on_and_end_with_its_report() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    // Some seconds of games, but few enough for a report.
    let deep = "[[player]]\nname = 'deep'\nalgorithm = 'expectimax'\ndepth = 2\n";
    folder.write("short.toml", short_experiment(2500) + deep);
    let live_page = LivePageProcess::start(&folder, "run short.toml --live=0 --threads 1");
    let (address, _) = live_page.address_and_path();
    folder.wait_for_size("results/short/journal.jsonl", 10_000);
    live_page.signal("-KILL");
    live_page.end();
    let restarted = LivePageProcess::start(&folder, &format!("run short.toml --live={address} --threads 1"));
    let browser_process = open_in_browser(&browser, &folder, &restarted);
    restarted.end().assert_status(0);
    let dom = String::from_utf8(browser_process.wait_with_output().unwrap().stdout).unwrap();
    assert!(dom.contains("The run has ended: 100&nbsp;%"), "{dom}");
    assert!(dom.contains("href=\"blob:http://"), "no report is linked: {dom}");
    assert!(dom.contains("id=\"connection\" role=\"status\" hidden"), "{dom}");
}
