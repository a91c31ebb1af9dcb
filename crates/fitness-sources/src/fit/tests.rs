//! Tests with hand-made FIT files, valid and invalid.

use super::*;
use fitness_core::domain::activity::DeviceMetrics;
use fitness_core::domain::athlete::{ThresholdKind, ThresholdOrigin, ZoneKind};
use fitness_core::domain::source_record::ParseCounts;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};

/// Sunday 14 June 2026, 06:00 UTC, in FIT time.
const START: u32 = 1_150_351_200;

const ENUM: u8 = 0x00;
const UINT8: u8 = 0x02;
const STRING: u8 = 0x07;
const BYTE: u8 = 0x0d;
const SINT8: u8 = 0x01;
const UINT16: u8 = 0x84;
const SINT32: u8 = 0x85;
const UINT32: u8 = 0x86;
const FLOAT32: u8 = 0x88;

/// Writes FIT messages, each with its own definition, so that any layout is possible.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    /// A message with fields `(number, base type, bytes)`.
    fn message(&mut self, number: u16, fields: &[(u8, u8, &[u8])]) -> &mut Self {
        self.developer_message(number, fields, &[])
    }

    /// The same with developer fields `(number, developer index, bytes)`.
    fn developer_message(
        &mut self,
        number: u16,
        fields: &[(u8, u8, &[u8])],
        developer: &[(u8, u8, &[u8])],
    ) -> &mut Self {
        self.0.push(if developer.is_empty() { 0x40 } else { 0x60 });
        self.0.extend([0, 0]);
        self.0.extend(number.to_le_bytes());
        self.0.push(fields.len() as u8);
        for (field, base, bytes) in fields {
            self.0.extend([*field, bytes.len() as u8, *base]);
        }
        if !developer.is_empty() {
            self.0.push(developer.len() as u8);
            for (field, index, bytes) in developer {
                self.0.extend([*field, bytes.len() as u8, *index]);
            }
        }
        self.0.push(0);
        for (.., bytes) in fields.iter().chain(developer) {
            self.0.extend_from_slice(bytes);
        }
        self
    }

    fn file_id(&mut self, kind: u8) -> &mut Self {
        self.message(
            0,
            &[(0, ENUM, &[kind]), (1, UINT16, &1_u16.to_le_bytes()), (2, UINT16, &3992_u16.to_le_bytes())],
        )
    }

    /// One record of a run: heart rate, distance in centimetres, speed in mm/s.
    fn record(&mut self, second: u32, heart_rate: u8, cm: u32) -> &mut Self {
        self.message(
            20,
            &[
                (253, UINT32, &(START + second).to_le_bytes()),
                (3, UINT8, &[heart_rate]),
                (4, UINT8, &[86]),
                (5, UINT32, &cm.to_le_bytes()),
                (6, UINT16, &3000_u16.to_le_bytes()),
                (73, UINT32, &3001_u32.to_le_bytes()),
                (2, UINT16, &3500_u16.to_le_bytes()),
            ],
        )
    }

    fn session(&mut self, second: u32, sport: u8, sub_sport: u8, seconds: u32, cm: u32) -> &mut Self {
        self.message(
            18,
            &[
                (253, UINT32, &(START + second + seconds).to_le_bytes()),
                (2, UINT32, &(START + second).to_le_bytes()),
                (5, ENUM, &[sport]),
                (6, ENUM, &[sub_sport]),
                (7, UINT32, &(seconds * 1000).to_le_bytes()),
                (8, UINT32, &(seconds * 1000 - 500).to_le_bytes()),
                (9, UINT32, &cm.to_le_bytes()),
                (16, UINT8, &[148]),
                (18, UINT8, &[86]),
            ],
        )
    }

    fn activity(&mut self, offset_s: i32) -> &mut Self {
        let local = (START + 60).wrapping_add_signed(offset_s);
        self.message(34, &[(253, UINT32, &(START + 60).to_le_bytes()), (5, UINT32, &local.to_le_bytes())])
    }

    /// The whole file, with header and checksum.
    fn finish(&self) -> Vec<u8> {
        let mut file = vec![14, 0x10];
        file.extend(2195_u16.to_le_bytes());
        file.extend(u32::try_from(self.0.len()).unwrap().to_le_bytes());
        file.extend(b".FIT");
        file.extend([0, 0]);
        file.extend(&self.0);
        let checksum = crc(0, &file);
        file.extend(checksum.to_le_bytes());
        file
    }
}

