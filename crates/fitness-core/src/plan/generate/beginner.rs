//! Plans for people who do not run yet: minutes instead of kilometres, walking breaks, and effort
//! instead of pace.
//!
//! The longest workout of a week grows by 10 % or three minutes and the others with it; every
//! fourth week is slightly shorter. If the athlete's pace is known, the minutes stay within what R1
//! and R2 allow in kilometres.

use super::absences::return_periods;
use super::volume::{Phase, VolumeInput};
use super::weekdays::{AssignedDays, WeekDemand, assign_days};
use super::{PlanRequest, WeekOutline, add_rest_days, is_available, plan_weeks, strength};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::adapt::downgrade::WALK_RUN_MINUTES_PER_KM;
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{
    Level, Step, StepDuration, StepTarget, StepType, TrainingBaseline, Week, Workout, WorkoutKind,
};

const FIRST_MINUTES: f64 = 20.0;
const SESSIONS_PER_WEEK: usize = 3;
/// Weekly growth of the longest workout, as a factor and in minutes.
const MAX_GROWTH: (f64, f64) = (1.10, 3.0);
/// Share of a cut-back week, the same if R5 measures it in kilometres, and the other workouts as a
/// share of the longest.
const CUTBACK_SHARE: f64 = 0.88;
const MEASURED_CUTBACK_SHARE: f64 = 0.84;
const OTHER_SESSION_SHARE: f64 = 0.75;
/// Shortest and longest minutes of the other workouts.
const OTHER_SESSION_MINUTES: (f64, f64) = (20.0, 85.0);
/// Longest workout in the final days before the race.
const FINAL_DAYS_MINUTES: f64 = 50.0;
const MIN_SESSION_MINUTES: f64 = 10.0;
const MAX_SESSION_MINUTES: f64 = 180.0;
/// Share of the recommended longest run that is close enough.
const CLOSE_ENOUGH_SHARE: f64 = 0.9;

/// Generates the plan. `silent`: nothing is known of the athlete's last weeks.
pub(super) fn plan(
    wish: &PlanRequest,
    race: Distance,
    athlete: &TrainingBaseline,
    silent: bool,
) -> (Vec<Workout>, Vec<WeekOutline>, Vec<String>) {
    let shape = VolumeInput::new(wish, race, Level::Novice, athlete, 1.0);
    let weeks = plan_weeks(wish);
    let longest = match shape.class {
        RaceClass::FiveK => 45.0,
        RaceClass::TenK => 80.0,
        RaceClass::Half => 130.0,
        RaceClass::Full => 165.0,
    };
    let mut workouts = Vec::new();
    let mut outlines = Vec::new();
    // Completed training weeks: a missed week takes one away, an injury all of them.
    let (mut trained, ways) = (0_usize, return_periods(wish, athlete));
    let every = if shape.is_masters { 3 } else { 4 };
    let mut held = VolumeCap::new(&shape, athlete);
    let mut taken = AssignedDays { runs: vec![wish.race], ..AssignedDays::default() };
    taken.runs.extend(wish.tune_up.map(|race| race.on));
    for (number, week) in weeks.iter().enumerate() {
        if ways.iter().any(|way| way.history_start().is_some() && week.contains(way.first)) {
            trained = 0;
        }
        let to_race = weeks.len() - 1 - number;
        let taper = match (shape.class, to_race) {
            (RaceClass::FiveK | RaceClass::TenK, 0) => 0.65,
            (RaceClass::Half, 0) => 0.5,
            (RaceClass::Half, 1) => 0.72,
            (RaceClass::Full, 0) => 0.4,
            (RaceClass::Full, 1) => 0.65,
            (RaceClass::Full, 2) => 0.8,
            _ => 1.0,
        };
        let easier = taper >= 1.0 && to_race > 1 && is_easier(trained, every);
        let usual = longest_session_minutes(trained, every).min(longest);
        // The day before a tune-up race is off.
        let along = |day: Day| wish.tune_up.is_some_and(|race| (0..=1).contains(&day.days_until(race.on)));
        let free = |day: &Day| is_available(wish, *day) && *day != wish.race && !along(*day);
        let rested = |day: &Day| to_race > 0 || day.days_until(wish.race) > 1;
        let open: Vec<Day> = week.days().filter(free).filter(rested).collect();
        let wanted = match to_race {
            0 => vec![(usual * taper).clamp(15.0, FINAL_DAYS_MINUTES); 2],
            _ => session_minutes(usual, taper * if easier { CUTBACK_SHARE } else { 1.0 }, FIRST_MINUTES),
        };
        let raced =
            wish.tune_up.filter(|race| week.contains(race.on)).map(|race| (race.on, race.distance.km()));
        let wanted = held.fit_week(*week, wanted, easier, raced);
        let want = WeekDemand { runs: wanted.len(), hard: 0 };
        let slots = assign_days(&shape, wish, &open, None, want, &taken, |_| true);
        taken.runs.extend(&slots.easy);
        // With fewer days than workouts, the longest ones are kept.
        let made = wanted[wanted.len() - slots.easy.len()..].iter();
        for (day, minutes) in slots.easy.iter().zip(made) {
            let minutes = held.cap_run(*day, *minutes);
            workouts.push(walk_run_session(*day, minutes, trained));
        }
        trained = if slots.easy.is_empty() { trained.saturating_sub(1) } else { trained + 1 };
        let phase = if taper < 1.0 { Phase::Taper } else { Phase::Base };
        outlines.push(WeekOutline { first: week.first, phase, cutback: easier });
    }
    let remarks = notes(athlete, silent, race, &workouts);
    let along = wish.tune_up.map(|tune_up| (tune_up.on, tune_up.distance, "Tune-up race"));
    for (day, distance, word) in along.into_iter().chain([(wish.race, race, "Race day")]) {
        workouts.push(Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Race,
            name: format!("{word}: {}", wish.units.format_distance(distance)),
            distance: Some(distance).filter(|distance| distance.km() <= 200.0),
            intensity: Some("Start slowly, walk when you need to, and finish".to_owned()),
            key: true,
            ..Workout::rest(day)
        });
    }
    let phases: Vec<(Week, Phase)> =
        weeks.iter().copied().zip(outlines.iter().map(|week| week.phase)).collect();
    strength::add(wish, &phases, |_, _| None, &mut workouts);
    add_rest_days(&mut workouts, wish, athlete);
    (workouts, outlines, remarks)
}

