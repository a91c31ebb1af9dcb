//! Changing the active plan by hand: `GET /plan/edit` shows what would come of it and asks, `POST` does it. One save is one
//! revision, which can be taken back.

use crate::auth::confirmation::Decision;
use crate::components::confirm::Asking;
use crate::components::diff::Shown;
use crate::components::form::{Filling, Line};
use crate::components::{findings, time};
use crate::http::error::{Problem, sentence};
use crate::http::form::{Asked, Faults, Fields};
use crate::http::response::{see_other, unprocessable, with_status};
use crate::page::{Place, View};
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
    days_off_used, differences, edit, week_deltas,
};
use fitness_store::Error;
use fitness_store::plan::human_actions::{self, change_hash};
use maud::{Markup, html};

/// The field with the revision that was looked at.
const SEEN_ON: &str = "seen_on";

/// Days before and after a workout whose workouts it can change places with.
const NEAR: i64 = 10;
/// The longest reason.
const MAX_REASON: usize = 500;

/// Whether a workout can still be changed by hand.
pub(crate) fn may_change(plan: &Plan, planned: &PlannedWorkout, today: Day) -> bool {
    let workout = &planned.workout;
    plan.status == PlanStatus::Active && workout.date >= today && !workout.is_rest() && !plan.is_race(workout)
}

/// The form beside a workout.
pub(crate) fn form(
    view: &View,
    plan: &Plan,
    workouts: &[PlannedWorkout],
    planned: &PlannedWorkout,
) -> Markup {
    let (faults, fields) = (Faults::default(), Fields::default());
    change_form(view, plan, workouts, planned, Filling { fields: &fields, faults: &faults })
}

fn change_form(
    view: &View,
    plan: &Plan,
    workouts: &[PlannedWorkout],
    planned: &PlannedWorkout,
    filling: Filling<'_>,
) -> Markup {
    let day = planned.workout.date;
    let others: Vec<(String, String)> = workouts
        .iter()
        .filter(|other| other.id != planned.id && may_change(plan, other, view.today))
        .filter(|other| day.until(other.workout.date).abs() <= NEAR)
        .map(|other| {
            (
                other.id.to_string(),
                format!("{} {}", time::short(other.workout.date), other.workout.brief(view.units())),
            )
        })
        .collect();
    let others: Vec<(&str, &str)> =
        others.iter().map(|(id, called)| (id.as_str(), called.as_str())).collect();
    let what = filling.fields.one("what").unwrap_or("move");
    let radio = |value: &str, called: &str| {
        html! {
            label.tick { input type="radio" name="what" value=(value) checked[what == value]; span { (called) } }
        }
    };
    html! {
        (filling.summary())
        form.change method="get" action="/plan/edit" {
            input type="hidden" name="workout" value=(planned.id);
            fieldset.field #what {
            legend.hidden { "What to change" }
            div.option { (radio("move", "Move it")) (filling.line("to", "To the day", Line { kind: "date", ..Line::default() })) }
            @if !others.is_empty() { div.option { (radio("swap", "Let it change days with another")) (filling.choice("other", "With", "", &others)) } }
            div.option { (radio("resize", "Make it shorter or longer")) (filling.line("size", "To", Line { example: "5km or 30min", ..Line::default() })) }
            div.option { (radio("skip", "Leave it out")) }
            }
            (filling.line("reason", "Why, to be read later", Line { example: "may be left empty", ..Line::default() }))
            p.actions { button type="submit" { "Show what that means…" } }
        }
    }
}

