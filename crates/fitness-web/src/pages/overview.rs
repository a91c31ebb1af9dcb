//! `/found`: what the data holds: years, bests, likely races, limits to confirm, gaps.

use crate::components::time;
use crate::http::error::Problem;
use crate::http::extract::Numbered;
use crate::http::response::see_other;
use crate::page::View;
use crate::pages::settings::thresholds::confirm_button;
use crate::pages::settings::{Tab, page};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::ids::{ActivityId, RaceId};
use fitness_core::domain::units::{Speed, TimeSpan};
use fitness_core::domain::untrusted_text::visible;
use fitness_core::metrics::predict::Effort;
use fitness_store::{Discovery, Gap, Race, RaceResult};
use maud::{Markup, html};

/// How many stretches without data are listed: the longest.
const GAPS: usize = 3;
/// How many likely races are asked about at once.
const RACES: usize = 20;

/// `GET /found`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let body = body(&view).await?;
    Ok(page(&view, Tab::Data, &body))
}

/// `POST /found/races/{activity}/confirm`
pub(crate) async fn confirm(view: View, Numbered(id): Numbered<ActivityId>) -> Result<Response, Problem> {
    let found = view.store().find_activity(view.user(), id).await?.ok_or_else(Problem::not_found)?;
    let result = RaceResult::recorded(&found).ok_or_else(|| {
        Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "This activity does not say how far and how long, as a race would. Correct it first.",
        )
        .go_on(format!("/activities/{id}"), "Open the activity")
    })?;
    view.store().put_race(view.user(), &result, view.now).await?;
    Ok(see_other("/found?done=saved"))
}

/// `POST /found/races/{activity}/decline`
pub(crate) async fn decline(view: View, Numbered(id): Numbered<ActivityId>) -> Result<Response, Problem> {
    view.store().decline_race(view.user(), id, view.now).await?;
    Ok(see_other("/found?done=saved"))
}

/// `POST /found/results/{race}/remove`
pub(crate) async fn remove(view: View, Numbered(id): Numbered<RaceId>) -> Result<Response, Problem> {
    view.store().remove_race(view.user(), id, view.now).await?;
    Ok(see_other("/found?done=saved#races"))
}

/// Everything that was found.
pub(crate) async fn body(view: &View) -> Result<Markup, Problem> {
    let found = view.store().discover(view.user()).await?;
    let raced = results(view, &view.store().list_races(view.user()).await?);
    Ok(match found {
        None => html! {
            section.card {
                h2 { "What your data holds" }
                p { "Nothing yet: your years, bests, likely races and limits will be here." }
                p.actions { a.btn.primary href="/sources" { "Bring in your data" } }
            }
            (raced)
        },
        Some(found) => html! {
            (races(view, &found))
            (limits(view, &found))
            (raced)
            div.grid { (years(view, &found)) (bests(view, &found)) }
            (gaps(view, &found))
        },
    })
}

fn races(view: &View, found: &Discovery) -> Markup {
    html! {
        @if !found.likely_races.is_empty() {
            section.card.waits {
                h2 { "Were these races?" }
                p { "Race results make predictions and paces better. Only you know." }
                ul.plain {
                    @for race in found.likely_races.iter().take(RACES) {
                        @let a = &race.activity;
                        li.row {
                            div {
                                p.text { a href={ "/activities/" (race.id) } { (visible(a.name.as_deref().unwrap_or("Without a name"))) } }
                                p.meta {
                                    span { (time::element(race.day, view.today)) }
                                    @if let Some(distance) = a.distance { span { (view.units().distance(distance)) } }
                                    @if let Some(elapsed) = a.elapsed { span { (elapsed.clock()) } }
                                }
                            }
                            span.push {}
                            (view.button(&format!("/found/races/{}/confirm", race.id), "Yes, a race", "small"))
                            (view.button(&format!("/found/races/{}/decline", race.id), "No", "small"))
                        }
                    }
                }
                @if found.likely_races.len() > RACES { p.soft { (found.likely_races.len() - RACES) " more come when these are answered." } }
            }
        }
    }
}

