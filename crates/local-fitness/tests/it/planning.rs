//! Drafting, editing and proposals with the real binary and a real terminal.

use crate::harness::Home;
use crate::metrics::home_with_demo_data;
use fitness_core::domain::calendar::Day;
use serde_json::{Value, json};

pub(crate) fn today(home: &Home) -> Day {
    let shown = home.json(&["today"]);
    shown["day"].as_str().unwrap().parse().unwrap()
}

/// Types the plan's name at the prompt; returns the whole output.
pub(crate) fn confirm_by_name(home: &Home, arguments: &[&str], name: &str) -> String {
    let mut session = home.spawn_terminal(arguments);
    let shown = session.exp_string("Type the plan's name").unwrap();
    session.send_line(name).unwrap();
    format!("{shown}{}", session.exp_eof().unwrap())
}

/// An athlete without data and an active plan for a 10K in twelve weeks.
pub(crate) fn home_with_plan() -> (Home, Day) {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC", "--units", "metric"]);
    let today = today(&home);
    let race = today.plus_days(83).to_string();
    let draft = [
        "plan",
        "draft",
        "--goal",
        "10k",
        "--race-date",
        &race,
        "--level",
        "inter",
        "--base",
        "40km",
        "--longest",
        "14km",
        "--name",
        "Autumn ten",
    ];
    let drafted = home.json(&draft);
    assert_eq!((&drafted["plan_id"], &drafted["status"]), (&json!(1), &json!("draft")));
    let said = confirm_by_name(&home, &["plan", "activate", "1"], "Autumn ten");
    assert!(said.contains("Activated."), "{said}");
    (home, today)
}

pub(crate) fn workouts(home: &Home) -> Vec<(i64, Day, String, Option<i64>)> {
    let plan = home.json(&["plan", "show"]);
    plan["workouts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| {
            let text = |key: &str| w[key].as_str().unwrap().to_owned();
            (
                w["id"].as_i64().unwrap(),
                text("date").parse().unwrap(),
                text("kind"),
                w["distance_mm"].as_i64(),
            )
        })
        .collect()
}

