//! Configuration: precedence of file, environment and arguments; invalid files.

use crate::harness::Home;
use crate::serve::TestServer;
use serde_json::{Value, json};

fn setting_with_origin(home: &Home, arguments: &[&str], key: &str) -> (Value, Value) {
    let told = home.json(&[&["config"], arguments].concat());
    let found = told["settings"].as_array().unwrap().iter().find(|one| one["key"] == key).unwrap().clone();
    (found["value"].clone(), found["from"].clone())
}

#[test]
fn arguments_override_environment_overrides_file() {
    let home = Home::new();
    assert_eq!(setting_with_origin(&home, &[], "serve.port"), (json!("8787"), json!("usual")));
    assert!(home.ok(&["config"]).contains("No config.toml; `fitness config --keys`"));
    let file = home.file(
        "config.toml",
        "database = 'mine.db'\nbackups = 'kept'\nlog = 'json'\n[serve]\nport = 0\nopen = false\nsite = 'http://box.local'\n",
    );
    let with = ["--config", file.as_str()];
    home.ok(&[&["user", "add", "Ann"], &with[..]].concat());
    assert!(home.path("mine.db").exists(), "relative to the file");
    home.ok(&[&["backup"], &with[..]].concat());
    assert_eq!(std::fs::read_dir(home.path("kept")).unwrap().count(), 1);
    assert_eq!(setting_with_origin(&home, &with, "log"), (json!("json"), json!("file")));
    let said =
        home.run_with("FITNESS_SITE", "http://other.local", &[&["config", "--json"], &with[..]].concat());
    assert!(said.out.contains("http://other.local") && said.out.contains("environment"), "{said:?}");
    let there = home.run_with("FITNESS_CONFIG", &file, &["user", "list"]);
    assert!(there.out.contains("Ann"), "{there:?}");
    let (link, _) = home.login("Ann", &with);
    assert!(link.starts_with("http://box.local/sign-in/"), "{link}");
    // The port is from the file, the log mode from the argument.
    let mut server = TestServer::start(
        &home,
        &[&["serve", "--log", "text", "--site", "http://127.0.0.1"], &with[..]].concat(),
    );
    assert!(server.next_line().contains("Open http://127.0.0.1"));
}

#[test]
fn default_config_file_is_read_from_the_config_directory() {
    let home = Home::new();
    std::fs::create_dir_all(home.path(".config/local-fitness")).unwrap();
    home.file(".config/local-fitness/config.toml", "[serve]\nport = 9123\n");
    assert_eq!(setting_with_origin(&home, &[], "serve.port"), (json!("9123"), json!("file")));
    assert!(home.expect_error(&["health"]).contains("port 9123"));
}

#[test]
fn invalid_config_file_is_refused() {
    let home = Home::new();
    for (text, says) in [
        ("databse = 'x.db'", "line 1: unknown field `databse`"),
        ("[serve]\nprot = 1", "line 2: unknown field `prot`"),
        ("[serve]\nport = 'many'", "line 2: "),
        ("database = ", "line 1: "),
        ("\u{0}", "line 1: "),
    ] {
        let file = home.file("bad.toml", text);
        let before = home.files();
        for command in [&["user", "add", "Ann"][..], &["doctor"], &["config"], &["serve"]] {
            let refused = home.expect_error(&[command, &["--config", &file]].concat());
            assert!(refused.contains(says) && refused.contains("fitness config --keys"), "{text}: {refused}");
        }
        assert_eq!(home.files(), before, "{text}");
    }
    let missing = home.expect_error(&["user", "list", "--config", "nowhere.toml"]);
    assert!(missing.contains("cannot read the configuration in nowhere.toml"), "{missing}");
    let folder = home.path("").display().to_string();
    assert!(home.expect_error(&["user", "list", "--config", &folder]).contains("not a configuration file"));
    let half = home.file("half.toml", "[serve]\ntls_cert = 'cert.pem'\n");
    let refused = home.expect_error(&["serve", "--config", &half]);
    assert!(refused.contains("`tls_cert` and `tls_key` must be set together"), "{refused}");
}

#[test]
fn configuration_document_lists_every_setting() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let document = std::fs::read_to_string(path).unwrap();
    let documented = document
        .split_once("<!-- configuration: begin -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- configuration: end -->"))
        .map(|(table, _)| table.trim());
    let home = Home::new();
    let code = |word: &Value| word.as_str().map(|word| format!("`{word}`")).unwrap_or_default();
    let mut expected =
        "| `config.toml` | environment | command line | default | description |\n|---|---|---|---|---|"
            .to_owned();
    let printed = home.ok(&["config", "--keys"]);
    for setting in home.json(&["config", "--keys"]).as_array().unwrap() {
        let text = |key: &str| setting[key].as_str().unwrap();
        let (variable, argument) = (code(&setting["variable"]), code(&setting["argument"]));
        let (default, meaning) = (text("usual"), text("meaning"));
        expected += &format!("\n| `{}` | {variable} | {argument} | {default} | {meaning} |", text("key"));
        for part in [text("key"), default, meaning] {
            assert!(printed.contains(&part.replace('`', "")), "{part}: {printed}");
        }
    }
    assert_eq!(documented, Some(expected.as_str()), "copy the right side to docs/configuration.md");
}
