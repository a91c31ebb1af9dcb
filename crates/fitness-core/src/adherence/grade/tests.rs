//! Grading: table tests of every boundary, and property tests.

use super::*;
use crate::adherence::data_frontier::ImportCoverage;
use crate::domain::note::Author;
use crate::domain::observation::{Observation, ObservationData, ObservationKind};
use crate::plan::WorkoutKind;
use proptest::prelude::*;

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// `14` is 14 June 2026, a Sunday.
fn june(number: u32) -> Day {
    Day::new(2026, 6, number).unwrap()
}

fn run(id: i64, date: Day, km: f64) -> PlannedWorkout {
    planned(id, Workout { distance: Distance::from_km(km), ..running(date) })
}

fn running(date: Day) -> Workout {
    Workout { sport: Sport::Running, kind: WorkoutKind::Easy, name: "Run".to_owned(), ..Workout::rest(date) }
}

fn planned(id: i64, workout: Workout) -> PlannedWorkout {
    PlannedWorkout { id: WorkoutId::new(id), workout }
}

fn frontier(complete: Option<Day>, open: Option<Day>) -> DataFrontier {
    DataFrontier::from_runs([ImportCoverage::new(complete, open)])
}

fn ran(km: f64) -> ActualAmounts {
    ActualAmounts { distance: Distance::from_km(km), duration: Some(TimeSpan::from_mins(30)), load: None }
}

fn totals(entries: &[(Day, Sport, ActualAmounts)]) -> CompletedByDayAndSport {
    let mut totals = CompletedByDayAndSport::default();
    for (day, sport, done) in entries {
        totals.add(*day, *sport, *done);
    }
    totals
}

#[track_caller]
fn verdicts(
    workouts: &[PlannedWorkout],
    totals: &CompletedByDayAndSport,
    frontier: DataFrontier,
    expected: &[Verdict],
) {
    let plan = PlanToGrade { start: june(10), workouts };
    let graded = grade(plan, totals, frontier, &GradingRules::default());
    assert_eq!(graded.iter().map(|g| g.verdict).collect::<Vec<_>>(), expected);
}

/// One run of 10 km on the 14th, `km` done that day, the frontier at the 14th.
#[track_caller]
fn one(km: Option<f64>, expected: Verdict) {
    let done =
        km.map_or_else(CompletedByDayAndSport::default, |km| totals(&[(june(14), Sport::Running, ran(km))]));
    verdicts(&[run(1, june(14), 10.0)], &done, frontier(Some(june(14)), None), &[expected]);
}

#[test]
fn a_day_before_the_start_is_not_started_whatever_the_data_says() {
    let workouts = [run(1, june(9), 10.0), run(2, june(10), 10.0)];
    let done = totals(&[(june(9), Sport::Running, ran(10.0)), (june(10), Sport::Running, ran(10.0))]);
    verdicts(&workouts, &done, frontier(Some(june(14)), None), &[Verdict::NotStarted, Verdict::Hit]);
    verdicts(&workouts, &done, DataFrontier::NONE, &[Verdict::NotStarted, Verdict::Pending]);
}

#[test]
fn a_day_after_the_frontier_is_pending_rest_included() {
    let workouts = [run(1, june(14), 10.0), run(2, june(15), 10.0), planned(3, Workout::rest(june(16)))];
    let done = totals(&[(june(15), Sport::Running, ran(10.0))]);
    verdicts(
        &workouts,
        &done,
        frontier(Some(june(14)), None),
        &[Verdict::Missed, Verdict::Pending, Verdict::Pending],
    );
}

#[test]
fn without_a_frontier_every_day_is_pending() {
    let workouts = [run(1, june(14), 10.0), planned(2, Workout::rest(june(15)))];
    let done = totals(&[(june(14), Sport::Running, ran(10.0))]);
    verdicts(&workouts, &done, DataFrontier::NONE, &[Verdict::Pending, Verdict::Pending]);
}

