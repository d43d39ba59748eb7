//! CPU time of a program, including all threads of all its processes, running and ended.
//!
//! A running process has a clock in nanoseconds. After a process has ended, only its parent can
//! read its exact time. Others see it in ticks, usually of 10 ms, in the parent's entry of the
//! process table, summed over all its children. So the time of children that a program has waited
//! for is known to two ticks, and everything else exactly. After the program has ended, its
//! supervisor's resource usage, in microseconds, contains all of it. The time of children whose
//! parent ignores SIGCHLD is lost; then only a bound is known.

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use super::process_table::{descendants, fields, ignores};
use crate::record::ProcessTime;

/// Fields of the times in ticks, of the program and of the system: for a process itself, and for
/// its ended children.
const OWN_TICKS: Range<usize> = 11..13;
const CHILD_TICKS: Range<usize> = 13..15;

/// Field of the page faults of ended children. Each child has some, so the number shows whether
/// there were others.
const CHILD_FAULTS: usize = 8;

/// Number of SIGCHLD on Linux, the signal to a parent whose child has ended.
const SIGCHLD: u32 = 17;

/// Maximum number of attempts to get two equal readings.
const MAX_ATTEMPTS: usize = 4;

/// Reading of a program's clocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    cpu_time: Duration,
    /// Processes whose own time is only known in ticks.
    coarse_count: u32,
    /// Processes that have waited for others, with the page faults of those.
    child_faults: BTreeMap<u32, u64>,
    /// True if a process lets the system reap its children, so that their time is lost when they
    /// end.
    loses_time: bool,
    /// Time of the reading.
    instant: Option<Instant>,
}

impl Reading {
    /// Returns the CPU time since an earlier reading. If no further children have ended since,
    /// their rounded times are equal in both and cancel.
    pub(super) fn time_since(&self, earlier: &Reading) -> ProcessTime {
        let (current, previous) = (&self.child_faults, &earlier.child_faults);
        let changed_count = current.iter().filter(|(pid, faults)| previous.get(pid) != Some(faults)).count();
        let gone_count = previous.keys().filter(|pid| !current.contains_key(pid)).count();
        let rounded_count = self.coarse_count + (changed_count + gone_count) as u32;
        // Each of the two times is rounded down.
        let rounding_error = rounded_count.saturating_mul(2) * ticks_to_duration(1);
        let lost_time =
            if self.loses_time || earlier.loses_time { self.max_time_since(earlier) } else { Duration::ZERO };
        ProcessTime {
            time: self.cpu_time.saturating_sub(earlier.cpu_time),
            max_error: rounding_error.saturating_add(lost_time),
        }
    }

    /// Returns the maximum CPU time that this machine can provide in the meantime.
    fn max_time_since(&self, earlier: &Reading) -> Duration {
        let wall = self
            .instant
            .zip(earlier.instant)
            .map_or(Duration::ZERO, |(now, before)| now.saturating_duration_since(before));
        wall.saturating_mul(thread::available_parallelism().map_or(1, |count| count.get() as u32))
    }

    /// Creates the reading after all processes have ended.
    pub(super) fn from_total(cpu_time: Duration) -> Reading {
        Reading { cpu_time, instant: Some(Instant::now()), ..Reading::default() }
    }
}

/// Process in the process table.
#[derive(PartialEq, Eq)]
struct ProcessEntry {
    pid: u32,
    child_ticks: u64,
    child_faults: u64,
}

/// Returns a supervisor and its descendants, each process after its parent.
fn entries(supervisor: u32) -> Vec<ProcessEntry> {
    let pids = std::iter::once(supervisor).chain(descendants(supervisor));
    let entry = |pid| {
        let fields = fields(pid)?;
        let child_ticks = fields.get(CHILD_TICKS)?.iter().sum();
        Some(ProcessEntry { pid, child_ticks, child_faults: *fields.get(CHILD_FAULTS)? })
    };
    pids.filter_map(entry).collect()
}

