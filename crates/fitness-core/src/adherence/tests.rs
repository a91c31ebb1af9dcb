//! Adherence: example tests and property tests.

use super::*;
use crate::adherence::data_frontier::{DayCoverage, ImportCoverage};
use crate::adherence::grade::{Amount, Verdict};
use crate::domain::note::Author;
use crate::domain::observation::{AbsenceReason, Observation, ObservationData, ObservationKind};
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{Workout, WorkoutKind};
use proptest::prelude::*;

/// `14` is 14 June 2026, a Sunday.
fn june(number: i64) -> Day {
    Day::new(2026, 6, 1).unwrap().plus_days(number - 1)
}

fn planned(id: i64, workout: Workout) -> PlannedWorkout {
    PlannedWorkout { id: WorkoutId::new(id), workout }
}

fn running(date: Day) -> Workout {
    Workout { sport: Sport::Running, kind: WorkoutKind::Easy, name: "Run".to_owned(), ..Workout::rest(date) }
}

fn run(id: i64, date: Day, km: f64) -> PlannedWorkout {
    planned(id, Workout { distance: Distance::from_km(km), ..running(date) })
}

fn ran(id: i64, day: Day, km: f64) -> CompletedActivity {
    let done = ActualAmounts {
        distance: Distance::from_km(km),
        duration: TimeSpan::from_seconds(km * 330.0),
        load: Some(km * 6.0),
    };
    CompletedActivity { id: ActivityId::new(id), day, sport: Sport::Running, amounts: done }
}

fn through(day: Day) -> DataFrontier {
    DataFrontier::from_runs([ImportCoverage::new(Some(day), None)])
}

fn match_decision(workout: i64, activity: i64, accepted: bool) -> MatchDecision {
    MatchDecision { workout: WorkoutId::new(workout), activity: ActivityId::new(activity), accepted }
}

fn ill(from: Day, last: Day) -> AbsenceReasonByDay {
    let observed = ObservationData::new(ObservationKind::Illness, from, last, None).unwrap();
    let observation = Observation {
        id: crate::domain::ids::ObservationId::new(1),
        author: Author::Athlete,
        accepted: true,
        data: observed,
        written_at: "2026-06-14T08:00:00Z".parse().unwrap(),
    };
    AbsenceReasonByDay::from_observations([&observation])
}

fn evaluate(
    workouts: &[PlannedWorkout],
    activities: &[CompletedActivity],
    matches: &[MatchDecision],
    frontier: DataFrontier,
) -> AdherenceReport {
    let excused = AbsenceReasonByDay::default();
    let data = AdherenceData { activities, matches, frontier, absences: &excused };
    evaluate_adherence(june(8), workouts, workouts, &data, &GradingRules::default())
}

fn ids(behind: &WorkoutActivities) -> Vec<i64> {
    behind.activities.iter().map(|id| id.get()).collect()
}

fn verdicts_of(followed: &AdherenceReport) -> Vec<Verdict> {
    followed.graded.iter().map(|graded| graded.verdict).collect()
}

#[test]
fn behind_a_workout_are_the_activities_of_its_day_and_sport() {
    let bike = CompletedActivity { sport: Sport::Cycling, ..ran(9, june(9), 30.0) };
    let workouts = [run(1, june(9), 10.0), run(2, june(10), 5.0), planned(3, Workout::rest(june(11)))];
    let activities = [ran(1, june(9), 4.0), bike, ran(2, june(9), 6.0), ran(3, june(12), 5.0)];
    let followed = evaluate(&workouts, &activities, &[], through(june(12)));
    assert_eq!(followed.behind.iter().map(ids).collect::<Vec<_>>(), [vec![1, 2], vec![], vec![]]);
    assert_eq!(followed.unplanned, [ActivityId::new(9), ActivityId::new(3)]);
}

