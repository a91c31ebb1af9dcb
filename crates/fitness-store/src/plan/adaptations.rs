//! Runs the plan-adaptation rules and stores their proposals: at most one open at a time, and each
//! set of facts only once.

use crate::db::audit::Actor;
use crate::db::entities::proposals;
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::plan::drafts::{NewProposal, put_proposal};
use crate::plan::plans;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::ObservationData;
use fitness_core::plan::{
    self, AdaptInput, Adaptation, Plan, Proposal, ProposalState, ProposalStatus, adaptations,
    fact_key_for_observation,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr};
use serde::Serialize;

/// How far back the rules read observations.
const LOOKBACK_DAYS: i64 = 45;
const LOOKAHEAD_DAYS: i64 = 60;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdaptationOutcome {
    pub adaptation: Adaptation,
    /// The open proposal; `None` if the rules only have a message.
    pub proposal: Option<ProposalId>,
}

/// Pending decisions about the active plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PendingDecisions {
    /// Open proposals, newest first, also those made for an earlier revision of the plan.
    pub proposals: Vec<Proposal>,
    /// A message of the rules without a proposal.
    pub said: Option<String>,
}

/// State of an earlier proposal for the same facts.
enum EarlierProposal {
    None,
    Pending(ProposalId),
    Applied,
    Discarded,
}

impl Store {
    /// What is pending for the active plan. Reads only: [`Store::adapt_plan`] writes the proposals.
    pub async fn pending_decisions(&self, user: UserId, today: Day) -> Result<PendingDecisions> {
        let Some(active) = self.find_active_plan(user).await? else { return Ok(PendingDecisions::default()) };
        let next = self.next_adaptation(user, &active, today).await?;
        let mut proposals = self.list_proposals(user, active.id).await?;
        // Also those for an earlier revision: the athlete can still decide on them.
        proposals.retain(|one| one.is_open(today));
        let message_only = |(adaptation, _): &(Adaptation, _)| adaptation.changes.is_empty();
        let said = next.filter(message_only).map(|(adaptation, _)| adaptation.message);
        Ok(PendingDecisions { proposals, said })
    }

    /// Runs the rules for the active plan and stores their proposal. An open proposal is kept while
    /// the rules still produce it, a decided one is not repeated, and a newer one supersedes an
    /// older one.
    pub async fn adapt_plan(
        &self,
        user: UserId,
        today: Day,
        now: Instant,
    ) -> Result<Option<AdaptationOutcome>> {
        let Some(active) = self.find_active_plan(user).await? else { return Ok(None) };
        let Some((adaptation, pending)) = self.next_adaptation(user, &active, today).await? else {
            return Ok(None);
        };
        if pending.is_some() || adaptation.changes.is_empty() {
            return Ok(Some(AdaptationOutcome { adaptation, proposal: pending }));
        }
        let proposal = self.put_adaptation(user, &active, &adaptation, today, now).await?;
        Ok(proposal.map(|id| AdaptationOutcome { adaptation, proposal: Some(id) }))
    }

    /// The most important adaptation that was not discarded, with the open proposal made of it.
    async fn next_adaptation(
        &self,
        user: UserId,
        active: &Plan,
        today: Day,
    ) -> Result<Option<(Adaptation, Option<ProposalId>)>> {
        for adaptation in self.list_adaptations(user, active, today).await? {
            match self.find_earlier_proposal(user, active, &adaptation, today).await? {
                // A discarded one is not proposed again, and hides none after it.
                EarlierProposal::Discarded => {}
                EarlierProposal::Applied => return Ok(None),
                EarlierProposal::Pending(id) => return Ok(Some((adaptation, Some(id)))),
                EarlierProposal::None => return Ok(Some((adaptation, None))),
            }
        }
        Ok(None)
    }

    /// State of an earlier proposal for the same facts.
    async fn find_earlier_proposal(
        &self,
        user: UserId,
        active: &Plan,
        adaptation: &Adaptation,
        today: Day,
    ) -> Result<EarlierProposal> {
        let row = proposals::Entity::find()
            .filter(proposals::Column::UserId.eq(user.get()))
            .filter(proposals::Column::PlanId.eq(active.id.get()))
            .filter(proposals::Column::FollowsFrom.eq(adaptation.follows_from.as_str()))
            // A proposal withdrawn with its absence may come back with the absence.
            .filter(proposals::Column::WithdrawnAt.is_null())
            .order_by_desc(proposals::Column::Id)
            .one(self.reader())
            .await?;
        let Some(found) = row.map(plans::proposal).transpose()? else { return Ok(EarlierProposal::None) };
        // The same facts may lead to other changes on another day or after a run; then propose
        // again.
        let same = (&found.changes, &found.message) == (&adaptation.changes, &adaptation.message);
        Ok(match found.final_state() {
            Some(ProposalState::Applied) => EarlierProposal::Applied,
            Some(ProposalState::Discarded) => EarlierProposal::Discarded,
            _ if same && found.state(active.revision, today) == ProposalState::Open => {
                EarlierProposal::Pending(found.id)
            }
            // An expired proposal, or one superseded by facts that no longer hold, is proposed
            // again.
            _ => EarlierProposal::None,
        })
    }

