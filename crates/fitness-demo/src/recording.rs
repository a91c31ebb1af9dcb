//! Second by second: how an outing went, as a watch would have recorded it.

use super::physiology::{Body, MAX_HEART_RATE, slope_cost, speed_at, uptake_at};
use super::rng::{Dice, Wander};
use super::routes::Way;
use super::samples::{Length, Mark, Point, Set, Track};
use super::season::{Amount, Kind, Outing, Part, Step};
use super::workout_steps::{POOL, lasts};

/// How an outing went.
pub(super) fn record(outing: &Outing, body: &Body) -> Track {
    let mut watch = Watch::new(outing, body);
    match outing.kind {
        Kind::Swim => swim(&mut watch, outing),
        Kind::Strength => lift(&mut watch, outing),
        _ => go(&mut watch, outing),
    }
    watch.track
}

/// The watch and the heart it is strapped to.
struct Watch<'a> {
    body: &'a Body,
    track: Track,
    dice: Dice,
    t: u32,
    heart_rate: f64,
    flutter: Wander,
}

impl<'a> Watch<'a> {
    fn new(outing: &Outing, body: &'a Body) -> Self {
        let mut dice = outing.dice.clone();
        let tail_ms = dice.below(900) as u32;
        let heart_rate = body.heart_rate_at(0.22) + body.form + dice.normal() * 4.0;
        let track = Track {
            kind: outing.kind,
            begins: outing.begins,
            offset_s: outing.offset_s,
            points: Vec::with_capacity(4096),
            marks: Vec::new(),
            pauses: Vec::new(),
            lengths: Vec::new(),
            sets: Vec::new(),
            tail_ms,
        };
        Self { body, track, dice, t: 0, heart_rate, flutter: Wander::new(1.1, 9.0) }
    }

    /// The heart follows an effort slowly, up faster than down, and drifts upwards in the long run.
    fn beat(&mut self, effort: f64) {
        let hours = (f64::from(self.t) - 900.0).max(0.0) / 3600.0;
        let drift = hours * (6.0 + 4.0 * self.body.heat).max(2.0) * effort.min(1.0);
        let settles = self.body.heart_rate_at(effort) + self.body.form + drift;
        let seconds = if settles > self.heart_rate { 30.0 } else { 48.0 };
        self.heart_rate += (settles - self.heart_rate) / seconds;
    }

    fn write(&mut self, point: Point) {
        let shown = self.heart_rate + self.flutter.step(&mut self.dice);
        // A heart does not quite reach its maximum on an ordinary day.
        let heart_rate = shown.round().clamp(40.0, MAX_HEART_RATE - 1.0) as u8;
        self.track.points.push(Point { t: self.t, heart_rate, ..point });
    }

    fn mark(&mut self, part: Part, automatic: bool) {
        let last = self.track.points.len() - 1;
        if self.track.marks.last().is_none_or(|mark| mark.last < last) {
            self.track.marks.push(Mark { last, part, automatic });
        }
    }

    /// The timer stops, and nothing is recorded until it runs again.
    fn pause(&mut self, seconds: u32) {
        let from = self.t;
        for _ in 0..seconds {
            self.t += 1;
            self.beat(0.2);
        }
        self.track.pauses.push((from, self.t));
    }
}

/// Everything that covers ground: running, riding, walking.
fn go(watch: &mut Watch<'_>, outing: &Outing) {
    let kind = outing.kind;
    let around = matches!(kind, Kind::Track | Kind::Hills);
    let length = |step: &Step| match step.amount {
        Amount::Meters(meters) => meters,
        Amount::Seconds(seconds) => seconds * speed_at(step.from * watch.body.vdot),
    };
    let whole: f64 = outing.steps.iter().map(length).sum();
    let warmup = outing.steps.first().map_or(whole, length);
    let way = Way::new(outing, if around { warmup } else { whole });
    let mut stops = stops(&mut watch.dice, kind, whole);
    let lap = if kind.is_ride() { 5000.0 } else { 1000.0 };
    let structured = outing.steps.iter().any(|step| step.part != Part::Steady);
    let mut mover = Mover::new(kind);
    mover.pass(watch, &way, None, 0.0);
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
            let effort = step.from + (step.to - step.from) * done / all;
            let before = mover.distance;
            mover.advance(watch, effort);
            let main = around && !matches!(step.part, Part::Warmup | Part::Cooldown);
            // The cool-down goes the way of the warm-up again.
            let along = if around { mover.distance - begun } else { mover.distance };
            let main = main.then_some(mover.distance - warmup);
            mover.pass(watch, &way, main, along);
            if step.part == Part::Steady && (before / lap).floor() < (mover.distance / lap).floor() {
                watch.mark(Part::Steady, true);
            }
            if stops.first().is_some_and(|(at, _)| mover.distance >= *at) {
                let (_, seconds) = stops.remove(0);
                watch.pause(seconds);
                mover.speed = 0.5;
            }
        }
        if structured {
            watch.mark(step.part, false);
        }
    }
    watch.mark(outing.steps.last().map_or(Part::Steady, |step| step.part), false);
}

