//! Simulates an activity second by second, as a watch would record it.

use super::physiology::{Body, MAX_HEART_RATE, slope_cost, speed_at, uptake_at};
use super::rng::{CorrelatedNoise, Rng};
use super::routes::Route;
use super::samples::{DemoRecording, LapMark, Length, Point, Set};
use super::season::{ActivityKind, Amount, DemoActivity, DemoStep, StepPurpose};
use super::workout_steps::{POOL_LENGTH_M, step_seconds};

pub(super) fn record(outing: &DemoActivity, body: &Body) -> DemoRecording {
    let mut watch = Watch::new(outing, body);
    match outing.kind {
        ActivityKind::Swim => record_swim(&mut watch, outing),
        ActivityKind::Strength => record_strength(&mut watch, outing),
        _ => record_movement(&mut watch, outing),
    }
    watch.track
}

/// Records samples, and simulates the heart rate.
struct Watch<'a> {
    body: &'a Body,
    track: DemoRecording,
    rng: Rng,
    t: u32,
    heart_rate: f64,
    heart_rate_noise: CorrelatedNoise,
}

impl<'a> Watch<'a> {
    fn new(outing: &DemoActivity, body: &'a Body) -> Self {
        let mut rng = outing.rng.clone();
        let tail_ms = rng.below(900) as u32;
        let heart_rate = body.heart_rate_at(0.22) + body.form + rng.normal() * 4.0;
        let track = DemoRecording {
            kind: outing.kind,
            started_at: outing.started_at,
            offset_s: outing.offset_s,
            points: Vec::with_capacity(4096),
            lap_marks: Vec::new(),
            pauses: Vec::new(),
            lengths: Vec::new(),
            sets: Vec::new(),
            tail_ms,
        };
        Self { body, track, rng, t: 0, heart_rate, heart_rate_noise: CorrelatedNoise::new(1.1, 9.0) }
    }

    /// Heart rate follows effort with a lag, faster up than down, and drifts upwards over time.
    fn update_heart_rate(&mut self, effort: f64) {
        let hours = (f64::from(self.t) - 900.0).max(0.0) / 3600.0;
        let drift = hours * (6.0 + 4.0 * self.body.heat).max(2.0) * effort.min(1.0);
        let settles = self.body.heart_rate_at(effort) + self.body.form + drift;
        let seconds = if settles > self.heart_rate { 30.0 } else { 48.0 };
        self.heart_rate += (settles - self.heart_rate) / seconds;
    }

    fn record_point(&mut self, point: Point) {
        let shown = self.heart_rate + self.heart_rate_noise.step(&mut self.rng);
        // Slightly below the maximum.
        let heart_rate = shown.round().clamp(40.0, MAX_HEART_RATE - 1.0) as u8;
        self.track.points.push(Point { t: self.t, heart_rate, ..point });
    }

    fn mark_lap(&mut self, part: StepPurpose, automatic: bool) {
        let last = self.track.points.len() - 1;
        if self.track.lap_marks.last().is_none_or(|mark| mark.last < last) {
            self.track.lap_marks.push(LapMark { last, part, automatic });
        }
    }

    /// Stops the timer; nothing is recorded meanwhile.
    fn pause(&mut self, seconds: u32) {
        let from = self.t;
        for _ in 0..seconds {
            self.t += 1;
            self.update_heart_rate(0.2);
        }
        self.track.pauses.push((from, self.t));
    }
}

/// Running, cycling and walking.
fn record_movement(watch: &mut Watch<'_>, outing: &DemoActivity) {
    let kind = outing.kind;
    let around = matches!(kind, ActivityKind::Track | ActivityKind::Hills);
    let length = |step: &DemoStep| match step.amount {
        Amount::Meters(meters) => meters,
        Amount::Seconds(seconds) => seconds * speed_at(step.effort_from * watch.body.vdot),
    };
    let whole: f64 = outing.steps.iter().map(length).sum();
    let warmup = outing.steps.first().map_or(whole, length);
    let way = Route::new(outing, if around { warmup } else { whole });
    let mut stops = plan_stops(&mut watch.rng, kind, whole);
    let lap = if kind.is_ride() { 5000.0 } else { 1000.0 };
    let structured = outing.steps.iter().any(|step| step.purpose != StepPurpose::Steady);
    let mut mover = Motion::new(kind);
    mover.record_position(watch, &way, None, 0.0);
    for step in &outing.steps {
        let begun = mover.distance;
        let mut seconds = 0.0;
        loop {
            let (done, all) = match step.amount {
                Amount::Meters(meters) => (mover.distance - begun, meters),
                Amount::Seconds(amount) => (seconds, amount),
            };
            if done >= all {
                break;
            }
            watch.t += 1;
            seconds += 1.0;
            let effort = step.effort_from + (step.effort_to - step.effort_from) * done / all;
            let before = mover.distance;
            mover.advance(watch, effort);
            let main = around && !matches!(step.purpose, StepPurpose::Warmup | StepPurpose::Cooldown);
            // The cool-down uses the same route as the warm-up.
            let along = if around { mover.distance - begun } else { mover.distance };
            let main = main.then_some(mover.distance - warmup);
            mover.record_position(watch, &way, main, along);
            if step.purpose == StepPurpose::Steady && (before / lap).floor() < (mover.distance / lap).floor()
            {
                watch.mark_lap(StepPurpose::Steady, true);
            }
            if stops.first().is_some_and(|(at, _)| mover.distance >= *at) {
                let (_, seconds) = stops.remove(0);
                watch.pause(seconds);
                mover.speed = 0.5;
            }
        }
        if structured {
            watch.mark_lap(step.purpose, false);
        }
    }
    watch.mark_lap(outing.steps.last().map_or(StepPurpose::Steady, |step| step.purpose), false);
}