/// What the athlete said they raced, also where nothing recorded it.
fn results(view: &View, raced: &[Race]) -> Markup {
    html! {
        @if !raced.is_empty() {
            section.card #races {
                h2 { "Your races" }
                p.soft { "Predictions, paces and limits are made from these." }
                ul.plain {
                    @for Race { id, result } in raced.iter().rev() {
                        li.row {
                            div {
                                p.text {
                                    @match result.activity {
                                        Some(activity) => a href={ "/activities/" (activity) } { (visible(&result.name)) },
                                        None => (visible(&result.name)),
                                    }
                                }
                                p.meta {
                                    span { (time::element(result.day, view.today)) }
                                    span { (view.units().name_of(result.distance)) }
                                    span { (result.time.clock()) }
                                    @if result.effort == Effort::TimeTrial { span { "time trial" } }
                                }
                            }
                            span.push {}
                            (view.button(&format!("/found/results/{id}/remove"), "Remove", "small"))
                        }
                    }
                }
            }
        }
    }
}

fn limits(view: &View, found: &Discovery) -> Markup {
    html! {
        section.card {
            h2 { "Limits that loads are measured by" }
            @if found.in_force.is_empty() { p.soft { "None is known yet." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Limits, which may be wider than the screen" { table {
                    thead { tr { th scope="col" { "Limit" } th.n scope="col" { "Value" } th scope="col" { "How it is known" } } }
                    tbody {
                        @for held in &found.in_force {
                            @let kind = held.threshold.kind;
                            tr {
                                th scope="row" { (kind.called()) }
                                td.n { (kind.show(held.value(), view.units())) }
                                td { div.row { (held.known_how()) @if held.threshold.origin == ThresholdOrigin::Estimated && held.share_of.is_none() { (confirm_button(view, kind, "found")) } } }
                            }
                        }
                    }
                } }
            }
            @for (detected, current) in found.suggestions.iter().filter_map(|one| Some((one.detected, one.current?))) {
                div.row.suggested {
                    p { "Your training suggests a " (detected.kind.called()) " of " b { (detected.kind.show(detected.value, view.units())) } " instead of " (detected.kind.show(current.value, view.units())) "." }
                    (confirm_button(view, detected.kind, "found"))
                }
            }
            @if found.without_load > 0 {
                p.soft { (found.without_load) " activities have no load" @if let Some(most) = found.no_load.first() { ", most because: " (most.why) } ". " }
            }
            p.actions { a.btn href="/settings/limits" { "Set limits and zones" } }
        }
    }
}

fn years(view: &View, found: &Discovery) -> Markup {
    html! {
        section.card {
            h2 { "Years" }
            p { "From " (time::element(found.first, view.today)) " to " (time::element(found.last, view.today)) "." }
            div.scroll tabindex="0" role="region" aria-label="Years, which may be wider than the screen" { table {
                thead { tr { th scope="col" { "Year" } th.n scope="col" { "Activities" } th.n scope="col" { "Run" } th.n scope="col" { "Training" } } }
                tbody {
                    @for year in found.years.iter().rev() {
                        tr { th scope="row" { (year.year) } td.n { (year.activities) } td.n { (view.units().distance(year.run_distance)) } td.n { (year.time.hours_minutes()) } }
                    }
                }
            } }
        }
    }
}

fn bests(view: &View, found: &Discovery) -> Markup {
    html! {
        section.card {
            h2 { "Your fastest" }
            @if found.bests.is_empty() { p.soft { "No run with a track yet." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Fastest times, which may be wider than the screen" { table {
                    thead { tr { th scope="col" { "Distance" } th.n scope="col" { "Time" } th.n scope="col" { "Pace" } th scope="col" { "On" } } }
                    tbody {
                        @for best in &found.bests {
                            @let pace = Speed::over(best.distance, best.time).and_then(Speed::pace);
                            tr {
                                th scope="row" { (view.units().name_of(best.distance)) }
                                td.n { (TimeSpan::clock(best.time)) }
                                td.n { @if let Some(pace) = pace { (view.units().pace(pace)) } }
                                td { a href={ "/activities/" (best.activity) } { (time::element(best.day, view.today)) } }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn gaps(view: &View, found: &Discovery) -> Markup {
    let days = |gap: &Gap| gap.from.until(gap.through) + 1;
    let mut longest: Vec<&Gap> = found.gaps.iter().collect();
    longest.sort_by_key(|gap| (std::cmp::Reverse(days(gap)), gap.from));
    longest.truncate(GAPS);
    longest.sort_by_key(|gap| gap.from);
    html! {
        @if !longest.is_empty() {
            section.card {
                h2 { "No data at all" }
                ul { @for gap in longest { li { (time::element(gap.from, view.today)) " to " (time::element(gap.through, view.today)) ", " (days(gap)) " days" } } }
                @if found.gaps.len() > GAPS { p.soft { "and " (found.gaps.len() - GAPS) " shorter ones" } }
            }
        }
    }
}
