//! Deterministic test data: users, plans, runs and confirmations.

use super::TestDb;
use crate::db::compress::{pack_json, unpack_json};
use crate::db::entities::{activities, activity_reports, derivations};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::Store;
use crate::import::batch::ImportBatch;
use crate::import::sync_runs::{FinishedFiles, SyncRunKind, SyncRunOutcome, SyncRunState};
use crate::plan::consent::{Channel, ConfirmationKey, ConfirmationRequest, Consent};
use crate::plan::human_actions::{self, Activation, ActivationRequest};
use crate::plan::lint_review::LintReview;
use crate::plan::plans::plan_state_hash;
use crate::training::source_records::{PackedRecord, UpsertedRecord};
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::source_record::{
    ActivitySummary, ParsedActivity, RecordKey, SourceKind, SourceRecord,
};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{self, Draft, GoalDistance, HumanActionKind, Workout, WorkoutKind};
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use std::collections::BTreeSet;

/// Default time of tests: Sunday 14 June 2026, 08:00 UTC.
#[must_use]
pub fn now() -> Instant {
    "2026-06-14T08:00:00Z".parse().expect("this is a time")
}

/// `14` is 14 June 2026, a Sunday.
///
/// # Panics
/// If there is no such day in June.
#[must_use]
pub fn june(day: u32) -> Day {
    Day::new(2026, 6, day).expect("a day in June")
}

/// # Panics
/// If the distance is not valid.
#[must_use]
pub fn easy_run(date: Day, km: f64) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: "Easy run".to_owned(),
        distance: Some(Distance::from_km(km).expect("a distance")),
        duration: Some(TimeSpan::from_mins(50)),
        load: Some(48.5),
        ..Workout::rest(date)
    }
}

/// A half-marathon draft from Monday 8 June: runs on the 9th, 11th and 14th, a rest day on the
/// 10th.
#[must_use]
pub fn draft(name: &str) -> Draft {
    let workouts = vec![
        easy_run(june(9), 8.0),
        Workout::rest(june(10)),
        easy_run(june(11), 10.0),
        easy_run(june(14), 16.0),
    ];
    let race = Day::new(2026, 9, 20).expect("a day");
    Draft::new(name, GoalDistance::Half, None, june(8), race, Some(TimeSpan::from_secs(6300)), workouts)
        .expect("a sound draft")
}

/// All linter rules: the plans of these tests are too short to pass.
#[must_use]
pub fn all_rules() -> BTreeSet<LintRule> {
    LintRule::ALL.iter().copied().collect()
}

/// A request to activate a draft on its first day with all rules overridden.
#[must_use]
pub fn activation_request(plan: PlanId, replaces: Option<PlanId>) -> ActivationRequest {
    ActivationRequest { plan, replaces, begin: None, overrides: all_rules() }
}

/// Activates a draft with all rules overridden, through any store.
pub async fn activate(
    store: &Store,
    consent: Consent,
    plan: PlanId,
    replaces: Option<PlanId>,
) -> Result<Activation> {
    let review = store.lint_plan(consent.user(), plan, june(8)).await.unwrap_or_else(|_| LintReview::empty());
    human_actions::activate(consent, &activation_request(plan, replaces), &review).await
}

/// Applies changes of a proposal with all rules overridden, through any store.
pub async fn apply(
    store: &Store,
    consent: Consent,
    proposal: ProposalId,
    chosen: &BTreeSet<usize>,
) -> Result<i64> {
    let (user, today) = (consent.user(), june(8));
    let review = async {
        let found =
            store.find_proposal(user, proposal).await?.ok_or(Error::NotFound(RecordKind::Proposal))?;
        let plan = store.find_plan(user, found.plan).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
        let current = store.list_workouts(user, plan.id, plan.revision).await?;
        let next = plan::apply(&plan, &current, &found.changes, chosen, today)?;
        store.lint_next_revision(user, &plan, &next, today).await
    };
    let review = review.await.unwrap_or_else(|_| LintReview::empty());
    human_actions::apply(consent, proposal, chosen, today, &review, &all_rules()).await
}

impl TestDb {
    /// # Panics
    /// If the name is taken.
    pub async fn user(&self, name: &str) -> UserId {
        self.store.add_user(name, &Profile::default(), now()).await.expect("a user can be added").id
    }

    /// Stores a draft, as the coach.
    ///
    /// # Panics
    /// If the store returns an error.
    pub async fn draft(&self, user: UserId, name: &str) -> PlanId {
        self.store
            .plan_writer(user, Author::Coach)
            .put_draft(&draft(name), None, now())
            .await
            .expect("a draft can be put")
    }

    /// # Panics
    /// If the store returns an error.
    pub async fn active_plan(&self, user: UserId, name: &str) -> PlanId {
        let plan = self.draft(user, name).await;
        let answer = self.activate(user, plan, None).await.expect("a draft can be activated");
        assert_eq!(answer, Activation::Activated);
        plan
    }

    /// Activates a draft, as the athlete at the terminal.
    pub async fn activate(&self, user: UserId, plan: PlanId, replaces: Option<PlanId>) -> Result<Activation> {
        let content = self.store.find_plan(user, plan).await?.expect("the plan is there").content_hash;
        let seen = activation_request(plan, replaces).hash(content);
        let consent = self.consent(user, HumanActionKind::Activate, Some(plan), seen).await?;
        activate(&self.store, consent, plan, replaces).await
    }

