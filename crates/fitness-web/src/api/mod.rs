//! `/api/v1`: what the pages show, for programs. It only reads: with a token of the athlete's, or from their own browser.
//!
//! Start at [`told`], which says what is answered; [`document`] describes it as OpenAPI 3.1. Lengths are in metres and times
//! in seconds whatever the athlete's units; `shown` is as they read it. What is not known is `null`.

mod error;
pub(crate) mod handlers;
pub(crate) mod openapi;
mod types;

pub(crate) use error::ApiError;
