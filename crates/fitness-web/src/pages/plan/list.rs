//! `GET /plans`: all plans, by status.

use crate::components::{author_label, chip, time};
use crate::http::error::PageError;
use crate::http::form::QueryFields;
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{Plan, PlanStatus};
use maud::{Markup, html};

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let plans = view.store().list_plans(view.user()).await?;
    let of = |status: PlanStatus| plans.iter().filter(move |plan| plan.status == status);
    let groups = [
        ("Active", of(PlanStatus::Active).collect::<Vec<_>>()),
        ("Drafts", of(PlanStatus::Draft).filter(|plan| plan.superseded_by.is_none()).collect()),
        ("Archived", of(PlanStatus::Archived).collect()),
        ("Replaced drafts", of(PlanStatus::Draft).filter(|plan| plan.superseded_by.is_some()).collect()),
    ];
    let body = html! {
        div.row.head {
            h1 { "Plans" }
            @if !plans.is_empty() { a.btn.primary.push href="/plan/new" { "New plan" } }
        }
        @if plans.is_empty() {
            section.card {
                p { "Your drafts, your active plan and past plans appear here." }
                p.actions { a.btn.primary href="/plan/new" { "Create a plan" } a.btn href="/coach" { "Draft one with the coach" } }
            }
        }
        @for (called, plans) in &groups {
            @if !plans.is_empty() {
                section.card {
                    h2 { (called) }
                    ul.plans { @for plan in plans { li data-row { (row(&view, plan)) } } }
                }
            }
        }
    };
    Ok(view.page(NavItem::Plan, "Plans", &body))
}

fn row(view: &PageContext, plan: &Plan) -> Markup {
    let to =
        if plan.status == PlanStatus::Active { "/plan".to_owned() } else { format!("/plans/{}", plan.id) };
    html! {
        div {
            a href=(to) { b { (escape_invisible(&plan.name)) } } " " (chip::status(plan.status)) " " (author_label::render(Some(plan.author)))
            p.meta {
                span { (describe_goal(view, plan)) }
                span { "from " (time::element(plan.start_date, view.today)) }
                span { "drafted by " (author_name(plan.author)) " " (time::clock_or_date(plan.created_at, view.profile.zone, view.today)) }
                @if let Some(newer) = plan.superseded_by.filter(|_| plan.status == PlanStatus::Draft) { a href={ "/plans/" (newer) } { "replaced by a newer draft" } }
            }
        }
    }
}

/// `Half marathon on Sun 24 Jan, goal time 1:45:00`.
pub(crate) fn describe_goal(view: &PageContext, plan: &Plan) -> Markup {
    html! {
        @match plan.distance {
            Some(_) => { (plan.race_label(view.units())) " on " (time::element(plan.race_date, view.today)) }
            None => { "Training without a race, until " (time::element(plan.race_date, view.today)) }
        }
        @if let Some(target) = plan.target_time { ", goal time " (target.format_clock()) }
    }
}

const fn author_name(author: Author) -> &'static str {
    match author {
        Author::Athlete => "you",
        Author::Coach => "the coach",
        Author::Mcp => "a connected app",
    }
}

/// The plan of the query parameter `plan`, or the active one.
pub(crate) async fn find_requested_plan(view: &PageContext, asked: &QueryFields) -> Result<Plan, PageError> {
    if let Some(text) = asked.0.get_trimmed("plan") {
        let id: PlanId = crate::http::response::parse_id(text)?;
        return view.store().find_plan(view.user(), id).await?.ok_or_else(PageError::not_found);
    }
    view.store().find_active_plan(view.user()).await?.ok_or_else(none_active)
}

pub(crate) fn none_active() -> PageError {
    PageError::new(
        axum::http::StatusCode::NOT_FOUND,
        "You have no active plan. Your drafts and past plans are under All plans.",
    )
    .with_title("No active plan")
    .with_link("/plans", "All plans")
}
