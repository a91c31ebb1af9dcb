//! The server's parts against a real store.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod activities;
mod api;
mod bad_urls;
mod chat_failures;
mod client_disconnect;
mod cookies_of_two_servers;
mod csrf;
mod data_pages;
mod export_limits;
mod fake_services;
mod fixtures;
mod get_only_reads;
mod harness;
mod host_origin;
mod job_lanes;
mod main_pages;
mod manual_entries;
mod model_words;
mod plan_decisions;
mod plan_pages;
mod prompt_injection;
mod proxy_files;
mod rate_limits;
mod readiness;
mod renamed_paths;
mod resubmitted_forms;
mod route_permissions;
mod session_confirmation;
mod settings;
mod sign_in_limits;
mod slow_clients;
mod today_card;
mod trends;
mod worker;
