//! What the coach reads and writes: its API, chats, briefs, usage and quotas.

pub(crate) mod api;
pub(crate) mod briefs;
pub(crate) mod chats;
pub(crate) mod quotas;
pub(crate) mod usage;
