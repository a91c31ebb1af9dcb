//! A workout as pages show it.

use crate::parts::chip;
use fitness_core::calendar::Day;
use fitness_core::grading::{Graded, Verdict};
use fitness_core::plan::{PlannedWorkout, Step, StepDuration, StepType, Workout, WorkoutKind};
use fitness_core::text::visible;
use fitness_core::units::{Distance, TimeSpan, UnitSystem};
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

/// The steps of a workout as bars: as wide as long, as high as hard.
pub(crate) fn bars(workout: &Workout) -> Markup {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 44.0;
    let steps = &workout.steps;
    // About as many metres as a second of running brings; a bar says how much, not how long exactly.
    let length = |step: &Step| match step.duration {
        StepDuration::Time(seconds) => seconds * 3.0,
        StepDuration::Distance(meters) => meters,
        StepDuration::Calories(_) | StepDuration::Open => 600.0,
    };
    let total: f64 = steps.iter().map(length).sum::<f64>().max(1.0);
    let gaps = 2.0 * steps.len().saturating_sub(1) as f64;
    let mut x = 0.0;
    html! {
        svg.bars viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" aria-hidden="true" {
            @for step in steps {
                @let width = (length(step) / total * (WIDTH - gaps)).max(1.0);
                @let (tone, part) = match step.step_type {
                    StepType::Warmup | StepType::Cooldown => ("easy", 0.4),
                    StepType::Recovery | StepType::Rest => ("rest", 0.25),
                    // A stride is quick in any run; a run that is easy is easy but for those.
                    StepType::Active if is_stride(step) => ("quality", 0.95),
                    StepType::Active => match tone(workout.kind) {
                        tone @ ("easy" | "long" | "cross") => (tone, 0.55),
                        tone => (tone, 0.85),
                    },
                };
                @let height = HEIGHT * part;
                rect class={ "b " (tone) } x=(format!("{x:.1}")) y=(format!("{:.1}", HEIGHT - height)) width=(format!("{width:.1}"))
                    height=(format!("{height:.1}")) rx="3" {}
                ({ x += width + 2.0; "" })
            }
        }
    }
}

/// Seconds of running fast.
fn is_stride(step: &Step) -> bool {
    matches!(step.duration, StepDuration::Time(seconds) if seconds <= 40.0)
}

/// The steps in words; the same pair again and again is said once.
pub(crate) fn steps(steps: &[Step], units: UnitSystem) -> Vec<String> {
    let mut told = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let pair = steps.get(at..at + 2);
        let times =
            pair.map_or(0, |pair| steps[at..].chunks_exact(2).take_while(|next| *next == pair).count());
        if times > 1 {
            told.push(format!("{times} × ({}, {})", step(&steps[at], units), step(&steps[at + 1], units)));
            at += 2 * times;
        } else {
            told.push(step(&steps[at], units));
            at += 1;
        }
    }
    told
}

fn step(step: &Step, units: UnitSystem) -> String {
    let much = match step.duration {
        StepDuration::Time(seconds) => TimeSpan::from_seconds(seconds).map(TimeSpan::clock),
        StepDuration::Distance(meters) => {
            Distance::from_meters(meters).map(|distance| units.distance(distance).to_string())
        }
        StepDuration::Calories(calories) => Some(format!("{calories:.0} kcal")),
        StepDuration::Open => None,
    };
    let what = match step.step_type {
        StepType::Warmup => "warm-up",
        StepType::Active => "",
        StepType::Recovery => "recovery",
        StepType::Cooldown => "cool-down",
        StepType::Rest => "rest",
    };
    let notes = step.notes.as_deref().map(|notes| visible(notes).to_string()).unwrap_or_default();
    let parts = [much.unwrap_or_default(), what.to_owned(), notes];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
