//! intervals.icu as far as its published description goes, with its refusals.

use super::server::{Bad, Request, Response, Seen, Server, Service};
use super::time::Time;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use fitness_core::calendar::{Day, Instant};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An activity in the list.
#[derive(Debug, Clone)]
pub struct IntervalsActivity {
    /// Such as `i77`.
    pub id: &'static str,
    /// Such as `Run`.
    pub kind: &'static str,
    /// When it began.
    pub started_at: Instant,
    /// The local clock minus UTC, in hours.
    pub offset_h: i64,
    /// How long it took.
    pub seconds: u32,
    /// Where it came from; `STRAVA` makes it a stub.
    pub source: &'static str,
    /// The original file, packed with gzip.
    pub file: Option<Vec<u8>>,
}

impl IntervalsActivity {
    fn json(&self) -> Value {
        let time = |at: Instant| at.format("%Y-%m-%dT%H:%M:%S").to_string();
        let local = time(self.started_at + TimeDelta::hours(self.offset_h));
        if self.source == "STRAVA" {
            return json!({"id": self.id, "start_date_local": local, "source": "STRAVA",
                "_note": "STRAVA activities are not available via the API"});
        }
        json!({"id": self.id, "start_date": time(self.started_at) + "Z", "start_date_local": local, "type": self.kind,
            "elapsed_time": self.seconds, "moving_time": self.seconds, "distance": f64::from(self.seconds) * 2.8,
            "average_heartrate": 141, "source": self.source, "perceived_exertion": 5.0})
    }
}

/// What the account holds.
#[derive(Debug, Clone, Default)]
pub struct IntervalsData {
    /// The key that is accepted.
    pub key: String,
    /// The athlete's id, such as `i12345`.
    pub athlete: String,
    /// Newest first, as the list has them.
    pub activities: Vec<IntervalsActivity>,
    /// Records of wellness by day; `id` is added.
    pub wellness: BTreeMap<Day, Value>,
    /// Entries of the calendar.
    pub events: Vec<Value>,
    /// Whether putting an entry with a known external id replaces it for a plain key too; the description says so of
    /// OAuth applications only.
    pub replaces: bool,
}

/// The fake, listening on this machine until it is dropped.
#[derive(Debug)]
pub struct FakeIntervals(Server<Account>);

impl FakeIntervals {
    /// Starts it.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start(data: IntervalsData) -> Self {
        Self(Server::start(Account { data, next: 9000 }).await)
    }

    /// Where it is.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api/v1", self.0.address())
    }

    /// A clock and waiting that go with it.
    #[must_use]
    pub fn time(&self, now: Instant) -> Time {
        Time::new(now, self.0.stalls.clone())
    }

    /// Everything that was asked for, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.0.seen()
    }

    /// The calendar as it is now.
    #[must_use]
    pub fn events(&self) -> Vec<Value> {
        self.0.with(|account| account.data.events.clone())
    }

    /// Changes what the account holds.
    pub fn edit(&self, edit: impl FnOnce(&mut IntervalsData)) {
        self.0.with(|account| edit(&mut account.data));
    }

    /// Fails at the request with this number, counted from 1.
    pub fn misbehave_at(&self, request: usize, bad: Bad) {
        self.0.misbehave_at(request, bad);
    }

    /// Fails at so many requests whose path has this in it.
    pub fn misbehave_on(&self, part: &str, times: usize, bad: Bad) {
        self.0.misbehave_on(part, times, bad);
    }
}

#[derive(Debug)]
struct Account {
    data: IntervalsData,
    next: i64,
}

