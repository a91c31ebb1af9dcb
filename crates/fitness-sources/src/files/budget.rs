//! Limits on how much is read and unpacked, counted on actual bytes rather than declared sizes.

use super::skipped::SkipError;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

/// The compression ratio is checked only above this size: a short file of one repeated line can be
/// compressed a thousandfold.
pub(crate) const RATIO_MIN_BYTES: u64 = 1 << 20;

/// Limits of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLimits {
    /// Maximum unpacked size of one file in bytes.
    pub entry_bytes: u64,
    /// Maximum unpacked size of an archive including nested archives, in bytes. Account exports are
    /// large.
    pub total_bytes: u64,
    /// Maximum unpacked size of a nested archive in bytes.
    pub nested_bytes: u64,
    /// Maximum number of entries of one archive.
    pub entries: u64,
    /// Maximum number of entries of an archive including nested archives.
    pub total_entries: u64,
    /// Maximum compression ratio, checked above 1 MiB.
    pub ratio: u64,
    /// Maximum nesting of archives. 1 is an archive in an archive.
    pub depth: u8,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            entry_bytes: 512 << 20,
            total_bytes: 20 << 30,
            nested_bytes: 2 << 30,
            entries: 100_000,
            total_entries: 1_000_000,
            ratio: 200,
            depth: 1,
        }
    }
}

/// Reads everything, or fails above the limit.
pub fn read_all(reader: &mut dyn Read, limit: u64) -> Result<Vec<u8>, SkipError> {
    let mut bytes = Vec::new();
    // One byte more than allowed, to distinguish a file of exactly the limit from a longer one.
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    if read.map_err(|error| SkipError::from_io(&error))? as u64 > limit {
        return Err(SkipError::TooLarge { limit });
    }
    Ok(bytes)
}

/// A byte count shared by several readers of one stream.
pub(crate) type SharedByteCount = Rc<Cell<u64>>;

/// Remaining bytes and entries of an archive. A nested archive also uses up the budget of the outer
/// one.
pub(crate) struct ReadBudget<'a> {
    outer: Option<&'a ReadBudget<'a>>,
    depth: u8,
    bytes: Cell<u64>,
    entries: Cell<u64>,
    too_many_bytes: SkipError,
    too_many_entries: SkipError,
    exhausted: Cell<Option<SkipError>>,
}

impl<'a> ReadBudget<'a> {
    /// For an archive of `len` bytes.
    pub(crate) fn new(limits: &ReadLimits, len: u64, outer: Option<&'a Self>) -> Self {
        let most = if outer.is_some() { limits.nested_bytes } else { limits.total_bytes };
        let grown = len.saturating_mul(limits.ratio).max(RATIO_MIN_BYTES);
        let too_many_bytes = if grown < most {
            SkipError::CompressionRatioTooHigh { limit: limits.ratio }
        } else {
            SkipError::ArchiveTooLarge { limit: most }
        };
        Self {
            outer,
            depth: outer.map_or(0, |outer| outer.depth.saturating_add(1)),
            bytes: Cell::new(grown.min(most)),
            entries: Cell::new(limits.total_entries),
            too_many_bytes,
            too_many_entries: SkipError::TooManyEntries { limit: limits.total_entries },
            exhausted: Cell::new(None),
        }
    }

    pub(crate) fn depth(&self) -> u8 {
        self.depth
    }

    /// The error if the budget of this archive or an outer one is used up.
    pub(crate) fn exhausted_error(&self) -> Option<SkipError> {
        self.exhausted.get().or_else(|| self.outer?.exhausted_error())
    }

    /// Takes entries from this budget and the outer ones.
    pub(crate) fn take_entries(&self, amount: u64) -> Result<(), SkipError> {
        self.outer.map_or(Ok(()), |outer| outer.take_entries(amount))?;
        self.spend(&self.entries, amount, self.too_many_entries)
    }

