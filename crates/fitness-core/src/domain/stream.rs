//! Recordings as columns of samples.
//!
//! Each channel is one column of scaled integers rather than a row per second, so the store can
//! delta-encode and compress it, and formulas can iterate without allocating.

use crate::string_enum::string_enum;
use std::collections::BTreeMap;

string_enum! {
    /// What a column of a recording measures, in the unit given for each.
    pub enum Channel("stream channel") {
        /// Millimetres from the start.
        Distance = "distance",
        Speed = "speed",
        HeartRate = "heart_rate",
        /// Tenths of steps or revolutions per minute, both legs.
        Cadence = "cadence",
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
        /// Hundredths of a percent of the ground contact time on the left foot.
        GroundContactBalance = "ground_contact_balance",
        /// Hundredths of a percent: vertical oscillation as a share of the step length.
        VerticalRatio = "vertical_ratio",
        /// Tenths of a millimetre.
        StepLength = "step_length",
        /// Hundredths of a percent of the power on the left pedal.
        PowerBalance = "power_balance",
        /// Hundredths of a breath per minute.
        Respiration = "respiration",
    }
}

/// One channel's samples, one per timestamp of its recording; samples can be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column(Vec<i32>);

/// Sentinel for a missing sample. No channel's scale reaches it.
const MISSING_SAMPLE: i32 = i32::MIN;

impl Column {
    /// The sample at a timestamp index, if recorded.
    #[must_use]
    pub fn sample(&self, moment: usize) -> Option<i32> {
        self.0.get(moment).copied().filter(|value| *value != MISSING_SAMPLE)
    }

    /// Every sample in order.
    pub fn samples(&self) -> impl Iterator<Item = Option<i32>> + '_ {
        self.0.iter().map(|value| (*value != MISSING_SAMPLE).then_some(*value))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

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

/// A recording: timestamps in milliseconds from the activity's start, and the samples at each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    offsets_ms: Vec<i32>,
    columns: BTreeMap<Channel, Column>,
}

/// A column of the wrong length, or timestamps out of order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    #[error("the {channel} column has {samples} samples for {moments} timestamps")]
    Length { channel: Channel, samples: usize, moments: usize },
    /// Index of a timestamp that is earlier than the one before.
    #[error("timestamp {0} is earlier than the one before it")]
    Order(usize),
}

impl Recording {
    /// A recording without columns; `moments` are milliseconds from the start, in order.
    pub fn new(moments: Vec<i32>) -> Result<Self, RecordingError> {
        match moments.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(at) => Err(RecordingError::Order(at + 1)),
            None => Ok(Self { offsets_ms: moments, columns: BTreeMap::new() }),
        }
    }

    /// Adds or replaces a channel.
    ///
    /// # Errors
    /// When the column does not have one sample per timestamp.
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
            "the power column has 1 samples for 2 timestamps"
        );
        assert_eq!(recording.columns().count(), 0);
    }
}
