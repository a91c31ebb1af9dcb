//! The pipeline gives the same result from any day as from the first.

use super::super::Quality;
use super::super::activity::measure;
use super::super::efforts::BestEffort;
use super::super::thresholds::detect::LOOKBACK_DAYS;
use super::super::thresholds::evidence::SteadyHeartRate;
use super::*;
use crate::adherence::data_frontier::ImportCoverage;
use crate::domain::athlete::ThresholdKind;
use crate::domain::athlete::ThresholdOrigin;
use crate::domain::calendar::Instant;
use chrono::TimeDelta;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

const DAYS: i64 = 150;

fn day(number: i64) -> Day {
    "2025-11-01".parse::<Day>().unwrap().plus_days(number)
}

#[derive(Debug, Clone)]
struct MadeUp {
    day: i64,
    sport: Sport,
    minutes: i64,
    speed: f64,
    heart: Option<u16>,
    exertion: Option<u8>,
}

fn any_session() -> impl Strategy<Value = MadeUp> {
    let sports = [Sport::Running, Sport::Running, Sport::Cycling, Sport::Swimming, Sport::Strength];
    let heart = of(110_u16..185);
    (0..DAYS, prop::sample::select(sports.to_vec()), 10..90_i64, 0.5..5.5_f64, heart, of(0..=10_u8)).prop_map(
        |(day, sport, minutes, speed, heart, exertion)| MadeUp {
            day,
            sport,
            minutes,
            speed,
            heart,
            exertion,
        },
    )
}

fn build_activity((number, made): (usize, &MadeUp)) -> (ActivityId, Activity, Measures, Option<u8>) {
    let began: Instant = "2025-11-01T07:00:00Z".parse().unwrap();
    let began = began + TimeDelta::days(made.day) + TimeDelta::minutes(number as i64 % 500);
    let time = TimeSpan::from_mins(made.minutes);
    let activity = Activity {
        moving: Some(time),
        distance: Distance::from_meters(made.speed * time.seconds()),
        avg_heart_rate: made.heart,
        ..Activity::new(made.sport, began, 0)
    };
    let mut measures = measure(&activity, None, &[]);
    measures.candidates.highest_heart_rate = made.heart.map(|heart| f64::from(heart) + 12.5);
    measures.candidates.power_20_min = Some(made.speed * 55.0);
    if let Some(heart) = made.heart.filter(|_| made.minutes >= 30) {
        let time = TimeSpan::from_mins(30);
        let held = SteadyHeartRate { heart_rate: f64::from(heart), time, speed: made.speed, variation: 0.03 };
        measures.candidates.threshold_heart_rate = Some(held);
    }
    let effort = BestEffort {
        distance: activity.distance.unwrap(),
        start: TimeSpan::ZERO,
        time,
        heart_rate: made.heart.map(f64::from),
        net_grade: None,
    };
    measures.efforts = vec![effort];
    (ActivityId::new(number as i64 + 1), activity, measures, made.exertion)
}

