//! Athletes with everything an athlete can have, each thing marked with whose it is, and everybody who may come along.

use crate::harness::{BASE_URL, Browser, TestResponse, TestSite, form};
use axum::body::Body;
use axum::http::{Request, header};
use chrono::TimeDelta;
use fitness_coach::model::{Message, UserPart};
use fitness_core::coach_api::Scope;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::gear::{GearDetails, GearKind};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::predict::ResultKind;
use fitness_core::plan::{Change, Draft, GoalDistance, HumanActionKind};
use fitness_store::testkit::{draft, easy_run, june, now};
use fitness_store::{ChatMessage, ImportBatch, NewBrief, PackedOriginalFile, PackedRecord, RaceResult, Role};
use fitness_web::{AccessRule, RequestBody, RouteInfo};
use serde_json::json;
use std::collections::BTreeMap;

/// What marks everything that is Ben's, but for his name: that one whoever runs the server may read.
pub(crate) const CANARY: &str = "zzcanary";
/// Part of Ben's name.
pub(crate) const NAME_CANARY: &str = "zznamed";
/// Every kind of thing that is marked.
pub(crate) const CANARY_KINDS: [&str; 14] = [
    "active", "draft", "proposal", "workout", "note", "activity", "file", "token", "chat", "said", "brief",
    "source", "browser", "upload",
];

/// A mark on a thing of Ben's.
pub(crate) fn canary(kind: &str) -> String {
    format!("{CANARY}-{kind}")
}

/// What fills the `{…}` of an address: whose it is, or that it is nobody's.
#[derive(Debug, Clone)]
pub(crate) enum FilledPath {
    /// A thing of Ben's, and one that was never there.
    Owned(String, String),
    /// The same for everybody.
    Fixed(String),
}

/// Everything of Ben's by the address it is under.
#[derive(Debug, Default)]
pub(crate) struct OwnedPaths(BTreeMap<&'static str, String>);

impl OwnedPaths {
    pub(crate) fn path_of(&self, address: &str) -> &str {
        self.0.get(address).map_or("1", String::as_str)
    }

    /// The address of a route. A route with a gap that nobody said how to fill stops the test: say it here.
    pub(crate) fn fill_path(&self, path: &str) -> Option<FilledPath> {
        let fixed = [
            ("/assets/{hash}/{name}", "/assets/0/app.css"),
            ("/days/{day}", "/days/2026-06-11"),
            ("/trends/{file}", "/trends/fitness.csv"),
            ("/plan/export/{file}", "/plan/export/plan.md"),
            ("/plan/revisions/{number}", "/plan/revisions/1"),
            ("/plan/revert", "/plan/revert?to=1"),
            ("/calendar/{file}", "/calendar/00112233445566778899aabbccddeeff.ics"),
        ];
        if let Some((_, address)) = fixed.iter().find(|(known, _)| *known == path) {
            return Some(FilledPath::Fixed((*address).to_owned()));
        }
        let (before, _) = path.split_once('{')?;
        let owned = [
            "/activities/",
            "/api/v1/activities/",
            "/overview/races/",
            "/overview/results/",
            "/gear/",
            "/marks/",
            "/data/",
            "/import/",
            "/settings/notes/",
            "/settings/marks/",
            "/settings/tokens/",
            "/settings/sessions/",
            "/settings/users/",
            "/plans/",
            "/plan/workouts/",
            "/proposals/",
        ];
        let known = owned.iter().find(|known| **known == before);
        let known = known.unwrap_or_else(|| panic!("{path}: say in fixtures.rs what fills this"));
        let with = |id: &str, hash: &str| {
            let filled = path.replace("{id}", id).replace("{hash}", hash);
            assert!(!filled.contains('{'), "{path}: say in fixtures.rs what fills this");
            filled
        };
        Some(FilledPath::Owned(
            with(self.path_of(known), self.path_of("file")),
            with("987654321", &"0".repeat(64)),
        ))
    }
}

/// Who may come along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A browser in which nobody signed in.
    SignedOutBrowser,
    /// Ben, whose everything is.
    Ben,
    /// Cleo, who has a plan and a note of her own.
    Cleo,
    /// Ann, who runs the server.
    Ann,
    /// A program with Ben's token.
    ReadToken,
    /// A program with Ben's token that may draft.
    DraftToken,
    /// The secret of Ben's calendar, tried as a token.
    CalendarSecret,
    /// Ben's browser after he signed out in it.
    EndedSession,
    /// Ben's browser after a month.
    ExpiredSession,
    /// The browser of somebody whose account is deleted.
    DeletedUser,
    /// The token of somebody whose account is deleted.
    DeletedUserToken,
    /// A token that was revoked.
    RevokedToken,
}

