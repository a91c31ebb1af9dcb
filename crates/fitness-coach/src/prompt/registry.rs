//! Registry of prompt versions: the current one, and a hash of each.

use super::{PROMPTS, PromptName};
use crate::prompt_lint::LintFinding;
use fitness_core::domain::content_hash::ContentHash;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy)]
pub struct PromptVersionIndex<'a> {
    pub index: &'a str,
    /// What changed, version by version.
    pub changelog: &'a str,
}

impl PromptVersionIndex<'static> {
    /// The one this program was built with.
    pub const BUILT_IN: Self = Self {
        index: include_str!("../../../../prompts/index.toml"),
        changelog: include_str!("../../../../prompts/CHANGELOG.md"),
    };
}

/// A prompt's file, by name and version.
#[derive(Debug, Clone, Copy)]
pub struct PromptFile<'a> {
    /// What it is for.
    pub name: PromptName,
    pub version: u32,
    /// What is in the file.
    pub text: &'a str,
}

/// Every file this program was built with.
#[must_use]
pub fn prompt_files() -> Vec<PromptFile<'static>> {
    PROMPTS
        .iter()
        .map(|file| PromptFile { name: file.name, version: file.version, text: file.text })
        .collect()
}

impl PromptVersionIndex<'_> {
    /// That a file is not what was registered under its version, if it is not. One that nobody
    /// registered is not held to it.
    #[must_use]
    pub fn find_drift(&self, file: &PromptFile<'_>) -> Option<LintFinding> {
        self.describe_change(file).map(LintFinding::new)
    }

    fn describe_change(&self, file: &PromptFile<'_>) -> Option<String> {
        let PromptFile { name, version, text } = file;
        let index = parse_index(self.index);
        let noted = index.get(name.as_str()).and_then(|prompt| prompt.get(&format!("v{version}")))?;
        (*noted != ContentHash::hash_bytes(text.as_bytes()).to_string()).then(|| {
            let next = version.saturating_add(1);
            format!("prompt {name} v{version} changed without a new version: make it v{next}, or put it back")
        })
    }

    /// What is wrong with the register: a file that changed without a new version, one that nobody
    /// registered, a version without a line in the changelog.
    #[must_use]
    pub fn lint(&self, files: &[PromptFile<'_>]) -> Vec<LintFinding> {
        let index = parse_index(self.index);
        let mut failures = Vec::new();
        let mut fail = |message: String| failures.push(LintFinding::new(message));
        for file in files {
            let PromptFile { name, version, text } = file;
            let hash = ContentHash::hash_bytes(text.as_bytes()).to_string();
            let noted = index.get(name.as_str()).and_then(|prompt| prompt.get(&format!("v{version}")));
            match noted {
                None => fail(format!("prompt {name} v{version} is not registered in prompts/index.toml")),
                Some(_) => {
                    if let Some(message) = self.describe_change(file) {
                        fail(message);
                    }
                }
            }
            let line = format!("- {name} v{version} ({})", hash.get(..12).unwrap_or_default());
            if !self.changelog.lines().any(|said| said.starts_with(&line)) {
                fail(format!("prompt {name} v{version} has no line `{line}: …` in prompts/CHANGELOG.md"));
            }
        }
        for name in PromptName::ALL {
            let latest = files.iter().filter(|file| file.name == *name).map(|file| file.version).max();
            let noted = index.get(name.as_str()).and_then(|prompt| prompt.get("version"));
            let in_use = noted.and_then(|version| version.parse::<u32>().ok());
            if latest.is_none() || in_use != latest {
                fail(format!("prompt {name}: prompts/index.toml names another version than the newest file"));
            }
            // A version whose file is gone cannot be read again beside the briefs it wrote.
            let versions = index.get(name.as_str()).into_iter().flatten();
            for (key, _) in versions.filter(|(key, _)| key.as_str() != "version") {
                if !files.iter().any(|file| file.name == *name && format!("v{}", file.version) == *key) {
                    fail(format!("prompt {name} {key} is registered, but its file is gone"));
                }
            }
        }
        failures
    }
}

/// The tables of the index. It is as much TOML as the index needs: tables, and keys with a number
/// or a string.
fn parse_index(index: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut tables: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut table = String::new();
    for line in index.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            table = name.to_owned();
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim().trim_matches('"').to_owned();
            tables.entry(table.clone()).or_default().insert(key.trim().to_owned(), value);
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(registry: &PromptVersionIndex<'_>, files: &[PromptFile<'_>]) -> Vec<String> {
        registry.lint(files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_prompts_are_those_that_are_registered() {
        assert_eq!(failures(&PromptVersionIndex::BUILT_IN, &prompt_files()), Vec::<String>::new());
    }

    #[test]
    fn a_changed_prompt_needs_a_new_version_and_a_line_in_the_changelog() {
        let mut files = prompt_files();
        let text = files[0].text.replace("Never fabricate", "Seldom fabricate");
        files[0].text = &text;
        let told = failures(&PromptVersionIndex::BUILT_IN, &files);
        assert_eq!(
            told[0],
            "FAIL: prompt brief v1 changed without a new version: make it v2, or put it back"
        );
        assert!(told[1].contains("CHANGELOG"), "{told:?}");

        // As a new version it needs both lines.
        let mut more = prompt_files();
        more.push(PromptFile { name: PromptName::Brief, version: 2, text: &text });
        assert_eq!(failures(&PromptVersionIndex::BUILT_IN, &more).len(), 3);
        let hash = ContentHash::hash_bytes(text.as_bytes()).to_string();
        let index = PromptVersionIndex::BUILT_IN.index.replacen(
            "version = 1",
            &format!("version = 2\nv2 = \"{hash}\""),
            1,
        );
        let noted = PromptVersionIndex { index: &index, ..PromptVersionIndex::BUILT_IN };
        assert_eq!(failures(&noted, &more).len(), 1);
        let changelog = format!("{}\n- brief v2 ({}): tried something", noted.changelog, &hash[..12]);
        assert_eq!(
            failures(&PromptVersionIndex { changelog: &changelog, ..noted }, &more),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_version_that_is_gone_is_missed() {
        let files = prompt_files();
        let told = failures(&PromptVersionIndex::BUILT_IN, &files[1..]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].ends_with("prompt brief v1 is registered, but its file is gone"));
        let empty = PromptVersionIndex { index: "", changelog: "" };
        assert_eq!(failures(&empty, &files).len(), 6);
    }
}
