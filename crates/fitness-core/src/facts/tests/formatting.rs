//! Formatting and serialisation of facts.

use super::*;
use crate::domain::units::Pace;
use crate::metrics::fitness::FormBand;
use crate::metrics::recovery::RecoveryBand;

fn fact(value: FactValue, unit: FactUnit) -> Fact {
    Fact {
        id: "a_fact".parse().unwrap(),
        value,
        unit,
        as_of: day("2026-06-14"),
        sources: vec![SourceRow::Day(day("2026-06-14"))],
        method: "measured".to_owned(),
        quality: Quality::Ok,
        learning: None,
    }
}

fn metric(value: FactValue, unit: FactUnit) -> String {
    fact(value, unit).format(UnitSystem::Metric)
}

#[test]
fn a_number_is_rounded_by_its_unit() {
    for (number, unit, shown) in [
        (61.5, FactUnit::LoadPoints, "62"),
        (0.4, FactUnit::FitnessPoints, "0"),
        (-17.6, FactUnit::FormPoints, "−18"),
        (5.2, FactUnit::FormPoints, "+5"),
        (-0.4, FactUnit::FormPoints, "0"),
        (3.44, FactUnit::FitnessPointsAWeek, "+3.4"),
        (-0.04, FactUnit::FitnessPointsAWeek, "0.0"),
        (62.0, FactUnit::Score, "62"),
        (-0.236, FactUnit::StandardDeviations, "−0.24"),
        (1.2209, FactUnit::Ratio, "1.22"),
        (147.5, FactUnit::BeatsPerMinute, "148 bpm"),
        (4.0, FactUnit::BeatsDifference, "+4 bpm"),
        (14.25, FactUnit::BreathsPerMinute, "14.3 breaths/min"),
        (60.9, FactUnit::Milliseconds, "61 ms"),
        (231.0, FactUnit::Watts, "231 W"),
        (70.0, FactUnit::Kilograms, "70.0 kg"),
        (1.0, FactUnit::Days, "1 day"),
        (71.0, FactUnit::Days, "71 days"),
        (0.0, FactUnit::Runs, "0 runs"),
        (-70.0, FactUnit::MinutesDifference, "−1h 10m"),
        (25.0, FactUnit::MinutesDifference, "+25 min"),
        (0.0, FactUnit::MinutesDifference, "0 min"),
    ] {
        assert_eq!(metric(FactValue::Number(number), unit), shown, "{unit}");
    }
}

#[test]
fn quantities_format_in_the_athletes_units() {
    let way = FactValue::Distance(Distance::from_km(48.2).unwrap());
    let pace = FactValue::Pace(Pace::from_seconds_per_km(312.0).unwrap());
    assert_eq!(metric(way.clone(), FactUnit::Distance), "48.2 km");
    assert_eq!(fact(way, FactUnit::Distance).format(UnitSystem::Imperial), "30.0 mi");
    assert_eq!(metric(pace.clone(), FactUnit::Pace), "5:12 /km");
    assert_eq!(fact(pace, FactUnit::Pace).format(UnitSystem::Imperial), "8:22 /mi");
    assert_eq!(
        metric(FactValue::Pace(Pace::from_seconds_per_km(1120.0).unwrap()), FactUnit::SwimPace),
        "1:52 /100 m"
    );
    assert_eq!(metric(FactValue::Time(TimeSpan::from_secs(3727)), FactUnit::Clock), "1:02:07");
    assert_eq!(metric(FactValue::Time(TimeSpan::from_mins(444)), FactUnit::HoursAndMinutes), "7h 24m");
    assert_eq!(metric(FactValue::Day(day("2026-06-14")), FactUnit::CalendarDay), "Sun 14 Jun");
    assert_eq!(metric(FactValue::Day(day("2025-06-04")), FactUnit::CalendarDay), "Wed 4 Jun 2025");
    let title = FactValue::Text(FactText::new("4x1 km @ 5K").unwrap());
    assert_eq!(metric(title, FactUnit::Name), "4x1 km @ 5K");
    let strain = FactValue::Word(FactWord::Form(FormBand::HighStrain));
    assert_eq!(metric(strain, FactUnit::Word), "high strain");
}

#[test]
fn non_finite_values_format_as_placeholder() {
    let slow = Pace::from_seconds_per_km(1e12).unwrap();
    for (value, unit) in [
        (FactValue::Number(f64::NAN), FactUnit::LoadPoints),
        (FactValue::Number(f64::INFINITY), FactUnit::FormPoints),
        (FactValue::Number(f64::NEG_INFINITY), FactUnit::MinutesDifference),
        (FactValue::Number(1e300), FactUnit::Ratio),
        (FactValue::Number(5.0), FactUnit::Clock),
        (FactValue::Number(5.0), FactUnit::Word),
        (FactValue::Pace(slow), FactUnit::Pace),
        (FactValue::Time(TimeSpan::from_secs(-1)), FactUnit::Clock),
        (FactValue::Time(TimeSpan::from_ms(i64::MAX)), FactUnit::HoursAndMinutes),
        (FactValue::Distance(Distance::from_mm(-1)), FactUnit::Distance),
        (FactValue::Distance(Distance::from_mm(i64::MAX)), FactUnit::Distance),
        (FactValue::Distance(Distance::ZERO), FactUnit::LoadPoints),
        (FactValue::Word(FactWord::Recovery(RecoveryBand::Low)), FactUnit::Score),
        (FactValue::Text(FactText::new("48").unwrap()), FactUnit::Score),
        (FactValue::Number(5.0), FactUnit::Name),
    ] {
        let fact = fact(value.clone(), unit);
        assert_eq!(fact.format(UnitSystem::Metric), "—", "{value:?}");
        assert_eq!(Facts::new(vec![fact.clone()], vec![]), Err(FactsError::UnitMismatch(fact.id)));
    }
}

