//! Fitness to race day: what was, and three ways it may go on.

use crate::charts::axes::{Plot, number};
use crate::charts::figure::Figure;
use crate::charts::path;
use crate::components::time;
use crate::http::error::Problem;
use crate::page::View;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::signed_number;
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
    let plot = Plot { right: 124.0, ..Plot::wide() };
    let x = plot.days(first, ahead.race_day);
    let lines = [
        ("as written", "ahead", ahead.as_written.as_ref().ok()),
        ("at your rate", "rate", ahead.at_this_rate.as_ref().ok()),
        ("no training", "faint rate", Some(&ahead.no_training)),
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
        path::line(
            from.into_iter()
                .chain(line.points.iter().map(|point| (x.at(point.day), y.at(point.fitness))))
                .map(Some),
        )
    };
    let drawn = html! {
        (plot.rules(&y, &ticks, number))
        path.a.fitness d=(path::area(&fitness, &ground)) {}
        path.s.fitness d=(path::line(fitness.iter().copied().map(Some))) {}
        path.s.fatigue d=(path::line(fatigue)) {}
        @for (_, class, line) in &lines {
            @if let Some(line) = line { path class={ "s fitness " (class) } d=(course(line)) {} }
        }
        @for (label, at) in beside(&lines.map(|(label, _, line)| (label, line.and_then(|line| line.points.last()).map(|last| y.at(last.fitness))))) {
            text x=(format!("{:.1}", plot.across().1 + 8.0)) y=(format!("{at:.1}")) { (label) }
        }
        (plot.upright(x.at(ahead.from), "frontier", &format!("data through {}", ahead.from.date().format("%-d %b"))))
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
        .chain(lines[0].2.into_iter().flat_map(|line| line.points.iter()).map(|point| {
            (
                x.at(point.day),
                format!(
                    "{}, as written: fitness {:.0}, fatigue {:.0}, form {}",
                    time::near(point.day, view.today),
                    point.fitness,
                    point.fatigue,
                    signed_number(point.form, 0)
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

/// Room for one of the words at the ends of the lines, as a phone sets them.
const WORD: f64 = 21.0;

/// Where the words go that name lines by their ends: beside the line, and never on each other.
fn beside(ends: &[(&'static str, Option<f64>)]) -> Vec<(&'static str, f64)> {
    let mut words: Vec<(&'static str, f64)> =
        ends.iter().filter_map(|(label, end)| Some((*label, end.filter(|y| y.is_finite())? + 4.0))).collect();
    words.sort_by(|a, b| a.1.total_cmp(&b.1));
    for at in 1..words.len() {
        words[at].1 = words[at].1.max(words[at - 1].1 + WORD);
    }
    words
}

fn caption(past: &[Past], ahead: &Trajectory) -> String {
    let now = past.last().map(|day| format!("Fitness is {:.0} now", day.fitness));
    let morning = |found: &Found<Line>| {
        found.as_ref().ok().map(|line| (line.race_morning.fitness, line.race_morning.form.value))
    };
    let leads = morning(&ahead.as_written).map(|(fitness, form)| {
        let form = signed_number(form, 0);
        format!("; as written the plan leads to {fitness:.0} on race morning, with form {form}")
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
                            td.n { (signed_number(line.race_morning.form.value, 0)) }
                        }
                        Err(why) => td colspan="3" { (why) },
                    }
                }
            } }
        }
        p { a href="/plan" { "Show as chart" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_at_the_ends_of_lines_keep_clear_of_each_other() {
        let placed = beside(&[("b", Some(52.0)), ("a", Some(50.0)), ("none", None), ("c", Some(180.0))]);
        assert_eq!(placed, [("a", 54.0), ("b", 75.0), ("c", 184.0)]);
        assert!(beside(&[("odd", Some(f64::NAN))]).is_empty());
    }
}
