//! The numbers behind the charts, as a table on the page and as a file for a spreadsheet.

use super::charts::{format_night_value, format_signed, format_whole};
use super::data::{BestEffort, FitnessSeries, PeriodLength, Predictions, Volume, Year};
use super::sleep::{Nights, Signal};
use crate::components::time;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{Pace, Speed, TimeSpan, UnitSystem};
use maud::{Markup, html};

/// One value: as it is read, and as a program takes it.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    text: String,
    raw: String,
    link: Option<String>,
}

impl Cell {
    fn new(shown: impl Into<String>, raw: impl ToString) -> Self {
        Self { text: shown.into(), raw: raw.to_string(), link: None }
    }

    /// A day, as it reads and as `2026-06-14`.
    fn day(day: Day, today: Day) -> Self {
        Self::new(time::short_with_year(day, today), day)
    }

    /// A number that may be missing; a dash is read, and nothing is written.
    fn number(shown: impl Fn(f64) -> String, value: Option<f64>) -> Self {
        match value.filter(|value| value.is_finite()) {
            Some(value) => Self::new(shown(value), (value * 100.0).round() / 100.0),
            None => Self::new("—", ""),
        }
    }
}

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// What each column is called on the page, and in the file.
    head: Vec<(&'static str, &'static str)>,
    rows: Vec<Vec<Cell>>,
}

/// More rows make the page too heavy; the file has all.
const MAX_ROWS: usize = 200;

impl Table {
    pub(super) fn render(&self) -> Markup {
        html! {
            @if self.rows.is_empty() { p.soft { "There is nothing in this time." } } @else {
                div.scroll tabindex="0" role="region" aria-label="The numbers, which may be wider than the screen" { table {
                    thead { tr { @for (at, (shown, _)) in self.head.iter().enumerate() { th.n[at > 0] scope="col" { (shown) } } } }
                    tbody { @for row in self.rows.iter().rev().take(MAX_ROWS) {
                        tr { @for (at, cell) in row.iter().enumerate() {
                            @let shown = html! { @if let Some(link) = &cell.link { a href=(link) { (cell.text) } } @else { (cell.text) } };
                            @if at == 0 { th scope="row" { (shown) } } @else { td.n { (shown) } }
                        } }
                    } }
                } }
                @if self.rows.len() > MAX_ROWS { p.small.soft { "The latest " (MAX_ROWS) " of " (self.rows.len()) "; the file has all." } }
            }
        }
    }

    /// As RFC 4180 has it.
    pub(super) fn to_csv(&self) -> String {
        let line = |fields: Vec<String>| format!("{}\r\n", fields.join(","));
        let mut text = line(self.head.iter().map(|(_, name)| csv_field(name)).collect());
        text.extend(self.rows.iter().map(|row| line(row.iter().map(|cell| csv_field(&cell.raw)).collect())));
        text
    }
}

