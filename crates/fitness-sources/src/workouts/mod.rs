//! Planned workouts as files for watches: the one thing this crate writes instead of reads.
//!
//! It lives here because FIT lives here: the names and numbers are rustyfit's, as in [`crate::fit`], and nobody else
//! links that. What FIT has no words for is not dropped in silence: [`to_fit`] gives back every [`Loss`].
//!
//! A target open at one end gets an end so far off that no watch beeps for it. A running cadence is written in strides,
//! two steps each, as FIT records it.
//!
//! Start reading at [`to_fit`]; `target.rs` turns targets into FIT's numbers, `archive.rs` makes file names and ZIPs,
//! and `plan_files.rs` puts together what the terminal and the web hand out.

mod archive;
mod plan_files;
mod target;
mod unsupported;

pub use archive::{FileNames, plain, zip};
pub use plan_files::{Made, NoPlanFile, PlanFiles, PlanText, ZIP_DAYS};
pub use unsupported::{Loss, Lost};

use crate::fit::write::File;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{Step, StepDuration, StepTarget, StepType, Workout, repeats};
use rustyfit::profile::mesgdef::{FileId, Workout as WorkoutMessage, WorkoutStep};
use rustyfit::profile::typedef::{
    self, DateTime, Intensity, MessageIndex, SubSport, WktStepDuration, WktStepTarget,
};
use std::io;

/// A field of FIT has at most 255 bytes, and a text ends with a zero.
const MAX_TEXT: usize = 254;

/// What tells a file from every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// A number of the workout's own.
    pub serial: i64,
    /// When it was written; the same stamp and workout give the same bytes.
    pub created: Instant,
}

/// A workout file.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkoutFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many steps it holds, with those that say "and again".
    pub steps: usize,
    /// What it could not say.
    pub losses: Vec<Loss>,
}

/// Why a workout has no file.
#[derive(Debug, thiserror::Error)]
pub enum NoFile {
    /// Nothing is to be done.
    #[error("a rest day has no steps to put on a watch")]
    Rest,
    /// More steps than a file can number.
    #[error("the workout has more steps than a file can hold")]
    TooLong,
    /// Cannot happen with a workout that passed its check.
    #[error("the workout cannot be written: {0}")]
    Unwritable(#[from] io::Error),
}

/// Writes a workout as the FIT file that watches take, with what repeats written as repeats.
///
/// # Errors
/// When there is nothing to do in it.
pub fn to_fit(workout: &Workout, stamp: Stamp) -> Result<WorkoutFile, NoFile> {
    if workout.is_rest() {
        return Err(NoFile::Rest);
    }
    let mut losses = Vec::new();
    let whole = [whole(workout)];
    let steps = if workout.steps.is_empty() { whole.as_slice() } else { workout.steps.as_slice() };
    let messages = messages(steps, workout.sport, &mut losses)?;
    let count = u16::try_from(messages.len()).map_err(|_| NoFile::TooLong)?;
    let (sport, sub_sport) = sport(workout.sport);
    let name = fitting(&workout.name, "name", None, &mut losses);
    let description = workout.description.as_deref().unwrap_or_default();
    let description = fitting(description, "description", None, &mut losses);
    losses.sort_by_key(|loss| loss.step);
    let bytes = File::of(512 + 64 * messages.len(), |file| {
        file.put(FileId {
            r#type: typedef::File::WORKOUT,
            manufacturer: typedef::Manufacturer::DEVELOPMENT,
            product: 1,
            serial_number: serial(stamp.serial),
            time_created: DateTime::from_unix_timestamp(stamp.created.timestamp()),
            ..FileId::new()
        })?;
        file.put(WorkoutMessage {
            message_index: MessageIndex(0),
            sport,
            sub_sport,
            num_valid_steps: count,
            wkt_name: name.into(),
            wkt_description: description.into(),
            ..WorkoutMessage::new()
        })?;
        messages.into_iter().try_for_each(|message| file.put(message))
    })?;
    Ok(WorkoutFile { bytes, steps: usize::from(count), losses })
}

/// Zero means "no number" to FIT; ids of the database fit into four bytes for a long time to come.
fn serial(id: i64) -> u32 {
    u32::try_from(id.unsigned_abs() & u64::from(u32::MAX)).unwrap_or(1).max(1)
}

/// A workout without steps as the one step it is.
fn whole(workout: &Workout) -> Step {
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
        notes: workout.intensity.clone().filter(|words| !words.trim().is_empty()),
    }
}

fn messages(steps: &[Step], sport: Sport, losses: &mut Vec<Loss>) -> Result<Vec<WorkoutStep>, NoFile> {
    let mut messages = Vec::with_capacity(steps.len());
    let mut number = 1;
    for block in repeats(steps) {
        let first = index(messages.len())?;
        for (i, step) in block.steps.iter().enumerate() {
            let at = index(messages.len())?;
            messages.push(message(at, number + i, step, sport, losses));
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

fn index(number: usize) -> Result<u16, NoFile> {
    // The upper bits of a message's index are flags.
    u16::try_from(number).ok().filter(|index| *index < 0x1000).ok_or(NoFile::TooLong)
}

fn message(at: u16, number: usize, step: &Step, sport: Sport, losses: &mut Vec<Loss>) -> WorkoutStep {
    let mut message = WorkoutStep { message_index: MessageIndex(at), ..WorkoutStep::new() };
    message.intensity = match step.step_type {
        StepType::Warmup => Intensity::WARMUP,
        StepType::Active => Intensity::ACTIVE,
        StepType::Recovery => Intensity::RECOVERY,
        StepType::Cooldown => Intensity::COOLDOWN,
        StepType::Rest => Intensity::REST,
    };
    let mut lose = |reason| losses.push(Loss { step: Some(number), reason });
    let (kind, value) = match step.duration {
        StepDuration::Time(seconds) => (WktStepDuration::TIME, Some(seconds * 1000.0)),
        StepDuration::Distance(meters) => (WktStepDuration::DISTANCE, Some(meters * 100.0)),
        StepDuration::Calories(kcal) => (WktStepDuration::CALORIES, Some(kcal)),
        StepDuration::Open => (WktStepDuration::OPEN, None),
    };
    message.duration_type = kind;
    if let Some(value) = value {
        // The largest number of all means "none".
        let (written, within) = target::whole(value, 1.0, f64::from(u32::MAX - 1));
        message.duration_value = written;
        let off = (f64::from(written) - value).abs();
        if !within || off > value * 0.01 {
            lose(Lost::Duration);
        }
    }
    let (kind, range) = target::of(step.target, sport, &mut lose);
    message.target_type = kind;
    if kind == WktStepTarget::OPEN {
        message.target_value = 0;
    } else if let Some((low, high)) = range {
        // Zero, not a zone: the range is the step's own.
        message.target_value = 0;
        (message.custom_target_value_low, message.custom_target_value_high) = (low, high);
    }
    let notes = step.notes.as_deref().unwrap_or_default();
    message.notes = fitting(notes, "notes", Some(number), losses).into();
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

/// As much of a text as fits, cut between characters.
fn fitting<'a>(text: &'a str, field: &'static str, step: Option<usize>, losses: &mut Vec<Loss>) -> &'a str {
    // A zero would end the text there; none passes a workout's check.
    let text = text.split('\0').next().unwrap_or_default().trim();
    let kept = &text[..text.floor_char_boundary(MAX_TEXT)];
    if kept.len() < text.len() {
        losses.push(Loss { step, reason: Lost::Words { field } });
    }
    kept
}

#[cfg(test)]
mod tests;
