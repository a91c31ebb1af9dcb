//! The server: the coach's conversation, MCP for other programs, and what happens by itself in the morning.
//!
//! This crate must never take a user from a request: a user comes from the session, or from a token its athlete made,
//! and from nowhere else. Its confirm handler is the second of the two places where a consent is made; the first
//! is the terminal. Bearer tokens open `/mcp` and what is read under `/api/v1`; cookies open everything but `/mcp`.
//!
//! Start reading at [`app`], which lists the routes, then at `access`, which says who may call them.

mod access;
mod answer;
mod api;
pub mod app;
mod assets;
mod charts;
mod chat_stream;
pub mod chores;
mod client_address;
mod confirm;
mod connections;
mod fields;
mod flash;
mod guard;
mod health;
mod hosting;
mod kept;
mod limits;
mod metered;
mod named;
mod outside;
mod pages;
mod parts;
mod problem;
mod running;
mod seat;
mod serving;
mod sign_in_limiter;
pub mod talk;
mod uploads;
mod view;

pub use access::{Brings, Listed, Who};
pub use app::{App, Coaching, Looked, Opened, USUAL_PORT, router, routes};
pub use chat_stream::out_of_time;
pub use client_address::{ClientAddress, Network, NetworkError, TrustedProxies};
pub use connections::ConnectionSettings;
pub use guard::Names;
pub use health::HealthMonitor;
pub use hosting::{AthletesHost, settled_desk};
pub use kept::Kept;
pub use limits::Limits;
pub use metered::{Bills, Metered};
pub use outside::{Alone, Done, KeyFrom, NewKey, NewSource, Outside, ShareTerms};
pub use running::{Running, Setup};
pub use serving::{serve, serve_encrypted};
