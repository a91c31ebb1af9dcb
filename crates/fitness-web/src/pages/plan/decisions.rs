//! Activating, archiving and deleting a plan: each has a confirmation page and an action.

use crate::auth::confirmation::{redeem, web_request};
use crate::components::confirm::ConfirmationPage;
use crate::components::core_message::{for_page, sentence};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::{FieldErrors, FormFields, QueryFields};
use crate::http::response::{see_other, unprocessable, with_status};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::draft;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{HumanActionKind, Plan, PlanStatus};
use fitness_store::plan::consent::ConfirmationRequest;
use fitness_store::plan::human_actions::{self, Activation, ActivationRequest};
use fitness_store::{Error, plan_state_hash};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Reads what was chosen for a draft. `begin` is a day, `today` or `planned`.
fn parse_activation(fields: &FormFields, plan: PlanId, today: Day) -> Result<ActivationRequest, PageError> {
    let begin = match fields.get_trimmed("begin") {
        None | Some("planned") => None,
        Some("today") => Some(today),
        Some(day) => Some(day.parse().map_err(|_| PageError::not_found())?),
    };
    let replaces = fields.get_trimmed("replaces").map(crate::http::response::parse_id).transpose()?;
    Ok(ActivationRequest { plan, replaces, begin, overrides: parse_overrides(fields)? })
}

fn confirm_activation(request: &ActivationRequest, plan: &Plan) -> ConfirmationRequest {
    web_request(HumanActionKind::Activate, Some(plan.id), request.hash(plan.content_hash))
}

fn activation_inputs(request: &ActivationRequest) -> Markup {
    html! {
        @if let Some(old) = request.replaces { input type="hidden" name="replaces" value=(old); }
        @if let Some(day) = request.begin { input type="hidden" name="begin" value=(day); }
        @for rule in &request.overrides { input type="hidden" name="override" value=(rule); }
    }
}

/// The plan checks that the athlete overrides.
pub(crate) fn parse_overrides(fields: &FormFields) -> Result<BTreeSet<LintRule>, PageError> {
    fields.get_all("override").map(|rule| rule.parse().map_err(|_| PageError::not_found())).collect()
}

pub(crate) async fn confirm_activate(
    view: PageContext,
    Path(id): Path<String>,
    QueryFields(fields): QueryFields,
) -> Result<Response, PageError> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let plan = require_draft(draft::find_plan(&view, &id).await?)?;
    let mut choice = parse_activation(&fields, plan.id, today)?;
    let active = store.find_active_plan(user).await?;
    if let Err(why) = human_actions::check_replaces(active.as_ref().map(|plan| plan.id), choice.replaces) {
        return replace_active_page(&view, &plan, &why, &fields).await;
    }
    if plan.race_date < today {
        return draft::page(&view, &plan, &fields, &FieldErrors::default()).await.map(unprocessable);
    }
    let workouts = store.list_workouts(user, plan.id, plan.revision).await?;
    let review = store.lint_plan(user, plan.id, today).await?;
    let behind = plan.workouts_before_today(&workouts, today);
    let mut faults = FieldErrors::default();
    if !review.remaining_findings(&choice.overrides).is_empty() {
        faults.add("override", "Override each error you accept, or draft a different plan.");
    }
    if behind.is_some() && !matches!(fields.get_trimmed("begin"), Some("today" | "planned")) {
        faults.add("begin", "Choose whether the plan starts today or as planned.");
    }
    if faults.has_any() {
        return draft::page(&view, &plan, &fields, &faults).await.map(unprocessable);
    }
    choice.begin = choice.begin.filter(|_| behind.is_some());
    let what = html! {
        p { b { (escape_invisible(&plan.name)) } " becomes your active plan. Your training will be compared with this plan from now on." }
        @if let Some(behind) = behind { p { (for_page(&plan.describe_late_start(behind, choice.begin))) } }
        @if let Some(old) = &active { p { strong { (escape_invisible(&old.name)) " will be archived." } " The plan and its results are kept." } }
        @for rule in &choice.overrides { p { "Overridden check: " (rule.metric()) "." } }
    };
    let (action, back) = (format!("/plans/{}/commit", plan.id), format!("/plans/{}", plan.id));
    let asking = ConfirmationPage {
        title: "Commit to this plan?",
        description: what,
        request: confirm_activation(&choice, &plan),
        action: &action,
        fields: activation_inputs(&choice),
        confirm_label: if active.is_some() {
            "Commit to this plan and archive the current one"
        } else {
            "Commit to this plan"
        },
        is_destructive: false,
        back_link: (&back, "Not yet"),
    };
    asking.render(&view)
}

pub(crate) async fn activate(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let plan = require_draft(draft::find_plan(&view, &id).await?)?;
    let choice = parse_activation(&fields, plan.id, view.today)?;
    let review = view.store().lint_plan(view.user(), plan.id, view.today).await?;
    let again = format!("/plans/{}", plan.id);
    let consent = redeem(&view, &confirm_activation(&choice, &plan), &fields)
        .await
        .map_err(|no| no.with_link(&again, "Review again"))?;
    match human_actions::activate(consent, &choice, &review).await {
        Ok(Activation::Activated) => Ok(see_other("/plan?done=committed")),
        Ok(Activation::NoDraft) => {
            Err(PageError::conflict("This plan is no longer a draft.").with_link("/plans", "All plans"))
        }
        Err(why @ (Error::AlreadyActive { .. } | Error::NothingToReplace)) => {
            replace_active_page(&view, &plan, &why, &fields).await
        }
        Err(why) => Err(PageError::from(why).with_link(&again, "Review again")),
    }
}

