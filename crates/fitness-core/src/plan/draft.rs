//! Drafts: a plan that nobody has committed. The only plan a model can write.

use super::{Availability, BadWorkout, Goal, Terms, Workout, WorkoutKind};
use crate::calendar::Day;
use crate::hash::ContentHash;
use crate::sport::Sport;
use crate::text::{is_seen, is_storable, visible};
use crate::units::{Distance, TimeSpan};
use serde::{Deserialize, Serialize};

/// More workouts than two years of training twice a day would need is not a plan.
pub const MAX_WORKOUTS: usize = 1500;
const MAX_PLAN_DAYS: i64 = 2 * 366;
const MAX_DAYS_AFTER_RACE: i64 = 42;
const MAX_NAME: usize = 120;

/// A plan as proposed: whole, valid, immutable and inert. It has no id and no status.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    name: String,
    goal: Goal,
    distance: Option<Distance>,
    start_date: Day,
    race_date: Day,
    target_time: Option<TimeSpan>,
    workouts: Vec<Workout>,
    // Absent from the hash of a plan that was made under none.
    #[serde(skip_serializing_if = "Terms::is_empty")]
    terms: Terms,
}

/// Why something is not a plan. Each says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadDraft {
    /// Empty or overlong.
    #[error("the plan's name has 1 to {MAX_NAME} characters, none of them NUL")]
    Name,
    /// A custom goal says how far; a named one already does.
    #[error("a custom goal needs a distance between 1 and 400 km, and a named goal takes none of its own")]
    Distance,
    /// The race must come after the start, within two years.
    #[error("the race on {race} must be 1 to {MAX_PLAN_DAYS} days after the start on {start}")]
    Dates {
        /// The first day.
        start: Day,
        /// The day of the race.
        race: Day,
    },
    /// A target nobody can mean.
    #[error("a target time of {0} for this distance is not possible")]
    Target(String),
    /// Nothing to do, or far too much.
    #[error("a plan has 1 to {MAX_WORKOUTS} workouts, not {0}")]
    Count(usize),
    /// A workout outside the plan's weeks.
    #[error("the workout on {day} is outside the plan, whose workouts may be from {first} to {last}")]
    Outside {
        /// Where the workout is.
        day: Day,
        /// The Monday of the first week.
        first: Day,
        /// The last day a workout may be on.
        last: Day,
    },
    /// A workout on a day the athlete cannot train on.
    #[error("the workout on {day} cannot be: {day} {problem}; move it, or free the day")]
    Unavailable {
        /// Where it is.
        day: Day,
        /// Why not.
        problem: &'static str,
    },
    /// A race of the past.
    #[error("the race on {0} is not in the future; give a later day")]
    Past(Day),
    /// A race that nobody can prepare for any more.
    #[error("the race on {0} is tomorrow, too near to plan for; give a later day")]
    Tomorrow(Day),
    /// A name that is not what it seems.
    #[error(
        "the name \"{0}\" has characters in it that are not seen, or that turn a line around; write it without them"
    )]
    Unseen(String),
    /// A plan of the past.
    #[error("the plan ended on {0}, and that day is over; give a plan that ends today or later")]
    Over(Day),
    /// More blocked days than a plan has.
    #[error("at most {MAX_PLAN_DAYS} days can be blocked")]
    Blackouts,
    /// A workout that breaks a bound.
    #[error("the workout on {day}: {problem}")]
    Workout {
        /// Where it is.
        day: Day,
        /// What is wrong with it.
        problem: BadWorkout,
    },
}

