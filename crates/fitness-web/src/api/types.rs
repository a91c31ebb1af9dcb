//! What is answered. These types are the contract: a field that is here stays.

use fitness_core::adherence::grade::Amount;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::facts::{FactValue, Facts};
use fitness_core::plan::PlannedWorkout;
use fitness_store::{FitnessPoint, NightMetrics, PlanAdherence, StoredActivity, StoredBrief};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

fn metres(distance: Option<Distance>) -> Option<f64> {
    distance.map(|distance| distance.mm() as f64 / 1000.0)
}

fn seconds(time: Option<TimeSpan>) -> Option<f64> {
    time.map(|time| time.ms() as f64 / 1000.0)
}

/// A wire word as it is written.
fn wire_name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// A number in the units of this API, or a word.
fn fact_value_json(value: &FactValue) -> Value {
    match value {
        FactValue::Number(number) => (*number).into(),
        FactValue::Distance(distance) => metres(Some(*distance)).into(),
        FactValue::Time(time) => seconds(Some(*time)).into(),
        FactValue::Pace(pace) => pace.seconds_per_km().into(),
        FactValue::Day(day) => wire_name(day).into(),
        FactValue::Word(told) => innermost(serde_json::to_value(told).unwrap_or_default()),
        FactValue::Text(text) => innermost(serde_json::to_value(text).unwrap_or_default()),
    }
}

/// `productive` of `{"form": "productive"}`.
fn innermost(value: Value) -> Value {
    match value {
        Value::Object(inner) => inner.into_iter().next().map_or(Value::Null, |(_, value)| innermost(value)),
        other => other,
    }
}

fn format_instant(at: Instant) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// How the athlete is today.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Today {
    /// The athlete's local day.
    day: Day,
    /// The last day whose data is complete; nothing later is judged.
    data_through: Option<Day>,
    /// What is known, by name.
    facts: Vec<Fact>,
    /// What is not known, and why.
    missing: Vec<Missing>,
}

/// A number, or a word for one, with where it comes from.
#[derive(Debug, Serialize, JsonSchema)]
struct Fact {
    /// Its name, such as `form`.
    id: String,
    /// The number, or the word for one: metres, seconds, seconds a kilometre, a day, or what `unit` says.
    #[schemars(extend("type" = ["number", "string"]))]
    value: Value,
    /// What the number counts.
    unit: String,
    /// As the athlete reads it.
    shown: String,
    /// The day it speaks of.
    as_of: Day,
    /// How far it can be leaned on.
    quality: String,
    /// How it was found, in a few words.
    method: String,
}

/// A fact that there would be.
#[derive(Debug, Serialize, JsonSchema)]
struct Missing {
    /// Its name.
    id: String,
    /// Why there is none, in words.
    why: String,
}

impl Today {
    pub(super) fn new(day: Day, data_through: Option<Day>, facts: &Facts, units: UnitSystem) -> Self {
        let known = facts.known().iter().map(|fact| Fact {
            id: fact.id.to_string(),
            value: fact_value_json(&fact.value),
            unit: wire_name(&fact.unit),
            shown: fact.format(units),
            as_of: fact.as_of,
            quality: wire_name(&fact.quality),
            method: fact.method.clone(),
        });
        let missing =
            facts.missing().iter().map(|one| Missing { id: one.id.to_string(), why: one.why.to_string() });
        Self { day, data_through, facts: known.collect(), missing: missing.collect() }
    }
}

/// The active plan and how it is followed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanAnswer {
    /// The last day whose data is complete; nothing later is judged.
    data_through: Option<Day>,
    /// The plan; `null` when none is active.
    plan: Option<Plan>,
}

/// A plan.
#[derive(Debug, Serialize, JsonSchema)]
struct Plan {
    /// Its number.
    id: i64,
    /// What the athlete calls it. Foreign text.
    name: String,
    /// Its first day.
    start_date: Day,
    /// The day of the race.
    race_date: Day,
    /// The time aimed for.
    target_time_s: Option<f64>,
    /// How often it changed.
    revision: i64,
    /// Workouts that were hit.
    hit: usize,
    /// Workouts that fell short.
    short: usize,
    /// Workouts that were missed. Those of days marked ill, injured or away count nowhere.
    missed: usize,
    /// How much of what was asked was done, in percent; `null` before anything is judged.
    adherence_percent: Option<u8>,
    /// Every workout of the current revision, in order.
    workouts: Vec<Workout>,
}

