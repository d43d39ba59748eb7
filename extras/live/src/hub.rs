//! The current picture of the live page. A watch replaces it and never waits for readers. Each
//! reader takes the newest picture when it is ready; pictures that a slow reader misses are
//! dropped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::picture::LiveSnapshot;

/// The current picture, and the number of its readers.
#[derive(Debug, Default)]
pub(crate) struct SnapshotHub {
    state: Mutex<HubState>,
    state_changed: Condvar,
    readers: AtomicUsize,
}

/// State sent to readers.
#[derive(Clone, Debug)]
pub(super) struct HubState {
    /// Number of this state, which grows with each picture.
    pub(super) number: u64,
    /// The picture as JSON, on one line; the same `Arc` as before unless it was replaced.
    pub(super) json: Arc<str>,
    /// When the work was in this state; `None` before the first look.
    pub(super) look_time: Option<LookTime>,
    picture: LiveSnapshot,
    /// Its drawings as JSON; the same `Arc` as before unless they have changed.
    pub(super) drawings: Arc<str>,
    /// True if no picture follows.
    pub(super) is_last: bool,
    /// The report page as JSON, if there is one.
    pub(super) report: Option<Arc<str>>,
}

/// Time of a look, by the clock of people and by a clock that is never set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LookTime {
    time: SystemTime,
    instant: Instant,
}

impl LookTime {
    /// Returns the present time.
    pub(crate) fn now() -> LookTime {
        LookTime { time: SystemTime::now(), instant: Instant::now() }
    }

    /// Returns the seconds since 1970, and the seconds that have passed.
    pub(super) fn seconds_and_age(self) -> [f64; 2] {
        let since_epoch = self.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        [since_epoch, self.instant.elapsed()].map(|time| time.as_secs_f64())
    }
}

impl Default for HubState {
    fn default() -> HubState {
        let picture = LiveSnapshot::default();
        let drawings = json_of(&*picture.drawings);
        HubState {
            number: 0,
            json: Arc::default(),
            look_time: None,
            picture,
            drawings,
            is_last: false,
            report: None,
        }
    }
}

/// Time that readers have to take the last picture.
const LAST_PICTURE_TIMEOUT: Duration = Duration::from_secs(3);

impl SnapshotHub {
    /// Returns true if there are readers.
    pub(crate) fn is_watched(&self) -> bool {
        self.readers.load(Ordering::Relaxed) > 0
    }

    /// Shows a picture of the work at a time; without a time, the time of the picture before.
    pub(crate) fn show(&self, picture: LiveSnapshot, look_time: Option<LookTime>) {
        let json = json_of(&picture);
        let (old_json, old_drawings) = {
            let state = self.lock();
            (Arc::clone(&state.drawings), Arc::clone(&state.picture.drawings))
        };
        let is_same = Arc::ptr_eq(&old_drawings, &picture.drawings) || old_drawings == picture.drawings;
        let drawings = if is_same { old_json } else { json_of(&*picture.drawings) };
        self.update(|state| {
            (state.json, state.drawings, state.picture) = (json, drawings, picture);
            state.look_time = look_time.or(state.look_time);
        });
    }

    /// Records that nothing has changed up to a time.
    pub(crate) fn confirm(&self, look_time: LookTime) {
        self.update(|state| state.look_time = Some(look_time));
    }

    /// Shows a picture of other work, about which nothing is known yet.
    pub(crate) fn begin(&self, picture: LiveSnapshot) {
        self.show(picture, None);
        self.update(|state| state.look_time = None);
    }

    /// Adds the page of a report to the last picture.
    pub(crate) fn add_report(&self, report: &str) {
        let report = json_of(report);
        self.update(|state| state.report = Some(report));
    }

    /// Makes a new state, unless the last one was shown.
    fn update(&self, change: impl FnOnce(&mut HubState)) {
        let mut state = self.lock();
        if state.is_last {
            return;
        }
        state.number += 1;
        state.report = None;
        change(&mut state);
        drop(state);
        self.state_changed.notify_all();
    }

    /// Returns the current picture.
    pub(crate) fn picture(&self) -> LiveSnapshot {
        self.lock().picture.clone()
    }

    /// Marks the current picture as the last one, and waits briefly until all readers have it.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.number += 1;
        state.is_last = true;
        drop(state);
        self.state_changed.notify_all();
        let start = Instant::now();
        let mut state = self.lock();
        while self.is_watched() && start.elapsed() < LAST_PICTURE_TIMEOUT {
            let wait_result = self.state_changed.wait_timeout(state, Duration::from_millis(50));
            state = wait_result.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns a state newer than `number`, or `None` after `timeout`.
    pub(super) fn wait_for_newer(&self, number: u64, timeout: Duration) -> Option<HubState> {
        let is_old = |state: &mut HubState| state.number <= number;
        let wait_result = self.state_changed.wait_timeout_while(self.lock(), timeout, is_old);
        let (state, _) = wait_result.unwrap_or_else(PoisonError::into_inner);
        (state.number > number).then(|| state.clone())
    }

    /// Counts a reader until the returned guard is dropped.
    pub(super) fn add_reader(&self) -> Reader<'_> {
        self.readers.fetch_add(1, Ordering::Relaxed);
        Reader(self)
    }

    /// A panic while the lock was held leaves a valid picture, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts one reader until it is dropped.
pub(super) struct Reader<'a>(&'a SnapshotHub);

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        self.0.state_changed.notify_all();
    }
}

/// Converts data to JSON on one line.
fn json_of(data: impl serde::Serialize) -> Arc<str> {
    serde_json::to_string(&data).expect("plain data").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_report::page::drawn_plot::DrawnPlot;

    #[test]
    fn drawings_that_are_the_same_are_not_sent_again() {
        let hub = SnapshotHub::default();
        assert_eq!(&*hub.lock().drawings, "[]");
        let show = |caption: &str| {
            let plot = DrawnPlot { caption: caption.to_owned(), ..DrawnPlot::default() };
            hub.show(LiveSnapshot { drawings: Arc::new(vec![plot]), ..LiveSnapshot::default() }, None);
            Arc::clone(&hub.lock().drawings)
        };
        let [first, same, other] = ["one", "one", "other"].map(show);
        assert!(first.contains("one") && Arc::ptr_eq(&first, &same));
        assert!(other.contains("other") && !Arc::ptr_eq(&first, &other));
    }
}
