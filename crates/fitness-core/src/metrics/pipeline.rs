//! A training history worked out: the limits it shows, what each session cost by them, and what each day means.
//!
//! It goes forward in time. What is said about a day depends on that day and on earlier ones, so a change on a day leaves
//! everything before it as it was, and [`derive()`] from that day on gives, bit for bit, what it gives for the whole history.

use super::activity::{ActivityMetrics, Measures, ZoneSets, compute_activity_metrics};
use super::day::{
    CONTEXT_DAYS, DayInput, DayMetrics, DaySettings, DayState, HistoryError, compute_days, compute_days_after,
};
use super::fitness::DayLoad;
use super::load::session_rpe::{RpeScale, session_rpe};
use super::load::{AthleteThresholds, Load, LoadMethod, PerceivedEffort};
use super::predict::Performance;
use super::thresholds::detect::{ThresholdCandidate, ThresholdEvidence, detect, redetect};
use super::zones::{DatedZones, zones_on};
use super::{MetricResult, WithQuality};
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

/// The version of the measures of an activity. A higher one has every recording measured again, and with it every day
/// worked out again. 2: days know the quality of their loads. 3: summaries are clues, efforts know their slope, recordings
/// what is suspicious in them, and days every doubt about their loads.
pub const MEASURES_VERSION: u32 = 3;

/// What the athlete and their devices say that days are judged by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Athlete<'a> {
    /// The athlete's sex.
    pub sex: Option<Sex>,
    /// How long the athlete wants to sleep.
    pub sleep_need: Option<TimeSpan>,
    /// Thresholds that were set or reported. Detected ones are made here.
    pub thresholds: &'a [Threshold],
    /// Zones that were set or reported.
    pub zones: &'a [DatedZones],
    /// What race results say about limits.
    pub races: &'a [ThresholdCandidate],
}

/// A session to be judged.
#[derive(Debug, Clone, Copy)]
pub struct ActivityInput<'a> {
    /// Which.
    pub id: ActivityId,
    /// What it is.
    pub activity: &'a Activity,
    /// What its samples say.
    pub measures: &'a Measures,
    /// How hard it felt, 0 to 10.
    pub exertion: Option<u8>,
}

/// What the days take from a session that was judged: just now, or before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivityLoad {
    /// The day it began.
    pub day: Day,
    /// What was done.
    pub sport: Sport,
    /// What it cost; `None` where that could not be found.
    pub load: Option<WithQuality>,
    /// How far it went.
    pub distance: Option<Distance>,
}

impl ActivityLoad {
    /// Of an activity and the load it was judged to have.
    #[must_use]
    pub fn new(activity: &Activity, load: Option<WithQuality>) -> Self {
        Self { day: activity.day(), sport: activity.sport, load, distance: activity.distance }
    }
}

/// What was worked out for the days before the first one.
#[derive(Debug, Clone, Copy)]
pub struct PriorState<'a> {
    /// The evening before the first day.
    pub state: &'a DayState,
    /// The sessions of the [`CONTEXT_DAYS`] before it.
    pub activities: &'a [ActivityLoad],
    /// Every limit detected before it.
    pub detected: &'a [Threshold],
    /// What the sessions of a year before it suggest.
    pub evidence: &'a [ThresholdCandidate],
    /// Session-RPE and measured load of every earlier session that has both.
    pub rpe_pairs: &'a [(f64, f64)],
}

/// Everything from a day on, and what it takes from before it.
#[derive(Debug, Clone, Copy)]
pub struct PipelineInput<'a> {
    /// Who it is about.
    pub athlete: Athlete<'a>,
    /// The first day to work out.
    pub first: Day,
    /// What was before it; `None` when it is the first day there is.
    pub before: Option<PriorState<'a>>,
    /// The sessions from the first day on, by day and then in the order they began.
    pub activities: &'a [ActivityInput<'a>],
    /// What devices measured, by day, the [`CONTEXT_DAYS`] before the first day included.
    pub wellness: &'a [DailyWellness],
    /// How the athlete felt, 1 to 5.
    pub feel: &'a BTreeMap<Day, u8>,
    /// How far the data reaches.
    pub frontier: DataFrontier,
}

