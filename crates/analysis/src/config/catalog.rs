//! What a program's experiments can contain, and its built-in experiments.

use std::io;
use std::path::Path;

use gauntlet_core::arena::Arenas;

use super::sections::driver::RegisteredSection;

/// Games and sections that a program's experiments can contain.
#[derive(Clone, Copy, Debug)]
pub struct Catalog {
    pub games: Arenas,
    /// Sections that drivers own, in the order of the manual.
    pub sections: &'static [RegisteredSection],
    /// Experiments that need no file.
    pub built_in: &'static [BuiltInExperiment],
}

/// Experiment that is part of the program, so that it can be played in any folder.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInExperiment {
    /// Name, which takes the place of a path on the command line.
    pub name: &'static str,
    /// Path in its comments, which `init` replaces.
    pub path: &'static str,
    /// TOML text.
    pub text: &'static str,
}

impl Catalog {
    /// Creates a catalog without drivers.
    pub const fn new(games: Arenas) -> Catalog {
        Catalog { games, sections: &[], built_in: &[] }
    }

    /// Returns the built-in experiment that a path names. A file or folder with this name is used
    /// instead.
    pub fn built_in_experiment(&self, path: &Path) -> Option<&'static BuiltInExperiment> {
        let experiment = self.find_built_in(path)?;
        let is_absent = path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        is_absent.then_some(experiment)
    }

    /// Returns the remark that a folder which is no experiment hides a built-in experiment; empty
    /// if it hides none.
    pub fn hidden_experiment_hint(&self, folder: &Path) -> String {
        self.find_built_in(folder).map_or_else(String::new, |experiment| {
            let name = experiment.name;
            format!(
                "; this folder hides the built-in experiment `{name}`: rename it, or work in another folder"
            )
        })
    }

    fn find_built_in(&self, path: &Path) -> Option<&'static BuiltInExperiment> {
        self.built_in.iter().find(|experiment| path.as_os_str() == experiment.name)
    }
}
