//! GPX parser. Each track is an activity; sensor values are in extensions whose names differ
//! between exporters.

use super::samples::Sample;
use super::xml::{Element, XmlError, XmlReader, decode};
use super::{ActivityDraft, ParsedTracks, parse_time};
use crate::error::ParseError;
use crate::sports::from_word;
use chrono_tz::Tz;
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::Channel;

/// Reads a GPX file. Each track with times is an activity; local time is that of
/// the first position, else that of `zone`.
///
/// GPX has no totals: the distance is the sum between positions, without the gaps between track
/// segments, and means are over the points.
///
/// # Errors
/// If it contains no activity or cannot be read.
pub fn read_gpx(bytes: &[u8], zone: Tz) -> Result<Vec<ParsedActivity>, ParseError> {
    let text = decode(bytes)?;
    let mut found = ParsedTracks::new(zone);
    let end = read_document(&mut XmlReader::new(&text), &mut found);
    found.finish(end)
}

fn read_document(xml: &mut XmlReader<'_>, found: &mut ParsedTracks) -> Result<(), XmlError> {
    if xml.next_element(0)?.is_none_or(|root| root.name() != "gpx") {
        return Err(XmlError::new("not a GPX file"));
    }
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "trk" => {
                xml.count_part()?;
                let mut draft = ActivityDraft::default();
                let end = read_track(xml, &mut draft);
                if draft.sport == Some(Sport::Running) {
                    draft.samples.count_both_legs();
                }
                found.add_draft(draft, end.is_err());
                end?;
            }
            // A route: its points come next.
            "rte" => {}
            "rtept" | "wpt" => found.note_sample(&read_point(xml, &part)?),
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn read_track(xml: &mut XmlReader<'_>, draft: &mut ActivityDraft) -> Result<(), XmlError> {
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "name" => draft.name = xml.name()?,
            "type" => {
                let (sport, finer) = from_word(&xml.name()?.unwrap_or_default());
                (draft.sport, draft.sub_sport) = (Some(sport), finer);
            }
            // A segment: its points come next.
            "trkseg" => draft.samples.pause(),
            "trkpt" => {
                xml.count_point()?;
                draft.samples.push(&read_point(xml, &part)?);
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// Sensor values are searched at any depth, because wrapper elements have many names.
fn read_point(xml: &mut XmlReader<'_>, point: &Element<'_>) -> Result<Sample, XmlError> {
    let mut sample = Sample::default();
    let degrees = |name| point.attribute(name).and_then(|value| value.trim().parse().ok());
    sample.set_position(degrees("lat"), degrees("lon"));
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "time" => sample.at = sample.at.or(parse_time(xml.text()?)),
            "ele" => sample.set(Channel::Altitude, xml.number()?, 1000.0),
            "speed" => sample.set(Channel::Speed, xml.number()?.filter(|speed| *speed >= 0.0), 1000.0),
            "hr" | "heartrate" => sample.set_heart_rate(xml.number()?),
            "cad" | "cadence" => sample.set_cadence(xml.number()?, 1.0),
            "power" | "watts" | "PowerInWatts" => sample.set_power(xml.number()?),
            "atemp" | "temp" => sample.set(Channel::Temperature, xml.number()?, 10.0),
            _ => {}
        }
    }
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracks::tests::assert_survives_damage;
    use fitness_core::domain::source_record::{Flaw, ParseCounts};
    use fitness_core::domain::units::{Distance, TimeSpan};

    /// Two segments a minute apart, with the sensors in two spellings.
    const RUN: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="a watch" xmlns="http://www.topografix.com/GPX/1/1" xmlns:s="urn:sensors">
  <metadata><name>not this</name><time>2020-01-01T00:00:00Z</time></metadata>
  <trk>
    <name>Lunch &amp; run</name>
    <link href="x"><type>not this</type></link>
    <type>trail_running</type>
    <trkseg>
      <trkpt lat="47.0000" lon="8.0"><ele>408.5</ele><time>2026-06-14T10:00:00Z</time>
        <extensions><s:TrackPointExtension><s:hr>120</s:hr><s:cad>80</s:cad><s:atemp>21.5</s:atemp>
        </s:TrackPointExtension></extensions></trkpt>
      <trkpt lat="47.0001" lon="8.0"><time>2026-06-14T10:00:04.500Z</time>
        <extensions><power>250</power><s:hr>141</s:hr><s:speed>2.47</s:speed></extensions></trkpt>
    </trkseg>
    <trkseg>
      <trkpt lat="47.0101" lon="8.0"><name>not this</name><time>2026-06-14T10:01:00Z</time></trkpt>
      <trkpt lat="47.0102" lon="8.0"><time>2026-06-14T12:01:05+02:00</time>
        <extensions><s:time>1999-01-01T00:00:00Z</s:time><s:hr>0</s:hr><s:cad>90</s:cad><s:speed>-1</s:speed>
        </extensions></trkpt>
    </trkseg>
  </trk>
</gpx>
"#;

    fn read(text: &str) -> Result<Vec<ParsedActivity>, ParseError> {
        read_gpx(text.as_bytes(), Tz::Europe__Zurich)
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    fn column(recorded: &ParsedActivity, channel: Channel) -> Vec<Option<i32>> {
        recorded.recording.as_ref().unwrap().column(channel).unwrap().samples().collect()
    }

    #[test]
    fn track_becomes_activity_with_all_channels() {
        let recorded = read(RUN).unwrap();
        assert_eq!(recorded.len(), 1);
        let (run, activity) = (&recorded[0], &recorded[0].activity);
        assert_eq!((activity.sport, activity.sub_sport.as_deref()), (Sport::Running, Some("trail_running")));
        assert_eq!(activity.name.as_deref(), Some("Lunch & run"));
        assert_eq!(activity.started_at.to_string(), "2026-06-14 10:00:00 UTC");
        assert_eq!(activity.utc_offset_s, 7200);
        assert_eq!((activity.elapsed, activity.moving), (Some(TimeSpan::from_secs(65)), None));
        assert_eq!((activity.avg_heart_rate, activity.max_heart_rate), (Some(131), Some(141)));
        assert_eq!((activity.avg_power, activity.max_power), (Some(250), Some(250)));
        assert_eq!(activity.avg_cadence, Some(170.0));
        assert_eq!(run.flaws, [Flaw::NoSummary]);

        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 4500, 60_000, 65_000]);
        assert_eq!(
            column(run, Channel::Latitude),
            [470_000_000, 470_001_000, 470_101_000, 470_102_000].map(Some)
        );
        assert_eq!(column(run, Channel::HeartRate), [Some(120), Some(141), None, None]);
        assert_eq!(column(run, Channel::Cadence), [Some(1600), None, None, Some(1800)], "both legs");
        assert_eq!(column(run, Channel::Altitude), [Some(408_500), None, None, None]);
        assert_eq!(column(run, Channel::Temperature), [Some(215), None, None, None]);
        assert_eq!(column(run, Channel::Speed), [None, Some(2470), None, None]);
    }

    #[test]
    fn distance_between_segments_does_not_count() {
        let run = &read(RUN).unwrap()[0];
        // Twice 0.0001 degrees of 111,195 m each.
        assert_eq!(run.activity.distance, Some(Distance::from_mm(22_239)));
        assert_eq!(column(run, Channel::Distance), [0, 11_120, 11_120, 22_239].map(Some));
    }

    #[test]
    fn cycling_cadence_is_not_doubled() {
        let ride = RUN.replace("trail_running", "Biking");
        let ride = &read(&ride).unwrap()[0];
        assert_eq!((ride.activity.sport, ride.activity.sub_sport.as_ref()), (Sport::Cycling, None));
        assert_eq!(column(ride, Channel::Cadence), [Some(800), None, None, Some(900)]);
    }

    #[test]
    fn cadence_of_both_legs_is_not_doubled() {
        let run = RUN.replace("<s:cad>80", "<s:cad>165.5").replace("<s:cad>90", "<s:cad>175");
        let run = &read(&run).unwrap()[0];
        assert_eq!(column(run, Channel::Cadence), [Some(1655), None, None, Some(1750)]);
    }

    #[test]
    fn type_numbers_of_strava_are_sports() {
        for (number, sport) in [("9", Sport::Running), ("1", Sport::Cycling), ("16", Sport::Swimming)] {
            let text = RUN.replace("trail_running", number);
            assert_eq!(read(&text).unwrap()[0].activity.sport, sport);
        }
        let hike = &read(&RUN.replace("trail_running", "4")).unwrap()[0].activity;
        assert_eq!((hike.sport, hike.sub_sport.as_deref()), (Sport::Other, Some("hiking")));
    }

    #[test]
    fn each_track_with_times_is_an_activity() {
        // 0, 0 is no position, so the zone of the athlete applies.
        let point = |time: &str| format!("<trkseg><trkpt lat='0' lon='0'>{time}</trkpt></trkseg>");
        let text = format!(
            "<gpx><trk><name> </name>{}</trk><trk>{}</trk><trk><type>Row</type>{}</trk></gpx>",
            point("<time>2026-06-14T23:00:00Z</time>"),
            point(""),
            point("<time>2026-01-14T23:00:00Z</time>")
        );
        let recorded = read(&text).unwrap();
        let told: Vec<_> = recorded
            .iter()
            .map(|r| (r.activity.sport, r.activity.name.clone(), r.activity.utc_offset_s))
            .collect();
        assert_eq!(told, [(Sport::Other, None, 7200), (Sport::Rowing, None, 3600)]);
        assert_eq!(recorded[0].activity.day().to_string(), "2026-06-15");
        let tokyo = text.replace("lat='0' lon='0'", "lat='35.68' lon='139.69'");
        assert_eq!(read(&tokyo).unwrap()[1].activity.utc_offset_s, 9 * 3600, "where the track begins");
        assert_eq!(recorded[0].activity.distance, None, "a single position has no distance");
    }

    #[test]
    fn file_without_activity_is_refused_with_reason() {
        let route = "a route, not an activity: its points have no times";
        let at =
            |time: &str| format!("<gpx><trk><trkpt lat='1' lon='2'><time>{time}</time></trkpt></trk></gpx>");
        for (text, reason) in [
            ("<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>", route),
            ("<gpx><rte><name>x</name><rtept lat='1' lon='2'/></rte></gpx>", route),
            ("<gpx><wpt lat='1' lon='2'><name>x</name></wpt></gpx>", route),
            (&at("a while ago"), route),
            (
                "<gpx><wpt lat='1' lon='2'><time>2026-06-14T10:00:00Z</time></wpt></gpx>",
                "not an activity: no track",
            ),
            ("<gpx><trk><name/><trkseg/></trk></gpx>", "no track points"),
            ("<gpx/>", "no track points"),
            ("<gpx><trk>", "damaged or incomplete before the first point with a time"),
            ("<TrainingCenterDatabase/>", "not a GPX file"),
            ("<!-- nothing -->", "not a GPX file"),
            (&at("1989-12-31T23:59:59Z"), "dated 1989-12-31: the device clock was wrong"),
            (&at("2101-01-01T00:00:00Z"), "dated 2101-01-01: the device clock was wrong"),
            ("<!DOCTYPE gpx><gpx/>", "contains a DOCTYPE, which is not allowed"),
        ] {
            assert_eq!(refusal(text), reason, "{text}");
        }
    }

    #[test]
    fn point_with_jumping_clock_is_dropped_and_counted() {
        let bad_time = ParseCounts { samples_with_bad_time: 1, ..ParseCounts::default() };
        // An hour early, a day late, the next year.
        for wrong in ["2026-06-14T09:00:00Z", "2026-06-15T10:00:30Z", "2027-06-14T10:00:30Z"] {
            let run = &read(&RUN.replace("2026-06-14T10:01:00Z", wrong)).unwrap()[0];
            assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 4500, 65_000], "{wrong}");
            assert_eq!((&run.flaws[..], run.counts), (&[Flaw::NoSummary, Flaw::OutOfOrder][..], bad_time));
        }
        for unset in
            ["1970-01-01T00:00:00Z", "1989-12-31T00:00:00Z", "2000-01-01T00:00:00Z", "2101-01-01T00:00:00Z"]
        {
            let run = &read(&RUN.replace("2026-06-14T10:00:00Z", unset)).unwrap()[0];
            assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 55_500, 60_500]);
            assert_eq!((&run.flaws[..], run.counts), (&[Flaw::NoSummary, Flaw::OutOfOrder][..], bad_time));
        }
    }

    #[test]
    fn points_out_of_order_are_sorted() {
        let late = RUN.replace("10:00:00Z", "10:00:06Z");
        let run = &read(&late).unwrap()[0];
        assert_eq!(run.activity.started_at.to_string(), "2026-06-14 10:00:04.500 UTC");
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 1500, 55_500, 60_500]);
        assert_eq!(column(run, Channel::HeartRate), [Some(141), Some(120), None, None]);
        assert_eq!(run.counts, ParseCounts { sorted: true, ..ParseCounts::default() });
    }

    #[test]
    fn truncated_file_keeps_its_beginning() {
        let run = &read(&RUN[..RUN.find("12:01:05").unwrap()]).unwrap()[0];
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 4500, 60_000]);
        assert_eq!(run.flaws, [Flaw::CutShort, Flaw::NoSummary]);
        let unclosed = RUN.replace("</trkseg>\n  </trk>", "</trk>");
        assert_eq!(read(&unclosed).unwrap()[0].flaws, [Flaw::CutShort, Flaw::NoSummary]);
    }

    #[test]
    fn too_many_points_or_tracks_are_refused() {
        let tracks = format!("<gpx>{}</gpx>", "<trk/>".repeat(10_001));
        assert_eq!(refusal(&tracks), "more than 10000 tracks or laps");
        let mut xml = XmlReader::new("<gpx><trk><trkpt/><trkpt/></trk></gpx>");
        assert!((0..1_999_999).all(|_| xml.count_point().is_ok()));
        let end = read_document(&mut xml, &mut ParsedTracks::new(Tz::UTC));
        assert_eq!(end, Err(XmlError::new("more than 2000000 points")));
    }

    #[test]
    fn damaged_file_never_panics() {
        assert_survives_damage(RUN, read_gpx);
    }
}
