//! Users: adding, passwords, invites, ownership and complete removal.

use crate::auth::password_rules::check_password;
use crate::auth::secret::{self, Token};
use crate::backup::deleted_users::BackupReference;
use crate::db::audit::{self, Actor, AuditAction, NewAuditEntry};
use crate::db::entities::{
    api_tokens, credentials, invites, ownerships, session_codes, sessions, sign_ins, users,
};
use crate::db::error::{Error, RecordKind, Result, is_unique_violation};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::{Tx, defer_foreign_keys};
use crate::plan::consent::Consent;
use crate::training::profile;
use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use chrono::TimeDelta;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::HumanActionKind;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::collections::HashSet;
use tokio::sync::{OnceCell, Semaphore};

/// Lifetime of an invite.
pub const INVITE_DAYS: i64 = 7;

/// Limits concurrent password hashing, which takes memory and a CPU core.
static HASH_PERMITS: Semaphore = Semaphore::const_new(2);

/// Compared with when the user has no password, so that the response time is the same.
static DUMMY_HASH: OnceCell<String> = OnceCell::const_new();

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct User {
    pub id: UserId,
    pub name: String,
    pub created_at: Instant,
    pub has_password: bool,
}

/// 1 to 64 visible characters, no slash.
#[must_use]
pub fn is_valid_user_name(name: &str) -> bool {
    (1..=64).contains(&name.chars().count())
        && name.trim() == name
        && !name.contains('/')
        && escape_invisible(name).to_string() == name
}

