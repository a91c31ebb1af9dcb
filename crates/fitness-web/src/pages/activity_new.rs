//! `/activities/new`: an activity that the athlete enters, such as a run without a watch.

use crate::components::core_message::sentence;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::{NavItem, PageContext};
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::NaiveTime;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::manual_activity::{ManualActivity, ManualActivityError};
use fitness_core::domain::merge::ActivityEditError;
use fitness_core::domain::parse_distance::parse_activity_distance;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use fitness_store::Error;
use maud::html;

const MAX_NAME_CHARS: usize = 200;

/// The form; `?day=` fills in the day.
pub(crate) async fn show(view: PageContext, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let query = FormFields::parse(query.unwrap_or_default().as_bytes())?;
    let day = query.get_trimmed("day").and_then(|text| text.parse::<Day>().ok()).unwrap_or(view.today);
    let fields = FormFields::default().with("day", day.to_string()).with("sport", Sport::Running.as_str());
    Ok(page(&view, &fields, &FieldErrors::default()))
}

fn page(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Response {
    let filling = SubmittedForm { fields, errors: faults };
    let sports: Vec<(&str, &str)> =
        Sport::ALL.iter().filter(|s| **s != Sport::Rest).map(|s| (s.as_str(), s.title())).collect();
    let input = |name, label, options| filling.input(name, label, options);
    let body = html! {
        p.small { a href="/activities" { "← Activities" } }
        h1 { "Add an activity" }
        section.card {
            p { "For an activity without a recording. It counts for your plan like a recorded one. If you import its recording later, the two become one activity." }
            (filling.error_summary())
            form method="post" action="/activities/new" {
                (view.token_field())
                (filling.select("sport", "Sport", "", &sports))
                (input("day", "Day", InputOptions { input_type: "date", is_required: true, ..InputOptions::default() }))
                (input("start", "Start time", InputOptions { input_type: "time", hint: "Optional.", ..InputOptions::default() }))
                (input("time", "Moving time", InputOptions { placeholder: "45:10", hint: "Minutes and seconds, or hours, minutes and seconds.", is_required: true, ..InputOptions::default() }))
                (input("distance", "Distance", InputOptions { placeholder: "8.2", hint: "In your units, or with a unit, such as 8.2km. Optional.", ..InputOptions::default() }))
                (input("name", "Name", InputOptions { hint: "Optional.", ..InputOptions::default() }))
                p.actions { button.primary type="submit" { "Add activity" } }
            }
        }
    };
    let mut response = view.page(NavItem::Activities, "Add an activity", &body);
    if faults.has_any() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    response
}

/// `POST /activities/new`
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let text = |name: &str| fields.get_trimmed(name);
    let sport = text("sport").unwrap_or_default().parse::<Sport>().ok().filter(|s| *s != Sport::Rest);
    let sport = faults.ok_or_add("sport", sport.ok_or("Choose a sport from the list."));
    let day = text("day").unwrap_or_default().parse::<Day>();
    let day = faults.ok_or_add("day", day.map_err(|_| "Choose a date."));
    let start = text("start").and_then(|text| {
        let read = ["%H:%M", "%H:%M:%S"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok());
        faults.ok_or_add("start", read.ok_or("Enter a time such as 07:30."))
    });
    let time = text("time").unwrap_or_default().parse::<TimeSpan>();
    let time = faults.ok_or_add("time", time.map_err(|_| "Enter a time such as 45:10 or 1:45:10."));
    let distance = text("distance").and_then(|text| {
        faults
            .ok_or_add("distance", parse_activity_distance(text, view.units()).map_err(|bad| sentence(&bad)))
    });
    let name = text("name").map(sanitize_for_storage);
    if name.as_ref().is_some_and(|name| name.chars().count() > MAX_NAME_CHARS) {
        faults.add("name", format!("Use at most {MAX_NAME_CHARS} characters."));
    }
    if let (Some(sport), Some(day), Some(time), false) = (sport, day, time, faults.has_any()) {
        let entered = ManualActivity { sport, day, start, time, distance, name };
        match view.store().add_activity(view.user(), &entered, view.now).await {
            Ok(id) => return Ok(see_other(&format!("/activities/{id}?done=saved"))),
            Err(Error::ManualActivity(bad)) => faults.add(field_of(&bad), sentence(&bad)),
            Err(other) => return Err(other.into()),
        }
    }
    Ok(page(&view, &fields, &faults))
}

/// The field that an error is about.
const fn field_of(bad: &ManualActivityError) -> &'static str {
    match bad {
        ManualActivityError::Future(_) => "day",
        ManualActivityError::Implausible(ActivityEditError::InvalidDuration { .. }) => "time",
        ManualActivityError::Implausible(ActivityEditError::Rest) => "sport",
        ManualActivityError::Implausible(_) => "distance",
    }
}