/// Where the athlete stops on the way, and for how many seconds: traffic lights, a shoe lace, the view.
fn stops(dice: &mut Dice, kind: Kind, whole: f64) -> Vec<(f64, u32)> {
    let most = match kind {
        Kind::Run | Kind::Trail | Kind::Ride | Kind::Walk => 3,
        Kind::Hike => return vec![(whole * dice.between(0.4, 0.6), 600 + dice.below(700) as u32)],
        _ => return Vec::new(),
    };
    let count = (dice.below(most + 2) - 2).max(0);
    let stop = |_| (whole * dice.between(0.1, 0.9), 12 + dice.below(70) as u32);
    let mut stops: Vec<_> = (0..count).map(stop).collect();
    stops.sort_by(|a, b| a.0.total_cmp(&b.0));
    stops
}

/// A body in motion.
struct Mover {
    kind: Kind,
    speed: f64,
    distance: f64,
    grade: f64,
    altitude: Option<f64>,
    /// How far from the start the track or the hill was left.
    left: (f64, f64, f64),
    power: f64,
    /// Power as the heart feels it: of the last half minute or so.
    felt: f64,
    cadence: f64,
    unevenness: Wander,
    surge: Wander,
    drifts: [Wander; 3],
}

impl Mover {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            speed: 0.0,
            distance: 0.0,
            grade: 0.0,
            altitude: None,
            left: (0.0, 0.0, 0.0),
            power: 0.0,
            felt: 0.0,
            cadence: 0.0,
            unevenness: Wander::new(0.045, 4.0),
            surge: Wander::new(0.05, 60.0),
            drifts: [Wander::new(1.6, 25.0), Wander::new(1.6, 25.0), Wander::new(0.7, 150.0)],
        }
    }

    /// One second at an effort.
    fn advance(&mut self, watch: &mut Watch<'_>, effort: f64) {
        let body = watch.body;
        let uneven = self.unevenness.step(&mut watch.dice);
        let surge = self.surge.step(&mut watch.dice);
        let effort = if self.kind.is_ride() {
            self.pedal(body, effort, uneven, surge)
        } else if self.kind.is_run() {
            let flat = speed_at(effort * body.vdot);
            // On a hill most runners slow down a little less than they should.
            let meant = (flat + surge) / slope_cost(self.grade).powf(0.85);
            self.speed = (self.speed + (meant - self.speed) * 0.22 + uneven).clamp(0.4, 7.5);
            self.cadence = (155.0 + 6.2 * self.speed) / 2.0 + uneven * 8.0;
            (uptake_at(self.speed) * slope_cost(self.grade) / body.vdot).max(0.2)
        } else {
            // Tobler's hiker.
            let meant = 1.67 * (-3.5 * (self.grade + 0.05).abs()).exp() + surge;
            self.speed = (self.speed + (meant - self.speed) * 0.3 + uneven).clamp(0.2, 2.4);
            self.cadence = 34.0 + 15.0 * self.speed;
            (3.5 + self.speed * 60.0 * (0.1 + 1.8 * self.grade.max(0.0))) / body.vdot
        };
        self.distance += self.speed;
        watch.beat(effort);
    }

    /// A second on the bike: power against weight, wind and tyres. Gives back the effort.
    fn pedal(&mut self, body: &Body, effort: f64, uneven: f64, surge: f64) -> f64 {
        let coasts = self.grade < -0.025 && self.speed > 10.0;
        let meant = body.threshold_power * (effort / 0.8 + 6.0 * self.grade.clamp(-0.06, 0.08));
        self.power = if coasts { 0.0 } else { (meant * (1.0 + uneven * 2.0) + surge * 150.0).max(20.0) };
        self.cadence = if coasts { 0.0 } else { 84.0 + uneven * 60.0 + surge * 30.0 };
        let mass = body.kg + 11.0;
        let pull = self.power * 0.97 / self.speed.max(2.0);
        let drag = 9.81 * mass * (0.005 + self.grade) + 0.21 * self.speed * self.speed;
        self.speed = (self.speed + (pull - drag) / mass).clamp(1.5, 16.5);
        self.felt += (self.power - self.felt) / 25.0;
        0.8 * self.felt / body.threshold_power
    }

    /// Where this is: metres east and north, and height. From the track or the hill, wherever it was left, it is a
    /// few hundred metres until the way home is that of the warm-up.
    fn place(&mut self, way: &Way, main: Option<f64>, along: f64) -> ((f64, f64), f64) {
        let ((x, y), altitude) = way.at(along, main);
        if main.is_some() {
            let ((x0, y0), altitude0) = way.at(0.0, None);
            self.left = (x - x0, y - y0, altitude - altitude0);
            return ((x, y), altitude);
        }
        let fade = (1.0 - along / 300.0).max(0.0);
        ((x + self.left.0 * fade, y + self.left.1 * fade), altitude + self.left.2 * fade)
    }

    /// Writes down where this is.
    fn pass(&mut self, watch: &mut Watch<'_>, way: &Way, main: Option<f64>, along: f64) {
        let mut point = Point {
            cm: (self.distance * 100.0).round() as u32,
            speed: (self.speed * 1000.0).round() as u16,
            cadence: self.cadence.round().clamp(0.0, 130.0) as u8,
            power: self.power.round() as u16,
            ..Point::default()
        };
        if !self.kind.is_indoors() {
            let ((x, y), altitude) = self.place(way, main, along);
            if let Some(last) = self.altitude {
                let slope = ((altitude - last) / self.speed.max(0.5)).clamp(-0.3, 0.3);
                self.grade += (slope - self.grade) * 0.2;
            }
            self.altitude = Some(altitude);
            let [east, north, height] = &mut self.drifts;
            let dice = &mut watch.dice;
            point.position = way.semicircles((x + east.step(dice), y + north.step(dice)));
            point.altitude = ((altitude + height.step(dice) + 500.0) * 5.0).round() as u16;
        }
        watch.write(point);
    }
}

