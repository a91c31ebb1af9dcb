//! Errors of live services. They never contain response content or secrets.

use std::fmt;

/// Why a whole fetch failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("{service} rejected the key: {advice}")]
    KeyRefused {
        service: &'static str,
        /// What to do about it.
        advice: &'static str,
    },
    /// Empty or invalid characters, so it was not sent.
    #[error("not a valid key: it is empty or contains invalid characters; copy it again")]
    KeyUnusable,
    #[error("the service address must start with https:// and contain a host name")]
    BadAddress,
    /// No dataset could be read; this is the first error.
    #[error("{dataset}: {problem}")]
    Failed { dataset: &'static str, problem: DatasetError },
}

/// Why a dataset could not be read. Shown after its name and a colon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// A status that is not worth a retry, or that remained after all retries.
    #[error("the service returned status {0}")]
    Status(u16),
    /// Following a redirect could send the key to another host.
    #[error("the service returned a redirect, which is not followed")]
    Redirect,
    /// Status 429 after all retries.
    #[error("rate limit reached (status 429); try again later")]
    Busy,
    #[error("the service could not be reached")]
    Unreachable,
    #[error("the response timed out")]
    Stalled,
    #[error("the response is incomplete")]
    Truncated,
    #[error("the response is larger than {} MB", .limit / 1_000_000)]
    TooLarge { limit: usize },
    #[error("the service returned {0} instead of JSON")]
    NotJson(UnexpectedContent),
    #[error("the service returned {0} instead of a file")]
    NotAFile(UnexpectedContent),
    #[error("the response has an unexpected format")]
    UnexpectedShape,
    #[error("the response contains no known token field; its fields: {keys}")]
    NoToken {
        /// Field names of the response.
        keys: String,
    },
    /// Entries without an id or a time.
    #[error("{count} of the entries could not be read")]
    Unreadable { count: usize },
    /// Strava's terms do not let intervals.icu share these activities.
    #[error(
        "{count} came through Strava, which only lets intervals.icu share their start times; connect \
         the watch's own service (such as Garmin Connect) to intervals.icu, or import the files"
    )]
    ThroughStrava { count: usize },
    /// The datasets before it got no response.
    #[error("skipped: the service stopped responding")]
    NotRequested,
    /// The listener stopped the fetch.
    #[error("not read to the end: the sync was stopped")]
    Stopped,
}

impl DatasetError {
    /// Whether a retry may help.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Status(status) => *status >= 500,
            Self::Busy | Self::Unreachable | Self::Stalled | Self::Truncated => true,
            _ => false,
        }
    }

    /// The error to report: a transient one if there is any, because that decides about a retry,
    /// else the first.
    #[must_use]
    pub(crate) fn prefer_transient(first: Option<Self>, second: Self) -> Self {
        match first {
            Some(first) if first.is_transient() || !second.is_transient() => first,
            _ => second,
        }
    }
}

/// What a response contains instead of the expected content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnexpectedContent {
    Html,
    Text,
    Binary,
}

impl UnexpectedContent {
    /// Guesses from the first bytes.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        let start = bytes.trim_ascii_start();
        if start.first() == Some(&b'<') {
            Self::Html
        } else if std::str::from_utf8(&start[..start.len().min(512)]).is_ok_and(|text| !text.contains('\0')) {
            Self::Text
        } else {
            Self::Binary
        }
    }
}

impl fmt::Display for UnexpectedContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Html => "a web page",
            Self::Text => "text",
            Self::Binary => "binary data",
        })
    }
}

/// Why fetching a dataset was aborted.
#[derive(Debug)]
pub(crate) enum DatasetInterruption {
    /// Only this dataset failed.
    Dataset(DatasetError),
    /// The whole fetch failed.
    Fetch(FetchError),
    /// The listener stopped the fetch.
    Stopped,
}

impl From<DatasetError> for DatasetInterruption {
    fn from(problem: DatasetError) -> Self {
        Self::Dataset(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_error_is_reported_first() {
        let (lasting, passing) = (DatasetError::Status(404), DatasetError::Status(503));
        let told = |problems: &[DatasetError]| {
            problems
                .iter()
                .cloned()
                .fold(None, |told, problem| Some(DatasetError::prefer_transient(told, problem)))
        };
        assert_eq!(told(&[lasting.clone(), passing.clone(), lasting.clone()]), Some(passing.clone()));
        assert_eq!(told(&[passing.clone(), lasting.clone()]), Some(passing));
        assert_eq!(told(&[lasting.clone(), DatasetError::Status(403)]), Some(lasting));
    }
}
