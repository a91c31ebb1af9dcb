//! What the compiler does not check about the repository: call sites, reasons, documents that name tests.

use crate::ci_lint;
use crate::layering;
use crate::workspace::{read_file, root};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// The files that may call `redeem_confirmation`: its definition, the terminal, the web's confirm handler, the demo's
/// made-up athlete, and the hands of tests.
const CONSENT_CALLERS: &[&str] = &[
    "crates/fitness-store/src/plan/consent.rs",
    "crates/fitness-store/src/testkit/seed.rs",
    "crates/fitness-store/tests/it/consent.rs",
    "crates/fitness-store/tests/it/concurrent_activation.rs",
    "crates/fitness-web/src/auth/confirmation.rs",
    "crates/local-fitness/src/commands/demo/story.rs",
    "crates/local-fitness/src/confirm.rs",
];

/// What only a human does. These words name nothing inside the fence.
const HUMAN_VERBS: &[&str] =
    &["activate", "archive", "delete", "apply", "revert", "redeem_confirmation", "put_match", "remove_match"];

/// Everything that is wrong with the repository.
pub(crate) fn problems() -> Result<Vec<String>> {
    let root = root();
    let sources = rust_files(&root)?;
    let mut problems = layering::problems()?;
    problems.extend(check_consent_callers(&sources));
    problems.extend(check_human_verbs(&sources));
    problems.extend(check_crate_docs(&sources));
    let manifest = read_file(&root.join("Cargo.toml"))?;
    problems.extend(check_dependency_reasons(&manifest));
    for entry in std::fs::read_dir(root.join("crates")).context("crates")? {
        let path = entry?.path().join("Cargo.toml");
        problems.extend(check_testkit_dependency(&path.display().to_string(), &read_file(&path)?));
    }
    problems.extend(ci_lint::problems(&root)?);
    let guarantees = read_file(&root.join("docs/guarantees.md"))?;
    problems.extend(check_named_tests(&guarantees, &sources));
    Ok(problems)
}

/// A source file: its path from the root, and its text.
type Source = (String, String);

fn check_consent_callers(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|(path, _)| path.starts_with("crates/"))
        .filter(|(path, text)| {
            strip_comments(text).contains(".redeem_confirmation(")
                && !CONSENT_CALLERS.contains(&path.as_str())
        })
        .map(|(path, _)| {
            format!("{path} makes a consent; only the terminal and the web's confirm handler may")
        })
        .collect()
}

fn check_human_verbs(sources: &[Source]) -> Vec<String> {
    let fenced =
        |path: &str| path.starts_with("crates/fitness-coach/") || path.starts_with("crates/fitness-mcp/");
    let mut problems = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| fenced(path)) {
        let code = strip_comments(text);
        let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for word in words {
            let human =
                word.split('_').any(|part| HUMAN_VERBS.contains(&part)) || HUMAN_VERBS.contains(&word);
            if human {
                problems.push(format!("{path} names `{word}`, which only a human does"));
            }
        }
    }
    problems
}

fn check_crate_docs(sources: &[Source]) -> Vec<String> {
    let entry = |path: &str| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs");
    sources
        .iter()
        .filter(|(path, text)| entry(path) && !text.starts_with("//! "))
        .map(|(path, _)| format!("{path} does not open with what the crate is"))
        .collect()
}

fn check_dependency_reasons(manifest: &str) -> Vec<String> {
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
    section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter(|line| line.contains(" = ") && !line.starts_with('#') && !line.contains("path = "))
        .filter(|line| !line.rsplit('"').next().unwrap_or_default().contains("# "))
        .map(|line| {
            format!("Cargo.toml gives no reason for `{}`", line.split(' ').next().unwrap_or_default())
        })
        .collect()
}

/// The test kit can play the human; a normal dependency on it would put that into the product.
fn check_testkit_dependency(path: &str, manifest: &str) -> Option<String> {
    let normal = manifest.split("[dev-dependencies]").next().unwrap_or_default();
    let uses = |line: &str| line.contains("testkit") && line.contains("fitness-store");
    normal.lines().any(uses).then(|| format!("{path} uses the test kit outside its tests"))
}

