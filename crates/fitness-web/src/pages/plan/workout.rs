//! `GET /plan/workouts/{id}`: one workout, what to do, what was done, and what to change.

use crate::charts::steps as bars;
use crate::components::{author_label, chip, time};
use crate::http::error::Problem;
use crate::http::extract::Path;
use crate::http::form::Fields;
use crate::http::response::{download, number, see_other};
use crate::page::{Place, View};
use crate::pages::plan::{export, workout_edit};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::adherence::{Comparison, NotCompared, NoteKind, Offer, compare_steps};
use fitness_core::domain::ids::{ActivityId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::export::steps as step_lines;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout, StepType, track};
use fitness_store::{Error, Progress, StoredActivity};
use maud::{Markup, html};

/// A workout with the plan that has it.
pub(crate) struct Found {
    pub(crate) plan: Plan,
    pub(crate) id: WorkoutId,
}

/// The plan of theirs that has a workout now.
pub(crate) async fn find(view: &View, id: &str) -> Result<Found, Problem> {
    let id: WorkoutId = number(id)?;
    let plan = view.store().find_plan_with(view.user(), id).await?.ok_or_else(Problem::not_found)?;
    Ok(Found { plan, id })
}

pub(crate) async fn show(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let Found { plan, id } = find(&view, &id).await?;
    let progress = view.store().progress(view.user(), plan.id).await?;
    let at = progress.workouts.iter().position(|planned| planned.id == id).ok_or_else(Problem::not_found)?;
    let planned = &progress.workouts[at];
    let done = done(&view, &progress, at).await?;
    let author = view.store().find_words_author(view.user(), &plan).await?;
    let body = html! {
        (head(&view, &progress, at, author))
        (what_to_do(&view, &plan, planned, done.iter().any(|one| one.compared.is_ok()), author))
        (what_was_done(&view, &progress, at, &done))
        @if workout_edit::may_change(&plan, planned, view.today) {
            section.card #edit { h2 { "Change it" } (workout_edit::form(&view, &plan, &progress.workouts, planned)) }
        }
    };
    Ok(view.page(Place::Plan, &visible(&planned.workout.name).to_string(), &body))
}

fn head(view: &View, progress: &Progress, at: usize, author: Option<Author>) -> Markup {
    let (plan, workout) = (&progress.plan, &progress.workouts[at].workout);
    let to =
        if plan.status == PlanStatus::Active { "/plan".to_owned() } else { format!("/plans/{}", plan.id) };
    html! {
        p.small { a href=(to) { (visible(&plan.name)) } " " @if plan.status != PlanStatus::Active { (chip::status(plan.status)) } }
        div.row {
            h1 { (visible(workout.name_beside_size(view.units()))) }
            @if let Some(graded) = progress.followed.graded.get(at) { (chip::verdict(graded, view.today)) }
            (author_label::label(author))
        }
        p.lead { (time::element(workout.date, view.today)) " · " (workout.sport) @if workout.key { " · a session the week hangs on" } }
    }
}

fn what_to_do(
    view: &View,
    plan: &Plan,
    planned: &PlannedWorkout,
    compared: bool,
    author: Option<Author>,
) -> Markup {
    let (units, workout) = (view.units(), &planned.workout);
    let lines: Vec<String> =
        step_lines(&workout.steps, units).iter().map(|step| visible(step).to_string()).collect();
    let missing = |why: &'static str| html! { span title=(why) { "—" } };
    html! {
        section.card {
            h2 { "What to do" }
            @if workout.is_rest() { p { "Nothing. Rest is part of the plan." } }
            @else {
                dl.facts {
                    div { dt { "Distance" } dd { @match workout.distance { Some(far) => b { (units.distance_of(workout.sport, far)) }, None => (missing("this workout goes by time or feel")) } } }
                    div { dt { "Time" } dd { @match workout.duration { Some(time) => b { (time.hours_minutes()) }, None => (missing("this workout goes by distance")) } } }
                    div { dt { "Load" } dd { @match workout.load { Some(load) => b { (format!("{load:.0}")) }, None => (missing("the plan does not say how hard it will be")) } } }
                    @if let Some(words) = &workout.intensity { div { dt { "Effort" } dd { (visible(words)) } } }
                }
                @if !workout.steps.is_empty() {
                    (bars::draw(workout, &lines.join("; ")))
                    @if !compared { ol.steps-list { @for line in &lines { li { (line) } } } }
                }
            }
            @if let Some(words) = &workout.description { p { (visible(words)) " " (author_label::label(author)) } }
            p.actions {
                (export::to_watch(view, planned, plan.status == PlanStatus::Active))
                a.btn href={ "/coach?about=workout:" (planned.id) } { "Ask the coach" }
                @if plan.status == PlanStatus::Active && planned.workout.date >= view.today { a.btn href={ "/plan/edit?day=" (workout.date) } { "Add another" } }
            }
        }
    }
}

