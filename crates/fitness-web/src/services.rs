//! What only the program around the server can do: seal keys, open models, ask services. It has the way out to the net
//! and the sealing key; the server has neither.

use crate::app::BoxFuture;
use crate::worker::{BackgroundTasks, BriefOutcome};
use fitness_coach::settings::CoachSettings;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use secrecy::SecretString;

/// Done, or why not, in a sentence for the athlete.
pub type ServiceResult<T = ()> = Result<T, String>;

/// Whose key a coach is asked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOwner {
    /// There is none, or none is needed.
    NoKey,
    /// The athlete's own, or one of this machine.
    Own,
    /// The owner of the server lets everybody use theirs.
    ServerOwner,
}

/// A service to be connected.
#[derive(Debug)]
pub struct NewSource {
    /// `intervals` or `garmin`.
    pub service: String,
    /// Its key.
    pub key: SecretString,
    /// When the key ends, where that is known.
    pub expires: Option<Day>,
    /// Which athlete, where the key opens several.
    pub athlete: Option<String>,
}

/// Another key for a service that is connected.
#[derive(Debug)]
pub struct NewKey {
    /// Which service.
    pub source: SourceId,
    /// Its key.
    pub key: SecretString,
    /// When the key ends, where that is known.
    pub expires: Option<Day>,
}

/// How a key is shared: for which coach, and how much each athlete may use in a day.
pub type SharedKeySettings = CoachSettings;

/// What is done outside. Whatever cannot be right is refused before anything is stored.
pub trait ExternalServices: BackgroundTasks {
    /// Keeps who coaches an athlete, and a key with it, sealed.
    fn save_coach_settings<'a>(
        &'a self,
        user: UserId,
        chosen: &'a CoachSettings,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, ServiceResult>;

    /// Whose key a choice would be asked with.
    fn key_owner<'a>(&'a self, user: UserId, chosen: &'a CoachSettings) -> BoxFuture<'a, KeyOwner>;

    /// Lets everybody here use a key of the owner's, or nobody any more. Without a new key the one that was given stays.
    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a SharedKeySettings>,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, ServiceResult>;

    /// Exactly what would leave this machine: for something said, or for the morning brief. Nothing is sent.
    fn preview_request<'a>(
        &'a self,
        user: UserId,
        text: Option<&'a str>,
    ) -> BoxFuture<'a, ServiceResult<String>>;

    /// Connects a service; its key is kept sealed.
    fn add_source(&self, user: UserId, source: NewSource) -> BoxFuture<'_, ServiceResult<SourceId>>;

    /// Gives a service another key.
    fn replace_key(&self, user: UserId, key: NewKey) -> BoxFuture<'_, ServiceResult>;

    /// Puts the coming workouts of the active plan on the athlete's calendar at intervals.icu, which hands them on to
    /// their watch.
    fn send_workouts(&self, user: UserId) -> BoxFuture<'_, ServiceResult>;
}

/// Nobody outside: a server that can only read and show.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoExternalServices;

const UNSUPPORTED: &str = "This server cannot do that.";

fn unsupported<T: Send + 'static>() -> BoxFuture<'static, ServiceResult<T>> {
    Box::pin(async { Err(UNSUPPORTED.to_owned()) })
}

impl BackgroundTasks for NoExternalServices {
    fn sync(&self, _: UserId) -> BoxFuture<'_, ServiceResult> {
        unsupported()
    }

    fn write_brief(&self, _: UserId, _: Day) -> BoxFuture<'_, ServiceResult<BriefOutcome>> {
        unsupported()
    }

    fn recompute(&self, _: UserId) -> BoxFuture<'_, ServiceResult> {
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
