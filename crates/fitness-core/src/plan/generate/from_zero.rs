//! For somebody who does not run yet: minutes instead of kilometres, walking in between, and how it feels instead of a pace.

use super::days::{Taken, Want, assign};
use super::marks::ways_back;
use super::volume::{Phase, Shape};
use super::{Outline, Wish, complete, is_open, strength, weeks_of};
use crate::calendar::Day;
use crate::plan::limits::Class;
use crate::plan::{Background, Level, Step, StepDuration, StepTarget, StepType, Workout, WorkoutKind};
use crate::sport::Sport;
use crate::units::{Distance, TimeSpan};

/// Three sessions a week.
const SESSIONS: usize = 3;
/// A body mass index from which on the first weeks are shorter still (Nielsen 2014).
const HEAVY: f64 = 30.0;

pub(super) fn plan(
    wish: &Wish,
    race: Distance,
    athlete: &Background,
) -> (Vec<Workout>, Vec<Outline>, Vec<String>) {
    let shape = Shape::new(wish, race, Level::Novice, athlete, 1.0);
    let weeks = weeks_of(wish);
    let heavy = athlete.bmi.is_some_and(|bmi| bmi > HEAVY);
    let longest = match shape.class {
        Class::FiveK => 45.0,
        Class::TenK => 70.0,
        Class::Half => 130.0,
        Class::Full => 165.0,
    };
    let mut workouts = Vec::new();
    let mut outlines = Vec::new();
    // Weeks of training behind the athlete: as many as were missed are lost again, all of them with an injury.
    let (mut trained, ways) = (0_usize, ways_back(wish, athlete));
    for (number, week) in weeks.iter().enumerate() {
        if ways.iter().any(|way| way.counts_since().is_some() && week.contains(way.first)) {
            trained = 0;
        }
        let to_race = weeks.len() - 1 - number;
        let taper = match to_race {
            0 => 0.4,
            1 if shape.class >= Class::Half => 0.65,
            _ => 1.0,
        };
        let easier = to_race > 1 && trained > 0 && (trained + 1) % 4 == 0;
        let first: f64 = if heavy { 15.0 } else { 20.0 };
        let usual = (first * 1.08_f64.powi(i32::try_from(trained).unwrap_or(0))).min(longest);
        let minutes = usual * taper * if easier { 0.8 } else { 1.0 };
        // The day before a race along the way is off.
        let along = |day: Day| wish.tune_up.is_some_and(|race| (0..=1).contains(&day.until(race.on)));
        let free = |day: &Day| is_open(wish, *day) && *day != wish.race && !along(*day);
        let open: Vec<Day> = week.days().filter(free).collect();
        let sessions = if to_race == 0 || (heavy && trained == 0) { 2 } else { SESSIONS };
        let open = if to_race == 0 {
            open.into_iter().filter(|day| day.until(wish.race) > 1).collect()
        } else {
            open
        };
        let want = Want { runs: sessions, hard: 0 };
        let slots = assign(&shape, wish, &open, None, want, &Taken::default(), |_| true);
        let last = slots.easy.len().saturating_sub(1);
        for (place, day) in slots.easy.iter().enumerate() {
            let share = if place == last && to_race > 0 {
                1.0
            } else {
                0.75_f64.max(20.0 / minutes.max(20.0)).min(1.0)
            };
            workouts.push(session(
                *day,
                (minutes * share).min(if place == last { longest } else { 50.0 }),
                trained,
            ));
        }
        trained = if slots.easy.is_empty() { trained.saturating_sub(1) } else { trained + 1 };
        let phase = if taper < 1.0 { Phase::Taper } else { Phase::Base };
        outlines.push(Outline { first: week.first, phase, cutback: easier });
    }
    let along = wish.tune_up.map(|tune_up| (tune_up.on, tune_up.distance, "Race along the way"));
    for (day, distance, word) in along.into_iter().chain([(wish.race, race, "Race day")]) {
        workouts.push(Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Race,
            name: format!("{word}: {}", wish.units.distance(distance)),
            distance: Some(distance).filter(|distance| distance.km() <= 200.0),
            intensity: Some("Start slowly, walk when you like, finish".to_owned()),
            key: true,
            ..Workout::rest(day)
        });
    }
    strength::add(wish, &weeks, |_, _| None, &mut workouts);
    complete(&mut workouts, wish, athlete);
    let remarks = vec![
        "Nothing is known of your running yet: the plan goes by minutes and by how it feels, with walking in between, \
         and promises no time. After four weeks of recorded runs, draft again."
            .to_owned(),
    ];
    (workouts, outlines, remarks)
}

/// So many minutes of running and walking; the running stretches grow with the weeks.
fn session(day: Day, minutes: f64, week: usize) -> Workout {
    let (run, walk) = match week {
        0 | 1 => (60.0, 90.0),
        2 | 3 => (120.0, 90.0),
        4 | 5 => (180.0, 60.0),
        6 | 7 => (300.0, 60.0),
        8 | 9 => (480.0, 60.0),
        _ => (900.0, 60.0),
    };
    let minutes = minutes.round().clamp(15.0, 180.0);
    let inside = (minutes - 10.0).max(5.0) * 60.0;
    let rounds = ((inside / (run + walk)).floor() as usize).clamp(1, 45);
    let step = |step_type, seconds: f64, notes: &str| Step {
        step_type,
        duration: StepDuration::Time(seconds),
        target: StepTarget::Open,
        notes: Some(notes.to_owned()),
    };
    let mut steps = vec![step(StepType::Warmup, 300.0, "Walk briskly")];
    for _ in 0..rounds {
        steps.push(step(StepType::Active, run, "Run so that you can talk"));
        steps.push(step(StepType::Recovery, walk, "Walk"));
    }
    steps.push(step(StepType::Cooldown, 300.0, "Walk"));
    let total: f64 = 600.0 + rounds as f64 * (run + walk);
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: format!("Run and walk {:.0} min", total / 60.0),
        duration: TimeSpan::from_seconds((total / 60.0).round() * 60.0),
        intensity: Some("Easy, about 3 of 10: you can talk in whole sentences".to_owned()),
        steps,
        ..Workout::rest(day)
    }
}