/// An activity that counts, beside the steps.
struct Beside {
    stored: StoredActivity,
    compared: Result<Comparison, NotCompared>,
}

async fn done(view: &View, progress: &Progress, at: usize) -> Result<Vec<Beside>, Problem> {
    let planned = &progress.workouts[at];
    let mut all = Vec::new();
    for id in progress.followed.behind.get(at).into_iter().flat_map(|behind| &behind.activities) {
        let Some(stored) = view.store().find_activity(view.user(), *id).await? else { continue };
        let compared = if planned.workout.steps.is_empty() {
            Err(NotCompared::NoSteps)
        } else {
            let recording = view.store().find_recording(view.user(), *id).await?;
            compare_steps(&planned.workout.steps, &stored.activity.laps, recording.as_ref())
        };
        all.push(Beside { stored, compared });
    }
    Ok(all)
}

fn what_was_done(view: &View, progress: &Progress, at: usize, done: &[Beside]) -> Markup {
    let (planned, followed) = (&progress.workouts[at], &progress.followed);
    let graded = followed.graded.get(at);
    let matched = followed.behind.get(at).and_then(|behind| behind.matched);
    let offer = followed.offers.iter().find(|offer| offer.workout == planned.id);
    let notes: Vec<NoteKind> =
        followed.notes.iter().filter(|note| note.workout == planned.id).map(|note| note.kind).collect();
    if done.is_empty() && offer.is_none() && notes.is_empty() {
        return html! {};
    }
    html! {
        section.card {
            h2 { "Planned and done" }
            @if let Some(graded) = graded {
                @if let (Some(planned), Some(actual)) = (graded.planned, graded.actual) {
                    p { b { (actual.shown(view.units())) } " of " (planned.shown(view.units())) " " (chip::verdict(graded, view.today)) }
                }
            }
            @for note in notes { @if let Some(said) = note.spoken() { p.soft { (said) } } }
            @if let Some(offer) = offer { (offered(view, offer)) }
            @for one in done { (beside(view, one)) }
            @if matched.is_some() {
                form.inline method="post" action={ "/plan/workouts/" (planned.id) "/unmatch" } {
                    (view.token_field())
                    button.small type="submit" { "It was not this workout" }
                }
            }
        }
    }
}

fn offered(view: &View, offer: &Offer) -> Markup {
    let size = offer.done.map(|done| done.shown(view.units()));
    html! {
        form.offer method="post" action={ "/plan/workouts/" (offer.workout) "/match" } {
            (view.token_field())
            input type="hidden" name="activity" value=(offer.activity);
            p { "Count " a href={ "/activities/" (offer.activity) } { (time::element(offer.done_day, view.today)) @if let Some(size) = size { ", " (size) } } " for this?" }
            p.actions {
                button name="answer" value="yes" type="submit" { "Yes, it was this workout" }
                button name="answer" value="no" type="submit" { "No" }
            }
        }
    }
}

