//! The predicted finish: a time, the band around it, and what both were made from.
//!
//! Start at [`predict`]. Up to the half marathon every recent race has its say by a power law; the marathon is the middle
//! of a fitted formula, the training and the athlete's last marathons; distances between and up to 50 km follow a power
//! law with a bend. The formulas stand alone in their files, the band in [`Finish`], and [`backtest`] shows on the
//! athlete's own races what all of this was worth.
//!
//! Deliberately absent: a prediction without a race behind it, a point without its band, and anything learned by a
//! machine at run time.

mod backtest;
mod broken_power_law;
mod current_vdot;
mod explanation;
mod interval;
mod log_linear;
mod marathon;
mod personal_bias;
mod race;
mod riegel;
mod tanda;
#[cfg(test)]
mod tests;
mod training_log;
mod vdot;
mod vickers;
mod weekly_volume;
mod weighted_power_law;

pub use backtest::{
    Backtest, BacktestEvent, BacktestRow, MethodScore, Pinball, TrainingContext, backtest, predict_as_of,
};
pub use broken_power_law::BrokenPowerLaw;
pub use current_vdot::{CurrentVdot, current_vdot};
pub use interval::PredictedFinish;
pub use log_linear::LogLinearModel;
pub use personal_bias::PastPrediction;
pub use race::{EffortKind, Performance, RaceResult, RejectedResult, SourceRace};
pub(crate) use riegel::EXPONENT_UP_TO_HALF;
pub use riegel::riegel;
pub use tanda::{TrainingPace, tanda};
pub use training_log::{LOOK_BACK_DAYS, Run, TrainingLog, official_distance};
pub use vdot::{TrainingPaces, Vdot, vdot_time};
pub use vickers::{vickers_one, vickers_two};
pub use weekly_volume::WeeklyVolume;

use super::{MetricResult, MissingReason, Quality, RequiredInput};
use crate::domain::athlete::Sex;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::string_enum::string_enum;
use interval::LogInterval;
use marathon::RacePair;
use serde::Serialize;

/// Days for which a race counts.
const YEAR: i64 = 365;
/// Days within which the best result shows the form; before that the latest does.
const CURRENT_FORM_DAYS: i64 = 120;
const MIN_TARGET: Distance = Distance::from_mm(1_500_000);
const MAX_TARGET: Distance = Distance::from_mm(50_000_000);
/// A race for a target of 5 km or more, and for a shorter one, with what a measured course may be short.
const MIN_RACE: Distance = Distance::from_mm(4_900_000);
const MIN_RACE_FOR_SHORT_TARGET: Distance = Distance::from_mm(1_470_000);
/// The longest race that says anything, with what a measured course may be long.
const MAX_RACE: Distance = Distance::from_mm(52_500_000);

string_enum! {
    /// How a time was come by.
    pub enum Method("method of prediction") {
        /// What is shown to the athlete.
        Combined = "combined",
        /// Every race of the year by a power law with the exponent 1.07.
        PowerLaw = "power_law",
        /// A power law with a bend at the half marathon.
        BrokenPowerLaw = "hinge",
        /// The fitted marathon formula.
        LogLinear = "log_model",
        /// Tanda 2011, from training.
        Tanda = "tanda",
        /// The athlete's best marathon of two years.
        OwnMarathon = "own_marathon",
        /// Riegel 1981, exponent 1.06.
        Riegel = "riegel",
        /// Daniels & Gilbert 1979.
        Vdot = "vdot",
        /// Vickers & Vertosick 2016, from one race.
        VickersOne = "vickers_one",
        /// Vickers & Vertosick 2016, from two races.
        VickersTwo = "vickers_two",
    }
}

/// What a prediction may be made from. The order of results and history makes no difference.
#[derive(Debug, Clone, Copy)]
pub struct PredictionInputs<'a> {
    /// Races, time trials and hard training, with or without a day. What is later than `as_of` is not looked at.
    pub results: &'a [RaceResult],
    /// Measured weekly distance.
    pub weekly: Option<WeeklyVolume>,
    /// Measured training, for Tanda's formula.
    pub training: Option<TrainingPace>,
    /// Tanda's formula was fitted on men, and says so to everybody else.
    pub sex: Option<Sex>,
    /// Races that had been predicted and were then run.
    pub history: &'a [PastPrediction],
    /// The day of asking.
    pub as_of: Day,
}

