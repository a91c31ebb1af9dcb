use super::*;
use crate::domain::calendar::Instant;
use crate::domain::source_record::ParsedActivity;
use crate::domain::stream::{Channel, Recording};
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::wellness::{ContinuousReading, DayReadings, LatestReading, SingleReading};
use chrono::TimeDelta;
use proptest::prelude::*;

fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

fn run(start: &str, minutes: i64, km: Option<i64>) -> Activity {
    Activity {
        elapsed: Some(TimeSpan::from_mins(minutes)),
        distance: km.map(|km| Distance::from_mm(km * 1_000_000)),
        ..Activity::new(Sport::Running, at(start), 0)
    }
}

fn record(kind: SourceKind, id: &str, activity: Activity) -> (RecordKey, ActivitySummary) {
    (RecordKey { kind, id: id.to_owned() }, ParsedActivity::without_samples(activity).summary())
}

fn same(a: &Activity, b: &Activity) -> bool {
    is_same_activity(
        &ParsedActivity::without_samples(a.clone()).summary(),
        &ParsedActivity::without_samples(b.clone()).summary(),
    )
}

fn merge_records(reports: &[(RecordKey, ActivitySummary)]) -> Activity {
    merge_activity(reports, &Edit::default()).unwrap().activity
}

#[test]
fn is_same_activity_cases() {
    let morning = run("2026-06-14T06:00:00Z", 60, Some(12));
    let hike = Activity { sport: Sport::Other, ..morning.clone() };
    let ride = Activity { sport: Sport::Cycling, ..morning.clone() };
    let cases = [
        ("itself", morning.clone(), true),
        ("a second later, as another service rounds", run("2026-06-14T06:00:01Z", 60, Some(12)), true),
        ("two seconds and a bit later, stopped halfway", run("2026-06-14T06:00:03Z", 30, Some(6)), true),
        ("two seconds and a bit later, half as fast", run("2026-06-14T06:00:03Z", 60, Some(6)), false),
        ("the same second, cut short", run("2026-06-14T06:00:00Z", 10, Some(2)), true),
        ("the same second, the sport corrected", ride.clone(), true),
        ("the same second, no sport told", hike, true),
        (
            "another sport, cut short",
            Activity { elapsed: Some(TimeSpan::from_mins(20)), ..ride.clone() },
            false,
        ),
        ("a second watch, started a minute later", run("2026-06-14T06:01:00Z", 59, Some(12)), true),
        ("a second watch, started five minutes later", run("2026-06-14T06:05:00Z", 55, Some(11)), true),
        ("a second watch, stopped half an hour later", run("2026-06-14T06:00:10Z", 90, Some(18)), true),
        ("a second watch for the last 20 minutes", run("2026-06-14T06:40:00Z", 20, Some(4)), true),
        ("a second watch that shares a quarter", run("2026-06-14T06:45:00Z", 60, Some(12)), false),
        ("the last 20 minutes, 10 % further", run("2026-06-14T06:40:00Z", 21, Some(5)), false),
        (
            "a ride for the last 20 minutes",
            Activity { sport: Sport::Cycling, ..run("2026-06-14T06:40:00Z", 20, Some(4)) },
            false,
        ),
        (
            "no sport told, the last 20 minutes",
            Activity { sport: Sport::Other, ..run("2026-06-14T06:40:00Z", 20, Some(4)) },
            false,
        ),
        ("a second watch that measured another distance", run("2026-06-14T06:01:00Z", 59, Some(9)), false),
        (
            "a ride at the same time",
            Activity { started_at: at("2026-06-14T06:01:00Z"), ..ride.clone() },
            false,
        ),
        ("the run back home", run("2026-06-14T07:00:00Z", 60, Some(12)), false),
        ("the evening run", run("2026-06-14T18:00:00Z", 60, Some(12)), false),
        ("without any length", Activity::new(Sport::Running, at("2026-06-14T06:00:00Z"), 0), true),
    ];
    for (what, other, one) in cases {
        assert_eq!(same(&morning, &other), one, "{what}");
        assert_eq!(same(&other, &morning), one, "{what}, the other way round");
    }
    // A file truncated before its summary has neither sport nor duration.
    let mut cut = ParsedActivity::without_samples(Activity {
        elapsed: Some(TimeSpan::from_mins(10)),
        ..Activity::new(Sport::Other, morning.started_at, 0)
    })
    .summary();
    let whole = ParsedActivity::without_samples(morning.clone()).summary();
    assert!(!is_same_activity(&cut, &whole));
    cut.flaws = vec![Flaw::CutShort, Flaw::NoSummary];
    assert!(is_same_activity(&cut, &whole) && is_same_activity(&whole, &cut));
    cut.activity.elapsed = Some(TimeSpan::from_mins(90));
    assert!(!is_same_activity(&cut, &whole), "what broke off is not longer");
    // The swim of a triathlon starts with the triathlon but is not the same activity.
    let whole = Activity {
        sport: Sport::Other,
        elapsed: Some(TimeSpan::from_mins(150)),
        ..Activity::new(Sport::Other, at("2026-06-14T06:00:00Z"), 0)
    };
    let swim = Activity { sport: Sport::Swimming, elapsed: Some(TimeSpan::from_mins(30)), ..whole.clone() };
    assert!(!same(&whole, &swim));
}

