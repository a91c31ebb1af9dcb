//! GPX: a track for each activity, its sensors in extensions that every exporter spells its own way.

use super::samples::Sample;
use super::xml::{Element, XmlError, XmlReader, decode};
use super::{ActivityDraft, ParsedTracks, parse_time};
use crate::error::ParseError;
use crate::sports::from_word;
use chrono_tz::Tz;
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::Channel;

/// Reads a GPX file. Each track that has times is an activity, and its local clock is that of `zone`.
///
/// A GPX file sums nothing up: the distance is measured from position to position, without what lies between
/// two segments of a track, and the means are those of the points.
///
/// # Errors
/// When there is no activity in it, or it is not fit to be read; the reason is for the athlete.
pub fn read_gpx(bytes: &[u8], zone: Tz) -> Result<Vec<ParsedActivity>, ParseError> {
    let text = decode(bytes)?;
    let mut found = ParsedTracks::new(zone);
    let end = read_document(&mut XmlReader::new(&text), &mut found);
    found.finish(end)
}

fn read_document(xml: &mut XmlReader<'_>, found: &mut ParsedTracks) -> Result<(), XmlError> {
    if xml.next_element(0)?.is_none_or(|root| root.name() != "gpx") {
        return Err(XmlError::refused("it is not a GPX file"));
    }
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "trk" => {
                xml.count_part()?;
                let mut draft = ActivityDraft::default();
                let end = read_track(xml, &mut draft);
                // Garmin and those who write like it count the steps of one leg.
                if draft.sport == Some(Sport::Running) {
                    draft.samples.double_cadence();
                }
                found.add_draft(draft);
                end?;
            }
            // A route, to be entered for its points.
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
            // A segment, to be entered for its points.
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

/// The sensors stand in extensions, in wrappers of many names, which are looked through.
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
    use fitness_core::domain::source_record::Flaw;
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
    fn a_track_is_an_activity_with_all_it_recorded() {
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
    fn the_way_between_two_segments_is_not_the_athletes() {
        let run = &read(RUN).unwrap()[0];
        // Twice a ten-thousandth of a degree of 111,195 m.
        assert_eq!(run.activity.distance, Some(Distance::from_mm(22_239)));
        assert_eq!(column(run, Channel::Distance), [0, 11_120, 11_120, 22_239].map(Some));
    }

    #[test]
    fn a_cyclists_cadence_is_left_alone() {
        let ride = RUN.replace("trail_running", "Biking");
        let ride = &read(&ride).unwrap()[0];
        assert_eq!((ride.activity.sport, ride.activity.sub_sport.as_ref()), (Sport::Cycling, None));
        assert_eq!(column(ride, Channel::Cadence), [Some(800), None, None, Some(900)]);
    }

    #[test]
    fn each_track_is_an_activity_and_one_without_times_is_left_out() {
        let point = |time: &str| format!("<trkseg><trkpt lat='1' lon='2'>{time}</trkpt></trkseg>");
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
        assert_eq!(recorded[0].activity.distance, None, "one place is no way");
    }

    #[test]
    fn what_is_no_activity_is_refused_with_a_reason() {
        let route = "it has no times, so it is a route and not an activity";
        let at =
            |time: &str| format!("<gpx><trk><trkpt lat='1' lon='2'><time>{time}</time></trkpt></trk></gpx>");
        for (text, reason) in [
            ("<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>", route),
            ("<gpx><rte><name>x</name><rtept lat='1' lon='2'/></rte></gpx>", route),
            ("<gpx><wpt lat='1' lon='2'><name>x</name></wpt></gpx>", route),
            (&at("a while ago"), route),
            (
                "<gpx><wpt lat='1' lon='2'><time>2026-06-14T10:00:00Z</time></wpt></gpx>",
                "it has no track, so it is not an activity",
            ),
            ("<gpx><trk><name/><trkseg/></trk></gpx>", "it has no points"),
            ("<gpx/>", "it has no points"),
            ("<gpx><trk>", "it is cut short or damaged before its first timed point"),
            ("<TrainingCenterDatabase/>", "it is not a GPX file"),
            ("<!-- nothing -->", "it is not a GPX file"),
            (&at("1989-12-31T23:59:59Z"), "it is dated 1989-12-31; the device's clock was wrong"),
            (&at("2101-01-01T00:00:00Z"), "it is dated 2101-01-01; the device's clock was wrong"),
            ("<!DOCTYPE gpx><gpx/>", "it has a DOCTYPE, which no activity needs"),
        ] {
            assert_eq!(refusal(text), reason, "{text}");
        }
    }

    #[test]
    fn a_clock_that_jumps_costs_the_points_and_not_the_track() {
        let back = RUN.replace("10:01:00Z", "09:00:00Z");
        let run = &read(&back).unwrap()[0];
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 4500, 65_000]);
        assert_eq!(run.flaws, [Flaw::NoSummary, Flaw::OutOfOrder]);
        let unset = RUN.replace("2026-06-14T10:00:00Z", "1970-01-01T00:00:00Z");
        let run = &read(&unset).unwrap()[0];
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 55_500, 60_500]);
        assert_eq!(run.flaws, [Flaw::NoSummary, Flaw::OutOfOrder]);
    }

    #[test]
    fn a_file_that_ends_in_the_middle_keeps_what_came_before() {
        let run = &read(&RUN[..RUN.find("12:01:05").unwrap()]).unwrap()[0];
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [0, 4500, 60_000]);
        assert_eq!(run.flaws, [Flaw::CutShort, Flaw::NoSummary]);
        let unclosed = RUN.replace("</trkseg>\n  </trk>", "</trk>");
        assert_eq!(read(&unclosed).unwrap()[0].flaws, [Flaw::CutShort, Flaw::NoSummary]);
    }

    #[test]
    fn too_many_points_or_tracks_are_refused() {
        let tracks = format!("<gpx>{}</gpx>", "<trk/>".repeat(10_001));
        assert_eq!(refusal(&tracks), "it has more than 10000 tracks or laps");
        let mut xml = XmlReader::new("<gpx><trk><trkpt/><trkpt/></trk></gpx>");
        assert!((0..1_999_999).all(|_| xml.count_point().is_ok()));
        let end = read_document(&mut xml, &mut ParsedTracks::new(Tz::UTC));
        assert_eq!(end, Err(XmlError::refused("it has more than 2000000 points")));
    }

    #[test]
    fn no_damage_makes_it_panic() {
        assert_survives_damage(RUN, read_gpx);
    }
}
