//! The athlete: zones, year of birth, sex.

use super::fields::Object;
use super::{Outcome, Said};
use crate::sports;
use chrono::Datelike;
use fitness_core::athlete::{Sex, ZoneKind, Zones};
use fitness_core::report::{Person, Told};

/// An element of `heartRateZones`.
pub(super) fn heart_rate_zones(object: &Object<'_>) -> Outcome {
    zones(object, ZoneKind::HeartRate, 250.0)
}

/// An element of `powerZones`.
pub(super) fn power_zones(object: &Object<'_>) -> Outcome {
    zones(object, ZoneKind::Power, 3000.0)
}

/// The file has the thresholds behind the zones too, but not since when they hold: what has no day is not told.
fn zones(object: &Object<'_>, kind: ZoneKind, most: f64) -> Outcome {
    let floors: Vec<Option<f64>> =
        (1..=10).map(|zone| object.within(&format!("zone{zone}Floor"), 0.0..=most)).collect();
    let count = floors.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    // A zone that is missing in the middle leaves nobody knowing where the one before it ends.
    let bounds: Option<Vec<f64>> = floors.into_iter().take(count).collect();
    let zones = bounds.and_then(|bounds| Zones::new(bounds).ok()).ok_or("has no zones that rise")?;
    // `DEFAULT` is for every sport that has none of its own.
    let (sport, _) = sports::from_word(&object.word("sport").unwrap_or_default());
    Ok(Said::one(Told::Zones { kind, sport, zones }))
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
