//! Settings: what is shown is what is stored, bad input is told, and nobody touches what is another's.

use crate::fake_services::{assert_page, site_with_owner};
use crate::harness::{BASE_URL, form};
use axum::body::Body;
use axum::http::{StatusCode, header};
use fitness_coach::settings::{CoachSettings, Provider, SETTING_KEY, SharedKey};
use fitness_core::coach_api::requests::{NoteSuggestion, ObservationSuggestion};
use fitness_core::coach_api::{CoachApi as _, Scope};
use fitness_core::domain::athlete::{Sex, ThresholdKind, ThresholdOrigin};
use fitness_core::domain::calendar::Weekday;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::units::UnitSystem;
use fitness_store::SHARED_COACH_KEY_SETTING;
use fitness_store::testkit::{june, now};

const BAD: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

#[tokio::test]
async fn every_settings_page_shows_stored_values() {
    let (_site, _, _, ann) = site_with_owner().await;
    for (path, says) in [
        ("/settings", "value=\"UTC\""),
        ("/settings/thresholds", "not set"),
        ("/settings/coach", "Built-in coach: rules, no AI, no API key."),
        ("/settings/coach/preview", "&quot;the brief&quot;"),
        ("/settings/coach/preview?say=hi", "&quot;hi&quot;"),
        ("/settings/notes", "No notes yet."),
        ("/settings/integrations", "They can't make a plan active, archive it or delete it"),
        ("/settings/security", "No password is set"),
        ("/settings/users", "Invite someone"),
        ("/settings/account", "MIT"),
        ("/settings/account/delete", "Type your name to confirm"),
    ] {
        let page = ann.get(path).await;
        assert_page(&page, StatusCode::OK, says);
        assert!(page.text.len() < 38_000, "{path}: {}", page.text.len());
        assert_eq!(page.text.matches("<h1").count(), 1, "{path}");
        assert!(!page.contains("style=\"") && !page.contains("tag\": \"<b>"), "{path}");
    }
}

#[tokio::test]
async fn model_address_hint_says_who_may_use_local_network() {
    let (site, _, _, ann) = site_with_owner().await;
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    let told = "Only the owner of this server can use a model on its own network";
    for path in ["/settings/coach", "/welcome?step=3"] {
        let (own, other) = (ann.get(path).await, ben.get(path).await);
        assert!(own.contains("Leave empty for Ollama on this machine.") && !own.contains(told), "{path}");
        assert!(!other.contains("Leave empty for Ollama on this machine.") && other.contains(told), "{path}");
    }
}

#[tokio::test]
async fn profile_is_saved_and_invalid_values_are_refused_by_field() {
    let (site, _, user, ann) = site_with_owner().await;
    let good = [
        ("zone", "America/New_York"),
        ("units", "imperial"),
        ("birth_year", "1985"),
        ("sex", "female"),
        ("sleep_need", "8:15"),
    ];
    assert_eq!(ann.post("/settings/profile", &good).await.redirect_target(), "/settings?done=saved");
    let profile = site.db.store.profile(user).await.unwrap();
    assert_eq!((profile.zone.name(), profile.units), ("America/New_York", UnitSystem::Imperial));
    assert_eq!((profile.week_start, profile.birth_year), (Weekday::Mon, Some(1985)));
    assert_eq!(profile.sex, Some(Sex::Female));
    let page = ann.get("/settings?done=saved").await;
    assert!(
        page.contains("Saved.") && page.contains("value=\"8:15\"") && page.contains("value=\"1985\""),
        "{}",
        page.text
    );

    let huge = "x".repeat(5000);
    for (field, value) in [
        ("zone", "Mars/Olympus"),
        ("zone", ""),
        ("zone", &huge),
        ("units", "parsecs"),
        ("birth_year", "1785"),
        ("birth_year", "2027"),
        ("birth_year", "<script>"),
        ("sex", "x"),
        ("sleep_need", "25:00"),
    ] {
        let mut fields = good.to_vec();
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        let page = ann.post("/settings/profile", &fields).await;
        assert_page(
            &page,
            BAD,
            &format!("id=\"{field}-fault\"").replace("units-fault", "units").replace("sex-fault", "sex"),
        );
        assert!(!page.contains("<script>"), "{}", page.text);
        assert!(page.contains("Nothing was changed."));
    }
    assert_eq!(site.db.store.profile(user).await.unwrap(), profile);

    assert_eq!(
        ann.post("/settings/looks", &[("theme", "dark")]).await.redirect_target(),
        "/settings?done=saved"
    );
    let page = ann.get("/settings").await;
    assert!(page.contains("data-theme=\"dark\"") && !page.contains("data-keys"), "{}", page.text);
    for bad in [[("theme", "sepia"), ("keys", "on")], [("theme", "light"), ("keys", "%00")]] {
        assert_page(&ann.post("/settings/looks", &bad).await, BAD, "Nothing was changed.");
    }
    assert_page(&ann.post("/settings/looks", &[]).await, BAD, "Choose one of the three.");
    assert!(
        ann.get("/settings").await.contains("data-theme=\"dark\""),
        "what cannot be read changes nothing"
    );
    ann.post("/settings/looks", &[("theme", "system"), ("keys", "on")]).await;
    let page = ann.get("/settings").await;
    assert!(!page.contains("data-theme") && page.contains("data-keys=\"on\""), "{}", page.text);
}

