//! The web app in Chromium, driven by the scripts in `tests/browser`.
//!
//! Needs Chromium, Node.js and two npm packages, which `./check` fetches if it can; skipped
//! otherwise.

use crate::harness::Home;
use fitness_store::testkit;
use std::process::Command;

/// Runs one script in its own home. The script starts the server, as it may restart it.
fn walk(name: &str) {
    let modules = std::env::var("FITNESS_NODE_MODULES").unwrap_or_default();
    let there = |package: &str| std::path::Path::new(&modules).join(package).is_dir();
    let chromium = [
        "/usr/bin/chromium",
        "/usr/local/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let chromium = chromium.into_iter().find(|path| std::path::Path::new(path).exists());
    let (Some(chromium), true) = (chromium, there("playwright-core") && there("axe-core")) else {
        testkit::skip(name, "no Chromium, or no playwright-core and axe-core in FITNESS_NODE_MODULES");
        return;
    };
    let home = Home::new();
    // The script gets the environment of this home.
    let program = home.command(&[]);
    let inherited = program.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/walk.mjs");
    let output = Command::new("node")
        .args([script, name])
        .env_clear()
        .envs(inherited)
        .current_dir(home.path(""))
        .env("FITNESS_PROGRAM", program.get_program())
        .env("FITNESS_NODE_MODULES", &modules)
        .env("FITNESS_CHROMIUM", chromium)
        .output();
    let output = output.expect("node is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

macro_rules! walks {
    ($($name:ident = $script:literal;)+) => { $( #[test] fn $name() { walk($script); } )+ };
}

walks! {
    every_page_renders_in_light_dark_and_on_a_phone = "everyPage";
    first_run_pages_are_accessible = "beginning";
    printed_plan_ignores_the_dark_theme = "printed";
    first_visit_explains_the_next_steps = "firstVisit";
    setup_link_leads_to_today = "firstRun";
    stopped_chat_reply_is_stored_and_continued = "stopping";
    pages_work_with_the_keyboard = "keyboard";
    pages_work_without_javascript = "withoutScript";
    coach_reply_streams_and_changes_no_plan = "talking";
    account_export_is_imported_and_summarized = "importing";
    draft_from_chat_is_activated_and_replaced_only_explicitly = "committing";
    activation_shows_verdicts = "judging";
    proposal_is_applied_in_part_and_reverted = "partly";
    token_is_shown_once_and_can_be_revoked = "token";
    open_page_survives_a_server_restart = "restarted";
    scripts_in_activity_names_and_notes_do_not_run = "hostileNames";
    scripts_in_plans_and_proposals_do_not_run = "hostilePlans";
    scripts_in_model_text_do_not_run = "hostileModel";
    scripts_in_file_names_do_not_run = "hostileFiles";
    scripts_in_urls_forms_and_user_names_do_not_run = "hostileErrors";
}