/// A minute of running in Zurich: one record per second, one lap, one session.
fn sample_run() -> Vec<u8> {
    let mut writer = Writer::default();
    writer.file_id(4);
    for second in 0..60 {
        writer.record(second, 140, second * 300);
    }
    let lap = [
        (253, UINT32, &(START + 60).to_le_bytes()[..]),
        (2, UINT32, &START.to_le_bytes()),
        (9, UINT32, &17_700_u32.to_le_bytes()),
        (23, ENUM, &[0]),
    ];
    writer.message(19, &lap).session(0, 1, 3, 60, 17_700).activity(7200).finish()
}

fn read_one(bytes: &[u8]) -> ParsedActivity {
    let mut file = read(bytes, Tz::UTC).unwrap();
    assert_eq!(file.activities.len(), 1);
    file.activities.remove(0)
}

#[test]
fn run_has_samples_and_local_day() {
    let run = read_one(&sample_run());
    let activity = &run.activity;
    assert_eq!((activity.sport, activity.sub_sport.as_deref()), (Sport::Running, Some("trail")));
    assert_eq!(
        (activity.started_at.to_rfc3339(), activity.utc_offset_s),
        ("2026-06-14T06:00:00+00:00".to_owned(), 7200)
    );
    assert_eq!(activity.distance, Distance::from_meters(177.0));
    assert_eq!(
        (activity.elapsed, activity.moving),
        (Some(TimeSpan::from_secs(60)), Some(TimeSpan::from_ms(59_500)))
    );
    assert_eq!(
        (activity.avg_heart_rate, activity.max_heart_rate),
        (Some(148), Some(140)),
        "the summary's, else the samples'"
    );
    assert_eq!(activity.avg_cadence, Some(172.0), "both legs");
    assert_eq!((activity.laps.len(), activity.laps[0].kind.as_deref()), (1, Some("active")));
    assert_eq!(activity.device.as_deref(), Some("Garmin Forerunner 255"));
    assert_eq!(run.flaws, []);
    let recording = run.recording.unwrap();
    let sample = |channel| recording.column(channel).unwrap().sample(59);
    assert_eq!(recording.offsets_ms()[59], 59_000);
    assert_eq!(sample(Channel::Distance), Some(177_000));
    assert_eq!(sample(Channel::Speed), Some(3001), "the enhanced field wins");
    assert_eq!(sample(Channel::Altitude), Some(200_000));
    assert_eq!(sample(Channel::Cadence), Some(1720));
    assert_eq!(recording.column(Channel::Power), None);
}

#[test]
fn wrong_checksum_is_a_flaw_and_missing_header_checksum_is_not() {
    assert_eq!(read_one(&sample_run()).flaws, [], "the header's own checksum is zero");
    let mut wrong = sample_run();
    let last = wrong.len() - 1;
    wrong[last] ^= 1;
    let run = read_one(&wrong);
    assert_eq!(run.flaws, [Flaw::BadChecksum]);
    assert_eq!(run.recording, read_one(&sample_run()).recording);
}

#[test]
fn truncated_file_keeps_its_beginning() {
    let whole = sample_run();
    for length in [whole.len() - 1, whole.len() - 2, whole.len() - 40] {
        let run = read_one(&whole[..length]);
        assert!(run.flaws.contains(&Flaw::CutShort), "{length}");
        assert_eq!(run.recording.unwrap().offsets_ms().len(), 60);
    }
    let run = read_one(&whole[..whole.len() / 2]);
    assert_eq!(run.flaws, [Flaw::CutShort, Flaw::NoSummary]);
    let samples = run.recording.unwrap().offsets_ms().len();
    assert!((20..40).contains(&samples), "{samples}");
    // A device that lost power never wrote the length.
    let mut powerless = whole;
    powerless[4..8].copy_from_slice(&[0; 4]);
    assert_eq!(read_one(&powerless).recording.unwrap().offsets_ms().len(), 60);
}

#[test]
fn triathlon_is_three_activities_without_transitions() {
    let mut writer = Writer::default();
    writer.file_id(4);
    for second in 0..50 {
        writer.record(second, 140, second * 300);
    }
    writer
        .session(0, 5, 18, 10, 2000)
        .session(10, 3, 0, 10, 0)
        .session(20, 2, 0, 10, 9000)
        .session(30, 3, 0, 10, 0);
    let file = read(&writer.session(40, 1, 0, 10, 3000).finish(), Tz::Europe__Zurich).unwrap();
    let sports: Vec<_> = file
        .activities
        .iter()
        .map(|a| (a.activity.sport, a.recording.as_ref().unwrap().offsets_ms().len()))
        .collect();
    assert_eq!(sports, [(Sport::Swimming, 10), (Sport::Cycling, 10), (Sport::Running, 10)]);
    assert_eq!(
        file.activities[2].recording.as_ref().unwrap().offsets_ms()[0],
        0,
        "offsets count from each activity's start"
    );
    assert_eq!(
        file.activities[0].activity.utc_offset_s, 7200,
        "the athlete's zone if the device records none"
    );
}

