//! Settings: what is shown is what is stored, bad input is told, and nobody touches what is another's.

use crate::fake_services::{is, with_ann};
use crate::harness::{SITE, form};
use axum::body::Body;
use axum::http::{StatusCode, header};
use fitness_coach::settings::{Chosen, Provider, SETTING, Shared};
use fitness_core::coach_api::requests::{SuggestNote, SuggestObservation};
use fitness_core::coach_api::{CoachDesk as _, Scope};
use fitness_core::domain::athlete::{Sex, ThresholdKind, ThresholdOrigin};
use fitness_core::domain::calendar::Weekday;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::units::UnitSystem;
use fitness_store::SHARED_COACH_KEY_SETTING;
use fitness_store::testkit::{june, now};

const BAD: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

#[tokio::test]
async fn every_room_opens_and_says_what_is_stored() {
    let (_site, _, _, ann) = with_ann().await;
    for (path, says) in [
        ("/settings", "value=\"UTC\""),
        ("/settings/limits", "not known yet"),
        ("/settings/coach", "The built-in coach: rules, no model, no key."),
        ("/settings/coach/preview", "&quot;the brief&quot;"),
        ("/settings/coach/preview?say=hi", "&quot;hi&quot;"),
        ("/settings/notes", "No notes yet."),
        ("/settings/connect", "They cannot commit, archive or delete"),
        ("/settings/security", "No password is set"),
        ("/settings/people", "Invite somebody"),
        ("/settings/account", "MIT"),
        ("/settings/account/delete", "Type your name to delete it"),
    ] {
        let page = ann.get(path).await;
        is(&page, StatusCode::OK, says);
        assert!(page.text.len() < 38_000, "{path}: {}", page.text.len());
        assert_eq!(page.text.matches("<h1").count(), 1, "{path}");
        assert!(!page.says("style=\"") && !page.says("tag\": \"<b>"), "{path}");
    }
}

#[tokio::test]
async fn whose_model_may_be_in_the_network_of_the_server_is_said_at_the_field() {
    let (site, _, _, ann) = with_ann().await;
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    let told = "is for whoever runs this server to choose";
    for path in ["/settings/coach", "/welcome?step=3"] {
        let (own, other) = (ann.get(path).await, ben.get(path).await);
        assert!(own.says("Ollama on this machine when empty.") && !own.says(told), "{path}");
        assert!(!other.says("Ollama on this machine when empty.") && other.says(told), "{path}");
    }
}

#[tokio::test]
async fn the_profile_is_kept_and_bad_values_are_told_with_their_field() {
    let (site, _, user, ann) = with_ann().await;
    let good = [
        ("zone", "America/New_York"),
        ("units", "imperial"),
        ("birth_year", "1985"),
        ("sex", "female"),
        ("sleep_need", "8:15"),
    ];
    assert_eq!(ann.post("/settings/profile", &good).await.leads_to(), "/settings?done=saved");
    let profile = site.db.store.profile(user).await.unwrap();
    assert_eq!((profile.zone.name(), profile.units), ("America/New_York", UnitSystem::Imperial));
    assert_eq!((profile.week_start, profile.birth_year), (Weekday::Mon, Some(1985)));
    assert_eq!(profile.sex, Some(Sex::Female));
    let page = ann.get("/settings?done=saved").await;
    assert!(
        page.says("Saved.") && page.says("value=\"8:15\"") && page.says("value=\"1985\""),
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
        is(
            &page,
            BAD,
            &format!("id=\"{field}-fault\"").replace("units-fault", "units").replace("sex-fault", "sex"),
        );
        assert!(!page.says("<script>"), "{}", page.text);
        assert!(page.says("Nothing was saved yet."));
    }
    assert_eq!(site.db.store.profile(user).await.unwrap(), profile);

    assert_eq!(ann.post("/settings/looks", &[("theme", "dark")]).await.leads_to(), "/settings?done=saved");
    let page = ann.get("/settings").await;
    assert!(page.says("data-theme=\"dark\"") && !page.says("data-keys"), "{}", page.text);
    for bad in [[("theme", "sepia"), ("keys", "on")], [("theme", "light"), ("keys", "%00")]] {
        is(&ann.post("/settings/looks", &bad).await, BAD, "Nothing was saved yet.");
    }
    is(&ann.post("/settings/looks", &[]).await, BAD, "Choose one of the three.");
    assert!(ann.get("/settings").await.says("data-theme=\"dark\""), "what cannot be read changes nothing");
    ann.post("/settings/looks", &[("theme", "system"), ("keys", "on")]).await;
    let page = ann.get("/settings").await;
    assert!(!page.says("data-theme") && page.says("data-keys=\"on\""), "{}", page.text);
}

