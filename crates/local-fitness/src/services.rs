//! Implements the web server's traits for everything that needs the encryption key or the network.

use crate::clock;
use crate::coach::{self, ApiKey};
use crate::commands::{self, brief, plan, source, sync};
use fitness_coach::settings::CoachSettings;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_store::Store;
use fitness_web::worker::{BriefOutcome, JobHandlers};
use fitness_web::{
    BoxFuture, CoachProvider, KeyOwner, NewKey, NewSource, OpenModelResult, SharedKeySettings,
};
use secrecy::SecretString;

pub(crate) struct AppServices {
    store: Store,
    /// URL that browsers use.
    site: String,
    /// False for the demo.
    has_backups: bool,
}

impl AppServices {
    pub(crate) fn new(store: Store, site: String, demo: bool) -> Self {
        let has_backups = !demo && matches!(store.backup_directory(), Ok(Some(_)));
        Self { store, site, has_backups }
    }
}

/// The message without its help line, which is about the terminal.
fn error_message(why: anyhow::Error) -> String {
    format!("{why:#}")
}

impl CoachProvider for AppServices {
    fn open_model<'a>(
        &'a self,
        user: UserId,
        model: Option<&'a str>,
        today: Day,
    ) -> BoxFuture<'a, OpenModelResult> {
        Box::pin(
            async move { coach::open_model(&self.store, user, model, today).await.map_err(error_message) },
        )
    }

    fn describe(&self, user: UserId) -> BoxFuture<'_, (String, Vec<String>)> {
        Box::pin(async move { coach::describe_coach(&self.store, user).await })
    }
}

impl JobHandlers for AppServices {
    fn sync(&self, user: UserId) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { sync::sync_all(&self.store, user).await.map_err(error_message) })
    }

    fn write_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<BriefOutcome, String>> {
        Box::pin(async move { brief::write_if_missing(&self.store, user, day).await.map_err(error_message) })
    }

    fn has_backups(&self) -> bool {
        self.has_backups
    }

    fn backup(&self, day: Day) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let made = self.store.back_up_nightly(day, clock::now()).await;
            made.map(drop).map_err(|why| why.to_string())
        })
    }

    fn rewrite_brief(&self, user: UserId, day: Day) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { brief::rewrite(&self.store, user, day).await.map_err(error_message) })
    }
}

impl fitness_web::ExternalServices for AppServices {
    fn save_coach_settings<'a>(
        &'a self,
        user: UserId,
        chosen: &'a CoachSettings,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            coach::validate_and_save_settings(&self.store, user, chosen, key).await.map_err(error_message)
        })
    }

    fn key_owner<'a>(&'a self, user: UserId, chosen: &'a CoachSettings) -> BoxFuture<'a, KeyOwner> {
        Box::pin(async move {
            match coach::find_key(&self.store, user, chosen).await {
                Ok(Some(ApiKey::Own(_))) => KeyOwner::Own,
                Ok(Some(ApiKey::Shared(_))) => KeyOwner::ServerOwner,
                Ok(None) | Err(_) => KeyOwner::NoKey,
            }
        })
    }

    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a SharedKeySettings>,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move { coach::share_key(&self.store, owner, terms, key).await.map_err(error_message) })
    }

    fn preview_request<'a>(
        &'a self,
        user: UserId,
        text: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(async move {
            commands::coach::preview_request(&self.store, user, text, None, None, &self.site)
                .await
                .map(|(_, sent)| sent)
                .map_err(error_message)
        })
    }

    fn add_source(&self, user: UserId, new: NewSource) -> BoxFuture<'_, Result<SourceId, String>> {
        Box::pin(async move { source::add_from_web(&self.store, user, new).await.map_err(error_message) })
    }

    fn replace_key(&self, user: UserId, key: NewKey) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            source::replace_key(&self.store, user, key.source, &key.key, key.expires)
                .await
                .map_err(error_message)
        })
    }

    fn send_workouts(&self, user: UserId) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { plan::push::push_upcoming(&self.store, user).await.map_err(error_message) })
    }
}
