//! TCX parser: activities with laps, each with totals and points.

use super::samples::{Sample, cadence, heart_rate, instant, power, to_u16};
use super::xml::{XmlError, XmlReader, decode};
use super::{ActivityDraft, ParsedTracks, parse_time};
use crate::error::ParseError;
use crate::sports::{counts_both_legs, from_word};
use chrono_tz::Tz;
use fitness_core::domain::activity::Lap;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::Channel;
use fitness_core::domain::units::{Distance, TimeSpan};

/// Reads a TCX file. Each `Activity` is one, also in a multi-sport session; local time is that of
/// the first position, else that of `zone`.
///
/// # Errors
/// If it contains no activity or cannot be read.
pub fn read_tcx(bytes: &[u8], zone: Tz) -> Result<Vec<ParsedActivity>, ParseError> {
    let text = decode(bytes)?;
    let mut found = ParsedTracks::new(zone);
    let end = read_document(&mut XmlReader::new(&text), &mut found);
    found.finish(end)
}

fn read_document(xml: &mut XmlReader<'_>, found: &mut ParsedTracks) -> Result<(), XmlError> {
    if xml.next_element(0)?.is_none_or(|root| root.name() != "TrainingCenterDatabase") {
        return Err(XmlError::new("not a TCX file"));
    }
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "Activities" | "MultiSportSession" | "FirstSport" | "NextSport" => {}
            "Activity" => {
                xml.count_part()?;
                let (sport, finer) = from_word(part.attribute("Sport").as_deref().unwrap_or_default());
                let mut draft =
                    ActivityDraft { sport: Some(sport), sub_sport: finer, ..ActivityDraft::default() };
                let end = read_activity(xml, &mut draft);
                if draft.sport == Some(Sport::Running) {
                    draft.samples.count_both_legs();
                }
                found.add_draft(draft, end.is_err());
                end?;
            }
            // Courses and workouts are not activities.
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn read_activity(xml: &mut XmlReader<'_>, draft: &mut ActivityDraft) -> Result<(), XmlError> {
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "Id" => draft.starts[0] = parse_time(xml.text()?),
            "Lap" => {
                xml.count_part()?;
                let said = part.attribute("StartTime").and_then(|time| parse_time(time.trim()));
                draft.starts[1] = draft.starts[1].or(said);
                let (first, mut totals) = (draft.samples.len(), Totals::default());
                let end = read_lap(xml, draft, &mut totals);
                draft.energy_kcal = match (draft.energy_kcal, totals.energy_kcal) {
                    (Some(so_far), Some(more)) => Some(so_far.saturating_add(more)),
                    (so_far, more) => so_far.or(more),
                };
                let began = said.and_then(instant).or_else(|| draft.samples.time(first).and_then(instant));
                draft.laps.extend(began.map(|began| totals.into_lap(began)));
                end?;
            }
            // The device; only its name is used.
            "Creator" => {
                let depth = xml.depth();
                while let Some(part) = xml.next_element(depth)? {
                    match part.name() {
                        "Name" => draft.device = xml.name()?,
                        _ => xml.skip()?,
                    }
                }
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// Totals of a lap.
#[derive(Debug, Default)]
struct Totals {
    elapsed: Option<TimeSpan>,
    distance: Option<Distance>,
    avg_heart_rate: Option<u16>,
    max_heart_rate: Option<u16>,
    avg_power: Option<u16>,
    avg_cadence: Option<f64>,
    energy_kcal: Option<u32>,
    kind: Option<String>,
}

impl Totals {
    fn into_lap(self, started_at: Instant) -> Lap {
        Lap {
            started_at,
            elapsed: self.elapsed,
            moving: None,
            distance: self.distance,
            avg_heart_rate: self.avg_heart_rate,
            max_heart_rate: self.max_heart_rate,
            avg_power: self.avg_power,
            avg_cadence: self.avg_cadence,
            kind: self.kind,
        }
    }
}

fn read_lap(xml: &mut XmlReader<'_>, draft: &mut ActivityDraft, totals: &mut Totals) -> Result<(), XmlError> {
    let is_run = draft.sport == Some(Sport::Running);
    // Of a run, one leg or both; decided for each lap and for all points together.
    let both_legs = |rate: f64| if counts_both_legs(Sport::Running, rate) { rate } else { rate * 2.0 };
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "TotalTimeSeconds" => totals.elapsed = xml.number()?.and_then(TimeSpan::from_seconds),
            "DistanceMeters" => totals.distance = xml.number()?.and_then(Distance::from_meters),
            "Calories" => totals.energy_kcal = xml.number()?.and_then(to_u16).map(u32::from),
            "AverageHeartRateBpm" => totals.avg_heart_rate = heart_rate(xml.number()?),
            "MaximumHeartRateBpm" => totals.max_heart_rate = heart_rate(xml.number()?),
            "Intensity" => totals.kind = xml.name()?.map(|kind| kind.to_lowercase()),
            "Cadence" => {
                totals.avg_cadence =
                    cadence(xml.number()?).map(|rate| if is_run { both_legs(rate) } else { rate });
            }
            "AvgRunCadence" => totals.avg_cadence = cadence(xml.number()?).map(both_legs),
            "AvgWatts" => totals.avg_power = power(xml.number()?),
            "Track" | "Extensions" | "LX" => {}
            "Trackpoint" => {
                xml.count_point()?;
                draft.samples.push(&read_point(xml, is_run)?);
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// Sensor values are searched at any depth; a heart rate has its number in a nested `Value`.
fn read_point(xml: &mut XmlReader<'_>, is_run: bool) -> Result<Sample, XmlError> {
    let (mut sample, mut latitude, mut longitude) = (Sample::default(), None, None);
    let depth = xml.depth();
    while let Some(part) = xml.next_element(depth)? {
        match part.name() {
            "Time" => sample.at = parse_time(xml.text()?),
            "LatitudeDegrees" => latitude = xml.number()?,
            "LongitudeDegrees" => longitude = xml.number()?,
            "AltitudeMeters" => sample.set(Channel::Altitude, xml.number()?, 1000.0),
            "DistanceMeters" => {
                sample.set(Channel::Distance, xml.number()?.filter(|metres| *metres >= 0.0), 1000.0)
            }
            "HeartRateBpm" => sample.set_heart_rate(xml.number()?),
            "Cadence" => sample.set_cadence(xml.number()?, 1.0),
            // Of one leg; of a run it is doubled with the other points.
            "RunCadence" => sample.set_cadence(xml.number()?, if is_run { 1.0 } else { 2.0 }),
            "Speed" => sample.set(Channel::Speed, xml.number()?.filter(|speed| *speed >= 0.0), 1000.0),
            "Watts" => sample.set_power(xml.number()?),
            _ => {}
        }
    }
    sample.set_position(latitude, longitude);
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracks::tests::assert_survives_damage;
    use fitness_core::domain::source_record::Flaw;

    /// Two laps of a run, the second after a pause.
    const RUN: &str = r#"  <?xml version="1.0" encoding="UTF-8"?>
<t:TrainingCenterDatabase xmlns:t="urn:tcx" xmlns:x="urn:extension">
 <t:Activities><t:Activity Sport="Running">
  <t:Id>2026-01-14T10:00:00.000Z</t:Id>
  <t:Lap StartTime="2026-01-14T10:00:00.000Z">
   <t:TotalTimeSeconds>60.0</t:TotalTimeSeconds><t:DistanceMeters>200.5</t:DistanceMeters>
   <t:Calories>15</t:Calories>
   <t:AverageHeartRateBpm><t:Value>130</t:Value></t:AverageHeartRateBpm>
   <t:MaximumHeartRateBpm><t:Value>150</t:Value></t:MaximumHeartRateBpm>
   <t:Intensity>Active</t:Intensity><t:TriggerMethod>Manual</t:TriggerMethod>
   <t:Track>
    <t:Trackpoint><t:Time>2026-01-14T10:00:01Z</t:Time>
     <t:Position><t:LatitudeDegrees>47.1</t:LatitudeDegrees><t:LongitudeDegrees>-8.2</t:LongitudeDegrees></t:Position>
     <t:AltitudeMeters>408.25</t:AltitudeMeters><t:DistanceMeters>3.3</t:DistanceMeters>
     <t:HeartRateBpm><t:Value>120</t:Value></t:HeartRateBpm>
     <t:Extensions><x:TPX><x:Speed>3.25</x:Speed><x:RunCadence>81</x:RunCadence><x:Watts>240</x:Watts></x:TPX>
     </t:Extensions></t:Trackpoint>
    <t:Trackpoint><t:Time>2026-01-14T10:00:59Z</t:Time><t:DistanceMeters>200.5</t:DistanceMeters>
     <t:HeartRateBpm><t:Value>255</t:Value></t:HeartRateBpm><t:Cadence>82</t:Cadence></t:Trackpoint>
   </t:Track>
   <t:Extensions><x:LX><x:AvgRunCadence>80</x:AvgRunCadence><x:AvgWatts>230</x:AvgWatts></x:LX></t:Extensions>
  </t:Lap>
  <t:Lap StartTime="2026-01-14T10:10:00.000Z">
   <t:TotalTimeSeconds>20.5</t:TotalTimeSeconds><t:DistanceMeters>99.5</t:DistanceMeters>
   <t:Calories>6.0</t:Calories>
   <t:AverageHeartRateBpm><t:Value>150</t:Value></t:AverageHeartRateBpm>
   <t:MaximumHeartRateBpm><t:Value>160</t:Value></t:MaximumHeartRateBpm>
   <t:Intensity>Resting</t:Intensity>
   <t:Track><t:Trackpoint><t:Time>2026-01-14T10:10:20Z</t:Time><t:DistanceMeters>300</t:DistanceMeters>
   </t:Trackpoint></t:Track>
  </t:Lap>
  <t:Notes>not read</t:Notes>
  <t:Creator><t:Name>Watch 255</t:Name><t:Version><t:Name>not this</t:Name></t:Version></t:Creator>
 </t:Activity></t:Activities>
 <t:Author><t:Name>not this either</t:Name></t:Author>
</t:TrainingCenterDatabase>
"#;

    fn read(text: &str) -> Result<Vec<ParsedActivity>, ParseError> {
        read_tcx(text.as_bytes(), Tz::Europe__Zurich)
    }

    fn column(recorded: &ParsedActivity, channel: Channel) -> Vec<Option<i32>> {
        recorded.recording.as_ref().unwrap().column(channel).unwrap().samples().collect()
    }

    /// An activity with one lap and one point.
    fn activity(sport: &str, lap: &str, clock: &str) -> String {
        format!(
            "<Activity Sport='{sport}'><Lap>{lap}<Track><Trackpoint><Time>2026-01-14T{clock}Z</Time>\
             </Trackpoint></Track></Lap></Activity>"
        )
    }

    fn document(activities: &str) -> String {
        format!("<TrainingCenterDatabase><Activities>{activities}</Activities></TrainingCenterDatabase>")
    }

    #[test]
    fn activity_totals_come_from_laps() {
        let recorded = read(RUN).unwrap();
        assert_eq!(recorded.len(), 1);
        let activity = &recorded[0].activity;
        assert_eq!((activity.sport, activity.sub_sport.as_ref()), (Sport::Running, None));
        assert_eq!(activity.started_at.to_string(), "2026-01-14 10:00:00 UTC");
        assert_eq!(activity.utc_offset_s, -3600, "at sea, one hour behind UTC");
        assert_eq!(activity.elapsed, TimeSpan::from_seconds(620.5), "to the end of the last lap");
        assert_eq!(activity.moving, TimeSpan::from_seconds(80.5), "the pause is not in it");
        assert_eq!(activity.distance, Distance::from_meters(300.0));
        // (130 bpm × 60 s + 150 bpm × 20.5 s) / 80.5 s = 135.1 bpm.
        assert_eq!((activity.avg_heart_rate, activity.max_heart_rate), (Some(135), Some(160)));
        assert_eq!((activity.avg_power, activity.max_power), (Some(240), Some(240)), "one lap has no mean");
        assert_eq!(activity.avg_cadence, Some(163.0), "one lap has no mean");
        assert_eq!(activity.energy_kcal, Some(21));
        assert_eq!(activity.device.as_deref(), Some("Watch 255"));
        assert_eq!(recorded[0].flaws, []);
    }

    #[test]
    fn lap_fields_are_read() {
        let laps = &read(RUN).unwrap()[0].activity.laps;
        assert_eq!(laps.len(), 2);
        assert_eq!(laps[1].started_at.to_string(), "2026-01-14 10:10:00 UTC");
        assert_eq!((laps[0].elapsed, laps[0].moving), (Some(TimeSpan::from_secs(60)), None));
        assert_eq!(laps[0].distance, Distance::from_meters(200.5));
        assert_eq!((laps[0].avg_heart_rate, laps[0].max_heart_rate), (Some(130), Some(150)));
        assert_eq!((laps[0].avg_power, laps[0].avg_cadence), (Some(230), Some(160.0)));
        assert_eq!((laps[1].avg_power, laps[1].avg_cadence), (None, None));
        let kinds: Vec<_> = laps.iter().map(|lap| lap.kind.as_deref()).collect();
        assert_eq!(kinds, [Some("active"), Some("resting")]);
    }

    #[test]
    fn point_fields_are_read() {
        let run = &read(RUN).unwrap()[0];
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [1000, 59_000, 620_000]);
        assert_eq!(column(run, Channel::Latitude), [Some(471_000_000), None, None]);
        assert_eq!(column(run, Channel::Longitude), [Some(-82_000_000), None, None]);
        assert_eq!(column(run, Channel::Altitude), [Some(408_250), None, None]);
        assert_eq!(column(run, Channel::Distance), [3300, 200_500, 300_000].map(Some));
        assert_eq!(column(run, Channel::HeartRate), [Some(120), None, None]);
        assert_eq!(column(run, Channel::Cadence), [Some(1620), Some(1640), None], "both legs");
        assert_eq!(column(run, Channel::Speed), [Some(3250), None, None]);
        assert_eq!(column(run, Channel::Power), [Some(240), None, None]);
    }

    #[test]
    fn cadence_of_both_legs_is_not_doubled() {
        let run = RUN.replace(">81<", ">162<").replace(">82<", ">164.5<").replace(">80<", ">161<");
        let run = &read(&run).unwrap()[0];
        assert_eq!(column(run, Channel::Cadence), [Some(1620), Some(1645), None]);
        assert_eq!(run.activity.laps[0].avg_cadence, Some(161.0));
    }

    #[test]
    fn laps_without_points_are_an_activity() {
        let lap = |clock: &str| {
            format!(
                "<Lap StartTime='2026-01-14T{clock}Z'><TotalTimeSeconds>1800</TotalTimeSeconds><DistanceMeters>5000\
                 </DistanceMeters><Calories>300</Calories><AverageHeartRateBpm><Value>140</Value>\
                 </AverageHeartRateBpm><Track/></Lap>"
            )
        };
        let text = document(&format!(
            "<Activity Sport='Running'><Id>2026-01-14T10:00:00Z</Id>{}{}</Activity>",
            lap("10:00:00"),
            lap("10:40:00")
        ));
        let recorded = &read(&text).unwrap()[0];
        let run = &recorded.activity;
        assert_eq!((run.sport, run.day().to_string()), (Sport::Running, "2026-01-14".to_owned()));
        assert_eq!((run.elapsed, run.moving), (Some(TimeSpan::from_mins(70)), Some(TimeSpan::from_mins(60))));
        assert_eq!((run.distance, run.avg_heart_rate), (Distance::from_km(10.0), Some(140)));
        assert_eq!((run.energy_kcal, run.laps.len()), (Some(600), 2));
        assert_eq!((&recorded.recording, &recorded.flaws[..]), (&None, &[][..]));
    }

    #[test]
    fn cycling_cadence_is_not_doubled() {
        let ride = &read(&RUN.replace("\"Running\"", "\"Biking\"")).unwrap()[0];
        assert_eq!(ride.activity.sport, Sport::Cycling);
        assert_eq!(
            column(ride, Channel::Cadence),
            [Some(1620), Some(820), None],
            "a RunCadence is always of one leg"
        );
    }

    #[test]
    fn each_part_of_a_multi_sport_session_is_an_activity() {
        let text = document(&format!(
            "<MultiSportSession><Id>x</Id><FirstSport>{}</FirstSport><NextSport><Transition StartTime='x'>\
             <Track/></Transition>{}</NextSport></MultiSportSession>{}",
            activity("Swimming", "", "10:00:00"),
            activity("Biking", "", "10:40:00"),
            activity("Other", "", "12:00:00")
        ));
        let sports: Vec<Sport> =
            read(&text).unwrap().iter().map(|recorded| recorded.activity.sport).collect();
        assert_eq!(sports, [Sport::Swimming, Sport::Cycling, Sport::Other]);
    }

    #[test]
    fn lap_without_totals_has_none() {
        let recorded = read(&document(&activity("Running", "", "10:00:00"))).unwrap();
        let run = &recorded[0].activity;
        assert_eq!((run.elapsed, run.moving), (Some(TimeSpan::ZERO), None));
        assert_eq!((run.distance, run.energy_kcal, run.avg_heart_rate), (None, None, None));
        assert_eq!(run.laps[0].started_at.to_string(), "2026-01-14 10:00:00 UTC", "its first point");
        assert_eq!(recorded[0].flaws, [Flaw::NoSummary]);
        let zero = "<TotalTimeSeconds>5</TotalTimeSeconds><DistanceMeters>0.0</DistanceMeters>";
        let yoga = &read(&document(&activity("Other", zero, "10:00:00"))).unwrap()[0].activity;
        assert_eq!(yoga.distance, Some(Distance::ZERO), "as the file says");
    }

    #[test]
    fn start_is_taken_from_id_or_first_lap() {
        for (text, start, first) in [
            (RUN.replace("<t:Id>2026", "<t:Id>x"), "2026-01-14 10:00:00 UTC", 1000),
            (RUN.replace("StartTime=\"2026", "StartTime=\"x"), "2026-01-14 10:00:00 UTC", 1000),
            (RUN.replace("10:00:00.000Z", "10:00:02Z"), "2026-01-14 10:00:01 UTC", 0),
        ] {
            let run = &read(&text).unwrap()[0];
            assert_eq!(run.activity.started_at.to_string(), start);
            assert_eq!(run.recording.as_ref().unwrap().offsets_ms()[0], first);
        }
    }

    #[test]
    fn impossible_totals_are_ignored() {
        let run = RUN.replace("200.5</t:DistanceMeters>\n", "0</t:DistanceMeters>\n").replace("99.5", "0");
        assert_eq!(
            read(&run).unwrap()[0].activity.distance,
            Distance::from_meters(300.0),
            "the last point's"
        );
        let run = RUN.replace("<t:TotalTimeSeconds>20.5", "<t:TotalTimeSeconds>2592000");
        assert_eq!(
            read(&run).unwrap()[0].activity.elapsed,
            Some(TimeSpan::from_secs(620)),
            "to the last point"
        );
    }

    #[test]
    fn totals_that_contradict_the_points_are_theirs() {
        // A lap of 0 m, and a start twelve hours before the first point.
        let (zero, early) = (
            RUN.replace("200.5</t:DistanceMeters>\n   <t:Cal", "0.0</t:DistanceMeters>\n   <t:Cal"),
            RUN.replace("2026-01-14T10:00:00.000Z", "2026-01-13T22:00:00.000Z"),
        );
        let run = &read(&zero).unwrap()[0];
        assert_eq!(run.activity.distance, Distance::from_meters(300.0));
        assert_eq!(run.activity.laps[0].distance, Distance::from_meters(197.2), "between its points");
        assert_eq!((run.counts.corrected_totals, &run.flaws[..]), (2, &[Flaw::ContradictoryTotals][..]));
        let run = &read(&early).unwrap()[0];
        assert_eq!(run.activity.started_at.to_string(), "2026-01-14 10:00:01 UTC");
        assert_eq!(run.activity.elapsed, TimeSpan::from_seconds(619.5));
        assert_eq!(run.activity.laps[0].started_at.to_string(), "2026-01-14 10:00:01 UTC");
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms()[0], 0);
        assert!(run.flaws.contains(&Flaw::ContradictoryTotals));
    }

    #[test]
    fn timer_time_is_never_more_than_elapsed_time() {
        let lap = |clock: &str| {
            format!(
                "<Lap StartTime='2026-01-14T{clock}Z'><TotalTimeSeconds>90</TotalTimeSeconds><Track><Trackpoint>\
                 <Time>2026-01-14T{clock}Z</Time></Trackpoint></Track></Lap>"
            )
        };
        let text = document(&format!("<Activity>{}{}</Activity>", lap("10:00:00"), lap("10:01:00")));
        let activity = &read(&text).unwrap()[0].activity;
        assert_eq!(activity.elapsed, Some(TimeSpan::from_secs(150)));
        assert_eq!(activity.moving, Some(TimeSpan::from_secs(150)));
    }

    #[test]
    fn file_without_activity_is_refused_with_reason() {
        let course = "<TrainingCenterDatabase><Courses><Course><Track><Trackpoint><Time>2026-01-14T10:00:00Z</Time>\
                      </Trackpoint></Track></Course></Courses></TrainingCenterDatabase>";
        let lap = "<Activity><Lap StartTime='2026-01-14T10:00:00Z'><Calories>9</Calories></Lap></Activity>";
        for (text, reason) in [
            (course, "no track points"),
            (&document(lap), "no track points"),
            ("<gpx/>", "not a TCX file"),
            (&RUN[..500], "damaged or incomplete before the first point with a time"),
            (&RUN.replace("2026-", "1989-"), "dated 1989-01-14: the device clock was wrong"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), reason);
        }
    }

    #[test]
    fn truncated_file_keeps_its_beginning() {
        let run = &read(&RUN[..RUN.find("10:10:20").unwrap()]).unwrap()[0];
        assert_eq!(run.recording.as_ref().unwrap().offsets_ms(), [1000, 59_000]);
        assert_eq!(run.activity.laps.len(), 2, "the totals of the last lap came before its points");
        assert_eq!(run.activity.elapsed, TimeSpan::from_seconds(620.5));
        assert_eq!(run.flaws, [Flaw::CutShort]);
    }

    #[test]
    fn damaged_file_never_panics() {
        assert_survives_damage(RUN, read_tcx);
    }
}
