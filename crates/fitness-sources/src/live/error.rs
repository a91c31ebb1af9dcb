//! What can go wrong with a service, without a word of what it sent.

use std::fmt;

/// Why a visit failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The service does not take the key.
    #[error("{service} does not accept the key: {advice}")]
    KeyRefused {
        /// Which service.
        service: &'static str,
        /// What to do about it.
        advice: &'static str,
    },
    /// The key has characters that no key has, so it was not sent.
    #[error("the key cannot be right: it is empty or has characters that no key has; copy it again")]
    KeyUnusable,
    /// Where the service is said to be.
    #[error("the address of the service must begin with https:// and name a host")]
    BadAddress,
    /// Nothing at all could be read; the first thing that went wrong.
    #[error("{dataset}: {problem}")]
    Failed {
        /// What was asked for.
        dataset: &'static str,
        /// What went wrong.
        problem: DatasetError,
    },
}

/// Why a dataset could not be read. Reads on after its name and a colon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// A status that asking again does not change, or that stayed after asking again.
    #[error("the service answered with status {0}")]
    Status(u16),
    /// A redirect. Following it would carry the key to whoever it names.
    #[error("the service answered with a redirect, which is not followed")]
    Redirect,
    /// Too many requests, and again after waiting.
    #[error("the service is busy (status 429); try again later")]
    Busy,
    /// No connection.
    #[error("the service could not be reached")]
    Unreachable,
    /// It began and did not go on.
    #[error("the service did not send its whole answer in time")]
    Stalled,
    /// The connection ended before the answer did.
    #[error("the answer was cut short")]
    Truncated,
    /// More than anybody has.
    #[error("the answer is larger than {} MB", .limit / 1_000_000)]
    TooLarge {
        /// What is allowed, in bytes.
        limit: usize,
    },
    /// Something else than JSON.
    #[error("the service answered with {0} instead of JSON")]
    NotJson(Content),
    /// Something else than a file.
    #[error("the service answered with {0} instead of a file")]
    NotAFile(Content),
    /// JSON, and not as it is known to look.
    #[error("the answer does not look as expected")]
    UnexpectedShape,
    /// A token was asked for and none was found.
    #[error("the answer holds no token in any known way; it has: {keys}")]
    NoToken {
        /// The names of its fields.
        keys: String,
    },
    /// Entries without what makes them one: an id, a time.
    #[error("{count} of its entries could not be read")]
    Unreadable {
        /// How many.
        count: usize,
    },
    /// intervals.icu may not pass on what it has from Strava.
    #[error(
        "{count} came through Strava, which lets intervals.icu pass on no more than when they were; connect the \
         watch's own service (such as Garmin Connect) to intervals.icu, or import the files"
    )]
    ThroughStrava {
        /// How many.
        count: usize,
    },
    /// The two datasets before it got no answer.
    #[error("not asked for, since the service no longer answers")]
    NotRequested,
    /// The listener had heard enough.
    #[error("not read to the end, since the visit was broken off")]
    Stopped,
}

impl DatasetError {
    /// Whether asking again may help.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Status(status) => *status >= 500,
            Self::Busy | Self::Unreachable | Self::Stalled | Self::Truncated => true,
            _ => false,
        }
    }

    /// Of two, the one to tell: what may pass before what lasts, because it decides whether to ask again; else the
    /// first.
    #[must_use]
    pub(crate) fn prefer_transient(first: Option<Self>, second: Self) -> Self {
        match first {
            Some(first) if first.is_transient() || !second.is_transient() => first,
            _ => second,
        }
    }
}

/// What an answer is instead of what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A web page.
    Html,
    /// Some text.
    Text,
    /// Neither.
    Binary,
}

impl Content {
    /// What bytes look like.
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

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Html => "a web page",
            Self::Text => "text",
            Self::Binary => "bytes of some other kind",
        })
    }
}

/// Why reading a dataset ended early.
#[derive(Debug)]
pub(crate) enum AbortError {
    /// This dataset is lost; the next may do.
    Dataset(DatasetError),
    /// There is no point in going on.
    Fetch(FetchError),
    /// The listener had heard enough.
    Stopped,
}

impl From<DatasetError> for AbortError {
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