fn beside(view: &View, one: &Beside) -> Markup {
    let (stored, units) = (&one.stored, view.units());
    html! {
        h3 {
            a href={ "/activities/" (stored.id) } { (stored.activity.name.as_deref().map_or_else(|| "Activity".to_owned(), |name| visible(name).to_string())) }
            " " small.soft { (time::element(stored.day, view.today)) @if let Some(time) = stored.activity.training_time() { " · " (time.clock()) } }
        }
        @match &one.compared {
            Ok(compared) => (step_table(compared, units)),
            Err(NotCompared::NoSteps) => {}
            Err(why) => p.soft { "The steps cannot be compared: " (why.spoken()) "." }
        }
    }
}

/// The steps beside what was recorded. Where nothing was aimed at, nothing is said about it.
pub(crate) fn step_table(compared: &Comparison, units: UnitSystem) -> Markup {
    let aims = compared.steps.iter().any(|result| !result.step.target_words(units).is_empty());
    let judged = compared.steps.iter().any(|result| !result.told().is_empty());
    html! {
        div.scroll tabindex="0" role="region" aria-label="Steps, which may be wider than the screen" { table.small {
            caption.soft { "By its " (compared.aligned_by) }
            thead { tr {
                th scope="col" { "Step" } th.n scope="col" { "Asked" } @if aims { th scope="col" { "Target" } } th.n scope="col" { "Time" }
                th.n scope="col" { "Distance" } th.n scope="col" { "Pace" } th.n scope="col" { "Heart rate" } @if judged { th scope="col" { "Target kept" } }
            } }
            tbody {
                @for result in &compared.steps {
                    @let actual = result.actual.unwrap_or_default();
                    tr {
                        th scope="row" { (result.number) @if result.step.step_type != StepType::Active { " " (result.step.step_type.spoken()) } }
                        td.n { (result.step.length(units)) }
                        @if aims { td { (result.step.target_words(units)) } }
                        td.n { (or_none(actual.duration.map(TimeSpan::clock))) }
                        td.n { (or_none(actual.distance.map(|far| track(far, units)))) }
                        td.n { (or_none(actual.pace.map(|pace| units.pace(pace).to_string()))) }
                        td.n { (or_none(actual.heart_rate.map(|bpm| format!("{bpm:.0} bpm")))) }
                        @if judged { td { (result.told()) } }
                    }
                }
            }
        } }
    }
}

fn or_none(value: Option<String>) -> Markup {
    html! { @match value { Some(value) => (value), None => span title="not measured in this step" { "—" } } }
}

/// `POST /plan/workouts/{id}/match`
pub(crate) async fn answer(view: View, Path(id): Path<String>, fields: Fields) -> Result<Response, Problem> {
    let Found { plan, id } = find(&view, &id).await?;
    let activity: ActivityId = number(fields.text("activity").unwrap_or_default())?;
    let yes = match fields.text("answer") {
        Some("yes") => true,
        Some("no") => false,
        _ => {
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "Say yes or no.")
                .go_on(format!("/plan/workouts/{id}"), "Back to the workout"));
        }
    };
    let back = format!("/plan/workouts/{id}");
    let said = view.store().put_match(view.user(), plan.id, id, activity, yes, view.now).await;
    said.map_err(|why| conflict(why).go_on(back.as_str(), "Back to the workout"))?;
    Ok(see_other(&format!("{back}?done={}", if yes { "matched" } else { "not-matched" })))
}

fn conflict(why: Error) -> Problem {
    match why {
        Error::AlreadyMatched { .. } => Problem::conflict(crate::http::error::sentence(&why)),
        other => other.into(),
    }
}

/// `POST /plan/workouts/{id}/unmatch`
pub(crate) async fn take_back(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let Found { plan, id } = find(&view, &id).await?;
    view.store().remove_match(view.user(), plan.id, id, view.now).await?;
    Ok(see_other(&format!("/plan/workouts/{id}?done=unmatched")))
}

/// `GET /plan/workouts/{id}/workout.fit`
pub(crate) async fn fit(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let Found { plan, id } = find(&view, &id).await?;
    let files = export::of(&view, plan).await?;
    let planned = files.workouts.iter().find(|planned| planned.id == id).ok_or_else(Problem::not_found)?;
    let made = files.workout(planned).map_err(|why| export::no_file(&why))?;
    Ok(download(&made.name, export::FIT, made.bytes))
}
