//! Knowing the plan is not enough.
use fitness_store::plan::human_actions::{self, ActivationRequest};

async fn activate(request: ActivationRequest) {
    let _ = human_actions::activate(&request, unreachable!()).await;
}

fn main() {}
