//! A workout as a row of bars: width is duration, height is intensity.

use crate::components::workout::tone_class;
use fitness_core::plan::{Step, StepDuration, StepTarget, StepType, Workout};
use maud::{Markup, html};

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 56.0;
const GAP: f64 = 2.0;
const MIN_WIDTH: f64 = 5.0;
/// Seconds per kilometre for steps without a pace target.
const DEFAULT_PACE: f64 = 340.0;
/// Assumed seconds of a step that ends on the lap button.
const OPEN_STEP_SECONDS: f64 = 300.0;

/// X, width, height and CSS class of each bar. `work` is the class of active steps.
fn bars(steps: &[Step], work: &'static str) -> Vec<(f64, f64, f64, &'static str)> {
    let seconds: Vec<f64> = steps.iter().map(estimated_seconds).collect();
    let all: f64 = seconds.iter().sum();
    let gaps = GAP * steps.len().saturating_sub(1) as f64;
    let room = (WIDTH - gaps - MIN_WIDTH * steps.len() as f64).max(0.0);
    let mut left = 0.0;
    let bar = |(step, seconds): (&Step, &f64)| {
        let width = MIN_WIDTH + if all > 0.0 { room * seconds / all } else { 0.0 };
        let (height, class) = match step.step_type {
            StepType::Warmup | StepType::Cooldown => (0.45, "easy"),
            StepType::Recovery => (0.35, "easy"),
            StepType::Rest => (0.15, "rest"),
            StepType::Active if work == "quality" || work == "race" => (1.0, work),
            StepType::Active if matches!(step.target, StepTarget::Open) => (0.6, work),
            StepType::Active => (0.8, work),
        };
        let at = left;
        left += width + GAP;
        (at, width, HEIGHT * height, class)
    };
    steps.iter().zip(&seconds).map(bar).collect()
}

fn estimated_seconds(step: &Step) -> f64 {
    let pace = match step.target {
        StepTarget::Pace(range) => range.low.or(range.high).unwrap_or(DEFAULT_PACE),
        _ => DEFAULT_PACE,
    };
    let seconds = match step.duration {
        StepDuration::Time(seconds) => seconds,
        StepDuration::Distance(meters) => meters / 1000.0 * pace,
        // Running burns about 700 kcal an hour.
        StepDuration::Calories(kcal) => kcal / 700.0 * 3600.0,
        StepDuration::Open => OPEN_STEP_SECONDS,
    };
    if seconds.is_finite() { seconds.clamp(0.0, 8.0 * 3600.0) } else { 0.0 }
}

/// `label` is the accessible name: the steps in words.
pub(crate) fn draw(workout: &Workout, label: &str) -> Markup {
    html! {
        svg.chart.steps viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(label) {
            @for (left, width, height, class) in bars(&workout.steps, tone_class(workout.kind)) {
                rect class={ "b " (class) } x=(format!("{left:.1}")) y=(format!("{:.1}", HEIGHT - height)) width=(format!("{width:.1}")) height=(format!("{height:.1}")) rx="2" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fitness_core::plan::TargetRange;

    fn step(step_type: StepType, duration: StepDuration) -> Step {
        Step { step_type, duration, target: StepTarget::Open, max_heart_rate: None, notes: None }
    }

    #[test]
    fn bars_fill_the_width_and_never_leave_it() {
        let sessions = [
            vec![step(StepType::Active, StepDuration::Open)],
            vec![
                step(StepType::Warmup, StepDuration::Time(600.0)),
                step(StepType::Active, StepDuration::Distance(400.0)),
            ],
            vec![step(StepType::Rest, StepDuration::Time(0.0)); 3],
            vec![
                step(StepType::Active, StepDuration::Time(f64::NAN)),
                step(StepType::Active, StepDuration::Calories(1e300)),
            ],
            vec![step(StepType::Recovery, StepDuration::Time(60.0)); 100],
        ];
        for steps in sessions {
            let bars = bars(&steps, "long");
            assert_eq!(bars.len(), steps.len());
            for (left, width, height, _) in &bars {
                assert!(left.is_finite() && width.is_finite() && *width > 0.0 && *height > 0.0, "{bars:?}");
            }
            let (left, width, ..) = bars[bars.len() - 1];
            assert!(left + width <= WIDTH + MIN_WIDTH * 40.0, "{}", left + width);
        }
        assert!(bars(&[], "easy").is_empty());
    }

    #[test]
    fn a_longer_step_is_wider_and_a_harder_one_higher() {
        let target = StepTarget::Pace(TargetRange { low: Some(240.0), high: Some(250.0) });
        let hard = Step { target, ..step(StepType::Active, StepDuration::Distance(1000.0)) };
        let bars = bars(&[step(StepType::Warmup, StepDuration::Time(900.0)), hard], "quality");
        assert!(bars[0].1 > bars[1].1 && bars[0].2 < bars[1].2, "{bars:?}");
    }
}
