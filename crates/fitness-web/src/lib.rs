//! The server: the coach's conversation, MCP for other programs, and what happens by itself in the morning.
//!
//! This crate must never take a user from a request: a user comes from the session, or from a token its athlete made,
//! and from nowhere else. Its confirm handler is the second of the two places where a consent is made; the first
//! is the terminal. Bearer tokens open `/mcp` and what is read under `/api/v1`; cookies open everything but `/mcp`.
//!
//! Start reading at [`app`], which lists the routes, then at `access`, which says who may call them.

mod api;
pub mod app;
mod assets;
mod auth;
mod charts;
pub mod coach;
mod components;
mod http;
mod page;
mod pages;
mod services;
mod state;
pub mod worker;

pub use app::{App, Coaching, Looked, Opened, USUAL_PORT, router, routes};
pub use auth::routes::{Brings, Listed, Who};
pub use coach::budgeted_model::{Bills, Metered};
pub use coach::chat_stream::out_of_time;
pub use coach::mcp_host::{AthletesHost, settled_desk};
pub use http::client_address::{ClientAddress, Network, NetworkError, TrustedProxies};
pub use http::connections::ConnectionSettings;
pub use http::host_check::Names;
pub use http::page_cache::Kept;
pub use http::rate_limit::Limits;
pub use http::server::{serve, serve_encrypted};
pub use services::{Alone, Done, KeyFrom, NewKey, NewSource, Outside, ShareTerms};
pub use state::{Running, Setup};
pub use worker::health::HealthMonitor;
