//! What the data says about a time hoped for, and how to spend it on the day.

use super::PlanRequest;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::domain::untrusted_text::pluralize;
use crate::metrics::predict::{
    EffortKind, PredictedFinish, Prediction, PredictionInputs, RaceResult, predict,
};
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{Level, Plan, TrainingBaseline, race_weeks};
use crate::string_enum::string_enum;
use serde::Serialize;

string_enum! {
    /// How far the data stands behind a target.
    pub enum GoalSupport("support of a target") {
        /// A quarter of those who were predicted so ran it.
        Supported = "supported",
        /// Between one in ten and one in four did.
        Stretch = "stretch",
        /// Between one in twenty and one in ten did.
        Unlikely = "unlikely",
        /// Fewer did.
        Unsupported = "unsupported",
    }
}

/// What training is taken to bring: 3 % in 14 weeks (Nuuttila 2022, fixed plans), in proportion below.
const IMPROVEMENT: f64 = 0.03;
const IMPROVEMENT_WEEKS: f64 = 14.0;

/// A runway shorter than this, in weeks, does not make up for long runs that are missing before a marathon.
const MIN_CATCH_UP_WEEKS: usize = 6;
/// Kilometres of the longest run of the last month below which a marathon is not prepared for.
const PREPARED_LONGEST_RUN_KM: f64 = 21.0;
/// Who called themselves unprepared finished so much later than predicted (FORMULAS, section 16).
const UNPREPARED_FACTOR: f64 = 1.064;

/// The finish that may be looked for on race day: today's, with what the full weeks of training until then are taken to
/// bring. A runway too short to build on (R25) brings nothing, and who is not prepared for a marathon is later: the middle
/// and the slow end of the band move, its fast end stays. Whoever judges a target (the generator, the linter, the pace card)
/// judges it by this. `None` without a prediction of this athlete as they are today.
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

/// Whether a marathon comes before the long runs for it can.
pub(super) fn is_unprepared(athlete: &TrainingBaseline, race: Distance, start: Day, race_day: Day) -> bool {
    RaceClass::for_distance(race) == RaceClass::Full
        && race_weeks(start, race_day).len() < MIN_CATCH_UP_WEEKS
        && athlete.longest_run().is_ok_and(|longest| longest.km() < PREPARED_LONGEST_RUN_KM)
}

/// Full weeks of a plan that are still to come. Those that are over brought what the data says of them, and where there is
/// none, nothing that is known.
fn weeks_left(athlete: &TrainingBaseline, start: Day, race: Day) -> usize {
    race_weeks(start.max(athlete.last_completed_day().next()), race).len()
}

/// How far a finish stands behind a target.
///
/// ```
/// use fitness_core::metrics::predict::Finish;
/// use fitness_core::plan::{Support, support};
/// use fitness_core::domain::units::TimeSpan;
///
/// let minutes = TimeSpan::from_mins;
/// let finish = Finish { low: minutes(213), time: minutes(232), high: minutes(251) };
/// assert_eq!(support(minutes(225), finish), Support::Supported);
/// assert_eq!(support(minutes(215), finish), Support::Stretch);
/// assert_eq!(support(minutes(209), finish), Support::Unlikely);
/// assert_eq!(support(minutes(180), finish), Support::Unsupported);
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

/// What to say about the target.
pub(super) fn notes(wish: &PlanRequest, race: Distance, athlete: &TrainingBaseline) -> Vec<String> {
    let days = (wish.start, wish.race);
    wish.target.map(|target| describe_support(target, days, race, athlete, wish.units)).into_iter().collect()
}

/// What to say about the target of a plan that is there; `None` without a race or a target.
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
                "Nothing says what you could run today, as the last run there is was on {}: {clock} is your wish, and no \
                 more is known of it. A race or a hard 5 km in some weeks will tell.",
                run.day
            ),
            None => format!(
                "No result to measure {clock} by yet: sessions go by effort, not by pace. A race or a hard 5 km in the \
                 coming weeks will tell."
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
            "Your races alone say {today} today, and {clock} was asked for; but you are not prepared for this distance. \
             Runners who are not finish about 6 % later: about {middle}, and as late as {late}."
        );
    }
    let later = match builds_fitness(athlete, race, start, race_day) {
        true => format!(", about {middle} after {weeks} of training"),
        false => format!("; {weeks} of training are too few to count on more"),
    };
    match goal_support(target, finish) {
        GoalSupport::Supported => format!("{clock} is within what your data supports: {today} today{later}."),
        GoalSupport::Stretch => format!(
            "{clock} is a stretch: one in four to one in ten get there from where you are. You train at what your data \
             says today, {today}, and take a plan B to the start."
        ),
        GoalSupport::Unlikely => format!(
            "{clock} is unlikely: about one in ten to one in twenty did it from where you are. You train at what your \
             data says today, {today}."
        ),
        GoalSupport::Unsupported => {
            let needed = required_result(prediction, race, target)
                .map(|(distance, time)| {
                    format!(
                        " A {} in about {} would support it.",
                        units.format_distance(distance),
                        time.format_clock()
                    )
                })
                .unwrap_or_default();
            format!("{clock} is not supported by your data: it says {today} today{later}.{needed}")
        }
    }
}

/// The result over the distance of the prediction's main source from which the target would be the middle.
fn required_result(
    prediction: &Prediction,
    race: Distance,
    target: TimeSpan,
) -> Option<(Distance, TimeSpan)> {
    let source = prediction.sources.first()?;
    // A shorter race tells it better than the race itself would.
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
            effort: EffortKind::Race,
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
        // What is too fast for any human has no prediction: look among the slower ones.
        match predicted(middle) {
            Some(time) if time > target => slow = middle,
            _ => fast = middle,
        }
    }
    predicted(slow)?;
    Some((distance, TimeSpan::from_seconds(slow.round())?))
}

/// How to spend a race: splits for the day that goes well, and for the one that does not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaceCard {
    /// The time to go for.
    #[serde(rename = "a_ms")]
    pub a: TimeSpan,
    /// The time to fall back to.
    #[serde(rename = "b_ms")]
    pub b: TimeSpan,
    /// Pace of A, seconds per kilometre.
    pub a_pace: Pace,
    /// Pace of B, seconds per kilometre.
    pub b_pace: Pace,
    /// Where to be when.
    pub splits: Vec<Split>,
}

/// A point of a race.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Split {
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// The clock on plan A.
    #[serde(rename = "a_ms")]
    pub a: TimeSpan,
    /// The clock on plan B.
    #[serde(rename = "b_ms")]
    pub b: TimeSpan,
}

/// A pace card: A is the target where the data supports it or it is a stretch, else the middle of the prediction; B is
/// the middle, or its slower half where A is the middle already. `None` without a prediction and without a target.
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
    // Every kilometre of a short race, every fifth of a long one.
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

/// Half way from the middle to the slow end.
fn midpoint_to_slow_end(finish: PredictedFinish) -> TimeSpan {
    TimeSpan::from_ms(i64::midpoint(finish.time.ms(), finish.high.ms()))
}
