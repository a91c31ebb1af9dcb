//! Every route, whoever calls it, with and without data: who may call is what the list of routes says, and nothing of an
//! athlete's is ever shown to anybody else.

use crate::fixtures::{
    CANARY, CANARY_KINDS, Caller, FilledPath, MultiUserFixture, NAME_CANARY, canary, request_body,
};
use crate::harness::{TestResponse, TestSite};
use axum::http::header;
use fitness_web::{AccessRule, RequestBody, RouteInfo};
use std::collections::BTreeSet;

/// What a caller gets, by who may call and who calls. There is no rule for a single route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expectation {
    /// It is answered.
    Served,
    /// There is nothing here, whether it is another's or was never there.
    NotFound,
    /// On to signing in.
    SignIn,
    /// Nobody known asks.
    Unauthorized,
    /// May not be done this way.
    Forbidden,
}

fn expected(route: &RouteInfo, role: Caller, owned: bool) -> Expectation {
    let reads = role == Caller::ReadToken || role == Caller::DraftToken;
    let own = role == Caller::Ben || (reads && route.access == AccessRule::SessionOrToken);
    let found = if owned && !own { Expectation::NotFound } else { Expectation::Served };
    match route.access {
        AccessRule::Anyone => Expectation::Served,
        AccessRule::Athlete | AccessRule::Owner if role.is_program() => Expectation::Forbidden,
        AccessRule::Athlete | AccessRule::Owner
            if !role.is_signed_in() && route.body == RequestBody::Empty =>
        {
            Expectation::SignIn
        }
        AccessRule::Athlete | AccessRule::Owner if !role.is_signed_in() => Expectation::Unauthorized,
        AccessRule::Athlete => found,
        AccessRule::Owner if role == Caller::Ann => Expectation::Served,
        AccessRule::Owner => Expectation::NotFound,
        AccessRule::SessionOrToken if reads || role.is_signed_in() => found,
        AccessRule::TokenOnly if reads => Expectation::Served,
        AccessRule::SessionOrToken | AccessRule::TokenOnly => Expectation::Unauthorized,
    }
}

#[track_caller]
fn assert_expected(due: Expectation, full: bool, route: &RouteInfo, role: Caller, page: &TestResponse) {
    let (what, status) = (format!("{} {} as {role:?}: {}", route.method, route.path, page.text), page.status);
    assert!(!status.is_server_error(), "{status} {what}");
    let leads = page.headers.get(header::LOCATION).map_or("", |to| to.to_str().unwrap());
    assert!(leads.is_empty() || (leads.starts_with('/') && !leads.starts_with("//")), "{leads} {what}");
    match due {
        // What a form without anything in it is answered is each form's business; and with no data there is little.
        Expectation::Served
            if full && route.body == RequestBody::Empty && route.access != AccessRule::Anyone =>
        {
            // Asking for a decision that cannot be taken now is told with 409 or 422.
            assert!(matches!(status.as_u16(), 200 | 303 | 409 | 422), "{status} {what}");
            assert!(!leads.starts_with("/sign-in"), "{what}");
        }
        Expectation::Served if route.access == AccessRule::Anyone => assert_ne!(status, 403, "{what}"),
        Expectation::Served => assert!(!matches!(status.as_u16(), 401 | 403 | 429), "{status} {what}"),
        Expectation::NotFound => assert_eq!(status, 404, "{what}"),
        Expectation::SignIn => {
            assert!(status == 303 && leads.starts_with("/sign-in"), "{status} {leads} {what}")
        }
        Expectation::Unauthorized => assert_eq!(status, 401, "{what}"),
        Expectation::Forbidden => assert_eq!(status, 403, "{what}"),
    }
}

/// Everything that is said in an answer.
fn full_text(page: &TestResponse) -> String {
    // How long it is follows from what it says, the number in its address included.
    let headers = page.headers.iter().filter(|(name, _)| *name != header::CONTENT_LENGTH);
    let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value:?}")).collect();
    format!("{}\n{}", headers.join("\n"), page.text)
}

