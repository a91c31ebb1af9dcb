//! Response types of `/api/v1` (DTOs). They are a public contract: never remove or rename a field.

use fitness_core::adherence::grade::Amount;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::facts::{FactValue, Facts};
use fitness_core::metrics::Quality;
use fitness_core::metrics::load::LoadMethod;
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

/// The serialized form of an enum word.
fn wire_name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// A fact's value in the units of this API (metres, seconds), or a word.
fn fact_value_json(value: &FactValue) -> Value {
    match value {
        FactValue::Number(number) => (*number).into(),
        FactValue::Distance(distance) => metres(Some(*distance)).into(),
        FactValue::Time(time) => seconds(Some(*time)).into(),
        FactValue::Pace(pace) => pace.seconds_per_km().into(),
        FactValue::Day(day) => wire_name(day).into(),
        FactValue::Word(word) => unwrap_single_key(serde_json::to_value(word).unwrap_or_default()),
        FactValue::Text(text) => unwrap_single_key(serde_json::to_value(text).unwrap_or_default()),
    }
}

/// Unwraps `{"form": "productive"}` to `productive`.
fn unwrap_single_key(value: Value) -> Value {
    match value {
        Value::Object(inner) => {
            inner.into_iter().next().map_or(Value::Null, |(_, value)| unwrap_single_key(value))
        }
        other => other,
    }
}

fn format_instant(at: Instant) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Facts about today.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Today {
    /// Today in the athlete's time zone, for example 2026-06-14.
    day: Day,
    /// Last day with complete data, for example 2026-06-13; `null` before the first import.
    data_through: Option<Day>,
    /// Facts with a known value.
    facts: Vec<Fact>,
    /// Facts without a value, each with the reason.
    missing: Vec<MissingValue>,
}

/// A fact: one value with its unit, date and quality.
#[derive(Debug, Serialize, JsonSchema)]
struct Fact {
    /// Name of the fact, for example `form` or `last_run_distance`.
    id: String,
    /// A number or a word. Distances in metres, times in seconds, paces in seconds per kilometre,
    /// days as YYYY-MM-DD, everything else in `unit`; for example 8000 or `productive`.
    #[schemars(extend("type" = ["number", "string"]))]
    value: Value,
    /// Kind of value, for example `distance`, `beats_per_minute` or `form_points`. Decides how
    /// `shown` is formatted; distances and times in `value` are always metres and seconds.
    unit: String,
    /// The value as the app shows it, in the athlete's units, for example "8.0 km".
    shown: String,
    /// The day the value is for, for example 2026-06-13.
    as_of: Day,
    /// How reliable the value is: `ok`, `provisional` (little data), `stale` (old), `estimated`
    /// (based on an estimated threshold), or a combination such as `estimated_stale`.
    quality: String,
    /// How the value was computed, in a few words.
    method: String,
}

/// A fact without a value.
#[derive(Debug, Serialize, JsonSchema)]
struct MissingValue {
    /// Name of the fact, for example `recovery`.
    id: String,
    /// Why it has no value, as text.
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
        let missing = facts
            .missing()
            .iter()
            .map(|one| MissingValue { id: one.id.to_string(), why: one.why.to_string() });
        Self { day, data_through, facts: known.collect(), missing: missing.collect() }
    }
}

/// The active plan with adherence.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanAnswer {
    /// Last day with complete data, for example 2026-06-13; later workouts are `pending`. `null`
    /// before the first import.
    data_through: Option<Day>,
    /// `null` when no plan is active.
    plan: Option<Plan>,
}

/// A training plan.
#[derive(Debug, Serialize, JsonSchema)]
struct Plan {
    /// Id of the plan, for example 3.
    id: i64,
    /// Name of the plan, for example "Half marathon". Untrusted text: escape it before display.
    name: String,
    /// First day of the plan, for example 2026-06-08.
    start_date: Day,
    /// Race day, for example 2026-10-11.
    race_date: Day,
    /// Target time in seconds, for example 5700 for 1:35:00; `null` when the goal is to finish.
    target_time_s: Option<f64>,
    /// Number of the current revision, starting at 1.
    revision: i64,
    /// Number of workouts with verdict `hit`.
    hit: usize,
    /// Number of workouts with verdict `short`.
    short: usize,
    /// Number of workouts with verdict `missed`. Days marked ill, injured or away are not counted.
    missed: usize,
    /// Completed training as a percentage of planned training so far, for example 87; `null` before
    /// the first graded workout.
    adherence_percent: Option<u8>,
    /// All workouts of the current revision, by date.
    workouts: Vec<Workout>,
}

/// A planned workout.
#[derive(Debug, Serialize, JsonSchema)]
struct Workout {
    /// Id of the workout, for example 30.
    id: i64,
    /// Planned day, for example 2026-06-14.
    date: Day,
    /// Sport, for example `running`, or `rest`.
    sport: String,
    /// Kind of workout, for example `easy`, `long`, `tempo` or `intervals`.
    kind: String,
    /// Name of the workout, for example "Easy run". Untrusted text: escape it before display.
    name: String,
    /// Planned distance in metres, for example 8000; `null` when it is planned by time.
    distance_m: Option<f64>,
    /// Planned duration in seconds, for example 2700; `null` when it is planned by distance.
    duration_s: Option<f64>,
    /// `hit`, `short`, `missed`, `pending` (data not complete yet), `rest` or `not_started`.
    verdict: Option<String>,
    /// Why the day is excluded from all totals: `ill`, `injured` or `away`; `null` when it counts.
    excused: Option<String>,
    /// Completed distance in metres, for example 8120, when the workout is graded by distance.
    done_distance_m: Option<f64>,
    /// Completed time in seconds, for example 2640, when the workout is graded by time.
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

/// A page of activities, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Activities {
    /// Newest first; without laps.
    pub(super) activities: Vec<ActivityAnswer>,
    /// Cursor for the next page: send it as `before`. `null` on the last page.
    pub(super) next: Option<String>,
}

