//! The settings, as described by `fitness config --keys` and docs/configuration.md.

use super::{BACKUPS_VARIABLE, DATABASE_VARIABLE, LOG_VARIABLE, SITE_VARIABLE};

pub(crate) struct SettingInfo {
    pub(crate) name: &'static str,
    pub(crate) variable: Option<&'static str>,
    pub(crate) argument: Option<&'static str>,
    pub(crate) default: &'static str,
    pub(crate) description: &'static str,
}

const fn setting(
    name: &'static str,
    variable: Option<&'static str>,
    argument: Option<&'static str>,
    default: &'static str,
    description: &'static str,
) -> SettingInfo {
    SettingInfo { name, variable, argument, default, description }
}

pub(crate) const SETTINGS: &[SettingInfo] = &[
    setting(
        "database",
        Some(DATABASE_VARIABLE),
        None,
        "`fitness.db` in your data directory",
        "a file path, or `postgres://user:password@host/database`",
    ),
    setting(
        "backups",
        Some(BACKUPS_VARIABLE),
        None,
        "`backups` next to the database file; for PostgreSQL in your data directory",
        "the backup directory, or `off`",
    ),
    setting(
        "log",
        Some(LOG_VARIABLE),
        Some("serve --log"),
        "`problems`",
        "what the server logs: `problems` only, or every request and job as `text` or `json`",
    ),
    setting("serve.port", None, Some("serve --port"), "`8787`", "the port"),
    setting(
        "serve.bind",
        None,
        Some("serve --bind"),
        "`127.0.0.1`",
        "the address to listen on; an address other than `127.0.0.1` requires passwords and TLS",
    ),
    setting(
        "serve.site",
        Some(SITE_VARIABLE),
        Some("serve --site"),
        "the address and port",
        "the URL that browsers use, such as `https://fitness.example.org`",
    ),
    setting(
        "serve.behind_proxy",
        None,
        Some("serve --behind-proxy"),
        "`false`",
        "a reverse proxy terminates TLS; requires `site`",
    ),
    setting(
        "serve.trusted_proxies",
        None,
        Some("serve --trusted-proxy"),
        "none",
        "proxies whose `X-Forwarded-For` header is trusted, such as `[\"127.0.0.1\", \"172.16.0.0/12\"]`",
    ),
    setting("serve.tls_cert", None, Some("serve --tls-cert"), "none", "the TLS certificate, a PEM file"),
    setting(
        "serve.tls_key",
        None,
        Some("serve --tls-key"),
        "none",
        "the private key of the certificate, a PEM file",
    ),
    setting(
        "serve.open",
        None,
        Some("serve --no-open"),
        "`true`",
        "open a browser when started from a terminal",
    ),
];
