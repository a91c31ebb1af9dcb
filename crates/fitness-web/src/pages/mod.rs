//! The pages, one module for each room. A handler reads the store, makes a page of what it read, and decides nothing.

pub(crate) mod activities;
pub(crate) mod activity;
pub(crate) mod calendar;
pub(crate) mod coach;
pub(crate) mod confirm_session;
pub(crate) mod draft_review;
pub(crate) mod drafting;
pub(crate) mod found;
pub(crate) mod import;
pub(crate) mod pace_card;
pub(crate) mod plan;
pub(crate) mod plan_decisions;
pub(crate) mod plan_files;
pub(crate) mod plans;
pub(crate) mod proposal_review;
pub(crate) mod revisions;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod sign_in;
pub(crate) mod sources;
pub(crate) mod today;
pub(crate) mod trends;
pub(crate) mod welcome;
pub(crate) mod workout;
pub(crate) mod workout_edit;
