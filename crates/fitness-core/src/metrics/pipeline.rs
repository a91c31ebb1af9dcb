//! A training history worked out: the limits it shows, what each session cost by them, and what each day means.
//!
//! It goes forward in time. What is said about a day depends on that day and on earlier ones, so a change on a day leaves
//! everything before it as it was, and [`derive()`] from that day on gives, bit for bit, what it gives for the whole history.

use super::activity::{Judged, Measures, ZoneSets, judge};
use super::day::{BadHistory, CONTEXT_DAYS, DayInput, DayMetrics, DaySettings, DayState, resume, walk};
use super::fitness::DayLoad;
use super::load::session_rpe::{RpeScale, session_rpe};
use super::load::{Felt, Limits, Load, LoadMethod};
use super::predict::Mark;
use super::thresholds::detect::{Candidate, Clue, detect, redetect};
use super::zones::{DatedZones, zones_on};
use super::{Found, Rated};
use crate::adherence::data_frontier::Frontier;
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
    pub races: &'a [Candidate],
}

/// A session to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
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
pub struct SessionLoad {
    /// The day it began.
    pub day: Day,
    /// What was done.
    pub sport: Sport,
    /// What it cost; `None` where that could not be found.
    pub load: Option<Rated>,
    /// How far it went.
    pub distance: Option<Distance>,
}

impl SessionLoad {
    /// Of an activity and the load it was judged to have.
    #[must_use]
    pub fn of(activity: &Activity, load: Option<Rated>) -> Self {
        Self { day: activity.day(), sport: activity.sport, load, distance: activity.distance }
    }
}

/// What was worked out for the days before the first one.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// The evening before the first day.
    pub state: &'a DayState,
    /// The sessions of the [`CONTEXT_DAYS`] before it.
    pub sessions: &'a [SessionLoad],
    /// Every limit detected before it.
    pub detected: &'a [Threshold],
    /// What the sessions of a year before it suggest.
    pub clues: &'a [Candidate],
    /// Session-RPE and measured load of every earlier session that has both.
    pub felt: &'a [(f64, f64)],
}

/// Everything from a day on, and what it takes from before it.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// Who it is about.
    pub athlete: Athlete<'a>,
    /// The first day to work out.
    pub first: Day,
    /// What was before it; `None` when it is the first day there is.
    pub before: Option<Before<'a>>,
    /// The sessions from the first day on, by day and then in the order they began.
    pub sessions: &'a [Session<'a>],
    /// What devices measured, by day, the [`CONTEXT_DAYS`] before the first day included.
    pub wellness: &'a [DailyWellness],
    /// How the athlete felt, 1 to 5.
    pub feel: &'a BTreeMap<Day, u8>,
    /// How far the data reaches.
    pub frontier: Frontier,
}

/// What a history comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Worked {
    /// What each session means, in their order.
    pub judged: Vec<(ActivityId, Judged)>,
    /// What each day means, as far as the data reaches.
    pub days: Vec<DayMetrics>,
    /// The limits detected from the first day on.
    pub detected: Vec<Threshold>,
}

/// Works out a history from a day on.
///
/// # Errors
/// When what is given of the days before does not reach back far enough.
pub fn derive(history: &History<'_>) -> Result<Worked, BadHistory> {
    let detected = limits(history);
    let mut standing = Standing::new(history, &detected);
    let (mut judged, mut loads) = (Vec::with_capacity(history.sessions.len()), Vec::new());
    let mut felt = Feelings::new(history.before.map_or(&[], |before| before.felt));
    for session in history.sessions {
        let day = session.activity.day();
        standing.advance(day);
        felt.advance(day);
        let zones = standing.zones(session.activity.sport);
        let exertion = session.exertion.map(f64::from);
        let means = judge(
            session.activity,
            session.measures,
            &standing.limits(day),
            zones.sets(),
            Felt { exertion, scale: felt.scale.clone() },
        );
        felt.hear(session, &means);
        loads.push(SessionLoad::of(session.activity, means.load.as_ref().ok().map(Load::rated)));
        judged.push((session.id, means));
    }
    Ok(Worked { judged, days: days(history, &loads)?, detected })
}

/// What one session suggests about the athlete's limits.
#[must_use]
pub fn clues(activity: &Activity, measures: &Measures) -> Vec<Clue> {
    let candidates = &measures.candidates;
    let best_run = || {
        let hour = |effort: &&super::efforts::Effort| {
            super::thresholds::detect::hour_speed(effort.distance, effort.time)
        };
        let timed = measures.efforts.iter().filter(|effort| hour(effort).is_some());
        let best = timed.max_by(|a, b| hour(a).unwrap_or(0.0).total_cmp(&hour(b).unwrap_or(0.0)));
        best.map(|run| (run.distance, run.time)).or_else(|| whole_run(activity, measures))
    };
    let swum = || (activity.distance.or(measures.distance)).zip(measures.swum.or(activity.moving));
    let mut clues = Vec::new();
    // Where nothing was recorded, the summary's highest; a recording that was thrown out is not replaced by it.
    let told = activity.max_heart_rate.filter(|bpm| measures.heart.is_err() && (25..=230).contains(bpm));
    let peak = candidates.highest_heart_rate.or(told.map(f64::from));
    clues.extend(peak.map(|bpm| Clue::PeakHeartRate { bpm }));
    match activity.sport {
        Sport::Running => {
            clues.extend(best_run().map(|(distance, time)| Clue::Run { distance, time }));
            clues.extend(candidates.threshold_heart_rate.map(|held| Clue::HeldHeartRate {
                bpm: held.heart_rate,
                time: held.time,
                variation: held.variation,
            }));
        }
        Sport::Cycling => {
            clues.extend(candidates.power_20_min.map(|watts| Clue::TwentyMinutePower { watts }));
        }
        Sport::Swimming => clues.extend(swum().map(|(distance, time)| Clue::Swim { distance, time })),
        Sport::Rowing | Sport::Strength | Sport::Other | Sport::Rest => {}
    }
    clues
}

