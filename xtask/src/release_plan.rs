//! `cargo xtask release-plan`: whether this commit is to be released, which is the case if the
//! version in `Cargo.toml` has no tag yet. `cargo xtask release-notes`: its section of the
//! changelog.

use crate::workspace::read_file;
use anyhow::{Context, Result, bail};
use cargo_metadata::semver::Version;
use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReleasePlan {
    Release(Version),
    AlreadyReleased(Version),
}

impl fmt::Display for ReleasePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release(version) => write!(f, "release v{version}"),
            Self::AlreadyReleased(version) => write!(f, "nothing to release: v{version} is already released"),
        }
    }
}

impl ReleasePlan {
    /// Outputs for the later steps of the workflow.
    pub(crate) fn outputs(&self) -> String {
        let (release, version) = match self {
            Self::Release(version) => (true, version),
            Self::AlreadyReleased(version) => (false, version),
        };
        let prerelease = !version.pre.is_empty();
        format!("release={release}\nversion={version}\ntag=v{version}\nprerelease={prerelease}\n")
    }
}

/// Prints the plan, and writes it to `GITHUB_OUTPUT` if that is set.
pub(crate) fn print_plan(root: &Path) -> Result<()> {
    let plan = plan(root)?;
    println!("{plan}");
    if let Some(path) = std::env::var_os("GITHUB_OUTPUT") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
        file.write_all(plan.outputs().as_bytes())?;
    }
    Ok(())
}

/// Compares the version with the existing tags. Prompts must not change without a new version.
pub(crate) fn plan(root: &Path) -> Result<ReleasePlan> {
    if git(root, &["rev-parse", "--is-shallow-repository"])?.trim() == "true" {
        bail!("this is a shallow clone; fetch the whole history with its tags");
    }
    let version = version(&read_file(&root.join("Cargo.toml"))?)?;
    let tags = git(root, &["tag", "--list", "v*"])?;
    let out: Vec<Version> = tags.lines().filter_map(|tag| tag.strip_prefix('v')?.parse().ok()).collect();
    if out.contains(&version) {
        let prompts = git(root, &["diff", "--name-only", &format!("v{version}"), "HEAD", "--", "prompts"])?;
        if !prompts.is_empty() {
            bail!(
                "prompts changed since v{version}: {}\nraise the version in Cargo.toml and describe the \
                 change in CHANGELOG.md",
                prompts.lines().collect::<Vec<_>>().join(", ")
            );
        }
        return Ok(ReleasePlan::AlreadyReleased(version));
    }
    if let Some(newest) = out.iter().max().filter(|newest| **newest > version) {
        bail!("v{version} is older than v{newest}, which is released; raise the version in Cargo.toml");
    }
    if !read_file(&root.join("CHANGELOG.md"))?.contains(&format!("\n## [{version}]")) {
        bail!("CHANGELOG.md has no section {version}; rename the section Unreleased");
    }
    Ok(ReleasePlan::Release(version))
}

pub(crate) fn notes(root: &Path) -> Result<String> {
    let version = version(&read_file(&root.join("Cargo.toml"))?)?;
    changelog_section(&read_file(&root.join("CHANGELOG.md"))?, &version)
}

/// The section of a version, without its heading and the links at the end of the file.
fn changelog_section(changelog: &str, version: &Version) -> Result<String> {
    let mut lines = changelog.lines().skip_while(|line| !line.starts_with(&format!("## [{version}]")));
    if lines.next().is_none() {
        bail!("CHANGELOG.md has no section {version}; rename the section Unreleased");
    }
    let link = |line: &str| line.starts_with('[') && line.contains("]: ");
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("## ") && !link(line)).collect();
    let text = lines.join("\n").trim().to_owned();
    if text.is_empty() {
        bail!("the section {version} of CHANGELOG.md is empty");
    }
    Ok(text)
}

/// The version of the workspace.
pub(crate) fn version(manifest: &str) -> Result<Version> {
    let package = manifest.split("\n[").find(|part| part.starts_with("workspace.package]"));
    let line = package.and_then(|part| part.lines().find_map(|line| line.strip_prefix("version = ")));
    let text = line.context("Cargo.toml has no version in [workspace.package]")?;
    text.trim().trim_matches('"').parse().with_context(|| format!("the version {text} in Cargo.toml"))
}

