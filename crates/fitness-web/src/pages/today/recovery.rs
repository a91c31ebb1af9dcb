//! What the body says this morning, against what is normal for it.

use super::check_in;
use crate::charts::path;
use crate::charts::scale::Linear;
use crate::components::time;
use crate::http::error::Problem;
use crate::page::View;
use fitness_core::facts::{Fact, FactName, Facts};
use fitness_core::metrics::Quality;
use fitness_core::metrics::day::DayMetrics;
use fitness_core::metrics::recovery::baseline::Reading;
use maud::{Markup, html};

/// As many days are drawn.
const DRAWN: i64 = 14;

/// One line: what it is called, its fact, the word for it, and the days behind it.
struct Line<'a> {
    label: &'static str,
    fact: FactName,
    word: Option<(String, &'static str)>,
    days: Vec<Option<f64>>,
    /// The middle of what is normal and how far it strays, in the unit of the days.
    normal: Option<(f64, f64)>,
    facts: &'a Facts,
}

pub(super) async fn card(view: &View, facts: &Facts) -> Result<Markup, Problem> {
    let first = view.today.plus(1 - DRAWN);
    let days = view.store().list_day_metrics(view.user(), first, view.today).await?;
    let of = |value: &dyn Fn(&DayMetrics) -> Option<f64>| -> Vec<Option<f64>> {
        first
            .through(view.today)
            .map(|day| days.iter().find(|known| known.day == day).and_then(value))
            .collect()
    };
    let last = days.last();
    let normal = |reading: Option<&Reading>| {
        reading.and_then(|reading| reading.baseline.as_ref().ok()).map(|usual| (usual.median, usual.spread))
    };
    let range = last.and_then(|day| day.hrv.range.as_ref().ok());
    let lines = [
        Line {
            label: "Sleep",
            fact: FactName::SleepLastNight,
            word: strayed(last.map(|day| &day.sleep.night), "short", "long", Worse::Low),
            days: of(&|day| day.sleep.night.value.as_ref().ok().copied()),
            normal: normal(last.map(|day| &day.sleep.night)),
            facts,
        },
        Line {
            label: "Resting heart rate",
            fact: FactName::RestingHeartRate,
            word: strayed(last.map(|day| &day.resting.reading), "low", "high", Worse::High),
            days: of(&|day| day.resting.reading.value.as_ref().ok().copied()),
            normal: normal(last.map(|day| &day.resting.reading)),
            facts,
        },
        Line {
            label: "Heart rate variability, week",
            fact: FactName::HrvWeek,
            word: (facts.find(FactName::HrvState.as_str()))
                .map(|state| (format!("{} your range", state.shown(view.units())), "")),
            days: of(&|day| day.hrv.week.as_ref().ok().map(|week| week.ln)),
            normal: range.map(|range| (f64::midpoint(range.low, range.high), (range.high - range.low) / 2.0)),
            facts,
        },
        Line {
            label: "Form",
            fact: FactName::Form,
            word: facts.find(FactName::FormBand.as_str()).map(|band| (band.shown(view.units()), "")),
            days: of(&|day| Some(day.form.value)),
            normal: None,
            facts,
        },
    ];
    Ok(html! {
        section.card {
            h2 { "How you are, against your own normal" }
            (check_in::felt(view).await?)
            table.contributors {
                @for line in &lines { (row(view, line)) }
            }
            p.meta { a href={ "/days/" (view.today) } { "All facts of today" } }
        }
    })
}

/// Which way is worse.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worse {
    Low,
    High,
}

/// The word for a reading that strayed by more than its usual spread.
fn strayed(reading: Option<&Reading>, low: &str, high: &str, worse: Worse) -> Option<(String, &'static str)> {
    let z = *reading?.z.as_ref().ok()?;
    Some(match z {
        z if z <= -1.0 => (format!("{low} for you"), if worse == Worse::Low { "fair" } else { "" }),
        z if z >= 1.0 => (format!("{high} for you"), if worse == Worse::High { "fair" } else { "" }),
        _ => ("as usual".to_owned(), "good"),
    })
}

fn row(view: &View, line: &Line<'_>) -> Markup {
    let fact = line.facts.find(line.fact.as_str());
    let why = line.facts.why_missing(line.fact.as_str()).map(ToString::to_string);
    html! {
        tr {
            th scope="row" { (line.label) }
            td.n {
                @match fact {
                    Some(fact) => a.fact href={ "/days/" (view.today) "#" (fact.id) } { (fact.shown(view.units())) },
                    None => span title=[why.as_deref()] { "—" @if let Some(why) = &why { span.hidden { (why) } } },
                }
            }
            td.wide { (spark(&line.days, line.normal)) }
            td { (judged(view, line, fact, why.as_deref())) }
        }
    }
}

/// The word for what is there. What is not there has its reason, and what is old its day: neither is judged.
fn judged(view: &View, line: &Line<'_>, fact: Option<&Fact>, why: Option<&str>) -> Markup {
    html! {
        @match (fact, &line.word) {
            (Some(fact), _) if fact.quality.has(Quality::Stale) => span.faint.small { "of " (time::element(fact.as_of, view.today)) },
            (Some(_), Some((word, class))) => span class={ "chip " (class) } { (word) },
            (Some(_), None) => {}
            (None, _) => @if let Some(why) = why { span.faint.small { (why) } }
        }
    }
}

/// The last days as a line, with what is normal behind it.
fn spark(days: &[Option<f64>], normal: Option<(f64, f64)>) -> Markup {
    const SIZE: (f64, f64) = (110.0, 26.0);
    let known = days.iter().flatten().copied().filter(|value| value.is_finite());
    let band = normal.map(|(middle, spread)| [middle - spread, middle + spread]);
    let all = || known.clone().chain(band.into_iter().flatten());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if !low.is_finite() || !high.is_finite() {
        return html! {};
    }
    let y = Linear::new((low, high), (SIZE.1 - 3.0, 3.0));
    let x = Linear::new((0.0, days.len().saturating_sub(1).max(1) as f64), (2.0, SIZE.0 - 4.0));
    let points: Vec<_> = days
        .iter()
        .enumerate()
        .map(|(at, value)| value.map(|value| (x.at(at as f64), y.at(value))))
        .collect();
    let last = points.last().copied().flatten();
    html! {
        svg.spark viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } width=(SIZE.0) height=(SIZE.1) aria-hidden="true" {
            @if let Some([from, to]) = band {
                rect.a.normal x="0" width=(SIZE.0) y=(format!("{:.1}", y.at(to))) height=(format!("{:.1}", (y.at(from) - y.at(to)).max(1.0))) rx="3" {}
            }
            path.s.plain d=(path::line(points)) {}
            @if let Some((x, y)) = last { circle.end cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="2.8" {} }
        }
    }
}