#[test]
fn chained_files_are_all_read() {
    let chain = [sample_run(), sample_run()].concat();
    assert_eq!(read(&chain, Tz::UTC).unwrap().activities.len(), 2);
    let trailing = [sample_run(), b"garbage".to_vec()].concat();
    assert_eq!(read(&trailing, Tz::UTC).unwrap().activities.len(), 1);
}

#[test]
fn invalid_values_are_none() {
    let mut writer = Writer::default();
    writer.file_id(4);
    let nothing: [(u8, u8, &[u8]); 8] = [
        (253, UINT32, &START.to_le_bytes()),
        (0, SINT32, &i32::MAX.to_le_bytes()),
        (1, SINT32, &i32::MAX.to_le_bytes()),
        (3, UINT8, &[255]),
        (5, UINT32, &[255; 4]),
        (7, UINT16, &[255; 2]),
        (13, SINT8, &[127]),
        (2, UINT16, &[255; 2]),
    ];
    let run = read_one(&writer.message(20, &nothing).session(0, 2, 0, 60, 0).finish());
    assert_eq!(run.recording.unwrap().columns().count(), 0);
    assert_eq!(run.activity.distance, None, "zero metres means not measured");
}

#[test]
fn foot_pod_power_is_read_from_developer_field() {
    let mut writer = Writer::default();
    let name: &[u8] = b"Power\0";
    writer
        .file_id(4)
        .message(206, &[(0, UINT8, &[0]), (1, UINT8, &[7]), (2, UINT8, &[FLOAT32]), (3, STRING, name)]);
    for second in 0..5_u32 {
        let time = (START + second).to_le_bytes();
        writer.developer_message(20, &[(253, UINT32, &time)], &[(7, 0, &251.4_f32.to_le_bytes())]);
    }
    let run = read_one(&writer.session(0, 1, 0, 5, 1500).finish());
    assert_eq!(run.recording.unwrap().column(Channel::Power).unwrap().sample(4), Some(251));
    assert_eq!(run.activity.avg_power, Some(251));
}

#[test]
fn compressed_speed_distance_is_decoded() {
    let mut writer = Writer::default();
    writer.file_id(4);
    // 3.00 m/s; the distance is in 1/16 m and rolls over after 4095.
    for (second, sixteenths) in [(0_u32, 4000_u16), (1, 4048), (2, 0), (3, 48)] {
        let speed = 300_u16;
        let bytes = [speed as u8, (speed >> 8) as u8 | ((sixteenths << 4) as u8), (sixteenths >> 4) as u8];
        writer.message(20, &[(253, UINT32, &(START + second).to_le_bytes()), (8, BYTE, &bytes)]);
    }
    let run = read_one(&writer.session(0, 1, 0, 4, 0).finish());
    let recording = run.recording.unwrap();
    let column = recording.column(Channel::Distance).unwrap();
    let metres: Vec<_> = column.samples().map(|mm| mm.unwrap() / 1000).collect();
    assert_eq!(metres, [250, 253, 256, 259]);
    assert_eq!(recording.column(Channel::Speed).unwrap().sample(0), Some(3000));
}

#[test]
fn file_without_clock_is_refused_and_other_file_types_are_ignored() {
    let mut clockless = Writer::default();
    clockless.file_id(4).message(20, &[(253, UINT32, &1000_u32.to_le_bytes()), (3, UINT8, &[140])]);
    let why = read(&clockless.finish(), Tz::UTC).unwrap_err();
    assert_eq!(why.to_string(), "no timestamps: the device clock was not set");
    let settings = read(&Writer::default().file_id(2).finish(), Tz::UTC).unwrap();
    assert_eq!((settings.activities.len(), settings.kind.as_deref()), (0, Some("settings")));
}

#[test]
fn out_of_order_samples_are_sorted_and_flagged() {
    let mut writer = Writer::default();
    writer.file_id(4).record(0, 140, 0).record(5, 141, 1500).record(3, 142, 900).record(6, 143, 1800);
    let run = read_one(&writer.session(0, 1, 0, 7, 1800).finish());
    let recording = run.recording.unwrap();
    assert_eq!(recording.offsets_ms(), [0, 3000, 5000, 6000]);
    let rates: Vec<_> = recording.column(Channel::HeartRate).unwrap().samples().collect();
    assert_eq!(rates, [140, 142, 141, 143].map(Some));
    assert_eq!(run.flaws, [Flaw::OutOfOrder]);
    assert_eq!(run.counts, ParseCounts { sorted: true, ..ParseCounts::default() });
}