impl Service for Account {
    fn answer(&mut self, request: &Request) -> Response {
        let Some(pair) = request.authorization.strip_prefix("Basic ") else { return Response::status(401) };
        if pair != STANDARD.encode(format!("API_KEY:{}", self.data.key)) {
            return Response::status(403);
        }
        let Some(path) = request.path.strip_prefix("/api/v1/") else { return Response::status(404) };
        let parts: Vec<&str> = path.split('/').collect();
        if let ["athlete", athlete, ..] = parts.as_slice()
            && *athlete != "0"
            && *athlete != self.data.athlete
        {
            return Response::status(403);
        }
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", ["athlete", _, "activities"]) => self.activities(request),
            ("GET", ["athlete", _, "wellness"]) => between(request, |from, to| {
                let records = self.data.wellness.range(from..=to);
                let record = |(day, record): (&Day, &Value)| {
                    let mut record = record.clone();
                    record["id"] = day.to_string().into();
                    record
                };
                Response::json(&records.map(record).collect())
            }),
            ("GET", ["activity", id, "file"]) => {
                let file =
                    self.data.activities.iter().find(|one| one.id == *id).and_then(|one| one.file.clone());
                file.map_or_else(
                    || Response::status(404),
                    |file| Response::bytes("application/octet-stream", file),
                )
            }
            ("GET", ["athlete", _, "events"]) => between(request, |from, to| {
                let within = |event: &&Value| day_of(event).is_some_and(|day| (from..=to).contains(&day));
                Response::json(&self.data.events.iter().filter(within).cloned().collect())
            }),
            ("POST", ["athlete", _, "events", "bulk"]) => self.put(request),
            ("PUT", ["athlete", _, "events", "bulk-delete"]) => self.delete(request),
            _ => Response::status(404),
        }
    }
}

impl Account {
    fn activities(&self, request: &Request) -> Response {
        between(request, |from, to| {
            let day = |one: &&IntervalsActivity| {
                Day::at(one.started_at + TimeDelta::hours(one.offset_h), chrono_tz::Tz::UTC)
            };
            let within = |one: &&IntervalsActivity| (from..=to).contains(&day(one));
            Response::json(&self.data.activities.iter().filter(within).map(IntervalsActivity::json).collect())
        })
    }

    fn put(&mut self, request: &Request) -> Response {
        let Ok(Value::Array(events)) = serde_json::from_slice(&request.body) else {
            return Response::status(400);
        };
        let sound = |event: &Value| event["category"].is_string() && day_of(event).is_some();
        if !events.iter().all(sound) {
            return Response::status(422);
        }
        let upsert = request.query.get("upsert").is_some_and(|upsert| upsert == "true") && self.data.replaces;
        let mut put = Vec::new();
        for mut event in events {
            let same = |old: &&mut Value| upsert && old["external_id"] == event["external_id"];
            if let Some(old) = self.data.events.iter_mut().find(same) {
                event["id"] = old["id"].clone();
                *old = event.clone();
            } else {
                self.next += 1;
                event["id"] = self.next.into();
                self.data.events.push(event.clone());
            }
            put.push(event);
        }
        Response::json(&put.into())
    }

    fn delete(&mut self, request: &Request) -> Response {
        let Ok(Value::Array(doomed)) = serde_json::from_slice(&request.body) else {
            return Response::status(400);
        };
        // By external id is for OAuth applications.
        if doomed.iter().any(|one| !one["id"].is_i64() || one.get("external_id").is_some()) {
            return Response::status(403);
        }
        let before = self.data.events.len();
        self.data.events.retain(|event| !doomed.iter().any(|one| one["id"] == event["id"]));
        Response::json(&json!({"eventsDeleted": before - self.data.events.len()}))
    }
}

fn day_of(event: &Value) -> Option<Day> {
    event["start_date_local"].as_str()?.get(..10)?.parse().ok()
}

/// Calls with the span in the query; 422 when it is none.
fn between(request: &Request, answer: impl Fn(Day, Day) -> Response) -> Response {
    let day = |name: &str| {
        let (day, time) = request.query.get(name)?.split_at_checked(10)?;
        let sound = time.is_empty() || (time.len() == 9 && time.starts_with('T'));
        day.parse::<Day>().ok().filter(|_| sound)
    };
    match (day("oldest"), day("newest")) {
        (Some(from), Some(to)) if from <= to => answer(from, to),
        _ => Response::status(422),
    }
}
