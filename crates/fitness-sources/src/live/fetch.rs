//! What every source does with what it reads: tell it, and keep count of what is missing.

use super::error::{AbortError, DatasetError, FetchError};
use super::{DayRange, FetchOutcome, FetchedItem, Listener, MissingDataset};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{DayRecord, ImportedRecord, SourceKind};
use fitness_core::domain::wellness::DailyWellness;

/// So many datasets in a row without an answer, and the rest are not asked for.
const MAX_UNANSWERED: usize = 2;

/// A day as a dataset tells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DayEntry {
    pub(crate) wellness: DailyWellness,
    /// When the device recorded the newest of it, where that is told.
    pub(crate) recorded_at: Option<Instant>,
    pub(crate) raw: String,
}

/// A visit while it lasts.
pub(crate) struct FetchContext<'a, L> {
    listener: &'a mut L,
    kind: SourceKind,
    zone: Tz,
    pub(crate) days: DayRange,
    pub(crate) polled_at: Instant,
    pub(crate) activities_complete: bool,
    newest: Option<Instant>,
    missing: Vec<MissingDataset>,
    has_answer: bool,
    unanswered_in_a_row: usize,
    stopped: bool,
}

impl<'a, L: Listener> FetchContext<'a, L> {
    /// Begins. Days that have not begun where the athlete is are not asked about.
    pub(crate) fn start(
        kind: SourceKind,
        zone: Tz,
        span: DayRange,
        polled_at: Instant,
        listener: &'a mut L,
    ) -> Self {
        let days = DayRange { through: span.through.min(Day::at(polled_at, zone)), ..span };
        Self {
            listener,
            kind,
            zone,
            days,
            polled_at,
            activities_complete: false,
            newest: None,
            missing: Vec::new(),
            has_answer: false,
            unanswered_in_a_row: 0,
            stopped: false,
        }
    }

    pub(crate) fn wants_file(&self, activity: &fitness_core::domain::source_record::RecordKey) -> bool {
        self.listener.wants_file(activity)
    }

    pub(crate) fn progress(&mut self, dataset: &'static str, done: usize, of: Option<usize>) {
        self.listener.progress(dataset, done, of);
    }

    /// Tells something, and when the device recorded the newest of it, if a device did.
    pub(crate) async fn emit(
        &mut self,
        heard: FetchedItem,
        recorded_at: Option<Instant>,
    ) -> Result<(), AbortError> {
        self.has_answer = true;
        let flow = self.listener.receive(heard).await;
        // What is later than the question was not recorded yet: a clock is wrong, and it proves nothing.
        self.newest = self.newest.max(recorded_at.filter(|at| *at <= self.polled_at));
        if flow.is_break() { Err(AbortError::Stopped) } else { Ok(()) }
    }

    /// Tells a day, unless it is a placeholder or was not asked for.
    pub(crate) async fn emit_day(&mut self, part: &'static str, entry: DayEntry) -> Result<(), AbortError> {
        let day = entry.wellness.day;
        let placeholder = entry.wellness == DailyWellness::empty(day) && entry.recorded_at.is_none();
        if placeholder || !self.days.contains(day) {
            return Ok(());
        }
        let over = day.end(self.zone) <= self.polled_at;
        let report = DayRecord {
            kind: self.kind,
            dataset: part.to_owned(),
            wellness: entry.wellness,
            as_of: (!over).then_some(self.polled_at),
            raw: Some(entry.raw),
        };
        self.emit(FetchedItem::Record(ImportedRecord::Day(Box::new(report))), entry.recorded_at).await
    }

    /// Why a dataset is not even to be asked for, if so.
    pub(crate) fn reason_to_skip(&self) -> Option<DatasetError> {
        if self.stopped {
            Some(DatasetError::Stopped)
        } else if self.unanswered_in_a_row >= MAX_UNANSWERED {
            Some(DatasetError::NotRequested)
        } else {
            None
        }
    }

    /// Notes how a dataset went.
    ///
    /// # Errors
    /// When there is no point in going on.
    pub(crate) fn record_outcome(
        &mut self,
        dataset: &'static str,
        went: Result<(), AbortError>,
    ) -> Result<(), FetchError> {
        match went {
            Ok(()) => {
                self.has_answer = true;
                self.unanswered_in_a_row = 0;
            }
            Err(AbortError::Dataset(problem)) => self.add_missing(dataset, problem),
            Err(AbortError::Stopped) => {
                self.stopped = true;
                self.add_missing(dataset, DatasetError::Stopped);
            }
            Err(AbortError::Fetch(fault)) => return Err(fault),
        }
        Ok(())
    }

    /// Names a dataset that is not, or not all, there.
    pub(crate) fn add_missing(&mut self, dataset: &'static str, problem: DatasetError) {
        self.unanswered_in_a_row = match &problem {
            DatasetError::NotRequested | DatasetError::Stopped => self.unanswered_in_a_row,
            problem if problem.is_transient() => self.unanswered_in_a_row + 1,
            _ => 0,
        };
        self.missing.push(MissingDataset { dataset, reason: problem });
    }

    /// Ends.
    ///
    /// # Errors
    /// When not one dataset could be read: a visit that brought nothing must not look like one with no news.
    pub(crate) fn finish(self) -> Result<FetchOutcome, FetchError> {
        if !self.has_answer
            && let Some(MissingDataset { dataset, reason }) = self.missing.first().cloned()
        {
            return Err(FetchError::Failed { dataset, problem: reason });
        }
        Ok(FetchOutcome {
            polled_at: self.polled_at,
            newest_record: self.newest,
            activities_complete: self.activities_complete,
            missing: self.missing,
        })
    }
}