#[test]
fn one_wrong_clock_time_costs_one_sample() {
    // A day late, in the future, 0x7FFFFFFF, the year 2000, seconds since power-on, 1989.
    for wrong in [START + 86_400, START + 900_000_000, 0x7fff_ffff, 315_619_200, 1000, 0] {
        for place in [0, 30, 59] {
            let mut writer = Writer::default();
            writer.file_id(4);
            for second in 0..60 {
                let time = if second == place { wrong } else { START + second };
                writer.message(20, &[(253, UINT32, &time.to_le_bytes()), (3, UINT8, &[100 + second as u8])]);
            }
            let run = read_one(&writer.session(0, 1, 0, 60, 17_700).finish());
            let recording = run.recording.unwrap();
            let seconds: Vec<i32> = (0..60).filter(|second| *second != place as i32).collect();
            let rates: Vec<_> = recording.column(Channel::HeartRate).unwrap().samples().collect();
            assert_eq!(rates, seconds.iter().map(|second| Some(100 + second)).collect::<Vec<_>>());
            let offsets: Vec<i32> = seconds.iter().map(|second| second * 1000).collect();
            assert_eq!(recording.offsets_ms(), offsets, "{wrong} at {place}");
            assert_eq!(run.counts, ParseCounts { samples_with_bad_time: 1, ..ParseCounts::default() });
            assert_eq!(run.flaws, [Flaw::OutOfOrder]);
        }
    }
}

#[test]
fn cadence_of_both_legs_is_not_doubled_and_fractions_are_kept() {
    for (cadence, fraction, steps) in [(86, 64, 1730), (86, 255, 1720), (173, 0, 1730), (173, 64, 1735)] {
        let mut writer = Writer::default();
        writer.file_id(4);
        for second in 0..10 {
            let time = (START + second).to_le_bytes();
            // The first sample of a run is at rest.
            let rate = if second == 0 { 0 } else { cadence };
            writer.message(20, &[(253, UINT32, &time), (53, UINT8, &[fraction]), (4, UINT8, &[rate])]);
        }
        writer.message(
            18,
            &[
                (2, UINT32, &START.to_le_bytes()),
                (5, ENUM, &[1]),
                (7, UINT32, &10_000_u32.to_le_bytes()),
                (18, UINT8, &[cadence]),
                (92, UINT8, &[fraction]),
            ],
        );
        let run = read_one(&writer.finish());
        assert_eq!(run.activity.avg_cadence, Some(f64::from(steps) / 10.0), "{cadence} {fraction}");
        assert_eq!(run.recording.unwrap().column(Channel::Cadence).unwrap().sample(9), Some(steps));
    }
}

#[test]
fn last_of_two_equal_fields_wins_unless_it_has_no_value() {
    for (second, expected) in [(150, 150), (255, 140)] {
        let mut writer = Writer::default();
        writer.file_id(4).message(
            20,
            &[
                (253, UINT32, &START.to_le_bytes()),
                (3, UINT8, &[140]),
                (3, UINT8, &[second]),
                (4, UINT8, &[80]),
            ],
        );
        writer.message(
            18,
            &[
                (2, UINT32, &START.to_le_bytes()),
                (5, ENUM, &[2]),
                (16, UINT8, &[140]),
                (16, UINT8, &[second]),
            ],
        );
        let ride = read_one(&writer.finish());
        assert_eq!(ride.activity.avg_heart_rate, Some(expected as u16));
        let recording = ride.recording.unwrap();
        assert_eq!(recording.column(Channel::HeartRate).unwrap().sample(0), Some(expected));
        assert_eq!(recording.column(Channel::Cadence).unwrap().sample(0), Some(800));
    }
}

/// An hour at 2.78 m/s, a record every ten seconds.
fn hour(writer: &mut Writer) -> &mut Writer {
    writer.file_id(4);
    for n in 0..=360 {
        writer.record(n * 10, 140, n * 2780);
    }
    writer
}

#[test]
fn session_distance_that_contradicts_the_records_is_theirs() {
    for (told, shown, flaws) in [
        (0, 10_008.0, &[Flaw::ContradictoryTotals][..]),
        (500_000, 10_008.0, &[Flaw::ContradictoryTotals]),
        (950_000, 9_500.0, &[]),
    ] {
        let run = read_one(&hour(&mut Writer::default()).session(0, 1, 0, 3600, told).finish());
        assert_eq!(run.activity.distance, Distance::from_meters(shown));
        assert_eq!((&run.flaws[..], run.counts.corrected_totals as usize), (flaws, flaws.len()));
    }
}