impl Caller {
    pub(crate) const ALL: [Self; 12] = [
        Self::SignedOutBrowser,
        Self::Ben,
        Self::Cleo,
        Self::Ann,
        Self::ReadToken,
        Self::DraftToken,
        Self::CalendarSecret,
        Self::EndedSession,
        Self::ExpiredSession,
        Self::DeletedUser,
        Self::DeletedUserToken,
        Self::RevokedToken,
    ];

    /// Whether Ben's things may be shown.
    pub(crate) const fn is_ben(self) -> bool {
        matches!(self, Self::Ben | Self::ReadToken | Self::DraftToken)
    }

    /// Whether it brings an `Authorization`.
    pub(crate) const fn is_program(self) -> bool {
        matches!(
            self,
            Self::ReadToken
                | Self::DraftToken
                | Self::CalendarSecret
                | Self::DeletedUserToken
                | Self::RevokedToken
        )
    }

    /// Whether anybody known stands behind it.
    pub(crate) const fn is_signed_in(self) -> bool {
        matches!(self, Self::Ben | Self::Cleo | Self::Ann)
    }
}

/// The server, its athletes and everybody who comes along.
pub(crate) struct MultiUserFixture {
    pub(crate) site: TestSite,
    pub(crate) ann: UserId,
    pub(crate) ben: UserId,
    pub(crate) cleo: UserId,
    pub(crate) paths: OwnedPaths,
    pub(crate) feed: String,
    callers: Vec<(Caller, Browser, String)>,
}

impl MultiUserFixture {
    /// Three athletes; with `full`, Ben has everything.
    pub(crate) async fn new(full: bool) -> Self {
        Self::with_site(TestSite::new().await, full).await
    }

    pub(crate) async fn with_site(site: TestSite, full: bool) -> Self {
        let ann = site.db.user("Ann").await;
        let ben = site.db.user(&format!("Ben {NAME_CANARY}")).await;
        let cleo = site.db.user("Cleo").await;
        let mut things = OwnedPaths::default();
        if full {
            things = create_all_data(&site, ben).await;
            site.db.active_plan(cleo, "Cleo's plan").await;
        }
        let mut world =
            Self { site, ann, ben, cleo, paths: things, feed: String::new(), callers: Vec::new() };
        world.add_callers().await;
        world
    }

