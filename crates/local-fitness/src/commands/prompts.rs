//! `fitness prompts`: what models are told, and whether it keeps to what was promised.

use crate::cli::PromptsCommand;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_coach::prompt::{Prompt, PromptFile, PromptName, Registry};
use fitness_coach::prompt_lint::{LintContext, LintFinding as Drift, lint, lint_built_in};
use fitness_coach::tools::ToolName;
use fitness_core::domain::content_hash::ContentHash;
use serde_json::json;
use std::path::{Path, PathBuf};

/// No prompt is longer.
const MAX_BYTES: u64 = 1 << 20;

pub(super) fn run(command: PromptsCommand) -> Result<CommandOutput> {
    match command {
        PromptsCommand::List => Ok(list()),
        PromptsCommand::Score { file, as_prompt: held_to } => score_prompts(file, held_to),
    }
}

fn list() -> CommandOutput {
    let prompts: Vec<Prompt> = PromptName::ALL.iter().map(|name| Prompt::current(*name)).collect();
    let hash = |prompt: &Prompt| ContentHash::hash_bytes(prompt.text.as_bytes()).to_string();
    let rows: Vec<_> = (prompts.iter())
        .map(|prompt| [prompt.name.to_string(), format!("v{}", prompt.version), hash(prompt)])
        .collect();
    let data: Vec<_> = (prompts.iter())
        .map(|prompt| json!({ "name": prompt.name, "version": prompt.version, "sha256": hash(prompt) }))
        .collect();
    CommandOutput::new(table(["prompt", "version", "sha256"], &rows), &data)
}

fn score_prompts(file: Option<PathBuf>, held_to: Option<PromptName>) -> Result<CommandOutput> {
    let tools: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let Some(path) = file else {
        return Ok(render_failures(
            &lint_built_in(|name| LintContext::for_prompt(Some(name), &tools)),
            "each registered prompt's own",
        ));
    };
    let text = read_prompt(&path)?;
    let known = held_to.or_else(|| prompt_from_path(&path)).or_else(|| Prompt::find_original(&text));
    let rules = known.map_or_else(
        || "those of every prompt; for ours say --as brief or --as chat".to_owned(),
        |name| format!("those of the {name} prompt"),
    );
    let mut failures: Vec<Drift> = registered_version(&path)
        .and_then(|(name, version)| Registry::BUILT_IN.find_drift(&PromptFile { name, version, text: &text }))
        .into_iter()
        .collect();
    failures.extend(lint(&text, &LintContext::for_prompt(known, &tools)));
    Ok(render_failures(&failures, &rules))
}

/// The prompt and the version that a file is kept as: `brief/v2.md`.
fn registered_version(path: &Path) -> Option<(PromptName, u32)> {
    let name = path.parent()?.file_name()?.to_str()?.parse().ok()?;
    let version = path.file_stem()?.to_str()?.strip_prefix('v')?.parse().ok()?;
    Some((name, version))
}

/// What a file is by its name or its folder's: `brief.md`, `brief/v2.md`.
fn prompt_from_path(path: &Path) -> Option<PromptName> {
    let folder = path.parent().and_then(Path::file_name);
    [path.file_stem(), folder].into_iter().flatten().find_map(|name| name.to_str()?.parse().ok())
}

/// One `FAIL:` line for each failure, and exit 1 when there is any.
fn render_failures(failures: &[Drift], rules: &str) -> CommandOutput {
    let failures: Vec<String> = failures.iter().map(ToString::to_string).collect();
    let data = json!({ "failures": failures, "rules": rules });
    let used = format!("Rules used: {rules}.\n");
    if failures.is_empty() {
        let words = "In sync: everything the prompt promises exists, and every rule is there.";
        return CommandOutput::new(format!("{words}\n{used}"), &data);
    }
    CommandOutput::new(failures.join("\n"), &data).with_stderr(used).with_failure()
}

fn read_prompt(path: &Path) -> Result<String> {
    let unreadable = |why: &dyn std::fmt::Display| {
        CliError::new(format!("cannot read {}: {why}", path.display()), "name a text file with a prompt")
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
    fn prompt_naming_a_removed_metric_fails_with_exit_1() {
        let tools: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
        let as_it_is =
            render_failures(&lint_built_in(|name| LintContext::for_prompt(Some(name), &tools)), "");
        assert!(as_it_is.text_and_success().1, "{:?}", as_it_is.text_and_success());
        let without = render_failures(
            &lint_built_in(|name| {
                let mut known = LintContext::for_prompt(Some(name), &tools);
                known.metrics.retain(|metric| *metric != "training_load");
                known
            }),
            "",
        );
        let line = "FAIL: prompt advertises non-schema metrics: ['training_load']";
        assert_eq!(
            without.text_and_success(),
            (line, false),
            "exactly what the seed saw, and not healthy is exit 1"
        );
    }
}
