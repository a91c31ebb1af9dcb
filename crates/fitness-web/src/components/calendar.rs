//! Calendar of a plan: a grid on wide screens, an agenda on phones.

use crate::components::workout::tone_class;
use crate::components::{chip, time};
use fitness_core::adherence::grade::GradedWorkout;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::WorkoutId;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::{PlannedRunningTotals, Workout};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A workout in the calendar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalendarWorkout<'a> {
    pub(crate) workout: &'a Workout,
    /// `None` for a preview, which has no page for the workout.
    pub(crate) id: Option<WorkoutId>,
    pub(crate) graded: Option<&'a GradedWorkout>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanCalendar<'a> {
    pub(crate) race: Day,
    pub(crate) today: Day,
    pub(crate) units: UnitSystem,
    /// Weeks beyond this are counted, not drawn.
    pub(crate) max_weeks: usize,
    /// Tells where the other weeks are.
    pub(crate) more_link: &'a Markup,
}

impl PlanCalendar<'_> {
    pub(crate) fn render(self, cells: &[CalendarWorkout<'_>]) -> Markup {
        let mut weeks: BTreeMap<Day, Vec<CalendarWorkout<'_>>> = BTreeMap::new();
        for cell in cells {
            weeks.entry(cell.workout.date.iso_week().monday()).or_default().push(*cell);
        }
        let left = weeks.len().saturating_sub(self.max_weeks);
        html! {
            div.cal {
                div.cal-head aria-hidden="true" {
                    @for day in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] { span { (day) } }
                }
                @for (number, (monday, cells)) in (1..).zip(weeks.iter().take(self.max_weeks)) {
                    (self.week(number, *monday, cells))
                }
            }
            @if left > 0 { p.soft { (pluralize(left as u64, "more week", "more weeks")) ". " (self.more_link) } }
        }
    }

    fn week(self, number: usize, monday: Day, cells: &[CalendarWorkout<'_>]) -> Markup {
        let planned = PlannedRunningTotals::from_workouts(cells.iter().map(|cell| cell.workout), self.race)
            .label(self.units);
        html! {
            section.cal-week {
                h3 { "Week " (number) small { (time::short_with_year(monday, self.today)) @if let Some(planned) = planned { " · " (planned) } } }
                ol {
                    @for day in monday.through(monday.plus_days(6)) {
                        @let mut of_day = cells.iter().filter(|cell| cell.workout.date == day).peekable();
                        li.today[day == self.today].empty[of_day.peek().is_none_or(|cell| cell.workout.is_rest())] {
                            time datetime=(day) { (day.weekday()) " " (day.date().format("%-d")) }
                            @for cell in of_day { (self.cell(cell)) }
                        }
                    }
                }
            }
        }
    }

    fn cell(self, cell: &CalendarWorkout<'_>) -> Markup {
        let CalendarWorkout { workout, id, graded } = *cell;
        if workout.is_rest() {
            return html! { span { "Rest" } };
        }
        let words = html! {
            b { (escape_invisible(workout.name_without_size(self.units))) }
            @if let Some(size) = workout.size_label(self.units) { " " (size) }
        };
        html! {
            @match id {
                Some(id) => a.slot.(tone_class(workout.kind)) href={ "/plan/workouts/" (id) } { (words) }
                None => span.slot.(tone_class(workout.kind)) { (words) }
            }
            @if let Some(graded) = graded { (chip::verdict(graded, self.today)) }
        }
    }
}
