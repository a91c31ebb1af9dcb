//! The server as a client meets it: by its own wire, and by foreign programs.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod client_isolation;
mod http_protocol;
mod raw_client;
mod responses;
mod stdio;
mod third_party_clients;
mod tool_list;
