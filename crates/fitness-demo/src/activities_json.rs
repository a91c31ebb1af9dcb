//! `summarizedActivities` of an account export, in its units: centimetres, milliseconds,
//! kilojoules.

use super::physiology::Body;
use super::samples::{DemoRecording, Summary};
use super::season::{ActivityKind, DemoActivity};
use serde::Serialize;

const KJ_PER_KCAL: f64 = 4.19002;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GarminActivityJson {
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
    distance_fields: Option<DistanceFields>,
    #[serde(flatten)]
    elevation_fields: Option<ElevationFields>,
    #[serde(flatten)]
    running_fields: Option<RunningFields>,
    #[serde(flatten)]
    power_fields: Option<PowerFields>,
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
struct DistanceFields {
    distance: f64,
    avg_speed: f64,
    max_speed: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ElevationFields {
    elevation_gain: f64,
    elevation_loss: f64,
    min_elevation: f64,
    max_elevation: f64,
    start_latitude: f64,
    start_longitude: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RunningFields {
    avg_run_cadence: f64,
    avg_double_cadence: f64,
    avg_stride_length: f64,
    steps: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PowerFields {
    avg_power: f64,
    max_power: f64,
    norm_power: f64,
    avg_bike_cadence: f64,
}

impl GarminActivityJson {
    pub(super) fn new(outing: &DemoActivity, track: &DemoRecording, body: &Body) -> Self {
        let whole = track.summary(body);
        let begin = track.started_at.timestamp_millis();
        let load = whole.impulse * 0.85;
        let (activity_type, sport_type) = garmin_type_names(outing.kind);
        let minutes = |zones: &[u32]| zones.iter().sum::<u32>() / 60;
        let [zone_0, zone_1, zone_2, zone_3, zone_4, zone_5] = whole.zones.map(|s| f64::from(s) * 1000.0);
        let outdoors = !outing.kind.is_indoors();
        Self {
            // Unrelated to the file name, as in real exports.
            activity_id: 7_000_000_000 + begin / 1000,
            name: outing.name.clone(),
            activity_type,
            sport_type,
            user_profile_id: super::USER_ID,
            begin_timestamp: begin,
            start_time_gmt: begin as f64,
            start_time_local: (begin + i64::from(track.offset_s) * 1000) as f64,
            event_type_id: if outing.kind == ActivityKind::Race { 1 } else { 9 },
            rule: "private",
            duration: f64::from(whole.timer_ms),
            elapsed_duration: f64::from(whole.elapsed_ms),
            moving_duration: f64::from(whole.timer_ms),
            distance_fields: (outing.kind != ActivityKind::Strength).then(|| DistanceFields {
                distance: f64::from(whole.cm),
                avg_speed: f64::from(whole.cm) / f64::from(whole.timer_ms),
                max_speed: f64::from(whole.max_speed) / 10_000.0,
            }),
            elevation_fields: outdoors.then(|| elevation_fields(track, &whole)),
            running_fields: outing.kind.is_run().then(|| running_fields(&whole)),
            power_fields: outing.kind.is_ride().then(|| PowerFields {
                avg_power: whole.power.into(),
                max_power: whole.max_power.into(),
                norm_power: whole.normalized_power.into(),
                avg_bike_cadence: whole.cadence.into(),
            }),
            avg_hr: whole.heart_rate.into(),
            max_hr: whole.max_heart_rate.into(),
            min_hr: whole.min_heart_rate.into(),
            calories: f64::from(whole.kcal) * KJ_PER_KCAL,
            bmr_calories: (f64::from(whole.elapsed_ms) / 60_000.0).round() * KJ_PER_KCAL,
            aerobic_training_effect: round_to_tenths((1.2 + load / 55.0).min(5.0)),
            anaerobic_training_effect: round_to_tenths((f64::from(whole.zones[5]) / 400.0).min(4.5)),
            activity_training_load: round_to_tenths(load),
            vo2max: (outdoors && outing.kind.is_run()).then(|| (body.vdot + 1.5).round()),
            lap_count: track.lap_marks.len(),
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

fn elevation_fields(track: &DemoRecording, whole: &Summary) -> ElevationFields {
    let (latitude, longitude) = track.points.first().map_or((0, 0), |point| point.position);
    let degrees = |semicircles: i32| f64::from(semicircles) * (180.0 / 2_147_483_648.0);
    // From 1/5 m above -500 m to centimetres.
    let cm = |raw: u16| f64::from(raw) * 20.0 - 50_000.0;
    ElevationFields {
        elevation_gain: f64::from(whole.ascent) * 100.0,
        elevation_loss: f64::from(whole.descent) * 100.0,
        min_elevation: cm(whole.min_altitude),
        max_elevation: cm(whole.max_altitude),
        start_latitude: degrees(latitude),
        start_longitude: degrees(longitude),
    }
}

fn running_fields(whole: &Summary) -> RunningFields {
    let minutes = f64::from(whole.timer_ms) / 60_000.0;
    let steps = (2.0 * f64::from(whole.cadence) * minutes).round();
    RunningFields {
        avg_run_cadence: whole.cadence.into(),
        avg_double_cadence: f64::from(whole.cadence) * 2.0,
        avg_stride_length: round_to_tenths(f64::from(whole.cm) / steps.max(1.0)),
        steps,
    }
}

pub(super) fn round_to_tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn garmin_type_names(kind: ActivityKind) -> (&'static str, &'static str) {
    match kind {
        ActivityKind::Run | ActivityKind::Hills | ActivityKind::Race => ("running", "RUNNING"),
        ActivityKind::Track => ("track_running", "RUNNING"),
        ActivityKind::Trail => ("trail_running", "RUNNING"),
        ActivityKind::Treadmill => ("treadmill_running", "RUNNING"),
        ActivityKind::Ride => ("road_biking", "CYCLING"),
        ActivityKind::Trainer => ("indoor_cycling", "CYCLING"),
        ActivityKind::Swim => ("lap_swimming", "SWIMMING"),
        ActivityKind::Strength => ("strength_training", "TRAINING"),
        ActivityKind::Walk => ("walking", "WALKING"),
        ActivityKind::Hike => ("hiking", "HIKING"),
    }
}
