//! The goal card: race day, target, prediction and adherence.

use crate::charts::scale::LinearScale;
use crate::components::core_message::for_page;
use crate::components::time;
use crate::page::PageContext;
use fitness_core::adherence::CurrentAndOriginalAdherence;
use fitness_core::domain::units::TimeSpan;
use fitness_core::facts::{FactName, FactValue, Facts};
use fitness_store::PlanAdherence;
use maud::{Markup, html};

pub(super) fn card(
    view: &PageContext,
    progress: &PlanAdherence,
    facts: &Facts,
    basis: Option<&str>,
) -> Markup {
    let plan = &progress.plan;
    let days = view.today.days_until(plan.race_date);
    let tally = &progress.adherence.tally;
    html! {
        section.card.goal {
            div {
                h2 { "Race day" }
                p.number { @if days >= 0 { (days) @if days == 1 { " day" } @else { " days" } } @else { "over" } }
                p.meta { span { (time::element(plan.race_date, view.today)) } @if let Some(distance) = plan.distance { span { (view.units().format_distance(distance)) } } }
            }
            div {
                h2 { "Goal time" }
                @match plan.target_time {
                    Some(target) => p.number { (target.format_clock()) },
                    None => p.number { "None" },
                }
            }
            div { h2 { "Predicted today" } (prediction(view, facts, plan.target_time)) @if let Some(basis) = basis { details.small { summary { "How it is predicted" } p { (basis) } } } }
            div {
                h2 { "Adherence" }
                (percent(&progress.adherence.adherence))
                p.meta {
                    span { "key workouts " (format_percent(progress.adherence.key_sessions.current.percent)) }
                    span { (tally.hit) " hit, " (tally.short) " short, " (tally.missed) " missed" }
                    @if tally.excused > 0 { span { (tally.excused) " excused" } }
                }
            }
        }
    }
}

fn format_percent(percent: Option<u8>) -> String {
    percent.map_or_else(|| "—".to_owned(), |percent| format!("{percent}%"))
}

fn percent(both: &CurrentAndOriginalAdherence) -> Markup {
    html! {
        p.number { (format_percent(both.current.percent)) @if both.current != both.original { " " small { (format_percent(both.original.percent)) " of the original plan" } } }
    }
}

/// The predicted finish with its 80 % interval, compared with the target.
fn prediction(view: &PageContext, facts: &Facts, target: Option<TimeSpan>) -> Markup {
    let of = |name: FactName| facts.find(name.as_str());
    let time = |name: FactName| match of(name)?.value {
        FactValue::Time(time) => Some(time),
        _ => None,
    };
    let (middle, low, high) =
        (time(FactName::PredictedRace), time(FactName::PredictedRaceLow), time(FactName::PredictedRaceHigh));
    let Some(((middle, low), high)) = middle.zip(low).zip(high) else {
        let why =
            facts.missing_reason(FactName::PredictedRace.as_str()).map(|why| for_page(&why.to_string()));
        return html! { p.number title=[why.as_deref()] { "—" } @if let Some(why) = why { p.meta { (why) } } };
    };
    let id = FactName::PredictedRace.as_str();
    html! {
        p.number { a.fact href={ "/days/" (view.today) "#" (id) } { (middle.format_clock()) } }
        (band(middle, low, high, target))
        p.meta {
            span { "80% range: " (low.format_clock()) " to " (high.format_clock()) }
        }
        @if let Some(target) = target { p.small { (compare_target(target, middle, low, high)) } }
    }
}

fn compare_target(target: TimeSpan, middle: TimeSpan, low: TimeSpan, high: TimeSpan) -> &'static str {
    if target < low {
        "Your goal is ambitious: it is faster than the predicted range."
    } else if target < middle {
        "Your goal is slightly faster than predicted, but realistic."
    } else if target <= high {
        "Your goal is within the predicted range."
    } else {
        "Your goal is slower than the predicted range. You may be able to run faster."
    }
}

fn band(middle: TimeSpan, low: TimeSpan, high: TimeSpan, target: Option<TimeSpan>) -> Markup {
    let all = [low, high].into_iter().chain(target).map(TimeSpan::seconds);
    let (from, to) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    let room = ((to - from) * 0.15).max(1.0);
    let x = LinearScale::new((from - room, to + room), (0.0, 200.0));
    let at = |time: TimeSpan| format!("{:.1}", x.position(time.seconds()));
    html! {
        svg.band viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true" {
            rect.ground x="0" y="4" width="200" height="6" rx="3" {}
            rect.a.fitness x=(at(low)) y="4" height="6" rx="3" width=(format!("{:.1}", x.position(high.seconds()) - x.position(low.seconds()))) {}
            rect.middle x=(at(middle)) y="1" width="2.5" height="12" rx="1" {}
            @if let Some(target) = target { rect.target x=(at(target)) y="1" width="2.5" height="12" rx="1" {} }
        }
    }
}
