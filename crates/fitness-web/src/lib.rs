//! The server: the coach's conversation, MCP for other programs, and what happens by itself in the morning.
//!
//! This crate must never take a user from a request: a user comes from the session, or from a token its athlete made,
//! and from nowhere else. Its confirm handler will be the second of the two places where a consent is made; the first
//! is the terminal. Bearer tokens open `/mcp` and nothing else; cookies open everything but `/mcp`.
//!
//! Start reading at [`app`], which lists the routes.

pub mod app;
mod chat_stream;
mod guard;
mod hosting;
pub mod morning;
pub mod talk;

pub use app::{App, Coaching, Looked, Opened, router, serve};
pub use chat_stream::{MAX_TURN, SESSION_COOKIE};
pub use guard::Names;
pub use hosting::{AthletesHost, settled_desk};