/// Length after length, with rests at the wall.
fn swim(watch: &mut Watch<'_>, outing: &Outing) {
    watch.write(Point::default());
    let mut lengths = 0;
    for step in &outing.steps {
        let all = lasts(Kind::Swim, step, watch.body) * 0.72 / step.from.max(0.4);
        let count = match step.amount {
            Amount::Meters(meters) => (meters / POOL).round() as u32,
            Amount::Seconds(_) => 0,
        };
        for _ in 0..count.max(1) {
            let from = watch.t;
            let swims = count > 0;
            let spread = 1.0 + 0.03 * watch.dice.normal();
            let seconds = if swims { all / f64::from(count) * spread } else { all.min(45.0) * spread };
            let seconds = seconds.round().max(5.0);
            for second in 0..seconds as u32 {
                watch.t += 1;
                watch.beat(step.from);
                let arrived = swims && f64::from(second + 1) >= seconds;
                lengths += u32::from(arrived);
                let speed = if swims { (POOL * 1000.0 / seconds).round() as u16 } else { 0 };
                let cadence = if swims { (26.0 + 8.0 * (step.from - 0.5)).round() as u8 } else { 0 };
                let cm = lengths * (POOL * 100.0) as u32;
                watch.write(Point { cm, speed, cadence, ..Point::default() });
            }
            let strokes = swims.then(|| (seconds * 0.46).round() as u16);
            watch.track.lengths.push(Length { from, until: watch.t, strokes });
        }
        watch.mark(step.part, false);
    }
}

/// Sets and rests between them.
fn lift(watch: &mut Watch<'_>, outing: &Outing) {
    watch.write(Point::default());
    for (number, step) in outing.steps.iter().enumerate() {
        let from = watch.t;
        let seconds = lasts(Kind::Strength, step, watch.body) * watch.dice.between(0.8, 1.3);
        for _ in 0..seconds.round() as u32 {
            watch.t += 1;
            watch.beat(step.from);
            watch.write(Point::default());
        }
        // Three sets of each exercise, each a pair of work and rest.
        let exercise = number / 6;
        let work = (step.part == Part::Interval).then(|| {
            let kilograms = [40, 16, 50, 0, 12, 0][exercise % 6];
            (exercise, 8 + watch.dice.below(5) as u16, kilograms * 16)
        });
        watch.track.sets.push(Set { from, until: watch.t, work });
    }
    watch.mark(Part::Steady, false);
}
