//! For somebody who does not run yet: minutes instead of kilometres, walking in between, and how it feels instead of a pace.
//!
//! The longest session of a week grows by a tenth or three minutes, the others with it, and every fourth week is a little
//! shorter. Where it is known how fast the athlete runs, the minutes are held to the kilometres that R1 and R2 allow.

use super::unavailable_days::ways_back;
use super::volume::{Phase, Shape};
use super::weekdays::{Taken, Want, assign};
use super::{Outline, Wish, complete, is_open, strength, weeks_of};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::adapt::downgrade::BY_TURNS;
use crate::plan::training_norms::{self, Class};
use crate::plan::{Background, Level, Step, StepDuration, StepTarget, StepType, Week, Workout, WorkoutKind};

/// Minutes of the first session.
const FIRST_MINUTES: f64 = 20.0;
/// Three sessions a week.
const SESSIONS: usize = 3;
/// By how much the longest session of a week may grow, as a share and in minutes.
const GROWTH: (f64, f64) = (1.10, 3.0);
/// The share of an easier week, the same where R5 measures it, and the share of the other sessions beside the longest.
const EASIER: f64 = 0.88;
const LIGHTER: f64 = 0.84;
const OTHERS: f64 = 0.75;
/// Minutes of a session that is not the longest, at least and at most.
const OTHER: (f64, f64) = (20.0, 85.0);
/// Minutes of a session in the last days before the race.
const LAST_DAYS: f64 = 50.0;
/// Minutes of the shortest session worth going out for.
const SHORTEST: f64 = 10.0;
/// Minutes beyond which nobody asks for more before a race.
const THREE_HOURS: f64 = 180.0;
/// The share of what a race asks for that is near enough.
const NEAR: f64 = 0.9;

/// A plan. `silent` is whether nothing is known of the athlete's last weeks.
pub(super) fn plan(
    wish: &Wish,
    race: Distance,
    athlete: &Background,
    silent: bool,
) -> (Vec<Workout>, Vec<Outline>, Vec<String>) {
    let shape = Shape::new(wish, race, Level::Novice, athlete, 1.0);
    let weeks = weeks_of(wish);
    let longest = match shape.class {
        Class::FiveK => 45.0,
        Class::TenK => 80.0,
        Class::Half => 130.0,
        Class::Full => 165.0,
    };
    let mut workouts = Vec::new();
    let mut outlines = Vec::new();
    // Weeks of training behind the athlete: as many as were missed are lost again, all of them with an injury.
    let (mut trained, ways) = (0_usize, ways_back(wish, athlete));
    let every = if shape.masters { 3 } else { 4 };
    let mut held = Held::new(&shape, athlete);
    let mut taken = Taken { runs: vec![wish.race], ..Taken::default() };
    taken.runs.extend(wish.tune_up.map(|race| race.on));
    for (number, week) in weeks.iter().enumerate() {
        if ways.iter().any(|way| way.counts_since().is_some() && week.contains(way.first)) {
            trained = 0;
        }
        let to_race = weeks.len() - 1 - number;
        let taper = match (shape.class, to_race) {
            (Class::FiveK | Class::TenK, 0) => 0.65,
            (Class::Half, 0) => 0.5,
            (Class::Half, 1) => 0.72,
            (Class::Full, 0) => 0.4,
            (Class::Full, 1) => 0.65,
            (Class::Full, 2) => 0.8,
            _ => 1.0,
        };
        let easier = taper >= 1.0 && to_race > 1 && is_easier(trained, every);
        let usual = usual(trained, every).min(longest);
        // The day before a race along the way is off.
        let along = |day: Day| wish.tune_up.is_some_and(|race| (0..=1).contains(&day.until(race.on)));
        let free = |day: &Day| is_open(wish, *day) && *day != wish.race && !along(*day);
        let rested = |day: &Day| to_race > 0 || day.until(wish.race) > 1;
        let open: Vec<Day> = week.days().filter(free).filter(rested).collect();
        let wanted = match to_race {
            0 => vec![(usual * taper).clamp(15.0, LAST_DAYS); 2],
            _ => sessions(usual, taper * if easier { EASIER } else { 1.0 }, FIRST_MINUTES),
        };
        let raced =
            wish.tune_up.filter(|race| week.contains(race.on)).map(|race| (race.on, race.distance.km()));
        let wanted = held.fit(*week, wanted, easier, raced);
        let want = Want { runs: wanted.len(), hard: 0 };
        let slots = assign(&shape, wish, &open, None, want, &taken, |_| true);
        taken.runs.extend(&slots.easy);
        // Of fewer days than sessions the longest keeps its own.
        let made = wanted[wanted.len() - slots.easy.len()..].iter();
        for (day, minutes) in slots.easy.iter().zip(made) {
            let minutes = held.run(*day, *minutes);
            workouts.push(session(*day, minutes, trained));
        }
        trained = if slots.easy.is_empty() { trained.saturating_sub(1) } else { trained + 1 };
        let phase = if taper < 1.0 { Phase::Taper } else { Phase::Base };
        outlines.push(Outline { first: week.first, phase, cutback: easier });
    }
    let remarks = remarks(athlete, silent, race, &workouts);
    let along = wish.tune_up.map(|tune_up| (tune_up.on, tune_up.distance, "Race along the way"));
    for (day, distance, word) in along.into_iter().chain([(wish.race, race, "Race day")]) {
        workouts.push(Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Race,
            name: format!("{word}: {}", wish.units.distance(distance)),
            distance: Some(distance).filter(|distance| distance.km() <= 200.0),
            intensity: Some("Start slowly, walk when you like, finish".to_owned()),
            key: true,
            ..Workout::rest(day)
        });
    }
    strength::add(wish, &weeks, |_, _| None, &mut workouts);
    complete(&mut workouts, wish, athlete);
    (workouts, outlines, remarks)
}

