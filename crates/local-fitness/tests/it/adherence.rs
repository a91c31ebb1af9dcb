//! Adherence with the real binary: verdicts after imports, absences, matches, steps compared with
//! laps.

use crate::harness::Home;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{
    Draft, GoalDistance, Step, StepDuration, StepTarget, StepType, TargetRange, Workout, WorkoutKind,
};
use fitness_store::testkit;

fn june(day: u32) -> Day {
    Day::new(2026, 6, day).unwrap()
}

fn run(day: u32, km: f64) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: "Easy run".to_owned(),
        distance: Distance::from_km(km),
        duration: TimeSpan::from_seconds(km * 360.0),
        load: Some(km * 6.0),
        ..Workout::rest(june(day))
    }
}

/// Ten minutes, twice 1000 m with two minutes easy after each, ten minutes.
fn intervals(day: u32) -> Workout {
    let step = |step_type, duration, target| Step { step_type, duration, target, max_heart_rate: None, notes: None };
    let hard = step(
        StepType::Active,
        StepDuration::Distance(1000.0),
        StepTarget::Pace(TargetRange { low: Some(230.0), high: Some(240.0) }),
    );
    let easy = step(StepType::Recovery, StepDuration::Time(120.0), StepTarget::Open);
    let warm = step(StepType::Warmup, StepDuration::Time(600.0), StepTarget::Open);
    let cool = step(StepType::Cooldown, StepDuration::Time(600.0), StepTarget::Open);
    let steps = vec![warm, hard.clone(), easy.clone(), hard, easy, cool];
    Workout { kind: WorkoutKind::Intervals, name: "2 x 1000 m".to_owned(), key: true, steps, ..run(day, 6.0) }
}

/// A TCX file with laps of the given seconds and metres, starting at 08:00 local time.
fn tcx(day: u32, laps: &[(u32, f64)]) -> String {
    let (mut text, mut second, mut far) = (String::new(), 0, 0.0);
    let clock = |second: u32| {
        format!("2026-06-{day:02}T{:02}:{:02}:{:02}Z", 6 + second / 3600, second / 60 % 60, second % 60)
    };
    for (seconds, meters) in laps {
        text += &format!(
            "<Lap StartTime='{}'><TotalTimeSeconds>{seconds}</TotalTimeSeconds><DistanceMeters>{meters}</DistanceMeters>\
             <AverageHeartRateBpm><Value>150</Value></AverageHeartRateBpm><Track>",
            clock(second)
        );
        for at in (0..=*seconds).step_by(10) {
            let here = far + meters * f64::from(at) / f64::from(*seconds);
            text += &format!(
                "<Trackpoint><Time>{}</Time><DistanceMeters>{here:.1}</DistanceMeters></Trackpoint>",
                clock(second + at)
            );
        }
        text += "</Track></Lap>";
        second += seconds;
        far += meters;
    }
    format!(
        "<TrainingCenterDatabase><Activities><Activity Sport='Running'><Id>{}</Id>{text}</Activity></Activities>\
         </TrainingCenterDatabase>",
        clock(0)
    )
}

/// Ann with an active plan: 8 km on Tuesday, intervals on Thursday, rest on Friday, 10 km on
/// Saturday, 16 km on Monday.
fn home_with_plan() -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich", "--units", "metric"]);
    let url = home.path("data/local-fitness/fitness.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = testkit::open(&url.display().to_string()).await;
        let ann = store.list_users().await.unwrap()[0].id;
        let workouts =
            vec![run(9, 8.0), intervals(11), Workout::rest(june(12)), run(13, 10.0), run(15, 16.0)];
        let race = Day::new(2026, 9, 20).unwrap();
        let draft = Draft::new("Half", GoalDistance::Half, None, june(8), race, None, workouts).unwrap();
        let plan =
            store.plan_writer(ann, Author::Athlete).put_draft(&draft, None, testkit::now()).await.unwrap();
        let seen = testkit::activation_request(plan, None).hash(draft.content_hash());
        let kind = fitness_core::plan::HumanActionKind::Activate;
        let consent = testkit::consent(&store, ann, kind, Some(plan), seen).await.unwrap();
        testkit::activate(&store, consent, plan, None).await.unwrap();
        store.close().await;
    });
    home
}

fn import(home: &Home, name: &str, content: &str) {
    let file = home.file(name, content);
    home.ok(&["import", &file]);
}

