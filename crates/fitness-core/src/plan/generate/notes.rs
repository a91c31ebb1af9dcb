//! What the athlete should know about the volume of a plan, in plain sentences.

use super::PlanRequest;
use super::blackouts::STEPPED_RETURN_DAYS;
use super::goal_time::is_unprepared;
use super::volume::VolumeProfile;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{TrainingBaseline, Workout, WorkoutKind, planned_running_distance, race_weeks};

/// What to say about the weeks.
pub(super) fn volume_notes(
    shape: &VolumeProfile,
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
            0 => "Less than a full week is left, fewer".to_owned(),
            1 => "One full week is fewer".to_owned(),
            _ => format!("{weeks} full weeks are fewer"),
        };
        said.push(format!(
            "{there} than the {wanted} such a race asks for: this plan keeps what you have and brings you rested to the \
             start, it builds no new fitness."
        ));
        if is_unprepared(athlete, shape.race, wish.start, wish.race) {
            said.push(format!(
                "Your longest run of the last 30 days is {}: that is not enough preparation for a marathon. Who ran no \
                 longer than {} before it took about 13 minutes more (Fokkema 2020). Think of a later or a shorter race, \
                 or plan to walk parts of it from the start.",
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
            "The longest run of this plan is {}, less than the {} you ran lately: a longer one would be too much of such a \
             week. More running on other days would make room for it.",
            shown(longest),
            shown(shape.longest)
        ));
    }
    let (bottom, _) = training_norms::peak_bracket(shape.level, shape.race);
    if !shape.is_too_short_to_build && peak < bottom * 0.99 {
        said.push(format!(
            "Your fullest week will hold {}; runners of your level usually reach {} for this race. More weeks or a \
             shorter race would close the gap, bigger steps would not.",
            shown(peak),
            shown(bottom)
        ));
    }
    if shape.injured {
        said.push(
            "You are marked as injured: no fast running, and no run longer than what you did lately. After two weeks \
             without pain, draft again. If it hurts while running or the morning after, see somebody who knows."
                .to_owned(),
        );
    }
    if (training_norms::BREAK_DAYS..STEPPED_RETURN_DAYS).contains(&shape.days_without_run) {
        said.push(format!(
            "You have not run for {} days, so the first week is a smaller one.",
            shape.days_without_run
        ));
    }
    if shape.is_masters {
        said.push(
            "Every third week is an easier one and hard days lie three days apart, for your age.".to_owned(),
        );
    }
    if shape.race > training_norms::MAX_EVIDENCE_DISTANCE {
        said.push(
            "Beyond 50 km nothing published says how to train for a time: this plan gives volume only."
                .to_owned(),
        );
    }
    if athlete.easy_pace().is_none() {
        said.push("How fast you run is not known yet, so sessions say how far, not how long.".to_owned());
    }
    said
}

/// What to say where the data ended some time ago.
pub(super) fn data_gap_note(athlete: &TrainingBaseline) -> Option<String> {
    let (days, last) = (athlete.days_without_data(), athlete.as_of);
    if days < training_norms::BREAK_DAYS || !athlete.has_recorded_base() {
        return None;
    }
    Some(match athlete.self_reported.base {
        Some(_) => {
            format!(
                "Your data ends on {last}: for the time since then the plan goes by what you say you run."
            )
        }
        None if athlete.has_data_gap() => format!(
            "Your data ends on {last}, and nothing says that you ran since: the plan begins as after a pause. If you did \
             run, import it or say what you run in a usual week, and draft again."
        ),
        None => {
            format!(
                "Your data ends on {last}: if you ran since then, import it and draft again, to start from that."
            )
        }
    })
}

/// The longest run of a plan that is no race.
fn longest_run_km(workouts: &[Workout]) -> f64 {
    let runs = workouts.iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race);
    runs.filter_map(|run| run.distance).map(Distance::km).fold(0.0, f64::max)
}

/// What of it the athlete typed, and what the data says instead.
fn self_report_notes(wish: &PlanRequest, athlete: &TrainingBaseline) -> Vec<String> {
    let shown = |distance: Distance| wish.units.format_distance(distance).to_string();
    let mut said = Vec::new();
    let of = if athlete.days_without_data() >= training_norms::BREAK_DAYS { " of your data" } else { "" };
    let weeks = format!("the last four weeks{of} show");
    let days = format!("the last 30 days{of} show");
    let kinds = [
        (athlete.self_reported.base, athlete.recorded_base(), "base", " a week", weeks),
        (athlete.self_reported.longest, athlete.recorded_longest_run(), "longest run", "", days),
    ];
    for (typed, recorded, what, per, show) in kinds {
        let Some(typed) = typed else { continue };
        let start = format!("Your {what} of {}{per} is what you typed", shown(typed));
        said.push(match recorded.ok().filter(|_| athlete.has_recorded_base()) {
            Some(recorded) if recorded == typed => continue,
            Some(recorded) if recorded < typed => format!(
                "{start}; {show} {}, and the plan starts from what you ran. If runs are missing, import them and \
                 draft again.",
                shown(recorded)
            ),
            Some(recorded) => format!("{start}; {show} {}.", shown(recorded)),
            None => format!("{start}; there is not enough data yet to hold it against."),
        });
    }
    said
}
