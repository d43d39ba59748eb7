//! Networks as files: a line that says what the file is, a line of JSON with shape, origin and digest, and the weights as 32-bit
//! floats, the lowest byte first.

use std::io::{self, BufRead, BufReader, Read, Write};

use anyhow::{anyhow, bail};
use serde::{Deserialize, Serialize};

use super::pages::filled;
use super::pattern::Patterns;
use super::places::Layout;
use super::stages::Stages;
use super::{MOST_WEIGHT, Network, tdl2048};
use crate::learning::{Described, Exchange, Origin};
use crate::text::{escape, games, grouped};

/// The first line.
const MAGIC: &[u8] = b"gauntlet network of 2048, version 1\n";

/// The longest second line.
const MOST_HEADER: usize = 1 << 16;

/// The second line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    patterns: Patterns,
    symmetric: bool,
    #[serde(default, skip_serializing_if = "Stages::is_one")]
    stages: Stages,
    weights: u64,
    /// Of the weights as they stand in the file.
    digest: String,
    origin: Origin,
}

impl Network {
    /// Writes the network, and where it comes from. Returns the digest of its weights.
    pub fn write(&self, patterns: &Patterns, origin: &Origin, out: &mut dyn Write) -> io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        in_bytes(&self.weights, |bytes| {
            hasher.update(bytes);
            Ok(())
        })?;
        let header = Header {
            patterns: patterns.clone(),
            symmetric: self.layout.is_symmetric(),
            stages: self.layout.stages().clone(),
            weights: self.weights.len() as u64,
            digest: hasher.finalize().to_hex().to_string(),
            origin: origin.clone(),
        };
        out.write_all(MAGIC)?;
        out.write_all(serde_json::to_string(&header)?.as_bytes())?;
        out.write_all(b"\n")?;
        write_floats(&self.weights, out)?;
        Ok(header.digest)
    }

    /// Reads the network of a file with this number of bytes part by part, or says in a line what is wrong with it.
    pub fn load(file: &mut dyn Read, length: u64) -> anyhow::Result<Network> {
        Ok(opened(file, length)?.1)
    }

    /// The same of the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Network, String> {
        Ok(opened_bytes(bytes)?.1)
    }
}

/// Describes the network of a file, or says in a line what is wrong with it.
pub fn describe(file: &mut dyn Read, length: u64) -> anyhow::Result<Described> {
    let (Header { patterns, symmetric, stages, weights, digest, origin }, network) = opened(file, length)?;
    let cells: Vec<String> = patterns.list().iter().map(ToString::to_string).collect();
    let images =
        if symmetric { "the eight images of a board share their weights" } else { "as the board lies" };
    // A stage after the first begins with nothing learned, which is 0.
    let (first, others) = network.weights.split_at(network.weights.len() / stages.count() as usize);
    let used = first.iter().filter(|&&weight| weight != first[0]).count()
        + others.iter().filter(|&&weight| weight != 0.0).count();
    let Origin { experiment, training, command, games: number, seed, build } = origin;
    let mut told = vec![
        ("patterns", format!("{patterns} ({})", cells.join(" "))),
        ("images", images.to_owned()),
        ("weights", format!("{}, of which {} differ from the first", grouped(weights), grouped(used as u64))),
        ("bytes", grouped(4 * weights)),
        ("digest", digest),
        ("experiment", experiment),
        ("command", command),
        ("learned from", games(number)),
        ("seed", seed.to_string()),
        ("training", training.to_string()),
        ("build", build),
    ];
    if !stages.is_one() {
        let sums: Vec<u32> = stages.into();
        let sums: Vec<String> = sums.into_iter().map(|sum| grouped(sum.into())).collect();
        let stages = format!(
            "{}; one more begins where the different tiles sum up to {}",
            sums.len() + 1,
            sums.join(", ")
        );
        told.insert(2, ("stages", stages));
    }
    // Of what was learned elsewhere it is not known.
    told.retain(|(what, _)| number > 0 || !["experiment", "learned from", "seed"].contains(what));
    Ok(told)
}

/// Files of TDL2048+ as networks of ours, and the other way round.
pub const EXCHANGE: Exchange = Exchange { what: "TDL2048+", import, export };

