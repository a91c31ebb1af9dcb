//! A model whose every request is counted: what it may take is set aside before it is asked, and what it took takes that
//! place. Turns that run beside each other, in this process or another, share what may be used in a day, so looking once
//! when a turn begins would not hold.

use crate::coach::chat::stored_usage;
use fitness_coach::agent_loop::Budget;
use fitness_coach::model::openai::ServerCapabilities;
use fitness_coach::model::{Cost, Listener, Model, ModelError, ModelErrorKind, ReplyFuture, Request, Usage};
use fitness_coach::settings::CAPABILITIES_SETTING_KEY;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_store::{Error, Purpose, Store, UsageReservation};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tokio::task::JoinHandle;

/// So many bytes are about a token.
const BYTES_PER_TOKEN: u64 = 4;
/// Of so many servers and models what was found out is kept, the latest.
const MAX_CAPABILITIES: usize = 8;

/// A model that is counted.
pub struct BudgetedModel<'a> {
    /// Who is asked.
    pub model: &'a dyn Model,
    /// Where it is counted.
    pub store: &'a Store,
    /// Whose it is.
    pub user: UserId,
    /// What it is asked for.
    pub purpose: Purpose,
    /// The day it counts for.
    pub day: Day,
    /// The moment.
    pub now: Instant,
    /// The most the day may take; `None` for a coach that takes nothing.
    pub daily_budget: Option<Budget>,
    /// What is being written down for requests that were left before their reply.
    pub pending_usage: PendingUsage,
}

/// What is being written down.
#[derive(Debug, Default)]
pub struct PendingUsage(Mutex<Vec<JoinHandle<Result<(), Error>>>>);

impl fmt::Debug for BudgetedModel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered").field("model", &self.model.name()).finish_non_exhaustive()
    }
}

impl Model for BudgetedModel<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reserved = self.reserve(request).await?;
            let mut counting =
                UsageListener { model: self, reserved, listener, usage: Usage::default(), is_pending: true };
            let reply = self.model.ask(request, &mut counting).await;
            counting.is_pending = false;
            let took = reply.as_ref().map_or_else(|why| why.usage, |reply| reply.usage);
            // What cannot be written stays set aside, which is more than it took.
            let _ = self.usage_record(reserved, took).save().await;
            self.store_capabilities(reply.as_ref().is_err_and(|why| why.kind == ModelErrorKind::Request))
                .await;
            reply
        })
    }

    fn preview(&self, request: &Request) -> String {
        self.model.preview(request)
    }

    fn cost(&self, usage: &Usage) -> Option<Cost> {
        self.model.cost(usage)
    }

    fn server_capabilities(&self) -> Option<ServerCapabilities> {
        self.model.server_capabilities()
    }
}

impl BudgetedModel<'_> {
    /// Waits until what was left before its reply is written down: a program that ends at once would not write it.
    pub async fn flush_usage(&self) {
        let bills = std::mem::take(&mut *self.pending_usage.0.lock().unwrap_or_else(PoisonError::into_inner));
        for bill in bills {
            // What cannot be written stays set aside.
            let _ = bill.await;
        }
    }

    async fn reserve(&self, request: &Request) -> Result<Option<UsageReservation>, ModelError> {
        let Some(most) = self.daily_budget else { return Ok(None) };
        let bytes = self.model.preview(request).len() as u64;
        let output = u64::from(request.max_tokens);
        let usage = Usage { input: bytes / BYTES_PER_TOKEN, output, ..Usage::default() };
        let asking = fitness_store::UsageRequest {
            purpose: self.purpose,
            model: self.model.name(),
            estimate: stored_usage(usage, self.model.cost(&usage)),
            daily_token_limit: most.tokens,
            daily_cost_limit_micros: most.money.map(|money| money.0),
            day: self.day,
            now: self.now,
        };
        let why = match self.store.reserve_usage(self.user, &asking).await {
            Ok(Some(reserved)) => return Ok(Some(reserved)),
            Ok(None) => {
                "What may be used today is used up, or set aside for answers that are under way. The built-in coach still \
                 answers; the limit is in the settings."
            }
            Err(_) => {
                "What was used today could not be looked up, so nothing was asked. Try again in a moment."
            }
        };
        Err(ModelError::new(ModelErrorKind::Limit, why))
    }

    /// Keeps what the model found out about its server, so that it is not tried again the next time. A server that refuses
    /// a request may have changed, and is tried again.
    async fn store_capabilities(&self, refused: bool) {
        let Some(found) = self.model.server_capabilities() else { return };
        let known: Vec<ServerCapabilities> = self
            .store
            .find_setting(self.user, CAPABILITIES_SETTING_KEY)
            .await
            .ok()
            .flatten()
            .unwrap_or_default();
        let is_same =
            |other: &ServerCapabilities| other.address == found.address && other.model == found.model;
        let others = known.iter().filter(|other| !is_same(other)).cloned();
        let mut now: Vec<ServerCapabilities> = others.chain((!refused).then(|| found.clone())).collect();
        now.drain(..now.len().saturating_sub(MAX_CAPABILITIES));
        if now != known {
            // Not kept, it is found out again.
            let _ = self.store.cache_setting(self.user, CAPABILITIES_SETTING_KEY, &now).await;
        }
    }

    fn usage_record(&self, reserved: Option<UsageReservation>, took: Usage) -> UsageRecord {
        UsageRecord {
            store: self.store.clone(),
            user: self.user,
            purpose: self.purpose,
            model: self.model.name().to_owned(),
            day: self.day,
            now: self.now,
            reserved,
            usage: took,
            cost: self.model.cost(&took),
        }
    }
}

/// Hears what a request takes. Who leaves before its reply drops this, and what was taken by then is written all the same.
struct UsageListener<'a> {
    model: &'a BudgetedModel<'a>,
    reserved: Option<UsageReservation>,
    listener: &'a mut (dyn Listener + 'a),
    usage: Usage,
    is_pending: bool,
}

impl Listener for UsageListener<'_> {
    fn text(&mut self, more: &str) {
        self.listener.text(more);
    }

    fn thought(&mut self, more: &str) {
        self.listener.thought(more);
    }

    fn tool_call(&mut self, tool: &str) {
        self.listener.tool_call(tool);
    }

    fn usage(&mut self, so_far: Usage) {
        self.usage = so_far;
        self.listener.usage(so_far);
    }
}

impl Drop for UsageListener<'_> {
    fn drop(&mut self) {
        if self.is_pending
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let bill = self.model.usage_record(self.reserved, self.usage);
            let written = runtime.spawn(async move { bill.save().await });
            self.model.pending_usage.0.lock().unwrap_or_else(PoisonError::into_inner).push(written);
        }
    }
}

/// What a request took, ready to be written down.
struct UsageRecord {
    store: Store,
    user: UserId,
    purpose: Purpose,
    model: String,
    day: Day,
    now: Instant,
    reserved: Option<UsageReservation>,
    usage: Usage,
    cost: Option<Cost>,
}

impl UsageRecord {
    async fn save(self) -> Result<(), Error> {
        let spent = stored_usage(self.usage, self.cost);
        match self.reserved {
            Some(reserved) => {
                self.store.settle_usage(self.user, reserved, self.purpose, spent, self.now).await
            }
            None if spent.tokens() == 0 => Ok(()),
            None => {
                let (purpose, model) = (self.purpose, &self.model);
                self.store.record_usage(self.user, purpose, model, spent, self.day, self.now).await
            }
        }
    }
}
