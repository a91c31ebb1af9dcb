mod returns;

use super::*;
use crate::adherence::grade::{Amount, GradedWorkout};
use crate::domain::ids::{ObservationId, WorkoutId};
use crate::domain::note::Author;
use crate::domain::observation::{AbsenceReason, ObservationData};
use crate::domain::units::TimeSpan;
use crate::plan::fixtures::half_marathon;
use crate::plan::{GoalDistance, PastRun};

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn workout(date: &str, kind: WorkoutKind, km: f64) -> Workout {
    Workout {
        sport: Sport::Running,
        kind,
        name: format!("{kind} run"),
        distance: Distance::from_km(km),
        duration: TimeSpan::from_seconds(km * 360.0),
        key: true,
        ..Workout::rest(day(date))
    }
}

/// Three weeks of a 10K plan from Monday 1 June; today is Wednesday 10 June, and data is complete
/// through the 9th.
struct Fixture {
    plan: Plan,
    workouts: Vec<PlannedWorkout>,
    verdicts: Vec<(Verdict, Option<AbsenceReason>)>,
    observed: Vec<Observation>,
    races: Vec<(Day, Distance)>,
    athlete: TrainingBaseline,
    today: Day,
    /// Completed amount of a workout on a day that is not over.
    done: Option<(usize, Distance)>,
}

impl Fixture {
    fn new() -> Self {
        use WorkoutKind::{Easy, Intervals, Long, Race, Tempo};
        let workouts: Vec<PlannedWorkout> = [
            ("2026-06-02", Easy, 8.0),
            ("2026-06-04", Tempo, 9.0),
            ("2026-06-07", Long, 14.0),
            ("2026-06-09", Easy, 8.0),
            ("2026-06-11", Intervals, 9.0),
            ("2026-06-12", Easy, 7.0),
            ("2026-06-14", Long, 14.0),
            ("2026-06-16", Easy, 8.0),
            ("2026-06-18", Tempo, 9.0),
            ("2026-06-20", Easy, 5.0),
            ("2026-06-21", Race, 10.0),
        ]
        .into_iter()
        .enumerate()
        .map(|(i, (date, kind, km))| PlannedWorkout {
            id: WorkoutId::new(i as i64 + 1),
            workout: workout(date, kind, km),
        })
        .collect();
        let as_of = day("2026-06-09");
        // A run of 10 km every other day for 60 weeks, one of 14 on Sundays.
        let runs = (0..420)
            .map(|back| as_of.plus_days(-419 + back))
            .filter(|day| day.days_until(as_of) % 2 == 0)
            .map(|day| PastRun {
                day,
                distance: Distance::from_km(if day.weekday() == crate::domain::calendar::Weekday::Sun {
                    14.0
                } else {
                    10.0
                })
                .unwrap(),
                duration: Some(TimeSpan::from_mins(60)),
                hard: false,
            })
            .collect::<Vec<_>>();
        Self {
            plan: Plan {
                goal: GoalDistance::TenK,
                distance: Distance::from_km(10.0),
                start_date: day("2026-06-01"),
                race_date: day("2026-06-21"),
                ..half_marathon()
            },
            verdicts: workouts
                .iter()
                .map(|w| (if w.workout.date <= as_of { Verdict::Hit } else { Verdict::Pending }, None))
                .collect(),
            workouts,
            observed: Vec::new(),
            races: Vec::new(),
            athlete: TrainingBaseline {
                first_day: runs.first().map(|run| run.day),
                first_run: runs.first().map(|run| run.day),
                runs,
                ..TrainingBaseline::unknown(as_of)
            },
            today: day("2026-06-10"),
            done: None,
        }
    }

    fn with_observation(mut self, kind: ObservationKind, from: &str, through: &str, value: u8) -> Self {
        self.observed.push(Observation {
            id: ObservationId::new(1),
            author: Author::Athlete,
            accepted: true,
            data: ObservationData::new(kind, day(from), day(through), Some(value)).unwrap(),
            written_at: "2026-06-10T08:00:00Z".parse().unwrap(),
        });
        self
    }

