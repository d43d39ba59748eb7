//! Removes games that no later plan can use from a journal, so that it does not grow with them.

use std::io::Read;
use std::iter;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use anyhow::Context;
use gauntlet_core::disk::{DiskFile, Reader, folder_of};
use gauntlet_core::text::display_path;

use super::journal::Journal;
use super::keyed_plan::is_single_use;

impl Journal {
    /// Replaces the file by one without the games that no later plan can use. All other lines are
    /// kept, so that sessions keep their indices.
    pub fn remove_unusable_games(&mut self) -> anyhow::Result<()> {
        let unusable = self.lines().iter().filter(|line| is_single_use(&line.key));
        let unusable: Vec<_> = unusable.map(|line| line.offset..line.offset + line.bytes() as u64).collect();
        if unusable.is_empty() {
            return Ok(());
        }
        let new_file = self
            .replace_file_without(&unusable)
            .with_context(|| format!("cannot rewrite the journal {}", display_path(self.path())))?;
        let new_journal = Journal::scan(Arc::clone(self.disk()), self.path(), new_file)?;
        self.replaced_file = Some(mem::replace(self, new_journal).file);
        Ok(())
    }

    /// Replaces the file atomically by one without these bytes, and locks the new one before it has
    /// the name.
    fn replace_file_without(&self, left_out: &[Range<u64>]) -> anyhow::Result<Arc<dyn DiskFile>> {
        let new_path = self.path().with_added_extension("tmp");
        let new_file = self.disk().create(&new_path)?;
        new_file.lock()?;
        let starts = iter::once(0).chain(left_out.iter().map(|range| range.end));
        let ends = left_out.iter().map(|range| range.start).chain([self.length()]);
        let mut buffer = vec![0; 1 << 16];
        for (start, end) in starts.zip(ends) {
            let mut kept = Reader::new(&*self.file, start).take(end - start);
            while let count @ 1.. = kept.read(&mut buffer)? {
                new_file.append(&buffer[..count])?;
            }
        }
        new_file.sync()?;
        self.disk().rename(&new_path, self.path())?;
        self.disk().sync_folder(folder_of(self.path()))?;
        Ok(new_file)
    }
}
