//! Configuration. Precedence: command line, environment, `config.toml`, default.
//!
//! There is no global: [`AppConfig::load`] reads the file once, and callers pass the value on.

mod keys;

pub(crate) use keys::{SETTINGS, SettingInfo};

use crate::cli::{LogMode, ServeArgs};
use crate::error::CliError;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::Location;
use fitness_store::backup::{BackupDirectory, BackupLocation};
use fitness_store::db::location::config_directory;
use fitness_web::{DEFAULT_PORT, Network, TrustedProxies};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

/// Path of the configuration file.
pub(crate) const FILE_VARIABLE: &str = "FITNESS_CONFIG";
/// Database path or URL.
pub(crate) const DATABASE_VARIABLE: &str = "FITNESS_DB";
/// Backup directory, or `off`.
pub(crate) const BACKUPS_VARIABLE: &str = "FITNESS_BACKUPS";
/// URL that browsers use.
const SITE_VARIABLE: &str = "FITNESS_SITE";
/// What the server logs.
const LOG_VARIABLE: &str = "FITNESS_LOG";
const FILE_NAME: &str = "config.toml";
/// Larger files are refused.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The configuration file. Unknown keys are an error, so that a typo is noticed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    database: Option<String>,
    backups: Option<String>,
    log: Option<LogMode>,
    #[serde(default)]
    serve: ServeSection,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ServeSection {
    port: Option<u16>,
    bind: Option<IpAddr>,
    site: Option<String>,
    behind_proxy: Option<bool>,
    trusted_proxies: Option<Vec<String>>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    open: Option<bool>,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SettingOrigin {
    Environment,
    File,
    /// `usual` in JSON output.
    #[serde(rename = "usual")]
    Default,
}

/// The configuration file merged with the environment; the command line is applied later.
#[derive(Debug, Clone, Default)]
pub(crate) struct AppConfig {
    path: Option<PathBuf>,
    file: ConfigFile,
}

#[derive(Debug, Clone)]
pub(crate) struct ServeConfig {
    pub(crate) port: u16,
    pub(crate) bind: IpAddr,
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    pub(crate) behind_proxy: bool,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) site: Option<String>,
    pub(crate) open_browser: bool,
    pub(crate) log: LogMode,
    /// Job lease in seconds.
    pub(crate) lease_seconds: u32,
}

