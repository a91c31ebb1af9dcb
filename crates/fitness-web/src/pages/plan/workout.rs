//! `GET /plan/workouts/{id}`: one planned workout, what was done, and the form to edit it.

use crate::charts::steps as bars;
use crate::components::core_message::sentence;
use crate::components::{author_label, chip, time};
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::FormFields;
use crate::http::response::{download, parse_id, see_other};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::{export, workout_edit};
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::adherence::{
    CompareStepsError, MatchSuggestion, StepAlignment, StepComparison, WorkoutNoteKind, compare_steps,
};
use fitness_core::domain::ids::{ActivityId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::export::describe_steps as step_lines;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout, StepType, format_step_distance};
use fitness_core::presentation::names::activity_title;
use fitness_store::{Error, PlanAdherence, StoredActivity};
use maud::{Markup, html};

pub(crate) struct PlanWorkout {
    pub(crate) plan: Plan,
    pub(crate) id: WorkoutId,
}

/// The plan whose current revision has the workout.
pub(crate) async fn find_workout(view: &PageContext, id: &str) -> Result<PlanWorkout, PageError> {
    let id: WorkoutId = parse_id(id)?;
    let plan =
        view.store().find_plan_with_workout(view.user(), id).await?.ok_or_else(PageError::not_found)?;
    Ok(PlanWorkout { plan, id })
}

pub(crate) async fn show(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let PlanWorkout { plan, id } = find_workout(&view, &id).await?;
    let progress = view.store().plan_adherence(view.user(), plan.id).await?;
    let at =
        progress.workouts.iter().position(|planned| planned.id == id).ok_or_else(PageError::not_found)?;
    let planned = &progress.workouts[at];
    let done = load_compared_activities(&view, &progress, at).await?;
    let author = view.store().find_text_author(view.user(), &plan).await?;
    let body = html! {
        (head(&view, &progress, at, author))
        (planned_card(&view, &plan, planned, done.iter().any(|one| one.comparison.is_ok()), author))
        (done_card(&view, &progress, at, &done))
        @if workout_edit::can_edit(&plan, planned, view.today) {
            section.card #edit { h2 { "Edit" } (workout_edit::form(&view, &plan, &progress.workouts, planned)) }
        }
    };
    Ok(view.page(NavItem::Plan, &escape_invisible(&planned.workout.name).to_string(), &body))
}

fn head(view: &PageContext, progress: &PlanAdherence, at: usize, author: Option<Author>) -> Markup {
    let (plan, workout) = (&progress.plan, &progress.workouts[at].workout);
    let to =
        if plan.status == PlanStatus::Active { "/plan".to_owned() } else { format!("/plans/{}", plan.id) };
    html! {
        p.small { a href=(to) { (escape_invisible(&plan.name)) } " " @if plan.status != PlanStatus::Active { (chip::status(plan.status)) } }
        div.row {
            h1 { (escape_invisible(workout.name_without_size(view.units()))) }
            @if let Some(graded) = progress.adherence.graded.get(at) { (chip::verdict(graded, view.today)) }
            (author_label::render_for_plan(plan, author))
        }
        p.lead { (time::element(workout.date, view.today)) " · " (workout.sport.title()) @if workout.key { " · key workout" } }
    }
}

fn planned_card(
    view: &PageContext,
    plan: &Plan,
    planned: &PlannedWorkout,
    compared: bool,
    author: Option<Author>,
) -> Markup {
    let (units, workout) = (view.units(), &planned.workout);
    let lines: Vec<String> =
        step_lines(&workout.steps, units).iter().map(|step| escape_invisible(step).to_string()).collect();
    let missing = |why: &'static str| html! { span title=(why) { "—" } };
    html! {
        section.card {
            h2 { "Workout" }
            @if workout.is_rest() { p { "Rest day." } }
            @else {
                dl.facts {
                    div { dt { "Distance" } dd { @match workout.distance { Some(far) => b { (units.format_distance_for(workout.sport, far)) }, None => (missing("Planned by time or effort")) } } }
                    div { dt { "Time" } dd { @match workout.duration { Some(time) => b { (time.format_hours_minutes()) }, None => (missing("Planned by distance")) } } }
                    div { dt { "Load" } dd { @match workout.load { Some(load) => b { (format!("{load:.0}")) }, None => (missing("No planned load")) } } }
                    @if let Some(words) = &workout.intensity { div { dt { "Effort" } dd { (escape_invisible(words)) } } }
                }
                @if !workout.steps.is_empty() {
                    (bars::draw(workout, &lines.join("; ")))
                    @if !compared { ol.steps-list { @for line in &lines { li { (line) } } } }
                }
            }
            @if let Some(words) = &workout.description { p { (escape_invisible(words)) " " (author_label::render_for_plan(plan, author)) } }
            p.actions {
                (export::send_to_watch(view, planned, plan.status == PlanStatus::Active))
                a.btn href={ "/coach?about=workout:" (planned.id) } { "Ask the coach" }
                @if plan.status == PlanStatus::Active && planned.workout.date >= view.today { a.btn href={ "/plan/edit?day=" (workout.date) } { "Add a workout" } }
            }
        }
    }
}

