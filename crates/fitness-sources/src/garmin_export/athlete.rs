//! The athlete: zones, year of birth, sex.

use super::fields::Object;
use super::{Outcome, Said};
use crate::sports;
use chrono::Datelike;
use fitness_core::domain::athlete::{Sex, ThresholdKind, ZoneKind, Zones};
use fitness_core::domain::source_record::{Person, Told};
use fitness_core::domain::sport::Sport;

/// The fields of heart rate zones that say what the zones were made from. An account without a limit writes null or 0.
pub(crate) const LIMITS_OF_ZONES: [(&str, ThresholdKind); 3] = [
    ("maxHeartRateUsed", ThresholdKind::MaxHeartRate),
    ("restingHeartRateUsed", ThresholdKind::RestingHeartRate),
    ("lactateThresholdHeartRateUsed", ThresholdKind::ThresholdHeartRate),
];

/// An element of `heartRateZones`, with the limits its zones were made from.
pub(super) fn heart_rate_zones(object: &Object<'_>) -> Outcome {
    let sport = sport(object);
    let limits = LIMITS_OF_ZONES.iter().filter_map(|(field, kind)| {
        let (low, high) = kind.bounds();
        Some(Told::Threshold { kind: *kind, value: object.within(field, low..=high)?, sport })
    });
    let zones = zones(object, ZoneKind::HeartRate, 250.0);
    let told: Vec<Told> = limits.chain(zones.clone().ok()).collect();
    if told.is_empty() { Err(zones.err().unwrap_or(NO_ZONES)) } else { Ok(Said { told, contest: None }) }
}

/// An element of `powerZones`.
pub(super) fn power_zones(object: &Object<'_>) -> Outcome {
    zones(object, ZoneKind::Power, 3000.0).map(Said::one)
}

const NO_ZONES: &str = "has no zones that rise";

/// `DEFAULT` is for every sport that has none of its own.
fn sport(object: &Object<'_>) -> Sport {
    sports::from_word(&object.word("sport").unwrap_or_default()).0
}

fn zones(object: &Object<'_>, kind: ZoneKind, most: f64) -> Result<Told, &'static str> {
    let floors: Vec<Option<f64>> =
        (1..=10).map(|zone| object.within(&format!("zone{zone}Floor"), 0.0..=most)).collect();
    let count = floors.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    // A zone that is missing in the middle leaves nobody knowing where the one before it ends.
    let bounds: Option<Vec<f64>> = floors.into_iter().take(count).collect();
    let zones = bounds.and_then(|bounds| Zones::new(bounds).ok()).ok_or(NO_ZONES)?;
    Ok(Told::Zones { kind, sport: sport(object), zones })
}

/// `user_profile`.
pub(super) fn person(object: &Object<'_>) -> Outcome {
    let sex =
        match object.word("gender").or_else(|| object.word("sex")).map(|word| word.to_lowercase()).as_deref()
        {
            Some("male") => Some(Sex::Male),
            Some("female") => Some(Sex::Female),
            _ => None,
        };
    let person = Person { birth_year: object.any_day("birthDate").map(|day| day.date().year()), sex };
    if person == Person::default() {
        Err("tells neither year of birth nor sex")
    } else {
        Ok(Said::one(Told::Person(person)))
    }
}