fn import(bytes: &[u8], origin: &Origin) -> Result<Vec<u8>, String> {
    let (patterns, network) = tdl2048::read(bytes)?;
    let mut written = Vec::with_capacity(4 * network.weights().len() + MOST_HEADER);
    network.write(&patterns, origin, &mut written).map_err(|error| error.to_string())?;
    Ok(written)
}

fn export(bytes: &[u8]) -> Result<Vec<u8>, String> {
    tdl2048::write(&opened_bytes(bytes)?.1)
}

fn opened_bytes(bytes: &[u8]) -> Result<(Header, Network), String> {
    opened(&mut &*bytes, bytes.len() as u64).map_err(|wrong| wrong.to_string())
}

/// The weights are read part by part, so that there is no room needed for the file beside them.
fn opened(file: &mut dyn Read, length: u64) -> anyhow::Result<(Header, Network)> {
    let mut file = BufReader::with_capacity(4 * PART, file);
    let mut magic = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic)?;
    if magic != MAGIC {
        let (kind, _) = MAGIC.split_at(MAGIC.len() - 3);
        let what = match magic.starts_with(kind) {
            true => "a network of another version of gauntlet",
            false => "no network of 2048 that `gauntlet train` has written",
        };
        bail!("is {what}");
    }
    let mut line = Vec::new();
    file.by_ref().take(MOST_HEADER as u64).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        bail!("is cut off or damaged: its header has no end");
    }
    let header: Header = serde_json::from_slice(&line)
        .map_err(|error| anyhow!("has a damaged header: {}", escape::line(&error.to_string())))?;
    let layout = Layout::new(header.patterns.list(), header.symmetric, &header.stages)
        .ok_or_else(|| anyhow!("has patterns with more weights than a network may have"))?;
    if header.weights != layout.weights() as u64 {
        bail!(
            "says that it has {} weights, and its patterns have {}",
            grouped(header.weights),
            grouped(layout.weights() as u64)
        );
    }
    let bytes_of_weights = length.saturating_sub((MAGIC.len() + line.len() + 1) as u64);
    if bytes_of_weights != 4 * header.weights {
        let (is, should) = (grouped(bytes_of_weights), grouped(4 * header.weights));
        bail!("is cut off or damaged: it has {is} bytes of weights, not {should}");
    }
    let weights = filled(header.weights as usize, 0.0).map_err(|why| anyhow!("cannot be held: {why}"))?;
    let mut network = Network { layout, weights };
    let mut hasher = blake3::Hasher::new();
    let mut bytes = vec![0; 4 * PART];
    let mut senseless = None;
    for weights in network.weights.chunks_mut(PART) {
        let bytes = &mut bytes[..4 * weights.len()];
        file.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => anyhow!("is cut off or damaged: its weights have no end"),
            _ => error.into(),
        })?;
        hasher.update(bytes);
        for (weight, bytes) in weights.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *weight = f32::from_le_bytes(*bytes);
            if weight.is_nan() || weight.abs() > MOST_WEIGHT {
                senseless.get_or_insert(*weight);
            }
        }
    }
    if hasher.finalize().to_hex().as_str() != header.digest {
        bail!("is damaged: its weights are not those of its digest");
    }
    if let Some(weight) = senseless {
        bail!("has a weight of {weight}, which is beyond all sense");
    }
    Ok((header, network))
}

/// Floats that are read or written at once.
const PART: usize = 1 << 14;

/// Writes floats, the lowest byte first.
pub fn write_floats(floats: &[f32], out: &mut dyn Write) -> io::Result<()> {
    in_bytes(floats, |bytes| out.write_all(bytes))
}