/// A recording with a distance sample per second.
fn recorded(start: &str, metres: impl Iterator<Item = i32>) -> ActivitySummary {
    let metres: Vec<i32> = metres.collect();
    let mut recording = Recording::new((0..metres.len() as i32).map(|s| s * 1000).collect()).unwrap();
    recording.insert_column(Channel::Distance, metres.iter().map(|m| Some(m * 1000)).collect()).unwrap();
    let activity = Activity {
        elapsed: Some(TimeSpan::from_secs(metres.len() as i64 - 1)),
        distance: metres.last().map(|m| Distance::from_mm(i64::from(*m) * 1000)),
        ..Activity::new(Sport::Running, at(start), 0)
    };
    ParsedActivity { recording: Some(recording), ..ParsedActivity::without_samples(activity) }.summary()
}

#[test]
fn distances_are_compared_over_the_shared_time() {
    // Half an hour of running at 3 m/s, then half an hour of walking at 1 m/s.
    let speed = |s: i32| s.min(1800) * 3 + (s - 1800).max(0);
    let whole = recorded("2026-06-14T06:00:00Z", (0..=3600).map(speed));
    // The bike computer was stopped with the running: its mean speed is far above the whole's.
    let stopped = recorded("2026-06-14T06:00:20Z", (0..=1780).map(|s| s * 3));
    assert!(is_same_activity(&whole, &stopped) && is_same_activity(&stopped, &whole));
    // Without samples only the mean is known.
    let listed = ActivitySummary { distance_profile: None, ..stopped };
    assert!(!is_same_activity(&ActivitySummary { distance_profile: None, ..whole.clone() }, &listed));
    assert!(is_same_activity(&whole, &listed), "the list's mean is that of the shared time");
    let slow = recorded("2026-06-14T06:00:20Z", (0..=1780).map(|s| s * 28 / 10));
    assert!(!is_same_activity(&whole, &slow), "7 % less over the shared time");
    // Older summaries have no profile.
    let mut stored = serde_json::to_value(&whole).unwrap();
    stored.as_object_mut().unwrap().remove("distance_profile");
    assert_eq!(serde_json::from_value::<ActivitySummary>(stored).unwrap().distance_profile, None);
}

#[test]
fn distance_profile_interpolates_and_is_bounded() {
    let day_long = recorded("2026-06-14T06:00:00Z", (0..=86_395).map(|s| s * 2));
    let json = serde_json::to_string(&day_long.distance_profile).unwrap();
    assert!(json.len() < 2000, "{} bytes", json.len());
    for (from, until) in [(0.0, 86_395_000.0), (100_000.0, 7_300_000.0), (86_000_000.0, 99_000_000.0)] {
        let expected = (f64::min(until, 86_395_000.0) - from) * 2.0;
        let found = day_long.distance_between(from, until).unwrap();
        assert!((found - expected).abs() <= 2000.0, "{from} to {until}: {found}, not {expected}");
    }
}

#[test]
fn totals_come_from_the_record_of_the_whole_activity() {
    let mut part = run("2026-06-14T06:00:10Z", 40, Some(8));
    (part.moving, part.avg_heart_rate) = (Some(TimeSpan::from_mins(39)), Some(150));
    let whole = run("2026-06-14T06:00:00Z", 60, Some(12));
    let activity = merge_records(&[record(SourceKind::Fit, "f", part), record(SourceKind::Gpx, "g", whole)]);
    assert_eq!((activity.elapsed, activity.moving), (Some(TimeSpan::from_mins(60)), None));
    assert_eq!(activity.distance, Some(Distance::from_mm(12_000_000)));
    assert_eq!((activity.avg_heart_rate, activity.started_at), (Some(150), at("2026-06-14T06:00:00Z")));
    // A device that was not stopped at the end did not measure more.
    let forgotten = run("2026-06-14T06:00:00Z", 90, Some(12));
    let fit = run("2026-06-14T06:00:00Z", 60, Some(12));
    let activity =
        merge_records(&[record(SourceKind::Gpx, "g", forgotten), record(SourceKind::Fit, "f", fit)]);
    assert_eq!(activity.elapsed, Some(TimeSpan::from_mins(60)));
}

