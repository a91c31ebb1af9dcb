//! The web app: server-rendered pages over the store.
//!
//! This crate must never take a user from a request: a user comes from the session and from nowhere else. Its
//! confirm handler will be the second of the two places where a consent is made; the first is the terminal.
//!
//! Empty in this version.