#[test]
fn two_workouts_of_a_day_share_their_activities_in_order() {
    let workouts = [run(1, june(9), 10.0), run(2, june(9), 5.0), planned(3, running(june(9)))];
    let activities = [ran(1, june(9), 6.0), ran(2, june(9), 7.0), ran(3, june(9), 1.0)];
    let followed = evaluate(&workouts, &activities, &[], through(june(9)));
    // The second activity counts for both; the third workout has no amount and matches any of them.
    assert_eq!(followed.behind.iter().map(ids).collect::<Vec<_>>(), [vec![1, 2], vec![2, 3], vec![1, 2, 3]]);
    let even = [ran(1, june(9), 10.0), ran(2, june(9), 5.0)];
    let followed = evaluate(&workouts[..2], &even, &[], through(june(9)));
    assert_eq!(followed.behind.iter().map(ids).collect::<Vec<_>>(), [vec![1], vec![2]]);
}

#[test]
fn run_of_a_neighbouring_day_is_suggested_not_matched() {
    let workouts = [run(1, june(9), 10.0)];
    for (day, offered) in [(6, false), (8, true), (10, true), (11, true), (12, false)] {
        let followed = evaluate(&workouts, &[ran(7, june(day), 9.0)], &[], through(june(14)));
        assert_eq!(verdicts_of(&followed), [Verdict::Missed], "the {day}th");
        assert_eq!(followed.adherence.current.percent, Some(0), "the {day}th");
        assert_eq!(ids(&followed.behind[0]), [0_i64; 0], "the {day}th");
        assert_eq!(followed.offers.len(), usize::from(offered), "the {day}th");
        assert_eq!(
            followed.notes.iter().filter(|note| note.kind == WorkoutNoteKind::Moved).count(),
            usize::from(offered)
        );
    }
    // Too short, too long, another sport, a day with its own run: no suggestion.
    for km in [4.9, 15.2] {
        assert!(
            evaluate(&workouts, &[ran(7, june(10), km)], &[], through(june(14))).offers.is_empty(),
            "{km}"
        );
    }
    let bike = CompletedActivity { sport: Sport::Cycling, ..ran(7, june(10), 10.0) };
    assert!(evaluate(&workouts, &[bike], &[], through(june(14))).offers.is_empty());
    let two = [run(1, june(9), 10.0), run(2, june(10), 10.0)];
    assert!(evaluate(&two, &[ran(7, june(10), 10.0)], &[], through(june(14))).offers.is_empty());
    // Data after the frontier is not suggested; on an open day a workout may have been done early.
    assert!(evaluate(&workouts, &[ran(7, june(10), 10.0)], &[], through(june(9))).offers.is_empty());
    let early = evaluate(&workouts, &[ran(7, june(8), 10.0)], &[], through(june(8)));
    assert_eq!((verdicts_of(&early), early.offers.len()), (vec![Verdict::Pending], 1));
}

#[test]
fn an_activity_is_offered_once_for_the_nearest_workout() {
    let workouts = [run(1, june(9), 10.0), run(2, june(11), 10.0), run(3, june(13), 6.0)];
    let followed = evaluate(&workouts, &[ran(7, june(12), 10.0)], &[], through(june(14)));
    let offered: Vec<(i64, i64)> =
        followed.offers.iter().map(|o| (o.workout.get(), o.activity.get())).collect();
    assert_eq!(offered, [(2, 7)], "as near as the 13th, and of the length of the 11th");
}

