//! Which planned workouts activities counted for.

use crate::components::chip;
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::adherence::grade::GradedWorkout;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::plan::{PlanStatus, PlannedWorkout};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A workout that an activity counted for.
#[derive(Debug, Clone)]
pub(crate) struct MatchedWorkout {
    pub(crate) planned: PlannedWorkout,
    pub(crate) graded: GradedWorkout,
    /// Whether its plan is the one that is followed now.
    pub(crate) is_active_plan: bool,
}

/// What the activities of some days counted for, by the plans that were followed on them. Where an activity counted in
/// several, the plan that is followed now stands.
pub(crate) async fn load(
    view: &PageContext,
    from: Day,
    through: Day,
) -> Result<BTreeMap<ActivityId, MatchedWorkout>, PageError> {
    let mut plans = view.store().list_plans(view.user()).await?;
    plans.retain(|plan| {
        plan.status != PlanStatus::Draft && *plan.days().start() <= through && *plan.days().end() >= from
    });
    plans.sort_by_key(|plan| plan.status == PlanStatus::Active);
    let mut counted = BTreeMap::new();
    for plan in plans {
        let progress = view.store().plan_adherence(view.user(), plan.id).await?;
        let followed = &progress.adherence;
        for ((planned, graded), behind) in
            progress.workouts.iter().zip(&followed.graded).zip(&followed.behind)
        {
            for activity in &behind.activities {
                let one = MatchedWorkout {
                    planned: planned.clone(),
                    graded: graded.clone(),
                    is_active_plan: plan.status == PlanStatus::Active,
                };
                counted.insert(*activity, one);
            }
        }
    }
    Ok(counted)
}

impl MatchedWorkout {
    /// The verdict, with what was asked beside it on hovering.
    pub(crate) fn chip(&self, view: &PageContext) -> Markup {
        html! { span title=(self.done_of_planned(view)) { (chip::verdict(&self.graded, view.today)) } }
    }

    /// `5.2 of 8.0 km`, in the measure it was judged by.
    pub(crate) fn done_of_planned(&self, view: &PageContext) -> String {
        let units = view.units();
        match (self.graded.actual, self.graded.planned) {
            (Some(done), Some(asked)) => format!("{} of {}", done.format(units), asked.format(units)),
            (None, Some(asked)) => format!("{} asked for", asked.format(units)),
            _ => String::new(),
        }
    }
}
