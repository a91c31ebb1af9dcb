use super::*;
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::{PlanId, WorkoutId};
use crate::domain::note::Author;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::plan::{
    Draft, GoalDistance, PlanStatus, Step, StepDuration, StepTarget, StepType, TargetRange, Workout,
    WorkoutKind,
};
use proptest::prelude::*;

fn step(step_type: StepType, duration: StepDuration, target: StepTarget) -> Step {
    Step { step_type, duration, target, max_heart_rate: None, notes: None }
}

fn range(low: impl Into<Option<f64>>, high: impl Into<Option<f64>>) -> TargetRange {
    TargetRange { low: low.into(), high: high.into() }
}

fn thousands() -> Vec<Step> {
    let mut steps =
        vec![step(StepType::Warmup, StepDuration::Time(900.0), StepTarget::HeartRate(range(None, 140.0)))];
    for _ in 0..5 {
        steps.push(step(
            StepType::Active,
            StepDuration::Distance(1000.0),
            StepTarget::Pace(range(240.0, 250.0)),
        ));
        steps.push(step(StepType::Recovery, StepDuration::Distance(400.0), StepTarget::Open));
    }
    let cooldown = step(StepType::Cooldown, StepDuration::Open, StepTarget::Pace(range(300.0, None)));
    steps.push(Step { notes: Some("jog | home".to_owned()), ..cooldown });
    steps
}

fn workouts(name: &str) -> Vec<PlannedWorkout> {
    let easy = Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: "Easy run".to_owned(),
        distance: Distance::from_km(8.0),
        duration: Some(TimeSpan::from_mins(45)),
        load: Some(48.0),
        ..Workout::rest("2026-06-15".parse().unwrap())
    };
    let hard = Workout {
        date: "2026-06-23".parse().unwrap(),
        kind: WorkoutKind::Intervals,
        name: name.to_owned(),
        distance: None,
        description: Some(format!("First line,\nsecond; line \\ {name}")),
        key: true,
        steps: thousands(),
        ..easy.clone()
    };
    let all = [easy, Workout::rest("2026-06-16".parse().unwrap()), hard];
    (7..).zip(all).map(|(id, workout)| PlannedWorkout { id: WorkoutId::new(id), workout }).collect()
}

fn plan(draft: &Draft) -> Plan {
    Plan {
        id: PlanId::new(3),
        name: draft.name().to_owned(),
        goal: draft.goal(),
        distance: draft.distance(),
        start_date: draft.start_date(),
        race_date: draft.race_date(),
        target_time: draft.target_time(),
        terms: draft.constraints().clone(),
        status: PlanStatus::Active,
        author: Author::Athlete,
        content_hash: draft.content_hash(),
        revision: 2,
        superseded_by: None,
        begun_on: None,
        created_at: "2026-06-01T06:00:00Z".parse().unwrap(),
        activated_at: None,
        archived_at: None,
    }
}

fn half(name: &str) -> (Plan, Vec<PlannedWorkout>, ContentHash) {
    let workouts = workouts(name);
    let planned = workouts.iter().map(|planned| planned.workout.clone()).collect();
    let (start, race) = ("2026-06-15".parse().unwrap(), "2026-09-20".parse().unwrap());
    let target = Some(TimeSpan::from_secs(6300));
    let draft = Draft::new(name, GoalDistance::Half, None, start, race, target, planned).unwrap();
    (plan(&draft), workouts, draft.content_hash())
}

fn calendar(name: &str) -> String {
    let (plan, workouts, _) = half(name);
    let exported = PlanExport { plan: &plan, workouts: &workouts, author: None };
    icalendar(exported, "0a1b", "2026-06-02T07:08:09Z".parse().unwrap(), UnitSystem::Metric)
}

