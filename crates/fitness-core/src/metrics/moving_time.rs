//! Elapsed, timer and moving time of an activity, and its pauses.

use super::per_second::{SampledRecording, seconds_i64, speed_from_distance};
use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use crate::domain::units::TimeSpan;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// How moving time was determined.
    pub enum MovingSource("source of moving time") {
        /// Reported by the device or service.
        Device = "device",
        Speed = "speed",
        /// Timer time: the sport has no pauses by speed, or speed is unknown.
        Recording = "recording",
        /// Edited by the athlete.
        Athlete = "athlete",
    }
}

/// The three times of an activity; `moving` is at most `timer`, and that at most `elapsed`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Times {
    /// From start to end.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: TimeSpan,
    /// While the device recorded.
    #[serde(rename = "timer_ms")]
    pub timer: TimeSpan,
    #[serde(rename = "moving_ms")]
    pub moving: TimeSpan,
    pub source: Option<MovingSource>,
    /// Stops of at least five seconds, in order.
    pub pauses: Vec<Pause>,
}

impl Times {
    /// The time that counts as training: moving time if known, else timer time, else elapsed time.
    #[must_use]
    pub fn training(&self) -> Option<TimeSpan> {
        [self.moving, self.timer, self.elapsed].into_iter().find(|time| *time > TimeSpan::ZERO)
    }
}

/// A stop, or a time the device did not record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Offset from the activity's start.
    #[serde(rename = "start_ms")]
    pub start: TimeSpan,
    #[serde(rename = "length_ms")]
    pub length: TimeSpan,
}

/// Minimum moving speed, mm/s; `None` for sports in which standing is not a pause.
const fn moving_threshold(sport: Sport) -> Option<u32> {
    match sport {
        Sport::Running => Some(500),
        Sport::Cycling => Some(1000),
        _ => None,
    }
}

/// Seconds after motion that still count as motion.
const HOLD_S: usize = 3;
/// Shorter stops are ignored, seconds.
const MIN_STOP_S: usize = 5;

/// Which seconds were in motion, by one rule for every format: five-second mean above 0.5 m/s (running) or 1.0 m/s (cycling), or
/// power on the pedals; held for 3 s; stops under 5 s are ignored. Where the speed is unknown, the
/// distances before and after decide, else the whole recorded time counts. An activity that hardly
/// moved (a treadmill without a sensor, with or without GPS drift) counts in full.
#[must_use]
pub fn detect_motion(
    recording: &Recording,
    sampled: &SampledRecording,
    sport: Sport,
) -> (Vec<bool>, MovingSource) {
    let moving = moving_threshold(sport)
        .filter(|_| is_speed_measured(sampled, sport))
        .and_then(|threshold| by_speed(recording, sampled, sport, threshold));
    match moving.filter(|moving| moving.contains(&true)) {
        Some(moving) => (moving, MovingSource::Speed),
        None => (vec![true; sampled.timeline.len()], MovingSource::Recording),
    }
}

/// Mean speed below which the speed is not that of the athlete, mm/s: a watch indoors adds up GPS
/// drift, or writes zero.
const MIN_MEAN_SPEED_MM_S: u64 = 100;

/// Whether the speed tells motion from standing. Power on the pedals does so as well.
fn is_speed_measured(sampled: &SampledRecording, sport: Sport) -> bool {
    let Some(speed) = &sampled.speed else { return true };
    let pedalled = sport == Sport::Cycling
        && sampled.power.as_ref().is_some_and(|power| power.iter().flatten().any(|watts| *watts > 0));
    let recorded = sampled.timeline.len() as u64;
    pedalled
        || speed.iter().flatten().map(|speed| u64::from(*speed)).sum::<u64>()
            >= MIN_MEAN_SPEED_MM_S * recorded
}

