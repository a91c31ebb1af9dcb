//! Who a request is from and what it may do: sessions, route permissions, confirmation, sign-in
//! limits.

pub(crate) mod confirmation;
pub(crate) mod routes;
pub(crate) mod session;
pub(crate) mod sign_in_limiter;
