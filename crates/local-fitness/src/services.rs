//! What the server cannot do itself: it has no sealing key and no way out to the net.

use crate::clock;
use crate::coach::{self, Key};
use crate::commands::{self, brief, plan, settled, source, sync};
use fitness_coach::settings::Chosen;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_store::Store;
use fitness_web::worker::{BriefOutcome, Chores};
use fitness_web::{Coaching, KeyFrom, Looked, NewKey, NewSource, Opened, ShareTerms};
use secrecy::SecretString;

/// The program around the server.
pub(crate) struct Outside {
    store: Store,
    /// Where browsers reach it.
    site: String,
    /// Whether what is here is worth keeping; what is made up is not.
    keeps_backups: bool,
}

impl Outside {
    /// Around a server of real data, or of the demo's.
    pub(crate) fn new(store: Store, site: String, demo: bool) -> Self {
        let wanted = !demo && matches!(store.backups(), Ok(Some(_)));
        Self { store, site, keeps_backups: wanted }
    }
}

/// Why it was not done, for somebody who looks at a page: what to do is said there.
fn said(why: anyhow::Error) -> String {
    format!("{why:#}")
}

impl Coaching for Outside {
    fn open<'a>(&'a self, user: UserId, model: Option<&'a str>, today: Day) -> Looked<'a, Opened> {
        Box::pin(async move { coach::open(&self.store, user, model, today).await.map_err(said) })
    }

    fn told(&self, user: UserId) -> Looked<'_, (String, Vec<String>)> {
        Box::pin(async move { coach::told(&self.store, user).await })
    }
}

impl Chores for Outside {
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { sync::all_quietly(&self.store, user).await.map_err(said) })
    }

    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<BriefOutcome, String>> {
        Box::pin(async move { brief::write_when_missing(&self.store, user, day).await.map_err(said) })
    }

    fn recompute(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { settled(&self.store, user).await.map_err(said) })
    }

    fn keeps_backups(&self) -> bool {
        self.keeps_backups
    }

    fn backup(&self, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move {
            let made = self.store.back_up_nightly(day, clock::now()).await;
            made.map(drop).map_err(|why| why.to_string())
        })
    }

    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { brief::rewrite(&self.store, user, day).await.map_err(said) })
    }
}

impl fitness_web::Outside for Outside {
    fn choose_coach<'a>(
        &'a self,
        user: UserId,
        chosen: &'a Chosen,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Result<(), String>> {
        Box::pin(async move { coach::try_and_choose(&self.store, user, chosen, key).await.map_err(said) })
    }

    fn key_from<'a>(&'a self, user: UserId, chosen: &'a Chosen) -> Looked<'a, KeyFrom> {
        Box::pin(async move {
            match coach::key(&self.store, user, chosen).await {
                Ok(Some(Key::Own(_))) => KeyFrom::Own,
                Ok(Some(Key::Shared(_))) => KeyFrom::Owner,
                Ok(None) | Err(_) => KeyFrom::Nobody,
            }
        })
    }

    fn share_key<'a>(
        &'a self,
        owner: UserId,
        terms: Option<&'a ShareTerms>,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Result<(), String>> {
        Box::pin(async move { coach::share(&self.store, owner, terms, key).await.map_err(said) })
    }

    fn preview<'a>(&'a self, user: UserId, text: Option<&'a str>) -> Looked<'a, Result<String, String>> {
        Box::pin(async move {
            commands::coach::previewed(&self.store, user, text, None, None, &self.site)
                .await
                .map(|(_, sent)| sent)
                .map_err(said)
        })
    }

    fn add_source(&self, user: UserId, new: NewSource) -> Looked<'_, Result<SourceId, String>> {
        Box::pin(async move { source::add_from_page(&self.store, user, new).await.map_err(said) })
    }

    fn renew_key(&self, user: UserId, key: NewKey) -> Looked<'_, Result<(), String>> {
        Box::pin(async move {
            source::renew(&self.store, user, key.source, &key.key, key.expires).await.map_err(said)
        })
    }

    fn send_workouts(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { plan::push::send(&self.store, user).await.map_err(said) })
    }
}
