//! `cargo xtask skips`: fails if the last `./check` skipped tests because a tool is missing.

use crate::workspace::read_file;
use anyhow::{Result, bail};
use std::path::Path;

/// Suffixes of reasons that no tool would fix: unpublished data and missing system permissions.
const ALLOWED_REASONS: &[&str] = &[
    " is not here",
    " are not here",
    "the seeds are not beside the repository",
    " is not permitted",
    " are not permitted here",
];

fn skips_by_missing_tool(list: &str) -> Vec<&str> {
    list.lines().filter(|line| !ALLOWED_REASONS.iter().any(|end| line.trim_end().ends_with(end))).collect()
}

pub(crate) fn check(root: &Path) -> Result<()> {
    let list = read_file(&root.join("target/check/skips"))?;
    let wanting = skips_by_missing_tool(&list);
    for line in &wanting {
        eprintln!("skipped because a tool is missing: {line}");
    }
    if !wanting.is_empty() {
        bail!("{} test(s) did not run", wanting.len());
    }
    println!("no test was skipped because a tool is missing");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_by_missing_tool_exclude_allowed_reasons() {
        let list = "everyPage: no Chromium, or no playwright-core and axe-core in FITNESS_NODE_MODULES\n\
                    a: the shared account export is not here\n\
                    b: no PostgreSQL is installed\n\
                    c: the recorded answers of Garmin are not here\n\
                    d: no Python with PyYAML here\n\
                    e: mounting a tmpfs is not permitted\n";
        let told: Vec<&str> =
            skips_by_missing_tool(list).iter().filter_map(|line| Some(line.split_once(':')?.0)).collect();
        assert_eq!(told, ["everyPage", "b", "d"]);
    }
}