impl Store {
    /// Adds a user with a profile and no password.
    ///
    /// # Errors
    /// `BadName`; `NameTaken` if another user has the name, ignoring case.
    pub async fn add_user(&self, name: &str, profile: &Profile, now: Instant) -> Result<User> {
        if !is_valid_user_name(name) {
            return Err(Error::BadName);
        }
        let taken = || Error::NameTaken(name.to_owned());
        let key = name.to_lowercase();
        let db = self.begin_write().await?;
        if users::Entity::find().filter(users::Column::NameKey.eq(&key)).one(&db).await?.is_some() {
            return Err(taken());
        }
        let row = users::ActiveModel {
            id: NotSet,
            name: Set(name.to_owned()),
            name_key: Set(key),
            created_at: Set(truncate_to_micros(now)),
        };
        let row = match users::Entity::insert(row).exec_with_returning(&db).await {
            Err(error) if is_unique_violation(&error) => return Err(taken()),
            other => other?,
        };
        let user = UserId::new(row.id);
        let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::UserAdd, format!("user:{user}"));
        let tx = Tx::for_new_user(db, user);
        profile::put(&tx, profile).await?;
        tx.commit(entry).await?;
        Ok(User { id: user, name: row.name, created_at: row.created_at, has_password: false })
    }

    pub async fn list_users(&self) -> Result<Vec<User>> {
        let rows = users::Entity::find().order_by_asc(users::Column::NameKey).all(self.reader()).await?;
        let mut with_password: HashSet<i64> = HashSet::new();
        let ids = credentials::Entity::find().select_only().column(credentials::Column::UserId);
        with_password.extend(ids.into_tuple::<i64>().all(self.reader()).await?);
        Ok(rows.into_iter().map(|row| user(row, &with_password)).collect())
    }

    /// The owner of the server: the user it was transferred to, or else the first user.
    pub async fn owner(&self) -> Result<Option<UserId>> {
        owner(self.reader()).await
    }

    /// Finds a user by name, ignoring case.
    pub async fn find_user(&self, name: &str) -> Result<Option<User>> {
        Ok(self.list_users().await?.into_iter().find(|user| user.name.to_lowercase() == name.to_lowercase()))
    }

    /// # Errors
    /// `NotFound` if there is no such user.
    pub async fn user(&self, id: UserId) -> Result<User> {
        let row = users::Entity::find_by_id(id.get()).one(self.reader()).await?;
        let row = row.ok_or(Error::NotFound(RecordKind::User))?;
        let password = credentials::Entity::find_by_id(id.get()).one(self.reader()).await?;
        Ok(user(row, &password.iter().map(|row| row.user_id).collect()))
    }

    /// Sets a password and ends all sessions. API tokens stay valid.
    ///
    /// # Errors
    /// `BadPassword` if the length is wrong, `WeakPassword` if it is easy to guess.
    pub async fn set_password(&self, user: UserId, password: &SecretString, now: Instant) -> Result<()> {
        self.change_password(user, password, false, now).await.map(drop)
    }

    /// Sets a password and, if `revoke_tokens` is set, revokes all API tokens. Returns how many
    /// were revoked.
    ///
    /// # Errors
    /// `BadPassword` if the length is wrong, `WeakPassword` if it is easy to guess.
    pub async fn change_password(
        &self,
        user: UserId,
        password: &SecretString,
        revoke_tokens: bool,
        now: Instant,
    ) -> Result<u64> {
        let hash = self.hash_new_password(user, password).await?;
        let tx = self.begin_user_write(user).await?;
        put_password(&tx, hash, now).await?;
        let mut revoked = 0;
        if revoke_tokens {
            let ended = api_tokens::Entity::update_many()
                .col_expr(api_tokens::Column::RevokedAt, Expr::value(truncate_to_micros(now)))
                .filter(api_tokens::Column::UserId.eq(user.get()))
                .filter(api_tokens::Column::RevokedAt.is_null())
                .exec(tx.db())
                .await?;
            revoked = ended.rows_affected;
        }
        let object = match revoked {
            0 => format!("user:{user}"),
            revoked => format!("user:{user} revoking {revoked} tokens"),
        };
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::UserPasswd, object)).await?;
        Ok(revoked)
    }

    async fn hash_new_password(&self, user: UserId, password: &SecretString) -> Result<String> {
        check_password(&find_user_name(self.reader(), user).await?, password.expose_secret())?;
        hash_password(password.clone()).await
    }

    /// Takes equally long for a user without a password.
    pub async fn verify_password(&self, user: UserId, password: &SecretString) -> Result<bool> {
        let row = credentials::Entity::find_by_id(user.get()).one(self.reader()).await?;
        let known = row.is_some();
        let stored = match row {
            Some(row) => row.password_hash,
            None => DUMMY_HASH.get_or_try_init(|| hash_password("nobody's".to_owned().into())).await?.clone(),
        };
        let matches = password_matches(password.clone(), stored).await?;
        Ok(known && matches)
    }

    /// A secret that identifies browsers that have signed in to this account. It changes with the
    /// password and is `None` without one. It reveals nothing about the password: the hash it is
    /// derived from has a random salt.
    pub async fn find_device_secret(&self, user: UserId) -> Result<Option<String>> {
        let row = credentials::Entity::find_by_id(user.get()).one(self.reader()).await?;
        Ok(row.map(|row| secret::hash(&format!("device of user {user}: {}", row.password_hash))))
    }

    /// Creates an invite with which the user can set a password once, within [`INVITE_DAYS`].
    /// Earlier invites stop working.
    pub async fn create_invite(&self, user: UserId, now: Instant) -> Result<Token> {
        let token = Token::random();
        let tx = self.begin_user_write(user).await?;
        invites::Entity::delete_many()
            .filter(invites::Column::UserId.eq(user.get()))
            .filter(invites::Column::RedeemedAt.is_null())
            .exec(tx.db())
            .await?;
        let row = invites::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            token_hash: Set(token.hash()),
            made_at: Set(truncate_to_micros(now)),
            expires_at: Set(truncate_to_micros(now + TimeDelta::days(INVITE_DAYS))),
            redeemed_at: Set(None),
        };
        invites::Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::UserInvite, format!("user:{user}")))
            .await?;
        Ok(token)
    }

    /// The user of an invite that is still valid. Does not use it up.
    pub async fn find_invite(&self, code: &str, now: Instant) -> Result<Option<UserId>> {
        let find = invites::Entity::find().filter(invites::Column::TokenHash.eq(secret::hash(code.trim())));
        let row = find.one(self.reader()).await?;
        let usable = row.filter(|row| row.redeemed_at.is_none() && row.expires_at > now);
        Ok(usable.map(|row| UserId::new(row.user_id)))
    }

    /// Sets a password with an invite and uses the invite up.
    ///
    /// # Errors
    /// `NotConfirmed` if the invite is unknown, expired or already used; `BadPassword`;
    /// `WeakPassword`.
    pub async fn redeem_invite(&self, code: &str, password: &SecretString, now: Instant) -> Result<UserId> {
        let unusable = || Error::NotConfirmed("the invite is unknown, expired or already used");
        let find =
            || invites::Entity::find().filter(invites::Column::TokenHash.eq(secret::hash(code.trim())));
        let row = find().one(self.reader()).await?.ok_or_else(unusable)?;
        let user = UserId::new(row.user_id);
        let hash = self.hash_new_password(user, password).await?;
        let tx = self.begin_user_write(user).await?;
        // Read again under the user's write lock: another request may have redeemed it.
        let row = find().one(tx.db()).await?.ok_or_else(unusable)?;
        if row.redeemed_at.is_some() || row.expires_at <= now {
            return Err(unusable());
        }
        let spent = invites::ActiveModel {
            id: Set(row.id),
            redeemed_at: Set(Some(truncate_to_micros(now))),
            ..Default::default()
        };
        invites::Entity::update(spent).exec(tx.db()).await?;
        put_password(&tx, hash, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::UserRedeem, format!("user:{user}")))
            .await?;
        Ok(user)
    }

    /// Removes a user and all their data in one transaction, then rewrites the database files so
    /// that no deleted data is left in them. If rewriting fails now, the next start does it. The
    /// owner must name a new owner while there are other users.
    ///
    /// # Errors
    /// `NotConfirmed` if the consent is for something else; `NoNewOwner` if the owner names nobody
    /// or themselves; `NotFound` if the new owner does not exist.
    pub async fn remove_user(
        &self,
        consent: Consent,
        new_owner: Option<UserId>,
    ) -> Result<RemainingUserData> {
        let (user, now) = (consent.user(), consent.at());
        consent.require(HumanActionKind::DeleteUser, None)?;
        let (tx, _) = consent.record_human_action(None, None, serde_json::json!({})).await?;
        let leaving = users::Entity::find_by_id(user.get())
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::User))?;
        defer_foreign_keys(tx.db()).await?;
        transfer_ownership(&tx, new_owner, now).await?;
        users::Entity::delete_by_id(user.get()).exec(tx.db()).await?;
        let backend = tx.db().get_database_backend();
        for table in USER_TABLES {
            let sql = format!("DELETE FROM {table} WHERE user_id = $1");
            tx.db().execute_raw(Statement::from_sql_and_values(backend, sql, [user.get().into()])).await?;
        }
        if backend == DbBackend::Sqlite {
            // In the same transaction: after a crash, the next start sees that a vacuum is pending.
            tx.db().execute_unprepared(&format!("PRAGMA user_version = {VACUUM_PENDING}")).await?;
        }
        tx.commit_user_removal().await?;
        // No job refers to their uploads any more. The next start removes what cannot be removed
        // now.
        drop(self.remove_leftover_uploads(Instant::UNIX_EPOCH).await);
        let rewritten = match backend {
            DbBackend::Postgres => self.vacuum().await,
            _ => self.finish_pending_vacuum().await,
        };
        Ok(RemainingUserData {
            vacuum_pending: rewritten.is_err(),
            backup_references: self.list_backup_references(&leaving).await?,
        })
    }

    /// Whether the database files may still contain deleted data of a removed user, because a
    /// vacuum did not finish.
    pub async fn is_vacuum_pending(&self) -> Result<bool> {
        if self.backend() == DbBackend::Postgres {
            return Ok(false);
        }
        let row = self.reader().query_one_raw(self.sql("PRAGMA user_version")).await?;
        Ok(row.map(|row| row.try_get_by_index::<i64>(0)).transpose()? == Some(VACUUM_PENDING))
    }

    /// Runs a vacuum that is still pending after a user was removed.
    ///
    /// # Errors
    /// If others hold the files open or the disk is full. The vacuum is then still pending.
    pub async fn finish_pending_vacuum(&self) -> Result<()> {
        if !self.is_vacuum_pending().await? {
            return Ok(());
        }
        self.vacuum().await?;
        self.writer().execute_unprepared("PRAGMA user_version = 0").await?;
        Ok(())
    }

    /// Rewrites the database so that deleted data is neither in free pages nor in the write-ahead
    /// log. PostgreSQL's own WAL is up to the operator of the server.
    async fn vacuum(&self) -> Result<()> {
        if self.backend() == DbBackend::Postgres {
            for table in USER_TABLES.iter().chain(&["users"]) {
                self.writer().execute_unprepared(&format!("VACUUM {table}")).await?;
            }
            return Ok(());
        }
        self.writer().execute_unprepared("VACUUM").await?;
        // Readers block the checkpoint only briefly. Each attempt waits up to the busy timeout.
        for _ in 0..CHECKPOINT_ATTEMPTS {
            let sql = self.sql("PRAGMA wal_checkpoint(TRUNCATE)");
            let row = self.writer().query_one_raw(sql).await?;
            if row.and_then(|row| row.try_get_by_index::<i64>(0).ok()) == Some(0) {
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        Err(Error::Busy)
    }
}

#[derive(Debug)]
pub struct RemainingUserData {
    /// Backups that still contain the user's data.
    pub backup_references: Vec<BackupReference>,
    /// Whether free pages may still contain some of it; the next start rewrites them.
    pub vacuum_pending: bool,
}

/// Attempts to truncate the write-ahead log before leaving it to the next start.
const CHECKPOINT_ATTEMPTS: usize = 2;
/// `user_version` of a SQLite file with a pending vacuum; 0 otherwise.
const VACUUM_PENDING: i64 = 1;

/// Every table with rows of a user. Plans come first: a trigger allows deleting their rows only
/// after the plan.
pub(crate) const USER_TABLES: &[&str] = &[
    "training_plans",
    "planned_workouts",
    "workouts",
    "plan_revisions",
    "workout_matches",
    "proposals",
    "human_actions",
    "confirmations",
    "audit_log",
    "brief_facts",
    "briefs",
    "spendings",
    "chat_messages",
    "chats",
    "daily_metrics",
    "activity_metrics",
    "derivations",
    "races",
    "finished_imports",
    "estimates",
    "day_reports",
    "activity_details",
    "activity_reports",
    "originals",
    "observations",
    "notes",
    "laps",
    "activity_gear",
    "gear_defaults",
    "gear",
    "record_streams",
    "streams",
    "activities",
    "daily_wellness",
    "sync_runs",
    "source_secrets",
    "sources",
    "jobs",
    "settings",
    "zones",
    "thresholds",
    "profiles",
    "api_tokens",
    "sessions",
    "session_codes",
    "ownerships",
    "sign_ins",
    "calendar_feeds",
    "invites",
    "credentials",
];

pub(crate) async fn find_user_name(db: &impl ConnectionTrait, user: UserId) -> Result<String> {
    let row = users::Entity::find_by_id(user.get()).one(db).await?;
    Ok(row.ok_or(Error::NotFound(RecordKind::User))?.name)
}

fn user(row: users::Model, with_password: &HashSet<i64>) -> User {
    User {
        id: UserId::new(row.id),
        name: row.name,
        created_at: row.created_at,
        has_password: with_password.contains(&row.id),
    }
}

/// Sets a password and invalidates every other way in: invites, login links and all sessions.
async fn put_password(tx: &Tx, password_hash: String, now: Instant) -> Result<()> {
    invites::Entity::delete_many()
        .filter(invites::Column::UserId.eq(tx.user().get()))
        .filter(invites::Column::RedeemedAt.is_null())
        .exec(tx.db())
        .await?;
    sign_ins::Entity::delete_many()
        .filter(sign_ins::Column::UserId.eq(tx.user().get()))
        .exec(tx.db())
        .await?;
    session_codes::Entity::delete_by_id(tx.user().get()).exec(tx.db()).await?;
    sessions::Entity::delete_many()
        .filter(sessions::Column::UserId.eq(tx.user().get()))
        .exec(tx.db())
        .await?;
    let row = credentials::ActiveModel {
        user_id: Set(tx.user().get()),
        password_hash: Set(password_hash),
        changed_at: Set(truncate_to_micros(now)),
    };
    let replace = OnConflict::column(credentials::Column::UserId)
        .update_columns([credentials::Column::PasswordHash, credentials::Column::ChangedAt])
        .to_owned();
    credentials::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    Ok(())
}

async fn owner(db: &impl ConnectionTrait) -> Result<Option<UserId>> {
    let handed_over = ownerships::Entity::find()
        .order_by_desc(ownerships::Column::Since)
        .order_by_asc(ownerships::Column::UserId)
        .one(db)
        .await?;
    if let Some(row) = handed_over {
        return Ok(Some(UserId::new(row.user_id)));
    }
    let first = users::Entity::find().order_by_asc(users::Column::Id).one(db).await?;
    Ok(first.map(|row| UserId::new(row.id)))
}

/// Transfers ownership if the user being removed is the owner.
async fn transfer_ownership(tx: &Tx, new_owner: Option<UserId>, now: Instant) -> Result<()> {
    let others = users::Entity::find().filter(users::Column::Id.ne(tx.user().get())).count(tx.db()).await?;
    if others == 0 || owner(tx.db()).await? != Some(tx.user()) {
        return Ok(());
    }
    let next = new_owner.filter(|next| *next != tx.user()).ok_or(Error::NoNewOwner)?;
    // Lock the new owner too, because an entry is added to their audit log.
    let mut query = users::Entity::find_by_id(next.get());
    if tx.db().get_database_backend() == DbBackend::Postgres {
        query = query.lock_exclusive();
    }
    query.one(tx.db()).await?.ok_or(Error::NotFound(RecordKind::User))?;
    let row = ownerships::ActiveModel { user_id: Set(next.get()), since: Set(truncate_to_micros(now)) };
    let replace =
        OnConflict::column(ownerships::Column::UserId).update_column(ownerships::Column::Since).to_owned();
    ownerships::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::OwnerTakeOver, format!("user:{next}"));
    audit::append(tx.db(), next, entry).await
}

/// Compares a password or code with its hash.
pub(crate) async fn password_matches(password: SecretString, stored: String) -> Result<bool> {
    with_hash_permit(move || {
        let parsed = PasswordHash::new(&stored).map_err(|e| Error::Unreadable(e.to_string()))?;
        Ok(Argon2::default().verify_password(password.expose_secret().as_bytes(), &parsed).is_ok())
    })
    .await
}

pub(crate) async fn hash_password(password: SecretString) -> Result<String> {
    // Argon2id with 19 MiB, two passes, one lane: the OWASP minimum and the crate's default.
    with_hash_permit(move || {
        let hash = Argon2::default().hash_password(password.expose_secret().as_bytes());
        hash.map(|hash| hash.to_string()).map_err(|e| Error::Unreadable(e.to_string()))
    })
    .await
}

async fn with_hash_permit<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let _turn = HASH_PERMITS.acquire().await.expect("the semaphore is never closed");
    tokio::task::spawn_blocking(work).await.expect("hashing does not panic")
}
