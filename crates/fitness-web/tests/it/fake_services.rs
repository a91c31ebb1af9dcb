//! Somebody outside the server, as far as the tests need one, and a site that has them.

use crate::harness::{Browser, TestResponse, TestSite};
use axum::http::StatusCode;
use fitness_coach::settings::{CoachSettings, SETTING_KEY, SharedKey};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_store::testkit::now;
use fitness_store::{SHARED_COACH_KEY_SETTING, Store};
use fitness_web::worker::{BriefOutcome, JobHandlers};
use fitness_web::{BoxFuture, ExternalServices, KeyOwner, NewKey, NewSource, SharedKeySettings};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Somebody outside who notes what was asked, keeps what needs no sealing, and refuses keys that say so.
#[derive(Default)]
pub(crate) struct RecordingServices {
    pub(crate) store: Mutex<Option<Store>>,
    pub(crate) calls: Mutex<Vec<String>>,
    /// Services have no time for it.
    pub(crate) is_busy: AtomicBool,
}

impl RecordingServices {
    fn record(&self, line: String) {
        self.calls.lock().unwrap().push(line);
    }

    pub(crate) fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    fn store(&self) -> Store {
        self.store.lock().unwrap().clone().unwrap()
    }
}

fn check_key(key: Option<&SecretString>) -> Result<(), String> {
    match key {
        Some(key) if key.expose_secret() == "wrong" => Err("the key cannot be right".to_owned()),
        _ => Ok(()),
    }
}

impl JobHandlers for RecordingServices {
    fn sync(&self, user: UserId) -> BoxFuture<'_, Result<(), String>> {
        self.record(format!("sync {user}"));
        Box::pin(async { Ok(()) })
    }

    fn write_brief(&self, _: UserId, _: Day) -> BoxFuture<'_, Result<BriefOutcome, String>> {
        Box::pin(async { Ok(BriefOutcome::Written) })
    }

    fn has_backups(&self) -> bool {
        false
    }

    fn backup(&self, _: Day) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn rewrite_brief(&self, _: UserId, _: Day) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

impl ExternalServices for RecordingServices {
    fn save_coach_settings<'a>(
        &'a self,
        user: UserId,
        chosen: &'a CoachSettings,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            check_key(key)?;
            self.record(format!("coach {user} {} {}", chosen.provider, key.is_some()));
            self.store().put_setting(user, SETTING_KEY, chosen, now()).await.map_err(|why| why.to_string())
        })
    }

    fn key_owner<'a>(&'a self, _: UserId, _: &'a CoachSettings) -> BoxFuture<'a, KeyOwner> {
        Box::pin(async { KeyOwner::Own })
    }

    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a SharedKeySettings>,
        key: Option<&'a SecretString>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            check_key(key)?;
            let shared = terms.map(|terms| SharedKey {
                provider: terms.provider,
                address: terms.address.clone(),
                tokens_a_day: terms.tokens_a_day,
                micros_a_day: terms.micros_a_day,
                sealed: "sealed".to_owned(),
            });
            self.store()
                .put_setting(owner, SHARED_COACH_KEY_SETTING, &shared, now())
                .await
                .map_err(|why| why.to_string())
        })
    }

    fn preview_request<'a>(
        &'a self,
        _: UserId,
        text: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, String>> {
        let sent = format!("{{\"said\": {:?}, \"tag\": \"<b>\"}}", text.unwrap_or("the brief"));
        Box::pin(async move { Ok(sent) })
    }

    fn add_source(&self, user: UserId, new: NewSource) -> BoxFuture<'_, Result<SourceId, String>> {
        Box::pin(async move {
            check_key(Some(&new.key))?;
            let config = serde_json::json!({ "address": "https://example.org", "athlete": new.athlete });
            let added = self.store().add_source(user, &new.service, &new.service, config, now()).await;
            added.map_err(|why| why.to_string())
        })
    }

    fn replace_key(&self, user: UserId, key: NewKey) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            check_key(Some(&key.key))?;
            let sealed = b"sealed".to_vec();
            let put = self.store().put_source_secret(user, key.source, sealed, key.expires, now()).await;
            put.map_err(|why| why.to_string())
        })
    }

    fn send_workouts(&self, user: UserId) -> BoxFuture<'_, Result<(), String>> {
        self.record(format!("send {user}"));
        let sent = if self.is_busy.load(Ordering::Relaxed) {
            Err("the service is <busy>".to_owned())
        } else {
            Ok(())
        };
        Box::pin(async { sent })
    }
}

/// A site with somebody outside, and Ann, who runs it.
pub(crate) async fn site_with_owner() -> (TestSite, Arc<RecordingServices>, UserId, Browser) {
    let outside = Arc::new(RecordingServices::default());
    let site = TestSite::with_services(outside.clone()).await;
    *outside.store.lock().unwrap() = Some(site.db.store.clone());
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    (site, outside, ann, browser)
}

#[track_caller]
pub(crate) fn assert_page(page: &TestResponse, status: StatusCode, says: &str) {
    assert_eq!(page.status, status, "{}", page.text);
    assert!(page.contains(says), "{says}: {}", page.text);
}