#[test]
fn session_start_hours_away_from_the_records_is_the_first_record() {
    let session = |start: u32, end: u32, seconds: u32| {
        let mut writer = Writer::default();
        hour(&mut writer)
            .message(
                18,
                &[
                    (253, UINT32, &end.to_le_bytes()),
                    (2, UINT32, &start.to_le_bytes()),
                    (5, ENUM, &[1]),
                    (7, UINT32, &(seconds * 1000).to_le_bytes()),
                    (8, UINT32, &3_500_000_u32.to_le_bytes()),
                    (9, UINT32, &1_000_800_u32.to_le_bytes()),
                    (16, UINT8, &[151]),
                ],
            )
            .finish()
    };
    let end = START + 3605;
    for (bytes, elapsed, corrected) in [
        (session(START - 12 * 3600, end, 12 * 3600 + 3605), 3605, 1),
        (session(START - 12 * 3600, end - 12 * 3600, 3605), 3605, 1),
        (session(START + 86_400, end + 86_400, 3605), 3605, 1),
        // Seconds since power-on: the end and the duration give the start.
        (session(1000, end, 3605), 3605, 0),
        (session(START, end, 3605), 3605, 0),
    ] {
        let run = read_one(&bytes);
        assert_eq!(run.activity.started_at.to_rfc3339(), "2026-06-14T06:00:00+00:00");
        assert_eq!(run.activity.elapsed, Some(TimeSpan::from_secs(elapsed)));
        assert_eq!((run.activity.avg_heart_rate, run.counts.corrected_totals), (Some(151), corrected));
        assert_eq!(run.recording.unwrap().offsets_ms()[360], 3_600_000);
    }
}

#[test]
fn device_metrics_are_read_into_summary_and_channels() {
    let mut writer = Writer::default();
    writer.file_id(4);
    for second in 0..5_u32 {
        writer.message(
            20,
            &[
                (253, UINT32, &(START + second).to_le_bytes()),
                (84, UINT16, &5239_u16.to_le_bytes()),
                (83, UINT16, &742_u16.to_le_bytes()),
                (85, UINT16, &9717_u16.to_le_bytes()),
                // 48 % on the right.
                (30, UINT8, &[0x80 | 48]),
                (99, UINT8, &[29]),
                (108, UINT16, &2935_u16.to_le_bytes()),
            ],
        );
    }
    let zones: Vec<u8> = [0_u32, 1000, 2500, 0].iter().flat_map(|ms| ms.to_le_bytes()).collect();
    writer.message(216, &[(0, UINT16, &18_u16.to_le_bytes()), (1, UINT16, &[0, 0]), (2, UINT32, &zones)]);
    writer.message(
        18,
        &[
            (2, UINT32, &START.to_le_bytes()),
            (5, ENUM, &[1]),
            (7, UINT32, &5000_u32.to_le_bytes()),
            (24, UINT8, &[35]),
            (137, UINT8, &[0]),
            (168, SINT32, &12_116_295_i32.to_le_bytes()),
            (91, UINT16, &2703_u16.to_le_bytes()),
            (133, UINT16, &5239_u16.to_le_bytes()),
            (89, UINT16, &762_u16.to_le_bytes()),
            (132, UINT16, &742_u16.to_le_bytes()),
            (134, UINT16, &9717_u16.to_le_bytes()),
            // 50.08 % on the right.
            (37, UINT16, &(0x8000_u16 | 5008).to_le_bytes()),
            (169, UINT16, &2935_u16.to_le_bytes()),
            (148, UINT8, &[41]),
            (193, UINT8, &[60]),
            (192, UINT8, &[0]),
        ],
    );
    let run = read_one(&writer.finish());
    let expected = DeviceMetrics {
        aerobic_training_effect: Some(3.5),
        anaerobic_training_effect: None,
        training_load: Some(184.9),
        ground_contact_ms: Some(270.3),
        ground_contact_left_percent: Some(52.39),
        vertical_oscillation_mm: Some(76.2),
        vertical_ratio_percent: Some(7.42),
        step_length_mm: Some(971.7),
        power_left_percent: Some(49.92),
        avg_respiration: Some(29.35),
        max_respiration: Some(41.0),
        heart_rate_zone_s: vec![0.0, 1.0, 2.5, 0.0],
        perceived_effort: Some(6.0),
        feel: Some(0),
    };
    assert_eq!(run.activity.device_metrics, expected);
    let recording = run.recording.unwrap();
    for (channel, value) in [
        (Channel::GroundContactBalance, 5239),
        (Channel::VerticalRatio, 742),
        (Channel::StepLength, 9717),
        (Channel::PowerBalance, 5200),
        (Channel::Respiration, 2935),
    ] {
        assert_eq!(recording.column(channel).unwrap().sample(4), Some(value), "{channel}");
    }
}

