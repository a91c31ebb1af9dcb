//! The built-in rules at work: one proposal at a time, and never twice from the same facts.

use crate::db::audit::Actor;
use crate::db::entities::proposals;
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::plan::drafts::{NewProposal, put_proposal};
use crate::plan::plans;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::ObservationData;
use fitness_core::plan::{
    self, Adaptation, Plan, Proposal, ProposalState, ProposalStatus, Situation, adaptations,
    fact_key_for_observation,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr};
use serde::Serialize;

/// Days back from today that the rules look at what the athlete said.
const LOOKBACK_DAYS: i64 = 45;
/// Days ahead.
const LOOKAHEAD_DAYS: i64 = 60;

/// What the rules have to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdaptationOutcome {
    /// What, and why.
    pub adaptation: Adaptation,
    /// The proposal that waits; `None` when there is only something to say.
    pub proposal: Option<ProposalId>,
}

/// What waits for the athlete's decision about the active plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PendingDecisions {
    /// Open proposals, the newest first.
    pub proposals: Vec<Proposal>,
    /// What the rules have to say without proposing anything.
    pub said: Option<String>,
}

/// What became of an earlier proposal from the same facts.
enum EarlierProposal {
    None,
    Pending(ProposalId),
    Applied,
    Discarded,
}

impl Store {
    /// Lets the rules look at the active plan, and gathers what waits for a decision about it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn pending_decisions(
        &self,
        user: UserId,
        today: Day,
        now: Instant,
    ) -> Result<PendingDecisions> {
        let Some(active) = self.find_active_plan(user).await? else { return Ok(PendingDecisions::default()) };
        let adapted = self.adapt_plan(user, today, now).await?;
        let mut proposals = self.list_proposals(user, active.id).await?;
        proposals.retain(|one| one.state(active.revision, today) == ProposalState::Open);
        let said = adapted.filter(|one| one.proposal.is_none()).map(|one| one.adaptation.message);
        Ok(PendingDecisions { proposals, said })
    }

    /// Lets the rules look at the active plan, and writes down what they propose. The same facts are proposed once: what
    /// waits is kept as long as it is what they say, and what was decided is not brought up again. A newer proposal takes
    /// the place of an older one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn adapt_plan(
        &self,
        user: UserId,
        today: Day,
        now: Instant,
    ) -> Result<Option<AdaptationOutcome>> {
        let Some(active) = self.find_active_plan(user).await? else { return Ok(None) };
        for adaptation in self.list_adaptations(user, &active, today).await? {
            match self.find_earlier_proposal(user, &active, &adaptation, today).await? {
                // Said no to: it is not brought up again, and hides nothing that comes after it.
                EarlierProposal::Discarded => {}
                EarlierProposal::Applied => return Ok(None),
                EarlierProposal::Pending(id) => {
                    return Ok(Some(AdaptationOutcome { adaptation, proposal: Some(id) }));
                }
                EarlierProposal::None => {
                    return self.propose_adaptation(user, &active, adaptation, today, now).await;
                }
            }
        }
        Ok(None)
    }

    /// What became of an earlier proposal from the same facts.
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
            // What was withdrawn with its mark comes back with the mark.
            .filter(proposals::Column::WithdrawnAt.is_null())
            .order_by_desc(proposals::Column::Id)
            .one(self.reader())
            .await?;
        let Some(found) = row.map(plans::proposal).transpose()? else { return Ok(EarlierProposal::None) };
        // The same facts may ask for something else on another day, or once something was run: then it is made anew.
        let same = (&found.changes, &found.message) == (&adaptation.changes, &adaptation.message);
        Ok(match found.final_state() {
            Some(ProposalState::Applied) => EarlierProposal::Applied,
            Some(ProposalState::Discarded) => EarlierProposal::Discarded,
            _ if same && found.state(active.revision, today) == ProposalState::Open => {
                EarlierProposal::Pending(found.id)
            }
            // What came too late, or gave way to facts that no longer hold, is brought up again.
            _ => EarlierProposal::None,
        })
    }

    async fn propose_adaptation(
        &self,
        user: UserId,
        active: &Plan,
        adaptation: Adaptation,
        today: Day,
        now: Instant,
    ) -> Result<Option<AdaptationOutcome>> {
        if adaptation.changes.is_empty() {
            return Ok(Some(AdaptationOutcome { adaptation, proposal: None }));
        }
        let proposal = self.put_adaptation(user, active, &adaptation, today, now).await?;
        Ok(proposal.map(|id| AdaptationOutcome { adaptation, proposal: Some(id) }))
    }

    /// What the rules have to say, what weighs most first.
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
        let situation = Situation {
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

    /// `None` when the plan moved on meanwhile: the next look is at what it is by then.
    async fn put_adaptation(
        &self,
        user: UserId,
        active: &Plan,
        adaptation: &Adaptation,
        today: Day,
        now: Instant,
    ) -> Result<Option<ProposalId>> {
        let tx = self.begin_user_write(user).await?;
        let found = plans::find_plan(tx.db(), user, active.id).await?.ok_or(Error::NotFound("plan"))?;
        if found.revision != active.revision || found.status != active.status {
            return Ok(None);
        }
        let current = plans::list_workouts(tx.db(), user, active.id, active.revision).await?;
        let all = (0..adaptation.changes.len()).collect();
        plan::apply(&found, &current, &adaptation.changes, &all, today)?;
        // It can be taken until its first day is over.
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

/// At most one proposal of the rules is open: the older ones give way.
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

/// Withdraws what the rules proposed because of a mark that is taken back; gives back which proposals that were.
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
