//! A workout as pages show it.

use crate::components::chip;
use fitness_core::adherence::grade::{Graded, Verdict};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::{PlannedWorkout, WorkoutKind};
use maud::{Markup, html};

/// The colour of a workout: what it is for.
pub(crate) const fn tone(kind: WorkoutKind) -> &'static str {
    match kind {
        WorkoutKind::Rest => "rest",
        WorkoutKind::Easy | WorkoutKind::Recovery | WorkoutKind::Strides => "easy",
        WorkoutKind::Long => "long",
        WorkoutKind::Tempo | WorkoutKind::Intervals | WorkoutKind::Hills | WorkoutKind::RacePace => "quality",
        WorkoutKind::Race => "race",
        WorkoutKind::CrossTraining | WorkoutKind::Strength | WorkoutKind::Other => "cross",
    }
}

/// A day of a schedule: what is asked, what became of it, and where to look closer.
pub(crate) fn cell(
    planned: &PlannedWorkout,
    graded: Option<&Graded>,
    units: UnitSystem,
    today: Day,
    over: bool,
) -> Markup {
    let workout = &planned.workout;
    let judged = graded.map_or(Verdict::Pending, |graded| graded.verdict);
    let (icon, word) = chip::told(judged, workout.date < today);
    let done = graded.and_then(|graded| graded.actual).map(|done| done.shown(units));
    let excused = graded.and_then(|graded| graded.excused);
    html! {
        a.cell href={ "/plan/workouts/" (planned.id) } data-tone=(tone(workout.kind))
            data-verdict=(judged) data-excused[excused.is_some()] {
            @if workout.is_rest() { b { "Rest" } }
            @else {
                b { (workout.size(units).unwrap_or_else(|| visible(&workout.name).to_string())) }
                span.what { (visible(workout.name_beside_size(units))) }
            }
            span.verdict {
                @if let Some(excuse) = excused { (excuse) }
                @else if workout.is_rest() && judged == Verdict::Rest { "– rest" }
                @else if !word.is_empty() {
                    i aria-hidden="true" { (icon) } " "
                    @if let Some(done) = done { (done) span.hidden { " " (word) } } @else { (word) }
                    @if over { span title="Far more than planned" { " ▲" } }
                }
            }
        }
    }
}
