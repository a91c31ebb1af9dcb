//! `GET /activities`: the activity list with filters and pages in the query string.

use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::matched_workouts::{self, MatchedWorkout};
use crate::components::missing_value::or_dash;
use crate::components::time;
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::page::{NavItem, PageContext};
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Speed, TimeSpan};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::StoredActivity;
use fitness_store::training::activity_search::{self, ActivityFilter, ActivityPage, ActivityTotals};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Rows on a page.
const PAGE_SIZE: usize = 40;

pub(crate) async fn list(view: PageContext, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let fields = FormFields::parse(query.unwrap_or_default().as_bytes())?;
    let mut faults = FieldErrors::default();
    let wanted = parse_filter(&fields, &mut faults);
    let from = parse_cursor(&fields, &mut faults);
    let filling = SubmittedForm { fields: &fields, errors: &faults };
    if faults.has_any() {
        let body = html! { h1 { "Activities" } (filters(&filling, &wanted)) };
        let mut response = view.page(NavItem::Activities, "Activities", &body);
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(response);
    }
    let store = view.store();
    let page = store.search_activities(view.user(), &wanted, from, PAGE_SIZE).await?;
    let totals = store.activity_totals(view.user(), &wanted).await?;
    let days = page.activities.iter().map(|one| one.day);
    let counted = match days.clone().min().zip(days.max()) {
        Some((first, last)) if !wanted.deleted => matched_workouts::load(&view, first, last).await?,
        _ => BTreeMap::new(),
    };
    let nothing_at_all = totals.count == 0 && !wanted.is_filtered();
    let title = if wanted.deleted { "Deleted activities" } else { "Activities" };
    let body = html! {
        h1 { (title) }
        @if nothing_at_all { (empty(wanted.deleted)) } @else {
            p.lead { (format_totals(&view, &totals, &wanted)) }
            (filters(&filling, &wanted))
            @if page.activities.is_empty() {
                section.card {
                    p { "Nothing matches these filters." }
                    p.actions { a.btn.primary href=(filter_url(&ActivityFilter { deleted: wanted.deleted, ..ActivityFilter::default() }, None)) { "Clear filters" } }
                }
            } @else {
                section.card {
                    table.acts {
                        caption.hidden { (title) ", newest first" }
                        (head(wanted.deleted))
                        tbody { @for one in &page.activities { (row(&view, one, counted.get(&one.id), wanted.deleted)) } }
                    }
                }
                (pagination(&page, &wanted))
            }
        }
        @if wanted.deleted { p { a href="/activities" { "Back to your activities" } } }
        @else if !nothing_at_all { p.small { a href="/activities?deleted=1" { "Deleted activities" } " can be restored." } }
    };
    Ok(view.page(NavItem::Activities, title, &body))
}

fn parse_filter(fields: &FormFields, faults: &mut FieldErrors) -> ActivityFilter {
    let mut day = |name: &'static str| {
        let text = fields.get_trimmed(name)?;
        faults.ok_or_add(name, text.parse::<Day>().map_err(|_| "Choose a date."))
    };
    let (from, through) = (day("from"), day("to"));
    if from.zip(through).is_some_and(|(from, through)| from > through) {
        faults.add("to", "The end date is before the start date.");
    }
    let sport = fields.get_trimmed("sport").and_then(|word| {
        let known = word.parse::<Sport>().ok().filter(|sport| *sport != Sport::Rest);
        faults.ok_or_add("sport", known.ok_or("Choose a sport from the list."))
    });
    let words = fields.get_trimmed("q").unwrap_or_default();
    if words.chars().count() > 200 {
        faults.add("q", "The search text is too long. Use a few words.");
    }
    ActivityFilter {
        sport,
        from,
        through,
        words: words.to_owned(),
        deleted: fields.get_trimmed("deleted") == Some("1"),
    }
}

fn parse_cursor(fields: &FormFields, faults: &mut FieldErrors) -> activity_search::PagePosition {
    let mut read = |name| {
        let place = fields.get_trimmed(name)?.parse::<activity_search::ActivityCursor>();
        faults
            .ok_or_add("q", place.map_err(|_| "This link is broken. Start again from the newest activities."))
    };
    match (read("after"), read("before")) {
        (Some(place), _) => activity_search::PagePosition::NewerThan(place),
        (None, Some(place)) => activity_search::PagePosition::OlderThan(place),
        (None, None) => activity_search::PagePosition::Start,
    }
}

/// The URL of a filter and, with `place`, of a page in its results.
fn filter_url(wanted: &ActivityFilter, place: Option<(&str, String)>) -> String {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    pairs.extend(wanted.sport.map(|sport| ("sport", sport.to_string())));
    pairs.extend(wanted.from.map(|day| ("from", day.to_string())));
    pairs.extend(wanted.through.map(|day| ("to", day.to_string())));
    pairs.extend((!wanted.words.is_empty()).then(|| ("q", wanted.words.clone())));
    pairs.extend(wanted.deleted.then(|| ("deleted", "1".to_owned())));
    pairs.extend(place);
    if pairs.is_empty() {
        return "/activities".to_owned();
    }
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    format!("/activities?{query}")
}

/// `412 activities · 3204.0 km · 312h 05m · load 18230`.
fn format_totals(view: &PageContext, totals: &ActivityTotals, wanted: &ActivityFilter) -> String {
    let many = if totals.count == 1 { "activity" } else { "activities" };
    let mut parts = vec![format!("{} {many}", totals.count)];
    let distance = |sport| match sport {
        Some(sport) => view.units().format_distance_for(sport, totals.distance),
        None => view.units().format_distance(totals.distance),
    };
    if totals.distance.mm() > 0 {
        parts.push(distance(wanted.sport).to_string());
    }
    if totals.time > TimeSpan::ZERO {
        parts.push(totals.time.format_hours_minutes());
    }
    if totals.load > 0.0 {
        parts.push(format!("load {:.0}", totals.load));
    }
    parts.join(" · ")
}

