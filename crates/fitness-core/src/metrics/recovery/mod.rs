//! Recovery score, 0 to 100, with the contribution of each input.
//!
//! Each input is a z-score against the athlete's own baseline, clamped to ±2.5. The weighted mean
//! goes through the normal CDF: 50 is a usual day, 84 one standard deviation better. The weights
//! are our choice.
//!
//! Limits: over 16 people and 1,729 days (PMData), resting heart rate, sleep and form together
//! correlated at r = 0.18 with felt readiness; felt fatigue alone at 0.45. Hence the athlete's own
//! rating is an input, and no workout is cancelled on the score alone.

use crate::metrics::fitness::Form;
use crate::metrics::recovery::hrv::Hrv;
use crate::metrics::recovery::resting_hr::RestingHr;
use crate::metrics::{CountUnit, MetricResult, MissingReason, Quality, RequiredInput, finite};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recovery {
    /// 0 to 100; 50 is a usual day.
    pub score: u8,
    pub band: RecoveryBand,
    /// Combined quality of the inputs.
    pub quality: Quality,
    /// Inputs used, in a fixed order.
    pub parts: Vec<Contribution>,
    /// Inputs not used, and why.
    pub left_out: Vec<MissingPart>,
}

string_enum! {
    /// Recovery bands, with the bounds common in other apps.
    pub enum RecoveryBand("recovery") {
        Low = "low",
        Middle = "middle",
        High = "high",
    }
}

impl RecoveryBand {
    #[must_use]
    pub const fn from_score(score: u8) -> Self {
        match score {
            0..34 => Self::Low,
            34..67 => Self::Middle,
            67.. => Self::High,
        }
    }
}

string_enum! {
    /// Inputs of the recovery score.
    pub enum RecoveryPart("recovery factor") {
        /// HRV, mean of last night and the week.
        Hrv = "hrv",
        /// Resting heart rate; lower is better.
        RestingHeartRate = "resting_heart_rate",
        /// Last night's sleep compared with the sleep goal.
        Sleep = "sleep",
        Feel = "feel",
        Form = "form",
    }
}

impl RecoveryPart {
    /// Weight when all inputs are present.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Hrv => 0.30,
            Self::RestingHeartRate => 0.20,
            Self::Sleep => 0.15,
            Self::Feel => 0.25,
            Self::Form => 0.10,
        }
    }
}

/// One input of a score, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    pub part: RecoveryPart,
    /// Measured value: ln rMSSD, bpm, hours, 1 to 5, load points.
    pub value: f64,
    /// Baseline, in the same unit.
    pub usual: f64,
    /// Standard deviation, in the same unit.
    pub spread: f64,
    /// Z-score, positive is better, clamped to ±2.5.
    pub z: f64,
    /// Weight among the inputs present.
    pub weight: f64,
    /// weight × z. The score is the normal CDF of their sum.
    pub contribution: f64,
}

/// An input missing from a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingPart {
    pub part: RecoveryPart,
    pub why: MissingReason,
}

/// Input values of a score.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryInput<'a> {
    pub hrv: &'a Hrv,
    pub resting: &'a RestingHr,
    /// Hours asleep last night.
    pub slept: &'a MetricResult<f64>,
    pub need: &'a MetricResult<f64>,
    /// The athlete's check-in, 1 to 5.
    pub feel: Option<u8>,
    /// The morning's form, once reliable ([`FitnessState::learned_form`]).
    ///
    /// [`FitnessState::learned_form`]: crate::metrics::fitness::FitnessState::learned_form
    pub form: &'a MetricResult<Form>,
}

/// Recovery score of a morning.
///
/// H = (blended ln rMSSD - mean60)/SD60, R = -(RHR - median60)/SD, S = (slept - goal)/1.5 h, F =
/// feel - 3, L = form/20; weights 0.30, 0.20, 0.15, 0.25, 0.10, scaled to those present; score =
/// round(100·Phi(sum w·z)). All at baseline: 50. All one SD better: 84. HRV two SD below and
/// resting heart rate at baseline, nothing else: weights 0.6 and 0.4, Phi(-1.2) = 0.115, 12.
///
/// # Errors
/// Without both HRV and resting heart rate, and with fewer than two inputs.
pub fn recovery(signals: &RecoveryInput<'_>) -> MetricResult<Recovery> {
    combine([
        (RecoveryPart::Hrv, hrv_part(signals.hrv)),
        (RecoveryPart::RestingHeartRate, resting_part(signals.resting)),
        (RecoveryPart::Sleep, sleep_part(signals)),
        (RecoveryPart::Feel, feel_part(signals.feel)),
        (RecoveryPart::Form, form_part(signals.form)),
    ])
}

/// A value with its baseline, its standard deviation (negative if lower is better) and its quality.
struct ScoreInput {
    value: f64,
    baseline: f64,
    signed_sd: f64,
    quality: Quality,
}

