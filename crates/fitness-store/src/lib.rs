//! The store: the only crate of local-fitness with SQL.
//!
//! One set of migrations and one query serve SQLite, embedded and the default, and PostgreSQL. Every query
//! takes the [`UserId`](fitness_core::domain::ids::UserId), every write is committed together with its line in the
//! audit log, and what only a human may do takes a [`Consent`] that only a human's answer makes.
//!
//! This crate must never be visible to the coach or to MCP. What they may write goes over a
//! [`Desk`](plan::drafts::Desk); they will be handed one behind a trait of fitness-core, and cannot name anything here.
//! It reads no clock; the time is passed in.
//!
//! Start reading at [`db::migrations`], where the guarantees live in the schema, then [`plan::consent`] and
//! [`plan::human_actions`].

mod auth;
pub mod backup;
mod coach;
pub mod db;
mod import;
mod jobs;
mod metrics;
pub mod plan;
mod settings;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod training;

pub use auth::api_tokens::ApiToken;
pub use auth::login_links::SIGN_IN_MINUTES;
pub use auth::passwords::check_password;
pub use auth::secret::Token;
pub use auth::session_codes::SESSION_CODE_MINUTES;
pub use auth::sessions::Session;
pub use auth::users::{INVITE_DAYS, Removal, User, is_name};
pub use backup::user_references::Remains;
pub use coach::api::CoachingDesk;
pub use coach::briefs::{NewBrief, StoredBrief, StoredFact};
pub use coach::chats::{Chat, ChatMessage, Role};
pub use coach::usage::{Asking, Purpose, Reserved, Spent};
pub use db::audit::{Actor, AuditHead, AuditLine};
pub use db::change_counter::DataVersion;
pub use db::connect::Missing;
pub use db::error::{Error, Result};
pub use db::health::{DatabaseHealth, LOW_SPACE};
pub use db::integrity::AuditCheckpoints;
pub use db::location::Location;
pub use db::store::Store;
pub use import::batch::{Batch, Taken};
pub use import::sources::Source;
pub use import::sync_runs::{FinishedFiles, RunKind, RunOutcome, RunState, SyncRun};
pub use import::uploads::{Arriving, IMPORT, Uploads};
pub use jobs::{EXPIRED, Job, JobFilter, JobState};
pub use metrics::activity_metrics::{Measured, Unmeasured};
pub use metrics::chart_series::{DayLine, Night};
pub use metrics::recompute_state::{Derived, Stale};
pub use plan::adaptations::{Adapted, Waiting};
pub use plan::adherence::{Progress, Replayed};
pub use plan::consent::Consent;
pub use plan::generate::Drafting;
pub use plan::lint_review::Review;
pub use plan::llm_response::{Answered, Checked};
pub use plan::plans::{Standing, seen_hash};
pub use plan::proposal_preview::Preview;
pub use settings::{COACH_KEY_SETTING, SHARED_COACH_KEY_SETTING};
pub use training::activities::StoredActivity;
pub use training::original_files::{NewOriginal, Original};
pub use training::overview::{Best, Discovery, Gap, NoLoad, Year};
pub use training::races::{Race, RaceResult};
pub use training::source_records::{Fate, NewReport, Put};
