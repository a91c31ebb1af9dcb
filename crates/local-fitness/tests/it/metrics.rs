//! Metrics with the real binary: overview, thresholds, zones and predictions of the demo athlete.

use crate::harness::Home;
use serde_json::Value;

pub(crate) fn home_with_demo_data() -> Home {
    home_with_demo_seed("3")
}

pub(crate) fn home_with_demo_seed(seed: &str) -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "Europe/Zurich", "--units", "metric"]);
    home.ok(&["demo", "--export", "files", "--ends", "2026-06-14", "--seed", seed]);
    home.ok(&["import", "files/garmin-export.zip"]);
    home
}

#[test]
fn import_computes_metrics_and_overview() {
    let home = home_with_demo_data();
    let found = home.ok(&["overview"]);
    for part in [
        "year  activities",
        "Personal bests:",
        "These look like races",
        "Thresholds used for training load",
        "fitness thresholds confirm threshold_speed",
    ] {
        assert!(found.contains(part), "{part} is missing in\n{found}");
    }
    let found = home.json(&["overview"]);
    let all = home.json(&["activity", "list", "--limit", "1000"]);
    let has_measured_load = |one: &&Value| one["load"].is_number() && one["load_method"] != "duration";
    let with_load = all.as_array().unwrap().iter().filter(has_measured_load).count() as u64;
    let count = all.as_array().unwrap().len() as u64;
    assert_eq!(found["without_load"].as_u64().unwrap(), count - with_load);
    assert!(with_load * 10 > count * 9, "{with_load} of {count} activities have a load");
    let run = all.as_array().unwrap().iter().find(|one| one["sport"] == "running").unwrap();
    let shown = home.ok(&["activity", "show", &run["id"].to_string()]);
    assert!(shown.contains("(from pace, estimated)") && shown.contains("HR zones"), "{shown}");

    let again = home.json(&["recompute"]);
    assert_eq!(again["judged"].as_u64().unwrap(), count, "{again}");
    assert_eq!(home.json(&["overview"]), found, "recomputing changes nothing");
}

