//! `GET /plan`: the active plan.

pub(crate) mod decisions;
pub(crate) mod draft;
pub(crate) mod export;
mod goal;
pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod proposal;
pub(crate) mod revisions;
mod schedule;
pub(crate) mod splits;
mod trajectory;
mod volume;
pub(crate) mod workout;
pub(crate) mod workout_edit;

use crate::components::core_message::for_page;
use crate::components::{author_label, chip, time};
use crate::http::error::PageError;
use crate::http::extract::Query;
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::predict::LOOK_BACK_DAYS;
use fitness_core::plan::{Plan, PlanStatus};
use maud::{Markup, html};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct PlanQuery {
    /// Week of the plan to show, from 1; `all` for every week.
    #[serde(default)]
    week: String,
    /// The chart to show as a table: `volume` or `trajectory`.
    #[serde(default)]
    table: String,
}

pub(crate) async fn show(view: PageContext, Query(asked): Query<PlanQuery>) -> Result<Response, PageError> {
    let (store, user) = (view.store(), view.user());
    let Some(active) = store.find_active_plan(user).await? else { return no_active_plan(&view).await };
    let progress = store.plan_adherence(user, active.id).await?;
    let facts = store.facts(user, view.today).await?;
    let outlook = store.plan_trajectory(user, active.id).await?;
    let after = store.race_review(user, &active, view.today).await?;
    let waiting = store.pending_decisions(user, view.today).await?;
    let weeks = schedule::WeekSelection::around(&progress, &asked.week, view.today);
    let body = html! {
        div.row.head {
            h1 { (escape_invisible(&active.name)) }
            (chip::status(active.status))
            (author_label::render_for_plan(&active, store.find_text_author(user, &active).await?))
            span.soft { (describe_revision(&view, &active)) }
        }
        @if let Some((after, distance)) = after.as_ref().zip(active.distance) {
            section.card {
                h2 { "The race is over" }
                @for said in after.sentences(distance) { p { (for_page(&said)) } }
                p.actions { a.btn.primary href={ "/plans/" (active.id) "/archive" } { "Archive plan" } }
            }
        }
        (goal::card(&view, &progress, &facts, prediction_basis(&view, &active).await?.as_deref()))
        @for (at, proposal) in waiting.proposals.iter().enumerate() {
            section.card.waits { div.row {
                span.chip.draft { i aria-hidden="true" { "◇" } " Proposal" }
                div { b { (escape_invisible(&for_page(&proposal.message))) } " " (author_label::render(Some(proposal.origin.author()))) @if at == 0 { br; span.soft { "Your plan stays as it is until you accept this." } } }
                a.btn.push href={ "/proposals/" (proposal.id) } { "Review" }
            } }
        }
        @if let Some(said) = &waiting.said { section.card { p { (for_page(said)) } } }
        (volume::card(&view, &progress, &weeks, asked.table == "volume"))
        (schedule::card(&view, &progress, &weeks))
        (trajectory::card(&view, &active, &outlook, asked.table == "trajectory").await?)
        (plan_links(&active, &view))
    };
    Ok(view.page(NavItem::Plan, "Training plan", &body))
}

/// The races behind the predicted finish, in sentences.
async fn prediction_basis(view: &PageContext, plan: &Plan) -> Result<Option<String>, PageError> {
    let Some(distance) = plan.distance else { return Ok(None) };
    let log = view.store().training_log(view.user(), view.today.plus_days(-LOOK_BACK_DAYS)).await?;
    let found = log.and_then(|log| log.predict(distance, log.latest(view.today)).ok());
    Ok(found.map(|found| for_page(&found.basis(view.units()))))
}

/// `revision 3 · active since Mon 5 Oct`.
fn describe_revision(view: &PageContext, plan: &Plan) -> String {
    let revision = format!("revision {}", plan.revision);
    let active = plan.activated_at.map(|at| {
        let day = fitness_core::domain::calendar::Day::at(at, view.profile.zone);
        format!("active since {}", time::short_with_year(day, view.today))
    });
    [Some(revision), active].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn plan_links(plan: &Plan, view: &PageContext) -> Markup {
    let race_week = (0..7).contains(&view.today.days_until(plan.race_date));
    html! {
        section.card {
            h2 { "This plan" }
            p.soft { "To move, swap, skip or change the length of a workout, open it in the schedule." }
            p.actions {
                @if race_week { a.btn.primary href="/plan/splits" { "Race splits" } }
                a.btn href="/plan/edit" { "Add a workout" }
                a.btn href="/plan/revisions" { "Revisions" }
                a.btn href="/plan/export" { "Export" }
                a.btn href="/plan/new" { "New plan" }
                a.btn href="/plans" { "All plans" }
                a.btn href={ "/plans/" (plan.id) "/archive" } { "Archive" }
            }
        }
    }
}

async fn no_active_plan(view: &PageContext) -> Result<Response, PageError> {
    let plans = view.store().list_plans(view.user()).await?;
    let drafts =
        plans.iter().filter(|plan| plan.status == PlanStatus::Draft && plan.superseded_by.is_none()).count();
    let body = html! {
        h1 { "Training plan" }
        section.card {
            p { "No active plan. A plan is drafted from your recent training and checked against coaching guidelines. It becomes your active plan when you choose “Commit to this plan”." }
            p.actions {
                a.btn.primary href="/plan/new" { "Create a plan" }
                @if drafts > 0 { a.btn href="/plans" { "See drafts (" (drafts) ")" } }
                @else if !plans.is_empty() { a.btn href="/plans" { "Earlier plans" } }
                a.btn href="/coach" { "Draft one with the coach" }
            }
        }
    };
    Ok(view.page(NavItem::Plan, "Training plan", &body))
}