#[test]
fn recording_of_an_entered_activity_is_the_same_activity() {
    let entered = |start: &str, minutes, km| {
        let mut summary = ParsedActivity::without_samples(run(start, minutes, Some(km))).summary();
        summary.flaws = vec![Flaw::EnteredByHand];
        summary
    };
    let recorded = ParsedActivity::without_samples(run("2026-06-14T06:12:00Z", 43, Some(8))).summary();
    for (what, typed, same) in [
        ("remembered roughly", entered("2026-06-14T06:00:00Z", 45, 9), true),
        ("the evening run", entered("2026-06-14T18:00:00Z", 45, 8), false),
        ("twice as far", entered("2026-06-14T06:00:00Z", 45, 16), false),
    ] {
        assert_eq!(is_same_activity(&typed, &recorded), same, "{what}");
        assert_eq!(is_same_activity(&recorded, &typed), same, "{what}");
    }
    let mut day_only = entered("2026-06-14T12:00:00Z", 45, 8);
    day_only.flaws.push(Flaw::NoStartTime);
    assert!(is_same_activity(&day_only, &recorded));
    assert!(!is_same_activity(&day_only, &entered("2026-06-14T12:00:00Z", 45, 8)), "two entries");
    // Measured values win, and the athlete's title.
    let mut typed = entered("2026-06-14T06:00:00Z", 50, 9);
    typed.activity.name = Some("Along the river".to_owned());
    let reports = [
        (RecordKey { kind: SourceKind::Manual, id: "1".to_owned() }, typed.clone()),
        (RecordKey { kind: SourceKind::Gpx, id: "g".to_owned() }, recorded.clone()),
    ];
    let merged = merge_activity(&reports, &Edit::default()).unwrap();
    assert_eq!(merged.activity.elapsed, recorded.activity.elapsed);
    assert_eq!((merged.activity.name.as_deref(), merged.flaws), (Some("Along the river"), vec![]));
    let alone = merge_activity(&reports[..1], &Edit::default()).unwrap();
    assert_eq!((alone.activity, alone.flaws), (typed.activity, vec![Flaw::EnteredByHand]));
}

#[test]
fn the_richest_source_wins_field_by_field() {
    let fit = Activity { avg_heart_rate: Some(150), ..run("2026-06-14T06:00:00Z", 60, Some(12)) };
    let listed = Activity {
        name: Some("Long one".to_owned()),
        avg_heart_rate: Some(149),
        energy_kcal: Some(800),
        utc_offset_s: 7200,
        ..run("2026-06-14T06:00:00Z", 61, Some(13))
    };
    let gpx = Activity { name: Some("Zürich Running".to_owned()), avg_power: Some(250), ..fit.clone() };
    let mut reports = [
        record(SourceKind::Gpx, "g", gpx),
        record(SourceKind::GarminExport, "1", listed),
        record(SourceKind::Fit, "f", fit),
    ];
    reports[0].1.local_time_told = false;
    reports[2].1.local_time_told = false;
    let activity = merge_records(&reports);
    assert_eq!(activity.name.as_deref(), Some("Long one"));
    assert_eq!(activity.avg_heart_rate, Some(150));
    assert_eq!(activity.distance, Some(Distance::from_mm(12_000_000)));
    assert_eq!((activity.energy_kcal, activity.avg_power), (Some(800), Some(250)));
    assert_eq!(activity.utc_offset_s, 7200, "told, where the files assume");
}

#[test]
fn merge_prefers_whole_file_over_truncated_one() {
    let cut = record(SourceKind::Fit, "cut", run("2026-06-14T06:00:00Z", 10, Some(2)));
    let whole = record(SourceKind::Gpx, "whole", run("2026-06-14T06:00:00Z", 60, Some(12)));
    let mut reports = [cut, whole];
    reports[0].1.flaws = vec![Flaw::CutShort];
    reports[0].1.samples = 600;
    reports[1].1.samples = 3600;
    let merged = merge_activity(&reports, &Edit::default()).unwrap();
    assert_eq!(merged.activity.elapsed, Some(TimeSpan::from_mins(60)));
    assert_eq!(merged.recording.unwrap().id, "whole");
    assert_eq!(merged.flaws, []);
}