#[tokio::test]
async fn limits_and_zones_are_set_shown_with_origin_and_removed() {
    let (site, _, user, ann) = with_ann().await;
    let set = |kind, value, from| [("kind", kind), ("value", value), ("from", from)];
    ann.post("/settings/limits", &set("max_heart_rate", "190", "2026-05-01")).await.leads_to();
    ann.post("/settings/limits", &set("max_heart_rate", "188", "")).await.leads_to();
    let page = ann.get("/settings/limits").await;
    assert!(page.says("188 bpm") && page.says("190 bpm") && page.says("you set it"), "{}", page.text);
    assert!(page.says("88 % of your highest heart rate"), "{}", page.text);
    for (kind, value, from, field) in [
        ("max_heart_rate", "900", "", "value"),
        ("max_heart_rate", "abc", "", "value"),
        ("max_heart_rate", "", "", "value"),
        ("max_heart_rate", "NaN", "", "value"),
        ("threshold_speed", "0:00", "", "value"),
        ("max_heart_rate", "190", "2026-06-15", "from"),
        ("max_heart_rate", "190", "yesterday", "from"),
    ] {
        is(&ann.post("/settings/limits", &set(kind, value, from)).await, BAD, &format!("{field}-fault"));
    }
    is(&ann.post("/settings/limits", &set("mood", "1", "")).await, BAD, "Nothing was saved yet.");
    let all = site.db.store.list_thresholds(user).await.unwrap();
    let own = all.iter().filter(|one| one.origin == ThresholdOrigin::Set);
    assert_eq!(own.count(), 2);

    let zones = |divides, sport, bounds| [("divides", divides), ("sport", sport), ("bounds", bounds)];
    ann.post("/settings/zones", &zones("heart_rate", "running", "120,140,160")).await.leads_to();
    assert!(ann.get("/settings/limits").await.says("120, 140, 160 bpm"));
    for (fields, field) in [
        (zones("power", "running", "100,200"), "Nothing was saved yet."),
        (zones("heart_rate", "running", "160,120"), "bounds-fault"),
        (zones("heart_rate", "running", ""), "bounds-fault"),
        (zones("speed", "running", "4:00,6:00"), "bounds-fault"),
    ] {
        is(&ann.post("/settings/zones", &fields).await, BAD, field);
    }
    let remove = [("divides", "heart_rate"), ("sport", "running"), ("from", "2026-06-14")];
    ann.post("/settings/zones/remove", &remove).await.leads_to();
    assert_eq!(ann.post("/settings/zones/remove", &remove).await.status, StatusCode::NOT_FOUND);
    let remove = [("kind", "max_heart_rate"), ("from", "2026-06-14")];
    ann.post("/settings/limits/remove", &remove).await.leads_to();
    assert_eq!(ann.post("/settings/limits/remove", &remove).await.status, StatusCode::NOT_FOUND);
    let all = site.db.store.list_thresholds(user).await.unwrap();
    assert!(all.iter().any(|one| one.kind == ThresholdKind::MaxHeartRate && one.value == 190.0), "{all:?}");
    let nothing = ann.post("/settings/limits/confirm", &[("kind", "threshold_power")]).await;
    assert_eq!(nothing.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_key_is_handed_outside_and_never_shown() {
    let (site, outside, user, ann) = with_ann().await;
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
    ann.post("/settings/coach", &form("anthropic", "sk-very-secret")).await.leads_to();
    assert_eq!(outside.asked(), [format!("coach {user} anthropic true")]);
    let chosen: Chosen = site.db.store.find_setting(user, SETTING).await.unwrap().unwrap();
    assert_eq!(
        (chosen.provider, chosen.tokens_a_day, chosen.micros_a_day),
        (Provider::Anthropic, 1000, 500_000)
    );
    let page = ann.get("/settings/coach").await;
    assert!(page.says("Claude, haiku.") && page.says("0 of 1000 tokens"), "{}", page.text);
    assert!(!page.says("sk-very-secret"));

    let refused = ann.post("/settings/coach", &form("anthropic", "wrong")).await;
    is(&refused, BAD, "The key cannot be right.");
    assert!(!refused.says("value=\"wrong\""), "a key is not written back");
    is(&ann.post("/settings/coach", &form("openai", "")).await, BAD, "model-fault");
    is(&ann.post("/settings/coach", &form("nobody", "")).await, BAD, "Nothing was saved yet.");
    for (field, value) in
        [("tokens", "0"), ("tokens", "-1"), ("dollars", "1001"), ("dollars", "NaN"), ("dollars", "")]
    {
        let mut fields = form("built-in", "").to_vec();
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        is(&ann.post("/settings/coach", &fields).await, BAD, &format!("{field}-fault"));
    }
    let after: Chosen = site.db.store.find_setting(user, SETTING).await.unwrap().unwrap();
    assert_eq!(after, chosen);
}

#[tokio::test]
async fn marking_a_day_that_a_coach_suggested_marks_it() {
    let (site, _, user, ann) = with_ann().await;
    let day = june(15);
    let desk = site.db.store.coaching_desk(user, Author::Coach, now(), "").await.unwrap();
    let ill = SuggestObservation {
        kind: ObservationKind::Illness,
        from: day,
        through: None,
        value: None,
        comment: None,
    };
    desk.suggest_observation(ill).await.unwrap();
    let days = day.to_string();
    let answer = ann.post("/marks", &[("reason", "ill"), ("from", &days), ("through", &days)]).await;
    assert_eq!(answer.leads_to(), "/?done=marked");
    let marks = site.db.store.list_observations(user, day, day).await.unwrap();
    assert_eq!(marks.iter().filter(|mark| mark.accepted).count(), 1, "{marks:?}");
    assert_eq!(marks.len(), 1, "nothing waits any longer");
}

#[tokio::test]
async fn what_a_coach_suggests_is_decided_about_where_its_link_leads() {
    let (site, _, user, ann) = with_ann().await;
    let desk = site.db.store.coaching_desk(user, Author::Coach, now(), "").await.unwrap();
    let note = SuggestNote { text: "drinks too little".to_owned(), date: None };
    let day = june(15);
    let ill = SuggestObservation {
        kind: ObservationKind::Illness,
        from: day,
        through: Some(day.plus(2)),
        value: Some(2),
        comment: Some("<b>flu</b>".to_owned()),
    };
    let (note, ill) = (desk.suggest_note(note).await.unwrap(), desk.suggest_observation(ill).await.unwrap());
    for (review, shown) in [(&note.review, "drinks too little"), (&ill.review, "&lt;b&gt;flu&lt;/b&gt;")] {
        let page = ann.get(review).await;
        is(&page, StatusCode::OK, shown);
        is(&page, StatusCode::OK, "Take it over");
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
    ann.post(&format!("/settings/marks/{id}/accept"), &[]).await.leads_to();
    assert!(marks().await[0].accepted);
    assert!(!ann.get(&ill.review).await.says("flu"), "what is decided waits no longer");
    ann.post(&format!("/settings/marks/{id}/delete"), &[]).await.leads_to();
    assert!(marks().await.is_empty());
}

#[tokio::test]
async fn notes_are_written_changed_taken_over_and_deleted() {
    let (site, _, user, ann) = with_ann().await;
    let store = &site.db.store;
    ann.post("/settings/notes", &[("text", "<img src=x onerror=alert(1)>"), ("day", "")]).await.leads_to();
    let page = ann.get("/settings/notes").await;
    assert!(page.says("&lt;img src=x") && !page.says("<img"), "{}", page.text);
    let id = store.list_notes(user).await.unwrap()[0].id.to_string();
    let edit = ann.get(&format!("/settings/notes/{id}")).await;
    is(&edit, StatusCode::OK, "Change a note");
    let changed = [("instead", id.as_str()), ("text", "calf is tight"), ("day", "2026-06-13")];
    ann.post("/settings/notes", &changed).await.leads_to();
    let notes = store.list_notes(user).await.unwrap();
    assert_eq!((notes.len(), notes[0].text.as_str(), notes[0].day), (1, "calf is tight", Some(june(13))));
    let again = ann.post("/settings/notes", &changed).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND, "the one it replaces is gone");

    for (text, day, field) in [("", "", "text"), (&*"x".repeat(4001), "", "text"), ("fine", "soon", "day")] {
        is(
            &ann.post("/settings/notes", &[("text", text), ("day", day)]).await,
            BAD,
            &format!("{field}-fault"),
        );
    }
    let text = NoteText::new("drink more").unwrap();
    let suggested = store.add_note(user, Author::Coach, None, &text, now()).await.unwrap();
    is(&ann.get("/settings/notes").await, StatusCode::OK, "suggested by coach");
    ann.post(&format!("/settings/notes/{suggested}/accept"), &[]).await.leads_to();
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
    ann.post(&format!("/settings/notes/{suggested}/delete"), &[]).await.leads_to();
    assert_eq!(store.list_notes(user).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_token_is_shown_once_with_lines_to_copy_and_revoked_by_its_owner() {
    let (site, _, user, ann) = with_ann().await;
    let page =
        ann.post("/settings/tokens", &[("name", "Desk <b>"), ("scope", "draft"), ("days", "30")]).await;
    is(&page, StatusCode::OK, "This is the only time it is shown.");
    assert!(page.says(&format!("{SITE}/mcp")) && page.says("claude mcp add"), "{}", page.text);
    assert!(!page.says("<b>"));
    let secret = page.text.split("id=\"token\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    let token = site.db.store.find_api_token(secret, now()).await.unwrap().unwrap();
    assert_eq!((token.user, token.scope, token.name.as_str()), (user, Scope::Draft, "Desk <b>"));
    assert!(!ann.get("/settings/connect").await.says(secret));
    for (name, scope, days) in
        [("", "read", ""), ("x", "commit", ""), ("x", "read", "0"), ("x", "read", "9999")]
    {
        let page = ann.post("/settings/tokens", &[("name", name), ("scope", scope), ("days", days)]).await;
        is(&page, BAD, "Nothing was saved yet.");
    }
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    let revoke = format!("/settings/tokens/{}/revoke", token.id);
    assert_eq!(ben.post(&revoke, &[]).await.status, StatusCode::NOT_FOUND);
    assert!(site.db.store.find_api_token(secret, now()).await.unwrap().is_some());
    ann.post(&revoke, &[]).await.leads_to();
    assert!(site.db.store.find_api_token(secret, now()).await.unwrap().is_none());
}

#[tokio::test]
async fn the_calendar_has_the_coming_workouts_and_opens_by_its_secret_alone() {
    let (site, _, user, ann) = with_ann().await;
    site.db.active_plan(user, "Half").await;
    let page = ann.post("/settings/calendar", &[]).await;
    let address =
        page.text.split("id=\"address\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    let path = address.strip_prefix(SITE).unwrap().to_owned();
    let stranger = site.stranger();
    let feed = stranger.get(&path).await;
    is(&feed, StatusCode::OK, "BEGIN:VCALENDAR");
    assert_eq!(feed.headers[header::CONTENT_TYPE], "text/calendar; charset=utf-8");
    assert!(feed.says("20260614") && !feed.says("DTSTART;VALUE=DATE:20260609"), "{}", feed.text);
    for wrong in ["/calendar/.ics", "/calendar/0000.ics", path.trim_end_matches(".ics"), "/calendar/x"] {
        assert_eq!(stranger.get(wrong).await.status, StatusCode::NOT_FOUND, "{wrong}");
    }
    ann.post("/settings/calendar", &[]).await;
    assert_eq!(stranger.get(&path).await.status, StatusCode::NOT_FOUND, "a new address ends the old one");
    ann.post("/settings/calendar/close", &[]).await.leads_to();
    assert!(site.db.store.calendar_feed_since(user).await.unwrap().is_none());
}

#[tokio::test]
async fn a_password_takes_the_old_one_and_tries_are_counted() {
    let (site, _, user, mut ann) = with_ann().await;
    let other = site.signed_in(user).await;
    let set = |old, password, again| [("old", old), ("password", password), ("again", again)];
    is(&ann.post("/settings/password", &set("", "short", "short")).await, BAD, "8 to 200 characters");
    is(&ann.post("/settings/password", &set("", "", "")).await, BAD, "password-fault");
    is(&ann.post("/settings/password", &set("", "three words here", "four")).await, BAD, "differ");
    let answer = ann.post("/settings/password", &set("", "three words here", "three words here")).await;
    ann.take_cookie(&answer);
    is(&ann.get("/settings/security").await, StatusCode::OK, "A password is set.");
    assert_eq!(other.get("/settings").await.status, StatusCode::SEE_OTHER, "other browsers are signed out");
    let wrong = set("not this one", "other words here", "other words here");
    is(&ann.post("/settings/password", &wrong).await, BAD, "That is not your password.");
    let stranger = site.stranger();
    let by_name = |password| [("name", "Ann"), ("password", password), ("to", "//evil.example")];
    assert_eq!(stranger.post("/sign-in", &by_name("three words here")).await.leads_to(), "/");
    let mut last = StatusCode::OK;
    for _ in 0..12 {
        last = stranger.post("/sign-in", &by_name("guess guess guess")).await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
    // What a stranger does is not counted against her; what she does herself is.
    is(&ann.post("/settings/password", &wrong).await, BAD, "That is not your password.");
    for _ in 0..6 {
        last = ann.post("/settings/password", &wrong).await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn sessions_end_one_by_one_or_all_others() {
    let (site, _, user, ann) = with_ann().await;
    let (second, third) = (site.signed_in(user).await, site.signed_in(user).await);
    let sessions = site.db.store.list_sessions(user).await.unwrap();
    assert_eq!(sessions.len(), 3);
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    let newest = sessions.iter().map(|session| session.id).max().unwrap();
    let end = format!("/settings/sessions/{newest}/end");
    assert_eq!(ben.post(&end, &[]).await.status, StatusCode::NOT_FOUND);
    ann.post(&end, &[]).await.leads_to();
    assert_eq!(third.get("/settings").await.status, StatusCode::SEE_OTHER);
    assert_eq!(second.get("/settings").await.status, StatusCode::OK);
    ann.post("/settings/sessions/end", &[]).await.leads_to();
    assert_eq!(second.get("/settings").await.status, StatusCode::SEE_OTHER);
    assert_eq!(ann.get("/settings").await.status, StatusCode::OK);
    assert_eq!(ben.get("/settings").await.status, StatusCode::OK);
}

#[tokio::test]
async fn people_are_invited_by_whoever_runs_the_server_and_by_nobody_else() {
    let (site, _, user, ann) = with_ann().await;
    let page = ann.post("/settings/people", &[("name", "Ben")]).await;
    let link = page.text.split("id=\"link\" tabindex=\"0\">").nth(1).unwrap().split('<').next().unwrap();
    let path = link.strip_prefix(SITE).unwrap().to_owned();
    let mut ben = site.stranger();
    is(&ben.get(&path).await, StatusCode::OK, "Hello, Ben");
    let code = path.split("code=").nth(1).unwrap();
    let take = |password, again| [("code", code), ("password", password), ("again", again)];
    is(&ben.post("/invite", &take("short", "short")).await, BAD, "8 to 200 characters");
    let answer = ben.post("/invite", &take("long enough", "long enough")).await;
    assert_eq!(answer.leads_to(), "/welcome");
    ben.take_cookie(&answer);
    assert_eq!(ben.post("/invite", &take("long enough", "long enough")).await.status, StatusCode::GONE);
    assert_eq!(site.stranger().get(&path).await.status, StatusCode::GONE);
    is(&ann.post("/settings/people", &[("name", "ben")]).await, BAD, "name-fault");
    is(&ann.post("/settings/people", &[("name", "")]).await, BAD, "name-fault");

    assert!(!ben.get("/settings").await.says("/settings/people"));
    assert_eq!(ben.get("/settings/people").await.status, StatusCode::NOT_FOUND);
    let id = site.db.store.find_user("Ben").await.unwrap().unwrap().id;
    let paths = ["/settings/people", "/settings/people/key", "/settings/people/key/end"];
    for path in paths.into_iter().map(str::to_owned).chain([format!("/settings/people/{user}/invite")]) {
        assert_eq!(ben.post(&path, &[("name", "Eve")]).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let again = ann.post(&format!("/settings/people/{id}/invite"), &[]).await;
    assert_eq!(again.status, StatusCode::CONFLICT, "a closed account is not opened");
    assert_eq!(ann.post("/settings/people/999/invite", &[]).await.status, StatusCode::NOT_FOUND);

    let share = [
        ("provider", "anthropic"),
        ("claude", "sonnet"),
        ("key", "sk-shared"),
        ("tokens", "500"),
        ("dollars", "0.10"),
    ];
    ann.post("/settings/people/key", &share).await.leads_to();
    let page = ann.get("/settings/people").await;
    assert!(page.says("500 tokens and $0.1000 a day for each athlete"), "{}", page.text);
    assert!(!page.says("sk-shared") && !page.says("sealed\""));
    let built_in = [("provider", "built-in"), ("tokens", "500"), ("dollars", "0.10")];
    is(&ann.post("/settings/people/key", &built_in).await, BAD, "Rules need no key");
    ann.post("/settings/people/key/end", &[]).await.leads_to();
    let shared: Option<Option<Shared>> =
        site.db.store.find_setting(user, SHARED_COACH_KEY_SETTING).await.unwrap();
    assert_eq!(shared, Some(None));
}

#[tokio::test]
async fn an_account_goes_only_by_its_page_its_name_and_its_password() {
    let (site, _, user, mut ann) = with_ann().await;
    let ben = site.db.user("Ben").await;
    let answer = ann
        .post("/settings/password", &[("password", "three words here"), ("again", "three words here")])
        .await;
    ann.take_cookie(&answer);
    let path = "/settings/account/delete";
    let page = ann.get(path).await;
    let question = page.hidden(path).into_iter().find(|(name, _)| name == "question").unwrap().1;
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
        is(&ann.post(path, &fields).await, status, says);
        assert!(site.db.store.user(user).await.is_ok());
    }
    let fields = say(&question, "Ann", "three words here");
    let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    is(&ann.post(path, &fields).await, StatusCode::OK, "Gone");
    assert!(site.db.store.user(user).await.is_err());
    assert!(site.db.store.user(ben).await.is_ok());
    assert_eq!(ann.get("/settings").await.status, StatusCode::SEE_OTHER);
}

/// Every form of the settings, as somebody could forge it.
#[tokio::test]
async fn a_form_without_its_token_from_elsewhere_or_with_a_bearer_changes_nothing() {
    let (site, outside, user, ann) = with_ann().await;
    let before = site.db.store.fingerprint(user).await.unwrap();
    for path in [
        "/settings/profile",
        "/settings/looks",
        "/settings/limits",
        "/settings/zones",
        "/settings/coach",
        "/settings/notes",
        "/settings/tokens",
        "/settings/calendar",
        "/settings/password",
        "/settings/sessions/end",
        "/settings/people",
        "/settings/people/key",
        "/settings/account/delete",
    ] {
        let fields = [("text", "x"), ("name", "Eve"), ("scope", "read"), ("zone", "UTC")];
        let with_token = [&fields[..], &[("form_token", ann.token.as_str())]].concat();
        let own = || ann.request("POST", path).header(header::ORIGIN, SITE);
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
        let nobody = form(site.stranger().request("POST", path).header(header::ORIGIN, SITE), &with_token);
        assert_eq!(site.stranger().send(nobody).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(site.db.store.fingerprint(user).await.unwrap(), before);
    assert!(outside.asked().is_empty());
}
