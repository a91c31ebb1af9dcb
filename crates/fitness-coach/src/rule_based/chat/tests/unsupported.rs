//! What it does not do it says, and what it can look up it does.

use super::*;

#[tokio::test]
async fn what_it_cannot_do_it_says() {
    for text in [
        "move Sunday's long run to Saturday",
        "swap wednesday and thursday",
        "add a rest day on Monday",
        "make next week harder",
        "can you move tomorrow's run to Friday?",
        "make Sunday longer",
    ] {
        let (called, said) = converse(text, &[]).await;
        assert!(called.is_empty() && said.contains("I cannot do that"), "{text}: {called:?} {said}");
    }
    for text in [
        concat!("Please acti", "vate the 10K draft now"),
        concat!("acti", "vate plan 2"),
        concat!("app", "ly proposal 1"),
        concat!("dele", "te my plan"),
        "accept the proposal",
        concat!("can you app", "ly it?"),
    ] {
        let (called, said) = converse(text, &[]).await;
        assert!(called.is_empty() && said.contains("Only you do that"), "{text}: {called:?} {said}");
        assert!(said.contains("`fitness plan proposal "), "{said}");
    }
    for text in ["was it harder?", "why is it longer?", "what is on next week?", "draft a 10k plan for 4 may"]
    {
        assert!(!matches!(read(text), Intent::Beyond | Intent::Decide), "{text}: {:?}", read(text));
    }
}

#[test]
fn who_is_away_says_so_for_days() {
    let away = |from: &str, through: &str| Intent::Away {
        observation: json!({ "kind": "away", "from": from, "through": through }),
    };
    assert_eq!(read("I will be away next week"), away("2026-06-15", "2026-06-21"));
    assert_eq!(read("I'm travelling from Thursday to Saturday"), away("2026-06-11", "2026-06-13"));
    assert_eq!(read("I'm on holiday"), Intent::Unsure { doubt: Doubt::NoDay });
    assert!(!matches!(read("I was away last week"), Intent::Away { .. }));
    assert!(!matches!(read("my wife is away next week"), Intent::Away { .. }));
}

#[test]
fn a_distance_and_a_time_are_taken_as_they_are_said() {
    for (text, km) in [
        ("what could I run over 50 km?", 50.0),
        ("what could I run over 15km?", 15.0),
        ("predict 10 miles", 16.093),
        ("what could I run over 400 m?", 0.4),
    ] {
        assert_eq!(read(text), Intent::Predict { input: json!({ "distance_km": km }) }, "{text}");
    }
    for (time, target) in [
        ("in 98 minutes", "01:38:00"),
        ("in 1h38", "01:38:00"),
        ("in 1h 38m", "01:38:00"),
        ("in 2 hours and 5 minutes", "02:05:00"),
        ("in 1:38", "01:38:00"),
    ] {
        let text = format!("draft a half plan for May 2 2027 {time}");
        let Intent::Draft { input } = read(&text) else { panic!("{text}: {:?}", read(&text)) };
        assert_eq!(input["target_time"], target, "{text}");
    }
    assert!(matches!(read("draft a half plan for May 2 2027, sub two"), Intent::DraftWhat { .. }));
}

#[tokio::test]
async fn a_metric_of_a_day_is_looked_up() {
    let asked = |metric: &str, from: &str, through: &str| json!({ "metric": metric, "from": from, "through": through });
    for (text, wanted) in [
        (
            "what was my resting heart rate yesterday?",
            asked("resting_heart_rate", "2026-06-08", "2026-06-08"),
        ),
        ("how was my hrv last week?", asked("hrv", "2026-06-01", "2026-06-07")),
        ("how did I sleep yesterday?", asked("sleep_minutes", "2026-06-08", "2026-06-08")),
        ("what is my weight?", asked("weight", "2026-06-03", "2026-06-09")),
    ] {
        let Intent::Metric { input, .. } = read(text) else { panic!("{text}: {:?}", read(text)) };
        assert_eq!(input, wanted, "{text}");
    }
    assert_eq!(read("how did I sleep?"), Intent::Today);
    let answer = json!({ "metric": "resting_heart_rate", "unit": "bpm", "points": [["2026-06-08", 48.0]], "mean": 48.0 });
    let mut ledger = crate::grounding::AllowedNumbers::default();
    ledger.record_result(&answer);
    let (_, said) =
        converse("what was my resting heart rate yesterday?", &[("metric_series", Ok(answer))]).await;
    assert!(said.contains("Your resting heart rate on Mon 2026-06-08: 48 bpm."), "{said}");
    assert!(ledger.unverified_numbers(&said).is_empty(), "{said}");
}

