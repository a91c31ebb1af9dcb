//! `fitness prompts`: lists and lints the prompts for models.

use crate::cli::PromptsCommand;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_coach::prompt::{Prompt, PromptFile, PromptName, PromptVersionIndex};
use fitness_coach::prompt_lint::{LintContext, LintFinding, lint, lint_built_in};
use fitness_coach::tools::ToolName;
use fitness_core::domain::content_hash::ContentHash;
use serde_json::json;
use std::path::{Path, PathBuf};

const MAX_BYTES: u64 = 1 << 20;

pub(super) fn run(command: PromptsCommand) -> Result<CommandOutput> {
    match command {
        PromptsCommand::List => Ok(list()),
        PromptsCommand::Check { file, as_prompt } => score_prompts(file, as_prompt),
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

fn score_prompts(file: Option<PathBuf>, as_prompt: Option<PromptName>) -> Result<CommandOutput> {
    let tools: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let Some(path) = file else {
        return Ok(render_failures(
            &lint_built_in(|name| LintContext::for_prompt(Some(name), &tools)),
            "the rules of each registered prompt",
        ));
    };
    let text = read_prompt(&path)?;
    let known = as_prompt.or_else(|| prompt_from_path(&path)).or_else(|| Prompt::find_original(&text));
    let rules = known.map_or_else(
        || "the common rules; use --as brief or --as chat for the rules of a registered prompt".to_owned(),
        |name| format!("the rules of the {name} prompt"),
    );
    let mut failures: Vec<LintFinding> = registered_version(&path)
        .and_then(|(name, version)| {
            PromptVersionIndex::BUILT_IN.find_drift(&PromptFile { name, version, text: &text })
        })
        .into_iter()
        .collect();
    failures.extend(lint(&text, &LintContext::for_prompt(known, &tools)));
    Ok(render_failures(&failures, &rules))
}

/// Name and version from a path such as `brief/v2.md`.
fn registered_version(path: &Path) -> Option<(PromptName, u32)> {
    let name = path.parent()?.file_name()?.to_str()?.parse().ok()?;
    let version = path.file_stem()?.to_str()?.strip_prefix('v')?.parse().ok()?;
    Some((name, version))
}

/// The prompt named by the file or its folder: `brief.md`, `brief/v2.md`.
fn prompt_from_path(path: &Path) -> Option<PromptName> {
    let folder = path.parent().and_then(Path::file_name);
    [path.file_stem(), folder].into_iter().flatten().find_map(|name| name.to_str()?.parse().ok())
}

/// One `FAIL:` line per finding; exit code 1 if there are any.
fn render_failures(failures: &[LintFinding], rules: &str) -> CommandOutput {
    let failures: Vec<String> = failures.iter().map(ToString::to_string).collect();
    let data = json!({ "failures": failures, "rules": rules });
    let used = format!("Checked against {rules}.\n");
    if failures.is_empty() {
        let words = "No findings: every metric and tool in the prompt exists, and no rule is missing.";
        return CommandOutput::new(format!("{words}\n{used}"), &data);
    }
    CommandOutput::new(failures.join("\n"), &data).with_stderr(used).with_failure()
}

fn read_prompt(path: &Path) -> Result<String> {
    let unreadable = |why: &dyn std::fmt::Display| {
        CliError::new(format!("cannot read {}: {why}", path.display()), "use a text file with a prompt")
    };
    let size = std::fs::metadata(path).map_err(|why| unreadable(&why))?.len();
    if size > MAX_BYTES {
        return Err(unreadable(&"too large for a prompt").into());
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
        assert_eq!(without.text_and_success(), (line, false), "one finding, exit code 1");
    }
}
