//! Schema and validation of the daily brief: `{ metrics, tone, body }`, in which every number is a
//! fact.
//!
//! [`Metric`] and [`Tone`] are the source of their words for the schema, the parser, the prompt
//! linter and the pages. Members may be added, never changed: stored briefs contain them.
//!
//! [`parse_brief`] reports all errors at once, so that one retry can fix them. The rules are
//! described in `docs/llm-output.md`.

mod prose_rules;

pub use prose_rules::quantities::quantities;

use super::errors::{ValidationError, ValidationErrorCode, ValidationErrors, quote};
use super::json;
use super::json_fields::{Fields, JsonNode, read_word};
use crate::domain::units::UnitSystem;
use crate::facts::{FactName, Facts, TemplateErrors};
use crate::string_enum::string_enum;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the format, stored with every brief.
pub const VERSION: &str = "1";
/// Minimum characters of the body, with placeholders.
pub const MIN_BODY_CHARS: usize = 60;
/// Maximum characters of the body, with placeholders.
pub const MAX_BODY_CHARS: usize = 1800;

string_enum! {
    /// Metrics that a brief can report.
    pub enum Metric("metric") {
        /// Recovery this morning, HRV and resting heart rate.
        Recovery = "recovery",
        /// Sleep of last night and the nights before.
        Sleep = "sleep",
        /// Training load, fitness, fatigue and form.
        TrainingLoad = "training_load",
    }
}

string_enum! {
    /// Tone of a brief.
    pub enum Tone("tone") {
        Encouraging = "encouraging",
        Neutral = "neutral",
        Direct = "direct",
    }
}

impl Metric {
    /// The metric a fact belongs to; `None` for thresholds, races and plans.
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

    /// If none of these facts is known, the metric counts as missing.
    const fn primary_facts(self) -> &'static [FactName] {
        match self {
            Self::Recovery => &[FactName::Recovery],
            Self::Sleep => &[FactName::SleepLastNight],
            Self::TrainingLoad => &[FactName::Form, FactName::Load7Days, FactName::LoadYesterday],
        }
    }

    /// Whether there is no data, so that a brief must mention it.
    #[must_use]
    pub fn is_missing(self, facts: &Facts) -> bool {
        self.primary_facts().iter().all(|name| facts.find(name.as_str()).is_none())
    }

    /// Name for use in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Sleep => "sleep",
            Self::TrainingLoad => "training load",
        }
    }
}

/// A daily brief: text with `{{fact_id}}` in place of every number, date and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Briefing {
    /// Metrics that the body reports, each with at least one of its facts. Leave out a metric
    /// without data, and say in the body that it is missing.
    #[schemars(schema_with = "metrics_schema")]
    pub metrics: Vec<Metric>,
    /// Tone of the text: `encouraging`, `neutral` or `direct`.
    pub tone: Tone,
    /// Plain English sentences, 60 to 1800 characters, with {{fact_id}} in place of every number,
    /// date and name, for example "Form is {{form}}."
    #[schemars(schema_with = "body_schema")]
    pub body: String,
}

impl Briefing {
    /// The text for the athlete. Fails if `facts` are not the ones it was validated with.
    pub fn render(&self, facts: &Facts, units: UnitSystem) -> Result<String, TemplateErrors> {
        facts.render(&self.body, units)
    }
}

/// The JSON Schema of a brief; written to `docs/schema/brief.json` and given to models.
#[must_use]
pub fn schema() -> Value {
    // Without `$ref`: the grammars of some local models do not support it.
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

const KEYS: &[&str] = &["metrics", "tone", "body"];

/// Parses a brief and validates it against the facts that the model got. Errors are written for the
/// model; the list is never empty.
pub fn parse_brief(answer: &[u8], facts: &Facts) -> Result<Briefing, Vec<ValidationError>> {
    let mut faults = ValidationErrors::default();
    let value = json::parse(answer, &mut faults);
    let briefing = value.and_then(|json| {
        let spot = JsonNode { json: &json, path: String::new(), errors: &mut faults };
        spot.fields("a brief", KEYS).and_then(|fields| read_brief(fields, facts))
    });
    match briefing {
        Some(briefing) if faults.is_empty() => Ok(briefing),
        _ => Err(faults.into_list()),
    }
}

/// Validates a brief that was not written by a model, such as one of the built-in coach.
pub fn check_brief(briefing: &Briefing, facts: &Facts) -> Result<(), Vec<ValidationError>> {
    let json = serde_json::to_vec(briefing).unwrap_or_default();
    parse_brief(&json, facts).map(|_| ())
}

fn read_brief(mut fields: Fields<'_, '_>, facts: &Facts) -> Option<Briefing> {
    if !fields.has("metrics") {
        fields.add_missing("metrics", "it lists the metrics in the body, and can be empty");
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
