//! What a recording measures about an activity, whatever the athlete's limits are.
//!
//! Everything that takes the samples is here, once: a changed threshold or zone is judged by
//! [`analysis::judge`](super::activity::judge) from these measures alone. They serialize compactly, a few kilobytes.

use super::curve::{Curve, Peaks, Sums, TimedEffort, timed_efforts};
use super::decoupling::{Decoupling, Output, decoupling};
use super::efforts::{Effort, Track, efforts};
use super::elevation::{AscentSource, Elevation, ascent, smooth_barometric, smooth_gps};
use super::grade_adjusted_pace::SlopeCost;
use super::histogram::{Histogram, SPEED_BIN_MM_S};
use super::hr_artefacts::{CleanHeart, Findings, clean};
use super::load::pace::{graded, in_motion, way};
use super::load::power::{Normalized, normalize};
use super::moving_time::{MovingSource, Times, motion, times, told_times};
use super::per_second::{Runs, Sampled, Series};
use super::plausibility::Suspicions;
use super::thresholds::evidence::{Candidates, steady_heart};
use super::{Absent, Found, Need, Quality, rounded};
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
    pub swum: Option<TimeSpan>,
    /// Heart rate.
    pub heart: Found<HeartMeasures>,
    /// Speed.
    pub speed: Found<SpeedMeasures>,
    /// Power.
    pub power: Found<PowerMeasures>,
    /// Metres up and down.
    pub elevation: Found<Elevation>,
    /// Fastest times over the usual distances, of a run.
    pub efforts: Vec<Effort>,
    /// Aerobic decoupling.
    pub decoupling: Found<Decoupling>,
    /// What it suggests about the athlete's limits.
    pub candidates: Candidates,
    /// What is suspicious about the recording.
    #[serde(default)]
    pub suspicions: Suspicions,
}

/// What the heart rate says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeartMeasures {
    /// Seconds in motion at each beat per minute, artefacts taken out.
    pub seconds: Histogram,
    /// Percent of the time in motion with a heart rate left.
    pub coverage_percent: f64,
    /// What was taken out.
    pub findings: Findings,
    /// Best means, in beats per minute.
    pub curve: Curve,
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
    pub normalized: Found<Normalized>,
    /// Best means of plain speed, in millimetres per second.
    pub curve: Curve,
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
    pub normalized: Found<Normalized>,
    /// Best means, in watts.
    pub curve: Curve,
    /// Best means over round times, in watts.
    pub efforts: Vec<TimedEffort>,
}

/// Measures an activity: its recording where there is one, its summary otherwise.
#[must_use]
pub fn measure(activity: &Activity, recording: Option<&Recording>, lengths: &[PoolLength]) -> Measures {
    let told = Measures {
        times: told_times(activity),
        cut: false,
        distance: None,
        swum: swum(lengths),
        heart: Err(Absent::missing(Need::HeartRate)),
        speed: Err(Absent::missing(Need::Speed)),
        power: Err(Absent::missing(Need::Power)),
        elevation: device_elevation(activity).ok_or(Absent::missing(Need::Altitude)),
        efforts: Vec::new(),
        decoupling: Err(Absent::missing(Need::HeartRate)),
        candidates: Candidates::default(),
        suspicions: Suspicions::default(),
    };
    match recording.filter(|recording| !recording.moments().is_empty()) {
        Some(recording) => measure_recording(activity, recording, told),
        None => told,
    }
}

fn measure_recording(activity: &Activity, recording: &Recording, told: Measures) -> Measures {
    let sport = activity.sport;
    let mut sampled = Sampled::of(recording, sport);
    let (moving, source) = motion(recording, &sampled, sport);
    if sport == Sport::Running && source == MovingSource::Recording {
        // Nothing ever moved: that is no speed, and must not become a load of nothing.
        sampled.speed = None;
    }
    let line = &sampled.timeline;
    let heart = clean(&sampled);
    let heart_sums = (!heart.series.is_empty()).then(|| Sums::of(line, &heart.series));
    let ground = Ground::of(activity, &sampled);
    let speed_peaks = sampled.speed.as_ref().map(|speed| Peaks::of(&Sums::of(line, speed)));
    let power_peaks = sampled.power.as_ref().map(|power| Peaks::of(&Sums::of(line, power)));
    let heart_peaks = heart_sums.as_ref().map(Peaks::of);
    let track = Track::of(recording, &sampled);
    let efforts = match sport {
        Sport::Running => {
            let smooth = ground.as_ref().and_then(|ground| ground.smooth.as_ref());
            efforts(&track, line, heart_sums.as_ref(), smooth)
        }
        _ => Vec::new(),
    };
    let steady = ground.as_ref().filter(|_| sport == Sport::Running).zip(heart_sums.as_ref());
    let candidates = Candidates {
        power_20_min: best_mean(power_peaks.as_ref(), 20 * 60),
        threshold_heart_rate: steady
            .and_then(|(ground, heart)| steady_heart(&ground.graded, &Sums::of(line, &ground.graded), heart)),
        highest_heart_rate: best_mean(heart_peaks.as_ref(), 5),
    };
    let power = sampled.power.as_ref().zip(power_peaks.as_ref()).map(|(power, peaks)| {
        let (seconds, coverage_percent) = counted(power, &moving, |watts| u32::from(*watts));
        PowerMeasures {
            seconds,
            coverage_percent,
            normalized: tidy(normalize(&Runs::pick(line, |index| power[index].map(f32::from)))),
            curve: Curve::of(peaks),
            efforts: timed_efforts(line, peaks, heart_sums.as_ref()),
        }
    });
    let speed = ground.as_ref().zip(speed_peaks.as_ref()).map(|(ground, peaks)| {
        let (seconds, coverage_percent) = counted(&ground.graded, &moving, |speed| speed / SPEED_BIN_MM_S);
        SpeedMeasures {
            seconds,
            coverage_percent,
            graded: ground.sloped,
            normalized: tidy(normalize(&in_motion(line, &ground.graded, &moving))),
            curve: Curve::of(peaks),
            efforts: timed_efforts(line, peaks, heart_sums.as_ref()),
        }
    });
    Measures {
        times: times(activity, &sampled, &moving, source),
        cut: sampled.cut,
        distance: Some(track.length()).filter(|length| *length > Distance::ZERO),
        heart: heart_peaks.as_ref().map_or(told.heart, |peaks| Ok(heart_measures(&heart, peaks, &moving))),
        decoupling: decoupled(&sampled, ground.as_ref(), &moving, &heart, sport),
        elevation: told.elevation.or_else(|absent| match ground {
            Some(ground) => ground.elevation,
            None => Err(absent),
        }),
        speed: speed.ok_or(Absent::missing(Need::Speed)),
        power: power.ok_or(Absent::missing(Need::Power)),
        suspicions: Suspicions::of(&sampled, &heart, sport),
        efforts,
        candidates,
        ..told
    }
}

