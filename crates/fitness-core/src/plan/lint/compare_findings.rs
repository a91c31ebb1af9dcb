//! Counting findings, and comparing them before and after a change.

use super::{Finding, Severity};
use crate::domain::untrusted_text::pluralize;

/// `1 error, 2 warnings`; notes only if there are any.
#[must_use]
pub fn format_counts(findings: &[Finding]) -> String {
    let some = |severity: Severity, many: &str| {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        pluralize(count as u64, severity.as_str(), many)
    };
    let mut parts = vec![some(Severity::Error, "errors"), some(Severity::Warning, "warnings")];
    if findings.iter().any(|finding| finding.severity == Severity::Note) {
        parts.push(some(Severity::Note, "notes"));
    }
    parts.join(", ")
}

/// Lint findings before and after a change to a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindingsDiff {
    /// Only with the change.
    pub new: Vec<Finding>,
    /// Before and after the change.
    pub unchanged: Vec<Finding>,
    /// No longer reported, not even with other numbers.
    pub resolved: Vec<Finding>,
}

impl FindingsDiff {
    /// Compares the findings with those from before the change.
    #[must_use]
    pub fn compare(findings: &[Finding], before: &[Finding]) -> Self {
        let same = |one: &Finding, other: &Finding| {
            (one.rule, one.severity, &one.text) == (other.rule, other.severity, &other.text)
        };
        let of = |all: &[Finding], others: &[Finding], there: bool| -> Vec<Finding> {
            let known = |one: &&Finding| others.iter().any(|other| same(one, other)) == there;
            all.iter().filter(known).cloned().collect()
        };
        // The same rule on the same day, as severe or worse, is not resolved.
        let anew = |one: &Finding| {
            let about = |other: &Finding| (other.rule, other.day) == (one.rule, one.day);
            findings.iter().any(|other| about(other) && other.severity <= one.severity)
        };
        let mut resolved = of(before, findings, false);
        resolved.retain(|one| !anew(one));
        Self { new: of(findings, before, false), unchanged: of(findings, before, true), resolved }
    }
}
