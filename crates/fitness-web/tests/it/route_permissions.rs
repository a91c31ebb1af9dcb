//! Every route, whoever calls it, with and without data: who may call is what the list of routes says, and nothing of an
//! athlete's is ever shown to anybody else.

use crate::fixtures::{CANARY, Caller, Filled, MARKED, NAMED, World, brought, mark};
use crate::harness::{Page, Site};
use axum::http::header;
use fitness_web::{Brings, Listed, Who};
use std::collections::BTreeSet;

/// What a caller gets, by who may call and who calls. There is no rule for a single route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// It is answered.
    Answer,
    /// There is nothing here, whether it is another's or was never there.
    Nothing,
    /// On to signing in.
    SignIn,
    /// Nobody known asks.
    Unknown,
    /// May not be done this way.
    Refused,
}

fn due(route: &Listed, role: Caller, owned: bool) -> Due {
    let reads = role == Caller::Reads || role == Caller::Drafts;
    let own = role == Caller::Own || (reads && route.who == Who::Reader);
    let found = if owned && !own { Due::Nothing } else { Due::Answer };
    match route.who {
        Who::Anyone => Due::Answer,
        Who::Athlete | Who::Owner if role.is_program() => Due::Refused,
        Who::Athlete | Who::Owner if !role.is_signed_in() && route.brings == Brings::Nothing => Due::SignIn,
        Who::Athlete | Who::Owner if !role.is_signed_in() => Due::Unknown,
        Who::Athlete => found,
        Who::Owner if role == Caller::Owner => Due::Answer,
        Who::Owner => Due::Nothing,
        Who::Reader if reads || role.is_signed_in() => found,
        Who::Program if reads => Due::Answer,
        Who::Reader | Who::Program => Due::Unknown,
    }
}

#[track_caller]
fn holds(due: Due, full: bool, route: &Listed, role: Caller, page: &Page) {
    let (what, status) = (format!("{} {} as {role:?}: {}", route.method, route.path, page.text), page.status);
    assert!(!status.is_server_error(), "{status} {what}");
    let leads = page.headers.get(header::LOCATION).map_or("", |to| to.to_str().unwrap());
    assert!(leads.is_empty() || (leads.starts_with('/') && !leads.starts_with("//")), "{leads} {what}");
    match due {
        // What a form without anything in it is answered is each form's business; and with no data there is little.
        Due::Answer if full && route.brings == Brings::Nothing && route.who != Who::Anyone => {
            // Asking for a decision that cannot be taken now is told with 409 or 422.
            assert!(matches!(status.as_u16(), 200 | 303 | 409 | 422), "{status} {what}");
            assert!(!leads.starts_with("/sign-in"), "{what}");
        }
        Due::Answer if route.who == Who::Anyone => assert_ne!(status, 403, "{what}"),
        Due::Answer => assert!(!matches!(status.as_u16(), 401 | 403 | 429), "{status} {what}"),
        Due::Nothing => assert_eq!(status, 404, "{what}"),
        Due::SignIn => assert!(status == 303 && leads.starts_with("/sign-in"), "{status} {leads} {what}"),
        Due::Unknown => assert_eq!(status, 401, "{what}"),
        Due::Refused => assert_eq!(status, 403, "{what}"),
    }
}

/// Everything that is said in an answer.
fn all_of(page: &Page) -> String {
    // How long it is follows from what it says, the number in its address included.
    let headers = page.headers.iter().filter(|(name, _)| *name != header::CONTENT_LENGTH);
    let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value:?}")).collect();
    format!("{}\n{}", headers.join("\n"), page.text)
}

#[track_caller]
fn no_leak(route: &Listed, role: Caller, page: &Page) {
    if role.is_ben() {
        return;
    }
    let all = all_of(page).to_lowercase();
    assert!(!all.contains(CANARY), "{} {} leaks to {role:?}: {all}", route.method, route.path);
    // The owner names the next owner before leaving.
    let of_the_owner = route.who == Who::Owner || route.path == "/settings/account/delete";
    let may_read_names = of_the_owner && role == Caller::Owner;
    assert!(
        may_read_names || !all.contains(NAMED),
        "{} {} names Ben to {role:?}: {all}",
        route.method,
        route.path
    );
}

/// The address that Ben's things are under, and one with nothing behind it where things are somebody's.
fn addresses(world: &World, route: &Listed) -> (String, Option<String>) {
    match world.things.fill(route.path) {
        None => (route.path.to_owned(), None),
        Some(Filled::Fixed(address)) => (address, None),
        Some(Filled::Owned(bens, never)) => (bens, Some(never)),
    }
}

