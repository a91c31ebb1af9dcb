//! Today, Plan and Coach match the store, and nothing is graded before its data is complete.

use crate::harness::{TestResponse, TestSite};
use axum::http::StatusCode;
use fitness_coach::model::{Message, ModelPart, UserPart};
use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::plan::{Draft, GoalDistance, PlanStatus, Workout, WorkoutKind};
use fitness_store::testkit::{easy_run, june, now};
use fitness_store::{ChatMessage, PlanAdherence, Role};

const METRIC: UnitSystem = UnitSystem::Metric;

/// Eight weeks around Sunday 14 June: runs on Tuesdays, Thursdays and Sundays, rest on Fridays.
async fn create_plan(site: &TestSite, user: UserId) -> PlanId {
    let monday = june(8).plus_days(-21);
    let mut workouts = Vec::new();
    for week in 0..8 {
        let at = |day: i64| monday.plus_days(week * 7 + day);
        workouts.extend([easy_run(at(1), 8.0), easy_run(at(3), 10.0), Workout::rest(at(4))]);
        workouts.push(Workout {
            kind: WorkoutKind::Long,
            name: "Long run".to_owned(),
            ..easy_run(at(6), 16.0)
        });
    }
    let race = monday.plus_days(8 * 7 + 13);
    let target = Some(TimeSpan::from_secs(6300));
    let draft = Draft::new("Sum <b>half", GoalDistance::Half, None, monday, race, target, workouts).unwrap();
    let id = site.db.store.plan_writer(user, Author::Coach).put_draft(&draft, None, now()).await.unwrap();
    site.db.activate(user, id, None).await.unwrap();
    id
}

/// Some of it done, some not, some too short; then the data through a day.
async fn add_training(site: &TestSite, user: UserId, through: Day) -> PlanAdherence {
    let plan = create_plan(site, user).await;
    let first = june(8).plus_days(-21);
    for (day, km) in
        [(1, 8.0), (3, 10.0), (6, 16.2), (8, 4.0), (10, 10.0), (15, 8.1), (20, 15.9), (22, 8.0), (24, 5.0)]
    {
        if first.plus_days(day) <= through {
            site.db.import_run(user, first.plus_days(day), km).await;
        }
    }
    site.db.store.declare_day_complete(user, through, now()).await.unwrap();
    fitness_ingest::recompute(&site.db.store, user, &mut |_| {}, &fitness_ingest::StopSignal::default())
        .await
        .unwrap();
    site.db.store.plan_adherence(user, plan).await.unwrap()
}

/// A day of a schedule as a page shows it: its heading, and the verdicts and words of its workouts.
#[derive(Debug)]
struct ShownDay {
    head: String,
    workouts: Vec<(String, String, String)>,
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("no {from}: {text}")) + from.len();
    &text[start..start + text[start..].find(to).unwrap()]
}

/// Text without its tags.
fn strip_tags(html: &str) -> String {
    let mut told = String::new();
    let mut inside = false;
    for letter in html.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => told.push(letter),
            _ => {}
        }
    }
    told
}

fn parse_days(html: &str) -> Vec<ShownDay> {
    let all = html.split("<div class=\"day\"").skip(1);
    all.map(|day| {
        let day = day.split("<div class=\"weekrow\"").next().unwrap();
        let head = strip_tags(between(day, "<p class=\"head\">", "</p>"));
        let cells = day.split("<a class=\"cell\"").skip(1).map(|cell| cell.split("</a>").next().unwrap());
        let cells = cells.map(|cell| {
            let id = between(cell, "href=\"/plan/workouts/", "\"").to_owned();
            let verdict = between(cell, "data-verdict=\"", "\"").to_owned();
            (id, verdict, strip_tags(&cell[cell.find('>').unwrap() + 1..]))
        });
        ShownDay { head, workouts: cells.collect() }
    })
    .collect()
}

