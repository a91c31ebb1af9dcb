//! The daily brief: `{ metrics, tone, body }`, in which every number is a fact.
//!
//! [`Metric`] and [`Tone`] are the single source of the words a brief may use for them: the schema, the reader, the
//! prompt's scorer and the pages all ask here. They are extended by adding members, never by changing one.
//!
//! [`check`] reads what a model wrote and tells all that is wrong with it at once, so that one more try is enough.
//! `docs/contract.md` says it in words.

mod prose_rules;

pub use prose_rules::quantities::quantities;

use super::errors::{ValidationError, ValidationErrorCode, ValidationErrors, quote};
use super::json;
use super::json_fields::{Fields, JsonNode, read_word};
use crate::domain::units::UnitSystem;
use crate::facts::{FactName, Facts, TemplateError};
use crate::string_enum::string_enum;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of this contract, kept with every brief.
pub const VERSION: &str = "1";
/// The fewest characters a brief has, before its facts are filled in.
pub const MIN_BODY_CHARS: usize = 60;
/// The most characters a brief has, before its facts are filled in.
pub const MAX_BODY_CHARS: usize = 1800;

string_enum! {
    /// The only metrics a brief reports.
    pub enum Metric("metric") {
        /// How recovered the athlete is this morning, and why.
        Recovery = "recovery",
        /// Last night, and the nights before.
        Sleep = "sleep",
        /// What training amounted to, and what it led to.
        TrainingLoad = "training_load",
    }
}

string_enum! {
    /// The only voices a brief speaks in.
    pub enum Tone("tone") {
        /// Warm, with the good in sight.
        Encouraging = "encouraging",
        /// Matter of fact.
        Neutral = "neutral",
        /// Short and plain.
        Direct = "direct",
    }
}

impl Metric {
    /// The metric a fact belongs to; none for limits, races and plans.
    #[must_use]
    pub const fn from_fact(name: FactName) -> Option<Self> {
        use FactName as N;
        match name {
            N::Recovery
            | N::RecoveryBand
            | N::RecoveryFromHrv
            | N::RecoveryFromRestingHeartRate
            | N::RecoveryFromSleep
            | N::RecoveryFromFeel
            | N::RecoveryFromForm
            | N::HrvLastNight
            | N::HrvWeek
            | N::HrvNormalLow
            | N::HrvNormalHigh
            | N::HrvState
            | N::RestingHeartRate
            | N::RestingHeartRateUsual
            | N::RestingHeartRateFromUsual
            | N::RespirationLastNight
            | N::StressYesterday
            | N::BodyBatteryHigh
            | N::SignsOfIllness => Some(Self::Recovery),
            N::SleepLastNight | N::SleepUsual | N::SleepFromUsual | N::SleepNeed | N::SleepDebt14Days => {
                Some(Self::Sleep)
            }
            N::Fitness
            | N::FitnessSettled
            | N::Fatigue
            | N::Form
            | N::FormBand
            | N::Ramp
            | N::RampBand
            | N::Monotony
            | N::LoadYesterday
            | N::Load7Days
            | N::Load7DaysBefore
            | N::Load7To28Days
            | N::Distance7Days
            | N::Distance7DaysBefore
            | N::Runs7Days
            | N::TrainingTime7Days
            | N::LongestRun30Days
            | N::LastRunDay
            | N::LastRunDistance
            | N::LastRunTime
            | N::LastRunPace
            | N::LastRunHeartRate
            | N::LastRunLoad
            | N::LastRunJump
            | N::LastRunJumpBand => Some(Self::TrainingLoad),
            _ => None,
        }
    }

    /// The facts without any of which a brief has no data on it.
    const fn primary_facts(self) -> &'static [FactName] {
        match self {
            Self::Recovery => &[FactName::Recovery],
            Self::Sleep => &[FactName::SleepLastNight],
            Self::TrainingLoad => &[FactName::Form, FactName::Load7Days, FactName::LoadYesterday],
        }
    }

    /// Whether there is no data on it, so that a brief has to say so.
    #[must_use]
    pub fn is_missing(self, facts: &Facts) -> bool {
        self.primary_facts().iter().all(|name| facts.find(name.as_str()).is_none())
    }

    /// As it reads in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Sleep => "sleep",
            Self::TrainingLoad => "training load",
        }
    }
}

