//! Process table of the system, as Linux shows it. On other systems all of it is empty.

use std::collections::BTreeMap;
use std::fs;

/// Returns the fields after the name of a process, because the name may contain anything.
pub(super) fn fields(pid: u32) -> Option<Vec<u64>> {
    // The name may be cut within a UTF-8 character.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (_, rest) = stat.rsplit_once(") ")?;
    Some(rest.split(' ').map(|field| field.trim().parse().unwrap_or(0)).collect())
}

/// Field of the parent.
const PARENT: usize = 1;

/// Returns true if a process ignores a signal.
pub(super) fn ignores(pid: u32, signal: u32) -> bool {
    let status = fs::read(format!("/proc/{pid}/status")).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Returns all descendants of a process, each after its parent.
pub(super) fn descendants(ancestor: u32) -> Vec<u32> {
    let mut pids = vec![ancestor];
    let mut next_index = 0;
    while let Some(&parent) = pids.get(next_index) {
        match listed_children(parent) {
            Some(child_pids) => pids.extend(child_pids),
            None if fields(parent).is_none() => {}
            // The system keeps no lists of children.
            None => return scan_descendants(ancestor),
        }
        next_index += 1;
    }
    pids.split_off(1)
}

/// Returns the children of a process.
#[cfg(target_os = "linux")]
pub(super) fn children(parent: u32) -> Vec<u32> {
    listed_children(parent).unwrap_or_else(|| scan_children().remove(&parent.into()).unwrap_or_default())
}

/// Returns the children listed by its threads; `None` if the system keeps no lists.
fn listed_children(parent: u32) -> Option<Vec<u32>> {
    let mut pids = Vec::new();
    for thread in fs::read_dir(format!("/proc/{parent}/task")).ok()?.flatten() {
        let list = match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => list,
            // The thread has ended.
            Err(_) if !thread.path().exists() => continue,
            Err(_) => return None,
        };
        pids.extend(list.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    Some(pids)
}

/// Returns the children of all processes.
fn scan_children() -> BTreeMap<u64, Vec<u32>> {
    let mut children: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        let Some(&parent) = fields(pid).as_deref().and_then(|values| values.get(PARENT)) else { continue };
        children.entry(parent).or_default().push(pid);
    }
    children
}

/// Returns all descendants of a process by scanning all processes.
fn scan_descendants(ancestor: u32) -> Vec<u32> {
    let mut children = scan_children();
    let mut pids = Vec::new();
    let mut pending = vec![ancestor];
    while let Some(parent) = pending.pop() {
        let child_pids = children.remove(&parent.into()).unwrap_or_default();
        pids.extend(&child_pids);
        pending.extend(child_pids);
    }
    pids
}
