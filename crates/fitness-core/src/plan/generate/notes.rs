//! Notes on the volume of a generated plan.

use super::PlanRequest;
use super::blackouts::STEPPED_RETURN_DAYS;
use super::goal_time::is_unprepared;
use super::volume::VolumeInput;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{TrainingBaseline, Workout, WorkoutKind, planned_running_distance, race_weeks};

pub(super) fn volume_notes(
    shape: &VolumeInput,
    wish: &PlanRequest,
    athlete: &TrainingBaseline,
    workouts: &[Workout],
) -> Vec<String> {
    let full = race_weeks(wish.start, wish.race);
    let weeks = full.len();
    let peak =
        full.iter().map(|week| planned_running_distance(workouts, *week, wish.race).km()).fold(0.0, f64::max);
    let shown = |km: f64| wish.units.format_distance(Distance::from_km(km).unwrap_or_default()).to_string();
    let mut said = self_report_notes(wish, athlete);
    let wanted = training_norms::min_plan_weeks(shape.level, shape.class);
    if shape.is_too_short_to_build {
        let there = match weeks {
            0 => "Less than a full week is left".to_owned(),
            1 => "One full week is left".to_owned(),
            _ => format!("{weeks} full weeks are left"),
        };
        said.push(format!(
            "{there}, and building up for this race takes {wanted}: this plan maintains your fitness and brings you to the \
             start rested."
        ));
        if is_unprepared(athlete, shape.race, wish.start, wish.race) {
            said.push(format!(
                "Your longest run of the last 30 days is {}, which is not enough preparation for a marathon. Runners whose \
                 longest run was below {} finished about 13 minutes slower than those who had run farther (Fokkema et al. 2020). Consider a later or shorter race, or \
                 plan to walk parts of it from the start.",
                shown(shape.longest),
                shown(25.0)
            ));
        }
    }
    let longest = longest_run_km(workouts);
    if shape.class >= RaceClass::Half
        && weeks > training_norms::MAX_WEEKS_WITHOUT_BUILD
        && longest < 0.9 * shape.longest
    {
        said.push(format!(
            "The longest run of this plan is {}, less than the {} you ran recently: a longer one would be too large a share \
             of its week. Running more on other days would make room for it.",
            shown(longest),
            shown(shape.longest)
        ));
    }
    let (bottom, _) = training_norms::peak_bracket(shape.level, shape.race);
    if !shape.is_too_short_to_build && peak < bottom * 0.99 {
        said.push(format!(
            "Your peak week will be {}; runners of your level usually reach {} for this race. More weeks or a shorter \
             race would close the gap; building up faster would not.",
            shown(peak),
            shown(bottom)
        ));
    }
    if shape.injured {
        said.push(
            "You are marked as injured: no fast running, and no run longer than your recent ones. Draft again after two \
             weeks without pain. If it hurts while running or the next morning, see a doctor or physiotherapist."
                .to_owned(),
        );
    }
    if (training_norms::BREAK_DAYS..STEPPED_RETURN_DAYS).contains(&shape.days_without_run) {
        said.push(format!(
            "You have not run for {} days, so the first week is lighter.",
            shape.days_without_run
        ));
    }
    if shape.is_masters {
        said.push(
            "From age 50, every third week is a cut-back week and hard days are three days apart.".to_owned(),
        );
    }
    if shape.race > training_norms::MAX_EVIDENCE_DISTANCE {
        said.push(
            "There is no published evidence on training for a time beyond 50 km: this plan only sets the volume."
                .to_owned(),
        );
    }
    if athlete.easy_pace().is_none() {
        said.push("Your running pace is not known yet, so workouts give a distance but no time.".to_owned());
    }
    said
}

/// A note if the data ended a week ago or more.
pub(super) fn data_gap_note(athlete: &TrainingBaseline) -> Option<String> {
    let (days, last) = (athlete.days_without_data(), athlete.as_of);
    if days < training_norms::BREAK_DAYS || !athlete.has_recorded_base() {
        return None;
    }
    Some(match athlete.self_reported.base {
        Some(_) => {
            format!(
                "Your data ends on {last}: for the time since then, the plan uses the typical week you entered."
            )
        }
        None if athlete.has_data_gap() => format!(
            "Your data ends on {last}, and later runs are unknown: the plan starts as after a break. If you did run, import \
             your runs or enter your typical week, and draft again."
        ),
        None => {
            format!(
                "Your data ends on {last}: if you have run since then, import those runs and draft again to start from there."
            )
        }
    })
}

/// The longest run of a plan, without races.
fn longest_run_km(workouts: &[Workout]) -> f64 {
    let runs = workouts.iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race);
    runs.filter_map(|run| run.distance).map(Distance::km).fold(0.0, f64::max)
}

/// Notes on values the athlete entered, compared with the recorded ones.
fn self_report_notes(wish: &PlanRequest, athlete: &TrainingBaseline) -> Vec<String> {
    let shown = |distance: Distance| wish.units.format_distance(distance).to_string();
    let mut said = Vec::new();
    let of = if athlete.days_without_data() >= training_norms::BREAK_DAYS { " of your data" } else { "" };
    let weeks = format!("the last four weeks{of} show");
    let days = format!("the last 30 days{of} show");
    let kinds = [
        (athlete.self_reported.base, athlete.recorded_base(), "typical week", weeks),
        (athlete.self_reported.longest, athlete.recorded_longest_run(), "longest run", days),
    ];
    for (typed, recorded, what, show) in kinds {
        let Some(typed) = typed else { continue };
        let start = format!("You entered a {what} of {}", shown(typed));
        said.push(match recorded.ok().filter(|_| athlete.has_recorded_base()) {
            Some(recorded) if recorded == typed => continue,
            Some(recorded) if recorded < typed => format!(
                "{start}, but {show} {}; the plan starts from what you ran. If runs are missing, import them and draft \
                 again.",
                shown(recorded)
            ),
            Some(recorded) => format!("{start}; {show} {}.", shown(recorded)),
            None => format!("{start}. There is not enough data yet to check this."),
        });
    }
    said
}