impl PredictionInputs<'_> {
    /// The weekly distance, when enough weeks are behind it.
    fn firm_volume(&self) -> Option<Distance> {
        self.weekly.filter(WeeklyVolume::is_firm).map(|weekly| weekly.distance)
    }
}

/// What one method says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MethodEstimate {
    /// Which.
    pub method: Method,
    /// Its time.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
}

/// What well-known formulas say from the same race, to be compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Baselines {
    /// Riegel, exponent 1.06.
    pub riegel: MetricResult<TimeSpan>,
    /// Equal VDOT.
    pub vdot: MetricResult<TimeSpan>,
    /// Vickers & Vertosick 2016 from one race and the weekly distance; for the marathon only.
    pub vickers_one: MetricResult<TimeSpan>,
    /// The same from two races.
    pub vickers_two: MetricResult<TimeSpan>,
}

/// A predicted finish and everything behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// Over which distance.
    #[serde(rename = "target_mm")]
    pub target: Distance,
    /// Seen from which day.
    pub as_of: Day,
    /// As it may be shown, rounded.
    pub shown: PredictedFinish,
    /// As it was computed.
    pub exact: PredictedFinish,
    /// The point before the athlete's own past corrected it: what [`Past::predicted`] wants to know later.
    #[serde(rename = "uncorrected_ms")]
    pub uncorrected: TimeSpan,
    /// From how many own events it was corrected.
    pub own_events: u32,
    /// How far to lean on it.
    pub quality: Quality,
    /// What it is the middle of.
    pub members: Vec<MethodEstimate>,
    /// The races it was made from; the first one counts most.
    pub sources: Vec<SourceRace>,
    /// The weekly distance, where it was used.
    pub weekly: Option<WeeklyVolume>,
    /// The training, where Tanda's formula used it.
    pub training: Option<TrainingPace>,
    /// The athlete's sex, as far as they said.
    pub sex: Option<Sex>,
    /// Results that cannot be, and why.
    pub left_out: Vec<RejectedResult>,
    /// What others would have said.
    pub baselines: Baselines,
}

/// A prediction before its band is final.
#[derive(Debug, Clone, Default)]
struct PointEstimate {
    seconds: f64,
    members: Vec<MethodEstimate>,
    sources: Vec<SourceRace>,
    weekly: Option<WeeklyVolume>,
    training: Option<TrainingPace>,
    spread: Option<LogInterval>,
}

/// Predicts the finish over a distance of 1500 m to 50 km.
///
/// ```
/// use fitness_core::metrics::predict::{Effort, Inputs, RaceResult, WeeklyVolume, predict};
/// use fitness_core::domain::units::{Distance, TimeSpan};
///
/// let half = RaceResult {
///     distance: Distance::HALF_MARATHON,
///     time: TimeSpan::from_mins(105),
///     on: None,
///     effort: Effort::Race,
/// };
/// let inputs = Inputs {
///     results: &[half],
///     weekly: Some(WeeklyVolume { distance: Distance::from_miles(30.0).unwrap(), weeks: Some(8) }),
///     training: None,
///     sex: None,
///     history: &[],
///     as_of: "2026-11-15".parse().unwrap(),
/// };
/// let marathon = predict(Distance::MARATHON, &inputs).unwrap();
/// assert_eq!(marathon.shown.to_string(), "3:52:00 (8 of 10 between 3:33:00 and 4:11:00)");
/// ```
///
/// # Errors
/// When the distance is out of range, there is no race to start from, or the formula was not made for such a finish.
pub fn predict(target: Distance, inputs: &PredictionInputs<'_>) -> MetricResult<Prediction> {
    if !(MIN_TARGET..=MAX_TARGET).contains(&target) {
        return Err(MissingReason::OutOfRange { what: "finishes are predicted for 1.5 to 50 km".to_owned() });
    }
    let target = snap_to_nominal(target);
    let (mut races, mut left_out) = race::usable_results(inputs.results, inputs.as_of);
    let shortest = if target.mm() < 5_000_000 { MIN_RACE_FOR_SHORT_TARGET } else { MIN_RACE };
    let too_long = |race: &&SourceRace| race.mark.distance() > MAX_RACE && race.age(inputs.as_of) <= YEAR;
    left_out.extend(races.iter().filter(too_long).map(RejectedResult::too_long));
    races.retain(|race| (shortest..=MAX_RACE).contains(&race.mark.distance()));

    let outline = match target {
        Distance::MARATHON => marathon::marathon_estimate(&races, inputs),
        _ if target <= Distance::HALF_MARATHON => estimate_up_to_half(target, &races, inputs),
        _ => estimate_beyond_half(target, &races, inputs),
    };
    let outline = outline.map_err(|why| explain_missing(why, &left_out, shortest))?;
    finalize(target, &races, outline, left_out, inputs)
}

