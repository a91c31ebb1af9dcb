//! What would help where no plan can be made: each thing that was asked for is left out once, and what then makes a plan is
//! said.

use super::{PlanRequest, best_attempt, unavailable_days, validate_request};
use crate::plan::{SelfReported, TrainingBaseline, Weekdays};

/// What to change about a wish that ends in no plan.
pub(super) fn suggest_changes(wish: &PlanRequest, athlete: &TrainingBaseline) -> String {
    type Change = (&'static str, fn(&mut PlanRequest, &mut TrainingBaseline) -> bool);
    let changes: [Change; 7] = [
        ("leave out the race along the way", |wish, _| wish.tune_up.take().is_some()),
        ("leave out the target", |wish, _| wish.target.take().is_some()),
        ("say a longest run that fits the base, or leave it out", |_, athlete| {
            athlete.self_reported.longest.take().is_some()
        }),
        ("leave out what you typed about your running", |_, athlete| {
            let known = athlete.has_recorded_base() && athlete.self_reported != SelfReported::default();
            athlete.self_reported = SelfReported::default();
            known
        }),
        ("free the blocked days", |wish, _| !std::mem::take(&mut wish.availability.blackouts).is_empty()),
        ("free more weekdays", |wish, _| {
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
        [] => "choose a shorter race, or build up your weeks first".to_owned(),
        some => some.join(", or "),
    }
}

fn is_feasible(wish: &PlanRequest, athlete: &TrainingBaseline) -> bool {
    let free = unavailable_days::block_unavailable_days(wish, athlete);
    let made = validate_request(&free, athlete).ok().zip(athlete.level().ok());
    made.is_some_and(|(race, level)| {
        best_attempt(wish, &free, race, level, athlete).is_ok_and(|(faults, _)| faults == 0)
    })
}
