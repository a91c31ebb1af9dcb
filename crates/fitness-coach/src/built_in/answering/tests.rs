use super::*;
use crate::turn::{Caps, Effect, Ended, Turn};

fn today() -> Day {
    "2026-06-09".parse().unwrap() // a Tuesday
}

fn read(text: &str) -> Intent {
    Intent::read(text, today())
}

#[test]
fn the_questions_it_promises_are_understood() {
    let day = |text: &str| text.parse::<Day>().unwrap();
    assert_eq!(read("What's on today?"), Intent::Today);
    assert_eq!(read("How am I doing this morning?"), Intent::Today);
    assert_eq!(read("what is this week"), Intent::Week);
    assert_eq!(read("Why?"), Intent::Why { day: today() });
    assert_eq!(read("How is my form?"), Intent::Form);
    assert_eq!(read("What if I am ill?"), Intent::IfUnwell);
    assert_eq!(read("make Thursday easier"), Intent::Easier { day: day("2026-06-11") });
    assert_eq!(read("Skip tomorrow."), Intent::Skip { day: day("2026-06-10") });
    assert_eq!(read("skip tuesday's run"), Intent::Skip { day: today() });
    assert_eq!(read("What could I run over a half?"), Intent::Predict { input: json!({ "goal": "half" }) });
    assert_eq!(read("Sing me a song"), Intent::Unclear);
    assert_eq!(read(""), Intent::Unclear);
}

#[test]
fn negation_tense_person_and_questions_are_heard() {
    let not = |instead| Intent::NotUnwell { instead };
    let day = |text: &str| text.parse::<Day>().unwrap();
    for (text, intent) in [
        ("I am not ill", not(NotNow::Denied)),
        ("I'm no longer sick.", not(NotNow::Denied)),
        ("I don't have a fever", not(NotNow::Denied)),
        ("My wife is ill", not(NotNow::SomebodyElse)),
        ("the kids have a cold", not(NotNow::SomebodyElse)),
        ("she is sick", not(NotNow::SomebodyElse)),
        ("I was ill last month", not(NotNow::Past)),
        ("I had the flu two weeks ago", not(NotNow::Past)),
        ("Am I ill?", Intent::IfUnwell),
        ("Should I run with a cold?", Intent::IfUnwell),
        ("Don't skip tomorrow", Intent::Keep),
        ("please do not make it easier", Intent::Keep),
        ("I would never skip tomorrow", Intent::Keep),
        ("Should I skip tomorrow?", Intent::Should { day: day("2026-06-10") }),
        ("should i make thursday easier", Intent::Should { day: day("2026-06-11") }),
        ("Can I skip today?", Intent::Should { day: today() }),
        ("Why not skip tomorrow?", Intent::Should { day: day("2026-06-10") }),
        ("make last Thursday easier", Intent::Over { day: day("2026-06-04") }),
        ("skip yesterday", Intent::Over { day: day("2026-06-08") }),
        ("skip 2026-01-01", Intent::Over { day: day("2026-01-01") }),
        ("why is thursday easy?", Intent::Why { day: day("2026-06-11") }),
        ("Why is Thursday easier?", Intent::Why { day: day("2026-06-11") }),
        ("Can you skip tomorrow?", Intent::Skip { day: day("2026-06-10") }),
        ("I can't run tomorrow, skip it", Intent::Skip { day: day("2026-06-10") }),
        ("I'm not sure about today, but skip tomorrow", Intent::Skip { day: day("2026-06-10") }),
        ("It is cold today", Intent::Today),
    ] {
        assert_eq!(read(text), intent, "{text}");
    }
    for text in [
        "I am ill",
        "I'm sick since yesterday",
        "My wife is fine but I am ill",
        "My wife was ill and now I have a fever",
        "I've been ill since Monday",
        "my calf hurts",
        "I have a cold",
    ] {
        assert!(matches!(read(text), Intent::Unwell { .. }), "{text}: {:?}", read(text));
    }
}