/// `21.1 km` and `42.2 km` are how people write a half and a full marathon. This is about a wish, not about what a watch
/// measured: whoever asks for 43 km means it.
fn snap_to_nominal(target: Distance) -> Distance {
    [Distance::HALF_MARATHON, Distance::MARATHON]
        .into_iter()
        .find(|known| (target.mm() - known.mm()).abs() <= known.mm() / 500)
        .unwrap_or(target)
}

/// Where a result would have served but cannot be, that is a better reason than that there is none.
fn explain_missing(why: MissingReason, left_out: &[RejectedResult], shortest: Distance) -> MissingReason {
    let long_enough = |left: &&RejectedResult| left.result.distance >= shortest;
    match (&why, left_out.iter().find(long_enough)) {
        (MissingReason::Missing { .. }, Some(first)) => first.why.clone(),
        _ => why,
    }
}

/// Up to the half marathon.
fn estimate_up_to_half(
    target: Distance,
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
) -> MetricResult<PointEstimate> {
    let law = BrokenPowerLaw::for_up_to_half(inputs.firm_volume());
    let mut outline = weighted_estimate(target, races, inputs, law, Method::PowerLaw)?;
    outline.spread =
        outline.sources.first().map(|race| interval::interval_up_to_half(race.mark.distance(), target));
    // The weekly distance says only how much a race beyond the half had faded.
    let faded = outline.sources.iter().any(|race| race.mark.distance() > Distance::HALF_MARATHON);
    outline.weekly = inputs.weekly.filter(|weekly| faded && weekly.is_firm());
    Ok(outline)
}

/// Between the half and the full marathon, and on to 50 km: the bent power law, kept in step with the predictions for
/// those two, so that a longer way never takes less time.
fn estimate_beyond_half(
    target: Distance,
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
) -> MetricResult<PointEstimate> {
    let weekly = inputs.firm_volume();
    let mut outline =
        weighted_estimate(target, races, inputs, BrokenPowerLaw::for_volume(weekly), Method::BrokenPowerLaw)?;
    outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
    outline.spread =
        outline.sources.first().map(|race| interval::interval_beyond_half(race.mark.distance(), weekly));
    let half = estimate_up_to_half(Distance::HALF_MARATHON, races, inputs)?.seconds;
    let full = marathon::marathon_estimate(races, inputs).map(|full| full.seconds);
    // No faster than the pace of the half, no slower than that of the marathon before it is reached, and no faster
    // after. Where the two contradict each other, the line between them takes the place of an even pace.
    let from_half = |slope: f64| half * (target.meters() / Distance::HALF_MARATHON.meters()).powf(slope);
    let from_full =
        |full: f64, slope: f64| full * (target.meters() / Distance::MARATHON.meters()).powf(slope);
    outline.seconds = match full {
        Ok(full) if full > half => {
            let slope = ((full / half).ln() / std::f64::consts::LN_2).min(1.0);
            if target < Distance::MARATHON {
                outline.seconds.max(from_half(slope)).min(from_full(full, slope))
            } else {
                outline.seconds.max(from_full(full, 1.0))
            }
        }
        _ => outline.seconds.max(from_half(1.0)),
    };
    outline.members =
        vec![MethodEstimate { method: Method::BrokenPowerLaw, time: race::to_time_span(outline.seconds)? }];
    Ok(outline)
}

