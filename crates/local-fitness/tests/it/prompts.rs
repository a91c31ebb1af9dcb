//! `fitness prompts` and `fitness token`.

use crate::coach::{DATABASE, text};
use crate::harness::Home;
use fitness_store::testkit::skip;
use std::path::{Path, PathBuf};

#[test]
fn tokens_are_shown_once_and_stop_working() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    assert!(home.ok(&["token", "list"]).contains("No tokens"));
    let made = home.json(&["token", "add", "Desk", "--scope", "draft", "--days", "3"]);
    let secret = text(&made["token"]);
    assert!(secret.len() >= 32 && made["scope"] == "draft", "{made}");
    assert_eq!(home.json(&["token", "add", "Other"])["scope"], "read", "the least by default");
    for list in [home.ok(&["token", "list"]), home.json(&["token", "list"]).to_string()] {
        assert!(list.contains("Desk") && !list.contains(&secret), "{list}");
    }
    let file = std::fs::read(home.path(DATABASE)).unwrap();
    assert!(!file.windows(secret.len()).any(|part| part == secret.as_bytes()), "only the hash is stored");
    home.ok(&["token", "revoke", "1"]);
    assert!(home.expect_error(&["token", "revoke", "1"]).contains("there is no token 1"));
    assert!(!home.ok(&["token", "list"]).contains("Desk"));
    home.expect_error(&["token", "add", " "]);
    assert_eq!(home.run(&["token", "add", "X", "--scope", "admin"]).code, Some(2));
}

/// A prompt like the built-in one, in other words.
const PROMPT: &str = "You coach an athlete.\n\nNever fabricate a number; if a metric is missing, say so plainly.\n\
    Translate training load into plain coaching language instead of raw jargon.\nKeep an encouraging coaching tone throughout.\n\n\
    METRICS:\n- recovery\n- sleep\n- training_load\n\nTONES:\n- encouraging\n- neutral\n- direct\n\nNotes to respect:\n{user_notes}\n";

#[test]
fn prompt_lint_finds_unknown_metrics_and_dropped_rules() {
    let home = Home::new();
    assert!(home.ok(&["prompts", "score"]).starts_with("No findings"));
    let file = home.file("sound.txt", PROMPT);
    home.ok(&["prompts", "score", &file]);
    let list = home.json(&["prompts", "list"]);
    assert!(list.as_array().unwrap().len() >= 2, "{list}");
    for (from, to, says) in [
        ("- sleep\n", "- moonphase\n", "FAIL: prompt advertises non-schema metrics: ['moonphase']\n"),
        ("- neutral\n", "- recovery\n", "FAIL: prompt advertises non-schema tones: ['recovery']\n"),
        ("{user_notes}", "", "FAIL: prompt no longer wires in saved user notes\n"),
    ] {
        let file = home.file("drifted.txt", PROMPT.replace(from, to));
        let told = home.run(&["prompts", "score", &file]);
        assert_eq!((told.code, told.out.as_str()), (Some(1), says), "{told:?}");
    }
    let file = home.file("forged.txt", PROMPT.replace("Never fabricate", "You may fabricate"));
    assert!(
        home.run(&["prompts", "score", &file]).out.contains("FAIL: prompt dropped the never-fabricate rule")
    );
    home.expect_error(&["prompts", "score", "no-such-file"]);
    home.file("binary", [0xff, 0xfe, 0x00]);
    home.expect_error(&["prompts", "score", "binary"]);
    assert!(!home.path("data").exists(), "no database is created");
}

#[test]
fn edited_copy_of_a_built_in_prompt_is_linted_by_its_rules() {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../prompts/brief/v1.md");
    let ours = std::fs::read_to_string(ours).unwrap();
    let home = Home::new();
    let file = home.file("a.md", &ours);
    let told = home.run(&["prompts", "score", &file]);
    assert!(
        told.code == Some(0) && told.out.contains("Checked against the rules of the brief prompt."),
        "{told:?}"
    );
    let without: String = ours
        .lines()
        .filter(|line| !line.contains("Write no digits"))
        .map(|line| format!("{line}\n"))
        .collect();
    let file = home.file("a.md", &without);
    let told = home.run(&["prompts", "score", &file]);
    assert_eq!(
        (told.code, told.out.as_str()),
        (Some(1), "FAIL: prompt dropped the no-digits rule\n"),
        "{told:?}"
    );
    let file = home.file("seed.txt", PROMPT);
    let told = home.run(&["prompts", "score", &file]);
    assert!(told.code == Some(0) && told.out.contains("Checked against the common rules"), "{told:?}");
    let told = home.run(&["prompts", "score", &file, "--as", "brief"]);
    assert!(told.code == Some(1) && told.out.contains("FAIL: prompt dropped the no-digits rule"), "{told:?}");
    let file = home.file("brief.md", PROMPT);
    assert_eq!(
        home.run(&["prompts", "score", &file]).code,
        Some(1),
        "a file named brief uses the rules of the brief"
    );
    std::fs::create_dir_all(home.path("brief")).unwrap();
    let file = home.file("brief/v1.md", &ours);
    assert_eq!(home.run(&["prompts", "score", &file]).code, Some(0));
    let file = home.file("brief/v1.md", ours.replace("a few plain English", "some plain English"));
    let told = home.run(&["prompts", "score", &file]);
    assert!(told.code == Some(1) && told.out.contains("brief v1 changed without a new version"), "{told:?}");
}

/// The seeds lie beside the repository on some machines.
fn seed(starts_with: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("FITNESS_SHARED").map_or(beside, PathBuf::from).join("seeds");
    let mut entries = std::fs::read_dir(folder).ok()?.flatten();
    let file = entries.find(|entry| entry.file_name().to_string_lossy().starts_with(starts_with))?;
    std::fs::read_to_string(file.path()).ok()
}

#[test]
fn the_prompt_of_the_seed_scores_clean() {
    let Some(seed) = seed("001") else {
        return skip("the_prompt_of_the_seed_scores_clean", "the seeds are not beside the repository");
    };
    let begins = seed.find("You are the athlete's training coach.").expect("the seed has a prompt");
    let ends = begins + seed[begins..].find("{user_notes}").unwrap() + "{user_notes}".len();
    let home = Home::new();
    let file = home.file("seed.txt", &seed[begins..ends]);
    assert!(home.ok(&["prompts", "score", &file]).starts_with("No findings"));
}
