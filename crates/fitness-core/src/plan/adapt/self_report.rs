//! What the athlete said about themselves: hurt, ill, or feeling bad.

use super::downgrade::{WALK_RUN_STAGE_COUNT, downgrade, walk_run};
use super::return_to_training::{PlanRebuild, RunsSinceReturn};
use super::{Adaptation, Cause, LOOKAHEAD_DAYS, Situation, fact_key, modify, skip};
use crate::domain::calendar::Day;
use crate::domain::ids::PlanId;
use crate::domain::observation::{ObservationData, ObservationKind};
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::{WorkoutKind, training_norms};

/// Hurt: no fast running for two weeks after the last day of pain. When running was impossible, none at all until then,
/// and the way back is walking and running by turns, every other day. The weeks after that grow from what was run since.
pub(super) fn injury(s: &Situation<'_>) -> Option<Adaptation> {
    let said = s.latest_observation(ObservationKind::Injury, LOOKAHEAD_DAYS)?.data.clone();
    let (from, through) = (said.from(), said.through());
    let bad = said.value().is_some_and(|value| value >= 3);
    // What they ran before it happened; what they run since says nothing about what they can bear.
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
            changes.push(skip(planned, "No running while it hurts to run"));
        } else if !careful && (!bad || back.len() >= WALK_RUN_STAGE_COUNT) {
            again = Some(workout.date);
            break;
        } else if bad && back.last().is_some_and(|last| last.days_until(workout.date) < 2) {
            changes.push(skip(planned, "A day without running after each run"));
        } else if bad {
            // By its time it counts as a run; recorded it will have been less, for half of it is walked. No step for R1
            // and R2 either way.
            let run = s.athlete.longest_run_between(workout.date.plus_days(-30), workout.date.previous());
            let free = run
                .map_or(0.0, Distance::km)
                .max(training_norms::SHORT_RUN_KM)
                .min(all.remaining_km(s, workout.date));
            let Some((gentle, km)) = walk_run(workout, back.len(), half, free * minutes_per_km) else {
                changes.push(skip(planned, "Very little in the first weeks back"));
                continue;
            };
            back.push(workout.date);
            since.add(s, &gentle, Some(km));
            all.add(s, &gentle, Some(km));
            changes.extend(modify(
                planned,
                gentle,
                "Running and walking by turns, as long as it does not hurt",
            ));
        } else {
            let fast = workout.kind.is_quality()
                || matches!(workout.kind, WorkoutKind::Long | WorkoutKind::Strides)
                || workout.distance.is_some_and(|d| d > half);
            let easy =
                if fast { downgrade(workout, 1.0, s.athlete).cap_distance(half) } else { workout.clone() };
            since.add(s, &easy, None);
            changes.extend(modify(planned, easy, "Easy and short until two weeks without pain"));
        }
    }
    let rebuilt = again.map(|day| PlanRebuild::from_base(s, day, since));
    let after = rebuilt.as_ref().map(|rebuilt| rebuilt.message(s)).unwrap_or_default();
    changes.extend(rebuilt.into_iter().flat_map(|rebuilt| rebuilt.changes));
    let how = if bad {
        "Come back with running and walking by turns, every other day: a minute of each at first, five in the end. "
    } else {
        ""
    };
    let message = format!(
        "You said you are hurt. {how}Until two weeks have passed without pain there is nothing fast, and no run beyond {}. \
         Stop when pain goes above 2 of 10, while running or the morning after; walking in between is fine.{after} This is \
         no diagnosis: if it does not get better, see somebody who knows.",
        s.units.format_distance(half)
    );
    let facts = observation_facts(&said);
    (!changes.is_empty()).then(|| s.adaptation(Cause::Injury, &facts, message, changes))
}

/// What of a mark a proposal follows from.
fn observation_facts(said: &ObservationData) -> (Day, Day, Option<u8>) {
    (said.from(), said.through(), said.value())
}

/// The key of what the rules propose to a plan because of a mark; `None` for a mark that no rule looks at.
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

/// Ill, as the athlete said: easy halves for a cold, nothing with fever, and easy days before anything hard.
pub(super) fn illness(s: &Situation<'_>) -> Option<Adaptation> {
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
                "Half, and easy, with a cold",
            ));
        }
        let said = if said.value().is_some() { "You said you have a cold" } else { "You said you are ill" };
        let message = format!(
            "{said}. Easy running of half the length is enough with a cold until it is over; rest is just as good. With \
             fever, or a cough from the chest, mark it as worse and stop."
        );
        return (!changes.is_empty()).then(|| s.adaptation(Cause::Illness, &facts, message, changes));
    }
    let symptom_free = said.through().next();
    let careful = symptom_free.plus_days((2 * days).clamp(2, LOOKAHEAD_DAYS));
    for planned in s.changeable_workouts(s.today, careful) {
        let workout = &planned.workout;
        if workout.date <= symptom_free {
            changes.push(skip(planned, "No training until a day after the last symptom"));
        } else if workout.kind.is_quality() || workout.kind == WorkoutKind::Long {
            changes.extend(modify(planned, downgrade(workout, 0.7, s.athlete), "Easy before anything hard"));
        }
    }
    let mut message = format!(
        "You said you are ill. Nothing until 24 hours without symptoms and without medicine, then two easy days for each \
         day of fever before anything hard: until {careful}."
    );
    if days > 10 {
        message.push_str(
            " More than ten days is long: see a doctor before you run. Chest pain, a racing heart or breathlessness \
             belong to a doctor at once.",
        );
    }
    (!changes.is_empty()).then(|| s.adaptation(Cause::Illness, &facts, message, changes))
}

/// Up to this of five, somebody feels bad.
const LOW_FEELING_MAX: u8 = 2;

/// Whether an observation says that the athlete feels bad.
#[must_use]
pub fn is_low_feeling(said: &ObservationData) -> bool {
    said.kind() == ObservationKind::Mood && said.value().is_some_and(|value| value <= LOW_FEELING_MAX)
}

/// Feeling bad today, by the athlete's latest word: what is hard or long becomes easy, today and no further.
pub(super) fn low_feeling(s: &Situation<'_>) -> Option<Adaptation> {
    let said =
        &s.latest_observation(ObservationKind::Mood, 1).filter(|said| is_low_feeling(&said.data))?.data;
    let hard = |kind: WorkoutKind| kind.is_quality() || kind == WorkoutKind::Long;
    let changes: Vec<_> =
        (s.changeable_workouts(s.today, s.today).filter(|planned| hard(planned.workout.kind)))
            .filter_map(|planned| {
                modify(planned, downgrade(&planned.workout, 0.7, s.athlete), "Easy, as you feel bad today")
            })
            .collect();
    let message = format!(
        "You said you feel {} of 5 today. Easy and shorter is the better training then, and what is left out is not caught up \
         on. If it is an illness, mark it as one.",
        said.value()?
    );
    (!changes.is_empty()).then(|| s.adaptation(Cause::LowFeeling, &s.today, message, changes))
}
