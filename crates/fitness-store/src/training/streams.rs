//! Recordings as compressed columns: one small blob per channel instead of a row per second.
//!
//! A column is delta-coded, zigzag-coded into unsigned numbers, written as variable-length bytes
//! and compressed. A heart rate that changes by a beat now and then takes one byte per second
//! before zstd and a fraction of that after.

use crate::db::convert::parse_text;
use crate::db::entities::record_streams;
use crate::db::entities::streams::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, Result};
use crate::db::store::Store;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::source_record::RecordKey;
use fitness_core::domain::stream::{self, Recording};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

/// The time axis, stored like a channel.
const TIME_CHANNEL: &str = "moments";
/// More than three weeks at one sample per second.
const MAX_SAMPLES: usize = 2_000_000;

impl Store {
    /// The recording of an activity.
    ///
    /// # Errors
    /// `Unreadable` if a stored column is damaged.
    pub async fn find_recording(&self, user: UserId, activity: ActivityId) -> Result<Option<Recording>> {
        let rows = Entity::find()
            .filter(Column::ActivityId.eq(activity.get()))
            .filter(Column::UserId.eq(user.get()))
            .all(self.reader())
            .await?;
        unpack_recording(&rows)
    }
}

/// Decodes a recording from its rows, in any order; `None` without a time axis.
pub(crate) fn unpack_recording(rows: &[Model]) -> Result<Option<Recording>> {
    let columns: Vec<_> =
        rows.iter().map(|row| (row.channel.as_str(), row.samples, &row.packed[..])).collect();
    unpack_columns(&columns)
}

/// Decodes columns of a channel, a number of samples and bytes each.
fn unpack_columns(columns: &[(&str, i64, &[u8])]) -> Result<Option<Recording>> {
    let Some((_, samples, packed)) = columns.iter().find(|(channel, ..)| *channel == TIME_CHANNEL) else {
        return Ok(None);
    };
    let moments: Vec<i32> = unpack(packed, *samples)?.into_iter().flatten().collect();
    let mut recording = Recording::new(moments).map_err(|e| Error::Unreadable(e.to_string()))?;
    for (channel, samples, packed) in columns.iter().filter(|(channel, ..)| *channel != TIME_CHANNEL) {
        let column = unpack(packed, *samples)?.into_iter().collect();
        recording
            .insert_column(parse_text(channel)?, column)
            .map_err(|e| Error::Unreadable(e.to_string()))?;
    }
    Ok(Some(recording))
}

/// A recording to be stored, encoded before the transaction because that takes CPU time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackedRecording(Vec<PackedColumn>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct PackedColumn {
    channel: String,
    samples: i64,
    packed: Vec<u8>,
}

impl PackedRecording {
    pub(crate) fn from_recording(recording: &Recording) -> Result<Self> {
        let moments = recording.offsets_ms();
        if moments.len() > MAX_SAMPLES {
            return Err(Error::RecordingTooLong(moments.len()));
        }
        let samples = i64::try_from(moments.len()).expect("a vector's length fits an i64");
        let packed = pack(moments.len(), moments.iter().map(|m| Some(*m)));
        let mut columns = vec![PackedColumn { channel: TIME_CHANNEL.to_owned(), samples, packed }];
        for (channel, column) in recording.columns() {
            let column: &stream::Column = column;
            let packed = pack(column.len(), column.samples());
            columns.push(PackedColumn { channel: channel.as_str().to_owned(), samples, packed });
        }
        Ok(Self(columns))
    }

    /// Content hash of the recording.
    pub(crate) fn hash(&self) -> ContentHash {
        let columns: Vec<_> = self
            .0
            .iter()
            .map(|column| (column.channel.as_str(), ContentHash::hash_bytes(&column.packed)))
            .collect();
        ContentHash::hash_json(&columns)
    }

    /// From stored columns, in any order; `None` without any.
    pub(crate) fn from_stored(columns: impl IntoIterator<Item = (String, i64, Vec<u8>)>) -> Option<Self> {
        let mut columns: Vec<_> = columns
            .into_iter()
            .map(|(channel, samples, packed)| PackedColumn { channel, samples, packed })
            .collect();
        columns.sort_by(|a, b| a.channel.cmp(&b.channel));
        (!columns.is_empty()).then_some(Self(columns))
    }

