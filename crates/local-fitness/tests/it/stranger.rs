//! What a stranger reads at the terminal: nothing false, nothing internal, and always what to do next.

use crate::harness::Home;
use crate::metrics::ann;

/// Everything is in it; says what is not.
#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}

#[track_caller]
fn never_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "`{part}` is in\n{text}");
    }
}

/// The newest activity of a sport.
fn newest(home: &Home, sport: &str) -> String {
    let all = home.json(&["activity", "list", "--limit", "1000"]);
    let one = all.as_array().unwrap().iter().find(|one| one["sport"] == sport);
    one.unwrap_or_else(|| panic!("no {sport}"))["id"].to_string()
}

#[test]
fn an_edit_nobody_can_have_done_is_refused_with_what_to_change() {
    let home = ann();
    let run = newest(&home, "running");
    for (change, parts) in [
        (
            &["--distance", "99999"][..],
            &["no session of running is 99999.0 km long", "at most 1000.0 km"][..],
        ),
        (&["--distance", "900"], &["is faster than anybody goes in running", "--moving"]),
        (&["--moving", "999:59:59"], &["no session takes 999:59:59", "at most 240:00:00"]),
        (&["--moving", "0:00"], &["no session takes 0:00"]),
        (&["--sport", "rest"], &["rest is planned, not recorded", "fitness activity delete"]),
    ] {
        says(&home.refused(&[&["activity", "edit", &run], change].concat()), parts);
    }
    home.ok(&["profile", "set", "--units", "imperial"]);
    says(&home.refused(&["activity", "edit", &run, "--distance", "9999"]), &["9999.0 mi", "621.4 mi"]);
    home.ok(&["activity", "edit", &run, "--distance", "5", "--moving", "50:00"]);
    says(&home.ok(&["activity", "show", &run]), &["5.0 mi", "10:00 /mi", "(edited)"]);
    let told = home.refused(&["race", "add", "2026-05-01", "200000", "30:00:00", "X"]);
    never_says(&told, &["formula"]);
    says(&told, &["200.00 km is no race distance", "400 m to 100 km"]);
}

#[test]
fn a_limit_says_until_when_it_holds_and_which_loads_it_changes() {
    let home = ann();
    let detected = home.json(&["threshold", "list"])["all"].clone();
    let newest = detected.as_array().unwrap().iter().rev().find(|one| one["kind"] == "threshold_speed");
    let from = newest.unwrap()["from"].as_str().unwrap().to_owned();
    assert!(from.as_str() < "2026-05-01", "the example needs one detected before May, not on {from}");
    let set = home.ok(&["threshold", "set", "threshold_speed", "4:30", "--from", "2026-05-01"]);
    says(&set, &["is 4:30 /km from 2026-05-01 on", "Loads from that day on are judged anew"]);
    // What is confirmed is older than what was set: it must not be said to hold today.
    let confirmed = home.ok(&["threshold", "confirm", "threshold_speed"]);
    says(
        &confirmed,
        &[
            &format!("from {from} on, through 2026-04-30"),
            "the 4:30 /km you set before holds",
            "of these days",
        ],
    );
    never_says(&confirmed, &["Loads from that day on"]);
    let list = home.ok(&["threshold", "list"]);
    let lines: Vec<&str> = list.lines().filter(|line| line.starts_with("threshold_speed")).collect();
    assert_eq!(lines.len(), 2, "{list}");
    says(lines[0], &["4:30 /km", "in force since 2026-05-01", "days in force"]);
    says(lines[1], &[&format!("{from} to 2026-04-30"), "you set it"]);
    never_says(&list, &["days ago"]);
    let again = home.ok(&["threshold", "set", "threshold_speed", "4:31", "--from", "2026-05-01"]);
    says(&again, &["instead of 4:30 /km"]);
    home.ok(&["threshold", "remove", "threshold_speed", "2026-05-01"]);
    says(&home.ok(&["threshold", "list"]), &[&format!("in force since {from}")]);
}
