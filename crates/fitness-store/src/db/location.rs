//! Database location: a file path or a PostgreSQL URL.

use crate::db::error::{Error, Result};
use sqlx::postgres::PgConnectOptions;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

const FILE_NAME: &str = "fitness.db";

#[derive(Clone)]
pub enum Location {
    Sqlite {
        path: PathBuf,
        /// Whether it is the default path, whose directory is created if needed.
        default: bool,
    },
    Postgres(Box<PgConnectOptions>),
}

impl Location {
    /// The default file in the platform's data directory.
    pub fn default_file() -> Result<Self> {
        let directory = data_directory().ok_or(Error::BadLocation {
            value: String::new(),
            reason: "this account has no home directory; set FITNESS_DB",
        })?;
        Ok(Self::Sqlite { path: directory.join(FILE_NAME), default: true })
    }

    /// Parses a file path, a `sqlite:` URL or a `postgres:` URL.
    pub fn parse(value: &OsStr) -> Result<Self> {
        let shown = value.to_string_lossy();
        let bad = |reason| Error::BadLocation { value: without_password(&shown), reason };
        let Some(text) = value.to_str() else {
            return Err(bad("it is not valid UTF-8"));
        };
        if text.trim().is_empty() {
            return Err(bad("it is empty; give a file path, a sqlite: URL or a postgres: URL"));
        }
        if text.starts_with("~/") {
            return Err(bad("your shell did not expand `~`; give the full path"));
        }
        if let Some(rest) = text.strip_prefix("sqlite:") {
            let path = rest.strip_prefix("//").unwrap_or(rest);
            if path.is_empty() || path.contains('?') || path.contains(":memory:") {
                return Err(bad("a sqlite: URL is `sqlite:` and a file path, without options"));
            }
            return Self::file(Path::new(path), bad);
        }
        if text.starts_with("postgres:") || text.starts_with("postgresql:") {
            let options = PgConnectOptions::from_str(text)
                .map_err(|_| bad("a postgres: URL looks like postgres://user:password@host:5432/database"))?;
            if options.get_database().is_none_or(str::is_empty) {
                return Err(bad("a postgres: URL must name the database, as in postgres://host/fitness"));
            }
            return Ok(Self::Postgres(Box::new(options)));
        }
        // One letter before the colon is a Windows drive.
        if text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.len() > 1
                && rest.starts_with("//")
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+')
        }) {
            return Err(bad("expected a file path, a sqlite: URL or a postgres: URL"));
        }
        Self::file(Path::new(text), bad)
    }

    fn file(path: &Path, bad: impl Fn(&'static str) -> Error) -> Result<Self> {
        if path.file_name().is_none() || path.is_dir() {
            return Err(bad("it is a directory; name a file in it, such as fitness.db"));
        }
        let path = std::path::absolute(path).map_err(|_| bad("the current directory no longer exists"))?;
        Ok(Self::Sqlite { path, default: false })
    }
}

#[must_use]
pub fn data_directory() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "local-fitness").map(|dirs| dirs.data_dir().to_owned())
}

/// The platform's directory for settings, which are not part of a backup.
#[must_use]
pub fn config_directory() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "local-fitness").map(|dirs| dirs.config_dir().to_owned())
}

/// The path, or the server without its password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { path, .. } => write!(f, "{}", path.display()),
            Self::Postgres(options) => {
                let socket = options.get_socket().map(|path| path.display().to_string());
                let host = socket.unwrap_or_else(|| options.get_host().to_owned());
                write!(f, "{}:{}/{}", host, options.get_port(), options.get_database().unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

/// Masks everything between the user name and the last `@`, and after `password=`.
fn without_password(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else { return value.to_owned() };
    let mut shown = rest.to_owned();
    if let (Some(colon), Some(at)) = (shown.find(':'), shown.rfind('@'))
        && colon < at
    {
        shown.replace_range(colon + 1..at, "…");
    }
    let mut parts = shown.split('&').map(|part| match part.find("password=") {
        Some(start) => format!("{}…", &part[..start + "password=".len()]),
        None => part.to_owned(),
    });
    let first = parts.next().unwrap_or_default();
    parts.fold(format!("{scheme}://{first}"), |shown, part| format!("{shown}&{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Location> {
        Location::parse(OsStr::new(text))
    }

    #[test]
    fn a_file_is_a_path_or_a_sqlite_url() {
        for text in ["/data/fit.db", "sqlite:/data/fit.db", "sqlite:///data/fit.db"] {
            assert_eq!(parse(text).unwrap().to_string(), "/data/fit.db", "{text}");
        }
        let relative = parse("fit.db").unwrap().to_string();
        assert!(relative.ends_with("/fit.db") && relative.starts_with('/'), "{relative}");
    }

    #[test]
    fn invalid_location_error_names_the_valid_forms() {
        for (text, reason) in [
            ("", "it is empty"),
            ("  ", "it is empty"),
            ("/", "it is a directory"),
            ("mysql://localhost/fit", "expected a file path"),
            ("https://example.org/x", "expected a file path"),
            ("sqlite:", "a file path, without options"),
            ("sqlite::memory:", "a file path, without options"),
            ("sqlite:/x.db?mode=ro", "a file path, without options"),
            ("postgres://host:notaport/x", "looks like postgres://"),
            ("postgres://host", "must name the database"),
            ("~/fit.db", "did not expand `~`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(error.contains(&format!("`{text}`")), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_is_never_printed() {
        let shown = parse("postgres://ann:s3cret@db.local:5433/fit").unwrap();
        assert_eq!(shown.to_string(), "db.local:5433/fit");
        assert!(!format!("{shown:?}").contains("s3cret"));
        for bad in
            ["mysql://ann:s3cret@db/fit", "postgres://ann:s3cret@db:x/fit", "postgres://ann:s3:cr@et@db"]
        {
            let error = parse(bad).unwrap_err().to_string();
            assert!(!error.contains("s3cret") && !error.contains("cr@et"), "{error}");
            assert!(error.contains("ann:…@"), "{error}");
        }
    }
}
