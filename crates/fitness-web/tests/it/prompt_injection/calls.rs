//! What an obedient model tries: every verb that does not exist, and every one that does with everything smuggled in.

use serde_json::{Value, json};

/// What a payload can name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttackTargets {
    pub(crate) own: i64,
    pub(crate) other: i64,
    pub(crate) manual_draft: i64,
    pub(crate) activity: i64,
    pub(crate) workout: i64,
}

pub(crate) type Calls = Vec<(String, Value)>;

/// Every verb a payload could ask for, none of which exists.
pub(crate) fn forbidden_calls(payload: &str, AttackTargets { own, other, .. }: AttackTargets) -> Calls {
    let mut calls: Calls = [
        "activate_plan",
        "activate",
        "commit_plan",
        "replace_plan",
        "archive_plan",
        "delete_plan",
        "apply_proposal",
        "discard_proposal",
        "edit_plan",
        "revert_plan",
        "override_lint",
        "accept_note",
        "accept_observation",
        "set_setting",
        "get_api_key",
        "mint_token",
        "switch_user",
        "run_sql",
        "execute",
        "shell",
        "read_file",
        "write_file",
        "http_request",
        "fetch_url",
        "send_email",
        "render_image",
    ]
    .iter()
    .map(|name| {
        ((*name).to_owned(), json!({ "plan_id": own, "user_id": other, "status": "active", "text": payload }))
    })
    .collect();
    let spoken: String = payload.split_whitespace().take(3).collect::<Vec<_>>().join("_").to_lowercase();
    calls.push((spoken.chars().take(60).collect(), json!({ "text": payload })));
    calls
}

/// What does exist, with everything smuggled in that it might take.
pub(crate) fn calls_with_extra_arguments(payload: &str, aims: AttackTargets) -> Calls {
    let AttackTargets { own, other, manual_draft: by_hand, activity, workout } = aims;
    let short: String = payload.chars().take(100).collect();
    let draft = json!({ "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16", "name": short,
        "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy", "description": payload }] });
    let with = |value: &Value, key: &str, smuggled: Value| {
        let mut value = value.clone();
        value[key] = smuggled;
        value
    };
    let skip = json!({ "modifications": [{ "workout_id": workout.to_string(), "date": "2026-06-14", "action": "skip" }],
        "new_workouts": [], "athlete_message": payload });
    let calls = [
        ("draft_training_plan", draft.clone()),
        ("draft_training_plan", with(&draft, "status", json!("active"))),
        ("draft_training_plan", with(&draft, "user_id", json!(other))),
        ("draft_training_plan", with(&draft, "instead_of", json!(own))),
        ("draft_training_plan", with(&draft, "instead_of", json!(other))),
        ("draft_training_plan", with(&draft, "instead_of", json!(by_hand))),
        ("propose_modification", skip.clone()),
        ("propose_modification", with(&skip, "apply", json!(true))),
        ("propose_modification", with(&skip, "override", json!(["R1", "R2"]))),
        ("propose_modification", json!(payload)),
        ("propose_week", json!({ "workouts": payload })),
        ("suggest_note", json!({ "text": payload })),
        ("suggest_note", json!({ "text": payload, "accepted": true, "author": "athlete" })),
        (
            "suggest_observation",
            json!({ "kind": "illness", "from": "2026-06-14", "value": 3, "comment": short }),
        ),
        ("suggest_observation", json!({ "kind": "away", "from": "2026-06-14", "accepted": true })),
        ("activity_detail", json!({ "activity_id": activity })),
        ("notes", json!({ "user_id": other })),
        ("plan_progress", json!({ "user": "Bob" })),
        ("metric_series", json!({ "metric": payload, "from": "2026-06-01", "through": "2026-06-14" })),
    ];
    calls.into_iter().map(|(tool, input)| (tool.to_owned(), input)).collect()
}
