//! The store: the only crate of local-fitness with SQL.
//!
//! One set of migrations and one query serve SQLite, embedded and the default, and PostgreSQL. Every query
//! takes the [`UserId`](fitness_core::ids::UserId), every write is committed together with its line in the
//! audit log, and what only a human may do takes a [`Consent`] that only a human's answer makes.
//!
//! This crate must never be visible to the coach or to MCP. What they may write goes over a
//! [`Desk`](desk::Desk); they will be handed one behind a trait of fitness-core, and cannot name anything here.
//! It reads no clock; the time is passed in.
//!
//! Start reading at [`migrations`], where the guarantees live in the schema, then [`consent`] and
//! [`decisions`].

mod activities;
mod adapting;
mod answers;
mod api_tokens;
pub mod archive;
mod athletes;
mod audit;
mod background;
mod briefs;
pub mod browse;
mod calendar_feeds;
mod chats;
mod coaching;
pub mod consent;
pub mod decisions;
mod derived;
pub mod desk;
mod drafting;
mod entities;
mod error;
mod fingerprint;
mod health;
mod imports;
mod insight;
mod integrity;
mod jobs;
mod lines;
pub mod location;
mod looking_back;
mod matches;
mod measured;
pub mod migrations;
mod notes;
mod observations;
mod opening;
mod originals;
mod outlook;
mod pack;
mod passwords;
mod plans;
mod preview;
mod progress;
mod races;
mod read;
mod remains;
mod reports;
mod review;
mod revise;
mod session_codes;
mod sessions;
mod settings;
mod sign_in;
mod sources;
mod spending;
mod store;
mod streams;
mod sync_runs;
#[cfg(feature = "testkit")]
pub mod testkit;
mod today;
mod token;
mod tx;
mod uploads;
mod users;
mod version;
mod waiting;
mod wellness;

pub use activities::StoredActivity;
pub use adapting::{Adapted, Waiting};
pub use answers::{Answered, Checked};
pub use api_tokens::ApiToken;
pub use audit::{Actor, AuditHead, AuditLine};
pub use briefs::{NewBrief, StoredBrief, StoredFact};
pub use chats::{Chat, ChatMessage, Role};
pub use coaching::CoachingDesk;
pub use consent::Consent;
pub use derived::{Derived, Stale};
pub use drafting::Drafting;
pub use error::{Error, Result};
pub use health::{DatabaseHealth, LOW_SPACE};
pub use imports::{Batch, Taken};
pub use insight::{Best, Discovery, Gap, NoLoad, Year};
pub use integrity::AuditCheckpoints;
pub use jobs::{EXPIRED, Job, JobFilter, JobState};
pub use lines::{DayLine, Night};
pub use location::Location;
pub use measured::{Measured, Unmeasured};
pub use opening::Missing;
pub use originals::{NewOriginal, Original};
pub use passwords::check_password;
pub use plans::{Standing, seen_hash};
pub use preview::Preview;
pub use progress::{Progress, Replayed};
pub use races::{Race, RaceResult};
pub use remains::Remains;
pub use reports::{Fate, NewReport, Put};
pub use review::Review;
pub use session_codes::SESSION_CODE_MINUTES;
pub use sessions::Session;
pub use sign_in::SIGN_IN_MINUTES;
pub use sources::Source;
pub use spending::{Asking, Purpose, Reserved, Spent};
pub use store::Store;
pub use sync_runs::{FinishedFiles, RunKind, RunOutcome, RunState, SyncRun};
pub use token::Token;
pub use uploads::{Arriving, IMPORT, Uploads};
pub use users::{INVITE_DAYS, Removal, User, is_name};
pub use version::DataVersion;
