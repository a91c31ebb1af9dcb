//! `GET /days/{day}`: all facts of a day, each with its method and its sources.

use crate::components::core_message::for_page;
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, RaceId};
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::facts::{Fact, FactName, FactUnit, FactValue, FactWord, Facts, MissingFact, SourceRow};
use fitness_core::metrics::load::monotony_and_spikes::SpikeBand;
use fitness_core::metrics::{MissingReason, RequiredInput};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Activities this many days back are named by their date; older ones are not.
const NAMED_DAYS: i64 = 400;

/// Sources shown beside a fact; the others are behind a disclosure.
const MAX_SOURCES: usize = 2;

/// Groups of facts, in the order they are shown.
const GROUPS: [&str; 5] = ["Plan and race", "This morning", "Training", "Predictions", "Your thresholds"];

pub(crate) async fn show(view: PageContext, Path(day): Path<String>) -> Result<Response, PageError> {
    let day: Day = day.parse().map_err(|_| PageError::not_found())?;
    if day > view.today {
        return Err(PageError::not_found());
    }
    let facts = view.store().facts(view.user(), day).await?;
    let rows = SourceRowDates::load(&view, day).await?;
    let activities = view.store().list_activities(view.user(), day, day).await?;
    // In the order of `FactName::ALL`.
    let place = |fact: &&Fact| FactName::ALL.iter().position(|name| name.as_str() == fact.id.as_str());
    let mut known: Vec<&Fact> = facts.known().iter().collect();
    known.sort_by_key(place);
    let grouped = |group: &'static str| known.iter().copied().filter(move |fact| fact_group(fact) == group);
    let missing: Vec<&MissingFact> = facts.missing().iter().filter(|fact| is_gap(fact)).collect();
    let body = html! {
        h1 { (time::long(day)) }
        p.lead {
            "All data for this day."
            " " a rel="prev" href={ "/days/" (day.previous()) } { "Previous day" }
            @if day < view.today { " · " a rel="next" href={ "/days/" (day.next()) } { "Next day" } }
        }
        @if !activities.is_empty() {
            section.card {
                h2 { "Activities" }
                ul.plain { @for stored in &activities {
                    li { a href={ "/activities/" (stored.id) } { (stored.activity.name.as_deref().map_or_else(|| stored.activity.sport.title().to_owned(), |name| escape_invisible(name).to_string())) } }
                } }
            }
        }
        @if facts.known().is_empty() { section.card { p { "No data for this day." } } }
        @for group in GROUPS {
            @if grouped(group).next().is_some() {
                section.card {
                    h2 { (group) }
                    table.facts {
                        thead { tr { th scope="col" { span.hidden { "Name" } } th.n scope="col" { "Value" } th scope="col" { "How it is calculated" } } }
                        tbody { @for fact in grouped(group).filter(|fact| !is_end_of_band(fact)) { (row(&view, &facts, fact, &rows)) } }
                    }
                }
            }
        }
        @if !facts.known().is_empty() && !missing.is_empty() {
            section.card {
                details {
                    summary { "Missing data: " (missing.len()) }
                    table.facts { @for fact in missing {
                        tr { th scope="row" { (meaning(fact.id.as_str())) } td { (for_page(&fact.why.to_string())) } }
                    } }
                }
            }
        }
    };
    Ok(view.page(NavItem::Today, &time::long(day), &body))
}

/// Whether data is missing: that there is no absence and no proposal is not a gap.
fn is_gap(fact: &MissingFact) -> bool {
    let nothing = [RequiredInput::Absence, RequiredInput::Proposal];
    !matches!(fact.why, MissingReason::Missing { need } if nothing.contains(&need))
}

/// The label of a fact: its own on this page, or its description without the full stop. The
/// descriptions are written for models too, and tests of prompts depend on them.
fn meaning(id: &str) -> &str {
    let Ok(name) = id.parse::<FactName>() else { return id };
    match name {
        FactName::Form => "Form this morning",
        FactName::LastRunJumpBand => "Length of your last run compared with the 30 days before",
        FactName::ThresholdSwimPace => "Critical swim speed (CSS)",
        FactName::AbsenceToday => "Marked for this day: ill, injured or away",
        other => FactName::meaning(other).trim_end_matches('.'),
    }
}

