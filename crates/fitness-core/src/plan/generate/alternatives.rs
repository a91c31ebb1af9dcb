//! Suggests changes when no plan is possible, by trying the request without each option.

use super::{PlanRequest, absences, best_attempt, validate_request};
use crate::plan::{SelfReportedTraining, TrainingBaseline, Weekdays};

/// Changes to the request that would make a plan possible; at most three.
pub(super) fn suggest_changes(wish: &PlanRequest, athlete: &TrainingBaseline) -> String {
    type Change = (&'static str, fn(&mut PlanRequest, &mut TrainingBaseline) -> bool);
    let changes: [Change; 7] = [
        ("leave out the tune-up race", |wish, _| wish.tune_up.take().is_some()),
        ("leave out the goal time", |wish, _| wish.target.take().is_some()),
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
