//! Consent: proof that a human confirmed exactly this action, just now.
//!
//! A confirm page or a terminal prompt shows what would happen and carries a signed
//! [`ConfirmationRequest`]. [`Store::redeem_confirmation`] accepts it once, within ten minutes, and
//! returns a [`Consent`]: the open transaction in which it was redeemed. Every function of
//! [`crate::plan::human_actions`] takes one by value.
//!
//! There is no other way to a `Consent`: its fields are private, it cannot be cloned, defaulted,
//! converted or deserialized, and `clippy.toml` allows [`Store::redeem_confirmation`] at two call
//! sites, the web's confirm handler and the terminal prompt. A coach or an MCP client depends on
//! neither this crate nor those two.

use crate::auth::secret::{self, random_hex};
use crate::db::convert::parse_text;
use crate::db::entities::{confirmations, human_actions};
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{HumanActionId, PlanId, ProposalId, UserId};
use fitness_core::plan::HumanActionKind;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sea_orm::prelude::Json;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// How long a request can be redeemed.
const CONFIRMATION_MINUTES: i64 = 10;

fitness_core::string_enum! {
    pub enum Channel("channel") {
        Web = "web",
        Terminal = "terminal",
        /// No human: the generated athlete of the demo, in its own database.
        Demo = "demo",
    }
}

/// What the human is asked to confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmationRequest {
    pub kind: HumanActionKind,
    /// `None` only for deleting the account.
    pub plan: Option<PlanId>,
    /// Hash of what the human was shown.
    pub content_hash: ContentHash,
    pub channel: Channel,
}

/// Proof of confirmation: an open transaction in which the confirmation was spent.
///
/// Acting consumes it. Dropping it rolls back, and the confirmation stays unspent.
#[must_use = "dropping a consent rolls back the confirmation it was made from"]
pub struct Consent {
    tx: Tx,
    request: ConfirmationRequest,
    confirmation: i64,
    at: Instant,
}

/// Signs requests: one key for each browser session or terminal prompt.
#[derive(Clone)]
pub struct ConfirmationKey(ContentHash);

impl std::fmt::Debug for ConfirmationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConfirmationKey")
    }
}

impl ConfirmationKey {
    #[must_use]
    pub fn random() -> Self {
        Self::derive(&random_hex::<32>())
    }

    /// The key of a session, from the secret in its cookie.
    #[must_use]
    pub fn derive(session_secret: &str) -> Self {
        Self(ContentHash::hash_bytes(format!("confirmations of {session_secret}").as_bytes()))
    }
}

impl ConfirmationRequest {
    /// The token that the confirm form carries: `nonce.issued_at.signature`. Nothing is stored
    /// before it is redeemed.
    #[must_use]
    pub fn sign(&self, key: &ConfirmationKey, user: UserId, now: Instant) -> String {
        let issued = now.timestamp_micros();
        let nonce = random_hex::<32>();
        let signature = self.signature(key, user, &nonce, issued);
        format!("{nonce}.{issued}.{signature}")
    }

