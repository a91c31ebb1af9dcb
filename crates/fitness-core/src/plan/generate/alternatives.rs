//! What would help where no plan can be made: each thing that was asked for is left out once, and what then makes a plan is
//! said.

use super::{Wish, best_try, check, unavailable_days};
use crate::plan::{Background, Stated, Weekdays};

/// What to change about a wish that ends in no plan.
pub(super) fn what_to_change(wish: &Wish, athlete: &Background) -> String {
    type Change = (&'static str, fn(&mut Wish, &mut Background) -> bool);
    let changes: [Change; 7] = [
        ("leave out the race along the way", |wish, _| wish.tune_up.take().is_some()),
        ("leave out the target", |wish, _| wish.target.take().is_some()),
        ("say a longest run that fits the base, or leave it out", |_, athlete| {
            athlete.stated.longest.take().is_some()
        }),
        ("leave out what you typed about your running", |_, athlete| {
            let known = athlete.is_recorded() && athlete.stated != Stated::default();
            athlete.stated = Stated::default();
            known
        }),
        ("free the blocked days", |wish, _| !std::mem::take(&mut wish.availability.blackouts).is_empty()),
        ("free more weekdays", |wish, _| {
            std::mem::replace(&mut wish.availability.days, Weekdays::ALL) != Weekdays::ALL
        }),
        ("choose a race eight weeks later", |wish, _| {
            wish.race = wish.race.plus(8 * 7);
            true
        }),
    ];
    let helps = |(said, change): &Change| {
        let (mut wish, mut athlete) = (wish.clone(), athlete.clone());
        (change(&mut wish, &mut athlete) && makes_a_plan(&wish, &athlete)).then_some(*said)
    };
    let helping: Vec<&str> = changes.iter().filter_map(helps).take(3).collect();
    match helping.as_slice() {
        [] => "choose a shorter race, or build up your weeks first".to_owned(),
        some => some.join(", or "),
    }
}

fn makes_a_plan(wish: &Wish, athlete: &Background) -> bool {
    let free = unavailable_days::without_marked(wish, athlete);
    let made = check(&free, athlete).ok().zip(athlete.level().ok());
    made.is_some_and(|(race, level)| {
        best_try(wish, &free, race, level, athlete).is_ok_and(|(faults, _)| faults == 0)
    })
}
