//! Somebody outside the server, as far as the tests need one, and a site that has them.

use crate::harness::{Browser, Page, Site};
use axum::http::StatusCode;
use fitness_coach::settings::{Chosen, SETTING, Shared};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_store::testkit::now;
use fitness_store::{SHARED_COACH_KEY_SETTING, Store};
use fitness_web::worker::{BriefOutcome, Chores};
use fitness_web::{KeyFrom, Looked, NewKey, NewSource, Outside, ShareTerms};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Somebody outside who notes what was asked, keeps what needs no sealing, and refuses keys that say so.
#[derive(Default)]
pub(crate) struct Noting {
    pub(crate) store: Mutex<Option<Store>>,
    pub(crate) asked: Mutex<Vec<String>>,
    /// Services have no time for it.
    pub(crate) busy: AtomicBool,
}

impl Noting {
    fn note(&self, line: String) {
        self.asked.lock().unwrap().push(line);
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    fn store(&self) -> Store {
        self.store.lock().unwrap().clone().unwrap()
    }
}

fn refused(key: Option<&SecretString>) -> Result<(), String> {
    match key {
        Some(key) if key.expose_secret() == "wrong" => Err("the key cannot be right".to_owned()),
        _ => Ok(()),
    }
}

impl Chores for Noting {
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        self.note(format!("sync {user}"));
        Box::pin(async { Ok(()) })
    }

    fn brief(&self, _: UserId, _: Day) -> Looked<'_, Result<BriefOutcome, String>> {
        Box::pin(async { Ok(BriefOutcome::Written) })
    }

    fn recompute(&self, _: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn keeps_backups(&self) -> bool {
        false
    }

    fn backup(&self, _: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn rewrite(&self, _: UserId, _: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

impl Outside for Noting {
    fn choose_coach<'a>(
        &'a self,
        user: UserId,
        chosen: &'a Chosen,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Result<(), String>> {
        Box::pin(async move {
            refused(key)?;
            self.note(format!("coach {user} {} {}", chosen.provider, key.is_some()));
            self.store().put_setting(user, SETTING, chosen, now()).await.map_err(|why| why.to_string())
        })
    }

    fn key_from<'a>(&'a self, _: UserId, _: &'a Chosen) -> Looked<'a, KeyFrom> {
        Box::pin(async { KeyFrom::Own })
    }

    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a ShareTerms>,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Result<(), String>> {
        Box::pin(async move {
            refused(key)?;
            let shared = terms.map(|terms| Shared {
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

    fn preview<'a>(&'a self, _: UserId, text: Option<&'a str>) -> Looked<'a, Result<String, String>> {
        let sent = format!("{{\"said\": {:?}, \"tag\": \"<b>\"}}", text.unwrap_or("the brief"));
        Box::pin(async move { Ok(sent) })
    }

    fn add_source(&self, user: UserId, new: NewSource) -> Looked<'_, Result<SourceId, String>> {
        Box::pin(async move {
            refused(Some(&new.key))?;
            let config = serde_json::json!({ "address": "https://example.org", "athlete": new.athlete });
            let added = self.store().add_source(user, &new.service, &new.service, config, now()).await;
            added.map_err(|why| why.to_string())
        })
    }

    fn renew_key(&self, user: UserId, key: NewKey) -> Looked<'_, Result<(), String>> {
        Box::pin(async move {
            refused(Some(&key.key))?;
            let sealed = b"sealed".to_vec();
            let put = self.store().put_source_secret(user, key.source, sealed, key.expires, now()).await;
            put.map_err(|why| why.to_string())
        })
    }

    fn send_workouts(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        self.note(format!("send {user}"));
        let sent =
            if self.busy.load(Ordering::Relaxed) { Err("the service is <busy>".to_owned()) } else { Ok(()) };
        Box::pin(async { sent })
    }
}

/// A site with somebody outside, and Ann, who runs it.
pub(crate) async fn with_ann() -> (Site, Arc<Noting>, UserId, Browser) {
    let outside = Arc::new(Noting::default());
    let site = Site::with(outside.clone()).await;
    *outside.store.lock().unwrap() = Some(site.db.store.clone());
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    (site, outside, ann, browser)
}

#[track_caller]
pub(crate) fn is(page: &Page, status: StatusCode, says: &str) {
    assert_eq!(page.status, status, "{}", page.text);
    assert!(page.says(says), "{says}: {}", page.text);
}
