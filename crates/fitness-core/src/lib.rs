//! The words, numbers and rules of local-fitness.
//!
//! Everything here is pure: values in, values out. This crate must never read a file, a socket, an
//! environment variable or a clock, and never speak SQL; whoever needs the time passes it in.
//!
//! Start reading at [`grading`], the only place that decides a verdict, then [`frontier`], which says
//! how far the data reaches, then [`plan`]; then [`facts`], the only numbers that a model's prose may carry,
//! [`contract`], the only way in which a model says what should change, and [`desk`], everything that a coach may do.

pub mod activity;
pub mod adherence;
pub mod athlete;
pub mod calendar;
pub mod contract;
pub mod desk;
pub mod distance;
pub mod export;
pub mod facts;
pub mod frontier;
pub mod grading;
pub mod hash;
pub mod ids;
pub mod limits;
pub mod merge;
pub mod metrics;
pub mod note;
pub mod observation;
pub mod plan;
pub mod report;
mod schemas;
pub mod sport;
pub mod stream;
pub mod text;
pub mod told;
pub mod units;
pub mod wellness;
mod words;

pub use words::UnknownWord;
