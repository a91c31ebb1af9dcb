//! The weekly schedule of the active plan.

use super::volume::bar_class;
use crate::components::workout;
use crate::page::PageContext;
use fitness_core::adherence::grade::Verdict;
use fitness_core::adherence::{WeekProgress, WorkoutNoteKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::PlannedWorkout;
use fitness_store::PlanAdherence;
use maud::{Markup, html};
use std::ops::Range;

/// Weeks shown at once: the one before the selected one, and those after it.
const VISIBLE_WEEKS: usize = 5;

#[derive(Debug, Clone)]
pub(super) struct WeekSelection {
    pub(super) selected: usize,
    pub(super) visible: Range<usize>,
    pub(super) count: usize,
}

impl WeekSelection {
    /// The weeks around the requested one, or around today's.
    pub(super) fn around(progress: &PlanAdherence, asked: &str, today: Day) -> Self {
        let weeks = &progress.adherence.weeks;
        let count = weeks.len();
        let this = weeks.iter().position(|week| (0..7).contains(&week.monday.days_until(today)));
        let this = this.unwrap_or(if weeks.first().is_some_and(|week| today < week.monday) {
            0
        } else {
            count.saturating_sub(1)
        });
        let asked_for =
            asked.parse::<usize>().ok().filter(|week| (1..=count).contains(week)).map(|week| week - 1);
        let selected = asked_for.unwrap_or(this);
        let visible = if asked == "all" {
            0..count
        } else {
            let first = selected.saturating_sub(1).min(count.saturating_sub(VISIBLE_WEEKS));
            first..(first + VISIBLE_WEEKS).min(count)
        };
        Self { selected, visible, count }
    }
}

pub(super) fn card(view: &PageContext, progress: &PlanAdherence, weeks: &WeekSelection) -> Markup {
    let all = &progress.adherence.weeks;
    html! {
        section.card #schedule {
            div.row {
                h2 { "Schedule, weeks " (weeks.visible.start + 1) " to " (weeks.visible.end) " of " (weeks.count) }
                span.push.row {
                    @if weeks.selected > 0 { a.btn.small rel="prev" href={ "/plan?week=" (weeks.selected) "#schedule" } { "Earlier" } }
                    @if weeks.selected + 1 < weeks.count { a.btn.small rel="next" href={ "/plan?week=" (weeks.selected + 2) "#schedule" } { "Later" } }
                    @if weeks.visible.len() < weeks.count { a.btn.small href="/plan?week=all#schedule" { "All weeks" } }
                }
            }
            div.schedule {
                @for index in weeks.visible.clone() {
                    @if let Some(week) = all.get(index) { (row(view, progress, week, index)) }
                }
            }
            (match_suggestions(view, progress))
        }
    }
}

fn row(view: &PageContext, progress: &PlanAdherence, week: &WeekProgress, index: usize) -> Markup {
    let this = (0..7).contains(&week.monday.days_until(view.today));
    html! {
        div.weekrow #{ "week-" (index + 1) } data-this[this] {
            div.about {
                b { "Week " (index + 1) @if this { span.hidden { ", this week" } } }
                span.soft { (week.monday.date().format("%-d %b")) }
                (week_totals(view, progress, week))
            }
            div.week {
                @for day in week.monday.through(week.monday.plus_days(6)) {
                    div.day data-today[day == view.today] {
                        p.head { (day.date().format("%a")) " " span { (day.date().format("%-d")) } }
                        @for (at, planned) in workouts_on(progress, day) {
                            @let over = progress.adherence.notes.iter().any(|note| note.workout == planned.id && note.kind == WorkoutNoteKind::Over);
                            (workout::render_day_cell(planned, progress.adherence.graded.get(at), view.units(), view.today, over))
                        }
                    }
                }
            }
        }
    }
}

fn workouts_on(progress: &PlanAdherence, day: Day) -> impl Iterator<Item = (usize, &PlannedWorkout)> {
    progress.workouts.iter().enumerate().filter(move |(_, planned)| planned.workout.date == day)
}

/// Workouts of a week that do not count toward adherence: `1 excused, 2 before the plan`.
fn uncounted_workouts(progress: &PlanAdherence, week: &WeekProgress) -> Option<String> {
    let early = progress.workouts.iter().zip(&progress.adherence.graded).filter(|(planned, graded)| {
        let is_in_week = (0..7).contains(&week.monday.days_until(graded.day));
        is_in_week && graded.verdict == Verdict::NotStarted && !planned.workout.is_rest()
    });
    let parts: Vec<String> = [(week.adherence.excused, "excused"), (early.count(), "before the plan")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Planned and actual running of a week.
fn week_totals(view: &PageContext, progress: &PlanAdherence, week: &WeekProgress) -> Markup {
    let left_out = uncounted_workouts(progress, week);
    let units = view.units();
    let (planned, done) = (week.running.planned.distance, week.running.done.distance);
    let planned_label = week.running.planned.display().label(units);
    let begun = week.over || week.running.done.count > 0;
    let share = if planned.mm() > 0 { (done.meters() / planned.meters()).min(1.0) } else { 0.0 };
    html! {
        span { @if begun { b { (units.format_distance(done)) } span.soft { " of " (planned_label) } } @else { b { (planned_label) } } }
        svg.meter viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.b.planned x="0" y="0" width="100" height="6" rx="3" {}
            @if begun { rect class={ "b " (bar_class(week)) } x="0" y="0" width=(format!("{:.0}", share * 100.0)) height="6" rx="3" {} }
        }
        @if let Some(percent) = week.adherence.percent { span.soft.small { "adherence " (percent) "%" @if !week.over { " so far" } } }
        @if let Some(left_out) = left_out { span.soft.small { (left_out) } }
    }
}

/// Runs that may have been a workout planned for another day.
fn match_suggestions(view: &PageContext, progress: &PlanAdherence) -> Markup {
    let offers = &progress.adherence.offers;
    html! {
        @for offer in offers {
            @let name = progress.workouts.iter().find(|planned| planned.id == offer.workout).map(|planned| escape_invisible(&planned.workout.name).to_string());
            p.row {
                span { "Was your run on " (crate::components::time::element(offer.done_day, view.today)) " the planned " b { (name.unwrap_or_default()) } "?" }
                a.btn.small href={ "/plan/workouts/" (offer.workout) } { "Review" }
            }
        }
    }
}