fn hrv_part(hrv: &Hrv) -> MetricResult<ScoreInput> {
    let range = hrv.range.clone()?;
    let value = hrv.blended()?;
    if range.sd < 1e-6 {
        return Err(MissingReason::OutOfRange { what: "HRV was the same every night".to_owned() });
    }
    Ok(ScoreInput { value, baseline: range.mean, signed_sd: range.sd, quality: range.quality })
}

fn resting_part(resting: &RestingHr) -> MetricResult<ScoreInput> {
    let usual = resting.reading.baseline.clone()?;
    let value = resting.reading.value.clone()?;
    Ok(ScoreInput { value, baseline: usual.median, signed_sd: -usual.spread, quality: usual.quality })
}

fn sleep_part(signals: &RecoveryInput<'_>) -> MetricResult<ScoreInput> {
    let value = signals.slept.clone()?;
    Ok(ScoreInput { value, baseline: signals.need.clone()?, signed_sd: 1.5, quality: Quality::Ok })
}

fn feel_part(feel: Option<u8>) -> MetricResult<ScoreInput> {
    let feel =
        feel.filter(|feel| (1..=5).contains(feel)).ok_or(MissingReason::missing(RequiredInput::Feel))?;
    Ok(ScoreInput { value: f64::from(feel), baseline: 3.0, signed_sd: 1.0, quality: Quality::Ok })
}

fn form_part(form: &MetricResult<Form>) -> MetricResult<ScoreInput> {
    let form = form.clone()?;
    Ok(ScoreInput { value: form.value, baseline: 0.0, signed_sd: 20.0, quality: form.quality })
}

const MAX_Z: f64 = 2.5;

fn combine(parts: [(RecoveryPart, MetricResult<ScoreInput>); 5]) -> MetricResult<Recovery> {
    let mut present = Vec::new();
    let mut left_out = Vec::new();
    for (part, measure) in parts {
        let z =
            measure.and_then(|m| Ok((finite((m.value - m.baseline) / m.signed_sd, "recovery factor")?, m)));
        match z {
            Ok((z, measure)) => present.push((part, z.clamp(-MAX_Z, MAX_Z), measure)),
            Err(why) => left_out.push(MissingPart { part, why }),
        }
    }
    if !present.iter().any(|(part, ..)| is_core(*part)) {
        return Err(nearest_reason(&left_out));
    }
    if present.len() < 2 {
        return Err(MissingReason::TooFew { have: 1, needed: 2, what: CountUnit::Inputs });
    }
    let total: f64 = present.iter().map(|(part, ..)| part.weight()).sum();
    let quality =
        present.iter().fold(Quality::Ok, |quality, (_, _, measure)| quality.combine(measure.quality));
    let parts: Vec<Contribution> = present
        .into_iter()
        .map(|(part, z, measure)| {
            let weight = part.weight() / total;
            Contribution {
                part,
                value: measure.value,
                usual: measure.baseline,
                spread: measure.signed_sd.abs(),
                z,
                weight,
                contribution: weight * z,
            }
        })
        .collect();
    let score = score(parts.iter().map(|part| part.contribution).sum());
    Ok(Recovery { score, band: RecoveryBand::from_score(score), quality, parts, left_out })
}

/// At least one of these is required.
fn is_core(part: RecoveryPart) -> bool {
    matches!(part, RecoveryPart::Hrv | RecoveryPart::RestingHeartRate)
}

/// Why there is no score: of the two reasons the one that will be resolved first.
fn nearest_reason(left_out: &[MissingPart]) -> MissingReason {
    let progress = |why: &MissingReason| match why {
        MissingReason::TooFew { have, .. } => Some(*have),
        _ => None,
    };
    left_out
        .iter()
        .filter(|left| is_core(left.part))
        .map(|left| &left.why)
        .max_by_key(|why| progress(why))
        .cloned()
        .unwrap_or(MissingReason::missing(RequiredInput::RestingHeartRate))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 100 by its formula"
)]
fn score(z: f64) -> u8 {
    (100.0 * normal_cdf(z)).round().clamp(0.0, 100.0) as u8
}

/// Standard normal CDF, by its Taylor series around zero divided by the density: Phi(x) = 1/2 +
/// phi(x)·(x + x³/3 + x⁵/(3·5) + …) (Marsaglia 2004, J Stat Softw 11(4)). Accurate to about 1e-15
/// around zero; beyond ±7 it is 0 or 1. Phi(1) = 0.841344746.
fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() {
        return 0.5;
    }
    if x.abs() > 7.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    // Terms decrease once odd > x², so 200 are enough for |x| <= 7; the loop ends when a term
    // changes nothing.
    for _ in 0..200 {
        odd += 2.0;
        term *= x * x / odd;
        if sum + term == sum {
            break;
        }
        sum += term;
    }
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0.5 + sum * density).clamp(0.0, 1.0)
}

pub mod baseline;
pub mod hrv;
pub mod illness;
pub mod resting_hr;
pub mod sleep;
#[cfg(test)]
mod tests;
