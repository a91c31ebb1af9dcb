//! Result of an import or sync.

use crate::merge_rules::MergeRulesOutcome;
use crate::receipt::ImportReceipt;
use crate::recompute::RecomputeCounts;
use fitness_core::adherence::data_frontier::ImportCoverage;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::source_record::ParseCounts;
use fitness_core::domain::untrusted_text::{join_with_and, pluralize};
use fitness_store::{BatchOutcome, UpsertOutcome};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Further skips are only counted: a malicious archive can cause a million.
const MAX_LISTED_SKIPS: usize = 1000;

/// A skipped file or record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedFile {
    pub path: String,
    /// Shown after the path and a colon.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportOutcome {
    pub added: u64,
    /// Records merged into existing activities.
    pub joined: u64,
    /// Records whose content changed at the source.
    pub changed: u64,
    /// Activities without any new data.
    pub already_there: u64,
    /// Days with new wellness data.
    pub days: u64,
    pub files: u64,
    /// Files that were already imported.
    pub files_already_there: u64,
    /// Files with nothing to import: settings, courses, pictures.
    pub files_ignored: u64,
    /// Files that were imported although they are damaged.
    pub flawed: u64,
    /// What was dropped or corrected within files that were imported.
    pub parse_counts: ParseCounts,
    /// Number of skipped list entries by reason, such as nights when the watch was not worn.
    pub entries_left_out: BTreeMap<String, u64>,
    /// The first thousand skipped files and records.
    pub skipped: Vec<SkippedFile>,
    /// Number of all skipped files and records.
    pub skipped_count: u64,
    /// First and last day of the imported activities.
    pub span: Option<(Day, Day)>,
    /// How far the data is complete.
    pub coverage: ImportCoverage,
    pub worked_out: RecomputeCounts,
    /// What became of every file and record.
    pub receipt: ImportReceipt,
    /// What the merge rules of a new version changed in stored data, before this import.
    #[serde(skip_serializing_if = "MergeRulesOutcome::is_unchanged")]
    pub merge_rules: MergeRulesOutcome,
    pub stopped: bool,
    #[serde(skip)]
    new_items: NewItems,
}

/// New items, so that each is counted once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct NewItems {
    activities: HashSet<ActivityId>,
    days: BTreeSet<Day>,
}

impl ImportOutcome {
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.added + self.joined + self.changed + self.days == 0
    }

    /// Whether there was nothing that could be imported: no file was read now or earlier.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        self.files + self.files_already_there + self.already_there == 0
            && !self.stopped
            && self.is_unchanged()
    }

    /// Why nothing was imported.
    fn refusal(&self) -> String {
        match self.receipt.looks_like() {
            Some(vendor) => format!(
                "This looks like {}. local-fitness can't import any of its files yet.",
                vendor.archive()
            ),
            None if self.receipt.files_found() == 0 => "There are no files in it.".to_owned(),
            None => "None of the files can be imported: local-fitness reads FIT, TCX and GPX files, ZIPs of \
                     them, and account exports of Garmin and Strava."
                .to_owned(),
        }
    }

    /// Sentences for the user: what is new, damaged and already imported.
    #[must_use]
    pub fn summary_sentences(&self) -> Vec<String> {
        let mut told = self.merge_rules.summary_sentences();
        if self.stopped {
            told.push(
                "Stopped before the end. Everything imported so far is kept; import again for the rest."
                    .to_owned(),
            );
        }
        let span = match self.span {
            Some((first, last)) if first == last => format!(" on {}", first.format_long()),
            Some((first, last)) => format!(" from {} to {}", first.format_long(), last.format_long()),
            None => String::new(),
        };
        if self.is_refused() {
            told.push(self.refusal());
        } else if self.is_unchanged() {
            told.push("Nothing new.".to_owned());
        } else {
            told.push(format!("Imported {}{span}.", join_with_and(&self.new_item_counts())));
        }
        if self.flawed > 0 {
            let files = pluralize(self.flawed, "file is", "files are");
            told.push(format!("{files} damaged or incomplete; the readable part was imported and flagged."));
        }
        told.extend(self.parse_counts.sentences());
        if self.already_there + self.files_already_there > 0 {
            let activities = pluralize(self.already_there, "activity", "activities");
            let files = pluralize(self.files_already_there, "file", "files");
            let mut there = Vec::new();
            there.extend((self.files_already_there > 0).then_some(files));
            there.extend((self.already_there > 0).then_some(activities));
            told.push(format!("Already imported: {}.", join_with_and(&there)));
        }
        told
    }

    fn new_item_counts(&self) -> Vec<String> {
        let mut news = vec![pluralize(self.added, "new activity", "new activities")];
        if self.joined > 0 {
            let known = pluralize(self.joined, "existing activity", "existing activities");
            news.push(format!("more data for {known}"));
        }
        if self.changed > 0 {
            let changed = pluralize(self.changed, "activity", "activities");
            news.push(format!("updates to {changed}"));
        }
        if self.days > 0 {
            news.push(format!("{} of wellness data", pluralize(self.days, "day", "days")));
        }
        news
    }

    pub(crate) fn skip(&mut self, path: impl Into<String>, reason: impl ToString) {
        self.skipped_count += 1;
        if self.skipped.len() < MAX_LISTED_SKIPS {
            self.skipped.push(SkippedFile { path: path.into(), reason: reason.to_string() });
        }
    }

    pub(crate) fn add_batch(&mut self, taken: BatchOutcome) {
        for put in taken.records {
            match put.outcome {
                UpsertOutcome::Added => {
                    self.added += 1;
                    self.new_items.activities.insert(put.activity);
                }
                // Merging into an activity of the same import is not news.
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
