//! Which crates may depend on which, checked transitively with `cargo metadata`.

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};

/// Allowed dependencies between our crates, as in ARCHITECTURE.md.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("fitness-core", &[]),
    ("fitness-http", &["fitness-core"]),
    ("fitness-sources", &["fitness-core", "fitness-http"]),
    ("fitness-demo", &["fitness-core", "fitness-http", "fitness-sources"]),
    ("fitness-store", &["fitness-core"]),
    ("fitness-ingest", &["fitness-core", "fitness-http", "fitness-sources", "fitness-store"]),
    ("fitness-coach", &["fitness-core", "fitness-http"]),
    ("fitness-mcp", &["fitness-core", "fitness-http", "fitness-coach"]),
    (
        "fitness-web",
        &[
            "fitness-core",
            "fitness-http",
            "fitness-store",
            "fitness-ingest",
            "fitness-coach",
            "fitness-mcp",
            "fitness-sources",
        ],
    ),
    (
        "local-fitness",
        &[
            "fitness-core",
            "fitness-http",
            "fitness-sources",
            "fitness-demo",
            "fitness-store",
            "fitness-ingest",
            "fitness-coach",
            "fitness-mcp",
            "fitness-web",
        ],
    ),
    ("xtask", &[]),
];

/// Dev-dependencies only: the parsers are tested on the demo athlete's files.
const ALLOWED_TEST_DEPENDENCIES: &[(&str, &str)] =
    &[("fitness-sources", "fitness-demo"), ("fitness-ingest", "fitness-demo")];

/// External crates that only some of our crates may use directly, tests included.
const RESTRICTED_CRATES: &[(&str, &[&str])] = &[
    ("sea-orm", &["fitness-store"]),
    ("sea-orm-migration", &["fitness-store"]),
    ("sqlx", &["fitness-store"]),
    ("axum", &["fitness-web", "fitness-mcp"]),
    ("maud", &["fitness-web"]),
    ("clap", &["local-fitness"]),
];

/// Dependencies of the core outside its tests: nothing that does I/O.
const CORE_DEPENDENCIES: &[&str] =
    &["chrono", "chrono-tz", "schemars", "serde", "serde_json", "sha2", "thiserror"];

/// Direct dependencies of a crate, by name.
#[derive(Debug, Default, Clone)]
struct Dependencies {
    normal: BTreeSet<String>,
    in_tests: BTreeSet<String>,
}

type Graph = BTreeMap<String, Dependencies>;

pub(crate) fn problems() -> Result<Vec<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().context("cargo metadata")?;
    let mut graph = Graph::new();
    for package in metadata.workspace_packages() {
        let uses = graph.entry(package.name.to_string()).or_default();
        for dependency in &package.dependencies {
            let kind = match dependency.kind {
                DependencyKind::Development => &mut uses.in_tests,
                _ => &mut uses.normal,
            };
            kind.insert(dependency.name.clone());
        }
    }
    Ok(violations(&graph))
}

fn violations(graph: &Graph) -> Vec<String> {
    let mut problems = Vec::new();
    let ours: BTreeSet<&str> = ALLOWED_DEPENDENCIES.iter().map(|(name, _)| *name).collect();
    for name in graph.keys().filter(|name| !ours.contains(name.as_str())) {
        problems.push(format!("{name} is not in the dependency rule (xtask/src/layering.rs)"));
    }
    for (name, allowed) in ALLOWED_DEPENDENCIES {
        let Some(uses) = graph.get(*name) else {
            problems.push(format!("{name} is in the dependency rule but not in the workspace"));
            continue;
        };
        for known in transitive_dependencies(graph, name) {
            // A crate's tests may use its own test kit.
            let allowed = allowed.contains(&known.as_str())
                || (ALLOWED_TEST_DEPENDENCIES.contains(&(*name, known.as_str()))
                    && !uses.normal.contains(&known));
            if ours.contains(known.as_str()) && known != *name && !allowed {
                problems.push(format!("{name} must not depend on {known}"));
            }
        }
        for (external, users) in RESTRICTED_CRATES {
            let used = uses.normal.contains(*external) || uses.in_tests.contains(*external);
            if used && !users.contains(name) {
                problems.push(format!("{name} must not use {external}: only {} may", users.join(", ")));
            }
        }
    }
    for external in graph.get("fitness-core").iter().flat_map(|uses| &uses.normal) {
        if !CORE_DEPENDENCIES.contains(&external.as_str()) {
            problems.push(format!("fitness-core must not use {external}"));
        }
    }
    problems
}

/// All crates of ours that a crate depends on, including its own dev-dependencies but not those of
/// others.
fn transitive_dependencies(graph: &Graph, from: &str) -> BTreeSet<String> {
    let own = &graph[from];
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = own.normal.union(&own.in_tests).cloned().collect();
    while let Some(name) = next.pop() {
        if let Some(uses) = graph.get(&name)
            && found.insert(name)
        {
            next.extend(uses.normal.iter().cloned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_keeps_the_dependency_rule() {
        assert_eq!(problems().unwrap(), Vec::<String>::new());
    }

    /// A valid workspace, to which tests add one forbidden edge at a time.
    fn valid_graph() -> Graph {
        ALLOWED_DEPENDENCIES
            .iter()
            .map(|(name, allowed)| {
                let normal = allowed.iter().map(|name| (*name).to_owned()).collect();
                ((*name).to_owned(), Dependencies { normal, in_tests: BTreeSet::new() })
            })
            .collect()
    }

    #[test]
    fn each_layering_violation_is_reported() {
        assert_eq!(violations(&valid_graph()), Vec::<String>::new());
        let broken = |from: &str, to: &str, in_tests: bool| {
            let mut graph = valid_graph();
            let uses = graph.get_mut(from).unwrap();
            if in_tests { &mut uses.in_tests } else { &mut uses.normal }.insert(to.to_owned());
            violations(&graph)
        };
        let coach = "fitness-coach must not depend on fitness-store";
        let mcp = "fitness-mcp must not depend on fitness-store";
        assert_eq!(
            broken("fitness-coach", "fitness-store", false),
            [coach, mcp],
            "and crates that depend on it"
        );
        assert_eq!(broken("fitness-coach", "fitness-store", true), [coach], "not even in a test");
        assert_eq!(broken("fitness-mcp", "fitness-store", true), [mcp]);
        assert_eq!(broken("fitness-core", "tokio", false), ["fitness-core must not use tokio"]);
        let sql = broken("local-fitness", "sqlx", true);
        assert_eq!(sql, ["local-fitness must not use sqlx: only fitness-store may"]);
        let mut graph = valid_graph();
        graph.insert("fitness-utils".to_owned(), Dependencies::default());
        assert_eq!(violations(&graph).len(), 1, "a new crate must be added to the rule");
    }
}
