//! What only the program around the server can do: seal keys, open models, ask services. It has the way out to the net
//! and the sealing key; the server has neither.

use crate::app::Looked;
use crate::worker::{BriefOutcome, Chores};
use fitness_coach::settings::Chosen;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use secrecy::SecretString;

/// Done, or why not, in a sentence for the athlete.
pub type Done<T = ()> = Result<T, String>;

/// Whose key a coach is asked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFrom {
    /// There is none, or none is needed.
    Nobody,
    /// The athlete's own, or one of this machine.
    Own,
    /// The owner of the server lets everybody use theirs.
    Owner,
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
pub type ShareTerms = Chosen;

/// What is done outside. Whatever cannot be right is refused before anything is stored.
pub trait Outside: Chores {
    /// Keeps who coaches an athlete, and a key with it, sealed.
    fn choose_coach<'a>(
        &'a self,
        user: UserId,
        chosen: &'a Chosen,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Done>;

    /// Whose key a choice would be asked with.
    fn key_from<'a>(&'a self, user: UserId, chosen: &'a Chosen) -> Looked<'a, KeyFrom>;

    /// Lets everybody here use a key of the owner's, or nobody any more. Without a new key the one that was given stays.
    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a ShareTerms>,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Done>;

    /// Exactly what would leave this machine: for something said, or for the morning brief. Nothing is sent.
    fn preview<'a>(&'a self, user: UserId, text: Option<&'a str>) -> Looked<'a, Done<String>>;

    /// Connects a service; its key is kept sealed.
    fn add_source(&self, user: UserId, source: NewSource) -> Looked<'_, Done<SourceId>>;

    /// Gives a service another key.
    fn renew_key(&self, user: UserId, key: NewKey) -> Looked<'_, Done>;

    /// Puts the coming workouts of the active plan on the athlete's calendar at intervals.icu, which hands them on to
    /// their watch.
    fn send_workouts(&self, user: UserId) -> Looked<'_, Done>;
}

/// Nobody outside: a server that can only read and show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

const NOT_HERE: &str = "This server cannot do that.";

fn not_here<T: Send + 'static>() -> Looked<'static, Done<T>> {
    Box::pin(async { Err(NOT_HERE.to_owned()) })
}

impl Chores for Alone {
    fn sync(&self, _: UserId) -> Looked<'_, Done> {
        not_here()
    }

    fn brief(&self, _: UserId, _: Day) -> Looked<'_, Done<BriefOutcome>> {
        not_here()
    }

    fn recompute(&self, _: UserId) -> Looked<'_, Done> {
        not_here()
    }

    fn keeps_backups(&self) -> bool {
        false
    }

    fn backup(&self, _: Day) -> Looked<'_, Done> {
        not_here()
    }

    fn rewrite(&self, _: UserId, _: Day) -> Looked<'_, Done> {
        not_here()
    }
}

impl Outside for Alone {
    fn choose_coach<'a>(&'a self, _: UserId, _: &'a Chosen, _: Option<&'a SecretString>) -> Looked<'a, Done> {
        not_here()
    }

    fn key_from<'a>(&'a self, _: UserId, _: &'a Chosen) -> Looked<'a, KeyFrom> {
        Box::pin(async { KeyFrom::Nobody })
    }

    fn share_key<'a>(
        &'a self,
        _: UserId,
        _: Option<&'a ShareTerms>,
        _: Option<&'a SecretString>,
    ) -> Looked<'a, Done> {
        not_here()
    }

    fn preview<'a>(&'a self, _: UserId, _: Option<&'a str>) -> Looked<'a, Done<String>> {
        not_here()
    }

    fn add_source(&self, _: UserId, _: NewSource) -> Looked<'_, Done<SourceId>> {
        not_here()
    }

    fn renew_key(&self, _: UserId, _: NewKey) -> Looked<'_, Done> {
        not_here()
    }

    fn send_workouts(&self, _: UserId) -> Looked<'_, Done> {
        not_here()
    }
}
