//! Knowing the plan is not enough.
use fitness_core::domain::ids::PlanId;
use fitness_store::plan::human_actions;

async fn activate(plan: PlanId) {
    let _ = human_actions::activate(plan, None).await;
}

fn main() {}
