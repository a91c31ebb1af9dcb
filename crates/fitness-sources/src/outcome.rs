//! What became of a list: how much of it was told, and what was left out and why.

use crate::error::Unreadable;
use fitness_core::domain::calendar::Day;
use std::collections::BTreeMap;

/// What became of the entries of a file that is a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Entries that told something.
    pub told: usize,
    /// Entries that were left out.
    pub skipped: usize,
    /// Why they were left out, and how many for each reason. A reason reads on after "it".
    pub reasons: BTreeMap<&'static str, usize>,
    /// The newest day with a daily summary that says something: how far an account export reaches.
    pub last_daily_summary: Option<Day>,
    /// Why the rest of the file could not be read, when it breaks off. What was told before that stands.
    pub broken_off: Option<Unreadable>,
}

impl Summary {
    pub(crate) fn skip(&mut self, why: &'static str) {
        self.skipped += 1;
        *self.reasons.entry(why).or_default() += 1;
    }

    /// A file that breaks off before it told anything is unreadable.
    pub(crate) fn ending(mut self, end: Result<(), Unreadable>) -> Result<Self, Unreadable> {
        match end {
            Err(why) if self.told == 0 => return Err(why),
            end => self.broken_off = end.err(),
        }
        Ok(self)
    }
}
