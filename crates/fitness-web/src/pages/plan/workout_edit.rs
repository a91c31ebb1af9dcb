//! Manual edits of the active plan: `GET /plan/edit` previews a change and asks for confirmation,
//! `POST` saves it as a new revision.

use crate::auth::confirmation::{redeem, web_request};
use crate::components::confirm::ConfirmationPage;
use crate::components::core_message::{for_page, hint, sentence};
use crate::components::diff::DiffView;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::{findings, time};
use crate::http::error::PageError;
use crate::http::form::{FieldErrors, FormFields, QueryFields};
use crate::http::response::{see_other, unprocessable, with_status};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::WorkoutId;
use fitness_core::domain::parse_distance;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::untrusted_text::is_storable;
use fitness_core::plan::{
    Edit, EditError, HumanActionKind, NextRevisionWorkout, Plan, PlanStatus, PlannedWorkout, Revision,
    Workout, WorkoutKind, describe_days_off_used, diff_workouts, edit, week_deltas,
};
use fitness_store::Error;
use fitness_store::plan::consent::ConfirmationRequest;
use fitness_store::plan::human_actions::{self, change_hash};
use maud::{Markup, html};

/// Form field with the revision the preview was made for.
const REVISION_FIELD: &str = "seen_on";

/// Workouts within this many days can be swapped.
const SWAP_DAYS: i64 = 10;
const MAX_REASON_CHARS: usize = 500;

/// Whether a workout of the active plan can still be edited.
pub(crate) fn can_edit(plan: &Plan, planned: &PlannedWorkout, today: Day) -> bool {
    let workout = &planned.workout;
    plan.status == PlanStatus::Active && workout.date >= today && !workout.is_rest() && !plan.is_race(workout)
}

/// The empty form on the page of a workout.
pub(crate) fn form(
    view: &PageContext,
    plan: &Plan,
    workouts: &[PlannedWorkout],
    planned: &PlannedWorkout,
) -> Markup {
    let (faults, fields) = (FieldErrors::default(), FormFields::default());
    change_form(view, plan, workouts, planned, SubmittedForm { fields: &fields, errors: &faults })
}

fn change_form(
    view: &PageContext,
    plan: &Plan,
    workouts: &[PlannedWorkout],
    planned: &PlannedWorkout,
    filling: SubmittedForm<'_>,
) -> Markup {
    let day = planned.workout.date;
    let others: Vec<(String, String)> = workouts
        .iter()
        .filter(|other| other.id != planned.id && can_edit(plan, other, view.today))
        .filter(|other| day.days_until(other.workout.date).abs() <= SWAP_DAYS)
        .map(|other| {
            (
                other.id.to_string(),
                format!("{} {}", time::short(other.workout.date), other.workout.short_label(view.units())),
            )
        })
        .collect();
    let others: Vec<(&str, &str)> =
        others.iter().map(|(id, called)| (id.as_str(), called.as_str())).collect();
    let what = filling.fields.get("what").unwrap_or("move");
    let radio = |value: &str, called: &str| {
        html! {
            label.tick { input type="radio" name="what" value=(value) checked[what == value]; span { (called) } }
        }
    };
    html! {
        (error_summary(filling))
        form.change method="get" action="/plan/edit" {
            input type="hidden" name="workout" value=(planned.id);
            fieldset.field #what {
            legend.hidden { "What to change" }
            div.option { (radio("move", "Move to another day")) (filling.input("to", "New date", InputOptions { input_type: "date", ..InputOptions::default() })) }
            @if !others.is_empty() { div.option { (radio("swap", "Swap with another day")) (filling.select("other", "Swap with", "", &others)) } }
            div.option { (radio("resize", "Change its length")) (filling.input("size", "New length", InputOptions { placeholder: "5km or 30min", ..InputOptions::default() })) }
            div.option { (radio("skip", "Skip this workout")) }
            }
            (filling.input("reason", "Reason (optional)", InputOptions::default()))
            p.actions { button type="submit" { "Preview change" } }
        }
    }
}

/// The forms lead to a preview; only the request to save contains the revision.
fn error_summary(filling: SubmittedForm<'_>) -> Markup {
    let is_saving = filling.fields.get(REVISION_FIELD).is_some();
    if is_saving { filling.error_summary() } else { filling.input_error_summary() }
}