/// The weighed mean of the last year's races and of the training that says more, the heaviest first among the sources.
fn weighted_estimate(
    target: Distance,
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
    law: BrokenPowerLaw,
    method: Method,
) -> MetricResult<PointEstimate> {
    let as_of = inputs.as_of;
    let recent: Vec<SourceRace> = races.iter().filter(|race| race.age(as_of) <= YEAR).copied().collect();
    let mut races = weighted_power_law::relevant_races(recent, target, as_of, law);
    races.sort_by(|a, b| {
        let weight = |race| weighted_power_law::weight(race, target, as_of);
        weight(b).total_cmp(&weight(a)).then_with(|| a.cmp(b))
    });
    let need = if target.mm() < 5_000_000 { RequiredInput::RaceOf1500M } else { RequiredInput::RaceOf5Km };
    let seconds = weighted_power_law::weighted_seconds(&races, target, as_of, law)
        .ok_or(MissingReason::missing(need))?;
    Ok(PointEstimate {
        seconds,
        members: vec![MethodEstimate { method, time: race::to_time_span(seconds)? }],
        sources: races,
        ..PointEstimate::default()
    })
}

/// Puts the band around the point, corrects both by the athlete's own past, and says how far to lean on them.
fn finalize(
    target: Distance,
    races: &[SourceRace],
    outline: PointEstimate,
    left_out: Vec<RejectedResult>,
    inputs: &PredictionInputs<'_>,
) -> MetricResult<Prediction> {
    let (Some(source), Some(spread)) = (outline.sources.first().copied(), outline.spread) else {
        return Err(MissingReason::missing(RequiredInput::RaceOf5Km));
    };
    let age = source.age(inputs.as_of);
    let training_only = outline.sources.iter().all(|race| race.effort == EffortKind::Training);
    let spread = spread.for_input(training_only, age);
    let own = personal_bias::correction(inputs.history, target, inputs.as_of, spread);
    let exact = PredictedFinish::from_point(outline.seconds * own.shift.exp(), own.spread)?;

    let mut quality = Quality::Ok;
    let unknown_volume = target > Distance::HALF_MARATHON && outline.weekly.is_none();
    if training_only || unknown_volume || target > Distance::MARATHON {
        quality = quality.combine(Quality::Provisional);
    }
    if age > interval::STALE_AFTER_DAYS {
        quality = quality.combine(Quality::Stale);
    }
    Ok(Prediction {
        target,
        as_of: inputs.as_of,
        shown: exact.rounded(target),
        exact,
        uncorrected: race::to_time_span(outline.seconds)?,
        own_events: own.events,
        quality,
        members: outline.members,
        sources: outline.sources,
        weekly: outline.weekly,
        training: outline.training,
        sex: inputs.sex,
        left_out,
        baselines: baselines(
            target,
            source,
            marathon::find_race_pair(races, inputs.as_of),
            inputs.firm_volume(),
        ),
    })
}

fn baselines(
    target: Distance,
    source: SourceRace,
    pair: Option<RacePair>,
    weekly: Option<Distance>,
) -> Baselines {
    let published = || -> MetricResult<(RacePair, Distance)> {
        if target != Distance::MARATHON {
            return Err(MissingReason::OutOfRange {
                what: "the published models are for the marathon".to_owned(),
            });
        }
        let pair = pair.ok_or(MissingReason::missing(RequiredInput::RaceOf5Km))?;
        Ok((pair, weekly.ok_or(MissingReason::missing(RequiredInput::WeeklyDistance))?))
    };
    Baselines {
        riegel: riegel(source.mark, target),
        vdot: vdot_time(source.mark, target),
        vickers_one: published().and_then(|(pair, weekly)| vickers_one(pair.longest.mark, weekly)),
        vickers_two: published().and_then(|(pair, weekly)| {
            let shortest = pair.shortest.ok_or(MissingReason::TooFew {
                have: 1,
                needed: 2,
                what: super::CountUnit::Efforts,
            })?;
            vickers_two(shortest.mark, pair.longest.mark, weekly)
        }),
    }
}
