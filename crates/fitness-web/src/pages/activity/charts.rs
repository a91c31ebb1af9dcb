//! Charts of a recording: pace, heart rate, elevation and power.

use super::{ActivityPageData, RecordingViewMode};
use crate::charts::axes::format_number;
use crate::charts::figure::Figure;
use crate::charts::scale::LinearScale;
use crate::charts::stream::{self, Panel, Samples, downsample, smooth, trimmed_range};
use crate::components::missing_value::or_dash;
use crate::page::PageContext;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Column, Recording};
use fitness_core::domain::units::{Distance, Speed, TimeSpan, UnitSystem};
use fitness_core::domain::untrusted_text::pluralize;
use maud::{Markup, html};

/// Points in a line at most.
const MAX_POINTS: usize = 240;
/// Values the cursor can show at most.
const MAX_READINGS: usize = 90;
/// Slower is standing still, metres per second.
const STANDING_SPEED: f64 = 0.4;
/// Samples on each side of the moving average.
const SMOOTHING_SAMPLES: usize = 8;

/// The recorded series in SI units; heart rate in beats per minute.
struct RecordedSeries {
    seconds: Vec<f64>,
    meters: Option<Vec<f64>>,
    speed: Vec<Option<f64>>,
    heart_rate: Vec<Option<f64>>,
    altitude: Vec<Option<f64>>,
    power: Vec<Option<f64>>,
}

impl RecordedSeries {
    fn from_recording(recording: &Recording) -> Self {
        let moments = recording.offsets_ms();
        let column = |channel, unit: f64| -> Vec<Option<f64>> {
            let read = |column: &Column| column.samples().map(|v| v.map(|v| f64::from(v) * unit)).collect();
            recording.column(channel).map_or_else(|| vec![None; moments.len()], read)
        };
        let seconds: Vec<f64> = moments.iter().map(|ms| f64::from(*ms) / 1000.0).collect();
        let far = column(Channel::Distance, 0.001);
        let meters = cumulative_distance(&far);
        let recorded = column(Channel::Speed, 0.001);
        let speed = if recorded.iter().any(Option::is_some) {
            recorded
        } else {
            speeds_from_distance(&seconds, &far)
        };
        let moving = |speed: Option<f64>| speed.filter(|speed| *speed >= STANDING_SPEED);
        Self {
            speed: smooth(&speed, SMOOTHING_SAMPLES).into_iter().map(moving).collect(),
            heart_rate: column(Channel::HeartRate, 1.0),
            altitude: smooth(&column(Channel::Altitude, 0.001), 2),
            power: smooth(&column(Channel::Power, 1.0), SMOOTHING_SAMPLES),
            seconds,
            meters,
        }
    }
}

/// The values of one sample as text.
struct SampleLabels {
    distance: Option<String>,
    time: Option<String>,
    /// Speed, heart rate, elevation, power.
    values: [Option<String>; 4],
}

impl RecordedSeries {
    fn sample_at(&self, at: usize, sport: Sport, units: UnitSystem) -> SampleLabels {
        let of = |values: &[Option<f64>]| values.get(at).copied().flatten();
        let far = self.meters.as_ref().and_then(|meters| Distance::from_meters(*meters.get(at)?));
        let speed =
            of(&self.speed).and_then(Speed::from_mps).and_then(|speed| units.format_speed_for(sport, speed));
        let unit = if units == UnitSystem::Metric { "m" } else { "ft" };
        SampleLabels {
            distance: far.map(|far| units.format_distance_for(sport, far).to_string()),
            time: self.seconds.get(at).copied().and_then(TimeSpan::from_seconds).map(TimeSpan::format_clock),
            values: [
                speed.map(|shown| shown.to_string()),
                of(&self.heart_rate).map(|bpm| format!("{bpm:.0} bpm")),
                of(&self.altitude).map(|meters| format!("{:.0} {unit}", convert_elevation(meters, units))),
                of(&self.power).map(|watts| format!("{watts:.0} W")),
            ],
        }
    }
}

/// Distance at each sample, never decreasing; `None` when it stays zero.
fn cumulative_distance(far: &[Option<f64>]) -> Option<Vec<f64>> {
    let mut farthest = 0.0_f64;
    let all: Vec<f64> = far
        .iter()
        .map(|meters| {
            farthest = farthest.max(meters.unwrap_or(0.0));
            farthest
        })
        .collect();
    (farthest > 0.0).then_some(all)
}

