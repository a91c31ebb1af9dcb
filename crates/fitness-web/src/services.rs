//! Operations that need the network or the encryption key: storing keys, connecting services, model
//! previews. The binary implements them; this crate has neither.

use crate::app::BoxFuture;
use crate::worker::{BriefOutcome, JobHandlers};
use fitness_coach::settings::CoachSettings;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use secrecy::SecretString;

/// The error is a sentence for the athlete.
pub type ServiceResult<T = ()> = Result<T, String>;

/// Whose API key pays for the coach's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOwner {
    /// No key stored, or none needed.
    NoKey,
    /// The athlete's own, or one from this machine's environment.
    Own,
    /// Shared by the owner of the server.
    ServerOwner,
}

#[derive(Debug)]
pub struct NewSource {
    pub service: String,
    pub key: SecretString,
    /// When the key expires, if known.
    pub expires: Option<Day>,
    /// Which athlete, where the key gives access to several.
    pub athlete: Option<String>,
}

/// A replacement key for a connected service.
#[derive(Debug)]
pub struct NewKey {
    pub source: SourceId,
    pub key: SecretString,
    /// When the key expires, if known.
    pub expires: Option<Day>,
}

/// The provider of a shared key and the daily budget of each athlete.
pub type SharedKeySettings = CoachSettings;

/// Implementations validate before they store anything.
pub trait ExternalServices: JobHandlers {
    /// Stores the coach settings, and a new key encrypted.
    fn save_coach_settings<'a>(
        &'a self,
        user: UserId,
        chosen: &'a CoachSettings,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, ServiceResult>;

    fn key_owner<'a>(&'a self, user: UserId, chosen: &'a CoachSettings) -> BoxFuture<'a, KeyOwner>;

    /// Shares the owner's key with all users, or stops sharing it (`terms` is `None`). Without a
    /// new key the stored one is kept.
    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a SharedKeySettings>,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, ServiceResult>;

    /// The exact request a model would get for a chat message, or for the morning brief (`text` is
    /// `None`). Sends nothing.
    fn preview_request<'a>(
        &'a self,
        user: UserId,
        text: Option<&'a str>,
    ) -> BoxFuture<'a, ServiceResult<String>>;

    /// Connects a service and stores its key encrypted.
    fn add_source(&self, user: UserId, source: NewSource) -> BoxFuture<'_, ServiceResult<SourceId>>;

    fn replace_key(&self, user: UserId, key: NewKey) -> BoxFuture<'_, ServiceResult>;

    /// Sends the coming workouts of the active plan to the athlete's calendar at intervals.icu,
    /// which passes them on to the watch.
    fn send_workouts(&self, user: UserId) -> BoxFuture<'_, ServiceResult>;
}

/// For servers without network access, and for tests: every operation fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoExternalServices;

const UNSUPPORTED: &str = "This server doesn't support that.";

fn unsupported<T: Send + 'static>() -> BoxFuture<'static, ServiceResult<T>> {
    Box::pin(async { Err(UNSUPPORTED.to_owned()) })
}

impl JobHandlers for NoExternalServices {
    fn sync(&self, _: UserId) -> BoxFuture<'_, ServiceResult> {
        unsupported()
    }

    fn write_brief(&self, _: UserId, _: Day) -> BoxFuture<'_, ServiceResult<BriefOutcome>> {
        unsupported()
    }

    fn has_backups(&self) -> bool {
        false
    }

    fn backup(&self, _: Day) -> BoxFuture<'_, ServiceResult> {
        unsupported()
    }

    fn rewrite_brief(&self, _: UserId, _: Day) -> BoxFuture<'_, ServiceResult> {
        unsupported()
    }
}

impl ExternalServices for NoExternalServices {
    fn save_coach_settings<'a>(
        &'a self,
        _: UserId,
        _: &'a CoachSettings,
        _: Option<&'a SecretString>,
    ) -> BoxFuture<'a, ServiceResult> {
        unsupported()
    }

    fn key_owner<'a>(&'a self, _: UserId, _: &'a CoachSettings) -> BoxFuture<'a, KeyOwner> {
        Box::pin(async { KeyOwner::NoKey })
    }

    fn share_key<'a>(
        &'a self,
        _: UserId,
        _: Option<&'a SharedKeySettings>,
        _: Option<&'a SecretString>,
    ) -> BoxFuture<'a, ServiceResult> {
        unsupported()
    }

    fn preview_request<'a>(&'a self, _: UserId, _: Option<&'a str>) -> BoxFuture<'a, ServiceResult<String>> {
        unsupported()
    }

    fn add_source(&self, _: UserId, _: NewSource) -> BoxFuture<'_, ServiceResult<SourceId>> {
        unsupported()
    }

    fn replace_key(&self, _: UserId, _: NewKey) -> BoxFuture<'_, ServiceResult> {
        unsupported()
    }

    fn send_workouts(&self, _: UserId) -> BoxFuture<'_, ServiceResult> {
        unsupported()
    }
}