#[test]
fn draft_uses_the_athletes_history() {
    let home = home_with_demo_data();
    let race = today(&home).plus_days(111).to_string();
    let words = home.ok(&[
        "plan",
        "draft",
        "--goal",
        "half",
        "--race-date",
        &race,
        "--days",
        "tue,thu,sat,sun",
        "--base",
        "35km",
        "--longest",
        "14km",
        "--dry-run",
    ]);
    for part in [
        // The data ends long before today, so its date is shown.
        "Up to ",
        "days ago, you usually ran ",
        "You entered a typical week of 35.0 km, but the last four weeks of your data show ",
        "taper",
        "Nothing was saved",
    ] {
        assert!(words.contains(part), "{part} is missing in\n{words}");
    }
    assert!(words.contains("Problems found: ") || words.contains("All checks passed."), "{words}");
    // Warnings depend on the current weekday; there is never an error.
    assert!(!words.contains("error") || words.contains("Linter findings: 0 errors"), "{words}");
    assert_eq!(home.json(&["plan", "list"]), json!([]));
    let drafted = home.json(&[
        "plan",
        "draft",
        "--goal",
        "half",
        "--race-date",
        &race,
        "--days",
        "tue,thu,sat,sun",
        "--base",
        "35km",
        "--longest",
        "14km",
    ]);
    let findings = drafted["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["severity"] != "error"), "{findings:#?}");
    let allowed = |w: &&Value| {
        let day: Day = w["date"].as_str().unwrap().parse().unwrap();
        w["sport"] != "rest"
            && w["kind"] != "race"
            && !["Tue", "Thu", "Sat", "Sun"].contains(&day.weekday().to_string().as_str())
    };
    assert_eq!(drafted["draft"]["workouts"].as_array().unwrap().iter().filter(allowed).count(), 0);
    assert_eq!(
        home.json(&["plan", "lint", "1"])["findings"],
        drafted["findings"],
        "the linter gives the same findings later"
    );
}

#[test]
fn impossible_plan_request_is_refused_with_help() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let today = today(&home);
    let on = |days: i64| today.plus_days(days).to_string();
    let far = on(100);
    for (arguments, expected) in [
        (vec!["--goal", "10k", "--race-date", &on(-3)], "is not in the future"),
        (vec!["--goal", "10k", "--race-date", &on(1)], "too soon for a plan"),
        (vec!["--goal", "10k", "--race-date", &far], "add --level novice"),
        (
            vec![
                "--goal",
                "full",
                "--race-date",
                &on(34),
                "--level",
                "inter",
                "--base",
                "40km",
                "--days",
                "tue,thu,sun",
            ],
            "needs at least 4 running days a week",
        ),
        (
            vec![
                "--goal",
                "full",
                "--race-date",
                &far,
                "--level",
                "inter",
                "--base",
                "40km",
                "--target",
                "1:00:00",
            ],
            "faster than any human has run",
        ),
        (vec!["--goal", "custom", "--distance", "0", "--race-date", &far], "is not a valid distance"),
        (vec!["--goal", "10k", "--race-date", &far, "--days", "mon,blursday"], "is not a weekday"),
        (
            vec!["--goal", "10k", "--race-date", &far, "--blackout", "soon"],
            "is not a valid date or range of dates",
        ),
        (vec!["--goal", "10k", "--race-date", &far, "--b-race", "10k"], "is not a valid tune-up race"),
        (vec!["--goal", "10k", "--race-date", &far, "--target", "fast"], "is not a time"),
    ] {
        let refused = home.run(&[&["plan", "draft"], arguments.as_slice()].concat());
        assert!(refused.code != Some(0) && refused.err.contains(expected), "{refused:?} / {expected}");
    }
    let hostile = format!(
        r#"{{"goal":"half","race_date":"{}","start_date":"{}","name":"<script>&","schedule":[{{"date":"{}","planned_km":5,"kind":"easy"}}]}}"#,
        on(60),
        on(1),
        on(2)
    );
    let shown = home.ok(&["plan", "draft", &home.file("hostile.json", hostile)]);
    assert!(shown.contains("<script>&"), "HTML is text: {shown}");
    let items: Vec<Value> = (0..4000)
        .map(|n| json!({ "date": today.plus_days(1 + n % 50).to_string(), "planned_km": 5, "kind": "easy" }))
        .collect();
    let many =
        json!({ "goal": "half", "race_date": on(60), "start_date": on(1), "schedule": items }).to_string();
    let refused = home.expect_error(&["plan", "draft", &home.file("many.json", many)]);
    assert!(refused.contains("two entries for"), "{refused}");
    assert_eq!(home.json(&["plan", "list"]).as_array().unwrap().len(), 1, "nothing else was stored");
}

#[test]
fn draft_avoids_absent_days() {
    let home = home_with_demo_data();
    let today = today(&home);
    let day = |offset: i64| today.plus_days(offset).to_string();
    home.ok(&["day", "mark", "injured", "--from", &day(0), "--through", &day(6), "--severity", "2"]);
    home.ok(&["day", "mark", "away", "--from", &day(40), "--through", &day(45)]);
    let race = day(111);
    let draft = ["plan", "draft", "--goal", "half", "--race-date", &race, "--dry-run", "--base", "35km"];
    let made = home.json(&draft);
    let workouts = made["draft"]["workouts"].as_array().unwrap();
    let on = |from: i64, through: i64| -> Vec<&Value> {
        let (from, through) = (day(from), day(through));
        let within = |w: &&Value| (from.as_str()..=through.as_str()).contains(&w["date"].as_str().unwrap());
        workouts.iter().filter(within).filter(|w| w["kind"] != "rest").collect()
    };
    assert!(on(0, 6).is_empty() && on(40, 45).is_empty(), "{:?} {:?}", on(0, 6), on(40, 45));
    let back = on(7, 20);
    assert!(!back.is_empty() && back.iter().all(|w| w["kind"] == "easy"), "{back:?}");
    let words = home.ok(&draft);
    for part in
        ["as injured: no running on these days, then easy runs of at most", "as away: nothing is planned"]
    {
        assert!(words.contains(part), "{part} is missing in\n{words}");
    }
    home.ok(&["day", "mark", "ill", "--from", &race]);
    let refused = home.expect_error(&draft);
    assert!(refused.contains("is on a day you marked as ill"), "{refused}");
}

#[test]
fn a_plan_starts_today_or_later_and_before_its_race() {
    let home = home_with_demo_data();
    let (today, race) = (today(&home), today(&home).plus_days(90).to_string());
    let draft = |more: &[&str]| {
        home.expect_error(
            &[&["plan", "draft", "--goal", "10k", "--race-date", &race, "--dry-run"], more].concat(),
        )
    };
    let said = draft(&["--start", &today.plus_days(-20).to_string()]);
    assert!(said.contains("is in the past") && said.contains("omit --start to start today"), "{said}");
    let said = draft(&["--start", &race]);
    assert!(said.contains("is not before the race on") && said.contains("use an earlier --start"), "{said}");
    let said = draft(&["--base", "0km"]);
    assert!(said.contains("--base must be more than 0") && said.contains("--level novice"), "{said}");
    // The table includes the days before the first full week, and no week with zero hours.
    let later = today.plus_days(3).to_string();
    let from = ["plan", "draft", "--goal", "10k", "--race-date", &race, "--dry-run", "--start", &later];
    let words = home.ok(&from);
    assert!(words.contains(&format!("{later}  first 4 days")), "{words}");
    assert!(!words.contains("0h "), "{words}");
}

#[test]
fn plan_edit_is_saved_and_reverted() {
    let (home, today) = home_with_plan();
    let before = workouts(&home);
    let (easy, hard) = (
        before.iter().find(|w| w.1 > today.plus_days(8) && w.2 == "easy").unwrap(),
        before.iter().find(|w| w.1 > today.plus_days(8) && w.2 == "long").unwrap(),
    );
    let (skip, short) = (easy.0.to_string(), format!("{}=6km", hard.0));
    let said = confirm_by_name(
        &home,
        &["plan", "edit", "--skip", &skip, "--resize", &short, "--reason", "Visitors"],
        "Autumn ten",
    );
    assert!(
        said.contains("removed")
            && said.contains("Long run, 6.0 km")
            && (said.contains("New problems: ") || said.contains("No new problems.")),
        "{said}"
    );
    assert!(said.contains("Saved as revision 2"), "{said}");
    let after = workouts(&home);
    assert!(after.iter().all(|w| w.0 != easy.0));
    assert_eq!(after.iter().find(|w| w.0 == hard.0).unwrap().3, Some(6_000_000));
    assert!(home.ok(&["plan", "revisions"]).contains("Visitors"));
    let said = confirm_by_name(&home, &["plan", "revert"], "Autumn ten");
    assert!(said.contains("Reverted to revision 1; saved as revision 3"), "{said}");
    assert_eq!(workouts(&home), before);

    let gone = home.expect_error(&["plan", "edit", "--skip", "99999"]);
    assert!(gone.contains("workout 99999 is not in the plan"), "{gone}");
    let race = before.iter().find(|w| w.2 == "race").unwrap();
    assert!(
        home.expect_error(&["plan", "edit", "--skip", &race.0.to_string()])
            .contains("the race itself cannot be changed")
    );
    let past = format!("{}={}", hard.0, today.plus_days(-1));
    assert!(home.expect_error(&["plan", "edit", "--move", &past]).contains("is in the past; choose"));
}

#[test]
fn marking_illness_creates_a_pending_proposal() {
    let (home, today) = home_with_plan();
    let before = workouts(&home);
    let through = today.plus_days(4).to_string();
    let marked = home.ok(&["day", "mark", "ill", "--through", &through, "--severity", "1"]);
    assert!(marked.contains("Proposal 1 needs your decision: You marked yourself as ill (mild)"), "{marked}");
    assert_eq!(workouts(&home), before, "the plan is unchanged");
    let shown = home.ok(&["plan", "proposal", "show", "1"]);
    assert!(shown.contains('→') && shown.contains("week of"), "{shown}");
    assert!(shown.contains("Problems found: ") || shown.contains("All checks passed."), "{shown}");
    let said = confirm_by_name(&home, &["plan", "proposal", "apply", "1", "--only", "1"], "Autumn ten");
    assert!(said.contains("The plan is now at revision 2"), "{said}");
    let changed = workouts(&home).iter().zip(&before).filter(|(new, old)| new != old).count();
    assert_eq!(changed, 1, "only the selected change");
    let again = home.expect_error(&["plan", "proposal", "apply", "1"]);
    assert!(again.contains("this proposal is no longer open: it is already applied"), "{again}");
    assert!(home.expect_error(&["plan", "proposal", "show", "1"]).contains("fitness plan revert"));
    let list = home.ok(&["plan", "proposal", "list"]);
    assert!(list.contains("applied") && list.contains("the built-in rules"), "{list}");
    let revisions = home.ok(&["plan", "revisions"]);
    assert!(revisions.contains("proposal 1 by the built-in rules, applied by you"), "{revisions}");
    let said = confirm_by_name(&home, &["plan", "revert", "1"], "Autumn ten");
    assert!(said.contains("Reverted to revision 1"), "{said}");
}

#[test]
fn removing_an_absence_withdraws_its_proposals() {
    let (home, today) = home_with_plan();
    let mark = |days: i64| {
        let through = today.plus_days(days).to_string();
        home.json(&["day", "mark", "ill", "--through", &through, "--severity", "1"])["mark"].to_string()
    };
    let (first, second) = (mark(3), mark(5));
    let gave_way = home.expect_error(&["plan", "proposal", "show", "1"]);
    assert!(
        gave_way.contains("a newer proposal replaced it") && gave_way.contains("proposal show 2"),
        "{gave_way}"
    );
    let said = home.ok(&["day", "unmark", &second]);
    assert!(said.contains("Withdrew proposal 2, which was based on it"), "{said}");
    assert!(said.contains("Proposal 3 needs your decision"), "the first absence remains: {said}");
    assert!(
        home.expect_error(&["plan", "proposal", "apply", "2"])
            .contains("it was withdrawn because you removed the absence")
    );
    let gone = home.json(&["day", "unmark", &first]);
    assert_eq!((&gone["withdrawn"], &gone["waiting"]["proposals"]), (&json!([3]), &json!([])));
}

#[test]
fn late_activation_starts_today_or_as_planned() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC", "--units", "metric"]);
    let today = today(&home);
    let on = |days: i64| today.plus_days(days).to_string();
    let day = |days: i64, km: f64, kind: &str| json!({ "date": on(days), "planned_km": km, "kind": kind });
    let plan = |start: i64| {
        json!({ "name": "Late", "goal": "10k", "race_date": on(40), "start_date": on(start),
            "schedule": [day(start, 5.0, "easy"), day(3, 5.0, "easy"), day(40, 10.0, "race")] })
        .to_string()
    };
    for start in [-4, -4, 2] {
        home.ok(&["plan", "draft", &home.file("late.json", plan(start))]);
    }
    let overrides = ["--override", "R33"];
    let activate =
        |id: &'static str, more: &[&'static str]| [&["plan", "activate", id], &overrides[..], more].concat();
    let early = home.expect_error(&activate("3", &["--begin", "today"]));
    assert!(early.contains("the plan starts on"), "{early}");

    let mut session = home.spawn_terminal(&activate("1", &[]));
    session.exp_string("1 workout is before today").unwrap();
    session.exp_string("Type today or planned: ").unwrap();
    session.send_line("perhaps").unwrap();
    assert!(session.exp_eof().unwrap().contains("nothing was changed"));

    let mut session = home.spawn_terminal(&activate("1", &[]));
    session.exp_string("Type today or planned: ").unwrap();
    session.send_line("today").unwrap();
    let shown = session.exp_string("Type the plan's name").unwrap();
    assert!(shown.contains("will not be graded"), "{shown}");
    session.send_line("Late").unwrap();
    assert!(session.exp_eof().unwrap().contains("The plan starts today"));
    let shown = home.json(&["plan", "show"]);
    assert_eq!(
        (&shown["plan"]["begun_on"], &shown["graded"][0]["verdict"]),
        (&json!(on(0)), &json!("not_started"))
    );

    let said = confirm_by_name(&home, &activate("2", &["--replaces", "1", "--begin", "planned"]), "Late");
    assert!(said.contains("The plan starts on"), "{said}");
    let shown = home.json(&["plan", "show"]);
    assert_eq!(
        (&shown["plan"]["begun_on"], &shown["graded"][0]["verdict"]),
        (&Value::Null, &json!("pending"))
    );
}

