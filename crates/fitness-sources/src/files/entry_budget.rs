//! A reader that does not go on for ever about one entry.

use crate::error::ParseError;
use crate::files::SkipError;
use std::cell::Cell;
use std::io::{self, Read};

/// How much may still be read before the next entry has to begin. Whoever reads entries refills it.
///
/// Readers read ahead, so an entry may be longer by the size of a buffer.
#[derive(Debug)]
pub(crate) struct EntryBudget {
    limit: usize,
    remaining: Cell<usize>,
    at_end: Cell<bool>,
}

impl EntryBudget {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, remaining: Cell::new(limit), at_end: Cell::new(false) }
    }

    /// An entry ends, another may begin.
    pub(crate) fn refill(&self) {
        self.remaining.set(self.limit);
    }

    /// Whether the end was come upon. An entry that is over before that ended of its own accord.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at_end.get()
    }
}

/// Reads as long as there is some allowance left.
pub(crate) struct BudgetedReader<'a> {
    pub(crate) inner: &'a mut dyn Read,
    pub(crate) budget: &'a EntryBudget,
}

impl Read for BudgetedReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let EntryBudget { limit, remaining: left, at_end: ended } = self.budget;
        if left.get() == 0 {
            let why = format!("one of its entries is longer than {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, ParseError::new(why)));
        }
        let read = self.inner.read(buf)?;
        left.set(left.get().saturating_sub(read));
        ended.set(read == 0 && !buf.is_empty());
        Ok(read)
    }
}

/// Why reading stopped, in a sentence.
pub(crate) fn to_parse_error(error: &io::Error) -> ParseError {
    let ours = error.get_ref().and_then(|inner| inner.downcast_ref::<ParseError>());
    ours.cloned().unwrap_or_else(|| ParseError::new(SkipError::from_io(error).to_string()))
}
