//! Tests the API with Schemathesis against its OpenAPI document. `FITNESS_PYTHON` is a Python with
//! `schemathesis`.

use crate::coach::{text, with_a_plan};
use crate::harness::{Home, to_cli_output};
use crate::serve::{TestServer, serve};
use fitness_store::testkit::skip;
use serde_json::Value;
use std::process::{Command, Stdio};

/// Without `positive_data_acceptance`: OpenAPI cannot express that `from` must not be after
/// `through`.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,negative_data_rejection,unsupported_method,allow_header_conformance,ignored_auth";

fn python(test: &str) -> Option<std::ffi::OsString> {
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let has = Command::new(&python).args(["-c", "import schemathesis.cli"]).output();
    if has.is_ok_and(|out| out.status.success()) {
        return Some(python);
    }
    skip(test, "the Python package schemathesis is not installed");
    None
}

fn get(server: &TestServer, path: &str, bearer: &str) -> Value {
    let line = format!("GET {path} HTTP/1.1");
    let reply = server.request(&[&line, &server.host(), bearer], "");
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{reply:?}"))
}

/// Exit code and output of Schemathesis.
fn run_schemathesis(
    home: &Home,
    python: &std::ffi::OsStr,
    server: &TestServer,
    token: &str,
    phases: &str,
) -> (Option<i32>, String) {
    let url = format!("http://127.0.0.1:{}/api/v1/openapi.json", server.port);
    let header = format!("Authorization: Bearer {token}");
    let like = home.command(&[]);
    let mut command = Command::new(python);
    command.env_clear().current_dir(home.path(""));
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args(["-m", "schemathesis.cli", "run", &url, "--header", &header, "--checks", CHECKS]);
    command.args(["--phases", phases, "--max-examples", "15", "--seed", "7"]);
    command.args(["--generation-database", "none", "--no-color", "--continue-on-failure"]);
    let told = to_cli_output(command.stdin(Stdio::null()).output().unwrap());
    (told.code, told.out + &told.err)
}

#[test]
fn api_responses_conform_to_the_openapi_document() {
    let name = "api_responses_conform_to_the_openapi_document";
    let Some(python) = python(name) else { return };
    // With data, and with an empty database.
    let empty = Home::new();
    empty.ok(&["user", "add", "Ben", "--zone", "UTC"]);
    for (home, phases) in [(with_a_plan(), "coverage,fuzzing"), (empty, "coverage")] {
        let token = text(&home.json(&["token", "add", "Schemathesis", "--scope", "read"])["token"]);
        let server = serve(&home);
        let bearer = format!("Authorization: Bearer {token}");
        let described = get(&server, "/api/v1/openapi.json", &bearer)["paths"].as_object().unwrap().len();
        let (code, told) = run_schemathesis(&home, &python, &server, &token, phases);
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains(&format!("Tested: {described}")), "every route was tested: {told}");
        assert!(get(&server, "/api/v1/activities", &bearer)["activities"].is_array());
    }
}
