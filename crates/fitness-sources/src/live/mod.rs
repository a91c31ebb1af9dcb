//! Clients for live services: Garmin's Personal API and intervals.icu.
//!
//! HTTP client, clock and sleep function are passed in ([`HttpEnv`]). Items are passed to the
//! [`FetchListener`] as they arrive. A dataset that cannot be read is listed in
//! [`FetchOutcome::missing`] and the rest continues; a fetch fails only if the key is rejected or
//! no dataset can be read.
//!
//! Keys and tokens never appear in errors, debug output or URLs. Nothing is ever written to Garmin.
//!
//! Start at [`Source`]. Each source has one table of paths; that of [`garmin`] is in `paths.rs`.

mod error;
mod fetch_state;
pub mod garmin;
mod http;
pub mod intervals;
mod json;

pub use error::{DatasetError, FetchError, UnexpectedContent};
pub use fitness_http::{DelayReason, HttpEnv};
pub use garmin::Garmin;
pub use intervals::Intervals;

use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{ImportedRecord, RecordKey, SourceKind};
use std::future::Future;
use std::ops::ControlFlow;

/// A service from which activities and daily values can be fetched.
pub trait Source {
    fn kind(&self) -> SourceKind;

    /// Fetches everything in a range of days and passes it to the listener.
    ///
    /// Daily values come first and activities last. A watch uploads both together, so any activity
    /// before the newest daily value is in the activity list that was read after it.
    fn fetch<L: FetchListener>(
        &mut self,
        span: DayRange,
        listener: &mut L,
    ) -> impl Future<Output = Result<FetchOutcome, FetchError>> + Send;
}

pub trait FetchListener: Send {
    /// Whether to fetch the original file of an activity; `false` if it is already stored.
    fn wants_file(&self, activity: &RecordKey) -> bool;

    /// `Break` ends the fetch; items before that count.
    fn receive(&mut self, heard: FetchedItem) -> impl Future<Output = ControlFlow<()>> + Send;

    /// Progress of a dataset, for display.
    fn progress(&mut self, dataset: &'static str, done: usize, of: Option<usize>) {
        let _ = (dataset, done, of);
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum FetchedItem {
    Record(ImportedRecord),
    /// The original file of an activity as served: FIT, or compressed as ZIP or gzip.
    File {
        /// A triathlon has no record of its own; its file contains the legs.
        activity: RecordKey,
        name: String,
        bytes: Vec<u8>,
    },
}

impl FetchedItem {
    /// A file named after its activity id and detected type.
    pub(crate) fn file(activity: RecordKey, bytes: Vec<u8>) -> Self {
        let ending = match bytes.as_slice() {
            [b'P', b'K', ..] => ".zip",
            [0x1f, 0x8b, ..] => ".gz",
            [_, _, _, _, _, _, _, _, b'.', b'F', b'I', b'T', ..] => ".fit",
            _ => "",
        };
        Self::File { name: format!("{}{ending}", activity.id), activity, bytes }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRange {
    pub from: Day,
    pub through: Day,
}

impl DayRange {
    /// Splits the range into chunks of at most `most` days.
    pub(crate) fn chunks(self, most: i64) -> impl Iterator<Item = Self> {
        let most = most.max(1);
        std::iter::successors(Some(self.from), move |from| Some(from.plus_days(most)))
            .take_while(move |from| *from <= self.through)
            .map(move |from| Self { from, through: from.plus_days(most - 1).min(self.through) })
    }

    pub(crate) fn contains(self, day: Day) -> bool {
        (self.from..=self.through).contains(&day)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct FetchOutcome {
    /// When the fetch started; it proves nothing about later times.
    pub polled_at: Instant,
    /// Time of the newest record of the athlete's device. Never later than `polled_at`.
    pub newest_record: Option<Instant>,
    /// Whether the whole activity list was read. If not, a day without an activity proves nothing.
    pub activities_complete: bool,
    pub missing: Vec<MissingDataset>,
}

/// A dataset that could not be read, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{dataset}: {reason}")]
pub struct MissingDataset {
    pub dataset: &'static str,
    pub reason: DatasetError,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_range_chunks_have_no_gap_or_overlap() {
        let span = DayRange { from: "2026-01-30".parse().unwrap(), through: "2026-04-01".parse().unwrap() };
        let pieces: Vec<DayRange> = span.chunks(28).collect();
        assert_eq!(pieces.len(), 3);
        assert_eq!((pieces[0].from, pieces[2].through), (span.from, span.through));
        for pair in pieces.windows(2) {
            assert_eq!(pair[0].through.next(), pair[1].from);
        }
        assert!(pieces.iter().all(|piece| piece.from.days_until(piece.through) < 28));
        let backwards = DayRange { from: span.through, through: span.from };
        assert_eq!(backwards.chunks(28).count(), 0);
    }
}
