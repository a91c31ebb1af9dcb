//! `GET /plan/revisions`: the history of a plan, and reverting to an older revision.

use crate::auth::confirmation::{redeem, web_request};
use crate::components::confirm::ConfirmationPage;
use crate::components::core_message::{for_page, sentence};
use crate::components::diff::DiffView;
use crate::components::{author_label, findings, time};
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::{FormFields, QueryFields};
use crate::http::response::{parse_id, see_other};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::list;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{
    HumanActionKind, NextRevisionWorkout, Plan, PlanStatus, PlannedWorkout, ProposalOrigin, Revision,
    RevisionOrigin, diff_workouts, revert as back, week_deltas,
};
use fitness_store::plan::consent::ConfirmationRequest;
use fitness_store::plan::human_actions::{self, change_hash};
use maud::{Markup, html};

pub(crate) async fn list(view: PageContext, asked: QueryFields) -> Result<Response, PageError> {
    let plan = list::find_requested_plan(&view, &asked).await?;
    let revisions = view.store().list_revisions(view.user(), plan.id).await?;
    let active = plan.status == PlanStatus::Active;
    let author = view.store().find_text_author(view.user(), &plan).await?;
    let body = html! {
        h1 { "Revisions" }
        p.lead { (escape_invisible(&plan.name)) " " (author_label::render_for_plan(&plan, author)) " · Every change is kept." }
        section.card {
            ul.revisions {
                @for revision in &revisions {
                    li data-row {
                        div { (row(&view, &plan, revision)) }
                        @if active && revision.number < plan.revision {
                            a.btn.small href={ "/plan/revert?to=" (revision.number) } { "Revert to this…" }
                        }
                    }
                }
            }
        }
    };
    Ok(view.page(NavItem::Plan, "Revisions", &body))
}

fn row(view: &PageContext, plan: &Plan, revision: &Revision) -> Markup {
    let query = if plan.status == PlanStatus::Active { String::new() } else { format!("?plan={}", plan.id) };
    html! {
        a href={ "/plan/revisions/" (revision.number) (query) } { b { "Revision " (revision.number) } }
        @if revision.number == plan.revision { " " span.chip.active { "Current" } }
        p.meta {
            span { (time::clock_or_date(revision.made_at, view.profile.zone, view.today)) }
            span { (origin(revision)) }
            @if let Some(reason) = revision.given_reason() {
                span { "“" (escape_invisible(&for_page(reason))) "” " (author_label::render(revision.proposed_by.map(ProposalOrigin::author))) }
            }
        }
    }
}

fn origin(revision: &Revision) -> Markup {
    let proposal = |label: &str| {
        html! {
            @match revision.proposal {
                Some(id) => a href={ "/proposals/" (id) } { (label) },
                None => (label),
            }
        }
    };
    match revision.origin {
        RevisionOrigin::Draft => html! { "original draft" },
        RevisionOrigin::Apply => html! { (proposal("proposal")) " applied by you" },
        RevisionOrigin::Edit => html! { "edited by you" },
        RevisionOrigin::Revert => html! { "reverted by you" },
    }
}

/// `GET /plan/revisions/{number}`: the changes of one revision.
pub(crate) async fn show(
    view: PageContext,
    Path(text): Path<String>,
    asked: QueryFields,
) -> Result<Response, PageError> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let plan = list::find_requested_plan(&view, &asked).await?;
    let wanted: i64 = parse_id(&text)?;
    let revisions = store.list_revisions(user, plan.id).await?;
    let revision =
        revisions.iter().find(|revision| revision.number == wanted).ok_or_else(PageError::not_found)?;
    let then = to_next_workouts(&store.list_workouts(user, plan.id, wanted).await?);
    let before = if wanted > 1 { store.list_workouts(user, plan.id, wanted - 1).await? } else { Vec::new() };
    let shown = DiffView { units: view.units(), today };
    let easy = store.training_baseline_for_plan(user, &plan, today).await?.easy_pace();
    let author = store.find_text_author(user, &plan).await?;
    let is_now = plan.status == PlanStatus::Active && wanted == plan.revision;
    let body = html! {
        h1 { "Revision " (wanted) }
        p.lead { (escape_invisible(&plan.name)) " " (author_label::render_for_plan(&plan, author)) }
        section.card {
            (row(&view, &plan, revision))
            @if wanted == 1 { p { "The plan as drafted." } }
            @else {
                h2 { "What changed" }
                (shown.rows(&diff_workouts(&before, &then)))
                (shown.weeks(&week_deltas(&before, &then, easy)))
            }
            p.actions {
                a.btn.primary href="/plan" { "Open plan" }
                @if is_now && wanted > 1 { a.btn href={ "/plan/revert?to=" (wanted - 1) } { "Undo (revert to revision " (wanted - 1) ")…" } }
                a.btn href="/plan/revisions" { "All revisions" }
            }
        }
    };
    Ok(view.page(NavItem::Plan, &format!("Revision {wanted}"), &body))
}

