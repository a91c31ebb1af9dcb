//! The words, numbers and rules of local-fitness.
//!
//! Everything here is pure: values in, values out. This crate must never read a file, a socket, an
//! environment variable or a clock, and never speak SQL; whoever needs the time passes it in.
//!
//! Start reading at [`grade`](adherence::grade), the only place that decides a verdict, then [`data_frontier`](crate::adherence::data_frontier), which says
//! how far the data reaches, then [`plan`]; then [`facts`], the only numbers that a model's prose may carry,
//! [`llm_output`], the only way in which a model says what should change, and [`coach_api`], everything that a coach may do.

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
