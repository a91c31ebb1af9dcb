//! Proposals for an older revision, edits without effect, and complete commands in help texts.

use crate::planning::{confirm_by_name, home_with_plan, workouts};
use serde_json::json;

#[test]
fn stale_proposal_is_previewed_and_applied_on_the_current_revision() {
    let (home, today) = home_with_plan();
    let before = workouts(&home);
    let easy: Vec<_> = before.iter().filter(|w| w.1 > today.plus_days(1) && w.2 == "easy").take(2).collect();
    let answer = json!({
        "modifications": [
            { "workout_id": easy[0].0.to_string(), "date": easy[0].1.to_string(), "action": "skip" },
            { "workout_id": easy[1].0.to_string(), "date": easy[1].1.to_string(), "action": "skip" },
        ],
        "athlete_message": "Two days off.",
    });
    home.ok(&["plan", "propose", &home.file("answer.json", answer.to_string())]);
    confirm_by_name(&home, &["plan", "edit", "--skip", &easy[0].0.to_string()], "Autumn ten");

    // The error lists the changes and the command that applies the rest.
    let refused = home.expect_error(&["plan", "proposal", "apply", "1"]);
    for part in [
        "the proposal is for revision 1, and the plan is at revision 2",
        &format!("no longer fits: workout {} is no longer in the plan", easy[0].0),
        "removed",
        "Apply it with `fitness plan proposal apply 1 --only 2 --on 2`",
    ] {
        assert!(refused.contains(part), "{part} / {refused}");
    }
    let shown = home.ok(&["plan", "proposal", "show", "1"]);
    for part in [
        "Preview on the current plan",
        "week of",
        "fitness plan proposal apply 1 --only 2 --on 2",
        "no longer fits",
    ] {
        assert!(shown.contains(part), "{part} / {shown}");
    }
    assert!(shown.contains("Problems found: ") || shown.contains("All checks passed."), "{shown}");
    let data = home.json(&["plan", "proposal", "show", "1"]);
    assert_eq!(
        (&data["revision"], &data["proposal"]["base_revision"], &data["chosen"]),
        (&json!(2), &json!(1), &json!([1]))
    );
    assert!(home.ok(&["plan", "proposal", "list"]).contains("open, plan changed"));

    // --on with an old revision is refused.
    let wrong = home.expect_error(&["plan", "proposal", "apply", "1", "--only", "2", "--on", "1"]);
    assert!(wrong.contains("--only 2 --on 2"), "{wrong}");
    let gone = home.expect_error(&["plan", "proposal", "apply", "1", "--only", "1", "--on", "2"]);
    assert!(gone.contains("is not in the plan"), "{gone}");
    let said =
        confirm_by_name(&home, &["plan", "proposal", "apply", "1", "--only", "2", "--on", "2"], "Autumn ten");
    assert!(said.contains("The plan is now at revision 3"), "{said}");
    let left = workouts(&home);
    assert!(easy.iter().all(|gone| left.iter().all(|w| w.0 != gone.0)));

    // No change can be applied.
    let other = left.iter().find(|w| w.1 > today.plus_days(1) && w.2 == "easy").unwrap();
    home.ok(&["plan", "propose", &home.file("again.json", skip_response(other.0, &other.1.to_string()))]);
    confirm_by_name(&home, &["plan", "edit", "--skip", &other.0.to_string()], "Autumn ten");
    let nothing = home.expect_error(&["plan", "proposal", "apply", "2"]);
    assert!(
        nothing.contains(
            "None of its changes can be applied any more. Discard it with `fitness plan proposal discard 2`"
        ),
        "{nothing}"
    );
}

fn skip_response(id: i64, date: &str) -> String {
    json!({ "modifications": [{ "workout_id": id.to_string(), "date": date, "action": "skip" }], "athlete_message": "Rest." })
        .to_string()
}

#[test]
fn proposal_without_changes_makes_no_revision() {
    let (home, today) = home_with_plan();
    let all = workouts(&home);
    let easy = all.iter().find(|w| w.1 > today.plus_days(1) && w.2 == "easy").unwrap();
    let (id, same) = (easy.0.to_string(), format!("{}={}", easy.0, easy.1));
    for (arguments, expected) in [
        (vec!["--swap", &format!("{id}={id}")], "cannot be swapped with itself"),
        (vec!["--move", &same], "nothing would change"),
        (vec!["--skip", &id, "--move", &format!("{id}={}", today.plus_days(20))], "skipped and changed"),
    ] {
        let refused = home.expect_error(&[&["plan", "edit"], arguments.as_slice()].concat());
        assert!(refused.contains(expected), "{expected} / {refused}");
    }
    confirm_by_name(&home, &["plan", "edit", "--skip", &id], "Autumn ten");
    confirm_by_name(&home, &["plan", "revert"], "Autumn ten");
    let refused = home.expect_error(&["plan", "revert", "1"]);
    assert!(refused.contains("the plan is already the same as revision 1"), "{refused}");
    assert_eq!(home.json(&["plan", "revisions"]).as_array().unwrap().len(), 3);
}

#[test]
fn help_prints_the_complete_override_command() {
    let (home, today) = home_with_plan();
    let on = |days: i64| today.plus_days(days).to_string();
    let day = |days: i64, km: f64, kind: &str| json!({ "date": on(days), "planned_km": km, "kind": kind });
    // A run of 70 km, and one of 30 km after weeks of 5 km.
    let schedule = [
        day(2, 70.0, "easy"),
        day(12, 5.0, "easy"),
        day(24, 5.0, "easy"),
        day(36, 30.0, "easy"),
        day(60, 10.0, "race"),
    ];
    let plan = json!({ "name": "Wild", "goal": "10k", "race_date": on(60), "start_date": on(1), "schedule": schedule });
    home.ok(&["plan", "draft", &home.file("wild.json", plan.to_string())]);
    let refused = home.expect_error(&["plan", "activate", "2", "--replaces", "1", "--override", "R34"]);
    let command = refused.split('`').nth(1).unwrap_or_default();
    assert!(command.starts_with("fitness plan activate 2 --replaces 1 --override "), "{refused}");
    let rules = command.rsplit(' ').next().unwrap();
    let rules: Vec<&str> = rules.split(',').collect();
    assert!(rules.contains(&"R34") && rules.contains(&"R1"), "{refused}");
    // The printed command works.
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let said = confirm_by_name(&home, &arguments, "Wild");
    assert!(said.contains("Activated."), "{said}");
}
