use super::*;
use crate::fit::{DecodedMessage, decode_messages};
use fitness_core::plan::{TargetRange, WorkoutKind};
use proptest::prelude::*;
use rustyfit::profile::typedef::MesgNum;

fn stamp() -> FileIdentity {
    FileIdentity { serial: 17, created_at: "2026-06-01T06:00:00Z".parse().unwrap() }
}

fn run(steps: Vec<Step>) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Intervals,
        name: "Thousands".to_owned(),
        steps,
        ..Workout::rest("2026-06-14".parse().unwrap())
    }
}

fn step(step_type: StepType, duration: StepDuration, target: StepTarget) -> Step {
    Step { step_type, duration, target, max_heart_rate: None, notes: None }
}

fn range(low: impl Into<Option<f64>>, high: impl Into<Option<f64>>) -> TargetRange {
    TargetRange { low: low.into(), high: high.into() }
}

fn steps_of(file: &WorkoutFile) -> Vec<DecodedMessage> {
    decode_messages(&file.bytes, MesgNum::WORKOUT_STEP)
}

/// Duration type and value, target type and value, low, high and intensity of each step in the
/// file.
fn rows(file: &WorkoutFile) -> Vec<[Option<i64>; 7]> {
    let fields = [1, 2, 3, 4, 5, 6, 7_u8];
    steps_of(file).iter().map(|step| fields.map(|field| step.numbers.get(&field).copied())).collect()
}

fn decoded_texts(file: &WorkoutFile) -> Vec<String> {
    file.unsupported.iter().map(ToString::to_string).collect()
}

#[test]
fn workout_is_written_as_fit_steps() {
    use StepDuration::{Distance, Open, Time};
    let pace = StepTarget::Pace(range(240.0, 250.0));
    let mut steps = vec![step(StepType::Warmup, Time(900.0), StepTarget::HeartRate(range(120.0, 140.0)))];
    for _ in 0..5 {
        steps.push(step(StepType::Active, Distance(1000.0), pace));
        steps.push(step(StepType::Recovery, Time(120.0), StepTarget::Open));
    }
    steps.push(step(StepType::Cooldown, Open, StepTarget::Open));
    let file = to_fit(&run(steps), stamp()).unwrap();
    assert_eq!(decoded_texts(&file), Vec::<String>::new());
    assert_eq!(
        rows(&file),
        [
            [Some(0), Some(900_000), Some(1), Some(0), Some(220), Some(240), Some(2)],
            [Some(1), Some(100_000), Some(0), Some(0), Some(4000), Some(4167), Some(0)],
            [Some(0), Some(120_000), Some(2), Some(0), None, None, Some(4)],
            [Some(6), Some(1), None, Some(5), None, None, None],
            [Some(5), None, Some(2), Some(0), None, None, Some(3)],
        ]
    );
    let indices: Vec<i64> = steps_of(&file).iter().map(|step| step.numbers[&254]).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4]);
    let workout = &decode_messages(&file.bytes, MesgNum::WORKOUT)[0];
    assert_eq!((workout.numbers[&6], workout.numbers[&4], workout.texts[&8].as_str()), (5, 1, "Thousands"));
    let id = &decode_messages(&file.bytes, MesgNum::FILE_ID)[0];
    assert_eq!((id.numbers[&0], id.numbers[&1], id.numbers[&3]), (5, 255, 17));
    // Our own parser ignores it.
    let read = crate::fit::read(&file.bytes, chrono_tz::Tz::UTC).unwrap();
    assert_eq!((read.kind.as_deref(), read.activities.len()), (Some("workout"), 0));
}

#[test]
fn power_and_cadence_are_converted() {
    let with = |sport, target| {
        let workout = Workout { sport, ..run(vec![step(StepType::Active, StepDuration::Open, target)]) };
        let file = to_fit(&workout, stamp()).unwrap();
        assert_eq!(decoded_texts(&file), Vec::<String>::new());
        let row = rows(&file)[0];
        (row[2], row[4], row[5])
    };
    let power = StepTarget::Power(range(230.0, 250.0));
    assert_eq!(with(Sport::Cycling, power), (Some(4), Some(1230), Some(1250)));
    let turns = StepTarget::Cadence(range(85.0, 95.0));
    assert_eq!(with(Sport::Cycling, turns), (Some(3), Some(85), Some(95)));
    let steps = StepTarget::Cadence(range(170.0, 180.0));
    assert_eq!(with(Sport::Running, steps), (Some(3), Some(85), Some(90)), "two steps are a stride");
}

