//! Services that are asked for what is new: Garmin's Personal API and intervals.icu.
//!
//! A source is handed its client, its clock and its way of waiting ([`Means`]), so that nothing in here knows what
//! time it is or how the net is reached. It tells what it hears as it goes: what was told before something broke
//! stays told. One dataset that cannot be read is named in [`Visit::missing`] and the rest goes on; only a key that
//! is refused, or a service that answers nothing at all, fails a visit.
//!
//! Keys and tokens never appear in an error, a debug print or an address. Nothing is ever written to Garmin.
//!
//! Start reading at [`Source`]; every source has its paths in one table, [`garmin`] in `paths.rs`.

mod error;
mod fetch;
pub mod garmin;
mod http;
mod http_env;
pub mod intervals;
mod json;

pub use error::{Content, DatasetError, FetchError};
pub use garmin::Garmin;
pub use http_env::{Delay, DelayFuture, HttpEnv};
pub use intervals::Intervals;

use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{ImportedRecord, RecordKey, SourceKind};
use std::future::Future;
use std::ops::ControlFlow;

/// A service that can be asked what happened in some days.
pub trait Source {
    /// What its reports are called.
    fn kind(&self) -> SourceKind;

    /// Asks for everything in a span of days and tells it to the listener.
    ///
    /// Days come first and activities last: a watch hands over both at once, so whatever it recorded before the
    /// newest heartbeat that was told is in the list of activities that was read after it.
    fn fetch<L: Listener>(
        &mut self,
        span: DayRange,
        listener: &mut L,
    ) -> impl Future<Output = Result<FetchOutcome, FetchError>> + Send;
}

/// Who is told.
pub trait Listener: Send {
    /// Whether the original file of an activity is wanted; `false` says that it is here already.
    fn wants_file(&self, activity: &RecordKey) -> bool;

    /// Takes what was heard. `Break` ends the visit; what was heard before counts.
    fn receive(&mut self, heard: FetchedItem) -> impl Future<Output = ControlFlow<()>> + Send;

    /// How far a dataset is, for somebody who watches.
    fn progress(&mut self, dataset: &'static str, done: usize, of: Option<usize>) {
        let _ = (dataset, done, of);
    }
}

/// One thing that was heard.
#[derive(Debug, Clone, PartialEq)]
pub enum FetchedItem {
    /// What the service says.
    Record(ImportedRecord),
    /// The file behind an activity, as it was served: FIT, or packed in a ZIP or with gzip.
    File {
        /// The activity; that of a triathlon is told by its file alone, which holds the legs.
        activity: RecordKey,
        /// What to call it. Foreign text.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

impl FetchedItem {
    /// A file, named after its activity and what it looks like.
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

/// Days from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRange {
    /// The first day.
    pub from: Day,
    /// The last day.
    pub through: Day,
}

impl DayRange {
    /// The same days in pieces of at most so many.
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

/// What came of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchOutcome {
    /// When the asking began; nothing later is spoken for.
    pub polled_at: Instant,
    /// The newest thing that the athlete's device recorded, of all that was told. Never later than `polled_at`.
    pub newest_record: Option<Instant>,
    /// Whether the list of activities was read and told to its end. If not, a day without one proves nothing.
    pub activities_complete: bool,
    /// What could not be read, and why.
    pub missing: Vec<MissingDataset>,
}

/// A dataset that is not, or not all, there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{dataset}: {reason}")]
pub struct MissingDataset {
    /// Which.
    pub dataset: &'static str,
    /// Why.
    pub reason: DatasetError,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_falls_into_pieces_without_gap_or_overlap() {
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