/// A ride with a power meter, and what the watch says about the athlete.
fn ride_with_thresholds(sport: u8, zone_set: u8, ftp: u16) -> FitFile {
    let mut writer = Writer::default();
    let zone = |number: u8, value: &'static [u8]| (number, UINT8, value);
    writer.file_id(4).message(
        7,
        &[(254, UINT8, &[zone_set]), zone(1, &[186]), zone(2, &[165]), (3, UINT16, &ftp.to_le_bytes())],
    );
    for second in 0..60_u32 {
        let time = (START + second).to_le_bytes();
        writer.message(20, &[(253, UINT32, &time), (7, UINT16, &250_u16.to_le_bytes())]);
    }
    let power: Vec<u8> =
        [0_u16, 136, 186, 223, 260, 298, 372, 516, 0xffff].iter().flat_map(|w| w.to_le_bytes()).collect();
    writer.message(
        216,
        &[
            (0, UINT16, &18_u16.to_le_bytes()),
            (6, UINT8, &[93, 112, 130, 149, 167, 186]),
            (9, UINT16, &power),
            (11, UINT8, &[188]),
            (13, UINT8, &[0]),
        ],
    );
    read(&writer.session(0, sport, 0, 60, 0).activity(7200).finish(), Tz::UTC).unwrap()
}

#[test]
fn thresholds_and_zones_of_the_watch_are_reported_with_their_day() {
    let report = ride_with_thresholds(2, 0, 248).athlete;
    let told: Vec<_> =
        report.thresholds.iter().map(|one| (one.kind, one.value, one.from.to_string())).collect();
    let day = "2026-06-14".to_owned();
    assert_eq!(
        told,
        [
            (ThresholdKind::MaxHeartRate, 188.0, day.clone()),
            (ThresholdKind::ThresholdHeartRate, 165.0, day.clone()),
            (ThresholdKind::ThresholdPower, 248.0, day),
        ]
    );
    assert!(report.thresholds.iter().all(|one| one.origin == ThresholdOrigin::Reported));
    let zones: Vec<_> =
        report.zones.iter().map(|one| (one.kind, one.sport, one.zones.lower_bounds().to_vec())).collect();
    assert_eq!(
        zones,
        [
            (ZoneKind::HeartRate, Sport::Other, vec![93.0, 112.0, 130.0, 149.0, 167.0]),
            (ZoneKind::Power, Sport::Cycling, vec![0.0, 136.0, 186.0, 223.0, 260.0, 298.0, 372.0]),
        ]
    );
}

#[test]
fn thresholds_of_another_sport_and_defaults_are_not_reported() {
    let kinds = |file: FitFile| file.athlete.thresholds.iter().map(|one| one.kind).collect::<Vec<_>>();
    let heart = [ThresholdKind::MaxHeartRate, ThresholdKind::ThresholdHeartRate];
    assert_eq!(kinds(ride_with_thresholds(2, 0, 200)), heart, "200 W is the default");
    assert_eq!(kinds(ride_with_thresholds(1, 1, 320)), heart, "power on foot is another threshold");
    assert_eq!(kinds(ride_with_thresholds(2, 2, 248)), [ThresholdKind::ThresholdPower], "zones of cycling");
    assert_eq!(ride_with_thresholds(2, 2, 248).athlete.zones[0].sport, Sport::Cycling);
}

/// Beats of a strap that recorded on its own: the strap's clock, one message with a full time and
/// one with 12-bit times.
fn strap_beats(writer: &mut Writer) {
    // Half a second after the start, strap time 100 s.
    writer.message(
        132,
        &[
            (253, UINT32, &START.to_le_bytes()),
            (0, UINT16, &16_384_u16.to_le_bytes()),
            (9, UINT32, &(100 * 1024_u32).to_le_bytes()),
            (6, UINT8, &[120]),
        ],
    );
    // 101 to 104 s, modulo 4 s, two in three bytes.
    let short = |seconds: u32| (seconds * 1024) & 0xfff;
    let mut bytes = Vec::new();
    for (first, second) in [(101, 102), (103, 104)] {
        let (a, b) = (short(first), short(second));
        bytes.extend([a as u8, (a >> 8) as u8 | ((b << 4) as u8), (b >> 4) as u8]);
    }
    writer.message(132, &[(10, BYTE, &bytes), (6, UINT8, &[124, 128, 132, 136])]);
}