#[test]
fn moving_a_workout_to_a_day_off_adds_a_note() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC", "--units", "metric"]);
    let today = today(&home);
    let race = today.plus_days(83).to_string();
    let weekday = |day: Day| day.weekday().to_string().to_lowercase();
    let off = today.plus_days(9);
    let days: Vec<String> =
        (0..7).map(|n| today.plus_days(n)).map(weekday).filter(|day| *day != weekday(off)).collect();
    home.ok(&[
        "plan",
        "draft",
        "--goal",
        "10k",
        "--race-date",
        &race,
        "--level",
        "inter",
        "--base",
        "40km",
        "--longest",
        "14km",
        "--name",
        "Ten",
        "--days",
        &days.join(","),
    ]);
    confirm_by_name(&home, &["plan", "activate", "1"], "Ten");
    let easy = workouts(&home).into_iter().find(|w| w.1 > today && w.2 == "easy").unwrap();
    let said = confirm_by_name(&home, &["plan", "edit", "--move", &format!("{}={off}", easy.0)], "Ten");
    assert!(said.contains(&format!("{off}, which is not one of your training days")), "{said}");
    assert!(said.contains("Saved as revision 2"), "saved with the note: {said}");
    assert!(home.ok(&["plan", "revisions"]).contains("your edit"));
}