/// Whether two answers are the same but for the number or hash that was asked for.
#[track_caller]
fn same_but_for(what: &str, (his, his_id): (&Page, &str), (nobodys, never): (&Page, &str)) {
    let runs = |page: &Page| -> Vec<String> {
        let all = format!("{} {}", page.status, all_of(page));
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

async fn everybody_gets_what_the_list_says(full: bool) {
    let mut world = World::new(full).await;
    let listed = world.site.listed.clone();
    let before = world.held().await;
    let mut calls = 0;
    // Whoever may change nothing of Ben's first; then what they read themselves; then what they may change.
    for role in Caller::ALL.into_iter().filter(|role| !role.is_signed_in()) {
        for route in listed.iter().filter(|route| route.who != Who::Anyone) {
            let (address, never) = addresses(&world, route);
            let page = world.call(role, route, &address).await;
            let owned = never.is_some() && (!full || !role.is_ben());
            holds(due(route, role, owned), full, route, role, &page);
            no_leak(route, role, &page);
            calls += 1;
        }
        world.site.rested();
    }
    assert_eq!(world.held().await, before, "whoever is not signed in changed something");
    for role in [Caller::Owner, Caller::Other] {
        for route in listed.iter().filter(|route| route.who != Who::Anyone && route.path != "/sign-out") {
            let (address, Some(never)) = addresses(&world, route) else { continue };
            let page = world.call(role, route, &address).await;
            let never_page = world.call(role, route, &never).await;
            let due = due(route, role, true);
            no_leak(route, role, &page);
            calls += 2;
            if due == Due::Answer {
                continue;
            }
            holds(due, full, route, role, &page);
            let what = format!("{} {} as {role:?}", route.method, route.path);
            same_but_for(&what, (&page, &address), (&never_page, &never));
        }
    }
    world.site.rested();
    let of_ben = (
        world.site.db.store.fingerprint(world.ben).await.unwrap(),
        world.site.db.store.audit_head(world.ben).await.unwrap(),
    );
    let mut seen = BTreeSet::new();
    for method in ["GET", "POST"] {
        for role in [Caller::Owner, Caller::Other, Caller::Own] {
            for route in listed.iter().filter(|route| route.method == method && route.path != "/sign-out") {
                let (address, never) = addresses(&world, route);
                let page = world.call(role, route, &address).await;
                let owned = never.is_some() && (!full || role != Caller::Own);
                // A file may be gone with what was deleted a moment ago.
                let full = full && (role == Caller::Own || route.path.starts_with("/settings"));
                holds(due(route, role, owned), full, route, role, &page);
                no_leak(route, role, &page);
                seen.extend(MARKED.into_iter().filter(|kind| page.text.contains(&mark(kind))));
                calls += 1;
            }
            world.site.rested();
            if role == Caller::Other {
                let store = &world.site.db.store;
                let after =
                    (store.fingerprint(world.ben).await.unwrap(), store.audit_head(world.ben).await.unwrap());
                let ids = |route: &&Listed| route.who == Who::Owner && route.path.contains("{id}");
                let invited = method == "POST" && listed.iter().any(|route| ids(&route));
                assert!(after.0 == of_ben.0, "somebody else changed what is Ben's");
                assert!(after == of_ben || invited, "somebody else changed what is Ben's");
            }
        }
    }
    println!("{calls} calls of {} routes", listed.len());
    if full {
        let chat = format!("/coach?chat={}", world.things.of("chat"));
        let said = world.browser(Caller::Own).get(&chat).await;
        seen.extend(MARKED.into_iter().filter(|kind| said.text.contains(&mark(kind))));
        let unseen: Vec<&str> = MARKED.into_iter().filter(|kind| !seen.contains(kind)).collect();
        assert!(unseen.is_empty(), "what Ben never sees himself proves nothing: {unseen:?}");
    }
}

#[tokio::test]
async fn everybody_gets_what_the_list_of_routes_says() {
    everybody_gets_what_the_list_says(true).await;
}

#[tokio::test]
async fn everybody_gets_what_the_list_of_routes_says_where_there_is_nothing() {
    everybody_gets_what_the_list_says(false).await;
}

#[tokio::test]
async fn where_nobody_lives_nobody_gets_in() {
    let site = Site::new().await;
    let nobody = site.stranger();
    let version = site.db.store.version().await.unwrap();
    for route in &site.listed {
        let path = route.path.replace("{id}", "1").replace(['{', '}'], "");
        let page = nobody.send(brought(nobody.request(route.method, &path), route, "")).await;
        holds(due(route, Caller::Nobody, false), false, route, Caller::Nobody, &page);
    }
    assert_eq!(site.db.store.version().await.unwrap(), version, "nothing was written");
}

/// Where a number is sent, in which field, which one, and what else is sent.
type Probe<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

#[tokio::test]
async fn a_number_in_a_query_or_a_field_opens_nothing_of_anothers() {
    let world = World::new(true).await;
    let cleo = world.browser(Caller::Other);
    let store = &world.site.db.store;
    let own = store.find_active_plan(world.cleo).await.unwrap().unwrap();
    let workout = store.list_workouts(world.cleo, own.id, own.revision).await.unwrap()[2].id;
    let draft = world.site.db.draft(world.cleo, "Cleo's draft").await;
    let things = &world.things;
    let (active, drafted, chat) = (things.of("active"), things.of("/plans/"), things.of("chat"));
    let before = store.fingerprint(world.ben).await.unwrap();
    let never = "987654321";
    let commit = format!("/plans/{draft}/commit?begin=today&replaces=");
    for (address, id) in [
        ("/coach?chat=", chat),
        ("/coach?about=activity:", things.of("/activities/")),
        ("/coach?about=workout:", things.of("/plan/workouts/")),
        ("/coach?about=proposal:", things.of("/proposals/")),
        ("/plan/export?plan=", active),
        ("/plan/export/plan.json?plan=", active),
        ("/plan/export/plan.md?plan=", drafted),
        ("/plan/export/plan.ics?plan=", active),
        ("/plan/export/workouts.zip?plan=", active),
        ("/plan/card?plan=", active),
        ("/plan/revisions?plan=", active),
        ("/plan/revisions/1?plan=", active),
        ("/plan/edit?what=move&workout=", things.of("/plan/workouts/")),
        ("/plan/revert?to=1&plan=", active),
        ("/plan/new?supersedes=", drafted),
        (&commit, active),
    ] {
        let (his, nobodys) =
            (cleo.get(&format!("{address}{id}")).await, cleo.get(&format!("{address}{never}")).await);
        same_but_for(address, (&his, id), (&nobodys, never));
        for page in [&his, &nobodys] {
            assert!(!page.status.is_server_error(), "{address}: {}", page.text);
            let all = all_of(page);
            assert!(!all.contains(CANARY) && !all.contains(NAMED), "{address}: {all}");
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
        ("/settings/notes", "instead", things.of("/settings/notes/"), &[("text", "Another")]),
        ("/plan/new", "supersedes", drafted, &wish),
        ("/plan/edit", "workout", things.of("/plan/workouts/"), &[("what", "move"), ("to", "2026-06-16")]),
        (&matching, "activity", things.of("/activities/"), &[("answer", "yes")]),
        ("/settings/people", "id", things.of("/settings/people/"), &[("name", "x")]),
    ];
    for (address, name, id, more) in fields {
        let his = cleo.post(address, &[more, &[(name, id)]].concat()).await;
        let nobodys = cleo.post(address, &[more, &[(name, never)]].concat()).await;
        assert!(!his.status.is_server_error(), "{address}: {}", his.text);
        assert!(!all_of(&his).contains(CANARY), "{address}: {}", his.text);
        same_but_for(address, (&his, id), (&nobodys, never));
    }
    assert_eq!(store.fingerprint(world.ben).await.unwrap(), before);
}

/// The address of a calendar opens that calendar and nothing else.
#[tokio::test]
async fn the_address_of_a_calendar_opens_the_coming_workouts_alone() {
    let world = World::new(true).await;
    let feed = world.browser(Caller::Nobody).get(&world.feed).await;
    assert_eq!(feed.status, 200);
    assert!(feed.says(&mark("workout")), "{}", feed.text);
    for kind in MARKED.into_iter().filter(|kind| !matches!(*kind, "workout" | "active")) {
        assert!(!feed.says(&mark(kind)), "{kind}: {}", feed.text);
    }
    let secret = world.feed.trim_start_matches("/calendar/").trim_end_matches(".ics");
    for path in ["/", "/plan", "/settings", "/api/v1/plan"] {
        let page = world.site.with_cookie(secret).get(path).await;
        assert!(matches!(page.status.as_u16(), 303 | 401), "{path}: {}", page.text);
    }
}

#[tokio::test]
async fn whatever_stands_in_an_address_is_answered_with_a_page() {
    let mut world = World::new(true).await;
    for (at, route) in world.site.listed.clone().iter().enumerate() {
        if route.who == Who::Program || route.path == "/sign-out" {
            continue;
        }
        if at % 20 == 0 {
            world.site.rested();
        }
        let mut asked = Vec::new();
        for bad in
            ["%ff", "%00", "..%2f..%2fetc%2fpasswd", "-1", "0", "99999999999999999999", "a b", "%F0%9F%8F%83"]
        {
            let filled = route.path.split('/').map(|part| if part.starts_with('{') { bad } else { part });
            asked.push(filled.collect::<Vec<_>>().join("/").replace(' ', "%20"));
        }
        let (address, _) = addresses(&world, route);
        if route.brings == Brings::Nothing {
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
            let page = world.call(Caller::Own, route, &address).await;
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
fn routed(router: &axum::Router) -> BTreeSet<(&'static str, String)> {
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
    let world = World::new(false).await;
    let listed: BTreeSet<(&str, String)> =
        world.site.listed.iter().map(|route| (route.method, route.path.to_owned())).collect();
    assert_eq!(listed.len(), world.site.listed.len(), "none is listed twice");
    assert_eq!(routed(&world.site.router), listed);
    let more = world.site.router.clone().route("/added/beside", axum::routing::get(async || "x"));
    assert!(routed(&more).contains(&("GET", "/added/beside".to_owned())), "an added route is noticed");
}