    async fn add_callers(&mut self) {
        let (site, store, ben) = (&self.site, &self.site.db.store, self.ben);
        let mint =
            async |name: &str, scope| store.mint_api_token(ben, name, scope, None, now()).await.unwrap();
        let (_, reads) = mint(&canary("token"), Scope::Read).await;
        let (_, drafts) = mint("drafts", Scope::Draft).await;
        let (id, revoked) = mint("revoked", Scope::Read).await;
        store.revoke_api_token(ben, id, now()).await.unwrap();
        let feed = store.create_calendar_feed(ben, now()).await.unwrap();
        let month_ago = now() - TimeDelta::days(31);
        let expired = store.open_session(ben, "an old one", TimeDelta::days(30), month_ago).await.unwrap();
        store.open_session(ben, &canary("browser"), TimeDelta::days(30), now()).await.unwrap();
        let session = store.list_sessions(ben).await.unwrap().iter().map(|one| one.id).max().unwrap();
        let signed_out = site.signed_in(ben).await;
        signed_out.post("/sign-out", &[]).await.redirect_target();
        let dora = site.db.user("Dora").await;
        let gone = site.signed_in(dora).await;
        let (_, gone_token) = store.mint_api_token(dora, "x", Scope::Draft, None, now()).await.unwrap();
        let seen = ContentHash::hash_bytes(b"Dora");
        let consent = site.db.consent(dora, HumanActionKind::DeleteUser, None, seen).await.unwrap();
        store.remove_user(consent, None).await.unwrap();
        let own = site.signed_in(ben).await;
        if !self.paths.0.is_empty() {
            self.paths.0.insert("/import/", run_bad_upload(site, &own).await);
        }
        self.paths.0.insert("/settings/sessions/", session.to_string());
        let tokens = store.list_api_tokens(ben).await.unwrap();
        let token = tokens.iter().find(|token| token.name == canary("token")).unwrap().id;
        self.paths.0.insert("/settings/tokens/", token.to_string());
        self.paths.0.insert("/settings/users/", ben.to_string());
        let program = |secret: &str| (site.signed_out_browser(), format!("Bearer {secret}"));
        let browser = |browser: Browser| (browser, String::new());
        self.callers = Vec::new();
        for role in Caller::ALL {
            let (browser, bearer) = match role {
                Caller::SignedOutBrowser => browser(site.signed_out_browser()),
                Caller::Ben => browser(own.clone()),
                Caller::Cleo => browser(site.signed_in(self.cleo).await),
                Caller::Ann => browser(site.signed_in(self.ann).await),
                Caller::ReadToken => program(reads.reveal()),
                Caller::DraftToken => program(drafts.reveal()),
                Caller::CalendarSecret => program(feed.reveal()),
                Caller::EndedSession => browser(signed_out.clone()),
                Caller::ExpiredSession => browser(site.with_cookie(expired.reveal())),
                Caller::DeletedUser => browser(gone.clone()),
                Caller::DeletedUserToken => program(gone_token.reveal()),
                Caller::RevokedToken => program(revoked.reveal()),
            };
            self.callers.push((role, browser, bearer));
        }
        // That a token was used is noted once; from here on nothing is written unless somebody does something.
        let route = |listed: &&RouteInfo| listed.access == AccessRule::SessionOrToken;
        let reading = self.site.routes.iter().find(route).unwrap().clone();
        for role in Caller::ALL {
            self.call(role, &reading, reading.path).await;
        }
        self.feed = format!("/calendar/{}.ics", feed.reveal());
    }

    pub(crate) fn browser(&self, role: Caller) -> Browser {
        let (_, browser, _) = self.callers.iter().find(|(known, ..)| *known == role).unwrap();
        self.site.on_current_router(browser)
    }

    /// Calls a route as it wants to be called: what it brings along is sound, and empty.
    pub(crate) async fn call(&self, role: Caller, route: &RouteInfo, address: &str) -> TestResponse {
        let (_, browser, bearer) = self.callers.iter().find(|(known, ..)| *known == role).unwrap();
        let browser = self.site.on_current_router(browser);
        let mut request = browser.request(route.method, address);
        if !bearer.is_empty() {
            request = request.header(header::AUTHORIZATION, bearer);
        }
        browser.send(request_body(request, route, &browser.token)).await
    }

    /// What is held of everybody: nothing can be written without changing it.
    pub(crate) async fn snapshot(&self) -> String {
        let store = &self.site.db.store;
        let mut all = Vec::new();
        for user in store.list_users().await.unwrap() {
            all.push(format!("{user:?} {:?}", store.audit_head(user.id).await.unwrap()));
            all.push(store.fingerprint(user.id).await.unwrap().to_string());
        }
        all.join("\n")
    }
}