impl Draft {
    /// Checks a plan and puts its workouts in order of their days.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn new(
        name: &str,
        goal: Goal,
        distance: Option<Distance>,
        start_date: Day,
        race_date: Day,
        target_time: Option<TimeSpan>,
        mut workouts: Vec<Workout>,
    ) -> Result<Self, BadDraft> {
        let name = name.trim().to_owned();
        if !(1..=MAX_NAME).contains(&name.chars().count()) || !is_storable(&name) {
            return Err(BadDraft::Name);
        }
        let distance = match (goal.distance(), distance) {
            (Some(own), None) => own,
            (Some(own), Some(given)) if own == given => own,
            (None, Some(given)) if (1.0..=400.0).contains(&given.km()) => given,
            _ => return Err(BadDraft::Distance),
        };
        if !(1..=MAX_PLAN_DAYS).contains(&start_date.until(race_date)) {
            return Err(BadDraft::Dates { start: start_date, race: race_date });
        }
        // 1:30 per km is faster than any human has run any race distance; 30 minutes per km is a slow walk.
        if let Some(target) = target_time
            && !(90.0..=1800.0).contains(&(target.seconds() / distance.km()))
        {
            return Err(BadDraft::Target(target.clock()));
        }
        if !(1..=MAX_WORKOUTS).contains(&workouts.len()) {
            return Err(BadDraft::Count(workouts.len()));
        }
        check_workouts(&workouts, start_date, race_date)?;
        workouts.sort_by_key(|workout| workout.date);
        let (distance, terms) = (Some(distance), Terms::default());
        Ok(Self { name, goal, distance, start_date, race_date, target_time, workouts, terms })
    }

    /// A plan as it was written down: with a race, or without one when it is custom and has no distance. Whatever stands in
    /// it on a day that its terms rule out was put there by the athlete's hand, and stands.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn written(
        name: &str,
        (goal, distance): (Goal, Option<Distance>),
        (start_date, race_date): (Day, Day),
        target_time: Option<TimeSpan>,
        terms: Terms,
        workouts: Vec<Workout>,
    ) -> Result<Self, BadDraft> {
        let draft = match distance {
            None if goal == Goal::Custom => Self::without_race(name, start_date, race_date, workouts)?,
            distance => Self::new(name, goal, distance, start_date, race_date, target_time, workouts)?,
        };
        draft.with_terms(terms)
    }

    /// A stretch of training without a race: it ends on its last day.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn without_race(
        name: &str,
        start_date: Day,
        last: Day,
        workouts: Vec<Workout>,
    ) -> Result<Self, BadDraft> {
        // Any distance will do to be checked by; it is not kept.
        let distance = Some(Distance::from_mm(5_000_000));
        let draft = Self::new(name, Goal::Custom, distance, start_date, last, None, workouts)?;
        if let Some(after) = draft.workouts.iter().find(|workout| workout.date > last) {
            return Err(BadDraft::Outside { day: after.date, first: start_date.iso_week().monday(), last });
        }
        Ok(Self { distance: None, ..draft })
    }

    /// The same plan, made under terms.
    ///
    /// # Errors
    /// Names the first workout that is on another day; a race is where it is.
    pub fn under(self, terms: Terms) -> Result<Self, BadDraft> {
        check_days(&self.workouts, &terms.availability)?;
        self.with_terms(terms)
    }

    fn with_terms(self, terms: Terms) -> Result<Self, BadDraft> {
        if terms.availability.blackouts.len() > MAX_PLAN_DAYS as usize {
            return Err(BadDraft::Blackouts);
        }
        Ok(Self { terms, ..self })
    }

    /// What of it is on a day that its terms rule out, to be told: a file may hold what was put there by hand.
    #[must_use]
    pub fn on_days_off(&self) -> Vec<String> {
        let busy = self.workouts.iter().filter(|w| !w.is_rest() && w.kind != WorkoutKind::Race);
        busy.filter_map(|workout| {
            let problem = self.terms.availability.problem(workout.date)?;
            let day = workout.date;
            Some(format!("{} {day} {problem}: {}", day.weekday(), visible(&workout.name)))
        })
        .collect()
    }

    /// Checks what a plan is held to when it is written down anew, and no longer when it stands: it is still to come, its
    /// names are what they seem, and its steps can be followed.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn check_new(&self, today: Day) -> Result<(), BadDraft> {
        self.ahead_of(today)?;
        for name in self.workouts.iter().map(|workout| &workout.name).chain([&self.name]) {
            check_name(name)?;
        }
        for workout in &self.workouts {
            for (at, step) in workout.steps.iter().enumerate() {
                if let Some(problem) = step.impossible() {
                    let problem = BadWorkout::Step { number: at + 1, problem };
                    return Err(BadDraft::Workout { day: workout.date, problem });
                }
            }
        }
        Ok(())
    }

    /// Checks that its race is after tomorrow, or that something of it is still to come where it has none.
    fn ahead_of(&self, today: Day) -> Result<(), BadDraft> {
        if self.distance.is_some() {
            return match today.until(self.race_date) {
                ..=0 => Err(BadDraft::Past(self.race_date)),
                1 => Err(BadDraft::Tomorrow(self.race_date)),
                _ => Ok(()),
            };
        }
        let last = self.workouts.iter().map(|workout| workout.date).max().unwrap_or(self.race_date);
        let last = last.max(self.race_date);
        if last < today { Err(BadDraft::Over(last)) } else { Ok(()) }
    }

    /// What it was made under.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it trains for.
    #[must_use]
    pub const fn goal(&self) -> Goal {
        self.goal
    }

    /// The race distance.
    #[must_use]
    pub const fn distance(&self) -> Option<Distance> {
        self.distance
    }

    /// The first day that counts.
    #[must_use]
    pub const fn start_date(&self) -> Day {
        self.start_date
    }

    /// The day of the race.
    #[must_use]
    pub const fn race_date(&self) -> Day {
        self.race_date
    }

    /// The time hoped for.
    #[must_use]
    pub const fn target_time(&self) -> Option<TimeSpan> {
        self.target_time
    }

    /// In order of their days.
    #[must_use]
    pub fn workouts(&self) -> &[Workout] {
        &self.workouts
    }

    /// What an athlete sees before committing, in 32 bytes.
    #[must_use]
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of_json(self)
    }
}

