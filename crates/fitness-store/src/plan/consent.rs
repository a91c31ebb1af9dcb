//! Consent: the proof that a human said yes, to exactly this, just now.
//!
//! A confirm page or a terminal prompt *opens* a confirmation about one action on one plan as it was shown.
//! The answer *spends* it, once, within ten minutes, and what comes out is a [`Consent`]: the open
//! transaction in which it was spent. Every human-only verb in [`crate::plan::human_actions`] takes one by value.
//!
//! There is no other way to a `Consent`: its fields are private, it cannot be cloned, defaulted, converted
//! or read from data, and `clippy.toml` allows [`Store::redeem_confirmation`] at two call sites, the web's
//! confirm handler and the terminal prompt. A coach or an MCP client depends on neither this crate nor
//! those two.

use crate::auth::secret::{self, Token};
use crate::db::convert::parse_text;
use crate::db::entities::{confirmations, human_actions};
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{HumanActionId, PlanId, ProposalId, UserId};
use fitness_core::plan::ActionKind;
use sea_orm::prelude::Json;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;
use subtle::ConstantTimeEq;

/// How long a question stays open.
const CONFIRMATION_MINUTES: i64 = 10;

fitness_core::string_enum! {
    /// Where the human is.
    pub enum Channel("channel") {
        /// In a signed-in browser.
        Web = "web",
        /// At a terminal.
        Terminal = "terminal",
        /// Nobody: the made-up athlete of the demo, in a database of its own.
        Demo = "demo",
    }
}

/// What a human is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmationRequest {
    /// What would be done.
    pub kind: ActionKind,
    /// To which plan; `None` only for removing the account.
    pub plan: Option<PlanId>,
    /// What they were shown, in 32 bytes.
    pub content_hash: ContentHash,
    /// Where they are.
    pub channel: Channel,
}

/// Proof that a human said yes: an open transaction in which their answer was spent.
///
/// It acts once, by being consumed; dropped unused, it leaves everything as it was, the answer unspent.
#[must_use = "a consent that is dropped undoes the answer it was made from"]
pub struct Consent {
    tx: Tx,
    request: ConfirmationRequest,
    confirmation: i64,
    at: Instant,
}

impl Store {
    /// Opens a question to a human. The token goes into the confirm form, or stays with the terminal prompt.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn request_confirmation(
        &self,
        user: UserId,
        question: &ConfirmationRequest,
        now: Instant,
    ) -> Result<Token> {
        let token = Token::random();
        let tx = self.begin_user_write(user).await?;
        // Questions nobody answered in time are of no use to anyone.
        confirmations::Entity::delete_many()
            .filter(confirmations::Column::UserId.eq(user.get()))
            .filter(confirmations::Column::SpentAt.is_null())
            .filter(confirmations::Column::ExpiresAt.lt(truncate_to_micros(now)))
            .exec(tx.db())
            .await?;
        let row = confirmations::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            kind: Set(question.kind.as_str().to_owned()),
            plan_id: Set(question.plan.map(PlanId::get)),
            content_hash: Set(question.content_hash.to_string()),
            nonce_hash: Set(token.hash()),
            channel: Set(question.channel.as_str().to_owned()),
            opened_at: Set(truncate_to_micros(now)),
            expires_at: Set(truncate_to_micros(now + TimeDelta::minutes(CONFIRMATION_MINUTES))),
            spent_at: Set(None),
        };
        confirmations::Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit_without_audit().await?;
        Ok(token)
    }

    /// Spends the answer to a question and begins to act on it.
    ///
    /// Only the web's confirm handler and the terminal prompt may call this; `clippy.toml` and
    /// `cargo xtask tidy` see to it.
    ///
    /// # Errors
    /// `NotConfirmed` when the question was never opened, has been answered, is older than ten minutes, or
    /// was about something else.
    pub async fn redeem_confirmation(
        &self,
        user: UserId,
        question: &ConfirmationRequest,
        token: &str,
        now: Instant,
    ) -> Result<Consent> {
        let tx = self.begin_user_write(user).await?;
        let row = confirmations::Entity::find()
            .filter(confirmations::Column::UserId.eq(user.get()))
            .filter(confirmations::Column::NonceHash.eq(secret::hash(token)))
            .one(tx.db())
            .await?
            .ok_or(Error::NotConfirmed("it was never asked"))?;
        if row.spent_at.is_some() {
            return Err(Error::NotConfirmed("it was already used"));
        }
        if row.expires_at <= now || row.opened_at > now {
            return Err(Error::NotConfirmed("it is older than ten minutes; please confirm again"));
        }
        let asked = (row.kind.as_str(), row.plan_id, row.channel.as_str());
        let answered = (question.kind.as_str(), question.plan.map(PlanId::get), question.channel.as_str());
        let same_content = row.content_hash.as_bytes().ct_eq(question.content_hash.to_string().as_bytes());
        if asked != answered || !bool::from(same_content) {
            return Err(Error::NotConfirmed("it was about something else"));
        }
        let spent = confirmations::ActiveModel {
            id: Set(row.id),
            spent_at: Set(Some(truncate_to_micros(now))),
            ..Default::default()
        };
        confirmations::Entity::update(spent).exec(tx.db()).await?;
        Ok(Consent { tx, request: *question, confirmation: row.id, at: now })
    }

    /// What a user has done with their own hands, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_human_actions(&self, user: UserId, limit: u64) -> Result<Vec<HumanAction>> {
        let rows = human_actions::Entity::find()
            .filter(human_actions::Column::UserId.eq(user.get()))
            .order_by_desc(human_actions::Column::Id)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(HumanAction {
                    id: HumanActionId::new(row.id),
                    kind: parse_text(&row.kind)?,
                    plan: row.plan_id.map(PlanId::new),
                    replaces: row.replaces_id.map(PlanId::new),
                    proposal: row.proposal_id.map(ProposalId::new),
                    channel: parse_text(&row.channel)?,
                    detail: row.detail,
                    done_at: row.done_at,
                })
            })
            .collect()
    }
}

