//! The recompute pipeline: detects thresholds, then computes activity loads and daily metrics.
//!
//! It runs forward in time. A day depends only on itself and earlier days, so after a change
//! [`run_pipeline`] from that day gives bit for bit the same result as for the whole history.

use super::activity::{ActivityMetrics, Measures, ZoneSets, compute_activity_metrics};
use super::day::{
    CONTEXT_DAYS, DayInput, DayMetrics, DaySettings, DayState, HistoryError, compute_days, compute_days_after,
};
use super::fitness::DayLoad;
use super::load::session_rpe::{RpeLoadFactor, session_rpe};
use super::load::{AthleteThresholds, Load, LoadMethod, RpeWithCalibration};
use super::predict::Performance;
use super::thresholds::detect::{DatedThresholdEvidence, ThresholdEvidence, detect, redetect};
use super::zones::{DatedZones, zones_on};
use super::{MetricResult, ValueWithQuality};
use crate::adherence::data_frontier::DataFrontier;
use crate::domain::activity::Activity;
use crate::domain::athlete::{Sex, Threshold, ZoneKind, Zones};
use crate::domain::calendar::Day;
use crate::domain::ids::ActivityId;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::wellness::DailyWellness;
use crate::metrics::thresholds::in_force::within_bounds;
use std::collections::BTreeMap;

/// Version of the stored measures. Raising it recomputes every recording and every day. 2: quality
/// of daily loads. 3: threshold evidence from summaries, slope of efforts, plausibility counts, and
/// all quality flags of daily loads. 5: GPS errors bridged in best efforts, one rule for moving time
/// and ascent, samples up to 20 s apart, a load for every activity with a duration.
pub const MEASURES_VERSION: u32 = 5;

/// Profile, thresholds, zones and races of the athlete.
#[derive(Debug, Clone, Copy, Default)]
pub struct Athlete<'a> {
    pub sex: Option<Sex>,
    /// The athlete's sleep goal.
    pub sleep_need: Option<TimeSpan>,
    /// Thresholds set by the athlete or reported by a device. The pipeline adds detected ones.
    pub thresholds: &'a [Threshold],
    /// Zones set by the athlete or reported by a device.
    pub zones: &'a [DatedZones],
    /// Threshold evidence from race results.
    pub races: &'a [DatedThresholdEvidence],
}

/// An activity to compute metrics for.
#[derive(Debug, Clone, Copy)]
pub struct ActivityInput<'a> {
    pub id: ActivityId,
    pub activity: &'a Activity,
    pub measures: &'a Measures,
    /// Perceived exertion (RPE), 0 to 10.
    pub exertion: Option<u8>,
}

/// Load of an activity as used by daily metrics, computed now or earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivityLoad {
    pub day: Day,
    pub sport: Sport,
    /// `None` if it could not be computed.
    pub load: Option<ValueWithQuality>,
    pub distance: Option<Distance>,
}

impl ActivityLoad {
    #[must_use]
    pub fn new(activity: &Activity, load: Option<ValueWithQuality>) -> Self {
        Self { day: activity.day(), sport: activity.sport, load, distance: activity.distance }
    }
}

/// Results for the days before the first one to compute.
#[derive(Debug, Clone, Copy)]
pub struct PriorState<'a> {
    /// State of the evening before the first day.
    pub state: &'a DayState,
    /// Activities of the [`CONTEXT_DAYS`] before the first day.
    pub activities: &'a [ActivityLoad],
    /// All thresholds detected before the first day.
    pub detected: &'a [Threshold],
    /// Threshold evidence of the year before the first day.
    pub evidence: &'a [DatedThresholdEvidence],
    /// Session RPE and measured load of every earlier activity that has both.
    pub rpe_pairs: &'a [(f64, f64)],
}

/// Input of a run from a given day.
#[derive(Debug, Clone, Copy)]
pub struct PipelineInput<'a> {
    pub athlete: Athlete<'a>,
    /// First day to compute.
    pub first: Day,
    /// Earlier results; `None` if `first` is the first day of the data.
    pub before: Option<PriorState<'a>>,
    /// Activities from the first day, ordered by day and start.
    pub activities: &'a [ActivityInput<'a>],
    /// Wellness by day, including the [`CONTEXT_DAYS`] before the first day.
    pub wellness: &'a [DailyWellness],
    /// Check-in ratings, 1 to 5.
    pub feel: &'a BTreeMap<Day, u8>,
    /// Through which day the data is complete.
    pub frontier: DataFrontier,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PipelineOutput {
    /// Metrics of each activity, in input order.
    pub activities: Vec<(ActivityId, ActivityMetrics)>,
    /// Metrics of each day up to the data frontier.
    pub days: Vec<DayMetrics>,
    /// Thresholds detected from the first day.
    pub detected: Vec<Threshold>,
}

