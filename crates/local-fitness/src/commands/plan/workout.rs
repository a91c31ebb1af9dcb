//! `fitness plan workout`, and the steps of a workout compared with a recording.

use super::progress;
use crate::cli::WorkoutArgs;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::adherence::{StepAlignment, StepComparison, StepResult, compare_steps};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout, Step, format_step_distance};
use fitness_store::{Store, StoredActivity, User};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) async fn show(context: &Context, args: WorkoutArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = find_plan_of_workout(&store, &user, &args).await?;
    super::refresh(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let progress = store.plan_adherence(user.id, plan.id).await?;
    let Some(index) = progress.workouts.iter().position(|w| w.id == args.workout) else {
        return Err(no_workout_error(&args).into());
    };
    let planned = &progress.workouts[index];
    let mut words = String::new();
    if plan.status != PlanStatus::Active {
        let _ = writeln!(words, "Plan {}, {} ({})", plan.id, escape_invisible(&plan.name), plan.status);
    }
    words.push_str(&progress::render_workout(&progress, index, units, today));
    let label = super::author_label(&plan, store.find_text_author(user.id, &plan).await?);
    for text in [&planned.workout.intensity, &planned.workout.description].into_iter().flatten() {
        let _ = writeln!(words, "  {}{label}", escape_invisible(text));
    }
    let behind = progress.adherence.behind.get(index);
    let mut compared = Vec::new();
    for id in behind.into_iter().flat_map(|behind| &behind.activities) {
        let Some(stored) = store.find_activity(user.id, *id).await? else { continue };
        let time = stored.activity.training_time().map(TimeSpan::format_clock).unwrap_or_default();
        let _ = writeln!(words, "\nActivity {id} on {}, {time}", stored.day);
        let (text, data) = compare_with_activity(&store, &user, planned, &stored, units).await?;
        words.push_str(&text);
        compared.push(data);
    }
    store.close().await;
    if compared.is_empty() && !planned.workout.steps.is_empty() {
        words.push('\n');
        words.push_str(&planned_steps_table(&planned.workout.steps, units));
    }
    let graded = progress.adherence.graded.get(index);
    Ok(CommandOutput::new(
        words,
        &json!({ "workout": planned, "graded": graded, "behind": behind, "compared": compared }),
    ))
}

/// The named plan, or the plan that has the workout: active, draft or archived.
async fn find_plan_of_workout(store: &Store, user: &User, args: &WorkoutArgs) -> Result<Plan> {
    if args.plan.is_some() {
        return super::select_plan(store, user, args.plan).await;
    }
    if let Some(plan) = store.find_plan_with_workout(user.id, args.workout).await? {
        return Ok(plan);
    }
    if store.list_plans(user.id).await?.is_empty() {
        return Err(super::no_active_plan_error(store, user).await?.into());
    }
    Err(no_workout_error(args).into())
}

fn no_workout_error(args: &WorkoutArgs) -> CliError {
    let message = match args.plan {
        Some(plan) => format!("plan {plan} has no workout {}", args.workout),
        None => format!("none of your plans has a workout {}", args.workout),
    };
    let help = "`fitness plan show` lists the workouts of the active plan, `fitness plan show PLAN` those of another";
    CliError::new(message, help)
}

/// Text and JSON of the comparison, if the activity counts for a workout with steps of the active
/// plan.
pub(in crate::commands) async fn render_for_activity(
    store: &Store,
    user: &User,
    stored: &StoredActivity,
    units: UnitSystem,
) -> Result<Option<(String, Value)>> {
    let Some(plan) = store.find_active_plan(user.id).await? else { return Ok(None) };
    let progress = store.plan_adherence(user.id, plan.id).await?;
    let counts = |id: &ActivityId| *id == stored.id;
    let mut sessions = progress.workouts.iter().zip(&progress.adherence.behind);
    let Some((planned, _)) = sessions
        .find(|(planned, behind)| behind.activities.iter().any(counts) && !planned.workout.steps.is_empty())
    else {
        return Ok(None);
    };
    let (text, data) = compare_with_activity(store, user, planned, stored, units).await?;
    Ok(Some((format!("\nWorkout {}, {}\n{text}", planned.id, escape_invisible(&planned.workout.name)), data)))
}

async fn compare_with_activity(
    store: &Store,
    user: &User,
    planned: &PlannedWorkout,
    stored: &StoredActivity,
    units: UnitSystem,
) -> Result<(String, Value)> {
    let (workout, activity) = (planned.id, stored.id);
    if planned.workout.steps.is_empty() {
        return Ok((String::new(), json!({ "workout": workout, "activity": activity })));
    }
    let recording = store.find_recording(user.id, activity).await?;
    Ok(match compare_steps(&planned.workout.steps, &stored.activity.laps, recording.as_ref()) {
        Ok(compared) => (
            comparison_table(&compared, units),
            json!({ "workout": workout, "activity": activity, "comparison": compared }),
        ),
        Err(why) => (
            format!("The steps cannot be compared: {}.\n", why.message()),
            json!({ "workout": workout, "activity": activity, "missing": why }),
        ),
    })
}

fn comparison_table(compared: &StepComparison, units: UnitSystem) -> String {
    let row = |result: &StepResult| {
        let actual = result.actual.unwrap_or_default();
        [
            result.number.to_string(),
            result.step.step_type.label().to_lowercase(),
            result.step.length_label(units),
            result.step.target_label(units),
            actual.duration.map(TimeSpan::format_clock).unwrap_or_default(),
            actual.distance.map(|far| format_step_distance(far, units)).unwrap_or_default(),
            actual.pace.map(|pace| units.format_pace(pace).to_string()).unwrap_or_default(),
            actual.heart_rate.map(|bpm| format!("{bpm:.0}")).unwrap_or_default(),
            result.target_label().to_owned(),
        ]
    };
    let rows: Vec<_> = compared.steps.iter().map(row).collect();
    let header = ["step", "", "planned", "target", "time", "distance", "pace", "heart rate", "target met"];
    let source = match compared.aligned_by {
        StepAlignment::Laps => "from laps",
        StepAlignment::Recording => "from the recording",
    };
    format!("{source}\n{}", table(header, &rows))
}

fn planned_steps_table(steps: &[Step], units: UnitSystem) -> String {
    let rows: Vec<_> = (1..)
        .zip(steps)
        .map(|(number, step): (usize, _)| {
            [
                number.to_string(),
                step.step_type.label().to_lowercase(),
                step.length_label(units),
                step.target_label(units),
            ]
        })
        .collect();
    table(["step", "", "planned", "target"], &rows)
}
