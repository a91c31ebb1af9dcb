//! Commit, archive, delete: a page that asks, and the answer. Each names what will happen and to which plan.

use crate::auth::confirmation::Decision;
use crate::components::confirm::Asking;
use crate::components::time;
use crate::http::error::{Problem, sentence};
use crate::http::extract::Path;
use crate::http::form::{Asked, Faults, Fields};
use crate::http::response::{see_other, unprocessable, with_status};
use crate::page::{Place, View};
use crate::pages::plan::draft;
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, Plan, PlanStatus};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::{Error, seen_hash};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// What a commit is about besides the draft.
#[derive(Debug, Default)]
struct Choice {
    replaces: Option<PlanId>,
    begin: Option<Day>,
    overrides: BTreeSet<Rule>,
}

impl Choice {
    /// Reads it. `begin` is a day, `today` or `planned`.
    fn read(fields: &Fields, today: Day) -> Result<Self, Problem> {
        let begin = match fields.text("begin") {
            None | Some("planned") => None,
            Some("today") => Some(today),
            Some(day) => Some(day.parse().map_err(|_| Problem::not_found())?),
        };
        Ok(Self {
            replaces: fields.text("replaces").map(crate::http::response::number).transpose()?,
            begin,
            overrides: overrides(fields)?,
        })
    }

    fn decision(&self, plan: &Plan) -> Decision {
        let seen = human_actions::activation_hash(
            plan.id,
            plan.content_hash,
            self.replaces,
            self.begin,
            &self.overrides,
        );
        Decision { kind: ActionKind::Activate, plan: Some(plan.id), seen }
    }

    fn hidden(&self) -> Markup {
        html! {
            @if let Some(old) = self.replaces { input type="hidden" name="replaces" value=(old); }
            @if let Some(day) = self.begin { input type="hidden" name="begin" value=(day); }
            @for rule in &self.overrides { input type="hidden" name="override" value=(rule); }
        }
    }
}

/// The rules that are overridden by name.
pub(crate) fn overrides(fields: &Fields) -> Result<BTreeSet<Rule>, Problem> {
    fields.all("override").map(|rule| rule.parse().map_err(|_| Problem::not_found())).collect()
}

/// `GET /plans/{id}/commit`
pub(crate) async fn ask_commit(
    view: View,
    Path(id): Path<String>,
    Asked(fields): Asked,
) -> Result<Response, Problem> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let plan = draft(draft::find(&view, &id).await?)?;
    let mut choice = Choice::read(&fields, today)?;
    let active = store.find_active_plan(user).await?;
    if let Err(why) = human_actions::check_replaces(active.as_ref().map(|plan| plan.id), choice.replaces) {
        return already_active(&view, &plan, &why, &fields).await;
    }
    if plan.race_date < today {
        return draft::page(&view, &plan, &fields, &Faults::default()).await.map(unprocessable);
    }
    let workouts = store.list_workouts(user, plan.id, plan.revision).await?;
    let review = store.review(user, plan.id, today).await?;
    let behind = plan.behind(&workouts, today);
    let mut faults = Faults::default();
    if !review.left(&choice.overrides).is_empty() {
        faults.add("override", "Tick each error you go ahead against, or ask for another plan.");
    }
    if behind.is_some() && !matches!(fields.text("begin"), Some("today" | "planned")) {
        faults.add("begin", "Say whether it begins today or as planned.");
    }
    if faults.any() {
        return draft::page(&view, &plan, &fields, &faults).await.map(unprocessable);
    }
    choice.begin = choice.begin.filter(|_| behind.is_some());
    let what = html! {
        p { b { (visible(&plan.name)) } " becomes the plan you follow: " (list::aim(&view, &plan)) ". From then on your training is held against it, as far as your data reaches." }
        @if let Some(behind) = behind { p { (plan.told_beginning(behind, choice.begin)) } }
        @if let Some(old) = &active { p { strong { "It archives " (visible(&old.name)) "." } " You keep that plan, with its verdicts; it is no longer tracked." } }
        @for rule in &choice.overrides { p { "You override " (rule) ": " (rule.metric()) "." } }
    };
    let (action, back) = (format!("/plans/{}/commit", plan.id), format!("/plans/{}", plan.id));
    let asking = Asking {
        title: "Commit this plan?",
        what,
        decision: choice.decision(&plan),
        action: &action,
        fields: choice.hidden(),
        yes: if active.is_some() { "Commit and archive the other" } else { "Commit" },
        danger: false,
        back: (&back, "Not yet"),
    };
    asking.page(&view).await
}

/// `POST /plans/{id}/commit`
pub(crate) async fn commit(view: View, Path(id): Path<String>, fields: Fields) -> Result<Response, Problem> {
    let plan = draft(draft::find(&view, &id).await?)?;
    let choice = Choice::read(&fields, view.today)?;
    let review = view.store().review(view.user(), plan.id, view.today).await?;
    let again = format!("/plans/{}", plan.id);
    let consent = choice
        .decision(&plan)
        .answered(&view, &fields)
        .await
        .map_err(|no| no.go_on(&again, "Look at it again"))?;
    let done =
        human_actions::activate(consent, plan.id, choice.replaces, choice.begin, &review, &choice.overrides)
            .await;
    match done {
        Ok(Activation::Activated) => Ok(see_other("/plan?done=committed")),
        Ok(Activation::NoDraft) => {
            Err(Problem::conflict("This plan is no longer a draft.").go_on("/plans", "See all plans"))
        }
        Err(why @ (Error::AlreadyActive { .. } | Error::NothingToReplace)) => {
            already_active(&view, &plan, &why, &fields).await
        }
        Err(why) => Err(Problem::from(why).go_on(&again, "Look at it again")),
    }
}