/// Computes everything from a given day.
///
/// # Errors
/// When there are too few context days before the first day.
pub fn run_pipeline(history: &PipelineInput<'_>) -> Result<PipelineOutput, HistoryError> {
    let detected = detect_new_thresholds(history);
    let mut standing = ThresholdCursor::new(history, &detected);
    let (mut judged, mut loads) = (Vec::with_capacity(history.activities.len()), Vec::new());
    let mut felt = RpeCalibration::new(history.before.map_or(&[], |before| before.rpe_pairs));
    for session in history.activities {
        let day = session.activity.day();
        standing.advance(day);
        felt.advance(day);
        let zones = standing.zones(session.activity.sport);
        let exertion = session.exertion.map(f64::from);
        let means = compute_activity_metrics(
            session.activity,
            session.measures,
            &standing.thresholds(day),
            zones.sets(),
            RpeWithCalibration { exertion, scale: felt.scale.clone() },
        );
        felt.record(session, &means);
        loads.push(ActivityLoad::new(session.activity, means.load.as_ref().ok().map(Load::with_quality)));
        judged.push((session.id, means));
    }
    Ok(PipelineOutput { activities: judged, days: compute_day_metrics(history, &loads)?, detected })
}

/// Threshold evidence of one activity.
#[must_use]
pub fn threshold_evidence(activity: &Activity, measures: &Measures) -> Vec<ThresholdEvidence> {
    let candidates = &measures.candidates;
    let best_run = || {
        let hour = |effort: &&super::efforts::BestEffort| {
            super::thresholds::detect::hour_speed(effort.distance, effort.time)
        };
        let timed = measures.efforts.iter().filter(|effort| hour(effort).is_some());
        let best = timed.max_by(|a, b| hour(a).unwrap_or(0.0).total_cmp(&hour(b).unwrap_or(0.0)));
        best.map(|run| (run.distance, run.time)).or_else(|| summary_effort(activity, measures))
    };
    let swum = || (activity.distance.or(measures.distance)).zip(measures.swim_time.or(activity.moving));
    let mut clues = Vec::new();
    // Without a recording, the summary's max HR; it does not replace a recording that was
    // discarded.
    let told = activity.max_heart_rate.filter(|bpm| measures.heart.is_err() && (25..=230).contains(bpm));
    let peak = candidates.highest_heart_rate.or(told.map(f64::from));
    clues.extend(peak.map(|bpm| ThresholdEvidence::PeakHeartRate { bpm }));
    match activity.sport {
        Sport::Running => {
            clues.extend(best_run().map(|(distance, time)| ThresholdEvidence::Run { distance, time }));
            clues.extend(candidates.threshold_heart_rate.map(|held| ThresholdEvidence::HeldHeartRate {
                bpm: held.heart_rate,
                time: held.time,
                variation: held.variation,
            }));
        }
        Sport::Cycling => {
            clues.extend(candidates.power_20_min.map(|watts| ThresholdEvidence::TwentyMinutePower { watts }));
        }
        Sport::Swimming => {
            clues.extend(swum().map(|(distance, time)| ThresholdEvidence::Swim { distance, time }))
        }
        Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => {}
    }
    clues
}

/// A run with nothing but a summary, as one effort: a lower bound of what the athlete can do.
fn summary_effort(activity: &Activity, measures: &Measures) -> Option<(Distance, TimeSpan)> {
    let told = activity.distance.zip(activity.elapsed.or(activity.moving));
    told.filter(|_| measures.speed.is_err() && measures.efforts.is_empty())
        .filter(|(distance, time)| Performance::new(*distance, *time).is_ok())
}

/// Thresholds detected from the first day.
fn detect_new_thresholds(history: &PipelineInput<'_>) -> Vec<Threshold> {
    let resting = history.wellness.iter().filter_map(|day| {
        let bpm = f64::from(day.resting_heart_rate?);
        Some(DatedThresholdEvidence { day: day.day, evidence: ThresholdEvidence::RestingHeartRate { bpm } })
    });
    let sessions = history.activities.iter().flat_map(|session| {
        let day = session.activity.day();
        threshold_evidence(session.activity, session.measures)
            .into_iter()
            .map(move |clue| DatedThresholdEvidence { day, evidence: clue })
    });
    let earlier = history.before.map_or(&[][..], |before| before.evidence);
    let races = history.athlete.races;
    let all: Vec<DatedThresholdEvidence> =
        earlier.iter().chain(races).copied().chain(resting).chain(sessions).collect();
    let last_session = history.activities.last().map(|session| session.activity.day());
    let reach = history.frontier.open_day().or(history.frontier.complete_through());
    let Some(through) = reach.max(last_session) else { return Vec::new() };
    match history.before {
        Some(before) => redetect(before.detected, &all, history.first, through),
        None => detect(&all, through),
    }
}

/// Thresholds and zones in force on the current day of the run.
struct ThresholdCursor<'a> {
    sex: Option<Sex>,
    upcoming: std::vec::IntoIter<Threshold>,
    next: Option<Threshold>,
    in_force: Vec<Threshold>,
    zones: &'a [DatedZones],
    day: Day,
}

