//! Browsers for tests of pages.

use std::fs;
use std::process::Command;

use super::bench::Folder;
use super::tools::find_program;

/// Returns the browser, if there is one; `GAUNTLET_BROWSER` sets another name.
pub(crate) fn find_browser() -> Option<String> {
    find_program("GAUNTLET_BROWSER", "chromium", &["--version"])
}

/// Returns the output of the browser for `page.html` with these options, and every address that the
/// page requested.
pub(crate) fn open_page(browser: &str, folder: &Folder, options: &[&str]) -> (String, Vec<String>) {
    let log = folder.path("net.json");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg("--hide-scrollbars")
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .arg(format!("--log-net-log={}", log.display()))
        .args(options)
        .arg(format!("file://{}", folder.path("page.html").display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log: serde_json::Value = serde_json::from_slice(&fs::read(log).unwrap()).unwrap();
    // Ignores requests of the browser itself, which no page has initiated.
    let requests = log["events"].as_array().unwrap().iter().map(|event| &event["params"]);
    let page_requests = requests.filter(|request| {
        request["initiator"].as_str().is_some_and(|initiator| initiator != "not an origin")
    });
    let urls = page_requests.filter_map(|request| request["url"].as_str().map(str::to_owned)).collect();
    (String::from_utf8(output.stdout).unwrap(), urls)
}

/// Returns the digest by which a content security policy permits a script.
pub(crate) fn digest(script: &[u8]) -> String {
    format!("sha256-{}", base64(&sha256(script)))
}

/// SHA-256 as in FIPS 180-4, whose constants are the first 32 fractional bits of roots of primes.
fn sha256(bytes: &[u8]) -> [u8; 32] {
    let primes: Vec<u32> = (2..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    let fraction = |root: f64| (root.fract() * 4_294_967_296.0) as u32;
    let k: Vec<u32> = primes.iter().map(|&prime| fraction(f64::from(prime).cbrt())).collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|&prime| fraction(f64::from(prime).sqrt())).collect();
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64), 0);
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(8 * bytes.len() as u64).to_be_bytes());
    for block in padded.chunks(64) {
        let mut w: Vec<u32> =
            block.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect();
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut v = state.clone();
        for i in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let t2 = s0.wrapping_add((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(t2);
        }
        state.iter_mut().zip(v).for_each(|(state, v)| *state = state.wrapping_add(v));
    }
    let bytes: Vec<u8> = state.into_iter().flat_map(u32::to_be_bytes).collect();
    bytes.try_into().unwrap()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