#[test]
fn an_accepted_match_counts_and_a_declined_one_is_not_offered_again() {
    let workouts = [run(1, june(9), 10.0)];
    let activities = [ran(7, june(10), 9.5)];
    let yes = evaluate(&workouts, &activities, &[match_decision(1, 7, true)], through(june(14)));
    assert_eq!(verdicts_of(&yes), [Verdict::Hit]);
    assert_eq!(
        yes.behind[0],
        WorkoutActivities { activities: vec![ActivityId::new(7)], matched: Some(ActivityId::new(7)) }
    );
    assert_eq!(yes.adherence.current.percent, Some(95));
    assert!(yes.offers.is_empty() && yes.unplanned.is_empty());
    assert_eq!(yes.notes[0].kind, WorkoutNoteKind::Moved);
    let no = evaluate(&workouts, &activities, &[match_decision(1, 7, false)], through(june(14)));
    assert_eq!((verdicts_of(&no), no.offers.len(), no.notes.len()), (vec![Verdict::Missed], 0, 0));
    // A match that no longer fits is ignored: workout moved, sport corrected, day unknown.
    let elsewhere = [run(1, june(20), 10.0)];
    assert_eq!(
        evaluate(&elsewhere, &activities, &[match_decision(1, 7, true)], through(june(20))).graded[0].actual,
        None
    );
    let bike = [CompletedActivity { sport: Sport::Cycling, ..activities[0] }];
    assert_eq!(
        verdicts_of(&evaluate(&workouts, &bike, &[match_decision(1, 7, true)], through(june(14)))),
        [Verdict::Missed]
    );
    assert_eq!(
        verdicts_of(&evaluate(&workouts, &activities, &[match_decision(1, 7, true)], through(june(9)))),
        [Verdict::Missed]
    );
    // An activity matched to another day no longer counts for its own.
    let two = [run(1, june(9), 10.0), run(2, june(10), 10.0)];
    let moved = evaluate(&two, &activities, &[match_decision(1, 7, true)], through(june(14)));
    assert_eq!(verdicts_of(&moved), [Verdict::Hit, Verdict::Missed]);
}

#[test]
fn check_match_cases() {
    let workout = Workout { distance: Distance::from_km(10.0), ..running(june(9)) };
    let check = |day, sport| check_match(&workout, june(day), sport).map_err(|why| why.to_string());
    assert_eq!(check(7, Sport::Running), Ok(()));
    assert_eq!(check(11, Sport::Running), Ok(()));
    assert!(check(12, Sport::Running).unwrap_err().contains("more than 2 days"));
    assert!(check(9, Sport::Running).unwrap_err().contains("on the day of the workout"));
    assert_eq!(check(10, Sport::Cycling).unwrap_err(), "the workout is running, but the activity is cycling");
    assert!(check_match(&Workout::rest(june(9)), june(10), Sport::Running).is_err());
}

#[test]
fn overshoot_adds_a_note_and_keeps_the_verdict() {
    for (km, over) in [(13.0, false), (13.000_001, true), (25.0, true)] {
        let followed = evaluate(&[run(1, june(9), 10.0)], &[ran(7, june(9), km)], &[], through(june(9)));
        assert_eq!(followed.notes.iter().any(|note| note.kind == WorkoutNoteKind::Over), over, "{km}");
        assert_eq!(
            (verdicts_of(&followed), followed.adherence.current.percent),
            (vec![Verdict::Hit], Some(100))
        );
    }
}

#[test]
fn a_run_on_a_rest_day_is_noted_from_half_an_hour_on() {
    let rest = [planned(1, Workout::rest(june(9)))];
    let jog = |minutes: i64| CompletedActivity {
        amounts: ActualAmounts { duration: Some(TimeSpan::from_mins(minutes)), ..ActualAmounts::default() },
        ..ran(minutes, june(9), 5.0)
    };
    for (minutes, noted) in [(vec![30], false), (vec![31], true), (vec![20, 11], true)] {
        let activities: Vec<CompletedActivity> = minutes.iter().map(|minutes| jog(*minutes)).collect();
        let followed = evaluate(&rest, &activities, &[], through(june(9)));
        assert_eq!(followed.notes.len(), usize::from(noted), "{minutes:?}");
        assert_eq!(verdicts_of(&followed), [Verdict::Rest]);
    }
    let bike = CompletedActivity { sport: Sport::Cycling, ..jog(90) };
    assert!(evaluate(&rest, &[bike], &[], through(june(9))).notes.is_empty());
}

