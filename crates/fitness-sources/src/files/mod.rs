//! Finds the files an athlete dropped in: single files, folders, gzip files and ZIP archives.
//!
//! This module must never write under a name it read, follow a link it came upon, or believe a size before
//! the bytes are there. What it leaves out it names, with a reason, and goes on.
//!
//! Start reading at [`walk()`], then [`Limits`].

mod archive;
mod budget;
mod discover;
pub(crate) mod entry_budget;
mod skipped;

pub use budget::{ReadLimits, read_all};
pub use discover::{FileEntry, Visitor, walk};
pub use skipped::SkipError;
