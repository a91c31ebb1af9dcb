//! `heartRateZones`, `powerZones` and `user_profile`.

use super::fields::Object;
use super::{ElementRecords, ElementResult};
use crate::sports;
use chrono::Datelike;
use fitness_core::domain::athlete::{Sex, ThresholdKind, ZoneKind, Zones};
use fitness_core::domain::source_record::{AccountProfile, ImportedRecord};
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
        Some(ImportedRecord::Threshold { kind: *kind, value: object.within(field, low..=high)?, sport })
    });
    let zones = zones(object, ZoneKind::HeartRate, 250.0);
    let told: Vec<ImportedRecord> = limits.chain(zones.clone().ok()).collect();
    if told.is_empty() {
        Err(zones.err().unwrap_or(NO_ZONES))
    } else {
        Ok(ElementRecords { records: told, day_rank: None })
    }
}

/// An element of `powerZones`.
pub(super) fn power_zones(object: &Object<'_>) -> ElementResult {
    zones(object, ZoneKind::Power, 3000.0).map(ElementRecords::single)
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
