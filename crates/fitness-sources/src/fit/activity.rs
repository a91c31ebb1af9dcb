//! Builds activities from FIT messages: sessions with laps, pool lengths, strength sets, R-R
//! intervals and samples.

use super::heart_rate_messages::HeartRateMessages;
use super::messages::{FieldKind, Message};
use super::samples::Samples;
use super::values::{FitFields, instant, unix_ms};
use super::{device_metrics, devices, file_kind};
use crate::error::ParseError;
use crate::header_check::{correct_lap_starts, correct_totals, elapsed_from_start, start_contradicts};
use crate::place::utc_offset_at;
use crate::sports;
use chrono_tz::Tz;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::source_record::{
    Details, Flaw, ParseCounts, ParsedActivity, StrengthSet, SwimLength,
};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::{Channel, Column, Recording};
use fitness_core::domain::units::{Distance, TimeSpan};
use rustyfit::profile::mesgdef::{self, Session};
use rustyfit::profile::typedef::{self, MesgNum};
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum laps, lengths or sets per file. A day in a short pool has 5,000 lengths.
const MAX_PARTS: usize = 10_000;
/// Maximum R-R intervals per file: about four days.
const MAX_BEATS: usize = 600_000;
/// An ultra triathlon has about five.
const MAX_SESSIONS: usize = 50;

#[derive(Debug, Default)]
pub(super) struct ActivityBuilder {
    kind: Option<String>,
    device: Device,
    name: Option<String>,
    /// Local time minus UTC in seconds, if the device recorded it.
    utc_offset_s: Option<i32>,
    /// Sport and sub-sport of the `sport` message, for files without a session.
    sport: Option<(u8, u8)>,
    sessions: Vec<RawSession>,
    laps: Vec<(u32, Lap)>,
    lengths: Vec<(u32, SwimLength)>,
    sets: Vec<StrengthSet>,
    rr_ms: Vec<u16>,
    samples: Samples,
    /// Seconds in heart rate zones by the index of the session.
    heart_rate_zones: BTreeMap<usize, Vec<f64>>,
    /// Developer fields that map to one of our channels, by developer index and field number.
    developer: BTreeMap<(u8, u8), (Channel, FieldKind)>,
}

#[derive(Debug)]
struct RawSession {
    /// FIT time.
    start: u32,
    sport: u8,
    sub_sport: u8,
    activity: Activity,
    pool: Option<Distance>,
}

impl RawSession {
    /// Start and end, milliseconds since the Unix epoch.
    fn span_ms(&self) -> (i64, i64) {
        let start = self.activity.started_at.timestamp_millis();
        (start, start + self.activity.elapsed.map_or(0, TimeSpan::ms))
    }
}

impl ActivityBuilder {
    pub(super) fn kind(&self) -> Option<String> {
        self.kind.clone()
    }

    pub(super) fn records(&self) -> usize {
        self.samples.record_count
    }

    pub(super) fn add_message(&mut self, message: &Message<'_>) {
        let fields = FitFields::new(message);
        match message.number() {
            MesgNum::RECORD => {
                let developer = &self.developer;
                self.samples.add_record(message, |index, number| developer.get(&(index, number)).copied());
            }
            MesgNum::FILE_ID => {
                self.kind = self.kind.take().or_else(|| file_kind(message));
                self.device.add_file_id(&fields);
            }
            MesgNum::DEVICE_INFO => self.device.add_device_info(&fields),
            MesgNum::ACTIVITY => self.utc_offset_s = self.utc_offset_s.or_else(|| utc_offset(&fields)),
            MesgNum::SPORT => {
                self.name = self.name.take().or_else(|| fields.text(mesgdef::Sport::NAME));
                let sport = fields.narrow(mesgdef::Sport::SPORT);
                self.sport = self
                    .sport
                    .or_else(|| Some((sport?, fields.narrow(mesgdef::Sport::SUB_SPORT).unwrap_or(0))));
            }
            MesgNum::SESSION if self.sessions.len() < MAX_SESSIONS => self.sessions.extend(session(&fields)),
            MesgNum::LAP if self.laps.len() < MAX_PARTS => self.laps.extend(lap(&fields)),
            MesgNum::LENGTH if self.lengths.len() < MAX_PARTS => self.lengths.extend(length(&fields)),
            MesgNum::SET if self.sets.len() < MAX_PARTS => self.sets.push(set(&fields)),
            MesgNum::HRV if self.rr_ms.len() < MAX_BEATS => {
                let beats = fields.integers(mesgdef::Hrv::TIME).into_iter();
                self.rr_ms.extend(beats.filter_map(|ms| u16::try_from(ms).ok()).filter(|ms| *ms > 0));
            }
            MesgNum::TIME_IN_ZONE if self.heart_rate_zones.len() < MAX_SESSIONS => {
                self.heart_rate_zones.extend(device_metrics::heart_rate_zones(&fields));
            }
            MesgNum::FIELD_DESCRIPTION => self.describe_developer_field(&fields),
            _ => {}
        }
    }

