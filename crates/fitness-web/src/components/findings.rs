//! Findings of the plan checks, errors first, each with its source.

use crate::components::core_message::for_page;
use fitness_core::plan::lint::{Finding, FindingsDiff, Severity, format_counts};
use maud::{Markup, html};

pub(crate) fn render(findings: &[Finding]) -> Markup {
    html! {
        @if findings.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " All checks passed" } } }
        @else { p { "Found " (format_counts(findings)) "." } (list(findings, "Error")) }
    }
}

/// The findings of the athlete's own change, split into new, unchanged and resolved ones. `has_note`
/// is whether the page notes something else about the change. None of them prevents it.
pub(crate) fn render_since(findings: &[Finding], before: &[Finding], has_note: bool) -> Markup {
    let FindingsDiff { new, unchanged: old, resolved: gone } = FindingsDiff::compare(findings, before);
    // "Error" is the word for what must be overridden before it can be saved.
    let counts = |findings: &[Finding]| format_counts(findings).replace("error", "problem");
    let is_clean = new.is_empty() && old.is_empty() && gone.is_empty();
    let has_error = new.iter().any(|finding| finding.severity == Severity::Error);
    html! {
        @if is_clean && !has_note { (render(findings)) }
        @else if is_clean { p { "No other problems." } }
        @else if new.is_empty() { p { span.chip.good { i aria-hidden="true" { "✓" } " No new problems" } } }
        @else {
            p { "New with this change: " (counts(&new)) "." @if has_error { " You can still make the change." } }
            (list(&new, "Problem"))
        }
        @for (label, some) in [("Unchanged", &old), ("Resolved", &gone)] {
            @if !some.is_empty() {
                details { summary { (label) ": " (counts(some)) "." } (list(some, "Problem")) }
            }
        }
    }
}

fn list(findings: &[Finding], error_word: &'static str) -> Markup {
    html! { ul.findings { @for finding in findings { li { (render_one(finding, error_word)) } } } }
}

fn render_one(finding: &Finding, error_word: &'static str) -> Markup {
    html! {
        (severity(finding.severity, error_word)) " "
        span { (for_page(&finding.text)) br;
            @let source = finding.rule.source_label();
            small.soft { "What is checked: " (finding.rule.metric()) "." @if !source.is_empty() { " Source: " (source) "." } }
        }
    }
}

fn severity(severity: Severity, error_word: &'static str) -> Markup {
    let (class, icon, word) = match severity {
        Severity::Error => ("bad", "✕", error_word),
        Severity::Warning => ("fair", "!", "Warning"),
        Severity::Note => ("excused", "i", "Note"),
    };
    html! { span.chip.(class) { i aria-hidden="true" { (icon) } " " (word) } }
}