/// Speeds for recordings without a speed channel.
fn speeds_from_distance(seconds: &[f64], far: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut before: Option<(f64, f64)> = None;
    let mut speed = |(at, far): (&f64, &Option<f64>)| {
        let here = (*far).map(|far| (*at, far));
        let speed = before.zip(here).and_then(|((then, there), (now, here))| {
            let speed = (here - there) / (now - then);
            (speed.is_finite() && speed >= 0.0).then_some(speed)
        });
        before = here.or(before);
        speed
    };
    seconds.iter().zip(far).map(&mut speed).collect()
}

pub(super) fn card(
    view: &PageContext,
    seen: &ActivityPageData,
    recording: &Recording,
    shown: RecordingViewMode,
) -> Markup {
    let lines = RecordedSeries::from_recording(recording);
    let address = format!("/activities/{}", seen.stored.id);
    let tab = |to: &str, is: RecordingViewMode, called: &str| html! { a href=(to) aria-current=[(shown == is).then_some("true")] { (called) } };
    html! {
        section.card {
            div.row {
                h2 { "Recording" }
                nav.tabs.push aria-label="View of the recording" {
                    @if lines.meters.is_some() { (tab(&address, RecordingViewMode::ByDistance, "Distance")) }
                    (tab(&format!("{address}?x=time"), RecordingViewMode::ByTime, "Time"))
                    (tab(&format!("{address}?table=recording"), RecordingViewMode::Table, "Table"))
                }
            }
            @if shown == RecordingViewMode::Table { (table(&lines, seen.stored.activity.sport, view.units())) }
            @else { (figure(view, seen, recording, &lines, shown)) }
        }
    }
}

/// Rows in the table at most.
const MAX_ROWS: f64 = 120.0;

/// One row per minute; long recordings have one every few minutes.
fn table(lines: &RecordedSeries, sport: Sport, units: UnitSystem) -> Markup {
    let minutes = lines.seconds.last().copied().unwrap_or(0.0) / 60.0;
    let step = (minutes / MAX_ROWS).ceil().max(1.0) * 60.0;
    let mut due = 0.0;
    let mut at = Vec::new();
    for (moment, seconds) in lines.seconds.iter().enumerate() {
        if *seconds >= due {
            at.push(moment);
            due = (seconds / step).floor().mul_add(step, step);
        }
    }
    let some = |values: &[Option<f64>]| values.iter().any(Option::is_some);
    let columns = [some(&lines.speed), some(&lines.heart_rate), some(&lines.altitude), some(&lines.power)];
    html! {
        div.scroll tabindex="0" role="region" aria-label="Recording (scrollable)" { table {
            thead { tr {
                th.n scope="col" { "Time" } @if lines.meters.is_some() { th.n scope="col" { "Distance" } }
                @for (there, name) in columns.iter().zip(["Pace", "Heart rate", "Elevation", "Power"]) { @if *there { th.n scope="col" { (name) } } }
            } }
            tbody { @for at in at {
                @let SampleLabels { distance, time, values } = lines.sample_at(at, sport, units);
                tr {
                    th.n scope="row" { (time.unwrap_or_default()) }
                    @if lines.meters.is_some() { td.n { (or_dash(distance, "Not recorded")) } }
                    @for (there, value) in columns.iter().zip(values) { @if *there { td.n { (or_dash(value, "Not recorded")) } } }
                }
            } }
        } }
        p.small.soft { "One row every " (format!("{:.0}", step / 60.0)) " min. Pace, elevation and power are averaged over a few seconds." }
    }
}

