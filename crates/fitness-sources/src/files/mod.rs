//! Finds files in folders, gzip files and ZIP archives, with limits against malicious archives.
//!
//! It never writes under a name from an archive, follows a symbolic link in a folder or archive, or
//! trusts a declared size. Skipped files are reported with a reason. See [`walk()`] and
//! [`ReadLimits`].

mod archive;
mod budget;
pub(crate) mod list_entry_limit;
mod skipped;
mod walk;

pub use budget::{ReadLimits, read_all};
pub use skipped::SkipError;
pub use walk::{FileEntry, Visitor, walk};
