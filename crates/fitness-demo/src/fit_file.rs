//! Writes a recording as a FIT file.

use super::physiology::Body;
use super::samples::{DemoRecording, LapMark, Point, Summary};
use super::season::{ActivityKind, StepPurpose};
use super::workout_steps::POOL_LENGTH_M;
use fitness_core::domain::calendar::Instant;
use fitness_sources::fit::write::FitWriter;
use rustyfit::profile::mesgdef::{
    Activity, DeviceInfo, Event, FileCreator, FileId, Lap, Length, Record, Session, Set, UserProfile,
};
use rustyfit::profile::typedef::{self, DateTime, EventType, FitBaseType, MesgNum, SubSport};
use rustyfit::proto::{Field, Message, Value};
use std::io;

/// Not a Garmin device, because no watch recorded this.
pub(super) const DEVICE_NAME: &str = "Demo watch";

pub(super) fn activity(track: &DemoRecording, body: &Body) -> io::Result<Vec<u8>> {
    let start = fit_time(track.started_at);
    let at = |seconds: u32| DateTime(start.0 + seconds);
    let whole = track.summary(body);
    let end = at(whole.elapsed_ms / 1000);
    FitWriter::build(25 * track.points.len() + 2048, |file| {
        file.write_message(file_id(typedef::File::ACTIVITY, start))?;
        file.write_message(FileCreator { software_version: 100, ..FileCreator::new() })?;
        file.write_message(event(start, EventType::START))?;
        file.write_message(DeviceInfo {
            timestamp: start,
            device_index: typedef::DeviceIndex(0),
            manufacturer: typedef::Manufacturer::DEVELOPMENT,
            product_name: DEVICE_NAME.into(),
            ..DeviceInfo::new()
        })?;
        let laps = track.laps(body);
        let mut pauses = track.pauses.iter().peekable();
        let mut next_lap = laps.iter().enumerate().peekable();
        let mut record = RecordMessage::new(track.kind);
        for (i, point) in track.points.iter().enumerate() {
            if let Some((from, until)) = pauses.next_if(|(_, until)| point.t > *until) {
                file.write_message(event(at(*from), EventType::STOP_ALL))?;
                file.write_message(event(at(*until), EventType::START))?;
            }
            file.write(record.fill(start, point))?;
            while let Some((number, (mark, summary))) = next_lap.next_if(|(_, (mark, _))| mark.last <= i) {
                file.write_message(lap(track.kind, start, number, mark, summary))?;
            }
        }
        for (number, length) in track.lengths.iter().enumerate() {
            file.write_message(pool_length(start, number, length))?;
        }
        for (number, set) in track.sets.iter().enumerate() {
            file.write_message(strength_set(start, number, set))?;
        }
        file.write_message(event(end, EventType::STOP_ALL))?;
        file.write_message(session(track, start, &whole, laps.len()))?;
        file.write_message(Activity {
            timestamp: end,
            total_timer_time: whole.timer_ms,
            num_sessions: 1,
            event: typedef::Event::ACTIVITY,
            event_type: EventType::STOP,
            local_timestamp: typedef::LocalDateTime(end.0.wrapping_add_signed(track.offset_s)),
            ..Activity::new()
        })?;
        Ok(())
    })
}

/// A settings file, which real exports also contain.
pub(super) fn settings(at: Instant, body: &Body, age: u8) -> io::Result<Vec<u8>> {
    FitWriter::build(256, |file| {
        file.write_message(file_id(typedef::File::SETTINGS, fit_time(at)))?;
        file.write_message(UserProfile {
            gender: typedef::Gender::FEMALE,
            age,
            height: 169,
            weight: (body.kg * 10.0).round() as u16,
            resting_heart_rate: body.resting_heart_rate.round() as u8,
            ..UserProfile::new()
        })
    })
}

fn fit_time(at: Instant) -> DateTime {
    DateTime::from_unix_timestamp(at.timestamp())
}

fn file_id(kind: typedef::File, time_created: DateTime) -> FileId {
    FileId {
        r#type: kind,
        manufacturer: typedef::Manufacturer::DEVELOPMENT,
        product: 1,
        serial_number: 20_260_614,
        time_created,
        product_name: DEVICE_NAME.into(),
        ..FileId::new()
    }
}

fn event(timestamp: DateTime, event_type: EventType) -> Event {
    let mut message = Event::new();
    message.timestamp = timestamp;
    message.event = typedef::Event::TIMER;
    message.event_type = event_type;
    message.event_group = 0;
    message
}