impl<'a> ThresholdCursor<'a> {
    fn new(history: &PipelineInput<'a>, detected: &[Threshold]) -> Self {
        let earlier = history.before.map_or(&[][..], |before| before.detected);
        let mut all: Vec<Threshold> =
            history.athlete.thresholds.iter().chain(earlier).chain(detected).copied().collect();
        all.sort_by(|a, b| a.from.cmp(&b.from).then(a.value.total_cmp(&b.value)));
        let mut upcoming = all.into_iter();
        let next = upcoming.next();
        let zones = history.athlete.zones;
        Self { sex: history.athlete.sex, upcoming, next, in_force: Vec::new(), zones, day: history.first }
    }

    fn advance(&mut self, day: Day) {
        self.day = day;
        while let Some(threshold) = self.next.filter(|next| next.from <= day) {
            // Implausible values must not replace valid ones.
            if within_bounds(threshold.kind, threshold.value) {
                self.in_force.retain(|held| (held.kind, held.origin) != (threshold.kind, threshold.origin));
                self.in_force.push(threshold);
            }
            self.next = self.upcoming.next();
        }
    }

    fn thresholds(&self, day: Day) -> AthleteThresholds {
        AthleteThresholds::for_day(day, &self.in_force, self.sex)
    }

    /// Zones in force for a sport.
    fn zones(&self, sport: Sport) -> SportZones {
        let hold = |kind| zones_on(self.day, kind, sport, self.zones, &self.in_force).map(|held| held.zones);
        SportZones {
            heart_rate: hold(ZoneKind::HeartRate),
            speed: hold(ZoneKind::Speed),
            power: hold(ZoneKind::Power),
        }
    }
}

struct SportZones {
    heart_rate: Option<Zones>,
    speed: Option<Zones>,
    power: Option<Zones>,
}

impl SportZones {
    fn sets(&self) -> ZoneSets<'_> {
        ZoneSets {
            heart_rate: self.heart_rate.as_ref(),
            speed: self.speed.as_ref(),
            power: self.power.as_ref(),
        }
    }
}

/// Calibration of session RPE against measured load, from activities of earlier days.
struct RpeCalibration {
    earlier: Vec<(f64, f64)>,
    today: Vec<(f64, f64)>,
    day: Option<Day>,
    scale: MetricResult<RpeLoadFactor>,
}

impl RpeCalibration {
    fn new(earlier: &[(f64, f64)]) -> Self {
        let earlier = earlier.to_vec();
        Self { scale: RpeLoadFactor::fit(&earlier), earlier, today: Vec::new(), day: None }
    }

    fn advance(&mut self, day: Day) {
        if self.day != Some(day) && !self.today.is_empty() {
            self.earlier.append(&mut self.today);
            self.scale = RpeLoadFactor::fit(&self.earlier);
        }
        self.day = Some(day);
    }

    fn record(&mut self, session: &ActivityInput<'_>, judged: &ActivityMetrics) {
        self.today.extend(rpe_and_load(session.exertion, session.measures, judged));
    }
}

/// Session RPE and measured load of an activity that has both.
#[must_use]
pub fn rpe_and_load(
    exertion: Option<u8>,
    measures: &Measures,
    judged: &ActivityMetrics,
) -> Option<(f64, f64)> {
    let is_measured =
        |load: &&Load| !matches!(load.method, LoadMethod::PerceivedExertion | LoadMethod::Duration);
    let load = judged.load.as_ref().ok().filter(is_measured)?;
    let session = session_rpe(f64::from(exertion?), measures.times.training()?).ok()?;
    Some((session, load.value))
}

/// Daily metrics from the activities' loads.
fn compute_day_metrics(
    history: &PipelineInput<'_>,
    loads: &[ActivityLoad],
) -> Result<Vec<DayMetrics>, HistoryError> {
    let Some(last) = history.frontier.open_day().or(history.frontier.complete_through()) else {
        return Ok(Vec::new());
    };
    let begin = history.before.map_or(history.first, |before| {
        let reach = CONTEXT_DAYS.min(before.state.fitness.days() as usize);
        before.state.day.plus_days(1 - reach as i64)
    });
    let earlier = history.before.map_or(&[][..], |before| before.activities);
    let mut sessions: BTreeMap<Day, Vec<&ActivityLoad>> = BTreeMap::new();
    for session in earlier.iter().chain(loads) {
        sessions.entry(session.day).or_default().push(session);
    }
    let wellness: BTreeMap<Day, &DailyWellness> =
        history.wellness.iter().map(|measured| (measured.day, measured)).collect();
    let input = |day: Day| {
        let sessions = sessions.get(&day).map_or(&[][..], Vec::as_slice);
        let runs = sessions.iter().filter(|session| session.sport == Sport::Running);
        DayInput {
            day,
            load: DayLoad::from_activities(sessions.iter().map(|session| (session.sport, session.load))),
            wellness: wellness.get(&day).copied(),
            feel: history.feel.get(&day).copied(),
            longest_run: runs.filter_map(|run| run.distance).max(),
        }
    };
    let inputs: Vec<DayInput<'_>> = begin.through(last).map(input).collect();
    let settings = DaySettings { sleep_need: history.athlete.sleep_need };
    match history.before {
        Some(before) => compute_days_after(before.state, &inputs, history.frontier, &settings),
        None => compute_days(&inputs, history.frontier, &settings),
    }
}

#[cfg(test)]
mod tests;