/// A brief as it is written: prose with `{{fact_id}}` in the place of every number and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Briefing {
    /// The metrics the body reports, each with at least one of its facts. One without data is left out, and said to be missing.
    #[schemars(schema_with = "metrics_schema")]
    pub metrics: Vec<Metric>,
    /// The voice it speaks in.
    pub tone: Tone,
    /// Plain English sentences with {{fact_id}} in place of every number, date and name.
    #[schemars(schema_with = "body_schema")]
    pub body: String,
}

impl Briefing {
    /// What the athlete reads.
    ///
    /// # Errors
    /// When it is held against other facts than those it was checked against.
    pub fn render(&self, facts: &Facts, units: UnitSystem) -> Result<String, TemplateError> {
        facts.render(&self.body, units)
    }
}

/// The JSON Schema of a brief; written to `docs/schema/brief.json` and given to models.
#[must_use]
pub fn schema() -> Value {
    // Whole, without references: some models are held to it by a grammar that knows none.
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Briefing>().to_value()
}

fn metrics_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let metric = generator.subschema_for::<Metric>();
    schemars::json_schema!({ "type": "array", "items": metric, "maxItems": Metric::ALL.len() })
}

fn body_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "minLength": MIN_BODY_CHARS, "maxLength": MAX_BODY_CHARS })
}

/// The fields of a brief.
const KEYS: &[&str] = &["metrics", "tone", "body"];

/// Reads what a model wrote and holds it against the facts it was given.
///
/// # Errors
/// Everything that is wrong with it, in words for the model; never empty.
pub fn parse_brief(answer: &[u8], facts: &Facts) -> Result<Briefing, Vec<ValidationError>> {
    let mut faults = ValidationErrors::default();
    let value = json::parse(answer, "body", &mut faults);
    let briefing = value.and_then(|json| {
        let spot = JsonNode { json: &json, path: String::new(), errors: &mut faults };
        spot.fields("a brief", KEYS).and_then(|fields| read_brief(fields, facts))
    });
    match briefing {
        Some(briefing) if faults.is_empty() => Ok(briefing),
        Some(_) => Err(faults.into_list()),
        None => {
            if faults.is_empty() {
                faults.add(
                    "",
                    ValidationErrorCode::NoJson,
                    "The answer is not a brief. Write one JSON object.",
                );
            }
            Err(faults.into_list())
        }
    }
}

/// Holds a brief that was put together by hand, as the built-in coach does, against its facts.
///
/// # Errors
/// Everything that is wrong with it; never empty.
pub fn check_brief(briefing: &Briefing, facts: &Facts) -> Result<(), Vec<ValidationError>> {
    let json = serde_json::to_vec(briefing).unwrap_or_default();
    parse_brief(&json, facts).map(|_| ())
}

fn read_brief(mut fields: Fields<'_, '_>, facts: &Facts) -> Option<Briefing> {
    if !fields.has("metrics") {
        fields.add_missing("metrics", "it lists the metrics the body reports, and may be empty");
    }
    let metrics: Option<Vec<Metric>> = fields.list("metrics", Metric::ALL.len(), read_word);
    let tone = fields.required("tone", read_word);
    let body = fields.required("body", |spot| spot.text(MAX_BODY_CHARS, true));
    if let Some(listed) = &metrics {
        for metric in
            Metric::ALL.iter().filter(|metric| listed.iter().filter(|one| one == metric).count() > 1)
        {
            let message = format!("`metrics` lists {} twice.", quote(metric.as_str()));
            fields.add_error_at("metrics", ValidationErrorCode::Duplicate, &message);
        }
    }
    if let Some(body) = &body {
        let listed = metrics.as_deref().unwrap_or_default();
        for (field, code, message) in prose_rules::broken(body, listed, facts) {
            fields.add_error_at(field, code, &message);
        }
    }
    Some(Briefing { metrics: metrics?, tone: tone?, body: body? })
}