/// Every workout of some weeks is shown on its weekday with its verdict; nothing after the frontier has one.
#[track_caller]
fn assert_schedule_matches(
    shown: &[ShownDay],
    monday: Day,
    progress: &PlanAdherence,
    through: Day,
    today: Day,
) {
    assert_eq!(shown.len() % 7, 0, "{shown:?}");
    for (at, day) in shown.iter().enumerate() {
        let date = monday.plus_days(at as i64);
        assert_eq!(day.head, date.date().format("%a %-d").to_string());
        let stored = progress.workouts.iter().zip(&progress.adherence.graded);
        let stored: Vec<_> = stored.filter(|(planned, _)| planned.workout.date == date).collect();
        assert_eq!(day.workouts.len(), stored.len(), "{date}: {day:?}");
        for ((id, verdict, told), (planned, graded)) in day.workouts.iter().zip(stored) {
            assert_eq!((id, verdict), (&planned.id.to_string(), &graded.verdict.to_string()), "{date}");
            let judged = matches!(graded.verdict, Verdict::Hit | Verdict::Short | Verdict::Missed);
            assert!(!judged || date <= through, "{date} is judged, and the data ends on {through}");
            let waits = told.contains("Waiting for data");
            assert_eq!(waits, graded.verdict == Verdict::Pending && date < today, "{date}: {told}");
            if !planned.workout.is_rest() {
                let size = planned.workout.size_label(METRIC).unwrap();
                assert!(told.starts_with(&size), "{date}: {told}");
            }
            if let (Some(done), true) = (graded.actual, judged) {
                assert!(told.contains(&done.format(METRIC)), "{date}: {told}");
            }
        }
    }
}

#[tokio::test]
async fn today_matches_stored_workout_week_and_activities() {
    for through in [june(13), june(10), june(1)] {
        let site = TestSite::new().await;
        let ann = site.db.user("Ann").await;
        let progress = add_training(&site, ann, through).await;
        let page = site.signed_in(ann).await.get("/").await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.contains("<time datetime=\"2026-06-14\">Sunday 14 June</time>"), "{}", page.text);
        let days_to_race = june(14).days_until(progress.plan.race_date);
        assert!(
            page.contains("Sum &lt;b&gt;half") && page.contains(&format!("in {days_to_race} days")),
            "{}",
            page.text
        );
        assert!(page.contains("week 4 of "), "{}", page.text);

        let session = between(&page.text, "Today's workout", "</section>").to_owned();
        let today = progress.workouts.iter().find(|planned| planned.workout.date == june(14)).unwrap();
        assert!(strip_tags(&session).contains("Long run 16.0 km"), "{session}");
        assert!(session.contains(&format!("/plan/workouts/{}\"", today.id)), "{session}");
        assert!(!session.contains("Waiting for data") && !session.contains("Missed"), "{session}");

        let week = between(&page.text, "<h2>This week", "</section>").to_owned();
        assert_schedule_matches(&parse_days(&week), june(8), &progress, through, june(14));
        let this = progress.adherence.weeks.iter().find(|week| week.monday == june(8)).unwrap();
        let planned = METRIC.format_distance(this.running.planned.distance).to_string();
        let done = METRIC.format_distance(this.running.done.distance).to_string();
        // A week without any data has no total.
        let totals = match through >= june(8) {
            true => format!(": {done} of {planned}"),
            false => format!(": {planned} planned, no data yet"),
        };
        assert!(strip_tags(&week).starts_with(&totals), "{totals}: {week}");
        assert_eq!(planned, "34.0 km", "8, 10 and 16 are planned");

        let latest = between(&page.text, "<h2>Latest</h2>", "</section>").to_owned();
        let stored = site.db.store.list_activities(ann, june(14).plus_days(-30), june(14)).await.unwrap();
        let listed: Vec<&str> =
            latest.split("href=\"/activities/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let newest: Vec<String> = stored.iter().rev().take(4).map(|one| one.id.to_string()).collect();
        assert_eq!(listed, newest);
        assert!(
            page.contains(&format!("Data complete through <b><time datetime=\"{through}\"")),
            "{}",
            page.text
        );
    }
}