/// Hands on the bytes of floats part by part.
fn in_bytes(floats: &[f32], mut hand_on: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * PART);
    floats.chunks(PART).try_for_each(|part| {
        bytes.clear();
        bytes.extend(part.iter().flat_map(|float| float.to_le_bytes()));
        hand_on(&bytes)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rng::Seed;

    fn written(patterns: &str, is_symmetric: bool) -> (Network, Vec<u8>) {
        let patterns = Patterns::try_from(patterns.to_owned()).expect("patterns");
        let mut network =
            Network::new(&patterns, is_symmetric, &Stages::default(), 0.0).expect("a small network");
        let mut dice = Seed::root(1).rng();
        network
            .weights_mut()
            .iter_mut()
            .for_each(|weight| *weight = dice.below(1 << 20) as f32 / 64.0 - 99.0);
        let origin = Origin {
            experiment: "of a test".to_owned(),
            training: json!({}),
            command: "gauntlet train x.toml".to_owned(),
            games: 12,
            seed: 7,
            build: "gauntlet 0".to_owned(),
        };
        let mut bytes = Vec::new();
        network.write(&patterns, &origin, &mut bytes).expect("a list takes all");
        (network, bytes)
    }

    #[test]
    fn what_was_written_is_read() {
        for (patterns, is_symmetric) in [("012 456", true), ("012 456", false), ("0", true)] {
            let (network, bytes) = written(patterns, is_symmetric);
            let read = Network::read(&bytes).expect("a network");
            assert_eq!(read.weights(), network.weights());
            assert!(read.layout().patterns().eq(network.layout().patterns()));
            assert_eq!(read.layout().active(), network.layout().active());
        }
        let bytes = written("012 456", true).1;
        let told = describe(&mut &bytes[..], bytes.len() as u64).expect("a network");
        assert!(
            told.contains(&("weights", "8,192, of which 8,191 differ from the first".to_owned())),
            "{told:?}"
        );
        assert!(told.contains(&("learned from", "12 games".to_owned())), "{told:?}");
    }

    /// Gives a byte at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(1);
            self.0.read(&mut bytes[..most])
        }
    }

    #[test]
    fn a_file_may_come_a_byte_at_a_time_and_may_end_early() {
        let (network, bytes) = written("012", true);
        let length = bytes.len() as u64;
        let loaded = Network::load(&mut Slowly(&bytes), length).expect("a network");
        assert_eq!(loaded.weights(), network.weights());
        let cut = Network::load(&mut &bytes[..bytes.len() - 1], length).expect_err("a cut network");
        assert_eq!(cut.to_string(), "is cut off or damaged: its weights have no end");
    }

    #[test]
    fn what_is_damaged_is_told_in_a_line() {
        #[track_caller]
        fn check(bytes: &[u8], expected: &str) {
            let told = Network::read(bytes).expect_err("a damaged network");
            assert!(told.contains(expected) && !told.contains('\n'), "{told:?}");
        }

        let (_, bytes) = written("012", true);
        check(b"", "is no network of 2048");
        check(b"name,score\n", "is no network of 2048");
        check(&MAGIC[..MAGIC.len() - 1], "of another version");
        check(MAGIC, "its header has no end");
        for length in [MAGIC.len() + 9, bytes.len() - 1, bytes.len() - 4, bytes.len() - 4 * 4096] {
            check(&bytes[..length], "cut off or damaged");
        }
        check(&[&bytes[..], b"\0"].concat(), "cut off or damaged");
        for at in (0..bytes.len()).step_by(97).filter(|&at| at >= MAGIC.len()) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            // The origin is told as it stands there: nothing is played by it.
            let is_in_the_origin =
                String::from_utf8_lossy(&bytes).find("\"origin\"").is_some_and(|origin| at > origin);
            if at >= bytes.len() - 4 * 4096 || !is_in_the_origin {
                Network::read(&damaged).expect_err("a flipped bit");
            }
        }
        let replaced = |from: &str, to: &str| {
            let header = String::from_utf8_lossy(&bytes[..bytes.len() - 4 * 4096]).replace(from, to);
            [header.as_bytes(), &bytes[bytes.len() - 4 * 4096..]].concat()
        };
        check(&replaced("4096", "4097"), "says that it has 4,097 weights, and its patterns have 4,096");
        check(
            &replaced("\"012\"", "\"0123\""),
            "says that it has 4,096 weights, and its patterns have 65,536",
        );
        check(&replaced("\"012\"", "\"01z\""), "damaged header");
        check(&replaced("\"012\"", "\"01234567 89abcdef\""), "more weights than a network may have");
        let mut network = written("0", true).0;
        network.weights_mut()[3] = f32::NAN;
        let patterns = Patterns::try_from("0".to_owned()).expect("a pattern");
        let origin: Origin = serde_json::from_value(json!({
            "experiment": "x", "training": {}, "command": "c", "games": 0, "seed": 0, "build": "b"
        }))
        .expect("an origin");
        let mut bytes = Vec::new();
        network.write(&patterns, &origin, &mut bytes).expect("a list takes all");
        check(&bytes, "has a weight of NaN");
    }
}
