//! A verb takes its `Consent` by value.
use fitness_core::ids::PlanId;
use fitness_store::{Consent, decisions};

async fn twice(consent: Consent, plan: PlanId) {
    let _ = decisions::archive(consent, plan).await;
    let _ = decisions::delete(consent, plan).await;
}

fn main() {}
