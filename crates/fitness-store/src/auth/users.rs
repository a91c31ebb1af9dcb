//! Users: added once, never edited, gone only whole.

use crate::auth::passwords::check_password;
use crate::auth::secret::{self, Token};
use crate::backup::user_references::BackupReference;
use crate::db::audit::{self, Actor, NewAuditEntry};
use crate::db::entities::{
    api_tokens, credentials, invites, ownerships, session_codes, sessions, sign_ins, users,
};
use crate::db::error::{Error, Result, is_unique_violation};
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
use fitness_core::plan::ActionKind;
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

/// How long an invite can be redeemed.
pub const INVITE_DAYS: i64 = 7;

/// Hashing a password takes memory and a core; no more than this many at once.
static HASH_PERMITS: Semaphore = Semaphore::const_new(2);

/// What a password is compared with when the user has none, so that it takes as long.
static DUMMY_HASH: OnceCell<String> = OnceCell::const_new();

/// An athlete with an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct User {
    /// The id every query takes.
    pub id: UserId,
    /// What they are called.
    pub name: String,
    /// When they were added.
    pub created_at: Instant,
    /// Whether a password is set.
    pub has_password: bool,
}

/// Whether somebody can be called that: 1 to 64 visible characters and no slash.
#[must_use]
pub fn is_valid_user_name(name: &str) -> bool {
    (1..=64).contains(&name.chars().count())
        && name.trim() == name
        && !name.contains('/')
        && escape_invisible(name).to_string() == name
}

