//! Networks, read from files of ours and of TDL2048+.

use gauntlet::learning::{FileConverter, NetworkOrigin};
use gauntlet::twenty48::network::Network;
use gauntlet::twenty48::network::file::{DIGEST_LENGTH, EXCHANGE, describe};
use gauntlet::twenty48::network::weight_indices::MAX_INDICES;
use gauntlet::twenty48::rules::Cells;
use serde_json::{Value, json};

/// The bytes of a file with a network. If its first line begins with `~`, that letter is taken away
/// and its digests are made right. What is no network gets one line. A network has weights that can
/// be counted with, can be described, and comes back from a file of TDL2048+ as it was.
pub fn network(data: &[u8]) {
    let bytes = match data.strip_prefix(b"~") {
        Some(rest) => with_digests(rest).unwrap_or_else(|| rest.to_vec()),
        None => data.to_vec(),
    };
    let description = describe(&mut &bytes[..], bytes.len() as u64).map_err(|error| error.to_string());
    let description = ok_or_check_message(description);
    match ok_or_check_message(Network::read(&bytes)) {
        Some(network) => {
            check(&network);
            let entries = description.expect("a network can be described");
            assert!(entries.iter().any(|(label, _)| *label == "digest"), "{entries:?}");
            if let Some(exported) = ok_or_check_message(convert_file(EXCHANGE.export, &bytes)) {
                check_round_trip(&exported, &weight_bits(&network));
            }
        }
        None => assert!(description.is_none(), "what cannot be read is not described"),
    }
    if let Some(imported) = ok_or_check_message(convert_file(EXCHANGE.import, &bytes)) {
        let network = Network::read(&imported).expect("what was imported is a network");
        check(&network);
        let exported = convert_file(EXCHANGE.export, &imported).expect("what came from there can go back");
        check_round_trip(&exported, &weight_bits(&network));
    }
}

fn check_round_trip(exported: &[u8], weights: &[u32]) {
    let imported = convert_file(EXCHANGE.import, exported).expect("what was exported can be imported");
    let network = Network::read(&imported).expect("what was imported is a network");
    assert!(weight_bits(&network) == weights, "a weight has changed on its way");
}

/// Holds what every network promises.
fn check(network: &Network) {
    assert_eq!(network.weights().len(), network.layout().weights());
    for largest in 1..=17 {
        let board = Cells::from_ranks(std::array::from_fn(|cell| (7 * cell as u8 + largest) % (largest + 1)));
        let value = network.value(board);
        let mut indices = [0; MAX_INDICES];
        network.compute_indices(board, &mut indices);
        assert!(value.is_finite() && value == network.sum(&indices), "{}: {value}", board.format_line());
    }
}

fn weight_bits(network: &Network) -> Vec<u32> {
    network.weights().iter().map(|weight| weight.to_bits()).collect()
}

/// What was answered, or nothing if the answer is one line that says why not.
fn ok_or_check_message<T>(answer: Result<T, String>) -> Option<T> {
    let message = match answer {
        Ok(answer) => return Some(answer),
        Err(message) => message,
    };
    assert!(!message.is_empty() && message.len() < 500, "{message:?}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
    None
}

/// The file in another form.
fn convert_file(convert: FileConverter, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let converter = convert(&mut &*bytes, bytes.len() as u64).map_err(|error| error.to_string())?;
    let mut output = Vec::new();
    converter(&origin(), &mut output).expect("memory takes all");
    Ok(output)
}

/// The file with the digests of its weights and of its header, if it has a header.
fn with_digests(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut lines = bytes.splitn(3, |&byte| byte == b'\n');
    let (first_line, header, rest) = (lines.next()?, lines.next()?, lines.next()?);
    let (weights, _) = rest.split_at_checked(rest.len().checked_sub(DIGEST_LENGTH as usize)?)?;
    let mut header: Value = serde_json::from_slice(header).ok()?;
    *header.get_mut("digest")? = blake3::hash(weights).to_hex().as_str().into();
    let header_bytes = [first_line, b"\n", header.to_string().as_bytes(), b"\n"].concat();
    Some([&header_bytes, weights, blake3::hash(&header_bytes).as_bytes()].concat())
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
