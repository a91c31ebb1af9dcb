//! Third-party clients: Python `mcp` and `fastmcp`, the MCP Inspector and the conformance suite.
//!
//! `FITNESS_PYTHON` is a Python with both packages, `FITNESS_NODE_MODULES` the folder of the npm
//! packages and `FITNESS_NODE` a Node.js of 22.19 or later. If one is missing, the test is skipped
//! and says so.

use crate::raw_client::{CURRENT_VERSION, OLD_VERSION, skip};
use crate::responses::valid_input;
use crate::tool_list::{READ_TOOLS, WRITE_TOOLS};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const TOKEN: &str = "a-token-of-the-test";

/// Path of the example `serve`, which `cargo test` builds.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples").join("serve");
    let path = path.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "build the example first: cargo build -p fitness-mcp --example serve");
    path
}

/// The example over HTTP; stopped on drop.
struct ExampleServer {
    url: String,
    _process: Child,
}

async fn start_example(token: &str, scope: &str) -> ExampleServer {
    let mut process = Command::new(example())
        .args(["http", "0", token, scope])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().expect("the example says where it listens");
    ExampleServer { url, _process: process }
}

async fn run(command: &mut Command) -> Output {
    let running = command.stdin(Stdio::null()).kill_on_drop(true).output();
    tokio::time::timeout(Duration::from_secs(180), running).await.expect("it ends").unwrap()
}

/// A Python that can import a package.
async fn python(package: &str) -> Option<OsString> {
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let import = format!("import {package}");
    let has = Command::new(&python).args(["-c", &import]).output().await;
    has.is_ok_and(|out| out.status.success()).then_some(python)
}

/// JSON report of the Python client about a server.
async fn python_report(
    python: &OsString,
    client: &str,
    mode: &str,
    calls: &[&str],
    server: &[&str],
) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/client.py");
    let mut command = Command::new(python);
    command.args([script, "--client", client, "--mode", mode]);
    for tool in calls {
        command.args(["--call", tool, &valid_input(tool).to_string()]);
    }
    let out = run(command.args(server)).await;
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{out:?}"))
}

