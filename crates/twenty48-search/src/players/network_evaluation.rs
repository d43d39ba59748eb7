//! Networks as evaluations of a search.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::player::FileMistake;
use gauntlet_twenty48::eval::{IntegerEvaluation, IntegerFeatures};
use gauntlet_twenty48::rules::{Cells, PackedLines};

use crate::network::Network;
use crate::network::weight_indices::{MAX_INDICES, WeightIndices};

/// Network that is part of the program.
pub(super) static BUILT_IN_NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let bytes = include_bytes!("../quick.network");
    Arc::new(Network::read(bytes).expect("the built-in network is valid"))
});

/// Opens the network of a file, or the built-in one.
pub(super) fn open_network(path: Option<&Path>, assets: &AssetFiles) -> anyhow::Result<Arc<Network>> {
    match path {
        Some(path) => assets.load(path, Network::load),
        None => Ok(BUILT_IN_NETWORK.clone()),
    }
}

/// Returns the file that a setting `network` names, if any.
pub(super) fn network_files(path: Option<&Path>) -> Vec<(&'static str, PathBuf)> {
    path.iter().map(|path| ("network", path.to_path_buf())).collect()
}

/// Decodes the network, so that a mistake in its file is found before a game is played.
pub(super) fn check_network(path: Option<&Path>, assets: &AssetFiles) -> Result<(), FileMistake> {
    match path {
        None => Ok(()),
        Some(_) => open_network(path, assets).map(drop).map_err(|error| FileMistake::new("network", &error)),
    }
}

/// Sum of a network and another evaluation.
pub(super) struct NetworkEvaluation<E> {
    /// Other evaluation.
    pub(super) base: E,
    /// Network of the sum.
    pub(super) network: Arc<Network>,
    /// Weight of the network's value.
    pub(super) weight: f64,
}

/// Evaluation that is always 0.
pub(super) struct ZeroEvaluation(pub(super) IntegerFeatures);

impl<E: IntegerEvaluation> NetworkEvaluation<E> {
    #[inline(always)]
    fn units(&self, value: f32) -> i64 {
        self.features().units_at_most(self.weight * f64::from(value))
    }
}

/// Prefetched indices of a board's weights.
pub(super) struct Prepared(WeightIndices);

impl Default for Prepared {
    fn default() -> Prepared {
        Prepared([0; MAX_INDICES])
    }
}

impl<E: IntegerEvaluation> IntegerEvaluation for NetworkEvaluation<E> {
    type Prepared = Prepared;
    type Sum = i64;
    const HAS_BOARD_FEATURES: bool = true;

    #[inline(always)]
    fn row(&self, index: usize, row: u16) -> i64 {
        self.base.row(index, row).into()
    }

    #[inline(always)]
    fn column(&self, column: u16) -> i64 {
        self.base.column(column).into()
    }

    #[inline(always)]
    fn unfolded_value(&self, rows: PackedLines) -> i64 {
        self.base.unfolded_value(rows) + self.units(self.network.value(rows.cells()))
    }

    #[inline(always)]
    fn is_memory_bound(&self) -> bool {
        self.network.is_memory_bound()
    }

    #[inline(always)]
    fn prepare(&self, rows: PackedLines, Prepared(indices): &mut Prepared) {
        self.network.compute_and_prefetch(rows.cells(), indices);
    }

    #[inline(always)]
    fn prepared_unfolded_value(&self, rows: PackedLines, Prepared(indices): &Prepared) -> i64 {
        self.base.unfolded_value(rows) + self.units(self.network.sum(indices))
    }

    fn features(&self) -> &IntegerFeatures {
        self.base.features()
    }

    fn value(&self, cells: Cells) -> i64 {
        self.base.value(cells) + self.units(self.network.value(cells))
    }
}

impl IntegerEvaluation for ZeroEvaluation {
    type Prepared = ();
    type Sum = i64;
    const HAS_BOARD_FEATURES: bool = false;

    #[inline(always)]
    fn row(&self, _index: usize, _row: u16) -> i64 {
        0
    }

    #[inline(always)]
    fn column(&self, _column: u16) -> i64 {
        0
    }

    #[inline(always)]
    fn unfolded_value(&self, _rows: PackedLines) -> i64 {
        0
    }

    fn features(&self) -> &IntegerFeatures {
        &self.0
    }
}