/// Reads the clocks of everything that a supervisor has started. Processes may end during the
/// reading. Ended children are read first, so that nothing counts twice, and the reading is
/// repeated until no process has ended meanwhile.
pub(super) fn read(supervisor: u32) -> Option<Reading> {
    let mut before = entries(supervisor);
    for attempt in 1.. {
        let reading = sum(supervisor, &before);
        let after = entries(supervisor);
        if before == after || attempt == MAX_ATTEMPTS {
            return (!after.is_empty()).then_some(reading);
        }
        before = after;
    }
    None
}

fn sum(supervisor: u32, entries: &[ProcessEntry]) -> Reading {
    let mut reading = Reading { instant: Some(Instant::now()), ..Reading::default() };
    for entry in entries {
        reading.cpu_time += ticks_to_duration(entry.child_ticks);
        if entry.child_faults > 0 {
            reading.child_faults.insert(entry.pid, entry.child_faults);
        }
        if entry.pid == supervisor {
            continue;
        }
        reading.loses_time |= ignores(entry.pid, SIGCHLD);
        if let Some(time) = system::process_time(entry.pid) {
            reading.cpu_time += time;
        } else if let Some(ticks) = fields(entry.pid).and_then(|all| Some(all.get(OWN_TICKS)?.iter().sum())) {
            reading.cpu_time += ticks_to_duration(ticks);
            reading.coarse_count += 1;
        }
    }
    reading
}

fn ticks_to_duration(count: u64) -> Duration {
    #[cfg(unix)]
    let ticks_per_second = rustix::param::clock_ticks_per_second();
    #[cfg(not(unix))]
    let ticks_per_second = 100;
    Duration::from_nanos(count.saturating_mul(1_000_000_000 / ticks_per_second))
}

/// Reaps a supervisor that has ended. Returns how it ended, and the CPU time of everything that it
/// started, if the system reports that.
pub(super) fn wait(supervisor: &mut Child) -> Option<(ExitStatus, Option<Duration>)> {
    system::wait(supervisor)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod system {
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitStatus};
    use std::time::Duration;

    /// Returns the CPU time of all threads of a process; `None` if it is gone or the system has no
    /// such clock.
    pub(super) fn process_time(pid: u32) -> Option<Duration> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let (mut clock, mut time) = (MaybeUninit::uninit(), MaybeUninit::<libc::timespec>::uninit());
        // SAFETY: both calls write to their out-parameters if they succeed, and these are read only
        // then.
        let time = unsafe {
            if libc::clock_getcpuclockid(pid, clock.as_mut_ptr()) != 0
                || libc::clock_gettime(clock.assume_init(), time.as_mut_ptr()) != 0
            {
                return None;
            }
            time.assume_init()
        };
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }

    /// Reaps a child. Its resource usage includes its own time and all that it waited for;
    /// subtracting its own leaves the rest.
    pub(super) fn wait(child: &mut Child) -> Option<(ExitStatus, Option<Duration>)> {
        let own_time = process_time(child.id());
        let pid = libc::pid_t::try_from(child.id()).ok()?;
        let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::uninit());
        // SAFETY: the call writes to its out-parameters if it succeeds, and these are read only
        // then. The child is not waited for again.
        let usage = unsafe {
            while libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) != pid {
                if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                    return None;
                }
            }
            usage.assume_init()
        };
        let to_duration = |time: libc::timeval| {
            let micros = time.tv_usec.try_into().ok().map(Duration::from_micros)?;
            Some(Duration::from_secs(time.tv_sec.try_into().ok()?) + micros)
        };
        let total =
            to_duration(usage.ru_utime).zip(to_duration(usage.ru_stime)).map(|(user, system)| user + system);
        let others_time = total.zip(own_time).map(|(all, own)| all.saturating_sub(own));
        Some((ExitStatus::from_raw(status), others_time))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::{Child, ExitStatus};
    use std::time::Duration;

    pub(super) fn process_time(_pid: u32) -> Option<Duration> {
        None
    }

    pub(super) fn wait(child: &mut Child) -> Option<(ExitStatus, Option<Duration>)> {
        Some((child.wait().ok()?, None))
    }
}
