//! Network files: a line that identifies the format; a line of JSON with shape, origin and the
//! digest of the weights; the weights as little-endian 32-bit floats; and the digest of the two
//! lines. So a digest covers every byte. Players are identified by the bytes before the digest at
//! the end.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};

use anyhow::{anyhow, bail};
use gauntlet_core::assets::DigestReader;
use gauntlet_core::learning::{ConversionWriter, FileDescription, ForeignFormat, NetworkOrigin};
use gauntlet_core::text::{escape, format_games, group_digits};
use gauntlet_core::user_cache::UserCache;
use serde::{Deserialize, Serialize};

use super::pages::try_allocate_zeros;
use super::pattern::Patterns;
use super::stages::Stages;
use super::weight_indices::Layout;
use super::{MAX_WEIGHT, Network, tdl2048};

/// First line of a file.
const MAGIC: &[u8] = b"gauntlet network of 2048, version 1\n";

/// Maximum length of the second line.
const MAX_HEADER: usize = 1 << 16;

/// Length of the digest at the end, in bytes.
pub const DIGEST_LENGTH: u64 = blake3::OUT_LEN as u64;

/// Length of the shortest file that is in the cache of verified files, in bytes.
const MIN_CACHED_LENGTH: u64 = 1 << 20;

/// Maximum number of files in this cache. With more files, the cache begins again.
const MAX_CACHED_FILES: usize = 256;

/// Second line of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    patterns: Patterns,
    symmetric: bool,
    #[serde(default, skip_serializing_if = "Stages::has_one_stage")]
    stages: Stages,
    weights: u64,
    /// Digest of the weights as they are in the file.
    digest: String,
    origin: NetworkOrigin,
}

impl Network {
    /// Writes the network and its origin. Returns the digest of its weights.
    pub fn write(
        &self,
        patterns: &Patterns,
        origin: &NetworkOrigin,
        out: &mut dyn Write,
    ) -> io::Result<String> {
        let header = Header {
            patterns: patterns.clone(),
            symmetric: self.layout.is_symmetric(),
            stages: self.layout.stages().clone(),
            weights: self.weights.len() as u64,
            digest: self.digest().to_hex().to_string(),
            origin: origin.clone(),
        };
        let header_bytes = [MAGIC, &serde_json::to_vec(&header)?, b"\n"].concat();
        out.write_all(&header_bytes)?;
        write_in_parts(&self.weights, |bytes| out.write_all(bytes))?;
        out.write_all(blake3::hash(&header_bytes).as_bytes())?;
        Ok(header.digest)
    }

    /// Reads the network of a player, or returns a one-line error.
    ///
    /// The identity of players covers the weights. So their digest is computed only if no earlier
    /// command of this user has verified a file with the same identity.
    pub fn load(file: &mut DigestReader) -> anyhow::Result<Network> {
        file.declare_trailing_digest(DIGEST_LENGTH);
        let length = file.length();
        let cache = UserCache::open("networks").filter(|_| length >= MIN_CACHED_LENGTH);
        let identities: BTreeSet<String> = cache.as_ref().map(UserCache::read).unwrap_or_default();
        let is_verified =
            |file: &DigestReader| file.identity().is_some_and(|identity| identities.contains(identity));
        let network = read_file(file, length, is_verified)?.network;
        if let (Some(cache), Some(identity)) = (cache, file.identity())
            && !identities.contains(identity)
        {
            cache.update(|identities: &mut BTreeSet<String>| {
                if identities.len() >= MAX_CACHED_FILES {
                    identities.clear();
                }
                identities.insert(identity.to_owned());
            });
        }
        Ok(network)
    }

    /// Reads a network from the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Network, String> {
        let file = read_file(&mut &*bytes, bytes.len() as u64, |_| false);
        file.map(|file| file.network).map_err(|error| error.to_string())
    }
}

