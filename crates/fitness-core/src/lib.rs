//! The words, numbers and rules of local-fitness.
//!
//! Everything here is pure: values in, values out. This crate must never read a file, a socket, an
//! environment variable or a clock, and never speak SQL; whoever needs the time passes it in.
//!
//! Start reading at [`grading`], the only place that decides a verdict, then [`frontier`], which says
//! how far the data reaches, then [`plan`]; then [`facts`], the only numbers that a model's prose may carry,
//! [`contract`], the only way in which a model says what should change, and [`desk`], everything that a coach may do.

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

pub use string_enum::UnknownWord;
