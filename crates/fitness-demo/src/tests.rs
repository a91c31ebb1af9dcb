//! Tests of the generated data.

use super::season::ActivityKind;
use super::*;
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::stream::Channel;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_sources::fit;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

/// The clocks change on 25 October.
fn demo(weeks: u32) -> DemoAthlete {
    DemoAthlete { weeks, ..DemoAthlete::new(1, "2026-11-15".parse().unwrap(), Tz::Europe__Zurich) }
}

fn activities(demo: &DemoAthlete) -> Vec<DemoActivity> {
    demo.first_day().through(demo.last_day).flat_map(|day| demo.season(&[]).activities_on(day)).collect()
}

/// Rows of all JSON files whose path contains `word`, sorted by path.
fn rows(zip: &[u8], word: &str) -> Vec<Value> {
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).unwrap();
    let mut names: Vec<String> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .filter(|name| name.contains(word))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{word}");
    let mut rows = Vec::new();
    for name in names {
        rows.extend(serde_json::from_reader::<_, Vec<Value>>(archive.by_name(&name).unwrap()).unwrap());
    }
    rows
}

/// An export without FIT files.
fn export_days(demo: &DemoAthlete) -> Vec<u8> {
    let mut archive = Archive { zip: ZipWriter::new(Cursor::new(Vec::new())) };
    export_json::write_days(&mut archive, &demo.season(&[]), demo.first_day()).unwrap();
    archive.zip.finish().unwrap().into_inner()
}

#[test]
fn same_seed_gives_same_bytes() {
    let bytes = |demo: DemoAthlete| {
        let mut out = Cursor::new(Vec::new());
        demo.export(&mut out, &mut |_, _| {}).unwrap();
        out.into_inner()
    };
    let once = bytes(demo(2));
    assert!(once == bytes(demo(2)));
    assert!(once != bytes(DemoAthlete { seed: 2, ..demo(2) }));
}

#[test]
fn longer_demo_ends_like_a_shorter_one() {
    let short: Vec<_> = demo(2).files().map(Result::unwrap).collect();
    let long: Vec<_> = demo(3).files().map(Result::unwrap).collect();
    assert!(long.len() > short.len() && long.ends_with(&short));
    let newest = |weeks| {
        let zip = export_days(&demo(weeks));
        let kinds = [
            "sleepData",
            "healthStatus",
            "Readiness",
            "AcuteTraining",
            "RunRace",
            "History",
            "MaxMet",
            "BioMetrics",
        ];
        kinds.map(|kind| rows(&zip, kind).split_off(rows(&zip, kind).len().saturating_sub(2)))
    };
    assert_eq!(newest(3), newest(40));
}

#[test]
fn season_has_races_travel_and_illness() {
    let outings = activities(&demo(30));
    let kinds: BTreeSet<ActivityKind> = outings.iter().map(|outing| outing.kind).collect();
    assert_eq!(kinds.len(), 12, "{kinds:?}");
    let races: Vec<_> =
        outings.iter().filter(|o| o.kind == ActivityKind::Race).map(|o| o.name.as_str()).collect();
    assert_eq!(races, ["Brückenlauf 10 km", "Tannwald Half Marathon"]);
    let offsets: BTreeSet<i32> = outings.iter().map(|outing| outing.offset_s / 3600).collect();
    assert_eq!(offsets, BTreeSet::from([-4, 1, 2]), "travel, and a clock change");
    let mut days: Vec<Day> = outings.iter().map(|outing| outing.day).collect();
    days.dedup();
    let longest = days.windows(2).map(|pair| pair[0].days_until(pair[1])).max();
    assert!((8..=12).contains(&longest.unwrap()), "an illness: {longest:?}");
    assert!(days.last() < Some(&demo(30).last_day), "the last day has no activity");
    assert!((150..190).contains(&outings.len()), "{}", outings.len());
}

#[test]
fn ten_years_generate_and_every_year_differs() {
    let demo = demo(522);
    let mut years: BTreeMap<i32, Vec<DemoActivity>> = BTreeMap::new();
    for outing in activities(&demo) {
        years.entry(outing.day.date().year()).or_default().push(outing);
    }
    for year in 2017..2026 {
        let of_year = &years[&year];
        assert!((220..320).contains(&of_year.len()), "{year}: {}", of_year.len());
        let races = of_year.iter().filter(|outing| outing.kind == ActivityKind::Race).count();
        assert!((3..=5).contains(&races), "{year}: {races}");
    }
    let fitness = |day: &str| demo.season(&[]).fitness(day.parse().unwrap());
    assert!(fitness("2026-10-18") > fitness("2018-10-18") + 2.0);
    assert!(fitness("2026-10-18") > fitness("2026-06-14") + 1.5, "fitness grows over a season");
}

