//! JSON Schemas of string enums, ids and days, shared by all tools and response formats.

use crate::adherence::grade::Verdict;
use crate::coach_api::requests::SeriesMetric;
use crate::coach_api::responses::{ProposalOrDraft, SuggestionStatus};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, NoteId, ObservationId, PlanId, ProposalId, WorkoutId};
use crate::domain::observation::{AbsenceReason, ObservationKind};
use crate::domain::sport::Sport;
use crate::llm_output::brief::{Metric, Tone};
use crate::llm_output::{DayName, WorkoutAction};
use crate::plan::{DurationType, GoalDistance, Level, PlanStatus, StepType, TargetType, WorkoutKind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

macro_rules! impl_enum_schema {
    ($($name:ident),+) => { $(
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": Self::ALL })
            }
        }
    )+ };
}
impl_enum_schema!(
    WorkoutAction,
    DayName,
    DurationType,
    AbsenceReason,
    GoalDistance,
    Level,
    Metric,
    ObservationKind,
    PlanStatus,
    ProposalOrDraft,
    SeriesMetric,
    Sport,
    StepType,
    SuggestionStatus,
    TargetType,
    Tone,
    Verdict,
    WorkoutKind
);

macro_rules! schema_of_ids {
    ($($name:ident),+) => { $(
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "integer" })
            }
        }
    )+ };
}
schema_of_ids!(ActivityId, NoteId, ObservationId, PlanId, ProposalId, WorkoutId);

impl JsonSchema for Day {
    fn schema_name() -> Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date", "pattern": "^((19|20|21)[0-9]{2}|2200)-[0-9]{2}-[0-9]{2}$" })
    }
}
