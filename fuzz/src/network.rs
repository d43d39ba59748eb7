//! Networks, read from files of ours and of TDL2048+.

use gauntlet::learning::{FileConverter, NetworkOrigin};
use gauntlet::twenty48::network::Network;
use gauntlet::twenty48::network::file::{DIGEST, EXCHANGE, describe};
use gauntlet::twenty48::network::places::MOST_PLACES;
use gauntlet::twenty48::rules::Cells;
use serde_json::{Value, json};

/// The bytes of a file with a network. If its first line begins with `~`, that letter is taken away
/// and its digests are made right. What is no network gets one line. A network has weights that can
/// be counted with, can be described, and comes back from a file of TDL2048+ as it was.
pub fn network(data: &[u8]) {
    let bytes = match data.strip_prefix(b"~") {
        Some(rest) => with_its_digests(rest).unwrap_or_else(|| rest.to_vec()),
        None => data.to_vec(),
    };
    let described = describe(&mut &bytes[..], bytes.len() as u64).map_err(|wrong| wrong.to_string());
    let described = one_line(described);
    match one_line(Network::read(&bytes)) {
        Some(network) => {
            check(&network);
            let told = described.expect("a network can be described");
            assert!(told.iter().any(|(what, _)| *what == "digest"), "{told:?}");
            if let Some(theirs) = one_line(converted(EXCHANGE.export, &bytes)) {
                check_that_it_comes_back(&theirs, &bits(&network));
            }
        }
        None => assert!(described.is_none(), "what cannot be read is not described"),
    }
    if let Some(ours) = one_line(converted(EXCHANGE.import, &bytes)) {
        let network = Network::read(&ours).expect("what was imported is a network");
        check(&network);
        let theirs = converted(EXCHANGE.export, &ours).expect("what came from there can go back");
        check_that_it_comes_back(&theirs, &bits(&network));
    }
}

fn check_that_it_comes_back(theirs: &[u8], weights: &[u32]) {
    let ours = converted(EXCHANGE.import, theirs).expect("what was exported can be imported");
    let again = Network::read(&ours).expect("what was imported is a network");
    assert!(bits(&again) == weights, "a weight has changed on its way");
}

/// Holds what every network promises.
fn check(network: &Network) {
    assert_eq!(network.weights().len(), network.layout().weights());
    for largest in 1..=17 {
        let board = Cells::from_ranks(std::array::from_fn(|cell| (7 * cell as u8 + largest) % (largest + 1)));
        let value = network.value(board);
        let mut places = [0; MOST_PLACES];
        network.compute_indices(board, &mut places);
        assert!(value.is_finite() && value == network.sum(&places), "{}: {value}", board.format_line());
    }
}

fn bits(network: &Network) -> Vec<u32> {
    network.weights().iter().map(|weight| weight.to_bits()).collect()
}

/// What was answered, or nothing if the answer is one line that says why not.
fn one_line<T>(answer: Result<T, String>) -> Option<T> {
    let why = match answer {
        Ok(answer) => return Some(answer),
        Err(why) => why,
    };
    assert!(!why.is_empty() && why.len() < 500, "{why:?}");
    assert!(!why.chars().any(char::is_control), "{why:?}");
    None
}

/// The file in another form.
fn converted(convert: FileConverter, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let converted = convert(&mut &*bytes, bytes.len() as u64).map_err(|wrong| wrong.to_string())?;
    let mut written = Vec::new();
    converted(&origin(), &mut written).expect("memory takes all");
    Ok(written)
}

/// The file with the digests of its weights and of its header, if it has a header.
fn with_its_digests(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut lines = bytes.splitn(3, |&byte| byte == b'\n');
    let (first, header, rest) = (lines.next()?, lines.next()?, lines.next()?);
    let (weights, _) = rest.split_at_checked(rest.len().checked_sub(DIGEST as usize)?)?;
    let mut header: Value = serde_json::from_slice(header).ok()?;
    *header.get_mut("digest")? = blake3::hash(weights).to_hex().as_str().into();
    let head = [first, b"\n", header.to_string().as_bytes(), b"\n"].concat();
    Some([&head, weights, blake3::hash(&head).as_bytes()].concat())
}

fn origin() -> NetworkOrigin {
    NetworkOrigin {
        experiment: String::new(),
        training: json!({}),
        command: "gauntlet network import".to_owned(),
        games: 0,
        seed: 0,
        build: String::new(),
    }
}
