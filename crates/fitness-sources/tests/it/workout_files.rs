//! Compares workout files with Garmin's SDK.

use crate::archive_fixtures::TempFolder;
use crate::shared_files::skip;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::metrics::predict::{Performance, Vdot};
use fitness_core::plan::{
    Availability, DatedPaces, GoalDistance, Level, PastRun, PlanRequest, Step, StepDuration, StepTarget,
    StepType, TargetRange, TrainingBaseline, Workout, WorkoutKind, generate,
};
use fitness_sources::workouts::{FileIdentity, to_fit};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use std::process::{Command, Stdio};

const SCRIPT: &str = "
import sys, json
from garmin_fit_sdk import Decoder, Stream
for path in sys.stdin.read().splitlines():
    decoder = Decoder(Stream.from_file(path))
    sound = decoder.is_fit() and decoder.check_integrity()
    messages, errors = Decoder(Stream.from_file(path)).read()
    print(json.dumps({'sound': sound, 'errors': [str(e) for e in errors], 'kind': messages['file_id_mesgs'][0]['type'],
        'workout': messages['workout_mesgs'], 'steps': messages['workout_step_mesgs']}, default=str))
";

/// Files as decoded by Garmin's SDK; `None` if it is not installed.
fn garmin_reader_results(paths: &[String]) -> Option<Vec<Value>> {
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let has = Command::new(&python).args(["-c", "import garmin_fit_sdk"]).output().ok()?.status.success();
    if !has {
        return None;
    }
    let mut command = Command::new(&python);
    let mut child =
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), paths.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A valid step that FIT supports completely.
fn step(dice: &mut StdRng) -> Step {
    let step_type = StepType::ALL[dice.random_range(0..StepType::ALL.len())];
    let duration = match dice.random_range(0..4) {
        0 => StepDuration::Time(f64::from(dice.random_range(1..28_800_000_u32)) / 1000.0),
        1 => StepDuration::Distance(f64::from(dice.random_range(1..20_000_000_u32)) / 100.0),
        2 => StepDuration::Calories(f64::from(dice.random_range(1..20_000_u32))),
        _ => StepDuration::Open,
    };
    let mut range = |low: u32, high: u32| {
        let low = dice.random_range(low..high);
        TargetRange { low: Some(low.into()), high: Some(dice.random_range(low..=high).into()) }
    };
    let targets = [
        StepTarget::HeartRate(range(40, 220)),
        StepTarget::Power(range(1, 2000)),
        // Slower than this, 1 mm/s is more than 0.5 s/km.
        StepTarget::Pace(range(120, 900)),
        StepTarget::Cadence(range(40, 120)),
        StepTarget::Open,
    ];
    let notes = dice.random_bool(0.4).then(|| "Gleichmäßig – nicht hetzen, 5 × hoch 🏃".to_owned());
    Step { step_type, duration, target: targets[dice.random_range(0..targets.len())], notes }
}

fn workouts() -> Vec<Workout> {
    let mut dice = StdRng::seed_from_u64(8);
    let sports = [Sport::Cycling, Sport::Swimming, Sport::Rowing, Sport::Strength, Sport::Other];
    (0..120)
        .map(|i| {
            let group: Vec<Step> = (0..dice.random_range(1..4)).map(|_| step(&mut dice)).collect();
            let mut steps = vec![step(&mut dice)];
            for _ in 0..dice.random_range(0..12) {
                steps.extend_from_slice(&group);
            }
            steps.extend((0..dice.random_range(0..3)).map(|_| step(&mut dice)));
            Workout {
                sport: sports[i % sports.len()],
                kind: WorkoutKind::Intervals,
                name: format!("Einheit {i} | <b>½</b>"),
                description: Some("Locker anfangen.\nDann schneller.".to_owned()),
                steps,
                ..Workout::rest("2026-06-14".parse().unwrap())
            }
        })
        .collect()
}

/// Workouts of generated plans: with paces, by effort, and walk/run for beginners.
fn generated() -> Vec<Workout> {
    let as_of: Day = "2026-03-01".parse().unwrap();
    let runs = (0..60 * 7).filter(|back| back % 2 == 0).map(|back| {
        let distance = Distance::from_km(if back % 14 == 0 { 16.0 } else { 9.0 }).unwrap();
        let duration = TimeSpan::from_seconds(distance.km() * 330.0);
        PastRun { day: as_of.plus_days(-back), distance, duration, hard: false }
    });
    let mut runs: Vec<PastRun> = runs.collect();
    runs.reverse();
    let (first, ten) = (runs[0].day, Distance::from_km(10.0).unwrap());
    let paces = Vdot::from_race(Performance::new(ten, TimeSpan::from_mins(45)).unwrap())
        .unwrap()
        .paces(None)
        .unwrap();
    let runner = TrainingBaseline {
        first_day: Some(first),
        first_run: Some(first),
        runs,
        ..TrainingBaseline::unknown(as_of)
    };
    let quick = TrainingBaseline {
        paces: Some(DatedPaces { paces, result_on: as_of.plus_days(-20) }),
        ..runner.clone()
    };
    let mut beginner = TrainingBaseline::unknown(as_of);
    beginner.self_reported.level = Some(Level::Novice);
    let mut all = Vec::new();
    for (athlete, goal) in [
        (&quick, GoalDistance::FiveK),
        (&quick, GoalDistance::TenK),
        (&quick, GoalDistance::Full),
        (&runner, GoalDistance::Half),
        (&beginner, GoalDistance::TenK),
    ] {
        for units in [UnitSystem::Metric, UnitSystem::Imperial] {
            let start = as_of.next();
            let wish = PlanRequest {
                name: None,
                goal,
                distance: None,
                start,
                race: start.plus_days(16 * 7 - 1),
                target: None,
                availability: Availability::default(),
                long_day: None,
                tune_up: None,
                strength: false,
                cross: None,
                units,
            };
            let made = generate(&wish, athlete).unwrap();
            let runs =
                made.draft.workouts().iter().filter(|w| w.sport == Sport::Running && !w.steps.is_empty());
            all.extend(runs.cloned());
        }
    }
    all
}

