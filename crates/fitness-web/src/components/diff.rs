//! Before and after of a plan change, by workout and by week.

use crate::components::core_message::sentence;
use crate::components::time;
use crate::components::workout::tone_class;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{WeekDelta, Workout, WorkoutDiff};
use maud::{Markup, html};

#[derive(Debug, Clone, Copy)]
pub(crate) struct DiffView {
    pub(crate) units: UnitSystem,
    pub(crate) today: Day,
}

impl DiffView {
    /// A list of changes without checkboxes.
    pub(crate) fn rows(self, changes: &[WorkoutDiff]) -> Markup {
        html! {
            @if changes.is_empty() { p { "No changes." } }
            ul.diff { @for change in changes { li { (self.row(change)) } } }
        }
    }

    pub(crate) fn row(self, change: &WorkoutDiff) -> Markup {
        let day = change.now.as_ref().or(change.then.as_ref()).map(|workout| workout.date);
        let moved = change.now.as_ref().zip(change.then.as_ref()).filter(|(now, then)| now.date != then.date);
        let what = match (&change.now, &change.then) {
            (Some(_), Some(_)) if moved.is_some() => "Moved",
            (Some(_), Some(_)) => "Changed",
            (None, Some(_)) => "Added",
            (Some(_), None) => "Removed",
            (None, None) => "Already removed",
        };
        let before = if change.then.is_some() { "nothing planned" } else { "no longer in the plan" };
        let more = change.details(self.units);
        html! {
            p.when {
                @if let Some(day) = day { (time::element(day, self.today)) " " }
                span.faint { (what) }
            }
            div.pair {
                div.now { span.hidden { "Before: " } (self.side(change.now.as_ref(), before)) }
                span.arrow aria-hidden="true" { "→" }
                div.then {
                    span.hidden { "After: " }
                    @if let Some((_, then)) = moved { b { (time::element(then.date, self.today)) } " " }
                    (self.side(change.then.as_ref(), "removed"))
                }
            }
            @if !more.is_empty() { p.small.soft { (more.iter().map(sentence).collect::<Vec<_>>().join(" ")) } }
            @if let Some(notes) = &change.notes { p.small { "“" (escape_invisible(notes)) "”" } }
        }
    }

    fn side(self, workout: Option<&Workout>, none: &str) -> Markup {
        html! {
            @match workout {
                Some(workout) => {
                    span.kind.(tone_class(workout.kind)) { (workout.short_label(self.units)) }
                    @if let Some(load) = workout.load { span.small.soft { " load " (format!("{load:.0}")) } }
                }
                None => span.soft { (none) }
            }
        }
    }

    /// The weeks that change, before and after.
    pub(crate) fn weeks(self, weeks: &[WeekDelta]) -> Markup {
        html! {
            @if !weeks.is_empty() {
                table.weeks-delta {
                    thead { tr { th scope="col" { "Week of" } th.n scope="col" { "Running" } th.n scope="col" { "Time" } th.n scope="col" { "Load" } } }
                    tbody {
                        @for week in weeks {
                            tr {
                                th scope="row" { (time::element(week.monday, self.today)) }
                                td.n data-label="Running" { (self.running(week)) }
                                td.n data-label="Time" { (pair(week.time_before.map(TimeSpan::format_hours_minutes), week.time_after.map(TimeSpan::format_hours_minutes), "One of the workouts has no duration or pace, so the total is unknown")) }
                                td.n data-label="Load" { @if week.load_estimated && week.load_before.is_some() && week.load_after.is_some() { "about " } (pair(week.load_before.map(format_load), week.load_after.map(format_load), "One of the workouts has no planned load, so the total is unknown")) (percent(week)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn running(self, week: &WeekDelta) -> Markup {
        let (before, after) = week.running_labels(self.units);
        let by_time = week.written_after.time;
        html! {
            (pair(Some(before), Some(after), ""))
            @if week.distance_estimated && by_time > TimeSpan::ZERO { br; span.small.soft { "estimated: " (by_time.format_hours_minutes()) " of it is planned by time" } }
        }
    }
}

fn format_load(load: f64) -> String {
    format!("{load:.0}")
}

fn percent(week: &WeekDelta) -> Markup {
    let change = week.load_before.zip(week.load_after).filter(|(before, _)| *before > 0.0);
    let change = change.map(|(before, after)| (after - before) / before * 100.0);
    html! { @if let Some(change) = change { span.soft { " (" (format!("{change:+.0}").replace('-', "−")) "%)" } } }
}

fn pair(before: Option<String>, after: Option<String>, why_not: &str) -> Markup {
    html! {
        @match before.zip(after) {
            Some((before, after)) if before == after => (before),
            Some((before, after)) => { (before) " → " b { (after) } }
            None => span title=(why_not) { "—" }
        }
    }
}
