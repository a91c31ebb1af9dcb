//! Arguments of `fitness day`: absences (ill, injured, away), and days marked as complete.

use clap::Subcommand;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ObservationId;
use fitness_core::domain::observation::AbsenceReason;

#[derive(Debug, Subcommand)]
pub(crate) enum DayCommand {
    /// Mark days, past or future, when you are ill, injured or away
    ///
    /// Workouts on these days are still graded but don't count toward your adherence. Without
    /// --through, only one day is marked. Mark more days if it lasts longer.
    Mark {
        /// ill, injured or away
        reason: AbsenceReason,
        /// The first day, such as 2026-06-14 [default: today]
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
        /// The last day [default: the first day]
        #[arg(long, value_name = "DAY")]
        through: Option<Day>,
        /// Severity, for ill and injured: 1 (a cold, a niggle) to 3 (fever, cannot run)
        #[arg(long, value_name = "1-3", value_parser = clap::value_parser!(u8).range(1..=3))]
        severity: Option<u8>,
        /// A short note about it
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Mark a day and all earlier ones as complete, so that they are graded
    ///
    /// A workout isn't graded until all data for that day has arrived. Use this if no more data will
    /// arrive: you left the watch at home, or the account is no longer synced. It cannot be undone.
    /// If data arrives later, the day is graded again.
    Complete {
        /// The last complete day, such as 2026-06-14 [default: yesterday]
        #[arg(value_name = "DAY")]
        day: Option<Day>,
    },
    /// List your absences, newest first
    List,
    /// Accept an absence suggested by the coach or another program
    Accept {
        /// Id of the absence
        absence: ObservationId,
    },
    /// Remove an absence
    Unmark {
        /// Id of the absence
        absence: ObservationId,
    },
}