#[test]
fn heart_rate_of_a_strap_is_merged_by_time() {
    let mut writer = Writer::default();
    writer.file_id(4);
    strap_beats(&mut writer);
    for second in 0..12_u32 {
        // The wrist sensor has a value at 2 and at 11 seconds only; two records share a second.
        let time = (START + second.min(10)).to_le_bytes();
        let wrist = [if second == 2 || second == 11 { 90 } else { 255 }];
        writer.message(20, &[(253, UINT32, &time), (3, UINT8, &wrist)]);
    }
    let run = read_one(&writer.session(0, 5, 17, 12, 2500).finish());
    let recording = run.recording.unwrap();
    let rates: Vec<_> = recording.column(Channel::HeartRate).unwrap().samples().collect();
    // At 2 s: 120 for the first quarter of the second, 124 for the others. The last beat counts once.
    assert_eq!(rates[..6], [None, Some(120), Some(123), Some(127), Some(131), Some(134)]);
    assert_eq!(rates[6..], [None, None, None, None, None, Some(90)], "no beats, so the wrist's value");
}

#[test]
fn heart_rate_in_another_file_of_the_chain_is_merged() {
    let mut strap = Writer::default();
    strap_beats(strap.file_id(4));
    let mut watch = Writer::default();
    watch.file_id(4);
    for second in 0..5_u32 {
        watch.message(20, &[(253, UINT32, &(START + second).to_le_bytes())]);
    }
    let chain = [watch.session(0, 5, 17, 5, 2500).finish(), strap.finish()].concat();
    let run = read_one(&chain);
    let recording = run.recording.unwrap();
    let rates: Vec<_> = recording.column(Channel::HeartRate).unwrap().samples().collect();
    assert_eq!(rates, [None, Some(120), Some(123), Some(127), Some(131)]);
}

#[test]
fn heart_rate_messages_of_any_content_are_tolerated() {
    let mut dice = Rng(7);
    for _ in 0..2000 {
        let mut writer = Writer::default();
        writer.file_id(4);
        for second in 0..4 {
            let bytes: Vec<u8> = (0..dice.below(30)).map(|_| dice.below(256) as u8).collect();
            let time = if dice.below(2) == 0 { START + second } else { dice.below(u32::MAX as usize) as u32 };
            writer.record(second, 140, 0).message(
                132,
                &[
                    (253, UINT32, &time.to_le_bytes()),
                    ([9, 10][dice.below(2)], UINT32, &bytes),
                    (6, UINT8, &bytes),
                ],
            );
        }
        read_one(&writer.session(0, 1, 0, 4, 300).finish());
    }
}

#[test]
fn records_without_time_are_counted() {
    let mut writer = Writer::default();
    writer.file_id(4).record(0, 140, 0).message(20, &[(3, UINT8, &[141])]).record(2, 142, 600);
    let run = read_one(&writer.session(0, 1, 0, 3, 600).finish());
    assert_eq!(run.recording.unwrap().offsets_ms(), [0, 2000]);
    assert_eq!(run.counts, ParseCounts { samples_without_time: 1, ..ParseCounts::default() });
}

#[test]
fn fields_of_wrong_size_are_tolerated() {
    // Real devices have written four-byte numbers in one byte, and empty fields.
    for (size, base) in [
        (0_usize, UINT32),
        (1, UINT32),
        (3, UINT32),
        (1, UINT16),
        (0, UINT8),
        (7, UINT16),
        (0, STRING),
        (255, BYTE),
        (1, FLOAT32),
    ] {
        let odd = vec![1; size];
        for number in [0, 18, 19, 20, 21, 34, 55, 78, 101, 206, 225] {
            for field in [0, 1, 2, 3, 5, 6, 7, 8, 253] {
                let mut writer = Writer::default();
                writer
                    .file_id(4)
                    .message(number, &[(field, base, &odd)])
                    .record(0, 140, 0)
                    .session(0, 1, 0, 1, 300);
                drop(read(&writer.finish(), Tz::UTC));
            }
        }
    }
}

/// A deterministic random number generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

#[test]
fn damaged_file_never_panics() {
    let whole = sample_run();
    let mut dice = Rng(14_062_026);
    for round in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=dice.below(4) {
            let at = dice.below(bytes.len());
            bytes[at] = dice.below(256) as u8;
        }
        if round % 2 == 0 {
            bytes.truncate(dice.below(bytes.len()));
        }
        drop(read(&bytes, Tz::UTC));
    }
}

fn days(writer: &mut Writer) -> Vec<DailyWellness> {
    read(&writer.finish(), Tz::UTC).unwrap().days
}

