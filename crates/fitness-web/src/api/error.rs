//! What went wrong, for a program: `application/problem+json` of RFC 9457.

use crate::http::error::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A problem, told to a program.
#[derive(Debug)]
pub(crate) struct Refused {
    problem: Problem,
    asks: Option<HeaderValue>,
}

/// The form of it.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct Told {
    /// What the status means, in a few words.
    title: String,
    /// The status.
    status: u16,
    /// What happened and what to do, as a sentence.
    detail: String,
}

impl Refused {
    /// What is wrong with what was asked.
    pub(super) fn bad(said: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, said).into()
    }

    /// There is no such thing.
    pub(crate) fn not_found() -> Self {
        Problem::not_found().into()
    }

    /// Nobody known asks.
    pub(crate) fn unknown(site: &str, said: &str) -> Self {
        let asks = HeaderValue::from_str(&format!("Bearer realm=\"{site}\"")).ok();
        Self { problem: Problem::new(StatusCode::UNAUTHORIZED, said), asks }
    }
}

impl<E: Into<Problem>> From<E> for Refused {
    fn from(problem: E) -> Self {
        Self { problem: problem.into(), asks: None }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, detail) = self.problem.told();
        let title = status.canonical_reason().unwrap_or("Refused").to_owned();
        let told = Told { title, status: status.as_u16(), detail: detail.to_owned() };
        let body = serde_json::to_string(&told).expect("a problem is plain data");
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        self.problem.wait(&mut headers);
        headers.extend(self.asks.map(|asks| (header::WWW_AUTHENTICATE, asks)));
        (status, headers, body).into_response()
    }
}
