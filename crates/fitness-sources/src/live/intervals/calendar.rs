//! Pushes planned workouts to the athlete's calendar at intervals.icu, which forwards them to
//! watches.
//!
//! Only our own events are ever changed or removed: an [`OwnEvent`] can be created only by listing
//! them. They are recognised by their external id `local-fitness:OWNER:WORKOUT:FINGERPRINT`: owner
//! of the plan, workout, and a hash of what was sent, so that a second push changes nothing. (The
//! service computes durations and descriptions itself, so its content cannot be compared.)
//!
//! The service replaces events by external id only for OAuth applications, so with a plain key
//! events are changed and removed by the service's ids.

use super::{Intervals, paths};
use crate::live::error::{DatasetError, DatasetInterruption, FetchError};
use crate::live::{DayRange, json};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::WorkoutId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const EXTERNAL_ID_PREFIX: &str = "local-fitness";
const BATCH_SIZE: usize = 20;
/// Longest range per request.
const MAX_DAYS: i64 = 366;
/// Hexadecimal digits of the hash.
const FINGERPRINT_DIGITS: usize = 12;

#[derive(Debug, Clone, PartialEq)]
pub struct CalendarEvent {
    pub workout: WorkoutId,
    pub day: Day,
    pub sport: Sport,
    pub name: String,
    pub content: EventContent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EventContent {
    /// A FIT file with the steps; the service derives the rest.
    File(Vec<u8>),
    /// For a workout without steps.
    Text { description: String, moving: Option<TimeSpan>, distance: Option<Distance>, load: Option<f64> },
}

impl CalendarEvent {
    /// The event without its external id.
    fn payload(&self) -> Value {
        let sport = match self.sport {
            Sport::Running => "Run",
            Sport::Cycling => "Ride",
            Sport::Swimming => "Swim",
            Sport::Rowing => "Rowing",
            Sport::Strength => "WeightTraining",
            Sport::Other | Sport::Rest => "Workout",
        };
        let mut body = json!({
            "category": "WORKOUT",
            // The service rejects a time of day.
            "start_date_local": format!("{}T00:00:00", self.day),
            "type": sport,
            "name": self.name,
        });
        match &self.content {
            EventContent::File(bytes) => {
                body["filename"] = format!("{}.fit", self.workout).into();
                body["file_contents_base64"] = STANDARD.encode(bytes).into();
            }
            EventContent::Text { description, moving, distance, load } => {
                // Null removes an old value.
                body["description"] = description.as_str().into();
                body["moving_time"] = moving.map(TimeSpan::whole_seconds).into();
                body["distance"] = distance.map(Distance::meters).into();
                body["icu_training_load"] = load.map(|load| load.round() as i64).into();
            }
        }
        body
    }

    fn fingerprint(&self) -> String {
        ContentHash::hash_json(&self.payload()).to_string().chars().take(FINGERPRINT_DIGITS).collect()
    }

    fn body(&self, owner: &str) -> Value {
        let mut body = self.payload();
        body["external_id"] =
            format!("{EXTERNAL_ID_PREFIX}:{owner}:{}:{}", self.workout, self.fingerprint()).into();
        body
    }
}

/// An event that we created for this owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnEvent {
    event_id: i64,
    workout: WorkoutId,
    fingerprint: String,
    day: Day,
    name: String,
}

impl OwnEvent {
    fn parse(entry: &Value, owner: &str) -> Option<Self> {
        let mark = entry.get("external_id")?.as_str()?;
        let [EXTERNAL_ID_PREFIX, whose, workout, print] = mark.split(':').collect::<Vec<_>>()[..] else {
            return None;
        };
        (whose == owner).then_some(())?;
        Some(Self {
            event_id: entry.get("id")?.as_i64()?,
            workout: workout.parse().ok()?,
            fingerprint: print.to_owned(),
            day: json::day(entry, "start_date_local")?,
            name: json::text(entry, "name").unwrap_or_default(),
        })
    }

    #[must_use]
    pub const fn workout(&self) -> WorkoutId {
        self.workout
    }

    #[must_use]
    pub const fn day(&self) -> Day {
        self.day
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn matches(&self, wanted: &CalendarEvent) -> bool {
        self.day == wanted.day && self.fingerprint == wanted.fingerprint()
    }
}

/// Changes that make the calendar match the plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CalendarChanges {
    pub add: Vec<CalendarEvent>,
    /// Events that differ from the plan.
    pub change: Vec<(OwnEvent, CalendarEvent)>,
    /// Events that are no longer planned, or duplicates.
    pub remove: Vec<OwnEvent>,
    pub unchanged: usize,
}