/// The value of a fact. Proposals are counted: their ids mean nothing here, and the links follow.
fn value_label(view: &PageContext, fact: &Fact) -> String {
    if fact.id.as_str() == FactName::PendingProposals.as_str() {
        return pluralize(fact.sources.len() as u64, "proposal", "proposals");
    }
    if fact.value == FactValue::Word(FactWord::Jump(SpikeBand::Usual)) {
        return "normal".to_owned();
    }
    let value = fact.format(view.units());
    match fact.unit {
        FactUnit::StandardDeviations => format!("{value} SD"),
        _ => value,
    }
}

/// How a fact is calculated. Absences are the athlete's own, and the method of a sign lists what it
/// looks for.
fn fact_method(fact: &Fact) -> String {
    match fact.id.as_str().parse() {
        Ok(FactName::AbsenceToday | FactName::LastAbsence) => "set by you".to_owned(),
        Ok(FactName::SignsOfIllness) => {
            "looks for a raised resting heart rate, low HRV and fast breathing".to_owned()
        }
        Ok(FactName::Form) => "fitness minus fatigue of the evening before".to_owned(),
        Ok(FactName::FormBand | FactName::RampBand) => "ranges that coaches commonly use".to_owned(),
        _ if fact.unit == FactUnit::StandardDeviations => {
            format!("{}, in standard deviations (SD)", describe_method(&fact.method))
        }
        _ => describe_method(&fact.method),
    }
}

/// The method of a fact in words. Predictions list several, loads and thresholds name one.
fn describe_method(method: &str) -> String {
    // Only lists of prediction methods have several entries; other texts may contain commas.
    let is_prediction =
        |part: &str| matches!(part, "power_law" | "hinge" | "log_model" | "tanda" | "own_marathon");
    let words = |part: &str| match part {
        "power_law" => "your races, scaled to this distance".to_owned(),
        "hinge" => "your races, scaled with an extra slowdown beyond the half marathon".to_owned(),
        "log_model" => "a marathon formula from race times".to_owned(),
        "tanda" => "your training volume and pace".to_owned(),
        "own_marathon" => "your best marathon of the last two years".to_owned(),
        "power" | "pace" | "swim_pace" | "heart_rate" => format!("from {}", part.replace('_', " ")),
        "edwards_ratio" => "from time in heart rate zones".to_owned(),
        "perceived_exertion" => "from your effort rating".to_owned(),
        "set" => "set by you".to_owned(),
        "reported" => "from your watch".to_owned(),
        other => other.replace('_', " "),
    };
    let separator = if method.split(", ").all(is_prediction) { "; " } else { ", " };
    method.split(", ").map(words).collect::<Vec<_>>().join(separator)
}

fn row(view: &PageContext, facts: &Facts, fact: &Fact, rows: &SourceRowDates) -> Markup {
    let end = |id: &str| facts.find(id).map(|fact| html! { span id=(id) { (fact.format(view.units())) } });
    let ends = end(&format!("{}_low", fact.id)).zip(end(&format!("{}_high", fact.id)));
    let method = fact.method.replace('_', " ");
    html! {
        tr id=(fact.id) {
            th scope="row" { (meaning(fact.id.as_str())) }
            td.n {
                b { (escape_invisible(&value_label(view, fact))) }
                @if let Some((low, high)) = ends { br; span.small.soft { "80% range: " (low) " to " (high) } }
            }
            td {
                (escape_invisible(&fact_method(fact)))
                @if let Some(quality) = facts.quality_label(fact).filter(|quality| *quality != method) { " · " (quality) }
                @if let Some(learning) = &fact.learning { " · " (learning) }
                @let (first, more) = fact.sources.split_at(fact.sources.len().min(MAX_SOURCES));
                @if !first.is_empty() { br; span.small { "Source: " (rows.links(first, view.today)) } }
                @if !more.is_empty() { details.small { summary { "and " (more.len()) " more" } (rows.links(more, view.today)) } }
            }
        }
    }
}

