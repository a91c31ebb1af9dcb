//! Exports for people and other programs: tables as CSV, text as Markdown.

use super::write::RowsById;
use crate::Error;
use fitness_core::domain::stream::{Channel, Recording};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::backup::Fields;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Rows collected for the CSV and Markdown files.
#[derive(Debug, Default)]
pub(super) struct ReadableRows {
    activities: RowsById,
    recorded_ids: BTreeSet<i64>,
    days: Vec<Fields>,
    notes: Vec<Fields>,
    briefs: Vec<Fields>,
    chats: BTreeMap<i64, (Fields, Vec<Fields>)>,
}

/// CSV column: heading, database column, divisor.
type Column = (&'static str, &'static str, f64);

const ACTIVITY_COLUMNS: &[Column] = &[
    ("id", "id", 1.0),
    ("day", "day", 1.0),
    ("started_at", "started_at", 1.0),
    ("sport", "sport", 1.0),
    ("name", "name", 1.0),
    ("distance_m", "distance_mm", 1000.0),
    ("moving_s", "moving_ms", 1000.0),
    ("elapsed_s", "elapsed_ms", 1000.0),
    ("ascent_m", "ascent_mm", 1000.0),
    ("descent_m", "descent_mm", 1000.0),
    ("avg_heart_rate", "avg_heart_rate", 1.0),
    ("max_heart_rate", "max_heart_rate", 1.0),
    ("avg_power", "avg_power", 1.0),
    ("avg_cadence", "avg_cadence", 1.0),
    ("energy_kcal", "energy_kcal", 1.0),
    ("load", "load", 1.0),
    ("device", "device", 1.0),
    ("removed_at", "deleted_at", 1.0),
];

const DAY_COLUMNS: &[Column] = &[
    ("day", "day", 1.0),
    ("asleep_h", "asleep_ms", 3_600_000.0),
    ("sleep_score", "sleep_score", 1.0),
    ("resting_heart_rate", "resting_heart_rate", 1.0),
    ("hrv_ms", "hrv_ms", 1.0),
    ("stress_avg", "stress_avg", 1.0),
    ("body_battery_high", "body_battery_high", 1.0),
    ("body_battery_low", "body_battery_low", 1.0),
    ("respiration", "respiration", 1.0),
    ("spo2", "spo2", 1.0),
    ("weight_kg", "weight_kg", 1.0),
    ("steps", "steps", 1.0),
    ("vo2max", "vo2max", 1.0),
];

impl ReadableRows {
    pub(super) fn add_row(&mut self, table: &str, fields: Fields) {
        let number = |name: &str| fields.get(name).and_then(Value::as_i64).unwrap_or_default();
        match table {
            "activities" => {
                self.activities.insert(number("id"), fields);
            }
            "streams" => {
                self.recorded_ids.insert(number("activity_id"));
            }
            "daily_wellness" => self.days.push(fields),
            "notes" => self.notes.push(fields),
            "briefs" => self.briefs.push(fields),
            "chats" => {
                self.chats.insert(number("id"), (fields, Vec::new()));
            }
            "chat_messages" => {
                if let Some((_, said)) = self.chats.get_mut(&number("chat_id")) {
                    said.push(fields);
                }
            }
            _ => {}
        }
    }

    pub(super) fn recorded_activities(&self) -> Vec<(i64, String)> {
        let day =
            |id: &i64| self.activities.get(id).map(|fields| field_text(fields, "day")).unwrap_or_default();
        self.recorded_ids.iter().map(|id| (*id, day(id))).collect()
    }

    /// File names and contents.
    pub(super) fn into_members(self) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
        let activities: Vec<Fields> = self.activities.into_values().collect();
        let notes = self.notes.iter().map(|note| {
            let (written_at, words) = (field_text(note, "written_at"), code_block(&field_text(note, "text")));
            format!("## {written_at}{}\n\n{words}", suggestion_label(note))
        });
        let briefs = self.briefs.iter().map(|brief| {
            let words = brief.get("body").map(brief_text).unwrap_or_default();
            format!(
                "## {}, by {}\n\n{}",
                field_text(brief, "day"),
                code_span(&field_text(brief, "model")),
                code_block(&words)
            )
        });
        let chats = self.chats.values().map(|(chat, said)| {
            let mut told = format!(
                "## {} ({})\n",
                code_span(&field_text(chat, "title")),
                field_text(chat, "started_at")
            );
            for message in said {
                let role = field_text(message, "role");
                let words = message.get("body").and_then(|body| message_text(&role, body));
                if let Some(words) = words {
                    let _ = write!(
                        told,
                        "\n**{role}**, {}:\n\n{}",
                        field_text(message, "said_at"),
                        code_block(&words)
                    );
                }
            }
            told
        });
        Ok(vec![
            ("activities.csv", csv_table(ACTIVITY_COLUMNS, &activities)?),
            ("days.csv", csv_table(DAY_COLUMNS, &self.days)?),
            ("notes.md", markdown_page("Notes", notes)),
            ("briefs.md", markdown_page("Briefs", briefs)),
            ("conversations.md", markdown_page("Conversations", chats)),
        ])
    }
}

fn markdown_page(title: &str, parts: impl Iterator<Item = String>) -> Vec<u8> {
    let parts: Vec<String> = parts.collect();
    format!("# {title}\n\n{}", parts.join("\n")).into_bytes()
}

