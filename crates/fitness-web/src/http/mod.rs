//! HTTP: the server, connections, limits, forms, responses and error pages.

pub(crate) mod client_address;
pub(crate) mod connections;
pub(crate) mod error;
pub(crate) mod extract;
pub(crate) mod flash;
pub(crate) mod form;
pub(crate) mod host_check;
pub(crate) mod page_cache;
pub(crate) mod rate_limit;
pub(crate) mod response;
pub(crate) mod server;
