//! A plan as iCalendar (RFC 5545): an all-day event for every workout.
//!
//! Hand-written, because the format is four rules (CRLF, lines of at most 75 octets, four escaped
//! characters, dates as `VALUE=DATE`). UIDs are stable, so that a calendar updates existing events;
//! DTSTAMP is the time of the revision, so that the same revision gives the same file.

use super::PlanExport;
use super::steps::describe_extra_steps;
use crate::domain::calendar::{Day, Instant};
use crate::domain::units::{TimeSpan, UnitSystem};
use crate::domain::untrusted_text::is_invisible;
use crate::plan::PlannedWorkout;

/// Maximum octets of a line, without its end.
const MAX_LINE_OCTETS: usize = 75;

/// The plan's workouts as events, without rest days. `mark` makes UIDs unique per athlete; `stamp`
/// is when the revision was made.
#[must_use]
pub fn icalendar(exported: PlanExport<'_>, mark: &str, stamp: Instant, units: UnitSystem) -> String {
    let PlanExport { plan, workouts, author } = exported;
    let label = plan.text_label(author).map(|label| format!("({label})"));
    let mut file = CalendarWriter(String::new());
    file.write_line("BEGIN", "VCALENDAR");
    file.write_line("VERSION", "2.0");
    file.write_line("PRODID", "-//local-fitness//plan//EN");
    file.write_line("CALSCALE", "GREGORIAN");
    file.write_line("X-WR-CALNAME", &escape_text(&plan.name));
    for planned in workouts.iter().filter(|planned| !planned.workout.is_rest()) {
        let workout = &planned.workout;
        file.write_line("BEGIN", "VEVENT");
        file.write_line(
            "UID",
            &escape_text(&format!("plan-{}-workout-{}@{mark}.local-fitness", plan.id, planned.id)),
        );
        file.write_line("DTSTAMP", &stamp.format("%Y%m%dT%H%M%SZ").to_string());
        file.write_line("SEQUENCE", &plan.revision.max(0).to_string());
        file.write_line("DTSTART;VALUE=DATE", &format_date(workout.date));
        file.write_line("DTEND;VALUE=DATE", &format_date(workout.date.next()));
        file.write_line("SUMMARY", &escape_text(&summary(planned, units)));
        let words: Vec<String> = [description(planned, units)]
            .into_iter()
            .filter(|words| !words.is_empty())
            .chain(label.clone())
            .collect();
        let words = words.join("\n");
        if !words.is_empty() {
            file.write_line("DESCRIPTION", &escape_text(&words));
        }
        file.write_line("CATEGORIES", &escape_text(workout.sport.as_str()));
        file.write_line("TRANSP", "TRANSPARENT");
        file.write_line("END", "VEVENT");
    }
    file.write_line("END", "VCALENDAR");
    file.0
}

fn format_date(day: Day) -> String {
    day.date().format("%Y%m%d").to_string()
}

fn summary(planned: &PlannedWorkout, units: UnitSystem) -> String {
    let workout = &planned.workout;
    let name = workout.name_without_size(units);
    workout.size_label(units).map_or_else(|| name.to_owned(), |size| format!("{name}, {size}"))
}

fn description(planned: &PlannedWorkout, units: UnitSystem) -> String {
    let workout = &planned.workout;
    let duration =
        workout.duration.filter(|_| workout.distance.is_some()).map(TimeSpan::format_hours_minutes);
    let mut lines: Vec<String> =
        [workout.intensity.clone(), duration, workout.description.clone()].into_iter().flatten().collect();
    lines.extend(describe_extra_steps(workout, units));
    lines.join("\n")
}

/// Escapes a TEXT value. Control characters and invisible or bidirectional characters are removed.
fn escape_text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.replace("\r\n", "\n").chars() {
        match c {
            '\\' | ';' | ',' => out.extend(['\\', c]),
            '\n' | '\r' => out.push_str("\\n"),
            '\t' => out.push(' '),
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

struct CalendarWriter(String);

impl CalendarWriter {
    /// Writes a folded content line.
    fn write_line(&mut self, name: &str, value: &str) {
        let line = format!("{name}:{value}");
        let mut rest = line.as_str();
        // The leading blank of a continuation line counts.
        let mut room = MAX_LINE_OCTETS;
        while rest.len() > room {
            let (now, later) = rest.split_at(rest.floor_char_boundary(room));
            self.0.push_str(now);
            self.0.push_str("\r\n ");
            rest = later;
            room = MAX_LINE_OCTETS - 1;
        }
        self.0.push_str(rest);
        self.0.push_str("\r\n");
    }
}
