//! Recovery values of this morning, compared with the athlete's normal range.

use super::check_in;
use crate::charts::path;
use crate::charts::scale::LinearScale;
use crate::components::core_message::for_page;
use crate::components::time;
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::facts::{Fact, FactName, Facts, StaleCause};
use fitness_core::metrics::day::DayMetrics;
use fitness_core::metrics::recovery::baseline::ReadingWithBaseline;
use maud::{Markup, html};

/// Days in a sparkline.
const SPARKLINE_DAYS: i64 = 14;

/// One row of the table.
struct RecoveryTableRow<'a> {
    label: &'static str,
    fact: FactName,
    status: Option<(String, &'static str)>,
    days: Vec<Option<f64>>,
    /// Median and spread of the normal range, in the unit of `days`.
    normal: Option<(f64, f64)>,
    facts: &'a Facts,
}

pub(super) async fn card(view: &PageContext, facts: &Facts) -> Result<Markup, PageError> {
    let first = view.today.plus_days(1 - SPARKLINE_DAYS);
    let days = view.store().list_day_metrics(view.user(), first, view.today).await?;
    let of = |value: &dyn Fn(&DayMetrics) -> Option<f64>| -> Vec<Option<f64>> {
        first
            .through(view.today)
            .map(|day| days.iter().find(|known| known.day == day).and_then(value))
            .collect()
    };
    let last = days.last();
    let normal = |reading: Option<&ReadingWithBaseline>| {
        reading.and_then(|reading| reading.baseline.as_ref().ok()).map(|usual| (usual.median, usual.spread))
    };
    let range = last.and_then(|day| day.hrv.range.as_ref().ok());
    let lines = [
        RecoveryTableRow {
            label: "Sleep",
            fact: FactName::SleepLastNight,
            status: deviation_label(last.map(|day| &day.sleep.night), "short", "long", WorseDirection::Low),
            days: of(&|day| day.sleep.night.value.as_ref().ok().copied()),
            normal: normal(last.map(|day| &day.sleep.night)),
            facts,
        },
        RecoveryTableRow {
            label: "Resting heart rate",
            fact: FactName::RestingHeartRate,
            status: deviation_label(
                last.map(|day| &day.resting.reading),
                "low",
                "high",
                WorseDirection::High,
            ),
            days: of(&|day| day.resting.reading.value.as_ref().ok().copied()),
            normal: normal(last.map(|day| &day.resting.reading)),
            facts,
        },
        RecoveryTableRow {
            label: "HRV (7-day average)",
            fact: FactName::HrvWeek,
            status: (facts.find(FactName::HrvState.as_str()))
                .map(|state| (format!("{} your range", state.format(view.units())), "")),
            days: of(&|day| day.hrv.week.as_ref().ok().map(|week| week.ln)),
            normal: range.map(|range| (f64::midpoint(range.low, range.high), (range.high - range.low) / 2.0)),
            facts,
        },
        RecoveryTableRow {
            label: "Form",
            fact: FactName::Form,
            status: facts.find(FactName::FormBand.as_str()).map(|band| (band.format(view.units()), "")),
            days: of(&|day| Some(day.form.value)),
            normal: None,
            facts,
        },
    ];
    Ok(html! {
        section.card {
            h2 { "How you are today" }
            (check_in::feeling_buttons(view).await?)
            table.contributors {
                @for line in &lines { (row(view, line)) }
            }
            p.meta { a href={ "/days/" (view.today) } { "All of today's data" } }
        }
    })
}

/// Which side of normal is the worse one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorseDirection {
    Low,
    High,
}

/// The label and CSS class of a reading, by its z-score.
fn deviation_label(
    reading: Option<&ReadingWithBaseline>,
    low: &str,
    high: &str,
    worse: WorseDirection,
) -> Option<(String, &'static str)> {
    let z = *reading?.z.as_ref().ok()?;
    Some(match z {
        z if z <= -1.0 => (format!("{low} for you"), if worse == WorseDirection::Low { "fair" } else { "" }),
        z if z >= 1.0 => (format!("{high} for you"), if worse == WorseDirection::High { "fair" } else { "" }),
        _ => ("as usual".to_owned(), "good"),
    })
}

fn row(view: &PageContext, line: &RecoveryTableRow<'_>) -> Markup {
    let fact = line.facts.find(line.fact.as_str());
    let why = line.facts.missing_reason(line.fact.as_str()).map(|why| for_page(&why.to_string()));
    html! {
        tr {
            th scope="row" { (line.label) }
            td.n {
                @match fact {
                    Some(fact) => a.fact href={ "/days/" (view.today) "#" (fact.id) } { (fact.format(view.units())) },
                    None => span title=[why.as_deref()] { "—" },
                }
            }
            td.wide { (sparkline(&line.days, line.normal)) }
            td { (status_label(view, line, fact, why.as_deref())) }
        }
    }
}

/// The status chip. A missing value shows its reason and a stale one its date; neither is graded.
fn status_label(
    view: &PageContext,
    line: &RecoveryTableRow<'_>,
    fact: Option<&Fact>,
    why: Option<&str>,
) -> Markup {
    html! {
        @match (fact, &line.status) {
            (Some(fact), _) if line.facts.stale_cause(line.fact) == Some(StaleCause::Data) => span.faint.small { "as of " (time::element(fact.as_of, view.today)) },
            (Some(_), Some((word, class))) => span class={ "chip " (class) } { (word) },
            (Some(_), None) => {}
            (None, _) => @if let Some(why) = why { span.faint.small { (why) } }
        }
    }
}

/// The last days as a line over the normal range.
fn sparkline(days: &[Option<f64>], normal: Option<(f64, f64)>) -> Markup {
    const SIZE: (f64, f64) = (110.0, 26.0);
    let known = days.iter().flatten().copied().filter(|value| value.is_finite());
    let band = normal.map(|(middle, spread)| [middle - spread, middle + spread]);
    let all = || known.clone().chain(band.into_iter().flatten());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if !low.is_finite() || !high.is_finite() {
        return html! {};
    }
    let y = LinearScale::new((low, high), (SIZE.1 - 3.0, 3.0));
    let x = LinearScale::new((0.0, days.len().saturating_sub(1).max(1) as f64), (2.0, SIZE.0 - 4.0));
    let points: Vec<_> = days
        .iter()
        .enumerate()
        .map(|(at, value)| value.map(|value| (x.position(at as f64), y.position(value))))
        .collect();
    let last = points.last().copied().flatten();
    html! {
        svg.spark viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } width=(SIZE.0) height=(SIZE.1) aria-hidden="true" {
            @if let Some([from, to]) = band {
                rect.a.normal x="0" width=(SIZE.0) y=(format!("{:.1}", y.position(to))) height=(format!("{:.1}", (y.position(from) - y.position(to)).max(1.0))) rx="3" {}
            }
            path.s.plain d=(path::line(points)) {}
            @if let Some((x, y)) = last { circle.end cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="2.8" {} }
        }
    }
}
