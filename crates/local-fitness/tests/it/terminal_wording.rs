//! Texts of the terminal: correct, without internals, and with the next step.

use crate::harness::Home;
use crate::metrics::{home_with_demo_data, home_with_demo_seed};

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}

#[track_caller]
fn assert_not_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "`{part}` is in\n{text}");
    }
}

fn newest_activity(home: &Home, sport: &str) -> String {
    let all = home.json(&["activity", "list", "--limit", "1000"]);
    let one = all.as_array().unwrap().iter().find(|one| one["sport"] == sport);
    one.unwrap_or_else(|| panic!("no {sport}"))["id"].to_string()
}

#[test]
fn implausible_activity_edit_is_refused_with_help() {
    let home = home_with_demo_data();
    let run = newest_activity(&home, "running");
    for (change, parts) in [
        (&["--distance", "99999"][..], &["99999.0 km is too far for running", "at most 1000.0 km"][..]),
        (&["--distance", "900"], &["is too fast for running", "--moving"]),
        (&["--moving", "999:59:59"], &["999:59:59 is not a valid moving time", "at most 240:00:00"]),
        (&["--moving", "0:00"], &["0:00 is not a valid moving time"]),
        (&["--sport", "rest"], &["an activity cannot be rest", "fitness activity delete"]),
    ] {
        assert_contains(&home.expect_error(&[&["activity", "edit", &run], change].concat()), parts);
    }
    home.ok(&["profile", "set", "--units", "imperial"]);
    assert_contains(
        &home.expect_error(&["activity", "edit", &run, "--distance", "9999"]),
        &["9999.0 mi", "621.4 mi"],
    );
    home.ok(&["activity", "edit", &run, "--distance", "5", "--moving", "50:00"]);
    assert_contains(&home.ok(&["activity", "show", &run]), &["5.0 mi", "10:00 /mi", "(edited)"]);
    let told = home.expect_error(&["race", "add", "2026-05-01", "200000", "30:00:00", "X"]);
    assert_not_contains(&told, &["formula"]);
    assert_contains(&told, &["200.00 km is not a supported race distance", "400 m to 100 km"]);
}

#[test]
fn setting_a_threshold_prints_its_period_and_affected_loads() {
    let home = home_with_demo_data();
    let detected = home.json(&["thresholds", "list"])["all"].clone();
    let newest = detected.as_array().unwrap().iter().rev().find(|one| one["kind"] == "threshold_speed");
    let from = newest.unwrap()["from"].as_str().unwrap().to_owned();
    assert!(from.as_str() < "2026-05-01", "the example needs one detected before May, not on {from}");
    let set = home.ok(&["thresholds", "set", "threshold_speed", "4:30", "--from", "2026-05-01"]);
    assert_contains(&set, &["is 4:30 /km as of 2026-05-01.", "Training load since then is recomputed"]);
    // The confirmed value is older than the set one, so it does not apply today.
    let confirmed = home.ok(&["thresholds", "confirm", "threshold_speed"]);
    assert_contains(
        &confirmed,
        &[
            &format!("from {from} through 2026-04-30"),
            "the 4:30 /km you set earlier applies",
            "in this period",
        ],
    );
    assert_not_contains(&confirmed, &["Training load since then"]);
    let list = home.ok(&["thresholds", "list"]);
    let lines: Vec<&str> =
        list.lines().filter(|line| line.starts_with("threshold pace (threshold_speed)")).collect();
    assert_eq!(lines.len(), 2, "{list}");
    assert_contains(lines[0], &["4:30 /km", "since 2026-05-01", "days ago"]);
    assert_contains(lines[1], &[&format!("{from} to 2026-04-30"), "set by you"]);
    let again = home.ok(&["thresholds", "set", "threshold_speed", "4:31", "--from", "2026-05-01"]);
    assert_contains(&again, &["instead of 4:30 /km"]);
    home.ok(&["thresholds", "remove", "threshold_speed", "2026-05-01"]);
    assert_contains(&home.ok(&["thresholds", "list"]), &[&format!("since {from}")]);
}

