//! The list of activities in an account export, in its own units: centimetres, milliseconds, kilojoules.

use super::physiology::Body;
use super::samples::{Summary, Track};
use super::season::{Kind, Outing};
use serde::Serialize;

/// What Garmin multiplies kilocalories by.
const KILOJOULES: f64 = 4.19002;

/// One activity in the list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    activity_id: i64,
    name: String,
    activity_type: &'static str,
    sport_type: &'static str,
    user_profile_id: i64,
    begin_timestamp: i64,
    start_time_gmt: f64,
    start_time_local: f64,
    event_type_id: u8,
    rule: &'static str,
    duration: f64,
    elapsed_duration: f64,
    moving_duration: f64,
    #[serde(flatten)]
    ground: Option<Ground>,
    #[serde(flatten)]
    heights: Option<Heights>,
    #[serde(flatten)]
    gait: Option<Gait>,
    #[serde(flatten)]
    power: Option<Power>,
    avg_hr: f64,
    max_hr: f64,
    min_hr: f64,
    calories: f64,
    bmr_calories: f64,
    aerobic_training_effect: f64,
    anaerobic_training_effect: f64,
    activity_training_load: f64,
    #[serde(rename = "vO2MaxValue", skip_serializing_if = "Option::is_none")]
    vo2max: Option<f64>,
    lap_count: usize,
    device_id: i64,
    moderate_intensity_minutes: u32,
    vigorous_intensity_minutes: u32,
    #[serde(rename = "hrTimeInZone_0")]
    zone_0: f64,
    #[serde(rename = "hrTimeInZone_1")]
    zone_1: f64,
    #[serde(rename = "hrTimeInZone_2")]
    zone_2: f64,
    #[serde(rename = "hrTimeInZone_3")]
    zone_3: f64,
    #[serde(rename = "hrTimeInZone_4")]
    zone_4: f64,
    #[serde(rename = "hrTimeInZone_5")]
    zone_5: f64,
    pr: bool,
    parent: bool,
    favorite: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ground {
    distance: f64,
    avg_speed: f64,
    max_speed: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Heights {
    elevation_gain: f64,
    elevation_loss: f64,
    min_elevation: f64,
    max_elevation: f64,
    start_latitude: f64,
    start_longitude: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Gait {
    avg_run_cadence: f64,
    avg_double_cadence: f64,
    avg_stride_length: f64,
    steps: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Power {
    avg_power: f64,
    max_power: f64,
    norm_power: f64,
    avg_bike_cadence: f64,
}

impl Row {
    pub(super) fn new(outing: &Outing, track: &Track, body: &Body) -> Self {
        let whole = track.summary(body);
        let begin = track.begins.timestamp_millis();
        let load = whole.impulse * 0.85;
        let (activity_type, sport_type) = words(outing.kind);
        let minutes = |zones: &[u32]| zones.iter().sum::<u32>() / 60;
        let [zone_0, zone_1, zone_2, zone_3, zone_4, zone_5] = whole.zones.map(|s| f64::from(s) * 1000.0);
        let outdoors = !outing.kind.is_indoors();
        Self {
            // Not what the file is called: the two have nothing to do with each other.
            activity_id: 7_000_000_000 + begin / 1000,
            name: outing.name.clone(),
            activity_type,
            sport_type,
            user_profile_id: super::USER,
            begin_timestamp: begin,
            start_time_gmt: begin as f64,
            start_time_local: (begin + i64::from(track.offset_s) * 1000) as f64,
            event_type_id: if outing.kind == Kind::Race { 1 } else { 9 },
            rule: "private",
            duration: f64::from(whole.timer_ms),
            elapsed_duration: f64::from(whole.elapsed_ms),
            moving_duration: f64::from(whole.timer_ms),
            ground: (outing.kind != Kind::Strength).then(|| Ground {
                distance: f64::from(whole.cm),
                avg_speed: f64::from(whole.cm) / f64::from(whole.timer_ms),
                max_speed: f64::from(whole.max_speed) / 10_000.0,
            }),
            heights: outdoors.then(|| heights(track, &whole)),
            gait: outing.kind.is_run().then(|| gait(&whole)),
            power: outing.kind.is_ride().then(|| Power {
                avg_power: whole.power.into(),
                max_power: whole.max_power.into(),
                norm_power: whole.normalized_power.into(),
                avg_bike_cadence: whole.cadence.into(),
            }),
            avg_hr: whole.heart_rate.into(),
            max_hr: whole.max_heart_rate.into(),
            min_hr: whole.min_heart_rate.into(),
            calories: f64::from(whole.kcal) * KILOJOULES,
            bmr_calories: (f64::from(whole.elapsed_ms) / 60_000.0).round() * KILOJOULES,
            aerobic_training_effect: tenths((1.2 + load / 55.0).min(5.0)),
            anaerobic_training_effect: tenths((f64::from(whole.zones[5]) / 400.0).min(4.5)),
            activity_training_load: tenths(load),
            vo2max: (outdoors && outing.kind.is_run()).then(|| (body.vdot + 1.5).round()),
            lap_count: track.marks.len(),
            device_id: 3_400_000_000,
            moderate_intensity_minutes: minutes(&whole.zones[2..3]),
            vigorous_intensity_minutes: minutes(&whole.zones[3..]),
            zone_0,
            zone_1,
            zone_2,
            zone_3,
            zone_4,
            zone_5,
            pr: false,
            parent: false,
            favorite: false,
        }
    }
}

fn heights(track: &Track, whole: &Summary) -> Heights {
    let (latitude, longitude) = track.points.first().map_or((0, 0), |point| point.position);
    let degrees = |semicircles: i32| f64::from(semicircles) * (180.0 / 2_147_483_648.0);
    // Fifths of a metre above -500 m, in centimetres.
    let cm = |raw: u16| f64::from(raw) * 20.0 - 50_000.0;
    Heights {
        elevation_gain: f64::from(whole.ascent) * 100.0,
        elevation_loss: f64::from(whole.descent) * 100.0,
        min_elevation: cm(whole.min_altitude),
        max_elevation: cm(whole.max_altitude),
        start_latitude: degrees(latitude),
        start_longitude: degrees(longitude),
    }
}

fn gait(whole: &Summary) -> Gait {
    let minutes = f64::from(whole.timer_ms) / 60_000.0;
    let steps = (2.0 * f64::from(whole.cadence) * minutes).round();
    Gait {
        avg_run_cadence: whole.cadence.into(),
        avg_double_cadence: f64::from(whole.cadence) * 2.0,
        avg_stride_length: tenths(f64::from(whole.cm) / steps.max(1.0)),
        steps,
    }
}

pub(super) fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn words(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Run | Kind::Hills | Kind::Race => ("running", "RUNNING"),
        Kind::Track => ("track_running", "RUNNING"),
        Kind::Trail => ("trail_running", "RUNNING"),
        Kind::Treadmill => ("treadmill_running", "RUNNING"),
        Kind::Ride => ("road_biking", "CYCLING"),
        Kind::Trainer => ("indoor_cycling", "CYCLING"),
        Kind::Swim => ("lap_swimming", "SWIMMING"),
        Kind::Strength => ("strength_training", "TRAINING"),
        Kind::Walk => ("walking", "WALKING"),
        Kind::Hike => ("hiking", "HIKING"),
    }
}
