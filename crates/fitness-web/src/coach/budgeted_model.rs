//! A model whose every request is counted: what it may take is set aside before it is asked, and what it took takes that
//! place. Turns that run beside each other, in this process or another, share what may be used in a day, so looking once
//! when a turn begins would not hold.

use crate::coach::chat::spent;
use fitness_coach::agent_loop::Budget;
use fitness_coach::model::openai::Found;
use fitness_coach::model::{Asking, Cost, Failing, Listener, Model, ModelError, Request, Usage};
use fitness_coach::settings::FOUND_SETTING;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_store::{Error, Purpose, Reserved, Store};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tokio::task::JoinHandle;

/// So many bytes are about a token.
const BYTES_A_TOKEN: u64 = 4;
/// Of so many servers and models what was found out is kept, the latest.
const MOST_FOUND: usize = 8;

/// A model that is counted.
pub struct Metered<'a> {
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
    pub most: Option<Budget>,
    /// What is being written down for requests that were left before their reply.
    pub bills: Bills,
}

/// What is being written down.
#[derive(Debug, Default)]
pub struct Bills(Mutex<Vec<JoinHandle<Result<(), Error>>>>);

impl fmt::Debug for Metered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered").field("model", &self.model.name()).finish_non_exhaustive()
    }
}

impl Model for Metered<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        Box::pin(async move {
            let reserved = self.reserve(request).await?;
            let mut counting =
                Counting { metered: self, reserved, listener, took: Usage::default(), open: true };
            let reply = self.model.ask(request, &mut counting).await;
            counting.open = false;
            let took = reply.as_ref().map_or_else(|why| why.spent, |reply| reply.usage);
            // What cannot be written stays set aside, which is more than it took.
            let _ = self.bill(reserved, took).settle().await;
            self.remember(reply.as_ref().is_err_and(|why| why.kind == Failing::Request)).await;
            reply
        })
    }

    fn preview(&self, request: &Request) -> String {
        self.model.preview(request)
    }

    fn cost(&self, usage: &Usage) -> Option<Cost> {
        self.model.cost(usage)
    }

    fn found(&self) -> Option<Found> {
        self.model.found()
    }
}

impl Metered<'_> {
    /// Waits until what was left before its reply is written down: a program that ends at once would not write it.
    pub async fn settled(&self) {
        let bills = std::mem::take(&mut *self.bills.0.lock().unwrap_or_else(PoisonError::into_inner));
        for bill in bills {
            // What cannot be written stays set aside.
            let _ = bill.await;
        }
    }

    async fn reserve(&self, request: &Request) -> Result<Option<Reserved>, ModelError> {
        let Some(most) = self.most else { return Ok(None) };
        let bytes = self.model.preview(request).len() as u64;
        let output = u64::from(request.max_tokens);
        let usage = Usage { input: bytes / BYTES_A_TOKEN, output, ..Usage::default() };
        let asking = fitness_store::Asking {
            purpose: self.purpose,
            model: self.model.name(),
            estimate: spent(usage, self.model.cost(&usage)),
            most_tokens: most.tokens,
            most_micros: most.money.map(|money| money.0),
            day: self.day,
            now: self.now,
        };
        let why = match self.store.reserve_spending(self.user, &asking).await {
            Ok(Some(reserved)) => return Ok(Some(reserved)),
            Ok(None) => {
                "What may be used today is used up, or set aside for answers that are under way. The built-in coach still \
                 answers; the limit is in the settings."
            }
            Err(_) => {
                "What was used today could not be looked up, so nothing was asked. Try again in a moment."
            }
        };
        Err(ModelError::new(Failing::Limit, why))
    }

    /// Keeps what the model found out about its server, so that it is not tried again the next time. A server that refuses
    /// a request may have changed, and is tried again.
    async fn remember(&self, refused: bool) {
        let Some(found) = self.model.found() else { return };
        let known: Vec<Found> =
            self.store.find_setting(self.user, FOUND_SETTING).await.ok().flatten().unwrap_or_default();
        let is_same = |other: &Found| other.address == found.address && other.model == found.model;
        let others = known.iter().filter(|other| !is_same(other)).cloned();
        let mut now: Vec<Found> = others.chain((!refused).then(|| found.clone())).collect();
        now.drain(..now.len().saturating_sub(MOST_FOUND));
        if now != known {
            // Not kept, it is found out again.
            let _ = self.store.remember(self.user, FOUND_SETTING, &now).await;
        }
    }

    fn bill(&self, reserved: Option<Reserved>, took: Usage) -> Bill {
        Bill {
            store: self.store.clone(),
            user: self.user,
            purpose: self.purpose,
            model: self.model.name().to_owned(),
            day: self.day,
            now: self.now,
            reserved,
            took,
            cost: self.model.cost(&took),
        }
    }
}

/// Hears what a request takes. Who leaves before its reply drops this, and what was taken by then is written all the same.
struct Counting<'a> {
    metered: &'a Metered<'a>,
    reserved: Option<Reserved>,
    listener: &'a mut (dyn Listener + 'a),
    took: Usage,
    open: bool,
}

impl Listener for Counting<'_> {
    fn text(&mut self, more: &str) {
        self.listener.text(more);
    }

    fn thought(&mut self, more: &str) {
        self.listener.thought(more);
    }

    fn call(&mut self, tool: &str) {
        self.listener.call(tool);
    }

    fn took(&mut self, so_far: Usage) {
        self.took = so_far;
        self.listener.took(so_far);
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        if self.open
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let bill = self.metered.bill(self.reserved, self.took);
            let written = runtime.spawn(async move { bill.settle().await });
            self.metered.bills.0.lock().unwrap_or_else(PoisonError::into_inner).push(written);
        }
    }
}

/// What a request took, ready to be written down.
struct Bill {
    store: Store,
    user: UserId,
    purpose: Purpose,
    model: String,
    day: Day,
    now: Instant,
    reserved: Option<Reserved>,
    took: Usage,
    cost: Option<Cost>,
}

impl Bill {
    async fn settle(self) -> Result<(), Error> {
        let spent = spent(self.took, self.cost);
        match self.reserved {
            Some(reserved) => {
                self.store.settle_spending(self.user, reserved, self.purpose, spent, self.now).await
            }
            None if spent.tokens() == 0 => Ok(()),
            None => {
                let (purpose, model) = (self.purpose, &self.model);
                self.store.note_spending(self.user, purpose, model, spent, self.day, self.now).await
            }
        }
    }
}