#[test]
fn prediction_prints_its_basis_and_omissions() {
    let home = Home::new();
    let typed = home.ok(&["predict", "--distance", "full", "--race", "half=1:45:00"]);
    assert_contains(&typed, &["a half marathon in 1:45:00 (entered without a date)"]);
    assert_not_contains(&typed, &[" on 20"]);
    let typed = home.json(&["predict", "--distance", "full", "--race", "half=1:45:00"]);
    assert!(typed["races"][0]["on"].is_null(), "{typed:#}");
    for distance in ["1500m", "1500", "mile", "3k", "5k", "10k", "15k", "10mi", "half", "full", "30k", "50k"]
    {
        let told = home.json(&["predict", "--distance", distance, "--race", "5k=20:00"]);
        assert!(told["seconds"].is_number(), "{distance}: {told:#}");
    }
    let short = home.json(&["predict", "--distance", "1500", "--race", "1500m=5:30"]);
    assert!((short["seconds"].as_f64().unwrap() - 330.0).abs() < 1.0, "{short:#}");
    let long = home.ok(&["predict", "--distance", "full", "--race", "100=10:00:00"]);
    assert_contains(&long, &["100.0 km is too long to predict from; use a race of 5 to 50 km"]);
    let both = home.ok(&["predict", "--distance", "full", "--race", "60=6:00:00", "--race", "half=1:40:00"]);
    assert_contains(&both, &["Marathon: 3:", "Not used: 60.0 km is too long"]);
}

