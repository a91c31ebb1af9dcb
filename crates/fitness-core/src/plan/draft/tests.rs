use super::*;

const SEED: &str = r#"{"goal":"half","race_date":"2026-09-20","start_date":"2026-06-16","target_time":"01:45:00",
    "schedule":[{"date":"2026-06-16","planned_miles":5,"kind":"easy"},{"date":"2026-06-17","planned_miles":0,"kind":"rest"},
    {"date":"2026-06-21","planned_miles":9,"kind":"long"}]}"#;

fn seed_with(change: impl Fn(&mut serde_json::Value)) -> Result<Draft, String> {
    let mut value: serde_json::Value = serde_json::from_str(SEED).unwrap();
    change(&mut value);
    let request: DraftRequest = serde_json::from_value(value).map_err(|e| e.to_string())?;
    request.into_draft().map_err(|e| e.to_string())
}

#[test]
fn draft_request_becomes_a_draft() {
    let draft = seed_with(|_| {}).unwrap();
    assert_eq!(draft.name(), "Half marathon on 20 Sep 2026");
    assert_eq!(draft.distance(), Some(Distance::HALF_MARATHON));
    assert_eq!(draft.target_time(), Some(TimeSpan::from_secs(6300)));
    assert_eq!(draft.workouts().len(), 4, "and the race, which need not be listed");
    assert_eq!(draft.workouts()[3].kind, WorkoutKind::Race);
    assert!(draft.workouts()[1].is_rest());
    assert_eq!(draft.workouts()[2].distance, Distance::from_miles(9.0));
    assert!(draft.workouts()[2].key);
}

#[test]
fn draft_request_with_status_or_user_is_refused() {
    for field in ["status", "user_id", "activated_by"] {
        let error = seed_with(|v| v[field] = "active".into()).unwrap_err();
        assert!(error.contains("unknown field"), "{error}");
        let error = seed_with(|v| v["schedule"][0][field] = "active".into()).unwrap_err();
        assert!(error.contains("unknown field"), "{error}");
    }
}

#[test]
fn what_is_not_a_plan_is_refused_with_what_to_change() {
    type Change = fn(&mut serde_json::Value);
    let cases: [(Change, &str); 15] = [
        (
            |v| v["schedule"][0]["kind"] = "zzz".into(),
            "unknown kind of workout `zzz`; use easy, recovery, long",
        ),
        (|v| v["schedule"][1]["date"] = "2026-06-16".into(), "two entries for 2026-06-16"),
        (|v| v["race_date"] = "2026-06-16".into(), "must be 1 to 732 days after the start"),
        (|v| v["race_date"] = "2029-06-16".into(), "must be 1 to 732 days after the start"),
        (|v| v["target_time"] = "0:25:00".into(), "25:00 is not possible for this distance"),
        (|v| v["target_time"] = "soon".into(), "`soon` is not a time"),
        (|v| v["goal"] = "custom".into(), "a custom goal needs a distance"),
        (|v| v["distance_km"] = 12.0.into(), "every other goal has a fixed distance"),
        (|v| v["schedule"] = serde_json::json!([]), "1 to 1500 workouts, not 0"),
        (|v| v["schedule"][0]["date"] = "2026-06-14".into(), "outside the plan, which covers 2026-06-15"),
        (
            |v| v["schedule"][0]["planned_miles"] = (-3).into(),
            "-3 is not a valid distance; give a number above zero",
        ),
        (
            |v| v["schedule"][0]["planned_km"] = 5.into(),
            "give the distance in miles or in kilometres, not both",
        ),
        (|v| v["schedule"][0]["planned_miles"] = 130.into(), "at most 200 km"),
        (|v| v["schedule"][1]["planned_miles"] = 3.into(), "a rest day has sport `rest`"),
        (|v| v["name"] = "a\0b".into(), "none of them NUL"),
    ];
    for (change, expected) in cases {
        let error = seed_with(change).unwrap_err();
        assert!(error.contains(expected), "{error} / {expected}");
    }
}

#[test]
fn draft_for_a_race_in_the_past_or_tomorrow_is_refused() {
    let draft = seed_with(|_| {}).unwrap();
    let race: Day = "2026-09-20".parse().unwrap();
    assert_eq!(draft.check_new(race.plus_days(-2)), Ok(()));
    let said = |today: Day| draft.check_new(today).unwrap_err().to_string();
    assert_eq!(
        said(race.previous()),
        "the race on 2026-09-20 is tomorrow, which is too soon to plan for; choose a later date"
    );
    for today in [race, race.next()] {
        assert_eq!(said(today), "the race on 2026-09-20 is not in the future; choose a later date");
    }
    // A plan without a race is accepted until its last day.
    let run = draft.workouts()[0].clone();
    let week = Draft::without_race("Week", run.date, run.date.plus_days(5), vec![run.clone()]).unwrap();
    assert_eq!(week.check_new(run.date.plus_days(5)), Ok(()));
    assert_eq!(week.check_new(run.date.plus_days(6)), Err(DraftError::PlanInPast(run.date.plus_days(5))));
}

#[test]
fn name_with_hidden_characters_is_refused() {
    let today: Day = "2026-06-16".parse().unwrap();
    let named = |name: &str| {
        let plan = seed_with(|v| v["name"] = name.into()).unwrap().check_new(today);
        let workout = seed_with(|v| v["schedule"][0]["name"] = name.into()).unwrap().check_new(today);
        assert_eq!(plan, workout, "{name}");
        plan.map_err(|why| why.to_string())
    };
    for fine in ["Lauf \u{1f3c3}\u{200d}\u{2640}\u{fe0f}", "<b>Run</b> & more", "עברית", "1 \" 2"] {
        assert_eq!(named(fine), Ok(()), "{fine}");
    }
    for (wrong, shown) in [
        ("a\u{202e}b", "a<U+202E>b"),
        ("a\u{1b}[2Jb", "a<U+001B>[2Jb"),
        ("two\nlines", "two⏎lines"),
        ("a\u{200b}b", "a<U+200B>b"),
    ] {
        let why = named(wrong).unwrap_err();
        assert!(why.starts_with(&format!("the name \"{shown}\" contains invisible characters")), "{why}");
    }
}

#[test]
fn the_hash_follows_the_content_and_nothing_else() {
    let hash = seed_with(|_| {}).unwrap().content_hash();
    assert_eq!(seed_with(|v| v["schedule"].as_array_mut().unwrap().reverse()).unwrap().content_hash(), hash);
    assert_ne!(seed_with(|v| v["schedule"][0]["planned_miles"] = 6.into()).unwrap().content_hash(), hash);
    assert_ne!(seed_with(|v| v["name"] = "Other".into()).unwrap().content_hash(), hash);
}
