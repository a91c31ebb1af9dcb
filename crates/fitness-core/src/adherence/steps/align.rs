//! Walking along a recording by the times and distances of steps.

use super::{CompareStepsError, StepActual, measurable_duration, pace};
use crate::domain::stream::{Channel, Column, Recording};
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::per_second::BREAK_S;
use crate::plan::{Step, StepDuration};

/// Less than a second of a step is none of it.
const MIN_STEP_MS: f64 = 1000.0;

/// What was done in each step, one after the other from the recording's first moment. When the recording ends within a
/// step, that step is what there was of it, and those after it are `None`.
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

/// Time and distance from the recording's first moment on, in milliseconds and millimetres. Neither runs backwards; a
/// time in which the recording had stopped is left out.
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

    /// How far the way had led at a time.
    fn distance_at(&self, at: f64) -> Option<f64> {
        interpolate(&self.time, self.distance.as_deref()?, at)
    }

    /// When the way has led so much further than it had at a time; past the end when it never does.
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

    /// The mean of a channel, each sample weighed by the time until the next.
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

/// The value at a place between two lists that do not run backwards.
fn interpolate(along: &[f64], values: &[f64], at: f64) -> Option<f64> {
    let upper = along.partition_point(|place| *place < at);
    let Some(above) = along.get(upper) else { return values.last().copied() };
    let after = *values.get(upper)?;
    let Some(lower) = upper.checked_sub(1) else { return Some(after) };
    let (below, before) = (along[lower], *values.get(lower)?);
    let share = if *above > below { (at - below) / (above - below) } else { 1.0 };
    Some(before + (after - before) * share)
}