    pub(crate) fn unpack(&self) -> Result<Option<Recording>> {
        let columns: Vec<_> = self
            .0
            .iter()
            .map(|column| (column.channel.as_str(), column.samples, &column.packed[..]))
            .collect();
        unpack_columns(&columns)
    }

    /// Rows of the source's own recording, for an activity with several recordings.
    pub(crate) fn into_record_rows(
        self,
        user: UserId,
        key: &RecordKey,
    ) -> impl Iterator<Item = record_streams::ActiveModel> {
        self.0.into_iter().map(move |column| record_streams::ActiveModel {
            user_id: Set(user.get()),
            kind: Set(key.kind.as_str().to_owned()),
            external_id: Set(key.id.clone()),
            channel: Set(column.channel),
            samples: Set(column.samples),
            packed: Set(column.packed),
        })
    }

    pub(crate) fn into_rows(self, user: UserId, activity: i64) -> impl Iterator<Item = ActiveModel> {
        self.0.into_iter().map(move |column| ActiveModel {
            activity_id: Set(activity),
            user_id: Set(user.get()),
            channel: Set(column.channel),
            samples: Set(column.samples),
            packed: Set(column.packed),
        })
    }
}

/// Zero means "no sample"; other values are the zigzag-coded step from the last sample, plus one.
fn pack(count: usize, samples: impl Iterator<Item = Option<i32>>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count + count / 2);
    let mut last = 0_i64;
    for sample in samples {
        let mut code = match sample {
            None => 0,
            Some(value) => {
                let step = i64::from(value) - last;
                last = i64::from(value);
                ((step << 1) ^ (step >> 63)).cast_unsigned() + 1
            }
        };
        while code >= 0x80 {
            bytes.push((code & 0x7f) as u8 | 0x80);
            code >>= 7;
        }
        bytes.push(code as u8);
    }
    crate::db::compress::pack(&bytes)
}

fn unpack(packed: &[u8], samples: i64) -> Result<Vec<Option<i32>>> {
    let damaged = || Error::Unreadable("a stored recording is damaged".to_owned());
    let samples = usize::try_from(samples).ok().filter(|n| *n <= MAX_SAMPLES).ok_or_else(damaged)?;
    // A step takes at most five bytes; more means damaged data.
    let bytes = crate::db::compress::unpack(packed, samples * 5 + 16)?;
    let mut bytes = bytes.into_iter();
    let mut last = 0_i64;
    let mut unpacked = Vec::with_capacity(samples);
    for _ in 0..samples {
        let mut code = 0_u64;
        for shift in (0..).step_by(7) {
            let byte = bytes.next().filter(|_| shift < 63).ok_or_else(damaged)?;
            code |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        unpacked.push(match code.checked_sub(1) {
            None => None,
            Some(zigzag) => {
                let step = (zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed());
                last += step;
                Some(i32::try_from(last).map_err(|_| damaged())?)
            }
        });
    }
    if bytes.next().is_some() { Err(damaged()) } else { Ok(unpacked) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(samples: &[Option<i32>]) -> Vec<u8> {
        let packed = pack(samples.len(), samples.iter().copied());
        assert_eq!(unpack(&packed, samples.len() as i64).unwrap(), samples);
        packed
    }

    #[test]
    fn column_round_trip_is_lossless() {
        round_trip(&[]);
        round_trip(&[None]);
        round_trip(&[Some(0), None, Some(-1), Some(i32::MAX), Some(i32::MIN + 1), None, Some(i32::MAX)]);
        let hour: Vec<Option<i32>> = (0..3600).map(|s| (s % 97 != 0).then_some(140 + (s / 60) % 7)).collect();
        let packed = round_trip(&hour);
        assert!(packed.len() < 400, "an hour of heart rate took {} bytes", packed.len());
    }

    #[test]
    fn damaged_or_oversized_column_is_refused() {
        let packed = pack(1000, (0..1000).map(Some));
        assert!(unpack(&packed, 999).is_err());
        assert!(unpack(&packed, 1001).is_err());
        assert!(unpack(&packed, -1).is_err());
        assert!(unpack(&packed, i64::MAX).is_err());
        assert!(unpack(&packed[..packed.len() / 2], 1000).is_err());
        assert!(unpack(b"not zstd", 3).is_err());
        let bomb = zstd::bulk::compress(&vec![0; 50_000_000], 3).unwrap();
        assert!(unpack(&bomb, 1000).is_err());
    }
}
