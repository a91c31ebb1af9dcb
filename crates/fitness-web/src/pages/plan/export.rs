//! `GET /plan/export`: the plan as files, the same bytes that the terminal writes, and what a watch cannot be told.

use crate::components::time;
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Path;
use crate::http::form::QueryFields;
use crate::http::response::{download, see_other};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::export::owner_hash;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use fitness_sources::workouts::{DEFAULT_ZIP_DAYS, PlanFileError, PlanFiles, PlanTextFormat};
use maud::{Markup, html};

/// What a workout file is, to a browser.
pub(crate) const FIT_CONTENT_TYPE: &str = "application/vnd.ant.fit";

/// The files of a plan as it is now.
pub(crate) async fn load_plan_files(view: &PageContext, plan: Plan) -> Result<PlanFiles, PageError> {
    let (store, user) = (view.store(), view.user());
    let workouts = store.list_workouts(user, plan.id, plan.revision).await?;
    let revisions = store.list_revisions(user, plan.id).await?;
    let made = revisions.iter().find(|revision| revision.number == plan.revision);
    Ok(PlanFiles {
        revision_created_at: made.map_or(plan.created_at, |revision| revision.made_at),
        owner_id: owner_hash(user, store.user(user).await?.created_at),
        units: view.units(),
        author: store.find_text_author(user, &plan).await?,
        plan,
        workouts,
    })
}

/// Why there is no file, as a page.
pub(crate) fn export_error(why: &PlanFileError) -> PageError {
    match why {
        PlanFileError::Unwritable(_) => PageError::internal(why),
        other => {
            PageError::new(StatusCode::NOT_FOUND, to_sentence(other)).with_link("/plan", "Back to the plan")
        }
    }
}

/// How a workout gets onto a watch: sent where a service hands it on, and as a file everywhere else.
pub(crate) fn send_to_watch(view: &PageContext, planned: &PlannedWorkout, active: bool) -> Markup {
    let ahead = active && planned.workout.date >= view.today;
    html! {
        @if planned.workout.is_rest() {}
        @else if ahead && view.freshness.can_send { (view.post_button("/plan/send", "Send to the watch", "")) }
        @else { a.btn href={ "/plan/workouts/" (planned.id) "/workout.fit" } { "Download for a watch (.fit)" } }
    }
}

pub(crate) async fn show(view: PageContext, asked: QueryFields) -> Result<Response, PageError> {
    let plan = list::find_requested_plan(&view, &asked).await?;
    let query = if plan.status == PlanStatus::Active { String::new() } else { format!("?plan={}", plan.id) };
    let files = load_plan_files(&view, plan).await?;
    let packed = files.zip_file(view.today, DEFAULT_ZIP_DAYS);
    let body = html! {
        h1 { "Download the plan" }
        p.lead { (escape_invisible(&files.plan.name)) ", revision " (files.plan.revision) "." }
        section.card {
            h2 { "For a watch" }
            @match &packed {
                Ok(made) => {
                    p { (made.description) ", as workout files (.fit)." }
                    p.actions {
                        @if view.freshness.can_send && files.plan.status == PlanStatus::Active { (view.post_button("/plan/send", "Send to the watch", "primary")) }
                        a.btn.primary[!view.freshness.can_send] href={ "/plan/export/workouts.zip" (query) } { "Download the next " (DEFAULT_ZIP_DAYS) " days (.zip)" }
                    }
                    @if view.freshness.can_send { p.small.soft { "Sending puts them on your calendar at intervals.icu, which hands them on; what is there from elsewhere is not touched." } }
                    ul.files {
                        @for (planned, file, _) in &made.workouts {
                            li {
                                a href={ "/plan/workouts/" (planned.id) "/workout.fit" } { (time::element(planned.workout.date, view.today)) " " (escape_invisible(&planned.workout.name)) }
                                @if file.unsupported.is_empty() { span.small.soft { " · whole" } }
                                @else { ul.small { @for loss in &file.unsupported { li { (loss) } } } }
                            }
                        }
                    }
                    @if made.workouts.iter().any(|(_, file, _)| !file.unsupported.is_empty()) { p.small.soft { "The lines below a workout are what a file for watches has no words for." } }
                }
                Err(why) => p { (to_sentence(why)) }
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
    Ok(view.page(NavItem::Plan, "Download the plan", &body))
}

/// `POST /plan/send`: the coming days, to the service that hands them on to a watch.
pub(crate) async fn send(view: PageContext) -> Result<Response, PageError> {
    match view.app.services.send_workouts(view.user()).await {
        Ok(()) => Ok(see_other("/plan/export?done=sent")),
        Err(why) => {
            let why = format!("The workouts were not sent: {why}.");
            Err(PageError::new(StatusCode::CONFLICT, why).with_link("/plan/export", "Download them instead"))
        }
    }
}

/// `GET /plan/export/{file}`
pub(crate) async fn download_file(
    view: PageContext,
    Path(file): Path<String>,
    asked: QueryFields,
) -> Result<Response, PageError> {
    let files = load_plan_files(&view, list::find_requested_plan(&view, &asked).await?).await?;
    let (made, kind) = match file.as_str() {
        "workouts.zip" => (files.zip_file(view.today, DEFAULT_ZIP_DAYS), "application/zip"),
        "plan.ics" => (files.text_file(PlanTextFormat::Calendar), "text/calendar; charset=utf-8"),
        "plan.md" => (files.text_file(PlanTextFormat::Markdown), "text/markdown; charset=utf-8"),
        "plan.json" => (files.text_file(PlanTextFormat::Json), "application/json"),
        _ => return Err(PageError::not_found()),
    };
    let made = made.map_err(|why| export_error(&why))?;
    Ok(download(&made.name, kind, made.bytes))
}
