//! Commit, archive, delete: a page that asks, and the answer. Each names what will happen and to which plan.

use crate::auth::confirmation::Decision;
use crate::components::confirm::ConfirmationPage;
use crate::components::time;
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Path;
use crate::http::form::{FieldErrors, FormFields, QueryFields};
use crate::http::response::{see_other, unprocessable, with_status};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::draft;
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, Plan, PlanStatus};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::{Error, plan_state_hash};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// What a commit is about besides the draft.
#[derive(Debug, Default)]
struct ActivationOptions {
    replaced_plan: Option<PlanId>,
    start_day: Option<Day>,
    overrides: BTreeSet<Rule>,
}

impl ActivationOptions {
    /// Reads it. `begin` is a day, `today` or `planned`.
    fn parse(fields: &FormFields, today: Day) -> Result<Self, PageError> {
        let begin = match fields.get_trimmed("begin") {
            None | Some("planned") => None,
            Some("today") => Some(today),
            Some(day) => Some(day.parse().map_err(|_| PageError::not_found())?),
        };
        Ok(Self {
            replaced_plan: fields.get_trimmed("replaces").map(crate::http::response::parse_id).transpose()?,
            start_day: begin,
            overrides: parse_overrides(fields)?,
        })
    }

    fn decision(&self, plan: &Plan) -> Decision {
        let seen = human_actions::activation_hash(
            plan.id,
            plan.content_hash,
            self.replaced_plan,
            self.start_day,
            &self.overrides,
        );
        Decision { kind: ActionKind::Activate, plan: Some(plan.id), shown_hash: seen }
    }

    fn hidden_inputs(&self) -> Markup {
        html! {
            @if let Some(old) = self.replaced_plan { input type="hidden" name="replaces" value=(old); }
            @if let Some(day) = self.start_day { input type="hidden" name="begin" value=(day); }
            @for rule in &self.overrides { input type="hidden" name="override" value=(rule); }
        }
    }
}

/// The rules that are overridden by name.
pub(crate) fn parse_overrides(fields: &FormFields) -> Result<BTreeSet<Rule>, PageError> {
    fields.get_all("override").map(|rule| rule.parse().map_err(|_| PageError::not_found())).collect()
}

/// `GET /plans/{id}/commit`
pub(crate) async fn confirm_activate(
    view: PageContext,
    Path(id): Path<String>,
    QueryFields(fields): QueryFields,
) -> Result<Response, PageError> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let plan = require_draft(draft::find_plan(&view, &id).await?)?;
    let mut choice = ActivationOptions::parse(&fields, today)?;
    let active = store.find_active_plan(user).await?;
    if let Err(why) = human_actions::check_replaces(active.as_ref().map(|plan| plan.id), choice.replaced_plan)
    {
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
        faults.add("override", "Tick each error you go ahead against, or ask for another plan.");
    }
    if behind.is_some() && !matches!(fields.get_trimmed("begin"), Some("today" | "planned")) {
        faults.add("begin", "Say whether it begins today or as planned.");
    }
    if faults.has_any() {
        return draft::page(&view, &plan, &fields, &faults).await.map(unprocessable);
    }
    choice.start_day = choice.start_day.filter(|_| behind.is_some());
    let what = html! {
        p { b { (escape_invisible(&plan.name)) } " becomes the plan you follow: " (list::describe_goal(&view, &plan)) ". From then on your training is held against it, as far as your data reaches." }
        @if let Some(behind) = behind { p { (plan.describe_late_start(behind, choice.start_day)) } }
        @if let Some(old) = &active { p { strong { "It archives " (escape_invisible(&old.name)) "." } " You keep that plan, with its verdicts; it is no longer tracked." } }
        @for rule in &choice.overrides { p { "You override " (rule) ": " (rule.metric()) "." } }
    };
    let (action, back) = (format!("/plans/{}/commit", plan.id), format!("/plans/{}", plan.id));
    let asking = ConfirmationPage {
        title: "Commit this plan?",
        description: what,
        decision: choice.decision(&plan),
        action: &action,
        fields: choice.hidden_inputs(),
        confirm_label: if active.is_some() { "Commit and archive the other" } else { "Commit" },
        is_destructive: false,
        back_link: (&back, "Not yet"),
    };
    asking.render(&view).await
}

/// `POST /plans/{id}/commit`
pub(crate) async fn activate(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let plan = require_draft(draft::find_plan(&view, &id).await?)?;
    let choice = ActivationOptions::parse(&fields, view.today)?;
    let review = view.store().lint_plan(view.user(), plan.id, view.today).await?;
    let again = format!("/plans/{}", plan.id);
    let consent = choice
        .decision(&plan)
        .verify_confirmation(&view, &fields)
        .await
        .map_err(|no| no.with_link(&again, "Look at it again"))?;
    let done = human_actions::activate(
        consent,
        plan.id,
        choice.replaced_plan,
        choice.start_day,
        &review,
        &choice.overrides,
    )
    .await;
    match done {
        Ok(Activation::Activated) => Ok(see_other("/plan?done=committed")),
        Ok(Activation::NoDraft) => {
            Err(PageError::conflict("This plan is no longer a draft.").with_link("/plans", "See all plans"))
        }
        Err(why @ (Error::AlreadyActive { .. } | Error::NothingToReplace)) => {
            replace_active_page(&view, &plan, &why, &fields).await
        }
        Err(why) => Err(PageError::from(why).with_link(&again, "Look at it again")),
    }
}