#[test]
fn illness_and_gaps_show_in_days_and_nights() {
    let demo = demo(30);
    let zip = export_days(&demo);
    let uds = rows(&zip, "UDSFile");
    let dated = |date: &Value, value: &Value| Some((date.as_str()?.to_owned(), value.as_f64()?));
    let resting: BTreeMap<_, _> =
        uds.iter().filter_map(|row| dated(&row["calendarDate"], &row["restingHeartRate"])).collect();
    let hrv: BTreeMap<_, _> = rows(&zip, "healthStatusData")
        .iter()
        .filter_map(|row| dated(&row["calendarDate"], &row["metrics"][0]["value"]))
        .filter(|(_, ms)| *ms > 0.0)
        .collect();
    let mean = |values: &BTreeMap<String, f64>, from: &str, until: &str| {
        let within: Vec<f64> = values.range(from.to_owned()..=until.to_owned()).map(|(_, v)| *v).collect();
        within.iter().sum::<f64>() / within.len() as f64
    };
    // The illness is in the week of 20 July.
    assert!(mean(&resting, "2026-07-20", "2026-07-25") > mean(&resting, "2026-06-20", "2026-07-18") + 4.0);
    assert!(mean(&hrv, "2026-07-20", "2026-07-25") < mean(&hrv, "2026-06-20", "2026-07-18") * 0.88);
    let sleep = rows(&zip, "sleepData");
    assert_eq!(sleep[0], serde_json::json!({ "retro": false }));
    let off: Vec<_> = sleep.iter().filter(|row| row["sleepWindowConfirmationType"] == "OFF_WRIST").collect();
    assert!(
        off.len() > 5 && off.iter().all(|row| row["deepSleepSeconds"] == 0 && row["sleepScores"].is_null())
    );
    let stress = |row: &Value| row["allDayStress"]["aggregatorList"][0]["averageStressLevel"].as_i64();
    assert!(uds.iter().any(|row| stress(row) == Some(-1)));
    let dates: BTreeSet<&str> = uds.iter().filter_map(|row| row["calendarDate"].as_str()).collect();
    assert!((200..210).contains(&dates.len()), "some days are missing: {}", dates.len());
    assert!(uds.len() > dates.len(), "files share a day");
    let last = uds.last().unwrap();
    assert_eq!(
        (last["calendarDate"].as_str(), last["durationInMilliseconds"].as_i64()),
        (Some("2026-11-15"), Some(43_200_000))
    );
    assert!(last["totalSteps"].as_i64().unwrap() < 4000);
}

/// The last nine weeks: two races, intervals, everything but the illness.
fn last_nine_weeks() -> BTreeMap<i64, (ParsedActivity, Value)> {
    let demo = demo(9);
    let mut listed = BTreeMap::new();
    for upload in demo.uploads(&[]) {
        let made = upload.build(&demo.season(&[])).unwrap();
        let file = fit::read(&made.bytes, Tz::UTC).unwrap();
        assert_eq!((file.records, file.activities.len()), (made.records, usize::from(made.row.is_some())));
        assert_eq!(file.kind.as_deref(), Some(if made.row.is_some() { "activity" } else { "settings" }));
        for (recorded, row) in file.activities.into_iter().zip(made.row) {
            listed.insert(
                recorded.activity.started_at.timestamp_millis(),
                (recorded, serde_json::to_value(row).unwrap()),
            );
        }
    }
    listed
}

#[test]
fn every_file_has_no_flaws_and_matches_the_list() {
    let recent = last_nine_weeks();
    assert!(recent.len() > 40, "{}", recent.len());
    for (begin, (recorded, row)) in &recent {
        let (activity, name) = (&recorded.activity, row["name"].as_str().unwrap());
        assert_eq!(recorded.flaws, [], "{name}");
        assert_eq!(row["beginTimestamp"].as_i64(), Some(*begin));
        let number = |key: &str| row[key].as_f64();
        let local = activity.started_at.timestamp_millis() + i64::from(activity.utc_offset_s) * 1000;
        assert_eq!((number("startTimeLocal"), recorded.has_local_time), (Some(local as f64), true), "{name}");
        assert_eq!(activity.elapsed.map(|t| t.ms() as f64), number("elapsedDuration"), "{name}");
        assert_eq!(activity.moving.map(|t| t.ms() as f64), number("duration"), "{name}");
        assert!(activity.moving <= activity.elapsed, "{name}");
        assert_eq!(activity.distance.map(|d| d.mm() as f64 / 10.0), number("distance"), "{name}");
        assert_eq!(activity.avg_heart_rate.map(f64::from), number("avgHr"), "{name}");
        assert_eq!(activity.max_heart_rate.map(f64::from), number("maxHr"), "{name}");
        assert_eq!(
            activity.avg_cadence.filter(|_| row["avgDoubleCadence"].is_number()),
            number("avgDoubleCadence")
        );
        assert_eq!(activity.ascent.map(|d| d.mm() as f64 / 10.0), number("elevationGain"), "{name}");
        let kcal = number("calories").unwrap() / 4.19002;
        assert!((f64::from(activity.energy_kcal.unwrap()) - kcal).abs() < 1e-6, "{name}");
        assert_eq!(row["lapCount"].as_u64(), Some(activity.laps.len() as u64), "{name}");
        let sum = |of: fn(&fitness_core::domain::activity::Lap) -> Option<TimeSpan>| {
            activity.laps.iter().filter_map(of).sum()
        };
        assert_eq!(activity.elapsed, Some(sum(|lap| lap.elapsed)), "{name}");
        assert_eq!(activity.moving, Some(sum(|lap| lap.moving)), "{name}");
        if let Some(distance) = activity.distance {
            assert_eq!(
                activity.laps.iter().filter_map(|lap| lap.distance).sum::<Distance>(),
                distance,
                "{name}"
            );
        }
    }
    let races: Vec<_> = recent.values().filter(|(_, row)| row["eventTypeId"] == 1).collect();
    assert_eq!(races.len(), 2);
    for (race, _) in races {
        assert!(race.activity.avg_heart_rate >= Some(168) && race.activity.max_heart_rate >= Some(180));
        assert_eq!(race.activity.moving, race.activity.elapsed, "nobody stops in a race");
    }
    assert!(recent.values().any(|(recorded, _)| recorded.activity.moving < recorded.activity.elapsed));
    assert!(
        recent.values().any(|(recorded, _)| recorded.details.lengths.iter().any(|length| !length.active))
    );
    assert!(
        recent.values().any(|(recorded, _)| recorded
            .details
            .sets
            .iter()
            .any(|set| set.weight_kg == Some(40.0)))
    );
    let kinds: BTreeSet<String> = recent
        .values()
        .flat_map(|(recorded, _)| recorded.activity.laps.iter().filter_map(|lap| lap.kind.clone()))
        .collect();
    for kind in ["active", "warmup", "interval", "recovery", "rest", "cooldown"] {
        assert!(kinds.contains(kind), "{kind} of {kinds:?}");
    }
}

