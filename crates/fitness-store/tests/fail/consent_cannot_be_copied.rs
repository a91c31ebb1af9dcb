//! One answer, one action: a `Consent` cannot be used twice.
use fitness_core::domain::ids::PlanId;
use fitness_store::Consent;
use fitness_store::plan::human_actions;

async fn twice(consent: Consent, plan: PlanId) {
    let _ = human_actions::archive(consent.clone(), plan).await;
    let _ = human_actions::delete(consent, plan).await;
}

fn main() {}