/// Something only a human did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HumanAction {
    /// Its id.
    pub id: HumanActionId,
    /// What.
    pub kind: ActionKind,
    /// To which plan.
    pub plan: Option<PlanId>,
    /// The plan an activation replaced.
    pub replaces: Option<PlanId>,
    /// The proposal an application took from.
    pub proposal: Option<ProposalId>,
    /// Where they were: at the terminal, in a browser, or nowhere, in the demo.
    pub channel: Channel,
    /// What else was decided, such as which findings were overridden.
    pub detail: Json,
    /// When.
    pub done_at: Instant,
}

impl Consent {
    /// Who said yes.
    #[must_use]
    pub const fn user(&self) -> UserId {
        self.tx.user()
    }

    /// When they did.
    #[must_use]
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// What they were shown.
    #[must_use]
    pub const fn content_hash(&self) -> ContentHash {
        self.request.content_hash
    }

    pub(crate) const fn tx(&self) -> &Tx {
        &self.tx
    }

    /// Refuses to be used for anything but what was asked.
    pub(crate) fn require(&self, kind: ActionKind, plan: Option<PlanId>) -> Result<()> {
        if self.request.kind == kind && self.request.plan == plan {
            Ok(())
        } else {
            Err(Error::NotConfirmed("it was about something else"))
        }
    }

    /// Refuses when what is there now is not what was shown.
    pub(crate) fn require_content(&self, now: ContentHash) -> Result<()> {
        if self.request.content_hash == now { Ok(()) } else { Err(Error::Stale) }
    }

    /// Writes the human action down and hands over the transaction it belongs to.
    pub(crate) async fn record_human_action(
        self,
        replaces: Option<PlanId>,
        proposal: Option<ProposalId>,
        detail: Json,
    ) -> Result<(Tx, HumanActionId)> {
        let row = human_actions::ActiveModel {
            id: NotSet,
            user_id: Set(self.user().get()),
            kind: Set(self.request.kind.as_str().to_owned()),
            plan_id: Set(self.request.plan.map(PlanId::get)),
            replaces_id: Set(replaces.map(PlanId::get)),
            proposal_id: Set(proposal.map(ProposalId::get)),
            confirmation_id: Set(self.confirmation),
            channel: Set(self.request.channel.as_str().to_owned()),
            detail: Set(detail),
            done_at: Set(truncate_to_micros(self.at)),
        };
        let row = human_actions::Entity::insert(row).exec_with_returning(self.tx.db()).await?;
        Ok((self.tx, HumanActionId::new(row.id)))
    }
}
