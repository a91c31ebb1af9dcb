//! `fitness plan match` and `fitness plan unmatch`

use crate::cli::{MatchArgs, WorkoutArgs};
use crate::clock;
use crate::context::Context;
use crate::output::CommandOutput;
use anyhow::Result;
use serde_json::json;

/// Takes the athlete's word about a workout and an activity of another day.
pub(super) async fn add_match(context: &Context, args: MatchArgs) -> Result<CommandOutput> {
    let MatchArgs { workout_args: WorkoutArgs { workout, plan }, activity, decline } = args;
    let (store, user) = context.open_for_user().await?;
    let plan = super::select_plan(&store, &user, plan).await?.id;
    store.put_match(user.id, plan, workout, activity, !decline, clock::now()).await?;
    store.close().await;
    let words = if decline {
        format!("Noted: activity {activity} was not workout {workout}. It is not offered again.")
    } else {
        format!(
            "Activity {activity} counts as workout {workout} now. `fitness plan unmatch {workout}` takes it back."
        )
    };
    Ok(CommandOutput::new(
        words,
        &json!({ "plan_id": plan, "workout_id": workout, "activity_id": activity, "accepted": !decline }),
    ))
}

/// Takes back what was said about a workout.
pub(super) async fn remove_match(context: &Context, args: WorkoutArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = super::select_plan(&store, &user, args.plan).await?.id;
    let gone = store.remove_match(user.id, plan, args.workout, clock::now()).await?;
    store.close().await;
    let words =
        format!("Workout {} is judged by its own day again; activities may be offered for it.", args.workout);
    Ok(CommandOutput::new(words, &json!({ "plan_id": plan, "workout_id": args.workout, "removed": gone })))
}
