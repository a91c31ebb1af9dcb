//! Storage layer: the only crate of local-fitness with SQL.
//!
//! SQLite (embedded, the default) and PostgreSQL share one set of migrations and queries. Every
//! query takes the [`UserId`](fitness_core::domain::ids::UserId), every write is committed together
//! with an audit entry, and human-only actions take a [`Consent`], which only a human's
//! confirmation creates.
//!
//! The coach and MCP crates must not depend on this crate: they get [`StoreCoachApi`] behind the
//! trait of fitness-core, and can write only through a [`PlanWriter`](plan::drafts::PlanWriter).
//! The store reads no clock; the time is passed in.
//!
//! Start reading at [`db::migrations`], which enforces the guarantees in the schema, then
//! [`plan::consent`] and [`plan::human_actions`].

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
pub use auth::login_links::LOGIN_LINK_MINUTES;
pub use auth::password_rules::check_password;
pub use auth::secret::Token;
pub use auth::session_codes::SESSION_CODE_MINUTES;
pub use auth::sessions::AuthSession;
pub use auth::users::{INVITE_DAYS, RemainingUserData, User, is_valid_user_name};
pub use backup::deleted_users::BackupReference;
pub use coach::api::StoreCoachApi;
pub use coach::briefs::{NewBrief, StoredBrief, StoredFact};
pub use coach::chats::{Chat, ChatMessage, Role};
pub use coach::usage::{ModelUsage, Purpose, UsageRequest, UsageReservation};
pub use db::audit::{Actor, AuditAction, AuditEntry, AuditHead};
pub use db::change_counter::DataVersion;
pub use db::connect::MissingDatabasePolicy;
pub use db::error::{Error, PendingKind, RecordKind, Result};
pub use db::health::{DatabaseHealth, LOW_SPACE_BYTES};
pub use db::integrity::AuditCheckpoints;
pub use db::location::Location;
pub use db::store::Store;
pub use import::batch::{BatchOutcome, ImportBatch};
pub use import::sources::Source;
pub use import::sync_runs::{FinishedFiles, SyncRun, SyncRunKind, SyncRunOutcome, SyncRunState};
pub use import::uploads::{IMPORT_JOB, PendingUpload, UploadDirectory};
pub use jobs::{Job, JobClaimFilter, JobState, OUTCOME_EXPIRED};
pub use metrics::activity_metrics::{MeasuredActivity, UnmeasuredActivity};
pub use metrics::chart_series::{FitnessPoint, NightMetrics};
pub use metrics::recompute_state::{ComputedMetrics, RecomputeState};
pub use plan::adaptations::{AdaptationOutcome, PendingDecisions};
pub use plan::adherence::{AdherenceAfterSync, PlanAdherence};
pub use plan::consent::Consent;
pub use plan::generate::GenerationOutcome;
pub use plan::lint_review::LintReview;
pub use plan::llm_response::{LlmResponseCheck, LlmResponseOutcome};
pub use plan::plans::{GradedPlan, plan_state_hash};
pub use plan::proposal_preview::ProposalPreview;
pub use settings::{COACH_KEY_SETTING, SHARED_COACH_KEY_SETTING};
pub use training::activities::StoredActivity;
pub use training::original_files::{OriginalFile, PackedOriginalFile};
pub use training::overview::{DataGap, MissingLoadReason, PersonalBest, TrainingOverview, YearTotals};
pub use training::races::{Race, RaceResult};
pub use training::source_records::{PackedRecord, UpsertOutcome, UpsertedRecord};
