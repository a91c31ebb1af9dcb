//! Tables of an activity: zones, splits, laps, pool lengths.

use super::ActivityPageData;
use crate::components::missing_value::or_dash;
use crate::page::PageContext;
use fitness_core::domain::athlete::ZoneKind;
use fitness_core::domain::source_record::SwimLength;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, Speed, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::metrics::activity::ActivityMetrics;
use fitness_core::metrics::splits::{self, Split};
use fitness_core::plan::format_step_distance;
use fitness_core::presentation::zones::zone_rows;
use maud::{Markup, html};

/// Rows per table at most.
const MAX_ROWS: usize = 60;

pub(super) fn zones(view: &PageContext, seen: &ActivityPageData) -> Markup {
    let judged = seen.metrics.as_ref().and_then(|(_, judged)| judged.as_ref());
    let measured: Vec<_> = judged.into_iter().flat_map(ActivityMetrics::zone_times).collect();
    html! {
        section.card {
            h2 { "Time in zones" }
            @if measured.is_empty() {
                p.soft { "This needs heart rate, pace or power data, and a threshold or zones that applied on that day. " a href="/settings/thresholds" { "Set your thresholds" } }
            }
            @for (kind, times) in measured {
                @let held = seen.zones.iter().find(|(other, _)| *other == kind).and_then(|(_, zones)| zones.as_ref());
                @let rows = zone_rows(kind, times, held, view.units());
                @let all = rows.iter().map(|zone| zone.seconds).sum::<u64>().max(1) as f64;
                h3 { (match kind { ZoneKind::HeartRate => "Heart rate", ZoneKind::Speed => "Pace", ZoneKind::Power => "Power" }) }
                table.zones {
                    thead.hidden { tr { th scope="col" { "Zone" } th scope="col" { "Range" } th scope="col" { "Share" } th scope="col" { "Time" } } }
                    tbody { @for (at, zone) in rows.iter().enumerate() {
                        @let percent = 100.0 * zone.seconds as f64 / all;
                        tr {
                            th scope="row" { (zone.name) }
                            td.soft { (zone.range) }
                            td.share { svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" { rect class=(format!("z z{}", at.min(6))) width=(format!("{percent:.1}")) height="10" {} } }
                            td.n { (TimeSpan::from_secs(i64::try_from(zone.seconds).unwrap_or(0)).format_clock()) " · " (format!("{percent:.0}%")) }
                        }
                    } }
                }
            }
        }
    }
}

/// The distance at the end of a split; `last 40 m` for a last split too short to change it.
fn split_end_label(far: Distance, split: &Split, shown: impl Fn(Distance) -> String) -> String {
    let before = Distance::from_mm(far.mm() - split.distance.mm());
    if shown(before) == shown(far) { format!("last {:.0} m", split.distance.meters()) } else { shown(far) }
}

pub(super) fn splits(view: &PageContext, seen: &ActivityPageData) -> Markup {
    let (sport, units) = (seen.stored.activity.sport, view.units());
    let each = match (sport, units) {
        (Sport::Swimming, _) => Distance::from_mm(100_000),
        (Sport::Rowing, _) => Distance::from_mm(500_000),
        (Sport::Cycling, UnitSystem::Metric) => Distance::from_mm(5_000_000),
        (Sport::Cycling, UnitSystem::Imperial) => Distance::from_mm(5 * 1_609_344),
        (_, UnitSystem::Metric) => Distance::from_mm(1_000_000),
        (_, UnitSystem::Imperial) => Distance::from_mm(1_609_344),
    };
    let found = seen.recording.as_ref().map(|recording| splits::splits(recording, each)).unwrap_or_default();
    if found.is_empty() {
        return html! {};
    }
    let speed = |split: &Split| Speed::from_distance_and_time(split.distance, split.time);
    let fastest = found.iter().filter_map(speed).map(Speed::mps).fold(0.0, f64::max);
    let heart = found.iter().any(|split| split.heart_rate.is_some());
    let rise = found.iter().any(|split| split.rise.is_some());
    html! {
        section.card {
            h2 { "Splits" }
            table.splits {
                thead { tr {
                    th scope="col" { "At" } th.n scope="col" { (speed_heading(sport)) } th scope="col" { span.hidden { "Relative to the fastest" } }
                    @if heart { th.n scope="col" { "Heart rate" } } @if rise { th.n scope="col" { "Elevation" } }
                } }
                tbody {
                    @for (at, split) in found.iter().enumerate().take(MAX_ROWS) {
                        @let far = found.iter().take(at + 1).map(|split| split.distance).sum::<Distance>();
                        tr {
                            th scope="row" { (split_end_label(far, split, |far| units.format_distance_for(sport, far).to_string())) }
                            td.n { (or_dash(speed(split).and_then(|speed| units.format_speed_for(sport, speed)).map(|shown| shown.to_string()), "No time recorded")) }
                            td.share { svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                                rect.b.plain width=(format!("{:.1}", speed(split).map_or(0.0, |speed| 100.0 * speed.mps() / fastest.max(0.01)).clamp(0.0, 100.0))) height="10" {}
                            } }
                            @if heart { td.n { (or_dash(split.heart_rate.map(|bpm| format!("{bpm:.0}")), "Not recorded")) } }
                            @if rise { td.n { (or_dash(split.rise.map(|meters| format_rise(meters, units)), "Not recorded")) } }
                        }
                    }
                }
            }
            (truncation_note(found.len()))
        }
    }
}