fn figure(
    view: &PageContext,
    seen: &ActivityPageData,
    recording: &Recording,
    lines: &RecordedSeries,
    shown: RecordingViewMode,
) -> Markup {
    let (units, sport) = (view.units(), seen.stored.activity.sport);
    let by_distance = lines.meters.as_ref().filter(|_| shown == RecordingViewMode::ByDistance);
    let unit = UnitSystem::Metric.distance_from_number(1.0).filter(|_| units == UnitSystem::Metric);
    let long =
        unit.or_else(|| UnitSystem::Imperial.distance_from_number(1.0)).map_or(1000.0, Distance::meters);
    let x: Vec<f64> = match by_distance {
        Some(meters) => meters.iter().map(|meters| meters / long).collect(),
        None => lines.seconds.iter().map(|seconds| seconds / 60.0).collect(),
    };
    let samples = |values: &[Option<f64>]| -> Samples {
        let all: Samples = x.iter().copied().zip(values.iter().copied()).collect();
        downsample(&all, MAX_POINTS)
    };
    let panels: Vec<Panel<'_>> = [
        pace_panel(samples(&lines.speed), sport, units),
        value_panel("Heart rate, bpm", "heart", samples(&lines.heart_rate), 0.0, |v| v),
        value_panel(elevation_title(units), "climb", samples(&lines.altitude), 0.0, |v| {
            convert_elevation(v, units)
        }),
        value_panel("Power, W", "power", samples(&lines.power), 0.005, |v| v),
    ]
    .into_iter()
    .flatten()
    .collect();
    if panels.is_empty() {
        return html! { p.soft { "This recording has no speed, heart rate, elevation or power data." } };
    }
    let plot = stream::plot(panels.len());
    let ends = (x.first().copied().unwrap_or(0.0).min(0.0), x.last().copied().unwrap_or(1.0));
    let across = LinearScale::new(ends, plot.x_range());
    let below = axis_labels(ends, by_distance.is_some(), units);
    let reads = readings(lines, &x, &across, sport, units);
    let names: Vec<&str> = panels.iter().filter_map(|panel| panel.title.split(',').next()).collect();
    let label = format!("Recording: {}", names.join(", "));
    let points = recording.offsets_ms().len();
    let simplified = if points > MAX_POINTS { ", simplified for display" } else { "" };
    let caption = format!("{}{simplified}.", pluralize(points as u64, "point", "points"));
    let figure = Figure {
        label: &label,
        drawing: stream::draw_panels(&plot, &across, &panels, &below),
        plot,
        readings: reads,
        caption: &caption,
        table: Some(&format!("/activities/{}?table=recording", seen.stored.id)),
    };
    html! { (figure.render()) }
}

/// Labels of the x axis: kilometres, miles or minutes.
fn axis_labels((from, to): (f64, f64), distance: bool, units: UnitSystem) -> Vec<(f64, String)> {
    let steps =
        [0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 240.0, 480.0, 1440.0, 2880.0, 10_080.0];
    let step = steps.into_iter().find(|step| (to - from) / step <= 11.0).unwrap_or(50_000.0);
    let unit = match (distance, units) {
        (true, UnitSystem::Metric) => "km",
        (true, UnitSystem::Imperial) => "mi",
        (false, _) => "min",
    };
    let count = ((to - from) / step).clamp(0.0, 60.0) as u32;
    (0..=count).map(|at| f64::from(at) * step).map(|x| (x, format!("{} {unit}", format_number(x)))).collect()
}

/// Metres per unit of a sport's pace; `None` for sports shown in km/h or mph.
fn pace_unit(sport: Sport, units: UnitSystem) -> Option<f64> {
    match sport {
        Sport::Cycling => None,
        Sport::Swimming => Some(100.0),
        Sport::Rowing => Some(500.0),
        _ if units == UnitSystem::Imperial => Some(1609.344),
        _ => Some(1000.0),
    }
}

fn pace_panel(samples: Samples, sport: Sport, units: UnitSystem) -> Option<Panel<'static>> {
    let (low, high) = trimmed_range(&samples, 0.02)?;
    let Some(long) = pace_unit(sport, units) else {
        let hourly = |mps: f64| if units == UnitSystem::Metric { mps * 3.6 } else { mps * 3600.0 / 1609.344 };
        let title = if units == UnitSystem::Metric { "Speed, km/h" } else { "Speed, mph" };
        return value_panel(title, "pace", samples, 0.01, hourly);
    };
    // Walking to the start line must not flatten the run.
    let low = low.max(high * 0.4);
    let (slow, fast) = (long / low.max(STANDING_SPEED / 2.0), long / high.max(STANDING_SPEED));
    let steps = [5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0];
    let step = steps.into_iter().find(|step| (slow - fast) / step <= 3.0).unwrap_or(1200.0);
    let (first, last) = ((fast / step).floor() * step, (slow / step).ceil() * step);
    let (first, last) = (first.max(step), last.max(first.max(step) + step));
    let mut ticks = Vec::new();
    let mut pace = first;
    while pace <= last + step / 2.0 && ticks.len() < 8 {
        ticks.extend(TimeSpan::from_seconds(pace).map(|time| (long / pace, time.format_clock())));
        pace += step;
    }
    let title = match (sport, units) {
        (Sport::Swimming, _) => "Pace, per 100 m",
        (Sport::Rowing, _) => "Pace, per 500 m",
        (_, UnitSystem::Metric) => "Pace, min/km",
        (_, UnitSystem::Imperial) => "Pace, min/mi",
    };
    Some(Panel { title, class: "pace", samples, ticks, range: (long / last, long / first), is_filled: false })
}

