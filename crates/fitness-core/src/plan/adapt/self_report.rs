//! Adaptations to reported injury, illness and low ratings.

use super::downgrade::{WALK_RUN_STAGE_COUNT, downgrade, walk_run};
use super::return_to_training::{PlanRebuild, RunsSinceReturn};
use super::{AdaptInput, Adaptation, Cause, LOOKAHEAD_DAYS, fact_key, modify, skip};
use crate::domain::calendar::Day;
use crate::domain::ids::PlanId;
use crate::domain::observation::{ObservationData, ObservationKind};
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::{WorkoutKind, training_norms};

/// Injury: nothing fast for two weeks after the last day of pain. If running was impossible, no
/// running until then, followed by alternating running and walking every other day. Later weeks
/// grow from what was run since.
pub(super) fn injury(s: &AdaptInput<'_>) -> Option<Adaptation> {
    let said = s.latest_observation(ObservationKind::Injury, LOOKAHEAD_DAYS)?.data.clone();
    let (from, through) = (said.from(), said.through());
    let bad = said.value().is_some_and(|value| value >= 3);
    // Runs before the injury; later ones do not show what the athlete can handle.
    let before = s
        .athlete
        .longest_run_between(from.plus_days(-30), from.previous())
        .or_else(|| s.athlete.longest_run().ok());
    let half = before.map_or(Distance::from_mm(5_000_000), |longest| Distance::from_mm(longest.mm() / 2));
    let mut since = RunsSinceReturn::from_runs(s, if bad { through.next() } else { from });
    let mut all = RunsSinceReturn::from_runs(s, from.plus_days(-60));
    let mut back = s.run_days_since(through.next());
    let minutes_per_km = s.athlete.easy_pace().map_or(8.0, |pace| pace.seconds_per_km() / 60.0);
    let mut changes = Vec::new();
    let mut again = None;
    for planned in s.changeable_workouts(s.today, s.plan.race_date) {
        let workout = &planned.workout;
        let careful = workout.date <= through.plus_days(LOOKAHEAD_DAYS);
        if workout.sport != Sport::Running {
            continue;
        }
        if bad && workout.date <= through {
            changes.push(skip(planned, "No running while running hurts"));
        } else if !careful && (!bad || back.len() >= WALK_RUN_STAGE_COUNT) {
            again = Some(workout.date);
            break;
        } else if bad && back.last().is_some_and(|last| last.days_until(workout.date) < 2) {
            changes.push(skip(planned, "One day without running after each run"));
        } else if bad {
            // By time it counts as a full run in the plan; less will be recorded, because half of
            // it is walking. It must fit R1 and R2 either way.
            let run = s.athlete.longest_run_between(workout.date.plus_days(-30), workout.date.previous());
            let free = run
                .map_or(0.0, Distance::km)
                .max(training_norms::SHORT_RUN_KM)
                .min(all.remaining_km(s, workout.date));
            let Some((gentle, km)) = walk_run(workout, back.len(), half, free * minutes_per_km) else {
                changes.push(skip(planned, "Very little running in the first weeks back"));
                continue;
            };
            back.push(workout.date);
            since.add(s, &gentle, Some(km));
            all.add(s, &gentle, Some(km));
            changes.extend(modify(
                planned,
                gentle,
                "Alternate running and walking, as long as it does not hurt",
            ));
        } else {
            let fast = workout.kind.is_quality()
                || matches!(workout.kind, WorkoutKind::Long | WorkoutKind::Strides)
                || workout.distance.is_some_and(|d| d > half);
            let easy =
                if fast { downgrade(workout, 1.0, s.athlete).cap_distance(half) } else { workout.clone() };
            since.add(s, &easy, None);
            changes.extend(modify(planned, easy, "Easy and short until you have had two weeks without pain"));
        }
    }
    let rebuilt = again.map(|day| PlanRebuild::from_base(s, day, since));
    let after = rebuilt.as_ref().map(|rebuilt| rebuilt.message(s)).unwrap_or_default();
    changes.extend(rebuilt.into_iter().flat_map(|rebuilt| rebuilt.changes));
    let how = if bad {
        "Come back by alternating running and walking, every other day: one minute of each at first, five later. "
    } else {
        ""
    };
    let message = format!(
        "You marked yourself as injured. {how}Until you have had two weeks without pain, there is nothing fast and no run \
         longer than {}. Stop if pain goes above 2 out of 10, while running or the next morning; walking breaks are \
         fine.{after} This is not a diagnosis: if it does not get better, see a doctor or physiotherapist.",
        s.units.format_distance(half)
    );
    let facts = observation_facts(&said);
    (!changes.is_empty()).then(|| s.adaptation(Cause::Injury, &facts, message, changes))
}

