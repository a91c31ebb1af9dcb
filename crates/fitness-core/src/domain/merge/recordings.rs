//! Fills channels that a recording lacks from other recordings of the same activity.

use crate::domain::calendar::Instant;
use crate::domain::stream::{Channel, Column, Recording};

/// Samples further apart are not interpolated. Devices with smart recording write one sample in at
/// most 20 seconds.
const MAX_GAP_MS: i64 = 20_000;

/// Adds the channels that the first recording lacks, each from the first of the others that has it.
/// Each recording comes with its start; samples are interpolated to the first one's timestamps.
#[must_use]
pub fn fill_missing_channels(first: &(Instant, Recording), others: &[(Instant, Recording)]) -> Recording {
    let (start, mut filled) = (first.0, first.1.clone());
    for channel in Channel::ALL.iter().copied() {
        if has_samples(&first.1, channel) {
            continue;
        }
        let source = others.iter().find(|(_, other)| has_samples(other, channel));
        let Some((other_start, other)) = source else { continue };
        let shift = (start - *other_start).num_milliseconds();
        let Some(column) = other.column(channel) else { continue };
        let column = resample(other.offsets_ms(), column, filled.offsets_ms(), shift);
        if column.samples().flatten().next().is_some() {
            // The column has one sample per timestamp.
            let _never_refused = filled.insert_column(channel, column);
        }
    }
    filled
}

fn has_samples(recording: &Recording, channel: Channel) -> bool {
    recording.column(channel).is_some_and(|column| column.samples().flatten().next().is_some())
}

/// Samples of a column at other timestamps, which are `shift` later on the column's clock. Both
/// lists of timestamps are in order, so one pass is enough.
fn resample(from: &[i32], column: &Column, to: &[i32], shift: i64) -> Column {
    let mut known =
        from.iter().zip(column.samples()).filter_map(|(at, value)| Some((i64::from(*at), value?))).peekable();
    let mut before: Option<(i64, i32)> = None;
    to.iter()
        .map(|at| {
            let at = i64::from(*at) + shift;
            while let Some(sample) = known.next_if(|(time, _)| *time <= at) {
                before = Some(sample);
            }
            let (early, value) = before?;
            if early == at {
                return Some(value);
            }
            let (late, next) = *known.peek()?;
            (late - early <= MAX_GAP_MS).then(|| {
                let share = (at - early) as f64 / (late - early) as f64;
                (f64::from(value) + share * (f64::from(next) - f64::from(value))).round() as i32
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(moments: &[i32], channel: Channel, samples: &[Option<i32>]) -> Recording {
        let mut recording = Recording::new(moments.to_vec()).unwrap();
        recording.insert_column(channel, samples.iter().copied().collect()).unwrap();
        recording
    }

    #[test]
    fn missing_channel_is_interpolated_at_the_timestamps_of_the_first_recording() {
        let at = |text: &str| text.parse::<Instant>().unwrap();
        let watch = recording(&[0, 1000, 2000, 5000, 40_000], Channel::Speed, &[Some(3000); 5]);
        // Started two seconds earlier, and its strap lost contact for half a minute.
        let strap = recording(
            &[0, 2000, 4000, 8000, 38_000],
            Channel::HeartRate,
            &[Some(100), Some(110), Some(120), Some(140), Some(150)],
        );
        let first = (at("2026-06-14T06:00:02Z"), watch.clone());
        let other = (at("2026-06-14T06:00:00Z"), strap);
        let filled = fill_missing_channels(&first, std::slice::from_ref(&other));
        let heart: Vec<_> = filled.column(Channel::HeartRate).unwrap().samples().collect();
        assert_eq!(heart, [Some(110), Some(115), Some(120), Some(135), None]);
        assert_eq!(filled.column(Channel::Speed), watch.column(Channel::Speed));
        // What the first recording has is not changed.
        let third = (other.0, recording(&[0, 60_000], Channel::Speed, &[Some(1), Some(1)]));
        assert_eq!(fill_missing_channels(&first, &[other, third]), filled);
        // A column without samples is missing.
        let empty = (first.0, recording(&[0, 1000], Channel::HeartRate, &[None, None]));
        let strap = (first.0, recording(&[0, 1000], Channel::HeartRate, &[Some(90), Some(91)]));
        let filled = fill_missing_channels(&empty, std::slice::from_ref(&strap));
        assert_eq!(filled.column(Channel::HeartRate), strap.1.column(Channel::HeartRate));
    }
}