/// Checks that a new name is what it seems. HTML and any script are text, and escaped where they are shown.
pub(super) fn check_name(name: &str) -> Result<(), BadDraft> {
    if is_seen(name) { Ok(()) } else { Err(BadDraft::Unseen(visible(name).to_string())) }
}

/// The days a plan's workouts may be on.
pub(super) fn days(start: Day, race: Day) -> std::ops::RangeInclusive<Day> {
    // The days from Monday to the start are listed, as `not_started`; recovery may follow the race.
    start.iso_week().monday()..=race.plus(MAX_DAYS_AFTER_RACE)
}

/// Checks that every workout is sound and within the plan's weeks.
pub(super) fn check_workouts(workouts: &[Workout], start: Day, race: Day) -> Result<(), BadDraft> {
    let (first, last) = days(start, race).into_inner();
    for workout in workouts {
        let day = workout.date;
        if !(first..=last).contains(&day) {
            return Err(BadDraft::Outside { day, first, last });
        }
        workout.check().map_err(|problem| BadDraft::Workout { day, problem })?;
    }
    Ok(())
}

/// Checks that nothing but a race is on a day the athlete cannot train on.
pub(super) fn check_days(workouts: &[Workout], availability: &Availability) -> Result<(), BadDraft> {
    for workout in workouts.iter().filter(|workout| !workout.is_rest() && workout.kind != WorkoutKind::Race) {
        if let Some(problem) = availability.problem(workout.date) {
            return Err(BadDraft::Unavailable { day: workout.date, problem });
        }
    }
    Ok(())
}

/// A draft as it arrives from outside: a file, or a model's `draft_training_plan` call. There is no
/// status and no user in it, and unknown fields are refused, so neither can be smuggled in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftRequest {
    /// What to call it; made from goal and date when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// `5k`, `10k`, `half`, `full` or `custom`.
    pub goal: Goal,
    /// Kilometres, for a custom goal.
    #[serde(default)]
    pub distance_km: Option<f64>,
    /// The day of the race.
    pub race_date: Day,
    /// The first day that counts.
    pub start_date: Day,
    /// `01:45:00`, when there is a target.
    #[serde(default)]
    pub target_time: Option<String>,
    /// Day by day.
    pub schedule: Vec<ScheduleItem>,
}

/// One day of a requested schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleItem {
    /// The day.
    pub date: Day,
    /// How far, in miles.
    #[serde(default)]
    pub planned_miles: Option<f64>,
    /// How far, in kilometres; instead of miles.
    #[serde(default)]
    pub planned_km: Option<f64>,
    /// How long, in minutes.
    #[serde(default)]
    pub duration_minutes: Option<f64>,
    /// What it is for, such as `easy`, `long` or `rest`.
    pub kind: String,
    /// What to call it; made from the kind when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The sport; running unless said.
    #[serde(default)]
    pub sport: Option<Sport>,
    /// What to do, in words.
    #[serde(default)]
    pub description: Option<String>,
}

