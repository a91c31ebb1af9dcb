//! What a handler answers with besides a page.

use crate::http::error::PageError;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::str::FromStr;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// How much of a large file is sent at once.
const CHUNK_BYTES: usize = 64 << 10;

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
pub(crate) fn download(name: &str, kind: &'static str, bytes: impl Into<Body>) -> Response {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).collect();
    let attached = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\""))
        .unwrap_or(HeaderValue::from_static("attachment"));
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, attached)];
    (headers, bytes.into()).into_response()
}

/// A file to keep that may be larger than memory: it is read as it is sent.
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
            // Whoever has gone wants no more of it.
            if sent.is_err() {
                return;
            }
        }
    });
    Ok(download(name, kind, Body::from_stream(ReceiverStream::new(parts))))
}

/// The number in an address. What is none belongs to nothing.
pub(crate) fn parse_id<T: FromStr>(text: &str) -> Result<T, PageError> {
    text.parse().map_err(|_| PageError::not_found())
}
