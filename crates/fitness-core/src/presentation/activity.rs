//! Label and value rows of an activity: recorded data and computed metrics.

use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use crate::domain::units::{Distance, Speed, TimeSpan, UnitSystem};
use crate::metrics::Quality;
use crate::metrics::activity::{ActivityMetrics, Measures};
use crate::metrics::load::LoadMethod;
use crate::presentation::names::{device_name, sport_name};

/// Rows of computed metrics: training load and its method, grade-adjusted pace, normalized power,
/// decoupling, best efforts. Labels are at most 16 characters, the width of the CLI column.
#[must_use]
pub fn metric_rows(
    measures: &Measures,
    metrics: Option<&ActivityMetrics>,
    units: UnitSystem,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(metrics) = metrics {
        let load = match &metrics.load {
            Ok(load) => {
                let method = load_method_label(load.method);
                let quality = match load.quality {
                    Quality::Ok => String::new(),
                    doubtful => format!(", {}", doubtful.label()),
                };
                let obstacle =
                    metrics.load_obstacle.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
                format!("{:.0} (from {method}{quality}{obstacle})", load.value)
            }
            Err(why) => format!("none: {why}"),
        };
        lines.push(("load", load));
    }
    if let Ok(speed) = &measures.speed
        && let Ok(normalized) = &speed.normalized
        && let Some(pace) = Speed::from_mps(normalized.mean).and_then(Speed::pace)
        && speed.graded
    {
        lines.push(("GAP", format!("{} (grade-adjusted pace)", units.format_pace(pace))));
    }
    if let Ok(power) = &measures.power
        && let Ok(normalized) = &power.normalized
    {
        lines.push(("norm. power", format!("{:.0} W", normalized.value)));
    }
    if let Ok(decoupling) = &measures.decoupling {
        lines.push(("heart-rate drift", format!("{:+.1}%", decoupling.percent)));
    }
    if !measures.efforts.is_empty() {
        let describe = |effort: &crate::metrics::efforts::BestEffort| {
            format!("{} in {}", units.distance_name(effort.distance), effort.time.format_clock())
        };
        let shortest = match units {
            UnitSystem::Metric => 1_000_000,
            UnitSystem::Imperial => 1_609_344,
        };
        let usual = [shortest, 5_000_000, 10_000_000, 21_097_500, 42_195_000];
        let best: Vec<String> = measures
            .efforts
            .iter()
            .filter(|effort| usual.contains(&effort.distance.mm()))
            .map(describe)
            .collect();
        if !best.is_empty() {
            lines.push(("fastest", best.join(", ")));
        }
    }
    lines
}

/// What a load was computed from, for use in a sentence.
#[must_use]
pub const fn load_method_label(by: LoadMethod) -> &'static str {
    match by {
        LoadMethod::Power => "power",
        LoadMethod::Pace => "pace",
        LoadMethod::HeartRate => "heart rate",
        LoadMethod::EdwardsRatio => "heart rate zones",
        LoadMethod::SwimPace => "swim pace",
        LoadMethod::PerceivedExertion => "perceived effort",
        LoadMethod::Duration => "duration",
    }
}

/// Whether a load was not measured but estimated from a rating or the duration.
#[must_use]
pub const fn is_rough(by: LoadMethod) -> bool {
    matches!(by, LoadMethod::PerceivedExertion | LoadMethod::Duration)
}

/// A load and what it was computed from, `48 (pace)`.
#[must_use]
pub fn load_with_method(load: Option<f64>, method: Option<LoadMethod>) -> Option<String> {
    let method = method.map(|method| format!(" ({})", load_method_label(method))).unwrap_or_default();
    load.map(|load| format!("{load:.0}{method}"))
}

/// Label and value rows of an activity's recorded data; missing values have no row. Moving time and
/// ascent are the computed ones where there are measures.
#[must_use]
pub fn summary_rows(
    a: &Activity,
    measures: Option<&Measures>,
    units: UnitSystem,
) -> Vec<(&'static str, String)> {
    let moving = measures.map(|measures| measures.times.moving).filter(|time| *time > TimeSpan::ZERO);
    let ascent = measures.and_then(|measures| measures.elevation.as_ref().ok()).map(|found| found.ascent);
    let mut lines = Vec::new();
    let mut line = |label, value: Option<String>| lines.extend(value.map(|value| (label, value)));
    line("kind", a.sub_sport.as_deref().map(|word| sport_name(a.sport, Some(word))));
    line("distance", a.distance.map(|d| units.format_distance_for(a.sport, d).to_string()));
    line("moving time", moving.or(a.moving).map(TimeSpan::format_clock));
    line("elapsed time", a.elapsed.map(TimeSpan::format_clock));
    let time = moving.or_else(|| a.training_time());
    let speed = a.distance.zip(time).and_then(|(d, t)| Speed::from_distance_and_time(d, t));
    let label = if a.sport == Sport::Cycling { "speed" } else { "pace" };
    line(
        label,
        speed.and_then(|speed| units.format_speed_for(a.sport, speed)).map(|shown| shown.to_string()),
    );
    line(
        "heart rate",
        a.avg_heart_rate.map(|bpm| match a.max_heart_rate {
            Some(max) => format!("{bpm} avg · {max} max"),
            None => bpm.to_string(),
        }),
    );
    line("power", a.avg_power.map(|watts| format!("{watts} W")));
    line("cadence", a.avg_cadence.map(|cadence| format!("{cadence:.0}")));
    line("ascent", ascent.or(a.ascent).map(|ascent| units.format_climb(ascent).to_string()));
    line("energy", a.energy_kcal.map(|kcal| format!("{kcal} kcal")));
    line("device", a.device.as_deref().map(device_name));
    line("device values", device_values(a, moving, ascent, units));
    lines
}

