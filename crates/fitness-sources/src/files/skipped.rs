//! Why a file was skipped.

use std::fmt;
use std::io;

/// Why a file, folder or part of an archive was skipped. Shown to the user after its name and a
/// colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SkipError {
    #[error("no such file or folder")]
    Missing,
    #[error("permission denied")]
    PermissionDenied,
    #[error("read error: {0}")]
    Unreadable(io::ErrorKind),
    /// A nested archive could not be unpacked to a temporary file.
    #[error("no space for a temporary copy: {0}")]
    NoTempSpace(io::ErrorKind),
    #[error("symbolic link, not followed")]
    Link,
    /// A pipe, a socket or a device: reading it might never end.
    #[error("not a file or folder")]
    NotAFile,
    /// `../`, an absolute path or a drive letter.
    #[error("unsafe name: it points outside the archive")]
    PathTraversal,
    /// Contains a NUL, which would hide the rest of the name.
    #[error("invalid file name")]
    InvalidName,
    #[error("password-protected")]
    Encrypted,
    #[error("unsupported compression method")]
    UnsupportedCompression,
    #[error("nested too deeply")]
    NestedTooDeeply,
    /// The file is or unpacks to more than
    /// [`ReadLimits::entry_bytes`](super::ReadLimits::entry_bytes).
    #[error("larger than {}", FormattedSize(*.limit))]
    TooLarge { limit: u64 },
    /// Files before this point were visited.
    #[error("unpacks to more than {}; the rest was skipped", FormattedSize(*.limit))]
    ArchiveTooLarge { limit: u64 },
    #[error("contains more than {limit} files")]
    TooManyEntries { limit: u64 },
    #[error("unpacks to more than {limit} times its size, which is not plausible for training data")]
    CompressionRatioTooHigh { limit: u64 },
    /// Entries share bytes, which lets a small archive unpack to a huge one.
    #[error("entries overlap; the rest was skipped")]
    Overlapping,
    /// Wrong checksum, missing end, or not this format at all.
    #[error("damaged or incomplete")]
    Damaged,
}

impl SkipError {
    /// The reason behind an I/O error of a reader from [`walk()`](super::walk()).
    #[must_use]
    pub fn from_io(error: &io::Error) -> Self {
        if let Some(reason) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return *reason;
        }
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            // What decompressors return for invalid data.
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::Other => Self::Damaged,
            kind => Self::Unreadable(kind),
        }
    }
}

impl From<SkipError> for io::Error {
    fn from(reason: SkipError) -> Self {
        Self::new(io::ErrorKind::InvalidData, reason)
    }
}

/// Formats bytes in the largest unit that gives a whole number.
struct FormattedSize(u64);

impl fmt::Display for FormattedSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut size, mut units) = (self.0, ["bytes", "KiB", "MiB", "GiB", "TiB"].into_iter());
        let mut unit = units.next().unwrap_or_default();
        while size >= 1024 && size.is_multiple_of(1024) {
            let Some(larger) = units.next() else { break };
            (size, unit) = (size / 1024, larger);
        }
        write!(f, "{size} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_limit_is_shown_in_the_largest_whole_unit() {
        for (limit, says) in [
            (0, "larger than 0 bytes"),
            (1000, "larger than 1000 bytes"),
            (1 << 10, "larger than 1 KiB"),
            (512 << 20, "larger than 512 MiB"),
            (20 << 30, "larger than 20 GiB"),
            (1 << 60, "larger than 1048576 TiB"),
        ] {
            assert_eq!(SkipError::TooLarge { limit }.to_string(), says);
        }
    }

    #[test]
    fn skip_error_round_trips_through_io_error() {
        assert_eq!(SkipError::from_io(&io::Error::from(SkipError::Overlapping)), SkipError::Overlapping);
        assert_eq!(SkipError::from_io(&io::ErrorKind::PermissionDenied.into()), SkipError::PermissionDenied);
        assert_eq!(SkipError::from_io(&io::ErrorKind::UnexpectedEof.into()), SkipError::Damaged);
        let full = io::ErrorKind::StorageFull;
        assert_eq!(SkipError::from_io(&full.into()), SkipError::Unreadable(full));
    }
}
