//! Changing the active plan by hand: `GET /plan/edit` shows what would come of it and asks, `POST` does it. One save is one
//! revision, which can be taken back.

use crate::auth::confirmation::Decision;
use crate::components::confirm::ConfirmationPage;
use crate::components::diff::DiffView;
use crate::components::form::{FormState, InputOptions};
use crate::components::{findings, time};
use crate::http::error::{PageError, to_sentence};
use crate::http::form::{FieldErrors, FormFields, QueryFields};
use crate::http::response::{see_other, unprocessable, with_status};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::list;
use axum::http::StatusCode;
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::distance;
use fitness_core::domain::ids::WorkoutId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::untrusted_text::is_storable;
use fitness_core::plan::{
    ActionKind, Edit, EditError, NextWorkout, Plan, PlanStatus, PlannedWorkout, Workout, WorkoutKind,
    describe_days_off_used, diff_workouts, edit, week_deltas,
};
use fitness_store::Error;
use fitness_store::plan::human_actions::{self, change_hash};
use maud::{Markup, html};

/// The field with the revision that was looked at.
const REVISION_FIELD: &str = "seen_on";

/// Days before and after a workout whose workouts it can change places with.
const SWAP_DAYS: i64 = 10;
/// The longest reason.
const MAX_REASON_CHARS: usize = 500;

/// Whether a workout can still be changed by hand.
pub(crate) fn can_edit(plan: &Plan, planned: &PlannedWorkout, today: Day) -> bool {
    let workout = &planned.workout;
    plan.status == PlanStatus::Active && workout.date >= today && !workout.is_rest() && !plan.is_race(workout)
}

/// The form beside a workout.
pub(crate) fn form(
    view: &PageContext,
    plan: &Plan,
    workouts: &[PlannedWorkout],
    planned: &PlannedWorkout,
) -> Markup {
    let (faults, fields) = (FieldErrors::default(), FormFields::default());
    change_form(view, plan, workouts, planned, FormState { fields: &fields, errors: &faults })
}

fn change_form(
    view: &PageContext,
    plan: &Plan,
    workouts: &[PlannedWorkout],
    planned: &PlannedWorkout,
    filling: FormState<'_>,
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
        (filling.error_summary())
        form.change method="get" action="/plan/edit" {
            input type="hidden" name="workout" value=(planned.id);
            fieldset.field #what {
            legend.hidden { "What to change" }
            div.option { (radio("move", "Move it")) (filling.input("to", "To the day", InputOptions { input_type: "date", ..InputOptions::default() })) }
            @if !others.is_empty() { div.option { (radio("swap", "Let it change days with another")) (filling.select("other", "With", "", &others)) } }
            div.option { (radio("resize", "Make it shorter or longer")) (filling.input("size", "To", InputOptions { placeholder: "5km or 30min", ..InputOptions::default() })) }
            div.option { (radio("skip", "Leave it out")) }
            }
            (filling.input("reason", "Why, to be read later", InputOptions { placeholder: "may be left empty", ..InputOptions::default() }))
            p.actions { button type="submit" { "Show what that means…" } }
        }
    }
}

/// The form for one more workout.
fn add_form(filling: FormState<'_>) -> Markup {
    let sports: Vec<(&str, &str)> = Sport::ALL
        .iter()
        .filter(|sport| **sport != Sport::Rest)
        .map(|sport| (sport.as_str(), sport.as_str()))
        .collect();
    let kinds: Vec<(String, &str)> = WorkoutKind::ALL
        .iter()
        .filter(|kind| !matches!(kind, WorkoutKind::Rest | WorkoutKind::Race))
        .map(|kind| (kind.label(), kind.as_str()))
        .collect();
    let kinds: Vec<(&str, &str)> = kinds.iter().map(|(spoken, word)| (*word, spoken.as_str())).collect();
    html! {
        (filling.error_summary())
        form method="get" action="/plan/edit" {
            input type="hidden" name="what" value="add";
            div.fields {
                (filling.input("day", "Day", InputOptions { input_type: "date", is_required: true, ..InputOptions::default() }))
                (filling.input("size", "How far or how long", InputOptions { placeholder: "5km or 30min", is_required: true, ..InputOptions::default() }))
                (filling.select("sport", "Sport", "", &sports))
                (filling.select("kind", "What it is for", "", &kinds))
                (filling.input("name", "What to call it", InputOptions { placeholder: "may be left empty", ..InputOptions::default() }))
                (filling.input("reason", "Why, to be read later", InputOptions { placeholder: "may be left empty", ..InputOptions::default() }))
            }
            p.actions { button.primary type="submit" { "Show what that means…" } a.btn href="/plan" { "Back to the plan" } }
        }
    }
}

/// The active plan as it is, and what a form would make of it.
struct EditPreview {
    plan: Plan,
    current: Vec<PlannedWorkout>,
    next: Result<Vec<NextWorkout>, FieldErrors>,
}

async fn load_edit(view: &PageContext, fields: &FormFields) -> Result<EditPreview, PageError> {
    let plan = view.store().find_active_plan(view.user()).await?.ok_or_else(list::none_active)?;
    let current = view.store().list_workouts(view.user(), plan.id, plan.revision).await?;
    let next = parse_edit(view, fields).and_then(|(field, change)| {
        edit(&plan, &current, &[change], view.today).map_err(|why| {
            let mut faults = FieldErrors::default();
            // Of a new workout it is the day that is over or beyond, not how long it is.
            let day = matches!(why, EditError::Past(_) | EditError::After { .. });
            faults.add(if day && field == "size" { "day" } else { field }, edit_error_message(&why));
            faults
        })
    });
    Ok(EditPreview { plan, current, next })
}

