//! A model with a daily budget: reserves the estimated usage before each request and settles the
//! real usage afterwards. Concurrent turns, also of other processes, share the budget, so checking
//! it once at the start of a turn would not be enough.

use crate::coach::chat::stored_usage;
use fitness_coach::agent_loop::DailyBudget;
use fitness_coach::model::openai::ServerCapabilities;
use fitness_coach::model::{
    Cost, Model, ModelError, ModelErrorKind, ModelListener, ReplyFuture, Request, Usage,
};
use fitness_coach::settings::CAPABILITIES_SETTING_KEY;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_store::{Error, Purpose, Store, UsageReservation};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tokio::task::JoinHandle;

/// Rough estimate, for reservations only.
const BYTES_PER_TOKEN: u64 = 4;
/// Cached server capabilities per user; the newest are kept.
const MAX_CAPABILITIES: usize = 8;

pub struct BudgetedModel<'a> {
    pub model: &'a dyn Model,
    pub store: &'a Store,
    pub user: UserId,
    pub purpose: Purpose,
    /// The day the usage counts for.
    pub day: Day,
    pub now: Instant,
    /// `None` for a coach without costs.
    pub daily_budget: Option<DailyBudget>,
    /// Writes of usage for requests that were dropped before their reply.
    pub pending_usage: PendingUsageWrites,
}

/// Running writes of usage; see [`BudgetedModel::flush_usage`].
#[derive(Debug, Default)]
pub struct PendingUsageWrites(Mutex<Vec<JoinHandle<Result<(), Error>>>>);

impl fmt::Debug for BudgetedModel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetedModel").field("model", &self.model.name()).finish_non_exhaustive()
    }
}

impl Model for BudgetedModel<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        listener: &'a mut (dyn ModelListener + 'a),
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reserved = self.reserve(request).await?;
            let mut counting =
                UsageListener { model: self, reserved, listener, usage: Usage::default(), is_pending: true };
            let reply = self.model.ask(request, &mut counting).await;
            counting.is_pending = false;
            let took = reply.as_ref().map_or_else(|why| why.usage, |reply| reply.usage);
            // If the write fails, the reservation stays, which is more than was used.
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
    /// Waits for pending writes of usage. Call before the process exits.
    pub async fn flush_usage(&self) {
        let writes =
            std::mem::take(&mut *self.pending_usage.0.lock().unwrap_or_else(PoisonError::into_inner));
        for write in writes {
            // If the write fails, the reservation stays.
            let _ = write.await;
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
                "Today's AI budget is used up or reserved for replies in progress. The built-in coach still answers; \
                 you can change the budget under Settings > Coach."
            }
            Err(_) => "Today's AI usage could not be checked, so nothing was sent. Try again in a moment.",
        };
        Err(ModelError::new(ModelErrorKind::Limit, why))
    }

    /// Caches what the model learned about its server. A server that rejects a request may have
    /// changed, so its entry is removed.
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
            // Best effort: it is only a cache.
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

/// Counts the usage of a request. When it is dropped before the reply, the usage so far is stored.
struct UsageListener<'a> {
    model: &'a BudgetedModel<'a>,
    reserved: Option<UsageReservation>,
    listener: &'a mut (dyn ModelListener + 'a),
    usage: Usage,
    is_pending: bool,
}

impl ModelListener for UsageListener<'_> {
    fn text(&mut self, more: &str) {
        self.listener.text(more);
    }

    fn on_thinking(&mut self, more: &str) {
        self.listener.on_thinking(more);
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
            let record = self.model.usage_record(self.reserved, self.usage);
            let written = runtime.spawn(async move { record.save().await });
            self.model.pending_usage.0.lock().unwrap_or_else(PoisonError::into_inner).push(written);
        }
    }
}

/// The usage of one request, ready to be stored.
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
