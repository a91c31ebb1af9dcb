//! Fictional towns and routes.

use super::rng::Rng;
use super::season::{ActivityKind, DemoActivity};
use std::f64::consts::{PI, TAU};

/// Metres per degree of latitude.
const METERS_PER_DEGREE: f64 = 111_320.0;
/// Of a 400 m track: two straights and two bends.
const BEND_RADIUS_M: f64 = 36.5;
const STRAIGHT_M: f64 = (400.0 - TAU * BEND_RADIUS_M) / 2.0;
// Length and grade of the hill for hill repeats.
const HILL_LENGTH_M: f64 = 260.0;
const HILL_GRADE: f64 = 0.075;

/// A starting point with its terrain.
#[derive(Debug, Clone, Copy)]
struct Location {
    latitude: f64,
    longitude: f64,
    altitude: f64,
    /// Hilliness; 1 is rolling terrain.
    relief: f64,
}

const HOME: Location = Location { latitude: 46.951, longitude: 7.438, altitude: 548.0, relief: 0.55 };
const TRACK: Location = Location { latitude: 46.963, longitude: 7.461, altitude: 556.0, relief: 0.35 };
const FOREST: Location = Location { latitude: 46.905, longitude: 7.512, altitude: 742.0, relief: 1.9 };
const RACE: Location = Location { latitude: 46.782, longitude: 7.612, altitude: 560.0, relief: 0.18 };
const AWAY: Location = Location { latitude: 40.781, longitude: -73.966, altitude: 34.0, relief: 0.3 };

impl Location {
    fn for_activity(outing: &DemoActivity) -> Self {
        match outing.kind {
            _ if outing.is_away => AWAY,
            ActivityKind::Track => TRACK,
            ActivityKind::Trail | ActivityKind::Hike => FOREST,
            ActivityKind::Race => RACE,
            _ => HOME,
        }
    }

    /// Altitude at metres east and north of the start, as a sum of waves.
    fn altitude_at(&self, (x, y): (f64, f64)) -> f64 {
        let wave = |height: f64, length: f64, turn: f64| {
            let along = x * turn.cos() + y * turn.sin();
            // Zero and flat at the start.
            height * ((TAU * along / length).cos() - 1.0)
        };
        let waves = wave(-30.0, 5200.0, 0.4) + wave(13.0, 2300.0, 1.9) + wave(-4.0, 830.0, 2.6);
        self.altitude + self.relief * waves
    }

    /// FIT semicircles: 2^32 for the full circle.
    fn semicircles(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let latitude = self.latitude + y / METERS_PER_DEGREE;
        let longitude = self.longitude + x / (METERS_PER_DEGREE * self.latitude.to_radians().cos());
        let semicircles = |degrees: f64| (degrees * (2_147_483_648.0 / 180.0)).round() as i32;
        (semicircles(latitude), semicircles(longitude))
    }
}

/// A closed route of equidistant points.
#[derive(Debug)]
struct LoopRoute {
    points: Vec<(f64, f64)>,
    length: f64,
}

impl LoopRoute {
    /// A loop of the given length through the start. There are few shapes, like favourite routes.
    fn new(shape: i64, length: f64) -> Self {
        const CORNERS: usize = 720;
        let mut dice = Rng::new(0, "round", shape);
        let heading = dice.between(0.0, TAU);
        let bulges: Vec<(f64, f64)> =
            (0..4).map(|i| (dice.between(0.05, 0.3) / f64::from(1 + i), dice.between(0.0, TAU))).collect();
        let corner = |i: usize| {
            let turn = TAU * i as f64 / CORNERS as f64;
            let bulge =
                |(i, (size, phase)): (usize, &(f64, f64))| size * ((i + 2) as f64 * turn + phase).cos();
            let radius = 1.0 + bulges.iter().enumerate().map(bulge).sum::<f64>();
            (radius * (turn + heading).cos(), radius * (turn + heading).sin())
        };
        let start = corner(0);
        let corners: Vec<(f64, f64)> =
            (0..=CORNERS).map(corner).map(|(x, y)| (x - start.0, y - start.1)).collect();
        let sides: Vec<f64> =
            corners.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).collect();
        let around: f64 = sides.iter().sum();
        let scale = length / around;
        let (mut points, mut at, mut passed) = (Vec::with_capacity(CORNERS), 0, 0.0);
        for i in 0..CORNERS {
            let wanted = around * i as f64 / CORNERS as f64;
            while at + 1 < CORNERS && passed + sides[at] < wanted {
                passed += sides[at];
                at += 1;
            }
            let part = (wanted - passed) / sides[at];
            let (a, b) = (corners[at], corners[at + 1]);
            points.push(((a.0 + (b.0 - a.0) * part) * scale, (a.1 + (b.1 - a.1) * part) * scale));
        }
        Self { points, length }
    }

    fn at(&self, distance: f64) -> (f64, f64) {
        let place = (distance / self.length).rem_euclid(1.0) * self.points.len() as f64;
        let (index, part) = (place as usize % self.points.len(), place.fract());
        let (a, b) = (self.points[index], self.points[(index + 1) % self.points.len()]);
        (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part)
    }
}

