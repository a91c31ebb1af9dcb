//! Domain types, metrics and training rules of local-fitness.
//!
//! Everything here is pure: no files, sockets, environment variables, SQL or clock. Callers pass
//! the time in.
//!
//! Start reading at [`grade`](adherence::grade), the only place that decides a verdict, then
//! [`data_frontier`](crate::adherence::data_frontier) (through which day the data is complete) and
//! [`plan`]. For the coach: [`facts`] are the only numbers a model's text may contain,
//! [`llm_output`] validates what a model proposes, and [`coach_api`] lists every operation a coach
//! can call.

pub mod adherence;
pub mod coach_api;
pub mod domain;
pub mod facts;
mod json_schema;
pub mod llm_output;
pub mod metrics;
pub mod plan;
pub mod presentation;
mod string_enum;

pub use string_enum::ParseEnumError;
