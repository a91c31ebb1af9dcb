//! The coach behind the server: chat, its stream, budgets, and MCP.

pub(crate) mod budgeted_model;
pub mod chat;
pub(crate) mod chat_stream;
pub(crate) mod mcp_host;