/// A matched activity, compared with the planned steps.
struct MatchedActivity {
    stored: StoredActivity,
    comparison: Result<StepComparison, CompareStepsError>,
}

async fn load_compared_activities(
    view: &PageContext,
    progress: &PlanAdherence,
    at: usize,
) -> Result<Vec<MatchedActivity>, PageError> {
    let planned = &progress.workouts[at];
    let mut all = Vec::new();
    for id in progress.adherence.behind.get(at).into_iter().flat_map(|behind| &behind.activities) {
        let Some(stored) = view.store().find_activity(view.user(), *id).await? else { continue };
        let compared = if planned.workout.steps.is_empty() {
            Err(CompareStepsError::NoSteps)
        } else {
            let recording = view.store().find_recording(view.user(), *id).await?;
            compare_steps(&planned.workout.steps, &stored.activity.laps, recording.as_ref())
        };
        all.push(MatchedActivity { stored, comparison: compared });
    }
    Ok(all)
}

fn done_card(view: &PageContext, progress: &PlanAdherence, at: usize, done: &[MatchedActivity]) -> Markup {
    let (planned, followed) = (&progress.workouts[at], &progress.adherence);
    let graded = followed.graded.get(at);
    let matched = followed.behind.get(at).and_then(|behind| behind.matched);
    let offer = followed.offers.iter().find(|offer| offer.workout == planned.id);
    let notes: Vec<WorkoutNoteKind> =
        followed.notes.iter().filter(|note| note.workout == planned.id).map(|note| note.kind).collect();
    if done.is_empty() && offer.is_none() && notes.is_empty() {
        return html! {};
    }
    html! {
        section.card {
            h2 { "Planned vs actual" }
            @if let Some(graded) = graded {
                @if let (Some(planned), Some(actual)) = (graded.planned, graded.actual) {
                    p { b { (actual.format(view.units())) } " of " (planned.format(view.units())) " " (chip::verdict(graded, view.today)) }
                }
            }
            @for note in notes { @if let Some(said) = note.message() { p.soft { (said) } } }
            @if let Some(offer) = offer { (match_suggestion(view, offer)) }
            @for one in done { (compared_activity(view, one)) }
            @if matched.is_some() {
                form.inline method="post" action={ "/plan/workouts/" (planned.id) "/unmatch" } {
                    (view.token_field())
                    button.small type="submit" { "It was not this workout" }
                }
            }
        }
    }
}

fn match_suggestion(view: &PageContext, offer: &MatchSuggestion) -> Markup {
    let size = offer.done.map(|done| done.format(view.units()));
    html! {
        form.offer method="post" action={ "/plan/workouts/" (offer.workout) "/match" } {
            (view.token_field())
            input type="hidden" name="activity" value=(offer.activity);
            p { "Was your activity on " a href={ "/activities/" (offer.activity) } { (time::element(offer.done_day, view.today)) @if let Some(size) = size { " (" (size) ")" } } " this workout?" }
            p.actions {
                button name="answer" value="yes" type="submit" { "Yes, it was this workout" }
                button name="answer" value="no" type="submit" { "No" }
            }
        }
    }
}