/// A run of which only the summary is known, as one effort: the athlete can do at least this.
fn whole_run(activity: &Activity, measures: &Measures) -> Option<(Distance, TimeSpan)> {
    let told = activity.distance.zip(activity.elapsed.or(activity.moving));
    told.filter(|_| measures.speed.is_err() && measures.efforts.is_empty())
        .filter(|(distance, time)| Mark::new(*distance, *time).is_ok())
}

/// The limits that show from the first day on.
fn limits(history: &History<'_>) -> Vec<Threshold> {
    let resting = history.wellness.iter().filter_map(|day| {
        let bpm = f64::from(day.resting_heart_rate?);
        Some(Candidate { day: day.day, clue: Clue::RestingHeartRate { bpm } })
    });
    let sessions = history.sessions.iter().flat_map(|session| {
        let day = session.activity.day();
        clues(session.activity, session.measures).into_iter().map(move |clue| Candidate { day, clue })
    });
    let earlier = history.before.map_or(&[][..], |before| before.clues);
    let races = history.athlete.races;
    let all: Vec<Candidate> = earlier.iter().chain(races).copied().chain(resting).chain(sessions).collect();
    let last_session = history.sessions.last().map(|session| session.activity.day());
    let reach = history.frontier.open().or(history.frontier.complete());
    let Some(through) = reach.max(last_session) else { return Vec::new() };
    match history.before {
        Some(before) => redetect(before.detected, &all, history.first, through),
        None => detect(&all, through),
    }
}

/// The limits and zones that hold on the day the walk has come to.
struct Standing<'a> {
    sex: Option<Sex>,
    coming: std::vec::IntoIter<Threshold>,
    next: Option<Threshold>,
    /// The latest of each kind and origin.
    held: Vec<Threshold>,
    zones: &'a [DatedZones],
    day: Day,
}

impl<'a> Standing<'a> {
    fn new(history: &History<'a>, detected: &[Threshold]) -> Self {
        let earlier = history.before.map_or(&[][..], |before| before.detected);
        let mut all: Vec<Threshold> =
            history.athlete.thresholds.iter().chain(earlier).chain(detected).copied().collect();
        all.sort_by(|a, b| a.from.cmp(&b.from).then(a.value.total_cmp(&b.value)));
        let mut coming = all.into_iter();
        let next = coming.next();
        let zones = history.athlete.zones;
        Self { sex: history.athlete.sex, coming, next, held: Vec::new(), zones, day: history.first }
    }

    fn advance(&mut self, day: Day) {
        self.day = day;
        while let Some(threshold) = self.next.filter(|next| next.from <= day) {
            // What no body has does not hold, and must not displace what does.
            if within_bounds(threshold.kind, threshold.value) {
                self.held.retain(|held| (held.kind, held.origin) != (threshold.kind, threshold.origin));
                self.held.push(threshold);
            }
            self.next = self.coming.next();
        }
    }

    fn limits(&self, day: Day) -> Limits {
        Limits::on(day, &self.held, self.sex)
    }

    /// The zones that hold for a sport.
    fn zones(&self, sport: Sport) -> SportZones {
        let hold = |kind| zones_on(self.day, kind, sport, self.zones, &self.held).map(|held| held.zones);
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
struct Feelings {
    earlier: Vec<(f64, f64)>,
    today: Vec<(f64, f64)>,
    day: Option<Day>,
    scale: Found<RpeScale>,
}

impl Feelings {
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

    fn hear(&mut self, session: &Session<'_>, judged: &Judged) {
        self.today.extend(felt(session.exertion, session.measures, judged));
    }
}

/// Session-RPE and measured load of a session that has both.
#[must_use]
pub fn felt(exertion: Option<u8>, measures: &Measures, judged: &Judged) -> Option<(f64, f64)> {
    let load = judged.load.as_ref().ok().filter(|load| load.method != LoadMethod::PerceivedExertion)?;
    let session = session_rpe(f64::from(exertion?), measures.times.training()?).ok()?;
    Some((session, load.value))
}

/// What each day means, from its sessions' loads.
fn days(history: &History<'_>, loads: &[SessionLoad]) -> Result<Vec<DayMetrics>, BadHistory> {
    let Some(last) = history.frontier.open().or(history.frontier.complete()) else { return Ok(Vec::new()) };
    let begin = history.before.map_or(history.first, |before| {
        let reach = CONTEXT_DAYS.min(before.state.fitness.days() as usize);
        before.state.day.plus(1 - reach as i64)
    });
    let earlier = history.before.map_or(&[][..], |before| before.sessions);
    let mut sessions: BTreeMap<Day, Vec<&SessionLoad>> = BTreeMap::new();
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
            load: DayLoad::of(sessions.iter().map(|session| (session.sport, session.load))),
            wellness: wellness.get(&day).copied(),
            feel: history.feel.get(&day).copied(),
            longest_run: runs.filter_map(|run| run.distance).max(),
        }
    };
    let inputs: Vec<DayInput<'_>> = begin.through(last).map(input).collect();
    let settings = DaySettings { sleep_need: history.athlete.sleep_need };
    match history.before {
        Some(before) => resume(before.state, &inputs, history.frontier, &settings),
        None => walk(&inputs, history.frontier, &settings),
    }
}

#[cfg(test)]
mod tests;
