//! `fitness day`: days on which training could not be expected, and days of which nothing more will arrive.

use clap::Subcommand;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ObservationId;
use fitness_core::domain::observation::AbsenceReason;

#[derive(Debug, Subcommand)]
pub(crate) enum DayCommand {
    /// Mark days on which you were or will be ill, injured or away
    ///
    /// Their verdicts stand, look neutral, and are left out of adherence. A mark has a last day: without --through it is
    /// one day. Mark on when it goes on.
    Mark {
        /// ill, injured or away
        reason: AbsenceReason,
        /// The first day, such as 2026-06-14; today when not given
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
        /// The last day; the first when not given
        #[arg(long, value_name = "DAY")]
        through: Option<Day>,
        /// How bad, for ill and injured: 1 (a cold, a niggle) to 3 (fever, cannot run)
        #[arg(long, value_name = "1-3", value_parser = clap::value_parser!(u8).range(1..=3))]
        severity: Option<u8>,
        /// A few words about it
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Say that everything you did through a day is here, so that it can be judged
    ///
    /// Verdicts wait for data that may still arrive. Where none will (a watch left at home, an account no longer synced),
    /// your word takes its place for this day and all before it. A day that was judged stays judged, so this is not taken
    /// back; what arrives later all the same is judged anew.
    Complete {
        /// The last such day, such as 2026-06-14; yesterday when not given
        #[arg(value_name = "DAY")]
        day: Option<Day>,
    },
    /// List the days you marked, newest first
    List,
    /// Take over a mark that the coach or another program suggested
    Accept {
        /// The mark's number
        mark: ObservationId,
    },
    /// Take a mark back
    Unmark {
        /// The mark's number
        mark: ObservationId,
    },
}
