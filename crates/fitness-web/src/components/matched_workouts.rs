//! The planned workouts that activities were matched to.

use crate::components::chip;
use crate::http::error::PageError;
use crate::page::PageContext;
use fitness_core::adherence::grade::GradedWorkout;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::plan::{PlanStatus, PlannedWorkout};
use maud::{Markup, html};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub(crate) struct MatchedWorkout {
    pub(crate) planned: PlannedWorkout,
    pub(crate) graded: GradedWorkout,
    /// Whether its plan is the active one.
    pub(crate) is_active_plan: bool,
}

/// The matches of all activities in a period. Where an activity matches workouts of several plans,
/// the active plan wins.
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
    /// The verdict, with done and planned amounts as a tooltip.
    pub(crate) fn chip(&self, view: &PageContext) -> Markup {
        html! { span title=(self.actual_of_planned(view)) { (chip::verdict(&self.graded, view.today)) } }
    }

    /// `5.2 km of 8.0 km`, in the unit the workout is graded by.
    pub(crate) fn actual_of_planned(&self, view: &PageContext) -> String {
        let units = view.units();
        match (self.graded.actual, self.graded.planned) {
            (Some(done), Some(planned)) => format!("{} of {}", done.format(units), planned.format(units)),
            (None, Some(planned)) => format!("{} planned", planned.format(units)),
            _ => String::new(),
        }
    }
}