fn sport(kind: ActivityKind) -> (typedef::Sport, SubSport) {
    use typedef::Sport;
    match kind {
        ActivityKind::Run | ActivityKind::Hills | ActivityKind::Race => (Sport::RUNNING, SubSport::GENERIC),
        ActivityKind::Track => (Sport::RUNNING, SubSport::TRACK),
        ActivityKind::Trail => (Sport::RUNNING, SubSport::TRAIL),
        ActivityKind::Treadmill => (Sport::RUNNING, SubSport::TREADMILL),
        ActivityKind::Ride => (Sport::CYCLING, SubSport::ROAD),
        ActivityKind::Trainer => (Sport::CYCLING, SubSport::INDOOR_CYCLING),
        ActivityKind::Swim => (Sport::SWIMMING, SubSport::LAP_SWIMMING),
        ActivityKind::Strength => (Sport::TRAINING, SubSport::STRENGTH_TRAINING),
        ActivityKind::Walk => (Sport::WALKING, SubSport::GENERIC),
        ActivityKind::Hike => (Sport::HIKING, SubSport::GENERIC),
    }
}

fn lap(kind: ActivityKind, start: DateTime, number: usize, mark: &LapMark, summary: &Summary) -> Lap {
    let (sport, sub_sport) = sport(kind);
    let mut lap = Lap::new();
    lap.message_index = typedef::MessageIndex(number as u16);
    lap.timestamp = DateTime(start.0 + summary.from + summary.elapsed_ms / 1000);
    lap.event = typedef::Event::LAP;
    lap.event_type = EventType::STOP;
    lap.start_time = DateTime(start.0 + summary.from);
    lap.total_elapsed_time = summary.elapsed_ms;
    lap.total_timer_time = summary.timer_ms;
    lap.total_calories = summary.kcal;
    lap.avg_heart_rate = summary.heart_rate;
    lap.max_heart_rate = summary.max_heart_rate;
    lap.intensity = match mark.part {
        StepPurpose::Steady => typedef::Intensity::ACTIVE,
        StepPurpose::Warmup => typedef::Intensity::WARMUP,
        StepPurpose::Interval => typedef::Intensity::INTERVAL,
        StepPurpose::Recovery => typedef::Intensity::RECOVERY,
        StepPurpose::Rest => typedef::Intensity::REST,
        StepPurpose::Cooldown => typedef::Intensity::COOLDOWN,
    };
    lap.lap_trigger =
        if mark.automatic { typedef::LapTrigger::DISTANCE } else { typedef::LapTrigger::MANUAL };
    lap.sport = sport;
    lap.sub_sport = sub_sport;
    if kind != ActivityKind::Strength {
        lap.total_distance = summary.cm;
        (lap.avg_speed, lap.max_speed) = (summary.speed, summary.max_speed);
        lap.avg_cadence = summary.cadence;
    }
    if kind.is_ride() {
        (lap.avg_power, lap.max_power) = (summary.power, summary.max_power);
    }
    if !kind.is_indoors() {
        (lap.total_ascent, lap.total_descent) = (summary.ascent, summary.descent);
    }
    lap
}

fn session(track: &DemoRecording, start: DateTime, whole: &Summary, laps: usize) -> Session {
    let (sport, sub_sport) = sport(track.kind);
    let mut session = Session::new();
    session.message_index = typedef::MessageIndex(0);
    session.timestamp = DateTime(start.0 + whole.elapsed_ms / 1000);
    session.event = typedef::Event::LAP;
    session.event_type = EventType::STOP;
    session.start_time = start;
    session.sport = sport;
    session.sub_sport = sub_sport;
    session.total_elapsed_time = whole.elapsed_ms;
    session.total_timer_time = whole.timer_ms;
    session.total_calories = whole.kcal;
    session.avg_heart_rate = whole.heart_rate;
    session.max_heart_rate = whole.max_heart_rate;
    session.min_heart_rate = whole.min_heart_rate;
    session.first_lap_index = 0;
    session.num_laps = laps as u16;
    session.trigger = typedef::SessionTrigger::ACTIVITY_END;
    if track.kind != ActivityKind::Strength {
        session.total_distance = whole.cm;
        (session.avg_speed, session.max_speed) = (whole.speed, whole.max_speed);
        (session.avg_cadence, session.max_cadence) = (whole.cadence, whole.max_cadence);
    }
    if track.kind.is_ride() {
        (session.avg_power, session.max_power) = (whole.power, whole.max_power);
        session.normalized_power = whole.normalized_power;
    }
    if track.kind == ActivityKind::Swim {
        session.pool_length = (POOL_LENGTH_M * 100.0) as u16;
        session.pool_length_unit = typedef::DisplayMeasure::METRIC;
        session.num_lengths = track.lengths.len() as u16;
        session.num_active_lengths = track.lengths.iter().filter(|l| l.strokes.is_some()).count() as u16;
    }
    if !track.kind.is_indoors() {
        (session.total_ascent, session.total_descent) = (whole.ascent, whole.descent);
        if let Some(first) = track.points.first() {
            (session.start_position_lat, session.start_position_long) = first.position;
        }
    }
    session
}

