//! Kilometre or mile splits of a recording.
//!
//! Split ends between two samples are interpolated at constant speed. A break of more than 30 s
//! without distance is a pause and takes no time, like auto-pause on a watch.

use crate::domain::stream::{Channel, Recording};
use crate::domain::units::{Distance, TimeSpan};

/// A longer gap between samples is a break, ms.
const BREAK_MS: i64 = 30_000;
/// A slower mean speed during a break means standing still, mm/s.
const STANDING_MM_S: i64 = 500;
/// Bound against broken recordings.
const MAX_SPLITS: usize = 1000;
/// A shorter last split is added to the one before, mm.
const MIN_LAST_SPLIT_MM: i64 = 20_000;

/// A kilometre or a mile of an activity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The same for all but the last.
    pub distance: Distance,
    pub time: TimeSpan,
    /// Mean heart rate, bpm.
    pub heart_rate: Option<f64>,
    /// Net elevation change, metres.
    pub rise: Option<f64>,
}

/// Running totals of the current split.
#[derive(Default)]
struct SplitBuilder {
    start_mm: i64,
    ms: i64,
    beats: f64,
    heart_rate_ms: i64,
    low: Option<i32>,
    high: Option<i32>,
}

impl SplitBuilder {
    fn finish(&self, end_mm: i64) -> Split {
        Split {
            distance: Distance::from_mm(end_mm - self.start_mm),
            time: TimeSpan::from_ms(self.ms),
            heart_rate: (self.heart_rate_ms > 0).then(|| self.beats / self.heart_rate_ms as f64),
            rise: self
                .low
                .zip(self.high)
                .map(|(low, high)| f64::from(high) / 1000.0 - f64::from(low) / 1000.0),
        }
    }
}

/// All splits of a recording; the last can be shorter. Empty without a distance.
///
/// 2.5 km at an even 5:00 /km are two splits of 5:00 and one of 2:30.
#[must_use]
pub fn splits(recording: &Recording, each: Distance) -> Vec<Split> {
    let each = each.mm().max(1);
    let Some(distances) = recording.column(Channel::Distance) else { return Vec::new() };
    let sample = |channel, at| recording.column(channel).and_then(|column| column.sample(at));
    let (mut done, mut open) = (Vec::new(), SplitBuilder::default());
    let mut before: Option<(i64, i64)> = None;
    for (at, moment) in recording.offsets_ms().iter().enumerate() {
        let (moment, altitude) = (i64::from(*moment), sample(Channel::Altitude, at));
        open.low = open.low.or(altitude);
        open.high = altitude.or(open.high);
        let Some(here) = distances.sample(at).map(i64::from) else { continue };
        let Some((then, mut there)) = before else {
            (before, open.start_mm) = (Some((moment, here)), here);
            continue;
        };
        // A distance that goes backwards is a sensor error and is clamped.
        let here = here.max(there);
        let gap = moment - then;
        let paused =
            gap > BREAK_MS && (here - there).saturating_mul(1000) < gap.saturating_mul(STANDING_MM_S);
        let mut left = if paused { 0 } else { gap };
        let heart = sample(Channel::HeartRate, at).map(f64::from);
        while here - open.start_mm >= each && done.len() < MAX_SPLITS {
            let end = open.start_mm + each;
            let part = if here > there { left * (end - there) / (here - there) } else { 0 };
            open.add(part, heart);
            done.push(open.finish(end));
            (left, there) = (left - part, end);
            open = SplitBuilder { start_mm: end, low: altitude, high: altitude, ..SplitBuilder::default() };
        }
        open.add(left, heart);
        before = Some((moment, here));
    }
    if let Some((_, end)) =
        before.filter(|(_, end)| end - open.start_mm >= MIN_LAST_SPLIT_MM && done.len() < MAX_SPLITS)
    {
        done.push(open.finish(end));
    }
    done
}

impl SplitBuilder {
    fn add(&mut self, ms: i64, heart: Option<f64>) {
        self.ms += ms;
        if let Some(bpm) = heart {
            self.beats += bpm * ms as f64;
            self.heart_rate_ms += ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::stream::Column;

    fn recorded(moments: Vec<i32>, distances: Vec<Option<i32>>) -> Recording {
        let mut recording = Recording::new(moments).unwrap();
        recording.insert_column(Channel::Distance, distances.into_iter().collect()).unwrap();
        recording
    }

    fn km() -> Distance {
        Distance::from_mm(1_000_000)
    }

    #[test]
    fn even_run_gives_even_splits() {
        let moments: Vec<i32> = (0..=750_000).step_by(7_000).chain([750_000]).collect();
        let distances = moments.iter().map(|ms| Some(ms * 10 / 3)).collect();
        let mut recording = recorded(moments.clone(), distances);
        let heart: Column = moments.iter().map(|ms| Some(if *ms <= 300_000 { 140 } else { 150 })).collect();
        recording.insert_column(Channel::HeartRate, heart).unwrap();
        let found = splits(&recording, km());
        let told: Vec<(i64, i64)> =
            found.iter().map(|s| (s.distance.mm() / 1000, s.time.whole_seconds())).collect();
        assert_eq!(told, [(1000, 300), (1000, 300), (500, 150)]);
        assert!(found[0].heart_rate.is_some_and(|bpm| (140.0..140.3).contains(&bpm)), "{found:?}");
        assert_eq!(found[2].heart_rate, Some(150.0));
        let total: i64 = found.iter().map(|split| split.time.ms()).sum();
        assert_eq!(total, 750_000, "nothing is lost at the ends");
    }

    #[test]
    fn pause_takes_no_time_but_gps_gap_does() {
        let still = recorded(
            vec![0, 100_000, 700_000, 800_000],
            vec![Some(0), Some(400_000), Some(400_100), Some(1_000_000)],
        );
        assert_eq!(splits(&still, km())[0].time, TimeSpan::from_secs(200));
        let tunnel = recorded(vec![0, 100_000, 300_000], vec![Some(0), Some(400_000), Some(1_000_000)]);
        assert_eq!(splits(&tunnel, km())[0].time, TimeSpan::from_secs(300));
    }

    #[test]
    fn odd_recordings_do_not_panic() {
        assert!(splits(&Recording::default(), km()).is_empty());
        assert!(splits(&recorded(vec![0], vec![Some(5)]), km()).is_empty(), "one point");
        assert!(splits(&recorded(vec![0, 1000], vec![None, None]), km()).is_empty());
        let back = recorded(vec![0, 1000, 2000], vec![Some(900_000), Some(100), Some(2_100_000)]);
        assert!(splits(&back, km()).iter().all(|split| split.time >= TimeSpan::ZERO));
        let far = recorded(vec![0, 1000], vec![Some(0), Some(i32::MAX)]);
        assert!(splits(&far, Distance::ZERO).len() <= MAX_SPLITS);
        let climbing = {
            let mut recording = recorded(vec![0, 1000, 2000], vec![Some(0), Some(500_000), Some(1_000_000)]);
            recording
                .insert_column(Channel::Altitude, [Some(100_000), None, Some(112_000)].into_iter().collect())
                .unwrap();
            recording
        };
        assert_eq!(splits(&climbing, km())[0].rise, Some(12.0));
    }
}
