//! Whole imports, of files made for it and of real ones where they are present, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod frontier;
mod hostile;
mod idempotence;
mod live;
mod made;
mod snapshot;
mod sources_of_one_run;
mod takeout;
mod worked_out;