    /// No run for this many days up to the last complete day.
    fn with_break(mut self, days: i64) -> Self {
        let last = self.athlete.as_of.plus_days(-days);
        self.athlete.runs.retain(|run| run.day <= last);
        let missing = !self.athlete.runs.iter().any(|run| run.day == last);
        if missing {
            self.athlete.runs.push(PastRun {
                day: last,
                distance: Distance::from_km(10.0).unwrap(),
                duration: None,
                hard: false,
            });
        }
        for (planned, verdict) in self.workouts.iter().zip(&mut self.verdicts) {
            if planned.workout.date > last && planned.workout.date <= self.athlete.as_of {
                verdict.0 = Verdict::Missed;
            }
        }
        self
    }

    fn adapt(&self) -> Option<Adaptation> {
        let graded: Vec<GradedWorkout> = self
            .workouts
            .iter()
            .zip(&self.verdicts)
            .enumerate()
            .map(|(at, (w, (verdict, excused)))| GradedWorkout {
                workout: w.id,
                day: w.workout.date,
                verdict: *verdict,
                planned: None,
                actual: self.done.filter(|done| done.0 == at).map(|done| Amount::Distance(done.1)),
                excused: *excused,
            })
            .collect();
        adapt(&AdaptInput {
            plan: &self.plan,
            workouts: &self.workouts,
            graded: &graded,
            observations: &self.observed,
            races: &self.races,
            athlete: &self.athlete,
            today: self.today,
            units: UnitSystem::Metric,
        })
    }

    /// `11: easy 4.5` for a change, `12: out` for a removal.
    fn describe_changes(&self) -> Vec<String> {
        let Some(adaptation) = self.adapt() else { return Vec::new() };
        let on = |id: WorkoutId| self.workouts.iter().find(|w| w.id == id).unwrap().workout.date.to_string();
        adaptation
            .changes
            .iter()
            .map(|change| match change {
                Change::Modify { workout_id, workout, .. } => format!(
                    "{}: {} {:.1}",
                    &on(*workout_id)[8..],
                    workout.kind,
                    workout.distance.map_or(0.0, Distance::km)
                ),
                Change::Skip { workout_id, .. } => format!("{}: out", &on(*workout_id)[8..]),
                Change::Add { workout } => format!("{}: new", &workout.date.to_string()[8..]),
            })
            .collect()
    }

    fn cause(&self) -> Option<Cause> {
        self.adapt().map(|adaptation| adaptation.cause)
    }
}

#[test]
fn a_plan_that_goes_well_is_left_alone() {
    assert_eq!(Fixture::new().adapt(), None);
}

#[test]
fn illness_cold_halves_runs_fever_stops_them_and_delays_quality() {
    let cold = Fixture::new().with_observation(ObservationKind::Illness, "2026-06-10", "2026-06-12", 1);
    assert_eq!(cold.describe_changes(), ["11: easy 4.5", "12: easy 3.5"]);
    let fever = Fixture::new().with_observation(ObservationKind::Illness, "2026-06-10", "2026-06-11", 3);
    // One day without symptoms, then two easy days for each of the two days of fever.
    assert_eq!(fever.describe_changes(), ["11: out", "12: out", "14: easy 9.8"]);
    let message = fever.adapt().unwrap().message;
    assert!(message.contains("until 2026-06-16"), "{message}");
    let long = Fixture::new()
        .with_observation(ObservationKind::Illness, "2026-05-29", "2026-06-10", 2)
        .adapt()
        .unwrap();
    assert!(long.message.contains("see a doctor"), "{}", long.message);
    let over = Fixture::new().with_observation(ObservationKind::Illness, "2026-05-10", "2026-05-12", 3);
    assert_eq!(over.adapt(), None);
}

#[test]
fn suggested_observation_counts_only_after_acceptance() {
    let mut world = Fixture::new().with_observation(ObservationKind::Illness, "2026-06-10", "2026-06-12", 3);
    world.observed[0].accepted = false;
    assert_eq!(world.adapt(), None);
}

#[test]
fn injury_removes_quality_and_long_runs() {
    let niggle = Fixture::new().with_observation(ObservationKind::Injury, "2026-06-10", "2026-06-10", 1);
    assert_eq!(niggle.describe_changes(), ["11: easy 7.0", "14: easy 7.0", "16: easy 7.0", "18: easy 7.0"]);
    // Strides count as fast.
    let mut strides = Fixture::new().with_observation(ObservationKind::Injury, "2026-06-10", "2026-06-10", 1);
    strides.workouts[5].workout.kind = WorkoutKind::Strides;
    strides.workouts[5].workout.distance = Distance::from_km(5.0);
    assert_eq!(strides.describe_changes()[1], "12: easy 5.0");
}

