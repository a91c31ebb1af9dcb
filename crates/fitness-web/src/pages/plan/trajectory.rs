//! Fitness so far and projected to race day.

use crate::charts::axes::{ChartSize, format_number};
use crate::charts::figure::Figure;
use crate::charts::path;
use crate::components::core_message::for_page;
use crate::components::time;
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::format_signed;
use fitness_core::metrics::MetricResult;
use fitness_core::metrics::fitness::shown_form;
use fitness_core::metrics::trajectory::{Projection, Trajectory};
use fitness_core::plan::Plan;
use maud::{Markup, html};

/// Days of history shown before the start of the plan.
const HISTORY_DAYS: i64 = 28;

struct PastFitness {
    day: Day,
    fitness: f64,
    fatigue: f64,
}

pub(super) async fn card(
    view: &PageContext,
    plan: &Plan,
    outlook: &MetricResult<Trajectory>,
    as_table: bool,
) -> Result<Markup, PageError> {
    let ahead = match outlook {
        Ok(ahead) => ahead,
        Err(why) => {
            return Ok(html! {
                section.card { h2 { "Fitness to race day" } p { "No projection yet: " (for_page(&why.to_string())) "." } }
            });
        }
    };
    let first = plan.start_date.plus_days(-HISTORY_DAYS);
    let days = view.store().list_day_metrics(view.user(), first, ahead.from).await?;
    let past: Vec<PastFitness> = (days.iter())
        .filter_map(|day| {
            let training = day.training.as_ref().ok()?;
            Some(PastFitness { day: day.day, fitness: training.fitness, fatigue: training.fatigue })
        })
        .collect();
    Ok(html! {
        section.card {
            h2 { "Fitness to race day" }
            @if as_table { (table(ahead)) } @else { (chart(view, &past, ahead, first)) }
        }
    })
}

fn chart(view: &PageContext, past: &[PastFitness], ahead: &Trajectory, first: Day) -> Markup {
    let plot = ChartSize { right: 124.0, ..ChartSize::wide() };
    let x = plot.day_scale(first, ahead.race_day);
    let lines = [
        ("with plan", "ahead", ahead.as_written.as_ref().ok()),
        ("current adherence", "rate", ahead.at_this_rate.as_ref().ok()),
        ("if you stop", "faint rate", Some(&ahead.no_training)),
    ];
    let coming = lines
        .iter()
        .filter_map(|(.., line)| *line)
        .flat_map(|line| line.points.iter().map(|point| point.fitness));
    let most = past.iter().flat_map(|day| [day.fitness, day.fatigue]).chain(coming).fold(10.0, f64::max);
    let (y, ticks) = plot.value_scale((0.0, most));
    let fitness: Vec<_> = past.iter().map(|day| (x.position(day.day), y.position(day.fitness))).collect();
    let ground: Vec<_> = past.iter().map(|day| (x.position(day.day), y.position(0.0))).collect();
    let fatigue = past.iter().map(|day| Some((x.position(day.day), y.position(day.fatigue))));
    let course = |line: &Projection| {
        let from = past.last().map(|day| (x.position(day.day), y.position(day.fitness)));
        path::line(
            from.into_iter()
                .chain(line.points.iter().map(|point| (x.position(point.day), y.position(point.fitness))))
                .map(Some),
        )
    };
    let drawn = html! {
        (plot.grid_lines(&y, &ticks, format_number))
        path.a.fitness d=(path::area(&fitness, &ground)) {}
        path.s.fitness d=(path::line(fitness.iter().copied().map(Some))) {}
        path.s.fatigue d=(path::line(fatigue)) {}
        @for (_, class, line) in &lines {
            @if let Some(line) = line { path class={ "s fitness " (class) } d=(course(line)) {} }
        }
        @for (label, at) in place_end_labels(&lines.map(|(label, _, line)| (label, line.and_then(|line| line.points.last()).map(|last| y.position(last.fitness))))) {
            text x=(format!("{:.1}", plot.x_range().1 + 8.0)) y=(format!("{at:.1}")) { (label) }
        }
        (plot.vertical_line(x.position(ahead.from), "frontier", &format!("data up to {}", ahead.from.date().format("%-d %b"))))
        (plot.vertical_line(x.position(ahead.race_day), "race", "race day"))
        (plot.day_labels(&x))
    };
    let reads = past
        .iter()
        .map(|day| {
            (
                x.position(day.day),
                format!(
                    "{}: fitness {:.0}, fatigue {:.0}",
                    time::short_with_year(day.day, view.today),
                    day.fitness,
                    day.fatigue
                ),
            )
        })
        .chain(lines[0].2.into_iter().flat_map(|line| line.points.iter()).map(|point| {
            (
                x.position(point.day),
                format!(
                    "{}, planned: fitness {:.0}, fatigue {:.0}, form {}",
                    time::short_with_year(point.day, view.today),
                    point.fitness,
                    point.fatigue,
                    format_signed(point.form, 0)
                ),
            )
        }))
        .collect();
    let caption = caption(past, ahead);
    Figure {
        label: "Fitness so far and three projections to race day",
        plot,
        drawing: drawn,
        readings: reads,
        caption: &caption,
        table: Some("/plan?table=trajectory"),
    }
    .render()
}