#[tokio::test]
async fn a_question_is_answered_with_reasons_and_proposes_nothing() {
    let snapshot = json!({ "facts": { "recovery": { "shown": "31" }, "recovery_band": { "shown": "low" } } });
    let answers = [("plan_progress", Ok(progress())), ("daily_snapshot", Ok(snapshot))];
    let (called, text) = converse("Should I skip Thursday?", &answers).await;
    assert_eq!(called, ["plan_progress", "daily_snapshot"]);
    assert!(
        text.contains("5 × 1 km") && text.contains("31") && text.contains("I prepare a proposal"),
        "{text}"
    );
    let (called, text) = converse("why is thursday hard?", &answers).await;
    assert_eq!(called, ["plan_progress"]);
    assert!(text.starts_with("Thu 2026-06-11 is 5 × 1 km, 10.0 km. Short hard repeats"), "{text}");
    for (words, says) in [
        ("Don't skip tomorrow", "Nothing was proposed"),
        ("I am not ill", "wrote nothing down"),
        ("My wife is ill", "you alone"),
        ("I was ill last month", "mark yourself"),
        ("make last Thursday easier", "is over"),
    ] {
        let (called, text) = converse(words, &[]).await;
        assert!(called.is_empty() && text.contains(says), "{words}: {called:?} {text}");
    }
}

#[tokio::test]
async fn every_proposal_that_waits_is_named() {
    let waiting: Vec<Value> =
        (4..7).map(|id| json!({ "review": format!("http://127.0.0.1:8787/proposals/{id}") })).collect();
    let (_, text) = converse("today?", &[("daily_snapshot", Ok(json!({ "waiting": waiting })))]).await;
    for id in 4..7 {
        assert!(text.contains(&format!("/proposals/{id}")), "{text}");
    }
}

#[test]
fn what_the_athlete_reports_becomes_a_suggestion() {
    let Intent::Unwell { observation } = read("I'm ill with a fever since yesterday") else { panic!() };
    assert_eq!(
        observation,
        json!({ "kind": "illness", "from": "2026-06-08", "through": "2026-06-11", "value": 3 })
    );
    let Intent::Unwell { observation } = read("my calf hurts a bit") else { panic!() };
    assert_eq!((observation["kind"].as_str(), observation["value"].as_i64()), (Some("injury"), Some(1)));
}

#[test]
fn a_plan_is_asked_for_in_words() {
    for text in [
        "Draft a half marathon plan for 2027-04-11 in 1:45",
        "draft me a plan for a half on 11 April 2027, target 1:45:00",
        "I want to train for a half, April 11th 2027, 1:45",
    ] {
        let Intent::Draft { input } = read(text) else { panic!("{text}: {:?}", read(text)) };
        assert_eq!(
            input,
            json!({ "goal": "half", "race_date": "2027-04-11", "target_time": "01:45:00" }),
            "{text}"
        );
    }
    let Intent::Draft { input } = read("draft a 10k plan for 4 may in 45:30") else { panic!() };
    assert_eq!(input, json!({ "goal": "10k", "race_date": "2027-05-04", "target_time": "00:45:30" }));
    assert!(matches!(read("draft me a plan"), Intent::DraftWhat { .. }));
    assert!(matches!(read("draft a marathon plan"), Intent::DraftWhat { .. }));
}

/// Runs a turn against canned answers, and gives back the tools it called and what it said.
async fn converse(words: &str, answers: &[(&str, Result<Value, &str>)]) -> (Vec<String>, String) {
    let coach = BuiltIn { today: today() };
    let (mut turn, mut effects) = Turn::begin(
        String::new(),
        Vec::new(),
        (Some("Today is a day.".to_owned()), words.to_owned()),
        Caps::default(),
    );
    let mut called = Vec::new();
    loop {
        let effect = effects.remove(0);
        effects = match effect {
            Effect::Ask(request) => {
                let reply = coach.ask(&request, &mut ()).await;
                turn.heard(coach.name(), reply, None)
            }
            Effect::Call { id, tool, .. } => {
                called.push(tool.name.to_string());
                let (_, answer) =
                    answers.iter().find(|(name, _)| *name == tool.name.as_str()).expect("expected call");
                let refused = |why: &str| fitness_core::desk::DeskError::refused(why);
                turn.answered(&id, answer.clone().map_err(refused))
            }
            Effect::End(ending) => {
                assert_eq!(ending.ended, Ended::Answered);
                let last = turn.added().last().cloned();
                let Some(Message::Model { parts, .. }) = last else { panic!("no answer") };
                let text = Reply { parts, stop: Stop::Done, usage: Usage::default() }.text();
                return (called, text);
            }
        };
    }
}

fn progress() -> Value {
    json!({
        "plan": { "plan_id": 3 }, "adherence_percent": 91,
        "workouts": [{ "workout_id": 17, "date": "2026-06-11", "weekday": "Thu", "sport": "running",
            "kind": "intervals", "name": "5 × 1 km", "planned": "10.0 km", "minutes": 60, "verdict": "pending" }],
    })
}

