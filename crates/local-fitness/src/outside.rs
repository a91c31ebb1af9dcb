//! What the server cannot do itself: it has no sealing key and no way out to the net.

use crate::coaching::{self, Key};
use crate::commands::{brief, coach, plan, source, sync};
use fitness_coach::chosen::Chosen;
use fitness_core::calendar::Day;
use fitness_core::ids::{SourceId, UserId};
use fitness_store::Store;
use fitness_web::morning::Chores;
use fitness_web::{Coaching, KeyFrom, Looked, NewKey, NewSource, Opened, ShareTerms};
use secrecy::SecretString;

/// The program around the server.
pub(crate) struct Outside(pub(crate) Store);

/// Why it was not done, for somebody who looks at a page: what to do is said there.
fn said(why: anyhow::Error) -> String {
    format!("{why:#}")
}

impl Coaching for Outside {
    fn open<'a>(&'a self, user: UserId, model: Option<&'a str>, today: Day) -> Looked<'a, Opened> {
        Box::pin(async move { coaching::open(&self.0, user, model, today).await.map_err(said) })
    }

    fn told(&self, user: UserId) -> Looked<'_, (String, Vec<String>)> {
        Box::pin(async move { coaching::told(&self.0, user).await })
    }
}

impl Chores for Outside {
    fn sync(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { sync::all_quietly(&self.0, user).await.map_err(said) })
    }

    fn brief(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { brief::write_when_missing(&self.0, user, day).await.map_err(said) })
    }

    fn rewrite(&self, user: UserId, day: Day) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { brief::rewrite(&self.0, user, day).await.map_err(said) })
    }
}

impl fitness_web::Outside for Outside {
    fn choose_coach<'a>(
        &'a self,
        user: UserId,
        chosen: &'a Chosen,
        key: Option<&'a SecretString>,
    ) -> Looked<'a, Result<(), String>> {
        Box::pin(async move { coaching::try_and_choose(&self.0, user, chosen, key).await.map_err(said) })
    }

    fn key_from<'a>(&'a self, user: UserId, chosen: &'a Chosen) -> Looked<'a, KeyFrom> {
        Box::pin(async move {
            match coaching::key(&self.0, user, chosen).await {
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
        Box::pin(async move { coaching::share(&self.0, owner, terms, key).await.map_err(said) })
    }

    fn preview<'a>(&'a self, user: UserId, text: Option<&'a str>) -> Looked<'a, Result<String, String>> {
        Box::pin(async move {
            coach::previewed(&self.0, user, text, None, None).await.map(|(_, sent)| sent).map_err(said)
        })
    }

    fn add_source(&self, user: UserId, new: NewSource) -> Looked<'_, Result<SourceId, String>> {
        Box::pin(async move { source::add_from_page(&self.0, user, new).await.map_err(said) })
    }

    fn renew_key(&self, user: UserId, key: NewKey) -> Looked<'_, Result<(), String>> {
        Box::pin(async move {
            source::renew(&self.0, user, key.source, &key.key, key.expires).await.map_err(said)
        })
    }

    fn send_workouts(&self, user: UserId) -> Looked<'_, Result<(), String>> {
        Box::pin(async move { plan::push::send(&self.0, user).await.map_err(said) })
    }
}