/// Gives a request what its route wants: a form, files or JSON, with the session's token where there is one.
pub(crate) fn request_body(
    request: axum::http::request::Builder,
    route: &RouteInfo,
    token: &str,
) -> Request<Body> {
    let json = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
    match route.body {
        RequestBody::Empty => request.body(Body::empty()).unwrap(),
        RequestBody::Form => form(request.header(header::ORIGIN, BASE_URL), &[("form_token", token)]),
        RequestBody::Multipart => {
            let body = format!(
                "--edge\r\nContent-Disposition: form-data; name=\"form_token\"\r\n\r\n{token}\r\n--edge--\r\n"
            );
            let request = request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge");
            request.header(header::ORIGIN, BASE_URL).body(Body::from(body)).unwrap()
        }
        RequestBody::Json => {
            let chat = route.path == "/api/chat";
            let body = if chat { json!({ "text": "Hello" }).to_string() } else { json };
            let request = request
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::ACCEPT, "application/json, text/event-stream")
                .header("mcp-protocol-version", "2025-11-25")
                .header(header::ORIGIN, BASE_URL);
            request.body(if route.method == "GET" { Body::empty() } else { Body::from(body) }).unwrap()
        }
    }
}

/// Uploads a file that is none; gives back the number of the import, when it is over.
async fn run_bad_upload(site: &TestSite, browser: &Browser) -> String {
    let part = |name: &str, content: &str| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
    };
    let file = format!("files\"; filename=\"{}.fit", canary("upload"));
    let body = format!("{}{}--edge--\r\n", part("form_token", &browser.token), part(&file, "no run"));
    let request = browser
        .request("POST", "/import")
        .header(header::ORIGIN, BASE_URL)
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge");
    let answer = browser.send(request.body(Body::from(body)).unwrap()).await;
    let path = answer.redirect_target();
    site.run_imports().await;
    assert!(!browser.get(path).await.contains("data-poll"));
    path.trim_start_matches("/import/").to_owned()
}

