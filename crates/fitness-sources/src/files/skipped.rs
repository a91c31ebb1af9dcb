//! Why something was left out, in words for the athlete.

use std::fmt;
use std::io;

/// Why a file, a folder or a part of an archive was left out. Reads on after its name and a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SkipError {
    /// Nothing is there.
    #[error("there is no such file or folder")]
    Missing,
    /// The system says no.
    #[error("this program is not allowed to read it")]
    PermissionDenied,
    /// The disk, or whatever is behind it, failed.
    #[error("it could not be read: {0}")]
    Unreadable(io::ErrorKind),
    /// There was nowhere to unpack an archive that is inside another one.
    #[error("there was no room for a temporary copy of it: {0}")]
    NoTempSpace(io::ErrorKind),
    /// A symbolic link, in a folder or in an archive.
    #[error("it is a link to another place, and links are not followed")]
    Link,
    /// A pipe, a socket or a device: reading it might never end.
    #[error("it is neither a file nor a folder")]
    NotAFile,
    /// `../`, an absolute path or a drive letter.
    #[error("its name leads out of the archive")]
    PathTraversal,
    /// A NUL: what follows it would be hidden from whoever looks at the name.
    #[error("its name has a character that no file name can have")]
    InvalidName,
    /// Encrypted.
    #[error("it is locked with a password")]
    Encrypted,
    /// Neither stored nor deflated.
    #[error("it is packed in a way this program cannot unpack")]
    UnsupportedCompression,
    /// An archive in an archive in an archive, or folders without end.
    #[error("it is nested too deeply")]
    NestedTooDeeply,
    /// One file is, or unpacks to, more than [`Limits::entry_bytes`](super::Limits::entry_bytes).
    #[error("it is larger than {}", Size(*.limit))]
    TooLarge {
        /// What is allowed.
        limit: u64,
    },
    /// An archive went on unpacking. What came before this was handed over.
    #[error("it unpacks to more than {}; the rest of it was left out", Size(*.limit))]
    ArchiveTooLarge {
        /// What is allowed.
        limit: u64,
    },
    /// An archive lists more than anybody has.
    #[error("it holds more than {limit} files")]
    TooManyEntries {
        /// What is allowed.
        limit: u64,
    },
    /// Made to fill a disk or a memory.
    #[error("it unpacks to more than {limit} times its size, which no training data does")]
    CompressionRatioTooHigh {
        /// What is allowed.
        limit: u64,
    },
    /// The same bytes are listed under several names, which is how a small archive unpacks to a huge one.
    #[error("it lists more than fits into it; the rest of it was left out")]
    Overlapping,
    /// A checksum is wrong, the end is missing, or it is something else altogether.
    #[error("it is damaged or cut short")]
    Damaged,
}

impl SkipError {
    /// The reason behind an error of a reader that [`walk()`](super::walk()) handed out.
    #[must_use]
    pub fn from_io(error: &io::Error) -> Self {
        if let Some(reason) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return *reason;
        }
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            // What the unpackers say about bytes that make no sense to them.
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

/// Bytes in the largest unit that keeps them whole.
struct Size(u64);

impl fmt::Display for Size {
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
    fn a_reason_says_its_limit_in_a_unit_people_know() {
        for (limit, says) in [
            (0, "it is larger than 0 bytes"),
            (1000, "it is larger than 1000 bytes"),
            (1 << 10, "it is larger than 1 KiB"),
            (512 << 20, "it is larger than 512 MiB"),
            (20 << 30, "it is larger than 20 GiB"),
            (1 << 60, "it is larger than 1048576 TiB"),
        ] {
            assert_eq!(SkipError::TooLarge { limit }.to_string(), says);
        }
    }

    #[test]
    fn a_reason_survives_the_way_through_an_io_error() {
        assert_eq!(SkipError::from_io(&io::Error::from(SkipError::Overlapping)), SkipError::Overlapping);
        assert_eq!(SkipError::from_io(&io::ErrorKind::PermissionDenied.into()), SkipError::PermissionDenied);
        assert_eq!(SkipError::from_io(&io::ErrorKind::UnexpectedEof.into()), SkipError::Damaged);
        let full = io::ErrorKind::StorageFull;
        assert_eq!(SkipError::from_io(&full.into()), SkipError::Unreadable(full));
    }
}
