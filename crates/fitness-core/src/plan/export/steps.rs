//! Describes workout steps in words.

use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::plan::{Block, Step, StepDuration, StepTarget, StepType, TargetRange, Workout, fold_repeats};

/// One line for each step or block: `5 × (1.0 km, 4:00–4:10 /km; 2:00 recovery, jog)`.
///
/// Notes are not escaped: the caller must do that.
#[must_use]
pub fn describe_steps(steps: &[Step], units: UnitSystem) -> Vec<String> {
    let blocks = fold_repeats(steps);
    let mut lines = Vec::new();
    // Whether the first step of the next block was counted with the repeats before it.
    let mut is_first_counted = false;
    for (at, block) in blocks.iter().enumerate() {
        let steps = &block.steps[usize::from(std::mem::take(&mut is_first_counted))..];
        let repeated = block.times > 1;
        let described: Vec<String> = steps.iter().map(|step| describe_step(step, units, repeated)).collect();
        match (block.steps, described.as_slice()) {
            // After the last repeat there is no recovery: 8 efforts are 7 × (effort, recovery) and
            // one more effort.
            ([effort, _], [first, between]) if repeated && starts_with(blocks.get(at + 1), effort) => {
                lines.push(format!("{} × ({first}), with {between} between", block.times + 1));
                is_first_counted = true;
            }
            _ if repeated => lines.push(format!("{} × ({})", block.times, described.join("; "))),
            _ => lines.extend(described),
        }
    }
    lines
}

/// Whether a block is not repeated and starts with a step.
fn starts_with(block: Option<&Block<'_>>, step: &Step) -> bool {
    block.is_some_and(|block| block.times == 1 && block.steps.first() == Some(step))
}

/// Steps of a workout shown next to its size and effort, without repeating these.
pub(super) fn describe_extra_steps(workout: &Workout, units: UnitSystem) -> Vec<String> {
    let mut own = workout.steps.clone();
    let said = workout.intensity.as_deref().map(str::trim);
    for step in own.iter_mut().filter(|step| step.notes.as_deref().map(str::trim) == said) {
        step.notes = None;
    }
    match own.as_slice() {
        [Step { step_type: StepType::Active, target: StepTarget::Open, notes: None, .. }] => Vec::new(),
        all => describe_steps(all, units),
    }
}

/// The step in words. Inside the brackets of a repeated block, `in_block`, the note has no brackets.
fn describe_step(step: &Step, units: UnitSystem, in_block: bool) -> String {
    let length = match step.duration {
        StepDuration::Time(seconds) => TimeSpan::from_seconds(seconds).map(TimeSpan::format_clock),
        StepDuration::Distance(meters) if meters < 1000.0 => Some(format!("{meters:.0} m")),
        StepDuration::Distance(meters) => {
            Distance::from_meters(meters).map(|d| units.format_distance(d).to_string())
        }
        StepDuration::Calories(kcal) => Some(format!("{kcal:.0} kcal")),
        StepDuration::Open => Some("open".to_owned()),
    };
    let mut words = length.unwrap_or_default();
    // Active steps are not labelled, the others are.
    if step.step_type != StepType::Active {
        words.push_str(&format!(" {}", step.step_type.label().to_lowercase()));
    }
    let target = match step.target {
        StepTarget::HeartRate(r) => format_range(r, "at least", "at most", |bpm| format!("{bpm:.0}"), " bpm"),
        StepTarget::Power(r) => format_range(r, "at least", "at most", |watts| format!("{watts:.0}"), " W"),
        StepTarget::Cadence(r) => {
            format_range(r, "at least", "at most", |turns| format!("{turns:.0}"), " a minute")
        }
        StepTarget::Pace(r) => {
            let unit = if units == UnitSystem::Metric { " /km" } else { " /mi" };
            format_range(r, "no faster than", "no slower than", |pace| format_pace(pace, units), unit)
        }
        StepTarget::Open => None,
    };
    if let Some(target) = target {
        words.push_str(", ");
        words.push_str(&target);
    }
    if let Some(notes) = step.notes.as_deref().map(str::trim).filter(|notes| !notes.is_empty()) {
        let inner = || lowercase_first(&notes.replace("; ", ", "));
        words.push_str(&if in_block { format!(", {}", inner()) } else { format!(" ({notes})") });
    }
    words
}

/// `Hard uphill` becomes `hard uphill`; `VO2` stays.
fn lowercase_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            format!("{}{}", first.to_lowercase(), letters.as_str())
        }
        _ => text.to_owned(),
    }
}

fn format_range(
    range: TargetRange,
    least: &str,
    most: &str,
    shown: impl Fn(f64) -> String,
    unit: &str,
) -> Option<String> {
    match (range.low, range.high) {
        (Some(low), Some(high)) if shown(low) == shown(high) => Some(format!("{}{unit}", shown(low))),
        (Some(low), Some(high)) => Some(format!("{}–{}{unit}", shown(low), shown(high))),
        (Some(low), None) => Some(format!("{least} {}{unit}", shown(low))),
        (None, Some(high)) => Some(format!("{most} {}{unit}", shown(high))),
        (None, None) => None,
    }
}

/// Formats a pace without unit.
fn format_pace(pace: f64, units: UnitSystem) -> String {
    let seconds = Pace::from_seconds_per_km(pace).map(|pace| match units {
        UnitSystem::Metric => pace.seconds_per_km(),
        UnitSystem::Imperial => pace.seconds_per_mile(),
    });
    seconds.and_then(TimeSpan::from_seconds).map_or_else(|| "0:00".to_owned(), TimeSpan::format_clock)
}
