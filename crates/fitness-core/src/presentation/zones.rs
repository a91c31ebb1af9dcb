//! Time in zones as rows of name, range and seconds.

use crate::domain::athlete::{ZoneKind, Zones};
use crate::domain::units::{Speed, UnitSystem};
use crate::metrics::zones::ZoneTimes;

/// One zone and the time an activity spent in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneTimeRow {
    /// `Z2`, or `below Z1` for values under the first zone.
    pub name: String,
    /// `148 to 156 bpm`; empty when the bounds are unknown.
    pub range: String,
    pub seconds: u64,
}

/// Title of a zone table, at most 16 characters (the width of the CLI column).
#[must_use]
pub const fn zones_title(kind: ZoneKind) -> &'static str {
    match kind {
        ZoneKind::HeartRate => "HR zones",
        ZoneKind::Speed => "pace zones",
        ZoneKind::Power => "power zones",
    }
}

/// The zones of an activity, lowest first. `below Z1` is left out when its time is zero.
#[must_use]
pub fn zone_rows(
    kind: ZoneKind,
    times: &ZoneTimes,
    held: Option<&Zones>,
    units: UnitSystem,
) -> Vec<ZoneTimeRow> {
    // Bounds that do not match the times are not shown: they belong to other zones.
    let bounds = held.map(Zones::lower_bounds).filter(|bounds| bounds.len() == times.seconds.len());
    let range = |zone: usize| {
        let bounds = bounds?;
        let (low, high) = (*bounds.get(zone)?, bounds.get(zone + 1).copied());
        Some(format_range(kind, low, high, units))
    };
    let mut rows = Vec::new();
    if times.below > 0 {
        let first = bounds.and_then(|bounds| bounds.first().copied());
        let range = first.map(|first| format_range(kind, 0.0, Some(first), units)).unwrap_or_default();
        rows.push(ZoneTimeRow { name: "below Z1".to_owned(), range, seconds: times.below });
    }
    rows.extend(times.seconds.iter().enumerate().map(|(zone, seconds)| ZoneTimeRow {
        name: format!("Z{}", zone + 1),
        range: range(zone).unwrap_or_default(),
        seconds: *seconds,
    }));
    rows
}

/// `148 to 156 bpm`, `6:01 to 5:19 /km`; open at the ends.
fn format_range(kind: ZoneKind, low: f64, high: Option<f64>, units: UnitSystem) -> String {
    let unit = match kind {
        ZoneKind::HeartRate => "bpm",
        ZoneKind::Power => "W",
        ZoneKind::Speed => return format_pace_range(low, high, units),
    };
    // Whole beats and watts: a zone begins with the first at or above its bound.
    match high.map(f64::ceil) {
        Some(high) if low.ceil() <= 0.0 => format!("under {high:.0} {unit}"),
        Some(high) => format!("{:.0} to {:.0} {unit}", low.ceil(), (high - 1.0).max(low.ceil())),
        None => format!("from {:.0} {unit}", low.ceil()),
    }
}

fn format_pace_range(low: f64, high: Option<f64>, units: UnitSystem) -> String {
    let pace =
        |mps: f64| Speed::from_mps(mps).and_then(Speed::pace).map(|pace| units.format_pace(pace).to_string());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_do_not_fit_the_times_are_not_shown() {
        let zones = Zones::new(vec![0.0, 140.0, 160.0]).unwrap();
        let times = ZoneTimes { below: 0, seconds: vec![60, 120, 30] };
        let rows = zone_rows(ZoneKind::HeartRate, &times, Some(&zones), UnitSystem::Metric);
        let ranges: Vec<&str> = rows.iter().map(|zone| zone.range.as_str()).collect();
        assert_eq!(ranges, ["under 140 bpm", "140 to 159 bpm", "from 160 bpm"]);
        let other = ZoneTimes { below: 5, seconds: vec![60, 120] };
        let rows = zone_rows(ZoneKind::HeartRate, &other, Some(&zones), UnitSystem::Metric);
        assert_eq!(rows[0], ZoneTimeRow { name: "below Z1".to_owned(), range: String::new(), seconds: 5 });
        assert!(rows.iter().all(|zone| zone.range.is_empty()));
    }
}