    /// Registers a developer field that maps to one of our channels, such as a foot pod's power.
    fn describe_developer_field(&mut self, fields: &FitFields<'_>) {
        use mesgdef::{FieldDescription, Record};
        let index = fields.narrow(FieldDescription::DEVELOPER_DATA_INDEX);
        let number = fields.narrow(FieldDescription::FIELD_DEFINITION_NUMBER);
        let native =
            fields.narrow::<u16>(FieldDescription::NATIVE_MESG_NUM).filter(|n| *n == MesgNum::RECORD.0);
        let native = native.and_then(|_| fields.narrow::<u8>(FieldDescription::NATIVE_FIELD_NUM));
        let name = fields.text(FieldDescription::FIELD_NAME).unwrap_or_default().to_lowercase();
        let channel = match (native, name.as_str()) {
            (Some(Record::POWER), _) | (None, "power") => Channel::Power,
            (Some(Record::HEART_RATE), _) => Channel::HeartRate,
            (Some(Record::CADENCE), _) => Channel::Cadence,
            (Some(Record::DISTANCE), _) => Channel::Distance,
            (Some(Record::SPEED | Record::ENHANCED_SPEED), _) => Channel::Speed,
            (Some(Record::ALTITUDE | Record::ENHANCED_ALTITUDE), _) => Channel::Altitude,
            (Some(Record::STANCE_TIME), _) => Channel::GroundContact,
            (Some(Record::VERTICAL_OSCILLATION), _) => Channel::VerticalOscillation,
            _ => return,
        };
        let kind = fields.narrow(FieldDescription::FIT_BASE_TYPE_ID).map(FieldKind::from_base_type);
        if let (Some(index), Some(number), Some(kind)) = (index, number, kind) {
            self.developer.insert((index, number), (channel, kind));
        }
    }

    /// A file of another kind, such as settings, has no activities; that is not an error.
    pub(super) fn into_activities(
        mut self,
        zone: Tz,
        heart_rate: &HeartRateMessages,
        flaws: &[Flaw],
    ) -> Result<Vec<ParsedActivity>, ParseError> {
        let mut flaws = flaws.to_vec();
        if self.samples.truncated {
            return Err(ParseError::new("too many samples for one activity"));
        }
        let spans: Vec<(i64, i64)> = self.sessions.iter().map(RawSession::span_ms).collect();
        let counts = self.samples.check_times(&spans);
        if counts.sorted || counts.samples_with_bad_time > 0 {
            flaws.push(Flaw::OutOfOrder);
        }
        heart_rate.merge_into(&mut self.samples);
        let is_activity = self.kind.as_deref().is_none_or(|kind| kind == "activity");
        if self.sessions.is_empty() && is_activity && self.samples.len() > 0 {
            self.sessions.extend(self.session_from_samples());
            flaws.push(Flaw::NoSummary);
        }
        if self.sessions.is_empty() {
            let clockless = is_activity && self.samples.record_count > 0;
            let why =
                if clockless { "no timestamps: the device clock was not set" } else { return Ok(Vec::new()) };
            return Err(ParseError::new(why));
        }
        let mut sessions = std::mem::take(&mut self.sessions);
        for (index, session) in sessions.iter_mut().enumerate() {
            if let Some(seconds) = self.heart_rate_zones.remove(&index) {
                session.activity.device_metrics.heart_rate_zone_s = seconds;
            }
        }
        sessions.sort_by_key(|session| session.start);
        let starts: Vec<u32> = sessions.iter().map(|session| session.start).collect();
        let mut recorded = Vec::with_capacity(sessions.len());
        for (i, session) in sessions.into_iter().enumerate() {
            // Each session has the samples up to the next session; the first also earlier ones.
            let from = if i == 0 { 0 } else { starts[i] };
            let until = starts.get(i + 1).copied().unwrap_or(u32::MAX);
            // Transitions between sports are not activities.
            if typedef::Sport(session.sport) != typedef::Sport::TRANSITION {
                recorded.push(self.build_activity(session, from, until, zone, &flaws, i == 0));
            }
        }
        if let Some(first) = recorded.first_mut() {
            // A dropped sample belongs to no session.
            first.counts.add(counts);
        }
        Ok(recorded)
    }

