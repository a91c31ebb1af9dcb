//! A consent comes only from spending one confirmation, once, in time.
#![expect(clippy::disallowed_methods, reason = "these tests are about spending a confirmation")]

use chrono::TimeDelta;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::plan::{HumanActionKind, PlanStatus};
use fitness_store::plan::consent::{Channel, ConfirmationKey, ConfirmationRequest};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::testkit::{self, now};
use fitness_store::{Error, on_both_databases};

on_both_databases! {
    async fn confirmation_is_redeemed_once_and_only_for_its_request(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let (plan, other) = (db.draft(ann, "Plan").await, db.draft(ann, "Other").await);
        let content = db.store.find_plan(ann, plan).await.unwrap().unwrap().content_hash;
        let seen = testkit::activation_request(plan, None).hash(content);
        let asked = ConfirmationRequest { kind: HumanActionKind::Activate, plan: Some(plan), content_hash: seen, channel: Channel::Web };
        let key = ConfirmationKey::random();
        let token = asked.sign(&key, ann, now());

        let refused = async |user, question: ConfirmationRequest, secret: &str, at| match db.store.redeem_confirmation(user, &question, (&key, secret), at).await {
            Err(Error::NotConfirmed(why)) => why,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{question:?} was let through"),
        };
        let soon = now() + TimeDelta::minutes(9);
        const UNKNOWN: &str = "it was not confirmed on the page that shows it";
        assert_eq!(refused(ann, asked, "no such token", soon).await, UNKNOWN);
        assert_eq!(refused(bob, asked, &token, soon).await, UNKNOWN);
        let of_another_session = asked.sign(&ConfirmationKey::random(), ann, now());
        assert_eq!(refused(ann, asked, &of_another_session, soon).await, UNKNOWN);
        let (nonce, signature) = (token.split('.').next().unwrap(), token.split('.').next_back().unwrap());
        let later = format!("{nonce}.{}.{signature}", soon.timestamp_micros());
        assert_eq!(refused(ann, asked, &later, soon).await, UNKNOWN, "the time is signed, too");
        let another = format!("{}{}", if nonce.starts_with('0') { '1' } else { '0' }, &token[1..]);
        assert_eq!(refused(ann, asked, &another, soon).await, UNKNOWN, "and the nonce");
        for different in [
            ConfirmationRequest { kind: HumanActionKind::Delete, ..asked },
            ConfirmationRequest { plan: Some(other), ..asked },
            ConfirmationRequest { content_hash: ContentHash::hash_bytes(b"something else"), ..asked },
            ConfirmationRequest { channel: Channel::Terminal, ..asked },
        ] {
            assert_eq!(refused(ann, different, &token, soon).await, UNKNOWN);
        }
        let late = now() + TimeDelta::minutes(10);
        assert_eq!(refused(ann, asked, &token, late).await, "it has expired; confirm again");
        assert_eq!(refused(ann, asked, &token, now() - TimeDelta::seconds(1)).await, "it has expired; confirm again");

        // Dropped unused, a consent leaves the answer unspent.
        drop(db.store.redeem_confirmation(ann, &asked, (&key, &token), soon).await.unwrap());
        let consent = db.store.redeem_confirmation(ann, &asked, (&key, &token), soon).await.unwrap();
        assert_eq!(testkit::activate(&db.store, consent, plan, None).await.unwrap(), Activation::Activated);
        assert_eq!(refused(ann, asked, &token, soon).await, "it has already been used");
    }

    async fn consent_for_another_action_is_refused(db) {
        let ann = db.user("Ann").await;
        let (plan, other) = (db.draft(ann, "Plan").await, db.draft(ann, "Other").await);
        let wrong = async |result: Result<(), Error>| assert!(matches!(result, Err(Error::NotConfirmed("it was for something else"))));
        wrong(testkit::activate(&db.store, db.consent_to(ann, HumanActionKind::Activate, plan).await.unwrap(), other, None).await.map(drop)).await;
        wrong(testkit::activate(&db.store, db.consent_to(ann, HumanActionKind::Delete, plan).await.unwrap(), plan, None).await.map(drop)).await;
        wrong(human_actions::delete(db.consent_to(ann, HumanActionKind::Activate, plan).await.unwrap(), plan).await).await;
        wrong(human_actions::archive(db.consent_to(ann, HumanActionKind::Delete, plan).await.unwrap(), plan).await).await;
        wrong(db.store.remove_user(db.consent_to(ann, HumanActionKind::Delete, plan).await.unwrap(), None).await.map(drop)).await;
        let plans = db.store.list_plans(ann).await.unwrap();
        assert!(plans.len() == 2 && plans.iter().all(|plan| plan.status == PlanStatus::Draft));
    }
}
