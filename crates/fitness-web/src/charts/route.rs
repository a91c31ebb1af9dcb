//! Outline of a GPS route. There are no map tiles: fetching them would tell a third party where the
//! athlete runs.

use super::path::{self, Point};
use maud::{Markup, html};

/// Points in the outline at most.
const MAX_POINTS: usize = 600;
/// Input points used at most; more are closer together than a pixel.
const MAX_INPUT_POINTS: usize = 4000;
/// Width and height in SVG units.
const SIDE: f64 = 320.0;
const MARGIN: f64 = 14.0;
/// The smallest span of a route in degrees, about 20 m. Less is GPS noise of a watch at rest.
const MIN_SPAN_DEGREES: f64 = 0.000_2;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RouteOutline {
    points: Vec<Point>,
    width: f64,
    height: f64,
}

/// Projects latitude and longitude (degrees) onto the drawing. `None` for fewer than two points or
/// a route below the smallest span.
pub(crate) fn project_route(places: &[(f64, f64)]) -> Option<RouteOutline> {
    let sound = |(north, east): &&(f64, f64)| north.abs() <= 90.0 && east.abs() <= 180.0;
    let every = places.len().div_ceil(MAX_INPUT_POINTS).max(1);
    let some: Vec<(f64, f64)> = places.iter().filter(sound).step_by(every).copied().collect();
    let ends = places.iter().rfind(sound).copied();
    let first = some.first()?.1;
    // A route across the 180th meridian continues beyond it, not around the world.
    let east = |east: f64| first + (east - first + 540.0).rem_euclid(360.0) - 180.0;
    let some: Vec<(f64, f64)> = some.into_iter().chain(ends).map(|(n, e)| (n, east(e))).collect();
    let span = |of: fn(&(f64, f64)) -> f64| {
        some.iter()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let ((south, north), (west, east)) = (span(|p| p.0), span(|p| p.1));
    // A degree of longitude shrinks towards the poles.
    let shrink = ((south + north) / 2.0).to_radians().cos().max(0.01);
    let (tall, wide) = (north - south, (east - west) * shrink);
    if tall.max(wide).total_cmp(&MIN_SPAN_DEGREES).is_lt() {
        return None;
    }
    let scale = (SIDE - 2.0 * MARGIN) / tall.max(wide);
    let place = |(n, e): &(f64, f64)| (MARGIN + (e - west) * shrink * scale, MARGIN + (north - n) * scale);
    let flat: Vec<Point> = some.iter().map(place).collect();
    let mut tolerance = 0.4;
    let mut points = simplify(&flat, tolerance);
    while points.len() > MAX_POINTS {
        tolerance *= 1.5;
        points = simplify(&flat, tolerance);
    }
    Some(RouteOutline { points, width: wide * scale + 2.0 * MARGIN, height: tall * scale + 2.0 * MARGIN })
}

/// Line simplification (Douglas and Peucker 1973).
fn simplify(points: &[Point], tolerance: f64) -> Vec<Point> {
    let mut stays = vec![false; points.len()];
    let mut open = vec![(0, points.len().saturating_sub(1))];
    for end in [0, points.len().saturating_sub(1)] {
        if let Some(stays) = stays.get_mut(end) {
            *stays = true;
        }
    }
    while let Some((first, last)) = open.pop() {
        let between = (first + 1)..last;
        let farthest = between
            .map(|at| (at, distance_to_segment(points[at], points[first], points[last])))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|(_, far)| *far > tolerance);
        if let Some((at, _)) = farthest {
            stays[at] = true;
            open.extend([(first, at), (at, last)]);
        }
    }
    points.iter().zip(stays).filter(|(_, stays)| *stays).map(|(point, _)| *point).collect()
}

fn distance_to_segment(point: Point, from: Point, to: Point) -> f64 {
    let (along, up) = (to.0 - from.0, to.1 - from.1);
    let length = along * along + up * up;
    let part =
        if length > 0.0 { ((point.0 - from.0) * along + (point.1 - from.1) * up) / length } else { 0.0 };
    let part = part.clamp(0.0, 1.0);
    (point.0 - from.0 - part * along).hypot(point.1 - from.1 - part * up)
}

impl RouteOutline {
    pub(crate) fn render(&self) -> Markup {
        let ends = self.points.first().zip(self.points.last());
        let dot = |point: &Point, class: &str, name: &str| {
            html! { circle class=(class) cx=(format!("{:.1}", point.0)) cy=(format!("{:.1}", point.1)) r="5" { title { (name) } } }
        };
        html! {
            figure.outline {
                svg viewBox=(format!("0 0 {:.0} {:.0}", self.width, self.height)) role="img" aria-label="Outline of the route, north up" {
                    path.s.plain d=(path::line(self.points.iter().copied().map(Some))) {}
                    @if let Some((start, end)) = ends { (dot(end, "end", "End")) (dot(start, "start", "Start")) }
                }
                figcaption { i.key.start aria-hidden="true" {} " start " i.key.end aria-hidden="true" {} " end" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(points: usize) -> Vec<(f64, f64)> {
        (0..points)
            .map(|at| (at as f64 / points as f64 * std::f64::consts::TAU).sin_cos())
            .map(|(n, e)| (48.0 + n / 100.0, 11.0 + e / 100.0))
            .collect()
    }

    #[test]
    fn long_route_is_simplified_and_keeps_its_shape() {
        let drawn = project_route(&circle(20_000)).unwrap();
        assert!((20..=MAX_POINTS).contains(&drawn.points.len()), "{}", drawn.points.len());
        // 48° north a degree east is two thirds of a degree north.
        let shape = (drawn.width - 2.0 * MARGIN) / (drawn.height - 2.0 * MARGIN);
        assert!((shape - 0.669).abs() < 0.005, "{shape}");
        let noisy: Vec<(f64, f64)> = (0..40_000)
            .map(|at| (48.0 + f64::from(at * 7919 % 1000) / 1e4, 11.0 + f64::from(at) / 1e6))
            .collect();
        assert!(project_route(&noisy).unwrap().points.len() <= MAX_POINTS);
    }

    #[test]
    fn route_without_movement_has_no_outline() {
        assert_eq!(project_route(&[]), None);
        assert_eq!(project_route(&[(48.0, 11.0)]), None);
        assert_eq!(project_route(&[(48.0, 11.0); 500]), None);
        assert_eq!(project_route(&[(f64::NAN, 11.0), (91.0, 0.0), (0.0, 400.0)]), None);
    }

    #[test]
    fn routes_at_poles_and_date_line_are_drawn() {
        for way in [
            vec![(89.99, 0.0), (89.999, 170.0), (90.0, -100.0)],
            vec![(10.0, 179.999), (10.001, -179.999)],
            vec![(-33.0, 151.0), (-33.0, 151.01)],
        ] {
            let drawn = project_route(&way).unwrap();
            assert!(drawn.points.iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{way:?}");
            assert!(drawn.width <= SIDE + 0.1 && drawn.height <= SIDE + 0.1, "{drawn:?}");
            let html = drawn.render().into_string();
            assert!(!html.contains("NaN") && html.contains("Start"), "{html}");
        }
    }
}
