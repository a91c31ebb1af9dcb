//! Time in zones, each with its name and its range.

use crate::table::table;
use fitness_core::athlete::{ZoneKind, Zones};
use fitness_core::metrics::analysis::Judged;
use fitness_core::metrics::zones::ZoneTimes;
use fitness_core::units::{Speed, TimeSpan, UnitSystem};
use std::fmt::Write as _;

/// A block of lines for each kind of zones that was measured.
pub(super) fn tell(judged: &Judged, divided: &[(ZoneKind, Option<Zones>)], units: UnitSystem) -> String {
    let mut words = String::new();
    for (label, kind, times) in [
        ("heart zones", ZoneKind::HeartRate, &judged.heart_zones),
        ("pace zones", ZoneKind::Speed, &judged.speed_zones),
        ("power zones", ZoneKind::Power, &judged.power_zones),
    ] {
        let Some(times) = times else { continue };
        let held = divided.iter().find(|(other, _)| *other == kind).and_then(|(_, zones)| zones.as_ref());
        let rows = rows(kind, times, held, units);
        for (at, line) in table([""; 3], &rows).lines().skip(1).enumerate() {
            let label = if at == 0 { label } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(words, "  {label:<12}{line}");
        }
    }
    words
}

fn rows(kind: ZoneKind, times: &ZoneTimes, held: Option<&Zones>, units: UnitSystem) -> Vec<[String; 3]> {
    // What the times were sorted by; bounds that do not match them are not shown beside them.
    let bounds = held.map(Zones::lower_bounds).filter(|bounds| bounds.len() == times.seconds.len());
    let range = |zone: usize| {
        let bounds = bounds?;
        let (low, high) = (*bounds.get(zone)?, bounds.get(zone + 1).copied());
        Some(between(kind, low, high, units))
    };
    let clock = |seconds: u64| TimeSpan::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX / 1000)).clock();
    let mut rows: Vec<[String; 3]> = Vec::new();
    if times.below > 0 {
        let first = bounds.and_then(|bounds| bounds.first().copied());
        let range = first.map(|first| between(kind, 0.0, Some(first), units));
        rows.push(["below".to_owned(), range.unwrap_or_default(), clock(times.below)]);
    }
    rows.extend(
        times.seconds.iter().enumerate().map(|(zone, seconds)| {
            [format!("Z{}", zone + 1), range(zone).unwrap_or_default(), clock(*seconds)]
        }),
    );
    rows
}

/// `148 to 156 bpm`, `6:01 to 5:19 /km`; open at the ends.
fn between(kind: ZoneKind, low: f64, high: Option<f64>, units: UnitSystem) -> String {
    let unit = match kind {
        ZoneKind::HeartRate => "bpm",
        ZoneKind::Power => "W",
        ZoneKind::Speed => return paces(low, high, units),
    };
    // Whole beats and watts: a zone begins with the first at or above its bound.
    match high.map(f64::ceil) {
        Some(high) if low.ceil() <= 0.0 => format!("under {high:.0} {unit}"),
        Some(high) => format!("{:.0} to {:.0} {unit}", low.ceil(), (high - 1.0).max(low.ceil())),
        None => format!("from {:.0} {unit}", low.ceil()),
    }
}

fn paces(low: f64, high: Option<f64>, units: UnitSystem) -> String {
    let pace = |mps: f64| Speed::from_mps(mps).and_then(Speed::pace).map(|pace| units.pace(pace).to_string());
    match (pace(low), high.and_then(pace)) {
        (None, Some(fast)) => format!("slower than {fast}"),
        (Some(slow), Some(fast)) => {
            let slow = slow.split(' ').next().unwrap_or_default().to_owned();
            format!("{slow} to {fast}")
        }
        (Some(slow), None) => format!("{slow} and faster"),
        (None, None) => String::new(),
    }
}
