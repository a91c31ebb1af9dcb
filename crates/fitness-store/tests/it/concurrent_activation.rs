//! 32 clients activate different drafts of one user concurrently: after every round exactly one is
//! active, and all others got a clean error. Also two tabs applying two proposals made for one
//! revision.
#![expect(
    clippy::disallowed_methods,
    reason = "the clients answer confirmations that were opened before the race"
)]

use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::plan::{Change, HumanActionKind, PlanStatus, ProposalState};
use fitness_store::plan::consent::{Channel, ConfirmationKey, ConfirmationRequest};
use fitness_store::plan::human_actions::{self, Activation, apply_hash};
use fitness_store::testkit::{self, TestDb, all_rules, easy_run, june, now};
use fitness_store::{Error, LintReview, Store, on_both_databases};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Barrier;

const CLIENTS: usize = 32;
const ROUNDS: usize = 200;
/// Stores with their own connections, like separate processes.
const PROCESSES: usize = 4;

/// Rounds of two tabs applying concurrently.
const TABS_ROUNDS: u32 = 100;

struct Contender {
    plan: PlanId,
    question: ConfirmationRequest,
    secret: (ConfirmationKey, String),
    review: LintReview,
}

async fn contender(db: &TestDb, user: fitness_core::domain::ids::UserId, number: usize) -> Contender {
    let plan = db.draft(user, &format!("Draft {number}")).await;
    let content = db.store.find_plan(user, plan).await.unwrap().unwrap().content_hash;
    let seen = testkit::activation_request(plan, None).hash(content);
    let question = ConfirmationRequest {
        kind: HumanActionKind::Activate,
        plan: Some(plan),
        content_hash: seen,
        channel: Channel::Web,
    };
    let key = ConfirmationKey::random();
    let token = question.sign(&key, user, now());
    let review = db.store.lint_plan(user, plan, june(8)).await.unwrap();
    Contender { plan, question, secret: (key, token), review }
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
                        let consent = store.redeem_confirmation(ann, &question, (&secret.0, &secret.1), now()).await?;
                        human_actions::activate(consent, &testkit::activation_request(plan, None), &review).await
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
            // Archive the winner, and draft a new plan for the next round.
            let won = winners[0];
            human_actions::archive(db.consent_to(ann, HumanActionKind::Archive, won).await.unwrap(), won).await.unwrap();
            let place = contenders.iter().position(|c| c.plan == won).unwrap();
            contenders[place] = contender(&db, ann, CLIENTS + round).await;
        }
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), None);
        let activations = db.store.list_human_actions(ann, 10_000).await.unwrap().iter().filter(|a| a.kind == HumanActionKind::Activate).count();
        assert_eq!(activations, ROUNDS, "one human action per activation, none for a refusal");
    }

    async fn two_tabs_apply_at_the_same_moment_and_one_of_them_wins(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Plan").await;
        let desk = db.store.plan_writer(ann, Author::Coach);
        let stores = [db.another_store().await, db.another_store().await];
        let (chosen, today) = (BTreeSet::from([0]), june(8));
        let mut won = [0_usize; 2];
        for round in 0..TABS_ROUNDS {
            let base = db.store.find_plan(ann, plan).await.unwrap().unwrap().revision;
            let run = db.store.list_workouts(ann, plan, base).await.unwrap()[0].id;
            let mut tabs = Vec::new();
            for tab in 0..2_u32 {
                let km = 3.0 + f64::from(2 * round + tab) / 10.0;
                let change = Change::Modify { workout_id: run, on: None, workout: easy_run(june(9), km), asked: None, notes: None };
                let id = desk.propose(plan, base, "Less.", &[change], today, now()).await.unwrap();
                let preview = db.store.preview_proposal(ann, id, &chosen, today).await.unwrap();
                let seen = apply_hash(plan, base, &preview.next, &all_rules());
                let question = ConfirmationRequest { kind: HumanActionKind::Apply, plan: Some(plan), content_hash: seen, channel: Channel::Web };
                let key = ConfirmationKey::random();
                let secret = (key.clone(), question.sign(&key, ann, now()));
                tabs.push((id, question, secret, preview));
            }
            let start = Arc::new(Barrier::new(2));
            let clicks: Vec<_> = tabs
                .iter()
                .zip(&stores)
                .map(|((id, question, secret, preview), store)| {
                    let (store, start, chosen) = (store.clone(), Arc::clone(&start), chosen.clone());
                    let (id, question, secret, review) = (*id, *question, secret.clone(), preview.review.clone());
                    tokio::spawn(async move {
                        start.wait().await;
                        let consent = store.redeem_confirmation(ann, &question, (&secret.0, &secret.1), now()).await?;
                        human_actions::apply(consent, id, &chosen, today, &review, &all_rules()).await
                    })
                })
                .collect();
            let mut winners = Vec::new();
            for (tab, click) in clicks.into_iter().enumerate() {
                match click.await.unwrap() {
                    Ok(number) => {
                        assert_eq!(number, base + 1, "round {round}");
                        winners.push(tab);
                    }
                    Err(Error::ProposalClosed { proposal, state: ProposalState::Stale { base: made, now } }) => {
                        assert_eq!((proposal, made, now), (tabs[tab].0, base, base + 1), "round {round}");
                    }
                    Err(other) => panic!("round {round}: {other:?} is no clean answer"),
                }
            }
            let [winner] = winners[..] else { panic!("round {round}: {winners:?} won") };
            won[winner] += 1;
            // There is one new revision, made by the winner.
            let revisions = db.store.list_revisions(ann, plan).await.unwrap();
            assert_eq!((revisions.len() as i64, revisions[0].proposal), (base + 1, Some(tabs[winner].0)), "round {round}");
            let there = db.store.list_workouts(ann, plan, base + 1).await.unwrap();
            assert_eq!(there[0].workout, tabs[winner].3.next[0].workout, "round {round}");
            // The loser sees a new preview, based on the winner's revision.
            let loser = tabs[1 - winner].0;
            let fresh = db.store.preview_applicable_changes(ann, loser, today).await.unwrap();
            assert_eq!((fresh.revision, fresh.proposal.base_revision), (base + 1, base), "round {round}");
            assert!(fresh.fits[0].since.is_some(), "round {round}");
            db.store.decline_proposal(ann, loser, now()).await.unwrap();
        }
        let applied = db.store.list_human_actions(ann, 1000).await.unwrap().iter().filter(|a| a.kind == HumanActionKind::Apply).count();
        assert_eq!(applied, TABS_ROUNDS as usize, "one human action a round, none for the refusal");
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), None);
        eprintln!("of {TABS_ROUNDS} rounds the tabs won {won:?}");
    }
}
