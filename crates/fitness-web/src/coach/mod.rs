//! Chat with the coach: turns, streaming, budgets, MCP.

pub mod brief;
pub(crate) mod budgeted_model;
pub mod chat;
pub(crate) mod chat_stream;
pub(crate) mod mcp_host;
