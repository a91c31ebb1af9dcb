//! Compares the totals of a file (of its session and laps) with its samples. If they differ by more
//! than 20 %, the samples win.

use chrono::TimeDelta;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::units::{Distance, TimeSpan};

/// Maximum difference between a total and the samples, as a share of what the samples say.
const MAX_DIFFERENCE: f64 = 0.2;
/// Minimum difference of a start time. Some devices write their first sample minutes after the start.
const MIN_START_DIFFERENCE_MS: i64 = 600_000;
/// Minimum difference of an elapsed time.
const MIN_ELAPSED_DIFFERENCE_MS: i64 = 60_000;
/// Minimum difference of a lap's distance. Samples are interpolated at both ends of a lap.
const MIN_LAP_DIFFERENCE_MM: f64 = 50_000.0;
/// Share of the time that the samples must cover to be compared.
const MIN_COVERAGE: f64 = 0.8;
/// Faster than any athlete. A first sample with more distance continues an earlier recording.
const MAX_SPEED_MM_PER_MS: i64 = 30;

/// Whether a start time does not belong to samples from `first` to `last`. All in milliseconds.
pub(crate) fn start_contradicts(start: i64, first: i64, last: i64) -> bool {
    let apart = first.saturating_sub(start).saturating_abs();
    apart > MIN_START_DIFFERENCE_MS && apart as f64 > MAX_DIFFERENCE * (last - first) as f64
}

/// Elapsed time after the start was corrected: the end of the file's span if that fits the samples,
/// else the file's duration, else the duration of the samples. All in milliseconds.
pub(crate) fn elapsed_from_start(
    old_start: i64,
    elapsed: Option<TimeSpan>,
    first: i64,
    last: i64,
) -> TimeSpan {
    let span = last - first;
    let fits = |ms: &i64| {
        *ms as f64 >= MIN_COVERAGE * span as f64
            && *ms as f64 <= (1.0 + MAX_DIFFERENCE) * span as f64 + MIN_ELAPSED_DIFFERENCE_MS as f64
    };
    let told = elapsed.map(TimeSpan::ms);
    let to_end = told.map(|ms| old_start + ms - first).filter(fits);
    TimeSpan::from_ms(to_end.or(told.filter(fits)).unwrap_or(span))
}

/// Compares distance and elapsed time of an activity and its laps with its samples, and corrects
/// them. Returns the number of corrections.
pub(crate) fn correct_totals(activity: &mut Activity, recording: &Recording) -> u32 {
    let mut corrected = correct_elapsed(activity, recording);
    let distances = KnownDistances::new(recording);
    let Some(distances) = distances else { return corrected };
    let timer = activity.training_time();
    if let (Some(told), Some(total)) = (activity.distance, distances.total(timer))
        && contradicts(told.mm() as f64, total as f64)
    {
        activity.distance = Some(Distance::from_mm(total));
        corrected += 1;
    }
    // In a pool the distance grows at the end of each length, sometimes after the lap.
    if activity.sport == Sport::Swimming {
        return corrected;
    }
    let start = activity.started_at;
    let starts: Vec<i64> =
        activity.laps.iter().map(|lap| (lap.started_at - start).num_milliseconds()).collect();
    for (index, lap) in activity.laps.iter_mut().enumerate() {
        let next = starts.get(index + 1).copied().unwrap_or(i64::MAX);
        corrected += correct_lap(lap, starts[index], next, &distances);
    }
    corrected
}

/// Moves laps that begin long before the activity, whose start was corrected, to its start.
pub(crate) fn correct_lap_starts(activity: &mut Activity) -> u32 {
    let start = activity.started_at;
    let end = start + TimeDelta::milliseconds(activity.elapsed.map_or(0, TimeSpan::ms));
    let earliest = start - TimeDelta::milliseconds(MIN_START_DIFFERENCE_MS);
    let Some(last_early) = activity.laps.iter().rposition(|lap| lap.started_at < earliest) else { return 0 };
    let until = activity.laps.get(last_early + 1).map_or(end, |next| next.started_at);
    let lap = &mut activity.laps[last_early];
    let most = TimeSpan::from_ms((until - start).num_milliseconds().max(0));
    lap.started_at = start;
    lap.elapsed = lap.elapsed.map(|elapsed| elapsed.min(most));
    lap.moving = lap.moving.map(|moving| moving.min(most));
    1
}

