//! A plan's weeks with a cell for each day: a grid on a wide page, an agenda on a phone.

use crate::components::workout::tone_class;
use crate::components::{chip, time};
use fitness_core::adherence::grade::GradedWorkout;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::WorkoutId;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::{PlannedAmount, Workout};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A day's workout with what is known about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalendarCell<'a> {
    pub(crate) workout: &'a Workout,
    /// Its number, where it can be opened.
    pub(crate) id: Option<WorkoutId>,
    /// How it went.
    pub(crate) graded: Option<&'a GradedWorkout>,
}

/// The weeks of a plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanCalendar<'a> {
    /// The day of the race.
    pub(crate) race: Day,
    pub(crate) today: Day,
    pub(crate) units: UnitSystem,
    /// As many are drawn; two years day by day would be a book.
    pub(crate) max_weeks: usize,
    /// Where the others are, in a sentence.
    pub(crate) more_link: &'a Markup,
}

impl PlanCalendar<'_> {
    /// Draws them.
    pub(crate) fn render(self, cells: &[CalendarCell<'_>]) -> Markup {
        let mut weeks: BTreeMap<Day, Vec<CalendarCell<'_>>> = BTreeMap::new();
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
            @if left > 0 { p.soft { "And " (pluralize(left as u64, "more week", "more weeks")) ". " (self.more_link) } }
        }
    }

    fn week(self, number: usize, monday: Day, cells: &[CalendarCell<'_>]) -> Markup {
        let asked =
            PlannedAmount::from_workouts(cells.iter().map(|cell| cell.workout), self.race).label(self.units);
        html! {
            section.cal-week {
                h3 { "Week " (number) small { (time::short_with_year(monday, self.today)) @if let Some(asked) = asked { " · " (asked) } } }
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

    fn cell(self, cell: &CalendarCell<'_>) -> Markup {
        let CalendarCell { workout, id, graded } = *cell;
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