#[track_caller]
fn assert_no_leak(route: &RouteInfo, role: Caller, page: &TestResponse) {
    if role.is_ben() {
        return;
    }
    let all = full_text(page).to_lowercase();
    assert!(!all.contains(CANARY), "{} {} leaks to {role:?}: {all}", route.method, route.path);
    // The owner names the next owner before leaving.
    let of_the_owner = route.access == AccessRule::Owner || route.path == "/settings/account/delete";
    let may_read_names = of_the_owner && role == Caller::Ann;
    assert!(
        may_read_names || !all.contains(NAME_CANARY),
        "{} {} names Ben to {role:?}: {all}",
        route.method,
        route.path
    );
}

/// The address that Ben's things are under, and one with nothing behind it where things are somebody's.
fn paths(world: &MultiUserFixture, route: &RouteInfo) -> (String, Option<String>) {
    match world.paths.fill_path(route.path) {
        None => (route.path.to_owned(), None),
        Some(FilledPath::Fixed(address)) => (address, None),
        Some(FilledPath::Owned(bens, never)) => (bens, Some(never)),
    }
}

/// Whether two answers are the same but for the number or hash that was asked for.
#[track_caller]
fn assert_same_except_id(
    what: &str,
    (his, his_id): (&TestResponse, &str),
    (nobodys, never): (&TestResponse, &str),
) {
    let runs = |page: &TestResponse| -> Vec<String> {
        let all = format!("{} {}", page.status, full_text(page));
        let mut runs: Vec<String> = vec![String::new()];
        for letter in all.chars() {
            let word = |c: char| c.is_ascii_alphanumeric();
            let last = runs.last_mut().unwrap();
            if last.chars().next_back().is_some_and(|before| word(before) != word(letter)) {
                runs.push(letter.to_string());
            } else {
                last.push(letter);
            }
        }
        runs
    };
    let (a, b) = (runs(his), runs(nobodys));
    let same =
        |(a, b): (&String, &String)| a == b || (his_id.contains(a.as_str()) && never.contains(b.as_str()));
    let equal = a.len() == b.len() && a.iter().zip(&b).all(same);
    assert!(equal, "{what}: another's is not like nobody's\n{}\n{}", a.concat(), b.concat());
}