fn require_draft(plan: Plan) -> Result<Plan, PageError> {
    match plan.status {
        PlanStatus::Draft => Ok(plan),
        PlanStatus::Active => {
            Err(PageError::conflict("This plan is already active.").with_link("/plan", "Open plan"))
        }
        PlanStatus::Archived => {
            Err(PageError::conflict("This plan is archived. Only a draft can become the active plan.")
                .with_link("/plans", "All plans"))
        }
    }
}

/// Another plan is active: offers to replace it.
async fn replace_active_page(
    view: &PageContext,
    plan: &Plan,
    why: &Error,
    fields: &FormFields,
) -> Result<Response, PageError> {
    let active = view.store().find_active_plan(view.user()).await?;
    let message = sentence(why);
    let rest = fields.to_query(&["replaces"]);
    let address = |replaces: Option<PlanId>| {
        let own = replaces.map(|id| format!("replaces={id}")).unwrap_or_default();
        let all: Vec<&str> =
            [own.as_str(), rest.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        format!("/plans/{}/commit?{}", plan.id, all.join("&"))
    };
    let body = html! {
        section.card.ask role="alert" {
            h1 { (message.trim_end_matches('.')) }
            @match &active {
                Some(active) => {
                    p { b { (escape_invisible(&active.name)) }
                        @if let Some(at) = active.activated_at { " has been active since " (time::element(Day::at(at, view.profile.zone), view.today)) }
                        @else { " is active" }
                        ", and only one plan can be active. Nothing was changed." }
                    p.actions {
                        a.btn href="/plan" { "Keep " (escape_invisible(&active.name)) }
                        a.btn.primary href=(address(Some(active.id))) { "Replace it…" }
                    }
                }
                None => {
                    p { "You no longer have an active plan, so there is nothing to replace. Nothing was changed." }
                    p.actions { a.btn.primary href=(address(None)) { "Review again" } }
                }
            }
        }
    };
    Ok(with_status(view.page(NavItem::Plan, &message, &body), StatusCode::CONFLICT))
}

pub(crate) async fn confirm_archive(
    view: PageContext,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let plan = require_archivable(draft::find_plan(&view, &id).await?)?;
    let action = format!("/plans/{}/archive", plan.id);
    let asking = ConfirmationPage {
        title: "Archive this plan?",
        description: html! { p { b { (escape_invisible(&plan.name)) } " will no longer be active. The plan and its results are kept." } },
        request: plan_request(HumanActionKind::Archive, &plan),
        action: &action,
        fields: html! {},
        confirm_label: "Archive",
        is_destructive: false,
        back_link: ("/plan", "Keep it active"),
    };
    asking.render(&view)
}

pub(crate) async fn archive(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let plan = require_archivable(draft::find_plan(&view, &id).await?)?;
    let again = |no: PageError| no.with_link("/plan", "Open plan");
    let consent =
        redeem(&view, &plan_request(HumanActionKind::Archive, &plan), &fields).await.map_err(again)?;
    human_actions::archive(consent, plan.id).await.map_err(|why| again(why.into()))?;
    Ok(see_other(&format!("/plans/{}?done=archived", plan.id)))
}

pub(crate) async fn confirm_delete(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let plan = require_deletable(draft::find_plan(&view, &id).await?)?;
    let (action, back) = (format!("/plans/{}/delete", plan.id), format!("/plans/{}", plan.id));
    let asking = ConfirmationPage {
        title: "Delete this plan?",
        description: html! { p { b { (escape_invisible(&plan.name)) } " will be deleted with its workouts and revisions. This can't be undone. Your activities are kept." } },
        request: plan_request(HumanActionKind::Delete, &plan),
        action: &action,
        fields: html! {},
        confirm_label: "Delete plan",
        is_destructive: true,
        back_link: (&back, "Keep it"),
    };
    asking.render(&view)
}

pub(crate) async fn delete(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let plan = require_deletable(draft::find_plan(&view, &id).await?)?;
    let again = |no: PageError| no.with_link(format!("/plans/{}", plan.id), "Review again");
    let consent =
        redeem(&view, &plan_request(HumanActionKind::Delete, &plan), &fields).await.map_err(again)?;
    human_actions::delete(consent, plan.id).await.map_err(|why| again(why.into()))?;
    Ok(see_other("/plans?done=deleted"))
}

fn plan_request(kind: HumanActionKind, plan: &Plan) -> ConfirmationRequest {
    web_request(kind, Some(plan.id), plan_state_hash(plan))
}

fn require_archivable(plan: Plan) -> Result<Plan, PageError> {
    let (message, to) = match plan.status {
        PlanStatus::Active => return Ok(plan),
        PlanStatus::Draft => {
            ("This plan is a draft. Drafts are deleted, not archived.", format!("/plans/{}", plan.id))
        }
        PlanStatus::Archived => ("This plan is already archived.", format!("/plans/{}", plan.id)),
    };
    Err(PageError::conflict(message).with_link(to, "Open it"))
}

fn require_deletable(plan: Plan) -> Result<Plan, PageError> {
    if plan.status == PlanStatus::Active {
        let archive = format!("/plans/{}/archive", plan.id);
        return Err(
            PageError::conflict("This plan is active. Archive it first.").with_link(archive, "Archive it…")
        );
    }
    Ok(plan)
}
