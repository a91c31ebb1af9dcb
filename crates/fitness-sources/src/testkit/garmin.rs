//! Garmin's Personal API as far as it is known, with its refusals.

use super::fake_clock::FakeClock;
use super::garmin_responses::{GarminActivity, GarminDay, respond};
use super::server::{Misbehavior, RecordedRequest, Request, Response, Server, Service};
use fitness_core::domain::calendar::{Day, Instant};
use serde_json::json;
use std::collections::BTreeMap;

/// How the token is spelled in the answer to an exchange; which it is in truth is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenFormat {
    /// Plain text.
    #[default]
    Text,
    /// A JSON string.
    JsonText,
    /// `access_token` and `expires_in`.
    Snake,
    /// `accessToken` and `expiresIn`.
    Camel,
    /// A field that nobody expects.
    Unknown,
}

/// What the account holds.
#[derive(Debug, Clone, Default)]
pub struct GarminData {
    /// The key that is accepted.
    pub key: String,
    /// How tokens are spelled.
    pub token_format: TokenFormat,
    /// What was measured, by day.
    pub days: BTreeMap<Day, GarminDay>,
    /// Newest first, as the list has them.
    pub activities: Vec<GarminActivity>,
    /// Appears at the head of the list after its first page was read.
    pub arrives_while_paging: Option<GarminActivity>,
    /// Whether files and ranges are at the second of the paths they were reported at.
    pub use_alternative_paths: bool,
    /// Paths with any of these in them are not offered.
    pub unavailable: Vec<&'static str>,
}

/// The fake, listening on this machine until it is dropped.
#[derive(Debug)]
pub struct FakeGarmin(Server<Account>);

impl FakeGarmin {
    /// Starts it.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start(data: GarminData) -> Self {
        Self(
            Server::start(Account {
                data,
                tokens: Vec::new(),
                issued_tokens: 0,
                exchanges: 0,
                violations: Vec::new(),
            })
            .await,
        )
    }

    /// Where it is.
    #[must_use]
    pub fn base_url(&self) -> String {
        self.0.address().to_owned()
    }

    /// A clock and waiting that go with it.
    #[must_use]
    pub fn clock(&self, now: Instant) -> FakeClock {
        FakeClock::new(now, self.0.stalls.clone())
    }

    /// Everything that was asked for, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.0.requests()
    }

    /// How often a key was exchanged for a token, or tried to be.
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.0.with(|account| account.exchanges)
    }

    /// What should never be sent to Garmin, and was.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.0.with(|account| account.violations.clone())
    }

    /// Changes what the account holds.
    pub fn edit(&self, edit: impl FnOnce(&mut GarminData)) {
        self.0.with(|account| edit(&mut account.data));
    }

    /// Makes every token that was given out expire.
    pub fn expire_tokens(&self) {
        self.0.with(Service::expire);
    }

    /// Fails at the request with this number, counted from 1.
    pub fn misbehave_at(&self, request: usize, bad: Misbehavior) {
        self.0.misbehave_at(request, bad);
    }

    /// Fails at so many requests whose path has this in it.
    pub fn misbehave_on(&self, part: &str, times: usize, bad: Misbehavior) {
        self.0.misbehave_on(part, times, bad);
    }
}

#[derive(Debug)]
struct Account {
    data: GarminData,
    /// Those that are good.
    tokens: Vec<String>,
    issued_tokens: usize,
    exchanges: usize,
    violations: Vec<String>,
}

const TOKEN_PATH: &str = "/personalapitoken-service/personal-api/personal-api-key/token";
/// More at once are too many.
const MAX_CONCURRENT: usize = 2;

impl Service for Account {
    fn expire(&mut self) {
        self.tokens.clear();
    }

    fn handle(&mut self, request: &Request) -> Response {
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
        let bearer = request.authorization.strip_prefix("Bearer ").unwrap_or_default();
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
    fn exchange(&mut self, request: &Request) -> Response {
        self.exchanges += 1;
        if request.method != "POST" {
            self.violations.push(format!("{} {}", request.method, request.target));
            return Response::status(405);
        }
        if request.authorization != format!("ApiKey {}", self.data.key) {
            return Response::status(401);
        }
        self.issued_tokens += 1;
        let token = format!("fake-access-token-{}", self.issued_tokens);
        self.tokens.push(token.clone());
        match self.data.token_format {
            TokenFormat::Text => Response::bytes("text/plain", token.into_bytes()),
            TokenFormat::JsonText => Response::json(&json!(token)),
            TokenFormat::Snake => Response::json(&json!({"access_token": token, "expires_in": 86_400})),
            TokenFormat::Camel => Response::json(&json!({"accessToken": token, "expiresIn": 86_400})),
            TokenFormat::Unknown => Response::json(&json!({"ticket": token})),
        }
    }
}
