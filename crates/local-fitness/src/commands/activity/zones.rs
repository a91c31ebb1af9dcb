//! Time in zones.

use crate::table::table;
use fitness_core::domain::athlete::{ZoneKind, Zones};
use fitness_core::domain::units::{TimeSpan, UnitSystem};
use fitness_core::metrics::activity::ActivityMetrics;
use fitness_core::presentation::zones::{ZoneTimeRow, zone_rows, zones_title};
use std::fmt::Write as _;

pub(super) fn render_zone_times(
    judged: &ActivityMetrics,
    divided: &[(ZoneKind, Option<Zones>)],
    units: UnitSystem,
) -> String {
    let mut words = String::new();
    for (kind, times) in judged.zone_times() {
        let held = divided.iter().find(|(other, _)| *other == kind).and_then(|(_, zones)| zones.as_ref());
        let clock = |seconds: u64| {
            TimeSpan::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX / 1000)).format_clock()
        };
        let row = |zone: ZoneTimeRow| [zone.name, zone.range, clock(zone.seconds)];
        let rows: Vec<_> = zone_rows(kind, times, held, units).into_iter().map(row).collect();
        for (at, line) in table([""; 3], &rows).lines().skip(1).enumerate() {
            let label = if at == 0 { zones_title(kind) } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(words, "  {label:<18}{line}");
        }
    }
    words
}