/// Samples after the end of the file's span mean that the span is wrong. Samples that end earlier do
/// not: an athlete may stop the watch and save later.
fn correct_elapsed(activity: &mut Activity, recording: &Recording) -> u32 {
    let span = recording.offsets_ms().last().copied().map_or(0, i64::from);
    let Some(told) = activity.elapsed.map(TimeSpan::ms) else { return 0 };
    if span - told <= MIN_ELAPSED_DIFFERENCE_MS || !contradicts(told as f64, span as f64) {
        return 0;
    }
    activity.elapsed = Some(TimeSpan::from_ms(span));
    1
}

fn correct_lap(lap: &mut Lap, start: i64, next: i64, distances: &KnownDistances) -> u32 {
    let (Some(told), Some(elapsed)) = (lap.distance, lap.elapsed) else { return 0 };
    let end = (start + elapsed.ms()).min(next);
    let (Some(from), Some(until)) = (distances.at(start), distances.at(end)) else { return 0 };
    let (told, covered) = (told.mm() as f64, until - from);
    if covered <= 0.0 || (told - covered).abs() < MIN_LAP_DIFFERENCE_MM || !contradicts(told, covered) {
        return 0;
    }
    lap.distance = Some(Distance::from_mm(covered.round() as i64));
    1
}

fn contradicts(told: f64, sampled: f64) -> bool {
    (told - sampled).abs() > MAX_DIFFERENCE * sampled
}

/// Samples of the distance, which never runs backwards.
struct KnownDistances(Vec<(i32, i32)>);

impl KnownDistances {
    /// `None` with fewer than two samples, without any movement, or if the distance restarts.
    fn new(recording: &Recording) -> Option<Self> {
        let column = recording.column(Channel::Distance)?;
        let known: Vec<(i32, i32)> = recording
            .offsets_ms()
            .iter()
            .zip(column.samples())
            .filter_map(|(at, mm)| Some((*at, mm?)))
            .collect();
        let (first, last) = (known.first()?, known.last()?);
        let tolerance = (last.1 / 100).max(10_000);
        let restarts = known.windows(2).any(|pair| pair[0].1.saturating_sub(pair[1].1) > tolerance);
        (last.1 > first.1 && !restarts).then_some(Self(known))
    }

    /// Millimetres in total, if the samples cover most of the time.
    fn total(&self, timer: Option<TimeSpan>) -> Option<i64> {
        let (first, last) = (self.0.first()?, self.0.last()?);
        let covered = i64::from(last.0) - i64::from(first.0);
        if timer.is_some_and(|timer| (covered as f64) < MIN_COVERAGE * timer.ms() as f64) {
            return None;
        }
        // What was covered before the first sample counts, if it can have been.
        let lead = (i64::from(first.0) + 1000) * MAX_SPEED_MM_PER_MS;
        let before = if i64::from(first.1) <= lead { 0 } else { i64::from(first.1) };
        Some(i64::from(last.1) - before)
    }

