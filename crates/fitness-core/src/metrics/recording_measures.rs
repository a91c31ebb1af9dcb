//! What a recording measures about an activity, whatever the athlete's limits are.
//!
//! Everything that takes the samples is here, once: a changed threshold or zone is judged by
//! [`analysis::judge`](super::activity::judge) from these measures alone. They serialize compactly, a few kilobytes.

use super::curve::{MeanMaxCurve, Peaks, PrefixSums, TimedEffort, timed_efforts};
use super::decoupling::{Decoupling, Output, decoupling};
use super::efforts::{BestEffort, Track, efforts};
use super::elevation::{AscentSource, Elevation, ascent, smooth_barometric, smooth_gps};
use super::grade_adjusted_pace::SlopeCost;
use super::histogram::{Histogram, SPEED_BIN_MM_S};
use super::hr_artefacts::{ArtefactCounts, CleanHeartRate, remove_artefacts};
use super::load::pace::{cumulative_distance, grade_adjusted_speed, moving_speed};
use super::load::power::{NormalizedMean, normalize};
use super::moving_time::{MovingSource, Times, detect_motion, times, times_from_summary};
use super::per_second::{SampledRecording, Segments, Series};
use super::plausibility::PlausibilityCounts;
use super::thresholds::evidence::{ActivityEvidence, find_steady_heart_rate};
use super::{MetricResult, MissingReason, Quality, RequiredInput, round_to_4_decimals};
use crate::domain::activity::Activity;
use crate::domain::source_record::PoolLength;
use crate::domain::sport::Sport;
use crate::domain::stream::Recording;
use crate::domain::units::{Distance, TimeSpan};
use serde::{Deserialize, Serialize};

/// All that the samples of an activity say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Elapsed, timer and moving time, and the pauses.
    pub times: Times,
    /// Whether the recording went on for longer than the two days that are looked at.
    pub cut: bool,
    /// How far, by the recording.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// Time swum, rests at the wall left out, where the lengths of the pool were told.
    #[serde(rename = "swum_ms")]
    pub swim_time: Option<TimeSpan>,
    /// Heart rate.
    pub heart: MetricResult<HeartMeasures>,
    /// Speed.
    pub speed: MetricResult<SpeedMeasures>,
    /// Power.
    pub power: MetricResult<PowerMeasures>,
    /// Metres up and down.
    pub elevation: MetricResult<Elevation>,
    /// Fastest times over the usual distances, of a run.
    pub efforts: Vec<BestEffort>,
    /// Aerobic decoupling.
    pub decoupling: MetricResult<Decoupling>,
    /// What it suggests about the athlete's limits.
    pub candidates: ActivityEvidence,
    /// What is suspicious about the recording.
    #[serde(default)]
    pub suspicions: PlausibilityCounts,
}

/// What the heart rate says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeartMeasures {
    /// Seconds in motion at each beat per minute, artefacts taken out.
    pub seconds: Histogram,
    /// Percent of the time in motion with a heart rate left.
    pub coverage_percent: f64,
    /// What was taken out.
    pub findings: ArtefactCounts,
    /// Best means, in beats per minute.
    pub curve: MeanMaxCurve,
}

/// What the speed says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpeedMeasures {
    /// Seconds in motion at each 0.05 m/s of graded speed.
    pub seconds: Histogram,
    /// Percent of the time in motion with a speed.
    pub coverage_percent: f64,
    /// Whether slopes were known; otherwise the ground counts as flat.
    pub graded: bool,
    /// NGP in metres per second, and GAP as its mean.
    pub normalized: MetricResult<NormalizedMean>,
    /// Best means of plain speed, in millimetres per second.
    pub curve: MeanMaxCurve,
    /// Best means of plain speed over round times, in millimetres per second.
    pub efforts: Vec<TimedEffort>,
}

/// What the power says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PowerMeasures {
    /// Seconds in motion at each watt.
    pub seconds: Histogram,
    /// Percent of the time in motion with a power.
    pub coverage_percent: f64,
    /// NP in watts.
    pub normalized: MetricResult<NormalizedMean>,
    /// Best means, in watts.
    pub curve: MeanMaxCurve,
    /// Best means over round times, in watts.
    pub efforts: Vec<TimedEffort>,
}

