//! Writes planned workouts as FIT files for watches.
//!
//! Everything that FIT cannot express is reported as an [`UnsupportedFeature`]. A target that is
//! open at one end gets a second value so far off that watches never alert. Running cadence is
//! written in strides of two steps, as FIT requires.
//!
//! Start at [`to_fit`]. `target.rs` converts targets, `archive.rs` creates file names and ZIPs,
//! `plan_files.rs` builds the exports of the CLI and the web app.

mod archive;
mod plan_export;
mod target;
mod unsupported;

pub use archive::{FileNames, slugify, zip};
pub use plan_export::{DEFAULT_ZIP_DAYS, ExportFile, PlanExportError, PlanExportInput, PlanTextFormat};
pub use unsupported::{UnsupportedFeature, UnsupportedReason};

use crate::fit::write::FitWriter;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{Step, StepDuration, StepTarget, StepType, Workout, fold_repeats};
use rustyfit::profile::mesgdef::{FileId, Workout as WorkoutMessage, WorkoutStep};
use rustyfit::profile::typedef::{
    self, DateTime, Intensity, MessageIndex, SubSport, WktStepDuration, WktStepTarget,
};
use std::io;

/// A FIT field has at most 255 bytes, including the final NUL.
const MAX_TEXT_BYTES: usize = 254;

/// Serial number and creation time in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    pub serial: i64,
    /// The same identity and workout give the same bytes.
    pub created_at: Instant,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WorkoutFile {
    pub bytes: Vec<u8>,
    /// Number of step messages, including repeats.
    pub steps: usize,
    /// Parts of the workout that FIT cannot express.
    pub unsupported: Vec<UnsupportedFeature>,
}

