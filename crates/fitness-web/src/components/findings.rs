//! Findings of the plan checks, errors first, each with its source.

use crate::components::core_message::for_page;
use fitness_core::plan::lint::{Finding, FindingsDiff, Severity, format_counts};
use maud::{Markup, html};

pub(crate) fn render(findings: &[Finding]) -> Markup {
    html! {
        @if findings.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " All checks passed" } } }
        @else { p { "Found " (format_counts(findings)) "." } (list(findings)) }
    }
}

/// The findings of a change, split into new, unchanged and resolved ones.
pub(crate) fn render_since(findings: &[Finding], before: &[Finding]) -> Markup {
    let FindingsDiff { new, unchanged: old, resolved: gone } = FindingsDiff::compare(findings, before);
    html! {
        @if new.is_empty() && old.is_empty() && gone.is_empty() { (render(findings)) }
        @else if new.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " No new problems" } } }
        @else { p { "New with this change: " (format_counts(&new)) "." } (list(&new)) }
        @for (label, some) in [("Unchanged", &old), ("Resolved", &gone)] {
            @if !some.is_empty() {
                details { summary { (label) ": " (format_counts(some)) "." } (list(some)) }
            }
        }
    }
}

fn list(findings: &[Finding]) -> Markup {
    html! { ul.findings { @for finding in findings { li { (render_one(finding)) } } } }
}

pub(crate) fn render_one(finding: &Finding) -> Markup {
    html! {
        (severity(finding.severity)) " "
        span { (for_page(&finding.text)) br;
            small.soft { "What is checked: " (finding.rule.metric()) ". Source: " (finding.rule.source_label()) "." }
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
