//! The coach's side of the store: its API, chats, briefs, usage and quotas.

pub(crate) mod api;
pub(crate) mod briefs;
pub(crate) mod chats;
pub(crate) mod pending_limits;
pub(crate) mod usage;
