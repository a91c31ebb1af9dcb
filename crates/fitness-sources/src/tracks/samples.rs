//! Collects track points into sample columns.

use crate::header_check::start_contradicts;
use crate::sample_clock::usable_order;
use crate::sports::counts_both_legs;
use chrono::DateTime;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::source_record::ParseCounts;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Column, Recording};
use fitness_core::domain::units::Distance;
use std::ops::Range;

/// 1990 to 2100 in milliseconds since the Unix epoch. Anything else is a wrong clock.
const PLAUSIBLE_TIMES_MS: Range<i64> = 631_152_000_000..4_133_980_800_000;
/// Mean Earth radius in metres, (2a + b) / 3 of WGS 84.
const EARTH_RADIUS_M: f64 = 6_371_008.8;

/// From milliseconds since the Unix epoch; `None` outside 1990 to 2100.
pub(crate) fn instant(at: i64) -> Option<Instant> {
    PLAUSIBLE_TIMES_MS.contains(&at).then(|| DateTime::from_timestamp_millis(at)).flatten()
}

/// Beats per minute; 0 and 255 mean none.
pub(crate) fn heart_rate(value: Option<f64>) -> Option<u16> {
    value.and_then(to_u16).filter(|rate| (1..255).contains(rate))
}

/// Per minute; 255 means none.
pub(crate) fn cadence(value: Option<f64>) -> Option<f64> {
    value.filter(|rate| (0.0..255.0).contains(rate))
}

/// Watts; 65,535 means none.
pub(crate) fn power(value: Option<f64>) -> Option<u16> {
    value.and_then(to_u16).filter(|watts| *watts < u16::MAX)
}

/// Rounded; `None` if out of range.
pub(crate) fn to_u16(value: f64) -> Option<u16> {
    scaled(value).and_then(|value| u16::try_from(value).ok())
}

#[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
fn scaled(value: f64) -> Option<i32> {
    // Never `i32::MIN`, which a column cannot hold.
    (value.abs() < f64::from(i32::MAX)).then(|| value.round() as i32)
}

#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// Milliseconds since the Unix epoch.
    pub(crate) at: Option<i64>,
    values: [Option<i32>; Channel::ALL.len()],
}

impl Sample {
    /// Sets a channel to `value * units`. A value out of range is ignored.
    pub(crate) fn set(&mut self, channel: Channel, value: Option<f64>, units: f64) {
        if let Some(value) = value.and_then(|value| scaled(value * units)) {
            self.values[channel as usize] = Some(value);
        }
    }

    /// In beats per minute.
    pub(crate) fn set_heart_rate(&mut self, value: Option<f64>) {
        self.set(Channel::HeartRate, heart_rate(value).map(f64::from), 1.0);
    }

    pub(crate) fn set_power(&mut self, value: Option<f64>) {
        self.set(Channel::Power, power(value).map(f64::from), 1.0);
    }

    /// Per minute. `times` is 2 if the value is known to count one leg.
    pub(crate) fn set_cadence(&mut self, value: Option<f64>, times: f64) {
        self.set(Channel::Cadence, cadence(value), 10.0 * times);
    }

    /// In degrees. Ignored unless both values are in range.
    pub(crate) fn set_position(&mut self, latitude: Option<f64>, longitude: Option<f64>) {
        if let (Some(latitude), Some(longitude)) = (latitude, longitude)
            && latitude.abs() <= 90.0
            && longitude.abs() <= 180.0
            // Devices without reception write 0, 0.
            && (latitude, longitude) != (0.0, 0.0)
        {
            self.set(Channel::Latitude, Some(latitude), 1e7);
            self.set(Channel::Longitude, Some(longitude), 1e7);
        }
    }
}

/// Points of one activity; in the order of the file until [`Samples::check_times`].
#[derive(Debug, Default)]
pub(crate) struct Samples {
    times: Vec<i64>,
    /// Each column ends at its last value, so an unused channel takes no memory.
    columns: [Vec<Option<i32>>; Channel::ALL.len()],
    /// Indexes of points that follow a pause.
    gaps: Vec<usize>,
    /// Whether there were any points, also dropped ones.
    pub(crate) has_points: bool,
    /// Number of points without a time.
    without_time: u32,
    /// Number of points outside 1990 to 2100, which are dropped at once.
    impossible: u32,
    /// Time of the first of them.
    pub(crate) misdated: Option<i64>,
}

