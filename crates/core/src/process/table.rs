//! The system's table of processes, as Linux shows it. Other systems have none that could be read: there all of it is empty.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::time::Duration;

/// The fields of a process behind its name, which may hold anything.
fn fields(pid: &str) -> Option<Vec<u64>> {
    // The name may be cut in the middle of a letter.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (_, rest) = stat.rsplit_once(") ")?;
    Some(rest.split(' ').map(|field| field.trim().parse().unwrap_or(0)).collect())
}

/// Places of the parent, and of four times in ticks: of the process itself, and of the children that it has waited for.
const PARENT: usize = 1;
const TIMES: Range<usize> = 11..15;
const TIMES_OF_CHILDREN: Range<usize> = 13..15;

/// The processes that descend from one.
pub(super) fn descendants(of: u32) -> Vec<u32> {
    let mut children: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        let Some(&parent) = fields(name.to_str().unwrap_or("")).as_deref().and_then(|all| all.get(PARENT))
        else {
            continue;
        };
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut next = vec![of];
    while let Some(parent) = next.pop() {
        let own = children.remove(&parent.into()).unwrap_or_default();
        found.extend(&own);
        next.extend(own);
    }
    found
}

/// CPU time of a process and of those of its children that have ended; none where the system does not tell.
pub(super) fn cpu_time(pid: u32) -> Option<Duration> {
    time(pid, TIMES)
}

/// CPU time of those children of a process that have ended.
pub(super) fn cpu_time_of_children(pid: u32) -> Option<Duration> {
    time(pid, TIMES_OF_CHILDREN)
}

fn time(pid: u32, places: Range<usize>) -> Option<Duration> {
    let fields = fields(&pid.to_string())?;
    let ticks: u64 = fields.get(places)?.iter().sum();
    #[cfg(unix)]
    let each = rustix::param::clock_ticks_per_second();
    #[cfg(not(unix))]
    let each = 100;
    Some(Duration::from_secs_f64(ticks as f64 / each as f64))
}