/// Why a requested draft cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadRequest {
    /// The target is not a time.
    #[error(transparent)]
    Target(#[from] crate::units::BadTime),
    /// A length that is not one.
    #[error("the schedule on {0}: a {1} of {2} is none; give a number above zero, or leave it out")]
    Length(Day, &'static str, f64),
    /// Miles and kilometres.
    #[error("the schedule on {0}: give the distance once, in miles or in kilometres")]
    TwoDistances(Day),
    /// A word for a workout that nobody knows.
    #[error(
        "the schedule on {0}: `{1}` is no kind of workout; write easy, recovery, long, tempo, intervals, hills, race_pace, \
         strides, race, cross_training, strength, rest or other"
    )]
    Kind(Day, String),
    /// Two entries for one thing.
    #[error("the schedule has {0} twice; put what belongs together into one entry")]
    Twice(Day),
    /// The plan itself does not hold together.
    #[error(transparent)]
    Draft(#[from] BadDraft),
}

/// A day with two workouts of one sport, or with a workout beside a day off.
fn doubled(workouts: &[Workout]) -> Option<Day> {
    let mut seen = std::collections::BTreeMap::<Day, Vec<Sport>>::new();
    workouts.iter().find_map(|workout| {
        let sports = seen.entry(workout.date).or_default();
        let again = sports.contains(&workout.sport)
            || (!sports.is_empty() && (workout.is_rest() || sports.contains(&Sport::Rest)));
        sports.push(workout.sport);
        again.then_some(workout.date)
    })
}

/// The race itself.
fn race_day(date: Day, goal: Goal, distance: Option<Distance>) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Race,
        name: goal.spoken().to_owned(),
        distance: distance.filter(|distance| distance.km() <= 200.0),
        key: true,
        ..Workout::rest(date)
    }
}

impl DraftRequest {
    /// Turns a request into a draft.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn into_draft(self) -> Result<Draft, BadRequest> {
        let target = self.target_time.as_deref().map(str::parse).transpose()?;
        let name = self.name.unwrap_or_else(|| format!("{} {}", self.goal.spoken(), self.race_date));
        let distance = match self.distance_km {
            Some(km) => Some(Distance::from_km(km).ok_or(BadDraft::Distance)?),
            None => None,
        };
        let mut workouts: Vec<Workout> =
            self.schedule.into_iter().map(ScheduleItem::into_workout).collect::<Result<_, _>>()?;
        if let Some(twice) = doubled(&workouts) {
            return Err(BadRequest::Twice(twice));
        }
        // Whoever names the race need not list it.
        if !workouts.is_empty() && workouts.iter().all(|workout| workout.date != self.race_date) {
            let far = self.goal.distance().or(distance);
            workouts.push(race_day(self.race_date, self.goal, far));
        }
        Ok(Draft::new(&name, self.goal, distance, self.start_date, self.race_date, target, workouts)?)
    }
}

impl ScheduleItem {
    fn into_workout(self) -> Result<Workout, BadRequest> {
        let date = self.date;
        let no = |what: &'static str, given: f64| move || BadRequest::Length(date, what, given);
        let kind = read_kind(&self.kind).ok_or_else(|| BadRequest::Kind(date, shortened(&self.kind)))?;
        if kind == WorkoutKind::Rest {
            let amounts = [self.planned_miles, self.planned_km, self.duration_minutes];
            if amounts.into_iter().flatten().any(|amount| amount != 0.0) {
                return Err(BadDraft::Workout { day: date, problem: BadWorkout::Rest }.into());
            }
            return Ok(Workout { description: self.description, ..Workout::rest(date) });
        }
        let distance = match (self.planned_miles, self.planned_km) {
            (Some(miles), None) => Some(Distance::from_miles(miles).ok_or_else(no("distance", miles))?),
            (None, Some(km)) => Some(Distance::from_km(km).ok_or_else(no("distance", km))?),
            (None, None) => None,
            (Some(_), Some(_)) => return Err(BadRequest::TwoDistances(date)),
        };
        let duration = match self.duration_minutes {
            Some(minutes) => {
                Some(TimeSpan::from_seconds(minutes * 60.0).ok_or_else(no("duration", minutes))?)
            }
            None => None,
        };
        let sport = self.sport.unwrap_or(match kind {
            WorkoutKind::Strength => Sport::Strength,
            WorkoutKind::CrossTraining => Sport::Other,
            _ => Sport::Running,
        });
        let name = self.name.unwrap_or_else(|| spoken_kind(&self.kind));
        Ok(Workout {
            sport,
            kind,
            name,
            distance: distance.filter(|d| *d > Distance::ZERO),
            duration,
            description: self.description,
            key: matches!(
                kind,
                WorkoutKind::Long
                    | WorkoutKind::Tempo
                    | WorkoutKind::Intervals
                    | WorkoutKind::RacePace
                    | WorkoutKind::Race
            ),
            ..Workout::rest(date)
        })
    }
}