impl AppConfig {
    /// Reads the file named by `--config` or `FITNESS_CONFIG`, or the default one if it exists.
    pub(crate) fn load(named: Option<PathBuf>) -> Result<Self> {
        let named = named.or_else(|| env_value(FILE_VARIABLE).map(PathBuf::from));
        let path = match named {
            Some(path) => path,
            None => match config_directory().map(|directory| directory.join(FILE_NAME)) {
                Some(path) if path.exists() => path,
                _ => return Ok(Self::default()),
            },
        };
        let unreadable = |why: String| {
            let help = format!("check the path in --config or {FILE_VARIABLE}, and its permissions");
            CliError::new(format!("cannot read the configuration in {}: {why}", path.display()), help)
        };
        let size = std::fs::metadata(&path).map_err(|why| unreadable(why.to_string()))?;
        if !size.is_file() || size.len() > MAX_FILE_BYTES {
            return Err(unreadable("not a configuration file".to_owned()).into());
        }
        let text = std::fs::read_to_string(&path).map_err(|why| unreadable(why.to_string()))?;
        let file: ConfigFile = toml::from_str(&text).map_err(|why| parse_error(&path, &text, &why))?;
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self { file: file.resolve_paths(&directory), path: Some(path) })
    }

    /// The file that was read, if any.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn location(&self) -> Result<Location> {
        Ok(match self.database() {
            Some(database) => Location::parse(&database)?,
            None => Location::default_file()?,
        })
    }

    fn database(&self) -> Option<OsString> {
        std::env::var_os(DATABASE_VARIABLE).or_else(|| self.file.database.clone().map(OsString::from))
    }

    pub(crate) fn backups(&self) -> Result<BackupLocation> {
        let named =
            std::env::var_os(BACKUPS_VARIABLE).or_else(|| self.file.backups.clone().map(OsString::from));
        Ok(named.map(|named| BackupLocation::parse(&named)).transpose()?.unwrap_or_default())
    }

    /// The configured URL that browsers use.
    pub(crate) fn configured_site(&self) -> Option<String> {
        let variable = std::env::var(SITE_VARIABLE).ok().filter(|site| !site.is_empty());
        variable.or_else(|| self.file.serve.site.clone())
    }

    /// The URL of the app: the configured one, or this machine.
    pub(crate) fn site(&self) -> String {
        self.site_with_port(None)
    }

    /// [`Self::site`] on another port.
    pub(crate) fn site_with_port(&self, port: Option<u16>) -> String {
        let port = port.unwrap_or_else(|| self.port());
        self.configured_site().unwrap_or_else(|| format!("http://127.0.0.1:{port}"))
    }

    pub(crate) fn port(&self) -> u16 {
        self.file.serve.port.unwrap_or(DEFAULT_PORT)
    }

    fn trusted_proxies(&self) -> Result<TrustedProxies> {
        let named = self.file.serve.trusted_proxies.iter().flatten();
        let networks = named.map(|text| {
            text.parse::<Network>().map_err(|why| {
                let help = "correct `trusted_proxies` in config.toml";
                CliError::new(format!("`{}` is {why}", escape_invisible(text)), help)
            })
        });
        Ok(networks.collect::<Result<_, CliError>>()?)
    }

    fn log(&self) -> Result<Option<LogMode>> {
        let Some(value) = env_value(LOG_VARIABLE) else { return Ok(self.file.log) };
        let word = value.to_string_lossy();
        let log = <LogMode as clap::ValueEnum>::from_str(&word, false).map_err(|_| {
            let help = "use problems, text or json";
            CliError::new(
                format!("`{}` is not a valid value for {LOG_VARIABLE}", escape_invisible(&word)),
                help,
            )
        })?;
        Ok(Some(log))
    }

    /// The server's configuration; arguments override everything else.
    pub(crate) fn serve_config(&self, args: ServeArgs) -> Result<ServeConfig> {
        let file = &self.file.serve;
        let tls = match (args.tls_cert, args.tls_key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            // `--behind-proxy` overrides a certificate in the file.
            _ if args.behind_proxy => None,
            _ => match (file.tls_cert.clone(), file.tls_key.clone()) {
                (None, None) => None,
                (Some(certificate), Some(key)) => Some((certificate, key)),
                _ => {
                    let help = "set both in config.toml, or neither";
                    return Err(CliError::new("`tls_cert` and `tls_key` must be set together", help).into());
                }
            },
        };
        let log = match args.log {
            Some(log) => log,
            None => self.log()?.unwrap_or_default(),
        };
        let trusted_proxies = match args.trusted_proxies {
            given if given.is_empty() => self.trusted_proxies()?,
            given => given.into_iter().collect(),
        };
        Ok(ServeConfig {
            trusted_proxies,
            port: args.port.unwrap_or_else(|| self.port()),
            bind: args.bind.or(file.bind).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            behind_proxy: args.behind_proxy || (tls.is_none() && file.behind_proxy == Some(true)),
            tls,
            site: args.site.or_else(|| self.configured_site()),
            open_browser: !args.no_open && file.open != Some(false),
            log,
            lease_seconds: args.lease,
        })
    }

    /// Every setting with its value and origin.
    pub(crate) fn list(&self) -> Result<Vec<(&'static SettingInfo, String, SettingOrigin)>> {
        let file = &self.file.serve;
        let backups = match BackupDirectory::for_database(&self.location()?, &self.backups()?) {
            Ok(Some(folder)) => folder.path().display().to_string(),
            Ok(None) => "off".to_owned(),
            Err(why) => why.to_string(),
        };
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let values = [
            ("database", Some(self.location()?.to_string()), self.file.database.is_some()),
            ("backups", Some(backups), self.file.backups.is_some()),
            ("log", Some(self.log()?.unwrap_or_default().to_string()), self.file.log.is_some()),
            ("serve.port", Some(self.port().to_string()), file.port.is_some()),
            (
                "serve.bind",
                Some(file.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)).to_string()),
                file.bind.is_some(),
            ),
            ("serve.site", Some(self.site()), file.site.is_some()),
            (
                "serve.behind_proxy",
                Some(file.behind_proxy.unwrap_or(false).to_string()),
                file.behind_proxy.is_some(),
            ),
            (
                "serve.trusted_proxies",
                file.trusted_proxies.as_ref().map(|proxies| proxies.join(", ")),
                file.trusted_proxies.is_some(),
            ),
            ("serve.tls_cert", shown(&file.tls_cert), file.tls_cert.is_some()),
            ("serve.tls_key", shown(&file.tls_key), file.tls_key.is_some()),
            ("serve.open", Some(file.open.unwrap_or(true).to_string()), file.open.is_some()),
        ];
        let all = values.into_iter().map(|(name, value, in_file)| {
            let key = SETTINGS.iter().find(|key| key.name == name).expect("every setting is in SETTINGS");
            let from = match key.variable {
                Some(variable) if env_value(variable).is_some() => SettingOrigin::Environment,
                _ if in_file => SettingOrigin::File,
                _ => SettingOrigin::Default,
            };
            (key, value.unwrap_or_else(|| "none".to_owned()), from)
        });
        Ok(all.collect())
    }
}