#[test]
fn facts_new_rejects_inconsistent_facts() {
    let one = fact(FactValue::Number(1.0), FactUnit::Score);
    let named = |id: &str| Fact { id: id.parse().unwrap(), ..one.clone() };
    let gap = MissingFact { id: one.id.clone(), why: MissingReason::NotYet };
    assert_eq!(
        Facts::new(vec![one.clone(), one.clone()], vec![]),
        Err(FactsError::Duplicate(one.id.clone()))
    );
    assert_eq!(Facts::new(vec![one.clone()], vec![gap]), Err(FactsError::Duplicate(one.id.clone())));
    let point = named("predicted_mile");
    for ends in [vec![], vec![named("predicted_mile_low")], vec![named("predicted_mile_high")]] {
        let known = [vec![point.clone()], ends].concat();
        assert_eq!(Facts::new(known, vec![]), Err(FactsError::WithoutBand(point.id.clone())));
    }
    let ends = vec![named("predicted_mile_low"), named("predicted_mile_high"), point];
    assert_eq!(Facts::new(ends, vec![]).unwrap().known()[0].id.as_str(), "predicted_mile");
}

#[test]
fn facts_are_stored_and_read_back() {
    let facts = World::runner().facts();
    let json = serde_json::to_string(&facts).unwrap();
    assert_eq!(serde_json::from_str::<Facts>(&json).unwrap(), facts);
    let fact = serde_json::to_value(facts.find("distance_7_days").unwrap()).unwrap();
    assert_eq!(fact["value"], serde_json::json!({ "distance_mm": 40_000_000 }));
    assert_eq!((&fact["unit"], &fact["quality"]), (&"distance".into(), &"ok".into()));
    assert_eq!(
        (&fact["sources"][0], &fact["sources"][1]),
        (&"days:2026-06-22..2026-06-28".into(), &"activity:82".into())
    );
    // Facts that break an invariant are refused.
    for (from, to) in [
        (r#""predicted_half_marathon_low""#, r#""other""#),
        (r#""id":"fitness""#, r#""id":"fatigue""#),
        (r#""id":"fitness""#, r#""id":"Fitness""#),
        (r#""unit":"form_points""#, r#""unit":"clock""#),
        (r#""seconds_per_km":"#, r#""seconds_per_km":-"#),
        (r#""form":"neutral""#, r#""form":"great""#),
        (r#""text":"4x1 km"#, r#""text":"4x1\nkm"#),
    ] {
        assert!(json.contains(from), "{from}");
        assert!(serde_json::from_str::<Facts>(&json.replacen(from, to, 1)).is_err(), "{to}");
    }
}

#[test]
fn source_row_round_trips_through_text() {
    for text in [
        "day:2026-06-14",
        "days:2026-06-08..2026-06-14",
        "activity:12",
        "threshold:threshold_speed:2026-05-01:set",
        "race:3",
        "plan:7",
        "workout:41",
        "proposal:5",
        "profile",
    ] {
        assert_eq!(text.parse::<SourceRow>().unwrap().to_string(), text);
    }
    for bad in [
        "",
        "day:",
        "day:2026-6-14",
        "days:2026-06-14",
        "days:2026-06-14..2026-06-08",
        "activity:+12",
        "activity:012",
        "activity:twelve",
        "threshold:threshold_speed:2026-05-01",
        "threshold:speed:2026-05-01:set",
        "plan:7 ",
        "profile:1",
        "note:3",
    ] {
        assert!(bad.parse::<SourceRow>().is_err(), "{bad}");
    }
}

#[test]
fn fact_names_are_valid_ids() {
    for name in FactName::ALL.iter().copied() {
        assert_eq!(name.as_str().parse::<FactId>().unwrap(), name.into());
        assert!(!name.meaning().is_empty() && !name.method().is_empty());
    }
    let mut ids: Vec<&str> = FactName::ALL.iter().map(|name| name.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), FactName::ALL.len());
    for distance in RaceDistance::ALL.iter().copied() {
        let [point, low, high] = distance.fact_names();
        assert_eq!(point.as_str(), format!("predicted_{distance}"));
        assert_eq!(FactId::from(point).interval_ids(), Some([low.into(), high.into()]));
    }
    let longest = "a".repeat(64);
    assert!(longest.parse::<FactId>().is_ok() && format!("{longest}a").parse::<FactId>().is_err());
}