/// The form for one more workout.
fn add_form(filling: Filling<'_>) -> Markup {
    let sports: Vec<(&str, &str)> = Sport::ALL
        .iter()
        .filter(|sport| **sport != Sport::Rest)
        .map(|sport| (sport.as_str(), sport.as_str()))
        .collect();
    let kinds: Vec<(String, &str)> = WorkoutKind::ALL
        .iter()
        .filter(|kind| !matches!(kind, WorkoutKind::Rest | WorkoutKind::Race))
        .map(|kind| (kind.spoken(), kind.as_str()))
        .collect();
    let kinds: Vec<(&str, &str)> = kinds.iter().map(|(spoken, word)| (*word, spoken.as_str())).collect();
    html! {
        (filling.summary())
        form method="get" action="/plan/edit" {
            input type="hidden" name="what" value="add";
            div.fields {
                (filling.line("day", "Day", Line { kind: "date", required: true, ..Line::default() }))
                (filling.line("size", "How far or how long", Line { example: "5km or 30min", required: true, ..Line::default() }))
                (filling.choice("sport", "Sport", "", &sports))
                (filling.choice("kind", "What it is for", "", &kinds))
                (filling.line("name", "What to call it", Line { example: "may be left empty", ..Line::default() }))
                (filling.line("reason", "Why, to be read later", Line { example: "may be left empty", ..Line::default() }))
            }
            p.actions { button.primary type="submit" { "Show what that means…" } a.btn href="/plan" { "Back to the plan" } }
        }
    }
}

/// The active plan as it is, and what a form would make of it.
struct Edited {
    plan: Plan,
    current: Vec<PlannedWorkout>,
    next: Result<Vec<NextWorkout>, Faults>,
}

async fn edited(view: &View, fields: &Fields) -> Result<Edited, Problem> {
    let plan = view.store().find_active_plan(view.user()).await?.ok_or_else(list::none_active)?;
    let current = view.store().list_workouts(view.user(), plan.id, plan.revision).await?;
    let next = read(view, fields).and_then(|(field, change)| {
        edit(&plan, &current, &[change], view.today).map_err(|why| {
            let mut faults = Faults::default();
            // Of a new workout it is the day that is over or beyond, not how long it is.
            let day = matches!(why, EditError::Past(_) | EditError::After { .. });
            faults.add(if day && field == "size" { "day" } else { field }, told(&why));
            faults
        })
    });
    Ok(Edited { plan, current, next })
}

/// Why not, without the words of the terminal.
fn told(why: &EditError) -> String {
    match why {
        EditError::NoSuchWorkout(_) => "This workout is no longer in the plan.".to_owned(),
        other => sentence(other),
    }
}

