//! `GET /api/v1/openapi.json`: the API as OpenAPI 3.1, with schemas generated from the response
//! types.

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

/// Collects the operations and the schemas they use.
struct OpenApiBuilder {
    schemas: SchemaGenerator,
    paths: serde_json::Map<String, Value>,
}

impl OpenApiBuilder {
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
                "400": refused("Bad request: a parameter is unknown or invalid; `detail` says which."),
                "401": refused("Unauthorized: the token is unknown, expired or revoked."),
                "404": refused("Not found, or it belongs to another user."),
                "429": refused("Too many requests: wait as many seconds as `Retry-After` says."),
                "503": refused("The database is busy or not responding. Try again in a moment."),
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
    // 1900 to 2199.
    let years = "^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$";
    parameter(name, description, json!({ "type": "string", "format": "date", "pattern": years }))
}

pub(super) fn document(site: &str, cookie: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let sports: Vec<&str> = Sport::ALL.iter().map(|sport| sport.as_str()).collect();
    let id = json!({ "name": "id", "in": "path", "required": true, "description": "Id of the activity, for example 156.",
        "schema": { "type": "integer", "format": "int64", "minimum": 1 } });
    let mut written = OpenApiBuilder { schemas: settings.into_generator(), paths: serde_json::Map::new() }
        .get::<Today>("/api/v1/today", "today", "Facts about today (form, recovery, last run, next workout) with unit and quality.", &[])
        .get::<PlanAnswer>("/api/v1/plan", "plan", "The active plan with the status of every workout.", &[])
        .get::<Activities>(
            "/api/v1/activities",
            "activities",
            "Activities, newest first, one page at a time.",
            &[
                parameter(
                    "limit",
                    &format!("Activities per page, 1 to {MAX_LIMIT}, for example 20. Default {DEFAULT_LIMIT}."),
                    json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT }),
                ),
                parameter(
                    "before",
                    "Cursor: `next` from the previous page. Omit it for the first page.",
                    json!({ "type": "string" }),
                ),
                parameter("sport", "Only activities of this sport, for example running.", json!({ "type": "string", "enum": sports })),
                day_parameter("from", "First day, local to the athlete, for example 2026-06-01."),
                day_parameter("through", "Last day, inclusive, for example 2026-06-30."),
            ],
        )
        .get::<ActivityAnswer>("/api/v1/activities/{id}", "activity", "One activity with its laps.", &[id])
        .get::<Trends>(
            "/api/v1/trends",
            "trends",
            "Load, fitness, fatigue, form, recovery and sleep for each day.",
            &[
                day_parameter("from", &format!("First day, for example 2026-04-01. Default: {DEFAULT_DAYS} days up to `through`; at most {MAX_DAYS} days.")),
                day_parameter(
                    "through",
                    &format!("Last day, inclusive, for example 2026-06-30. Default: today, but at most {MAX_DAYS} days from `from`."),
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
            "description": "Read-only API of local-fitness. Distances are in metres, times in seconds, dates are YYYY-MM-DD in the athlete's time zone. Unknown values are null.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": site }],
        "security": [{ "token": [] }, { "browser": [] }],
        "paths": written.paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "An API token of either scope, created under Settings > Integrations or with `fitness token add`." },
                "browser": { "type": "apiKey", "in": "cookie", "name": cookie, "description": "The session cookie of a signed-in browser." },
            },
        },
    })
}