/// Whether the week after so many of training is an easier one: every so many is.
const fn is_easier(trained: usize, every: usize) -> bool {
    trained % every == every - 1
}

/// Minutes of the longest session after so many weeks of training: a step in each but the easier ones.
fn usual(trained: usize, every: usize) -> f64 {
    let (share, by) = GROWTH;
    let steps = (1..=trained).filter(|week| !is_easier(*week, every)).count();
    (0..steps).fold(FIRST_MINUTES, |minutes, _| (minutes * share).max(minutes + by))
}

/// The sessions of a week that has a share of a usual one, the longest last.
fn sessions(longest: f64, share: f64, least: f64) -> Vec<f64> {
    let other = (longest * OTHERS).clamp(OTHER.0.min(longest), OTHER.1);
    let all = std::iter::repeat_n(other, SESSIONS - 1).chain([longest]);
    all.map(|minutes| (minutes * share).max(least)).collect()
}

/// Holds sessions to the kilometres that the rules on steps allow, where a pace says how many they are.
struct Held {
    /// Minutes of a kilometre.
    pace: Option<f64>,
    /// Runs so far, those before the plan included. Kilometres.
    runs: Vec<(Day, f64)>,
    /// The first week is held against the base, too.
    base: f64,
    /// Kilometres beyond which a run is longer than the race asks for.
    useful: f64,
}

impl Held {
    fn new(shape: &Shape, athlete: &Background) -> Self {
        Self {
            pace: shape.pace.map(|seconds| seconds / 60.0),
            runs: athlete.runs.iter().map(|run| (run.day, run.distance.km())).collect(),
            base: athlete.base().map_or(0.0, Distance::km),
            useful: training_norms::longest_at_most(Level::Novice, shape.race),
        }
    }

    /// As many of the sessions, and as much of them, as a week may hold beside a race.
    fn fit(&mut self, week: Week, wanted: Vec<f64>, easier: bool, raced: Option<(Day, f64)>) -> Vec<f64> {
        let Some(pace) = self.pace else { return wanted };
        let whole: f64 = wanted.iter().sum();
        let in_week = |week: Week| -> f64 {
            self.runs.iter().filter(|(day, _)| week.contains(*day)).map(|(_, km)| *km).sum()
        };
        let fullest = (1..=4).map(|back| in_week(week.plus(-back))).fold(0.0, f64::max);
        let (by, below) = training_norms::SMALL_WEEK;
        let most = if fullest > 0.0 && easier {
            fullest * LIGHTER
        } else if fullest > 0.0 {
            (fullest * GROWTH.0).max((fullest + by).min(below) - ROOM)
        } else {
            training_norms::FIRST_WEEK_FROM_ZERO
        };
        let first = std::mem::take(&mut self.base);
        let most = if first > 0.0 { most.min(first + by - ROOM) } else { most };
        let most = most - ROOM - raced.map_or(0.0, |(_, km)| km);
        self.runs.extend(raced);
        if most * pace < SHORTEST {
            return Vec::new();
        }
        let share = (most * pace / whole).min(1.0);
        let count = ((whole * share / SHORTEST) as usize).clamp(1, wanted.len());
        // Fewer sessions rather than tiny ones.
        let kept = &wanted[wanted.len() - count..];
        let share = (whole * share / kept.iter().sum::<f64>()).min(1.0);
        kept.iter().map(|minutes| (minutes * share).floor().max(SHORTEST)).collect()
    }