/// Whether the next week is a cut-back week.
const fn is_easier(trained: usize, every: usize) -> bool {
    trained % every == every - 1
}

/// Minutes of the longest workout after this many training weeks; it grows in every week that is
/// not a cut-back week.
fn longest_session_minutes(trained: usize, every: usize) -> f64 {
    let (share, by) = MAX_GROWTH;
    let steps = (1..=trained).filter(|week| !is_easier(*week, every)).count();
    (0..steps).fold(FIRST_MINUTES, |minutes, _| (minutes * share).max(minutes + by))
}

/// Minutes of a week's workouts, scaled by `share`, the longest last.
fn session_minutes(longest: f64, share: f64, least: f64) -> Vec<f64> {
    let other =
        (longest * OTHER_SESSION_SHARE).clamp(OTHER_SESSION_MINUTES.0.min(longest), OTHER_SESSION_MINUTES.1);
    let all = std::iter::repeat_n(other, SESSIONS_PER_WEEK - 1).chain([longest]);
    all.map(|minutes| (minutes * share).max(least)).collect()
}

/// Keeps workouts within the volume rules (R1, R2), if a pace is known to convert minutes to
/// kilometres.
struct VolumeCap {
    pace: Option<f64>,
    /// All runs so far, including those before the plan. Kilometres.
    runs: Vec<(Day, f64)>,
    /// The first week is also compared with the base (R3).
    base: f64,
    /// Longest run that the race requires, in kilometres.
    longest_useful_km: f64,
}

impl VolumeCap {
    fn new(shape: &VolumeInput, athlete: &TrainingBaseline) -> Self {
        Self {
            pace: shape.pace.map(|seconds| seconds / 60.0),
            runs: athlete.runs.iter().map(|run| (run.day, run.distance.km())).collect(),
            base: athlete.base().map_or(0.0, Distance::km),
            longest_useful_km: training_norms::max_longest_run(Level::Novice, shape.race),
        }
    }

    /// The workouts that fit into a week, next to a race.
    fn fit_week(
        &mut self,
        week: Week,
        wanted: Vec<f64>,
        easier: bool,
        raced: Option<(Day, f64)>,
    ) -> Vec<f64> {
        let Some(pace) = self.pace else { return wanted };
        let whole: f64 = wanted.iter().sum();
        let in_week = |week: Week| -> f64 {
            self.runs.iter().filter(|(day, _)| week.contains(*day)).map(|(_, km)| *km).sum()
        };
        let fullest = (1..=4).map(|back| in_week(week.plus(-back))).fold(0.0, f64::max);
        let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
        let most = if fullest > 0.0 && easier {
            fullest * MEASURED_CUTBACK_SHARE
        } else if fullest > 0.0 {
            (fullest * MAX_GROWTH.0).max((fullest + by).min(below) - ROUNDING_MARGIN_KM)
        } else {
            training_norms::FIRST_WEEK_FROM_ZERO
        };
        let first = std::mem::take(&mut self.base);
        let most = if first > 0.0 { most.min(first + by - ROUNDING_MARGIN_KM) } else { most };
        let most = most - ROUNDING_MARGIN_KM - raced.map_or(0.0, |(_, km)| km);
        self.runs.extend(raced);
        if most * pace < MIN_SESSION_MINUTES {
            return Vec::new();
        }
        let share = (most * pace / whole).min(1.0);
        let count = ((whole * share / MIN_SESSION_MINUTES) as usize).clamp(1, wanted.len());
        // Fewer workouts rather than tiny ones.
        let kept = &wanted[wanted.len() - count..];
        let share = (whole * share / kept.iter().sum::<f64>()).min(1.0);
        kept.iter().map(|minutes| (minutes * share).floor().max(MIN_SESSION_MINUTES)).collect()
    }

