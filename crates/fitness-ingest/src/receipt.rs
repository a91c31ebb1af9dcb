//! The import receipt: what became of every file and record, and what was not understood.

use fitness_core::domain::untrusted_text::{join_with_and, pluralize};
use fitness_sources::archives::{self, Vendor};
use serde::Serialize;
use std::collections::BTreeMap;

/// Further reasons and names are counted together: a malicious archive can have a million.
const MAX_NAMES: usize = 40;
const OTHER_REASONS: &str = "other reasons";
const OTHER_FILES: &str = "other files";
/// Longest extension that is shown.
const MAX_EXTENSION: usize = 8;

/// Every file found is in exactly one line or in `not_understood`. In each line, found = imported +
/// already imported + left out, for files and for records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportReceipt {
    /// By kind of file, such as `FIT files` or `Garmin sleep`.
    pub lines: BTreeMap<String, ReceiptLine>,
    /// Number of files that no part of the importer reads, by name.
    pub not_understood: BTreeMap<String, u64>,
    /// Recognised files that are not read, by vendor.
    #[serde(skip)]
    vendors: BTreeMap<Vendor, u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ReceiptLine {
    pub files: Counts,
    /// Activities, days and other entries of these files.
    pub records: Counts,
    /// What the records are: `activity`, `day` and so on.
    pub became: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    pub found: u64,
    pub imported: u64,
    /// Files that an earlier import read; they were not opened.
    pub already_imported: u64,
    /// By reason.
    pub left_out: BTreeMap<String, u64>,
}

impl Counts {
    pub(crate) fn import(&mut self, count: u64) {
        self.found += count;
        self.imported += count;
    }

    pub(crate) fn know(&mut self) {
        self.found += 1;
        self.already_imported += 1;
    }

    pub(crate) fn leave_out(&mut self, reason: &str, count: u64) {
        self.found += count;
        *name_slot(&mut self.left_out, group_reason(reason), OTHER_REASONS) += count;
    }

    #[must_use]
    pub fn left_out_total(&self) -> u64 {
        self.left_out.values().sum()
    }

    /// Whether everything found is accounted for.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        self.found == self.imported + self.already_imported + self.left_out_total()
    }
}

/// Dates and sizes differ for each file; the reason is the same.
fn group_reason(reason: &str) -> &str {
    match reason.strip_prefix("dated ").and_then(|rest| rest.split_once(", ")) {
        Some((_, why)) => why,
        None => reason,
    }
}

/// The count under a name, or under `other` if there are too many names.
fn name_slot<'a>(counts: &'a mut BTreeMap<String, u64>, name: &str, other: &str) -> &'a mut u64 {
    let name = if counts.contains_key(name) || counts.len() < MAX_NAMES { name } else { other };
    counts.entry(name.to_owned()).or_default()
}

impl ImportReceipt {
    pub(crate) fn line(&mut self, kind: &str) -> &mut ReceiptLine {
        self.lines.entry(kind.to_owned()).or_default()
    }

    /// Counts a file that is not read.
    pub(crate) fn add_not_understood(&mut self, path: &str) {
        let name = match archives::identify(path) {
            Some(known) => {
                *self.vendors.entry(known.vendor).or_default() += 1;
                format!("{} {}", known.vendor.label(), known.content)
            }
            None => extension_name(path),
        };
        *name_slot(&mut self.not_understood, &name, OTHER_FILES) += 1;
    }

    /// Counts a file that could not be opened or is too large.
    pub(crate) fn add_unreadable(&mut self, reason: &str) {
        self.line("Unreadable files").files.leave_out(reason, 1);
    }

    /// The vendor of most files that are not read.
    #[must_use]
    pub fn looks_like(&self) -> Option<Vendor> {
        self.vendors
            .iter()
            .max_by_key(|(vendor, count)| (**count, std::cmp::Reverse(**vendor)))
            .map(|(v, _)| *v)
    }

    /// Number of files found.
    #[must_use]
    pub fn files_found(&self) -> u64 {
        self.lines.values().map(|line| line.files.found).sum::<u64>()
            + self.not_understood.values().sum::<u64>()
    }

    /// Lines for the user: one per kind of file, then what was not understood.
    #[must_use]
    pub fn render(&self) -> Vec<String> {
        let lines = self.lines.iter().map(|(kind, line)| format!("{kind}: {}", line.render()));
        let unread = self.not_understood.iter().map(|(name, count)| {
            let known = Vendor::ALL.iter().any(|vendor| name.starts_with(vendor.label()));
            let why = if known { "not supported yet" } else { "not recognised" };
            format!("{count} {name}: {why}")
        });
        lines.chain(unread).collect()
    }
}

impl ReceiptLine {
    fn render(&self) -> String {
        let files = |count: u64| pluralize(count, "file", "files");
        let mut parts = Vec::new();
        if self.files.imported > 0 {
            let became: Vec<String> =
                self.became.iter().map(|(what, count)| format!("{count} {}", plural(what, *count))).collect();
            let became = if became.is_empty() { "no entries".to_owned() } else { join_with_and(&became) };
            parts.push(format!("{} read as {became}", files(self.files.imported)));
        }
        if self.files.already_imported > 0 {
            parts.push(format!("{} already imported", files(self.files.already_imported)));
        }
        for (reason, count) in &self.files.left_out {
            parts.push(format!("{} left out: {reason}", files(*count)));
        }
        for (reason, count) in &self.records.left_out {
            parts.push(format!("{} left out: {reason}", pluralize(*count, "entry", "entries")));
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
    }
}

fn plural(what: &str, count: u64) -> String {
    match what {
        _ if count == 1 => what.to_owned(),
        "activity" => "activities".to_owned(),
        "set of zones" => "sets of zones".to_owned(),
        _ => format!("{what}s"),
    }
}

/// `CSV files` for `a.csv`. Extensions are untrusted text.
fn extension_name(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| {
        (1..=MAX_EXTENSION).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    extension.map_or_else(|| OTHER_FILES.to_owned(), |found| format!("{} files", found.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipt_names_what_was_not_understood_and_bounds_the_names() {
        let mut receipt = ImportReceipt::default();
        for number in 0..12 {
            receipt.add_not_understood(&format!("polar.zip/sleep_result_{number}.json"));
        }
        receipt.add_not_understood("holiday.jpg");
        receipt.line("FIT files").files.import(1);
        *receipt.line("FIT files").became.entry("activity").or_default() += 2;
        receipt.line("FIT files").records.leave_out("dated 2090-01-01, in the future", 1);
        receipt.line("FIT files").records.leave_out("dated 2091-01-01, in the future", 1);
        assert_eq!(
            receipt.render(),
            [
                "FIT files: 1 file read as 2 activities; 2 entries left out: in the future",
                "1 JPG files: not recognised",
                "12 Polar sleep files: not supported yet",
            ]
        );
        assert_eq!(receipt.looks_like(), Some(Vendor::Polar));
        for number in 0..10_000 {
            receipt.add_not_understood(&format!("a.x{number}"));
            receipt.line("FIT files").files.leave_out(&format!("reason {number}"), 1);
        }
        assert!(receipt.not_understood.len() <= MAX_NAMES + 1);
        assert!(receipt.lines["FIT files"].files.left_out.len() <= MAX_NAMES + 1);
        assert!(receipt.lines["FIT files"].files.is_balanced());
        assert_eq!(receipt.files_found(), 13 + 1 + 20_000);
        receipt.add_not_understood("\u{202e}evil.\u{202e}gpj");
        assert!(receipt.not_understood.keys().all(|name| name.is_ascii()));
    }
}