#[test]
fn given_weekly_distance_keeps_the_history() {
    let home = home_with_demo_data();
    for race in home.json(&["race", "list"])["likely"].as_array().unwrap() {
        home.ok(&["race", "confirm", &race["id"].to_string()]);
    }
    let methods = |arguments: &[&str]| -> Vec<String> {
        let told = home.json(&[&["predict", "--distance", "full"], arguments].concat());
        let methods = told["methods"].as_array().unwrap().iter();
        methods.map(|one| one["method"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(methods(&["--weekly-km", "60"]), ["log_model", "tanda"]);
    assert_eq!(methods(&["--weekly-km", "20"]), ["log_model"]);
    let little = home.ok(&["predict", "--distance", "full", "--weekly-km", "20"]);
    assert_contains(
        &little,
        &[
            "with 20.0 km a week",
            "Your training volume was not used: the formula for it (Tanda) covers only 40 to 120 km",
        ],
    );
    // Three races 10 % slower than predicted give a personal correction.
    for day in ["2026-05-20", "2026-05-27", "2026-06-03"] {
        home.ok(&["race", "add", day, "10k", "58:00", "Slow"]);
    }
    let corrected = home.ok(&["predict", "--distance", "full", "--weekly-km", "60"]);
    assert_contains(&corrected, &["Corrected using your last"]);
    let test = home.ok(&["predict", "--backtest"]);
    assert_not_contains(&test, &["efforts"]);
}

/// A fact of `fitness today` by id.
fn fact(home: &Home, day: Option<&str>, id: &str) -> Option<String> {
    let on: Vec<&str> = day.map(|day| vec!["--on", day]).unwrap_or_default();
    let told = home.json(&[&["today"][..], &on].concat());
    let facts = told["facts"].as_array().unwrap();
    facts.iter().find(|fact| fact["id"] == id).map(|fact| fact["shown"].as_str().unwrap().to_owned())
}

fn activate(home: &Home, plan: &str, name: &str) {
    let mut session =
        home.spawn_terminal(&["plan", "activate", plan, "--begin", "planned", "--override", "R33"]);
    session.exp_string("Type the plan's name to activate it: ").unwrap();
    session.send_line(name).unwrap();
    let said = session.exp_eof().unwrap();
    assert!(said.contains("Activated."), "{said}");
}

#[test]
fn today_on_a_past_day_ignores_later_plans() {
    let home = home_with_demo_data();
    let runs = home.json(&["activity", "list", "--from", "2026-05-01", "--limit", "1000"]);
    // The plan matches the recorded runs, with two more workouts after the last day of data.
    let mut schedule: Vec<String> = Vec::new();
    for run in runs.as_array().unwrap().iter().filter(|one| one["sport"] == "running") {
        let name = run["name"].as_str().unwrap_or("");
        let kind = if name.contains("Tempo") || name.contains(" x ") { "tempo" } else { "easy" };
        let day = run["day"].as_str().unwrap();
        if !schedule.iter().any(|one| one.contains(day)) {
            schedule.push(format!(r#"{{"date": "{day}", "planned_km": 8, "kind": "{kind}"}}"#));
        }
    }
    assert!(schedule.iter().filter(|one| one.contains("tempo")).count() >= 3, "{schedule:?}");
    for (day, kind) in [("2026-06-20", "easy"), ("2026-06-22", "tempo")] {
        schedule.push(format!(r#"{{"date": "{day}", "planned_km": 8, "kind": "{kind}"}}"#));
    }
    let plan = format!(
        r#"{{"name": "Summer 10k", "goal": "10k", "race_date": "2028-04-30", "start_date": "2026-05-01", "schedule": [{}]}}"#,
        schedule.join(", ")
    );
    let file = home.file("plan.json", plan);
    home.ok(&["plan", "draft", &file]);
    assert_eq!(fact(&home, None, "race_day"), None, "drafts have no effect");
    activate(&home, "1", "Summer 10k");
    assert!(fact(&home, None, "race_day").is_some(), "the plan is active from today on");
    assert_eq!(fact(&home, Some("2026-06-14"), "race_day"), None, "not active on that day");
    assert!(home.ok(&["today", "--on", "2026-06-14"]).contains("no active plan"));

    // An hour of tempo costs more than an easy one, where the athlete's own hours say so.
    let outlook = home.json(&["plan", "show"])["outlook"]["as_written"].clone();
    let points = outlook.get("Ok").unwrap_or(&outlook)["points"].as_array().unwrap().clone();
    let load = |day: &str| points.iter().find(|one| one["day"] == day).unwrap()["load"].as_f64().unwrap();
    assert!(load("2026-06-22") > load("2026-06-20"), "{} {}", load("2026-06-22"), load("2026-06-20"));
}

#[test]
fn today_prints_week_last_run_and_days_without_data() {
    let home = home_with_demo_data();
    let race = home.ok(&["today", "--on", "2026-05-18"]);
    assert_contains(
        &race,
        &["vs 28-day average     ", "vs longest in 30 days 126% of it, a small jump in distance"],
    );
    assert_not_contains(&race, &["risk", "injury", "danger", "ill"]);
    let before = home.ok(&["today", "--on", "2025-11-10"]);
    assert_contains(&before, &["No data for 2025-11-10: your data starts on 2025-11-17"]);
    assert_not_contains(&before, &["not synced yet", "– ("]);
    let now = home.ok(&["today"]);
    assert_contains(&now, &["Your data is complete through 2026-06-13", "fitness today --on 2026-06-14"]);
    assert_not_contains(&now, &["– ("]);
    assert_contains(&home.expect_error(&["today", "--on", "2099-01-01"]), &["is in the future"]);
}

#[test]
fn today_asks_about_illness_after_two_days_of_signs() {
    let home = home_with_demo_seed("2");
    assert_eq!(fact(&home, Some("2026-02-17"), "signs_of_illness").as_deref(), Some("one day"));
    assert_not_contains(&home.ok(&["today", "--on", "2026-02-17"]), &["Do you feel ill"]);
    assert_eq!(fact(&home, Some("2026-02-18"), "signs_of_illness").as_deref(), Some("two days"));
    let asked = home.ok(&["today", "--on", "2026-02-18"]);
    assert_contains(&asked, &["For two days", "Do you feel ill", "fitness day mark ill"]);
    assert_not_contains(&home.ok(&["today", "--on", "2026-06-14"]), &["Do you feel ill"]);
}

#[test]
fn time_trial_is_saved_and_listed_as_one() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let saved = home.ok(&["race", "add", "2026-05-01", "5k", "20:00", "Track", "--time-trial"]);
    assert_contains(&saved, &["Saved as time trial 1"]);
    assert_contains(&home.ok(&["race", "list"]), &["Track (time trial)"]);
    assert_eq!(home.json(&["race", "list"])["races"][0]["effort"], "time_trial");
    home.ok(&["race", "add", "2026-05-02", "5k", "20:30", "City"]);
    assert_not_contains(&home.ok(&["race", "list"]), &["City (time trial)"]);
}

#[test]
fn activity_uses_units_of_sport_and_athlete() {
    let home = home_with_demo_data();
    home.ok(&["zones", "set", "heart_rate", "94,112,131,150,168", "--from", "2026-01-01"]);
    let show = |sport: &str| home.ok(&["activity", "show", &newest_activity(&home, sport)]);
    let (ride, swim, run) = (show("cycling"), show("swimming"), show("running"));
    assert_contains(&ride, &["speed             29.", "km/h", "power zones       Z1", " W "]);
    assert_not_contains(&ride, &["/km"]);
    assert_contains(&swim, &["distance          1200 m", "/100 m", "1    300 m"]);
    assert_not_contains(&swim, &["/km", "0.0 km"]);
    assert_contains(
        &run,
        &[
            "pace              5:52 /km",
            "below Z1  under ",
            "Z5        from ",
            " bpm",
            "Z1  slower than ",
            " /km and faster",
        ],
    );
    assert_not_contains(&run, &[" ft"]);
    home.ok(&["profile", "set", "--units", "imperial"]);
    assert_contains(&home.ok(&["activity", "show", &newest_activity(&home, "cycling")]), &[" mph"]);
    let run = home.ok(&["activity", "show", &newest_activity(&home, "running")]);
    assert_contains(
        &run,
        &[
            "ascent            113 ft",
            "device values     moving time 42:50, ascent 108 ft",
            " /mi and faster",
            "mile in ",
        ],
    );
    let found = home.ok(&["overview"]);
    assert_contains(&found, &["mile ", "5 km (3.1 mi)", " /mi", "half marathon"]);
    assert_not_contains(&found, &[" /km"]);
}

#[test]
fn overview_lists_only_the_longest_gaps() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich"]);
    let mut files = Vec::new();
    for day in ["2025-01-01", "2025-02-01", "2025-04-01", "2025-04-20", "2025-08-01", "2025-09-01"] {
        let points: String = (0..10)
            .map(|n| format!(r#"<trkpt lat="47.{n:03}" lon="8.5"><time>{day}T08:{n:02}:00Z</time></trkpt>"#))
            .collect();
        let gpx = format!(
            r#"<?xml version="1.0"?><gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><type>running</type><trkseg>{points}</trkseg></trk></gpx>"#
        );
        files.push(home.file(&format!("{day}.gpx"), gpx));
    }
    let arguments: Vec<&str> = std::iter::once("import").chain(files.iter().map(String::as_str)).collect();
    home.ok(&arguments);
    let found = home.ok(&["overview"]);
    assert_contains(
        &found,
        &["2025-02-02 to 2025-03-31, 58 days", "2025-04-21 to 2025-07-31, 102 days", "and 2 shorter gaps"],
    );
    assert_not_contains(&found, &["2025-04-02 to 2025-04-19"]);
    assert_eq!(home.json(&["overview"])["gaps"].as_array().unwrap().len(), 5);
}

#[test]
fn paces_need_a_recent_race() {
    let home = Home::new();
    let typed = home.ok(&["paces", "--race", "5k=20:00"]);
    // VDOT 49.8; the predicted marathon pace is slower than the formula's.
    assert_contains(
        &typed,
        &["VDOT 49.8", "a 5K in 20:00 (entered without a date)", "E easy", "T threshold", "R repetition"],
    );
    assert_contains(
        &home.ok(&["paces", "--race", "100=12:00:00"]),
        &["No paces: VDOT covers races of 3.5 to 240 minutes"],
    );
    assert_contains(&home.ok(&["paces", "--race", "5k=5:00"]), &["faster than any human"]);
    assert_contains(&home.expect_error(&["paces", "--race", "5k"]), &["`5k` is not a valid result"]);
    assert!(home.files().is_empty(), "no files were created");

    home.ok(&["user", "add", "Ann"]);
    assert_contains(&home.ok(&["paces"]), &["No paces: needs a race", "fitness race add"]);
    let none = home.json(&["paces"]);
    assert!(none["vdot"].is_null() && none["reason"]["need"] == "race_of_1500_m", "{none:#}");

    let home = home_with_demo_data();
    assert_contains(&home.ok(&["paces"]), &["(hard effort in training)", "it is a lower bound"]);
    let half = home.json(&["race", "list"])["likely"][1]["id"].to_string();
    home.ok(&["race", "confirm", &half]);
    let told = home.json(&["paces"]);
    assert_eq!(
        (told["source"]["on"].as_str(), told["source"]["effort"].as_str()),
        (Some("2026-05-17"), Some("race"))
    );
    assert!((told["vdot"].as_f64().unwrap() - 44.505).abs() < 0.01, "{told:#}");
    assert!((told["seconds_per_km"]["threshold"].as_f64().unwrap() - 280.4).abs() < 0.1, "{told:#}");
    let words = home.ok(&["paces"]);
    assert_contains(
        &words,
        &["VDOT 44.5 as of 2026-06-13, from a half marathon in 1:41:12 on 2026-05-17.", "4:40 /km"],
    );
    assert_not_contains(&words, &["This is from training"]);
}