impl Store {
    /// Adds a user with a profile and without a password.
    ///
    /// # Errors
    /// `BadName`, or `NameTaken` when somebody has it in any mix of capitals.
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
        let entry = NewAuditEntry::new(now, Actor::Human, "user.add", format!("user:{user}"));
        let tx = Tx::for_new_user(db, user);
        profile::put(&tx, profile).await?;
        tx.commit(entry).await?;
        Ok(User { id: user, name: row.name, created_at: row.created_at, has_password: false })
    }

    /// Everybody, by name.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_users(&self) -> Result<Vec<User>> {
        let rows = users::Entity::find().order_by_asc(users::Column::NameKey).all(self.reader()).await?;
        let mut with_password: HashSet<i64> = HashSet::new();
        let ids = credentials::Entity::find().select_only().column(credentials::Column::UserId);
        with_password.extend(ids.into_tuple::<i64>().all(self.reader()).await?);
        Ok(rows.into_iter().map(|row| user(row, &with_password)).collect())
    }

    /// Who runs this server: the user it was handed over to, or else the first one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn owner(&self) -> Result<Option<UserId>> {
        owner(self.reader()).await
    }

    /// Who has this name, in any mix of capitals.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_user(&self, name: &str) -> Result<Option<User>> {
        Ok(self.list_users().await?.into_iter().find(|user| user.name.to_lowercase() == name.to_lowercase()))
    }

    /// Who has this id.
    ///
    /// # Errors
    /// `NotFound` when nobody has.
    pub async fn user(&self, id: UserId) -> Result<User> {
        let row = users::Entity::find_by_id(id.get()).one(self.reader()).await?;
        let row = row.ok_or(Error::NotFound("user"))?;
        let password = credentials::Entity::find_by_id(id.get()).one(self.reader()).await?;
        Ok(user(row, &password.iter().map(|row| row.user_id).collect()))
    }

    /// Sets or changes a password. Every session ends; API tokens stay.
    ///
    /// # Errors
    /// `BadPassword` when it is too short or endless, `WeakPassword` when it is easily guessed.
    pub async fn set_password(&self, user: UserId, password: &SecretString, now: Instant) -> Result<()> {
        self.change_password(user, password, false, now).await.map(drop)
    }

    /// Sets or changes a password, and revokes every API token when that is wanted. Says how many were revoked.
    ///
    /// # Errors
    /// `BadPassword` when it is too short or endless, `WeakPassword` when it is easily guessed.
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
        tx.commit(NewAuditEntry::new(now, Actor::Human, "user.passwd", object)).await?;
        Ok(revoked)
    }

    async fn hash_new_password(&self, user: UserId, password: &SecretString) -> Result<String> {
        check_password(&find_user_name(self.reader(), user).await?, password.expose_secret())?;
        hash_password(password.clone()).await
    }

    /// Whether this is the user's password. Takes as long for a user without one.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// A secret by which a browser is known again that has signed in to this account; another one after the password was
    /// changed, and `None` without a password. It says nothing about the password: the hash it is made of has a random salt.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_device_secret(&self, user: UserId) -> Result<Option<String>> {
        let row = credentials::Entity::find_by_id(user.get()).one(self.reader()).await?;
        Ok(row.map(|row| secret::hash(&format!("device of user {user}: {}", row.password_hash))))
    }

    /// Makes a code with which the user can set a password once, within [`INVITE_DAYS`]. Earlier codes stop
    /// working.
    ///
    /// # Errors
    /// When there is no such user.
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
        tx.commit(NewAuditEntry::new(now, Actor::Human, "user.invite", format!("user:{user}"))).await?;
        Ok(token)
    }

    /// Whom an invite is for, when it can still be redeemed. Looking does not use it up.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_invite(&self, code: &str, now: Instant) -> Result<Option<UserId>> {
        let find = invites::Entity::find().filter(invites::Column::TokenHash.eq(secret::hash(code.trim())));
        let row = find.one(self.reader()).await?;
        let usable = row.filter(|row| row.redeemed_at.is_none() && row.expires_at > now);
        Ok(usable.map(|row| UserId::new(row.user_id)))
    }

    /// Sets a password with an invite, which is used up.
    ///
    /// # Errors
    /// `NotConfirmed` when the code is unknown, used or too old; `BadPassword`; `WeakPassword`.
    pub async fn redeem_invite(&self, code: &str, password: &SecretString, now: Instant) -> Result<UserId> {
        let unusable = || Error::NotConfirmed("the invite is unknown, used or too old");
        let find =
            || invites::Entity::find().filter(invites::Column::TokenHash.eq(secret::hash(code.trim())));
        let row = find().one(self.reader()).await?.ok_or_else(unusable)?;
        let user = UserId::new(row.user_id);
        let hash = self.hash_new_password(user, password).await?;
        let tx = self.begin_user_write(user).await?;
        // Again, now that nobody else can be redeeming it.
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
        tx.commit(NewAuditEntry::new(now, Actor::Human, "user.redeem", format!("user:{user}"))).await?;
        Ok(user)
    }

    /// Removes a user with everything that is theirs: whole, or not at all, and out of the files of the database too. What
    /// keeps the files from being rewritten now does not keep the next start from it. The owner of the server names who
    /// owns it from now on, while there is anybody else.
    ///
    /// # Errors
    /// `NotConfirmed` when the consent is about something else; `NoNewOwner` when the owner names nobody, or themselves;
    /// `NotFound` when there is no such new owner.
    pub async fn remove_user(&self, consent: Consent, new_owner: Option<UserId>) -> Result<UserRemoval> {
        let (user, now) = (consent.user(), consent.at());
        consent.require(ActionKind::DeleteUser, None)?;
        let (tx, _) = consent.record_human_action(None, None, serde_json::json!({})).await?;
        let leaving =
            users::Entity::find_by_id(user.get()).one(tx.db()).await?.ok_or(Error::NotFound("user"))?;
        defer_foreign_keys(tx.db()).await?;
        transfer_ownership(&tx, new_owner, now).await?;
        users::Entity::delete_by_id(user.get()).exec(tx.db()).await?;
        let backend = tx.db().get_database_backend();
        for table in USER_TABLES {
            let sql = format!("DELETE FROM {table} WHERE user_id = $1");
            tx.db().execute_raw(Statement::from_sql_and_values(backend, sql, [user.get().into()])).await?;
        }
        if backend == DbBackend::Sqlite {
            // With the rows themselves: whoever opens the database after a crash knows what is left to do.
            tx.db().execute_unprepared(&format!("PRAGMA user_version = {VACUUM_PENDING}")).await?;
        }
        tx.commit_user_removal().await?;
        // Their uploads are named by no job any more. What cannot be removed now is removed by the next start.
        drop(self.remove_leftover_uploads(Instant::UNIX_EPOCH).await);
        let rewritten = match backend {
            DbBackend::Postgres => self.vacuum().await,
            _ => self.finish_pending_vacuum().await,
        };
        Ok(UserRemoval {
            vacuum_pending: rewritten.is_err(),
            backup_references: self.list_backup_references(&leaving).await?,
        })
    }

    /// Whether the files of the database may still hold what was removed with a user: rewriting them did not end.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn is_vacuum_pending(&self) -> Result<bool> {
        if self.backend() == DbBackend::Postgres {
            return Ok(false);
        }
        let row = self.reader().query_one_raw(self.sql("PRAGMA user_version")).await?;
        Ok(row.map(|row| row.try_get_by_index::<i64>(0)).transpose()? == Some(VACUUM_PENDING))
    }

    /// Rewrites the files of the database where a removal did not come to that.
    ///
    /// # Errors
    /// When others hold on to the files, or there is no room. Then it is still pending.
    pub async fn finish_pending_vacuum(&self) -> Result<()> {
        if !self.is_vacuum_pending().await? {
            return Ok(());
        }
        self.vacuum().await?;
        self.writer().execute_unprepared("PRAGMA user_version = 0").await?;
        Ok(())
    }

    /// Rewrites the database, so that what was removed is in none of its files: neither in pages that are free now nor in
    /// the write-ahead log. A PostgreSQL server keeps a log of its own, which is its owner's.
    async fn vacuum(&self) -> Result<()> {
        if self.backend() == DbBackend::Postgres {
            for table in USER_TABLES.iter().chain(&["users"]) {
                self.writer().execute_unprepared(&format!("VACUUM {table}")).await?;
            }
            return Ok(());
        }
        self.writer().execute_unprepared("VACUUM").await?;
        // Whoever reads just now holds on to the log; soon nobody does. Each try waits as long as any write would.
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

/// What came of removing a user.
#[derive(Debug)]
pub struct UserRemoval {
    /// The backups that still hold their data.
    pub backup_references: Vec<BackupReference>,
    /// Whether free pages of the database may still hold some of it: the next start rewrites them.
    pub vacuum_pending: bool,
}

/// How often is tried to empty the write-ahead log before that is left to the next start.
const CHECKPOINT_ATTEMPTS: usize = 2;
/// The `user_version` of a SQLite file whose free pages may hold what was removed; 0 otherwise.
const VACUUM_PENDING: i64 = 1;

/// Every table with rows of a user. Plans first: what belongs to a plan goes only after it.
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

/// What a user is called, as of some moment.
pub(crate) async fn find_user_name(db: &impl ConnectionTrait, user: UserId) -> Result<String> {
    let row = users::Entity::find_by_id(user.get()).one(db).await?;
    Ok(row.ok_or(Error::NotFound("user"))?.name)
}

fn user(row: users::Model, with_password: &HashSet<i64>) -> User {
    User {
        id: UserId::new(row.id),
        name: row.name,
        created_at: row.created_at,
        has_password: with_password.contains(&row.id),
    }
}

/// Sets a password. Whatever let somebody in without it ends: other invites, links, and every session.
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

/// Who runs this server, as of some moment.
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

/// Hands the server over when the user who leaves owns it.
async fn transfer_ownership(tx: &Tx, new_owner: Option<UserId>, now: Instant) -> Result<()> {
    let others = users::Entity::find().filter(users::Column::Id.ne(tx.user().get())).count(tx.db()).await?;
    if others == 0 || owner(tx.db()).await? != Some(tx.user()) {
        return Ok(());
    }
    let next = new_owner.filter(|next| *next != tx.user()).ok_or(Error::NoNewOwner)?;
    // Their log is written to, so their other writes wait.
    let mut query = users::Entity::find_by_id(next.get());
    if tx.db().get_database_backend() == DbBackend::Postgres {
        query = query.lock_exclusive();
    }
    query.one(tx.db()).await?.ok_or(Error::NotFound("user"))?;
    let row = ownerships::ActiveModel { user_id: Set(next.get()), since: Set(truncate_to_micros(now)) };
    let replace =
        OnConflict::column(ownerships::Column::UserId).update_column(ownerships::Column::Since).to_owned();
    ownerships::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    let entry = NewAuditEntry::new(now, Actor::Human, "owner.take_over", format!("user:{next}"));
    audit::append(tx.db(), next, entry).await
}

/// Whether a password or a code is the one that was hashed.
pub(crate) async fn password_matches(password: SecretString, stored: String) -> Result<bool> {
    with_hash_permit(move || {
        let parsed = PasswordHash::new(&stored).map_err(|e| Error::Unreadable(e.to_string()))?;
        Ok(Argon2::default().verify_password(password.expose_secret().as_bytes(), &parsed).is_ok())
    })
    .await
}

pub(crate) async fn hash_password(password: SecretString) -> Result<String> {
    // Argon2id with 19 MiB, two passes, one lane: the OWASP minimum, and the crate's default.
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