    /// Interpolated millimetres; `None` more than five seconds outside the samples or in a pause.
    fn at(&self, ms: i64) -> Option<f64> {
        const TOLERANCE_MS: i64 = 5000;
        const MAX_GAP_MS: i64 = 60_000;
        let after = self.0.partition_point(|(at, _)| i64::from(*at) < ms);
        let sample =
            |index: Option<usize>| self.0.get(index?).map(|(at, mm)| (i64::from(*at), f64::from(*mm)));
        let (before, after) = (sample(after.checked_sub(1)), sample(Some(after)));
        if let (Some((from, start)), Some((until, end))) = (before, after)
            && until - from <= MAX_GAP_MS
        {
            let share = (ms - from) as f64 / (until - from).max(1) as f64;
            return Some(start + share * (end - start));
        }
        let near = |sample: &(i64, f64)| (sample.0 - ms).abs() <= TOLERANCE_MS;
        before.filter(near).or_else(|| after.filter(near)).map(|(_, mm)| mm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fitness_core::domain::stream::Column;

    /// One hour at 2,780 mm/s, a sample every ten seconds: 10,008 m.
    fn hour() -> Recording {
        let mut recording = Recording::new((0..=360).map(|n| n * 10_000).collect()).unwrap();
        let way: Column = (0..=360).map(|n| Some(n * 27_800)).collect();
        recording.insert_column(Channel::Distance, way).unwrap();
        recording
    }

    fn run(metres: f64, seconds: i64) -> Activity {
        Activity {
            distance: Distance::from_meters(metres),
            elapsed: Some(TimeSpan::from_secs(seconds)),
            ..Activity::new(Sport::Running, "2026-06-14T06:00:00Z".parse().unwrap(), 0)
        }
    }

    #[test]
    fn distance_off_by_more_than_20_percent_is_that_of_the_samples() {
        for (told, expected, corrections) in [
            (0.0, 10_008.0, 1),
            (7_900.0, 10_008.0, 1),
            (8_100.0, 8_100.0, 0),
            (12_000.0, 12_000.0, 0),
            (12_100.0, 10_008.0, 1),
        ] {
            let mut activity = run(told, 3600);
            assert_eq!(correct_totals(&mut activity, &hour()), corrections, "{told}");
            assert_eq!(activity.distance, Distance::from_meters(expected));
        }
    }

    #[test]
    fn samples_of_part_of_the_time_do_not_win() {
        let mut activity = run(20_000.0, 2 * 3600);
        assert_eq!(correct_totals(&mut activity, &hour()), 0);
        // A recording that continues another one: the distance before it does not count.
        let mut later = Recording::new(vec![0, 1_800_000, 3_600_000]).unwrap();
        let way: Column = [20_000_000, 25_000_000, 30_000_000].map(Some).into_iter().collect();
        later.insert_column(Channel::Distance, way).unwrap();
        assert_eq!(correct_totals(&mut run(10_000.0, 3600), &later), 0);
        // The device restarted its counter.
        let restarted: Column = [0, 9_000_000, 1_000_000].map(Some).into_iter().collect();
        later.insert_column(Channel::Distance, restarted).unwrap();
        assert_eq!(correct_totals(&mut run(10_000.0, 3600), &later), 0);
    }

    #[test]
    fn elapsed_time_that_ends_before_the_samples_is_corrected() {
        let mut activity = run(10_008.0, 60);
        assert_eq!(correct_totals(&mut activity, &hour()), 1);
        assert_eq!(activity.elapsed, Some(TimeSpan::from_secs(3600)));
        let mut saved_later = run(10_008.0, 4500);
        assert_eq!(correct_totals(&mut saved_later, &hour()), 0);
    }

    #[test]
    fn lap_distance_is_compared_with_the_samples_of_its_time() {
        let lap = |minute: i64, metres: f64| Lap {
            started_at: "2026-06-14T06:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap()
                + TimeDelta::minutes(minute),
            elapsed: Some(TimeSpan::from_mins(20)),
            moving: None,
            distance: Distance::from_meters(metres),
            avg_heart_rate: None,
            max_heart_rate: None,
            avg_power: None,
            avg_cadence: None,
            kind: None,
        };
        let mut activity = run(10_008.0, 3600);
        activity.laps = vec![lap(0, 0.0), lap(20, 3_336.0), lap(40, 33_360.0)];
        assert_eq!(correct_totals(&mut activity, &hour()), 2);
        let metres: Vec<_> = activity.laps.iter().map(|lap| lap.distance).collect();
        assert_eq!(metres, [Distance::from_meters(3336.0); 3]);
    }

    #[test]
    fn start_hours_before_the_samples_is_wrong_and_minutes_are_not() {
        let hour = 3_600_000;
        assert!(start_contradicts(0, 12 * hour, 13 * hour));
        assert!(start_contradicts(12 * hour, 0, hour));
        assert!(!start_contradicts(0, 300_000, 400_000));
        assert!(!start_contradicts(0, hour, 10 * hour));
        let elapsed = |old_start, told: i64, first| {
            elapsed_from_start(old_start, Some(TimeSpan::from_ms(told)), first, first + hour).ms()
        };
        assert_eq!(elapsed(0, 13 * hour + 60_000, 12 * hour), hour + 60_000, "the end was right");
        assert_eq!(elapsed(0, hour + 30_000, 12 * hour), hour + 30_000, "the duration was right");
        assert_eq!(elapsed(0, 60_000, 12 * hour), hour, "neither was");
    }
}
