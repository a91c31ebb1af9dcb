//! What every source does with what it reads: tell it, and keep count of what is missing.

use super::error::{Fault, Halt, Problem};
use super::{Heard, Listener, Missing, Span, Visit};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{DayReport, SourceKind, Told};
use fitness_core::domain::wellness::DailyWellness;

/// So many datasets in a row without an answer, and the rest are not asked for.
const UNANSWERED: usize = 2;

/// A day as a dataset tells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DayEntry {
    pub(crate) wellness: DailyWellness,
    /// When the device recorded the newest of it, where that is told.
    pub(crate) recorded_at: Option<Instant>,
    pub(crate) raw: String,
}

/// A visit while it lasts.
pub(crate) struct Telling<'a, L> {
    listener: &'a mut L,
    kind: SourceKind,
    zone: Tz,
    pub(crate) span: Span,
    pub(crate) polled_at: Instant,
    pub(crate) activities_complete: bool,
    newest: Option<Instant>,
    missing: Vec<Missing>,
    answered: bool,
    unanswered: usize,
    stopped: bool,
}

impl<'a, L: Listener> Telling<'a, L> {
    /// Begins. Days that have not begun where the athlete is are not asked about.
    pub(crate) fn begin(
        kind: SourceKind,
        zone: Tz,
        span: Span,
        polled_at: Instant,
        listener: &'a mut L,
    ) -> Self {
        let span = Span { through: span.through.min(Day::at(polled_at, zone)), ..span };
        Self {
            listener,
            kind,
            zone,
            span,
            polled_at,
            activities_complete: false,
            newest: None,
            missing: Vec::new(),
            answered: false,
            unanswered: 0,
            stopped: false,
        }
    }

    pub(crate) fn wants_file(&self, activity: &fitness_core::domain::source_record::ReportKey) -> bool {
        self.listener.wants_file(activity)
    }

    pub(crate) fn progress(&mut self, dataset: &'static str, done: usize, of: Option<usize>) {
        self.listener.progress(dataset, done, of);
    }

    /// Tells something, and when the device recorded the newest of it, if a device did.
    pub(crate) async fn hear(&mut self, heard: Heard, recorded_at: Option<Instant>) -> Result<(), Halt> {
        self.answered = true;
        let flow = self.listener.hear(heard).await;
        // What is later than the question was not recorded yet: a clock is wrong, and it proves nothing.
        self.newest = self.newest.max(recorded_at.filter(|at| *at <= self.polled_at));
        if flow.is_break() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Tells a day, unless it is a placeholder or was not asked for.
    pub(crate) async fn day(&mut self, part: &'static str, entry: DayEntry) -> Result<(), Halt> {
        let day = entry.wellness.day;
        let placeholder = entry.wellness == DailyWellness::unknown(day) && entry.recorded_at.is_none();
        if placeholder || !self.span.contains(day) {
            return Ok(());
        }
        let over = day.end(self.zone) <= self.polled_at;
        let report = DayReport {
            kind: self.kind,
            part: part.to_owned(),
            wellness: entry.wellness,
            as_of: (!over).then_some(self.polled_at),
            raw: Some(entry.raw),
        };
        self.hear(Heard::Told(Told::Day(Box::new(report))), entry.recorded_at).await
    }

    /// Why a dataset is not even to be asked for, if so.
    pub(crate) fn reason_to_skip(&self) -> Option<Problem> {
        if self.stopped {
            Some(Problem::Stopped)
        } else if self.unanswered >= UNANSWERED {
            Some(Problem::NotAsked)
        } else {
            None
        }
    }

    /// Notes how a dataset went.
    ///
    /// # Errors
    /// When there is no point in going on.
    pub(crate) fn note(&mut self, dataset: &'static str, went: Result<(), Halt>) -> Result<(), Fault> {
        match went {
            Ok(()) => {
                self.answered = true;
                self.unanswered = 0;
            }
            Err(Halt::Lost(problem)) => self.lost(dataset, problem),
            Err(Halt::Stopped) => {
                self.stopped = true;
                self.lost(dataset, Problem::Stopped);
            }
            Err(Halt::Failed(fault)) => return Err(fault),
        }
        Ok(())
    }

    /// Names a dataset that is not, or not all, there.
    pub(crate) fn lost(&mut self, dataset: &'static str, problem: Problem) {
        self.unanswered = match &problem {
            Problem::NotAsked | Problem::Stopped => self.unanswered,
            problem if problem.passes() => self.unanswered + 1,
            _ => 0,
        };
        self.missing.push(Missing { dataset, reason: problem });
    }

    /// Ends.
    ///
    /// # Errors
    /// When not one dataset could be read: a visit that brought nothing must not look like one with no news.
    pub(crate) fn end(self) -> Result<Visit, Fault> {
        if !self.answered
            && let Some(Missing { dataset, reason }) = self.missing.first().cloned()
        {
            return Err(Fault::Failed { dataset, problem: reason });
        }
        Ok(Visit {
            polled_at: self.polled_at,
            newest_record: self.newest,
            activities_complete: self.activities_complete,
            missing: self.missing,
        })
    }
}