fn format_rise(meters: f64, units: UnitSystem) -> String {
    let climb =
        |meters: f64| units.format_climb(Distance::from_meters(meters).unwrap_or_default()).to_string();
    let size = climb(meters.abs());
    // No sign for what rounds to zero.
    let sign = match size == climb(0.0) {
        true => "",
        false if meters < 0.0 => "−",
        false => "+",
    };
    format!("{sign}{size}")
}

pub(super) fn laps(view: &PageContext, seen: &ActivityPageData) -> Markup {
    let (laps, sport, units) = (&seen.stored.activity.laps, seen.stored.activity.sport, view.units());
    // A single lap is the whole activity.
    if laps.len() < 2 {
        return html! {};
    }
    let time = |lap: &fitness_core::domain::activity::Lap| lap.moving.or(lap.elapsed);
    let longest = laps.iter().filter_map(|lap| lap.distance).max().unwrap_or_default();
    html! {
        section.card {
            h2 { "Laps" }
            div.scroll tabindex="0" role="region" aria-label="Laps (scrollable)" { table {
                thead { tr { th scope="col" { "Lap" } th.n scope="col" { "Distance" } th.n scope="col" { "Time" } th.n scope="col" { (speed_heading(sport)) } th.n scope="col" { "Heart rate" } } }
                tbody { @for (number, lap) in (1..).zip(laps.iter().take(MAX_ROWS)) {
                    @let speed = lap.distance.zip(time(lap)).and_then(|(d, t)| Speed::from_distance_and_time(d, t));
                    tr {
                        th scope="row" { (number) @if let Some(kind) = lap.kind_label() { " " span.small.soft { (escape_invisible(&kind)) } } }
                        td.n { (or_dash(lap.distance.map(|d| lap_length(d, longest, sport, units)), "Not recorded")) }
                        td.n { (or_dash(time(lap).map(TimeSpan::format_clock), "Not recorded")) }
                        td.n { (or_dash(speed.and_then(|speed| units.format_speed_for(sport, speed)).map(|shown| shown.to_string()), "Needs a distance and a time")) }
                        td.n { (or_dash(lap.avg_heart_rate, "Not recorded")) }
                    }
                } }
            } }
            (truncation_note(laps.len()))
        }
    }
}

/// Rides are shown with a speed, all others with a pace.
fn speed_heading(sport: Sport) -> &'static str {
    if sport == Sport::Cycling { "Speed" } else { "Pace" }
}

/// Metres for short laps. Runs have one unit for all laps, two decimals if the `longest` is a
/// kilometre or more: laps of about a kilometre would otherwise switch between units.
fn lap_length(distance: Distance, longest: Distance, sport: Sport, units: UnitSystem) -> String {
    if sport == Sport::Running && longest.meters() >= 1000.0 {
        return match units {
            UnitSystem::Metric => format!("{:.2} km", distance.km()),
            UnitSystem::Imperial => format!("{:.2} mi", distance.miles()),
        };
    }
    if distance.meters() < 1000.0 {
        format_step_distance(distance, units)
    } else {
        units.format_distance_for(sport, distance).to_string()
    }
}

/// Pool lengths, grouped into sets between rests.
pub(super) fn lengths(seen: &ActivityPageData) -> Markup {
    let lengths = &seen.details.lengths;
    let sets: Vec<&[SwimLength]> =
        lengths.split(|length| !length.active).filter(|set| !set.is_empty()).collect();
    if sets.is_empty() {
        return html! {};
    }
    html! {
        section.card {
            h2 { "Lengths" }
            table {
                thead { tr { th scope="col" { "Set" } th.n scope="col" { "Lengths" } th.n scope="col" { "Time" } th.n scope="col" { "Strokes" } th scope="col" { "Stroke" } } }
                tbody { @for (number, set) in (1..).zip(sets.iter().take(MAX_ROWS)) {
                    @let time: TimeSpan = set.iter().filter_map(|length| length.elapsed).sum();
                    @let strokes: Option<u32> = set.iter().map(|length| length.strokes.map(u32::from)).sum();
                    tr {
                        th scope="row" { (number) }
                        td.n { (set.len()) }
                        td.n { (or_dash(Some(time).filter(|time| *time > TimeSpan::ZERO).map(TimeSpan::format_clock), "Not recorded")) }
                        td.n { (or_dash(strokes, "Not recorded")) }
                        td { (stroke_names(set)) }
                    }
                } }
            }
            (truncation_note(sets.len()))
        }
    }
}

/// The strokes of a set, consecutive duplicates removed.
fn stroke_names(set: &[SwimLength]) -> String {
    let mut words: Vec<String> = set
        .iter()
        .filter_map(|length| length.stroke.as_deref())
        .map(|stroke| escape_invisible(&stroke.replace('_', " ")).to_string())
        .collect();
    words.dedup();
    words.truncate(4);
    words.join(", ")
}

fn truncation_note(all: usize) -> Markup {
    html! { @if all > MAX_ROWS { p.small.soft { "Showing the first " (MAX_ROWS) " of " (all) "." } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_of_a_run_have_one_unit() {
        let length = |mm, longest, sport| {
            lap_length(Distance::from_mm(mm), Distance::from_mm(longest), sport, UnitSystem::Metric)
        };
        let run = |mm| length(mm, 1_004_000, Sport::Running);
        assert_eq!([run(998_000), run(1_000_000), run(432_000)], ["1.00 km", "1.00 km", "0.43 km"]);
        assert_eq!(length(398_000, 400_000, Sport::Running), "398 m");
        assert_eq!(length(400_000, 2_000_000, Sport::Rowing), "400 m");
    }
}