/// What a history comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineOutput {
    /// What each session means, in their order.
    pub activities: Vec<(ActivityId, ActivityMetrics)>,
    /// What each day means, as far as the data reaches.
    pub days: Vec<DayMetrics>,
    /// The limits detected from the first day on.
    pub detected: Vec<Threshold>,
}

/// Works out a history from a day on.
///
/// # Errors
/// When what is given of the days before does not reach back far enough.
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
            PerceivedEffort { exertion, scale: felt.scale.clone() },
        );
        felt.record(session, &means);
        loads.push(ActivityLoad::new(session.activity, means.load.as_ref().ok().map(Load::with_quality)));
        judged.push((session.id, means));
    }
    Ok(PipelineOutput { activities: judged, days: compute_day_metrics(history, &loads)?, detected })
}

/// What one session suggests about the athlete's limits.
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
    // Where nothing was recorded, the summary's highest; a recording that was thrown out is not replaced by it.
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

/// A run of which only the summary is known, as one effort: the athlete can do at least this.
fn summary_effort(activity: &Activity, measures: &Measures) -> Option<(Distance, TimeSpan)> {
    let told = activity.distance.zip(activity.elapsed.or(activity.moving));
    told.filter(|_| measures.speed.is_err() && measures.efforts.is_empty())
        .filter(|(distance, time)| Performance::new(*distance, *time).is_ok())
}

/// The limits that show from the first day on.
fn detect_new_thresholds(history: &PipelineInput<'_>) -> Vec<Threshold> {
    let resting = history.wellness.iter().filter_map(|day| {
        let bpm = f64::from(day.resting_heart_rate?);
        Some(ThresholdCandidate { day: day.day, evidence: ThresholdEvidence::RestingHeartRate { bpm } })
    });
    let sessions = history.activities.iter().flat_map(|session| {
        let day = session.activity.day();
        threshold_evidence(session.activity, session.measures)
            .into_iter()
            .map(move |clue| ThresholdCandidate { day, evidence: clue })
    });
    let earlier = history.before.map_or(&[][..], |before| before.evidence);
    let races = history.athlete.races;
    let all: Vec<ThresholdCandidate> =
        earlier.iter().chain(races).copied().chain(resting).chain(sessions).collect();
    let last_session = history.activities.last().map(|session| session.activity.day());
    let reach = history.frontier.open_day().or(history.frontier.complete_through());
    let Some(through) = reach.max(last_session) else { return Vec::new() };
    match history.before {
        Some(before) => redetect(before.detected, &all, history.first, through),
        None => detect(&all, through),
    }
}

/// The limits and zones that hold on the day the walk has come to.
struct ThresholdCursor<'a> {
    sex: Option<Sex>,
    upcoming: std::vec::IntoIter<Threshold>,
    next: Option<Threshold>,
    /// The latest of each kind and origin.
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
            // What no body has does not hold, and must not displace what does.
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

    /// The zones that hold for a sport.
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

/// What the sessions of earlier days say about how feeling and load go together.
struct RpeCalibration {
    earlier: Vec<(f64, f64)>,
    today: Vec<(f64, f64)>,
    day: Option<Day>,
    scale: MetricResult<RpeScale>,
}

impl RpeCalibration {
    fn new(earlier: &[(f64, f64)]) -> Self {
        let earlier = earlier.to_vec();
        Self { scale: RpeScale::fit(&earlier), earlier, today: Vec::new(), day: None }
    }

    fn advance(&mut self, day: Day) {
        if self.day != Some(day) && !self.today.is_empty() {
            self.earlier.append(&mut self.today);
            self.scale = RpeScale::fit(&self.earlier);
        }
        self.day = Some(day);
    }

    fn record(&mut self, session: &ActivityInput<'_>, judged: &ActivityMetrics) {
        self.today.extend(rpe_and_load(session.exertion, session.measures, judged));
    }
}

/// Session-RPE and measured load of a session that has both.
#[must_use]
pub fn rpe_and_load(
    exertion: Option<u8>,
    measures: &Measures,
    judged: &ActivityMetrics,
) -> Option<(f64, f64)> {
    let load = judged.load.as_ref().ok().filter(|load| load.method != LoadMethod::PerceivedExertion)?;
    let session = session_rpe(f64::from(exertion?), measures.times.training()?).ok()?;
    Some((session, load.value))
}

/// What each day means, from its sessions' loads.
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
