//! `fitness completions` and `fitness man`: what a shell and `man` need to know, from the arguments themselves.

use crate::cli::Args;
use crate::output::CommandOutput;
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;
use std::path::Path;

/// What the program is called where it is installed.
const PROGRAM: &str = "fitness";

/// Prints the script of a shell.
pub(super) fn completions(shell: Shell) -> CommandOutput {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), PROGRAM, &mut script);
    text_output(script, "script")
}

/// Prints the manual page, or writes one for each command to a folder.
pub(super) fn man(folder: Option<&Path>) -> Result<CommandOutput> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(Args::command()).manual("local-fitness").render(&mut page)?;
        return Ok(text_output(page, "page"));
    };
    let told = || folder.display().to_string();
    std::fs::create_dir_all(folder).with_context(told)?;
    clap_mangen::generate_to(Args::command(), folder).with_context(told)?;
    let text = format!("Wrote the pages to {}; `man -l` shows one of them.", folder.display());
    Ok(CommandOutput::new(text, &json!({ "folder": folder })))
}

/// What was asked for is a text; as data it is a string.
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
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in Shell::value_variants() {
            let report = completions(*shell);
            let (script, _) = report.text_and_success();
            for word in ["import", "activate", "behind-proxy", "completions"] {
                assert!(script.contains(word), "{shell} does not know {word}");
            }
        }
    }

    #[test]
    fn there_is_a_page_for_every_command() {
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
        assert!(spurious.is_empty(), "help is no command of ours");
    }
}
