//! Histograms of seconds at each value. Zone times and heart rate loads are computed from them, so
//! a changed threshold does not need the recording again.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Bin width of the speed histogram, mm/s.
pub const SPEED_BIN_MM_S: u32 = 50;

/// Seconds spent at each whole number of a unit, rising, without empty bins. Values are rounded
/// down to their bin: with bins of 0.05 m/s, 3.49 m/s counts as 3.45 m/s, so a zone bound is off by
/// less than one bin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram(Vec<(u32, u32)>);

impl Histogram {
    /// All seconds at one value, for activities with nothing but a mean heart rate.
    #[must_use]
    pub fn constant(bin: u32, seconds: u32) -> Self {
        [(bin, seconds)].into_iter().collect()
    }

    /// Bins and their seconds, ascending.
    pub fn bins(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    #[must_use]
    pub fn seconds(&self) -> u64 {
        self.0.iter().map(|(_, seconds)| u64::from(*seconds)).sum()
    }

    /// Mean, in bins; `None` if empty.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.0.iter().map(|(bin, seconds)| f64::from(*bin) * f64::from(*seconds)).sum();
        let seconds = self.seconds();
        (seconds > 0).then(|| sum / seconds as f64)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Flat list of delta-encoded bins and their seconds, to be short as text.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let before = std::iter::once(0).chain(self.0.iter().map(|(bin, _)| *bin));
        let steps = self.0.iter().zip(before).map(|((bin, seconds), before)| [bin - before, *seconds]);
        serializer.collect_seq(steps.flatten())
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let row: Vec<u32> = Vec::deserialize(deserializer)?;
        let (steps, rest) = row.as_chunks::<2>();
        let mut bins: Vec<(u32, u32)> = Vec::with_capacity(steps.len());
        for [step, seconds] in steps {
            let bin = match bins.last() {
                Some((before, _)) if *step > 0 => before.checked_add(*step),
                Some(_) => None,
                None => Some(*step),
            };
            let bin = bin.filter(|_| *seconds > 0);
            bins.push((
                bin.ok_or_else(|| D::Error::custom("bins must rise strictly and must not be empty"))?,
                *seconds,
            ));
        }
        if rest.is_empty() { Ok(Self(bins)) } else { Err(D::Error::custom("bin without seconds")) }
    }
}

impl FromIterator<(u32, u32)> for Histogram {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(bins: I) -> Self {
        let mut sums: BTreeMap<u32, u32> = BTreeMap::new();
        for (bin, seconds) in bins.into_iter().filter(|(_, seconds)| *seconds > 0) {
            let sum = sums.entry(bin).or_default();
            *sum = sum.saturating_add(seconds);
        }
        Self(sums.into_iter().collect())
    }
}

/// One second per bin given.
impl FromIterator<u32> for Histogram {
    fn from_iter<I: IntoIterator<Item = u32>>(bins: I) -> Self {
        let mut counts: Vec<u32> = Vec::new();
        for bin in bins {
            let at = bin as usize;
            if at >= counts.len() {
                counts.resize(at + 1, 0);
            }
            counts[at] += 1;
        }
        Self((0..).zip(counts).filter(|(_, seconds)| *seconds > 0).collect())
    }
}

#[cfg(test)]
mod tests;
