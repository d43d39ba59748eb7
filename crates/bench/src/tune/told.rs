//! What a search was told, kept beside the journal, so that a tuning that goes on need not look it up again.
//!
//! A loss is a function of the games in the journal. To find it a player is entered, the key of its games is computed and their lines
//! are read: 50 µs for a candidate, of which `spsa` has a quarter of a million in a million games. The file `journal.told` holds the
//! losses of each step as they were found. It is no source, and may be removed at any time. What it holds counts only
//!
//! - for the program that wrote it, and the same rules, players, settings that move, objective and seeds: its head is their digest;
//! - where the journal begins with the very bytes that it began with when the losses were found: each step has their digest;
//! - where no later line of the journal is about these steps;
//! - for the steps that the search takes again, in their order: each has the digest of its candidates.
//!
//! Whatever does not fit is cut off, and found in the journal again. The last step may be torn by a kill: each has a checksum. A
//! failure to read or to write the file ends nothing.

use std::path::PathBuf;
use std::sync::Arc;

use super::candidates::{Candidates, root};
use crate::config::tune::{Field, Tune};
use crate::disk::{DiskFile, Reader, read_all};
use crate::methods::method::{Losses, Step};
use crate::run::journal::Journal;
use crate::run::machine;

/// The version of the file.
const FORMAT: u32 = 1;

/// The most bytes of the file that are read: those of some hundred million games.
const LONGEST: usize = 1 << 30;

/// Bytes of a digest, of a step or of a part of the journal, and of a checksum.
const DIGEST: usize = 16;
const CHECKSUM: usize = 8;

/// Digest of all that losses depend on besides steps and games.
pub(super) type Basis = [u8; DIGEST];

/// What a search was told.
pub(super) struct Told {
    /// None where nothing is kept.
    file: Option<Arc<dyn DiskFile>>,
    /// The file, as far as it counts; empty when the search has gone beyond it.
    known: Vec<u8>,
    /// Place of the next step in it.
    next: usize,
    /// The journal up to this place, which goes on being digested.
    journal: (u64, blake3::Hasher),
}

fn path(journal: &Journal) -> PathBuf {
    journal.path().with_extension("told")
}

/// The basis of a tuning. None where players may be built from files, whose content no digest here knows.
pub(super) fn basis(candidates: Candidates) -> Option<Basis> {
    let Candidates { experiment, tune } = candidates;
    let Tune { field, objective, at_most_nodes, .. } = tune;
    let may_name_files = match field {
        Field::Params { params, .. } => {
            params.iter().flat_map(|param| &param.choices).any(serde_json::Value::is_string)
        }
        Field::Players { .. } => false,
    };
    let binary = machine::binary();
    let players: Vec<_> = candidates.written_all().map(|(_, player)| player).collect();
    if binary.is_empty() || may_name_files || players.iter().any(|player| player.needs_files()) {
        return None;
    }
    let all = format!(
        "{FORMAT} {binary} {} {} {:?} {:?} {} {players:?} {field:?} {objective:?} {at_most_nodes:?}",
        experiment.arena().name,
        experiment.rules().settings,
        experiment.max_moves(),
        experiment.max_seconds(),
        root(experiment).number(),
    );
    Some(digest(all.as_bytes()))
}

impl Told {
    /// Opens the file beside a journal, to go on with it. Without a basis none is kept.
    pub(super) fn open(basis: Option<Basis>, journal: &Journal) -> Told {
        let Some(basis) = basis else { return Told::none() };
        let path = path(journal);
        let Ok(file) = journal.disk().open_to_append(&path) else { return Told::none() };
        let mut told = Told::of(&*file, basis, journal);
        told.file = Some(file);
        let length = told.known.len();
        if length == 0 {
            told.cut_off(0);
            told.append(&basis);
        } else {
            told.cut_off(length);
        }
        told
    }

    /// Reads the file beside a journal, and writes nothing.
    pub(super) fn read(basis: Option<Basis>, journal: &Journal) -> Told {
        let file = journal.disk().open(&path(journal));
        basis.zip(file.ok()).map_or_else(Told::none, |(basis, file)| Told::of(&*file, basis, journal))
    }

    fn none() -> Told {
        Told { file: None, known: Vec::new(), next: 0, journal: (0, blake3::Hasher::new()) }
    }

    /// What counts of a file.
    fn of(file: &dyn DiskFile, basis: Basis, journal: &Journal) -> Told {
        let mut known = read_all(Reader::at(file, 0), LONGEST).unwrap_or_default();
        let counts = known.starts_with(&basis).then(|| counting(&known, journal)).flatten();
        let (length, journal) = counts.unwrap_or_else(|| (0, (0, blake3::Hasher::new())));
        known.truncate(length);
        Told { file: None, known, next: DIGEST, journal }
    }

    /// The losses of a step, where they are known. They are asked for step by step.
    pub(super) fn recall(&mut self, step: &Step) -> Option<Vec<Losses>> {
        let Some((record, rest)) = Record::read(self.known.get(self.next..).unwrap_or_default()) else {
            self.known = Vec::new();
            return None;
        };
        let losses = record.losses();
        let is_whole = |losses: &Vec<f64>| {
            losses.len() as u64 == step.blocks && losses.iter().all(|loss| loss.is_finite())
        };
        let are_of_it = record.step == digest_of(step)
            && losses.len() == step.candidates.len()
            && losses.iter().flatten().all(is_whole);
        if !are_of_it {
            self.cut_off(self.next);
            self.known = Vec::new();
            return None;
        }
        self.next = self.known.len() - rest.len();
        Some(losses)
    }

