//! MCP with the official Python client. `FITNESS_PYTHON` is a Python with `mcp`.

use crate::coach::{demo_home, text};
use crate::harness::{Home, to_cli_output};
use crate::serve::serve;
use fitness_store::testkit::skip;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

const TOOLS: [&str; 14] = [
    "daily_snapshot",
    "metric_series",
    "activities",
    "activity_detail",
    "compare_periods",
    "training_load",
    "plan_progress",
    "predict_finish",
    "notes",
    "suggest_note",
    "suggest_observation",
    "draft_training_plan",
    "propose_modification",
    "propose_week",
];

fn python(test: &str) -> Option<std::ffi::OsString> {
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let has = Command::new(&python).args(["-c", "import mcp, httpx2; mcp.Client"]).output();
    if has.is_ok_and(|out| out.status.success()) {
        return Some(python);
    }
    skip(test, "the Python package mcp is not installed");
    None
}

/// Output of the Python client.
fn run_python_client(
    home: &Home,
    python: &std::ffi::OsStr,
    calls: &[(&str, Value)],
    server: &[&str],
) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../fitness-mcp/tests/clients/client.py");
    // The client and the servers it starts use the environment of this home.
    let like = home.command(&[]);
    let mut command = Command::new(python);
    command.env_clear().arg(script);
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    for (tool, input) in calls {
        command.args(["--call", tool, &input.to_string()]);
    }
    let told = to_cli_output(command.args(server).stdin(Stdio::null()).output().unwrap());
    serde_json::from_str(&told.out).unwrap_or_else(|_| panic!("{told:?}"))
}

/// The program as it is started over pipes. The client hands on little of its own environment.
fn stdio_arguments(home: &Home, arguments: &[&str]) -> Vec<String> {
    let like = home.command(&[]);
    let set = like.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
    let set: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    [words(&["--command", "env"]), set, words(&[env!("CARGO_BIN_EXE_fitness")]), words(arguments)].concat()
}

fn tool_names(told: &Value) -> Vec<&str> {
    let tools = told["tools"].as_array().unwrap_or_else(|| panic!("{told}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_foreign_client_lists_and_calls_over_pipes_and_over_http() {
    let Some(python) = python("a_foreign_client_lists_and_calls_over_pipes_and_over_http") else { return };
    let home = demo_home();
    let token = text(&home.json(&["token", "add", "Python", "--scope", "draft"])["token"]);
    let server = serve(&home);
    home.ok(&["brief"]);
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    let race = crate::planning::today(&home).plus_days(140);
    let calls = [
        ("daily_snapshot", json!({})),
        ("plan_progress", json!({})),
        ("draft_training_plan", json!({ "goal": "half", "race_date": race, "target_time": "01:45:00" })),
    ];
    let pipes = stdio_arguments(&home, &["mcp"]);
    let pipes: Vec<&str> = pipes.iter().map(String::as_str).collect();
    let http = ["--url", &url, "--token", &token];
    for (at, server) in [&pipes[..], &http[..]].iter().enumerate() {
        let told = run_python_client(&home, &python, &calls, server);
        assert_eq!(tool_names(&told), TOOLS, "exactly these");
        let answers = told["calls"].as_array().unwrap();
        for one in answers {
            assert_eq!(one["is_error"], false, "{one}");
            assert!(one["structured"]["data_through"].is_string(), "{one}");
        }
        let drafted = &answers[2];
        assert_eq!(
            (&drafted["structured"]["plan_id"], &drafted["structured"]["status"]),
            (&json!(at + 1), &json!("draft"))
        );
        let review = text(&drafted["structured"]["review"]);
        assert!(
            drafted["texts"].as_array().unwrap().iter().any(|one| text(one).contains(&review)),
            "{drafted}"
        );
        assert!(told["resources"].to_string().contains("# Brief of "), "{}", told["resources"]);
        assert_eq!(told["server"]["name"], "local-fitness");
    }
    let plans = home.json(&["plan", "list"]);
    assert!(plans.as_array().unwrap().iter().all(|plan| plan["status"] == "draft"), "{plans}");
    let refused =
        run_python_client(&home, &python, &[], &["--url", &url, "--token", "wrong-wrong-wrong-wrong"]);
    assert!(refused["refused"].is_string(), "{refused}");
}

#[test]
fn each_token_sees_only_its_users_data() {
    let Some(python) = python("each_token_sees_only_its_users_data") else { return };
    let home = demo_home();
    home.ok(&["user", "add", "Ben", "--zone", "UTC"]);
    let server = serve(&home);
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    for (who, note) in [("Ann", "Ann likes hills"), ("Ben", "Ben likes flats")] {
        home.ok(&["--user", who, "note", "add", note]);
        // The client reads every resource, and the server writes briefs only in the morning.
        home.ok(&["--user", who, "brief"]);
    }
    let calls = [
        ("notes", json!({})),
        ("activities", json!({})),
        ("suggest_note", json!({ "text": "From outside" })),
    ];
    for (who, own, other, runs) in [("Ann", "hills", "flats", true), ("Ben", "flats", "hills", false)] {
        let token = text(&home.json(&["--user", who, "token", "add", "Python", "--scope", "draft"])["token"]);
        let told = run_python_client(&home, &python, &calls, &["--url", &url, "--token", &token]);
        let answers = told["calls"].as_array().unwrap_or_else(|| panic!("{told}"));
        let notes = answers[0]["structured"].to_string();
        assert!(notes.contains(own) && !notes.contains(other), "{who}: {notes}");
        let found = answers[1]["structured"]["activities"].as_array().map_or(0, Vec::len);
        assert_eq!(found > 0, runs, "{who}: {}", answers[1]["structured"]);
        let list = home.ok(&["--user", who, "note", "list"]);
        assert!(list.contains("From outside (suggested by mcp)"), "{list}");
        assert_eq!(list.matches("From outside").count(), 1, "{who}: {list}");
    }
    // Over stdio, --user selects the user; the client cannot.
    let command = stdio_arguments(&home, &["--user", "Ben", "mcp"]);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let told = run_python_client(&home, &python, &[("notes", json!({}))], &command);
    assert!(told["calls"][0]["structured"].to_string().contains("flats"), "{told}");
    assert!(home.run(&["mcp"]).expect_error(&["mcp"]).contains("--user NAME"));
}

#[test]
fn stdio_lists_the_tools_and_prints_only_protocol_messages() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let mut process = home
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut ask = |message: Value, answered: bool| -> Value {
        writeln!(input, "{message}").unwrap();
        if !answered {
            return Value::Null;
        }
        serde_json::from_str(&output.next().expect("an answer").unwrap()).unwrap()
    };
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }), true);
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), false);
    let told = ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }), true);
    assert_eq!(tool_names(&told["result"]), TOOLS);
    for tool in ["activate_plan", "apply_proposal", "delete_note", "sql"] {
        let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": tool, "arguments": {} } });
        assert_eq!(ask(call, true)["error"]["code"], -32602, "{tool}");
    }
    drop(input);
    let rest: Vec<String> = output.map(Result::unwrap).collect();
    assert_eq!(rest, Vec::<String>::new());
    let ended = to_cli_output(process.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "exits when the client disconnects");
}
