//! `heartRateZones`, `powerZones`, `bioMetrics_latest`, `userBioMetricProfileData` and
//! `user_profile`.

use super::fields::Object;
use super::{ElementRecords, ElementResult};
use crate::sports;
use chrono::Datelike;
use fitness_core::domain::athlete::{Sex, ThresholdKind, ZoneKind, Zones};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{AccountProfile, ImportedRecord, ThresholdBasis};
use fitness_core::domain::sport::Sport;

/// Threshold fields of the heart rate zones. Null or 0 if the account has no such threshold.
pub(crate) const THRESHOLD_FIELDS: [(&str, ThresholdKind); 3] = [
    ("maxHeartRateUsed", ThresholdKind::MaxHeartRate),
    ("restingHeartRateUsed", ThresholdKind::RestingHeartRate),
    ("lactateThresholdHeartRateUsed", ThresholdKind::ThresholdHeartRate),
];

/// An element of `heartRateZones`, with the thresholds the zones are based on.
pub(super) fn heart_rate_zones(object: &Object<'_>) -> ElementResult {
    let sport = sport(object);
    let limits = THRESHOLD_FIELDS.iter().filter_map(|(field, kind)| {
        let (low, high) = kind.bounds();
        let value = object.within(field, low..=high)?;
        Some(ImportedRecord::Threshold {
            kind: *kind,
            value,
            sport,
            basis: ThresholdBasis::Zones,
            from: None,
        })
    });
    let zones = zones(object, ZoneKind::HeartRate, 250.0);
    let told: Vec<ImportedRecord> = limits.chain(zones.clone().ok()).collect();
    if told.is_empty() {
        Err(zones.err().unwrap_or(NO_ZONES))
    } else {
        Ok(ElementRecords { records: told, day_rank: None })
    }
}

/// An element of `powerZones`, with the FTP of its sport. The power of running is another quantity
/// and is not read: one public account has 401 W for running and 235 W for cycling.
pub(super) fn power_zones(object: &Object<'_>) -> ElementResult {
    let sport = sport(object);
    let (low, high) = ThresholdKind::ThresholdPower.bounds();
    let power = object.within("functionalThresholdPower", low..=high).filter(|_| sport != Sport::Running);
    let power = power.map(|value| ImportedRecord::Threshold {
        kind: ThresholdKind::ThresholdPower,
        value,
        sport,
        basis: ThresholdBasis::Zones,
        from: None,
    });
    let zones = zones(object, ZoneKind::Power, 3000.0);
    let told: Vec<ImportedRecord> = power.into_iter().chain(zones.clone().ok()).collect();
    if told.is_empty() {
        Err(zones.err().unwrap_or(NO_ZONES))
    } else {
        Ok(ElementRecords { records: told, day_rank: None })
    }
}

/// Speeds in `bioMetrics` files are in tens of metres per second: 0.386 is 3.86 m/s. Garmin does not
/// document it; public readers of these files divide by 0.1, and other units give impossible speeds.
const SPEED_UNIT_MPS: f64 = 10.0;

/// Thresholds of `bioMetrics_latest`, `userBioMetricProfileData` and `userBioMetrics`. Null or 0 if
/// unknown.
pub(super) fn thresholds(
    object: &Object<'_>,
    basis: ThresholdBasis,
    from: Option<Day>,
) -> Vec<ImportedRecord> {
    const FIELDS: [(&str, ThresholdKind, Sport, f64); 4] = [
        ("lactateThresholdHeartRate", ThresholdKind::ThresholdHeartRate, Sport::Other, 1.0),
        ("lactateThresholdSpeed", ThresholdKind::ThresholdSpeed, Sport::Running, SPEED_UNIT_MPS),
        ("functionalThresholdPower", ThresholdKind::ThresholdPower, Sport::Cycling, 1.0),
        ("maxHeartRate", ThresholdKind::MaxHeartRate, Sport::Other, 1.0),
    ];
    let read = |(field, kind, sport, unit): (&str, ThresholdKind, Sport, f64)| {
        let (low, high) = kind.bounds();
        let value = object.number(field).map(|number| number * unit);
        // Multiplying by ten leaves digits that were not measured.
        let value = value.map(|value| (value * 1000.0).round() / 1000.0);
        let value = value.filter(|value| (low..=high).contains(value))?;
        Some(ImportedRecord::Threshold { kind, value, sport, basis, from })
    };
    FIELDS.into_iter().filter_map(read).collect()
}

/// `bioMetrics_latest` and `userBioMetricProfileData`: the account's current thresholds.
pub(super) fn current_thresholds(object: &Object<'_>, basis: ThresholdBasis) -> ElementResult {
    let told = thresholds(object, basis, None);
    if told.is_empty() { Err("no thresholds") } else { Ok(ElementRecords { records: told, day_rank: None }) }
}

const NO_ZONES: &str = "zones missing or not increasing";

/// `DEFAULT` applies to every sport without its own zones.
fn sport(object: &Object<'_>) -> Sport {
    sports::from_word(&object.word("sport").unwrap_or_default()).0
}

fn zones(object: &Object<'_>, kind: ZoneKind, most: f64) -> Result<ImportedRecord, &'static str> {
    let floors: Vec<Option<f64>> =
        (1..=10).map(|zone| object.within(&format!("zone{zone}Floor"), 0.0..=most)).collect();
    let count = floors.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    // `None` if a zone in the middle is missing.
    let bounds: Option<Vec<f64>> = floors.into_iter().take(count).collect();
    let zones = bounds.and_then(|bounds| Zones::new(bounds).ok()).ok_or(NO_ZONES)?;
    Ok(ImportedRecord::Zones { kind, sport: sport(object), zones })
}

pub(super) fn user_profile(object: &Object<'_>) -> ElementResult {
    let sex =
        match object.word("gender").or_else(|| object.word("sex")).map(|word| word.to_lowercase()).as_deref()
        {
            Some("male") => Some(Sex::Male),
            Some("female") => Some(Sex::Female),
            _ => None,
        };
    let person = AccountProfile { birth_year: object.any_day("birthDate").map(|day| day.date().year()), sex };
    if person == AccountProfile::default() {
        Err("no birth year and no sex")
    } else {
        Ok(ElementRecords::single(ImportedRecord::Person(person)))
    }
}
