//! `cargo xtask skips`: what the last `./check` skipped for want of a tool. Where everything is wanted that is a failure.

use crate::workspace::read_file;
use anyhow::{Result, bail};
use std::path::Path;

/// Ends of reasons that no tool would mend: data that is not published, and what a system does not let everybody do.
const ALLOWED_REASONS: &[&str] = &[
    " is not here",
    " are not here",
    "the seeds are not beside the repository",
    "nothing can be mounted here",
    "this system lets nobody make a room without a net",
];

/// The lines of a list of skips that a tool would mend.
fn skips_by_missing_tool(list: &str) -> Vec<&str> {
    list.lines().filter(|line| !ALLOWED_REASONS.iter().any(|end| line.trim_end().ends_with(end))).collect()
}

/// Fails where something was skipped for want of a tool, and says what.
pub(crate) fn check(root: &Path) -> Result<()> {
    let list = read_file(&root.join("target/check/skips"))?;
    let wanting = skips_by_missing_tool(&list);
    for line in &wanting {
        eprintln!("skipped for want of a tool: {line}");
    }
    if !wanting.is_empty() {
        bail!("{} test(s) did not run", wanting.len());
    }
    println!("nothing was skipped for want of a tool");
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
                    e: nothing can be mounted here\n";
        let told: Vec<&str> =
            skips_by_missing_tool(list).iter().filter_map(|line| Some(line.split_once(':')?.0)).collect();
        assert_eq!(told, ["everyPage", "b", "d"]);
    }
}