#[test]
fn merge_applies_edits_over_every_record() {
    let edit = Edit { name: Some("Race".to_owned()), sport: Some(Sport::Cycling), ..Edit::default() };
    let edit = edit.followed_by(Edit { distance: Some(Distance::from_mm(1)), ..Edit::default() });
    let told = Activity { sub_sport: Some("trail".to_owned()), ..run("2026-06-14T06:00:00Z", 60, Some(12)) };
    let activity = merge_activity(&[record(SourceKind::Fit, "f", told)], &edit).unwrap().activity;
    assert_eq!(activity.name.as_deref(), Some("Race"));
    assert_eq!((activity.sport, activity.sub_sport), (Sport::Cycling, None));
    assert_eq!(activity.distance, Some(Distance::from_mm(1)));
    assert_eq!(activity.elapsed, Some(TimeSpan::from_mins(60)));
}

#[test]
fn merge_day_prefers_whole_day_over_partial() {
    let day = "2026-06-14".parse().unwrap();
    let report = |kind, steps, as_of: Option<&str>| DayRecord {
        kind,
        dataset: "x".to_owned(),
        wellness: DailyWellness { steps: Some(steps), ..DailyWellness::empty(day) },
        as_of: as_of.map(at),
        readings: None,
        raw: None,
    };
    let breakfast = report(SourceKind::Garmin, 800, Some("2026-06-14T06:00:00Z"));
    let noon = report(SourceKind::Fit, 6000, Some("2026-06-14T12:00:00Z"));
    let whole = report(SourceKind::GarminExport, 12_000, None);
    let steps = |reports: &[&DayRecord]| {
        let reports: Vec<_> = reports.iter().map(|r| (*r).clone()).collect();
        merge_day(&reports).unwrap().steps.unwrap()
    };
    assert_eq!(steps(&[&noon, &breakfast]), 6000);
    assert_eq!(steps(&[&whole, &noon, &breakfast]), 12_000);
    let settled = DayRecord { as_of: None, ..breakfast.clone() };
    assert_eq!(steps(&[&settled, &whole]), 800, "the live service before its own export");
    assert_eq!(merge_day(&[]), None);
}

fn any_readings() -> impl Strategy<Value = DayReadings> {
    let values = prop::collection::vec(0..=1000_u32, 0..6);
    (
        values.clone(),
        values,
        prop::option::of((0..20_i64, 40..60_u32)),
        prop::option::of((0..2_i64, 0..900_u32)),
    )
        .prop_map(|(stress, breaths, resting, steps)| {
            let mut readings = DayReadings::default();
            for value in stress {
                readings.add_continuous(ContinuousReading::Stress, f64::from(value) / 10.0);
            }
            for value in breaths {
                readings.add_continuous(ContinuousReading::Respiration, f64::from(value) / 100.0);
            }
            if let Some((minute, bpm)) = resting {
                let at = at("2026-06-14T06:00:00Z") + TimeDelta::minutes(minute);
                readings.add_single(SingleReading::RestingHeartRate, LatestReading { at, value: bpm.into() });
            }
            if let Some((kind, count)) = steps {
                readings.add_steps(kind, count);
            }
            readings
        })
}

fn part_of_day(index: usize, readings: &DayReadings) -> DayRecord {
    let mut wellness = DailyWellness::empty("2026-06-14".parse().unwrap());
    readings.fill(&mut wellness);
    DayRecord {
        kind: SourceKind::Fit,
        dataset: format!("file {index}"),
        wellness,
        as_of: Some(at("2026-06-14T06:00:00Z") + TimeDelta::minutes(index as i64 % 3)),
        readings: Some(readings.clone()),
        raw: None,
    }
}

