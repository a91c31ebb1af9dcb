//! The pages in a real browser, against the real binary: Chromium, driven by the scripts in `tests/browser`.
//!
//! Needs Chromium, Node.js and two packages of npm's, which `./check` fetches where it can; skipped loudly where not.

use crate::harness::Home;
use fitness_store::testkit;
use std::process::Command;

/// One walk, in a home of its own. The script starts the server itself, as it may have to start it again.
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
    // What the program inherits in this home, the script inherits too.
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
    let output = output.expect("node is there where its packages are");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

macro_rules! walks {
    ($($name:ident = $script:literal;)+) => { $( #[test] fn $name() { walk($script); } )+ };
}

walks! {
    every_page_is_fine_in_light_and_dark_and_on_a_phone = "everyPage";
    a_first_run_has_nothing_to_stumble_over = "beginning";
    the_plan_is_dark_on_light_on_paper_whatever_the_theme = "printed";
    the_first_visit_tells_what_to_do_and_why = "firstVisit";
    the_first_start_leads_from_its_link_to_ones_own_today = "firstRun";
    what_is_stopped_is_kept_and_gone_on_with = "stopping";
    everything_can_be_reached_without_a_mouse = "keyboard";
    everything_but_streaming_works_without_a_script = "withoutScript";
    the_coach_answers_as_it_goes_and_decides_nothing = "talking";
    an_accounts_export_is_imported_and_told = "importing";
    a_draft_by_chat_is_committed_and_another_replaces_it_only_when_told_to = "committing";
    verdicts_appear_with_the_commit = "judging";
    a_proposal_is_taken_in_part_and_taken_back = "partly";
    a_token_is_shown_once_opens_mcp_and_ends = "token";
    an_open_page_outlives_the_server = "restarted";
    nothing_runs_in_the_names_of_activities_and_in_notes = "hostileNames";
    nothing_runs_in_plans_and_proposals = "hostilePlans";
    nothing_runs_of_what_a_model_says = "hostileModel";
    nothing_runs_in_the_names_of_files = "hostileFiles";
    nothing_runs_of_an_address_a_refused_form_or_a_persons_name = "hostileErrors";
}
