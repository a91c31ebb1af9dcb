//! Users and sign-in: passwords, sessions, login links, API tokens and calendar feeds.

pub(crate) mod api_tokens;
pub(crate) mod calendar_feeds;
pub(crate) mod login_links;
pub(crate) mod password_rules;
pub(crate) mod secret;
pub(crate) mod session_codes;
pub(crate) mod sessions;
pub(crate) mod users;