/// Stops as position and duration in seconds, such as traffic lights.
fn plan_stops(dice: &mut Rng, kind: ActivityKind, whole: f64) -> Vec<(f64, u32)> {
    let most = match kind {
        ActivityKind::Run | ActivityKind::Trail | ActivityKind::Ride | ActivityKind::Walk => 3,
        ActivityKind::Hike => return vec![(whole * dice.between(0.4, 0.6), 600 + dice.below(700) as u32)],
        _ => return Vec::new(),
    };
    let count = (dice.below(most + 2) - 2).max(0);
    let stop = |_| (whole * dice.between(0.1, 0.9), 12 + dice.below(70) as u32);
    let mut stops: Vec<_> = (0..count).map(stop).collect();
    stops.sort_by(|a, b| a.0.total_cmp(&b.0));
    stops
}

/// Speed and position of the athlete.
struct Motion {
    kind: ActivityKind,
    speed: f64,
    distance: f64,
    grade: f64,
    altitude: Option<f64>,
    /// Where the track or hill part ended.
    departure: (f64, f64, f64),
    power: f64,
    /// Smoothed power, over about half a minute.
    smoothed_power: f64,
    cadence: f64,
    unevenness: CorrelatedNoise,
    surge: CorrelatedNoise,
    drifts: [CorrelatedNoise; 3],
}

impl Motion {
    fn new(kind: ActivityKind) -> Self {
        Self {
            kind,
            speed: 0.0,
            distance: 0.0,
            grade: 0.0,
            altitude: None,
            departure: (0.0, 0.0, 0.0),
            power: 0.0,
            smoothed_power: 0.0,
            cadence: 0.0,
            unevenness: CorrelatedNoise::new(0.045, 4.0),
            surge: CorrelatedNoise::new(0.05, 60.0),
            drifts: [
                CorrelatedNoise::new(1.6, 25.0),
                CorrelatedNoise::new(1.6, 25.0),
                CorrelatedNoise::new(0.7, 150.0),
            ],
        }
    }

    /// Advances by one second.
    fn advance(&mut self, watch: &mut Watch<'_>, effort: f64) {
        let body = watch.body;
        let uneven = self.unevenness.step(&mut watch.rng);
        let surge = self.surge.step(&mut watch.rng);
        let effort = if self.kind.is_ride() {
            self.pedal(body, effort, uneven, surge)
        } else if self.kind.is_run() {
            let flat = speed_at(effort * body.vdot);
            // Most runners slow down less than the slope would require.
            let meant = (flat + surge) / slope_cost(self.grade).powf(0.85);
            self.speed = (self.speed + (meant - self.speed) * 0.22 + uneven).clamp(0.4, 7.5);
            self.cadence = (155.0 + 6.2 * self.speed) / 2.0 + uneven * 8.0;
            (uptake_at(self.speed) * slope_cost(self.grade) / body.vdot).max(0.2)
        } else {
            // Tobler's hiking function.
            let meant = 1.67 * (-3.5 * (self.grade + 0.05).abs()).exp() + surge;
            self.speed = (self.speed + (meant - self.speed) * 0.3 + uneven).clamp(0.2, 2.4);
            self.cadence = 34.0 + 15.0 * self.speed;
            (3.5 + self.speed * 60.0 * (0.1 + 1.8 * self.grade.max(0.0))) / body.vdot
        };
        self.distance += self.speed;
        watch.update_heart_rate(effort);
    }

    /// Advances the bike by one second: power against gravity, air and rolling resistance. Returns
    /// the effort.
    fn pedal(&mut self, body: &Body, effort: f64, uneven: f64, surge: f64) -> f64 {
        let coasts = self.grade < -0.025 && self.speed > 10.0;
        let meant = body.threshold_power * (effort / 0.8 + 6.0 * self.grade.clamp(-0.06, 0.08));
        self.power = if coasts { 0.0 } else { (meant * (1.0 + uneven * 2.0) + surge * 150.0).max(20.0) };
        self.cadence = if coasts { 0.0 } else { 84.0 + uneven * 60.0 + surge * 30.0 };
        let mass = body.kg + 11.0;
        let pull = self.power * 0.97 / self.speed.max(2.0);
        let drag = 9.81 * mass * (0.005 + self.grade) + 0.21 * self.speed * self.speed;
        self.speed = (self.speed + (pull - drag) / mass).clamp(1.5, 16.5);
        self.smoothed_power += (self.power - self.smoothed_power) / 25.0;
        0.8 * self.smoothed_power / body.threshold_power
    }

