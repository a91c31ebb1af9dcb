//! Race prediction: a finish time, its 80 % range, and what both are based on.
//!
//! Start at [`predict`]. Up to the half marathon: a weighted power law over all recent races.
//! Marathon: mean of a fitted formula, training and the athlete's best marathon. Distances in
//! between and up to 50 km: a broken power law. Each formula has its own file, the range is in
//! [`PredictedFinish`], and [`backtest`] checks the accuracy on the athlete's own races.
//!
//! There is deliberately no prediction without a race, no finish time without a range, and no
//! machine learning at run time.

mod backtest;
mod broken_power_law;
mod current_vdot;
mod explanation;
pub(crate) use explanation::race_name;
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
    Backtest, BacktestRace, BacktestRow, MethodScore, Pinball, TrainingContext, backtest, predict_as_of,
};
pub use broken_power_law::BrokenPowerLaw;
pub use current_vdot::{CurrentVdot, current_vdot};
pub use interval::PredictedFinish;
pub use log_linear::LogLinearModel;
pub use personal_bias::PastPrediction;
pub use race::{Performance, RaceResult, RejectedRaceResult, ResultKind, SourceRace};
pub(crate) use riegel::EXPONENT_UP_TO_HALF;
pub use riegel::riegel;
pub use tanda::{RecentTraining, tanda};
pub use training_log::{LOOK_BACK_DAYS, Run, TrainingLog, official_distance};
pub use vdot::{TrainingPaces, Vdot, vdot_time};
pub use vickers::{vickers_one, vickers_two};
pub use weekly_volume::WeeklyVolume;

use super::{MetricResult, MissingReason, Quality, RequiredInput};
use crate::domain::athlete::Sex;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::string_enum::string_enum;
use interval::LogRatioRange;
use marathon::LongestAndShortestRace;
use serde::Serialize;

/// Maximum age of a race, days.
const YEAR: i64 = 365;
/// Within these days the best result counts, before that the latest.
const CURRENT_FORM_DAYS: i64 = 120;
const MIN_TARGET: Distance = Distance::from_mm(1_500_000);
const MAX_TARGET: Distance = Distance::from_mm(50_000_000);
/// Minimum race distance for targets of 5 km or more and for shorter ones, with GPS tolerance.
const MIN_RACE: Distance = Distance::from_mm(4_900_000);
const MIN_RACE_FOR_SHORT_TARGET: Distance = Distance::from_mm(1_470_000);
/// Longest race used, with GPS tolerance.
const MAX_RACE: Distance = Distance::from_mm(52_500_000);

string_enum! {
    pub enum PredictionMethod("prediction method") {
        /// The prediction shown to the athlete.
        Combined = "combined",
        /// Weighted power law over all races of the year, exponent 1.07.
        PowerLaw = "power_law",
        /// Power law with a second exponent beyond the half marathon.
        BrokenPowerLaw = "hinge",
        /// The fitted marathon formula.
        LogLinear = "log_model",
        /// Tanda 2011, from training.
        Tanda = "tanda",
        /// The athlete's best marathon of the last two years.
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

/// Input of a prediction. The order of results and history does not matter.
#[derive(Debug, Clone, Copy)]
pub struct PredictionInputs<'a> {
    /// Races, time trials and hard training, with or without a date. Results after `as_of` are
    /// ignored.
    pub results: &'a [RaceResult],
    pub weekly: Option<WeeklyVolume>,
    /// Measured training, for Tanda's formula.
    pub training: Option<RecentTraining>,
    /// Tanda's formula was fitted on men; the explanation says so for other athletes.
    pub sex: Option<Sex>,
    /// Past races with their predictions, for the personal correction.
    pub history: &'a [PastPrediction],
    pub as_of: Day,
}

impl PredictionInputs<'_> {
    /// The weekly distance, if based on enough weeks.
    fn firm_volume(&self) -> Option<Distance> {
        self.weekly.filter(WeeklyVolume::is_firm).map(|weekly| weekly.distance)
    }
}

/// Estimate of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MethodEstimate {
    pub method: PredictionMethod,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
}