fn by_speed(
    recording: &Recording,
    sampled: &SampledRecording,
    sport: Sport,
    threshold: u32,
) -> Option<Vec<bool>> {
    // A track with points far apart has distances and no speed.
    let speed = match &sampled.speed {
        Some(speed) => speed,
        None if recording.column(Channel::Distance).is_some() => &vec![None; sampled.timeline.len()],
        None => return None,
    };
    let gaps = speed.iter().any(Option::is_none);
    let across =
        gaps.then(|| speed_from_distance(recording, &sampled.timeline, u32::MAX, i64::MAX)).flatten();
    let power = sampled.power.as_ref().filter(|_| sport == Sport::Cycling);
    let pedalled = |index: usize| power.is_some_and(|power| power[index].is_some_and(|watts| watts > 0));
    let mut moving = vec![false; sampled.timeline.len()];
    for chunk in sampled.timeline.chunks() {
        let speeds = &speed[chunk.at.clone()];
        let around =
            |second: usize| (u64::from(speeds[second].unwrap_or(0)), u64::from(speeds[second].is_some()));
        let (mut sum, mut seconds) = (0, 0);
        for (speed, known) in (0..speeds.len().min(2)).map(around) {
            (sum, seconds) = (sum + speed, seconds + known);
        }
        let mut since_motion = usize::MAX;
        for (second, index) in chunk.at.clone().enumerate() {
            if second + 2 < speeds.len() {
                let (speed, known) = around(second + 2);
                (sum, seconds) = (sum + speed, seconds + known);
            }
            if second >= 3 {
                let (speed, known) = around(second - 3);
                (sum, seconds) = (sum - speed, seconds - known);
            }
            let fast = if seconds > 0 {
                sum > u64::from(threshold) * seconds
            } else {
                let across = across.as_ref().and_then(|across| across[index]);
                across.is_none_or(|speed| speed > threshold)
            };
            since_motion = if fast || pedalled(index) { 0 } else { since_motion.saturating_add(1) };
            moving[index] = since_motion <= HOLD_S;
        }
        fill_short_stops(&mut moving[chunk.at.clone()]);
    }
    Some(moving)
}

/// Stops under five seconds between motion count as motion.
fn fill_short_stops(moving: &mut [bool]) {
    let mut last = None;
    for index in 0..moving.len() {
        if moving[index] {
            if let Some(last) = last.filter(|last| (1..MIN_STOP_S).contains(&(index - last - 1))) {
                moving[last..index].fill(true);
            }
            last = Some(index);
        }
    }
}

/// Minimum share of the elapsed time that the samples span, for moving time to be computed from
/// them.
const MIN_SPAN: f64 = 0.8;
/// A longer break is a pause, seconds, whatever the distance across it.
const MAX_MOVING_BREAK_S: i64 = 300;

/// Elapsed, timer and moving time, and the pauses.
#[must_use]
pub fn times(
    activity: &Activity,
    recording: &Recording,
    sampled: &SampledRecording,
    moving: &[bool],
    source: MovingSource,
) -> Times {
    let in_motion = moving.iter().filter(|moving| **moving).count();
    let breaks = match moving_threshold(activity.sport).filter(|_| source == MovingSource::Speed) {
        Some(threshold) => moving_breaks(recording, sampled, threshold),
        None => Vec::new(),
    };
    let between: i64 = breaks.iter().map(|(from, to)| to - from).sum();
    ordered_times(
        activity,
        TimeSpan::from_secs(sampled.timeline.span_s()),
        TimeSpan::from_secs(seconds_i64(sampled.timeline.len()) + between),
        TimeSpan::from_secs(seconds_i64(in_motion) + between),
        Some(source),
        pauses(sampled, moving, &breaks),
    )
}

