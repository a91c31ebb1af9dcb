use super::*;
use std::io;

/// The first 35 of about a hundred headings.
const HEADING: &str = "Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,\
    Distance,Max Heart Rate,Relative Effort,Commute,Activity Private Note,Activity Gear,Filename,Athlete Weight,\
    Bike Weight,Elapsed Time,Moving Time,Distance,Max Speed,Average Speed,Elevation Gain,Elevation Loss,\
    Elevation Low,Elevation High,Max Grade,Average Grade,Average Positive Grade,Average Negative Grade,\
    Max Cadence,Average Cadence,Max Heart Rate,Average Heart Rate,Max Watts,Average Watts,Calories";

const RUN: &str = "101,\"Aug 22, 2026, 6:52:17 AM\",\"Long, \"\"easy\"\" run\",Run,\"two\r\nlines, and a comma\",3600,10.01,170,\
    50,false,,Shoes,activities/101.fit.gz,70,,3601.5,3500,10012.3,4.2,2.8,120.5,0,,,,,,,90,86,171,140.4,400,260,704.2";

fn read_text(text: &str) -> (Vec<Row>, Result<ReadOutcome, ParseError>) {
    let mut rows = Vec::new();
    let summary = read(&mut text.as_bytes(), Tz::Europe__Berlin, &mut |row| rows.push(row));
    (rows, summary)
}

/// The one row of a list with these cells; the rest are empty.
fn row_of(cells: &[(usize, &str)]) -> Result<Row, &'static str> {
    let mut all = vec![""; 35];
    (all[0], all[1]) = ("7", "Aug 22, 2026, 6:52:17 AM");
    for (at, cell) in cells {
        all[*at] = cell;
    }
    parse_row(&ByteRecord::from(all), Tz::Europe__Berlin)
}

#[test]
fn columns_are_read_by_position() {
    let (rows, summary) = read_text(&format!("{HEADING}\n{RUN}\n"));
    assert_eq!(summary, Ok(ReadOutcome { accepted: 1, ..ReadOutcome::default() }));
    let row = &rows[0];
    assert_eq!((row.id.as_str(), row.filename.as_deref()), ("101", Some("activities/101.fit.gz")));
    let run = &row.activity.activity;
    assert_eq!((run.sport, run.name.as_deref()), (Sport::Running, Some("Long, \"easy\" run")));
    assert_eq!(run.started_at, "2026-08-22T06:52:17Z".parse::<Instant>().unwrap());
    assert_eq!((run.utc_offset_s, row.activity.has_local_time), (7200, false));
    assert_eq!((run.elapsed, run.moving), (TimeSpan::from_seconds(3601.5), Some(TimeSpan::from_secs(3500))));
    assert_eq!(run.distance, Distance::from_meters(10_012.3));
    assert_eq!((run.ascent, run.descent), (Distance::from_meters(120.5), Some(Distance::ZERO)));
    assert_eq!((run.avg_heart_rate, run.max_heart_rate), (Some(140), Some(171)));
    assert_eq!((run.avg_power, run.max_power, run.energy_kcal), (Some(260), Some(400), Some(704)));
    assert_eq!(run.avg_cadence, None);
    // The raw line parses to the same row.
    let (again, _) = read_text(&format!("{HEADING}\n{}\n", row.raw));
    assert_eq!(again, rows);
}

#[test]
fn display_columns_are_a_fallback_for_exact_ones() {
    let shown = [(5, "3600"), (6, "33,22"), (7, "170")];
    let activity = row_of(&shown).unwrap().activity.activity;
    assert_eq!(activity.distance, Distance::from_km(33.22));
    assert_eq!((activity.elapsed, activity.moving), (Some(TimeSpan::from_mins(60)), None));
    assert_eq!(activity.max_heart_rate, Some(170));
    let both = row_of(&[(6, "10.01"), (17, "10012.3"), (3, "Virtual Ride"), (29, "88.5")])
        .unwrap()
        .activity
        .activity;
    assert_eq!(both.distance, Distance::from_meters(10_012.3));
    assert_eq!(
        (both.sport, both.sub_sport.as_deref(), both.avg_cadence),
        (Sport::Cycling, Some("virtual ride"), Some(88.5))
    );
    for (shown, km) in [("1,234.5", 1234.5), (" 5 ", 5.0), ("5.25", 5.25)] {
        assert_eq!(
            row_of(&[(6, shown)]).unwrap().activity.activity.distance,
            Distance::from_km(km),
            "{shown}"
        );
    }
}

#[test]
fn invalid_values_are_none() {
    for bad in ["", "0", "0.0", "-1", "NaN", "inf", "1e400", "--", "twelve"] {
        let columns = [5, 6, 7, 15, 16, 17, 29, 30, 31, 32, 33, 34];
        let cells: Vec<(usize, &str)> = columns.iter().map(|at| (*at, bad)).collect();
        let Activity { started_at, utc_offset_s, .. } = row_of(&[]).unwrap().activity.activity;
        let expected = Activity::new(Sport::Other, started_at, utc_offset_s);
        assert_eq!(row_of(&cells).unwrap().activity.activity, expected, "{bad}");
    }
    assert_eq!(row_of(&[]).unwrap().filename, None);
}