fn compared_activity(view: &PageContext, one: &MatchedActivity) -> Markup {
    let (stored, units) = (&one.stored, view.units());
    html! {
        h3 {
            a href={ "/activities/" (stored.id) } { (activity_title(&stored.activity)) }
            " " small.soft { (time::element(stored.day, view.today)) @if let Some(time) = stored.activity.training_time() { " · " (time.format_clock()) } }
        }
        @match &one.comparison {
            Ok(compared) => (step_table(compared, units)),
            Err(CompareStepsError::NoSteps) => {}
            Err(why) => p.soft { "Steps can't be compared: " (why.message()) "." }
        }
    }
}

/// Planned and recorded steps. The target columns are left out where no step has a target.
pub(crate) fn step_table(compared: &StepComparison, units: UnitSystem) -> Markup {
    let source = match compared.aligned_by {
        StepAlignment::Laps => "From laps",
        StepAlignment::Recording => "From the recording",
    };
    let aims = compared.steps.iter().any(|result| !result.step.target_label(units).is_empty());
    let judged = compared.steps.iter().any(|result| !result.target_label().is_empty());
    html! {
        div.scroll tabindex="0" role="region" aria-label="Steps (scrollable)" { table.small {
            caption.soft { (source) }
            thead { tr {
                th scope="col" { "Step" } th.n scope="col" { "Planned" } @if aims { th scope="col" { "Target" } } th.n scope="col" { "Time" }
                th.n scope="col" { "Distance" } th.n scope="col" { "Pace" } th.n scope="col" { "Heart rate" } @if judged { th scope="col" { "On target" } }
            } }
            tbody {
                @for result in &compared.steps {
                    @let actual = result.actual.unwrap_or_default();
                    tr {
                        th scope="row" { (result.number) @if result.step.step_type != StepType::Active { " " (result.step.step_type.label()) } }
                        td.n { (result.step.length_label(units)) }
                        @if aims { td { (result.step.target_label(units)) } }
                        td.n { (or_not_measured(actual.duration.map(TimeSpan::format_clock))) }
                        td.n { (or_not_measured(actual.distance.map(|far| format_step_distance(far, units)))) }
                        td.n { (or_not_measured(actual.pace.map(|pace| units.format_pace(pace).to_string()))) }
                        td.n { (or_not_measured(actual.heart_rate.map(|bpm| format!("{bpm:.0} bpm")))) }
                        @if judged { td { (result.target_label()) } }
                    }
                }
            }
        } }
    }
}

fn or_not_measured(value: Option<String>) -> Markup {
    html! { @match value { Some(value) => (value), None => span title="Not recorded in this step" { "—" } } }
}

pub(crate) async fn save_match(
    view: PageContext,
    Path(id): Path<String>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let PlanWorkout { plan, id } = find_workout(&view, &id).await?;
    let activity: ActivityId = parse_id(fields.get_trimmed("activity").unwrap_or_default())?;
    let yes = match fields.get_trimmed("answer") {
        Some("yes") => true,
        Some("no") => false,
        _ => {
            return Err(PageError::new(StatusCode::UNPROCESSABLE_ENTITY, "Choose yes or no.")
                .with_link(format!("/plan/workouts/{id}"), "Back to the workout"));
        }
    };
    let back = format!("/plan/workouts/{id}");
    let said = view.store().put_match(view.user(), plan.id, id, activity, yes, view.now).await;
    said.map_err(|why| match_error(why).with_link(back.as_str(), "Back to the workout"))?;
    Ok(see_other(&format!("{back}?done={}", if yes { "matched" } else { "not-matched" })))
}

fn match_error(why: Error) -> PageError {
    match why {
        Error::AlreadyMatched { .. } => PageError::conflict(sentence(&why)),
        other => other.into(),
    }
}

pub(crate) async fn remove_match(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let PlanWorkout { plan, id } = find_workout(&view, &id).await?;
    view.store().remove_match(view.user(), plan.id, id, view.now).await?;
    Ok(see_other(&format!("/plan/workouts/{id}?done=unmatched")))
}

pub(crate) async fn download_fit(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let PlanWorkout { plan, id } = find_workout(&view, &id).await?;
    let files = export::load_plan_files(&view, plan).await?;
    let planned = files.workouts.iter().find(|planned| planned.id == id).ok_or_else(PageError::not_found)?;
    let made = files.workout_file(planned).map_err(|why| export::export_error(&why))?;
    Ok(download(&made.name, export::FIT_CONTENT_TYPE, made.bytes))
}