#[test]
fn rest_day_with_a_run_is_still_rest() {
    let rest = [planned(1, Workout::rest(june(14)))];
    verdicts(&rest, &CompletedByDayAndSport::default(), frontier(Some(june(14)), None), &[Verdict::Rest]);
    let done = totals(&[(june(14), Sport::Running, ran(21.0))]);
    verdicts(&rest, &done, frontier(Some(june(14)), None), &[Verdict::Rest]);
}

#[test]
fn nothing_done_is_missed() {
    one(None, Verdict::Missed);
    let zero = ActualAmounts { distance: Some(Distance::ZERO), duration: None, load: None };
    let done = totals(&[(june(14), Sport::Running, zero)]);
    // Only a zero distance: an activity was recorded, though without a distance.
    verdicts(&[run(1, june(14), 10.0)], &done, frontier(Some(june(14)), None), &[Verdict::Short]);
}

#[test]
fn nine_tenths_is_a_hit_and_a_millimetre_less_is_short() {
    one(Some(0.000_001), Verdict::Short);
    one(Some(8.999_999), Verdict::Short);
    one(Some(9.0), Verdict::Hit);
    one(Some(10.0), Verdict::Hit);
    one(Some(42.195), Verdict::Hit);
}

#[test]
fn eight_point_one_of_nine_miles_is_a_hit() {
    // 8.1 / 9.0 < 0.9 in floating point, but exactly 90 % in millimetres; the same for every tenth
    // of a mile.
    for tenths in 1..=1000 {
        let planned_miles = f64::from(tenths) / 10.0;
        let asked = Workout { distance: Distance::from_miles(planned_miles), ..running(june(14)) };
        let enough = Distance::from_miles(f64::from(tenths) * 9.0 / 100.0).unwrap();
        let too_little = enough - Distance::from_mm(2);
        for (distance, expected) in [(enough, Verdict::Hit), (too_little, Verdict::Short)] {
            let done = ActualAmounts { distance: Some(distance), duration: None, load: None };
            verdicts(
                &[planned(1, asked.clone())],
                &totals(&[(june(14), Sport::Running, done)]),
                frontier(Some(june(14)), None),
                &[expected],
            );
        }
    }
}

#[test]
fn on_the_open_day_a_hit_is_given_at_once_and_nothing_else() {
    let open = frontier(Some(june(13)), Some(june(14)));
    let workout = [run(1, june(14), 10.0)];
    for (km, expected) in [(9.0, Verdict::Hit), (8.9, Verdict::Pending)] {
        verdicts(&workout, &totals(&[(june(14), Sport::Running, ran(km))]), open, &[expected]);
    }
    verdicts(&workout, &CompletedByDayAndSport::default(), open, &[Verdict::Pending]);
    verdicts(
        &[planned(1, Workout::rest(june(14)))],
        &CompletedByDayAndSport::default(),
        open,
        &[Verdict::Pending],
    );
    // The day after the open day is unknown.
    let done = totals(&[(june(15), Sport::Running, ran(10.0))]);
    verdicts(&[run(1, june(15), 10.0)], &done, open, &[Verdict::Pending]);
}

#[test]
fn only_the_planned_sport_counts() {
    let done = totals(&[(june(14), Sport::Cycling, ran(40.0))]);
    verdicts(&[run(1, june(14), 10.0)], &done, frontier(Some(june(14)), None), &[Verdict::Missed]);
}