/// A planned workout.
#[derive(Debug, Serialize, JsonSchema)]
struct Workout {
    /// Its number.
    id: i64,
    /// The day it is planned for.
    date: Day,
    /// The sport.
    sport: String,
    /// What kind of session it is.
    kind: String,
    /// What it is called. Foreign text.
    name: String,
    /// How far.
    distance_m: Option<f64>,
    /// How long.
    duration_s: Option<f64>,
    /// `hit`, `short`, `missed`, `pending`, `rest` or `not_started`.
    verdict: Option<String>,
    /// Why the day is left out of every count: `ill`, `injured` or `away`.
    excused: Option<String>,
    /// How far was gone, where it is judged by distance.
    done_distance_m: Option<f64>,
    /// How long was trained, where it is judged by time.
    done_duration_s: Option<f64>,
}

impl PlanAnswer {
    pub(super) const fn none(data_through: Option<Day>) -> Self {
        Self { data_through, plan: None }
    }

    pub(super) fn from_progress(progress: &PlanAdherence) -> Self {
        let PlanAdherence { plan, workouts, frontier, adherence: followed, .. } = progress;
        let graded: BTreeMap<_, _> = followed.graded.iter().map(|graded| (graded.workout, graded)).collect();
        let done = |planned: &PlannedWorkout| graded.get(&planned.id).and_then(|graded| graded.actual);
        let far = |amount| if let Amount::Distance(far) = amount { Some(far) } else { None };
        let long = |amount| if let Amount::Duration(long) = amount { Some(long) } else { None };
        let workouts = workouts.iter().map(|planned| Workout {
            id: planned.id.get(),
            date: planned.workout.date,
            sport: planned.workout.sport.to_string(),
            kind: planned.workout.kind.to_string(),
            name: planned.workout.name.clone(),
            distance_m: metres(planned.workout.distance),
            duration_s: seconds(planned.workout.duration),
            verdict: graded.get(&planned.id).map(|graded| graded.verdict.to_string()),
            excused: graded.get(&planned.id).and_then(|graded| graded.excused).map(|why| why.to_string()),
            done_distance_m: metres(done(planned).and_then(far)),
            done_duration_s: seconds(done(planned).and_then(long)),
        });
        let tally = followed.tally;
        let plan = Plan {
            id: plan.id.get(),
            name: plan.name.clone(),
            start_date: plan.start_date,
            race_date: plan.race_date,
            target_time_s: seconds(plan.target_time),
            revision: plan.revision,
            hit: tally.hit,
            short: tally.short,
            missed: tally.missed,
            adherence_percent: followed.adherence.current.percent,
            workouts: workouts.collect(),
        };
        Self { data_through: frontier.complete_through(), plan: Some(plan) }
    }
}

/// A page of activities, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Activities {
    /// The activities.
    pub(super) activities: Vec<ActivityAnswer>,
    /// What to ask for with `before` to go on; `null` at the end.
    pub(super) next: Option<String>,
}

/// An activity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActivityAnswer {
    /// Its number.
    id: i64,
    /// The local day it began.
    day: Day,
    /// When it began.
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    /// The sport.
    sport: String,
    /// What it is called. Foreign text.
    name: Option<String>,
    /// How far.
    distance_m: Option<f64>,
    /// How long, from start to end.
    elapsed_s: Option<f64>,
    /// How long in motion.
    moving_s: Option<f64>,
    /// How far up.
    ascent_m: Option<f64>,
    /// Mean heart rate, beats per minute.
    heart_rate: Option<u16>,
    /// Highest heart rate, beats per minute.
    max_heart_rate: Option<u16>,
    /// Mean power, watts.
    power: Option<u16>,
    /// Training load.
    load: Option<f64>,
    /// Its laps; only of one activity by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    laps: Option<Vec<LapAnswer>>,
}

