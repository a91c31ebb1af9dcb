//! What a coach is given can draft and propose. The rest is not there.
use fitness_core::domain::ids::PlanId;
use fitness_store::plan::drafts::Desk;

async fn overreach(desk: Desk, plan: PlanId) {
    desk.activate(plan).await;
    desk.archive(plan).await;
    desk.delete(plan).await;
    desk.apply(plan).await;
    desk.edit(plan).await;
    desk.revert(plan).await;
    desk.put_match(plan).await;
}

fn main() {}