fn any_wellness() -> impl Strategy<Value = Vec<DailyWellness>> {
    let one = (of(25.0..110.0_f64), of(38..70_u16), of(200..560_i64), of(60.0..70.0_f64));
    vec(of(one), DAYS as usize).prop_map(|days| {
        let numbered = (0..).zip(days).filter_map(|(number, told)| Some((number, told?)));
        numbered
            .map(|(number, (hrv_ms, resting_heart_rate, slept, weight_kg))| DailyWellness {
                hrv_ms,
                resting_heart_rate,
                weight_kg,
                sleep: slept.map(|minutes| crate::domain::wellness::Sleep {
                    asleep: Some(TimeSpan::from_mins(minutes)),
                    ..Default::default()
                }),
                ..DailyWellness::empty(day(number))
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn resuming_from_any_day_equals_full_run(
        sessions in vec(any_session(), 0..160),
        wellness in any_wellness(),
        feel in prop::collection::btree_map(0..DAYS, 1..=5_u8, 0..40),
        set in of((0..DAYS, 2.0..5.0_f64)),
        race in of((0..DAYS, 2400..4200_i64)),
        open in any::<bool>(),
        cut in 1..DAYS,
    ) {
        let mut all: Vec<_> = sessions.iter().enumerate().map(build_activity).collect();
        all.sort_by_key(|(id, activity, ..)| (activity.day(), activity.started_at, *id));
        let sessions: Vec<ActivityInput<'_>> = all
            .iter()
            .map(|(id, activity, measures, exertion)| ActivityInput { id: *id, activity, measures, exertion: *exertion })
            .collect();
        let feel: BTreeMap<Day, u8> = feel.into_iter().map(|(number, value)| (day(number), value)).collect();
        let origin = ThresholdOrigin::Set;
        let thresholds: Vec<Threshold> = set
            .map(|(number, value)| Threshold { kind: ThresholdKind::ThresholdSpeed, value, from: day(number), origin })
            .into_iter()
            .collect();
        let races: Vec<DatedThresholdEvidence> = race
            .map(|(number, seconds)| DatedThresholdEvidence {
                day: day(number),
                evidence: ThresholdEvidence::Run { distance: Distance::from_mm(10_000_000), time: TimeSpan::from_secs(seconds) },
            })
            .into_iter()
            .collect();
        let last = day(DAYS - 1);
        let frontier = DataFrontier::from_runs([ImportCoverage::new(Some(last), open.then_some(last.next()))]);
        let athlete = Athlete { sex: Some(Sex::Female), thresholds: &thresholds, races: &races, ..Athlete::default() };
        let whole = PipelineInput {
            athlete,
            first: day(0),
            before: None,
            activities: &sessions,
            wellness: &wellness,
            feel: &feel,
            frontier,
        };
        let expected = run_pipeline(&whole).unwrap();

        let first = day(cut);
        let split = sessions.partition_point(|session| session.activity.day() < first);
        let (before, after) = sessions.split_at(split);
        let judged_before = before.iter().zip(&expected.activities);
        let judgements: Vec<ActivityLoad> = judged_before
            .clone()
            .filter(|(session, _)| session.activity.day() >= first.plus_days(-(CONTEXT_DAYS as i64)))
            .map(|(session, (_, judged))| {
                ActivityLoad::new(session.activity, judged.load.as_ref().ok().map(Load::with_quality))
            })
            .collect();
        let both: Vec<(f64, f64)> = judged_before
            .filter_map(|(session, (_, judged))| rpe_and_load(session.exertion, session.measures, judged))
            .collect();
        let hints: Vec<DatedThresholdEvidence> = before
            .iter()
            .filter(|session| session.activity.day() >= first.plus_days(-LOOKBACK_DAYS))
            .flat_map(|session| {
                let day = session.activity.day();
                threshold_evidence(session.activity, session.measures).into_iter().map(move |evidence| DatedThresholdEvidence { day, evidence })
            })
            .collect();
        let (earlier, later): (Vec<Threshold>, Vec<Threshold>) =
            expected.detected.iter().partition(|step| step.from < first);
        let state = expected.days[cut as usize - 1].state.unwrap();
        let recent: Vec<DailyWellness> = wellness
            .iter()
            .filter(|told| told.day >= first.plus_days(-(CONTEXT_DAYS as i64)))
            .cloned()
            .collect();
        let resumed = run_pipeline(&PipelineInput {
            first,
            before: Some(PriorState {
                state: &state,
                activities: &judgements,
                detected: &earlier,
                evidence: &hints,
                rpe_pairs: &both,
            }),
            activities: after,
            wellness: &recent,
            ..whole
        })
        .unwrap();
        prop_assert_eq!(&resumed.activities, &expected.activities[split..]);
        let by_kind_and_day = |mut steps: Vec<Threshold>| {
            steps.sort_by_key(|step| (step.kind, step.from));
            steps
        };
        prop_assert_eq!(by_kind_and_day(resumed.detected), by_kind_and_day(later));
        // Compared as text, which is exact to the last bit.
        prop_assert_eq!(
            serde_json::to_string(&resumed.days).unwrap(),
            serde_json::to_string(&expected.days[cut as usize..]).unwrap()
        );
    }
}

/// A run of 45 minutes.
fn daily_run(day: i64) -> MadeUp {
    MadeUp { day, sport: Sport::Running, minutes: 45, speed: 3.0, heart: Some(150), exertion: None }
}

/// Result for one run a day.
fn runs_every_day(days: i64, athlete: Athlete<'_>) -> PipelineOutput {
    run(&(0..days).map(daily_run).collect::<Vec<_>>(), athlete)
}

/// Result for one activity a day.
fn run(made_up: &[MadeUp], athlete: Athlete<'_>) -> PipelineOutput {
    let days = made_up.len() as i64;
    let all: Vec<_> = made_up.iter().enumerate().map(build_activity).collect();
    let sessions: Vec<ActivityInput<'_>> = all
        .iter()
        .map(|(id, activity, measures, exertion)| ActivityInput {
            id: *id,
            activity,
            measures,
            exertion: *exertion,
        })
        .collect();
    let frontier = DataFrontier::from_runs([ImportCoverage::new(Some(day(days - 1)), None)]);
    let nothing = BTreeMap::new();
    let history = PipelineInput {
        athlete,
        first: day(0),
        before: None,
        activities: &sessions,
        wellness: &[],
        feel: &nothing,
        frontier,
    };
    run_pipeline(&history).unwrap()
}

#[test]
fn history_without_set_thresholds_has_loads() {
    let worked = runs_every_day(28, Athlete::default());
    let by_pace = |(_, judged): &&(ActivityId, ActivityMetrics)| {
        judged.load.as_ref().is_ok_and(|load| load.method == LoadMethod::Pace)
    };
    let known = worked.activities.iter().filter(by_pace).count();
    assert_eq!(known, 26, "from the third run on there is a detected threshold");
    assert!(worked.activities.iter().all(|(_, judged)| judged.load.is_ok()), "by duration before");
    let load = worked.activities[10].1.load.clone().unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::Pace, Quality::EstimatedProvisional));
    assert!(worked.days[27].training.as_ref().unwrap().fitness > 10.0);
}

#[test]
fn fitness_quality_is_limited_by_threshold_quality() {
    let quality = |athlete| {
        let worked = runs_every_day(170, athlete);
        let last = worked.days.last().unwrap();
        let training = last.training.as_ref().unwrap();
        [training.load.quality(), training.quality, training.acute_chronic.quality, last.form.quality]
    };
    assert_eq!(quality(Athlete::default()), [Quality::EstimatedProvisional; 4], "every limit was detected");
    // A run with only a summary is provisional by itself.
    let origin = ThresholdOrigin::Set;
    let set = [Threshold { kind: ThresholdKind::ThresholdSpeed, value: 4.0, from: day(120), origin }];
    assert_eq!(quality(Athlete { thresholds: &set, ..Athlete::default() })[0], Quality::Provisional);
}

#[test]
fn load_by_rpe_uses_a_typical_factor_until_15_sessions_have_a_measured_load() {
    let load_after = |runs: i64| {
        let felt_runs = (0..runs).map(|day| MadeUp { exertion: Some(4), ..daily_run(day) });
        let yoga = MadeUp { sport: Sport::Strength, heart: None, exertion: Some(2), ..daily_run(runs) };
        let worked = run(&felt_runs.chain([yoga]).collect::<Vec<_>>(), Athlete::default());
        worked.activities.last().unwrap().1.load.clone().unwrap()
    };
    // The first two runs have no threshold yet, and a load by duration is not measured.
    for (runs, quality) in [(16, Quality::EstimatedProvisional), (17, Quality::Estimated)] {
        let load = load_after(runs);
        assert_eq!((load.method, load.quality), (LoadMethod::PerceivedExertion, quality), "{runs}");
    }
}

#[test]
fn implausible_threshold_does_not_replace_a_valid_one() {
    let of = |values: &[(i64, f64)]| {
        let set = |(number, value): &(i64, f64)| Threshold {
            kind: ThresholdKind::ThresholdSpeed,
            value: *value,
            from: day(*number),
            origin: ThresholdOrigin::Set,
        };
        let thresholds: Vec<Threshold> = values.iter().map(set).collect();
        runs_every_day(20, Athlete { thresholds: &thresholds, ..Athlete::default() }).activities
    };
    for broken in [0.0, 400.0, f64::NAN, f64::INFINITY] {
        assert_eq!(of(&[(0, 4.0), (5, broken)]), of(&[(0, 4.0)]), "{broken}");
    }
    assert_ne!(of(&[(0, 4.0), (5, 4.2)]), of(&[(0, 4.0)]));
}

#[test]
fn activities_with_summary_only_have_load() {
    // Rides with only a mean and a max heart rate, and runs with only a distance and a time.
    let make = |number: i64, sport: Sport| {
        let started: Instant = "2026-01-01T08:00:00Z".parse().unwrap();
        let mut activity = Activity::new(sport, started + TimeDelta::days(number), 0);
        (activity.elapsed, activity.moving) = (Some(TimeSpan::from_mins(60)), Some(TimeSpan::from_mins(58)));
        if sport == Sport::Running {
            activity.distance = Distance::from_km(11.0);
        } else {
            (activity.avg_heart_rate, activity.max_heart_rate) = (Some(135), Some(170 + (number % 7) as u16));
        }
        let measures = measure(&activity, None, &[]);
        (activity, measures)
    };
    let sports = [Sport::Cycling, Sport::Running, Sport::Rowing, Sport::Other];
    let made: Vec<_> = (0..40).map(|number| make(number, sports[number as usize % 4])).collect();
    let sessions: Vec<ActivityInput<'_>> = (made.iter().enumerate())
        .map(|(number, (activity, measures))| ActivityInput {
            id: ActivityId::new(number as i64 + 1),
            activity,
            measures,
            exertion: None,
        })
        .collect();
    let history = PipelineInput {
        athlete: Athlete::default(),
        first: made[0].0.day(),
        before: None,
        activities: &sessions,
        wellness: &[],
        feel: &BTreeMap::new(),
        frontier: DataFrontier::default(),
    };
    let worked = run_pipeline(&history).unwrap();
    let late = worked.activities.iter().skip(12);
    for (id, judged) in late {
        let load = judged.load.as_ref().unwrap_or_else(|why| panic!("{id:?}: {why}"));
        assert_eq!(load.quality, Quality::EstimatedProvisional, "{id:?}");
        assert!((20.0..120.0).contains(&load.value), "{id:?}: {load:?}");
    }
    // An impossible summary is not evidence.
    let mut broken = made[1].0.clone();
    broken.distance = Distance::from_km(30.0);
    assert_eq!(threshold_evidence(&broken, &measure(&broken, None, &[])), []);
}