#[tokio::test]
async fn thresholds_and_zones_are_set_shown_with_source_and_removed() {
    let (site, _, user, ann) = site_with_owner().await;
    let set = |kind, value, from| [("kind", kind), ("value", value), ("from", from)];
    ann.post("/settings/thresholds", &set("max_heart_rate", "190", "2026-05-01")).await.redirect_target();
    ann.post("/settings/thresholds", &set("max_heart_rate", "188", "")).await.redirect_target();
    let page = ann.get("/settings/thresholds").await;
    assert!(
        page.contains("188 bpm") && page.contains("190 bpm") && page.contains("set by you"),
        "{}",
        page.text
    );
    assert!(page.contains("88% of max HR"), "{}", page.text);
    for (kind, value, from, field) in [
        ("max_heart_rate", "900", "", "value"),
        ("max_heart_rate", "abc", "", "value"),
        ("max_heart_rate", "", "", "value"),
        ("max_heart_rate", "NaN", "", "value"),
        ("threshold_speed", "0:00", "", "value"),
        ("max_heart_rate", "190", "2026-06-15", "from"),
        ("max_heart_rate", "190", "yesterday", "from"),
    ] {
        assert_page(
            &ann.post("/settings/thresholds", &set(kind, value, from)).await,
            BAD,
            &format!("{field}-fault"),
        );
    }
    assert_page(&ann.post("/settings/thresholds", &set("mood", "1", "")).await, BAD, "Nothing was changed.");
    let all = site.db.store.list_thresholds(user).await.unwrap();
    let own = all.iter().filter(|one| one.origin == ThresholdOrigin::Set);
    assert_eq!(own.count(), 2);

    let zones = |divides, sport, bounds| [("divides", divides), ("sport", sport), ("bounds", bounds)];
    ann.post("/settings/zones", &zones("heart_rate", "running", "120,140,160")).await.redirect_target();
    assert!(ann.get("/settings/thresholds").await.contains("120, 140, 160 bpm"));
    for (fields, field) in [
        (zones("power", "running", "100,200"), "Nothing was changed."),
        (zones("heart_rate", "running", "160,120"), "bounds-fault"),
        (zones("heart_rate", "running", ""), "bounds-fault"),
        (zones("speed", "running", "4:00,6:00"), "bounds-fault"),
    ] {
        assert_page(&ann.post("/settings/zones", &fields).await, BAD, field);
    }
    let remove = [("divides", "heart_rate"), ("sport", "running"), ("from", "2026-06-14")];
    ann.post("/settings/zones/remove", &remove).await.redirect_target();
    assert_eq!(ann.post("/settings/zones/remove", &remove).await.status, StatusCode::NOT_FOUND);
    let remove = [("kind", "max_heart_rate"), ("from", "2026-06-14")];
    ann.post("/settings/thresholds/remove", &remove).await.redirect_target();
    assert_eq!(ann.post("/settings/thresholds/remove", &remove).await.status, StatusCode::NOT_FOUND);
    let all = site.db.store.list_thresholds(user).await.unwrap();
    assert!(all.iter().any(|one| one.kind == ThresholdKind::MaxHeartRate && one.value == 190.0), "{all:?}");
    let nothing = ann.post("/settings/thresholds/confirm", &[("kind", "threshold_power")]).await;
    assert_eq!(nothing.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn api_key_is_passed_to_services_and_never_shown() {
    let (site, outside, user, ann) = site_with_owner().await;
    let form = |provider, key| {
        [
            ("provider", provider),
            ("claude", "haiku"),
            ("model", ""),
            ("address", ""),
            ("key", key),
            ("tokens", "1000"),
            ("dollars", "0.50"),
        ]
    };
    ann.post("/settings/coach", &form("anthropic", "sk-very-secret")).await.redirect_target();
    assert_eq!(outside.take_calls(), [format!("coach {user} anthropic true")]);
    let chosen: CoachSettings = site.db.store.find_setting(user, SETTING_KEY).await.unwrap().unwrap();
    assert_eq!(
        (chosen.provider, chosen.tokens_a_day, chosen.micros_a_day),
        (Provider::Anthropic, 1000, 500_000)
    );
    let page = ann.get("/settings/coach").await;
    assert!(page.contains("Claude Haiku.") && page.contains("0 of 1,000 tokens"), "{}", page.text);
    assert!(!page.contains("sk-very-secret"));

    let refused = ann.post("/settings/coach", &form("anthropic", "wrong")).await;
    assert_page(&refused, BAD, "The key cannot be right.");
    assert!(!refused.contains("value=\"wrong\""), "a key is not written back");
    assert_page(&ann.post("/settings/coach", &form("openai", "")).await, BAD, "model-fault");
    assert_page(&ann.post("/settings/coach", &form("nobody", "")).await, BAD, "Nothing was changed.");
    for (field, value) in
        [("tokens", "0"), ("tokens", "-1"), ("dollars", "1001"), ("dollars", "NaN"), ("dollars", "")]
    {
        let mut fields = form("built-in", "").to_vec();
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        assert_page(&ann.post("/settings/coach", &fields).await, BAD, &format!("{field}-fault"));
    }
    let after: CoachSettings = site.db.store.find_setting(user, SETTING_KEY).await.unwrap().unwrap();
    assert_eq!(after, chosen);
}

#[tokio::test]
async fn accepting_suggested_absence_saves_it() {
    let (site, _, user, ann) = site_with_owner().await;
    let day = june(15);
    let desk = site.db.store.coach_api(user, Author::Coach, now(), "").await.unwrap();
    let ill = ObservationSuggestion {
        kind: ObservationKind::Illness,
        from: day,
        through: None,
        value: None,
        comment: None,
    };
    desk.suggest_observation(ill).await.unwrap();
    let days = day.to_string();
    let answer = ann.post("/marks", &[("reason", "ill"), ("from", &days), ("through", &days)]).await;
    assert_eq!(answer.redirect_target(), "/?done=marked");
    let marks = site.db.store.list_observations(user, day, day).await.unwrap();
    assert_eq!(marks.iter().filter(|mark| mark.accepted).count(), 1, "{marks:?}");
    assert_eq!(marks.len(), 1, "nothing waits any longer");
}

#[tokio::test]
async fn coach_suggestion_is_decided_on_the_linked_page() {
    let (site, _, user, ann) = site_with_owner().await;
    let desk = site.db.store.coach_api(user, Author::Coach, now(), "").await.unwrap();
    let note = NoteSuggestion { text: "drinks too little".to_owned(), date: None };
    let day = june(15);
    let ill = ObservationSuggestion {
        kind: ObservationKind::Illness,
        from: day,
        through: Some(day.plus_days(2)),
        value: Some(2),
        comment: Some("<b>flu</b>".to_owned()),
    };
    let (note, ill) = (desk.suggest_note(note).await.unwrap(), desk.suggest_observation(ill).await.unwrap());
    for (review, shown) in [(&note.review, "drinks too little"), (&ill.review, "&lt;b&gt;flu&lt;/b&gt;")] {
        let page = ann.get(review).await;
        assert_page(&page, StatusCode::OK, shown);
        assert_page(&page, StatusCode::OK, "Accept");
    }
    let id = ill.observation_id.unwrap();
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    for verb in ["accept", "delete"] {
        let page = ben.post(&format!("/settings/marks/{id}/{verb}"), &[]).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{verb}");
    }
    let marks = async || site.db.store.list_observations(user, day, day).await.unwrap();
    assert!(!marks().await[0].accepted);
    ann.post(&format!("/settings/marks/{id}/accept"), &[]).await.redirect_target();
    assert!(marks().await[0].accepted);
    assert!(!ann.get(&ill.review).await.contains("flu"), "what is decided waits no longer");
    ann.post(&format!("/settings/marks/{id}/delete"), &[]).await.redirect_target();
    assert!(marks().await.is_empty());
}

#[tokio::test]
async fn notes_are_added_edited_accepted_and_deleted() {
    let (site, _, user, ann) = site_with_owner().await;
    let store = &site.db.store;
    ann.post("/settings/notes", &[("text", "<img src=x onerror=alert(1)>"), ("day", "")])
        .await
        .redirect_target();
    let page = ann.get("/settings/notes").await;
    assert!(page.contains("&lt;img src=x") && !page.contains("<img"), "{}", page.text);
    let id = store.list_notes(user).await.unwrap()[0].id.to_string();
    let edit = ann.get(&format!("/settings/notes/{id}")).await;
    assert_page(&edit, StatusCode::OK, "Edit note");
    let changed = [("instead", id.as_str()), ("text", "calf is tight"), ("day", "2026-06-13")];
    ann.post("/settings/notes", &changed).await.redirect_target();
    let notes = store.list_notes(user).await.unwrap();
    assert_eq!((notes.len(), notes[0].text.as_str(), notes[0].day), (1, "calf is tight", Some(june(13))));
    let again = ann.post("/settings/notes", &changed).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND, "the one it replaces is gone");

    for (text, day, field) in [("", "", "text"), (&*"x".repeat(4001), "", "text"), ("fine", "soon", "day")] {
        assert_page(
            &ann.post("/settings/notes", &[("text", text), ("day", day)]).await,
            BAD,
            &format!("{field}-fault"),
        );
    }
    let text = NoteText::new("drink more").unwrap();
    let suggested = store.add_note(user, Author::Coach, None, &text, now()).await.unwrap();
    assert_page(&ann.get("/settings/notes").await, StatusCode::OK, "suggested by the coach");
    ann.post(&format!("/settings/notes/{suggested}/accept"), &[]).await.redirect_target();
    assert!(store.list_notes(user).await.unwrap().iter().all(|note| note.accepted));

    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    for path in ["", "/accept", "/delete"] {
        let path = format!("/settings/notes/{suggested}{path}");
        let page =
            if path.ends_with(char::is_numeric) { ben.get(&path).await } else { ben.post(&path, &[]).await };
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(ann.get("/settings/notes/abc").await.status, StatusCode::NOT_FOUND);
    ann.post(&format!("/settings/notes/{suggested}/delete"), &[]).await.redirect_target();
    assert_eq!(store.list_notes(user).await.unwrap().len(), 1);
}

#[tokio::test]
async fn api_token_is_shown_once_and_revoked_only_by_its_user() {
    let (site, _, user, ann) = site_with_owner().await;
    let page =
        ann.post("/settings/tokens", &[("name", "Desk <b>"), ("scope", "draft"), ("days", "30")]).await;
    assert_page(&page, StatusCode::OK, "Copy it now: it won't be shown again.");
    assert!(page.contains(&format!("{BASE_URL}/mcp")) && page.contains("claude mcp add"), "{}", page.text);
    assert!(!page.contains("<b>"));
    let secret = page.text.split("id=\"token\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    let token = site.db.store.find_api_token(secret, now()).await.unwrap().unwrap();
    assert_eq!((token.user, token.scope, token.name.as_str()), (user, Scope::Draft, "Desk <b>"));
    assert!(!ann.get("/settings/integrations").await.contains(secret));
    for (name, scope, days) in
        [("", "read", ""), ("x", "commit", ""), ("x", "read", "0"), ("x", "read", "9999")]
    {
        let page = ann.post("/settings/tokens", &[("name", name), ("scope", scope), ("days", days)]).await;
        assert_page(&page, BAD, "Nothing was changed.");
    }
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    let revoke = format!("/settings/tokens/{}/revoke", token.id);
    assert_eq!(ben.post(&revoke, &[]).await.status, StatusCode::NOT_FOUND);
    assert!(site.db.store.find_api_token(secret, now()).await.unwrap().is_some());
    ann.post(&revoke, &[]).await.redirect_target();
    assert!(site.db.store.find_api_token(secret, now()).await.unwrap().is_none());
}

#[tokio::test]
async fn calendar_feed_has_coming_workouts_and_needs_its_secret() {
    let (site, _, user, ann) = site_with_owner().await;
    site.db.active_plan(user, "Half").await;
    let page = ann.post("/settings/calendar", &[]).await;
    let address =
        page.text.split("id=\"address\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    let path = address.strip_prefix(BASE_URL).unwrap().to_owned();
    let stranger = site.signed_out_browser();
    let feed = stranger.get(&path).await;
    assert_page(&feed, StatusCode::OK, "BEGIN:VCALENDAR");
    assert_eq!(feed.headers[header::CONTENT_TYPE], "text/calendar; charset=utf-8");
    assert!(feed.contains("20260614") && !feed.contains("DTSTART;VALUE=DATE:20260609"), "{}", feed.text);
    for wrong in ["/calendar/.ics", "/calendar/0000.ics", path.trim_end_matches(".ics"), "/calendar/x"] {
        assert_eq!(stranger.get(wrong).await.status, StatusCode::NOT_FOUND, "{wrong}");
    }
    ann.post("/settings/calendar", &[]).await;
    assert_eq!(stranger.get(&path).await.status, StatusCode::NOT_FOUND, "a new address ends the old one");
    ann.post("/settings/calendar/close", &[]).await.redirect_target();
    assert!(site.db.store.calendar_feed_created_at(user).await.unwrap().is_none());
}

#[tokio::test]
async fn changing_password_needs_old_one_and_is_rate_limited() {
    let (site, _, user, mut ann) = site_with_owner().await;
    let other = site.signed_in(user).await;
    let set = |old, password, again| [("old", old), ("password", password), ("again", again)];
    assert_page(
        &ann.post("/settings/password", &set("", "short", "short")).await,
        BAD,
        "8 to 200 characters",
    );
    assert_page(&ann.post("/settings/password", &set("", "", "")).await, BAD, "password-fault");
    assert_page(
        &ann.post("/settings/password", &set("", "three words here", "four")).await,
        BAD,
        "don't match",
    );
    let answer = ann.post("/settings/password", &set("", "three words here", "three words here")).await;
    ann.store_cookie(&answer);
    assert_page(&ann.get("/settings/security").await, StatusCode::OK, "A password is set.");
    assert_eq!(other.get("/settings").await.status, StatusCode::SEE_OTHER, "other browsers are signed out");
    let wrong = set("not this one", "other words here", "other words here");
    assert_page(&ann.post("/settings/password", &wrong).await, BAD, "Wrong password.");
    let stranger = site.signed_out_browser();
    let by_name = |password| [("name", "Ann"), ("password", password), ("to", "//evil.example")];
    assert_eq!(stranger.post("/sign-in", &by_name("three words here")).await.redirect_target(), "/");
    let mut last = StatusCode::OK;
    for _ in 0..12 {
        last = stranger.post("/sign-in", &by_name("guess guess guess")).await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
    // What a stranger does is not counted against her; what she does herself is.
    assert_page(&ann.post("/settings/password", &wrong).await, BAD, "Wrong password.");
    for _ in 0..6 {
        last = ann.post("/settings/password", &wrong).await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn sessions_end_one_by_one_or_all_others() {
    let (site, _, user, ann) = site_with_owner().await;
    let (second, third) = (site.signed_in(user).await, site.signed_in(user).await);
    let sessions = site.db.store.list_sessions(user).await.unwrap();
    assert_eq!(sessions.len(), 3);
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    let newest = sessions.iter().map(|session| session.id).max().unwrap();
    let end = format!("/settings/sessions/{newest}/end");
    assert_eq!(ben.post(&end, &[]).await.status, StatusCode::NOT_FOUND);
    ann.post(&end, &[]).await.redirect_target();
    assert_eq!(third.get("/settings").await.status, StatusCode::SEE_OTHER);
    assert_eq!(second.get("/settings").await.status, StatusCode::OK);
    ann.post("/settings/sessions/end", &[]).await.redirect_target();
    assert_eq!(second.get("/settings").await.status, StatusCode::SEE_OTHER);
    assert_eq!(ann.get("/settings").await.status, StatusCode::OK);
    assert_eq!(ben.get("/settings").await.status, StatusCode::OK);
}

#[tokio::test]
async fn only_the_owner_can_invite_users_and_share_a_key() {
    let (site, _, user, ann) = site_with_owner().await;
    let page = ann.post("/settings/users", &[("name", "Ben")]).await;
    let link = page.text.split("id=\"link\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    let path = link.strip_prefix(BASE_URL).unwrap().to_owned();
    let mut ben = site.signed_out_browser();
    assert_page(&ben.get(&path).await, StatusCode::OK, "Hello, Ben");
    let code = path.split("code=").nth(1).unwrap();
    let take = |password, again| [("code", code), ("password", password), ("again", again)];
    assert_page(&ben.post("/invite", &take("short", "short")).await, BAD, "8 to 200 characters");
    let answer = ben.post("/invite", &take("long enough", "long enough")).await;
    assert_eq!(answer.redirect_target(), "/welcome");
    ben.store_cookie(&answer);
    assert_eq!(ben.post("/invite", &take("long enough", "long enough")).await.status, StatusCode::GONE);
    assert_eq!(site.signed_out_browser().get(&path).await.status, StatusCode::GONE);
    assert_page(&ann.post("/settings/users", &[("name", "ben")]).await, BAD, "name-fault");
    assert_page(&ann.post("/settings/users", &[("name", "")]).await, BAD, "name-fault");

    assert!(!ben.get("/settings").await.contains("/settings/users"));
    assert_eq!(ben.get("/settings/users").await.status, StatusCode::NOT_FOUND);
    let id = site.db.store.find_user("Ben").await.unwrap().unwrap().id;
    let paths = ["/settings/users", "/settings/users/key", "/settings/users/key/end"];
    for path in paths.into_iter().map(str::to_owned).chain([format!("/settings/users/{user}/invite")]) {
        assert_eq!(ben.post(&path, &[("name", "Eve")]).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let again = ann.post(&format!("/settings/users/{id}/invite"), &[]).await;
    assert_eq!(again.status, StatusCode::CONFLICT, "a closed account is not opened");
    assert_eq!(ann.post("/settings/users/999/invite", &[]).await.status, StatusCode::NOT_FOUND);

    let share = [
        ("provider", "anthropic"),
        ("claude", "sonnet"),
        ("key", "sk-shared"),
        ("tokens", "500"),
        ("dollars", "0.10"),
    ];
    ann.post("/settings/users/key", &share).await.redirect_target();
    let page = ann.get("/settings/users").await;
    assert!(page.contains("500 tokens and $0.1000 per day for each user"), "{}", page.text);
    assert!(!page.contains("sk-shared") && !page.contains("sealed\""));
    let built_in = [("provider", "built-in"), ("tokens", "500"), ("dollars", "0.10")];
    assert_page(&ann.post("/settings/users/key", &built_in).await, BAD, "The built-in coach needs no key");
    ann.post("/settings/users/key/end", &[]).await.redirect_target();
    let shared: Option<Option<SharedKey>> =
        site.db.store.find_setting(user, SHARED_COACH_KEY_SETTING).await.unwrap();
    assert_eq!(shared, Some(None));
}

#[tokio::test]
async fn deleting_account_needs_confirmation_name_and_password() {
    let (site, _, user, mut ann) = site_with_owner().await;
    let ben = site.db.user("Ben").await;
    let answer = ann
        .post("/settings/password", &[("password", "three words here"), ("again", "three words here")])
        .await;
    ann.store_cookie(&answer);
    let path = "/settings/account/delete";
    let page = ann.get(path).await;
    let question = page.hidden_fields(path).into_iter().find(|(name, _)| name == "question").unwrap().1;
    let say = |question: &str, name: &str, old: &str| {
        let new_owner = ben.to_string();
        [("question", question), ("name", name), ("old", old), ("new_owner", new_owner.as_str())]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
    };
    for (fields, status, says) in [
        (say("", "Ann", "three words here"), StatusCode::CONFLICT, ""),
        (say(&question, "Anna", "three words here"), BAD, "name-fault"),
        (say(&question, "Ann", "wrong wrong"), BAD, "old-fault"),
    ] {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_page(&ann.post(path, &fields).await, status, says);
        assert!(site.db.store.user(user).await.is_ok());
    }
    let fields = say(&question, "Ann", "three words here");
    let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_page(&ann.post(path, &fields).await, StatusCode::OK, "Account deleted");
    assert!(site.db.store.user(user).await.is_err());
    assert!(site.db.store.user(ben).await.is_ok());
    assert_eq!(ann.get("/settings").await.status, StatusCode::SEE_OTHER);
}

/// Every form of the settings, as somebody could forge it.
#[tokio::test]
async fn form_without_token_or_own_origin_or_with_bearer_is_refused() {
    let (site, outside, user, ann) = site_with_owner().await;
    let before = site.db.store.fingerprint(user).await.unwrap();
    for path in [
        "/settings/profile",
        "/settings/looks",
        "/settings/thresholds",
        "/settings/zones",
        "/settings/coach",
        "/settings/notes",
        "/settings/tokens",
        "/settings/calendar",
        "/settings/password",
        "/settings/sessions/end",
        "/settings/users",
        "/settings/users/key",
        "/settings/account/delete",
    ] {
        let fields = [("text", "x"), ("name", "Eve"), ("scope", "read"), ("zone", "UTC")];
        let with_token = [&fields[..], &[("form_token", ann.token.as_str())]].concat();
        let own = || ann.request("POST", path).header(header::ORIGIN, BASE_URL);
        for (what, request) in [
            ("no token", form(own(), &fields)),
            ("another's token", form(own(), &[&fields[..], &[("form_token", "00")]].concat())),
            ("no origin", form(ann.request("POST", path), &with_token)),
            (
                "foreign",
                form(ann.request("POST", path).header(header::ORIGIN, "http://evil.example"), &with_token),
            ),
            ("bearer", form(own().header(header::AUTHORIZATION, "Bearer x"), &with_token)),
            ("cross-site", form(own().header("sec-fetch-site", "cross-site"), &with_token)),
        ] {
            assert_eq!(ann.send(request).await.status, StatusCode::FORBIDDEN, "{path} {what}");
        }
        let json = own().header(header::CONTENT_TYPE, "application/json").body(Body::from("{}")).unwrap();
        assert_eq!(ann.send(json).await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        let nobody = form(
            site.signed_out_browser().request("POST", path).header(header::ORIGIN, BASE_URL),
            &with_token,
        );
        assert_eq!(site.signed_out_browser().send(nobody).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(site.db.store.fingerprint(user).await.unwrap(), before);
    assert!(outside.take_calls().is_empty());
}
