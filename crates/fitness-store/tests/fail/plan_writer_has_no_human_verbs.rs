//! What a coach is given can draft and propose. The rest is not there.
use fitness_core::domain::ids::PlanId;
use fitness_store::plan::drafts::PlanWriter;

async fn overreach(writer: PlanWriter, plan: PlanId) {
    writer.activate(plan).await;
    writer.archive(plan).await;
    writer.delete(plan).await;
    writer.apply(plan).await;
    writer.edit(plan).await;
    writer.revert(plan).await;
    writer.put_match(plan).await;
}

fn main() {}