    /// Takes note of the losses of a step that were not known.
    pub(super) fn note(&mut self, step: &Step, losses: &[Losses], journal: &Journal) {
        if self.file.is_none() {
            return;
        }
        let end = journal.length();
        if digest_up_to(&mut self.journal, journal, end).is_none() {
            self.file = None;
            return;
        }
        let mut body = Vec::new();
        body.extend(digest_of(step));
        body.extend(end.to_le_bytes());
        body.extend(&self.journal.1.finalize().as_bytes()[..DIGEST]);
        body.extend(step.blocks.to_le_bytes());
        for losses in losses {
            body.push(u8::from(losses.is_some()));
            losses.iter().flatten().for_each(|loss| body.extend(loss.to_bits().to_le_bytes()));
        }
        let Ok(length) = u32::try_from(body.len()) else {
            self.file = None;
            return;
        };
        let mut record = length.to_le_bytes().to_vec();
        record.extend(&digest(&body)[..CHECKSUM]);
        record.extend(body);
        self.append(&record);
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.file.as_ref().is_some_and(|file| file.append(bytes).is_err()) {
            self.file = None;
        }
    }

    fn cut_off(&mut self, length: usize) {
        if self.file.as_ref().is_some_and(|file| file.truncate(length as u64).is_err()) {
            self.file = None;
        }
    }
}

/// How much of the file counts beside a journal, and the journal up to where it was when that was written; none if nothing does.
fn counting(known: &[u8], journal: &Journal) -> Option<(usize, (u64, blake3::Hasher))> {
    let mut rest = &known[DIGEST..];
    let mut last = None;
    let mut blocks: u64 = 0;
    while let Some((record, behind)) = Record::read(rest).filter(|(record, _)| record.end <= journal.length())
    {
        // A step of which all candidates were refused took no blocks.
        let is_played = record.losses().iter().any(Option::is_some);
        blocks = blocks.saturating_add(if is_played { record.blocks } else { 0 });
        last = Some((record, known.len() - behind.len()));
        rest = behind;
    }
    let (record, length) = last?;
    let mut beginning = (0, blake3::Hasher::new());
    digest_up_to(&mut beginning, journal, record.end)?;
    let is_the_same = beginning.1.finalize().as_bytes()[..DIGEST] == *record.journal;
    // The keys of a step's games end with its first block.
    let is_of_these = |key: &str| {
        key.rsplit_once('-')
            .and_then(|(_, first)| first.parse().ok())
            .is_some_and(|first: u64| first < blocks)
    };
    (is_the_same && !journal.has_behind(record.end, is_of_these)).then_some((length, beginning))
}

/// Digests a journal further, up to a place; none if it cannot be read.
fn digest_up_to((place, hasher): &mut (u64, blake3::Hasher), journal: &Journal, end: u64) -> Option<()> {
    let file = journal.handle();
    let mut part = vec![0; end.saturating_sub(*place).min(1 << 20) as usize];
    while *place < end {
        let most = part.len().min((end - *place) as usize);
        match file.read_at(*place, &mut part[..most]) {
            Ok(read) if read > 0 => {
                hasher.update(&part[..read]);
                *place += read as u64;
            }
            _ => return None,
        }
    }
    Some(())
}

/// A step as it stands in the file.
struct Record<'a> {
    step: [u8; DIGEST],
    /// Length of the journal when its losses were found,
    end: u64,
    /// and the digest of that much of it.
    journal: &'a [u8],
    blocks: u64,
    /// Of each candidate a byte that says whether it was played, and its losses.
    losses: &'a [u8],
}

impl<'a> Record<'a> {
    /// The step with which bytes begin, and the bytes behind it; none if it is not whole.
    fn read(bytes: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk::<CHECKSUM>()?;
        let (body, behind) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        if digest(body)[..CHECKSUM] != *checksum {
            return None;
        }
        let (step, rest) = body.split_first_chunk()?;
        let (end, rest) = rest.split_first_chunk()?;
        let (journal, rest) = rest.split_at_checked(DIGEST)?;
        let (blocks, losses) = rest.split_first_chunk()?;
        let [end, blocks] = [end, blocks].map(|number| u64::from_le_bytes(*number));
        Some((Record { step: *step, end, journal, blocks, losses }, behind))
    }

    fn losses(&self) -> Vec<Losses> {
        let mut rest = self.losses;
        let mut all = Vec::new();
        while let Some((is_played, behind)) = rest.split_first() {
            let blocks = usize::try_from(self.blocks).ok().filter(|_| *is_played == 1);
            let length =
                if *is_played == 1 { blocks.and_then(|blocks| blocks.checked_mul(8)) } else { Some(0) };
            let Some((losses, behind)) = length.and_then(|length| behind.split_at_checked(length)) else {
                break;
            };
            let losses = losses.as_chunks().0.iter().map(|&bits| f64::from_bits(u64::from_le_bytes(bits)));
            all.push((*is_played == 1).then(|| losses.collect()));
            rest = behind;
        }
        all
    }
}

/// Digest of a step's candidates and of how they play.
fn digest_of(step: &Step) -> [u8; DIGEST] {
    let mut bytes = step.blocks.to_le_bytes().to_vec();
    bytes.extend(step.kind.name().as_bytes());
    for point in &step.candidates {
        bytes.extend((point.len() as u64).to_le_bytes());
        point.iter().for_each(|x| bytes.extend(x.to_bits().to_le_bytes()));
    }
    digest(&bytes)
}

fn digest(bytes: &[u8]) -> [u8; DIGEST] {
    *blake3::hash(bytes).as_bytes().first_chunk().expect("a digest has 32 bytes")
}
