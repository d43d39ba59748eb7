//! Chance, reproducible for good: a tree of named seeds, and the generator that grows from its
//! leaves.
//!
//! A [`Seed`] has children and cannot draw; an [`Rng`] draws and cannot be copied. So a stream of
//! chance has exactly one owner, and which stream that is stands in the names on the way from the
//! root:
//!
//! ```text
//! experiment.seed
//! └─ block b                 its seed stands in games.csv
//!    ├─ world                the chance of the game: the same for every line-up in the block
//!    └─ seat 2l + s          the private stream of the player in seat s, in leg l of the block
//! ```
//!
//! The generator is xoroshiro128++ (Blackman and Vigna, 2019), fixed by its paper. The way from
//! names to states and from states to ranges is written here and pinned by vectors
//! (`tests/it/chance.rs`), because results must not depend on a library's minor version. A change
//! of any of it changes every result ever published with it, and must raise [`SCHEME`].

use rand::{Rng as _, SeedableRng};
use rand_xoshiro::Xoroshiro128PlusPlus;

/// Version of everything in this module that decides which numbers are drawn. Stands in every
/// manifest.
pub const SCHEME: u32 = 1;

/// Seeds of blocks are below this, so that each can be written as a TOML integer.
pub const SEED_LIMIT: u64 = 1 << 63;

/// A place in the tree of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The root of a tree.
    pub const fn root(number: u64) -> Seed {
        Seed(mix(number ^ 0x6A09_E667_F3BC_C908))
    }

    /// The child of this name and number.
    #[must_use]
    pub const fn child(self, name: &str, number: u64) -> Seed {
        self.children(name).numbered(number)
    }

    /// All children of this name.
    #[must_use]
    pub const fn children(self, name: &str) -> Children {
        Children(mix(self.0 ^ hash_of(name)))
    }

    /// The seed of block `block` of an experiment, as it stands in `games.csv`.
    pub const fn of_block(experiment: u64, block: u64) -> u64 {
        Seed::root(experiment).child("block", block).number()
    }

    /// The place as a number that can be the seed of a block, or of an experiment.
    pub const fn number(self) -> u64 {
        self.0 % SEED_LIMIT
    }

    /// The place as one word, by which another process finds it again ([`Seed::of_stream`]).
    pub const fn stream(self) -> u64 {
        self.0
    }

    /// The place of such a word.
    pub const fn of_stream(word: u64) -> Seed {
        Seed(word)
    }

    /// The generator that grows here.
    #[inline]
    pub fn rng(self) -> Rng {
        Rng::in_state(self.state())
    }

    /// The words of state of the generator that grows here, for code that steps many generators
    /// side by side.
    ///
    /// Made as the generator's authors advise: by splitmix64, which never makes both words zero.
    #[inline]
    pub const fn state(self) -> [u64; 2] {
        let word = self.0.wrapping_add(GOLDEN);
        [mix(word), mix(word.wrapping_add(GOLDEN))]
    }
}

/// The children of a seed that have one name, by their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Children(u64);

impl Children {
    /// The child of this number.
    #[inline]
    pub const fn numbered(self, number: u64) -> Seed {
        Seed(mix(self.0.wrapping_add(number)))
    }
}

/// A generator of random numbers. Deliberately not `Clone`: a copy would draw the same numbers
/// again.
#[derive(Debug)]
pub struct Rng(Xoroshiro128PlusPlus);

impl Rng {
    /// The generator with these words of state, not both of them zero: what [`Seed::state`] gives,
    /// or what follows from it.
    #[inline]
    pub fn in_state(words: [u64; 2]) -> Rng {
        let mut state = [0; 16];
        for (bytes, word) in state.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Rng(Xoroshiro128PlusPlus::from_seed(state))
    }

    /// 64 fair bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 up to 1, which it never is: a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `n`, every one exactly as likely as any other.
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no number is below 0");
        self.bits_below(n).1
    }

    /// As [`Rng::below`], together with the 64 bits that decided, for callers that derive more from
    /// the same draw.
    ///
    /// Multiply and keep the high word, after Lemire (2019): the bits fall into `n` classes whose
    /// sizes differ by one at most, and the few bits that make the difference are drawn again (for
    /// n = 160 once in 10^17).
    #[inline(always)]
    pub fn bits_below(&mut self, n: u64) -> (u64, u64) {
        let bits = self.bits();
        let product = u128::from(bits) * u128::from(n);
        // The remainder costs a division and is asked for only where it can matter.
        if (product as u64) < n { self.drawn_again(bits, n) } else { (bits, (product >> 64) as u64) }
    }

    /// Draws until the bits are fair, these first.
    #[cold]
    fn drawn_again(&mut self, mut bits: u64, n: u64) -> (u64, u64) {
        loop {
            let product = u128::from(bits) * u128::from(n);
            if product as u64 >= n.wrapping_neg() % n {
                return (bits, (product >> 64) as u64);
            }
            bits = self.bits();
        }
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finalizer of splitmix64: a bijection in which every bit of the input sways every bit of the
/// output.
const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// FNV-1a of a name; names are short and constant, so this is done when the program is compiled.
const fn hash_of(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01B3);
        i += 1;
    }
    hash
}