    /// Position in metres east and north, and altitude. After the track or hill part, it blends
    /// back into the warm-up route over a few hundred metres.
    fn position(&mut self, way: &Route, main: Option<f64>, along: f64) -> ((f64, f64), f64) {
        let ((x, y), altitude) = way.at(along, main);
        if main.is_some() {
            let ((x0, y0), altitude0) = way.at(0.0, None);
            self.departure = (x - x0, y - y0, altitude - altitude0);
            return ((x, y), altitude);
        }
        let fade = (1.0 - along / 300.0).max(0.0);
        ((x + self.departure.0 * fade, y + self.departure.1 * fade), altitude + self.departure.2 * fade)
    }

    fn record_position(&mut self, watch: &mut Watch<'_>, way: &Route, main: Option<f64>, along: f64) {
        let mut point = Point {
            cm: (self.distance * 100.0).round() as u32,
            speed: (self.speed * 1000.0).round() as u16,
            cadence: self.cadence.round().clamp(0.0, 130.0) as u8,
            power: self.power.round() as u16,
            ..Point::default()
        };
        if !self.kind.is_indoors() {
            let ((x, y), altitude) = self.position(way, main, along);
            if let Some(last) = self.altitude {
                let slope = ((altitude - last) / self.speed.max(0.5)).clamp(-0.3, 0.3);
                self.grade += (slope - self.grade) * 0.2;
            }
            self.altitude = Some(altitude);
            let [east, north, height] = &mut self.drifts;
            let dice = &mut watch.rng;
            point.position = way.semicircles((x + east.step(dice), y + north.step(dice)));
            point.altitude = ((altitude + height.step(dice) + 500.0) * 5.0).round() as u16;
        }
        watch.record_point(point);
    }
}

/// Pool lengths with rests.
fn record_swim(watch: &mut Watch<'_>, outing: &DemoActivity) {
    watch.record_point(Point::default());
    let mut lengths = 0;
    for step in &outing.steps {
        let all = step_seconds(ActivityKind::Swim, step, watch.body) * 0.72 / step.effort_from.max(0.4);
        let count = match step.amount {
            Amount::Meters(meters) => (meters / POOL_LENGTH_M).round() as u32,
            Amount::Seconds(_) => 0,
        };
        for _ in 0..count.max(1) {
            let from = watch.t;
            let swims = count > 0;
            let spread = 1.0 + 0.03 * watch.rng.normal();
            let seconds = if swims { all / f64::from(count) * spread } else { all.min(45.0) * spread };
            let seconds = seconds.round().max(5.0);
            for second in 0..seconds as u32 {
                watch.t += 1;
                watch.update_heart_rate(step.effort_from);
                let arrived = swims && f64::from(second + 1) >= seconds;
                lengths += u32::from(arrived);
                let speed = if swims { (POOL_LENGTH_M * 1000.0 / seconds).round() as u16 } else { 0 };
                let cadence = if swims { (26.0 + 8.0 * (step.effort_from - 0.5)).round() as u8 } else { 0 };
                let cm = lengths * (POOL_LENGTH_M * 100.0) as u32;
                watch.record_point(Point { cm, speed, cadence, ..Point::default() });
            }
            let strokes = swims.then(|| (seconds * 0.46).round() as u16);
            watch.track.lengths.push(Length { from, until: watch.t, strokes });
        }
        watch.mark_lap(step.purpose, false);
    }
}

fn record_strength(watch: &mut Watch<'_>, outing: &DemoActivity) {
    watch.record_point(Point::default());
    for (number, step) in outing.steps.iter().enumerate() {
        let from = watch.t;
        let seconds = step_seconds(ActivityKind::Strength, step, watch.body) * watch.rng.between(0.8, 1.3);
        for _ in 0..seconds.round() as u32 {
            watch.t += 1;
            watch.update_heart_rate(step.effort_from);
            watch.record_point(Point::default());
        }
        // Three sets per exercise, each with a rest.
        let exercise = number / 6;
        let work = (step.purpose == StepPurpose::Interval).then(|| {
            let kilograms = [40, 16, 50, 0, 12, 0][exercise % 6];
            (exercise, 8 + watch.rng.below(5) as u16, kilograms * 16)
        });
        watch.track.sets.push(Set { from, until: watch.t, work });
    }
    watch.mark_lap(StepPurpose::Steady, false);
}