fn names(told: &Value) -> Vec<&str> {
    let tools = told["tools"].as_array().unwrap_or_else(|| panic!("{told}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// Every tool was listed and called; the clients validate the results against the schemas.
fn assert_complete(told: &Value) {
    let every: Vec<&str> = READ_TOOLS.iter().chain(&WRITE_TOOLS).copied().collect();
    assert_eq!(names(told), every);
    for (call, name) in told["calls"].as_array().unwrap().iter().zip(&every) {
        assert_eq!((&call["tool"], &call["is_error"]), (&json!(name), &json!(false)), "{call}");
        assert_eq!(call["structured"]["data_through"], "2026-06-08", "{call}");
        if WRITE_TOOLS.contains(name) {
            let link = call["structured"]["review"].as_str().unwrap();
            assert!(call["texts"][1].as_str().unwrap().contains(link), "{call}");
        }
    }
    assert_eq!(told["calls"].as_array().unwrap().len(), every.len());
    assert_eq!(told["prompts"][0]["messages"][0]["content"]["text"], "You are a coach.");
    assert_eq!(told["resources"][0]["text"], "# Good morning, Ann");
    assert_eq!(told["resources"].as_array().unwrap().len(), 4);
}

async fn check_with_python(client: &str, test: &str) {
    let Some(python) = python(client).await else {
        return skip(test, &format!("the Python package {client} is not installed"));
    };
    let every: Vec<&str> = READ_TOOLS.iter().chain(&WRITE_TOOLS).copied().collect();
    let (example, http) = (example(), start_example(TOKEN, "draft").await);
    let stdio = ["--command", example.to_str().unwrap(), "stdio"];
    let with_token = ["--url", &http.url, "--token", TOKEN];
    for (mode, version) in [("auto", CURRENT_VERSION), ("legacy", OLD_VERSION)] {
        for server in [&stdio[..], &with_token[..]] {
            let told = python_report(&python, client, mode, &every, server).await;
            assert_complete(&told);
            if client == "mcp" {
                assert_eq!(told["protocol"], version);
                assert_eq!(told["server"]["name"], "local-fitness");
            }
        }
    }
    for token in [&["--url", &http.url][..], &["--url", &http.url, "--token", "wrong"]] {
        let told = python_report(&python, client, "auto", &[], token).await;
        assert!(told["refused"].is_string(), "{told}");
    }
    let reading = [&stdio[..], &["read"]].concat();
    let told = python_report(&python, client, "auto", &WRITE_TOOLS, &reading).await;
    assert_eq!(names(&told), READ_TOOLS);
    for call in told["calls"].as_array().unwrap() {
        assert_eq!(call["is_error"], true);
        assert!(call["texts"][0].as_str().unwrap().contains("may only read"), "{call}");
    }
}

#[tokio::test]
async fn the_python_client_lists_and_calls_everything() {
    check_with_python("mcp", "the_python_client_lists_and_calls_everything").await;
}

#[tokio::test]
async fn fastmcp_lists_and_calls_everything() {
    check_with_python("fastmcp", "fastmcp_lists_and_calls_everything").await;
}

/// An npm program and the Node.js to run it, or why there is none.
async fn find_npm_program(script: &str) -> Result<(OsString, PathBuf), String> {
    let folder = std::env::var_os("FITNESS_NODE_MODULES").ok_or("FITNESS_NODE_MODULES is not set")?;
    let script_path = PathBuf::from(folder).join(".bin").join(script);
    if !script_path.exists() {
        return Err(format!("FITNESS_NODE_MODULES has no {script}"));
    }
    let node = std::env::var_os("FITNESS_NODE").unwrap_or_else(|| "node".into());
    let new_enough = "const [a, b] = process.versions.node.split('.').map(Number);\
                      process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)";
    let tried = Command::new(&node).args(["-e", new_enough]).output().await;
    if tried.is_ok_and(|out| out.status.success()) {
        Ok((node, script_path))
    } else {
        Err("there is no Node.js of 22.19 or later".to_owned())
    }
}

#[tokio::test]
async fn the_inspector_lists_and_calls() {
    let (node, script) = match find_npm_program("mcp-inspector").await {
        Ok(found) => found,
        Err(why) => return skip("the_inspector_lists_and_calls", &why),
    };
    let (example, http, home) =
        (example(), start_example(TOKEN, "draft").await, tempfile::tempdir().unwrap());
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let stdio = [example.to_str().unwrap(), "stdio"];
    let url = [http.url.as_str(), "--transport", "http", "--header", &bearer];
    for server in [&stdio[..], &url[..]] {
        let asked = async |method: &[&str]| {
            let mut command = Command::new(&node);
            command.arg(&script).arg("--cli").args(server).arg("--method").args(method);
            let out = run(command.env("HOME", home.path()).current_dir(home.path())).await;
            assert!(out.status.success(), "{out:?}");
            serde_json::from_slice::<Value>(&out.stdout).unwrap_or_else(|_| panic!("{out:?}"))
        };
        let every: Vec<&str> = READ_TOOLS.iter().chain(&WRITE_TOOLS).copied().collect();
        assert_eq!(names(&asked(&["tools/list"]).await), every);
        let draft = ["tools/call", "--tool-name", "draft_training_plan", "--tool-arg", "goal=half"];
        let draft = asked(&[&draft[..], &["--tool-arg", "race_date=2026-09-06"]].concat()).await;
        assert_eq!(draft["structuredContent"]["status"], "draft", "{draft}");
        let resources = asked(&["resources/list"]).await;
        assert_eq!(resources["resources"].as_array().unwrap().len(), 4);
        assert_eq!(asked(&["prompts/list"]).await["prompts"][1]["name"], "brief");
    }
}

/// The scenarios that apply to this server, by protocol version. `docs/mcp.md` lists the others
/// with the reason.
const SCENARIOS: [(&str, &[&str]); 2] = [
    (
        OLD_VERSION,
        &[
            "server-initialize",
            "ping",
            "tools-list",
            "resources-list",
            "prompts-list",
            "dns-rebinding-protection",
        ],
    ),
    (
        CURRENT_VERSION,
        &[
            "server-stateless",
            "tools-list",
            "resources-list",
            "prompts-list",
            "sep-2164-resource-not-found",
            "dns-rebinding-protection",
            "caching",
            "http-header-validation",
            "server-sse-multiple-streams",
            "input-required-result-unsupported-methods",
        ],
    ),
];

#[tokio::test]
async fn conformance_suite_passes() {
    let (node, script) = match find_npm_program("conformance").await {
        Ok(found) => found,
        Err(why) => return skip("conformance_suite_passes", &why),
    };
    // The suite cannot send a token, so authentication is off.
    let (http, home) = (start_example("-", "draft").await, tempfile::tempdir().unwrap());
    for (version, scenarios) in SCENARIOS {
        for scenario in scenarios {
            let mut command = Command::new(&node);
            command.arg(&script).args(["server", "--url", &http.url, "--scenario", scenario]);
            command.args(["--spec-version", version]);
            let out = run(command.env("HOME", home.path()).current_dir(home.path())).await;
            let said = String::from_utf8_lossy(&out.stdout);
            let passed: usize = said
                .lines()
                .find_map(|line| line.strip_prefix("Passed: ")?.split('/').next()?.parse().ok())
                .unwrap_or_else(|| panic!("{scenario}: {out:?}"));
            // Some checks need a diagnostic tool that only the suite's own server has.
            let failed: Vec<&str> = said
                .lines()
                .filter_map(|line| line.trim().strip_prefix("Error: "))
                .filter(|why| !why.starts_with("Not testable: server does not list the diagnostic tool"))
                .collect();
            assert!(passed > 0 && failed.is_empty(), "{scenario} at {version}: {failed:?}\n{said}");
        }
    }
}
