//! What the checks of a plan say, the errors first, each with what was looked at and whose finding that is.

use crate::components::time;
use fitness_core::plan::lint::{Finding, FindingsDiff, Severity, format_counts};
use maud::{Markup, html};

/// Everything it says.
pub(crate) fn render(findings: &[Finding]) -> Markup {
    html! {
        @if findings.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " Checks" } " Nothing to worry about." } }
        @else { p { "Checks: " (format_counts(findings)) "." } (list(findings)) }
    }
}

/// What a change brings, apart from what was said before.
pub(crate) fn render_since(findings: &[Finding], before: &[Finding]) -> Markup {
    let FindingsDiff { new, unchanged: old, resolved: gone } = FindingsDiff::compare(findings, before);
    html! {
        @if new.is_empty() && old.is_empty() && gone.is_empty() { (render(findings)) }
        @else if new.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " Checks" } " Nothing new to worry about." } }
        @else { p { "Checks, new with this: " (format_counts(&new)) "." } (list(&new)) }
        @for (said, some) in [("As before", &old), ("No longer", &gone)] {
            @if !some.is_empty() {
                details { summary { (said) ": " (format_counts(some)) "." } (list(some)) }
            }
        }
    }
}

fn list(findings: &[Finding]) -> Markup {
    html! { ul.findings { @for finding in findings { li { (render_one(finding)) } } } }
}

/// One of them.
pub(crate) fn render_one(finding: &Finding) -> Markup {
    html! {
        (severity(finding.severity)) " "
        span { (time::humanize_dates(&finding.text)) br;
            small.soft { "Looks at " (finding.rule.metric()) ". After " (finding.rule.source_label()) ". " span.faint { (finding.rule) } }
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
