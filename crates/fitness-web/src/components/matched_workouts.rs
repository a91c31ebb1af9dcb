//! Which planned workouts activities counted for.

use crate::components::chip;
use crate::http::error::Problem;
use crate::page::View;
use fitness_core::adherence::grade::Graded;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::plan::{PlanStatus, PlannedWorkout};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A workout that an activity counted for.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    pub(crate) planned: PlannedWorkout,
    pub(crate) graded: Graded,
    /// Whether its plan is the one that is followed now.
    pub(crate) active: bool,
}

/// What the activities of some days counted for, by the plans that were followed on them. Where an activity counted in
/// several, the plan that is followed now stands.
pub(crate) async fn look(
    view: &View,
    from: Day,
    through: Day,
) -> Result<BTreeMap<ActivityId, Counted>, Problem> {
    let mut plans = view.store().list_plans(view.user()).await?;
    plans.retain(|plan| {
        plan.status != PlanStatus::Draft && *plan.days().start() <= through && *plan.days().end() >= from
    });
    plans.sort_by_key(|plan| plan.status == PlanStatus::Active);
    let mut counted = BTreeMap::new();
    for plan in plans {
        let progress = view.store().progress(view.user(), plan.id).await?;
        let followed = &progress.followed;
        for ((planned, graded), behind) in
            progress.workouts.iter().zip(&followed.graded).zip(&followed.behind)
        {
            for activity in &behind.activities {
                let one = Counted {
                    planned: planned.clone(),
                    graded: graded.clone(),
                    active: plan.status == PlanStatus::Active,
                };
                counted.insert(*activity, one);
            }
        }
    }
    Ok(counted)
}

impl Counted {
    /// The verdict, with what was asked beside it on hovering.
    pub(crate) fn chip(&self, view: &View) -> Markup {
        html! { span title=(self.amounts(view)) { (chip::verdict(&self.graded, view.today)) } }
    }

    /// `5.2 of 8.0 km`, in the measure it was judged by.
    pub(crate) fn amounts(&self, view: &View) -> String {
        let units = view.units();
        match (self.graded.actual, self.graded.planned) {
            (Some(done), Some(asked)) => format!("{} of {}", done.shown(units), asked.shown(units)),
            (None, Some(asked)) => format!("{} asked for", asked.shown(units)),
            _ => String::new(),
        }
    }
}