/// The ends of a prediction interval are shown beside the prediction, not as rows.
fn is_end_of_band(fact: &Fact) -> bool {
    let id = fact.id.as_str();
    id.starts_with("predicted_") && (id.ends_with("_low") || id.ends_with("_high"))
}

/// The group of a fact, by the prefix of its id.
fn fact_group(fact: &Fact) -> &'static str {
    let id = fact.id.as_str();
    let begins = |with: &[&str]| with.iter().any(|with| id.starts_with(with));
    if begins(&["predicted_", "last_race_"]) {
        GROUPS[3]
    } else if begins(&["threshold_"]) {
        GROUPS[4]
    } else if begins(&[
        "plan_",
        "goal_",
        "race_",
        "days_to_",
        "today_",
        "last_judged_",
        "last_verdict",
        "last_excuse",
        "marked_",
        "proposal_",
    ]) {
        GROUPS[0]
    } else if begins(&[
        "hrv_",
        "resting_",
        "sleep_",
        "respiration_",
        "stress_",
        "body_",
        "signs_",
        "weight",
        "recovery",
    ]) {
        GROUPS[1]
    } else {
        GROUPS[2]
    }
}

/// Dates of activities and races, to label links to stored rows.
struct SourceRowDates {
    days: BTreeMap<ActivityId, Day>,
    races: BTreeMap<RaceId, (Day, Option<ActivityId>)>,
}

impl SourceRowDates {
    async fn load(view: &PageContext, day: Day) -> Result<Self, PageError> {
        let done = view.store().list_activities(view.user(), day.plus_days(-NAMED_DAYS), day).await?;
        let raced = view.store().list_races(view.user()).await?;
        Ok(Self {
            days: done.iter().map(|stored| (stored.id, stored.day)).collect(),
            races: raced.iter().map(|race| (race.id, (race.result.day, race.result.activity))).collect(),
        })
    }

    fn links(&self, sources: &[SourceRow], today: Day) -> Markup {
        html! { @for (at, source) in sources.iter().enumerate() { @if at > 0 { ", " } (self.link(source, today)) } }
    }

    /// A link to a stored row.
    fn link(&self, source: &SourceRow, today: Day) -> Markup {
        let short = |day: Day| time::short_with_year(day, today);
        let (to, words) = match source {
            SourceRow::Day(day) => (format!("/days/{day}"), short(*day)),
            SourceRow::Days { from, through } => {
                (format!("/days/{through}"), format!("{} to {}", short(*from), short(*through)))
            }
            SourceRow::Activity(id) => {
                let when = self.days.get(id).map(|day| format!(" on {}", short(*day)));
                (format!("/activities/{id}"), format!("activity{}", when.unwrap_or_default()))
            }
            SourceRow::Threshold { from, .. } => {
                ("/settings/thresholds".to_owned(), format!("your threshold since {}", short(*from)))
            }
            SourceRow::Race(id) => match self.races.get(id) {
                Some((day, Some(activity))) => {
                    (format!("/activities/{activity}"), format!("race on {}", short(*day)))
                }
                Some((day, None)) => ("/overview#races".to_owned(), format!("race on {}", short(*day))),
                None => ("/overview#races".to_owned(), "a race".to_owned()),
            },
            SourceRow::Plan(_) => ("/plan".to_owned(), "your plan".to_owned()),
            SourceRow::Workout(id) => (format!("/plan/workouts/{id}"), "the workout".to_owned()),
            SourceRow::Proposal(id) => (format!("/proposals/{id}"), "the proposal".to_owned()),
            SourceRow::Profile => ("/settings".to_owned(), "your profile".to_owned()),
        };
        html! { a href=(to) { (words) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_readable_label() {
        for name in FactName::ALL {
            let words = meaning(name.as_str());
            assert!(
                !words.contains('_') && !words.ends_with('.') && words != name.as_str(),
                "{name}: {words}"
            );
        }
    }
}
