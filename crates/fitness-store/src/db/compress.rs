//! zstd helpers with one compressor per thread and a size limit for decompression.

use crate::db::error::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};

/// The fastest regular level. The data is small or hardly compressible, and the next two levels
/// take 50 % longer to save a few percent.
const COMPRESSION_LEVEL: i32 = 1;
/// Larger scratch buffers are freed after use.
const LARGE_BYTES: usize = 1 << 20;
/// Far above the size of any stored JSON.
const MAX_JSON_BYTES: usize = 64 << 20;

thread_local! {
    // Creating one takes longer than most compressions.
    static COMPRESSOR: RefCell<Option<(Compressor<'static>, Vec<u8>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let (compressor, scratch) = compressor.get_or_insert_with(|| {
            (Compressor::new(COMPRESSION_LEVEL).expect("zstd knows its own levels"), Vec::new())
        });
        // zstd needs a buffer for the worst case, a multiple of the result. Copy the result, so
        // that pending writes use only the memory they need.
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

/// Decompresses to at most `limit` bytes.
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
    // The size comes from the zstd header; cap it, so that damaged data cannot allocate more.
    let size = Decompressor::upper_bound(packed).unwrap_or(MAX_JSON_BYTES).min(MAX_JSON_BYTES);
    serde_json::from_slice(&unpack(packed, size)?).map_err(|error| Error::Unreadable(error.to_string()))
}
