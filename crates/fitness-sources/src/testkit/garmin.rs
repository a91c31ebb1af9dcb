//! A fake of Garmin's Personal API, including its errors.

use super::garmin_responses::{GarminActivity, GarminDay, respond};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_http::testkit::{
    FakeClock, FakeServer, Misbehavior, ReceivedRequest, RecordedRequest, RequestHandler, Response,
};
use serde_json::json;
use std::collections::BTreeMap;

/// Format of the token response; the real one is not documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenFormat {
    #[default]
    Text,
    JsonText,
    Snake,
    Camel,
    Unknown,
}

/// Content of the account.
#[derive(Debug, Clone, Default)]
pub struct GarminData {
    pub key: String,
    pub token_format: TokenFormat,
    pub days: BTreeMap<Day, GarminDay>,
    /// Newest first, as in the list.
    pub activities: Vec<GarminActivity>,
    /// Inserted at the head of the list after its first page was read.
    pub arrives_while_paging: Option<GarminActivity>,
    /// Whether files and ranges are at the second of their known paths.
    pub use_alternative_paths: bool,
    /// Paths that contain one of these return 404.
    pub unavailable: Vec<&'static str>,
}

/// Listens on loopback until dropped.
#[derive(Debug)]
pub struct FakeGarmin(FakeServer<Account>);

impl FakeGarmin {
    pub async fn start(data: GarminData) -> Self {
        Self(
            FakeServer::start(Account {
                data,
                tokens: Vec::new(),
                issued_tokens: 0,
                exchanges: 0,
                violations: Vec::new(),
            })
            .await,
        )
    }

    #[must_use]
    pub fn base_url(&self) -> String {
        self.0.address().to_owned()
    }

    /// A fake clock connected to this server.
    #[must_use]
    pub fn clock(&self, now: Instant) -> FakeClock {
        self.0.clock(now)
    }

    /// All requests, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.0.requests()
    }

    /// Number of token requests.
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.0.with(|account| account.exchanges)
    }

    /// Requests that must never be sent to Garmin.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.0.with(|account| account.violations.clone())
    }

    pub fn edit(&self, edit: impl FnOnce(&mut GarminData)) {
        self.0.with(|account| edit(&mut account.data));
    }

    pub fn expire_tokens(&self) {
        self.0.with(RequestHandler::expire);
    }

    /// Fails at the request with this number, counted from 1.
    pub fn misbehave_at(&self, request: usize, bad: Misbehavior) {
        self.0.misbehave_at(request, bad);
    }

    /// Fails the next `times` requests whose path contains `part`.
    pub fn misbehave_on(&self, part: &str, times: usize, bad: Misbehavior) {
        self.0.misbehave_on(part, times, bad);
    }
}

#[derive(Debug)]
struct Account {
    data: GarminData,
    tokens: Vec<String>,
    issued_tokens: usize,
    exchanges: usize,
    violations: Vec<String>,
}

const TOKEN_PATH: &str = "/personalapitoken-service/personal-api/personal-api-key/token";
const MAX_CONCURRENT: usize = 2;

impl RequestHandler for Account {
    fn expire(&mut self) {
        self.tokens.clear();
    }

    fn handle(&mut self, request: &ReceivedRequest) -> Response {
        if request.under_way > MAX_CONCURRENT {
            return Response { headers: vec![("Retry-After", "14".to_owned())], ..Response::status(429) };
        }
        if request.path == TOKEN_PATH {
            return self.exchange(request);
        }
        if request.method != "GET" || request.target.contains("generate-defaults") {
            self.violations.push(format!("{} {}", request.method, request.target));
            return Response::status(405);
        }
        let bearer = request.authorization().strip_prefix("Bearer ").unwrap_or_default();
        if !self.tokens.iter().any(|token| token == bearer) {
            return Response::status(401);
        }
        if self.data.unavailable.iter().any(|part| request.target.contains(part)) {
            return Response::status(404);
        }
        let response = respond(&self.data, request);
        if request.path.ends_with("/search/activities")
            && let Some(late) = self.data.arrives_while_paging.take()
        {
            self.data.activities.insert(0, late);
        }
        response
    }
}

impl Account {
    fn exchange(&mut self, request: &ReceivedRequest) -> Response {
        self.exchanges += 1;
        if request.method != "POST" {
            self.violations.push(format!("{} {}", request.method, request.target));
            return Response::status(405);
        }
        if request.authorization() != format!("ApiKey {}", self.data.key) {
            return Response::status(401);
        }
        self.issued_tokens += 1;
        let token = format!("fake-access-token-{}", self.issued_tokens);
        self.tokens.push(token.clone());
        match self.data.token_format {
            TokenFormat::Text => Response::bytes("text/plain", token.into_bytes()),
            TokenFormat::JsonText => Response::json(200, &json!(token)),
            TokenFormat::Snake => Response::json(200, &json!({"access_token": token, "expires_in": 86_400})),
            TokenFormat::Camel => Response::json(200, &json!({"accessToken": token, "expiresIn": 86_400})),
            TokenFormat::Unknown => Response::json(200, &json!({"ticket": token})),
        }
    }
}
