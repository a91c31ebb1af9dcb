//! What the athlete should know about the volume of a plan, in plain sentences.

use super::Wish;
use super::blackouts::STEPS;
use super::goal_time::is_unprepared;
use super::volume::Shape;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::training_norms::{self, Class};
use crate::plan::{Background, Workout, WorkoutKind, planned_running, race_weeks};

/// What to say about the weeks.
pub(super) fn remarks(shape: &Shape, wish: &Wish, athlete: &Background, workouts: &[Workout]) -> Vec<String> {
    let full = race_weeks(wish.start, wish.race);
    let weeks = full.len();
    let peak = full.iter().map(|week| planned_running(workouts, *week, wish.race).km()).fold(0.0, f64::max);
    let shown = |km: f64| wish.units.distance(Distance::from_km(km).unwrap_or_default()).to_string();
    let mut said = typed(wish, athlete);
    let wanted = training_norms::runway_weeks(shape.level, shape.class);
    if shape.hold {
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
    let longest = longest(workouts);
    if shape.class >= Class::Half && weeks > training_norms::NO_BUILD && longest < 0.9 * shape.longest {
        said.push(format!(
            "The longest run of this plan is {}, less than the {} you ran lately: a longer one would be too much of such a \
             week. More running on other days would make room for it.",
            shown(longest),
            shown(shape.longest)
        ));
    }
    let (bottom, _) = training_norms::peak_bracket(shape.level, shape.race);
    if !shape.hold && peak < bottom * 0.99 {
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
    if (training_norms::BREAK..STEPS).contains(&shape.gap) {
        said.push(format!("You have not run for {} days, so the first week is a smaller one.", shape.gap));
    }
    if shape.masters {
        said.push(
            "Every third week is an easier one and hard days lie three days apart, for your age.".to_owned(),
        );
    }
    if shape.race > training_norms::BEYOND_EVIDENCE {
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
pub(super) fn silence(athlete: &Background) -> Option<String> {
    let (days, last) = (athlete.silent_days(), athlete.as_of);
    if days < training_norms::BREAK || !athlete.is_recorded() {
        return None;
    }
    Some(match athlete.stated.base {
        Some(_) => {
            format!(
                "Your data ends on {last}: for the time since then the plan goes by what you say you run."
            )
        }
        None if athlete.is_silent() => format!(
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
fn longest(workouts: &[Workout]) -> f64 {
    let runs = workouts.iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race);
    runs.filter_map(|run| run.distance).map(Distance::km).fold(0.0, f64::max)
}

/// What of it the athlete typed, and what the data says instead.
fn typed(wish: &Wish, athlete: &Background) -> Vec<String> {
    let shown = |distance: Distance| wish.units.distance(distance).to_string();
    let mut said = Vec::new();
    let of = if athlete.silent_days() >= training_norms::BREAK { " of your data" } else { "" };
    let weeks = format!("the last four weeks{of} show");
    let days = format!("the last 30 days{of} show");
    let kinds = [
        (athlete.stated.base, athlete.recorded_base(), "base", " a week", weeks),
        (athlete.stated.longest, athlete.recorded_longest(), "longest run", "", days),
    ];
    for (typed, recorded, what, per, show) in kinds {
        let Some(typed) = typed else { continue };
        let start = format!("Your {what} of {}{per} is what you typed", shown(typed));
        said.push(match recorded.ok().filter(|_| athlete.is_recorded()) {
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
