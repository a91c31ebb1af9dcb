//! Counts of accepted and skipped entries of a file that is a list.

use crate::error::ParseError;
use fitness_core::domain::calendar::Day;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOutcome {
    pub accepted: usize,
    pub skipped: usize,
    /// Number of skipped entries by reason.
    pub skip_reasons: BTreeMap<&'static str, usize>,
    /// Newest day with a daily summary that has data: how far an account export reaches.
    pub last_daily_summary: Option<Day>,
    /// Why the rest of the file could not be read. The entries before that were accepted.
    pub read_error: Option<ParseError>,
}

impl ReadOutcome {
    pub(crate) fn skip(&mut self, why: &'static str) {
        self.skipped += 1;
        *self.skip_reasons.entry(why).or_default() += 1;
    }

    /// Fails if the file ends with an error and no entry was accepted.
    pub(crate) fn finish(mut self, end: Result<(), ParseError>) -> Result<Self, ParseError> {
        match end {
            Err(why) if self.accepted == 0 => return Err(why),
            end => self.read_error = end.err(),
        }
        Ok(self)
    }
}