impl Samples {
    /// Drops points without a time or with an impossible one.
    pub(crate) fn push(&mut self, sample: &Sample) {
        self.has_points = true;
        let Some(at) = sample.at else {
            self.without_time = self.without_time.saturating_add(1);
            return;
        };
        if !PLAUSIBLE_TIMES_MS.contains(&at) {
            self.misdated.get_or_insert(at);
            self.impossible = self.impossible.saturating_add(1);
            return;
        }
        for (column, value) in self.columns.iter_mut().zip(sample.values) {
            if value.is_some() {
                column.resize(self.times.len(), None);
                column.push(value);
            }
        }
        self.times.push(at);
    }

    /// Drops points with a wrong clock time and sorts the others.
    pub(crate) fn check_times(&mut self) -> ParseCounts {
        let mut counts = ParseCounts {
            samples_with_bad_time: self.impossible,
            samples_without_time: self.without_time,
            ..ParseCounts::default()
        };
        let times = &self.times;
        let Some(order) = usable_order(times.len(), |index| Some(times[index]), &[]) else { return counts };
        let dropped = u32::try_from(self.times.len() - order.len()).unwrap_or(u32::MAX);
        counts.samples_with_bad_time = counts.samples_with_bad_time.saturating_add(dropped);
        counts.sorted = order.windows(2).any(|pair| pair[1] < pair[0]);
        self.move_pauses(&order);
        self.times = order.iter().map(|index| self.times[*index as usize]).collect();
        for column in self.columns.iter_mut().filter(|column| !column.is_empty()) {
            *column = order.iter().map(|index| column.get(*index as usize).copied().flatten()).collect();
        }
        counts
    }

    /// A pause stays before its point; if that point is dropped, before the next one of the file.
    fn move_pauses(&mut self, order: &[u32]) {
        let mut positions = vec![None; self.times.len()];
        for (position, index) in order.iter().enumerate() {
            positions[*index as usize] = Some(position);
        }
        let next_used = |gap: &usize| positions.get(*gap..)?.iter().find_map(|position| *position);
        let mut moved: Vec<usize> = self.gaps.iter().filter_map(next_used).collect();
        moved.sort_unstable();
        moved.dedup();
        self.gaps = moved;
    }

