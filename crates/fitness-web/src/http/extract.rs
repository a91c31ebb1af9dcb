//! Path and query extractors that reject with our 404 page.

use crate::http::error::PageError;
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use std::str::FromStr;

#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let read = extract::Path::from_request_parts(parts, state).await;
        read.map(|extract::Path(named)| Self(named)).map_err(|_| PageError::not_found())
    }
}

#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        let read = extract::Query::try_from_uri(&parts.uri);
        read.map(|extract::Query(asked)| Self(asked)).map_err(|_| PageError::not_found())
    }
}

/// The id in a path; 404 when it does not parse.
#[derive(Debug)]
pub(crate) struct PathId<T>(pub(crate) T);

impl<T: FromStr, S: Send + Sync> FromRequestParts<S> for PathId<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let Path(text) = Path::<String>::from_request_parts(parts, state).await?;
        text.parse().map(Self).map_err(|_| PageError::not_found())
    }
}
