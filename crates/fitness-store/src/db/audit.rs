//! The audit log: every state change, append-only, chained by hash.
//!
//! The chain shows tampering after the fact; it does not stop the owner of the file. Entries carry
//! hashes and ids, never note text, coordinates, tokens or passwords.

use crate::db::convert::parse_text;
use crate::db::entities::audit_log::{ActiveModel, Column, Entity, Model};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use crate::import::sync_runs::SyncRunKind;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::ObservationKind;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;

fitness_core::string_enum! {
    pub enum Actor("actor") {
        /// A person, on the web or at the terminal.
        Human = "human",
        Coach = "coach",
        /// A program connected over MCP.
        Mcp = "mcp",
        /// local-fitness itself: an import, a scheduled job.
        System = "system",
    }
}

fitness_core::string_enum! {
    pub enum AuditAction("audit action") {
        ActivityDelete = "activity.delete",
        ActivityEdit = "activity.edit",
        ActivityReset = "activity.reset",
        ActivityRestore = "activity.restore",
        BriefPut = "brief.put",
        CalendarClose = "calendar.close",
        CalendarOpen = "calendar.open",
        ChatSay = "chat.say",
        ChatStart = "chat.start",
        DerivedDrop = "derived.drop",
        ImportTake = "import.take",
        JobEnqueue = "job.enqueue",
        JobFail = "job.fail",
        JobFinish = "job.finish",
        JobRetry = "job.retry",
        MatchAccept = "match.accept",
        MatchDecline = "match.decline",
        MatchPut = "match.put",
        MatchRemove = "match.remove",
        ModelAsk = "model.ask",
        NoteAccept = "note.accept",
        NoteAdd = "note.add",
        NoteDelete = "note.delete",
        NoteEdit = "note.edit",
        ObservationAccept = "observation.accept",
        ObservationAdd = "observation.add",
        ObservationDelete = "observation.delete",
        OwnerTakeOver = "owner.take_over",
        PlanActivate = "plan.activate",
        PlanApply = "plan.apply",
        PlanArchive = "plan.archive",
        PlanDelete = "plan.delete",
        PlanDraft = "plan.draft",
        PlanEdit = "plan.edit",
        PlanRevert = "plan.revert",
        ProfilePut = "profile.put",
        ProposalDecline = "proposal.decline",
        ProposalMake = "proposal.make",
        RaceDecline = "race.decline",
        RacePut = "race.put",
        RaceRemove = "race.remove",
        SessionConfirm = "session.confirm",
        SessionEnd = "session.end",
        SessionEndAll = "session.end_all",
        SessionOpen = "session.open",
        SessionCodeOffer = "session_code.offer",
        SettingPut = "setting.put",
        SignInOffer = "sign_in.offer",
        SourceAdd = "source.add",
        SourceKey = "source.key",
        SourceRemove = "source.remove",
        SyncFinish = "sync.finish",
        ThresholdPut = "threshold.put",
        ThresholdRemove = "threshold.remove",
        TokenMint = "token.mint",
        TokenRevoke = "token.revoke",
        TokenUse = "token.use",
        UserAdd = "user.add",
        UserInvite = "user.invite",
        UserPasswd = "user.passwd",
        UserRedeem = "user.redeem",
        ZonesPut = "zones.put",
        ZonesRemove = "zones.remove",
    }
}