/// One of everything, marked as Ben's.
async fn create_all_data(site: &TestSite, ben: UserId) -> OwnedPaths {
    let (db, store) = (&site.db, &site.db.store);
    let mut things = BTreeMap::new();
    let marked = |kind: &str| NoteText::new(&canary(kind)).unwrap();

    // A long run with its file, which its source calls a race.
    let bytes = canary("file");
    let hash = ContentHash::hash_bytes(bytes.as_bytes());
    let activity = Activity {
        name: Some(canary("activity")),
        distance: Distance::from_km(10.04),
        elapsed: Some(TimeSpan::from_mins(52)),
        moving: Some(TimeSpan::from_mins(50)),
        avg_heart_rate: Some(141),
        ..Activity::new(Sport::Running, "2026-06-11T07:00:00Z".parse().unwrap(), 0)
    };
    let key = RecordKey { kind: SourceKind::Garmin, id: "race".to_owned() };
    let recorded = ParsedActivity { race: true, ..ParsedActivity::without_samples(activity) };
    let report =
        PackedRecord::pack(SourceRecord { key, parsed: recorded, raw: None }, Some(hash), None).unwrap();
    let original = PackedOriginalFile::pack("run.fit", hash, bytes.as_bytes());
    let batch = ImportBatch { originals: vec![original], records: vec![report], ..ImportBatch::default() };
    store.import_batch(ben, batch, now()).await.unwrap();
    store.declare_day_complete(ben, june(13), now()).await.unwrap();
    let activity = store.list_activities(ben, june(1), june(14)).await.unwrap()[0].id;
    for address in ["/activities/", "/api/v1/activities/", "/overview/races/"] {
        things.insert(address, activity.to_string());
    }
    things.insert("file", hash.to_string());
    let raced = RaceResult {
        activity: None,
        day: june(2),
        name: canary("result"),
        distance: Distance::from_km(5.0).unwrap(),
        time: TimeSpan::from_mins(24),
        effort: ResultKind::Race,
    };
    things.insert("/overview/results/", store.put_race(ben, &raced, now()).await.unwrap().to_string());
    let shoes =
        GearDetails { kind: GearKind::Shoes, name: canary("gear"), initial: Distance::ZERO, retire_at: None };
    things.insert("/gear/", store.add_gear(ben, &shoes, now()).await.unwrap().to_string());

    // A plan that runs, a draft, and a proposal.
    let mut workouts = vec![easy_run(june(9), 8.0), easy_run(june(11), 10.0), easy_run(june(14), 16.0)];
    for workout in &mut workouts {
        workout.name = canary("workout");
    }
    let race = draft("x").race_date();
    let half = Draft::new(
        &canary("active"),
        GoalDistance::Half,
        None,
        june(8),
        race,
        Some(TimeSpan::from_secs(6300)),
        workouts,
    )
    .unwrap();
    let desk = store.plan_writer(ben, Author::Coach);
    let active = desk.put_draft(&half, None, now()).await.unwrap();
    db.activate(ben, active, None).await.unwrap();
    let drafted = db.draft(ben, &canary("draft")).await;
    things.insert("/plans/", drafted.to_string());
    things.insert("active", active.to_string());
    // A revision that can be taken back.
    let more = [Change::Add { workout: easy_run(june(16), 5.0) }];
    let proposal = desk.propose(active, 1, &canary("proposal"), &more, june(14), now()).await.unwrap();
    let (browser, review) = (site.signed_in(ben).await, format!("/proposals/{proposal}"));
    let rules = browser.get(&review).await.text;
    let rules = rules.split("name=\"override\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let rules: String = rules.map(|rule| format!("&override={rule}")).collect();
    let asked = browser.get(&format!("{review}/apply?chosen=1&include=0{rules}")).await;
    browser.submit_form(&asked, &format!("{review}/apply")).await.redirect_target();
    let workout = store.list_workouts(ben, active, 2).await.unwrap()[2].id;
    things.insert("/plan/workouts/", workout.to_string());
    let changes = [Change::Modify {
        workout_id: workout,
        workout: easy_run(june(14), 9.0),
        notes: None,
        on: None,
        asked: None,
    }];
    let proposal = desk.propose(active, 2, &canary("proposal"), &changes, june(14), now()).await.unwrap();
    things.insert("/proposals/", proposal.to_string());

    // What was said and marked.
    let note = store.add_note(ben, Author::Athlete, None, &marked("note"), now()).await.unwrap();
    things.insert("/settings/notes/", note.to_string());
    let ill = ObservationData::new(ObservationKind::Illness, june(14), june(16), Some(1)).unwrap();
    let ill = store.add_observation(ben, Author::Athlete, &ill, now()).await.unwrap();
    things.insert("/marks/", ill.to_string());
    let hurt = ObservationData::new(ObservationKind::Injury, june(18), june(18), Some(1)).unwrap();
    let hurt = store.add_observation(ben, Author::Coach, &hurt, now()).await.unwrap();
    things.insert("/settings/marks/", hurt.to_string());
    let chat = store.start_chat(ben, &canary("chat"), now()).await.unwrap();
    let said = Message::Program { parts: vec![UserPart::Text { text: canary("said") }] };
    let body = serde_json::to_value(said).unwrap();
    let message = ChatMessage { role: Role::Athlete, body, model: None, said_at: now() };
    store.add_chat_message(ben, chat, message).await.unwrap();
    things.insert("chat", chat.to_string());
    let brief = NewBrief {
        day: june(14),
        model: "a-model".to_owned(),
        prompt_version: String::new(),
        schema_version: "1".to_owned(),
        body: json!({ "rendered": canary("brief") }),
        cost_micros: None,
        fallback_reason: None,
        facts: Vec::new(),
    };
    store.put_brief(ben, brief, now()).await.unwrap();
    let config = json!({ "address": "https://example.org" });
    let source = store.add_source(ben, "intervals", &canary("source"), config, now()).await.unwrap();
    things.insert("/data/", source.to_string());
    OwnedPaths(things)
}
