//! Marathon prediction: geometric mean of the estimates from a recent race, from training and from
//! the athlete's best marathon.

use super::broken_power_law::BrokenPowerLaw;
use super::interval;
use super::log_linear::{LogLinearModel, SOURCE_MM};
use super::race::{COURSE_TOLERANCE, ResultKind, SourceRace, is_course_distance, to_time_span};
use super::tanda::tanda;
use super::{
    CURRENT_FORM_DAYS, MethodEstimate, PointEstimate, PredictionInputs, PredictionMethod, WeeklyVolume, YEAR,
};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{MetricResult, MissingReason, RequiredInput};

/// Maximum age of a previous marathon, days.
const TWO_YEARS: i64 = 730;
/// Races with a larger distance ratio are too similar for an exponent.
const MAX_DISTANCE_RATIO: f64 = 0.9;

/// The two races the formulas for the marathon start from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LongestAndShortestRace {
    pub(super) longest: SourceRace,
    pub(super) shortest: Option<SourceRace>,
}

/// The longest race of the last year between 5 km and the half marathon, and the shortest of
/// another distance. Hard training counts only if there is neither a race nor a time trial.
pub(super) fn find_race_pair(races: &[SourceRace], as_of: Day) -> Option<LongestAndShortestRace> {
    let usable = |trained: bool| -> Vec<SourceRace> {
        let fits = |race: &&SourceRace| {
            SOURCE_MM.contains(&race.mark.distance().mm())
                && race.age(as_of) <= YEAR
                && (race.effort == ResultKind::Training) == trained
        };
        races.iter().filter(fits).copied().collect()
    };
    let mut races = usable(false);
    if races.is_empty() {
        races = usable(true);
    }
    let lengths = || races.iter().map(|race| race.mark.meters());
    let (least, most) = (lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max));
    let longest = representative_race(&races, as_of, |d| d >= most * COURSE_TOLERANCE.start())?;
    let shortest = representative_race(&races, as_of, |d| d <= least / COURSE_TOLERANCE.start())
        .filter(|race| race.mark.meters() <= longest.mark.meters() * MAX_DISTANCE_RATIO);
    Some(LongestAndShortestRace { longest, shortest })
}

/// The race of a distance that reflects current form: the fastest of the last 120 days, else the
/// latest.
fn representative_race(races: &[SourceRace], as_of: Day, same: impl Fn(f64) -> bool) -> Option<SourceRace> {
    let pace = |race: &SourceRace| race.mark.seconds() / race.mark.meters();
    let of_it = || races.iter().filter(|race| same(race.mark.meters())).copied();
    of_it()
        .filter(|race| race.age(as_of) <= CURRENT_FORM_DAYS)
        .min_by(|a, b| pace(a).total_cmp(&pace(b)).then_with(|| a.cmp(b)))
        .or_else(|| {
            of_it().max_by(|a, b| a.day(as_of).cmp(&b.day(as_of)).then_with(|| pace(b).total_cmp(&pace(a))))
        })
}

/// The athlete's best marathon of the last two years, and its time. Short recordings are
/// extrapolated to the full distance; long ones are not shortened, because watches tend to measure
/// long.
fn own_marathon(races: &[SourceRace], inputs: &PredictionInputs<'_>) -> Option<(SourceRace, TimeSpan)> {
    let law = BrokenPowerLaw::for_volume(inputs.firm_volume());
    races
        .iter()
        .filter(|race| is_course_distance(race.mark.distance(), Distance::MARATHON))
        .filter(|race| race.age(inputs.as_of) <= TWO_YEARS && race.effort != ResultKind::Training)
        .filter_map(|race| {
            let stretched = law.seconds(race.mark, Distance::MARATHON);
            Some((*race, to_time_span(stretched.max(race.mark.seconds())).ok()?))
        })
        .min_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)))
}

/// Geometric mean of the available estimates. Training alone is not enough: at least one race is
/// required.
pub(super) fn marathon_estimate(
    races: &[SourceRace],
    inputs: &PredictionInputs<'_>,
) -> MetricResult<PointEstimate> {
    let weekly = inputs.firm_volume();
    let pair = find_race_pair(races, inputs.as_of);
    let mut outline = PointEstimate::default();
    let mut refused = None;
    if let Some(pair) = pair {
        let model =
            if weekly.is_some() { LogLinearModel::WITH_VOLUME } else { LogLinearModel::WITHOUT_VOLUME };
        match model.marathon(pair.longest.mark, pair.shortest.map(|race| race.mark), weekly) {
            Ok(time) => {
                outline.members.push(MethodEstimate { method: PredictionMethod::LogLinear, time });
                outline.sources.push(pair.longest);
                outline.sources.extend(pair.shortest);
                outline.spread = Some(interval::interval_beyond_half(pair.longest.mark.distance(), weekly));
                outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
            }
            Err(why) => refused = Some(why),
        }
    }
    if let Some((race, time)) = own_marathon(races, inputs) {
        outline.members.push(MethodEstimate { method: PredictionMethod::OwnMarathon, time });
        outline.sources.push(race);
        outline.spread.get_or_insert(interval::interval_from_marathon());
    }
    if outline.members.is_empty() && pair.is_none() {
        add_long_race(races, inputs, &mut outline);
    }
    if outline.members.is_empty() {
        return Err(refused.unwrap_or(MissingReason::missing(RequiredInput::RaceOf5Km)));
    }
    if let Some((training, time)) = inputs.training.and_then(|t| Some((t, tanda(&t).ok()?))) {
        outline.members.push(MethodEstimate { method: PredictionMethod::Tanda, time });
        outline.training = Some(training);
    }
    let logs: f64 = outline.members.iter().map(|member| member.time.seconds().ln()).sum();
    outline.seconds = (logs / outline.members.len() as f64).exp();
    Ok(outline)
}

/// Fallback: the latest race longer than a half marathon, by the broken power law.
fn add_long_race(races: &[SourceRace], inputs: &PredictionInputs<'_>, outline: &mut PointEstimate) {
    let weekly = inputs.firm_volume();
    let long =
        |race: &&SourceRace| race.mark.distance().mm() > *SOURCE_MM.end() && race.age(inputs.as_of) <= YEAR;
    let Some(race) = races.iter().filter(long).max_by_key(|race| (race.day(inputs.as_of), **race)) else {
        return;
    };
    if let Ok(time) = to_time_span(BrokenPowerLaw::for_volume(weekly).seconds(race.mark, Distance::MARATHON))
    {
        outline.members.push(MethodEstimate { method: PredictionMethod::BrokenPowerLaw, time });
        outline.sources.push(*race);
        outline.spread = Some(interval::interval_beyond_half(race.mark.distance(), weekly));
        outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
    }
}