#[tokio::test]
async fn plan_totals_add_up_and_nothing_after_the_frontier_is_graded() {
    for through in [june(13), june(10), june(1)] {
        let site = TestSite::new().await;
        let ann = site.db.user("Ann").await;
        let progress = add_training(&site, ann, through).await;
        let browser = site.signed_in(ann).await;
        let page = browser.get("/plan?week=all").await;
        let weeks = &progress.adherence.weeks;
        let schedule = between(&page.text, "id=\"schedule\"", "</section>").to_owned();
        assert_schedule_matches(&parse_days(&schedule), weeks[0].monday, &progress, through, june(14));

        // The counts are those of the schedule that is shown.
        let all = parse_days(&schedule);
        let count =
            |verdict: &str| all.iter().flat_map(|day| &day.workouts).filter(|(_, v, _)| v == verdict).count();
        let counts = format!("{} hit, {} short, {} missed", count("hit"), count("short"), count("missed"));
        assert!(page.contains(&counts), "{counts}");
        assert!(
            through != june(13) || (count("hit") > 0 && count("short") > 0 && count("missed") > 0),
            "{counts}"
        );

        // The sums of the weeks, the bars and the table say the same.
        let table = browser.get("/plan?table=volume").await;
        let rows: Vec<&str> = table.text.split("<th scope=\"row\">").skip(1).collect();
        let about: Vec<&str> = schedule.split("<div class=\"about\">").skip(1).collect();
        assert_eq!((rows.len(), about.len()), (weeks.len(), weeks.len()));
        for (at, week) in weeks.iter().enumerate() {
            let of_week = |day: Day| (0..7).contains(&week.monday.days_until(day));
            let asked = progress.workouts.iter().filter(|planned| of_week(planned.workout.date));
            let mm: i64 = asked.filter_map(|planned| planned.workout.distance).map(Distance::mm).sum();
            assert_eq!(week.running.planned.distance.mm(), mm, "week {}", at + 1);
            let planned = METRIC.format_distance(week.running.planned.distance).to_string();
            let done = METRIC.format_distance(week.running.done.distance).to_string();
            let begun = week.over || week.running.done.count > 0;
            let due = if begun { format!("{done} of {planned}") } else { planned.clone() };
            assert!(
                strip_tags(about[at].split("<svg").next().unwrap()).contains(&due),
                "week {}: {}",
                at + 1,
                about[at]
            );
            assert!(strip_tags(about[at]).contains(&week.monday.date().format("%-d %b").to_string()));
            let row = strip_tags(rows[at].split("</tr>").next().unwrap());
            assert!(row.contains(&planned) && (!begun || row.contains(&done)), "week {}: {row}", at + 1);
            let label = between(&page.text, &format!("aria-label=\"Week {}: ", at + 1), "\"");
            let numbers: Vec<f64> = label.split(' ').filter_map(|word| word.parse().ok()).collect();
            assert!((numbers[0] - week.running.planned.distance.km()).abs() < 0.51, "{label}");
            if begun {
                assert!((numbers[1] - week.running.done.distance.km()).abs() < 0.51, "{label}");
            } else {
                assert_eq!(numbers.len(), 1, "nothing was done, and nothing says so: {label}");
            }
            assert!(
                !of_week(through.plus_days(7)) || week.running.done.count == 0,
                "nothing is counted ahead"
            );
        }
        assert!(
            page.contains("1:45:00")
                && page.contains(&format!("{} days", june(14).days_until(progress.plan.race_date)))
        );
        // Around today unless another week is asked for; whatever is asked, there is a page.
        let near = browser.get("/plan").await;
        assert!(near.contains(&format!("Schedule, weeks 3 to 7 of {}", weeks.len())), "{}", near.text);
        for odd in ["0", "99", "-1", "x", "1e9", "%00", "99999999999999999999"] {
            assert_eq!(browser.get(&format!("/plan?week={odd}")).await.status, StatusCode::OK, "{odd}");
        }
    }
}

#[tokio::test]
async fn absences_are_shown_and_not_counted() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let before = add_training(&site, ann, june(13)).await;
    let ill = ObservationData::new(ObservationKind::Illness, june(8), june(14), None).unwrap();
    site.db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
    let page = site.signed_in(ann).await.get("/plan").await;
    let after = site.db.store.plan_adherence(ann, before.plan.id).await.unwrap();
    let tally = &after.adherence.tally;
    assert!(tally.excused > 0 && tally.excused > before.adherence.tally.excused);
    assert!(page.contains(&format!("{} excused", tally.excused)), "{}", page.text);
    assert!(page.contains("data-excused"), "{}", page.text);
    let today = site.signed_in(ann).await.get("/").await;
    assert!(today.contains("Marked as <b>ill</b> through <time datetime=\"2026-06-14\""), "{}", today.text);
}

