//! The page in a browser, if a browser is installed.

use std::fs;
use std::path::Path;

use super::page::{QUICK, TABLES, assert_shows, crowd_results, hostile_results, page_of, quick_results};
use crate::bench::Folder;
use crate::browser::{find_browser, open_page};
use crate::learning::tuning_results::{self, hostile_race, tuning};

/// Returns the page without its content security policy, so that only the page itself prevents
/// harm.
fn without_policy(html: &str) -> String {
    let start =
        html.find("<meta http-equiv=\"Content-Security-Policy\"").expect("the page forbids itself to fetch");
    let end = start + html[start..].find('>').unwrap() + 1;
    format!("{}{}", &html[..start], &html[end..])
}

#[test]
fn a_browser_shows_it_fetches_nothing_and_runs_its_own_script_alone() {
    let Some(browser) = find_browser() else { return };
    for folder in [quick_results(), hostile_results()] {
        let html = page_of(&folder, QUICK).html;
        for html in [html.clone(), without_policy(&html)] {
            folder.write("page.html", html);
            let (dom, urls) = open_page(&browser, &folder, &["--dump-dom"]);
            for table in TABLES {
                assert_shows(&dom, &folder.path(QUICK), table);
            }
            assert_eq!(dom.matches("<script").count(), 1, "something hostile came to life");
            assert!(!dom.contains("<img"), "something hostile came to life");
            // The script turned the heads into buttons, so the browser ran it.
            assert!(dom.contains("<button type=\"button\">player</button>"), "our script was not run");
            assert!(urls.is_empty(), "{urls:?}");
        }
    }
}

/// A page that fetches. If the test above could not detect requests, this test would fail.
#[test]
fn a_page_that_fetches_is_found_out() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::with_file(
        "page.html",
        "<!doctype html><img src='http://gauntlet.invalid/x.png'><script>document.title = 1</script>",
    );
    let (dom, urls) = open_page(&browser, &folder, &["--dump-dom"]);
    assert!(dom.contains("<title>1</title>"), "{dom}");
    assert!(urls.iter().any(|url| url == "http://gauntlet.invalid/x.png"), "{urls:?}");
}

/// On the narrowest phone nothing is wider than the page: only tables scroll, each by itself. A
/// page around it asks the browser.
#[test]
fn nothing_is_wider_than_a_phone() {
    let Some(browser) = find_browser() else { return };
    let pages = [quick_results(), hostile_results(), crowd_results()]
        .map(|folder| (page_of(&folder, QUICK).html, folder));
    let tunings = [tuning(), hostile_race()].map(|folder| (tuning_results::page_of(&folder), folder));
    for (html, folder) in pages.into_iter().chain(tunings) {
        folder.write("inner.html", html.replace("<details>", "<details open>"));
        let frame_page = "<!doctype html><iframe src='inner.html' style='width:360px;height:900px' onload='
            const page = this.contentDocument.documentElement;
            document.title = `${page.clientWidth} ${page.scrollWidth} ${page.querySelectorAll(`svg`).length > 0}`'>";
        folder.write("page.html", frame_page);
        let (dom, _) = open_page(&browser, &folder, &["--dump-dom", "--allow-file-access-from-files"]);
        let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
        let widths: Vec<&str> = title.unwrap_or_default().split(' ').collect();
        assert!(widths.len() == 3 && widths[2] == "true", "the browser says {title:?}");
        assert_eq!(widths[0], widths[1], "wider than the screen");
    }
}

/// Returns width and height of a PNG, from its header.
fn png_size(path: &Path) -> (u32, u32) {
    let bytes = fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{}", path.display());
    let number = |offset: usize| u32::from_be_bytes(bytes[offset..offset + 4].try_into().unwrap());
    (number(16), number(20))
}

/// The page is drawn differently in light mode, in dark mode and on a phone. GAUNTLET_SHOTS is a
/// folder for the screenshots.
#[test]
fn a_browser_draws_it_light_dark_and_on_a_phone() {
    let Some(browser) = find_browser() else { return };
    let folder = quick_results();
    folder.write("page.html", page_of(&folder, QUICK).html);
    let mut pictures: Vec<Vec<u8>> = Vec::new();
    // The narrowest browser window is wider than a phone, so the page is in a frame.
    let frame_page = "<!doctype html><body style='margin:0'><iframe src='page.html' style='border:0;width:360px;height:1800px'>";
    let html = folder.read("page.html");
    for (name, width, is_dark) in [("light", 1100, false), ("dark", 1100, true), ("phone", 520, false)] {
        if name == "phone" {
            folder.write("inner.html", &html);
            folder.write("page.html", frame_page.replace("page.html", "inner.html"));
        }
        let shot = folder.path(&format!("{name}.png"));
        let (shot_option, size) =
            (format!("--screenshot={}", shot.display()), format!("--window-size={width},1800"));
        let mut options = vec![shot_option.as_str(), &size, "--force-device-scale-factor=1"];
        if is_dark {
            options.push("--blink-settings=preferredColorScheme=0");
        }
        let (_, urls) = open_page(&browser, &folder, &options);
        assert!(urls.is_empty(), "{urls:?}");
        assert_eq!(png_size(&shot), (width, 1800), "{name}");
        if let Ok(shots_folder) = std::env::var("GAUNTLET_SHOTS") {
            fs::copy(&shot, Path::new(&shots_folder).join(format!("{name}.png"))).unwrap();
        }
        pictures.push(fs::read(&shot).unwrap());
    }
    assert!(pictures[0] != pictures[1], "dark is not light");
    assert!(pictures.iter().all(|picture| picture.len() > 20_000), "a picture is empty");
}