fn to_next_workouts(workouts: &[PlannedWorkout]) -> Vec<NextRevisionWorkout> {
    workouts.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect()
}

struct RevertPreview {
    plan: Plan,
    target_revision: i64,
    current: Vec<PlannedWorkout>,
    next: Vec<NextRevisionWorkout>,
    /// Whether past days differ from the old revision; they are not reverted.
    keeps_past: bool,
}

impl RevertPreview {
    async fn load(view: &PageContext, fields: &FormFields) -> Result<Self, PageError> {
        let (store, user, today) = (view.store(), view.user(), view.today);
        let plan = store.find_active_plan(user).await?.ok_or_else(list::none_active)?;
        let to: i64 = parse_id(fields.get_trimmed("to").unwrap_or_default())?;
        if !(1..plan.revision).contains(&to) {
            return Err(PageError::not_found().with_link("/plan/revisions", "All revisions"));
        }
        let current = store.list_workouts(user, plan.id, plan.revision).await?;
        let old = store.list_workouts(user, plan.id, to).await?;
        let next = back(&plan, &current, &old, today).map_err(|why| {
            PageError::conflict(format!("The plan can't be reverted to revision {to}. {}", sentence(&why)))
                .with_link("/plan/revisions", "All revisions")
        })?;
        let past_kept = past_workouts(&current, today) != past_workouts(&old, today);
        Ok(Self { plan, target_revision: to, current, next, keeps_past: past_kept })
    }

    fn request(&self) -> ConfirmationRequest {
        let seen = change_hash(self.plan.id, self.plan.revision, &self.next);
        web_request(HumanActionKind::Revert, Some(self.plan.id), seen)
    }
}

fn past_workouts(workouts: &[PlannedWorkout], today: Day) -> Vec<&PlannedWorkout> {
    workouts.iter().filter(|planned| planned.workout.date < today).collect()
}

pub(crate) async fn confirm_revert(
    view: PageContext,
    QueryFields(fields): QueryFields,
) -> Result<Response, PageError> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let found = RevertPreview::load(&view, &fields).await?;
    let review = store.lint_next_revision(user, &found.plan, &found.next, today).await?;
    let before = store.lint_plan(user, found.plan.id, today).await?;
    let easy = store.training_baseline_for_plan(user, &found.plan, today).await?.easy_pace();
    let shown = DiffView { units: view.units(), today };
    let what = html! {
        (shown.rows(&diff_workouts(&found.current, &found.next)))
        (shown.weeks(&week_deltas(&found.current, &found.next, easy)))
        @if found.keeps_past { p { "Workouts before today stay as they are." } }
        (findings::render_since(review.findings(), before.findings(), found.keeps_past))
        p.soft { "This will be saved as revision " (found.plan.revision + 1) ". Earlier revisions are kept." }
    };
    let title = format!("Revert to revision {}?", found.target_revision);
    let asking = ConfirmationPage {
        title: &title,
        description: what,
        request: found.request(),
        action: "/plan/revert",
        fields: html! { input type="hidden" name="to" value=(found.target_revision); },
        confirm_label: "Revert",
        is_destructive: false,
        back_link: ("/plan/revisions", "Cancel"),
    };
    asking.render(&view)
}

pub(crate) async fn revert(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let found = RevertPreview::load(&view, &fields).await?;
    let again =
        |no: PageError| no.with_link(format!("/plan/revert?to={}", found.target_revision), "Review again");
    let consent = redeem(&view, &found.request(), &fields).await.map_err(again)?;
    let number =
        human_actions::revert(consent, found.plan.id, found.plan.revision, found.target_revision, view.today)
            .await
            .map_err(|why| again(why.into()))?;
    Ok(see_other(&format!("/plan/revisions/{number}?done=reverted")))
}
