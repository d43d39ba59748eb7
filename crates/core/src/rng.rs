//! Reproducible randomness: a tree of named seeds, and generators created from them.
//!
//! A [`Seed`] has children but cannot draw; an [`Rng`] draws but cannot be copied. So each random
//! stream has exactly one owner, and the path of names from the root identifies the stream:
//!
//! ```text
//! experiment.seed
//! └─ block b                 its seed is in games.csv
//!    ├─ world                randomness of the game, equal for every line-up in the block
//!    └─ seat 2l + s          private stream of the player in seat s, in leg l of the block
//! ```
//!
//! The generator is xoroshiro128++ (Blackman and Vigna, 2019), as its paper defines it. It is
//! implemented here, like the steps from names to states and from states to ranges, because results
//! must not depend on a library's minor version. Vectors pin them (`tests/it/games/chance.rs`). Any
//! change here changes every published result, and must raise [`SCHEME`].

/// Version of everything in this module that affects which numbers are drawn. Every manifest
/// records it.
pub const SCHEME: u32 = 1;

/// Exclusive upper limit of block seeds, so that each fits a TOML integer.
pub const SEED_LIMIT: u64 = 1 << 63;

/// Node in the tree of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// Returns the root of a tree.
    pub const fn root(number: u64) -> Seed {
        Seed(mix(number ^ 0x6A09_E667_F3BC_C908))
    }

    /// Returns the child with this name and number.
    #[must_use]
    pub const fn child(self, name: &str, number: u64) -> Seed {
        self.children(name).get(number)
    }

    /// Returns all children with this name.
    #[must_use]
    pub const fn children(self, name: &str) -> ChildSeeds {
        ChildSeeds(mix(self.0 ^ hash_name(name)))
    }

    /// Returns the seed of block `block` of an experiment, as in `games.csv`.
    pub const fn block_seed(experiment: u64, block: u64) -> u64 {
        Seed::root(experiment).child("block", block).number()
    }

    /// Returns the seed as a number that can be the seed of a block or of an experiment.
    pub const fn number(self) -> u64 {
        self.0 % SEED_LIMIT
    }

    /// Returns the seed as one word, from which another process restores it
    /// ([`Seed::from_stream`]).
    pub const fn stream(self) -> u64 {
        self.0
    }

    /// Restores the seed from such a word.
    pub const fn from_stream(word: u64) -> Seed {
        Seed(word)
    }

    /// Creates the generator of this seed.
    #[inline]
    pub fn rng(self) -> Rng {
        Rng::from_state(self.state())
    }

    /// Returns the initial state of this seed's generator, for code that steps many generators in
    /// parallel.
    ///
    /// It is made by splitmix64, as the generator's authors advise, which never makes both words
    /// zero.
    #[inline]
    pub const fn state(self) -> [u64; 2] {
        let word = self.0.wrapping_add(GOLDEN);
        [mix(word), mix(word.wrapping_add(GOLDEN))]
    }
}

/// Children of a seed that share a name, indexed by number.
#[derive(Clone, Copy, Debug)]
pub struct ChildSeeds(u64);

impl ChildSeeds {
    /// Returns the child with this number.
    #[inline]
    pub const fn get(self, number: u64) -> Seed {
        Seed(mix(self.0.wrapping_add(number)))
    }
}

/// Random number generator. It is deliberately not `Clone`, because a copy would draw the same
/// numbers again. Only a saved game restores its generator, by [`Rng::state`].
#[derive(Debug)]
pub struct Rng([u64; 2]);

impl Rng {
    /// Creates a generator with this state, which must not be all zeros. The state comes from
    /// [`Seed::state`], from stepping it, or from [`Rng::state`].
    #[inline]
    pub const fn from_state(words: [u64; 2]) -> Rng {
        debug_assert!(words[0] | words[1] != 0, "this state draws zeros alone");
        Rng(words)
    }

    /// Returns the state, with which [`Rng::from_state`] creates a generator that draws the same
    /// numbers.
    #[inline]
    pub const fn state(&self) -> [u64; 2] {
        self.0
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b] = self.0;
        let mixed = a ^ b;
        self.0 = [a.rotate_left(49) ^ mixed ^ (mixed << 21), mixed.rotate_left(28)];
        a.wrapping_add(b).rotate_left(17).wrapping_add(a)
    }

    /// Draws a number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a whole number below `n`, exactly uniformly.
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no number is below 0");
        self.bits_below(n).1
    }

    /// Like [`Rng::below`], but also returns the 64 random bits, for callers that derive more from
    /// the same draw.
    ///
    /// Uses Lemire's method (2019): multiply and keep the high word. The bits fall into `n` classes
    /// whose sizes differ by at most one. The few bits that cause the difference are drawn again
    /// (for n = 160 once in 10^17).
    #[inline(always)]
    pub fn bits_below(&mut self, n: u64) -> (u64, u64) {
        let bits = self.bits();
        let product = u128::from(bits) * u128::from(n);
        // The remainder costs a division, so it is computed only if it can matter.
        if (product as u64) < n { self.redraw(bits, n) } else { (bits, (product >> 64) as u64) }
    }

    /// Draws until the bits are unbiased, starting with the given ones.
    #[cold]
    fn redraw(&mut self, mut bits: u64, n: u64) -> (u64, u64) {
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

/// Finalizer of splitmix64: a bijection in which every input bit affects every output bit.
const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Returns the FNV-1a hash of a name. Names are short constants, so this is computed at compile
/// time.
const fn hash_name(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01B3);
        i += 1;
    }
    hash
}