/// The nearest kind for a word a person or a model might use.
fn read_kind(text: &str) -> Option<WorkoutKind> {
    let word = text.trim().to_lowercase().replace([' ', '-'], "_");
    if let Ok(kind) = word.parse() {
        return Some(kind);
    }
    Some(match word.strip_suffix("_run").unwrap_or(&word) {
        "off" | "rest_day" | "day_off" => WorkoutKind::Rest,
        "easy" | "base" | "aerobic" | "shakeout" | "general_aerobic" | "run" => WorkoutKind::Easy,
        "recovery" | "jog" => WorkoutKind::Recovery,
        "long" | "medium_long" | "progression" => WorkoutKind::Long,
        "interval" | "repeats" | "speed" | "track" | "vo2max" | "fartlek" => WorkoutKind::Intervals,
        "tempo" | "threshold" | "lt" | "steady" => WorkoutKind::Tempo,
        "hill" | "hill_repeats" => WorkoutKind::Hills,
        "marathon_pace" | "goal_pace" | "race_pace" => WorkoutKind::RacePace,
        "race_day" | "tune_up" => WorkoutKind::Race,
        "cross" | "cross_train" | "crosstraining" => WorkoutKind::CrossTraining,
        _ => return None,
    })
}

/// The beginning of a text, to be shown.
fn shortened(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// `long_run` as a title: `Long run`.
fn spoken_kind(text: &str) -> String {
    let words = text.trim().replace('_', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "Workout".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = r#"{"goal":"half","race_date":"2026-09-20","start_date":"2026-06-16","target_time":"01:45:00",
        "schedule":[{"date":"2026-06-16","planned_miles":5,"kind":"easy"},{"date":"2026-06-17","planned_miles":0,"kind":"rest"},
        {"date":"2026-06-21","planned_miles":9,"kind":"long"}]}"#;

    fn seed_with(change: impl Fn(&mut serde_json::Value)) -> Result<Draft, String> {
        let mut value: serde_json::Value = serde_json::from_str(SEED).unwrap();
        change(&mut value);
        let request: DraftRequest = serde_json::from_value(value).map_err(|e| e.to_string())?;
        request.into_draft().map_err(|e| e.to_string())
    }

    #[test]
    fn the_seeds_request_becomes_a_draft() {
        let draft = seed_with(|_| {}).unwrap();
        assert_eq!(draft.name(), "Half marathon 2026-09-20");
        assert_eq!(draft.distance(), Some(Distance::HALF_MARATHON));
        assert_eq!(draft.target_time(), Some(TimeSpan::from_secs(6300)));
        assert_eq!(draft.workouts().len(), 4, "and the race, which need not be listed");
        assert_eq!(draft.workouts()[3].kind, WorkoutKind::Race);
        assert!(draft.workouts()[1].is_rest());
        assert_eq!(draft.workouts()[2].distance, Distance::from_miles(9.0));
        assert!(draft.workouts()[2].key);
    }

    #[test]
    fn a_status_or_a_user_cannot_be_smuggled_in() {
        for field in ["status", "user_id", "activated_by"] {
            let error = seed_with(|v| v[field] = "active".into()).unwrap_err();
            assert!(error.contains("unknown field"), "{error}");
            let error = seed_with(|v| v["schedule"][0][field] = "active".into()).unwrap_err();
            assert!(error.contains("unknown field"), "{error}");
        }
    }

    #[test]
    fn what_is_not_a_plan_is_refused_with_what_to_change() {
        type Change = fn(&mut serde_json::Value);
        let cases: [(Change, &str); 15] = [
            (
                |v| v["schedule"][0]["kind"] = "zzz".into(),
                "`zzz` is no kind of workout; write easy, recovery, long",
            ),
            (|v| v["schedule"][1]["date"] = "2026-06-16".into(), "has 2026-06-16 twice"),
            (|v| v["race_date"] = "2026-06-16".into(), "must be 1 to 732 days after the start"),
            (|v| v["race_date"] = "2029-06-16".into(), "must be 1 to 732 days after the start"),
            (|v| v["target_time"] = "0:25:00".into(), "25:00 for this distance is not possible"),
            (|v| v["target_time"] = "soon".into(), "`soon` is not a time"),
            (|v| v["goal"] = "custom".into(), "a custom goal needs a distance"),
            (|v| v["distance_km"] = 12.0.into(), "a named goal takes none of its own"),
            (|v| v["schedule"] = serde_json::json!([]), "1 to 1500 workouts, not 0"),
            (
                |v| v["schedule"][0]["date"] = "2026-06-14".into(),
                "outside the plan, whose workouts may be from 2026-06-15",
            ),
            (
                |v| v["schedule"][0]["planned_miles"] = (-3).into(),
                "a distance of -3 is none; give a number above zero",
            ),
            (
                |v| v["schedule"][0]["planned_km"] = 5.into(),
                "give the distance once, in miles or in kilometres",
            ),
            (|v| v["schedule"][0]["planned_miles"] = 130.into(), "at most 200 km"),
            (|v| v["schedule"][1]["planned_miles"] = 3.into(), "a rest day has sport `rest`"),
            (|v| v["name"] = "a\0b".into(), "none of them NUL"),
        ];
        for (change, expected) in cases {
            let error = seed_with(change).unwrap_err();
            assert!(error.contains(expected), "{error} / {expected}");
        }
    }

    #[test]
    fn a_plan_for_the_past_or_for_tomorrow_is_no_plan() {
        let draft = seed_with(|_| {}).unwrap();
        let race: Day = "2026-09-20".parse().unwrap();
        assert_eq!(draft.check_new(race.plus(-2)), Ok(()));
        let said = |today: Day| draft.check_new(today).unwrap_err().to_string();
        assert_eq!(
            said(race.previous()),
            "the race on 2026-09-20 is tomorrow, too near to plan for; give a later day"
        );
        for today in [race, race.next()] {
            assert_eq!(said(today), "the race on 2026-09-20 is not in the future; give a later day");
        }
        // What has no race can be taken as long as something of it is ahead.
        let run = draft.workouts()[0].clone();
        let week = Draft::without_race("Week", run.date, run.date.plus(5), vec![run.clone()]).unwrap();
        assert_eq!(week.check_new(run.date.plus(5)), Ok(()));
        assert_eq!(week.check_new(run.date.plus(6)), Err(BadDraft::Over(run.date.plus(5))));
    }

    #[test]
    fn a_name_is_what_it_seems() {
        let today: Day = "2026-06-16".parse().unwrap();
        let named = |name: &str| {
            let plan = seed_with(|v| v["name"] = name.into()).unwrap().check_new(today);
            let workout = seed_with(|v| v["schedule"][0]["name"] = name.into()).unwrap().check_new(today);
            assert_eq!(plan, workout, "{name}");
            plan.map_err(|why| why.to_string())
        };
        for fine in ["Lauf \u{1f3c3}\u{200d}\u{2640}\u{fe0f}", "<b>Run</b> & more", "עברית", "1 \" 2"] {
            assert_eq!(named(fine), Ok(()), "{fine}");
        }
        for (wrong, shown) in [
            ("a\u{202e}b", "a<U+202E>b"),
            ("a\u{1b}[2Jb", "a<U+001B>[2Jb"),
            ("two\nlines", "two⏎lines"),
            ("a\u{200b}b", "a<U+200B>b"),
        ] {
            let why = named(wrong).unwrap_err();
            assert!(why.starts_with(&format!("the name \"{shown}\" has characters in it")), "{why}");
        }
    }

    #[test]
    fn the_hash_follows_the_content_and_nothing_else() {
        let hash = seed_with(|_| {}).unwrap().content_hash();
        assert_eq!(
            seed_with(|v| v["schedule"].as_array_mut().unwrap().reverse()).unwrap().content_hash(),
            hash
        );
        assert_ne!(seed_with(|v| v["schedule"][0]["planned_miles"] = 6.into()).unwrap().content_hash(), hash);
        assert_ne!(seed_with(|v| v["name"] = "Other".into()).unwrap().content_hash(), hash);
    }
}
