//! Every setting there is, as it is told to people.

use super::{BACKUPS_VARIABLE, DATABASE_VARIABLE, LOG_VARIABLE, SITE_VARIABLE};

/// A setting, as it is told to people.
pub(crate) struct SettingInfo {
    /// What it is called in the file.
    pub(crate) name: &'static str,
    /// Its variable.
    pub(crate) variable: Option<&'static str>,
    /// Its argument.
    pub(crate) argument: Option<&'static str>,
    /// What holds when nothing is said.
    pub(crate) default: &'static str,
    /// What it is for.
    pub(crate) description: &'static str,
}

const fn setting(
    name: &'static str,
    variable: Option<&'static str>,
    argument: Option<&'static str>,
    usual: &'static str,
    meaning: &'static str,
) -> SettingInfo {
    SettingInfo { name, variable, argument, default: usual, description: meaning }
}

/// Every setting there is.
pub(crate) const SETTINGS: &[SettingInfo] = &[
    setting(
        "database",
        Some(DATABASE_VARIABLE),
        None,
        "`fitness.db` in your data directory",
        "a file, or `postgres://user:password@host/database`",
    ),
    setting(
        "backups",
        Some(BACKUPS_VARIABLE),
        None,
        "`backups` beside the database file; in your data directory for PostgreSQL",
        "the folder of backups, or `off`",
    ),
    setting(
        "log",
        Some(LOG_VARIABLE),
        Some("serve --log"),
        "`problems`",
        "what the server notes: `problems`, or every call and job as `text` or `json`",
    ),
    setting("serve.port", None, Some("serve --port"), "`8787`", "the port"),
    setting(
        "serve.bind",
        None,
        Some("serve --bind"),
        "`127.0.0.1`",
        "the address to listen on; others need passwords and TLS",
    ),
    setting(
        "serve.site",
        Some(SITE_VARIABLE),
        Some("serve --site"),
        "the address and port",
        "where browsers reach it, such as `https://fitness.example.org`",
    ),
    setting(
        "serve.behind_proxy",
        None,
        Some("serve --behind-proxy"),
        "`false`",
        "another server in front of it speaks TLS; needs `site`",
    ),
    setting(
        "serve.trusted_proxies",
        None,
        Some("serve --trusted-proxy"),
        "none",
        "proxies whose `X-Forwarded-For` is believed, such as `[\"127.0.0.1\", \"172.16.0.0/12\"]`",
    ),
    setting(
        "serve.tls_cert",
        None,
        Some("serve --tls-cert"),
        "none",
        "the certificate to speak TLS with, a PEM file",
    ),
    setting("serve.tls_key", None, Some("serve --tls-key"), "none", "the certificate's key, a PEM file"),
    setting(
        "serve.open",
        None,
        Some("serve --no-open"),
        "`true`",
        "whether a browser is opened where somebody is looking",
    ),
];