/// A lap.
#[derive(Debug, Serialize, JsonSchema)]
struct LapAnswer {
    /// How far.
    distance_m: Option<f64>,
    /// How long.
    elapsed_s: Option<f64>,
    /// Mean heart rate, beats per minute.
    heart_rate: Option<u16>,
}

impl ActivityAnswer {
    /// In a list.
    pub(super) fn summary(stored: &StoredActivity) -> Self {
        let Activity { sport, name, started_at, .. } = &stored.activity;
        let a = &stored.activity;
        Self {
            id: stored.id.get(),
            day: stored.day,
            started_at: format_instant(*started_at),
            sport: sport.to_string(),
            name: name.clone(),
            distance_m: metres(a.distance),
            elapsed_s: seconds(a.elapsed),
            moving_s: seconds(a.moving),
            ascent_m: metres(a.ascent),
            heart_rate: a.avg_heart_rate,
            max_heart_rate: a.max_heart_rate,
            power: a.avg_power,
            load: stored.load,
            laps: None,
        }
    }

    /// By itself.
    pub(super) fn with_laps(stored: &StoredActivity) -> Self {
        let lap = |lap: &Lap| LapAnswer {
            distance_m: metres(lap.distance),
            elapsed_s: seconds(lap.elapsed),
            heart_rate: lap.avg_heart_rate,
        };
        Self { laps: Some(stored.activity.laps.iter().map(lap).collect()), ..Self::summary(stored) }
    }
}

/// Days in a row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trends {
    /// The first day asked for.
    from: Day,
    /// The last day asked for.
    through: Day,
    /// The days there is anything about, in order.
    days: Vec<DayAnswer>,
}

/// A day.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct DayAnswer {
    /// Which.
    day: Option<Day>,
    /// Training load.
    load: Option<f64>,
    /// Fitness in the evening.
    fitness: Option<f64>,
    /// Fatigue in the evening.
    fatigue: Option<f64>,
    /// Form in the morning.
    form: Option<f64>,
    /// Recovery in the morning, 0 to 100.
    recovery: Option<u8>,
    /// rMSSD of the night, milliseconds.
    hrv_ms: Option<f64>,
    /// Resting heart rate, beats per minute.
    resting_heart_rate: Option<u16>,
    /// Time asleep.
    sleep_s: Option<f64>,
}

impl Trends {
    pub(super) fn new(from: Day, through: Day, lines: &[FitnessPoint], nights: &[NightMetrics]) -> Self {
        let mut days: BTreeMap<Day, DayAnswer> = BTreeMap::new();
        for line in lines {
            let day = days.entry(line.day).or_default();
            (day.load, day.fitness, day.fatigue) = (line.load, line.fitness, line.fatigue);
            (day.form, day.recovery) = (Some(line.form), line.recovery);
        }
        for night in nights {
            let day = days.entry(night.day).or_default();
            (day.hrv_ms, day.resting_heart_rate) = (night.hrv_ms, night.resting);
            day.sleep_s = seconds(night.asleep);
        }
        let days = days.into_iter().map(|(on, day)| DayAnswer { day: Some(on), ..day }).collect();
        Self { from, through, days }
    }
}

/// The latest morning brief.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BriefAnswer {
    /// The brief; `null` while there is none.
    brief: Option<Brief>,
}

/// A morning brief. Every number in it is a stored one.
#[derive(Debug, Serialize, JsonSchema)]
struct Brief {
    /// The day it is for.
    day: Day,
    /// When it was written.
    #[schemars(extend("format" = "date-time"))]
    written_at: String,
    /// Who wrote it.
    model: String,
    /// What it says.
    text: String,
}

impl BriefAnswer {
    pub(super) fn from_stored(brief: Option<StoredBrief>) -> Self {
        let brief = brief.and_then(|brief| {
            let text = brief.body.get("rendered")?.as_str()?.to_owned();
            Some(Brief {
                day: brief.day,
                written_at: format_instant(brief.written_at),
                model: brief.model,
                text,
            })
        });
        Self { brief }
    }
}
