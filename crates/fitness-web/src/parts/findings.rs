//! What the linter says, the errors first, each with its rule and whose finding that is.

use fitness_core::plan::lint::{Finding, Severity, Since, counts};
use maud::{Markup, html};

/// Everything it says.
pub(crate) fn all(findings: &[Finding]) -> Markup {
    html! {
        @if findings.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " Checked" } " The linter has nothing to say." } }
        @else { p { "The linter: " (counts(findings)) "." } (list(findings)) }
    }
}

/// What a change brings, apart from what was said before.
pub(crate) fn since(findings: &[Finding], before: &[Finding]) -> Markup {
    let Since { new, old, gone } = Since::of(findings, before);
    html! {
        @if new.is_empty() && old.is_empty() && gone.is_empty() { (all(findings)) }
        @else if new.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " Checked" } " The linter finds nothing new in this." } }
        @else { p { "The linter, new with this: " (counts(&new)) "." } (list(&new)) }
        @for (said, some) in [("As before", &old), ("No longer", &gone)] {
            @if !some.is_empty() {
                details { summary { (said) ": " (counts(some)) "." } (list(some)) }
            }
        }
    }
}

fn list(findings: &[Finding]) -> Markup {
    html! { ul.findings { @for finding in findings { li { (one(finding)) } } } }
}

/// One of them.
pub(crate) fn one(finding: &Finding) -> Markup {
    html! {
        (severity(finding.severity)) " "
        span { (finding.text) " "
            small.soft title=(finding.rule.metric()) { (finding.rule) " · " (finding.rule.source()) }
        }
    }
}

fn severity(severity: Severity) -> Markup {
    let (class, icon, word) = match severity {
        Severity::Error => ("bad", "✕", "Error"),
        Severity::Warning => ("fair", "!", "Warning"),
        Severity::Note => ("excused", "i", "Note"),
    };
    html! { span.chip.(class) { i aria-hidden="true" { (icon) } " " (word) } }
}
