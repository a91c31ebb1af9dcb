//! What is set: by the file, by the environment over it, by arguments over both; and what is refused.

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
    assert!(home.ok(&["config"]).contains("There is no file of settings"));
    let file = home.file(
        "config.toml",
        "database = 'mine.db'\nbackups = 'kept'\nlog = 'json'\n[serve]\nport = 0\nopen = false\nsite = 'http://box.local'\n",
    );
    let with = ["--config", file.as_str()];
    home.ok(&[&["user", "add", "Ann"], &with[..]].concat());
    assert!(home.path("mine.db").exists(), "from where the file is");
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
    // The port is the file's, any; what it notes is the argument's.
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
    assert!(missing.contains("nowhere.toml cannot be read"), "{missing}");
    let folder = home.path("").display().to_string();
    assert!(home.expect_error(&["user", "list", "--config", &folder]).contains("no file of settings"));
    let half = home.file("half.toml", "[serve]\ntls_cert = 'cert.pem'\n");
    let refused = home.expect_error(&["serve", "--config", &half]);
    assert!(refused.contains("`tls_cert` and `tls_key` go together"), "{refused}");
}

/// The README tells every setting as the program does.
#[test]
fn the_documented_settings_are_those_there_are() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let told = readme
        .split_once("<!-- configuration: begin -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- configuration: end -->"))
        .map(|(told, _)| told.trim());
    let there_are = Home::new().ok(&["config", "--keys"]);
    assert_eq!(told, Some(there_are.trim()), "put what `fitness config --keys` prints into the README");
}
