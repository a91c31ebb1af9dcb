//! Checks workflows, Dockerfile, compose files, service units and documents for paths, tasks and
//! links that do not exist. They are read as text, because nothing runs them locally.

use crate::COMMANDS;
use crate::release_plan::ReleasePlan;
use crate::workspace::read_file;
use anyhow::Result;
use std::path::Path;

const RELEASE_WORKFLOW: &str = ".github/workflows/release.yml";
const CI_WORKFLOW: &str = ".github/workflows/ci.yml";
/// Files whose paths and commands must exist.
const CHECKED_FILES: &[&str] =
    &[CI_WORKFLOW, RELEASE_WORKFLOW, "Dockerfile", "compose.yaml", "deploy/compose.sqlite.yaml"];
/// Paths that exist only after a build.
const BUILD_OUTPUTS: &[&str] = &["target/", "dist/", "notes.md", "crates/local-fitness/fitness.json"];

pub(crate) fn problems(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for name in CHECKED_FILES {
        let text = read_file(&root.join(name))?;
        problems.extend(check_commands(name, &text));
        problems.extend(check_paths(root, name, &text));
        problems.extend(check_actions(name, &text));
    }
    for document in list_documents(root)? {
        let text = read_file(&root.join(&document))?;
        problems.extend(check_commands(&document, &text));
        problems.extend(check_links(root, &document, &text));
    }
    problems.extend(check_release_needs_plan(&read_file(&root.join(RELEASE_WORKFLOW))?));
    problems.extend(check_release_pins_images(&read_file(&root.join(RELEASE_WORKFLOW))?));
    for name in CHECKED_FILES.iter().filter(|name| name.ends_with(".yaml")) {
        problems.extend(check_service_limits(name, &read_file(&root.join(name))?));
    }
    for name in ["deploy/systemd/fitness.service", "deploy/systemd-user/fitness.service"] {
        problems.extend(check_unit_limits(name, &read_file(&root.join(name))?));
    }
    problems.extend(check_pull_request_jobs(&read_file(&root.join(CI_WORKFLOW))?));
    problems.extend(check_crates_in_image(root, &read_file(&root.join("Dockerfile"))?)?);
    Ok(problems)
}

/// The release must pin and check the compose files before it computes checksums.
fn check_release_pins_images(text: &str) -> Vec<String> {
    let publish = parse_jobs(text)
        .into_iter()
        .find(|(job, _)| *job == "publish")
        .map(|(_, body)| body)
        .unwrap_or_default();
    let steps = ["cargo xtask pin-images --to dist", "cargo xtask check-images dist", "sha256sum"];
    let places: Vec<Option<usize>> = steps.iter().map(|step| publish.find(step)).collect();
    let in_order = places.iter().all(Option::is_some) && places.is_sorted();
    (!in_order)
        .then(|| format!("{RELEASE_WORKFLOW}: the job publish must run, in this order: {}", steps.join(", ")))
        .into_iter()
        .collect()
}

/// Server units must limit memory and processes.
fn check_unit_limits(name: &str, text: &str) -> Vec<String> {
    let missing = ["MemoryMax=", "TasksMax="].into_iter().filter(|limit| !text.contains(limit));
    missing.map(|limit| format!("{name}: the service has no {}", limit.trim_end_matches('='))).collect()
}

/// Every compose service must limit memory and processes.
fn check_service_limits(name: &str, text: &str) -> Vec<String> {
    let services = text.lines().filter(|line| line.starts_with("    image:")).count();
    let limits = ["    mem_limit: ", "    pids_limit: "];
    let missing = limits
        .iter()
        .filter(|limit| text.lines().filter(|line| line.starts_with(**limit)).count() != services);
    missing.map(|limit| format!("{name}: a service has no {}", limit.trim().trim_end_matches(':'))).collect()
}

/// The image first builds the dependencies, which needs the manifest of every crate.
fn check_crates_in_image(root: &Path, dockerfile: &str) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let manifest = format!("crates/{}/Cargo.toml", entry?.file_name().to_string_lossy());
        if root.join(&manifest).exists() && !dockerfile.contains(&format!("COPY {manifest} ")) {
            problems.push(format!("Dockerfile does not copy {manifest}"));
        }
    }
    Ok(problems)
}

