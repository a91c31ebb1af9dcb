//! Rates a target time against the prediction, and makes race splits.

use super::PlanRequest;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::domain::untrusted_text::{capitalize, pluralize};
use crate::metrics::predict::{
    PredictedFinish, Prediction, PredictionInputs, RaceResult, ResultKind, predict, race_name,
};
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{Level, Plan, TrainingBaseline, race_weeks};
use crate::string_enum::string_enum;
use serde::Serialize;

string_enum! {
    /// How well the data supports a target time.
    pub enum GoalSupport("goal support") {
        /// At least one runner in four with this prediction achieved it.
        Supported = "supported",
        /// Between one in ten and one in four.
        Stretch = "stretch",
        /// Between one in twenty and one in ten.
        Unlikely = "unlikely",
        Unsupported = "unsupported",
    }
}

/// Expected improvement from training: 3 % in 14 weeks (Nuuttila 2022, fixed plans), less in
/// proportion for fewer weeks.
const IMPROVEMENT: f64 = 0.03;
const IMPROVEMENT_WEEKS: f64 = 14.0;

/// Fewer weeks than this do not make up for missing long runs before a marathon.
const MIN_CATCH_UP_WEEKS: usize = 6;
/// Kilometres; with a shorter longest run in the last month, a runner is not prepared for a
/// marathon.
const PREPARED_LONGEST_RUN_KM: f64 = 21.0;
/// Runners who called themselves unprepared finished this much later than predicted.
const UNPREPARED_FACTOR: f64 = 1.064;

/// Expected finish on race day: today's prediction with the improvement of the full weeks until
/// then. A plan too short to build fitness (R25) brings none, and for a runner who is not prepared
/// for a marathon the middle and slow end of the range are later. The generator, the linter and the
/// pace card all rate targets by this. `None` without a current prediction.
#[must_use]
pub fn finish_on_race_day(athlete: &TrainingBaseline, start: Day, race: Day) -> Option<PredictedFinish> {
    let prediction = athlete.current_prediction()?;
    let (today, weeks) = (prediction.exact, weeks_left(athlete, start, race));
    let gained = if builds_fitness(athlete, prediction.target, start, race) { weeks as f64 } else { 0.0 };
    let share = 1.0 - IMPROVEMENT * (gained / IMPROVEMENT_WEEKS).min(1.0);
    let times = |time: TimeSpan, share: f64| TimeSpan::from_seconds(time.seconds() * share).unwrap_or(time);
    let later = if is_unprepared(athlete, prediction.target, start, race) { UNPREPARED_FACTOR } else { 1.0 };
    Some(PredictedFinish {
        low: times(today.low, share),
        time: times(today.time, share * later),
        high: times(today.high, share * later),
    })
}

/// Whether a plan is long enough to build fitness (R25).
fn builds_fitness(athlete: &TrainingBaseline, race: Distance, start: Day, race_day: Day) -> bool {
    let level = athlete.level().unwrap_or(Level::Novice);
    race_weeks(start, race_day).len() as i64
        >= training_norms::min_plan_weeks(level, RaceClass::for_distance(race))
}

/// Whether there is too little time for the long runs a marathon needs.
pub(super) fn is_unprepared(athlete: &TrainingBaseline, race: Distance, start: Day, race_day: Day) -> bool {
    RaceClass::for_distance(race) == RaceClass::Full
        && race_weeks(start, race_day).len() < MIN_CATCH_UP_WEEKS
        && athlete.longest_run().is_ok_and(|longest| longest.km() < PREPARED_LONGEST_RUN_KM)
}

/// Full weeks still to come. Past weeks are already part of the data or, without data, unknown.
fn weeks_left(athlete: &TrainingBaseline, start: Day, race: Day) -> usize {
    race_weeks(start.max(athlete.last_completed_day().next()), race).len()
}

/// Rates a target time against an expected finish.
///
/// ```
/// use fitness_core::metrics::predict::PredictedFinish;
/// use fitness_core::plan::{GoalSupport, goal_support};
/// use fitness_core::domain::units::TimeSpan;
///
/// let minutes = TimeSpan::from_mins;
/// let finish = PredictedFinish { low: minutes(213), time: minutes(232), high: minutes(251) };
/// assert_eq!(goal_support(minutes(225), finish), GoalSupport::Supported);
/// assert_eq!(goal_support(minutes(215), finish), GoalSupport::Stretch);
/// assert_eq!(goal_support(minutes(209), finish), GoalSupport::Unlikely);
/// assert_eq!(goal_support(minutes(180), finish), GoalSupport::Unsupported);
/// ```
#[must_use]
pub fn goal_support(target: TimeSpan, finish: PredictedFinish) -> GoalSupport {
    if target >= finish.first_quarter() {
        GoalSupport::Supported
    } else if target >= finish.low {
        GoalSupport::Stretch
    } else if target >= finish.first_twentieth() {
        GoalSupport::Unlikely
    } else {
        GoalSupport::Unsupported
    }
}