#[derive(Debug, thiserror::Error)]
pub enum WorkoutFileError {
    #[error("a rest day has no workout file")]
    Rest,
    #[error("the workout has too many steps for a FIT file")]
    TooLong,
    /// Cannot happen for a valid workout.
    #[error("could not write the workout file: {0}")]
    Unwritable(#[from] io::Error),
}

/// Writes a workout as a FIT file, with repeated steps as repeats.
pub fn to_fit(workout: &Workout, stamp: FileIdentity) -> Result<WorkoutFile, WorkoutFileError> {
    if workout.is_rest() {
        return Err(WorkoutFileError::Rest);
    }
    let mut losses = Vec::new();
    let whole = [single_step(workout)];
    let steps = if workout.steps.is_empty() { whole.as_slice() } else { workout.steps.as_slice() };
    let messages = step_messages(steps, workout.sport, &mut losses)?;
    let count = u16::try_from(messages.len()).map_err(|_| WorkoutFileError::TooLong)?;
    let (sport, sub_sport) = sport(workout.sport);
    let name = truncate_text(&workout.name, "name", None, &mut losses);
    let description = workout.description.as_deref().unwrap_or_default();
    let description = truncate_text(description, "description", None, &mut losses);
    losses.sort_by_key(|loss| loss.step);
    let bytes = FitWriter::build(512 + 64 * messages.len(), |file| {
        file.write_message(FileId {
            r#type: typedef::File::WORKOUT,
            manufacturer: typedef::Manufacturer::DEVELOPMENT,
            product: 1,
            serial_number: serial(stamp.serial),
            time_created: DateTime::from_unix_timestamp(stamp.created_at.timestamp()),
            ..FileId::new()
        })?;
        file.write_message(WorkoutMessage {
            message_index: MessageIndex(0),
            sport,
            sub_sport,
            num_valid_steps: count,
            wkt_name: name.into(),
            wkt_description: description.into(),
            ..WorkoutMessage::new()
        })?;
        messages.into_iter().try_for_each(|message| file.write_message(message))
    })?;
    Ok(WorkoutFile { bytes, steps: usize::from(count), unsupported: losses })
}

/// FIT serial numbers have four bytes, and zero means none.
fn serial(id: i64) -> u32 {
    u32::try_from(id.unsigned_abs() & u64::from(u32::MAX)).unwrap_or(1).max(1)
}

/// A workout without steps as a single step.
fn single_step(workout: &Workout) -> Step {
    let distance = workout.distance.filter(|distance| *distance > Distance::ZERO);
    let duration = workout.duration.filter(|duration| *duration > TimeSpan::ZERO);
    let duration = match (distance, duration) {
        (Some(distance), _) => StepDuration::Distance(distance.meters()),
        (None, Some(duration)) => StepDuration::Time(duration.seconds()),
        (None, None) => StepDuration::Open,
    };
    Step {
        step_type: StepType::Active,
        duration,
        target: StepTarget::Open,
        max_heart_rate: None, notes: workout.intensity.clone().filter(|words| !words.trim().is_empty()),
    }
}

fn step_messages(
    steps: &[Step],
    sport: Sport,
    losses: &mut Vec<UnsupportedFeature>,
) -> Result<Vec<WorkoutStep>, WorkoutFileError> {
    let mut messages = Vec::with_capacity(steps.len());
    let mut number = 1;
    for block in fold_repeats(steps) {
        let first = index(messages.len())?;
        for (i, step) in block.steps.iter().enumerate() {
            let at = index(messages.len())?;
            messages.push(step_message(at, number + i, step, sport, losses));
        }
        if block.times > 1 {
            messages.push(WorkoutStep {
                message_index: MessageIndex(index(messages.len())?),
                duration_type: WktStepDuration::REPEAT_UNTIL_STEPS_CMPLT,
                duration_value: u32::from(first),
                target_value: u32::from(index(block.times)?),
                ..WorkoutStep::new()
            });
        }
        number += block.steps.len() * block.times;
    }
    Ok(messages)
}

fn index(number: usize) -> Result<u16, WorkoutFileError> {
    // The upper bits of a message index are flags.
    u16::try_from(number).ok().filter(|index| *index < 0x1000).ok_or(WorkoutFileError::TooLong)
}

fn step_message(
    at: u16,
    number: usize,
    step: &Step,
    sport: Sport,
    losses: &mut Vec<UnsupportedFeature>,
) -> WorkoutStep {
    let mut message = WorkoutStep { message_index: MessageIndex(at), ..WorkoutStep::new() };
    message.intensity = match step.step_type {
        StepType::Warmup => Intensity::WARMUP,
        StepType::Active => Intensity::ACTIVE,
        StepType::Recovery => Intensity::RECOVERY,
        StepType::Cooldown => Intensity::COOLDOWN,
        StepType::Rest => Intensity::REST,
    };
    let mut lose = |reason| losses.push(UnsupportedFeature { step: Some(number), reason });
    let (kind, value) = match step.duration {
        StepDuration::Time(seconds) => (WktStepDuration::TIME, Some(seconds * 1000.0)),
        StepDuration::Distance(meters) => (WktStepDuration::DISTANCE, Some(meters * 100.0)),
        StepDuration::Calories(kcal) => (WktStepDuration::CALORIES, Some(kcal)),
        StepDuration::Open => (WktStepDuration::OPEN, None),
    };
    message.duration_type = kind;
    if let Some(value) = value {
        // u32::MAX is the invalid value.
        let (written, within) = target::to_fit_number(value, 1.0, f64::from(u32::MAX - 1));
        message.duration_value = written;
        let off = (f64::from(written) - value).abs();
        if !within || off > value * 0.01 {
            lose(UnsupportedReason::Duration);
        }
    }
    let (kind, range) = target::fit_target(step.target, sport, &mut lose);
    message.target_type = kind;
    if kind == WktStepTarget::OPEN {
        message.target_value = 0;
    } else if let Some((low, high)) = range {
        // Zero means a custom range instead of a zone.
        message.target_value = 0;
        (message.custom_target_value_low, message.custom_target_value_high) = (low, high);
    }
    let notes = step.notes.as_deref().unwrap_or_default();
    message.notes = truncate_text(notes, "notes", Some(number), losses).into();
    message
}

fn sport(sport: Sport) -> (typedef::Sport, SubSport) {
    match sport {
        Sport::Running => (typedef::Sport::RUNNING, SubSport::GENERIC),
        Sport::Cycling => (typedef::Sport::CYCLING, SubSport::GENERIC),
        Sport::Swimming => (typedef::Sport::SWIMMING, SubSport::GENERIC),
        Sport::Rowing => (typedef::Sport::ROWING, SubSport::GENERIC),
        Sport::Strength => (typedef::Sport::TRAINING, SubSport::STRENGTH_TRAINING),
        Sport::Other | Sport::Rest => (typedef::Sport::GENERIC, SubSport::GENERIC),
    }
}

/// Truncates at a character boundary.
fn truncate_text<'a>(
    text: &'a str,
    field: &'static str,
    step: Option<usize>,
    losses: &mut Vec<UnsupportedFeature>,
) -> &'a str {
    // NUL would end the text; a valid workout has none.
    let text = text.split('\0').next().unwrap_or_default().trim();
    let kept = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    if kept.len() < text.len() {
        losses.push(UnsupportedFeature { step, reason: UnsupportedReason::TextTooLong { field } });
    }
    kept
}

#[cfg(test)]
mod tests;
