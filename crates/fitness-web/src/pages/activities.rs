//! `GET /activities`: everything that was done, looked through by filters that are all in the address.

use crate::components::form::{Filling, Line};
use crate::components::matched_workouts::{self, Counted};
use crate::components::placeholder::or_dash;
use crate::components::time;
use crate::http::error::Problem;
use crate::http::form::{Faults, Fields};
use crate::page::{Place, View};
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Speed, TimeSpan};
use fitness_core::domain::untrusted_text::visible;
use fitness_store::StoredActivity;
use fitness_store::training::activity_search::{self, Page, Totals, Wanted};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Rows on a page.
const ROWS: usize = 40;

pub(crate) async fn show(view: View, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let fields = Fields::read(query.unwrap_or_default().as_bytes())?;
    let mut faults = Faults::default();
    let wanted = read(&fields, &mut faults);
    let from = place(&fields, &mut faults);
    let filling = Filling { fields: &fields, faults: &faults };
    if faults.any() {
        let body = html! { h1 { "Activities" } (filters(&filling, &wanted)) };
        let mut response = view.page(Place::Activities, "Activities", &body);
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(response);
    }
    let store = view.store();
    let page = store.browse_activities(view.user(), &wanted, from, ROWS).await?;
    let totals = store.total_activities(view.user(), &wanted).await?;
    let days = page.activities.iter().map(|one| one.day);
    let counted = match days.clone().min().zip(days.max()) {
        Some((first, last)) if !wanted.deleted => matched_workouts::look(&view, first, last).await?,
        _ => BTreeMap::new(),
    };
    let nothing_at_all = totals.count == 0 && !wanted.is_filtered();
    let title = if wanted.deleted { "Deleted activities" } else { "Activities" };
    let body = html! {
        h1 { (title) }
        @if nothing_at_all { (empty(wanted.deleted)) } @else {
            p.lead { (summed(&view, &totals, &wanted)) }
            (filters(&filling, &wanted))
            @if page.activities.is_empty() {
                section.card {
                    p { "Nothing matches these filters." }
                    p.actions { a.btn.primary href=(address(&Wanted { deleted: wanted.deleted, ..Wanted::default() }, None)) { "Clear the filters" } }
                }
            } @else {
                section.card {
                    table.acts {
                        caption.hidden { (title) ", the newest first" }
                        (head(wanted.deleted))
                        tbody { @for one in &page.activities { (row(&view, one, counted.get(&one.id), wanted.deleted)) } }
                    }
                }
                (turn(&page, &wanted))
            }
        }
        @if wanted.deleted { p { a href="/activities" { "Back to your activities" } } }
        @else if !nothing_at_all { p.small { a href="/activities?deleted=1" { "Deleted activities" } " can be brought back." } }
    };
    Ok(view.page(Place::Activities, title, &body))
}

/// What the address asks for.
fn read(fields: &Fields, faults: &mut Faults) -> Wanted {
    let mut day = |name: &'static str| {
        let text = fields.text(name)?;
        faults.take(name, text.parse::<Day>().map_err(|_| "That is no day. Write it as 2026-06-14."))
    };
    let (from, through) = (day("from"), day("to"));
    if from.zip(through).is_some_and(|(from, through)| from > through) {
        faults.add("to", "The last day is before the first one.");
    }
    let sport = fields.text("sport").and_then(|word| {
        let known = word.parse::<Sport>().ok().filter(|sport| *sport != Sport::Rest);
        faults.take("sport", known.ok_or("There is no such sport. Choose one from the list."))
    });
    let words = fields.text("q").unwrap_or_default();
    if words.chars().count() > 200 {
        faults.add("q", "That is longer than any name. Search for a few words.");
    }
    Wanted { sport, from, through, words: words.to_owned(), deleted: fields.text("deleted") == Some("1") }
}

/// From where the page goes on.
fn place(fields: &Fields, faults: &mut Faults) -> activity_search::Onward {
    let mut read = |name| {
        let place = fields.text(name)?.parse::<activity_search::Place>();
        faults.take("q", place.map_err(|_| "This address is damaged. Begin again from the newest."))
    };
    match (read("after"), read("before")) {
        (Some(place), _) => activity_search::Onward::NewerThan(place),
        (None, Some(place)) => activity_search::Onward::OlderThan(place),
        (None, None) => activity_search::Onward::Start,
    }
}