#[test]
fn after_a_bad_injury_running_comes_back_with_walking_every_other_day() {
    let mut world = Fixture::new().with_observation(ObservationKind::Injury, "2026-06-10", "2026-06-13", 3);
    world.workouts[8].workout.date = day("2026-06-17");
    world.workouts[9].workout.kind = WorkoutKind::Strides;
    let adaptation = world.adapt().unwrap();
    assert_eq!(
        world.describe_changes(),
        ["11: out", "12: out", "14: easy 0.0", "16: easy 0.0", "17: out", "20: easy 0.0"]
    );
    let back: Vec<&Workout> = adaptation
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::Modify { workout, .. } => Some(workout),
            _ => None,
        })
        .collect();
    // One minute of each at first, in half an hour; two later.
    assert_eq!((back[0].name.as_str(), back[0].steps.len()), ("Run and walk 30 min", 22));
    let minutes = |workout: &Workout, at: usize| workout.steps[at].duration;
    use crate::plan::StepDuration::Time;
    assert_eq!(
        (minutes(back[0], 1), minutes(back[0], 2), minutes(back[2], 1)),
        (Time(60.0), Time(60.0), Time(120.0))
    );
    for workout in &back {
        let seconds: f64 =
            workout.steps.iter().map(|step| if let Time(s) = step.duration { s } else { 0.0 }).sum();
        assert_eq!(workout.duration.unwrap().seconds(), seconds);
        assert_eq!((workout.kind, workout.check()), (WorkoutKind::Easy, Ok(())));
    }
    for part in ["one minute of each", "no run longer than 7.0 km", "not a diagnosis"] {
        assert!(adaptation.message.contains(part), "{}", adaptation.message);
    }
    // Half of the longest run before the injury, not of those since; a run since then moves to the
    // next stage.
    world.today = day("2026-06-15");
    world.athlete.as_of = day("2026-06-14");
    for run in &mut world.athlete.runs {
        run.distance = Distance::from_km(3.0).unwrap();
    }
    let last = world.athlete.runs.last().copied().unwrap();
    world.athlete.runs.push(PastRun {
        day: day("2026-06-14"),
        distance: Distance::from_km(9.0).unwrap(),
        ..last
    });
    let adaptation = world.adapt().unwrap();
    assert!(adaptation.message.contains("no run longer than 1.5 km"), "{}", adaptation.message);
    let Change::Modify { workout, .. } = &adaptation.changes[0] else { panic!() };
    assert_eq!(workout.name, "Run and walk 22 min", "no farther than half of it");
}

#[test]
fn break_length_decides_the_adaptation() {
    assert_eq!(Fixture::new().with_break(2).cause(), None);
    // Four days: three days slightly shorter, and two easy days before the first hard one.
    assert_eq!(Fixture::new().with_break(4).describe_changes(), ["11: easy 7.6", "12: easy 5.9"]);
    let week = Fixture::new().with_break(8);
    assert_eq!(week.describe_changes(), ["11: easy 4.5", "12: easy 3.5", "14: long 10.5", "16: easy 6.0"]);
    assert!(week.adapt().unwrap().message.contains("5% to 8%"));
    let month = Fixture::new().with_break(30).adapt().unwrap();
    assert!(month.changes.is_empty() && month.message.contains("draft a new plan"), "{month:?}");
    // Absence days are not missed.
    let mut away = Fixture::new().with_break(4);
    away.verdicts.iter_mut().for_each(|verdict| verdict.1 = Some(AbsenceReason::Away));
    assert_eq!(away.adapt(), None);
}

#[test]
fn missing_data_is_not_a_break() {
    let mut world = Fixture::new().with_break(5);
    world.today = day("2026-06-13");
    world.athlete.as_of = day("2026-06-09");
    assert_eq!(world.adapt(), None);
}

