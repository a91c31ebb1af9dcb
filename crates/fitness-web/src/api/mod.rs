//! `/api/v1`: read-only JSON API, with an API token or a signed-in browser.
//!
//! Start with [`types`], the response types; [`openapi`] describes the API as OpenAPI 3.1.
//! Distances are in metres and times in seconds whatever units the athlete chose; unknown values
//! are `null`.

mod error;
pub(crate) mod handlers;
pub(crate) mod openapi;
mod types;

pub(crate) use error::ApiError;