fn require_draft(plan: Plan) -> Result<Plan, PageError> {
    match plan.status {
        PlanStatus::Draft => Ok(plan),
        PlanStatus::Active => {
            Err(PageError::conflict("This plan is active already.").with_link("/plan", "See how it goes"))
        }
        PlanStatus::Archived => {
            Err(PageError::conflict("This plan is archived; only a draft can be committed.")
                .with_link("/plans", "See all plans"))
        }
    }
}

/// At most one plan is active: what is there instead, and the choice to replace it.
async fn replace_active_page(
    view: &PageContext,
    plan: &Plan,
    why: &Error,
    fields: &FormFields,
) -> Result<Response, PageError> {
    let active = view.store().find_active_plan(view.user()).await?;
    let said = to_sentence(why);
    let rest = fields.to_query(&["replaces"]);
    let address = |replaces: Option<PlanId>| {
        let own = replaces.map(|id| format!("replaces={id}")).unwrap_or_default();
        let all: Vec<&str> =
            [own.as_str(), rest.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        format!("/plans/{}/commit?{}", plan.id, all.join("&"))
    };
    let body = html! {
        section.card.ask role="alert" {
            h1 { (said) }
            @match &active {
                Some(active) => {
                    p { b { (escape_invisible(&active.name)) } " is tracked"
                        @if let Some(at) = active.activated_at { " since " (time::clock_or_date(at, view.profile.zone, view.today)) }
                        ", and only one plan can be. Nothing was changed." }
                    p.actions {
                        a.btn href="/plan" { "Keep " (escape_invisible(&active.name)) }
                        a.btn.primary href=(address(Some(active.id))) { "Replace it…" }
                    }
                }
                None => {
                    p { "No plan is active by now, so nothing has to give way. Nothing was changed." }
                    p.actions { a.btn.primary href=(address(None)) { "Look at it again" } }
                }
            }
        }
    };
    Ok(with_status(view.page(NavItem::Plan, &said, &body), StatusCode::CONFLICT))
}

/// `GET /plans/{id}/archive`
pub(crate) async fn confirm_archive(
    view: PageContext,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let plan = require_archivable(draft::find_plan(&view, &id).await?)?;
    let action = format!("/plans/{}/archive", plan.id);
    let asking = ConfirmationPage {
        title: "Archive this plan?",
        description: html! { p { (plan.describe_archiving()) } p.soft { "You can draft and commit another one whenever you like." } },
        decision: plan_decision(ActionKind::Archive, &plan),
        action: &action,
        fields: html! {},
        confirm_label: "Archive",
        is_destructive: false,
        back_link: ("/plan", "Keep following it"),
    };
    asking.render(&view).await
}

/// `POST /plans/{id}/archive`
pub(crate) async fn archive(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let plan = require_archivable(draft::find_plan(&view, &id).await?)?;
    let again = |no: PageError| no.with_link("/plan", "Look at it again");
    let consent =
        plan_decision(ActionKind::Archive, &plan).verify_confirmation(&view, &fields).await.map_err(again)?;
    human_actions::archive(consent, plan.id).await.map_err(|why| again(why.into()))?;
    Ok(see_other(&format!("/plans/{}?done=archived", plan.id)))
}

/// `GET /plans/{id}/delete`
pub(crate) async fn confirm_delete(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let plan = require_deletable(draft::find_plan(&view, &id).await?)?;
    let (action, back) = (format!("/plans/{}/delete", plan.id), format!("/plans/{}", plan.id));
    let asking = ConfirmationPage {
        title: "Delete this plan?",
        description: html! { p { (plan.describe_deletion()) } p.soft { "This cannot be undone. Your activities stay." } },
        decision: plan_decision(ActionKind::Delete, &plan),
        action: &action,
        fields: html! {},
        confirm_label: "Delete for good",
        is_destructive: true,
        back_link: (&back, "Keep it"),
    };
    asking.render(&view).await
}

/// `POST /plans/{id}/delete`
pub(crate) async fn delete(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let plan = require_deletable(draft::find_plan(&view, &id).await?)?;
    let again = |no: PageError| no.with_link(format!("/plans/{}", plan.id), "Look at it again");
    let consent =
        plan_decision(ActionKind::Delete, &plan).verify_confirmation(&view, &fields).await.map_err(again)?;
    human_actions::delete(consent, plan.id).await.map_err(|why| again(why.into()))?;
    Ok(see_other("/plans?done=deleted"))
}

fn plan_decision(kind: ActionKind, plan: &Plan) -> Decision {
    Decision { kind, plan: Some(plan.id), shown_hash: plan_state_hash(plan) }
}

fn require_archivable(plan: Plan) -> Result<Plan, PageError> {
    let (said, to) = match plan.status {
        PlanStatus::Active => return Ok(plan),
        PlanStatus::Draft => (
            "This plan is a draft. Only the active plan is archived; a draft is deleted.",
            format!("/plans/{}", plan.id),
        ),
        PlanStatus::Archived => ("This plan is archived already.", format!("/plans/{}", plan.id)),
    };
    Err(PageError::conflict(said).with_link(to, "Look at it"))
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
