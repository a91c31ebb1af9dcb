//! MCP server: the coach's tools for other programs, over the Model Context Protocol.
//!
//! This crate may depend on `fitness-core` and `fitness-coach` only, which `cargo xtask tidy`
//! checks. A client therefore has exactly the tools of [`fitness_coach::tools::TOOLS`]: it can
//! read, suggest, draft and propose. Decisions that belong to the athlete are not in its
//! dependencies.
//!
//! An [`McpClient`] is one athlete's [`CoachApiProvider`] with a [`Scope`]. [`serve_stdio`] serves
//! one client; [`http_service`] serves the client that the web server's token check adds to each
//! request, and refuses a request without one. Both support protocol 2026-07-28 and the older
//! versions that start with `initialize`.
//!
//! Start at [`McpServer`].

mod client;
mod http_endpoint;
mod resources;
mod server;
mod stdio;
#[cfg(feature = "testkit")]
pub mod testkit;
mod tools;

pub use client::{CoachApiProvider, McpClient};
pub use fitness_core::coach_api::Scope;
pub use http_endpoint::{
    Endpoint, HttpConfig, METADATA_PATH, ResponseBody, http_service, resource_metadata, unauthorized_header,
};
pub use server::{McpServer, Prompts};
pub use stdio::{ServeError, serve_stdio, serve_streams};

/// Maximum message size in bytes; a schedule of four years is a fraction of it.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