    fn build_activity(
        &self,
        raw: RawSession,
        from: u32,
        until: u32,
        zone: Tz,
        flaws: &[Flaw],
        first: bool,
    ) -> ParsedActivity {
        let RawSession { mut start, sport, sub_sport, mut activity, pool } = raw;
        let within = |time: &u32| (from..until).contains(time);
        let part = self.samples.between(from, until);
        let mut counts = ParseCounts::default();
        if let Some(corrected) = self.correct_start(&mut activity, &part) {
            start = corrected;
            counts.corrected_totals += 1;
        }
        activity.sport = sports::from_fit(sport, sub_sport);
        activity.sub_sport = sports::fit_sub_sport(sport, sub_sport);
        let on_foot = activity.sport == Sport::Running
            || matches!(typedef::Sport(sport), typedef::Sport::WALKING | typedef::Sport::HIKING);
        let of_one_leg = |mean: f64| on_foot && !sports::counts_both_legs(activity.sport, mean);
        let both_legs = |mean: f64| if of_one_leg(mean) { mean * 2.0 } else { mean };
        activity.avg_cadence = activity.avg_cadence.map(both_legs);
        activity.laps =
            self.laps.iter().filter(|(time, _)| within(time)).map(|(_, lap)| lap.clone()).collect();
        for lap in &mut activity.laps {
            lap.avg_cadence = lap.avg_cadence.map(both_legs);
        }
        let per_leg = self.samples.mean_cadence(&part).is_some_and(of_one_leg);
        activity.device = self.device.label();
        activity.name.clone_from(&self.name);
        counts.corrected_totals += correct_lap_starts(&mut activity);
        let recording = self.samples.recording(part, start, per_leg);
        activity.utc_offset_s =
            self.utc_offset_s.unwrap_or_else(|| utc_offset_at(recording.as_ref(), zone, activity.started_at));
        let lengths: Vec<SwimLength> =
            self.lengths.iter().filter(|(time, _)| within(time)).map(|(_, l)| l.clone()).collect();
        if let Some(recording) = recording.as_ref().filter(|_| !flaws.contains(&Flaw::CutShort)) {
            counts.corrected_totals += correct_totals(&mut activity, recording);
        }
        // Many devices write zero for "not measured" indoors.
        activity.distance = activity.distance.filter(|distance| *distance > Distance::ZERO);
        if activity.distance.is_none()
            && let Some(pool) = pool
        {
            let swum = lengths.iter().filter(|length| length.active).count();
            activity.distance =
                i64::try_from(swum).ok().map(|swum| Distance::from_mm(pool.mm().saturating_mul(swum)));
        }
        if let Some(recording) = &recording {
            fill_from_samples(&mut activity, recording);
        }
        let details = Details {
            lengths,
            sets: if first { self.sets.clone() } else { Vec::new() },
            rr_ms: if first { self.rr_ms.clone() } else { Vec::new() },
        };
        let mut flaws = flaws.to_vec();
        if counts.corrected_totals > 0 {
            flaws.push(Flaw::ContradictoryTotals);
        }
        ParsedActivity {
            activity,
            has_local_time: self.utc_offset_s.is_some(),
            recording,
            details,
            race: false,
            flaws,
            counts,
        }
    }

    /// Replaces a start that contradicts the samples. Returns the new one, in FIT time.
    fn correct_start(&self, activity: &mut Activity, part: &Range<usize>) -> Option<u32> {
        let first = self.samples.time(part.start).filter(|_| !part.is_empty())?;
        let last = self.samples.time(part.end - 1)?;
        let (first_ms, last_ms) = (unix_ms(first)?, unix_ms(last)?);
        let start_ms = activity.started_at.timestamp_millis();
        if !start_contradicts(start_ms, first_ms, last_ms) {
            return None;
        }
        let elapsed = elapsed_from_start(start_ms, activity.elapsed, first_ms, last_ms);
        activity.started_at = instant(first)?;
        activity.elapsed = Some(elapsed);
        activity.moving = activity.moving.map(|moving| moving.min(elapsed));
        Some(first)
    }

