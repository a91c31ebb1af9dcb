//! Plan pages match the store; invalid input is reported by field.

use crate::fake_services::{assert_page, site_with_owner};
use crate::harness::{Browser, TestSite};
use axum::http::{StatusCode, header};
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::export::owner_hash;
use fitness_core::plan::{
    Draft, GoalDistance, PlanStatus, Step, StepDuration, StepTarget, StepType, TargetRange, Workout,
    WorkoutKind,
};
use fitness_sources::workouts::{DEFAULT_ZIP_DAYS, PlanExportInput, PlanTextFormat};
use fitness_store::testkit::{easy_run, june, now};
use std::sync::atomic::Ordering;

/// A page with its style and script is at most 60 kB; this much of it is left for the page.
const MAX_PAGE_BYTES: usize = 38 * 1024;

const PLAN_QUERY: &str = "goal=half&race_date=2026-10-11&level=inter&base=40km&longest=14km&target=1%3A45%3A00\
    &days=mon&days=tue&days=thu&days=sat&days=sun&long_day=sun&name=Autumn+%3Cb%3Ehalf%3C%2Fb%3E";

async fn site() -> (TestSite, UserId, Browser) {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    (site, ann, browser)
}

async fn plan_files(site: &TestSite, user: UserId, id: PlanId) -> PlanExportInput {
    let store = &site.db.store;
    let plan = store.find_plan(user, id).await.unwrap().unwrap();
    PlanExportInput {
        workouts: store.list_workouts(user, id, plan.revision).await.unwrap(),
        revision_created_at: store.list_revisions(user, id).await.unwrap()[0].made_at,
        owner_id: owner_hash(user, store.user(user).await.unwrap().created_at),
        units: UnitSystem::Metric,
        author: store.find_text_author(user, &plan).await.unwrap(),
        plan,
    }
}

#[tokio::test]
async fn plan_list_shows_author_status_and_replacement() {
    let (site, ann, browser) = site().await;
    let old = site.db.draft(ann, "Old draft").await;
    let desk = site.db.store.plan_writer(ann, Author::Athlete);
    let newer =
        desk.put_draft(&fitness_store::testkit::draft("New <i>draft"), Some(old), now()).await.unwrap();
    site.db.active_plan(ann, "Running now").await;
    let page = browser.get("/plans").await;
    for words in [
        "Running now",
        "New &lt;i&gt;draft",
        "Old draft",
        "drafted by the coach",
        "drafted by you",
        "Active",
        "Draft",
    ] {
        assert!(page.contains(words), "{words}: {}", page.text);
    }
    assert!(page.contains(&format!("href=\"/plans/{newer}\">replaced by a newer draft")), "{}", page.text);
    let review = browser.get(&format!("/plans/{old}")).await;
    assert!(review.contains("Replaced by <a"));
    assert_eq!(browser.get("/plans/abc").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/plans/99999999999999999999").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn plan_request_is_previewed_and_saved_only_on_post() {
    let (site, ann, browser) = site().await;
    let first = browser.get("/plan/new").await;
    assert!(
        first.status == StatusCode::OK
            && first.contains("The plan starts from zero")
            && first.contains("Preview plan")
    );
    let shown = browser.get(&format!("/plan/new?{PLAN_QUERY}")).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.text);
    assert!(shown.contains("Save as draft") && shown.contains("Autumn &lt;b&gt;half&lt;/b&gt;"));
    assert!(shown.contains("From what you entered: you usually run 40.0 km a week"), "{}", shown.text);
    assert!(shown.text.len() < MAX_PAGE_BYTES, "{} bytes", shown.text.len());
    // For a half marathon `1:45` is hours and minutes.
    let short = PLAN_QUERY.replace("target=1%3A45%3A00", "target=1%3A45");
    assert_eq!(browser.get(&format!("/plan/new?{short}")).await.status, StatusCode::OK);
    assert!(site.db.store.list_plans(ann).await.unwrap().is_empty(), "looking keeps nothing");
    let kept = browser.submit_form(&shown, "/plan/new").await;
    let plans = site.db.store.list_plans(ann).await.unwrap();
    assert_eq!(kept.redirect_target(), format!("/plans/{}?done=drafted", plans[0].id));
    assert_eq!((plans[0].status, plans[0].author), (PlanStatus::Draft, Author::Athlete));
    assert_eq!((plans[0].name.as_str(), plans[0].goal), ("Autumn <b>half</b>", GoalDistance::Half));
    assert_eq!(plans[0].terms.availability.days.to_string(), "mon,tue,thu,sat,sun");
    let review = browser.get(kept.redirect_target()).await;
    assert!(review.contains("Saved as a draft.") && review.contains("written by you"), "{}", review.text);
    assert!(review.text.len() < MAX_PAGE_BYTES, "{} bytes", review.text.len());
    // Asking for another begins with the same wish, and takes the draft's place.
    assert!(review.contains("supersedes="), "{}", review.text);
    let other = browser.get(&format!("/plan/new?{PLAN_QUERY}&supersedes={}", plans[0].id)).await;
    browser.submit_form(&other, "/plan/new").await;
    let plans = site.db.store.list_plans(ann).await.unwrap();
    assert_eq!(plans[1].superseded_by, Some(plans[0].id));
}