/// Route of an activity.
#[derive(Debug)]
pub(super) struct Route {
    location: Location,
    kind: ActivityKind,
    loop_route: LoopRoute,
}

impl Route {
    /// A route of `length` metres; of the warm-up only, if the main part is on a track or hill.
    pub(super) fn new(outing: &DemoActivity, length: f64) -> Self {
        let shape = match outing.kind {
            ActivityKind::Race => 100,
            ActivityKind::Track | ActivityKind::Hills => 101,
            _ => outing.rng.clone().below(6),
        };
        Self {
            location: Location::for_activity(outing),
            kind: outing.kind,
            loop_route: LoopRoute::new(shape, length.max(400.0)),
        }
    }

    /// Metres east and north, and altitude: `main` metres into the track or hill part if given,
    /// else `distance` metres along the loop.
    pub(super) fn at(&self, distance: f64, main: Option<f64>) -> ((f64, f64), f64) {
        match (self.kind, main) {
            (ActivityKind::Track, Some(main)) => {
                let at = track_position(main.rem_euclid(400.0));
                (at, self.location.altitude)
            }
            (ActivityKind::Hills, Some(main)) => {
                let up = HILL_LENGTH_M - (main.rem_euclid(2.0 * HILL_LENGTH_M) - HILL_LENGTH_M).abs();
                ((up * 0.6, up * 0.8), self.location.altitude + up * HILL_GRADE)
            }
            _ => {
                let at = self.loop_route.at(distance);
                (at, self.location.altitude_at(at))
            }
        }
    }

    pub(super) fn semicircles(&self, at: (f64, f64)) -> (i32, i32) {
        self.location.semicircles(at)
    }
}

/// Metres east and north of the start of the home straight.
fn track_position(distance: f64) -> (f64, f64) {
    let bend = PI * BEND_RADIUS_M;
    if distance < STRAIGHT_M {
        (distance, 0.0)
    } else if distance < STRAIGHT_M + bend {
        let turn = (distance - STRAIGHT_M) / BEND_RADIUS_M;
        (STRAIGHT_M + BEND_RADIUS_M * turn.sin(), BEND_RADIUS_M - BEND_RADIUS_M * turn.cos())
    } else if distance < 2.0 * STRAIGHT_M + bend {
        (STRAIGHT_M - (distance - STRAIGHT_M - bend), 2.0 * BEND_RADIUS_M)
    } else {
        let turn = (distance - 2.0 * STRAIGHT_M - bend) / BEND_RADIUS_M;
        (-BEND_RADIUS_M * turn.sin(), BEND_RADIUS_M + BEND_RADIUS_M * turn.cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn route_has_its_stated_length_and_no_jumps() {
        let round = LoopRoute::new(3, 10_000.0);
        let metre_by_metre = |at: &dyn Fn(f64) -> (f64, f64), length: i32| {
            (0..length)
                .map(|i| (at(f64::from(i)), at(f64::from(i + 1))))
                .map(|(a, b)| (b.0 - a.0).hypot(b.1 - a.1))
                .fold((0.0, 0.0_f64), |(sum, most), far| (sum + far, most.max(far)))
        };
        let (length, most) = metre_by_metre(&|d| round.at(d), 10_000);
        assert!((length - 10_000.0).abs() < 20.0 && most < 1.1, "{length} {most}");
        let (length, most) = metre_by_metre(&|d| track_position(d % 400.0), 400);
        assert!((length - 400.0).abs() < 0.5 && most < 1.01, "{length} {most}");
    }
}