    /// Takes bytes from this budget and the outer ones.
    fn take_bytes(&self, amount: u64) -> Result<(), SkipError> {
        self.outer.map_or(Ok(()), |outer| outer.take_bytes(amount))?;
        self.spend(&self.bytes, amount, self.too_many_bytes)
    }

    fn spend(&self, pot: &Cell<u64>, amount: u64, reason: SkipError) -> Result<(), SkipError> {
        let left = pot.get().checked_sub(amount).ok_or(reason);
        self.exhausted.set(self.exhausted.get().or(left.err()));
        left.map(|left| pot.set(left))
    }
}

/// Kind of a stream, by its first bytes rather than its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// A ZIP archive, also an empty one.
    Zip,
    Gzip,
    Plain,
}

/// Reads one file and fails when it exceeds its limits.
pub(crate) struct BoundedReader<'a> {
    inner: &'a mut dyn Read,
    limits: &'a ReadLimits,
    /// Compressed bytes read so far, if it is compressed.
    compressed_bytes: Option<SharedByteCount>,
    budget: Option<&'a ReadBudget<'a>>,
    bytes_read: SharedByteCount,
    /// Peeked bytes that were not read yet.
    head: VecDeque<u8>,
    error: Option<SkipError>,
}

impl<'a> BoundedReader<'a> {
    /// Limits `inner`, whose compressed bytes `packed` counts, to the `budget` of its archive.
    pub(crate) fn new(
        inner: &'a mut dyn Read,
        limits: &'a ReadLimits,
        compressed_bytes: Option<SharedByteCount>,
        budget: Option<&'a ReadBudget<'a>>,
    ) -> Self {
        let (bytes_read, head) = (SharedByteCount::default(), VecDeque::new());
        Self { inner, limits, compressed_bytes, budget, bytes_read, head, error: None }
    }

    /// A live count of the bytes read.
    pub(crate) fn bytes_read(&self) -> SharedByteCount {
        Rc::clone(&self.bytes_read)
    }

    pub(crate) fn error(&self) -> Option<SkipError> {
        self.error
    }

    /// Peeks at the first bytes.
    pub(crate) fn kind(&mut self) -> Result<StreamKind, SkipError> {
        let mut bytes = [0; 4];
        while self.head.len() < bytes.len() {
            let missing = bytes.len() - self.head.len();
            match self.read_inner(&mut bytes[..missing]) {
                Ok(0) => break,
                Ok(read) => self.head.extend(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SkipError::from_io(&error)),
            }
        }
        Ok(match &*self.head.make_contiguous() {
            [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6] => StreamKind::Zip,
            [0x1f, 0x8b, ..] => StreamKind::Gzip,
            _ => StreamKind::Plain,
        })
    }

    fn read_inner(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(reason) = self.error {
            return Err(reason.into());
        }
        let paid = match self.inner.read(buf) {
            Ok(read) => self.charge(read as u64).map(|()| read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => Err(SkipError::from_io(&error)),
        };
        self.error = paid.err();
        paid.map_err(io::Error::from)
    }

    fn charge(&self, read: u64) -> Result<(), SkipError> {
        let passed = self.bytes_read.get().saturating_add(read);
        self.bytes_read.set(passed);
        if let Some(budget) = self.budget {
            budget.take_bytes(read)?;
        }
        let ReadLimits { entry_bytes, ratio, .. } = *self.limits;
        if passed > entry_bytes {
            return Err(SkipError::TooLarge { limit: entry_bytes });
        }
        let most =
            self.compressed_bytes.as_ref().map_or(u64::MAX, |packed| packed.get().saturating_mul(ratio));
        if passed > RATIO_MIN_BYTES && passed > most {
            return Err(SkipError::CompressionRatioTooHigh { limit: ratio });
        }
        Ok(())
    }
}

impl Read for BoundedReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.head.is_empty() { self.read_inner(buf) } else { self.head.read(buf) }
    }
}