#[test]
fn describe_steps_folds_repeats_and_formats_targets() {
    assert_eq!(
        describe_steps(&thousands(), UnitSystem::Metric),
        [
            "15:00 warm-up, at most 140 bpm",
            "5 × (1.0 km, 4:00–4:10 /km; 400 m recovery)",
            "open cool-down, no faster than 5:00 /km (jog | home)",
        ]
    );
    assert!(describe_steps(&thousands(), UnitSystem::Imperial)[1].contains("0.6 mi, 6:26–6:42 /mi; 400 m"));
    let fixed = step(StepType::Active, StepDuration::Calories(300.0), StepTarget::Power(range(250.0, 250.2)));
    assert_eq!(describe_steps(&[fixed], UnitSystem::Metric), ["300 kcal, 250 W"]);
}

/// Effort and size next to the steps are not repeated in them.
#[test]
fn easy_run_effort_is_exported_once() {
    let effort = "Easy: you can talk";
    let mut easy = step(StepType::Active, StepDuration::Distance(9500.0), StepTarget::Open);
    easy.notes = Some(effort.to_owned());
    let mut workouts = workouts("Easy run");
    workouts.truncate(1);
    let workout = &mut workouts[0].workout;
    (workout.intensity, workout.description) = (Some(effort.to_owned()), Some("Then stretch.".to_owned()));
    workout.steps = vec![easy.clone()];
    let (plan, ..) = half("Easy run");
    let told = |workouts: &[PlannedWorkout]| {
        let exported = PlanExport { plan: &plan, workouts, author: None };
        let calendar =
            icalendar(exported, "0a1b", "2026-06-02T07:08:09Z".parse().unwrap(), UnitSystem::Metric);
        [markdown(exported, UnitSystem::Metric), calendar.replace("\r\n ", "")]
    };
    for told in told(&workouts) {
        assert_eq!((told.matches(effort).count(), told.matches("9.5 km").count()), (1, 0), "{told}");
        assert!(!told.contains(".;"), "{told}");
    }
    workouts[0].workout.steps.push(easy);
    for told in told(&workouts) {
        assert!(told.matches(effort).count() == 1 && told.contains("9.5 km"), "{told}");
    }
}

#[test]
fn markdown_has_one_table_per_week() {
    let (plan, workouts, _) = half("Track | <b>`x`</b>");
    let told = markdown(PlanExport { plan: &plan, workouts: &workouts, author: None }, UnitSystem::Metric);
    let expected = "\
# Track \\| &lt;b&gt;\\`x\\`&lt;/b&gt;

Half marathon on 2026-09-20, target 1:45:00. Starts 2026-06-15, revision 2.

## Week of 2026-06-15

| day | workout | distance | time | load | details |
|---|---|--:|--:|--:|---|
| Mon 2026-06-15 | Easy run | 8.0 km | 45:00 | 48 |  |
| Tue 2026-06-16 | Rest |  |  |  |  |

Total: 8.0 km of running, 45 min.

## Week of 2026-06-22

| day | workout | distance | time | load | details |
|---|---|--:|--:|--:|---|
| Tue 2026-06-23 | Track \\| &lt;b&gt;\\`x\\`&lt;/b&gt; (key) |  | 45:00 | 48 | First line, second; line \\\\ Track \\| \
&lt;b&gt;\\`x\\`&lt;/b&gt;; 15:00 warm-up, at most 140 bpm; 5 × (1.0 km, 4:00–4:10 /km; 400 m recovery); \
open cool-down, no faster than 5:00 /km (jog \\| home) |

Total: 45 min.
";
    assert_eq!(told, expected);
}