    /// Adaptations, most important first.
    async fn list_adaptations(&self, user: UserId, active: &Plan, today: Day) -> Result<Vec<Adaptation>> {
        let standing = self.graded_plan(user, active.id).await?;
        let athlete = self.training_baseline_for_plan(user, active, today).await?;
        let observed = self
            .list_observations(user, today.plus_days(-LOOKBACK_DAYS), today.plus_days(LOOKAHEAD_DAYS))
            .await?;
        let races: Vec<_> = (self.list_races(user).await?.into_iter())
            .map(|race| (race.result.day, race.result.distance))
            .collect();
        let units = self.profile(user).await?.units;
        let situation = AdaptInput {
            plan: &standing.plan,
            workouts: &standing.workouts,
            graded: &standing.graded,
            observations: &observed,
            races: &races,
            athlete: &athlete,
            today,
            units,
        };
        let fits = |found: Adaptation| found.retain_applicable(&standing.plan, &standing.workouts, today);
        Ok(adaptations(&situation).map(fits).collect())
    }

    /// `None` if the plan changed meanwhile; the next run sees the new plan.
    async fn put_adaptation(
        &self,
        user: UserId,
        active: &Plan,
        adaptation: &Adaptation,
        today: Day,
        now: Instant,
    ) -> Result<Option<ProposalId>> {
        let tx = self.begin_user_write(user).await?;
        let found =
            plans::find_plan(tx.db(), user, active.id).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
        if found.revision != active.revision || found.status != active.status {
            return Ok(None);
        }
        let current = plans::list_workouts(tx.db(), user, active.id, active.revision).await?;
        let all = (0..adaptation.changes.len()).collect();
        plan::apply(&found, &current, &adaptation.changes, &all, today)?;
        // It can be applied until the end of its first day.
        let expires = adaptation.first_day(&current).map(Day::next);
        let made = NewProposal {
            plan: &found,
            message: &adaptation.message,
            changes: &adaptation.changes,
            findings: &[],
            expires_on: expires,
            follows_from: Some(&adaptation.follows_from),
        };
        let (id, entry) = put_proposal(&tx, &made, Author::Coach, Actor::System, now).await?;
        supersede(&tx, user, active.id, id).await?;
        tx.commit(entry).await?;
        Ok(Some(id))
    }
}

/// Supersedes older proposals of the rules.
async fn supersede(tx: &crate::db::tx::Tx, user: UserId, plan: PlanId, newer: ProposalId) -> Result<()> {
    use proposals::Column;
    proposals::Entity::update_many()
        .col_expr(Column::SupersededBy, Expr::value(newer.get()))
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::PlanId.eq(plan.get()))
        .filter(Column::Id.ne(newer.get()))
        .filter(Column::Status.eq(ProposalStatus::Open.as_str()))
        .filter(Column::FollowsFrom.is_not_null())
        .filter(Column::SupersededBy.is_null())
        .filter(Column::WithdrawnAt.is_null())
        .exec(tx.db())
        .await?;
    Ok(())
}

/// Withdraws proposals that the rules made because of an absence that was removed, and returns
/// them.
pub(crate) async fn withdraw_proposals(
    tx: &crate::db::tx::Tx,
    mark: &ObservationData,
    now: Instant,
) -> Result<Vec<ProposalId>> {
    use proposals::Column;
    let open = proposals::Entity::find()
        .filter(Column::UserId.eq(tx.user().get()))
        .filter(Column::Status.eq(ProposalStatus::Open.as_str()))
        .filter(Column::FollowsFrom.is_not_null())
        .filter(Column::SupersededBy.is_null())
        .filter(Column::WithdrawnAt.is_null())
        .order_by_asc(Column::Id)
        .all(tx.db())
        .await?;
    let caused: Vec<i64> = (open.into_iter())
        .filter(|row| fact_key_for_observation(PlanId::new(row.plan_id), mark) == row.follows_from)
        .map(|row| row.id)
        .collect();
    if !caused.is_empty() {
        proposals::Entity::update_many()
            .col_expr(Column::WithdrawnAt, Expr::value(truncate_to_micros(now)))
            .filter(Column::UserId.eq(tx.user().get()))
            .filter(Column::Id.is_in(caused.iter().copied()))
            .exec(tx.db())
            .await?;
    }
    Ok(caused.into_iter().map(ProposalId::new).collect())
}