    /// The athlete's consent to an action on a plan as it is now.
    ///
    /// # Panics
    /// If there is no such plan.
    pub async fn consent_to(&self, user: UserId, kind: HumanActionKind, plan: PlanId) -> Result<Consent> {
        let found = self.store.find_plan(user, plan).await?.expect("the plan is there");
        let seen = match kind {
            HumanActionKind::Activate => activation_request(plan, None).hash(found.content_hash),
            _ => plan_state_hash(&found),
        };
        self.consent(user, kind, Some(plan), seen).await
    }

    /// The athlete's consent to exactly this.
    pub async fn consent(
        &self,
        user: UserId,
        kind: HumanActionKind,
        plan: Option<PlanId>,
        seen: ContentHash,
    ) -> Result<Consent> {
        consent(&self.store, user, kind, plan, seen).await
    }

    /// Imports a run of `km` kilometres in 50 minutes.
    ///
    /// # Panics
    /// If the store returns an error.
    pub async fn import_run(&self, user: UserId, day: Day, km: f64) {
        // Different start times, so that two runs on one day are not merged.
        let started_at: Instant = format!("{day}T{:02}:00:00Z", 8 + km as i64 % 12).parse().expect("a time");
        let activity = Activity {
            name: Some("Run".to_owned()),
            elapsed: Some(TimeSpan::from_mins(52)),
            moving: Some(TimeSpan::from_mins(50)),
            distance: Distance::from_km(km),
            avg_heart_rate: Some(141),
            ..Activity::new(Sport::Running, started_at, 0)
        };
        let key = RecordKey { kind: SourceKind::Garmin, id: format!("{day}-{km}") };
        self.import_record(
            user,
            SourceRecord { key, parsed: ParsedActivity::without_samples(activity), raw: None },
        )
        .await;
    }

    /// Imports one source record.
    ///
    /// # Panics
    /// If the store returns an error.
    pub async fn import_record(&self, user: UserId, report: SourceRecord) -> UpsertedRecord {
        let report = PackedRecord::pack(report, None, None).expect("a short recording");
        let batch = ImportBatch { records: vec![report], ..ImportBatch::default() };
        self.store.import_batch(user, batch, now()).await.expect("a report can be taken in").records[0]
    }

    /// Moves the start of a stored record without comparing it with others, as if an older version
    /// had grouped it by its own rules.
    ///
    /// # Panics
    /// If there is no such record, or the store returns an error.
    pub async fn move_record_as_older_version(&self, user: UserId, external_id: &str, start: Instant) {
        let tx = self.store.begin_user_write(user).await.expect("a user");
        let row = activity_reports::Entity::find()
            .filter(activity_reports::Column::UserId.eq(user.get()))
            .filter(activity_reports::Column::ExternalId.eq(external_id))
            .one(tx.db())
            .await
            .expect("the database answers")
            .expect("a record");
        let mut outline: ActivitySummary = unpack_json(&row.outline).expect("a summary");
        outline.activity.started_at = start;
        let record = activity_reports::ActiveModel {
            id: Set(row.id),
            started_at: Set(start),
            outline: Set(pack_json(&outline)),
            ..Default::default()
        };
        activity_reports::Entity::update(record).exec(tx.db()).await.expect("it can be written");
        let activity = activities::ActiveModel {
            id: Set(row.activity_id),
            started_at: Set(start),
            ..Default::default()
        };
        activities::Entity::update(activity).exec(tx.db()).await.expect("it can be written");
        derivations::Entity::update_many()
            .col_expr(derivations::Column::MergeRules, Expr::value(1_i64))
            .exec(tx.db())
            .await
            .expect("it can be written");
        tx.commit_without_audit().await.expect("it can be written");
    }

    /// Records a finished import with this coverage evidence.
    ///
    /// # Panics
    /// If the store returns an error.
    pub async fn finish_import(&self, user: UserId, evidence: CoverageEvidence) {
        let run =
            self.store.begin_sync_run(user, SyncRunKind::File, None, now()).await.expect("a run can begin");
        let outcome = SyncRunOutcome {
            kind: None,
            state: SyncRunState::Done,
            evidence: vec![evidence],
            summary: serde_json::json!({}),
            problem: None,
            files: FinishedFiles::default(),
        };
        self.store.finish_sync_run(user, run, outcome, now()).await.expect("a run can finish");
    }
}

/// The athlete's consent to exactly this, through any store.
pub async fn consent(
    store: &Store,
    user: UserId,
    kind: HumanActionKind,
    plan: Option<PlanId>,
    seen: ContentHash,
) -> Result<Consent> {
    consent_at(store, user, kind, plan, seen, now()).await
}

#[expect(clippy::disallowed_methods, reason = "tests play the human; the product has two places that do")]
pub async fn consent_at(
    store: &Store,
    user: UserId,
    kind: HumanActionKind,
    plan: Option<PlanId>,
    seen: ContentHash,
    at: Instant,
) -> Result<Consent> {
    let question = ConfirmationRequest { kind, plan, content_hash: seen, channel: Channel::Terminal };
    let key = ConfirmationKey::random();
    let token = question.sign(&key, user, at);
    store.redeem_confirmation(user, &question, (&key, &token), at).await
}
