//! What is particular to servers at home: whether they call tools, and how oddly.

use crate::harness::{Ears, chat, compatible, go_on, shaped};
use fitness_coach::model::openai::{Calls, Found};
use fitness_coach::model::{Failing, Limits, Model as _, Part, Stop, Usage};
use fitness_coach::testkit::{Ability, Asked, Block, FakeOpenAi, Manner, Say};
use serde_json::{Value, json};

fn calls(asked: &Asked) -> Say {
    if asked.results.is_empty() {
        Say::these(vec![
            Block::Call("look".to_owned(), json!({"day": "2026-06-14"})),
            Block::Call("look".to_owned(), json!({"day": "2026-06-15"})),
        ])
    } else {
        Say::text(format!("So: {}", asked.results.join(", ")))
    }
}

#[tokio::test]
async fn tools_are_handed_over_only_to_a_server_that_was_seen_to_call_one() {
    for (ability, expected) in [
        (Ability::Native, Calls::Native),
        (Ability::Ollama, Calls::Native),
        (Ability::Writes, Calls::Enveloped),
        (Ability::Ignores, Calls::Enveloped),
        (Ability::Refuses, Calls::Enveloped),
    ] {
        let fake = FakeOpenAi::start(ability, calls).await;
        let model = compatible(&fake);
        assert_eq!(model.probe().await.unwrap(), expected, "{ability:?}");
        let mut request = chat("hello");
        let reply = model.ask(&request, &mut ()).await.unwrap();
        assert_eq!(reply.stop, Stop::Calls, "{ability:?}");
        go_on(&mut request, "local", &reply, |_| "fine".to_owned());
        let answer = model.ask(&request, &mut ()).await.unwrap();
        assert!(answer.text().starts_with("So: fine"), "{ability:?} {answer:?}");
        // Found out once.
        let seen = fake.seen();
        assert_eq!(seen.len(), 3);
        assert!(seen[0].text.contains("say_ready") && !seen[1].text.contains("say_ready"));
        let native = seen[1].body["tools"].is_array();
        assert_eq!(native, expected == Calls::Native);
        assert_eq!(seen[1].body["response_format"].is_object(), !native);
        assert_eq!(model.cost(&Usage::default()), None);
    }
}

#[tokio::test]
async fn a_server_that_counts_nothing_does_not_answer_for_nothing() {
    for ability in [Ability::Native, Ability::Ignores] {
        let words = "Easy does it today, and rest tomorrow.".repeat(4);
        let said = words.clone();
        let uncounted = Manner { uncounted: true, ..Manner::default() };
        let fake =
            FakeOpenAi::start(ability, move |_: &Asked| Say { manner: uncounted, ..Say::text(said.clone()) })
                .await;
        let model = compatible(&fake);
        let first = model.ask(&chat("hello"), &mut ()).await.unwrap();
        let reply = model.ask(&chat("hello"), &mut ()).await.unwrap();
        let sent = fake.seen().last().unwrap().text.len() as u64;
        assert_eq!(reply.usage.input, sent / 4, "{ability:?}");
        assert!(reply.usage.output >= words.len() as u64 / 4, "{ability:?}: {:?}", reply.usage);
        assert!(first.usage.input > reply.usage.input, "the try whether it calls tools counts as well");
    }
}