impl CalendarChanges {
    /// Compares the plan from `today` on with our events. New events are created up to `through`;
    /// existing ones follow their workout to any day. Past events stay, unless their workout moved
    /// to a later day.
    #[must_use]
    pub fn diff(planned: &[CalendarEvent], there: &[OwnEvent], today: Day, through: Day) -> Self {
        let mut changes = Self::default();
        let mut of: BTreeMap<WorkoutId, Vec<&OwnEvent>> = BTreeMap::new();
        for event in there {
            of.entry(event.workout).or_default().push(event);
        }
        for wanted in planned.iter().filter(|wanted| wanted.day >= today) {
            let mut events = of.remove(&wanted.workout).unwrap_or_default();
            // Prefer the one that matches, else one in the future.
            events.sort_by_key(|event| (!event.matches(wanted), event.day < today, event.event_id));
            let mut events = events.into_iter();
            match events.next() {
                Some(event) if event.matches(wanted) => changes.unchanged += 1,
                Some(event) => changes.change.push((event.clone(), wanted.clone())),
                None if wanted.day <= through => changes.add.push(wanted.clone()),
                None => {}
            }
            changes.remove.extend(events.filter(|event| event.day >= today).cloned());
        }
        changes.remove.extend(of.into_values().flatten().filter(|event| event.day >= today).cloned());
        changes.remove.sort_by_key(|event| (event.day, event.event_id));
        changes
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.change.is_empty() && self.remove.is_empty()
    }
}

impl Intervals {
    /// Our events for an owner in a range of days.
    pub async fn list_own_events(
        &mut self,
        owner: &str,
        span: DayRange,
    ) -> Result<Vec<OwnEvent>, FetchError> {
        let (mut ours, mut seen) = (Vec::new(), BTreeSet::new());
        for piece in span.chunks(MAX_DAYS) {
            let entries = self.fetch_list(paths::EVENTS, piece).await.map_err(to_fetch_error)?;
            let found = entries.iter().filter_map(|entry| OwnEvent::parse(entry, owner));
            ours.extend(found.filter(|event| seen.insert(event.event_id)));
        }
        Ok(ours)
    }

    /// Applies changes. Safe to repeat after a failure.
    pub async fn apply(&mut self, changes: &CalendarChanges, owner: &str) -> Result<(), FetchError> {
        for some in changes.add.chunks(BATCH_SIZE) {
            let body = some.iter().map(|event| event.body(owner)).collect();
            let answer =
                self.send_json(Method::POST, paths::ADD_EVENTS, Some(body)).await.map_err(to_fetch_error)?;
            let Some(Value::Array(put)) = answer else {
                return Err(to_fetch_error(DatasetError::UnexpectedShape.into()));
            };
            let put: BTreeSet<WorkoutId> = put
                .iter()
                .filter_map(|entry| OwnEvent::parse(entry, owner))
                .map(|event| event.workout)
                .collect();
            if !some.iter().all(|event| put.contains(&event.workout)) {
                return Err(to_fetch_error(DatasetError::UnexpectedShape.into()));
            }
        }
        for (old, new) in &changes.change {
            let path = paths::EVENT.replace("{event}", &old.event_id.to_string());
            self.send_json(Method::PUT, &path, Some(new.body(owner))).await.map_err(to_fetch_error)?;
        }
        self.remove(&changes.remove).await?;
        // A retry after a lost response creates duplicates, which are removed here.
        let days = || changes.add.iter().map(|event| event.day);
        if let (Some(from), Some(through)) = (days().min(), days().max()) {
            let there = self.list_own_events(owner, DayRange { from, through }).await?;
            let again = CalendarChanges::diff(&changes.add, &there, from, through);
            let added: BTreeSet<WorkoutId> = changes.add.iter().map(|event| event.workout).collect();
            let twice: Vec<OwnEvent> =
                again.remove.into_iter().filter(|event| added.contains(&event.workout)).collect();
            self.remove(&twice).await?;
        }
        Ok(())
    }

    async fn remove(&mut self, events: &[OwnEvent]) -> Result<(), FetchError> {
        if events.is_empty() {
            return Ok(());
        }
        let body = events.iter().map(|event| json!({ "id": event.event_id })).collect();
        self.send_json(Method::PUT, paths::DELETE_EVENTS, Some(body)).await.map_err(to_fetch_error)?;
        Ok(())
    }
}

fn to_fetch_error(halt: DatasetInterruption) -> FetchError {
    let failed = |problem| FetchError::Failed { dataset: "calendar", problem };
    match halt {
        DatasetInterruption::Dataset(problem) => failed(problem),
        DatasetInterruption::Fetch(fault) => fault,
        DatasetInterruption::Stopped => failed(DatasetError::Stopped),
    }
}
