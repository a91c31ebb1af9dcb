//! API tokens for other programs. There are two scopes, read and draft; no token can act for a
//! human.

use crate::auth::secret::{self, Token};
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::parse_text;
use crate::db::entities::api_tokens::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::coach_api::Scope;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{ApiTokenId, UserId};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde::Serialize;

/// An API token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiToken {
    pub id: ApiTokenId,
    pub user: UserId,
    /// Label chosen by the athlete.
    pub name: String,
    pub scope: Scope,
    pub made_at: Instant,
    /// `None` if the token never expires.
    pub expires_at: Option<Instant>,
    pub used_at: Option<Instant>,
}

impl Store {
    /// Creates a token. The secret is returned once; only its hash is stored.
    pub async fn mint_api_token(
        &self,
        user: UserId,
        name: &str,
        scope: Scope,
        expires_at: Option<Instant>,
        now: Instant,
    ) -> Result<(ApiTokenId, Token)> {
        let token = Token::random();
        let tx = self.begin_user_write(user).await?;
        let row = ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            name: Set(name.chars().take(100).collect()),
            token_hash: Set(token.hash()),
            scope: Set(scope.as_str().to_owned()),
            made_at: Set(truncate_to_micros(now)),
            expires_at: Set(expires_at.map(truncate_to_micros)),
            used_at: Set(None),
            revoked_at: Set(None),
        };
        let id = Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::TokenMint, format!("token:{id}")))
            .await?;
        Ok((ApiTokenId::new(id), token))
    }

    /// Finds the token for a secret, unless it was revoked or has expired.
    pub async fn find_api_token(&self, secret: &str, now: Instant) -> Result<Option<ApiToken>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        let valid = |row: &Model| row.revoked_at.is_none() && row.expires_at.is_none_or(|end| end > now);
        row.filter(valid).map(api_token).transpose()
    }

    /// Updates the last-used time, at most once a minute so that a busy client does not write on
    /// every request.
    pub async fn touch_api_token(&self, user: UserId, id: ApiTokenId, now: Instant) -> Result<()> {
        let lately = truncate_to_micros(now - chrono::TimeDelta::minutes(1));
        let known =
            Entity::find_by_id(id.get()).filter(Column::UserId.eq(user.get())).one(self.reader()).await?;
        if known.is_none_or(|row| row.used_at.is_some_and(|used| used > lately)) {
            return Ok(());
        }
        let tx = self.begin_user_write(user).await?;
        Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(truncate_to_micros(now)))
            .filter(Column::Id.eq(id.get()))
            .filter(Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        tx.commit(NewAuditEntry::new(now, Actor::Mcp, AuditAction::TokenUse, format!("token:{id}"))).await
    }

    /// A user's valid tokens, newest first.
    pub async fn list_api_tokens(&self, user: UserId) -> Result<Vec<ApiToken>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::RevokedAt.is_null())
            .order_by_desc(Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter().map(api_token).collect()
    }

    /// Revokes a token.
    ///
    /// # Errors
    /// `NotFound` when the user has no such token.
    pub async fn revoke_api_token(&self, user: UserId, id: ApiTokenId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let revoked = Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(truncate_to_micros(now)))
            .filter(Column::Id.eq(id.get()))
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::RevokedAt.is_null())
            .exec(tx.db())
            .await?;
        if revoked.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::Token));
        }
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::TokenRevoke, format!("token:{id}")))
            .await
    }
}

fn api_token(row: Model) -> Result<ApiToken> {
    Ok(ApiToken {
        id: ApiTokenId::new(row.id),
        user: UserId::new(row.user_id),
        name: row.name,
        scope: parse_text(&row.scope)?,
        made_at: row.made_at,
        expires_at: row.expires_at,
        used_at: row.used_at,
    })
}