#[test]
fn adherence_percent_is_actual_over_planned() {
    let workouts =
        [run(1, june(9), 10.0), run(2, june(10), 30.0), run(3, june(11), 10.0), run(4, june(13), 99.0)];
    // 20 of 10 counts as 10; 15 of 30; 0 of 10; the last is pending.
    let activities = [ran(1, june(9), 20.0), ran(2, june(10), 15.0)];
    let followed = evaluate(&workouts, &activities, &[], through(june(12)));
    let expected = Adherence {
        percent: Some(50),
        counted: 3,
        excused: 0,
        unmeasured: 0,
        weighed_by: Some(WeightBasis::Distance),
    };
    assert_eq!(followed.adherence, CurrentAndOriginalAdherence { current: expected, original: expected });
    assert_eq!(
        evaluate(&workouts, &activities, &[], DataFrontier::NONE).adherence,
        CurrentAndOriginalAdherence::default()
    );
}

#[test]
fn mixed_measures_are_weighted_by_duration_then_load_then_equally() {
    let timed =
        |load: Option<f64>| Workout { duration: Some(TimeSpan::from_mins(90)), load, ..running(june(9)) };
    let far =
        |duration, load| Workout { distance: Distance::from_km(10.0), duration, load, ..running(june(10)) };
    let half_hour = Some(TimeSpan::from_mins(30));
    let activities = [CompletedActivity {
        amounts: ActualAmounts { duration: Some(TimeSpan::from_mins(90)), ..ActualAmounts::default() },
        ..ran(1, june(9), 0.0)
    }];
    for (workouts, by, percent) in [
        ([timed(None), far(half_hour, None)], WeightBasis::Duration, 75),
        ([timed(Some(80.0)), far(None, Some(20.0))], WeightBasis::Load, 80),
        ([timed(Some(80.0)), far(None, None)], WeightBasis::Count, 50),
    ] {
        let workouts = [planned(1, workouts[0].clone()), planned(2, workouts[1].clone())];
        let adherence = evaluate(&workouts, &activities, &[], through(june(12))).adherence.current;
        assert_eq!((adherence.weighed_by, adherence.percent), (Some(by), Some(percent)));
    }
    // Treadmill run without distance: short by an unknown amount.
    let workouts = [run(1, june(9), 10.0), run(2, june(10), 10.0)];
    let adherence = evaluate(&workouts, &activities, &[], through(june(12))).adherence.current;
    assert_eq!((adherence.percent, adherence.counted, adherence.unmeasured), (Some(0), 1, 1));
}

#[test]
fn excused_days_are_left_out_and_counted() {
    let key = |id, date, km| {
        let mut planned = run(id, date, km);
        planned.workout.key = true;
        planned
    };
    let workouts = [run(1, june(9), 10.0), key(2, june(10), 10.0), key(3, june(11), 10.0)];
    let excused = ill(june(10), june(10));
    let activities = [ran(1, june(9), 10.0), ran(3, june(11), 5.0)];
    let data = AdherenceData {
        activities: &activities,
        matches: &[],
        frontier: through(june(14)),
        absences: &excused,
    };
    let followed = evaluate_adherence(june(8), &workouts, &workouts[..2], &data, &GradingRules::default());
    assert_eq!(
        (followed.graded[1].verdict, followed.graded[1].excused),
        (Verdict::Missed, Some(AbsenceReason::Ill))
    );
    let of = |adherence: Adherence| (adherence.percent, adherence.counted, adherence.excused);
    assert_eq!(of(followed.adherence.current), (Some(75), 2, 1));
    assert_eq!(of(followed.adherence.original), (Some(100), 1, 1), "the original had two of them");
    assert_eq!(of(followed.key_sessions.current), (Some(50), 1, 1));
    assert_eq!(of(followed.key_sessions.original), (None, 0, 1));
    assert_eq!(followed.weeks[0].running.so_far.count, 2, "what is excused is not asked");
    assert_eq!(followed.weeks[0].running.planned.count, 3);
}

