//! Tests of the MCP server over stdio and HTTP, with our own and third-party clients.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod client_isolation;
mod http_protocol;
mod raw_client;
mod responses;
mod schema_descriptions;
mod stdio;
mod third_party_clients;
mod tool_list;