#[test]
fn steps_are_summed_per_local_day() {
    // Midnight at UTC+2 is 22:00 UTC.
    let midnight = START + 16 * 3600;
    let info = [(253, UINT32, &START.to_le_bytes()[..]), (0, UINT32, &(START + 7200).to_le_bytes())];
    let mut writer = Writer::default();
    writer.file_id(32).message(103, &info);
    let mut count = |time: u32, kind: u8, steps: u32| {
        writer.message(
            55,
            &[(253, UINT32, &time.to_le_bytes()), (5, ENUM, &[kind]), (3, UINT32, &steps.to_le_bytes())],
        );
    };
    count(START + 600, 6, 800);
    count(START + 900, 1, 3000);
    count(midnight, 6, 5000);
    count(midnight, 1, 3100);
    count(midnight + 60, 6, 20);
    // 16-bit timestamp: the lower half of a time one hour after the last full one.
    let short = ((midnight + 60 + 3600) & 0xffff) as u16;
    writer.message(
        55,
        &[(26, UINT16, &short.to_le_bytes()), (5, ENUM, &[6]), (3, UINT32, &90_u32.to_le_bytes())],
    );
    let days: Vec<_> = days(&mut writer).iter().map(|d| (d.day.to_string(), d.steps)).collect();
    assert_eq!(days, [("2026-06-14".to_owned(), Some(8100)), ("2026-06-15".to_owned(), Some(90))]);
}

#[test]
fn unmeasured_values_are_excluded_from_means() {
    let mut writer = Writer::default();
    writer.file_id(32);
    for (second, stress) in [(0_u32, 20_i16), (60, -1), (120, -2), (180, 41)] {
        let time = (START + second).to_le_bytes();
        writer.message(227, &[(0, 0x83, &stress.to_le_bytes()), (1, UINT32, &time)]);
    }
    let time = START.to_le_bytes();
    writer.message(297, &[(253, UINT32, &time), (0, 0x83, &1450_i16.to_le_bytes())]);
    writer.message(297, &[(253, UINT32, &time), (0, 0x83, &(-100_i16).to_le_bytes())]);
    writer
        .message(269, &[(253, UINT32, &time), (0, UINT8, &[96])])
        .message(269, &[(253, UINT32, &time), (0, UINT8, &[0])]);
    writer.message(211, &[(253, UINT32, &time), (0, UINT8, &[49]), (1, UINT8, &[52])]);
    writer.message(370, &[(253, UINT32, &time), (1, UINT16, &7872_u16.to_le_bytes())]);
    writer.message(30, &[(253, UINT32, &time), (0, UINT16, &7015_u16.to_le_bytes())]);
    let [day] = &days(&mut writer)[..] else { panic!("one day") };
    assert_eq!((day.stress_avg, day.stress_max), (Some(31), Some(41)));
    assert_eq!((day.respiration, day.spo2, day.hrv_ms), (Some(14.5), Some(96.0), Some(61.5)));
    assert_eq!((day.resting_heart_rate, day.weight_kg, day.steps), (Some(52), Some(70.15), None));
}

#[test]
fn a_night_belongs_to_the_day_of_waking() {
    let mut writer = Writer::default();
    writer.file_id(49);
    // Asleep at 22:00 on the 13th, awake at 6:00: light, deep, REM, awake, light, up.
    let began = START - 8 * 3600;
    for (minutes, level) in [(0_u32, 2_u8), (120, 3), (210, 4), (300, 1), (310, 2), (480, 1)] {
        writer.message(275, &[(253, UINT32, &(began + minutes * 60).to_le_bytes()), (0, ENUM, &[level])]);
    }
    writer.message(346, &[(6, UINT8, &[81])]);
    let [day] = &days(&mut writer)[..] else { panic!("one night") };
    let night = day.sleep.as_ref().unwrap();
    let minutes = |span: Option<TimeSpan>| span.map(|span| span.whole_seconds() / 60);
    assert_eq!(day.day.to_string(), "2026-06-14");
    assert_eq!(
        (minutes(night.light), minutes(night.deep), minutes(night.rem)),
        (Some(290), Some(90), Some(90))
    );
    assert_eq!((minutes(night.awake), minutes(night.asleep), night.score), (Some(10), Some(470), Some(81)));
}

#[test]
fn scale_with_several_users_is_refused() {
    let mut writer = Writer::default();
    let time = START.to_le_bytes();
    writer.file_id(9).message(3, &[(254, UINT16, &[0, 0])]).message(3, &[(254, UINT16, &[1, 0])]);
    writer.message(30, &[(253, UINT32, &time), (0, UINT16, &7015_u16.to_le_bytes())]);
    let why = read(&writer.finish(), Tz::UTC).unwrap_err().to_string();
    assert!(why.starts_with("contains weights of several people"), "{why}");
}

#[test]
fn checksum_is_crc16_arc() {
    // The check value of CRC-16/ARC.
    assert_eq!(crc(0, b"123456789"), 0xBB3D);
}

#[test]
fn other_content_is_not_a_fit_file() {
    for bytes in [&b""[..], b"hello", b"\x0e\x10", &[0x0e; 40], b"PK\x03\x04 a zip", b"<?xml version"] {
        assert_eq!(read(bytes, Tz::UTC), Err(ParseError::new("not a FIT file")), "{bytes:?}");
    }
}
