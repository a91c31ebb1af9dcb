//! `GET /plan/revisions`: how a plan came to be what it is, and the way back.

use crate::auth::confirmation::Decision;
use crate::components::confirm::Asking;
use crate::components::diff::Shown;
use crate::components::{author_label, findings, time};
use crate::http::error::{Problem, sentence};
use crate::http::extract::Path;
use crate::http::form::{Asked, Fields};
use crate::http::response::{number, see_other};
use crate::page::{Place, View};
use crate::pages::plan::list;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::{
    ActionKind, NextWorkout, Plan, PlanStatus, PlannedWorkout, ProposalOrigin, Revision, differences,
    revert as back, week_deltas,
};
use fitness_store::plan::human_actions::{self, change_hash};
use maud::{Markup, html};

pub(crate) async fn list(view: View, asked: Asked) -> Result<Response, Problem> {
    let plan = list::meant(&view, &asked).await?;
    let revisions = view.store().list_revisions(view.user(), plan.id).await?;
    let active = plan.status == PlanStatus::Active;
    let author = view.store().find_words_author(view.user(), &plan).await?;
    let body = html! {
        h1 { "Revisions" }
        p.lead { (visible(&plan.name)) " " (author_label::label(author)) " Every change is a revision of its own; nothing is ever written over." }
        section.card {
            ul.revisions {
                @for revision in &revisions {
                    li data-row {
                        div { (row(&view, &plan, revision)) }
                        @if active && revision.number < plan.revision {
                            a.btn.small href={ "/plan/revert?to=" (revision.number) } { "Go back to this…" }
                        }
                    }
                }
            }
        }
    };
    Ok(view.page(Place::Plan, "Revisions", &body))
}

fn row(view: &View, plan: &Plan, revision: &Revision) -> Markup {
    let query = if plan.status == PlanStatus::Active { String::new() } else { format!("?plan={}", plan.id) };
    html! {
        a href={ "/plan/revisions/" (revision.number) (query) } { b { "Revision " (revision.number) } }
        @if revision.number == plan.revision { " " span.chip.active { "Now" } }
        p.meta {
            span { (time::moment(revision.made_at, view.profile.zone, view.today)) }
            span { "from " (revision.told_origin()) }
            @if let Some(reason) = &revision.reason {
                span { "“" (visible(reason)) "” " (author_label::label(revision.proposed_by.map(ProposalOrigin::author))) }
            }
        }
    }
}

/// `GET /plan/revisions/{number}`: what one of them changed.
pub(crate) async fn show(view: View, Path(text): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let plan = list::meant(&view, &asked).await?;
    let wanted: i64 = number(&text)?;
    let revisions = store.list_revisions(user, plan.id).await?;
    let revision =
        revisions.iter().find(|revision| revision.number == wanted).ok_or_else(Problem::not_found)?;
    let then = next(&store.list_workouts(user, plan.id, wanted).await?);
    let before = if wanted > 1 { store.list_workouts(user, plan.id, wanted - 1).await? } else { Vec::new() };
    let shown = Shown { units: view.units(), today };
    let easy = store.background_of(user, &plan, today).await?.easy_pace();
    let author = store.find_words_author(user, &plan).await?;
    let is_now = plan.status == PlanStatus::Active && wanted == plan.revision;
    let body = html! {
        h1 { "Revision " (wanted) }
        p.lead { (visible(&plan.name)) " " (author_label::label(author)) }
        section.card {
            (row(&view, &plan, revision))
            @if wanted == 1 { p { "This is the plan as it was drafted." } }
            @else {
                h2 { "What changed" }
                (shown.rows(&differences(&before, &then)))
                (shown.weeks(&week_deltas(&before, &then, easy)))
            }
            p.actions {
                a.btn.primary href="/plan" { "To the plan" }
                @if is_now && wanted > 1 { a.btn href={ "/plan/revert?to=" (wanted - 1) } { "Undo: back to revision " (wanted - 1) "…" } }
                a.btn href="/plan/revisions" { "All revisions" }
            }
        }
    };
    Ok(view.page(Place::Plan, &format!("Revision {wanted}"), &body))
}

