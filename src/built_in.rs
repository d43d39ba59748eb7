//! Experiments that can be played without a file.

use gauntlet_analysis::config::BuiltInExperiment;

/// The built-in experiments, in the order of `--help`.
pub(crate) const BUILT_IN: [BuiltInExperiment; 2] = [
    BuiltInExperiment {
        name: "quick",
        path: "configs/quick.toml",
        text: include_str!("../configs/quick.toml"),
    },
    BuiltInExperiment {
        name: "baselines",
        path: "configs/baselines.toml",
        text: include_str!("../configs/baselines.toml"),
    },
];