#[test]
fn plan_show_grades_imports_and_matches() {
    let home = home_with_plan();
    let shown = home.ok(&["plan", "show"]);
    assert!(shown.contains("no data yet, so nothing is graded"), "{shown}");
    assert!(
        shown.contains("Week of 8 Jun, planned: 24.0 km of running; all sports 2h 24m, load 144\n"),
        "{shown}"
    );

    import(&home, "tuesday.tcx", &tcx(9, &[(2700, 7500.0)]));
    import(&home, "rest.tcx", &tcx(12, &[(2400, 5900.0)]));
    let shown = home.ok(&["plan", "show"]);
    assert!(
        shown.contains(
            "Week of 8 Jun: 13.4 of 14.0 km due so far, 24.0 km of running planned for the week; adher"
        ),
        "{shown}"
    );
    import(&home, "sunday.tcx", &tcx(14, &[(3600, 10_500.0)]));
    let shown = home.ok(&["plan", "show"]);
    for part in [
        "data complete through 2026-06-14; 1 hit, 0 short, 2 missed",
        "adherence 31% over 3 workouts, weighted by distance\n",
        "key workouts 0% over 1 workout, weighted by distance\n",
        "Week of 8 Jun: 23.9 of 24.0 km; adherence 31%; all sports ",
        "✓ hit",
        "7.5 km of 8.0 km",
        "2 x 1000 m (key)",
        "ran more than 30 minutes on a rest day (activity 2)",
        "moved? activity 3 on Sun 2026-06-14, 10.5 km: count it with `fitness plan match 4 3`",
        "Week of 15 Jun, planned: 16.0 km of running; ",
    ] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    // Friday's run is as long as Thursday's workout, so it is suggested for it.
    let data = home.json(&["plan", "show"]);
    assert_eq!(data["offers"].as_array().unwrap().len(), 2, "{data:#}");
    assert_eq!((&data["offers"][1]["workout"], &data["offers"][1]["activity"]), (&4.into(), &3.into()));
    assert_eq!(data["graded"][3]["verdict"], "missed", "suggested, not matched");
    assert_eq!(data["notes"][1]["kind"], "rest_day_run");

    let said = home.ok(&["plan", "match", "4", "3"]);
    assert!(said.contains("Undo with `fitness plan unmatch 4`"), "{said}");
    let data = home.json(&["plan", "show"]);
    assert_eq!((&data["graded"][3]["verdict"], &data["behind"][3]["matched"]), (&"hit".into(), &3.into()));
    assert_eq!(data["adherence"]["current"]["percent"], 72, "17.5 of 24 km");
    assert!(home.ok(&["plan", "show"]).contains("moved: done on another day (activity 3)"));
    let refused = home.expect_error(&["plan", "match", "5", "3"]);
    assert!(refused.contains("already matched") && refused.contains("fitness plan unmatch 4"), "{refused}");
    home.ok(&["plan", "unmatch", "4"]);
    assert_eq!(home.json(&["plan", "show"])["graded"][3]["verdict"], "missed");
    assert!(home.expect_error(&["plan", "unmatch", "4"]).contains("there is no such match"));

    home.ok(&["plan", "match", "2", "2", "--decline"]);
    assert_eq!(home.json(&["plan", "show"])["offers"].as_array().unwrap().len(), 1);
    for (arguments, why) in [
        (["plan", "match", "1", "3"], "more than 2 days"),
        (["plan", "match", "3", "1"], "a rest day"),
        (["plan", "match", "99", "1"], "there is no such workout"),
        (["plan", "match", "1", "99"], "there is no such activity"),
    ] {
        let refused = home.expect_error(&arguments);
        assert!(refused.contains(why), "{arguments:?}: {refused}");
    }
}

#[test]
fn absent_days_are_left_out_of_adherence() {
    let home = home_with_plan();
    import(&home, "tuesday.tcx", &tcx(9, &[(2700, 8000.0)]));
    import(&home, "sunday.tcx", &tcx(14, &[(600, 1500.0)]));
    let before = home.json(&["plan", "show"]);
    assert_eq!(before["adherence"]["current"]["percent"], 33, "8 of 24 km");

    let said = home.ok(&[
        "day",
        "mark",
        "ill",
        "--from",
        "2026-06-11",
        "--through",
        "2026-06-13",
        "--severity",
        "2",
        "--note",
        "flu",
    ]);
    assert!(
        said.contains("Marked 2026-06-11 to 2026-06-13 as ill (3 days)")
            && said.contains("fitness day unmark 1"),
        "{said}"
    );
    // Marking the same days again adds nothing.
    home.ok(&[
        "day",
        "mark",
        "ill",
        "--from",
        "2026-06-11",
        "--through",
        "2026-06-13",
        "--severity",
        "2",
        "--note",
        "flu",
    ]);
    assert!(home.ok(&["day", "list"]).contains("flu"));
    assert_eq!(home.json(&["day", "list"]).as_array().unwrap().len(), 1);
    let shown = home.ok(&["plan", "show"]);
    for part in [
        "· ill (missed)",
        "not counted: 2 workouts on days you were ill, injured or away",
        "adherence 100% over 1 workout",
        "2 excused",
    ] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    let data = home.json(&["plan", "show"]);
    assert_eq!(
        (&data["graded"][1]["verdict"], &data["graded"][1]["excused"]),
        (&"missed".into(), &"ill".into())
    );

    home.ok(&["day", "unmark", "1"]);
    assert_eq!(home.json(&["plan", "show"])["adherence"], before["adherence"]);
    assert!(home.expect_error(&["day", "unmark", "1"]).contains("there is no absence 1"));
    assert!(home.ok(&["day", "list"]).contains("No absences."));

    // One day without --through; reversed or too long periods and a severity for away are refused.
    let one = home.json(&["day", "mark", "away", "--from", "2026-07-01"]);
    assert_eq!((&one["from"], &one["through"]), (&"2026-07-01".into(), &"2026-07-01".into()));
    let past = home.json(&["day", "mark", "injured", "--through", "2026-07-02"]);
    assert_eq!((&past["from"], &past["through"]), (&"2026-07-02".into(), &"2026-07-02".into()));
    for arguments in [
        ["day", "mark", "ill", "--from", "2026-07-02", "--through", "2026-07-01"].as_slice(),
        &["day", "mark", "ill", "--from", "2026-07-02", "--through", "2028-07-01"],
        &["day", "mark", "away", "--severity", "2"],
        &["day", "mark", "ill", "--note", ""],
    ] {
        home.expect_error(arguments);
    }
    // A check-in is not an absence.
    home.ok(&["checkin", "4", "--day", "2026-07-03"]);
    assert_eq!(home.json(&["day", "list"]).as_array().unwrap().len(), 2);
    assert!(home.expect_error(&["day", "unmark", "4"]).contains("there is no absence 4"));
}

