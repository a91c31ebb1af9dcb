//! `fitness prompts`: what models are told, and whether it keeps to what was promised.

use crate::cli::PromptsCommand;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_coach::prompt::{Prompt, PromptName, Registered, Registry};
use fitness_coach::prompt_lint::{Failure as Drift, Known, score, score_ours};
use fitness_coach::tools::ToolName;
use fitness_core::domain::content_hash::ContentHash;
use serde_json::json;
use std::path::{Path, PathBuf};

/// No prompt is longer.
const MAX_BYTES: u64 = 1 << 20;

pub(super) fn run(command: PromptsCommand) -> Result<Report> {
    match command {
        PromptsCommand::List => Ok(list()),
        PromptsCommand::Score { file, held_to } => scored(file, held_to),
    }
}

fn list() -> Report {
    let prompts: Vec<Prompt> = PromptName::ALL.iter().map(|name| Prompt::current(*name)).collect();
    let hash = |prompt: &Prompt| ContentHash::of_bytes(prompt.text.as_bytes()).to_string();
    let rows: Vec<_> = (prompts.iter())
        .map(|prompt| [prompt.name.to_string(), format!("v{}", prompt.version), hash(prompt)])
        .collect();
    let data: Vec<_> = (prompts.iter())
        .map(|prompt| json!({ "name": prompt.name, "version": prompt.version, "sha256": hash(prompt) }))
        .collect();
    Report::new(table(["prompt", "version", "sha256"], &rows), &data)
}

fn scored(file: Option<PathBuf>, held_to: Option<PromptName>) -> Result<Report> {
    let tools: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let Some(path) = file else {
        return Ok(told(&score_ours(|name| Known::of(Some(name), &tools)), "each registered prompt's own"));
    };
    let text = read(&path)?;
    let known = held_to.or_else(|| filed_as(&path)).or_else(|| Prompt::behind(&text));
    let rules = known.map_or_else(
        || "those of every prompt; for ours say --as brief or --as chat".to_owned(),
        |name| format!("those of the {name} prompt"),
    );
    let mut failures: Vec<Drift> = version_of(&path)
        .and_then(|(name, version)| Registry::BUILT.drift(&Registered { name, version, text: &text }))
        .into_iter()
        .collect();
    failures.extend(score(&text, &Known::of(known, &tools)));
    Ok(told(&failures, &rules))
}

/// The prompt and the version that a file is kept as: `brief/v2.md`.
fn version_of(path: &Path) -> Option<(PromptName, u32)> {
    let name = path.parent()?.file_name()?.to_str()?.parse().ok()?;
    let version = path.file_stem()?.to_str()?.strip_prefix('v')?.parse().ok()?;
    Some((name, version))
}

/// What a file is by its name or its folder's: `brief.md`, `brief/v2.md`.
fn filed_as(path: &Path) -> Option<PromptName> {
    let folder = path.parent().and_then(Path::file_name);
    [path.file_stem(), folder].into_iter().flatten().find_map(|name| name.to_str()?.parse().ok())
}

/// One `FAIL:` line for each failure, and exit 1 when there is any.
fn told(failures: &[Drift], rules: &str) -> Report {
    let failures: Vec<String> = failures.iter().map(ToString::to_string).collect();
    let data = json!({ "failures": failures, "rules": rules });
    let used = format!("Rules used: {rules}.\n");
    if failures.is_empty() {
        let words = "In sync: everything the prompt promises exists, and every rule is there.";
        return Report::new(format!("{words}\n{used}"), &data);
    }
    Report::new(failures.join("\n"), &data).aside(used).unhealthy()
}

fn read(path: &Path) -> Result<String> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Failure::new(format!("cannot read {}: {why}", path.display()), "name a text file with a prompt")
    };
    let size = std::fs::metadata(path).map_err(|why| unreadable(&why))?.len();
    if size > MAX_BYTES {
        return Err(unreadable(&"it is far too long for a prompt").into());
    }
    std::fs::read_to_string(path).map_err(|why| unreadable(&why).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_taken_out_of_the_enum_is_told_in_the_seeds_words_and_exits_1() {
        let tools: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
        let as_it_is = told(&score_ours(|name| Known::of(Some(name), &tools)), "");
        assert!(as_it_is.says().1, "{:?}", as_it_is.says());
        let without = told(
            &score_ours(|name| {
                let mut known = Known::of(Some(name), &tools);
                known.metrics.retain(|metric| *metric != "training_load");
                known
            }),
            "",
        );
        let line = "FAIL: prompt advertises non-schema metrics: ['training_load']";
        assert_eq!(without.says(), (line, false), "exactly what the seed saw, and not healthy is exit 1");
    }
}
