//! Knowing the plan is not enough.
use fitness_core::ids::PlanId;
use fitness_store::decisions;

async fn activate(plan: PlanId) {
    let _ = decisions::activate(plan, None).await;
}

fn main() {}