/// Resolution of distances in a file.
fn in_centimetres(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    for step in &mut steps {
        if let StepDuration::Distance(metres) = &mut step.duration {
            *metres = (*metres * 100.0).round() / 100.0;
        }
    }
    steps
}

/// The decoded steps with repeats expanded, as our types.
fn expanded_steps(told: &Value) -> Vec<Step> {
    let (mut walked, mut began) = (Vec::<Step>::new(), Vec::new());
    for (at, told) in told["steps"].as_array().unwrap().iter().enumerate() {
        assert_eq!(told["message_index"].as_u64(), Some(at as u64));
        began.push(walked.len());
        if told["duration_type"] == "repeat_until_steps_cmplt" {
            let first = began[told["duration_step"].as_u64().unwrap() as usize];
            let group = walked[first..].to_vec();
            (1..told["repeat_steps"].as_u64().unwrap()).for_each(|_| walked.extend_from_slice(&group));
            continue;
        }
        let number = |name: &str| told[name].as_f64().unwrap_or_else(|| panic!("{name}: {told}"));
        let duration = match told["duration_type"].as_str().unwrap() {
            "time" => StepDuration::Time(number("duration_time")),
            "distance" => StepDuration::Distance(number("duration_distance")),
            "calories" => StepDuration::Calories(number("duration_calories")),
            "open" => StepDuration::Open,
            other => panic!("{other}"),
        };
        let range = |name: &str, less: f64| TargetRange {
            low: Some(number(&format!("custom_target_{name}_low")) - less),
            high: Some(number(&format!("custom_target_{name}_high")) - less),
        };
        let target = match told["target_type"].as_str().unwrap() {
            "heart_rate" => StepTarget::HeartRate(range("heart_rate", 100.0)),
            "power" => StepTarget::Power(range("power", 1000.0)),
            "cadence" => StepTarget::Cadence(range("cadence", 0.0)),
            "speed" => {
                let pace = |mps: Option<f64>| Some((1000.0 / mps.unwrap()).round());
                let speed = range("speed", 0.0);
                StepTarget::Pace(TargetRange { low: pace(speed.high), high: pace(speed.low) })
            }
            "open" => StepTarget::Open,
            other => panic!("{other}"),
        };
        walked.push(Step {
            step_type: told["intensity"].as_str().unwrap().parse().unwrap(),
            duration,
            target,
            max_heart_rate: None, notes: told["notes"].as_str().map(str::to_owned),
        });
    }
    walked
}

#[test]
fn garmins_own_reader_reads_every_step_of_a_workout_file() {
    let mut workouts = workouts();
    let made = generated();
    let of = |kind: WorkoutKind| made.iter().filter(|workout| workout.kind == kind).count();
    use WorkoutKind::{Easy, Hills, Intervals, Long, RacePace, Strides, Tempo};
    assert!([Easy, Hills, Intervals, Long, RacePace, Strides, Tempo].into_iter().all(|kind| of(kind) > 0));
    let paced = |workout: &&Workout| workout.steps.iter().any(|step| step.target != StepTarget::Open);
    assert!(made.iter().filter(paced).count() > 20, "with paces to hold");
    workouts.extend(made);
    let files: Vec<(String, Vec<u8>)> = workouts
        .iter()
        .enumerate()
        .map(|(i, workout)| {
            assert_eq!(workout.check(), Ok(()));
            let stamp =
                FileIdentity { serial: i as i64, created_at: "2026-06-01T06:00:00Z".parse().unwrap() };
            let file = to_fit(workout, stamp).unwrap();
            assert_eq!(file.unsupported, [], "{workout:?}");
            (format!("{i}.fit"), file.bytes)
        })
        .collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let folder = TempFolder::new(&files);
    let paths: Vec<String> =
        files.iter().map(|(name, _)| folder.path().join(name).display().to_string()).collect();
    let Some(official) = garmin_reader_results(&paths) else {
        let reason = "Garmin's FIT SDK for Python (garmin-fit-sdk) is not installed";
        return skip("garmins_own_reader_reads_every_step_of_a_workout_file", reason);
    };
    assert_eq!(official.len(), workouts.len());
    let mut repeated = 0;
    for (workout, told) in workouts.iter().zip(&official) {
        assert_eq!((&told["sound"], &told["kind"]), (&true.into(), &"workout".into()), "{told}");
        assert_eq!(told["errors"], Value::Array(Vec::new()));
        let head = &told["workout"][0];
        assert_eq!(head["wkt_name"], workout.name.as_str());
        assert_eq!(head["wkt_description"].as_str(), workout.description.as_deref());
        let sport = match workout.sport {
            Sport::Strength => "training".to_owned(),
            Sport::Other => "generic".to_owned(),
            sport => sport.to_string(),
        };
        assert_eq!(head["sport"], sport.as_str());
        let steps = told["steps"].as_array().unwrap();
        assert_eq!(head["num_valid_steps"], steps.len());
        assert_eq!(expanded_steps(told), in_centimetres(&workout.steps), "{told}");
        repeated += usize::from(steps.iter().any(|step| step["duration_type"] == "repeat_until_steps_cmplt"));
    }
    assert!(repeated > 50, "{repeated} of them repeat something");
}
