//! Experiments that can be played without a file.

use gauntlet_analysis::config::BuiltInExperiment;

/// Makes a built-in experiment of a file in `configs`.
macro_rules! built_in {
    ($name:literal) => {
        BuiltInExperiment {
            name: $name,
            path: concat!("configs/", $name, ".toml"),
            text: include_str!(concat!("../configs/", $name, ".toml")),
        }
    };
}

/// The built-in experiments, in the order of `--help`.
pub(crate) const BUILT_IN: [BuiltInExperiment; 2] = [built_in!("quick"), built_in!("baselines")];
