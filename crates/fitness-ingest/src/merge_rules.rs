//! Applies the merge rules of a new version to stored records, and lists the verdicts that change.

use crate::Error;
use crate::outcome::ImportOutcome;
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, UserId, WorkoutId};
use fitness_core::plan::PlanStatus;
use fitness_store::{FinishedFiles, Store, SyncRunKind, SyncRunOutcome, SyncRunState};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the merge rules of a new version changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MergeRulesOutcome {
    pub activities: Vec<MergedActivities>,
    /// Workouts of the active plan with another verdict than before.
    pub verdicts: Vec<VerdictChange>,
}

/// Activities that are one by the current rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedActivities {
    pub id: ActivityId,
    pub day: Day,
    pub absorbed: Vec<ActivityId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictChange {
    pub day: Day,
    pub workout: WorkoutId,
    pub before: Verdict,
    pub after: Verdict,
}

impl MergeRulesOutcome {
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.activities.is_empty()
    }

    /// Sentences for the user.
    #[must_use]
    pub fn summary_sentences(&self) -> Vec<String> {
        let merged = self.activities.iter().map(|merged| {
            let count = merged.absorbed.len() + 1;
            format!(
                "{count} recordings of {} are one activity by the rules of this version.",
                merged.day.format_long()
            )
        });
        let verdicts = self.verdicts.iter().map(|change| {
            format!(
                "The workout of {} was {}, and is {}.",
                change.day.format_long(),
                change.before,
                change.after
            )
        });
        merged.chain(verdicts).collect()
    }
}

/// Compares stored records by the rules of this version, if they were grouped by older ones.
/// Activities that are merged and verdicts that change are recorded as an import run.
///
/// # Errors
/// If the database fails; nothing was changed.
pub async fn apply_merge_rules(
    store: &Store,
    user: UserId,
    now: Instant,
) -> Result<MergeRulesOutcome, Error> {
    if !store.has_old_merge_rules(user).await? {
        return Ok(MergeRulesOutcome::default());
    }
    let before = verdicts(store, user).await?;
    let merged = store.apply_merge_rules(user, now).await?.unwrap_or_default();
    let mut outcome = MergeRulesOutcome::default();
    for (id, absorbed) in merged {
        if let Some(activity) = store.find_activity(user, id).await? {
            outcome.activities.push(MergedActivities { id, day: activity.day, absorbed });
        }
    }
    let after = verdicts(store, user).await?;
    outcome.verdicts = before
        .into_iter()
        .filter_map(|(workout, (day, before))| {
            let (_, after) = after.get(&workout).copied()?;
            (after != before).then_some(VerdictChange { day, workout, before, after })
        })
        .collect();
    outcome.verdicts.sort_by_key(|change| change.day);
    if !outcome.is_unchanged() {
        let run = store.begin_sync_run(user, SyncRunKind::File, None, now).await?;
        let mut summary = ImportOutcome::default();
        summary.merge_rules.clone_from(&outcome);
        let summary = serde_json::to_value(&summary).expect("an outcome is plain data");
        let finished = SyncRunOutcome {
            kind: None,
            state: SyncRunState::Done,
            evidence: Vec::new(),
            summary,
            problem: None,
            files: FinishedFiles::default(),
        };
        store.finish_sync_run(user, run, finished, now).await?;
    }
    Ok(outcome)
}

/// The verdicts of the active plan.
async fn verdicts(store: &Store, user: UserId) -> Result<BTreeMap<WorkoutId, (Day, Verdict)>, Error> {
    let plans = store.list_plans(user).await?;
    let Some(active) = plans.iter().find(|plan| plan.status == PlanStatus::Active) else {
        return Ok(BTreeMap::new());
    };
    let graded = store.plan_adherence(user, active.id).await?.adherence.graded;
    Ok(graded.into_iter().map(|graded| (graded.workout, (graded.day, graded.verdict))).collect())
}
