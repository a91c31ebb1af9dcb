//! `GET /days/{day}`: every fact of a day, with how it was found and the rows it comes from.

use crate::named::Path;
use crate::parts::time;
use crate::problem::Problem;
use crate::view::{Place, View};
use axum::response::Response;
use fitness_core::calendar::Day;
use fitness_core::facts::{FactName, SourceRow};
use fitness_core::metrics::Quality;
use fitness_core::text::visible;
use maud::{Markup, html};

pub(crate) async fn show(view: View, Path(day): Path<String>) -> Result<Response, Problem> {
    let day: Day = day.parse().map_err(|_| Problem::not_found())?;
    if day > view.today {
        return Err(Problem::not_found());
    }
    let facts = view.store().facts(view.user(), day).await?;
    let activities = view.store().list_activities(view.user(), day, day).await?;
    let meaning = |id: &str| id.parse::<FactName>().ok().map(FactName::meaning);
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
                    li { a href={ "/activities/" (stored.id) } { (stored.activity.name.as_deref().map_or_else(|| stored.activity.sport.to_string(), |name| visible(name).to_string())) } }
                } }
            }
        }
        section.card {
            h2 { "Facts" }
            @if facts.known().is_empty() { p { "Nothing has arrived about this day yet." } }
            table.facts {
                @for fact in facts.known() {
                    tr id=(fact.id) {
                        th scope="row" { (meaning(fact.id.as_str()).unwrap_or(fact.id.as_str())) br; code.faint { (fact.id) } }
                        td.n { b { (visible(&fact.shown(view.units()))) } }
                        td {
                            (visible(&fact.method))
                            @if fact.quality != Quality::Ok { " · " (fact.quality.spoken()) }
                            @if let Some(learning) = &fact.learning { " · " (learning) }
                            br; span.small { @for source in &fact.sources { (link(source)) " " } }
                        }
                    }
                }
            }
        }
        @if !facts.missing().is_empty() {
            section.card {
                h2 { "Not known, and why" }
                table.facts { @for missing in facts.missing() {
                    tr { th scope="row" { (meaning(missing.id.as_str()).unwrap_or(missing.id.as_str())) } td { (missing.why) } }
                } }
            }
        }
    };
    Ok(view.page(Place::Today, "Facts of a day", &body))
}

/// A stored row, and where it can be looked at.
fn link(source: &SourceRow) -> Markup {
    let to = match source {
        SourceRow::Day(day) => format!("/days/{day}"),
        SourceRow::Days { through, .. } => format!("/days/{through}"),
        SourceRow::Activity(id) => format!("/activities/{id}"),
        SourceRow::Threshold { .. } | SourceRow::Race(_) | SourceRow::Profile => "/settings".to_owned(),
        SourceRow::Plan(_) => "/plan".to_owned(),
        SourceRow::Workout(id) => format!("/plan/workouts/{id}"),
        SourceRow::Proposal(id) => format!("/proposals/{id}"),
    };
    html! { a href=(to) { (source) } }
}