/// The moving time and ascent that the device reports, next to the computed ones.
fn device_values(
    a: &Activity,
    moving: Option<TimeSpan>,
    ascent: Option<Distance>,
    units: UnitSystem,
) -> Option<String> {
    let time = a.moving.filter(|_| moving.is_some() && !a.moving_is_edited);
    let time = time.map(|time| format!("moving time {}", time.format_clock()));
    let climb = a.ascent.filter(|_| ascent.is_some());
    let climb = climb.map(|climb| format!("ascent {}", units.format_climb(climb)));
    let values: Vec<String> = [time, climb].into_iter().flatten().collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Rows of running dynamics, balance, breathing rate and training effect, as the device reports
/// them; where it reports no mean, that of its samples.
#[must_use]
pub fn device_metric_rows(a: &Activity, recording: Option<&Recording>) -> Vec<(&'static str, String)> {
    let told = &a.device_metrics;
    let mean = |channel: Channel, scale: f64| {
        let samples = recording?.column(channel)?.samples().flatten().filter(|sample| *sample > 0);
        let (sum, count) = samples.fold((0.0, 0_u32), |(sum, count), s| (sum + f64::from(s), count + 1));
        (count > 0).then(|| sum / f64::from(count) / scale)
    };
    let mut lines = Vec::new();
    let mut line = |label, value: Option<String>| lines.extend(value.map(|value| (label, value)));
    let balance = |left: f64| format!("{left:.1}% / {:.1}%", 100.0 - left);
    line(
        "ground contact",
        told.ground_contact_ms.or(mean(Channel::GroundContact, 10.0)).map(|ms| format!("{ms:.0} ms")),
    );
    let contact_left = told.ground_contact_left_percent.or(mean(Channel::GroundContactBalance, 100.0));
    line("contact L/R", contact_left.map(balance));
    line(
        "oscillation",
        (told.vertical_oscillation_mm.or(mean(Channel::VerticalOscillation, 10.0)))
            .map(|mm| format!("{:.1} cm", mm / 10.0)),
    );
    line(
        "vertical ratio",
        (told.vertical_ratio_percent.or(mean(Channel::VerticalRatio, 100.0)))
            .map(|percent| format!("{percent:.1}%")),
    );
    line(
        "step length",
        (told.step_length_mm.or(mean(Channel::StepLength, 10.0))).map(|mm| format!("{:.2} m", mm / 1000.0)),
    );
    line("power L/R", told.power_left_percent.or(mean(Channel::PowerBalance, 100.0)).map(balance));
    let breaths = told.avg_respiration.or(mean(Channel::Respiration, 100.0));
    line(
        "breathing rate",
        breaths.map(|avg| match told.max_respiration {
            Some(max) => format!("{avg:.0} avg · {max:.0} max per minute"),
            None => format!("{avg:.0} per minute"),
        }),
    );
    let effect = |value: Option<f64>, kind: &str| value.map(|value| format!("{value:.1} {kind}"));
    let effects = [
        effect(told.aerobic_training_effect, "aerobic"),
        effect(told.anaerobic_training_effect, "anaerobic"),
    ];
    let effects: Vec<String> = effects.into_iter().flatten().collect();
    line("training effect", (!effects.is_empty()).then(|| effects.join(", ")));
    line("device load", told.training_load.map(|load| format!("{load:.0}")));
    let zones = &told.heart_rate_zone_s;
    let clock = |seconds: &f64| TimeSpan::from_seconds(*seconds).unwrap_or_default().format_clock();
    line("device zones", (!zones.is_empty()).then(|| zones.iter().map(clock).collect::<Vec<_>>().join(", ")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::activity::DeviceMetrics;
    use crate::metrics::activity::{ZoneSets, compute_activity_metrics, measure};
    use crate::metrics::load::{AthleteThresholds, RpeWithCalibration};

    fn run() -> Activity {
        let start = "2026-06-14T08:00:00Z".parse().unwrap();
        Activity {
            distance: Distance::from_km(1.5),
            elapsed: Some(TimeSpan::from_secs(620)),
            ..Activity::new(Sport::Running, start, 0)
        }
    }

    /// 1.5 km in 500 s with two minutes at a crossing, up a hill of 30 m.
    fn recording() -> Recording {
        let mut recording = Recording::new((0..620).map(|second| second * 1000).collect()).unwrap();
        let stood = |second: i32| (second - 200).clamp(0, 120);
        type SampleFn = fn(i32, i32) -> i32;
        let columns: [(Channel, SampleFn); 4] = [
            (Channel::Speed, |second, _| if (200..320).contains(&second) { 0 } else { 3000 }),
            (Channel::Distance, |second, stood| (second - stood) * 3000),
            (Channel::Altitude, |second, stood| (second - stood) * 60),
            (Channel::GroundContact, |_, _| 2435),
        ];
        for (channel, value) in columns {
            let column = (0..620).map(|second| Some(value(second, stood(second)))).collect();
            recording.insert_column(channel, column).unwrap();
        }
        recording
    }

    fn value<'a>(rows: &'a [(&'static str, String)], label: &str) -> Option<&'a str> {
        rows.iter().find(|row| row.0 == label).map(|row| row.1.as_str())
    }

    #[test]
    fn computed_moving_time_and_ascent_are_shown_with_device_values_beside() {
        let mut run = run();
        let rows = |run: &Activity| {
            summary_rows(run, Some(&measure(run, Some(&recording()), &[])), UnitSystem::Metric)
        };
        let bare = rows(&run);
        assert_eq!(value(&bare, "moving time"), Some("8:27"), "like a GPX file, which reports none");
        assert_eq!(value(&bare, "pace"), Some("5:38 /km"));
        assert_eq!(value(&bare, "ascent"), Some("30 m"));
        assert_eq!(value(&bare, "device values"), None);
        (run.moving, run.ascent) = (Some(TimeSpan::from_secs(620)), Distance::from_meters(33.0));
        let with_device = rows(&run);
        for label in ["moving time", "pace", "ascent"] {
            assert_eq!(value(&with_device, label), value(&bare, label), "{label}");
        }
        assert_eq!(value(&with_device, "device values"), Some("moving time 10:20, ascent 33 m"));
        (run.moving, run.moving_is_edited) = (Some(TimeSpan::from_secs(490)), true);
        let edited = rows(&run);
        assert_eq!(value(&edited, "moving time"), Some("8:10"));
        assert_eq!(value(&edited, "device values"), Some("ascent 33 m"));
    }

    #[test]
    fn load_row_names_the_method_and_what_a_better_one_lacks() {
        let measures = measure(&run(), Some(&recording()), &[]);
        let judged = compute_activity_metrics(
            &run(),
            &measures,
            &AthleteThresholds::default(),
            ZoneSets::default(),
            RpeWithCalibration::default(),
        );
        let rows = metric_rows(&measures, Some(&judged), UnitSystem::Metric);
        assert_eq!(
            value(&rows, "load"),
            Some("8 (from duration, estimated, provisional; set a threshold pace)")
        );
    }

    #[test]
    fn device_metrics_are_shown_only_if_present() {
        let mut run = run();
        assert_eq!(device_metric_rows(&run, None), []);
        assert_eq!(device_metric_rows(&run, Some(&recording())), [("ground contact", "244 ms".to_owned())]);
        run.device_metrics = DeviceMetrics {
            aerobic_training_effect: Some(3.4),
            anaerobic_training_effect: Some(0.8),
            ground_contact_ms: Some(240.0),
            ground_contact_left_percent: Some(50.3),
            vertical_oscillation_mm: Some(83.0),
            vertical_ratio_percent: Some(7.41),
            step_length_mm: Some(1120.0),
            avg_respiration: Some(33.6),
            max_respiration: Some(41.0),
            ..DeviceMetrics::default()
        };
        let rows = device_metric_rows(&run, Some(&recording()));
        let shown: Vec<String> = rows.iter().map(|(label, value)| format!("{label}: {value}")).collect();
        assert_eq!(
            shown,
            [
                "ground contact: 240 ms",
                "contact L/R: 50.3% / 49.7%",
                "oscillation: 8.3 cm",
                "vertical ratio: 7.4%",
                "step length: 1.12 m",
                "breathing rate: 34 avg · 41 max per minute",
                "training effect: 3.4 aerobic, 0.8 anaerobic",
            ]
        );
    }
}
