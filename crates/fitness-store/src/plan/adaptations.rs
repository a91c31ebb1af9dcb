//! The built-in rules at work: one proposal at a time, and never twice from the same facts.

use crate::db::audit::Actor;
use crate::db::entities::proposals;
use crate::db::error::{Error, Result};
use crate::db::store::{Store, stamp};
use crate::plan::drafts::{NewProposal, put_proposal};
use crate::plan::plans;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::Observed;
use fitness_core::plan::{
    self, Adaptation, Plan, Proposal, ProposalState, ProposalStatus, Situation, adaptations,
    follows_from_mark,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr};
use serde::Serialize;

/// Days back from today that the rules look at what the athlete said.
const LOOK_BACK: i64 = 45;
/// Days ahead.
const LOOK_AHEAD: i64 = 60;

/// What the rules have to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Adapted {
    /// What, and why.
    pub adaptation: Adaptation,
    /// The proposal that waits; `None` when there is only something to say.
    pub proposal: Option<ProposalId>,
}

/// What waits for the athlete's decision about the active plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Waiting {
    /// Open proposals, the newest first.
    pub proposals: Vec<Proposal>,
    /// What the rules have to say without proposing anything.
    pub said: Option<String>,
}

/// What became of an earlier proposal from the same facts.
enum Earlier {
    None,
    Waits(ProposalId),
    Applied,
    Discarded,
}

impl Store {
    /// Lets the rules look at the active plan, and gathers what waits for a decision about it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn what_waits(&self, user: UserId, today: Day, now: Instant) -> Result<Waiting> {
        let Some(active) = self.find_active_plan(user).await? else { return Ok(Waiting::default()) };
        let adapted = self.adapt(user, today, now).await?;
        let mut proposals = self.list_proposals(user, active.id).await?;
        proposals.retain(|one| one.state(active.revision, today) == ProposalState::Open);
        let said = adapted.filter(|one| one.proposal.is_none()).map(|one| one.adaptation.message);
        Ok(Waiting { proposals, said })
    }

    /// Lets the rules look at the active plan, and writes down what they propose. The same facts are proposed once: what
    /// waits is kept as long as it is what they say, and what was decided is not brought up again. A newer proposal takes
    /// the place of an older one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn adapt(&self, user: UserId, today: Day, now: Instant) -> Result<Option<Adapted>> {
        let Some(active) = self.find_active_plan(user).await? else { return Ok(None) };
        for adaptation in self.look(user, &active, today).await? {
            match self.earlier(user, &active, &adaptation, today).await? {
                // Said no to: it is not brought up again, and hides nothing that comes after it.
                Earlier::Discarded => {}
                Earlier::Applied => return Ok(None),
                Earlier::Waits(id) => return Ok(Some(Adapted { adaptation, proposal: Some(id) })),
                Earlier::None => return self.bring_up(user, &active, adaptation, today, now).await,
            }
        }
        Ok(None)
    }

    /// What became of an earlier proposal from the same facts.
    async fn earlier(
        &self,
        user: UserId,
        active: &Plan,
        adaptation: &Adaptation,
        today: Day,
    ) -> Result<Earlier> {
        let row = proposals::Entity::find()
            .filter(proposals::Column::UserId.eq(user.get()))
            .filter(proposals::Column::PlanId.eq(active.id.get()))
            .filter(proposals::Column::FollowsFrom.eq(adaptation.follows_from.as_str()))
            // What was withdrawn with its mark comes back with the mark.
            .filter(proposals::Column::WithdrawnAt.is_null())
            .order_by_desc(proposals::Column::Id)
            .one(self.reader())
            .await?;
        let Some(found) = row.map(plans::proposal).transpose()? else { return Ok(Earlier::None) };
        // The same facts may ask for something else on another day, or once something was run: then it is made anew.
        let same = (&found.changes, &found.message) == (&adaptation.changes, &adaptation.message);
        Ok(match found.ended() {
            Some(ProposalState::Applied) => Earlier::Applied,
            Some(ProposalState::Discarded) => Earlier::Discarded,
            _ if same && found.state(active.revision, today) == ProposalState::Open => {
                Earlier::Waits(found.id)
            }
            // What came too late, or gave way to facts that no longer hold, is brought up again.
            _ => Earlier::None,
        })
    }

    async fn bring_up(
        &self,
        user: UserId,
        active: &Plan,
        adaptation: Adaptation,
        today: Day,
        now: Instant,
    ) -> Result<Option<Adapted>> {
        if adaptation.changes.is_empty() {
            return Ok(Some(Adapted { adaptation, proposal: None }));
        }
        let proposal = self.put_adaptation(user, active, &adaptation, today, now).await?;
        Ok(proposal.map(|id| Adapted { adaptation, proposal: Some(id) }))
    }

    /// What the rules have to say, what weighs most first.
    async fn look(&self, user: UserId, active: &Plan, today: Day) -> Result<Vec<Adaptation>> {
        let standing = self.standing(user, active.id).await?;
        let athlete = self.background_of(user, active, today).await?;
        let observed = self.list_observations(user, today.plus(-LOOK_BACK), today.plus(LOOK_AHEAD)).await?;
        let races: Vec<_> = (self.list_races(user).await?.into_iter())
            .map(|race| (race.result.day, race.result.distance))
            .collect();
        let units = self.profile(user).await?.units;
        let situation = Situation {
            plan: &standing.plan,
            workouts: &standing.workouts,
            graded: &standing.graded,
            observed: &observed,
            races: &races,
            athlete: &athlete,
            today,
            units,
        };
        let fits = |found: Adaptation| found.as_it_fits(&standing.plan, &standing.workouts, today);
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
        let tx = self.write(user).await?;
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
pub(crate) async fn withdraw(
    tx: &crate::db::tx::Tx,
    mark: &Observed,
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
        .filter(|row| follows_from_mark(PlanId::new(row.plan_id), mark) == row.follows_from)
        .map(|row| row.id)
        .collect();
    if !caused.is_empty() {
        proposals::Entity::update_many()
            .col_expr(Column::WithdrawnAt, Expr::value(stamp(now)))
            .filter(Column::UserId.eq(tx.user().get()))
            .filter(Column::Id.is_in(caused.iter().copied()))
            .exec(tx.db())
            .await?;
    }
    Ok(caused.into_iter().map(ProposalId::new).collect())
}
