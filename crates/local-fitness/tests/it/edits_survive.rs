//! The athlete's edits survive: runs on days off, edits after a proposal, re-imported plan files.

use crate::harness::Home;
use crate::planning::{confirm_by_name, home_with_plan, today, workouts};
use fitness_core::domain::calendar::{Day, Weekday};
use serde_json::json;

/// An active plan without workouts on Fridays.
fn home_without_fridays() -> (Home, Day) {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC", "--units", "metric"]);
    let today = today(&home);
    let race = today.plus_days(83).to_string();
    let asked = ["plan", "draft", "--goal", "10k", "--race-date", &race, "--name", "Ten"];
    let about =
        ["--level", "inter", "--base", "40km", "--longest", "14km", "--days", "mon,tue,wed,thu,sat,sun"];
    home.ok(&[&asked[..], &about[..]].concat());
    confirm_by_name(&home, &["plan", "activate", "1"], "Ten");
    (home, today)
}

#[test]
fn workout_moved_to_a_day_off_breaks_no_later_command() {
    let (home, today) = home_without_fridays();
    let all = workouts(&home);
    let easy: Vec<_> = all.iter().filter(|w| w.1 > today.plus_days(1) && w.2 == "easy").take(3).collect();
    let friday = (3..10).map(|days| today.plus_days(days)).find(|day| day.weekday() == Weekday::Fri).unwrap();
    let id = easy[0].0.to_string();
    let said = confirm_by_name(&home, &["plan", "edit", "--move", &format!("{id}={friday}")], "Ten");
    assert!(said.contains(", which is not one of your training days."), "{said}");

    let lint = home.ok(&["plan", "lint"]);
    assert!(lint.contains("Problems found: ") || lint.contains("All checks passed."), "{lint}");
    confirm_by_name(&home, &["plan", "edit", "--skip", &easy[1].0.to_string()], "Ten");
    confirm_by_name(&home, &["plan", "edit", "--resize", &format!("{id}=4km")], "Ten");
    // Exported and drafted again, with a note.
    let file = home.path("plan.json").display().to_string();
    home.ok(&["plan", "export", "--format", "json", "-o", &file]);
    let again = home.ok(&["plan", "draft", &file]);
    assert!(
        again.contains("Saved as draft 2") && again.contains(", which is not one of your training days."),
        "{again}"
    );
    assert!(again.contains("Problems found: ") || again.contains("All checks passed."), "{again}");
    // The adaptation rules still apply.
    let on = |days: i64| today.plus_days(days).to_string();
    home.ok(&["day", "mark", "injured", "--from", &on(0), "--through", &on(2), "--severity", "3"]);
    let proposals = home.json(&["plan", "show"])["waiting"]["proposals"].clone();
    assert_eq!(proposals.as_array().unwrap().len(), 1, "{proposals}");
    confirm_by_name(&home, &["plan", "edit", "--move", &format!("{id}={}", friday.next())], "Ten");
}

#[test]
fn stale_proposal_keeps_the_athletes_edits() {
    let (home, today) = home_with_plan();
    let all = workouts(&home);
    let easy: Vec<_> = all.iter().filter(|w| w.1 > today.plus_days(1) && w.2 == "easy").take(2).collect();
    let rename = |w: &(i64, Day, String, Option<i64>)| json!({ "workout_id": w.0.to_string(), "date": w.1.to_string(), "action": "modify", "changes": { "name": "Chatty run" } });
    let answer =
        json!({ "modifications": [rename(easy[0]), rename(easy[1])], "athlete_message": "Just a name." });
    home.ok(&["plan", "propose", &home.file("answer.json", answer.to_string())]);
    let (one, other) = (easy[0].0.to_string(), easy[1].0.to_string());
    let edits = [
        "plan",
        "edit",
        "--resize",
        &format!("{one}=3km"),
        "--swap",
        &format!("{other}={}", {
            let free = all.iter().find(|w| w.1 > easy[1].1 && w.2 == "easy" && w.0 != easy[0].0).unwrap();
            free.0
        }),
    ];
    confirm_by_name(&home, &edits, "Autumn ten");
    let shown = home.ok(&["plan", "proposal", "show", "1"]);
    assert!(shown.contains("3.0 km → Chatty run, 3.0 km"), "{shown}");
    assert!(
        shown.contains(&format!("no longer fits: workout {other} has been moved from {}", easy[1].1)),
        "{shown}"
    );
    let refused = home.expect_error(&["plan", "proposal", "apply", "1", "--only", "2", "--on", "2"]);
    assert!(refused.contains("has been moved"), "{refused}");
    confirm_by_name(&home, &["plan", "proposal", "apply", "1", "--only", "1", "--on", "2"], "Autumn ten");
    let now = workouts(&home);
    let kept = now.iter().find(|w| w.0 == easy[0].0).unwrap();
    assert_eq!((kept.1, kept.3), (easy[0].1, Some(3_000_000)), "the athlete's size is kept");
}

#[test]
fn plan_file_is_validated_like_a_generated_plan() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let today = today(&home);
    let plan = |race: i64, name: &str| {
        let on = |days: i64| today.plus_days(days).to_string();
        let schedule = [json!({ "date": on(race), "planned_km": 5, "kind": "race" })];
        let plan = json!({ "name": name, "goal": "5k", "start_date": on(race - 15), "race_date": on(race), "schedule": schedule });
        home.file("plan.json", plan.to_string())
    };
    for (race, name, expected) in [
        (-1, "Gone", "is not in the future"),
        (0, "Today", "is not in the future"),
        (1, "Tomorrow", "is tomorrow, which is too soon to plan for"),
        (9, "a\u{202e}b", "a<U+202E>b"),
        (9, "a\u{1b}[2J", "contains invisible characters"),
    ] {
        for more in [&[][..], &["--dry-run"]] {
            let refused = home.expect_error(&[&["plan", "draft", &plan(race, name)], more].concat());
            assert!(refused.contains(expected), "{name}: {refused}");
        }
    }
    assert_eq!(home.json(&["plan", "list"]), json!([]), "nothing stored");
    let said = home.ok(&["plan", "draft", &plan(30, "<b>Lauf</b> 🏃")]);
    assert!(said.contains("Problems found: ") && said.contains("R33"), "{said}");
    // A plan with only a race needs an override, and only existing errors can be overridden.
    assert!(home.expect_error(&["plan", "activate", "1"]).contains("is empty; a race plan needs"));
    let unused = home.expect_error(&["plan", "activate", "1", "--override", "R33,R7"]);
    assert!(unused.contains("the plan has no error of R7 to override"), "{unused}");
}
