//! Fitness to race day: what was, and three ways it may go on.

use crate::charts::figure::Figure;
use crate::charts::mark;
use crate::charts::plot::{Plot, number};
use crate::parts::time;
use crate::problem::Problem;
use crate::view::View;
use fitness_core::calendar::Day;
use fitness_core::metrics::Found;
use fitness_core::metrics::trajectory::{Line, Trajectory};
use fitness_core::plan::Plan;
use maud::{Markup, html};

/// Days of history before the plan began.
const BEFORE: i64 = 28;

/// A day of the past.
struct Past {
    day: Day,
    fitness: f64,
    fatigue: f64,
}

pub(super) async fn card(
    view: &View,
    plan: &Plan,
    outlook: &Found<Trajectory>,
    as_table: bool,
) -> Result<Markup, Problem> {
    let ahead = match outlook {
        Ok(ahead) => ahead,
        Err(why) => {
            return Ok(html! {
                section.card { h2 { "Fitness to race day" } p { "Where it leads cannot be said yet: " (why) "." } }
            });
        }
    };
    let first = plan.start_date.plus(-BEFORE);
    let days = view.store().list_day_metrics(view.user(), first, ahead.from).await?;
    let past: Vec<Past> = (days.iter())
        .filter_map(|day| {
            let training = day.training.as_ref().ok()?;
            Some(Past { day: day.day, fitness: training.fitness, fatigue: training.fatigue })
        })
        .collect();
    Ok(html! {
        section.card {
            h2 { "Fitness to race day" }
            @if as_table { (table(ahead)) } @else { (drawn(view, &past, ahead, first)) }
        }
    })
}

fn drawn(view: &View, past: &[Past], ahead: &Trajectory, first: Day) -> Markup {
    let plot = Plot::wide();
    let x = plot.days(first, ahead.race_day);
    let lines = [
        ("as written", "ahead", -8.0, ahead.as_written.as_ref().ok()),
        ("at your rate", "rate", 16.0, ahead.at_this_rate.as_ref().ok()),
        ("without training", "faint rate", -8.0, Some(&ahead.no_training)),
    ];
    let coming = lines
        .iter()
        .filter_map(|(.., line)| *line)
        .flat_map(|line| line.points.iter().map(|point| point.fitness));
    let most = past.iter().flat_map(|day| [day.fitness, day.fatigue]).chain(coming).fold(10.0, f64::max);
    let (y, ticks) = plot.values((0.0, most));
    let fitness: Vec<_> = past.iter().map(|day| (x.at(day.day), y.at(day.fitness))).collect();
    let ground: Vec<_> = past.iter().map(|day| (x.at(day.day), y.at(0.0))).collect();
    let fatigue = past.iter().map(|day| Some((x.at(day.day), y.at(day.fatigue))));
    let course = |line: &Line| {
        let from = past.last().map(|day| (x.at(day.day), y.at(day.fitness)));
        mark::line(
            from.into_iter()
                .chain(line.points.iter().map(|point| (x.at(point.day), y.at(point.fitness))))
                .map(Some),
        )
    };
    let drawn = html! {
        (plot.rules(&y, &ticks, number))
        path.a.fitness d=(mark::area(&fitness, &ground)) {}
        path.s.fitness d=(mark::line(fitness.iter().copied().map(Some))) {}
        path.s.fatigue d=(mark::line(fatigue)) {}
        @for (label, class, beside, line) in &lines {
            @if let Some(line) = line {
                path class={ "s fitness " (class) } d=(course(line)) {}
                @if let Some(last) = line.points.last() {
                    text x=(format!("{:.1}", x.at(last.day) - 8.0)) y=(format!("{:.1}", y.at(last.fitness) + beside)) text-anchor="end" { (label) }
                }
            }
        }
        (plot.upright(x.at(ahead.from), "frontier", &format!("data through {}", time::short(ahead.from))))
        (plot.upright(x.at(ahead.race_day), "race", "race day"))
        (plot.calendar(&x))
    };
    let reads = past
        .iter()
        .map(|day| {
            (
                x.at(day.day),
                format!(
                    "{}: fitness {:.0}, fatigue {:.0}",
                    time::near(day.day, view.today),
                    day.fitness,
                    day.fatigue
                ),
            )
        })
        .chain(lines[0].3.into_iter().flat_map(|line| line.points.iter()).map(|point| {
            (
                x.at(point.day),
                format!(
                    "{}, as written: fitness {:.0}, fatigue {:.0}, form {:+.0}",
                    time::near(point.day, view.today),
                    point.fitness,
                    point.fatigue,
                    point.form
                ),
            )
        }))
        .collect();
    let caption = caption(past, ahead);
    Figure {
        label: "Fitness so far and three ways to race day",
        plot,
        drawn,
        reads,
        caption: &caption,
        table: Some("/plan?table=trajectory"),
    }
    .render()
}

fn caption(past: &[Past], ahead: &Trajectory) -> String {
    let now = past.last().map(|day| format!("Fitness is {:.0} now", day.fitness));
    let morning = |found: &Found<Line>| {
        found.as_ref().ok().map(|line| (line.race_morning.fitness, line.race_morning.form.value))
    };
    let leads = morning(&ahead.as_written).map(|(fitness, form)| {
        format!("; as written the plan leads to {fitness:.0} on race morning, with form {form:+.0}")
    });
    let rate = morning(&ahead.at_this_rate).map(|(fitness, _)| format!("; at your rate to {fitness:.0}"));
    let parts = [now, leads, rate].into_iter().flatten().collect::<String>();
    format!("{parts}. Blue is fitness, purple fatigue; dashed is the plan.")
}

fn table(ahead: &Trajectory) -> Markup {
    let lines = [
        ("As written", ahead.as_written.as_ref()),
        ("At your rate", ahead.at_this_rate.as_ref()),
        ("Without training", Ok(&ahead.no_training)),
    ];
    html! {
        table {
            thead { tr { th scope="col" { "On race morning" } th.n scope="col" { "Fitness" } th.n scope="col" { "Fatigue" } th.n scope="col" { "Form" } } }
            tbody { @for (label, line) in lines {
                tr {
                    th scope="row" { (label) }
                    @match line {
                        Ok(line) => {
                            td.n { (format!("{:.0}", line.race_morning.fitness)) }
                            td.n { (format!("{:.0}", line.race_morning.fatigue)) }
                            td.n { (format!("{:+.0}", line.race_morning.form.value)) }
                        }
                        Err(why) => td colspan="3" { (why) },
                    }
                }
            } }
        }
        p { a href="/plan" { "Show as chart" } }
    }
}
