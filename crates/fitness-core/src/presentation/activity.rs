//! Label and value rows of an activity: recorded data and computed metrics.

use crate::domain::activity::Activity;
use crate::domain::sport::Sport;
use crate::domain::units::{Speed, TimeSpan, UnitSystem};
use crate::domain::untrusted_text::escape_invisible;
use crate::metrics::Quality;
use crate::metrics::activity::{ActivityMetrics, Measures};
use crate::metrics::load::LoadMethod;

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
            Ok(load) if load.quality == Quality::Ok => {
                format!("{:.0} (from {})", load.value, load_method_label(load.method))
            }
            Ok(load) => {
                format!(
                    "{:.0} (from {}, {})",
                    load.value,
                    load_method_label(load.method),
                    load.quality.label().replace(Quality::Stale.label(), Quality::OLD_THRESHOLD_LABEL)
                )
            }
            Err(why) if why.is_threshold() => {
                format!("none: {}; set one with an earlier date", why.cause())
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
    }
}

/// A source's word without underscores: `lap_swimming` reads `lap swimming`.
fn source_word(word: &str) -> String {
    escape_invisible(word).to_string().replace('_', " ")
}

/// Label and value rows of an activity's recorded data; missing values have no row.
#[must_use]
pub fn summary_rows(a: &Activity, units: UnitSystem) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let mut line = |label, value: Option<String>| lines.extend(value.map(|value| (label, value)));
    line("kind", a.sub_sport.as_deref().map(source_word));
    line("distance", a.distance.map(|d| units.format_distance_for(a.sport, d).to_string()));
    line("moving time", a.moving.map(TimeSpan::format_clock));
    line("elapsed time", a.elapsed.map(TimeSpan::format_clock));
    let speed = a.distance.zip(a.training_time()).and_then(|(d, t)| Speed::from_distance_and_time(d, t));
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
    line("ascent", a.ascent.map(|ascent| units.format_climb(ascent).to_string()));
    line("energy", a.energy_kcal.map(|kcal| format!("{kcal} kcal")));
    line("device", a.device.as_deref().map(source_word));
    lines
}
