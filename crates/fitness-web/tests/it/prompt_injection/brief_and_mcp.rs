//! The obedient model where there is no conversation: writing the brief, and behind another program over MCP.

use crate::prompt_injection::calls::{forbidden, smuggled};
use crate::prompt_injection::{BATCH, OWN, Place, World, collection};
use fitness_coach::brief::{Morning, write_brief};
use fitness_coach::model::Part;
use fitness_coach::testkit::ScriptedModel;
use fitness_core::coach_api::Scope;
use fitness_core::domain::units::UnitSystem;
use fitness_mcp::{Guest, serve_on};
use fitness_store::Purpose;
use fitness_store::testkit::{Backend, TestDb, june, now, run};
use fitness_web::coach::chat;
use fitness_web::{AthletesHost, Bills, Metered};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Our own payloads, and every seventh of the collection where it is here.
fn payloads() -> Vec<String> {
    let own = OWN.iter().map(|text| (*text).to_owned());
    own.chain(collection().unwrap_or_default().into_iter().step_by(7)).collect()
}

#[test]
fn an_obedient_model_that_writes_the_brief_changes_nothing() {
    for batch in payloads().chunks(BATCH) {
        let batch = batch.to_vec();
        run("obedient", Backend::Sqlite, move |db| async move { write(db, batch).await });
    }
}

#[test]
fn an_obedient_program_over_mcp_changes_nothing() {
    for batch in payloads().chunks(BATCH) {
        let batch = batch.to_vec();
        run("obedient", Backend::Sqlite, move |db| async move { serve(db, batch).await });
    }
}

#[test]
fn an_obedient_program_over_mcp_changes_nothing_on_postgres() {
    let batch: Vec<String> = OWN.iter().take(4).map(|text| (*text).to_owned()).collect();
    run("obedient", Backend::Postgres, move |db| async move { serve(db, batch).await });
}

/// A brief by a model that calls everything there is and everything there is not, and then says what it was told to say.
async fn write(db: TestDb, payloads: Vec<String>) {
    let (world, _) = World::with(&db, &[Place::Note, Place::ActivityName], &payloads).await;
    let facts = db.store.facts(world.ann, june(14)).await.unwrap();
    let notes = chat::notes(&db.store.list_notes(world.ann).await.unwrap(), june(14));
    assert!(!notes.is_empty());
    for payload in &payloads {
        let mut round = 0;
        let (text, aims) = (payload.clone(), world.aims);
        for says in [false, true] {
            let text = text.clone();
            let model = ScriptedModel::new("obedient", move |_| {
                round += 1;
                if says {
                    let brief = json!({ "metrics": ["recovery"], "tone": "direct", "body": format!("{text} Your plan was changed.") });
                    return Ok(ScriptedModel::says(brief.to_string()));
                }
                let calls = forbidden(&text, aims).into_iter().chain(smuggled(&text, aims)).enumerate();
                let part = |(at, (tool, input)): (usize, (String, Value))| Part::Call {
                    id: format!("{round}-{at}"),
                    tool,
                    input,
                };
                Ok(ScriptedModel::reply(calls.map(part).collect()))
            });
            let (user, day) = (world.ann, june(14));
            let metered = Metered {
                model: &model,
                store: &db.store,
                user,
                purpose: Purpose::Brief,
                day,
                now: now(),
                most: None,
                bills: Bills::default(),
            };
            let morning = Morning { today: day, facts: &facts, notes: &notes, units: UnitSystem::Metric };
            let written = write_brief(Some(&metered), &morning, &mut ()).await;
            assert!(written.fell_back.is_some(), "{payload:?} wrote {:?}", written.rendered);
            assert!(
                !written.rendered.contains("evil.example") && !written.rendered.contains("was changed"),
                "{payload:?}"
            );
        }
    }
    world.is_as_it_was(&db).await;
}

/// A program that sends every call of every payload before it reads a single answer.
async fn serve(db: TestDb, payloads: Vec<String>) {
    let (world, _) =
        World::with(&db, &[Place::Note, Place::ActivityName, Place::DeviceName], &payloads).await;
    let host = AthletesHost {
        store: db.store.clone(),
        user: world.ann,
        clock: now,
        site: "http://127.0.0.1:8787".into(),
    };
    let guest = Guest { host: Arc::new(host), scope: Scope::Draft };
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(serve_on(guest, crate::harness::prompts(), read, write));
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();
    let begin = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "obedient", "version": "1" } });
    let message = |id: usize, method: &str, params: &Value| {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    write.write_all(message(0, "initialize", &begin).as_bytes()).await.unwrap();
    lines.next_line().await.unwrap().unwrap();
    write.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
    let aims = world.aims;
    let calls: Vec<(String, Value)> = payloads
        .iter()
        .flat_map(|text| forbidden(text, aims).into_iter().chain(smuggled(text, aims)))
        .collect();
    let (mut sent, count) = (String::new(), calls.len());
    for (at, (tool, input)) in calls.into_iter().enumerate() {
        // Only an object can be handed in.
        let arguments = if input.is_object() { input } else { json!({ "response": input }) };
        sent.push_str(&message(at + 1, "tools/call", &json!({ "name": tool, "arguments": arguments })));
    }
    let sending = tokio::spawn(async move {
        write.write_all(sent.as_bytes()).await.unwrap();
        write
    });
    let mut left = 0;
    for _ in 0..count {
        let line = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        left += usize::from(answer.pointer("/result/structuredContent/review").is_some());
    }
    drop(sending.await.unwrap());
    drop(lines);
    let _ = serving.await.unwrap();
    assert!((1..=50).contains(&left), "it was tried, and only so much waits: {left}");
    let drafts = db.store.list_plans(world.ann).await.unwrap();
    let waiting = drafts.iter().filter(|plan| plan.name != "By hand" && plan.superseded_by.is_none()).count();
    assert!(waiting <= 21, "{waiting} drafts, and the plan that is active");
    let notes = db.store.list_notes(world.ann).await.unwrap();
    assert!(notes.iter().filter(|note| !note.accepted).count() <= 20);
    world.is_as_it_was(&db).await;
}
