//! Pages, one module each. Handlers read the store and render; the rules are in `fitness-core`.

pub(crate) mod activities;
pub(crate) mod activity;
pub(crate) mod activity_new;
pub(crate) mod calendar_feed;
pub(crate) mod coach;
pub(crate) mod confirm_session;
pub(crate) mod data;
pub(crate) mod day;
pub(crate) mod gear;
pub(crate) mod import;
pub(crate) mod overview;
pub(crate) mod plan;
pub(crate) mod race_new;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod sign_in;
pub(crate) mod today;
pub(crate) mod trends;
pub(crate) mod welcome;
