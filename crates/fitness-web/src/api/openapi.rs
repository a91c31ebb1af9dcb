//! `GET /api/v1/openapi.json`: the API as OpenAPI 3.1. The forms of the answers are made from their types.

use super::error::ProblemJson;
use super::handlers::{DEFAULT_DAYS, DEFAULT_LIMIT, MAX_DAYS, MAX_LIMIT};
use super::types::{Activities, ActivityAnswer, BriefAnswer, PlanAnswer, Today, Trends};
use crate::app::App;
use axum::Json;
use axum::extract::State;
use fitness_core::domain::sport::Sport;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Value, json};

pub(crate) async fn show(State(app): State<App>) -> Json<Value> {
    Json(document(&app.base_url, &app.host_names.session_cookie_name()))
}

/// Writes down what each route answers.
struct Paths {
    schemas: SchemaGenerator,
    paths: serde_json::Map<String, Value>,
}

impl Paths {
    fn get<T: JsonSchema>(mut self, path: &str, name: &str, summary: &str, parameters: &[Value]) -> Self {
        let form = self.schemas.subschema_for::<T>();
        let problem = self.schemas.subschema_for::<ProblemJson>();
        let refused = |description: &str| json!({ "description": description, "content": { "application/problem+json": { "schema": problem } } });
        let operation = json!({
            "operationId": name,
            "summary": summary,
            "parameters": parameters,
            "responses": {
                "200": { "description": summary, "content": { "application/json": { "schema": form } } },
                "400": refused("A parameter is wrong; the sentence says which."),
                "401": refused("Nobody known asks: the token is unknown, has ended or was revoked."),
                "404": refused("There is no such thing, or it is somebody else's."),
                "429": refused("That was too often; `Retry-After` says when to try again."),
                "503": refused("The database is busy; try again in a moment."),
            },
        });
        self.paths.insert(path.to_owned(), json!({ "get": operation }));
        self
    }
}

fn parameter(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

fn day_parameter(name: &str, description: &str) -> Value {
    // Of the years somebody could have trained in.
    let years = "^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$";
    parameter(name, description, json!({ "type": "string", "format": "date", "pattern": years }))
}

pub(super) fn document(site: &str, cookie: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let sports: Vec<&str> = Sport::ALL.iter().map(|sport| sport.as_str()).collect();
    let id = json!({ "name": "id", "in": "path", "required": true, "description": "The activity's number.",
        "schema": { "type": "integer", "format": "int64", "minimum": 1 } });
    let mut written = Paths { schemas: settings.into_generator(), paths: serde_json::Map::new() }
        .get::<Today>("/api/v1/today", "today", "How the athlete is today: every fact with its source.", &[])
        .get::<PlanAnswer>("/api/v1/plan", "plan", "The active plan with its verdicts.", &[])
        .get::<Activities>(
            "/api/v1/activities",
            "activities",
            "Activities, the newest first, page by page.",
            &[
                parameter(
                    "limit",
                    "How many.",
                    json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT }),
                ),
                parameter(
                    "before",
                    "Where to go on: `next` of the page before.",
                    json!({ "type": "string" }),
                ),
                parameter("sport", "Only of this sport.", json!({ "type": "string", "enum": sports })),
                day_parameter("from", "Begun on this day or later."),
                day_parameter("through", "Begun on this day or earlier."),
            ],
        )
        .get::<ActivityAnswer>("/api/v1/activities/{id}", "activity", "One activity with its laps.", &[id])
        .get::<Trends>(
            "/api/v1/trends",
            "trends",
            "Load, fitness, fatigue, form, recovery and sleep, day by day.",
            &[
                day_parameter("from", &format!("The first day; {DEFAULT_DAYS} days when not given, {MAX_DAYS} at most.")),
                day_parameter(
                    "through",
                    &format!("The last day; when not given today, or the {MAX_DAYS}th day after `from`."),
                ),
            ],
        )
        .get::<BriefAnswer>("/api/v1/brief", "brief", "The latest morning brief.", &[]);
    let schemas = written.schemas.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "local-fitness",
            "version": "1",
            "description": "What the pages show, for programs. Everything here only reads. Lengths are in metres and times in seconds; what is not known is null.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": site }],
        "security": [{ "token": [] }, { "browser": [] }],
        "paths": written.paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "A token of either scope, made under Settings, Connect." },
                "browser": { "type": "apiKey", "in": "cookie", "name": cookie },
            },
        },
    })
}
