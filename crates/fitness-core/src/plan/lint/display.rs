//! What the linter says, as it is told: counted, and apart from what it said before.

use super::{Finding, Severity};
use crate::domain::untrusted_text::pluralize;

/// `1 error, 2 warnings`; notes only where there are some.
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

/// What a change to a plan brings, apart from what was said before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindingsDiff {
    /// Said with the change alone.
    pub new: Vec<Finding>,
    /// Said before as well.
    pub unchanged: Vec<Finding>,
    /// No longer said, in other numbers neither.
    pub resolved: Vec<Finding>,
}

impl FindingsDiff {
    /// What is found now, beside what was found before.
    #[must_use]
    pub fn compare(findings: &[Finding], before: &[Finding]) -> Self {
        let same = |one: &Finding, other: &Finding| {
            (one.rule, one.severity, &one.text) == (other.rule, other.severity, &other.text)
        };
        let of = |all: &[Finding], others: &[Finding], there: bool| -> Vec<Finding> {
            let known = |one: &&Finding| others.iter().any(|other| same(one, other)) == there;
            all.iter().filter(known).cloned().collect()
        };
        // The same rule about the same day, as bad or worse, did not go away: it is said anew.
        let anew = |one: &Finding| {
            let about = |other: &Finding| (other.rule, other.day) == (one.rule, one.day);
            findings.iter().any(|other| about(other) && other.severity <= one.severity)
        };
        let mut resolved = of(before, findings, false);
        resolved.retain(|one| !anew(one));
        Self { new: of(findings, before, false), unchanged: of(findings, before, true), resolved }
    }
}
