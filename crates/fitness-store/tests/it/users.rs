//! Users, passwords, invites, sessions and tokens.

use chrono::TimeDelta;
use fitness_core::coach_api::Scope;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::plan::HumanActionKind;
use fitness_store::testkit::now;
use fitness_store::{Error, RecordKind, on_both_databases};
use secrecy::{ExposeSecret, SecretString};

fn secret(text: &str) -> SecretString {
    text.to_owned().into()
}

on_both_databases! {
    async fn user_names_are_unique_ignoring_case(db) {
        db.user("Ann").await;
        for taken in ["Ann", "ann", "ANN"] {
            assert!(matches!(db.store.add_user(taken, &Profile::default(), now()).await, Err(Error::NameTaken(_))), "{taken}");
        }
        for bad in ["", " ann", "ann ", "a/b", "a\nb", "a\u{202e}b", "a\u{200b}", &"x".repeat(65)] {
            assert!(matches!(db.store.add_user(bad, &Profile::default(), now()).await, Err(Error::BadName)), "{bad:?}");
        }
        db.user("Zoë 🏃").await;
        let names: Vec<String> = db.store.list_users().await.unwrap().into_iter().map(|user| user.name).collect();
        assert_eq!(names, ["Ann", "Zoë 🏃"]);
        assert_eq!(db.store.find_user("ANN").await.unwrap().unwrap().name, "Ann");
        assert_eq!(db.store.find_user("bob").await.unwrap(), None);
    }

    async fn a_password_is_kept_as_a_hash_and_changed(db) {
        let ann = db.user("Ann").await;
        assert!(!db.store.verify_password(ann, &secret("")).await.unwrap(), "no password set, none accepted");
        assert!(matches!(db.store.set_password(ann, &secret("short"), now()).await, Err(Error::BadPassword)));
        db.store.set_password(ann, &secret("correct horse"), now()).await.unwrap();
        assert!(db.store.verify_password(ann, &secret("correct horse")).await.unwrap());
        assert!(!db.store.verify_password(ann, &secret("correct horsE")).await.unwrap());
        db.store.set_password(ann, &secret("battery staple"), now()).await.unwrap();
        assert!(!db.store.verify_password(ann, &secret("correct horse")).await.unwrap());
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        let stored = raw.texts("SELECT password_hash FROM credentials").await;
        assert!(stored.len() == 1 && stored[0].starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored:?}");
        assert!(db.store.list_users().await.unwrap()[0].has_password);
    }

    async fn an_invite_sets_a_password_once_and_in_time(db) {
        let ann = db.user("Ann").await;
        let stale = db.store.create_invite(ann, now()).await.unwrap();
        let invite = db.store.create_invite(ann, now()).await.unwrap();
        let redeem = async |code: &str, at| db.store.redeem_invite(code, &secret("a new password"), at).await;
        assert!(matches!(redeem(stale.reveal(), now()).await, Err(Error::NotConfirmed(_))), "a newer invite replaces an older one");
        assert!(matches!(redeem(invite.reveal(), now() + TimeDelta::days(7)).await, Err(Error::NotConfirmed(_))));
        assert_eq!(redeem(&format!(" {} ", invite.reveal()), now()).await.unwrap(), ann);
        assert!(matches!(redeem(invite.reveal(), now()).await, Err(Error::NotConfirmed(_))), "once");
        assert!(db.store.verify_password(ann, &secret("a new password")).await.unwrap());
        // Changing the password disables every other way in.
        let waiting = db.store.create_invite(ann, now()).await.unwrap();
        let cookie = db.store.open_session(ann, "Firefox", TimeDelta::days(1), now()).await.unwrap();
        db.store.set_password(ann, &secret("changed again"), now()).await.unwrap();
        assert!(matches!(redeem(waiting.reveal(), now()).await, Err(Error::NotConfirmed(_))));
        assert_eq!(db.store.find_session(cookie.reveal(), now()).await.unwrap(), None);
    }

    async fn sessions_and_tokens_belong_to_their_user_and_end(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let cookie = db.store.open_session(ann, "Firefox", TimeDelta::days(30), now()).await.unwrap();
        let session = db.store.find_session(cookie.reveal(), now()).await.unwrap().unwrap();
        assert_eq!((session.user, session.client.as_str()), (ann, "Firefox"));
        assert_eq!(db.store.find_session(cookie.reveal(), now() + TimeDelta::days(30)).await.unwrap(), None);
        assert_eq!(db.store.find_session("guess", now()).await.unwrap(), None);
        let later = now() + TimeDelta::hours(1);
        db.store.touch_session(ann, session.id, later).await.unwrap();
        assert_eq!(db.store.list_sessions(ann).await.unwrap()[0].seen_at, later);
        assert!(matches!(db.store.end_session(bob, session.id, now()).await, Err(Error::NotFound(_))));
        db.store.end_session(ann, session.id, now()).await.unwrap();
        assert_eq!(db.store.find_session(cookie.reveal(), now()).await.unwrap(), None);
        db.store.open_session(ann, "a", TimeDelta::days(1), now()).await.unwrap();
        assert_eq!(db.store.end_all_sessions(ann, now()).await.unwrap(), 1);

        let (id, token) = db.store.mint_api_token(ann, "desktop", Scope::Draft, Some(now() + TimeDelta::days(90)), now()).await.unwrap();
        let found = db.store.find_api_token(token.reveal(), now()).await.unwrap().unwrap();
        assert_eq!((found.user, found.scope), (ann, Scope::Draft));
        assert_eq!(db.store.find_api_token(token.reveal(), now() + TimeDelta::days(90)).await.unwrap(), None);
        assert!(matches!(db.store.revoke_api_token(bob, id, now()).await, Err(Error::NotFound(_))));
        db.store.revoke_api_token(ann, id, now()).await.unwrap();
        assert_eq!(db.store.find_api_token(token.reveal(), now()).await.unwrap(), None);
        assert!(db.store.list_api_tokens(ann).await.unwrap().is_empty());

        // Neither secret is stored in plain text.
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        let stored = raw.texts("SELECT token_hash FROM api_tokens").await;
        assert!(stored.len() == 1 && stored[0] != token.reveal() && !format!("{token:?}").contains(token.reveal()));
    }

    async fn login_link_works_once_and_expires(db) {
        let ann = db.user("Ann").await;
        let old = db.store.create_login_link(ann, now()).await.unwrap();
        let link = db.store.create_login_link(ann, now()).await.unwrap();
        let use_it = async |secret: &str, at| db.store.redeem_login_link(secret, "Firefox", TimeDelta::days(1), at).await;
        assert!(matches!(use_it(old.reveal(), now()).await, Err(Error::NotConfirmed(_))), "a newer link ends an older one");
        assert!(matches!(use_it(link.reveal(), now() + TimeDelta::minutes(15)).await, Err(Error::NotConfirmed(_))));
        assert_eq!(db.store.find_login_link(link.reveal(), now()).await.unwrap(), Some(ann), "looking does not use it up");
        let (user, cookie) = use_it(link.reveal(), now()).await.unwrap();
        assert_eq!(user, ann);
        assert_eq!(db.store.find_session(cookie.reveal(), now()).await.unwrap().unwrap().user, ann);
        assert!(matches!(use_it(link.reveal(), now()).await, Err(Error::NotConfirmed(_))), "once");
        assert_eq!(db.store.find_login_link(link.reveal(), now()).await.unwrap(), None);
        // Changing the password disables pending login links.
        let waiting = db.store.create_login_link(ann, now()).await.unwrap();
        db.store.set_password(ann, &secret("correct horse"), now()).await.unwrap();
        assert_eq!(db.store.find_login_link(waiting.reveal(), now()).await.unwrap(), None);
    }

    async fn a_session_by_link_is_confirmed_by_the_code_of_the_terminal(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let session = async |user| {
            let link = db.store.create_login_link(user, now()).await.unwrap();
            let (_, cookie) = db.store.redeem_login_link(link.reveal(), "Firefox", TimeDelta::days(1), now()).await.unwrap();
            db.store.find_session(cookie.reveal(), now()).await.unwrap().unwrap()
        };
        let (mine, theirs) = (session(ann).await, session(bob).await);
        assert_eq!(mine.confirmed_at, None, "a link proves nothing");
        let try_code = async |user, id, code: &str, at| db.store.confirm_session_by_code(user, id, &secret(code), at).await;
        let old = db.store.create_session_code(ann, now()).await.unwrap();
        let code = db.store.create_session_code(ann, now()).await.unwrap();
        let code = code.expose_secret();
        assert!(!try_code(ann, mine.id, old.expose_secret(), now()).await.unwrap(), "a newer code ends an older one");
        assert!(!try_code(bob, theirs.id, code, now()).await.unwrap(), "another athlete's code");
        assert!(!try_code(ann, mine.id, code, now() + TimeDelta::minutes(10)).await.unwrap(), "too late");
        assert!(matches!(try_code(ann, theirs.id, code, now()).await, Err(Error::NotFound(RecordKind::Session))), "another athlete's session");
        assert!(try_code(ann, mine.id, &code.to_lowercase().replace('-', " "), now()).await.unwrap());
        let sessions = db.store.list_sessions(ann).await.unwrap();
        assert_eq!(sessions[0].confirmed_at, Some(now()));
        assert_eq!(db.store.list_sessions(bob).await.unwrap()[0].confirmed_at, None);
        assert!(!try_code(ann, mine.id, code, now()).await.unwrap(), "once");
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        db.store.create_session_code(ann, now()).await.unwrap();
        let stored = raw.texts("SELECT code_hash FROM session_codes").await;
        assert!(stored.len() == 1 && stored[0].starts_with("$argon2id$"), "{stored:?}");
    }

    async fn a_session_code_ends_after_five_tries_and_with_the_password(db) {
        let ann = db.user("Ann").await;
        let cookie = db.store.open_unconfirmed_session(ann, "Firefox", TimeDelta::days(1), now()).await.unwrap();
        let session = db.store.find_session(cookie.reveal(), now()).await.unwrap().unwrap();
        let code = db.store.create_session_code(ann, now()).await.unwrap();
        for _ in 0..5 {
            assert!(!db.store.confirm_session_by_code(ann, session.id, &secret("AAAA-AAAA"), now()).await.unwrap());
        }
        assert!(!db.store.confirm_session_by_code(ann, session.id, &code, now()).await.unwrap(), "no tries are left");
        db.store.create_session_code(ann, now()).await.unwrap();
        db.store.set_password(ann, &secret("correct horse"), now()).await.unwrap();
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        assert_eq!(raw.number("SELECT COUNT(*) FROM session_codes").await, 0);
        let cookie = db.store.open_session(ann, "Firefox", TimeDelta::days(1), now()).await.unwrap();
        let session = db.store.find_session(cookie.reveal(), now()).await.unwrap().unwrap();
        assert_eq!(session.confirmed_at, Some(now()), "the password was given");
    }

    async fn owner_removal_without_new_owner_is_refused(db) {
        let (ann, bob, cyd) = (db.user("Ann").await, db.user("Bob").await, db.user("Cyd").await);
        assert_eq!(db.store.owner().await.unwrap(), Some(ann));
        let leave = async |user, new_owner| {
            let consent = db.consent(user, HumanActionKind::DeleteUser, None, ContentHash::hash_bytes(b"x")).await.unwrap();
            db.store.remove_user(consent, new_owner).await
        };
        assert!(matches!(leave(ann, None).await, Err(Error::NoNewOwner)));
        assert!(matches!(leave(ann, Some(ann)).await, Err(Error::NoNewOwner)));
        assert!(matches!(leave(ann, Some(fitness_core::domain::ids::UserId::new(99))).await, Err(Error::NotFound(RecordKind::User))));
        assert_eq!(db.store.list_users().await.unwrap().len(), 3, "nobody left");
        leave(ann, Some(cyd)).await.unwrap();
        assert_eq!(db.store.owner().await.unwrap(), Some(cyd), "not whoever is first now");
        assert_eq!(db.store.first_broken_audit_entry(cyd).await.unwrap(), None);
        // Users who are not the owner leave as before, and so does the last user.
        leave(bob, None).await.unwrap();
        assert_eq!(db.store.owner().await.unwrap(), Some(cyd));
        leave(cyd, None).await.unwrap();
        assert_eq!(db.store.owner().await.unwrap(), None);
    }

    async fn weak_password_is_refused_and_change_can_revoke_tokens(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let invite = db.store.create_invite(ann, now()).await.unwrap();
        for weak in ["            ", "password123", "annann2026", "aaaaaaaaaa"] {
            assert!(matches!(db.store.set_password(ann, &secret(weak), now()).await, Err(Error::WeakPassword(_))), "{weak}");
            let redeemed = db.store.redeem_invite(invite.reveal(), &secret(weak), now()).await;
            assert!(matches!(redeemed, Err(Error::WeakPassword(_))), "{weak}");
        }
        for user in [ann, ann, bob] {
            db.store.mint_api_token(user, "desktop", Scope::Read, None, now()).await.unwrap();
        }
        assert_eq!(db.store.change_password(ann, &secret("correct horse"), false, now()).await.unwrap(), 0);
        assert_eq!(db.store.list_api_tokens(ann).await.unwrap().len(), 2);
        assert_eq!(db.store.change_password(ann, &secret("battery staple"), true, now()).await.unwrap(), 2);
        assert!(db.store.list_api_tokens(ann).await.unwrap().is_empty());
        assert_eq!(db.store.list_api_tokens(bob).await.unwrap().len(), 1);
    }

    async fn calendar_feed_has_one_secret_at_a_time(db) {
        let ann = db.user("Ann").await;
        assert_eq!(db.store.calendar_feed_created_at(ann).await.unwrap(), None);
        let old = db.store.create_calendar_feed(ann, now()).await.unwrap();
        assert_eq!(db.store.find_calendar_feed_user(old.reveal()).await.unwrap(), Some(ann));
        let new = db.store.create_calendar_feed(ann, now()).await.unwrap();
        assert_eq!(db.store.find_calendar_feed_user(old.reveal()).await.unwrap(), None);
        assert_eq!(db.store.calendar_feed_created_at(ann).await.unwrap(), Some(now()));
        db.store.delete_calendar_feed(ann, now()).await.unwrap();
        assert_eq!(db.store.find_calendar_feed_user(new.reveal()).await.unwrap(), None);
    }

    async fn data_version_changes_only_on_write(db) {
        let ann = db.user("Ann").await;
        // On PostgreSQL other tests write to the same server; one undisturbed moment is enough.
        let mut before = db.store.data_version().await.unwrap();
        let mut still = false;
        for _ in 0..500 {
            db.store.list_plans(ann).await.unwrap();
            let now = db.store.data_version().await.unwrap();
            still = now == before;
            if still {
                break;
            }
            before = now;
        }
        assert!(still, "reading changes nothing");
        db.store.touch_session(ann, fitness_core::domain::ids::SessionId::new(1), now()).await.unwrap();
        db.store.add_note(ann, Author::Athlete, None, &NoteText::new("hello").unwrap(), now()).await.unwrap();
        let after = db.store.data_version().await.unwrap();
        assert_ne!(after, before);
        // Writes of another process count too.
        let other = db.another_store().await;
        other.add_note(ann, Author::Athlete, None, &NoteText::new("again").unwrap(), now()).await.unwrap();
        assert_ne!(db.store.data_version().await.unwrap(), after);
    }

    async fn removing_user_deletes_all_and_only_their_rows(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        for user in [ann, bob] {
            db.active_plan(user, "Plan").await;
            db.store.set_password(user, &secret("long enough"), now()).await.unwrap();
            db.store.add_note(user, Author::Athlete, None, &NoteText::new("hello").unwrap(), now()).await.unwrap();
        }
        let consent = db.consent(ann, HumanActionKind::DeleteUser, None, ContentHash::hash_bytes(b"Ann")).await.unwrap();
        db.store.remove_user(consent, Some(bob)).await.unwrap();
        assert_eq!(db.store.find_user("Ann").await.unwrap(), None);
        assert!(db.store.list_plans(ann).await.unwrap().is_empty() && db.store.list_notes(ann).await.unwrap().is_empty());
        assert_eq!(db.store.list_plans(bob).await.unwrap().len(), 1);
        assert_eq!(db.store.first_broken_audit_entry(bob).await.unwrap(), None);
        let again = db.user("Ann").await;
        assert!(again > bob, "an id is never reused");
    }

    async fn the_audit_chain_shows_tampering(db) {
        let ann = db.user("Ann").await;
        for text in ["one", "two", "three"] {
            db.store.add_note(ann, Author::Athlete, None, &NoteText::new(text).unwrap(), now()).await.unwrap();
        }
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), None);
        let head = db.store.audit_head(ann).await.unwrap();
        assert_eq!((head.seq, head.hash.len()), (4, 64));
        let mut raw = crate::sql_shell::Raw::connect(&db).await;
        let drop = if raw.is_sqlite() { "DROP TRIGGER an_audit_entry_is_never_edited" } else { "DROP TRIGGER an_audit_entry_is_never_edited ON audit_log" };
        raw.must_exec(drop).await;
        raw.must_exec("UPDATE audit_log SET object = 'note:99' WHERE seq = 3").await;
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), Some(3));
    }
}
