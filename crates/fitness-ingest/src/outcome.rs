//! What came of an import.

use crate::recompute::RecomputeCounts;
use fitness_core::adherence::data_frontier::Coverage;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::untrusted_text::{join_with_and, pluralize};
use fitness_store::{BatchOutcome, UpsertOutcome};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// More of these are counted and not listed: a hostile archive has a million.
const MAX_LISTED_SKIPS: usize = 1000;

/// Something that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skip {
    /// Where it is, for people.
    pub path: String,
    /// Why, as a sentence that reads on after the path and a colon.
    pub reason: String,
}

/// What came of an import or a sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportOutcome {
    /// New activities.
    pub added: u64,
    /// Reports that say more about an activity that was there before.
    pub joined: u64,
    /// Reports that now say something else.
    pub changed: u64,
    /// Activities that were there already, with nothing new about them.
    pub already_there: u64,
    /// Days about which something new is known.
    pub days: u64,
    /// Files read.
    pub files: u64,
    /// Files that had been read before.
    pub files_already_there: u64,
    /// Files with nothing to import in them: settings, courses, pictures.
    pub files_ignored: u64,
    /// Files that were read although something is wrong with them.
    pub flawed: u64,
    /// Entries of lists that say nothing, and why: a night the watch was not worn, the lesser of two readings.
    pub entries_left_out: BTreeMap<String, u64>,
    /// Everything left out. The list ends after a thousand.
    pub skipped: Vec<Skip>,
    /// How much was left out.
    pub skipped_count: u64,
    /// The first and the last day of the activities among it.
    pub span: Option<(Day, Day)>,
    /// What it proved about days.
    pub coverage: Coverage,
    /// What was worked out from it.
    pub worked_out: RecomputeCounts,
    /// Whether it was stopped before its end.
    pub stopped: bool,
    #[serde(skip)]
    new_items: NewItems,
}

/// What is new, to be counted once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct NewItems {
    activities: HashSet<ActivityId>,
    days: BTreeSet<Day>,
}

impl ImportOutcome {
    /// Whether the database is as it was.
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.added + self.joined + self.changed + self.days == 0
    }

    /// What came of it, as far as a person reads: what is new, what is damaged, what was there already.
    #[must_use]
    pub fn summary_sentences(&self) -> Vec<String> {
        let mut told = Vec::new();
        if self.stopped {
            told.push(
                "Stopped before the end. What was imported so far is kept; run it again for the rest."
                    .to_owned(),
            );
        }
        let span = self.span.map(|(first, last)| format!(" from {first} to {last}")).unwrap_or_default();
        if self.is_unchanged() {
            told.push("Nothing new.".to_owned());
        } else {
            told.push(format!("Imported {}{span}.", join_with_and(&self.new_item_counts())));
        }
        if self.flawed > 0 {
            let files = pluralize(self.flawed, "file is", "files are");
            told.push(format!(
                "{files} damaged or cut short; what could be read was imported and is marked."
            ));
        }
        if self.already_there + self.files_already_there > 0 {
            let activities = pluralize(self.already_there, "activity", "activities");
            let files = pluralize(self.files_already_there, "file", "files");
            let mut there = Vec::new();
            there.extend((self.files_already_there > 0).then_some(files));
            there.extend((self.already_there > 0).then_some(activities));
            told.push(format!("Already there: {}.", join_with_and(&there)));
        }
        told
    }

    fn new_item_counts(&self) -> Vec<String> {
        let mut news = vec![pluralize(self.added, "new activity", "new activities")];
        if self.joined > 0 {
            let known = pluralize(self.joined, "known activity", "known activities");
            news.push(format!("{known} with more about them"));
        }
        if self.changed > 0 {
            let changed = pluralize(self.changed, "activity", "activities");
            news.push(format!("{changed} changed at their source"));
        }
        if self.days > 0 {
            news.push(format!("{} of wellness", pluralize(self.days, "day", "days")));
        }
        news
    }

    pub(crate) fn skip(&mut self, path: impl Into<String>, reason: impl ToString) {
        self.skipped_count += 1;
        if self.skipped.len() < MAX_LISTED_SKIPS {
            self.skipped.push(Skip { path: path.into(), reason: reason.to_string() });
        }
    }

    pub(crate) fn add_batch(&mut self, taken: BatchOutcome) {
        for put in taken.records {
            match put.outcome {
                UpsertOutcome::Added => {
                    self.added += 1;
                    self.new_items.activities.insert(put.activity);
                }
                // A second word about an activity that came in with this very import is no news.
                UpsertOutcome::Merged => {
                    self.joined += u64::from(!self.new_items.activities.contains(&put.activity))
                }
                UpsertOutcome::Updated => self.changed += 1,
                UpsertOutcome::Unchanged => self.already_there += 1,
            }
        }
        self.new_items.days.extend(taken.days);
        self.days = self.new_items.days.len() as u64;
    }

    pub(crate) fn extend_span(&mut self, day: Day) {
        self.span = Some(self.span.map_or((day, day), |(first, last)| (first.min(day), last.max(day))));
    }
}
