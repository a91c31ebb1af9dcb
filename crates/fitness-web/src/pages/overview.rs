//! `/found`: what the data holds: years, bests, likely races, limits to confirm, gaps.

use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::settings::thresholds::confirm_button;
use crate::pages::settings::{Tab, page};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::ids::{ActivityId, RaceId};
use fitness_core::domain::units::{Speed, TimeSpan};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::predict::EffortKind;
use fitness_store::{DataGap, Race, RaceResult, TrainingOverview};
use maud::{Markup, html};

/// How many stretches without data are listed: the longest.
const MAX_GAPS: usize = 3;
/// How many likely races are asked about at once.
const MAX_RACES: usize = 20;

/// `GET /found`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view).await?;
    Ok(page(&view, Tab::Data, &body))
}

/// `POST /found/races/{activity}/confirm`
pub(crate) async fn confirm_race(
    view: PageContext,
    PathId(id): PathId<ActivityId>,
) -> Result<Response, PageError> {
    let found = view.store().find_activity(view.user(), id).await?.ok_or_else(PageError::not_found)?;
    let result = RaceResult::from_activity(&found).ok_or_else(|| {
        PageError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "This activity does not say how far and how long, as a race would. Correct it first.",
        )
        .with_link(format!("/activities/{id}"), "Open the activity")
    })?;
    view.store().put_race(view.user(), &result, view.now).await?;
    Ok(see_other("/found?done=saved"))
}

/// `POST /found/races/{activity}/decline`
pub(crate) async fn decline_race(
    view: PageContext,
    PathId(id): PathId<ActivityId>,
) -> Result<Response, PageError> {
    view.store().decline_race(view.user(), id, view.now).await?;
    Ok(see_other("/found?done=saved"))
}

/// `POST /found/results/{race}/remove`
pub(crate) async fn remove_race(
    view: PageContext,
    PathId(id): PathId<RaceId>,
) -> Result<Response, PageError> {
    view.store().remove_race(view.user(), id, view.now).await?;
    Ok(see_other("/found?done=saved#races"))
}

/// Everything that was found.
pub(crate) async fn body(view: &PageContext) -> Result<Markup, PageError> {
    let found = view.store().training_overview(view.user()).await?;
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
            (likely_races_card(view, &found))
            (thresholds_card(view, &found))
            (raced)
            div.grid { (years(view, &found)) (bests(view, &found)) }
            (gaps(view, &found))
        },
    })
}

fn likely_races_card(view: &PageContext, found: &TrainingOverview) -> Markup {
    html! {
        @if !found.likely_races.is_empty() {
            section.card.waits {
                h2 { "Were these races?" }
                p { "Race results make predictions and paces better. Only you know." }
                ul.plain {
                    @for race in found.likely_races.iter().take(MAX_RACES) {
                        @let a = &race.activity;
                        li.row {
                            div {
                                p.text { a href={ "/activities/" (race.id) } { (escape_invisible(a.name.as_deref().unwrap_or("Without a name"))) } }
                                p.meta {
                                    span { (time::element(race.day, view.today)) }
                                    @if let Some(distance) = a.distance { span { (view.units().format_distance(distance)) } }
                                    @if let Some(elapsed) = a.elapsed { span { (elapsed.format_clock()) } }
                                }
                            }
                            span.push {}
                            (view.post_button(&format!("/found/races/{}/confirm", race.id), "Yes, a race", "small"))
                            (view.post_button(&format!("/found/races/{}/decline", race.id), "No", "small"))
                        }
                    }
                }
                @if found.likely_races.len() > MAX_RACES { p.soft { (found.likely_races.len() - MAX_RACES) " more come when these are answered." } }
            }
        }
    }
}

/// What the athlete said they raced, also where nothing recorded it.
fn results(view: &PageContext, raced: &[Race]) -> Markup {
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
                                        Some(activity) => a href={ "/activities/" (activity) } { (escape_invisible(&result.name)) },
                                        None => (escape_invisible(&result.name)),
                                    }
                                }
                                p.meta {
                                    span { (time::element(result.day, view.today)) }
                                    span { (view.units().distance_name(result.distance)) }
                                    span { (result.time.format_clock()) }
                                    @if result.effort == EffortKind::TimeTrial { span { "time trial" } }
                                }
                            }
                            span.push {}
                            (view.post_button(&format!("/found/results/{id}/remove"), "Remove", "small"))
                        }
                    }
                }
            }
        }
    }
}

fn thresholds_card(view: &PageContext, found: &TrainingOverview) -> Markup {
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
                                th scope="row" { (kind.label()) }
                                td.n { (kind.format_value(held.value(), view.units())) }
                                td { div.row { (held.origin_label()) @if held.threshold.origin == ThresholdOrigin::Estimated && held.share_of.is_none() { (confirm_button(view, kind, "found")) } } }
                            }
                        }
                    }
                } }
            }
            @for (detected, current) in found.suggestions.iter().filter_map(|one| Some((one.detected, one.current?))) {
                div.row.suggested {
                    p { "Your training suggests a " (detected.kind.label()) " of " b { (detected.kind.format_value(detected.value, view.units())) } " instead of " (detected.kind.format_value(current.value, view.units())) "." }
                    (confirm_button(view, detected.kind, "found"))
                }
            }
            @if found.without_load > 0 {
                p.soft { (found.without_load) " activities have no load" @if let Some(most) = found.no_load.first() { ", most because: " (most.reason) } ". " }
            }
            p.actions { a.btn href="/settings/limits" { "Set limits and zones" } }
        }
    }
}

fn years(view: &PageContext, found: &TrainingOverview) -> Markup {
    html! {
        section.card {
            h2 { "Years" }
            p { "From " (time::element(found.first, view.today)) " to " (time::element(found.last, view.today)) "." }
            div.scroll tabindex="0" role="region" aria-label="Years, which may be wider than the screen" { table {
                thead { tr { th scope="col" { "Year" } th.n scope="col" { "Activities" } th.n scope="col" { "Run" } th.n scope="col" { "Training" } } }
                tbody {
                    @for year in found.years.iter().rev() {
                        tr { th scope="row" { (year.year) } td.n { (year.activities) } td.n { (view.units().format_distance(year.run_distance)) } td.n { (year.time.format_hours_minutes()) } }
                    }
                }
            } }
        }
    }
}

fn bests(view: &PageContext, found: &TrainingOverview) -> Markup {
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
                                th scope="row" { (view.units().distance_name(best.distance)) }
                                td.n { (TimeSpan::format_clock(best.time)) }
                                td.n { @if let Some(pace) = pace { (view.units().format_pace(pace)) } }
                                td { a href={ "/activities/" (best.activity) } { (time::element(best.day, view.today)) } }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn gaps(view: &PageContext, found: &TrainingOverview) -> Markup {
    let days = |gap: &DataGap| gap.from.days_until(gap.through) + 1;
    let mut longest: Vec<&DataGap> = found.gaps.iter().collect();
    longest.sort_by_key(|gap| (std::cmp::Reverse(days(gap)), gap.from));
    longest.truncate(MAX_GAPS);
    longest.sort_by_key(|gap| gap.from);
    html! {
        @if !longest.is_empty() {
            section.card {
                h2 { "No data at all" }
                ul { @for gap in longest { li { (time::element(gap.from, view.today)) " to " (time::element(gap.through, view.today)) ", " (days(gap)) " days" } } }
                @if found.gaps.len() > MAX_GAPS { p.soft { "and " (found.gaps.len() - MAX_GAPS) " shorter ones" } }
            }
        }
    }
}
