//! Planned and actual running by week; each bar links to its week.

use super::schedule::WeekSelection;
use crate::charts::axes::{ChartSize, format_number};
use crate::page::PageContext;
use fitness_core::adherence::WeekProgress;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_store::PlanAdherence;
use maud::{Markup, html};

/// Why the distances may not give the percentages.
const UNCOUNTED: &str = "Excused workouts and workouts before you started do not count. ";

pub(super) fn card(
    view: &PageContext,
    progress: &PlanAdherence,
    weeks: &WeekSelection,
    as_table: bool,
) -> Markup {
    let all = &progress.adherence.weeks;
    html! {
        section.card {
            h2 { "Running: planned and done" }
            @if as_table { (table(view, all)) } @else { (chart(view, all, weeks)) }
        }
    }
}

fn length_in(units: UnitSystem, distance: Distance) -> f64 {
    match units {
        UnitSystem::Metric => distance.km(),
        UnitSystem::Imperial => distance.miles(),
    }
}

/// The CSS class of the bar for what was done.
pub(super) fn bar_class(week: &WeekProgress) -> &'static str {
    // `so_far` leaves out excused days and days before the start.
    let (planned, done) = (&week.running.so_far, &week.running.done);
    // A week with runs planned by time is compared by time.
    let by_time = planned.without_distance > 0 && planned.without_duration == 0;
    let enough = match by_time {
        true => done.duration.seconds() >= 0.9 * planned.duration.seconds(),
        false => done.distance.meters() >= 0.9 * planned.distance.meters(),
    };
    match week.over {
        false => "open",
        true if enough => "hit",
        true => "short",
    }
}

fn chart(view: &PageContext, weeks: &[WeekProgress], chosen: &WeekSelection) -> Markup {
    let units = view.units();
    let plot = ChartSize { height: 150.0, top: 12.0, ..ChartSize::wide() };
    let values = |week: &WeekProgress| {
        (length_in(units, week.running.planned.distance), length_in(units, week.running.done.distance))
    };
    let most = weeks.iter().map(values).fold(1.0, |most: f64, (planned, done)| most.max(planned).max(done));
    let (y, ticks) = plot.value_scale((0.0, most));
    let (from, to) = plot.x_range();
    let step = (to - from) / weeks.len().max(1) as f64;
    let wide = (step * 0.72).min(48.0);
    let bottom = y.position(0.0);
    let unit = match units {
        UnitSystem::Metric => "km",
        UnitSystem::Imperial => "miles",
    };
    let close = weeks.iter().filter(|week| week.over && bar_class(week) == "hit").count();
    let over = weeks.iter().filter(|week| week.over).count();
    html! {
        figure {
            svg class={ "chart " (plot.size_class()) } viewBox={ "0 0 " (plot.width) " " (plot.height) } role="group" aria-label="Weeks of the plan; select a bar to open its week" {
                (plot.grid_lines(&y, &ticks, format_number))
                @for (index, week) in weeks.iter().enumerate() {
                    @let (planned, done) = values(week);
                    @let x = from + step * (index as f64 + 0.5) - wide / 2.0;
                    @let timed = week.running.planned.duration_without_distance;
                    @let timed = if timed > TimeSpan::ZERO { format!(" + {}", timed.format_hours_minutes()) } else { String::new() };
                    @let words = format!("Week {}: {} {unit}{timed} planned{}", index + 1, format_number(planned), if week.over || done > 0.0 { format!(", {} done", format_number(done)) } else { String::new() });
                    a href={ "/plan?week=" (index + 1) "#schedule" } aria-label=(words) aria-current=[(index == chosen.selected).then_some("true")] {
                        rect.hit-area x=(format!("{:.1}", x - step * 0.14)) y=(plot.top) width=(format!("{step:.1}")) height=(format!("{:.1}", bottom - plot.top)) {}
                        rect.b.planned x=(format!("{x:.1}")) y=(format!("{:.1}", y.position(planned))) width=(format!("{wide:.1}")) height=(format!("{:.1}", (bottom - y.position(planned)).max(0.0))) rx="4" {}
                        @if done > 0.0 {
                            rect class={ "b " (bar_class(week)) } x=(format!("{:.1}", x + wide * 0.2)) y=(format!("{:.1}", y.position(done))) width=(format!("{:.1}", wide * 0.6)) height=(format!("{:.1}", (bottom - y.position(done)).max(0.0))) rx="3" {}
                        }
                        text x=(format!("{:.1}", x + wide / 2.0)) y=(plot.height - 8.0) text-anchor="middle" { (index + 1) }
                    }
                }
            }
            figcaption {
                @if over > 0 { "In " (close) " of " (over) @if over == 1 { " week" } @else { " weeks" } " you ran at least 90% of the plan. " (UNCOUNTED) }
                "Weekly " (unit) ". Tap a bar to open that week. "
                a href="/plan?table=volume" { "Show as table" }
            }
        }
    }
}

fn table(view: &PageContext, weeks: &[WeekProgress]) -> Markup {
    let units = view.units();
    html! {
        table {
            thead { tr { th scope="col" { "Week" } th scope="col" { "Starts" } th.n scope="col" { "Planned" } th.n scope="col" { "Done" } th.n scope="col" { "Adherence" } th.n.wide scope="col" { "Planned load" } th.n.wide scope="col" { "Load" } } }
            tbody { @for (index, week) in weeks.iter().enumerate() {
                tr {
                    th scope="row" { a href={ "/plan?week=" (index + 1) "#schedule" } { (index + 1) } }
                    td { (week.monday.date().format("%-d %b %Y")) }
                    td.n { (week.running.planned.display().label(units)) }
                    td.n { @if week.over || week.running.done.count > 0 { (units.format_distance(week.running.done.distance)) } @else { "—" } }
                    td.n { @if let Some(percent) = week.adherence.percent { (percent) "%" } @else { "—" } }
                    td.n.wide { (format!("{:.0}", week.all_sports.planned.load)) }
                    td.n.wide { @if week.over || week.all_sports.done.count > 0 { (format!("{:.0}", week.all_sports.done.load)) } @else { "—" } }
                }
            } }
        }
        p.small.soft { (UNCOUNTED) }
        p { a href="/plan" { "Show as chart" } }
    }
}