#[tokio::test]
async fn empty_pages_have_a_message_and_a_button() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    for (path, says, button) in [
        ("/", "Nothing is scheduled today.", "href=\"/plan/new\""),
        ("/", "No activities yet.", "href=\"/data\""),
        ("/plan", "No active plan.", "class=\"btn primary\" href=\"/plan/new\""),
        ("/coach", "Ask about today, your week or your form", "action=\"/coach\""),
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.contains(says) && page.contains(button), "{path}: {}", page.text);
        assert!(page.contains("No data yet") && page.contains("Add your data"), "{path}: {}", page.text);
        assert_eq!(page.text.matches("<h1").count(), 1, "{path}");
        for wrong in ["Waiting for data", "Missed", "0.0 km", "NaN", "inf ", "None", "null"] {
            assert!(!strip_tags(&page.text).contains(wrong), "{path}: {wrong}");
        }
    }
    // A draft is not active, and both pages link to it.
    let draft = site.db.draft(ann, "Maybe").await;
    let plan = browser.get("/plan").await;
    assert!(plan.contains("No active plan.") && plan.contains("See drafts (1)"), "{}", plan.text);
    let today = browser.get("/").await;
    assert!(today.contains("Not your active plan yet.") && today.contains(&format!("/plans/{draft}\"")));
}

fn message(role: Role, message: &Message, second: i64) -> ChatMessage {
    let body = serde_json::to_value(message).unwrap();
    ChatMessage { role, body, model: None, said_at: now() + chrono::TimeDelta::seconds(second) }
}

#[tokio::test]
async fn chat_history_shows_stored_messages_and_state_of_drafts() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let store = &site.db.store;
    let draft = site.db.draft(ann, "Spring half").await;
    let chat = store.start_chat(ann, "Draft <i>me", now()).await.unwrap();
    let answer =
        serde_json::json!({ "plan_id": draft, "review": format!("/plans/{draft}"), "status": "draft" });
    let told = |text: &str| Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] };
    let said = |text: &str| Message::Model {
        name: "built-in".to_owned(),
        parts: vec![ModelPart::Text { text: text.to_owned() }],
    };
    let all = [
        (Role::Athlete, told("Draft <script>alert(1)</script> for me\nplease")),
        (
            Role::Tool,
            Message::Program {
                parts: vec![UserPart::Result {
                    call: "1".to_owned(),
                    text: answer.to_string(),
                    refused: false,
                }],
            },
        ),
        (Role::Coach, said("It is <b>there</b>.")),
        (Role::Athlete, told("Thank you")),
    ];
    for (at, (role, one)) in all.iter().enumerate() {
        store.add_chat_message(ann, chat, message(*role, one, at as i64)).await.unwrap();
    }
    let browser = site.signed_in(ann).await;
    let listed = browser.get("/coach").await;
    assert!(
        listed.contains(&format!("/coach?chat={chat}\"")) && listed.contains("Draft &lt;i&gt;me"),
        "{}",
        listed.text
    );
    assert!(!listed.contains("Thank you"), "only the one that is open is shown");
    let page = browser.get(&format!("/coach?chat={chat}")).await;
    let at = |words: &str| page.text.find(words).unwrap_or_else(|| panic!("{words}: {}", page.text));
    assert!(
        at("Draft &lt;script&gt;alert(1)&lt;/script&gt; for me<br>please")
            < at("It is &lt;b&gt;there&lt;/b&gt;.")
    );
    assert!(at("It is &lt;b&gt;there&lt;/b&gt;.") < at("Thank you"));
    assert!(
        page.contains(&format!("href=\"/plans/{draft}\"")) && page.contains("needs your decision"),
        "{}",
        page.text
    );
    assert!(!page.contains("<script>alert"));
    // What was drafted is shown as it is now, not as it was.
    site.db.activate(ann, draft, None).await.unwrap();
    assert_eq!(store.find_plan(ann, draft).await.unwrap().unwrap().status, PlanStatus::Active);
    let page = browser.get(&format!("/coach?chat={chat}")).await;
    assert!(page.contains("<span>active</span>") && !page.contains("needs your decision"), "{}", page.text);
    for wrong in
        ["/coach?chat=0", "/coach?chat=999", "/coach?chat=-1", "/coach?chat=x", "/coach?chat=1&chat=2"]
    {
        assert_eq!(browser.get(wrong).await.status, StatusCode::NOT_FOUND, "{wrong}");
    }
}

#[tokio::test]
async fn unavailable_coach_keeps_message_and_other_pages_work() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let page: TestResponse = browser.post("/coach", &[("text", "Is <b>this</b> lost?")]).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        page.contains("No coach is set up.") && page.contains("Is &lt;b&gt;this&lt;/b&gt; lost?"),
        "{}",
        page.text
    );
    assert!(site.db.store.list_chats(ann).await.unwrap().is_empty(), "nothing half said is kept");
    for path in ["/", "/plan", "/coach", "/activities", "/trends", "/settings"] {
        assert_eq!(browser.get(path).await.status, StatusCode::OK, "{path}");
    }
}
