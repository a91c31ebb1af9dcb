//! Web server: pages, JSON API, MCP endpoint, chat with the coach, background worker.
//!
//! Invariants: the user of a request comes from its session or API token, never from a parameter.
//! `auth::confirmation` is the only code here that creates a consent; the other place is the
//! terminal. Bearer tokens give access to `/mcp` and read access to `/api/v1`; session cookies to
//! everything except `/mcp`.
//!
//! Start with [`app`], which lists the routes, then `auth::routes`, which enforces access rules.

mod api;
pub mod app;
mod assets;
mod auth;
mod charts;
pub mod coach;
mod components;
mod http;
mod in_memory_state;
mod page;
mod pages;
mod refresh;
mod services;
pub mod worker;

pub use app::{App, BoxFuture, CoachProvider, DEFAULT_PORT, OpenModelResult, router, routes};
pub use auth::routes::{AccessRule, RequestBody, RouteInfo};
pub use coach::budgeted_model::{BudgetedModel, PendingUsageWrites};
pub use coach::chat_stream::turn_timeout;
pub use coach::mcp_host::UserCoachApiProvider;
pub use http::client_address::{ClientAddress, Network, NetworkError, TrustedProxies};
pub use http::connections::ConnectionSettings;
pub use http::host_check::HostNames;
pub use http::page_cache::PageCache;
pub use http::rate_limit::RateLimits;
pub use http::server::{serve, serve_tls};
pub use in_memory_state::{FirstUserSetup, ServerState};
pub use refresh::refresh;
pub use services::{
    ExternalServices, KeyOwner, NewKey, NewSource, NoExternalServices, ServiceResult, SharedKeySettings,
};
pub use worker::write_check::HealthMonitor;