#[test]
fn unsupported_features_are_reported() {
    use StepTarget::{Cadence, HeartRate, Pace, Power};
    for (target, low, high, words) in [
        (
            HeartRate(range(None, 150.0)),
            140,
            250,
            "step 1: the heart rate target is open at one end; 40 bpm was used as the other end",
        ),
        (HeartRate(range(150.0, None)), 250, 320, "220 bpm was used as the other end"),
        (HeartRate(range(0.0, 30.0)), 101, 130, "below the range of watches and was raised to 1 bpm"),
        (HeartRate(range(100.0, 5000.0)), 200, 355, "above the range of watches and was lowered to 255 bpm"),
        (Power(range(None, 250.0)), 1001, 1250, "1 W was used as the other end"),
        (Power(range(250.0, None)), 1250, 3000, "2000 W was used as the other end"),
        (Pace(range(None, 300.0)), 3333, 8333, "2:00 /km was used as the other end"),
        (Pace(range(300.0, None)), 556, 3333, "30:00 /km was used as the other end"),
        (Pace(range(0.0, 300.0)), 3333, 50_000, "raised to 0:20 /km"),
        (Cadence(range(None, 180.0)), 1, 90, "2 per minute was used as the other end"),
        (Cadence(range(170.0, 5000.0)), 85, 254, "lowered to 508 per minute"),
    ] {
        let file = to_fit(&run(vec![step(StepType::Active, StepDuration::Open, target)]), stamp()).unwrap();
        let row = rows(&file)[0];
        assert_eq!((row[4], row[5]), (Some(low), Some(high)), "{target:?}");
        assert!(
            decoded_texts(&file).len() == 1 && decoded_texts(&file)[0].contains(words),
            "{target:?}: {:?}",
            decoded_texts(&file)
        );
    }
    let empty = step(StepType::Active, StepDuration::Time(1e-9), Power(range(None, None)));
    let file = to_fit(&run(vec![empty]), stamp()).unwrap();
    assert_eq!(rows(&file)[0], [Some(0), Some(1), Some(2), Some(0), None, None, Some(0)]);
    assert_eq!(
        decoded_texts(&file),
        [
            "step 1: the duration cannot be stored exactly and was rounded",
            "step 1: the power target has no values, so the step has no target"
        ]
    );
}

#[test]
fn long_text_is_truncated_at_character_boundary() {
    let mut workout = run(vec![Step {
        notes: Some("ü".repeat(200)),
        ..step(StepType::Active, StepDuration::Open, StepTarget::Open)
    }]);
    workout.name = "🏃".repeat(120);
    workout.description = Some("x".repeat(255));
    let file = to_fit(&workout, stamp()).unwrap();
    assert_eq!(
        decoded_texts(&file),
        ["name shortened to fit", "description shortened to fit", "step 1: notes shortened to fit",]
    );
    assert_eq!(steps_of(&file)[0].texts[&8], "ü".repeat(127));
    let message = &decode_messages(&file.bytes, MesgNum::WORKOUT)[0];
    assert_eq!((&message.texts[&8], &message.texts[&17]), (&"🏃".repeat(63), &"x".repeat(254)));
}

#[test]
fn a_workout_without_steps_is_one_step() {
    let on = |change: &dyn Fn(&mut Workout)| {
        let mut workout = run(Vec::new());
        change(&mut workout);
        rows(&to_fit(&workout, stamp()).unwrap())
    };
    let only = |kind, value| vec![[Some(kind), value, Some(2), Some(0), None, None, Some(0)]];
    assert_eq!(on(&|_| {}), only(5, None));
    assert_eq!(on(&|w| w.distance = Distance::from_km(8.0)), only(1, Some(800_000)));
    assert_eq!(on(&|w| w.duration = Some(TimeSpan::from_mins(45))), only(0, Some(2_700_000)));
    assert_eq!(
        on(&|w| (w.distance, w.duration) = (Some(Distance::ZERO), Some(TimeSpan::from_mins(45)))),
        only(0, Some(2_700_000))
    );
    let rest = Workout::rest("2026-06-14".parse().unwrap());
    assert!(matches!(to_fit(&rest, stamp()), Err(WorkoutFileError::Rest)));
}

#[test]
fn names_are_safe_and_unique() {
    let mut names = FileNames::default();
    let mut name = |text: &str| names.unique_name(&Workout { name: text.to_owned(), ..run(Vec::new()) });
    assert_eq!(name("Easy run"), "2026-06-14-easy-run.fit");
    assert_eq!(name("easy  RUN!"), "2026-06-14-easy-run-2.fit");
    assert_eq!(name("../../etc/passwd"), "2026-06-14-etc-passwd.fit");
    assert_eq!(name("C:\\aux\u{202e}\n.exe"), "2026-06-14-c-aux-exe.fit");
    assert_eq!(name("走る"), "2026-06-14-running.fit");
    assert_eq!(name(&"long ".repeat(30)), "2026-06-14-long-long-long-long-long-long-long-long.fit");
    assert_eq!(name("Easy run 2"), "2026-06-14-easy-run-2-2.fit");
}