#[test]
fn every_sample_is_physiologically_plausible() {
    for (recorded, row) in last_nine_weeks().values() {
        let name = row["name"].as_str().unwrap();
        let recording = recorded.recording.as_ref().unwrap();
        let column = |channel| -> Vec<i32> {
            recording
                .column(channel)
                .map(|column| column.samples().map(Option::unwrap).collect())
                .unwrap_or_default()
        };
        let steps = |values: &[i32]| {
            values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).max().unwrap_or_default()
        };
        let heart_rate = column(Channel::HeartRate);
        assert!(heart_rate.iter().all(|bpm| (40..188).contains(bpm)), "{name}");
        // Nothing is recorded during a pause, so heart rate may jump down.
        let paused = recorded.activity.moving < recorded.activity.elapsed;
        assert!(paused || steps(&heart_rate) <= 6, "{name}: {}", steps(&heart_rate));
        assert!(paused || recording.offsets_ms().windows(2).all(|pair| pair[1] - pair[0] == 1000), "{name}");
        assert!(column(Channel::Distance).is_sorted(), "{name}");
        assert!(steps(&column(Channel::Altitude)) < 3000, "{name}");
        let (latitude, longitude) = (column(Channel::Latitude), column(Channel::Longitude));
        assert_eq!(latitude.is_empty(), row["startLatitude"].is_null(), "{name}");
        // 1e-7 degrees are about 1 cm: at most 20 m per second.
        assert!(paused || steps(&latitude).max(steps(&longitude)) < 3000, "{name}");
        if row["sportType"] == "RUNNING" {
            let (speed, cadence) = (column(Channel::Speed), column(Channel::Cadence));
            assert!(speed.iter().all(|mm| *mm < 7500), "{name}");
            let fast = speed.iter().zip(&cadence).filter(|(mm, _)| **mm > 2500);
            assert!(
                fast.clone().count() > 0 && fast.into_iter().all(|(_, c)| (1500..2100).contains(c)),
                "{name}"
            );
        }
    }
}

#[test]
fn any_day_zone_and_length_generates() {
    let day = |text: &str| -> Day { text.parse().unwrap() };
    for (seed, ends, zone, weeks) in [
        (2, "2026-03-30", Tz::America__New_York, 2),
        (u64::MAX, "2024-02-29", Tz::Australia__Lord_Howe, 1),
        (3, "2000-01-20", Tz::UTC, u32::MAX),
        (4, "2100-12-31", Tz::Pacific__Apia, 1),
        (5, "2199-12-31", Tz::UTC, 1),
        (6, "1999-12-31", Tz::UTC, 0),
    ] {
        let demo = DemoAthlete { weeks, ..DemoAthlete::new(seed, day(ends), zone) };
        let mut out = Cursor::new(Vec::new());
        let written = demo.export(&mut out, &mut |_, _| {}).unwrap();
        let sound = (2000..=2100).contains(&demo.last_day.date().year());
        assert_eq!(written.activities > 0, sound, "{ends}");
        for file in demo.files() {
            for recorded in fit::read(&file.unwrap().1, Tz::UTC).unwrap().activities {
                assert!(recorded.flaws.is_empty() && recorded.activity.day() < demo.last_day, "{ends}");
            }
        }
    }
}