fn filters(filling: &SubmittedForm<'_>, wanted: &ActivityFilter) -> Markup {
    let mut sports = vec![("", "All sports")];
    sports.extend(
        Sport::ALL.iter().filter(|s| **s != Sport::Rest).map(|sport| (sport.as_str(), sport.title())),
    );
    html! {
        form.filters method="get" action="/activities" role="search" aria-label="Filter activities" {
            @if wanted.deleted { input type="hidden" name="deleted" value="1"; }
            (filling.select("sport", "Sport", "", &sports))
            (filling.input("from", "From", InputOptions { input_type: "date", ..InputOptions::default() }))
            (filling.input("to", "To", InputOptions { input_type: "date", ..InputOptions::default() }))
            (filling.input("q", "Name", InputOptions { input_type: "search", placeholder: "tempo", ..InputOptions::default() }))
            p.actions {
                button.primary type="submit" { "Show" }
                @if wanted.is_filtered() || filling.errors.has_any() {
                    a.btn href=(filter_url(&ActivityFilter { deleted: wanted.deleted, ..ActivityFilter::default() }, None)) { "Clear" }
                }
            }
        }
    }
}

fn head(deleted: bool) -> Markup {
    html! {
        thead { tr {
            th scope="col" { "Day" } th scope="col" { "Activity" }
            th.n scope="col" { "Distance" } th.n scope="col" { "Time" } th.n scope="col" { "Pace" }
            th.n scope="col" { "Heart rate" } th.n scope="col" { "Load" }
            th scope="col" { @if deleted { "Restore" } @else { "Plan" } }
        } }
    }
}

fn row(view: &PageContext, one: &StoredActivity, counted: Option<&MatchedWorkout>, deleted: bool) -> Markup {
    let (a, units) = (&one.activity, view.units());
    let distance = a.distance.map(|d| units.format_distance_for(a.sport, d).to_string());
    let speed = a.distance.zip(a.training_time()).and_then(|(d, t)| Speed::from_distance_and_time(d, t));
    let pace = speed.and_then(|speed| units.format_speed_for(a.sport, speed)).map(|shown| shown.to_string());
    html! {
        tr data-row[!deleted] {
            td.day { (time::element(one.day, view.today)) }
            th scope="row" {
                @if deleted { (activity_name(one)) } @else { a href={ "/activities/" (one.id) } { (activity_name(one)) } }
                " " span.sport { (a.sport.title()) (format_badges(one)) }
            }
            td.n.far { (or_dash(distance, "No distance recorded")) }
            td.n.long { (or_dash(a.training_time().map(TimeSpan::format_clock), "No time recorded")) }
            td.n.pace { (or_dash(pace, "Needs a distance and a time")) }
            td.n.heart { (or_dash(a.avg_heart_rate.map(|bpm| format!("{bpm} bpm")), "No heart rate recorded")) }
            td.n.load { (or_dash(one.load.map(|load| format!("{load:.0}")), "No training load. Open the activity to see why")) }
            td.plan {
                @if deleted { (view.post_button(&format!("/activities/{}/restore", one.id), "Restore", "btn small")) }
                @else if let Some(counted) = counted { (counted.chip(view)) }
            }
        }
    }
}

/// The name, or the sport of an activity without one.
pub(crate) fn activity_name(one: &StoredActivity) -> String {
    let name = one.activity.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    name.map_or_else(|| one.activity.sport.title().to_owned(), |name| escape_invisible(name).to_string())
}

/// ` · race · edited`.
pub(crate) fn format_badges(one: &StoredActivity) -> String {
    let marks = [
        (one.race, "race"),
        (one.flaws.iter().any(|flaw| flaw.is_damage()), "damaged file"),
        (one.edited, "edited"),
    ];
    marks.into_iter().filter(|(so, _)| *so).map(|(_, word)| format!(" · {word}")).collect()
}

fn pagination(page: &ActivityPage, wanted: &ActivityFilter) -> Markup {
    let first = page
        .activities
        .first()
        .filter(|_| page.has_newer)
        .map(activity_search::ActivityCursor::from_activity);
    let last =
        page.activities.last().filter(|_| page.has_older).map(activity_search::ActivityCursor::from_activity);
    html! {
        @if first.is_some() || last.is_some() {
            nav.row aria-label="Pages" {
                @if let Some(place) = first {
                    a.btn rel="prev" href=(filter_url(wanted, Some(("after", place.to_string())))) { "← Newer" }
                }
                @if let Some(place) = last {
                    a.btn.push rel="next" href=(filter_url(wanted, Some(("before", place.to_string())))) { "Older →" }
                }
            }
        }
    }
}

fn empty(deleted: bool) -> Markup {
    html! {
        section.card {
            @if deleted {
                p { "No deleted activities. What you delete can be restored from here." }
                p.actions { a.btn.primary href="/activities" { "All activities" } }
            } @else {
                p { "Your runs, rides and swims appear here once there is data." }
                p.actions { a.btn.primary href="/data" { "Import data" } }
            }
        }
    }
}

pub(crate) fn parse_activity_id(text: &str) -> Result<ActivityId, PageError> {
    text.parse::<i64>().map(ActivityId::new).map_err(|_| PageError::not_found())
}