#[test]
fn planned_amount_prefers_distance_then_duration_then_load() {
    let asks = |distance: Option<f64>, minutes: Option<i64>, load: Option<f64>| {
        [planned(
            1,
            Workout {
                distance: distance.and_then(Distance::from_km),
                duration: minutes.map(TimeSpan::from_mins),
                load,
                ..running(june(14))
            },
        )]
    };
    let did = |distance: Option<f64>, minutes: Option<i64>, load: Option<f64>| {
        let done = ActualAmounts {
            distance: distance.and_then(Distance::from_km),
            duration: minutes.map(TimeSpan::from_mins),
            load,
        };
        totals(&[(june(14), Sport::Running, done)])
    };
    let at = frontier(Some(june(14)), None);
    // Distance decides if there is one, whatever the time.
    verdicts(
        &asks(Some(10.0), Some(60), Some(50.0)),
        &did(Some(8.0), Some(90), Some(90.0)),
        at,
        &[Verdict::Short],
    );
    verdicts(&asks(None, Some(60), Some(50.0)), &did(Some(3.0), Some(54), Some(1.0)), at, &[Verdict::Hit]);
    verdicts(
        &asks(None, Some(60), Some(50.0)),
        &did(Some(30.0), Some(53), Some(90.0)),
        at,
        &[Verdict::Short],
    );
    verdicts(&asks(None, None, Some(50.0)), &did(None, None, Some(45.0)), at, &[Verdict::Hit]);
    verdicts(&asks(None, None, Some(50.0)), &did(None, None, Some(44.999)), at, &[Verdict::Short]);
    // A run without a recorded distance is not a missed run, nor proof of ten kilometres.
    verdicts(&asks(Some(10.0), Some(60), None), &did(None, Some(60), None), at, &[Verdict::Short]);
    verdicts(&asks(Some(10.0), Some(60), None), &did(Some(0.0), Some(60), None), at, &[Verdict::Short]);
    verdicts(&asks(Some(10.0), None, None), &did(None, None, None), at, &[Verdict::Short]);
    // A workout without an amount is done by any activity.
    verdicts(&asks(None, None, None), &did(None, Some(20), None), at, &[Verdict::Hit]);
    verdicts(&asks(None, None, None), &CompletedByDayAndSport::default(), at, &[Verdict::Missed]);
}

#[test]
fn two_workouts_of_one_sport_and_day_share_the_total_in_order() {
    let both = [run(1, june(14), 10.0), run(2, june(14), 5.0)];
    let at = frontier(Some(june(14)), None);
    for (km, expected) in [
        (15.0, [Verdict::Hit, Verdict::Hit]),
        (14.5, [Verdict::Hit, Verdict::Hit]),
        (14.4, [Verdict::Hit, Verdict::Short]),
        (10.0, [Verdict::Hit, Verdict::Missed]),
        (8.9, [Verdict::Short, Verdict::Missed]),
        (30.0, [Verdict::Hit, Verdict::Hit]),
    ] {
        verdicts(&both, &totals(&[(june(14), Sport::Running, ran(km))]), at, &expected);
    }
    // The last workout gets everything beyond the plan.
    let graded = grade(
        PlanToGrade { start: june(10), workouts: &both },
        &totals(&[(june(14), Sport::Running, ran(30.0))]),
        at,
        &GradingRules::default(),
    );
    let km = |amount: Option<Amount>| match amount {
        Some(Amount::Distance(d)) => d.km(),
        other => panic!("{other:?}"),
    };
    assert_eq!(graded.iter().map(|g| km(g.actual)).collect::<Vec<_>>(), [10.0, 20.0]);
    // Mixed measures: 10 km of 20 km used up leaves half of the hour.
    let mixed = [
        run(1, june(14), 10.0),
        planned(2, Workout { duration: Some(TimeSpan::from_mins(30)), ..running(june(14)) }),
    ];
    let done = ActualAmounts {
        distance: Distance::from_km(20.0),
        duration: Some(TimeSpan::from_mins(60)),
        load: None,
    };
    verdicts(&mixed, &totals(&[(june(14), Sport::Running, done)]), at, &[Verdict::Hit, Verdict::Hit]);
    let done = ActualAmounts {
        distance: Distance::from_km(20.0),
        duration: Some(TimeSpan::from_mins(52)),
        load: None,
    };
    verdicts(&mixed, &totals(&[(june(14), Sport::Running, done)]), at, &[Verdict::Hit, Verdict::Short]);
}

#[test]
fn a_workout_without_an_amount_takes_nothing_from_the_others() {
    let at = frontier(Some(june(14)), None);
    let strides = planned(1, running(june(14)));
    let done = totals(&[(june(14), Sport::Running, ran(14.0))]);
    verdicts(&[strides.clone(), run(2, june(14), 10.0)], &done, at, &[Verdict::Hit, Verdict::Hit]);
    verdicts(&[run(2, june(14), 14.0), strides.clone()], &done, at, &[Verdict::Hit, Verdict::Hit]);
    verdicts(
        &[strides, run(2, june(14), 10.0)],
        &CompletedByDayAndSport::default(),
        at,
        &[Verdict::Missed, Verdict::Missed],
    );
}