    /// A session for a file without a session message.
    fn session_from_samples(&self) -> Option<RawSession> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        let started_at = instant(first)?;
        let (sport, sub_sport) = self.sport.unwrap_or((typedef::Sport::GENERIC.0, 0));
        let elapsed = TimeSpan::from_secs(i64::from(last - first));
        Some(RawSession {
            start: first,
            sport,
            sub_sport,
            activity: Activity { elapsed: Some(elapsed), ..Activity::new(Sport::Other, started_at, 0) },
            pool: None,
        })
    }
}

/// Fills values that the session lacks from the samples.
fn fill_from_samples(activity: &mut Activity, recording: &Recording) {
    let samples = |channel| recording.column(channel).into_iter().flat_map(Column::samples).flatten();
    let mean = |channel| {
        let (sum, count) =
            samples(channel).fold((0_i64, 0_i64), |(sum, n), value| (sum + i64::from(value), n + 1));
        (sum + count / 2).checked_div(count).and_then(|mean| u16::try_from(mean).ok())
    };
    let highest = |channel| samples(channel).max().and_then(|value| u16::try_from(value).ok());
    let covered =
        || samples(Channel::Distance).last().filter(|mm| *mm > 0).map(|mm| Distance::from_mm(mm.into()));
    activity.distance = activity.distance.or_else(covered);
    activity.avg_heart_rate = activity.avg_heart_rate.or_else(|| mean(Channel::HeartRate));
    activity.max_heart_rate = activity.max_heart_rate.or_else(|| highest(Channel::HeartRate));
    activity.avg_power = activity.avg_power.or_else(|| mean(Channel::Power));
    activity.max_power = activity.max_power.or_else(|| highest(Channel::Power));
}

fn session(fields: &FitFields<'_>) -> Option<RawSession> {
    let elapsed = fields.scaled(Session::TOTAL_ELAPSED_TIME, 1000.0).and_then(TimeSpan::from_seconds);
    let told: Option<u32> = fields.narrow(Session::START_TIME).filter(|start| instant(*start).is_some());
    // The message is written at the end.
    let before_end = || {
        let end: u32 = fields.narrow(Session::TIMESTAMP)?;
        end.checked_sub(u32::try_from(elapsed?.whole_seconds()).ok()?)
    };
    let start = told.or_else(before_end)?;
    let started_at = instant(start)?;
    let timer = fields.scaled(Session::TOTAL_TIMER_TIME, 1000.0).and_then(TimeSpan::from_seconds);
    let moving = fields.scaled(Session::TOTAL_MOVING_TIME, 1000.0).and_then(TimeSpan::from_seconds);
    let meters = |number, scale| fields.scaled(number, scale).and_then(Distance::from_meters);
    Some(RawSession {
        start,
        sport: fields.narrow(Session::SPORT).unwrap_or(0),
        sub_sport: fields.narrow(Session::SUB_SPORT).unwrap_or(0),
        pool: meters(Session::POOL_LENGTH, 100.0),
        activity: Activity {
            moving: moving.or(timer),
            distance: meters(Session::TOTAL_DISTANCE, 100.0),
            ascent: meters(Session::TOTAL_ASCENT, 1.0),
            descent: meters(Session::TOTAL_DESCENT, 1.0),
            avg_heart_rate: fields.narrow(Session::AVG_HEART_RATE).filter(|v| *v > 0),
            max_heart_rate: fields.narrow(Session::MAX_HEART_RATE).filter(|v| *v > 0),
            avg_power: fields.narrow(Session::AVG_POWER),
            max_power: fields.narrow(Session::MAX_POWER),
            avg_cadence: cadence(fields, Session::AVG_CADENCE, Session::AVG_FRACTIONAL_CADENCE),
            energy_kcal: fields.narrow(Session::TOTAL_CALORIES).filter(|v| *v > 0),
            elapsed: elapsed.or(timer),
            device_metrics: device_metrics::from_session(fields),
            ..Activity::new(Sport::Other, started_at, 0)
        },
    })
}

