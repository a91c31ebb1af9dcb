use super::*;
use crate::model::{Message, Model as _, ModelPart, Request, UserPart};
use serde_json::json;

fn ledger() -> AllowedNumbers {
    let mut ledger = AllowedNumbers::default();
    ledger.record_result(&json!({
        "recovery": { "shown": "72" }, "distance": "12.4 km", "sleep": "7h 24m", "pace": "5:12 /km",
        "finish": "1:45:30", "days_to_race": 42, "adherence_percent": 91, "date": "2026-06-14",
        "series": { "metric": "hrv", "unit": "ms", "points": [["2026-06-13", 61.3]], "mean": 60.0 },
    }));
    ledger
}

fn unverified(text: &str) -> Vec<String> {
    ledger().unverified_numbers(text).into_iter().map(|range| text[range].to_owned()).collect()
}

#[test]
fn number_from_tool_result_is_verified() {
    for text in [
        "Recovery is 72, you ran 12.4 km at 5:12 /km.",
        "About 12 km on 14 June 2026, 7h 24m of sleep.",
        "A finish of 1:45:30 in 42 days; 91 % done. HRV was 61.3 ms, about 61 ms.",
        "A 5K in Z2 feels easy.\n1. Rest\n2) Run\nSee http://127.0.0.1:8787/plan/318",
        "On 2026-06-14 you rested.",
    ] {
        assert_eq!(unverified(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn number_without_source_is_unverified() {
    for (text, expected) in [
        ("Your recovery time was 72 hours.", vec!["72 hours"]),
        ("You ran 12.5 km.", vec!["12.5 km"]),
        ("You ran 12.4 miles.", vec!["12.4 miles"]),
        ("Run 3-4 km easy.", vec!["3", "4 km"]),
        ("Heart rate 148 bpm, pace 5:13 /km.", vec!["148 bpm", "5:13 /km"]),
        ("1,724 calories", vec!["1,724 calories"]),
        ("On 2026-06-15.", vec!["2026-06-15"]),
    ] {
        assert_eq!(unverified(text), expected, "{text}");
    }
}

#[test]
fn what_the_athlete_said_may_be_repeated() {
    let mut ledger = ledger();
    ledger.record_text("I want 1:40 for the half, on 4 days a week");
    assert!(ledger.unverified_numbers("Aiming for 1:40 on 4 days, 1:40:00 in full").is_empty());
}

#[test]
fn proposal_prose_verifies_nothing() {
    let mut ledger = ledger();
    ledger.record_result(&json!({ "waiting": [{
        "proposal_id": 9, "message": "Your lactate is 7.7.", "review": "http://127.0.0.1:8787/proposals/9",
    }]}));
    let text = "Your lactate is 7.7, see proposal 9.";
    assert_eq!(
        mark_unverified(text, &ledger.unverified_numbers(text)),
        "Your lactate is 7.7 [unverified], see proposal 9."
    );
}

#[test]
fn marks_stand_behind_their_numbers() {
    let text = "72 hours and 12.4 km";
    assert_eq!(
        mark_unverified(text, &ledger().unverified_numbers(text)),
        "72 hours [unverified] and 12.4 km"
    );
}

/// A conversation in which form is +2, and the usual things were told.
fn ledger_with_form() -> AllowedNumbers {
    let mut ledger = ledger();
    ledger.record_result(&json!({ "facts": { "form": { "shown": "+2" }, "hrv_change": { "shown": "−4 ms" }, "ramp": { "shown": "-3.1" } },
        "change": { "distance": "-8.2 km" }, "laps": 5, "done": 10, "away": "3 weeks", "long_run": "1h 30m" }));
    ledger
}

fn unverified_by(ledger: &AllowedNumbers, text: &str) -> Vec<String> {
    ledger.unverified_numbers(text).into_iter().map(|range| text[range].to_owned()).collect()
}

#[test]
fn a_wrong_sign_unit_script_or_word_is_marked() {
    for (text, expected) in [
        ("Form is -2.", vec!["-2"]),
        ("Form is −2 now", vec!["−2"]),
        ("Form is –2 now", vec!["–2"]),
        ("Your form is minus 2.", vec!["minus 2"]),
        ("Form: negative two hours", vec!["negative two hours"]),
        ("You lost 5kg", vec!["5kg"]),
        ("You ran 10kg", vec!["10kg"]),
        ("That was 10kcal", vec!["10kcal"]),
        ("Slept ４２ hours", vec!["４２ hours"]),
        ("Slept ٤٣ of them", vec!["٤٣"]),
        ("About ½ of it", vec!["½"]),
        ("Resting at forty-three", vec!["forty-three"]),
        ("Forty-two hours of sleep", vec!["Forty-two hours"]),
        ("a hundred and five beats", vec!["hundred and five beats"]),
        ("two and a half hours of sleep", vec!["two and a half hours"]),
        ("You slept four hours", vec!["four hours"]),
        ("Ramp is 3.1", vec!["3.1"]),
        ("Ramp is +3.1", vec!["+3.1"]),
    ] {
        assert_eq!(unverified_by(&ledger_with_form(), text), expected, "{text}");
    }
}

#[test]
fn good_sentences_are_left_alone() {
    for text in [
        "Form is +2, so 2 above even.",
        "Form is plus 2.",
        "Your HRV is down 4 ms, a change of −4 ms.",
        "You ran 8.2 km less, a ramp of -3.1.",
        "A 5K or a 10k, your 5K's pace, 10K pace; Z2 and VO2max and VO₂max.",
        "Your ４２ days to the race; forty-two days, in words.",
        "You were away for three weeks.",
        "Over the last seven days, and every two weeks.",
        "Take it one day at a time: two things matter, and this one most.",
        "One of those days. Twice is fine, and a half marathon is next.",
        "First, second and third: keep it easy, someone said often.",
        "sub-72 or so, week-72, 12-12.4 km",
        "- 12.4 km easy\n- 72 recovery",
        "1. Rest\n2. Run\n3) Sleep",
        "/modifications/0/date: that day is not in the plan.",
        "It was refused (/workouts/13/changes/7: no such workout).",
        "The long run took 1h 30m, at 5:12 /km.",
        "A weighty week, attend to tension, often, a canine, phone and bone.",
        "Run easy for as long as it feels good, and tell me how it went.",
    ] {
        assert_eq!(unverified_by(&ledger_with_form(), text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn echoed_tool_input_verifies_nothing() {
    let mut ledger = AllowedNumbers::default();
    ledger.record_tool_result(
        &json!({ "distance_km": 9.9 }),
        &json!({ "distance": "9.9 km", "finish": "45:10", "fast": "44:00", "slow": "46:30", "basis": "10.0 km in 45:40" }),
    );
    let text = "9.9 km today, and a finish of 45:10 between 44:00 and 46:30, from 10 km in 45:40.";
    assert_eq!(unverified_by(&ledger, text), ["9.9 km"]);
    ledger.record_tool_result(
        &json!({ "distance_km": 9.9 }),
        &json!({ "distance": "6.2 mi", "finish": "45:10" }),
    );
    assert_eq!(unverified_by(&ledger, "6.2 mi today"), ["6.2 mi"], "in other units as well");
    ledger.record_tool_result(
        &json!({ "activity_id": 42 }),
        &json!({ "activity_id": 42, "time": "42 min", "distance": "9.9 km" }),
    );
    assert!(unverified_by(&ledger, "9.9 km in 42 min").is_empty(), "what another answer says stands");
    ledger.record_tool_result(
        &json!({ "from": "2026-06-01", "through": "2026-06-14" }),
        &json!({ "unit": "ms", "points": [["2026-06-01", 61.0]] }),
    );
    assert!(unverified_by(&ledger, "61 ms on 1 June").is_empty(), "days are asked for, not made up");
}

#[test]
fn own_draft_or_proposal_verifies_only_sentences_about_it() {
    for (asked, answer) in [
        (
            json!({ "goal": "half", "schedule": [{ "date": "2026-06-16", "planned_miles": 20.69, "kind": "easy" }, { "date": "2026-06-18", "planned_miles": 20.69, "kind": "easy" }] }),
            json!({ "plan_id": 22, "status": "draft", "weeks": ["2026-06-15: 66.6 km"], "review": "http://127.0.0.1:8787/plans/22" }),
        ),
        (
            json!({ "modifications": [{ "workout_id": "7", "changes": { "notes": "You ran 66.6 km." } }] }),
            json!({ "proposal_id": 9, "preview": ["Thu: \"You ran 66.6 km.\""], "review": "http://127.0.0.1:8787/proposals/9" }),
        ),
    ] {
        let mut ledger = AllowedNumbers::default();
        ledger.record_tool_result(&asked, &answer);
        assert_eq!(unverified_by(&ledger, "You ran 66.6 km last week."), ["66.6 km"]);
        assert_eq!(unverified_by(&ledger, "Your week had 66.6 km."), ["66.6 km"]);
        assert!(unverified_by(&ledger, "The draft would have 66.6 km.").is_empty());
    }
    let mut ledger = AllowedNumbers::default();
    ledger.record_tool_result(
        &json!({ "goal": "half", "race_date": "2026-09-20", "name": "48 km a week" }),
        &json!({ "plan_id": 3, "status": "draft", "weeks": ["48 km", "52 km"], "review": "/plans/3" }),
    );
    assert_eq!(
        unverified_by(&ledger, "Your best week: 48 km, after 52 km."),
        ["48 km"],
        "the generator's own numbers stand"
    );
    ledger.record_result(
        &json!({ "drafts": [{ "plan_id": 3, "status": "draft", "name": "You slept 3.3 h" }] }),
    );
    assert_eq!(unverified_by(&ledger, "You slept 3.3 h"), ["3.3 h"], "and the name of a draft is prose");
}

/// What the tools tell of the demo athlete on a morning; nothing of it is made up for these tests.
fn demo_tool_results() -> Value {
    serde_json::from_str(include_str!("../../tests/fixtures/told.json")).unwrap()
}

fn ledger_from_tools(tools: &[&str]) -> AllowedNumbers {
    let (mut ledger, told) = (AllowedNumbers::default(), demo_tool_results());
    for tool in tools {
        ledger.record_result(&told[*tool]);
    }
    ledger
}

const ALL_TOOLS: &[&str] =
    &["daily_snapshot", "training_load", "plan_progress", "metric_series", "activities", "compare_periods"];

#[test]
fn metric_is_verified_only_by_its_own_values() {
    let snapshot = ["daily_snapshot", "plan_progress"];
    let all: &[(&str, &[&str], &[u32])] = &[
        ("recovery", &snapshot, &[36]),
        ("recovery score", &snapshot, &[36]),
        ("form", &snapshot, &[2]),
        ("fitness", &snapshot, &[39]),
        ("fatigue", &snapshot, &[37]),
        ("HRV", &snapshot, &[41, 50, 52, 57]),
        ("heart rate variability", &["daily_snapshot"], &[41, 50, 52, 57]),
        ("resting heart rate", &snapshot, &[52, 53]),
        ("VO2max", ALL_TOOLS, &[]),
        ("sleep score", ALL_TOOLS, &[]),
        ("stress", &snapshot, &[28]),
        ("body battery", &snapshot, &[69]),
        ("training load", &["daily_snapshot"], &[37]),
        ("load", &["activities"], &[26, 37, 41, 110]),
        ("recovery", ALL_TOOLS, &[36, 38, 42, 4]),
        ("HRV", &["metric_series"], &[41, 43, 52, 53, 55, 63]),
        ("form", &["plan_progress"], &[]),
        ("fitness", &["activities", "metric_series"], &[]),
    ];
    for (metric, tools, values) in all {
        let ledger = ledger_from_tools(tools);
        for number in 0..=120u32 {
            for text in [
                format!("Your {metric} is {number}."),
                format!("{metric}: {number}"),
                format!("On the 16th your {metric} stood at about {number}, which is fine"),
                format!("I see {number} for your {metric}."),
            ] {
                let marked = unverified_by(&ledger, &text).contains(&number.to_string());
                assert_eq!(marked, !values.contains(&number), "{text}");
            }
        }
    }
}

#[test]
fn invented_numbers_are_unverified() {
    let text = "recovery is 27, form is 55, fitness 31, fatigue 12, VO2max 66, resting heart rate 29, HRV 78, 17 times";
    assert_eq!(
        unverified_by(&ledger_from_tools(&["daily_snapshot", "plan_progress"]), text),
        ["27", "55", "31", "12", "66", "29", "78", "17 times"]
    );
    for (text, left) in [
        ("form is 16", vec!["16"]),
        ("You have 29 left to do, of 2026", vec!["29"]),
        ("That was on 16 May, the 13th time", vec!["16", "13"]),
        ("It went up to 41", vec!["41"]),
        ("You doubled it, ran half as long and a dozen times", vec!["doubled", "half", "dozen times"]),
        ("You missed eleven sessions and ran two easy runs", vec!["eleven sessions", "two easy runs"]),
    ] {
        assert_eq!(unverified_by(&ledger_from_tools(&["daily_snapshot"]), text), left, "{text}");
    }
}

#[test]
fn true_sentences_are_verified() {
    let ledger = ledger_from_tools(ALL_TOOLS);
    for text in [
        "Recovery is 36 on Tue 16 Jun 2026; form is +2, fitness 39, fatigue 37.",
        "Your HRV was 41 ms last night, against 50 to 57 ms normally; resting heart rate 52 bpm.",
        "You slept 6h 54m, and usually 7h 28m. Stress was 28 and body battery 69.",
        "Recovery and form are 36 and +2.",
        "You made 4 runs in the last seven days, 33.0 km, with a load of 214 after 272.",
        "The race is in 68 days, on 23 August; you could run 1:40:30, between 1:35:30 and 1:47:00.",
        "See proposal 1, or draft 2. Fitness moved by −1.4. Adherence is 89 %.",
        "From 8 to 14 June you ran 34.6 km, 5.7 km less than before, in 4 runs.",
        "An easy run of 5.0 km today, about 30 minutes; the half is next, and a half marathon takes patience.",
        "Monday 15 June: 5.6 km at 6:05 /km, 143 bpm.",
    ] {
        assert_eq!(unverified_by(&ledger, text), Vec::<String>::new(), "{text}");
    }
}

/// What the built-in coach answers, and what it looked up for that.
async fn ask_rule_based_coach(question: &str) -> (AllowedNumbers, String) {
    let coach = crate::rule_based::BuiltInCoach { today: "2026-06-16".parse().unwrap() };
    let (mut ledger, told) = (AllowedNumbers::default(), demo_tool_results());
    ledger.record_text(question);
    let text = question.to_owned();
    let mut messages = vec![Message::Program { parts: vec![UserPart::Text { text }] }];
    for _ in 0..4 {
        let request = Request {
            system: String::new(),
            tools: Vec::new(),
            messages: messages.clone(),
            response_schema: None,
            max_tokens: 1,
        };
        let reply = coach.ask(&request, &mut ()).await.unwrap();
        let [ModelPart::Call { id, tool, input }] = reply.parts.as_slice() else {
            return (ledger, reply.text());
        };
        let answer = match tool.as_str() {
            "predict_finish" => &told["plan_progress"]["predicted"],
            tool => &told[tool],
        };
        ledger.record_tool_result(input, answer);
        let result = UserPart::Result { call: id.clone(), text: answer.to_string(), refused: false };
        messages.push(Message::Model { name: "built-in".to_owned(), parts: reply.parts.clone() });
        messages.push(Message::Program { parts: vec![result] });
    }
    panic!("{question} is never answered");
}

#[tokio::test]
async fn rule_based_replies_have_no_unverified_numbers() {
    for question in [
        "What is on today?",
        "What is this week?",
        "Why this session?",
        "How is my form?",
        "Should I run today?",
        "What could I run over a half?",
        "What if I am ill?",
        "Hello",
    ] {
        let (ledger, text) = ask_rule_based_coach(question).await;
        assert_eq!(unverified_by(&ledger, &text), Vec::<String>::new(), "{question}: {text}");
    }
}

proptest::proptest! {
    #[test]
    fn unverified_numbers_never_panics(text in ".{0,200}") {
        let ledger = ledger();
        let marks = ledger.unverified_numbers(&text);
        let _ = mark_unverified(&text, &marks);
    }
}

#[test]
fn refusal_verifies_its_limits_but_not_echoed_input() {
    let mut ledger = AllowedNumbers::default();
    ledger.record_refusal(&json!({ "weekly_km": 480.0 }), "A plan takes at least 5 days; 480 km is too far.");
    assert!(ledger.unverified_numbers("That did not work: a plan takes at least 5 days.").is_empty());
    assert_eq!(ledger.unverified_numbers("You ran 480 km.").len(), 1);
}

#[test]
fn a_long_text_is_read_in_pieces_that_make_it_up() {
    for text in [
        "",
        "one",
        &"7 ".repeat(9000),
        &"üü".repeat(9000),
        &format!("{}\n{}", "a".repeat(2000), "b".repeat(9000)),
    ] {
        let mut at = 0;
        for (begin, piece) in chunks(text) {
            assert_eq!(begin, at);
            assert!(piece.len() <= 2 * MAX_CHUNK_BYTES && !piece.is_empty());
            at += piece.len();
        }
        assert_eq!(at, text.len());
    }
}

#[test]
fn sixty_four_kilobytes_of_digits_are_checked_in_seconds() {
    let begun = std::time::Instant::now();
    let text = "7 ".repeat(32 * 1024);
    let mut ledger = AllowedNumbers::default();
    ledger.record_text(&text);
    ledger.record_result(&serde_json::json!({ "note": text }));
    // As many are looked up as may be; the rest is marked unseen.
    assert_eq!(ledger.unverified_numbers(&text).len(), 32 * 1024 - MAX_CHECKED_NUMBERS);
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
}
