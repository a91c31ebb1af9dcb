//! Text output about plans: amounts, errors with help, splits.

use crate::harness::Home;
use crate::planning::{confirm_by_name, today};
use fitness_core::domain::calendar::Day;

fn home_without_history() -> (Home, Day) {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC", "--units", "metric"]);
    let today = today(&home);
    (home, today)
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn invalid_plan_options_print_what_to_write() {
    let (home, _) = home_without_history();
    let half = ["plan", "draft", "--goal", "half", "--race-date", "2099-03-01"];
    let with = |more: &[&'static str]| [half.as_slice(), more].concat();
    for (arguments, code, error, help) in [
        (vec!["plan", "draft", "--goal", "hlaf"], 2, "`hlaf` is not a goal", "5k, 10k, half, full"),
        (
            vec!["plan", "draft", "--goal", "half=1:45"],
            2,
            "contains a race and a time",
            "--goal half --target 1:45:00",
        ),
        (vec!["plan", "draft", "--goal", "half="], 2, "contains a race and a time", "--goal half"),
        (with(&["--days", "mnday"]), 2, "`mnday` is not a weekday", "write them as mon,tue"),
        (with(&["--level", "fast"]), 2, "`fast` is not a level", "use novice, inter or adv"),
        (with(&["--supersedes", "x"]), 2, "`x` is not a number", "`fitness plan list`"),
        (with(&["--start", ""]), 2, "--start <DAY> is empty", "leave it out"),
        (vec!["plan", "draft"], 1, "no goal given", "fitness plan draft --goal half --race-date 2"),
        (vec!["plan", "draft", "--goal", "half"], 1, "the race date is missing", "add --race-date"),
        (vec!["plan", "draft", "--target", "1:45:00"], 2, "--goal <GOAL> is missing", "fitness plan draft"),
        (vec!["plan", "show", "x"], 2, "`x` is not a number", "`fitness plan list`"),
        (vec!["plan", "workout", "x"], 2, "`x` is not a number", "`fitness plan show`"),
        (vec!["plan", "match", "1"], 2, "<ACTIVITY> is missing", "fitness plan match"),
        (vec!["plan", "edit"], 2, "nothing to change", "give --move, --swap, --resize, --skip or --add"),
        (
            vec!["activity", "edit", "1"],
            2,
            "nothing to change",
            "give --name, --sport, --distance or --moving",
        ),
        (vec!["plan", "export", "--format", "pdf"], 2, "`pdf` is not a format", "fit, zip, ics, json, md"),
        (vec!["plan", "push", "--days", "0"], 2, "`0` is not between 1 and 366", "a number from 1 to 366"),
        (vec!["paces", "--race", "half=1:45"], 1, "`1:45` means minutes and seconds", "half=1:45:00"),
    ] {
        let answer = home.run(&arguments);
        let lines: Vec<&str> = answer.err.lines().collect();
        assert_eq!(
            (answer.code, lines.len(), answer.out.as_str()),
            (Some(code), 2, ""),
            "{arguments:?}: {answer:?}"
        );
        assert!(lines[0].starts_with("error: ") && lines[0].contains(error), "{arguments:?}: {answer:?}");
        assert!(lines[1].starts_with("help: ") && lines[1].contains(help), "{arguments:?}: {answer:?}");
    }
    let json = home.run(&["plan", "show", "x", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!((json.code, &said["error"]), (Some(2), &"`x` is not a number".into()));
    // Other spellings are accepted.
    let race = today(&home).plus_days(200).to_string();
    for (goal, level) in [("marathon", "advanced"), ("half-marathon", "beginner"), ("10K", "Intermediate")] {
        let drafted = ["plan", "draft", "--goal", goal, "--race-date", &race, "--level", level];
        home.ok(&[drafted.as_slice(), &["--base", "40km", "--longest", "18km", "--dry-run"]].concat());
    }
}

#[test]
fn commands_without_a_plan_print_how_to_draft_one() {
    let (home, today) = home_without_history();
    assert_contains(
        &home.ok(&["plan", "list"]),
        &["such as `fitness plan draft --goal half --race-date ", "draft FILE"],
    );
    for arguments in
        [["plan", "show"].as_slice(), &["plan", "splits"], &["plan", "lint"], &["plan", "workout", "1"]]
    {
        let refused = home.expect_error(arguments);
        assert_contains(
            &refused,
            &["you have no active plan", "fitness plan draft --goal half --race-date "],
        );
    }
    let race = today.plus_days(60).to_string();
    home.ok(&["plan", "draft", "--goal", "5k", "--race-date", &race, "--level", "novice"]);
    assert_contains(
        &home.expect_error(&["plan", "show"]),
        &["`fitness plan show 1`", "activate it with `fitness plan activate 1`"],
    );
    assert_contains(
        &home.expect_error(&["plan", "archive", "1"]),
        &["plan 1 is a draft", "`fitness plan delete 1`"],
    );
}

#[test]
fn plan_in_minutes_shows_totals_in_minutes() {
    let (home, today) = home_without_history();
    let race = today.iso_week().monday().plus_days(90).to_string();
    home.ok(&["plan", "draft", "--goal", "5k", "--race-date", &race, "--level", "novice"]);
    let shown = home.ok(&["plan", "show", "1"]);
    let head: Vec<&str> = shown.lines().take(2).collect();
    assert!(
        head[1].contains("m of running and the race (5.0 km)") && !head[1].contains("0.0 km of"),
        "{shown}"
    );
    let weeks: Vec<&str> = shown.lines().filter(|line| line.contains("planned: ")).collect();
    assert!(weeks.len() > 10 && weeks[1].contains("h ") && weeks[1].ends_with("m of running"), "{weeks:#?}");
    let last = weeks.last().unwrap();
    assert!(last.ends_with("of running and the race (5.0 km)"), "{last}");
    // `plan workout` also works for a draft.
    let run = shown.lines().find(|line| line.contains("Run and walk")).unwrap();
    let workout = home.ok(&["plan", "workout", run.split_whitespace().next().unwrap()]);
    assert_contains(&workout, &["Plan 1, ", "(draft)", "Run and walk", "step"]);
}

#[test]
fn race_distance_is_listed_separately_in_weekly_totals() {
    let (home, today) = home_without_history();
    // A Sunday, so that plan weeks are calendar weeks.
    let race = today.iso_week().monday().plus_days(83).to_string();
    let draft =
        ["plan", "draft", "--goal", "10k", "--race-date", &race, "--level", "inter", "--base", "40km"];
    let drafted = home.ok(&[draft.as_slice(), &["--longest", "14km"]].concat());
    let row = drafted.lines().find(|line| line.contains("Race day")).unwrap();
    let amount: String = row.split_inclusive(" km").next().unwrap().split_whitespace().skip(2).collect();
    let amount = amount.replace("km", " km");

    let shown = home.ok(&["plan", "show", "1"]);
    let both = format!("{amount} of running and the race (10.0 km)");
    let race_week = shown.lines().rfind(|line| line.contains("planned: ")).unwrap();
    assert!(race_week.ends_with(&format!("planned: {both}")), "{race_week} / {row}");
    let head = shown.lines().nth(1).unwrap();
    assert!(head.contains(" of running and the race (10.0 km)"), "{head}");
    let race = shown.lines().find(|line| line.contains("Race day")).unwrap();
    assert_eq!(race.matches("10.0 km").count(), 1, "{race}");
    let exported = |format| {
        let written = home.command(&["plan", "export", "1", "--format", format, "-o", "-"]).output().unwrap();
        String::from_utf8(written.stdout).unwrap()
    };
    assert_contains(&exported("ics"), &["SUMMARY:Race day\\, 10.0 km\r\n"]);
    assert_contains(&exported("md"), &[&format!("Total: {both}"), "| Race day (key) | 10.0 km |"]);
}

#[test]
fn activate_shows_the_plan_once_and_edit_lists_new_findings() {
    let (home, today) = home_without_history();
    let race = today.plus_days(83).to_string();
    let draft =
        ["plan", "draft", "--goal", "10k", "--race-date", &race, "--level", "inter", "--base", "40km"];
    home.ok(&[draft.as_slice(), &["--longest", "14km", "--name", "Autumn ten"]].concat());
    let said = confirm_by_name(&home, &["plan", "activate", "1"], "Autumn ten");
    assert_eq!(said.matches("Plan 1, Autumn ten").count(), 1, "{said}");
    assert_contains(&said, &["Activated. Next: ", "`fitness plan show` shows your progress."]);
    assert_eq!(said.matches("Race day").count(), 1, "{said}");

    let far = today.plus_days(20).to_string();
    let edited = confirm_by_name(&home, &["plan", "edit", "--add", &far, "--size", "30km"], "Autumn ten");
    assert_contains(&edited, &["New problems: ", " error"]);
    let small = today.plus_days(21).to_string();
    let edited = confirm_by_name(
        &home,
        &["plan", "edit", "--add", &small, "--size", "20min", "--sport", "strength"],
        "Autumn ten",
    );
    let (new, old) = edited.split_once("Unchanged: ").unwrap();
    assert!(!new.contains("30.0 km") && old.contains("30.0 km"), "{edited}");
}

#[test]
fn splits_name_their_source() {
    let (home, today) = home_without_history();
    let race = today.plus_days(83).to_string();
    let draft =
        ["plan", "draft", "--goal", "10k", "--race-date", &race, "--level", "inter", "--base", "40km"];
    let draft = |more: &[&str]| home.ok(&[draft.as_slice(), &["--longest", "14km"], more].concat());
    draft(&["--target", "33:00"]);
    assert_contains(
        &home.ok(&["plan", "splits", "1"]),
        &["cannot be checked without a recent result", "Plan A 33:00"],
    );
    assert_eq!(home.json(&["plan", "splits", "1"])["made_from"], "target_alone");
    home.ok(&["race", "add", &today.plus_days(-10).to_string(), "5k", "22:30", "City"]);
    let beyond = home.ok(&["plan", "splits", "1"]);
    assert_contains(
        &beyond,
        &["Your goal time of 33:00 is faster than your data supports", "plan A does not use it"],
    );
    assert!(!beyond.contains("Plan A 33:00"), "{beyond}");
    let data = home.json(&["plan", "splits", "1"]);
    assert_eq!((&data["made_from"], &data["target_ms"]), (&"prediction_instead".into(), &1_980_000.into()));
    assert!(data["finish"]["low_ms"].as_i64() > Some(1_980_000), "{data:#}");
    draft(&["--target", "52:00"]);
    let slow = home.ok(&["plan", "splits", "2"]);
    assert_contains(
        &slow,
        &[
            "Plan A is your goal time, which is realistic: your data predicts",
            "Plan B is 3% slower",
            "Plan A 52:00",
        ],
    );
    draft(&["--target", "45:15"]);
    assert_contains(
        &home.ok(&["plan", "splits", "3"]),
        &["Plan A is your goal time. Plan B is the time your data predicts", "Plan A 45:15"],
    );
    draft(&[]);
    assert_contains(&home.ok(&["plan", "splits", "4"]), &["You have no goal time", "5.0 km (halfway)"]);
}