/// Height of an end label at the font size for phones.
const LABEL_HEIGHT: f64 = 21.0;

/// Y positions of the labels at the line ends, moved apart where they would overlap.
fn place_end_labels(ends: &[(&'static str, Option<f64>)]) -> Vec<(&'static str, f64)> {
    let mut words: Vec<(&'static str, f64)> =
        ends.iter().filter_map(|(label, end)| Some((*label, end.filter(|y| y.is_finite())? + 4.0))).collect();
    words.sort_by(|a, b| a.1.total_cmp(&b.1));
    for at in 1..words.len() {
        words[at].1 = words[at].1.max(words[at - 1].1 + LABEL_HEIGHT);
    }
    words
}

fn caption(past: &[PastFitness], ahead: &Trajectory) -> String {
    let now = past.last().map(|day| format!("Fitness is {:.0} now. ", day.fitness)).unwrap_or_default();
    let morning = |found: &MetricResult<Projection>| {
        found.as_ref().ok().map(|line| {
            let (fitness, fatigue) = (line.race_morning.fitness, line.race_morning.fatigue);
            (fitness, shown_form(fitness, fatigue))
        })
    };
    let planned = morning(&ahead.as_written).map(|(fitness, form)| {
        format!("{fitness:.0} (form {}) if you follow the plan", format_signed(form, 0))
    });
    let rate =
        morning(&ahead.at_this_rate).map(|(fitness, _)| format!("{fitness:.0} at your current adherence"));
    let subject = if now.is_empty() { "fitness" } else { "it" };
    let race_day = match (planned, rate) {
        (Some(planned), Some(rate)) => {
            format!("On race day {subject} will be about {planned}, or {rate}. ")
        }
        (Some(only), None) | (None, Some(only)) => format!("On race day {subject} will be about {only}. "),
        (None, None) => String::new(),
    };
    format!(
        "{now}{race_day}The blue line is fitness and the purple line is fatigue. Broken lines are projections: with the \
         plan, at your current adherence, and if you stop."
    )
}

fn table(ahead: &Trajectory) -> Markup {
    let lines = [
        ("If you follow the plan", ahead.as_written.as_ref()),
        ("At your current adherence", ahead.at_this_rate.as_ref()),
        ("If you stop training", Ok(&ahead.no_training)),
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
                            td.n { (format_signed(shown_form(line.race_morning.fitness, line.race_morning.fatigue), 0)) }
                        }
                        Err(why) => td colspan="3" { (for_page(&why.to_string())) },
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
    fn end_labels_do_not_overlap() {
        let placed =
            place_end_labels(&[("b", Some(52.0)), ("a", Some(50.0)), ("none", None), ("c", Some(180.0))]);
        assert_eq!(placed, [("a", 54.0), ("b", 75.0), ("c", 184.0)]);
        assert!(place_end_labels(&[("odd", Some(f64::NAN))]).is_empty());
    }
}
