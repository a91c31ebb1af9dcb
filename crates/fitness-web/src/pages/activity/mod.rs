//! `GET /activities/{id}`: summary, matched workout, recording, splits and edit forms of an
//! activity.

mod charts;
mod edit;
mod tables;

pub(crate) use edit::{delete, download_original, reset, restore, save_note, update};

use super::activities::{activity_name, format_badges, parse_activity_id};
use super::gear;
use super::plan::workout::step_table;
use crate::charts::route::project_route;
use crate::components::matched_workouts::{self, MatchedWorkout};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::{FieldErrors, FormFields};
use crate::page::{NavItem, PageContext};
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::adherence::compare_steps;
use fitness_core::domain::athlete::{ZoneKind, Zones};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::gear::{GearActivity, GearUse};
use fitness_core::domain::ids::{ActivityId, GearId};
use fitness_core::domain::note::Note;
use fitness_core::domain::observation::{Observation, ObservationKind};
use fitness_core::domain::source_record::{Details, ParseCounts};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::activity::{ActivityMetrics, Measures};
use fitness_core::metrics::zones::zones_on;
use fitness_core::presentation::activity as presentation;
use fitness_core::presentation::names::{device_name, sport_name};
use fitness_store::{OriginalFile, RaceResult, StoredActivity};
use maud::{Markup, html};

/// Labels of `summary_rows` and `metric_rows` whose values are too long for a tile.
const SENTENCE_LABELS: &[&str] = &["kind", "GAP", "fastest", "device", "device values", "load"];

#[derive(Debug)]
pub(super) struct ActivityPageData {
    pub(super) stored: StoredActivity,
    pub(super) recording: Option<Recording>,
    pub(super) details: Details,
    pub(super) metrics: Option<(Measures, Option<ActivityMetrics>)>,
    pub(super) zones: Vec<(ZoneKind, Option<Zones>)>,
    pub(super) matched: Option<MatchedWorkout>,
    pub(super) originals: Vec<OriginalFile>,
    pub(super) source_names: Vec<&'static str>,
    /// What the parsers of its files dropped or corrected.
    pub(super) parse_counts: ParseCounts,
    /// The latest effort rating.
    pub(super) effort: Option<Observation>,
    /// Accepted notes of the same day.
    pub(super) notes: Vec<Note>,
    /// All legs, if it is part of a multisport activity.
    pub(super) legs: Vec<StoredActivity>,
    pub(super) all_gear: Vec<GearUse>,
    /// Its gear, chosen or by default.
    pub(super) gear: Option<GearId>,
    /// Its result, if it can be a race and is not one yet.
    pub(super) race_candidate: bool,
}

/// Loads an activity; another user's is not found.
pub(super) async fn load_activity(view: &PageContext, id: ActivityId) -> Result<ActivityPageData, PageError> {
    let (store, user) = (view.store(), view.user());
    let stored = store.find_activity(user, id).await?.ok_or_else(PageError::not_found)?;
    let (day, sport) = (stored.day, stored.activity.sport);
    let geared = GearActivity { id, sport, day, distance: stored.activity.distance };
    let (given, thresholds) = (store.list_zones(user).await?, store.list_thresholds(user).await?);
    let held = |kind| zones_on(day, kind, sport, &given, &thresholds).map(|held| held.zones);
    let rated = |one: &Observation| {
        one.accepted && one.data.kind() == ObservationKind::Rpe && one.data.activity() == Some(id)
    };
    let observed = store.list_observations(user, day, day).await?;
    let zone = view.profile.zone;
    let of_day =
        |note: &Note| note.accepted && note.day.unwrap_or_else(|| Day::at(note.written_at, zone)) == day;
    let records = store.list_source_records(user, id).await?;
    let mut parse_counts = ParseCounts::default();
    records.iter().for_each(|(_, summary)| parse_counts.add(summary.counts));
    Ok(ActivityPageData {
        recording: store.find_recording(user, id).await?.filter(|r| !r.offsets_ms().is_empty()),
        details: store.find_details(user, id).await?.unwrap_or_default(),
        metrics: store.find_activity_metrics(user, id).await?,
        zones: ZoneKind::ALL.iter().map(|kind| (*kind, held(*kind))).collect(),
        matched: matched_workouts::load(view, day.plus_days(-1), day.plus_days(1)).await?.remove(&id),
        originals: store.list_activity_originals(user, id).await?,
        source_names: records.iter().map(|(key, _)| key.kind.label()).collect(),
        parse_counts,
        effort: observed.into_iter().rfind(rated),
        notes: store.list_notes(user).await?.into_iter().filter(of_day).collect(),
        legs: store.list_multisport_legs(user, id).await?,
        all_gear: store.list_gear(user, view.today).await?,
        gear: store.find_activity_gear(user, &geared).await?.map(|gear| gear.id),
        race_candidate: sport == Sport::Running
            && RaceResult::from_activity(&stored).is_some()
            && !store.list_races(user).await?.iter().any(|race| race.result.activity == Some(id)),
        stored,
    })
}