pub(crate) fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let told = Command::new("git").current_dir(root).args(arguments).output().context("git")?;
    if !told.status.success() {
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&told.stderr).trim());
    }
    Ok(String::from_utf8(told.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A temporary repository that ignores the git configuration of the machine.
    struct Repository(TempDir);

    impl Repository {
        fn new() -> Self {
            let repository = Self(TempDir::new().unwrap());
            repository.git(&["init", "--quiet", "--initial-branch", "main"]);
            repository.set_version("0.1.0");
            repository.write("prompts/brief/v1.md", "Never fabricate.");
            repository.commit();
            repository
        }

        fn git(&self, arguments: &[&str]) {
            let told = Command::new("git")
                .current_dir(self.0.path())
                .args(["-c", "user.name=a test", "-c", "user.email=test@local-fitness.invalid"])
                .args(["-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"])
                .args(arguments)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .unwrap();
            assert!(told.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&told.stderr));
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        /// Writes the version to the manifest and the changelog.
        fn set_version(&self, version: &str) {
            let manifest = "[workspace]\nmembers = []\n\n[workspace.package]\nversion = \"VERSION\"\n\n[x]\nversion = \"9.9.9\"\n";
            self.write("Cargo.toml", &manifest.replace("VERSION", version));
            self.write("CHANGELOG.md", &format!("# Changelog\n\n## [Unreleased]\n\n## [{version}]\n"));
        }

        fn commit(&self) {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--allow-empty", "--message", "a change"]);
        }

        fn plan(&self) -> Result<ReleasePlan, String> {
            plan(self.0.path()).map_err(|why| format!("{why:#}"))
        }
    }

    #[test]
    fn new_version_is_released_once() {
        let repository = Repository::new();
        let first = Version::new(0, 1, 0);
        assert_eq!(repository.plan(), Ok(ReleasePlan::Release(first.clone())));
        assert_eq!(repository.plan(), Ok(ReleasePlan::Release(first.clone())), "planning changes nothing");
        repository.git(&["tag", "v0.1.0"]);
        assert_eq!(repository.plan(), Ok(ReleasePlan::AlreadyReleased(first.clone())));
        // A commit without a new version is not released.
        repository.write("crates/code.rs", "fn main() {}");
        repository.commit();
        assert_eq!(repository.plan(), Ok(ReleasePlan::AlreadyReleased(first)));
        repository.set_version("0.2.0-rc.1");
        repository.commit();
        let plan = repository.plan().unwrap();
        assert_eq!(plan.to_string(), "release v0.2.0-rc.1");
        assert_eq!(plan.outputs(), "release=true\nversion=0.2.0-rc.1\ntag=v0.2.0-rc.1\nprerelease=true\n");
    }

    #[test]
    fn changed_prompt_needs_new_version() {
        let repository = Repository::new();
        repository.git(&["tag", "v0.1.0"]);
        repository.write("prompts/brief/v1.md", "Fabricate.");
        repository.commit();
        let refused = repository.plan().unwrap_err();
        assert!(
            refused.contains("prompts/brief/v1.md") && refused.contains("raise the version"),
            "{refused}"
        );
        repository.set_version("0.1.1");
        repository.commit();
        assert_eq!(repository.plan(), Ok(ReleasePlan::Release(Version::new(0, 1, 1))));
    }

    #[test]
    fn invalid_release_is_refused_with_help() {
        let repository = Repository::new();
        repository.git(&["tag", "v0.3.0"]);
        repository.git(&["tag", "vague"]);
        assert!(repository.plan().unwrap_err().contains("older than v0.3.0"));
        repository.set_version("0.4.0");
        repository.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");
        repository.commit();
        assert!(repository.plan().unwrap_err().contains("CHANGELOG.md has no section 0.4.0"));
        repository.write("Cargo.toml", "[workspace]\n");
        assert!(repository.plan().unwrap_err().contains("has no version"));
        repository.set_version("four");
        assert!(repository.plan().unwrap_err().contains("the version \"four\""));
    }

    #[test]
    fn changelog_section_of_a_version_is_found() {
        let changelog = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [0.2.0] - 2026-11-20\n\n### Added\n\n- this\n\n## [0.1.0]\n\n- that\n\n## [0.0.1]\n\n[0.1.0]: https://example.org\n";
        let told = |version: &str| {
            changelog_section(changelog, &version.parse().unwrap()).map_err(|why| why.to_string())
        };
        assert_eq!(told("0.2.0"), Ok("### Added\n\n- this".to_owned()));
        assert_eq!(told("0.1.0"), Ok("- that".to_owned()));
        assert!(told("0.0.1").unwrap_err().contains("is empty"));
        assert!(told("0.3.0").unwrap_err().contains("has no section 0.3.0"));
        assert!(told("0.2.0-rc.1").is_err(), "a pre-release has its own section");
    }
}
