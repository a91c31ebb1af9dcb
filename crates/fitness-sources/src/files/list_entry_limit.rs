//! A reader that limits the size of one entry of a list.

use crate::error::ParseError;
use crate::files::SkipError;
use std::cell::Cell;
use std::io::{self, Read};

/// Bytes that may still be read before the next entry starts. The entry parser refills it.
///
/// Buffered readers read ahead, so an entry may be larger by one buffer.
#[derive(Debug)]
pub(crate) struct EntryByteBudget {
    limit: usize,
    remaining: Cell<usize>,
    at_end: Cell<bool>,
}

impl EntryByteBudget {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, remaining: Cell::new(limit), at_end: Cell::new(false) }
    }

    /// Called after each entry.
    pub(crate) fn refill(&self) {
        self.remaining.set(self.limit);
    }

    /// Whether the end of the input was reached. An entry that is complete before that was not cut
    /// off.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at_end.get()
    }
}

/// Fails when the budget is used up.
pub(crate) struct EntryLimitReader<'a> {
    pub(crate) inner: &'a mut dyn Read,
    pub(crate) budget: &'a EntryByteBudget,
}

impl Read for EntryLimitReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let EntryByteBudget { limit, remaining: left, at_end: ended } = self.budget;
        if left.get() == 0 {
            let why = format!("an entry is longer than {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, ParseError::new(why)));
        }
        let read = self.inner.read(buf)?;
        left.set(left.get().saturating_sub(read));
        ended.set(read == 0 && !buf.is_empty());
        Ok(read)
    }
}

pub(crate) fn to_parse_error(error: &io::Error) -> ParseError {
    let ours = error.get_ref().and_then(|inner| inner.downcast_ref::<ParseError>());
    ours.cloned().unwrap_or_else(|| ParseError::new(SkipError::from_io(error).to_string()))
}