/// A test that a document names in backticks, as `module::its_name_is_a_sentence`, must exist.
fn check_named_tests(document: &str, sources: &[Source]) -> Vec<String> {
    let names = document.split('`').skip(1).step_by(2).filter_map(|quoted| {
        let name = quoted.rsplit("::").next().unwrap_or_default();
        let sentence =
            name.matches('_').count() >= 3 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        sentence.then_some(name)
    });
    let known = |name: &&str| {
        sources
            .iter()
            .any(|(_, text)| text.contains(&format!("fn {name}(")) || text.contains(&format!("\"{name}\"")))
            || sources.iter().any(|(path, _)| path.ends_with(&format!("/{name}.rs")))
            || schema_names().contains(*name)
    };
    names
        .filter(|name| !known(name))
        .map(|name| format!("docs/guarantees.md names `{name}`, which does not exist"))
        .collect()
}

/// Constraints and indexes, which a document may name as well.
fn schema_names() -> String {
    std::fs::read_to_string(root().join("crates/fitness-store/src/db/migrations/0001_tables.sql"))
        .unwrap_or_default()
}

/// The text without comments.
fn strip_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn rust_files(root: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut directories = vec![root.join("crates"), root.join("xtask")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                found.push((name, read_file(&path)?));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(problems().unwrap(), Vec::<String>::new());
    }

    fn source(path: &str, text: &str) -> Vec<Source> {
        vec![(path.to_owned(), text.to_owned())]
    }

    #[test]
    fn unlisted_consent_caller_is_reported() {
        let call = "store.redeem_confirmation(user, &question, token, now)";
        assert_eq!(check_consent_callers(&source("crates/fitness-web/src/pages/plan.rs", call)).len(), 1);
        assert_eq!(check_consent_callers(&source("crates/local-fitness/src/confirm.rs", call)).len(), 0);
        let comment = format!("// {call}");
        assert_eq!(check_consent_callers(&source("crates/fitness-web/src/pages/plan.rs", &comment)).len(), 0);
    }

    #[test]
    fn human_verb_in_coach_or_mcp_is_reported() {
        for text in ["fn activate_plan() {}", "desk.delete(plan)", "let revert = 1;", "desk.put_match(plan)"]
        {
            assert_eq!(check_human_verbs(&source("crates/fitness-mcp/src/tools.rs", text)).len(), 1);
        }
        let fine = "/// Nothing here can activate a plan.\nfn draft_training_plan() {}";
        assert!(check_human_verbs(&source("crates/fitness-coach/src/tools.rs", fine)).is_empty());
        assert!(
            check_human_verbs(&source("crates/fitness-store/src/plan/human_actions.rs", "fn activate() {}"))
                .is_empty()
        );
    }

    #[test]
    fn a_dependency_without_a_reason_is_noticed() {
        let manifest = "[workspace.dependencies]\nserde = \"1\" # words\nrand = \"0.9\"\nown = { path = \"x\" }\n[profile.dev]\nx = 1\n";
        assert_eq!(check_dependency_reasons(manifest), ["Cargo.toml gives no reason for `rand`"]);
    }

    #[test]
    fn the_test_kit_in_the_product_is_noticed() {
        let kit = "fitness-store = { workspace = true, features = [\"testkit\"] }";
        assert!(check_testkit_dependency("x", &format!("[dependencies]\n{kit}\n")).is_some());
        assert!(
            check_testkit_dependency("x", &format!("[dependencies]\n[dev-dependencies]\n{kit}\n")).is_none()
        );
    }

    #[test]
    fn a_named_test_that_does_not_exist_is_noticed() {
        let sources = source("crates/x/tests/it.rs", "fn a_plan_is_born_a_draft() {}");
        assert!(check_named_tests("see `it::a_plan_is_born_a_draft` and `cargo test`", &sources).is_empty());
        assert_eq!(check_named_tests("see `a_plan_is_born_a_unicorn`", &sources).len(), 1);
    }
}