/// One change, and the field that is at fault when it does not fit.
fn read(view: &View, fields: &Fields) -> Result<(&'static str, Edit), Faults> {
    let mut faults = Faults::default();
    let no_day = "Give a day, such as 2026-06-16.";
    let workout = |name: &'static str, faults: &mut Faults| -> Option<WorkoutId> {
        faults.take(
            name,
            fields.text(name).unwrap_or_default().parse().map_err(|_| "Choose a workout of the plan."),
        )
    };
    let day = |name: &'static str, faults: &mut Faults| -> Option<Day> {
        faults.take(name, fields.text(name).unwrap_or_default().parse().map_err(|_| no_day))
    };
    let size = |faults: &mut Faults| {
        let read = distance::size(fields.text("size").unwrap_or_default(), view.units());
        faults.take("size", read.map_err(|bad| format!("{} {}", sentence(&bad), sentence(&bad.help()))))
    };
    let reason = fields.text("reason").unwrap_or_default();
    if reason.chars().count() > MAX_REASON || !is_storable(reason) {
        faults.add("reason", format!("At most {MAX_REASON} characters."));
    }
    let change = match fields.text("what") {
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
            let sport: Option<Sport> = faults.take(
                "sport",
                fields.text("sport").unwrap_or("running").parse().map_err(|_| "Choose a sport."),
            );
            let kind: Option<WorkoutKind> = faults.take(
                "kind",
                fields.text("kind").unwrap_or("easy").parse().map_err(|_| "Choose what it is for."),
            );
            day("day", &mut faults).zip(size(&mut faults)).zip(sport.zip(kind)).map(
                |((day, size), (sport, kind))| {
                    (
                        "size",
                        Edit::Add {
                            workout: Workout::by_hand(day, sport, kind, fields.text("name"), Some(size)),
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
    change.filter(|_| !faults.any()).ok_or(faults)
}

/// `GET /plan/edit`: the form for one more workout, or what a change would mean.
pub(crate) async fn show(view: View, Asked(fields): Asked) -> Result<Response, Problem> {
    if fields.one("what").is_none() {
        // Without a plan there is nothing a workout could be added to.
        view.store().find_active_plan(view.user()).await?.ok_or_else(list::none_active)?;
        let faults = Faults::default();
        let first = fields.with("sport", "running").with("kind", "easy");
        return Ok(add_page(&view, Filling { fields: &first, faults: &faults }));
    }
    let Edited { plan, current, next } = edited(&view, &fields).await?;
    let next = match next {
        Ok(next) => next,
        Err(faults) => return Ok(unprocessable(again(&view, &plan, &current, &fields, &faults))),
    };
    let changes = differences(&current, &next);
    let (store, user, today) = (view.store(), view.user(), view.today);
    let review = store.review_next(user, &plan, &next, today).await?;
    let before = store.review(user, plan.id, today).await?;
    let easy = store.background_of(user, &plan, today).await?.easy_pace();
    let shown = Shown { units: view.units(), today };
    let what = html! {
        (shown.rows(&changes))
        (shown.weeks(&week_deltas(&current, &next, easy)))
        @for note in days_off_used(&plan, &current, &next) { p { span.chip.excused { "i Note" } " " (note) } }
        (findings::since(review.findings(), before.findings()))
        p.soft { "It is saved as revision " (plan.revision + 1) ", and can be taken back." }
    };
    let back = fields.text("workout").and_then(|id| id.parse::<WorkoutId>().ok());
    let back = back.map_or_else(|| "/plan".to_owned(), |id| format!("/plan/workouts/{id}"));
    let asking = Asking {
        title: "Change the plan?",
        what,
        decision: decision(&plan, &next),
        action: "/plan/edit",
        fields: html! { (fields.hidden()) input type="hidden" name=(SEEN_ON) value=(plan.revision); },
        yes: "Save the change",
        danger: false,
        back: (&back, "Leave it as it is"),
    };
    asking.page(&view).await
}

/// `POST /plan/edit`
pub(crate) async fn save(view: View, fields: Fields) -> Result<Response, Problem> {
    let Edited { plan, current, next } = edited(&view, &fields).await?;
    if fields.text(SEEN_ON).is_some_and(|seen| seen != plan.revision.to_string()) {
        let mut faults = next.err().unwrap_or_default();
        faults.add("what", sentence(&Error::Stale));
        return Ok(with_status(again(&view, &plan, &current, &fields, &faults), StatusCode::CONFLICT));
    }
    let next = match next {
        Ok(next) => next,
        Err(faults) => return Ok(unprocessable(again(&view, &plan, &current, &fields, &faults))),
    };
    let look = format!("/plan/edit?{}", fields.query(&[]));
    let once_more = |no: Problem| no.go_on(look.as_str(), "Look at it again");
    let consent = decision(&plan, &next).answered(&view, &fields).await.map_err(once_more)?;
    let reason = fields.text("reason").unwrap_or("By hand");
    let number = human_actions::edit(consent, plan.id, plan.revision, &next, reason)
        .await
        .map_err(|why| once_more(why.into()))?;
    Ok(see_other(&format!("/plan/revisions/{number}?done=edited")))
}

fn decision(plan: &Plan, next: &[NextWorkout]) -> Decision {
    Decision { kind: ActionKind::Edit, plan: Some(plan.id), seen: change_hash(plan.id, plan.revision, next) }
}

/// The form again, with what was written into it.
fn again(view: &View, plan: &Plan, current: &[PlannedWorkout], fields: &Fields, faults: &Faults) -> Response {
    let filling = Filling { fields, faults };
    let id = fields.text("workout").and_then(|id| id.parse::<WorkoutId>().ok());
    match id.and_then(|id| current.iter().find(|planned| planned.id == id)) {
        Some(planned) => {
            let body = html! {
                h1 { "Change a workout" }
                p.lead { a href={ "/plan/workouts/" (planned.id) } { (time::element(planned.workout.date, view.today)) " " (planned.workout.brief(view.units())) } }
                section.card { (change_form(view, plan, current, planned, filling)) }
            };
            view.page(Place::Plan, "Change a workout", &body)
        }
        None => add_page(view, filling),
    }
}

fn add_page(view: &View, filling: Filling<'_>) -> Response {
    let body = html! {
        h1 { "Add a workout" }
        p.lead { "One more workout on a day of the plan. What it does to the week is shown before anything is saved." }
        section.card { (add_form(filling)) }
    };
    view.page(Place::Plan, "Add a workout", &body)
}
