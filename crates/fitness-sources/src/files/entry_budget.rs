//! A reader that does not go on for ever about one entry.

use crate::error::Unreadable;
use crate::files::Refused;
use std::cell::Cell;
use std::io::{self, Read};

/// How much may still be read before the next entry has to begin. Whoever reads entries refills it.
///
/// Readers read ahead, so an entry may be longer by the size of a buffer.
#[derive(Debug)]
pub(crate) struct Allowance {
    limit: usize,
    left: Cell<usize>,
    ended: Cell<bool>,
}

impl Allowance {
    pub(crate) const fn of(limit: usize) -> Self {
        Self { limit, left: Cell::new(limit), ended: Cell::new(false) }
    }

    /// An entry ends, another may begin.
    pub(crate) fn refill(&self) {
        self.left.set(self.limit);
    }

    /// Whether the end was come upon. An entry that is over before that ended of its own accord.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.get()
    }
}

/// Reads as long as there is some allowance left.
pub(crate) struct Metered<'a> {
    pub(crate) inner: &'a mut dyn Read,
    pub(crate) allowance: &'a Allowance,
}

impl Read for Metered<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Allowance { limit, left, ended } = self.allowance;
        if left.get() == 0 {
            let why = format!("one of its entries is longer than {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, Unreadable::new(why)));
        }
        let read = self.inner.read(buf)?;
        left.set(left.get().saturating_sub(read));
        ended.set(read == 0 && !buf.is_empty());
        Ok(read)
    }
}

/// Why reading stopped, in a sentence.
pub(crate) fn why(error: &io::Error) -> Unreadable {
    let ours = error.get_ref().and_then(|inner| inner.downcast_ref::<Unreadable>());
    ours.cloned().unwrap_or_else(|| Unreadable::new(Refused::of(error).to_string()))
}
