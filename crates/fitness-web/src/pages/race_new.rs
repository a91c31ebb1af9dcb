//! `/races/new`: the result of a race or time trial that was not recorded.

use crate::components::core_message::sentence;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::{NavItem, PageContext};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::parse_distance::parse_race_distance;
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use fitness_core::metrics::predict::{Performance, ResultKind};
use fitness_store::RaceResult;
use maud::html;

const MAX_NAME_CHARS: usize = 200;

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    Ok(page(&view, &FormFields::default(), &FieldErrors::default()))
}

fn page(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Response {
    let filling = SubmittedForm { fields, errors: faults };
    let required = |options: InputOptions| InputOptions { is_required: true, ..options };
    let kinds = [("race", "Race"), ("time_trial", "Time trial: all-out, but alone")];
    let body = html! {
        p.small { a href="/overview" { "← Overview" } }
        h1 { "Add a race" }
        section.card {
            p { "Race results improve your predictions and paces. A race that you recorded can be marked on its activity page instead." }
            (filling.error_summary())
            form method="post" action="/races/new" {
                (view.token_field())
                (filling.input("name", "Name", required(InputOptions::default())))
                (filling.input("day", "Day", required(InputOptions { input_type: "date", ..InputOptions::default() })))
                (filling.input("distance", "Official distance", required(InputOptions { placeholder: "half", hint: "Such as half, 10k, 1500m or 10mi.", ..InputOptions::default() })))
                (filling.input("time", "Official time", required(InputOptions { placeholder: "1:45:10", ..InputOptions::default() })))
                (filling.select("effort", "Kind", "", &kinds))
                p.actions { button.primary type="submit" { "Add race" } }
            }
        }
    };
    let mut response = view.page(NavItem::Activities, "Add a race", &body);
    if faults.has_any() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    response
}

/// `POST /races/new`
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let text = |name: &str| fields.get_trimmed(name).unwrap_or_default();
    let name = sanitize_for_storage(text("name"));
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        faults.add("name", format!("Enter a name of at most {MAX_NAME_CHARS} characters."));
    }
    let day = faults.ok_or_add("day", text("day").parse::<Day>().map_err(|_| "Choose a date."));
    if day.is_some_and(|day| day > view.today) {
        faults.add("day", "This day is in the future. Add the result after the race.");
    }
    let distance = parse_race_distance(text("distance"), view.units()).map_err(|bad| sentence(&bad));
    let distance = faults.ok_or_add("distance", distance);
    let time = text("time").parse::<TimeSpan>();
    let time = faults.ok_or_add("time", time.map_err(|_| "Enter a time such as 45:10 or 1:45:10."));
    let effort = match text("effort") {
        "time_trial" => ResultKind::TimeTrial,
        _ => ResultKind::Race,
    };
    if let (Some(day), Some(distance), Some(time), false) = (day, distance, time, faults.has_any()) {
        if Performance::new(distance, time).is_ok() {
            let result = RaceResult { activity: None, day, name, distance, time, effort };
            view.store().put_race(view.user(), &result, view.now).await?;
            return Ok(see_other("/overview?done=saved#races"));
        }
        faults.add("time", "This distance in this time is not possible. Use the official ones.");
    }
    Ok(page(&view, &fields, &faults))
}