async fn check_all_routes(full: bool) {
    let mut world = MultiUserFixture::new(full).await;
    let listed = world.site.routes.clone();
    let before = world.snapshot().await;
    let mut calls = 0;
    // Whoever may change nothing of Ben's first; then what they read themselves; then what they may change.
    for role in Caller::ALL.into_iter().filter(|role| !role.is_signed_in()) {
        for route in listed.iter().filter(|route| route.access != AccessRule::Anyone) {
            let (address, never) = paths(&world, route);
            let page = world.call(role, route, &address).await;
            let owned = never.is_some() && (!full || !role.is_ben());
            assert_expected(expected(route, role, owned), full, route, role, &page);
            assert_no_leak(route, role, &page);
            calls += 1;
        }
        world.site.reset_rate_limits();
    }
    assert_eq!(world.snapshot().await, before, "whoever is not signed in changed something");
    for role in [Caller::Ann, Caller::Cleo] {
        for route in
            listed.iter().filter(|route| route.access != AccessRule::Anyone && route.path != "/sign-out")
        {
            let (address, Some(never)) = paths(&world, route) else { continue };
            let page = world.call(role, route, &address).await;
            let never_page = world.call(role, route, &never).await;
            let due = expected(route, role, true);
            assert_no_leak(route, role, &page);
            calls += 2;
            if due == Expectation::Served {
                continue;
            }
            assert_expected(due, full, route, role, &page);
            let what = format!("{} {} as {role:?}", route.method, route.path);
            assert_same_except_id(&what, (&page, &address), (&never_page, &never));
        }
    }
    world.site.reset_rate_limits();
    let of_ben = (
        world.site.db.store.fingerprint(world.ben).await.unwrap(),
        world.site.db.store.audit_head(world.ben).await.unwrap(),
    );
    let mut seen = BTreeSet::new();
    for method in ["GET", "POST"] {
        for role in [Caller::Ann, Caller::Cleo, Caller::Ben] {
            for route in listed.iter().filter(|route| route.method == method && route.path != "/sign-out") {
                let (address, never) = paths(&world, route);
                let page = world.call(role, route, &address).await;
                let owned = never.is_some() && (!full || role != Caller::Ben);
                // A file may be gone with what was deleted a moment ago.
                let full = full && (role == Caller::Ben || route.path.starts_with("/settings"));
                assert_expected(expected(route, role, owned), full, route, role, &page);
                assert_no_leak(route, role, &page);
                seen.extend(CANARY_KINDS.into_iter().filter(|kind| page.text.contains(&canary(kind))));
                calls += 1;
            }
            world.site.reset_rate_limits();
            if role == Caller::Cleo {
                let store = &world.site.db.store;
                let after =
                    (store.fingerprint(world.ben).await.unwrap(), store.audit_head(world.ben).await.unwrap());
                let ids =
                    |route: &&RouteInfo| route.access == AccessRule::Owner && route.path.contains("{id}");
                let invited = method == "POST" && listed.iter().any(|route| ids(&route));
                assert!(after.0 == of_ben.0, "somebody else changed what is Ben's");
                assert!(after == of_ben || invited, "somebody else changed what is Ben's");
            }
        }
    }
    println!("{calls} calls of {} routes", listed.len());
    if full {
        let chat = format!("/coach?chat={}", world.paths.path_of("chat"));
        let said = world.browser(Caller::Ben).get(&chat).await;
        seen.extend(CANARY_KINDS.into_iter().filter(|kind| said.text.contains(&canary(kind))));
        let unseen: Vec<&str> = CANARY_KINDS.into_iter().filter(|kind| !seen.contains(kind)).collect();
        assert!(unseen.is_empty(), "what Ben never sees himself proves nothing: {unseen:?}");
    }
}

#[tokio::test]
async fn every_caller_gets_what_the_access_rule_says() {
    check_all_routes(true).await;
}

#[tokio::test]
async fn every_caller_gets_what_the_access_rule_says_without_data() {
    check_all_routes(false).await;
}

#[tokio::test]
async fn server_without_users_admits_nobody() {
    let site = TestSite::new().await;
    let nobody = site.signed_out_browser();
    let version = site.db.store.data_version().await.unwrap();
    for route in &site.routes {
        let path = route.path.replace("{id}", "1").replace(['{', '}'], "");
        let page = nobody.send(request_body(nobody.request(route.method, &path), route, "")).await;
        assert_expected(
            expected(route, Caller::SignedOutBrowser, false),
            false,
            route,
            Caller::SignedOutBrowser,
            &page,
        );
    }
    assert_eq!(site.db.store.data_version().await.unwrap(), version, "nothing was written");
}

/// Where a number is sent, in which field, which one, and what else is sent.
type Probe<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