/// Measures an activity: its recording where there is one, its summary otherwise.
#[must_use]
pub fn measure(activity: &Activity, recording: Option<&Recording>, lengths: &[PoolLength]) -> Measures {
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
        // Nothing ever moved: that is no speed, and must not become a load of nothing.
        sampled.speed = None;
    }
    let line = &sampled.timeline;
    let heart = remove_artefacts(&sampled);
    let heart_sums = (!heart.series.is_empty()).then(|| PrefixSums::from_series(line, &heart.series));
    let ground = GroundSpeed::from_samples(activity, &sampled);
    let speed_peaks =
        sampled.speed.as_ref().map(|speed| Peaks::from_sums(&PrefixSums::from_series(line, speed)));
    let power_peaks =
        sampled.power.as_ref().map(|power| Peaks::from_sums(&PrefixSums::from_series(line, power)));
    let heart_peaks = heart_sums.as_ref().map(Peaks::from_sums);
    let track = Track::from_recording(recording, &sampled);
    let efforts = match sport {
        Sport::Running => {
            let smooth = ground.as_ref().and_then(|ground| ground.smooth.as_ref());
            efforts(&track, line, heart_sums.as_ref(), smooth)
        }
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
        times: times(activity, &sampled, &moving, source),
        cut: sampled.is_truncated,
        distance: Some(track.length()).filter(|length| *length > Distance::ZERO),
        heart: heart_peaks.as_ref().map_or(told.heart, |peaks| Ok(heart_measures(&heart, peaks, &moving))),
        decoupling: measure_decoupling(&sampled, ground.as_ref(), &moving, &heart, sport),
        elevation: told.elevation.or_else(|absent| match ground {
            Some(ground) => ground.elevation,
            None => Err(absent),
        }),
        speed: speed.ok_or(MissingReason::missing(RequiredInput::Speed)),
        power: power.ok_or(MissingReason::missing(RequiredInput::Power)),
        suspicions: PlausibilityCounts::from_recording(&sampled, &heart, sport),
        efforts,
        candidates,
        ..told
    }
}

/// The speed over the ground and what its slopes make of it.
struct GroundSpeed {
    graded: Series<u32>,
    sloped: bool,
    /// The smoothed altitude.
    smooth: Option<Series<f32>>,
    elevation: MetricResult<Elevation>,
}

impl GroundSpeed {
    /// Where the device counted metres climbed, its altitude is taken for a barometer's; otherwise for satellites'.
    fn from_samples(activity: &Activity, sampled: &SampledRecording) -> Option<Self> {
        let (line, speed) = (&sampled.timeline, sampled.speed.as_ref()?);
        let way = cumulative_distance(speed);
        let counted = activity.ascent.is_some();
        let source = if counted { AscentSource::Barometric } else { AscentSource::Gps };
        let smooth = sampled.altitude.as_ref().map(|altitude| match source {
            AscentSource::Gps => smooth_gps(line, altitude, &way),
            AscentSource::Device | AscentSource::Barometric => smooth_barometric(altitude),
        });
        let elevation = smooth.as_ref().ok_or(MissingReason::missing(RequiredInput::Altitude));
        let elevation = elevation.and_then(|smooth| ascent(smooth, &way, source));
        let slopes = smooth.as_ref().filter(|_| activity.sport == Sport::Running);
        Some(Self {
            graded: grade_adjusted_speed(line, speed, &way, slopes, SlopeCost::default()),
            sloped: slopes.is_some(),
            elevation,
            smooth,
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

/// A run by its graded speed, anything else by its power: a rider's speed says more about wind and hills.
fn measure_decoupling(
    sampled: &SampledRecording,
    ground: Option<&GroundSpeed>,
    moving: &[bool],
    heart: &CleanHeartRate,
    sport: Sport,
) -> MetricResult<Decoupling> {
    let line = &sampled.timeline;
    let found = match (sport, &sampled.power, ground) {
        (Sport::Running, _, Some(ground)) => decoupling(line, moving, &ground.graded, heart, Output::Pace),
        (Sport::Running, _, None) => Err(MissingReason::missing(RequiredInput::Speed)),
        (_, Some(power), _) => decoupling(line, moving, power, heart, Output::Power),
        (_, None, _) => Err(MissingReason::missing(RequiredInput::Power)),
    };
    found.map(|found| Decoupling { percent: round_to_4_decimals(found.percent), ..found })
}

fn best_mean(peaks: Option<&Peaks>, seconds: u32) -> Option<f64> {
    peaks?.at(seconds).map(|peak| round_to_4_decimals(peak.mean))
}

/// Seconds in motion in each bin, and what percent of all seconds in motion they are.
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

/// The time of the lengths that were swum.
fn swim_time(lengths: &[PoolLength]) -> Option<TimeSpan> {
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
