//! `fitness completions` and `fitness man`, generated from the arguments.

use crate::cli::Args;
use crate::output::CommandOutput;
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;
use std::path::Path;

const PROGRAM: &str = "fitness";

pub(super) fn completions(shell: Shell) -> CommandOutput {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), PROGRAM, &mut script);
    text_output(script, "script")
}

pub(super) fn man(folder: Option<&Path>) -> Result<CommandOutput> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(Args::command()).manual("local-fitness").render(&mut page)?;
        return Ok(text_output(page, "page"));
    };
    let path = || folder.display().to_string();
    std::fs::create_dir_all(folder).with_context(path)?;
    clap_mangen::generate_to(Args::command(), folder).with_context(path)?;
    let text = format!("Wrote the manual pages to {}; open one with `man -l FILE`.", folder.display());
    Ok(CommandOutput::new(text, &json!({ "folder": folder })))
}

/// The JSON output has the text as one string.
fn text_output(text: Vec<u8>, key: &str) -> CommandOutput {
    let text = String::from_utf8_lossy(&text).into_owned();
    let data = json!({ key: &text });
    CommandOutput::new(text, &data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn completions_of_every_shell_contain_the_commands() {
        for shell in Shell::value_variants() {
            let report = completions(*shell);
            let (script, _) = report.text_and_success();
            for word in ["import", "activate", "behind-proxy", "completions"] {
                assert!(script.contains(word), "{shell} does not know {word}");
            }
        }
    }

    #[test]
    fn man_writes_a_page_for_every_command() {
        let page = man(None).unwrap();
        assert!(page.text_and_success().0.contains("fitness\\-import(1)"), "{}", page.text_and_success().0);
        let folder = tempfile::TempDir::new().unwrap();
        let pages = folder.path().join("man");
        man(Some(&pages)).unwrap();
        for page in ["fitness.1", "fitness-serve.1", "fitness-plan-activate.1"] {
            assert!(pages.join(page).is_file(), "no {page}");
        }
        let spurious = std::fs::read_dir(&pages).unwrap().filter_map(Result::ok);
        let spurious: Vec<_> =
            spurious.map(|entry| entry.file_name()).filter(|name| name == "fitness-help.1").collect();
        assert!(spurious.is_empty(), "help has no page");
    }
}
