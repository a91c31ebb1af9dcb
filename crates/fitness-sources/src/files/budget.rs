//! How much is read before something is taken for a trap, counted on the bytes that really come.

use super::skipped::SkipError;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

/// Below this nothing is refused for growing: a short file of one repeated line grows a thousandfold.
pub(crate) const RATIO_MIN_BYTES: u64 = 1 << 20;

/// How much an import looks at before it refuses the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of one file, unpacked.
    pub entry_bytes: u64,
    /// Bytes an archive unpacks to, with all archives inside it. Account exports are large.
    pub total_bytes: u64,
    /// Bytes an archive inside another one unpacks to.
    pub nested_bytes: u64,
    /// Entries of one archive.
    pub entries: u64,
    /// Entries of an archive with all archives inside it.
    pub total_entries: u64,
    /// How many times its size a file or an archive may grow, once it has unpacked to more than 1 MiB.
    pub ratio: u64,
    /// How many archives deep an archive may be inside others. 1 is an archive in an archive.
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

/// Reads something small whole, or says why not.
pub fn read_all(reader: &mut dyn Read, limit: u64) -> Result<Vec<u8>, SkipError> {
    let mut bytes = Vec::new();
    // One byte more than allowed, to tell a file of exactly the limit from a longer one.
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    if read.map_err(|error| SkipError::from_io(&error))? as u64 > limit {
        return Err(SkipError::TooLarge { limit });
    }
    Ok(bytes)
}

/// A number of bytes that several readers of one stream look at.
pub(crate) type ByteCount = Rc<Cell<u64>>;

/// What is left for one archive to unpack. What an inner archive takes is taken from the outer one too.
pub(crate) struct Budget<'a> {
    outer: Option<&'a Budget<'a>>,
    depth: u8,
    bytes: Cell<u64>,
    entries: Cell<u64>,
    too_many_bytes: SkipError,
    too_many_entries: SkipError,
    exhausted: Cell<Option<SkipError>>,
}

impl<'a> Budget<'a> {
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

    /// How many archives this one is inside of.
    pub(crate) fn depth(&self) -> u8 {
        self.depth
    }

    /// Why nothing more of this archive is read, once this one or one around it has had enough.
    pub(crate) fn exhausted(&self) -> Option<SkipError> {
        self.exhausted.get().or_else(|| self.outer?.exhausted())
    }

    /// Pays for entries, here and in the archives around.
    pub(crate) fn take_entries(&self, amount: u64) -> Result<(), SkipError> {
        self.outer.map_or(Ok(()), |outer| outer.take_entries(amount))?;
        self.spend(&self.entries, amount, self.too_many_entries)
    }

    /// Pays for bytes, here and in the archives around.
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

/// What a stream is by its first bytes, whatever its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// A ZIP archive, perhaps an empty one.
    Zip,
    /// A gzip file.
    Gzip,
    /// Anything else: for the visitor to read.
    Plain,
}

/// Hands on the bytes of one file until they are too many.
pub(crate) struct BoundedReader<'a> {
    inner: &'a mut dyn Read,
    limits: &'a ReadLimits,
    /// How much was read of the packed form, where there is one.
    compressed_bytes: Option<ByteCount>,
    budget: Option<&'a Budget<'a>>,
    bytes_read: ByteCount,
    /// Looked at, and not handed on yet.
    head: VecDeque<u8>,
    error: Option<SkipError>,
}

impl<'a> BoundedReader<'a> {
    /// Bounds `inner`, which unpacks what `packed` counts, inside the archive `budget` belongs to.
    pub(crate) fn new(
        inner: &'a mut dyn Read,
        limits: &'a ReadLimits,
        compressed_bytes: Option<ByteCount>,
        budget: Option<&'a Budget<'a>>,
    ) -> Self {
        let (bytes_read, head) = (ByteCount::default(), VecDeque::new());
        Self { inner, limits, compressed_bytes, budget, bytes_read, head, error: None }
    }

    /// How much came through so far, now and later.
    pub(crate) fn bytes_read(&self) -> ByteCount {
        Rc::clone(&self.bytes_read)
    }

    /// Why reading failed, if it did.
    pub(crate) fn error(&self) -> Option<SkipError> {
        self.error
    }

    /// Looks at the first bytes without taking them away.
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
