//! Per-second recordings as columns.
//!
//! A stream is never a row per second: each channel is one column of scaled integers, so the store can
//! delta-code and compress it, and a formula can walk it without allocating.

use crate::string_enum::string_enum;
use std::collections::BTreeMap;

string_enum! {
    /// What a column of a recording measures. The unit is part of the meaning.
    pub enum Channel("stream channel") {
        /// Millimetres from the start.
        Distance = "distance",
        /// Millimetres per second.
        Speed = "speed",
        /// Beats per minute.
        HeartRate = "heart_rate",
        /// Tenths of steps or revolutions per minute, both legs.
        Cadence = "cadence",
        /// Watts.
        Power = "power",
        /// Millimetres above sea level.
        Altitude = "altitude",
        /// Degrees north in units of 1e-7.
        Latitude = "latitude",
        /// Degrees east in units of 1e-7.
        Longitude = "longitude",
        /// Tenths of a degree Celsius.
        Temperature = "temperature",
        /// Tenths of a millisecond on the ground.
        GroundContact = "ground_contact",
        /// Tenths of a millimetre up and down.
        VerticalOscillation = "vertical_oscillation",
    }
}

/// One channel's samples, one for each moment of its recording; some may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column(Vec<i32>);

/// Marks a sample that was not recorded. No channel's scale reaches it.
const MISSING_SAMPLE: i32 = i32::MIN;

impl Column {
    /// The sample at a moment, when one was recorded.
    #[must_use]
    pub fn sample(&self, moment: usize) -> Option<i32> {
        self.0.get(moment).copied().filter(|value| *value != MISSING_SAMPLE)
    }

    /// Every sample in order.
    pub fn samples(&self) -> impl Iterator<Item = Option<i32>> + '_ {
        self.0.iter().map(|value| (*value != MISSING_SAMPLE).then_some(*value))
    }

    /// How many moments it spans.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it spans no moment at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Option<i32>> for Column {
    fn from_iter<I: IntoIterator<Item = Option<i32>>>(samples: I) -> Self {
        Self(samples.into_iter().map(|sample| sample.unwrap_or(MISSING_SAMPLE)).collect())
    }
}

/// A recording: moments in milliseconds from the activity's start, and what was measured at each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    offsets_ms: Vec<i32>,
    columns: BTreeMap<Channel, Column>,
}

/// A column whose length does not match the recording's moments, or moments that run backwards.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// A column is longer or shorter than the list of moments.
    #[error("the {channel} column has {samples} samples for {moments} moments")]
    Length {
        /// The column in question.
        channel: Channel,
        /// How many samples it has.
        samples: usize,
        /// How many it should have.
        moments: usize,
    },
    /// Moments must not run backwards.
    #[error("moment {0} is earlier than the one before it")]
    Order(usize),
}

impl Recording {
    /// A recording over the given moments, still without columns.
    ///
    /// # Errors
    /// When the moments run backwards.
    pub fn new(moments: Vec<i32>) -> Result<Self, RecordingError> {
        match moments.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(at) => Err(RecordingError::Order(at + 1)),
            None => Ok(Self { offsets_ms: moments, columns: BTreeMap::new() }),
        }
    }

    /// Adds or replaces a channel.
    ///
    /// # Errors
    /// When the column does not have one sample per moment.
    pub fn insert_column(&mut self, channel: Channel, column: Column) -> Result<(), RecordingError> {
        let (samples, moments) = (column.len(), self.offsets_ms.len());
        if samples != moments {
            return Err(RecordingError::Length { channel, samples, moments });
        }
        self.columns.insert(channel, column);
        Ok(())
    }

    /// Milliseconds from the activity's start, in order.
    #[must_use]
    pub fn offsets_ms(&self) -> &[i32] {
        &self.offsets_ms
    }

    /// One channel, when it was recorded.
    #[must_use]
    pub fn column(&self, channel: Channel) -> Option<&Column> {
        self.columns.get(&channel)
    }

    /// Every recorded channel, in a fixed order.
    pub fn columns(&self) -> impl Iterator<Item = (Channel, &Column)> {
        self.columns.iter().map(|(channel, column)| (*channel, column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_sample_is_none_and_not_zero() {
        let column: Column = [Some(140), None, Some(0)].into_iter().collect();
        assert_eq!(column.samples().collect::<Vec<_>>(), [Some(140), None, Some(0)]);
        assert_eq!(column.sample(1), None);
        assert_eq!(column.sample(9), None);
    }

    #[test]
    fn insert_column_requires_one_sample_per_offset() {
        assert_eq!(Recording::new(vec![0, 1000, 999]), Err(RecordingError::Order(2)));
        let mut recording = Recording::new(vec![0, 1000]).unwrap();
        let short: Column = [Some(1)].into_iter().collect();
        assert_eq!(
            recording.insert_column(Channel::Power, short).unwrap_err().to_string(),
            "the power column has 1 samples for 2 moments"
        );
        assert_eq!(recording.columns().count(), 0);
    }
}
