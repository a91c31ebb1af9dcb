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
