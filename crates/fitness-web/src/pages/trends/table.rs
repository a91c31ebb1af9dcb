//! The data of the charts as HTML tables and CSV.

use super::charts::{format_night_value, format_signed, format_whole};
use super::data::{BestEffort, FitnessSeries, PeriodLength, PredictionHistory, Volume, YearHeatmap};
use super::nights::{Nights, Signal};
use crate::components::time;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{Pace, Speed, TimeSpan, UnitSystem};
use maud::{Markup, html};

/// A value as text for people and as raw CSV value.
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

    fn day(day: Day, today: Day) -> Self {
        Self::new(time::short_with_year(day, today), day)
    }

    /// A missing number is a dash on the page and empty in the CSV.
    fn number(shown: impl Fn(f64) -> String, value: Option<f64>) -> Self {
        match value.filter(|value| value.is_finite()) {
            Some(value) => Self::new(shown(value), (value * 100.0).round() / 100.0),
            None => Self::new("—", ""),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Table {
    /// Column names on the page and in the CSV.
    head: Vec<(&'static str, &'static str)>,
    rows: Vec<Vec<Cell>>,
}

/// Rows on the page; the CSV has all.
const MAX_ROWS: usize = 200;

impl Table {
    pub(super) fn render(&self) -> Markup {
        html! {
            @if self.rows.is_empty() { p.soft { "No data in this period." } } @else {
                div.scroll tabindex="0" role="region" aria-label="Data (scrollable)" { table {
                    thead { tr { @for (at, (shown, _)) in self.head.iter().enumerate() { th.n[at > 0] scope="col" { (shown) } } } }
                    tbody { @for row in self.rows.iter().rev().take(MAX_ROWS) {
                        tr { @for (at, cell) in row.iter().enumerate() {
                            @let shown = html! { @if let Some(link) = &cell.link { a href=(link) { (cell.text) } } @else { (cell.text) } };
                            @if at == 0 { th scope="row" { (shown) } } @else { td.n { (shown) } }
                        } }
                    } }
                } }
                @if self.rows.len() > MAX_ROWS { p.small.soft { "Showing the latest " (MAX_ROWS) " of " (self.rows.len()) ". The CSV file has all of them." } }
            }
        }
    }

    pub(super) fn to_csv(&self) -> String {
        let line = |fields: Vec<String>| format!("{}\r\n", fields.join(","));
        let mut text = line(self.head.iter().map(|(_, name)| csv_field(name)).collect());
        text.extend(self.rows.iter().map(|row| line(row.iter().map(|cell| csv_field(&cell.raw)).collect())));
        text
    }
}

/// Quotes a field where needed and defuses CSV injection: text that a spreadsheet would run as a
/// formula gets an apostrophe in front. Signed numbers are left alone.
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
        PeriodLength::Week => "Week ending",
        PeriodLength::Month => "Month ending",
        PeriodLength::Quarter => "Quarter ending",
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
            Cell::number(|_| format_signed(point.shown_form), Some(point.form)),
        ]
    };
    Table { head, rows: lines.points.iter().map(row).collect() }
}

pub(super) fn nights(nights: &Nights, signal: Signal, today: Day) -> Table {
    let name = match signal {
        Signal::Hrv => ("HRV", "rmssd_ms"),
        Signal::Resting => ("Heart rate", "bpm"),
        Signal::Sleep => ("Asleep", "hours"),
    };
    let first = match nights.step {
        PeriodLength::Day => "Day",
        PeriodLength::Week => "Week ending",
        PeriodLength::Month => "Month ending",
        PeriodLength::Quarter => "Quarter ending",
    };
    let head = vec![(first, "day"), name, ("Normal low", "normal_low"), ("Normal high", "normal_high")];
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
    let first = if volume.step == PeriodLength::Month { ("Month of", "month") } else { ("Week of", "week") };
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
        ("Date", "day"),
        ("Activity", "activity"),
    ];
    // `render` reverses the rows.
    let rows = efforts.iter().rev().map(|best| {
        let pace = Speed::from_distance_and_time(best.distance, best.time).and_then(Speed::pace);
        let link = Some(format!("/activities/{}", best.activity));
        vec![
            Cell::new(units.distance_name(best.distance), best.distance.meters()),
            Cell::new(best.time.format_clock(), best.time.seconds()),
            Cell::number(
                |_| pace.map(|pace| units.format_pace(pace).to_string()).unwrap_or_default(),
                pace.map(Pace::seconds_per_km),
            ),
            Cell::day(best.day, today),
            Cell { link, ..Cell::new("Open", best.activity) },
        ]
    });
    Table { head, rows: rows.collect() }
}

pub(super) fn predictions(predictions: &PredictionHistory, today: Day) -> Table {
    let head = vec![
        ("Date", "day"),
        ("Finish", "time_s"),
        ("Fast end of the 80% range", "low_s"),
        ("Slow end of the 80% range", "high_s"),
    ];
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

pub(super) fn days(year: &YearHeatmap, today: Day) -> Table {
    let head = vec![("Day", "day"), ("Training time", "minutes")];
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
    fn csv_fields_are_quoted_and_formulas_are_defused() {
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