fn list_documents(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ["", "docs/", "docs/adr/", "prompts/"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let name = format!("{folder}{}", entry?.file_name().to_string_lossy());
            if name.ends_with(".md") {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Relative links must point to existing files.
fn check_links(root: &Path, name: &str, text: &str) -> Vec<String> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let marks = [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')];
    let targets = marks
        .iter()
        .flat_map(|(open, close)| text.split(open).skip(1).filter_map(|rest| rest.split(*close).next()));
    let ours = targets.filter(|target| {
        !target.contains("://") && !target.starts_with('#') && !target.contains(char::is_whitespace)
    });
    ours.filter_map(|target| {
        let path = folder.join(target.split('#').next().unwrap_or_default());
        (!root.join(&path).exists()).then(|| format!("{name}: broken link to {target}"))
    })
    .collect()
}

/// Each `cargo xtask …` must name a task. Documents may leave out its arguments.
fn check_commands(name: &str, text: &str) -> Vec<String> {
    let prose = name.ends_with(".md");
    let known = |words: &[&str]| {
        COMMANDS.iter().any(|task| {
            let task: Vec<&str> = task.split(' ').collect();
            let fits = |(word, expected): (&&str, &&str)| {
                word == expected || expected.chars().all(|c| c.is_ascii_uppercase())
            };
            (prose && !words.is_empty() || words.len() >= task.len()) && words.iter().zip(&task).all(fits)
        })
    };
    let mut problems = Vec::new();
    for after in text.split("cargo xtask ").skip(1) {
        let end = after.find(['`', '\n', '>', ';', ')']).unwrap_or(after.len());
        // `${{ matrix.target }}` is one word.
        let command = after[..end].replace("${{ ", "").replace(" }}", "");
        let words: Vec<&str> = command.split_whitespace().collect();
        // `bench ingest|metrics` names two tasks.
        let several = words.len() == 2 && words[0] == "bench" && words[1].split('|').count() > 1;
        if !(known(&words) || several) {
            problems.push(format!("{name}: no task `cargo xtask {}`", words.join(" ")));
        }
    }
    problems
}

fn check_paths(root: &Path, name: &str, text: &str) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let code = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n");
    let mut problems = Vec::new();
    for word in code.split(|c: char| !plain(c) && c != '$' && c != '@' && c != '{' && c != '*') {
        let word = word.trim_start_matches("./");
        let ours = ["crates/", "docs/", "deploy/", "prompts/", "xtask/", ".github/"]
            .iter()
            .any(|top| word.starts_with(top));
        let made = BUILD_OUTPUTS.iter().any(|made| word.starts_with(made));
        if ours && !made && word.chars().all(plain) && !root.join(word).exists() {
            problems.push(format!("{name}: no file {word}"));
        }
    }
    problems
}

/// Actions must be pinned to a version or a commit, not to a branch.
fn check_actions(name: &str, text: &str) -> Vec<String> {
    let uses = text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
    let pinned = |action: &str| {
        action.starts_with("./")
            || action.split_once('@').is_some_and(|(_, version)| {
                let commit = version.len() == 40 && version.chars().all(|c| c.is_ascii_hexdigit());
                commit
                    || version
                        .strip_prefix('v')
                        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
    };
    uses.map(|action| action.split(" #").next().unwrap_or_default().trim())
        .filter(|action| !pinned(action))
        .map(|action| format!("{name}: {action} is not pinned to a version or commit"))
        .collect()
}

/// The release workflow may use only outputs that `release-plan` writes, and every job must wait
/// for it.
fn check_release_needs_plan(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let told = ReleasePlan::AlreadyReleased(cargo_metadata::semver::Version::new(0, 0, 0)).outputs();
    let told: Vec<&str> = told.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    for source in ["steps.plan.outputs.", "needs.plan.outputs."] {
        for after in text.split(source).skip(1) {
            let asked: String =
                after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if !told.contains(&asked.as_str()) {
                problems.push(format!(
                    "{RELEASE_WORKFLOW}: no plan output `{asked}`; there are {}",
                    told.join(", ")
                ));
            }
        }
    }
    for (job, body) in parse_jobs(text) {
        if job == "plan" {
            for wanted in ["run: cargo xtask release-plan", "    if: github.ref == 'refs/heads/main'"] {
                if !body.contains(wanted) {
                    problems.push(format!("{RELEASE_WORKFLOW}: the job plan has no `{}`", wanted.trim()));
                }
            }
            continue;
        }
        let needs = body.lines().find_map(|line| line.strip_prefix("    needs: ")).unwrap_or_default();
        let needs_plan = needs.trim_matches(['[', ']']).split(',').any(|one| one.trim() == "plan");
        let only_then = body.lines().any(|line| line == "    if: needs.plan.outputs.release == 'true'");
        if !needs_plan || !only_then {
            problems.push(format!(
                "{RELEASE_WORKFLOW}: the job {job} must need plan and check needs.plan.outputs.release"
            ));
        }
    }
    problems
}

/// Pull requests run the full check and the release plan, so that a merge cannot break a release.
fn check_pull_request_jobs(text: &str) -> Vec<String> {
    let wanted: [(&str, &[&str]); 2] = [
        ("check", &["FITNESS_CHECK=everything ./check"]),
        ("release-plan", &["run: cargo xtask release-plan", "fetch-depth: 0", "fetch-tags: true"]),
    ];
    let jobs = parse_jobs(text);
    let mut problems = Vec::new();
    for (name, lines) in wanted {
        let body = jobs.iter().find(|(job, _)| *job == name).map_or("", |(_, body)| body);
        let missing = lines.iter().filter(|line| !body.contains(**line));
        problems.extend(missing.map(|line| format!("{CI_WORKFLOW}: the job {name} has no `{line}`")));
    }
    problems
}

/// Job names with their lines.
fn parse_jobs(text: &str) -> Vec<(&str, String)> {
    let mut jobs: Vec<(&str, String)> = Vec::new();
    for line in text.lines().skip_while(|line| *line != "jobs:").skip(1) {
        let name = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with([' ', '#']))
            .and_then(|line| line.strip_suffix(':'));
        match (name, jobs.last_mut()) {
            (Some(name), _) => jobs.push((name, String::new())),
            (None, Some((_, body))) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    jobs
}

#[cfg(test)]
fn yaml_files(root: &Path) -> Result<Vec<String>> {
    let mut files: Vec<String> =
        CHECKED_FILES.iter().filter(|name| name.ends_with("ml")).map(|name| (*name).to_owned()).collect();
    for entry in std::fs::read_dir(root.join(".github/workflows"))? {
        let name = format!(".github/workflows/{}", entry?.file_name().to_string_lossy());
        if !files.contains(&name) {
            files.push(name);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;
    use std::process::Command;

    #[test]
    fn ci_files_have_no_problems() {
        assert_eq!(problems(&root()).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn unknown_command_path_or_action_is_reported() {
        assert_eq!(
            check_commands(
                "x",
                "run: cargo xtask tidy\nrun: cargo xtask pack --target ${{ matrix.target }} --to dist\n"
            )
            .len(),
            0
        );
        for wrong in [
            "cargo xtask pakc --target x --to y",
            "cargo xtask pack --to dist",
            "`cargo xtask release`",
            "cargo xtask tidu",
        ] {
            assert_eq!(check_commands("x", wrong).len(), 1, "{wrong}");
        }
        assert!(check_paths(&root(), "x", "COPY crates/local-fitness/Cargo.toml x").is_empty());
        assert_eq!(check_paths(&root(), "x", "COPY crates/local-fitnes/Cargo.toml x").len(), 1);
        assert_eq!(check_paths(&root(), "x", "      - ./deploy/nowhere:/x").len(), 1);
        let linked = "[a](docs/plans.md#x) [b](https://example.org/x) ![c](docs/pictures/nowhere.png) <img src=\"docs/none.png\">";
        assert_eq!(check_links(&root(), "README.md", linked).len(), 2);
        assert_eq!(
            check_links(&root(), "docs/coach.md", "[a](mcp.md) [b](../README.md) [c](README.md)").len(),
            1
        );
        let dockerfile =
            read_file(&root().join("Dockerfile")).unwrap().replace("COPY crates/fitness-web/Cargo.toml", "");
        assert_eq!(check_crates_in_image(&root(), &dockerfile).unwrap().len(), 1);
        for wrong in ["- uses: actions/checkout", "uses: actions/checkout@main"] {
            assert_eq!(check_actions("x", wrong).len(), 1, "{wrong}");
        }
        assert!(
            check_actions("x", "- uses: actions/checkout@v5\n- uses: ./.github/workflows/ci.yml").is_empty()
        );
    }

    #[test]
    fn release_job_without_plan_is_reported() {
        let text = read_file(&root().join(RELEASE_WORKFLOW)).unwrap();
        assert_eq!(check_release_needs_plan(&text), Vec::<String>::new());
        let guard = "    if: needs.plan.outputs.release == 'true'\n";
        let after = text.find("  publish:").unwrap();
        let mut unguarded = text.clone();
        unguarded.replace_range(after.., &text[after..].replacen(guard, "", 1));
        assert_eq!(check_release_needs_plan(&unguarded).len(), 1);
        let always = text.replacen(guard, "    if: always()\n", 1);
        assert_eq!(check_release_needs_plan(&always).len(), 1);
        let asks = text.replace("needs.plan.outputs.tag", "needs.plan.outputs.tagg");
        assert!(check_release_needs_plan(&asks)[0].contains("`tagg`"));
    }

    #[test]
    fn missing_digest_and_missing_service_limit_are_reported() {
        let text = read_file(&root().join(RELEASE_WORKFLOW)).unwrap();
        assert_eq!(check_release_pins_images(&text), Vec::<String>::new());
        for step in ["cargo xtask pin-images --to dist", "cargo xtask check-images dist"] {
            assert_eq!(check_release_pins_images(&text.replace(step, "true")).len(), 1, "{step}");
        }
        let text = read_file(&root().join("compose.yaml")).unwrap();
        assert_eq!(check_service_limits("x", &text), Vec::<String>::new());
        assert_eq!(check_unit_limits("x", "MemoryMax=1G\nTasksMax=9\n"), Vec::<String>::new());
        assert_eq!(check_unit_limits("x", "MemoryMax=1G\n"), ["x: the service has no TasksMax"]);
        for limit in ["    mem_limit: 1g\n", "    pids_limit: 128\n"] {
            assert_eq!(check_service_limits("x", &text.replacen(limit, "", 1)).len(), 1, "{limit}");
        }
        let superuser = text.lines().any(|line| line.trim() == "POSTGRES_USER: fitness");
        assert!(
            !superuser && text.contains("deploy/postgres-init.sh"),
            "the server's role is not the superuser"
        );
    }

    #[test]
    fn missing_pull_request_check_is_reported() {
        let text = read_file(&root().join(CI_WORKFLOW)).unwrap();
        assert_eq!(check_pull_request_jobs(&text), Vec::<String>::new());
        for line in ["FITNESS_CHECK=everything ", "run: cargo xtask release-plan", "fetch-tags: true"] {
            assert_eq!(check_pull_request_jobs(&text.replace(line, "")).len(), 1, "{line}");
        }
    }

    /// Parsed with PyYAML: jobs have steps, and need only jobs that exist.
    #[test]
    fn workflows_and_compose_files_are_valid() {
        const READER: &str = r#"
import sys, yaml
for path in sys.argv[1:]:
    with open(path) as file:
        document = yaml.safe_load(file)
    if "jobs" not in document:
        assert document["services"], path
        for name, service in document["services"].items():
            assert service.get("image") or service.get("build"), (path, name)
            for other in service.get("depends_on", {}):
                assert other in document["services"], (path, name, other)
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                assert source[0] in "./$" or source in document["volumes"], (path, name, volume)
        continue
    assert True in document or "on" in document, path
    for name, job in document["jobs"].items():
        needs = job.get("needs", [])
        for other in [needs] if isinstance(needs, str) else needs:
            assert other in document["jobs"], (path, name, other)
        if "uses" in job:
            continue
        assert "runs-on" in job and job["timeout-minutes"] and job["steps"], (path, name)
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), (path, name, step)
print("read")
"#;
        let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
        let has_yaml = Command::new(&python)
            .args(["-c", "import yaml"])
            .output()
            .is_ok_and(|told| told.status.success());
        if !has_yaml {
            skip("workflows_and_compose_files_are_valid", "no Python with PyYAML here");
            return;
        }
        let files = yaml_files(&root()).unwrap();
        let told =
            Command::new(&python).current_dir(root()).args(["-c", READER]).args(&files).output().unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        assert_eq!(String::from_utf8_lossy(&told.stdout).trim(), "read");
    }

    /// Recorded for `./check`, which counts skipped tests.
    fn skip(name: &str, reason: &str) {
        use std::io::Write as _;
        eprintln!("SKIPPED {name}: {reason}");
        if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
            writeln!(file, "{name}: {reason}").unwrap();
        }
    }
}