fn any_record() -> impl Strategy<Value = (RecordKey, ActivitySummary)> {
    let kind = prop::sample::select(SourceKind::ALL.to_vec());
    let optional = prop::option::of(0..3_u16);
    (kind, 0..9_u8, optional.clone(), optional, 0..3_usize, any::<[bool; 5]>()).prop_map(
        |(kind, id, heart, power, samples, [named, cut, clock, race, other])| {
            let mut activity = run("2026-06-14T06:00:00Z", 60, Some(i64::from(id)));
            activity.started_at += TimeDelta::seconds(i64::from(id % 3));
            activity.name = named.then(|| format!("{kind} {id}"));
            activity.avg_heart_rate = heart;
            activity.avg_power = power;
            activity.utc_offset_s = i32::from(id);
            activity.sport = if other { Sport::Other } else { Sport::Running };
            let (key, mut outline) = record(kind, &id.to_string(), activity);
            outline.samples = samples;
            outline.local_time_told = clock;
            outline.race = race;
            outline.flaws = if cut { vec![Flaw::CutShort] } else { vec![] };
            (key, outline)
        },
    )
}

proptest! {
    #[test]
    fn day_of_many_files_is_merged_over_all_readings_in_any_order(
        parts in prop::collection::vec(any_readings(), 1..6),
        seed in any::<prop::sample::Index>()
    ) {
        let mut reports: Vec<DayRecord> = parts.iter().enumerate().map(|(i, part)| part_of_day(i, part)).collect();
        let merged = merge_day(&reports).unwrap();
        let sums = parts.iter().filter_map(|part| part.continuous.get(&ContinuousReading::Stress));
        let (count, sum) = sums.fold((0, 0.0), |(count, sum), part| (count + part.count, sum + part.sum));
        let mean = (count > 0).then(|| sum / f64::from(count));
        let is_mean = match (merged.stress_avg, mean) {
            (Some(found), Some(mean)) => (f64::from(found) - mean).abs() <= 0.5 + 1e-9,
            (found, mean) => found.is_none() && mean.is_none(),
        };
        prop_assert!(is_mean);
        reports.rotate_left(seed.index(parts.len()));
        prop_assert_eq!(&merged, &merge_day(&reports).unwrap());
        reports.reverse();
        prop_assert_eq!(&merged, &merge_day(&reports).unwrap());
        // A record of the whole day takes precedence.
        let mut whole = DailyWellness::empty(merged.day);
        whole.stress_avg = Some(7);
        reports.push(DayRecord { kind: SourceKind::GarminExport, dataset: "uds".to_owned(), wellness: whole, as_of: None, readings: None, raw: None });
        prop_assert_eq!(merge_day(&reports).unwrap().stress_avg, Some(7));
    }

    #[test]
    fn merge_is_independent_of_record_order(
        mut reports in prop::collection::vec(any_record(), 1..6),
        seed in any::<prop::sample::Index>()
    ) {
        // One record per key, as in the store.
        reports.sort_by(|a, b| a.0.cmp(&b.0));
        reports.dedup_by(|a, b| a.0 == b.0);
        let forward = merge_activity(&reports, &Edit::default());
        let turn = seed.index(reports.len());
        reports.rotate_left(turn);
        prop_assert_eq!(&forward, &merge_activity(&reports, &Edit::default()));
        reports.reverse();
        prop_assert_eq!(&forward, &merge_activity(&reports, &Edit::default()));
    }

    #[test]
    fn is_same_activity_is_symmetric(a in any_record(), b in any_record()) {
        let (a, b) = (a.1, b.1);
        prop_assert_eq!(is_same_activity(&a, &b), is_same_activity(&b, &a));
        prop_assert!(is_same_activity(&a, &a));
    }
}

#[test]
fn device_metrics_are_filled_from_every_source() {
    let with = |effect, contact| Activity {
        device_metrics: DeviceMetrics {
            aerobic_training_effect: effect,
            ground_contact_ms: contact,
            ..DeviceMetrics::default()
        },
        ..run("2026-06-14T06:00:00Z", 60, Some(12))
    };
    let records = [
        record(SourceKind::Fit, "a", with(None, Some(240.0))),
        record(SourceKind::GarminExport, "b", with(Some(3.1), Some(250.0))),
    ];
    let merged = merge_records(&records).device_metrics;
    assert_eq!((merged.aerobic_training_effect, merged.ground_contact_ms), (Some(3.1), Some(240.0)));
}

#[test]
fn activity_of_an_earlier_version_is_read() {
    let plain = run("2026-06-14T06:00:00Z", 60, Some(12));
    let text = serde_json::to_string(&plain).unwrap();
    assert!(!text.contains("device_metrics") && !text.contains("moving_is_edited"), "{text}");
    assert_eq!(serde_json::from_str::<Activity>(&text).unwrap(), plain);
}