/// Published formulas applied to the same race, for comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FormulaPredictions {
    pub riegel: MetricResult<TimeSpan>,
    pub vdot: MetricResult<TimeSpan>,
    /// Vickers & Vertosick 2016 from one race and the weekly distance; for the marathon only.
    pub vickers_one: MetricResult<TimeSpan>,
    /// Vickers & Vertosick 2016 from two races.
    pub vickers_two: MetricResult<TimeSpan>,
}

/// A predicted finish and what it is based on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    #[serde(rename = "target_mm")]
    pub target: Distance,
    pub as_of: Day,
    pub shown: PredictedFinish,
    pub exact: PredictedFinish,
    /// Finish time before the personal correction; later used as [`PastPrediction::predicted`].
    #[serde(rename = "uncorrected_ms")]
    pub uncorrected: TimeSpan,
    /// Number of past races behind the personal correction.
    pub own_events: u32,
    pub quality: Quality,
    /// Estimates it is the mean of.
    pub members: Vec<MethodEstimate>,
    /// Races used, the most important first.
    pub sources: Vec<SourceRace>,
    /// Weekly distance, if used.
    pub weekly: Option<WeeklyVolume>,
    /// Training, if Tanda's formula was used.
    pub training: Option<RecentTraining>,
    pub sex: Option<Sex>,
    /// Implausible results, with the reason.
    pub left_out: Vec<RejectedRaceResult>,
    pub baselines: FormulaPredictions,
}

/// A prediction before its range is final.
#[derive(Debug, Clone, Default)]
struct PointEstimate {
    seconds: f64,
    members: Vec<MethodEstimate>,
    sources: Vec<SourceRace>,
    weekly: Option<WeeklyVolume>,
    training: Option<RecentTraining>,
    spread: Option<LogRatioRange>,
}

/// Predicts the finish time over a distance of 1500 m to 50 km.
///
/// ```
/// use fitness_core::metrics::predict::{
///     ResultKind, PredictionInputs, RaceResult, WeeklyVolume, predict,
/// };
/// use fitness_core::domain::units::{Distance, TimeSpan};
///
/// let half = RaceResult {
///     distance: Distance::HALF_MARATHON,
///     time: TimeSpan::from_mins(105),
///     on: None,
///     effort: ResultKind::Race,
/// };
/// let inputs = PredictionInputs {
///     results: &[half],
///     weekly: Some(WeeklyVolume { distance: Distance::from_miles(30.0).unwrap(), weeks: Some(8) }),
///     training: None,
///     sex: None,
///     history: &[],
///     as_of: "2026-11-15".parse().unwrap(),
/// };
/// let marathon = predict(Distance::MARATHON, &inputs).unwrap();
/// assert_eq!(marathon.shown.to_string(), "3:52:00 (80% range 3:33:00 to 4:11:00)");
/// ```
///
/// # Errors
/// When the distance is out of range, there is no usable race, or the finish time is outside the
/// range of the formula.
pub fn predict(target: Distance, inputs: &PredictionInputs<'_>) -> MetricResult<Prediction> {
    if !(MIN_TARGET..=MAX_TARGET).contains(&target) {
        return Err(MissingReason::OutOfRange { what: "predictions cover 1.5 to 50 km".to_owned() });
    }
    let target = snap_to_nominal(target);
    let (mut races, mut left_out) = race::usable_results(inputs.results, inputs.as_of);
    let shortest = if target.mm() < 5_000_000 { MIN_RACE_FOR_SHORT_TARGET } else { MIN_RACE };
    let too_long = |race: &&SourceRace| race.mark.distance() > MAX_RACE && race.age(inputs.as_of) <= YEAR;
    left_out.extend(races.iter().filter(too_long).map(RejectedRaceResult::too_long));
    races.retain(|race| (shortest..=MAX_RACE).contains(&race.mark.distance()));

    let outline = match target {
        Distance::MARATHON => marathon::marathon_estimate(&races, inputs),
        _ if target <= Distance::HALF_MARATHON => estimate_up_to_half(target, &races, inputs),
        _ => estimate_beyond_half(target, &races, inputs),
    };
    let outline = outline.map_err(|why| explain_missing(why, &left_out, shortest))?;
    finalize(target, &races, outline, left_out, inputs)
}