#[test]
fn a_calendar_has_an_event_for_every_workout() {
    let told = calendar("Zürich, half; \\n");
    let unfolded = told.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split("\r\n").collect();
    for expected in [
        "X-WR-CALNAME:Zürich\\, half\\; \\\\n",
        "UID:plan-3-workout-7@0a1b.local-fitness",
        "UID:plan-3-workout-9@0a1b.local-fitness",
        "DTSTAMP:20260602T070809Z",
        "SEQUENCE:2",
        "DTSTART;VALUE=DATE:20260615",
        "DTEND;VALUE=DATE:20260616",
        "SUMMARY:Easy run\\, 8.0 km",
        "SUMMARY:Zürich\\, half\\; \\\\n\\, 45 min",
        "DESCRIPTION:First line\\,\\nsecond\\; line \\\\ Zürich\\, half\\; \\\\n\\n15:00 warm-up\\, at most 140 bpm\\n\
         5 × (1.0 km\\, 4:00–4:10 /km\\; 400 m recovery)\\nopen cool-down\\, no faster than 5:00 /km (jog | home)",
    ] {
        assert!(lines.contains(&expected), "{expected} in {unfolded}");
    }
    assert_eq!(unfolded.matches("BEGIN:VEVENT").count(), 2, "a rest day is no event");
    assert!(!calendar("a\u{7}b\u{202e}c\rd").contains(['\u{7}', '\u{202e}']));
}

#[test]
fn an_exported_plan_comes_back_as_the_same_draft() {
    let (plan, workouts, hash) = half("½ | \"quoted\" \u{202e}");
    let file = PlanFile::from(PlanExport { plan: &plan, workouts: &workouts, author: None });
    let text = serde_json::to_string_pretty(&file).unwrap();
    assert_eq!(read_draft(&text).unwrap().content_hash(), hash);
    assert_eq!(serde_json::from_str::<PlanFile>(&text).unwrap(), file);
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = serde_json::to_value(&file).unwrap();
        change(&mut value);
        read_draft(&value.to_string()).unwrap_err().to_string()
    };
    assert!(with(&|v| v["format"] = "other".into()).contains("its format is `other`"));
    assert!(with(&|v| v["format"] = 7.into()).contains("its format is `7`"));
    assert!(with(&|v| v["version"] = 2.into()).contains("version 2"));
    assert!(with(&|v| v["version"] = serde_json::Value::Null).contains("invalid type"));
    assert!(with(&|v| v["status"] = "active".into()).contains("unknown field"));
    assert!(with(&|v| v["workouts"] = serde_json::json!([])).contains("1 to 1500 workouts"));
    assert!(with(&|v| v["workouts"][0]["duration_ms"] = 1.into()).contains("5 to 480 minutes"));
    assert!(read_draft("[]").is_err() && read_draft("").is_err());
}

proptest! {
    #[test]
    fn a_calendars_lines_are_short_and_whole(name in "[^\0]{1,110}") {
        prop_assume!(!name.trim().is_empty());
        let told = calendar(&format!("x{name}"));
        prop_assert!(told.ends_with("END:VCALENDAR\r\n"));
        for line in told.split_terminator("\r\n") {
            prop_assert!(line.len() <= 75, "{line}");
            prop_assert!(!line.contains(['\r', '\n']) && !line.is_empty());
        }
        // Unfolded, every line is a property; untrusted text never starts one.
        for line in told.replace("\r\n ", "").split_terminator("\r\n") {
            prop_assert!(line.starts_with(|c: char| c.is_ascii_uppercase()) && line.contains(':'), "{line}");
        }
        prop_assert_eq!(told.matches("BEGIN:VEVENT\r\n").count(), 2);
    }

    #[test]
    fn a_row_has_six_cells_whatever_it_is_called(name in "[^\0]{1,110}") {
        prop_assume!(!name.trim().is_empty());
        let (plan, workouts, _) = half(&name);
        let told = markdown(PlanExport { plan: &plan, workouts: &workouts, author: None }, UnitSystem::Metric);
        let rows = told.lines().filter(|line| line.starts_with("| Tue 2026-06-23"));
        let cells: Vec<usize> = rows.map(|row| row.replace("\\\\", "").replace("\\|", "").matches('|').count()).collect();
        prop_assert_eq!(cells, [7]);
        prop_assert!(!told.contains('<'));
    }
}
