//! `GET /plan/export`: the plan as files, identical to those of `fitness plan export`.

use crate::components::core_message::{for_page, sentence};
use crate::components::time;
use crate::http::error::PageError;
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
use fitness_sources::workouts::{DEFAULT_ZIP_DAYS, PlanExportError, PlanExportInput, PlanTextFormat};
use maud::{Markup, html};

pub(crate) const FIT_CONTENT_TYPE: &str = "application/vnd.ant.fit";

pub(crate) async fn load_plan_files(view: &PageContext, plan: Plan) -> Result<PlanExportInput, PageError> {
    let (store, user) = (view.store(), view.user());
    let workouts = store.list_workouts(user, plan.id, plan.revision).await?;
    let revisions = store.list_revisions(user, plan.id).await?;
    let made = revisions.iter().find(|revision| revision.number == plan.revision);
    Ok(PlanExportInput {
        revision_created_at: made.map_or(plan.created_at, |revision| revision.made_at),
        owner_id: owner_hash(user, store.user(user).await?.created_at),
        units: view.units(),
        author: store.find_text_author(user, &plan).await?,
        plan,
        workouts,
    })
}

pub(crate) fn export_error(why: &PlanExportError) -> PageError {
    match why {
        PlanExportError::Unwritable(_) => PageError::internal(why),
        other => {
            PageError::new(StatusCode::NOT_FOUND, sentence(other)).with_link("/plan", "Back to the plan")
        }
    }
}

/// A button that sends a workout to the watch through a connected service, or a download link.
pub(crate) fn send_to_watch(view: &PageContext, planned: &PlannedWorkout, active: bool) -> Markup {
    let ahead = active && planned.workout.date >= view.today;
    html! {
        @if planned.workout.is_rest() {}
        @else if ahead && view.freshness.can_send { (view.post_button("/plan/send", "Send to watch", "")) }
        @else { a.btn href={ "/plan/workouts/" (planned.id) "/workout.fit" } { "Download for watch (.fit)" } }
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
                    p { (for_page(&made.description)) ", as workout files (.fit)." }
                    p.actions {
                        @if view.freshness.can_send && files.plan.status == PlanStatus::Active { (view.post_button("/plan/send", "Send to watch", "primary")) }
                        a.btn.primary[!view.freshness.can_send] href={ "/plan/export/workouts.zip" (query) } { "Download the next " (DEFAULT_ZIP_DAYS) " days (.zip)" }
                    }
                    @if view.freshness.can_send { p.small.soft { "Workouts are sent to your intervals.icu calendar, which passes them on to your watch. Other entries there stay as they are." } }
                    ul.files {
                        @for (planned, file, _) in &made.workouts {
                            li {
                                a href={ "/plan/workouts/" (planned.id) "/workout.fit" } { (time::element(planned.workout.date, view.today)) " " (escape_invisible(&planned.workout.name)) }
                                @if !file.unsupported.is_empty() { ul.small { @for loss in &file.unsupported { li { (loss) } } } }
                            }
                        }
                    }
                    @if made.workouts.iter().any(|(_, file, _)| !file.unsupported.is_empty()) { p.small.soft { "The details listed below a workout can't be stored in a watch file." } }
                }
                Err(why) => p { (sentence(why)) }
            }
        }
        section.card {
            h2 { "Other formats" }
            ul.files {
                li { a href={ "/plan/export/plan.ics" (query) } { "Calendar (.ics)" } span.small.soft { " · a one-time copy; for a calendar that stays up to date, create a private link in Settings > Integrations" } }
                li { a href={ "/plan/export/plan.md" (query) } { "To read or print (.md)" } }
                li { a href={ "/plan/export/plan.json" (query) } { "For other programs, or to import the plan elsewhere (.json)" } }
            }
        }
    };
    Ok(view.page(NavItem::Plan, "Download the plan", &body))
}

/// `POST /plan/send`: sends the coming workouts to the connected service.
pub(crate) async fn send(view: PageContext) -> Result<Response, PageError> {
    match view.app.services.send_workouts(view.user()).await {
        Ok(()) => Ok(see_other("/plan/export?done=sent")),
        Err(why) => {
            let why = format!("The workouts were not sent: {why}.");
            Err(PageError::new(StatusCode::CONFLICT, why).with_link("/plan/export", "Download them instead"))
        }
    }
}

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
