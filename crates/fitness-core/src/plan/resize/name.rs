//! Updates names and texts of a workout after resizing.

use super::{count_repetitions, scale_repetitions};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{MAX_NAME, MAX_TEXT_CHARS, StepDuration, StepType, Workout, WorkoutKind};
use std::ops::Range;

const METERS_PER_MILE: f64 = 1609.344;

impl Workout {
    /// Updates counts and lengths in name, intensity and description. Texts that cannot be updated
    /// are dropped; a name becomes a generic one.
    pub(super) fn update_text_after_resize(mut self, old: &Self, share: f64) -> Self {
        let sizes = size_changes(old, &self);
        let follow = |text: &str, most: usize| {
            let text = match find_repetitions(text) {
                Some(count) => update_repetitions(text, &count, old, &self, share)?,
                None => text.to_owned(),
            };
            Some(update_lengths(&text, &sizes)).filter(|text| text.chars().count() <= most)
        };
        let name = follow(&old.name, MAX_NAME).unwrap_or_else(|| plain_name(old.sport, old.kind));
        let intensity = old.intensity.as_deref().and_then(|text| follow(text, MAX_NAME));
        let description = old.description.as_deref().and_then(|text| follow(text, MAX_TEXT_CHARS));
        (self.name, self.intensity, self.description) = (name, intensity, description);
        self
    }
}

/// Whether a text contains a repetition count: `2 × 8 min`, `5x1K`.
pub(crate) fn mentions_repetitions(text: &str) -> bool {
    find_repetitions(text).is_some()
}

/// A generic name without lengths.
pub(crate) fn plain_name(sport: Sport, kind: WorkoutKind) -> String {
    let name = match (sport, kind) {
        (Sport::Running, WorkoutKind::Easy) => "Easy run",
        (Sport::Running, WorkoutKind::Recovery) => "Recovery run",
        (Sport::Running, WorkoutKind::Long) => "Long run",
        (Sport::Running, WorkoutKind::Tempo) => "Tempo run",
        (Sport::Running, WorkoutKind::RacePace) => "Run at race pace",
        (Sport::Running, WorkoutKind::Strides) => "Easy run with strides",
        (_, WorkoutKind::Intervals) => "Intervals",
        (_, WorkoutKind::Hills) => "Hills",
        (Sport::Running, _) => "Run",
        (Sport::Other, _) => "Workout",
        _ => sport.title(),
    };
    name.to_owned()
}

/// A repetition count in a text.
struct RepetitionCount {
    count: usize,
    /// Byte range of the number.
    number: Range<usize>,
    /// Byte range of the number and the multiplication sign.
    with_sign: Range<usize>,
}

fn find_repetitions(text: &str) -> Option<RepetitionCount> {
    find_numbers(text).into_iter().find_map(|number| {
        let after = text.get(number.end..)?;
        let sign = after.trim_start().strip_prefix(['×', 'x', 'X', '*'])?.trim_start();
        if !sign.starts_with(|c: char| c.is_ascii_digit() || c == '(') {
            return None;
        }
        let count = text.get(number.clone())?.parse().ok().filter(|count| (1..=100).contains(count))?;
        Some(RepetitionCount { count, with_sign: number.start..text.len() - sign.len(), number })
    })
}

/// The text with the new count; `None` if it counted something else or the repetitions changed.
fn update_repetitions(
    text: &str,
    counted: &RepetitionCount,
    old: &Workout,
    new: &Workout,
    share: f64,
) -> Option<String> {
    let (before, now) = match count_repetitions(&old.steps) {
        0 => (counted.count, scale_repetitions(counted.count, share)),
        before => (before, count_repetitions(&new.steps)),
    };
    let active =
        |workout: &Workout| workout.steps.iter().rfind(|step| step.step_type == StepType::Active).cloned();
    if before != counted.count || share.is_nan() || (!old.steps.is_empty() && active(old) != active(new)) {
        return None;
    }
    let mut text = text.to_owned();
    match now {
        1 if counted.count > 1 => text.replace_range(counted.with_sign.clone(), ""),
        now => text.replace_range(counted.number.clone(), &now.to_string()),
    }
    Some(text)
}

/// Old and new sizes: of the only active step, the distance and the duration.
fn size_changes(old: &Workout, new: &Workout) -> Vec<(StepDuration, Option<StepDuration>)> {
    let only = |workout: &Workout| {
        let mut active = workout.steps.iter().filter(|step| step.step_type == StepType::Active);
        active.next().filter(|_| active.next().is_none()).map(|step| step.duration)
    };
    let far = |distance: Option<Distance>| distance.map(|far| StepDuration::Distance(far.meters()));
    let long = |time: Option<TimeSpan>| time.map(|time| StepDuration::Time(time.seconds()));
    [(only(old), only(new)), (far(old.distance), far(new.distance)), (long(old.duration), long(new.duration))]
        .into_iter()
        .filter_map(|(old, new)| Some((old?, new)))
        .collect()
}

/// Replaces lengths in a text that have changed.
fn update_lengths(text: &str, sizes: &[(StepDuration, Option<StepDuration>)]) -> String {
    let mut changed = text.to_owned();
    for number in find_numbers(text).into_iter().rev() {
        let (Some(written), Some(after)) = (text.get(number.clone()), text.get(number.end..)) else {
            continue;
        };
        let unit: String = after.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
        let Ok(value) = written.parse::<f64>() else { continue };
        let in_unit = |size: StepDuration| match (size, unit.as_str()) {
            (StepDuration::Time(seconds), "min" | "minutes") => Some(seconds / 60.0),
            (StepDuration::Distance(meters), "km") => Some(meters / 1000.0),
            (StepDuration::Distance(meters), "m") => Some(meters),
            (StepDuration::Distance(meters), "mi") => Some(meters / METERS_PER_MILE),
            _ => None,
        };
        let decimals = written.split_once('.').map_or(0, |(_, tail)| tail.len());
        let same = |size: f64| format!("{size:.decimals$}") == format!("{value:.decimals$}");
        let found = sizes.iter().find(|(old, _)| in_unit(*old).is_some_and(same));
        if let Some(now) = found.and_then(|(_, new)| in_unit((*new)?)) {
            // Show a decimal if the new length needs one.
            let exact = unit != "km" || (now - now.round()).abs() < 0.05;
            let decimals = if decimals == 0 && !exact { 1 } else { decimals };
            changed.replace_range(number, &format!("{now:.decimals$}"));
        }
    }
    changed
}

/// Byte ranges of numbers that are not part of a word.
fn find_numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut begun: Option<usize> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match begun {
            None if c.is_ascii_digit() && !before.is_alphanumeric() && !".,:".contains(before) => {
                begun = Some(at);
            }
            Some(_) if c.is_ascii_digit() || c == '.' => {}
            Some(from) => {
                found.push(from..at);
                begun = None;
            }
            None => {}
        }
        before = c;
    }
    // A trailing full stop is not part of the number.
    let trimmed = |range: Range<usize>| {
        let digits = text.get(range.clone()).map_or(0, |number| number.trim_end_matches('.').len());
        range.start..range.start + digits
    };
    found.into_iter().map(trimmed).collect()
}