#[tokio::test]
async fn id_in_query_or_field_gives_no_access_to_other_users() {
    let world = MultiUserFixture::new(true).await;
    let cleo = world.browser(Caller::Cleo);
    let store = &world.site.db.store;
    let own = store.find_active_plan(world.cleo).await.unwrap().unwrap();
    let workout = store.list_workouts(world.cleo, own.id, own.revision).await.unwrap()[2].id;
    let draft = world.site.db.draft(world.cleo, "Cleo's draft").await;
    let things = &world.paths;
    let (active, drafted, chat) =
        (things.path_of("active"), things.path_of("/plans/"), things.path_of("chat"));
    let before = store.fingerprint(world.ben).await.unwrap();
    let never = "987654321";
    let commit = format!("/plans/{draft}/commit?begin=today&replaces=");
    for (address, id) in [
        ("/coach?chat=", chat),
        ("/coach?about=activity:", things.path_of("/activities/")),
        ("/coach?about=workout:", things.path_of("/plan/workouts/")),
        ("/coach?about=proposal:", things.path_of("/proposals/")),
        ("/plan/export?plan=", active),
        ("/plan/export/plan.json?plan=", active),
        ("/plan/export/plan.md?plan=", drafted),
        ("/plan/export/plan.ics?plan=", active),
        ("/plan/export/workouts.zip?plan=", active),
        ("/plan/splits?plan=", active),
        ("/plan/revisions?plan=", active),
        ("/plan/revisions/1?plan=", active),
        ("/plan/edit?what=move&workout=", things.path_of("/plan/workouts/")),
        ("/plan/revert?to=1&plan=", active),
        ("/plan/new?supersedes=", drafted),
        (&commit, active),
    ] {
        let (his, nobodys) =
            (cleo.get(&format!("{address}{id}")).await, cleo.get(&format!("{address}{never}")).await);
        assert_same_except_id(address, (&his, id), (&nobodys, never));
        for page in [&his, &nobodys] {
            assert!(!page.status.is_server_error(), "{address}: {}", page.text);
            let all = full_text(page);
            assert!(!all.contains(CANARY) && !all.contains(NAME_CANARY), "{address}: {all}");
        }
    }
    let wish = [
        ("goal", "half"),
        ("race_date", "2026-10-11"),
        ("level", "inter"),
        ("base", "40km"),
        ("longest", "14km"),
        ("days", "mon"),
        ("days", "wed"),
        ("days", "fri"),
        ("days", "sun"),
    ];
    let matching = format!("/plan/workouts/{workout}/match");
    let fields: [Probe<'_>; 6] = [
        ("/coach", "chat", chat, &[("text", "Hello")]),
        ("/settings/notes", "instead", things.path_of("/settings/notes/"), &[("text", "Another")]),
        ("/plan/new", "supersedes", drafted, &wish),
        (
            "/plan/edit",
            "workout",
            things.path_of("/plan/workouts/"),
            &[("what", "move"), ("to", "2026-06-16")],
        ),
        (&matching, "activity", things.path_of("/activities/"), &[("answer", "yes")]),
        ("/settings/users", "id", things.path_of("/settings/users/"), &[("name", "x")]),
    ];
    for (address, name, id, more) in fields {
        let his = cleo.post(address, &[more, &[(name, id)]].concat()).await;
        let nobodys = cleo.post(address, &[more, &[(name, never)]].concat()).await;
        assert!(!his.status.is_server_error(), "{address}: {}", his.text);
        assert!(!full_text(&his).contains(CANARY), "{address}: {}", his.text);
        assert_same_except_id(address, (&his, id), (&nobodys, never));
    }
    assert_eq!(store.fingerprint(world.ben).await.unwrap(), before);
}

/// The address of a calendar opens that calendar and nothing else.
#[tokio::test]
async fn calendar_secret_gives_access_to_workouts_only() {
    let world = MultiUserFixture::new(true).await;
    let feed = world.browser(Caller::SignedOutBrowser).get(&world.feed).await;
    assert_eq!(feed.status, 200);
    assert!(feed.contains(&canary("workout")), "{}", feed.text);
    for kind in CANARY_KINDS.into_iter().filter(|kind| !matches!(*kind, "workout" | "active")) {
        assert!(!feed.contains(&canary(kind)), "{kind}: {}", feed.text);
    }
    let secret = world.feed.trim_start_matches("/calendar/").trim_end_matches(".ics");
    for path in ["/", "/plan", "/settings", "/api/v1/plan"] {
        let page = world.site.with_cookie(secret).get(path).await;
        assert!(matches!(page.status.as_u16(), 303 | 401), "{path}: {}", page.text);
    }
}

