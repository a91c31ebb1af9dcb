//! The schedule, a row for each week.

use super::volume::class;
use crate::components::workout;
use crate::page::View;
use fitness_core::adherence::{NoteKind, WeekProgress};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::PlannedWorkout;
use fitness_store::Progress;
use maud::{Markup, html};
use std::ops::Range;

/// As many weeks are shown at once: the one before, and some ahead.
const SHOWN: usize = 5;

/// The weeks that are looked at.
#[derive(Debug, Clone)]
pub(super) struct Weeks {
    /// The one in the middle of it, from 0.
    pub(super) chosen: usize,
    /// Those that are shown.
    pub(super) shown: Range<usize>,
    /// All there are.
    pub(super) count: usize,
}

impl Weeks {
    /// The weeks around the one that was asked for, or around today's.
    pub(super) fn chosen(progress: &Progress, asked: &str, today: Day) -> Self {
        let weeks = &progress.followed.weeks;
        let count = weeks.len();
        let this = weeks.iter().position(|week| (0..7).contains(&week.monday.until(today)));
        let this = this.unwrap_or(if weeks.first().is_some_and(|week| today < week.monday) {
            0
        } else {
            count.saturating_sub(1)
        });
        let asked_for =
            asked.parse::<usize>().ok().filter(|week| (1..=count).contains(week)).map(|week| week - 1);
        let chosen = asked_for.unwrap_or(this);
        let shown = if asked == "all" {
            0..count
        } else {
            let first = chosen.saturating_sub(1).min(count.saturating_sub(SHOWN));
            first..(first + SHOWN).min(count)
        };
        Self { chosen, shown, count }
    }
}

pub(super) fn card(view: &View, progress: &Progress, weeks: &Weeks) -> Markup {
    let all = &progress.followed.weeks;
    html! {
        section.card #schedule {
            div.row {
                h2 { "Schedule, weeks " (weeks.shown.start + 1) " to " (weeks.shown.end) " of " (weeks.count) }
                span.push.row {
                    @if weeks.chosen > 0 { a.btn.small rel="prev" href={ "/plan?week=" (weeks.chosen) "#schedule" } { "Earlier" } }
                    @if weeks.chosen + 1 < weeks.count { a.btn.small rel="next" href={ "/plan?week=" (weeks.chosen + 2) "#schedule" } { "Later" } }
                    @if weeks.shown.len() < weeks.count { a.btn.small href="/plan?week=all#schedule" { "All weeks" } }
                }
            }
            div.schedule {
                @for index in weeks.shown.clone() {
                    @if let Some(week) = all.get(index) { (row(view, progress, week, index)) }
                }
            }
            (notes(view, progress))
        }
    }
}

fn row(view: &View, progress: &Progress, week: &WeekProgress, index: usize) -> Markup {
    let this = (0..7).contains(&week.monday.until(view.today));
    html! {
        div.weekrow #{ "week-" (index + 1) } data-this[this] {
            div.about {
                b { "Week " (index + 1) @if this { span.hidden { ", this week" } } }
                span.soft { (week.monday.date().format("%-d %b")) }
                (sum(view, week))
            }
            div.week {
                @for day in week.monday.through(week.monday.plus(6)) {
                    div.day data-today[day == view.today] {
                        p.head { (day.date().format("%a")) " " span { (day.date().format("%-d")) } }
                        @for (at, planned) in on(progress, day) {
                            @let over = progress.followed.notes.iter().any(|note| note.workout == planned.id && note.kind == NoteKind::Over);
                            (workout::cell(planned, progress.followed.graded.get(at), view.units(), view.today, over))
                        }
                    }
                }
            }
        }
    }
}

fn on(progress: &Progress, day: Day) -> impl Iterator<Item = (usize, &PlannedWorkout)> {
    progress.workouts.iter().enumerate().filter(move |(_, planned)| planned.workout.date == day)
}

/// What the week asks for and what was run, as far as the data reaches.
fn sum(view: &View, week: &WeekProgress) -> Markup {
    let units = view.units();
    let (planned, done) = (week.running.planned.distance, week.running.done.distance);
    let asked = week.running.planned.written().spoken(units);
    let begun = week.over || week.running.done.count > 0;
    let share = if planned.mm() > 0 { (done.meters() / planned.meters()).min(1.0) } else { 0.0 };
    html! {
        span { @if begun { b { (units.distance(done)) } span.soft { " of " (asked) } } @else { b { (asked) } } }
        svg.meter viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.b.planned x="0" y="0" width="100" height="6" rx="3" {}
            @if begun { rect class={ "b " (class(week)) } x="0" y="0" width=(format!("{:.0}", share * 100.0)) height="6" rx="3" {} }
        }
        @if let Some(percent) = week.adherence.percent { span.soft.small { (percent) " % of what was due" } }
    }
}

/// What no verdict says: runs that may have been a workout of another day.
fn notes(view: &View, progress: &Progress) -> Markup {
    let offers = &progress.followed.offers;
    html! {
        @for offer in offers {
            @let name = progress.workouts.iter().find(|planned| planned.id == offer.workout).map(|planned| visible(&planned.workout.name).to_string());
            p.row {
                span { "Was the run of " (crate::components::time::element(offer.done_day, view.today)) " meant to be " b { (name.unwrap_or_default()) } "?" }
                a.btn.small href={ "/plan/workouts/" (offer.workout) } { "Look at it" }
            }
        }
    }
}