fn next(workouts: &[PlannedWorkout]) -> Vec<NextWorkout> {
    workouts.iter().map(|w| NextWorkout { id: Some(w.id), workout: w.workout.clone() }).collect()
}

/// The way back to an older revision.
struct Back {
    plan: Plan,
    to: i64,
    current: Vec<PlannedWorkout>,
    next: Vec<NextWorkout>,
    /// Whether days that are over are not as they were then.
    past_kept: bool,
}

impl Back {
    async fn find(view: &View, fields: &Fields) -> Result<Self, Problem> {
        let (store, user, today) = (view.store(), view.user(), view.today);
        let plan = store.find_active_plan(user).await?.ok_or_else(list::none_active)?;
        let to: i64 = number(fields.text("to").unwrap_or_default())?;
        if !(1..plan.revision).contains(&to) {
            return Err(Problem::not_found().go_on("/plan/revisions", "See the revisions"));
        }
        let current = store.list_workouts(user, plan.id, plan.revision).await?;
        let old = store.list_workouts(user, plan.id, to).await?;
        let next = back(&plan, &current, &old, today).map_err(|why| {
            Problem::conflict(format!("The plan cannot go back to revision {to}: {}", sentence(&why)))
                .go_on("/plan/revisions", "See the revisions")
        })?;
        let past_kept = over(&current, today) != over(&old, today);
        Ok(Self { plan, to, current, next, past_kept })
    }

    fn decision(&self) -> Decision {
        let seen = change_hash(self.plan.id, self.plan.revision, &self.next);
        Decision { kind: ActionKind::Revert, plan: Some(self.plan.id), seen }
    }
}

fn over(workouts: &[PlannedWorkout], today: Day) -> Vec<&PlannedWorkout> {
    workouts.iter().filter(|planned| planned.workout.date < today).collect()
}

/// `GET /plan/revert?to=…`
pub(crate) async fn ask(view: View, Asked(fields): Asked) -> Result<Response, Problem> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let found = Back::find(&view, &fields).await?;
    let review = store.review_next(user, &found.plan, &found.next, today).await?;
    let before = store.review(user, found.plan.id, today).await?;
    let easy = store.background_of(user, &found.plan, today).await?.easy_pace();
    let shown = Shown { units: view.units(), today };
    let what = html! {
        (shown.rows(&differences(&found.current, &found.next)))
        (shown.weeks(&week_deltas(&found.current, &found.next, easy)))
        @if found.past_kept { p { "What was planned for days before today stays as it is now." } }
        (findings::since(review.findings(), before.findings()))
        p.soft { "It is saved as revision " (found.plan.revision + 1) "; nothing is lost." }
    };
    let title = format!("Go back to revision {}?", found.to);
    let asking = Asking {
        title: &title,
        what,
        decision: found.decision(),
        action: "/plan/revert",
        fields: html! { input type="hidden" name="to" value=(found.to); },
        yes: "Go back",
        danger: false,
        back: ("/plan/revisions", "Leave it as it is"),
    };
    asking.page(&view).await
}

/// `POST /plan/revert`
pub(crate) async fn revert(view: View, fields: Fields) -> Result<Response, Problem> {
    let found = Back::find(&view, &fields).await?;
    let again = |no: Problem| no.go_on(format!("/plan/revert?to={}", found.to), "Look at it again");
    let consent = found.decision().answered(&view, &fields).await.map_err(again)?;
    let number = human_actions::revert(consent, found.plan.id, found.plan.revision, found.to, view.today)
        .await
        .map_err(|why| again(why.into()))?;
    Ok(see_other(&format!("/plan/revisions/{number}?done=reverted")))
}