fn draft(plan: Plan) -> Result<Plan, Problem> {
    match plan.status {
        PlanStatus::Draft => Ok(plan),
        PlanStatus::Active => {
            Err(Problem::conflict("This plan is active already.").go_on("/plan", "See how it goes"))
        }
        PlanStatus::Archived => {
            Err(Problem::conflict("This plan is archived; only a draft can be committed.")
                .go_on("/plans", "See all plans"))
        }
    }
}

/// At most one plan is active: what is there instead, and the choice to replace it.
async fn already_active(view: &View, plan: &Plan, why: &Error, fields: &Fields) -> Result<Response, Problem> {
    let active = view.store().find_active_plan(view.user()).await?;
    let said = sentence(why);
    let rest = fields.query(&["replaces"]);
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
                    p { b { (visible(&active.name)) } " is tracked"
                        @if let Some(at) = active.activated_at { " since " (time::moment(at, view.profile.zone, view.today)) }
                        ", and only one plan can be. Nothing was changed." }
                    p.actions {
                        a.btn href="/plan" { "Keep " (visible(&active.name)) }
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
    Ok(with_status(view.page(Place::Plan, &said, &body), StatusCode::CONFLICT))
}

/// `GET /plans/{id}/archive`
pub(crate) async fn ask_archive(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let plan = archivable(draft::find(&view, &id).await?)?;
    let action = format!("/plans/{}/archive", plan.id);
    let asking = Asking {
        title: "Archive this plan?",
        what: html! { p { (plan.told_archiving()) } p.soft { "You can draft and commit another one whenever you like." } },
        decision: whole(ActionKind::Archive, &plan),
        action: &action,
        fields: html! {},
        yes: "Archive",
        danger: false,
        back: ("/plan", "Keep following it"),
    };
    asking.page(&view).await
}

/// `POST /plans/{id}/archive`
pub(crate) async fn archive(view: View, Path(id): Path<String>, fields: Fields) -> Result<Response, Problem> {
    let plan = archivable(draft::find(&view, &id).await?)?;
    let again = |no: Problem| no.go_on("/plan", "Look at it again");
    let consent = whole(ActionKind::Archive, &plan).answered(&view, &fields).await.map_err(again)?;
    human_actions::archive(consent, plan.id).await.map_err(|why| again(why.into()))?;
    Ok(see_other(&format!("/plans/{}?done=archived", plan.id)))
}

/// `GET /plans/{id}/delete`
pub(crate) async fn ask_delete(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let plan = deletable(draft::find(&view, &id).await?)?;
    let (action, back) = (format!("/plans/{}/delete", plan.id), format!("/plans/{}", plan.id));
    let asking = Asking {
        title: "Delete this plan?",
        what: html! { p { (plan.told_deleting()) } p.soft { "This cannot be undone. Your activities stay." } },
        decision: whole(ActionKind::Delete, &plan),
        action: &action,
        fields: html! {},
        yes: "Delete for good",
        danger: true,
        back: (&back, "Keep it"),
    };
    asking.page(&view).await
}

/// `POST /plans/{id}/delete`
pub(crate) async fn delete(view: View, Path(id): Path<String>, fields: Fields) -> Result<Response, Problem> {
    let plan = deletable(draft::find(&view, &id).await?)?;
    let again = |no: Problem| no.go_on(format!("/plans/{}", plan.id), "Look at it again");
    let consent = whole(ActionKind::Delete, &plan).answered(&view, &fields).await.map_err(again)?;
    human_actions::delete(consent, plan.id).await.map_err(|why| again(why.into()))?;
    Ok(see_other("/plans?done=deleted"))
}

fn whole(kind: ActionKind, plan: &Plan) -> Decision {
    Decision { kind, plan: Some(plan.id), seen: seen_hash(plan) }
}

fn archivable(plan: Plan) -> Result<Plan, Problem> {
    let (said, to) = match plan.status {
        PlanStatus::Active => return Ok(plan),
        PlanStatus::Draft => (
            "This plan is a draft. Only the active plan is archived; a draft is deleted.",
            format!("/plans/{}", plan.id),
        ),
        PlanStatus::Archived => ("This plan is archived already.", format!("/plans/{}", plan.id)),
    };
    Err(Problem::conflict(said).go_on(to, "Look at it"))
}

fn deletable(plan: Plan) -> Result<Plan, Problem> {
    if plan.status == PlanStatus::Active {
        let archive = format!("/plans/{}/archive", plan.id);
        return Err(Problem::conflict("This plan is active. Archive it first.").go_on(archive, "Archive it…"));
    }
    Ok(plan)
}