#[test]
fn how_used_to_running_somebody_is_goes_with_the_draft() {
    let Intent::Draft { input } = read("draft a half marathon plan for 2027-05-02, I am new to it") else {
        panic!()
    };
    assert_eq!(input, json!({ "goal": "half", "race_date": "2027-05-02", "level": "novice" }));
    let before = [
        Message::Program {
            parts: vec![UserPart::Text { text: "draft a half plan for 2027-05-02".to_owned() }],
        },
        Message::Model {
            name: NAME.to_owned(),
            parts: vec![ModelPart::Text { text: "That did not work".to_owned() }],
        },
    ];
    let Some(Intent::Draft { input }) =
        draft_request::with_level("I'm intermediate and run 40 km a week", &before, today())
    else {
        panic!()
    };
    assert_eq!(
        input,
        json!({ "goal": "half", "race_date": "2027-05-02", "level": "inter", "weekly_km": 40.0 })
    );
    assert_eq!(draft_request::with_level("sing me a song", &before, today()), None);
}

#[test]
fn a_draft_takes_the_place_of_the_one_before_it_for_the_same_race() {
    let call = ModelPart::Call {
        id: "built-in-1".to_owned(),
        tool: "draft_training_plan".to_owned(),
        input: json!({}),
    };
    let told = UserPart::Result {
        call: "built-in-1".to_owned(),
        text: r#"{"plan_id":7}"#.to_owned(),
        refused: false,
    };
    let messages =
        [Message::Model { name: NAME.to_owned(), parts: vec![call] }, Message::Program { parts: vec![told] }];
    assert_eq!(draft_request::made_before(&messages), Some(7));
    assert_eq!(draft_request::made_before(&[]), None);
    let input = json!({ "goal": "half", "race_date": "2027-05-02" });
    let progress = |goal: &str| json!({ "drafts": [{ "plan_id": 7, "goal": goal }] });
    let step = |progress: Value| {
        let results = Results::from([("plan_progress", Ok(progress))]);
        drafted(&input, Some(7), &results, today())
    };
    let Step::Call(ToolName::DraftTrainingPlan, again) = step(progress("half")) else { panic!() };
    assert_eq!(again["instead_of"], 7);
    for other in [progress("10k"), json!({})] {
        let Step::Call(ToolName::DraftTrainingPlan, again) = step(other) else { panic!() };
        assert_eq!(again.get("instead_of"), None);
    }
}

#[tokio::test]
async fn the_athletes_own_word_goes_before_the_watch() {
    let told = |marked: Value| json!({ "facts": { "recovery": { "shown": "72" }, "recovery_band": { "shown": "high" } }, "marked": marked });
    for (marked, says) in [
        (json!([{ "kind": "illness", "value": 3 }]), "You marked that you are ill, so leave it"),
        (json!([{ "kind": "illness", "value": 1 }]), "above the neck"),
        (json!([{ "kind": "injury", "value": 2 }]), "You marked that you are hurt"),
        (json!([{ "kind": "mood", "value": 1 }]), "You said that you feel bad today"),
        (json!([{ "kind": "mood", "value": 4 }]), "Numbers of a watch alone"),
    ] {
        let answers = [("plan_progress", Ok(progress())), ("daily_snapshot", Ok(told(marked)))];
        let (_, said) = converse("should I run on Thursday?", &answers).await;
        assert!(said.contains(says), "{said}");
        assert_eq!(said.contains("Numbers of a watch"), says.starts_with("Numbers"), "{said}");
    }
}

#[tokio::test]
async fn a_state_is_told_as_seen_from_today_and_a_plans_figure_as_the_plans() {
    let workout = |date: &str, excused: Value| {
        let mut one = progress()["workouts"][0].clone();
        one["date"] = json!(date);
        if !excused.is_null() {
            one["excused"] = excused;
        }
        json!({ "plan": { "plan_id": 3 }, "adherence_percent": 88, "workouts": [one], "sessions": [one] })
    };
    let (_, said) =
        converse("on thursday?", &[("plan_progress", Ok(workout("2026-06-11", Value::Null)))]).await;
    assert!(said.contains("(ahead)"), "{said}");
    let (_, said) = converse("today?", &[("daily_snapshot", Ok(workout("2026-06-09", json!("ill"))))]).await;
    assert!(said.contains("(excused, you marked it as ill)"), "{said}");
    let (_, said) =
        converse("how was last week?", &[("plan_progress", Ok(workout("2026-06-04", Value::Null)))]).await;
    assert!(
        said.contains("In the whole plan so far, 88 %") && said.contains("(its data has not arrived)"),
        "{said}"
    );
}