/// `None` if the variable is unset or empty.
fn env_value(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}

impl ConfigFile {
    /// Relative paths are relative to the file; `~/` is the home directory.
    fn resolve_paths(mut self, directory: &Path) -> Self {
        let rooted = |path: &str| match path.strip_prefix("~/") {
            Some(rest) => std::env::home_dir().map(|home| home.join(rest)),
            None => Some(directory.join(path)),
        };
        for named in [&mut self.database, &mut self.backups].into_iter().flatten() {
            let is_path = named != "off" && !named.is_empty() && !named.contains(':');
            if is_path && let Some(path) = rooted(named) {
                *named = path.display().to_string();
            }
        }
        for path in [&mut self.serve.tls_cert, &mut self.serve.tls_key].into_iter().flatten() {
            if let Some(from_there) = path.to_str().and_then(rooted) {
                *path = from_there;
            }
        }
        self
    }
}

/// The line number of a parse error, never the line itself: it may contain a password.
fn parse_error(path: &Path, text: &str, why: &toml::de::Error) -> CliError {
    let line = why.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let place =
        line.map_or_else(|| path.display().to_string(), |line| format!("{}, line {line}", path.display()));
    let names: Vec<&str> = SETTINGS.iter().map(|key| key.name).collect();
    CliError::new(
        format!("{place}: {}", why.message().lines().next().unwrap_or_default()),
        format!("valid keys are {}; `fitness config --keys` describes them", names.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_SETTINGS: &str = r#"
        database = "fit.db"
        backups = "/keep"
        log = "json"
        [serve]
        port = 9000
        bind = "0.0.0.0"
        site = "https://fit.example.org"
        behind_proxy = true
        trusted_proxies = ["127.0.0.1", "172.16.0.0/12"]
        tls_cert = "cert.pem"
        tls_key = "/etc/key.pem"
        open = false
    "#;

    #[test]
    fn settings_list_matches_the_config_file_fields() {
        let file: ConfigFile = toml::from_str(ALL_SETTINGS).unwrap();
        let seen = serde_json::to_value(&file).unwrap();
        let mut names = Vec::new();
        for (name, value) in seen.as_object().unwrap() {
            match value.as_object() {
                Some(table) => names.extend(table.keys().map(|inner| format!("{name}.{inner}"))),
                None => names.push(name.clone()),
            }
        }
        names.sort();
        let mut listed: Vec<String> = SETTINGS.iter().map(|key| key.name.to_owned()).collect();
        listed.sort();
        assert_eq!(names, listed);
    }

    #[test]
    fn relative_paths_resolve_against_the_config_file() {
        let file =
            toml::from_str::<ConfigFile>(ALL_SETTINGS).unwrap().resolve_paths(Path::new("/etc/fitness"));
        assert_eq!(file.database.as_deref(), Some("/etc/fitness/fit.db"));
        assert_eq!(file.backups.as_deref(), Some("/keep"));
        assert_eq!(file.serve.tls_cert.as_deref(), Some(Path::new("/etc/fitness/cert.pem")));
        assert_eq!(file.serve.tls_key.as_deref(), Some(Path::new("/etc/key.pem")));
        let server = toml::from_str::<ConfigFile>("database = 'postgres://h/f'\nbackups = 'off'").unwrap();
        assert_eq!(server.clone().resolve_paths(Path::new("/etc")), server);
    }

    #[test]
    fn config_parse_error_names_the_line_and_never_quotes_it() {
        for (text, line, says) in [
            ("databse = 'x'", 1, "unknown field `databse`"),
            ("log = 'json'\n[serve]\nprot = 80", 3, "unknown field `prot`"),
            ("[serve]\nport = 'many'", 2, "expected u16"),
            ("[serve]\nport = 70000", 2, "expected u16"),
            ("log = 'loud'", 1, "unknown variant"),
            ("[server]\nport = 80", 1, "unknown field `server`"),
            ("database = 'postgres://ann:s3cret@db/fit'\ndatabase = 's3cret'", 2, "duplicate key"),
            ("database = s3cret", 1, ""),
        ] {
            let why = toml::from_str::<ConfigFile>(text).unwrap_err();
            let failure = parse_error(Path::new("config.toml"), text, &why).to_string();
            assert!(failure.starts_with(&format!("config.toml, line {line}: ")), "{text}: {failure}");
            assert!(failure.contains(says), "{text}: {failure}");
            assert!(!failure.contains("s3cret"), "{failure}");
        }
    }
}
