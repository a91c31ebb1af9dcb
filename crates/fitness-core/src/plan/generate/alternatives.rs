//! Suggests changes when no plan is possible: the request without each option, a later date, or a
//! shorter race.

use super::volume::{self, VolumeInput};
use super::{PlanRequest, absences, best_attempt, effective_baseline, validate_request};
use crate::domain::calendar::Day;
use crate::plan::training_norms::MIN_MARATHON_LONGEST_KM;
use crate::plan::{GoalDistance, SelfReportedTraining, TrainingBaseline, Weekdays};

/// Weeks by which a later race is looked for, and the step.
const MAX_WEEKS_LATER: i64 = 44;
const WEEKS_STEP: usize = 2;

/// The earliest later date on which this race can be prepared for.
pub(super) fn earliest_date(wish: &PlanRequest, athlete: &TrainingBaseline) -> Option<Day> {
    let requests = (WEEKS_STEP as i64..=MAX_WEEKS_LATER)
        .step_by(WEEKS_STEP)
        .map(|weeks| PlanRequest { race: wish.race.plus_days(7 * weeks), ..wish.clone() });
    // The outline of the weeks is cheap; only dates that pass it are planned in full.
    let mut promising = requests.filter(|wish| outlined_longest_km(wish, athlete) >= MIN_MARATHON_LONGEST_KM);
    promising.by_ref().take(MAX_FULL_TRIES).find(|wish| is_feasible(wish, athlete)).map(|wish| wish.race)
}

/// The longest run that the outline of a plan reaches, in kilometres.
fn outlined_longest_km(wish: &PlanRequest, athlete: &TrainingBaseline) -> f64 {
    let free = absences::block_unavailable_days(wish, athlete);
    let Some((race, level)) = validate_request(&free, athlete).ok().zip(athlete.level().ok()) else {
        return 0.0;
    };
    let brings = effective_baseline(athlete);
    let shape = VolumeInput::new(&free, race, level, &brings, 1.0);
    let (weeks, _) = volume::outline_weeks(&shape, &free, &brings);
    weeks.iter().map(|week| week.long_run_km).fold(0.0, f64::max)
}

/// Dates that are planned in full.
const MAX_FULL_TRIES: usize = 3;

/// The longest standard race that can be prepared for by this date.
pub(super) fn longest_race(wish: &PlanRequest, athlete: &TrainingBaseline) -> Option<GoalDistance> {
    [GoalDistance::Half, GoalDistance::TenK, GoalDistance::FiveK].into_iter().find(|goal| {
        let shorter =
            PlanRequest { goal: *goal, distance: None, target: None, tune_up: None, ..wish.clone() };
        is_feasible(&shorter, athlete)
    })
}

/// Changes to the request that would make a plan possible; at most three.
pub(super) fn suggest_changes(wish: &PlanRequest, athlete: &TrainingBaseline) -> String {
    type Change = (&'static str, fn(&mut PlanRequest, &mut TrainingBaseline) -> bool);
    let changes: [Change; 7] = [
        ("leave out the tune-up race", |wish, _| wish.tune_up.take().is_some()),
        ("leave out the target time", |wish, _| wish.target.take().is_some()),
        ("enter a longest run that fits your weekly distance, or leave it out", |_, athlete| {
            athlete.self_reported.longest.take().is_some()
        }),
        ("leave out the weekly distance, longest run and level you entered", |_, athlete| {
            let known =
                athlete.has_recorded_base() && athlete.self_reported != SelfReportedTraining::default();
            athlete.self_reported = SelfReportedTraining::default();
            known
        }),
        ("unblock the blocked days", |wish, _| !std::mem::take(&mut wish.availability.blackouts).is_empty()),
        ("add more training days", |wish, _| {
            std::mem::replace(&mut wish.availability.days, Weekdays::ALL) != Weekdays::ALL
        }),
        ("choose a race eight weeks later", |wish, _| {
            wish.race = wish.race.plus_days(8 * 7);
            true
        }),
    ];
    let helps = |(said, change): &Change| {
        let (mut wish, mut athlete) = (wish.clone(), athlete.clone());
        (change(&mut wish, &mut athlete) && is_feasible(&wish, &athlete)).then_some(*said)
    };
    let helping: Vec<&str> = changes.iter().filter_map(helps).take(3).collect();
    match helping.as_slice() {
        [] => "choose a shorter race, or build up your weekly distance first".to_owned(),
        some => some.join(", or "),
    }
}

fn is_feasible(wish: &PlanRequest, athlete: &TrainingBaseline) -> bool {
    let free = absences::block_unavailable_days(wish, athlete);
    let made = validate_request(&free, athlete).ok().zip(athlete.level().ok());
    made.is_some_and(|(race, level)| {
        best_attempt(wish, &free, race, level, athlete).is_ok_and(|(faults, _)| faults == 0)
    })
}
