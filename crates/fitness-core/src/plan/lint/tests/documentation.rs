//! `docs/plans.md` lists every rule with its metric and source, as in the code.

use super::super::LintRule;
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../../../../docs/plans.md");

/// Cells of every table row that starts with a rule.
fn documented_rules() -> BTreeMap<&'static str, Vec<&'static str>> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| R"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0], cells[1..].to_vec())
    })
    .collect()
}

#[test]
fn docs_page_lists_every_rule_with_its_source() {
    let page = documented_rules();
    for rule in LintRule::ALL {
        let cells = page.get(rule.as_str()).unwrap_or_else(|| panic!("docs/plans.md has no {rule}"));
        assert_eq!(cells[0], rule.metric(), "{rule}");
        assert_eq!(cells.len(), 5, "{rule}: what, novice, intermediate, advanced, source");
        assert_eq!(cells[4], rule.source(), "{rule}");
    }
    assert_eq!(page.len(), LintRule::ALL.len());
}
