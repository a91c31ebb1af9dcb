//! Codes that confirm a signed-in browser: the terminal prints one, the athlete types it into the
//! browser.

use crate::auth::users::{hash_password, password_matches};
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::entities::session_codes::{ActiveModel, Column, Entity};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{SessionId, UserId};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use secrecy::{ExposeSecret, SecretString};

/// Lifetime of a code.
pub const SESSION_CODE_MINUTES: i64 = 10;
const MAX_ATTEMPTS: i64 = 5;
/// 32 characters without I, O, 0 and 1, five bits each.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

impl Store {
    /// Creates a code that confirms one browser of a user, such as `K7PM-3XQD`. An earlier code
    /// stops working.
    pub async fn create_session_code(&self, user: UserId, now: Instant) -> Result<SecretString> {
        let letters = rand::random::<[u8; 8]>().map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        let code: String = letters.iter().collect();
        // A slow hash, because 40 bits could be guessed from a fast one while the code is valid.
        let code_hash = hash_password(code.clone().into()).await?;
        let tx = self.begin_user_write(user).await?;
        Entity::delete_by_id(user.get()).exec(tx.db()).await?;
        let row = ActiveModel {
            user_id: Set(user.get()),
            code_hash: Set(code_hash),
            tries_left: Set(MAX_ATTEMPTS),
            made_at: Set(truncate_to_micros(now)),
            expires_at: Set(truncate_to_micros(now + TimeDelta::minutes(SESSION_CODE_MINUTES))),
        };
        Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::SessionCodeOffer,
            format!("user:{user}"),
        ))
        .await?;
        Ok(format!("{}-{}", &code[..4], &code[4..]).into())
    }

    /// Confirms a session if the code is right, and uses the code up. Case, spaces and dashes are
    /// ignored.
    ///
    /// # Errors
    /// `NotFound` when the user has no such session.
    pub async fn confirm_session_by_code(
        &self,
        user: UserId,
        session: SessionId,
        code: &SecretString,
        now: Instant,
    ) -> Result<bool> {
        let Some(code_hash) = self.consume_attempt(user, now).await? else { return Ok(false) };
        let typed: String =
            code.expose_secret().chars().filter(char::is_ascii_alphanumeric).take(64).collect();
        if !password_matches(typed.to_ascii_uppercase().into(), code_hash.clone()).await? {
            return Ok(false);
        }
        let tx = self.begin_user_write(user).await?;
        let used = Entity::delete_many()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::CodeHash.eq(code_hash))
            .exec(tx.db())
            .await?;
        if used.rows_affected == 0 {
            return Ok(false);
        }
        crate::auth::sessions::confirm(tx, session, now).await?;
        Ok(true)
    }

    /// Uses one attempt before comparing anything, and returns the hash to compare with.
    async fn consume_attempt(&self, user: UserId, now: Instant) -> Result<Option<String>> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(user.get()).one(tx.db()).await?;
        let Some(row) = row.filter(|row| row.expires_at > now && row.tries_left > 0) else { return Ok(None) };
        Entity::update_many()
            .col_expr(Column::TriesLeft, Expr::value(row.tries_left - 1))
            .filter(Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        tx.commit_without_audit().await?;
        Ok(Some(row.code_hash))
    }
}
