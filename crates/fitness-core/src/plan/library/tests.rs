//! The data files are complete and in order.

use super::*;
use std::collections::BTreeSet;

/// Seconds of hard running, with typical paces for steps by distance.
fn hard_seconds(workout: &LibraryWorkout) -> f64 {
    let pace = |effort: Effort| match effort {
        Effort::Repetition => 0.23,
        Effort::Interval | Effort::Test => 0.25,
        Effort::Race if workout.key == ProgressionKey::LongFull => 0.31,
        _ => 0.27,
    };
    let hard = workout.steps.iter().filter(|step| step.effort.is_hard());
    hard.map(|step| match step.length {
        Length::Seconds(seconds) => seconds,
        Length::Meters(meters) => meters * pace(step.effort),
    })
    .sum()
}

#[test]
fn every_file_parses_and_ids_are_unique() {
    for file in FILES.iter().chain([&TESTS_FILE]) {
        parse_file(file).unwrap();
    }
    let ids: BTreeSet<&str> = workouts().iter().map(|workout| workout.id.as_str()).collect();
    assert_eq!(ids.len(), workouts().len());
    let count = workouts().len() + strength_workouts().len();
    assert!((60..=120).contains(&count), "{count}");
    assert!(strength_workouts().iter().all(|workout| workout.exercises.len() >= 4));
}

#[test]
fn every_progression_has_three_steps_or_more_and_gets_harder() {
    for key in ProgressionKey::ALL {
        let series: Vec<&LibraryWorkout> = progression(*key).collect();
        assert!(series.len() >= 3, "{key}: {}", series.len());
        for pair in series.windows(2) {
            assert!(pair[0].level <= pair[1].level, "{key}: {} before {}", pair[0].id, pair[1].id);
            let (before, after) = (hard_seconds(pair[0]), hard_seconds(pair[1]));
            assert!(
                after >= before * 0.9,
                "{key}: {} ({before:.0} s) before {} ({after:.0} s)",
                pair[0].id,
                pair[1].id
            );
        }
    }
}

#[test]
fn every_workout_says_why_in_one_or_two_sentences() {
    for workout in workouts() {
        let words = workout.why.split_whitespace().count();
        assert!((5..=30).contains(&words) && workout.why.ends_with('.'), "{}: {}", workout.id, workout.why);
        assert!(!workout.phases.is_empty() && !workout.goals.is_empty(), "{}", workout.id);
        let plain = workout.key == ProgressionKey::MediumLong;
        assert!(plain || !workout.steps.is_empty(), "{}", workout.id);
    }
}

#[test]
fn repeats_are_written_out_and_end_with_work() {
    let hills = workouts().iter().find(|workout| workout.id == "hills-8x60s").unwrap();
    let climbs = hills.steps.iter().filter(|step| step.effort == Effort::Hill).count();
    assert_eq!((climbs, hills.steps.len()), (8, 15));
    assert!(
        hills.steps.iter().filter(|s| s.effort == Effort::Hill).all(|s| s.length == Length::Seconds(60.0))
    );
}

#[test]
fn a_step_that_cannot_be_read_is_refused() {
    for bad in [
        "8 min",
        "x min easy",
        "8 h easy",
        "8 min hard",
        "1 x (8 min easy)",
        "2 x (8 min easy",
        "99 x (1 min easy)",
    ] {
        assert!(step_text::parse(bad).is_err(), "{bad}");
    }
}
