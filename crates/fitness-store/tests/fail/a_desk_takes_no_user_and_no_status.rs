//! The user is bound when the desk is made, and a draft has no status to choose.
use fitness_core::domain::ids::UserId;
use fitness_core::plan::{Draft, PlanStatus};
use fitness_store::plan::drafts::Desk;

async fn for_somebody_else(desk: Desk, draft: Draft, user: UserId) {
    let _ = desk.put_draft(user, &draft, None, unreachable!()).await;
}

async fn already_active(desk: Desk, draft: Draft) {
    let _ = desk.put_draft(&draft, PlanStatus::Active, unreachable!()).await;
}

fn main() {}