#[test]
fn marking_a_suggested_absence_accepts_it() {
    let home = home_with_plan();
    let day: Day = "2026-06-11".parse().unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = testkit::open(&home.path(crate::coach::DATABASE).display().to_string()).await;
        let user = store.list_users().await.unwrap()[0].id;
        let ill = ObservationData::new(ObservationKind::Illness, day, day, None).unwrap();
        store.add_observation(user, Author::Coach, &ill, crate::harness::now()).await.unwrap();
        store.close().await;
    });
    let said = home.ok(&["day", "mark", "ill", "--from", "2026-06-11"]);
    assert!(said.contains("Marked 2026-06-11 as ill (1 day)"), "{said}");
    let marks = home.json(&["day", "list"]);
    assert_eq!((marks.as_array().unwrap().len(), &marks[0]["accepted"]), (1, &true.into()), "{marks}");
}

#[test]
fn workout_steps_are_compared_with_laps() {
    let home = home_with_plan();
    let asked = home.ok(&["plan", "workout", "2"]);
    assert!(asked.contains("3:50 /km to 4:00 /km") && asked.contains("warm-up"), "{asked}");
    let laps = [(600, 1680.0), (235, 1000.0), (120, 260.0), (250, 1000.0), (120, 260.0), (600, 1600.0)];
    import(&home, "thursday.tcx", &tcx(11, &laps));
    for arguments in [["plan", "workout", "2"], ["activity", "show", "1"]] {
        let shown = home.ok(&arguments);
        for part in ["from laps", "✓ within", "↓ below", "3:55 /km", "4:10 /km", "1000 m"] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
    }
    let data = home.json(&["plan", "workout", "2"]);
    let steps = &data["compared"][0]["comparison"]["steps"];
    assert_eq!(
        (&steps[1]["kept"], &steps[3]["kept"], &steps[0]["kept"]),
        (&"within".into(), &"below".into(), &serde_json::Value::Null)
    );
    assert_eq!(home.json(&["activity", "show", "1"])["session"]["workout"], 2);
    assert!(home.expect_error(&["plan", "workout", "99"]).contains("none of your plans has a workout 99"));
}

#[test]
fn day_complete_grades_days_without_data() {
    let home = home_with_plan();
    import(&home, "tuesday.tcx", &tcx(9, &[(2700, 7500.0)]));
    let shown = home.ok(&["plan", "show"]);
    assert!(shown.contains("data complete through 2026-06-09; 1 hit, 0 short, 0 missed"), "{shown}");
    let said = home.ok(&["day", "complete", "2026-06-13"]);
    assert!(said.starts_with("Marked as complete through 2026-06-13. The 4 days after "), "{said}");
    let shown = home.ok(&["plan", "show"]);
    assert!(shown.contains("data complete through 2026-06-13; 1 hit, 0 short, 2 missed"), "{shown}");
    // An earlier day changes nothing, and late data is graded again.
    let again = home.json(&["day", "complete", "2026-06-11"]);
    assert_eq!(
        (again["complete"].as_str(), again["before"].as_str()),
        (Some("2026-06-13"), Some("2026-06-13"))
    );
    import(&home, "saturday.tcx", &tcx(13, &[(3600, 10_000.0)]));
    let shown = home.ok(&["plan", "show"]);
    assert!(shown.contains("data complete through 2026-06-13; 2 hit, 0 short, 1 missed"), "{shown}");
    let refused = home.expect_error(&["day", "complete", "2199-01-01"]);
    assert!(refused.contains("2199-01-01 is in the future"), "{refused}");
    assert!(refused.contains("the default is yesterday"), "{refused}");
    let yesterday = home.json(&["day", "complete"]);
    assert_eq!(yesterday["before"], "2026-06-13");
    assert!(yesterday["complete"].as_str() > Some("2026-06-13"), "{yesterday}");
}
