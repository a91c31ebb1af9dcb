//! `/overview`: years, personal bests, likely races, thresholds to confirm, gaps in the data.

use crate::components::core_message::for_page;
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::settings::thresholds::confirm_button;
use crate::pages::settings::{Tab, page_with_title};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::ids::{ActivityId, RaceId};
use fitness_core::domain::units::{Speed, TimeSpan};
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::metrics::predict::ResultKind;
use fitness_store::{DataGap, Race, RaceResult, TrainingOverview};
use maud::{Markup, html};

/// The longest gaps are listed.
const MAX_GAPS: usize = 3;
/// Likely races shown at once.
const MAX_RACES: usize = 20;

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view).await?;
    Ok(page_with_title(&view, Tab::Data, "Overview", &body))
}

pub(crate) async fn confirm_race(
    view: PageContext,
    PathId(id): PathId<ActivityId>,
) -> Result<Response, PageError> {
    let found = view.store().find_activity(view.user(), id).await?.ok_or_else(PageError::not_found)?;
    let result = RaceResult::from_activity(&found).ok_or_else(|| {
        PageError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "This activity has no distance or time. Add them first.",
        )
        .with_link(format!("/activities/{id}"), "Open the activity")
    })?;
    view.store().put_race(view.user(), &result, view.now).await?;
    Ok(see_other("/overview?done=saved"))
}

pub(crate) async fn decline_race(
    view: PageContext,
    PathId(id): PathId<ActivityId>,
) -> Result<Response, PageError> {
    view.store().decline_race(view.user(), id, view.now).await?;
    Ok(see_other("/overview?done=saved"))
}

pub(crate) async fn remove_race(
    view: PageContext,
    PathId(id): PathId<RaceId>,
) -> Result<Response, PageError> {
    view.store().remove_race(view.user(), id, view.now).await?;
    Ok(see_other("/overview?done=saved#races"))
}

/// Also shown after an import.
pub(crate) async fn body(view: &PageContext) -> Result<Markup, PageError> {
    let found = view.store().training_overview(view.user()).await?;
    let raced = results(view, &view.store().list_races(view.user()).await?);
    Ok(match found {
        None => html! {
            section.card {
                p { "No data yet. Your yearly totals, personal bests, likely races and thresholds will appear here." }
                p.actions { a.btn.primary href="/data" { "Import data" } }
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
                p { "Race results improve your predictions and paces." }
                ul.plain {
                    @for race in found.likely_races.iter().take(MAX_RACES) {
                        @let a = &race.activity;
                        li.row {
                            div {
                                p.text { a href={ "/activities/" (race.id) } { (escape_invisible(a.name.as_deref().unwrap_or("Untitled activity"))) } }
                                p.meta {
                                    span { (time::element(race.day, view.today)) }
                                    @if let Some(distance) = a.distance { span { (view.units().format_distance(distance)) } }
                                    @if let Some(elapsed) = a.elapsed { span { (elapsed.format_clock()) } }
                                }
                            }
                            span.push {}
                            (view.post_button(&format!("/overview/races/{}/confirm", race.id), "Yes, a race", "small"))
                            (view.post_button(&format!("/overview/races/{}/decline", race.id), "No", "small"))
                        }
                    }
                }
                @if found.likely_races.len() > MAX_RACES { p.soft { (found.likely_races.len() - MAX_RACES) " more after these." } }
            }
        }
    }
}

/// Confirmed races, with or without a recording.
fn results(view: &PageContext, raced: &[Race]) -> Markup {
    html! {
        @if !raced.is_empty() {
            section.card #races {
                h2 { "Your races" }
                p.soft { "Used for predictions, paces and thresholds." }
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
                                    @if result.effort == ResultKind::TimeTrial { span { "time trial" } }
                                }
                            }
                            span.push {}
                            (view.post_button(&format!("/overview/results/{id}/remove"), "Remove", "small"))
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
            h2 { "Thresholds used for training load" }
            @if found.in_force.is_empty() { p.soft { "None known yet." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Thresholds, scrollable" { table {
                    thead { tr { th scope="col" { "Threshold" } th.n scope="col" { "Value" } th scope="col" { "Source" } } }
                    tbody {
                        @for held in &found.in_force {
                            @let kind = held.threshold.kind;
                            tr {
                                th scope="row" { (kind.label()) }
                                td.n { (kind.format_value(held.value(), view.units())) }
                                td { div.row { (held.origin_label()) @if held.threshold.origin == ThresholdOrigin::Estimated && held.share_of.is_none() { (confirm_button(view, kind, "overview")) } } }
                            }
                        }
                    }
                } }
            }
            @for (detected, current) in found.suggestions.iter().filter_map(|one| Some((one.detected, one.current?))) {
                div.row.suggested {
                    p { "Your training suggests a " (detected.kind.label()) " of " b { (detected.kind.format_value(detected.value, view.units())) } " instead of " (detected.kind.format_value(current.value, view.units())) "." }
                    (confirm_button(view, detected.kind, "overview"))
                }
            }
            @if found.without_load > 0 {
                p.soft { (pluralize(found.without_load, "activity has", "activities have")) " no training load" @if let Some(most) = found.no_load.first() { ", " @if most.activities < found.without_load { (most.activities) " of them " } "because " (for_page(&most.reason.cause())) @if most.reason.is_threshold() { ": set one with an earlier date" } } "." }
            }
            p.actions { a.btn href="/settings/thresholds" { "Set thresholds and zones" } }
        }
    }
}

fn years(view: &PageContext, found: &TrainingOverview) -> Markup {
    html! {
        section.card {
            h2 { "Years" }
            p { "From " (time::element(found.first, view.today)) " to " (time::element(found.last, view.today)) "." }
            div.scroll tabindex="0" role="region" aria-label="Years, scrollable" { table {
                thead { tr { th scope="col" { "Year" } th.n scope="col" { "Activities" } th.n scope="col" { "Running" } th.n scope="col" { "Time" } } }
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
            h2 { "Personal bests" }
            @if found.bests.is_empty() { p.soft { "No runs with GPS yet." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Personal bests, scrollable" { table {
                    thead { tr { th scope="col" { "Distance" } th.n scope="col" { "Time" } th.n scope="col" { "Pace" } th scope="col" { "Date" } } }
                    tbody {
                        @for best in &found.bests {
                            @let pace = Speed::from_distance_and_time(best.distance, best.time).and_then(Speed::pace);
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
                h2 { "Gaps in your data" }
                ul { @for gap in longest { li { (time::element(gap.from, view.today)) " to " (time::element(gap.through, view.today)) ", " (pluralize(days(gap).unsigned_abs(), "day", "days")) } } }
                @if found.gaps.len() > MAX_GAPS { p.soft { (pluralize((found.gaps.len() - MAX_GAPS) as u64, "shorter gap", "shorter gaps")) " not listed." } }
            }
        }
    }
}