/// Breaks of the recording in which the distance grew at a moving speed, as seconds since the first
/// sample: a track with few points, or a tunnel.
fn moving_breaks(recording: &Recording, sampled: &SampledRecording, threshold: u32) -> Vec<(i64, i64)> {
    let (Some(column), line) = (recording.column(Channel::Distance), &sampled.timeline) else {
        return Vec::new();
    };
    let origin = line.offset_ms(0);
    let mut known = recording
        .offsets_ms()
        .iter()
        .zip(column.samples())
        .filter_map(|(ms, mm)| Some(((i64::from(*ms) - origin).div_euclid(1000), i64::from(mm?))));
    let (mut before, mut next) = (None, known.next());
    let mut found = Vec::new();
    for pair in line.chunks().windows(2) {
        let (from, to) = (pair[0].second + seconds_i64(pair[0].at.len()), pair[1].second);
        while let Some(point) = next.filter(|(second, _)| *second < to) {
            (before, next) = (Some(point), known.next());
        }
        let Some(((second, mm), (later, further))) = before.zip(next) else { continue };
        let (time, way) = (later - second, further - mm);
        if time <= MAX_MOVING_BREAK_S && way > i64::from(threshold).saturating_mul(time) {
            found.push((from, to));
        }
    }
    found
}

/// The times of an activity without a recording, from its summary.
#[must_use]
pub fn times_from_summary(activity: &Activity) -> Times {
    let (elapsed, moving) = (positive(activity.elapsed), positive(activity.moving));
    let elapsed = elapsed.or(moving).unwrap_or_default();
    ordered_times(activity, elapsed, moving.unwrap_or(elapsed), TimeSpan::ZERO, None, Vec::new())
}

fn positive(time: Option<TimeSpan>) -> Option<TimeSpan> {
    time.filter(|time| *time > TimeSpan::ZERO)
}

fn ordered_times(
    activity: &Activity,
    span: TimeSpan,
    timer: TimeSpan,
    moving: TimeSpan,
    source: Option<MovingSource>,
    pauses: Vec<Pause>,
) -> Times {
    // A device does not count the second of the last sample.
    let told = positive(activity.elapsed).filter(|told| *told + TimeSpan::from_secs(1) >= span);
    let elapsed = told.unwrap_or(span);
    let told = positive(activity.moving).unwrap_or_default().max(elapsed);
    let spans = span.seconds() >= MIN_SPAN * told.seconds();
    let (moving, source) = match (positive(activity.moving), source) {
        (Some(edited), _) if activity.moving_is_edited => (edited, Some(MovingSource::Athlete)),
        (_, Some(MovingSource::Speed)) if spans => (moving.min(elapsed), source),
        (Some(told), _) => (told.min(elapsed), Some(MovingSource::Device)),
        (None, _) => (moving, source),
    };
    let timer = timer.min(elapsed).max(moving);
    Times { elapsed: elapsed.max(timer), timer, moving, source, pauses }
}

/// Stops and recording gaps, merged where they touch.
fn pauses(sampled: &SampledRecording, moving: &[bool], moving_breaks: &[(i64, i64)]) -> Vec<Pause> {
    let line = &sampled.timeline;
    let mut stops: Vec<(i64, i64)> = Vec::new();
    let mut stop = |from: i64, to: i64| match stops.last_mut() {
        Some((_, end)) if *end >= from => *end = to,
        _ => stops.push((from, to)),
    };
    let mut ended = None;
    let mut moving_breaks = moving_breaks.iter().peekable();
    for chunk in line.chunks() {
        let moved = moving_breaks.next_if(|(_, to)| *to == chunk.second).is_some();
        if let Some(ended) = ended.filter(|_| !moved) {
            stop(ended, chunk.second);
        }
        for index in chunk.at.clone().filter(|index| !moving[*index]) {
            let second = chunk.second + seconds_i64(index - chunk.at.start);
            stop(second, second + 1);
        }
        ended = Some(chunk.second + seconds_i64(chunk.at.len()));
    }
    let origin = line.offset_ms(0);
    let long = |(from, to): &(i64, i64)| to - from >= seconds_i64(MIN_STOP_S);
    let pause = |(from, to): (i64, i64)| Pause {
        start: TimeSpan::from_ms(origin + from * 1000),
        length: TimeSpan::from_secs(to - from),
    };
    stops.into_iter().filter(long).map(pause).collect()
}

#[cfg(test)]
mod tests;