pub(crate) async fn show(
    view: PageContext,
    Path(text): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let seen = load_activity(&view, parse_activity_id(&text)?).await?;
    let query = FormFields::parse(query.unwrap_or_default().as_bytes())?;
    let shown = match query.get("table") {
        Some("recording") => RecordingViewMode::Table,
        _ if query.get("x") == Some("time") => RecordingViewMode::ByTime,
        _ => RecordingViewMode::ByDistance,
    };
    let fields = edit::initial_fields(&seen);
    Ok(page(&view, &seen, shown, &fields, &FieldErrors::default()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordingViewMode {
    ByDistance,
    ByTime,
    Table,
}

/// The page, with submitted form values and errors.
pub(super) fn page(
    view: &PageContext,
    seen: &ActivityPageData,
    shown: RecordingViewMode,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Response {
    let (one, title) = (&seen.stored, activity_name(&seen.stored));
    let local = one.activity.started_at + chrono::TimeDelta::seconds(one.activity.utc_offset_s.into());
    let body = html! {
        p.small { a href="/activities" { "← Activities" } }
        h1 { (title) }
        p.lead {
            (sport_name(one.activity.sport, one.activity.sub_sport.as_deref())) " · " (time::element(one.day, view.today)) " " (local.format("%H:%M"))
            @if let Some(device) = &one.activity.device { " · " (device_name(device)) }
            (format_badges(one))
        }
        (multisport_legs(seen))
        @if let Some(counted) = &seen.matched { (matched_workout_card(view, counted)) }
        (summary(view, seen))
        @let route = seen.recording.as_ref().and_then(|recording| project_route(&positions(recording)));
        @if let Some(recording) = &seen.recording {
            (charts::card(view, seen, recording, shown))
        } @else {
            section.card { h2 { "Recording" } p.soft { "Summary only: this activity has no recording." } }
        }
        @if let Some(route) = route {
            div.grid { section.card { h2 { "Route" } (route.render()) } (tables::zones(view, seen)) }
        } @else { (tables::zones(view, seen)) }
        (device_metrics(seen))
        (steps(view, seen))
        div.grid { (tables::splits(view, seen)) (tables::laps(view, seen)) }
        (tables::lengths(seen))
        (gear::activity_form(view, one.id, &seen.all_gear, seen.gear))
        @if seen.race_candidate {
            section.card.row {
                p { "Was this a race? Race results improve your predictions and paces." }
                span.push {}
                (view.post_button(&format!("/overview/races/{}/confirm", one.id), "Mark as a race", "small"))
            }
        }
        (edit::forms(view, seen, fields, faults))
    };
    let mut response = view.page(NavItem::Activities, &title, &body);
    if faults.has_any() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    response
}

/// The legs of a multisport activity, by sport, with links to the others.
fn multisport_legs(seen: &ActivityPageData) -> Markup {
    if seen.legs.is_empty() {
        return html! {};
    }
    html! {
        p.soft {
            "Part of a multisport activity: "
            @for (index, leg) in seen.legs.iter().enumerate() {
                @if index > 0 { " · " }
                @if leg.id == seen.stored.id { b { (leg.activity.leg_label()) } }
                @else { a href={ "/activities/" (leg.id) } { (leg.activity.leg_label()) } }
            }
        }
    }
}

fn matched_workout_card(view: &PageContext, counted: &MatchedWorkout) -> Markup {
    html! {
        section.card.row {
            div {
                "Counts as the planned workout " @if counted.is_active_plan { a href={ "/plan/workouts/" (counted.planned.id) } { (escape_invisible(&counted.planned.workout.name)) } }
                @else { b { (escape_invisible(&counted.planned.workout.name)) } }
                " on " (time::element(counted.graded.day, view.today))
                span.soft { " · " (counted.actual_of_planned(view)) }
            }
            (counted.chip(view))
        }
    }
}

/// Planned and recorded steps of the matched workout.
fn steps(view: &PageContext, seen: &ActivityPageData) -> Markup {
    let steps = seen.matched.as_ref().map(|counted| counted.planned.workout.steps.as_slice());
    let Some(steps) = steps.filter(|steps| !steps.is_empty()) else { return html! {} };
    html! {
        section.card {
            h2 { "Planned vs actual, by step" }
            @match compare_steps(steps, &seen.stored.activity.laps, seen.recording.as_ref()) {
                Err(why) => p.soft { "Steps can't be compared: " (why.message()) "." },
                Ok(compared) => (step_table(&compared, view.units())),
            }
        }
    }
}

/// Numbers as tiles, longer values below them.
fn summary(view: &PageContext, seen: &ActivityPageData) -> Markup {
    let units = view.units();
    let measures = seen.metrics.as_ref().map(|(measures, _)| measures);
    let mut rows = presentation::summary_rows(&seen.stored.activity, measures, units);
    if let Some((measures, judged)) = &seen.metrics {
        rows.extend(presentation::metric_rows(measures, judged.as_ref(), units));
    }
    let (sentences, numbers): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(label, _)| SENTENCE_LABELS.contains(label));
    html! {
        section.card {
            h2 { "Summary" }
            @if numbers.is_empty() { p.soft { "No further details were recorded." } }
            dl.tiles { @for (label, value) in &numbers { div { dt { (label) } dd { (value) } } } }
            dl.told {
                @for (label, value) in sentences.iter().filter(|(label, _)| *label != "device") { div { dt { (label) } dd { (value) } } }
                @if !seen.source_names.is_empty() { div { dt { "source" } dd { (seen.source_names.join(" + ")) } } }
                @if !seen.parse_counts.is_empty() { div { dt { "corrections" } dd { (seen.parse_counts.sentences().join(" ")) } } }
            }
            p.actions {
                a.btn href={ "/coach?about=activity:" (seen.stored.id) } { "Ask the coach" }
                @for original in &seen.originals {
                    a.btn href={ "/activities/" (seen.stored.id) "/files/" (original.sha256) } title=(escape_invisible(&original.name)) { "Download original file" }
                }
            }
        }
    }
}

/// Running dynamics and other values by the device, if there are any.
fn device_metrics(seen: &ActivityPageData) -> Markup {
    let rows = presentation::device_metric_rows(&seen.stored.activity, seen.recording.as_ref());
    html! {
        @if !rows.is_empty() {
            section.card {
                h2 { @if seen.stored.activity.sport == Sport::Running { "Running dynamics and device metrics" } @else { "Device metrics" } }
                dl.tiles { @for (label, value) in &rows { div { dt { (label) } dd { (value) } } } }
            }
        }
    }
}

/// Latitude and longitude in degrees.
fn positions(recording: &Recording) -> Vec<(f64, f64)> {
    let columns = recording.column(Channel::Latitude).zip(recording.column(Channel::Longitude));
    let Some((north, east)) = columns else { return Vec::new() };
    let degrees = |units: i32| f64::from(units) / 1e7;
    // A watch without a GPS fix records 0, 0.
    let known = north.samples().zip(east.samples()).filter_map(|(north, east)| Some((north?, east?)));
    known.filter(|place| *place != (0, 0)).map(|(north, east)| (degrees(north), degrees(east))).collect()
}
