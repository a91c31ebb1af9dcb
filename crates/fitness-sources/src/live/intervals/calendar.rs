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
use crate::live::error::{Fault, Halt, Problem};
use crate::live::{Span, json};
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
const MARK: &str = "local-fitness";
/// How many entries are put there at once.
const AT_ONCE: usize = 20;
/// How many days of a calendar are asked for at once.
const MOST_DAYS: i64 = 366;
/// How many hexadecimal digits of a hash tell two contents of one workout apart.
const PRINT: usize = 12;

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
    Words {
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
    fn content(&self) -> Value {
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
            EventContent::Words { description, moving, distance, load } => {
                // With nothing where there is nothing, so that a change takes away what was there.
                body["description"] = description.as_str().into();
                body["moving_time"] = moving.map(TimeSpan::whole_seconds).into();
                body["distance"] = distance.map(Distance::meters).into();
                body["icu_training_load"] = load.map(|load| load.round() as i64).into();
            }
        }
        body
    }

    fn print(&self) -> String {
        ContentHash::of_json(&self.content()).to_string().chars().take(PRINT).collect()
    }

    fn body(&self, owner: &str) -> Value {
        let mut body = self.content();
        body["external_id"] = format!("{MARK}:{owner}:{}:{}", self.workout, self.print()).into();
        body
    }
}

/// An entry of the calendar that this program put there for this owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OurEvent {
    event: i64,
    workout: WorkoutId,
    print: String,
    day: Day,
    name: String,
}

impl OurEvent {
    fn read(entry: &Value, owner: &str) -> Option<Self> {
        let mark = entry.get("external_id")?.as_str()?;
        let [MARK, whose, workout, print] = mark.split(':').collect::<Vec<_>>()[..] else { return None };
        (whose == owner).then_some(())?;
        Some(Self {
            event: entry.get("id")?.as_i64()?,
            workout: workout.parse().ok()?,
            print: print.to_owned(),
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

    fn holds(&self, wanted: &PlannedEvent) -> bool {
        self.day == wanted.day && self.print == wanted.print()
    }
}

/// What has to happen for the calendar to follow the plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Not there yet.
    pub add: Vec<PlannedEvent>,
    /// There, and other than planned.
    pub change: Vec<(OurEvent, PlannedEvent)>,
    /// There, and not planned any more, or there twice.
    pub remove: Vec<OurEvent>,
    /// There as planned.
    pub same: usize,
}

impl Changes {
    /// Compares what is planned from `today` on with what we put there. New entries are made through a day; what is there
    /// already follows the plan wherever it goes. What lies in the past stays, unless its workout moved to a day to come.
    #[must_use]
    pub fn between(planned: &[PlannedEvent], there: &[OurEvent], today: Day, through: Day) -> Self {
        let mut changes = Self::default();
        let mut of: BTreeMap<WorkoutId, Vec<&OurEvent>> = BTreeMap::new();
        for event in there {
            of.entry(event.workout).or_default().push(event);
        }
        for wanted in planned.iter().filter(|wanted| wanted.day >= today) {
            let mut events = of.remove(&wanted.workout).unwrap_or_default();
            // The one that is right; else the one that is still to come.
            events.sort_by_key(|event| (!event.holds(wanted), event.day < today, event.event));
            let mut events = events.into_iter();
            match events.next() {
                Some(event) if event.holds(wanted) => changes.same += 1,
                Some(event) => changes.change.push((event.clone(), wanted.clone())),
                None if wanted.day <= through => changes.add.push(wanted.clone()),
                None => {}
            }
            changes.remove.extend(events.filter(|event| event.day >= today).cloned());
        }
        changes.remove.extend(of.into_values().flatten().filter(|event| event.day >= today).cloned());
        changes.remove.sort_by_key(|event| (event.day, event.event));
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
    pub async fn list_ours(&mut self, owner: &str, span: Span) -> Result<Vec<OurEvent>, Fault> {
        let (mut ours, mut seen) = (Vec::new(), BTreeSet::new());
        for piece in span.pieces(MOST_DAYS) {
            let entries = self.list(paths::EVENTS, piece).await.map_err(failed)?;
            let found = entries.iter().filter_map(|entry| OurEvent::read(entry, owner));
            ours.extend(found.filter(|event| seen.insert(event.event)));
        }
        Ok(ours)
    }

    /// Makes changes. What is broken off can be begun again: nothing is done twice.
    ///
    /// # Errors
    /// When the key is refused or the service does not answer.
    pub async fn make(&mut self, changes: &Changes, owner: &str) -> Result<(), Fault> {
        for some in changes.add.chunks(AT_ONCE) {
            let body = some.iter().map(|event| event.body(owner)).collect();
            let answer = self.json(Method::POST, paths::ADD_EVENTS, Some(body)).await.map_err(failed)?;
            let Some(Value::Array(put)) = answer else { return Err(failed(Problem::OtherShape.into())) };
            let put: BTreeSet<WorkoutId> = put
                .iter()
                .filter_map(|entry| OurEvent::read(entry, owner))
                .map(|event| event.workout)
                .collect();
            if !some.iter().all(|event| put.contains(&event.workout)) {
                return Err(failed(Problem::OtherShape.into()));
            }
        }
        for (old, new) in &changes.change {
            let path = paths::EVENT.replace("{event}", &old.event.to_string());
            self.json(Method::PUT, &path, Some(new.body(owner))).await.map_err(failed)?;
        }
        self.remove(&changes.remove).await?;
        // An answer that was lost on its way makes us ask again, and then an entry is there twice.
        let days = || changes.add.iter().map(|event| event.day);
        if let (Some(from), Some(through)) = (days().min(), days().max()) {
            let there = self.list_ours(owner, Span { from, through }).await?;
            let again = Changes::between(&changes.add, &there, from, through);
            let added: BTreeSet<WorkoutId> = changes.add.iter().map(|event| event.workout).collect();
            let twice: Vec<OurEvent> =
                again.remove.into_iter().filter(|event| added.contains(&event.workout)).collect();
            self.remove(&twice).await?;
        }
        Ok(())
    }

    async fn remove(&mut self, events: &[OurEvent]) -> Result<(), Fault> {
        if events.is_empty() {
            return Ok(());
        }
        let body = events.iter().map(|event| json!({ "id": event.event })).collect();
        self.json(Method::PUT, paths::DELETE_EVENTS, Some(body)).await.map_err(failed)?;
        Ok(())
    }
}

fn failed(halt: Halt) -> Fault {
    let failed = |problem| Fault::Failed { dataset: "calendar", problem };
    match halt {
        Halt::Lost(problem) => failed(problem),
        Halt::Failed(fault) => fault,
        Halt::Stopped => failed(Problem::Stopped),
    }
}