#[test]
fn a_zip_holds_the_files() {
    let files: [(&str, &[u8]); 2] = [("a.fit", b"one"), ("b.fit", b"two")];
    let bytes = zip(files).unwrap();
    assert_eq!(bytes, zip(files).unwrap(), "the same files, the same bytes");
    let mut archive = ::zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(
        archive.file_names().map(|name| name.unwrap().into_owned()).collect::<Vec<_>>(),
        ["a.fit", "b.fit"]
    );
    assert_eq!(io::read_to_string(archive.by_name("b.fit").unwrap()).unwrap(), "two");
    assert!(zip([("a.fit", b"one".as_slice()), ("a.fit", b"two")]).is_err());
}

fn any_range() -> impl Strategy<Value = TargetRange> {
    let end = || proptest::option::weighted(0.8, 0.0..=5000.0_f64);
    (end(), end()).prop_map(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => range(a.min(b), a.max(b)),
        (low, high) => TargetRange { low, high },
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let duration = prop_oneof![
        (0.0..=28_800.0_f64).prop_map(|s| StepDuration::Time(s.max(f64::MIN_POSITIVE))),
        (0.0..=200_000.0_f64).prop_map(|m| StepDuration::Distance(m.max(1e-9))),
        (0.0..=20_000.0_f64).prop_map(|c| StepDuration::Calories(c.max(1e-9))),
        Just(StepDuration::Open),
    ];
    let target = prop_oneof![
        any_range().prop_map(StepTarget::HeartRate),
        any_range().prop_map(StepTarget::Power),
        any_range().prop_map(StepTarget::Pace),
        any_range().prop_map(StepTarget::Cadence),
        Just(StepTarget::Open),
    ];
    let kind = proptest::sample::select(StepType::ALL);
    let notes = proptest::option::of("[^\0]{0,300}");
    (kind, duration, target, notes).prop_map(|(step_type, duration, target, notes)| Step {
        step_type,
        duration,
        target,
        max_heart_rate: None, notes,
    })
}

/// The steps with repeats expanded.
fn expanded_steps(file: &WorkoutFile) -> Vec<[Option<i64>; 7]> {
    let mut walked: Vec<[Option<i64>; 7]> = Vec::new();
    let mut since = Vec::new();
    for row in rows(file) {
        since.push(walked.len());
        if row[0] == Some(6) {
            let first = since[usize::try_from(row[1].unwrap()).unwrap()];
            let group = walked[first..].to_vec();
            for _ in 1..row[3].unwrap() {
                walked.extend_from_slice(&group);
            }
        } else {
            walked.push(row);
        }
    }
    walked
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_valid_workout_has_a_valid_file(
        distinct in proptest::collection::vec(any_step(), 0..12),
        order in proptest::collection::vec(0..12_usize, 0..100),
        sport in proptest::sample::select(Sport::ALL),
        name in "[^\0]{0,119}",
        serial in any::<i64>(),
    ) {
        // Few distinct steps, so that some repeat.
        let steps: Vec<Step> =
            order.iter().filter_map(|i| distinct.get(i % distinct.len().max(1)).cloned()).collect();
        let mut workout = Workout { sport, name: format!("x{name}"), ..run(steps) };
        if sport == Sport::Rest {
            workout = Workout::rest(workout.date);
        }
        prop_assert_eq!(workout.check(), Ok(()));
        let Ok(file) = to_fit(&workout, FileIdentity { serial, ..stamp() }) else {
            prop_assert!(workout.is_rest());
            return Ok(());
        };
        prop_assert!(file.bytes.len() < 64 << 10, "{} bytes", file.bytes.len());
        prop_assert_eq!(rows(&file).len(), file.steps);
        let walked = expanded_steps(&file);
        prop_assert_eq!(walked.len(), workout.steps.len().max(1));
        for (row, step) in walked.iter().zip(&workout.steps) {
            let (kind, value) = match step.duration {
                StepDuration::Time(s) => (0, Some(s * 1000.0)),
                StepDuration::Distance(m) => (1, Some(m * 100.0)),
                StepDuration::Calories(c) => (4, Some(c)),
                StepDuration::Open => (5, None),
            };
            prop_assert_eq!(row[0], Some(kind));
            prop_assert_eq!(row[1].is_some(), value.is_some());
            if let (Some(written), Some(value)) = (row[1], value) {
                prop_assert!((written as f64 - value).abs() <= 1.0 && written > 0);
            }
            if let (Some(low), Some(high)) = (row[4], row[5]) {
                prop_assert!(low <= high);
                // Smaller values would mean percent.
                let least = match row[2] { Some(1) => 101, Some(4) => 1001, _ => 1 };
                prop_assert!(low >= least, "{row:?}");
            } else {
                prop_assert_eq!(row[2], Some(2));
            }
        }
    }
}