    /// As many minutes as a run on a day may have.
    fn run(&mut self, day: Day, minutes: f64) -> f64 {
        let Some(pace) = self.pace else { return minutes };
        let recent = |(ran, _): &&(Day, f64)| (1..=30).contains(&ran.until(day));
        let longest = self.runs.iter().filter(recent).map(|(_, km)| *km).fold(0.0, f64::max);
        let most =
            (longest * training_norms::SESSION_SPIKE.0).max(training_norms::SHORT_RUN).min(self.useful);
        let minutes = minutes.min((most * pace).floor());
        self.runs.push((day, minutes / pace));
        minutes
    }
}

/// Kilometres of room for what is rounded.
const ROOM: f64 = 0.3;

/// What to say: what the plan goes by, and whether it prepares for the race.
fn remarks(athlete: &Background, silent: bool, race: Distance, workouts: &[Workout]) -> Vec<String> {
    let known = if athlete.runs.is_empty() {
        "Nothing is known of your running yet"
    } else if silent {
        "Nothing is known of your running in the last weeks"
    } else {
        "You have run next to nothing in the last weeks"
    };
    let mut said = vec![format!(
        "{known}: the plan goes by minutes and by how it feels, with walking in between, and promises no time. After four \
         weeks of recorded runs, draft again."
    )];
    let longest = workouts.iter().filter_map(|workout| workout.duration).max().unwrap_or(TimeSpan::ZERO);
    // As long as the race itself is long enough.
    let asked = training_norms::longest_at_least(Level::Novice, race).min(race.km());
    let asked = (asked * BY_TURNS).min(THREE_HOURS);
    if longest.seconds() / 60.0 < NEAR * asked {
        let asked = TimeSpan::from_mins(asked as i64).hours_minutes();
        said.push(format!(
            "The longest session before the race is {}; for this distance it should be about {asked}. These weeks do not \
             prepare you to run all of it: plan to walk much of it, or choose a later or a shorter race.",
            longest.hours_minutes()
        ));
    }
    said
}

/// So many minutes of running and walking; the running stretches grow with the weeks, and fill what is between the ways.
fn session(day: Day, minutes: f64, week: usize) -> Workout {
    let (run, walk) = match week {
        0 | 1 => (60.0, 90.0),
        2 | 3 => (120.0, 90.0),
        4 | 5 => (180.0, 60.0),
        6 | 7 => (300.0, 60.0),
        8 | 9 => (480.0, 60.0),
        _ => (900.0, 60.0),
    };
    let minutes = minutes.round().clamp(SHORTEST, THREE_HOURS);
    let way: f64 = if minutes < 15.0 { 120.0 } else { 300.0 };
    let inside = minutes * 60.0 - 2.0 * way;
    let rounds = (inside / (run + walk)).round().clamp(1.0, 45.0);
    // Whole rounds of half a minute more or less, so that no session is longer or shorter than it says.
    let run = ((inside / rounds - walk) / 15.0).floor().max(2.0) * 15.0;
    let last = (minutes * 60.0 - way - rounds * (run + walk)).max(60.0);
    let step = |step_type, seconds: f64, notes: &str| Step {
        step_type,
        duration: StepDuration::Time(seconds),
        target: StepTarget::Open,
        notes: Some(notes.to_owned()),
    };
    let mut steps = vec![step(StepType::Warmup, way, "Walk briskly")];
    for _ in 0..rounds as usize {
        steps.push(step(StepType::Active, run, "Run so that you can talk"));
        steps.push(step(StepType::Recovery, walk, "Walk"));
    }
    steps.push(step(StepType::Cooldown, last, "Walk"));
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        name: format!("Run and walk {minutes:.0} min"),
        duration: TimeSpan::from_seconds(minutes * 60.0),
        intensity: Some("Easy, about 3 of 10: you can talk in whole sentences".to_owned()),
        steps,
        ..Workout::rest(day)
    }
}
