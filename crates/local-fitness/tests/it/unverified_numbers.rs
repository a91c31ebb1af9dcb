//! Numbers in the coach's texts that are not in the data are marked as unverified.

use crate::coach::{demo_home, start_fake_model, text, use_model, with_a_plan};
use crate::harness::Home;
use crate::planning::today;
use crate::serve::serve;
use fitness_coach::testkit::{ScriptRequest, ScriptedReply};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unverified_numbers_in_chat_are_marked() {
    let fake =
        start_fake_model(|_| ScriptedReply::text("Your VO2max is 73.4 now. You said 12 and that is right."))
            .await;
    let home = demo_home();
    use_model(&home, &fake);
    let told = home.json(&["chat", "I ran 12 laps"]);
    let marked: Vec<String> = told["unverified"].as_array().unwrap().iter().map(text).collect();
    assert!(marked.iter().any(|number| number.contains("73.4")), "{told:#}");
    assert!(!marked.iter().any(|number| number.contains("12")), "{told:#}");
    let shown = home.ok(&["chat", "I ran 12 laps"]);
    assert_ne!(shown.trim(), text(&told["answer"]), "the marker is shown");
}

/// A response that skips a workout, with texts.
fn skip_response(workout: &Value, message: &str, notes: &str) -> Value {
    json!({
        "modifications": [{
            "workout_id": workout["workout_id"].to_string(), "date": workout["date"], "action": "skip",
            "changes": { "notes": notes },
        }],
        "new_workouts": [],
        "athlete_message": message,
    })
}

/// Tomorrow's workout in the result of `plan_progress`.
fn tomorrows_workout(home: &Home, told: &str) -> Value {
    let told: Value = serde_json::from_str(told).unwrap();
    let day = json!(today(home).plus_days(1).to_string());
    let workouts = told["workouts"].as_array().unwrap_or_else(|| panic!("{told:#}"));
    workouts.iter().find(|workout| workout["date"] == day).unwrap().clone()
}

const MESSAGE: &str = "You have 60 days left, and a lactate of 7.7 at 4 km.";
const NOTES: &str = "Your HRV fell by 31 %, so the 4 km can wait.";
const MARKED: &str = "You have 60 days left, and a lactate of 7.7 [unverified] at 4 km.";
const MARKED_NOTES: &str = "Your HRV fell by 31 % [unverified], so the 4 km can wait.";

#[track_caller]
fn assert_marked(home: &Home) {
    let shown = home.ok(&["plan", "proposal", "show", "1"]);
    assert!(shown.contains(MARKED) && shown.contains(MARKED_NOTES), "{shown}");
    let data = home.json(&["plan", "proposal", "show", "1"]);
    assert_eq!(data["proposal"]["message"], MARKED, "stored with the marker");
    assert_eq!(data["proposal"]["changes"][0]["notes"], MARKED_NOTES, "{data:#}");
    assert!(home.ok(&["today"]).contains(MARKED), "also on Today");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proposal_text_is_checked_against_the_conversation() {
    let home = std::sync::Arc::new(with_a_plan());
    let its = std::sync::Arc::clone(&home);
    let fake = start_fake_model(move |asked: &ScriptRequest| match asked.number {
        1 => ScriptedReply::call("plan_progress", json!({})),
        2 => ScriptedReply::call(
            "propose_modification",
            skip_response(&tomorrows_workout(&its, asked.results.last().unwrap()), MESSAGE, NOTES),
        ),
        _ => ScriptedReply::text("It waits for you."),
    })
    .await;
    use_model(&home, &fake);
    let said = home.json(&["chat", "I feel tired"]);
    assert_eq!(said["waiting"], json!(["fitness plan proposal show 1"]), "{said:#}");
    assert_marked(&home);
}

#[test]
fn imported_response_text_is_checked_against_the_data() {
    let home = with_a_plan();
    let plan = home.json(&["plan", "show"]);
    let day = json!(today(&home).plus_days(1).to_string());
    let workouts = plan["workouts"].as_array().unwrap_or_else(|| panic!("{plan:#}"));
    let workout = workouts.iter().find(|workout| workout["date"] == day).unwrap();
    let workout = json!({ "workout_id": workout["id"], "date": day });
    let answer = skip_response(&workout, MESSAGE, NOTES).to_string();
    home.ok(&["plan", "propose", &home.file("answer.json", answer)]);
    assert_marked(&home);
}

#[test]
fn mcp_proposal_text_is_labelled_unchecked() {
    let home = with_a_plan();
    let token = text(&home.json(&["token", "add", "Desk", "--scope", "draft"])["token"]);
    let server = serve(&home);
    let told = server.call(&token, "plan_progress", &json!({}));
    let workout = tomorrows_workout(&home, &told["structuredContent"].to_string());
    let proposed = server.call(&token, "propose_modification", &skip_response(&workout, MESSAGE, NOTES));
    assert_eq!(proposed["structuredContent"]["proposal_id"], 1, "{proposed}");
    let shown = home.ok(&["plan", "proposal", "show", "1"]);
    assert!(shown.contains("from an app (its numbers were not checked):"), "{shown}");
    assert!(shown.contains(MESSAGE) && !shown.contains("[unverified]"), "{shown}");
}