/// The speed over the ground and what its slopes make of it.
struct Ground {
    graded: Series<u32>,
    sloped: bool,
    /// The smoothed altitude.
    smooth: Option<Series<f32>>,
    elevation: Found<Elevation>,
}

impl Ground {
    /// Where the device counted metres climbed, its altitude is taken for a barometer's; otherwise for satellites'.
    fn of(activity: &Activity, sampled: &Sampled) -> Option<Self> {
        let (line, speed) = (&sampled.timeline, sampled.speed.as_ref()?);
        let way = way(speed);
        let counted = activity.ascent.is_some();
        let source = if counted { AscentSource::Barometric } else { AscentSource::Gps };
        let smooth = sampled.altitude.as_ref().map(|altitude| match source {
            AscentSource::Gps => smooth_gps(line, altitude, &way),
            AscentSource::Device | AscentSource::Barometric => smooth_barometric(altitude),
        });
        let elevation = smooth.as_ref().ok_or(Absent::missing(Need::Altitude));
        let elevation = elevation.and_then(|smooth| ascent(smooth, &way, source));
        let slopes = smooth.as_ref().filter(|_| activity.sport == Sport::Running);
        Some(Self {
            graded: graded(line, speed, &way, slopes, SlopeCost::default()),
            sloped: slopes.is_some(),
            elevation,
            smooth,
        })
    }
}

fn heart_measures(heart: &CleanHeart, peaks: &Peaks, moving: &[bool]) -> HeartMeasures {
    let (seconds, coverage_percent) = counted(&heart.series, moving, |bpm| u32::from(*bpm));
    HeartMeasures { seconds, coverage_percent, findings: heart.findings, curve: Curve::of(peaks) }
}

/// A run by its graded speed, anything else by its power: a rider's speed says more about wind and hills.
fn decoupled(
    sampled: &Sampled,
    ground: Option<&Ground>,
    moving: &[bool],
    heart: &CleanHeart,
    sport: Sport,
) -> Found<Decoupling> {
    let line = &sampled.timeline;
    let found = match (sport, &sampled.power, ground) {
        (Sport::Running, _, Some(ground)) => decoupling(line, moving, &ground.graded, heart, Output::Pace),
        (Sport::Running, _, None) => Err(Absent::missing(Need::Speed)),
        (_, Some(power), _) => decoupling(line, moving, power, heart, Output::Power),
        (_, None, _) => Err(Absent::missing(Need::Power)),
    };
    found.map(|found| Decoupling { percent: rounded(found.percent), ..found })
}

fn best_mean(peaks: Option<&Peaks>, seconds: u32) -> Option<f64> {
    peaks?.at(seconds).map(|peak| rounded(peak.mean))
}

/// Seconds in motion in each bin, and what percent of all seconds in motion they are.
fn counted<T>(series: &Series<T>, moving: &[bool], bin: impl Fn(&T) -> u32) -> (Histogram, f64) {
    let in_motion = series.iter().zip(moving).filter(|(_, moving)| **moving).map(|(value, _)| value);
    let all = in_motion.clone().count().max(1) as f64;
    let histogram: Histogram = in_motion.flatten().map(bin).collect();
    let percent = rounded(100.0 * histogram.seconds() as f64 / all);
    (histogram, percent)
}

fn device_elevation(activity: &Activity) -> Option<Elevation> {
    let ascent = activity.ascent.filter(|ascent| *ascent >= Distance::ZERO)?;
    let (source, quality) = (AscentSource::Device, Quality::Ok);
    Some(Elevation { ascent, descent: activity.descent, source, quality })
}

/// The time of the lengths that were swum.
fn swum(lengths: &[PoolLength]) -> Option<TimeSpan> {
    let active = lengths.iter().filter(|length| length.active);
    let time: TimeSpan =
        active.filter_map(|length| length.elapsed).filter(|time| *time > TimeSpan::ZERO).sum();
    Some(time).filter(|time| *time > TimeSpan::ZERO)
}

fn tidy(normalized: Found<Normalized>) -> Found<Normalized> {
    let tidy = |n: Normalized| Normalized { value: rounded(n.value), mean: rounded(n.mean), ..n };
    normalized.map(tidy)
}

#[cfg(test)]
mod tests;