#[test]
fn two_week_break_regenerates_the_rest_of_the_plan() {
    let mut world = Fixture::new();
    world.plan.race_date = day("2026-08-30");
    for planned in &mut world.workouts {
        if planned.workout.kind == WorkoutKind::Race {
            planned.workout.date = world.plan.race_date;
        }
    }
    let again = world.with_break(16).adapt().unwrap();
    assert_eq!(again.cause, Cause::MissedDays);
    assert!(again.changes.iter().any(|change| matches!(change, Change::Add { .. })));
    let out = again.changes.iter().filter(|change| matches!(change, Change::Skip { .. })).count();
    assert_eq!(out, 6, "everything ahead but the race");
}

#[test]
fn a_race_nobody_planned_is_followed_by_easy_days() {
    let mut world = Fixture::new();
    world.races = vec![(day("2026-06-09"), Distance::HALF_MARATHON)];
    assert_eq!(world.describe_changes(), ["11: easy 6.3", "14: easy 9.8"]);
    world.races = vec![(day("2026-06-21"), Distance::from_km(10.0).unwrap())];
    world.today = day("2026-06-21");
    assert_eq!(world.adapt(), None, "the plan's own race");
}

#[test]
fn missed_quality_replaces_an_easy_run_or_is_dropped() {
    let mut world = Fixture::new();
    world.today = day("2026-06-19");
    world.athlete.as_of = day("2026-06-18");
    let last = world.athlete.runs.last().copied().unwrap();
    world.athlete.runs.push(PastRun { day: day("2026-06-17"), ..last });
    world.workouts[9].workout = workout("2026-06-20", WorkoutKind::Easy, 5.0);
    world.plan.race_date = day("2026-06-28");
    world.workouts[10].workout.date = day("2026-06-28");
    world.verdicts[8].0 = Verdict::Missed;
    assert_eq!(world.describe_changes(), ["20: tempo 9.0"]);
    assert_eq!(world.cause(), Some(Cause::MissedQuality));
    // With a long run on the next day it does not fit and is dropped.
    world.workouts[9].workout.date = day("2026-06-21");
    world.workouts[7].workout = workout("2026-06-22", WorkoutKind::Long, 12.0);
    assert_eq!(world.adapt(), None);
}

#[test]
fn a_plan_too_big_for_what_was_run_shrinks() {
    let mut world = Fixture::new();
    for run in &mut world.athlete.runs {
        run.distance = Distance::from_km(6.0).unwrap();
    }
    let adaptation = world.adapt().unwrap();
    assert_eq!(adaptation.cause, Cause::TooMuch);
    let long = adaptation.changes.iter().find_map(|change| match change {
        Change::Modify { workout_id, workout, .. } if workout_id.get() == 7 => workout.distance,
        _ => None,
    });
    assert!(long.unwrap().km() < 9.0, "{long:?}");
}

#[test]
fn fact_key_depends_only_on_the_facts() {
    let key = |world: Fixture| world.adapt().unwrap().follows_from;
    let ill = || Fixture::new().with_observation(ObservationKind::Illness, "2026-06-10", "2026-06-12", 1);
    assert_eq!(key(ill()), key(ill()));
    let longer = Fixture::new().with_observation(ObservationKind::Illness, "2026-06-10", "2026-06-13", 1);
    assert_ne!(key(ill()), key(longer));
    let mark = |world: &Fixture| fact_key_for_observation(world.plan.id, &world.observed[0].data).unwrap();
    assert_eq!(mark(&ill()), key(ill()), "a mark that is taken back leads to what it caused");
}

#[test]
fn inapplicable_changes_are_dropped_and_reported() {
    let world = Fixture::new();
    let (first, second) = (&world.workouts[5], &world.workouts[7]);
    let far = workout("2027-06-12", WorkoutKind::Easy, 5.0);
    let made = |changes: Vec<Change>| Adaptation {
        cause: Cause::TooMuch,
        message: "Less.".to_owned(),
        changes,
        follows_from: "x".to_owned(),
    };
    let held =
        |changes: Vec<Change>| made(changes).retain_applicable(&world.plan, &world.workouts, world.today);
    let fits = vec![Change::skip(first, None), Change::skip(second, None)];
    assert_eq!(held(fits.clone()), made(fits));
    let some = held(vec![Change::Add { workout: far.clone() }, Change::skip(second, None)]);
    assert_eq!(some.changes, [Change::skip(second, None)]);
    assert!(some.message.starts_with("Less. Left out: 1 change ("), "{}", some.message);
    let none = held(vec![Change::Add { workout: far }]);
    assert!(none.changes.is_empty() && none.message.contains("outside the plan"), "{}", none.message);
}

