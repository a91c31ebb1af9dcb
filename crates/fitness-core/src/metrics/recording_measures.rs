//! Measures of an activity from its samples, independent of the athlete's thresholds.
//!
//! This is the only step that reads the samples: after a change of thresholds or zones,
//! [`compute_activity_metrics`](super::activity::compute_activity_metrics) runs on these measures
//! alone. Serialized they take a few kilobytes.

use super::curve::{BestMean, MeanMaxCurve, Peaks, PrefixSums, timed_efforts};
use super::decoupling::{Decoupling, EffortOutput, decoupling};
use super::efforts::{BestEffort, TimeDistanceCurve, efforts};
use super::elevation::{AscentSource, Elevation, ascent, smooth_altitude};
use super::grade_adjusted_pace::SlopeCostModel;
use super::histogram::{Histogram, SPEED_BIN_MM_S};
use super::hr_artefacts::{ArtefactCounts, CleanHeartRate, remove_artefacts};
use super::load::pace::{cumulative_distance, grade_adjusted_speed, moving_speed};
use super::load::power::{NormalizedMean, normalize};
use super::moving_time::{MovingSource, Times, detect_motion, times, times_from_summary};
use super::per_second::{SampledRecording, Segments, Series};
use super::suspicious_samples::PlausibilityCounts;
use super::thresholds::evidence::{ActivityEvidence, find_steady_heart_rate};
use super::{MetricResult, MissingReason, Quality, RequiredInput, round_to_4_decimals};
use crate::domain::activity::Activity;
use crate::domain::source_record::SwimLength;
use crate::domain::sport::Sport;
use crate::domain::stream::Recording;
use crate::domain::units::{Distance, TimeSpan};
use serde::{Deserialize, Serialize};