fn add_form(filling: SubmittedForm<'_>) -> Markup {
    let sports: Vec<(&str, &str)> = Sport::ALL
        .iter()
        .filter(|sport| **sport != Sport::Rest)
        .map(|sport| (sport.as_str(), sport.title()))
        .collect();
    let kinds: Vec<(String, &str)> = WorkoutKind::ALL
        .iter()
        .filter(|kind| !matches!(kind, WorkoutKind::Rest | WorkoutKind::Race))
        .map(|kind| (kind.label(), kind.as_str()))
        .collect();
    let kinds: Vec<(&str, &str)> = kinds.iter().map(|(label, word)| (*word, label.as_str())).collect();
    html! {
        (error_summary(filling))
        form method="get" action="/plan/edit" {
            input type="hidden" name="what" value="add";
            div.fields {
                (filling.input("day", "Day", InputOptions { input_type: "date", is_required: true, ..InputOptions::default() }))
                (filling.input("size", "Distance or time", InputOptions { placeholder: "5km or 30min", is_required: true, ..InputOptions::default() }))
                (filling.select("sport", "Sport", "", &sports))
                (filling.select("kind", "Type", "", &kinds))
                (filling.input("name", "Name (optional)", InputOptions::default()))
                (filling.input("reason", "Reason (optional)", InputOptions::default()))
            }
            p.actions { button.primary type="submit" { "Preview change" } a.btn href="/plan" { "Back to plan" } }
        }
    }
}

/// The active plan and the result of an edit.
struct EditPreview {
    plan: Plan,
    current: Vec<PlannedWorkout>,
    next: Result<Vec<NextRevisionWorkout>, FieldErrors>,
}

async fn load_edit(view: &PageContext, fields: &FormFields) -> Result<EditPreview, PageError> {
    let plan = view.store().find_active_plan(view.user()).await?.ok_or_else(list::none_active)?;
    let current = view.store().list_workouts(view.user(), plan.id, plan.revision).await?;
    let next = parse_edit(view, fields).and_then(|(field, change)| {
        edit(&plan, &current, &[change], view.today).map_err(|why| {
            let mut faults = FieldErrors::default();
            // An error about the date of a new workout belongs to its date field.
            let day = matches!(why, EditError::ToPastDay(_) | EditError::After { .. });
            faults.add(if day && field == "size" { "day" } else { field }, edit_error_message(&why));
            faults
        })
    });
    Ok(EditPreview { plan, current, next })
}

/// The error without workout ids and hints for the command line.
fn edit_error_message(why: &EditError) -> String {
    match why {
        EditError::NoSuchWorkout(_) => "This workout is no longer in the plan.".to_owned(),
        EditError::SwapWithItself(_) => "Choose another workout to swap with.".to_owned(),
        EditError::Rest(_) => "That is a rest day. Add a workout to it instead.".to_owned(),
        other => sentence(other),
    }
}

/// The edit, and the field to report when it cannot be applied.
fn parse_edit(view: &PageContext, fields: &FormFields) -> Result<(&'static str, Edit), FieldErrors> {
    let mut faults = FieldErrors::default();
    let no_day = "Choose a date.";
    let workout = |name: &'static str, faults: &mut FieldErrors| -> Option<WorkoutId> {
        faults.ok_or_add(
            name,
            fields
                .get_trimmed(name)
                .unwrap_or_default()
                .parse()
                .map_err(|_| "Choose a workout from the plan."),
        )
    };
    let day = |name: &'static str, faults: &mut FieldErrors| -> Option<Day> {
        faults.ok_or_add(name, fields.get_trimmed(name).unwrap_or_default().parse().map_err(|_| no_day))
    };
    let size = |faults: &mut FieldErrors| {
        let read =
            parse_distance::parse_workout_size(fields.get_trimmed("size").unwrap_or_default(), view.units());
        faults.ok_or_add("size", read.map_err(|bad| format!("{} {}", sentence(&bad), hint(&bad.help()))))
    };
    let reason = fields.get_trimmed("reason").unwrap_or_default();
    if reason.chars().count() > MAX_REASON_CHARS || !is_storable(reason) {
        faults.add("reason", format!("Use at most {MAX_REASON_CHARS} characters."));
    }
    let change = match fields.get_trimmed("what") {
        Some("move") => workout("workout", &mut faults)
            .zip(day("to", &mut faults))
            .map(|(workout, to)| ("to", Edit::Move { workout, to })),
        Some("swap") => workout("workout", &mut faults)
            .zip(workout("other", &mut faults))
            .map(|(one, other)| ("other", Edit::Swap { one, other })),
        Some("resize") => workout("workout", &mut faults)
            .zip(size(&mut faults))
            .map(|(workout, to)| ("size", Edit::Resize { workout, to })),
        Some("skip") => workout("workout", &mut faults).map(|workout| ("workout", Edit::Skip { workout })),
        Some("add") => {
            let sport: Option<Sport> = faults.ok_or_add(
                "sport",
                fields.get_trimmed("sport").unwrap_or("running").parse().map_err(|_| "Choose a sport."),
            );
            let kind: Option<WorkoutKind> = faults.ok_or_add(
                "kind",
                fields.get_trimmed("kind").unwrap_or("easy").parse().map_err(|_| "Choose a type."),
            );
            day("day", &mut faults).zip(size(&mut faults)).zip(sport.zip(kind)).map(
                |((day, size), (sport, kind))| {
                    (
                        "size",
                        Edit::Add {
                            workout: Workout::new_manual(
                                day,
                                sport,
                                kind,
                                fields.get_trimmed("name"),
                                Some(size),
                            ),
                        },
                    )
                },
            )
        }
        _ => {
            faults.add("what", "Choose what to change.");
            None
        }
    };
    change.filter(|_| !faults.has_any()).ok_or(faults)
}