#[test]
fn common_date_formats_are_parsed() {
    for (text, utc) in [
        ("Aug 22, 2026, 6:52:17 AM", "2026-08-22T06:52:17Z"),
        ("Aug 22, 2026, 12:00:01 PM", "2026-08-22T12:00:01Z"),
        ("Aug 2, 2026, 12:00:01 AM", "2026-08-02T00:00:01Z"),
        ("Aug 22, 2026, 6:52:17\u{202f}PM", "2026-08-22T18:52:17Z"),
        ("August 22, 2026, 18:52:17", "2026-08-22T18:52:17Z"),
        ("22 Aug 2026, 06:52:17", "2026-08-22T06:52:17Z"),
        ("2 Sept 2026, 06:52:17", "2026-09-02T06:52:17Z"),
        ("22.08.2026, 06:52:17", "2026-08-22T06:52:17Z"),
        ("6. 9. 2026 11:18:40", "2026-09-06T11:18:40Z"),
        ("2026-08-22 06:52:17", "2026-08-22T06:52:17Z"),
        ("2026-08-22T06:52:17Z", "2026-08-22T06:52:17Z"),
    ] {
        assert_eq!(date(text), utc.parse().ok(), "{text}");
    }
    for bad in [
        "",
        "Aug 22, 2026",
        "22/08/2026, 06:52:17",
        "Aug 32, 2026, 6:52:17 AM",
        "Jan 1, 1970, 0:00:00",
        "soon",
    ] {
        assert_eq!(date(bad), None, "{bad}");
    }
}

#[test]
fn row_without_id_or_date_is_skipped() {
    let text = format!("{HEADING}\nn/a,\"Aug 22, 2026, 6:52:17 AM\",x\n102,someday,x\n\n103\n{RUN}\n");
    let (rows, summary) = read_text(&text);
    let summary = summary.unwrap();
    assert_eq!((rows.len(), summary.accepted, summary.skipped, summary.read_error), (1, 1, 3, None));
    assert_eq!(summary.skip_reasons["no activity id"], 1);
    assert_eq!(summary.skip_reasons["no readable date"], 2);
}

#[test]
fn header_is_recognised_in_any_language() {
    let czech = "ID aktivity,Datum,Název,Typ,Popis,Uplynulý čas,Vzdálenost,Max TF,Úsilí,Dojíždění,Poznámka,Vybavení,\
        Název souboru,Hmotnost,Kolo,Uplynulý čas,Aktivní čas,Vzdálenost";
    let short = "Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,\
        Max Heart Rate,Relative Effort,Commute,Activity Private Note,Activity Gear,Filename";
    for heading in [HEADING, czech, short, &format!("\u{feff}{short}")] {
        let (rows, _) = read_text(&format!("{heading}\r\n{RUN}\r\n"));
        assert_eq!(rows.len(), 1, "{heading}");
    }
    for (text, why) in [
        ("", "empty file"),
        ("Date,Distance\n1,2\n", "not the activities.csv of a Strava export"),
        ("<html>", "not the activities.csv of a Strava export"),
        (",,,,,,,,,,,,,,,,,,\n", "not the activities.csv of a Strava export"),
        (RUN, "not the activities.csv of a Strava export"),
    ] {
        assert_eq!(read_text(text).1.unwrap_err().to_string(), why, "{text}");
    }
}

#[test]
fn invalid_utf8_is_replaced() {
    let mut bytes = format!("{HEADING}\n7,\"Aug 22, 2026, 6:52:17 AM\",Caf").into_bytes();
    bytes.extend(b"\xe9,Run\n");
    let mut rows = Vec::new();
    read(&mut &*bytes, Tz::UTC, &mut |row| rows.push(row)).unwrap();
    assert_eq!(rows[0].activity.activity.name.as_deref(), Some("Caf\u{fffd}"));
}

#[test]
fn truncated_list_gives_complete_rows() {
    let text = format!("{HEADING},Media\n{RUN},a.jpg\n{RUN},b.jpg\n");
    let (whole, _) = read_text(&text);
    assert_eq!(whole.len(), 2);
    let ends = [",a.jpg", ",b.jpg"].map(|last_cell| text.find(last_cell).unwrap());
    for cut in HEADING.len() + ",Media".len()..text.len() {
        let (rows, summary) = read_text(&text[..cut]);
        // The last cell is not used, so a row cut within it is complete.
        let expected = ends.iter().filter(|end| cut > **end).count();
        assert_eq!(rows.len(), expected, "cut at {cut}");
        assert!(rows.iter().all(|row| row.activity == whole[0].activity), "cut at {cut}");
        if cut > ends[0] + ",a.jpg\n".len() && cut <= ends[1] {
            let why = summary.unwrap().read_error.unwrap();
            assert_eq!(why.to_string(), "the file ends unexpectedly", "cut at {cut}");
        }
    }
}

#[test]
fn list_length_is_unlimited_and_row_length_is_not() {
    let many = format!("{HEADING}\n{}", format!("{RUN}\n").repeat(2 * MAX_ROW_BYTES / RUN.len()));
    assert_eq!(read_text(&many).1.unwrap().read_error, None);
    let head = format!("{HEADING}\n{RUN}\n102,\"");
    let mut rows = 0;
    let summary = read(&mut head.as_bytes().chain(io::repeat(b'x')), Tz::UTC, &mut |_| rows += 1).unwrap();
    assert_eq!((rows, summary.accepted), (1, 1));
    assert_eq!(summary.read_error.unwrap().to_string(), "an entry is longer than 1 MiB");
}

#[test]
fn list_is_recognised_by_name() {
    assert!(recognise("export.zip!/activities.csv") && recognise("activities.csv"));
    assert!(!recognise("export.zip!/activities.csv/x") && !recognise("my_activities.csv"));
}