#[test]
fn what_was_done_without_the_asked_measure_is_short_and_never_missed() {
    let at = frontier(Some(june(14)), None);
    let half_hour = planned(2, Workout { duration: Some(TimeSpan::from_mins(30)), ..running(june(14)) });
    let done = ActualAmounts { distance: None, duration: Some(TimeSpan::from_mins(100)), load: None };
    let done = totals(&[(june(14), Sport::Running, done)]);
    verdicts(&[run(1, june(14), 10.0), half_hour.clone()], &done, at, &[Verdict::Short, Verdict::Short]);
    verdicts(&[half_hour, run(1, june(14), 10.0)], &done, at, &[Verdict::Hit, Verdict::Short]);
}

#[test]
fn two_sports_on_one_day_do_not_share() {
    let ride = Workout { sport: Sport::Cycling, distance: Distance::from_km(40.0), ..running(june(14)) };
    let done = totals(&[(june(14), Sport::Running, ran(10.0)), (june(14), Sport::Cycling, ran(20.0))]);
    verdicts(
        &[run(1, june(14), 10.0), planned(2, ride)],
        &done,
        frontier(Some(june(14)), None),
        &[Verdict::Hit, Verdict::Short],
    );
}

#[test]
fn several_activities_of_a_day_add_up() {
    let done = totals(&[(june(14), Sport::Running, ran(5.0)), (june(14), Sport::Running, ran(4.0))]);
    verdicts(&[run(1, june(14), 10.0)], &done, frontier(Some(june(14)), None), &[Verdict::Hit]);
}

#[test]
fn an_excused_day_keeps_its_verdict_and_leaves_the_tally() {
    let workouts =
        [run(1, june(12), 10.0), run(2, june(13), 10.0), run(3, june(14), 10.0), run(4, june(15), 10.0)];
    let done = totals(&[(june(12), Sport::Running, ran(10.0)), (june(14), Sport::Running, ran(4.0))]);
    let plan = PlanToGrade { start: june(10), workouts: &workouts };
    let mut graded = grade(plan, &done, frontier(Some(june(14)), None), &GradingRules::default());
    assert_eq!(Tally::from_graded(&graded), Tally { hit: 1, short: 1, missed: 1, excused: 0 });
    let ill = Observation {
        id: crate::domain::ids::ObservationId::new(1),
        author: Author::Athlete,
        accepted: true,
        data: ObservationData::new(ObservationKind::Illness, june(13), june(15), None).unwrap(),
        written_at: "2026-06-13T06:00:00Z".parse().unwrap(),
    };
    apply_absences(&mut graded, &AbsenceReasonByDay::from_observations([&ill]));
    assert_eq!(Tally::from_graded(&graded), Tally { hit: 1, short: 0, missed: 0, excused: 2 });
    assert_eq!((graded[1].verdict, graded[1].excused), (Verdict::Missed, Some(AbsenceReason::Ill)));
}

#[test]
fn verdict_words_are_stable() {
    let words: Vec<&str> = Verdict::ALL.iter().map(|v| v.as_str()).collect();
    assert_eq!(words, ["not_started", "pending", "rest", "missed", "short", "hit"]);
}

// ---- properties ----

fn any_day() -> impl Strategy<Value = Day> {
    (0_i64..30).prop_map(|n| day("2026-06-01").plus_days(n))
}

fn any_amounts() -> impl Strategy<Value = ActualAmounts> {
    (prop::option::of(0.0..60.0_f64), prop::option::of(0_i64..300), prop::option::of(0.0..400.0_f64))
        .prop_map(|(km, minutes, load)| ActualAmounts {
            distance: km.and_then(Distance::from_km),
            duration: minutes.map(TimeSpan::from_mins),
            load,
        })
}

