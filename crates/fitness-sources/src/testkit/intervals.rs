//! intervals.icu as far as its published description goes, with its refusals.

use super::fake_clock::FakeClock;
use super::server::{Misbehavior, RecordedRequest, Request, Response, Server, Service};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use fitness_core::domain::calendar::{Day, Instant};
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
        Self(Server::start(Account { data, next_id: 9000 }).await)
    }

    /// Where it is.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api/v1", self.0.address())
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
    data: IntervalsData,
    next_id: i64,
}

impl Service for Account {
    fn handle(&mut self, request: &Request) -> Response {
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
            ("GET", ["athlete", _, "wellness"]) => with_date_range(request, |from, to| {
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
            ("GET", ["athlete", _, "events"]) => with_date_range(request, |from, to| {
                let within = |event: &&Value| day_of(event).is_some_and(|day| (from..=to).contains(&day));
                Response::json(&self.data.events.iter().filter(within).cloned().collect())
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
    fn activities(&self, request: &Request) -> Response {
        with_date_range(request, |from, to| {
            let day = |one: &&IntervalsActivity| {
                Day::at(one.started_at + TimeDelta::hours(one.offset_h), chrono_tz::Tz::UTC)
            };
            let within = |one: &&IntervalsActivity| (from..=to).contains(&day(one));
            Response::json(&self.data.activities.iter().filter(within).map(IntervalsActivity::json).collect())
        })
    }

    /// Adds entries; with a plain key the external id makes no difference, since only OAuth applications own theirs.
    fn add(&mut self, request: &Request) -> Response {
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
        Response::json(&events.into())
    }

    /// Changes the fields of an entry that are given.
    fn change(&mut self, id: &str, request: &Request) -> Response {
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
        Response::json(&changed)
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

/// The largest body of a request.
const MAX_BODY_BYTES: usize = 1_000_000;

/// Whether an entry is one; makes of a file what the service makes of it.
fn accept_event(event: &mut Value) -> bool {
    let known = ["WORKOUT", "NOTE", "RACE_A", "RACE_B", "RACE_C", "HOLIDAY", "SICK", "INJURED", "TARGET"];
    let category = event["category"].as_str().is_some_and(|category| known.contains(&category));
    // Days only: a time of day is refused.
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
        // It tells the steps in its own words and works out how long they take.
        event["description"] = "- made from a file".into();
        event["moving_time"] = 1234.into();
    }
    true
}

fn day_of(event: &Value) -> Option<Day> {
    event["start_date_local"].as_str()?.get(..10)?.parse().ok()
}

/// Calls with the span in the query; 422 when it is none.
fn with_date_range(request: &Request, answer: impl Fn(Day, Day) -> Response) -> Response {
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