impl AuditAction {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::ActivityDelete => "Activity deleted",
            Self::ActivityEdit => "Activity edited",
            Self::ActivityReset => "Activity edits undone",
            Self::ActivityRestore => "Activity restored",
            Self::BriefPut => "Brief written",
            Self::CalendarClose => "Calendar link disabled",
            Self::CalendarOpen => "Calendar link created",
            Self::ChatSay => "Chat message",
            Self::ChatStart => "Chat started",
            Self::DerivedDrop => "Metrics recomputed",
            Self::ImportTake => "Data imported",
            Self::JobEnqueue => "Background job queued",
            Self::JobFail => "Background job failed",
            Self::JobFinish => "Background job finished",
            Self::JobRetry => "Background job retried",
            Self::MatchAccept => "Match confirmed",
            Self::MatchDecline => "Match declined",
            Self::MatchPut => "Activity matched to a workout",
            Self::MatchRemove => "Match removed",
            Self::ModelAsk => "Language model asked",
            Self::NoteAccept => "Suggested note accepted",
            Self::NoteAdd => "Note added",
            Self::NoteDelete => "Note deleted",
            Self::NoteEdit => "Note edited",
            Self::ObservationAccept => "Suggested entry accepted",
            Self::ObservationAdd => "Check-in, absence or effort rating added",
            Self::ObservationDelete => "Check-in, absence or effort rating deleted",
            Self::OwnerTakeOver => "Server ownership transferred",
            Self::PlanActivate => "Plan made active",
            Self::PlanApply => "Proposal applied",
            Self::PlanArchive => "Plan archived",
            Self::PlanDelete => "Plan deleted",
            Self::PlanDraft => "Plan drafted",
            Self::PlanEdit => "Plan edited",
            Self::PlanRevert => "Plan reverted",
            Self::ProfilePut => "Profile changed",
            Self::ProposalDecline => "Proposal discarded",
            Self::ProposalMake => "Change proposed",
            Self::RaceDecline => "Race suggestion declined",
            Self::RacePut => "Race result saved",
            Self::RaceRemove => "Race result removed",
            Self::SessionConfirm => "Confirmed your identity",
            Self::SessionEnd => "Browser signed out",
            Self::SessionEndAll => "All browsers signed out",
            Self::SessionOpen => "Signed in",
            Self::SessionCodeOffer => "Confirmation code created",
            Self::SettingPut => "Setting changed",
            Self::SignInOffer => "Sign-in link created",
            Self::SourceAdd => "Service connected",
            Self::SourceKey => "Service key replaced",
            Self::SourceRemove => "Service removed",
            Self::SyncFinish => "Import or sync finished",
            Self::ThresholdPut => "Threshold changed",
            Self::ThresholdRemove => "Threshold removed",
            Self::TokenMint => "API token created",
            Self::TokenRevoke => "API token revoked",
            Self::TokenUse => "API token used",
            Self::UserAdd => "Account created",
            Self::UserInvite => "Invite created",
            Self::UserPasswd => "Password changed",
            Self::UserRedeem => "Invite used",
            Self::ZonesPut => "Zones changed",
            Self::ZonesRemove => "Zones removed",
        }
    }
}

const fn observation_label(kind: ObservationKind) -> &'static str {
    match kind {
        ObservationKind::Rpe => "Effort rating",
        ObservationKind::Soreness | ObservationKind::Mood => "Check-in",
        ObservationKind::Illness | ObservationKind::Injury | ObservationKind::Away => "Absence",
    }
}

impl Actor {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Human => "You",
            Self::Coach => "Coach",
            Self::Mcp => "Connected app",
            Self::System => "local-fitness",
        }
    }
}

