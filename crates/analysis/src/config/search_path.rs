//! Finds programs like a shell.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// Returns whether a program is in a folder of `PATH`; `None` if there is no `PATH`.
pub fn is_on_path(program: &str) -> Option<bool> {
    let path_variable = env::var_os("PATH")?;
    Some(is_in_any(env::split_paths(&path_variable), program))
}

/// Returns true if a program is in one of some folders. On Windows, its file may have a suffix that
/// is not typed.
fn is_in_any(mut folders: impl Iterator<Item = PathBuf>, program: &str) -> bool {
    let with_suffix = format!("{program}{EXE_SUFFIX}");
    let names = [program, &with_suffix];
    folders.any(|folder| names.iter().any(|name| is_executable(&folder.join(name))))
}

/// Returns true if a path is a file that can be started, as far as its permissions say.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_without_its_suffix() {
        let this_program = env::current_exe().unwrap();
        let (folder, file) = (this_program.parent().unwrap(), this_program.file_name().unwrap());
        let name = file.to_str().unwrap().strip_suffix(EXE_SUFFIX).unwrap();
        let folders = || [PathBuf::from("absent"), folder.to_owned()].into_iter();
        assert!(is_in_any(folders(), name) && is_in_any(folders(), file.to_str().unwrap()));
        assert!(!is_in_any(folders(), "absent"));
        assert!(!is_in_any([PathBuf::from("absent")].into_iter(), name));
    }

    /// A folder has the permission, too, and its name is that of no program.
    #[test]
    fn a_folder_is_not_executable() {
        assert!(!is_executable(&env::temp_dir()));
        assert!(is_executable(&env::current_exe().unwrap()));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_without_permission_is_not_executable() {
        let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(source.is_file() && !is_executable(source));
    }
}
