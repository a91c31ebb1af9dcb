//! Planned workouts on the athlete's calendar at intervals.icu, which hands them on to watches.
//!
//! Only entries that carry our mark are ever touched: an [`OurEvent`] cannot be made except by listing them.

use super::{Intervals, paths};
use crate::live::fault::{Fault, Halt, Problem};
use crate::live::{Span, json};
use fitness_core::calendar::Day;
use fitness_core::sport::Sport;
use fitness_core::units::{Distance, TimeSpan};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What the external id of everything we put there begins with.
const MARK: &str = "local-fitness-";

/// A workout to be put on the calendar.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedEvent {
    /// Ours; the same id again replaces what is there.
    pub id: String,
    /// When.
    pub day: Day,
    /// What.
    pub sport: Sport,
    /// A title.
    pub name: String,
    /// The workout in the words of intervals.icu, from which it makes the steps.
    pub description: String,
    /// How long, in motion.
    pub moving: Option<TimeSpan>,
    /// How far.
    pub distance: Option<Distance>,
}

impl PlannedEvent {
    fn body(&self) -> Value {
        let sport = match self.sport {
            Sport::Running => Some("Run"),
            Sport::Cycling => Some("Ride"),
            Sport::Swimming => Some("Swim"),
            Sport::Rowing => Some("Rowing"),
            Sport::Strength => Some("WeightTraining"),
            Sport::Other => Some("Workout"),
            Sport::Rest => None,
        };
        let mut body = json!({
            "external_id": format!("{MARK}{}", self.id),
            "category": if sport.is_some() { "WORKOUT" } else { "NOTE" },
            "start_date_local": format!("{}T00:00:00", self.day),
            "name": self.name,
            "description": self.description,
        });
        let optional = [
            ("type", sport.map(Value::from)),
            ("moving_time", self.moving.map(|time| time.whole_seconds().into())),
            ("distance", self.distance.map(|distance| distance.meters().into())),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                body[name] = value;
            }
        }
        body
    }
}

/// An entry of the calendar that this program put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OurEvent {
    event: i64,
    id: String,
    day: Day,
}

impl OurEvent {
    fn read(entry: &Value) -> Option<Self> {
        let id = json::text(entry, "external_id")?.strip_prefix(MARK)?.to_owned();
        Some(Self { event: entry.get("id")?.as_i64()?, id, day: json::day(entry, "start_date_local")? })
    }

    /// Our id of it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The day it is on now.
    #[must_use]
    pub const fn day(&self) -> Day {
        self.day
    }
}

impl Intervals {
    /// Puts workouts on the calendar, replacing those with the same ids, and gives back what is there of them.
    ///
    /// # Errors
    /// When the key is refused or the service does not answer.
    pub async fn push(&mut self, events: &[PlannedEvent]) -> Result<Vec<OurEvent>, Fault> {
        let (Some(from), Some(through)) =
            (events.iter().map(|event| event.day).min(), events.iter().map(|event| event.day).max())
        else {
            return Ok(Vec::new());
        };
        let before = self.list_ours(Span { from, through }).await?;
        let body = events.iter().map(PlannedEvent::body).collect();
        let answer = self.json(Method::POST, paths::PUT_EVENTS, Some(body)).await.map_err(failed)?;
        let Some(Value::Array(put)) = answer else { return Err(failed(Problem::OtherShape.into())) };
        let put: Vec<OurEvent> = put.iter().filter_map(OurEvent::read).collect();
        // The service promises to replace what the same OAuth application made. With a plain key it may add instead;
        // then the ones that were there before go.
        let kept: BTreeSet<i64> = put.iter().map(|event| event.event).collect();
        let pushed: BTreeSet<&str> = put.iter().map(OurEvent::id).collect();
        let doubled: Vec<OurEvent> = before
            .into_iter()
            .filter(|old| pushed.contains(old.id()) && !kept.contains(&old.event))
            .collect();
        self.delete_ours(&doubled).await?;
        Ok(put)
    }

    /// What this program put on the calendar in some days.
    ///
    /// # Errors
    /// When the key is refused or the service does not answer.
    pub async fn list_ours(&mut self, span: Span) -> Result<Vec<OurEvent>, Fault> {
        let entries = self.list(paths::EVENTS, span).await.map_err(failed)?;
        Ok(entries.iter().filter_map(OurEvent::read).collect())
    }

    /// Takes entries off the calendar.
    ///
    /// # Errors
    /// When the key is refused or the service does not answer.
    pub async fn delete_ours(&mut self, events: &[OurEvent]) -> Result<(), Fault> {
        if events.is_empty() {
            return Ok(());
        }
        // By id: deleting by external id is for OAuth applications only.
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