pub(super) fn notes(wish: &PlanRequest, race: Distance, athlete: &TrainingBaseline) -> Vec<String> {
    let days = (wish.start, wish.race);
    wish.target.map(|target| describe_support(target, days, race, athlete, wish.units)).into_iter().collect()
}

/// Note on a plan's target time; `None` without a race or a target.
#[must_use]
pub fn describe_target(plan: &Plan, athlete: &TrainingBaseline, units: UnitSystem) -> Option<String> {
    let (target, race) = plan.target_time.zip(plan.distance)?;
    Some(describe_support(target, (plan.start_date, plan.race_date), race, athlete, units))
}

fn describe_support(
    target: TimeSpan,
    (start, race_day): (Day, Day),
    race: Distance,
    athlete: &TrainingBaseline,
    units: UnitSystem,
) -> String {
    let Some(prediction) = athlete.current_prediction() else {
        let clock = target.format_clock();
        return match athlete.runs.last().filter(|_| athlete.prediction.is_ok()) {
            Some(run) => format!(
                "Your last recorded run was on {}, so your current fitness is unknown and {clock} cannot be checked. A race \
                 or a hard 5 km in a few weeks will show where you stand.",
                run.day
            ),
            None => format!(
                "There is no race result yet to check {clock} against. A race or a hard 5 km in the coming weeks will show \
                 where you stand."
            ),
        };
    };
    let weeks = pluralize(weeks_left(athlete, start, race_day) as u64, "week", "weeks");
    let finish = finish_on_race_day(athlete, start, race_day).unwrap_or(prediction.exact);
    let (clock, middle) = (target.format_clock(), finish.rounded(race).time.format_clock());
    let today = prediction.shown.time.format_clock();
    if is_unprepared(athlete, race, start, race_day) {
        let late = finish.rounded(race).high.format_clock();
        return format!(
            "Your results predict {today} today and your goal time is {clock}, but you are not prepared for this distance. \
             Unprepared runners finish about 6% later: expect about {middle}, and possibly up to {late}."
        );
    }
    let later = match builds_fitness(athlete, race, start, race_day) {
        true => format!(" and about {middle} after {weeks} of training"),
        false => format!("; {weeks} of training is too short to expect improvement"),
    };
    match goal_support(target, finish) {
        GoalSupport::Supported => {
            format!("A goal time of {clock} is realistic: your data predicts {today} today{later}.")
        }
        GoalSupport::Stretch => format!(
            "{clock} is a stretch: between one in ten and one in four runners at your level achieve it. The plan uses the \
             pace of today's prediction, {today}; have a plan B for race day."
        ),
        GoalSupport::Unlikely => format!(
            "{clock} is unlikely: between one in twenty and one in ten runners at your level achieve it. The plan uses the \
             pace of today's prediction, {today}."
        ),
        GoalSupport::Unsupported => {
            let needed = required_result(prediction, race, target)
                .map(|(distance, time)| {
                    format!(
                        " {} in about {} would make it realistic.",
                        capitalize(&race_name(distance, units)),
                        time.format_clock()
                    )
                })
                .unwrap_or_default();
            format!(
                "Your data does not support a goal time of {clock}. It predicts {today} today{later}.{needed}"
            )
        }
    }
}

