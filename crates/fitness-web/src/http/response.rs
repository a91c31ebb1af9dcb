//! Responses other than pages: redirects, downloads, status codes.

use crate::http::error::PageError;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::str::FromStr;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Chunk size of a streamed download.
const CHUNK_BYTES: usize = 64 << 10;

/// Redirects after a successful POST.
pub(crate) fn see_other(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
}

/// Redirects to the new path of a page and keeps the query.
pub(crate) fn permanent_redirect(to: &'static str, query: Option<&str>) -> Response {
    let with_query = query.and_then(|query| HeaderValue::from_str(&format!("{to}?{query}")).ok());
    let location = with_query.unwrap_or(HeaderValue::from_static(to));
    (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response()
}

pub(crate) fn with_status(mut response: Response, status: StatusCode) -> Response {
    *response.status_mut() = status;
    response
}

/// 422, for a form that is shown again with its errors.
pub(crate) fn unprocessable(response: Response) -> Response {
    with_status(response, StatusCode::UNPROCESSABLE_ENTITY)
}

/// A file download. Other characters than ASCII letters, digits, `-`, `.` and `_` are dropped from
/// the name.
pub(crate) fn download(name: &str, kind: &'static str, bytes: impl Into<Body>) -> Response {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).collect();
    let attached = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\""))
        .unwrap_or(HeaderValue::from_static("attachment"));
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, attached)];
    (headers, bytes.into()).into_response()
}

/// A streamed file download, for files that may not fit in memory.
pub(crate) fn large_download(name: &str, kind: &'static str, mut file: File) -> Result<Response, PageError> {
    file.rewind().map_err(|why| PageError::internal(&why))?;
    let (send, parts) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut part = vec![0; CHUNK_BYTES];
            let sent = match file.read(&mut part) {
                Ok(0) => return,
                Ok(read) => {
                    part.truncate(read);
                    send.blocking_send(Ok(part))
                }
                Err(why) => send.blocking_send(Err(why)),
            };
            // The client is gone.
            if sent.is_err() {
                return;
            }
        }
    });
    Ok(download(name, kind, Body::from_stream(ReceiverStream::new(parts))))
}

/// Parses an id from a path or form; 404 when it is not one.
pub(crate) fn parse_id<T: FromStr>(text: &str) -> Result<T, PageError> {
    text.parse().map_err(|_| PageError::not_found())
}
