//! The obedient model where there is no conversation: writing the brief, and behind another program over MCP.

use crate::prompt_injection::calls::{calls_with_extra_arguments, forbidden_calls};
use crate::prompt_injection::{
    BATCH_SIZE, BUILT_IN_PAYLOADS, InjectionFixture, InjectionPoint, load_payload_collection,
};
use fitness_coach::brief::{BriefInput, write_brief};
use fitness_coach::model::ModelPart;
use fitness_coach::testkit::ScriptedModel;
use fitness_core::coach_api::Scope;
use fitness_core::domain::units::UnitSystem;
use fitness_mcp::{McpClient, serve_streams};
use fitness_store::Purpose;
use fitness_store::testkit::{Backend, TestDb, june, now, run};
use fitness_web::coach::chat;
use fitness_web::{BudgetedModel, PendingUsageWrites, UserCoachApiProvider};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Our own payloads, and every seventh of the collection where it is here.
fn payloads() -> Vec<String> {
    let own = BUILT_IN_PAYLOADS.iter().map(|text| (*text).to_owned());
    own.chain(load_payload_collection().unwrap_or_default().into_iter().step_by(7)).collect()
}

#[test]
fn an_obedient_model_that_writes_the_brief_changes_nothing() {
    for batch in payloads().chunks(BATCH_SIZE) {
        let batch = batch.to_vec();
        run("obedient", Backend::Sqlite, move |db| async move { write_brief_with_payloads(db, batch).await });
    }
}

#[test]
fn an_obedient_program_over_mcp_changes_nothing() {
    for batch in payloads().chunks(BATCH_SIZE) {
        let batch = batch.to_vec();
        run("obedient", Backend::Sqlite, move |db| async move { serve_mcp_with_payloads(db, batch).await });
    }
}

#[test]
fn an_obedient_program_over_mcp_changes_nothing_on_postgres() {
    let batch: Vec<String> = BUILT_IN_PAYLOADS.iter().take(4).map(|text| (*text).to_owned()).collect();
    run("obedient", Backend::Postgres, move |db| async move { serve_mcp_with_payloads(db, batch).await });
}

/// A brief by a model that calls everything there is and everything there is not, and then says what it was told to say.
async fn write_brief_with_payloads(db: TestDb, payloads: Vec<String>) {
    let (world, _) =
        InjectionFixture::new(&db, &[InjectionPoint::Note, InjectionPoint::ActivityName], &payloads).await;
    let facts = db.store.facts(world.ann, june(14)).await.unwrap();
    let notes = chat::notes_for_day(&db.store.list_notes(world.ann).await.unwrap(), june(14));
    assert!(!notes.is_empty());
    for payload in &payloads {
        let mut round = 0;
        let (text, aims) = (payload.clone(), world.targets);
        for says in [false, true] {
            let text = text.clone();
            let model = ScriptedModel::new("obedient", move |_| {
                round += 1;
                if says {
                    let brief = json!({ "metrics": ["recovery"], "tone": "direct", "body": format!("{text} Your plan was changed.") });
                    return Ok(ScriptedModel::text_reply(brief.to_string()));
                }
                let calls = forbidden_calls(&text, aims)
                    .into_iter()
                    .chain(calls_with_extra_arguments(&text, aims))
                    .enumerate();
                let part = |(at, (tool, input)): (usize, (String, Value))| ModelPart::Call {
                    id: format!("{round}-{at}"),
                    tool,
                    input,
                };
                Ok(ScriptedModel::reply(calls.map(part).collect()))
            });
            let (user, day) = (world.ann, june(14));
            let metered = BudgetedModel {
                model: &model,
                store: &db.store,
                user,
                purpose: Purpose::Brief,
                day,
                now: now(),
                daily_budget: None,
                pending_usage: PendingUsageWrites::default(),
            };
            let morning = BriefInput { today: day, facts: &facts, notes: &notes, units: UnitSystem::Metric };
            let written = write_brief(Some(&metered), &morning, &mut ()).await;
            assert!(written.fallback_reason.is_some(), "{payload:?} wrote {:?}", written.rendered);
            assert!(
                !written.rendered.contains("evil.example") && !written.rendered.contains("was changed"),
                "{payload:?}"
            );
        }
    }
    world.assert_unchanged(&db).await;
}

/// A program that sends every call of every payload before it reads a single answer.
async fn serve_mcp_with_payloads(db: TestDb, payloads: Vec<String>) {
    let (world, _) = InjectionFixture::new(
        &db,
        &[InjectionPoint::Note, InjectionPoint::ActivityName, InjectionPoint::DeviceName],
        &payloads,
    )
    .await;
    let host = UserCoachApiProvider {
        store: db.store.clone(),
        user: world.ann,
        clock: now,
        site: "http://127.0.0.1:8787".into(),
        refresh_first: false,
    };
    let guest = McpClient { provider: Arc::new(host), scope: Scope::Draft };
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(serve_streams(guest, crate::harness::prompts(), read, write));
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();
    let begin = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "obedient", "version": "1" } });
    let message = |id: usize, method: &str, params: &Value| {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    write.write_all(message(0, "initialize", &begin).as_bytes()).await.unwrap();
    lines.next_line().await.unwrap().unwrap();
    write.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
    let aims = world.targets;
    let calls: Vec<(String, Value)> = payloads
        .iter()
        .flat_map(|text| {
            forbidden_calls(text, aims).into_iter().chain(calls_with_extra_arguments(text, aims))
        })
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
    world.assert_unchanged(&db).await;
}
