//! The coach's tools for other programs, over the Model Context Protocol.
//!
//! FENCED like `fitness-coach`, whose tool table it serves: it depends on `fitness-core` and `fitness-coach`
//! and can name nothing else. `cargo xtask tidy` keeps it that way. So a foreign program reaches exactly the tools of
//! [`fitness_coach::tools::TOOLS`]: it reads, suggests, drafts and proposes, and what only a human decides has no name here.
//!
//! A [`Guest`] is who is served: one athlete's [`Host`], and how far this client may reach. [`serve_stdio`] serves the one
//! it is given; [`http_service`] serves whoever the web's token check put into the request, and nobody when it put nobody.
//! Both speak the protocol of 2026-07-28 and the older ones that begin with `initialize`.
//!
//! Start at [`Server`].

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
pub use server::{Prompts, Server};
pub use stdio::{ServeError, serve_stdio, serve_streams};

/// The longest message that is read, in bytes: a schedule of four years fits in it several times.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
