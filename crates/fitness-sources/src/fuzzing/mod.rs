//! Entry points of the fuzz targets in `fuzz/`, also used by the corpus tests.
//!
//! The first byte of the input decides whether the rest is the file itself or input for
//! [`Unstructured`], which generates an almost valid file, so that invalid values get past lengths,
//! checksums and closing tags.

mod export_json;
mod fit;
mod tracks;
mod zip;

pub use export_json::export_json;
pub use fit::fit;
pub use tracks::tracks;
pub use zip::zip;

use arbitrary::Unstructured;
use chrono::Datelike;
use chrono_tz::Tz;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::wellness::DailyWellness;

/// A zone with a half-hour daylight saving change.
const ZONE: Tz = Tz::Australia__Lord_Howe;

/// An element of `from`, chosen by the input. The first one when the input is used up.
fn pick<T: Copy>(recipe: &mut Unstructured<'_>, from: &[T]) -> T {
    *recipe.choose(from).unwrap_or(&from[0])
}

/// True in one of `n` cases.
fn one_in(recipe: &mut Unstructured<'_>, n: u8) -> bool {
    recipe.int_in_range(0..=n - 1).unwrap_or(0) == 1
}

fn up_to(recipe: &mut Unstructured<'_>, most: usize) -> usize {
    recipe.int_in_range(0..=most).unwrap_or(0)
}

/// Raw bytes of the input.
fn raw<'a>(recipe: &mut Unstructured<'a>, most: usize) -> &'a [u8] {
    let length = up_to(recipe, most).min(recipe.len());
    recipe.bytes(length).unwrap_or_default()
}

/// Invariants of an activity.
fn check_activity(recorded: &ParsedActivity) {
    let activity = &recorded.activity;
    assert!((1980..=2140).contains(&activity.day().date().year()), "{}", activity.day());
    assert!(activity.utc_offset_s.abs() <= 15 * 3600, "{}", activity.utc_offset_s);
    for text in [&activity.name, &activity.device, &activity.sub_sport].into_iter().flatten() {
        assert!(!text.trim().is_empty() && text.chars().count() <= 500, "{text:?}");
    }
    // NaN becomes null in JSON, and the record could not be read back.
    let outline = recorded.summary();
    let json = serde_json::to_string(&outline).expect("an outline is plain data");
    let back = serde_json::from_str(&json).expect("what was written is read");
    assert_eq!(outline, back, "{json}");
    assert!(recorded.details.sets.iter().all(|set| set.weight_kg.is_none_or(f64::is_finite)));
    let Some(recording) = &recorded.recording else { return };
    let moments = recording.offsets_ms();
    assert!(!moments.is_empty() && moments.is_sorted() && moments[0] >= 0);
    for (channel, column) in recording.columns() {
        assert_eq!(column.len(), moments.len(), "{channel}");
        assert!(column.samples().any(|sample| sample.is_some()), "{channel} is empty");
    }
}

fn check_day(day: Day) {
    assert!((1980..=2140).contains(&day.date().year()), "{day}");
}

fn check_wellness(wellness: &DailyWellness) {
    check_day(wellness.day);
    let json = serde_json::to_string(wellness).expect("a day is plain data");
    assert_eq!(&serde_json::from_str::<DailyWellness>(&json).expect("what was written is read"), wellness);
}

/// A reason is short printable text.
fn check_reason(reason: &str) {
    assert!(!reason.trim().is_empty() && !reason.contains(char::is_control), "{reason:?}");
}
