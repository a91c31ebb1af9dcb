//! Compressed bytes: one compressor a thread, and a bound on what comes back out.

use crate::db::error::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};

/// The fastest of the ordinary levels: what is packed here is small or barely compressible, and the next two levels
/// take half as long again for a few percent.
const COMPRESSION_LEVEL: i32 = 1;
/// A buffer of this size is not kept for the next time.
const LARGE_BYTES: usize = 1 << 20;
/// Outlines, details and raw texts are far below this; what unpacks to more was not packed here.
const MAX_JSON_BYTES: usize = 64 << 20;

thread_local! {
    // Making one takes longer than most of what it compresses.
    static COMPRESSOR: RefCell<Option<(Compressor<'static>, Vec<u8>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses bytes.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let (compressor, scratch) = compressor.get_or_insert_with(|| {
            (Compressor::new(COMPRESSION_LEVEL).expect("zstd knows its own levels"), Vec::new())
        });
        // zstd asks for room for the worst case, which is a multiple of what comes out; what waits for the database
        // should take no more than it has.
        scratch.clear();
        scratch.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
        compressor.compress_to_buffer(bytes, scratch).expect("the buffer is as large as zstd asks for");
        let packed = scratch.to_vec();
        if scratch.capacity() > LARGE_BYTES {
            *scratch = Vec::new();
        }
        packed
    })
}

/// Takes bytes back that were packed; no more than `limit` of them.
pub(crate) fn unpack(packed: &[u8], limit: usize) -> Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        decompressor
            .get_or_insert_with(|| Decompressor::new().expect("zstd needs no dictionary"))
            .decompress(packed, limit)
            .map_err(|_| Error::Unreadable("a stored value is damaged".to_owned()))
    })
}

pub(crate) fn pack_json(value: &impl Serialize) -> Vec<u8> {
    pack(&serde_json::to_vec(value).expect("core types are plain data, which always serializes"))
}

pub(crate) fn unpack_json<T: DeserializeOwned>(packed: &[u8]) -> Result<T> {
    // zstd writes the size down; what claims more than any of ours is not allocated.
    let size = Decompressor::upper_bound(packed).unwrap_or(MAX_JSON_BYTES).min(MAX_JSON_BYTES);
    serde_json::from_slice(&unpack(packed, size)?).map_err(|error| Error::Unreadable(error.to_string()))
}
