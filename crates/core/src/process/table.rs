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
pub(super) fn descendants(of: u32) -> Vec<u32> {
    let mut found = vec![of];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        match listed_children(parent) {
            Some(own) => found.extend(own),
            None if fields(parent).is_none() => {}
            // The system keeps no lists of children.
            None => return descendants_of_all(of),
        }
        next += 1;
    }
    found.split_off(1)
}

/// Returns the children of a process.
#[cfg(target_os = "linux")]
pub(super) fn children(parent: u32) -> Vec<u32> {
    listed_children(parent).unwrap_or_else(|| children_of_all().remove(&parent.into()).unwrap_or_default())
}

/// Returns the children listed by its threads; `None` if the system keeps no lists.
fn listed_children(parent: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{parent}/task")).ok()?.flatten() {
        let own = match fs::read_to_string(thread.path().join("children")) {
            Ok(own) => own,
            // The thread has ended.
            Err(_) if !thread.path().exists() => continue,
            Err(_) => return None,
        };
        found.extend(own.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    Some(found)
}

/// Returns the children of all processes.
fn children_of_all() -> BTreeMap<u64, Vec<u32>> {
    let mut children: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        let Some(&parent) = fields(pid).as_deref().and_then(|all| all.get(PARENT)) else { continue };
        children.entry(parent).or_default().push(pid);
    }
    children
}

/// Returns all descendants of a process by scanning all processes.
fn descendants_of_all(of: u32) -> Vec<u32> {
    let mut children = children_of_all();
    let mut found = Vec::new();
    let mut next = vec![of];
    while let Some(parent) = next.pop() {
        let own = children.remove(&parent.into()).unwrap_or_default();
        found.extend(&own);
        next.extend(own);
    }
    found
}
