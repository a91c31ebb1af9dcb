//! Imports: batches, sources, sync runs and uploads.

pub(crate) mod batch;
pub(crate) mod sources;
pub(crate) mod sync_runs;
pub(crate) mod uploads;