fn value_panel<'a>(
    title: &'a str,
    class: &'a str,
    samples: Samples,
    leave_out: f64,
    shown: impl Fn(f64) -> f64,
) -> Option<Panel<'a>> {
    let samples: Samples = samples.into_iter().map(|(x, value)| (x, value.map(&shown))).collect();
    let range = trimmed_range(&samples, leave_out)?;
    let (_, ticks) = LinearScale::rounded(range, (0.0, 1.0), 3.0);
    let range = (ticks.first().copied()?, ticks.last().copied()?);
    let ticks = ticks.into_iter().map(|tick| (tick, format_number(tick))).collect();
    Some(Panel { title, class, samples, ticks, range, is_filled: class == "climb" })
}

const fn elevation_title(units: UnitSystem) -> &'static str {
    match units {
        UnitSystem::Metric => "Elevation, m",
        UnitSystem::Imperial => "Elevation, ft",
    }
}

fn convert_elevation(meters: f64, units: UnitSystem) -> f64 {
    if units == UnitSystem::Metric { meters } else { meters / 0.3048 }
}

/// X position and text of each value the cursor can show.
fn readings(
    lines: &RecordedSeries,
    x: &[f64],
    across: &LinearScale,
    sport: Sport,
    units: UnitSystem,
) -> Vec<(f64, String)> {
    let every = x.len().div_ceil(MAX_READINGS).max(1);
    let words = |at: usize| {
        let SampleLabels { distance: far, time, values } = lines.sample_at(at, sport, units);
        [far, time].into_iter().chain(values).flatten().collect::<Vec<_>>().join(" · ")
    };
    (0..x.len()).step_by(every).map(|at| (across.position(x[at]), words(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_axis_has_round_ticks_and_faster_is_higher() {
        let samples: Samples =
            (0..300).map(|at| (f64::from(at), Some(2.8 + f64::from(at % 10) / 10.0))).collect();
        let panel = pace_panel(samples, Sport::Running, UnitSystem::Metric).unwrap();
        let words: Vec<&str> = panel.ticks.iter().map(|(_, word)| word.as_str()).collect();
        assert_eq!(words, ["4:30", "5:00", "5:30", "6:00"]);
        assert!(panel.range.0 < panel.range.1 && panel.ticks[0].0 > panel.ticks[1].0);
        assert!(panel.range.0 <= 2.8 && panel.range.1 >= 3.7, "{:?}", panel.range);
    }

    #[test]
    fn extreme_recordings_make_finite_axes() {
        for sport in Sport::ALL {
            for speed in [0.4, 0.5, 3.0, 60.0, 2_000_000.0] {
                let panel = pace_panel(vec![(0.0, Some(speed))], *sport, UnitSystem::Imperial).unwrap();
                assert!(
                    panel.range.0.is_finite() && panel.range.0 < panel.range.1,
                    "{sport} {speed} {panel:?}"
                );
                assert!(panel.ticks.iter().all(|(value, _)| value.is_finite()), "{sport} {speed}");
            }
        }
        assert!(pace_panel(vec![(0.0, None)], Sport::Running, UnitSystem::Metric).is_none());
        for ends in [(0.0, 0.0), (0.0, 0.3), (0.0, 42.2), (0.0, 33_000.0), (0.0, 2e6)] {
            let words = axis_labels(ends, true, UnitSystem::Metric);
            assert!((1..=60).contains(&words.len()), "{ends:?}");
        }
    }

    #[test]
    fn speed_is_computed_from_distance_without_speed_channel() {
        let mut recording = Recording::new(vec![0, 1000, 2000, 2000, 4000]).unwrap();
        let far = [Some(0), Some(3000), None, Some(6000), Some(5000)];
        recording.insert_column(Channel::Distance, far.into_iter().collect()).unwrap();
        let lines = RecordedSeries::from_recording(&recording);
        assert_eq!(lines.meters.unwrap(), [0.0, 3.0, 3.0, 6.0, 6.0]);
        assert!(lines.speed.iter().flatten().all(|speed| speed.is_finite()));
        assert!(lines.speed.iter().any(Option::is_some));
        assert!(
            RecordedSeries::from_recording(&Recording::new(vec![0]).unwrap()).meters.is_none(),
            "one moment, nothing measured"
        );
    }
}