    /// Marks a pause before the next point.
    pub(crate) fn pause(&mut self) {
        if self.gaps.last() != Some(&self.times.len()) {
            self.gaps.push(self.times.len());
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    pub(crate) fn time(&self, point: usize) -> Option<i64> {
        self.times.get(point).copied()
    }

    /// Times of the first and the last point.
    pub(crate) fn span(&self) -> Option<(i64, i64)> {
        Some((*self.times.first()?, *self.times.last()?))
    }

    /// Start time: the first candidate that fits the points, else the first point.
    pub(crate) fn start(&self, said: &[Option<i64>]) -> Option<i64> {
        let (first, last) = self.span()?;
        let fits = |at: &i64| *at <= first && !start_contradicts(*at, first, last);
        Some(said.iter().copied().flatten().find(fits).unwrap_or(first))
    }

    /// Whether the points have a distance, rather than positions from which it is computed.
    pub(crate) fn has_distance(&self) -> bool {
        !self.columns[Channel::Distance as usize].is_empty()
    }

    /// Doubles the cadence of a run, unless it counts both legs already.
    pub(crate) fn count_both_legs(&mut self) {
        if self.mean_cadence().is_some_and(|mean| counts_both_legs(Sport::Running, mean)) {
            return;
        }
        for value in self.columns[Channel::Cadence as usize].iter_mut().flatten() {
            *value *= 2;
        }
    }

    pub(crate) fn mean(&self, channel: Channel) -> Option<f64> {
        mean(self.values(channel))
    }

    /// Mean cadence per minute without zeros, as watches compute it.
    pub(crate) fn mean_cadence(&self) -> Option<f64> {
        mean(self.values(Channel::Cadence).filter(|tenths| *tenths > 0)).map(|tenths| tenths / 10.0)
    }

    pub(crate) fn max(&self, channel: Channel) -> Option<u16> {
        self.values(channel).max().and_then(|value| u16::try_from(value).ok())
    }

    fn values(&self, channel: Channel) -> impl Iterator<Item = i32> {
        self.columns[channel as usize].iter().copied().flatten()
    }

    /// Distance from the points, or else computed between positions, which fills the distance
    /// column.
    pub(crate) fn distance(&mut self) -> Option<Distance> {
        let told = self.columns[Channel::Distance as usize].iter().rev().find_map(|value| *value);
        match told {
            Some(mm) => Distance::from_meters(f64::from(mm) / 1000.0),
            None => self.measure(),
        }
    }

    /// Distance during pauses does not count.
    fn measure(&mut self) -> Option<Distance> {
        let latitudes = &self.columns[Channel::Latitude as usize];
        let longitudes = &self.columns[Channel::Longitude as usize];
        let (mut gaps, mut before, mut metres, mut located) = (self.gaps.iter().peekable(), None, 0.0, 0);
        let mut way = Vec::with_capacity(latitudes.len());
        for (point, position) in latitudes.iter().zip(longitudes).map(|(a, b)| a.zip(*b)).enumerate() {
            if gaps.next_if(|gap| **gap == point).is_some() {
                before = None;
            }
            way.push(position.and_then(|here| {
                metres += before.replace(here).map_or(0.0, |before| haversine(before, here));
                located += 1;
                scaled(metres * 1000.0)
            }));
        }
        // A single position has no distance.
        if located < 2 {
            return None;
        }
        self.columns[Channel::Distance as usize] = way;
        Distance::from_meters(metres)
    }

    /// The columns as a recording. `start` is from [`Self::start`].
    pub(crate) fn into_recording(self, start: i64) -> Recording {
        let fits = "24 days and a half are fewer milliseconds than an i32 can count";
        let moments: Vec<i32> = self.times.iter().map(|at| i32::try_from(at - start).expect(fits)).collect();
        let points = moments.len();
        let mut recording = Recording::new(moments).expect("check_times sorted the points");
        for (channel, column) in Channel::ALL.iter().zip(self.columns) {
            if !column.is_empty() {
                let missing = points - column.len();
                let column: Column = column.into_iter().chain(std::iter::repeat_n(None, missing)).collect();
                recording
                    .insert_column(*channel, column)
                    .expect("the column was filled up to the last point");
            }
        }
        recording
    }
}

fn mean(values: impl Iterator<Item = i32>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + f64::from(value), count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// Great-circle distance in metres between two positions in 1e-7 degrees (Sinnott, "Virtues of the
/// haversine", 1984). One degree of a meridian is 111,195 m.
fn haversine(from: (i32, i32), to: (i32, i32)) -> f64 {
    let radians = |units: f64| (units * 1e-7).to_radians();
    let haversine = |from: i32, to: i32| (radians(f64::from(to) - f64::from(from)) / 2.0).sin().powi(2);
    let cosines = radians(f64::from(from.0)).cos() * radians(f64::from(to.0)).cos();
    let h = haversine(from.0, to.0) + cosines * haversine(from.1, to.1);
    2.0 * EARTH_RADIUS_M * h.clamp(0.0, 1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_781_438_400_000; // 2026-06-14T12:00:00Z

    fn sample(second: i64) -> Sample {
        Sample { at: Some(NOON + second * 1000), ..Sample::default() }
    }

    #[test]
    fn haversine_is_exact_to_the_metre() {
        let degree = 10_000_000;
        assert_eq!(haversine((0, 0), (degree, 0)).round(), 111_195.0);
        assert_eq!(haversine((60 * degree, 0), (60 * degree, degree)).round(), 55_597.0);
        // Across the date line, and to the other side of the Earth.
        assert_eq!(haversine((0, 180 * degree), (0, -179 * degree)).round(), 111_195.0);
        assert_eq!(haversine((90 * degree, 0), (-90 * degree, 0)).round(), 20_015_114.0);
    }

    #[test]
    fn points_out_of_time_order_are_sorted_and_weeks_ahead_are_dropped() {
        let mut samples = Samples::default();
        for second in [0, 2, 1, 2, 25 * 86_400, 3] {
            samples.pause();
            samples.push(&sample(second));
        }
        let counts = samples.check_times();
        assert_eq!((counts.samples_with_bad_time, counts.sorted), (1, true));
        assert_eq!(samples.gaps, [0, 1, 2, 3, 4], "the pause of the dropped point is before the next one");
        assert_eq!(samples.into_recording(NOON).offsets_ms(), [0, 1000, 2000, 2000, 3000]);
    }

    #[test]
    fn point_with_impossible_date_is_dropped_and_recorded() {
        let mut samples = Samples::default();
        samples.push(&Sample { at: Some(0), ..Sample::default() });
        samples.push(&Sample::default());
        assert_eq!((samples.len(), samples.misdated, samples.has_points), (0, Some(0), true));
        let counts = samples.check_times();
        assert_eq!((counts.samples_with_bad_time, counts.samples_without_time), (1, 1));
        assert_eq!(instant(PLAUSIBLE_TIMES_MS.start).unwrap().to_string(), "1990-01-01 00:00:00 UTC");
        assert_eq!(instant(PLAUSIBLE_TIMES_MS.end - 1).unwrap().to_string(), "2100-12-31 23:59:59.999 UTC");
        assert_eq!(
            (instant(PLAUSIBLE_TIMES_MS.start - 1), instant(PLAUSIBLE_TIMES_MS.end), instant(i64::MIN)),
            (None, None, None)
        );
    }

    #[test]
    fn columns_align_with_points() {
        let mut samples = Samples::default();
        for (second, rate) in [(0, None), (1, Some(140.0)), (2, Some(255.0)), (3, Some(0.0)), (4, None)] {
            let mut point = sample(second);
            point.set_heart_rate(rate);
            samples.push(&point);
        }
        assert_eq!(
            (samples.mean(Channel::HeartRate), samples.max(Channel::HeartRate)),
            (Some(140.0), Some(140))
        );
        let recording = samples.into_recording(NOON - 1500);
        assert_eq!(recording.offsets_ms(), [1500, 2500, 3500, 4500, 5500]);
        let column = recording.column(Channel::HeartRate).unwrap();
        assert_eq!(column.samples().collect::<Vec<_>>(), [None, Some(140), None, None, None]);
        assert_eq!(recording.columns().count(), 1, "unused channels have no column");
    }

    #[test]
    fn mean_cadence_ignores_zeros() {
        let mut samples = Samples::default();
        for (second, rate) in [(0, 84.0), (1, 0.0), (2, 86.0)] {
            let mut point = sample(second);
            point.set_cadence(Some(rate), 2.0);
            samples.push(&point);
        }
        assert_eq!(samples.mean_cadence(), Some(170.0));
    }

    #[test]
    fn invalid_position_is_dropped_and_point_kept() {
        for (latitude, longitude) in [
            (Some(90.1), Some(0.0)),
            (Some(0.0), Some(-180.5)),
            (Some(f64::NAN), Some(8.0)),
            (Some(47.0), None),
            (Some(0.0), Some(0.0)),
        ] {
            let mut point = sample(0);
            point.set_position(latitude, longitude);
            assert_eq!(point.values, [None; Channel::ALL.len()], "{latitude:?} {longitude:?}");
        }
        let mut point = sample(0);
        point.set_position(Some(-90.0), Some(180.0));
        assert_eq!(point.values[Channel::Longitude as usize], Some(1_800_000_000));
    }

    #[test]
    fn value_out_of_range_is_none() {
        let mut point = sample(0);
        for bad in [f64::NAN, f64::INFINITY, -1e300, -2_147_483.648, 2_147_483.647] {
            point.set(Channel::Altitude, Some(bad), 1000.0);
            assert_eq!(point.values[Channel::Altitude as usize], None, "{bad}");
        }
        assert_eq!((power(Some(65_535.0)), power(Some(-1.0)), power(Some(0.0))), (None, None, Some(0)));
        assert_eq!((cadence(Some(255.0)), cadence(Some(-1.0)), cadence(Some(0.0))), (None, None, Some(0.0)));
        assert_eq!(
            (heart_rate(Some(254.4)), heart_rate(Some(254.6)), heart_rate(Some(0.4))),
            (Some(254), None, None)
        );
    }

    #[test]
    fn distance_during_pause_does_not_count() {
        let mut samples = Samples::default();
        for (second, latitude) in [(0, 47.0), (10, 47.001), (600, 47.011), (610, 47.012)] {
            if second == 600 {
                samples.pause();
                samples.pause();
            }
            let mut point = sample(second);
            point.set_position(Some(latitude), Some(8.0));
            samples.push(&point);
        }
        assert_eq!(samples.distance(), Distance::from_meters(222.39));
        let recording = samples.into_recording(NOON);
        let way: Vec<_> = recording.column(Channel::Distance).unwrap().samples().collect();
        assert_eq!(way, [Some(0), Some(111_195), Some(111_195), Some(222_390)]);
    }

    #[test]
    fn single_position_has_no_distance() {
        let mut samples = Samples::default();
        let mut point = sample(0);
        point.set_position(Some(47.0), Some(8.0));
        samples.push(&point);
        samples.push(&sample(1));
        assert_eq!(samples.distance(), None);
    }

    #[test]
    fn start_that_does_not_fit_the_points_is_ignored() {
        let mut samples = Samples::default();
        assert_eq!(samples.start(&[Some(NOON)]), None);
        samples.push(&sample(0));
        for (said, start) in [
            ([None, None], NOON),
            ([Some(NOON - 2000), Some(NOON - 1000)], NOON - 2000),
            ([Some(NOON + 1), Some(NOON - 1000)], NOON - 1000),
            ([Some(NOON - 86_400_000), Some(i64::MIN)], NOON),
        ] {
            assert_eq!(samples.start(&said), Some(start));
        }
    }
}
