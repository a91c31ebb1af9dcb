//! Status chips: an icon and a word, so that colour is never the only signal.

use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::domain::calendar::Day;
use fitness_core::plan::PlanStatus;
use maud::{Markup, html};

/// Icon and label of a verdict. `Pending` has none until its day has passed.
pub(crate) const fn icon_and_label(verdict: Verdict, passed: bool) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Hit => ("✓", "Hit"),
        Verdict::Short => ("◐", "Short"),
        Verdict::Missed => ("✕", "Missed"),
        Verdict::Rest => ("–", "Rest"),
        Verdict::NotStarted => ("·", "Before the plan"),
        Verdict::Pending if passed => ("◌", "Waiting for data"),
        Verdict::Pending => ("", ""),
    }
}

/// The chip of a workout's verdict, neutral for days the athlete was ill, injured or away.
pub(crate) fn verdict(graded: &GradedWorkout, today: Day) -> Markup {
    let (icon, word) = icon_and_label(graded.verdict, graded.day < today);
    html! {
        @match graded.excused {
            Some(excuse) if graded.verdict.is_graded() => {
                span.chip.excused title=(format!("{word}, not counted")) { (excuse) " · " (word) }
            }
            _ if word.is_empty() => {}
            _ => span.chip.(graded.verdict) { i aria-hidden="true" { (icon) } " " (word) }
        }
    }
}

pub(crate) fn status(status: PlanStatus) -> Markup {
    let (icon, word) = match status {
        PlanStatus::Draft => ("◇", "Draft"),
        PlanStatus::Active => ("●", "Active"),
        PlanStatus::Archived => ("▪", "Archived"),
    };
    html! { span.chip.(status) { i aria-hidden="true" { (icon) } " " (word) } }
}