fn any_workout() -> impl Strategy<Value = Workout> {
    (any_day(), prop::sample::select(Sport::ALL.to_vec()), any_amounts()).prop_map(|(date, sport, asked)| {
        if sport == Sport::Rest {
            Workout::rest(date)
        } else {
            Workout {
                sport,
                distance: asked.distance,
                duration: asked.duration,
                load: asked.load,
                ..running(date)
            }
        }
    })
}

fn any_plan() -> impl Strategy<Value = Vec<PlannedWorkout>> {
    prop::collection::vec(any_workout(), 0..40)
        .prop_map(|workouts| (0..).zip(workouts).map(|(id, workout)| planned(id, workout)).collect())
}

fn any_activities() -> impl Strategy<Value = Vec<(Day, Sport, ActualAmounts)>> {
    prop::collection::vec((any_day(), prop::sample::select(Sport::ALL.to_vec()), any_amounts()), 0..40)
}

fn any_coverage() -> impl Strategy<Value = ImportCoverage> {
    (prop::option::of(any_day()), prop::option::of(any_day()))
        .prop_map(|(complete, open)| ImportCoverage::new(complete, open))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_day_after_complete_is_judged_except_a_hit_on_the_open_day(
        start in any_day(), workouts in any_plan(), activities in any_activities(), runs in prop::collection::vec(any_coverage(), 0..4)
    ) {
        let frontier = DataFrontier::from_runs(runs);
        for graded in grade(PlanToGrade { start, workouts: &workouts }, &totals(&activities), frontier, &GradingRules::default()) {
            let judged = graded.verdict.is_graded() || graded.verdict == Verdict::Rest;
            let arrived = frontier.complete_through().is_some_and(|complete| graded.day <= complete);
            let hit_on_open_day = graded.verdict == Verdict::Hit && frontier.open_day() == Some(graded.day);
            prop_assert!(!judged || arrived || hit_on_open_day, "{:?} with {:?}", graded, frontier);
            prop_assert!(graded.day >= start || graded.verdict == Verdict::NotStarted);
            prop_assert!(graded.verdict != Verdict::Pending || !arrived);
        }
    }

    #[test]
    fn adding_data_never_turns_a_graded_day_to_pending(
        start in any_day(), workouts in any_plan(), before in any_activities(), more in any_activities(),
        run in any_coverage(), later in any_coverage()
    ) {
        let plan = PlanToGrade { start, workouts: &workouts };
        let first = grade(plan, &totals(&before), DataFrontier::from_runs([run]), &GradingRules::default());
        let all: Vec<_> = before.iter().chain(&more).copied().collect();
        let second = grade(plan, &totals(&all), DataFrontier::from_runs([run, later]), &GradingRules::default());
        for (old, new) in first.iter().zip(&second) {
            prop_assert!(old.verdict == Verdict::Pending || new.verdict != Verdict::Pending, "{:?} became {:?}", old, new);
            prop_assert!(old.verdict != Verdict::Hit || new.verdict == Verdict::Hit, "{:?} became {:?}", old, new);
        }
    }

    #[test]
    fn nothing_but_its_inputs_decides(
        start in any_day(), workouts in any_plan(), activities in any_activities(), run in any_coverage()
    ) {
        // The same verdicts when run twice and with activities in another order.
        let plan = PlanToGrade { start, workouts: &workouts };
        let frontier = DataFrontier::from_runs([run]);
        let once = grade(plan, &totals(&activities), frontier, &GradingRules::default());
        let backwards: Vec<_> = activities.iter().rev().copied().collect();
        let again = grade(plan, &totals(&backwards), frontier, &GradingRules::default());
        let words = |graded: &[GradedWorkout]| graded.iter().map(|g| g.verdict).collect::<Vec<_>>();
        prop_assert_eq!(words(&once), words(&again));
        // Activities after the frontier change no verdict at or before it.
        let known: Vec<_> = activities.iter().filter(|(day, ..)| frontier.day_coverage(*day) != DayCoverage::Beyond).copied().collect();
        prop_assert_eq!(words(&once), words(&grade(plan, &totals(&known), frontier, &GradingRules::default())));
    }
}
