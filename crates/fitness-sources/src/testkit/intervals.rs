//! A fake of intervals.icu, including its errors.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_http::testkit::{
    FakeClock, FakeServer, Misbehavior, ReceivedRequest, RecordedRequest, RequestHandler, Response,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub struct IntervalsActivity {
    pub id: &'static str,
    pub kind: &'static str,
    pub started_at: Instant,
    /// Local time minus UTC in hours.
    pub offset_h: i64,
    pub seconds: u32,
    /// `STRAVA` makes it a stub.
    pub source: &'static str,
    /// The original file, gzip-compressed.
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

/// Content of the account.
#[derive(Debug, Clone, Default)]
pub struct IntervalsData {
    pub key: String,
    pub athlete: String,
    /// Newest first, as in the list.
    pub activities: Vec<IntervalsActivity>,
    /// Wellness records by day, without `id`.
    pub wellness: BTreeMap<Day, Value>,
    pub events: Vec<Value>,
}

/// Listens on loopback until dropped.
#[derive(Debug)]
pub struct FakeIntervals(FakeServer<Account>);

impl FakeIntervals {
    pub async fn start(data: IntervalsData) -> Self {
        Self(FakeServer::start(Account { data, next_id: 9000 }).await)
    }

    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api/v1", self.0.address())
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

    #[must_use]
    pub fn events(&self) -> Vec<Value> {
        self.0.with(|account| account.data.events.clone())
    }

    pub fn edit(&self, edit: impl FnOnce(&mut IntervalsData)) {
        self.0.with(|account| edit(&mut account.data));
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
    data: IntervalsData,
    next_id: i64,
}

impl RequestHandler for Account {
    fn handle(&mut self, request: &ReceivedRequest) -> Response {
        let Some(pair) = request.authorization().strip_prefix("Basic ") else { return Response::status(401) };
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
            ("GET", ["athlete", _, "wellness"]) => with_date_range(request, |from, to| {
                let records = self.data.wellness.range(from..=to);
                let record = |(day, record): (&Day, &Value)| {
                    let mut record = record.clone();
                    record["id"] = day.to_string().into();
                    record
                };
                Response::json(200, &records.map(record).collect())
            }),
            ("GET", ["activity", id, "file"]) => {
                let file =
                    self.data.activities.iter().find(|one| one.id == *id).and_then(|one| one.file.clone());
                file.map_or_else(
                    || Response::status(404),
                    |file| Response::bytes("application/octet-stream", file),
                )
            }
            ("GET", ["athlete", _, "events"]) => with_date_range(request, |from, to| {
                let within = |event: &&Value| day_of(event).is_some_and(|day| (from..=to).contains(&day));
                Response::json(200, &self.data.events.iter().filter(within).cloned().collect())
            }),
            ("POST" | "PUT", _) if request.body.len() > MAX_BODY_BYTES => Response::status(413),
            ("POST", ["athlete", _, "events", "bulk"]) => self.add(request),
            ("PUT", ["athlete", _, "events", "bulk-delete"]) => self.delete(request),
            ("PUT", ["athlete", _, "events", id]) => self.change(id, request),
            _ => Response::status(404),
        }
    }
}

impl Account {
    fn activities(&self, request: &ReceivedRequest) -> Response {
        with_date_range(request, |from, to| {
            let day = |one: &&IntervalsActivity| {
                Day::at(one.started_at + TimeDelta::hours(one.offset_h), chrono_tz::Tz::UTC)
            };
            let within = |one: &&IntervalsActivity| (from..=to).contains(&day(one));
            Response::json(
                200,
                &self.data.activities.iter().filter(within).map(IntervalsActivity::json).collect(),
            )
        })
    }

    /// Adds events. With a plain key, the external id is not unique; only OAuth applications can
    /// upsert.
    fn add(&mut self, request: &ReceivedRequest) -> Response {
        let Ok(Value::Array(mut events)) = serde_json::from_slice(&request.body) else {
            return Response::status(400);
        };
        if !events.iter_mut().all(accept_event) {
            return Response::status(422);
        }
        for event in &mut events {
            self.next_id += 1;
            event["id"] = self.next_id.into();
        }
        self.data.events.extend_from_slice(&events);
        Response::json(200, &events.into())
    }

    /// Changes the given fields of an event.
    fn change(&mut self, id: &str, request: &ReceivedRequest) -> Response {
        let (Ok(id), Ok(Value::Object(fields))) = (id.parse::<i64>(), serde_json::from_slice(&request.body))
        else {
            return Response::status(400);
        };
        let Some(event) = self.data.events.iter_mut().find(|event| event["id"] == id) else {
            return Response::status(404);
        };
        let mut changed = event.clone();
        for (name, value) in fields {
            changed[&name] = value;
        }
        changed["id"] = id.into();
        if !accept_event(&mut changed) {
            return Response::status(422);
        }
        *event = changed.clone();
        Response::json(200, &changed)
    }

    fn delete(&mut self, request: &ReceivedRequest) -> Response {
        let Ok(Value::Array(doomed)) = serde_json::from_slice(&request.body) else {
            return Response::status(400);
        };
        // Only OAuth applications may use external ids.
        if doomed.iter().any(|one| !one["id"].is_i64() || one.get("external_id").is_some()) {
            return Response::status(403);
        }
        let before = self.data.events.len();
        self.data.events.retain(|event| !doomed.iter().any(|one| one["id"] == event["id"]));
        Response::json(200, &json!({"eventsDeleted": before - self.data.events.len()}))
    }
}

const MAX_BODY_BYTES: usize = 1_000_000;

/// Validates an event, and derives fields from its file like the service.
fn accept_event(event: &mut Value) -> bool {
    let known = ["WORKOUT", "NOTE", "RACE_A", "RACE_B", "RACE_C", "HOLIDAY", "SICK", "INJURED", "TARGET"];
    let category = event["category"].as_str().is_some_and(|category| known.contains(&category));
    // A time of day is rejected.
    let on_a_day = event["start_date_local"].as_str().is_some_and(|at| at.ends_with("T00:00:00"));
    if !category || !on_a_day || day_of(event).is_none() {
        return false;
    }
    let Some(fields) = event.as_object_mut() else { return false };
    let (name, file) = (fields.remove("filename"), fields.remove("file_contents_base64"));
    if let Some(file) = file {
        let named = name.is_some_and(|name| name.as_str().is_some_and(|name| name.ends_with(".fit")));
        let bytes = file.as_str().and_then(|text| STANDARD.decode(text).ok());
        let fit = bytes.is_some_and(|bytes| bytes.get(8..12) == Some(b".FIT"));
        if !(named && fit) {
            return false;
        }
        // The service computes description and duration from the steps.
        event["description"] = "- made from a file".into();
        event["moving_time"] = 1234.into();
    }
    true
}

fn day_of(event: &Value) -> Option<Day> {
    event["start_date_local"].as_str()?.get(..10)?.parse().ok()
}

/// Responds with the date range of the query; 422 if it is invalid.
fn with_date_range(request: &ReceivedRequest, answer: impl Fn(Day, Day) -> Response) -> Response {
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
