//! Planned workouts on the athlete's calendar at intervals.icu, which hands them on to watches.
//!
//! Only entries that carry our mark are ever touched: an [`OurEvent`] cannot be made except by listing them, and only one
//! can be changed or removed. The mark is the entry's external id, `local-fitness:OWNER:WORKOUT:PRINT`: whose plan it
//! came from, which workout it is, and a print of what was sent, by which a second push knows that there is nothing to
//! do. (The service works out durations and descriptions by itself, so what it holds cannot be compared with what it
//! was given.)
//!
//! The service promises to replace by external id only what an OAuth application made. A plain key therefore changes and
//! removes entries by the service's own ids.

use super::{Intervals, paths};
use crate::live::error::{AbortError, DatasetError, FetchError};
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

/// What the external id of everything we put there begins with.
const EXTERNAL_ID_PREFIX: &str = "local-fitness";
/// How many entries are put there at once.
const BATCH_SIZE: usize = 20;
/// How many days of a calendar are asked for at once.
const MAX_DAYS: i64 = 366;
/// How many hexadecimal digits of a hash tell two contents of one workout apart.
const FINGERPRINT_DIGITS: usize = 12;

/// A workout to be put on the calendar.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedEvent {
    /// Which workout it is, whatever its day.
    pub workout: WorkoutId,
    /// When.
    pub day: Day,
    /// What.
    pub sport: Sport,
    /// A title.
    pub name: String,
    /// How it is told.
    pub content: EventContent,
}

/// What an entry of the calendar holds.
#[derive(Debug, Clone, PartialEq)]
pub enum EventContent {
    /// A FIT file with the steps, from which the service makes the rest.
    File(Vec<u8>),
    /// Words and amounts, for a workout without steps.
    Text {
        /// What to do.
        description: String,
        /// How long, in motion.
        moving: Option<TimeSpan>,
        /// How far.
        distance: Option<Distance>,
        /// The load it is expected to bring.
        load: Option<f64>,
    },
}

impl PlannedEvent {
    /// What is sent, without the mark.
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
            // A time of day is refused.
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
                // With nothing where there is nothing, so that a change takes away what was there.
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

/// An entry of the calendar that this program put there for this owner.
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

    /// Which workout it was made from.
    #[must_use]
    pub const fn workout(&self) -> WorkoutId {
        self.workout
    }

    /// The day it is on now.
    #[must_use]
    pub const fn day(&self) -> Day {
        self.day
    }

    /// What it is called there.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn matches(&self, wanted: &PlannedEvent) -> bool {
        self.day == wanted.day && self.fingerprint == wanted.fingerprint()
    }
}

/// What has to happen for the calendar to follow the plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CalendarChanges {
    /// Not there yet.
    pub add: Vec<PlannedEvent>,
    /// There, and other than planned.
    pub change: Vec<(OwnEvent, PlannedEvent)>,
    /// There, and not planned any more, or there twice.
    pub remove: Vec<OwnEvent>,
    /// There as planned.
    pub unchanged: usize,
}

impl CalendarChanges {
    /// Compares what is planned from `today` on with what we put there. New entries are made through a day; what is there
    /// already follows the plan wherever it goes. What lies in the past stays, unless its workout moved to a day to come.
    #[must_use]
    pub fn diff(planned: &[PlannedEvent], there: &[OwnEvent], today: Day, through: Day) -> Self {
        let mut changes = Self::default();
        let mut of: BTreeMap<WorkoutId, Vec<&OwnEvent>> = BTreeMap::new();
        for event in there {
            of.entry(event.workout).or_default().push(event);
        }
        for wanted in planned.iter().filter(|wanted| wanted.day >= today) {
            let mut events = of.remove(&wanted.workout).unwrap_or_default();
            // The one that is right; else the one that is still to come.
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

    /// Whether nothing has to happen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.change.is_empty() && self.remove.is_empty()
    }
}

impl Intervals {
    /// What this program put on the calendar for an owner in some days.
    ///
    /// # Errors
    /// When the key is refused or the service does not answer.
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

    /// Makes changes. What is broken off can be begun again: nothing is done twice.
    ///
    /// # Errors
    /// When the key is refused or the service does not answer.
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
        // An answer that was lost on its way makes us ask again, and then an entry is there twice.
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

fn to_fetch_error(halt: AbortError) -> FetchError {
    let failed = |problem| FetchError::Failed { dataset: "calendar", problem };
    match halt {
        AbortError::Dataset(problem) => failed(problem),
        AbortError::Fetch(fault) => fault,
        AbortError::Stopped => failed(DatasetError::Stopped),
    }
}