/// Returns the result of a script in a page around ours; the script has `doc`, our page.
fn run_script(browser: &str, folder: &Folder, script: &str) -> String {
    let frame_page = format!(
        "<!doctype html><iframe src='inner.html' style='width:900px;height:900px' onload='
            const doc = this.contentDocument;
            document.title = (() => {{ {script} }})()'>"
    );
    folder.write("page.html", frame_page);
    let (dom, _) = open_page(browser, folder, &["--dump-dom", "--allow-file-access-from-files"]);
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    title.unwrap_or_default().to_owned()
}

#[test]
fn tables_are_sorted_by_a_click_and_back_again() {
    let Some(browser) = find_browser() else { return };
    let folder = quick_results();
    folder.write(
        &format!("{QUICK}/win-rate.csv"),
        "player,games,wins,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n\
         b 10,10,5,0.5,0.2,0.8,900,800,1000\na,9000,2700,0.3,0.29,0.31,,,\nb 9,800,2,0.2,0.1,0.3,10000,9000,11000\n",
    );
    folder.update_digests(QUICK);
    folder.write("inner.html", page_of(&folder, QUICK).html);
    let script = r#"
        const table = doc.querySelector("[aria-label=\"Table win-rate\"] table");
        const orders = [[0, 3], [1, 3], [4, 2]].flatMap(([place, clicks]) =>
            Array.from({ length: clicks }, () => {
                table.querySelectorAll("thead button")[place].click();
                return [...table.tBodies[0].rows].map((row) => row.cells[0].textContent).join(", ");
            }));
        return orders.join("; ");
    "#;
    let words = "a, b 9, b 10; b 10, b 9, a; b 10, a, b 9";
    let counts = "a, b 9, b 10; b 10, b 9, a; b 10, a, b 9";
    // An empty cell is last in both orders.
    let scores = "b 9, b 10, a; b 10, b 9, a";
    assert_eq!(run_script(&browser, &folder, script), format!("{words}; {counts}; {scores}"));
}

/// This works by style alone, without scripts.
#[test]
fn boxes_show_and_hide_lines() {
    let Some(browser) = find_browser() else { return };
    let folder = quick_results();
    let html = page_of(&crowd_results(), QUICK).html;
    let (before, script) = html.split_once("<script>").unwrap();
    folder.write("inner.html", format!("{before}{}", script.split_once("</script>").unwrap().1));
    let script = r#"
        const seen = () => [...doc.querySelectorAll(".plot.wide g")]
            .filter((layer) => /^s\d/.test(layer.className.baseVal))
            .filter((layer) => doc.defaultView.getComputedStyle(layer).display !== "none")
            .map((layer) => layer.className.baseVal).reverse().join(" ");
        const first = seen();
        doc.querySelector(".c0").click();
        doc.querySelector(".c9").click();
        return first + "; " + seen();
    "#;
    assert_eq!(run_script(&browser, &folder, script), "s0 s1 s2 s3 s4 s5 s6; s1 s2 s3 s4 s5 s6 s9");
}

/// No texts of a plot overlap or touch, wide or narrow: the browser measures their boxes. Many
/// players and large numbers leave little room.
#[test]
fn no_texts_of_a_plot_overlap() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    folder.copy_from_repository("results/leaderboard");
    folder.run("report results/leaderboard --out inner.html").assert_status(0);
    let script = r#"
        const overlaps = [];
        let texts = 0;
        for (const style of ["wide", "narrow"]) {
            for (const place of doc.querySelectorAll(".plot")) {
                place.style.display = place.classList.contains(style) ? "block" : "none";
            }
            for (const svg of doc.querySelectorAll(`.plot.${style} svg`)) {
                const boxes = [...svg.querySelectorAll("text")].map((text) => [text.getBBox(), text.textContent.trim()]);
                texts += boxes.length;
                boxes.forEach(([one, words], place) => boxes.slice(0, place).forEach(([other, others]) => {
                    const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
                    const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
                    // Line boxes are higher than letters, so they may overlap a little. Texts next
                    // to each other need a gap.
                    if (width > -3 && height > 4) {
                        overlaps.push(`${svg.querySelector("title").textContent}: ${others} / ${words}`);
                    }
                }));
            }
        }
        return `${texts > 1000}; ${overlaps.slice(0, 20).join("; ")}`;
    "#;
    assert_eq!(run_script(&browser, &folder, script), "true; ");
}