    /// The longest allowed duration of a run on a day, in minutes.
    fn cap_run(&mut self, day: Day, minutes: f64) -> f64 {
        let Some(pace) = self.pace else { return minutes };
        let recent = |(ran, _): &&(Day, f64)| (1..=30).contains(&ran.days_until(day));
        let longest = self.runs.iter().filter(recent).map(|(_, km)| *km).fold(0.0, f64::max);
        let most = (longest * training_norms::SESSION_SPIKE.0)
            .max(training_norms::SHORT_RUN_KM)
            .min(self.longest_useful_km);
        let minutes = minutes.min((most * pace).floor());
        self.runs.push((day, minutes / pace));
        minutes
    }
}

/// Margin for rounding, in kilometres.
const ROUNDING_MARGIN_KM: f64 = 0.3;

/// Notes: how the plan works, and whether it prepares for the race.
fn notes(athlete: &TrainingBaseline, silent: bool, race: Distance, workouts: &[Workout]) -> Vec<String> {
    let known = if athlete.runs.is_empty() {
        "You have no recorded runs yet"
    } else if silent {
        "You have no recorded runs from the last weeks"
    } else {
        "You have hardly run in the last weeks"
    };
    let mut said = vec![format!(
        "{known}: the plan goes by minutes and effort, with walking breaks, and predicts no finish time. Draft again after \
         four weeks of recorded runs."
    )];
    let longest = workouts.iter().filter_map(|workout| workout.duration).max().unwrap_or(TimeSpan::ZERO);
    // The race distance itself is long enough.
    let asked = training_norms::min_longest_run(Level::Novice, race).min(race.km());
    let asked = (asked * WALK_RUN_MINUTES_PER_KM).min(MAX_SESSION_MINUTES);
    if longest.seconds() / 60.0 < CLOSE_ENOUGH_SHARE * asked {
        let asked = TimeSpan::from_mins(asked as i64).format_hours_minutes();
        said.push(format!(
            "The longest workout before the race is {}; for this distance it should be about {asked}. This plan does not \
             prepare you to run the whole distance: plan to walk much of it, or choose a later or shorter race.",
            longest.format_hours_minutes()
        ));
    }
    said
}

/// A workout of running and walking. The running intervals get longer over the weeks and fill the
/// time between warm-up and cool-down.
fn walk_run_session(day: Day, minutes: f64, week: usize) -> Workout {
    let (run, walk) = match week {
        0 | 1 => (60.0, 90.0),
        2 | 3 => (120.0, 90.0),
        4 | 5 => (180.0, 60.0),
        6 | 7 => (300.0, 60.0),
        8 | 9 => (480.0, 60.0),
        _ => (900.0, 60.0),
    };
    let minutes = minutes.round().clamp(MIN_SESSION_MINUTES, MAX_SESSION_MINUTES);
    let way: f64 = if minutes < 15.0 { 120.0 } else { 300.0 };
    let inside = minutes * 60.0 - 2.0 * way;
    let rounds = (inside / (run + walk)).round().clamp(1.0, 45.0);
    // Intervals in steps of 15 seconds, so that the steps add up to the stated time.
    let run = ((inside / rounds - walk) / 15.0).floor().max(2.0) * 15.0;
    let last = (minutes * 60.0 - way - rounds * (run + walk)).max(60.0);
    let step = |step_type, seconds: f64, notes: &str| Step {
        step_type,
        duration: StepDuration::Time(seconds),
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: Some(notes.to_owned()),
    };
    let mut steps = vec![step(StepType::Warmup, way, "Walk briskly")];
    for _ in 0..rounds as usize {
        steps.push(step(StepType::Active, run, "Run slowly enough to talk"));
        steps.push(step(StepType::Recovery, walk, "Walk"));
    }
    steps.push(step(StepType::Cooldown, last, "Walk"));
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: format!("Run and walk {minutes:.0} min"),
        duration: TimeSpan::from_seconds(minutes * 60.0),
        intensity: Some("Easy, effort 3 of 10: you can talk in whole sentences".to_owned()),
        steps,
        ..Workout::rest(day)
    }
}
