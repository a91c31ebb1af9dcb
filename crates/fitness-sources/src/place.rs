//! Time zone of a place.
//!
//! The boundaries are those of [timezone-boundary-builder](https://github.com/evansiroky/timezone-boundary-builder),
//! made from OpenStreetMap data (© OpenStreetMap contributors, Open Database License), simplified and
//! bundled by tzf-rs. They are searched in place: opening them takes 7 ms and no copy in memory.

use chrono_tz::Tz;
use fitness_core::domain::calendar::{Instant, utc_offset_seconds};
use fitness_core::domain::stream::{Channel, Recording};
use std::sync::LazyLock;
use tzf_rs::EmbeddedFinder;

static ZONES: LazyLock<EmbeddedFinder> = LazyLock::new(EmbeddedFinder::new);

/// Local time minus UTC in seconds where a recording begins, else in `home`.
pub(crate) fn utc_offset_at(recording: Option<&Recording>, home: Tz, at: Instant) -> i32 {
    let place =
        recording.and_then(first_position).and_then(|(latitude, longitude)| zone_at(latitude, longitude));
    utc_offset_seconds(place.unwrap_or(home), at)
}

/// The first latitude and longitude, in degrees.
fn first_position(recording: &Recording) -> Option<(f64, f64)> {
    let (north, east) = (recording.column(Channel::Latitude)?, recording.column(Channel::Longitude)?);
    let degrees = |units: i32| f64::from(units) * 1e-7;
    // Devices without reception write 0, 0.
    north
        .samples()
        .zip(east.samples())
        .find_map(|(north, east)| Some((north?, east?)).filter(|place| *place != (0, 0)))
        .map(|(north, east)| (degrees(north), degrees(east)))
}

/// Time zone of a place in degrees; at sea a whole number of hours.
fn zone_at(latitude: f64, longitude: f64) -> Option<Tz> {
    let on_earth = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
    on_earth.then(|| ZONES.get_tz_name(longitude, latitude).parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_zones() {
        for (latitude, longitude, zone) in [
            (47.37, 8.54, Tz::Europe__Zurich),
            (37.77, -122.42, Tz::America__Los_Angeles),
            (35.68, 139.69, Tz::Asia__Tokyo),
            (27.7, 85.32, Tz::Asia__Kathmandu),
            (-21.13, -175.2, Tz::Pacific__Tongatapu),
        ] {
            assert_eq!(zone_at(latitude, longitude), Some(zone));
        }
        for (latitude, longitude) in
            [(90.0, 180.0), (-90.0, -180.0), (90.1, 0.0), (0.0, 200.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)]
        {
            // Must return, with or without a zone.
            let _zone = zone_at(latitude, longitude);
        }
    }

    #[test]
    fn local_time_is_that_of_the_first_known_position() {
        let at: Instant = "2026-06-11T23:30:00Z".parse().unwrap();
        let mut recording = Recording::new(vec![0, 1000, 2000]).unwrap();
        let column = |values: [Option<i32>; 3]| values.into_iter().collect();
        recording.insert_column(Channel::Latitude, column([None, Some(0), Some(356_800_000)])).unwrap();
        recording.insert_column(Channel::Longitude, column([Some(1), Some(0), Some(1_396_900_000)])).unwrap();
        assert_eq!(utc_offset_at(Some(&recording), Tz::Europe__Zurich, at), 9 * 3600);
        assert_eq!(utc_offset_at(None, Tz::Europe__Zurich, at), 2 * 3600);
    }
}