#[tokio::test]
async fn redraft_link_fills_in_the_settings_of_the_draft() {
    let (site, ann, browser) = site().await;
    let more = "&b_race=2026-08-30&b_race_distance=10k&strength=on&blackout=2026-07-01..2026-07-03";
    let shown = browser.get(&format!("/plan/new?{PLAN_QUERY}{more}")).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.text);
    let kept = browser.submit_form(&shown, "/plan/new").await;
    let review = browser.get(kept.redirect_target()).await;
    let again = review.text.split("href=\"").find(|rest| rest.starts_with("/plan/new?")).unwrap();
    let again = again.split('"').next().unwrap().replace("&amp;", "&");
    let page = browser.get(&again).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let value = |name: &str| {
        let from = page.text.split(&format!("id=\"{name}\"")).nth(1).unwrap();
        let input = from.split('>').next().unwrap();
        input.split("value=\"").nth(1).map(|rest| rest.split('"').next().unwrap().to_owned())
    };
    for (name, typed) in [
        ("name", "Autumn &lt;b&gt;half&lt;/b&gt;"),
        ("race_date", "2026-10-11"),
        ("target", "1:45:00"),
        ("b_race", "2026-08-30"),
        ("b_race_distance", "10km"),
        ("base", "40km"),
        ("longest", "14km"),
    ] {
        assert_eq!(value(name).as_deref(), Some(typed), "{name}");
    }
    for chosen in [
        "<option value=\"sun\" selected>",
        "<option value=\"inter\" selected>",
        "<option value=\"half\" selected>",
        "name=\"strength\" value=\"on\" checked",
        "name=\"days\" value=\"thu\" checked",
    ] {
        assert!(page.contains(chosen), "{chosen}: {}", page.text);
    }
    assert!(page.contains("2026-07-01\n2026-07-02\n2026-07-03") && !page.contains("value=\"wed\" checked"));
    let first = site.db.store.list_plans(ann).await.unwrap()[0].content_hash;
    browser.submit_form(&page, "/plan/new").await.redirect_target();
    let plans = site.db.store.list_plans(ann).await.unwrap();
    assert_eq!((plans.len(), plans[0].content_hash), (2, first), "the same wish is the same plan");
    // A name that was made for it is made anew for another race.
    let unnamed = PLAN_QUERY.replace("&name=Autumn+%3Cb%3Ehalf%3C%2Fb%3E", "");
    let shown = browser.get(&format!("/plan/new?{unnamed}")).await;
    let kept = browser.submit_form(&shown, "/plan/new").await;
    assert!(!browser.get(kept.redirect_target()).await.contains("/plan/new?name="));
}

#[tokio::test]
async fn partial_first_week_has_a_row() {
    let (_site, _, browser) = site().await;
    // It is Sunday: the plan begins with this one day.
    let page = browser.get(&format!("/plan/new?{PLAN_QUERY}")).await;
    let table = page.text.split("Week by week").nth(1).unwrap().split("</table>").next().unwrap();
    let rows: Vec<&str> = table.split("<tr>").skip(2).collect();
    assert!(rows[0].contains("2026-06-14") && rows[0].contains("first day"), "{}", rows[0]);
    assert!(rows[1].contains("2026-06-15"), "{}", rows[1]);
}