#[test]
fn setting_a_threshold_keeps_earlier_loads() {
    let home = home_with_demo_data();
    let loads = || -> Vec<(String, f64)> {
        let all = home.json(&["activity", "list", "--limit", "1000"]);
        let runs = all.as_array().unwrap().iter().filter(|one| one["sport"] == "running");
        runs.filter_map(|one| Some((one["day"].as_str()?.to_owned(), one["load"].as_f64()?))).collect()
    };
    let before = loads();
    assert!(
        home.ok(&["thresholds", "set", "threshold_speed", "3:45", "--from", "2026-06-01"])
            .contains("3:45 /km")
    );
    for ((day, was), (_, is)) in before.iter().zip(loads()) {
        if day.as_str() < "2026-06-01" {
            assert_eq!(*was, is, "{day}");
        } else {
            assert!(is < *was, "{day}: {was} {is}");
        }
    }
    assert!(home.ok(&["thresholds", "list"]).contains("set by you"));
    home.ok(&["thresholds", "remove", "threshold_speed", "2026-06-01"]);
    assert_eq!(loads(), before, "same as before");
    home.ok(&["thresholds", "confirm", "max_heart_rate"]);
    let held = home.json(&["thresholds", "list"]);
    let max =
        held["in_force"].as_array().unwrap().iter().find(|one| one["threshold"]["kind"] == "max_heart_rate");
    assert_eq!(max.unwrap()["threshold"]["origin"], "set");

    // Zones come from the watch, or from the detected threshold before it reported any.
    let zones = home.ok(&["zones"]);
    assert!(zones.contains("from your watch") && zones.contains("from your threshold pace"), "{zones}");
    let before = home.json(&["zones", "list", "--on", "2026-06-10"]);
    let said = home.ok(&[
        "zones",
        "set",
        "heart_rate",
        "120,140,160,170",
        "--sport",
        "running",
        "--from",
        "2026-06-11",
    ]);
    assert!(said.contains("as of 2026-06-11: 120, 140, 160, 170 bpm"), "{said}");
    assert_eq!(home.json(&["zones", "list", "--on", "2026-06-10"])["in_force"], before["in_force"]);
    let held = home.json(&["zones"]);
    let of = |sport: &str| {
        held["in_force"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["kind"] == "heart_rate" && one["sport"] == sport)
            .unwrap()
            .clone()
    };
    assert_eq!(
        (of("running")["source"].as_str(), of("running")["from"].as_str()),
        (Some("set"), Some("2026-06-11"))
    );
    assert_eq!(of("cycling")["source"], "reported");
    home.ok(&["zones", "set", "speed", "6:00,5:10,4:30"]);
    assert!(home.ok(&["zones"]).contains("Z1 from 6:00 /km, Z2 from 5:10 /km, Z3 from 4:30 /km"));
    assert!(
        home.ok(&["zones", "remove", "heart_rate", "2026-06-11", "--sport", "running"]).contains("Removed")
    );

    for (arguments, says) in [
        (&["zones", "set", "heart_rate", "140,120"][..], "enter values in bpm from low to high"),
        (&["zones", "set", "heart_rate", "NaN"], "`NaN` is not a valid list of heart rate zones"),
        (&["zones", "set", "power", "100,200", "--sport", "running"], "there are no power zones for running"),
        (&["zones", "set", "speed", "4:30,5:00"], "from slow to fast"),
        (&["zones", "set", "power", "100,200", "--from", "2099-01-01"], "is in the future"),
        (&["zones", "remove", "power", "2026-06-11"], "you have no power zones that start on 2026-06-11"),
        (&["thresholds", "set", "threshold_speed", "fast"][..], "`fast` is not a valid threshold pace"),
        (&["thresholds", "set", "threshold_speed", "0:10"], "threshold pace is out of range"),
        (&["thresholds", "set", "max_heart_rate", "400"], "enter a value between 100 bpm and 240 bpm"),
        (&["thresholds", "set", "max_heart_rate", "NaN"], "write a value in bpm"),
        (&["thresholds", "set", "threshold_power", "250", "--from", "2099-01-01"], "is in the future"),
        (
            &["thresholds", "remove", "threshold_power", "2026-06-01"],
            "you have no threshold power that starts on 2026-06-01",
        ),
        (&["profile", "set", "--sleep-need", "25:00"], "between 4:00 and 12:00"),
        (&["checkin", "4", "--day", "2099-01-01"], "is in the future"),
        (&["activity", "rate", "999999", "5"], "there is no activity 999999"),
    ] {
        let refused = home.expect_error(arguments);
        assert!(refused.contains(says), "{arguments:?}: {refused}");
    }
    home.ok(&["profile", "set", "--sex", "female", "--sleep-need", "8:15", "--birth-year", "1984"]);
    let profile = home.ok(&["profile", "show"]);
    assert!(
        profile.contains("8h 15m") && profile.contains("female") && profile.contains("1984"),
        "{profile}"
    );
    home.ok(&["checkin", "4", "--day", "2026-06-13"]);
    let newest = home.json(&["activity", "list", "--limit", "1"])[0]["id"].to_string();
    home.ok(&["activity", "rate", &newest, "7"]);
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn predict_from_given_results_needs_no_database() {
    let home = Home::new();
    let told = home.json(&["predict", "--distance", "full", "--race", "half=1:45:00", "--weekly-km", "48"]);
    // 30 miles a week give 3:52:04.4; 48 km are 29.8 miles.
    assert!((seconds(&told["seconds"]) - 13_929.0).abs() < 2.0, "{told:#}");
    assert!(seconds(&told["band"]["low_seconds"]) < seconds(&told["seconds"]));
    assert!(seconds(&told["band"]["high_seconds"]) > seconds(&told["seconds"]));
    assert!(told["basis"].as_str().unwrap().contains("48.0 km a week"), "{told:#}");
    assert!((seconds(&told["baselines"]["riegel"]["seconds"]) - 13_135.0).abs() < 1.0, "{told:#}");
    assert!(told["baselines"]["vdot"]["seconds"].is_number());
    assert!(home.files().is_empty(), "no files were created");

    let two = home.ok(&["predict", "--race", "10k=45:00", "--race", "half=1:40:00", "--weekly-miles", "35"]);
    assert!(two.contains("Marathon: ") && two.contains("80% range"), "{two}");
    let far = home.json(&["predict", "--distance", "60", "--race", "half=1:45:00"]);
    assert!(far["seconds"].is_null() && far["missing"].as_str().unwrap().contains("1.5 to 50 km"), "{far}");
    let fast = home.json(&["predict", "--distance", "half", "--race", "10k=20:00"]);
    assert!(
        fast["seconds"].is_null() && fast["missing"].as_str().unwrap().contains("faster than any human"),
        "{fast}"
    );
    for (arguments, says) in [
        (&["predict", "--race", "half"][..], "`half` is not a valid result"),
        (&["predict", "--race", "half=fast"], "`half=fast` is not a valid result"),
        (&["predict", "--race=-3=1:00:00"], "`-3` is not a valid distance"),
        (&["predict", "--distance", "moon", "--race", "half=1:45:00"], "`moon` is not a valid distance"),
        (&["predict", "--race", "half=1:45:00", "--weekly-km", "NaN"], "invalid weekly distance"),
        (&["predict", "--race", "half=1:45:00", "--weekly-km=-1"], "invalid weekly distance"),
    ] {
        let refused = home.expect_error(arguments);
        assert!(refused.contains(says), "{arguments:?}: {refused}");
    }
}

#[test]
fn predict_from_history_and_backtest() {
    let home = home_with_demo_data();
    let before = home.json(&["predict", "--distance", "half"]);
    assert!(before["seconds"].is_number() && before["quality"] == "provisional", "{before:#}");
    assert!(home.ok(&["predict", "--backtest"]).contains("No races to test predictions on"));
    for race in home.json(&["race", "list"])["likely"].as_array().unwrap() {
        home.ok(&["race", "confirm", &race["id"].to_string()]);
    }
    let raced = home.json(&["predict", "--distance", "half"]);
    assert_eq!(raced["quality"], "ok", "{raced:#}");
    let test = home.json(&["predict", "--backtest"]);
    assert!(!test["rows"].as_array().unwrap().is_empty() && test["scores"].is_null(), "{test:#}");
    assert!(
        home.ok(&["predict", "--backtest"]).contains("At least 5 races are needed"),
        "no scores for a few races"
    );

    let empty = Home::new();
    empty.ok(&["user", "add", "Bob"]);
    let nothing = empty.ok(&["predict"]);
    assert!(
        nothing.contains("no prediction; needs a race or an all-out effort of at least 5 km"),
        "{nothing}"
    );
    assert!(empty.ok(&["overview"]).contains("fitness import PATH"));
}