impl From<Author> for Actor {
    fn from(author: Author) -> Self {
        match author {
            Author::Athlete => Self::Human,
            Author::Coach => Self::Coach,
            Author::Mcp => Self::Mcp,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct NewAuditEntry {
    pub(crate) at: Instant,
    pub(crate) actor: Actor,
    pub(crate) action: AuditAction,
    pub(crate) object: String,
    pub(crate) before: Option<ContentHash>,
    pub(crate) after: Option<ContentHash>,
}

impl NewAuditEntry {
    pub(crate) fn new(at: Instant, actor: Actor, action: AuditAction, object: impl Into<String>) -> Self {
        Self { at, actor, action, object: object.into(), before: None, after: None }
    }

    pub(crate) fn change(mut self, before: Option<ContentHash>, after: Option<ContentHash>) -> Self {
        self.before = before;
        self.after = after;
        self
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditEntry {
    /// Sequence number per user, from 1.
    pub seq: i64,
    pub at: Instant,
    pub actor: Actor,
    pub action: String,
    pub object: String,
    /// Hash of the state before; `None` if there was none.
    pub before: Option<String>,
    /// Hash of the state after; `None` if there is none.
    pub after: Option<String>,
    /// Hash of this entry, which covers the previous hash.
    pub hash: String,
}

impl AuditEntry {
    /// What was done, in words. An action that this version does not know is shown as it is stored.
    #[must_use]
    pub fn label(&self) -> String {
        let Ok(action) = self.action.parse::<AuditAction>() else { return self.action.clone() };
        let observed = self.kind().and_then(|kind| kind.parse().ok()).map(observation_label);
        let run = self.kind().and_then(|kind| kind.parse().ok());
        match (action, observed, run) {
            (AuditAction::ObservationAdd, Some(what), _) => format!("{what} added"),
            (AuditAction::ObservationAccept, Some(what), _) => {
                format!("Suggested {} accepted", what.to_lowercase())
            }
            (AuditAction::ObservationDelete, Some(what), _) => format!("{what} deleted"),
            (AuditAction::SyncFinish, _, Some(SyncRunKind::Live)) => "Sync finished".to_owned(),
            (AuditAction::SyncFinish, _, Some(SyncRunKind::File | SyncRunKind::Export)) => {
                "Import finished".to_owned()
            }
            (AuditAction::SyncFinish, _, Some(SyncRunKind::Declared)) => "Day marked complete".to_owned(),
            _ => action.label().to_owned(),
        }
    }

    /// The `kind:` of the object; entries of earlier versions have none.
    fn kind(&self) -> Option<&str> {
        self.object.split(' ').find_map(|part| part.strip_prefix("kind:"))
    }
}

/// Head of a user's chain. With a copy of it, later changes to earlier entries can be detected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditHead {
    pub seq: i64,
    /// Hash of the last entry; empty if there is none.
    pub hash: String,
}

pub(crate) async fn append(db: &impl ConnectionTrait, user: UserId, entry: NewAuditEntry) -> Result<()> {
    let head = head(db, user).await?;
    let mut row = Model {
        id: 0,
        user_id: user.get(),
        seq: head.seq + 1,
        at: truncate_to_micros(entry.at),
        actor: entry.actor.as_str().to_owned(),
        action: entry.action.as_str().to_owned(),
        object: entry.object,
        before_hash: entry.before.map(|hash| hash.to_string()),
        after_hash: entry.after.map(|hash| hash.to_string()),
        prev_hash: head.hash,
        hash: String::new(),
    };
    row.hash = chain_hash(&row);
    let row = ActiveModel {
        id: sea_orm::ActiveValue::NotSet,
        user_id: Set(row.user_id),
        seq: Set(row.seq),
        at: Set(row.at),
        actor: Set(row.actor),
        action: Set(row.action),
        object: Set(row.object),
        before_hash: Set(row.before_hash),
        after_hash: Set(row.after_hash),
        prev_hash: Set(row.prev_hash),
        hash: Set(row.hash),
    };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

pub(crate) async fn head(db: &impl ConnectionTrait, user: UserId) -> Result<AuditHead> {
    let last =
        Entity::find().filter(Column::UserId.eq(user.get())).order_by_desc(Column::Seq).one(db).await?;
    Ok(last
        .map_or(AuditHead { seq: 0, hash: String::new() }, |row| AuditHead { seq: row.seq, hash: row.hash }))
}

/// A timestamp in the form that is hashed.
pub(crate) fn chain_time(at: Instant) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}

/// Covers every column except the row id and, through `prev_hash`, all earlier entries.
fn chain_hash(row: &Model) -> String {
    ContentHash::hash_json(&(
        &row.prev_hash,
        row.user_id,
        row.seq,
        chain_time(row.at),
        &row.actor,
        &row.action,
        &row.object,
        &row.before_hash,
        &row.after_hash,
    ))
    .to_string()
}

impl Store {
    /// A user's newest audit entries, newest first.
    pub async fn list_audit(&self, user: UserId, limit: u64) -> Result<Vec<AuditEntry>> {
        self.list_audit_before(user, None, limit).await
    }

    /// The entries before entry number `before`, newest first; without it the newest.
    pub async fn list_audit_before(
        &self,
        user: UserId,
        before: Option<i64>,
        limit: u64,
    ) -> Result<Vec<AuditEntry>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Seq.lt(before.unwrap_or(i64::MAX)))
            .order_by_desc(Column::Seq)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter().map(audit_entry).collect()
    }

    pub async fn audit_head(&self, user: UserId) -> Result<AuditHead> {
        head(self.reader(), user).await
    }

    /// Verifies a user's whole chain. Returns the number of the first broken entry.
    pub async fn first_broken_audit_entry(&self, user: UserId) -> Result<Option<i64>> {
        first_broken(self.reader(), user).await
    }
}

/// A user's whole log, oldest first.
pub(crate) async fn list_all(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<Model>> {
    Ok(Entity::find().filter(Column::UserId.eq(user.get())).order_by_asc(Column::Seq).all(db).await?)
}

/// Number of the first entry whose hash does not match.
pub(crate) async fn first_broken(db: &impl ConnectionTrait, user: UserId) -> Result<Option<i64>> {
    Ok(first_broken_in(&list_all(db, user).await?))
}

pub(crate) fn first_broken_in(log: &[Model]) -> Option<i64> {
    let mut previous = "";
    for (expected, row) in (1..).zip(log) {
        if row.seq != expected || row.prev_hash != previous || is_altered(row) {
            return Some(expected);
        }
        previous = &row.hash;
    }
    None
}

/// Whether an entry no longer matches its hash.
pub(crate) fn is_altered(row: &Model) -> bool {
    row.hash != chain_hash(row)
}

fn audit_entry(row: Model) -> Result<AuditEntry> {
    Ok(AuditEntry {
        seq: row.seq,
        at: row.at,
        actor: parse_text(&row.actor)?,
        action: row.action,
        object: row.object,
        before: row.before_hash,
        after: row.after_hash,
        hash: row.hash,
    })
}