#[test]
fn plan_propose_creates_a_proposal_from_a_file() {
    let (home, today) = home_with_plan();
    let before = workouts(&home);
    let one = before.iter().find(|w| w.1 > today && w.2 == "easy").unwrap();
    let answer = json!({
        "modifications": [{ "workout_id": one.0.to_string(), "original_name": "Hill sprints", "date": one.1.to_string(),
            "action": "skip" }],
        "new_workouts": [],
        "athlete_message": "Take the day.",
    });
    let made = home.ok(&["plan", "propose", &home.file("answer.json", answer.to_string())]);
    assert!(made.contains("Created proposal 1"), "{made}");
    assert_eq!(workouts(&home), before);
    let wrong = answer.to_string().replace(&format!("\"{}\"", one.0), "\"777\"");
    let refused = home.run(&["plan", "propose", &home.file("wrong.json", wrong), "--json"]);
    assert!(refused.code == Some(1) && refused.out.contains("no_such_workout"), "{}", refused.out);
    let told: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!(told["kind"], "modification", "the form is known although none was given: {told}");
    // The preview shows the origin and the contradictions of the response.
    let shown = home.ok(&["plan", "proposal", "show", "1"]);
    for part in ["from the coach", "contradicts itself or the plan", "`Hill sprints` does not match the plan"]
    {
        assert!(shown.contains(part), "{part} / {shown}");
    }
    let data = home.json(&["plan", "proposal", "show", "1"]);
    assert_eq!(data["proposal"]["findings"][0]["code"], "from_differs");
    assert_eq!(home.json(&["plan", "proposal", "list"])[0]["origin"], "answer");
    assert!(home.ok(&["plan", "proposal", "list"]).contains("the coach"));
    assert!(home.ok(&["plan", "proposal", "discard", "1"]).contains("Discarded proposal 1"));
    assert!(home.expect_error(&["plan", "proposal", "discard", "1"]).contains("you discarded it"));
    assert!(home.expect_error(&["plan", "proposal", "show", "1"]).contains("you discarded it"));
    let again = answer.to_string().replace("Hill sprints", "Easy run");
    home.ok(&["plan", "propose", &home.file("again.json", again)]);
    let said = confirm_by_name(&home, &["plan", "proposal", "apply", "2"], "Autumn ten");
    assert!(said.contains("The plan is now at revision 2"), "{said}");
    assert!(home.ok(&["plan", "revisions"]).contains("proposal 2 by the coach, applied by you"));
    let card = home.expect_error(&["plan", "splits"]);
    assert!(card.contains("splits need a goal time or a race result"), "{card}");
    home.ok(&["race", "add", &today.plus_days(-10).to_string(), "5k", "22:30", "City"]);
    home.ok(&["day", "list"]);
}
