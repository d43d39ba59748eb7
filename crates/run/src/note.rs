//! Notes that processes leave each other in a folder: files of one line, in the format of a
//! journal, replaced atomically.

use std::fs::File;
use std::io;
use std::path::Path;

use gauntlet_core::disk::{folder_of, open_regular, read_all, system_disk};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::entry::{format_line, verify_line};
use super::machine;

/// Largest number of bytes of a note.
const MAX_LENGTH: usize = 4096;

/// Reads a note; `None` if there is none. Fails with the reason if it is invalid.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let file = open_regular(path, File::options().read(true));
    let bytes = match file.and_then(|file| read_all(file, MAX_LENGTH)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Err("is damaged".to_owned()),
        Err(error) => return Err(format!("cannot be read ({error})")),
        Ok(bytes) => bytes,
    };
    let value = verify_line(&bytes).and_then(|(_, json)| serde_json::from_slice(json).ok());
    value.map(Some).ok_or_else(|| "is damaged".to_owned())
}

/// Replaces a note. A power cut may undo it.
pub fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let disk = system_disk();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary_path = folder_of(path).join(format!(".{name}-{}", machine::unique_number()));
    let write_result = disk.create(&temporary_path).and_then(|file| file.append(&format_line(value)));
    let rename_result = write_result.and_then(|()| disk.rename(&temporary_path, path));
    rename_result.inspect_err(|_| _ = disk.remove(&temporary_path))
}
