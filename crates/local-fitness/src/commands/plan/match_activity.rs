//! `fitness plan match` and `fitness plan unmatch`

use crate::cli::{MatchArgs, WorkoutArgs};
use crate::clock;
use crate::context::Context;
use crate::output::CommandOutput;
use anyhow::Result;
use serde_json::json;

/// Stores a match, or that the athlete declined it.
pub(super) async fn add_match(context: &Context, args: MatchArgs) -> Result<CommandOutput> {
    let MatchArgs { workout_args: WorkoutArgs { workout, plan }, activity, decline } = args;
    let (store, user) = context.open_for_user().await?;
    let plan = super::select_plan(&store, &user, plan).await?.id;
    store.put_match(user.id, plan, workout, activity, !decline, clock::now()).await?;
    store.close().await;
    let words = if decline {
        format!("Declined: activity {activity} is not suggested for workout {workout} again.")
    } else {
        format!(
            "Activity {activity} now counts for workout {workout}. Undo with `fitness plan unmatch {workout}`."
        )
    };
    Ok(CommandOutput::new(
        words,
        &json!({ "plan_id": plan, "workout_id": workout, "activity_id": activity, "accepted": !decline }),
    ))
}

/// Removes matches and declined suggestions of a workout.
pub(super) async fn remove_match(context: &Context, args: WorkoutArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = super::select_plan(&store, &user, args.plan).await?.id;
    let removed = store.remove_match(user.id, plan, args.workout, clock::now()).await?;
    store.close().await;
    let words = format!(
        "Workout {} is no longer matched to an activity. Other activities may be suggested.",
        args.workout
    );
    Ok(CommandOutput::new(words, &json!({ "plan_id": plan, "workout_id": args.workout, "removed": removed })))
}