/// Describes the network of a file, or returns a one-line error.
pub fn describe(mut file: &mut dyn Read, length: u64) -> anyhow::Result<FileDescription> {
    let NetworkFile { header, network } = read_file(&mut file, length, |_| false)?;
    let Header { patterns, symmetric, stages, weights, digest, origin } = header;
    let cells: Vec<String> = patterns.list().iter().map(ToString::to_string).collect();
    let images = if symmetric {
        "the eight images of a board share their weights"
    } else {
        "each orientation of a board has separate weights"
    };
    // An unlearned weight of a stage after the first is 0.
    let (first, others) = network.weights.split_at(network.weights.len() / stages.count() as usize);
    let learned_count = first.iter().filter(|&&weight| weight != first[0]).count()
        + others.iter().filter(|&&weight| weight != 0.0).count();
    let NetworkOrigin { experiment, training, command, games: game_count, seed, build } = origin;
    let mut entries = vec![
        ("patterns", format!("{patterns} ({})", cells.join(" "))),
        ("images", images.to_owned()),
        (
            "weights",
            format!(
                "{}, of which {} differ from the first weight",
                group_digits(weights),
                group_digits(learned_count as u64)
            ),
        ),
        ("bytes", group_digits(4 * weights)),
        ("digest", digest),
        ("experiment", experiment),
        ("command", command),
        ("learned from", format_games(game_count)),
        ("seed", seed.to_string()),
        ("training", training.to_string()),
        ("build", build),
    ];
    if !stages.has_one_stage() {
        let sums: Vec<u32> = stages.into();
        let sums: Vec<String> = sums.into_iter().map(|sum| group_digits(sum.into())).collect();
        let stages = format!(
            "{}; a stage begins when the sum of different tiles reaches {}",
            sums.len() + 1,
            sums.join(", ")
        );
        entries.insert(2, ("stages", stages));
    }
    // Imported networks have no known training.
    entries.retain(|(label, _)| game_count > 0 || !["experiment", "learned from", "seed"].contains(label));
    Ok(entries)
}

/// Conversion from and to files of TDL2048+.
pub const EXCHANGE: ForeignFormat = ForeignFormat { program: "TDL2048+", import, export };

fn import(file: &mut dyn Read, length: u64) -> anyhow::Result<ConversionWriter> {
    let (patterns, network) = tdl2048::read(file, length)?;
    Ok(Box::new(move |origin, out| network.write(&patterns, origin, out).map(drop)))
}

fn export(mut file: &mut dyn Read, length: u64) -> anyhow::Result<ConversionWriter> {
    let NetworkFile { network, .. } = read_file(&mut file, length, |_| false)?;
    tdl2048::check(&network)?;
    Ok(Box::new(move |_, out| tdl2048::write(&network, out)))
}

/// Content of a file.
struct NetworkFile {
    header: Header,
    network: Network,
}

/// Reads a file in parts, so that no memory is needed in addition to the network. A file whose
/// length does not match its first two lines is refused before its weights are read. The digest of
/// the weights is not computed if `is_verified` returns true after the whole file was read.
fn read_file<R: Read>(
    file: &mut R,
    length: u64,
    is_verified: impl FnOnce(&R) -> bool,
) -> anyhow::Result<NetworkFile> {
    let mut file = BufReader::new(file);
    let mut header_bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut header_bytes)?;
    if header_bytes != MAGIC {
        let (prefix, _) = MAGIC.split_at(MAGIC.len() - 3);
        if header_bytes.starts_with(prefix) {
            bail!("is a network of another version of gauntlet");
        }
        bail!("is not a 2048 network written by `gauntlet train`");
    }
    file.by_ref().take(MAX_HEADER as u64).read_until(b'\n', &mut header_bytes)?;
    let Some(line) = header_bytes[MAGIC.len()..].strip_suffix(b"\n") else {
        bail!("is cut off or damaged: its header has no end")
    };
    let header: Header = serde_json::from_slice(line)
        .map_err(|error| anyhow!("has a damaged header: {}", escape::line(&error.to_string())))?;
    let layout = Layout::new(header.patterns.list(), header.symmetric, &header.stages)
        .ok_or_else(|| anyhow!("has patterns with more weights than a network may have"))?;
    let weights = layout.weights() as u64;
    if header.weights != weights {
        let (header_count, needed_count) = (group_digits(header.weights), group_digits(weights));
        bail!("is damaged: its header gives {header_count} weights, but its patterns need {needed_count}");
    }
    let (rest_length, expected_length) =
        (length.saturating_sub(header_bytes.len() as u64), 4 * weights + DIGEST_LENGTH);
    if rest_length != expected_length {
        let (actual, expected) = (group_digits(rest_length), group_digits(expected_length));
        bail!("is cut off or damaged: {actual} bytes follow its header, not {expected}");
    }
    let weights =
        try_allocate_zeros(layout.weights()).map_err(|message| anyhow!("cannot be held: {message}"))?;
    let mut network = Network { layout, weights };
    let invalid_weight = network.fill(&mut file)?;
    let mut digest = [0; DIGEST_LENGTH as usize];
    file.read_exact(&mut digest).map_err(convert_read_error)?;
    if !is_verified(file.get_ref()) && network.digest().to_hex().as_str() != header.digest {
        bail!("is damaged: its weights do not match their digest");
    }
    if blake3::hash(&header_bytes) != digest {
        bail!("is damaged: its header does not match its digest");
    }
    if let Some(weight) = invalid_weight {
        bail!("has a weight of {weight}: not finite or too large");
    }
    Ok(NetworkFile { header, network })
}

