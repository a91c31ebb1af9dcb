//! `/welcome`: four steps for a new user; each can be skipped.

use crate::components::core_message;
use crate::components::form::SubmittedForm;
use crate::http::error::PageError;
use crate::http::extract::Query;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::{NavItem, PageContext};
use crate::pages::settings::{coach, profile};
use crate::pages::{data, import};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

const STEPS: [&str; 4] = ["Profile", "Data", "Coach", "Race"];

#[derive(Debug, Deserialize)]
pub(crate) struct StepQuery {
    #[serde(default)]
    step: String,
}

pub(crate) async fn show(view: PageContext, Query(step): Query<StepQuery>) -> Result<Response, PageError> {
    if view.app.is_demo {
        return Ok(demo_page(&view));
    }
    let faults = FieldErrors::default();
    let (step, fields) = match step.step.as_str() {
        "2" => (2, FormFields::default()),
        "3" => (3, coach::initial_fields(&coach::load_settings(&view).await?)),
        "4" => (4, FormFields::default()),
        _ => (1, profile::initial_fields(&view)),
    };
    page(&view, step, &SubmittedForm { fields: &fields, errors: &faults }).await
}

pub(crate) async fn save_profile(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    // Keep the values of fields that this step does not show.
    let kept = ["birth_year", "sex", "sleep_need"];
    let stored = profile::initial_fields(&view);
    let whole =
        kept.iter().fold(fields.clone(), |all, name| all.with(name, stored.get(name).unwrap_or_default()));
    match profile::parse_profile(&view, &whole, &mut faults) {
        Some(profile) => {
            view.store().put_profile(view.user(), &profile, view.now).await?;
            Ok(see_other("/welcome?step=2"))
        }
        None => invalid_form_page(&view, 1, &fields, &faults).await,
    }
}

pub(crate) async fn save_source(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    if let Some(new) = data::parse_source(&fields, &mut faults) {
        match view.app.services.add_source(view.user(), new).await {
            Ok(_) => {
                data::spawn_sync(&view);
                return Ok(see_other("/welcome?step=3"));
            }
            Err(why) => faults.add("key", core_message::sentence(&why)),
        }
    }
    invalid_form_page(&view, 2, &fields, &faults).await
}

pub(crate) async fn save_coach(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let before = coach::load_settings(&view).await?;
    let mut faults = FieldErrors::default();
    if let Some((wanted, key)) = coach::parse_settings(&fields, &before, &mut faults) {
        match view.app.services.save_coach_settings(view.user(), &wanted, key.as_ref()).await {
            Ok(()) => return Ok(see_other("/welcome?step=4")),
            Err(why) => faults.add(coach::error_field(&wanted, &why), core_message::sentence(&why)),
        }
    }
    invalid_form_page(&view, 3, &fields, &faults).await
}

async fn invalid_form_page(
    view: &PageContext,
    step: usize,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Response, PageError> {
    let mut response = page(view, step, &SubmittedForm { fields, errors: faults }).await?;
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(response)
}

async fn page(view: &PageContext, step: usize, filling: &SubmittedForm<'_>) -> Result<Response, PageError> {
    let content = match step {
        1 => profile_step(view, filling),
        2 => data_step(view, filling).await?,
        3 => coach_step(view, filling),
        _ => goal_step(),
    };
    let skip = if step < STEPS.len() { format!("/welcome?step={}", step + 1) } else { "/".to_owned() };
    let body = html! {
        div.welcome {
            ol.dots aria-label="Steps" {
                @for (index, name) in STEPS.iter().enumerate() {
                    li aria-current=[(index + 1 == step).then_some("step")] class=[(index + 1 < step).then_some("past")] {
                        a href={ "/welcome?step=" (index + 1) } { (name) }
                    }
                }
            }
            (content)
            p.actions { a.btn href=(skip) { @if step < STEPS.len() { "Skip this step" } @else { "Not now" } } @if step == 1 { a.btn href="/" { "Skip setup" } } }
        }
    };
    Ok(view.page(NavItem::Settings, "Welcome", &body))
}

fn profile_step(view: &PageContext, filling: &SubmittedForm<'_>) -> Markup {
    html! {
        h1 { "Time zone and units" }
        section.card {
            (filling.error_summary())
            form method="post" action="/welcome/you" {
                (view.token_field())
                (profile::profile_fields(filling))
                p.actions { button.primary type="submit" { "Next" } }
            }
        }
    }
}

async fn data_step(view: &PageContext, filling: &SubmittedForm<'_>) -> Result<Markup, PageError> {
    let import = import::form(view, "welcome").await?;
    Ok(html! {
        h1 { "Import your training" }
        section.card {
            h2 { "Sync automatically" }
            (filling.error_summary())
            form method="post" action="/welcome/source" {
                (view.token_field())
                (data::service_fields(filling, &data::all_services()))
                p.actions { button.primary type="submit" { "Connect and continue" } }
            }
        }
        (import)
        p.soft { "Just looking? Run " code { "fitness demo" } " to try the app with sample data." }
    })
}

fn coach_step(view: &PageContext, filling: &SubmittedForm<'_>) -> Markup {
    html! {
        h1 { "Choose a coach" }
        section.card {
            p {
                "If you choose an AI model, it receives your messages, your notes and the data the coach looks up to reply (names, dates, distances, times, heart rates, loads and sleep). "
                "Your routes, keys and files are never sent. " a href="/settings/coach/preview" { "See exactly what is sent" }
            }
            (filling.error_summary())
            form method="post" action="/welcome/coach" {
                (view.token_field())
                (coach::provider_fields(view, filling, coach::ProviderUse::OwnCoach, coach::key_hint(false)))
                p.actions { button.primary type="submit" { "Next" } }
            }
        }
    }
}

fn goal_step() -> Markup {
    html! {
        h1 { "Are you training for a race?" }
        section.card {
            p { "Enter your race, its date and your goal time to get a plan that starts from your current training." }
            p.actions { a.btn.primary href="/plan/new" { "Draft a plan" } }
        }
    }
}

fn demo_page(view: &PageContext) -> Response {
    let body = html! {
        h1 { "Use your own data" }
        section.card {
            p { "This is the demo. Your changes are lost when it ends. Stop it with Ctrl-C, then run:" }
            pre { "fitness serve" }
            p { "This creates a separate database for your data and prints a link to get started." }
            p.actions { a.btn href="/" { "Back to the demo" } }
        }
    };
    view.page(NavItem::Settings, "Use your own data", &body)
}