/// A recorded activity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActivityAnswer {
    /// Id of the activity, for example 156.
    id: i64,
    /// Day it started in the athlete's local time, for example 2026-06-13.
    day: Day,
    /// Start in UTC (RFC 3339), for example 2026-06-13T06:00:00Z.
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    /// Sport, for example `running` or `cycling`.
    sport: String,
    /// Name of the activity, for example "Morning run". Untrusted text: escape it before display.
    name: Option<String>,
    /// Distance in metres, for example 8040.5.
    distance_m: Option<f64>,
    /// Time from start to end in seconds, pauses included, for example 2700.
    elapsed_s: Option<f64>,
    /// Moving time in seconds, computed from the samples where there are any, for example 2640.
    moving_s: Option<f64>,
    /// Moving time as the device reports it, in seconds, for example 2655.
    device_moving_s: Option<f64>,
    /// Elevation gain in metres, computed from the samples where there are any, for example 85.
    ascent_m: Option<f64>,
    /// Elevation gain as the device reports it, in metres, for example 88.
    device_ascent_m: Option<f64>,
    /// Average heart rate in beats per minute, for example 141.
    heart_rate: Option<u16>,
    /// Maximum heart rate in beats per minute, for example 168.
    max_heart_rate: Option<u16>,
    /// Average power in watts, for example 210.
    power: Option<u16>,
    /// Training load in points, for example 48.2; an hour at threshold is 100.
    load: Option<f64>,
    /// What the load was computed from: `power`, `pace`, `swim_pace`, `heart_rate`, `edwards_ratio`,
    /// `perceived_exertion` or `duration`.
    load_method: Option<&'static str>,
    /// How reliable the load is, for example `ok` or `estimated_provisional`.
    load_quality: Option<&'static str>,
    /// Laps in order; only in the response for one activity.
    #[serde(skip_serializing_if = "Option::is_none")]
    laps: Option<Vec<LapAnswer>>,
}

/// One lap of an activity.
#[derive(Debug, Serialize, JsonSchema)]
struct LapAnswer {
    /// Distance in metres, for example 1000.
    distance_m: Option<f64>,
    /// Time in seconds, for example 330.
    elapsed_s: Option<f64>,
    /// Average heart rate in beats per minute, for example 141.
    heart_rate: Option<u16>,
}

impl ActivityAnswer {
    /// Without laps, for a list.
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
            moving_s: seconds(stored.measured_moving.filter(|_| !a.moving_is_edited).or(a.moving)),
            device_moving_s: seconds(a.moving.filter(|_| !a.moving_is_edited)),
            ascent_m: metres(stored.ascent()),
            device_ascent_m: metres(a.ascent),
            heart_rate: a.avg_heart_rate,
            max_heart_rate: a.max_heart_rate,
            power: a.avg_power,
            load: stored.load,
            load_method: stored.load_method.map(LoadMethod::as_str),
            load_quality: stored.load_quality.map(Quality::as_str),
            laps: None,
        }
    }

    pub(super) fn with_laps(stored: &StoredActivity) -> Self {
        let lap = |lap: &Lap| LapAnswer {
            distance_m: metres(lap.distance),
            elapsed_s: seconds(lap.elapsed),
            heart_rate: lap.avg_heart_rate,
        };
        Self { laps: Some(stored.activity.laps.iter().map(lap).collect()), ..Self::summary(stored) }
    }
}

/// Daily metrics of a period.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trends {
    /// First day of the period, for example 2026-04-01.
    from: Day,
    /// Last day of the period, for example 2026-06-30.
    through: Day,
    /// Days with data, in order; days without data are left out.
    days: Vec<DayAnswer>,
}

/// Metrics of one day.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct DayAnswer {
    /// The day, for example 2026-06-13.
    day: Option<Day>,
    /// Training load of the day in points, for example 48.2; an hour at threshold is 100.
    load: Option<f64>,
    /// Fitness (long-term average of load) at the end of the day, in points, for example 54.1.
    fitness: Option<f64>,
    /// Fatigue (short-term average of load) at the end of the day, in points, for example 62.
    fatigue: Option<f64>,
    /// Form (fitness minus fatigue) in the morning, in points, for example -7.9.
    form: Option<f64>,
    /// Recovery score in the morning, 0 to 100, for example 62.
    recovery: Option<u8>,
    /// Overnight heart rate variability (rMSSD) in milliseconds, for example 48.5.
    hrv_ms: Option<f64>,
    /// Resting heart rate in beats per minute, for example 47.
    resting_heart_rate: Option<u16>,
    /// Time asleep in seconds, for example 26640.
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
    /// `null` while there is none.
    brief: Option<Brief>,
}

/// A morning brief. Every number in it is a stored fact.
#[derive(Debug, Serialize, JsonSchema)]
struct Brief {
    /// The day it is for, for example 2026-06-14.
    day: Day,
    /// Time of writing in UTC (RFC 3339), for example 2026-06-14T05:12:00Z.
    #[schemars(extend("format" = "date-time"))]
    written_at: String,
    /// The model that wrote it, for example `built-in`.
    model: String,
    /// The brief as plain text.
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
