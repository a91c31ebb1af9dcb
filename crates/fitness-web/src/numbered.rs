//! The number in an address.

use crate::problem::Problem;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use std::str::FromStr;

/// What an address names. What is no number names nothing, like a number that nobody has.
#[derive(Debug)]
pub(crate) struct Numbered<T>(pub(crate) T);

impl<T: FromStr, S: Send + Sync> FromRequestParts<S> for Numbered<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(text) =
            Path::<String>::from_request_parts(parts, state).await.map_err(|_| Problem::not_found())?;
        text.parse().map(Self).map_err(|_| Problem::not_found())
    }
}