fn lap(fields: &FitFields<'_>) -> Option<(u32, Lap)> {
    use mesgdef::Lap as L;
    let start: u32 = fields.narrow(L::START_TIME)?;
    let intensity = fields.narrow(L::INTENSITY).map(|word: u8| typedef::Intensity(word).to_string());
    let lap = Lap {
        started_at: instant(start)?,
        elapsed: fields.scaled(L::TOTAL_ELAPSED_TIME, 1000.0).and_then(TimeSpan::from_seconds),
        moving: fields.scaled(L::TOTAL_TIMER_TIME, 1000.0).and_then(TimeSpan::from_seconds),
        distance: fields.scaled(L::TOTAL_DISTANCE, 100.0).and_then(Distance::from_meters),
        avg_heart_rate: fields.narrow(L::AVG_HEART_RATE).filter(|v| *v > 0),
        max_heart_rate: fields.narrow(L::MAX_HEART_RATE).filter(|v| *v > 0),
        avg_power: fields.narrow(L::AVG_POWER),
        avg_cadence: cadence(fields, L::AVG_CADENCE, L::AVG_FRACTIONAL_CADENCE),
        kind: intensity,
    };
    Some((start, lap))
}

/// Per minute, with the fraction in 1/128.
fn cadence(fields: &FitFields<'_>, whole: u8, fraction: u8) -> Option<f64> {
    Some(fields.scaled(whole, 1.0)? + fields.scaled(fraction, 128.0).unwrap_or(0.0))
}

fn length(fields: &FitFields<'_>) -> Option<(u32, SwimLength)> {
    use mesgdef::Length as L;
    let start: u32 = fields.narrow(L::START_TIME)?;
    let length = SwimLength {
        started_at: instant(start)?,
        elapsed: fields.scaled(L::TOTAL_ELAPSED_TIME, 1000.0).and_then(TimeSpan::from_seconds),
        strokes: fields.narrow(L::TOTAL_STROKES),
        stroke: fields.narrow(L::SWIM_STROKE).map(|word: u8| typedef::SwimStroke(word).to_string()),
        active: fields.integer(L::LENGTH_TYPE) != Some(0),
    };
    Some((start, length))
}

fn set(fields: &FitFields<'_>) -> StrengthSet {
    use mesgdef::Set as S;
    let category = fields.integers(S::CATEGORY).first().and_then(|word| u16::try_from(*word).ok());
    StrengthSet {
        started_at: fields.time(S::START_TIME),
        elapsed: fields.scaled(S::DURATION, 1000.0).and_then(TimeSpan::from_seconds),
        repetitions: fields.narrow(S::REPETITIONS),
        weight_kg: fields.scaled(S::WEIGHT, 16.0),
        exercise: category.map(|word| typedef::ExerciseCategory(word).to_string()),
        active: fields.integer(S::SET_TYPE) != Some(0),
    }
}

/// What a file says about the device that wrote it.
#[derive(Debug, Default)]
struct Device {
    manufacturer: Option<u16>,
    product: Option<u16>,
    name: Option<String>,
}

impl Device {
    fn add_file_id(&mut self, fields: &FitFields<'_>) {
        use mesgdef::FileId;
        if self.manufacturer.is_none() {
            self.manufacturer = fields.narrow(FileId::MANUFACTURER);
            self.product = fields.narrow(FileId::PRODUCT);
        }
        self.name = self.name.take().or_else(|| fields.text(FileId::PRODUCT_NAME));
    }

    /// The device with index 0 wrote the file; Wahoo's write their name only here.
    fn add_device_info(&mut self, fields: &FitFields<'_>) {
        use mesgdef::DeviceInfo;
        if self.name.is_none() && fields.integer(DeviceInfo::DEVICE_INDEX) == Some(0) {
            self.name = fields.text(DeviceInfo::PRODUCT_NAME);
        }
    }

    fn label(&self) -> Option<String> {
        devices::name(self.manufacturer, self.product, self.name.as_deref())
    }
}

/// Local time minus UTC in seconds, if such a time zone exists.
fn utc_offset(fields: &FitFields<'_>) -> Option<i32> {
    use mesgdef::Activity as A;
    let (utc, local): (i64, i64) = (fields.integer(A::TIMESTAMP)?, fields.integer(A::LOCAL_TIMESTAMP)?);
    // Zone offsets are multiples of 15 minutes; the two time stamps may differ by a few seconds.
    let quarters = (local.checked_sub(utc)? as f64 / 900.0).round() as i64;
    (-48..=56).contains(&quarters).then(|| (quarters * 900) as i32)
}