/// The race result that would make the target the middle of the prediction.
fn required_result(
    prediction: &Prediction,
    race: Distance,
    target: TimeSpan,
) -> Option<(Distance, TimeSpan)> {
    let source = prediction.sources.first()?;
    // A shorter race is a better test than the race distance itself.
    let shorter = [3.0, 5.0, 10.0, 21.0975].map(|km| Distance::from_km(km).unwrap_or_default());
    let distance = match source.mark.distance() {
        near if near.mm() as f64 > 0.8 * race.mm() as f64 => {
            shorter.into_iter().rfind(|one| one.mm() as f64 <= 0.6 * race.mm() as f64)?
        }
        other => other,
    };
    let predicted = |seconds: f64| {
        let result = RaceResult {
            distance,
            time: TimeSpan::from_seconds(seconds)?,
            on: Some(prediction.as_of),
            effort: ResultKind::Race,
        };
        let inputs = PredictionInputs {
            results: &[result],
            weekly: prediction.weekly,
            training: None,
            sex: prediction.sex,
            history: &[],
            as_of: prediction.as_of,
        };
        Some(predict(race, &inputs).ok()?.exact.time)
    };
    let level = source.mark.time().seconds() * distance.km() / source.mark.distance().km();
    let (mut fast, mut slow) = (level * 0.5, level);
    for _ in 0..40 {
        let middle = f64::midpoint(fast, slow);
        // Impossible times have no prediction: search among slower ones.
        match predicted(middle) {
            Some(time) if time > target => slow = middle,
            _ => fast = middle,
        }
    }
    predicted(slow)?;
    Some((distance, TimeSpan::from_seconds(slow.round())?))
}

/// Race splits for a good day (A) and for a fallback (B).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaceCard {
    #[serde(rename = "a_ms")]
    pub a: TimeSpan,
    #[serde(rename = "b_ms")]
    pub b: TimeSpan,
    /// Pace of A, seconds per kilometre.
    pub a_pace: Pace,
    /// Pace of B, seconds per kilometre.
    pub b_pace: Pace,
    /// Intermediate times, in order.
    pub splits: Vec<Split>,
}

/// Intermediate times at one distance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Split {
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// The clock on plan A.
    #[serde(rename = "a_ms")]
    pub a: TimeSpan,
    /// The clock on plan B.
    #[serde(rename = "b_ms")]
    pub b: TimeSpan,
}

/// Makes a pace card. A is the target if it is supported or a stretch, else the predicted time. B
/// is the predicted time, or halfway to the slow end if A is already the prediction. `None` without
/// a prediction and a target.
#[must_use]
pub fn pace_card(
    race: Distance,
    target: Option<TimeSpan>,
    finish: Option<PredictedFinish>,
    units: UnitSystem,
) -> Option<PaceCard> {
    let slower = |time: TimeSpan, share: f64| TimeSpan::from_seconds(time.seconds() * share).unwrap_or(time);
    let (a, b) = match (target, finish) {
        (Some(target), Some(finish)) => match goal_support(target, finish) {
            GoalSupport::Supported | GoalSupport::Stretch if target < finish.time => (target, finish.time),
            GoalSupport::Supported | GoalSupport::Stretch => (target, slower(target, 1.03)),
            GoalSupport::Unlikely | GoalSupport::Unsupported => (finish.time, midpoint_to_slow_end(finish)),
        },
        (Some(target), None) => (target, slower(target, 1.03)),
        (None, Some(finish)) => (finish.time, midpoint_to_slow_end(finish)),
        (None, None) => return None,
    };
    let whole = |time: TimeSpan| TimeSpan::from_secs((time.ms() + 500).div_euclid(1000));
    let (a, b) = (whole(a), whole(b));
    let unit = match units {
        UnitSystem::Metric => Distance::from_mm(1_000_000),
        UnitSystem::Imperial => Distance::from_mm(1_609_344),
    };
    // Every unit of a short race, every fifth of a long one.
    let every = if race.mm() > unit.mm() * 12 { 5 } else { 1 };
    let marks =
        (1..).map(|n| Distance::from_mm(unit.mm() * every * n)).take_while(|mark| mark.mm() < race.mm());
    let half = Distance::from_mm(race.mm() / 2);
    let mut at: Vec<Distance> = marks.chain([half, race]).collect();
    at.sort_unstable();
    at.dedup();
    let share = |time: TimeSpan, mark: Distance| {
        let ms = i128::from(time.ms()) * i128::from(mark.mm()) / i128::from(race.mm().max(1));
        TimeSpan::from_secs((i64::try_from(ms).unwrap_or(0) + 500).div_euclid(1000))
    };
    let splits =
        at.into_iter().map(|mark| Split { distance: mark, a: share(a, mark), b: share(b, mark) }).collect();
    let pace = |time: TimeSpan| Pace::from_seconds_per_km(time.seconds() / race.km());
    Some(PaceCard { a, b, a_pace: pace(a)?, b_pace: pace(b)?, splits })
}

/// Halfway between the predicted time and the slow end.
fn midpoint_to_slow_end(finish: PredictedFinish) -> TimeSpan {
    TimeSpan::from_ms(i64::midpoint(finish.time.ms(), finish.high.ms()))
}
