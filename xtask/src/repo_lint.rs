//! `cargo xtask tidy`: facts about the repository that the compiler does not check, such as who may
//! create a `Consent` and whether documents name tests that exist.

use crate::ci_lint;
use crate::layering;
use crate::workspace::{read_file, root};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// The files that may call `redeem_confirmation`: its definition, the terminal, the web's confirm
/// handler, the demo athlete, and tests.
const CONSENT_CALLERS: &[&str] = &[
    "crates/fitness-store/src/plan/consent.rs",
    "crates/fitness-store/src/testkit/seed.rs",
    "crates/fitness-store/tests/it/consent.rs",
    "crates/fitness-store/tests/it/concurrent_activation.rs",
    "crates/fitness-web/src/auth/confirmation.rs",
    "crates/local-fitness/src/commands/demo/story.rs",
    "crates/local-fitness/src/confirm.rs",
];

/// Functions of the store that need a human decision. The coach and MCP crates must not use these
/// names, alone or with one of [`PLAN_OBJECTS`].
const HUMAN_VERBS: &[&str] =
    &["activate", "archive", "delete", "apply", "revert", "redeem_confirmation", "put_match", "remove_match"];

/// What human actions act on: `delete_plan` is reserved, `apply_delta` is not.
const PLAN_OBJECTS: &[&str] = &["plan", "training_plan", "draft", "proposal", "revision", "workout"];

pub(crate) fn problems() -> Result<Vec<String>> {
    let root = root();
    let sources = rust_files(&root)?;
    let mut problems = layering::problems()?;
    problems.extend(check_consent_callers(&sources));
    problems.extend(check_human_verbs(&sources));
    for entry in std::fs::read_dir(root.join("crates")).context("crates")? {
        let path = entry?.path().join("Cargo.toml");
        problems.extend(check_testkit_dependency(&path.display().to_string(), &read_file(&path)?));
    }
    problems.extend(ci_lint::problems(&root)?);
    let guarantees = read_file(&root.join("docs/guarantees.md"))?;
    problems.extend(check_named_tests(&guarantees, &sources));
    Ok(problems)
}

/// Path relative to the root, and content.
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
            format!("{path} creates a Consent; only the terminal and the web's confirm handler may do that")
        })
        .collect()
}

fn check_human_verbs(sources: &[Source]) -> Vec<String> {
    let checked =
        |path: &str| path.starts_with("crates/fitness-coach/") || path.starts_with("crates/fitness-mcp/");
    let mut problems = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| checked(path)) {
        let code = strip_comments_and_prose(text);
        let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for word in words {
            if is_human_action(word) {
                problems.push(format!("{path} uses the name `{word}`, which is reserved for human actions"));
            }
        }
    }
    problems
}

fn is_human_action(word: &str) -> bool {
    let with_object = word
        .split_once('_')
        .is_some_and(|(verb, object)| HUMAN_VERBS.contains(&verb) && PLAN_OBJECTS.contains(&object));
    HUMAN_VERBS.contains(&word) || with_object
}

/// The test kit can create a `Consent`, so it must never be part of the product.
fn check_testkit_dependency(path: &str, manifest: &str) -> Option<String> {
    let normal = manifest.split("[dev-dependencies]").next().unwrap_or_default();
    let uses = |line: &str| line.contains("testkit") && line.contains("fitness-store");
    let problem = || format!("{path}: the testkit of fitness-store is for dev-dependencies only");
    normal.lines().any(uses).then(problem)
}

/// A test that a document names in backticks, for example `module::plan_is_activated_once`, must
/// exist.
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
        .map(|name| format!("docs/guarantees.md: no test named `{name}`"))
        .collect()
}

/// Documents may also name constraints and indexes.
fn schema_names() -> String {
    std::fs::read_to_string(root().join("crates/fitness-store/src/db/migrations/0001_tables.sql"))
        .unwrap_or_default()
}

fn strip_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Code without comments and without strings that contain spaces. Strings of one word stay: they
/// may be tool names.
fn strip_comments_and_prose(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = [rest.find('"'), rest.find("//")].into_iter().flatten().min() {
        let (before, after) = rest.split_at(start);
        code.push_str(before);
        if after.starts_with("//") {
            rest = &after[after.find('\n').unwrap_or(after.len())..];
            continue;
        }
        let after = &after[1..];
        if before.ends_with(['\'', '\\']) && after.starts_with('\'') {
            // The character literal of a quote.
            rest = after;
            continue;
        }
        let (length, quote) = string_length(before, after);
        if !after[..length].contains(char::is_whitespace) {
            code.push_str(&after[..length]);
        }
        code.push(' ');
        rest = &after[(length + quote).min(after.len())..];
    }
    code.push_str(rest);
    code
}

/// Length in bytes of a string literal's content and of its closing quote. `before` ends where the
/// opening quote is, `after` begins behind it.
fn string_length(before: &str, after: &str) -> (usize, usize) {
    let name = before.trim_end_matches('#');
    if name.ends_with('r') {
        let quote = format!("\"{}", "#".repeat(before.len() - name.len()));
        return (after.find(&quote).unwrap_or(after.len()), quote.len());
    }
    let mut escaped = false;
    for (place, byte) in after.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return (place, 1),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    (after.len(), 0)
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
    fn repository_has_no_problems() {
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
        for text in ["fn activate_plan() {}", "api.delete(plan)", "let revert = 1;", "api.put_match(plan)"] {
            assert_eq!(check_human_verbs(&source("crates/fitness-mcp/src/tools.rs", text)).len(), 1);
        }
        let tool = "let name = \"delete_plan\"; // \" ";
        assert_eq!(check_human_verbs(&source("crates/fitness-mcp/src/tools.rs", tool)).len(), 1);
        let fine = "/// Nothing here can activate a plan.\nfn draft_training_plan() {}\nfn apply_delta() {}\n\
                    let text = r#\"You can \"delete\" it\"#; let text = \"apply \\\" it\"; let quote = '\"';";
        assert!(check_human_verbs(&source("crates/fitness-coach/src/tools.rs", fine)).is_empty());
        assert!(
            check_human_verbs(&source("crates/fitness-store/src/plan/human_actions.rs", "fn activate() {}"))
                .is_empty()
        );
    }

    #[test]
    fn testkit_in_normal_dependencies_is_reported() {
        let kit = "fitness-store = { workspace = true, features = [\"testkit\"] }";
        assert!(check_testkit_dependency("x", &format!("[dependencies]\n{kit}\n")).is_some());
        assert!(
            check_testkit_dependency("x", &format!("[dependencies]\n[dev-dependencies]\n{kit}\n")).is_none()
        );
    }

    #[test]
    fn missing_named_test_is_reported() {
        let sources = source("crates/x/tests/it.rs", "fn a_plan_is_born_a_draft() {}");
        assert!(check_named_tests("see `it::a_plan_is_born_a_draft` and `cargo test`", &sources).is_empty());
        assert_eq!(check_named_tests("see `a_plan_is_born_a_unicorn`", &sources).len(), 1);
    }
}