/// `GET /plan/edit`: the form to add a workout, or the preview of a change.
pub(crate) async fn show(view: PageContext, QueryFields(fields): QueryFields) -> Result<Response, PageError> {
    if fields.get("what").is_none() {
        view.store().find_active_plan(view.user()).await?.ok_or_else(list::none_active)?;
        let faults = FieldErrors::default();
        let first = fields.with("sport", "running").with("kind", "easy");
        return Ok(add_page(&view, SubmittedForm { fields: &first, errors: &faults }));
    }
    let EditPreview { plan, current, next } = load_edit(&view, &fields).await?;
    let next = match next {
        Ok(next) => next,
        Err(faults) => return Ok(unprocessable(invalid_form_page(&view, &plan, &current, &fields, &faults))),
    };
    let changes = diff_workouts(&current, &next);
    let (store, user, today) = (view.store(), view.user(), view.today);
    let review = store.lint_next_revision(user, &plan, &next, today).await?;
    let before = store.lint_plan(user, plan.id, today).await?;
    let easy = store.training_baseline_for_plan(user, &plan, today).await?.easy_pace();
    let shown = DiffView { units: view.units(), today };
    let notes = describe_days_off_used(&plan, &current, &next);
    let what = html! {
        (shown.rows(&changes))
        (shown.weeks(&week_deltas(&current, &next, easy)))
        @for note in &notes { p { span.chip.excused { "i Note" } " " (for_page(note)) } }
        (findings::render_since(review.findings(), before.findings(), !notes.is_empty()))
        p.soft { "This will be saved as revision " (plan.revision + 1) ". You can undo it." }
    };
    let back = fields.get_trimmed("workout").and_then(|id| id.parse::<WorkoutId>().ok());
    let back = back.map_or_else(|| "/plan".to_owned(), |id| format!("/plan/workouts/{id}"));
    let asking = ConfirmationPage {
        title: "Change the plan?",
        description: what,
        request: request(&plan, &next),
        action: "/plan/edit",
        fields: html! { (fields.hidden_inputs()) input type="hidden" name=(REVISION_FIELD) value=(plan.revision); },
        confirm_label: "Save change",
        is_destructive: false,
        back_link: (&back, "Cancel"),
    };
    asking.render(&view)
}

pub(crate) async fn update(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let EditPreview { plan, current, next } = load_edit(&view, &fields).await?;
    if fields.get_trimmed(REVISION_FIELD).is_some_and(|seen| seen != plan.revision.to_string()) {
        let mut faults = next.err().unwrap_or_default();
        faults.add("what", sentence(&Error::Stale));
        return Ok(with_status(
            invalid_form_page(&view, &plan, &current, &fields, &faults),
            StatusCode::CONFLICT,
        ));
    }
    let next = match next {
        Ok(next) => next,
        Err(faults) => return Ok(unprocessable(invalid_form_page(&view, &plan, &current, &fields, &faults))),
    };
    let look = format!("/plan/edit?{}", fields.to_query(&[]));
    let once_more = |no: PageError| no.with_link(look.as_str(), "Review again");
    let consent = redeem(&view, &request(&plan, &next), &fields).await.map_err(once_more)?;
    let reason = fields.get_trimmed("reason").unwrap_or(Revision::NO_REASON);
    let number = human_actions::edit(consent, plan.id, plan.revision, &next, reason)
        .await
        .map_err(|why| once_more(why.into()))?;
    Ok(see_other(&format!("/plan/revisions/{number}?done=edited")))
}

fn request(plan: &Plan, next: &[NextRevisionWorkout]) -> ConfirmationRequest {
    web_request(HumanActionKind::Edit, Some(plan.id), change_hash(plan.id, plan.revision, next))
}

/// The form with the submitted values and errors.
fn invalid_form_page(
    view: &PageContext,
    plan: &Plan,
    current: &[PlannedWorkout],
    fields: &FormFields,
    faults: &FieldErrors,
) -> Response {
    let filling = SubmittedForm { fields, errors: faults };
    let id = fields.get_trimmed("workout").and_then(|id| id.parse::<WorkoutId>().ok());
    match id.and_then(|id| current.iter().find(|planned| planned.id == id)) {
        Some(planned) => {
            let body = html! {
                h1 { "Edit workout" }
                p.lead { a href={ "/plan/workouts/" (planned.id) } { (time::element(planned.workout.date, view.today)) " " (planned.workout.short_label(view.units())) } }
                section.card { (change_form(view, plan, current, planned, filling)) }
            };
            view.page(NavItem::Plan, "Edit workout", &body)
        }
        None => add_page(view, filling),
    }
}

fn add_page(view: &PageContext, filling: SubmittedForm<'_>) -> Response {
    let body = html! {
        h1 { "Add a workout" }
        p.lead { "You'll see the effect on the week before anything is saved." }
        section.card { (add_form(filling)) }
    };
    view.page(NavItem::Plan, "Add a workout", &body)
}
