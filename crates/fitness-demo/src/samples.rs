//! Recorded samples in FIT units, and summaries of laps and recordings.

use super::physiology::{Body, MAX_HEART_RATE};
use super::season::{ActivityKind, StepPurpose};
use fitness_core::domain::calendar::Instant;
use std::ops::RangeInclusive;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Point {
    /// Seconds since the start, including pauses.
    pub(super) t: u32,
    pub(super) position: (i32, i32),
    pub(super) cm: u32,
    pub(super) speed: u16,
    /// In 1/5 m above -500 m.
    pub(super) altitude: u16,
    pub(super) heart_rate: u8,
    /// Per minute: one leg, crank revolutions, or strokes.
    pub(super) cadence: u8,
    pub(super) power: u16,
}

/// The end of a lap.
#[derive(Debug, Clone, Copy)]
pub(super) struct LapMark {
    pub(super) last: usize,
    pub(super) part: StepPurpose,
    /// Auto lap, or a workout step.
    pub(super) automatic: bool,
}

/// A pool length, or a rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    pub(super) from: u32,
    pub(super) until: u32,
    /// `None` for a rest.
    pub(super) strokes: Option<u16>,
}

/// A strength set, or a rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    pub(super) from: u32,
    pub(super) until: u32,
    /// Exercise number, repetitions, and weight in 1/16 kg; `None` for a rest.
    pub(super) work: Option<(usize, u16, u16)>,
}

#[derive(Debug)]
pub(super) struct DemoRecording {
    pub(super) kind: ActivityKind,
    pub(super) started_at: Instant,
    pub(super) offset_s: i32,
    pub(super) points: Vec<Point>,
    pub(super) lap_marks: Vec<LapMark>,
    /// Start and end in seconds since the start.
    pub(super) pauses: Vec<(u32, u32)>,
    pub(super) lengths: Vec<Length>,
    pub(super) sets: Vec<Set>,
    /// Seconds from the last point until the recording was stopped.
    pub(super) tail_ms: u32,
}

/// Summary of a lap or a whole recording.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    /// Seconds since the start of the recording.
    pub(super) from: u32,
    pub(super) elapsed_ms: u32,
    pub(super) timer_ms: u32,
    pub(super) cm: u32,
    pub(super) speed: u16,
    pub(super) max_speed: u16,
    pub(super) heart_rate: u8,
    pub(super) min_heart_rate: u8,
    pub(super) max_heart_rate: u8,
    pub(super) cadence: u8,
    pub(super) max_cadence: u8,
    pub(super) power: u16,
    pub(super) max_power: u16,
    pub(super) normalized_power: u16,
    pub(super) ascent: u16,
    pub(super) descent: u16,
    pub(super) min_altitude: u16,
    pub(super) max_altitude: u16,
    pub(super) kcal: u16,
    pub(super) impulse: f64,
    /// Seconds below zone 1 and in each of the five zones.
    pub(super) zones: [u32; 6],
}

/// Lower bounds of the five zones: 50 to 90 % of max HR.
pub(super) fn zone_floors() -> [u8; 5] {
    [0.5, 0.6, 0.7, 0.8, 0.9].map(|share| (share * MAX_HEART_RATE).round() as u8)
}

impl DemoRecording {
    pub(super) fn summary(&self, body: &Body) -> Summary {
        self.summarize(0..=self.points.len() - 1, body)
    }

    pub(super) fn laps(&self, body: &Body) -> Vec<(LapMark, Summary)> {
        let mut first = 0;
        let mut laps = Vec::with_capacity(self.lap_marks.len());
        for mark in &self.lap_marks {
            laps.push((*mark, self.summarize(first..=mark.last, body)));
            first = mark.last;
        }
        laps
    }

    /// Summary of a range of points. The point between two laps counts for the earlier one.
    fn summarize(&self, range: RangeInclusive<usize>, body: &Body) -> Summary {
        let (begin, end) = (self.points[*range.start()], self.points[*range.end()]);
        let own = if *range.start() == 0 { range.clone() } else { range.start() + 1..=*range.end() };
        let points = &self.points[own];
        let paused: u32 =
            self.pauses.iter().filter(|(from, _)| (begin.t..end.t).contains(from)).map(|(a, b)| b - a).sum();
        let tail = if *range.end() + 1 == self.points.len() { self.tail_ms } else { 0 };
        let elapsed_ms = (end.t - begin.t) * 1000 + tail;
        let timer_ms = elapsed_ms - paused * 1000;
        let cm = end.cm - begin.cm;
        let count = points.len() as f64;
        let mean = |value: fn(&Point) -> f64| points.iter().map(value).sum::<f64>() / count;
        let most = |value: fn(&Point) -> u16| points.iter().map(value).max().unwrap_or_default();
        let turning: Vec<f64> =
            points.iter().filter(|p| p.cadence > 0).map(|p| f64::from(p.cadence)).collect();
        let (ascent, descent) = ascent_and_descent(points);
        let (mut kcal, mut impulse, mut zones) = (0.0, 0.0, [0; 6]);
        let floors = zone_floors();
        for point in points {
            let reserve = body.reserve(f64::from(point.heart_rate));
            kcal += body.kcal(reserve) / 60.0;
            impulse += Body::impulse(reserve) / 60.0;
            zones[floors.iter().filter(|floor| point.heart_rate >= **floor).count()] += 1;
        }
        Summary {
            from: begin.t,
            elapsed_ms,
            timer_ms,
            cm,
            speed: (f64::from(cm) * 10_000.0 / f64::from(timer_ms.max(1))).round() as u16,
            max_speed: most(|p| p.speed),
            heart_rate: mean(|p| f64::from(p.heart_rate)).round() as u8,
            min_heart_rate: points.iter().map(|p| p.heart_rate).min().unwrap_or_default(),
            max_heart_rate: most(|p| p.heart_rate.into()) as u8,
            cadence: (turning.iter().sum::<f64>() / (turning.len() as f64).max(1.0)).round() as u8,
            max_cadence: most(|p| p.cadence.into()) as u8,
            power: mean(|p| f64::from(p.power)).round() as u16,
            max_power: most(|p| p.power),
            normalized_power: normalized_power(points),
            ascent,
            descent,
            min_altitude: points.iter().map(|p| p.altitude).min().unwrap_or_default(),
            max_altitude: most(|p| p.altitude),
            kcal: kcal.round() as u16,
            impulse,
            zones,
        }
    }
}

/// Ascent and descent in metres, ignoring changes below three metres, which are noise.
fn ascent_and_descent(points: &[Point]) -> (u16, u16) {
    let (mut up, mut down) = (0, 0);
    let Some(first) = points.first() else { return (0, 0) };
    let mut turn = i32::from(first.altitude);
    for point in points {
        let gain = i32::from(point.altitude) - turn;
        if gain.abs() >= 15 {
            if gain > 0 {
                up += gain
            } else {
                down -= gain
            }
            turn += gain;
        }
    }
    ((up / 5) as u16, (down / 5) as u16)
}

/// Coggan's normalized power: the fourth root of the mean fourth power of 30-second means.
fn normalized_power(points: &[Point]) -> u16 {
    if points.iter().all(|p| p.power == 0) || points.len() < 30 {
        return 0;
    }
    let mut sum: f64 = points[..30].iter().map(|p| f64::from(p.power)).sum();
    let mut fourths = (sum / 30.0).powi(4);
    for (old, new) in points.iter().zip(&points[30..]) {
        sum += f64::from(new.power) - f64::from(old.power);
        fourths += (sum / 30.0).powi(4);
    }
    (fourths / (points.len() - 29) as f64).powf(0.25).round() as u16
}
