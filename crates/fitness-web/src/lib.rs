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

pub use app::{App, BoxFuture, CoachProvider, DEFAULT_PORT, OpenModelResult, router, routes};
pub use auth::routes::{AccessRule, RequestBody, RouteInfo};
pub use coach::budgeted_model::{BudgetedModel, PendingUsage};
pub use coach::chat_stream::turn_timeout;
pub use coach::mcp_host::{UserCoachApiProvider, open_coach_api};
pub use http::client_address::{ClientAddress, Network, NetworkError, TrustedProxies};
pub use http::connections::ConnectionSettings;
pub use http::host_check::HostNames;
pub use http::page_cache::PageCache;
pub use http::rate_limit::RateLimits;
pub use http::server::{serve, serve_tls};
pub use services::{
    ExternalServices, KeyOwner, NewKey, NewSource, NoExternalServices, ServiceResult, SharedKeySettings,
};
pub use state::{FirstUserSetup, ServerState};
pub use worker::health::HealthMonitor;
