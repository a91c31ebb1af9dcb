//! `/welcome`: four short steps for somebody new. Each can be skipped.

use crate::components::form::Filling;
use crate::http::error::{Problem, sentence};
use crate::http::extract::Query;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::{Place, View};
use crate::pages::settings::{coach, profile};
use crate::pages::{data, import};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

/// What the steps are called.
const STEPS: [&str; 4] = ["You", "Data", "Coach", "Goal"];

/// Which step.
#[derive(Debug, Deserialize)]
pub(crate) struct Step {
    #[serde(default)]
    step: String,
}

/// `GET /welcome`
pub(crate) async fn show(view: View, Query(step): Query<Step>) -> Result<Response, Problem> {
    if view.app.demo {
        return Ok(demo(&view));
    }
    let faults = Faults::default();
    let (step, fields) = match step.step.as_str() {
        "2" => (2, Fields::default()),
        "3" => (3, coach::filled(&coach::chosen(&view).await?)),
        "4" => (4, Fields::default()),
        _ => (1, profile::filled(&view)),
    };
    page(&view, step, &Filling { fields: &fields, faults: &faults }).await
}

/// `POST /welcome/you`
pub(crate) async fn save_place(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    // What this step does not ask for stays as it is.
    let kept = ["birth_year", "sex", "sleep_need"];
    let stored = profile::filled(&view);
    let whole =
        kept.iter().fold(fields.clone(), |all, name| all.with(name, stored.one(name).unwrap_or_default()));
    match profile::read(&view, &whole, &mut faults) {
        Some(profile) => {
            view.store().put_profile(view.user(), &profile, view.now).await?;
            Ok(see_other("/welcome?step=2"))
        }
        None => again(&view, 1, &fields, &faults).await,
    }
}

/// `POST /welcome/source`
pub(crate) async fn save_source(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    if let Some(new) = data::read(&fields, &mut faults) {
        match view.app.outside.add_source(view.user(), new).await {
            Ok(_) => {
                data::begin_sync(&view);
                return Ok(see_other("/welcome?step=3"));
            }
            Err(why) => faults.add("key", sentence(&why)),
        }
    }
    again(&view, 2, &fields, &faults).await
}

/// `POST /welcome/coach`
pub(crate) async fn save_coach(view: View, fields: Fields) -> Result<Response, Problem> {
    let before = coach::chosen(&view).await?;
    let mut faults = Faults::default();
    if let Some((wanted, key)) = coach::read(&fields, &before, &mut faults) {
        match view.app.outside.choose_coach(view.user(), &wanted, key.as_ref()).await {
            Ok(()) => return Ok(see_other("/welcome?step=4")),
            Err(why) => faults.add(coach::faulty(&wanted, &why), sentence(&why)),
        }
    }
    again(&view, 3, &fields, &faults).await
}

async fn again(view: &View, step: usize, fields: &Fields, faults: &Faults) -> Result<Response, Problem> {
    let mut response = page(view, step, &Filling { fields, faults }).await?;
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(response)
}

async fn page(view: &View, step: usize, filling: &Filling<'_>) -> Result<Response, Problem> {
    let content = match step {
        1 => you(view, filling),
        2 => data(view, filling).await?,
        3 => coach_step(view, filling),
        _ => goal(),
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
            p.actions { a.btn href=(skip) { @if step < STEPS.len() { "Skip this step" } @else { "Later" } } @if step == 1 { a.btn href="/" { "Skip all" } } }
        }
    };
    Ok(view.page(Place::Settings, "Welcome", &body))
}

fn you(view: &View, filling: &Filling<'_>) -> Markup {
    html! {
        h1 { "Where do you train?" }
        section.card {
            (filling.summary())
            form method="post" action="/welcome/you" {
                (view.token_field())
                (profile::place_fields(filling))
                p.actions { button.primary type="submit" { "Next" } }
            }
        }
    }
}

async fn data(view: &View, filling: &Filling<'_>) -> Result<Markup, Problem> {
    let import = import::form(view, "welcome").await?;
    Ok(html! {
        h1 { "Bring in your training" }
        section.card {
            h2 { "A service that syncs by itself" }
            (filling.summary())
            form method="post" action="/welcome/source" {
                (view.token_field())
                (data::service_fields(filling, &data::all_services()))
                p.actions { button.primary type="submit" { "Connect and go on" } }
            }
        }
        (import)
        p.soft { "Just looking? " code { "fitness demo" } " shows everything with an athlete who does not exist." }
    })
}

fn coach_step(view: &View, filling: &Filling<'_>) -> Markup {
    html! {
        h1 { "Who coaches you?" }
        section.card {
            p {
                "Without a model everything but free conversation works, and nothing leaves this machine. With one, this leaves it: what you say, your notes, and what the coach looks up to answer: names, dates, distances, times, heart rates, loads and sleep. "
                "Never your routes, your keys or your files. " a href="/settings/coach/preview" { "See exactly what is sent" }
            }
            (filling.summary())
            form method="post" action="/welcome/coach" {
                (view.token_field())
                (coach::who_fields(view, filling, "Kept sealed, and never shown again."))
                p.actions { button.primary type="submit" { "Next" } }
            }
        }
    }
}

fn goal() -> Markup {
    html! {
        h1 { "A goal?" }
        section.card {
            p { "A race, its date and a target make a plan that starts from what you run now. Nothing is tracked until you commit it." }
            p.actions { a.btn.primary href="/plan/new" { "Draft a plan" } }
        }
    }
}

fn demo(view: &View) -> Response {
    let body = html! {
        h1 { "Start with your own" }
        section.card {
            p { "This is the demo; what you do here is gone when it ends. End it with Ctrl-C, then run:" }
            pre { "fitness serve" }
            p { "It keeps your own data in a database of its own and prints a link to begin with." }
            p.actions { a.btn href="/" { "Back to the demo" } }
        }
    };
    view.page(Place::Settings, "Start with your own", &body)
}
