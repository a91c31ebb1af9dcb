//! 32 clients activate different drafts of one user, round after round: exactly one is active after every
//! round, and every other answer is a clean refusal.
#![expect(
    clippy::disallowed_methods,
    reason = "the clients answer confirmations that were opened before the race"
)]

use fitness_core::ids::PlanId;
use fitness_core::plan::{ActionKind, PlanStatus};
use fitness_store::consent::{Channel, Question};
use fitness_store::decisions::{self, Activation};
use fitness_store::testkit::{TestDb, june, now, overriding};
use fitness_store::{Error, Review, Store, on_both_databases};
use std::sync::Arc;
use tokio::sync::Barrier;

const CLIENTS: usize = 32;
const ROUNDS: usize = 200;
/// Stores with connections of their own, as so many processes would have.
const PROCESSES: usize = 4;

struct Contender {
    plan: PlanId,
    question: Question,
    secret: String,
    review: Review,
}

async fn contender(db: &TestDb, user: fitness_core::ids::UserId, number: usize) -> Contender {
    let plan = db.draft(user, &format!("Draft {number}")).await;
    let content = db.store.find_plan(user, plan).await.unwrap().unwrap().content_hash;
    let seen = decisions::activation_hash(plan, content, None, None, &overriding());
    let question = Question { kind: ActionKind::Activate, plan: Some(plan), seen, channel: Channel::Web };
    let token = db.store.open_confirmation(user, &question, now()).await.unwrap();
    let review = db.store.review(user, plan, june(8)).await.unwrap();
    Contender { plan, question, secret: token.reveal().to_owned(), review }
}

on_both_databases! {
    async fn exactly_one_plan_is_active_after_every_round(db) {
        let ann = db.user("Ann").await;
        let mut stores: Vec<Store> = Vec::new();
        for _ in 0..PROCESSES {
            stores.push(db.another_store().await);
        }
        let mut contenders = Vec::new();
        for number in 0..CLIENTS {
            contenders.push(contender(&db, ann, number).await);
        }
        for round in 0..ROUNDS {
            let start = Arc::new(Barrier::new(CLIENTS));
            let clients: Vec<_> = contenders
                .iter()
                .enumerate()
                .map(|(i, c)| {
                    let (store, start) = (stores[i % PROCESSES].clone(), Arc::clone(&start));
                    let (plan, question, secret) = (c.plan, c.question, c.secret.clone());
                    let review = c.review.clone();
                    tokio::spawn(async move {
                        start.wait().await;
                        let consent = store.spend_confirmation(ann, &question, &secret, now()).await?;
                        decisions::activate(consent, plan, None, None, &review, &overriding()).await
                    })
                })
                .collect();
            let mut winners = Vec::new();
            for (contender, client) in contenders.iter().zip(clients) {
                match client.await.unwrap() {
                    Ok(Activation::Activated) => winners.push(contender.plan),
                    Err(Error::AlreadyActive { .. }) => {}
                    other => panic!("round {round}: {other:?} is no clean answer"),
                }
            }
            let active: Vec<PlanId> = db.store.list_plans(ann).await.unwrap().into_iter().filter(|p| p.status == PlanStatus::Active).map(|p| p.id).collect();
            assert_eq!(active.len(), 1, "round {round}");
            assert_eq!(winners, active, "round {round}");
            // The winner makes room, and a new draft takes its place in the next round.
            let won = winners[0];
            decisions::archive(db.consent_to(ann, ActionKind::Archive, won).await.unwrap(), won).await.unwrap();
            let place = contenders.iter().position(|c| c.plan == won).unwrap();
            contenders[place] = contender(&db, ann, CLIENTS + round).await;
        }
        assert_eq!(db.store.first_broken_audit_line(ann).await.unwrap(), None);
        let activations = db.store.list_human_actions(ann, 10_000).await.unwrap().iter().filter(|a| a.kind == ActionKind::Activate).count();
        assert_eq!(activations, ROUNDS, "one human action per activation, none for a refusal");
    }
}
