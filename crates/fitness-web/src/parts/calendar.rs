//! A plan's weeks with a cell for each day: a grid on a wide page, an agenda on a phone.

use crate::parts::{chip, time};
use fitness_core::calendar::Day;
use fitness_core::grading::Graded;
use fitness_core::ids::WorkoutId;
use fitness_core::plan::{Asked, Workout, WorkoutKind};
use fitness_core::text::visible;
use fitness_core::units::UnitSystem;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// As many weeks are drawn day by day; a plan of two years would be a book.
const MAX_WEEKS: usize = 26;

/// A day's workout with what is known about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub(crate) workout: &'a Workout,
    /// Its number, where it can be opened.
    pub(crate) id: Option<WorkoutId>,
    /// How it went.
    pub(crate) graded: Option<&'a Graded>,
}

/// The weeks of a plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weeks {
    /// The day of the race.
    pub(crate) race: Day,
    pub(crate) today: Day,
    pub(crate) units: UnitSystem,
}

impl Weeks {
    /// Draws them.
    pub(crate) fn draw(self, cells: &[Cell<'_>]) -> Markup {
        let mut weeks: BTreeMap<Day, Vec<Cell<'_>>> = BTreeMap::new();
        for cell in cells {
            weeks.entry(cell.workout.date.iso_week().monday()).or_default().push(*cell);
        }
        let (shown, left) = (weeks.len().min(MAX_WEEKS), weeks.len().saturating_sub(MAX_WEEKS));
        html! {
            div.cal {
                div.cal-head aria-hidden="true" {
                    span {}
                    @for day in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] { span { (day) } }
                }
                @for (number, (monday, cells)) in (1..).zip(weeks.iter().take(shown)) {
                    (self.week(number, *monday, cells))
                }
            }
            @if left > 0 { p.soft { "And " (left) " more weeks; " a href="/plan/export" { "the whole plan as a file" } "." } }
        }
    }

    fn week(self, number: usize, monday: Day, cells: &[Cell<'_>]) -> Markup {
        let asked = Asked::of(cells.iter().map(|cell| cell.workout), self.race).told(self.units);
        html! {
            section.cal-week {
                h3 { "Week " (number) small { (time::element(monday, self.today)) @if let Some(asked) = asked { " · " (asked) } } }
                ol {
                    @for offset in 0..7 {
                        @let day = monday.plus(offset);
                        @let of_day: Vec<&Cell<'_>> = cells.iter().filter(|cell| cell.workout.date == day).collect();
                        li.today[day == self.today].empty[of_day.iter().all(|cell| cell.workout.is_rest())] {
                            span.date { (day.weekday()) " " (day.date().format("%-d")) span.hidden { (day.date().format(" %B")) } }
                            div { @for cell in &of_day { (self.cell(cell)) } }
                        }
                    }
                }
            }
        }
    }

    fn cell(self, cell: &Cell<'_>) -> Markup {
        let Cell { workout, id, graded } = *cell;
        if workout.is_rest() {
            return html! { span.soft { "Rest" } };
        }
        let name = visible(workout.name_beside_size(self.units)).to_string();
        let size = workout.size(self.units);
        let words = html! { b { (name) } @if let Some(size) = &size { " " span { (size) } } };
        html! {
            div.cell.(shade(workout)) {
                @match id {
                    Some(id) => a href={ "/plan/workouts/" (id) } { (words) }
                    None => (words)
                }
                @if let Some(graded) = graded { (chip::verdict(graded, self.today)) }
            }
        }
    }
}

/// What a workout is for, as a colour beside its words.
pub(crate) const fn shade(workout: &Workout) -> &'static str {
    match workout.kind {
        WorkoutKind::Rest => "rest",
        WorkoutKind::Long => "long",
        WorkoutKind::Race => "race",
        WorkoutKind::Tempo | WorkoutKind::Intervals | WorkoutKind::Hills | WorkoutKind::RacePace => "quality",
        WorkoutKind::Easy
        | WorkoutKind::Recovery
        | WorkoutKind::Strides
        | WorkoutKind::CrossTraining
        | WorkoutKind::Strength
        | WorkoutKind::Other => "easy",
    }
}