/// A tempo run of 7 km in 36 minutes becomes an easy run of 4.9 km with the duration of easy
/// running.
#[test]
fn a_hard_session_made_easy_keeps_neither_its_pace_nor_its_load() {
    let tempo = Workout {
        duration: Some(TimeSpan::from_mins(36)),
        load: Some(49.0),
        ..workout("2026-06-18", WorkoutKind::Tempo, 7.0)
    };
    let mut athlete = Fixture::new().athlete;
    athlete.load_per_hour = Some(50.0);
    let pace = athlete.easy_pace().unwrap().seconds_per_km();
    let easy = downgrade(&tempo, 0.7, &athlete);
    assert_eq!((easy.kind, easy.distance), (WorkoutKind::Easy, Distance::from_km(4.9)));
    let minutes = easy.duration.unwrap().seconds() / 60.0;
    assert!((minutes - 4.9 * pace / 60.0).abs() <= 0.5, "{minutes} at {pace}");
    assert_eq!(easy.load, Some((minutes / 60.0 * 50.0).round()));
    // Missing values stay missing.
    athlete.load_per_hour = None;
    athlete.runs.clear();
    let easy = downgrade(&tempo, 0.7, &athlete);
    assert_eq!((easy.duration, easy.load), (None, None));
    // An easy run only gets shorter.
    let was = workout("2026-06-18", WorkoutKind::Easy, 8.0);
    assert_eq!(downgrade(&was, 0.5, &athlete).duration, Some(TimeSpan::from_mins(24)));
}

#[test]
fn a_bad_feeling_eases_what_is_hard_today_and_no_other_day() {
    let on = |today: &str, value: u8| {
        let mut world = Fixture::new().with_observation(ObservationKind::Mood, today, today, value);
        world.today = day(today);
        world
    };
    let intervals = on("2026-06-11", 1);
    assert_eq!(
        (intervals.describe_changes(), intervals.cause()),
        (vec!["11: easy 6.3".to_owned()], Some(Cause::LowFeeling))
    );
    let message = intervals.adapt().unwrap().message;
    assert!(message.contains("You rated today 1 of 5"), "{message}");
    assert_eq!(on("2026-06-14", 2).describe_changes(), ["14: easy 9.8"]);
    assert_eq!(on("2026-06-12", 1).describe_changes(), Vec::<String>::new(), "an easy day is easy");
    assert_eq!(on("2026-06-11", 3).describe_changes(), Vec::<String>::new());
    assert_eq!(on("2026-06-21", 1).describe_changes(), Vec::<String>::new(), "the race is the athlete's");
    // Only the latest rating of today counts.
    let mut better = intervals;
    let mut again = better.observed[0].clone();
    again.id = ObservationId::new(2);
    again.data = ObservationData::new(ObservationKind::Mood, better.today, better.today, Some(4)).unwrap();
    better.observed.push(again);
    assert_eq!(better.describe_changes(), Vec::<String>::new());
    let mut before = on("2026-06-11", 1);
    before.today = day("2026-06-12");
    assert_eq!(before.cause(), None);
    let mut suggested = on("2026-06-11", 1);
    suggested.observed[0].accepted = false;
    assert_eq!(suggested.describe_changes(), Vec::<String>::new(), "not their word");
    // Removing the rating withdraws the proposal.
    let world = on("2026-06-11", 2);
    let follows = fact_key_for_observation(world.plan.id, &world.observed[0].data);
    assert_eq!(follows, world.adapt().map(|adaptation| adaptation.follows_from));
}

#[test]
fn illness_message_names_the_severity_only_if_known() {
    let mut world = Fixture::new().with_observation(ObservationKind::Illness, "2026-06-10", "2026-06-12", 1);
    assert!(world.adapt().unwrap().message.starts_with("You marked yourself as ill (mild)."));
    world.observed[0].data =
        ObservationData::new(ObservationKind::Illness, day("2026-06-10"), day("2026-06-12"), None).unwrap();
    assert!(world.adapt().unwrap().message.starts_with("You marked yourself as ill."));
}
