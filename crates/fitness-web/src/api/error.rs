//! API errors as `application/problem+json` (RFC 9457).

use crate::http::error::PageError;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

#[derive(Debug)]
pub(crate) struct ApiError {
    error: PageError,
    www_authenticate: Option<HeaderValue>,
}

/// An error (RFC 9457).
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemJson {
    /// The reason phrase of the status, for example "Bad Request".
    title: String,
    /// The HTTP status code, for example 400.
    status: u16,
    /// What happened and what to do, as a sentence, for example "`limit` must be a number from 1 to
    /// 200."
    detail: String,
}

impl ApiError {
    pub(super) fn bad_request(said: impl Into<String>) -> Self {
        PageError::new(StatusCode::BAD_REQUEST, said).into()
    }

    pub(crate) fn not_found() -> Self {
        PageError::not_found().into()
    }

    pub(crate) fn unauthorized(site: &str, said: &str) -> Self {
        let www_authenticate = HeaderValue::from_str(&format!("Bearer realm=\"{site}\"")).ok();
        Self { error: PageError::new(StatusCode::UNAUTHORIZED, said), www_authenticate }
    }
}

impl<E: Into<PageError>> From<E> for ApiError {
    fn from(problem: E) -> Self {
        Self { error: problem.into(), www_authenticate: None }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, detail) = self.error.status_and_message();
        let title = status.canonical_reason().unwrap_or("Error").to_owned();
        let problem = ProblemJson { title, status: status.as_u16(), detail: detail.to_owned() };
        let body = serde_json::to_string(&problem).expect("a problem is plain data");
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        self.error.insert_retry_after(&mut headers);
        headers.extend(self.www_authenticate.map(|asks| (header::WWW_AUTHENTICATE, asks)));
        (status, headers, body).into_response()
    }
}