#[tokio::test]
async fn what_was_found_out_about_a_server_is_not_tried_again_and_is_about_that_server_alone() {
    for (ability, calls) in [(Ability::Native, Calls::Native), (Ability::Ignores, Calls::Enveloped)] {
        let fake = FakeOpenAi::start(ability, |_: &Asked| Say::text("ok")).await;
        let model = compatible(&fake);
        assert_eq!(model.found(), None);
        model.ask(&chat("hello"), &mut ()).await.unwrap();
        let found = model.found().unwrap();
        assert_eq!(found.calls, calls);
        let stored: Found = serde_json::from_value(json!(found)).unwrap();
        let again = compatible(&fake).knowing(&[stored]);
        let shown = again.preview(&chat("hello"));
        again.ask(&chat("hello"), &mut ()).await.unwrap();
        let seen = fake.seen();
        assert_eq!(seen.iter().filter(|seen| seen.text.contains("say_ready")).count(), 1);
        assert!(shown.ends_with(&format!("\n\n{}", seen.last().unwrap().text)), "{shown}");
        for other in [
            Found { model: "other".to_owned(), ..found.clone() },
            Found { address: "http://127.0.0.1:9/v1".to_owned(), ..found },
        ] {
            assert_eq!(compatible(&fake).knowing(&[other]).found(), None);
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_judged() {
    let fake = FakeOpenAi::start(Ability::Native, calls).await;
    let gone = fitness_coach::model::openai::Compatible::new(
        "local",
        fitness_coach::model::endpoint_url::Address::parse("http://127.0.0.1:9/v1").unwrap(),
        None,
        fake.time().means(),
        Limits::default(),
    )
    .unwrap();
    for _ in 0..2 {
        let error = gone.ask(&chat("hello"), &mut ()).await.unwrap_err();
        assert_eq!(error.kind, Failing::Unreachable);
        assert!(error.to_string().contains("check that it is running"), "{error}");
    }
}

#[tokio::test]
async fn every_call_gets_an_id_of_its_own_even_when_the_server_gives_none() {
    let fake = FakeOpenAi::start(Ability::Ollama, calls).await;
    let model = compatible(&fake);
    let mut request = chat("hello");
    let ids = |parts: &[Part]| -> Vec<String> {
        parts
            .iter()
            .filter_map(|part| match part {
                Part::Call { id, .. } => Some(id.clone()),
                Part::Text { .. } | Part::Sealed { .. } => None,
            })
            .collect()
    };
    let first = model.ask(&request, &mut ()).await.unwrap();
    let days: Vec<&Value> = first
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Call { input, .. } => Some(&input["day"]),
            Part::Text { .. } | Part::Sealed { .. } => None,
        })
        .collect();
    assert_eq!(days, ["2026-06-14", "2026-06-15"], "two calls, although both are number 0");
    assert_eq!(ids(&first.parts), ["call_1", "call_2"]);
    go_on(&mut request, "local", &first, |_| "fine".to_owned());
    request.messages.push(crate::harness::say("again"));
    let script = |_: &Asked| Say::call("ask", json!({}));
    let other = FakeOpenAi::start(Ability::Ollama, script).await;
    let second = compatible(&other).ask(&request, &mut ()).await.unwrap();
    assert_eq!(ids(&second.parts), ["call_3"]);
}

#[tokio::test]
async fn a_call_written_as_text_counts_only_when_it_is_one() {
    let said = [
        (r#"{"name":"look","arguments":{"day":"2026-06-14"}}"#, true),
        ("```json\n{\"name\":\"look\",\"arguments\":{}}\n```", true),
        (r#"{"name":"explode","arguments":{}}"#, false),
        (r#"{"name":"look","arguments":"#, false),
        ("{braces} are fine too", false),
    ];
    for (text, is_call) in said {
        let fake = FakeOpenAi::start(Ability::Native, move |_: &Asked| Say::text(text)).await;
        let mut ears = Ears::default();
        let reply = compatible(&fake).ask(&chat("hello"), &mut ears).await.unwrap();
        assert_eq!(reply.stop == Stop::Calls, is_call, "{text}");
        assert_eq!((ears.text.is_empty(), ears.calls.len()), (is_call, usize::from(is_call)), "{text}");
        if !is_call {
            assert_eq!(reply.text(), text);
        }
    }
}

#[tokio::test]
async fn a_server_that_forces_no_shape_may_just_talk() {
    // As if the envelope had not been asked for: the fake says what a script's broken call has in it.
    let talks = |_: &Asked| Say::text("All is well.");
    let fake = FakeOpenAi::start(Ability::Ignores, talks).await;
    let mut ears = Ears::default();
    let reply = compatible(&fake).ask(&chat("hello"), &mut ears).await.unwrap();
    assert_eq!((reply.text().as_str(), ears.text.as_str()), ("All is well.", "All is well."));
}

#[tokio::test]
async fn thoughts_are_heard_and_are_no_part_of_the_answer() {
    for ability in [Ability::Native, Ability::Ignores] {
        let thinks = |_: &Asked| {
            Say::these(vec![Block::Thought("hm, Tuesday".to_owned()), Block::Text("Rest.".to_owned())])
        };
        let fake = FakeOpenAi::start(ability, thinks).await;
        let mut ears = Ears::default();
        let reply = compatible(&fake).ask(&chat("hello"), &mut ears).await.unwrap();
        assert_eq!((reply.text().as_str(), ears.thoughts.as_str()), ("Rest.", "hm, Tuesday"));
    }
}

#[tokio::test]
async fn a_shape_is_asked_for_in_words_that_a_grammar_can_be_made_of() {
    let brief = "{\"tone\":\"direct\",\"body\":\"Rest.\"}";
    let fake = FakeOpenAi::start(Ability::Native, move |asked: &Asked| {
        assert!(asked.shape.is_some());
        Say::text(brief)
    })
    .await;
    let reply = compatible(&fake).ask(&shaped("brief me"), &mut ()).await.unwrap();
    assert_eq!(reply.text(), brief);
    assert_eq!(fake.seen()[0].body["response_format"]["json_schema"]["name"], "brief");
}

#[tokio::test]
async fn what_the_server_had_read_before_is_told_apart() {
    let fake = FakeOpenAi::start(Ability::Native, |_: &Asked| Say::text("ok")).await;
    let model = compatible(&fake);
    let usage = model.ask(&shaped("hello"), &mut ()).await.unwrap().usage;
    assert_eq!(usage.cache_read, 0);
    let again = model.ask(&shaped("hello"), &mut ()).await.unwrap().usage;
    assert!(again.cache_read > 10 && again.input < usage.input, "{again:?}");
}