#[test]
fn unfinished_week_compares_with_planned_so_far() {
    let bike = planned(
        4,
        Workout { sport: Sport::Cycling, duration: Some(TimeSpan::from_mins(60)), ..running(june(13)) },
    );
    let workouts =
        [run(1, june(5), 9.0), run(2, june(9), 10.0), run(3, june(11), 12.0), bike, run(5, june(15), 8.0)];
    let activities =
        [ran(1, june(6), 7.0), ran(2, june(9), 11.0), ran(3, june(11), 5.0), ran(4, june(14), 3.0)];
    // The 11th is open, and its run is shorter than planned so far.
    let open = DataFrontier::from_runs([ImportCoverage::new(Some(june(10)), Some(june(11)))]);
    let followed = evaluate(&workouts, &activities, &[], open);
    let weeks: Vec<String> =
        followed.weeks.iter().map(|week| format!("{} {}", week.week, week.over)).collect();
    assert_eq!(weeks, ["2026-W23 true", "2026-W24 false", "2026-W25 false"]);
    let km = |volume: &Volume| volume.distance.km();
    let first = &followed.weeks[0];
    assert_eq!(
        (first.running.planned.count, first.running.done.count),
        (0, 0),
        "before the start nothing is compared"
    );
    let week = &followed.weeks[1];
    assert_eq!(
        (km(&week.running.planned), km(&week.running.so_far), km(&week.running.done)),
        (22.0, 10.0, 16.0)
    );
    assert_eq!((week.all_sports.planned.count, week.all_sports.planned.without_distance), (3, 1));
    assert_eq!(week.all_sports.planned.duration, TimeSpan::from_mins(60));
    assert_eq!(week.all_sports.done.load, 96.0);
    assert_eq!(serde_json::to_value(week).unwrap()["week"], "2026-W24");
    // With complete data everything is compared; a matched activity counts in the week it was done.
    let all = evaluate(&workouts, &activities, &[match_decision(3, 4, true)], through(june(14)));
    assert_eq!(km(&all.weeks[1].running.so_far), 22.0);
    assert_eq!(km(&all.weeks[1].running.done), 19.0);
}

prop_compose! {
    fn any_workout()(day in 8_i64..22, sport in 0..3, km in prop::option::of(0.0..30.0_f64), minutes in prop::option::of(0_i64..200),
        load in prop::option::of(0.0..300.0_f64), key in any::<bool>()) -> Workout {
        if sport == 0 {
            return Workout::rest(june(day));
        }
        let sport = if sport == 1 { Sport::Running } else { Sport::Cycling };
        Workout { sport, distance: km.and_then(Distance::from_km), duration: minutes.map(TimeSpan::from_mins), load, key, ..running(june(day)) }
    }
}

prop_compose! {
    fn any_activity()(day in 4_i64..26, bike in any::<bool>(), km in prop::option::of(0.0..40.0_f64),
        minutes in prop::option::of(0_i64..300), load in prop::option::of(0.0..300.0_f64)) -> CompletedActivity {
        let amounts = ActualAmounts { distance: km.and_then(Distance::from_km), duration: minutes.map(TimeSpan::from_mins), load };
        CompletedActivity { id: ActivityId::new(0), day: june(day), sport: if bike { Sport::Cycling } else { Sport::Running }, amounts }
    }
}

fn numbered(workouts: Vec<Workout>) -> Vec<PlannedWorkout> {
    (1..).zip(workouts).map(|(id, workout)| planned(id, workout)).collect()
}

fn with_ids(activities: Vec<CompletedActivity>) -> Vec<CompletedActivity> {
    let mut activities: Vec<_> =
        (1..).zip(activities).map(|(id, one)| CompletedActivity { id: ActivityId::new(id), ..one }).collect();
    activities.sort_by_key(|one| one.day);
    activities
}

fn any_matches() -> impl Strategy<Value = Vec<MatchDecision>> {
    prop::collection::vec((1_i64..12, 1_i64..15, any::<bool>()), 0..6).prop_map(|said| {
        said.into_iter().map(|(w, a, yes)| super::tests::match_decision(w, a, yes)).collect()
    })
}