impl Network {
    /// Returns the digest of the weights as they are in a file.
    fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let add = |bytes: &[u8]| {
            hasher.update(bytes);
            Ok(())
        };
        write_in_parts(&self.weights, add).expect("a digest takes all bytes");
        hasher.finalize()
    }

    /// Reads all weights. Returns the first one that is not a usable number, if any.
    fn fill(&mut self, file: &mut impl Read) -> anyhow::Result<Option<f32>> {
        let mut bytes = vec![0; 4 * CHUNK_LENGTH];
        let mut invalid_weight = None;
        for weights in self.weights.chunks_mut(CHUNK_LENGTH) {
            let bytes = &mut bytes[..4 * weights.len()];
            file.read_exact(bytes).map_err(convert_read_error)?;
            for (weight, bytes) in weights.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *weight = f32::from_le_bytes(*bytes);
            }
            // All weights are examined, so that the compiler uses vector instructions.
            if !weights.iter().fold(true, |are_valid, weight| are_valid & is_valid(*weight)) {
                invalid_weight = invalid_weight.or(weights.iter().copied().find(|&weight| !is_valid(weight)));
            }
        }
        Ok(invalid_weight)
    }
}

/// Returns true if a network may have this weight.
fn is_valid(weight: f32) -> bool {
    weight.abs() <= MAX_WEIGHT
}

/// Converts a read error: an unexpected end of file becomes a message that the file is cut off.
fn convert_read_error(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => anyhow!("is cut off or damaged: unexpected end of file"),
        _ => error.into(),
    }
}

/// Number of floats read or written at once.
const CHUNK_LENGTH: usize = 1 << 14;

