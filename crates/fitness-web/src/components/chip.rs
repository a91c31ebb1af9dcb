//! The chips: an icon and a word, never a colour alone.

use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::domain::calendar::Day;
use fitness_core::plan::PlanStatus;
use maud::{Markup, html};

/// The icon and the word of a verdict. A day that has not passed says nothing: it has no verdict to wait for.
pub(crate) const fn icon_and_label(verdict: Verdict, passed: bool) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Hit => ("✓", "Hit"),
        Verdict::Short => ("◐", "Short"),
        Verdict::Missed => ("✕", "Missed"),
        Verdict::Rest => ("–", "Rest"),
        Verdict::NotStarted => ("·", "Not started"),
        Verdict::Pending if passed => ("◌", "Waiting for data"),
        Verdict::Pending => ("", ""),
    }
}

/// The chip of a workout's verdict. What is excused looks neutral, whatever the verdict.
pub(crate) fn verdict(graded: &GradedWorkout, today: Day) -> Markup {
    let (icon, word) = icon_and_label(graded.verdict, graded.day < today);
    html! {
        @match graded.excused {
            Some(excuse) if graded.verdict.is_graded() => {
                span.chip.excused title=(format!("{word}, left out of adherence")) { (excuse) " · " (word) }
            }
            _ if word.is_empty() => {}
            _ => span.chip.(graded.verdict) { i aria-hidden="true" { (icon) } " " (word) }
        }
    }
}

/// The chip of a plan's status.
pub(crate) fn status(status: PlanStatus) -> Markup {
    let (icon, word) = match status {
        PlanStatus::Draft => ("◇", "Draft"),
        PlanStatus::Active => ("●", "Active"),
        PlanStatus::Archived => ("▪", "Archived"),
    };
    html! { span.chip.(status) { i aria-hidden="true" { (icon) } " " (word) } }
}