/// The address of a filter, and of a place in what it finds.
fn address(wanted: &Wanted, place: Option<(&str, String)>) -> String {
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
fn summed(view: &View, totals: &Totals, wanted: &Wanted) -> String {
    let many = if totals.count == 1 { "activity" } else { "activities" };
    let mut parts = vec![format!("{} {many}", totals.count)];
    let distance = |sport| match sport {
        Some(sport) => view.units().distance_of(sport, totals.distance),
        None => view.units().distance(totals.distance),
    };
    if totals.distance.mm() > 0 {
        parts.push(distance(wanted.sport).to_string());
    }
    if totals.time > TimeSpan::ZERO {
        parts.push(totals.time.hours_minutes());
    }
    if totals.load > 0.0 {
        parts.push(format!("load {:.0}", totals.load));
    }
    parts.join(" · ")
}

fn filters(filling: &Filling<'_>, wanted: &Wanted) -> Markup {
    let mut sports = vec![("", "All sports")];
    sports.extend(
        Sport::ALL.iter().filter(|s| **s != Sport::Rest).map(|sport| (sport.as_str(), sport.title())),
    );
    html! {
        form.filters method="get" action="/activities" role="search" aria-label="Filter activities" {
            @if wanted.deleted { input type="hidden" name="deleted" value="1"; }
            (filling.choice("sport", "Sport", "", &sports))
            (filling.line("from", "From", Line { kind: "date", ..Line::default() }))
            (filling.line("to", "To", Line { kind: "date", ..Line::default() }))
            (filling.line("q", "Name", Line { kind: "search", example: "tempo", ..Line::default() }))
            p.actions {
                button.primary type="submit" { "Show" }
                @if wanted.is_filtered() || filling.faults.any() {
                    a.btn href=(address(&Wanted { deleted: wanted.deleted, ..Wanted::default() }, None)) { "Clear" }
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
            th scope="col" { @if deleted { "Bring back" } @else { "Plan" } }
        } }
    }
}

fn row(view: &View, one: &StoredActivity, counted: Option<&Counted>, deleted: bool) -> Markup {
    let (a, units) = (&one.activity, view.units());
    let distance = a.distance.map(|d| units.distance_of(a.sport, d).to_string());
    let speed = a.distance.zip(a.training_time()).and_then(|(d, t)| Speed::over(d, t));
    let pace = speed.and_then(|speed| units.speed_of(a.sport, speed)).map(|shown| shown.to_string());
    html! {
        tr data-row[!deleted] {
            td.day { (time::element(one.day, view.today)) }
            th scope="row" {
                @if deleted { (name(one)) } @else { a href={ "/activities/" (one.id) } { (name(one)) } }
                " " span.sport { (a.sport.title()) (marks(one)) }
            }
            td.n.far { (or_dash(distance, "No distance was recorded")) }
            td.n.long { (or_dash(a.training_time().map(TimeSpan::clock), "No time was recorded")) }
            td.n.pace { (or_dash(pace, "There is no pace without a distance and a time")) }
            td.n.heart { (or_dash(a.avg_heart_rate.map(|bpm| format!("{bpm} bpm")), "No heart rate was recorded")) }
            td.n.load { (or_dash(one.load.map(|load| format!("{load:.0}")), "Nothing it was measured by makes a load")) }
            td.plan {
                @if deleted { (view.button(&format!("/activities/{}/restore", one.id), "Restore", "btn small")) }
                @else if let Some(counted) = counted { (counted.chip(view)) }
            }
        }
    }
}

/// What an activity is called; one without a name is called by its sport.
pub(crate) fn name(one: &StoredActivity) -> String {
    let name = one.activity.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    name.map_or_else(|| one.activity.sport.title().to_owned(), |name| visible(name).to_string())
}

/// What there is to know about it at a glance.
pub(crate) fn marks(one: &StoredActivity) -> String {
    let marks = [
        (one.race, "race"),
        (one.flaws.iter().any(|flaw| flaw.is_damage()), "damaged file"),
        (one.edited, "edited"),
    ];
    marks.into_iter().filter(|(so, _)| *so).map(|(_, word)| format!(" · {word}")).collect()
}

fn turn(page: &Page, wanted: &Wanted) -> Markup {
    let first = page.activities.first().filter(|_| page.newer).map(activity_search::Place::of);
    let last = page.activities.last().filter(|_| page.older).map(activity_search::Place::of);
    html! {
        @if first.is_some() || last.is_some() {
            nav.row aria-label="Pages" {
                @if let Some(place) = first {
                    a.btn rel="prev" href=(address(wanted, Some(("after", place.to_string())))) { "← Newer" }
                }
                @if let Some(place) = last {
                    a.btn.push rel="next" href=(address(wanted, Some(("before", place.to_string())))) { "Older →" }
                }
            }
        }
    }
}

fn empty(deleted: bool) -> Markup {
    html! {
        section.card {
            @if deleted {
                p { "Nothing is deleted. What you delete waits here and can be brought back." }
                p.actions { a.btn.primary href="/activities" { "See your activities" } }
            } @else {
                p { "Your runs, rides and swims appear here once there is data." }
                p.actions { a.btn.primary href="/sources" { "Bring in your data" } }
            }
        }
    }
}

/// The id in an address.
pub(crate) fn id(text: &str) -> Result<ActivityId, Problem> {
    text.parse::<i64>().map(ActivityId::new).map_err(|_| Problem::not_found())
}
