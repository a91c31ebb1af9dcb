//! Splits a recording by the times and distances of steps.

use super::{CompareStepsError, StepActual, measurable_duration, pace};
use crate::domain::stream::{Channel, Column, Recording};
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::per_second::BREAK_S;
use crate::plan::{Step, StepDuration};

/// A step shorter than this was not done.
const MIN_STEP_MS: f64 = 1000.0;

/// Measured values of each step, from the start of the recording. If it ends within a step, that
/// step is partial, and later ones are `None`.
pub(super) fn align_by_recording(
    steps: &[Step],
    recording: &Recording,
) -> Result<Vec<Option<StepActual>>, CompareStepsError> {
    let way = RecordedTrack::from_recording(recording);
    let mut begin = 0.0;
    let mut actual = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let end = match measurable_duration(step) {
            Some(StepDuration::Time(seconds)) => begin + seconds * 1000.0,
            Some(StepDuration::Distance(meters)) => way.time_at_distance(begin, meters * 1000.0)?,
            _ if index + 1 == steps.len() => way.end,
            _ => return Err(CompareStepsError::OpenStep),
        }
        .min(way.end);
        actual.push((end - begin >= MIN_STEP_MS).then(|| way.step_actual(recording, begin, end)));
        begin = end.max(begin);
    }
    Ok(actual)
}

/// Time and distance since the start, in milliseconds and millimetres, never decreasing. Pauses of
/// the recording are left out.
struct RecordedTrack {
    time: Vec<f64>,
    distance: Option<Vec<f64>>,
    end: f64,
}

impl RecordedTrack {
    fn from_recording(recording: &Recording) -> Self {
        let moments = recording.offsets_ms();
        let mut time = Vec::with_capacity(moments.len());
        let mut now = 0.0;
        for (index, moment) in moments.iter().enumerate() {
            let before = moments[index.saturating_sub(1)];
            let gap = i64::from(*moment) - i64::from(before);
            if gap <= BREAK_S * 1000 {
                now += gap as f64;
            }
            time.push(now);
        }
        let known =
            recording.column(Channel::Distance).filter(|column| column.samples().flatten().next().is_some());
        let distance = known.map(|column| {
            let mut far = column.samples().flatten().next().map_or(0.0, f64::from);
            column
                .samples()
                .map(|sample| {
                    far = sample.map_or(far, |mm| f64::from(mm).max(far));
                    far
                })
                .collect()
        });
        Self { time, distance, end: now }
    }

    /// Distance at a time.
    fn distance_at(&self, at: f64) -> Option<f64> {
        interpolate(&self.time, self.distance.as_deref()?, at)
    }

    /// Time at which `further` more has been covered; the end if never.
    fn time_at_distance(&self, from: f64, further: f64) -> Result<f64, CompareStepsError> {
        let distance = self.distance.as_deref().ok_or(CompareStepsError::NoDistance)?;
        let target = self.distance_at(from).ok_or(CompareStepsError::NoDistance)? + further;
        if distance.last().is_none_or(|last| *last < target) {
            return Ok(self.end);
        }
        Ok(interpolate(distance, &self.time, target).unwrap_or(self.end).max(from))
    }

    fn step_actual(&self, recording: &Recording, begin: f64, end: f64) -> StepActual {
        let duration = TimeSpan::from_seconds((end - begin) / 1000.0);
        let far = self.distance_at(begin).zip(self.distance_at(end)).map(|(a, b)| (b - a) / 1000.0);
        let distance = far.and_then(Distance::from_meters);
        let mean = |channel| recording.column(channel).and_then(|column| self.mean_of(column, begin, end));
        StepActual {
            duration,
            distance,
            pace: pace(distance, duration),
            heart_rate: mean(Channel::HeartRate),
            power: mean(Channel::Power),
            cadence: mean(Channel::Cadence).map(|tenths| tenths / 10.0),
        }
    }

    /// Mean of a channel, each sample weighted by the time until the next.
    fn mean_of(&self, column: &Column, begin: f64, end: f64) -> Option<f64> {
        let first = self.time.partition_point(|time| *time < begin);
        let past = self.time.partition_point(|time| *time < end);
        let (mut sum, mut weights) = (0.0, 0.0);
        for index in first..past {
            let Some(sample) = column.sample(index) else { continue };
            let next = self.time.get(index + 1).copied().unwrap_or(end).min(end);
            let weight = (next - self.time[index]).max(1.0);
            sum += f64::from(sample) * weight;
            weights += weight;
        }
        (weights > 0.0).then(|| sum / weights)
    }
}

/// Linear interpolation between two lists that never decrease.
fn interpolate(along: &[f64], values: &[f64], at: f64) -> Option<f64> {
    let upper = along.partition_point(|place| *place < at);
    let Some(above) = along.get(upper) else { return values.last().copied() };
    let after = *values.get(upper)?;
    let Some(lower) = upper.checked_sub(1) else { return Some(after) };
    let (below, before) = (along[lower], *values.get(lower)?);
    let share = if *above > below { (at - below) / (above - below) } else { 1.0 };
    Some(before + (after - before) * share)
}