/// Everything measured from the samples of an activity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Elapsed, timer and moving time, and the pauses.
    pub times: Times,
    /// Whether the recording was truncated after two days.
    pub cut: bool,
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// Time swum without rest at the wall, if pool lengths were recorded.
    #[serde(rename = "swum_ms")]
    pub swim_time: Option<TimeSpan>,
    pub heart: MetricResult<HeartMeasures>,
    pub speed: MetricResult<SpeedMeasures>,
    pub power: MetricResult<PowerMeasures>,
    pub elevation: MetricResult<Elevation>,
    /// Best efforts over standard distances; runs only.
    pub efforts: Vec<BestEffort>,
    pub decoupling: MetricResult<Decoupling>,
    pub candidates: ActivityEvidence,
    /// Counts of implausible samples.
    #[serde(default)]
    pub suspicions: PlausibilityCounts,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeartMeasures {
    /// Moving seconds at each bpm, artefacts removed.
    pub seconds: Histogram,
    /// Percent of the moving time with a heart rate, artefacts removed.
    pub coverage_percent: f64,
    pub findings: ArtefactCounts,
    pub curve: MeanMaxCurve,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpeedMeasures {
    /// Moving seconds at each 0.05 m/s of grade-adjusted speed.
    pub seconds: Histogram,
    /// Percent of the moving time with a speed.
    pub coverage_percent: f64,
    /// Whether slopes were known; otherwise the course counts as flat.
    pub graded: bool,
    /// Normalized graded pace (NGP) in m/s; its mean is the grade-adjusted pace (GAP).
    pub normalized: MetricResult<NormalizedMean>,
    /// Mean-max curve of unadjusted speed, mm/s.
    pub curve: MeanMaxCurve,
    /// Best efforts of unadjusted speed over round durations, mm/s.
    pub efforts: Vec<BestMean>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PowerMeasures {
    /// Moving seconds at each watt.
    pub seconds: Histogram,
    /// Percent of the moving time with power.
    pub coverage_percent: f64,
    /// Percent of the seconds with power that were interpolated between samples.
    #[serde(default)]
    pub interpolated_percent: f64,
    pub normalized: MetricResult<NormalizedMean>,
    pub curve: MeanMaxCurve,
    /// Best efforts over round durations, watts.
    pub efforts: Vec<BestMean>,
}

/// Measures an activity from its recording, or from its summary if there is none.
#[must_use]
pub fn measure(activity: &Activity, recording: Option<&Recording>, lengths: &[SwimLength]) -> Measures {
    let told = Measures {
        times: times_from_summary(activity),
        cut: false,
        distance: None,
        swim_time: swim_time(lengths),
        heart: Err(MissingReason::missing(RequiredInput::HeartRate)),
        speed: Err(MissingReason::missing(RequiredInput::Speed)),
        power: Err(MissingReason::missing(RequiredInput::Power)),
        elevation: device_elevation(activity).ok_or(MissingReason::missing(RequiredInput::Altitude)),
        efforts: Vec::new(),
        decoupling: Err(MissingReason::missing(RequiredInput::HeartRate)),
        candidates: ActivityEvidence::default(),
        suspicions: PlausibilityCounts::default(),
    };
    match recording.filter(|recording| !recording.offsets_ms().is_empty()) {
        Some(recording) => measure_recording(activity, recording, told),
        None => told,
    }
}

fn measure_recording(activity: &Activity, recording: &Recording, told: Measures) -> Measures {
    let sport = activity.sport;
    let mut sampled = SampledRecording::from_recording(recording, sport);
    let (moving, source) = detect_motion(recording, &sampled, sport);
    if sport == Sport::Running && source == MovingSource::Recording {
        // The speed is zero throughout: treat it as missing, so that it does not become a load of
        // zero.
        sampled.speed = None;
    }
    let line = &sampled.timeline;
    let heart = remove_artefacts(&sampled);
    let heart_sums = (!heart.series.is_empty()).then(|| PrefixSums::from_series(line, &heart.series));
    let way = sampled.speed.as_ref().map(cumulative_distance);
    let altitude = sampled.altitude.as_ref().map(|altitude| smooth_altitude(line, altitude, way.as_deref()));
    let elevation = measure_elevation(altitude.as_ref(), way.as_deref());
    let smooth = altitude.map(|(smooth, _)| smooth);
    let ground = SpeedAndSlope::from_samples(&sampled, way.as_deref(), smooth.as_ref(), sport);
    let speed_peaks =
        sampled.speed.as_ref().map(|speed| Peaks::from_sums(&PrefixSums::from_series(line, speed)));
    let power_peaks =
        sampled.power.as_ref().map(|power| Peaks::from_sums(&PrefixSums::from_series(line, power)));
    let heart_peaks = heart_sums.as_ref().map(Peaks::from_sums);
    let track = TimeDistanceCurve::from_recording(recording, &sampled);
    let efforts = match sport {
        Sport::Running => efforts(&track, line, heart_sums.as_ref(), smooth.as_ref()),
        _ => Vec::new(),
    };
    let steady = ground.as_ref().filter(|_| sport == Sport::Running).zip(heart_sums.as_ref());
    let candidates = ActivityEvidence {
        power_20_min: best_mean(power_peaks.as_ref(), 20 * 60),
        threshold_heart_rate: steady.and_then(|(ground, heart)| {
            find_steady_heart_rate(&ground.graded, &PrefixSums::from_series(line, &ground.graded), heart)
        }),
        highest_heart_rate: best_mean(heart_peaks.as_ref(), 5),
    };
    let power = sampled.power.as_ref().zip(power_peaks.as_ref()).map(|(power, peaks)| {
        let (seconds, coverage_percent) = histogram_in_motion(power, &moving, |watts| u32::from(*watts));
        PowerMeasures {
            seconds,
            coverage_percent,
            interpolated_percent: round_to_4_decimals(
                100.0 * f64::from(sampled.interpolated_power) / power.iter().flatten().count().max(1) as f64,
            ),
            normalized: round_normalized(normalize(&Segments::select(line, |index| {
                power[index].map(f32::from)
            }))),
            curve: MeanMaxCurve::from_peaks(peaks),
            efforts: timed_efforts(line, peaks, heart_sums.as_ref()),
        }
    });
    let speed = ground.as_ref().zip(speed_peaks.as_ref()).map(|(ground, peaks)| {
        let (seconds, coverage_percent) =
            histogram_in_motion(&ground.graded, &moving, |speed| speed / SPEED_BIN_MM_S);
        SpeedMeasures {
            seconds,
            coverage_percent,
            graded: ground.sloped,
            normalized: round_normalized(normalize(&moving_speed(line, &ground.graded, &moving))),
            curve: MeanMaxCurve::from_peaks(peaks),
            efforts: timed_efforts(line, peaks, heart_sums.as_ref()),
        }
    });
    Measures {
        times: times(activity, recording, &sampled, &moving, source),
        cut: sampled.is_truncated,
        distance: Some(track.length()).filter(|length| *length > Distance::ZERO),
        heart: heart_peaks.as_ref().map_or(told.heart, |peaks| Ok(heart_measures(&heart, peaks, &moving))),
        decoupling: measure_decoupling(&sampled, ground.as_ref(), &moving, &heart, sport),
        // The device's value only where there is no altitude to compute it from.
        elevation: elevation.or(told.elevation),
        speed: speed.ok_or(MissingReason::missing(RequiredInput::Speed)),
        power: power.ok_or(MissingReason::missing(RequiredInput::Power)),
        suspicions: PlausibilityCounts::from_recording(&sampled, &heart, sport),
        efforts,
        candidates,
        ..told
    }
}

/// Ascent by one rule for every format. Drift of noisy altitudes can only be told from climbing if
/// the distance is known.
fn measure_elevation(
    altitude: Option<&(Series<f32>, AscentSource)>,
    way_m: Option<&[f64]>,
) -> MetricResult<Elevation> {
    let (smooth, source) = altitude.ok_or(MissingReason::missing(RequiredInput::Altitude))?;
    ascent(smooth, way_m.unwrap_or_default(), *source)
}

/// Grade-adjusted speed, and whether slopes are known.
struct SpeedAndSlope {
    graded: Series<u32>,
    sloped: bool,
}

impl SpeedAndSlope {
    fn from_samples(
        sampled: &SampledRecording,
        way_m: Option<&[f64]>,
        smooth: Option<&Series<f32>>,
        sport: Sport,
    ) -> Option<Self> {
        let (line, speed) = (&sampled.timeline, sampled.speed.as_ref()?);
        let slopes = smooth.filter(|_| sport == Sport::Running);
        Some(Self {
            graded: grade_adjusted_speed(line, speed, way_m?, slopes, SlopeCostModel::default()),
            sloped: slopes.is_some(),
        })
    }
}

fn heart_measures(heart: &CleanHeartRate, peaks: &Peaks, moving: &[bool]) -> HeartMeasures {
    let (seconds, coverage_percent) = histogram_in_motion(&heart.series, moving, |bpm| u32::from(*bpm));
    HeartMeasures {
        seconds,
        coverage_percent,
        findings: heart.findings,
        curve: MeanMaxCurve::from_peaks(peaks),
    }
}

/// Runs by grade-adjusted speed, anything else by power: a rider's speed depends on wind and hills.
fn measure_decoupling(
    sampled: &SampledRecording,
    ground: Option<&SpeedAndSlope>,
    moving: &[bool],
    heart: &CleanHeartRate,
    sport: Sport,
) -> MetricResult<Decoupling> {
    let line = &sampled.timeline;
    let found = match (sport, &sampled.power, ground) {
        (Sport::Running, _, Some(ground)) => {
            decoupling(line, moving, &ground.graded, heart, EffortOutput::Pace)
        }
        (Sport::Running, _, None) => Err(MissingReason::missing(RequiredInput::Speed)),
        (_, Some(power), _) => decoupling(line, moving, power, heart, EffortOutput::Power),
        (_, None, _) => Err(MissingReason::missing(RequiredInput::Power)),
    };
    found.map(|found| Decoupling { percent: round_to_4_decimals(found.percent), ..found })
}

fn best_mean(peaks: Option<&Peaks>, seconds: u32) -> Option<f64> {
    peaks?.at(seconds).map(|peak| round_to_4_decimals(peak.mean))
}

/// Moving seconds in each bin, and their percentage of all moving seconds.
fn histogram_in_motion<T>(series: &Series<T>, moving: &[bool], bin: impl Fn(&T) -> u32) -> (Histogram, f64) {
    let in_motion = series.iter().zip(moving).filter(|(_, moving)| **moving).map(|(value, _)| value);
    let all = in_motion.clone().count().max(1) as f64;
    let histogram: Histogram = in_motion.flatten().map(bin).collect();
    let percent = round_to_4_decimals(100.0 * histogram.seconds() as f64 / all);
    (histogram, percent)
}

fn device_elevation(activity: &Activity) -> Option<Elevation> {
    let ascent = activity.ascent.filter(|ascent| *ascent >= Distance::ZERO)?;
    let (source, quality) = (AscentSource::Device, Quality::Ok);
    Some(Elevation { ascent, descent: activity.descent, source, quality })
}

/// Total time of active pool lengths.
fn swim_time(lengths: &[SwimLength]) -> Option<TimeSpan> {
    let active = lengths.iter().filter(|length| length.active);
    let time: TimeSpan =
        active.filter_map(|length| length.elapsed).filter(|time| *time > TimeSpan::ZERO).sum();
    Some(time).filter(|time| *time > TimeSpan::ZERO)
}

fn round_normalized(normalized: MetricResult<NormalizedMean>) -> MetricResult<NormalizedMean> {
    let tidy = |n: NormalizedMean| NormalizedMean {
        value: round_to_4_decimals(n.value),
        mean: round_to_4_decimals(n.mean),
        ..n
    };
    normalized.map(tidy)
}

#[cfg(test)]
mod tests;