/// One field of a file: quoted where it must be, and never a formula. A number may begin with a sign; a text that does, or
/// with anything a spreadsheet would calculate, is kept from it by an apostrophe.
fn csv_field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%', '＝', '＋', '－', '＠'])
        && text.parse::<f64>().is_err();
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if formula || text.contains([',', '"', '\r', '\n', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

pub(super) fn fitness(lines: &FitnessSeries, today: Day) -> Table {
    let first = match lines.step {
        PeriodLength::Day => "Day",
        PeriodLength::Week => "Week to",
        PeriodLength::Month => "Month to",
        PeriodLength::Quarter => "Quarter to",
    };
    let head = vec![
        (first, "day"),
        ("Load", "load"),
        ("Fitness", "fitness"),
        ("Fatigue", "fatigue"),
        ("Form", "form"),
    ];
    let plain = |value: f64| format_whole(Some(value));
    let row = |point: &super::data::FitnessPoint| {
        vec![
            Cell::day(point.day, today),
            Cell::number(plain, point.fitness.map(|_| point.load)),
            Cell::number(plain, point.fitness),
            Cell::number(plain, point.fatigue),
            Cell::number(format_signed, Some(point.form)),
        ]
    };
    Table { head, rows: lines.points.iter().map(row).collect() }
}

pub(super) fn nights(nights: &Nights, signal: Signal, today: Day) -> Table {
    let name = match signal {
        Signal::Hrv => ("Variability", "rmssd_ms"),
        Signal::Resting => ("Heart rate", "bpm"),
        Signal::Sleep => ("Asleep", "hours"),
    };
    let first = match nights.step {
        PeriodLength::Day => "Day",
        PeriodLength::Week => "Week to",
        PeriodLength::Month => "Month to",
        PeriodLength::Quarter => "Quarter to",
    };
    let head = vec![(first, "day"), name, ("Normal from", "normal_low"), ("to", "normal_high")];
    let words = |value: f64| format_night_value(signal, value);
    let rows = nights.for_signal(signal).iter().map(|(day, night)| {
        vec![
            Cell::day(*day, today),
            Cell::number(words, night.value),
            Cell::number(words, night.normal.map(|(low, _)| low)),
            Cell::number(words, night.normal.map(|(_, high)| high)),
        ]
    });
    Table { head, rows: rows.collect() }
}

pub(super) fn volume(volume: &Volume, today: Day, units: UnitSystem) -> Table {
    let first =
        if volume.step == PeriodLength::Month { ("Month from", "month") } else { ("Week from", "week") };
    let head = vec![
        first,
        ("Activities", "activities"),
        ("Distance", "distance_m"),
        ("Time", "time_s"),
        ("Load", "load"),
    ];
    let rows = volume.sums.iter().map(|(day, totals)| {
        vec![
            Cell::day(*day, today),
            Cell::new(totals.count.to_string(), totals.count),
            Cell::new(
                units.format_distance_for(volume.sport, totals.distance).to_string(),
                totals.distance.meters(),
            ),
            Cell::new(totals.time.format_hours_minutes(), totals.time.whole_seconds()),
            Cell::number(|load| format_whole(Some(load)), Some(totals.load)),
        ]
    });
    Table { head, rows: rows.collect() }
}

pub(super) fn efforts(efforts: &[BestEffort], today: Day, units: UnitSystem) -> Table {
    let head = vec![
        ("Distance", "distance_m"),
        ("Time", "time_s"),
        ("Pace", "seconds_per_km"),
        ("On", "day"),
        ("Activity", "activity"),
    ];
    // The longest first, as the page turns them around.
    let rows = efforts.iter().rev().map(|best| {
        let pace = Speed::over(best.distance, best.time).and_then(Speed::pace);
        let link = Some(format!("/activities/{}", best.activity));
        vec![
            Cell::new(units.distance_name(best.distance), best.distance.meters()),
            Cell::new(best.time.format_clock(), best.time.seconds()),
            Cell::number(
                |_| pace.map(|pace| units.format_pace(pace).to_string()).unwrap_or_default(),
                pace.map(Pace::seconds_per_km),
            ),
            Cell::day(best.day, today),
            Cell { link, ..Cell::new(best.activity.to_string(), best.activity) },
        ]
    });
    Table { head, rows: rows.collect() }
}

pub(super) fn predictions(predictions: &Predictions, today: Day) -> Table {
    let head = vec![("Seen from", "day"), ("Finish", "time_s"), ("8 in 10 from", "low_s"), ("to", "high_s")];
    let clock =
        |seconds: f64| TimeSpan::from_seconds(seconds).map(TimeSpan::format_clock).unwrap_or_default();
    let rows = predictions.history.iter().map(|(day, found)| {
        let seconds = |of: fn(&fitness_core::metrics::predict::Prediction) -> TimeSpan| {
            Cell::number(clock, found.as_ref().ok().map(|prediction| of(prediction).seconds()))
        };
        vec![
            Cell::day(*day, today),
            seconds(|prediction| prediction.shown.time),
            seconds(|prediction| prediction.shown.low),
            seconds(|prediction| prediction.shown.high),
        ]
    });
    Table { head, rows: rows.collect() }
}

pub(super) fn days(year: &Year, today: Day) -> Table {
    let head = vec![("Day", "day"), ("Time in training", "minutes")];
    let words = |minutes: f64| {
        TimeSpan::from_seconds(minutes * 60.0).map(TimeSpan::format_hours_minutes).unwrap_or_default()
    };
    let rows = year
        .from
        .through(year.through)
        .map(|day| vec![Cell::day(day, today), Cell::number(words, year.minutes_on(day))]);
    Table { head, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_quoted_and_holds_no_formula() {
        for (text, written) in [
            ("plain", "plain"),
            ("-18.5", "-18.5"),
            ("=1+1", "\"'=1+1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("-cmd|' /C calc'!A0", "\"'-cmd|' /C calc'!A0\""),
            ("+49 x", "\"'+49 x\""),
            ("\tx", "\"'\tx\""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("", ""),
        ] {
            assert_eq!(csv_field(text), written, "{text}");
        }
        let table = Table {
            head: vec![("Day", "day"), ("Form", "form")],
            rows: vec![
                vec![Cell::new("Sun", "2026-06-14"), Cell::number(format_signed, Some(-18.456))],
                vec![Cell::new("x", "2026-06-15"), Cell::number(format_signed, Some(f64::NAN))],
            ],
        };
        assert_eq!(table.to_csv(), "day,form\r\n2026-06-14,-18.46\r\n2026-06-15,\r\n");
        assert!(table.render().into_string().contains("−18"), "read with a real minus");
    }
}