/// People write `21.1 km` and `42.2 km` for a half and a full marathon. The target is a typed
/// distance, not a measured one, so the tolerance is only 0.2 %.
fn snap_to_nominal(target: Distance) -> Distance {
    [Distance::HALF_MARATHON, Distance::MARATHON]
        .into_iter()
        .find(|known| (target.mm() - known.mm()).abs() <= known.mm() / 500)
        .unwrap_or(target)
}

/// Prefers "this result is implausible" to "there is no result" as the reason.
fn explain_missing(why: MissingReason, left_out: &[RejectedRaceResult], shortest: Distance) -> MissingReason {
    let long_enough = |left: &&RejectedRaceResult| left.result.distance >= shortest;
    match (&why, left_out.iter().find(long_enough)) {
        (MissingReason::Missing { .. }, Some(first)) => first.why.clone(),
        _ => why,
    }
}

fn estimate_up_to_half(
    target: Distance,
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
) -> MetricResult<PointEstimate> {
    let law = BrokenPowerLaw::for_up_to_half(inputs.firm_volume());
    let mut outline = weighted_estimate(target, races, inputs, law, PredictionMethod::PowerLaw)?;
    outline.spread =
        outline.sources.first().map(|race| interval::interval_up_to_half(race.mark.distance(), target));
    // The weekly distance matters only for source races longer than a half marathon.
    let faded = outline.sources.iter().any(|race| race.mark.distance() > Distance::HALF_MARATHON);
    outline.weekly = inputs.weekly.filter(|weekly| faded && weekly.is_firm());
    Ok(outline)
}

/// Between half and full marathon, and up to 50 km: the broken power law, bounded by the
/// predictions for those two, so that a longer distance never takes less time.
fn estimate_beyond_half(
    target: Distance,
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
) -> MetricResult<PointEstimate> {
    let weekly = inputs.firm_volume();
    let mut outline = weighted_estimate(
        target,
        races,
        inputs,
        BrokenPowerLaw::for_volume(weekly),
        PredictionMethod::BrokenPowerLaw,
    )?;
    outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
    outline.spread =
        outline.sources.first().map(|race| interval::interval_beyond_half(race.mark.distance(), weekly));
    let half = estimate_up_to_half(Distance::HALF_MARATHON, races, inputs)?.seconds;
    let full = marathon::marathon_estimate(races, inputs).map(|full| full.seconds);
    // Not faster than half marathon pace; not slower than marathon pace below 42.195 km, and not
    // faster beyond it. If the two predictions contradict each other, interpolate between them.
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
    outline.members = vec![MethodEstimate {
        method: PredictionMethod::BrokenPowerLaw,
        time: race::to_time_span(outline.seconds)?,
    }];
    Ok(outline)
}

/// Weighted mean of the last year's races and of hard training that promises more; the sources are
/// sorted by weight.
fn weighted_estimate(
    target: Distance,
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
    law: BrokenPowerLaw,
    method: PredictionMethod,
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

/// Adds the range, the personal correction and the quality.
fn finalize(
    target: Distance,
    races: &[SourceRace],
    outline: PointEstimate,
    left_out: Vec<RejectedRaceResult>,
    inputs: &PredictionInputs<'_>,
) -> MetricResult<Prediction> {
    let (Some(source), Some(spread)) = (outline.sources.first().copied(), outline.spread) else {
        return Err(MissingReason::missing(RequiredInput::RaceOf5Km));
    };
    let age = source.age(inputs.as_of);
    let training_only = outline.sources.iter().all(|race| race.effort == ResultKind::Training);
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
    pair: Option<LongestAndShortestRace>,
    weekly: Option<Distance>,
) -> FormulaPredictions {
    let published = || -> MetricResult<(LongestAndShortestRace, Distance)> {
        if target != Distance::MARATHON {
            return Err(MissingReason::OutOfRange {
                what: "the published models cover the marathon only".to_owned(),
            });
        }
        let pair = pair.ok_or(MissingReason::missing(RequiredInput::RaceOf5Km))?;
        Ok((pair, weekly.ok_or(MissingReason::missing(RequiredInput::WeeklyDistance))?))
    };
    FormulaPredictions {
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