fn pool_length(start: DateTime, number: usize, length: &super::samples::Length) -> Length {
    let ms = (length.until - length.from) * 1000;
    let mut message = Length::new();
    message.message_index = typedef::MessageIndex(number as u16);
    message.timestamp = DateTime(start.0 + length.until);
    message.event = typedef::Event::LENGTH;
    message.event_type = EventType::STOP;
    message.start_time = DateTime(start.0 + length.from);
    message.total_elapsed_time = ms;
    message.total_timer_time = ms;
    message.length_type = typedef::LengthType::IDLE;
    if let Some(strokes) = length.strokes {
        message.length_type = typedef::LengthType::ACTIVE;
        message.total_strokes = strokes;
        message.swim_stroke = typedef::SwimStroke::FREESTYLE;
        message.avg_speed = (POOL_LENGTH_M * 1_000_000.0 / f64::from(ms)).round() as u16;
    }
    message
}

fn strength_set(start: DateTime, number: usize, set: &super::samples::Set) -> Set {
    use typedef::ExerciseCategory as E;
    let mut message = Set {
        timestamp: DateTime(start.0 + set.until),
        duration: (set.until - set.from) * 1000,
        set_type: typedef::SetType::REST,
        start_time: DateTime(start.0 + set.from),
        message_index: typedef::MessageIndex(number as u16),
        ..Set::new()
    };
    if let Some((exercise, repetitions, weight)) = set.work {
        let categories = [E::SQUAT, E::LUNGE, E::DEADLIFT, E::PLANK, E::ROW, E::PUSH_UP];
        message.set_type = typedef::SetType::ACTIVE;
        message.category = Box::new([categories[exercise % categories.len()]]);
        (message.repetitions, message.weight) = (repetitions, weight);
        message.weight_display_unit = typedef::FitBaseUnit::KILOGRAM;
    }
    message
}

/// A record message that is reused for every second, because there are millions. The short forms of
/// speed and altitude save four bytes per second.
struct RecordMessage {
    message: Message,
    values: Vec<fn(&Point) -> Value>,
}

impl RecordMessage {
    fn new(kind: ActivityKind) -> Self {
        let mut this =
            Self { message: Message { num: MesgNum::RECORD, ..Message::default() }, values: Vec::new() };
        this.field(Record::TIMESTAMP, FitBaseType::UINT32, |_| Value::Uint32(0));
        if !kind.is_indoors() {
            this.field(Record::POSITION_LAT, FitBaseType::SINT32, |p| Value::Int32(p.position.0));
            this.field(Record::POSITION_LONG, FitBaseType::SINT32, |p| Value::Int32(p.position.1));
            this.field(Record::ALTITUDE, FitBaseType::UINT16, |p| Value::Uint16(p.altitude));
        }
        if kind != ActivityKind::Strength {
            this.field(Record::DISTANCE, FitBaseType::UINT32, |p| Value::Uint32(p.cm));
            this.field(Record::SPEED, FitBaseType::UINT16, |p| Value::Uint16(p.speed));
            this.field(Record::CADENCE, FitBaseType::UINT8, |p| Value::Uint8(p.cadence));
        }
        if kind.is_ride() {
            this.field(Record::POWER, FitBaseType::UINT16, |p| Value::Uint16(p.power));
        }
        this.field(Record::HEART_RATE, FitBaseType::UINT8, |p| Value::Uint8(p.heart_rate));
        this
    }

    fn field(&mut self, num: u8, base_type: FitBaseType, value: fn(&Point) -> Value) {
        self.message.fields.push(Field { num, base_type, value: Value::Invalid, is_expanded: false });
        self.values.push(value);
    }

    fn fill(&mut self, start: DateTime, point: &Point) -> &mut Message {
        for (field, value) in self.message.fields.iter_mut().zip(&self.values) {
            field.value = value(point);
        }
        self.message.fields[0].value = Value::Uint32(start.0 + point.t);
        &mut self.message
    }
}