/// Why not, without the words of the terminal.
fn edit_error_message(why: &EditError) -> String {
    match why {
        EditError::NoSuchWorkout(_) => "This workout is no longer in the plan.".to_owned(),
        other => to_sentence(other),
    }
}

/// One change, and the field that is at fault when it does not fit.
fn parse_edit(view: &PageContext, fields: &FormFields) -> Result<(&'static str, Edit), FieldErrors> {
    let mut faults = FieldErrors::default();
    let no_day = "Give a day, such as 2026-06-16.";
    let workout = |name: &'static str, faults: &mut FieldErrors| -> Option<WorkoutId> {
        faults.ok_or_add(
            name,
            fields.get_trimmed(name).unwrap_or_default().parse().map_err(|_| "Choose a workout of the plan."),
        )
    };
    let day = |name: &'static str, faults: &mut FieldErrors| -> Option<Day> {
        faults.ok_or_add(name, fields.get_trimmed(name).unwrap_or_default().parse().map_err(|_| no_day))
    };
    let size = |faults: &mut FieldErrors| {
        let read = distance::parse_workout_size(fields.get_trimmed("size").unwrap_or_default(), view.units());
        faults.ok_or_add(
            "size",
            read.map_err(|bad| format!("{} {}", to_sentence(&bad), to_sentence(&bad.help()))),
        )
    };
    let reason = fields.get_trimmed("reason").unwrap_or_default();
    if reason.chars().count() > MAX_REASON_CHARS || !is_storable(reason) {
        faults.add("reason", format!("At most {MAX_REASON_CHARS} characters."));
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
                fields.get_trimmed("kind").unwrap_or("easy").parse().map_err(|_| "Choose what it is for."),
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
            faults.add("what", "Say what to change: move, swap, shorten, leave out or add.");
            None
        }
    };
    change.filter(|_| !faults.has_any()).ok_or(faults)
}

/// `GET /plan/edit`: the form for one more workout, or what a change would mean.
pub(crate) async fn show(view: PageContext, QueryFields(fields): QueryFields) -> Result<Response, PageError> {
    if fields.get("what").is_none() {
        // Without a plan there is nothing a workout could be added to.
        view.store().find_active_plan(view.user()).await?.ok_or_else(list::none_active)?;
        let faults = FieldErrors::default();
        let first = fields.with("sport", "running").with("kind", "easy");
        return Ok(add_page(&view, FormState { fields: &first, errors: &faults }));
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
    let what = html! {
        (shown.rows(&changes))
        (shown.weeks(&week_deltas(&current, &next, easy)))
        @for note in describe_days_off_used(&plan, &current, &next) { p { span.chip.excused { "i Note" } " " (note) } }
        (findings::render_since(review.findings(), before.findings()))
        p.soft { "It is saved as revision " (plan.revision + 1) ", and can be taken back." }
    };
    let back = fields.get_trimmed("workout").and_then(|id| id.parse::<WorkoutId>().ok());
    let back = back.map_or_else(|| "/plan".to_owned(), |id| format!("/plan/workouts/{id}"));
    let asking = ConfirmationPage {
        title: "Change the plan?",
        description: what,
        decision: decision(&plan, &next),
        action: "/plan/edit",
        fields: html! { (fields.hidden_inputs()) input type="hidden" name=(REVISION_FIELD) value=(plan.revision); },
        confirm_label: "Save the change",
        is_destructive: false,
        back_link: (&back, "Leave it as it is"),
    };
    asking.render(&view).await
}

/// `POST /plan/edit`
pub(crate) async fn update(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let EditPreview { plan, current, next } = load_edit(&view, &fields).await?;
    if fields.get_trimmed(REVISION_FIELD).is_some_and(|seen| seen != plan.revision.to_string()) {
        let mut faults = next.err().unwrap_or_default();
        faults.add("what", to_sentence(&Error::Stale));
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
    let once_more = |no: PageError| no.with_link(look.as_str(), "Look at it again");
    let consent = decision(&plan, &next).verify_confirmation(&view, &fields).await.map_err(once_more)?;
    let reason = fields.get_trimmed("reason").unwrap_or("By hand");
    let number = human_actions::edit(consent, plan.id, plan.revision, &next, reason)
        .await
        .map_err(|why| once_more(why.into()))?;
    Ok(see_other(&format!("/plan/revisions/{number}?done=edited")))
}

fn decision(plan: &Plan, next: &[NextWorkout]) -> Decision {
    Decision {
        kind: ActionKind::Edit,
        plan: Some(plan.id),
        shown_hash: change_hash(plan.id, plan.revision, next),
    }
}

/// The form again, with what was written into it.
fn invalid_form_page(
    view: &PageContext,
    plan: &Plan,
    current: &[PlannedWorkout],
    fields: &FormFields,
    faults: &FieldErrors,
) -> Response {
    let filling = FormState { fields, errors: faults };
    let id = fields.get_trimmed("workout").and_then(|id| id.parse::<WorkoutId>().ok());
    match id.and_then(|id| current.iter().find(|planned| planned.id == id)) {
        Some(planned) => {
            let body = html! {
                h1 { "Change a workout" }
                p.lead { a href={ "/plan/workouts/" (planned.id) } { (time::element(planned.workout.date, view.today)) " " (planned.workout.short_label(view.units())) } }
                section.card { (change_form(view, plan, current, planned, filling)) }
            };
            view.page(NavItem::Plan, "Change a workout", &body)
        }
        None => add_page(view, filling),
    }
}

fn add_page(view: &PageContext, filling: FormState<'_>) -> Response {
    let body = html! {
        h1 { "Add a workout" }
        p.lead { "One more workout on a day of the plan. What it does to the week is shown before anything is saved." }
        section.card { (add_form(filling)) }
    };
    view.page(NavItem::Plan, "Add a workout", &body)
}
