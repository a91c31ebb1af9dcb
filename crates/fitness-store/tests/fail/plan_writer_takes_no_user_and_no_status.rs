//! The user is bound when the writer is created, and a draft has no status to choose.
use fitness_core::domain::ids::UserId;
use fitness_core::plan::{Draft, PlanStatus};
use fitness_store::plan::drafts::PlanWriter;

async fn for_somebody_else(writer: PlanWriter, draft: Draft, user: UserId) {
    let _ = writer.put_draft(user, &draft, None, unreachable!()).await;
}

async fn already_active(writer: PlanWriter, draft: Draft) {
    let _ = writer.put_draft(&draft, PlanStatus::Active, unreachable!()).await;
}

fn main() {}
