//! What a handler answers with besides a page.

use crate::problem::Problem;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::str::FromStr;

/// On to another page, after something was done.
pub(crate) fn see_other(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
}

/// A page with another status than 200.
pub(crate) fn with_status(mut response: Response, status: StatusCode) -> Response {
    *response.status_mut() = status;
    response
}

/// A form again, with what is wrong with it.
pub(crate) fn unprocessable(response: Response) -> Response {
    with_status(response, StatusCode::UNPROCESSABLE_ENTITY)
}

/// A file to keep. Its name is letters, digits, hyphens and dots.
pub(crate) fn download(name: &str, kind: &'static str, bytes: Vec<u8>) -> Response {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).collect();
    let attached = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\""))
        .unwrap_or(HeaderValue::from_static("attachment"));
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, attached)];
    (headers, bytes).into_response()
}

/// The number in an address. What is none belongs to nothing.
pub(crate) fn number<T: FromStr>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}
