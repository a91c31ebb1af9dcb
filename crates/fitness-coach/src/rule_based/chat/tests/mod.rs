use super::*;
use crate::agent_loop::{EndReason, Turn, TurnLimits, TurnStep};

fn today() -> Day {
    "2026-06-09".parse().unwrap() // a Tuesday
}

fn read(text: &str) -> Intent {
    Intent::read(text, today())
}

fn wanted(less: Less, days: &[&str]) -> Intent {
    let wanted = days.iter().map(|day| Wanted { day: day.parse().unwrap(), less });
    Intent::Change { wanted: wanted.collect() }
}

fn easier(days: &[&str]) -> Intent {
    wanted(Less::Easier, days)
}

fn skip(days: &[&str]) -> Intent {
    wanted(Less::Skip, days)
}

#[test]
fn the_questions_it_promises_are_understood() {
    let day = |text: &str| text.parse::<Day>().unwrap();
    assert_eq!(read("What's on today?"), Intent::Today);
    assert_eq!(read("How am I doing this morning?"), Intent::Today);
    assert_eq!(read("what is this week"), Intent::Week { monday: day("2026-06-08") });
    assert_eq!(read("Why?"), Intent::Why { day: today() });
    assert_eq!(read("How is my form?"), Intent::Form { of_another_day: false });
    assert_eq!(read("What if I am ill?"), Intent::IfUnwell);
    assert_eq!(read("make Thursday easier"), easier(&["2026-06-11"]));
    assert_eq!(read("Skip tomorrow."), skip(&["2026-06-10"]));
    assert_eq!(read("skip tuesday's run"), skip(&["2026-06-09"]));
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
        ("Should I skip tomorrow?", Intent::Should { days: vec![day("2026-06-10")] }),
        ("should i make thursday easier", Intent::Should { days: vec![day("2026-06-11")] }),
        ("Can I skip today?", Intent::Should { days: vec![today()] }),
        ("Why not skip tomorrow?", Intent::Should { days: vec![day("2026-06-10")] }),
        ("make last Thursday easier", Intent::Over { day: day("2026-06-04") }),
        ("skip yesterday", Intent::Over { day: day("2026-06-08") }),
        ("skip 2026-01-01", Intent::Over { day: day("2026-01-01") }),
        ("why is thursday easy?", Intent::Why { day: day("2026-06-11") }),
        ("Why is Thursday easier?", Intent::Why { day: day("2026-06-11") }),
        ("Can you skip tomorrow?", skip(&["2026-06-10"])),
        ("I can't run tomorrow, skip it", skip(&["2026-06-10"])),
        ("I'm not sure about today, but skip tomorrow", skip(&["2026-06-10"])),
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
    assert!(text.contains("Thu 2026-06-11 is 5 × 1 km, 10.0 km. Short hard repeats"), "{text}");
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
    let coach = BuiltInCoach { today: today() };
    let (mut turn, mut effects) = Turn::start(
        String::new(),
        Vec::new(),
        (Some("Today is a day.".to_owned()), words.to_owned()),
        TurnLimits::default(),
    );
    let mut called = Vec::new();
    loop {
        let effect = effects.remove(0);
        effects = match effect {
            TurnStep::SendRequest(request) => {
                let reply = coach.ask(&request, &mut ()).await;
                turn.handle_reply(coach.name(), reply, None)
            }
            TurnStep::CallTool { id, tool, .. } => {
                called.push(tool.name.to_string());
                let (_, answer) =
                    answers.iter().find(|(name, _)| *name == tool.name.as_str()).expect("expected call");
                let refused = |why: &str| fitness_core::coach_api::CoachApiError::invalid(why);
                turn.handle_tool_result(&id, answer.clone().map_err(refused))
            }
            TurnStep::End(ending) => {
                assert_eq!(ending.reason, EndReason::Answered);
                let last = turn.added_messages().last().cloned();
                let Some(Message::Model { parts, .. }) = last else { panic!("no answer") };
                let text = Reply { parts, stop_reason: StopReason::Done, usage: Usage::default() }.text();
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
    assert_eq!(text, format!("{}\nThat did not work: That day is past.", replies::WHO));
    let (called, text) = converse("skip thursday", &[("plan_progress", Ok(json!({})))]).await;
    assert!(called.len() == 1 && text.ends_with("There is no active plan to change."), "{text}");
}

#[test]
fn a_change_keeps_the_contract() {
    for (less, expected) in [(Less::Easier, "modify"), (Less::Shorter, "modify"), (Less::Skip, "skip")] {
        let day = "2026-06-11".parse().unwrap();
        let proposal =
            plan_change::proposal(&[Wanted { day, less }], &progress(), plan_change::Because::Asked).unwrap();
        assert_eq!(proposal.response["modifications"][0]["action"], expected);
        let kind = Some(fitness_core::llm_output::ResponseKind::Modification);
        let checked =
            fitness_core::llm_output::parse_response(proposal.response.to_string().as_bytes(), kind);
        assert!(checked.is_ok(), "{checked:?}");
    }
}

#[test]
fn a_day_that_was_named_is_never_another_day() {
    let day = |text: &str| text.parse::<Day>().unwrap();
    let unsure = |doubt| Intent::Unsure { doubt };
    let rest_of_week = ["2026-06-09", "2026-06-10", "2026-06-11", "2026-06-12", "2026-06-13", "2026-06-14"];
    for (text, intent) in [
        ("skip the day after tomorrow", skip(&["2026-06-11"])),
        ("skip Wednesday and Thursday", skip(&["2026-06-10", "2026-06-11"])),
        ("skip Wednesday, Thursday and Friday.", skip(&["2026-06-10", "2026-06-11", "2026-06-12"])),
        ("Skip Wednesday – Friday", skip(&["2026-06-10", "2026-06-11", "2026-06-12"])),
        ("skip this week", skip(&rest_of_week)),
        ("make this week easier", easier(&rest_of_week)),
        ("skip this week but not Sunday", skip(&rest_of_week[..5])),
        ("skip today, not tomorrow", skip(&["2026-06-09"])),
        ("make Sunday shorter", wanted(Less::Shorter, &["2026-06-14"])),
        ("I'm busy Wednesday and Thursday, skip both", unsure(Doubt::NoDay)),
        ("I'm busy Wednesday and Thursday, skip it", skip(&["2026-06-10", "2026-06-11"])),
        ("Yesterday was hard, make it easier", easier(&["2026-06-09"])),
        ("don't skip Wednesday, skip Thursday", skip(&["2026-06-11"])),
        ("skip next Wednesday", unsure(Doubt::OneOf(day("2026-06-10"), day("2026-06-17")))),
        ("skip the next three days", unsure(Doubt::NotDays)),
        ("skip every Thursday", unsure(Doubt::NotDays)),
        ("skip the long run", unsure(Doubt::NoDay)),
        ("make everything easier", unsure(Doubt::NoDay)),
        ("skip last week", Intent::Over { day: day("2026-06-07") }),
        (
            "Should I skip Wednesday and Thursday?",
            Intent::Should { days: vec![day("2026-06-10"), day("2026-06-11")] },
        ),
        ("How was last week?", Intent::Week { monday: day("2026-06-01") }),
        ("next week", Intent::Week { monday: day("2026-06-15") }),
        ("why was Wednesday a miss?", Intent::Why { day: day("2026-06-03") }),
        ("What is on tomorrow?", Intent::Days { days: vec![day("2026-06-10")] }),
        ("how was my session yesterday?", Intent::Days { days: vec![day("2026-06-08")] }),
        ("how was my form last week?", Intent::Form { of_another_day: true }),
        ("what is on in two weeks?", unsure(Doubt::NotDays)),
        ("Can I run tomorrow?", Intent::Should { days: vec![day("2026-06-10")] }),
        ("I will miss Thursday", Intent::Days { days: vec![day("2026-06-11")] }),
    ] {
        assert_eq!(read(text), intent, "{text}");
    }
    let both = Intent::Change {
        wanted: vec![
            Wanted { day: day("2026-06-10"), less: Less::Skip },
            Wanted { day: day("2026-06-11"), less: Less::Easier },
        ],
    };
    assert_eq!(read("skip Wednesday and make Thursday easier"), both);
}

#[tokio::test]
async fn what_it_is_not_sure_of_it_asks_and_proposes_nothing() {
    for (words, says) in [
        ("skip next Wednesday", "Do you mean the coming Wednesday or the one a week later?"),
        ("skip every Thursday", "I did nothing"),
        ("skip the long run", "Say which day you mean"),
    ] {
        let (called, text) = converse(words, &[]).await;
        assert!(called.is_empty() && text.contains(says), "{words}: {called:?} {text}");
    }
    let last = json!({ "plan": { "plan_id": 3 }, "workouts": [{ "workout_id": 9, "date": "2026-06-03",
        "weekday": "Wed", "sport": "running", "kind": "tempo", "name": "Tempo", "planned": "8.0 km", "verdict": "missed" }] });
    let (_, text) = converse("why was Wednesday a miss?", &[("plan_progress", Ok(last.clone()))]).await;
    assert!(
        text.contains("Wed 2026-06-03 was Tempo, 8.0 km. It is a miss because nothing was recorded"),
        "{text}"
    );
    let (_, text) = converse("how was last week?", &[("plan_progress", Ok(last.clone()))]).await;
    assert!(text.contains("Last week:\n- Wed: Tempo, 8.0 km (missed)"), "{text}");
    let (_, text) = converse("and wednesday last week?", &[("plan_progress", Ok(last))]).await;
    assert!(text.contains("Wed 2026-06-03: Tempo, 8.0 km (missed)."), "{text}");
}

/// What the proposal for a day of so many sessions asks for; or what is said instead.
fn asked_of(workout: &Value, less: Less) -> Result<Value, String> {
    let day = "2026-06-11".parse().unwrap();
    let mut told = progress();
    told["workouts"] = json!([workout]);
    let proposal = plan_change::proposal(&[Wanted { day, less }], &told, plan_change::Because::Asked)?;
    Ok(proposal.response)
}

fn session(kind: &str, planned: &str) -> Value {
    json!({ "workout_id": 17, "date": "2026-06-11", "weekday": "Thu", "sport": "running", "kind": kind, "name": "Run",
        "planned": planned, "verdict": "pending" })
}

#[test]
fn easier_is_less_also_where_a_plan_goes_by_distance() {
    for (kind, planned, less) in [
        ("long", "14.0 km", Less::Shorter),
        ("easy", "6.0 km", Less::Easier),
        ("tempo", "8.7 mi", Less::Easier),
    ] {
        let response = asked_of(&session(kind, planned), less).unwrap();
        let change = &response["modifications"][0]["changes"]["duration_minutes"];
        let (from, to) = (change["from"].as_f64().unwrap(), change["to"].as_f64().unwrap());
        assert!((to / from - 0.75).abs() < 1e-9, "{planned}: {change}");
    }
    let shorter = asked_of(&session("long", "14.0 km"), Less::Shorter).unwrap();
    assert_eq!(shorter["modifications"][0]["changes"].get("intensity"), None, "only shorter");
    assert_eq!(shorter["athlete_message"], "Shorten the long run on Thursday, as you asked.");
    let hard = asked_of(&session("intervals", "10.0 km"), Less::Easier).unwrap();
    assert_eq!(hard["modifications"][0]["changes"]["intensity"]["to"], "easy");
    assert_eq!(hard["athlete_message"], "Shorten the workout on Thursday and make it easy, as you asked.");
}

#[test]
fn where_nothing_can_be_less_it_says_so() {
    for (workout, less, says) in [
        (session("easy", "3.0 km"), Less::Easier, "is easy and short already"),
        (session("easy", "load 30"), Less::Easier, "is easy and short already"),
        (session("tempo", "3.0 km"), Less::Shorter, "as short as I would make it"),
        (session("race", "10.0 km"), Less::Easier, "is the race"),
        (json!({ "date": "2026-06-10" }), Less::Easier, "Nothing is planned for Thu 2026-06-11."),
    ] {
        let said = asked_of(&workout, less).unwrap_err();
        assert!(said.contains(says), "{said}");
    }
    let mut done = session("tempo", "10.0 km");
    done["verdict"] = json!("hit");
    assert!(asked_of(&done, Less::Skip).unwrap_err().contains("is done already"));
    // Hard and without a length: easy it can become.
    let easy = asked_of(&session("hills", "load 60"), Less::Easier).unwrap();
    assert_eq!(easy["athlete_message"], "Make the workout on Thursday easy, as you asked.");
}

#[test]
fn who_is_tired_or_feels_ill_is_heard() {
    for text in [
        "I feel tired",
        "I'm exhausted today",
        "I feel awful, my legs are heavy",
        "My legs are so sore",
        "I don't feel good",
    ] {
        assert_eq!(read(text), Intent::Tired, "{text}");
    }
    for text in [
        "I'm not feeling well",
        "I don't feel well",
        "I'm coughing and have a temperature",
        "I have a sore throat",
        "I've been vomiting",
        "I have Covid",
    ] {
        assert!(matches!(read(text), Intent::Unwell { .. }), "{text}: {:?}", read(text));
    }
    for (text, intent) in [
        ("I'm not tired", Intent::NotUnwell { instead: NotNow::Denied }),
        ("my wife is tired", Intent::Unclear),
        ("my wife isn't feeling well", Intent::NotUnwell { instead: NotNow::SomebodyElse }),
        ("I'm tired of the rain", Intent::Unclear),
        ("should I run when I'm tired?", Intent::Should { days: vec![today()] }),
        ("I was tired last week", Intent::Week { monday: "2026-06-01".parse().unwrap() }),
        ("the temperature is high", Intent::Unclear),
    ] {
        assert_eq!(read(text), intent, "{text}");
    }
    let Intent::Unwell { observation } = read("I've been ill since Sunday") else { panic!() };
    assert_eq!(observation["from"], "2026-06-07");
}

#[tokio::test]
async fn tired_is_a_reason_to_propose_and_an_easy_day_is_none() {
    let mut hard = progress();
    hard["workouts"][0]["date"] = json!("2026-06-09");
    let proposed = json!({ "proposal_id": 9, "preview": ["Tue: 5 × 1 km → Easy run"], "review": "http://127.0.0.1:8787/proposals/9" });
    let answers = [("plan_progress", Ok(hard.clone())), ("propose_modification", Ok(proposed))];
    let (called, text) = converse("I feel tired", &answers).await;
    assert_eq!(called, ["plan_progress", "propose_modification"]);
    assert!(text.contains("/proposals/9") && text.contains("until you decide"), "{text}");
    hard["workouts"][0]["kind"] = json!("easy");
    let (called, text) = converse("I feel tired", &[("plan_progress", Ok(hard))]).await;
    assert!(called.len() == 1 && text.contains("is easy as it is"), "{text}");
    let nothing = json!({ "plan": { "plan_id": 3 }, "workouts": [] });
    let (_, text) = converse("I feel tired", &[("plan_progress", Ok(nothing))]).await;
    assert!(text.contains("Nothing is planned for Tue 2026-06-09"), "{text}");
}

#[tokio::test]
async fn it_says_who_it_is_once_in_a_conversation() {
    let coach = BuiltInCoach { today: today() };
    let said = |text: &str| Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] };
    let mut request = Request {
        system: String::new(),
        tools: vec![],
        messages: vec![],
        response_schema: None,
        max_tokens: 1,
    };
    request.messages.push(said("Don't skip tomorrow"));
    let first = coach.ask(&request, &mut ()).await.unwrap();
    assert!(
        first.text().starts_with("I am the built-in coach: rules, no language model.\n"),
        "{}",
        first.text()
    );
    request.messages.push(Message::Model { name: NAME.to_owned(), parts: first.parts });
    request.messages.push(said("Don't skip tomorrow"));
    assert_eq!(coach.ask(&request, &mut ()).await.unwrap().text(), replies::KEEP);
    // Another coach spoke before: then it is said.
    request.messages[1] =
        Message::Model { name: "other".to_owned(), parts: vec![ModelPart::Text { text: "Hi".to_owned() }] };
    assert!(coach.ask(&request, &mut ()).await.unwrap().text().starts_with(replies::WHO));
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
        let mut ledger = crate::grounding::AllowedNumbers::default();
        ledger.record_result(&answer);
        let (_, text) = converse(words, &[(tool, Ok(answer))]).await;
        let left: Vec<&str> =
            ledger.unverified_numbers(&text).into_iter().map(|range| &text[range]).collect();
        assert!(left.is_empty(), "{words}: {left:?} in {text}");
        assert!(!text.trim().is_empty());
    }
}

#[tokio::test]
async fn nothing_leaves_the_machine() {
    let coach = BuiltInCoach { today: today() };
    let request = Request {
        system: String::new(),
        tools: vec![],
        messages: vec![],
        response_schema: None,
        max_tokens: 1,
    };
    assert!(coach.preview(&request).contains("Nothing leaves"));
    assert_eq!(coach.cost(&Usage::default()), Some(Cost(0)));
    let reply = coach.ask(&request, &mut ()).await.unwrap();
    assert_eq!(reply.text(), replies::HELP);
}

mod context;
mod red_flags;
mod unsupported;
