//! A workout in a weekly schedule.

use crate::components::chip;
use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{PlannedWorkout, WorkoutKind};
use maud::{Markup, html};

/// The CSS class for the colour of a kind of workout.
pub(crate) const fn tone_class(kind: WorkoutKind) -> &'static str {
    match kind {
        WorkoutKind::Rest => "rest",
        WorkoutKind::Easy | WorkoutKind::Recovery | WorkoutKind::Strides => "easy",
        WorkoutKind::Long => "long",
        WorkoutKind::Tempo | WorkoutKind::Intervals | WorkoutKind::Hills | WorkoutKind::RacePace => "quality",
        WorkoutKind::Race => "race",
        WorkoutKind::CrossTraining | WorkoutKind::Strength | WorkoutKind::Other => "cross",
    }
}

/// One workout in a schedule: planned size, name, and verdict or what was done.
pub(crate) fn render_day_cell(
    planned: &PlannedWorkout,
    graded: Option<&GradedWorkout>,
    units: UnitSystem,
    today: Day,
    over: bool,
) -> Markup {
    let workout = &planned.workout;
    let judged = graded.map_or(Verdict::Pending, |graded| graded.verdict);
    let (icon, word) = chip::icon_and_label(judged, workout.date < today);
    let done = graded.and_then(|graded| graded.actual).map(|done| done.format(units));
    let excused = graded.and_then(|graded| graded.excused);
    html! {
        a.cell href={ "/plan/workouts/" (planned.id) } data-tone=(tone_class(workout.kind))
            data-verdict=(judged) data-excused[excused.is_some()] {
            @if workout.is_rest() { b { "Rest" } }
            @else {
                b { (workout.size_label(units).unwrap_or_else(|| escape_invisible(&workout.name).to_string())) }
                span.what { (escape_invisible(workout.name_without_size(units))) }
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