#[tokio::test]
async fn run_planned_by_time_has_the_same_label_in_preview_and_plan() {
    let (site, ann, browser) = site().await;
    site.db.active_plan(ann, "Half").await;
    let asked = browser.get("/plan/edit?what=add&day=2026-06-14&size=25min").await;
    let said = "34.0 km + 25 min";
    assert!(asked.contains(said), "{}", asked.text);
    browser.submit_form(&asked, "/plan/edit").await.redirect_target();
    for path in ["/", "/plan", "/plan?table=volume"] {
        let page = browser.get(path).await;
        assert!(page.contains(said), "{path}: {}", page.text);
    }
}

#[tokio::test]
async fn add_workout_without_active_plan_is_not_found() {
    let (_site, _, browser) = site().await;
    let page = browser.get("/plan/edit").await;
    assert_page(&page, StatusCode::NOT_FOUND, "You have no active plan.");
    assert!(!page.contains("action=\"/plan/edit\""), "{}", page.text);
}

#[tokio::test]
async fn invalid_plan_form_shows_field_errors_and_keeps_values() {
    let (site, ann, browser) = site().await;
    for (query, field, said) in [
        ("goal=half", "race_date", "The race date is missing."),
        ("goal=moon&race_date=2026-10-11", "goal", "Choose one of the races."),
        ("goal=half&race_date=soon", "race_date", "Choose a date."),
        ("goal=custom&race_date=2026-10-11&days=mon", "distance", "The distance of the race is missing."),
        (
            "goal=half&race_date=2026-06-01&level=inter&base=40km&days=mon&days=tue&days=wed",
            "race_date",
            "is not in the future",
        ),
        ("goal=half&race_date=2026-10-11&target=soon&days=mon", "target", "“soon” is not a time."),
        (
            "goal=half&race_date=2026-10-11&level=inter&base=40km&days=mon",
            "days",
            "needs at least 3 running days a week",
        ),
        ("goal=half&race_date=2026-10-11&base=9999&days=mon", "base", "That is more than anyone runs."),
        (
            "goal=half&race_date=2026-10-11&blackout=never",
            "blackout",
            "“never” is not a valid date or range of dates.",
        ),
        (
            "goal=half&race_date=2026-10-11&b_race=2026-08-02",
            "b_race_distance",
            "Enter the distance of the tune-up race",
        ),
        (
            "goal=half&race_date=2026-10-11&b_race_distance=10k",
            "b_race",
            "Enter the date of the tune-up race",
        ),
        (
            "goal=half&race_date=2026-10-11&days=mon&days=tue&days=wed",
            "level",
            "Fewer than 28 days of history",
        ),
        ("goal=half&race_date=2026-10-11&level=god", "level", "Choose one of the levels."),
        (
            "goal=half&race_date=2026-10-11&days=mon&days=tue&days=wed&long_day=sun&level=inter&base=40km",
            "long_day",
            "on a day you do not train on",
        ),
    ] {
        let page = browser.get(&format!("/plan/new?{query}")).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        assert!(page.contains(said), "{query}: {}", page.text);
        assert!(
            page.contains(&format!("id=\"{field}-fault\"")) || page.contains(&format!("href=\"#{field}\"")),
            "{query}"
        );
    }
    let hostile = browser
        .get("/plan/new?goal=half&name=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&target=%3Cimg%3E")
        .await;
    assert!(
        hostile.contains("&quot;&gt;&lt;script&gt;")
            && !hostile.contains("<script>alert")
            && !hostile.contains("<img>")
    );
    let huge = format!("/plan/new?goal=half&name={}", "x".repeat(30_000));
    assert_eq!(browser.get(&huge).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let posted = browser.post("/plan/new", &[("goal", "half"), ("name", "Kept")]).await;
    assert!(posted.status == StatusCode::UNPROCESSABLE_ENTITY && posted.contains("value=\"Kept\""));
    assert!(site.db.store.list_plans(ann).await.unwrap().is_empty());
}

/// A plan whose Sunday has steps.
async fn create_plan_with_steps(site: &TestSite, user: UserId) -> PlanId {
    let step = |step_type, duration, target| Step { step_type, duration, target, max_heart_rate: None, notes: None };
    let pace = StepTarget::Pace(TargetRange { low: Some(280.0), high: None });
    let session = Workout {
        kind: WorkoutKind::Intervals,
        name: "Repeats <u>".to_owned(),
        description: Some("Run <em>well</em>".to_owned()),
        steps: vec![
            step(StepType::Warmup, StepDuration::Time(900.0), StepTarget::Open),
            step(StepType::Active, StepDuration::Distance(400.0), pace),
            step(StepType::Cooldown, StepDuration::Open, StepTarget::Open),
        ],
        ..easy_run(june(14), 10.0)
    };
    let race = "2026-09-20".parse().unwrap();
    let workouts = vec![
        easy_run(june(9), 8.0),
        Workout::rest(june(10)),
        easy_run(june(11), 10.0),
        session,
        easy_run(june(16), 6.0),
    ];
    let draft = Draft::new("Half", GoalDistance::Half, None, june(8), race, None, workouts).unwrap();
    let plan = site.db.store.plan_writer(user, Author::Coach).put_draft(&draft, None, now()).await.unwrap();
    site.db.activate(user, plan, None).await.unwrap();
    plan
}

#[tokio::test]
async fn workout_page_shows_steps_and_serves_fit_file() {
    let (site, ann, browser) = site().await;
    let plan = create_plan_with_steps(&site, ann).await;
    let all = plan_files(&site, ann, plan).await;
    let sunday = &all.workouts[3];
    let page = browser.get(&format!("/plan/workouts/{}", sunday.id)).await;
    assert_eq!(page.status, StatusCode::OK);
    for words in [
        "Repeats &lt;u&gt;",
        "Run &lt;em&gt;well",
        "400 m",
        "no faster than 4:40 /km",
        "10.0 km",
        "<rect",
        "Skip this workout",
    ] {
        assert!(page.contains(words), "{words}: {}", page.text);
    }
    let fit = browser.get(&format!("/plan/workouts/{}/workout.fit", sunday.id)).await;
    assert_eq!(fit.bytes, all.workout_file(sunday).unwrap().bytes);
    assert_eq!(fit.headers[header::CONTENT_DISPOSITION], "attachment; filename=\"2026-06-14-repeats-u.fit\"");
    let rest = browser.get(&format!("/plan/workouts/{}/workout.fit", all.workouts[1].id)).await;
    assert!(rest.status == StatusCode::NOT_FOUND && rest.contains("A rest day has no workout file"));
    // What is over is not changed any more.
    let tuesday = browser.get(&format!("/plan/workouts/{}", all.workouts[0].id)).await;
    assert!(tuesday.status == StatusCode::OK && !tuesday.contains("Skip this workout"));
    let bob = site.db.user("Bob").await;
    let other = site.signed_in(bob).await;
    for address in ["", "/workout.fit"] {
        let theirs = other.get(&format!("/plan/workouts/{}{address}", sunday.id)).await;
        let none = other.get(&format!("/plan/workouts/424242{address}")).await;
        assert_eq!((theirs.status, theirs.text), (StatusCode::NOT_FOUND, none.text));
    }
}

#[tokio::test]
async fn workouts_are_sent_to_watch_only_with_a_connected_service() {
    let (site, outside, ann, browser) = site_with_owner().await;
    let plan = create_plan_with_steps(&site, ann).await;
    let all = plan_files(&site, ann, plan).await;
    let (over, sunday) =
        (format!("/plan/workouts/{}", all.workouts[0].id), format!("/plan/workouts/{}", all.workouts[3].id));
    for path in ["/", "/plan/export", &over, &sunday] {
        let page = browser.get(path).await;
        assert!(page.contains("workout.fit") && !page.contains("/plan/send"), "{path}: {}", page.text);
    }
    let config = serde_json::json!({ "address": "https://example.org" });
    site.db.store.add_source(ann, "intervals", "intervals.icu", config, now()).await.unwrap();
    for path in ["/", "/plan/export", &sunday] {
        assert!(browser.get(path).await.contains("action=\"/plan/send\""), "{path}");
    }
    assert!(browser.get(&over).await.contains("workout.fit"), "what is over is not sent");
    let sent = browser.post("/plan/send", &[]).await;
    assert_eq!(
        (sent.status, &sent.headers[header::LOCATION].to_str().unwrap()),
        (StatusCode::SEE_OTHER, &"/plan/export?done=sent")
    );
    assert_eq!(outside.take_calls(), [format!("send {ann}")]);
    outside.is_busy.store(true, Ordering::Relaxed);
    let refused = browser.post("/plan/send", &[]).await;
    assert_page(&refused, StatusCode::CONFLICT, "The workouts were not sent: the service is &lt;busy&gt;.");
}

#[tokio::test]
async fn activity_of_another_day_is_matched_by_the_athlete() {
    let (site, ann, browser) = site().await;
    let plan = create_plan_with_steps(&site, ann).await;
    site.db.import_run(ann, june(12), 10.0).await;
    site.db
        .finish_import(ann, CoverageEvidence::AccountExport { last_summary: june(14), imported_at: now() })
        .await;
    let progress = site.db.store.plan_adherence(ann, plan).await.unwrap();
    let offer = progress.adherence.offers.first().expect("Friday's run may have been Thursday's");
    let address = format!("/plan/workouts/{}", offer.workout);
    let page = browser.get(&address).await;
    assert!(page.contains("this workout?") && page.contains("Missed"), "{}", page.text);
    let activity = offer.activity.to_string();
    let unsaid = browser.post(&format!("{address}/match"), &[("activity", &activity)]).await;
    assert_eq!(unsaid.status, StatusCode::UNPROCESSABLE_ENTITY);
    let none = browser.post(&format!("{address}/match"), &[("activity", "4242"), ("answer", "yes")]).await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
    let yes = browser.post(&format!("{address}/match"), &[("activity", &activity), ("answer", "yes")]).await;
    assert_eq!(yes.redirect_target(), format!("{address}?done=matched"));
    let page = browser.get(&address).await;
    assert!(
        page.contains("10.0 km</b> of 10.0 km") && page.contains("It was not this workout"),
        "{}",
        page.text
    );
    let back = browser.post(&format!("{address}/unmatch"), &[]).await;
    assert_eq!(back.redirect_target(), format!("{address}?done=unmatched"));
    let no = browser.post(&format!("{address}/match"), &[("activity", &activity), ("answer", "no")]).await;
    assert_eq!(no.redirect_target(), format!("{address}?done=not-matched"));
    assert!(!browser.get(&address).await.contains("this workout?"));
    let bob = site.db.user("Bob").await;
    let other = site.signed_in(bob).await;
    let theirs = other.post(&format!("{address}/match"), &[("activity", &activity), ("answer", "yes")]).await;
    assert_eq!(theirs.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn edit_is_previewed_and_invalid_edit_is_explained() {
    let (site, ann, browser) = site().await;
    let plan = create_plan_with_steps(&site, ann).await;
    let all = plan_files(&site, ann, plan).await;
    let (tuesday, sunday, next) = (all.workouts[0].id, all.workouts[3].id, all.workouts[4].id);
    for (query, said) in [
        ("what=move&workout=x&to=2026-06-17".to_owned(), "Choose a workout from the plan."),
        (format!("what=move&workout={sunday}"), "Choose a date."),
        (format!("what=move&workout={sunday}&to=2026-06-01"), "is in the past; choose a date from today on."),
        // The race is on 20 September; nothing is moved or added after it, and the field is named.
        (
            format!("what=move&workout={sunday}&to=2026-10-18"),
            "href=\"#to\">18 Oct 2026 is after 20 Sep 2026",
        ),
        ("what=add&day=2026-10-18&size=5km".to_owned(), "href=\"#day\">18 Oct 2026 is after 20 Sep 2026"),
        ("what=add&day=2026-06-01&size=5km".to_owned(), "href=\"#day\">1 Jun 2026 is in the past"),
        (format!("what=skip&workout={tuesday}"), "is in the past and can't be changed."),
        (format!("what=resize&workout={sunday}&size=far"), "“far” is not a valid distance or time."),
        (format!("what=swap&workout={sunday}&other={tuesday}"), "is in the past and can't be changed."),
        (format!("what=swap&workout={sunday}&other=77777"), "no longer in the plan"),
        (format!("what=explode&workout={sunday}"), "Choose what to change."),
        ("what=add&day=2026-06-17".to_owned(), "Enter a distance or time, such as 5km or 30min."),
        ("what=add&day=2026-06-17&size=5km&sport=curling".to_owned(), "Choose a sport."),
        (format!("what=move&workout={sunday}&to=2026-06-14"), "already like this"),
        (format!("what=skip&workout={sunday}&reason={}", "y".repeat(501)), "Use at most 500 characters."),
    ] {
        let page = browser.get(&format!("/plan/edit?{query}")).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}: {}", page.text);
        assert!(page.contains(said), "{query}: {}", page.text);
    }
    let asked =
        browser.get(&format!("/plan/edit?what=swap&workout={sunday}&other={next}&reason=%3Cb%3Etired")).await;
    assert!(
        asked.status == StatusCode::OK && asked.contains("Change the plan?") && asked.contains("Save change")
    );
    assert_eq!(
        browser.submit_form(&asked, "/plan/edit").await.redirect_target(),
        "/plan/revisions/2?done=edited"
    );
    let page = browser.get("/plan/revisions/2?done=edited").await;
    assert!(
        page.contains("Saved.") && page.contains("&lt;b&gt;tired") && page.contains("Tue 16 Jun"),
        "{}",
        page.text
    );
    let asked = browser.get("/plan/edit?what=add&day=2026-06-19&size=30min&sport=cycling&kind=easy").await;
    browser.submit_form(&asked, "/plan/edit").await;
    let workouts = plan_files(&site, ann, plan).await.workouts;
    let dates: Vec<String> =
        workouts.iter().map(|w| format!("{} {}", w.workout.date, w.workout.name)).collect();
    assert_eq!(dates[3..], ["2026-06-14 Easy run", "2026-06-16 Repeats <u>", "2026-06-19 Cross training"]);
    assert_eq!(browser.get("/plan/revisions/9").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/plan/revert?to=3").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/plan/revert?to=0").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn exported_files_match_the_cli_and_list_unsupported_features() {
    let (site, ann, browser) = site().await;
    let no = browser.get("/plan/export").await;
    assert!(no.status == StatusCode::NOT_FOUND && no.contains("You have no active plan."));
    let plan = create_plan_with_steps(&site, ann).await;
    let all = plan_files(&site, ann, plan).await;
    for (name, made) in [
        ("plan.ics", all.text_file(PlanTextFormat::Calendar)),
        ("plan.json", all.text_file(PlanTextFormat::Json)),
        ("plan.md", all.text_file(PlanTextFormat::Markdown)),
        ("workouts.zip", all.zip_file(june(14), DEFAULT_ZIP_DAYS)),
    ] {
        let made = made.unwrap();
        let file = browser.get(&format!("/plan/export/{name}")).await;
        assert_eq!((file.status, &file.bytes), (StatusCode::OK, &made.bytes), "{name}");
        let attached = file.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
        assert_eq!(attached, format!("attachment; filename=\"{}\"", made.name));
    }
    assert_eq!(browser.get("/plan/export/plan.exe").await.status, StatusCode::NOT_FOUND);
    let page = browser.get("/plan/export").await;
    assert!(page.contains("the pace target is open at one end"), "{}", page.text);
    let bob = site.db.user("Bob").await;
    let other = site.signed_in(bob).await;
    for address in ["/plan/export", "/plan/export/plan.ics", "/plan/revisions", "/plan/splits"] {
        assert_eq!(
            other.get(&format!("{address}?plan={plan}")).await.status,
            StatusCode::NOT_FOUND,
            "{address}"
        );
    }
}

#[tokio::test]
async fn pace_card_needs_a_target_or_result() {
    let (site, ann, browser) = site().await;
    create_plan_with_steps(&site, ann).await;
    let no = browser.get("/plan/splits").await;
    assert!(
        no.status == StatusCode::NOT_FOUND && no.contains("no target time or race result"),
        "{}",
        no.text
    );
    let plan = site.db.draft(ann, "With a target").await;
    let card = browser.get(&format!("/plan/splits?plan={plan}")).await;
    assert_eq!(card.status, StatusCode::OK, "{}", card.text);
    assert!(
        card.contains("1:45:00")
            && card.contains("halfway")
            && card.contains("cannot be checked without a recent result")
    );
}