/// Passes on the bytes of floats in little-endian order, in parts.
fn write_in_parts(floats: &[f32], mut write: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * CHUNK_LENGTH);
    floats.chunks(CHUNK_LENGTH).try_for_each(|part| {
        bytes.clear();
        bytes.extend(part.iter().flat_map(|float| float.to_le_bytes()));
        write(&bytes)
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;
    use serde_json::json;

    use super::*;

    fn write_network(patterns: &str, is_symmetric: bool) -> (Network, Vec<u8>) {
        let patterns = Patterns::try_from(patterns.to_owned()).expect("patterns");
        let mut network =
            Network::new(&patterns, is_symmetric, &Stages::default(), 0.0).expect("a small network");
        let mut rng = Seed::root(1).rng();
        network.weights_mut().iter_mut().for_each(|weight| *weight = rng.below(1 << 20) as f32 / 64.0 - 99.0);
        let origin = NetworkOrigin {
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
            let (network, bytes) = write_network(patterns, is_symmetric);
            let read_back = Network::read(&bytes).expect("a network");
            assert_eq!(read_back.weights(), network.weights());
            assert!(read_back.layout().patterns().eq(network.layout().patterns()));
            assert_eq!(read_back.layout().lookups_per_board(), network.layout().lookups_per_board());
        }
        let bytes = write_network("012 456", true).1;
        let description = describe(&mut &bytes[..], bytes.len() as u64).expect("a network");
        assert!(
            description
                .contains(&("weights", "8,192, of which 8,191 differ from the first weight".to_owned())),
            "{description:?}"
        );
        assert!(description.contains(&("learned from", "12 games".to_owned())), "{description:?}");
    }

    /// Reader that returns one byte at a time.
    struct OneByteReader<'a>(&'a [u8]);

    impl Read for OneByteReader<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let length = bytes.len().min(1);
            self.0.read(&mut bytes[..length])
        }
    }

    #[test]
    fn a_file_may_come_a_byte_at_a_time_and_may_end_early() {
        let (network, bytes) = write_network("012", true);
        let length = bytes.len() as u64;
        let loaded = read_file(&mut OneByteReader(&bytes), length, |_| false).expect("a network");
        assert_eq!(loaded.network.weights(), network.weights());
        let result = read_file(&mut &bytes[..bytes.len() - 1], length, |_| false);
        let error = result.map(|_| ()).expect_err("a cut network");
        assert_eq!(error.to_string(), "is cut off or damaged: unexpected end of file");
    }

    /// Flips each bit of the two header lines, of the final digest and of every hundredth byte of
    /// the weights.
    #[test]
    fn a_changed_bit_is_found() {
        let (_, bytes) = write_network("012", true);
        let header_length = bytes.len() - 4 * 4096 - DIGEST_LENGTH as usize;
        let weights = (header_length..bytes.len() - DIGEST_LENGTH as usize).step_by(101);
        for index in
            (0..header_length).chain(weights).chain(bytes.len() - DIGEST_LENGTH as usize..bytes.len())
        {
            for bit in 0..8 {
                let mut damaged_bytes = bytes.clone();
                damaged_bytes[index] ^= 1 << bit;
                let message = Network::read(&damaged_bytes).expect_err("a changed bit");
                assert!(!message.contains(char::is_control), "{message:?}");
            }
        }
    }

    /// A caller that has verified the weights is asked after the whole file was read. Everything
    /// but the digest of the weights is verified again.
    #[test]
    fn verified_weights_are_not_verified_again() {
        let (network, mut bytes) = write_network("012", true);
        let length = bytes.len() as u64;
        let first_weight = bytes.len() - DIGEST_LENGTH as usize - 4 * 4096;
        bytes[first_weight] ^= 1;
        let file = read_file(&mut &bytes[..], length, |rest| rest.is_empty()).expect("a network");
        assert_ne!(file.network.weights(), network.weights());
        assert!(read_file(&mut &bytes[..], length, |rest| !rest.is_empty()).is_err());
        bytes[first_weight..first_weight + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(read_file(&mut &bytes[..], length, |_| true).is_err());
        bytes[first_weight..first_weight + 4].copy_from_slice(&[0; 4]);
        bytes[MAGIC.len() + 20] ^= 1;
        assert!(read_file(&mut &bytes[..], length, |_| true).is_err());
    }

    /// A file whose beginning does not fit its length is refused after little reading.
    #[test]
    fn a_large_file_is_refused_by_its_beginning() {
        struct Endless<'a>(&'a [u8], u64);
        impl Read for Endless<'_> {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                self.1 += bytes.len() as u64;
                if self.0.is_empty() {
                    bytes.fill(0);
                    return Ok(bytes.len());
                }
                self.0.read(bytes)
            }
        }
        let (_, bytes) = write_network("012", true);
        let mut tdl2048_bytes = Vec::new();
        tdl2048::write(&Network::read(&bytes).expect("a network"), &mut tdl2048_bytes)
            .expect("a list takes all");
        // Endless further blocks of a table.
        tdl2048_bytes.truncate(tdl2048_bytes.len() - 2);
        tdl2048_bytes.extend([8, 0, 0, 0, 0, 0, 16, 0, 0, 0]);
        for start in
            [b"".as_slice(), b"player,score\n", MAGIC, &bytes, &bytes[..bytes.len() - 1], &tdl2048_bytes]
        {
            for convert in [EXCHANGE.import, EXCHANGE.export] {
                let mut file = Endless(start, 0);
                assert!(convert(&mut file, 1 << 40).is_err());
                assert!(file.1 < 1 << 19, "{} bytes were read", file.1);
            }
        }
    }

    #[test]
    fn what_is_damaged_is_told_in_a_line() {
        #[track_caller]
        fn check(bytes: &[u8], expected: &str) {
            let message = Network::read(bytes).expect_err("a damaged network");
            assert!(message.contains(expected) && !message.contains('\n'), "{message:?}");
        }

        let (_, bytes) = write_network("012", true);
        check(b"", "not a 2048 network");
        check(b"name,score\n", "not a 2048 network");
        check(&MAGIC[..MAGIC.len() - 1], "of another version");
        check(MAGIC, "its header has no end");
        for length in [MAGIC.len() + 9, bytes.len() - 1, bytes.len() - 36, bytes.len() - 4 * 4096] {
            check(&bytes[..length], "cut off or damaged");
        }
        check(&[&bytes[..], b"\0"].concat(), "cut off or damaged");
        check(&bytes[..bytes.len() - DIGEST_LENGTH as usize], "cut off or damaged");
        let header_length = bytes.len() - 4 * 4096 - DIGEST_LENGTH as usize;
        let replace_in_header = |from: &str, to: &str| {
            let header = String::from_utf8_lossy(&bytes[..header_length]).replace(from, to);
            [header.as_bytes(), &bytes[header_length..]].concat()
        };
        check(&replace_in_header("\"012\"", "\"013\""), "its header does not match its digest");
        check(&replace_in_header("true", "false"), "its header does not match its digest");
        check(&replace_in_header("gauntlet 0", "gauntlet 1"), "its header does not match its digest");
        check(&replace_in_header("4096", "4097"), "gives 4,097 weights, but its patterns need 4,096");
        check(&replace_in_header("\"012\"", "\"0123\""), "gives 4,096 weights, but its patterns need 65,536");
        check(&replace_in_header("\"012\"", "\"01z\""), "damaged header");
        check(&replace_in_header("\"012\"", "\"01234567 89abcdef\""), "more weights than a network may have");
        let mut network = write_network("0", true).0;
        network.weights_mut()[3] = f32::NAN;
        let patterns = Patterns::try_from("0".to_owned()).expect("a pattern");
        let origin: NetworkOrigin = serde_json::from_value(json!({
            "experiment": "x", "training": {}, "command": "c", "games": 0, "seed": 0, "build": "b"
        }))
        .expect("an origin");
        let mut bytes = Vec::new();
        network.write(&patterns, &origin, &mut bytes).expect("a list takes all");
        check(&bytes, "has a weight of NaN");
    }
}