/// Author and state of a suggested note; empty for the athlete's own.
fn suggestion_label(note: &Fields) -> String {
    let author = field_text(note, "author");
    if author == "athlete" {
        return String::new();
    }
    let accepted =
        note.get("accepted").is_some_and(|value| value == &Value::Bool(true) || value == &Value::from(1));
    format!(", suggested by {author}, {}", if accepted { "accepted by you" } else { "not accepted" })
}

/// The rendered text of a brief, or its JSON.
fn brief_text(body: &Value) -> String {
    body.get("rendered")
        .and_then(Value::as_str)
        .or_else(|| body.as_str())
        .map_or_else(|| body.to_string(), str::to_owned)
}

/// Text of a chat message, without tool calls and results. Of an athlete's message only the last
/// part, because the parts before it are context from the program.
fn message_text(role: &str, body: &Value) -> Option<String> {
    if let Some(text) = body.as_str() {
        return Some(text.to_owned());
    }
    let parts = body.get("parts")?.as_array()?;
    let mut texts: Vec<&str> = parts
        .iter()
        .filter(|part| part.get("type").and_then(Value::as_str) == Some("text"))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    match role {
        "coach" => {}
        "athlete" => texts = texts.pop().into_iter().collect(),
        _ => return None,
    }
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn longest_backtick_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// A code block, so that Markdown viewers render no images, links or HTML from untrusted text.
fn code_block(text: &str) -> String {
    let lines: Vec<String> =
        text.split(['\n', '\r']).map(|line| escape_invisible(line).to_string()).collect();
    let fence = "`".repeat(longest_backtick_run(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", lines.join("\n"))
}

fn code_span(text: &str) -> String {
    let line = escape_invisible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).to_string();
    let fence = "`".repeat(longest_backtick_run(&line) + 1);
    if line.is_empty() { "untitled".to_owned() } else { format!("{fence} {line} {fence}") }
}

fn field_text(fields: &Fields, name: &str) -> String {
    fields.get(name).map(value_text).unwrap_or_default()
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn csv_table(columns: &[Column], rows: &[Fields]) -> Result<Vec<u8>, Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(columns.iter().map(|(name, ..)| name)).map_err(csv_error)?;
    for row in rows {
        let cells = columns.iter().map(|(_, from, divisor)| match row.get(*from) {
            None => String::new(),
            Some(value) if *divisor == 1.0 => escape_formula(value_text(value)),
            Some(value) => value.as_f64().map(|value| (value / divisor).to_string()).unwrap_or_default(),
        });
        out.write_record(cells).map_err(csv_error)?;
    }
    out.into_inner().map_err(|why| Error::Export(why.to_string()))
}

/// Prevents CSV injection: spreadsheets run text that starts with these characters as a formula.
fn escape_formula(text: String) -> String {
    let formula = text.starts_with(['=', '+', '@', '\t', '\r'])
        || (text.starts_with('-') && text.parse::<f64>().is_err());
    if formula { format!("'{text}") } else { text }
}

/// CSV heading of a channel, and the divisor of its samples.
const fn csv_channel(channel: Channel) -> (&'static str, f64) {
    match channel {
        Channel::Distance => ("distance_m", 1e3),
        Channel::Speed => ("speed_m_per_s", 1e3),
        Channel::HeartRate => ("heart_rate", 1.0),
        Channel::Cadence => ("cadence_per_min", 10.0),
        Channel::Power => ("power_w", 1.0),
        Channel::Altitude => ("altitude_m", 1e3),
        Channel::Latitude => ("latitude", 1e7),
        Channel::Longitude => ("longitude", 1e7),
        Channel::Temperature => ("temperature_c", 10.0),
        Channel::GroundContact => ("ground_contact_ms", 10.0),
        Channel::VerticalOscillation => ("vertical_oscillation_mm", 10.0),
        Channel::GroundContactBalance => ("ground_contact_left_percent", 100.0),
        Channel::VerticalRatio => ("vertical_ratio_percent", 100.0),
        Channel::StepLength => ("step_length_mm", 10.0),
        Channel::PowerBalance => ("power_left_percent", 100.0),
        Channel::Respiration => ("respiration_per_min", 100.0),
    }
}

pub(super) fn csv_recording(recording: &Recording) -> Result<Vec<u8>, Error> {
    let columns: Vec<_> = recording.columns().map(|(name, column)| (csv_channel(name), column)).collect();
    let mut out = csv::Writer::from_writer(Vec::new());
    let names = columns.iter().map(|((name, _), _)| *name);
    out.write_record(std::iter::once("seconds").chain(names)).map_err(csv_error)?;
    for (at, moment) in recording.offsets_ms().iter().enumerate() {
        let samples = columns.iter().map(|((_, divisor), column)| {
            column.sample(at).map(|sample| (f64::from(sample) / divisor).to_string()).unwrap_or_default()
        });
        let seconds = (f64::from(*moment) / 1000.0).to_string();
        out.write_record(std::iter::once(seconds).chain(samples)).map_err(csv_error)?;
    }
    out.into_inner().map_err(|why| Error::Export(why.to_string()))
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn csv_error(why: csv::Error) -> Error {
    Error::Export(why.to_string())
}
