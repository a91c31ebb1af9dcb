//! `GET /days/{day}`: every fact of a day, with how it was found and the rows it comes from.

use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, RaceId};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::facts::{Fact, FactName, Facts, SourceRow};
use fitness_core::metrics::Quality;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// How far back a recording is called by its day.
const NAMED_DAYS: i64 = 400;

/// As many sources of a fact stand beside it; the others open.
const MAX_SOURCES: usize = 2;

/// What facts are about, in the order they are shown.
const GROUPS: [&str; 5] = ["Plan and race", "This morning", "Training", "Predictions", "Your limits"];

pub(crate) async fn show(view: PageContext, Path(day): Path<String>) -> Result<Response, PageError> {
    let day: Day = day.parse().map_err(|_| PageError::not_found())?;
    if day > view.today {
        return Err(PageError::not_found());
    }
    let facts = view.store().facts(view.user(), day).await?;
    let rows = SourceNames::load(&view, day).await?;
    let activities = view.store().list_activities(view.user(), day, day).await?;
    // In the order of the table of facts, which is that of telling.
    let place = |fact: &&Fact| FactName::ALL.iter().position(|name| name.as_str() == fact.id.as_str());
    let mut known: Vec<&Fact> = facts.known().iter().collect();
    known.sort_by_key(place);
    let grouped = |group: &'static str| known.iter().copied().filter(move |fact| fact_group(fact) == group);
    let body = html! {
        h1 { (time::long(day)) }
        p.lead {
            "What is known about this day: the only numbers a brief may carry."
            " " a rel="prev" href={ "/days/" (day.previous()) } { "The day before" }
            @if day < view.today { " · " a rel="next" href={ "/days/" (day.next()) } { "The day after" } }
        }
        @if !activities.is_empty() {
            section.card {
                h2 { "Done" }
                ul.plain { @for stored in &activities {
                    li { a href={ "/activities/" (stored.id) } { (stored.activity.name.as_deref().map_or_else(|| stored.activity.sport.to_string(), |name| escape_invisible(name).to_string())) } }
                } }
            }
        }
        @if facts.known().is_empty() { section.card { p { "Nothing has arrived about this day yet." } } }
        @for group in GROUPS {
            @if grouped(group).next().is_some() {
                section.card {
                    h2 { (group) }
                    table.facts { @for fact in grouped(group).filter(|fact| !is_end_of_band(fact)) { (row(&view, &facts, fact, &rows)) } }
                }
            }
        }
        @if !facts.missing().is_empty() {
            section.card {
                details {
                    summary { "Not known, and why: " (facts.missing().len()) }
                    table.facts { @for missing in facts.missing() {
                        tr { th scope="row" { (meaning(missing.id.as_str())) } td { (missing.why) } }
                    } }
                }
            }
        }
    };
    Ok(view.page(NavItem::Today, "Facts of a day", &body))
}

/// What a fact says, without the stop at its end: it is a label here. A name only the code knows stays out of sight.
fn meaning(id: &str) -> &str {
    id.parse::<FactName>().map_or(id, |name| FactName::meaning(name).trim_end_matches('.'))
}

fn row(view: &PageContext, facts: &Facts, fact: &Fact, rows: &SourceNames) -> Markup {
    let end = |id: &str| facts.find(id).map(|fact| html! { span id=(id) { (fact.format(view.units())) } });
    let ends = end(&format!("{}_low", fact.id)).zip(end(&format!("{}_high", fact.id)));
    html! {
        tr id=(fact.id) {
            th scope="row" title=(fact.id) { (meaning(fact.id.as_str())) }
            td.n {
                b { (escape_invisible(&fact.format(view.units()))) }
                @if let Some((low, high)) = ends { br; span.small.soft { "8 of 10: " (low) " to " (high) } }
            }
            td {
                // Words of the code's own have a line where there should be a space.
                (escape_invisible(&fact.method.replace('_', " ")))
                @if fact.quality != Quality::Ok { " · " (fact.quality.label()) }
                @if let Some(learning) = &fact.learning { " · " (learning) }
                @let (first, more) = fact.sources.split_at(fact.sources.len().min(MAX_SOURCES));
                @if !first.is_empty() { br; span.small { "from " (rows.links(first, view.today)) } }
                @if !more.is_empty() { details.small { summary { "and " (more.len()) " more" } (rows.links(more, view.today)) } }
            }
        }
    }
}

/// The ends of a predicted band stand beside what they are the ends of.
fn is_end_of_band(fact: &Fact) -> bool {
    let id = fact.id.as_str();
    id.starts_with("predicted_") && (id.ends_with("_low") || id.ends_with("_high"))
}

/// What a fact is about.
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

/// What is needed to call stored rows by a name, and to lead to them.
struct SourceNames {
    days: BTreeMap<ActivityId, Day>,
    races: BTreeMap<RaceId, (Day, Option<ActivityId>)>,
}

impl SourceNames {
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

    /// A stored row, in words, and where it can be looked at.
    fn link(&self, source: &SourceRow, today: Day) -> Markup {
        let short = |day: Day| time::short_with_year(day, today);
        let (to, words) = match source {
            SourceRow::Day(day) => (format!("/days/{day}"), short(*day)),
            SourceRow::Days { from, through } => {
                (format!("/days/{through}"), format!("{} to {}", short(*from), short(*through)))
            }
            SourceRow::Activity(id) => {
                let when = self.days.get(id).map(|day| format!(" of {}", short(*day)));
                (format!("/activities/{id}"), format!("the recording{}", when.unwrap_or_default()))
            }
            SourceRow::Threshold { from, .. } => {
                ("/settings/limits".to_owned(), format!("your limit since {}", short(*from)))
            }
            SourceRow::Race(id) => match self.races.get(id) {
                Some((day, Some(activity))) => {
                    (format!("/activities/{activity}"), format!("the race of {}", short(*day)))
                }
                Some((day, None)) => ("/found#races".to_owned(), format!("the race of {}", short(*day))),
                None => ("/found#races".to_owned(), "a race".to_owned()),
            },
            SourceRow::Plan(_) => ("/plan".to_owned(), "the plan".to_owned()),
            SourceRow::Workout(id) => (format!("/plan/workouts/{id}"), "the session".to_owned()),
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
    fn every_fact_has_words_and_the_ends_of_a_band_are_beside_it() {
        for name in FactName::ALL {
            let words = meaning(name.as_str());
            assert!(
                !words.contains('_') && !words.ends_with('.') && words != name.as_str(),
                "{name}: {words}"
            );
        }
    }
}
