//! What became of a list: how much of it was told, and what was left out and why.

use crate::error::ParseError;
use fitness_core::domain::calendar::Day;
use std::collections::BTreeMap;

/// What became of the entries of a file that is a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOutcome {
    /// Entries that told something.
    pub accepted: usize,
    /// Entries that were left out.
    pub skipped: usize,
    /// Why they were left out, and how many for each reason. A reason reads on after "it".
    pub skip_reasons: BTreeMap<&'static str, usize>,
    /// The newest day with a daily summary that says something: how far an account export reaches.
    pub last_daily_summary: Option<Day>,
    /// Why the rest of the file could not be read, when it breaks off. What was told before that stands.
    pub read_error: Option<ParseError>,
}

impl ReadOutcome {
    pub(crate) fn skip(&mut self, why: &'static str) {
        self.skipped += 1;
        *self.skip_reasons.entry(why).or_default() += 1;
    }

    /// A file that breaks off before it told anything is unreadable.
    pub(crate) fn finish(mut self, end: Result<(), ParseError>) -> Result<Self, ParseError> {
        match end {
            Err(why) if self.accepted == 0 => return Err(why),
            end => self.read_error = end.err(),
        }
        Ok(self)
    }
}