#[tokio::test]
async fn easier_is_a_proposal_and_never_a_change() {
    let proposed = json!({ "proposal_id": 9, "status": "open", "preview": ["Thu: 5 × 1 km → Easy run"],
        "review": "http://127.0.0.1:8787/proposals/9" });
    let answers = [("plan_progress", Ok(progress())), ("propose_modification", Ok(proposed))];
    let (called, text) = converse("make Thursday easier", &answers).await;
    assert_eq!(called, ["plan_progress", "propose_modification"]);
    assert!(text.contains("stays as it is until you decide") && text.contains("/proposals/9"), "{text}");
}

#[tokio::test]
async fn what_a_tool_refuses_is_said() {
    let answers = [("plan_progress", Ok(progress())), ("propose_modification", Err("That day is past."))];
    let (_, text) = converse("skip thursday", &answers).await;
    assert_eq!(text, "That did not work: That day is past.");
    let (called, text) = converse("skip thursday", &[("plan_progress", Ok(json!({})))]).await;
    assert_eq!((called.len(), text.as_str()), (1, "There is no active plan to change."));
}

#[test]
fn a_change_keeps_the_contract() {
    for (intent, expected) in
        [(Intent::Easier { day: today() }, "modify"), (Intent::Skip { day: today() }, "skip")]
    {
        let response = change(&intent, &progress(), "2026-06-11".parse().unwrap()).unwrap();
        assert_eq!(response["modifications"][0]["action"], expected);
        let kind = Some(fitness_core::contract::Kind::Modification);
        let checked = fitness_core::contract::check(response.to_string().as_bytes(), kind);
        assert!(checked.is_ok(), "{checked:?}");
    }
}

#[tokio::test]
async fn every_number_it_says_was_told() {
    let snapshot = json!({
        "facts": { "recovery": { "shown": "72" }, "recovery_band": { "shown": "high" }, "form": { "shown": "−18" },
            "form_band": { "shown": "productive" }, "sleep_last_night": { "shown": "7h 24m" }, "sleep_usual": { "shown": "7h 40m" } },
        "sessions": progress()["workouts"], "last_judged": [{ "weekday": "Mon", "name": "Easy run", "planned": "8.0 km",
            "actual": "8.1 km", "verdict": "hit", "kind": "easy" }],
        "waiting": [{ "review": "http://127.0.0.1:8787/proposals/4" }],
    });
    let load = json!({ "facts": { "form": { "shown": "−18" }, "form_band": { "shown": "productive" },
        "fitness": { "shown": "62" }, "fatigue": { "shown": "80" }, "ramp": { "shown": "+3.1" } } });
    let predicted = json!({ "distance": "21.1 km", "finish": "1:45:30", "fast": "1:42:00", "slow": "1:49:00", "basis": "10.0 km in 45:10 on 2026-05-02" });
    for (words, tool, answer) in [
        ("today?", "daily_snapshot", snapshot.clone()),
        ("why?", "daily_snapshot", snapshot),
        ("this week?", "plan_progress", progress()),
        ("form?", "training_load", load),
        ("predict my finish", "predict_finish", predicted),
        ("today?", "daily_snapshot", json!({})),
        ("why?", "daily_snapshot", json!({})),
        ("this week?", "plan_progress", json!({})),
        ("form?", "training_load", json!({})),
        ("predict my finish", "predict_finish", json!({ "basis": "none: needs a race" })),
    ] {
        let mut ledger = crate::numbers::Ledger::default();
        ledger.hear(&answer);
        let (_, text) = converse(words, &[(tool, Ok(answer))]).await;
        let left: Vec<&str> = ledger.unverified(&text).into_iter().map(|range| &text[range]).collect();
        assert!(left.is_empty(), "{words}: {left:?} in {text}");
        assert!(!text.trim().is_empty());
    }
}

#[tokio::test]
async fn nothing_leaves_the_machine() {
    let coach = BuiltIn { today: today() };
    let request =
        Request { system: String::new(), tools: vec![], messages: vec![], shape: None, max_tokens: 1 };
    assert!(coach.preview(&request).contains("Nothing leaves"));
    assert_eq!(coach.cost(&Usage::default()), Some(Cost(0)));
    let reply = coach.ask(&request, &mut ()).await.unwrap();
    assert_eq!(reply.text(), wording::HELP);
}