#[tokio::test]
async fn any_path_parameter_is_answered_with_a_page() {
    let mut world = MultiUserFixture::new(true).await;
    for (at, route) in world.site.routes.clone().iter().enumerate() {
        if route.access == AccessRule::TokenOnly || route.path == "/sign-out" {
            continue;
        }
        if at % 20 == 0 {
            world.site.reset_rate_limits();
        }
        let mut asked = Vec::new();
        for bad in
            ["%ff", "%00", "..%2f..%2fetc%2fpasswd", "-1", "0", "99999999999999999999", "a b", "%F0%9F%8F%83"]
        {
            let filled = route.path.split('/').map(|part| if part.starts_with('{') { bad } else { part });
            asked.push(filled.collect::<Vec<_>>().join("/").replace(' ', "%20"));
        }
        let (address, _) = paths(&world, route);
        if route.body == RequestBody::Empty {
            let with = if address.contains('?') { '&' } else { '?' };
            for bad in [
                "%ff",
                "chat=x",
                "chat=1&chat=2",
                "week=x",
                "step=x",
                "to=%00",
                "plan=%ff",
                "code=1&code=2",
                "text=%ff",
            ] {
                asked.push(format!("{address}{with}{bad}"));
            }
        }
        asked.dedup();
        for address in asked {
            let page = world.call(Caller::Ben, route, &address).await;
            assert!(
                !page.status.is_server_error(),
                "{} {address}: {} {}",
                route.method,
                page.status,
                page.text
            );
            let kind = page.headers.get(header::CONTENT_TYPE).map_or("", |kind| kind.to_str().unwrap());
            let refused = page.status.is_client_error();
            assert!(!refused || !kind.starts_with("text/plain"), "{} {address}: {}", route.method, page.text);
        }
    }
}

/// What the router itself says it routes: there may be a way to add a route without saying who may call it, and this is
/// where it would be noticed.
fn registered_routes(router: &axum::Router) -> BTreeSet<(&'static str, String)> {
    let told = format!("{router:?}");
    let (methods, paths) = told.split_once("paths: {").expect("axum shows its paths");
    let mut all = BTreeSet::new();
    for piece in paths.split("RouteId(").skip(1) {
        let Some((id, rest)) = piece.split_once("): \"") else { continue };
        let path = rest.split('"').next().unwrap().to_owned();
        // What answers where there is no route.
        if path.contains("__private__axum_fallback") {
            continue;
        }
        let route = methods.split(&format!("RouteId({id}): ")).nth(1).expect("every path has a route");
        let route = route.split("RouteId(").next().unwrap();
        let mut found = 0;
        for (method, field) in [("GET", "get: "), ("POST", "post: ")] {
            if route.contains(&format!("{field}Route")) || route.contains(&format!("{field}BoxedHandler")) {
                all.insert((method, path.clone()));
                found += 1;
            }
        }
        for other in ["head", "delete", "options", "patch", "put", "trace", "connect"] {
            let some = route.contains(&format!(" {other}: ")) && !route.contains(&format!(" {other}: None"));
            // The one service that takes every method: it answers each as it answers `GET`.
            if some || found == 0 {
                all.extend([("GET", path.clone()), ("POST", path.clone())]);
            }
        }
    }
    all
}

#[tokio::test]
async fn every_route_of_the_router_is_in_the_list() {
    let world = MultiUserFixture::new(false).await;
    let listed: BTreeSet<(&str, String)> =
        world.site.routes.iter().map(|route| (route.method, route.path.to_owned())).collect();
    assert_eq!(listed.len(), world.site.routes.len(), "none is listed twice");
    assert_eq!(registered_routes(&world.site.router), listed);
    let more = world.site.router.clone().route("/added/beside", axum::routing::get(async || "x"));
    assert!(
        registered_routes(&more).contains(&("GET", "/added/beside".to_owned())),
        "an added route is noticed"
    );
}