    /// HMAC-SHA256 of everything that is confirmed, by whom, and when the page was shown.
    fn signature(&self, key: &ConfirmationKey, user: UserId, nonce: &str, issued: i64) -> String {
        let plan = self.plan.map(PlanId::get);
        let signed =
            (user, self.kind.as_str(), plan, self.content_hash, self.channel.as_str(), nonce, issued);
        let mut mac =
            Hmac::<Sha256>::new_from_slice(key.0.to_string().as_bytes()).expect("a key of any length");
        mac.update(&serde_json::to_vec(&signed).expect("plain data"));
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The nonce and the time of a token that was signed for this request.
    fn verify(&self, key: &ConfirmationKey, user: UserId, token: &str) -> Result<(String, Instant)> {
        let unknown = Error::NotConfirmed("it was not confirmed on the page that shows it");
        let mut parts = token.split('.');
        let (Some(nonce), Some(issued), Some(given), None) =
            (parts.next(), parts.next().and_then(|at| at.parse().ok()), parts.next(), parts.next())
        else {
            return Err(unknown);
        };
        let expected = self.signature(key, user, nonce, issued);
        let at = Instant::from_timestamp_micros(issued);
        match at {
            Some(at) if bool::from(expected.as_bytes().ct_eq(given.as_bytes())) => Ok((nonce.to_owned(), at)),
            _ => Err(unknown),
        }
    }
}

impl Store {
    /// Redeems a signed request and begins to act on it.
    ///
    /// Only the web's confirm handler and the terminal prompt may call this; `clippy.toml` and
    /// `cargo xtask tidy` enforce it.
    ///
    /// # Errors
    /// `NotConfirmed` when the token was not signed for this request with this key, was redeemed
    /// before, or is older than ten minutes.
    pub async fn redeem_confirmation(
        &self,
        user: UserId,
        request: &ConfirmationRequest,
        (key, token): (&ConfirmationKey, &str),
        now: Instant,
    ) -> Result<Consent> {
        let (nonce, issued_at) = request.verify(key, user, token)?;
        let expires_at = issued_at + TimeDelta::minutes(CONFIRMATION_MINUTES);
        if expires_at <= now || issued_at > now {
            return Err(Error::NotConfirmed("it has expired; confirm again"));
        }
        let tx = self.begin_user_write(user).await?;
        let nonce_hash = secret::hash(&nonce);
        let redeemed = confirmations::Entity::find()
            .filter(confirmations::Column::UserId.eq(user.get()))
            .filter(confirmations::Column::NonceHash.eq(&nonce_hash))
            .one(tx.db())
            .await?;
        if redeemed.is_some() {
            return Err(Error::NotConfirmed("it has already been used"));
        }
        let opened = confirmations::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            kind: Set(request.kind.as_str().to_owned()),
            plan_id: Set(request.plan.map(PlanId::get)),
            content_hash: Set(request.content_hash.to_string()),
            nonce_hash: Set(nonce_hash),
            channel: Set(request.channel.as_str().to_owned()),
            opened_at: Set(issued_at),
            expires_at: Set(expires_at),
            spent_at: Set(None),
        };
        // Two steps: the triggers want a row to be opened first and spent once.
        let id = confirmations::Entity::insert(opened).exec(tx.db()).await?.last_insert_id;
        let spent = confirmations::ActiveModel {
            id: Set(id),
            spent_at: Set(Some(truncate_to_micros(now))),
            ..Default::default()
        };
        confirmations::Entity::update(spent).exec(tx.db()).await?;
        Ok(Consent { tx, request: *request, confirmation: id, at: now })
    }

    /// A user's human actions, newest first.
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HumanAction {
    pub id: HumanActionId,
    pub kind: HumanActionKind,
    pub plan: Option<PlanId>,
    pub replaces: Option<PlanId>,
    /// The proposal that was applied.
    pub proposal: Option<ProposalId>,
    pub channel: Channel,
    /// Details, such as overridden findings.
    pub detail: Json,
    pub done_at: Instant,
}

impl Consent {
    #[must_use]
    pub const fn user(&self) -> UserId {
        self.tx.user()
    }

    #[must_use]
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// Hash of what the human was shown.
    #[must_use]
    pub const fn content_hash(&self) -> ContentHash {
        self.request.content_hash
    }

    pub(crate) const fn tx(&self) -> &Tx {
        &self.tx
    }

    /// Fails if the consent is for a different action.
    pub(crate) fn require(&self, kind: HumanActionKind, plan: Option<PlanId>) -> Result<()> {
        if self.request.kind == kind && self.request.plan == plan {
            Ok(())
        } else {
            Err(Error::NotConfirmed("it was for something else"))
        }
    }

    /// Fails if the current content is not what was shown.
    pub(crate) fn require_content(&self, now: ContentHash) -> Result<()> {
        if self.request.content_hash == now { Ok(()) } else { Err(Error::Stale) }
    }

    /// Records the human action and returns its transaction.
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
