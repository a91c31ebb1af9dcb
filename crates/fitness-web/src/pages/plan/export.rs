//! `GET /plan/export`: the plan as files, the same bytes that the terminal writes, and what a watch cannot be told.

use crate::components::time;
use crate::http::error::{Problem, sentence};
use crate::http::extract::Path;
use crate::http::form::Asked;
use crate::http::response::{download, see_other};
use crate::page::{Place, View};
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::export::owner_mark;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use fitness_sources::workouts::{NoPlanFile, PlanFiles, PlanText, ZIP_DAYS};
use maud::{Markup, html};

/// What a workout file is, to a browser.
pub(crate) const FIT: &str = "application/vnd.ant.fit";

/// The files of a plan as it is now.
pub(crate) async fn of(view: &View, plan: Plan) -> Result<PlanFiles, Problem> {
    let (store, user) = (view.store(), view.user());
    let workouts = store.list_workouts(user, plan.id, plan.revision).await?;
    let revisions = store.list_revisions(user, plan.id).await?;
    let made = revisions.iter().find(|revision| revision.number == plan.revision);
    Ok(PlanFiles {
        made_at: made.map_or(plan.created_at, |revision| revision.made_at),
        mark: owner_mark(user, store.user(user).await?.created_at),
        units: view.units(),
        author: store.find_words_author(user, &plan).await?,
        plan,
        workouts,
    })
}

/// Why there is no file, as a page.
pub(crate) fn no_file(why: &NoPlanFile) -> Problem {
    match why {
        NoPlanFile::Unwritable(_) => Problem::broken(why),
        other => Problem::new(StatusCode::NOT_FOUND, sentence(other)).go_on("/plan", "Back to the plan"),
    }
}

/// How a workout gets onto a watch: sent where a service hands it on, and as a file everywhere else.
pub(crate) fn to_watch(view: &View, planned: &PlannedWorkout, active: bool) -> Markup {
    let ahead = active && planned.workout.date >= view.today;
    html! {
        @if planned.workout.is_rest() {}
        @else if ahead && view.fresh.can_send { (view.button("/plan/send", "Send to the watch", "")) }
        @else { a.btn href={ "/plan/workouts/" (planned.id) "/workout.fit" } { "Download for a watch (.fit)" } }
    }
}

pub(crate) async fn show(view: View, asked: Asked) -> Result<Response, Problem> {
    let plan = list::meant(&view, &asked).await?;
    let query = if plan.status == PlanStatus::Active { String::new() } else { format!("?plan={}", plan.id) };
    let files = of(&view, plan).await?;
    let packed = files.zip(view.today, ZIP_DAYS);
    let body = html! {
        h1 { "Download the plan" }
        p.lead { (visible(&files.plan.name)) ", revision " (files.plan.revision) "." }
        section.card {
            h2 { "For a watch" }
            @match &packed {
                Ok(made) => {
                    p { (made.words) ", as workout files (.fit)." }
                    p.actions {
                        @if view.fresh.can_send && files.plan.status == PlanStatus::Active { (view.button("/plan/send", "Send to the watch", "primary")) }
                        a.btn.primary[!view.fresh.can_send] href={ "/plan/export/workouts.zip" (query) } { "Download the next " (ZIP_DAYS) " days (.zip)" }
                    }
                    @if view.fresh.can_send { p.small.soft { "Sending puts them on your calendar at intervals.icu, which hands them on; what is there from elsewhere is not touched." } }
                    ul.files {
                        @for (planned, file, _) in &made.workouts {
                            li {
                                a href={ "/plan/workouts/" (planned.id) "/workout.fit" } { (time::element(planned.workout.date, view.today)) " " (visible(&planned.workout.name)) }
                                @if file.losses.is_empty() { span.small.soft { " · whole" } }
                                @else { ul.small { @for loss in &file.losses { li { (loss) } } } }
                            }
                        }
                    }
                    @if made.workouts.iter().any(|(_, file, _)| !file.losses.is_empty()) { p.small.soft { "The lines below a workout are what a file for watches has no words for." } }
                }
                Err(why) => p { (sentence(why)) }
            }
        }
        section.card {
            h2 { "For everything else" }
            ul.files {
                li { a href={ "/plan/export/plan.ics" (query) } { "Calendar (.ics)" } span.small.soft { " · import it once; a private address that keeps itself up to date is in the settings" } }
                li { a href={ "/plan/export/plan.md" (query) } { "To read or print (.md)" } }
                li { a href={ "/plan/export/plan.json" (query) } { "For programs, and to draft it again elsewhere (.json)" } }
            }
        }
    };
    Ok(view.page(Place::Plan, "Download the plan", &body))
}

/// `POST /plan/send`: the coming days, to the service that hands them on to a watch.
pub(crate) async fn send(view: View) -> Result<Response, Problem> {
    match view.app.outside.send_workouts(view.user()).await {
        Ok(()) => Ok(see_other("/plan/export?done=sent")),
        Err(why) => {
            let why = format!("The workouts were not sent: {why}.");
            Err(Problem::new(StatusCode::CONFLICT, why).go_on("/plan/export", "Download them instead"))
        }
    }
}

/// `GET /plan/export/{file}`
pub(crate) async fn file(view: View, Path(file): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let files = of(&view, list::meant(&view, &asked).await?).await?;
    let (made, kind) = match file.as_str() {
        "workouts.zip" => (files.zip(view.today, ZIP_DAYS), "application/zip"),
        "plan.ics" => (files.text(PlanText::Calendar), "text/calendar; charset=utf-8"),
        "plan.md" => (files.text(PlanText::Markdown), "text/markdown; charset=utf-8"),
        "plan.json" => (files.text(PlanText::Json), "application/json"),
        _ => return Err(Problem::not_found()),
    };
    let made = made.map_err(|why| no_file(&why))?;
    Ok(download(&made.name, kind, made.bytes))
}