fn any_frontier() -> impl Strategy<Value = DataFrontier> {
    (prop::option::of(6_i64..26), prop::option::of(6_i64..26)).prop_map(|(complete, open)| {
        DataFrontier::from_runs([ImportCoverage::new(complete.map(june), open.map(june))])
    })
}

/// Rank of a verdict for the athlete.
fn worth(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Missed | Verdict::Pending => 0,
        Verdict::Short => 1,
        Verdict::Hit => 2,
        _ => 3,
    }
}

proptest! {
    #[test]
    fn adherence_is_between_nothing_and_everything(
        workouts in prop::collection::vec(any_workout(), 0..12), activities in prop::collection::vec(any_activity(), 0..15),
        matches in any_matches(), frontier in any_frontier()
    ) {
        let (workouts, activities) = (numbered(workouts), with_ids(activities));
        let followed = evaluate(&workouts, &activities, &matches, frontier);
        let judged = followed.graded.iter().filter(|graded| graded.verdict.is_graded()).count();
        let whole = followed.adherence.current;
        prop_assert_eq!(whole.counted + whole.excused + whole.unmeasured, judged);
        let weekly = followed.weeks.iter().flat_map(|week| [week.adherence, week.key_sessions]);
        for adherence in weekly.chain([whole, followed.key_sessions.current]) {
            prop_assert!(adherence.percent.is_none_or(|percent| percent <= 100));
            prop_assert_eq!(adherence.percent.is_some(), adherence.counted > 0);
            prop_assert_eq!(adherence.weighed_by.is_some(), adherence.counted > 0);
        }
        let mut measured = followed.graded.iter().filter(|g| g.verdict.is_graded())
            .filter(|g| g.verdict != Verdict::Short || g.actual.is_some());
        let all_hit_in_full = measured
            .all(|g| g.verdict == Verdict::Hit && g.actual.zip(g.planned).is_none_or(|(a, p)| a.value() >= p.value()));
        if whole.counted > 0 {
            prop_assert_eq!(whole.percent == Some(100), all_hit_in_full);
        }
    }

    #[test]
    fn excused_days_never_change_the_percentage(
        workouts in prop::collection::vec(any_workout(), 1..12), activities in prop::collection::vec(any_activity(), 0..15),
        more in prop::collection::vec(any_activity(), 0..5), from in 8_i64..20, days in 0_i64..5, frontier in any_frontier()
    ) {
        let excused = ill(june(from), june(from + days));
        let workouts = numbered(workouts);
        let on = |activity: &CompletedActivity| (from..=from + days).contains(&(june(0).days_until(activity.day)));
        let without: Vec<CompletedActivity> = with_ids(activities).into_iter().filter(|one| !on(one)).collect();
        let ran_while_ill = more.into_iter().enumerate().map(|(id, one)| {
            CompletedActivity { id: ActivityId::new(100 + id as i64), day: june(from + id as i64 % (days + 1)), ..one }
        });
        let with: Vec<CompletedActivity> = without.iter().copied().chain(ran_while_ill).collect();
        let of = |activities: &[CompletedActivity]| {
            let data = AdherenceData { activities, matches: &[], frontier, absences: &excused };
            evaluate_adherence(june(8), &workouts, &workouts, &data, &GradingRules::default()).adherence
        };
        let (some, none) = (of(&with), of(&without));
        prop_assert_eq!(some.current.percent, none.current.percent);
        prop_assert_eq!(some.current.counted, none.current.counted);
        // It would also be the same if those workouts had never been planned.
        let kept: Vec<PlannedWorkout> = workouts.iter().filter(|w| excused.reason(w.workout.date).is_none()).cloned().collect();
        let data = AdherenceData { activities: &without, matches: &[], frontier, absences: &excused };
        let spared = evaluate_adherence(june(8), &kept, &kept, &data, &GradingRules::default());
        prop_assert_eq!(spared.adherence.current.percent, none.current.percent);
    }

    #[test]
    fn data_from_beyond_the_frontier_changes_nothing(
        workouts in prop::collection::vec(any_workout(), 0..12), activities in prop::collection::vec(any_activity(), 0..15),
        more in prop::collection::vec(any_activity(), 1..8), matches in any_matches(), frontier in any_frontier()
    ) {
        let (workouts, mut activities) = (numbered(workouts), with_ids(activities));
        let before = evaluate(&workouts, &activities, &matches, frontier);
        let beyond = more.into_iter().enumerate().map(|(id, one)| CompletedActivity { id: ActivityId::new(50 + id as i64), ..one });
        activities.extend(beyond.filter(|one| frontier.day_coverage(one.day) == DayCoverage::Beyond));
        prop_assert_eq!(evaluate(&workouts, &activities, &matches, frontier), before);
    }

    #[test]
    fn an_accepted_match_makes_no_other_workout_worse_than_without_its_days_data(
        workouts in prop::collection::vec(any_workout(), 1..12), activities in prop::collection::vec(any_activity(), 1..15),
        workout in 1_i64..12, activity in 1_i64..15, frontier in any_frontier()
    ) {
        let (workouts, activities) = (numbered(workouts), with_ids(activities));
        let matches = [match_decision(workout, activity, true)];
        let with = evaluate(&workouts, &activities, &matches, frontier);
        let without: Vec<CompletedActivity> = activities.iter().copied().filter(|one| one.id != ActivityId::new(activity)).collect();
        let alone = evaluate(&workouts, &without, &[], frontier);
        // Workouts of the matched day and sport share it in order; all others are as if the
        // activity did not exist.
        let target = workouts.iter().find(|w| w.id == WorkoutId::new(workout)).map(|w| (w.workout.date, w.workout.sport));
        for ((planned, with), alone) in workouts.iter().zip(&with.graded).zip(&alone.graded) {
            if target != Some((planned.workout.date, planned.workout.sport)) {
                prop_assert!(worth(with.verdict) >= worth(alone.verdict), "{with:?} {alone:?}");
            }
        }
        // Nothing is graded that would not have been otherwise.
        let before = evaluate(&workouts, &activities, &[], frontier);
        for (with, before) in with.graded.iter().zip(&before.graded) {
            let hit_on_the_open_day = frontier.day_coverage(with.day) == DayCoverage::Open;
            prop_assert!(hit_on_the_open_day || with.verdict.is_graded() == before.verdict.is_graded());
        }
    }

    #[test]
    fn without_an_answer_no_verdict_but_the_graders_is_given(
        workouts in prop::collection::vec(any_workout(), 0..12), activities in prop::collection::vec(any_activity(), 0..15),
        frontier in any_frontier()
    ) {
        let (workouts, activities) = (numbered(workouts), with_ids(activities));
        let mut totals = crate::adherence::grade::CompletedByDayAndSport::default();
        for one in &activities {
            totals.add(one.day, one.sport, one.amounts);
        }
        let graded = grade::grade(PlanToGrade { start: june(8), workouts: &workouts }, &totals, frontier, &GradingRules::default());
        let followed = evaluate(&workouts, &activities, &[], frontier);
        prop_assert_eq!(&followed.graded, &graded);
        // A completed workout has an activity behind it, a missed one has none.
        for (graded, behind) in followed.graded.iter().zip(&followed.behind) {
            match graded.verdict {
                Verdict::Hit | Verdict::Short => prop_assert!(!behind.activities.is_empty()),
                Verdict::Missed | Verdict::Rest => prop_assert!(behind.activities.is_empty()),
                Verdict::NotStarted | Verdict::Pending => {}
            }
        }
        for offer in &followed.offers {
            prop_assert!(followed.unplanned.contains(&offer.activity));
            prop_assert!(!matches!(offer.done, Some(Amount::Load(units)) if units < 0));
        }
    }
}