/// The facts of an observation that a proposal is based on.
fn observation_facts(said: &ObservationData) -> (Day, Day, Option<u8>) {
    (said.from(), said.through(), said.value())
}

/// Key of the proposal that follows from an observation; `None` if no rule uses it.
#[must_use]
pub fn fact_key_for_observation(plan: PlanId, mark: &ObservationData) -> Option<String> {
    let cause = match mark.kind() {
        ObservationKind::Injury => Cause::Injury,
        ObservationKind::Illness => Cause::Illness,
        ObservationKind::Mood if is_low_feeling(mark) => {
            return Some(fact_key(Cause::LowFeeling, plan, &mark.through()));
        }
        _ => return None,
    };
    Some(fact_key(cause, plan, &observation_facts(mark)))
}

/// Illness: easy runs of half the length with a cold; no training with a fever, then easy days
/// before anything hard.
pub(super) fn illness(s: &AdaptInput<'_>) -> Option<Adaptation> {
    let said = s.latest_observation(ObservationKind::Illness, LOOKAHEAD_DAYS)?.data.clone();
    let days = said.from().days_until(said.through()) + 1;
    let fever = said.value().is_some_and(|value| value >= 2);
    let facts = observation_facts(&said);
    let mut changes = Vec::new();
    if !fever {
        for planned in s.changeable_workouts(s.today, said.through()) {
            changes.extend(modify(
                planned,
                downgrade(&planned.workout, 0.5, s.athlete),
                "Easy and half as long while you have a cold",
            ));
        }
        let severity = if said.value().is_some() { " (mild)" } else { "" };
        let message = format!(
            "You marked yourself as ill{severity}. With a cold, easy runs of half the length are enough until it is over; \
             rest is just as good. With a fever or a chesty cough, mark a higher severity and do not run."
        );
        return (!changes.is_empty()).then(|| s.adaptation(Cause::Illness, &facts, message, changes));
    }
    let symptom_free = said.through().next();
    let careful = symptom_free.plus_days((2 * days).clamp(2, LOOKAHEAD_DAYS));
    for planned in s.changeable_workouts(s.today, careful) {
        let workout = &planned.workout;
        if workout.date <= symptom_free {
            changes.push(skip(planned, "No training until one day after the last symptom"));
        } else if workout.kind.is_quality() || workout.kind == WorkoutKind::Long {
            changes.extend(modify(
                planned,
                downgrade(workout, 0.7, s.athlete),
                "Easy running before anything hard",
            ));
        }
    }
    let mut message = format!(
        "You marked yourself as ill. Do not train until you have had 24 hours without symptoms or medication. Then run \
         only easy through {careful}: two easy days for each day of fever."
    );
    if days > 10 {
        message.push_str(
            " That is more than ten days: see a doctor before you run. With chest pain, a racing heart or \
             breathlessness, see one at once.",
        );
    }
    (!changes.is_empty()).then(|| s.adaptation(Cause::Illness, &facts, message, changes))
}

/// Highest rating, of five, that counts as feeling bad.
const LOW_FEELING_MAX: u8 = 2;

/// Whether an observation is a low rating of the day.
#[must_use]
pub fn is_low_feeling(said: &ObservationData) -> bool {
    said.kind() == ObservationKind::Mood && said.value().is_some_and(|value| value <= LOW_FEELING_MAX)
}

/// Low rating today: a hard or long workout today becomes easy and shorter; no other day changes.
pub(super) fn low_feeling(s: &AdaptInput<'_>) -> Option<Adaptation> {
    let said =
        &s.latest_observation(ObservationKind::Mood, 1).filter(|said| is_low_feeling(&said.data))?.data;
    let hard = |kind: WorkoutKind| kind.is_quality() || kind == WorkoutKind::Long;
    let changes: Vec<_> = (s
        .changeable_workouts(s.today, s.today)
        .filter(|planned| hard(planned.workout.kind)))
    .filter_map(|planned| {
        modify(planned, downgrade(&planned.workout, 0.7, s.athlete), "Easy, because you feel bad today")
    })
    .collect();
    let message = format!(
        "You rated today {} of 5. A shorter, easier workout is the better choice, and you do not need to make up for it. If \
         you are ill, mark the day as ill.",
        said.value()?
    );
    (!changes.is_empty()).then(|| s.adaptation(Cause::LowFeeling, &s.today, message, changes))
}
