//! Allocator that ends the program with a one-line message when memory runs out. The standard
//! library would abort it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::TryReserveError;
use std::io::Write;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

thread_local! {
    /// True while this thread can handle a failed allocation.
    static CAN_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Reserves memory for more items of a list, or fails if there is none.
pub fn reserve<T>(list: &mut Vec<T>, additional: usize) -> Result<(), TryReserveError> {
    CAN_FAIL.set(true);
    let reserved = list.try_reserve_exact(additional);
    CAN_FAIL.set(false);
    reserved
}

/// System allocator, for use as a program's `#[global_allocator]`.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every call is passed on to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check_allocation(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        check_allocation(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        check_allocation(unsafe { System.realloc(memory, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) };
    }
}

#[inline]
fn check_allocation(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() && !CAN_FAIL.get() {
        exit_out_of_memory(size);
    }
    memory
}

/// Ends the program with a one-line message, without allocating.
#[cold]
fn exit_out_of_memory(size: usize) -> ! {
    static HAS_ENDED: AtomicBool = AtomicBool::new(false);
    while HAS_ENDED.swap(true, Ordering::Relaxed) {
        thread::sleep(Duration::from_secs(1));
    }
    let mut line = [0; 200];
    let mut rest = &mut line[..];
    let _ = write!(rest, "gauntlet: out of memory: cannot allocate {} KiB", size.div_ceil(1 << 10));
    if let Some((flag, bytes)) = limit() {
        let _ = write!(rest, ", and the limit is {} MiB (ulimit {flag})", bytes >> 20);
    }
    let _ = writeln!(rest, "; raise the memory limit, or use fewer --threads");
    let left = rest.len();
    let _ = std::io::stderr().write_all(&line[..line.len() - left]);
    process::exit(1);
}

/// Returns the memory limit set by a shell: its flag and the bytes.
#[cfg(unix)]
fn limit() -> Option<(&'static str, u64)> {
    use rustix::process::{Resource, getrlimit};
    let find_limit = |(flag, resource)| Some((flag, getrlimit(resource).current?));
    [("-v", Resource::As), ("-d", Resource::Data)].into_iter().find_map(find_limit)
}

#[cfg(not(unix))]
fn limit() -> Option<(&'static str, u64)> {
    None
}
