//! Guarantee 2 in the types' other half: a consent comes only from spending one confirmation, once, in time.
#![expect(clippy::disallowed_methods, reason = "these tests are about spending a confirmation")]

use chrono::TimeDelta;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::plan::{ActionKind, PlanStatus};
use fitness_store::plan::consent::{Channel, ConfirmationRequest};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::testkit::{self, all_rules, now};
use fitness_store::{Error, on_both_databases};

on_both_databases! {
    async fn confirmation_is_redeemed_once_and_only_for_its_request(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let (plan, other) = (db.draft(ann, "Plan").await, db.draft(ann, "Other").await);
        let content = db.store.find_plan(ann, plan).await.unwrap().unwrap().content_hash;
        let seen = human_actions::activation_hash(plan, content, None, None, &all_rules());
        let asked = ConfirmationRequest { kind: ActionKind::Activate, plan: Some(plan), content_hash: seen, channel: Channel::Web };
        let token = db.store.request_confirmation(ann, &asked, now()).await.unwrap();

        let refused = async |user, question: ConfirmationRequest, secret: &str, at| match db.store.redeem_confirmation(user, &question, secret, at).await {
            Err(Error::NotConfirmed(why)) => why,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{question:?} was let through"),
        };
        let soon = now() + TimeDelta::minutes(9);
        assert_eq!(refused(ann, asked, "no such token", soon).await, "it was never asked");
        assert_eq!(refused(bob, asked, token.reveal(), soon).await, "it was never asked");
        for different in [
            ConfirmationRequest { kind: ActionKind::Delete, ..asked },
            ConfirmationRequest { plan: Some(other), ..asked },
            ConfirmationRequest { content_hash: ContentHash::hash_bytes(b"something else"), ..asked },
            ConfirmationRequest { channel: Channel::Terminal, ..asked },
        ] {
            assert_eq!(refused(ann, different, token.reveal(), soon).await, "it was about something else");
        }
        let late = now() + TimeDelta::minutes(10);
        assert_eq!(refused(ann, asked, token.reveal(), late).await, "it is older than ten minutes; please confirm again");
        assert_eq!(refused(ann, asked, token.reveal(), now() - TimeDelta::seconds(1)).await, "it is older than ten minutes; please confirm again");

        // Dropped unused, a consent leaves the answer unspent.
        drop(db.store.redeem_confirmation(ann, &asked, token.reveal(), soon).await.unwrap());
        let consent = db.store.redeem_confirmation(ann, &asked, token.reveal(), soon).await.unwrap();
        assert_eq!(testkit::activate(&db.store, consent, plan, None).await.unwrap(), Activation::Activated);
        assert_eq!(refused(ann, asked, token.reveal(), soon).await, "it was already used");
    }

    async fn consent_for_another_action_is_refused(db) {
        let ann = db.user("Ann").await;
        let (plan, other) = (db.draft(ann, "Plan").await, db.draft(ann, "Other").await);
        let wrong = async |result: Result<(), Error>| assert!(matches!(result, Err(Error::NotConfirmed("it was about something else"))));
        wrong(testkit::activate(&db.store, db.consent_to(ann, ActionKind::Activate, plan).await.unwrap(), other, None).await.map(drop)).await;
        wrong(testkit::activate(&db.store, db.consent_to(ann, ActionKind::Delete, plan).await.unwrap(), plan, None).await.map(drop)).await;
        wrong(human_actions::delete(db.consent_to(ann, ActionKind::Activate, plan).await.unwrap(), plan).await).await;
        wrong(human_actions::archive(db.consent_to(ann, ActionKind::Delete, plan).await.unwrap(), plan).await).await;
        wrong(db.store.remove_user(db.consent_to(ann, ActionKind::Delete, plan).await.unwrap(), None).await.map(drop)).await;
        let plans = db.store.list_plans(ann).await.unwrap();
        assert!(plans.len() == 2 && plans.iter().all(|plan| plan.status == PlanStatus::Draft));
    }
}
